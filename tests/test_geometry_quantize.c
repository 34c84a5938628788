// Positions on a grid and texture coordinates as half floats: what is stored is what was measured.

#include "fixtures/geometry_test.h"
#include "fixtures/geometry_view.h"

#include "geometry/clusters.h"

#include <float.h>

#define USUAL_ERROR (1.0f / 16384.0f)

static float side_of(const lrd_geometry *geometry)
{
	lrd_bounds box = lrd_bounds_of(geometry->positions, geometry->vertex_count, 12);
	return fmaxf(box.max.x - box.min.x, fmaxf(box.max.y - box.min.y, box.max.z - box.min.z));
}

static float *copied(const float *values, size_t count)
{
	float *copy = shape_floats(arena, count);
	memcpy(copy, values, count * sizeof *copy);
	return copy;
}

// A soup that is somewhere, of some size.
static lrd_geometry placed_soup(uint32_t seed, float size, float distance)
{
	lrd_geometry soup = shape_soup(arena, 400, 1200, seed);
	shape_random random = { seed * 7919u };
	const float at[3] = { shape_random_float(&random, -distance, distance),
		shape_random_float(&random, -distance, distance), shape_random_float(&random, -distance, distance) };
	for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i++)
	{
		soup.positions[i] = soup.positions[i] * size + at[i % 3];
	}
	return soup;
}

static lrd_geometry_streams pack(const lrd_geometry *geometry, const lrd_geometry_grid *grid)
{
	lrd_geometry_streams streams;
	lrd_error error;
	if (!lrd_geometry_pack(geometry, &(lrd_geometry_pack_desc){ .grid = grid }, &streams, &error))
	{
		fail_msg("%s", error.message);
	}
	return streams;
}

static void a_step_is_the_largest_power_of_two_within_the_error(void **state)
{
	(void)state;
	shape_random random = { 12345 };
	for (uint32_t i = 0; i < 10000; i++)
	{
		float side = ldexpf(shape_random_float(&random, 0.5f, 1.0f), (int)(shape_random_next(&random) % 160) - 80);
		float error = ldexpf(shape_random_float(&random, 0.5f, 1.0f), -(int)(shape_random_next(&random) % 20));
		float step = lrd_geometry_grid_step(side, error);
		int exponent = 0;
		assert_true(frexpf(step, &exponent) == 0.5f);
		assert_true(0.5 * (double)step <= (double)error * (double)side);
		assert_true((double)step > (double)error * (double)side);
	}
	assert_true(lrd_geometry_grid_step(1.0f, USUAL_ERROR) == 1.0f / 8192.0f);
}

static void a_size_without_a_step_has_none(void **state)
{
	(void)state;
	const float bad[] = { 0.0f, -1.0f, NAN, INFINITY, -INFINITY, FLT_MIN };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
	{
		assert_true(lrd_geometry_grid_step(bad[i], USUAL_ERROR) == 0.0f);
		assert_true(i == 5 || lrd_geometry_grid_step(1.0f, bad[i]) == 0.0f);
	}
	assert_true(lrd_geometry_grid_step(FLT_MAX, 1.0f) == 0.0f);
	assert_true(isfinite(65535.0f * lrd_geometry_grid_step(FLT_MAX, USUAL_ERROR)));
}

// A vertex of the position stream, as a processor does it: the integer over 65535, then scale, then offset.
static void decode(const lrd_geometry_streams *streams, size_t v, float position[3])
{
	const uint16_t *cells = (const uint16_t *)streams->streams[LRD_STREAM_POSITION].data + 4 * v;
	for (int axis = 0; axis < 3; axis++)
	{
		float value = (float)cells[axis] / 65535.0f;
		float scaled = value * streams->position_scale[axis];
		position[axis] = scaled + streams->position_offset[axis];
	}
	assert_int_equal(cells[3], 0);
}

