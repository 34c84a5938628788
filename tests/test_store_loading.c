// Loads: states, joining, cancelling, trying again, priorities, schedulers that refuse, and what a payload names.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"
#include "store/store.h"

static lrd_state state_of(const store_kit *kit, lrd_asset asset)
{
	return lrd_asset_state(kit->store, asset);
}

static void a_retain_goes_from_absent_to_ready(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_int_equal(state_of(&kit, a), LRD_ABSENT);
	assert_true(lrd_retain(kit.store, a));
	assert_int_equal(state_of(&kit, a), LRD_QUEUED);
	assert_null(lrd_blob_get(kit.store, a));
	kit_run(&kit.jobs);
	assert_int_equal(state_of(&kit, a), LRD_READY);
	assert_int_equal(lrd_blob_get(kit.store, a)->bytes.size, 1000);
	assert_true(lrd_release(kit.store, a));
	assert_int_equal(state_of(&kit, a), LRD_ABSENT);
	kit_close(&kit);
}

static void a_second_asker_joins_the_first(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain(kit.store, a));
	assert_true(lrd_retain(kit.store, a));
	kit_run(&kit.jobs);
	assert_int_equal(kit_stats(&kit).loads, 1);
	assert_true(lrd_release(kit.store, a));
	assert_true(lrd_release(kit.store, a));
	kit_close(&kit);
}

static void a_load_that_no_reference_wants_any_more_is_dropped_before_it_starts(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain(kit.store, a));
	assert_true(lrd_release(kit.store, a));
	assert_int_equal(state_of(&kit, a), LRD_ABSENT);
	kit_run(&kit.jobs);
	lrd_store_stats stats = kit_stats(&kit);
	assert_int_equal(stats.loads, 0);
	assert_int_equal(stats.cancelled, 1);
	assert_int_equal(stats.probes, 0);
	kit_close(&kit);
}

static void dropping_the_last_reference_and_asking_again_one_frame_later_loads(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset m = kit_find(&kit, LRD_MODEL, "m");
	for (int i = 0; i < 3; i++)
	{
		assert_true(lrd_retain(kit.store, m));
		kit_run_one(&kit.jobs);
		assert_true(lrd_release(kit.store, m));
		lrd_store_update(kit.store);
	}
	assert_true(lrd_retain(kit.store, m));
	kit_run(&kit.jobs);
	assert_int_equal(state_of(&kit, m), LRD_READY);
	assert_true(lrd_release(kit.store, m));
	kit_close(&kit);
}

static void retain_now_decodes_on_the_calling_thread_with_all_that_it_names(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	kit.jobs.refuse = true; // nobody else does it
	lrd_asset m = kit_find(&kit, LRD_MODEL, "m");
	lrd_error error = { 0 };
	assert_true(lrd_retain_now(kit.store, m, &error));
	const lrd_model *model = lrd_model_get(kit.store, m);
	assert_int_equal(model->view.material_count, 2);
	const lrd_material *red = lrd_material_get(kit.store, model->materials[0]);
	assert_non_null(lrd_texture_get(kit.store, red->textures[0]));
	assert_int_equal(lrd_asset_generation(kit.store, m), 1);
	kit.jobs.refuse = false;
	assert_true(lrd_release(kit.store, m));
	kit_close(&kit);
}

static void retain_now_of_what_fails_says_why_and_adds_no_reference(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset bad = kit_find(&kit, LRD_TEXTURE, "bad");
	lrd_error error = { 0 };
	assert_false(lrd_retain_now(kit.store, bad, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "bad"));
	assert_false(lrd_release(kit.store, bad));
	kit_close(&kit);
}

static void retaining_a_failed_asset_tries_again(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset bad = kit_load(&kit, LRD_TEXTURE, "bad");
	assert_int_equal(state_of(&kit, bad), LRD_FAILED);
	assert_true(lrd_retain(kit.store, bad));
	assert_int_equal(state_of(&kit, bad), LRD_QUEUED);
	kit_run(&kit.jobs);
	assert_int_equal(state_of(&kit, bad), LRD_FAILED);
	assert_int_equal(kit_stats(&kit).failures, 2);
	assert_true(lrd_release(kit.store, bad));
	assert_true(lrd_release(kit.store, bad));
	kit_close(&kit);
}

static void a_failed_dependency_is_reported_with_the_chain_of_names_and_hangs_nobody(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset sad = kit_load(&kit, LRD_MODEL, "sad");
	assert_int_equal(state_of(&kit, sad), LRD_READY);
	lrd_error error = { 0 };
	assert_true(lrd_asset_error(kit.store, sad, &error));
	const char *model = strstr(error.message, "model \"sad\"");
	const char *material = strstr(error.message, "material \"worn\"");
	const char *texture = strstr(error.message, "texture \"bad\"");
	assert_true(model != NULL && model < material && material < texture);
	// The log had it when it happened, from the other end.
	assert_non_null(strstr(kit.logged, "named by material \"worn\"; named by model \"sad\""));
	assert_true(lrd_release(kit.store, sad));
	kit_close(&kit);
}

