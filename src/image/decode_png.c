// PNG through libspng: every colour kind and depth, interlaced or not, tRNS applied. Depths to 8 become 8 bits, 16
// stay 16. gAMA is honoured where nothing better (cICP, sRGB, iCCP) says how values are encoded; ICC profiles and other
// primaries are not applied. PNG is W3C "Portable Network Graphics (PNG) Specification (Third Edition)", cited below as "PNG 3".

#include "base/error.h"
#include "image/codec.h"
#include "image/srgb.h"

#include <math.h>
#include <spng.h>

// Deflate's longest match, 258 bytes, costs at least two bits (RFC 1951, sections 3.2.5 and 3.2.6): no stream grows
// more than 1032 times.
#define DEFLATE_BEST_RATIO 1032u

// Profiles and texts decompress to at most this much, all together.
#define CHUNKS_MAX (64u << 20)

// gAMA values within 5% of a known one mean it: writers round differently, and the eye does not see it.
#define GAMMA_TOLERANCE 0.05

#define TRANSFER_UNSPECIFIED 2u
#define TRANSFER_LINEAR 8u
#define TRANSFER_PQ 16u
#define TRANSFER_HLG 18u

static uint32_t read_be32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// PNG 3, section 11.2.1, table 12: 0 where the colour kind does not exist or not at that depth.
static uint32_t channels_of(uint8_t color_kind, uint8_t depth)
{
	bool is_power = depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
	switch (color_kind)
	{
	case SPNG_COLOR_TYPE_GRAYSCALE: return is_power ? 1 : 0;
	case SPNG_COLOR_TYPE_INDEXED: return is_power && depth <= 8 ? 1 : 0;
	case SPNG_COLOR_TYPE_TRUECOLOR: return is_power && depth >= 8 ? 3 : 0;
	case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA: return is_power && depth >= 8 ? 2 : 0;
	case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA: return is_power && depth >= 8 ? 4 : 0;
	default: return 0;
	}
}

static bool measure_png(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	const uint8_t *data = bytes.data;
	if (bytes.size < 33 || read_be32(data + 8) != 13 || memcmp(data + 12, "IHDR", 4) != 0)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "expected an IHDR chunk of 13 bytes after the signature");
	}
	layout->width = read_be32(data + 16);
	layout->height = read_be32(data + 20);
	uint8_t depth = data[24];
	uint8_t color_kind = data[25];
	uint32_t channels = channels_of(color_kind, depth);
	if (channels == 0)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "IHDR says colour type %u at %u bits, which PNG does not have", color_kind, depth);
	}
	layout->type = depth == 16 ? LRD_PIXEL_UNORM16 : LRD_PIXEL_UNORM8;
	layout->source_channels = color_kind == SPNG_COLOR_TYPE_INDEXED ? 3 : channels;
	uint64_t row = ((uint64_t)layout->width * channels * depth + 7) / 8 + 1; // with its filter byte
	uint64_t raw;
	layout->least_size = __builtin_mul_overflow(row, layout->height, &raw) ? UINT64_MAX : raw / DEFLATE_BEST_RATIO;
	return true;
}

// The transfer characteristics that a cICP chunk names (PNG 3, section 11.3.2.6; the numbers are those of ITU-T H.273,
// table 3), or 2, "unspecified". libspng does not know the chunk.
static uint8_t find_transfer(lrd_bytes bytes)
{
	const uint8_t *data = bytes.data;
	for (size_t at = 8; bytes.size - at >= 12;)
	{
		size_t length = read_be32(data + at);
		if (length > bytes.size - at - 12 || memcmp(data + at + 4, "IDAT", 4) == 0)
		{
			break;
		}
		if (length == 4 && memcmp(data + at + 4, "cICP", 4) == 0)
		{
			return data[at + 8 + 1];
		}
		at += length + 12;
	}
	return TRANSFER_UNSPECIFIED;
}

static bool fail_spng(int code, const lrd_codec_memory *memory, lrd_error *error)
{
	if (code == SPNG_EMEM || memory->failed)
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: decoder");
	}
	return lrd_fail(error, code == SPNG_ECHUNK_LIMITS ? LRD_ERROR_LIMIT : LRD_ERROR_FORMAT, "%s", spng_strerror(code));
}

// From light^gamma, as gAMA says samples are (PNG 3, section 11.3.2.2), to the sRGB encoding.
static double reencode(double sample, double gamma)
{
	return lrd_linear_to_srgb_exact(pow(sample, 1.0 / gamma));
}

