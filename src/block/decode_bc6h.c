// BC6H, exactly as half floats. Khronos Data Format Specification 1.3, section 20.2 "BC6H"; Microsoft "BC6H Format".

#include "block/bptc.h"
#include "block/decode.h"

// Of the block's lowest five bits: a mode, or -1 where the format reserves them.
static const int8_t mode_of_code[32] = {
	0, 1, 2, 10, 0, 1, 3, 11, 0, 1, 4, 12, 0, 1, 5, 13, //
	0, 1, 6, -1, 0, 1, 7, -1, 0, 1, 8, -1, 0, 1, 9, -1, //
};

static int sign_extend(int value, unsigned bits)
{
	int sign = 1 << (bits - 1u);
	return ((value & (2 * sign - 1)) ^ sign) - sign;
}

static int unquantize_unsigned(int value, unsigned bits)
{
	if (bits >= 15 || value == 0)
	{
		return value;
	}
	if (value == (1 << bits) - 1)
	{
		return 0xffff;
	}
	return ((value << 15) + 0x4000) >> (bits - 1u);
}

static int unquantize_signed(int value, unsigned bits)
{
	if (bits >= 16)
	{
		return value;
	}
	int magnitude = value < 0 ? -value : value;
	if (magnitude >= (1 << (bits - 1u)) - 1)
	{
		magnitude = 0x7fff;
	}
	else if (magnitude != 0)
	{
		magnitude = ((magnitude << 15) + 0x4000) >> (bits - 1u);
	}
	return value < 0 ? -magnitude : magnitude;
}

// Scaled by 31/64 or 31/32, so that the largest is the largest finite half: 0x7bff. Only -32768, which 16-bit endpoints
// can hold, becomes the negative infinity.
static uint32_t finish(int value, bool is_signed)
{
	if (!is_signed)
	{
		return (uint32_t)(value * 31) >> 6;
	}
	return value < 0 ? 0x8000u | (uint32_t)(-value * 31) >> 5 : (uint32_t)(value * 31) >> 5;
}

static void read_endpoints(const lrd_bc6h_mode *mode, lrd_block_bits *bits, bool is_signed, int values[LRD_BC6H_VALUES])
{
	memset(values, 0, LRD_BC6H_VALUES * sizeof *values);
	for (const lrd_bc6h_field *field = mode->fields; field->count != 0; field++)
	{
		values[field->value] |= (int)(lrd_block_take(bits, field->count) << field->shift);
	}
	unsigned base_bits = mode->base_bits;
	int count = 6 * mode->subsets;
	for (int i = 0; i < count; i++)
	{
		if (i >= 3 && mode->transformed)
		{
			values[i] = (values[i % 3] + sign_extend(values[i], mode->delta_bits[i % 3])) & ((1 << base_bits) - 1);
		}
		// After the first three, so that differences are from W as it was stored: modulo 2^bits it's all the same.
		if (is_signed)
		{
			values[i] = sign_extend(values[i], base_bits);
		}
	}
	for (int i = 0; i < count; i++)
	{
		values[i] = is_signed ? unquantize_signed(values[i], base_bits) : unquantize_unsigned(values[i], base_bits);
	}
}

static void fill_reserved(uint16_t texels[64])
{
	for (unsigned i = 0; i < 16; i++)
	{
		memcpy(texels + 4 * i, (uint16_t[]){ 0, 0, 0, LRD_BLOCK_HALF_ONE }, 8);
	}
}

void lrd_bc6h_decode(const uint8_t *block, bool is_signed, uint16_t texels[64])
{
	int number = mode_of_code[block[0] & 31];
	if (number < 0)
	{
		fill_reserved(texels);
		return;
	}
	const lrd_bc6h_mode *mode = &lrd_bc6h_modes[number];
	lrd_block_bits bits = lrd_block_bits_of(block);
	lrd_block_take(&bits, mode->code_bits);
	int values[LRD_BC6H_VALUES];
	read_endpoints(mode, &bits, is_signed, values);
	unsigned index_bits = mode->subsets == 1 ? 4 : 3;
	const uint8_t *weights = mode->subsets == 1 ? lrd_bptc_weights_4 : lrd_bptc_weights_3;
	uint32_t partition = mode->subsets == 1 ? 0 : lrd_block_take(&bits, 5);
	uint32_t second = mode->subsets == 1 ? 0 : lrd_bptc_two[partition];
	uint64_t indices = lrd_block_widen(bits.low, index_bits - 1u);
	if (mode->subsets == 2)
	{
		indices = lrd_block_widen(indices, 3u * lrd_bptc_anchor_of_two[partition] + 2u);
	}
	uint64_t palette[32]; // of the first subset, then of the second
	for (unsigned entry = 0; entry < (unsigned)mode->subsets << index_bits; entry++)
	{
		const int *ends = values + 6 * (entry >> index_bits);
		int weight = weights[entry & ((1u << index_bits) - 1u)];
		uint64_t texel = (uint64_t)LRD_BLOCK_HALF_ONE << 48;
		for (unsigned c = 0; c < 3; c++)
		{
			int value = ((64 - weight) * ends[c] + weight * ends[3 + c] + 32) >> 6;
			texel |= (uint64_t)finish(value, is_signed) << 16 * c;
		}
		palette[entry] = texel;
	}
	for (unsigned i = 0; i < 16; i++)
	{
		uint64_t index = indices >> index_bits * i & ((1u << index_bits) - 1u);
		memcpy(texels + 4 * i, &palette[index | (uint64_t)(second >> i & 1u) << index_bits], 8);
	}
}
