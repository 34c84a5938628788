// Textures on the GPU: slots, fallbacks, what is uploaded, and what becomes of it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

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

// --- Fallbacks ---

static void a_slot_samples_its_roles_fallback_until_the_image_is_there(void **state)
{
	(void)state;
	static const uint8_t texels[LRD_ROLE_COUNT][4] = { { 255, 255, 255, 255 }, { 255, 255, 255, 255 },
		{ 128, 128, 255, 255 }, { 0, 0, 0, 255 }, { 128, 128, 128, 255 }, { 0, 0, 0, 255 } };
	static const char *const stems[LRD_ROLE_COUNT] = { "stone", "moss", "array", "albedo", "rough", "sky" };
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t slots[LRD_ROLE_COUNT];
	for (uint32_t role = 0; role < LRD_ROLE_COUNT; role++)
	{
		slots[role] = gpu_kit_retain_texture(&kit, stems[role], (lrd_texture_role)role);
		assert_false(gpu_kit_texture(&kit, slots[role]).bound);
	}
	kit.jobs_stand = true; // nothing is loaded
	gpu_kit_frames(&kit, 3);
	for (uint32_t role = 0; role < LRD_ROLE_COUNT; role++)
	{
		uint64_t size = 0;
		lrd_gpu_texture_desc desc;
		lrd_gpu_object bound = lrd_gpu_null_bound(kit.device, slots[role]);
		const void *bytes = lrd_gpu_null_texture(kit.device, bound, 0, &size, &desc);
		assert_non_null(bytes);
		assert_memory_equal(bytes, texels[role], 4);
		assert_int_equal(desc.face_count, role == LRD_ROLE_CUBE ? 6 : 1);
		assert_true(gpu_kit_texture(&kit, slots[role]).bound);
		assert_int_equal(gpu_kit_texture(&kit, slots[role]).object, 0);
	}
	kit.jobs_stand = false;
	gpu_kit_frames(&kit, 8);
	for (uint32_t role = 0; role < LRD_ROLE_COUNT; role++)
	{
		assert_int_equal(gpu_kit_texture(&kit, slots[role]).object, lrd_gpu_null_bound(kit.device, slots[role]));
	}
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, LRD_ROLE_COUNT);
}

static void a_texture_that_can_not_be_had_keeps_its_fallback_and_says_so(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t missing = gpu_kit_retain_texture(&kit, "nowhere", LRD_ROLE_NORMAL);
	uint32_t damaged = gpu_kit_retain_texture(&kit, "bad", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	assert_true(gpu_kit_texture(&kit, missing).failed);
	assert_true(gpu_kit_texture(&kit, damaged).failed);
	assert_true(gpu_kit_texture(&kit, damaged).bound);
	assert_int_equal(gpu_kit_texture(&kit, damaged).object, 0);
	assert_true(kit.logged[0] != '\0');
	gpu_kit_close(&kit, 2);
}

static void a_texture_that_failed_is_shown_when_its_file_is_mended(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t slot = gpu_kit_retain_texture(&kit, "bad", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	assert_true(gpu_kit_texture(&kit, slot).failed);
	gpu_kit_put(&kit, LRD_TEXTURE, "bad", "stone.ktx2");
	gpu_kit_frames(&kit, 8);
	assert_false(gpu_kit_texture(&kit, slot).failed);
	gpu_kit_check_texture(&kit, slot, "stone.ktx2", 0);
	gpu_kit_close(&kit, 1);
}

// --- Payloads ---

static void the_payload_is_let_go_of_after_the_upload(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 3);
	assert_true(kit_resident(&kit.store) != 0);
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit_resident(&kit.store), 0);
	gpu_kit_close(&kit, 1);
}

static void a_reload_replaces_the_image_and_keeps_the_slot(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	uint32_t revision = gpu_kit_texture(&kit, slot).revision;
	gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2");
	for (uint32_t i = 0; i < 10; i++)
	{
		gpu_kit_frame(&kit);
		gpu_kit_check(&kit);
		assert_int_not_equal(gpu_kit_texture(&kit, slot).object, 0); // the old one stays until the new one is there
	}
	gpu_kit_check_texture(&kit, slot, "moss.ktx2", 0);
	assert_int_not_equal(gpu_kit_texture(&kit, slot).revision, revision);
	assert_int_equal(gpu_kit_device(&kit).textures, LRD_ROLE_COUNT + 1); // the old one is gone
	assert_int_equal(kit_resident(&kit.store), 0);
	gpu_kit_close(&kit, 1);
}

