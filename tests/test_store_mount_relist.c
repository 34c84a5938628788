// Mounts: what changed in them: listed again as a whole, or looked at file by file.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_mount.h"

#include <fcntl.h>

/// What was told to have changed: "model models/fox" and so on, sorted.
typedef struct told
{
	mount_store *self;
	char names[64][64];
	int count;
} told;

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void note(void *user, lrd_kind kind, lrd_string stem)
{
	told *seen = user;
	assert_true(seen->count < 64);
	snprintf(seen->names[seen->count++], 64, "%s %.*s", lrd_kind_name(kind), LRD_STR_ARG(stem));
	qsort(seen->names, (size_t)seen->count, sizeof *seen->names, compare_names);
	// No lock is held, and look-ups go by the new state.
	(void)mount_size(seen->self, kind, "any");
}

static void assert_told(const told *seen, const char *const *names)
{
	int count = 0;
	for (; names[count] != NULL; count++)
	{
		if (count >= seen->count || strcmp(seen->names[count], names[count]) != 0)
		{
			fail_msg("expected \"%s\" as change %d, got \"%s\" of %d", names[count], count,
				count < seen->count ? seen->names[count] : "nothing", seen->count);
		}
	}
	assert_int_equal(seen->count, count);
}

#define TOLD(...) ((const char *const[]){ __VA_ARGS__ NULL })

static void relist(told *seen, lrd_mount mount)
{
	lrd_error error = { 0 };
	seen->count = 0;
	if (!lrd_mounts_relist(&seen->self->store, mount, note, seen, &error))
	{
		fail_msg("%s", error.message);
	}
}

static void touch(told *seen, lrd_mount mount, const char *path)
{
	lrd_error error = { 0 };
	const lrd_string string = lrd_string_from(path);
	seen->count = 0;
	if (!lrd_mounts_touch(&seen->self->store, mount, &string, 1, note, seen, &error))
	{
		fail_msg("%s", error.message);
	}
}

static void a_folder_listed_again_tells_what_is_new_gone_or_different(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	scratch_folder(here, "models");
	scratch_put(here, "models/same.lmodel", "same");
	scratch_put(here, "models/larger.lmesh", "small");
	scratch_put(here, "models/replaced.lmesh", "first");
	scratch_put(here, "gone.ktx2", "gone");
	lrd_mount mount = mount_root(seen.self, here->root);
	uint32_t epoch = seen.self->store.mounts.epoch;
	scratch_put(here, "models/larger.lmesh", "larger than small");
	assert_true(lrd_file_write(scratch_path(here, "models/replaced.lmesh"), "other", 5, NULL));
	assert_int_equal(unlink(scratch_path(here, "gone.ktx2")), 0);
	scratch_put(here, "note.txt", "a note");
	relist(&seen, mount);
	assert_told(&seen, TOLD("blob note.txt", "mesh models/larger", "mesh models/replaced", "texture gone", ));
	assert_true(seen.self->store.mounts.epoch != epoch);
	assert_mount_reads(seen.self, LRD_MESH, "models/replaced", "other");
	assert_mount_reads(seen.self, LRD_BLOB, "note.txt", "a note");
	assert_false(mount_knows(seen.self, LRD_TEXTURE, "gone"));
	relist(&seen, mount);
	assert_int_equal(seen.count, 0);
	mount_store_close(seen.self);
}

static void a_folder_that_is_as_it_was_keeps_its_listing_and_epoch(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	scratch_put(here, "a.lmesh", "a");
	lrd_mount mount = mount_root(seen.self, here->root);
	const lrd_mounted *before = seen.self->store.mounts.first;
	uint32_t epoch = seen.self->store.mounts.epoch;
	relist(&seen, mount);
	assert_int_equal(seen.count, 0);
	assert_ptr_equal(seen.self->store.mounts.first, before);
	assert_int_equal(seen.self->store.mounts.epoch, epoch);
	mount_store_close(seen.self);
}

static void a_file_of_the_same_size_and_time_under_a_new_inode_differs(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	struct stat before;
	scratch_put(here, "a.lmesh", "first");
	assert_int_equal(stat(scratch_path(here, "a.lmesh"), &before), 0);
	lrd_mount mount = mount_root(seen.self, here->root);
	scratch_put(here, "b", "other");
	assert_int_equal(rename(scratch_path(here, "b"), scratch_path(here, "a.lmesh")), 0);
	const struct timespec times[] = { before.st_atim, before.st_mtim };
	assert_int_equal(utimensat(AT_FDCWD, scratch_path(here, "a.lmesh"), times, 0), 0);
	relist(&seen, mount);
	assert_told(&seen, TOLD("mesh a", ));
	mount_store_close(seen.self);
}

