// Radiance HDR: RGBE pictures to float, flat and in both run-length encodings, in all eight orders of scan lines.
// stb_image reads only the new encoding and the usual order. Values are what the file stores: EXPOSURE is a note of how
// it was made, and engines don't undo it. Format: Greg Ward, "Radiance Reference Manual: File Formats", "Picture
// Files"; runs as in "Real Pixels", Graphics Gems II, 1991.

#include "base/error.h"
#include "base/stream.h"
#include "image/codec.h"

#include <math.h>

#define SCANLINE_NEW_MIN 8u
#define SCANLINE_NEW_MAX 32767u

// The next line without its end; false at the end of the bytes or where a line is longer than any header's.
static bool read_line(lrd_reader *reader, char *line, size_t capacity)
{
	size_t length = 0;
	for (;;)
	{
		char c = (char)lrd_read_u8(reader);
		if (reader->failed || length + 1 >= capacity)
		{
			return false;
		}
		if (c == '\n')
		{
			line[length] = 0;
			return true;
		}
		if (c != '\r')
		{
			line[length++] = c;
		}
	}
}

static bool is_resolution(const char *line)
{
	return (line[0] == '-' || line[0] == '+') && (line[1] == 'X' || line[1] == 'Y') && line[2] == ' ';
}

static bool parse_number(const char **text, uint32_t *number)
{
	uint64_t value = 0;
	const char *at = *text;
	while (*at >= '0' && *at <= '9' && value <= UINT32_MAX)
	{
		value = value * 10 + (uint64_t)(*at++ - '0');
	}
	bool found = at != *text && value <= UINT32_MAX;
	*number = (uint32_t)value;
	*text = at;
	return found;
}

// "-Y 512 +X 1024": the first axis is the slow one. The signs say where scan lines and their texels begin; EXIF's eight
// orientations are the same eight cases.
static bool parse_resolution(const char *line, lrd_image_layout *layout)
{
	char slow_sign = line[0];
	char slow_axis = line[1];
	const char *at = line + 3;
	if (!parse_number(&at, &layout->height) || at[0] != ' ' || !is_resolution(at + 1) || at[2] == slow_axis)
	{
		return false;
	}
	char fast_sign = at[1];
	at += 4;
	if (!parse_number(&at, &layout->width) || *at != 0)
	{
		return false;
	}
	bool y_first = slow_axis == 'Y';
	bool top_first = (y_first ? slow_sign : fast_sign) == '-';
	bool left_first = (y_first ? fast_sign : slow_sign) == '+';
	// [is Y the slow axis][top first][left first]
	static const uint8_t orientations[2][2][2] = { { { 7, 8 }, { 6, 5 } }, { { 3, 4 }, { 2, 1 } } };
	layout->orientation = orientations[y_first][top_first][left_first];
	return true;
}

static bool read_header(lrd_reader *reader, lrd_image_layout *layout, lrd_error *error)
{
	char line[2048];
	bool has_format = false;
	while (read_line(reader, line, sizeof line))
	{
		if (strncmp(line, "FORMAT=", 7) == 0)
		{
			has_format = true;
			if (strcmp(line + 7, "32-bit_rle_rgbe") != 0)
			{
				return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "FORMAT=%.40s; 32-bit_rle_rgbe is read", line + 7);
			}
		}
		// An empty line should precede the resolution, but files without one exist.
		if (is_resolution(line))
		{
			if (!has_format)
			{
				return lrd_fail(error, LRD_ERROR_FORMAT, "no FORMAT line before the resolution");
			}
			return parse_resolution(line, layout) ||
				   lrd_fail(
					   error, LRD_ERROR_FORMAT, "resolution \"%.40s\"; expected one like \"-Y 512 +X 1024\"", line);
		}
	}
	return lrd_fail(error, LRD_ERROR_FORMAT, "the header ends without a resolution line");
}

static bool measure_hdr(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	lrd_reader reader = lrd_reader_from(bytes.data, bytes.size);
	layout->type = LRD_PIXEL_F32;
	layout->source_channels = 3;
	layout->linear = true;
	layout->settled = true;
	layout->alpha_known = true;
	if (!read_header(&reader, layout, error))
	{
		return false;
	}
	// No scan line, however encoded, is without its first four bytes.
	layout->least_size = 4ull * layout->height;
	return true;
}

