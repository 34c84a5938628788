// Watching: what is told of files that are written, renamed, linked, made and deleted, in folders new and old; and when the
// system or memory sets limits. Changes come when they come: tests wait until they are there.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "os/watch.h"
#include "os/watch_batch.h"
#include "os_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

// What a watcher told so far.
typedef struct listener
{
	lrd_mutex mutex;
	char paths[65536]; // "|a|models/b|", in order
	unsigned calls;
	unsigned everything;
	char problem[1024];
	atomic_bool blocked; // on_change waits while this is true
	atomic_bool waiting;
} listener;

static void tell(void *user, const lrd_watch_changes *changes)
{
	listener *self = user;
	lrd_mutex_lock(&self->mutex);
	for (size_t i = 0; i < changes->count; i++)
	{
		size_t used = strlen(self->paths);
		snprintf(self->paths + used, sizeof self->paths - used, "%.*s|", LRD_STR_ARG(changes->paths[i]));
	}
	self->calls++;
	self->everything += changes->everything ? 1 : 0;
	if (changes->problem != NULL)
	{
		snprintf(self->problem, sizeof self->problem, "%s", changes->problem);
	}
	lrd_mutex_unlock(&self->mutex);
	atomic_store(&self->waiting, true);
	while (atomic_load(&self->blocked))
	{
		usleep(1000);
	}
	atomic_store(&self->waiting, false);
}

static void told_init(listener *self)
{
	memset(self, 0, sizeof *self);
	assert_true(lrd_mutex_init(&self->mutex));
	strcpy(self->paths, "|");
}

static bool was_told(listener *self, const char *path)
{
	char marked[1024];
	snprintf(marked, sizeof marked, "|%s|", path);
	lrd_mutex_lock(&self->mutex);
	bool found = strstr(self->paths, marked) != NULL;
	lrd_mutex_unlock(&self->mutex);
	return found;
}

static unsigned count_everything(listener *self)
{
	lrd_mutex_lock(&self->mutex);
	unsigned count = self->everything;
	lrd_mutex_unlock(&self->mutex);
	return count;
}

#define PATIENCE 30000 // milliseconds before a test gives up

static void await_path(listener *self, const char *path)
{
	for (int i = 0; i < PATIENCE && !was_told(self, path); i++)
	{
		usleep(1000);
	}
	if (!was_told(self, path))
	{
		fail_msg("%s was not told, but: %s (everything %u times)", path, self->paths, self->everything);
	}
}

static void await_everything(listener *self, unsigned more_than)
{
	for (int i = 0; i < PATIENCE && count_everything(self) <= more_than; i++)
	{
		usleep(1000);
	}
	if (count_everything(self) <= more_than)
	{
		fail_msg("that everything changed was not told, but: %s", self->paths);
	}
}

static lrd_watcher *start(listener *self, const char *path)
{
	told_init(self);
	lrd_error error = { 0 };
	lrd_watcher *watcher =
		lrd_watcher_start(&(lrd_watcher_desc){ .path = path, .on_change = tell, .user = self, .quiet_ms = 5 }, &error);
	if (watcher == NULL)
	{
		fail_msg("%s", error.message);
	}
	return watcher;
}

static void stop(lrd_watcher *watcher, listener *self)
{
	lrd_watcher_stop(watcher);
	lrd_mutex_destroy(&self->mutex);
}

static void a_file_that_is_written_is_told_by_its_path(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "models");
	scratch_folder(here, "models/small");
	scratch_put(here, "models/small/fox", "old");
	lrd_watcher *watcher = start(&told, here->root);
	scratch_put(here, "models/small/fox", "new");
	scratch_put(here, "above", "x");
	await_path(&told, "models/small/fox");
	await_path(&told, "above");
	stop(watcher, &told);
	assert_int_equal(told.everything, 0);
}

