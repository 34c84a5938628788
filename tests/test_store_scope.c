// Scopes: references that are given back together, none of them lost when memory runs out.

#include "fixtures/store_put.h"

static lrd_scope *create(store_kit *kit, uint32_t reserve)
{
	lrd_error error = { 0 };
	lrd_scope *scope = lrd_scope_create(kit->store, &(lrd_scope_desc){ .reserve = reserve, .owner = "level" }, &error);
	assert_non_null(scope);
	return scope;
}

static lrd_asset numbered(store_kit *kit, uint32_t number)
{
	char stem[16];
	snprintf(stem, sizeof stem, "%u", number);
	return kit_put_blob(kit, stem, 8);
}

static void leaving_a_scope_gives_everything_back(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 0);
	lrd_asset first = numbered(kit, 0);
	for (uint32_t i = 0; i < 100; i++)
	{
		assert_true(lrd_scope_retain(scope, numbered(kit, i)));
		assert_true(lrd_scope_retain(scope, first));
	}
	kit_frame(kit);
	assert_int_equal(lrd_scope_count(scope), 200);
	assert_int_equal(lrd_asset_state(kit->store, kit_find(kit, LRD_BLOB, "99")), LRD_READY);
	lrd_scope_destroy(scope);
	assert_int_equal(kit_resident(kit), 0);
	lrd_scope_destroy(NULL);
}

static void what_a_scope_holds_is_listed_in_order(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 0);
	lrd_asset assets[4];
	for (uint32_t i = 0; i < 4; i++)
	{
		assets[i] = numbered(kit, i);
		assert_true(lrd_scope_retain(scope, assets[i]));
	}
	assert_true(lrd_scope_release(scope, assets[1]));
	assert_false(lrd_scope_release(scope, assets[1]));
	assert_int_equal(lrd_asset_state(kit->store, assets[1]), LRD_ABSENT);
	assert_int_equal(lrd_scope_count(scope), 3);
	assert_true(lrd_asset_equal(lrd_scope_at(scope, 0), assets[0]));
	assert_true(lrd_asset_equal(lrd_scope_at(scope, 1), assets[2]));
	assert_true(lrd_asset_equal(lrd_scope_at(scope, 2), assets[3]));
	assert_int_equal(lrd_scope_at(scope, 3).generation, 0);
	lrd_scope_destroy(scope);
}

static void an_asset_retained_twice_is_released_one_by_one(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 0);
	lrd_asset a = numbered(kit, 1);
	assert_true(lrd_scope_retain(scope, a) && lrd_scope_retain(scope, a));
	kit_frame(kit);
	assert_true(lrd_scope_release(scope, a));
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_READY);
	assert_true(lrd_scope_release(scope, a));
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_ABSENT);
	lrd_scope_destroy(scope);
}

static void retaining_now_returns_with_the_payload(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 0);
	lrd_error error = { 0 };
	lrd_asset a = numbered(kit, 1);
	assert_true(lrd_scope_retain_now(scope, a, &error));
	assert_int_equal(lrd_blob_get(kit->store, a)->bytes.size, 8);
	lrd_asset missing = kit_find(kit, LRD_MESH, "missing");
	assert_false(lrd_scope_retain_now(scope, missing, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_int_equal(lrd_scope_count(scope), 1);
	assert_false(lrd_release(kit->store, missing)); // it kept no reference
	lrd_scope_destroy(scope);
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_ABSENT);
}

static void a_reference_made_elsewhere_is_adopted(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 0);
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	assert_true(lrd_scope_adopt(scope, a));
	lrd_scope_release_all(scope);
	assert_int_equal(lrd_scope_count(scope), 0);
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_ABSENT);
	assert_false(lrd_scope_adopt(scope, (lrd_asset){ 0 }));
	assert_int_equal(lrd_scope_count(scope), 0);
	lrd_scope_destroy(scope);
}

