// base/memory.c: allocation through lrd_allocator, growing arrays, buffers. The arena is in arena.c.

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// The least a growing array asks for: below this, bookkeeping costs more than the bytes.
#define SMALLEST_GROWTH 64

// On every platform larder runs on (64-bit glibc, musl, macOS), malloc aligns to 16.
static void *resize_with_malloc(void *user, void *block, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	if (new_size == 0)
	{
		free(block);
		return NULL;
	}
	return realloc(block, new_size);
}

lrd_allocator lrd_allocator_or_default(lrd_allocator allocator)
{
	return allocator.resize != NULL ? allocator : (lrd_allocator){ resize_with_malloc, NULL };
}

void *lrd_alloc(lrd_allocator allocator, size_t size)
{
	return lrd_realloc(allocator, NULL, 0, size);
}

void *lrd_alloc_zeroed(lrd_allocator allocator, size_t count, size_t size)
{
	size_t bytes = 0;
	if (!lrd_mul_size(count, size, &bytes) || bytes == 0)
	{
		return NULL;
	}
	if (allocator.resize == NULL)
	{
		return calloc(count, size); // fresh pages are zero already
	}
	void *block = lrd_alloc(allocator, bytes);
	return block != NULL ? memset(block, 0, bytes) : NULL;
}

void *lrd_realloc(lrd_allocator allocator, void *block, size_t old_size, size_t new_size)
{
	if ((block == NULL && new_size == 0) || new_size > PTRDIFF_MAX) // C has no larger objects
	{
		return NULL;
	}
	allocator = lrd_allocator_or_default(allocator);
	return allocator.resize(allocator.user, block, old_size, new_size);
}

void lrd_free(lrd_allocator allocator, void *block, size_t size)
{
	(void)lrd_realloc(allocator, block, size, 0);
}

static size_t grown_capacity(size_t capacity, size_t needed, size_t item_size)
{
	size_t smallest = item_size < SMALLEST_GROWTH ? SMALLEST_GROWTH / item_size : 1;
	size_t grown = 0;
	if (!lrd_add_size(capacity, capacity / 2, &grown))
	{
		return needed;
	}
	grown = grown > smallest ? grown : smallest;
	return grown > needed ? grown : needed;
}

bool lrd_array_reserve(
	lrd_allocator allocator, void **items, size_t item_size, size_t used, size_t more, size_t *capacity)
{
	size_t needed = 0;
	if (!lrd_add_size(used, more, &needed))
	{
		return false;
	}
	if (needed <= *capacity)
	{
		return true;
	}
	size_t grown = grown_capacity(*capacity, needed, item_size);
	size_t grown_bytes = 0;
	if (!lrd_mul_size(grown, item_size, &grown_bytes))
	{
		return false;
	}
	void *block; // copied bytewise, since what `items` points at is a T *, not a void *
	memcpy(&block, items, sizeof block);
	block = lrd_realloc(allocator, block, *capacity * item_size, grown_bytes);
	if (block == NULL)
	{
		return false;
	}
	memcpy(items, &block, sizeof block);
	*capacity = grown;
	return true;
}

static bool buffer_reserve(lrd_buffer *buffer, size_t more)
{
	return LRD_RESERVE(buffer->allocator, buffer->data, buffer->size, more, buffer->capacity);
}

void lrd_buffer_free(lrd_buffer *buffer)
{
	lrd_free(buffer->allocator, buffer->data, buffer->capacity);
	buffer->data = NULL;
	buffer->size = 0;
	buffer->capacity = 0;
}

bool lrd_buffer_append(lrd_buffer *buffer, const void *data, size_t size)
{
	if (!buffer_reserve(buffer, size))
	{
		return false;
	}
	if (size != 0)
	{
		memcpy(buffer->data + buffer->size, data, size);
		buffer->size += size;
	}
	return true;
}

uint8_t *lrd_buffer_extend(lrd_buffer *buffer, size_t size)
{
	if (!buffer_reserve(buffer, size != 0 ? size : 1)) // so that NULL says only that memory ran out
	{
		return NULL;
	}
	uint8_t *start = buffer->data + buffer->size;
	memset(start, 0, size);
	buffer->size += size;
	return start;
}

bool lrd_buffer_align(lrd_buffer *buffer, size_t alignment)
{
	size_t missing = (alignment - buffer->size % alignment) % alignment;
	return missing == 0 || lrd_buffer_extend(buffer, missing) != NULL;
}

bool lrd_buffer_printf(lrd_buffer *buffer, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (size < 0 || !buffer_reserve(buffer, (size_t)size + 1))
	{
		return false;
	}
	va_start(arguments, format);
	(void)vsnprintf((char *)buffer->data + buffer->size, (size_t)size + 1, format, arguments);
	va_end(arguments);
	buffer->size += (size_t)size;
	return true;
}
