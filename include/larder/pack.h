// larder/pack.h: reading a bundle (.lpack): one mapped file, looked up in place.
// Writing one is in larder/pack_write.h (cook half). Format: docs/formats.md, "Bundle".

#ifndef LARDER_PACK_H
#define LARDER_PACK_H

#include "larder/base.h"

#define LRD_PACK_VERSION 1

typedef enum lrd_compression
{
	LRD_STORED = 0,
	LRD_ZSTD = 1,
} lrd_compression;

/// An open bundle. Immutable after opening: any number of threads may look up and read at once.
typedef struct lrd_pack lrd_pack;

typedef struct lrd_pack_desc
{
	const char *path;        ///< file, null-terminated; or NULL, and then:
	lrd_bytes memory;        ///< a bundle in memory that outlives the pack, aligned to 16
	lrd_allocator allocator; ///< zeroed: malloc
} lrd_pack_desc;

/// One payload in a bundle. Pointers lead into the mapping and live as long as the pack.
typedef struct lrd_pack_entry
{
	lrd_string key; ///< cooked path
	lrd_kind kind;
	lrd_compression compression;
	uint64_t size;         ///< bytes after decompression
	const void *stored;    ///< bytes in the file; the payload itself when compression is LRD_STORED
	uint64_t stored_size;  ///< bytes
	const uint8_t *sha256; ///< 32 bytes: digest of the decompressed payload
} lrd_pack_entry;

/// Map a bundle and check its table (bounds, order, overlap, hash). Payloads are not read.
/// Cost: the table at memory speed; one allocation, for the lrd_pack and an index of at most 512 KiB in it.
/// Errors: LRD_ERROR_IO, LRD_ERROR_NOT_FOUND, LRD_ERROR_MEMORY, LRD_ERROR_FORMAT (not a bundle, damaged, or of another
/// version; the message says which).
LRD_API lrd_pack *lrd_pack_open(const lrd_pack_desc *desc, lrd_error *error);

/// Unmap. Every entry and payload pointer obtained from this pack is invalid afterwards. NULL is allowed.
LRD_API void lrd_pack_close(lrd_pack *pack);

/// How many entries there are.
LRD_API uint32_t lrd_pack_count(const lrd_pack *pack);

/// Entry `index`, 0..count-1, in the table's order (by hash of the key). False past the end.
LRD_API bool lrd_pack_at(const lrd_pack *pack, uint32_t index, lrd_pack_entry *entry);

/// Find a payload by its cooked path, ignoring ASCII case. False when there is none; `entry` is then untouched.
LRD_API bool lrd_pack_find(const lrd_pack *pack, lrd_string key, lrd_pack_entry *entry);

/// Find an asset: the payload of a kind at a stem ("models/fox", LRD_MODEL). False when there is none, or the kind has no extension of its own.
LRD_API bool lrd_pack_find_asset(const lrd_pack *pack, lrd_kind kind, lrd_string stem, lrd_pack_entry *entry);

/// Copy or inflate a payload into `destination`, which has room for `size` bytes; `size` must be entry->size.
/// Allocates nothing beyond what zstd needs to decode, of which the pack keeps some for the next time. Errors: LRD_ERROR_FORMAT (damaged payload), LRD_ERROR_MEMORY,
/// LRD_ERROR_ARGUMENT.
LRD_API bool lrd_pack_read(
	const lrd_pack *pack, const lrd_pack_entry *entry, void *destination, uint64_t size, lrd_error *error);

#endif
