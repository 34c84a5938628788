// What the block formats are.

#include "block/block.h"

size_t lrd_block_bytes(lrd_block_format format)
{
	switch (format)
	{
	case LRD_BLOCK_BC1:
	case LRD_BLOCK_BC1_ALPHA:
	case LRD_BLOCK_BC4_UNORM:
	case LRD_BLOCK_BC4_SNORM:
		return 8;
	default:
		return 16;
	}
}

bool lrd_block_is_unorm8(lrd_block_format format)
{
	switch (format)
	{
	case LRD_BLOCK_BC1:
	case LRD_BLOCK_BC1_ALPHA:
	case LRD_BLOCK_BC2:
	case LRD_BLOCK_BC3:
	case LRD_BLOCK_BC7:
		return true;
	default:
		return false;
	}
}