static void a_reload_reaches_a_texture_that_others_hold_too(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_hold hold = { 0 };
	assert_true(lrd_hold_take(&hold, kit.store.store, kit_find(&kit.store, LRD_TEXTURE, "stone")));
	uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2");
	gpu_kit_frames(&kit, 10);
	gpu_kit_check_texture(&kit, slot, "moss.ktx2", 0);
	assert_int_equal(kit_stats(&kit.store).elders, 1); // the test's hold has not renewed; the residents have
	lrd_hold_renew(&hold);
	assert_int_equal(kit_stats(&kit.store).elders, 0);
	lrd_hold_end(&hold);
	gpu_kit_close(&kit, 1);
}

static void content_that_changes_while_it_is_uploaded_is_uploaded_again(void **state)
{
	(void)state;
	for (uint32_t when = 1; when < 8; when++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 2 });
		uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
		gpu_kit_frames(&kit, when);
		gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2");
		gpu_kit_frames(&kit, 16);
		gpu_kit_check_texture(&kit, slot, "moss.ktx2", 0);
		gpu_kit_check(&kit);
		gpu_kit_close(&kit, 1);
	}
}

static void a_reload_that_fails_leaves_the_old_image(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	static const char junk[32] = "no texture";
	lrd_asset stone = kit_find(&kit.store, LRD_TEXTURE, "stone");
	assert_true(lrd_asset_put(kit.store.store, stone, (lrd_bytes){ junk, sizeof junk }, NULL));
	gpu_kit_frames(&kit, 10);
	gpu_kit_check_texture(&kit, slot, "stone.ktx2", 0);
	assert_false(gpu_kit_texture(&kit, slot).failed);
	assert_true(kit.logged[0] != '\0');
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void unloading_or_unmounting_at_any_point_leaves_the_accounting_right(void **state)
{
	(void)state;
	for (uint32_t when = 0; when < 9; when++)
	{
		for (uint32_t unmount = 0; unmount < 2; unmount++)
		{
			gpu_kit kit;
			gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 1 });
			uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
			gpu_kit_frames(&kit, when);
			if (unmount != 0)
			{
				assert_true(lrd_store_unmount(kit.store.store, kit.mount));
			}
			else
			{
				lrd_store_unload_all(kit.store.store);
			}
			for (uint32_t i = 0; i < 10; i++)
			{
				gpu_kit_frame(&kit);
				gpu_kit_check(&kit);
			}
			bool there = gpu_kit_texture(&kit, slot).object != 0;
			assert_true(there || (unmount != 0 && gpu_kit_texture(&kit, slot).failed));
			if (there)
			{
				gpu_kit_check_texture(&kit, slot, "stone.ktx2", 0);
			}
			gpu_kit_close(&kit, 1);
		}
	}
}

static void releasing_at_any_point_frees_everything(void **state)
{
	(void)state;
	for (uint32_t when = 0; when < 9; when++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 1 });
		uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
		gpu_kit_frames(&kit, when);
		lrd_residents_release_texture(kit.residents, slot);
		lrd_residents_release_texture(kit.residents, slot); // once too often is harmless
		for (uint32_t i = 0; i < 10; i++)
		{
			gpu_kit_frame(&kit);
			gpu_kit_check(&kit);
		}
		assert_int_equal(gpu_kit_device(&kit).textures, LRD_ROLE_COUNT);
		assert_int_equal(gpu_kit_stats(&kit).textures, 0);
		assert_int_equal(kit_resident(&kit.store), 0);
		gpu_kit_close(&kit, 0);
	}
}

static void a_release_and_a_retain_before_the_next_update_keep_slot_and_image(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	lrd_gpu_object object = gpu_kit_texture(&kit, slot).object;
	lrd_residents_release_texture(kit.residents, slot);
	assert_int_equal(gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR), slot);
	gpu_kit_frames(&kit, 4);
	assert_int_equal(gpu_kit_texture(&kit, slot).object, object);
	gpu_kit_close(&kit, 1);
}

// --- Frames ---

