// A failure at any allocation of any call leaves all counts as they were: each public call that allocates, with its first,
// second, third... allocation failing, until it succeeds. Whatever failed works when it is tried again, and nothing leaks.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"

/// A call under test. `prepare` brings the store into the state that it begins in; `act` is the call; `finish` undoes it.
typedef struct trial
{
	store_kit kit;
	lrd_asset asset;
	lrd_scope *scope;
	lrd_hold hold;
	lrd_ticket ticket;
	lrd_mount mount;
	lrd_listener listener;
	lrd_snapshot snapshot;
	kit_files more;
} trial;

typedef void trial_step(trial *self);
typedef bool trial_act(trial *self, lrd_error *error);

typedef struct scenario
{
	uint64_t keep_parked;
	trial_step *prepare;
	trial_act *act;
	trial_step *finish;
	bool tells; ///< it fills in an error
	bool runs;  ///< a load: what it counts as failed and found is its result
} scenario;

// What must be as it was: everything but the counters of what happened.
static lrd_store_stats counts(const trial *self)
{
	lrd_store_stats stats = kit_stats(&self->kit);
	lrd_store_stats kept = {
		.resident_bytes = stats.resident_bytes,
		.owned_bytes = stats.owned_bytes,
		.parked_bytes = stats.parked_bytes,
		.parked = stats.parked,
		.keep_parked = stats.keep_parked,
		.elder_bytes = stats.elder_bytes,
		.elders = stats.elders,
		.queued = stats.queued,
		.running = stats.running,
		.mounts = stats.mounts,
		.leased_mounts = stats.leased_mounts,
	};
	memcpy(kept.kinds, stats.kinds, sizeof kept.kinds);
	return kept;
}

static void check_failure(
	const scenario *plan, const trial *self, const lrd_store_stats *before, const lrd_error *error)
{
	if (plan->tells)
	{
		assert_int_equal(error->code, LRD_ERROR_MEMORY);
		assert_true(error->message[0] != '\0');
	}
	if (!plan->runs)
	{
		lrd_store_stats after = counts(self);
		assert_memory_equal(&after, before, sizeof after);
	}
}

// Returns whether the call failed with `succeed` allocations granted.
static bool try_with(const scenario *plan, long long succeed)
{
	trial self;
	memset(&self, 0, sizeof self);
	kit_open_with(&self.kit, plan->keep_parked);
	if (plan->prepare != NULL)
	{
		plan->prepare(&self);
	}
	lrd_store_stats before = counts(&self);
	lrd_error error = { 0 };
	atomic_store(&self.kit.memory.countdown, succeed);
	bool done = plan->act(&self, &error);
	atomic_store(&self.kit.memory.countdown, -1);
	if (!done)
	{
		check_failure(plan, &self, &before, &error);
		if (!plan->act(&self, &error))
		{
			fail_msg("with memory again, after %lld allocations: %s", succeed, error.message);
		}
	}
	plan->finish(&self);
	kit_files_free(&self.more);
	kit_close(&self.kit);
	return !done;
}

static void fail_each(const scenario *plan)
{
	long long succeed = 0;
	while (try_with(plan, succeed))
	{
		succeed++;
		assert_true(succeed < 1000);
	}
	assert_true(succeed > 0); // it allocates, so something was tried
}

// --- Steps ---

static void find_blob(trial *self)
{
	self->asset = kit_find(&self->kit, LRD_BLOB, "a.bin");
}

static void find_model(trial *self)
{
	self->asset = kit_find(&self->kit, LRD_MODEL, "m");
}

static void load_blob(trial *self)
{
	self->asset = kit_load(&self->kit, LRD_BLOB, "a.bin");
}

static void load_model(trial *self)
{
	self->asset = kit_load(&self->kit, LRD_MODEL, "m");
}

static void release(trial *self)
{
	kit_run(&self->kit.jobs);
	assert_true(lrd_release(self->kit.store, self->asset));
}

static void nothing(trial *self)
{
	(void)self;
}

static bool find(trial *self, lrd_error *error)
{
	return lrd_asset_find(self->kit.store, LRD_TEXTURE, "some/new/name", error).generation != 0;
}

static bool retain(trial *self, lrd_error *error)
{
	(void)error;
	return lrd_retain(self->kit.store, self->asset);
}

static bool retain_now(trial *self, lrd_error *error)
{
	return lrd_retain_now(self->kit.store, self->asset, error);
}

static bool pin(trial *self, lrd_error *error)
{
	(void)error;
	return lrd_pin(self->kit.store, self->asset);
}

static void unpin(trial *self)
{
	kit_run(&self->kit.jobs);
	assert_true(lrd_unpin(self->kit.store, self->asset));
}

// A load on a worker: what fails there fails the asset, and asking again loads it.
static bool load(trial *self, lrd_error *error)
{
	if (lrd_asset_error(self->kit.store, self->asset, NULL))
	{
		assert_true(lrd_release(self->kit.store, self->asset));
		assert_true(lrd_retain(self->kit.store, self->asset));
	}
	kit_run(&self->kit.jobs);
	lrd_state state = lrd_asset_state(self->kit.store, self->asset);
	assert_true(state == LRD_READY || state == LRD_FAILED);
	return !lrd_asset_error(self->kit.store, self->asset, error);
}

