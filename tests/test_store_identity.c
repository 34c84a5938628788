// Identities: finding, names, kinds, forgetting, ids that are stale.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"

static void an_asset_is_the_same_for_every_asker_whatever_the_case(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_find(&kit, LRD_MODEL, "Models/Fox");
	lrd_asset b = kit_find(&kit, LRD_MODEL, "models/fOX");
	assert_true(lrd_asset_equal(a, b));
	assert_string_equal(lrd_asset_stem(kit.store, b).data, "Models/Fox"); // as first asked for
	assert_int_equal(lrd_asset_kind(kit.store, a), LRD_MODEL);
	kit_close(&kit);
}

static void one_stem_under_two_kinds_is_two_assets(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset model = kit_find(&kit, LRD_MODEL, "door");
	lrd_asset material = kit_find(&kit, LRD_MATERIAL, "door");
	assert_false(lrd_asset_equal(model, material));
	kit_close(&kit);
}

static void asking_one_kind_for_another_is_an_error_that_names_both(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset wrong = kit_load(&kit, LRD_TEXTURE, "red");
	lrd_error error;
	assert_true(lrd_asset_error(kit.store, wrong, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, "texture \"red\""));
	assert_non_null(strstr(error.message, "material"));
	assert_true(lrd_release(kit.store, wrong));
	kit_close(&kit);
}

static void a_name_that_no_mount_knows_suggests_the_nearest(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset wrong = kit_load(&kit, LRD_TEXTURE, "albeod");
	lrd_error error;
	assert_true(lrd_asset_error(kit.store, wrong, &error));
	assert_non_null(strstr(error.message, "albedo"));
	assert_true(lrd_release(kit.store, wrong));
	kit_close(&kit);
}

static void paths_that_are_no_asset_paths_are_refused(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	const char *const wrong[] = { "", "/abs", "../up", "a//b", "a/./b", "c:/d", "a\\b", "a/..", "\xff" };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
	{
		lrd_error error = { 0 };
		assert_int_equal(lrd_asset_find(kit.store, LRD_BLOB, wrong[i], &error).generation, 0);
		assert_int_equal(error.code, LRD_ERROR_PATH);
	}
	lrd_error error = { 0 };
	assert_int_equal(lrd_asset_find(kit.store, LRD_KIND_NONE, "a", &error).generation, 0);
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_int_equal(lrd_asset_find(kit.store, (lrd_kind)99, "a", &error).generation, 0);
	assert_int_equal(lrd_asset_find(kit.store, LRD_BLOB, NULL, &error).generation, 0);
	kit_close(&kit);
}

static void a_forgotten_asset_is_stale_and_its_place_serves_another(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset old = kit_load(&kit, LRD_BLOB, "a.bin");
	assert_false(lrd_asset_forget(kit.store, old)); // it is held
	assert_true(lrd_release(kit.store, old));
	assert_true(lrd_asset_forget(kit.store, old));
	assert_false(lrd_asset_is_valid(kit.store, old));
	assert_false(lrd_asset_forget(kit.store, old));
	lrd_asset next = kit_find(&kit, LRD_BLOB, "b.bin");
	assert_int_equal(next.index, old.index);
	assert_int_not_equal(next.generation, old.generation);
	assert_false(lrd_retain(kit.store, old));
	assert_false(lrd_release(kit.store, old));
	assert_null(lrd_blob_get(kit.store, old));
	assert_int_equal(lrd_asset_stem(kit.store, old).size, 0);
	assert_int_equal(lrd_asset_state(kit.store, old), LRD_ABSENT);
	assert_int_equal(kit_stats(&kit).refused, 3);
	kit_close(&kit);
}

static void a_parked_asset_can_be_forgotten(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_release(kit.store, a));
	assert_int_equal(kit_stats(&kit).parked, 1);
	assert_true(lrd_asset_forget(kit.store, a));
	assert_int_equal(kit_resident(&kit), 0);
	kit_close(&kit);
}

