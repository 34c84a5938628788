// Listeners: what happened since the last update is told once, to those whom it concerns, whatever they do meanwhile.

#include "fixtures/store_put.h"

#define LOG_ROOM 1024

/// What listeners heard, in order, and what they do about it.
typedef struct ear
{
	store_kit *kit;
	void (*act)(struct ear *self, const lrd_event *event);
	uint32_t count;
	lrd_event heard[LOG_ROOM];
	lrd_listener listeners[4];
	lrd_scope *scope;
} ear;

static void hear(void *user, const lrd_event *event)
{
	ear *self = user;
	assert_true(self->count < LOG_ROOM);
	self->heard[self->count++] = *event;
	if (self->act != NULL)
	{
		self->act(self, event);
	}
}

static lrd_listener listen(ear *self, lrd_asset asset, lrd_kind kind, uint32_t flags)
{
	lrd_listener listener = { 0 };
	lrd_error error = { 0 };
	const lrd_listener_desc desc = { .asset = asset, .kind = kind, .flags = flags, .on_event = hear, .user = self };
	if (!lrd_store_listen(self->kit->store, &desc, &listener, &error))
	{
		fail_msg("%s", error.message);
	}
	return listener;
}

static lrd_listener listen_to_all(ear *self)
{
	return listen(self, (lrd_asset){ 0 }, LRD_KIND_NONE, 0);
}

static void check_event(const ear *self, uint32_t index, lrd_asset asset, uint32_t flags, uint32_t generation)
{
	assert_true(index < self->count);
	assert_true(lrd_asset_equal(self->heard[index].asset, asset));
	assert_int_equal(self->heard[index].flags, flags);
	assert_int_equal(self->heard[index].generation, generation);
}

// --- What is told ---

static void what_becomes_of_an_asset_is_told_at_the_next_update(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit };
	listen_to_all(&self);
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	kit_run(&kit->jobs);
	assert_int_equal(self.count, 0);
	lrd_store_update(kit->store);
	check_event(&self, 0, a, LRD_EVENT_READY, 1);
	kit_put(kit, a, "new", 3);
	kit_frame(kit);
	check_event(&self, 1, a, LRD_EVENT_RELOADED, 2);
	lrd_release(kit->store, a);
	lrd_store_update(kit->store);
	check_event(&self, 2, a, LRD_EVENT_GONE, 2);
	lrd_asset mesh = kit_find(kit, LRD_MESH, "mesh");
	assert_true(lrd_retain(kit->store, mesh));
	kit_frame(kit);
	check_event(&self, 3, mesh, LRD_EVENT_FAILED, 0);
	lrd_release(kit->store, mesh);
	lrd_store_update(kit->store);
	assert_int_equal(self.count, 4);
}

static void a_reload_that_failed_is_told(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit };
	size_t size;
	lrd_asset material = kit_put_material(kit, "material", NULL, NULL, &size);
	assert_true(lrd_retain(kit->store, material));
	kit_frame(kit);
	listen_to_all(&self);
	kit_put(kit, material, "no material", 11);
	kit_frame(kit);
	assert_int_equal(self.count, 1);
	check_event(&self, 0, material, LRD_EVENT_RELOAD_FAILED, 1);
	lrd_release(kit->store, material);
}

static void everything_since_the_last_update_is_one_event(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit };
	listen(&self, (lrd_asset){ 0 }, LRD_KIND_NONE, LRD_EVENT_GONE); // what else happened is told with it
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	kit_run(&kit->jobs);
	kit_put(kit, a, "new", 3);
	kit_run(&kit->jobs);
	lrd_release(kit->store, a);
	lrd_store_update(kit->store);
	assert_int_equal(self.count, 1);
	check_event(&self, 0, a, LRD_EVENT_READY | LRD_EVENT_RELOADED | LRD_EVENT_GONE, 2);
	lrd_store_update(kit->store);
	assert_int_equal(self.count, 1);
}

static void listeners_hear_of_their_asset_kind_and_flags_alone(void **state)
{
	store_kit *kit = *state;
	ear all = { .kit = kit }, of_a = { .kit = kit }, of_kind = { .kit = kit }, failures = { .kit = kit };
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_held_blob(kit, "b", 3);
	lrd_asset mesh = kit_find(kit, LRD_MESH, "a");
	assert_true(lrd_retain(kit->store, mesh));
	listen_to_all(&all);
	listen(&of_a, a, LRD_KIND_NONE, 0);
	listen(&of_a, a, LRD_BLOB, LRD_EVENT_GONE);
	listen(&of_kind, (lrd_asset){ 0 }, LRD_BLOB, 0);
	listen(&failures, (lrd_asset){ 0 }, LRD_KIND_NONE, LRD_EVENT_FAILED | LRD_EVENT_RELOAD_FAILED);
	kit_frame(kit);
	assert_int_equal(all.count, 3);
	assert_int_equal(of_a.count, 1);
	check_event(&of_a, 0, a, LRD_EVENT_READY, 1);
	assert_int_equal(of_kind.count, 2);
	assert_int_equal(failures.count, 1);
	check_event(&failures, 0, mesh, LRD_EVENT_FAILED, 0);
	lrd_release(kit->store, a);
	lrd_release(kit->store, b);
	lrd_release(kit->store, mesh);
	lrd_store_update(kit->store);
	assert_int_equal(of_a.count, 3);
	check_event(&of_a, 2, a, LRD_EVENT_GONE, 1);
}