static void ask_for_model(trial *self)
{
	find_model(self);
	assert_true(lrd_retain(self->kit.store, self->asset));
}

static bool mount(trial *self, lrd_error *error)
{
	lrd_mount_desc desc = { .files = self->kit.files.files, .file_count = self->kit.files.count };
	return lrd_store_mount(self->kit.store, &desc, &self->mount, error);
}

static void unmount(trial *self)
{
	assert_true(lrd_store_unmount(self->kit.store, self->mount));
}

static bool put(trial *self, lrd_error *error)
{
	return lrd_asset_put(self->kit.store, self->asset, kit_bytes(&self->kit, "b.bin"), error);
}

static void unput(trial *self)
{
	assert_true(lrd_asset_put(self->kit.store, self->asset, (lrd_bytes){ 0 }, NULL));
	release(self);
}

static void park_model(trial *self)
{
	load_model(self);
	assert_true(lrd_release(self->kit.store, self->asset));
	assert_int_equal(kit_stats(&self->kit).parked, 5);
}

static bool open_ticket(trial *self, lrd_error *error)
{
	self->ticket = lrd_ticket_open(self->kit.store, NULL, error);
	return self->ticket.generation != 0;
}

static void open_ticket_and_find(trial *self)
{
	find_blob(self);
	assert_true(open_ticket(self, NULL));
}

static bool require(trial *self, lrd_error *error)
{
	return lrd_ticket_require(self->kit.store, self->ticket, self->asset, error);
}

static void close_ticket(trial *self)
{
	assert_true(lrd_ticket_close(self->kit.store, self->ticket));
}

static bool create_scope(trial *self, lrd_error *error)
{
	self->scope = lrd_scope_create(self->kit.store, &(lrd_scope_desc){ .reserve = 8 }, error);
	return self->scope != NULL;
}

static void destroy_scope(trial *self)
{
	kit_run(&self->kit.jobs);
	lrd_scope_destroy(self->scope);
}

static void scope_without_room(trial *self)
{
	find_blob(self);
	self->scope = lrd_scope_create(self->kit.store, NULL, NULL);
}

static bool scope_retain(trial *self, lrd_error *error)
{
	(void)error;
	return lrd_scope_retain(self->scope, self->asset);
}

static bool scope_retain_now(trial *self, lrd_error *error)
{
	return lrd_scope_retain_now(self->scope, self->asset, error);
}

static void ignore_event(void *user, const lrd_event *event)
{
	(void)user;
	(void)event;
}

static bool listen(trial *self, lrd_error *error)
{
	static uint64_t told;
	const lrd_listener_desc desc = { .on_event = ignore_event, .user = &told };
	return lrd_store_listen(self->kit.store, &desc, &self->listener, error);
}

static void unlisten(trial *self)
{
	assert_true(lrd_store_unlisten(self->kit.store, self->listener));
}

static void snapshot_with_allocator(trial *self)
{
	load_model(self);
	self->snapshot.allocator = failing_allocator_get(&self->kit.memory);
}

static bool take_snapshot(trial *self, lrd_error *error)
{
	return lrd_snapshot_take(self->kit.store, &self->snapshot, error);
}

static void free_snapshot(trial *self)
{
	lrd_snapshot_free(&self->snapshot);
	release(self);
}

static bool take_hold(trial *self, lrd_error *error)
{
	(void)error;
	return lrd_hold_reset(&self->hold, self->kit.store, self->asset);
}

static void end_hold(trial *self)
{
	kit_run(&self->kit.jobs);
	lrd_hold_end(&self->hold);
}

// --- Tests ---

static void finding_a_new_asset(void **state)
{
	(void)state;
	fail_each(&(scenario){ .act = find, .finish = nothing, .tells = true });
}

static void retaining_what_is_absent(void **state)
{
	(void)state;
	fail_each(&(scenario){ .prepare = find_model, .act = retain, .finish = release });
}

static void retaining_now(void **state)
{
	(void)state;
	fail_each(&(scenario){ .prepare = find_blob, .act = retain_now, .finish = release, .tells = true, .runs = true });
}

static void retaining_now_with_everything_it_names(void **state)
{
	(void)state;
	// What it names may fail alone; then the model is ready, and says so.
	fail_each(&(scenario){ .prepare = ask_for_model, .act = load, .finish = release, .tells = true, .runs = true });
}

static void pinning(void **state)
{
	(void)state;
	fail_each(&(scenario){ .prepare = find_blob, .act = pin, .finish = unpin });
}

static void mounting(void **state)
{
	(void)state;
	fail_each(&(scenario){ .act = mount, .finish = unmount, .tells = true });
}

static void putting_content(void **state)
{
	(void)state;
	fail_each(&(scenario){ .prepare = load_blob, .act = put, .finish = unput, .tells = true, .runs = true });
}

