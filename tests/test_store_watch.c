// Watching: files that change under a mounted folder, or a bundle that is replaced, are loaded anew for those who hold them,
// without a word from the program. Changes come when they come: tests go on updating until they are there.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_trace.h"

#include "larder/pack_write.h"
#include "os/os.h"

#include <fcntl.h>
#include <sys/resource.h>

#define PATIENCE 30000 // milliseconds before a test gives up

typedef struct session
{
	scratch *here;
	failing_allocator memory;
	kit_files files;
	lrd_store *store;
	lrd_listener listener;
	uint32_t flags;  // of all events so far
	uint32_t events; // how many
	char logged[512];
} session;

static void hear(void *user, const lrd_event *event)
{
	session *self = user;
	self->flags |= event->flags;
	self->events++;
}

static void open_over(session *self, const lrd_store_desc *desc)
{
	failing_allocator_init(&self->memory, -1);
	lrd_store_desc all = *desc;
	all.allocator = failing_allocator_get(&self->memory);
	all.worker_count = 2;
	all.quiet = true;
	all.log = (lrd_log){ kit_be_silent, self->logged };
	lrd_error error = { 0 };
	self->store = lrd_store_open(&all, &error);
	if (self->store == NULL)
	{
		fail_msg("%s", error.message);
	}
	assert_true(
		lrd_store_listen(self->store, &(lrd_listener_desc){ .on_event = hear, .user = self }, &self->listener, NULL));
}

// The kit's files as "tree", watched.
static void open_session(session *self, scratch *here)
{
	memset(self, 0, sizeof *self);
	self->here = here;
	kit_add_usual(&self->files);
	trace_write_files(here, &self->files, "tree");
	open_over(self, &(lrd_store_desc){ .root = scratch_path(here, "tree"), .watch = true });
}

static void close_session(session *self)
{
	assert_int_equal(lrd_store_close(self->store), 0);
	assert_int_equal(atomic_load(&self->memory.bytes_out), 0);
	kit_files_free(&self->files);
}

static lrd_asset find(const session *self, lrd_kind kind, const char *stem)
{
	lrd_asset asset = lrd_asset_find(self->store, kind, stem, NULL);
	assert_int_not_equal(asset.generation, 0);
	return asset;
}

// Update until these events came.
static void await_events(session *self, uint32_t flags)
{
	for (int i = 0; i < PATIENCE && (self->flags & flags) != flags; i++)
	{
		usleep(1000);
		lrd_store_update(self->store);
	}
	if ((self->flags & flags) != flags)
	{
		fail_msg("events 0x%x did not come, but 0x%x; \"%s\"", flags, self->flags, self->logged);
	}
}

// A blob that is held and read, until its content is this.
static void await_content(session *self, lrd_asset blob, uint32_t *seen, const char *content)
{
	const lrd_blob *got = NULL;
	for (int i = 0; i < PATIENCE; i++)
	{
		got = lrd_blob_get(self->store, blob);
		if (got != NULL && got->bytes.size == strlen(content) && memcmp(got->bytes.data, content, strlen(content)) == 0)
		{
			lrd_asset_renew(self->store, blob, seen);
			return;
		}
		usleep(1000);
		lrd_store_update(self->store);
	}
	fail_msg("the content did not become \"%s\"; %s", content, self->logged);
}

static lrd_asset hold(session *self, const char *stem, uint32_t *seen)
{
	lrd_asset blob = find(self, LRD_BLOB, stem);
	lrd_error error = { 0 };
	if (!lrd_retain_now(self->store, blob, &error))
	{
		fail_msg("%s", error.message);
	}
	*seen = lrd_asset_generation(self->store, blob);
	return blob;
}

static void put_atomically(scratch *here, const char *name, const char *text)
{
	assert_true(lrd_file_write(scratch_path(here, name), text, strlen(text), NULL));
}

