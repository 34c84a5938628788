// Meshes on the GPU: what lies where, sharing, reloading, the ceiling.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

static const lrd_mesh_view *view_of(const gpu_kit *kit, const char *key, lrd_mesh_view *view)
{
	for (uint32_t i = 0; i < kit->files.count; i++)
	{
		if (strcmp(kit->files.keys[i], key) == 0)
		{
			assert_true(lrd_mesh_open(kit->files.contents[i].data, kit->files.contents[i].size, view, NULL));
		}
	}
	return view;
}

static void check_mesh(const gpu_kit *kit, lrd_mesh_handle handle, const char *key)
{
	lrd_mesh_view view;
	view_of(kit, key, &view);
	const lrd_resident_mesh *mesh = lrd_residents_get_mesh(kit->residents, handle);
	assert_non_null(mesh);
	uint64_t size = 0;
	const uint8_t *bytes = lrd_gpu_null_mesh(kit->device, mesh->object, &size);
	assert_non_null(bytes);
	assert_int_equal(size, mesh->bytes);
	for (uint32_t stream = 0; stream < LRD_STREAM_COUNT; stream++)
	{
		assert_int_equal(mesh->stream_stride[stream], view.streams[stream].stride);
		assert_int_equal(mesh->stream_offset[stream] % 16, 0);
		if (view.streams[stream].data != NULL)
		{
			assert_memory_equal(bytes + mesh->stream_offset[stream], view.streams[stream].data,
				(size_t)view.vertex_count * view.streams[stream].stride);
		}
	}
	assert_true(view.uv_density[0] > 0);
	assert_memory_equal(mesh->uv_density, view.uv_density, sizeof mesh->uv_density);
	assert_int_equal(mesh->lod_count, view.lod_count);
	for (uint32_t lod = 0; lod < view.lod_count; lod++)
	{
		uint32_t count = lrd_mesh_index_count(&view, lod);
		uint32_t *indices = malloc(count * sizeof *indices);
		lrd_mesh_write_indices(&view, lod, indices);
		assert_int_equal(mesh->lods[lod].index_count, count);
		const uint8_t *at = bytes + mesh->index_offset + (size_t)mesh->lods[lod].first_index * mesh->index_size;
		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t index = 0;
			memcpy(&index, at + (size_t)i * mesh->index_size, mesh->index_size);
			assert_int_equal(index, indices[i]);
		}
		free(indices);
	}
}

static void a_mesh_is_uploaded_with_its_streams_and_indices(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_mesh_handle grid = gpu_kit_retain_mesh(&kit, "grid");
	lrd_mesh_handle full = gpu_kit_retain_mesh(&kit, "full");
	gpu_kit_frames(&kit, 8);
	check_mesh(&kit, grid, "grid.lmesh");
	check_mesh(&kit, full, "full.lmesh");
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 2);
}

static void a_mesh_larger_than_staging_memory_comes_in_parts(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 272, .delay = 1 });
	lrd_mesh_handle full = gpu_kit_retain_mesh(&kit, "full");
	gpu_kit_frames(&kit, 400);
	check_mesh(&kit, full, "full.lmesh");
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void indices_are_32_bits_wide_where_16_do_not_suffice(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 16u << 20 });
	gpu_kit_add_mesh(&kit.files, "wide.lmesh", (make_mesh_desc){ .quads = 256, .lods = 1 }, 0);
	lrd_bytes file = { kit.files.contents[kit.files.count - 1].data, kit.files.contents[kit.files.count - 1].size };
	lrd_asset wide = kit_find(&kit.store, LRD_MESH, "wide");
	assert_true(lrd_asset_put(kit.store.store, wide, file, NULL));
	lrd_mesh_handle mesh = gpu_kit_retain_mesh(&kit, "wide");
	lrd_mesh_handle small = gpu_kit_retain_mesh(&kit, "grid");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(lrd_residents_get_mesh(kit.residents, mesh)->index_size, 4);
	assert_int_equal(lrd_residents_get_mesh(kit.residents, small)->index_size, 2);
	check_mesh(&kit, mesh, "wide.lmesh");
	gpu_kit_close(&kit, 2);
}

static void a_mesh_asked_for_twice_is_uploaded_once(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_mesh_handle a = gpu_kit_retain_mesh(&kit, "grid");
	lrd_mesh_handle b = gpu_kit_retain_mesh(&kit, "grid");
	assert_int_equal(a.index, b.index);
	gpu_kit_frames(&kit, 8);
	assert_int_equal(gpu_kit_device(&kit).meshes, 1);
	assert_int_equal(gpu_kit_stats(&kit).uploads, 1);
	lrd_residents_release_mesh(kit.residents, a);
	gpu_kit_frames(&kit, 8);
	check_mesh(&kit, b, "grid.lmesh");
	lrd_residents_release_mesh(kit.residents, b);
	lrd_residents_release_mesh(kit.residents, b); // harmless
	gpu_kit_frames(&kit, 8);
	assert_null(lrd_residents_get_mesh(kit.residents, b));
	assert_int_equal(gpu_kit_device(&kit).meshes, 0);
	gpu_kit_close(&kit, 0);
}

static void a_stale_handle_reaches_nothing_though_its_place_is_taken_again(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_mesh_handle old = gpu_kit_retain_mesh(&kit, "grid");
	gpu_kit_frames(&kit, 8);
	lrd_residents_release_mesh(kit.residents, old);
	gpu_kit_frames(&kit, 8);
	lrd_mesh_handle full = gpu_kit_retain_mesh(&kit, "full");
	assert_int_equal(full.index, old.index);
	lrd_residents_release_mesh(kit.residents, old);
	assert_null(lrd_residents_get_mesh(kit.residents, old));
	gpu_kit_frames(&kit, 8);
	check_mesh(&kit, full, "full.lmesh");
	gpu_kit_close(&kit, 1);
}

