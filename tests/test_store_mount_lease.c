// Mounts: leases, unmounting while somebody reads, and who is told when it is all over.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_mount.h"

static void count_release(void *user)
{
	++*(int *)user;
}

static void an_unmounted_bundle_lives_until_its_last_lease(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	int released = 0;
	lrd_content contents[2];
	lrd_origin origin = { 0 };
	lrd_mount_row row;
	const char *path =
		mount_write_pack(here, "a.lpack", LRD_STORED, (const char *[]){ "a.lmesh", "a", "b.lmesh", "b", NULL });
	lrd_mount mount = mount_desc(self, &(lrd_mount_desc){ .pack = path, .release = count_release, .user = &released });
	assert_true(mount_read(self, LRD_MESH, "a", &contents[0], NULL, NULL));
	assert_true(mount_find(self, LRD_MESH, "b", &origin));
	assert_true(lrd_store_unmount(&self->store, mount));
	assert_false(mount_knows(self, LRD_MESH, "a"));
	assert_int_equal(self->store.mounts.count, 0);
	assert_int_equal(self->store.mounts.leased_count, 1);
	assert_true(mount_row_of(self, (lrd_mount){ 0 }, &row));
	assert_string_equal(row.name, path);
	assert_int_equal(row.leases, 2);
	// A read that found its place before the unmounting goes on.
	uint64_t io_bytes = 0;
	assert_true(lrd_origin_read(&origin, self->store.allocator, &contents[1], &io_bytes, NULL));
	lrd_origin_release(&self->store, &origin);
	mount_content_free(self, &contents[0]);
	assert_memory_equal(contents[1].bytes.data, "b", 1);
	assert_int_equal(released, 0);
	mount_content_free(self, &contents[1]);
	assert_int_equal(released, 1);
	assert_int_equal(self->store.mounts.leased_count, 0);
	assert_false(mount_row_of(self, (lrd_mount){ 0 }, &row));
	mount_store_close(self);
	assert_int_equal(released, 1);
}

static void an_idle_mount_is_closed_by_unmounting(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	int released = 0;
	lrd_mount mount =
		mount_desc(self, &(lrd_mount_desc){ .root = here->root, .release = count_release, .user = &released });
	assert_true(lrd_store_unmount(&self->store, mount));
	assert_int_equal(released, 1);
	assert_int_equal(atomic_load(&self->memory.bytes_out), 0);
	mount_store_close(self);
}

static void closing_tells_those_who_want_to_know(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	int released = 0;
	mount_desc(self, &(lrd_mount_desc){ .root = here->root, .release = count_release, .user = &released });
	mount_store_close(self);
	assert_int_equal(released, 1);
}

static void a_mount_that_fails_tells_too(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	int released = 0;
	const char *missing = scratch_path(here, "missing");
	(void)mount_error(self, &(lrd_mount_desc){ .root = missing, .release = count_release, .user = &released });
	assert_int_equal(released, 1);
	(void)mount_error(self, &(lrd_mount_desc){ .pack = missing, .release = count_release, .user = &released });
	assert_int_equal(released, 2);
	(void)mount_error(self, &(lrd_mount_desc){ .release = count_release, .user = &released });
	assert_int_equal(released, 3);
	mount_store_close(self);
}

static void memory_is_released_after_the_last_reader(void **state)
{
	(void)state;
	static _Alignas(16) const char bytes[] = "bytes";
	mount_store *self = mount_store_open();
	int released = 0;
	lrd_content content;
	const lrd_memory_file file = { LRD_STR("a.txt"), { bytes, 5 } };
	lrd_mount mount = mount_desc(
		self, &(lrd_mount_desc){ .files = &file, .file_count = 1, .release = count_release, .user = &released });
	assert_true(mount_read(self, LRD_BLOB, "a.txt", &content, NULL, NULL));
	assert_true(lrd_store_unmount(&self->store, mount));
	assert_int_equal(released, 0);
	mount_content_free(self, &content);
	assert_int_equal(released, 1);
	mount_store_close(self);
}

