// Tangents against the reference implementation of MikkTSpace, as the npm package "mikktspace" ships it: an
// independent judge. Skips where node or the package is missing (script/test installs it).

#include "fixtures/geometry_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#define JUDGE LRD_TEST_SOURCE_DIR "/tests/judges/mikktspace.mjs"
#define MISSING_PACKAGE 77
#define MISSING_NODE 127

static void write_floats(FILE *file, const float *values, uint32_t components, const uint32_t *indices, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		size_t vertex = indices != NULL ? indices[i] : i;
		assert_int_equal(fwrite(values + components * vertex, sizeof(float), components, file), components);
	}
}

// The reference sorts edges by vertex, but leaves the last vertex's unsorted, and then may not see that two triangles
// there are neighbours. A triangle of its own at the end of the list gives it a last vertex that has no neighbours to
// miss.
static lrd_geometry with_lone_triangle(const lrd_geometry *geometry)
{
	lrd_geometry parts[2] = { *geometry, shape_grid(geometry->arena, 1, 1) };
	parts[1].index_count = 3;
	for (uint32_t i = 0; i < 3 * parts[1].vertex_count; i++)
	{
		parts[1].positions[i] += 1000.0f;
	}
	lrd_geometry both;
	assert_true(lrd_geometry_merge(geometry->arena, parts, 2, &both, NULL));
	return both;
}

static void write_case(const char *path, lrd_geometry *geometry)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	uint32_t corners = geometry->index_count;
	assert_int_equal(fwrite(&corners, sizeof corners, 1, file), 1);
	write_floats(file, geometry->positions, 3, geometry->indices, corners);
	write_floats(file, geometry->normals, 3, geometry->indices, corners);
	write_floats(file, geometry->uv[0], 2, geometry->indices, corners);
	assert_true(lrd_geometry_tangents(geometry, 0, NULL, NULL));
	write_floats(file, geometry->tangents, 4, geometry->indices, corners);
	assert_int_equal(fclose(file), 0);
}

static void assert_judge_agrees(const char *name, const lrd_geometry *shape)
{
	char path[1024];
	char command[4096];
	snprintf(path, sizeof path, LRD_TEST_BUILD_DIR "/tangents_%s.bin", name);
	lrd_geometry geometry = with_lone_triangle(shape);
	write_case(path, &geometry);
	snprintf(command, sizeof command, "node '" JUDGE "' '%s' 2>&1", path);
	fflush(stdout);
	int status = system(command);
	assert_true(WIFEXITED(status));
	remove(path);
	if (WEXITSTATUS(status) == MISSING_PACKAGE || WEXITSTATUS(status) == MISSING_NODE)
	{
		print_message("skipped: node or the npm package mikktspace is missing\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_grid_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 40, 30);
	assert_judge_agrees("grid", &grid);
}

static void a_sphere_with_zero_area_poles_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 64, 32);
	assert_judge_agrees("sphere", &sphere);
}

static void a_cube_with_mirrored_uv_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry cube = shape_mirrored_cube(arena);
	assert_judge_agrees("cube", &cube);
}

static void an_apex_with_tangents_all_around_agrees_with_the_reference(void **state)
{
	(void)state;
	for (uint32_t segments = 3; segments < 40; segments += 9)
	{
		lrd_geometry fan = shape_fan(arena, segments);
		assert_judge_agrees("fan", &fan);
	}
}

static void grids_with_flipped_and_collapsed_uv_agree_with_the_reference(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 6; seed++)
	{
		lrd_geometry grid = shape_flipped_grid(arena, 30, 30, seed * 7919);
		assert_judge_agrees("flipped", &grid);
	}
}

static void soups_with_crowded_edges_agree_with_the_reference(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 6; seed++)
	{
		lrd_geometry soup = shape_soup(arena, 2000, 40 * seed * seed, seed * 104729);
		assert_judge_agrees("soup", &soup);
	}
}

static void a_mesh_far_from_the_origin_agrees_with_the_reference(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 25, 25);
	for (size_t i = 0; i < 3 * (size_t)grid.vertex_count; i++)
	{
		grid.positions[i] = grid.positions[i] * 1e-3f + 500.0f;
	}
	assert_judge_agrees("far", &grid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(a_grid_agrees_with_the_reference),
		GEOMETRY_TEST(a_sphere_with_zero_area_poles_agrees_with_the_reference),
		GEOMETRY_TEST(a_cube_with_mirrored_uv_agrees_with_the_reference),
		GEOMETRY_TEST(an_apex_with_tangents_all_around_agrees_with_the_reference),
		GEOMETRY_TEST(grids_with_flipped_and_collapsed_uv_agree_with_the_reference),
		GEOMETRY_TEST(soups_with_crowded_edges_agree_with_the_reference),
		GEOMETRY_TEST(a_mesh_far_from_the_origin_agrees_with_the_reference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
