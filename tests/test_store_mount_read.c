// Mounts: how the bytes come, and what becomes of those who read what has changed, or never was sound.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_mount.h"

#include <fcntl.h>

#define LARGE ((size_t)64 * 1024)

static void assert_letters(lrd_bytes bytes, char letter, size_t size)
{
	assert_int_equal(bytes.size, size);
	for (size_t i = 0; i < size; i++)
	{
		assert_int_equal(((const char *)bytes.data)[i], letter);
	}
}

static void put_letters(scratch *here, const char *name, char letter, size_t size)
{
	char *text = mount_text(letter, size);
	scratch_put(here, name, text);
	free(text);
}

static void read_well(mount_store *self, lrd_kind kind, const char *stem, lrd_content *content, uint64_t *io_bytes)
{
	lrd_error error = { 0 };
	if (!mount_read(self, kind, stem, content, io_bytes, &error))
	{
		fail_msg("%s", error.message);
	}
}

static void stored_entries_are_read_in_place(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	lrd_content content;
	lrd_mount_row row;
	uint64_t io_bytes = 1;
	const char *path = mount_write_pack(here, "a.lpack", LRD_STORED, (const char *[]){ "a.lmodel", "a model", NULL });
	lrd_mount mount = mount_desc(self, &(lrd_mount_desc){ .pack = path });
	long long before = atomic_load(&self->memory.calls);
	read_well(self, LRD_MODEL, "a", &content, &io_bytes);
	assert_int_equal(atomic_load(&self->memory.calls), before);
	assert_memory_equal(content.bytes.data, "a model", 7);
	assert_null(content.owned);
	assert_int_equal(io_bytes, 0);
	assert_true(mount_row_of(self, mount, &row));
	assert_int_equal(row.leases, 1);
	mount_content_free(self, &content);
	mount_content_free(self, &content);
	assert_true(mount_row_of(self, mount, &row));
	assert_int_equal(row.leases, 0);
	mount_store_close(self);
}

static void compressed_entries_are_inflated_into_memory_of_the_allocator(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	lrd_content content;
	lrd_mount_row row;
	uint64_t io_bytes = 0;
	char *text = mount_text('z', 100000);
	const char *path = mount_write_pack(here, "a.lpack", LRD_ZSTD, (const char *[]){ "a.lmodel", text, NULL });
	lrd_mount mount = mount_desc(self, &(lrd_mount_desc){ .pack = path });
	free(text);
	read_well(self, LRD_MODEL, "a", &content, &io_bytes);
	assert_letters(content.bytes, 'z', 100000);
	assert_ptr_equal(content.owned, content.bytes.data);
	assert_int_equal(content.owned_size, 100000);
	assert_int_equal(io_bytes, 100000);
	assert_true(mount_row_of(self, mount, &row));
	assert_int_equal(row.leases, 0);
	mount_content_free(self, &content);
	mount_store_close(self);
}

static void files_in_memory_are_read_in_place(void **state)
{
	(void)state;
	static _Alignas(16) const char bytes[] = "in memory";
	mount_store *self = mount_store_open();
	lrd_content content;
	const lrd_memory_file file = { LRD_STR("a.txt"), { bytes, 9 } };
	mount_desc(self, &(lrd_mount_desc){ .files = &file, .file_count = 1 });
	read_well(self, LRD_BLOB, "a.txt", &content, NULL);
	assert_ptr_equal(content.bytes.data, bytes);
	mount_content_free(self, &content);
	mount_store_close(self);
}

static void large_files_of_a_cooked_folder_are_mapped_and_small_ones_read(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	lrd_content content;
	uint64_t io_bytes = 1;
	mount_put_manifest(here);
	put_letters(here, "large.lmesh", 'l', LARGE);
	put_letters(here, "small.lmesh", 's', LARGE - 1);
	scratch_put(here, "empty.lmesh", "");
	mount_root(self, here->root);
	read_well(self, LRD_MESH, "large", &content, &io_bytes);
	assert_non_null(content.mapping);
	assert_null(content.owned);
	assert_int_equal(io_bytes, 0);
	assert_letters(content.bytes, 'l', LARGE);
	mount_content_free(self, &content);
	read_well(self, LRD_MESH, "small", &content, &io_bytes);
	assert_null(content.mapping);
	assert_non_null(content.owned);
	assert_int_equal(io_bytes, LARGE - 1);
	assert_int_equal((uintptr_t)content.bytes.data % 16, 0);
	assert_letters(content.bytes, 's', LARGE - 1);
	mount_content_free(self, &content);
	read_well(self, LRD_MESH, "empty", &content, &io_bytes);
	assert_int_equal(content.bytes.size, 0);
	mount_content_free(self, &content);
	mount_store_close(self);
}

