// store/load.c: loads: asked for, queued, run by a worker or by whoever can't wait, and settled: ready, failed or cancelled.
//
// A record has at most one request, which whoever asks later joins. A request that needs other assets is finished by the
// last of them: no thread waits for another.

#include "store/diagnostics.h"
#include "store/trace.h"

#include "base/error.h"

#include <stdio.h>

// --- Waiters ---

void lrd_waiter_link(lrd_record *record, lrd_waiter *waiter)
{
	waiter->next = record->waiters;
	waiter->link = &record->waiters;
	if (waiter->next != NULL)
	{
		waiter->next->link = &waiter->next;
	}
	record->waiters = waiter;
}

void lrd_waiter_unlink(lrd_waiter *waiter)
{
	if (waiter->link == NULL)
	{
		return;
	}
	*waiter->link = waiter->next;
	if (waiter->next != NULL)
	{
		waiter->next->link = waiter->link;
	}
	waiter->link = NULL;
	waiter->next = NULL;
}

// --- Requests come and go ---

static void link_request(lrd_store *store, lrd_request *request)
{
	request->all_next = store->requests;
	request->all_link = &store->requests;
	if (request->all_next != NULL)
	{
		request->all_next->all_link = &request->all_next;
	}
	store->requests = request;
}

static void free_request(lrd_store *store, lrd_request *request)
{
	*request->all_link = request->all_next;
	if (request->all_next != NULL)
	{
		request->all_next->all_link = request->all_link;
	}
	lrd_record_at(store, request->record)->request = NULL;
	lrd_free(store->allocator, request, sizeof *request);
}

// Whoever waits looks again: something settled, or there is something it can do itself, which workers may not get to
// soon, or ever, if the scheduler refuses.
static void wake_waiting(lrd_store *store)
{
	if (store->settle_waiters != 0)
	{
		lrd_condition_broadcast(&store->settled);
	}
}

static void push(lrd_store *store, lrd_request *request)
{
	request->phase = LRD_REQUEST_QUEUED;
	request->order = lrd_queue_order(request->asked, request->priority);
	lrd_queue_push(&store->queue, request);
	wake_waiting(store);
}

static void rearm_tickets(lrd_store *store, const lrd_record *record)
{
	for (lrd_waiter *waiter = record->waiters; waiter != NULL; waiter = waiter->next)
	{
		if (waiter->requirement != NULL)
		{
			lrd_ticket_rearm(store, waiter->requirement);
		}
	}
}

bool lrd_load_queue(lrd_store *store, uint32_t record, int32_t priority)
{
	lrd_request *request = lrd_alloc_zeroed(store->allocator, 1, sizeof *request);
	if (request == NULL)
	{
		return false;
	}
	request->record = record;
	request->priority = priority;
	request->asked = ++store->asked;
	request->asked_ns = lrd_diagnostic_clock_ns();
	lrd_record *at = lrd_record_at(store, record);
	at->request = request;
	link_request(store, request);
	push(store, request);
	lrd_record_set_state(store, at, lrd_record_payload(at) != NULL ? LRD_RELOAD_PENDING : LRD_QUEUED);
	rearm_tickets(store, at);
	return true;
}

void lrd_load_hurry(lrd_store *store, lrd_request *request, int32_t priority)
{
	if (request->abandoned) // tickets were told that it was cancelled
	{
		request->abandoned = false;
		rearm_tickets(store, lrd_record_at(store, request->record));
	}
	if (priority <= request->priority)
	{
		return;
	}
	request->priority = priority;
	if (request->phase == LRD_REQUEST_QUEUED)
	{
		lrd_queue_remove(&store->queue, request);
		push(store, request);
	}
	for (size_t i = 0; request->phase == LRD_REQUEST_NAMED && i < request->payload->dependency_count; i++)
	{
		lrd_request *needed = lrd_record_at(store, request->payload->dependencies[i].asset.index)->request;
		if (needed != NULL)
		{
			lrd_load_hurry(store, needed, priority);
		}
	}
}

