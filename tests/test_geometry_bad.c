// Geometry that nobody should make and somebody does: every step either works or says why not, and what comes out of
// all of them is a file that the reader takes.

#include "fixtures/geometry_test.h"
#include "fixtures/geometry_view.h"

#include "geometry/clusters.h"

#include <float.h>

typedef lrd_geometry make_bad(void);

static lrd_geometry one_triangle(void)
{
	lrd_geometry one = shape_allocate(arena, 3, 3);
	memcpy(one.positions, ((float[]){ 0, 0, 0, 1, 0, 0, 0, 1, 0 }), 36);
	memcpy(one.indices, (uint32_t[]){ 0, 1, 2 }, 12);
	return one;
}

static lrd_geometry no_triangles(void)
{
	lrd_geometry none = shape_soup(arena, 5, 5, 1);
	none.index_count = 0;
	return none;
}

static lrd_geometry scaled(float scale)
{
	lrd_geometry soup = shape_soup(arena, 300, 60, 11);
	for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i++)
	{
		soup.positions[i] *= scale;
	}
	return soup;
}

static lrd_geometry huge(void)
{
	return scaled(1e38f);
}

static lrd_geometry subnormal(void)
{
	return scaled(1e-42f);
}

static lrd_geometry at_one_point(void)
{
	return scaled(0.0f);
}

static lrd_geometry in_one_line(void)
{
	lrd_geometry soup = scaled(1.0f);
	for (size_t v = 0; v < soup.vertex_count; v++)
	{
		soup.positions[3 * v + 1] = soup.positions[3 * v + 2] = 0.0f;
	}
	return soup;
}

static lrd_geometry sprinkled(float with)
{
	lrd_geometry soup = scaled(1.0f);
	for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i += 17)
	{
		soup.positions[i] = with;
	}
	soup.normals[0] = soup.uv[0][1] = soup.uv[0][6] = with;
	return soup;
}

static lrd_geometry with_nan(void)
{
	return sprinkled(NAN);
}

static lrd_geometry with_infinities(void)
{
	lrd_geometry soup = sprinkled(INFINITY);
	soup.positions[17] = -INFINITY;
	return soup;
}

static lrd_geometry with_huge_corners(void)
{
	return sprinkled(-FLT_MAX);
}

static lrd_geometry all_nan(void)
{
	return scaled(NAN);
}

// A thousand triangles on one edge, half of them turned round.
static lrd_geometry book(void)
{
	lrd_geometry pages = shape_allocate(arena, 1002, 3000);
	pages.positions[1] = 1.0f;
	for (uint32_t page = 0; page < 1000; page++)
	{
		float turn = (float)page * 0.0062831853f;
		memcpy(pages.positions + 3 * ((size_t)page + 2), ((float[]){ cosf(turn), 0.5f, sinf(turn) }), 12);
		memcpy(pages.indices + 3 * (size_t)page, (uint32_t[]){ page % 2, 1 - page % 2, page + 2 }, 12);
	}
	return pages;
}

// The same triangle over and over.
static lrd_geometry stacked(void)
{
	lrd_geometry stack = shape_allocate(arena, 3, 3000);
	memcpy(stack.positions, ((float[]){ 0, 0, 0, 1, 0, 0, 0, 1, 0 }), 36);
	for (uint32_t i = 0; i < stack.index_count; i++)
	{
		stack.indices[i] = i % 3;
	}
	return stack;
}

static lrd_geometry of_one_vertex(void)
{
	lrd_geometry same = shape_soup(arena, 50, 10, 4);
	memset(same.indices, 0, 4 * same.index_count);
	return same;
}

static make_bad *const makers[] = { one_triangle, no_triangles, huge, subnormal, at_one_point, in_one_line, with_nan,
	with_infinities, with_huge_corners, all_nan, book, stacked, of_one_vertex };

#define MAKERS (sizeof makers / sizeof *makers)

static void assert_indices_hold(const lrd_geometry *geometry)
{
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		assert_true(geometry->indices[i] < geometry->vertex_count);
	}
}

static void assert_unit_normals(const lrd_geometry *geometry)
{
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		assert_float_equal(lrd_vec3_length(vec3_at(geometry->normals, v)), 1.0f, 1e-5f);
	}
}

