// Welding, un-indexing, dropping degenerate triangles, and normals.

#include "fixtures/geometry_test.h"

static void an_unindexed_grid_welds_back_to_its_vertices(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 9, 7);
	shape_dress(arena, &grid, 2);
	lrd_geometry original = grid;
	assert_true(lrd_geometry_unindex(&grid, NULL));
	assert_int_equal(grid.vertex_count, grid.index_count);
	assert_int_equal(grid.indices[5], 5);
	assert_true(lrd_geometry_weld(&grid, NULL));
	assert_int_equal(grid.vertex_count, original.vertex_count);
	lrd_geometry fresh = shape_grid(arena, 9, 7);
	for (uint32_t i = 0; i < grid.index_count; i++)
	{
		assert_memory_equal(
			grid.positions + 3 * (size_t)grid.indices[i], fresh.positions + 3 * (size_t)fresh.indices[i], 12);
	}
}

static void welded_vertices_are_in_order_of_first_use(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 8, 5);
	assert_true(lrd_geometry_weld(&sphere, NULL));
	uint32_t next = 0;
	for (uint32_t i = 0; i < sphere.index_count; i++)
	{
		assert_true(sphere.indices[i] <= next);
		next += sphere.indices[i] == next;
	}
	assert_int_equal(next, sphere.vertex_count);
}

static void unused_vertices_go(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 4, 4);
	grid.index_count = 6;
	assert_true(lrd_geometry_weld(&grid, NULL));
	assert_int_equal(grid.vertex_count, 4);
}

// A quad of two triangles that share nothing but values; `change` alters one array of one vertex.
static uint32_t vertices_after_change(float *(*array)(lrd_geometry *geometry), float value)
{
	lrd_geometry quad = shape_grid(arena, 1, 1);
	shape_dress(arena, &quad, 1);
	assert_true(lrd_geometry_unindex(&quad, NULL));
	assert_true(lrd_geometry_any_tangents(&quad, NULL));
	array(&quad)[0] = value;
	assert_true(lrd_geometry_weld(&quad, NULL));
	return quad.vertex_count;
}

static float *corner_1_position(lrd_geometry *geometry)
{
	return geometry->positions + 3;
}
static float *corner_1_normal(lrd_geometry *geometry)
{
	return geometry->normals + 3;
}
static float *corner_1_tangent(lrd_geometry *geometry)
{
	return geometry->tangents + 4;
}
static float *corner_1_uv0(lrd_geometry *geometry)
{
	return geometry->uv[0] + 2;
}
static float *corner_1_uv1(lrd_geometry *geometry)
{
	return geometry->uv[1] + 2;
}
static float *corner_1_color(lrd_geometry *geometry)
{
	return geometry->colors + 7;
}
static float *corner_1_weight(lrd_geometry *geometry)
{
	return geometry->weights + 7;
}
static float *corner_1_morph(lrd_geometry *geometry)
{
	return geometry->morphs[0].tangents + 5;
}

static void a_difference_in_any_attribute_keeps_vertices_apart(void **state)
{
	(void)state;
	float *(*const arrays[])(lrd_geometry *) = { corner_1_position, corner_1_normal, corner_1_tangent, corner_1_uv0,
		corner_1_uv1, corner_1_color, corner_1_weight, corner_1_morph };
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
	{
		assert_int_equal(vertices_after_change(arrays[i], 0.6180339f), 5);
	}
}

static void zeros_of_different_sign_are_different_bits(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	assert_true(lrd_geometry_unindex(&grid, NULL));
	assert_true(grid.uv[0][2] == 0.0f); // corner 1, shared with corner 4
	grid.uv[0][2] = -0.0f;
	assert_true(lrd_geometry_weld(&grid, NULL));
	assert_int_equal(grid.vertex_count, 5);
}

static void equal_bits_that_are_no_number_weld(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	grid.uv[0][2] = NAN;
	assert_true(lrd_geometry_unindex(&grid, NULL));
	assert_true(lrd_geometry_weld(&grid, NULL));
	assert_int_equal(grid.vertex_count, 4);
}

