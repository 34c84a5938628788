// store/store.c: opening, the frame's update, closing; the lock and what is done when it is let go; the workers.

#include "store/diagnostics.h"
#include "store/trace.h"
#include "store/watch.h"

#include "base/error.h"
#include "store/config.h"

#include <assert.h>

// Loads that go on at once, however many jobs the scheduler says it can run: as many threads as a pool may have.
#define PUMPS_MAX 256u

// How long a worker goes on with one load after another before it lets the scheduler's other jobs have their turn.
#define PUMP_TURN_NS 2000000u

static void submit_pump(lrd_store *store, lrd_pump *pump)
{
	if (store->jobs.submit(store->jobs.user, &pump->job))
	{
		return;
	}
	lrd_mutex_lock(&store->lock);
	pump->active = false;
	store->pumps_active--;
	store->jobs_refused = true;
	store->stats.jobs_refused++;
	atomic_fetch_or(&store->attention, LRD_ATTENTION_JOBS);
	lrd_condition_broadcast(&store->idle);
	lrd_mutex_unlock(&store->lock);
}

// Workers for what is queued. Under the lock.
static void take_pumps(lrd_store *store, lrd_aftermath *aftermath)
{
	uint64_t wanted = (uint64_t)store->running + store->queue.count;
	for (uint32_t i = 0; i < store->pump_count && store->pumps_active < wanted; i++)
	{
		lrd_pump *pump = &store->pumps[i];
		if (!pump->active)
		{
			pump->active = true;
			pump->next = aftermath->pumps;
			aftermath->pumps = pump;
			store->pumps_active++;
		}
	}
}

void lrd_store_enter(lrd_store *store)
{
	lrd_mutex_lock(&store->lock);
}

void lrd_store_leave(lrd_store *store, lrd_aftermath *aftermath)
{
	if (store->queue.count != 0 && store->pumps_active < store->pump_count && !store->jobs_refused && !store->closing)
	{
		take_pumps(store, aftermath);
	}
	lrd_mutex_unlock(&store->lock);
	while (aftermath->doomed != NULL)
	{
		lrd_payload *payload = aftermath->doomed;
		aftermath->doomed = payload->elder;
		lrd_payload_free(store, payload);
	}
	while (aftermath->pumps != NULL)
	{
		lrd_pump *pump = aftermath->pumps;
		aftermath->pumps = pump->next;
		submit_pump(store, pump);
	}
}

bool lrd_store_refuse(const lrd_store *store, const char *what)
{
	// The count is no part of what a const store promises to keep.
	atomic_fetch_add_explicit(&((lrd_store *)(uintptr_t)store)->refused, 1, memory_order_relaxed);
	(void)what;
#ifndef NDEBUG
	if (!store->quiet)
	{
		lrd_log_write(&store->log, LRD_LOG_ERROR, "store", "called wrongly: %s", what);
	}
#endif
	assert(store->quiet && "the store was called wrongly: see lrd_store_desc.quiet");
	return false;
}

bool lrd_store_refuse_asset(const lrd_store *store, lrd_asset asset, const char *what)
{
	return asset.generation != 0 && lrd_store_refuse(store, what);
}

// The pump's job ends: nothing may touch the store after the lock is let go, since closing waits for just this.
static void retire_pump(lrd_store *store, lrd_pump *pump)
{
	pump->active = false;
	store->pumps_active--;
	lrd_condition_broadcast(&store->idle);
	lrd_mutex_unlock(&store->lock);
}

static void run_pump(lrd_job *job)
{
	lrd_pump *pump = (lrd_pump *)job;
	lrd_store *store = pump->store;
	uint64_t until_ns = lrd_clock_ns() + PUMP_TURN_NS;
	lrd_mutex_lock(&store->lock);
	for (;;)
	{
		lrd_request *request = lrd_load_take(store, NULL);
		if (request == NULL)
		{
			retire_pump(store, pump);
			return;
		}
		lrd_mutex_unlock(&store->lock);
		while (request != NULL)
		{
			request = lrd_load_run_on(store, request, until_ns);
		}
		bool turn_is_up = lrd_clock_ns() > until_ns;
		lrd_mutex_lock(&store->lock);
		if (turn_is_up && store->queue.count != 0)
		{
			lrd_mutex_unlock(&store->lock);
			submit_pump(store, pump);
			return;
		}
	}
}

