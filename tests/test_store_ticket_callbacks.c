// What a ticket's callback may do: close this ticket or any other, open new ones, retain, release, forget, leave a
// scope. What it is given lives until it returns, and what it causes is told at the next update.

#include "fixtures/store_ticket.h"

/// A callback that does one thing.
typedef struct actor
{
	store_kit *kit;
	void (*act)(struct actor *self, const lrd_ticket_event *event);
	uint32_t calls;
	lrd_ticket tickets[4];
	lrd_asset asset;
	lrd_scope *scope;
} actor;

static void call_actor(void *user, const lrd_ticket_event *event)
{
	actor *self = user;
	self->calls++;
	self->act(self, event);
}

static lrd_ticket open_for(actor *self, lrd_wake wake)
{
	const lrd_ticket_desc desc = { .wake = wake, .on_event = call_actor, .user = self };
	lrd_ticket ticket = lrd_ticket_open(self->kit->store, &desc, NULL);
	assert_int_not_equal(ticket.generation, 0);
	return ticket;
}

static lrd_ticket open_sealed_for(actor *self, lrd_wake wake, lrd_asset asset)
{
	lrd_ticket ticket = open_for(self, wake);
	require(self->kit, ticket, asset);
	assert_true(lrd_ticket_seal(self->kit->store, ticket));
	return ticket;
}

// --- Closing ---

static void close_own(actor *self, const lrd_ticket_event *event)
{
	assert_true(lrd_ticket_close(self->kit->store, event->ticket));
	assert_false(lrd_ticket_close(self->kit->store, event->ticket));
	assert_int_equal(event->arrived_count, 1);
	assert_true(lrd_asset_equal(event->arrived[0], self->asset)); // still there
}

static void a_ticket_may_be_closed_by_its_own_callback(void **state)
{
	store_kit *kit = *state;
	actor self = { .kit = kit, .act = close_own, .asset = kit_put_held_blob(kit, "a", 3) };
	open_sealed_for(&self, LRD_WAKE_COMPLETE, self.asset);
	open_sealed_for(&self, LRD_WAKE_PROGRESS, self.asset);
	kit_frame(kit);
	kit_frame(kit);
	assert_int_equal(self.calls, 2);
	lrd_release(kit->store, self.asset);
}

static void close_all(actor *self, const lrd_ticket_event *event)
{
	(void)event;
	for (int i = 0; i < 4; i++)
	{
		assert_true(lrd_ticket_close(self->kit->store, self->tickets[i]));
	}
}

static void a_ticket_closed_by_anothers_callback_is_told_nothing(void **state)
{
	store_kit *kit = *state;
	actor self = { .kit = kit, .act = close_all, .asset = kit_put_held_blob(kit, "a", 3) };
	for (int i = 0; i < 4; i++)
	{
		self.tickets[i] = open_sealed_for(&self, LRD_WAKE_COMPLETE, self.asset);
	}
	kit_frame(kit);
	kit_frame(kit);
	assert_int_equal(self.calls, 1);
	lrd_release(kit->store, self.asset);
}

static void close_and_reopen(actor *self, const lrd_ticket_event *event)
{
	assert_true(lrd_ticket_close(self->kit->store, event->ticket));
	lrd_ticket heir = open_for(self, LRD_WAKE_COMPLETE);
	assert_int_equal(heir.index, event->ticket.index);
	for (uint32_t i = 0; i < 100; i++) // it makes room for its own news, and the old ones are still to be read
	{
		char stem[16];
		snprintf(stem, sizeof stem, "other %u", i);
		require(self->kit, heir, kit_find(self->kit, LRD_BLOB, stem));
	}
	assert_true(lrd_asset_equal(event->arrived[0], self->asset));
	self->tickets[0] = heir;
}

static void a_callback_may_open_a_ticket_in_the_place_of_its_own(void **state)
{
	store_kit *kit = *state;
	actor self = { .kit = kit, .act = close_and_reopen, .asset = kit_put_held_blob(kit, "a", 3) };
	open_sealed_for(&self, LRD_WAKE_COMPLETE, self.asset);
	kit_frame(kit);
	assert_int_equal(self.calls, 1);
	assert_int_equal(progress_of(kit, self.tickets[0]).required, 100);
	assert_int_equal(progress_of(kit, self.tickets[0]).arrived, 0);
	assert_true(lrd_ticket_close(kit->store, self.tickets[0]));
	lrd_release(kit->store, self.asset);
}

static void open_another(actor *self, const lrd_ticket_event *event)
{
	assert_true(lrd_ticket_close(self->kit->store, event->ticket));
	assert_true(lrd_ticket_seal(self->kit->store, open_for(self, LRD_WAKE_COMPLETE)));
}

static void a_callback_that_always_causes_another_is_called_once_an_update(void **state)
{
	store_kit *kit = *state;
	actor self = { .kit = kit, .act = open_another };
	assert_true(lrd_ticket_seal(kit->store, open_for(&self, LRD_WAKE_COMPLETE)));
	for (uint32_t frame = 1; frame <= 5; frame++)
	{
		lrd_store_update(kit->store);
		assert_int_equal(self.calls, frame);
	}
}

// --- Other things it may do ---

static void release_what_came(actor *self, const lrd_ticket_event *event)
{
	assert_true(lrd_release(self->kit->store, event->arrived[0]));
	assert_true(lrd_asset_forget(self->kit->store, event->arrived[0]));
	lrd_asset next = kit_find(self->kit, LRD_BLOB, "next"); // it has the record
	assert_int_equal(next.index, event->arrived[0].index);
	assert_true(lrd_retain(self->kit->store, next));
	self->asset = next;
}

