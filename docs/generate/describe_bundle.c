// What .lpack looks like, for docs/formats.md: made from the structs that reader, writer and checker share.

#include "generate/describe_bundle.h"

#include "pack/layout.h"

#define RECORD(member, type, meaning) LRD_LAYOUT_FIELD(lrd_pack_record, member, type, meaning)
#define SHARE(member, type, meaning) LRD_LAYOUT_FIELD(lrd_pack_share, member, type, meaning)
#define FOOTER(member, type, meaning) LRD_LAYOUT_FIELD(lrd_pack_footer, member, type, meaning)

static const lrd_layout_field record_fields[] = {
	RECORD(key_hash, "u64", "FNV-1a 64 of the key with ASCII letters lowered"),
	RECORD(offset, "u64", "of the payload, from the file's start; a multiple of 4096"),
	RECORD(stored_size, "u64", "bytes in the file"),
	RECORD(size, "u64", "bytes after decompression; the same when it is stored raw"),
	RECORD(key_offset, "u32", "of the key, from the start of the keys"),
	RECORD(key_size, "u32", "bytes"),
	RECORD(compression, "u32", "0 stored raw, 1 a zstd frame"),
	RECORD(kind, "u32", "what the key's extension says, see the kinds"),
	RECORD(sha256, "u8 x 32", "SHA-256 of the decompressed bytes"),
};

static const lrd_layout_field share_fields[] = {
	SHARE(record, "u32", "index of a record that names a payload an earlier record named first"),
	SHARE(owner, "u32", "index of that earlier record"),
};

static const lrd_layout_field footer_fields[] = {
	FOOTER(magic, "u8 x 8", "`LRDPACK1`"),
	FOOTER(version, "u32", "1"),
	FOOTER(entry_count, "u32", "records"),
	FOOTER(records_offset, "u64", "of the first record, from the file's start"),
	FOOTER(keys_offset, "u64", "of the keys, from the file's start: where the records end"),
	FOOTER(keys_size, "u64", "bytes of the keys"),
	FOOTER(table_hash, "u64", "XXH3-64 of records and keys, seed 0"),
};

static const lrd_layout_struct structs[] = {
	LRD_LAYOUT_STRUCT("record", lrd_pack_record, record_fields),
	LRD_LAYOUT_STRUCT("share", lrd_pack_share, share_fields),
	LRD_LAYOUT_STRUCT("footer", lrd_pack_footer, footer_fields),
};

static const lrd_layout_block blocks[] = {
	{ "payloads", "u8", "stored_size",
		"in the order of the first record that names each; the first at 0, each next at the next multiple of 4096, "
		"zeros "
		"between; an empty payload takes a page too" },
	{ "shares", "share", "entry_count - payloads", "by `record`; then zeros up to a multiple of 16" },
	{ "records", "record", "entry_count", "by `key_hash`, then by key with ASCII letters lowered" },
	{ "keys", "u8", "keys_size", "in the order of the records, back to back; then zeros up to a multiple of 16" },
	{ "footer", "footer", "1", "the file's last 48 bytes" },
};

static const char *const rules[] = {
	"A payload that several keys have is there once: equal bytes, one payload.",
	"A texture (`.ktx2`), and what has the same bytes as one, is stored raw, whatever the compression asked for, so "
	"that a "
	"run of mip levels is a run of the mapping. Any other payload is a zstd frame with a checksum, or stored raw where "
	"zstd saves less than a sixteenth. No frame grows by more than 32,768 times.",
	"Records are in order, no key stands twice (ASCII case ignored), keys are asset paths.",
	"Payloads lie one after the other without overlap: a record begins where the payloads so far end, or it stands in "
	"the shares, and then range, size and digest are those of its owner.",
	"Opening checks this table whole. It leaves to `larder validate` (`lrd_pack_check`) what takes reading payloads or "
	"can't harm a look-up: that each payload decodes to its digest, that the bytes between payloads are zero, that key "
	"hashes and kinds are those of the keys, that equal payloads are shared.",
};

const lrd_layout_description lrd_bundle_layout = {
	.name = "Bundle",
	.extension = ".lpack",
	.magic = LRD_PACK_MAGIC,
	.version = LRD_PACK_VERSION,
	.structs = structs,
	.struct_count = sizeof structs / sizeof *structs,
	.blocks = blocks,
	.block_count = sizeof blocks / sizeof *blocks,
	.rules = rules,
	.rule_count = sizeof rules / sizeof *rules,
};