static void folders_that_others_write_into_are_read(void **state)
{
	scratch *here = *state;
	lrd_content content;
	put_letters(here, "large.lmesh", 'l', LARGE);
	mount_store *self = mount_store_open();
	mount_root(self, here->root); // no manifest
	read_well(self, LRD_MESH, "large", &content, NULL);
	assert_null(content.mapping);
	mount_content_free(self, &content);
	mount_store_close(self);
	mount_put_manifest(here);
	self = mount_store_open();
	mount_desc(self, &(lrd_mount_desc){ .root = here->root, .copy = true });
	read_well(self, LRD_MESH, "large", &content, NULL);
	assert_null(content.mapping);
	assert_letters(content.bytes, 'l', LARGE);
	mount_content_free(self, &content);
	mount_store_close(self);
}

static void a_mapped_file_survives_its_replacement_and_its_mount(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	lrd_content old;
	lrd_content new;
	mount_put_manifest(here);
	put_letters(here, "a.lmesh", 'o', LARGE);
	lrd_mount mount = mount_root(self, here->root);
	read_well(self, LRD_MESH, "a", &old, NULL);
	char *text = mount_text('n', LARGE + 5);
	assert_true(lrd_file_write(scratch_path(here, "a.lmesh"), text, LARGE + 5, NULL));
	free(text);
	read_well(self, LRD_MESH, "a", &new, NULL);
	assert_true(lrd_store_unmount(&self->store, mount));
	assert_true(lrd_file_remove(scratch_path(here, "a.lmesh"), NULL));
	assert_letters(old.bytes, 'o', LARGE);
	assert_letters(new.bytes, 'n', LARGE + 5);
	assert_int_equal(self->store.mounts.leased_count, 0);
	mount_content_free(self, &old);
	mount_content_free(self, &new);
	mount_store_close(self);
}

static void no_descriptor_stays_open_while_content_is_held(void **state)
{
	scratch *here = *state;
	if (access("/proc/self/fd", R_OK) != 0)
	{
		print_message("skipped: no /proc/self/fd to count descriptors in\n");
		skip();
	}
	mount_store *self = mount_store_open();
	lrd_content contents[3];
	mount_put_manifest(here);
	put_letters(here, "a.lmesh", 'a', LARGE);
	int before = scratch_count("/proc/self/fd");
	const char *path = mount_write_pack(here, "b.lpack", LRD_STORED, (const char *[]){ "b.lmesh", "b", NULL });
	mount_desc(self, &(lrd_mount_desc){ .pack = path });
	mount_root(self, here->root);
	read_well(self, LRD_MESH, "a", &contents[0], NULL);
	read_well(self, LRD_MESH, "b", &contents[1], NULL);
	read_well(self, LRD_BLOB, "b.lpack", &contents[2], NULL);
	assert_int_equal(scratch_count("/proc/self/fd"), before);
	for (int i = 0; i < 3; i++)
	{
		mount_content_free(self, &contents[i]);
	}
	mount_store_close(self);
}

static void a_file_that_grew_or_shrank_since_it_was_listed_is_read_as_it_is(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	lrd_content content;
	mount_put_manifest(here);
	put_letters(here, "a.lmesh", 'a', 2 * LARGE);
	put_letters(here, "b.lmesh", 'b', 2 * LARGE);
	put_letters(here, "c.lmesh", 'c', 10);
	mount_root(self, here->root);
	assert_int_equal(truncate(scratch_path(here, "a.lmesh"), 5), 0); // in place, before it is mapped
	assert_int_equal(truncate(scratch_path(here, "b.lmesh"), 0), 0);
	put_letters(here, "c.lmesh", 'd', 2 * LARGE);
	read_well(self, LRD_MESH, "a", &content, NULL);
	assert_letters(content.bytes, 'a', 5);
	mount_content_free(self, &content);
	read_well(self, LRD_MESH, "b", &content, NULL);
	assert_int_equal(content.bytes.size, 0);
	mount_content_free(self, &content);
	read_well(self, LRD_MESH, "c", &content, NULL);
	assert_letters(content.bytes, 'd', 2 * LARGE);
	mount_content_free(self, &content);
	mount_store_close(self);
}

static void content_that_was_read_does_not_change_when_its_file_is_cut_short(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	lrd_content content;
	put_letters(here, "a.lmesh", 'a', 2 * LARGE);
	mount_root(self, here->root);
	read_well(self, LRD_MESH, "a", &content, NULL);
	assert_int_equal(truncate(scratch_path(here, "a.lmesh"), 0), 0);
	assert_letters(content.bytes, 'a', 2 * LARGE);
	mount_content_free(self, &content);
	mount_store_close(self);
}

