// The job pool: every job once, in order, jobs that submit jobs, waiting, and ending.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "larder/jobs.h"
#include "os/os.h"
#include "os_scratch.h"

#define MANY 100000

typedef struct counted_job
{
	lrd_job job; // first, so that a job is its counted_job
	atomic_int runs;
} counted_job;

static void count_run(lrd_job *job)
{
	atomic_fetch_add(&((counted_job *)job)->runs, 1);
}

static void many_jobs_all_run_once_on_any_number_of_workers(void **state)
{
	(void)state;
	counted_job *many = calloc(MANY, sizeof *many);
	assert_non_null(many);
	for (uint32_t workers = 1; workers <= 8; workers++)
	{
		lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = workers }, NULL);
		assert_non_null(pool);
		lrd_jobs jobs = lrd_job_pool_jobs(pool);
		assert_int_equal(jobs.worker_count(jobs.user), workers);
		for (int i = 0; i < MANY; i++)
		{
			many[i].job = (lrd_job){ .run = count_run };
			assert_true(jobs.submit(jobs.user, &many[i].job));
		}
		jobs.wait(jobs.user);
		for (int i = 0; i < MANY; i++)
		{
			assert_int_equal(atomic_load(&many[i].runs), (int)workers);
		}
		lrd_job_pool_destroy(pool);
	}
	free(many);
}

typedef struct tree_job
{
	lrd_job job;
	lrd_jobs jobs;
	int depth;
	atomic_int *count;
} tree_job;

static void grow(lrd_job *job);

static void plant(lrd_jobs jobs, int depth, atomic_int *count)
{
	tree_job *seed = malloc(sizeof *seed);
	if (seed == NULL)
	{
		abort();
	}
	*seed = (tree_job){ .job = { .run = grow }, .jobs = jobs, .depth = depth, .count = count };
	if (!jobs.submit(jobs.user, &seed->job))
	{
		abort();
	}
}

static void grow(lrd_job *job)
{
	tree_job self = *(tree_job *)job;
	free(job);
	atomic_fetch_add(self.count, 1);
	if (self.depth > 0)
	{
		plant(self.jobs, self.depth - 1, self.count);
		plant(self.jobs, self.depth - 1, self.count);
	}
}

static void waiting_covers_jobs_that_jobs_submitted(void **state)
{
	(void)state;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 4 }, NULL);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	jobs.wait(jobs.user); // nothing to wait for
	for (int round = 0; round < 3; round++)
	{
		atomic_int count = 0;
		plant(jobs, 12, &count);
		jobs.wait(jobs.user);
		assert_int_equal(atomic_load(&count), (1 << 13) - 1);
	}
	lrd_job_pool_destroy(pool);
}

static void destroying_runs_what_is_still_queued(void **state)
{
	(void)state;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 3 }, NULL);
	atomic_int count = 0;
	plant(lrd_job_pool_jobs(pool), 10, &count);
	lrd_job_pool_destroy(pool);
	assert_int_equal(atomic_load(&count), (1 << 11) - 1);
	lrd_job_pool_destroy(NULL);
}

typedef struct ordered_job
{
	lrd_job job;
	int number;
	int *next; // touched by one worker only
	bool *in_order;
} ordered_job;

static void check_order(lrd_job *job)
{
	ordered_job *self = (ordered_job *)job;
	*self->in_order = *self->in_order && *self->next == self->number;
	(*self->next)++;
}

static void one_worker_runs_jobs_first_in_first_out(void **state)
{
	(void)state;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 1 }, NULL);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	static ordered_job ordered[1000];
	int next = 0;
	bool in_order = true;
	for (int i = 0; i < 1000; i++)
	{
		ordered[i] = (ordered_job){ .job = { .run = check_order }, .number = i, .next = &next, .in_order = &in_order };
		assert_true(jobs.submit(jobs.user, &ordered[i].job));
	}
	jobs.wait(jobs.user);
	assert_int_equal(next, 1000);
	assert_true(in_order);
	lrd_job_pool_destroy(pool);
}

typedef struct gate
{
	lrd_job job;
	atomic_bool *open;
	atomic_int *inside;
	int expected;
} gate;

static void meet(lrd_job *job)
{
	gate *self = (gate *)job;
	atomic_fetch_add(self->inside, 1);
	while (atomic_load(self->inside) < self->expected || !atomic_load(self->open))
	{
		usleep(100);
	}
}

static void as_many_jobs_run_at_once_as_there_are_workers_and_none_inside_submit(void **state)
{
	(void)state;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 5 }, NULL);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	atomic_bool open = false;
	atomic_int inside = 0;
	gate gates[5];
	for (int i = 0; i < 5; i++)
	{
		gates[i] = (gate){ .job = { .run = meet }, .open = &open, .inside = &inside, .expected = 5 };
		assert_true(jobs.submit(jobs.user, &gates[i].job)); // would never return if it ran the job
	}
	while (atomic_load(&inside) != 5)
	{
		usleep(100);
	}
	atomic_store(&open, true);
	jobs.wait(jobs.user);
	lrd_job_pool_destroy(pool);
}