static void a_file_that_comes_by_rename_or_link_is_told(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "tree");
	scratch_put(here, "renamed", "x");
	scratch_put(here, "linked", "x");
	lrd_watcher *watcher = start(&told, scratch_path(here, "tree"));
	assert_int_equal(rename(scratch_path(here, "renamed"), scratch_path(here, "tree/a")), 0);
	assert_int_equal(link(scratch_path(here, "linked"), scratch_path(here, "tree/b")), 0);
	scratch_link(here, "tree/c", "../linked");
	await_path(&told, "a");
	await_path(&told, "b");
	await_path(&told, "c");
	stop(watcher, &told);
}

static void files_that_go_are_told(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "tree");
	scratch_put(here, "tree/deleted", "x");
	scratch_put(here, "tree/renamed", "x");
	lrd_watcher *watcher = start(&told, scratch_path(here, "tree"));
	unlink(scratch_path(here, "tree/deleted"));
	rename(scratch_path(here, "tree/renamed"), scratch_path(here, "tree/another"));
	await_path(&told, "deleted");
	await_path(&told, "renamed");
	await_path(&told, "another");
	stop(watcher, &told);
}

static void what_is_in_new_folders_is_told_whenever_it_was_made(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "tree");
	scratch_folder(here, "outside");
	scratch_folder(here, "outside/deep");
	scratch_put(here, "outside/deep/before", "x");
	lrd_watcher *watcher = start(&told, scratch_path(here, "tree"));
	rename(scratch_path(here, "outside"), scratch_path(here, "tree/moved"));
	await_path(&told, "moved/deep/before");
	scratch_put(here, "tree/moved/deep/after", "x");
	await_path(&told, "moved/deep/after");
	for (int i = 0; i < 50; i++) // faster than a watch can follow
	{
		char name[64];
		snprintf(name, sizeof name, "tree/made%d", i);
		scratch_folder(here, name);
		strcat(name, "/below");
		scratch_folder(here, name);
		strcat(name, "/file");
		scratch_put(here, name, "x");
	}
	for (int i = 0; i < 50; i++)
	{
		char name[64];
		snprintf(name, sizeof name, "made%d/below/file", i);
		await_path(&told, name);
	}
	stop(watcher, &told);
}

static void names_that_start_with_a_dot_are_passed_over(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, ".larder");
	lrd_watcher *watcher = start(&told, here->root);
	scratch_put(here, ".larder/cook.db", "x");
	scratch_put(here, ".fox.tmp", "x");
	scratch_folder(here, ".new");
	scratch_put(here, ".new/file", "x");
	assert_true(lrd_file_write(scratch_path(here, "fox"), "x", 1, NULL)); // by a temporary name
	await_path(&told, "fox");
	stop(watcher, &told);
	assert_string_equal(told.paths, "|fox|");
	assert_int_equal(told.everything, 0);
}

static void a_folder_that_leaves_means_everything_and_is_watched_where_it_went(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "a");
	scratch_folder(here, "a/below");
	scratch_put(here, "a/below/file", "x");
	lrd_watcher *watcher = start(&told, here->root);
	rename(scratch_path(here, "a"), scratch_path(here, "b"));
	await_everything(&told, 0);
	scratch_put(here, "b/below/new", "y");
	await_path(&told, "b/below/new");
	stop(watcher, &told);
	assert_null(strstr(told.paths, "|a/below/new|"));
}

static void a_folder_that_is_deleted_with_its_files_tells_each(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "a");
	scratch_put(here, "a/file", "x");
	lrd_watcher *watcher = start(&told, here->root);
	scratch_delete(scratch_path(here, "a"));
	await_path(&told, "a/file");
	scratch_folder(here, "a");
	scratch_put(here, "a/another", "x");
	await_path(&told, "a/another");
	stop(watcher, &told);
	assert_int_equal(told.everything, 0);
}

