// A cook to memory: the files of a cook to disk without the disk, how long they live, and what is said of sources.

#include "cook_scratch.h"

#include "failing_allocator.h"
#include "fixtures/cooked_files.h"

static int open_sources(void **state)
{
	if (scratch_open(state) != 0)
	{
		return -1;
	}
	scratch_folder(*state, "src");
	scratch_folder(*state, "src/models");
	return 0;
}

static void a_cook_to_memory_gives_the_files_of_a_cook_to_disk(void **state)
{
	scratch *self = *state;
	put_rich(self);
	put_triangle(self, "src/models/fox.gltf", "Fox");
	put_image(self, "src/models/sign.tga", 9);
	scratch_put(self, "src/models/fox.gltf.larder.json", "{\"stem\": \"vixen\"}");
	lrd_cook_report disk = cook(self, NULL);
	lrd_cooked *cooked = cook_memory(scratch_path(self, "src"), NULL);
	assert_same_files(cooked, scratch_path(self, "out"));
	assert_same_sums(lrd_cooked_report(cooked), &disk);
	assert_true(disk.outputs > 6);
	lrd_cooked_release(cooked);
}

static void nothing_is_written_anywhere(void **state)
{
	scratch *self = *state;
	put_rich(self);
	scratch_folder(self, "here");
	char before[512];
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(scratch_path(self, "here")), 0);
	int sources = scratch_count(scratch_path(self, "src"));
	lrd_cooked *cooked = cook_memory(scratch_path(self, "src"), NULL);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(scratch_count(scratch_path(self, "here")), 0);
	assert_int_equal(scratch_count(scratch_path(self, "src")), sources);
	assert_int_equal(scratch_count(self->root), 2);
	lrd_cooked_release(cooked);
}

static void a_single_file_is_named_below_its_root(void **state)
{
	scratch *self = *state;
	put_triangle(self, "src/models/fox.gltf", "Fox");
	lrd_error error = { 0 };
	uint32_t count;
	lrd_cooked *cooked =
		try_memory(scratch_path(self, "src/models/fox.gltf"), scratch_path(self, "src"), &(lrd_cook_desc){ 0 }, &error);
	assert_non_null(cooked);
	assert_true(lrd_string_equal(lrd_cooked_files(cooked, &count)[0].key, LRD_STR("models/fox.lmodel")));
	assert_true(count > 1);
	lrd_cooked_release(cooked);
	cooked = cook_memory(scratch_path(self, "src/models/fox.gltf"), NULL);
	assert_true(lrd_string_equal(lrd_cooked_files(cooked, &count)[0].key, LRD_STR("fox.lmodel")));
	lrd_cooked_release(cooked);
}

static void sources_say_why_they_failed_and_what_was_repaired(void **state)
{
	scratch *self = *state;
	put_textured(self, "src/a.gltf", "missing.tga");
	scratch_put(self, "src/b.gltf", "{}");
	scratch_put(self, "src/notes.txt", "");
	put_image(self, "src/wood.tga", 1);
	lrd_cooked *cooked = cook_memory(scratch_path(self, "src"), NULL);
	uint32_t count;
	const lrd_cooked_source *sources = lrd_cooked_sources(cooked, &count);
	assert_int_equal(count, 4);
	assert_true(lrd_string_equal(sources[0].path, LRD_STR("a.gltf")));
	assert_int_equal(sources[0].state, LRD_SOURCE_COOKED);
	assert_null(sources[0].message);
	bool told = false;
	for (uint32_t i = 0; i < sources[0].warning_count; ++i)
	{
		told = told || strstr(sources[0].warnings[i].message.data, "missing.tga") != NULL;
	}
	assert_true(told);
	assert_true(lrd_string_equal(sources[1].path, LRD_STR("b.gltf")));
	assert_int_equal(sources[1].state, LRD_SOURCE_FAILED);
	assert_non_null(strstr(sources[1].message, "asset"));
	assert_int_equal(sources[2].state, LRD_SOURCE_SKIPPED);
	assert_int_equal(sources[3].state, LRD_SOURCE_COOKED);
	assert_int_equal(lrd_cooked_report(cooked)->failed, 1);
	lrd_cooked_release(cooked);
}

