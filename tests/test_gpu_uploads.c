// The queue of uploads: its window, what a frame may make, memory that runs out, a device that is lost.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

static void open_with_window(gpu_kit *kit, uint64_t window, uint32_t create_us, const lrd_gpu_null_desc *device)
{
	gpu_kit_open_device(kit, device);
	lrd_residents_desc desc = gpu_kit_desc(kit);
	desc.upload_window = window;
	desc.create_us = create_us;
	gpu_kit_open_residents(kit, &desc);
}

static void uploads_in_the_queue_never_exceed_the_window(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_window(&kit, 2000, 0, &(lrd_gpu_null_desc){ .delay = 2 });
	static const char *const stems[] = { "moss", "sky", "array", "volume", "albedo", "rough" };
	uint32_t slots[6];
	for (uint32_t i = 0; i < 6; i++)
	{
		slots[i] = gpu_kit_retain_texture(&kit, stems[i], LRD_ROLE_COLOR);
	}
	bool waited = false;
	for (uint32_t i = 0; i < 60; i++)
	{
		gpu_kit_frame(&kit);
		lrd_residents_stats stats = gpu_kit_stats(&kit);
		lrd_resident_texture sky = gpu_kit_texture(&kit, slots[1]);
		// 2752 bytes of sky alone are more than the window: it goes when the queue is empty, and nothing beside it.
		assert_true(stats.queued_bytes + stats.flying_bytes <= 2752);
		waited = waited || (stats.refused != 0 && sky.object == 0);
		gpu_kit_check(&kit);
	}
	assert_true(waited);
	for (uint32_t i = 0; i < 6; i++)
	{
		assert_int_not_equal(gpu_kit_texture(&kit, slots[i]).object, 0);
	}
	assert_int_equal(gpu_kit_stats(&kit).queued_bytes + gpu_kit_stats(&kit).flying_bytes, 0);
	gpu_kit_close(&kit, 6);
}

static void what_waits_for_room_goes_in_the_order_in_which_it_came(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_window(&kit, 100, 0, &(lrd_gpu_null_desc){ .delay = 1 });
	static const char *const stems[] = { "stone", "moss", "sky", "array" }; // each is more than the window
	uint32_t slots[4], order = 0;
	for (uint32_t i = 0; i < 4; i++)
	{
		slots[i] = gpu_kit_retain_texture(&kit, stems[i], LRD_ROLE_COLOR);
	}
	for (uint32_t i = 0; i < 60; i++)
	{
		gpu_kit_frame(&kit);
		while (order < 4 && gpu_kit_texture(&kit, slots[order]).object != 0)
		{
			order++;
		}
		for (uint32_t later = order; later < 4; later++)
		{
			assert_int_equal(gpu_kit_texture(&kit, slots[later]).object, 0);
		}
	}
	assert_int_equal(order, 4);
	gpu_kit_close(&kit, 4);
}

static void what_waits_for_room_can_be_released(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_window(&kit, 100, 0, &(lrd_gpu_null_desc){ .delay = 10 });
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 4);
	uint32_t moss = gpu_kit_retain_texture(&kit, "moss", LRD_ROLE_COLOR);
	uint32_t sky = gpu_kit_retain_texture(&kit, "sky", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 4);
	lrd_residents_release_texture(kit.residents, moss);
	gpu_kit_frames(&kit, 60);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0);
	gpu_kit_check_texture(&kit, sky, "sky.ktx2", 0);
	assert_int_equal(gpu_kit_stats(&kit).textures, 2);
	gpu_kit_close(&kit, 2);
}

static void a_frame_makes_as_many_objects_as_their_cost_allows_and_one_at_least(void **state)
{
	(void)state;
	gpu_kit kit;
	// Making one takes 2 ms of the 1 ms that a frame may take.
	open_with_window(&kit, 0, 1000, &(lrd_gpu_null_desc){ .create_ns = 2000000 });
	static const char *const stems[] = { "stone", "moss", "sky", "array", "volume" };
	uint32_t slots[5];
	for (uint32_t i = 0; i < 5; i++)
	{
		slots[i] = gpu_kit_retain_texture(&kit, stems[i], LRD_ROLE_COLOR);
	}
	uint64_t made = gpu_kit_device(&kit).creates;
	for (uint32_t i = 0; i < 20; i++)
	{
		gpu_kit_frame(&kit);
		assert_true(gpu_kit_device(&kit).creates - made <= 1);
		made = gpu_kit_device(&kit).creates;
		assert_int_equal(gpu_kit_stats(&kit).creates_a_frame, 1);
	}
	for (uint32_t i = 0; i < 5; i++)
	{
		assert_int_not_equal(gpu_kit_texture(&kit, slots[i]).object, 0);
	}
	gpu_kit_close(&kit, 5);
}

static void when_the_device_is_out_of_memory_an_upload_waits_until_some_is_free(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .memory = 7000 }); // stone takes 5472 bytes
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	uint32_t sky = gpu_kit_retain_texture(&kit, "sky", LRD_ROLE_CUBE);
	uint32_t albedo = gpu_kit_retain_texture(&kit, "albedo", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	assert_int_equal(gpu_kit_texture(&kit, sky).object, 0);
	assert_false(gpu_kit_texture(&kit, sky).failed);
	assert_true(gpu_kit_texture(&kit, sky).bound);
	assert_int_not_equal(gpu_kit_texture(&kit, albedo).object, 0); // what fits is not held up
	assert_true(gpu_kit_stats(&kit).out_of_memory != 0);
	lrd_residents_release_texture(kit.residents, stone);
	gpu_kit_frames(&kit, 8);
	gpu_kit_check_texture(&kit, sky, "sky.ktx2", 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 2);
}