static void doom_decoded(lrd_store *store, lrd_request *request, lrd_aftermath *aftermath)
{
	lrd_payload *payload = request->payload;
	request->payload = NULL;
	request->pending = 0;
	lrd_payload_doom(store, payload, aftermath);
}

bool lrd_load_drop(lrd_store *store, lrd_request *request, lrd_aftermath *aftermath)
{
	if (lrd_record_payload(lrd_record_at(store, request->record)) != NULL)
	{
		// Newer content, which will not be told of as reloaded.
		lrd_event_note(store, request->record, LRD_EVENT_CHANGED);
	}
	if (request->phase == LRD_REQUEST_RUNNING)
	{
		request->abandoned = true;
		return true;
	}
	if (request->phase == LRD_REQUEST_QUEUED)
	{
		lrd_queue_remove(&store->queue, request);
	}
	else
	{
		doom_decoded(store, request, aftermath);
	}
	store->stats.cancelled++;
	free_request(store, request);
	return false;
}

void lrd_load_restart(lrd_store *store, lrd_request *request, lrd_aftermath *aftermath)
{
	if (request->phase != LRD_REQUEST_NAMED)
	{
		return;
	}
	lrd_record *at = lrd_record_at(store, request->record);
	store->stats.stale++;
	push(store, request);
	lrd_record_set_state(store, at, lrd_record_payload(at) != NULL ? LRD_RELOAD_PENDING : LRD_QUEUED);
	doom_decoded(store, request, aftermath);
}

static void look_up(lrd_store *store, lrd_request *request)
{
	const lrd_record *at = lrd_record_at(store, request->record);
	request->absent = !lrd_mounts_find(&store->mounts, (lrd_kind)at->kind, lrd_record_stem(at), &request->origin);
	request->epoch = store->mounts.epoch;
}

lrd_request *lrd_load_take(lrd_store *store, lrd_request *request)
{
	if (request != NULL)
	{
		lrd_queue_remove(&store->queue, request);
	}
	else
	{
		request = store->closing ? NULL : lrd_queue_pop(&store->queue);
	}
	if (request == NULL)
	{
		return NULL;
	}
	lrd_record *at = lrd_record_at(store, request->record);
	request->phase = LRD_REQUEST_RUNNING;
	request->begun_ns = lrd_diagnostic_clock_ns();
	request->receipt = lrd_rest_at(store, request->record)->receipt;
	request->origin = (lrd_origin){ 0 };
	request->touching = request->touch;
	request->touch = false;
	if (lrd_record_payload(at) == NULL)
	{
		lrd_record_set_state(store, at, LRD_LOADING);
	}
	if (!request->touching)
	{
		look_up(store, request);
	}
	store->running++;
	return request;
}

// --- Settling ---

static void publish(lrd_store *store, lrd_request *request, lrd_aftermath *aftermath);

// Waiters are taken one at a time from a list of their own, since finishing one load may cancel another that waits here.
void lrd_settle(lrd_store *store, uint32_t record, lrd_outcome outcome, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_waiter *waiting = at->waiters;
	at->waiters = NULL;
	if (waiting != NULL)
	{
		waiting->link = &waiting;
	}
	while (waiting != NULL)
	{
		lrd_waiter *waiter = waiting;
		lrd_waiter_unlink(waiter);
		if (waiter->requirement != NULL)
		{
			lrd_waiter_link(at, waiter); // a reload arms it again
			lrd_ticket_arrived(store, waiter->requirement, outcome);
			continue;
		}
		lrd_request *request = waiter->request;
		if (outcome ==
			LRD_OUTCOME_CANCELLED) // it holds what it waits for: everything is being unloaded, and so will it be
		{
			continue;
		}
		request->pending--;
		if (request->pending == 0)
		{
			publish(store, request, aftermath);
		}
	}
	wake_waiting(store);
}

static void note_times(const lrd_request *request, lrd_payload *payload)
{
	payload->ready_ns = lrd_diagnostic_clock_ns();
	payload->queued_us = lrd_microseconds(request->asked_ns, request->begun_ns);
	payload->read_us = lrd_microseconds(0, request->read_ns);
	payload->decode_us = lrd_microseconds(0, request->decode_ns);
	payload->named_us = lrd_microseconds(request->decoded_ns, payload->ready_ns);
}

