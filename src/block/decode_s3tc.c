// BC1, BC2 and BC3. Khronos Data Format Specification 1.3, section 18 "S3TC Compressed Texture Image Formats".
//
// Endpoints are widened to 8 bits, colours between them are rounded to the nearest of 8 bits. Hardware differs within
// what Direct3D allows: Direct3D's reference and AMD interpolate exact fractions of 31 and 63, NVIDIA has its own
// approximations by shifts, Intel rounds as here; the differences are at most 3 of 255, and none at the endpoints.

#include "block/decode.h"

#define OPAQUE 0xff000000u

static uint32_t widen_565(uint32_t colour)
{
	uint32_t r = colour >> 11;
	uint32_t g = colour >> 5 & 63u;
	uint32_t b = colour & 31u;
	return (r << 3 | r >> 2) | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2) << 16;
}

static uint32_t third(uint32_t near, uint32_t far)
{
	uint32_t mixed = 0;
	for (unsigned shift = 0; shift < 24; shift += 8)
	{
		mixed |= (2u * (near >> shift & 255u) + (far >> shift & 255u) + 1u) / 3u << shift;
	}
	return mixed;
}

static uint32_t half(uint32_t a, uint32_t b)
{
	return (a | b) - ((a ^ b) >> 1 & 0x7f7f7fu); // of bytes, rounded up
}

static void four_colours(uint32_t a, uint32_t b, uint32_t palette[4])
{
	palette[0] = a | OPAQUE;
	palette[1] = b | OPAQUE;
	palette[2] = third(a, b) | OPAQUE;
	palette[3] = third(b, a) | OPAQUE;
}

static void fill(const uint32_t palette[4], uint32_t indices, uint8_t texels[64])
{
	for (unsigned i = 0; i < 16; i++)
	{
		memcpy(texels + 4 * i, &palette[indices >> 2 * i & 3u], 4);
	}
}

void lrd_bc1_decode(const uint8_t *block, uint32_t fourth_of_three, uint8_t texels[64])
{
	uint64_t bits = lrd_block_u64(block);
	uint32_t first = (uint32_t)bits & 0xffffu;
	uint32_t second = (uint32_t)(bits >> 16) & 0xffffu;
	uint32_t a = widen_565(first);
	uint32_t b = widen_565(second);
	uint32_t palette[4];
	four_colours(a, b, palette);
	if (first <= second)
	{
		palette[2] = half(a, b) | OPAQUE;
		palette[3] = fourth_of_three;
	}
	fill(palette, (uint32_t)(bits >> 32), texels);
}

// The colours of BC2 and BC3 are always four, whatever the endpoints' order.
static void decode_colours(const uint8_t *block, uint8_t texels[64])
{
	uint64_t bits = lrd_block_u64(block);
	uint32_t palette[4];
	four_colours(widen_565((uint32_t)bits & 0xffffu), widen_565((uint32_t)(bits >> 16) & 0xffffu), palette);
	fill(palette, (uint32_t)(bits >> 32), texels);
}

void lrd_bc2_decode(const uint8_t *block, uint8_t texels[64])
{
	decode_colours(block + 8, texels);
	uint64_t alpha = lrd_block_u64(block);
	for (unsigned i = 0; i < 16; i++)
	{
		texels[4 * i + 3] = (uint8_t)((alpha >> 4 * i & 15u) * 17u);
	}
}

void lrd_bc3_decode(const uint8_t *block, uint8_t texels[64])
{
	decode_colours(block + 8, texels);
	lrd_bc4_decode_unorm8(block, texels + 3);
}
