// Materials, and who is told of what changed.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

static uint32_t retain_material(gpu_kit *kit, const char *stem)
{
	lrd_error error = { 0 };
	uint32_t index = lrd_residents_retain_material(kit->residents, kit_find(&kit->store, LRD_MATERIAL, stem), &error);
	if (index == LRD_GPU_NO_SLOT)
	{
		fail_msg("%s", error.message);
	}
	return index;
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

static void until_a_material_is_there_it_has_the_defaults_of_gltf(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t red = retain_material(&kit, "red");
	const lrd_resident_material *material = lrd_residents_get_material(kit.residents, red);
	lrd_material_params defaults = lrd_material_default_params();
	assert_memory_equal(material->params, &defaults, sizeof defaults);
	assert_true(material->textures[0].uv_scale[0] == 1.0f);
	assert_int_equal(lrd_residents_material_count(kit.residents), 1);
	gpu_kit_close(&kit, 1);
}

static void every_slot_a_material_names_samples_something(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, &(lrd_gpu_null_desc){ .delay = 4 });
	uint32_t red = retain_material(&kit, "red");
	bool ready = false;
	for (uint32_t i = 0; i < 24; i++)
	{
		gpu_kit_frame(&kit);
		const lrd_resident_material *material = lrd_residents_get_material(kit.residents, red);
		ready = ready || material->ready;
		for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; slot++)
		{
			if (material->slots[slot] != LRD_GPU_NO_SLOT)
			{
				assert_int_not_equal(lrd_gpu_null_bound(kit.device, material->slots[slot]), 0);
			}
		}
	}
	assert_true(ready);
	gpu_kit_close(&kit, 1);
}

static void materials_share_the_slots_of_shared_textures(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t red = retain_material(&kit, "red");
	uint32_t blue = retain_material(&kit, "blue");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(lrd_residents_get_material(kit.residents, red)->slots[0],
		lrd_residents_get_material(kit.residents, blue)->slots[0]);
	lrd_residents_release_material(kit.residents, red);
	gpu_kit_frames(&kit, 8);
	assert_int_not_equal(gpu_kit_texture(&kit, lrd_residents_get_material(kit.residents, blue)->slots[0]).object, 0);
	assert_int_equal(gpu_kit_stats(&kit).textures, 1);
	gpu_kit_close(&kit, 1);
}

static void a_material_that_is_reloaded_keeps_its_index_and_moves_its_revision(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t red = retain_material(&kit, "red");
	gpu_kit_frames(&kit, 8);
	uint32_t revision = lrd_residents_get_material(kit.residents, red)->revision;
	assert_int_equal(gpu_kit_stats(&kit).textures, 2);
	lrd_asset asset = kit_find(&kit.store, LRD_MATERIAL, "red");
	assert_true(lrd_asset_put(kit.store.store, asset, kit_bytes(&kit.store, "blue.lmat"), NULL));
	gpu_kit_frames(&kit, 8);
	assert_true(lrd_residents_get_material(kit.residents, red)->revision > revision);
	assert_int_equal(gpu_kit_stats(&kit).textures, 1); // "rough" is not named any more
	gpu_kit_check(&kit);
	gpu_kit_close(&kit, 1);
}

static void a_material_of_a_texture_that_is_nowhere_is_ready_with_its_fallback(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t lost = retain_material(&kit, "lost");
	gpu_kit_frames(&kit, 8);
	const lrd_resident_material *material = lrd_residents_get_material(kit.residents, lost);
	assert_true(material->ready);
	lrd_resident_texture texture = gpu_kit_texture(&kit, material->slots[0]);
	assert_true(texture.failed && texture.bound);
	gpu_kit_close(&kit, 1);
}

static void a_material_that_is_nowhere_fails(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t nowhere = retain_material(&kit, "nowhere");
	gpu_kit_frames(&kit, 8);
	assert_true(lrd_residents_get_material(kit.residents, nowhere)->failed);
	gpu_kit_close(&kit, 1);
}

