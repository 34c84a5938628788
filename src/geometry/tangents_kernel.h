// geometry/tangents_kernel.h: the arithmetic of tangents, compiled for each instruction set. Lanes are corners side by
// side, whatever triangles they belong to. Private to the room.

#ifndef GEOMETRY_TANGENTS_KERNEL_H
#define GEOMETRY_TANGENTS_KERNEL_H

#include "base/isa.h"

#include <stdint.h>

/// Corners that are measured at once; a multiple of LRD_LANES_MAX.
#define LRD_TANGENT_BATCH 128

/// uv run the same way round as the triangle.
#define LRD_TANGENT_PRESERVING 1
/// uv that say nothing about directions: the corner joins groups of either orientation and adds nothing.
#define LRD_TANGENT_ANY 2
/// Two corners at one position: the triangle is left out, and given its neighbours' tangents at the end.
#define LRD_TANGENT_DEGENERATE 4
/// Six flags, for each axis that the direction of u lies along one way, and six, LRD_TANGENT_AXES higher up, for the
/// other way; three axes of u, then three of v. Two unit vectors that are opposite lie along one axis in opposite
/// ways. A direction that is not a number has all flags.
#define LRD_TANGENT_ALONG 8
#define LRD_TANGENT_AXES 6

/// A row a number, so that a vector's components stand in three.
typedef struct lrd_tangent_rows
{
	float position[3][3][LRD_TANGENT_BATCH]; ///< of the triangle's first, second and third corner
	float uv[3][2][LRD_TANGENT_BATCH];
	int32_t slot[LRD_TANGENT_BATCH]; ///< which of the three the corner is
	float normal[3][LRD_TANGENT_BATCH];

	int32_t flags[LRD_TANGENT_BATCH];     ///< LRD_TANGENT_…
	float s[3][LRD_TANGENT_BATCH];        ///< direction of increasing u in the plane of the normal, unit length
	float t[3][LRD_TANGENT_BATCH];        ///< of increasing v
	float weighted[3][LRD_TANGENT_BATCH]; ///< s times the triangle's angle at the corner; 0 for ANY
} lrd_tangent_rows;

/// Fill the second half of `rows` from the first, up to `count` rounded up to LRD_LANES_MAX.
LRD_KERNEL_DECLARE(void, lrd_tangents_measure, (lrd_tangent_rows * rows, uint32_t count));

#endif
