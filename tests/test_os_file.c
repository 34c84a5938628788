// Single files: reading whole, atomic replacement under failures and kills, deleting, locking.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "os/os.h"
#include "os_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static void assert_file_is(const char *path, const char *text)
{
	lrd_buffer buffer = { 0 };
	lrd_error error = { 0 };
	if (!lrd_file_read(path, &buffer, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_int_equal(buffer.size, strlen(text));
	assert_memory_equal(buffer.data, text, buffer.size);
	lrd_buffer_free(&buffer);
}

static void stat_tells_files_from_folders_and_follows_links(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "hello");
	scratch_link(here, "link", "file");
	lrd_file_info info, linked;
	assert_true(lrd_file_stat(scratch_path(here, "file"), &info, NULL));
	assert_true(info.is_file && !info.is_folder && !info.is_link);
	assert_int_equal(info.size, 5);
	int64_t now = (int64_t)time(NULL) * 1000000000;
	assert_true(info.mtime_ns > now - 100 * (int64_t)1000000000 && info.mtime_ns < now + 100 * (int64_t)1000000000);
	assert_true(lrd_file_stat(scratch_path(here, "link"), &linked, NULL));
	assert_true(linked.is_file && !linked.is_link && linked.inode == info.inode);
	assert_true(lrd_file_stat(here->root, &info, NULL));
	assert_true(info.is_folder && !info.is_file);
}

static void what_is_not_there_is_said_to_be_not_found(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "");
	static const char *const names[] = { "missing", "missing/below", "file/below" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		lrd_error error = { 0 };
		lrd_file_info info;
		lrd_buffer buffer = { 0 };
		assert_false(lrd_file_stat(scratch_path(here, names[i]), &info, &error));
		assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
		assert_non_null(strstr(error.message, names[i]));
		error.code = LRD_OK;
		assert_false(lrd_file_read(scratch_path(here, names[i]), &buffer, &error));
		assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	}
}

static void a_file_is_read_whole_into_aligned_memory(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "hello fox");
	lrd_buffer buffer = { 0 };
	assert_true(lrd_buffer_append(&buffer, "what was there before", 21));
	assert_true(lrd_file_read(scratch_path(here, "file"), &buffer, NULL));
	assert_int_equal(buffer.size, 9);
	assert_memory_equal(buffer.data, "hello fox", 9);
	assert_int_equal((uintptr_t)buffer.data % 16, 0);
	lrd_buffer_free(&buffer);
	scratch_put(here, "empty", "");
	assert_true(lrd_file_read(scratch_path(here, "empty"), &buffer, NULL));
	assert_int_equal(buffer.size, 0);
	lrd_buffer_free(&buffer);
}

static void what_is_no_regular_file_is_not_read(void **state)
{
	scratch *here = *state;
	assert_int_equal(mkfifo(scratch_path(here, "pipe"), 0666), 0);
	lrd_buffer buffer = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_file_read(scratch_path(here, "pipe"), &buffer, &error)); // and does not wait for a writer
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_false(lrd_file_read(here->root, &buffer, &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_non_null(strstr(error.message, "folder"));
}

static void reading_without_memory_says_so_and_keeps_the_buffer(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "hello fox");
	failing_allocator failing;
	failing_allocator_init(&failing, 1);
	lrd_buffer buffer = { .allocator = failing_allocator_get(&failing) };
	assert_true(lrd_buffer_append(&buffer, "old", 3));
	lrd_error error = { 0 };
	assert_false(lrd_file_read(scratch_path(here, "file"), &buffer, &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	assert_int_equal(buffer.size, 3);
	assert_memory_equal(buffer.data, "old", 3);
	lrd_buffer_free(&buffer);
	assert_int_equal(atomic_load(&failing.bytes_out), 0);
}

// An allocator that meddles with the file between the first look and the reading.
typedef struct meddler
{
	const char *path;
	int how;
} meddler;

static void *meddle(void *user, void *block, size_t old_size, size_t new_size)
{
	const meddler *self = user;
	(void)old_size;
	if (new_size == 0)
	{
		free(block);
		return NULL;
	}
	int file = open(self->path, O_WRONLY);
	assert_true(file >= 0);
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1000 } };
	if (self->how == 0)
	{
		assert_int_equal(pwrite(file, "x", 1, 9), 1); // longer
	}
	else if (self->how == 1)
	{
		assert_int_equal(ftruncate(file, 4), 0);
	}
	else
	{
		assert_int_equal(pwrite(file, "J", 1, 0), 1); // of the same size
		assert_int_equal(futimens(file, times), 0);
	}
	close(file);
	return realloc(block, new_size);
}