static void positions_decode_to_the_last_bit(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 60; seed++)
	{
		float size = ldexpf(1.0f, (int)(seed % 40) - 20);
		lrd_geometry soup = placed_soup(seed, size, size * (float)(1u << seed % 12));
		float *before = copied(soup.positions, 3 * (size_t)soup.vertex_count);
		float step = lrd_geometry_grid_step(side_of(&soup), USUAL_ERROR);
		lrd_geometry_grid grid;
		lrd_geometry_quantize(&soup, step, -1.0f, &grid);
		assert_true(grid.positions && !grid.uv && grid.step == step);
		assert_true(lrd_geometry_any_tangents(&soup, NULL));
		lrd_geometry_streams streams = pack(&soup, &grid);
		assert_int_equal(streams.streams[LRD_STREAM_POSITION].stride, 8);
		double largest = 0.0;
		for (size_t v = 0; v < soup.vertex_count; v++)
		{
			float position[3];
			decode(&streams, v, position);
			assert_memory_equal(position, soup.positions + 3 * v, 12);
			double squared = 0.0;
			for (size_t axis = 0; axis < 3; axis++)
			{
				double moved = (double)position[axis] - (double)before[3 * v + axis];
				assert_true(fabs(moved) <= 0.5 * (double)step);
				squared += moved * moved;
			}
			largest = fmax(largest, sqrt(squared));
		}
		assert_true(largest <= (double)grid.position_error);
		assert_true(largest >= (double)grid.position_error * (1.0 - 1e-6));
		assert_in_range(grid.bits, 13, 15);
	}
}

static void bits_are_those_of_the_largest_cell(void **state)
{
	(void)state;
	for (uint32_t bits = 1; bits <= 16; bits++)
	{
		for (uint32_t top = bits == 1 ? 0 : 1u << (bits - 1); top < 1u << bits;
			 top += (1u << bits) - 1 - top ? (1u << bits) - 1 - top : 1)
		{
			lrd_geometry one = shape_allocate(arena, 3, 3);
			one.positions[4] = (float)top * 0.25f;
			lrd_geometry_grid grid;
			lrd_geometry_quantize(&one, 0.25f, 0.0f, &grid);
			assert_true(grid.positions && grid.position_error == 0.0f);
			assert_int_equal(grid.bits, bits);
		}
	}
}

static void what_16_bits_do_not_reach_stays(void **state)
{
	(void)state;
	lrd_geometry far = shape_allocate(arena, 3, 3);
	far.positions[3] = 65535.0f;
	far.positions[6] = 0.3f;
	lrd_geometry_grid grid;
	lrd_geometry_quantize(&far, 1.0f, 0.0f, &grid);
	assert_true(grid.positions && far.positions[6] == 0.0f);
	far.positions[3] = 65536.0f;
	far.positions[6] = 0.3f;
	lrd_geometry_quantize(&far, 1.0f, 0.0f, &grid);
	assert_true(!grid.positions && far.positions[6] == 0.3f && grid.step == 0.0f && grid.bits == 0);
}

static void positions_stay_without_a_usable_step_or_numbers(void **state)
{
	(void)state;
	const float steps[] = { 0.0f, -1.0f, NAN, INFINITY, 0.75f, 1e-40f };
	lrd_geometry soup = placed_soup(4, 1.0f, 1.0f);
	float *before = copied(soup.positions, 3 * (size_t)soup.vertex_count);
	lrd_geometry_grid grid;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
	{
		lrd_geometry_quantize(&soup, steps[i], 1.0f, &grid);
		assert_true(!grid.positions && grid.uv);
		assert_memory_equal(before, soup.positions, 12 * soup.vertex_count);
	}
	soup.positions[700] = NAN;
	lrd_geometry_quantize(&soup, 0.25f, 1.0f, &grid);
	assert_false(grid.positions);
	assert_memory_equal(before, soup.positions, 2800);
	lrd_geometry empty = shape_allocate(arena, 0, 0);
	lrd_geometry_quantize(&empty, 0.25f, 1.0f, &grid);
	assert_false(grid.positions);
}

static void clusters_of_one_step_meet_without_gaps(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 60, 40);
	for (size_t i = 0; i < 3 * (size_t)sphere.vertex_count; i++)
	{
		sphere.positions[i] = sphere.positions[i] * 3.7f + 11.3f;
	}
	assert_true(lrd_geometry_any_tangents(&sphere, NULL));
	float step = lrd_geometry_grid_step(side_of(&sphere), USUAL_ERROR);
	lrd_geometry_clusters clusters;
	assert_true(
		lrd_geometry_cluster(&sphere, &(lrd_geometry_cluster_desc){ .target_triangles = 200 }, arena, &clusters, NULL));
	lrd_geometry_grid grid;
	lrd_geometry whole = sphere;
	whole.positions = copied(sphere.positions, 3 * (size_t)sphere.vertex_count);
	lrd_geometry_quantize(&whole, step, -1.0f, &grid);
	for (uint32_t c = 0; c < clusters.count; c++)
	{
		const uint32_t *triangles = clusters.triangles + clusters.offsets[c];
		lrd_geometry part;
		assert_true(lrd_geometry_extract(
			&sphere, triangles, clusters.offsets[c + 1] - clusters.offsets[c], arena, &part, NULL));
		lrd_geometry_quantize(&part, step, -1.0f, &grid);
		assert_true(grid.positions);
		lrd_geometry_streams streams = pack(&part, &grid);
		for (uint32_t i = 0; i < part.index_count; i++)
		{
			float position[3];
			decode(&streams, part.indices[i], position);
			uint32_t original = whole.indices[3 * (size_t)triangles[i / 3] + i % 3];
			assert_memory_equal(position, whole.positions + 3 * (size_t)original, 12);
		}
	}
}

