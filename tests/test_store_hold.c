// Holds: one reference as a value, never given back twice, never lost.

#include "fixtures/store_put.h"

/// References that users hold to an asset, as the store counts them.
static uint32_t references(store_kit *kit, lrd_asset asset)
{
	uint32_t count = 0;
	while (lrd_release(kit->store, asset))
	{
		count++;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		assert_true(lrd_retain(kit->store, asset));
	}
	kit_run(&kit->jobs);
	return count;
}

static bool is_empty(const lrd_hold *hold)
{
	return hold->store == NULL && hold->asset.index == 0 && hold->asset.generation == 0 && hold->seen == 0;
}

static void a_hold_takes_a_reference_and_gives_it_back(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_hold hold = { 0 };
	assert_true(lrd_hold_take(&hold, kit->store, a));
	kit_run(&kit->jobs);
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_READY);
	assert_int_equal(references(kit, a), 1);
	lrd_hold_end(&hold);
	assert_true(is_empty(&hold));
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_ABSENT);
}

static void a_hold_ended_twice_releases_once(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_hold hold = { 0 };
	assert_true(lrd_hold_take(&hold, kit->store, a));
	lrd_hold_end(&hold);
	lrd_hold_end(&hold);
	assert_int_equal(references(kit, a), 1);
	lrd_release(kit->store, a);
}

static void a_moved_from_hold_releases_nothing(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_hold from = { 0 };
	lrd_hold to = { 0 };
	assert_true(lrd_hold_take(&from, kit->store, a));
	lrd_hold_move(&to, &from);
	assert_true(is_empty(&from));
	lrd_hold_end(&from);
	assert_int_equal(references(kit, a), 2);
	lrd_hold_end(&to);
	assert_int_equal(references(kit, a), 1);
	lrd_release(kit->store, a);
}

static void moving_releases_what_was_held_there(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_held_blob(kit, "b", 3);
	lrd_hold from = { 0 };
	lrd_hold to = { 0 };
	assert_true(lrd_hold_take(&from, kit->store, a));
	assert_true(lrd_hold_take(&to, kit->store, b));
	lrd_hold_move(&to, &from);
	assert_true(lrd_asset_equal(to.asset, a));
	assert_int_equal(references(kit, a), 2);
	assert_int_equal(references(kit, b), 1);
	lrd_hold_move(&to, &from); // from holds nothing: so does to, then
	assert_true(is_empty(&to));
	assert_int_equal(references(kit, a), 1);
	lrd_release(kit->store, a);
	lrd_release(kit->store, b);
}

static void moving_a_hold_to_itself_does_nothing(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_hold hold = { 0 };
	lrd_hold_move(&hold, &hold);
	assert_true(is_empty(&hold));
	assert_true(lrd_hold_take(&hold, kit->store, a));
	lrd_hold_move(&hold, &hold);
	assert_true(lrd_asset_equal(hold.asset, a));
	assert_int_equal(references(kit, a), 2);
	lrd_hold_end(&hold);
	lrd_release(kit->store, a);
}

static void resetting_takes_the_new_before_it_lets_go_of_the_old(void **state)
{
	store_kit *kit = *state;
	size_t size;
	kit_put_texture(kit, "shared", 16);
	lrd_asset first = kit_put_material(kit, "first", "shared", NULL, &size);
	lrd_asset second = kit_put_material(kit, "second", "shared", NULL, &size);
	lrd_asset shared = kit_find(kit, LRD_TEXTURE, "shared");
	lrd_hold hold = { 0 };
	assert_true(lrd_hold_reset(&hold, kit->store, first));
	kit_run(&kit->jobs);
	assert_int_equal(lrd_asset_generation(kit->store, shared), 1);
	assert_true(lrd_hold_reset(&hold, kit->store, first)); // the only reference changes hands, and the payload stays
	assert_int_equal(lrd_asset_generation(kit->store, first), 1);
	assert_int_equal(references(kit, first), 1);
	lrd_hold keeps_second = { 0 };
	assert_true(lrd_hold_take(&keeps_second, kit->store, second));
	kit_run(&kit->jobs);
	uint32_t generation = lrd_asset_generation(kit->store, shared);
	assert_true(lrd_hold_reset(&hold, kit->store, second));
	assert_int_equal(lrd_asset_generation(kit->store, shared), generation); // never gone
	assert_int_equal(lrd_asset_state(kit->store, first), LRD_ABSENT);
	lrd_hold_end(&keeps_second);
	assert_true(lrd_hold_reset(&hold, kit->store, (lrd_asset){ 0 }));
	assert_true(is_empty(&hold));
	assert_int_equal(lrd_asset_state(kit->store, shared), LRD_ABSENT);
}