static void reencode_8(uint8_t *pixels, size_t texels, double gamma)
{
	uint8_t table[256];
	for (uint32_t i = 0; i < 256; i++)
	{
		table[i] = (uint8_t)(reencode(i / 255.0, gamma) * 255.0 + 0.5);
	}
	for (size_t i = 0; i < texels; i++)
	{
		for (size_t channel = 0; channel < 3; channel++)
		{
			pixels[4 * i + channel] = table[pixels[4 * i + channel]];
		}
	}
}

static bool reencode_16(uint16_t *pixels, size_t texels, double gamma, lrd_allocator allocator, lrd_error *error)
{
	size_t table_size = 65536 * sizeof(uint16_t);
	uint16_t *table = lrd_alloc(allocator, table_size);
	if (table == NULL)
	{
		return lrd_fail_memory(error, "gamma table", table_size);
	}
	for (uint32_t i = 0; i < 65536; i++)
	{
		table[i] = (uint16_t)(reencode(i / 65535.0, gamma) * 65535.0 + 0.5);
	}
	for (size_t i = 0; i < texels; i++)
	{
		for (size_t channel = 0; channel < 3; channel++)
		{
			pixels[4 * i + channel] = table[pixels[4 * i + channel]];
		}
	}
	lrd_free(allocator, table, table_size);
	return true;
}

static bool near_gamma(double gamma, double known)
{
	return fabs(gamma / known - 1.0) < GAMMA_TOLERANCE;
}

static bool apply_gamma(spng_ctx *context, lrd_allocator allocator, uint8_t transfer, lrd_image_layout *layout,
	void *pixels, lrd_error *error)
{
	uint8_t intent;
	if (!layout->ignore_gamma && transfer != TRANSFER_UNSPECIFIED)
	{
		layout->linear = transfer == TRANSFER_LINEAR;
		return true; // the curves of video are taken for sRGB's, which is near them
	}
	struct spng_iccp profile;
	double gamma;
	if (layout->ignore_gamma || spng_get_srgb(context, &intent) == SPNG_OK ||
		spng_get_iccp(context, &profile) == SPNG_OK || spng_get_gama(context, &gamma) != SPNG_OK || !(gamma > 0.0) ||
		near_gamma(gamma, 1.0 / 2.2))
	{
		return true;
	}
	if (near_gamma(gamma, 1.0))
	{
		layout->linear = true;
		return true;
	}
	size_t texels = (size_t)layout->width * layout->height;
	if (layout->type == LRD_PIXEL_UNORM16)
	{
		return reencode_16(pixels, texels, gamma, allocator, error);
	}
	reencode_8(pixels, texels, gamma);
	return true;
}

static bool decode_in(spng_ctx *context, const lrd_codec_memory *memory, lrd_bytes bytes, lrd_image_layout *layout,
	void *pixels, lrd_error *error)
{
	uint8_t transfer = find_transfer(bytes);
	if (!layout->ignore_gamma && (transfer == TRANSFER_PQ || transfer == TRANSFER_HLG))
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "samples encoded for HDR displays (cICP: %s); export as EXR",
			transfer == TRANSFER_PQ ? "PQ" : "HLG");
	}
	int format = layout->type == LRD_PIXEL_UNORM16 ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
	size_t size = (size_t)layout->width * layout->height * lrd_pixel_size(layout->type);
	int code = spng_set_image_limits(context, layout->width, layout->height);
	code = code != 0 ? code : spng_set_chunk_limits(context, CHUNKS_MAX, CHUNKS_MAX);
	code = code != 0 ? code : spng_set_png_buffer(context, bytes.data, bytes.size);
	code = code != 0 ? code : spng_decode_image(context, pixels, size, format, SPNG_DECODE_TRNS);
	// The last pixel does not show whether the checksum behind it holds, nor whether the file ends there.
	code = code != 0 ? code : spng_decode_chunks(context);
	if (code != 0)
	{
		return fail_spng(code, memory, error);
	}
	struct spng_trns transparency;
	if (spng_get_trns(context, &transparency) == SPNG_OK)
	{
		layout->source_channels = layout->source_channels == 1 ? 2 : 4;
	}
	return apply_gamma(context, memory->allocator, transfer, layout, pixels, error);
}

static bool decode_png(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	struct spng_alloc hooks = { lrd_codec_malloc, lrd_codec_realloc, lrd_codec_calloc, lrd_codec_free };
	lrd_codec_memory memory;
	lrd_codec_memory_enter(&memory, allocator);
	spng_ctx *context = spng_ctx_new2(&hooks, 0);
	bool decoded = context != NULL ? decode_in(context, &memory, bytes, layout, pixels, error)
								   : fail_spng(SPNG_EMEM, &memory, error);
	spng_ctx_free(context);
	lrd_codec_memory_leave(&memory);
	return decoded;
}

const lrd_image_decoder lrd_png_decoder = { measure_png, decode_png };