static void the_id_and_place_of_a_mount_survive_its_listing(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	static _Alignas(16) const char bytes[] = "memory";
	const lrd_memory_file file = { LRD_STR("a.lmesh"), { bytes, 6 } };
	lrd_mount_row row;
	lrd_content content;
	scratch_put(here, "a.lmesh", "loose");
	scratch_put(here, "b.lmesh", "b");
	lrd_mount mount = mount_root(seen.self, here->root);
	mount_desc(seen.self, &(lrd_mount_desc){ .files = &file, .file_count = 1 });
	assert_true(mount_read(seen.self, LRD_MESH, "b", &content, NULL, NULL));
	mount_content_free(seen.self, &content);
	scratch_put(here, "c.lmesh", "new");
	relist(&seen, mount);
	assert_mount_reads(seen.self, LRD_MESH, "a", "memory");
	assert_true(mount_row_of(seen.self, mount, &row));
	assert_string_equal(row.name, here->root);
	assert_int_equal(row.files, 3);
	assert_int_equal(row.opened, 1);
	assert_int_equal(seen.self->store.mounts.count, 2);
	assert_int_equal(seen.self->store.mounts.leased_count, 0);
	assert_true(lrd_store_unmount(&seen.self->store, mount));
	mount_store_close(seen.self);
}

static void count_release(void *user)
{
	++*(int *)user;
}

static void a_replaced_bundle_is_opened_and_the_old_one_lives_by_its_leases(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	int released = 0;
	lrd_content old;
	const char *path = mount_write_pack(here, "a.lpack", LRD_STORED,
		(const char *[]){ "same.lmesh", "same", "differs.lmodel", "before", "gone.ktx2", "gone", NULL });
	lrd_mount mount =
		mount_desc(seen.self, &(lrd_mount_desc){ .pack = path, .release = count_release, .user = &released });
	assert_true(mount_read(seen.self, LRD_MODEL, "differs", &old, NULL, NULL));
	mount_write_pack(here, "a.lpack", LRD_ZSTD,
		(const char *[]){ "same.lmesh", "same", "differs.lmodel", "after!", "new.txt", "new", NULL });
	relist(&seen, mount);
	assert_told(&seen, TOLD("blob new.txt", "model differs", "texture gone", ));
	assert_mount_reads(seen.self, LRD_MODEL, "differs", "after!");
	assert_memory_equal(old.bytes.data, "before", 6);
	assert_int_equal(seen.self->store.mounts.leased_count, 1);
	mount_content_free(seen.self, &old);
	assert_int_equal(seen.self->store.mounts.leased_count, 0);
	assert_int_equal(released, 0); // the bundle that took its place is still mounted
	assert_true(lrd_store_unmount(&seen.self->store, mount));
	assert_int_equal(released, 1);
	mount_store_close(seen.self);
}

static void those_who_wait_for_a_mounts_end_hear_of_it_after_all_its_listings(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	int released = 0;
	lrd_content old;
	const char *path = mount_write_pack(here, "a.lpack", LRD_STORED, (const char *[]){ "a.lmesh", "before", NULL });
	lrd_mount mount =
		mount_desc(seen.self, &(lrd_mount_desc){ .pack = path, .release = count_release, .user = &released });
	assert_true(mount_read(seen.self, LRD_MESH, "a", &old, NULL, NULL));
	mount_write_pack(here, "a.lpack", LRD_STORED, (const char *[]){ "a.lmesh", "after", NULL });
	relist(&seen, mount);
	assert_true(lrd_store_unmount(&seen.self->store, mount));
	assert_int_equal(released, 0);
	mount_content_free(seen.self, &old);
	assert_int_equal(released, 1);
	mount_store_close(seen.self);
}

