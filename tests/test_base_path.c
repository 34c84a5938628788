// Strings, UTF-8 and asset paths: tables of what is accepted, refused, resolved.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/path.h"
#include "failing_allocator.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void strings_compare_by_bytes_or_folded(void **state)
{
	(void)state;
	assert_true(lrd_string_equal(LRD_STR(""), (lrd_string){ NULL, 0 }));
	assert_false(lrd_string_equal(LRD_STR("a"), LRD_STR("A")));
	assert_int_equal(lrd_string_from(NULL).size, 0);
	assert_true(lrd_string_equal_folded(LRD_STR("Fox"), LRD_STR("fOX")));
	assert_false(lrd_string_equal_folded(LRD_STR("fo"), LRD_STR("fox")));
	assert_false(lrd_string_equal_folded(LRD_STR("\xC3\x89"), LRD_STR("\xC3\xA9"))); // É, é: not ASCII
	assert_true(lrd_string_compare(LRD_STR("B"), LRD_STR("a")) < 0);
	assert_true(lrd_string_compare_folded(LRD_STR("B"), LRD_STR("a")) > 0);
	assert_true(lrd_string_compare(LRD_STR("fox"), LRD_STR("fo")) > 0);
	assert_true(lrd_string_compare(LRD_STR("fo"), LRD_STR("fox")) < 0);
	assert_true(lrd_string_compare(LRD_STR("\xC3"), LRD_STR("z")) > 0); // bytes are unsigned
	assert_true(lrd_string_compare_folded(LRD_STR("\xC3"), LRD_STR("z")) > 0);
	assert_int_equal(lrd_string_compare(LRD_STR(""), (lrd_string){ NULL, 0 }), 0);
}

static void beginnings_and_endings_are_told(void **state)
{
	(void)state;
	assert_true(lrd_string_starts_with(LRD_STR("models/fox"), LRD_STR("models/")));
	assert_true(lrd_string_starts_with(LRD_STR("fox"), LRD_STR("")));
	assert_false(lrd_string_starts_with(LRD_STR("mod"), LRD_STR("models")));
	assert_false(lrd_string_starts_with(LRD_STR("Models"), LRD_STR("models")));
	assert_true(lrd_string_ends_with_folded(LRD_STR("fox.GLB"), LRD_STR(".glb")));
	assert_true(lrd_string_ends_with_folded(LRD_STR("fox"), LRD_STR("")));
	assert_false(lrd_string_ends_with_folded(LRD_STR("glb"), LRD_STR(".glb")));
	assert_true(lrd_string_ends_with_folded((lrd_string){ NULL, 0 }, (lrd_string){ NULL, 0 }));
}

// After Markus Kuhn's "UTF-8 decoder capability and stress test" and Unicode 15, table 3-7.
static const char *const malformed[] = {
	"\x80",
	"\xBF",
	"\xC0\x80",
	"\xC1\xBF",
	"\xC2",
	"\xC2\x41",
	"\xC2\xC0",
	"\xE0\x80\x80",
	"\xE0\x9F\xBF",
	"\xE1\x80",
	"\xE1\x80\x41",
	"\xE1\x41\x80",
	"\xED\xA0\x80",
	"\xED\xBF\xBF",
	"\xED\xA0\x80\xED\xB0\x80",
	"\xF0\x80\x80\x80",
	"\xF0\x8F\xBF\xBF",
	"\xF0\x90\x80",
	"\xF0\x90\x80\x41",
	"\xF0\x90\x41\x80",
	"\xF4\x90\x80\x80",
	"\xF5\x80\x80\x80",
	"\xF8\x88\x80\x80\x80",
	"\xFC\x84\x80\x80\x80\x80",
	"\xFE",
	"\xFF",
	"\xC3\xA9\x80",
	"a\xE2\x82",
};
static const char *const well_formed[] = { "", "fox", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
	"\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
	"na\xC3\xAFve \xE7\x8B\x90 \xF0\x9F\xA6\x8A" };

static void utf8_is_told_from_what_is_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(malformed); i++)
	{
		assert_false(lrd_utf8_valid(lrd_string_from(malformed[i])));
	}
	for (size_t i = 0; i < COUNT(well_formed); i++)
	{
		assert_true(lrd_utf8_valid(lrd_string_from(well_formed[i])));
	}
}

static void utf8_is_checked_wherever_it_lies(void **state)
{
	(void)state;
	for (size_t before = 0; before < 100; before++)
	{
		for (size_t i = 0; i < COUNT(malformed) + COUNT(well_formed); i++)
		{
			bool sound = i >= COUNT(malformed);
			const char *sequence = sound ? well_formed[i - COUNT(malformed)] : malformed[i];
			char text[256];
			memset(text, 'x', sizeof text);
			memcpy(text + before, sequence, strlen(sequence));
			assert_int_equal(lrd_utf8_valid((lrd_string){ text, sizeof text }), sound);
			assert_int_equal(lrd_utf8_valid((lrd_string){ text, before + strlen(sequence) }), sound);
		}
	}
}

