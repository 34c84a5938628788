// tests/test_gpu_vulkan_soak.c: textures and meshes made, copied, bound, replaced and destroyed at random, with frames in flight and
// staging memory that is short: what is bound always has the bytes that it was given, and at the end nothing is left.

#include "failing_allocator.h"
#include "fixtures/vulkan_hooks.h"
#include "fixtures/vulkan_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 60
#define SLOTS 40
#define STEPS 12000

/// A texture or a mesh, on its way or there.
typedef struct item
{
	lrd_gpu_object object;
	bool is_mesh;
	lrd_gpu_texture_desc desc;
	uint64_t size; // of a mesh
	uint32_t seed;
	uint32_t filled; // levels, from the smallest; of a mesh 1: it is
	uint64_t value;  // that its last copy is done with
} item;

typedef struct soak
{
	vulkan_rig rig;
	item items[ITEMS];
	lrd_gpu_object slots[SLOTS];
	uint64_t submitted;
	uint32_t random;
	uint32_t checks;
} soak;

static uint32_t pick(soak *s, uint32_t count)
{
	s->random = s->random * 1664525u + 1013904223u;
	return (s->random >> 8) % count;
}

static void make(soak *s, item *it)
{
	static const uint32_t formats[] = { LRD_TEXTURE_RGBA8_SRGB, LRD_TEXTURE_BC7_UNORM, LRD_TEXTURE_R8_UNORM,
		LRD_TEXTURE_RGBA16_SFLOAT, LRD_TEXTURE_BC4_UNORM };
	*it = (item){ .is_mesh = pick(s, 3) == 0, .seed = pick(s, 100000) };
	lrd_error error;
	if (it->is_mesh)
	{
		it->size = 1 + pick(s, 1u << (8 + pick(s, 11)));
		it->object = s->rig.table.create_mesh(
			s->rig.table.user, &(lrd_gpu_mesh_desc){ "soak", it->size, pick(s, 2) == 0 }, &error);
	}
	else
	{
		uint32_t format = formats[pick(s, sizeof formats / sizeof *formats)];
		format = s->rig.table.has_format(s->rig.table.user, format) ? format : LRD_TEXTURE_RGBA8_UNORM;
		uint32_t faces = pick(s, 6) == 0 ? 6 : 1;
		uint32_t width = 1 + pick(s, 1u << (2 + pick(s, 7)));
		uint32_t height = faces == 6 ? width : 1 + pick(s, 200);
		uint32_t levels = 1;
		while (width >> levels != 0 && pick(s, 4) != 0)
		{
			++levels;
		}
		it->desc = (lrd_gpu_texture_desc){ "soak", format, width, height, 1, 1 + pick(s, 2), faces, levels, false,
			{ (uint8_t)pick(s, 3), (uint8_t)pick(s, 3), (uint8_t)pick(s, 2) } };
		it->object = s->rig.table.create_texture(s->rig.table.user, &it->desc, &error);
	}
	if (it->object == 0)
	{
		fail_msg("%s", error.message);
	}
}

/// Copy some of it, as far as there is staging memory.
static void fill(soak *s, item *it)
{
	const lrd_gpu *table = &s->rig.table;
	if (it->is_mesh)
	{
		lrd_gpu_staging staging;
		if (it->filled == 0 && table->stage(table->user, it->size, &staging))
		{
			vulkan_rig_pattern(staging.data, it->size, it->seed);
			table->copy_mesh(table->user, &(lrd_gpu_mesh_copy){ it->object, 0, staging.offset, it->size });
			it->filled = 1;
			it->value = s->submitted + 1;
		}
		return;
	}
	for (uint32_t tries = 1 + pick(s, 4); tries > 0 && it->filled < it->desc.level_count; --tries)
	{
		uint32_t level = it->desc.level_count - 1 - it->filled;
		if (!vulkan_rig_fill(&s->rig, it->object, &it->desc, level, it->seed + level))
		{
			return;
		}
		++it->filled;
		it->value = s->submitted + 1;
	}
}

