// The stream over a store, its residents and a device, for thousands of frames in which everything happens that may: at every step what is
// accounted for is what there is, and the budget is kept.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/stream_kit.h"

#define FRAMES 10000

/// What a simulation does besides demanding.
typedef struct troubles
{
	bool reloads;
	bool releases;
	bool unmounts;
	bool failures;
} troubles;

static void want(stream_kit *kit, uint8_t levels[STREAM_TEXTURES], bool everything)
{
	uint32_t count = everything ? STREAM_TEXTURES : 1;
	for (uint32_t n = 0; n < count; n++)
	{
		uint32_t i = everything ? n : stream_random(kit, STREAM_TEXTURES);
		levels[i] = (uint8_t)(stream_random(kit, 3) == 0 ? 6 : stream_random(kit, 3));
	}
}

static void demand(stream_kit *kit, const uint8_t levels[STREAM_TEXTURES])
{
	for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
	{
		if (levels[i] < 6 && kit->slots[i] != LRD_GPU_NO_SLOT)
		{
			lrd_stream_demand(kit->stream, kit->slots[i], levels[i], (int32_t)(i % 3));
		}
	}
}

static void change_mounts(stream_kit *kit)
{
	if (kit->is_mounted)
	{
		assert_true(lrd_store_unmount(kit->gpu.store.store, kit->mount));
		kit->is_mounted = false;
		return;
	}
	stream_kit_mount(kit);
}

static void release_or_retain(stream_kit *kit)
{
	uint32_t i = stream_random(kit, STREAM_TEXTURES);
	if (kit->slots[i] == LRD_GPU_NO_SLOT)
	{
		stream_kit_retain(kit, i);
		return;
	}
	lrd_residents_release_texture(kit->gpu.residents, kit->slots[i]);
	kit->slots[i] = LRD_GPU_NO_SLOT;
}

static void make_trouble(stream_kit *kit, troubles trouble)
{
	uint32_t dice = stream_random(kit, 200);
	if (dice == 0 && trouble.reloads)
	{
		for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
		{
			lrd_store_changed(kit->gpu.store.store, LRD_TEXTURE, lrd_asset_stem(kit->gpu.store.store, kit->assets[i]));
		}
	}
	else if (dice < 4 && trouble.reloads)
	{
		uint32_t i = stream_random(kit, STREAM_TEXTURES);
		lrd_store_changed(kit->gpu.store.store, LRD_TEXTURE, lrd_asset_stem(kit->gpu.store.store, kit->assets[i]));
	}
	else if (dice < 10 && trouble.releases)
	{
		release_or_retain(kit);
	}
	else if (dice < (kit->is_mounted ? 11u : 16u) && trouble.unmounts)
	{
		change_mounts(kit);
	}
	else if (dice < 20 && trouble.failures)
	{
		// What is beyond a limit stays so for as long as the file is the same: nothing would stream any more in the end.
		const lrd_error_code codes[] = { LRD_ERROR_MEMORY, trouble.reloads ? LRD_ERROR_LIMIT : LRD_ERROR_UNSUPPORTED };
		lrd_gpu_null_fail(kit->gpu.device, stream_random(kit, 3), 1 + stream_random(kit, 3), codes[dice % 2]);
	}
}

// Bytes of the images that slots show, of those that wait for their frames, and of what stands in for missing ones.
static uint64_t least_images(const stream_kit *kit)
{
	uint64_t bytes = gpu_kit_stats(&kit->gpu).retired_texture_bytes;
	for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
	{
		bytes += kit->slots[i] != LRD_GPU_NO_SLOT ? stream_kit_texture(kit, i).bytes : 0;
	}
	return bytes;
}

static void check(const stream_kit *kit)
{
	gpu_kit_check(&kit->gpu); // the device's objects, one by one, come to what is accounted for
	lrd_stream_stats stats = stream_kit_stats(kit);
	uint64_t used = gpu_kit_device(&kit->gpu).memory_used;
	assert_true(used >= least_images(kit));
	assert_true(used <= kit->all / 4 + stats.report.tail_bytes);
}

