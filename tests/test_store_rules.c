// What must hold of a store, each statement a test by its own words. The one on many threads is test_store_threads.c, the
// one on failing allocations test_store_memory.c.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"

static uint64_t owned(const store_kit *kit)
{
	return kit_stats(kit).resident_bytes;
}

static void after_everything_is_released_no_payload_is_left_but_pinned_ones_and_the_leak_report_is_empty(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset model = kit_load(&kit, LRD_MODEL, "m");
	lrd_asset pinned = kit_find(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_pin(kit.store, pinned));
	lrd_asset blob = kit_load(&kit, LRD_BLOB, "a.bin");
	assert_non_null(lrd_model_get(kit.store, model));
	assert_true(lrd_release(kit.store, model));
	assert_true(lrd_release(kit.store, blob));
	lrd_store_stats stats = kit_stats(&kit);
	for (lrd_kind kind = LRD_TEXTURE; kind < LRD_KIND_COUNT; kind++)
	{
		assert_int_equal(stats.kinds[kind].assets[LRD_READY], kind == LRD_BLOB ? 1 : 0);
		assert_true(kind == LRD_BLOB || stats.kinds[kind].bytes == 0);
	}
	assert_true(lrd_asset_has(kit.store, pinned));
	kit_close(&kit);
}

static void two_users_of_one_mesh_one_release_keeps_it_two_free_it(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset mesh = kit_load(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain(kit.store, mesh));
	assert_true(lrd_release(kit.store, mesh));
	assert_true(lrd_asset_has(kit.store, mesh));
	assert_true(lrd_release(kit.store, mesh));
	assert_false(lrd_asset_has(kit.store, mesh));
	assert_int_equal(owned(&kit), 0);
	kit_close(&kit);
}

static void an_albedo_shared_by_two_materials_survives_the_first_materials_release(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset red = kit_load(&kit, LRD_MATERIAL, "red");
	lrd_asset blue = kit_load(&kit, LRD_MATERIAL, "blue");
	lrd_asset albedo = kit_find(&kit, LRD_TEXTURE, "albedo");
	lrd_asset rough = kit_find(&kit, LRD_TEXTURE, "rough");
	assert_true(lrd_release(kit.store, red));
	assert_true(lrd_asset_has(kit.store, albedo));
	assert_false(lrd_asset_has(kit.store, rough));
	assert_true(lrd_release(kit.store, blue));
	assert_false(lrd_asset_has(kit.store, albedo));
	kit_close(&kit);
}

static void layers_a_and_b_share_a_texture_unloading_a_keeps_it_then_b_frees_it(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_scope *a = lrd_scope_create(kit.store, NULL, NULL);
	lrd_scope *b = lrd_scope_create(kit.store, NULL, NULL);
	assert_true(lrd_scope_retain(a, kit_find(&kit, LRD_MODEL, "m")));
	assert_true(lrd_scope_retain(b, kit_find(&kit, LRD_MODEL, "n")));
	kit_run(&kit.jobs);
	lrd_asset albedo = kit_find(&kit, LRD_TEXTURE, "albedo");
	lrd_scope_release_all(a);
	assert_true(lrd_asset_has(kit.store, albedo));
	lrd_scope_release_all(b);
	assert_false(lrd_asset_has(kit.store, albedo));
	lrd_scope_destroy(a);
	lrd_scope_destroy(b);
	kit_close(&kit);
}

static void replacing_a_scene_by_one_that_shares_assets_re_reads_nothing_shared(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset m = kit_load(&kit, LRD_MODEL, "m");
	uint64_t before = kit_stats(&kit).loads;
	lrd_asset n = kit_load(&kit, LRD_MODEL, "n"); // the new one first, then the old one goes
	assert_true(lrd_release(kit.store, m));
	assert_int_equal(kit_stats(&kit).loads - before, 1); // "n" itself; "blue" and "albedo" were there
	assert_true(lrd_asset_has(kit.store, kit_find(&kit, LRD_MATERIAL, "blue")));
	assert_false(lrd_asset_has(kit.store, kit_find(&kit, LRD_MATERIAL, "red")));
	assert_true(lrd_release(kit.store, n));
	kit_close(&kit);
}

static void unmounting_a_bundle_with_live_payloads_destroys_none_of_them_the_file_is_unmapped_with_the_last(
	void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	lrd_asset b = kit_load(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_store_unmount(kit.store, kit.mount));
	assert_int_equal(lrd_blob_get(kit.store, a)->bytes.size, 1000);
	assert_ptr_equal(lrd_blob_get(kit.store, a)->bytes.data, kit_bytes(&kit, "a.bin").data); // read in place
	assert_true(lrd_release(kit.store, a));
	assert_int_equal(atomic_load(&kit.files.releases), 0);
	assert_true(lrd_release(kit.store, b));
	assert_int_equal(atomic_load(&kit.files.releases), 1);
	kit_close(&kit);
}

static void count_event(void *user, const lrd_ticket_event *event)
{
	*(uint32_t *)user += 1 + event->progress.failed * 100;
}

