// store/record.c: identities: the table of records, the index by name, finding and forgetting.

#include "store/trace.h"

#include "base/error.h"
#include "base/path.h"

#define INDEX_BITS_MIN 8

#define HASH_FACTOR 0x9E3779B97F4A7C15u // Fibonacci hashing, Knuth 6.4

// ASCII letters lowered, eight at once: 'A' to 'Z' get the bit that tells them from 'a' to 'z'.
static uint64_t lowered(uint64_t letters)
{
	const uint64_t each = 0x0101010101010101u;
	uint64_t low = letters & 0x7F * each;
	uint64_t upper = (low + (0x80 - 'A') * each) ^ (low + (0x80 - 'Z' - 1) * each);
	return letters | (upper & ~letters & 0x80 * each) >> 2;
}

static uint64_t mixed(uint64_t hash, uint64_t letters)
{
	hash = (hash ^ lowered(letters)) * HASH_FACTOR;
	return hash ^ hash >> 32;
}

// Kind and name together, so that two kinds at one stem lie apart. Eight bytes a step: names are looked up in every
// frame, and what depends on byte after byte takes longer than all the rest of it.
static uint32_t hash_of(lrd_kind kind, lrd_string stem)
{
	uint64_t hash = (uint64_t)kind ^ (uint64_t)stem.size << 8;
	uint64_t letters = 0;
	size_t i = 0;
	for (; i + sizeof letters <= stem.size; i += sizeof letters)
	{
		memcpy(&letters, stem.data + i, sizeof letters);
		hash = mixed(hash, letters);
	}
	if (i < stem.size)
	{
		letters = 0;
		memcpy(&letters, stem.data + i, stem.size - i);
		hash = mixed(hash, letters);
	}
	return (uint32_t)(hash * HASH_FACTOR >> 32);
}

static uint32_t index_mask(const lrd_store *store)
{
	return (1u << store->index_bits) - 1;
}

// The slot that holds the name, or the empty one where it would go.
static uint32_t find_slot(const lrd_store *store, lrd_kind kind, lrd_string stem, uint32_t hash)
{
	uint32_t mask = index_mask(store);
	for (uint32_t slot = hash & mask;; slot = (slot + 1) & mask)
	{
		const lrd_index_slot *at = &store->index[slot];
		if (at->record == 0)
		{
			return slot;
		}
		if (at->hash == hash)
		{
			const lrd_record *record = lrd_record_at(store, at->record - 1);
			if (record->kind == (uint8_t)kind && lrd_string_equal_folded(lrd_record_stem(record), stem))
			{
				return slot;
			}
		}
	}
}

static bool grow_index(lrd_store *store, uint32_t bits)
{
	lrd_index_slot *grown = lrd_alloc_zeroed(store->allocator, (size_t)1 << bits, sizeof *grown);
	if (grown == NULL)
	{
		return false;
	}
	uint32_t mask = (1u << bits) - 1;
	size_t old_count = store->index != NULL ? (size_t)1 << store->index_bits : 0;
	for (size_t i = 0; i < old_count; i++)
	{
		uint32_t slot = store->index[i].hash & mask;
		while (store->index[i].record != 0 && grown[slot].record != 0)
		{
			slot = (slot + 1) & mask;
		}
		if (store->index[i].record != 0)
		{
			grown[slot] = store->index[i];
		}
	}
	lrd_free(store->allocator, store->index, old_count * sizeof *grown);
	store->index = grown;
	store->index_bits = bits;
	return true;
}

// At most 7 of 8 slots are used: with 8 bytes a slot that is 9 to 18 bytes a record.
static bool index_has_room(const lrd_store *store, uint32_t used)
{
	return (uint64_t)used * 8 <= ((uint64_t)7 << store->index_bits);
}

static bool add_chunk(lrd_store *store, uint32_t number)
{
	size_t size = sizeof(lrd_chunk) + 64;
	void *block = lrd_alloc_zeroed(store->allocator, 1, size);
	if (block == NULL)
	{
		return false;
	}
	lrd_chunk *chunk = (lrd_chunk *)lrd_align_up((uintptr_t)block, 64);
	chunk->block = block;
	atomic_store_explicit(&store->chunks[number], chunk, memory_order_release);
	return true;
}

