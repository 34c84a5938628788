// pack/pack.c: opening a bundle, looking up, reading payloads. The checks of the table are in table.c.

#include "larder/pack.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/zstd_memory.h"
#include "pack/reader.h"

#include <zstd_errors.h>

// The index has one start for about this many records: 8 bytes to their 1280 and more, half a megabyte at the most.
#define RECORDS_PER_START 16

// What a look-up fetches ahead around its two guesses. With sixteen records a start, most land within this.
#define CACHE_LINE 64
#define RECORD_LINES_AHEAD 8
#define KEY_LINES_AHEAD 6

static unsigned index_bits(uint32_t count)
{
	unsigned bits = 1;
	while (bits < LRD_PACK_INDEX_BITS_MAX && (uint64_t)RECORDS_PER_START << bits < count)
	{
		bits++;
	}
	return bits;
}

// The pack, its index and its name, in one block.
static lrd_pack *make_pack(const lrd_pack_table *table, lrd_allocator allocator, const char *name, lrd_error *error)
{
	unsigned bits = index_bits(table->count);
	size_t starts_size = (((size_t)1 << bits) + 1) * sizeof(lrd_pack_start);
	size_t name_size = strlen(name) + 1;
	size_t size = sizeof(lrd_pack) + starts_size + name_size;
	lrd_pack *pack = lrd_alloc(allocator, size);
	if (pack == NULL)
	{
		lrd_fail_memory(error, "an open bundle", size);
		return NULL;
	}
	lrd_pack_start *starts = (lrd_pack_start *)(pack + 1);
	char *own_name = (char *)starts + starts_size;
	memcpy(own_name, name, name_size);
	*pack = (lrd_pack){
		.table = *table,
		.index = { starts, bits },
		.allocator = allocator,
		.name = own_name,
		.block_size = size,
	};
	return pack;
}

static lrd_pack *open_bytes(lrd_bytes bundle, lrd_allocator allocator, const char *name, lrd_error *error)
{
	lrd_pack_table table;
	if (!lrd_pack_table_find(bundle, &table, error))
	{
		lrd_fail_in(error, "%s", name);
		return NULL;
	}
	lrd_pack *pack = make_pack(&table, allocator, name, error);
	if (pack != NULL && !lrd_pack_table_check(&pack->table, &pack->index, error))
	{
		lrd_fail_in(error, "%s", name);
		lrd_pack_close(pack);
		return NULL;
	}
	return pack;
}

static lrd_pack *open_file(const char *path, lrd_allocator allocator, lrd_error *error)
{
	lrd_mapping *mapping = lrd_mapping_open(path, allocator, error);
	if (mapping == NULL)
	{
		return NULL;
	}
	lrd_pack *pack = open_bytes(lrd_mapping_bytes(mapping), allocator, path, error);
	if (pack == NULL)
	{
		lrd_mapping_release(mapping);
		return NULL;
	}
	pack->mapping = mapping;
	return pack;
}

lrd_pack *lrd_pack_open(const lrd_pack_desc *desc, lrd_error *error)
{
	if (desc->path != NULL)
	{
		return open_file(desc->path, desc->allocator, error);
	}
	if ((uintptr_t)desc->memory.data % LRD_ALLOCATION_ALIGNMENT != 0)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "bundle in memory: it must be aligned to %d", LRD_ALLOCATION_ALIGNMENT);
		return NULL;
	}
	return open_bytes(desc->memory, desc->allocator, "bundle in memory", error);
}

void lrd_pack_close(lrd_pack *pack)
{
	if (pack != NULL)
	{
		for (int i = 0; i < LRD_PACK_SPARES; i++)
		{
			ZSTD_freeDCtx(atomic_load_explicit(&pack->spares[i], memory_order_acquire));
		}
		lrd_mapping_release(pack->mapping);
		lrd_free(pack->allocator, pack, pack->block_size);
	}
}

uint32_t lrd_pack_count(const lrd_pack *pack)
{
	return pack->table.count;
}

bool lrd_pack_at(const lrd_pack *pack, uint32_t index, lrd_pack_entry *entry)
{
	const lrd_pack_table *table = &pack->table;
	if (index >= table->count)
	{
		return false;
	}
	const lrd_pack_record *record = &table->records[index];
	*entry = (lrd_pack_entry){
		.key = lrd_pack_record_key(table, record),
		.kind = (lrd_kind)record->kind,
		.compression = (lrd_compression)record->compression,
		.size = record->size,
		.stored = table->bytes + record->offset,
		.stored_size = record->stored_size,
		.sha256 = record->sha256,
	};
	return true;
}

