// String tables: each distinct string once, in the order it was first added.

#include "failing_allocator.h"
#include "larder/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static lrd_text added(lrd_text_table *table, const char *string)
{
	lrd_text text = { 99, 99 };
	assert_true(lrd_text_table_add(table, lrd_string_from(string), &text, NULL));
	return text;
}

static void strings_stand_back_to_back_and_once(void **state)
{
	(void)state;
	lrd_text_table *table = lrd_text_table_create((lrd_allocator){ 0 });
	assert_int_equal(added(table, "hips").offset, 0);
	assert_int_equal(added(table, "spine").offset, 4);
	assert_int_equal(added(table, "hips").offset, 0);
	assert_int_equal(added(table, "hip").offset, 9);
	assert_int_equal(added(table, "hip").size, 3);
	assert_true(lrd_string_equal(lrd_text_table_block(table), LRD_STR("hipsspinehip")));
	lrd_text_table_destroy(table);
}

static void empty_string_takes_no_room(void **state)
{
	(void)state;
	lrd_text_table *table = lrd_text_table_create((lrd_allocator){ 0 });
	added(table, "a");
	lrd_text empty = added(table, "");
	assert_int_equal(empty.offset, 0);
	assert_int_equal(empty.size, 0);
	assert_int_equal(lrd_text_table_block(table).size, 1);
	lrd_text_table_destroy(table);
}

static void strings_that_are_no_text_are_refused(void **state)
{
	(void)state;
	lrd_text_table *table = lrd_text_table_create((lrd_allocator){ 0 });
	lrd_text text;
	lrd_error error = { 0 };
	assert_false(lrd_text_table_add(table, (lrd_string){ "a\0b", 3 }, &text, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "NUL"));
	assert_false(lrd_text_table_add(table, (lrd_string){ "a\xc3", 2 }, &text, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "UTF-8"));
	assert_int_equal(lrd_text_table_block(table).size, 0);
	lrd_text_table_destroy(table);
}

static void many_strings_are_all_found_again(void **state)
{
	(void)state;
	lrd_text_table *table = lrd_text_table_create((lrd_allocator){ 0 });
	for (uint32_t round = 0; round < 2; round++)
	{
		for (uint32_t i = 0; i < 20000; i++)
		{
			char name[16];
			snprintf(name, sizeof name, "%05u", i);
			assert_int_equal(added(table, name).offset, i * 5);
		}
	}
	assert_int_equal(lrd_text_table_block(table).size, 100000);
	lrd_text_table_destroy(table);
}

static void failed_add_changes_nothing(void **state)
{
	(void)state;
	bool done = false;
	for (long long succeed = 1; !done; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_text_table *table = lrd_text_table_create(failing_allocator_get(&memory));
		assert_non_null(table);
		uint32_t good = 0;
		done = true;
		for (uint32_t i = 0; i < 200 && done; i++)
		{
			char name[16];
			snprintf(name, sizeof name, "%05u", i);
			lrd_text text;
			lrd_error error = { 0 };
			done = lrd_text_table_add(table, lrd_string_from(name), &text, &error);
			good += done;
			assert_int_equal(error.code, done ? LRD_OK : LRD_ERROR_MEMORY);
		}
		assert_int_equal(lrd_text_table_block(table).size, good * 5);
		if (good > 0)
		{
			assert_int_equal(added(table, "00000").offset, 0);
		}
		lrd_text_table_destroy(table);
		assert_int_equal(memory.bytes_out, 0);
		assert_true(succeed < 100);
	}
}

static void table_without_memory_is_null(void **state)
{
	(void)state;
	failing_allocator memory;
	failing_allocator_init(&memory, 0);
	assert_null(lrd_text_table_create(failing_allocator_get(&memory)));
	lrd_text_table_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_stand_back_to_back_and_once),
		cmocka_unit_test(empty_string_takes_no_room),
		cmocka_unit_test(strings_that_are_no_text_are_refused),
		cmocka_unit_test(many_strings_are_all_found_again),
		cmocka_unit_test(failed_add_changes_nothing),
		cmocka_unit_test(table_without_memory_is_null),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
