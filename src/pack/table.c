// pack/table.c: reading a bundle's footer, and checking its table in one walk at memory speed, without memory of its
// own. What the walk does not look at, because look-ups stay safe without it: whether a stored key hash is that of its
// key (the table's hash guards it against damage; a wrong one makes a key unfindable, never found wrongly), payload
// bytes, and the zeros between payloads. lrd_pack_check looks at all of those.

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "pack/reader.h"

// Records hashed, then looked at while they are still in the cache.
#define RECORDS_PER_CHUNK 256

#define SHARES_AHEAD 16 // shares whose owners are fetched ahead

bool lrd_pack_table_find(lrd_bytes bundle, lrd_pack_table *table, lrd_error *error)
{
	const uint8_t *bytes = bundle.data;
	lrd_pack_footer footer;
	if (bundle.size < sizeof footer)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"not a bundle, or cut short: it has %zu bytes, the footer alone takes %zu", bundle.size, sizeof footer);
	}
	uint64_t footer_offset = bundle.size - sizeof footer;
	memcpy(&footer, bytes + footer_offset, sizeof footer);
	if (memcmp(footer.magic, LRD_PACK_MAGIC, LRD_PACK_MAGIC_SIZE) != 0)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"not a bundle, or cut short: its last %zu bytes do not begin with \"%s\"", sizeof footer, LRD_PACK_MAGIC);
	}
	if (footer.version != LRD_PACK_VERSION)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"footer: version is %u, this larder reads version %d; pack it again with the larder that reads it",
			footer.version, LRD_PACK_VERSION);
	}
	uint64_t records_size = (uint64_t)footer.entry_count * sizeof(lrd_pack_record);
	if (footer.records_offset % LRD_PACK_BLOCK != 0 || footer.records_offset > footer_offset ||
		records_size > footer_offset - footer.records_offset)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"footer: records_offset is %llu; %u records must start at a multiple of %d and end by %llu, where the "
			"footer begins",
			(unsigned long long)footer.records_offset, footer.entry_count, LRD_PACK_BLOCK,
			(unsigned long long)footer_offset);
	}
	uint64_t records_end = footer.records_offset + records_size;
	if (footer.keys_offset != records_end)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "footer: keys_offset is %llu, but the records end at %llu",
			(unsigned long long)footer.keys_offset, (unsigned long long)records_end);
	}
	if (footer.keys_size > UINT32_MAX || footer.keys_size > footer_offset - records_end ||
		lrd_pack_block_up(records_end + footer.keys_size) != footer_offset)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"footer: keys_size is %llu; keys from %llu, filled up to a multiple of %d, must end at %llu, where the "
			"footer begins",
			(unsigned long long)footer.keys_size, (unsigned long long)records_end, LRD_PACK_BLOCK,
			(unsigned long long)footer_offset);
	}
	*table = (lrd_pack_table){
		.bytes = bytes,
		.size = bundle.size,
		.records = (const lrd_pack_record *)(const void *)(bytes + footer.records_offset),
		.keys = (const char *)bytes + footer.keys_offset,
		.keys_size = footer.keys_size,
		.records_offset = footer.records_offset,
		.hash = footer.table_hash,
		.count = footer.entry_count,
	};
	return true;
}

// The walk so far: over the records before `next`.
typedef struct table_walk
{
	uint64_t last_hash;
	uint64_t keys_end;     // of the keys so far
	uint64_t payloads_end; // where the next new payload begins
	uint64_t shares;       // records that named no new payload
} table_walk;

static bool key_fits(const lrd_pack_table *table, const lrd_pack_record *record, const table_walk *walk)
{
	return record->key_offset == walk->keys_end && record->key_size != 0 && record->key_size <= LRD_PATH_MAX &&
		   record->key_size <= table->keys_size - walk->keys_end;
}

// Textures are read as byte ranges of the file, so they are never compressed.
static bool sizes_fit(const lrd_pack_record *record)
{
	if (record->compression == LRD_STORED)
	{
		return record->stored_size == record->size;
	}
	return record->compression == LRD_ZSTD && record->kind != LRD_TEXTURE && record->stored_size != 0 &&
		   record->stored_size < record->size && record->size >> LRD_PACK_GROWTH_BITS <= record->stored_size;
}

