// Counters and snapshots: what they say of a store, and that taking them costs no memory once there is room.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"

#include "os/os.h"

#include <unistd.h>

static void take(const store_kit *kit, lrd_snapshot *snapshot)
{
	lrd_error error = { 0 };
	if (!lrd_snapshot_take(kit->store, snapshot, &error))
	{
		fail_msg("%s", error.message);
	}
}

static const lrd_snapshot_asset *row_of(const lrd_snapshot *snapshot, lrd_asset asset)
{
	for (uint32_t i = 0; i < snapshot->asset_count; i++)
	{
		if (lrd_asset_equal(snapshot->assets[i].asset, asset))
		{
			return &snapshot->assets[i];
		}
	}
	fail_msg("asset %u.%u is not in the snapshot", asset.index, asset.generation);
	return NULL;
}

static const lrd_snapshot_asset *row_named(const lrd_snapshot *snapshot, lrd_kind kind, const char *stem)
{
	for (uint32_t i = 0; i < snapshot->asset_count; i++)
	{
		const lrd_snapshot_asset *row = &snapshot->assets[i];
		if (row->kind == kind && lrd_string_equal(row->stem, lrd_string_from(stem)))
		{
			return row;
		}
	}
	fail_msg("%s is not in the snapshot", stem);
	return NULL;
}

static void every_asset_is_there_with_state_references_and_bytes(void **state)
{
	(void)state;
	store_kit kit;
	lrd_snapshot snapshot = { 0 };
	kit_open_with(&kit, 100000);
	lrd_asset model = kit_load(&kit, LRD_MODEL, "m");
	assert_true(lrd_retain(kit.store, model));
	assert_true(lrd_pin(kit.store, model));
	lrd_asset parked = kit_load(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_release(kit.store, parked));
	lrd_asset absent = kit_find(&kit, LRD_BLOB, "c.bin");
	lrd_asset failed = kit_load(&kit, LRD_TEXTURE, "bad");
	take(&kit, &snapshot);
	assert_int_equal(snapshot.asset_count, 8); // the model's two materials and two textures
	const lrd_snapshot_asset *row = row_of(&snapshot, model);
	assert_int_equal(row->state, LRD_READY);
	assert_int_equal(row->references, 3);
	assert_int_equal(row->pins, 1);
	assert_int_equal(row->inner, 0);
	assert_int_equal(row->generation, 1);
	assert_false(row->parked);
	row = row_named(&snapshot, LRD_TEXTURE, "albedo");
	assert_int_equal(row->references, 2);
	assert_int_equal(row->inner, 2);
	assert_true(row->bytes >= 8 * 8 * 4);
	row = row_of(&snapshot, parked);
	assert_true(row->parked);
	assert_int_equal(row->references, 0);
	assert_true(row->bytes >= 2000);
	row = row_of(&snapshot, absent);
	assert_int_equal(row->state, LRD_ABSENT);
	assert_int_equal(row->bytes, 0);
	assert_int_equal(row_of(&snapshot, failed)->state, LRD_FAILED);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < snapshot.asset_count; i++)
	{
		sum += snapshot.assets[i].bytes;
	}
	assert_int_equal(sum, snapshot.stats.resident_bytes);
	lrd_snapshot_free(&snapshot);
	lrd_snapshot_free(&snapshot);
	assert_true(lrd_release(kit.store, model));
	assert_true(lrd_release(kit.store, model));
	assert_true(lrd_unpin(kit.store, model));
	assert_true(lrd_release(kit.store, failed));
	lrd_store_keep_parked(kit.store, 0);
	kit_close(&kit);
}

