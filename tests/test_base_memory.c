// Allocation through lrd_allocator, growing arrays, buffers, overflow-checked sizes; every allocation failure in turn.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "failing_allocator.h"

static void a_zeroed_allocator_allocates_aligned_memory(void **state)
{
	(void)state;
	for (size_t size = 1; size < 300; size++)
	{
		unsigned char *block = lrd_alloc((lrd_allocator){ 0 }, size);
		assert_non_null(block);
		assert_int_equal((uintptr_t)block % LRD_ALLOCATION_ALIGNMENT, 0);
		memset(block, 0xAB, size);
		block = lrd_realloc((lrd_allocator){ 0 }, block, size, size + 100);
		assert_non_null(block);
		assert_int_equal(block[0], 0xAB);
		assert_int_equal(block[size - 1], 0xAB);
		lrd_free((lrd_allocator){ 0 }, block, size + 100);
	}
}

static void nothing_is_asked_for_sizes_that_no_object_has(void **state)
{
	(void)state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_allocator allocator = failing_allocator_get(&counting);
	assert_null(lrd_alloc(allocator, 0));
	assert_null(lrd_alloc_zeroed(allocator, 0, 8));
	assert_null(lrd_alloc_zeroed(allocator, 8, 0));
	lrd_free(allocator, NULL, 0);
	assert_null(lrd_alloc(allocator, SIZE_MAX));
	assert_null(lrd_alloc(allocator, (size_t)PTRDIFF_MAX + 1));
	assert_int_equal(atomic_load(&counting.calls), 0);
}