static void welding_twice_changes_nothing(void **state)
{
	(void)state;
	lrd_geometry soup = shape_soup(arena, 500, 30, 5);
	assert_true(lrd_geometry_weld(&soup, NULL));
	uint32_t count = soup.vertex_count;
	uint32_t first[1500];
	memcpy(first, soup.indices, sizeof first);
	assert_true(lrd_geometry_weld(&soup, NULL));
	assert_int_equal(soup.vertex_count, count);
	assert_memory_equal(soup.indices, first, sizeof first);
}

static void an_empty_geometry_welds_to_nothing(void **state)
{
	(void)state;
	lrd_geometry empty = shape_allocate(arena, 0, 0);
	assert_true(lrd_geometry_weld(&empty, NULL));
	assert_int_equal(empty.vertex_count, 0);
	assert_int_equal(lrd_geometry_drop_degenerate(&empty), 0);
}

// One triangle with these corners along x, the third lifted by `height`.
static uint32_t dropped_of(float a, float b, float c, float height)
{
	lrd_geometry one = shape_allocate(arena, 3, 3);
	one.positions[0] = a;
	one.positions[3] = b;
	one.positions[6] = c;
	one.positions[7] = height;
	memcpy(one.indices, (uint32_t[]){ 0, 1, 2 }, 12);
	return lrd_geometry_drop_degenerate(&one);
}

static void triangles_without_area_are_dropped(void **state)
{
	(void)state;
	assert_int_equal(dropped_of(0.0f, 1.0f, 2.0f, 0.0f), 1);
	assert_int_equal(dropped_of(0.0f, 0.0f, 2.0f, 0.0f), 1);
	assert_int_equal(dropped_of(1e-30f, 2e-30f, 3e-30f, 0.0f), 1);
	assert_int_equal(dropped_of(NAN, 1.0f, 2.0f, 1.0f), 1);
	assert_int_equal(dropped_of(INFINITY, 1.0f, 2.0f, 1.0f), 1);
}

static void thin_and_tiny_triangles_stay(void **state)
{
	(void)state;
	assert_int_equal(dropped_of(0.0f, 1.0f, 0.5f, 1e-6f), 0);
	assert_int_equal(dropped_of(0.0f, 1e-20f, 0.0f, 1e-20f), 0);
	assert_int_equal(dropped_of(0.0f, 1e20f, 0.0f, 1e20f), 0);
}

static void the_order_of_kept_triangles_stays(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 3, 1);
	grid.indices[4] = grid.indices[3]; // the second of six
	const uint32_t third[3] = { grid.indices[6], grid.indices[7], grid.indices[8] };
	assert_int_equal(lrd_geometry_drop_degenerate(&grid), 1);
	assert_int_equal(grid.index_count, 15);
	assert_memory_equal(grid.indices + 3, third, sizeof third);
}

static void flat_normals_are_those_of_the_winding(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 10, 6);
	lrd_geometry_drop_degenerate(&sphere);
	sphere.normals = NULL;
	assert_true(lrd_geometry_flat_normals(&sphere, NULL));
	assert_int_equal(sphere.vertex_count, sphere.index_count);
	for (size_t t = 0; t < sphere.index_count / 3; t++)
	{
		lrd_vec3 winding = winding_normal(&sphere, t);
		for (size_t corner = 0; corner < 3; corner++)
		{
			assert_vec3_near(vec3_at(sphere.normals, 3 * t + corner), winding.x, winding.y, winding.z);
		}
	}
}

static void smooth_normals_of_a_sphere_point_outwards_across_the_seam(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 48, 24);
	sphere.normals = NULL;
	assert_true(lrd_geometry_smooth_normals(&sphere, NULL, NULL));
	assert_int_equal(sphere.vertex_count, 49 * 25);
	for (size_t v = 0; v < sphere.vertex_count; v++)
	{
		assert_true(lrd_vec3_dot(vec3_at(sphere.normals, v), vec3_at(sphere.positions, v)) > 0.9995f);
	}
	for (size_t r = 0; r <= 24; r++)
	{
		assert_memory_equal(sphere.normals + 3 * 49 * r, sphere.normals + 3 * (49 * r + 48), 12);
	}
}

