// How densely texture coordinates lie over a surface: shapes whose answer is known by thought, what must not sway it, and that a file
// says of itself what its reader would count.

#include "fixtures/geometry_test.h"
#include "fixtures/geometry_view.h"
#include "fixtures/mesh_density.h"

#include <float.h>

/// Adds a quad of two triangles, `wide` x `high` and leaning, over `u` x `v` of the texture, to a geometry with room for it.
static void add_quad(lrd_geometry *geometry, float wide, float high, float u, float v)
{
	uint32_t first = geometry->vertex_count;
	for (uint32_t i = 0; i < 4; i++)
	{
		float x = (float)(i & 1), y = (float)(i >> 1);
		memcpy(
			geometry->positions + 3 * (size_t)(first + i), (float[]){ x * wide, y * high * 0.6f, y * high * 0.8f }, 12);
		memcpy(geometry->uv[0] + 2 * (size_t)(first + i), (float[]){ 0.25f + x * u, y * v }, 8);
	}
	const uint32_t corners[6] = { first, first + 1, first + 2, first + 2, first + 1, first + 3 };
	memcpy(geometry->indices + geometry->index_count, corners, sizeof corners);
	geometry->vertex_count += 4;
	geometry->index_count += 6;
}

/// A geometry with room for so many quads and none of them.
static lrd_geometry make_room(uint32_t quads)
{
	lrd_geometry geometry = shape_allocate(arena, quads * 4, quads * 6);
	geometry.vertex_count = geometry.index_count = 0;
	return geometry;
}

static lrd_geometry_streams pack(lrd_geometry *geometry)
{
	lrd_geometry_streams streams;
	lrd_error error;
	geometry->tangents = shape_floats(arena, (size_t)geometry->vertex_count * 4);
	if (!lrd_geometry_pack(geometry, NULL, &streams, &error))
	{
		fail_msg("%s", error.message);
	}
	return streams;
}

static float density_of(lrd_geometry *geometry)
{
	return pack(geometry).uv_density[0];
}

static float quad_density(float wide, float high, float u, float v)
{
	lrd_geometry geometry = make_room(1);
	add_quad(&geometry, wide, high, u, v);
	return density_of(&geometry);
}

static void check_near(float value, float expected)
{
	if (!(fabsf(value - expected) <= expected * 1e-6f))
	{
		fail_msg("found %.9g, expected %.9g", (double)value, (double)expected);
	}
}

static void density_is_texels_of_one_texture_along_a_unit(void **state)
{
	(void)state;
	check_near(quad_density(1, 1, 1, 1), 1);
	check_near(quad_density(4, 4, 1, 1), 0.25f);
	check_near(quad_density(2, 2, 8, 8), 4);     // repeated
	check_near(quad_density(8, 2, 1, 1), 0.25f); // stretched one way
	check_near(quad_density(2, 2, -1, 1), 0.5f); // mirrored
	check_near(quad_density(1e-20f, 1e-20f, 1, 1), 1e20f);
	check_near(quad_density(1e30f, 1e30f, 1, 1), 1e-30f);
}

static void density_is_the_mean_over_the_surface(void **state)
{
	(void)state;
	lrd_geometry geometry = make_room(2);
	add_quad(&geometry, 1, 1, 1, 1);
	add_quad(&geometry, 1, 3, 5, 15);
	check_near(density_of(&geometry), (1.0f * 1.0f + 3.0f * 5.0f) / 4.0f);
}

static void a_few_huge_stretched_triangles_count_by_their_area(void **state)
{
	(void)state;
	lrd_geometry geometry = make_room(101);
	for (uint32_t i = 0; i < 100; i++)
	{
		add_quad(&geometry, 1, 1, 1, 1);
	}
	add_quad(&geometry, 300, 300, 0.01f, 0.01f); // 900 times the area of all the rest
	float density = density_of(&geometry);
	check_near(density, (100.0f * 1.0f + 300.0f * 0.01f) / (100.0f + 90000.0f));
}

static void a_seam_that_squeezes_the_texture_together_hardly_sways_it(void **state)
{
	(void)state;
	lrd_geometry geometry = make_room(2);
	add_quad(&geometry, 1, 1, 1, 1);
	add_quad(&geometry, 1, 0.0001f, 1, 1); // a hundred times as dense, on a ten thousandth of the surface
	check_near(density_of(&geometry), 1.01f / 1.0001f);
}

static void triangles_without_area_weigh_nothing(void **state)
{
	(void)state;
	lrd_geometry geometry = make_room(3);
	add_quad(&geometry, 2, 2, 1, 1);
	add_quad(&geometry, 0, 0, 1e18f, 1e18f);
	add_quad(&geometry, 5, 0, 1e18f, 1e18f);
	assert_true(density_of(&geometry) == quad_density(2, 2, 1, 1));
}

