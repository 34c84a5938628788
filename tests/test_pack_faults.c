// What can go wrong around a bundle: every allocation fails in turn, the disk is full. What was there stays, and
// nothing is left behind.

#include "fixtures/pack_build.h"

#include "failing_allocator.h"
#include "os/os.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

typedef struct fixture
{
	scratch *scratch;
	pack_samples samples;
	pack_file file; // of the samples, with zstd
	char path[512]; // of that file
} fixture;

static int set_up(void **state)
{
	fixture *self = calloc(1, sizeof *self);
	void *scratch_state = NULL;
	if (self == NULL || scratch_open(&scratch_state) != 0)
	{
		return -1;
	}
	self->scratch = scratch_state;
	pack_samples_make(&self->samples);
	self->file =
		pack_make(self->scratch, &self->samples, (lrd_pack_write_desc){ .compression = LRD_ZSTD, .json_map = true });
	snprintf(self->path, sizeof self->path, "%s", scratch_path(self->scratch, "made.lpack"));
	*state = self;
	return 0;
}

static int tear_down(void **state)
{
	fixture *self = *state;
	void *scratch_state = self->scratch;
	scratch_close(&scratch_state);
	free(self->file.data);
	free(self);
	return 0;
}

// Something to do with an allocator that may fail; true when it succeeded.
typedef bool attempt(fixture *self, lrd_allocator allocator, lrd_error *error);

// Lets one allocation more succeed each time, until all do.
static void assert_fails_cleanly(fixture *self, attempt *try)
{
	for (long long succeed = 0;; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_error error = { 0 };
		bool done = try(self, failing_allocator_get(&memory), &error);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
		if (done)
		{
			assert_true(succeed > 0);
			return;
		}
		if (error.code != LRD_ERROR_MEMORY)
		{
			fail_msg("allocation %lld: %s", succeed, error.message);
		}
	}
}

static bool try_open(fixture *self, lrd_allocator allocator, lrd_error *error)
{
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = self->path, .allocator = allocator }, error);
	lrd_pack_close(pack);
	return pack != NULL;
}

static void opening_survives_every_allocation_failure(void **state)
{
	assert_fails_cleanly(*state, try_open);
}

static void opening_takes_one_allocation_and_looking_up_none(void **state)
{
	fixture *self = *state;
	failing_allocator memory;
	failing_allocator_init(&memory, 1);
	lrd_pack *pack = pack_open_file(&self->file, failing_allocator_get(&memory), NULL);
	assert_non_null(pack);
	assert_int_equal(atomic_load(&memory.calls), 1);
	lrd_pack_entry entry;
	for (int i = 0; i < PACK_SAMPLE_COUNT; i++)
	{
		assert_true(lrd_pack_find(pack, self->samples.sources[i].key, &entry));
	}
	assert_false(lrd_pack_find(pack, LRD_STR("none"), &entry));
	assert_int_equal(atomic_load(&memory.calls), 1);
	lrd_pack_close(pack);
	assert_int_equal(atomic_load(&memory.bytes_out), 0);
}

static bool try_read(fixture *self, lrd_allocator allocator, lrd_error *error)
{
	lrd_pack *pack = pack_open_file(&self->file, allocator, error);
	if (pack == NULL)
	{
		return false;
	}
	lrd_pack_entry entry;
	bool done = true;
	for (uint32_t i = 0; done && lrd_pack_at(pack, i, &entry); i++)
	{
		uint8_t *bytes = malloc((size_t)entry.size + 1);
		assert_non_null(bytes);
		done = lrd_pack_read(pack, &entry, bytes, entry.size, error);
		free(bytes);
	}
	lrd_pack_close(pack);
	return done;
}

static void reading_survives_every_allocation_failure(void **state)
{
	assert_fails_cleanly(*state, try_read);
}

static bool write_again(fixture *self, lrd_allocator allocator, const lrd_jobs *jobs, bool over, lrd_error *error)
{
	lrd_pack *previous = over ? pack_open_sound(&self->file) : NULL;
	lrd_pack_write_desc desc = { .path = self->path, .compression = LRD_ZSTD, .json_map = true, .level = 1 };
	desc.sources = self->samples.sources;
	desc.source_count = PACK_SAMPLE_COUNT - 1; // another bundle than the old one
	desc.allocator = allocator;
	desc.jobs = jobs;
	desc.previous = previous;
	bool done = lrd_pack_write(&desc, NULL, error);
	lrd_pack_close(previous);
	return done;
}

static void put_back(fixture *self)
{
	lrd_pack_write_desc desc = { .path = self->path, .compression = LRD_ZSTD, .json_map = true };
	desc.sources = self->samples.sources;
	desc.source_count = PACK_SAMPLE_COUNT;
	assert_true(lrd_pack_write(&desc, NULL, NULL));
}

// The old bundle and its map, and nothing else, lie in the folder.
static void assert_untouched(fixture *self)
{
	assert_int_equal(scratch_count(self->scratch->root), 2);
	pack_file now = pack_load(self->path);
	assert_int_equal(now.size, self->file.size);
	assert_memory_equal(now.data, self->file.data, now.size);
	lrd_pack *pack = pack_open_sound(&now);
	char map[600];
	snprintf(map, sizeof map, "%s.json", self->path);
	lrd_pack_check_report report;
	assert_true(lrd_pack_check(pack, &(lrd_pack_check_desc){ .map = map }, &report, NULL));
	assert_int_equal(report.findings, 0);
	lrd_pack_close(pack);
	free(now.data);
}

static bool try_write(fixture *self, lrd_allocator allocator, lrd_error *error)
{
	bool done = write_again(self, allocator, NULL, false, error);
	if (!done)
	{
		assert_untouched(self);
	}
	return done;
}

