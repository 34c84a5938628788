// What is larger than staging memory, than the window, or than anything the device makes an image of: it comes in pieces, in its turn, or
// from the finest level on that can be had.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

static const char *const shapes[] = { "stone", "moss", "sky", "array", "volume" };
static const char *const shape_files[] = { "stone.ktx2", "moss.ktx2", "sky.ktx2", "array.ktx2", "volume.ktx2" };
#define SHAPES 5u

// --- Levels in bands ---

/// A file whose bytes say where in the file they belong, so that no row passes for another.
static void put_large(gpu_kit *kit, const char *stem, texture_shape shape)
{
	lrd_buffer file = { 0 };
	lrd_texture_view view = sample_texture(shape);
	for (uint32_t level = 0; level < view.level_count; level++)
	{
		uint8_t *bytes = (uint8_t *)(uintptr_t)view.levels[level].data;
		for (uint64_t i = 0; i + 4 <= view.levels[level].size; i += 4)
		{
			uint32_t value = (uint32_t)i * 2654435761u + level;
			memcpy(bytes + i, &value, sizeof value);
		}
	}
	assert_true(lrd_texture_write(&view, &file, NULL));
	assert_true(lrd_asset_put(
		kit->store.store, kit_find(&kit->store, LRD_TEXTURE, stem), (lrd_bytes){ file.data, file.size }, NULL));
	sample_texture_free(&view);
	lrd_buffer_free(&file);
}

// As put_large wrote them.
static void check_large(const gpu_kit *kit, uint32_t slot, uint32_t first_level)
{
	uint64_t size = 0;
	lrd_gpu_texture_desc desc = { 0 };
	const uint8_t *bytes;
	for (uint32_t level = 0; (bytes = lrd_gpu_null_texture(
								  kit->device, lrd_gpu_null_bound(kit->device, slot), level, &size, &desc)) != NULL;
		 level++)
	{
		uint64_t wrong = 0;
		for (uint64_t i = 0; i + 4 <= size; i += 4)
		{
			uint32_t value;
			memcpy(&value, bytes + i, sizeof value);
			wrong += value != (uint32_t)i * 2654435761u + level + first_level;
		}
		assert_int_equal(wrong, 0);
	}
	assert_int_equal(gpu_kit_texture(kit, slot).first_level, first_level);
}

static void levels_larger_than_staging_memory_come_in_bands_whatever_their_shape(void **state)
{
	(void)state;
	for (uint64_t staging = 256; staging <= 8192; staging += staging < 512 ? 15 : 341)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = staging, .delay = 1 });
		uint32_t slots[SHAPES];
		for (uint32_t i = 0; i < SHAPES; i++)
		{
			slots[i] = gpu_kit_retain_texture(&kit, shapes[i], LRD_ROLE_COLOR);
		}
		for (uint32_t i = 0; i < 600 && gpu_kit_stats(&kit).pending != 0; i++)
		{
			gpu_kit_frame(&kit);
			gpu_kit_check(&kit);
		}
		for (uint32_t i = 0; i < SHAPES; i++)
		{
			gpu_kit_check_texture(&kit, slots[i], shape_files[i], 0);
		}
		gpu_kit_close(&kit, SHAPES);
	}
}

static void a_texture_of_8192_texels_a_side_arrives_through_the_usual_staging_memory(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, &(lrd_gpu_null_desc){ .staging_size = 64u << 20 });
	put_large(&kit, "huge", (texture_shape){ LRD_TEXTURE_BC7_SRGB, 8192, 8192, 0, 0, 1, 14 });    // level 0: all of it
	put_large(&kit, "wide", (texture_shape){ LRD_TEXTURE_RGBA32_SFLOAT, 8192, 640, 0, 0, 1, 1 }); // 80 MiB
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	gpu_kit_open_residents(&kit, &desc);
	uint32_t huge = gpu_kit_retain_texture(&kit, "huge", LRD_ROLE_COLOR);
	uint32_t wide = gpu_kit_retain_texture(&kit, "wide", LRD_ROLE_COLOR);
	for (uint32_t i = 0; i < 100 && gpu_kit_stats(&kit).pending != 0; i++)
	{
		gpu_kit_frame(&kit);
	}
	check_large(&kit, huge, 0);
	check_large(&kit, wide, 0);
	assert_int_equal(kit.logged[0], '\0');
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 2);
}

