// block/bc6h.h: what the parts of the BC6H encoder share. Private to the room.
//
// What is minimised, and what presets are judged by: squares of the differences between halves taken as integers (of
// sign and magnitude), red, green and blue alike. That is the space the format interpolates in, a logarithm made of
// straight pieces: a step is the same share of the value, within a factor of two, wherever it is. ISPC Texture
// Compressor and Basis Universal minimise it too. As decibels: 10 log10(31743^2 / mean square), as 31743 (0x7bff) is the
// largest half.
//
// Khronos Data Format Specification 1.3, section 20.2 "BC6H"; Microsoft "BC6H Format".

#ifndef BLOCK_BC6H_H
#define BLOCK_BC6H_H

#include "block/bptc.h"
#include "block/encode.h"

/// A block before its bits are put together.
typedef struct lrd_bc6h_choice
{
	uint32_t mode;                 ///< of lrd_bc6h_modes
	uint32_t partition;            ///< of two subsets
	int32_t ends[LRD_BC6H_VALUES]; ///< quantised, none a difference yet
	uint64_t indices;              ///< 3 bits a texel with two subsets, else 4; the anchors' highest bits are 0
} lrd_bc6h_choice;

typedef struct lrd_bc6h_job
{
	const uint16_t (*texels)[64]; ///< blocks of 16 texels RGBA
	size_t count;                 ///< blocks
	uint8_t *out;                 ///< 16 bytes a block
	bool is_signed;
	lrd_block_quality quality;
} lrd_bc6h_job;

void lrd_bc6h_pack(const lrd_bc6h_choice *choice, uint8_t *block);

/// Blocks on the instruction set of the kernel.
LRD_KERNEL_DECLARE(void, lrd_bc6h_kernel, (const lrd_bc6h_job *job));

#endif