static void ids_that_never_were_are_refused_by_every_call(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	const lrd_asset wrong[] = { { 0, 0 }, { 0, 1 }, { 5, 7 }, { UINT32_MAX, UINT32_MAX }, { 0, 2 } };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
	{
		lrd_error error = { 0 };
		uint32_t seen = 3;
		assert_false(lrd_asset_is_valid(kit.store, wrong[i]));
		assert_false(lrd_retain(kit.store, wrong[i]));
		assert_false(lrd_retain_now(kit.store, wrong[i], &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
		assert_false(lrd_release(kit.store, wrong[i]));
		assert_false(lrd_pin(kit.store, wrong[i]));
		assert_false(lrd_unpin(kit.store, wrong[i]));
		assert_false(lrd_asset_has(kit.store, wrong[i]));
		assert_false(lrd_asset_error(kit.store, wrong[i], &error));
		assert_int_equal(lrd_asset_generation(kit.store, wrong[i]), 0);
		assert_false(lrd_asset_renew(kit.store, wrong[i], &seen));
		assert_false(lrd_asset_forget(kit.store, wrong[i]));
		assert_false(lrd_asset_put(kit.store, wrong[i], (lrd_bytes){ 0 }, &error));
		assert_null(lrd_model_get(kit.store, wrong[i]));
	}
	kit_close(&kit);
}

static void the_null_asset_is_refused_and_not_counted_since_finding_it_failed_already(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_error error = { 0 };
	const lrd_asset none = lrd_asset_find(kit.store, LRD_BLOB, "../out", &error);
	assert_int_equal(error.code, LRD_ERROR_PATH);
	assert_false(lrd_retain(kit.store, none) || lrd_retain_now(kit.store, none, &error) || lrd_pin(kit.store, none));
	assert_false(lrd_release(kit.store, none) || lrd_unpin(kit.store, none));
	assert_false(lrd_asset_put(kit.store, none, (lrd_bytes){ "some", 4 }, &error));
	assert_null(lrd_blob_get(kit.store, none));
	assert_int_equal(kit_stats(&kit).refused, 0);
	assert_false(lrd_retain(kit.store, (lrd_asset){ 0, 2 }));
	assert_int_equal(kit_stats(&kit).refused, 1);
	kit_close(&kit);
}

static void a_hundred_thousand_names_are_all_found_again_and_some_forgotten(void **state)
{
	(void)state;
	enum
	{
		count = 100000
	};
	store_kit kit;
	kit_open(&kit);
	static lrd_asset assets[count];
	char stem[64];
	for (uint32_t i = 0; i < count; i++)
	{
		snprintf(stem, sizeof stem, "folder %u/name %u", i % 97, i);
		assets[i] = kit_find(&kit, i % 2 ? LRD_BLOB : LRD_TEXTURE, stem);
	}
	for (uint32_t i = 0; i < count; i += 3)
	{
		assert_true(lrd_asset_forget(kit.store, assets[i]));
	}
	for (uint32_t i = 0; i < count; i++)
	{
		snprintf(stem, sizeof stem, "FOLDER %u/Name %u", i % 97, i);
		lrd_asset again = kit_find(&kit, i % 2 ? LRD_BLOB : LRD_TEXTURE, stem);
		assert_int_equal(lrd_asset_equal(again, assets[i]), i % 3 != 0);
	}
	kit_close(&kit);
}

// Letters are lowered eight at a time: each place in a word, and what lies next to the letters or has its highest bit set.
static void at_every_place_of_a_name_case_is_ignored_and_everything_else_tells_names_apart(void **state)
{
	(void)state;
	static const char *const apart[] = { "@", "`", "[", "{", "z", "a", "A", "Z", "\xc3\x89", "\xc3\xa9", "1" };
	store_kit kit;
	kit_open(&kit);
	for (uint32_t before = 0; before < 20; before++)
	{
		lrd_asset seen[11];
		for (uint32_t i = 0; i < 11; i++)
		{
			char stem[64];
			snprintf(stem, sizeof stem, "%.*s%s%.*s", (int)before, "abcdefghijklmnopqrstuvwxyz", apart[i],
				(int)(before % 9), "ABCDEFGHIJ");
			seen[i] = kit_find(&kit, LRD_BLOB, stem);
			for (uint32_t other = 0; other < i; other++)
			{
				bool same = (apart[other][0] | 0x20) == (apart[i][0] | 0x20) && strchr("azAZ", apart[i][0]) != NULL;
				assert_int_equal(lrd_asset_equal(seen[i], seen[other]), same);
			}
		}
	}
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_asset_is_the_same_for_every_asker_whatever_the_case),
		cmocka_unit_test(one_stem_under_two_kinds_is_two_assets),
		cmocka_unit_test(asking_one_kind_for_another_is_an_error_that_names_both),
		cmocka_unit_test(a_name_that_no_mount_knows_suggests_the_nearest),
		cmocka_unit_test(paths_that_are_no_asset_paths_are_refused),
		cmocka_unit_test(a_forgotten_asset_is_stale_and_its_place_serves_another),
		cmocka_unit_test(a_parked_asset_can_be_forgotten),
		cmocka_unit_test(ids_that_never_were_are_refused_by_every_call),
		cmocka_unit_test(the_null_asset_is_refused_and_not_counted_since_finding_it_failed_already),
		cmocka_unit_test(at_every_place_of_a_name_case_is_ignored_and_everything_else_tells_names_apart),
		cmocka_unit_test(a_hundred_thousand_names_are_all_found_again_and_some_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