static void links_to_folders_are_followed_as_far_as_they_end(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "tree");
	scratch_folder(here, "outside");
	scratch_folder(here, "tree/real");
	scratch_folder(here, "tree/real/below");
	scratch_link(here, "tree/alias", "real");
	scratch_link(here, "tree/real/round", "..");
	scratch_link(here, "tree/out", "../outside");
	lrd_watcher *watcher = start(&told, scratch_path(here, "tree"));
	scratch_put(here, "tree/real/below/file", "x");
	await_path(&told, "real/below/file");
	await_path(&told, "alias/below/file");
	scratch_put(here, "outside/file", "x");
	scratch_link(here, "tree/late", "real");
	await_path(&told, "late/below/file"); // was there before the link
	scratch_put(here, "tree/real/again", "x");
	await_path(&told, "late/again");
	unlink(scratch_path(here, "tree/late"));
	await_everything(&told, 0);
	stop(watcher, &told);
	assert_null(strstr(told.paths, "out/file"));
}

static void a_root_that_is_made_again_is_watched_again(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "tree");
	scratch_put(here, "tree/file", "x");
	lrd_watcher *watcher = start(&told, scratch_path(here, "tree"));
	scratch_delete(scratch_path(here, "tree"));
	await_everything(&told, 0);
	scratch_folder(here, "new");
	scratch_folder(here, "new/below");
	scratch_put(here, "new/below/file", "x");
	unsigned before = count_everything(&told);
	rename(scratch_path(here, "new"), scratch_path(here, "tree"));
	await_everything(&told, before);
	scratch_put(here, "tree/below/again", "x");
	await_path(&told, "below/again");
	stop(watcher, &told);
}

static void a_root_that_is_a_link_may_be_led_elsewhere(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "one");
	scratch_folder(here, "two");
	scratch_link(here, "current", "one");
	lrd_watcher *watcher = start(&told, scratch_path(here, "current"));
	scratch_put(here, "one/file", "x");
	await_path(&told, "file");
	scratch_link(here, "next", "two");
	rename(scratch_path(here, "next"), scratch_path(here, "current"));
	await_everything(&told, 0);
	scratch_put(here, "two/other", "x");
	await_path(&told, "other");
	stop(watcher, &told);
}

static void a_single_file_is_told_when_it_is_replaced(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_put(here, "game.lpack", "x");
	lrd_watcher *watcher = start(&told, scratch_path(here, "game.lpack"));
	scratch_put(here, "other.lpack", "x");
	assert_true(lrd_file_write(scratch_path(here, "game.lpack"), "y", 1, NULL));
	await_everything(&told, 0);
	unsigned before = count_everything(&told);
	scratch_put(here, "game.lpack", "z"); // where it is
	await_everything(&told, before);
	before = count_everything(&told);
	unlink(scratch_path(here, "game.lpack"));
	await_everything(&told, before);
	before = count_everything(&told);
	scratch_put(here, "game.lpack", "z");
	await_everything(&told, before);
	stop(watcher, &told);
	assert_string_equal(told.paths, "|");
}

static void a_single_file_that_is_a_link_is_watched_at_both_ends(void **state)
{
	scratch *here = *state;
	listener told;
	scratch_folder(here, "builds");
	scratch_put(here, "builds/1.lpack", "x");
	scratch_put(here, "builds/2.lpack", "x");
	scratch_link(here, "game.lpack", "builds/1.lpack");
	lrd_watcher *watcher = start(&told, scratch_path(here, "game.lpack"));
	scratch_put(here, "builds/1.lpack", "y");
	await_everything(&told, 0);
	unsigned before = count_everything(&told);
	scratch_link(here, "next", "builds/2.lpack");
	rename(scratch_path(here, "next"), scratch_path(here, "game.lpack"));
	await_everything(&told, before);
	before = count_everything(&told);
	scratch_put(here, "builds/2.lpack", "y"); // where the link leads to now
	await_everything(&told, before);
	stop(watcher, &told);
}

static void more_than_can_be_told_one_by_one_is_everything(void **state)
{
	scratch *here = *state;
	listener told;
	told_init(&told);
	lrd_watcher *watcher = lrd_watcher_start(
		&(lrd_watcher_desc){ .path = here->root, .on_change = tell, .user = &told, .quiet_ms = 20, .paths_max = 3 },
		NULL);
	assert_non_null(watcher);
	atomic_store(&told.blocked, true);
	scratch_put(here, "first", "x");
	while (!atomic_load(&told.waiting))
	{
		usleep(1000);
	}
	for (int i = 0; i < 4; i++)
	{
		scratch_put(here, (const char *[]){ "a", "b", "c", "d" }[i], "x");
	}
	atomic_store(&told.blocked, false);
	await_everything(&told, 0);
	scratch_put(here, "later", "x");
	await_path(&told, "later");
	stop(watcher, &told);
}