static void zeroed_memory_is_zero_and_its_product_is_checked(void **state)
{
	(void)state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	const lrd_allocator allocators[2] = { { 0 }, failing_allocator_get(&counting) };
	for (int i = 0; i < 2; i++)
	{
		unsigned char *block = lrd_alloc_zeroed(allocators[i], 100, 7);
		assert_non_null(block);
		for (int b = 0; b < 700; b++)
		{
			assert_int_equal(block[b], 0);
		}
		lrd_free(allocators[i], block, 700);
		assert_null(lrd_alloc_zeroed(allocators[i], SIZE_MAX / 2, 3));
	}
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void sums_and_products_that_overflow_are_refused(void **state)
{
	(void)state;
	size_t result = 0;
	assert_true(lrd_add_size(SIZE_MAX - 1, 1, &result));
	assert_true(result == SIZE_MAX);
	assert_false(lrd_add_size(SIZE_MAX, 1, &result));
	assert_true(lrd_mul_size(SIZE_MAX / 2, 2, &result));
	assert_false(lrd_mul_size(SIZE_MAX / 2 + 1, 2, &result));
	assert_int_equal(lrd_align_up(0, 16), 0);
	assert_int_equal(lrd_align_up(1, 16), 16);
	assert_int_equal(lrd_align_up(32, 16), 32);
}

static void an_array_keeps_its_items_and_grows_by_half(void **state)
{
	(void)state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_allocator allocator = failing_allocator_get(&counting);
	uint32_t *items = NULL;
	size_t capacity = 0;
	for (uint32_t i = 0; i < 100000; i++)
	{
		assert_true(LRD_RESERVE(allocator, items, i, 1, capacity));
		items[i] = i;
	}
	for (uint32_t i = 0; i < 100000; i++)
	{
		assert_int_equal(items[i], i);
	}
	assert_in_range(atomic_load(&counting.calls), 1, 30);
	lrd_free(allocator, items, capacity * sizeof *items);
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void an_array_that_cannot_grow_stays_as_it_was(void **state)
{
	(void)state;
	failing_allocator failing;
	failing_allocator_init(&failing, 1);
	lrd_allocator allocator = failing_allocator_get(&failing);
	uint64_t *items = NULL;
	size_t capacity = 0;
	assert_true(LRD_RESERVE(allocator, items, 0, 10, capacity));
	uint64_t *before = items;
	size_t capacity_before = capacity;
	items[9] = 77;
	assert_false(LRD_RESERVE(allocator, items, 10, 1000, capacity));
	assert_false(LRD_RESERVE(allocator, items, 10, SIZE_MAX, capacity));
	assert_false(LRD_RESERVE(allocator, items, 10, SIZE_MAX / 4, capacity));
	assert_ptr_equal(items, before);
	assert_int_equal(capacity, capacity_before);
	assert_int_equal(items[9], 77);
	lrd_free(allocator, items, capacity * sizeof *items);
	assert_int_equal(atomic_load(&failing.bytes_out), 0);
}

static void a_buffer_collects_what_is_appended(void **state)
{
	(void)state;
	lrd_buffer buffer = { 0 };
	assert_true(lrd_buffer_append(&buffer, "abc", 3));
	assert_true(lrd_buffer_append(&buffer, NULL, 0));
	assert_true(lrd_buffer_printf(&buffer, "<%d|%s>", 42, "fox"));
	uint8_t *room = lrd_buffer_extend(&buffer, 4);
	assert_non_null(room);
	room[0] = 'z';
	assert_int_equal(buffer.size, 15);
	assert_memory_equal(buffer.data, "abc<42|fox>z\0\0\0", 15);
	lrd_buffer_free(&buffer);
	lrd_buffer_free(&buffer);
	assert_null(buffer.data);
	assert_int_equal(buffer.size + buffer.capacity, 0);
}

static void a_buffer_is_padded_with_zeros_up_to_an_alignment(void **state)
{
	(void)state;
	lrd_buffer buffer = { 0 };
	assert_true(lrd_buffer_align(&buffer, 16));
	assert_int_equal(buffer.size, 0);
	assert_true(lrd_buffer_append(&buffer, "x", 1));
	assert_true(lrd_buffer_align(&buffer, 16));
	assert_int_equal(buffer.size, 16);
	assert_memory_equal(buffer.data, "x\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	assert_true(lrd_buffer_align(&buffer, 16));
	assert_int_equal(buffer.size, 16);
	lrd_buffer_free(&buffer);
}

static void extending_an_empty_buffer_by_nothing_is_no_failure(void **state)
{
	(void)state;
	lrd_buffer buffer = { 0 };
	assert_non_null(lrd_buffer_extend(&buffer, 0));
	assert_int_equal(buffer.size, 0);
	lrd_buffer_free(&buffer);
}

static bool fill(lrd_buffer *buffer)
{
	char text[200];
	memset(text, 'x', sizeof text);
	for (int i = 0; i < 10; i++)
	{
		size_t before = buffer->size;
		bool done = lrd_buffer_append(buffer, text, sizeof text) && lrd_buffer_printf(buffer, "%100d", i) &&
					lrd_buffer_align(buffer, 64) && lrd_buffer_extend(buffer, 333) != NULL;
		if (!done)
		{
			assert_true(buffer->size >= before && buffer->size <= buffer->capacity);
			return false;
		}
	}
	return true;
}

static void a_buffer_survives_every_allocation_failure(void **state)
{
	(void)state;
	bool filled = false;
	int failures = 0;
	for (; !filled; failures++)
	{
		assert_in_range(failures, 0, 100);
		failing_allocator failing;
		failing_allocator_init(&failing, failures);
		lrd_buffer buffer = { .allocator = failing_allocator_get(&failing) };
		filled = fill(&buffer);
		lrd_buffer_free(&buffer);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
	}
	assert_true(failures > 5);
}

static void a_failed_append_changes_nothing(void **state)
{
	(void)state;
	failing_allocator failing;
	failing_allocator_init(&failing, 1);
	lrd_buffer buffer = { .allocator = failing_allocator_get(&failing) };
	assert_true(lrd_buffer_append(&buffer, "abc", 3));
	lrd_buffer before = buffer;
	char text[1000] = { 0 };
	assert_false(lrd_buffer_append(&buffer, text, sizeof text));
	assert_null(lrd_buffer_extend(&buffer, sizeof text));
	assert_false(lrd_buffer_align(&buffer, 4096));
	assert_false(lrd_buffer_printf(&buffer, "%1000d", 1));
	assert_ptr_equal(buffer.data, before.data);
	assert_int_equal(buffer.size, 3);
	assert_int_equal(buffer.capacity, before.capacity);
	lrd_buffer_free(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zeroed_allocator_allocates_aligned_memory),
		cmocka_unit_test(nothing_is_asked_for_sizes_that_no_object_has),
		cmocka_unit_test(zeroed_memory_is_zero_and_its_product_is_checked),
		cmocka_unit_test(sums_and_products_that_overflow_are_refused),
		cmocka_unit_test(an_array_keeps_its_items_and_grows_by_half),
		cmocka_unit_test(an_array_that_cannot_grow_stays_as_it_was),
		cmocka_unit_test(a_buffer_collects_what_is_appended),
		cmocka_unit_test(a_buffer_is_padded_with_zeros_up_to_an_alignment),
		cmocka_unit_test(extending_an_empty_buffer_by_nothing_is_no_failure),
		cmocka_unit_test(a_buffer_survives_every_allocation_failure),
		cmocka_unit_test(a_failed_append_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