static void the_sums_say_what_the_rows_say(void **state)
{
	(void)state;
	store_kit kit;
	lrd_snapshot snapshot = { 0 };
	kit_open_with(&kit, 5000);
	lrd_asset held[3] = { kit_load(&kit, LRD_MODEL, "m"), kit_load(&kit, LRD_BLOB, "a.bin"),
		kit_load(&kit, LRD_MODEL, "sad") };
	assert_true(lrd_release(kit.store, held[1]));
	take(&kit, &snapshot);
	const lrd_store_stats *stats = &snapshot.stats;
	uint32_t states[LRD_KIND_COUNT][LRD_STATE_COUNT] = { 0 };
	uint64_t bytes[LRD_KIND_COUNT] = { 0 };
	for (uint32_t i = 0; i < snapshot.asset_count; i++)
	{
		states[snapshot.assets[i].kind][snapshot.assets[i].state]++;
		bytes[snapshot.assets[i].kind] += snapshot.assets[i].bytes;
	}
	for (int kind = 0; kind < LRD_KIND_COUNT; kind++)
	{
		assert_memory_equal(states[kind], stats->kinds[kind].assets, sizeof states[kind]);
		assert_int_equal(bytes[kind], stats->kinds[kind].bytes);
	}
	assert_int_equal(stats->parked, 1);
	assert_true(stats->parked_bytes >= 1000);
	assert_int_equal(stats->keep_parked, 5000);
	assert_int_equal(stats->mounts, 1);
	assert_int_equal(stats->loads, 8);
	assert_int_equal(stats->failures, 1);
	assert_true(stats->mapped_bytes >= 1000);
	assert_int_equal(stats->io_bytes, 0);
	assert_true(stats->owned_bytes < stats->resident_bytes);
	lrd_snapshot_free(&snapshot);
	assert_true(lrd_release(kit.store, held[0]));
	assert_true(lrd_release(kit.store, held[2]));
	lrd_store_keep_parked(kit.store, 0);
	kit_close(&kit);
}

static void taking_one_again_allocates_nothing(void **state)
{
	(void)state;
	store_kit kit;
	failing_allocator own;
	failing_allocator_init(&own, -1);
	lrd_snapshot snapshot = { .allocator = failing_allocator_get(&own) };
	kit_open(&kit);
	lrd_asset model = kit_load(&kit, LRD_MODEL, "m");
	take(&kit, &snapshot);
	long long calls = atomic_load(&own.calls);
	long long store_calls = atomic_load(&kit.memory.calls);
	for (int i = 0; i < 10; i++)
	{
		take(&kit, &snapshot);
	}
	assert_int_equal(atomic_load(&own.calls), calls);
	assert_int_equal(atomic_load(&kit.memory.calls), store_calls);
	for (int i = 0; i < 100; i++) // outgrown now and then, not each time
	{
		char name[32];
		snprintf(name, sizeof name, "new/%d", i);
		kit_find(&kit, LRD_BLOB, name);
		take(&kit, &snapshot);
	}
	assert_int_equal(snapshot.asset_count, 105);
	assert_true(atomic_load(&own.calls) - calls < 20);
	assert_true(lrd_release(kit.store, model));
	kit_close(&kit);
	// It is the caller's: the store has gone.
	row_named(&snapshot, LRD_BLOB, "new/99");
	assert_string_equal(snapshot.mounts[0].name, "memory");
	lrd_snapshot_free(&snapshot);
	assert_int_equal(atomic_load(&own.bytes_out), 0);
}

static void taking_one_survives_every_allocation_failing(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset model = kit_load(&kit, LRD_MODEL, "m");
	lrd_ticket ticket = lrd_ticket_open(kit.store, NULL, NULL);
	assert_true(lrd_ticket_require(kit.store, ticket, kit_find(&kit, LRD_BLOB, "a.bin"), NULL));
	assert_true(lrd_retain(kit.store, kit_find(&kit, LRD_BLOB, "a.bin")));
	bool taken = false;
	for (long long succeed = 0; !taken; succeed++)
	{
		failing_allocator own;
		failing_allocator_init(&own, succeed);
		lrd_snapshot snapshot = { .allocator = failing_allocator_get(&own) };
		lrd_error error = { 0 };
		taken = lrd_snapshot_take(kit.store, &snapshot, &error);
		assert_true(taken == (snapshot.asset_count != 0));
		assert_true(taken || error.code == LRD_ERROR_MEMORY);
		assert_true(taken || (snapshot.mount_count == 0 && snapshot.load_count == 0));
		lrd_snapshot_free(&snapshot);
		assert_int_equal(atomic_load(&own.bytes_out), 0);
		assert_true(succeed < 10);
	}
	assert_true(lrd_ticket_close(kit.store, ticket));
	assert_true(lrd_release(kit.store, model));
	assert_true(lrd_release(kit.store, kit_find(&kit, LRD_BLOB, "a.bin")));
	kit_close(&kit);
}