static void an_image_is_destroyed_only_when_the_frames_that_may_use_it_are_through(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	uint64_t frame = kit.frame; // is being recorded, and may use it
	lrd_residents_release_texture(kit.residents, slot);
	for (uint64_t later = frame + 1; later < frame + 6; later++)
	{
		lrd_residents_update(kit.residents, later, frame - 1);
		assert_int_equal(gpu_kit_device(&kit).textures, LRD_ROLE_COUNT + 1);
		assert_int_equal(gpu_kit_stats(&kit).retired, 1);
		gpu_kit_check(&kit);
	}
	lrd_residents_update(kit.residents, frame + 6, frame);
	assert_int_equal(gpu_kit_device(&kit).textures, LRD_ROLE_COUNT);
	assert_int_equal(gpu_kit_stats(&kit).retired, 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 0);
}

static void where_completion_is_not_known_as_many_frames_are_waited_for_as_may_be_in_flight(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, NULL);
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	desc.frames = 2;
	gpu_kit_open_residents(&kit, &desc);
	uint32_t slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	lrd_residents_release_texture(kit.residents, slot); // frame 8 may use it; it is complete when 11 is recorded
	gpu_kit_update(&kit, 0);
	gpu_kit_update(&kit, 0);
	assert_int_equal(gpu_kit_device(&kit).textures, LRD_ROLE_COUNT + 1);
	gpu_kit_update(&kit, 0);
	assert_int_equal(gpu_kit_device(&kit).textures, LRD_ROLE_COUNT);
	gpu_kit_close(&kit, 0);
}

