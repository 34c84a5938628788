// block/astc.h: ASTC, encoded and decoded by astc-encoder. Cook half. Pure but for memory: astc-encoder takes its own,
// from malloc.
//
// Khronos Data Format Specification 1.3, section 23 "ASTC Compressed Texture Image Formats". Two-dimensional footprints.

#ifndef BLOCK_ASTC_H
#define BLOCK_ASTC_H

#include "block/encode.h"
#include "larder/base.h"

#define LRD_ASTC_BLOCK_BYTES 16

typedef enum lrd_astc_profile
{
	LRD_ASTC_LDR,      ///< 0..1, linear numbers
	LRD_ASTC_LDR_SRGB, ///< 0..1, sRGB-encoded colours
	LRD_ASTC_HDR,      ///< RGB from 0 up, alpha 0..1; negative numbers become 0
} lrd_astc_profile;

typedef enum lrd_astc_type
{
	LRD_ASTC_UNORM8,
	LRD_ASTC_HALF,
	LRD_ASTC_F32,
} lrd_astc_type;

typedef struct lrd_astc_desc
{
	uint32_t block_width; ///< texels: 4x4, 5x4, 5x5, 6x5, 6x6, 8x5, 8x6, 8x8, 10x5, 10x6, 10x8, 10x10, 12x10, 12x12
	uint32_t block_height;
	lrd_astc_profile profile;
	lrd_block_quality quality; ///< astc-encoder's presets fast, medium, thorough
	bool normal_map;           ///< texels are X X X Y of normals: what is lost is weighed as an angle
	bool decode_only;          ///< for any blocks; else only what it encoded itself is decoded rightly
} lrd_astc_desc;

/// Rows of RGBA texels without padding.
typedef struct lrd_astc_image
{
	void *pixels; ///< encoding does not write to them
	lrd_astc_type type;
	uint32_t width; ///< texels; those that blocks need beyond an edge are repeated from it
	uint32_t height;
} lrd_astc_image;

/// ASTC has this footprint.
bool lrd_astc_has_footprint(uint32_t block_width, uint32_t block_height);

/// Blocks that cover so many texels.
uint32_t lrd_astc_blocks(uint32_t texels, uint32_t block_side);

/// Tables and working memory for one footprint and quality. For one thread at a time: each thread opens its own.
typedef struct lrd_astc lrd_astc;

/// Errors: LRD_ERROR_ARGUMENT (a footprint that ASTC does not have), LRD_ERROR_MEMORY.
lrd_astc *lrd_astc_open(const lrd_astc_desc *desc, lrd_allocator allocator, lrd_error *error);
void lrd_astc_close(lrd_astc *astc);

/// Encode `row_count` rows of blocks from `first_row` on into `out`, tightly packed. Each block is encoded by itself:
/// the bytes are the same however rows are split over threads.
/// Errors: LRD_ERROR_ARGUMENT (an image without texels, rows beyond it, opened to decode), LRD_ERROR_MEMORY.
bool lrd_astc_encode(
	lrd_astc *astc, const lrd_astc_image *image, uint32_t first_row, uint32_t row_count, void *out, lrd_error *error);

/// Decode to the size and type that `image` says, into its pixels. Any bytes decode to something. Blocks that the
/// specification calls errors become magenta, or NaN in floats of LRD_ASTC_HDR. HDR in UNORM8 is cut at
/// 1.
/// Errors: LRD_ERROR_ARGUMENT (an image without texels), LRD_ERROR_FORMAT (less bytes than its blocks take),
/// LRD_ERROR_MEMORY.
bool lrd_astc_decode(lrd_astc *astc, const void *blocks, size_t size, const lrd_astc_image *image, lrd_error *error);

#endif
