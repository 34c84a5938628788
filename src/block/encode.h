// block/encode.h: encoding texels to blocks. Cook half. Pure; each block is encoded by itself, so that the bytes are the
// same for any split of an image over threads and for every instruction set.

#ifndef BLOCK_ENCODE_H
#define BLOCK_ENCODE_H

#include "base/isa.h"
#include "block/block.h"

typedef enum lrd_block_quality
{
	LRD_BLOCK_NORMAL, ///< for every day
	LRD_BLOCK_FAST,   ///< while working
	LRD_BLOCK_BEST,   ///< for shipping
	LRD_BLOCK_QUALITY_COUNT
} lrd_block_quality;

typedef struct lrd_block_encode_desc
{
	lrd_block_format format; ///< any but BC2, BC4 and BC5 SNORM
	lrd_block_quality quality;
	bool perceptual;     ///< BC1, BC3, BC7: errors weighted as the eye does (luma over chroma); else all channels alike
	const void *pixels;  ///< RGBA rows: 8 bits a channel, or half floats for BC6H
	size_t row_bytes;    ///< from one row to the next
	uint32_t width;      ///< texels; edge texels are repeated to fill the last blocks
	uint32_t height;     ///< texels
	uint8_t channels[2]; ///< BC4, BC5: which of RGBA to take; both 0 for BC5: R and G
	lrd_isa isa;         ///< LRD_ISA_BEST but in tests
} lrd_block_encode_desc;

/// Rows of blocks in an image: (height + 3) / 4.
uint32_t lrd_block_rows(uint32_t height);

/// Bytes of one row of blocks.
size_t lrd_block_row_bytes(lrd_block_format format, uint32_t width);

/// Encode `row_count` rows of blocks from `first_row` on into `out`, tightly packed. Any thread; several may take
/// different rows of one image. False for a format that is not encoded.
bool lrd_block_encode(const lrd_block_encode_desc *desc, uint32_t first_row, uint32_t row_count, void *out);

/// What the encoders of the formats look like: `count` blocks of 16 texels RGBA, row by row.
/// The kernels behind them are compiled for each instruction set.
void lrd_bc1_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out);
void lrd_bc3_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out);
void lrd_bc4_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out);
void lrd_bc5_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out);
void lrd_bc7_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out);
void lrd_bc6h_encode(const lrd_block_encode_desc *desc, const uint16_t (*texels)[64], size_t count, uint8_t *out);

#endif