static void what_makes_no_sense_is_refused_when_residents_are_made(void **state)
{
	(void)state;
	gpu_kit kit;
	lrd_error error = { 0 };
	gpu_kit_open_device(&kit, &(lrd_gpu_null_desc){ .staging_size = 100 });
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	assert_null(lrd_residents_create(kit.store.store, &kit.gpu, &desc, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	desc.frames = 9;
	error.code = LRD_OK;
	assert_null(lrd_residents_create(kit.store.store, &kit.gpu, &desc, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	gpu_kit_close_device(&kit);
}

// --- Formats and limits ---

static bool no_blocks(void *user, uint32_t format)
{
	(void)user;
	return format < LRD_TEXTURE_BC1_RGB_UNORM;
}

static void check_decoded(gpu_kit *kit, uint32_t slot, const char *key, uint32_t format)
{
	lrd_texture_view view;
	lrd_bytes file = gpu_kit_bytes(kit, key);
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	lrd_gpu_object bound = lrd_gpu_null_bound(kit->device, slot);
	for (uint32_t level = 0; level < view.level_count; level++)
	{
		uint64_t size = 0;
		lrd_gpu_texture_desc desc;
		const uint8_t *bytes = lrd_gpu_null_texture(kit->device, bound, level, &size, &desc);
		assert_non_null(bytes);
		assert_int_equal(desc.format, format);
		bool bytes_wide = lrd_texture_decodes_to(view.format) == LRD_TEXELS_UNORM8;
		uint64_t image = lrd_texture_decoded_size(&view, level);
		float *expected = malloc((size_t)image);
		for (uint32_t face = 0; face < view.face_count; face++)
		{
			const lrd_texture_decode_desc decode = { .level = level, .face = face };
			assert_true(lrd_texture_decode(&view, &decode, expected, (size_t)image, NULL));
			uint64_t texels = image / (bytes_wide ? 4 : 16);
			for (uint64_t i = 0; i < texels * 4; i++)
			{
				uint64_t at = face * texels * 4 + i;
				if (bytes_wide)
				{
					assert_int_equal(bytes[at], ((const uint8_t *)expected)[i]);
				}
				else if (format == LRD_TEXTURE_RGBA16_SFLOAT)
				{
					uint16_t half;
					memcpy(&half, bytes + at * 2, 2);
					float value = (float)(half & 0x3ff) + ((half & 0x7c00) != 0 ? 1024.0f : 0.0f);
					value = ldexpf(value, ((half & 0x7c00) != 0 ? half >> 10 & 31 : 1) - 25);
					assert_true(fabsf((half & 0x8000) != 0 ? -value : value) == fabsf(expected[i]) ||
								fabsf(fabsf(value) - fabsf(expected[i])) <= fabsf(expected[i]) / 2048.0f);
				}
				else
				{
					assert_true(fabsf((float)bytes[at] / 255.0f - expected[i]) <= 0.5001f / 255.0f);
				}
			}
		}
		free(expected);
	}
}

static void a_format_that_the_device_lacks_is_decoded_with_one_warning(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .has_format = no_blocks });
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	uint32_t moss = gpu_kit_retain_texture(&kit, "moss", LRD_ROLE_COLOR);
	uint32_t sky = gpu_kit_retain_texture(&kit, "sky", LRD_ROLE_CUBE);
	gpu_kit_frames(&kit, 8);
	check_decoded(&kit, stone, "stone.ktx2", LRD_TEXTURE_RGBA8_SRGB);
	check_decoded(&kit, moss, "moss.ktx2", LRD_TEXTURE_RGBA8_UNORM);
	check_decoded(&kit, sky, "sky.ktx2", LRD_TEXTURE_RGBA16_SFLOAT);
	assert_true(strstr(kit.logged, "BC") != NULL);
	kit.logged[0] = '\0';
	gpu_kit_put(&kit, LRD_TEXTURE, "rough", "stone.ktx2");
	gpu_kit_retain_texture(&kit, "rough", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	assert_string_equal(kit.logged, ""); // BC7 was warned of
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 4);
}

static bool no_small_formats(void *user, uint32_t format)
{
	(void)user;
	return format == LRD_TEXTURE_RGBA8_UNORM || format == LRD_TEXTURE_RGBA8_SRGB || format == LRD_TEXTURE_RGBA16_SFLOAT;
}

static void what_can_neither_be_sampled_nor_decoded_fails_and_says_why(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .has_format = no_blocks });
	lrd_buffer uastc = { 0 };
	assert_true(make_uastc_texture(false, &uastc));
	assert_true(lrd_asset_put(
		kit.store.store, kit_find(&kit.store, LRD_TEXTURE, "universal"), (lrd_bytes){ uastc.data, uastc.size }, NULL));
	lrd_buffer_free(&uastc);
	gpu_kit_put_shape(&kit, "astc", (texture_shape){ LRD_TEXTURE_ASTC_4X4_UNORM, 8, 8, 0, 0, 1, 1 });
	uint32_t universal = gpu_kit_retain_texture(&kit, "universal", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	assert_true(gpu_kit_texture(&kit, universal).failed);
	assert_true(strstr(kit.logged, "uastc") != NULL);
	uint32_t astc = gpu_kit_retain_texture(&kit, "astc", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	assert_true(gpu_kit_texture(&kit, astc).failed);
	assert_true(strstr(kit.logged, "ASTC") != NULL);
	assert_true(gpu_kit_texture(&kit, astc).bound);
	assert_int_equal(gpu_kit_stats(&kit).pending, 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 2);
}

static void volumes_and_arrays_are_decoded_too(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, &(lrd_gpu_null_desc){ .has_format = no_small_formats });
	gpu_kit_put_shape(&kit, "albedo", (texture_shape){ LRD_TEXTURE_R16_SFLOAT, 12, 7, 0, 0, 1, 4 });
	gpu_kit_put_shape(&kit, "rough", (texture_shape){ LRD_TEXTURE_BC1_RGBA_UNORM, 9, 9, 0, 3, 6, 3 });
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	gpu_kit_open_residents(&kit, &desc);
	uint32_t volume = gpu_kit_retain_texture(&kit, "volume", LRD_ROLE_DATA);
	uint32_t half = gpu_kit_retain_texture(&kit, "albedo", LRD_ROLE_DATA);
	uint32_t cubes = gpu_kit_retain_texture(&kit, "rough", LRD_ROLE_CUBE);
	gpu_kit_frames(&kit, 8);
	lrd_texture_view view;
	lrd_bytes file = gpu_kit_bytes(&kit, "volume.ktx2");
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	uint64_t size = 0;
	const uint8_t *bytes = lrd_gpu_null_texture(kit.device, lrd_gpu_null_bound(kit.device, volume), 0, &size, NULL);
	assert_int_equal(size, 16 * 12 * 8 * 4);
	for (uint32_t i = 0; i < 16 * 12 * 8; i++)
	{
		assert_int_equal(bytes[i * 4], ((const uint8_t *)view.levels[0].data)[i]);
		assert_int_equal(bytes[i * 4 + 3], 255);
	}
	assert_int_not_equal(gpu_kit_texture(&kit, half).object, 0);
	lrd_gpu_texture_desc made;
	assert_non_null(lrd_gpu_null_texture(kit.device, lrd_gpu_null_bound(kit.device, cubes), 2, &size, &made));
	assert_int_equal(size, 2 * 2 * 3 * 6 * 4);
	assert_int_equal(made.layer_count, 3);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 3);
}