static void resurrecting_allocates_nothing(void **state)
{
	(void)state;
	const scenario parked = { .keep_parked = 1 << 20, .prepare = park_model, .act = retain, .finish = release };
	assert_false(try_with(&parked, 0));
}

static void opening_a_ticket(void **state)
{
	(void)state;
	fail_each(&(scenario){ .act = open_ticket, .finish = close_ticket, .tells = true });
}

static void requiring(void **state)
{
	(void)state;
	fail_each(&(scenario){ .prepare = open_ticket_and_find, .act = require, .finish = close_ticket, .tells = true });
}

static void creating_a_scope(void **state)
{
	(void)state;
	fail_each(&(scenario){ .act = create_scope, .finish = destroy_scope, .tells = true });
}

static void retaining_through_a_scope(void **state)
{
	(void)state;
	fail_each(&(scenario){ .prepare = scope_without_room, .act = scope_retain, .finish = destroy_scope });
	fail_each(&(scenario){
		.prepare = scope_without_room, .act = scope_retain_now, .finish = destroy_scope, .tells = true, .runs = true });
}

static void taking_a_hold(void **state)
{
	(void)state;
	fail_each(&(scenario){ .prepare = find_blob, .act = take_hold, .finish = end_hold });
}

static void listening(void **state)
{
	(void)state;
	fail_each(&(scenario){ .act = listen, .finish = unlisten, .tells = true });
}

static void taking_a_snapshot(void **state)
{
	(void)state;
	fail_each(&(scenario){
		.prepare = snapshot_with_allocator, .act = take_snapshot, .finish = free_snapshot, .tells = true });
}

static void opening_a_store(void **state)
{
	(void)state;
	bool opened = false;
	for (long long succeed = 0; !opened; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_error error = { 0 };
		lrd_store *store = lrd_store_open(
			&(lrd_store_desc){ .allocator = failing_allocator_get(&memory), .reserve_assets = 5000 }, &error);
		opened = store != NULL;
		assert_true(opened || error.code == LRD_ERROR_MEMORY);
		lrd_store_close(store);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
	}
}

static void room_for_more_assets_than_there_can_be_is_refused(void **state)
{
	(void)state;
	lrd_error error = { 0 };
	assert_null(lrd_store_open(&(lrd_store_desc){ .reserve_assets = UINT32_MAX }, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	assert_non_null(strstr(error.message, "4294967295"));
}

// Reloading may fail for want of memory at any point; the old payload stays, and is to be had.
static void reloading_keeps_the_old_payload(void **state)
{
	(void)state;
	bool failed = true;
	for (long long succeed = 0; failed; succeed++)
	{
		store_kit kit;
		kit_open(&kit);
		lrd_asset model = kit_load(&kit, LRD_MODEL, "m");
		const lrd_model *before = lrd_model_get(kit.store, model);
		atomic_store(&kit.memory.countdown, succeed);
		lrd_store_changed(kit.store, LRD_MODEL, LRD_STR("m"));
		kit_run(&kit.jobs);
		atomic_store(&kit.memory.countdown, -1);
		failed = lrd_asset_error(kit.store, model, NULL);
		assert_int_equal(lrd_asset_state(kit.store, model), LRD_READY);
		assert_int_equal(lrd_model_get(kit.store, model) == before, failed);
		assert_int_equal(before->view.material_count, 2);
		assert_true(lrd_release(kit.store, model));
		kit_close(&kit);
	}
}

// The whole of it; those below say which call it was.
static void a_failure_at_any_allocation_of_any_call_leaves_all_counts_as_they_were(void **state)
{
	static void (*const calls[])(void **state) = {
		finding_a_new_asset,
		retaining_what_is_absent,
		retaining_now,
		retaining_now_with_everything_it_names,
		pinning,
		mounting,
		putting_content,
		resurrecting_allocates_nothing,
		opening_a_ticket,
		requiring,
		creating_a_scope,
		retaining_through_a_scope,
		taking_a_hold,
		listening,
		taking_a_snapshot,
		opening_a_store,
		room_for_more_assets_than_there_can_be_is_refused,
		reloading_keeps_the_old_payload,
	};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
	{
		calls[i](state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_at_any_allocation_of_any_call_leaves_all_counts_as_they_were),
		cmocka_unit_test(finding_a_new_asset),
		cmocka_unit_test(retaining_what_is_absent),
		cmocka_unit_test(retaining_now),
		cmocka_unit_test(retaining_now_with_everything_it_names),
		cmocka_unit_test(pinning),
		cmocka_unit_test(mounting),
		cmocka_unit_test(putting_content),
		cmocka_unit_test(resurrecting_allocates_nothing),
		cmocka_unit_test(opening_a_ticket),
		cmocka_unit_test(requiring),
		cmocka_unit_test(creating_a_scope),
		cmocka_unit_test(retaining_through_a_scope),
		cmocka_unit_test(taking_a_hold),
		cmocka_unit_test(listening),
		cmocka_unit_test(taking_a_snapshot),
		cmocka_unit_test(opening_a_store),
		cmocka_unit_test(room_for_more_assets_than_there_can_be_is_refused),
		cmocka_unit_test(reloading_keeps_the_old_payload),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
