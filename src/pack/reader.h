// pack/reader.h: an open bundle as the rest of this room sees it, and the checks of its table (table.c).

#ifndef PACK_READER_H
#define PACK_READER_H

#include "base/memory.h"
#include "os/os.h"
#include "pack/layout.h"

#include <stdatomic.h>

/// Where things are in a bundle whose footer has been read. Pointers lead into its bytes.
typedef struct lrd_pack_table
{
	const uint8_t *bytes; ///< the whole bundle
	uint64_t size;
	const lrd_pack_record *records;
	const char *keys;
	uint64_t keys_size;
	uint64_t records_offset;
	uint64_t hash; ///< as the footer says
	uint32_t count;
} lrd_pack_table;

/// Where the records, and the keys, of one value of the hash's highest bits begin.
typedef struct lrd_pack_start
{
	uint32_t record;
	uint32_t key_offset;
} lrd_pack_start;

/// A look-up starts next to its record with this, and knows about where the key is before the record has come from
/// memory.
typedef struct lrd_pack_index
{
	lrd_pack_start *starts; ///< (1 << bits) + 1 of them
	unsigned bits;          ///< 1 to LRD_PACK_INDEX_BITS_MAX
} lrd_pack_index;

#define LRD_PACK_INDEX_BITS_MAX 16

/// Decoders that a bundle keeps for the next payloads: threads that inflate at once need no more than one each.
#define LRD_PACK_SPARES 4

struct lrd_pack
{
	lrd_pack_table table;
	lrd_pack_index index;
	lrd_allocator allocator;
	lrd_mapping *mapping; ///< NULL for a bundle in memory
	const char *name;     ///< for messages
	size_t block_size;    ///< bytes of the allocation that all of this lives in
	/// Making zstd's decoder costs several times what inflating a small payload does. NULL: none. Any thread may take one
	/// out or put one in, so that they are no part of what does not change.
	void *_Atomic spares[LRD_PACK_SPARES];
};

/// Read the footer and find the table; checks every bound that walking the table relies on. LRD_ERROR_FORMAT.
bool lrd_pack_table_find(lrd_bytes bundle, lrd_pack_table *table, lrd_error *error);

/// Check the table whole and fill in the index. LRD_ERROR_FORMAT.
bool lrd_pack_table_check(const lrd_pack_table *table, lrd_pack_index *index, lrd_error *error);

/// lrd_pack_find by a hash that is known already: lrd_fnv1a_64_folded of the key. The entry's index.
bool lrd_pack_find_index(const lrd_pack *pack, uint64_t hash, lrd_string key, uint32_t *index);

/// lrd_pack_read of a compressed entry, with a message that does not yet say which.
bool lrd_pack_decode(const lrd_pack *pack, const lrd_pack_entry *entry, void *destination, lrd_error *error);

static inline lrd_string lrd_pack_record_key(const lrd_pack_table *table, const lrd_pack_record *record)
{
	return (lrd_string){ table->keys + record->key_offset, record->key_size };
}

#endif
