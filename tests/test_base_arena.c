// The arena: alignment, large requests, reset, overflow, and every allocation failure in turn.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/path.h"
#include "failing_allocator.h"

static void memory_is_aligned_apart_and_writable(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 1024);
	assert_non_null(arena);
	unsigned char *blocks[500];
	for (size_t i = 0; i < 500; i++)
	{
		blocks[i] = lrd_arena_alloc(arena, i);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
		memset(blocks[i], (int)(i % 251), i);
	}
	for (size_t i = 0; i < 500; i++)
	{
		for (size_t b = 0; b < i; b++)
		{
			assert_int_equal(blocks[i][b], i % 251);
		}
	}
	lrd_arena_destroy(arena);
}

static void a_size_of_zero_gives_a_pointer(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	assert_non_null(lrd_arena_alloc(arena, 0));
	assert_non_null(lrd_arena_zeroed(arena, 0, 100));
	assert_non_null(lrd_arena_zeroed(arena, 100, 0));
	lrd_arena_destroy(arena);
	lrd_arena_destroy(NULL);
}

static void a_large_request_leaves_the_current_block_in_use(void **state)
{
	(void)state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_arena *arena = lrd_arena_create(failing_allocator_get(&counting), 4096);
	assert_non_null(lrd_arena_alloc(arena, 16));
	for (int i = 0; i < 5; i++)
	{
		assert_non_null(lrd_arena_alloc(arena, 100000));
		assert_non_null(lrd_arena_alloc(arena, 16));
	}
	assert_int_equal(atomic_load(&counting.calls), 6);
	assert_int_equal(lrd_arena_size(arena), atomic_load(&counting.bytes_out));
	lrd_arena_destroy(arena);
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void reset_frees_all_but_the_first_block(void **state)
{
	(void)state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_arena *arena = lrd_arena_create(failing_allocator_get(&counting), 4096);
	size_t empty = lrd_arena_size(arena);
	void *first = lrd_arena_alloc(arena, 100);
	for (int round = 0; round < 3; round++)
	{
		for (int i = 0; i < 100; i++)
		{
			assert_non_null(lrd_arena_alloc(arena, 1000));
		}
		assert_true(lrd_arena_size(arena) > 100 * 1000);
		lrd_arena_reset(arena);
		assert_int_equal(lrd_arena_size(arena), empty);
		assert_int_equal(atomic_load(&counting.bytes_out), empty);
		assert_ptr_equal(lrd_arena_alloc(arena, 100), first);
	}
	lrd_arena_destroy(arena);
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void sizes_that_overflow_are_refused(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	for (size_t less = 0; less < 100; less++)
	{
		assert_null(lrd_arena_alloc(arena, SIZE_MAX - less));
	}
	assert_null(lrd_arena_zeroed(arena, SIZE_MAX / 2, 3));
	assert_null(lrd_arena_string(arena, (lrd_string){ "x", SIZE_MAX }).data);
	assert_non_null(lrd_arena_alloc(arena, 10));
	lrd_arena_destroy(arena);
}

static void zeroed_memory_is_zero_after_a_reset_too(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 4096);
	memset(lrd_arena_alloc(arena, 1000), 0xFF, 1000);
	lrd_arena_reset(arena);
	const uint32_t *numbers = LRD_ARENA_ARRAY(arena, uint32_t, 250);
	for (int i = 0; i < 250; i++)
	{
		assert_int_equal(numbers[i], 0);
	}
	lrd_arena_destroy(arena);
}

static void strings_are_copied_and_terminated(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_string copy = lrd_arena_string(arena, (lrd_string){ "foxes", 3 });
	assert_int_equal(copy.size, 3);
	assert_string_equal(copy.data, "fox");
	lrd_string empty = lrd_arena_string(arena, (lrd_string){ NULL, 0 });
	assert_non_null(empty.data);
	assert_int_equal(empty.size, 0);
	lrd_string printed = lrd_arena_printf(arena, "%s/%03d", "models", 7);
	assert_true(lrd_string_equal(printed, LRD_STR("models/007")));
	assert_int_equal(printed.data[printed.size], '\0');
	lrd_arena_destroy(arena);
}

static bool use(lrd_arena *arena)
{
	for (int i = 0; i < 40; i++)
	{
		bool done = lrd_arena_alloc(arena, (size_t)i * 37) != NULL && lrd_arena_zeroed(arena, 10, 60) != NULL &&
					lrd_arena_string(arena, LRD_STR("fox")).data != NULL &&
					lrd_arena_printf(arena, "%300d", i).data != NULL;
		if (!done)
		{
			return false;
		}
	}
	return true;
}

static void every_allocation_failure_is_clean(void **state)
{
	(void)state;
	bool done = false;
	int failures = 0;
	for (; !done; failures++)
	{
		assert_in_range(failures, 0, 200);
		failing_allocator failing;
		failing_allocator_init(&failing, failures);
		lrd_arena *arena = lrd_arena_create(failing_allocator_get(&failing), 1024);
		if (arena != NULL)
		{
			done = use(arena);
			assert_int_equal(lrd_arena_size(arena), atomic_load(&failing.bytes_out));
			lrd_arena_destroy(arena);
		}
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
	}
	assert_true(failures > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_aligned_apart_and_writable),
		cmocka_unit_test(a_size_of_zero_gives_a_pointer),
		cmocka_unit_test(a_large_request_leaves_the_current_block_in_use),
		cmocka_unit_test(reset_frees_all_but_the_first_block),
		cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(zeroed_memory_is_zero_after_a_reset_too),
		cmocka_unit_test(strings_are_copied_and_terminated),
		cmocka_unit_test(every_allocation_failure_is_clean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
