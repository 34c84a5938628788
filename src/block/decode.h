// block/decode.h: the decoders behind block/block.h, one file a family. Private to the room.

#ifndef BLOCK_DECODE_H
#define BLOCK_DECODE_H

#include "block/block.h"

#include <string.h>

/// All take any bytes, and write 16 texels RGBA.
void lrd_bc1_decode(const uint8_t *block, uint32_t fourth_of_three, uint8_t texels[64]);
void lrd_bc2_decode(const uint8_t *block, uint8_t texels[64]);
void lrd_bc3_decode(const uint8_t *block, uint8_t texels[64]);
void lrd_bc7_decode(const uint8_t *block, uint8_t texels[64]);
void lrd_bc6h_decode(const uint8_t *block, bool is_signed, uint16_t texels[64]);

/// A channel of BC3 (alpha), BC4 or BC5 in every fourth component.
void lrd_bc4_decode_unorm8(const uint8_t *block, uint8_t *channel);
void lrd_bc4_decode_f32(const uint8_t *block, bool is_signed, float *channel);

/// 1.0 as a half float.
#define LRD_BLOCK_HALF_ONE 0x3c00u

static inline uint64_t lrd_block_u64(const uint8_t *bytes)
{
	uint64_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

/// A block of 16 bytes that is read from its lowest bit up.
typedef struct lrd_block_bits
{
	uint64_t low, high;
} lrd_block_bits;

static inline lrd_block_bits lrd_block_bits_of(const uint8_t *block)
{
	return (lrd_block_bits){ lrd_block_u64(block), lrd_block_u64(block + 8) };
}

/// 1 to 32 bits.
static inline uint32_t lrd_block_take(lrd_block_bits *bits, unsigned count)
{
	uint32_t value = (uint32_t)(bits->low & ((1ull << count) - 1u));
	bits->low = bits->low >> count | bits->high << (64u - count);
	bits->high >>= count;
	return value;
}

/// Put a 0 in at bit `at`, below 64: an anchor's index is stored without its highest bit, and with it all are alike.
static inline uint64_t lrd_block_widen(uint64_t indices, unsigned at)
{
	uint64_t below = indices & ((1ull << at) - 1u);
	return below | (indices ^ below) << 1;
}

#endif
