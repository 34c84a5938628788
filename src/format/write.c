// What the writers of cooked files share. See write.h.

#include "format/write.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/layout.h"

#include <inttypes.h>

bool lrd_writer_begin(lrd_writer *writer, const char *format, size_t header_size, lrd_buffer *out, lrd_error *error)
{
	*writer = (lrd_writer){ .format = format, .file.allocator = out->allocator, .out = out, .error = error };
	writer->texts = lrd_text_table_create(out->allocator);
	if (writer->texts == NULL)
	{
		return lrd_fail_memory(error, "a table of strings", 0);
	}
	if (lrd_buffer_extend(&writer->file, header_size) == NULL)
	{
		return lrd_fail_memory(error, "a cooked file's header", header_size);
	}
	return true;
}

bool lrd_writer_block(
	lrd_writer *writer, const char *name, const void *data, uint64_t count, size_t element_size, size_t *at)
{
	if (count == 0)
	{
		return true;
	}
	if (data == NULL)
	{
		return lrd_fail(writer->error, LRD_ERROR_ARGUMENT, "%s: %s: %" PRIu64 " expected, but the pointer is NULL",
			writer->format, name, count);
	}
	size_t size;
	if (!lrd_mul_size(count, element_size, &size))
	{
		return lrd_fail(writer->error, LRD_ERROR_LIMIT, "%s: %s: %" PRIu64 " x %zu bytes are more than memory holds",
			writer->format, name, count, element_size);
	}
	if (!lrd_buffer_align(&writer->file, LRD_LAYOUT_ALIGNMENT) || !lrd_buffer_append(&writer->file, data, size))
	{
		return lrd_fail_memory(writer->error, name, size);
	}
	if (at != NULL)
	{
		*at = writer->file.size - size;
	}
	return true;
}

bool lrd_writer_text(lrd_writer *writer, const char *name, lrd_string text, uint32_t *offset, uint32_t *size)
{
	lrd_text place;
	if (!lrd_text_table_add(writer->texts, text, &place, writer->error))
	{
		return lrd_fail_in(writer->error, "%s: %s", writer->format, name);
	}
	*offset = place.offset;
	*size = place.size;
	return true;
}

bool lrd_writer_texts(lrd_writer *writer, const char *name, size_t at, size_t stride, uint32_t count, size_t offset_at,
	size_t size_at, lrd_string source)
{
	for (uint32_t i = 0; i < count; i++)
	{
		uint8_t *record = writer->file.data + at + (size_t)i * stride;
		uint32_t offset;
		uint32_t size;
		memcpy(&offset, record + offset_at, sizeof offset);
		memcpy(&size, record + size_at, sizeof size);
		if ((uint64_t)offset + size > source.size)
		{
			return lrd_fail(writer->error, LRD_ERROR_ARGUMENT,
				"%s: %s %" PRIu32 ": its string's offset %" PRIu32 " + size %" PRIu32 " passes the strings (%zu bytes)",
				writer->format, name, i, offset, size, source.size);
		}
		if (!lrd_writer_text(writer, name, lrd_layout_text(source, offset, size), &offset, &size))
		{
			return false;
		}
		memcpy(record + offset_at, &offset, sizeof offset);
		memcpy(record + size_at, &size, sizeof size);
	}
	return true;
}

uint32_t lrd_writer_text_size(const lrd_writer *writer)
{
	return (uint32_t)lrd_text_table_block(writer->texts).size;
}

bool lrd_writer_end(lrd_writer *writer, void *header, size_t header_size, const char *magic, uint32_t version)
{
	lrd_string strings = lrd_text_table_block(writer->texts);
	if (!lrd_writer_block(writer, "strings", strings.data, strings.size, 1, NULL))
	{
		return false;
	}
	lrd_layout_start start = { .version = version, .file_size = writer->file.size };
	memcpy(start.magic, magic, sizeof start.magic);
	memcpy(header, &start, sizeof start);
	memcpy(writer->file.data, header, header_size);
	return true;
}

bool lrd_writer_finish(lrd_writer *writer, bool accepted, const lrd_error *reason)
{
	if (!accepted)
	{
		lrd_fail(writer->error, LRD_ERROR_ARGUMENT, "%s", reason->message);
		return lrd_writer_abandon(writer);
	}
	lrd_text_table_destroy(writer->texts);
	lrd_buffer_free(writer->out);
	*writer->out = writer->file;
	return true;
}

bool lrd_writer_abandon(lrd_writer *writer)
{
	lrd_text_table_destroy(writer->texts);
	lrd_buffer_free(&writer->file);
	lrd_buffer_free(writer->out);
	return false;
}
