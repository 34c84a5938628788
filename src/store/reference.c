// store/reference.c: retain and release: without the lock while a count neither comes from nor reaches zero, with it where
// a load begins or a payload goes.

#include "store/trace.h"

#include "base/error.h"

// --- Under the lock ---

static bool count_up(lrd_record *record, lrd_record_rest *rest, lrd_holder holder)
{
	if (holder == LRD_HOLDER_PIN)
	{
		rest->pins = (uint16_t)(rest->pins + (rest->pins != UINT16_MAX));
	}
	else if (holder == LRD_HOLDER_PAYLOAD)
	{
		record->inner++;
	}
	else
	{
		atomic_fetch_add_explicit(&record->word, 1, memory_order_acq_rel);
	}
	return true;
}

static bool has_room(const lrd_record *record, const lrd_record_rest *rest, lrd_holder holder)
{
	switch (holder)
	{
	case LRD_HOLDER_PIN: return rest->pins != UINT16_MAX;
	case LRD_HOLDER_PAYLOAD: return record->inner != UINT32_MAX;
	case LRD_HOLDER_USER: break;
	}
	return lrd_word_references(lrd_record_word(record)) < LRD_WORD_REFERENCES_MAX;
}

// Something that a parked payload names went meanwhile. False: memory; it stays parked.
static bool load_anew(lrd_store *store, uint32_t record, int32_t priority, lrd_aftermath *aftermath)
{
	if (!lrd_load_queue(store, record, priority))
	{
		return false;
	}
	lrd_park_evict(store, record, aftermath);
	lrd_record_set_state(store, lrd_record_at(store, record), LRD_QUEUED);
	return true;
}

// A parked payload is wanted again. False: memory; it stays parked.
static bool resurrect(lrd_store *store, uint32_t record, int32_t priority, lrd_aftermath *aftermath)
{
	lrd_payload *payload = lrd_record_payload(lrd_record_at(store, record));
	if (!lrd_payload_is_whole(store, payload))
	{
		return load_anew(store, record, priority, aftermath);
	}
	if (!lrd_payload_hold(store, payload, priority, aftermath))
	{
		return false;
	}
	lrd_park_remove(store, record);
	store->stats.resurrected++;
	return true;
}

static bool is_known_absent(const lrd_store *store, uint32_t record)
{
	return lrd_rest_at(store, record)->absent_epoch == store->mounts.epoch;
}

bool lrd_reference_add(lrd_store *store, uint32_t record, lrd_holder holder, int32_t priority, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_record_rest *rest = lrd_rest_at(store, record);
	if (!has_room(at, rest, holder))
	{
		return false;
	}
	lrd_state state = lrd_word_state(lrd_record_word(at));
	bool done = true;
	if (at->request != NULL)
	{
		lrd_load_hurry(store, at->request, priority);
	}
	else if (state == LRD_READY)
	{
		done = !lrd_park_has(store, record) || resurrect(store, record, priority, aftermath);
	}
	else if (state == LRD_ABSENT || !is_known_absent(store, record))
	{
		done = lrd_load_queue(store, record, priority);
	}
	return done && count_up(at, rest, holder);
}

// Nobody holds the record any more.
static void last_reference_gone(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_state state = lrd_word_state(lrd_record_word(at));
	if (state == LRD_READY)
	{
		lrd_park_add(store, record, aftermath);
		return;
	}
	if (at->request == NULL)
	{
		return;
	}
	bool runs = lrd_load_drop(store, at->request, aftermath);
	if (state == LRD_RELOAD_PENDING)
	{
		lrd_reload_withdraw(store, record, aftermath);
	}
	lrd_record_set_state(store, at, runs ? LRD_LOADING : LRD_ABSENT);
	lrd_settle(store, record, LRD_OUTCOME_CANCELLED, aftermath);
}

void lrd_reference_drop(lrd_store *store, uint32_t record, lrd_holder holder, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_record_rest *rest = lrd_rest_at(store, record);
	switch (holder)
	{
	case LRD_HOLDER_PIN: rest->pins--; break;
	case LRD_HOLDER_PAYLOAD: at->inner--; break;
	case LRD_HOLDER_USER: atomic_fetch_sub_explicit(&at->word, 1, memory_order_acq_rel); break;
	}
	if (rest->elders != NULL)
	{
		lrd_elders_trim(store, record, aftermath);
	}
	if (!lrd_record_held(store, record))
	{
		last_reference_gone(store, record, aftermath);
	}
}