static void mounts_are_there_with_their_leases_as_long_as_those_last(void **state)
{
	(void)state;
	store_kit kit;
	lrd_snapshot snapshot = { 0 };
	kit_open(&kit);
	lrd_asset blob = kit_load(&kit, LRD_BLOB, "a.bin");
	lrd_asset own = kit_find(&kit, LRD_BLOB, "own");
	assert_true(lrd_asset_put(kit.store, own, (lrd_bytes){ "x", 1 }, NULL));
	take(&kit, &snapshot);
	assert_int_equal(snapshot.mount_count, 2);
	assert_string_equal(snapshot.mounts[0].name, "put");
	assert_string_equal(snapshot.mounts[1].name, "memory");
	assert_int_equal(snapshot.mounts[1].mount.generation, kit.mount.generation);
	assert_int_equal(snapshot.mounts[1].files, kit.files.count);
	assert_int_equal(snapshot.mounts[1].leases, 1);
	assert_int_equal(snapshot.mounts[1].opened, 1);
	assert_true(lrd_store_unmount(kit.store, kit.mount));
	take(&kit, &snapshot);
	assert_int_equal(snapshot.mount_count, 2);
	assert_int_equal(snapshot.mounts[1].mount.generation, 0);
	assert_int_equal(snapshot.stats.leased_mounts, 1);
	assert_true(lrd_release(kit.store, blob));
	take(&kit, &snapshot);
	assert_int_equal(snapshot.mount_count, 1);
	lrd_snapshot_free(&snapshot);
	kit_close(&kit);
}

static void tickets_are_there_with_what_they_wait_for(void **state)
{
	(void)state;
	store_kit kit;
	lrd_snapshot snapshot = { 0 };
	kit_open(&kit);
	lrd_asset ready = kit_load(&kit, LRD_BLOB, "a.bin");
	lrd_asset missing[2] = { kit_find(&kit, LRD_BLOB, "b.bin"), kit_find(&kit, LRD_BLOB, "c.bin") };
	lrd_ticket first = lrd_ticket_open(kit.store, &(lrd_ticket_desc){ .owner = "door" }, NULL);
	lrd_ticket second = lrd_ticket_open(kit.store, NULL, NULL);
	assert_true(lrd_ticket_require(kit.store, first, missing[1], NULL));
	assert_true(lrd_ticket_require(kit.store, second, missing[0], NULL));
	assert_true(lrd_ticket_require(kit.store, second, ready, NULL));
	assert_true(lrd_ticket_require(kit.store, second, missing[1], NULL));
	assert_true(lrd_ticket_seal(kit.store, second));
	lrd_store_update(kit.store);
	take(&kit, &snapshot);
	assert_int_equal(snapshot.ticket_count, 2);
	assert_int_equal(snapshot.waiting_count, 3);
	const lrd_snapshot_ticket *row = &snapshot.tickets[0];
	assert_int_equal(row->ticket.index, first.index);
	assert_string_equal(row->owner, "door");
	assert_int_equal(row->waiting_count, 1);
	assert_true(lrd_asset_equal(snapshot.waiting[row->first_waiting], missing[1]));
	assert_false(row->progress.sealed);
	row = &snapshot.tickets[1];
	assert_int_equal(row->progress.required, 3);
	assert_int_equal(row->progress.arrived, 1);
	assert_true(row->progress.sealed);
	assert_int_equal(row->waiting_count, 2);
	assert_true(lrd_asset_equal(snapshot.waiting[row->first_waiting], missing[0]));
	assert_true(lrd_asset_equal(snapshot.waiting[row->first_waiting + 1], missing[1]));
	assert_true(lrd_ticket_close(kit.store, first));
	assert_true(lrd_ticket_close(kit.store, second));
	take(&kit, &snapshot);
	assert_int_equal(snapshot.ticket_count, 0);
	lrd_snapshot_free(&snapshot);
	assert_true(lrd_release(kit.store, ready));
	kit_close(&kit);
}