static void bad_geometry_gets_unit_normals(void **state)
{
	(void)state;
	for (size_t m = 0; m < MAKERS; m++)
	{
		lrd_geometry bad = makers[m]();
		lrd_geometry_repair_normals(&bad);
		assert_unit_normals(&bad);
		bad = makers[m]();
		assert_true(lrd_geometry_smooth_normals(&bad, NULL, NULL));
		assert_unit_normals(&bad);
		bad = makers[m]();
		uint32_t *groups = lrd_arena_zeroed(arena, bad.index_count / 3 + 1, sizeof *groups);
		for (uint32_t t = 0; t < bad.index_count / 3; t++)
		{
			groups[t] = t % 4;
		}
		assert_true(lrd_geometry_smooth_normals(&bad, groups, NULL));
		assert_indices_hold(&bad);
		assert_unit_normals(&bad);
		bad = makers[m]();
		assert_true(lrd_geometry_flat_normals(&bad, NULL));
		assert_unit_normals(&bad);
	}
}

static void bad_geometry_is_clustered_whole(void **state)
{
	(void)state;
	for (size_t m = 0; m < MAKERS; m++)
	{
		lrd_geometry bad = makers[m]();
		const lrd_geometry_cluster_desc desc = { .target_triangles = 20, .min_triangles = 5, .max_extent = 0.1f };
		lrd_geometry_clusters clusters;
		assert_true(lrd_geometry_cluster(&bad, &desc, arena, &clusters, NULL));
		assert_int_equal(clusters.offsets[clusters.count], bad.index_count / 3);
		for (uint32_t c = 0; c < clusters.count; c++)
		{
			uint32_t count = clusters.offsets[c + 1] - clusters.offsets[c];
			lrd_geometry part;
			assert_true(
				lrd_geometry_extract(&bad, clusters.triangles + clusters.offsets[c], count, arena, &part, NULL));
			assert_int_equal(part.index_count, 3 * count);
			assert_indices_hold(&part);
		}
		bool cards = true;
		assert_true(lrd_geometry_is_cards(&bad, &cards, NULL));
		assert_false(cards);
	}
}

// The whole way. Where positions are no numbers, or too large for a sphere, packing says so.
static bool goes_all_the_way(lrd_geometry *geometry, bool drop, lrd_error *error)
{
	lrd_geometry_grid grid;
	lrd_geometry_meshlets meshlets;
	lrd_geometry_streams streams;
	lrd_mesh_lod lod;
	if (drop)
	{
		lrd_geometry_drop_degenerate(geometry);
	}
	lrd_geometry_repair_normals(geometry);
	assert_true(lrd_geometry_tangents(geometry, 0, NULL, NULL));
	lrd_bounds box = lrd_bounds_of(geometry->positions, geometry->vertex_count, 12);
	float step = lrd_geometry_grid_step(box.max.x - box.min.x, 1.0f / 16384.0f);
	lrd_geometry_quantize(geometry, step, 1.0f, &grid);
	assert_true(lrd_geometry_weld(geometry, NULL));
	assert_true(lrd_geometry_build_meshlets(geometry, &meshlets, NULL));
	assert_indices_hold(geometry);
	for (uint32_t m = 0; m < meshlets.meshlet_count; m++)
	{
		assert_true(lrd_all_finite(meshlets.meshlets[m].centre, 11));
	}
	if (geometry->index_count == 0)
	{
		return true; // nothing to write
	}
	if (!lrd_geometry_pack(geometry, &(lrd_geometry_pack_desc){ .grid = &grid }, &streams, error))
	{
		return false;
	}
	lrd_mesh_view mesh = geometry_view(geometry, &meshlets, &streams, &lod);
	lrd_buffer file = { 0 };
	if (!lrd_mesh_write(&mesh, &file, error))
	{
		fail_msg("%s", error->message);
	}
	lrd_buffer_free(&file);
	return true;
}

static void bad_geometry_is_written_or_refused(void **state)
{
	(void)state;
	for (size_t m = 0; m < MAKERS; m++)
	{
		for (int drop = 0; drop < 2; drop++)
		{
			lrd_geometry bad = makers[m]();
			lrd_error error = { LRD_OK, "" };
			bool numbers = makers[m] != with_nan && makers[m] != with_infinities && makers[m] != all_nan;
			bool done = goes_all_the_way(&bad, drop != 0, &error);
			// Dropping takes the triangles that are not numbers, and welding their vertices.
			bool expected = drop != 0 || numbers;
			bool large =
				makers[m] == huge || makers[m] == with_huge_corners; // whether there is a sphere, they may tell
			if (done != expected && !large)
			{
				fail_msg("maker %zu, drop %d: %s", m, drop, error.message);
			}
			assert_true(done || error.code == LRD_ERROR_FORMAT || error.code == LRD_ERROR_LIMIT);
		}
	}
}

