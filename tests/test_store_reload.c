// Change while others read: the old payload lives with its readers, the new one takes its place, and failures leave the old one.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"

static lrd_asset put_and_load(store_kit *kit, const char *text)
{
	lrd_asset asset = kit_find(kit, LRD_BLOB, "live.bin");
	assert_true(lrd_asset_put(kit->store, asset, (lrd_bytes){ text, strlen(text) + 1 }, NULL));
	assert_true(lrd_retain(kit->store, asset));
	kit_run(&kit->jobs);
	return asset;
}

static const char *text_of(store_kit *kit, lrd_asset asset)
{
	return lrd_blob_get(kit->store, asset)->bytes.data;
}

static void change(store_kit *kit, lrd_asset asset, const char *text)
{
	assert_true(lrd_asset_put(kit->store, asset, (lrd_bytes){ text, strlen(text) + 1 }, NULL));
	kit_run(&kit->jobs);
}

static void holders_keep_the_old_payload_until_they_renew(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset asset = put_and_load(&kit, "one");
	uint32_t seen = lrd_asset_generation(kit.store, asset);
	const char *old = text_of(&kit, asset);
	assert_true(lrd_asset_put(kit.store, asset, (lrd_bytes){ "two", 4 }, NULL));
	assert_int_equal(lrd_asset_state(kit.store, asset), LRD_RELOAD_PENDING);
	assert_ptr_equal(text_of(&kit, asset), old); // until the new one is ready
	kit_run(&kit.jobs);
	assert_string_equal(text_of(&kit, asset), "two");
	assert_string_equal(old, "one");
	assert_int_equal(kit_stats(&kit).elders, 1);
	assert_true(lrd_asset_renew(kit.store, asset, &seen));
	assert_false(lrd_asset_renew(kit.store, asset, &seen));
	assert_int_equal(kit_stats(&kit).elders, 0);
	assert_true(lrd_release(kit.store, asset));
	kit_close(&kit);
}

static void an_old_payload_dies_with_its_last_reader(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset asset = put_and_load(&kit, "one");
	lrd_hold a = { 0 }, b = { 0 }, late = { 0 };
	assert_true(lrd_hold_take(&a, kit.store, asset));
	assert_true(lrd_hold_take(&b, kit.store, asset));
	assert_true(lrd_release(kit.store, asset));
	change(&kit, asset, "two");
	assert_true(lrd_hold_take(&late, kit.store, asset)); // has never seen "one"
	change(&kit, asset, "three");
	assert_int_equal(kit_stats(&kit).elders, 2);
	assert_true(lrd_hold_renew(&a));
	assert_true(lrd_hold_renew(&late));
	assert_int_equal(kit_stats(&kit).elders, 2); // b may still read "one"
	assert_true(lrd_hold_renew(&b));
	assert_int_equal(kit_stats(&kit).elders, 0);
	lrd_hold_end(&a);
	lrd_hold_end(&b);
	lrd_hold_end(&late);
	kit_close(&kit);
}

static void a_reference_that_came_after_a_reload_frees_nothing_by_renewing(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset asset = put_and_load(&kit, "one"); // this reference reads "one" and never renews
	const char *old = text_of(&kit, asset);
	change(&kit, asset, "two");
	lrd_hold late = { 0 };
	for (int i = 0; i < 5; i++)
	{
		assert_true(lrd_hold_take(&late, kit.store, asset));
		assert_false(lrd_hold_renew(&late));
		lrd_hold_end(&late);
	}
	assert_string_equal(old, "one");
	assert_int_equal(kit_stats(&kit).elders, 1);
	assert_true(lrd_release(kit.store, asset));
	assert_int_equal(kit_stats(&kit).elders, 0);
	kit_close(&kit);
}

