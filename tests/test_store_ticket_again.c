// Tickets and what comes again or goes away: reloads, second tries, cancelled loads that somebody wants after all,
// assets that are forgotten.

#include "fixtures/store_ticket.h"

static uint32_t change(store_kit *kit, const char *stem)
{
	return lrd_store_changed(kit->store, LRD_BLOB, lrd_string_from(stem));
}

static void a_reload_of_something_a_ticket_waits_for_rearms_it(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_blob(kit, "b", 5);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_PROGRESS, &log);
	require(kit, ticket, a);
	require(kit, ticket, b);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_frame(kit);
	assert_int_equal(log.arrived, 1);
	assert_int_equal(progress_of(kit, ticket).arrived, 1);
	assert_int_equal(change(kit, "a"), 1);
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1); // taking something back is not worth an edge
	assert_int_equal(progress_of(kit, ticket).arrived, 0);
	kit_frame(kit);
	assert_int_equal(log.events, 2);
	assert_int_equal(log.last.arrived_count, 1);
	assert_true(lrd_asset_equal(log.assets[1], a));
	assert_false(log.last.progress.complete);
	assert_true(lrd_retain(kit->store, b));
	kit_frame(kit);
	assert_true(log.last.progress.complete);
	lrd_release(kit->store, a);
	lrd_release(kit->store, b);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void a_reload_between_arriving_and_the_update_holds_the_answer_back(void **state)
{
	store_kit *kit = *state;
	ticket_log logs[2];
	lrd_ticket tickets[2];
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	for (int i = 0; i < 2; i++)
	{
		tickets[i] = open_ticket(kit, i == 0 ? LRD_WAKE_COMPLETE : LRD_WAKE_PROGRESS, &logs[i]);
		require(kit, tickets[i], a);
		assert_true(lrd_ticket_seal(kit->store, tickets[i]));
	}
	kit_run(&kit->jobs);
	assert_int_equal(change(kit, "a"), 1);
	lrd_store_update(kit->store);
	assert_int_equal(logs[0].events, 0);
	assert_int_equal(logs[0].arrived + logs[1].arrived, 0);
	kit_frame(kit);
	for (int i = 0; i < 2; i++)
	{
		assert_true(logs[i].last.progress.complete);
		assert_int_equal(logs[i].arrived, 1);
		assert_true(lrd_ticket_close(kit->store, tickets[i]));
	}
	lrd_release(kit->store, a);
}

static void what_a_ticket_required_while_it_is_reloaded_arrives_with_the_new_payload(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	kit_frame(kit);
	assert_int_equal(change(kit, "a"), 1);
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_RELOAD_PENDING);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 0);
	kit_frame(kit);
	assert_int_equal(log.events, 1);
	assert_int_equal(lrd_asset_generation(kit->store, a), 2);
	lrd_release(kit->store, a);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void a_complete_ticket_is_not_armed_by_a_reload(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_frame(kit);
	assert_int_equal(change(kit, "a"), 1);
	lrd_store_update(kit->store);
	assert_true(progress_of(kit, ticket).complete);
	assert_int_equal(progress_of(kit, ticket).arrived, 1);
	kit_frame(kit);
	assert_int_equal(log.events, 1);
	lrd_release(kit->store, a);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void a_failed_asset_that_is_tried_again_has_to_arrive_again(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_find(kit, LRD_MESH, "a");
	kit_put(kit, a, "not a mesh", 10);
	lrd_asset b = kit_put_blob(kit, "b", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_PROGRESS, &log);
	require(kit, ticket, a);
	require(kit, ticket, b);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_true(lrd_retain(kit->store, a));
	kit_frame(kit);
	assert_int_equal(log.last.progress.failed, 1);
	assert_true(lrd_retain(kit->store, a));
	lrd_store_update(kit->store);
	assert_int_equal(progress_of(kit, ticket).arrived, 0);
	assert_int_equal(progress_of(kit, ticket).failed, 0);
	kit_frame(kit);
	assert_int_equal(log.events, 2);
	assert_int_equal(progress_of(kit, ticket).arrived, 1);
	assert_int_equal(progress_of(kit, ticket).failed, 1);
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_release(kit->store, a);
	lrd_release(kit->store, a);
}

static void a_cancelled_load_that_is_asked_for_again_before_the_update_was_not_cancelled(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_true(lrd_release(kit->store, a));
	assert_true(lrd_retain(kit->store, a));
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 0);
	kit_frame(kit);
	assert_int_equal(log.events, 1);
	assert_int_equal(log.last.progress.cancelled, 0);
	assert_int_equal(log.last.arrived_count, 1);
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_release(kit->store, a);
}