static void one_of_many_unmounted_mounts_goes_alone(void **state)
{
	(void)state;
	static _Alignas(16) const char bytes[] = "bytes";
	mount_store *self = mount_store_open();
	lrd_memory_file files[5];
	lrd_content contents[5];
	lrd_mount mounts[5];
	const char *const keys[] = { "0", "1", "2", "3", "4" };
	static const int order[] = { 2, 4, 0, 1, 3 };
	for (int i = 0; i < 5; i++)
	{
		files[i] = (lrd_memory_file){ lrd_string_from(keys[i]), { bytes, 5 } };
		mounts[i] = mount_desc(self, &(lrd_mount_desc){ .files = &files[i], .file_count = 1 });
	}
	for (int i = 0; i < 5; i++)
	{
		assert_true(mount_read(self, LRD_BLOB, keys[i], &contents[i], NULL, NULL));
		assert_true(lrd_store_unmount(&self->store, mounts[order[i]]) == (i < 5));
		mounts[order[i]] = mount_desc(self, &(lrd_mount_desc){ .files = &files[order[i]], .file_count = 1 });
	}
	for (uint32_t left = self->store.mounts.leased_count, i = 0; i < 5; i++)
	{
		mount_content_free(self, &contents[order[i]]);
		assert_true(self->store.mounts.leased_count <= left);
		left = self->store.mounts.leased_count;
	}
	assert_int_equal(self->store.mounts.leased_count, 0);
	assert_int_equal(self->store.mounts.count, 5);
	mount_store_close(self);
}

static void rows_come_in_the_order_of_looking_up_and_unmounted_ones_last(void **state)
{
	scratch *here = *state;
	mount_store *self = mount_store_open();
	lrd_content content;
	const lrd_memory_file file = { .key = LRD_STR("a.txt") };
	const char *path = mount_write_pack(here, "a.lpack", LRD_STORED, (const char *[]){ "a.lmesh", "a", NULL });
	lrd_mount pack = mount_desc(self, &(lrd_mount_desc){ .pack = path });
	lrd_mount root = mount_root(self, here->root);
	lrd_mount memory = mount_desc(self, &(lrd_mount_desc){ .files = &file, .file_count = 1 });
	assert_true(lrd_mounts_put(&self->store, LRD_BLOB, LRD_STR("b.txt"), (lrd_bytes){ "x", 1 }, NULL));
	assert_true(mount_read(self, LRD_MESH, "a", &content, NULL, NULL));
	assert_true(lrd_store_unmount(&self->store, pack));
	pack = mount_desc(self, &(lrd_mount_desc){ .pack = path });
	const char *const names[] = { "put", path, "memory", here->root, path };
	const lrd_mount ids[] = { self->store.mounts.put->id, pack, memory, root, { 0 } };
	const lrd_mounted *at = NULL;
	lrd_mount_row row;
	for (size_t i = 0; i < 5; i++)
	{
		assert_true(lrd_mounts_next(&self->store.mounts, &at, &row));
		assert_string_equal(row.name, names[i]);
		assert_int_equal(row.id.index, ids[i].index);
		assert_int_equal(row.id.generation, ids[i].generation);
	}
	assert_false(lrd_mounts_next(&self->store.mounts, &at, &row));
	mount_content_free(self, &content);
	mount_store_close(self);
}

static void a_store_without_mounts_has_no_rows(void **state)
{
	(void)state;
	mount_store *self = mount_store_open();
	const lrd_mounted *at = NULL;
	lrd_mount_row row;
	assert_false(lrd_mounts_next(&self->store.mounts, &at, &row));
	assert_true(lrd_mounts_put(&self->store, LRD_BLOB, LRD_STR("b.txt"), (lrd_bytes){ "x", 1 }, NULL));
	assert_true(lrd_mounts_next(&self->store.mounts, &at, &row));
	assert_false(lrd_mounts_next(&self->store.mounts, &at, &row));
	mount_store_close(self);
}

// --- Many threads ---

#define ROUNDS 400
#define THREADS 4

typedef struct crowd
{
	mount_store *self;
	const char *pack;
	const char *root;
	atomic_int mounted; ///< mounts that were made
	atomic_int released;
	atomic_int reads;
} crowd;

static void count_atomically(void *user)
{
	atomic_fetch_add(&((crowd *)user)->released, 1);
}

