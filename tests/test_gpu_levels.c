// Textures that begin with their tail, and change how fine they are.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

static void open_with_tail(gpu_kit *kit, const lrd_gpu_null_desc *device)
{
	gpu_kit_open_device(kit, device);
	lrd_residents_desc desc = gpu_kit_desc(kit);
	desc.tail_levels = 4;
	gpu_kit_open_residents(kit, &desc);
}

static void a_streamed_texture_begins_with_its_tail(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_tail(&kit, NULL);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	uint64_t bytes[LRD_TEXTURE_MAX_LEVELS];
	assert_int_equal(lrd_residents_texture_levels(kit.residents, stone, bytes), 0);
	gpu_kit_frames(&kit, 8);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 3);
	assert_int_equal(lrd_residents_texture_levels(kit.residents, stone, bytes), 7);
	assert_int_equal(bytes[6], 16);
	assert_int_equal(bytes[3], 16 * 7); // 2 x 2 blocks, and one each for 4, 2 and 1 texels
	assert_int_equal(bytes[0], 16 * (256 + 64 + 16 + 7));
	assert_int_equal(gpu_kit_texture(&kit, stone).bytes, bytes[3]);
	assert_int_equal(lrd_residents_texture_count(kit.residents), 1);
	gpu_kit_close(&kit, 1);
}

static void a_texture_becomes_finer_and_coarser_and_the_old_image_stays_meanwhile(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_tail(&kit, &(lrd_gpu_null_desc){ .delay = 2 });
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 12);
	static const uint32_t levels[] = { 0, 6, 2, 1, 3, 0 };
	uint32_t current = 3;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
	{
		assert_true(lrd_residents_set_first_level(kit.residents, stone, levels[i]));
		assert_int_equal(gpu_kit_texture(&kit, stone).wanted_level, levels[i]);
		assert_false(lrd_residents_set_first_level(kit.residents, stone, 5)); // something is on its way
		for (uint32_t frame = 0; frame < 12; frame++)
		{
			uint32_t shown = gpu_kit_texture(&kit, stone).first_level;
			assert_true(shown == current || shown == levels[i]);
			gpu_kit_check_texture(&kit, stone, "stone.ktx2", shown);
			gpu_kit_check(&kit);
			gpu_kit_frame(&kit);
		}
		assert_int_equal(gpu_kit_texture(&kit, stone).first_level, levels[i]);
		assert_int_equal(gpu_kit_device(&kit).textures, LRD_ROLE_COUNT + 1);
		current = levels[i];
	}
	assert_true(lrd_residents_set_first_level(kit.residents, stone, 0)); // as it is
	assert_int_equal(gpu_kit_texture(&kit, stone).wanted_level, 0);
	gpu_kit_close(&kit, 1);
}

static void the_budget_of_textures_is_kept_and_tails_are_always_there(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_tail(&kit, NULL);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	lrd_residents_set_texture_budget(kit.residents, 2000);
	gpu_kit_frames(&kit, 8);
	assert_false(lrd_residents_set_first_level(kit.residents, stone, 0)); // 5488 bytes
	assert_true(lrd_residents_set_first_level(kit.residents, stone, 1));  // 1392 bytes
	gpu_kit_frames(&kit, 8);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 1);
	lrd_residents_set_texture_budget(kit.residents, 100);
	assert_false(lrd_residents_set_first_level(kit.residents, stone, 2));
	assert_true(lrd_residents_set_first_level(kit.residents, stone, 3)); // the tail always may
	gpu_kit_frames(&kit, 8);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 3);
	gpu_kit_close(&kit, 1);
}

static void a_reload_of_a_fine_texture_is_fine_again_if_there_is_room(void **state)
{
	(void)state;
	for (uint32_t crowded = 0; crowded < 2; crowded++)
	{
		gpu_kit kit;
		open_with_tail(&kit, NULL);
		uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
		gpu_kit_frames(&kit, 8);
		assert_true(lrd_residents_set_first_level(kit.residents, stone, 1));
		gpu_kit_frames(&kit, 8);
		uint32_t revision = gpu_kit_texture(&kit, stone).revision;
		if (crowded != 0)
		{
			lrd_residents_set_texture_budget(kit.residents, 1900); // 1392 of the old one, and 576 of the new one
		}
		gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2");
		gpu_kit_frames(&kit, 10);
		assert_int_not_equal(gpu_kit_texture(&kit, stone).revision, revision);
		gpu_kit_check_texture(&kit, stone, "moss.ktx2", gpu_kit_texture(&kit, stone).first_level);
		assert_int_equal(gpu_kit_texture(&kit, stone).first_level, crowded != 0 ? 2 : 1); // 2: its tail
		gpu_kit_check(&kit);
		gpu_kit_close(&kit, 1);
	}
}

static void unloading_unmounting_reloading_or_releasing_while_levels_stream_leaves_the_old_or_the_new_image(
	void **state)
{
	(void)state;
	for (uint32_t what = 0; what < 4; what++)
	{
		for (uint32_t when = 0; when < 7; when++)
		{
			gpu_kit kit;
			open_with_tail(&kit, &(lrd_gpu_null_desc){ .delay = 1 });
			uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
			gpu_kit_frames(&kit, 12);
			assert_true(lrd_residents_set_first_level(kit.residents, stone, 0));
			gpu_kit_frames(&kit, when);
			switch (what)
			{
			case 0: lrd_store_unload_all(kit.store.store); break;
			case 1: assert_true(lrd_store_unmount(kit.store.store, kit.mount)); break;
			case 2: gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2"); break;
			default: lrd_residents_release_texture(kit.residents, stone); break;
			}
			for (uint32_t i = 0; i < 16; i++)
			{
				gpu_kit_frame(&kit);
				gpu_kit_check(&kit);
			}
			if (what != 3)
			{
				const char *key = what == 2 ? "moss.ktx2" : "stone.ktx2";
				gpu_kit_check_texture(&kit, stone, key, gpu_kit_texture(&kit, stone).first_level);
			}
			assert_int_equal(gpu_kit_device(&kit).textures, LRD_ROLE_COUNT + (what != 3));
			gpu_kit_close(&kit, what != 3);
		}
	}
}

static void after_everything_was_unloaded_levels_stream_again(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_tail(&kit, NULL);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	lrd_store_unload_all(kit.store.store);
	gpu_kit_frames(&kit, 10);
	assert_true(lrd_residents_set_first_level(kit.residents, stone, 0));
	gpu_kit_frames(&kit, 8);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0);
	gpu_kit_close(&kit, 1);
}

static void without_tails_there_are_no_transitions(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	assert_false(lrd_residents_set_first_level(kit.residents, stone, 2));
	gpu_kit_frames(&kit, 8);
	assert_false(lrd_residents_set_first_level(kit.residents, stone, 2));
	assert_false(lrd_residents_set_first_level(kit.residents, 60, 2));
	gpu_kit_close(&kit, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_streamed_texture_begins_with_its_tail),
		cmocka_unit_test(a_texture_becomes_finer_and_coarser_and_the_old_image_stays_meanwhile),
		cmocka_unit_test(the_budget_of_textures_is_kept_and_tails_are_always_there),
		cmocka_unit_test(a_reload_of_a_fine_texture_is_fine_again_if_there_is_room),
		cmocka_unit_test(
			unloading_unmounting_reloading_or_releasing_while_levels_stream_leaves_the_old_or_the_new_image),
		cmocka_unit_test(after_everything_was_unloaded_levels_stream_again),
		cmocka_unit_test(without_tails_there_are_no_transitions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