static void changes_that_the_system_lost_are_everything(void **state)
{
	scratch *here = *state;
	unsigned most = 0;
	FILE *limit = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
	if (limit != NULL)
	{
		if (fscanf(limit, "%u", &most) != 1)
		{
			most = 0;
		}
		fclose(limit);
	}
	if (most == 0 || most > 100000)
	{
		print_message("the system's limit is not known, or too high to be reached: %u\n", most);
		skip();
	}
	listener told;
	scratch_folder(here, "below");
	lrd_watcher *watcher = start(&told, here->root);
	atomic_store(&told.blocked, true);
	scratch_put(here, "first", "x");
	while (!atomic_load(&told.waiting))
	{
		usleep(1000);
	}
	for (unsigned i = 0; i <= most / 2; i++) // each makes two events, none like the one before it
	{
		rename(
			scratch_path(here, i % 2 == 0 ? "first" : "second"), scratch_path(here, i % 2 == 0 ? "second" : "first"));
	}
	scratch_folder(here, "unseen");
	atomic_store(&told.blocked, false);
	await_everything(&told, 0);
	scratch_put(here, "unseen/file", "x");
	await_path(&told, "unseen/file");
	stop(watcher, &told);
}

static void nothing_is_told_once_it_stopped(void **state)
{
	scratch *here = *state;
	listener told;
	lrd_watcher *watcher = start(&told, here->root);
	lrd_watcher_stop(watcher);
	lrd_watcher_stop(NULL);
	scratch_put(here, "file", "x");
	usleep(20000);
	assert_int_equal(told.calls, 0);
	lrd_mutex_destroy(&told.mutex);
}

static void what_is_not_there_can_not_be_watched(void **state)
{
	scratch *here = *state;
	lrd_error error = { 0 };
	lrd_watcher_desc desc = { .path = scratch_path(here, "none/such"), .on_change = tell };
	assert_null(lrd_watcher_start(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, "none/such"));
}

static void refusals_of_the_system_say_what_to_do(void **state)
{
	(void)state;
	lrd_error error = { 0 };
	assert_false(lrd_watcher_refused(&error, ENOSPC, "cooked/models"));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	assert_non_null(strstr(error.message, "cooked/models"));
	assert_non_null(strstr(error.message, "sysctl fs.inotify.max_user_watches"));
	assert_false(lrd_watcher_refused(&error, ENOSYS, "cooked"));
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_false(lrd_watcher_refused(&error, EACCES, "cooked"));
	assert_int_equal(error.code, LRD_ERROR_IO);
}

static void without_descriptors_there_is_an_error_and_nothing_left(void **state)
{
	scratch *here = *state;
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	lrd_watcher_desc desc = { .path = here->root, .on_change = tell };
	int next = dup(0);
	close(next);
	for (int extra = 0; extra < 2; extra++) // no inotify instance; then one, and no way to stop it
	{
		struct rlimit low = { (rlim_t)(next + extra), before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
		lrd_error error = { 0 };
		lrd_watcher *watcher = lrd_watcher_start(&desc, &error);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_null(watcher);
		assert_int_equal(error.code, LRD_ERROR_LIMIT);
		assert_non_null(strstr(error.message, "max_user_instances"));
	}
	int again = dup(0);
	assert_int_equal(again, next);
	close(again);
}

static void starting_survives_every_allocation_failing(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "a");
	scratch_folder(here, "a/b");
	listener told;
	told_init(&told);
	bool started = false;
	for (long long succeed = 0; !started; succeed++)
	{
		failing_allocator failing;
		failing_allocator_init(&failing, succeed);
		lrd_error error = { 0 };
		lrd_watcher_desc desc = { here->root, tell, &told, 1, 0, 0, failing_allocator_get(&failing) };
		lrd_watcher *watcher = lrd_watcher_start(&desc, &error);
		started = watcher != NULL;
		assert_true(started || error.code == LRD_ERROR_MEMORY);
		lrd_watcher_stop(watcher);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		assert_true(succeed < 100);
	}
	lrd_mutex_destroy(&told.mutex);
}

