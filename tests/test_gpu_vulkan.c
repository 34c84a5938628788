// tests/test_gpu_vulkan.c: textures and meshes on a Vulkan device: what was copied lies there, byte for byte, and the validation layer
// has nothing to say. Skipped where there is no driver; a driver in software is enough.

#include "failing_allocator.h"
#include "fixtures/vulkan_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static lrd_gpu_texture_desc plain(uint32_t format, uint32_t width, uint32_t height, uint32_t levels)
{
	return (lrd_gpu_texture_desc){ "plain", format, width, height, 1, 1, 1, levels, false, { 0, 0, 0 } };
}

static lrd_gpu_object make(vulkan_rig *rig, const lrd_gpu_texture_desc *desc)
{
	lrd_error error = { 0 };
	lrd_gpu_object texture = rig->table.create_texture(rig->table.user, desc, &error);
	if (texture == 0)
	{
		fail_msg("%s", error.message);
	}
	return texture;
}

/// All levels, whose seeds are `seed` and up.
static lrd_gpu_object make_filled(vulkan_rig *rig, const lrd_gpu_texture_desc *desc, uint32_t seed)
{
	lrd_gpu_object texture = make(rig, desc);
	for (uint32_t level = 0; level < desc->level_count; ++level)
	{
		assert_true(vulkan_rig_fill(rig, texture, desc, level, seed + level));
	}
	return texture;
}

static void check_all(vulkan_rig *rig, lrd_gpu_object texture, const lrd_gpu_texture_desc *desc, uint32_t seed)
{
	for (uint32_t level = 0; level < desc->level_count; ++level)
	{
		vulkan_rig_check(rig, texture, desc, level, seed + level);
	}
}

static void round_trip(vulkan_rig *rig, const lrd_gpu_texture_desc *desc)
{
	lrd_gpu_object texture = make_filled(rig, desc, desc->format);
	vulkan_rig_flush(rig);
	check_all(rig, texture, desc, desc->format);
	rig->table.destroy_texture(rig->table.user, texture);
}

static void levels_of_every_format_are_read_back_as_they_were_copied(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	static const uint32_t formats[] = { 9, 16, 17, 37, 43, 70, 76, 77, 83, 91, 97, 100, 103, 109, 131, 132, 133, 134,
		135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 157, 158, 161, 162, 165, 166, 171, 172 };
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	uint32_t tried = 0;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
	{
		if (rig.table.has_format(rig.table.user, formats[i]))
		{
			lrd_gpu_texture_desc desc = plain(formats[i], 61, 35, 6);
			round_trip(&rig, &desc);
			++tried;
		}
	}
	vulkan_rig_stop(&rig);
	assert_true(tried >= 9); // what Vulkan requires of every device
}

static void cubes_arrays_and_volumes_are_read_back_as_they_were_copied(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	const lrd_gpu_texture_desc descs[] = {
		{ "cube", LRD_TEXTURE_RGBA16_SFLOAT, 32, 32, 1, 1, 6, 6, false, { 1, 1, 0 } },
		{ "array", LRD_TEXTURE_RGBA8_SRGB, 40, 24, 1, 5, 1, 3, true, { 0, 0, 0 } },
		{ "array of one", LRD_TEXTURE_RGBA8_SRGB, 40, 24, 1, 1, 1, 1, true, { 0, 0, 0 } },
		{ "volume", LRD_TEXTURE_RGBA8_UNORM, 16, 12, 9, 1, 1, 5, false, { 0, 0, 0 } },
	};
	for (size_t i = 0; i < sizeof descs / sizeof *descs; ++i)
	{
		round_trip(&rig, &descs[i]);
	}
	if (rig.context.image_cube_array)
	{
		lrd_gpu_texture_desc cubes = { "cubes", LRD_TEXTURE_RGBA8_UNORM, 20, 20, 1, 3, 6, 3, true, { 1, 1, 0 } };
		round_trip(&rig, &cubes);
	}
	vulkan_rig_stop(&rig);
}

static void levels_may_come_in_several_submits(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 128, 64, 8);
	lrd_gpu_object texture = make(&rig, &desc);
	for (uint32_t level = desc.level_count; level-- > 0;)
	{
		assert_true(vulkan_rig_fill(&rig, texture, &desc, level, level));
		assert_int_not_equal(rig.table.submit(rig.table.user), 0);
	}
	vulkan_rig_flush(&rig);
	check_all(&rig, texture, &desc, 0);
	vulkan_rig_stop(&rig);
}