// Runs of one component at a time.
static bool read_new_scanline(lrd_reader *reader, uint32_t width, uint8_t *rgbe)
{
	for (uint32_t component = 0; component < 4; component++)
	{
		for (uint32_t x = 0; x < width;)
		{
			uint32_t count = lrd_read_u8(reader);
			bool is_run = count > 128;
			count = is_run ? count - 128 : count;
			const uint8_t *values = lrd_read_bytes(reader, is_run ? 1 : count);
			if (count == 0 || values == NULL || count > width - x)
			{
				return false;
			}
			for (uint32_t i = 0; i < count; i++)
			{
				rgbe[4 * (x + i) + component] = values[is_run ? 0 : i];
			}
			x += count;
		}
	}
	return true;
}

// Texels as they are; (1, 1, 1, n) repeats the one before n times, and each such repeat after another counts 256 times
// as much.
static bool read_old_scanline(lrd_reader *reader, uint32_t width, const uint8_t first[4], uint8_t *rgbe)
{
	uint32_t shift = 0;
	for (uint32_t x = 0; x < width;)
	{
		const uint8_t *texel = x == 0 && shift == 0 ? first : lrd_read_bytes(reader, 4);
		if (texel == NULL)
		{
			return false;
		}
		if (texel[0] != 1 || texel[1] != 1 || texel[2] != 1)
		{
			memcpy(rgbe + 4 * (size_t)x, texel, 4);
			x++;
			shift = 0;
			continue;
		}
		uint64_t count = (uint64_t)texel[3] << shift;
		if (x == 0 || shift > 24 || count > width - x)
		{
			return false;
		}
		for (uint64_t i = 0; i < count; i++, x++)
		{
			memcpy(rgbe + 4 * (size_t)x, rgbe + 4 * (size_t)(x - 1), 4);
		}
		shift += 8;
	}
	return true;
}

static bool read_scanline(lrd_reader *reader, uint32_t width, uint8_t *rgbe)
{
	const uint8_t *first = lrd_read_bytes(reader, 4);
	if (first == NULL)
	{
		return false;
	}
	bool is_new =
		width >= SCANLINE_NEW_MIN && width <= SCANLINE_NEW_MAX && first[0] == 2 && first[1] == 2 && first[2] < 128;
	if (!is_new)
	{
		return read_old_scanline(reader, width, first, rgbe);
	}
	return ((uint32_t)first[2] << 8 | first[3]) == width && read_new_scanline(reader, width, rgbe);
}

static void expand(const uint8_t *rgbe, uint32_t width, float *rgba)
{
	for (size_t x = 0; x < width; x++)
	{
		int exponent = rgbe[4 * x + 3];
		float scale = exponent != 0 ? ldexpf(1.0f, exponent - (128 + 8)) : 0.0f;
		rgba[4 * x + 0] = (float)rgbe[4 * x + 0] * scale;
		rgba[4 * x + 1] = (float)rgbe[4 * x + 1] * scale;
		rgba[4 * x + 2] = (float)rgbe[4 * x + 2] * scale;
		rgba[4 * x + 3] = 1.0f;
	}
}

static bool decode_hdr(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	lrd_reader reader = lrd_reader_from(bytes.data, bytes.size);
	lrd_image_layout header;
	if (!read_header(&reader, &header, error))
	{
		return false;
	}
	size_t row_size = 4 * (size_t)layout->width;
	uint8_t *rgbe = lrd_alloc(allocator, row_size);
	if (rgbe == NULL)
	{
		return lrd_fail_memory(error, "scan line", row_size);
	}
	bool decoded = true;
	for (uint32_t y = 0; y < layout->height && decoded; y++)
	{
		size_t begin = reader.position;
		decoded = read_scanline(&reader, layout->width, rgbe);
		if (!decoded)
		{
			lrd_fail(error, LRD_ERROR_FORMAT, "scan line %u of %u, at byte %zu, is %s", y, layout->height, begin,
				reader.failed ? "cut off" : "damaged: its runs are not the width of the picture");
			break;
		}
		expand(rgbe, layout->width, (float *)pixels + (size_t)y * row_size);
	}
	lrd_free(allocator, rgbe, row_size);
	return decoded;
}

const lrd_image_decoder lrd_hdr_decoder = { measure_hdr, decode_hdr };