static void simulate(troubles trouble, const lrd_gpu_null_desc *device, uint32_t step, uint32_t seed)
{
	stream_kit kit;
	stream_kit_open(&kit, device, (lrd_stream_desc){ .budget = 1, .step = step });
	kit.random = seed;
	lrd_stream_set_budget(kit.stream, kit.all / 4);
	uint8_t levels[STREAM_TEXTURES];
	memset(levels, 6, sizeof levels);
	for (uint32_t frame = 0; frame < FRAMES / 2; frame++)
	{
		if (stream_random(&kit, 8) == 0)
		{
			want(&kit, levels, stream_random(&kit, 20) == 0);
		}
		make_trouble(&kit, trouble);
		demand(&kit, levels);
		stream_kit_frame(&kit);
		check(&kit);
	}
	lrd_stream_stats stats = stream_kit_stats(&kit);
	assert_true(stats.promotions > 100 && stats.demotions > 40); // or little was tried
	stream_kit_close(&kit);
}

static void accounted_bytes_equal_the_sum_over_images_at_every_step_and_stay_within_the_budget(void **state)
{
	(void)state;
	const lrd_gpu_null_desc slow = { .delay = 3 };
	simulate((troubles){ 0 }, NULL, 0, 1);
	simulate((troubles){ 0 }, &slow, 1, 2);
}

static void so_they_do_when_files_change_and_mounts_come_and_go(void **state)
{
	(void)state;
	const lrd_gpu_null_desc slow = { .delay = 2 };
	simulate((troubles){ .reloads = true }, NULL, 0, 3);
	simulate((troubles){ .reloads = true, .unmounts = true, .releases = true }, &slow, 0, 4);
	simulate((troubles){ .reloads = true, .unmounts = true, .releases = true }, &slow, 1, 5);
}

static void so_they_do_on_a_device_that_fails(void **state)
{
	(void)state;
	const lrd_gpu_null_desc slow = { .delay = 1, .staging_size = 100000 };
	simulate((troubles){ .failures = true }, &slow, 0, 6);
	simulate((troubles){ true, true, true, true }, &slow, 0, 7);
}

static void with_enough_budget_every_demand_is_met_within_the_count_over_16_frames_of_the_device(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	uint8_t levels[STREAM_TEXTURES] = { 0 };
	for (uint32_t frame = 0; frame < 20; frame++)
	{
		stream_kit_frame(&kit);
	}
	// 24 textures are two frames of transitions; the last of these is shown after a job, a batch and a frame.
	for (uint32_t frame = 0; frame < 2 + 6; frame++)
	{
		demand(&kit, levels);
		stream_kit_frame(&kit);
	}
	for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
	{
		assert_int_equal(stream_kit_texture(&kit, i).first_level, 0);
	}
	stream_kit_close(&kit);
}

static void turntable_with_a_quarter_of_the_textures_shows_no_pop_larger_than_a_level(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 1 }, (lrd_stream_desc){ .budget = 1, .step = 1 });
	lrd_stream_set_budget(kit.stream, kit.all / 4);
	uint32_t shown[STREAM_TEXTURES];
	uint32_t limited = 0, changes = 0;
	for (uint32_t frame = 0; frame < 3000; frame++)
	{
		for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
		{
			uint32_t angle = (frame * 4 + i * 2400 / STREAM_TEXTURES) % 2400;
			uint32_t away = angle < 1200 ? angle : 2400 - angle;
			lrd_stream_demand(kit.stream, kit.slots[i], away / 300, 0);
		}
		stream_kit_frame(&kit);
		check(&kit);
		limited += stream_kit_stats(&kit).report.limited != 0;
		for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
		{
			uint32_t level = stream_kit_texture(&kit, i).first_level;
			bool is_first = frame < 20; // tails arrive
			assert_true(is_first || (level <= shown[i] + 1 && shown[i] <= level + 1));
			changes += !is_first && level != shown[i];
			shown[i] = level;
		}
	}
	assert_true(limited > 1000 && changes > 200); // or it was no pressure
	stream_kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accounted_bytes_equal_the_sum_over_images_at_every_step_and_stay_within_the_budget),
		cmocka_unit_test(so_they_do_when_files_change_and_mounts_come_and_go),
		cmocka_unit_test(so_they_do_on_a_device_that_fails),
		cmocka_unit_test(with_enough_budget_every_demand_is_met_within_the_count_over_16_frames_of_the_device),
		cmocka_unit_test(turntable_with_a_quarter_of_the_textures_shows_no_pop_larger_than_a_level),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
