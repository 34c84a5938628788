// tests/test_gpu_vulkan_meshes.c: meshes on a Vulkan device: many in one buffer, written whole, in parts, and over what frames read.

#include "fixtures/vulkan_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static lrd_gpu_object make(vulkan_rig *rig, uint64_t size, bool dynamic)
{
	lrd_error error = { 0 };
	lrd_gpu_object mesh =
		rig->table.create_mesh(rig->table.user, &(lrd_gpu_mesh_desc){ "mesh", size, dynamic }, &error);
	if (mesh == 0)
	{
		fail_msg("%s", error.message);
	}
	return mesh;
}

static void write(vulkan_rig *rig, lrd_gpu_object mesh, uint64_t at, size_t size, uint32_t seed)
{
	lrd_gpu_staging staging;
	assert_true(rig->table.stage(rig->table.user, size, &staging));
	vulkan_rig_pattern(staging.data, size, seed);
	rig->table.copy_mesh(rig->table.user, &(lrd_gpu_mesh_copy){ mesh, at, staging.offset, size });
}

static void check(vulkan_rig *rig, lrd_gpu_object mesh, size_t at, size_t size, uint32_t seed)
{
	uint8_t *expected = malloc(size);
	assert_non_null(expected);
	vulkan_rig_pattern(expected, size, seed);
	uint8_t *read = vulkan_rig_read_mesh(rig, mesh, at, size);
	assert_memory_equal(read, expected, size);
	free(read);
	free(expected);
}

static void meshes_share_a_buffer_and_keep_to_their_part_of_it(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	enum
	{
		COUNT = 50
	};
	lrd_gpu_object meshes[COUNT];
	VkBuffer first = VK_NULL_HANDLE;
	for (uint32_t i = 0; i < COUNT; ++i)
	{
		meshes[i] = make(&rig, 1000 + 37 * i, false);
		write(&rig, meshes[i], 0, 1000 + 37 * i, i);
		VkDeviceSize offset = 1;
		VkBuffer buffer = lrd_gpu_vulkan_buffer(rig.gpu, meshes[i], &offset);
		first = i == 0 ? buffer : first;
		assert_true(buffer == first && offset % 256 == 0);
	}
	vulkan_rig_flush(&rig);
	for (uint32_t i = 0; i < COUNT; ++i)
	{
		check(&rig, meshes[i], 0, 1000 + 37 * i, i);
		rig.table.destroy_mesh(rig.table.user, meshes[i]);
		assert_true(lrd_gpu_vulkan_buffer(rig.gpu, meshes[i], NULL) == VK_NULL_HANDLE);
	}
	vulkan_rig_stop(&rig);
}

static void a_large_mesh_has_a_buffer_of_its_own(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, &(vulkan_rig_desc){ .gpu = { .block_size = 1 << 20 } });
	lrd_gpu_object small = make(&rig, 1000, false);
	lrd_gpu_object large = make(&rig, (1 << 20) - 1, false);
	write(&rig, small, 0, 1000, 1);
	write(&rig, large, 0, (1 << 20) - 1, 2);
	vulkan_rig_flush(&rig);
	assert_true(lrd_gpu_vulkan_buffer(rig.gpu, small, NULL) != lrd_gpu_vulkan_buffer(rig.gpu, large, NULL));
	check(&rig, small, 0, 1000, 1);
	check(&rig, large, 0, (1 << 20) - 1, 2);
	vulkan_rig_stop(&rig);
}

static void parts_of_a_mesh_may_come_one_by_one(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_gpu_object mesh = make(&rig, 3000, false);
	write(&rig, mesh, 2000, 1000, 3);
	write(&rig, mesh, 0, 1000, 1);
	assert_int_not_equal(rig.table.submit(rig.table.user), 0);
	write(&rig, mesh, 1000, 1000, 2);
	vulkan_rig_flush(&rig);
	check(&rig, mesh, 0, 1000, 1);
	check(&rig, mesh, 1000, 1000, 2);
	check(&rig, mesh, 2000, 1000, 3);
	vulkan_rig_stop(&rig);
}

static void copies_over_each_other_end_as_the_last(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_gpu_object mesh = make(&rig, 40000, true);
	for (uint32_t round = 0; round < 10; ++round)
	{
		write(&rig, mesh, 0, 40000, 1);
		write(&rig, mesh, 100, 30000, 2);
		write(&rig, mesh, 4000, 1000, 3);
		write(&rig, mesh, 5000, 1000, 4);
		write(&rig, mesh, 4500, 1000, 5 + round);
		vulkan_rig_flush(&rig);
		check(&rig, mesh, 4500, 1000, 5 + round);
	}
	vulkan_rig_stop(&rig);
}

static void a_frame_that_comes_next_reads_what_was_written_and_one_that_runs_what_was_there(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	enum
	{
		SIZE = 1 << 20,
		FRAMES = 4
	};
	lrd_gpu_object mesh = make(&rig, SIZE, true);
	vulkan_rig_commands frames[FRAMES];
	vulkan_rig_memory seen[FRAMES];
	for (uint32_t i = 0; i < FRAMES; ++i)
	{
		write(&rig, mesh, 0, SIZE, i);
		assert_int_not_equal(rig.table.submit(rig.table.user), 0);
		VkDeviceSize offset = 0;
		VkBuffer buffer = lrd_gpu_vulkan_buffer(rig.gpu, mesh, &offset);
		seen[i] = vulkan_rig_memory_make(&rig, SIZE, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
		frames[i] = vulkan_rig_begin(&rig);
		VkBufferCopy region = { offset, 0, SIZE };
		RIG(&rig, CmdCopyBuffer)(frames[i].buffer, buffer, seen[i].buffer, 1, &region);
		vulkan_rig_submit(&rig, &frames[i]);
	}
	uint8_t *expected = malloc(SIZE);
	assert_non_null(expected);
	for (uint32_t i = 0; i < FRAMES; ++i)
	{
		vulkan_rig_finish(&rig, &frames[i]);
		vulkan_rig_pattern(expected, SIZE, i);
		assert_memory_equal(seen[i].data, expected, SIZE);
		vulkan_rig_memory_free(&rig, &seen[i]);
	}
	free(expected);
	vulkan_rig_stop(&rig);
}

static void a_mesh_of_nothing_or_of_too_much_is_refused(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_error error;
	assert_int_equal(rig.table.create_mesh(rig.table.user, &(lrd_gpu_mesh_desc){ "none", 0, false }, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_int_equal(
		rig.table.create_mesh(rig.table.user, &(lrd_gpu_mesh_desc){ "all", UINT64_MAX / 2, false }, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	vulkan_rig_stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meshes_share_a_buffer_and_keep_to_their_part_of_it),
		cmocka_unit_test(a_large_mesh_has_a_buffer_of_its_own),
		cmocka_unit_test(parts_of_a_mesh_may_come_one_by_one),
		cmocka_unit_test(copies_over_each_other_end_as_the_last),
		cmocka_unit_test(a_frame_that_comes_next_reads_what_was_written_and_one_that_runs_what_was_there),
		cmocka_unit_test(a_mesh_of_nothing_or_of_too_much_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