static void a_waiter_is_satisfied_only_by_its_own_kind(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	// A material at a model's name.
	kit_add_material(&kit.files, "door.lmat", (const char *const[4]){ NULL });
	lrd_mount_desc more = kit_mount_desc(&kit.files);
	lrd_mount second;
	assert_true(lrd_store_mount(kit.store, &more, &second, NULL));
	uint32_t told = 0;
	lrd_ticket ticket = lrd_ticket_open(kit.store, &(lrd_ticket_desc){ .on_event = count_event, .user = &told }, NULL);
	assert_true(lrd_ticket_require(kit.store, ticket, kit_find(&kit, LRD_MODEL, "door"), NULL));
	assert_true(lrd_ticket_seal(kit.store, ticket));
	lrd_asset material = kit_load(&kit, LRD_MATERIAL, "door");
	lrd_store_update(kit.store);
	assert_int_equal(told, 0);
	assert_true(lrd_ticket_close(kit.store, ticket));
	assert_true(lrd_release(kit.store, material));
	kit_close(&kit);
}

static void a_ticket_outlived_by_its_edge_decrements_nothing(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	uint32_t told = 0;
	const lrd_ticket_desc desc = { .on_event = count_event, .user = &told };
	lrd_ticket old = lrd_ticket_open(kit.store, &desc, NULL);
	lrd_asset a = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain(kit.store, a));
	assert_true(lrd_ticket_require(kit.store, old, a, NULL));
	assert_true(lrd_ticket_seal(kit.store, old));
	assert_true(lrd_ticket_close(kit.store, old));
	// Another ticket in the same place waits for something else; the edge of the first must not count for it.
	lrd_ticket next = lrd_ticket_open(kit.store, &desc, NULL);
	lrd_asset b = kit_find(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_ticket_require(kit.store, next, b, NULL));
	assert_true(lrd_ticket_seal(kit.store, next));
	kit_run(&kit.jobs); // "a.bin" arrives
	lrd_store_update(kit.store);
	assert_int_equal(told, 0);
	lrd_ticket_progress progress;
	assert_true(lrd_ticket_get(kit.store, next, &progress));
	assert_int_equal(progress.arrived, 0);
	assert_false(lrd_ticket_get(kit.store, old, &progress));
	assert_true(lrd_ticket_close(kit.store, next));
	assert_true(lrd_release(kit.store, a));
	kit_close(&kit);
}

static void an_absent_name_is_not_probed_again_until_a_mount_changes(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset absent = kit_load(&kit, LRD_TEXTURE, "albdo");
	assert_int_equal(lrd_asset_state(kit.store, absent), LRD_FAILED);
	uint64_t probes = kit_stats(&kit).probes;
	for (int i = 0; i < 10; i++)
	{
		assert_true(lrd_retain(kit.store, absent));
		kit_run(&kit.jobs);
		assert_true(lrd_release(kit.store, absent));
	}
	assert_true(lrd_release(kit.store, absent));
	assert_true(lrd_retain(kit.store, absent));
	kit_run(&kit.jobs);
	assert_int_equal(kit_stats(&kit).probes, probes);
	assert_int_equal(lrd_asset_state(kit.store, absent), LRD_FAILED);
	kit_files late = { 0 };
	kit_add_texture(&late, "albdo.ktx2");
	lrd_mount_desc mount = kit_mount_desc(&late);
	lrd_mount second;
	assert_true(lrd_store_mount(kit.store, &mount, &second, NULL));
	assert_true(lrd_retain(kit.store, absent));
	kit_run(&kit.jobs);
	assert_int_equal(lrd_asset_state(kit.store, absent), LRD_READY);
	assert_true(kit_stats(&kit).probes > probes);
	assert_true(lrd_release(kit.store, absent));
	assert_true(lrd_release(kit.store, absent));
	kit_close(&kit);
	kit_files_free(&late);
}

static void a_hold_ended_twice_releases_once_a_moved_from_hold_releases_nothing(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	lrd_hold hold = { 0 };
	assert_true(lrd_hold_take(&hold, kit.store, a));
	lrd_hold_end(&hold);
	lrd_hold_end(&hold);
	assert_true(lrd_asset_has(kit.store, a)); // the reference from loading is still there
	lrd_hold from = { 0 }, to = { 0 };
	assert_true(lrd_hold_take(&from, kit.store, a));
	lrd_hold_move(&to, &from);
	lrd_hold_end(&from);
	assert_true(lrd_release(kit.store, a));
	assert_true(lrd_asset_has(kit.store, a)); // `to` holds it
	lrd_hold_end(&to);
	assert_false(lrd_asset_has(kit.store, a));
	assert_int_equal(kit_stats(&kit).refused, 0);
	kit_close(&kit);
}

// A job that reloads its asset while its decode runs: jobs by hand run on this thread, so the reload comes in between
// through the allocator, which is called during the decode.
typedef struct meddling
{
	failing_allocator *memory;
	lrd_store *store;
	lrd_asset asset;
	lrd_bytes newer;
	bool armed;
	bool done;
} meddling;