static void a_level_that_is_copied_again_has_the_new_bytes(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 64, 64, 1);
	lrd_gpu_object texture = make_filled(&rig, &desc, 1);
	vulkan_rig_flush(&rig);
	assert_true(vulkan_rig_fill(&rig, texture, &desc, 0, 2));
	vulkan_rig_flush(&rig);
	check_all(&rig, texture, &desc, 2);
	// Twice before one submit: the last counts.
	assert_true(vulkan_rig_fill(&rig, texture, &desc, 0, 3));
	assert_true(vulkan_rig_fill(&rig, texture, &desc, 0, 4));
	vulkan_rig_flush(&rig);
	check_all(&rig, texture, &desc, 4);
	vulkan_rig_stop(&rig);
}

static void values_of_submits_rise_and_are_reached_in_turn(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 64, 64, 1);
	uint64_t last = 0;
	uint64_t reached = 0;
	for (uint32_t i = 0; i < 40; ++i) // more than there are batches, none waited for
	{
		lrd_gpu_object texture = make_filled(&rig, &desc, i);
		uint64_t value = rig.table.submit(rig.table.user);
		assert_true(value > last);
		last = value;
		uint64_t now = rig.table.completed(rig.table.user);
		assert_true(now >= reached && now <= last);
		reached = now;
		rig.table.destroy_texture(rig.table.user, texture); // while its copies run
	}
	vulkan_rig_wait(&rig, last);
	lrd_gpu_vulkan_stats stats;
	lrd_gpu_vulkan_get_stats(rig.gpu, &stats);
	assert_int_equal(stats.textures, 0);
	assert_int_equal(stats.used_bytes, 0);
	vulkan_rig_stop(&rig);
}

static void a_submit_without_copies_is_reached_too(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	vulkan_rig_flush(&rig);
	vulkan_rig_flush(&rig);
	vulkan_rig_stop(&rig);
}

static void staging_is_refused_when_it_is_full_and_free_again_when_copies_are_done(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, &(vulkan_rig_desc){ .gpu = { .staging_size = 1 << 20 } });
	lrd_gpu_caps caps;
	rig.table.get_caps(rig.table.user, &caps);
	assert_int_equal(caps.staging_size, 1 << 20);
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 300, 300, 1); // 360,000 bytes: two have room
	lrd_gpu_object textures[3];
	for (uint32_t round = 0; round < 5; ++round)
	{
		for (uint32_t i = 0; i < 3; ++i)
		{
			textures[i] = make(&rig, &desc);
		}
		assert_true(vulkan_rig_fill(&rig, textures[0], &desc, 0, round));
		assert_true(vulkan_rig_fill(&rig, textures[1], &desc, 0, round + 100));
		assert_false(vulkan_rig_fill(&rig, textures[2], &desc, 0, 0));
		vulkan_rig_flush(&rig);
		assert_true(vulkan_rig_fill(&rig, textures[2], &desc, 0, round + 200));
		vulkan_rig_flush(&rig);
		for (uint32_t i = 0; i < 3; ++i)
		{
			check_all(&rig, textures[i], &desc, round + 100 * i);
			rig.table.destroy_texture(rig.table.user, textures[i]);
		}
	}
	vulkan_rig_stop(&rig);
}

static void all_of_the_staging_memory_can_be_had_at_once(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, &(vulkan_rig_desc){ .gpu = { .staging_size = 100000 } });
	lrd_gpu_caps caps;
	rig.table.get_caps(rig.table.user, &caps);
	lrd_gpu_staging staging;
	for (uint32_t i = 0; i < 3; ++i)
	{
		assert_true(rig.table.stage(rig.table.user, 1000, &staging)); // so that the next begins in the middle
		assert_int_equal(staging.offset % 16, 0);
		vulkan_rig_flush(&rig);
		assert_true(rig.table.stage(rig.table.user, caps.staging_size, &staging));
		memset(staging.data, 1, caps.staging_size);
		vulkan_rig_flush(&rig);
	}
	assert_false(rig.table.stage(rig.table.user, caps.staging_size + 1, &staging));
	vulkan_rig_stop(&rig);
}