static void a_file_that_is_written_renamed_or_linked_is_loaded_anew(void **state)
{
	scratch *here = *state;
	session self;
	uint32_t seen;
	open_session(&self, here);
	lrd_asset blob = hold(&self, "a.bin", &seen);
	scratch_put(here, "tree/a.bin", "written in place");
	await_content(&self, blob, &seen, "written in place");
	put_atomically(here, "tree/a.bin", "renamed");
	await_content(&self, blob, &seen, "renamed");
	scratch_put(here, "other", "linked");
	unlink(scratch_path(here, "tree/a.bin"));
	assert_int_equal(link(scratch_path(here, "other"), scratch_path(here, "tree/a.bin")), 0);
	await_content(&self, blob, &seen, "linked");
	await_events(&self, LRD_EVENT_RELOADED);
	assert_true(lrd_release(self.store, blob));
	close_session(&self);
}

static void holders_keep_what_they_read_until_they_renew(void **state)
{
	scratch *here = *state;
	session self;
	uint32_t seen;
	open_session(&self, here);
	scratch_put(here, "tree/x.bin", "old");
	lrd_asset blob = hold(&self, "x.bin", &seen);
	const lrd_blob *old = lrd_blob_get(self.store, blob);
	scratch_put(here, "tree/x.bin", "new!");
	for (int i = 0; i < PATIENCE && lrd_asset_generation(self.store, blob) == seen; i++)
	{
		usleep(1000);
		lrd_store_update(self.store);
	}
	assert_memory_equal(old->bytes.data, "old", 3);
	assert_memory_equal(lrd_blob_get(self.store, blob)->bytes.data, "new!", 4);
	assert_true(lrd_asset_renew(self.store, blob, &seen));
	assert_true(lrd_release(self.store, blob));
	close_session(&self);
}

static void a_missing_file_that_comes_is_loaded_for_whoever_waits(void **state)
{
	scratch *here = *state;
	session self;
	open_session(&self, here);
	lrd_asset blob = find(&self, LRD_BLOB, "late/b.bin");
	assert_true(lrd_retain(self.store, blob));
	await_events(&self, LRD_EVENT_FAILED);
	lrd_asset material = find(&self, LRD_MATERIAL, "lost");
	assert_true(lrd_retain_now(self.store, material, NULL));
	assert_true(lrd_asset_error(self.store, material, NULL));
	lrd_asset texture = lrd_material_get(self.store, material)->textures[0];
	scratch_folder(here, "tree/late");
	scratch_put(here, "tree/late/b.bin", "here");
	uint32_t seen = 0;
	await_content(&self, blob, &seen, "here");
	lrd_bytes bytes = { self.files.contents[0].data, self.files.contents[0].size };
	assert_true(lrd_file_write(scratch_path(here, "tree/nowhere.ktx2"), bytes.data, bytes.size, NULL));
	for (int i = 0; i < PATIENCE && !lrd_asset_has(self.store, texture); i++)
	{
		usleep(1000);
		lrd_store_update(self.store);
	}
	assert_true(lrd_asset_has(self.store, texture));
	assert_true(lrd_release(self.store, material));
	assert_true(lrd_release(self.store, blob));
	close_session(&self);
}

static void a_damaged_file_leaves_the_old_payload_and_a_sound_one_heals_it(void **state)
{
	scratch *here = *state;
	session self;
	open_session(&self, here);
	lrd_asset texture = find(&self, LRD_TEXTURE, "albedo");
	assert_true(lrd_retain_now(self.store, texture, NULL));
	const lrd_texture *before = lrd_texture_get(self.store, texture);
	put_atomically(here, "tree/albedo.ktx2", "no texture at all");
	await_events(&self, LRD_EVENT_RELOAD_FAILED);
	assert_ptr_equal(lrd_texture_get(self.store, texture), before);
	assert_true(lrd_asset_error(self.store, texture, NULL));
	lrd_bytes bytes = { self.files.contents[0].data, self.files.contents[0].size };
	assert_true(lrd_file_write(scratch_path(here, "tree/albedo.ktx2"), bytes.data, bytes.size, NULL));
	await_events(&self, LRD_EVENT_RELOADED);
	assert_false(lrd_asset_error(self.store, texture, NULL));
	assert_true(lrd_release(self.store, texture));
	close_session(&self);
}

