// What the block formats are, and which decoder each has.

#include "block/decode.h"

size_t lrd_block_bytes(lrd_block_format format)
{
	switch (format)
	{
	case LRD_BLOCK_BC1:
	case LRD_BLOCK_BC1_ALPHA:
	case LRD_BLOCK_BC4_UNORM:
	case LRD_BLOCK_BC4_SNORM: return 8;
	default: return 16;
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
	case LRD_BLOCK_BC7: return true;
	default: return false;
	}
}

static void decode_channels_unorm8(const uint8_t *block, unsigned channels, uint8_t texels[64])
{
	for (unsigned i = 0; i < 16; i++)
	{
		memcpy(texels + 4 * i, (uint8_t[]){ 0, 0, 0, 255 }, 4);
	}
	for (unsigned c = 0; c < channels; c++)
	{
		lrd_bc4_decode_unorm8(block + 8 * c, texels + c);
	}
}

static void decode_channels_f32(const uint8_t *block, unsigned channels, bool is_signed, float texels[64])
{
	for (unsigned i = 0; i < 16; i++)
	{
		memcpy(texels + 4 * i, (float[]){ 0.0f, 0.0f, 0.0f, 1.0f }, 16);
	}
	for (unsigned c = 0; c < channels; c++)
	{
		lrd_bc4_decode_f32(block + 8 * c, is_signed, texels + c);
	}
}

void lrd_block_decode_unorm8(lrd_block_format format, const void *block, uint8_t texels[64])
{
	switch (format)
	{
	case LRD_BLOCK_BC1: lrd_bc1_decode(block, 0xff000000u, texels); break;
	case LRD_BLOCK_BC1_ALPHA: lrd_bc1_decode(block, 0, texels); break;
	case LRD_BLOCK_BC2: lrd_bc2_decode(block, texels); break;
	case LRD_BLOCK_BC3: lrd_bc3_decode(block, texels); break;
	case LRD_BLOCK_BC4_UNORM: decode_channels_unorm8(block, 1, texels); break;
	case LRD_BLOCK_BC5_UNORM: decode_channels_unorm8(block, 2, texels); break;
	case LRD_BLOCK_BC7: lrd_bc7_decode(block, texels); break;
	default: break;
	}
}

void lrd_block_decode_half(lrd_block_format format, const void *block, uint16_t texels[64])
{
	if (format == LRD_BLOCK_BC6H_UFLOAT || format == LRD_BLOCK_BC6H_SFLOAT)
	{
		lrd_bc6h_decode(block, format == LRD_BLOCK_BC6H_SFLOAT, texels);
	}
}

// Exact. Of halves that BC6H makes: never NaN. A half's exponent and mantissa, moved into place, are the value divided
// by 2^112, subnormals included.
static float float_of_half(uint32_t half)
{
	uint32_t bits = (half & 0x7fffu) << 13;
	float value;
	memcpy(&value, &bits, sizeof value);
	value = (half & 0x7fffu) == 0x7c00u ? __builtin_inff() : value * 0x1p112f;
	return (half & 0x8000u) != 0 ? -value : value;
}

void lrd_block_decode_f32(lrd_block_format format, const void *block, float texels[64])
{
	switch (format)
	{
	case LRD_BLOCK_BC4_UNORM: decode_channels_f32(block, 1, false, texels); return;
	case LRD_BLOCK_BC4_SNORM: decode_channels_f32(block, 1, true, texels); return;
	case LRD_BLOCK_BC5_UNORM: decode_channels_f32(block, 2, false, texels); return;
	case LRD_BLOCK_BC5_SNORM: decode_channels_f32(block, 2, true, texels); return;
	default: break;
	}
	if (format == LRD_BLOCK_BC6H_UFLOAT || format == LRD_BLOCK_BC6H_SFLOAT)
	{
		uint16_t halves[64];
		lrd_block_decode_half(format, block, halves);
		for (unsigned i = 0; i < 64; i++)
		{
			texels[i] = float_of_half(halves[i]);
		}
		return;
	}
	uint8_t bytes[64];
	lrd_block_decode_unorm8(format, block, bytes);
	for (unsigned i = 0; i < 64 && lrd_block_is_unorm8(format); i++)
	{
		texels[i] = (float)bytes[i] / 255.0f;
	}
}