static void good_asset_paths_are_accepted(void **state)
{
	(void)state;
	static const char *const paths[] = { "a", "models/fox.glb", "models/fox/material.fur", "a/b/c/d", "...", ".hidden",
		"a..b/c.", "with space/\xE7\x8B\x90.png", "100%", "~x" };
	for (size_t i = 0; i < COUNT(paths); i++)
	{
		assert_true(lrd_path_check(lrd_string_from(paths[i]), NULL));
	}
	char longest[LRD_PATH_MAX];
	memset(longest, 'a', sizeof longest);
	assert_true(lrd_path_check((lrd_string){ longest, sizeof longest }, NULL));
}

static void bad_asset_paths_are_refused_with_the_rule(void **state)
{
	(void)state;
	static const struct
	{
		const char *path;
		const char *rule; // what the message must hold
	} cases[] = {
		{ "", "empty" },
		{ "/a", "relative" },
		{ "/", "relative" },
		{ "a//b", "empty component" },
		{ "a/", "empty component" },
		{ ".", "\"..\"" },
		{ "..", "\"..\"" },
		{ "a/../b", "\"..\"" },
		{ "a/.", "\"..\"" },
		{ "a\\b", "\\" },
		{ "C:/a", ":" },
		{ "file:a", ":" },
		{ "a\nb", "control" },
		{ "a\x7F", "control" },
		{ "a\xC2\x85", "control" },
		{ "a\xFF", "UTF-8" },
		{ "\xC0\xAE\xC0\xAE/a", "UTF-8" },
	};
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		lrd_error error = { 0 };
		assert_false(lrd_path_check(lrd_string_from(cases[i].path), &error));
		assert_int_equal(error.code, LRD_ERROR_PATH);
		assert_non_null(strstr(error.message, cases[i].rule));
		assert_true(lrd_utf8_valid(lrd_string_from(error.message)));
	}
	lrd_error error = { 0 };
	assert_false(lrd_path_check((lrd_string){ "a\0b", 3 }, &error));
	assert_non_null(strstr(error.message, "a\\x00b"));
}

static void a_path_too_long_is_refused_and_quoted_in_part(void **state)
{
	(void)state;
	char path[5000];
	memset(path, 'a', sizeof path);
	lrd_error error = { 0 };
	assert_false(lrd_path_check((lrd_string){ path, LRD_PATH_MAX + 1 }, &error));
	assert_non_null(strstr(error.message, "1025 bytes"));
	assert_false(lrd_path_check((lrd_string){ path, sizeof path }, &error));
	assert_non_null(strstr(error.message, "aaa...\""));
	memset(path, '\xFF', sizeof path); // each byte is quoted as four
	assert_false(lrd_path_check((lrd_string){ path, sizeof path }, &error));
	assert_non_null(strstr(error.message, "\\xff...\""));
}

static void references_are_resolved_from_the_folder_of_their_file(void **state)
{
	(void)state;
	static const char *const cases[][3] = {
		{ "models/fox.gltf", "fox.bin", "models/fox.bin" },
		{ "models/fox.gltf", "../tex/a.png", "tex/a.png" },
		{ "models/fox.gltf", "./b.bin", "models/b.bin" },
		{ "fox.gltf", "b.bin", "b.bin" },
		{ "a/b/c/d.gltf", "../../x/./../y.png", "a/y.png" },
		{ "a/b.gltf", "..\\tex\\c.png", "tex/c.png" },
		{ "a/b.gltf", "x//y.png", "a/x/y.png" },
		{ "a/b.gltf", "x/../c.png", "a/c.png" },
		{ "a/b.gltf", "...", "a/..." },
		{ "", "x.png", "x.png" },
	};
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		lrd_string result = { 0 };
		lrd_error error = { 0 };
		assert_true(
			lrd_path_resolve(arena, lrd_string_from(cases[i][0]), lrd_string_from(cases[i][1]), &result, &error));
		assert_string_equal(result.data, cases[i][2]);
		assert_int_equal(result.size, strlen(cases[i][2]));
	}
	lrd_arena_destroy(arena);
}