static void a_file_that_changes_while_it_is_read_is_refused(void **state)
{
	scratch *here = *state;
	for (int how = 0; how < 3; how++)
	{
		scratch_put(here, "file", "hello fox");
		meddler self = { scratch_path(here, "file"), how };
		lrd_buffer buffer = { .allocator = { meddle, &self } };
		lrd_error error = { 0 };
		assert_false(lrd_file_read(self.path, &buffer, &error));
		assert_int_equal(error.code, LRD_ERROR_CHANGED);
		assert_null(buffer.data);
	}
}

static void writing_makes_and_replaces_files_and_leaves_nothing_else(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "file");
	assert_true(lrd_file_write(path, "one", 3, NULL));
	assert_file_is(path, "one");
	assert_true(lrd_file_write(path, "twotwo", 6, NULL));
	assert_file_is(path, "twotwo");
	assert_true(lrd_file_write(path, NULL, 0, NULL));
	assert_file_is(path, "");
	assert_int_equal(scratch_count(here->root), 1);
}

static void a_new_file_has_the_rights_that_umask_leaves(void **state)
{
	scratch *here = *state;
	mode_t before = umask(027);
	bool written = lrd_file_write(scratch_path(here, "file"), "x", 1, NULL);
	umask(before);
	assert_true(written);
	struct stat status;
	assert_int_equal(stat(scratch_path(here, "file"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
}

static void a_relative_path_and_a_very_long_name_can_be_written(void **state)
{
	scratch *here = *state;
	char before[1024];
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(here->root), 0);
	char name[256];
	memset(name, 'n', 255); // as long as names may be
	memcpy(name + 126, "\xE7\x8B\x90", 3);
	name[255] = '\0';
	bool written = lrd_file_write("file", "one", 3, NULL) && lrd_file_write(name, "two", 3, NULL);
	int count = scratch_count(".");
	assert_int_equal(chdir(before), 0);
	assert_true(written);
	assert_int_equal(count, 2);
	assert_file_is(scratch_path(here, "file"), "one");
}

static void pieces_of_any_size_are_written_in_order(void **state)
{
	scratch *here = *state;
	size_t total = 1000000;
	uint8_t *bytes = malloc(total);
	assert_non_null(bytes);
	for (size_t i = 0; i < total; i++)
	{
		bytes[i] = (uint8_t)(i * 2654435761u >> 13);
	}
	lrd_file_writer *writer = lrd_file_writer_begin(scratch_path(here, "file"), (lrd_allocator){ 0 }, NULL);
	assert_non_null(writer);
	for (size_t done = 0, piece = 0; done < total; done += piece)
	{
		piece = (done * 31 + 7) % (done % 3 == 0 ? 200000 : 100) + (done == 0 ? 0 : 1);
		piece = piece < total - done ? piece : total - done;
		assert_true(lrd_file_writer_write(writer, bytes + done, piece, NULL));
		assert_true(lrd_file_writer_write(writer, NULL, 0, NULL));
	}
	assert_true(lrd_file_writer_commit(writer, NULL));
	lrd_buffer buffer = { 0 };
	assert_true(lrd_file_read(scratch_path(here, "file"), &buffer, NULL));
	assert_int_equal(buffer.size, total);
	assert_memory_equal(buffer.data, bytes, total);
	lrd_buffer_free(&buffer);
	free(bytes);
}

static void an_abandoned_writer_leaves_the_old_file(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "old");
	lrd_file_writer *writer = lrd_file_writer_begin(scratch_path(here, "file"), (lrd_allocator){ 0 }, NULL);
	assert_true(lrd_file_writer_write(writer, "new", 3, NULL));
	lrd_file_writer_abandon(writer);
	lrd_file_writer_abandon(NULL);
	assert_file_is(scratch_path(here, "file"), "old");
	assert_int_equal(scratch_count(here->root), 1);
}

static void two_writers_of_one_file_do_not_meet(void **state)
{
	scratch *here = *state;
	lrd_file_writer *a = lrd_file_writer_begin(scratch_path(here, "file"), (lrd_allocator){ 0 }, NULL);
	lrd_file_writer *b = lrd_file_writer_begin(scratch_path(here, "file"), (lrd_allocator){ 0 }, NULL);
	assert_true(lrd_file_writer_write(a, "aaa", 3, NULL));
	assert_true(lrd_file_writer_write(b, "b", 1, NULL));
	assert_true(lrd_file_writer_commit(b, NULL));
	assert_file_is(scratch_path(here, "file"), "b");
	assert_true(lrd_file_writer_commit(a, NULL));
	assert_file_is(scratch_path(here, "file"), "aaa");
	assert_int_equal(scratch_count(here->root), 1);
}

static void a_writer_without_memory_touches_nothing(void **state)
{
	scratch *here = *state;
	failing_allocator failing;
	failing_allocator_init(&failing, 0);
	lrd_error error = { 0 };
	assert_null(lrd_file_writer_begin(scratch_path(here, "file"), failing_allocator_get(&failing), &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	assert_int_equal(scratch_count(here->root), 0);
	failing_allocator_init(&failing, -1);
	lrd_file_writer *writer =
		lrd_file_writer_begin(scratch_path(here, "file"), failing_allocator_get(&failing), &error);
	assert_true(lrd_file_writer_commit(writer, NULL));
	assert_int_equal(atomic_load(&failing.bytes_out), 0);
}

static void writing_where_no_file_can_be_fails_cleanly(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "folder");
	scratch_put(here, "folder/inside", "x");
	static const struct
	{
		const char *name;
		lrd_error_code code;
	} cases[] = {
		{ "missing/file", LRD_ERROR_NOT_FOUND },
		{ "folder/inside/file", LRD_ERROR_NOT_FOUND },
		{ "folder", LRD_ERROR_IO },
		{ "folder/", LRD_ERROR_ARGUMENT },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		lrd_error error = { 0 };
		assert_false(lrd_file_write(scratch_path(here, cases[i].name), "new", 3, &error));
		assert_int_equal(error.code, cases[i].code);
		assert_non_null(strstr(error.message, cases[i].name));
	}
	assert_int_equal(scratch_count(here->root), 1);
	assert_int_equal(scratch_count(scratch_path(here, "folder")), 1);
	assert_false(lrd_file_write("", "new", 3, NULL));
}

static void assert_is_left_alone(scratch *here, const char *name)
{
	lrd_error error = { 0 };
	struct stat status;
	assert_false(lrd_file_write(scratch_path(here, name), "new", 3, &error)); // and does not wait for a reader
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_non_null(strstr(error.message, name));
	assert_int_equal(stat(scratch_path(here, name), &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
}

static void what_is_no_regular_file_is_not_replaced(void **state)
{
	scratch *here = *state;
	assert_int_equal(mkfifo(scratch_path(here, "pipe"), 0666), 0);
	assert_int_equal(symlink("pipe", scratch_path(here, "link")), 0);
	assert_is_left_alone(here, "pipe");
	assert_is_left_alone(here, "link");
	assert_int_equal(scratch_count(here->root), 2);
}

// Lets no file grow beyond `size` until limit_end: writes then fail as on a full disk.
static struct rlimit limit_begin(rlim_t size)
{
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	struct rlimit small = { size, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	return before;
}

static void limit_end(struct rlimit before)
{
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
}

static void a_write_that_fails_leaves_the_old_file_and_no_other(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "old");
	static const size_t sizes[] = { 5000, 70000, 1000000 }; // failing when flushed, buffered, or written at once
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
	{
		char *text = calloc(1, sizes[i]);
		lrd_error error = { 0 };
		struct rlimit before = limit_begin(4096);
		bool written = lrd_file_write(scratch_path(here, "file"), text, sizes[i], &error);
		limit_end(before);
		free(text);
		assert_false(written);
		assert_int_equal(error.code, LRD_ERROR_IO);
		assert_non_null(strstr(error.message, strerror(EFBIG)));
		assert_file_is(scratch_path(here, "file"), "old");
		assert_int_equal(scratch_count(here->root), 1);
	}
}

static void a_writer_that_failed_once_cannot_be_committed(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "old");
	char *text = calloc(1, 200000);
	lrd_file_writer *writer = lrd_file_writer_begin(scratch_path(here, "file"), (lrd_allocator){ 0 }, NULL);
	struct rlimit before = limit_begin(4096);
	bool written = lrd_file_writer_write(writer, text, 200000, NULL);
	limit_end(before);
	free(text);
	assert_false(written);
	lrd_error error = { 0 };
	assert_false(lrd_file_writer_write(writer, "x", 1, &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_false(lrd_file_writer_commit(writer, &error));
	assert_file_is(scratch_path(here, "file"), "old");
	assert_int_equal(scratch_count(here->root), 1);
}

static void a_folder_that_may_not_be_written_keeps_its_file(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "old");
	assert_int_equal(chmod(here->root, 0555), 0);
	bool root = geteuid() == 0;
	assert_true(!root || seteuid(65534) == 0); // rights don't bind root
	lrd_error error = { 0 };
	bool written = lrd_file_write(scratch_path(here, "file"), "new", 3, &error);
	lrd_error remove_error = { 0 };
	bool removed = lrd_file_remove(scratch_path(here, "file"), &remove_error);
	assert_true(!root || seteuid(0) == 0);
	assert_int_equal(chmod(here->root, 0755), 0);
	assert_false(written);
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_non_null(strstr(error.message, strerror(EACCES)));
	assert_false(removed);
	assert_int_equal(remove_error.code, LRD_ERROR_IO);
	assert_file_is(scratch_path(here, "file"), "old");
	assert_int_equal(scratch_count(here->root), 1);
}

static void write_for_ever(const char *path)
{
	static char texts[2][300000];
	memset(texts[0], 'a', sizeof texts[0]);
	memset(texts[1], 'b', sizeof texts[1]);
	for (unsigned i = 0;; i++)
	{
		size_t size = i % 2 == 0 ? sizeof texts[0] : sizeof texts[0] / 2;
		if (!lrd_file_write(path, texts[i % 2], size, NULL))
		{
			_exit(1);
		}
	}
}

static void assert_whole(const char *path)
{
	lrd_buffer buffer = { 0 };
	assert_true(lrd_file_read(path, &buffer, NULL));
	assert_int_equal(buffer.size, buffer.data[0] == 'a' ? 300000 : 150000);
	for (size_t i = 0; i < buffer.size; i++)
	{
		assert_int_equal(buffer.data[i], buffer.data[0]);
	}
	lrd_buffer_free(&buffer);
}

static void a_writer_killed_at_any_instant_leaves_a_whole_file(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "file");
	for (int round = 0; round < 30; round++)
	{
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0)
		{
			write_for_ever(path);
		}
		lrd_file_info info;
		while (!lrd_file_stat(path, &info, NULL))
		{
			usleep(100); // until the first one is there
		}
		usleep((useconds_t)(round * 797 % 20000));
		assert_int_equal(kill(child, SIGKILL), 0);
		int status = 0;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_whole(path);
	}
	assert_true(lrd_file_write(path, "sound", 5, NULL));
	assert_file_is(path, "sound");
}

static void a_stale_temporary_file_is_stepped_over(void **state)
{
	scratch *here = *state;
	// A killed process with this process's id could have left any of these.
	for (int i = 0; i < 200; i++)
	{
		char name[64];
		snprintf(name, sizeof name, ".file.%ld.%d.tmp", (long)getpid(), i);
		scratch_put(here, name, "stale");
	}
	assert_true(lrd_file_write(scratch_path(here, "file"), "new", 3, NULL));
	assert_file_is(scratch_path(here, "file"), "new");
	assert_int_equal(scratch_count(here->root), 201);
}

static void removing_what_is_not_there_is_no_error(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "x");
	assert_true(lrd_file_remove(scratch_path(here, "file"), NULL));
	assert_int_equal(scratch_count(here->root), 0);
	assert_true(lrd_file_remove(scratch_path(here, "file"), NULL));
	assert_true(lrd_file_remove(scratch_path(here, "no/such"), NULL));
	lrd_error error = { 0 };
	assert_false(lrd_file_remove(here->root, &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
}

static void a_lock_is_held_once(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "lock");
	lrd_file_lock first = { 0 };
	lrd_file_lock second = { 0 };
	assert_true(lrd_file_lock_take(path, &first, NULL));
	lrd_error error = { 0 };
	assert_false(lrd_file_lock_take(path, &second, &error));
	assert_int_equal(error.code, LRD_ERROR_CONFLICT);
	lrd_file_lock_release(&second); // never taken: harmless
	lrd_file_lock_release(&first);
	lrd_file_lock_release(&first);
	assert_true(lrd_file_lock_take(path, &second, &error));
	lrd_file_lock_release(&second);
	assert_false(lrd_file_lock_take(scratch_path(here, "no/lock"), &first, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
}

static void the_lock_of_a_killed_process_is_free_again(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "lock");
	int taken[2];
	assert_int_equal(pipe(taken), 0);
	pid_t child = fork();
	if (child == 0)
	{
		lrd_file_lock lock = { 0 };
		char answer = lrd_file_lock_take(path, &lock, NULL) ? 'y' : 'n';
		ssize_t put = write(taken[1], &answer, 1);
		pause();
		_exit((int)put);
	}
	char answer = 0;
	assert_int_equal(read(taken[0], &answer, 1), 1);
	assert_int_equal(answer, 'y');
	lrd_file_lock lock = { 0 };
	assert_false(lrd_file_lock_take(path, &lock, NULL));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(lrd_file_lock_take(path, &lock, NULL));
	lrd_file_lock_release(&lock);
	close(taken[0]);
	close(taken[1]);
}

#define SCRATCH_TEST(function) cmocka_unit_test_setup_teardown(function, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(stat_tells_files_from_folders_and_follows_links),
		SCRATCH_TEST(what_is_not_there_is_said_to_be_not_found),
		SCRATCH_TEST(a_file_is_read_whole_into_aligned_memory),
		SCRATCH_TEST(what_is_no_regular_file_is_not_read),
		SCRATCH_TEST(reading_without_memory_says_so_and_keeps_the_buffer),
		SCRATCH_TEST(a_file_that_changes_while_it_is_read_is_refused),
		SCRATCH_TEST(writing_makes_and_replaces_files_and_leaves_nothing_else),
		SCRATCH_TEST(a_new_file_has_the_rights_that_umask_leaves),
		SCRATCH_TEST(a_relative_path_and_a_very_long_name_can_be_written),
		SCRATCH_TEST(pieces_of_any_size_are_written_in_order),
		SCRATCH_TEST(an_abandoned_writer_leaves_the_old_file),
		SCRATCH_TEST(two_writers_of_one_file_do_not_meet),
		SCRATCH_TEST(a_writer_without_memory_touches_nothing),
		SCRATCH_TEST(writing_where_no_file_can_be_fails_cleanly),
		SCRATCH_TEST(what_is_no_regular_file_is_not_replaced),
		SCRATCH_TEST(a_write_that_fails_leaves_the_old_file_and_no_other),
		SCRATCH_TEST(a_writer_that_failed_once_cannot_be_committed),
		SCRATCH_TEST(a_folder_that_may_not_be_written_keeps_its_file),
		SCRATCH_TEST(a_writer_killed_at_any_instant_leaves_a_whole_file),
		SCRATCH_TEST(a_stale_temporary_file_is_stepped_over),
		SCRATCH_TEST(removing_what_is_not_there_is_no_error),
		SCRATCH_TEST(a_lock_is_held_once),
		SCRATCH_TEST(the_lock_of_a_killed_process_is_free_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
