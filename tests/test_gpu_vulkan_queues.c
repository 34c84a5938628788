// tests/test_gpu_vulkan_queues.c: copies on a transfer queue: images handed over from its family to the graphics queue's, when they
// are done and not before. Drivers in software have one queue, so a device is dressed up as one with two (fixtures/vulkan_hooks.h);
// what the validation layer sees is the one queue that it is.

#include "fixtures/vulkan_hooks.h"
#include "fixtures/vulkan_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void start_two(vulkan_rig *rig)
{
	PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
	hooks.two_families = true;
	vulkan_rig_start(rig, &(vulkan_rig_desc){ .get = get });
	assert_int_equal(rig->context.graphics_family, 0);
	assert_int_equal(rig->context.transfer_family, 1);
	assert_true(rig->context.transfer_queue != VK_NULL_HANDLE);
}

static const lrd_gpu_texture_desc small = { "small", LRD_TEXTURE_RGBA8_UNORM, 64, 32, 1, 1, 1, 3, false, { 0, 0, 0 } };

static lrd_gpu_object make_filled(vulkan_rig *rig, uint32_t seed)
{
	lrd_gpu_object texture = rig->table.create_texture(rig->table.user, &small, NULL);
	assert_int_not_equal(texture, 0);
	for (uint32_t level = 0; level < small.level_count; ++level)
	{
		assert_true(vulkan_rig_fill(rig, texture, &small, level, seed + level));
	}
	return texture;
}

