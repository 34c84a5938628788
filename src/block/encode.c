// From rows of pixels to batches of blocks, and to the encoder of the format.

#include "block/encode.h"

#include <string.h>

// Blocks that are gathered at once, half as many of half floats: many times the widest vector, since encoders sort them
// by kind.
#define BATCH 512

uint32_t lrd_block_rows(uint32_t height)
{
	return height / 4 + (height % 4 != 0);
}

size_t lrd_block_row_bytes(lrd_block_format format, uint32_t width)
{
	return (size_t)lrd_block_rows(width) * lrd_block_bytes(format);
}

static const uint8_t *line_of(const lrd_block_encode_desc *desc, uint32_t y)
{
	return (const uint8_t *)desc->pixels + (y < desc->height ? y : desc->height - 1) * desc->row_bytes;
}

/// Copy `count` blocks from column `x`, row `y` on (in blocks), all texels of which are within the width: row by row, which
/// is the order of memory. Sizes that a compiler knows are no calls.
static void gather_whole(
	const lrd_block_encode_desc *desc, size_t row_bytes, uint32_t x, uint32_t y, uint32_t count, uint8_t *blocks)
{
	for (uint32_t row = 0; row < 4; ++row)
	{
		const uint8_t *from = line_of(desc, y * 4 + row) + x * row_bytes;
		uint8_t *to = blocks + row * row_bytes;
		for (uint32_t i = 0; i < count; ++i, from += row_bytes, to += 4 * row_bytes)
		{
			if (row_bytes == 16)
			{
				memcpy(to, from, 16);
			}
			else
			{
				memcpy(to, from, 32);
			}
		}
	}
}

/// Copy the block at column `x`, row `y` (in blocks). Texels past an edge repeat the last ones.
static void gather_edge(const lrd_block_encode_desc *desc, size_t texel_bytes, uint32_t x, uint32_t y, uint8_t *block)
{
	for (uint32_t i = 0; i < 16; ++i, block += texel_bytes)
	{
		uint32_t from_x = x * 4 + i % 4 < desc->width ? x * 4 + i % 4 : desc->width - 1;
		memcpy(block, line_of(desc, y * 4 + i / 4) + from_x * texel_bytes, texel_bytes);
	}
}

/// Copy at most `room` blocks from column `x`, row `y` on: how many.
static uint32_t gather(
	const lrd_block_encode_desc *desc, size_t texel_bytes, uint32_t x, uint32_t y, uint32_t room, uint8_t *blocks)
{
	uint32_t whole = desc->width / 4;
	if (x >= whole)
	{
		gather_edge(desc, texel_bytes, x, y, blocks);
		return 1;
	}
	uint32_t count = whole - x < room ? whole - x : room;
	gather_whole(desc, texel_bytes * 4, x, y, count, blocks);
	return count;
}

typedef union batch
{
	uint8_t bytes[BATCH][64];
	uint16_t halves[BATCH / 2][64];
} batch;

static bool encode_batch(const lrd_block_encode_desc *desc, const batch *blocks, size_t count, uint8_t *out)
{
	switch (desc->format)
	{
	case LRD_BLOCK_BC1:
	case LRD_BLOCK_BC1_ALPHA: lrd_bc1_encode(desc, blocks->bytes, count, out); return true;
	case LRD_BLOCK_BC3: lrd_bc3_encode(desc, blocks->bytes, count, out); return true;
	case LRD_BLOCK_BC4_UNORM: lrd_bc4_encode(desc, blocks->bytes, count, out); return true;
	case LRD_BLOCK_BC5_UNORM: lrd_bc5_encode(desc, blocks->bytes, count, out); return true;
	case LRD_BLOCK_BC6H_UFLOAT:
	case LRD_BLOCK_BC6H_SFLOAT: lrd_bc6h_encode(desc, blocks->halves, count, out); return true;
	case LRD_BLOCK_BC7: lrd_bc7_encode(desc, blocks->bytes, count, out); return true;
	default: return false;
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
	size_t room = half ? BATCH / 2 : BATCH;
	size_t count = 0;
	bool good = true;
	for (uint32_t y = first_row; y < first_row + row_count; ++y)
	{
		for (uint32_t x = 0; x < columns;)
		{
			uint8_t *blocks_at = half ? (uint8_t *)blocks.halves[count] : blocks.bytes[count];
			uint32_t taken = gather(desc, texel_bytes, x, y, (uint32_t)(room - count), blocks_at);
			x += taken;
			count += taken;
			if (count == room)
			{
				good = good && encode_batch(desc, &blocks, count, to);
				to += count * block_bytes;
				count = 0;
			}
		}
	}
	return good && (count == 0 || encode_batch(desc, &blocks, count, to));
}
