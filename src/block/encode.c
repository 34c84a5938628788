// From rows of pixels to batches of blocks, and to the encoder of the format.

#include "block/encode.h"

#include <string.h>

// Blocks that are gathered at once: several times the widest vector.
#define BATCH 64

uint32_t lrd_block_rows(uint32_t height)
{
	return height / 4 + (height % 4 != 0);
}

size_t lrd_block_row_bytes(lrd_block_format format, uint32_t width)
{
	return (size_t)lrd_block_rows(width) * lrd_block_bytes(format);
}

/// Copy the block at column `x`, row `y` (in blocks). Texels past an edge repeat the last ones.
static void gather(const lrd_block_encode_desc *desc, size_t texel_bytes, uint32_t x, uint32_t y, uint8_t *block)
{
	const uint8_t *pixels = desc->pixels;
	for (uint32_t row = 0; row < 4; ++row, block += 4 * texel_bytes)
	{
		uint32_t from_y = y * 4 + row < desc->height ? y * 4 + row : desc->height - 1;
		const uint8_t *line = pixels + from_y * desc->row_bytes;
		if (x * 4 + 4 <= desc->width)
		{
			const uint8_t *from = line + x * 4 * texel_bytes;
			if (texel_bytes == 4) // sizes that a compiler knows are no calls
			{
				memcpy(block, from, 16);
			}
			else
			{
				memcpy(block, from, 32);
			}
			continue;
		}
		for (uint32_t column = 0; column < 4; ++column)
		{
			uint32_t from_x = x * 4 + column < desc->width ? x * 4 + column : desc->width - 1;
			memcpy(block + column * texel_bytes, line + from_x * texel_bytes, texel_bytes);
		}
	}
}

typedef union batch
{
	uint8_t bytes[BATCH][64];
	uint16_t halves[BATCH][64];
} batch;

static bool encode_batch(const lrd_block_encode_desc *desc, const batch *blocks, size_t count, uint8_t *out)
{
	switch (desc->format)
	{
	case LRD_BLOCK_BC1:
	case LRD_BLOCK_BC1_ALPHA:
		lrd_bc1_encode(desc, blocks->bytes, count, out);
		return true;
	case LRD_BLOCK_BC3:
		lrd_bc3_encode(desc, blocks->bytes, count, out);
		return true;
	case LRD_BLOCK_BC4_UNORM:
		lrd_bc4_encode(desc, blocks->bytes, count, out);
		return true;
	case LRD_BLOCK_BC5_UNORM:
		lrd_bc5_encode(desc, blocks->bytes, count, out);
		return true;
	case LRD_BLOCK_BC6H_UFLOAT:
	case LRD_BLOCK_BC6H_SFLOAT:
		lrd_bc6h_encode(desc, blocks->halves, count, out);
		return true;
	case LRD_BLOCK_BC7:
		lrd_bc7_encode(desc, blocks->bytes, count, out);
		return true;
	default:
		return false;
	}
}

bool lrd_block_encode(const lrd_block_encode_desc *desc, uint32_t first_row, uint32_t row_count, void *out)
{
	bool half = desc->format == LRD_BLOCK_BC6H_UFLOAT || desc->format == LRD_BLOCK_BC6H_SFLOAT;
	size_t texel_bytes = half ? 8 : 4;
	size_t block_bytes = lrd_block_bytes(desc->format);
	uint32_t columns = lrd_block_rows(desc->width);
	uint8_t *to = out;
	batch blocks;
	size_t count = 0;
	bool good = true;
	for (uint32_t y = first_row; y < first_row + row_count; ++y)
	{
		for (uint32_t x = 0; x < columns; ++x)
		{
			gather(desc, texel_bytes, x, y, half ? (uint8_t *)blocks.halves[count] : blocks.bytes[count]);
			if (++count == BATCH)
			{
				good = good && encode_batch(desc, &blocks, count, to);
				to += count * block_bytes;
				count = 0;
			}
		}
	}
	return good && (count == 0 || encode_batch(desc, &blocks, count, to));
}