static void density_is_0_where_there_is_nothing_to_tell(void **state)
{
	(void)state;
	assert_true(quad_density(0, 0, 1, 1) == 0);
	assert_true(quad_density(1, 1, 0, 0) == 0);
	lrd_geometry geometry = make_room(1);
	add_quad(&geometry, 1, 1, 1, 1);
	geometry.uv[0] = NULL;
	lrd_geometry_streams streams = pack(&geometry);
	assert_true(streams.uv_density[0] == 0 && streams.uv_density[1] == 0);
	geometry.index_count = 0;
	assert_true(density_of(&geometry) == 0);
}

static void extremes_give_a_finite_number(void **state)
{
	(void)state;
	assert_true(isfinite(quad_density(1e37f, 1e37f, 1, 1)));
	check_near(quad_density(1e18f, 1e18f, FLT_MAX, FLT_MAX), FLT_MAX / 1e18f);
	assert_true(quad_density(1e-20f, 1e-20f, FLT_MAX, FLT_MAX) == 0); // more than a float can say
	assert_true(isfinite(quad_density(1e-37f, 1e-37f, 1e-37f, 1e-37f)));
	assert_true(quad_density(1, 1, NAN, INFINITY) == 0); // each is stored as 0, so that there is no area
}

static void either_set_has_its_own(void **state)
{
	(void)state;
	lrd_geometry geometry = make_room(1);
	add_quad(&geometry, 2, 2, 1, 1);
	geometry.uv[1] = shape_floats(arena, 8);
	for (size_t i = 0; i < 8; i++)
	{
		geometry.uv[1][i] = 8.0f * geometry.uv[0][i];
	}
	lrd_geometry_streams streams = pack(&geometry);
	check_near(streams.uv_density[0], 0.5f);
	check_near(streams.uv_density[1], 4.0f);
}

/// The whole way of a mesh; `step` 0: not quantised.
static void assert_file_says_what_its_reader_counts(lrd_geometry *geometry, float step)
{
	lrd_geometry_grid grid = { 0 };
	lrd_geometry_meshlets meshlets;
	lrd_geometry_streams streams;
	lrd_mesh_lod lod;
	lrd_mesh_view view;
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (step != 0.0f)
	{
		lrd_geometry_quantize(geometry, step, 1.0f, &grid);
		assert_true(grid.positions && grid.uv);
	}
	lrd_geometry_drop_degenerate(geometry);
	assert_true(lrd_geometry_tangents(geometry, 0, NULL, NULL) && lrd_geometry_weld(geometry, NULL));
	assert_true(lrd_geometry_build_meshlets(geometry, &meshlets, NULL));
	lrd_geometry_pack_desc desc = { .grid = &grid };
	assert_true(lrd_geometry_pack(geometry, &desc, &streams, &error));
	view = geometry_view(geometry, &meshlets, &streams, &lod);
	if (!lrd_mesh_write(&view, &file, &error) || !lrd_mesh_open(file.data, file.size, &view, &error))
	{
		fail_msg("%s", error.message);
	}
	for (uint32_t set = 0; set < 2; set++)
	{
		assert_true(view.uv_density[set] > 0);
		assert_true(view.uv_density[set] == mesh_density(&view, set));
	}
	lrd_buffer_free(&file);
}

static void a_file_says_what_its_reader_would_count(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed < 20; seed++)
	{
		lrd_geometry shapes[] = { shape_flipped_grid(arena, 20, 20, seed), shape_soup(arena, 50, 20, seed) };
		for (size_t i = 0; i < 2; i++)
		{
			shape_dress(arena, &shapes[i], 0);
			assert_file_says_what_its_reader_counts(&shapes[i], 0.0f);
		}
	}
}

static void of_quantised_meshes_it_is_that_of_what_is_stored(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed < 20; seed++)
	{
		lrd_geometry grid = shape_flipped_grid(arena, 20, 20, seed);
		shape_dress(arena, &grid, 0);
		assert_file_says_what_its_reader_counts(&grid, 1.0f / 256.0f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(density_is_texels_of_one_texture_along_a_unit),
		GEOMETRY_TEST(density_is_the_mean_over_the_surface),
		GEOMETRY_TEST(a_few_huge_stretched_triangles_count_by_their_area),
		GEOMETRY_TEST(a_seam_that_squeezes_the_texture_together_hardly_sways_it),
		GEOMETRY_TEST(triangles_without_area_weigh_nothing),
		GEOMETRY_TEST(density_is_0_where_there_is_nothing_to_tell),
		GEOMETRY_TEST(extremes_give_a_finite_number),
		GEOMETRY_TEST(either_set_has_its_own),
		GEOMETRY_TEST(a_file_says_what_its_reader_would_count),
		GEOMETRY_TEST(of_quantised_meshes_it_is_that_of_what_is_stored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
