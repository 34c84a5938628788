// pack/layout.h: the bytes of a bundle. The one definition that reader, writer and checker share; in words:
// docs/formats.md, "Bundle".
//
//	payloads   in the order of the first record that names each, the first at 0, each next at the next multiple of 4096;
//	           an empty payload takes a page too. Zeros fill each payload's last page.
//	shares     one for each record that names a payload an earlier record named first; zeros up to a multiple of 16
//	records    by key_hash, then by key with ASCII letters lowered
//	keys       in the order of the records, back to back; zeros up to a multiple of 16
//	footer
//
// Why the order and the shares: records are sorted by a hash, so offsets come in no order, and finding overlaps among n
// ranges in no order takes a sort or a table. Laid out like this, one walk over the records proves it without memory: a
// record either begins exactly where the payloads so far end (then it is new, and overlaps nothing), or it must be one
// that the shares list, and then the list says which earlier record has the very same range, size and digest. A wrong
// list can only make a bundle be refused. So a bundle's content has exactly one encoding, and the table begins on a
// page of its own.

#ifndef PACK_LAYOUT_H
#define PACK_LAYOUT_H

#include "larder/pack.h"

#include <assert.h>
#include <stddef.h>

#define LRD_PACK_MAGIC "LRDPACK1"
#define LRD_PACK_MAGIC_SIZE 8
#define LRD_PACK_PAGE 4096      ///< payloads start at multiples of this
#define LRD_PACK_BLOCK 16       ///< records and footer start at multiples of this
#define LRD_PACK_DIGEST_SIZE 32 ///< SHA-256

/// A zstd block decodes to at most 128 KiB and takes at least 4 bytes (RFC 8878, sections 3.1.1.2.2 to 3.1.1.2.4): no
/// honest payload grows by more than two to this power.
#define LRD_PACK_GROWTH_BITS 15

typedef struct lrd_pack_record
{
	uint64_t key_hash;                    ///< FNV-1a 64 of the key with ASCII letters lowered
	uint64_t offset;                      ///< of the payload, from the file's start
	uint64_t stored_size;                 ///< bytes in the file
	uint64_t size;                        ///< bytes after decompression
	uint32_t key_offset;                  ///< from the start of the keys
	uint32_t key_size;                    ///< bytes
	uint32_t compression;                 ///< lrd_compression
	uint32_t kind;                        ///< lrd_kind
	uint8_t sha256[LRD_PACK_DIGEST_SIZE]; ///< of the decompressed bytes
} lrd_pack_record;

static_assert(sizeof(lrd_pack_record) == 80, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, key_hash) == 0, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, offset) == 8, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, stored_size) == 16, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, size) == 24, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, key_offset) == 32, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, key_size) == 36, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, compression) == 40, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, kind) == 44, "the record of formats.md");
static_assert(offsetof(lrd_pack_record, sha256) == 48, "the record of formats.md");

/// Record `record` has the payload of the earlier record `owner`. Sorted by `record`.
typedef struct lrd_pack_share
{
	uint32_t record;
	uint32_t owner;
} lrd_pack_share;

static_assert(sizeof(lrd_pack_share) == 8, "the share of formats.md");
static_assert(offsetof(lrd_pack_share, owner) == 4, "the share of formats.md");

typedef struct lrd_pack_footer
{
	uint8_t magic[LRD_PACK_MAGIC_SIZE];
	uint32_t version;
	uint32_t entry_count;
	uint64_t records_offset;
	uint64_t keys_offset;
	uint64_t keys_size;
	uint64_t table_hash; ///< XXH3-64 of records and keys
} lrd_pack_footer;

static_assert(sizeof(lrd_pack_footer) == 48, "the footer of formats.md");
static_assert(offsetof(lrd_pack_footer, version) == 8, "the footer of formats.md");
static_assert(offsetof(lrd_pack_footer, entry_count) == 12, "the footer of formats.md");
static_assert(offsetof(lrd_pack_footer, records_offset) == 16, "the footer of formats.md");
static_assert(offsetof(lrd_pack_footer, keys_offset) == 24, "the footer of formats.md");
static_assert(offsetof(lrd_pack_footer, keys_size) == 32, "the footer of formats.md");
static_assert(offsetof(lrd_pack_footer, table_hash) == 40, "the footer of formats.md");

/// Where the payload after one of `stored_size` bytes at `offset` begins.
static inline uint64_t lrd_pack_next_payload(uint64_t offset, uint64_t stored_size)
{
	uint64_t last = stored_size != 0 ? stored_size - 1 : 0;
	return offset + (last / LRD_PACK_PAGE + 1) * LRD_PACK_PAGE;
}

static inline uint64_t lrd_pack_block_up(uint64_t value)
{
	return (value + (LRD_PACK_BLOCK - 1)) & ~(uint64_t)(LRD_PACK_BLOCK - 1);
}

#endif