// Everything that the payload names has settled: whoever has waited can have it.
static void publish(lrd_store *store, lrd_request *request, lrd_aftermath *aftermath)
{
	uint32_t record = request->record;
	lrd_record *at = lrd_record_at(store, record);
	lrd_record_rest *rest = lrd_rest_at(store, record);
	lrd_payload *payload = request->payload;
	payload->generation = rest->payloads + 1;
	note_times(request, payload);
	lrd_fresh_add(store, payload);
	lrd_payload_account(store, payload);
	lrd_failure_free(store, rest->failure);
	rest->failure = NULL;
	store->stats.loads++;
	free_request(store, request);
	bool replaces = lrd_record_payload(at) != NULL;
	if (replaces)
	{
		lrd_reload_swap(store, record, payload, aftermath);
	}
	else
	{
		atomic_store_explicit(&at->payload, payload, memory_order_release);
		rest->payloads++;
	}
	lrd_record_set_state(store, at, LRD_READY);
	lrd_event_note(store, record, replaces ? LRD_EVENT_RELOADED : LRD_EVENT_READY);
	lrd_settle(store, record, LRD_OUTCOME_READY, aftermath);
}

// "texture "a": MESSAGE (named by material "b", named by model "c")": one way that leads to it.
static void say_who_needs_it(const lrd_store *store, uint32_t record, lrd_error *error)
{
	const lrd_record *at = lrd_record_at(store, record);
	lrd_fail_in(error, "%s \"%s\"", lrd_kind_name((lrd_kind)at->kind), at->stem);
	size_t used = strlen(error->message);
	for (const lrd_waiter *waiter = at->waiters; waiter != NULL;)
	{
		if (waiter->request == NULL)
		{
			waiter = waiter->next;
			continue;
		}
		const lrd_record *needs = lrd_record_at(store, waiter->request->record);
		int more = snprintf(error->message + used, sizeof error->message - used, "; named by %s \"%s\"",
			lrd_kind_name((lrd_kind)needs->kind), needs->stem);
		used = used + (size_t)more < sizeof error->message ? used + (size_t)more : sizeof error->message - 1;
		waiter = needs->waiters;
	}
}

static void fail(lrd_store *store, lrd_request *request, lrd_error *error, lrd_aftermath *aftermath)
{
	uint32_t record = request->record;
	lrd_record *at = lrd_record_at(store, record);
	lrd_record_rest *rest = lrd_rest_at(store, record);
	say_who_needs_it(store, record, error);
	lrd_failure_free(store, rest->failure);
	rest->failure = lrd_failure_make(store, error);
	rest->absent_epoch = request->absent ? request->epoch : 0;
	store->stats.failures++;
	free_request(store, request);
	bool keeps_old = lrd_record_payload(at) != NULL;
	lrd_record_set_state(store, at, keeps_old ? LRD_READY : LRD_FAILED);
	lrd_event_note(store, record, keeps_old ? LRD_EVENT_RELOAD_FAILED : LRD_EVENT_FAILED);
	lrd_settle(store, record, keeps_old ? LRD_OUTCOME_READY : LRD_OUTCOME_FAILED, aftermath);
}

// The payload's references, and a place among the waiters of what is not there yet. False: memory.
static bool wait_for_named(lrd_store *store, lrd_request *request, lrd_payload *payload, lrd_aftermath *aftermath)
{
	if (!lrd_payload_hold(store, payload, request->priority, aftermath))
	{
		return false;
	}
	request->payload = payload;
	request->phase = LRD_REQUEST_NAMED;
	for (size_t i = 0; i < payload->dependency_count; i++)
	{
		lrd_dependency *dependency = &payload->dependencies[i];
		lrd_record *needed = lrd_record_at(store, dependency->asset.index);
		lrd_state state = lrd_word_state(lrd_record_word(needed));
		if (state == LRD_QUEUED || state == LRD_LOADING)
		{
			dependency->waiter.request = request;
			lrd_waiter_link(needed, &dependency->waiter);
			request->pending++;
		}
	}
	return true;
}