static void slots_sample_what_is_bound_and_their_revision_moves(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 8, 8, 1);
	desc.sampling = (lrd_texture_sampling){ 1, 2, 1 };
	VkImageView view;
	VkSampler sampler;
	assert_int_equal(lrd_gpu_vulkan_slot(rig.gpu, 7, &view, &sampler), 0);
	assert_true(view == VK_NULL_HANDLE && sampler == VK_NULL_HANDLE);
	lrd_gpu_object first = make_filled(&rig, &desc, 1);
	lrd_gpu_object second = make_filled(&rig, &desc, 2);
	vulkan_rig_flush(&rig);
	rig.table.bind_texture(rig.table.user, 7, first);
	uint64_t revision = lrd_gpu_vulkan_slot(rig.gpu, 7, &view, &sampler);
	VkImageView expected;
	assert_true(lrd_gpu_vulkan_image(rig.gpu, first, NULL, &expected));
	assert_true(revision != 0 && view == expected);
	assert_true(sampler == lrd_gpu_vulkan_sampler(rig.gpu, lrd_gpu_vulkan_sampler_index(desc.sampling)));
	rig.table.bind_texture(rig.table.user, 7, second);
	uint64_t moved = lrd_gpu_vulkan_slot(rig.gpu, 7, &view, NULL);
	assert_true(lrd_gpu_vulkan_image(rig.gpu, second, NULL, &expected));
	assert_true(moved != revision && moved != 0 && view == expected);
	rig.table.bind_texture(rig.table.user, 7, 0);
	assert_int_equal(lrd_gpu_vulkan_slot(rig.gpu, 7, NULL, NULL), 0);
	vulkan_rig_stop(&rig);
}

static uint64_t refused(const vulkan_rig *rig)
{
	lrd_gpu_vulkan_stats stats;
	lrd_gpu_vulkan_get_stats(rig->gpu, &stats);
	return stats.refused;
}

static void a_texture_is_not_bound_before_all_its_levels_are_there(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 8, 8, 2);
	lrd_gpu_object texture = make(&rig, &desc);
	assert_true(vulkan_rig_fill(&rig, texture, &desc, 0, 0));
	vulkan_rig_flush(&rig);
	rig.table.bind_texture(rig.table.user, 0, texture);
	assert_int_equal(refused(&rig), 1);
	assert_true(vulkan_rig_fill(&rig, texture, &desc, 1, 0));
	rig.table.bind_texture(rig.table.user, 0, texture);
	assert_int_equal(refused(&rig), 2);
	assert_int_equal(lrd_gpu_vulkan_slot(rig.gpu, 0, NULL, NULL), 0);
	vulkan_rig_flush(&rig);
	rig.table.bind_texture(rig.table.user, 0, texture);
	assert_int_equal(refused(&rig), 2);
	assert_int_not_equal(lrd_gpu_vulkan_slot(rig.gpu, 0, NULL, NULL), 0);
	vulkan_rig_stop(&rig);
}

