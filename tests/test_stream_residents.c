// The stream over a store, its residents and a device: mips come and go, in time and in order.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/stream_kit.h"
#include "larder/snapshot.h"

static void frames(stream_kit *kit, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		stream_kit_frame(kit);
	}
}

static void frames_with(stream_kit *kit, uint32_t count, uint32_t i, uint32_t level)
{
	for (uint32_t frame = 0; frame < count; frame++)
	{
		assert_true(lrd_stream_demand(kit->stream, kit->slots[i], level, 0));
		stream_kit_frame(kit);
	}
}

static void texture_begins_with_its_tail_and_gets_what_is_demanded(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	frames(&kit, 20);
	assert_int_equal(stream_kit_texture(&kit, 3).first_level, kit.levels[3] - STREAM_TAIL);
	frames_with(&kit, 8, 3, 2);
	assert_int_equal(stream_kit_texture(&kit, 3).first_level, 2);
	frames_with(&kit, 8, 3, 0);
	assert_int_equal(stream_kit_texture(&kit, 3).first_level, 0);
	gpu_kit_check(&kit.gpu);
	lrd_gpu_object bound = lrd_gpu_null_bound(kit.gpu.device, kit.slots[3]);
	uint64_t size = 0;
	assert_non_null(lrd_gpu_null_texture(kit.gpu.device, bound, 0, &size, NULL));
	lrd_stream_stats stats = stream_kit_stats(&kit);
	assert_int_equal(stats.promotions, 2);
	assert_int_equal(stats.textures, STREAM_TEXTURES);
	assert_int_equal(stats.report.full, STREAM_TEXTURES);
	assert_int_equal(stats.transitions, 0);
	stream_kit_close(&kit);
}

static void demands_of_a_frame_combine_by_maximum(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	frames(&kit, 20);
	for (uint32_t frame = 0; frame < 8; frame++)
	{
		lrd_stream_demand(kit.stream, kit.slots[7], 4, -3);
		lrd_stream_demand(kit.stream, kit.slots[7], 1, 2);
		lrd_stream_demand(kit.stream, kit.slots[7], 3, 900);
		lrd_stream_demand_all(kit.stream, kit.slots[2], -900);
		stream_kit_frame(&kit);
	}
	assert_int_equal(stream_kit_texture(&kit, 7).first_level, 1);
	assert_int_equal(stream_kit_texture(&kit, 2).first_level, 0);
	assert_false(lrd_stream_demand(kit.stream, 4000, 0, 0));
	stream_kit_close(&kit);
}

static void demand_is_of_its_frame_alone(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ .budget = 45000 }); // for one of the two, but for its finest level
	frames(&kit, 20);
	frames_with(&kit, 10, 7, 0);
	assert_int_equal(stream_kit_texture(&kit, 7).first_level, 1);
	frames_with(&kit, 100, 11, 0); // nobody wants the other any more
	assert_int_equal(stream_kit_texture(&kit, 7).first_level, kit.levels[7] - STREAM_TAIL);
	assert_int_equal(stream_kit_texture(&kit, 11).first_level, 1);
	gpu_kit_check(&kit.gpu);
	stream_kit_close(&kit);
}

static void pinned_texture_stays_until_it_is_let_go_of(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ .budget = 20000 });
	frames(&kit, 20);
	assert_true(lrd_stream_pin(kit.stream, kit.slots[3], 0));
	frames(&kit, 100);
	assert_int_equal(stream_kit_texture(&kit, 3).first_level, 0);
	assert_true(stream_kit_stats(&kit).report.overflow > 0);
	assert_true(lrd_stream_pin(kit.stream, kit.slots[3], LRD_TEXTURE_MAX_LEVELS));
	frames(&kit, 100);
	assert_int_equal(stream_kit_texture(&kit, 3).first_level, kit.levels[3] - STREAM_TAIL);
	assert_int_equal(stream_kit_stats(&kit).report.overflow, 0);
	stream_kit_close(&kit);
}