static void a_row_that_staging_memory_can_not_hold_is_left_out_with_a_warning(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, &(lrd_gpu_null_desc){ .staging_size = 256 });
	put_large(
		&kit, "wide", (texture_shape){ LRD_TEXTURE_RGBA8_UNORM, 128, 4, 0, 0, 1, 4 }); // 512 bytes a row, 256, ...
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	gpu_kit_open_residents(&kit, &desc);
	uint32_t wide = gpu_kit_retain_texture(&kit, "wide", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 40);
	check_large(&kit, wide, 1);
	assert_true(strstr(kit.logged, "wide") != NULL);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void a_texture_in_bands_can_be_released_unmounted_or_replaced_at_any_point(void **state)
{
	(void)state;
	for (uint32_t what = 0; what < 4; what++)
	{
		for (uint32_t at = 0; at < 40; at++)
		{
			gpu_kit kit;
			gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 1024, .delay = 1 });
			uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
			gpu_kit_frames(&kit, at);
			if (what == 0)
			{
				lrd_residents_release_texture(kit.residents, stone);
			}
			else if (what == 1)
			{
				assert_true(lrd_store_unmount(kit.store.store, kit.mount));
			}
			else if (what == 2)
			{
				gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2");
			}
			else
			{
				lrd_gpu_null_fail(kit.device, 0, 1, LRD_ERROR_IO);
			}
			for (uint32_t i = 0; i < 60; i++)
			{
				gpu_kit_frame(&kit);
				gpu_kit_check(&kit);
			}
			if (what == 2)
			{
				gpu_kit_check_texture(&kit, stone, "moss.ktx2", 0);
			}
			assert_int_equal(gpu_kit_stats(&kit).queued_bytes + gpu_kit_stats(&kit).flying_bytes, 0);
			gpu_kit_close(&kit, what != 0);
		}
	}
}

static void staging_that_is_refused_between_bands_is_asked_for_again(void **state)
{
	(void)state;
	for (uint32_t after = 0; after < 30; after++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 1024, .delay = 1 });
		gpu_kit_frames(&kit, 4);
		uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
		lrd_gpu_null_fail(kit.device, after, 3, LRD_ERROR_MEMORY);
		gpu_kit_frames(&kit, 80);
		gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0);
		gpu_kit_check(&kit);
		gpu_kit_close(&kit, 1);
	}
}

// --- Images that the device does not make ---

static void an_image_that_the_device_does_not_make_begins_with_a_coarser_level_and_is_not_asked_for_again(void **state)
{
	(void)state;
	for (uint32_t refused = 1; refused <= 3; refused++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, NULL);
		gpu_kit_frames(&kit, 4);
		uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
		gpu_kit_frames(&kit, 1);
		lrd_gpu_null_fail(kit.device, 0, refused, LRD_ERROR_LIMIT);
		gpu_kit_frames(&kit, 20);
		gpu_kit_check_texture(&kit, stone, "stone.ktx2", refused);
		assert_int_equal(gpu_kit_texture(&kit, stone).finest_level, refused);
		assert_false(gpu_kit_texture(&kit, stone).failed);
		assert_true(strstr(kit.logged, "stone") != NULL);
		uint64_t creates = gpu_kit_device(&kit).creates;
		gpu_kit_frames(&kit, 60);
		assert_int_equal(gpu_kit_device(&kit).creates, creates);
		gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2"); // another file may be smaller
		gpu_kit_frames(&kit, 20);
		gpu_kit_check_texture(&kit, stone, "moss.ktx2", 0);
		gpu_kit_check(&kit);
		gpu_kit_close(&kit, 1);
	}
}