static void what_became_of_a_listed_file_is_said(void **state)
{
	scratch *here = *state;
	const char *const names[] = { "gone.lmesh", "folder.lmesh", "pipe.lmesh", "locked.lmesh", "loop.lmesh" };
	for (size_t size = 1; size <= LARGE; size *= LARGE)
	{
		mount_store *self = mount_store_open();
		mount_put_manifest(here);
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		{
			put_letters(here, names[i], 'x', size);
		}
		mount_root(self, here->root);
		for (size_t i = 0; i < 3; i++)
		{
			assert_int_equal(unlink(scratch_path(here, names[i])), 0);
		}
		scratch_folder(here, "folder.lmesh");
		assert_int_equal(mkfifo(scratch_path(here, "pipe.lmesh"), 0666), 0);
		assert_int_equal(chmod(scratch_path(here, "locked.lmesh"), 0), 0);
		assert_int_equal(unlink(scratch_path(here, "loop.lmesh")), 0);
		scratch_link(here, "loop.lmesh", "loop.lmesh");
		lrd_error error = mount_read_error(self, LRD_MESH, "gone");
		assert_says(&error, LRD_ERROR_NOT_FOUND, "/gone.lmesh: can't open it: ");
		assert_says(&error, LRD_ERROR_NOT_FOUND, "; it was there when \"");
		error = mount_read_error(self, LRD_MESH, "folder");
		assert_says(&error, LRD_ERROR_IO, "/folder.lmesh: it is a folder, a file was expected");
		error = mount_read_error(self, LRD_MESH, "pipe");
		assert_says(&error, LRD_ERROR_IO, "/pipe.lmesh: it is no regular file, a file was expected");
		error = mount_read_error(self, LRD_MESH, "loop");
		assert_says(&error, LRD_ERROR_IO, "/loop.lmesh: can't open it: ");
		assert_true(mount_as_nobody(here));
		error = mount_read_error(self, LRD_MESH, "locked");
		mount_as_before();
		assert_says(&error, LRD_ERROR_IO, "/locked.lmesh: can't open it: ");
		mount_store_close(self);
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		{
			(void)unlink(scratch_path(here, names[i]));
			(void)rmdir(scratch_path(here, names[i]));
		}
	}
}

static void a_damaged_payload_is_an_error_that_names_bundle_and_file(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	char *text = mount_text('x', 100000);
	const char *path = mount_write_pack(here, "a.lpack", LRD_ZSTD, (const char *[]){ "a.lmesh", text, NULL });
	free(text);
	int file = open(path, O_WRONLY);
	assert_true(file >= 0);
	assert_int_equal(pwrite(file, "damage", 6, 8), 6);
	assert_int_equal(close(file), 0);
	mount_desc(self, &(lrd_mount_desc){ .pack = path });
	lrd_error error = mount_read_error(self, LRD_MESH, "a");
	assert_says(&error, LRD_ERROR_FORMAT, "a.lpack: a.lmesh: the payload is damaged");
	mount_store_close(self);
}

static void an_origins_name_says_mount_and_file(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	const lrd_memory_file file = { .key = LRD_STR("m.txt") };
	static const char *const expected[] = { "/f.lmesh", "p.lpack:P.lmesh", "memory:m.txt", "put:c.lmesh" };
	static const char *const stems[] = { "f", "p", "m.txt", "c" };
	scratch_folder(here, "root");
	scratch_put(here, "root/f.lmesh", "f");
	const char *pack = mount_write_pack(here, "p.lpack", LRD_STORED, (const char *[]){ "P.lmesh", "p", NULL });
	mount_desc(self, &(lrd_mount_desc){ .pack = pack });
	mount_root(self, scratch_path(here, "root"));
	mount_desc(self, &(lrd_mount_desc){ .files = &file, .file_count = 1 });
	assert_true(lrd_mounts_put(&self->store, LRD_MESH, LRD_STR("c"), (lrd_bytes){ "c", 1 }, NULL));
	for (size_t i = 0; i < 4; i++)
	{
		char name[1024];
		lrd_origin origin;
		assert_true(mount_find(self, i == 2 ? LRD_BLOB : LRD_MESH, stems[i], &origin));
		lrd_origin_name(&origin, name, sizeof name);
		size_t size = strlen(expected[i]);
		assert_true(strlen(name) >= size);
		assert_string_equal(name + strlen(name) - size, expected[i]);
		lrd_origin_release(&self->store, &origin);
	}
	mount_store_close(self);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(stored_entries_are_read_in_place),
		WITH_FOLDER(compressed_entries_are_inflated_into_memory_of_the_allocator),
		cmocka_unit_test(files_in_memory_are_read_in_place),
		WITH_FOLDER(large_files_of_a_cooked_folder_are_mapped_and_small_ones_read),
		WITH_FOLDER(folders_that_others_write_into_are_read),
		WITH_FOLDER(a_mapped_file_survives_its_replacement_and_its_mount),
		WITH_FOLDER(no_descriptor_stays_open_while_content_is_held),
		WITH_FOLDER(a_file_that_grew_or_shrank_since_it_was_listed_is_read_as_it_is),
		WITH_FOLDER(content_that_was_read_does_not_change_when_its_file_is_cut_short),
		WITH_FOLDER(what_became_of_a_listed_file_is_said),
		WITH_FOLDER(a_damaged_payload_is_an_error_that_names_bundle_and_file),
		WITH_FOLDER(an_origins_name_says_mount_and_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
