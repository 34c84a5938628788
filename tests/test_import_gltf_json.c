// Texts that are no JSON, or no JSON that glTF allows, and where the message says they break.

#include "fixtures/gltf_check.h"

#include "import/gltf/json.h"
#include "import/limits.h"

static void check_syntax(const char *text, lrd_error_code code, const char *message)
{
	lrd_error error = { .code = LRD_OK };
	if (lrd_json_check(lrd_string_from(text), &error))
	{
		fail_msg("took %s", text);
	}
	assert_int_equal(error.code, code);
	assert_string_equal(error.message, message);
}

static void syntax_errors_say_line_column_and_what_was_expected(void **state)
{
	(void)state;
	check_syntax("", LRD_ERROR_FORMAT, "JSON, line 1, column 1: found the end, expected a value");
	check_syntax("{]", LRD_ERROR_FORMAT, "JSON, line 1, column 2: found ']', expected a key");
	check_syntax("{\n  \"a\": 1,\n  \"b\" 2\n}", LRD_ERROR_FORMAT, "JSON, line 3, column 7: found '2', expected ':'");
	check_syntax("[1, 2", LRD_ERROR_FORMAT, "JSON, line 1, column 6: found the end, expected ',' or ']'");
	check_syntax("[1,]", LRD_ERROR_FORMAT, "JSON, line 1, column 4: found ']', expected a value");
	check_syntax("{\"a\":1,}", LRD_ERROR_FORMAT, "JSON, line 1, column 8: found '}', expected a key");
	check_syntax("[01]", LRD_ERROR_FORMAT, "JSON, line 1, column 3: found '1', expected ',' or ']'");
	check_syntax("[1.e5]", LRD_ERROR_FORMAT, "JSON, line 1, column 4: found 'e', expected a digit");
	check_syntax("[-]", LRD_ERROR_FORMAT, "JSON, line 1, column 3: found ']', expected a digit");
	check_syntax("[nul]", LRD_ERROR_FORMAT, "JSON, line 1, column 2: found 'n', expected a value");
	check_syntax("1 2", LRD_ERROR_FORMAT, "JSON, line 1, column 3: found '2', expected the end");
	check_syntax(
		"\"a\x01\"", LRD_ERROR_FORMAT, "JSON, line 1, column 3: found byte 0x01, expected the rest of a string");
	check_syntax("\"\\x\"", LRD_ERROR_FORMAT,
		"JSON, line 1, column 3: found 'x', expected an escape: one of \" \\ / b f n r t u");
	check_syntax(
		"\"\\u12g4\"", LRD_ERROR_FORMAT, "JSON, line 1, column 4: found '1', expected four hexadecimal digits");
	check_syntax("\xff", LRD_ERROR_FORMAT, "JSON, line 1, column 1: found byte 0xff, expected a value");
}

static void strings_must_be_text(void **state)
{
	(void)state;
	check_syntax("[\"ok\",\"\xc3(\"]", LRD_ERROR_FORMAT, "JSON, line 1, column 7: the string is not valid UTF-8");
	check_syntax("\"a\\u0000b\"", LRD_ERROR_FORMAT,
		"JSON, line 1, column 1: the string holds an escaped NUL, which no name or path may");
	check_syntax("\"\\ud800\"", LRD_ERROR_FORMAT,
		"JSON, line 1, column 1: the string is not valid UTF-16 in its escapes: half a surrogate pair");
	check_syntax("\"\\udc00\\ud800\"", LRD_ERROR_FORMAT,
		"JSON, line 1, column 1: the string is not valid UTF-16 in its escapes: half a surrogate pair");
}

static void what_the_check_takes_cjson_takes(void **state)
{
	(void)state;
	static const char *const texts[] = { "0", "-0.5e+10", "[]", "{}", "[[],{}]",
		" { \"a\" : [ true , false , null ] } \n", "\"\\ud83d\\ude00 \\u00e9 \\\" \\\\ \\/ \\b\\f\\n\\r\\t\"",
		"{\"a\":1,\"a\":2}", "[1e999,-1E-999]", "\"\xf0\x9f\x98\x80\"", "{\"\":{\"\":[[[[{}]]]]}}" };
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
	{
		lrd_error error = { .code = LRD_OK };
		cJSON *json = lrd_json_parse(lrd_string_from(texts[i]), &error);
		if (json == NULL)
		{
			fail_msg("%s: %s", texts[i], error.message);
		}
		cJSON_Delete(json);
	}
}

