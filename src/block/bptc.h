// block/bptc.h: what decoders and encoders of BC6H and BC7 share: partitions, anchors, weights, and where BC6H keeps its
// bits. Private to the room.
//
// Khronos Data Format Specification 1.3, section 20 "BPTC Compressed Texture Image Formats".

#ifndef BLOCK_BPTC_H
#define BLOCK_BPTC_H

#include <stdbool.h>
#include <stdint.h>

/// Partitions into two subsets: bit i is texel i's. BC6H has the first 32.
extern const uint16_t lrd_bptc_two[64];
/// Partitions into three subsets: bits 2i and 2i + 1 are texel i's.
extern const uint32_t lrd_bptc_three[64];
/// The texel of the second subset whose index is stored without its highest bit, which is 0. The first subset's is 0.
extern const uint8_t lrd_bptc_anchor_of_two[64];
/// The same of the second and third of three subsets.
extern const uint8_t lrd_bptc_anchors_of_three[64][2];

/// Weight in 64ths of the second endpoint, by index: of 2, 3 and 4 bits.
extern const uint8_t lrd_bptc_weights_2[4];
extern const uint8_t lrd_bptc_weights_3[8];
extern const uint8_t lrd_bptc_weights_4[16];

/// Endpoints of BC6H: those of the first subset are W and X, of the second Y and Z.
enum
{
	LRD_BC6H_RW,
	LRD_BC6H_GW,
	LRD_BC6H_BW,
	LRD_BC6H_RX,
	LRD_BC6H_GX,
	LRD_BC6H_BX,
	LRD_BC6H_RY,
	LRD_BC6H_GY,
	LRD_BC6H_BY,
	LRD_BC6H_RZ,
	LRD_BC6H_GZ,
	LRD_BC6H_BZ,
	LRD_BC6H_VALUES
};

/// `count` bits of the block, lowest first, that are bits `shift` and up of endpoint value `value`.
typedef struct lrd_bc6h_field
{
	uint8_t value;
	uint8_t shift;
	uint8_t count; ///< 0 ends a list
} lrd_bc6h_field;

typedef struct lrd_bc6h_mode
{
	uint8_t code;      ///< what the block's lowest bits are
	uint8_t code_bits; ///< 2 or 5
	uint8_t subsets;
	bool transformed;      ///< X, Y and Z are signed differences from W
	uint8_t base_bits;     ///< of W, and of all others when not transformed
	uint8_t delta_bits[3]; ///< of X, Y, Z in red, green, blue
	lrd_bc6h_field fields[25];
} lrd_bc6h_mode;

#define LRD_BC6H_MODES 14
extern const lrd_bc6h_mode lrd_bc6h_modes[LRD_BC6H_MODES];

#endif