bool lrd_records_init(lrd_store *store, uint32_t reserve, lrd_error *error)
{
	store->free_record = LRD_NONE;
	if (reserve > LRD_CHUNKS_MAX * LRD_RECORDS_PER_CHUNK)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "room for %u assets is asked for; a store knows at most %u", reserve,
			LRD_CHUNKS_MAX * LRD_RECORDS_PER_CHUNK);
	}
	store->chunks = lrd_alloc_zeroed(store->allocator, LRD_CHUNKS_MAX, sizeof *store->chunks);
	uint32_t bits = INDEX_BITS_MIN;
	while ((uint64_t)reserve * 8 > ((uint64_t)7 << bits))
	{
		bits++;
	}
	bool done = store->chunks != NULL && grow_index(store, bits);
	for (uint32_t i = 0; done && i < (reserve + LRD_RECORDS_PER_CHUNK - 1) / LRD_RECORDS_PER_CHUNK; i++)
	{
		done = add_chunk(store, i);
	}
	return done || lrd_fail_memory(error, "the table of assets", reserve * sizeof(lrd_record));
}

static void free_stem(lrd_store *store, lrd_record *record)
{
	lrd_free(store->allocator, (void *)(uintptr_t)record->stem, (size_t)record->stem_size + 1);
	record->stem = NULL;
}

void lrd_records_free(lrd_store *store)
{
	uint32_t count = atomic_load(&store->record_count);
	for (uint32_t i = 0; i < count; i++)
	{
		free_stem(store, lrd_record_at(store, i));
		lrd_failure_free(store, lrd_rest_at(store, i)->failure);
	}
	for (uint32_t i = 0; store->chunks != NULL && i < LRD_CHUNKS_MAX && store->chunks[i] != NULL; i++)
	{
		lrd_free(store->allocator, store->chunks[i]->block, sizeof(lrd_chunk) + 64);
	}
	lrd_free(store->allocator, store->chunks, LRD_CHUNKS_MAX * sizeof *store->chunks);
	size_t slots = store->index != NULL ? (size_t)1 << store->index_bits : 0;
	lrd_free(store->allocator, store->index, slots * sizeof *store->index);
}

// A free record, or a new one behind the last; LRD_NONE when memory runs out. Nothing is changed yet.
static uint32_t next_record(lrd_store *store)
{
	if (store->free_record != LRD_NONE)
	{
		return store->free_record;
	}
	uint32_t count = atomic_load_explicit(&store->record_count, memory_order_relaxed);
	uint32_t chunk = count / LRD_RECORDS_PER_CHUNK;
	if (chunk == LRD_CHUNKS_MAX || (lrd_chunk_at(store, count) == NULL && !add_chunk(store, chunk)))
	{
		return LRD_NONE;
	}
	return count;
}

static void fill_record(lrd_store *store, uint32_t index, lrd_kind kind, char *stem, size_t size, uint32_t hash)
{
	lrd_record *record = lrd_record_at(store, index);
	bool is_new = index == atomic_load_explicit(&store->record_count, memory_order_relaxed);
	if (!is_new)
	{
		store->free_record = record->newer;
	}
	record->stem = stem;
	record->stem_size = (uint16_t)size;
	record->kind = (uint8_t)kind;
	record->hash = hash;
	record->newer = LRD_NONE;
	record->older = LRD_NONE;
	// Odd generations are of records in use; 0 is no asset's.
	uint32_t generation = atomic_load_explicit(&record->generation, memory_order_relaxed) + 1;
	atomic_store_explicit(&record->generation, generation, memory_order_release);
	if (is_new)
	{
		atomic_store_explicit(&store->record_count, index + 1, memory_order_release);
	}
	store->stats.kinds[kind].assets[LRD_ABSENT]++;
}

