// Mounts: every allocation of every call fails in turn: then the call fails, what was there is still there, and nothing
// leaks.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_mount.h"

/// What a step does; true: it went well. A step that fails must say LRD_ERROR_MEMORY.
typedef bool step(mount_store *self, scratch *here, lrd_error *error);

/// Runs the step with no memory after 0, 1, 2, … allocations until it goes well. Each time on a store made by `prepare`
/// (or NULL), of which the step must have left nothing and taken nothing.
static void fail_each(scratch *here, step *prepare, step *run)
{
	bool done = false;
	for (long long succeed = 0; !done; succeed++)
	{
		lrd_error error = { 0 };
		mount_store *self = mount_store_open();
		assert_true(prepare == NULL || prepare(self, here, &error));
		uint32_t count = self->store.mounts.count;
		uint32_t epoch = self->store.mounts.epoch;
		atomic_store(&self->memory.countdown, succeed);
		done = run(self, here, &error);
		atomic_store(&self->memory.countdown, -1);
		if (!done)
		{
			assert_int_equal(error.code, LRD_ERROR_MEMORY);
			assert_int_equal(self->store.mounts.count, count);
			assert_int_equal(self->store.mounts.epoch, epoch);
			assert_int_equal(self->store.mounts.leased_count, 0);
			if (prepare != NULL)
			{
				assert_mount_reads(self, LRD_MESH, "a", "a mesh");
			}
		}
		assert_true(!done || succeed > 0);
		mount_store_close(self);
	}
}

static int released;

static void count_release(void *user)
{
	(void)user;
	released++;
}

static bool mount_it(mount_store *self, lrd_mount_desc desc, lrd_error *error)
{
	int before = released;
	lrd_mount mount;
	desc.release = count_release;
	bool done = lrd_store_mount(&self->store, &desc, &mount, error);
	assert_int_equal(released, before + (done ? 0 : 1));
	return done;
}

static const char *write_pack(scratch *here, const char *text)
{
	return mount_write_pack(here, "a.lpack", LRD_ZSTD, (const char *[]){ "a.lmesh", "a mesh", "b.lmesh", text, NULL });
}

static bool mount_pack(mount_store *self, scratch *here, lrd_error *error)
{
	return mount_it(self, (lrd_mount_desc){ .pack = scratch_path(here, "a.lpack") }, error);
}

static bool mount_folder(mount_store *self, scratch *here, lrd_error *error)
{
	return mount_it(self, (lrd_mount_desc){ .root = scratch_path(here, "root") }, error);
}

static bool mount_memory(mount_store *self, scratch *here, lrd_error *error)
{
	static _Alignas(16) const char bytes[] = "a mesh";
	static lrd_memory_file files[40];
	static char keys[40][16];
	(void)here;
	files[0] = (lrd_memory_file){ LRD_STR("a.lmesh"), { bytes, 6 } };
	for (int i = 1; i < 40; i++)
	{
		snprintf(keys[i], sizeof keys[i], "%d.txt", i);
		files[i].key = lrd_string_from(keys[i]);
	}
	return mount_it(self, (lrd_mount_desc){ .files = files, .file_count = 40 }, error);
}

static void fill_folder(scratch *here)
{
	scratch_folder(here, "root");
	scratch_put(here, "root/larder.manifest.json", "{}");
	scratch_put(here, "root/a.lmesh", "a mesh");
	char *large = mount_text('l', 100000);
	scratch_put(here, "root/large.lmesh", large);
	free(large);
	for (int i = 0; i < 40; i++)
	{
		char name[32];
		snprintf(name, sizeof name, "root/%d.txt", i);
		scratch_put(here, name, "");
	}
}

static void mounting_may_run_out_of_memory(void **state)
{
	scratch *here = *state;
	fill_folder(here);
	write_pack(here, "b");
	fail_each(here, NULL, mount_pack);
	fail_each(here, NULL, mount_folder);
	fail_each(here, NULL, mount_memory);
}

static bool read_it(mount_store *self, const char *stem, lrd_error *error)
{
	lrd_content content;
	bool done = mount_read(self, LRD_MESH, stem, &content, NULL, error);
	mount_content_free(self, &content);
	return done;
}

static bool read_inflated(mount_store *self, scratch *here, lrd_error *error)
{
	(void)here;
	return read_it(self, "b", error);
}

static bool read_small(mount_store *self, scratch *here, lrd_error *error)
{
	(void)here;
	return read_it(self, "a", error);
}

static bool read_large(mount_store *self, scratch *here, lrd_error *error)
{
	(void)here;
	return read_it(self, "large", error);
}

static void reading_may_run_out_of_memory(void **state)
{
	scratch *here = *state;
	fill_folder(here);
	char *text = mount_text('b', 100000);
	write_pack(here, text);
	free(text);
	fail_each(here, mount_pack, read_inflated);
	fail_each(here, mount_folder, read_small);
	fail_each(here, mount_folder, read_large);
}