static void what_can_not_be_listed_stays_as_it_was(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	lrd_error error = { 0 };
	const char *path = mount_write_pack(here, "a.lpack", LRD_STORED, (const char *[]){ "a.lmesh", "packed", NULL });
	lrd_mount pack = mount_desc(seen.self, &(lrd_mount_desc){ .pack = path });
	scratch_folder(here, "root");
	scratch_put(here, "root/b.lmesh", "loose");
	lrd_mount root = mount_root(seen.self, scratch_path(here, "root"));
	uint32_t epoch = seen.self->store.mounts.epoch;
	assert_true(lrd_file_write(path, "no bundle", 9, NULL));
	scratch_put(here, "root/B.lmesh", "conflict");
	assert_false(lrd_mounts_relist(&seen.self->store, pack, note, &seen, &error));
	assert_says(&error, LRD_ERROR_FORMAT, "a.lpack: not a bundle");
	assert_false(lrd_mounts_relist(&seen.self->store, root, note, &seen, &error));
	assert_says(&error, LRD_ERROR_CONFLICT, "\"B.lmesh\" and \"b.lmesh\"");
	assert_int_equal(unlink(path), 0);
	assert_false(lrd_mounts_relist(&seen.self->store, pack, note, &seen, &error));
	assert_says(&error, LRD_ERROR_NOT_FOUND, "a.lpack");
	assert_int_equal(seen.count, 0);
	assert_mount_reads(seen.self, LRD_MESH, "a", "packed");
	assert_mount_reads(seen.self, LRD_MESH, "b", "loose");
	assert_int_equal(seen.self->store.mounts.epoch, epoch);
	assert_int_equal(unlink(scratch_path(here, "root/B.lmesh")), 0);
	relist(&seen, root);
	mount_store_close(seen.self);
}

static void a_stale_mount_is_not_listed(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	lrd_error error = { 0 };
	const lrd_string path = LRD_STR("a.lmesh");
	lrd_mount mount = mount_root(seen.self, here->root);
	assert_true(lrd_store_unmount(&seen.self->store, mount));
	assert_false(lrd_mounts_relist(&seen.self->store, mount, note, &seen, &error));
	assert_says(&error, LRD_ERROR_ARGUMENT, "there is no such mount");
	assert_false(lrd_mounts_touch(&seen.self->store, mount, &path, 1, note, &seen, &error));
	assert_says(&error, LRD_ERROR_ARGUMENT, "there is no such mount");
	assert_false(lrd_mounts_relist(&seen.self->store, (lrd_mount){ 0 }, note, &seen, NULL));
	mount_store_close(seen.self);
}

static void files_in_memory_count_as_changed_when_they_are_listed_again(void **state)
{
	(void)state;
	told seen = { .self = mount_store_open() };
	lrd_error error = { 0 };
	const lrd_string path = LRD_STR("a.txt");
	const lrd_memory_file file = { .key = path };
	lrd_mount mount = mount_desc(seen.self, &(lrd_mount_desc){ .files = &file, .file_count = 1 });
	relist(&seen, mount);
	assert_told(&seen, TOLD("blob a.txt", ));
	assert_false(lrd_mounts_touch(&seen.self->store, mount, &path, 1, note, &seen, &error));
	assert_says(&error, LRD_ERROR_ARGUMENT, "memory: it is no folder");
	mount_store_close(seen.self);
}

static void touched_files_are_told_when_they_differ(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	scratch_folder(here, "models");
	scratch_put(here, "models/fox.lmodel", "fox");
	lrd_mount mount = mount_root(seen.self, here->root);
	uint32_t epoch = seen.self->store.mounts.epoch;
	touch(&seen, mount, "models/fox.lmodel");
	assert_int_equal(seen.count, 0);
	scratch_put(here, "models/fox.lmodel", "a larger fox");
	touch(&seen, mount, "models/fox.lmodel");
	assert_told(&seen, TOLD("model models/fox", ));
	assert_int_equal(mount_size(seen.self, LRD_MODEL, "models/fox"), 12);
	assert_int_equal(seen.self->store.mounts.epoch, epoch); // no name came or went
	touch(&seen, mount, "models/fox.lmodel");
	assert_int_equal(seen.count, 0);
	touch(&seen, mount, "models/new.lmesh");
	assert_int_equal(seen.count, 0);
	scratch_put(here, "models/new.lmesh", "new");
	touch(&seen, mount, "models/new.lmesh");
	assert_told(&seen, TOLD("mesh models/new", ));
	assert_mount_reads(seen.self, LRD_MESH, "models/new", "new");
	assert_int_equal(seen.self->store.mounts.epoch, epoch + 1);
	assert_int_equal(unlink(scratch_path(here, "models/fox.lmodel")), 0);
	touch(&seen, mount, "models/fox.lmodel");
	assert_told(&seen, TOLD("model models/fox", ));
	assert_false(mount_knows(seen.self, LRD_MODEL, "models/fox"));
	assert_int_equal(seen.self->store.mounts.epoch, epoch + 2);
	scratch_put(here, "models/fox.lmodel", "back");
	touch(&seen, mount, "models/fox.lmodel");
	assert_told(&seen, TOLD("model models/fox", ));
	assert_mount_reads(seen.self, LRD_MODEL, "models/fox", "back");
	relist(&seen, mount);
	assert_int_equal(seen.count, 0);
	mount_store_close(seen.self);
}

