// Tickets and memory: every allocation may fail and then nothing changed; telling takes none; nothing piles up.

#include "fixtures/store_ticket.h"

enum
{
	ASSETS = 40
};

static void put_all(store_kit *kit, lrd_asset assets[ASSETS])
{
	for (uint32_t i = 0; i < ASSETS; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%u", i);
		assets[i] = kit_put_blob(kit, stem, 3);
	}
}

static void retain_all(store_kit *kit, const lrd_asset assets[ASSETS])
{
	for (uint32_t i = 0; i < ASSETS; i++)
	{
		assert_true(lrd_retain(kit->store, assets[i]));
	}
}

static void release_all(store_kit *kit, const lrd_asset assets[ASSETS])
{
	for (uint32_t i = 0; i < ASSETS; i++)
	{
		assert_true(lrd_release(kit->store, assets[i]));
	}
}

static lrd_ticket try_to_open(store_kit *kit, ticket_log *log)
{
	*log = (ticket_log){ 0 };
	lrd_error error = { 0 };
	const lrd_ticket_desc desc = { .on_event = note_event, .user = log };
	lrd_ticket ticket = lrd_ticket_open(kit->store, &desc, &error);
	assert_true(ticket.generation != 0 || (ticket.index == 0 && error.code == LRD_ERROR_MEMORY));
	return ticket;
}

// Two tickets, so that the second needs a row, too; every call that fails leaves its ticket as it was, and what was
// taken is waited for all the same.
static bool try_tickets(long long succeed)
{
	store_kit kit;
	ticket_log logs[2];
	lrd_ticket tickets[2];
	lrd_asset assets[ASSETS];
	kit_open(&kit);
	put_all(&kit, assets);
	uint32_t taken[2] = { 0 };
	bool failed = false;
	atomic_store(&kit.memory.countdown, succeed);
	for (uint32_t t = 0; t < 2; t++)
	{
		tickets[t] = try_to_open(&kit, &logs[t]);
		for (uint32_t i = 0; tickets[t].generation != 0 && i < ASSETS; i++)
		{
			lrd_error error = { 0 };
			bool takes = lrd_ticket_require(kit.store, tickets[t], assets[i], &error);
			assert_true(takes || error.code == LRD_ERROR_MEMORY);
			taken[t] += takes;
			assert_int_equal(progress_of(&kit, tickets[t]).required, taken[t]);
		}
		failed = failed || taken[t] != ASSETS;
	}
	atomic_store(&kit.memory.countdown, -1);
	retain_all(&kit, assets);
	for (uint32_t t = 0; t < 2; t++)
	{
		assert_true(tickets[t].generation == 0 || lrd_ticket_seal(kit.store, tickets[t]));
	}
	kit_frame(&kit);
	for (uint32_t t = 0; t < 2; t++)
	{
		assert_int_equal(logs[t].events, tickets[t].generation != 0);
		assert_int_equal(logs[t].arrived, taken[t]);
	}
	release_all(&kit, assets);
	kit_close(&kit);
	return !failed;
}

static void a_failure_at_any_allocation_of_a_ticket_leaves_all_counts_as_they_were(void **state)
{
	(void)state;
	for (long long succeed = 0; !try_tickets(succeed); succeed++)
	{
		assert_true(succeed < 1000);
	}
}

static void what_failed_for_want_of_memory_can_be_tried_again(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	atomic_store(&kit->memory.countdown, 0);
	lrd_error error = { 0 };
	assert_false(lrd_ticket_require(kit->store, ticket, a, &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	atomic_store(&kit->memory.countdown, -1);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	kit_frame(kit);
	assert_int_equal(log.arrived, 1);
	lrd_release(kit->store, a);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void an_answer_needs_no_memory(void **state)
{
	store_kit *kit = *state;
	ticket_log logs[3];
	lrd_asset assets[ASSETS];
	put_all(kit, assets);
	for (uint32_t t = 0; t < 3; t++)
	{
		lrd_ticket ticket = open_ticket(kit, t % 2 == 0 ? LRD_WAKE_COMPLETE : LRD_WAKE_PROGRESS, &logs[t]);
		for (uint32_t i = 0; i < ASSETS; i++)
		{
			require(kit, ticket, assets[i]);
		}
		assert_true(lrd_ticket_seal(kit->store, ticket));
	}
	retain_all(kit, assets);
	kit_run(&kit->jobs);
	atomic_store(&kit->memory.countdown, 0);
	lrd_store_update(kit->store);
	atomic_store(&kit->memory.countdown, -1);
	for (uint32_t t = 0; t < 3; t++)
	{
		assert_int_equal(logs[t].arrived, ASSETS);
		assert_true(logs[t].last.progress.complete);
	}
	release_all(kit, assets);
}

static void a_steady_frame_with_tickets_that_wait_allocates_nothing(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	lrd_asset assets[ASSETS];
	put_all(kit, assets);
	lrd_ticket waits = open_ticket(kit, LRD_WAKE_PROGRESS, &log);
	for (uint32_t i = 0; i < ASSETS; i++)
	{
		require(kit, waits, assets[i]);
	}
	assert_true(lrd_ticket_seal(kit->store, waits));
	assert_true(lrd_retain(kit->store, assets[0]));
	kit_frame(kit);
	long long calls = atomic_load(&kit->memory.calls);
	for (uint32_t frame = 0; frame < 100; frame++)
	{
		kit_frame(kit);
	}
	assert_int_equal(atomic_load(&kit->memory.calls), calls);
	assert_int_equal(log.events, 1);
	lrd_release(kit->store, assets[0]);
}

static void tickets_that_come_and_go_take_no_more_room(void **state)
{
	store_kit *kit = *state;
	lrd_asset assets[ASSETS];
	put_all(kit, assets);
	ticket_log log;
	long long bytes = 0;
	for (uint32_t round = 0; round < 1000; round++)
	{
		lrd_ticket tickets[5];
		for (uint32_t t = 0; t < 5; t++)
		{
			tickets[t] = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
			for (uint32_t i = 0; i < ASSETS; i += 3)
			{
				require(kit, tickets[t], assets[i]);
			}
		}
		for (uint32_t t = 0; t < 5; t++)
		{
			assert_true(lrd_ticket_close(kit->store, tickets[t]));
		}
		bytes = round == 0 ? atomic_load(&kit->memory.bytes_out) : bytes;
	}
	assert_int_equal(atomic_load(&kit->memory.bytes_out), bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_at_any_allocation_of_a_ticket_leaves_all_counts_as_they_were),
		KIT_TEST(what_failed_for_want_of_memory_can_be_tried_again),
		KIT_TEST(an_answer_needs_no_memory),
		KIT_TEST(a_steady_frame_with_tickets_that_wait_allocates_nothing),
		KIT_TEST(tickets_that_come_and_go_take_no_more_room),
	};
	return cmocka_run_group_tests_name("store: tickets and memory", tests, NULL, NULL);
}