// The first of records `low` to `high` (exclusive) whose hash is not less than `hash`, or `high`. From a guess outwards
// in steps that double, then halving: two or three records looked at when the hashes are spread as hashes are, a
// logarithm of them whatever they are.
static uint32_t search_from(const lrd_pack_record *records, uint32_t guess, uint32_t low, uint32_t high, uint64_t hash)
{
	if (records[guess].key_hash >= hash)
	{
		high = guess;
		for (uint32_t step = 1; low < high; step *= 2)
		{
			uint32_t probe = high - low > step ? high - step : low;
			if (records[probe].key_hash < hash)
			{
				low = probe + 1;
				break;
			}
			high = probe;
		}
	}
	else
	{
		low = guess + 1;
		for (uint32_t step = 1; low < high; step *= 2)
		{
			uint32_t probe = high - low > step ? low + step - 1 : high - 1;
			if (records[probe].key_hash >= hash)
			{
				high = probe;
				break;
			}
			low = probe + 1;
		}
	}
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		bool after = records[middle].key_hash < hash;
		low = after ? middle + 1 : low;
		high = after ? high : middle;
	}
	return low;
}

// The lines around `middle`, as far as they are within `start` and `end`.
static inline void fetch_around(const void *start, const void *end, const void *middle, int lines)
{
	uintptr_t at = (uintptr_t)middle - (uintptr_t)(lines / 2 * CACHE_LINE);
	for (int i = 0; i < lines; i++, at += CACHE_LINE)
	{
		if (at >= (uintptr_t)start && at < (uintptr_t)end)
		{
			__builtin_prefetch((const void *)at);
		}
	}
}

// Record and key are each a cache miss, or two with that of the page's address, in a table that outgrows the caches.
// Both are guessed from the index and fetched at once, instead of one after the other.
static uint32_t first_with_hash(const lrd_pack *pack, uint64_t hash)
{
	__extension__ typedef unsigned __int128 u128;
	const lrd_pack_index *index = &pack->index;
	const lrd_pack_start *low = &index->starts[hash >> (64 - index->bits)];
	const lrd_pack_start *high = low + 1;
	if (low->record == high->record)
	{
		return low->record;
	}
	// How far `hash` lies between the least and the greatest that have these highest bits, as a fraction of 2^64.
	uint64_t fraction = hash << index->bits;
	uint32_t guess = low->record + (uint32_t)(((u128)fraction * (high->record - low->record)) >> 64);
	uint32_t key_guess = low->key_offset + (uint32_t)(((u128)fraction * (high->key_offset - low->key_offset)) >> 64);
	const lrd_pack_record *records = pack->table.records;
	const char *keys = pack->table.keys;
	fetch_around(&records[low->record], &records[high->record], &records[guess], RECORD_LINES_AHEAD);
	fetch_around(keys + low->key_offset, keys + high->key_offset, keys + key_guess, KEY_LINES_AHEAD);
	return search_from(records, guess, low->record, high->record, hash);
}

static bool key_equals(const lrd_pack_table *table, uint32_t i, lrd_string key)
{
	lrd_string found = lrd_pack_record_key(table, &table->records[i]);
	return found.size == key.size &&
		   (memcmp(found.data, key.data, key.size) == 0 || lrd_string_equal_folded(found, key));
}

// The record of `key` among those from `first` on that have its hash, by halving; the table's count when there is none.
static uint32_t search_collisions(const lrd_pack_table *table, uint32_t first, uint64_t hash, lrd_string key)
{
	uint32_t low = first;
	uint32_t high = table->count;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const lrd_pack_record *record = &table->records[middle];
		bool before =
			record->key_hash == hash && lrd_string_compare_folded(lrd_pack_record_key(table, record), key) < 0;
		low = before ? middle + 1 : low;
		high = before ? high : middle;
	}
	bool found = low < table->count && table->records[low].key_hash == hash && key_equals(table, low, key);
	return found ? low : table->count;
}

bool lrd_pack_find_index(const lrd_pack *pack, uint64_t hash, lrd_string key, uint32_t *index)
{
	const lrd_pack_table *table = &pack->table;
	uint32_t i = first_with_hash(pack, hash);
	if (i == table->count || table->records[i].key_hash != hash)
	{
		return false;
	}
	i = key_equals(table, i, key) ? i : search_collisions(table, i, hash, key);
	if (i == table->count)
	{
		return false;
	}
	*index = i;
	return true;
}

bool lrd_pack_find(const lrd_pack *pack, lrd_string key, lrd_pack_entry *entry)
{
	uint32_t index;
	return key.size != 0 && lrd_pack_find_index(pack, lrd_fnv1a_64_folded(key), key, &index) &&
		   lrd_pack_at(pack, index, entry);
}

