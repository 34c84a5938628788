// Mounts: what is found where, in which order, under which names.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_mount.h"

#include <fcntl.h>

// The same files, for a folder, a bundle and memory.
static const char *const fox_files[] = { "models/fox.lmodel", "a model", "models/fox.lmesh", "a mesh",
	"Models/Wolf.LMODEL", "another", "notes/readme.txt", "a note", "notes/README", "no extension", "larder.json", "{}",
	NULL };

typedef lrd_mount make_mount(mount_store *self, scratch *here, const char *const *files);

static lrd_mount make_root(mount_store *self, scratch *here, const char *const *files)
{
	scratch_folder(here, "root");
	for (size_t i = 0; files[i] != NULL; i += 2)
	{
		char name[256];
		snprintf(name, sizeof name, "root/%s", files[i]);
		for (char *slash = name + 5; (slash = strchr(slash, '/')) != NULL; slash++)
		{
			*slash = '\0';
			(void)mkdir(scratch_path(here, name), 0777);
			*slash = '/';
		}
		scratch_put(here, name, files[i + 1]);
	}
	return mount_root(self, scratch_path(here, "root"));
}

static lrd_mount make_pack(mount_store *self, scratch *here, const char *const *files)
{
	return mount_desc(self, &(lrd_mount_desc){ .pack = mount_write_pack(here, "files.lpack", LRD_STORED, files) });
}

// Memory that outlives the test's stores.
static _Alignas(16) char memory_bytes[16][64];
static lrd_memory_file memory_files[16];

static lrd_mount make_memory(mount_store *self, scratch *here, const char *const *files)
{
	uint32_t count = 0;
	(void)here;
	for (; files[2 * count] != NULL; count++)
	{
		const char *text = files[2 * count + 1];
		memcpy(memory_bytes[count], text, strlen(text));
		memory_files[count].key = lrd_string_from(files[2 * count]);
		memory_files[count].bytes = (lrd_bytes){ memory_bytes[count], strlen(text) };
	}
	return mount_desc(self, &(lrd_mount_desc){ .files = memory_files, .file_count = count });
}

static void check_names(scratch *here, make_mount *make)
{
	mount_store *self = mount_store_open();
	lrd_mount_row row;
	lrd_mount mount = make(self, here, fox_files);
	assert_mount_reads(self, LRD_MODEL, "models/fox", "a model");
	assert_mount_reads(self, LRD_MESH, "MODELS/Fox", "a mesh");
	assert_mount_reads(self, LRD_MODEL, "models/wolf", "another");
	assert_mount_reads(self, LRD_BLOB, "notes/readme.txt", "a note");
	assert_mount_reads(self, LRD_BLOB, "Notes/Readme", "no extension");
	assert_mount_reads(self, LRD_BLOB, "larder.json", "{}");
	assert_int_equal(mount_size(self, LRD_BLOB, "notes/readme"), 12);
	assert_int_equal(mount_size(self, LRD_BLOB, "notes/readm"), 0);
	assert_false(mount_knows(self, LRD_SKELETON, "models/fox"));
	assert_false(mount_knows(self, LRD_BLOB, "models/fox"));
	assert_false(mount_knows(self, LRD_MODEL, "models/fox.lmodel"));
	assert_false(mount_knows(self, LRD_MODEL, "models"));
	assert_false(mount_knows(self, LRD_MODEL, ""));
	assert_false(mount_knows(self, LRD_KIND_NONE, "notes/readme.txt"));
	assert_true(mount_row_of(self, mount, &row));
	assert_int_equal(row.files, 6);
	assert_int_equal(row.opened, 6);
	assert_int_equal(row.leases, 0);
	mount_store_close(self);
}

static void folders_bundles_and_memory_agree_on_names(void **state)
{
	check_names(*state, make_root);
	check_names(*state, make_pack);
	check_names(*state, make_memory);
}

