// format/layout.h: what every cooked format shares: the start of a file, the walk over its blocks, references into its
// string block, and the tables that describe a layout to people. The layouts themselves are in format/<name>.h.
//
// A cooked file is a header (a multiple of 16 bytes) and blocks in an order its format fixes. Where a block lies is not
// stored: it follows from the counts, each block starting at the next multiple of 16. So overlaps, holes and trailing
// bytes can't be said.

#ifndef FORMAT_LAYOUT_H
#define FORMAT_LAYOUT_H

#include "larder/base.h"

#include <assert.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "cooked files are read in place: little-endian targets only");
static_assert(sizeof(void *) == 8, "64-bit targets only");

/// Where blocks start, and what a header's size is a multiple of.
#define LRD_LAYOUT_ALIGNMENT 16

/// A loop over a large block: compiled a second time for AVX2, chosen when the program starts. Sanitizers run before
/// the choice can be made, so they get the plain one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LRD_LAYOUT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LRD_LAYOUT_SANITIZED 1
#endif
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(LRD_LAYOUT_SANITIZED)
#define LRD_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define LRD_WIDE
#endif

/// How every header starts.
typedef struct lrd_layout_start
{
	char magic[4];
	uint32_t version;
	uint64_t file_size; ///< bytes
} lrd_layout_start;

static_assert(sizeof(lrd_layout_start) == 16, "the start of every header");

/// A walk over a file that is being checked.
typedef struct lrd_layout_cursor
{
	const char *format; ///< "lmesh": what messages start with
	const uint8_t *bytes;
	size_t size;
	size_t position; ///< where the last block ended
	lrd_error *error;
} lrd_layout_cursor;

/// Check alignment, magic, version and size, and stand behind the header. `magic`: four characters.
bool lrd_layout_open(lrd_layout_cursor *cursor, const char *format, const char *magic, uint32_t version,
	size_t header_size, const void *bytes, size_t size, lrd_error *error);

/// The next block: `count` elements. Checks that it lies in the file and that the bytes skipped to reach it are zero.
/// `block` is NULL for a count of 0.
bool lrd_layout_next(
	lrd_layout_cursor *cursor, const char *name, uint64_t count, size_t element_size, const void **block);

/// The file ends where its last block does.
bool lrd_layout_end(const lrd_layout_cursor *cursor);

/// LRD_ERROR_FORMAT with the format's name in front. Returns false.
bool lrd_layout_fail(const lrd_layout_cursor *cursor, const char *format, ...) LRD_PRINTF(2, 3);

/// Reserved bytes must be.
bool lrd_layout_is_zero(const void *bytes, size_t size);

/// Box and sphere are finite, the box is not inside out, the radius not negative.
bool lrd_layout_check_bounds(const lrd_layout_cursor *cursor, const lrd_bounds *bounds);

/// A stem (asset path) that a field holds; the empty one is allowed.
bool lrd_layout_check_stem(const lrd_layout_cursor *cursor, const char *name, lrd_string stem);

/// A quaternion, four floats, is unit length within 1e-3.
bool lrd_layout_is_unit(const float *rotation);

/// Records that refer to runs of elements in a shared block by offset and size, both in elements.
typedef struct lrd_layout_references
{
	const char *record;  ///< "joint"; NULL: the header
	const char *field;   ///< "name"
	const void *records; ///< the first record
	size_t stride;       ///< bytes from one record to the next
	uint32_t count;
	uint32_t offset_at; ///< where in the record its u32 offset is
	uint32_t size_at;   ///< where in the record its u32 size is
} lrd_layout_references;

