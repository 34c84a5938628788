// Tangents by rule; the comparison with the reference implementation is test_geometry_tangents_judge.c.

#include "fixtures/geometry_test.h"

static const float *tangent_of_corner(const lrd_geometry *geometry, uint32_t corner)
{
	return geometry->tangents + 4 * (size_t)geometry->indices[corner];
}

static void assert_all_unit(const lrd_geometry *geometry)
{
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		const float *t = geometry->tangents + 4 * v;
		assert_float_equal(lrd_vec3_length((lrd_vec3){ t[0], t[1], t[2] }), 1.0f, 1e-4f);
		assert_true(t[3] == 1.0f || t[3] == -1.0f);
	}
}

// A square in the plane z = 0 whose picture stands upright when seen from +z: u to the right, v down.
static lrd_geometry upright_picture(void)
{
	lrd_geometry quad = shape_allocate(arena, 4, 6);
	const float positions[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
	const float uv[8] = { 0, 1, 1, 1, 1, 0, 0, 0 };
	const uint32_t indices[6] = { 0, 1, 2, 0, 2, 3 };
	memcpy(quad.positions, positions, sizeof positions);
	memcpy(quad.uv[0], uv, sizeof uv);
	memcpy(quad.indices, indices, sizeof indices);
	for (size_t v = 0; v < 4; v++)
	{
		quad.normals[3 * v + 2] = 1.0f;
	}
	return quad;
}

static void an_upright_picture_has_its_tangent_right_and_its_bitangent_up(void **state)
{
	(void)state;
	lrd_geometry quad = upright_picture();
	assert_true(lrd_geometry_tangents(&quad, 0, NULL, NULL));
	for (size_t v = 0; v < 4; v++)
	{
		const float *t = quad.tangents + 4 * v;
		lrd_vec3 tangent = { t[0], t[1], t[2] };
		assert_vec3_near(tangent, 1.0f, 0.0f, 0.0f);
		lrd_vec3 bitangent = lrd_vec3_scale(lrd_vec3_cross(vec3_at(quad.normals, v), tangent), t[3]);
		assert_vec3_near(bitangent, 0.0f, 1.0f, 0.0f);
	}
}

static void smooth_uv_split_no_vertex(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 17, 9);
	uint32_t before = grid.vertex_count;
	assert_true(lrd_geometry_tangents(&grid, 0, NULL, NULL));
	assert_int_equal(grid.vertex_count, before);
	assert_all_unit(&grid);
}

static void mirrored_halves_split_along_their_middle_line(void **state)
{
	(void)state;
	lrd_geometry cube = shape_mirrored_cube(arena);
	assert_true(lrd_geometry_tangents(&cube, 0, NULL, NULL));
	assert_int_equal(cube.vertex_count, 6 * 8); // two vertices of each face's six are shared by both halves
	for (uint32_t t = 0; t < cube.index_count / 3; t++)
	{
		float sign = t % 4 < 2 ? 1.0f : -1.0f;
		float first_sign = tangent_of_corner(&cube, 0)[3];
		for (uint32_t corner = 0; corner < 3; corner++)
		{
			assert_true(tangent_of_corner(&cube, 3 * t + corner)[3] == sign * first_sign);
		}
	}
}

static void splitting_before_or_after_welding_gives_the_same_mesh(void **state)
{
	(void)state;
	lrd_geometry shared = shape_flipped_grid(arena, 14, 14, 99);
	lrd_geometry apart = shape_flipped_grid(arena, 14, 14, 99);
	assert_true(lrd_geometry_unindex(&apart, NULL));
	assert_true(lrd_geometry_tangents(&shared, 0, NULL, NULL) && lrd_geometry_weld(&shared, NULL));
	assert_true(lrd_geometry_tangents(&apart, 0, NULL, NULL) && lrd_geometry_weld(&apart, NULL));
	assert_int_equal(shared.vertex_count, apart.vertex_count);
	assert_memory_equal(shared.indices, apart.indices, 4 * shared.index_count);
	assert_memory_equal(shared.positions, apart.positions, 12 * shared.vertex_count);
	assert_memory_equal(shared.tangents, apart.tangents, 16 * shared.vertex_count);
}

static void opposite_tangents_at_one_vertex_do_not_cancel(void **state)
{
	(void)state;
	// Two triangles that share an edge; uv make one's u run exactly against the other's with the same orientation.
	lrd_geometry pair = shape_allocate(arena, 4, 6);
	const float positions[12] = { 0, 0, 0, 0, 1, 0, 1, 0, 0, -1, 0, 0 };
	const float uv[8] = { 0, 0, 0, 1, 1, 0, 1, 0 };
	const uint32_t indices[6] = { 0, 2, 1, 0, 1, 3 };
	memcpy(pair.positions, positions, sizeof positions);
	memcpy(pair.uv[0], uv, sizeof uv);
	memcpy(pair.indices, indices, sizeof indices);
	for (size_t v = 0; v < 4; v++)
	{
		pair.normals[3 * v + 2] = 1.0f;
	}
	assert_true(lrd_geometry_tangents(&pair, 0, NULL, NULL));
	assert_all_unit(&pair);
	assert_true(tangent_of_corner(&pair, 0)[0] == 1.0f);
	assert_true(tangent_of_corner(&pair, 3)[0] == -1.0f);
}

