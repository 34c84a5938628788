// base/stream.c: bounded little-endian reading and writing.

#include "base/stream.h"

#include "base/memory.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "larder reads its files in place: little-endian only");
_Static_assert(sizeof(void *) == 8, "larder needs a 64-bit address space");

lrd_reader lrd_reader_from(const void *data, size_t size)
{
	return (lrd_reader){ .data = data, .size = data != NULL ? size : 0 };
}

size_t lrd_reader_left(const lrd_reader *reader)
{
	return reader->position < reader->size ? reader->size - reader->position : 0;
}

const uint8_t *lrd_read_bytes(lrd_reader *reader, size_t size)
{
	static const uint8_t nothing[1] = { 0 };
	if (reader->failed || reader->position > reader->size || reader->size - reader->position < size)
	{
		reader->failed = true;
		reader->position = reader->size; // nothing is left, so that a loop over what is left ends
		return NULL;
	}
	if (size == 0)
	{
		return reader->data != NULL ? reader->data + reader->position : nothing;
	}
	const uint8_t *bytes = reader->data + reader->position;
	reader->position += size;
	return bytes;
}

static void read_value(lrd_reader *reader, void *value, size_t size)
{
	const uint8_t *bytes = lrd_read_bytes(reader, size);
	if (bytes != NULL)
	{
		memcpy(value, bytes, size);
	}
}

uint8_t lrd_read_u8(lrd_reader *reader)
{
	uint8_t value = 0;
	read_value(reader, &value, sizeof value);
	return value;
}

uint16_t lrd_read_u16(lrd_reader *reader)
{
	uint16_t value = 0;
	read_value(reader, &value, sizeof value);
	return value;
}

uint32_t lrd_read_u32(lrd_reader *reader)
{
	uint32_t value = 0;
	read_value(reader, &value, sizeof value);
	return value;
}

uint64_t lrd_read_u64(lrd_reader *reader)
{
	uint64_t value = 0;
	read_value(reader, &value, sizeof value);
	return value;
}

float lrd_read_f32(lrd_reader *reader)
{
	float value = 0.0f;
	read_value(reader, &value, sizeof value);
	return value;
}

bool lrd_write_u8(lrd_buffer *buffer, uint8_t value)
{
	return lrd_buffer_append(buffer, &value, sizeof value);
}

bool lrd_write_u16(lrd_buffer *buffer, uint16_t value)
{
	return lrd_buffer_append(buffer, &value, sizeof value);
}

bool lrd_write_u32(lrd_buffer *buffer, uint32_t value)
{
	return lrd_buffer_append(buffer, &value, sizeof value);
}

bool lrd_write_u64(lrd_buffer *buffer, uint64_t value)
{
	return lrd_buffer_append(buffer, &value, sizeof value);
}

bool lrd_write_f32(lrd_buffer *buffer, float value)
{
	return lrd_buffer_append(buffer, &value, sizeof value);
}
