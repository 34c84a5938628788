// format/write.h: what the writers share: blocks into a buffer, strings gathered into one block, and the format's own
// reader over the result. A writer builds beside `out` and replaces it at the end, so that a view may lead into the
// very buffer it is written to.

#ifndef FORMAT_WRITE_H
#define FORMAT_WRITE_H

#include "larder/write.h"

typedef struct lrd_writer
{
	const char *format; ///< "lmesh": what messages start with
	lrd_buffer file;
	lrd_buffer *out;
	lrd_text_table *texts;
	lrd_error *error;
} lrd_writer;

/// Start a file with room for its header. After a false from any of these, return lrd_writer_abandon().
bool lrd_writer_begin(lrd_writer *writer, const char *format, size_t header_size, lrd_buffer *out, lrd_error *error);

/// Append a block, aligned; where it starts is put into `at`, which may be NULL. Nothing happens for a count of 0.
/// Errors: LRD_ERROR_ARGUMENT (elements asked for, but `data` is NULL), LRD_ERROR_LIMIT, LRD_ERROR_MEMORY.
bool lrd_writer_block(
	lrd_writer *writer, const char *name, const void *data, uint64_t count, size_t element_size, size_t *at);

/// Put a header's string into the string block. Order matters: the order in which readers check.
bool lrd_writer_text(lrd_writer *writer, const char *name, lrd_string text, uint32_t *offset, uint32_t *size);

/// Records already appended at `at` refer to strings in `source`: put those into the string block and repoint the
/// records. `offset_at` and `size_at`: where in a record its u32 offset and size are.
bool lrd_writer_texts(lrd_writer *writer, const char *name, size_t at, size_t stride, uint32_t count, size_t offset_at,
	size_t size_at, lrd_string source);

/// How large the string block is by now.
uint32_t lrd_writer_text_size(const lrd_writer *writer);

/// Append the string block, which is the last, and put the header in place, its start filled in.
bool lrd_writer_end(lrd_writer *writer, void *header, size_t header_size, const char *magic, uint32_t version);

/// Hand the file over when `accepted`, which is what the format's reader said of it; else its reason, as
/// LRD_ERROR_ARGUMENT.
bool lrd_writer_finish(lrd_writer *writer, bool accepted, const lrd_error *reason);

/// Free everything, `out` too. Returns false.
bool lrd_writer_abandon(lrd_writer *writer);

#endif