static bool place_fits(const lrd_pack_table *table, const lrd_pack_record *record, const table_walk *walk)
{
	return record->offset <= walk->payloads_end && record->offset % LRD_PACK_PAGE == 0 &&
		   record->offset <= table->records_offset && record->stored_size <= table->records_offset - record->offset;
}

static bool kind_fits(const lrd_pack_record *record)
{
	return record->kind != LRD_KIND_NONE && record->kind < LRD_KIND_COUNT;
}

// Only for records whose keys fit.
static bool order_fits(const lrd_pack_table *table, const lrd_pack_record *record, const table_walk *walk)
{
	if (record->key_hash > walk->last_hash || record == table->records)
	{
		return true;
	}
	return record->key_hash == walk->last_hash &&
		   lrd_string_compare_folded(lrd_pack_record_key(table, record - 1), lrd_pack_record_key(table, record)) < 0;
}

static bool describe_sizes(const lrd_pack_record *record, uint32_t i, lrd_error *error)
{
	unsigned long long stored = record->stored_size;
	unsigned long long size = record->size;
	if (record->compression == LRD_STORED)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"record %u: stored_size is %llu and size is %llu; uncompressed, both must be the same", i, stored, size);
	}
	if (record->compression != LRD_ZSTD)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "record %u: compression is %u; 0 (none) and 1 (zstd) are known", i,
			record->compression);
	}
	if (record->kind == LRD_TEXTURE)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "record %u: compression is 1 (zstd); a texture must be stored uncompressed", i);
	}
	return lrd_fail(error, LRD_ERROR_FORMAT,
		"record %u: stored_size is %llu and size is %llu; with zstd, stored_size must be at least 1, less than size "
		"and no less than "
		"size / %d",
		i, stored, size, 1 << LRD_PACK_GROWTH_BITS);
}

// Says what is wrong with a record that the walk found unsound.
static bool describe_record(const lrd_pack_table *table, uint32_t i, const table_walk *walk, lrd_error *error)
{
	const lrd_pack_record *record = &table->records[i];
	if (!key_fits(table, record, walk))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"record %u: key_offset is %u and key_size is %u; keys are back to back, so this one must start at %llu, "
			"have 1 to %d bytes "
			"and end by %llu",
			i, record->key_offset, record->key_size, (unsigned long long)walk->keys_end, LRD_PATH_MAX,
			(unsigned long long)table->keys_size);
	}
	if (!order_fits(table, record, walk))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"record %u: out of order: key_hash %016llx and its key must come after those of the record before "
			"(%016llx)",
			i, (unsigned long long)record->key_hash, (unsigned long long)walk->last_hash);
	}
	if (!kind_fits(record))
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "record %u: kind is %u; 1 to %d are known", i, record->kind, LRD_KIND_COUNT - 1);
	}
	if (!sizes_fit(record))
	{
		return describe_sizes(record, i, error);
	}
	return lrd_fail(error, LRD_ERROR_FORMAT,
		"record %u: offset is %llu and stored_size is %llu; a payload must start at %llu, or where an earlier record's "
		"starts, at a "
		"multiple of %d, and end by %llu",
		i, (unsigned long long)record->offset, (unsigned long long)record->stored_size,
		(unsigned long long)walk->payloads_end, LRD_PACK_PAGE, (unsigned long long)table->records_offset);
}

static bool record_is_sound(const lrd_pack_table *table, const lrd_pack_record *record, const table_walk *walk)
{
	return key_fits(table, record, walk) && order_fits(table, record, walk) && kind_fits(record) && sizes_fit(record) &&
		   place_fits(table, record, walk);
}

typedef uint8_t byte16 __attribute__((vector_size(16)));

static inline byte16 load16(const char *at)
{
	byte16 value;
	memcpy(&value, at, sizeof value);
	return value;
}

