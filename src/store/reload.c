// store/reload.c: change: loading anew, taking the old payload's place, and how long the old one lives.
//
// Nobody says of a reference which payload it reads. So when a payload is replaced, every reference of that moment is taken to
// read it, and it lives as an elder until as many have been renewed or are gone. A reference that is released may be one that
// came later; then the elders live too long, never too short.
//
// Payloads hold what they name and read nothing of it. The owner may read it through them for the rest of the frame: so
// what only payloads hold is freed at the next update.

#include "store/trace.h"

#include "base/error.h"
#include "base/path.h"

// --- Elders. Under the lock. ---

static uint32_t readers(const lrd_store *store, uint32_t record)
{
	uint64_t word = lrd_record_word(lrd_record_at(store, record));
	return lrd_word_references(word) + lrd_rest_at(store, record)->pins;
}

static void set_elders_flag(lrd_record *record, bool set)
{
	if (set)
	{
		atomic_fetch_or_explicit(&record->word, LRD_WORD_ELDERS, memory_order_acq_rel);
	}
	else
	{
		atomic_fetch_and_explicit(&record->word, ~LRD_WORD_ELDERS, memory_order_acq_rel);
	}
}

static void count_elder(lrd_store *store, const lrd_payload *payload, bool is_new)
{
	store->stats.elders += is_new ? 1u : ~0u;
	store->stats.elder_bytes += is_new ? payload->charged : 0 - payload->charged;
}

void lrd_elders_trim(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_record_rest *rest = lrd_rest_at(store, record);
	uint32_t most = readers(store, record);
	if (rest->elders == NULL)
	{
		return;
	}
	rest->elders->stale = rest->elders->stale < most ? rest->elders->stale : most;
	if (rest->elders->stale != 0)
	{
		return;
	}
	set_elders_flag(lrd_record_at(store, record), false);
	lrd_payload *elder = rest->elders;
	rest->elders = NULL;
	while (elder != NULL)
	{
		lrd_payload *next = elder->elder;
		if (lrd_record_at(store, record)->inner != 0)
		{
			elder->elder = store->limbo;
			store->limbo = elder;
			atomic_fetch_or(&store->attention, LRD_ATTENTION_LIMBO);
		}
		else
		{
			count_elder(store, elder, false);
			lrd_payload_doom(store, elder, aftermath);
		}
		elder = next;
	}
}

void lrd_reload_clear_limbo(lrd_store *store, lrd_aftermath *aftermath)
{
	while (store->limbo != NULL)
	{
		lrd_payload *payload = store->limbo;
		store->limbo = payload->elder;
		count_elder(store, payload, false);
		lrd_payload_doom(store, payload, aftermath);
	}
}

// `payload` is no longer the newest. From here on every release takes the lock; those who hold a reference now are counted
// when the flag is set, and only they can have got the payload.
static void become_elder(lrd_store *store, uint32_t record, lrd_payload *payload, lrd_aftermath *aftermath)
{
	lrd_record_rest *rest = lrd_rest_at(store, record);
	set_elders_flag(lrd_record_at(store, record), true);
	payload->elder = rest->elders;
	payload->stale = readers(store, record);
	payload->replaced = rest->payloads;
	rest->elders = payload;
	count_elder(store, payload, true);
	lrd_elders_trim(store, record, aftermath);
}

void lrd_reload_withdraw(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_payload *payload = lrd_record_payload(at);
	atomic_store_explicit(&at->payload, NULL, memory_order_release);
	lrd_rest_at(store, record)->payloads++; // so that references from before can be told from those that come now
	lrd_event_note(store, record, LRD_EVENT_GONE);
	become_elder(store, record, payload, aftermath);
}

void lrd_reload_swap(lrd_store *store, uint32_t record, lrd_payload *payload, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_payload *old = lrd_record_payload(at);
	atomic_store_explicit(&at->payload, payload, memory_order_release);
	// After the pointer: who has seen the new number can't have got the old payload afterwards.
	lrd_rest_at(store, record)->payloads++;
	become_elder(store, record, old, aftermath);
}

