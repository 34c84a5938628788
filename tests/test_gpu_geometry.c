// Geometry of the program's own, and structures derived from meshes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

typedef struct source
{
	uint8_t value;
	uint32_t fills;
	bool refuse;
	uint64_t size;
} source;

static bool fill(void *user, void *destination)
{
	source *self = user;
	self->fills++;
	memset(destination, self->value, (size_t)self->size);
	return !self->refuse;
}

static lrd_geometry_desc describe(source *from, uint64_t key, bool dynamic)
{
	return (lrd_geometry_desc){ .key = key,
		.layout = { .vertex_count = 4, .index_size = 2, .lods = { { 0, 6, 0.0f } }, .lod_count = 1 },
		.size = from->size,
		.dynamic = dynamic,
		.fill = fill,
		.user = from };
}

static lrd_mesh_handle retain(gpu_kit *kit, const lrd_geometry_desc *desc)
{
	lrd_error error = { 0 };
	lrd_mesh_handle mesh = lrd_residents_retain_geometry(kit->residents, desc, &error);
	if (mesh.generation == 0)
	{
		fail_msg("%s", error.message);
	}
	return mesh;
}

static uint8_t byte_at(const gpu_kit *kit, lrd_mesh_handle mesh, uint64_t at)
{
	uint64_t size = 0;
	const lrd_resident_mesh *shown = lrd_residents_get_mesh(kit->residents, mesh);
	const uint8_t *bytes = lrd_gpu_null_mesh(kit->device, shown->object, &size);
	assert_non_null(bytes);
	assert_true(at < size);
	return bytes[at];
}

static void geometry_is_filled_once_for_all_who_ask_for_its_key(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	source from = { .value = 5, .size = 200 };
	const lrd_geometry_desc desc = describe(&from, 77, false);
	lrd_mesh_handle a = retain(&kit, &desc);
	gpu_kit_frame(&kit);
	lrd_mesh_handle b = retain(&kit, &desc); // joins what is pending
	assert_int_equal(a.index, b.index);
	gpu_kit_frames(&kit, 6);
	lrd_mesh_handle c = retain(&kit, &desc); // and what is there
	assert_int_equal(a.index, c.index);
	assert_int_equal(from.fills, 1);
	assert_int_equal(byte_at(&kit, a, 199), 5);
	assert_int_equal(lrd_residents_get_mesh(kit.residents, a)->lods[0].index_count, 6);
	assert_int_equal(gpu_kit_stats(&kit).mesh_bytes, 200);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 3);
}

static void geometry_that_can_not_be_filled_fails(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	source from = { .refuse = true, .size = 200 };
	const lrd_geometry_desc desc = describe(&from, 77, false);
	lrd_mesh_handle mesh = retain(&kit, &desc);
	gpu_kit_frames(&kit, 6);
	assert_true(lrd_residents_get_mesh(kit.residents, mesh)->failed);
	assert_int_equal(from.fills, 1);
	assert_int_equal(gpu_kit_device(&kit).meshes, 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void what_could_not_be_filled_gives_its_staging_memory_back(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .staging_size = 8192 });
	gpu_kit_frames(&kit, 6); // the fallbacks are through
	source bad = { .refuse = true, .size = 8000 }, good = { .value = 3, .size = 8000 };
	const lrd_geometry_desc bad_desc = describe(&bad, 77, false), good_desc = describe(&good, 78, false);
	lrd_mesh_handle first = retain(&kit, &bad_desc), second = retain(&kit, &good_desc);
	gpu_kit_frames(&kit, 8);
	assert_true(lrd_residents_get_mesh(kit.residents, first)->failed);
	assert_int_equal(byte_at(&kit, second, 7999), 3);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 2);
}

