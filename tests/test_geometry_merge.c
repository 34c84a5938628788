// Merging geometries and moving them by a matrix.

#include "fixtures/geometry_test.h"

static void merged_indices_point_at_their_own_parts_vertices(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { shape_grid(arena, 2, 2), shape_grid(arena, 3, 1) };
	lrd_geometry merged;
	assert_true(lrd_geometry_merge(arena, parts, 2, &merged, NULL));
	assert_int_equal(merged.vertex_count, 9 + 8);
	assert_int_equal(merged.index_count, 24 + 18);
	for (uint32_t i = 0; i < 18; i++)
	{
		uint32_t vertex = merged.indices[24 + i];
		assert_int_equal(vertex, parts[1].indices[i] + 9);
		assert_memory_equal(
			merged.positions + 3 * (size_t)vertex, parts[1].positions + 3 * (size_t)parts[1].indices[i], 12);
	}
}

static void parts_are_left_as_they_were(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { shape_grid(arena, 1, 1), shape_grid(arena, 1, 1) };
	lrd_geometry merged;
	assert_true(lrd_geometry_merge(arena, parts, 2, &merged, NULL));
	merged.positions[0] = 77.0f;
	merged.indices[0] = 3;
	assert_true(parts[0].positions[0] != 77.0f);
	assert_int_equal(parts[0].indices[0], 0);
}

static void missing_uv_is_zero_and_missing_colour_white(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { shape_grid(arena, 1, 1), shape_grid(arena, 1, 1) };
	parts[0].colors = shape_floats(arena, 16);
	parts[1].uv[0] = NULL;
	lrd_geometry merged;
	assert_true(lrd_geometry_merge(arena, parts, 2, &merged, NULL));
	for (size_t v = 4; v < 8; v++)
	{
		assert_true(merged.uv[0][2 * v] == 0.0f && merged.uv[0][2 * v + 1] == 0.0f);
		assert_true(merged.colors[4 * v] == 1.0f && merged.colors[4 * v + 3] == 1.0f);
	}
	assert_true(merged.colors[0] == 0.0f);
	assert_null(merged.uv[1]);
}

static void tangents_stay_only_when_all_have_them(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { shape_grid(arena, 1, 1), shape_grid(arena, 1, 1) };
	assert_true(lrd_geometry_any_tangents(&parts[0], NULL));
	lrd_geometry merged;
	assert_true(lrd_geometry_merge(arena, parts, 2, &merged, NULL));
	assert_null(merged.tangents);
	assert_true(lrd_geometry_any_tangents(&parts[1], NULL));
	assert_true(lrd_geometry_merge(arena, parts, 2, &merged, NULL));
	assert_non_null(merged.tangents);
}

static void missing_normals_are_made_by_the_repair(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { shape_grid(arena, 1, 1), shape_grid(arena, 1, 1) };
	parts[1].normals = NULL;
	lrd_geometry merged;
	assert_true(lrd_geometry_merge(arena, parts, 2, &merged, NULL));
	assert_int_equal(lrd_geometry_repair_normals(&merged), 4);
}

static void morph_targets_that_a_part_does_not_move_are_zero_there(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { shape_grid(arena, 1, 1), shape_grid(arena, 1, 1) };
	shape_dress(arena, &parts[0], 2);
	shape_dress(arena, &parts[1], 2);
	parts[0].morphs[1].positions = NULL;
	lrd_geometry merged;
	assert_true(lrd_geometry_merge(arena, parts, 2, &merged, NULL));
	assert_int_equal(merged.morph_count, 2);
	for (size_t i = 0; i < 12; i++)
	{
		assert_true(merged.morphs[1].positions[i] == 0.0f);
		assert_true(merged.morphs[1].positions[12 + i] == parts[1].morphs[1].positions[i]);
	}
}