static void each_of_many_assets_has_its_listeners(void **state)
{
	store_kit *kit = *state;
	enum
	{
		COUNT = 300 // past several growths of every table
	};
	static ear ears[COUNT];
	static lrd_asset assets[COUNT];
	for (uint32_t i = 0; i < COUNT; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%u", i);
		assets[i] = kit_put_held_blob(kit, stem, 3);
		ears[i] = (ear){ .kit = kit };
		for (uint32_t j = 0; j < 3; j++)
		{
			ears[i].listeners[j] = listen(&ears[i], assets[i], LRD_KIND_NONE, 0);
		}
	}
	for (uint32_t i = 0; i < COUNT; i += 2)
	{
		assert_true(lrd_store_unlisten(kit->store, ears[i].listeners[i % 3]));
	}
	kit_frame(kit);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		assert_int_equal(ears[i].count, i % 2 == 0 ? 2 : 3);
		check_event(&ears[i], 0, assets[i], LRD_EVENT_READY, 1);
		lrd_release(kit->store, assets[i]);
	}
}

static void events_of_forgotten_assets_are_dropped(void **state)
{
	store_kit *kit = *state;
	ear all = { .kit = kit }, of_gone = { .kit = kit };
	listen_to_all(&all);
	lrd_asset first = kit_put_held_blob(kit, "first", 3);
	lrd_asset gone = kit_put_held_blob(kit, "gone", 3);
	lrd_asset last = kit_put_held_blob(kit, "last", 3);
	listen(&of_gone, gone, LRD_KIND_NONE, 0);
	kit_run(&kit->jobs);
	lrd_release(kit->store, gone);
	assert_true(lrd_asset_forget(kit->store, gone));
	lrd_asset heir = kit_find(kit, LRD_MESH, "heir");
	assert_int_equal(heir.index, gone.index);
	lrd_store_update(kit->store);
	assert_int_equal(all.count, 2);
	check_event(&all, 0, first, LRD_EVENT_READY, 1);
	check_event(&all, 1, last, LRD_EVENT_READY, 1);
	assert_true(lrd_retain(kit->store, heir));
	kit_frame(kit);
	check_event(&all, 2, heir, LRD_EVENT_FAILED, 0);
	assert_int_equal(of_gone.count, 0);
	lrd_release(kit->store, first);
	lrd_release(kit->store, last);
	lrd_release(kit->store, heir);
}

static void what_happens_to_the_heir_of_a_forgotten_assets_record_is_told(void **state)
{
	store_kit *kit = *state;
	ear all = { .kit = kit };
	listen_to_all(&all);
	lrd_asset gone = kit_put_held_blob(kit, "gone", 3);
	lrd_asset last = kit_put_held_blob(kit, "last", 3);
	kit_run(&kit->jobs);
	lrd_release(kit->store, gone);
	assert_true(lrd_asset_forget(kit->store, gone));
	lrd_asset heir = kit_put_held_blob(kit, "heir", 3);
	assert_int_equal(heir.index, gone.index);
	kit_frame(kit); // its record is still in the list
	assert_int_equal(all.count, 2);
	check_event(&all, 0, heir, LRD_EVENT_READY, 1);
	check_event(&all, 1, last, LRD_EVENT_READY, 1);
	lrd_release(kit->store, heir);
	lrd_release(kit->store, last);
}

static void without_listeners_nothing_is_noted(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit };
	lrd_listener listener = listen_to_all(&self);
	assert_true(lrd_store_unlisten(kit->store, listener));
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	kit_run(&kit->jobs);
	listen_to_all(&self);
	lrd_store_update(kit->store);
	assert_int_equal(self.count, 0);
	lrd_release(kit->store, a);
}

// --- Inside the call ---

static void unlisten_all(ear *self, const lrd_event *event)
{
	(void)event;
	for (int i = 0; i < 4; i++)
	{
		lrd_store_unlisten(self->kit->store, self->listeners[i]);
	}
}

