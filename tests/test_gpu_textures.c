// Textures on the GPU: slots, fallbacks, what is uploaded, and what becomes of it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

static void a_texture_is_uploaded_with_every_level(void **state)
{
	(void)state;
	static const char *const stems[] = { "stone", "moss", "sky", "array", "volume" };
	static const char *const keys[] = { "stone.ktx2", "moss.ktx2", "sky.ktx2", "array.ktx2", "volume.ktx2" };
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t slots[5];
	for (uint32_t i = 0; i < 5; i++)
	{
		slots[i] = gpu_kit_retain_texture(&kit, stems[i], LRD_ROLE_COLOR);
	}
	gpu_kit_frames(&kit, 8);
	for (uint32_t i = 0; i < 5; i++)
	{
		gpu_kit_check_texture(&kit, slots[i], keys[i], 0);
		assert_int_equal(gpu_kit_texture(&kit, slots[i]).first_level, 0);
		assert_false(gpu_kit_texture(&kit, slots[i]).failed);
	}
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 5);
}

static void a_texture_asked_for_twice_has_one_slot_until_both_release_it(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	assert_int_equal(gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR), slot);
	gpu_kit_frames(&kit, 8);
	lrd_residents_release_texture(kit.residents, slot);
	gpu_kit_frames(&kit, 8);
	gpu_kit_check_texture(&kit, slot, "stone.ktx2", 0);
	lrd_residents_release_texture(kit.residents, slot);
	gpu_kit_frames(&kit, 8);
	lrd_resident_texture texture;
	assert_false(lrd_residents_get_texture(kit.residents, slot, &texture));
	assert_int_equal(lrd_gpu_null_bound(kit.device, slot), 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_texture_is_uploaded_with_every_level),
		cmocka_unit_test(a_texture_asked_for_twice_has_one_slot_until_both_release_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