/// Every level that was released was acquired once, after that, with the same change of layout, and the other way round.
static void check_handed(uint32_t levels)
{
	assert_int_equal(hooks.handed_count, 2 * levels);
	for (uint32_t i = 0; i < hooks.handed_count; ++i)
	{
		const vulkan_hooks_barrier *one = &hooks.handed[i];
		assert_int_equal(one->before, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
		assert_int_equal(one->after, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
		uint32_t pairs = 0;
		for (uint32_t j = 0; j < hooks.handed_count; ++j)
		{
			const vulkan_hooks_barrier *other = &hooks.handed[j];
			bool same = other->image == one->image && other->level == one->level;
			pairs += same && other->acquired != one->acquired;
			assert_false(same && other->acquired == one->acquired && i != j);
		}
		assert_int_equal(pairs, 1);
	}
}

static void images_are_released_and_acquired_level_by_level(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	lrd_gpu_object textures[4];
	for (uint32_t i = 0; i < 4; ++i)
	{
		textures[i] = make_filled(&rig, 10 * i);
	}
	vulkan_rig_flush(&rig);
	check_handed(4 * small.level_count);
	for (uint32_t i = 0; i < 4; ++i)
	{
		for (uint32_t level = 0; level < small.level_count; ++level)
		{
			vulkan_rig_check(&rig, textures[i], &small, level, 10 * i + level);
		}
	}
	vulkan_rig_stop(&rig);
}

static void frames_do_not_wait_for_the_transfer_queue(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	hooks.hold = 1; // as if its copies took long
	lrd_gpu_object texture = make_filled(&rig, 1);
	uint64_t value = rig.table.submit(rig.table.user);
	assert_int_equal(hooks.submits, 1); // nothing of it is on the graphics queue
	for (int i = 0; i < 100; ++i)
	{
		assert_true(rig.table.completed(rig.table.user) < value);
	}
	assert_int_equal(hooks.submits, 1);
	rig.table.bind_texture(rig.table.user, 0, texture);
	assert_int_equal(lrd_gpu_vulkan_slot(rig.gpu, 0, NULL, NULL), 0); // refused
	hooks.hold = 0;
	vulkan_rig_wait(&rig, value);
	assert_int_equal(hooks.submits, 2);
	rig.table.bind_texture(rig.table.user, 0, texture);
	assert_int_not_equal(lrd_gpu_vulkan_slot(rig.gpu, 0, NULL, NULL), 0);
	vulkan_rig_stop(&rig);
}

static void batches_are_sealed_in_their_order(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	hooks.hold = 2; // the first submit gets through, the second hangs
	make_filled(&rig, 1);
	uint64_t first = rig.table.submit(rig.table.user);
	make_filled(&rig, 2);
	uint64_t second = rig.table.submit(rig.table.user);
	uint64_t third = rig.table.submit(rig.table.user); // has nothing to wait for, but its turn
	assert_int_equal(first, 1);
	vulkan_rig_wait(&rig, first);
	for (int i = 0; i < 100; ++i)
	{
		assert_int_equal(rig.table.completed(rig.table.user), first);
	}
	hooks.hold = 0;
	vulkan_rig_wait(&rig, third);
	assert_true(second < third);
	check_handed(2 * small.level_count);
	vulkan_rig_stop(&rig);
}

static void dynamic_meshes_are_written_at_once_on_the_graphics_queue(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	hooks.hold = 1;
	lrd_gpu_object mesh = rig.table.create_mesh(rig.table.user, &(lrd_gpu_mesh_desc){ "trail", 4096, true }, NULL);
	lrd_gpu_staging staging;
	assert_true(rig.table.stage(rig.table.user, 4096, &staging));
	memset(staging.data, 7, 4096);
	rig.table.copy_mesh(rig.table.user, &(lrd_gpu_mesh_copy){ mesh, 0, staging.offset, 4096 });
	make_filled(&rig, 1); // hangs
	uint64_t value = rig.table.submit(rig.table.user);
	assert_true(rig.table.completed(rig.table.user) < value);
	uint8_t *bytes = vulkan_rig_read_mesh(&rig, mesh, 0, 4096); // as the next frame would
	assert_int_equal(bytes[0], 7);
	assert_int_equal(bytes[4095], 7);
	free(bytes);
	hooks.hold = 0;
	vulkan_rig_wait(&rig, value);
	vulkan_rig_stop(&rig);
}

static void a_static_mesh_comes_over_the_transfer_queue_and_is_changed_on_the_graphics_queue(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	lrd_gpu_object mesh = rig.table.create_mesh(rig.table.user, &(lrd_gpu_mesh_desc){ "house", 1000, false }, NULL);
	lrd_gpu_staging staging;
	for (uint8_t round = 1; round <= 2; ++round)
	{
		assert_true(rig.table.stage(rig.table.user, 1000, &staging));
		memset(staging.data, round, 1000);
		rig.table.copy_mesh(rig.table.user, &(lrd_gpu_mesh_copy){ mesh, 0, staging.offset, 1000 });
		hooks.submits = 0;
		vulkan_rig_flush(&rig);
		assert_int_equal(hooks.submits, 2); // a part, and the seal
		uint8_t *bytes = vulkan_rig_read_mesh(&rig, mesh, 0, 1000);
		assert_int_equal(bytes[999], round);
		free(bytes);
	}
	vulkan_rig_stop(&rig);
}

static void objects_destroyed_while_the_transfer_queue_copies_live_until_it_is_through(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	hooks.hold = 1;
	lrd_gpu_object texture = make_filled(&rig, 1);
	uint64_t value = rig.table.submit(rig.table.user);
	rig.table.destroy_texture(rig.table.user, texture);
	assert_false(lrd_gpu_vulkan_image(rig.gpu, texture, NULL, NULL)); // gone for everybody else
	lrd_gpu_vulkan_stats stats;
	rig.table.completed(rig.table.user);
	lrd_gpu_vulkan_get_stats(rig.gpu, &stats);
	assert_int_equal(stats.textures, 1);
	hooks.hold = 0;
	vulkan_rig_wait(&rig, value);
	lrd_gpu_vulkan_get_stats(rig.gpu, &stats);
	assert_int_equal(stats.textures, 0);
	vulkan_rig_stop(&rig);
}

static void a_level_is_not_copied_again_while_it_is_handed_over(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	hooks.hold = 1;
	lrd_gpu_object texture = make_filled(&rig, 1);
	uint64_t value = rig.table.submit(rig.table.user);
	lrd_gpu_vulkan_stats stats;
	assert_true(vulkan_rig_fill(&rig, texture, &small, 0, 50));
	lrd_gpu_vulkan_get_stats(rig.gpu, &stats);
	assert_int_equal(stats.refused, 1);
	hooks.hold = 0;
	vulkan_rig_wait(&rig, value);
	assert_true(vulkan_rig_fill(&rig, texture, &small, 0, 60));
	vulkan_rig_flush(&rig);
	vulkan_rig_check(&rig, texture, &small, 0, 60);
	vulkan_rig_check(&rig, texture, &small, 1, 2);
	vulkan_rig_stop(&rig);
}

/// Who has a queue, and how often one was taken.
typedef struct queue_locks
{
	VkQueue held;
	uint32_t taken;
	uint32_t wrong;
} queue_locks;

static void take_queue(void *user, VkQueue queue)
{
	queue_locks *locks = user;
	locks->wrong += locks->held != VK_NULL_HANDLE;
	locks->held = queue;
	++locks->taken;
}

static void give_queue(void *user, VkQueue queue)
{
	queue_locks *locks = user;
	locks->wrong += locks->held != queue;
	locks->held = VK_NULL_HANDLE;
}

static void queues_are_taken_and_given_back_around_each_use(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	queue_locks locks = { 0 };
	lrd_vulkan_context context = rig.context;
	context.lock_queue = take_queue;
	context.unlock_queue = give_queue;
	context.user = &locks;
	lrd_gpu_vulkan_desc desc = { .context = &context, .texture_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT };
	lrd_gpu_vulkan_destroy(rig.gpu);
	hooks.semaphores = 0;
	rig.gpu = lrd_gpu_vulkan_create(&desc, NULL);
	assert_non_null(rig.gpu);
	rig.table = lrd_gpu_vulkan_interface(rig.gpu);
	hooks.submits = 0;
	for (uint32_t i = 0; i < 5; ++i)
	{
		make_filled(&rig, i);
		vulkan_rig_flush(&rig);
	}
	assert_int_equal(hooks.submits, 10);
	assert_int_equal(locks.taken, 10);
	vulkan_rig_stop(&rig);
	assert_int_equal(locks.taken, 12); // to wait for each of the two
	assert_int_equal(locks.wrong, 0);
	assert_true(locks.held == VK_NULL_HANDLE);
}

static void everything_may_be_destroyed_while_the_transfer_queue_copies(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	start_two(&rig);
	hooks.hold = 1;
	for (uint32_t i = 0; i < 20; ++i) // more than there are batches: the last ones wait for their turn
	{
		make_filled(&rig, i);
		assert_int_equal(rig.table.submit(rig.table.user), i + 1);
	}
	vulkan_rig_stop(&rig);
	assert_int_equal(hooks.alive, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(images_are_released_and_acquired_level_by_level),
		cmocka_unit_test(frames_do_not_wait_for_the_transfer_queue),
		cmocka_unit_test(batches_are_sealed_in_their_order),
		cmocka_unit_test(dynamic_meshes_are_written_at_once_on_the_graphics_queue),
		cmocka_unit_test(a_static_mesh_comes_over_the_transfer_queue_and_is_changed_on_the_graphics_queue),
		cmocka_unit_test(objects_destroyed_while_the_transfer_queue_copies_live_until_it_is_through),
		cmocka_unit_test(a_level_is_not_copied_again_while_it_is_handed_over),
		cmocka_unit_test(queues_are_taken_and_given_back_around_each_use),
		cmocka_unit_test(everything_may_be_destroyed_while_the_transfer_queue_copies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
