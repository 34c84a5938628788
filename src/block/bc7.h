// block/bc7.h: what the parts of the BC7 encoder share that is not a vector: presets, and the kernel's face. Private to
// the room.
//
// Khronos Data Format Specification 1.3, section 20.1 "BC7"; Microsoft "BC7 Format". How it works: bc7_kernel.c.

#ifndef BLOCK_BC7_H
#define BLOCK_BC7_H

#include "base/isa.h"
#include "block/encode.h"

/// Blocks that the kernel sees at once.
#define LRD_BC7_CHUNK 64

/// How hard a fit tries.
typedef struct lrd_bc7_trial
{
	int starts;      ///< first guesses of the indices, 1..9
	int refinements; ///< least squares fits of the endpoints after the first, from each start
	int polish;      ///< rounds of single steps of the endpoints
	bool thorough;   ///< choices of p-bits and of rounding all looked at
} lrd_bc7_trial;

/// How much is tried for a block. Candidates are the partitions and rotations that an estimate ranks first.
typedef struct lrd_bc7_effort
{
	int tries[8];        ///< candidates that are fitted, by mode; 0: the mode is not tried. Mode 6 is one.
	bool in_plane;       ///< opaque blocks: estimates in a plane of colours, of two subsets only
	float worth;         ///< a candidate is fitted while its estimate is below this much of the block's error
	lrd_bc7_trial first; ///< how all of them are fitted
	int finalists;       ///< how many of them, the best, are fitted again
	lrd_bc7_trial final; ///< and how
} lrd_bc7_effort;

typedef struct lrd_bc7_job
{
	const lrd_bc7_effort *effort;
	bool perceptual;
	const uint8_t (*texels)[64]; ///< `count` blocks
	size_t count;                ///< at most LRD_BC7_CHUNK
	uint8_t *out;
	float *errors; ///< of each block, as the metric weighs them; NULL: not asked for
} lrd_bc7_job;

const lrd_bc7_effort *lrd_bc7_effort_of(lrd_block_quality quality);

LRD_KERNEL_DECLARE(void, lrd_bc7_encode_chunk, (const lrd_bc7_job *job));

#endif
