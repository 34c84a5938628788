// BC7, exactly. Khronos Data Format Specification 1.3, section 20.1 "BC7"; Microsoft "BC7 Format".
//
// A block is its endpoints' palette and indices into it. Each mode is the same text compiled with its numbers as
// constants. Palettes are made of four channels at once, 16 bits of a word each: 64 * 255 + 32 does not reach into the
// next.

#include "block/bptc.h"
#include "block/decode.h"

typedef struct bc7_mode
{
	unsigned subsets, partition_bits, rotation_bits, selector_bits, colour_bits, alpha_bits;
	unsigned p_bits;       // a block: one an endpoint, or one a subset
	unsigned index_bits;   // of the first indices
	unsigned index_bits_2; // of the second; 0: there are none
} bc7_mode;

static uint64_t spread(uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
	return r | (uint64_t)g << 16 | (uint64_t)b << 32 | (uint64_t)a << 48;
}

static uint32_t pack(uint64_t spread_texel)
{
	uint64_t pairs = (spread_texel | spread_texel >> 8) & 0x0000ffff0000ffffu;
	return (uint32_t)(pairs | pairs >> 16);
}

static uint64_t mix(uint64_t a, uint64_t b, uint32_t weight)
{
	return (a * (64u - weight) + b * weight + 0x0020002000200020u) >> 6 & 0x00ff00ff00ff00ffu;
}

static const uint8_t *weights_of(unsigned index_bits)
{
	return index_bits == 2 ? lrd_bptc_weights_2 : index_bits == 3 ? lrd_bptc_weights_3 : lrd_bptc_weights_4;
}

static uint32_t widen(uint32_t value, unsigned bits)
{
	return bits == 8 ? value : value << (8u - bits) | value >> (2u * bits - 8u);
}

// The endpoints of all subsets, two after two. What a mode has no alpha for is opaque.
static inline __attribute__((always_inline)) void read_endpoints(
	bc7_mode mode, lrd_block_bits *bits, uint64_t endpoints[6])
{
	uint32_t values[4][6];
	const unsigned count = 2 * mode.subsets;
	for (unsigned c = 0; c < 3; c++)
	{
		for (unsigned i = 0; i < count; i++)
		{
			values[c][i] = lrd_block_take(bits, mode.colour_bits);
		}
	}
	for (unsigned i = 0; i < count; i++)
	{
		values[3][i] = mode.alpha_bits != 0 ? lrd_block_take(bits, mode.alpha_bits) : 255;
	}
	const unsigned added = mode.p_bits != 0 ? 1 : 0;
	uint32_t p = mode.p_bits != 0 ? lrd_block_take(bits, mode.p_bits) : 0;
	for (unsigned i = 0; i < count; i++)
	{
		uint32_t low = p >> (mode.p_bits == count ? i : i / 2) & added;
		uint32_t rgba[4];
		for (unsigned c = 0; c < 3; c++)
		{
			rgba[c] = widen(values[c][i] << added | low, mode.colour_bits + added);
		}
		rgba[3] = mode.alpha_bits != 0 ? widen(values[3][i] << added | low, mode.alpha_bits + added) : 255;
		endpoints[i] = spread(rgba[0], rgba[1], rgba[2], rgba[3]);
	}
}

// Indices with their anchors' missing bits put in, lowest texel first.
static inline __attribute__((always_inline)) uint64_t read_indices(
	unsigned subsets, unsigned index_bits, uint32_t partition, lrd_block_bits *bits)
{
	uint64_t indices = lrd_block_widen(bits->low, index_bits - 1u);
	if (subsets == 2)
	{
		indices = lrd_block_widen(indices, index_bits * lrd_bptc_anchor_of_two[partition] + index_bits - 1u);
	}
	if (subsets == 3)
	{
		unsigned a = lrd_bptc_anchors_of_three[partition][0];
		unsigned b = lrd_bptc_anchors_of_three[partition][1];
		indices = lrd_block_widen(indices, index_bits * (a < b ? a : b) + index_bits - 1u);
		indices = lrd_block_widen(indices, index_bits * (a < b ? b : a) + index_bits - 1u);
	}
	return indices;
}

static inline __attribute__((always_inline)) void decode_one_index(
	bc7_mode mode, const uint64_t endpoints[6], uint64_t subset_of, uint64_t indices, uint8_t texels[64])
{
	const unsigned size = 1u << mode.index_bits;
	const uint8_t *weights = weights_of(mode.index_bits);
	uint32_t palette[32];
	for (unsigned subset = 0; subset < mode.subsets; subset++)
	{
		for (unsigned i = 0; i < size; i++)
		{
			palette[subset * size + i] = pack(mix(endpoints[2 * subset], endpoints[2 * subset + 1], weights[i]));
		}
	}
	const unsigned subset_bits = mode.subsets == 3 ? 2 : 1;
	for (unsigned i = 0; i < 16; i++)
	{
		uint64_t index = indices >> mode.index_bits * i & (size - 1u);
		if (mode.subsets > 1)
		{
			index += (subset_of >> subset_bits * i & ((1u << subset_bits) - 1u)) * size;
		}
		memcpy(texels + 4 * i, &palette[index], 4);
	}
}

