// Tickets: when they answer, what they count, and that nobody else's ticket answers.

#include "fixtures/store_ticket.h"

// --- When it answers ---

static void a_ticket_answers_once_when_everything_has_arrived(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_held_blob(kit, "b", 5);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, a);
	require(kit, ticket, b);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 0);
	kit_frame(kit);
	assert_int_equal(log.events, 1);
	assert_true(log.last.progress.complete && log.last.progress.sealed);
	assert_int_equal(log.last.progress.required, 2);
	assert_int_equal(log.last.progress.arrived, 2);
	assert_int_equal(log.last.arrived_count, 2);
	assert_int_equal(log.last.ticket.index, ticket.index);
	assert_int_equal(log.last.ticket.generation, ticket.generation);
	kit_frame(kit);
	assert_int_equal(log.events, 1);
	lrd_release(kit->store, a);
	lrd_release(kit->store, b);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void an_unsealed_ticket_never_answers(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	ticket_log logs[2];
	lrd_ticket tickets[2];
	for (int i = 0; i < 2; i++)
	{
		tickets[i] = open_ticket(kit, i == 0 ? LRD_WAKE_COMPLETE : LRD_WAKE_PROGRESS, &logs[i]);
		require(kit, tickets[i], a);
	}
	for (int i = 0; i < 3; i++)
	{
		kit_frame(kit);
		assert_int_equal(logs[0].events + logs[1].events, 0);
	}
	for (int i = 0; i < 2; i++)
	{
		assert_true(progress_of(kit, tickets[i]).arrived == 1 && !progress_of(kit, tickets[i]).complete);
		assert_true(lrd_ticket_seal(kit->store, tickets[i]));
		assert_int_equal(logs[i].events, 0);
	}
	lrd_store_update(kit->store);
	for (int i = 0; i < 2; i++)
	{
		assert_int_equal(logs[i].events, 1);
		assert_int_equal(logs[i].arrived, 1);
		assert_true(lrd_ticket_close(kit->store, tickets[i]));
	}
	lrd_release(kit->store, a);
}

static void a_ticket_without_requirements_is_complete_at_the_update_after_sealing(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_PROGRESS, &log);
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 0);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_false(progress_of(kit, ticket).complete);
	lrd_store_update(kit->store);
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	assert_true(log.last.progress.complete);
	assert_int_equal(log.last.arrived_count, 0);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void requirements_already_satisfied_at_seal_answer_at_the_next_update(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset ready = kit_put_held_blob(kit, "ready", 3);
	lrd_asset broken = kit_find(kit, LRD_MODEL, "broken");
	assert_true(lrd_retain(kit->store, broken));
	kit_frame(kit);
	assert_int_equal(lrd_asset_state(kit->store, broken), LRD_FAILED);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, ready);
	require(kit, ticket, broken);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_int_equal(log.events, 0);
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	assert_true(log.last.progress.complete);
	assert_int_equal(log.last.progress.failed, 1);
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_release(kit->store, ready);
	lrd_release(kit->store, broken);
}

static void progress_is_told_at_each_update_before_which_something_arrived(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	const char *const stems[] = { "a", "b", "c", "d" };
	lrd_asset assets[4];
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_PROGRESS, &log);
	for (int i = 0; i < 4; i++)
	{
		assets[i] = kit_put_blob(kit, stems[i], 4);
		require(kit, ticket, assets[i]);
	}
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 0);
	const uint32_t steps[] = { 1, 2, 1 }; // so many arrive between two updates
	uint32_t next = 0;
	for (uint32_t step = 0; step < 3; step++)
	{
		for (uint32_t i = 0; i < steps[step]; i++)
		{
			assert_true(lrd_retain(kit->store, assets[next++]));
			kit_run(&kit->jobs);
		}
		lrd_store_update(kit->store);
		lrd_store_update(kit->store);
		assert_int_equal(log.events, step + 1);
		assert_int_equal(log.last.arrived_count, steps[step]);
		assert_int_equal(log.last.progress.arrived, next);
		assert_int_equal(log.last.progress.complete, next == 4);
	}
	for (int i = 0; i < 4; i++)
	{
		assert_true(lrd_asset_equal(log.assets[i], assets[i])); // in the order of arriving
		lrd_release(kit->store, assets[i]);
	}
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void a_ticket_without_a_function_is_asked(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_int_equal(progress_of(kit, ticket).required, 1);
	kit_run(&kit->jobs);
	assert_int_equal(progress_of(kit, ticket).arrived, 0); // as of the last update
	lrd_store_update(kit->store);
	assert_true(progress_of(kit, ticket).complete);
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_release(kit->store, a);
}