/// References to strings, whose records hold `member_offset` and `member_size`.
#define LRD_LAYOUT_TEXTS(record_name, field_name, array, array_count, type, member)                                    \
	{                                                                                                                  \
		(record_name), (field_name), (array), sizeof(type), (array_count), offsetof(type, member##_offset),            \
			offsetof(type, member##_size)                                                                              \
	}

/// The same where the member is an lrd_text.
#define LRD_LAYOUT_TEXT(record_name, field_name, array, array_count, type, member)                                     \
	{                                                                                                                  \
		(record_name), (field_name), (array), sizeof(type), (array_count), offsetof(type, member),                     \
			offsetof(type, member) + 4                                                                                 \
	}

/// References into one block, and what checking them took.
typedef struct lrd_layout_runs
{
	const char *block_name;
	const void *block;
	uint64_t block_count; ///< elements
	size_t element_size;
	const lrd_layout_references *lists;
	size_t list_count;
	lrd_allocator allocator; ///< for a moment, where there are more than 1024 distinct runs; zeroed: malloc
	uint64_t steps;          ///< grows by the references visited, runs compared and bytes of them looked at
} lrd_layout_runs;

/// Check that runs are stored as the writers do it: walking the lists in order, each reference is empty ({0, 0}), or a
/// new run that starts where the last new one ended, or exactly an earlier run; no two runs are equal; the last ends
/// with the block. Takes steps in proportion to (references + bytes of the block) * log2(distinct runs) at most, and
/// 24 bytes a distinct run. Errors: LRD_ERROR_FORMAT, LRD_ERROR_MEMORY.
bool lrd_layout_check_runs(const lrd_layout_cursor *cursor, lrd_layout_runs *runs);

/// The same over the string block, and every string is UTF-8 without NUL.
bool lrd_layout_check_texts(
	const lrd_layout_cursor *cursor, lrd_string block, const lrd_layout_references *lists, size_t list_count);

/// The string that {offset, size} names, once checked.
static inline lrd_string lrd_layout_text(lrd_string block, uint32_t offset, uint32_t size)
{
	return size == 0 ? (lrd_string){ NULL, 0 } : (lrd_string){ block.data + offset, size };
}

// What a layout looks like, for documents and tools. Cook half; made from the structs themselves by LRD_LAYOUT_FIELD.

typedef struct lrd_layout_field
{
	const char *name;
	uint32_t offset; ///< bytes
	uint32_t size;   ///< bytes
	const char *type;
	const char *meaning;
} lrd_layout_field;

/// A row from a struct's member; `type_text` as a person would say it: "f32 x 3".
#define LRD_LAYOUT_FIELD(type, member, type_text, meaning_text)                                                        \
	{                                                                                                                  \
#member, offsetof(type, member), sizeof(((type *)0)->member), (type_text), (meaning_text)                      \
	}

typedef struct lrd_layout_struct
{
	const char *name; ///< "header", "meshlet"
	uint32_t size;    ///< bytes
	const lrd_layout_field *fields;
	uint32_t field_count;
} lrd_layout_struct;

/// A struct from its array of fields.
#define LRD_LAYOUT_STRUCT(name_text, type, array)                                                                      \
	{                                                                                                                  \
		(name_text), sizeof(type), (array), sizeof(array) / sizeof *(array)                                            \
	}

typedef struct lrd_layout_block
{
	const char *name;
	const char *element; ///< a struct's name, or "u32", "u8 x 3"
	const char *count;   ///< the header's field, or what follows from it
	const char *meaning; ///< what it holds, and when it is there
} lrd_layout_block;

/// A format, from which docs/formats.md is generated.
typedef struct lrd_layout_description
{
	const char *name;      ///< "Mesh"
	const char *extension; ///< ".lmesh"
	const char *magic;     ///< "LMSH"
	uint32_t version;
	const lrd_layout_struct *structs; ///< the header first
	uint32_t struct_count;
	const lrd_layout_block *blocks; ///< in the file's order
	uint32_t block_count;
	const char *const *rules; ///< what a reader checks beyond ranges, a sentence each
	uint32_t rule_count;
} lrd_layout_description;

extern const lrd_layout_description lrd_mesh_layout;
extern const lrd_layout_description lrd_skeleton_layout;
extern const lrd_layout_description lrd_clip_layout;
extern const lrd_layout_description lrd_material_layout;
extern const lrd_layout_description lrd_model_layout;

#endif