static void memory_that_others_take_is_shed_early_and_used_again_when_they_are_gone(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	frames(&kit, 20);
	for (uint32_t frame = 0; frame < 200; frame++)
	{
		if (frame == 50)
		{
			lrd_gpu_null_set_budget(kit.gpu.device, kit.all / 3);
		}
		else if (frame == 120)
		{
			assert_true(gpu_kit_device(&kit.gpu).memory_used <= kit.all / 3);
			assert_true(stream_kit_stats(&kit).report.limited > 0);
			lrd_gpu_null_set_budget(kit.gpu.device, 1u << 30);
		}
		for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
		{
			lrd_stream_demand_all(kit.stream, kit.slots[i], 0);
		}
		stream_kit_frame(&kit);
	}
	for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
	{
		assert_int_equal(stream_kit_texture(&kit, i).first_level, 0);
	}
	gpu_kit_check(&kit.gpu);
	stream_kit_close(&kit);
}

static void device_that_knows_no_end_of_its_memory_takes_nothing_away(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ .budget = 1u << 20 });
	lrd_gpu_null_set_budget(kit.gpu.device, UINT64_MAX);
	frames(&kit, 20);
	assert_int_equal(stream_kit_stats(&kit).budget, 1u << 20);
	stream_kit_close(&kit);
}

static void what_the_budget_refuses_is_warned_of_once_in_a_while_with_an_example(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ .budget = 60000 });
	frames(&kit, 20);
	assert_int_equal(kit.warnings, 0);
	uint64_t begun = lrd_clock_ns();
	for (uint32_t frame = 0; frame < 300; frame++)
	{
		lrd_stream_demand_all(kit.stream, kit.slots[3], 0);
		stream_kit_frame(&kit);
	}
	assert_in_range(kit.warnings, 1, 1 + (lrd_clock_ns() - begun) / 5000000000u);
	assert_non_null(strstr(kit.warned, "\"mip3\""));
	assert_non_null(strstr(kit.warned, "keeps 1 textures"));
	stream_kit_close(&kit);
}

static void slot_that_another_texture_has_begins_anew(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	frames(&kit, 20);
	lrd_stream_pin(kit.stream, kit.slots[3], 0);
	frames(&kit, 10);
	lrd_residents_release_texture(kit.gpu.residents, kit.slots[3]);
	frames(&kit, 10);
	lrd_error error;
	lrd_asset stone = kit_find(&kit.gpu.store, LRD_TEXTURE, "stone");
	uint32_t slot = lrd_residents_retain_texture(kit.gpu.residents, stone, LRD_ROLE_COLOR, &error);
	frames(&kit, 20);
	assert_int_equal(gpu_kit_texture(&kit.gpu, slot).first_level, 7 - STREAM_TAIL);
	lrd_residents_release_texture(kit.gpu.residents, slot);
	kit.slots[3] = LRD_GPU_NO_SLOT;
	frames(&kit, 10);
	stream_kit_close(&kit);
}

static uint64_t changed_slots(const stream_kit *kit, bool take)
{
	return lrd_residents_changed_textures(kit->gpu.residents, 0, take);
}

static void residents_tell_once_which_slots_changed(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	frames(&kit, 20);
	assert_int_equal(changed_slots(&kit, true), 0); // the stream took what there was
	const uint64_t third = (uint64_t)1 << kit.slots[3], fifth = (uint64_t)1 << kit.slots[5];
	assert_true(lrd_residents_set_first_level(kit.gpu.residents, kit.slots[3], 0));
	assert_int_equal(changed_slots(&kit, false), third);
	assert_int_equal(changed_slots(&kit, true), third);
	assert_int_equal(changed_slots(&kit, true), 0);
	gpu_kit_frames(&kit.gpu, 20);
	assert_int_equal(gpu_kit_texture(&kit.gpu, kit.slots[3]).first_level, 0);
	assert_int_equal(changed_slots(&kit, true), third);
	lrd_residents_release_texture(kit.gpu.residents, kit.slots[5]);
	assert_int_equal(changed_slots(&kit, true), fifth);
	assert_int_equal(lrd_residents_changed_textures(kit.gpu.residents, 1000, true), 0);
	kit.slots[5] = LRD_GPU_NO_SLOT;
	stream_kit_close(&kit);
}

