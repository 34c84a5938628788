// Names of cooked files.

#include "cook/glob.h"
#include "cook/recipe_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const char *claim(lrd_names *names, const char *authored, uint32_t index)
{
	static char text[8][200];
	static unsigned next;
	lrd_string name;
	lrd_error error = { 0 };
	assert_true(lrd_names_claim(names, lrd_string_from(authored), index, &name, &error));
	snprintf(text[next % 8], sizeof text[0], "%.*s", LRD_STR_ARG(name));
	return text[next++ % 8];
}

static void with_names(void (*test)(lrd_names *))
{
	lrd_names names = { .arena = lrd_arena_create((lrd_allocator){ 0 }, 0) };
	assert_non_null(names.arena);
	test(&names);
	lrd_arena_destroy(names.arena);
}

static void check_characters(lrd_names *names)
{
	assert_string_equal(claim(names, "Body_1.a-B", 0), "Body_1.a-B");
	assert_string_equal(claim(names, "a b/c\\d:e", 0), "a_b_c_d_e");
	assert_string_equal(claim(names, "\xc3\xa9t\xc3\xa9", 0), "_t_");
	assert_string_equal(claim(names, "..", 0), "..");
}

static void characters_outside_the_safe_set_become_underscores(void **state)
{
	(void)state;
	with_names(check_characters);
}

static void check_empty(lrd_names *names)
{
	assert_string_equal(claim(names, "", 7), "7");
	assert_string_equal(claim(names, "", 8), "8");
	assert_string_equal(claim(names, "8", 9), "8.2");
}

static void an_empty_name_takes_its_index(void **state)
{
	(void)state;
	with_names(check_empty);
}

static void check_equal(lrd_names *names)
{
	assert_string_equal(claim(names, "Fur", 0), "Fur");
	assert_string_equal(claim(names, "fur", 1), "fur.2");
	assert_string_equal(claim(names, "FUR", 2), "FUR.3");
	assert_string_equal(claim(names, "fur.2", 3), "fur.2.2");
	assert_string_equal(claim(names, "Fur", 4), "Fur.4");
}

static void equal_names_are_numbered_in_order_ignoring_case(void **state)
{
	(void)state;
	with_names(check_equal);
}

static void check_many(lrd_names *names)
{
	char expected[32];
	assert_string_equal(claim(names, "part", 0), "part");
	for (unsigned i = 2; i <= 70000; ++i)
	{
		snprintf(expected, sizeof expected, "part.%u", i);
		assert_string_equal(claim(names, "part", i), expected);
	}
}

static void seventy_thousand_equal_names_are_told_apart(void **state)
{
	(void)state;
	with_names(check_many);
}

static void a_glob_matches_what_its_stars_allow(void **state)
{
	(void)state;
	static const struct
	{
		const char *pattern, *path;
		bool matches;
	} rows[] = {
		{ "*.png", "a.png", true },
		{ "*.png", "b/a.png", false },
		{ "**/*.png", "a.png", true },
		{ "**/*.png", "b/c/a.png", true },
		{ "props/**/*.png", "props/a.png", true },
		{ "props/**/*.png", "props/x/y/a.png", true },
		{ "props/**/*.png", "props2/a.png", false },
		{ "props/**", "props/x/y/a.png", true },
		{ "**", "anything/at/all", true },
		{ "a?c.tga", "abc.tga", true },
		{ "a?c.tga", "a/c.tga", false },
		{ "**/x/*", "a/x/b/x/c", true },
		{ "**/x/*", "a/bx/c", false },
		{ "*a*b*c*", "xxaxxbxxcxx", true },
		{ "*a*b*c*", "xxaxxcxxbxx", false },
		{ "", "", true },
		{ "", "a", false },
		{ "a", "", false },
		{ "*", "", true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		if (lrd_glob_matches(rows[i].pattern, rows[i].path) != rows[i].matches)
		{
			fail_msg("\"%s\" and \"%s\"", rows[i].pattern, rows[i].path);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_outside_the_safe_set_become_underscores),
		cmocka_unit_test(an_empty_name_takes_its_index),
		cmocka_unit_test(equal_names_are_numbered_in_order_ignoring_case),
		cmocka_unit_test(seventy_thousand_equal_names_are_told_apart),
		cmocka_unit_test(a_glob_matches_what_its_stars_allow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
