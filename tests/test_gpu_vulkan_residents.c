// tests/test_gpu_vulkan_residents.c: a store's textures and meshes on a Vulkan device, beside the same on the null device: both have the
// same bytes, and the Vulkan device was asked for nothing that makes no sense.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"
#include "fixtures/vulkan_hooks.h"
#include "fixtures/vulkan_rig.h"

#define FRAMES_MAX 100000u

typedef struct pair
{
	gpu_kit kit; // on the null device
	vulkan_rig rig;
	lrd_residents *residents; // of the same store, on Vulkan
	uint64_t frame;
} pair;

/// Queues of the device.
typedef enum queues
{
	ONE_FAMILY,
	TWO_FAMILIES,
	TWO_FAMILIES_AND_WHOLE_LEVELS,
	QUEUES
} queues;

static void open_pair_with(pair *p, queues families, uint64_t staging)
{
	PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
	hooks.two_families = families != ONE_FAMILY;
	hooks.whole_levels = families == TWO_FAMILIES_AND_WHOLE_LEVELS;
	vulkan_rig_start(
		&p->rig, &(vulkan_rig_desc){
					 .gpu = { .staging_size = staging, .block_size = 1 << 20, .texture_slots = 64 }, .get = get });
	gpu_kit_open(&p->kit, NULL);
	lrd_residents_desc desc = gpu_kit_desc(&p->kit);
	lrd_error error = { 0 };
	p->residents = lrd_residents_create(p->kit.store.store, &p->rig.table, &desc, &error);
	if (p->residents == NULL)
	{
		fail_msg("%s", error.message);
	}
	p->frame = 0;
}

static void open_pair(pair *p, bool two_families)
{
	open_pair_with(p, two_families ? TWO_FAMILIES : ONE_FAMILY, 1 << 20);
}

static void frame(pair *p)
{
	gpu_kit_frame(&p->kit);
	++p->frame;
	lrd_residents_update(p->residents, p->frame, p->frame > 2 ? p->frame - 2 : 0);
	kit_run(&p->kit.store.jobs);
}

static uint64_t refused(const pair *p)
{
	lrd_gpu_vulkan_stats stats;
	lrd_gpu_vulkan_get_stats(p->rig.gpu, &stats);
	return stats.refused;
}

static void close_pair(pair *p, uint32_t references)
{
	kit_run(&p->kit.store.jobs);
	assert_int_equal(refused(p), 0);
	assert_int_equal(lrd_residents_destroy(p->residents), references);
	p->rig.table.completed(p->rig.table.user);
	lrd_gpu_vulkan_stats stats;
	lrd_gpu_vulkan_get_stats(p->rig.gpu, &stats);
	assert_int_equal(stats.lost ? 0 : stats.textures + stats.meshes, 0); // what flew when it was lost goes with it
	gpu_kit_close(&p->kit, references);
	vulkan_rig_stop(&p->rig);
	assert_int_equal(hooks.alive, 0);
}

static uint32_t retain(pair *p, const char *stem, lrd_texture_role role)
{
	uint32_t slot = gpu_kit_retain_texture(&p->kit, stem, role);
	lrd_asset asset = kit_find(&p->kit.store, LRD_TEXTURE, stem);
	assert_int_equal(lrd_residents_retain_texture(p->residents, asset, role, NULL), slot);
	return slot;
}

/// Frames pass until the slot has its own image on both devices.
static lrd_gpu_object wait_for_texture(pair *p, uint32_t slot)
{
	lrd_resident_texture texture = { 0 };
	for (uint32_t i = 0; i < FRAMES_MAX && (texture.object == 0 || gpu_kit_texture(&p->kit, slot).object == 0); ++i)
	{
		frame(p);
		assert_true(lrd_residents_get_texture(p->residents, slot, &texture));
	}
	assert_false(texture.failed);
	return texture.object;
}

static void compare_texture(pair *p, uint32_t slot)
{
	lrd_gpu_object object = wait_for_texture(p, slot);
	lrd_gpu_object other = lrd_gpu_null_bound(p->kit.device, slot);
	VkImageView bound;
	VkImageView view;
	assert_int_not_equal(lrd_gpu_vulkan_slot(p->rig.gpu, slot, &bound, NULL), 0);
	assert_true(lrd_gpu_vulkan_image(p->rig.gpu, object, NULL, &view) && view == bound);
	uint64_t size = 0;
	lrd_gpu_texture_desc desc;
	uint32_t level = 0;
	for (const void *bytes; (bytes = lrd_gpu_null_texture(p->kit.device, other, level, &size, &desc)) != NULL; ++level)
	{
		uint8_t *read = vulkan_rig_read_texture(&p->rig, object, &desc, level, (size_t)size);
		assert_memory_equal(read, bytes, (size_t)size);
		free(read);
	}
	assert_int_equal(level, desc.level_count);
}