static void references_that_leave_the_root_or_are_absolute_are_refused(void **state)
{
	(void)state;
	static const char *const cases[][3] = {
		{ "models/fox.gltf", "../../secret", "out of the root" },
		{ "fox.gltf", "../fox.bin", "out of the root" },
		{ "a/b.gltf", "..\\..\\c", "out of the root" },
		{ "a/b.gltf", "x/../../../c", "out of the root" },
		{ "a/b.gltf", "/etc/passwd", "absolute" },
		{ "a/b.gltf", "\\\\server\\share", "absolute" },
		{ "a/b.gltf", "C:\\tex.png", "scheme" },
		{ "a/b.gltf", "c:tex.png", "scheme" },
		{ "a/b.gltf", "https://example.com/a.png", "scheme" },
		{ "a/b.gltf", "data:;base64,AA==", "scheme" },
		{ "a/b.gltf", "x/y:z", ":" },
		{ "a/b.gltf", "", "name a file" },
		{ "a/b.gltf", ".", "folder" },
		{ "a/b.gltf", "x/", "folder" },
		{ "a/b.gltf", "x/..", "folder" },
		{ "a/b.gltf", "x\ty", "control" },
		{ "a/b.gltf", "x\xFFy", "UTF-8" },
	};
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		lrd_string result = { "untouched", 9 };
		lrd_error error = { 0 };
		assert_false(
			lrd_path_resolve(arena, lrd_string_from(cases[i][0]), lrd_string_from(cases[i][1]), &result, &error));
		assert_int_equal(error.code, LRD_ERROR_PATH);
		assert_non_null(strstr(error.message, cases[i][2]));
		assert_string_equal(result.data, "untouched");
	}
	lrd_arena_destroy(arena);
}

static void percent_escapes_are_decoded(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "plain", "plain" },
		{ "a%20b%2fc%2F", "a b/c/" },
		{ "%E7%8B%90.png", "\xE7\x8B\x90.png" },
		{ "%25", "%" },
		{ "%2525", "%25" },
		{ "a+b", "a+b" },
		{ "", "" },
	};
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		lrd_string result = { 0 };
		assert_true(lrd_path_percent_decode(arena, lrd_string_from(cases[i][0]), &result, NULL));
		assert_string_equal(result.data, cases[i][1]);
	}
	lrd_arena_destroy(arena);
}

static void malformed_escapes_and_escaped_nul_are_refused(void **state)
{
	(void)state;
	static const char *const cases[] = { "%", "a%2", "%zz", "%2g", "%g2", "a%00b", "%%20" };
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		lrd_string result = { 0 };
		lrd_error error = { 0 };
		assert_false(lrd_path_percent_decode(arena, lrd_string_from(cases[i]), &result, &error));
		assert_int_equal(error.code, LRD_ERROR_PATH);
		assert_non_null(strstr(error.message, cases[i]));
	}
	lrd_arena_destroy(arena);
}

static void paths_are_taken_apart(void **state)
{
	(void)state;
	static const char *const cases[][5] = {
		// path, folder, file, extension, stem
		{ "a/b.c", "a", "b.c", ".c", "a/b" },
		{ "b", "", "b", "", "b" },
		{ "a.b/c", "a.b", "c", "", "a.b/c" },
		{ "x/y/z.tar.gz", "x/y", "z.tar.gz", ".gz", "x/y/z.tar" },
		{ "a/.hidden", "a", ".hidden", "", "a/.hidden" },
		{ "a/.hidden.png", "a", ".hidden.png", ".png", "a/.hidden" },
		{ "a/b.", "a", "b.", ".", "a/b" },
		{ "", "", "", "", "" },
	};
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		lrd_string path = lrd_string_from(cases[i][0]);
		assert_true(lrd_string_equal(lrd_path_folder(path), lrd_string_from(cases[i][1])));
		assert_true(lrd_string_equal(lrd_path_file(path), lrd_string_from(cases[i][2])));
		assert_true(lrd_string_equal(lrd_path_extension(path), lrd_string_from(cases[i][3])));
		assert_true(lrd_string_equal(lrd_path_stem(path), lrd_string_from(cases[i][4])));
	}
	assert_int_equal(lrd_path_file((lrd_string){ NULL, 0 }).size, 0);
}

static void resolving_without_memory_says_so(void **state)
{
	(void)state;
	failing_allocator failing;
	failing_allocator_init(&failing, 1);
	lrd_arena *arena = lrd_arena_create(failing_allocator_get(&failing), 512);
	while (lrd_arena_alloc(arena, 1) != NULL)
	{
	}
	lrd_string result = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_path_resolve(arena, LRD_STR("a/b"), LRD_STR("c"), &result, &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	error.code = LRD_OK;
	assert_false(lrd_path_percent_decode(arena, LRD_STR("a"), &result, &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	lrd_arena_destroy(arena);
	assert_int_equal(atomic_load(&failing.bytes_out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_compare_by_bytes_or_folded),
		cmocka_unit_test(beginnings_and_endings_are_told),
		cmocka_unit_test(utf8_is_told_from_what_is_not),
		cmocka_unit_test(utf8_is_checked_wherever_it_lies),
		cmocka_unit_test(good_asset_paths_are_accepted),
		cmocka_unit_test(bad_asset_paths_are_refused_with_the_rule),
		cmocka_unit_test(a_path_too_long_is_refused_and_quoted_in_part),
		cmocka_unit_test(references_are_resolved_from_the_folder_of_their_file),
		cmocka_unit_test(references_that_leave_the_root_or_are_absolute_are_refused),
		cmocka_unit_test(percent_escapes_are_decoded),
		cmocka_unit_test(malformed_escapes_and_escaped_nul_are_refused),
		cmocka_unit_test(paths_are_taken_apart),
		cmocka_unit_test(resolving_without_memory_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
