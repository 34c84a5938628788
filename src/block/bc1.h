// block/bc1.h: colours to BC1 blocks, which are the colour half of BC3 too.

#ifndef BLOCK_BC1_H
#define BLOCK_BC1_H

#include "block/encode.h"

typedef enum lrd_bc1_fourth
{
	LRD_BC1_FOURTH_BLACK, ///< the fourth of three colours is black, for any texel
	LRD_BC1_FOURTH_CLEAR, ///< it is for texels with alpha below 128, and for no other
	LRD_BC1_FOURTH_NONE,  ///< no blocks of three colours: BC3
} lrd_bc1_fourth;

typedef struct lrd_bc1_job
{
	const uint8_t (*texels)[64]; ///< blocks of 16 texels RGBA
	size_t count;                ///< blocks
	uint8_t *out;                ///< the first block's 8 bytes
	size_t stride;               ///< bytes from one block to the next in `out`
	lrd_bc1_fourth fourth;
	lrd_block_quality quality;
	float weight[3]; ///< of the squared errors of R, G and B
} lrd_bc1_job;

/// Blocks of colours on the instruction set of the kernel.
LRD_KERNEL_DECLARE(void, lrd_bc1_kernel, (const lrd_bc1_job *job));

/// The kernel of `isa`.
void lrd_bc1_run(const lrd_bc1_job *job, lrd_isa isa);

/// The weights of a metric: all alike, or Rec. 709 luma's; their sum is 3.
void lrd_bc1_weigh(bool perceptual, float weight[3]);

#endif