// IEEE 754 binary16.
static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	int mantissa = bits & 1023;
	double size = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);
	return (bits & 0x8000) != 0 ? -size : size;
}

static uint16_t packed_half(float value, float uv_error)
{
	lrd_geometry one = shape_allocate(arena, 3, 3);
	one.uv[0][1] = value;
	lrd_geometry_grid grid;
	lrd_geometry_quantize(&one, 0.0f, uv_error, &grid);
	assert_true(grid.uv);
	assert_true(lrd_geometry_any_tangents(&one, NULL));
	lrd_geometry_streams streams = pack(&one, &grid);
	const lrd_mesh_stream *surface = &streams.streams[LRD_STREAM_SURFACE];
	assert_int_equal(surface->stride, 16);
	uint16_t uv[2];
	memcpy(uv, (const uint8_t *)surface->data + 8, 4);
	assert_int_equal(uv[0], 0);
	assert_true((double)one.uv[0][1] == half_value(uv[1]));
	assert_true(isnan(value) || fabs((double)one.uv[0][1] - (double)value) <= (double)grid.uv_error);
	lrd_arena_reset(arena);
	return uv[1];
}

static void every_half_float_keeps_its_bits(void **state)
{
	(void)state;
	for (uint32_t bits = 0; bits < 65536; bits++)
	{
		if ((bits & 0x7C00u) != 0x7C00u)
		{
			assert_int_equal(packed_half((float)half_value((uint16_t)bits), 0.0f), bits);
		}
	}
}

static void coordinates_become_the_nearest_half_float_ties_to_even(void **state)
{
	(void)state;
	shape_random random = { 99 };
	for (uint32_t i = 0; i < 20000; i++)
	{
		uint16_t below = (uint16_t)(shape_random_next(&random) % 0x7BFFu);
		double low = half_value(below);
		double high = half_value((uint16_t)(below + 1));
		double part = i % 4 == 0 ? 0.5 : (double)shape_random_float(&random, 0.0f, 1.0f);
		float value = (float)(low + part * (high - low));
		double to_low = (double)value - low;
		double to_high = high - (double)value;
		uint16_t nearest = to_low < to_high || (to_low == to_high && below % 2 == 0) ? below : (uint16_t)(below + 1);
		assert_int_equal(packed_half(value, 1e9f), nearest);
		assert_int_equal(packed_half(-value, 1e9f), nearest | 0x8000);
	}
	assert_int_equal(packed_half(ldexpf(1.0f, -25), 1.0f), 0);
	assert_int_equal(packed_half(ldexpf(1.001f, -25), 1.0f), 1);
	assert_int_equal(packed_half(FLT_MIN * 0.5f, 1.0f), 0);
	assert_int_equal(packed_half(65519.0f, 100.0f), 0x7BFF);
	assert_int_equal(packed_half(NAN, 0.0f), 0);
}

static void coordinates_that_would_change_too_much_stay(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 50, 50);
	float *before = copied(grid.uv[0], 2 * (size_t)grid.vertex_count);
	lrd_geometry_grid done;
	lrd_geometry_quantize(&grid, 0.0f, 1e-6f, &done);
	assert_true(!done.uv && done.uv_error == 0.0f);
	assert_memory_equal(before, grid.uv[0], 8 * grid.vertex_count);
	grid.uv[0][9] = 65520.0f; // halfway to what would follow the largest
	lrd_geometry_quantize(&grid, 0.0f, FLT_MAX, &done);
	assert_false(done.uv);
	grid.uv[0][9] = 0.0f;
	lrd_geometry_quantize(&grid, 0.0f, 1.0f / 4096.0f, &done);
	assert_true(done.uv && done.uv_error > 0.0f && done.uv_error <= 1.0f / 4096.0f);
	grid.uv[0] = NULL;
	lrd_geometry_quantize(&grid, 0.0f, 0.0f, &done);
	assert_true(done.uv);
}