static void what_is_the_same_is_not_loaded_anew(void **state)
{
	scratch *here = *state;
	session self;
	uint32_t seen;
	open_session(&self, here);
	lrd_asset blob = hold(&self, "a.bin", &seen);
	lrd_asset other = hold(&self, "b.bin", &seen);
	int file = open(scratch_path(here, "tree/a.bin"), O_WRONLY); // closed after writing nothing: noticed, and the same
	assert_true(file >= 0);
	assert_int_equal(close(file), 0);
	scratch_put(here, "tree/b.bin", "new"); // in the same batch, or a later one
	await_content(&self, other, &seen, "new");
	for (int i = 0; i < 100; i++)
	{
		usleep(1000);
		lrd_store_update(self.store);
	}
	assert_int_equal(lrd_asset_generation(self.store, blob), 1);
	assert_true(lrd_release(self.store, blob));
	assert_true(lrd_release(self.store, other));
	close_session(&self);
}

static uint64_t loads_run(const lrd_store *store)
{
	lrd_store_stats stats;
	lrd_store_get_stats(store, &stats);
	return stats.loads + stats.stale;
}

// A model, a mesh, a skeleton and a clip at one stem, of which the store knows the model. How many loads they cause.
static uint64_t change_family(session *self, lrd_asset model)
{
	static const char *const extensions[] = { "lmesh", "lskel", "lmodel", "lclip" };
	uint32_t generation = lrd_asset_generation(self->store, model);
	uint64_t before = loads_run(self->store);
	for (size_t i = 0; i < 4; i++)
	{
		char name[32];
		snprintf(name, sizeof name, "new.%s", extensions[i]);
		FILE *file = fopen(scratch_path(self->here, name), "wb");
		assert_non_null(file);
		for (uint32_t k = 0; k < self->files.count; k++)
		{
			const lrd_buffer *content = &self->files.contents[k];
			if (strcmp(self->files.keys[k], "m.lmodel") == 0)
			{
				assert_int_equal(fwrite(content->data, 1, content->size, file), content->size);
			}
		}
		assert_int_equal(fclose(file), 0);
	}
	for (size_t i = 0; i < 4; i++) // quickly, one after the other
	{
		char from[32];
		char to[32];
		snprintf(from, sizeof from, "new.%s", extensions[i]);
		snprintf(to, sizeof to, "tree/m.%s", extensions[i]);
		assert_int_equal(rename(scratch_path(self->here, from), scratch_path(self->here, to)), 0);
	}
	for (int i = 0; i < PATIENCE && lrd_asset_generation(self->store, model) == generation; i++)
	{
		usleep(1000);
		lrd_store_update(self->store);
	}
	for (int i = 0; i < 100; i++)
	{
		usleep(1000);
		lrd_store_update(self->store);
	}
	return loads_run(self->store) - before;
}

static void several_files_of_a_family_in_one_batch_are_one_reload(void **state)
{
	session self;
	open_session(&self, *state);
	lrd_asset model = find(&self, LRD_MODEL, "m");
	assert_true(lrd_retain_now(self.store, model, NULL));
	// On a machine that is busy elsewhere they may come in more batches than one, but not each time.
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < 20 && least > 1; i++)
	{
		uint64_t loads = change_family(&self, model);
		least = loads < least ? loads : least;
	}
	assert_int_equal(least, 1);
	assert_true(lrd_release(self.store, model));
	close_session(&self);
}

static void a_whole_tree_put_in_place_of_the_old_one_is_noticed(void **state)
{
	scratch *here = *state;
	session self;
	uint32_t seen;
	open_session(&self, here);
	lrd_asset blob = hold(&self, "a.bin", &seen);
	scratch_folder(here, "fresh");
	scratch_put(here, "fresh/a.bin", "fresh");
	scratch_put(here, "fresh/other.bin", "other");
	assert_int_equal(rename(scratch_path(here, "tree"), scratch_path(here, "stale")), 0);
	assert_int_equal(rename(scratch_path(here, "fresh"), scratch_path(here, "tree")), 0);
	await_content(&self, blob, &seen, "fresh");
	scratch_put(here, "tree/a.bin", "again");
	await_content(&self, blob, &seen, "again");
	lrd_asset other = hold(&self, "other.bin", &seen);
	assert_true(lrd_release(self.store, other));
	assert_true(lrd_release(self.store, blob));
	close_session(&self);
}