static void smooth_normals_do_not_depend_on_how_a_face_is_cut(void **state)
{
	(void)state;
	// A cube's corner touches three faces, two of them by one triangle and one by two: the angle weights even that out.
	lrd_geometry cube = shape_mirrored_cube(arena);
	assert_true(lrd_geometry_smooth_normals(&cube, NULL, NULL));
	const float third = 0.57735027f;
	for (size_t v = 0; v < cube.vertex_count; v++)
	{
		lrd_vec3 p = vec3_at(cube.positions, v);
		if (p.x * p.y * p.z != 0.0f) // a corner, not the middle of an edge
		{
			lrd_vec3 normal = vec3_at(cube.normals, v);
			assert_true(lrd_vec3_dot(normal, p) * third > 0.95f);
		}
	}
}

static void bad_normals_become_their_triangles(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 16, 8);
	lrd_vec3 good = vec3_at(sphere.normals, 60);
	sphere.normals[3 * 40] = sphere.normals[3 * 40 + 1] = sphere.normals[3 * 40 + 2] = 0.0f;
	sphere.normals[3 * 50 + 1] = NAN;
	sphere.normals[3 * 55 + 2] = INFINITY;
	sphere.normals[3 * 60] *= 40.0f;
	sphere.normals[3 * 60 + 1] *= 40.0f;
	sphere.normals[3 * 60 + 2] *= 40.0f;
	assert_int_equal(lrd_geometry_repair_normals(&sphere), 3);
	for (size_t v = 0; v < sphere.vertex_count; v++)
	{
		assert_float_equal(lrd_vec3_length(vec3_at(sphere.normals, v)), 1.0f, 1e-5f);
		assert_true(lrd_vec3_dot(vec3_at(sphere.normals, v), vec3_at(sphere.positions, v)) > 0.8f);
	}
	assert_vec3_near(vec3_at(sphere.normals, 60), good.x, good.y, good.z);
	assert_int_equal(lrd_geometry_repair_normals(&sphere), 0);
}

static void unit_normals_keep_their_bits(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 20, 20);
	lrd_geometry same = shape_grid(arena, 20, 20);
	assert_int_equal(lrd_geometry_repair_normals(&grid), 0);
	assert_memory_equal(grid.normals, same.normals, 12 * grid.vertex_count);
}

static void any_tangents_are_unit_and_perpendicular(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 31, 17);
	assert_true(lrd_geometry_any_tangents(&sphere, NULL));
	for (size_t v = 0; v < sphere.vertex_count; v++)
	{
		const float *t = sphere.tangents + 4 * v;
		lrd_vec3 tangent = { t[0], t[1], t[2] };
		assert_float_equal(lrd_vec3_length(tangent), 1.0f, 1e-5f);
		assert_float_equal(lrd_vec3_dot(tangent, vec3_at(sphere.normals, v)), 0.0f, 1e-5f);
		assert_true(t[3] == 1.0f);
	}
	sphere.normals = NULL;
	lrd_error error;
	assert_false(lrd_geometry_any_tangents(&sphere, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(an_unindexed_grid_welds_back_to_its_vertices),
		GEOMETRY_TEST(welded_vertices_are_in_order_of_first_use),
		GEOMETRY_TEST(unused_vertices_go),
		GEOMETRY_TEST(a_difference_in_any_attribute_keeps_vertices_apart),
		GEOMETRY_TEST(zeros_of_different_sign_are_different_bits),
		GEOMETRY_TEST(equal_bits_that_are_no_number_weld),
		GEOMETRY_TEST(welding_twice_changes_nothing),
		GEOMETRY_TEST(an_empty_geometry_welds_to_nothing),
		GEOMETRY_TEST(triangles_without_area_are_dropped),
		GEOMETRY_TEST(thin_and_tiny_triangles_stay),
		GEOMETRY_TEST(the_order_of_kept_triangles_stays),
		GEOMETRY_TEST(flat_normals_are_those_of_the_winding),
		GEOMETRY_TEST(smooth_normals_of_a_sphere_point_outwards_across_the_seam),
		GEOMETRY_TEST(smooth_normals_do_not_depend_on_how_a_face_is_cut),
		GEOMETRY_TEST(bad_normals_become_their_triangles),
		GEOMETRY_TEST(unit_normals_keep_their_bits),
		GEOMETRY_TEST(any_tangents_are_unit_and_perpendicular),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
