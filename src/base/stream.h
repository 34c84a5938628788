// base/stream.h: reading little-endian values from bytes that can't be trusted. A read past the end sets `failed` and
// yields zero, so a parser may check once after a group of reads.

#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include "larder/base.h"

typedef struct lrd_reader
{
	const uint8_t *data;
	size_t size;
	size_t position;
	bool failed;
} lrd_reader;

lrd_reader lrd_reader_from(const void *data, size_t size);
uint8_t lrd_read_u8(lrd_reader *reader);
uint16_t lrd_read_u16(lrd_reader *reader);
uint32_t lrd_read_u32(lrd_reader *reader);
uint64_t lrd_read_u64(lrd_reader *reader);
float lrd_read_f32(lrd_reader *reader);
/// A pointer to the next `size` bytes, or NULL; NULL sets `failed`.
const uint8_t *lrd_read_bytes(lrd_reader *reader, size_t size);
/// Bytes left.
size_t lrd_reader_left(const lrd_reader *reader);

/// Writing counterparts, appending to a buffer; false when memory runs out.
bool lrd_write_u8(lrd_buffer *buffer, uint8_t value);
bool lrd_write_u16(lrd_buffer *buffer, uint16_t value);
bool lrd_write_u32(lrd_buffer *buffer, uint32_t value);
bool lrd_write_u64(lrd_buffer *buffer, uint64_t value);
bool lrd_write_f32(lrd_buffer *buffer, float value);

#endif