static void an_upload_of_who_was_released_does_not_reach_who_took_its_place(void **state)
{
	(void)state;
	for (uint32_t when = 0; when < 8; when++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 3 });
		lrd_mesh_handle grid = gpu_kit_retain_mesh(&kit, "grid");
		gpu_kit_frames(&kit, when);
		lrd_residents_release_mesh(kit.residents, grid);
		gpu_kit_frames(&kit, 1);
		lrd_mesh_handle full = gpu_kit_retain_mesh(&kit, "full");
		assert_int_equal(full.index, grid.index);
		gpu_kit_frames(&kit, 16);
		check_mesh(&kit, full, "full.lmesh");
		assert_int_equal(gpu_kit_device(&kit).meshes, 1);
		gpu_kit_check(&kit);
		gpu_kit_close(&kit, 1);
	}
}

static void the_payload_is_let_go_of_unless_a_game_reads_it(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_asset read = kit_find(&kit.store, LRD_MESH, "read");
	gpu_kit_retain_mesh(&kit, "grid");
	lrd_mesh_handle kept = gpu_kit_retain_mesh(&kit, "read");
	gpu_kit_frames(&kit, 8);
	assert_false(lrd_asset_has(kit.store.store, kit_find(&kit.store, LRD_MESH, "grid")));
	assert_true(lrd_asset_has(kit.store.store, read));
	assert_non_null(lrd_mesh_get(kit.store.store, read));
	lrd_residents_release_mesh(kit.residents, kept);
	gpu_kit_frames(&kit, 2);
	assert_false(lrd_asset_has(kit.store.store, read));
	gpu_kit_close(&kit, 1);
}

static void a_reload_replaces_the_object_and_keeps_the_handle(void **state)
{
	(void)state;
	static const char *const stems[] = { "grid", "read" };
	for (uint32_t i = 0; i < 2; i++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, NULL);
		lrd_mesh_handle mesh = gpu_kit_retain_mesh(&kit, stems[i]);
		gpu_kit_frames(&kit, 8);
		gpu_kit_put(&kit, LRD_MESH, stems[i], "full.lmesh");
		for (uint32_t frame = 0; frame < 10; frame++)
		{
			gpu_kit_frame(&kit);
			gpu_kit_check(&kit);
			assert_int_not_equal(lrd_residents_get_mesh(kit.residents, mesh)->object, 0);
		}
		check_mesh(&kit, mesh, "full.lmesh");
		assert_int_equal(gpu_kit_device(&kit).meshes, 1);
		assert_int_equal(kit_resident(&kit.store), 0);
		gpu_kit_close(&kit, 1);
	}
}

static void the_ceiling_of_geometry_keeps_new_meshes_out_until_there_is_room(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, NULL);
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	desc.geometry = 4000; // grid takes about 3600, read 1000
	gpu_kit_open_residents(&kit, &desc);
	lrd_mesh_handle grid = gpu_kit_retain_mesh(&kit, "grid");
	gpu_kit_frames(&kit, 8);
	assert_int_not_equal(lrd_residents_get_mesh(kit.residents, grid)->object, 0);
	lrd_mesh_handle read = gpu_kit_retain_mesh(&kit, "read");
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	for (uint32_t i = 0; i < 8; i++)
	{
		gpu_kit_frame(&kit);
		assert_true(gpu_kit_stats(&kit).mesh_bytes <= desc.geometry);
	}
	assert_int_equal(lrd_residents_get_mesh(kit.residents, read)->object, 0);
	assert_false(lrd_residents_get_mesh(kit.residents, read)->failed);
	gpu_kit_check_texture(&kit, stone, "stone.ktx2", 0); // nobody else waits for it
	lrd_residents_release_mesh(kit.residents, grid);
	gpu_kit_frames(&kit, 12);
	check_mesh(&kit, read, "read.lmesh");
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 2);
}

static void a_mesh_that_waits_for_room_can_be_released(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, NULL);
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	desc.geometry = 100;
	gpu_kit_open_residents(&kit, &desc);
	lrd_mesh_handle grid = gpu_kit_retain_mesh(&kit, "grid");
	gpu_kit_frames(&kit, 8);
	lrd_residents_release_mesh(kit.residents, grid);
	gpu_kit_frames(&kit, 2);
	assert_int_equal(gpu_kit_stats(&kit).meshes, 0);
	assert_int_equal(kit_resident(&kit.store), 0);
	gpu_kit_close(&kit, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mesh_is_uploaded_with_its_streams_and_indices),
		cmocka_unit_test(a_mesh_larger_than_staging_memory_comes_in_parts),
		cmocka_unit_test(indices_are_32_bits_wide_where_16_do_not_suffice),
		cmocka_unit_test(a_mesh_asked_for_twice_is_uploaded_once),
		cmocka_unit_test(a_stale_handle_reaches_nothing_though_its_place_is_taken_again),
		cmocka_unit_test(an_upload_of_who_was_released_does_not_reach_who_took_its_place),
		cmocka_unit_test(the_payload_is_let_go_of_unless_a_game_reads_it),
		cmocka_unit_test(a_reload_replaces_the_object_and_keeps_the_handle),
		cmocka_unit_test(the_ceiling_of_geometry_keeps_new_meshes_out_until_there_is_room),
		cmocka_unit_test(a_mesh_that_waits_for_room_can_be_released),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