static void loads_in_flight_are_there(void **state)
{
	(void)state;
	store_kit kit;
	lrd_snapshot snapshot = { 0 };
	kit_open(&kit);
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain_with(kit.store, blob, &(lrd_retain_desc){ .priority = 42, .owner = "me" }));
	take(&kit, &snapshot);
	assert_int_equal(snapshot.load_count, 1);
	assert_true(lrd_asset_equal(snapshot.loads[0].asset, blob));
	assert_int_equal(snapshot.loads[0].priority, 42);
	assert_int_equal(snapshot.loads[0].state, LRD_QUEUED);
	assert_false(snapshot.loads[0].named);
	assert_int_equal(snapshot.stats.queued, 1);
	kit_run(&kit.jobs);
	take(&kit, &snapshot);
	assert_int_equal(snapshot.load_count, 0);
	lrd_snapshot_free(&snapshot);
	assert_true(lrd_release(kit.store, blob));
	kit_close(&kit);
}

static void times_owners_and_what_was_freed_are_there_with_diagnostics_alone(void **state)
{
	(void)state;
	store_kit kit;
	lrd_snapshot snapshot = { 0 };
	kit_open_with(&kit, 2500);
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_retain_with(kit.store, blob, &(lrd_retain_desc){ .owner = "me" }));
	usleep(2000);
	take(&kit, &snapshot);
	uint64_t age = snapshot.loads[0].age_us;
	uint32_t waited = row_of(&snapshot, blob)->queued_us;
	kit_run(&kit.jobs);
	usleep(2000);
	take(&kit, &snapshot);
	lrd_snapshot_asset ready = *row_of(&snapshot, blob);
	lrd_store_update(kit.store);
	usleep(2000);
	take(&kit, &snapshot);
	lrd_snapshot_asset told = *row_of(&snapshot, blob);
	usleep(2000);
	take(&kit, &snapshot);
	lrd_snapshot_asset later = *row_of(&snapshot, blob);
	assert_true(lrd_release(kit.store, blob));
	lrd_asset pushes = kit_load(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_release(kit.store, pushes)); // the older one goes
	lrd_store_unload_all(kit.store);
	take(&kit, &snapshot);
#ifdef LRD_DIAGNOSTICS
	assert_true(age >= 2000);
	assert_true(waited >= 2000);
	assert_true(ready.queued_us >= 2000);
	assert_true(ready.hand_over_us >= 2000);
	assert_true(told.hand_over_us >= ready.hand_over_us);
	assert_int_equal(told.hand_over_us, later.hand_over_us); // it was handed over
	assert_string_equal(told.owner, "me");
	assert_int_equal(snapshot.freed_count, 2);
	assert_true(lrd_asset_equal(snapshot.freed[0].asset, blob));
	assert_true(snapshot.freed[0].evicted);
	assert_true(snapshot.freed[0].bytes >= 2000);
	assert_int_equal(snapshot.freed[0].generation, 1);
	assert_true(lrd_asset_equal(snapshot.freed[1].asset, pushes));
	assert_false(snapshot.freed[1].evicted);
#else
	assert_int_equal(age + waited + ready.queued_us + ready.hand_over_us + told.hand_over_us + later.hand_over_us, 0);
	assert_null(told.owner);
	assert_int_equal(snapshot.freed_count, 0);
#endif
	lrd_snapshot_free(&snapshot);
	kit_close(&kit);
}

static void no_more_than_the_last_freed_are_kept(void **state)
{
	(void)state;
	store_kit kit;
	lrd_snapshot snapshot = { 0 };
	kit_open(&kit);
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "a.bin");
	for (int i = 0; i < LRD_SNAPSHOT_FREED + 10; i++)
	{
		assert_true(lrd_retain(kit.store, blob));
		kit_run(&kit.jobs);
		assert_true(lrd_release(kit.store, blob));
	}
	take(&kit, &snapshot);
