// Threads, mutexes, conditions, the clock.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "os/os.h"

#include <signal.h>

static void set_true(void *user)
{
	*(bool *)user = true;
}

static void a_thread_runs_and_is_joined(void **state)
{
	(void)state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	static const size_t stacks[] = { 0, 1, 100000, 1 << 20 };
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
	{
		bool ran = false;
		lrd_thread *thread = lrd_thread_start(set_true, &ran, stacks[i], failing_allocator_get(&counting), NULL);
		assert_non_null(thread);
		lrd_thread_join(thread);
		assert_true(ran);
	}
	lrd_thread_join(NULL);
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void a_thread_that_cannot_start_leaves_nothing(void **state)
{
	(void)state;
	failing_allocator failing;
	failing_allocator_init(&failing, -1);
	bool ran = false;
	lrd_error error = { 0 };
	static const size_t stacks[] = { (size_t)1 << 60, SIZE_MAX };
	for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
	{
		error.code = LRD_OK;
		assert_null(lrd_thread_start(set_true, &ran, stacks[i], failing_allocator_get(&failing), &error));
		assert_int_equal(error.code, LRD_ERROR_IO);
	}
	failing_allocator_init(&failing, 0);
	assert_null(lrd_thread_start(set_true, &ran, 0, failing_allocator_get(&failing), &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	assert_false(ran);
	assert_int_equal(atomic_load(&failing.bytes_out), 0);
}

static void look_at_signals(void *user)
{
	sigset_t blocked;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	*(bool *)user = sigismember(&blocked, SIGINT) == 1 && sigismember(&blocked, SIGTERM) == 1;
}

static void signals_stay_with_the_programs_threads(void **state)
{
	(void)state;
	bool blocked = false;
	lrd_thread *thread = lrd_thread_start(look_at_signals, &blocked, 0, (lrd_allocator){ 0 }, NULL);
	lrd_thread_join(thread);
	assert_true(blocked);
	look_at_signals(&blocked);
	assert_false(blocked); // this thread's are as they were
}

typedef struct shared
{
	lrd_mutex mutex;
	lrd_condition changed;
	int value;
	int turn; // 0 or 1
} shared;

static void count_up(void *user)
{
	shared *it = user;
	for (int i = 0; i < 20000; i++)
	{
		lrd_mutex_lock(&it->mutex);
		it->value++;
		lrd_mutex_unlock(&it->mutex);
	}
}

static void a_mutex_keeps_threads_apart(void **state)
{
	(void)state;
	shared it = { 0 };
	assert_true(lrd_mutex_init(&it.mutex));
	lrd_thread *threads[4];
	for (int i = 0; i < 4; i++)
	{
		threads[i] = lrd_thread_start(count_up, &it, 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	for (int i = 0; i < 4; i++)
	{
		lrd_thread_join(threads[i]);
	}
	assert_int_equal(it.value, 80000);
	lrd_mutex_destroy(&it.mutex);
}

static void take_turns(shared *it, int me)
{
	for (int i = 0; i < 1000; i++)
	{
		lrd_mutex_lock(&it->mutex);
		while (it->turn != me)
		{
			lrd_condition_wait(&it->changed, &it->mutex);
		}
		it->value = it->value * 2 % 1000003 + me;
		it->turn = 1 - me;
		if (i % 2 == 0)
		{
			lrd_condition_signal(&it->changed);
		}
		else
		{
			lrd_condition_broadcast(&it->changed);
		}
		lrd_mutex_unlock(&it->mutex);
	}
}

static void take_other_turns(void *user)
{
	take_turns(user, 1);
}

static void conditions_pass_the_turn_back_and_forth(void **state)
{
	(void)state;
	shared it = { .value = 1 };
	assert_true(lrd_mutex_init(&it.mutex));
	assert_true(lrd_condition_init(&it.changed));
	lrd_thread *thread = lrd_thread_start(take_other_turns, &it, 0, (lrd_allocator){ 0 }, NULL);
	assert_non_null(thread);
	take_turns(&it, 0);
	lrd_thread_join(thread);
	int expected = 1;
	for (int i = 0; i < 2000; i++)
	{
		expected = expected * 2 % 1000003 + i % 2;
	}
	assert_int_equal(it.value, expected);
	lrd_condition_destroy(&it.changed);
	lrd_mutex_destroy(&it.mutex);
}

static void the_clock_never_goes_back(void **state)
{
	(void)state;
	uint64_t start = lrd_clock_ns();
	uint64_t last = start;
	while (last - start < 2000000)
	{
		uint64_t now = lrd_clock_ns();
		assert_true(now >= last);
		last = now;
	}
}

static void there_is_a_processor(void **state)
{
	(void)state;
	assert_in_range(lrd_processor_count(), 1, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_runs_and_is_joined),
		cmocka_unit_test(a_thread_that_cannot_start_leaves_nothing),
		cmocka_unit_test(signals_stay_with_the_programs_threads),
		cmocka_unit_test(a_mutex_keeps_threads_apart),
		cmocka_unit_test(conditions_pass_the_turn_back_and_forth),
		cmocka_unit_test(the_clock_never_goes_back),
		cmocka_unit_test(there_is_a_processor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
