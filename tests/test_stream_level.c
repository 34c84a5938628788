// How fine a texture is worth having: what shapes whose answer is known by thought come to.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/make_mesh.h"
#include "larder/stream.h"

#include <math.h>

static void texel_to_a_pixel_is_level_0_and_each_doubling_the_next(void **state)
{
	(void)state;
	// 1000 pixels to a unit at distance 1; a texture of 1024 texels along a unit.
	assert_int_equal(lrd_stream_level(1024, 0.5f, 1000), 0);
	assert_int_equal(lrd_stream_level(1000, 1, 1000), 0);
	assert_int_equal(lrd_stream_level(1000, 1.99f, 1000), 0);
	assert_int_equal(lrd_stream_level(1000, 2, 1000), 1);
	assert_int_equal(lrd_stream_level(1000, 3.99f, 1000), 1);
	assert_int_equal(lrd_stream_level(1000, 4, 1000), 2);
	assert_int_equal(lrd_stream_level(1000, 1024, 1000), 10);
	float step = 1;
	for (uint32_t level = 0; level < 30; level++, step *= 2)
	{
		assert_int_equal(lrd_stream_level(1, step, 1), level);
		assert_int_equal(lrd_stream_level(1, nextafterf(step * 2, 0), 1), level);
	}
}

static void what_makes_no_sense_is_the_finest_or_the_coarsest_level(void **state)
{
	(void)state;
	assert_int_equal(lrd_stream_level(1024, 0, 1000), 0);
	assert_int_equal(lrd_stream_level(1024, -5, 1000), 0);
	assert_int_equal(lrd_stream_level(0, 10, 1000), 0);
	assert_int_equal(lrd_stream_level(NAN, 10, 1000), 0);
	assert_int_equal(lrd_stream_level(1024, 10, 0), 31);
	assert_int_equal(lrd_stream_level(1024, INFINITY, 1000), 31);
}

/// A quad of two triangles whose sides and uv extents are given, in whatever formats.
typedef struct quad
{
	lrd_vertex_attribute attributes[2];
	float positions[4][3];
	uint16_t quantised[4][4];
	float uvs[4][2];
	uint16_t halves[4][2];
	lrd_meshlet meshlet;
	lrd_mesh_lod lod;
	uint32_t vertices[4];
	uint8_t triangles[6];
	lrd_mesh_view view;
} quad;

static void make_quad(quad *self, float wide, float high, float u, float v)
{
	memset(self, 0, sizeof *self);
	for (uint32_t i = 0; i < 4; i++)
	{
		float x = (float)(i & 1), y = (float)(i >> 1);
		self->positions[i][0] = x * wide;
		self->positions[i][1] = y * high * 0.6f; // it leans
		self->positions[i][2] = y * high * 0.8f;
		self->uvs[i][0] = 0.25f + x * u;
		self->uvs[i][1] = y * v;
		self->vertices[i] = i;
	}
	memcpy(self->triangles, (const uint8_t[]){ 0, 1, 2, 2, 1, 3 }, 6);
	self->attributes[0] = (lrd_vertex_attribute){ LRD_VERTEX_POSITION, LRD_FORMAT_F32X3, LRD_STREAM_POSITION, 0 };
	self->attributes[1] = (lrd_vertex_attribute){ LRD_VERTEX_UV0, LRD_FORMAT_F32X2, LRD_STREAM_SURFACE, 0 };
	self->meshlet = (lrd_meshlet){ .vertex_count = 4, .triangle_count = 2 };
	self->lod = (lrd_mesh_lod){ .meshlet_count = 1, .triangle_count = 2 };
	self->view = (lrd_mesh_view){ .vertex_count = 4, .attributes = self->attributes, .attribute_count = 2 };
	self->view.streams[LRD_STREAM_POSITION] = (lrd_mesh_stream){ self->positions, 12 };
	self->view.streams[LRD_STREAM_SURFACE] = (lrd_mesh_stream){ self->uvs, 8 };
	self->view.lods = &self->lod;
	self->view.lod_count = 1;
	self->view.meshlets = &self->meshlet;
	self->view.meshlet_count = 1;
	self->view.meshlet_vertices = self->vertices;
	self->view.meshlet_vertex_count = 4;
	self->view.meshlet_triangles = self->triangles;
	self->view.meshlet_triangle_count = 2;
}

