// image/cubemap_kernel.h: the two loops that a cubemap's time goes to, compiled for each instruction set. Private to the
// room.

#ifndef IMAGE_CUBEMAP_KERNEL_H
#define IMAGE_CUBEMAP_KERNEL_H

#include "base/isa.h"
#include "base/lanes.h"

#include <stddef.h>

#define LRD_SUM_TEXELS 16u ///< outputs that are summed at once: a multiple of every set's lanes
#define LRD_SUM_NODES 256u

/// A texel of a mip of the source: the middle of its area and its solid angle; the middle of its light, which is its
/// radiance times the solid angle.
typedef struct lrd_light_node
{
	float area[3];
	float solid_angle;
	float middle[3];
	float light[4];
} lrd_light_node;

/// Nodes' light and solid angles are weighted with the lobe around each of 16 directions and added to what was there.
typedef struct lrd_light_sums
{
	float x[LRD_SUM_TEXELS], y[LRD_SUM_TEXELS], z[LRD_SUM_TEXELS];
	float alpha_squared;
	float light[4][LRD_SUM_TEXELS];
	float weight[LRD_SUM_TEXELS];
} lrd_light_sums;

LRD_KERNEL_DECLARE(void, lrd_cube_sum, (lrd_light_sums * sums, const lrd_light_node *nodes, size_t count));

/// Where on a panorama directions lead: u to the right and v down, 0..1. Arrays of a multiple of LRD_LANES_MAX.
LRD_KERNEL_DECLARE(
	void, lrd_cube_longitudes, (size_t count, const float *x, const float *y, const float *z, float *u, float *v));

#endif