static void demand_for_a_released_slot_is_refused_at_once(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	frames(&kit, 20);
	uint32_t slot = kit.slots[5];
	assert_true(lrd_stream_demand_all(kit.stream, slot, 0));
	lrd_residents_release_texture(kit.gpu.residents, slot);
	assert_false(lrd_stream_demand_all(kit.stream, slot, 0));
	assert_false(lrd_stream_pin(kit.stream, slot, 0));
	kit.slots[5] = LRD_GPU_NO_SLOT;
	stream_kit_close(&kit);
}

static void snapshot_of_the_store_carries_what_the_stream_says(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ .budget = 60000 });
	frames(&kit, 20);
	frames_with(&kit, 60, 3, 0);
	lrd_store *store = kit.gpu.store.store;
	lrd_snapshot now = { .allocator = failing_allocator_get(&kit.gpu.memory) };
	assert_true(lrd_snapshot_take(store, &now, NULL));
	lrd_stream_stats stats = stream_kit_stats(&kit);
	assert_int_equal(now.stream.budget, 60000);
	assert_int_equal(now.stream.textures, STREAM_TEXTURES);
	assert_int_equal(now.stream.limited, 1);
	assert_int_equal(now.stream.full, STREAM_TEXTURES - 1);
	assert_int_equal(now.stream.resident_bytes, stats.report.resident_bytes);
	assert_int_equal(now.stream.missing_bytes, stats.report.missing_bytes);
	assert_int_equal(now.stream.promotions, stats.promotions);
	assert_true(now.stream.read_bytes > 0);
	long long calls = atomic_load(&kit.gpu.memory.calls);
	assert_true(lrd_snapshot_take(store, &now, NULL));
	assert_int_equal(atomic_load(&kit.gpu.memory.calls), calls);
	lrd_stream_destroy(kit.stream);
	kit.stream = NULL;
	assert_true(lrd_snapshot_take(store, &now, NULL));
	assert_int_equal(now.stream.budget, 0);
	lrd_snapshot_free(&now);
	stream_kit_close(&kit);
}

static void refused_image_is_not_asked_for_again_at_once(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	frames(&kit, 20);
	lrd_gpu_null_fail(kit.gpu.device, 0, 1, LRD_ERROR_UNSUPPORTED);
	frames_with(&kit, 12, 3, 0);
	assert_int_equal(stream_kit_texture(&kit, 3).first_level, kit.levels[3] - STREAM_TAIL);
	assert_int_equal(stream_kit_stats(&kit).failures, 1);
	frames_with(&kit, 40, 3, 0);
	assert_int_equal(stream_kit_texture(&kit, 3).first_level, 0);
	gpu_kit_check(&kit.gpu);
	stream_kit_close(&kit);
}

static void device_that_has_no_memory_left_gets_it_back(void **state)
{
	(void)state;
	stream_kit kit;
	lrd_gpu_null_desc device = { 0 };
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	device.memory = kit.all / 2;
	stream_kit_close(&kit);
	stream_kit_open(&kit, &device, (lrd_stream_desc){ 0 });
	uint32_t finer = 0;
	for (uint32_t frame = 0; frame < 400; frame++)
	{
		for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
		{
			lrd_stream_demand_all(kit.stream, kit.slots[i], 0);
		}
		stream_kit_frame(&kit);
		gpu_kit_check(&kit.gpu);
	}
	for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
	{
		assert_false(stream_kit_texture(&kit, i).failed);
		finer += stream_kit_texture(&kit, i).first_level < kit.levels[i] - STREAM_TAIL;
	}
	assert_true(finer > STREAM_TEXTURES / 2);
	stream_kit_close(&kit);
}