static void textures_of_a_store(queues families, uint64_t staging)
{
	pair p;
	open_pair_with(&p, families, staging);
	static const char *const stems[] = { "stone", "moss", "sky", "array", "volume" };
	uint32_t slots[5];
	for (uint32_t i = 0; i < 5; ++i)
	{
		slots[i] = retain(&p, stems[i], LRD_ROLE_COLOR);
	}
	for (uint32_t i = 0; i < 5; ++i)
	{
		if (p.rig.table.has_format(p.rig.table.user, LRD_TEXTURE_BC7_SRGB) || i > 2)
		{
			compare_texture(&p, slots[i]);
		}
	}
	close_pair(&p, 5);
}

static void textures_of_a_store_have_the_same_bytes_as_on_the_null_device(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	textures_of_a_store(ONE_FAMILY, 1 << 20);
}

static void and_over_a_transfer_queue(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	textures_of_a_store(TWO_FAMILIES, 1 << 20);
}

static void and_in_bands_through_little_staging_memory(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	for (queues families = ONE_FAMILY; families < QUEUES; ++families)
	{
		textures_of_a_store(families, 2048);
		textures_of_a_store(families, 1 << 14);
	}
}

static uint32_t word_at(uint64_t i, uint32_t level)
{
	return (uint32_t)i * 2654435761u + level;
}

/// 8192 by 8192 texels of RGBA8, all levels: 340 MiB.
static void put_huge(pair *p)
{
	lrd_texture_view view = sample_texture((texture_shape){ LRD_TEXTURE_RGBA8_UNORM, 8192, 8192, 0, 0, 1, 14 });
	for (uint32_t level = 0; level < view.level_count; ++level)
	{
		uint32_t *words = (uint32_t *)(uintptr_t)view.levels[level].data;
		for (uint64_t i = 0; i < view.levels[level].size / 4; ++i)
		{
			words[i] = word_at(i, level);
		}
	}
	lrd_buffer file = { 0 };
	lrd_asset asset = kit_find(&p->kit.store, LRD_TEXTURE, "huge");
	assert_true(lrd_texture_write(&view, &file, NULL));
	sample_texture_free(&view);
	assert_true(lrd_asset_put(p->kit.store.store, asset, (lrd_bytes){ file.data, file.size }, NULL));
	lrd_buffer_free(&file);
}

static void a_texture_of_8192_texels_a_side_arrives_through_the_usual_staging_memory(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	pair p;
	open_pair_with(&p, ONE_FAMILY, 0);
	lrd_gpu_caps caps;
	p.rig.table.get_caps(p.rig.table.user, &caps);
	put_huge(&p);
	lrd_asset asset = kit_find(&p.kit.store, LRD_TEXTURE, "huge");
	uint32_t slot = lrd_residents_retain_texture(p.residents, asset, LRD_ROLE_COLOR, NULL);
	lrd_resident_texture texture = { 0 };
	for (uint32_t i = 0; i < FRAMES_MAX && texture.object == 0; ++i)
	{
		frame(&p);
		assert_true(lrd_residents_get_texture(p.residents, slot, &texture));
	}
	assert_int_equal(texture.first_level, caps.max_texture_size >= 8192 ? 0 : 1);
	const lrd_gpu_texture_desc desc = { "huge", LRD_TEXTURE_RGBA8_UNORM, 8192 >> texture.first_level,
		8192 >> texture.first_level, 1, 1, 1, 14 - texture.first_level, false, { 0, 0, 0 } };
	for (uint32_t level = 0; level < desc.level_count; ++level)
	{
		size_t size = vulkan_rig_level_size(&desc, level);
		uint8_t *read = vulkan_rig_read_texture(&p.rig, texture.object, &desc, level, size);
		uint64_t wrong = 0;
		for (uint64_t i = 0; i < size / 4; ++i)
		{
			wrong += ((const uint32_t *)(const void *)read)[i] != word_at(i, level + texture.first_level);
		}
		assert_int_equal(wrong, 0);
		free(read);
	}
	lrd_residents_release_texture(p.residents, slot);
	for (uint32_t i = 0; i < 10; ++i)
	{
		frame(&p);
	}
	close_pair(&p, 0);
}

/// What befalls a texture of which bands are on their way.
typedef enum mishap
{
	RELEASED,
	UNMOUNTED,
	REPLACED,
	LOST,
	OUT_OF_MEMORY,
	MISHAPS
} mishap;

static void meet(pair *p, mishap what, uint32_t slot)
{
	switch (what)
	{
	case RELEASED:
		lrd_residents_release_texture(p->residents, slot);
		lrd_residents_release_texture(p->kit.residents, slot);
		break;
	case UNMOUNTED: assert_true(lrd_store_unmount(p->kit.store.store, p->kit.mount)); break;
	case REPLACED: gpu_kit_put(&p->kit, LRD_TEXTURE, "array", "volume.ktx2"); break;
	case LOST: vulkan_hooks_fail(NULL, 0, UINT32_MAX, VK_ERROR_DEVICE_LOST); break;
	default: vulkan_hooks_fail(NULL, 0, 3, VK_ERROR_OUT_OF_DEVICE_MEMORY); break;
	}
}