static void many_touched_files_are_all_looked_at(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	char names[40][24];
	lrd_string paths[40];
	lrd_mount mount = mount_root(seen.self, here->root);
	for (int i = 0; i < 40; i++)
	{
		char name[24];
		snprintf(name, sizeof name, "%02d.lmesh", i);
		scratch_put(here, name, "new");
		paths[i] = lrd_string_from(memcpy(names[i], name, sizeof name));
	}
	assert_true(lrd_mounts_touch(&seen.self->store, mount, paths, 40, note, &seen, NULL));
	assert_int_equal(seen.count, 40);
	for (int i = 0; i < 40; i++)
	{
		names[i][2] = '\0';
		assert_mount_reads(seen.self, LRD_MESH, names[i], "new");
	}
	mount_store_close(seen.self);
}

static void one_file_that_can_not_be_keeps_no_other_from_being_looked_at(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	lrd_error error = { 0 };
	scratch_put(here, "a.lmesh", "a");
	lrd_mount mount = mount_root(seen.self, here->root);
	scratch_put(here, "A.lmesh", "conflict");
	scratch_put(here, "b.lmesh", "b");
	const lrd_string paths[] = { LRD_STR("A.lmesh"), LRD_STR("c:d.txt"), LRD_STR("b.lmesh") };
	assert_false(lrd_mounts_touch(&seen.self->store, mount, paths, 3, note, &seen, &error));
	assert_says(&error, LRD_ERROR_CONFLICT, "\"a.lmesh\" and \"A.lmesh\"");
	assert_told(&seen, TOLD("mesh b", ));
	assert_false(lrd_mounts_touch(&seen.self->store, mount, paths, 3, note, &seen, NULL));
	mount_store_close(seen.self);
}

static void what_is_no_asset_may_be_touched_in_vain(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	lrd_mount mount = mount_root(seen.self, here->root);
	scratch_folder(here, "folder.lmesh");
	scratch_folder(here, ".larder");
	scratch_put(here, ".larder/a.lmesh", "");
	mount_put_manifest(here);
	assert_int_equal(mkfifo(scratch_path(here, "pipe.lmesh"), 0666), 0);
	scratch_link(here, "out.lmesh", "../../../../../etc/passwd");
	scratch_link(here, "broken.lmesh", "nowhere");
	const char *const paths[] = { "folder.lmesh", ".larder/a.lmesh", "larder.manifest.json", "pipe.lmesh", "out.lmesh",
		"broken.lmesh", "missing/a.lmesh" };
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
	{
		touch(&seen, mount, paths[i]);
		assert_int_equal(seen.count, 0);
	}
	lrd_error error = { 0 };
	const lrd_string up = LRD_STR("a/../../b.lmesh");
	assert_true(lrd_mounts_touch(&seen.self->store, mount, &up, 1, note, &seen, &error)); // ".." begins with "."
	const lrd_string backslash = LRD_STR("a\\b.lmesh");
	assert_false(lrd_mounts_touch(&seen.self->store, mount, &backslash, 1, note, &seen, &error));
	assert_int_equal(error.code, LRD_ERROR_PATH);
	mount_store_close(seen.self);
}