static void discard(lrd_store *store, lrd_request *request, lrd_payload *payload, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, request->record);
	store->stats.cancelled++;
	free_request(store, request);
	if (payload != NULL)
	{
		lrd_payload_doom(store, payload, aftermath);
	}
	lrd_record_set_state(store, at, LRD_ABSENT);
	wake_waiting(store);
}

// A thread is done with a request. Under the lock. True: it failed, and `error` is worth telling.
static bool end_run(
	lrd_store *store, lrd_request *request, lrd_payload *payload, lrd_error *error, lrd_aftermath *aftermath)
{
	uint32_t record = request->record;
	store->running--;
	store->stats.read_ns += request->read_ns;
	store->stats.decode_ns += request->decode_ns;
	store->stats.io_bytes += request->io_bytes;
	store->stats.mapped_bytes += payload != NULL && payload->content.owned == NULL ? payload->content.bytes.size : 0;
	if (store->running == 0 && store->closing)
	{
		lrd_condition_broadcast(&store->idle);
	}
	if (store->closing || request->abandoned || !lrd_record_held(store, record))
	{
		discard(store, request, payload, aftermath);
		return false;
	}
	bool names_stale = payload != NULL && !lrd_payload_names_are_valid(store, payload); // forgotten, and nobody's now
	if (request->receipt != lrd_rest_at(store, record)->receipt || names_stale)
	{
		store->stats.stale++;
		push(store, request);
		lrd_record *at = lrd_record_at(store, record);
		lrd_record_set_state(store, at, lrd_record_payload(at) != NULL ? LRD_RELOAD_PENDING : LRD_QUEUED);
		if (payload != NULL)
		{
			lrd_payload_doom(store, payload, aftermath);
		}
		return false;
	}
	if (payload != NULL && !wait_for_named(store, request, payload, aftermath))
	{
		lrd_fail_memory(error, "references to what it names", 0);
		lrd_payload_doom(store, payload, aftermath);
		payload = NULL;
	}
	if (payload == NULL)
	{
		fail(store, request, error, aftermath);
		return true;
	}
	if (request->pending == 0)
	{
		publish(store, request, aftermath);
		return false;
	}
	wake_waiting(store);
	return false;
}

// A name that no mount knows may be that of a file which came into a folder since it was listed.
static bool find_origin(lrd_store *store, lrd_request *request)
{
	if (request->origin.mount == NULL)
	{
		const lrd_record *at = lrd_record_at(store, request->record);
		lrd_mounts_look_for(store, (lrd_kind)at->kind, lrd_record_stem(at));
		lrd_mutex_lock(&store->lock);
		look_up(store, request);
		lrd_mutex_unlock(&store->lock);
	}
	return !request->absent;
}

// Whether it is logged, under the lock; what is not, a later update sums up.
static bool note_failure(lrd_store *store, uint64_t *unsaid)
{
	bool is_said = lrd_failure_note(&store->failure_log, lrd_clock_ns(), unsaid);
	if (!is_said)
	{
		atomic_fetch_or_explicit(&store->attention, LRD_ATTENTION_UNSAID, memory_order_relaxed);
	}
	return is_said;
}

lrd_request *lrd_load_run_on(lrd_store *store, lrd_request *request, uint64_t until_ns)
{
	lrd_error error = { 0 };
	lrd_payload *payload = NULL;
	request->read_ns = 0;
	request->decode_ns = 0;
	request->io_bytes = 0;
	if (find_origin(store, request))
	{
		payload = lrd_payload_make(store, request, &error);
		lrd_origin_release(store, &request->origin);
	}
	else
	{
		const lrd_record *at = lrd_record_at(store, request->record);
		lrd_mounts_suggest(store, (lrd_kind)at->kind, lrd_record_stem(at), &error);
	}
	bool goes_on = until_ns != 0 && (payload != NULL ? request->decoded_ns : lrd_clock_ns()) < until_ns;
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	uint64_t unsaid = 0;
	bool is_said = end_run(store, request, payload, &error, &aftermath) && note_failure(store, &unsaid);
	lrd_request *next = goes_on ? lrd_load_take(store, NULL) : NULL;
	lrd_store_leave(store, &aftermath);
	lrd_failures_say(store, unsaid);
	if (is_said)
	{
		lrd_log_write(&store->log, LRD_LOG_WARNING, "store", "%s", error.message);
	}
	return next;
}