// --- What counts ---

static void a_failed_asset_counts_as_arrived_and_the_ticket_says_how_many_failed(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset good = kit_put_held_blob(kit, "good", 3);
	lrd_asset missing = kit_find(kit, LRD_TEXTURE, "missing");
	lrd_asset damaged = kit_find(kit, LRD_MESH, "damaged");
	kit_put(kit, damaged, "not a mesh", 10);
	assert_true(lrd_retain(kit->store, missing) && lrd_retain(kit->store, damaged));
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, good);
	require(kit, ticket, missing);
	require(kit, ticket, damaged);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_frame(kit);
	assert_int_equal(log.events, 1);
	assert_int_equal(log.last.progress.arrived, 3);
	assert_int_equal(log.last.progress.failed, 2);
	assert_int_equal(log.last.progress.cancelled, 0);
	assert_int_equal(log.last.arrived_count, 3);
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_release(kit->store, good);
	lrd_release(kit->store, missing);
	lrd_release(kit->store, damaged);
}

static void a_load_that_nobody_wants_any_more_counts_as_arrived_and_cancelled(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_true(lrd_release(kit->store, a));
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	assert_int_equal(log.last.progress.arrived, 1);
	assert_int_equal(log.last.progress.cancelled, 1);
	assert_int_equal(log.last.progress.failed, 0);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void an_asset_that_nobody_asked_for_is_waited_for_until_somebody_does(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_frame(kit);
	assert_int_equal(log.events, 0);
	assert_true(lrd_retain(kit->store, a));
	kit_frame(kit);
	assert_int_equal(log.events, 1);
	lrd_release(kit->store, a);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void an_asset_required_twice_counts_once(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	enum
	{
		OTHERS = 20,
		ASSETS = 40
	};
	lrd_asset assets[ASSETS];
	lrd_ticket others[OTHERS];
	for (uint32_t i = 0; i < ASSETS; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%u", i);
		assets[i] = kit_put_held_blob(kit, stem, 1);
	}
	for (uint32_t i = 0; i < OTHERS; i++)
	{
		others[i] = lrd_ticket_open(kit->store, NULL, NULL);
		require(kit, others[i], assets[7]); // the list of those who wait for it is longer than what most require
	}
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	for (uint32_t i = 0; i < 3 * ASSETS; i++)
	{
		require(kit, ticket, assets[i % ASSETS]);
		uint32_t distinct = i + 1 < ASSETS ? i + 1 : ASSETS;
		assert_int_equal(progress_of(kit, ticket).required, distinct);
	}
	require(kit, others[0], assets[7]);
	assert_int_equal(progress_of(kit, others[0]).required, 1);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_frame(kit);
	assert_int_equal(log.last.progress.arrived, ASSETS);
	assert_int_equal(log.arrived, ASSETS);
	for (uint32_t i = 0; i < ASSETS; i++)
	{
		lrd_release(kit->store, assets[i]);
	}
	for (uint32_t i = 0; i < OTHERS; i++)
	{
		assert_true(lrd_ticket_close(kit->store, others[i]));
	}
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void a_waiter_is_satisfied_only_by_its_own_kind(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	size_t size;
	lrd_asset material = kit_put_material(kit, "fox", NULL, NULL, &size);
	lrd_asset model = kit_find(kit, LRD_MODEL, "fox");
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_PROGRESS, &log);
	require(kit, ticket, model);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_true(lrd_retain(kit->store, material));
	kit_frame(kit);
	assert_int_equal(lrd_asset_state(kit->store, material), LRD_READY);
	assert_int_equal(log.events, 0);
	assert_int_equal(progress_of(kit, ticket).arrived, 0);
	assert_true(lrd_retain(kit->store, model));
	kit_frame(kit);
	assert_int_equal(log.events, 1);
	assert_true(lrd_asset_equal(log.assets[0], model));
	lrd_release(kit->store, material);
	lrd_release(kit->store, model);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void requirements_are_listed_in_the_order_they_were_made(void **state)
{
	store_kit *kit = *state;
	enum
	{
		COUNT = 300
	};
	static lrd_asset assets[COUNT];
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%u", i);
		assets[i] = kit_put_blob(kit, stem, 1);
		require(kit, ticket, assets[i]);
	}
	for (uint32_t i = 0; i < COUNT; i += 3)
	{
		assert_true(lrd_retain(kit->store, assets[i]));
	}
	kit_frame(kit);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		lrd_asset asset;
		bool arrived;
		assert_true(lrd_ticket_at(kit->store, ticket, i, &asset, &arrived));
		assert_true(lrd_asset_equal(asset, assets[i]));
		assert_int_equal(arrived, i % 3 == 0);
	}
	lrd_asset untouched = { 7, 7 };
	bool arrived;
	assert_false(lrd_ticket_at(kit->store, ticket, COUNT, &untouched, &arrived));
	assert_int_equal(untouched.index, 7);
	assert_int_equal(progress_of(kit, ticket).arrived, COUNT / 3);
	for (uint32_t i = 0; i < COUNT; i += 3)
	{
		lrd_release(kit->store, assets[i]);
	}
	assert_true(lrd_ticket_close(kit->store, ticket));
}

// --- Closing, and ids ---

static void a_ticket_outlived_by_its_edge_decrements_nothing(void **state)
{
	store_kit *kit = *state;
	ticket_log first, second;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_blob(kit, "b", 3);
	lrd_ticket closed = open_ticket(kit, LRD_WAKE_PROGRESS, &first);
	require(kit, closed, a);
	assert_true(lrd_ticket_seal(kit->store, closed));
	assert_true(lrd_ticket_close(kit->store, closed));
	lrd_ticket heir = open_ticket(kit, LRD_WAKE_PROGRESS, &second);
	assert_int_equal(heir.index, closed.index); // it has the other's row
	require(kit, heir, b);
	assert_true(lrd_ticket_seal(kit->store, heir));
	kit_frame(kit);
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_READY);
	assert_int_equal(first.events + second.events, 0);
	lrd_ticket_progress progress = progress_of(kit, heir);
	assert_int_equal(progress.required, 1);
	assert_int_equal(progress.arrived, 0);
	assert_true(lrd_ticket_close(kit->store, heir));
	lrd_release(kit->store, a);
}