static void an_image_of_which_the_device_makes_no_level_fails(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	gpu_kit_frames(&kit, 4);
	lrd_gpu_null_fail(kit.device, 0, 1000, LRD_ERROR_LIMIT);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 60);
	assert_true(gpu_kit_texture(&kit, stone).failed);
	assert_int_equal(gpu_kit_stats(&kit).pending, 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void a_finer_level_that_the_device_does_not_make_leaves_the_image_and_says_so(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, NULL);
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	desc.tail_levels = 3;
	gpu_kit_open_residents(&kit, &desc);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	uint32_t revision = gpu_kit_texture(&kit, stone).revision;
	assert_int_equal(gpu_kit_texture(&kit, stone).first_level, 4);
	lrd_gpu_null_fail(kit.device, 0, 1, LRD_ERROR_LIMIT);
	assert_true(lrd_residents_set_first_level(kit.residents, stone, 0));
	gpu_kit_frames(&kit, 8);
	assert_int_equal(gpu_kit_texture(&kit, stone).first_level, 4);
	assert_int_equal(gpu_kit_texture(&kit, stone).finest_level, 1);
	assert_int_not_equal(gpu_kit_texture(&kit, stone).revision, revision); // who streams it looks anew
	uint64_t bytes[LRD_TEXTURE_MAX_LEVELS];
	assert_int_equal(lrd_residents_texture_levels(kit.residents, stone, bytes), 7);
	assert_int_equal(bytes[0], 0);
	assert_true(lrd_residents_set_first_level(kit.residents, stone, 0));
	gpu_kit_frames(&kit, 8);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 1);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

// --- The program's geometry ---

typedef struct source
{
	uint32_t seed;
	uint32_t fills;
	bool refuse;
	uint64_t size;
} source;

static uint8_t byte_of(uint32_t seed, uint64_t at)
{
	return (uint8_t)(((uint32_t)at * 2654435761u + seed) >> 24);
}

static bool fill(void *user, void *destination)
{
	source *self = user;
	self->fills++;
	for (uint64_t i = 0; i < self->size; i++)
	{
		((uint8_t *)destination)[i] = byte_of(self->seed, i);
	}
	return !self->refuse;
}

static lrd_mesh_handle retain(gpu_kit *kit, source *from, uint64_t key, bool dynamic)
{
	lrd_error error = { 0 };
	const lrd_geometry_desc desc = { .key = key,
		.layout = { .vertex_count = 4, .index_size = 2, .lods = { { 0, 6, 0.0f } }, .lod_count = 1 },
		.size = from->size,
		.dynamic = dynamic,
		.fill = fill,
		.user = from };
	lrd_mesh_handle mesh = lrd_residents_retain_geometry(kit->residents, &desc, &error);
	if (mesh.generation == 0)
	{
		fail_msg("%s", error.message);
	}
	return mesh;
}

static void check_bytes(const gpu_kit *kit, lrd_mesh_handle mesh, uint32_t seed, uint64_t size)
{
	uint64_t all = 0, wrong = 0;
	const lrd_resident_mesh *shown = lrd_residents_get_mesh(kit->residents, mesh);
	const uint8_t *bytes = lrd_gpu_null_mesh(kit->device, shown->object, &all);
	assert_non_null(bytes);
	assert_int_equal(all, size);
	for (uint64_t i = 0; i < size; i++)
	{
		wrong += bytes[i] != byte_of(seed, i);
	}
	assert_int_equal(wrong, 0);
}

static void geometry_larger_than_staging_memory_is_filled_once_and_comes_in_parts(void **state)
{
	(void)state;
	for (int dynamic = 0; dynamic < 2; dynamic++)
	{
		for (uint64_t size = 250; size < 20000; size = size * 3 + 1)
		{
			gpu_kit kit;
			gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 1024, .delay = 1 });
			source from = { .seed = 5, .size = size };
			lrd_mesh_handle mesh = retain(&kit, &from, 77, dynamic != 0);
			gpu_kit_frames(&kit, 200);
			assert_int_equal(from.fills, 1);
			check_bytes(&kit, mesh, 5, size);
			gpu_kit_check(&kit);
			gpu_kit_close(&kit, 1);
		}
	}
}