static bool init_locks(lrd_store *store)
{
	if (!lrd_mutex_init(&store->lock))
	{
		return false;
	}
	if (!lrd_condition_init(&store->settled))
	{
		lrd_mutex_destroy(&store->lock);
		return false;
	}
	if (!lrd_condition_init(&store->idle))
	{
		lrd_condition_destroy(&store->settled);
		lrd_mutex_destroy(&store->lock);
		return false;
	}
	return true;
}

static bool init_jobs(lrd_store *store, const lrd_store_desc *desc, lrd_error *error)
{
	if (desc->jobs != NULL)
	{
		store->jobs = *desc->jobs;
	}
	else
	{
		uint32_t others = lrd_processor_count() - 1;
		uint32_t count = desc->worker_count != 0 ? desc->worker_count : others != 0 ? others : 1;
		store->own_pool =
			lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = count, .allocator = store->allocator }, error);
		if (store->own_pool == NULL)
		{
			return false;
		}
		store->jobs = lrd_job_pool_jobs(store->own_pool);
	}
	uint32_t workers = store->jobs.worker_count(store->jobs.user);
	uint32_t count = workers < 1 ? 1 : (workers < PUMPS_MAX ? workers : PUMPS_MAX);
	store->pumps = lrd_alloc_zeroed(store->allocator, count, sizeof *store->pumps);
	if (store->pumps == NULL)
	{
		return lrd_fail_memory(error, "a store's workers", count * sizeof *store->pumps);
	}
	store->pump_count = count;
	for (uint32_t i = 0; i < count; i++)
	{
		store->pumps[i] = (lrd_pump){ .job = { .run = run_pump }, .store = store };
	}
	return true;
}

static bool mount_first(lrd_store *store, const lrd_store_desc *desc, lrd_error *error)
{
	lrd_mount mount;
	const lrd_mount_desc pack = { .pack = desc->pack, .watch = desc->watch };
	const lrd_mount_desc root = { .root = desc->root, .watch = desc->watch };
	return (desc->pack == NULL || lrd_store_mount(store, &pack, &mount, error)) &&
		   (desc->root == NULL || lrd_store_mount(store, &root, &mount, error));
}

// Everything that a store has when nothing is loaded or running.
static void free_store(lrd_store *store)
{
	lrd_watch_stop(store);
	lrd_trace_close(store);
	lrd_job_pool_destroy(store->own_pool);
	lrd_tickets_free(store);
	lrd_events_free(store);
	lrd_mounts_free(store);
	lrd_free(store->allocator, store->pumps, store->pump_count * sizeof *store->pumps);
	lrd_free(store->allocator, (void *)store->owners, LRD_OWNERS_MAX * sizeof(char *));
	lrd_records_free(store);
	lrd_condition_destroy(&store->idle);
	lrd_condition_destroy(&store->settled);
	lrd_mutex_destroy(&store->lock);
	lrd_free(store->allocator, store, sizeof *store);
}

lrd_store *lrd_store_open(const lrd_store_desc *asked, lrd_error *error)
{
	lrd_store_desc configured = *asked;
	const lrd_store_desc *desc = &configured;
	if (!lrd_config_apply(&configured, error))
	{
		return NULL;
	}
	lrd_allocator allocator = lrd_allocator_or_default(desc->allocator);
	lrd_store *store = lrd_alloc_zeroed(allocator, 1, sizeof *store);
	if (store == NULL || !init_locks(store))
	{
		lrd_free(allocator, store, sizeof *store);
		lrd_fail_memory(error, "a store", sizeof *store);
		return NULL;
	}
	store->allocator = allocator;
	store->log = desc->log;
	store->owner = lrd_thread_self();
	store->quiet = desc->quiet;
	store->texture_tail = desc->texture_tail;
	store->park = (lrd_park){ .oldest = LRD_NONE, .newest = LRD_NONE, .keep = desc->keep_parked };
	store->changed_first = LRD_NONE;
	store->changed_last = LRD_NONE;
	store->mounts.epoch = 1;
	if (!lrd_records_init(store, desc->reserve_assets, error) || !init_jobs(store, desc, error) ||
		!mount_first(store, desc, error) || (desc->trace != NULL && !lrd_trace_begin(store, desc->trace, error)))
	{
		free_store(store);
		return NULL;
	}
	return store;
}

// --- Closing ---