void lrd_load_run(lrd_store *store, lrd_request *request)
{
	(void)lrd_load_run_on(store, request, 0);
}

// --- Waiting ---

// What this thread can do for a record that is on its way; NULL: others are at it.
static lrd_request *find_work(lrd_store *store, uint32_t record)
{
	lrd_request *request = lrd_record_at(store, record)->request;
	if (request == NULL || request->phase == LRD_REQUEST_QUEUED)
	{
		return request;
	}
	if (request->phase == LRD_REQUEST_NAMED)
	{
		for (size_t i = 0; i < request->payload->dependency_count; i++)
		{
			lrd_dependency *dependency = &request->payload->dependencies[i];
			bool waits = dependency->waiter.link != NULL;
			lrd_request *work = waits ? find_work(store, dependency->asset.index) : NULL;
			if (work != NULL)
			{
				return work;
			}
		}
	}
	return NULL;
}

static bool is_on_its_way(const lrd_store *store, uint32_t record)
{
	lrd_state state = lrd_word_state(lrd_record_word(lrd_record_at(store, record)));
	return state == LRD_QUEUED || state == LRD_LOADING;
}

bool lrd_load_help(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_request *work = find_work(store, record);
	if (work == NULL)
	{
		return false;
	}
	lrd_load_take(store, work);
	lrd_store_leave(store, aftermath);
	lrd_load_run(store, work);
	lrd_store_enter(store);
	return true;
}

void lrd_load_await(lrd_store *store)
{
	store->settle_waiters++;
	lrd_condition_wait(&store->settled, &store->lock);
	store->settle_waiters--;
}

void lrd_load_wait(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	while (is_on_its_way(store, record))
	{
		if (!lrd_load_help(store, record, aftermath))
		{
			lrd_load_await(store);
		}
	}
}

// --- Why it failed ---

// The chain from a payload down to what could not be loaded. Under the lock.
static bool describe_broken(const lrd_store *store, uint32_t record, lrd_error *error)
{
	const lrd_failure *failure = lrd_rest_at(store, record)->failure;
	if (failure != NULL)
	{
		lrd_failure_get(failure, error);
		if (failure->size == 0) // a constant, which names nobody
		{
			const lrd_record *at = lrd_record_at(store, record);
			lrd_fail_in(error, "%s \"%s\"", lrd_kind_name((lrd_kind)at->kind), at->stem);
		}
		return true;
	}
	const lrd_payload *payload = lrd_record_payload(lrd_record_at(store, record));
	for (size_t i = 0; payload != NULL && i < payload->dependency_count; i++)
	{
		lrd_asset named = payload->dependencies[i].asset;
		if (lrd_record_of(store, named) != NULL && describe_broken(store, named.index, error))
		{
			const lrd_record *at = lrd_record_at(store, record);
			lrd_fail_in(error, "%s \"%s\"", lrd_kind_name((lrd_kind)at->kind), at->stem);
			return true;
		}
	}
	return false;
}

bool lrd_load_error(const lrd_store *store, lrd_asset asset, lrd_error *error)
{
	lrd_mutex *lock = lrd_store_lock(store);
	lrd_mutex_lock(lock);
	bool failed = lrd_record_of(store, asset) != NULL && describe_broken(store, asset.index, error);
	lrd_mutex_unlock(lock);
	return failed;
}

bool lrd_asset_error(const lrd_store *store, lrd_asset asset, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool failed = lrd_load_error(store, asset, error);
	LRD_TRACE(store, begun, asset_error, lrd_trace_id(asset), lrd_trace_bool(failed));
	return failed;
}