static void a_new_key_above_the_ceiling_is_refused_and_a_known_one_is_not(void **state)
{
	(void)state;
	gpu_kit kit;
	lrd_error error = { 0 };
	gpu_kit_open_device(&kit, NULL);
	lrd_residents_desc own = gpu_kit_desc(&kit);
	own.geometry = 250;
	gpu_kit_open_residents(&kit, &own);
	source from = { .size = 200 };
	lrd_geometry_desc desc = describe(&from, 1, false);
	lrd_mesh_handle first = retain(&kit, &desc);
	desc.key = 2;
	assert_int_equal(lrd_residents_retain_geometry(kit.residents, &desc, &error).generation, 0);
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	desc.key = 1;
	retain(&kit, &desc);
	gpu_kit_frames(&kit, 6);
	desc.key = 2;
	assert_int_equal(lrd_residents_retain_geometry(kit.residents, &desc, &error).generation, 0);
	lrd_residents_release_mesh(kit.residents, first);
	lrd_residents_release_mesh(kit.residents, first);
	gpu_kit_frames(&kit, 6);
	retain(&kit, &desc);
	desc.key = 0;
	assert_int_equal(lrd_residents_retain_geometry(kit.residents, &desc, &error).generation, 0);
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	desc.key = 3;
	desc.size = 2u << 20;
	assert_int_equal(lrd_residents_retain_geometry(kit.residents, &desc, &error).generation, 0);
	assert_int_equal(error.code, LRD_ERROR_LIMIT); // more than can be staged
	gpu_kit_close(&kit, 1);
}

static void dynamic_geometry_is_written_in_place(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 1 });
	source from = { .value = 1, .size = 100 };
	const lrd_geometry_desc desc = describe(&from, 9, true);
	lrd_mesh_handle mesh = retain(&kit, &desc);
	const uint8_t data[10] = { 8, 8, 8, 8, 8, 8, 8, 8, 8, 8 };
	assert_false(lrd_residents_write_geometry(kit.residents, mesh, 0, data, 10, NULL, 0)); // not filled yet
	gpu_kit_frames(&kit, 8);
	lrd_gpu_object object = lrd_residents_get_mesh(kit.residents, mesh)->object;
	const lrd_resident_lod lod = { 0, 3, 0.5f };
	assert_true(lrd_residents_write_geometry(kit.residents, mesh, 50, data, 10, &lod, 1));
	assert_int_equal(lrd_residents_get_mesh(kit.residents, mesh)->lods[0].index_count, 6); // not there yet
	gpu_kit_frames(&kit, 4);
	assert_int_equal(lrd_residents_get_mesh(kit.residents, mesh)->object, object);
	assert_int_equal(lrd_residents_get_mesh(kit.residents, mesh)->lods[0].index_count, 3);
	assert_int_equal(byte_at(&kit, mesh, 49), 1);
	assert_int_equal(byte_at(&kit, mesh, 50), 8);
	assert_int_equal(byte_at(&kit, mesh, 59), 8);
	assert_int_equal(byte_at(&kit, mesh, 60), 1);
	assert_int_equal(gpu_kit_stats(&kit).queued_bytes, 0);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

typedef struct watcher
{
	lrd_gpu inner;
	uint32_t dynamic;
	uint32_t still;
} watcher;

static watcher seen; // lrd_gpu has one user for all its functions, which is the null device here

static lrd_gpu_object watch_mesh(void *user, const lrd_gpu_mesh_desc *desc, lrd_error *error)
{
	*(desc->dynamic ? &seen.dynamic : &seen.still) += 1;
	return seen.inner.create_mesh(user, desc, error);
}

static void the_device_is_told_which_meshes_are_written_again(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, NULL);
	seen = (watcher){ .inner = kit.gpu };
	kit.gpu.create_mesh = watch_mesh;
	lrd_residents_desc own = gpu_kit_desc(&kit);
	gpu_kit_open_residents(&kit, &own);
	source from = { .size = 100 };
	const lrd_geometry_desc dynamic = describe(&from, 1, true), still = describe(&from, 2, false);
	retain(&kit, &dynamic);
	retain(&kit, &still);
	gpu_kit_retain_mesh(&kit, "grid");
	gpu_kit_frames(&kit, 6);
	assert_int_equal(seen.dynamic, 1);
	assert_int_equal(seen.still, 2);
	gpu_kit_close(&kit, 3);
}