static void a_triangle_without_uv_area_follows_its_neighbour(void **state)
{
	(void)state;
	lrd_geometry quad = upright_picture();
	quad.uv[0][6] = quad.uv[0][0]; // the second triangle's uv lie on a line
	quad.uv[0][7] = quad.uv[0][1];
	assert_true(lrd_geometry_tangents(&quad, 0, NULL, NULL));
	assert_vec3_near(
		((lrd_vec3){ tangent_of_corner(&quad, 3)[0], tangent_of_corner(&quad, 3)[1], tangent_of_corner(&quad, 3)[2] }),
		1.0f, 0.0f, 0.0f);
}

static void a_degenerate_triangle_takes_its_vertices_tangents(void **state)
{
	(void)state;
	lrd_geometry quad = upright_picture();
	quad.indices[3] = 2;
	quad.indices[4] = 1;
	quad.indices[5] = 2;
	assert_true(lrd_geometry_tangents(&quad, 0, NULL, NULL));
	for (uint32_t corner = 3; corner < 6; corner++)
	{
		assert_float_equal(tangent_of_corner(&quad, corner)[0], 1.0f, 1e-6f);
	}
}

static void uv_that_are_no_numbers_harm_only_their_own_triangles(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 6, 6);
	lrd_geometry sound = shape_grid(arena, 6, 6);
	grid.uv[0][0] = NAN; // vertex 0: the first triangle alone
	grid.uv[0][1] = INFINITY;
	assert_true(lrd_geometry_tangents(&grid, 0, NULL, NULL));
	assert_true(lrd_geometry_tangents(&sound, 0, NULL, NULL));
	assert_all_unit(&grid);
	uint32_t last = grid.index_count - 1;
	assert_memory_equal(tangent_of_corner(&grid, last), tangent_of_corner(&sound, last), 16);
}

static void hostile_numbers_give_unit_tangents(void **state)
{
	(void)state;
	const float values[8] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, 0.0f, -0.0f };
	for (uint32_t seed = 1; seed <= 40; seed++)
	{
		lrd_geometry soup = shape_soup(arena, 100, 20, seed);
		shape_random chance = { seed };
		for (int i = 0; i < 60; i++)
		{
			uint32_t vertex = shape_random_next(&chance) % soup.vertex_count;
			float value = values[shape_random_next(&chance) % 8];
			uint32_t array = shape_random_next(&chance) % 3;
			float *data = array == 0 ? soup.positions : array == 1 ? soup.normals : soup.uv[0];
			data[2 * (size_t)vertex] = value;
		}
		assert_true(lrd_geometry_tangents(&soup, 0, NULL, NULL));
		assert_all_unit(&soup);
	}
}

static void an_apex_of_many_triangles_takes_neither_stack_nor_squared_time(void **state)
{
	(void)state;
	lrd_geometry fan = shape_fan(arena, 300000);
	assert_true(lrd_geometry_tangents(&fan, 0, NULL, NULL));
	assert_all_unit(&fan);
}

static void an_edge_of_many_triangles_takes_no_squared_time(void **state)
{
	(void)state;
	const uint32_t pages = 200000;
	lrd_geometry book = shape_allocate(arena, pages + 2, 3 * pages);
	book.positions[3] = 1.0f;
	book.uv[0][2] = 1.0f;
	for (uint32_t v = 0; v < book.vertex_count; v++)
	{
		book.normals[3 * (size_t)v + 1] = 1.0f;
	}
	for (uint32_t p = 0; p < pages; p++)
	{
		book.positions[3 * (size_t)(p + 2) + 2] = 1.0f + (float)p;
		book.uv[0][2 * (size_t)(p + 2) + 1] = 1.0f + (float)p;
		memcpy(book.indices + 3 * (size_t)p, (uint32_t[]){ p % 2, 1 - p % 2, p + 2 }, 12);
	}
	assert_true(lrd_geometry_tangents(&book, 0, NULL, NULL));
	assert_all_unit(&book);
}