static void supercompressed_levels_are_inflated(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_texture_view view = sample_texture((texture_shape){ LRD_TEXTURE_BC7_UNORM, 64, 64, 0, 0, 1, 7 });
	lrd_buffer file = { 0 };
	assert_true(lrd_texture_write_zstd(&view, 3, &file, NULL));
	assert_true(lrd_asset_put(
		kit.store.store, kit_find(&kit.store, LRD_TEXTURE, "packed"), (lrd_bytes){ file.data, file.size }, NULL));
	uint32_t slot = gpu_kit_retain_texture(&kit, "packed", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	for (uint32_t level = 0; level < 7; level++)
	{
		uint64_t size = 0;
		const void *bytes = lrd_gpu_null_texture(kit.device, lrd_gpu_null_bound(kit.device, slot), level, &size, NULL);
		assert_non_null(bytes);
		assert_memory_equal(bytes, view.levels[level].data, (size_t)view.levels[level].size);
	}
	sample_texture_free(&view);
	lrd_buffer_free(&file);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void a_texture_that_is_too_large_begins_with_the_finest_level_that_fits(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .max_texture_size = 20 });
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	assert_int_equal(gpu_kit_texture(&kit, stone).first_level, 2);
	assert_int_equal(gpu_kit_texture(&kit, stone).finest_level, 2);
	assert_int_equal(gpu_kit_texture(&kit, stone).width, 64);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 2);
	assert_true(strstr(kit.logged, "stone") != NULL);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void when_all_slots_are_taken_the_next_texture_is_refused(void **state)
{
	(void)state;
	gpu_kit kit;
	lrd_error error = { 0 };
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .texture_slots = 1 });
	gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	lrd_asset moss = kit_find(&kit.store, LRD_TEXTURE, "moss");
	assert_int_equal(lrd_residents_retain_texture(kit.residents, moss, LRD_ROLE_COLOR, &error), LRD_GPU_NO_SLOT);
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	lrd_asset mesh = kit_find(&kit.store, LRD_MESH, "grid");
	assert_int_equal(lrd_residents_retain_texture(kit.residents, mesh, LRD_ROLE_COLOR, &error), LRD_GPU_NO_SLOT);
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	gpu_kit_close(&kit, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_texture_is_uploaded_with_every_level),
		cmocka_unit_test(a_texture_asked_for_twice_has_one_slot_until_both_release_it),
		cmocka_unit_test(a_slot_samples_its_roles_fallback_until_the_image_is_there),
		cmocka_unit_test(a_texture_that_can_not_be_had_keeps_its_fallback_and_says_so),
		cmocka_unit_test(a_texture_that_failed_is_shown_when_its_file_is_mended),
		cmocka_unit_test(the_payload_is_let_go_of_after_the_upload),
		cmocka_unit_test(a_reload_replaces_the_image_and_keeps_the_slot),
		cmocka_unit_test(a_reload_reaches_a_texture_that_others_hold_too),
		cmocka_unit_test(content_that_changes_while_it_is_uploaded_is_uploaded_again),
		cmocka_unit_test(a_reload_that_fails_leaves_the_old_image),
		cmocka_unit_test(unloading_or_unmounting_at_any_point_leaves_the_accounting_right),
		cmocka_unit_test(releasing_at_any_point_frees_everything),
		cmocka_unit_test(a_release_and_a_retain_before_the_next_update_keep_slot_and_image),
		cmocka_unit_test(an_image_is_destroyed_only_when_the_frames_that_may_use_it_are_through),
		cmocka_unit_test(where_completion_is_not_known_as_many_frames_are_waited_for_as_may_be_in_flight),
		cmocka_unit_test(what_makes_no_sense_is_refused_when_residents_are_made),
		cmocka_unit_test(a_format_that_the_device_lacks_is_decoded_with_one_warning),
		cmocka_unit_test(what_can_neither_be_sampled_nor_decoded_fails_and_says_why),
		cmocka_unit_test(volumes_and_arrays_are_decoded_too),
		cmocka_unit_test(supercompressed_levels_are_inflated),
		cmocka_unit_test(a_texture_that_is_too_large_begins_with_the_finest_level_that_fits),
		cmocka_unit_test(when_all_slots_are_taken_the_next_texture_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