// --- Users ---

static void what_changed_reaches_its_users_alone(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	uint32_t moss = gpu_kit_retain_texture(&kit, "moss", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	assert_true(lrd_residents_add_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, stone, 7 }));
	assert_true(lrd_residents_add_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, stone, 8 }));
	assert_true(lrd_residents_add_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, moss, 9 }));
	assert_false(lrd_residents_add_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, 50, 9 }));
	gpu_kit_put(&kit, LRD_TEXTURE, "moss", "stone.ktx2");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit.changes, 1);
	assert_int_equal(kit.changed.user, 9);
	assert_int_equal(kit.changed.index, moss);
	gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit.changes, 3);
	lrd_residents_remove_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, stone, 7 });
	gpu_kit_put(&kit, LRD_TEXTURE, "stone", "stone.ktx2");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit.changes, 4);
	assert_int_equal(kit.changed.user, 8);
	gpu_kit_close(&kit, 2);
}

static void when_users_can_not_be_remembered_everyone_is_told_to_look(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	uint32_t moss = gpu_kit_retain_texture(&kit, "moss", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	atomic_store(&kit.memory.countdown, 0);
	assert_true(lrd_residents_add_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, stone, 7 }));
	atomic_store(&kit.memory.countdown, -1);
	gpu_kit_put(&kit, LRD_TEXTURE, "moss", "stone.ktx2");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit.changes, 1);
	assert_int_equal(kit.changed.what, LRD_CHANGE_EVERYTHING);
	lrd_residents_remove_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, stone, 7 });
	gpu_kit_put(&kit, LRD_TEXTURE, "moss", "moss.ktx2");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit.changes, 1);
	gpu_kit_check_texture(&kit, moss, "moss.ktx2", 0);
	gpu_kit_close(&kit, 2);
}

static void add_forgotten(gpu_kit *kit, uint32_t slot, uint64_t user)
{
	atomic_store(&kit->memory.countdown, 0);
	assert_true(lrd_residents_add_user(kit->residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, slot, user }));
	atomic_store(&kit->memory.countdown, -1);
}

static void a_user_that_was_not_remembered_is_told_until_it_and_no_other_is_removed(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	uint32_t stone = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	uint32_t moss = gpu_kit_retain_texture(&kit, "moss", LRD_ROLE_COLOR);
	uint32_t sky = gpu_kit_retain_texture(&kit, "sky", LRD_ROLE_COLOR);
	gpu_kit_frames(&kit, 8);
	add_forgotten(&kit, stone, 7);
	add_forgotten(&kit, moss, 8);
	assert_true(lrd_residents_add_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, sky, 9 }));
	lrd_residents_release_texture(kit.residents, moss); // its users go with it, one that was not remembered too
	lrd_residents_release_texture(kit.residents, sky);
	gpu_kit_frames(&kit, 8);
	lrd_residents_remove_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, moss, 8 }); // gone already
	lrd_residents_remove_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, sky, 9 });
	uint32_t before = kit.changes;
	gpu_kit_put(&kit, LRD_TEXTURE, "stone", "moss.ktx2");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit.changes, before + 1);
	assert_int_equal(kit.changed.what, LRD_CHANGE_EVERYTHING);
	lrd_residents_remove_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, stone, 7 });
	gpu_kit_put(&kit, LRD_TEXTURE, "stone", "stone.ktx2");
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit.changes, before + 1);
	gpu_kit_close(&kit, 1);
}

typedef struct remover
{
	lrd_residents *residents;
	uint32_t slot;
	uint32_t told;
} remover;

static void remove_all(void *user, const lrd_user_desc *desc)
{
	remover *self = user;
	self->told++;
	(void)desc;
	for (uint64_t number = 1; number <= 4; number++)
	{
		lrd_residents_remove_user(self->residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, self->slot, number });
	}
}

