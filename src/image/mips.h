// image/mips.h: between making a chain and keeping its alpha coverage. Private to the room.

#ifndef IMAGE_MIPS_H
#define IMAGE_MIPS_H

#include "image/image.h"

/// Four components of a texel at once: the compiler's vectors, the same arithmetic on every machine.
typedef float lrd_f4 __attribute__((vector_size(16)));

/// What alpha has to be, before rounding, for the stored value to reach a cutoff.
typedef struct lrd_coverage
{
	float reached; ///< the least alpha that is stored at or above the cutoff
	double share;  ///< of level 0's texels that reach it
} lrd_coverage;

/// `cutoff` in 0..1, for alpha stored as 8 bits or as half floats.
float lrd_coverage_reached_8(float cutoff);
float lrd_coverage_reached_half(float cutoff);

/// The factor nearest to 1 for the alphas (texels[i][3]) with which the share of them that reach is as near to
/// coverage->share as can be.
float lrd_coverage_scale(const lrd_coverage *coverage, const lrd_f4 *texels, size_t count);

#endif
