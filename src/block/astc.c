// ASTC through astc-encoder. Its header is written for C++, but is C once the names of its types stand alone and the two
// C++ headers that it includes are there (astcenc/); so what is passed to the library is laid out as the installed
// header says, whatever its version. The symbols of the library are C's.

#include "block/astc.h"

#include "base/error.h"
#include "base/memory.h"

__extension__ typedef enum astcenc_error astcenc_error;
__extension__ typedef enum astcenc_profile astcenc_profile;
__extension__ typedef enum astcenc_swz astcenc_swz;
__extension__ typedef enum astcenc_type astcenc_type;
typedef struct astcenc_swizzle astcenc_swizzle;
typedef struct astcenc_config astcenc_config;
typedef struct astcenc_image astcenc_image;
typedef struct astcenc_block_info astcenc_block_info;
typedef struct astcenc_context astcenc_context;

#undef ASTCENC_DYNAMIC_LIBRARY // which would say extern "C"
#include <astcenc.h>

// How far below its preset's threshold an error must be for a block's search to end early. astc-encoder 4.2 keeps the
// numbers of the first image that a process encodes for all that follow; its presets have 2.5 to 10, so that the bytes
// would hang on what was encoded before. One number for all has 0.0 to 0.1 dB more than theirs, for up to a tenth of time.
#define OVERSHOOT 5.0f

static const astcenc_swizzle as_it_is = { ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A };

struct lrd_astc
{
	astcenc_context *context;
	lrd_astc_desc desc;
	lrd_allocator allocator;
};

bool lrd_astc_has_footprint(uint32_t block_width, uint32_t block_height)
{
	static const uint8_t footprints[][2] = { { 4, 4 }, { 5, 4 }, { 5, 5 }, { 6, 5 }, { 6, 6 }, { 8, 5 }, { 8, 6 },
		{ 8, 8 }, { 10, 5 }, { 10, 6 }, { 10, 8 }, { 10, 10 }, { 12, 10 }, { 12, 12 } };
	for (size_t i = 0; i < sizeof footprints / sizeof *footprints; i++)
	{
		if (footprints[i][0] == block_width && footprints[i][1] == block_height)
		{
			return true;
		}
	}
	return false;
}

uint32_t lrd_astc_blocks(uint32_t texels, uint32_t block_side)
{
	return texels / block_side + (texels % block_side != 0 ? 1 : 0);
}

static bool fail_library(astcenc_error code, const char *doing, lrd_error *error)
{
	return lrd_fail(error, code == ASTCENC_ERR_OUT_OF_MEM ? LRD_ERROR_MEMORY : LRD_ERROR_ARGUMENT,
		"ASTC: %s: astc-encoder says %s", doing, astcenc_get_error_string(code));
}

static astcenc_profile profile_of(lrd_astc_profile profile)
{
	switch (profile)
	{
	case LRD_ASTC_LDR_SRGB: return ASTCENC_PRF_LDR_SRGB;
	case LRD_ASTC_HDR: return ASTCENC_PRF_HDR_RGB_LDR_A;
	default: return ASTCENC_PRF_LDR;
	}
}

static float preset_of(lrd_block_quality quality)
{
	switch (quality)
	{
	case LRD_BLOCK_FAST: return ASTCENC_PRE_FAST;
	case LRD_BLOCK_BEST: return ASTCENC_PRE_THOROUGH;
	default: return ASTCENC_PRE_MEDIUM;
	}
}

static astcenc_error open_context(const lrd_astc_desc *desc, astcenc_context **context)
{
	// As astc-encoder's own program does: only the tables that its encoder uses.
	unsigned flags = desc->decode_only ? ASTCENC_FLG_DECOMPRESS_ONLY : ASTCENC_FLG_SELF_DECOMPRESS_ONLY;
	flags |= desc->normal_map && !desc->decode_only ? ASTCENC_FLG_MAP_NORMAL : 0;
	astcenc_config config;
	astcenc_error code = astcenc_config_init(
		profile_of(desc->profile), desc->block_width, desc->block_height, 1, preset_of(desc->quality), flags, &config);
	config.tune_mode0_mse_overshoot = OVERSHOOT;
	config.tune_refinement_mse_overshoot = OVERSHOOT;
	return code == ASTCENC_SUCCESS ? astcenc_context_alloc(&config, 1, context) : code;
}