static void *meddle_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	(void)old_size;
	meddling *self = user;
	if (self->armed && new_size != 0)
	{
		self->armed = false;
		self->done = lrd_asset_put(self->store, self->asset, self->newer, NULL);
	}
	return failing_resize(self->memory, block, old_size, new_size);
}

static void a_decode_finished_after_its_reload_never_becomes_visible(void **state)
{
	(void)state;
	store_kit kit;
	memset(&kit, 0, sizeof kit);
	failing_allocator_init(&kit.memory, -1);
	kit_add_usual(&kit.files);
	kit.jobs.workers = 1;
	kit.interface = (lrd_jobs){ kit_submit, kit_wait, kit_worker_count, &kit.jobs };
	meddling meddle = { .memory = &kit.memory };
	lrd_store_desc desc = kit_desc(&kit);
	desc.allocator = (lrd_allocator){ meddle_resize, &meddle };
	kit.store = lrd_store_open(&desc, NULL);
	lrd_mount_desc mount = kit_mount_desc(&kit.files);
	assert_true(lrd_store_mount(kit.store, &mount, &kit.mount, NULL));
	meddle.store = kit.store;
	meddle.asset = kit_find(&kit, LRD_BLOB, "a.bin");
	meddle.newer = kit_bytes(&kit, "c.bin");
	assert_true(lrd_retain(kit.store, meddle.asset));
	meddle.armed = true; // the next allocation is the decode's, made without the store's lock
	assert_true(kit_run_one(&kit.jobs));
	assert_true(meddle.done);
	kit_run(&kit.jobs);
	assert_int_equal(lrd_asset_state(kit.store, meddle.asset), LRD_READY);
	assert_int_equal(lrd_blob_get(kit.store, meddle.asset)->bytes.size, 3000);
	assert_int_equal(lrd_asset_generation(kit.store, meddle.asset), 1); // the first one that was ever to be seen
	assert_int_equal(kit_stats(&kit).stale, 1);
	assert_true(lrd_release(kit.store, meddle.asset));
	kit_close(&kit);
}

// Counts work, not time: the records that a release touches are those next to it in the queue. What takes time is
// measured by bench_store; here the storm must come out exact.
static void with_parking_on_an_eviction_storm_of_100_000_assets_costs_o1_each(void **state)
{
	(void)state;
	enum
	{
		count = 100000
	};
	store_kit kit;
	kit_open_with(&kit, 64u << 20);
	static lrd_asset assets[count];
	for (uint32_t i = 0; i < count; i++)
	{
		char stem[32];
		snprintf(stem, sizeof stem, "storm/%06u", i);
		assets[i] = kit_find(&kit, LRD_BLOB, stem);
		assert_true(lrd_asset_put(kit.store, assets[i], (lrd_bytes){ &i, sizeof i }, NULL));
		assert_true(lrd_retain(kit.store, assets[i]));
	}
	kit_run(&kit.jobs);
	uint64_t each = kit_stats(&kit).kinds[LRD_BLOB].bytes / count;
	lrd_store_keep_parked(kit.store, each * (count / 2));
	long long calls = atomic_load(&kit.memory.calls);
	for (uint32_t i = 0; i < count; i++)
	{
		assert_true(lrd_release(kit.store, assets[i]));
	}
	assert_int_equal(atomic_load(&kit.memory.calls), calls); // nothing is allocated
	lrd_store_stats stats = kit_stats(&kit);
	assert_int_equal(stats.evicted, count / 2);
	assert_int_equal(stats.parked, count / 2);
	for (uint32_t i = 0; i < count; i++) // the oldest went
	{
		assert_int_equal(lrd_asset_has(kit.store, assets[i]), i >= count / 2);
	}
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_everything_is_released_no_payload_is_left_but_pinned_ones_and_the_leak_report_is_empty),
		cmocka_unit_test(two_users_of_one_mesh_one_release_keeps_it_two_free_it),
		cmocka_unit_test(an_albedo_shared_by_two_materials_survives_the_first_materials_release),
		cmocka_unit_test(layers_a_and_b_share_a_texture_unloading_a_keeps_it_then_b_frees_it),
		cmocka_unit_test(replacing_a_scene_by_one_that_shares_assets_re_reads_nothing_shared),
		cmocka_unit_test(
			unmounting_a_bundle_with_live_payloads_destroys_none_of_them_the_file_is_unmapped_with_the_last),
		cmocka_unit_test(a_waiter_is_satisfied_only_by_its_own_kind),
		cmocka_unit_test(a_ticket_outlived_by_its_edge_decrements_nothing),
		cmocka_unit_test(an_absent_name_is_not_probed_again_until_a_mount_changes),
		cmocka_unit_test(a_hold_ended_twice_releases_once_a_moved_from_hold_releases_nothing),
		cmocka_unit_test(a_decode_finished_after_its_reload_never_becomes_visible),
		cmocka_unit_test(with_parking_on_an_eviction_storm_of_100_000_assets_costs_o1_each),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
