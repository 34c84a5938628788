// Folders: making them, walking them in order, links that lead out or round in circles, and keeping paths inside.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/path.h"
#include "failing_allocator.h"
#include "os/os.h"
#include "os_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void folders_are_made_with_those_above(void **state)
{
	scratch *here = *state;
	lrd_file_info info;
	static const char *const names[] = { "a", "a/b/c", "a/b/c", "x//y/", "" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		assert_true(lrd_folder_make(scratch_path(here, names[i]), NULL));
		assert_true(lrd_file_stat(scratch_path(here, names[i]), &info, NULL));
		assert_true(info.is_folder);
	}
	assert_true(lrd_folder_make("/", NULL));
	assert_true(lrd_folder_make(".", NULL));
	scratch_link(here, "link", "a");
	assert_true(lrd_folder_make(scratch_path(here, "link/new"), NULL));
	assert_true(lrd_file_stat(scratch_path(here, "a/new"), &info, NULL));
}

static void a_file_in_the_way_of_a_folder_is_an_error_that_names_it(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "");
	lrd_error error = { 0 };
	assert_false(lrd_folder_make(scratch_path(here, "file"), &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_non_null(strstr(error.message, "no folder"));
	assert_false(lrd_folder_make(scratch_path(here, "file/below/that"), &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_non_null(strstr(error.message, "file/below/that"));
}

static void only_empty_folders_are_removed(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "empty");
	scratch_folder(here, "full");
	scratch_put(here, "full/file", "");
	scratch_put(here, "file", "");
	lrd_folder_remove_empty(scratch_path(here, "empty"));
	lrd_folder_remove_empty(scratch_path(here, "full"));
	lrd_folder_remove_empty(scratch_path(here, "full/file"));
	lrd_folder_remove_empty(scratch_path(here, "missing"));
	assert_int_equal(scratch_count(here->root), 2);
	assert_int_equal(scratch_count(scratch_path(here, "full")), 1);
}

typedef struct visits
{
	char text[8192]; // the paths, a line each; links with "@" behind
	int count;
	int stop_after;
} visits;

static bool note(void *user, lrd_string path, const lrd_file_info *info)
{
	visits *seen = user;
	size_t used = strlen(seen->text);
	snprintf(seen->text + used, sizeof seen->text - used, "%.*s%s\n", LRD_STR_ARG(path), info->is_link ? "@" : "");
	assert_true(info->is_link != info->is_file);
	seen->count++;
	return seen->count != seen->stop_after;
}

static void assert_walk_is(const char *root, const char *expected)
{
	static visits seen;
	lrd_error error = { 0 };
	memset(&seen, 0, sizeof seen);
	if (!lrd_folder_walk(root, (lrd_allocator){ 0 }, note, &seen, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_string_equal(seen.text, expected);
}

static void files_are_visited_in_byte_order_of_whole_paths(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "a");
	scratch_folder(here, "a/b");
	scratch_folder(here, "empty");
	static const char *const names[] = { "b", "a/z", "a/b/c", "a/b.c", "a-b", "a.b", "a0", "B", "\xC3\xA9", "a/b/A" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		scratch_put(here, names[i], "x");
	}
	// "-" and "." come before "/", "0" after it.
	const char *expected = "B\na-b\na.b\na/b.c\na/b/A\na/b/c\na/z\na0\nb\n\xC3\xA9\n";
	assert_walk_is(here->root, expected);
	assert_walk_is(scratch_path(here, "a/.."), expected);
	char slashed[300];
	snprintf(slashed, sizeof slashed, "%s/", here->root);
	assert_walk_is(slashed, expected);
}

static void a_large_folder_is_visited_in_order(void **state)
{
	scratch *here = *state;
	for (int i = 0; i < 1000; i++)
	{
		char name[32];
		snprintf(name, sizeof name, "f%03d", i * 389 % 1000);
		scratch_put(here, name, "");
	}
	char expected[8192] = "";
	for (int i = 0; i < 1000; i++)
	{
		snprintf(expected + 5 * i, sizeof expected - 5 * (size_t)i, "f%03d\n", i);
	}
	assert_walk_is(here->root, expected);
}

static bool note_problem(void *user, lrd_string path, const lrd_file_info *info)
{
	visits *seen = user;
	seen->count++;
	if (info->problem != NULL)
	{
		assert_true(info->is_folder);
		assert_int_equal(path.data[path.size - 1], '/');
		assert_non_null(strstr(info->problem, "can't"));
		seen->stop_after++;
	}
	return true;
}

static void a_folder_that_can_not_be_read_is_visited_and_the_walk_goes_on(void **state)
{
	scratch *here = *state;
	char name[201];
	memset(name, 'd', 200);
	name[200] = '\0';
	int at = open(here->root, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 25; i++) // longer than any path may be, for whoever runs this
	{
		assert_int_equal(mkdirat(at, name, 0777), 0);
		int below = openat(at, name, O_RDONLY | O_DIRECTORY);
		close(at);
		at = below;
	}
	close(at);
	scratch_put(here, "z", "");
	visits seen = { .count = 0 };
	assert_true(lrd_folder_walk(here->root, (lrd_allocator){ 0 }, note_problem, &seen, NULL));
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.stop_after, 1);
}

static void hidden_names_and_what_is_no_file_are_passed_over(void **state)
{
	scratch *here = *state;
	scratch_put(here, ".hidden", "");
	scratch_folder(here, ".folder");
	scratch_put(here, ".folder/file", "");
	scratch_put(here, "file", "");
	assert_int_equal(mkfifo(scratch_path(here, "pipe"), 0666), 0);
	assert_walk_is(here->root, "file\n");
}

static void links_inside_are_followed_and_links_outside_only_named(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "root");
	scratch_folder(here, "root/a");
	scratch_folder(here, "root2"); // its path begins like root's
	scratch_put(here, "root2/file", "");
	scratch_put(here, "outside", "");
	scratch_put(here, "root/a/file", "");
	scratch_link(here, "root/b", "a");
	scratch_link(here, "root/c", "a/file");
	scratch_link(here, "root/d", "../outside");
	scratch_link(here, "root/e", "../root2");
	scratch_link(here, "root/f", "/etc");
	scratch_link(here, "root/g", "nowhere");
	scratch_link(here, "root/h", "../root2/../root/a");
	assert_walk_is(scratch_path(here, "root"), "a/file\nb/file\nc\nd@\ne@\nf@\ng@\nh/file\n");
}

static void links_that_lead_round_in_circles_end(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "a");
	scratch_folder(here, "b");
	scratch_put(here, "a/file", "");
	scratch_link(here, "a/root", "..");
	scratch_link(here, "a/self", ".");
	scratch_link(here, "a/to-b", "../b");
	scratch_link(here, "b/to-a", "../a");
	scratch_link(here, "loop", "loop");
	assert_walk_is(here->root, "a/file\na/root@\na/self@\na/to-b/to-a@\n"
							   "b/to-a/file\nb/to-a/root@\nb/to-a/self@\nb/to-a/to-b@\nloop@\n");
}

