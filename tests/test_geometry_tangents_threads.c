// Tangents come out the same, byte for byte, on any number of threads and with any set of vector instructions.

#include "fixtures/geometry_test.h"
#include "geometry/tangents.h"
#include "larder/jobs.h"

#include <math.h>

// Large enough to be shared out, with all that is out of the ordinary: seams, mirrored and collapsed uv, degenerate
// triangles, crowded edges, rings of many corners whose tangents point every way, values that are no numbers.
static lrd_geometry make_subject(lrd_arena *in)
{
	lrd_geometry parts[5] = { shape_flipped_grid(in, 150, 140, 31), shape_soup(in, 3000, 40, 5), shape_fan(in, 150),
		shape_fan(in, 5000), shape_sphere(in, 100, 60) };
	for (uint32_t part = 1; part < 5; part++)
	{
		for (size_t v = 0; v < parts[part].vertex_count; v++)
		{
			parts[part].positions[3 * v + 1] += 10.0f * (float)part;
		}
	}
	parts[0].normals[300] = NAN;
	parts[0].uv[0][5000] = INFINITY;
	parts[1].uv[0][77] = NAN;
	parts[1].positions[500] = 3e38f;
	lrd_geometry subject;
	assert_true(lrd_geometry_merge(in, parts, 5, &subject, NULL));
	return subject;
}

static void assert_same(const lrd_geometry *a, const lrd_geometry *b)
{
	size_t count = a->vertex_count;
	assert_int_equal(a->vertex_count, b->vertex_count);
	assert_memory_equal(a->indices, b->indices, a->index_count * sizeof *a->indices);
	assert_memory_equal(a->tangents, b->tangents, count * 16);
	assert_memory_equal(a->positions, b->positions, count * 12);
	assert_memory_equal(a->normals, b->normals, count * 12);
	assert_memory_equal(a->uv[0], b->uv[0], count * 8);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
	(void)state;
	lrd_geometry alone = make_subject(arena);
	assert_true(lrd_geometry_tangents(&alone, 0, NULL, NULL));
	const uint32_t workers[] = { 1, 2, 7 };
	for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
	{
		lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = workers[i] }, NULL);
		assert_non_null(pool);
		lrd_jobs jobs = lrd_job_pool_jobs(pool);
		lrd_geometry together = make_subject(arena);
		assert_true(lrd_geometry_tangents(&together, 0, &jobs, NULL));
		assert_same(&alone, &together);
		lrd_job_pool_destroy(pool);
	}
}

static bool refuse(void *user, lrd_job *job)
{
	(void)user;
	(void)job;
	return false;
}

static uint32_t count_workers(void *user)
{
	(void)user;
	return 4;
}

static void a_scheduler_that_refuses_all_jobs_changes_nothing(void **state)
{
	(void)state;
	lrd_jobs jobs = { .submit = refuse, .worker_count = count_workers };
	lrd_geometry alone = make_subject(arena);
	lrd_geometry refused = make_subject(arena);
	assert_true(lrd_geometry_tangents(&alone, 0, NULL, NULL));
	assert_true(lrd_geometry_tangents(&refused, 0, &jobs, NULL));
	assert_same(&alone, &refused);
}

static void every_instruction_set_gives_the_same_bytes(void **state)
{
	(void)state;
	lrd_geometry portable = make_subject(arena);
	assert_true(lrd_geometry_tangents_on(&portable, 0, NULL, LRD_ISA_PORTABLE, NULL));
	for (lrd_isa isa = LRD_ISA_PORTABLE + 1; isa < LRD_ISA_COUNT; isa++)
	{
		if (!lrd_isa_is_here(isa))
		{
			print_message("%s is not here\n", lrd_isa_name(isa));
			continue;
		}
		lrd_geometry subject = make_subject(arena);
		assert_true(lrd_geometry_tangents_on(&subject, 0, NULL, isa, NULL));
		assert_same(&portable, &subject);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(any_number_of_threads_gives_the_same_bytes),
		GEOMETRY_TEST(a_scheduler_that_refuses_all_jobs_changes_nothing),
		GEOMETRY_TEST(every_instruction_set_gives_the_same_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