static void a_source_that_fails_leaves_no_file(void **state)
{
	scratch *self = *state;
	put_image(self, "src/wood.tga", 1);
	put_bytes(self, "src/broken.png", (lrd_bytes){ "no image", 8 });
	lrd_cooked *cooked = cook_memory(scratch_path(self, "src"), NULL);
	uint32_t count;
	const lrd_memory_file *files = lrd_cooked_files(cooked, &count);
	assert_int_equal(count, 1);
	assert_true(lrd_string_equal(files[0].key, LRD_STR("wood.ktx2")));
	lrd_cooked_release(cooked);
}

static void an_output_folder_is_refused_and_so_is_a_source_that_is_not_there(void **state)
{
	lrd_error error = { 0 };
	assert_null(try_memory(
		scratch_path(*state, "src"), NULL, &(lrd_cook_desc){ .output = scratch_path(*state, "out") }, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_null(lrd_cook_to_memory(&(lrd_cook_desc){ 0 }, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_null(try_memory(scratch_path(*state, "nowhere"), NULL, &(lrd_cook_desc){ 0 }, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
}

static void files_live_until_the_last_mount_lets_go(void **state)
{
	scratch *self = *state;
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	put_triangle(self, "src/fox.gltf", "Fox");
	lrd_error error = { 0 };
	lrd_cooked *cooked = try_memory(
		scratch_path(self, "src"), NULL, &(lrd_cook_desc){ .allocator = failing_allocator_get(&counting) }, &error);
	assert_non_null(cooked);
	lrd_mount_desc first = lrd_cooked_mount(cooked);
	lrd_mount_desc second = lrd_cooked_mount(cooked);
	lrd_cooked_release(cooked);
	first.release(first.user);
	assert_true(atomic_load(&counting.bytes_out) > 0);
	assert_true(lrd_string_equal(second.files[0].key, LRD_STR("fox.lmodel")));
	assert_memory_equal(second.files[0].bytes.data, "LMDL", 4);
	second.release(second.user);
	assert_int_equal(atomic_load(&counting.bytes_out), 0);
}

static void every_allocation_that_fails_leaves_no_leak_and_whole_files(void **state)
{
	scratch *self = *state;
	put_rich(self);
	lrd_cook_report disk = cook(self, NULL);
	for (long long succeed = 0;; ++succeed)
	{
		failing_allocator failing;
		failing_allocator_init(&failing, succeed);
		lrd_error error = { 0 };
		lrd_cooked *cooked = try_memory(
			scratch_path(self, "src"), NULL, &(lrd_cook_desc){ .allocator = failing_allocator_get(&failing) }, &error);
		bool whole = cooked != NULL && lrd_cooked_report(cooked)->failed == 0;
		if (whole)
		{
			assert_same_sums(lrd_cooked_report(cooked), &disk);
		}
		else
		{
			assert_true(cooked != NULL || error.code == LRD_ERROR_MEMORY);
		}
		bool through = whole && atomic_load(&failing.countdown) > 0;
		lrd_cooked_release(cooked);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		if (through)
		{
			print_message("%lld allocations failed in turn\n", succeed);
			return;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_cook_to_memory_gives_the_files_of_a_cook_to_disk, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(nothing_is_written_anywhere, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(a_single_file_is_named_below_its_root, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(sources_say_why_they_failed_and_what_was_repaired, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(a_source_that_fails_leaves_no_file, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(
			an_output_folder_is_refused_and_so_is_a_source_that_is_not_there, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(files_live_until_the_last_mount_lets_go, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(
			every_allocation_that_fails_leaves_no_leak_and_whole_files, open_sources, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