static void a_texture_in_bands_survives_whatever_happens_at_any_point(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	for (uint32_t i = 0; i < (uint32_t)MISHAPS * QUEUES * 10; ++i)
	{
		mishap what = (mishap)(i % MISHAPS);
		pair p;
		open_pair_with(&p, (queues)(i / MISHAPS % QUEUES), 1024);
		uint32_t slot = retain(&p, "array", LRD_ROLE_COLOR); // 1020 bytes, 192, ...
		for (uint32_t at = 0; at < i / (MISHAPS * (uint32_t)QUEUES); ++at)
		{
			frame(&p);
		}
		meet(&p, what, slot);
		lrd_residents_stats stats = { 0 };
		for (uint32_t rest = 0; rest < 30 || (rest < FRAMES_MAX && stats.queued_bytes + stats.flying_bytes != 0);
			 ++rest)
		{
			frame(&p);
			lrd_residents_get_stats(p.residents, &stats);
		}
		assert_int_equal(stats.lost, what == LOST);
		vulkan_hooks_fail(NULL, 0, 0, VK_SUCCESS);
		if (what == REPLACED || what == OUT_OF_MEMORY)
		{
			compare_texture(&p, slot);
		}
		close_pair(&p, what != RELEASED);
	}
}

static void meshes_of_a_store_have_the_same_bytes_as_on_the_null_device(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	pair p;
	open_pair(&p, false);
	static const char *const stems[] = { "grid", "full", "read" };
	for (uint32_t i = 0; i < 3; ++i)
	{
		lrd_mesh_handle handle = gpu_kit_retain_mesh(&p.kit, stems[i]);
		lrd_asset asset = kit_find(&p.kit.store, LRD_MESH, stems[i]);
		lrd_mesh_handle own = lrd_residents_retain_mesh(p.residents, asset, NULL);
		const lrd_resident_mesh *mesh = NULL;
		lrd_gpu_object other = 0;
		for (uint32_t j = 0; j < FRAMES_MAX && (mesh == NULL || mesh->object == 0 || other == 0); ++j)
		{
			frame(&p);
			mesh = lrd_residents_get_mesh(p.residents, own);
			assert_non_null(mesh);
			other = lrd_residents_get_mesh(p.kit.residents, handle)->object;
		}
		uint64_t size = 0;
		const void *bytes = lrd_gpu_null_mesh(p.kit.device, other, &size);
		assert_non_null(bytes);
		uint8_t *read = vulkan_rig_read_mesh(&p.rig, mesh->object, 0, (size_t)size);
		assert_memory_equal(read, bytes, (size_t)size);
		free(read);
	}
	close_pair(&p, 3);
}

static void textures_that_come_and_go_leave_nothing_on_the_device(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	pair p;
	open_pair(&p, false);
	static const char *const stems[] = { "stone", "moss", "sky", "array", "volume" };
	uint32_t random = 5;
	uint32_t slots[5];
	bool held[5] = { false };
	for (uint32_t i = 0; i < 600; ++i)
	{
		random = random * 1664525u + 1013904223u;
		uint32_t which = (random >> 8) % 5;
		if (held[which])
		{
			lrd_residents_release_texture(p.residents, slots[which]);
			lrd_residents_release_texture(p.kit.residents, slots[which]);
		}
		else
		{
			slots[which] = retain(&p, stems[which], LRD_ROLE_COLOR);
		}
		held[which] = !held[which];
		frame(&p);
	}
	uint32_t left = 0;
	for (uint32_t i = 0; i < 5; ++i)
	{
		left += held[i];
	}
	close_pair(&p, left);
}

static void a_lost_device_stops_the_residents(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	pair p;
	open_pair(&p, false);
	retain(&p, "stone", LRD_ROLE_COLOR);
	vulkan_hooks_fail("QueueSubmit", 0, UINT32_MAX, VK_ERROR_DEVICE_LOST);
	lrd_residents_stats stats = { 0 };
	for (uint32_t i = 0; i < FRAMES_MAX && !stats.lost; ++i)
	{
		frame(&p);
		lrd_residents_get_stats(p.residents, &stats);
	}
	assert_true(stats.lost);
	frame(&p);
	vulkan_hooks_fail(NULL, 0, 0, VK_SUCCESS);
	close_pair(&p, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(textures_of_a_store_have_the_same_bytes_as_on_the_null_device),
		cmocka_unit_test(and_over_a_transfer_queue),
		cmocka_unit_test(and_in_bands_through_little_staging_memory),
		cmocka_unit_test(a_texture_of_8192_texels_a_side_arrives_through_the_usual_staging_memory),
		cmocka_unit_test(a_texture_in_bands_survives_whatever_happens_at_any_point),
		cmocka_unit_test(meshes_of_a_store_have_the_same_bytes_as_on_the_null_device),
		cmocka_unit_test(textures_that_come_and_go_leave_nothing_on_the_device),
		cmocka_unit_test(a_lost_device_stops_the_residents),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