static void who_ceases_to_listen_in_a_call_is_told_nothing_more(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit, .act = unlisten_all };
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_held_blob(kit, "b", 3);
	self.listeners[0] = listen(&self, a, LRD_KIND_NONE, 0);
	self.listeners[1] = listen_to_all(&self);
	self.listeners[2] = listen_to_all(&self);
	self.listeners[3] = listen(&self, b, LRD_KIND_NONE, 0);
	kit_frame(kit);
	assert_int_equal(self.count, 1);
	lrd_release(kit->store, a);
	lrd_release(kit->store, b);
}

static void listen_more(ear *self, const lrd_event *event)
{
	for (uint32_t i = 0; i < 20; i++) // the table grows under the call
	{
		listen(self, i % 2 == 0 ? event->asset : (lrd_asset){ 0 }, LRD_KIND_NONE, 0);
	}
	self->act = NULL;
}

static void who_begins_to_listen_in_a_call_is_not_told_of_the_same_event(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit, .act = listen_more };
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	listen(&self, a, LRD_KIND_NONE, 0);
	listen(&self, a, LRD_KIND_NONE, 0);
	kit_frame(kit);
	assert_int_equal(self.count, 2);
	lrd_release(kit->store, a);
	lrd_store_update(kit->store);
	assert_int_equal(self.count, 24);
}

static void replace_own(ear *self, const lrd_event *event)
{
	assert_true(lrd_store_unlisten(self->kit->store, self->listeners[0]));
	self->listeners[0] = listen(self, event->asset, LRD_KIND_NONE, 0); // in the same row
}

static void a_listener_that_takes_the_place_of_its_own_row_is_called_once_an_event(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit, .act = replace_own }, other = { .kit = kit };
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	self.listeners[0] = listen(&self, a, LRD_KIND_NONE, 0);
	listen(&other, a, LRD_KIND_NONE, 0);
	kit_frame(kit);
	assert_int_equal(self.count, 1);
	assert_int_equal(other.count, 1);
	lrd_release(kit->store, a);
	lrd_store_update(kit->store);
	assert_int_equal(self.count, 2);
	assert_int_equal(other.count, 2);
}

static void change_again(ear *self, const lrd_event *event)
{
	kit_put(self->kit, event->asset, "x", 1);
	kit_run(&self->kit->jobs);
}

static void what_a_call_causes_is_told_at_the_next_update(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit, .act = change_again };
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	lrd_asset b = kit_put_held_blob(kit, "b", 3);
	kit_run(&kit->jobs);
	listen_to_all(&self);
	kit_put(kit, a, "y", 1);
	kit_run(&kit->jobs);
	for (uint32_t frame = 1; frame <= 5; frame++)
	{
		lrd_store_update(kit->store);
		assert_int_equal(self.count, frame);
		check_event(&self, frame - 1, a, LRD_EVENT_RELOADED, frame + 1);
	}
	lrd_release(kit->store, a);
	lrd_release(kit->store, b);
}

static void release_and_forget_all(ear *self, const lrd_event *event)
{
	if (event->flags & LRD_EVENT_READY)
	{
		lrd_scope_release_all(self->scope);
		for (uint32_t i = 0; i < 10; i++)
		{
			char stem[16];
			snprintf(stem, sizeof stem, "%u", i);
			assert_true(lrd_asset_forget(self->kit->store, kit_find(self->kit, LRD_BLOB, stem)));
		}
		kit_find(self->kit, LRD_BLOB, "heir of one of the records");
	}
}

static void a_call_may_release_and_forget_everything_that_would_be_told(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit, .act = release_and_forget_all, .scope = lrd_scope_create(kit->store, NULL, NULL) };
	for (uint32_t i = 0; i < 10; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%u", i);
		assert_true(lrd_scope_retain(self.scope, kit_put_blob(kit, stem, 3)));
	}
	listen_to_all(&self);
	listen_to_all(&self);
	kit_frame(kit);
	assert_int_equal(self.count, 1);
	lrd_store_update(kit->store);
	assert_int_equal(self.count, 1);
	lrd_scope_destroy(self.scope);
}

// --- Bad calls, and memory ---

static void stale_listeners_are_refused(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit };
	assert_false(lrd_store_unlisten(kit->store, (lrd_listener){ 0, 1 }));
	lrd_listener first = listen_to_all(&self);
	assert_true(lrd_store_unlisten(kit->store, first));
	lrd_listener heir = listen_to_all(&self);
	assert_int_equal(heir.index, first.index);
	assert_false(lrd_store_unlisten(kit->store, first));
	assert_false(lrd_store_unlisten(kit->store, (lrd_listener){ 0, 0 }));
	assert_false(lrd_store_unlisten(kit->store, (lrd_listener){ heir.index + 50, heir.generation }));
	assert_true(lrd_store_unlisten(kit->store, heir));
}