// Under the lock: nothing is queued any more, and nothing runs.
static void stop_loads(lrd_store *store, lrd_aftermath *aftermath)
{
	// Dropping one may drop others: those that it needed.
	for (lrd_request *request = store->requests; request != NULL;)
	{
		bool runs = lrd_load_drop(store, request, aftermath);
		request = runs ? request->all_next : store->requests;
	}
	while (store->running != 0 || store->pumps_active != 0)
	{
		lrd_condition_wait(&store->idle, &store->lock);
	}
}

static uint32_t report_leaks(lrd_store *store)
{
	uint32_t leaks = 0;
	uint32_t count = atomic_load(&store->record_count);
	for (uint32_t i = 0; i < count; i++)
	{
		const lrd_record *record = lrd_record_at(store, i);
		uint32_t references = lrd_word_references(lrd_record_word(record));
		if (references != 0)
		{
			const char *owner = lrd_record_owner(store, i);
			lrd_log_write(&store->log, LRD_LOG_WARNING, "store",
				"%s \"%s\": %u reference%s not released (last owner: %s)", lrd_kind_name((lrd_kind)record->kind),
				record->stem, references, references == 1 ? "" : "s", owner != NULL ? owner : "unknown");
			leaks++;
		}
	}
	return leaks;
}

static void doom_list(lrd_store *store, lrd_payload *payload, lrd_aftermath *aftermath)
{
	while (payload != NULL)
	{
		lrd_payload *elder = payload->elder;
		payload->holding = false; // what it names goes as well
		lrd_payload_doom(store, payload, aftermath);
		payload = elder;
	}
}

static void free_payloads(lrd_store *store)
{
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	doom_list(store, store->limbo, &aftermath);
	uint32_t count = atomic_load(&store->record_count);
	for (uint32_t i = 0; i < count; i++)
	{
		lrd_record *record = lrd_record_at(store, i);
		lrd_record_rest *rest = lrd_rest_at(store, i);
		doom_list(store, rest->elders, &aftermath);
		rest->elders = NULL;
		doom_list(store, lrd_record_payload(record), &aftermath);
		atomic_store(&record->payload, NULL);
	}
	lrd_store_leave(store, &aftermath);
}

uint32_t lrd_store_close(lrd_store *store)
{
	if (store == NULL)
	{
		return 0;
	}
	if (store->owner != lrd_thread_self() || store->updating)
	{
		lrd_store_refuse(store, "closing in a callback, or not by the owner");
		return 0;
	}
	const uint64_t begun = lrd_trace_begun(store);
	lrd_watch_stop(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	store->closing = true;
	stop_loads(store, &aftermath);
	lrd_store_leave(store, &aftermath);
	lrd_failures_sum_up(store, true);
	uint32_t leaks = report_leaks(store);
	free_payloads(store);
	LRD_TRACE(store, begun, store_close, lrd_trace_number(leaks));
	free_store(store);
	return leaks;
}

// --- The frame ---

static void begin_frame(lrd_store *store, uint32_t attention)
{
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	if (attention & LRD_ATTENTION_JOBS)
	{
		store->jobs_refused = false;
	}
	lrd_reload_clear_limbo(store, &aftermath);
	lrd_store_leave(store, &aftermath);
}

static void update(lrd_store *store)
{
	if (store->owner != lrd_thread_self() || store->updating)
	{
		lrd_store_refuse(store, "updating in a callback, or not by the owner");
		return;
	}
	if (atomic_load_explicit(&store->attention, memory_order_relaxed) == 0)
	{
		return;
	}
	uint32_t attention = atomic_exchange(&store->attention, 0);
	store->updating = true;
	if (attention & LRD_ATTENTION_FRESH)
	{
		lrd_fresh_hand_over(store);
	}
	if (attention & (LRD_ATTENTION_JOBS | LRD_ATTENTION_LIMBO))
	{
		begin_frame(store, attention);
	}
	if (attention & LRD_ATTENTION_WATCH)
	{
		lrd_watch_update(store);
	}
	if (attention & LRD_ATTENTION_UNSAID)
	{
		lrd_failures_sum_up(store, false);
	}
	if (attention & LRD_ATTENTION_TICKETS)
	{
		lrd_tickets_deliver(store);
	}
	if (attention & LRD_ATTENTION_EVENTS)
	{
		lrd_events_deliver(store);
	}
	store->updating = false;
}

const lrd_jobs *lrd_store_jobs(const lrd_store *store)
{
	return &store->jobs;
}

void lrd_store_update(lrd_store *store)
{
	const uint64_t begun = lrd_trace_begun(store);
	update(store);
	LRD_TRACE(store, begun, store_update, lrd_trace_nothing());
}