lrd_astc *lrd_astc_open(const lrd_astc_desc *desc, lrd_allocator allocator, lrd_error *error)
{
	if (!lrd_astc_has_footprint(desc->block_width, desc->block_height))
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ASTC has no blocks of %u x %u texels; it has 4x4, 5x4, 5x5, 6x5, 6x6, 8x5, 8x6, 8x8, 10x5, 10x6, 10x8, "
			"10x10, "
			"12x10 and 12x12",
			desc->block_width, desc->block_height);
		return NULL;
	}
	lrd_astc *astc = lrd_alloc(allocator, sizeof *astc);
	if (astc == NULL)
	{
		lrd_fail_memory(error, "ASTC codec", sizeof *astc);
		return NULL;
	}
	*astc = (lrd_astc){ .desc = *desc, .allocator = allocator };
	astcenc_error code = open_context(desc, &astc->context);
	if (code != ASTCENC_SUCCESS)
	{
		fail_library(code, "opening", error);
		lrd_free(allocator, astc, sizeof *astc);
		return NULL;
	}
	return astc;
}

void lrd_astc_close(lrd_astc *astc)
{
	if (astc != NULL)
	{
		astcenc_context_free(astc->context);
		lrd_free(astc->allocator, astc, sizeof *astc);
	}
}

static size_t texel_size(lrd_astc_type type)
{
	return type == LRD_ASTC_UNORM8 ? 4 : type == LRD_ASTC_HALF ? 8 : 16;
}

static astcenc_type type_of(lrd_astc_type type)
{
	return type == LRD_ASTC_UNORM8 ? ASTCENC_TYPE_U8 : type == LRD_ASTC_HALF ? ASTCENC_TYPE_F16 : ASTCENC_TYPE_F32;
}

bool lrd_astc_encode(
	lrd_astc *astc, const lrd_astc_image *image, uint32_t first_row, uint32_t row_count, void *out, lrd_error *error)
{
	const lrd_astc_desc *desc = &astc->desc;
	uint32_t rows = image->height != 0 ? lrd_astc_blocks(image->height, desc->block_height) : 0;
	if (desc->decode_only || image->width == 0 || row_count == 0 || first_row >= rows || row_count > rows - first_row)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ASTC: %u rows of blocks from row %u on of %u x %u texels, which have %u%s", row_count, first_row,
			image->width, image->height, rows, desc->decode_only ? ", by what was opened to decode alone" : "");
	}
	uint32_t first_texels = first_row * desc->block_height;
	uint32_t texels = image->height - first_texels;
	if (row_count < rows - first_row)
	{
		texels = row_count * desc->block_height;
	}
	void *pixels = (uint8_t *)image->pixels + (size_t)first_texels * image->width * texel_size(image->type);
	astcenc_image source = {
		.dim_x = image->width, .dim_y = texels, .dim_z = 1, .data_type = type_of(image->type), .data = &pixels
	};
	size_t size = (size_t)lrd_astc_blocks(image->width, desc->block_width) * row_count * LRD_ASTC_BLOCK_BYTES;
	astcenc_error code = astcenc_compress_image(astc->context, &source, &as_it_is, out, size, 0);
	astcenc_compress_reset(astc->context);
	return code == ASTCENC_SUCCESS || fail_library(code, "encoding", error);
}

bool lrd_astc_decode(lrd_astc *astc, const void *blocks, size_t size, const lrd_astc_image *image, lrd_error *error)
{
	const lrd_astc_desc *desc = &astc->desc;
	if (image->width == 0 || image->height == 0)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "ASTC: %u x %u texels; expected at least 1 x 1", image->width, image->height);
	}
	uint64_t needed =
		(uint64_t)lrd_astc_blocks(image->width, desc->block_width) * lrd_astc_blocks(image->height, desc->block_height);
	if (size / LRD_ASTC_BLOCK_BYTES < needed)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "ASTC: %zu bytes; %u x %u texels take %llu blocks of 16 bytes", size,
			image->width, image->height, (unsigned long long)needed);
	}
	void *pixels = image->pixels;
	astcenc_image result = {
		.dim_x = image->width, .dim_y = image->height, .dim_z = 1, .data_type = type_of(image->type), .data = &pixels
	};
	astcenc_error code =
		astcenc_decompress_image(astc->context, blocks, (size_t)needed * LRD_ASTC_BLOCK_BYTES, &result, &as_it_is, 0);
	astcenc_decompress_reset(astc->context);
	return code == ASTCENC_SUCCESS || fail_library(code, "decoding", error);
}