bool lrd_pack_find_asset(const lrd_pack *pack, lrd_kind kind, lrd_string stem, lrd_pack_entry *entry)
{
	char key[LRD_PATH_MAX];
	lrd_string extension = lrd_string_from(lrd_kind_extension(kind));
	if (extension.size == 0 || stem.size == 0 || stem.size > sizeof key - extension.size)
	{
		return false;
	}
	memcpy(key, stem.data, stem.size);
	memcpy(key + stem.size, extension.data, extension.size);
	return lrd_pack_find(pack, (lrd_string){ key, stem.size + extension.size }, entry);
}

static void *_Atomic *spares_of(const lrd_pack *pack)
{
	return ((lrd_pack *)(uintptr_t)pack)->spares;
}

static ZSTD_DCtx *take_decoder(const lrd_pack *pack)
{
	for (int i = 0; i < LRD_PACK_SPARES; i++)
	{
		ZSTD_DCtx *spare = atomic_exchange_explicit(&spares_of(pack)[i], NULL, memory_order_acq_rel);
		if (spare != NULL)
		{
			return spare;
		}
	}
	return ZSTD_createDCtx_advanced(lrd_zstd_memory(&pack->allocator));
}

// Whatever became of the last payload: a decoder begins each one anew.
static void give_decoder(const lrd_pack *pack, ZSTD_DCtx *decoder)
{
	for (int i = 0; i < LRD_PACK_SPARES; i++)
	{
		void *none = NULL;
		if (atomic_compare_exchange_strong_explicit(
				&spares_of(pack)[i], &none, decoder, memory_order_acq_rel, memory_order_relaxed))
		{
			return;
		}
	}
	ZSTD_freeDCtx(decoder);
}

bool lrd_pack_decode(const lrd_pack *pack, const lrd_pack_entry *entry, void *destination, lrd_error *error)
{
	size_t stored_size = (size_t)entry->stored_size;
	unsigned long long declared = ZSTD_getFrameContentSize(entry->stored, stored_size);
	if (declared == ZSTD_CONTENTSIZE_ERROR || ZSTD_findFrameCompressedSize(entry->stored, stored_size) != stored_size)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "the payload is damaged: its %zu stored bytes are not one zstd frame",
			stored_size);
	}
	if (declared != entry->size)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"the payload is damaged: its zstd frame declares %llu bytes, the table says %llu", declared,
			(unsigned long long)entry->size);
	}
	ZSTD_DCtx *context = take_decoder(pack);
	if (context == NULL)
	{
		return lrd_fail_memory(error, "zstd's decoder", ZSTD_estimateDCtxSize());
	}
	size_t got = ZSTD_decompressDCtx(context, destination, (size_t)entry->size, entry->stored, stored_size);
	give_decoder(pack, context);
	if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: zstd's tables");
	}
	if (ZSTD_isError(got))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "the payload is damaged: zstd says: %s", ZSTD_getErrorName(got));
	}
	if (got != entry->size)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "the payload is damaged: it has %zu bytes, the table says %llu", got,
			(unsigned long long)entry->size);
	}
	return true;
}

// An entry made of nothing but this pack's bytes, as lrd_pack_at and lrd_pack_find fill it in.
static bool entry_is_of(const lrd_pack *pack, const lrd_pack_entry *entry)
{
	uintptr_t start = (uintptr_t)pack->table.bytes;
	uintptr_t stored = (uintptr_t)entry->stored;
	return stored >= start && stored - start <= pack->table.records_offset &&
		   entry->stored_size <= pack->table.records_offset - (stored - start);
}

bool lrd_pack_read(
	const lrd_pack *pack, const lrd_pack_entry *entry, void *destination, uint64_t size, lrd_error *error)
{
	bool raw = entry->compression == LRD_STORED;
	if (size != entry->size || !entry_is_of(pack, entry) || (raw && entry->stored_size != size))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"%s: reading \"%.*s\": the destination has %llu bytes and the entry %llu; both must be the same, and the "
			"entry this bundle's",
			pack->name, LRD_STR_ARG(entry->key), (unsigned long long)size, (unsigned long long)entry->size);
	}
	if (raw)
	{
		if (size != 0)
		{
			memcpy(destination, entry->stored, (size_t)size);
		}
		return true;
	}
	return lrd_pack_decode(pack, entry, destination, error) ||
		   lrd_fail_in(error, "%s: %.*s", pack->name, LRD_STR_ARG(entry->key));
}