static void users_may_be_removed_while_they_are_told(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	remover self = { .residents = kit.residents };
	self.slot = gpu_kit_retain_texture(&kit, "stone", LRD_ROLE_COLOR);
	lrd_residents_on_change(kit.residents, remove_all, &self);
	for (uint64_t number = 1; number <= 4; number++)
	{
		assert_true(lrd_residents_add_user(kit.residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, self.slot, number }));
	}
	gpu_kit_frames(&kit, 8);
	assert_int_equal(self.told, 1);
	gpu_kit_close(&kit, 1);
}

static void a_drawable_that_can_not_be_had_whole_holds_nothing(void **state)
{
	(void)state;
	bool done = false;
	for (long long succeed = 0; !done; succeed++)
	{
		gpu_kit kit;
		gpu_kit_open(&kit, NULL);
		lrd_asset mesh = kit_find(&kit.store, LRD_MESH, "grid");
		lrd_asset material = kit_find(&kit.store, LRD_MATERIAL, "red");
		lrd_drawable drawable;
		lrd_error error = { 0 };
		atomic_store(&kit.memory.countdown, succeed);
		done = lrd_residents_add_drawable(kit.residents, mesh, material, 5, &drawable, &error);
		atomic_store(&kit.memory.countdown, -1);
		assert_true(done || error.code == LRD_ERROR_MEMORY);
		assert_true(succeed != 0 || !done);
		gpu_kit_frames(&kit, 8);
		assert_int_equal(gpu_kit_stats(&kit).meshes, done);
		assert_int_equal(gpu_kit_stats(&kit).materials, done);
		assert_int_equal(kit.changes != 0, done); // told, though there may have been no memory to remember it
		if (done)
		{
			lrd_residents_remove_drawable(kit.residents, &drawable);
			gpu_kit_frames(&kit, 8);
		}
		assert_int_equal(gpu_kit_stats(&kit).meshes + gpu_kit_stats(&kit).materials, 0);
		gpu_kit_close(&kit, 0);
	}
}

static void a_drawable_of_no_material_is_a_mesh_alone(void **state)
{
	(void)state;
	gpu_kit kit;
	gpu_kit_open(&kit, NULL);
	lrd_drawable drawable;
	lrd_asset mesh = kit_find(&kit.store, LRD_MESH, "grid");
	assert_true(lrd_residents_add_drawable(kit.residents, mesh, (lrd_asset){ 0 }, 5, &drawable, NULL));
	assert_int_equal(drawable.material, LRD_GPU_NO_SLOT);
	gpu_kit_frames(&kit, 8);
	assert_int_equal(kit.changes, 1);
	assert_int_equal(kit.changed.user, 5);
	assert_false(lrd_residents_add_drawable(kit.residents, mesh, mesh, 5, &drawable, NULL)); // no material
	gpu_kit_close(&kit, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_material_holds_its_textures_slots),
		cmocka_unit_test(until_a_material_is_there_it_has_the_defaults_of_gltf),
		cmocka_unit_test(every_slot_a_material_names_samples_something),
		cmocka_unit_test(materials_share_the_slots_of_shared_textures),
		cmocka_unit_test(a_material_that_is_reloaded_keeps_its_index_and_moves_its_revision),
		cmocka_unit_test(a_material_of_a_texture_that_is_nowhere_is_ready_with_its_fallback),
		cmocka_unit_test(a_material_that_is_nowhere_fails),
		cmocka_unit_test(what_changed_reaches_its_users_alone),
		cmocka_unit_test(when_users_can_not_be_remembered_everyone_is_told_to_look),
		cmocka_unit_test(a_user_that_was_not_remembered_is_told_until_it_and_no_other_is_removed),
		cmocka_unit_test(users_may_be_removed_while_they_are_told),
		cmocka_unit_test(a_drawable_that_can_not_be_had_whole_holds_nothing),
		cmocka_unit_test(a_drawable_of_no_material_is_a_mesh_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