static void what_is_read_through_a_holder_lives_until_the_next_update(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset m = kit_load(&kit, LRD_MODEL, "m");
	lrd_asset red = lrd_model_get(kit.store, m)->materials[0];
	const lrd_material *old = lrd_material_get(kit.store, red);
	assert_int_equal(lrd_store_changed(kit.store, LRD_MATERIAL, LRD_STR("red")), 1);
	kit_run(&kit.jobs);
	assert_ptr_not_equal(lrd_material_get(kit.store, red), old);
	assert_true(lrd_string_equal(old->view.name, LRD_STR("material")));
	assert_int_equal(kit_stats(&kit).elders, 1);
	lrd_store_update(kit.store);
	assert_int_equal(kit_stats(&kit).elders, 0);
	assert_true(lrd_release(kit.store, m));
	kit_close(&kit);
}

static void a_new_file_that_fails_to_load_leaves_the_old_payload(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset albedo = kit_load(&kit, LRD_TEXTURE, "albedo");
	const lrd_texture *before = lrd_texture_get(kit.store, albedo);
	assert_true(lrd_asset_put(kit.store, albedo, (lrd_bytes){ "nonsense", 8 }, NULL));
	kit_run(&kit.jobs);
	assert_int_equal(lrd_asset_state(kit.store, albedo), LRD_READY);
	assert_ptr_equal(lrd_texture_get(kit.store, albedo), before);
	lrd_error error;
	assert_true(lrd_asset_error(kit.store, albedo, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_true(lrd_asset_put(kit.store, albedo, (lrd_bytes){ 0 }, NULL)); // the mount's file again
	kit_run(&kit.jobs);
	assert_false(lrd_asset_error(kit.store, albedo, &error));
	assert_true(lrd_release(kit.store, albedo));
	kit_close(&kit);
}

static void new_content_for_an_asset_that_had_failed_loads_it_for_whoever_waits(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset bad = kit_load(&kit, LRD_TEXTURE, "bad");
	lrd_asset nowhere = kit_load(&kit, LRD_TEXTURE, "nowhere");
	assert_int_equal(lrd_asset_state(kit.store, bad), LRD_FAILED);
	assert_true(lrd_asset_put(kit.store, bad, kit_bytes(&kit, "albedo.ktx2"), NULL));
	assert_true(lrd_asset_put(kit.store, nowhere, kit_bytes(&kit, "albedo.ktx2"), NULL));
	kit_run(&kit.jobs);
	assert_non_null(lrd_texture_get(kit.store, bad));
	assert_non_null(lrd_texture_get(kit.store, nowhere));
	assert_true(lrd_release(kit.store, bad));
	assert_true(lrd_release(kit.store, nowhere));
	kit_close(&kit);
}

static void several_changes_in_one_batch_are_one_reload(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset asset = put_and_load(&kit, "one");
	uint64_t loads = kit_stats(&kit).loads;
	for (int i = 0; i < 5; i++)
	{
		lrd_store_changed(kit.store, LRD_BLOB, LRD_STR("live.bin"));
	}
	kit_run(&kit.jobs);
	assert_int_equal(kit_stats(&kit).loads, loads + 1);
	assert_true(lrd_release(kit.store, asset));
	kit_close(&kit);
}

static void a_change_touches_only_its_family_at_that_stem(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	kit_add_material(&kit.files, "m.lmat", (const char *const[4]){ NULL });
	lrd_mount_desc desc = kit_mount_desc(&kit.files);
	lrd_mount mount;
	assert_true(lrd_store_mount(kit.store, &desc, &mount, NULL));
	lrd_asset model = kit_load(&kit, LRD_MODEL, "m");
	lrd_asset material = kit_load(&kit, LRD_MATERIAL, "m");
	assert_int_equal(lrd_store_changed(kit.store, LRD_MESH, LRD_STR("m")), 1); // a mesh is of the model's family
	kit_run(&kit.jobs);
	assert_int_equal(lrd_asset_generation(kit.store, model), 2);
	assert_int_equal(lrd_asset_generation(kit.store, material), 1);
	assert_true(lrd_release(kit.store, model));
	assert_true(lrd_release(kit.store, material));
	kit_close(&kit);
}

static void unload_all_drops_every_payload_and_keeps_every_identity(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset m = kit_load(&kit, LRD_MODEL, "m");
	const lrd_model *old = lrd_model_get(kit.store, m);
	assert_true(lrd_release(kit.store, kit_load(&kit, LRD_BLOB, "a.bin"))); // parked
	lrd_asset queued = kit_find(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_retain(kit.store, queued));
	lrd_store_unload_all(kit.store);
	assert_null(lrd_model_get(kit.store, m));
	assert_int_equal(old->view.material_count, 2); // who holds it may read on
	assert_int_equal(kit_stats(&kit).parked, 0);
	assert_int_equal(lrd_asset_state(kit.store, queued), LRD_ABSENT);
	assert_true(lrd_asset_is_valid(kit.store, m));
	assert_true(lrd_retain(kit.store, m));
	kit_run(&kit.jobs);
	assert_non_null(lrd_model_get(kit.store, m));
	assert_true(lrd_release(kit.store, m));
	assert_true(lrd_release(kit.store, m));
	assert_true(lrd_release(kit.store, queued));
	lrd_store_keep_parked(kit.store, 0);
	lrd_store_update(kit.store);
	assert_int_equal(kit_resident(&kit), 0);
	kit_close(&kit);
}

static void a_model_that_changed_lets_go_of_what_it_no_longer_names(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset m = kit_load(&kit, LRD_MODEL, "m");
	lrd_asset red = kit_find(&kit, LRD_MATERIAL, "red");
	uint32_t seen = lrd_asset_generation(kit.store, m);
	assert_true(lrd_asset_put(kit.store, m, kit_bytes(&kit, "n.lmodel"), NULL));
	kit_run(&kit.jobs);
	assert_true(lrd_asset_has(kit.store, red)); // the old model lives, and what it names
	assert_true(lrd_asset_renew(kit.store, m, &seen));
	assert_false(lrd_asset_has(kit.store, red));
	assert_true(lrd_release(kit.store, m));
	kit_close(&kit);
}

// What a tool does when a source was saved again: it mounts the new cook, unmounts the old one, and says so.
static void a_mount_in_memory_that_changed_loads_anew_what_it_has(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset b = kit_load(&kit, LRD_BLOB, "b.bin");
	lrd_asset c = kit_load(&kit, LRD_BLOB, "c.bin");
	static _Alignas(16) const char text[] = "saved again";
	const lrd_memory_file file = { LRD_STR("b.bin"), { text, sizeof text } };
	lrd_mount newer;
	uint32_t reloaded = 0;
	assert_true(lrd_store_mount(kit.store, &(lrd_mount_desc){ .files = &file, .file_count = 1 }, &newer, NULL));
	assert_true(lrd_store_unmount(kit.store, kit.mount));
	assert_int_equal(lrd_asset_state(kit.store, b), LRD_READY);
	assert_true(lrd_store_changed_now(kit.store, newer, &reloaded, NULL));
	assert_int_equal(reloaded, 1);
	kit_run(&kit.jobs);
	assert_string_equal(text_of(&kit, b), "saved again");
	assert_int_equal(lrd_asset_generation(kit.store, c), 1);
	assert_false(lrd_store_changed_now(kit.store, kit.mount, &reloaded, NULL));
	assert_int_equal(reloaded, 0);
	assert_true(lrd_release(kit.store, b));
	assert_true(lrd_release(kit.store, c));
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holders_keep_the_old_payload_until_they_renew),
		cmocka_unit_test(an_old_payload_dies_with_its_last_reader),
		cmocka_unit_test(a_reference_that_came_after_a_reload_frees_nothing_by_renewing),
		cmocka_unit_test(what_is_read_through_a_holder_lives_until_the_next_update),
		cmocka_unit_test(a_new_file_that_fails_to_load_leaves_the_old_payload),
		cmocka_unit_test(new_content_for_an_asset_that_had_failed_loads_it_for_whoever_waits),
		cmocka_unit_test(several_changes_in_one_batch_are_one_reload),
		cmocka_unit_test(a_change_touches_only_its_family_at_that_stem),
		cmocka_unit_test(unload_all_drops_every_payload_and_keeps_every_identity),
		cmocka_unit_test(a_model_that_changed_lets_go_of_what_it_no_longer_names),
		cmocka_unit_test(a_mount_in_memory_that_changed_loads_anew_what_it_has),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