static void vertices_keep_their_numbers_and_new_ones_follow(void **state)
{
	(void)state;
	lrd_geometry cube = shape_mirrored_cube(arena);
	lrd_geometry before = shape_mirrored_cube(arena);
	shape_dress(arena, &cube, 1);
	shape_dress(arena, &before, 1);
	assert_true(lrd_geometry_tangents(&cube, 0, NULL, NULL));
	assert_true(cube.vertex_count > before.vertex_count);
	assert_memory_equal(cube.positions, before.positions, 12 * before.vertex_count);
	assert_memory_equal(cube.morphs[0].normals, before.morphs[0].normals, 12 * before.vertex_count);
	for (uint32_t corner = 0; corner < cube.index_count; corner++)
	{
		uint32_t is = cube.indices[corner];
		uint32_t was = before.indices[corner];
		assert_true(is == was || is >= before.vertex_count);
		assert_memory_equal(cube.positions + 3 * is, before.positions + 3 * was, 12);
		assert_memory_equal(cube.normals + 3 * is, before.normals + 3 * was, 12);
		assert_memory_equal(cube.uv[1] + 2 * is, before.uv[1] + 2 * was, 8);
		assert_memory_equal(cube.colors + 4 * is, before.colors + 4 * was, 16);
		assert_memory_equal(cube.joints + 4 * is, before.joints + 4 * was, 8);
		assert_memory_equal(cube.morphs[0].positions + 3 * is, before.morphs[0].positions + 3 * was, 12);
	}
}

static void vertices_without_triangles_stay_and_get_any_tangent(void **state)
{
	(void)state;
	lrd_geometry quad = upright_picture();
	quad.index_count = 3; // vertex 3 has no triangle
	assert_true(lrd_geometry_tangents(&quad, 0, NULL, NULL));
	assert_int_equal(quad.vertex_count, 4);
	assert_all_unit(&quad);
	assert_float_equal(quad.tangents[4 * 3 + 2], 0.0f, 1e-6f); // perpendicular to its normal
	lrd_geometry twice = upright_picture();                    // the same where equal vertices are numbered together
	memcpy(twice.positions + 3, twice.positions, 12);
	memcpy(twice.uv[0] + 2, twice.uv[0], 8);
	twice.index_count = 3;
	twice.indices[1] = 3;
	assert_true(lrd_geometry_tangents(&twice, 0, NULL, NULL));
	assert_all_unit(&twice);
}

static void corners_at_a_vertex_that_is_no_number_stand_alone(void **state)
{
	(void)state;
	lrd_geometry quad = upright_picture();
	quad.uv[0][0] = NAN; // vertex 0, of both triangles: no direction comes of it
	assert_true(lrd_geometry_tangents(&quad, 0, NULL, NULL));
	assert_all_unit(&quad);
	quad = upright_picture();
	quad.normals[0] = NAN; // no tangent in its plane; the other vertices keep theirs
	assert_true(lrd_geometry_tangents(&quad, 0, NULL, NULL));
	assert_all_unit(&quad);
	assert_float_equal(tangent_of_corner(&quad, 1)[0], 1.0f, 1e-6f);
	assert_float_equal(tangent_of_corner(&quad, 2)[0], 1.0f, 1e-6f);
}

static void the_second_uv_set_can_be_chosen(void **state)
{
	(void)state;
	lrd_geometry quad = upright_picture();
	quad.uv[1] = shape_floats(arena, 8);
	for (size_t v = 0; v < 4; v++)
	{
		quad.uv[1][2 * v] = quad.uv[0][2 * v + 1]; // turned by a quarter
		quad.uv[1][2 * v + 1] = 1.0f - quad.uv[0][2 * v];
	}
	assert_true(lrd_geometry_tangents(&quad, 1, NULL, NULL));
	assert_vec3_near(vec3_at((float[]){ quad.tangents[0], quad.tangents[1], quad.tangents[2] }, 0), 0.0f, -1.0f, 0.0f);
}

static void missing_normals_or_uv_are_refused(void **state)
{
	(void)state;
	lrd_error error;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	assert_false(lrd_geometry_tangents(&grid, 1, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	grid.normals = NULL;
	assert_false(lrd_geometry_tangents(&grid, 0, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "normals"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(an_upright_picture_has_its_tangent_right_and_its_bitangent_up),
		GEOMETRY_TEST(smooth_uv_split_no_vertex),
		GEOMETRY_TEST(mirrored_halves_split_along_their_middle_line),
		GEOMETRY_TEST(splitting_before_or_after_welding_gives_the_same_mesh),
		GEOMETRY_TEST(opposite_tangents_at_one_vertex_do_not_cancel),
		GEOMETRY_TEST(a_triangle_without_uv_area_follows_its_neighbour),
		GEOMETRY_TEST(a_degenerate_triangle_takes_its_vertices_tangents),
		GEOMETRY_TEST(uv_that_are_no_numbers_harm_only_their_own_triangles),
		GEOMETRY_TEST(hostile_numbers_give_unit_tangents),
		GEOMETRY_TEST(an_apex_of_many_triangles_takes_neither_stack_nor_squared_time),
		GEOMETRY_TEST(an_edge_of_many_triangles_takes_no_squared_time),
		GEOMETRY_TEST(vertices_keep_their_numbers_and_new_ones_follow),
		GEOMETRY_TEST(vertices_without_triangles_stay_and_get_any_tangent),
		GEOMETRY_TEST(corners_at_a_vertex_that_is_no_number_stand_alone),
		GEOMETRY_TEST(the_second_uv_set_can_be_chosen),
		GEOMETRY_TEST(missing_normals_or_uv_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