static void read_some(crowd *here, uint32_t random)
{
	lrd_origin origin = { 0 };
	lrd_content content = { 0 };
	uint64_t io_bytes = 0;
	static const char *const stems[] = { "a", "b", "put" };
	const char *stem = stems[random % 3];
	if (!mount_find(here->self, LRD_MESH, stem, &origin))
	{
		return;
	}
	if (lrd_origin_read(&origin, here->self->store.allocator, &content, &io_bytes, NULL))
	{
		assert_true(content.bytes.size == 1 && *(const char *)content.bytes.data == stem[0]);
		atomic_fetch_add(&here->reads, 1);
	}
	lrd_origin_release(&here->self->store, &origin);
	mount_content_free(here->self, &content);
}

static void come_and_go(crowd *here, uint32_t random, lrd_mount *mount)
{
	lrd_store *store = &here->self->store;
	bool pack = random % 2 == 0;
	lrd_mount_desc desc = { .pack = pack ? here->pack : NULL, .root = pack ? NULL : here->root };
	if (mount->generation != 0)
	{
		assert_true(lrd_store_unmount(store, *mount));
		*mount = (lrd_mount){ 0 };
		return;
	}
	desc.release = count_atomically;
	desc.user = here;
	assert_true(lrd_store_mount(store, &desc, mount, NULL));
	atomic_fetch_add(&here->mounted, 1);
}

static void note_nothing(void *user, lrd_kind kind, lrd_string stem)
{
	(void)user;
	(void)kind;
	(void)stem;
}

static void run_crowd(void *user)
{
	static atomic_uint seeds;
	crowd *here = user;
	uint32_t random = 77777u * (atomic_fetch_add(&seeds, 1) + 1);
	lrd_mount mount = { 0 };
	for (int i = 0; i < ROUNDS; i++)
	{
		lrd_error error = { 0 };
		const lrd_string path = LRD_STR("a.lmesh");
		switch (pack_random(&random) % 8)
		{
		case 0: come_and_go(here, pack_random(&random), &mount); break;
		case 1:
			(void)lrd_mounts_put(
				&here->self->store, LRD_MESH, LRD_STR("put"), (lrd_bytes){ "p", pack_random(&random) % 2 }, NULL);
			break;
		case 2: (void)lrd_mounts_relist(&here->self->store, mount, note_nothing, NULL, &error); break;
		case 3: (void)lrd_mounts_touch(&here->self->store, mount, &path, 1, note_nothing, NULL, &error); break;
		case 4: lrd_mounts_suggest(&here->self->store, LRD_MESH, LRD_STR("aa"), &error); break;
		case 5: lrd_mounts_look_for(&here->self->store, LRD_MESH, LRD_STR("c")); break;
		default: read_some(here, pack_random(&random)); break;
		}
	}
	if (mount.generation != 0)
	{
		assert_true(lrd_store_unmount(&here->self->store, mount));
	}
}

static void mounts_come_and_go_under_those_who_read(void **state)
{
	scratch *here = *state;
	crowd all = { .self = mount_store_open() };
	lrd_thread *threads[THREADS];
	scratch_folder(here, "root");
	scratch_put(here, "root/a.lmesh", "a");
	scratch_put(here, "root/b.lmesh", "b");
	all.root = scratch_path(here, "root");
	all.pack = mount_write_pack(here, "p.lpack", LRD_STORED, (const char *[]){ "a.lmesh", "a", "b.lmesh", "b", NULL });
	for (int i = 0; i < THREADS; i++)
	{
		threads[i] = lrd_thread_start(run_crowd, &all, 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	for (int i = 0; i < THREADS; i++)
	{
		lrd_thread_join(threads[i]);
	}
	assert_true(atomic_load(&all.reads) > 0);
	assert_int_equal(atomic_load(&all.mounted), atomic_load(&all.released));
	assert_int_equal(all.self->store.mounts.count, 0);
	assert_int_equal(all.self->store.mounts.leased_count, 0);
	mount_store_close(all.self);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(an_unmounted_bundle_lives_until_its_last_lease),
		WITH_FOLDER(an_idle_mount_is_closed_by_unmounting),
		WITH_FOLDER(closing_tells_those_who_want_to_know),
		WITH_FOLDER(a_mount_that_fails_tells_too),
		cmocka_unit_test(memory_is_released_after_the_last_reader),
		cmocka_unit_test(one_of_many_unmounted_mounts_goes_alone),
		WITH_FOLDER(rows_come_in_the_order_of_looking_up_and_unmounted_ones_last),
		cmocka_unit_test(a_store_without_mounts_has_no_rows),
		WITH_FOLDER(mounts_come_and_go_under_those_who_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
