// block/bc7_pack.h: from a fit to the bits of a block. Part of the kernel: included by bc7_kernel.c alone.
//
// Everything before the indices is put together in vectors; the indices make a stream of up to 64 bits a block, from
// which the highest bits of the anchors are taken out one block after the other, their places being those of the
// partition.

#ifndef BLOCK_BC7_PACK_H
#define BLOCK_BC7_PACK_H

#include "block/bc7_fit.h"
#include "block/bptc.h"

/// Bits of LRD_LANES blocks, lowest first.
typedef struct bc7_bits
{
	lrd_i32s word[4];
	int at;
} bc7_bits;

/// Indices of LRD_LANES blocks with all their bits.
typedef struct bc7_stream
{
	lrd_i32s word[2];
} bc7_stream;

FIT_INLINE void put_bits(bc7_bits *bits, lrd_i32s value, int count)
{
	int word = bits->at / 32, shift = bits->at % 32;
	bits->word[word] |= value << shift;
	if (shift + count > 32)
	{
		bits->word[word + 1] |= value >> (32 - shift);
	}
	bits->at += count;
}

/// The endpoints' channels, then the p-bits. `alpha_bits`: of the fourth channel when it has its own.
FIT_INLINE void put_ends(bc7_bits *bits, const bc7_ends *ends, bc7_shape shape)
{
	int stored = shape.bits - (shape.p != P_NONE);
	for (int c = 0; c < shape.channels; ++c)
	{
		for (int e = 0; e < 2 * shape.subsets; ++e)
		{
			put_bits(bits, lrd_to_i32s(ends[e / 2].e[e % 2][c]) >> (8 - stored), stored);
		}
	}
	if (shape.channels == 3 && shape.p == P_ONE)
	{
		for (int e = 0; e < 2 * shape.subsets; ++e)
		{
			put_bits(bits, lrd_i32s_of((1 << stored) - 1), stored); // opaque
		}
	}
	for (int e = 0; e < 2 * shape.subsets && shape.p != P_NONE; e += shape.p == P_SHARED ? 2 : 1)
	{
		put_bits(bits, (lrd_to_i32s(ends[e / 2].e[e % 2][0]) >> (8 - shape.bits)) & 1, 1);
	}
}

FIT_INLINE int log2_of(int levels)
{
	return levels == 4 ? 2 : levels == 8 ? 3 : 4;
}

FIT_INLINE void put_indices(bc7_stream *stream, const lrd_i32s index[16], int levels)
{
	bc7_bits bits = { 0 };
	for (int i = 0; i < 16; ++i)
	{
		put_bits(&bits, index[i], log2_of(levels));
	}
	stream->word[0] = bits.word[0];
	stream->word[1] = bits.word[1];
}

/// All ones where the index of texel anchors[lane] has its highest bit set.
FIT_INLINE lrd_i32s flips_of(const lrd_i32s index[16], const int32_t *anchors, int levels)
{
	int32_t flips[LRD_LANES], table[16][LRD_LANES];
	memcpy(table, index, sizeof table);
	for (int lane = 0; lane < LRD_LANES; ++lane)
	{
		flips[lane] = table[anchors[lane]][lane] >= levels / 2 ? -1 : 0;
	}
	return lrd_i32s_load(flips);
}

/// Turn subsets around, so that the anchors' highest bits are 0. `anchors`: of the second and third subset.
FIT_INLINE void turn_subsets(const bc7_texels *texels, bc7_shape shape, int32_t anchors[2][LRD_LANES], bc7_fit *fit)
{
	lrd_i32s flips[3];
	flips[0] = lrd_select_i(lrd_less_i(fit->index[0], lrd_i32s_of(shape.levels / 2)), lrd_i32s_of(0), lrd_i32s_of(-1));
	for (int s = 0; s < shape.subsets; ++s)
	{
		if (s > 0)
		{
			flips[s] = flips_of(fit->index, anchors[s - 1], shape.levels);
		}
		lrd_mask flip = lrd_less_i(flips[s], lrd_i32s_of(0));
		for (int c = 0; c < shape.channels; ++c)
		{
			lrd_f32s first = fit->ends[s].e[0][c], second = fit->ends[s].e[1][c];
			fit->ends[s].e[0][c] = lrd_select(flip, second, first);
			fit->ends[s].e[1][c] = lrd_select(flip, first, second);
		}
	}
	for (int i = 0; i < 16; ++i)
	{
		lrd_i32s flip = flips[0];
		for (int s = 1; s < shape.subsets; ++s)
		{
			flip = lrd_select_i(lrd_bit(subset_bits(texels, s), i), flips[s], flip);
		}
		fit->index[i] ^= flip & (shape.levels - 1);
	}
}

/// Take bit `at` out.
FIT_INLINE uint64_t without_bit(uint64_t stream, int at)
{
	uint64_t below = stream & ((1ull << at) - 1);
	return below | (stream >> 1 & ~((1ull << at) - 1));
}

/// Lane `lane` of a stream, without the highest bits of up to three anchors.
FIT_INLINE uint64_t stream_of(const bc7_stream *stream, int lane, int levels, int count, int second, int third)
{
	int32_t words[2][LRD_LANES];
	memcpy(words, stream, sizeof words);
	uint64_t bits = (uint64_t)(uint32_t)words[1][lane] << 32 | (uint32_t)words[0][lane];
	int index_bits = log2_of(levels), high = second > third ? second : third, low = second > third ? third : second;
	if (count > 1)
	{
		bits = without_bit(bits, high * index_bits + index_bits - 1);
	}
	if (count > 2)
	{
		bits = without_bit(bits, low * index_bits + index_bits - 1);
	}
	return without_bit(bits, index_bits - 1);
}

/// The block of a lane: its bits, and `stream` put in at `at`.
FIT_INLINE void finish_block(const bc7_bits *bits, int lane, uint64_t stream, int at, uint8_t *out)
{
	int32_t words[4][LRD_LANES];
	memcpy(words, bits->word, sizeof words);
	uint64_t low = (uint64_t)(uint32_t)words[1][lane] << 32 | (uint32_t)words[0][lane];
	uint64_t high = (uint64_t)(uint32_t)words[3][lane] << 32 | (uint32_t)words[2][lane];
	if (at < 64)
	{
		low |= stream << at;
		high |= at > 0 ? stream >> (64 - at) : 0;
	}
	else
	{
		high |= stream << (at - 64);
	}
	memcpy(out, &low, 8);
	memcpy(out + 8, &high, 8);
}

#endif
