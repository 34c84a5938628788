// The chain of LODs on many threads.

#include "fixtures/geometry_test.h"
#include "fixtures/lod_shapes.h"

static lrd_geometry_lods build(const lrd_geometry *geometry, const lrd_geometry_lod_desc *desc)
{
	lrd_geometry_lods lods;
	lrd_error error;
	if (!lrd_geometry_build_lods(geometry, desc, &lods, &error))
	{
		fail_msg("%s", error.message);
	}
	return lods;
}

static const lrd_geometry_lod_desc usual = { .count = 8, .ratio = 0.5f, .error = 0.05f };

static void the_result_is_the_same_on_any_number_of_threads(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 160, 120); // several pieces' worth
	lod_shape_finish(&sphere);
	shape_dress(arena, &sphere, 1);
	memset(sphere.colors, 0, 4 * (size_t)sphere.vertex_count * sizeof(float));
	lrd_geometry_lods expected = build(&sphere, &usual);
	for (uint32_t workers = 1; workers <= 7; workers += 3)
	{
		lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = workers }, NULL);
		assert_non_null(pool);
		lrd_jobs jobs = lrd_job_pool_jobs(pool);
		lrd_geometry_lod_desc desc = usual;
		desc.jobs = &jobs;
		lrd_geometry_lods lods = build(&sphere, &desc);
		lrd_job_pool_destroy(pool);
		assert_int_equal(lods.count, expected.count);
		for (uint32_t level = 0; level < lods.count; level++)
		{
			assert_int_equal(lods.lods[level].index_count, expected.lods[level].index_count);
			assert_memory_equal(lods.lods[level].indices, expected.lods[level].indices,
				lods.lods[level].index_count * sizeof(uint32_t));
			assert_true(lods.lods[level].error == expected.lods[level].error);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(the_result_is_the_same_on_any_number_of_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