static void writes_of_every_frame_are_all_shown_in_the_end(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 3 });
	source from = { .value = 1, .size = 256 };
	const lrd_geometry_desc desc = describe(&from, 9, true);
	lrd_mesh_handle mesh = retain(&kit, &desc);
	gpu_kit_frames(&kit, 10);
	uint32_t shown = 6, changes = 0;
	for (uint32_t i = 0; i < 64; i++)
	{
		const uint8_t byte = (uint8_t)(100 + i);
		const lrd_resident_lod lod = { 0, 100 + i, 0.0f };
		assert_true(lrd_residents_write_geometry(kit.residents, mesh, i * 4, &byte, 1, &lod, 1));
		gpu_kit_frame(&kit);
		uint32_t count = lrd_residents_get_mesh(kit.residents, mesh)->lods[0].index_count;
		changes += count != shown;
		shown = count;
	}
	assert_true(changes > 10); // shown again and again meanwhile, though one is under way at a time
	gpu_kit_frames(&kit, 10);
	for (uint32_t i = 0; i < 64; i++)
	{
		assert_int_equal(byte_at(&kit, mesh, i * 4), 100 + i);
		assert_int_equal(byte_at(&kit, mesh, i * 4 + 1), 1);
	}
	assert_int_equal(lrd_residents_get_mesh(kit.residents, mesh)->lods[0].index_count, 163);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void growing_makes_a_new_object_with_all_that_was_written(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, &(lrd_gpu_null_desc){ .delay = 1 });
	lrd_residents_desc own = gpu_kit_desc(&kit);
	own.geometry = 120; // growing is allowed above it
	gpu_kit_open_residents(&kit, &own);
	source from = { .value = 1, .size = 100 };
	const lrd_geometry_desc desc = describe(&from, 9, true);
	lrd_mesh_handle mesh = retain(&kit, &desc);
	gpu_kit_frames(&kit, 8);
	lrd_gpu_object object = lrd_residents_get_mesh(kit.residents, mesh)->object;
	uint8_t data[60];
	memset(data, 7, sizeof data);
	const lrd_resident_lod lod = { 0, 12, 0.0f };
	assert_true(lrd_residents_write_geometry(kit.residents, mesh, 90, data, 60, &lod, 1));
	gpu_kit_frame(&kit);
	assert_true(lrd_residents_write_geometry(kit.residents, mesh, 0, data, 1, NULL, 0)); // while it is on its way
	assert_true(lrd_residents_write_geometry(kit.residents, mesh, 190, data, 10, NULL, 0));
	for (uint32_t i = 0; i < 12; i++)
	{
		gpu_kit_frame(&kit);
		gpu_kit_check(&kit);
	}
	assert_int_not_equal(lrd_residents_get_mesh(kit.residents, mesh)->object, object);
	assert_int_equal(lrd_residents_get_mesh(kit.residents, mesh)->bytes, 200);
	assert_int_equal(lrd_residents_get_mesh(kit.residents, mesh)->lods[0].index_count, 12);
	static const struct
	{
		uint64_t at;
		uint8_t value;
	} expected[] = { { 0, 7 }, { 1, 1 }, { 89, 1 }, { 90, 7 }, { 149, 7 }, { 150, 0 }, { 189, 0 }, { 199, 7 } };
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
	{
		assert_int_equal(byte_at(&kit, mesh, expected[i].at), expected[i].value);
	}
	assert_int_equal(gpu_kit_device(&kit).meshes, 1);
	gpu_kit_close(&kit, 1);
}

static void geometry_that_grew_beyond_what_the_device_makes_stays_and_is_tried_with_the_next_write(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	source from = { .value = 5, .size = 200 };
	const lrd_geometry_desc desc = describe(&from, 77, true);
	lrd_mesh_handle mesh = retain(&kit, &desc);
	gpu_kit_frames(&kit, 6);
	uint8_t bytes[300];
	memset(bytes, 6, sizeof bytes);
	lrd_gpu_null_fail(kit.device, 0, 1, LRD_ERROR_LIMIT);
	assert_true(lrd_residents_write_geometry(kit.residents, mesh, 0, bytes, 300, NULL, 0));
	gpu_kit_frames(&kit, 6);
	assert_int_equal(byte_at(&kit, mesh, 199), 5);
	assert_true(
		lrd_residents_write_geometry(kit.residents, mesh, 250, bytes, 10, NULL, 0)); // beyond what the device has
	gpu_kit_frames(&kit, 6);
	assert_int_equal(byte_at(&kit, mesh, 299), 6);
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void geometry_may_be_released_while_writes_are_under_way(void **state)
{
	(void)state;
	for (uint32_t when = 0; when < 8; when++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 2 });
		source from = { .value = 1, .size = 100 };
		const lrd_geometry_desc desc = describe(&from, 9, true);
		lrd_mesh_handle mesh = retain(&kit, &desc);
		gpu_kit_frames(&kit, 3);
		for (uint32_t i = 0; i < when; i++)
		{
			const uint8_t data[8] = { 0 };
			lrd_residents_write_geometry(kit.residents, mesh, 96 + i, data, 8, NULL, 0);
			gpu_kit_frame(&kit);
		}
		lrd_residents_release_mesh(kit.residents, mesh);
		for (uint32_t i = 0; i < 8; i++)
		{
			gpu_kit_frame(&kit);
			gpu_kit_check(&kit);
		}
		assert_int_equal(gpu_kit_device(&kit).meshes, 0);
		assert_int_equal(gpu_kit_stats(&kit).queued_bytes + gpu_kit_stats(&kit).flying_bytes, 0);
		gpu_kit_close(&kit, 0);
	}
}

