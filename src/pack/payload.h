// pack/payload.h: one payload on its way into a bundle: read, digested, compressed or not; and finding payloads by
// their digest. Cook half. What order they come in and where they go is pack_write.c's.

#ifndef PACK_PAYLOAD_H
#define PACK_PAYLOAD_H

#include "larder/pack_write.h"
#include "pack/reader.h"

/// From (size, digest) to the record that has that payload first. The records are somebody else's.
typedef struct lrd_pack_payload_map
{
	const lrd_pack_record *records;
	uint32_t *slots;   ///< record + 1, 0 where empty
	size_t slot_count; ///< a power of two, more than twice the records
	lrd_allocator allocator;
} lrd_pack_payload_map;

#define LRD_PAYLOAD_NONE UINT32_MAX

/// An empty map with room for `count` records.
bool lrd_pack_payload_map_init(lrd_pack_payload_map *map, const lrd_pack_record *records, uint32_t count,
	lrd_allocator allocator, lrd_error *error);
void lrd_pack_payload_map_free(lrd_pack_payload_map *map);
/// The record already there with this size and digest, or LRD_PAYLOAD_NONE.
uint32_t lrd_pack_payload_map_find(const lrd_pack_payload_map *map, uint64_t size, const uint8_t *sha256);
/// Add a record, unless one with its size and digest is there: then that one's number is returned, else
/// LRD_PAYLOAD_NONE.
uint32_t lrd_pack_payload_map_add(lrd_pack_payload_map *map, uint32_t record);

/// Every payload of an older bundle whose compression may be taken over.
typedef struct lrd_pack_payload_previous
{
	const lrd_pack *pack; ///< NULL: there is none
	lrd_pack_payload_map map;
	bool tried_zstd; ///< it has a compressed payload, so one stored raw was found not to shrink
} lrd_pack_payload_previous;

bool lrd_pack_payload_previous_init(
	lrd_pack_payload_previous *previous, const lrd_pack *pack, lrd_allocator allocator, lrd_error *error);

/// What every payload of one bundle has in common. Read by several threads at once.
typedef struct lrd_pack_payload_settings
{
	lrd_compression compression;
	int level; ///< zstd's
	lrd_pack_payload_previous previous;
	lrd_allocator allocator;
} lrd_pack_payload_settings;

/// A payload ready to be written.
typedef struct lrd_pack_payload
{
	lrd_bytes bytes;  ///< as the source has them
	lrd_bytes stored; ///< as the bundle has them
	lrd_compression compression;
	bool reused; ///< `stored` was taken over
	uint8_t sha256[LRD_PACK_DIGEST_SIZE];
	lrd_buffer file;   ///< holds `bytes` when they came from a file
	lrd_buffer packed; ///< holds `stored` when it was compressed here
} lrd_pack_payload;

/// Read a source and digest it. On failure nothing is left to free.
bool lrd_pack_payload_load(
	lrd_pack_payload *payload, const lrd_pack_source *source, lrd_allocator allocator, lrd_error *error);

/// Decide how a loaded payload is stored, `raw` or as the settings say. On failure it is freed.
bool lrd_pack_payload_compress(
	lrd_pack_payload *payload, bool raw, const lrd_pack_payload_settings *settings, lrd_error *error);

void lrd_pack_payload_free(lrd_pack_payload *payload);

#endif