static void write_bundle(const char *path, const char *content)
{
	const lrd_pack_source sources[2] = {
		{ .key = LRD_STR("a.bin"), .bytes = { content, strlen(content) } },
		{ .key = LRD_STR("same.bin"), .bytes = { "same", 4 } },
	};
	lrd_error error = { 0 };
	if (!lrd_pack_write(&(lrd_pack_write_desc){ .path = path, .sources = sources, .source_count = 2 }, NULL, &error))
	{
		fail_msg("%s", error.message);
	}
}

static void a_bundle_that_is_replaced_is_opened_again(void **state)
{
	scratch *here = *state;
	session self = { .here = here };
	uint32_t seen;
	uint32_t same_seen;
	const char *path = scratch_path(here, "game.lpack");
	write_bundle(path, "first");
	open_over(&self, &(lrd_store_desc){ .pack = path, .watch = true });
	lrd_asset blob = hold(&self, "a.bin", &seen);
	lrd_asset same = hold(&self, "same.bin", &same_seen);
	const lrd_blob *old = lrd_blob_get(self.store, blob);
	write_bundle(path, "second");
	for (int i = 0; i < PATIENCE && lrd_asset_generation(self.store, blob) == 1; i++)
	{
		usleep(1000);
		lrd_store_update(self.store);
	}
	assert_memory_equal(old->bytes.data, "first", 5); // its mapping lives
	await_content(&self, blob, &seen, "second");
	write_bundle(path, "third");
	await_content(&self, blob, &seen, "third");
	assert_int_equal(lrd_asset_generation(self.store, same), 1);
	assert_true(lrd_release(self.store, blob));
	assert_true(lrd_release(self.store, same));
	close_session(&self);
}

static void an_unmounted_folder_is_watched_no_more_and_mounted_again_it_is(void **state)
{
	scratch *here = *state;
	session self = { .here = here };
	uint32_t seen;
	scratch_folder(here, "tree");
	scratch_put(here, "tree/a.bin", "one");
	open_over(&self, &(lrd_store_desc){ .worker_count = 1 });
	char root[512];
	snprintf(root, sizeof root, "%s", scratch_path(here, "tree"));
	const lrd_mount_desc desc = { .root = root, .watch = true };
	for (int i = 0; i < 20; i++)
	{
		lrd_mount mount;
		char text[32];
		assert_true(lrd_store_mount(self.store, &desc, &mount, NULL));
		lrd_asset blob = hold(&self, "a.bin", &seen);
		snprintf(text, sizeof text, "content %d", i);
		scratch_put(here, "tree/a.bin", text);
		if (i % 4 == 0)
		{
			await_content(&self, blob, &seen, text);
		}
		lrd_store_update(self.store);
		assert_true(lrd_store_unmount(self.store, mount));
		assert_true(lrd_release(self.store, blob));
	}
	close_session(&self);
}

static void a_folder_that_is_mounted_as_a_bundle_is_not_listed_first(void **state)
{
	scratch *here = *state;
	session self;
	open_session(&self, here);
	scratch_folder(here, "other");
	for (int i = 0; i < 50; i++)
	{
		char name[32];
		snprintf(name, sizeof name, "other/%d", i);
		scratch_folder(here, name);
	}
	lrd_error error = { 0 };
	const lrd_mount_desc desc = { .pack = scratch_path(here, "other"), .watch = true };
	lrd_mount mount = { 0 };
	long long before = atomic_load(&self.memory.calls);
	assert_false(lrd_store_mount(self.store, &desc, &mount, &error));
	assert_non_null(strstr(error.message, "folder"));
	assert_in_range(atomic_load(&self.memory.calls) - before, 0, 10);
	close_session(&self);
}