static const char *const hidden_files[] = { "larder.manifest.json", "{}", "notes/larder.manifest.json", "no manifest",
	".larder/cook.db", "x", "notes/.hidden.lmodel", "x", "notes/.lmodel", "x", NULL };

static void check_hidden(scratch *here, make_mount *make)
{
	mount_store *self = mount_store_open();
	make(self, here, hidden_files);
	assert_mount_reads(self, LRD_BLOB, "notes/larder.manifest.json", "no manifest");
	assert_false(mount_knows(self, LRD_BLOB, "larder.manifest.json"));
	assert_false(mount_knows(self, LRD_BLOB, "Larder.Manifest.json"));
	assert_false(mount_knows(self, LRD_BLOB, ".larder/cook.db"));
	assert_false(mount_knows(self, LRD_MODEL, "notes/.hidden"));
	assert_false(mount_knows(self, LRD_BLOB, "notes/.lmodel"));
	assert_false(mount_knows(self, LRD_MODEL, "notes/"));
	mount_store_close(self);
}

static void what_is_hidden_and_the_manifest_are_no_assets(void **state)
{
	check_hidden(*state, make_root);
	check_hidden(*state, make_pack);
	check_hidden(*state, make_memory);
}

static void a_cooked_file_is_no_blob(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	make_memory(self, NULL, fox_files);
	assert_false(mount_knows(self, LRD_BLOB, "models/fox.lmodel"));
	mount_store_close(self);
}

static void later_mounts_win_and_what_was_put_wins_over_all(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	make_pack(self, here, (const char *[]){ "fox.lmodel", "packed", "wolf.lmodel", "wolf", NULL });
	assert_mount_reads(self, LRD_MODEL, "fox", "packed");
	lrd_mount root = make_root(self, here, (const char *[]){ "fox.lmodel", "loose", NULL });
	assert_mount_reads(self, LRD_MODEL, "fox", "loose");
	assert_mount_reads(self, LRD_MODEL, "wolf", "wolf");
	assert_true(lrd_mounts_put(&self->store, LRD_MODEL, LRD_STR("Fox"), (lrd_bytes){ "put", 3 }, NULL));
	assert_mount_reads(self, LRD_MODEL, "fox", "put");
	make_memory(self, here, (const char *[]){ "fox.lmodel", "memory", NULL });
	assert_mount_reads(self, LRD_MODEL, "fox", "put");
	assert_true(lrd_mounts_put(&self->store, LRD_MODEL, LRD_STR("fox"), (lrd_bytes){ "again", 5 }, NULL));
	assert_mount_reads(self, LRD_MODEL, "fox", "again");
	assert_true(lrd_mounts_put(&self->store, LRD_MODEL, LRD_STR("fox"), (lrd_bytes){ NULL, 0 }, NULL));
	assert_mount_reads(self, LRD_MODEL, "fox", "memory");
	assert_true(lrd_store_unmount(&self->store, root));
	assert_mount_reads(self, LRD_MODEL, "fox", "memory");
	mount_store_close(self);
}

static void what_was_put_is_a_copy_that_readers_keep(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	lrd_content content;
	lrd_mount_row row;
	char bytes[] = "first";
	assert_true(lrd_mounts_put(&self->store, LRD_TEXTURE, LRD_STR("fur"), (lrd_bytes){ bytes, 5 }, NULL));
	bytes[0] = 'F';
	assert_true(mount_read(self, LRD_TEXTURE, "fur", &content, NULL, NULL));
	assert_true(lrd_mounts_put(&self->store, LRD_TEXTURE, LRD_STR("fur"), (lrd_bytes){ "second", 6 }, NULL));
	assert_memory_equal(content.bytes.data, "first", 5);
	assert_int_equal((uintptr_t)content.bytes.data % 16, 0);
	assert_null(content.owned);
	assert_true(mount_row_of(self, self->store.mounts.put->id, &row));
	assert_string_equal(row.name, "put");
	assert_int_equal(row.leases, 1);
	assert_int_equal(row.files, 1);
	assert_int_equal(row.opened, 1);
	assert_false(lrd_store_unmount(&self->store, row.id));
	mount_content_free(self, &content);
	assert_true(mount_row_of(self, row.id, &row));
	assert_int_equal(row.leases, 0);
	assert_true(lrd_mounts_put(&self->store, LRD_TEXTURE, LRD_STR("fur"), (lrd_bytes){ NULL, 0 }, NULL));
	assert_true(mount_row_of(self, row.id, &row));
	assert_int_equal(row.files, 0);
	assert_false(mount_knows(self, LRD_TEXTURE, "fur"));
	mount_store_close(self);
}