typedef struct submitter
{
	lrd_jobs jobs;
	counted_job *own;
} submitter;

static void submit_and_wait(void *user)
{
	submitter *self = user;
	for (int round = 0; round < 20; round++)
	{
		for (int i = 0; i < 100; i++)
		{
			self->own[i].job = (lrd_job){ .run = count_run };
			if (!self->jobs.submit(self->jobs.user, &self->own[i].job))
			{
				abort();
			}
		}
		self->jobs.wait(self->jobs.user);
	}
}

static void several_threads_may_submit_and_wait(void **state)
{
	(void)state;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 2 }, NULL);
	static counted_job own[4][100];
	submitter submitters[4];
	lrd_thread *threads[4];
	for (int i = 0; i < 4; i++)
	{
		submitters[i] = (submitter){ lrd_job_pool_jobs(pool), own[i] };
		threads[i] = lrd_thread_start(submit_and_wait, &submitters[i], 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	for (int i = 0; i < 4; i++)
	{
		lrd_thread_join(threads[i]);
		for (int j = 0; j < 100; j++)
		{
			assert_int_equal(atomic_load(&own[i][j].runs), 20);
		}
	}
	lrd_job_pool_destroy(pool);
}

static void a_zeroed_description_makes_a_worker_for_each_processor(void **state)
{
	(void)state;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ 0 }, NULL);
	assert_non_null(pool);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	uint32_t processors = lrd_processor_count();
	assert_int_equal(jobs.worker_count(jobs.user), processors < 256 ? processors : 256);
	lrd_job_pool_destroy(pool);
}

static void too_many_workers_are_refused(void **state)
{
	(void)state;
	lrd_error error = { 0 };
	assert_null(lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 257 }, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 256, .stack_size = 1 }, &error);
	assert_non_null(pool);
	lrd_job_pool_destroy(pool);
}

static void every_allocation_failure_leaves_no_pool_and_no_thread(void **state)
{
	(void)state;
	lrd_job_pool *pool = NULL;
	int failures = 0;
	bool count_threads = access("/proc/self/task", R_OK) == 0;
	int before = count_threads ? scratch_count("/proc/self/task") : 0;
	for (; pool == NULL; failures++)
	{
		assert_in_range(failures, 0, 20);
		failing_allocator failing;
		failing_allocator_init(&failing, failures);
		lrd_error error = { 0 };
		lrd_job_pool_desc desc = { .worker_count = 4, .allocator = failing_allocator_get(&failing) };
		pool = lrd_job_pool_create(&desc, &error);
		assert_int_equal(error.code, pool != NULL ? LRD_OK : LRD_ERROR_MEMORY);
		lrd_job_pool_destroy(pool);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		for (int i = 0; count_threads && scratch_count("/proc/self/task") != before; i++)
		{
			assert_in_range(i, 0, 1000); // a joined thread may be listed for a moment more
			usleep(1000);
		}
	}
	assert_int_equal(failures, 6); // the pool, four workers, then success
}

static void threads_that_cannot_start_leave_no_pool(void **state)
{
	(void)state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_error error = { 0 };
	lrd_job_pool_desc desc = {
		.worker_count = 4, .stack_size = (size_t)1 << 60, .allocator = failing_allocator_get(&counting)
	};
	assert_null(lrd_job_pool_create(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void submitting_allocates_nothing(void **state)
{
	(void)state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_job_pool_desc desc = { .worker_count = 2, .allocator = failing_allocator_get(&counting) };
	lrd_job_pool *pool = lrd_job_pool_create(&desc, NULL);
	long long before = atomic_load(&counting.calls);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	static counted_job some[1000];
	for (int i = 0; i < 1000; i++)
	{
		some[i].job.run = count_run;
		assert_true(jobs.submit(jobs.user, &some[i].job));
	}
	jobs.wait(jobs.user);
	assert_int_equal(atomic_load(&counting.calls), before);
	lrd_job_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_jobs_all_run_once_on_any_number_of_workers),
		cmocka_unit_test(waiting_covers_jobs_that_jobs_submitted),
		cmocka_unit_test(destroying_runs_what_is_still_queued),
		cmocka_unit_test(one_worker_runs_jobs_first_in_first_out),
		cmocka_unit_test(as_many_jobs_run_at_once_as_there_are_workers_and_none_inside_submit),
		cmocka_unit_test(several_threads_may_submit_and_wait),
		cmocka_unit_test(a_zeroed_description_makes_a_worker_for_each_processor),
		cmocka_unit_test(too_many_workers_are_refused),
		cmocka_unit_test(every_allocation_failure_leaves_no_pool_and_no_thread),
		cmocka_unit_test(threads_that_cannot_start_leave_no_pool),
		cmocka_unit_test(submitting_allocates_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