// True when some byte from `start` to `end` could break a rule of lrd_path_check: a control character, a backslash, a
// colon, anything that is not ASCII, a "/" before "/" or ".". The loads reach at most 16 bytes past the keys, into the
// footer.
static bool keys_need_a_look(const char *start, const char *end)
{
	byte16 found = { 0 };
	for (const char *at = start; at < end; at += 16)
	{
		byte16 c = load16(at);
		byte16 next = load16(at + 1);
		byte16 bad = (byte16)(c - 0x20 >= 0x7F - 0x20) | (byte16)(c == '\\') | (byte16)(c == ':') |
					 ((byte16)(c == '/') & ((byte16)(next == '/') | (byte16)(next == '.')));
		if (end - at < 16) // what follows the keys is not theirs
		{
			for (ptrdiff_t i = end - at; i < 16; i++)
			{
				bad[i] = 0;
			}
		}
		found |= bad;
	}
	uint64_t halves[2];
	memcpy(halves, &found, sizeof halves);
	return (halves[0] | halves[1]) != 0;
}

static bool check_keys(const lrd_pack_table *table, uint32_t first, uint32_t count, lrd_error *error)
{
	for (uint32_t i = first; i < first + count; i++)
	{
		lrd_error reason;
		if (!lrd_path_check(lrd_pack_record_key(table, &table->records[i]), &reason))
		{
			return lrd_fail(error, LRD_ERROR_FORMAT, "record %u: %s", i, reason.message);
		}
	}
	return true;
}

static bool walk_chunk(const lrd_pack_table *table, uint32_t first, uint32_t count, table_walk *walk, lrd_error *error)
{
	uint64_t keys_start = walk->keys_end;
	bool look_closely = false;
	for (uint32_t i = first; i < first + count; i++)
	{
		const lrd_pack_record *record = &table->records[i];
		if (!record_is_sound(table, record, walk))
		{
			return describe_record(table, i, walk, error);
		}
		const char *key = table->keys + record->key_offset;
		char last = key[record->key_size - 1];
		look_closely |= key[0] == '/' || key[0] == '.' || last == '/';
		bool is_new = record->offset == walk->payloads_end;
		walk->payloads_end = is_new ? lrd_pack_next_payload(record->offset, record->stored_size) : walk->payloads_end;
		walk->shares += !is_new;
		walk->keys_end += record->key_size;
		walk->last_hash = record->key_hash;
	}
	look_closely = look_closely || keys_need_a_look(table->keys + keys_start, table->keys + walk->keys_end);
	return !look_closely || check_keys(table, first, count, error);
}

static bool same_payload(const lrd_pack_record *a, const lrd_pack_record *b)
{
	return a->offset == b->offset && a->stored_size == b->stored_size && a->size == b->size &&
		   a->compression == b->compression && memcmp(a->sha256, b->sha256, sizeof a->sha256) == 0;
}

// Every record that named no new payload must be in the list, with an earlier record that has the very same payload.
// That the listed records ascend and are as many as the walk counted makes the list complete: a record that shares
// can't also have been new.
static bool check_shares(const lrd_pack_table *table, const table_walk *walk, lrd_error *error)
{
	uint64_t end = walk->payloads_end;
	if (end > table->records_offset ||
		table->records_offset - end != lrd_pack_block_up(walk->shares * sizeof(lrd_pack_share)))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"payloads end at %llu and the records start at %llu; between them must be room for exactly the list of the "
			"%llu records that "
			"share a payload",
			(unsigned long long)end, (unsigned long long)table->records_offset, (unsigned long long)walk->shares);
	}
	const lrd_pack_share *shares = (const lrd_pack_share *)(const void *)(table->bytes + end);
	uint64_t allowed = 0; // the least record number that may come next
	for (uint64_t i = 0; i < walk->shares; i++)
	{
		if (walk->shares - i > SHARES_AHEAD && shares[i + SHARES_AHEAD].owner < table->count)
		{
			__builtin_prefetch(&table->records[shares[i + SHARES_AHEAD].owner]);
		}
		lrd_pack_share share = shares[i];
		if (share.record < allowed || share.record >= table->count || share.owner >= share.record ||
			!same_payload(&table->records[share.record], &table->records[share.owner]))
		{
			return lrd_fail(error, LRD_ERROR_FORMAT,
				"share %llu: record %u is said to have the payload of record %u; it must come after the share before, "
				"and name an earlier "
				"record with the same range, size and digest",
				(unsigned long long)i, share.record, share.owner);
		}
		allowed = (uint64_t)share.record + 1;
	}
	return true;
}