static void if_a_scope_cant_record_a_reference_it_just_got_it_gives_it_back(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 1);
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_blob(kit, "b", 3);
	kit_run(&kit->jobs);
	uint32_t count = 0;
	while (true) // until its room is used up
	{
		atomic_store(&kit->memory.countdown, 0);
		assert_true(lrd_retain(kit->store, a)); // takes no memory
		bool adopted = lrd_scope_adopt(scope, a);
		atomic_store(&kit->memory.countdown, -1);
		if (!adopted)
		{
			break;
		}
		count++;
		assert_true(count < 1000);
	}
	assert_int_equal(lrd_scope_count(scope), count);
	lrd_error error = { 0 };
	atomic_store(&kit->memory.countdown, 0);
	assert_false(lrd_scope_retain(scope, a));
	assert_false(lrd_scope_retain(scope, b));
	assert_false(lrd_scope_retain_now(scope, a, &error));
	atomic_store(&kit->memory.countdown, -1);
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	assert_int_equal(lrd_scope_count(scope), count);
	assert_int_equal(lrd_asset_state(kit->store, b), LRD_ABSENT);
	lrd_scope_destroy(scope);
	assert_true(lrd_release(kit->store, a)); // the one from the beginning
	assert_false(lrd_release(kit->store, a));
}

static void a_failure_at_any_allocation_of_a_scope_leaves_all_counts_as_they_were(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_asset b = kit_put_blob(kit, "b", 3);
	for (long long succeed = 0;; succeed++)
	{
		assert_true(succeed < 1000);
		atomic_store(&kit->memory.countdown, succeed);
		lrd_error error = { 0 };
		lrd_scope *scope = lrd_scope_create(kit->store, &(lrd_scope_desc){ .reserve = 1, .owner = "level" }, &error);
		assert_true(scope != NULL || error.code == LRD_ERROR_MEMORY);
		bool retained = scope != NULL && lrd_scope_retain(scope, a);
		bool retained_now = retained && lrd_scope_retain_now(scope, b, &error);
		bool done = retained_now;
		for (uint32_t i = 0; done && i < 20; i++)
		{
			done = lrd_scope_retain(scope, b);
		}
		uint32_t count = scope != NULL ? lrd_scope_count(scope) : 0;
		assert_true(count >= (uint32_t)retained + (uint32_t)retained_now);
		assert_true(retained || count == 0);
		lrd_scope_destroy(scope);
		atomic_store(&kit->memory.countdown, -1);
		kit_frame(kit);
		assert_false(lrd_release(kit->store, a));
		assert_false(lrd_release(kit->store, b));
		assert_int_equal(kit_resident(kit), 0);
		if (done)
		{
			break;
		}
	}
}

static void cancelling_drops_what_has_not_come_yet(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 0);
	lrd_asset ready = numbered(kit, 1);
	lrd_asset failed = kit_find(kit, LRD_MESH, "missing");
	lrd_asset reloading = numbered(kit, 2);
	lrd_asset queued = numbered(kit, 3);
	assert_true(lrd_scope_retain(scope, ready) && lrd_scope_retain(scope, failed));
	assert_true(lrd_scope_retain(scope, reloading));
	kit_frame(kit);
	kit_put(kit, reloading, "new", 3);
	assert_int_equal(lrd_asset_state(kit->store, reloading), LRD_RELOAD_PENDING);
	lrd_asset shared = kit_put_held_blob(kit, "shared", 3);
	assert_true(lrd_scope_retain(scope, queued) && lrd_scope_retain(scope, shared));
	assert_int_equal(lrd_scope_cancel(scope), 2);
	assert_int_equal(lrd_scope_cancel(scope), 0);
	assert_int_equal(lrd_scope_count(scope), 3);
	assert_true(lrd_asset_equal(lrd_scope_at(scope, 1), failed));
	assert_int_equal(lrd_asset_state(kit->store, queued), LRD_ABSENT);
	assert_int_equal(lrd_asset_state(kit->store, shared), LRD_QUEUED); // somebody else wants it
	kit_frame(kit);
	assert_int_equal(lrd_asset_state(kit->store, shared), LRD_READY);
	lrd_release(kit->store, shared);
	lrd_scope_destroy(scope);
}

static void renewing_a_scope_says_for_how_many_there_was_something_newer(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 0);
	lrd_asset a = numbered(kit, 1);
	lrd_asset b = numbered(kit, 2);
	assert_true(lrd_scope_retain(scope, a) && lrd_scope_retain(scope, b) && lrd_scope_retain(scope, a));
	assert_int_equal(lrd_scope_renew(scope), 0);
	kit_frame(kit);
	assert_int_equal(lrd_scope_renew(scope), 3);
	kit_put(kit, a, "new", 3);
	kit_frame(kit);
	const lrd_store_stats before = kit_stats(kit);
	assert_int_equal(before.elders, 1);
	assert_int_equal(lrd_scope_renew(scope), 2);
	assert_int_equal(kit_stats(kit).elders, 0);
	assert_int_equal(lrd_scope_renew(scope), 0);
	lrd_scope_destroy(scope);
}