static void lost_device_ends_streaming_and_nothing_else(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
	frames(&kit, 20);
	lrd_stream_demand_all(kit.stream, kit.slots[3], 0);
	lrd_stream_update(kit.stream);
	lrd_gpu_null_fail(kit.gpu.device, 0, 1, LRD_ERROR_IO);
	gpu_kit_frames(&kit.gpu, 3);
	frames_with(&kit, 20, 5, 0);
	assert_true(gpu_kit_stats(&kit.gpu).lost);
	stream_kit_close(&kit);
}

static void steady_frame_allocates_nothing(void **state)
{
	(void)state;
	stream_kit kit;
	stream_kit_open(&kit, NULL, (lrd_stream_desc){ .budget = 200000 });
	long long calls = 0;
	for (uint32_t frame = 0; frame < 400; frame++)
	{
		calls = frame == 300 ? atomic_load(&kit.gpu.memory.calls) : calls;
		for (uint32_t i = 0; i < STREAM_TEXTURES; i++)
		{
			lrd_stream_demand(kit.stream, kit.slots[i], i % 3, (int32_t)(i % 2));
		}
		stream_kit_frame(&kit);
	}
	assert_int_equal(atomic_load(&kit.gpu.memory.calls), calls);
	stream_kit_close(&kit);
}

static void residents_that_keep_textures_whole_have_no_stream(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_error error = { 0 };
	assert_null(lrd_stream_create(kit.residents, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "tail_levels"));
	gpu_kit_close(&kit, 0);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	bool done = false;
	for (long long succeed = 0; !done; succeed++)
	{
		stream_kit kit;
		stream_kit_open(&kit, NULL, (lrd_stream_desc){ 0 });
		lrd_stream_destroy(kit.stream);
		gpu_kit_frames(&kit.gpu, 20);
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_error error = { 0 };
		kit.stream = lrd_stream_create(kit.gpu.residents,
			&(lrd_stream_desc){ .allocator = failing_allocator_get(&memory), .log = { stream_kit_warned, &kit } },
			&error);
		assert_true(kit.stream != NULL || error.code == LRD_ERROR_MEMORY);
		for (uint32_t frame = 0; frame < 10 && kit.stream != NULL; frame++)
		{
			lrd_stream_demand_all(kit.stream, kit.slots[3], 0);
			stream_kit_frame(&kit);
			gpu_kit_check(&kit.gpu);
		}
		done = atomic_load(&memory.countdown) != 0;
		for (uint32_t frame = 0; frame < 12 && kit.stream != NULL; frame++)
		{
			atomic_store(&memory.countdown, -1); // there is memory again
			lrd_stream_demand_all(kit.stream, kit.slots[3], 0);
			stream_kit_frame(&kit);
		}
		assert_true(kit.stream == NULL || stream_kit_texture(&kit, 3).first_level == 0);
		lrd_stream_destroy(kit.stream);
		kit.stream = NULL;
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
		stream_kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texture_begins_with_its_tail_and_gets_what_is_demanded),
		cmocka_unit_test(demands_of_a_frame_combine_by_maximum),
		cmocka_unit_test(demand_is_of_its_frame_alone),
		cmocka_unit_test(pinned_texture_stays_until_it_is_let_go_of),
		cmocka_unit_test(memory_that_others_take_is_shed_early_and_used_again_when_they_are_gone),
		cmocka_unit_test(device_that_knows_no_end_of_its_memory_takes_nothing_away),
		cmocka_unit_test(what_the_budget_refuses_is_warned_of_once_in_a_while_with_an_example),
		cmocka_unit_test(slot_that_another_texture_has_begins_anew),
		cmocka_unit_test(residents_tell_once_which_slots_changed),
		cmocka_unit_test(demand_for_a_released_slot_is_refused_at_once),
		cmocka_unit_test(snapshot_of_the_store_carries_what_the_stream_says),
		cmocka_unit_test(refused_image_is_not_asked_for_again_at_once),
		cmocka_unit_test(device_that_has_no_memory_left_gets_it_back),
		cmocka_unit_test(lost_device_ends_streaming_and_nothing_else),
		cmocka_unit_test(steady_frame_allocates_nothing),
		cmocka_unit_test(residents_that_keep_textures_whole_have_no_stream),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