// Colours and alpha have indices of their own, and a channel may have changed places with alpha.
static inline __attribute__((always_inline)) void decode_two_indices(bc7_mode mode, const uint64_t endpoints[6],
	uint32_t rotation, bool swapped, uint64_t indices, uint64_t indices_2, uint8_t texels[64])
{
	unsigned colour_bits = swapped ? mode.index_bits_2 : mode.index_bits;
	unsigned alpha_bits = swapped ? mode.index_bits : mode.index_bits_2;
	uint64_t of_colour = swapped ? indices_2 : indices;
	uint64_t of_alpha = swapped ? indices : indices_2;
	uint32_t colours[8], alphas[8];
	for (unsigned i = 0; i < 1u << colour_bits; i++)
	{
		colours[i] = pack(mix(endpoints[0], endpoints[1], weights_of(colour_bits)[i])) & 0xffffffu;
	}
	for (unsigned i = 0; i < 1u << alpha_bits; i++)
	{
		alphas[i] = pack(mix(endpoints[0], endpoints[1], weights_of(alpha_bits)[i])) & 0xff000000u;
	}
	unsigned shift = 8u * (rotation - 1u); // of the channel that is swapped with alpha; rotation 0: none
	for (unsigned i = 0; i < 16; i++)
	{
		uint32_t texel = colours[of_colour >> colour_bits * i & ((1u << colour_bits) - 1u)] |
						 alphas[of_alpha >> alpha_bits * i & ((1u << alpha_bits) - 1u)];
		if (rotation != 0)
		{
			uint32_t differing = (texel >> 24 ^ texel >> shift) & 255u;
			texel ^= differing << 24 | differing << shift;
		}
		memcpy(texels + 4 * i, &texel, 4);
	}
}

static inline __attribute__((always_inline)) void decode(
	bc7_mode mode, unsigned number, lrd_block_bits bits, uint8_t texels[64])
{
	lrd_block_take(&bits, number + 1u);
	uint32_t partition = mode.partition_bits != 0 ? lrd_block_take(&bits, mode.partition_bits) : 0;
	uint32_t rotation = mode.rotation_bits != 0 ? lrd_block_take(&bits, mode.rotation_bits) : 0;
	bool swapped = mode.selector_bits != 0 && lrd_block_take(&bits, mode.selector_bits) != 0;
	uint64_t endpoints[6];
	read_endpoints(mode, &bits, endpoints);
	uint64_t indices = read_indices(mode.subsets, mode.index_bits, partition, &bits);
	if (mode.index_bits_2 == 0)
	{
		uint64_t subset_of = mode.subsets == 3 ? lrd_bptc_three[partition] : lrd_bptc_two[partition];
		decode_one_index(mode, endpoints, subset_of, indices, texels);
		return;
	}
	lrd_block_take(&bits, 16u * mode.index_bits - 1u);
	indices &= (1ull << 16u * mode.index_bits) - 1u;
	uint64_t indices_2 = read_indices(1, mode.index_bits_2, 0, &bits);
	decode_two_indices(mode, endpoints, rotation, swapped, indices, indices_2, texels);
}

void lrd_bc7_decode(const uint8_t *block, uint8_t texels[64])
{
	lrd_block_bits bits = lrd_block_bits_of(block);
	switch (__builtin_ctz((unsigned)block[0] | 256u))
	{
	case 0: decode((bc7_mode){ 3, 4, 0, 0, 4, 0, 6, 3, 0 }, 0, bits, texels); break;
	case 1: decode((bc7_mode){ 2, 6, 0, 0, 6, 0, 2, 3, 0 }, 1, bits, texels); break;
	case 2: decode((bc7_mode){ 3, 6, 0, 0, 5, 0, 0, 2, 0 }, 2, bits, texels); break;
	case 3: decode((bc7_mode){ 2, 6, 0, 0, 7, 0, 4, 2, 0 }, 3, bits, texels); break;
	case 4: decode((bc7_mode){ 1, 0, 2, 1, 5, 6, 0, 2, 3 }, 4, bits, texels); break;
	case 5: decode((bc7_mode){ 1, 0, 2, 0, 7, 8, 0, 2, 2 }, 5, bits, texels); break;
	case 6: decode((bc7_mode){ 1, 0, 0, 0, 7, 7, 2, 4, 0 }, 6, bits, texels); break;
	case 7: decode((bc7_mode){ 2, 6, 0, 0, 5, 5, 4, 2, 0 }, 7, bits, texels); break;
	default: memset(texels, 0, 64); break; // reserved: transparent black
	}
}