bool lrd_reload_renew(lrd_store *store, lrd_asset asset, uint32_t *seen)
{
	const lrd_record *record = lrd_record_of(store, asset);
	if (record == NULL ||
		atomic_load_explicit(&lrd_rest_at(store, asset.index)->payloads, memory_order_acquire) == *seen)
	{
		return false;
	}
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	record = lrd_record_of(store, asset);
	uint32_t newest = record != NULL ? lrd_rest_at(store, asset.index)->payloads : *seen;
	bool is_newer = newest != *seen;
	lrd_payload *elders = record != NULL ? lrd_rest_at(store, asset.index)->elders : NULL;
	if (elders != NULL && *seen < elders->replaced) // the reference was there then, and is counted
	{
		elders->stale -= elders->stale != 0;
		lrd_elders_trim(store, asset.index, &aftermath);
	}
	*seen = newest;
	lrd_store_leave(store, &aftermath);
	return is_newer;
}

bool lrd_asset_renew(lrd_store *store, lrd_asset asset, uint32_t *seen)
{
	const uint64_t begun = lrd_trace_begun(store);
	const uint32_t before = *seen;
	bool is_newer = lrd_reload_renew(store, asset, seen);
	LRD_TRACE(store, begun, asset_renew, lrd_trace_id(asset), lrd_trace_number(before), lrd_trace_bool(is_newer),
		lrd_trace_number(*seen));
	return is_newer;
}

uint32_t lrd_asset_generation(const lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool valid = lrd_record_of(store, asset) != NULL;
	uint32_t generation =
		valid ? atomic_load_explicit(&lrd_rest_at(store, asset.index)->payloads, memory_order_acquire) : 0;
	LRD_TRACE(store, begun, asset_generation, lrd_trace_id(asset), lrd_trace_number(generation));
	return generation;
}

// --- Loading anew. Under the lock. ---

static void evict_changed(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_park_remove(store, record);
	lrd_reload_withdraw(store, record, aftermath);
	lrd_record_set_state(store, at, LRD_ABSENT);
}

static void reload_ready(lrd_store *store, uint32_t record)
{
	if (lrd_load_queue(store, record, 0))
	{
		return;
	}
	lrd_failure_free(store, lrd_rest_at(store, record)->failure);
	lrd_rest_at(store, record)->failure =
		lrd_failure_make(store, &(lrd_error){ LRD_ERROR_MEMORY, "out of memory: its reload could not be queued" });
	lrd_event_note(store, record, LRD_EVENT_RELOAD_FAILED);
}

bool lrd_reload_record(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_record_rest *rest = lrd_rest_at(store, record);
	rest->receipt++;
	rest->absent_epoch = 0;
	bool held = lrd_record_held(store, record);
	lrd_state state = lrd_word_state(lrd_record_word(at));
	if (rest->payloads != 0 && (state != LRD_READY || !held)) // else it will be told of as ready, or reloaded
	{
		lrd_event_note(store, record, LRD_EVENT_CHANGED);
	}
	if (at->request != NULL)
	{
		lrd_load_restart(store, at->request, aftermath);
	}
	else if (state == LRD_READY && held)
	{
		reload_ready(store, record);
	}
	else if (state == LRD_READY)
	{
		evict_changed(store, record, aftermath);
	}
	else if (state == LRD_FAILED && held)
	{
		lrd_load_queue(store, record, 0);
	}
	if (at->request != NULL)
	{
		at->request->touch = true;
	}
	return at->request != NULL;
}

uint32_t lrd_reload_family(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_aftermath *aftermath)
{
	uint32_t reloaded = 0;
	lrd_family family = lrd_kind_family(kind);
	for (unsigned i = 0; i < LRD_KIND_COUNT; i++)
	{
		bool related = family != LRD_FAMILY_NONE && lrd_kind_family((lrd_kind)i) == family;
		uint32_t record = related ? lrd_record_lookup(store, (lrd_kind)i, stem) : LRD_NONE;
		reloaded += record != LRD_NONE && lrd_reload_record(store, record, aftermath);
	}
	return reloaded;
}

