// A channel of BC4 and BC5, and the alpha of BC3. Khronos Data Format Specification 1.3, section 19 "RGTC Compressed
// Texture Image Formats".

#include "block/decode.h"

// In sevenths or fifths of a step: numerators; the last two of six are the range's ends, which are no fractions.
static int palette_of(int a, int b, int low, int high, int numerators[8])
{
	int parts = a > b ? 7 : 5;
	numerators[0] = parts * a;
	numerators[1] = parts * b;
	for (int i = 1; i < parts; i++)
	{
		numerators[i + 1] = (parts - i) * a + i * b;
	}
	if (parts == 5)
	{
		numerators[6] = parts * low;
		numerators[7] = parts * high;
	}
	return parts;
}

void lrd_bc4_decode_unorm8(const uint8_t *block, uint8_t *channel)
{
	uint64_t bits = lrd_block_u64(block);
	int numerators[8];
	int parts = palette_of(block[0], block[1], 0, 255, numerators);
	uint8_t palette[8];
	for (unsigned i = 0; i < 8; i++)
	{
		palette[i] = (uint8_t)(parts == 7 ? (numerators[i] + 3) / 7 : (numerators[i] + 2) / 5);
	}
	bits >>= 16;
	for (unsigned i = 0; i < 16; i++)
	{
		channel[4 * i] = palette[bits >> 3 * i & 7u];
	}
}

void lrd_bc4_decode_f32(const uint8_t *block, bool is_signed, float *channel)
{
	uint64_t bits = lrd_block_u64(block);
	int most = is_signed ? 127 : 255;
	int a = block[0];
	int b = block[1];
	if (is_signed)
	{
		// -128 is -127 by another name. Direct3D orders the endpoints after that, Mesa before: they part for -128
		// beside -127 alone.
		a = (int8_t)block[0] < -127 ? -127 : (int8_t)block[0];
		b = (int8_t)block[1] < -127 ? -127 : (int8_t)block[1];
	}
	int numerators[8];
	int parts = palette_of(a, b, is_signed ? -127 : 0, most, numerators);
	float palette[8];
	for (unsigned i = 0; i < 8; i++)
	{
		palette[i] = (float)numerators[i] / (float)(parts * most);
	}
	bits >>= 16;
	for (unsigned i = 0; i < 16; i++)
	{
		channel[4 * i] = palette[bits >> 3 * i & 7u];
	}
}