#ifdef LRD_DIAGNOSTICS
	assert_int_equal(snapshot.freed_count, LRD_SNAPSHOT_FREED);
	assert_int_equal(snapshot.freed[LRD_SNAPSHOT_FREED - 1].generation, LRD_SNAPSHOT_FREED + 10);
	assert_int_equal(snapshot.freed[0].generation, 11);
#else
	assert_int_equal(snapshot.freed_count, 0);
#endif
	lrd_snapshot_free(&snapshot);
	kit_close(&kit);
}

typedef struct worker
{
	lrd_store *store;
	atomic_bool *stop;
	unsigned number;
} worker;

static void come_and_go(void *user)
{
	const worker *self = user;
	for (unsigned i = 0; !atomic_load(self->stop); i++)
	{
		char name[32];
		snprintf(name, sizeof name, "worker%u/%u", self->number, i % 50);
		lrd_asset asset = lrd_asset_find(self->store, LRD_BLOB, i % 3 == 0 ? "a.bin" : name, NULL);
		if (lrd_retain(self->store, asset))
		{
			lrd_release(self->store, asset);
		}
		lrd_asset_forget(self->store, asset);
	}
}

static void snapshots_are_taken_while_threads_come_and_go(void **state)
{
	(void)state;
	kit_files files = { 0 };
	kit_add_usual(&files);
	lrd_store *store =
		lrd_store_open(&(lrd_store_desc){ .worker_count = 2, .quiet = true, .log = { kit_be_silent, NULL } }, NULL);
	assert_non_null(store);
	lrd_mount_desc desc = kit_mount_desc(&files);
	assert_true(lrd_store_mount(store, &desc, NULL, NULL));
	atomic_bool stop = false;
	worker workers[2];
	lrd_thread *threads[2];
	for (unsigned i = 0; i < 2; i++)
	{
		workers[i] = (worker){ store, &stop, i };
		threads[i] = lrd_thread_start(come_and_go, &workers[i], 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	lrd_snapshot snapshot = { 0 };
	for (int i = 0; i < 300; i++)
	{
		assert_true(lrd_snapshot_take(store, &snapshot, NULL));
		for (uint32_t k = 0; k < snapshot.asset_count; k++)
		{
			assert_int_equal(strlen(snapshot.assets[k].stem.data), snapshot.assets[k].stem.size);
		}
		lrd_store_update(store);
	}
	atomic_store(&stop, true);
	lrd_thread_join(threads[0]);
	lrd_thread_join(threads[1]);
	assert_int_equal(lrd_store_close(store), 0);
	lrd_snapshot_free(&snapshot);
	kit_files_free(&files);
}

static void every_state_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(lrd_state_name(LRD_ABSENT), "absent");
	assert_string_equal(lrd_state_name(LRD_QUEUED), "queued");
	assert_string_equal(lrd_state_name(LRD_LOADING), "loading");
	assert_string_equal(lrd_state_name(LRD_READY), "ready");
	assert_string_equal(lrd_state_name(LRD_FAILED), "failed");
	assert_string_equal(lrd_state_name(LRD_RELOAD_PENDING), "reload_pending");
	assert_string_equal(lrd_state_name((lrd_state)99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_asset_is_there_with_state_references_and_bytes),
		cmocka_unit_test(the_sums_say_what_the_rows_say),
		cmocka_unit_test(taking_one_again_allocates_nothing),
		cmocka_unit_test(taking_one_survives_every_allocation_failing),
		cmocka_unit_test(mounts_are_there_with_their_leases_as_long_as_those_last),
		cmocka_unit_test(tickets_are_there_with_what_they_wait_for),
		cmocka_unit_test(loads_in_flight_are_there),
		cmocka_unit_test(times_owners_and_what_was_freed_are_there_with_diagnostics_alone),
		cmocka_unit_test(no_more_than_the_last_freed_are_kept),
		cmocka_unit_test(snapshots_are_taken_while_threads_come_and_go),
		cmocka_unit_test(every_state_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