static bool add_record(
	lrd_store *store, lrd_kind kind, lrd_string stem, uint32_t hash, uint32_t *index, lrd_error *error)
{
	uint32_t count = atomic_load_explicit(&store->record_count, memory_order_relaxed);
	if (store->free_record == LRD_NONE && count == LRD_CHUNKS_MAX * LRD_RECORDS_PER_CHUNK)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "%s \"%.*s\": a store knows at most %u assets", lrd_kind_name(kind),
			LRD_STR_ARG(stem), LRD_CHUNKS_MAX * LRD_RECORDS_PER_CHUNK);
	}
	char *name = lrd_alloc(store->allocator, stem.size + 1);
	uint32_t at = name != NULL ? next_record(store) : LRD_NONE;
	if (at == LRD_NONE || (!index_has_room(store, store->index_used + 1) && !grow_index(store, store->index_bits + 1)))
	{
		lrd_free(store->allocator, name, stem.size + 1);
		return lrd_fail_memory(error, "an asset", sizeof(lrd_record) + stem.size);
	}
	memcpy(name, stem.data, stem.size);
	name[stem.size] = '\0';
	fill_record(store, at, kind, name, stem.size, hash);
	store->index[find_slot(store, kind, stem, hash)] = (lrd_index_slot){ hash, at + 1 };
	store->index_used++;
	*index = at;
	return true;
}

uint32_t lrd_record_lookup(const lrd_store *store, lrd_kind kind, lrd_string stem)
{
	return store->index[find_slot(store, kind, stem, hash_of(kind, stem))].record - 1; // 0 - 1 is LRD_NONE
}

// Take a slot out and close the gap: whoever was pushed past it by linear probing moves up (Knuth 6.4, algorithm R).
static void remove_slot(lrd_store *store, uint32_t hole)
{
	uint32_t mask = index_mask(store);
	for (uint32_t slot = (hole + 1) & mask; store->index[slot].record != 0; slot = (slot + 1) & mask)
	{
		uint32_t home = store->index[slot].hash & mask;
		if (((slot - home) & mask) >= ((slot - hole) & mask))
		{
			store->index[hole] = store->index[slot];
			hole = slot;
		}
	}
	store->index[hole] = (lrd_index_slot){ 0 };
	store->index_used--;
}

lrd_record *lrd_record_of(const lrd_store *store, lrd_asset asset)
{
	if (asset.index >= atomic_load_explicit(&store->record_count, memory_order_acquire) || (asset.generation & 1) == 0)
	{
		return NULL;
	}
	lrd_record *record = lrd_record_at(store, asset.index);
	return atomic_load_explicit(&record->generation, memory_order_acquire) == asset.generation ? record : NULL;
}

void lrd_record_set_state(lrd_store *store, lrd_record *record, lrd_state state)
{
	uint64_t word = atomic_load_explicit(&record->word, memory_order_relaxed);
	uint64_t changed;
	do
	{
		changed = (word & ~LRD_WORD_STATE) | ((uint64_t)state << LRD_WORD_STATE_SHIFT);
	} while (!atomic_compare_exchange_weak_explicit(
		&record->word, &word, changed, memory_order_acq_rel, memory_order_relaxed));
	uint32_t *assets = store->stats.kinds[record->kind].assets;
	assets[lrd_word_state(word)]--;
	assets[state]++;
}

// --- Public ---

static lrd_asset find_known(lrd_store *store, lrd_kind kind, lrd_string stem)
{
	lrd_asset asset = { 0 };
	if (stem.size > LRD_PATH_MAX)
	{
		return asset;
	}
	uint32_t hash = hash_of(kind, stem);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	uint32_t found = store->index[find_slot(store, kind, stem, hash)].record;
	if (found != 0)
	{
		asset = lrd_record_id(store, found - 1);
	}
	lrd_store_leave(store, &aftermath);
	return asset;
}

// Another thread may have made it meanwhile.
static lrd_asset make_known(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_error *error)
{
	uint32_t hash = hash_of(kind, stem);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	uint32_t index = store->index[find_slot(store, kind, stem, hash)].record - 1;
	bool known = index != LRD_NONE || add_record(store, kind, stem, hash, &index, error);
	lrd_asset asset = known ? lrd_record_id(store, index) : (lrd_asset){ 0 };
	lrd_store_leave(store, &aftermath);
	return asset;
}

lrd_asset lrd_record_asset(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_error *error)
{
	const lrd_asset none = { 0 };
	if (lrd_kind_row_of(kind) == NULL)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "\"%.*s\": a store loads no assets of kind %s (%d)", LRD_STR_ARG(stem),
			lrd_kind_name(kind), (int)kind);
		return none;
	}
	lrd_asset asset = find_known(store, kind, stem);
	// What is known was checked when it came.
	return asset.generation != 0 || !lrd_path_check(stem, error) ? asset : make_known(store, kind, stem, error);
}

