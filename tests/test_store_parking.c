// What nobody holds: parked, resurrected, evicted; models and what they name in their order.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"
#include "store/store.h"

static void parked_asset_is_resurrected_without_io(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset m = kit_load(&kit, LRD_MODEL, "m");
	assert_true(lrd_release(kit.store, m));
	assert_int_equal(kit_stats(&kit).parked, 5); // with two materials and two textures
	uint64_t probes = kit_stats(&kit).probes;
	assert_true(lrd_retain(kit.store, m));
	assert_int_equal(lrd_asset_state(kit.store, m), LRD_READY); // at once
	lrd_store_stats stats = kit_stats(&kit);
	assert_int_equal(stats.parked, 0);
	assert_int_equal(stats.parked_bytes, 0);
	assert_int_equal(stats.resurrected, 5);
	assert_int_equal(stats.probes, probes);
	assert_true(lrd_release(kit.store, m));
	kit_close(&kit);
}

static void the_oldest_goes_first(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	lrd_asset b = kit_load(&kit, LRD_BLOB, "b.bin");
	lrd_asset c = kit_load(&kit, LRD_BLOB, "c.bin");
	assert_true(lrd_release(kit.store, b));
	assert_true(lrd_release(kit.store, a));
	assert_true(lrd_release(kit.store, c));
	uint64_t bytes = kit_stats(&kit).parked_bytes;
	lrd_store_keep_parked(kit.store, bytes - 1);
	assert_false(lrd_asset_has(kit.store, b));
	assert_true(lrd_asset_has(kit.store, a) && lrd_asset_has(kit.store, c));
	assert_int_equal(kit_stats(&kit).evicted, 1);
	kit_close(&kit);
}

static void a_model_goes_before_what_it_names(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset m = kit_load(&kit, LRD_MODEL, "m");
	assert_true(lrd_release(kit.store, m));
	lrd_store_stats stats = kit_stats(&kit);
	for (uint64_t keep = stats.parked_bytes; keep > 0; keep--)
	{
		lrd_store_keep_parked(kit.store, keep - 1);
		bool model = lrd_asset_has(kit.store, m);
		bool red = lrd_asset_has(kit.store, kit_find(&kit, LRD_MATERIAL, "red"));
		bool blue = lrd_asset_has(kit.store, kit_find(&kit, LRD_MATERIAL, "blue"));
		bool albedo = lrd_asset_has(kit.store, kit_find(&kit, LRD_TEXTURE, "albedo"));
		assert_true(!model || (red && blue));
		assert_true(!(red || blue) || albedo);
	}
	assert_int_equal(kit_stats(&kit).parked, 0);
	kit_close(&kit);
}

static void setting_the_budget_to_zero_flushes(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	assert_true(lrd_release(kit.store, kit_load(&kit, LRD_MODEL, "m")));
	lrd_store_keep_parked(kit.store, 0);
	assert_int_equal(kit_resident(&kit), 0);
	kit_close(&kit);
}

static void what_alone_is_over_the_budget_pushes_nothing_else_out(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	lrd_asset c = kit_load(&kit, LRD_BLOB, "c.bin");
	assert_true(lrd_release(kit.store, a));
	lrd_store_keep_parked(kit.store, kit_stats(&kit).parked_bytes);
	assert_true(lrd_release(kit.store, c));
	assert_true(lrd_asset_has(kit.store, a));
	assert_false(lrd_asset_has(kit.store, c));
	kit_close(&kit);
}

static void a_parked_payload_that_grows_is_charged_anew_and_trimmed_at_once(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	lrd_asset b = kit_load(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_release(kit.store, a));
	assert_true(lrd_release(kit.store, b));
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(kit.store);
	lrd_payload *payload = lrd_record_payload(lrd_record_at(kit.store, b.index));
	lrd_payload_recharge(kit.store, payload, payload->charged + 5000, &aftermath);
	lrd_store_leave(kit.store, &aftermath);
	uint64_t bytes = kit_stats(&kit).parked_bytes;
	assert_int_equal(bytes, kit_resident(&kit));
	lrd_store_enter(kit.store);
	lrd_payload_recharge(kit.store, payload, 1 << 20, &aftermath);
	lrd_store_leave(kit.store, &aftermath);
	assert_false(lrd_asset_has(kit.store, a)); // the oldest made room
	assert_true(lrd_asset_has(kit.store, b));
	kit_close(&kit);
}

static void an_old_payload_that_grows_is_counted_as_such(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	lrd_payload *old = lrd_record_payload(lrd_record_at(kit.store, a.index));
	assert_int_equal(lrd_store_changed(kit.store, LRD_BLOB, LRD_STR("a.bin")), 1);
	kit_run(&kit.jobs);
	uint64_t before = kit_stats(&kit).elder_bytes;
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(kit.store);
	lrd_payload_recharge(kit.store, old, old->charged + 500, &aftermath);
	lrd_store_leave(kit.store, &aftermath);
	assert_int_equal(kit_stats(&kit).elder_bytes, before + 500);
	assert_true(lrd_release(kit.store, a));
	assert_int_equal(kit_stats(&kit).elder_bytes, 0);
	kit_close(&kit);
}

static void what_changed_while_it_was_parked_is_read_again(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_release(kit.store, a));
	assert_int_equal(lrd_store_changed(kit.store, LRD_BLOB, LRD_STR("a.bin")), 0);
	assert_false(lrd_asset_has(kit.store, a));
	assert_int_equal(kit_resident(&kit), 0);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parked_asset_is_resurrected_without_io),
		cmocka_unit_test(the_oldest_goes_first),
		cmocka_unit_test(a_model_goes_before_what_it_names),
		cmocka_unit_test(setting_the_budget_to_zero_flushes),
		cmocka_unit_test(what_alone_is_over_the_budget_pushes_nothing_else_out),
		cmocka_unit_test(a_parked_payload_that_grows_is_charged_anew_and_trimmed_at_once),
		cmocka_unit_test(an_old_payload_that_grows_is_counted_as_such),
		cmocka_unit_test(what_changed_while_it_was_parked_is_read_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