// The number of an owner's name; 0 when it is NULL, or there is no room.
static uint16_t owner_number(lrd_store *store, const char *owner)
{
	if (owner == NULL)
	{
		return 0;
	}
	const char **owners = store->owners;
	if (owners == NULL)
	{
		// All at once: it is read without the lock, so it stays where it is.
		owners = lrd_alloc_zeroed(store->allocator, LRD_OWNERS_MAX, sizeof *owners);
		atomic_store_explicit(&store->owners, owners, memory_order_release);
		store->owner_count = 1;
	}
	if (owners == NULL)
	{
		return 0;
	}
	for (uint32_t i = store->owner_count; i > 1; i--)
	{
		if (owners[i - 1] == owner || strcmp(owners[i - 1], owner) == 0)
		{
			return (uint16_t)(i - 1);
		}
	}
	if (store->owner_count == LRD_OWNERS_MAX)
	{
		return 0;
	}
	owners[store->owner_count] = owner;
	return (uint16_t)store->owner_count++;
}

static int32_t clamp_priority(int32_t priority)
{
	int32_t most = LRD_PRIORITY_MAX;
	return priority > most ? most : priority < -most ? -most : priority;
}

static bool add_locked(lrd_store *store, lrd_asset asset, lrd_holder holder, const lrd_retain_desc *desc)
{
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	bool valid = lrd_record_of(store, asset) != NULL;
	bool added = valid && lrd_reference_add(store, asset.index, holder, clamp_priority(desc->priority), &aftermath);
	if (added && desc->owner != NULL)
	{
		uint16_t number = owner_number(store, desc->owner);
		atomic_store_explicit(&lrd_rest_at(store, asset.index)->owner, number, memory_order_release);
	}
	lrd_store_leave(store, &aftermath);
	return valid ? added : lrd_store_refuse_asset(store, asset, "a stale asset is retained");
}

// --- Without it ---

// A resident asset that somebody holds: one more. False: something else must be done.
static bool retain_resident(lrd_store *store, lrd_record *record, lrd_asset asset)
{
	uint64_t word = atomic_load_explicit(&record->word, memory_order_acquire);
	do
	{
		lrd_state state = lrd_word_state(word);
		uint32_t references = lrd_word_references(word);
		if (references == 0 || references >= LRD_WORD_REFERENCES_MAX ||
			(state != LRD_READY && state != LRD_RELOAD_PENDING))
		{
			return false;
		}
	} while (!atomic_compare_exchange_weak_explicit(
		&record->word, &word, word + 1, memory_order_acq_rel, memory_order_acquire));
	if (atomic_load_explicit(&record->generation, memory_order_acquire) == asset.generation)
	{
		return true;
	}
	// The asset was forgotten in between, and another has its record: what was counted there goes back.
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	lrd_reference_drop(store, asset.index, LRD_HOLDER_USER, &aftermath);
	lrd_store_leave(store, &aftermath);
	return false;
}

static bool retain(lrd_store *store, lrd_asset asset, const lrd_retain_desc *desc)
{
	const lrd_retain_desc plain = { 0 };
	lrd_record *record = lrd_record_of(store, asset);
	bool as_before =
		desc == NULL || desc->owner == NULL || (record != NULL && lrd_record_owner(store, asset.index) == desc->owner);
	if (record != NULL && as_before && retain_resident(store, record, asset))
	{
		return true;
	}
	return add_locked(store, asset, LRD_HOLDER_USER, desc != NULL ? desc : &plain);
}

bool lrd_retain_with(lrd_store *store, lrd_asset asset, const lrd_retain_desc *desc)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool added = retain(store, asset, desc);
	LRD_TRACE(store, begun, retain_with, lrd_trace_id(asset), lrd_trace_integer(desc != NULL ? desc->priority : 0),
		lrd_trace_text(lrd_string_from(desc != NULL ? desc->owner : NULL)), lrd_trace_bool(added));
	return added;
}

bool lrd_retain(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool added = retain(store, asset, NULL);
	LRD_TRACE(store, begun, retain, lrd_trace_id(asset), lrd_trace_bool(added));
	return added;
}