static void the_more_urgent_is_loaded_first_and_a_later_asker_can_hurry_it(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_find(&kit, LRD_BLOB, "a.bin");
	lrd_asset b = kit_find(&kit, LRD_BLOB, "b.bin");
	lrd_asset c = kit_find(&kit, LRD_BLOB, "c.bin");
	lrd_asset all[] = { a, b, c };
	kit.jobs.refuse = true; // look at the queue alone
	assert_true(lrd_retain(kit.store, a));
	assert_true(lrd_retain_with(kit.store, b, &(lrd_retain_desc){ .priority = 5 }));
	assert_true(lrd_retain_with(kit.store, c, &(lrd_retain_desc){ .priority = -5 }));
	assert_true(lrd_retain_with(kit.store, c, &(lrd_retain_desc){ .priority = 50 }));
	static const char *order[] = { "c.bin", "b.bin", "a.bin" };
	for (int i = 0; i < 3; i++)
	{
		lrd_request *next = NULL;
		lrd_mutex_lock(&kit.store->lock);
		next = kit.store->queue.root;
		assert_string_equal(lrd_record_at(kit.store, next->record)->stem, order[i]);
		next = lrd_load_take(kit.store, NULL);
		lrd_mutex_unlock(&kit.store->lock);
		lrd_load_run(kit.store, next);
	}
	assert_true(lrd_release(kit.store, c));
	for (int i = 0; i < 3; i++)
	{
		assert_true(lrd_release(kit.store, all[i]));
	}
	kit.jobs.refuse = false;
	kit_close(&kit);
}

static void waiting_counts_so_that_nothing_starves(void **state)
{
	(void)state;
	// Against an endless stream of more urgent ones, the first is served once so many have passed.
	uint64_t first = lrd_queue_order(1, 0);
	assert_true(lrd_queue_order(2, 1) < first);
	assert_true(lrd_queue_order(1 + LRD_PRIORITY_STEP + 1, 1) > first);
	assert_true(lrd_queue_order(1 + 2 * LRD_PRIORITY_MAX * LRD_PRIORITY_STEP + 1, LRD_PRIORITY_MAX) >
				lrd_queue_order(1, -LRD_PRIORITY_MAX));
}

static uint32_t random_below(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static void the_queue_gives_the_least_first_whatever_is_taken_out_of_its_middle(void **state)
{
	(void)state;
	enum
	{
		count = 200
	};
	uint64_t seed = 1;
	for (int round = 0; round < 200; round++)
	{
		static lrd_request requests[count];
		bool in[count] = { false };
		lrd_queue queue = { 0 };
		for (int step = 0; step < 1000; step++)
		{
			uint32_t at = random_below(&seed, count);
			if (!in[at])
			{
				requests[at] = (lrd_request){ .order = random_below(&seed, 50), .asked = (uint64_t)step };
				lrd_queue_push(&queue, &requests[at]);
				in[at] = true;
			}
			else if (random_below(&seed, 3) == 0)
			{
				lrd_queue_remove(&queue, &requests[at]);
				in[at] = false;
			}
			else
			{
				lrd_request *got = lrd_queue_pop(&queue);
				for (uint32_t i = 0; i < count; i++)
				{
					assert_true(!in[i] || got->order < requests[i].order ||
								(got->order == requests[i].order && got->asked <= requests[i].asked));
				}
				in[got - requests] = false;
			}
		}
	}
}

static void a_scheduler_that_refuses_is_asked_again_at_the_next_update(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	kit.jobs.refuse = true;
	lrd_asset a = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain(kit.store, a));
	kit_run(&kit.jobs);
	assert_int_equal(state_of(&kit, a), LRD_QUEUED);
	lrd_store_update(kit.store);
	assert_int_equal(kit.jobs.refusals, 2);
	kit.jobs.refuse = false;
	lrd_store_update(kit.store);
	kit_run(&kit.jobs);
	assert_int_equal(state_of(&kit, a), LRD_READY);
	assert_int_equal(kit_stats(&kit).jobs_refused, 2);
	assert_true(lrd_release(kit.store, a));
	kit_close(&kit);
}

static void loads_go_on_though_update_is_never_called(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	for (int i = 0; i < 100; i++)
	{
		lrd_asset m = kit_load(&kit, LRD_MODEL, "m");
		assert_int_equal(state_of(&kit, m), LRD_READY);
		assert_true(lrd_store_changed(kit.store, LRD_MATERIAL, LRD_STR("red")) == 1);
		kit_run(&kit.jobs);
		assert_true(lrd_release(kit.store, m));
	}
	kit_close(&kit);
}