static void changes_are_told_though_every_allocation_fails(void **state)
{
	scratch *here = *state;
	for (long long succeed = 0; succeed < 12; succeed++)
	{
		listener told;
		told_init(&told);
		failing_allocator failing;
		failing_allocator_init(&failing, -1);
		lrd_watcher_desc desc = { here->root, tell, &told, 1, 0, 0, failing_allocator_get(&failing) };
		lrd_watcher *watcher = lrd_watcher_start(&desc, NULL);
		assert_non_null(watcher);
		atomic_store(&failing.countdown, succeed);
		char name[64];
		snprintf(name, sizeof name, "folder%lld", succeed);
		scratch_folder(here, name);
		strcat(name, "/a-file-in-it-whose-name-needs-some-room-to-be-kept");
		scratch_put(here, name, "x");
		for (int i = 0; i < PATIENCE && count_everything(&told) == 0 && !was_told(&told, name); i++)
		{
			usleep(1000);
		}
		assert_true(count_everything(&told) != 0 || was_told(&told, name));
		assert_true(succeed != 0 || count_everything(&told) != 0);
		lrd_watcher_stop(watcher);
		assert_true(told.problem[0] == '\0' || strstr(told.problem, "out of memory") != NULL);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		lrd_mutex_destroy(&told.mutex);
	}
}

// The batch, on a clock of the test's own.

static lrd_watch_batch batch_of(lrd_allocator allocator)
{
	return (lrd_watch_batch){
		.allocator = allocator, .text = { .allocator = allocator }, .quiet_ns = 40, .longest_ns = 500, .paths_max = 8
	};
}

static void a_change_is_told_when_it_was_quiet_for_long_enough(void **state)
{
	(void)state;
	lrd_watch_batch batch = batch_of((lrd_allocator){ 0 });
	lrd_watch_changes changes;
	assert_true(lrd_watch_batch_due(&batch) == UINT64_MAX);
	lrd_watch_batch_add(&batch, LRD_STR("a"), false, 1000);
	lrd_watch_batch_add(&batch, LRD_STR("b"), false, 1010);
	lrd_watch_batch_add(&batch, LRD_STR("a"), false, 1030); // once more, but told once
	assert_true(lrd_watch_batch_due(&batch) == 1070);
	assert_false(lrd_watch_batch_take(&batch, 1069, &changes));
	assert_true(lrd_watch_batch_take(&batch, 1070, &changes));
	assert_int_equal(changes.count, 2);
	assert_true(lrd_string_equal(changes.paths[0], LRD_STR("a")));
	assert_true(lrd_string_equal(changes.paths[1], LRD_STR("b")));
	lrd_watch_batch_told(&batch, 1070);
	assert_true(lrd_watch_batch_due(&batch) == UINT64_MAX);
	lrd_watch_batch_free(&batch);
}

static void a_change_is_not_kept_back_for_ever(void **state)
{
	(void)state;
	lrd_watch_batch batch = batch_of((lrd_allocator){ 0 });
	for (uint64_t now = 1000; now < 1500; now += 10)
	{
		lrd_watch_batch_add(&batch, LRD_STR("busy"), false, now);
		assert_true(lrd_watch_batch_due(&batch) == (now + 40 < 1500 ? now + 40 : 1500));
	}
	lrd_watch_batch_free(&batch);
}