static void links_that_multiply_a_tree_hit_a_limit(void **state)
{
	scratch *here = *state;
	for (int a = 0; a < 12; a++)
	{
		char name[32], target[32];
		snprintf(name, sizeof name, "f%02d", a);
		scratch_folder(here, name);
		for (int b = 0; b < 12; b++)
		{
			snprintf(name, sizeof name, "f%02d/l%02d", a, b);
			snprintf(target, sizeof target, "../f%02d", b);
			scratch_link(here, name, target);
		}
	}
	static visits seen;
	memset(&seen, 0, sizeof seen);
	lrd_error error = { 0 };
	assert_false(lrd_folder_walk(here->root, (lrd_allocator){ 0 }, note, &seen, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
}

static void a_visit_can_stop_the_walk(void **state)
{
	scratch *here = *state;
	scratch_put(here, "a", "");
	scratch_folder(here, "b");
	scratch_put(here, "b/c", "");
	scratch_put(here, "d", "");
	static visits seen;
	memset(&seen, 0, sizeof seen);
	seen.stop_after = 2;
	lrd_error error = { 0 };
	assert_false(lrd_folder_walk(here->root, (lrd_allocator){ 0 }, note, &seen, &error));
	assert_string_equal(seen.text, "a\nb/c\n");
	assert_int_equal(error.code, LRD_OK);
}

static void a_root_that_is_missing_or_a_file_is_an_error(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "");
	lrd_error error = { 0 };
	visits seen = { 0 };
	assert_false(lrd_folder_walk(scratch_path(here, "no"), (lrd_allocator){ 0 }, note, &seen, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_false(lrd_folder_walk(scratch_path(here, "file"), (lrd_allocator){ 0 }, note, &seen, &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_int_equal(seen.count, 0);
}

static void a_walk_survives_every_allocation_failure(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "a");
	scratch_folder(here, "a/b");
	for (int i = 0; i < 30; i++)
	{
		char name[64];
		snprintf(name, sizeof name, "%s%020d", i % 3 == 0 ? "" : i % 3 == 1 ? "a/" : "a/b/", i);
		scratch_put(here, name, "");
	}
	bool done = false;
	int failures = 0;
	for (; !done; failures++)
	{
		assert_in_range(failures, 0, 100);
		failing_allocator failing;
		failing_allocator_init(&failing, failures);
		static visits seen;
		memset(&seen, 0, sizeof seen);
		lrd_error error = { 0 };
		done = lrd_folder_walk(here->root, failing_allocator_get(&failing), note, &seen, &error);
		assert_int_equal(error.code, done ? LRD_OK : LRD_ERROR_MEMORY);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		assert_true(!done || seen.count == 30);
	}
	assert_true(failures > 8);
}

static void paths_that_stay_inside_are_given_back_native(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "root");
	scratch_folder(here, "root/a");
	scratch_put(here, "root/a/file", "");
	scratch_link(here, "root/in", "a");
	scratch_link(here, "root/up", "a/../../root/a/file");
	static const char *const inside[] = { "a/file", "a", "a/new", "new/deep/er", "in/file", "in/new", "up",
		"a/file/odd" };
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	const char *root = scratch_path(here, "root");
	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
	{
		const char *result = NULL;
		lrd_error error = { 0 };
		if (!lrd_path_inside(arena, root, lrd_string_from(inside[i]), &result, &error))
		{
			fail_msg("%s", error.message);
		}
		assert_int_equal(strncmp(result, root, strlen(root)), 0);
		assert_string_equal(result + strlen(root) + 1, inside[i]);
	}
	lrd_arena_destroy(arena);
}

static void paths_that_leave_by_text_or_by_link_are_refused(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "root");
	scratch_folder(here, "root2");
	scratch_put(here, "root2/file", "");
	scratch_link(here, "root/out", "../root2");
	scratch_link(here, "root/etc", "/etc");
	scratch_link(here, "root/file", "../root2/file");
	scratch_link(here, "root/broken", "../root2/missing");
	scratch_link(here, "root/loop", "loop");
	static const char *const outside[] = { "../root2/file", "/etc/passwd", "..", "a/../../root2/file", "out/file",
		"out/new", "out", "etc/passwd", "etc/new/deep", "file", "broken", "broken/new", "loop", "loop/x", "", "C:/x" };
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
	{
		const char *result = "untouched";
		lrd_error error = { 0 };
		assert_false(lrd_path_inside(arena, scratch_path(here, "root"), lrd_string_from(outside[i]), &result, &error));
		assert_int_equal(error.code, LRD_ERROR_PATH);
		assert_string_equal(result, "untouched");
	}
	lrd_arena_destroy(arena);
}

static void roots_of_every_spelling_hold_their_files(void **state)
{
	scratch *here = *state;
	scratch_link(here, "root", ".");
	scratch_put(here, "file", "");
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	const char *result = NULL;
	assert_true(lrd_path_inside(arena, scratch_path(here, "root"), LRD_STR("file"), &result, NULL));
	assert_true(lrd_path_inside(arena, scratch_path(here, "root/"), LRD_STR("file"), &result, NULL));
	assert_non_null(strstr(result, "root/file"));
	assert_true(lrd_path_inside(arena, "/", LRD_STR("etc/passwd"), &result, NULL));
	assert_string_equal(result, "/etc/passwd");
	assert_true(lrd_path_inside(arena, ".", LRD_STR("a"), &result, NULL));
	assert_string_equal(result, "./a");
	assert_true(lrd_path_inside(arena, "", LRD_STR("a"), &result, NULL));
	assert_string_equal(result, "./a");
	assert_true(lrd_path_inside(arena, scratch_path(here, "not/yet"), LRD_STR("a/b"), &result, NULL));
	assert_non_null(strstr(result, "not/yet/a/b"));
	lrd_arena_destroy(arena);
}

#define SCRATCH_TEST(function) cmocka_unit_test_setup_teardown(function, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(folders_are_made_with_those_above),
		SCRATCH_TEST(a_file_in_the_way_of_a_folder_is_an_error_that_names_it),
		SCRATCH_TEST(only_empty_folders_are_removed),
		SCRATCH_TEST(files_are_visited_in_byte_order_of_whole_paths),
		SCRATCH_TEST(a_large_folder_is_visited_in_order),
		SCRATCH_TEST(a_folder_that_can_not_be_read_is_visited_and_the_walk_goes_on),
		SCRATCH_TEST(hidden_names_and_what_is_no_file_are_passed_over),
		SCRATCH_TEST(links_inside_are_followed_and_links_outside_only_named),
		SCRATCH_TEST(links_that_lead_round_in_circles_end),
		SCRATCH_TEST(links_that_multiply_a_tree_hit_a_limit),
		SCRATCH_TEST(a_visit_can_stop_the_walk),
		SCRATCH_TEST(a_root_that_is_missing_or_a_file_is_an_error),
		SCRATCH_TEST(a_walk_survives_every_allocation_failure),
		SCRATCH_TEST(paths_that_stay_inside_are_given_back_native),
		SCRATCH_TEST(paths_that_leave_by_text_or_by_link_are_refused),
		SCRATCH_TEST(roots_of_every_spelling_hold_their_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
