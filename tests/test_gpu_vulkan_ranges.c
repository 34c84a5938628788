// tests/test_gpu_vulkan_ranges.c: the ranges of a block against a map of its bytes.

#include "failing_allocator.h"
#include "gpu/vulkan/ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIZE 4096
#define LIVE 200

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

typedef struct block
{
	lrd_range_pool pool;
	lrd_ranges ranges;
	uint8_t bytes[SIZE]; // 1: taken
} block;

static void start(block *b, failing_allocator *memory)
{
	failing_allocator_init(memory, -1);
	*b = (block){ .pool = { .allocator = failing_allocator_get(memory) } };
	assert_true(lrd_range_pool_reserve(&b->pool, 2));
	lrd_ranges_init(&b->ranges, SIZE, &b->pool);
}

static void stop(block *b, failing_allocator *memory)
{
	lrd_ranges_free(&b->ranges, &b->pool);
	lrd_range_pool_free(&b->pool);
	assert_int_equal(atomic_load(&memory->bytes_out), 0);
}

/// The smallest run of free bytes that holds such a range, which best fit takes one of; 0: none does.
static size_t smallest_run(const block *b, size_t size, size_t alignment)
{
	size_t best = 0;
	for (size_t i = 0; i < SIZE;)
	{
		size_t end = i;
		while (end < SIZE && b->bytes[end] == 0)
		{
			++end;
		}
		size_t aligned = (i + alignment - 1) / alignment * alignment;
		if (aligned + size <= end && (best == 0 || end - i < best))
		{
			best = end - i;
		}
		i = end + 1;
	}
	return best;
}

static size_t run_around(const block *b, const lrd_range *range)
{
	size_t from = range->offset;
	size_t to = range->offset + range->size;
	while (from > 0 && b->bytes[from - 1] == 0)
	{
		--from;
	}
	while (to < SIZE && b->bytes[to] == 0)
	{
		++to;
	}
	return to - from;
}

static void check_links(const block *b)
{
	uint64_t at = 0;
	uint64_t taken = 0;
	size_t free_ones = 0;
	bool was_free = false;
	for (const lrd_range *range = b->ranges.first; range != NULL; range = range->after)
	{
		assert_int_equal(range->offset, at);
		assert_true(range->size > 0);
		assert_false(was_free && !range->taken); // they would be one
		assert_true(range->after == NULL || range->after->before == range);
		was_free = !range->taken;
		free_ones += was_free;
		taken += range->taken ? range->size : 0;
		at += range->size;
	}
	assert_int_equal(at, SIZE);
	assert_int_equal(taken, b->ranges.taken);
	for (const lrd_range *range = b->ranges.free; range != NULL; range = range->free_after)
	{
		assert_false(range->taken);
		--free_ones;
	}
	assert_int_equal(free_ones, 0);
}

static void ranges_never_overlap_and_are_found_where_they_fit_best(void **state)
{
	(void)state;
	failing_allocator memory;
	block b;
	start(&b, &memory);
	lrd_range *live[LIVE];
	size_t count = 0;
	uint32_t random = 1;
	for (int step = 0; step < 20000; ++step)
	{
		if (count > 0 && (count == LIVE || next(&random) % 100 < 48))
		{
			size_t i = next(&random) % count;
			memset(b.bytes + live[i]->offset, 0, live[i]->size);
			lrd_ranges_give(&b.ranges, live[i], &b.pool);
			live[i] = live[--count];
			continue;
		}
		size_t size = 1 + next(&random) % 120;
		size_t alignment = (size_t)1 << next(&random) % 7;
		size_t expected = smallest_run(&b, size, alignment);
		assert_true(lrd_range_pool_reserve(&b.pool, LRD_RANGES_SPARE));
		lrd_range *range = lrd_ranges_take(&b.ranges, size, alignment, &b.pool);
		assert_int_equal(range != NULL, expected != 0);
		if (range == NULL)
		{
			continue;
		}
		assert_int_equal(range->size, size);
		assert_int_equal(range->offset % alignment, 0);
		assert_int_equal(run_around(&b, range), expected);
		for (size_t i = 0; i < size; ++i)
		{
			assert_int_equal(b.bytes[range->offset + i], 0);
			b.bytes[range->offset + i] = 1;
		}
		live[count++] = range;
		check_links(&b);
	}
	while (count > 0)
	{
		lrd_ranges_give(&b.ranges, live[--count], &b.pool);
		check_links(&b);
	}
	assert_int_equal(b.ranges.taken, 0);
	stop(&b, &memory);
}

static void a_whole_block_can_be_taken_again_when_all_was_given_back(void **state)
{
	(void)state;
	failing_allocator memory;
	block b;
	start(&b, &memory);
	assert_true(lrd_range_pool_reserve(&b.pool, LRD_RANGES_SPARE));
	lrd_range *all = lrd_ranges_take(&b.ranges, SIZE, SIZE, &b.pool);
	assert_non_null(all);
	assert_null(lrd_ranges_take(&b.ranges, 1, 1, &b.pool));
	lrd_ranges_give(&b.ranges, all, &b.pool);
	assert_null(lrd_ranges_take(&b.ranges, SIZE + 1, 1, &b.pool));
	assert_non_null(lrd_ranges_take(&b.ranges, SIZE, 1, &b.pool));
	stop(&b, &memory);
}

static void without_memory_for_ranges_nothing_is_reserved(void **state)
{
	(void)state;
	failing_allocator memory;
	failing_allocator_init(&memory, 0);
	lrd_range_pool pool = { .allocator = failing_allocator_get(&memory) };
	assert_false(lrd_range_pool_reserve(&pool, 1));
	assert_int_equal(pool.spare_count, 0);
	lrd_range_pool_free(&pool);
	assert_int_equal(atomic_load(&memory.bytes_out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_never_overlap_and_are_found_where_they_fit_best),
		cmocka_unit_test(a_whole_block_can_be_taken_again_when_all_was_given_back),
		cmocka_unit_test(without_memory_for_ranges_nothing_is_reserved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