lrd_asset lrd_asset_find_string(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_asset asset = lrd_record_asset(store, kind, stem, error);
	LRD_TRACE(store, begun, asset_find, lrd_trace_kind(kind), lrd_trace_text(stem), lrd_trace_id(asset));
	return asset;
}

lrd_asset lrd_asset_find(lrd_store *store, lrd_kind kind, const char *stem, lrd_error *error)
{
	return lrd_asset_find_string(store, kind, lrd_string_from(stem), error);
}

bool lrd_asset_is_valid(const lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	bool valid = lrd_record_of(store, asset) != NULL;
	LRD_TRACE(store, begun, asset_is_valid, lrd_trace_id(asset), lrd_trace_bool(valid));
	return valid;
}

lrd_string lrd_asset_stem(const lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_mutex *lock = lrd_store_lock(store);
	lrd_mutex_lock(lock); // it may be forgotten just now, and another name take its place
	const lrd_record *record = lrd_record_of(store, asset);
	lrd_string stem = record != NULL ? lrd_record_stem(record) : (lrd_string){ 0 };
	char recorded[LRD_PATH_MAX]; // what is returned may be gone when it is
	if (begun != 0 && record != NULL)
	{
		memcpy(recorded, stem.data, stem.size);
	}
	lrd_mutex_unlock(lock);
	LRD_TRACE(store, begun, asset_stem, lrd_trace_id(asset),
		lrd_trace_text((lrd_string){ record != NULL ? recorded : NULL, stem.size }));
	return stem;
}

lrd_kind lrd_asset_kind(const lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_record *record = lrd_record_of(store, asset);
	lrd_kind kind = record != NULL ? (lrd_kind)record->kind : LRD_KIND_NONE;
	LRD_TRACE(store, begun, asset_kind, lrd_trace_id(asset), lrd_trace_kind(kind));
	return kind;
}

// Under the lock, and nothing else refers to it: the record is free for another name.
static void free_record(lrd_store *store, uint32_t index)
{
	lrd_record *record = lrd_record_at(store, index);
	lrd_record_rest *rest = lrd_rest_at(store, index);
	remove_slot(store, find_slot(store, (lrd_kind)record->kind, lrd_record_stem(record), record->hash));
	store->stats.kinds[record->kind].assets[lrd_word_state(lrd_record_word(record))]--;
	free_stem(store, record);
	lrd_failure_free(store, rest->failure);
	// Field by field: some may be read just now. The list of changes may go through it still.
	rest->failure = NULL;
	rest->receipt = 0;
	rest->absent_epoch = 0;
	rest->mark = 0;
	atomic_store_explicit(&rest->owner, 0, memory_order_relaxed);
	atomic_store_explicit(&rest->payloads, 0, memory_order_relaxed);
	atomic_store_explicit(&record->word, 0, memory_order_relaxed);
	uint32_t generation = atomic_load_explicit(&record->generation, memory_order_relaxed) + 1;
	atomic_store_explicit(&record->generation, generation, memory_order_release);
	// A generation that could come again is not given out: the record rests for ever.
	if (generation < UINT32_MAX - 2)
	{
		record->newer = store->free_record;
		store->free_record = index;
	}
}

bool lrd_asset_forget(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_trace_name(store, begun, asset);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	lrd_record *record = lrd_record_of(store, asset);
	bool forgets = record != NULL && !lrd_record_held(store, asset.index) && record->request == NULL;
	if (forgets)
	{
		while (record->waiters != NULL) // tickets': a load that waits holds what it waits for
		{
			lrd_ticket_forget(store, record->waiters->requirement);
		}
		lrd_event_forget(store, asset.index);
		if (lrd_park_has(store, asset.index))
		{
			lrd_park_remove(store, asset.index);
			lrd_payload_doom(store, lrd_record_payload(record), &aftermath);
			atomic_store_explicit(&record->payload, NULL, memory_order_release);
		}
		free_record(store, asset.index);
	}
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, asset_forget, lrd_trace_id(asset), lrd_trace_bool(forgets));
	return forgets;
}