static void a_file_whose_case_changed_is_found_under_its_new_name(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	lrd_error error = { 0 };
	scratch_put(here, "fox.lmesh", "a fox");
	lrd_mount mount = mount_root(seen.self, here->root);
	assert_int_equal(rename(scratch_path(here, "fox.lmesh"), scratch_path(here, "Fox.lmesh")), 0);
	touch(&seen, mount, "Fox.lmesh");
	assert_told(&seen, TOLD("mesh Fox", ));
	assert_mount_reads(seen.self, LRD_MESH, "fox", "a fox");
	touch(&seen, mount, "fox.lmesh"); // which is gone; what has its name is still there
	assert_int_equal(seen.count, 0);
	assert_mount_reads(seen.self, LRD_MESH, "fox", "a fox");
	scratch_put(here, "fox.lmesh", "another");
	const lrd_string path = LRD_STR("fox.lmesh");
	assert_false(lrd_mounts_touch(&seen.self->store, mount, &path, 1, note, &seen, &error));
	assert_says(&error, LRD_ERROR_CONFLICT, "\"Fox.lmesh\" and \"fox.lmesh\"");
	assert_mount_reads(seen.self, LRD_MESH, "fox", "a fox");
	mount_store_close(seen.self);
}

static void a_missing_name_is_looked_for_in_all_folders(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	scratch_folder(here, "a");
	scratch_folder(here, "b");
	const char *pack = mount_write_pack(here, "p.lpack", LRD_STORED, (const char *[]){ "x.lmesh", "x", NULL });
	mount_root(self, scratch_path(here, "a"));
	mount_desc(self, &(lrd_mount_desc){ .pack = pack });
	mount_root(self, scratch_path(here, "b"));
	uint32_t epoch = self->store.mounts.epoch;
	lrd_mounts_look_for(&self->store, LRD_MESH, LRD_STR("fox"));
	assert_int_equal(self->store.mounts.epoch, epoch);
	scratch_put(here, "a/fox.lmesh", "a fox");
	lrd_mounts_look_for(&self->store, LRD_MESH, LRD_STR("fox"));
	assert_mount_reads(self, LRD_MESH, "fox", "a fox");
	assert_int_equal(self->store.mounts.epoch, epoch + 1);
	scratch_put(here, "b/fox.lmesh", "another");
	lrd_mounts_look_for(&self->store, LRD_MESH, LRD_STR("fox"));
	assert_mount_reads(self, LRD_MESH, "fox", "another");
	assert_int_equal(unlink(scratch_path(here, "a/fox.lmesh")), 0);
	assert_int_equal(unlink(scratch_path(here, "b/fox.lmesh")), 0);
	lrd_mounts_look_for(&self->store, LRD_MESH, LRD_STR("fox"));
	assert_false(mount_knows(self, LRD_MESH, "fox"));
	lrd_mounts_look_for(&self->store, LRD_MESH, LRD_STR("../fox"));
	lrd_mounts_look_for(&self->store, LRD_MESH, LRD_STR(""));
	mount_store_close(self);
}

/// Is told of a broken link while the folder is walked, after its names were read, and then changes the folder.
typedef struct meddler
{
	told seen; // first: it is what is noted in
	scratch *here;
	lrd_mount mount;
	bool renames;
} meddler;

static void meddle(void *user, lrd_log_level level, const char *scope, const char *message)
{
	meddler *self = user;
	(void)level;
	(void)scope;
	if (self->mount.generation == 0 || strstr(message, "broken") == NULL)
	{
		return;
	}
	const lrd_string paths[] = { LRD_STR("gone.lmesh"), LRD_STR("new.lmesh"), LRD_STR("back.lmesh"),
		lrd_string_from(self->renames ? "OTHER.lmesh" : "other.lmesh") };
	unlink(scratch_path(self->here, "gone.lmesh"));
	scratch_put(self->here, "new.lmesh", "new");
	scratch_put(self->here, "back.lmesh", "back and larger");
	if (self->renames)
	{
		assert_int_equal(rename(scratch_path(self->here, "other.lmesh"), scratch_path(self->here, "OTHER.lmesh")), 0);
	}
	assert_true(lrd_mounts_touch(&self->seen.self->store, self->mount, paths, 4, note, &self->seen, NULL));
}

static meddler *meddler_open(scratch *here)
{
	meddler *self = calloc(1, sizeof *self);
	assert_non_null(self);
	self->seen.self = mount_store_open();
	self->here = here;
	scratch_link(here, "broken.lmesh", "nowhere");
	scratch_put(here, "gone.lmesh", "gone");
	scratch_put(here, "back.lmesh", "back");
	scratch_put(here, "other.lmesh", "other");
	self->mount = mount_root(self->seen.self, here->root);
	self->seen.self->store.log = (lrd_log){ meddle, self };
	scratch_put(here, "differs.lmesh", "differs"); // so that the new listing takes the old one's place
	return self;
}

