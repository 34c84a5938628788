// BC6H: choosing the kernel, and putting the bits of a block together. The search is in bc6h_kernel.c.

#include "block/bc6h.h"

#include <string.h>

typedef struct bits
{
	uint64_t low, high;
} bits;

/// `value` has no more than 64 - `at` % 64 bits.
static inline void put(bits *to, uint64_t value, unsigned at)
{
	if (at < 64)
	{
		to->low |= value << at;
	}
	else
	{
		to->high |= value << (at - 64);
	}
}

/// Without bit `at`, which is 0.
static inline uint64_t drop_bit(uint64_t value, unsigned at)
{
	uint64_t below = value & ((1ull << at) - 1);
	return below | (value >> 1 & ~((1ull << at) - 1));
}

void lrd_bc6h_pack(const lrd_bc6h_choice *choice, uint8_t *block)
{
	const lrd_bc6h_mode *mode = &lrd_bc6h_modes[choice->mode];
	uint32_t values[LRD_BC6H_VALUES];
	for (int i = 0; i < LRD_BC6H_VALUES; ++i)
	{
		int32_t from = i >= 3 && mode->transformed ? choice->ends[i % 3] : 0;
		values[i] = (uint32_t)(choice->ends[i] - from);
	}
	bits all = { 0 };
	put(&all, mode->code, 0);
	unsigned at = mode->code_bits;
	for (const lrd_bc6h_field *field = mode->fields; field->count != 0; ++field)
	{
		uint64_t value = values[field->value] >> field->shift & ((1u << field->count) - 1);
		put(&all, value, at);
		all.high |= at < 64 && at + field->count > 64 ? value >> (64 - at) : 0;
		at += field->count;
	}
	if (mode->subsets == 1)
	{
		put(&all, drop_bit(choice->indices, 3), 65);
	}
	else
	{
		unsigned anchor = lrd_bptc_anchor_of_two[choice->partition];
		put(&all, choice->partition, 77);
		put(&all, drop_bit(drop_bit(choice->indices, 3 * anchor + 2), 2), 82);
	}
	memcpy(block, &all.low, 8);
	memcpy(block + 8, &all.high, 8);
}

void lrd_bc6h_encode(const lrd_block_encode_desc *desc, const uint16_t (*texels)[64], size_t count, uint8_t *out)
{
	static void (*const kernels[LRD_ISA_COUNT])(const lrd_bc6h_job *) = LRD_KERNEL_TABLE(lrd_bc6h_kernel);
	lrd_bc6h_job job = {
		.texels = texels,
		.count = count,
		.out = out,
		.is_signed = desc->format == LRD_BLOCK_BC6H_SFLOAT,
		.quality = desc->quality,
	};
	kernels[lrd_isa_choose(desc->isa)](&job);
}