static void zero_area_meshes_have_nothing_left(void **state)
{
	(void)state;
	make_bad *const flat[] = { at_one_point, in_one_line, all_nan, of_one_vertex };
	for (size_t m = 0; m < sizeof flat / sizeof *flat; m++)
	{
		lrd_geometry bad = flat[m]();
		uint32_t count = bad.index_count / 3;
		assert_int_equal(lrd_geometry_drop_degenerate(&bad), count);
		assert_true(lrd_geometry_weld(&bad, NULL));
		assert_int_equal(bad.vertex_count, 0);
	}
}

static void triangles_with_a_corner_nowhere_go_and_others_stay(void **state)
{
	(void)state;
	const float nowhere[] = { INFINITY, -INFINITY, NAN };
	for (uint32_t i = 0; i < 9; i++)
	{
		lrd_geometry grid = shape_grid(arena, 1, 1);
		assert_int_equal(lrd_geometry_drop_infinite(&grid), 0);
		assert_int_equal(grid.index_count, 6);
		uint32_t alone = grid.indices[0]; // a corner of one of the two triangles
		for (uint32_t c = 1; alone == grid.indices[3] || alone == grid.indices[4] || alone == grid.indices[5]; c++)
		{
			alone = grid.indices[c];
		}
		grid.positions[3 * alone + i % 3] = nowhere[i / 3];
		uint32_t second[3];
		memcpy(second, grid.indices + 3, sizeof second);
		assert_int_equal(lrd_geometry_drop_infinite(&grid), 1);
		assert_int_equal(grid.index_count, 3);
		assert_memory_equal(grid.indices, second, sizeof second);
	}
}

static void bad_tangents_become_perpendicular_ones_and_are_counted(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 2, 2);
	assert_int_equal(lrd_geometry_repair_tangents(&grid), 0); // it has none
	assert_true(lrd_geometry_any_tangents(&grid, NULL));
	assert_int_equal(lrd_geometry_repair_tangents(&grid), 0);
	float kept[4];
	memcpy(kept, grid.tangents, sizeof kept);
	memset(grid.tangents + 4, 0, 3 * sizeof(float));
	grid.tangents[8] = NAN;
	grid.tangents[13] = INFINITY;
	assert_int_equal(lrd_geometry_repair_tangents(&grid), 3);
	assert_memory_equal(grid.tangents, kept, sizeof kept);
	for (size_t v = 0; v < 4; v++)
	{
		lrd_vec3 tangent = { grid.tangents[4 * v], grid.tangents[4 * v + 1], grid.tangents[4 * v + 2] };
		assert_float_equal(lrd_vec3_length(tangent), 1.0f, 1e-6f);
		assert_float_equal(lrd_vec3_dot(tangent, vec3_at(grid.normals, v)), 0.0f, 1e-6f);
	}
}

static void sizes_of_floats_do_not_matter_to_what_is_degenerate(void **state)
{
	(void)state;
	lrd_geometry usual = scaled(1.0f);
	uint32_t dropped = lrd_geometry_drop_degenerate(&usual);
	const float sizes[] = { 0x1p-100f, 0x1p-60f, 0x1p60f, 0x1p120f };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
	{
		lrd_geometry other = scaled(sizes[i]);
		assert_int_equal(lrd_geometry_drop_degenerate(&other), dropped);
		assert_memory_equal(other.indices, usual.indices, 4 * usual.index_count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(bad_geometry_gets_unit_normals),
		GEOMETRY_TEST(bad_geometry_is_clustered_whole),
		GEOMETRY_TEST(bad_geometry_is_written_or_refused),
		GEOMETRY_TEST(zero_area_meshes_have_nothing_left),
		GEOMETRY_TEST(triangles_with_a_corner_nowhere_go_and_others_stay),
		GEOMETRY_TEST(bad_tangents_become_perpendicular_ones_and_are_counted),
		GEOMETRY_TEST(sizes_of_floats_do_not_matter_to_what_is_degenerate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