static bool no_blocks(void *user, uint32_t format)
{
	(void)user;
	return format < LRD_TEXTURE_BC1_RGB_UNORM;
}

static void what_waits_for_device_memory_is_not_decoded_again_each_time_it_is_tried(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .memory = 30000, .has_format = no_blocks });
	uint32_t sky = gpu_kit_retain_texture(&kit, "sky", LRD_ROLE_CUBE); // 16368 bytes, decoded
	gpu_kit_frames(&kit, 8);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR); // 21844
	gpu_kit_frames(&kit, 8);
	uint64_t tries = gpu_kit_stats(&kit).out_of_memory;
	long long calls = atomic_load(&kit.memory.calls);
	assert_int_not_equal(tries, 0);
	gpu_kit_frames(&kit, 80);
	tries = gpu_kit_stats(&kit).out_of_memory - tries;
	assert_true(tries >= 8);
	assert_int_equal(atomic_load(&kit.memory.calls) - calls, 2 * tries); // the upload and its image, and no level
	lrd_residents_release_texture(kit.residents, sky);
	gpu_kit_frames(&kit, 12);
	assert_int_not_equal(gpu_kit_texture(&kit, stone).object, 0);
	assert_int_equal(gpu_kit_texture(&kit, stone).bytes, 21844);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void each_creation_that_fails_is_tried_again(void **state)
{
	(void)state;
	for (uint32_t after = 0; after < 12; after++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, NULL);
		uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
		lrd_mesh_handle grid = gpu_kit_retain_mesh(&kit, "grid");
		lrd_gpu_null_fail(kit.device, after, 1, LRD_ERROR_MEMORY); // creations, or staging
		for (uint32_t i = 0; i < 16; i++)
		{
			gpu_kit_frame(&kit);
			gpu_kit_check(&kit);
		}
		gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0);
		assert_int_not_equal(lrd_residents_get_mesh(kit.residents, grid)->object, 0);
		gpu_kit_close(&kit, 2);
	}
}

static void a_lost_device_stops_everything_cleanly(void **state)
{
	(void)state;
	for (uint32_t after = 0; after < 12; after++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 1 });
		uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
		gpu_kit_retain_texture(&kit, "sky", LRD_ROLE_COLOR);
		lrd_mesh_handle grid = gpu_kit_retain_mesh(&kit, "grid");
		gpu_kit_frames(&kit, 2);
		lrd_gpu_null_fail(kit.device, after, 1, LRD_ERROR_IO);
		for (uint32_t i = 0; i < 16; i++)
		{
			gpu_kit_frame(&kit);
			gpu_kit_check(&kit);
			gpu_kit_put(&kit, LRD_TEXTURE, "stone", i % 2 != 0 ? "stone.ktx2" : "moss.ktx2"); // something to do
		}
		assert_true(gpu_kit_stats(&kit).lost);
		lrd_gpu_null_stats before = gpu_kit_device(&kit);
		lrd_residents_release_texture(kit.residents, stone);
		lrd_residents_release_mesh(kit.residents, grid);
		gpu_kit_retain_texture(&kit, "moss", LRD_ROLE_COLOR);
		gpu_kit_frames(&kit, 4);
		lrd_gpu_null_stats later = gpu_kit_device(&kit);
		assert_int_equal(later.creates + later.copies + later.submits, before.creates + before.copies + before.submits);
		assert_int_equal(gpu_kit_stats(&kit).queued_bytes + gpu_kit_stats(&kit).flying_bytes, 0);
		assert_true(strstr(kit.logged, "lost") != NULL || kit.logged[0] != '\0');
		gpu_kit_close(&kit, 2);
	}
}

static void a_scheduler_that_refuses_is_asked_again(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	for (uint32_t i = 0; i < 40; i++)
	{
		kit.store.jobs.refuse = i % 3 != 0;
		gpu_kit_frame(&kit);
	}
	assert_true(kit.store.jobs.refusals != 0);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0);
	kit.store.jobs.refuse = false;
	gpu_kit_close(&kit, 1);
}

static void a_steady_frame_allocates_nothing(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, NULL);
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	desc.tail_levels = 3;
	gpu_kit_open_residents(&kit, &desc);
	gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_retain_texture(&kit, "nowhere", LRD_ROLE_COLOR);
	gpu_kit_retain_mesh(&kit, "grid");
	lrd_error error;
	lrd_residents_retain_material(kit.residents, kit_find(&kit.store, LRD_MATERIAL, "red"), &error);
	gpu_kit_frames(&kit, 16);
	long long calls = atomic_load(&kit.memory.calls) + atomic_load(&kit.store.memory.calls);
	uint64_t copies = gpu_kit_device(&kit).copies;
	gpu_kit_frames(&kit, 100);
	assert_int_equal(atomic_load(&kit.memory.calls) + atomic_load(&kit.store.memory.calls), calls);
	assert_int_equal(gpu_kit_device(&kit).copies, copies);
	gpu_kit_close(&kit, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uploads_in_the_queue_never_exceed_the_window),
		cmocka_unit_test(what_waits_for_room_goes_in_the_order_in_which_it_came),
		cmocka_unit_test(what_waits_for_room_can_be_released),
		cmocka_unit_test(a_frame_makes_as_many_objects_as_their_cost_allows_and_one_at_least),
		cmocka_unit_test(when_the_device_is_out_of_memory_an_upload_waits_until_some_is_free),
		cmocka_unit_test(what_waits_for_device_memory_is_not_decoded_again_each_time_it_is_tried),
		cmocka_unit_test(each_creation_that_fails_is_tried_again),
		cmocka_unit_test(a_lost_device_stops_everything_cleanly),
		cmocka_unit_test(a_scheduler_that_refuses_is_asked_again),
		cmocka_unit_test(a_steady_frame_allocates_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