static void a_closed_tickets_late_edge_reaches_nobody(void **state)
{
	store_kit *kit = *state;
	ticket_log first, second;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_ticket closed = open_ticket(kit, LRD_WAKE_PROGRESS, &first);
	require(kit, closed, a);
	assert_true(lrd_ticket_seal(kit->store, closed));
	kit_run(&kit->jobs); // the edge is in the mailbox
	assert_true(lrd_ticket_close(kit->store, closed));
	lrd_ticket heir = open_ticket(kit, LRD_WAKE_PROGRESS, &second);
	lrd_store_update(kit->store);
	assert_int_equal(first.events + second.events, 0);
	assert_true(lrd_ticket_close(kit->store, heir));
	lrd_release(kit->store, a);
}

static void stale_tickets_are_refused_by_every_call(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_ticket closed = lrd_ticket_open(kit->store, NULL, NULL);
	lrd_ticket open = lrd_ticket_open(kit->store, NULL, NULL);
	assert_true(lrd_ticket_close(kit->store, closed));
	const lrd_ticket stale[] = {
		{ 0, 0 },
		closed,
		{ open.index, open.generation + 1 },
		{ open.index, 0 },
		{ open.index + 100, open.generation },
		{ UINT32_MAX, UINT32_MAX },
	};
	for (size_t i = 0; i < sizeof stale / sizeof *stale; i++)
	{
		lrd_error error = { 0 };
		lrd_ticket_progress progress = { .required = 77 };
		lrd_asset asset = { 7, 7 };
		bool arrived = true;
		assert_false(lrd_ticket_require(kit->store, stale[i], a, &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
		assert_false(lrd_ticket_seal(kit->store, stale[i]));
		assert_false(lrd_ticket_get(kit->store, stale[i], &progress));
		assert_int_equal(progress.required, 77);
		assert_false(lrd_ticket_at(kit->store, stale[i], 0, &asset, &arrived));
		assert_int_equal(asset.index, 7);
		assert_false(lrd_ticket_wait(kit->store, stale[i]));
		assert_false(lrd_ticket_close(kit->store, stale[i]));
	}
	assert_int_equal(progress_of(kit, open).required, 0);
	assert_false(progress_of(kit, open).sealed);
	assert_true(lrd_ticket_close(kit->store, open));
}

static void before_the_first_ticket_every_id_is_stale(void **state)
{
	store_kit *kit = *state;
	lrd_ticket_progress progress;
	assert_false(lrd_ticket_get(kit->store, (lrd_ticket){ 0, 1 }, &progress));
	assert_false(lrd_ticket_close(kit->store, (lrd_ticket){ 0, 0 }));
	lrd_store_update(kit->store);
}

static void a_sealed_ticket_takes_no_more(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_false(lrd_ticket_seal(kit->store, ticket));
	lrd_error error = { 0 };
	assert_false(lrd_ticket_require(kit->store, ticket, a, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "blob \"a\""));
	assert_int_equal(progress_of(kit, ticket).required, 0);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void stale_assets_are_not_waited_for(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	lrd_asset forgotten = kit_find(kit, LRD_BLOB, "forgotten");
	assert_true(lrd_asset_forget(kit->store, forgotten));
	const lrd_asset stale[] = { { 0, 0 }, forgotten, { a.index, a.generation + 2 }, { a.index + 5000, a.generation } };
	for (size_t i = 0; i < sizeof stale / sizeof *stale; i++)
	{
		lrd_error error = { 0 };
		assert_false(lrd_ticket_require(kit->store, ticket, stale[i], &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	}
	assert_int_equal(progress_of(kit, ticket).required, 0);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void tickets_left_open_leak_nothing(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	ticket_log log;
	for (uint32_t i = 0; i < 100; i++)
	{
		lrd_ticket ticket = open_ticket(kit, LRD_WAKE_PROGRESS, &log);
		require(kit, ticket, a);
		assert_true(i % 2 == 0 || lrd_ticket_seal(kit->store, ticket));
	}
	kit_run(&kit->jobs);
	lrd_release(kit->store, a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_ticket_answers_once_when_everything_has_arrived),
		KIT_TEST(an_unsealed_ticket_never_answers),
		KIT_TEST(a_ticket_without_requirements_is_complete_at_the_update_after_sealing),
		KIT_TEST(requirements_already_satisfied_at_seal_answer_at_the_next_update),
		KIT_TEST(progress_is_told_at_each_update_before_which_something_arrived),
		KIT_TEST(a_ticket_without_a_function_is_asked),
		KIT_TEST(a_failed_asset_counts_as_arrived_and_the_ticket_says_how_many_failed),
		KIT_TEST(a_load_that_nobody_wants_any_more_counts_as_arrived_and_cancelled),
		KIT_TEST(an_asset_that_nobody_asked_for_is_waited_for_until_somebody_does),
		KIT_TEST(an_asset_required_twice_counts_once),
		KIT_TEST(a_waiter_is_satisfied_only_by_its_own_kind),
		KIT_TEST(requirements_are_listed_in_the_order_they_were_made),
		KIT_TEST(a_ticket_outlived_by_its_edge_decrements_nothing),
		KIT_TEST(a_closed_tickets_late_edge_reaches_nobody),
		KIT_TEST(stale_tickets_are_refused_by_every_call),
		KIT_TEST(before_the_first_ticket_every_id_is_stale),
		KIT_TEST(a_sealed_ticket_takes_no_more),
		KIT_TEST(stale_assets_are_not_waited_for),
		KIT_TEST(tickets_left_open_leak_nothing),
	};
	return cmocka_run_group_tests_name("store: tickets", tests, NULL, NULL);
}