static void without_room_for_a_watch_the_store_warns_and_works(void **state)
{
	scratch *here = *state;
	session self = { .here = here };
	uint32_t seen;
	scratch_folder(here, "tree");
	scratch_put(here, "tree/a.bin", "one");
	open_over(&self, &(lrd_store_desc){ .worker_count = 1 });
	// As many descriptors as listing a folder and reading a file need, and an inotify instance with its stop are more.
	struct rlimit before;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	int next = dup(0);
	close(next);
	struct rlimit low = { (rlim_t)next + 1, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	const lrd_mount_desc desc = { .root = scratch_path(here, "tree"), .watch = true };
	lrd_mount mount;
	bool mounted = lrd_store_mount(self.store, &desc, &mount, NULL);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_true(mounted);
	assert_non_null(strstr(self.logged, "go unnoticed"));
	assert_non_null(strstr(self.logged, "fs.inotify.max_user_instances"));
	lrd_asset blob = hold(&self, "a.bin", &seen);
	assert_true(lrd_release(self.store, blob));
	close_session(&self);
}

static void an_update_that_the_scheduler_refuses_is_done_by_a_later_one(void **state)
{
	scratch *here = *state;
	store_kit kit;
	kit_open(&kit);
	scratch_folder(here, "tree");
	scratch_put(here, "tree/x.bin", "one");
	const lrd_mount_desc desc = { .root = scratch_path(here, "tree"), .watch = true };
	lrd_mount mount;
	assert_true(lrd_store_mount(kit.store, &desc, &mount, NULL));
	lrd_asset blob = kit_load(&kit, LRD_BLOB, "x.bin");
	uint32_t seen = lrd_asset_generation(kit.store, blob);
	kit.jobs.refuse = true;
	scratch_put(here, "tree/x.bin", "two!");
	for (int i = 0; i < PATIENCE && kit.jobs.refusals == 0; i++)
	{
		usleep(1000);
		lrd_store_update(kit.store);
	}
	assert_true(kit.jobs.refusals != 0);
	assert_true(kit_stats(&kit).jobs_refused != 0);
	kit.jobs.refuse = false;
	for (int i = 0; i < PATIENCE && lrd_asset_generation(kit.store, blob) == seen; i++)
	{
		lrd_store_update(kit.store);
		kit_run(&kit.jobs);
	}
	assert_int_equal(lrd_blob_get(kit.store, blob)->bytes.size, 4);
	assert_true(lrd_asset_renew(kit.store, blob, &seen));
	assert_true(lrd_release(kit.store, blob));
	kit_close(&kit);
}

static void every_allocation_may_fail_while_changes_come(void **state)
{
	scratch *here = *state;
	store_kit kit;
	kit_open(&kit);
	scratch_folder(here, "tree");
	for (long long succeed = 0; succeed < 60; succeed++)
	{
		char text[32];
		scratch_put(here, "tree/x.bin", "before");
		const lrd_mount_desc desc = { .root = scratch_path(here, "tree"), .watch = true };
		lrd_mount mount = { 0 };
		atomic_store(&kit.memory.countdown, succeed);
		bool mounted = lrd_store_mount(kit.store, &desc, &mount, NULL);
		atomic_store(&kit.memory.countdown, -1);
		if (!mounted)
		{
			continue;
		}
		lrd_asset blob = kit_load(&kit, LRD_BLOB, "x.bin");
		snprintf(text, sizeof text, "after %lld", succeed);
		scratch_put(here, "tree/x.bin", text);
		for (int i = 0; i < PATIENCE; i++)
		{
			const lrd_blob *got = lrd_blob_get(kit.store, blob);
			if ((got != NULL && got->bytes.size == strlen(text)) || lrd_asset_error(kit.store, blob, NULL))
			{
				break;
			}
			usleep(1000);
			atomic_store(&kit.memory.countdown, i < 200 ? succeed % 20 : -1);
			lrd_store_update(kit.store);
			kit_run(&kit.jobs);
			atomic_store(&kit.memory.countdown, -1);
		}
		// Where the reload itself failed for memory, the old payload stays, and says so.
		bool came = lrd_blob_get(kit.store, blob)->bytes.size == strlen(text);
		assert_true(came || lrd_asset_error(kit.store, blob, NULL));
		assert_true(lrd_release(kit.store, blob));
		assert_true(lrd_store_unmount(kit.store, mount));
		lrd_store_unload_all(kit.store);
	}
	kit_close(&kit);
}

typedef struct reader
{
	session *session;
	lrd_asset assets[3];
	atomic_bool *stop;
} reader;

// Every content is one letter over and over: whoever sees two reads what was freed, or half a file.
static void read_on(void *user)
{
	const reader *self = user;
	lrd_store *store = self->session->store;
	for (unsigned i = 0; !atomic_load(self->stop); i++)
	{
		lrd_asset asset = self->assets[i % 3];
		lrd_hold hold = { 0 };
		assert_true(lrd_hold_take(&hold, store, asset));
		const lrd_blob *blob = lrd_blob_get(store, asset);
		const char *data = blob != NULL ? blob->bytes.data : "";
		for (size_t k = 1; blob != NULL && k < blob->bytes.size; k++)
		{
			assert_int_equal(data[k], data[0]);
		}
		lrd_hold_renew(&hold);
		lrd_hold_end(&hold);
	}
}

static void readers_never_see_half_a_change(void **state)
{
	scratch *here = *state;
	session self = { .here = here };
	atomic_bool stop = false;
	char text[8193] = "";
	static const char *const names[] = { "tree/0.bin", "tree/1.bin", "tree/2.bin" };
	scratch_folder(here, "tree");
	for (size_t i = 0; i < 3; i++)
	{
		put_atomically(here, names[i], "aaa");
	}
	open_over(&self, &(lrd_store_desc){ .root = scratch_path(here, "tree"), .watch = true, .keep_parked = 10000 });
	reader readers[2];
	lrd_thread *threads[2];
	for (size_t i = 0; i < 2; i++)
	{
		readers[i] = (reader){ .session = &self, .stop = &stop };
		readers[i].assets[0] = find(&self, LRD_BLOB, "0.bin");
		readers[i].assets[1] = find(&self, LRD_BLOB, "1.bin");
		readers[i].assets[2] = find(&self, LRD_BLOB, "2.bin");
		threads[i] = lrd_thread_start(read_on, &readers[i], 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	for (int i = 0; i < 150; i++)
	{
		size_t size = 1 + (size_t)i * 53 % 8000;
		memset(text, 'a' + i % 26, size);
		text[size] = '\0';
		put_atomically(here, names[i % 3], text);
		usleep(2000);
		lrd_store_update(self.store);
	}
	atomic_store(&stop, true);
	lrd_thread_join(threads[0]);
	lrd_thread_join(threads[1]);
	uint32_t seen;
	lrd_asset last = hold(&self, "2.bin", &seen); // the 150th
	await_content(&self, last, &seen, text);
	assert_true(lrd_release(self.store, last));
	close_session(&self);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER(a_file_that_is_written_renamed_or_linked_is_loaded_anew),
		IN_A_FOLDER(holders_keep_what_they_read_until_they_renew),
		IN_A_FOLDER(a_missing_file_that_comes_is_loaded_for_whoever_waits),
		IN_A_FOLDER(a_damaged_file_leaves_the_old_payload_and_a_sound_one_heals_it),
		IN_A_FOLDER(what_is_the_same_is_not_loaded_anew),
		IN_A_FOLDER(several_files_of_a_family_in_one_batch_are_one_reload),
		IN_A_FOLDER(a_whole_tree_put_in_place_of_the_old_one_is_noticed),
		IN_A_FOLDER(a_bundle_that_is_replaced_is_opened_again),
		IN_A_FOLDER(an_unmounted_folder_is_watched_no_more_and_mounted_again_it_is),
		IN_A_FOLDER(a_folder_that_is_mounted_as_a_bundle_is_not_listed_first),
		IN_A_FOLDER(without_room_for_a_watch_the_store_warns_and_works),
		IN_A_FOLDER(an_update_that_the_scheduler_refuses_is_done_by_a_later_one),
		IN_A_FOLDER(every_allocation_may_fail_while_changes_come),
		IN_A_FOLDER(readers_never_see_half_a_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