static void closing_with_loads_queued_and_named_cancels_them(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset m = kit_find(&kit, LRD_MODEL, "m");
	assert_true(lrd_pin(kit.store, m));
	assert_true(lrd_pin(kit.store, kit_find(&kit, LRD_MODEL, "sad")));
	lrd_mutex_lock(&kit.store->lock);
	lrd_request *request = lrd_load_take(kit.store, NULL);
	lrd_mutex_unlock(&kit.store->lock);
	lrd_load_run(kit.store, request); // the first model now waits for its materials
	assert_int_equal(state_of(&kit, m), LRD_LOADING);
	kit.jobs.refuse = true;
	kit_run(&kit.jobs);
	kit_close(&kit);
}

static void leaks_are_reported_with_their_count_and_owner(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain_with(kit.store, a, &(lrd_retain_desc){ .owner = "the tavern" }));
	assert_true(lrd_retain(kit.store, a));
	kit_run(&kit.jobs);
	assert_int_equal(lrd_store_close(kit.store), 1);
	assert_non_null(strstr(kit.logged, "blob \"a.bin\": 2 references not released (last owner: the tavern)"));
	assert_int_equal(atomic_load(&kit.memory.bytes_out), 0);
	kit_files_free(&kit.files);
}

static void releasing_below_zero_is_refused_and_counted(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset m = kit_load(&kit, LRD_MODEL, "m");
	lrd_asset albedo = kit_find(&kit, LRD_TEXTURE, "albedo"); // the materials hold it, nobody else
	assert_false(lrd_release(kit.store, albedo));
	assert_true(lrd_asset_has(kit.store, albedo));
	assert_true(lrd_pin(kit.store, albedo));
	assert_false(lrd_release(kit.store, albedo));
	assert_true(lrd_unpin(kit.store, albedo));
	assert_false(lrd_unpin(kit.store, albedo));
	assert_int_equal(kit_stats(&kit).refused, 3);
	assert_true(lrd_release(kit.store, m));
	assert_false(lrd_release(kit.store, m));
	kit_close(&kit);
}

static void updating_and_closing_on_another_thread_are_refused(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	kit.store->owner++; // as if this were another one
	lrd_store_update(kit.store);
	assert_int_equal(lrd_store_close(kit.store), 0);
	kit.store->owner--;
	assert_int_equal(kit_stats(&kit).refused, 2);
	kit_close(&kit);
}

static void a_scheduler_that_boasts_of_billions_of_workers_costs_no_memory(void **state)
{
	(void)state;
	store_kit kit = { .jobs.workers = UINT32_MAX };
	failing_allocator_init(&kit.memory, -1);
	kit.interface = (lrd_jobs){ kit_submit, kit_wait, kit_worker_count, &kit.jobs };
	lrd_store_desc desc = kit_desc(&kit);
	lrd_error error = { 0 };
	kit.store = lrd_store_open(&desc, &error);
	if (kit.store == NULL)
	{
		fail_msg("%s", error.message);
	}
	assert_in_range(atomic_load(&kit.memory.bytes_out), 1, 1 << 20);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_retain_goes_from_absent_to_ready),
		cmocka_unit_test(a_second_asker_joins_the_first),
		cmocka_unit_test(a_load_that_no_reference_wants_any_more_is_dropped_before_it_starts),
		cmocka_unit_test(dropping_the_last_reference_and_asking_again_one_frame_later_loads),
		cmocka_unit_test(retain_now_decodes_on_the_calling_thread_with_all_that_it_names),
		cmocka_unit_test(retain_now_of_what_fails_says_why_and_adds_no_reference),
		cmocka_unit_test(retaining_a_failed_asset_tries_again),
		cmocka_unit_test(a_failed_dependency_is_reported_with_the_chain_of_names_and_hangs_nobody),
		cmocka_unit_test(the_more_urgent_is_loaded_first_and_a_later_asker_can_hurry_it),
		cmocka_unit_test(waiting_counts_so_that_nothing_starves),
		cmocka_unit_test(the_queue_gives_the_least_first_whatever_is_taken_out_of_its_middle),
		cmocka_unit_test(a_scheduler_that_refuses_is_asked_again_at_the_next_update),
		cmocka_unit_test(loads_go_on_though_update_is_never_called),
		cmocka_unit_test(closing_with_loads_queued_and_named_cancels_them),
		cmocka_unit_test(leaks_are_reported_with_their_count_and_owner),
		cmocka_unit_test(releasing_below_zero_is_refused_and_counted),
		cmocka_unit_test(updating_and_closing_on_another_thread_are_refused),
		cmocka_unit_test(a_scheduler_that_boasts_of_billions_of_workers_costs_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
