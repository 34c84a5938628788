// JSON as text: going through what was found good. What is good is tried by the importer's tests as well.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_text.h"

#include <stdio.h>
#include <string.h>

static lrd_json_value whole(lrd_string text)
{
	lrd_error error = { 0 };
	if (!lrd_json_check(text, &error))
	{
		fail_msg("%s", error.message);
	}
	return lrd_json_value_at(text, 0);
}

static void assert_text(lrd_string text, lrd_json_value value, const char *expected)
{
	assert_int_equal(value.end - value.begin, strlen(expected));
	assert_memory_equal(text.data + value.begin, expected, strlen(expected));
}

static void members_come_in_order_with_their_types(void **state)
{
	(void)state;
	static const struct
	{
		const char *key;
		const char *value;
		lrd_json_type type;
	} expected[] = {
		{ "\"a\"", "1.5e3", LRD_JSON_NUMBER },
		{ "\"b\"", "\"x,}\\\"]\"", LRD_JSON_STRING },
		{ "\"c\"", "[ {\"a\": []}, \"]\", null ]", LRD_JSON_ARRAY },
		{ "\"d\"", "{\"}\": {}}", LRD_JSON_OBJECT },
		{ "\"\"", "true", LRD_JSON_TRUE },
		{ "\"e\"", "false", LRD_JSON_FALSE },
		{ "\"a\"", "null", LRD_JSON_NULL },
	};
	lrd_string text = LRD_STR(" { \"a\" :1.5e3 ,\"b\":\"x,}\\\"]\",\n\"c\": [ {\"a\": []}, \"]\", null ] , \"d\": "
							  "{\"}\": {}}, \"\":true,\"e\" : false, \"a\":null}\n");
	lrd_json_value object = whole(text);
	lrd_json_value key;
	lrd_json_value value;
	size_t at = object.begin;
	assert_int_equal(object.type, LRD_JSON_OBJECT);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
	{
		assert_true(lrd_json_next_member(text, &at, &key, &value));
		assert_text(text, key, expected[i].key);
		assert_text(text, value, expected[i].value);
		assert_int_equal(value.type, expected[i].type);
	}
	assert_false(lrd_json_next_member(text, &at, &key, &value));
	assert_int_equal(object.end, text.size - 1);
}

static void an_empty_object_has_no_member(void **state)
{
	(void)state;
	const char *const texts[] = { "{}", " {  } " };
	for (size_t i = 0; i < 2; i++)
	{
		lrd_string text = lrd_string_from(texts[i]);
		lrd_json_value object = whole(text);
		lrd_json_value key;
		lrd_json_value value;
		size_t at = object.begin;
		assert_false(lrd_json_next_member(text, &at, &key, &value));
	}
}

static void values_that_end_the_text_end_with_it(void **state)
{
	(void)state;
	const char *const texts[] = { "12", "true", "null", "\"\"", "[]", "-0.5" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
	{
		lrd_string text = lrd_string_from(texts[i]);
		assert_text(text, whole(text), texts[i]);
	}
}

static void escapes_become_what_they_stand_for(void **state)
{
	(void)state;
	lrd_string text = LRD_STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83e\\uDD8a x\"");
	const char expected[] = "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA6\x8A x";
	char room[64];
	lrd_string said;
	assert_true(lrd_json_string(text, whole(text), room, sizeof expected - 1, &said));
	assert_int_equal(said.size, sizeof expected - 1);
	assert_memory_equal(said.data, expected, said.size);
	for (size_t capacity = 0; capacity < sizeof expected - 1; capacity++)
	{
		assert_false(lrd_json_string(text, whole(text), room, capacity, &said));
	}
}

static void a_backslash_before_a_nul_is_no_escape(void **state)
{
	(void)state;
	lrd_error error = { 0 };
	assert_false(lrd_json_check((lrd_string){ "\"\\\0\"", 4 }, &error));
	assert_string_equal(
		error.message, "JSON, line 1, column 3: found byte 0x00, expected an escape: one of \" \\ / b f n r t u");
}

static void places_count_lines_and_columns_from_one(void **state)
{
	(void)state;
	lrd_string text = LRD_STR("ab\nc\n\nd");
	static const size_t expected[][2] = { { 1, 1 }, { 1, 2 }, { 1, 3 }, { 2, 1 }, { 2, 2 }, { 3, 1 }, { 4, 1 },
		{ 4, 2 } };
	for (size_t i = 0; i <= text.size; i++)
	{
		lrd_text_place place = lrd_text_place_of(text, i);
		assert_int_equal(place.line, expected[i][0]);
		assert_int_equal(place.column, expected[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_come_in_order_with_their_types),
		cmocka_unit_test(an_empty_object_has_no_member),
		cmocka_unit_test(values_that_end_the_text_end_with_it),
		cmocka_unit_test(escapes_become_what_they_stand_for),
		cmocka_unit_test(a_backslash_before_a_nul_is_no_escape),
		cmocka_unit_test(places_count_lines_and_columns_from_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