static bool release_locked(lrd_store *store, lrd_asset asset)
{
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	const lrd_record *record = lrd_record_of(store, asset);
	bool there = record != NULL && lrd_word_references(lrd_record_word(record)) != 0;
	if (there)
	{
		lrd_reference_drop(store, asset.index, LRD_HOLDER_USER, &aftermath);
	}
	lrd_store_leave(store, &aftermath);
	return there || lrd_store_refuse_asset(store, asset, "a release too many, or of a stale asset");
}

static bool release(lrd_store *store, lrd_asset asset)
{
	lrd_record *record = lrd_record_of(store, asset);
	if (record == NULL)
	{
		return lrd_store_refuse_asset(store, asset, "a stale asset is released");
	}
	uint64_t word = atomic_load_explicit(&record->word, memory_order_relaxed);
	while (lrd_word_references(word) > 1 && (word & LRD_WORD_ELDERS) == 0)
	{
		// What this thread read of the payload comes before the count goes down.
		if (atomic_compare_exchange_weak_explicit(
				&record->word, &word, word - 1, memory_order_acq_rel, memory_order_relaxed))
		{
			return true;
		}
	}
	return release_locked(store, asset);
}

bool lrd_release(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool released = release(store, asset);
	LRD_TRACE(store, begun, release, lrd_trace_id(asset), lrd_trace_bool(released));
	return released;
}

bool lrd_pin(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_retain_desc plain = { 0 };
	bool added = add_locked(store, asset, LRD_HOLDER_PIN, &plain);
	LRD_TRACE(store, begun, pin, lrd_trace_id(asset), lrd_trace_bool(added));
	return added;
}

bool lrd_unpin(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	bool there = lrd_record_of(store, asset) != NULL && lrd_rest_at(store, asset.index)->pins != 0;
	if (there)
	{
		lrd_reference_drop(store, asset.index, LRD_HOLDER_PIN, &aftermath);
	}
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, unpin, lrd_trace_id(asset), lrd_trace_bool(there));
	return there || lrd_store_refuse_asset(store, asset, "an unpin too many, or of a stale asset");
}

static bool is_there(lrd_state state)
{
	return state == LRD_READY || state == LRD_RELOAD_PENDING;
}

static lrd_state state_of(const lrd_store *store, lrd_asset asset)
{
	const lrd_record *record = lrd_record_of(store, asset);
	return record != NULL ? lrd_word_state(lrd_record_word(record)) : LRD_ABSENT;
}

static bool retain_now(lrd_store *store, lrd_asset asset, lrd_error *error)
{
	if (lrd_record_of(store, asset) == NULL)
	{
		lrd_store_refuse_asset(store, asset, "a stale asset is retained");
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "the asset is not valid (index %u, generation %u)", asset.index,
			asset.generation);
	}
	if (!retain(store, asset, &(lrd_retain_desc){ .priority = LRD_PRIORITY_MAX }))
	{
		return lrd_fail_memory(error, "a load", sizeof(lrd_request));
	}
	lrd_state state = state_of(store, asset);
	if (is_there(state))
	{
		return true;
	}
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	lrd_load_wait(store, asset.index, &aftermath);
	state = lrd_word_state(lrd_record_word(lrd_record_at(store, asset.index)));
	lrd_store_leave(store, &aftermath);
	if (is_there(state))
	{
		return true;
	}
	if (!lrd_load_error(store, asset, error))
	{
		const lrd_record *record = lrd_record_at(store, asset.index);
		lrd_fail(error, LRD_ERROR_CHANGED, "%s \"%s\": every load was cancelled (lrd_store_unload_all)",
			lrd_kind_name((lrd_kind)record->kind), record->stem);
	}
	release(store, asset);
	return false;
}

bool lrd_retain_now(lrd_store *store, lrd_asset asset, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool there = retain_now(store, asset, error);
	LRD_TRACE(store, begun, retain_now, lrd_trace_id(asset), lrd_trace_bool(there));
	return there;
}

lrd_state lrd_asset_state(const lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_state state = state_of(store, asset);
	LRD_TRACE(store, begun, asset_state, lrd_trace_id(asset), lrd_trace_state(state));
	return state;
}

bool lrd_asset_has(const lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool has = is_there(state_of(store, asset));
	LRD_TRACE(store, begun, asset_has, lrd_trace_id(asset), lrd_trace_bool(has));
	return has;
}