static void calls_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	const lrd_gpu *table = &rig.table;
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 8, 8, 2);
	lrd_gpu_object texture = make(&rig, &desc);
	lrd_gpu_object mesh = table->create_mesh(table->user, &(lrd_gpu_mesh_desc){ "mesh", 100, false }, NULL);
	lrd_gpu_staging staging;
	assert_true(table->stage(table->user, 1024, &staging));
	lrd_gpu_caps caps;
	table->get_caps(table->user, &caps);
	const lrd_gpu_texture_copy textures[] = {
		{ 0, 0, staging.offset, 256, 0, 0, 0, 0 },
		{ texture + 1, 0, staging.offset, 256, 0, 0, 0, 0 },
		{ texture, 2, staging.offset, 16, 0, 0, 0, 0 },
		{ texture, 0, staging.offset, 255, 0, 0, 0, 0 },
		{ texture, 0, staging.offset + 2, 256, 0, 0, 0, 0 },
		{ texture, 0, caps.staging_size - 128, 256, 0, 0, 0, 0 },
		{ texture, 0, UINT64_MAX - 3, 256, 0, 0, 0, 0 },
		{ texture, 0, staging.offset, 128, 0, 1, 4, 4 }, // the second half comes first
		{ texture, 0, staging.offset, 128, 0, 1, 0, 5 },
		{ texture, 0, staging.offset, 256, 0, 1, 0, 9 },
		{ texture, 0, staging.offset, 128, 1, 1, 0, 4 },
		{ texture, 0, staging.offset, 0, 0, 1, 0, 0 },
		{ texture, 0, staging.offset, 512, 0, 2, 0, 8 },
	};
	const lrd_gpu_mesh_copy meshes[] = {
		{ 0, 0, staging.offset, 16 },
		{ mesh, 90, staging.offset, 16 },
		{ mesh, UINT64_MAX, staging.offset, 16 },
		{ mesh, 0, staging.offset, 0 },
		{ mesh, 0, caps.staging_size, 16 },
	};
	uint64_t count = 0;
	for (size_t i = 0; i < sizeof textures / sizeof *textures; ++i)
	{
		table->copy_texture(table->user, &textures[i]);
		assert_int_equal(refused(&rig), ++count);
	}
	for (size_t i = 0; i < sizeof meshes / sizeof *meshes; ++i)
	{
		table->copy_mesh(table->user, &meshes[i]);
		assert_int_equal(refused(&rig), ++count);
	}
	table->bind_texture(table->user, caps.texture_slots, 0);
	table->destroy_texture(table->user, texture);
	table->destroy_texture(table->user, texture);
	table->destroy_mesh(table->user, mesh);
	table->destroy_mesh(table->user, mesh);
	assert_int_equal(refused(&rig), count + 3);
	vulkan_rig_flush(&rig);
	vulkan_rig_stop(&rig);
}

