// tests/test_gpu_vulkan.c: textures and meshes on a Vulkan device: what was copied lies there, byte for byte, and the validation layer
// has nothing to say. Skipped where there is no driver; a driver in software is enough.

#include "fixtures/vulkan_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEEDS_VULKAN()                                                                                                 \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!vulkan_is_here())                                                                                         \
		{                                                                                                              \
			skip();                                                                                                    \
		}                                                                                                              \
	} while (0)

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_of_every_format_are_read_back_as_they_were_copied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