// --- Derived structures ---

typedef struct builder
{
	uint64_t freed[16];
	uint32_t count;
} builder;

static void free_derived(void *user, uint64_t object)
{
	builder *self = user;
	self->freed[self->count++] = object;
}

static void derived_structures_that_are_unused_go_first_and_used_ones_stay(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open_device(&kit, NULL);
	lrd_residents_desc own = gpu_kit_desc(&kit);
	own.derived = 250;
	gpu_kit_open_residents(&kit, &own);
	lrd_mesh_handle mesh = gpu_kit_retain_mesh(&kit, "grid");
	gpu_kit_frames(&kit, 6);
	builder self = { 0 };
	for (uint32_t i = 0; i < 3; i++)
	{
		assert_true(
			lrd_residents_add_derived(kit.residents, &(lrd_derived_desc){ mesh, i, 100, 10 + i, free_derived, &self }));
	}
	gpu_kit_frame(&kit);
	assert_int_equal(self.count, 0); // over the budget, but being built
	for (uint32_t i = 0; i < 6; i++)
	{
		assert_int_equal(lrd_residents_use_derived(kit.residents, mesh, 0), 10);
		gpu_kit_frame(&kit);
	}
	assert_int_equal(self.count, 1);
	assert_int_equal(self.freed[0], 11);
	assert_int_equal(lrd_residents_use_derived(kit.residents, mesh, 1), 0);
	assert_int_equal(lrd_residents_use_derived(kit.residents, mesh, 2), 12);
	assert_int_equal(gpu_kit_stats(&kit).derived_bytes, 200);
	gpu_kit_close_residents(&kit, 1);
	assert_int_equal(self.count, 3);
	gpu_kit_close_device(&kit);
}

static void derived_structures_of_another_content_are_not_found_any_more(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_mesh_handle mesh = gpu_kit_retain_mesh(&kit, "grid");
	gpu_kit_frames(&kit, 6);
	builder self = { 0 };
	const lrd_derived_desc desc = { mesh, 0, 100, 10, free_derived, &self };
	assert_true(lrd_residents_add_derived(kit.residents, &desc));
	gpu_kit_put(&kit, LRD_MESH, "grid", "full.lmesh");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(lrd_residents_use_derived(kit.residents, mesh, 0), 0);
	assert_int_equal(self.count, 1);
	assert_true(lrd_residents_add_derived(kit.residents, &desc));
	uint64_t frame = kit.frame;
	lrd_residents_release_mesh(kit.residents, mesh);
	lrd_residents_update(kit.residents, frame + 1, frame - 1);
	assert_int_equal(self.count, 1); // the frame that builds it is not through
	lrd_residents_update(kit.residents, frame + 2, frame);
	assert_int_equal(self.count, 2);
	assert_int_equal(gpu_kit_stats(&kit).derived, 0);
	assert_false(lrd_residents_add_derived(kit.residents, &desc));
	gpu_kit_close(&kit, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(geometry_is_filled_once_for_all_who_ask_for_its_key),
		cmocka_unit_test(geometry_that_can_not_be_filled_fails),
		cmocka_unit_test(what_could_not_be_filled_gives_its_staging_memory_back),
		cmocka_unit_test(a_new_key_above_the_ceiling_is_refused_and_a_known_one_is_not),
		cmocka_unit_test(dynamic_geometry_is_written_in_place),
		cmocka_unit_test(the_device_is_told_which_meshes_are_written_again),
		cmocka_unit_test(writes_of_every_frame_are_all_shown_in_the_end),
		cmocka_unit_test(growing_makes_a_new_object_with_all_that_was_written),
		cmocka_unit_test(geometry_that_grew_beyond_what_the_device_makes_stays_and_is_tried_with_the_next_write),
		cmocka_unit_test(geometry_may_be_released_while_writes_are_under_way),
		cmocka_unit_test(derived_structures_that_are_unused_go_first_and_used_ones_stay),
		cmocka_unit_test(derived_structures_of_another_content_are_not_found_any_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