static void parts_that_disagree_on_morphs_or_joints_are_refused(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { shape_grid(arena, 1, 1), shape_grid(arena, 1, 1) };
	shape_dress(arena, &parts[1], 0);
	lrd_geometry merged = { .vertex_count = 99 };
	lrd_error error;
	assert_false(lrd_geometry_merge(arena, parts, 2, &merged, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "part 1"));
	parts[1] = shape_grid(arena, 1, 1);
	parts[1].morph_count = 1;
	parts[1].morphs = &(lrd_geometry_morph){ 0 };
	assert_false(lrd_geometry_merge(arena, parts, 2, &merged, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_int_equal(merged.vertex_count, 99);
}

static void more_vertices_than_an_index_can_say_are_refused(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { { .vertex_count = 3000000000u }, { .vertex_count = 3000000000u } };
	lrd_geometry merged;
	lrd_error error;
	assert_false(lrd_geometry_merge(arena, parts, 2, &merged, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
}

static void merging_nothing_gives_nothing(void **state)
{
	(void)state;
	lrd_geometry merged;
	assert_true(lrd_geometry_merge(arena, NULL, 0, &merged, NULL));
	assert_int_equal(merged.vertex_count, 0);
	assert_int_equal(merged.index_count, 0);
}

// Columns (2, 0, 0), (0, 3, 0), (0, 0, 0.5), translation (1, 2, 3).
static const lrd_mat4 STRETCH = { { 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0.5f, 0, 1, 2, 3, 1 } };
static const lrd_mat4 MIRROR_X = { { -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };

static void normals_stay_perpendicular_under_uneven_scale(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 12, 12);
	lrd_vec3 before[12 * 12 * 2];
	assert_true(lrd_geometry_flat_normals(&grid, NULL));
	lrd_geometry_transform(&grid, &STRETCH);
	for (size_t t = 0; t < 12 * 12 * 2; t++)
	{
		before[t] = vec3_at(grid.normals, 3 * t);
		lrd_vec3 winding = winding_normal(&grid, t);
		assert_true(lrd_vec3_dot(before[t], winding) > 0.9999f);
		assert_float_equal(lrd_vec3_length(before[t]), 1.0f, 1e-6f);
	}
}

static void positions_move_by_scale_and_translation(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	grid.positions[0] = 1.0f;
	grid.positions[1] = -1.0f;
	grid.positions[2] = 4.0f;
	lrd_geometry_transform(&grid, &STRETCH);
	assert_vec3_near(vec3_at(grid.positions, 0), 3.0f, -1.0f, 5.0f);
}

static void a_mirroring_matrix_flips_the_winding_and_the_tangents_sign(void **state)
{
	(void)state;
	lrd_geometry cube = shape_mirrored_cube(arena);
	assert_true(lrd_geometry_tangents(&cube, 0, NULL, NULL));
	float sign = cube.tangents[3];
	lrd_geometry_transform(&cube, &MIRROR_X);
	assert_true(cube.tangents[3] == -sign);
	for (size_t t = 0; t < cube.index_count / 3; t++)
	{
		lrd_vec3 normal = vec3_at(cube.normals, cube.indices[3 * t]);
		assert_true(lrd_vec3_dot(winding_normal(&cube, t), normal) > 0.999f);
	}
}

static void tangents_of_a_mirrored_mesh_are_those_made_after_mirroring(void **state)
{
	(void)state;
	lrd_geometry first = shape_sphere(arena, 12, 6);
	lrd_geometry second = shape_sphere(arena, 12, 6);
	lrd_geometry_drop_degenerate(&first);
	lrd_geometry_drop_degenerate(&second);
	assert_true(lrd_geometry_tangents(&first, 0, NULL, NULL));
	lrd_geometry_transform(&first, &MIRROR_X);
	lrd_geometry_transform(&second, &MIRROR_X);
	assert_true(lrd_geometry_tangents(&second, 0, NULL, NULL));
	assert_int_equal(first.index_count, second.index_count);
	for (uint32_t i = 0; i < first.index_count; i++)
	{
		const float *a = first.tangents + 4 * (size_t)first.indices[i];
		const float *b = second.tangents + 4 * (size_t)second.indices[i];
		for (int c = 0; c < 4; c++)
		{
			assert_float_equal(a[c], b[c], 1e-4f);
		}
	}
}

static void a_flattening_matrix_leaves_usable_normals(void **state)
{
	(void)state;
	const lrd_mat4 flatten = { { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } };
	lrd_geometry cube = shape_mirrored_cube(arena);
	lrd_geometry_transform(&cube, &flatten);
	for (size_t v = 0; v < cube.vertex_count; v++)
	{
		assert_float_equal(lrd_vec3_length(vec3_at(cube.normals, v)), 1.0f, 1e-6f);
	}
}

static void a_morphed_normal_has_the_direction_it_has_after_moving(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	shape_dress(arena, &grid, 1);
	lrd_vec3 base = vec3_at(grid.normals, 0);
	lrd_vec3 delta = vec3_at(grid.morphs[0].normals, 0);
	for (int step = 0; step <= 4; step++)
	{
		float weight = 0.25f * (float)step;
		lrd_geometry moved = shape_grid(arena, 1, 1);
		shape_dress(arena, &moved, 1);
		lrd_vec3 morphed = lrd_vec3_add(base, lrd_vec3_scale(delta, weight));
		lrd_vec3 expected =
			lrd_vec3_normalize_or((lrd_vec3){ morphed.x / 2.0f, morphed.y / 3.0f, morphed.z / 0.5f }, (lrd_vec3){ 0 });
		lrd_geometry_transform(&moved, &STRETCH);
		lrd_vec3 actual =
			lrd_vec3_add(vec3_at(moved.normals, 0), lrd_vec3_scale(vec3_at(moved.morphs[0].normals, 0), weight));
		actual = lrd_vec3_normalize_or(actual, (lrd_vec3){ 0 });
		assert_vec3_near(actual, expected.x, expected.y, expected.z);
	}
}

static void morph_offsets_move_without_the_translation(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	shape_dress(arena, &grid, 1);
	lrd_geometry_transform(&grid, &STRETCH);
	assert_vec3_near(vec3_at(grid.morphs[0].positions, 0), 0.0f, 0.75f, 0.0f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(merged_indices_point_at_their_own_parts_vertices),
		GEOMETRY_TEST(parts_are_left_as_they_were),
		GEOMETRY_TEST(missing_uv_is_zero_and_missing_colour_white),
		GEOMETRY_TEST(tangents_stay_only_when_all_have_them),
		GEOMETRY_TEST(missing_normals_are_made_by_the_repair),
		GEOMETRY_TEST(morph_targets_that_a_part_does_not_move_are_zero_there),
		GEOMETRY_TEST(parts_that_disagree_on_morphs_or_joints_are_refused),
		GEOMETRY_TEST(more_vertices_than_an_index_can_say_are_refused),
		GEOMETRY_TEST(merging_nothing_gives_nothing),
		GEOMETRY_TEST(normals_stay_perpendicular_under_uneven_scale),
		GEOMETRY_TEST(positions_move_by_scale_and_translation),
		GEOMETRY_TEST(a_mirroring_matrix_flips_the_winding_and_the_tangents_sign),
		GEOMETRY_TEST(tangents_of_a_mirrored_mesh_are_those_made_after_mirroring),
		GEOMETRY_TEST(a_flattening_matrix_leaves_usable_normals),
		GEOMETRY_TEST(a_morphed_normal_has_the_direction_it_has_after_moving),
		GEOMETRY_TEST(morph_offsets_move_without_the_translation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