static void a_reset_that_fails_leaves_the_hold_as_it_was(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_blob(kit, "b", 3);
	lrd_asset forgotten = kit_find(kit, LRD_BLOB, "forgotten");
	assert_true(lrd_asset_forget(kit->store, forgotten));
	kit_run(&kit->jobs);
	lrd_hold hold = { 0 };
	assert_true(lrd_hold_take(&hold, kit->store, a));
	assert_false(lrd_hold_reset(&hold, kit->store, forgotten));
	assert_true(lrd_asset_equal(hold.asset, a));
	atomic_store(&kit->memory.countdown, 0);
	assert_false(lrd_hold_reset(&hold, kit->store, b));
	atomic_store(&kit->memory.countdown, -1);
	assert_true(lrd_asset_equal(hold.asset, a));
	assert_int_equal(lrd_asset_state(kit->store, b), LRD_ABSENT);
	assert_int_equal(references(kit, a), 2);
	lrd_hold_end(&hold);
	lrd_release(kit->store, a);
}

static void a_take_that_fails_leaves_nothing(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_asset b = kit_put_blob(kit, "b", 3);
	lrd_hold hold = { 0 };
	assert_false(lrd_hold_take(&hold, kit->store, (lrd_asset){ 0 }));
	assert_true(is_empty(&hold));
	atomic_store(&kit->memory.countdown, 0);
	assert_false(lrd_hold_take(&hold, kit->store, a));
	atomic_store(&kit->memory.countdown, -1);
	assert_true(is_empty(&hold));
	assert_true(lrd_hold_take(&hold, kit->store, a));
	assert_false(lrd_hold_take(&hold, kit->store, b)); // it holds something
	assert_true(lrd_asset_equal(hold.asset, a));
	assert_int_equal(lrd_asset_state(kit->store, b), LRD_ABSENT);
	lrd_hold_end(&hold);
}

static void a_hold_says_when_there_is_something_newer(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_hold hold = { 0 };
	assert_false(lrd_hold_renew(&hold));
	assert_true(lrd_hold_take(&hold, kit->store, a));
	assert_false(lrd_hold_renew(&hold));
	kit_run(&kit->jobs);
	assert_true(lrd_hold_renew(&hold));
	assert_false(lrd_hold_renew(&hold));
	kit_put(kit, a, "newer", 5);
	kit_run(&kit->jobs);
	lrd_hold moved = { 0 };
	lrd_hold_move(&moved, &hold); // with what it has seen
	assert_true(lrd_hold_renew(&moved));
	assert_int_equal(lrd_blob_get(kit->store, a)->bytes.size, 5);
	assert_false(lrd_hold_renew(&moved));
	lrd_hold_end(&moved);
}

static void a_hold_that_ends_leaves_no_old_payload_to_those_who_renewed(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_hold stays = { 0 };
	lrd_hold goes = { 0 };
	assert_true(lrd_hold_take(&stays, kit->store, a) && lrd_hold_take(&goes, kit->store, a));
	kit_run(&kit->jobs);
	kit_put(kit, a, "newer", 5);
	kit_run(&kit->jobs);
	assert_true(lrd_hold_renew(&stays));
	assert_int_equal(kit_stats(kit).elders, 1); // the other may still read it
	lrd_hold_end(&goes);
	assert_int_equal(kit_stats(kit).elders, 0);
	lrd_hold_end(&stays);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_hold_takes_a_reference_and_gives_it_back),
		KIT_TEST(a_hold_ended_twice_releases_once),
		KIT_TEST(a_moved_from_hold_releases_nothing),
		KIT_TEST(moving_releases_what_was_held_there),
		KIT_TEST(moving_a_hold_to_itself_does_nothing),
		KIT_TEST(resetting_takes_the_new_before_it_lets_go_of_the_old),
		KIT_TEST(a_reset_that_fails_leaves_the_hold_as_it_was),
		KIT_TEST(a_take_that_fails_leaves_nothing),
		KIT_TEST(a_hold_says_when_there_is_something_newer),
		KIT_TEST(a_hold_that_ends_leaves_no_old_payload_to_those_who_renewed),
	};
	return cmocka_run_group_tests_name("store: holds", tests, NULL, NULL);
}
