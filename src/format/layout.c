// The walk over a cooked file's header and blocks, and checks that several formats share. References are in
// layout_runs.c.

#include "format/layout.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool lrd_layout_fail(const lrd_layout_cursor *cursor, const char *format, ...)
{
	if (cursor->error == NULL)
	{
		return false;
	}
	char message[LRD_ERROR_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return lrd_fail(cursor->error, LRD_ERROR_FORMAT, "%s: %s", cursor->format, message);
}

static bool check_magic(const lrd_layout_cursor *cursor, const char *magic)
{
	if (memcmp(cursor->bytes, magic, 4) == 0)
	{
		return true;
	}
	return lrd_layout_fail(cursor, "magic: found %02x %02x %02x %02x, expected \"%.4s\"", cursor->bytes[0],
		cursor->bytes[1], cursor->bytes[2], cursor->bytes[3], magic);
}

bool lrd_layout_open(lrd_layout_cursor *cursor, const char *format, const char *magic, uint32_t version,
	size_t header_size, const void *bytes, size_t size, lrd_error *error)
{
	*cursor = (lrd_layout_cursor){ format, bytes, size, header_size, error };
	if (((uintptr_t)bytes % LRD_LAYOUT_ALIGNMENT) != 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%s: the bytes are at an address that is no multiple of %d", format,
			LRD_LAYOUT_ALIGNMENT);
	}
	if (bytes == NULL && size != 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%s: no bytes, but a size of %zu", format, size);
	}
	if (size < sizeof(lrd_layout_start))
	{
		return lrd_layout_fail(cursor, "the file has %zu bytes, its header has %zu", size, header_size);
	}
	lrd_layout_start start;
	memcpy(&start, bytes, sizeof start);
	if (!check_magic(cursor, magic))
	{
		return false;
	}
	if (start.version != version)
	{
		return lrd_layout_fail(cursor,
			"version: found %" PRIu32 ", this reader wants %" PRIu32 "; cook the source again", start.version, version);
	}
	if (size < header_size)
	{
		return lrd_layout_fail(cursor, "the file has %zu bytes, its header has %zu", size, header_size);
	}
	if (start.file_size != size)
	{
		return lrd_layout_fail(
			cursor, "file_size: found %" PRIu64 ", but the file has %zu bytes", start.file_size, size);
	}
	return true;
}

bool lrd_layout_next(
	lrd_layout_cursor *cursor, const char *name, uint64_t count, size_t element_size, const void **block)
{
	*block = NULL;
	if (count == 0)
	{
		return true;
	}
	// Both sums fit: position never passes size, and a size near SIZE_MAX can't be in memory.
	size_t start = lrd_align_up(cursor->position, LRD_LAYOUT_ALIGNMENT);
	size_t bytes;
	if (!lrd_mul_size(count, element_size, &bytes) || start > cursor->size || bytes > cursor->size - start)
	{
		return lrd_layout_fail(cursor, "%s: %" PRIu64 " x %zu bytes at byte %zu pass the file's end (%zu bytes)", name,
			count, element_size, start, cursor->size);
	}
	if (!lrd_layout_is_zero(cursor->bytes + cursor->position, start - cursor->position))
	{
		return lrd_layout_fail(cursor, "bytes %zu to %zu, before %s, must be zero", cursor->position, start, name);
	}
	*block = cursor->bytes + start;
	cursor->position = start + bytes;
	return true;
}

bool lrd_layout_end(const lrd_layout_cursor *cursor)
{
	if (cursor->position == cursor->size)
	{
		return true;
	}
	return lrd_layout_fail(
		cursor, "the last block ends at byte %zu, but the file has %zu bytes", cursor->position, cursor->size);
}

bool lrd_layout_is_zero(const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;
	uint8_t any = 0;
	for (size_t i = 0; i < size; i++)
	{
		any |= byte[i];
	}
	return any == 0;
}

bool lrd_layout_check_bounds(const lrd_layout_cursor *cursor, const lrd_bounds *bounds)
{
	static_assert(sizeof(lrd_bounds) == 10 * sizeof(float), "checked as ten floats");
	if (!lrd_all_finite(&bounds->min.x, sizeof *bounds / sizeof(float)))
	{
		return lrd_layout_fail(cursor, "bounds: every number must be finite");
	}
	if (bounds->min.x > bounds->max.x || bounds->min.y > bounds->max.y || bounds->min.z > bounds->max.z)
	{
		return lrd_layout_fail(cursor, "bounds: min (%g, %g, %g) passes max (%g, %g, %g)", (double)bounds->min.x,
			(double)bounds->min.y, (double)bounds->min.z, (double)bounds->max.x, (double)bounds->max.y,
			(double)bounds->max.z);
	}
	if (bounds->radius < 0.0f)
	{
		return lrd_layout_fail(cursor, "bounds: radius %g is negative", (double)bounds->radius);
	}
	return true;
}

bool lrd_layout_check_stem(const lrd_layout_cursor *cursor, const char *name, lrd_string stem)
{
	lrd_error reason;
	if (stem.size == 0 || lrd_path_check(stem, &reason))
	{
		return true;
	}
	return lrd_layout_fail(cursor, "%s: %s", name, reason.message);
}

bool lrd_layout_is_unit(const float *rotation)
{
	float squared =
		rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2] + rotation[3] * rotation[3];
	float off = sqrtf(squared) - 1.0f;
	return off >= -1e-3f && off <= 1e-3f;
}
