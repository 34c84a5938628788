// Mappings and their leases.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "os/os.h"
#include "os_scratch.h"

#include <sys/mman.h>

static void assert_mapping_is(const lrd_mapping *mapping, const char *text)
{
	lrd_bytes bytes = lrd_mapping_bytes(mapping);
	assert_int_equal(bytes.size, strlen(text));
	assert_memory_equal(bytes.data, text, bytes.size);
}

static void a_mapping_holds_the_files_bytes(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "hello fox");
	lrd_mapping *mapping = lrd_mapping_open(scratch_path(here, "file"), (lrd_allocator){ 0 }, NULL);
	assert_non_null(mapping);
	assert_mapping_is(mapping, "hello fox");
	lrd_mapping_release(mapping);
	lrd_mapping_release(NULL);
}

static void an_empty_file_maps_to_nothing(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "");
	lrd_mapping *mapping = lrd_mapping_open(scratch_path(here, "file"), (lrd_allocator){ 0 }, NULL);
	assert_non_null(mapping);
	assert_int_equal(lrd_mapping_bytes(mapping).size, 0);
	lrd_mapping_release(mapping);
}

static void a_mapping_survives_replacement_and_deletion_of_its_file(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "file");
	scratch_put(here, "file", "old");
	lrd_mapping *old = lrd_mapping_open(path, (lrd_allocator){ 0 }, NULL);
	assert_true(lrd_file_write(path, "new and longer", 14, NULL));
	lrd_mapping *new = lrd_mapping_open(path, (lrd_allocator){ 0 }, NULL);
	assert_true(lrd_file_remove(path, NULL));
	assert_mapping_is(old, "old");
	assert_mapping_is(new, "new and longer");
	lrd_mapping_release(old);
	lrd_mapping_release(new);
}

static void pages_are_brought_in_where_there_are_any(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "file");
	scratch_put(here, "file", "hello fox");
	assert_int_equal(truncate(path, 1 << 20), 0);
	lrd_mapping *mapping = lrd_mapping_open(path, (lrd_allocator){ 0 }, NULL);
	assert_non_null(mapping);
	lrd_bytes bytes = lrd_mapping_bytes(mapping);
	assert_true(lrd_pages_bring_in(bytes.data, bytes.size));
	assert_true(lrd_pages_bring_in((const char *)bytes.data + 4095, 2));
	assert_true(lrd_pages_bring_in((const char *)bytes.data + bytes.size - 1, 1));
	assert_true(lrd_pages_bring_in(bytes.data, 0));
	assert_true(lrd_pages_bring_in(NULL, 0));
	lrd_mapping_release(mapping);
}

#if defined(__linux__)
static void pages_of_a_file_that_was_cut_short_are_told_from_others(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "file");
	scratch_put(here, "file", "hello fox");
	assert_int_equal(truncate(path, 1 << 20), 0);
	lrd_mapping *mapping = lrd_mapping_open(path, (lrd_allocator){ 0 }, NULL);
	assert_non_null(mapping);
	lrd_bytes bytes = lrd_mapping_bytes(mapping);
	if (madvise((void *)(uintptr_t)bytes.data, 4096, 22) != 0)
	{
		print_message("skipped: before Linux 5.14 nobody can tell\n");
		lrd_mapping_release(mapping);
		skip();
	}
	assert_int_equal(truncate(path, 4096), 0);
	assert_false(lrd_pages_bring_in(bytes.data, bytes.size));
	assert_false(lrd_pages_bring_in((const char *)bytes.data + 500000, 10));
	assert_true(lrd_pages_bring_in(bytes.data, 4096));
	lrd_mapping_release(mapping);
}
#endif

static void no_descriptor_stays_open(void **state)
{
	scratch *here = *state;
	if (access("/proc/self/fd", R_OK) != 0)
	{
		print_message("no /proc/self/fd here to count descriptors in\n");
		skip();
	}
	scratch_put(here, "file", "x");
	int before = scratch_count("/proc/self/fd");
	lrd_mapping *mapping = lrd_mapping_open(scratch_path(here, "file"), (lrd_allocator){ 0 }, NULL);
	assert_null(lrd_mapping_open(here->root, (lrd_allocator){ 0 }, NULL));
	assert_int_equal(scratch_count("/proc/self/fd"), before);
	lrd_mapping_release(mapping);
}

static void what_cannot_be_mapped_is_refused(void **state)
{
	scratch *here = *state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_error error = { 0 };
	assert_null(lrd_mapping_open(scratch_path(here, "missing"), failing_allocator_get(&counting), &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_null(lrd_mapping_open(here->root, failing_allocator_get(&counting), &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void a_mapping_without_memory_says_so(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "x");
	failing_allocator failing;
	failing_allocator_init(&failing, 0);
	lrd_error error = { 0 };
	assert_null(lrd_mapping_open(scratch_path(here, "file"), failing_allocator_get(&failing), &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	assert_int_equal(atomic_load(&failing.calls), 1);
}

static void lease_and_read(void *user)
{
	lrd_mapping *mapping = user; // comes with a lease
	for (int i = 0; i < 5000; i++)
	{
		lrd_mapping_retain(mapping);
		lrd_bytes bytes = lrd_mapping_bytes(mapping);
		if (((const char *)bytes.data)[i % 3] != "fox"[i % 3])
		{
			abort();
		}
		lrd_mapping_release(mapping);
	}
	lrd_mapping_release(mapping);
}

static void the_last_of_many_leases_unmaps(void **state)
{
	scratch *here = *state;
	scratch_put(here, "file", "fox");
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_mapping *mapping = lrd_mapping_open(scratch_path(here, "file"), failing_allocator_get(&counting), NULL);
	lrd_thread *threads[4];
	for (int i = 0; i < 4; i++)
	{
		lrd_mapping_retain(mapping);
		threads[i] = lrd_thread_start(lease_and_read, mapping, 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	lrd_mapping_release(mapping); // while they read
	for (int i = 0; i < 4; i++)
	{
		lrd_thread_join(threads[i]);
	}
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

#define SCRATCH_TEST(function) cmocka_unit_test_setup_teardown(function, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(a_mapping_holds_the_files_bytes),
		SCRATCH_TEST(an_empty_file_maps_to_nothing),
		SCRATCH_TEST(a_mapping_survives_replacement_and_deletion_of_its_file),
		SCRATCH_TEST(pages_are_brought_in_where_there_are_any),
#if defined(__linux__)
		SCRATCH_TEST(pages_of_a_file_that_was_cut_short_are_told_from_others),
#endif
		SCRATCH_TEST(no_descriptor_stays_open),
		SCRATCH_TEST(what_cannot_be_mapped_is_refused),
		SCRATCH_TEST(a_mapping_without_memory_says_so),
		SCRATCH_TEST(the_last_of_many_leases_unmaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