static void listening_wrongly_is_refused(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit };
	lrd_asset a = kit_put_blob(kit, "a", 3);
	lrd_asset forgotten = kit_find(kit, LRD_BLOB, "forgotten");
	assert_true(lrd_asset_forget(kit->store, forgotten));
	const lrd_listener_desc wrong[] = {
		{ .on_event = NULL },
		{ .on_event = hear, .user = &self, .asset = forgotten },
		{ .on_event = hear, .user = &self, .asset = { 3, 0 } },
		{ .on_event = hear, .user = &self, .asset = a, .kind = LRD_MODEL },
		{ .on_event = hear, .user = &self, .kind = LRD_KIND_COUNT },
		{ .on_event = hear, .user = &self, .flags = 1u << 30 },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
	{
		lrd_error error = { 0 };
		lrd_listener listener = { 7, 7 };
		assert_false(lrd_store_listen(kit->store, &wrong[i], &listener, &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
		assert_int_equal(listener.index, 7);
	}
	lrd_error error = { 0 };
	lrd_listener listener;
	assert_false(lrd_store_listen(kit->store, &wrong[3], &listener, &error));
	assert_non_null(strstr(error.message, "blob"));
	assert_non_null(strstr(error.message, "model"));
}

static void a_failure_at_any_allocation_of_listening_changes_nothing(void **state)
{
	(void)state;
	for (long long succeed = 0;; succeed++)
	{
		assert_true(succeed < 1000);
		store_kit kit;
		kit_open(&kit);
		ear all = { .kit = &kit }, of_a = { .kit = &kit };
		lrd_asset a = kit_put_held_blob(&kit, "a", 3);
		uint32_t listening[2] = { 0, 0 };
		bool failed = false;
		atomic_store(&kit.memory.countdown, succeed);
		for (uint32_t i = 0; i < 200; i++)
		{
			lrd_error error = { 0 };
			lrd_listener listener;
			const lrd_listener_desc desc = {
				.asset = i % 2 == 0 ? a : (lrd_asset){ 0 }, .on_event = hear, .user = i % 2 == 0 ? &of_a : &all
			};
			if (lrd_store_listen(kit.store, &desc, &listener, &error))
			{
				listening[i % 2]++;
				continue;
			}
			assert_int_equal(error.code, LRD_ERROR_MEMORY);
			failed = true;
		}
		atomic_store(&kit.memory.countdown, -1);
		kit_frame(&kit);
		assert_int_equal(of_a.count, listening[0]);
		assert_int_equal(all.count, listening[1]);
		lrd_release(kit.store, a);
		kit_close(&kit);
		if (!failed)
		{
			break;
		}
	}
}

static void telling_allocates_nothing(void **state)
{
	store_kit *kit = *state;
	ear self = { .kit = kit };
	lrd_asset assets[20];
	for (uint32_t i = 0; i < 20; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%u", i);
		assets[i] = kit_put_held_blob(kit, stem, 3);
		listen(&self, assets[i], LRD_KIND_NONE, 0);
	}
	kit_run(&kit->jobs);
	long long calls = atomic_load(&kit->memory.calls);
	lrd_store_update(kit->store);
	for (uint32_t i = 0; i < 20; i++)
	{
		lrd_release(kit->store, assets[i]);
	}
	lrd_store_update(kit->store);
	assert_int_equal(self.count, 40);
	assert_int_equal(atomic_load(&kit->memory.calls), calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(what_becomes_of_an_asset_is_told_at_the_next_update),
		KIT_TEST(a_reload_that_failed_is_told),
		KIT_TEST(everything_since_the_last_update_is_one_event),
		KIT_TEST(listeners_hear_of_their_asset_kind_and_flags_alone),
		KIT_TEST(each_of_many_assets_has_its_listeners),
		KIT_TEST(events_of_forgotten_assets_are_dropped),
		KIT_TEST(what_happens_to_the_heir_of_a_forgotten_assets_record_is_told),
		KIT_TEST(without_listeners_nothing_is_noted),
		KIT_TEST(who_ceases_to_listen_in_a_call_is_told_nothing_more),
		KIT_TEST(who_begins_to_listen_in_a_call_is_not_told_of_the_same_event),
		KIT_TEST(a_listener_that_takes_the_place_of_its_own_row_is_called_once_an_event),
		KIT_TEST(what_a_call_causes_is_told_at_the_next_update),
		KIT_TEST(a_call_may_release_and_forget_everything_that_would_be_told),
		KIT_TEST(stale_listeners_are_refused),
		KIT_TEST(listening_wrongly_is_refused),
		cmocka_unit_test(a_failure_at_any_allocation_of_listening_changes_nothing),
		KIT_TEST(telling_allocates_nothing),
	};
	return cmocka_run_group_tests_name("store: listeners", tests, NULL, NULL);
}