static void a_scope_that_goes_leaves_no_old_payload_to_those_who_renewed(void **state)
{
	store_kit *kit = *state;
	lrd_scope *stays = create(kit, 0);
	lrd_scope *goes = create(kit, 0);
	lrd_asset a = numbered(kit, 1);
	assert_true(lrd_scope_retain(stays, a) && lrd_scope_retain(goes, a) && lrd_scope_retain(goes, a));
	kit_frame(kit);
	kit_put(kit, a, "new", 3);
	kit_frame(kit);
	assert_int_equal(lrd_scope_renew(stays), 1);
	assert_true(lrd_scope_release(goes, a));
	assert_int_equal(kit_stats(kit).elders, 1); // it has another one
	lrd_scope_release_all(goes);
	assert_int_equal(kit_stats(kit).elders, 0);
	lrd_scope_destroy(goes);
	lrd_scope_destroy(stays);
}

static void with_room_reserved_entering_and_leaving_allocates_nothing(void **state)
{
	store_kit *kit = *state;
	enum
	{
		COUNT = 500
	};
	static lrd_asset assets[COUNT];
	lrd_scope *keeps = create(kit, 0);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		assets[i] = numbered(kit, i);
		assert_true(lrd_scope_retain(keeps, assets[i]));
	}
	kit_frame(kit);
	lrd_scope *scope = create(kit, COUNT);
	assert_true(lrd_scope_retain(scope, assets[0])); // the owner's name becomes known
	lrd_scope_release_all(scope);
	long long calls = atomic_load(&kit->memory.calls);
	for (uint32_t round = 0; round < 3; round++)
	{
		for (uint32_t i = 0; i < COUNT; i++)
		{
			assert_true(lrd_scope_retain(scope, assets[i]));
		}
		lrd_store_update(kit->store);
		lrd_scope_release_all(scope);
		lrd_store_update(kit->store);
	}
	assert_int_equal(atomic_load(&kit->memory.calls), calls);
	lrd_scope_destroy(scope);
	lrd_scope_destroy(keeps);
}

static void stale_assets_are_not_retained_through_a_scope(void **state)
{
	store_kit *kit = *state;
	lrd_scope *scope = create(kit, 0);
	lrd_asset forgotten = kit_find(kit, LRD_BLOB, "forgotten");
	assert_true(lrd_asset_forget(kit->store, forgotten));
	const lrd_asset stale[] = { { 0, 0 }, forgotten, { 100000, 1 } };
	for (size_t i = 0; i < sizeof stale / sizeof *stale; i++)
	{
		lrd_error error = { 0 };
		assert_false(lrd_scope_retain(scope, stale[i]));
		assert_false(lrd_scope_retain_now(scope, stale[i], &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
		assert_false(lrd_scope_adopt(scope, stale[i]));
		assert_false(lrd_scope_release(scope, stale[i]));
	}
	assert_int_equal(lrd_scope_count(scope), 0);
	lrd_scope_destroy(scope);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(leaving_a_scope_gives_everything_back),
		KIT_TEST(what_a_scope_holds_is_listed_in_order),
		KIT_TEST(an_asset_retained_twice_is_released_one_by_one),
		KIT_TEST(retaining_now_returns_with_the_payload),
		KIT_TEST(a_reference_made_elsewhere_is_adopted),
		KIT_TEST(if_a_scope_cant_record_a_reference_it_just_got_it_gives_it_back),
		KIT_TEST(a_failure_at_any_allocation_of_a_scope_leaves_all_counts_as_they_were),
		KIT_TEST(cancelling_drops_what_has_not_come_yet),
		KIT_TEST(renewing_a_scope_says_for_how_many_there_was_something_newer),
		KIT_TEST(a_scope_that_goes_leaves_no_old_payload_to_those_who_renewed),
		KIT_TEST(with_room_reserved_entering_and_leaving_allocates_nothing),
		KIT_TEST(stale_assets_are_not_retained_through_a_scope),
	};
	return cmocka_run_group_tests_name("store: scopes", tests, NULL, NULL);
}