static bool try_write_over(fixture *self, lrd_allocator allocator, lrd_error *error)
{
	bool done = write_again(self, allocator, NULL, true, error);
	if (!done)
	{
		assert_untouched(self);
	}
	return done;
}

static bool try_write_with_jobs(fixture *self, lrd_allocator allocator, lrd_error *error)
{
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 3 }, NULL);
	assert_non_null(pool);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	bool done = write_again(self, allocator, &jobs, true, error);
	lrd_job_pool_destroy(pool);
	if (!done)
	{
		assert_untouched(self);
	}
	return done;
}

static void writing_survives_every_allocation_failure(void **state)
{
	assert_fails_cleanly(*state, try_write);
	put_back(*state);
}

static void writing_over_survives_every_allocation_failure(void **state)
{
	assert_fails_cleanly(*state, try_write_over);
	put_back(*state);
}

static void writing_with_workers_survives_every_allocation_failure(void **state)
{
	assert_fails_cleanly(*state, try_write_with_jobs);
	put_back(*state);
}

static bool try_pack_call(
	fixture *self, lrd_allocator allocator, lrd_error *error, bool (*call)(const lrd_pack *, fixture *, lrd_error *))
{
	lrd_pack *pack = pack_open_file(&self->file, allocator, error);
	bool done = pack != NULL && call(pack, self, error);
	lrd_pack_close(pack);
	return done;
}

static bool call_unpack(const lrd_pack *pack, fixture *self, lrd_error *error)
{
	return lrd_pack_unpack(pack, scratch_path(self->scratch, "unpacked"), error);
}

static bool call_check(const lrd_pack *pack, fixture *self, lrd_error *error)
{
	char map[600];
	snprintf(map, sizeof map, "%s.json", self->path);
	lrd_pack_check_report report = { .findings = 99 };
	bool done = lrd_pack_check(pack, &(lrd_pack_check_desc){ .map = map }, &report, error);
	assert_int_equal(report.findings, done ? 0 : 99);
	return done;
}

static bool try_unpack(fixture *self, lrd_allocator allocator, lrd_error *error)
{
	return try_pack_call(self, allocator, error, call_unpack);
}

static bool try_check(fixture *self, lrd_allocator allocator, lrd_error *error)
{
	return try_pack_call(self, allocator, error, call_check);
}

static void unpacking_survives_every_allocation_failure(void **state)
{
	fixture *self = *state;
	assert_fails_cleanly(self, try_unpack);
	scratch_delete(scratch_path(self->scratch, "unpacked"));
}

static void checking_survives_every_allocation_failure(void **state)
{
	assert_fails_cleanly(*state, try_check);
}

static bool try_json(fixture *self, lrd_allocator allocator, lrd_error *error)
{
	lrd_pack *pack = pack_open_file(&self->file, allocator, error);
	lrd_buffer text = { .allocator = allocator };
	bool had = pack != NULL && lrd_buffer_append(&text, "before", 6);
	bool done = had && lrd_pack_json(pack, true, &text, error);
	assert_true(!had || done || text.size == 6);
	lrd_buffer_free(&text);
	lrd_pack_close(pack);
	if (pack != NULL && !had)
	{
		error->code = LRD_ERROR_MEMORY; // the test's own append
	}
	return done;
}

static void json_survives_every_allocation_failure(void **state)
{
	assert_fails_cleanly(*state, try_json);
}

// In a process of its own, which may write files of `limit` bytes at most. Exits with 0 when the bundle was refused for
// that reason.
static int write_within(fixture *self, rlim_t limit)
{
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
	{
		signal(SIGXFSZ, SIG_IGN);
		struct rlimit most = { limit, limit };
		lrd_error error = { 0 };
		bool limited = setrlimit(RLIMIT_FSIZE, &most) == 0;
		bool written = write_again(self, (lrd_allocator){ 0 }, NULL, false, &error);
		_exit(!limited ? 3 : written ? 1 : error.code == LRD_ERROR_IO ? 0 : 2);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void full_disk_leaves_the_old_bundle_and_nothing_else(void **state)
{
	fixture *self = *state;
	static const rlim_t limits[] = { 0, 1, 4096, 10000, 20000 };
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
	{
		assert_int_equal(write_within(self, limits[i]), 0);
		assert_untouched(self);
	}
	// With room for the bundle, it succeeds.
	assert_int_equal(write_within(self, 10 << 20), 1);
	put_back(self);
	assert_untouched(self);
}

static void folder_that_is_not_there_is_an_error(void **state)
{
	fixture *self = *state;
	lrd_error error = { 0 };
	lrd_pack_write_desc desc = { .path = scratch_path(self->scratch, "nowhere/made.lpack") };
	assert_false(lrd_pack_write(&desc, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_untouched(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opening_survives_every_allocation_failure),
		cmocka_unit_test(opening_takes_one_allocation_and_looking_up_none),
		cmocka_unit_test(reading_survives_every_allocation_failure),
		cmocka_unit_test(writing_survives_every_allocation_failure),
		cmocka_unit_test(writing_over_survives_every_allocation_failure),
		cmocka_unit_test(writing_with_workers_survives_every_allocation_failure),
		cmocka_unit_test(unpacking_survives_every_allocation_failure),
		cmocka_unit_test(checking_survives_every_allocation_failure),
		cmocka_unit_test(json_survives_every_allocation_failure),
		cmocka_unit_test(full_disk_leaves_the_old_bundle_and_nothing_else),
		cmocka_unit_test(folder_that_is_not_there_is_an_error),
	};
	return cmocka_run_group_tests_name("pack: faults", tests, set_up, tear_down);
}