uint32_t lrd_reload_changed(lrd_store *store, lrd_kind kind, lrd_string stem)
{
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	uint32_t reloaded = lrd_reload_family(store, kind, stem, &aftermath);
	lrd_store_leave(store, &aftermath);
	return reloaded;
}

uint32_t lrd_store_changed(lrd_store *store, lrd_kind kind, lrd_string stem)
{
	const uint64_t begun = lrd_trace_begun(store);
	uint32_t reloaded = lrd_reload_changed(store, kind, stem);
	LRD_TRACE(store, begun, store_changed, lrd_trace_kind(kind), lrd_trace_text(stem), lrd_trace_number(reloaded));
	return reloaded;
}

static bool put(lrd_store *store, lrd_asset asset, lrd_bytes bytes, lrd_error *error)
{
	char text[LRD_PATH_MAX];
	lrd_string stem = { text, 0 };
	lrd_kind kind = LRD_KIND_NONE;
	lrd_mutex_lock(&store->lock); // another thread may forget it meanwhile
	const lrd_record *record = lrd_record_of(store, asset);
	if (record != NULL)
	{
		kind = (lrd_kind)record->kind;
		stem.size = record->stem_size;
		memcpy(text, record->stem, stem.size);
	}
	lrd_mutex_unlock(&store->lock);
	if (record == NULL)
	{
		lrd_store_refuse_asset(store, asset, "content is put for a stale asset");
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "the asset is not valid (index %u, generation %u)", asset.index,
			asset.generation);
	}
	if (!lrd_mounts_put(store, kind, stem, bytes, error))
	{
		return false;
	}
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	if (lrd_record_of(store, asset) != NULL)
	{
		lrd_reload_record(store, asset.index, &aftermath);
	}
	lrd_store_leave(store, &aftermath);
	return true;
}

bool lrd_asset_put(lrd_store *store, lrd_asset asset, lrd_bytes bytes, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool done = put(store, asset, bytes, error);
	LRD_TRACE(store, begun, asset_put, lrd_trace_id(asset), lrd_trace_bytes(bytes), lrd_trace_bool(done));
	return done;
}

typedef struct changes
{
	lrd_store *store;
	uint32_t reloaded;
} changes;

static void note_change(void *user, lrd_kind kind, lrd_string stem)
{
	changes *seen = user;
	seen->reloaded += lrd_reload_changed(seen->store, kind, stem);
}

bool lrd_store_changed_now(lrd_store *store, lrd_mount mount, uint32_t *reloaded, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	changes seen = { .store = store };
	bool listed = lrd_mounts_relist(store, mount, note_change, &seen, error);
	if (reloaded != NULL)
	{
		*reloaded = seen.reloaded;
	}
	LRD_TRACE(store, begun, store_changed_now, lrd_trace_mount(mount), lrd_trace_bool(listed),
		lrd_trace_number(seen.reloaded));
	return listed;
}

// --- Everything at once ---

static void unload(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_record_rest *rest = lrd_rest_at(store, record);
	rest->receipt++;
	bool runs = at->request != NULL && lrd_load_drop(store, at->request, aftermath);
	bool was_on_its_way =
		!lrd_state_is_settled(lrd_word_state(lrd_record_word(at))) && lrd_word_state(lrd_record_word(at)) != LRD_ABSENT;
	if (lrd_park_has(store, record))
	{
		lrd_park_remove(store, record);
	}
	if (lrd_record_payload(at) != NULL)
	{
		lrd_reload_withdraw(store, record, aftermath);
	}
	lrd_failure_free(store, rest->failure);
	rest->failure = NULL;
	lrd_record_set_state(store, at, runs ? LRD_LOADING : LRD_ABSENT);
	if (was_on_its_way)
	{
		lrd_event_note(store, record, LRD_EVENT_CHANGED);
		lrd_settle(store, record, LRD_OUTCOME_CANCELLED, aftermath);
	}
}

void lrd_store_unload_all(lrd_store *store)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	uint32_t count = atomic_load(&store->record_count);
	for (uint32_t i = 0; i < count; i++)
	{
		if (lrd_record_at(store, i)->stem != NULL)
		{
			unload(store, i, &aftermath);
		}
	}
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, store_unload_all, lrd_trace_nothing());
}