static void geometry_in_parts_that_can_not_be_filled_or_is_released_leaves_nothing(void **state)
{
	(void)state;
	for (uint32_t at = 0; at < 30; at++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 1024, .delay = 1 });
		source bad = { .refuse = true, .size = 9000 }, good = { .seed = 3, .size = 9000 };
		lrd_mesh_handle first = retain(&kit, &bad, 1, false), second = retain(&kit, &good, 2, at % 2 != 0);
		gpu_kit_frames(&kit, at);
		lrd_residents_release_mesh(kit.residents, second);
		gpu_kit_frames(&kit, 60);
		assert_true(lrd_residents_get_mesh(kit.residents, first)->failed);
		assert_int_equal(gpu_kit_device(&kit).meshes, 0);
		gpu_kit_check(&kit);
		gpu_kit_close(&kit, 1);
	}
}

static void memory_for_geometry_in_parts_that_runs_out_is_asked_for_again(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 1024 });
	gpu_kit_frames(&kit, 4);
	source from = { .seed = 9, .size = 9000 };
	lrd_mesh_handle mesh = retain(&kit, &from, 1, false);
	gpu_kit_frames(&kit, 1); // admitted: its object is made in this update, and it is staged
	lrd_residents_release_mesh(kit.residents, mesh);
	gpu_kit_frames(&kit, 40);
	for (long long succeed = 0; succeed < 3; succeed++)
	{
		mesh = retain(&kit, &from, 1, false);
		atomic_store(&kit.memory.countdown, succeed);
		gpu_kit_frames(&kit, 3);
		atomic_store(&kit.memory.countdown, -1);
		gpu_kit_frames(&kit, 60);
		check_bytes(&kit, mesh, 9, 9000);
		lrd_residents_release_mesh(kit.residents, mesh);
		gpu_kit_frames(&kit, 10);
	}
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 0);
}

static void a_write_of_more_than_a_quarter_of_staging_memory_makes_a_new_object(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 1024, .delay = 1 });
	source from = { .seed = 5, .size = 3000 };
	lrd_mesh_handle mesh = retain(&kit, &from, 77, true);
	gpu_kit_frames(&kit, 40);
	lrd_gpu_object before = lrd_residents_get_mesh(kit.residents, mesh)->object;
	uint8_t bytes[5000];
	for (uint32_t i = 0; i < sizeof bytes; i++)
	{
		bytes[i] = byte_of(6, i);
	}
	const lrd_resident_lod lod = { 0, 3, 0.0f };
	assert_true(lrd_residents_write_geometry(kit.residents, mesh, 0, bytes, 3000, &lod, 1));
	for (uint32_t i = 0; i < 40; i++)
	{
		// What is drawn is all old or all new, with the LODs that go with it.
		const lrd_resident_mesh *shown = lrd_residents_get_mesh(kit.residents, mesh);
		bool is_old = shown->object == before;
		check_bytes(&kit, mesh, is_old ? 5 : 6, 3000);
		assert_int_equal(shown->lods[0].index_count, is_old ? 6 : 3);
		gpu_kit_frame(&kit);
	}
	assert_true(lrd_residents_get_mesh(kit.residents, mesh)->object != before);
	before = lrd_residents_get_mesh(kit.residents, mesh)->object;
	assert_true(lrd_residents_write_geometry(kit.residents, mesh, 100, bytes + 100, 200, NULL, 0)); // in place
	gpu_kit_frames(&kit, 10);
	assert_true(lrd_residents_get_mesh(kit.residents, mesh)->object == before);
	assert_true(lrd_residents_write_geometry(kit.residents, mesh, 0, bytes, 5000, NULL, 0)); // and it grows
	gpu_kit_frames(&kit, 40);
	check_bytes(&kit, mesh, 6, 5000);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void levels_in_bands_arrive_though_dynamic_geometry_is_written_every_frame(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 1024, .delay = 2 });
	source from = { .seed = 5, .size = 200 };
	lrd_mesh_handle mesh = retain(&kit, &from, 77, true);
	gpu_kit_frames(&kit, 10);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	uint8_t bytes[200] = { 0 };
	uint32_t frames = 0;
	for (; frames < 200 && gpu_kit_texture(&kit, stone).object == 0; frames++)
	{
		bytes[0]++;
		(void)lrd_residents_write_geometry(kit.residents, mesh, 0, bytes, sizeof bytes, NULL, 0);
		gpu_kit_frame(&kit);
	}
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 2);
}