static void a_position_off_the_grid_is_refused_by_name(void **state)
{
	(void)state;
	lrd_geometry soup = placed_soup(3, 1.0f, 1.0f);
	assert_true(lrd_geometry_any_tangents(&soup, NULL));
	lrd_geometry_grid grid;
	lrd_geometry_quantize(&soup, 1.0f / 4096.0f, 1.0f, &grid);
	const float moved[] = { grid.offset[1] - grid.step, grid.offset[1] + 65536.0f * grid.step,
		grid.offset[1] + 0.5f * grid.step };
	for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
	{
		soup.positions[3 * 17 + 1] = moved[i];
		lrd_geometry_streams streams;
		lrd_error error;
		assert_false(lrd_geometry_pack(&soup, &(lrd_geometry_pack_desc){ .grid = &grid }, &streams, &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
		assert_non_null(strstr(error.message, "vertex 17"));
	}
}

// Box, spheres and all, in each of the four ways: the reader says they hold, and so do decoded positions.
static void quantised_meshes_pass_the_reader_within_their_bounds(void **state)
{
	(void)state;
	for (uint32_t way = 0; way < 4; way++)
	{
		lrd_geometry soup = placed_soup(20 + way, 2.5f, 9.0f);
		shape_dress(arena, &soup, 2);
		assert_true(lrd_geometry_any_tangents(&soup, NULL));
		lrd_geometry_grid grid;
		float step = lrd_geometry_grid_step(side_of(&soup), USUAL_ERROR);
		lrd_geometry_quantize(&soup, (way & 1) != 0 ? step : 0.0f, (way & 2) != 0 ? 1.0f : -1.0f, &grid);
		assert_true(grid.positions == ((way & 1) != 0) && grid.uv == ((way & 2) != 0));
		lrd_geometry_drop_degenerate(&soup);
		assert_true(lrd_geometry_weld(&soup, NULL));
		lrd_geometry_meshlets meshlets;
		assert_true(lrd_geometry_build_meshlets(&soup, &meshlets, NULL));
		lrd_geometry_streams streams = pack(&soup, &grid);
		lrd_mesh_lod lod;
		lrd_mesh_view mesh = geometry_view(&soup, &meshlets, &streams, &lod);
		lrd_buffer file = { 0 };
		lrd_error error;
		if (!lrd_mesh_write(&mesh, &file, &error))
		{
			fail_msg("%s", error.message);
		}
		lrd_buffer_free(&file);
		for (uint32_t m = 0; grid.positions && m < meshlets.meshlet_count; m++)
		{
			const lrd_meshlet *meshlet = &meshlets.meshlets[m];
			for (uint32_t v = 0; v < meshlet->vertex_count; v++)
			{
				float p[3];
				decode(&streams, meshlets.vertices[meshlet->vertex_offset + v], p);
				const float *low = &streams.bounds.min.x;
				const float *high = &streams.bounds.max.x;
				double squared = 0.0;
				for (int axis = 0; axis < 3; axis++)
				{
					assert_true(p[axis] >= low[axis] && p[axis] <= high[axis]);
					double distance = (double)p[axis] - (double)meshlet->centre[axis];
					squared += distance * distance;
				}
				assert_true(sqrt(squared) <= (double)meshlet->radius);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(a_step_is_the_largest_power_of_two_within_the_error),
		GEOMETRY_TEST(a_size_without_a_step_has_none),
		GEOMETRY_TEST(positions_decode_to_the_last_bit),
		GEOMETRY_TEST(bits_are_those_of_the_largest_cell),
		GEOMETRY_TEST(what_16_bits_do_not_reach_stays),
		GEOMETRY_TEST(positions_stay_without_a_usable_step_or_numbers),
		GEOMETRY_TEST(clusters_of_one_step_meet_without_gaps),
		GEOMETRY_TEST(every_half_float_keeps_its_bits),
		GEOMETRY_TEST(coordinates_become_the_nearest_half_float_ties_to_even),
		GEOMETRY_TEST(coordinates_that_would_change_too_much_stay),
		GEOMETRY_TEST(a_position_off_the_grid_is_refused_by_name),
		GEOMETRY_TEST(quantised_meshes_pass_the_reader_within_their_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