static bool is_done(soak *s, const item *it)
{
	uint32_t all = it->is_mesh ? 1 : it->desc.level_count;
	return it->object != 0 && it->filled == all && it->value <= s->rig.table.completed(s->rig.table.user);
}

static void check(soak *s, const item *it)
{
	++s->checks;
	if (!it->is_mesh)
	{
		uint32_t level = pick(s, it->desc.level_count);
		vulkan_rig_check(&s->rig, it->object, &it->desc, level, it->seed + level);
		return;
	}
	uint8_t *expected = malloc(it->size);
	assert_non_null(expected);
	vulkan_rig_pattern(expected, it->size, it->seed);
	uint8_t *read = vulkan_rig_read_mesh(&s->rig, it->object, 0, it->size);
	assert_memory_equal(read, expected, it->size);
	free(read);
	free(expected);
}

static void destroy(soak *s, item *it)
{
	const lrd_gpu *table = &s->rig.table;
	for (uint32_t i = 0; i < SLOTS && !it->is_mesh; ++i)
	{
		if (s->slots[i] == it->object)
		{
			table->bind_texture(table->user, i, 0);
			s->slots[i] = 0;
		}
	}
	(it->is_mesh ? table->destroy_mesh : table->destroy_texture)(table->user, it->object);
	it->object = 0;
}

static void step(soak *s)
{
	const lrd_gpu *table = &s->rig.table;
	item *it = &s->items[pick(s, ITEMS)];
	if (it->object == 0)
	{
		make(s, it);
	}
	switch (pick(s, 8))
	{
	case 0: destroy(s, it); return; // in whatever state it is
	case 1: s->submitted = table->submit(table->user); return;
	case 2:
	case 3:
	case 4: fill(s, it); return;
	default: break;
	}
	if (!is_done(s, it))
	{
		return;
	}
	if (!it->is_mesh)
	{
		uint32_t slot = pick(s, SLOTS);
		table->bind_texture(table->user, slot, it->object);
		s->slots[slot] = it->object;
		VkImageView view;
		VkImageView bound;
		assert_true(lrd_gpu_vulkan_image(s->rig.gpu, it->object, NULL, &view));
		assert_int_not_equal(lrd_gpu_vulkan_slot(s->rig.gpu, slot, &bound, NULL), 0);
		assert_true(view == bound);
	}
	if (pick(s, 4) == 0)
	{
		check(s, it);
	}
}

static void run(bool two_families)
{
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	soak s = { .random = 7 };
	PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
	hooks.two_families = two_families;
	vulkan_rig_desc desc = {
		.gpu = { .staging_size = 300000, .block_size = 1 << 20, .texture_slots = 1024 },
		.allocator = failing_allocator_get(&memory),
		.get = get,
	};
	vulkan_rig_start(&s.rig, &desc);
	for (uint32_t i = 0; i < STEPS; ++i)
	{
		step(&s);
	}
	assert_true(s.checks > STEPS / 100);
	for (uint32_t i = 0; i < ITEMS; ++i)
	{
		if (s.items[i].object != 0)
		{
			destroy(&s, &s.items[i]);
		}
	}
	vulkan_rig_flush(&s.rig);
	lrd_gpu_vulkan_stats stats;
	lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
	assert_int_equal(stats.textures, 0);
	assert_int_equal(stats.meshes, 0);
	assert_int_equal(stats.used_bytes, 0);
	assert_int_equal(stats.refused, 0);
	assert_true(stats.allocations <= 3); // staging, an empty block of images and one of meshes
	vulkan_rig_stop(&s.rig);
	assert_int_equal(hooks.alive, 0);
	assert_int_equal(atomic_load(&memory.bytes_out), 0);
}

static void whatever_comes_and_goes_has_its_own_bytes_and_leaves_nothing(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	run(false);
}

static void whatever_comes_and_goes_over_a_transfer_queue_does_so_too(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	run(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_comes_and_goes_has_its_own_bytes_and_leaves_nothing),
		cmocka_unit_test(whatever_comes_and_goes_over_a_transfer_queue_does_so_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
