// Error values and log lines: what messages hold, where they are cut, who gets them.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/path.h"

static void a_failure_sets_code_and_message(void **state)
{
	(void)state;
	lrd_error error = { 0 };
	assert_false(lrd_fail(&error, LRD_ERROR_FORMAT, "%s: byte %d", "fox.glb", 12));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_string_equal(error.message, "fox.glb: byte 12");
}

static void a_null_error_is_accepted(void **state)
{
	(void)state;
	assert_false(lrd_fail(NULL, LRD_ERROR_IO, "%d", 1));
	assert_false(lrd_fail_memory(NULL, "x", 1));
	assert_false(lrd_fail_in(NULL, "%d", 1));
}

static void an_allocation_failure_names_what_and_how_much(void **state)
{
	(void)state;
	lrd_error error;
	assert_false(lrd_fail_memory(&error, "a mesh", 4096));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	assert_string_equal(error.message, "out of memory: a mesh (4096 bytes)");
}

static void a_place_is_put_before_the_message_and_the_code_stays(void **state)
{
	(void)state;
	lrd_error error;
	lrd_fail(&error, LRD_ERROR_LIMIT, "too many joints");
	assert_false(lrd_fail_in(&error, "skin %d", 3));
	lrd_fail_in(&error, "%s", "fox.glb");
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	assert_string_equal(error.message, "fox.glb: skin 3: too many joints");
}

static void a_message_may_quote_the_message_before_it(void **state)
{
	(void)state;
	lrd_error error;
	lrd_fail(&error, LRD_ERROR_IO, "first");
	lrd_fail(&error, LRD_ERROR_FORMAT, "second after %s", error.message);
	assert_string_equal(error.message, "second after first");
}

static void a_long_message_ends_in_dots_and_fills_the_room(void **state)
{
	(void)state;
	char text[4 * LRD_ERROR_MESSAGE_SIZE];
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	lrd_error error;
	lrd_fail(&error, LRD_ERROR_IO, "%s", text);
	assert_int_equal(strlen(error.message), LRD_ERROR_MESSAGE_SIZE - 1);
	assert_string_equal(error.message + LRD_ERROR_MESSAGE_SIZE - 5, "a...");
}

static void a_message_that_just_fits_is_not_cut(void **state)
{
	(void)state;
	char text[LRD_ERROR_MESSAGE_SIZE];
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	lrd_error error;
	lrd_fail(&error, LRD_ERROR_IO, "%s", text);
	assert_string_equal(error.message, text);
}

static void a_long_message_is_cut_between_characters(void **state)
{
	(void)state;
	static const char *const characters[] = { "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\xA6\x8A" };
	for (size_t c = 0; c < 3; c++)
	{
		for (size_t shift = 0; shift < 4; shift++)
		{
			char text[2 * LRD_ERROR_MESSAGE_SIZE] = "abcd";
			size_t size = strlen(characters[c]);
			for (size_t at = shift; at + size < sizeof text; at += size)
			{
				memcpy(text + at, characters[c], size + 1);
			}
			lrd_error error;
			lrd_fail(&error, LRD_ERROR_IO, "%s", text);
			size_t length = strlen(error.message);
			assert_in_range(length, LRD_ERROR_MESSAGE_SIZE - 4, LRD_ERROR_MESSAGE_SIZE - 1);
			assert_string_equal(error.message + length - 3, "...");
			assert_true(lrd_utf8_valid(lrd_string_from(error.message)));
		}
	}
}

static void places_put_before_a_full_message_cut_its_end(void **state)
{
	(void)state;
	char text[LRD_ERROR_MESSAGE_SIZE];
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	lrd_error error;
	lrd_fail(&error, LRD_ERROR_IO, "%s", text);
	lrd_fail_in(&error, "%s", "fox.glb");
	assert_int_equal(strlen(error.message), LRD_ERROR_MESSAGE_SIZE - 1);
	assert_memory_equal(error.message, "fox.glb: aaa", 12);
	assert_string_equal(error.message + LRD_ERROR_MESSAGE_SIZE - 4, "...");
}

static void every_code_has_its_own_name(void **state)
{
	(void)state;
	for (int a = LRD_OK; a <= LRD_ERROR_CHANGED; a++)
	{
		assert_string_not_equal(lrd_error_code_name((lrd_error_code)a), "unknown");
		for (int b = LRD_OK; b < a; b++)
		{
			assert_string_not_equal(lrd_error_code_name((lrd_error_code)a), lrd_error_code_name((lrd_error_code)b));
		}
	}
	assert_string_equal(lrd_error_code_name((lrd_error_code)1000), "unknown");
}

typedef struct noted
{
	lrd_log_level level;
	char line[256];
} noted;

static void note(void *user, lrd_log_level level, const char *scope, const char *message)
{
	noted *last = user;
	last->level = level;
	snprintf(last->line, sizeof last->line, "[%s] %s", scope, message);
}

static void a_log_gets_one_line_with_level_and_scope(void **state)
{
	(void)state;
	noted last = { 0 };
	lrd_log log = { note, &last };
	lrd_log_write(&log, LRD_LOG_INFO, "cook", "read \"%s\"", "odd\nname\r.png");
	assert_int_equal(last.level, LRD_LOG_INFO);
	assert_string_equal(last.line, "[cook] read \"odd name .png\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_sets_code_and_message),
		cmocka_unit_test(a_null_error_is_accepted),
		cmocka_unit_test(an_allocation_failure_names_what_and_how_much),
		cmocka_unit_test(a_place_is_put_before_the_message_and_the_code_stays),
		cmocka_unit_test(a_message_may_quote_the_message_before_it),
		cmocka_unit_test(a_long_message_ends_in_dots_and_fills_the_room),
		cmocka_unit_test(a_message_that_just_fits_is_not_cut),
		cmocka_unit_test(a_long_message_is_cut_between_characters),
		cmocka_unit_test(places_put_before_a_full_message_cut_its_end),
		cmocka_unit_test(every_code_has_its_own_name),
		cmocka_unit_test(a_log_gets_one_line_with_level_and_scope),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
