// block/bc4.h: a channel of texels to BC4 blocks, which are BC5's halves and BC3's alpha too.

#ifndef BLOCK_BC4_H
#define BLOCK_BC4_H

#include "block/encode.h"

typedef struct lrd_bc4_job
{
	const uint8_t (*texels)[64]; ///< blocks of 16 texels RGBA
	size_t count;                ///< blocks
	uint8_t *out;                ///< the first block's 8 bytes
	size_t stride;               ///< bytes from one block to the next in `out`
	uint8_t channel;             ///< which of RGBA
	uint8_t second;              ///< with `two`: another, whose blocks follow 8 bytes behind
	bool two;
	bool exact_ends; ///< 0 and 255 must decode to themselves: what is wholly clear or opaque stays so
	lrd_block_quality quality;
} lrd_bc4_job;

/// Blocks of one channel on the instruction set of the kernel.
LRD_KERNEL_DECLARE(void, lrd_bc4_kernel, (const lrd_bc4_job *job));

/// The kernel of `isa`.
void lrd_bc4_run(const lrd_bc4_job *job, lrd_isa isa);

#endif