static bool put_some(mount_store *self, scratch *here, lrd_error *error)
{
	bool done = true;
	(void)here;
	for (int i = 0; done && i < 40; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%d", i);
		done = lrd_mounts_put(&self->store, LRD_MESH, lrd_string_from(stem), (lrd_bytes){ "content", 7 }, error);
		assert_int_equal(mount_knows(self, LRD_MESH, stem), done);
	}
	return done;
}

static bool put_one(mount_store *self, scratch *here, lrd_error *error)
{
	(void)here;
	return lrd_mounts_put(&self->store, LRD_MESH, LRD_STR("a"), (lrd_bytes){ "a mesh", 6 }, error);
}

static bool put_another(mount_store *self, scratch *here, lrd_error *error)
{
	(void)here;
	return lrd_mounts_put(&self->store, LRD_MESH, LRD_STR("a"), (lrd_bytes){ "another", 7 }, error);
}

static void putting_may_run_out_of_memory(void **state)
{
	fail_each(*state, NULL, put_some);
	fail_each(*state, put_one, put_another);
}

static int changes;

static void note(void *user, lrd_kind kind, lrd_string stem)
{
	(void)user;
	(void)kind;
	(void)stem;
	changes++;
}

static bool relist(mount_store *self, scratch *here, lrd_error *error)
{
	(void)here;
	changes = 0;
	bool done = lrd_mounts_relist(&self->store, self->store.mounts.first->id, note, NULL, error);
	assert_int_equal(changes != 0, done);
	return done;
}

static bool mount_folder_that_changes(mount_store *self, scratch *here, lrd_error *error)
{
	(void)unlink(scratch_path(here, "root/new.lmesh"));
	bool done = mount_folder(self, here, error);
	scratch_put(here, "root/new.lmesh", "new");
	return done;
}

static bool mount_pack_that_changes(mount_store *self, scratch *here, lrd_error *error)
{
	write_pack(here, "before");
	bool done = mount_pack(self, here, error);
	write_pack(here, "after");
	return done;
}

static void listing_again_may_run_out_of_memory(void **state)
{
	scratch *here = *state;
	fill_folder(here);
	fail_each(here, mount_folder_that_changes, relist);
	fail_each(here, mount_pack_that_changes, relist);
}

static bool touch(mount_store *self, scratch *here, lrd_error *error)
{
	const lrd_string path = LRD_STR("new.lmesh");
	(void)here;
	bool done = lrd_mounts_touch(&self->store, self->store.mounts.first->id, &path, 1, note, NULL, error);
	assert_int_equal(mount_knows(self, LRD_MESH, "new"), done);
	return done;
}

static bool touch_while_listing(mount_store *self, scratch *here, lrd_error *error)
{
	lrd_root *root = lrd_mount_root_of(self->store.mounts.first);
	root->base.listing = true;
	bool done = touch(self, here, error);
	assert_int_equal(root->touched_count, done ? 1 : 0);
	root->base.listing = false;
	return done;
}

static void touching_may_run_out_of_memory(void **state)
{
	scratch *here = *state;
	fill_folder(here);
	fail_each(here, mount_folder_that_changes, touch);
	fail_each(here, mount_folder_that_changes, touch_while_listing);
}

static bool look_for(mount_store *self, scratch *here, lrd_error *error)
{
	(void)here;
	lrd_mounts_look_for(&self->store, LRD_MESH, LRD_STR("new"));
	bool done = mount_knows(self, LRD_MESH, "new");
	error->code = done ? LRD_OK : LRD_ERROR_MEMORY;
	assert_int_equal(self->log.counts[LRD_LOG_WARNING], done ? 0 : 1);
	assert_true(done || strstr(self->log.last, "out of memory") != NULL);
	return done;
}

static void looking_for_a_file_may_run_out_of_memory(void **state)
{
	scratch *here = *state;
	fill_folder(here);
	fail_each(here, mount_folder_that_changes, look_for);
}

static void suggesting_allocates_nothing(void **state)
{
	scratch *here = *state;
	lrd_error error = { 0 };
	fill_folder(here);
	mount_store *self = mount_store_open();
	assert_true(mount_folder(self, here, NULL));
	assert_true(mount_memory(self, here, NULL));
	atomic_store(&self->memory.countdown, 0);
	lrd_mounts_suggest(&self->store, LRD_MESH, LRD_STR("lagre"), &error);
	assert_string_equal(error.message, "no mesh \"lagre\" in any mount; nearest: \"large\"");
	mount_store_close(self);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(mounting_may_run_out_of_memory),
		WITH_FOLDER(reading_may_run_out_of_memory),
		WITH_FOLDER(putting_may_run_out_of_memory),
		WITH_FOLDER(listing_again_may_run_out_of_memory),
		WITH_FOLDER(touching_may_run_out_of_memory),
		WITH_FOLDER(looking_for_a_file_may_run_out_of_memory),
		WITH_FOLDER(suggesting_allocates_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