static void check_near(float value, float expected)
{
	assert_true(fabsf(value - expected) <= expected * 1e-5f);
}

static void density_is_uv_lengths_to_an_object_space_unit(void **state)
{
	(void)state;
	quad shape;
	make_quad(&shape, 1, 1, 1, 1);
	check_near(lrd_mesh_uv_density(&shape.view), 1);
	make_quad(&shape, 4, 4, 1, 1);
	check_near(lrd_mesh_uv_density(&shape.view), 0.25f);
	make_quad(&shape, 2, 2, 8, 8); // tiled
	check_near(lrd_mesh_uv_density(&shape.view), 4);
	make_quad(&shape, 8, 2, 1, 1); // stretched: the mean by area
	check_near(lrd_mesh_uv_density(&shape.view), 0.25f);
	make_quad(&shape, 2, 2, -1, 1); // mirrored
	check_near(lrd_mesh_uv_density(&shape.view), 0.5f);
}

static void density_is_the_same_of_quantised_positions_and_half_uvs(void **state)
{
	(void)state;
	quad shape;
	make_quad(&shape, 4, 5, 0.5f, 0.5f);
	float expected = lrd_mesh_uv_density(&shape.view);
	static const float scale[3] = { 4, 3, 4 };
	static const uint16_t half_quarter = 0x3400, half_three_quarters = 0x3a00, half_half = 0x3800;
	for (uint32_t i = 0; i < 4; i++)
	{
		for (uint32_t k = 0; k < 3; k++)
		{
			shape.quantised[i][k] = (uint16_t)(shape.positions[i][k] / scale[k] * 65535.0f + 0.5f);
			shape.view.position_scale[k] = scale[k];
			shape.view.position_offset[k] = 7;
		}
		shape.halves[i][0] = (i & 1) != 0 ? half_three_quarters : half_quarter;
		shape.halves[i][1] = (i >> 1) != 0 ? half_half : 0;
	}
	shape.attributes[0].format = LRD_FORMAT_UNORM16X4;
	shape.attributes[1].format = LRD_FORMAT_F16X2;
	shape.view.streams[LRD_STREAM_POSITION] = (lrd_mesh_stream){ shape.quantised, 8 };
	shape.view.streams[LRD_STREAM_SURFACE] = (lrd_mesh_stream){ shape.halves, 4 };
	check_near(lrd_mesh_uv_density(&shape.view), expected);
}

static void density_is_nothing_without_uvs_or_area(void **state)
{
	(void)state;
	quad shape;
	make_quad(&shape, 1, 1, 1, 1);
	shape.view.attribute_count = 1;
	assert_true(lrd_mesh_uv_density(&shape.view) == 0);
	make_quad(&shape, 0, 0, 1, 1);
	assert_true(lrd_mesh_uv_density(&shape.view) == 0);
	make_quad(&shape, 1, 1, 0, 0);
	assert_true(lrd_mesh_uv_density(&shape.view) == 0);
	shape.view.lod_count = 0;
	assert_true(lrd_mesh_uv_density(&shape.view) == 0);
}

static void density_of_a_whole_mesh_is_that_of_its_finest_lod(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view plain = make_mesh(arena, &(make_mesh_desc){ .quads = 16, .lods = 1 });
	lrd_mesh_view with_lods = make_mesh(arena, &(make_mesh_desc){ .quads = 16, .lods = 3 });
	assert_true(lrd_mesh_uv_density(&plain) > 0);
	assert_true(fabsf(lrd_mesh_uv_density(&plain) - lrd_mesh_uv_density(&with_lods)) < 0.001f);
	lrd_arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texel_to_a_pixel_is_level_0_and_each_doubling_the_next),
		cmocka_unit_test(what_makes_no_sense_is_the_finest_or_the_coarsest_level),
		cmocka_unit_test(density_is_uv_lengths_to_an_object_space_unit),
		cmocka_unit_test(density_is_the_same_of_quantised_positions_and_half_uvs),
		cmocka_unit_test(density_is_nothing_without_uvs_or_area),
		cmocka_unit_test(density_of_a_whole_mesh_is_that_of_its_finest_lod),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
