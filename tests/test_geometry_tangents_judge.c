// Tangents against the reference implementation of MikkTSpace, as the npm package "mikktspace" ships it: an
// independent judge. Shapes made by code; files are test_geometry_tangents_corpus.c's. Skips where node or the package
// is missing (script/test installs it).

#include "fixtures/geometry_test.h"
#include "fixtures/tangents_judge.h"

static tangents_judge judge;

static void judge_alone(const char *name, const lrd_geometry *shape)
{
	tangents_judge_open(&judge, "shape");
	tangents_judge_add(&judge, name, shape);
	tangents_judge_close(&judge);
}

static void a_grid_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 40, 30);
	judge_alone("grid", &grid);
}

static void a_sphere_with_zero_area_poles_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 64, 32);
	judge_alone("sphere", &sphere);
}

static void a_cube_with_mirrored_uv_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry cube = shape_mirrored_cube(arena);
	judge_alone("mirrored cube", &cube);
}

// The right half of the picture on the left one, in u, v or both; the vertices in the middle are both halves'.
static lrd_geometry mirrored_grid(bool in_u, bool in_v)
{
	lrd_geometry grid = shape_grid(arena, 24, 18);
	for (size_t v = 0; v < grid.vertex_count; v++)
	{
		float *uv = grid.uv[0] + 2 * v;
		uv[0] = in_u && uv[0] > 0.5f ? 1.0f - uv[0] : uv[0];
		uv[1] = in_v && uv[1] > 0.5f ? 1.0f - uv[1] : uv[1];
	}
	return grid;
}

static void mirrored_halves_and_quarters_agree_with_the_reference(void **state)
{
	(void)state;
	tangents_judge_open(&judge, "mirrored");
	for (int i = 1; i < 4; i++)
	{
		lrd_geometry grid = mirrored_grid((i & 1) != 0, (i & 2) != 0);
		tangents_judge_add(&judge, i == 1 ? "mirrored in u" : i == 2 ? "mirrored in v" : "mirrored in both", &grid);
	}
	tangents_judge_close(&judge);
}

static void uv_without_area_agree_with_the_reference(void **state)
{
	(void)state;
	tangents_judge_open(&judge, "collapsed");
	lrd_geometry point = shape_grid(arena, 10, 10);
	memset(point.uv[0], 0, 8 * (size_t)point.vertex_count);
	tangents_judge_add(&judge, "uv at one point", &point);
	lrd_geometry line = shape_grid(arena, 10, 10);
	lrd_geometry stripes = mirrored_grid(true, false);
	lrd_geometry half = mirrored_grid(true, true);
	for (size_t v = 0; v < line.vertex_count; v++)
	{
		line.uv[0][2 * v + 1] = 2.0f * line.uv[0][2 * v];
	}
	for (size_t v = 0; v < stripes.vertex_count; v++) // of both orientations on either side, none in them
	{
		stripes.uv[0][2 * v] = (float)(int)(stripes.uv[0][2 * v] * 6.0f) / 6.0f;
		half.uv[0][2 * v + 1] = half.uv[0][2 * v] > 0.25f ? 0.75f : half.uv[0][2 * v + 1];
	}
	tangents_judge_add(&judge, "uv on one line", &line);
	tangents_judge_add(&judge, "uv in steps, mirrored", &stripes);
	tangents_judge_add(&judge, "uv of one half on a line, mirrored", &half);
	tangents_judge_close(&judge);
}

// Every fifth triangle spoilt.
static void spoil(lrd_geometry *grid, int how)
{
	for (uint32_t t = 0; t < grid->index_count / 3; t += 5)
	{
		uint32_t *corners = grid->indices + 3 * (size_t)t;
		float *p[3];
		for (int i = 0; i < 3; i++)
		{
			p[i] = grid->positions + 3 * (size_t)corners[i];
		}
		switch (how)
		{
		case 0: corners[t % 3] = corners[(t + 1) % 3]; break; // an index twice
		case 1: memcpy(p[t % 3], p[(t + 1) % 3], 12); break;  // a position twice
		case 2: corners[1] = corners[2] = corners[0]; break;  // one point
		default:                                              // a line
			for (int axis = 0; axis < 3; axis++)
			{
				p[1][axis] = 0.5f * (p[0][axis] + p[2][axis]);
			}
		}
	}
}

static void degenerate_triangles_and_those_without_area_agree_with_the_reference(void **state)
{
	(void)state;
	static const char *const names[] = { "an index twice", "a position twice", "a triangle at a point",
		"a triangle on a line" };
	tangents_judge_open(&judge, "degenerate");
	for (int how = 0; how < 4; how++)
	{
		lrd_geometry grid = shape_grid(arena, 20, 20);
		spoil(&grid, how);
		tangents_judge_add(&judge, names[how], &grid);
		lrd_geometry mirrored = mirrored_grid(true, false);
		spoil(&mirrored, how);
		tangents_judge_add(&judge, names[how], &mirrored);
	}
	tangents_judge_close(&judge);
}