static void textures_that_the_device_has_not_are_refused_with_the_reason(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	const lrd_gpu *table = &rig.table;
	lrd_gpu_caps caps;
	table->get_caps(table->user, &caps);
	lrd_error error;
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, caps.max_texture_size * 2, 4, 1);
	assert_int_equal(table->create_texture(table->user, &desc, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	desc = plain(LRD_TEXTURE_RGBA8_UNORM, 4, 4, 4);
	assert_int_equal(table->create_texture(table->user, &desc, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	desc = plain(LRD_TEXTURE_RGBA8_UNORM, 0, 4, 1);
	assert_int_equal(table->create_texture(table->user, &desc, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	const uint32_t lacked[] = { LRD_TEXTURE_UNDEFINED, 23, 124, 126, 147, 1000054000, 12345678, UINT32_MAX };
	for (size_t i = 0; i < sizeof lacked / sizeof *lacked; ++i)
	{
		assert_false(table->has_format(table->user, lacked[i]));
		desc = plain(lacked[i], 4, 4, 1);
		assert_int_equal(table->create_texture(table->user, &desc, &error), 0);
		assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	}
	vulkan_rig_stop(&rig);
}

static void large_and_small_textures_share_memory_as_they_should(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, &(vulkan_rig_desc){ .gpu = { .block_size = 4 << 20 } });
	lrd_gpu_vulkan_stats before;
	lrd_gpu_vulkan_get_stats(rig.gpu, &before);
	lrd_gpu_texture_desc small = plain(LRD_TEXTURE_RGBA8_UNORM, 64, 64, 1);
	lrd_gpu_texture_desc large = plain(LRD_TEXTURE_RGBA8_UNORM, 1024, 1024, 1); // 4 MiB: a block of its own
	lrd_gpu_object many[32];
	for (uint32_t i = 0; i < 32; ++i)
	{
		many[i] = make_filled(&rig, &small, i);
	}
	lrd_gpu_object alone = make_filled(&rig, &large, 99);
	vulkan_rig_flush(&rig);
	lrd_gpu_vulkan_stats stats;
	lrd_gpu_vulkan_get_stats(rig.gpu, &stats);
	assert_int_equal(stats.textures, 33);
	assert_int_equal(stats.allocations, before.allocations + 2);
	assert_true(stats.used_bytes >= 32 * 64 * 64 * 4 + 1024 * 1024 * 4 && stats.used_bytes <= stats.allocated_bytes);
	for (uint32_t i = 0; i < 32; ++i)
	{
		check_all(&rig, many[i], &small, i);
		rig.table.destroy_texture(rig.table.user, many[i]);
	}
	check_all(&rig, alone, &large, 99);
	rig.table.destroy_texture(rig.table.user, alone);
	lrd_gpu_vulkan_get_stats(rig.gpu, &stats);
	assert_int_equal(stats.used_bytes, 0);
	assert_int_equal(stats.allocations, before.allocations + 1); // one empty block is kept
	vulkan_rig_stop(&rig);
}

static void the_budget_is_the_systems_and_what_larder_has_free_is_not_in_use(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	lrd_gpu_caps empty;
	rig.table.get_caps(rig.table.user, &empty);
	assert_true(empty.max_texture_size >= 4096 && empty.max_cube_size >= 4096 && empty.max_depth >= 256);
	assert_true(empty.max_layers >= 256 && empty.texture_slots > 0);
	assert_true((empty.memory_budget != 0) == rig.context.memory_budget);
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 512, 512, 1);
	lrd_gpu_object texture = make_filled(&rig, &desc, 0);
	vulkan_rig_flush(&rig);
	lrd_gpu_caps caps;
	rig.table.get_caps(rig.table.user, &caps);
	if (!rig.context.memory_budget) // with it the figure is of the whole process, and moves by itself
	{
		assert_true(caps.memory_used >= empty.memory_used + 512 * 512 * 4);
		assert_true(caps.memory_used < empty.memory_used + 2 * 512 * 512 * 4);
	}
	rig.table.destroy_texture(rig.table.user, texture);
	vulkan_rig_stop(&rig);
}

static void a_steady_frame_allocates_nothing(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	vulkan_rig rig;
	vulkan_rig_start(&rig, &(vulkan_rig_desc){ .allocator = failing_allocator_get(&memory) });
	lrd_gpu_texture_desc desc = plain(LRD_TEXTURE_RGBA8_UNORM, 64, 64, 7);
	lrd_gpu_object shown = 0;
	long long calls = 0;
	for (uint32_t frame = 0; frame < 60; ++frame)
	{
		calls = frame == 20 ? atomic_load(&memory.calls) : calls;
		lrd_gpu_object next = make_filled(&rig, &desc, frame);
		vulkan_rig_flush(&rig);
		rig.table.bind_texture(rig.table.user, 3, next);
		lrd_gpu_vulkan_table(rig.gpu, frame);
		if (shown != 0)
		{
			rig.table.destroy_texture(rig.table.user, shown);
		}
		shown = next;
	}
	assert_int_equal(atomic_load(&memory.calls), calls);
	vulkan_rig_stop(&rig);
	assert_int_equal(atomic_load(&memory.bytes_out), 0);
}

static void what_the_validation_layer_says_is_counted(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 16 }; // of no use
	VkBuffer buffer = VK_NULL_HANDLE;
	RIG(&rig, CreateBuffer)(rig.context.device, &info, NULL, &buffer);
	RIG(&rig, DestroyBuffer)(rig.context.device, buffer, NULL);
	uint32_t messages = lrd_vulkan_device_messages(rig.device);
	lrd_gpu_vulkan_destroy(rig.gpu);
	bool validated = vulkan_rig_is_validated();
	lrd_vulkan_device_destroy(rig.device);
	if (!validated)
	{
		skip();
	}
	assert_int_equal(messages, 1);
	assert_true(rig.logged >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_of_every_format_are_read_back_as_they_were_copied),
		cmocka_unit_test(cubes_arrays_and_volumes_are_read_back_as_they_were_copied),
		cmocka_unit_test(levels_may_come_in_several_submits),
		cmocka_unit_test(a_level_that_is_copied_again_has_the_new_bytes),
		cmocka_unit_test(values_of_submits_rise_and_are_reached_in_turn),
		cmocka_unit_test(a_submit_without_copies_is_reached_too),
		cmocka_unit_test(staging_is_refused_when_it_is_full_and_free_again_when_copies_are_done),
		cmocka_unit_test(all_of_the_staging_memory_can_be_had_at_once),
		cmocka_unit_test(slots_sample_what_is_bound_and_their_revision_moves),
		cmocka_unit_test(a_texture_is_not_bound_before_all_its_levels_are_there),
		cmocka_unit_test(calls_that_make_no_sense_are_refused),
		cmocka_unit_test(textures_that_the_device_has_not_are_refused_with_the_reason),
		cmocka_unit_test(large_and_small_textures_share_memory_as_they_should),
		cmocka_unit_test(the_budget_is_the_systems_and_what_larder_has_free_is_not_in_use),
		cmocka_unit_test(a_steady_frame_allocates_nothing),
		cmocka_unit_test(what_the_validation_layer_says_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