static void taking_away_what_was_never_put_is_nothing(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	assert_true(lrd_mounts_put(&self->store, LRD_TEXTURE, LRD_STR("fur"), (lrd_bytes){ NULL, 0 }, NULL));
	assert_null(self->store.mounts.put);
	mount_store_close(self);
}

static void nothing_is_put_under_a_name_that_no_file_can_have(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	lrd_error error = { 0 };
	assert_false(lrd_mounts_put(&self->store, LRD_BLOB, LRD_STR("a.lmodel"), (lrd_bytes){ "x", 1 }, &error));
	assert_says(&error, LRD_ERROR_PATH, "blob \"a.lmodel\"");
	mount_store_close(self);
}

static void two_files_that_differ_in_case_are_a_conflict(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	scratch_folder(here, "models");
	scratch_put(here, "models/fox.lmodel", "");
	scratch_put(here, "models/Fox.LMODEL", "");
	lrd_error error = mount_error(self, &(lrd_mount_desc){ .root = here->root });
	assert_says(
		&error, LRD_ERROR_CONFLICT, "\"models/Fox.LMODEL\" and \"models/fox.lmodel\" differ in nothing but case");
	assert_says(&error, LRD_ERROR_CONFLICT, here->root);
	const lrd_memory_file twice[] = { { .key = LRD_STR("a.txt") }, { .key = LRD_STR("A.TXT") } };
	error = mount_error(self, &(lrd_mount_desc){ .files = twice, .file_count = 2 });
	assert_says(&error, LRD_ERROR_CONFLICT, "\"a.txt\" and \"A.TXT\"");
	mount_store_close(self);
}

