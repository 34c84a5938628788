// TGA and BMP through stb_image. It takes what is missing at the end of a file as zeros, or leaves memory as it found
// it; here its reads are watched, and a file that ends early is an error.

#include "base/error.h"
#include "image/stb_headers.h"

#include <limits.h>

typedef struct source
{
	const uint8_t *data;
	size_t size;
	size_t position;
	const char *buffer; // stb's own, which it fills ahead of need; the first read shows where it is
	bool overran;
} source;

static int read_source(void *user, char *data, int size)
{
	source *from = user;
	size_t left = from->size - from->position;
	size_t wanted = (size_t)size;
	size_t count = wanted < left ? wanted : left;
	memcpy(data, from->data + from->position, count);
	from->position += count;
	if (from->buffer == NULL)
	{
		from->buffer = data;
	}
	// Filling ahead may come up short; it is asked for only when a byte is needed, so nothing at all is too short.
	from->overran |= data == from->buffer ? count == 0 : count < wanted;
	return (int)count;
}

static void skip_source(void *user, int size)
{
	source *from = user;
	size_t left = from->size - from->position;
	size_t wanted = size > 0 ? (size_t)size : 0;
	from->position += wanted < left ? wanted : left;
}

static int source_ended(void *user)
{
	const source *from = user;
	return from->position == from->size;
}

static void expand(const uint8_t *from, size_t texels, uint32_t channels, uint8_t *to)
{
	bool is_grey = channels < 3;
	bool has_alpha = channels == 2 || channels == 4;
	for (size_t i = 0; i < texels; i++)
	{
		const uint8_t *texel = from + i * channels;
		to[4 * i + 0] = texel[0];
		to[4 * i + 1] = texel[is_grey ? 0 : 1];
		to[4 * i + 2] = texel[is_grey ? 0 : 2];
		to[4 * i + 3] = has_alpha ? texel[channels - 1] : 255;
	}
}

static bool fail_stb(const lrd_codec_memory *memory, const char *reason, lrd_error *error)
{
	if (memory->failed)
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: decoder");
	}
	return lrd_fail(error, LRD_ERROR_FORMAT, "%s", reason != NULL ? reason : "damaged");
}

static bool decode_with_stb(
	lrd_bytes bytes, const lrd_codec_memory *memory, lrd_image_layout *layout, uint8_t *pixels, lrd_error *error)
{
	if (bytes.size > INT_MAX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "%zu bytes; at most %d are taken", bytes.size, INT_MAX);
	}
	static const lrd_stb_source callbacks = { read_source, skip_source, source_ended };
	source from = { .data = bytes.data, .size = bytes.size };
	int width = 0, height = 0, channels = 0;
	const char *reason;
	uint8_t *decoded = lrd_stb_load(&callbacks, &from, &width, &height, &channels, &reason);
	if (decoded == NULL)
	{
		return fail_stb(memory, reason, error);
	}
	bool sound = !from.overran && (uint32_t)width == layout->width && (uint32_t)height == layout->height;
	if (sound)
	{
		layout->source_channels = (uint32_t)channels;
		expand(decoded, (size_t)layout->width * layout->height, layout->source_channels, pixels);
	}
	lrd_codec_free(decoded);
	return sound || lrd_fail(error, LRD_ERROR_FORMAT, "truncated: the pixels need more than the %zu bytes there are",
						bytes.size);
}

static bool run_stb(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, uint8_t *pixels, lrd_error *error)
{
	lrd_codec_memory memory;
	lrd_codec_memory_enter(&memory, allocator);
	bool decoded = decode_with_stb(bytes, &memory, layout, pixels, error);
	lrd_codec_memory_leave(&memory);
	return decoded;
}

static bool all_transparent(const uint8_t *pixels, size_t texels)
{
	uint8_t any = 0;
	for (size_t i = 0; i < texels; i++)
	{
		any |= pixels[4 * i + 3];
	}
	return any == 0;
}

static bool decode_tga(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	if (!run_stb(bytes, allocator, layout, pixels, error))
	{
		return false;
	}
	size_t texels = (size_t)layout->width * layout->height;
	uint8_t *rgba = pixels;
	// A fourth component that the header calls unused is believed to be alpha all the same, unless all of it is 0.
	if (layout->source_channels == 4 && lrd_tga_denies_alpha(bytes) && all_transparent(rgba, texels))
	{
		for (size_t i = 0; i < texels; i++)
		{
			rgba[4 * i + 3] = 255;
		}
		layout->source_channels = 3;
	}
	return true;
}

static bool decode_bmp(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	return lrd_bmp_check_indices(bytes, layout, error) && run_stb(bytes, allocator, layout, pixels, error);
}

const lrd_image_decoder lrd_tga_decoder = { lrd_tga_measure, decode_tga };
const lrd_image_decoder lrd_bmp_decoder = { lrd_bmp_measure, decode_bmp };
