// Kinds: names and extensions, and finding a kind by a path.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/path.h"

static void every_kind_has_its_own_name(void **state)
{
	(void)state;
	for (int a = LRD_KIND_NONE; a < LRD_KIND_COUNT; a++)
	{
		for (int b = LRD_KIND_NONE; b < a; b++)
		{
			assert_string_not_equal(lrd_kind_name((lrd_kind)a), lrd_kind_name((lrd_kind)b));
		}
	}
	assert_string_equal(lrd_kind_name(LRD_TEXTURE), "texture");
	assert_string_equal(lrd_kind_name(LRD_BLOB), "blob");
}

static void every_kind_but_blob_is_found_by_its_extension(void **state)
{
	(void)state;
	for (int kind = LRD_TEXTURE; kind < LRD_BLOB; kind++)
	{
		char path[64];
		const char *extension = lrd_kind_extension((lrd_kind)kind);
		snprintf(path, sizeof path, "models/fox.v2%s", extension);
		assert_int_equal(extension[0], '.');
		assert_int_equal(lrd_kind_from_path(lrd_string_from(path)), kind);
		for (char *c = path; *c != '\0'; c++)
		{
			*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
		}
		assert_int_equal(lrd_kind_from_path(lrd_string_from(path)), kind);
	}
}

static void extensions_are_those_of_the_formats(void **state)
{
	(void)state;
	static const char *const expected[LRD_KIND_COUNT] = { "", ".ktx2", ".lmesh", ".lmat", ".lmodel", ".lskel", ".lclip",
		".lcol", ".lcue", ".lfont", ".latlas", ".lscene", ".lprefab", "" };
	for (int kind = LRD_KIND_NONE; kind < LRD_KIND_COUNT; kind++)
	{
		assert_string_equal(lrd_kind_extension((lrd_kind)kind), expected[kind]);
	}
}

static void what_has_no_known_extension_is_a_blob(void **state)
{
	(void)state;
	static const char *const paths[] = { "", "fox", "fox.", "fox.glb", ".lmesh", "a.lmesh/fox", "fox.lmesh2",
		"fox.lmesh.bak" };
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
	{
		assert_int_equal(lrd_kind_from_path(lrd_string_from(paths[i])), LRD_BLOB);
	}
}

static void numbers_that_are_no_kind_are_none(void **state)
{
	(void)state;
	static const int numbers[] = { -1, LRD_KIND_COUNT, 1000000, -2147483647 - 1 };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
	{
		lrd_kind kind;
		memcpy(&kind, &numbers[i], sizeof kind);
		assert_string_equal(lrd_kind_name(kind), "none");
		assert_string_equal(lrd_kind_extension(kind), "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_its_own_name),
		cmocka_unit_test(every_kind_but_blob_is_found_by_its_extension),
		cmocka_unit_test(extensions_are_those_of_the_formats),
		cmocka_unit_test(what_has_no_known_extension_is_a_blob),
		cmocka_unit_test(numbers_that_are_no_kind_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