static void unloading_everything_cancels_what_is_waited_for(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset there = kit_put_held_blob(kit, "there", 3);
	kit_run(&kit->jobs);
	lrd_asset coming = kit_put_held_blob(kit, "coming", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, there);
	require(kit, ticket, coming);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_store_unload_all(kit->store);
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	assert_int_equal(log.last.progress.cancelled, 1); // what had arrived, had arrived
	assert_int_equal(log.last.progress.arrived, 2);
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_release(kit->store, there);
	lrd_release(kit->store, coming);
}

static void a_forgotten_asset_is_dropped_at_delivery_and_counts_as_cancelled(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset never = kit_put_blob(kit, "never", 3);
	lrd_asset gone = kit_put_held_blob(kit, "gone", 3);
	lrd_asset stays = kit_put_held_blob(kit, "stays", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, never);
	require(kit, ticket, gone);
	require(kit, ticket, stays);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_run(&kit->jobs);
	lrd_release(kit->store, gone);
	assert_true(lrd_asset_forget(kit->store, gone));
	assert_true(lrd_asset_forget(kit->store, never));
	lrd_asset heir = kit_find(kit, LRD_BLOB, "heir");
	assert_true(heir.index == gone.index || heir.index == never.index); // it has the record of one of them
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	assert_int_equal(log.last.progress.cancelled, 2);
	assert_int_equal(log.last.progress.arrived, 3);
	assert_int_equal(log.last.arrived_count, 1);
	assert_true(lrd_asset_equal(log.assets[0], stays));
	lrd_asset asset;
	bool arrived;
	assert_true(lrd_ticket_at(kit->store, ticket, 0, &asset, &arrived));
	assert_true(lrd_asset_equal(asset, never) && arrived);
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_release(kit->store, stays);
}

static void what_was_told_before_it_was_forgotten_stays_told(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset gone = kit_put_held_blob(kit, "gone", 3);
	lrd_asset b = kit_put_blob(kit, "b", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_PROGRESS, &log);
	require(kit, ticket, gone);
	require(kit, ticket, b);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_frame(kit);
	assert_int_equal(log.arrived, 1);
	lrd_release(kit->store, gone);
	assert_true(lrd_asset_forget(kit->store, gone));
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	assert_int_equal(progress_of(kit, ticket).arrived, 1);
	assert_int_equal(progress_of(kit, ticket).cancelled, 0);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void an_asset_that_is_evicted_after_it_arrived_has_arrived(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_run(&kit->jobs);
	lrd_release(kit->store, a);
	assert_false(lrd_asset_has(kit->store, a));
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	assert_int_equal(log.last.progress.cancelled, 0);
	assert_int_equal(log.last.arrived_count, 1);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_reload_of_something_a_ticket_waits_for_rearms_it),
		KIT_TEST(a_reload_between_arriving_and_the_update_holds_the_answer_back),
		KIT_TEST(what_a_ticket_required_while_it_is_reloaded_arrives_with_the_new_payload),
		KIT_TEST(a_complete_ticket_is_not_armed_by_a_reload),
		KIT_TEST(a_failed_asset_that_is_tried_again_has_to_arrive_again),
		KIT_TEST(a_cancelled_load_that_is_asked_for_again_before_the_update_was_not_cancelled),
		KIT_TEST(unloading_everything_cancels_what_is_waited_for),
		KIT_TEST(a_forgotten_asset_is_dropped_at_delivery_and_counts_as_cancelled),
		KIT_TEST(what_was_told_before_it_was_forgotten_stays_told),
		KIT_TEST(an_asset_that_is_evicted_after_it_arrived_has_arrived),
	};
	return cmocka_run_group_tests_name("store: tickets, again", tests, NULL, NULL);
}