static void keys_that_are_no_asset_paths_are_refused(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	const char *const keys[] = { "", "/a.txt", "a//b.txt", "../a.txt", "a\\b.txt", "c:a.txt", "a\x01.txt", "\xff.txt" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
	{
		const lrd_memory_file file = { .key = lrd_string_from(keys[i]) };
		lrd_error error = mount_error(self, &(lrd_mount_desc){ .files = &file, .file_count = 1 });
		assert_says(&error, LRD_ERROR_PATH, "a file in memory: path \"");
	}
	scratch_put(here, "a:b.txt", "");
	lrd_error error = mount_error(self, &(lrd_mount_desc){ .root = here->root });
	assert_says(&error, LRD_ERROR_PATH, "path \"a:b.txt\"");
	assert_says(&error, LRD_ERROR_PATH, here->root);
	mount_store_close(self);
}

static void names_as_long_as_asset_paths_may_be_are_found(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	char path[LRD_PATH_MAX + 1] = "";
	int home = open(".", O_RDONLY);
	assert_true(home >= 0);
	assert_int_equal(chdir(here->root), 0);
	for (size_t used = 0; used + 256 <= LRD_PATH_MAX - 16; used += 201)
	{
		memset(path + used, 'a', 200);
		path[used + 200] = '\0';
		assert_int_equal(mkdir(path, 0777), 0);
		path[used + 200] = '/';
		path[used + 201] = '\0';
	}
	size_t used = strlen(path);
	memset(path + used, 'b', LRD_PATH_MAX - used);
	memcpy(path + LRD_PATH_MAX - 7, ".lmodel", 8);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_true(fputs("long", file) >= 0);
	fclose(file);
	assert_int_equal(fchdir(home), 0);
	close(home);
	mount_root(self, here->root);
	path[LRD_PATH_MAX - 7] = '\0';
	assert_mount_reads(self, LRD_MODEL, path, "long");
	assert_false(mount_knows(self, LRD_CLIP, path));
	assert_false(mount_knows(self, LRD_COLLISION, path));
	assert_false(mount_knows(self, LRD_SKELETON, path));
	char longer[2 * LRD_PATH_MAX];
	memset(longer, 'c', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_false(mount_knows(self, LRD_BLOB, longer));
	mount_store_close(self);
}

static void a_mount_is_one_of_three_things(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	const lrd_memory_file file = { .key = LRD_STR("a.txt") };
	lrd_error error = mount_error(self, &(lrd_mount_desc){ 0 });
	assert_says(&error, LRD_ERROR_ARGUMENT, "names 0 of them");
	error = mount_error(self, &(lrd_mount_desc){ .root = here->root, .files = &file, .file_count = 1 });
	assert_says(&error, LRD_ERROR_ARGUMENT, "names 2 of them");
	mount_store_close(self);
}

static void memory_must_be_aligned_and_there(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	const lrd_memory_file crooked = { .key = LRD_STR("a.txt"), .bytes = { memory_bytes[0] + 8, 4 } };
	lrd_error error = mount_error(self, &(lrd_mount_desc){ .files = &crooked, .file_count = 1 });
	assert_says(&error, LRD_ERROR_ARGUMENT, "a.txt, a file in memory");
	const lrd_memory_file nothing = { .key = LRD_STR("a.txt"), .bytes = { NULL, 4 } };
	error = mount_error(self, &(lrd_mount_desc){ .files = &nothing, .file_count = 1 });
	assert_says(&error, LRD_ERROR_ARGUMENT, "a.txt, a file in memory");
	const lrd_memory_file empty = { .key = LRD_STR("a.txt") };
	mount_desc(self, &(lrd_mount_desc){ .files = &empty, .file_count = 1 });
	assert_mount_reads(self, LRD_BLOB, "a.txt", "");
	mount_store_close(self);
}

static void what_is_not_there_or_damaged_does_not_mount(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	scratch_put(here, "file", "no bundle, and no folder");
	const char *file = scratch_path(here, "file");
	const char *missing = scratch_path(here, "missing");
	lrd_error error = mount_error(self, &(lrd_mount_desc){ .root = missing });
	assert_says(&error, LRD_ERROR_NOT_FOUND, "missing");
	error = mount_error(self, &(lrd_mount_desc){ .pack = missing });
	assert_says(&error, LRD_ERROR_NOT_FOUND, "missing");
	error = mount_error(self, &(lrd_mount_desc){ .root = file });
	assert_says(&error, LRD_ERROR_IO, "a folder was expected");
	error = mount_error(self, &(lrd_mount_desc){ .pack = file });
	assert_says(&error, LRD_ERROR_FORMAT, "not a bundle");
	error = mount_error(self, &(lrd_mount_desc){ .pack = here->root });
	assert_says(&error, LRD_ERROR_IO, "a file was expected");
	assert_int_equal(self->store.mounts.count, 0);
	assert_int_equal(self->store.mounts.epoch, 1);
	mount_store_close(self);
}

static void an_epoch_begins_with_every_mount_and_unmount(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	const lrd_memory_file file = { .key = LRD_STR("a.txt") };
	assert_false(mount_knows(self, LRD_BLOB, "a.txt"));
	assert_int_equal(self->store.mounts.epoch, 1);
	lrd_mount mount = mount_desc(self, &(lrd_mount_desc){ .files = &file, .file_count = 1 });
	assert_int_equal(self->store.mounts.epoch, 2);
	assert_true(mount_knows(self, LRD_BLOB, "a.txt"));
	assert_true(lrd_store_unmount(&self->store, mount));
	assert_int_equal(self->store.mounts.epoch, 3);
	assert_false(lrd_store_unmount(&self->store, mount));
	assert_false(lrd_store_unmount(&self->store, (lrd_mount){ 0 }));
	assert_int_equal(self->store.mounts.epoch, 3);
	assert_int_equal(self->store.mounts.probes, 2);
	assert_int_equal(mount_size(self, LRD_BLOB, "a.txt"), 0);
	assert_int_equal(self->store.mounts.probes, 2);
	mount_store_close(self);
}

static void a_mounts_name_is_never_given_again(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	const lrd_memory_file file = { .key = LRD_STR("a.txt") };
	const lrd_mount_desc desc = { .files = &file, .file_count = 1 };
	lrd_mount first = mount_desc(self, &desc);
	assert_true(lrd_store_unmount(&self->store, first));
	lrd_mount second = mount_desc(self, &desc);
	assert_true(second.index != first.index || second.generation != first.generation);
	assert_false(lrd_store_unmount(&self->store, first));
	assert_true(lrd_store_unmount(&self->store, second));
	mount_store_close(self);
}

static void only_regular_files_inside_the_folder_are_assets(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	scratch_folder(here, "outside");
	scratch_folder(here, "root");
	scratch_folder(here, "root/folder.lmodel");
	scratch_put(here, "outside/fox.lmodel", "outside");
	scratch_put(here, "root/wolf.lmodel", "inside");
	scratch_link(here, "root/out.lmodel", "../outside/fox.lmodel");
	scratch_link(here, "root/far", "../outside");
	scratch_link(here, "root/broken.lmodel", "nowhere");
	scratch_link(here, "root/in.lmodel", "wolf.lmodel");
	assert_int_equal(mkfifo(scratch_path(here, "root/pipe.lmodel"), 0666), 0);
	mount_root(self, scratch_path(here, "root"));
	assert_mount_reads(self, LRD_MODEL, "in", "inside");
	assert_false(mount_knows(self, LRD_MODEL, "out"));
	assert_false(mount_knows(self, LRD_MODEL, "far/fox"));
	assert_false(mount_knows(self, LRD_MODEL, "broken"));
	assert_false(mount_knows(self, LRD_MODEL, "pipe"));
	assert_false(mount_knows(self, LRD_MODEL, "folder"));
	assert_int_equal(self->log.counts[LRD_LOG_WARNING], 3);
	assert_non_null(strstr(self->log.last, "a symbolic link that leads to no file in this folder"));
	mount_store_close(self);
}

static void a_folder_that_can_not_be_read_hides_only_what_is_in_it(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	scratch_folder(here, "locked");
	scratch_put(here, "locked/fox.lmodel", "");
	scratch_put(here, "wolf.lmodel", "wolf");
	assert_int_equal(chmod(scratch_path(here, "locked"), 0), 0);
	assert_true(mount_as_nobody(here));
	mount_root(self, here->root);
	mount_as_before();
	assert_int_equal(chmod(scratch_path(here, "locked"), 0777), 0);
	assert_mount_reads(self, LRD_MODEL, "wolf", "wolf");
	assert_false(mount_knows(self, LRD_MODEL, "locked/fox"));
	assert_int_equal(self->log.counts[LRD_LOG_WARNING], 1);
	assert_non_null(strstr(self->log.last, "/locked/: can't read this folder"));
	mount_store_close(self);
}

static void a_folders_name_may_end_in_slashes(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	char path[512];
	lrd_mount_row row;
	scratch_put(here, "fox.lmodel", "a fox");
	snprintf(path, sizeof path, "%s//", here->root);
	lrd_mount mount = mount_root(self, path);
	assert_mount_reads(self, LRD_MODEL, "fox", "a fox");
	assert_true(mount_row_of(self, mount, &row));
	assert_string_equal(row.name, here->root);
	mount_store_close(self);
}

static void a_hundred_thousand_files_are_found(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	char name[64];
	const int count = 100000;
	for (int i = 0; i < count; i++)
	{
		if (i % 1000 == 0)
		{
			snprintf(name, sizeof name, "%03d", i / 1000);
			scratch_folder(here, name);
		}
		snprintf(name, sizeof name, "%03d/%03d.lmesh", i / 1000, i % 1000);
		int file = open(scratch_path(here, name), O_WRONLY | O_CREAT | O_EXCL, 0666);
		assert_true(file >= 0);
		assert_int_equal(close(file), 0);
	}
	mount_root(self, here->root);
	for (int i = 0; i < count; i++)
	{
		snprintf(name, sizeof name, "%03d/%03d", i / 1000, i % 1000);
		assert_true(mount_knows(self, LRD_MESH, name));
		name[6] = name[6] == '0' ? 'x' : '0';
		name[3] = '-';
		assert_false(mount_knows(self, LRD_MESH, name));
	}
	mount_store_close(self);
}

static void mounting_a_bundle_allocates_the_same_whatever_its_size(void **state)
{
	scratch *here = *state;
	const uint32_t count = 200000;
	lrd_pack_source *sources = calloc(count, sizeof *sources);
	char(*keys)[32] = calloc(count, sizeof *keys);
	assert_non_null(sources);
	assert_non_null(keys);
	for (uint32_t i = 0; i < count; i++)
	{
		snprintf(keys[i], sizeof keys[i], "models/%u.lmesh", i);
		sources[i].key = lrd_string_from(keys[i]);
	}
	const char *const names[] = { "small.lpack", "large.lpack" };
	const uint32_t counts[] = { 3, count };
	long long calls[2];
	for (int i = 0; i < 2; i++)
	{
		lrd_error error = { 0 };
		const char *path = scratch_path(here, names[i]);
		const lrd_pack_write_desc desc = { .path = path, .sources = sources, .source_count = counts[i] };
		assert_true(lrd_pack_write(&desc, NULL, &error));
		mount_store *self = mount_store_open();
		mount_desc(self, &(lrd_mount_desc){ .pack = path });
		calls[i] = atomic_load(&self->memory.calls);
		assert_true(mount_knows(self, LRD_MESH, "models/2"));
		assert_int_equal(mount_knows(self, LRD_MESH, "models/199999"), i == 1);
		mount_store_close(self);
	}
	assert_int_equal(calls[0], calls[1]);
	free(sources);
	free(keys);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(folders_bundles_and_memory_agree_on_names),
		WITH_FOLDER(what_is_hidden_and_the_manifest_are_no_assets),
		cmocka_unit_test(a_cooked_file_is_no_blob),
		WITH_FOLDER(later_mounts_win_and_what_was_put_wins_over_all),
		cmocka_unit_test(what_was_put_is_a_copy_that_readers_keep),
		cmocka_unit_test(taking_away_what_was_never_put_is_nothing),
		cmocka_unit_test(nothing_is_put_under_a_name_that_no_file_can_have),
		WITH_FOLDER(two_files_that_differ_in_case_are_a_conflict),
		WITH_FOLDER(keys_that_are_no_asset_paths_are_refused),
		WITH_FOLDER(names_as_long_as_asset_paths_may_be_are_found),
		WITH_FOLDER(a_mount_is_one_of_three_things),
		cmocka_unit_test(memory_must_be_aligned_and_there),
		WITH_FOLDER(what_is_not_there_or_damaged_does_not_mount),
		cmocka_unit_test(an_epoch_begins_with_every_mount_and_unmount),
		cmocka_unit_test(a_mounts_name_is_never_given_again),
		WITH_FOLDER(only_regular_files_inside_the_folder_are_assets),
		WITH_FOLDER(a_folder_that_can_not_be_read_hides_only_what_is_in_it),
		WITH_FOLDER(a_folders_name_may_end_in_slashes),
		WITH_FOLDER(a_hundred_thousand_files_are_found),
		WITH_FOLDER(mounting_a_bundle_allocates_the_same_whatever_its_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
