// Meshes and materials on the GPU.

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

static void a_material_holds_its_textures_slots(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_error error = { 0 };
	uint32_t red = lrd_residents_retain_material(kit.residents, kit_find(&kit.store, LRD_MATERIAL, "red"), &error);
	assert_int_not_equal(red, LRD_GPU_NO_SLOT);
	const lrd_resident_material *material = lrd_residents_get_material(kit.residents, red);
	assert_false(material->ready);
	assert_int_equal(material->slots[LRD_SLOT_BASE_COLOR], LRD_GPU_NO_SLOT);
	gpu_kit_frames(&kit, 8);
	material = lrd_residents_get_material(kit.residents, red);
	assert_true(material->ready);
	uint32_t slot = material->slots[LRD_SLOT_BASE_COLOR];
	assert_int_equal(gpu_kit_stats(&kit).textures, 2);
	assert_int_not_equal(gpu_kit_texture(&kit, slot).object, 0);
	lrd_residents_release_material(kit.residents, red);
	gpu_kit_frames(&kit, 8);
	assert_int_equal(gpu_kit_stats(&kit).textures, 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mesh_is_uploaded_with_its_streams_and_indices),
		cmocka_unit_test(a_material_holds_its_textures_slots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