static void what_is_touched_while_a_folder_is_listed_counts_afterwards(void **state)
{
	meddler *self = meddler_open(*state);
	mount_store *store = self->seen.self;
	assert_true(lrd_mounts_relist(&store->store, self->mount, note, &self->seen, NULL));
	assert_told(&self->seen, TOLD("mesh back", "mesh differs", "mesh gone", "mesh new", ));
	assert_false(mount_knows(store, LRD_MESH, "gone"));
	assert_mount_reads(store, LRD_MESH, "new", "new");
	assert_int_equal(mount_size(store, LRD_MESH, "back"), 15);
	mount_store_close(store);
	free(self);
}

static void a_case_that_changes_while_a_folder_is_listed_is_no_conflict(void **state)
{
	meddler *self = meddler_open(*state);
	mount_store *store = self->seen.self;
	lrd_origin origin = { 0 };
	self->renames = true; // the listing sees the file under its old name
	assert_true(lrd_mounts_relist(&store->store, self->mount, note, &self->seen, NULL));
	assert_true(mount_find(store, LRD_MESH, "other", &origin));
	assert_memory_equal(origin.key.data, "OTHER.lmesh", origin.key.size);
	lrd_origin_release(&store->store, &origin);
	assert_mount_reads(store, LRD_MESH, "other", "other");
	mount_store_close(store);
	free(self);
}

typedef struct waiter
{
	told *seen;
	lrd_mount mount;
	atomic_bool done;
} waiter;

static void relist_in_thread(void *user)
{
	waiter *self = user;
	assert_true(lrd_mounts_relist(&self->seen->self->store, self->mount, note, self->seen, NULL));
	atomic_store(&self->done, true);
}

static void who_lists_what_another_is_listing_waits(void **state)
{
	scratch *here = *state;
	told seen = { .self = mount_store_open() };
	told other = { .self = seen.self };
	lrd_store *store = &seen.self->store;
	scratch_put(here, "a.lmesh", "a");
	lrd_mount mount = mount_root(seen.self, here->root);
	relist(&seen, mount); // the condition is made by the first
	lrd_mutex_lock(&store->lock);
	store->mounts.first->listing = true;
	lrd_mutex_unlock(&store->lock);
	scratch_put(here, "b.lmesh", "b");
	waiter self = { .seen = &other, .mount = mount };
	lrd_thread *thread = lrd_thread_start(relist_in_thread, &self, 0, (lrd_allocator){ 0 }, NULL);
	assert_non_null(thread);
	usleep(20000);
	assert_false(atomic_load(&self.done));
	lrd_mutex_lock(&store->lock);
	store->mounts.first->listing = false;
	lrd_condition_broadcast(&store->mounts.listed);
	lrd_mutex_unlock(&store->lock);
	lrd_thread_join(thread);
	assert_told(&other, TOLD("mesh b", ));
	mount_store_close(seen.self);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(a_folder_listed_again_tells_what_is_new_gone_or_different),
		WITH_FOLDER(a_folder_that_is_as_it_was_keeps_its_listing_and_epoch),
		WITH_FOLDER(a_file_of_the_same_size_and_time_under_a_new_inode_differs),
		WITH_FOLDER(the_id_and_place_of_a_mount_survive_its_listing),
		WITH_FOLDER(a_replaced_bundle_is_opened_and_the_old_one_lives_by_its_leases),
		WITH_FOLDER(those_who_wait_for_a_mounts_end_hear_of_it_after_all_its_listings),
		WITH_FOLDER(what_can_not_be_listed_stays_as_it_was),
		WITH_FOLDER(a_stale_mount_is_not_listed),
		cmocka_unit_test(files_in_memory_count_as_changed_when_they_are_listed_again),
		WITH_FOLDER(touched_files_are_told_when_they_differ),
		WITH_FOLDER(many_touched_files_are_all_looked_at),
		WITH_FOLDER(one_file_that_can_not_be_keeps_no_other_from_being_looked_at),
		WITH_FOLDER(what_is_no_asset_may_be_touched_in_vain),
		WITH_FOLDER(a_file_whose_case_changed_is_found_under_its_new_name),
		WITH_FOLDER(a_missing_name_is_looked_for_in_all_folders),
		WITH_FOLDER(what_is_touched_while_a_folder_is_listed_counts_afterwards),
		WITH_FOLDER(a_case_that_changes_while_a_folder_is_listed_is_no_conflict),
		WITH_FOLDER(who_lists_what_another_is_listing_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