static void deep_and_long_texts_stop_at_their_limits(void **state)
{
	(void)state;
	static char deep[LRD_JSON_MAX_DEPTH * 2 + 3];
	memset(deep, '[', LRD_JSON_MAX_DEPTH);
	deep[LRD_JSON_MAX_DEPTH] = '1';
	memset(deep + LRD_JSON_MAX_DEPTH + 1, ']', LRD_JSON_MAX_DEPTH);
	lrd_error error = { .code = LRD_OK };
	cJSON *json = lrd_json_parse(lrd_string_from(deep), &error);
	assert_non_null(json);
	cJSON_Delete(json);
	memset(deep, '[', sizeof deep - 1);
	check_syntax(deep, LRD_ERROR_LIMIT, "JSON: objects and arrays nest deeper than 256 levels");
	static char number[LRD_JSON_MAX_NUMBER + 2];
	memset(number, '1', sizeof number - 1);
	check_syntax(number, LRD_ERROR_LIMIT, "JSON, line 1, column 1: a number of 63 characters (at most 62)");
}

static void wrong_kinds_are_named_by_their_place(void **state)
{
	(void)state;
#define TOP "{\"asset\":{\"version\":\"2.0\"},"
	json_refused(TOP "\"nodes\":3}", LRD_ERROR_FORMAT, "/nodes: found a number, expected an array");
	json_refused(TOP "\"nodes\":[1]}", LRD_ERROR_FORMAT, "/nodes/0: found a number, expected an object");
	json_refused(
		TOP "\"nodes\":[{\"name\":[]}]}", LRD_ERROR_FORMAT, "/nodes/0/name: found an array, expected a string");
	json_refused(TOP "\"nodes\":[{},{\"mesh\":-1}]}", LRD_ERROR_FORMAT,
		"/nodes/1/mesh: found -1, expected a non-negative integer");
	json_refused(TOP "\"nodes\":[{\"mesh\":0.5}]}", LRD_ERROR_FORMAT, "/nodes/0/mesh: found 0.5");
	json_refused(TOP "\"nodes\":[{\"mesh\":7}]}", LRD_ERROR_FORMAT, "/nodes/0/mesh: there is no mesh 7 (there are 0)");
	json_refused(TOP "\"nodes\":[{\"scale\":[1,1]}]}", LRD_ERROR_FORMAT, "/nodes/0/scale: found 2 numbers, expected 3");
	json_refused(TOP "\"nodes\":[{\"scale\":[1,1,true]}]}", LRD_ERROR_FORMAT, "/nodes/0/scale/2: found a boolean");
	json_refused(
		TOP "\"nodes\":[{\"translation\":[1e309,0,0]}]}", LRD_ERROR_FORMAT, "/nodes/0/translation/0: found inf");
	json_refused(
		TOP "\"nodes\":[{\"translation\":[1e39,0,0]}]}", LRD_ERROR_FORMAT, "/nodes/0/translation/0: found 1e+39");
	json_refused(
		TOP "\"materials\":[{\"doubleSided\":1}]}", LRD_ERROR_FORMAT, "/materials/0/doubleSided: found a number");
	json_refused(TOP "\"materials\":[{\"extensions\":{\"KHR_materials_ior\":null}}]}", LRD_ERROR_FORMAT,
		"/materials/0/extensions/KHR_materials_ior: found null, expected an object");
	json_refused("[]", LRD_ERROR_FORMAT, "/: found an array, expected an object");
}

static void messages_are_one_line(void **state)
{
	(void)state;
	json_refused(TOP "\"extensionsRequired\":[\"a\\nb\"]}", LRD_ERROR_UNSUPPORTED, "\"a?b\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(syntax_errors_say_line_column_and_what_was_expected),
		cmocka_unit_test(strings_must_be_text),
		cmocka_unit_test(what_the_check_takes_cjson_takes),
		cmocka_unit_test(deep_and_long_texts_stop_at_their_limits),
		cmocka_unit_test(wrong_kinds_are_named_by_their_place),
		cmocka_unit_test(messages_are_one_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