static void a_callback_may_release_and_forget_what_arrived_and_retain_something_else(void **state)
{
	store_kit *kit = *state;
	actor self = { .kit = kit, .act = release_what_came };
	ticket_log log;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_ticket first = open_sealed_for(&self, LRD_WAKE_COMPLETE, a);
	lrd_ticket second = open_ticket(kit, LRD_WAKE_COMPLETE, &log); // told after the first
	require(kit, second, a);
	assert_true(lrd_ticket_seal(kit->store, second));
	kit_frame(kit);
	assert_int_equal(self.calls, 1);
	assert_int_equal(log.events, 1);
	assert_int_equal(log.last.arrived_count, 0);
	assert_int_equal(log.last.progress.cancelled, 1);
	kit_frame(kit);
	assert_int_equal(self.calls, 1);
	assert_int_equal(lrd_asset_state(kit->store, self.asset), LRD_FAILED); // nobody put it
	lrd_release(kit->store, self.asset);
	assert_true(lrd_ticket_close(kit->store, first));
	assert_true(lrd_ticket_close(kit->store, second));
}

static void leave_scope(actor *self, const lrd_ticket_event *event)
{
	assert_true(event->progress.complete);
	lrd_scope_destroy(self->scope);
	self->scope = lrd_scope_create(self->kit->store, NULL, NULL);
	assert_true(lrd_scope_retain(self->scope, event->arrived[0]));
}

static void a_callback_may_leave_a_scope_and_enter_another(void **state)
{
	store_kit *kit = *state;
	actor self = { .kit = kit, .act = leave_scope, .scope = lrd_scope_create(kit->store, NULL, NULL) };
	lrd_asset a = kit_put_blob(kit, "a", 3);
	assert_true(lrd_scope_retain(self.scope, a));
	lrd_ticket ticket = open_sealed_for(&self, LRD_WAKE_COMPLETE, a);
	kit_frame(kit);
	assert_int_equal(self.calls, 1);
	kit_frame(kit);
	assert_int_equal(lrd_asset_state(kit->store, a), LRD_READY);
	lrd_scope_destroy(self.scope);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void reload_it(actor *self, const lrd_ticket_event *event)
{
	if (self->calls < 3)
	{
		assert_int_equal(event->arrived_count, 1);
		assert_int_equal(lrd_store_changed(self->kit->store, LRD_BLOB, LRD_STR("a")), 1);
	}
}

static void a_reload_from_a_callback_arms_a_ticket_that_is_not_complete(void **state)
{
	store_kit *kit = *state;
	actor self = { .kit = kit, .act = reload_it };
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset never = kit_put_blob(kit, "never", 3);
	lrd_ticket ticket = open_for(&self, LRD_WAKE_PROGRESS);
	require(kit, ticket, a);
	require(kit, ticket, never);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	for (uint32_t frame = 0; frame < 6; frame++)
	{
		kit_frame(kit);
	}
	assert_int_equal(self.calls, 3);
	assert_int_equal(lrd_asset_generation(kit->store, a), 3);
	lrd_release(kit->store, a);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void update_and_close(actor *self, const lrd_ticket_event *event)
{
	(void)event;
	lrd_store_stats before, after;
	lrd_store_get_stats(self->kit->store, &before);
	lrd_store_update(self->kit->store);
	assert_int_equal(lrd_store_close(self->kit->store), 0);
	lrd_store_get_stats(self->kit->store, &after);
	assert_int_equal(after.refused, before.refused + 2);
}

static void a_callback_may_not_update_or_close_the_store(void **state)
{
	store_kit *kit = *state;
	actor self = { .kit = kit, .act = update_and_close };
	assert_true(lrd_ticket_seal(kit->store, open_for(&self, LRD_WAKE_COMPLETE)));
	lrd_store_update(kit->store);
	assert_int_equal(self.calls, 1);
}

static void wait_in_callback(actor *self, const lrd_ticket_event *event)
{
	(void)event;
	assert_true(lrd_ticket_wait(self->kit->store, self->tickets[0]));
	assert_int_equal(lrd_asset_state(self->kit->store, self->asset), LRD_READY);
}

static void a_callback_may_wait_for_another_ticket(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	actor self = { .kit = kit, .act = wait_in_callback, .asset = kit_put_blob(kit, "slow", 3) };
	self.tickets[0] = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	require(kit, self.tickets[0], self.asset);
	assert_true(lrd_ticket_seal(kit->store, self.tickets[0]));
	assert_true(lrd_retain(kit->store, self.asset));
	assert_true(lrd_ticket_seal(kit->store, open_for(&self, LRD_WAKE_COMPLETE)));
	lrd_store_update(kit->store);
	assert_int_equal(self.calls, 1);
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	lrd_release(kit->store, self.asset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(a_ticket_may_be_closed_by_its_own_callback),
		KIT_TEST(a_ticket_closed_by_anothers_callback_is_told_nothing),
		KIT_TEST(a_callback_may_open_a_ticket_in_the_place_of_its_own),
		KIT_TEST(a_callback_that_always_causes_another_is_called_once_an_update),
		KIT_TEST(a_callback_may_release_and_forget_what_arrived_and_retain_something_else),
		KIT_TEST(a_callback_may_leave_a_scope_and_enter_another),
		KIT_TEST(a_reload_from_a_callback_arms_a_ticket_that_is_not_complete),
		KIT_TEST(a_callback_may_not_update_or_close_the_store),
		KIT_TEST(a_callback_may_wait_for_another_ticket),
	};
	return cmocka_run_group_tests_name("store: tickets' callbacks", tests, NULL, NULL);
}