// --- Admission ---

static void open_with_window(gpu_kit *kit, uint64_t window)
{
	gpu_kit_open_device(kit, &(lrd_gpu_null_desc){ .delay = 2 });
	lrd_residents_desc desc = gpu_kit_desc(kit);
	desc.upload_window = window;
	gpu_kit_open_residents(kit, &desc);
}

static void a_texture_larger_than_the_window_is_not_starved_by_a_steady_flow_of_small_ones(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_window(&kit, 3000);
	gpu_kit_retain_texture(&kit, "albedo", LRD_ROLE_COLOR);
	gpu_kit_retain_texture(&kit, "rough", LRD_ROLE_COLOR);
	uint32_t stone = LRD_GPU_NO_SLOT;
	for (uint32_t frames = 0; frames < 140; frames++)
	{
		if (frames == 40)
		{
			assert_true(gpu_kit_stats(&kit).uploads > 8);
			assert_true(gpu_kit_stats(&kit).queued_bytes + gpu_kit_stats(&kit).flying_bytes != 0);
			stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR); // 5472 bytes
		}
		gpu_kit_put_shape(&kit, frames % 2 != 0 ? "albedo" : "rough",
			(texture_shape){ LRD_TEXTURE_RGBA8_SRGB, 8 + frames % 4, 8, 0, 0, 1, 1 });
		gpu_kit_frame(&kit);
	}
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 3);
}

static void nor_by_geometry_that_is_drawn_and_grows_in_every_frame(void **state)
{
	(void)state;
	gpu_kit kit;
	open_with_window(&kit, 3000);
	source from = { .seed = 5, .size = 200 };
	lrd_mesh_handle meshes[3] = { retain(&kit, &from, 77, true), retain(&kit, &from, 78, true),
		retain(&kit, &from, 79, true) };
	static const uint8_t bytes[1000];
	uint32_t stone = LRD_GPU_NO_SLOT;
	gpu_kit_frames(&kit, 10);
	for (uint32_t frames = 0; frames < 100; frames++)
	{
		stone = frames == 10 ? gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR) : stone; // 5472 bytes
		// One of them is always on its way.
		(void)lrd_residents_write_geometry(kit.residents, meshes[frames % 3], 0, bytes, 300 + frames * 4, NULL, 0);
		gpu_kit_frame(&kit);
	}
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_larger_than_staging_memory_come_in_bands_whatever_their_shape),
		cmocka_unit_test(a_texture_of_8192_texels_a_side_arrives_through_the_usual_staging_memory),
		cmocka_unit_test(a_row_that_staging_memory_can_not_hold_is_left_out_with_a_warning),
		cmocka_unit_test(a_texture_in_bands_can_be_released_unmounted_or_replaced_at_any_point),
		cmocka_unit_test(staging_that_is_refused_between_bands_is_asked_for_again),
		cmocka_unit_test(levels_in_bands_arrive_though_dynamic_geometry_is_written_every_frame),
		cmocka_unit_test(an_image_that_the_device_does_not_make_begins_with_a_coarser_level_and_is_not_asked_for_again),
		cmocka_unit_test(an_image_of_which_the_device_makes_no_level_fails),
		cmocka_unit_test(a_finer_level_that_the_device_does_not_make_leaves_the_image_and_says_so),
		cmocka_unit_test(geometry_larger_than_staging_memory_is_filled_once_and_comes_in_parts),
		cmocka_unit_test(geometry_in_parts_that_can_not_be_filled_or_is_released_leaves_nothing),
		cmocka_unit_test(memory_for_geometry_in_parts_that_runs_out_is_asked_for_again),
		cmocka_unit_test(a_write_of_more_than_a_quarter_of_staging_memory_makes_a_new_object),
		cmocka_unit_test(a_texture_larger_than_the_window_is_not_starved_by_a_steady_flow_of_small_ones),
		cmocka_unit_test(nor_by_geometry_that_is_drawn_and_grows_in_every_frame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
