// Which vertices have equal values: the base of tangents, smooth normals and cards.

#include "fixtures/geometry_test.h"
#include "geometry/vertices.h"
#include "larder/jobs.h"

#include <math.h>

static uint32_t *number(const float *values, uint32_t components, uint32_t count)
{
	uint32_t *first_equal = lrd_arena_alloc(arena, count * sizeof *first_equal);
	assert_non_null(first_equal);
	assert_true(
		lrd_geometry_equal_values((lrd_allocator){ 0 }, NULL, &values, &components, 1, count, first_equal, NULL));
	return first_equal;
}

static void every_vertex_gets_the_first_that_equals_it(void **state)
{
	(void)state;
	for (uint32_t components = 1; components <= 5; components++)
	{
		const uint32_t count = 600;
		float *values = shape_floats(arena, (size_t)count * components);
		shape_random chance = { 77 + components };
		for (uint32_t i = 0; i < count * components; i++)
		{
			values[i] = (float)(shape_random_next(&chance) % 4);
		}
		const uint32_t *first_equal = number(values, components, count);
		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t first = 0;
			while (memcmp(values + first * components, values + i * components, components * sizeof *values) != 0)
			{
				first++;
			}
			assert_int_equal(first_equal[i], first);
		}
	}
}

static void values_of_several_streams_are_one(void **state)
{
	(void)state;
	const float positions[6] = { 1, 2, 1, 2, 1, 2 };
	const float uv[3] = { 5, 6, 5 };
	const float *streams[2] = { positions, uv };
	const uint32_t components[2] = { 2, 1 };
	uint32_t first_equal[3];
	assert_true(lrd_geometry_equal_values((lrd_allocator){ 0 }, NULL, streams, components, 2, 3, first_equal, NULL));
	assert_int_equal(first_equal[0], 0);
	assert_int_equal(first_equal[1], 1);
	assert_int_equal(first_equal[2], 0);
}

static void zeros_of_either_sign_are_equal(void **state)
{
	(void)state;
	const float values[6] = { 0.0f, 1.0f, -0.0f, 1.0f, 1e-45f, 1.0f };
	const uint32_t *first_equal = number(values, 2, 3);
	assert_int_equal(first_equal[1], 0);
	assert_int_equal(first_equal[2], 2);
}

static void what_is_no_number_equals_nothing_and_infinities_equal_themselves(void **state)
{
	(void)state;
	const float values[6] = { NAN, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY };
	const uint32_t *first_equal = number(values, 1, 6);
	const uint32_t expected[6] = { LRD_NO_VERTEX, LRD_NO_VERTEX, 2, 3, 2, 3 };
	assert_memory_equal(first_equal, expected, sizeof expected);
}

static void no_vertices_are_numbered(void **state)
{
	(void)state;
	const float value = 0.0f;
	number(&value, 1, 0);
}

// So many values that some of them share a hash of 32 bits: some 18 pairs do.
#define MANY 400000u

static float *many_values(uint32_t copies)
{
	float *values = shape_floats(arena, 3 * (size_t)MANY * copies);
	shape_random chance = { 4711 };
	for (uint32_t i = 0; i < MANY; i++)
	{
		values[3 * (size_t)i] = (float)i;
		values[3 * (size_t)i + 1] = shape_random_float(&chance, -1.0f, 1.0f);
		values[3 * (size_t)i + 2] = shape_random_float(&chance, -1.0f, 1.0f);
	}
	for (uint32_t copy = 1; copy < copies; copy++)
	{
		memcpy(values + 3 * (size_t)MANY * copy, values, 3 * (size_t)MANY * sizeof *values);
	}
	return values;
}

static void values_that_share_a_hash_stay_apart(void **state)
{
	(void)state;
	const uint32_t *first_equal = number(many_values(3), 3, 3 * MANY);
	for (uint32_t i = 0; i < 3 * MANY; i++)
	{
		assert_int_equal(first_equal[i], i % MANY);
	}
}

static void any_number_of_threads_numbers_alike(void **state)
{
	(void)state;
	const float *values = many_values(2);
	const uint32_t components = 3;
	const uint32_t *alone = number(values, 3, 2 * MANY);
	uint32_t *together = lrd_arena_alloc(arena, 2 * MANY * sizeof *together);
	for (uint32_t workers = 1; workers <= 7; workers += 3)
	{
		lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = workers }, NULL);
		assert_non_null(pool);
		lrd_jobs jobs = lrd_job_pool_jobs(pool);
		assert_true(
			lrd_geometry_equal_values((lrd_allocator){ 0 }, &jobs, &values, &components, 1, 2 * MANY, together, NULL));
		assert_memory_equal(alone, together, 2 * MANY * sizeof *together);
		lrd_job_pool_destroy(pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(every_vertex_gets_the_first_that_equals_it),
		GEOMETRY_TEST(values_of_several_streams_are_one),
		GEOMETRY_TEST(zeros_of_either_sign_are_equal),
		GEOMETRY_TEST(what_is_no_number_equals_nothing_and_infinities_equal_themselves),
		GEOMETRY_TEST(no_vertices_are_numbered),
		GEOMETRY_TEST(values_that_share_a_hash_stay_apart),
		GEOMETRY_TEST(any_number_of_threads_numbers_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
