// Uploads with workers of their own, while files change: for ThreadSanitizer above all.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

#define ROUNDS 40u

static const char *const stems[] = { "stone", "moss", "sky", "array", "volume" };
static const char *const keys[] = { "stone.ktx2", "moss.ktx2", "sky.ktx2", "array.ktx2", "volume.ktx2" };

typedef struct pool_kit
{
	kit_files files;
	lrd_store *store;
	lrd_gpu_null *device;
	lrd_gpu gpu;
	lrd_residents *residents;
	uint64_t frame;
} pool_kit;

static void open_kit(pool_kit *kit)
{
	lrd_error error = { 0 };
	memset(kit, 0, sizeof *kit);
	gpu_kit_add_files(&kit->files);
	kit_add_texture(&kit->files, "albedo.ktx2");
	kit_add_material(&kit->files, "red.lmat", (const char *const[4]){ "albedo", "stone", "nowhere" });
	kit->store = lrd_store_open(&(lrd_store_desc){ .worker_count = 3, .log = { kit_be_silent, NULL } }, &error);
	kit->device = lrd_gpu_null_create(&(lrd_gpu_null_desc){ .delay = 1, .staging_size = 8192 }, &error);
	lrd_mount_desc mount = kit_mount_desc(&kit->files);
	if (kit->store == NULL || kit->device == NULL || !lrd_store_mount(kit->store, &mount, NULL, &error))
	{
		fail_msg("%s", error.message);
	}
	kit->gpu = lrd_gpu_null_interface(kit->device);
	const lrd_residents_desc desc = { .tail_levels = 3, .log = { kit_be_silent, NULL } };
	kit->residents = lrd_residents_create(kit->store, &kit->gpu, &desc, &error);
	assert_non_null(kit->residents);
}

static lrd_residents_stats frame(pool_kit *kit)
{
	kit->frame++;
	lrd_store_update(kit->store);
	lrd_residents_update(kit->residents, kit->frame, kit->frame > 2 ? kit->frame - 2 : 0);
	lrd_residents_stats stats;
	lrd_gpu_null_stats device;
	lrd_residents_get_stats(kit->residents, &stats);
	lrd_gpu_null_get_stats(kit->device, &device);
	assert_int_equal(stats.texture_bytes + stats.mesh_bytes, device.memory_used);
	assert_int_equal(device.misuses, 0);
	return stats;
}

static lrd_asset find(const pool_kit *kit, lrd_kind kind, const char *stem)
{
	return lrd_asset_find(kit->store, kind, stem, NULL);
}

static bool fill(void *user, void *destination)
{
	(void)user;
	memset(destination, 7, 5000);
	return true;
}

// More than is staged at once: written in parts by workers while the owner writes it anew, makes it larger, or lets it go.
static void change_geometry(pool_kit *kit, uint32_t round)
{
	static const uint8_t bytes[6000];
	const lrd_geometry_desc desc = { .key = 100 + round % 3, .size = 5000, .dynamic = true, .fill = fill };
	lrd_mesh_handle mesh = lrd_residents_retain_geometry(kit->residents, &desc, NULL);
	assert_int_not_equal(mesh.generation, 0);
	(void)lrd_residents_write_geometry(kit->residents, mesh, 0, bytes, 3000 + round % 4 * 1000, NULL, 0);
	if (round >= 3)
	{
		lrd_residents_release_mesh(kit->residents, mesh);
	}
	if (round % 16 == 15)
	{
		lrd_residents_release_mesh(kit->residents, mesh); // the last of this key
		assert_int_not_equal(lrd_residents_retain_geometry(kit->residents, &desc, NULL).generation, 0);
	}
}

static void change(pool_kit *kit, uint32_t round, const uint32_t slots[5])
{
	change_geometry(kit, round);
	uint32_t i = round % 5;
	const lrd_memory_file *file = &kit->files.files[(round * 7 + round / 5) % 5];
	assert_true(lrd_asset_put(kit->store, find(kit, LRD_TEXTURE, stems[i]), file->bytes, NULL));
	(void)lrd_residents_set_first_level(kit->residents, slots[(i + 2) % 5], round % 4);
	if (round % 8 == 0)
	{
		lrd_store_unload_all(kit->store);
	}
}

static void workers_fill_what_the_owner_hands_over_while_files_change(void **state)
{
	(void)state;
	pool_kit kit;
	open_kit(&kit);
	uint32_t slots[5];
	for (uint32_t i = 0; i < 5; i++)
	{
		assert_string_equal(kit.files.keys[i], keys[i]);
		slots[i] = lrd_residents_retain_texture(kit.residents, find(&kit, LRD_TEXTURE, stems[i]), LRD_ROLE_COLOR, NULL);
	}
	(void)lrd_residents_retain_mesh(kit.residents, find(&kit, LRD_MESH, "grid"), NULL);
	(void)lrd_residents_retain_mesh(kit.residents, find(&kit, LRD_MESH, "full"), NULL);
	(void)lrd_residents_retain_material(kit.residents, find(&kit, LRD_MATERIAL, "red"), NULL);
	for (uint32_t round = 0; round < ROUNDS; round++)
	{
		change(&kit, round, slots);
		for (uint32_t i = 0; i < 6; i++)
		{
			frame(&kit);
		}
	}
	while (frame(&kit).pending != 0)
	{
	}
	for (uint32_t i = 0; i < 5; i++)
	{
		lrd_resident_texture texture;
		assert_true(lrd_residents_get_texture(kit.residents, slots[i], &texture));
		assert_int_not_equal(texture.object, 0);
	}
	assert_int_equal(lrd_residents_destroy(kit.residents), 11);
	lrd_gpu_null_stats device;
	lrd_gpu_null_get_stats(kit.device, &device);
	assert_int_equal(device.memory_used, 0);
	assert_int_equal(device.misuses, 0);
	lrd_gpu_null_destroy(kit.device);
	assert_int_equal(lrd_store_close(kit.store), 0);
	kit_files_free(&kit.files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_fill_what_the_owner_hands_over_while_files_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