static void a_file_that_was_made_waits_until_it_is_written(void **state)
{
	(void)state;
	lrd_watch_batch batch = batch_of((lrd_allocator){ 0 });
	lrd_watch_changes changes;
	lrd_watch_batch_add(&batch, LRD_STR("slow"), true, 1000);
	lrd_watch_batch_add(&batch, LRD_STR("whole"), false, 1010);
	lrd_watch_batch_add(&batch, LRD_STR("never"), true, 1020);
	assert_true(lrd_watch_batch_take(&batch, 1050, &changes));
	assert_int_equal(changes.count, 1);
	assert_true(lrd_string_equal(changes.paths[0], LRD_STR("whole")));
	lrd_watch_batch_told(&batch, 1050);
	assert_true(lrd_watch_batch_due(&batch) == 1500);
	lrd_watch_batch_add(&batch, LRD_STR("slow"), false, 1200);
	assert_true(lrd_watch_batch_take(&batch, 1240, &changes));
	assert_int_equal(changes.count, 1);
	assert_true(lrd_string_equal(changes.paths[0], LRD_STR("slow")));
	lrd_watch_batch_told(&batch, 1240);
	assert_true(lrd_watch_batch_take(&batch, 1520, &changes));
	assert_int_equal(changes.count, 1);
	assert_true(lrd_string_equal(changes.paths[0], LRD_STR("never")));
	lrd_watch_batch_told(&batch, 1520);
	assert_true(lrd_watch_batch_due(&batch) == UINT64_MAX);
	lrd_watch_batch_free(&batch);
}

static void a_batch_that_memory_fails_is_everything(void **state)
{
	(void)state;
	for (long long succeed = 0; succeed < 4; succeed++)
	{
		failing_allocator failing;
		failing_allocator_init(&failing, succeed);
		lrd_watch_batch batch = batch_of(failing_allocator_get(&failing));
		lrd_watch_changes changes;
		lrd_watch_batch_add(&batch, LRD_STR("a"), false, 1000);
		lrd_watch_batch_add(&batch, LRD_STR("b"), true, 1000);
		assert_true(lrd_watch_batch_take(&batch, 1040, &changes));
		assert_true(changes.everything ? changes.count == 0 : changes.count == 1);
		assert_true(changes.everything == (succeed < 3));
		lrd_watch_batch_told(&batch, 1040);
		lrd_watch_batch_free(&batch);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
	}
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER(a_file_that_is_written_is_told_by_its_path),
		IN_A_FOLDER(a_file_that_comes_by_rename_or_link_is_told),
		IN_A_FOLDER(files_that_go_are_told),
		IN_A_FOLDER(what_is_in_new_folders_is_told_whenever_it_was_made),
		IN_A_FOLDER(names_that_start_with_a_dot_are_passed_over),
		IN_A_FOLDER(a_folder_that_leaves_means_everything_and_is_watched_where_it_went),
		IN_A_FOLDER(a_folder_that_is_deleted_with_its_files_tells_each),
		IN_A_FOLDER(links_to_folders_are_followed_as_far_as_they_end),
		IN_A_FOLDER(a_root_that_is_made_again_is_watched_again),
		IN_A_FOLDER(a_root_that_is_a_link_may_be_led_elsewhere),
		IN_A_FOLDER(a_single_file_is_told_when_it_is_replaced),
		IN_A_FOLDER(a_single_file_that_is_a_link_is_watched_at_both_ends),
		IN_A_FOLDER(more_than_can_be_told_one_by_one_is_everything),
		IN_A_FOLDER(changes_that_the_system_lost_are_everything),
		IN_A_FOLDER(nothing_is_told_once_it_stopped),
		IN_A_FOLDER(what_is_not_there_can_not_be_watched),
		cmocka_unit_test(refusals_of_the_system_say_what_to_do),
		IN_A_FOLDER(without_descriptors_there_is_an_error_and_nothing_left),
		IN_A_FOLDER(starting_survives_every_allocation_failing),
		IN_A_FOLDER(changes_are_told_though_every_allocation_fails),
		cmocka_unit_test(a_change_is_told_when_it_was_quiet_for_long_enough),
		cmocka_unit_test(a_change_is_not_kept_back_for_ever),
		cmocka_unit_test(a_file_that_was_made_waits_until_it_is_written),
		cmocka_unit_test(a_batch_that_memory_fails_is_everything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