static bool check_zeros(const lrd_pack_table *table, uint64_t start, uint64_t end, const char *after, lrd_error *error)
{
	for (uint64_t i = start; i < end; i++)
	{
		if (table->bytes[i] != 0)
		{
			return lrd_fail(error, LRD_ERROR_FORMAT,
				"byte %llu, between the %s and the next block, is %u; it must be zero", (unsigned long long)i, after,
				table->bytes[i]);
		}
	}
	return true;
}

static bool check_ends(const lrd_pack_table *table, const table_walk *walk, lrd_error *error)
{
	if (walk->keys_end != table->keys_size)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "footer: keys_size is %llu, but the records' keys take %llu bytes",
			(unsigned long long)table->keys_size, (unsigned long long)walk->keys_end);
	}
	uint64_t shares_end = walk->payloads_end + walk->shares * sizeof(lrd_pack_share);
	uint64_t keys_end = (uint64_t)((const uint8_t *)table->keys - table->bytes) + table->keys_size;
	return check_shares(table, walk, error) && check_zeros(table, shares_end, table->records_offset, "shares", error) &&
		   check_zeros(table, keys_end, table->size - sizeof(lrd_pack_footer), "keys", error);
}

static void index_chunk(
	const lrd_pack_table *table, uint32_t first, uint32_t count, lrd_pack_index *index, uint32_t *next)
{
	unsigned shift = 64 - index->bits;
	for (uint32_t i = first; i < first + count; i++)
	{
		const lrd_pack_record *record = &table->records[i];
		for (uint64_t value = record->key_hash >> shift; *next <= value; (*next)++)
		{
			index->starts[*next] = (lrd_pack_start){ i, record->key_offset };
		}
	}
}

// Records are hashed and walked chunk by chunk; keys are hashed after all of them. `hash` ends as that of the records
// and keys unless the walk fails.
static bool walk_table(const lrd_pack_table *table, lrd_pack_index *index, uint64_t *hash, lrd_error *error)
{
	lrd_xxh3_state state;
	lrd_xxh3_begin(&state);
	table_walk walk = { 0 };
	uint32_t next = 0;
	for (uint32_t first = 0; first < table->count;)
	{
		uint32_t left = table->count - first;
		uint32_t count = left < RECORDS_PER_CHUNK ? left : RECORDS_PER_CHUNK;
		lrd_xxh3_update(&state, table->records + first, count * sizeof(lrd_pack_record));
		if (!walk_chunk(table, first, count, &walk, error))
		{
			return false;
		}
		index_chunk(table, first, count, index, &next);
		first += count;
	}
	for (; next <= 1u << index->bits; next++)
	{
		index->starts[next] = (lrd_pack_start){ table->count, (uint32_t)table->keys_size };
	}
	lrd_xxh3_update(&state, table->keys, (size_t)table->keys_size);
	*hash = lrd_xxh3_end(&state);
	return check_ends(table, &walk, error);
}

bool lrd_pack_table_check(const lrd_pack_table *table, lrd_pack_index *index, lrd_error *error)
{
	lrd_error flaw;
	uint64_t hash = 0;
	bool sound = walk_table(table, index, &hash, &flaw);
	if (sound && hash == table->hash)
	{
		return true;
	}
	// Damage first shows as some odd field: say that it is damage before saying which field.
	hash = lrd_xxh3_64(table->records, (size_t)(table->keys_size + table->count * sizeof(lrd_pack_record)));
	if (hash != table->hash)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "the table is damaged: its hash is %016llx, the footer says %016llx",
			(unsigned long long)hash, (unsigned long long)table->hash);
	}
	return lrd_fail(error, LRD_ERROR_FORMAT, "%s", flaw.message);
}