// A quad's two triangles along either diagonal, beginning at any corner, either first.
static void cut_quad(uint32_t *indices, const uint32_t *quad, uint32_t choice)
{
	uint32_t turned = choice & 1;
	for (uint32_t t = 0; t < 2; t++)
	{
		uint32_t *triangle = indices + 3 * ((choice >> 1 & 1) ^ t);
		for (uint32_t i = 0; i < 3; i++)
		{
			static const uint32_t corners[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };
			triangle[(i + (choice >> 2)) % 3] = quad[(corners[t][i] + turned) % 4];
		}
	}
}

static void quads_cut_in_any_way_agree_with_the_reference(void **state)
{
	(void)state;
	tangents_judge_open(&judge, "quads");
	for (uint32_t way = 0; way < 14; way++)
	{
		lrd_geometry grid = way % 2 == 0 ? shape_grid(arena, 15, 15) : shape_flipped_grid(arena, 15, 15, 17 + way);
		shape_random chance = { 5 + way };
		for (uint32_t i = 0; i < grid.index_count; i += 6)
		{
			uint32_t *indices = grid.indices + i;
			const uint32_t quad[4] = { indices[0], indices[1], indices[5], indices[2] };
			uint32_t random = shape_random_next(&chance) % 12;
			cut_quad(indices, quad, way < 12 ? way : random);
		}
		tangents_judge_add(&judge, way < 12 ? "quads cut alike" : "quads cut at random", &grid);
	}
	tangents_judge_close(&judge);
}

static void an_apex_with_tangents_all_around_agrees_with_the_reference(void **state)
{
	(void)state;
	tangents_judge_open(&judge, "fans");
	for (uint32_t segments = 3; segments < 300; segments += segments < 40 ? 9 : 50)
	{
		lrd_geometry fan = shape_fan(arena, segments);
		tangents_judge_add(&judge, "fans", &fan);
	}
	tangents_judge_close(&judge);
}

static void grids_with_flipped_and_collapsed_uv_agree_with_the_reference(void **state)
{
	(void)state;
	tangents_judge_open(&judge, "flipped");
	for (uint32_t seed = 1; seed <= 20; seed++)
	{
		lrd_geometry grid = shape_flipped_grid(arena, 30, 30, seed * 7919);
		tangents_judge_add(&judge, "flipped and collapsed grids", &grid);
	}
	tangents_judge_close(&judge);
}

static void soups_with_crowded_edges_agree_with_the_reference(void **state)
{
	(void)state;
	tangents_judge_open(&judge, "soups");
	for (uint32_t seed = 1; seed <= 12; seed++)
	{
		lrd_geometry soup = shape_soup(arena, 2000, 4 + 10 * seed * seed, seed * 104729);
		tangents_judge_add(&judge, "soups", &soup);
	}
	tangents_judge_close(&judge);
}

static void a_mesh_far_from_the_origin_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 25, 25);
	for (size_t i = 0; i < 3 * (size_t)grid.vertex_count; i++)
	{
		grid.positions[i] = grid.positions[i] * 1e-3f + 500.0f;
	}
	judge_alone("far from the origin", &grid);
}

static void a_mesh_that_threads_could_share_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry grid = shape_flipped_grid(arena, 200, 150, 2718281);
	judge_alone("a large grid", &grid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(a_grid_agrees_with_the_reference),
		GEOMETRY_TEST(a_sphere_with_zero_area_poles_agrees_with_the_reference),
		GEOMETRY_TEST(a_cube_with_mirrored_uv_agrees_with_the_reference),
		GEOMETRY_TEST(mirrored_halves_and_quarters_agree_with_the_reference),
		GEOMETRY_TEST(uv_without_area_agree_with_the_reference),
		GEOMETRY_TEST(degenerate_triangles_and_those_without_area_agree_with_the_reference),
		GEOMETRY_TEST(quads_cut_in_any_way_agree_with_the_reference),
		GEOMETRY_TEST(an_apex_with_tangents_all_around_agrees_with_the_reference),
		GEOMETRY_TEST(grids_with_flipped_and_collapsed_uv_agree_with_the_reference),
		GEOMETRY_TEST(soups_with_crowded_edges_agree_with_the_reference),
		GEOMETRY_TEST(a_mesh_far_from_the_origin_agrees_with_the_reference),
		GEOMETRY_TEST(a_mesh_that_threads_could_share_agrees_with_the_reference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
