// geometry/tangents_kernel.h: the arithmetic of tangents, compiled for each instruction set. Lanes are corners side by
// side, whatever triangles they belong to. Private to the room.

#ifndef GEOMETRY_TANGENTS_KERNEL_H
#define GEOMETRY_TANGENTS_KERNEL_H

#include "base/isa.h"

#include <stdbool.h>
#include <stddef.h>
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

/// As many may be read from any of them on: the most lanes that there are.
#define LRD_TANGENT_PADDING 16

/// Rings of so many corners at most are looked at by lrd_tangents_glance.
#define LRD_TANGENT_GLANCE 8

#define LRD_TANGENT_DIRECTIONS 9
#define LRD_TANGENT_WEIGHTED 6 ///< the first of the last three

/// A mesh's arrays. Four floats are read where a vertex has three: those of `last_vertex` come from copies.
typedef struct lrd_tangent_source
{
	const float *positions;
	const float *normals;
	const float *uv;
	uint32_t last_vertex;
	float last_position[4];
	float last_normal[4];
} lrd_tangent_source;

/// Corners, a row for each number, so that a vector's components stand in three.
typedef struct lrd_tangent_rows
{
	uint32_t vertices[3][LRD_TANGENT_BATCH];                   ///< of the triangle
	uint32_t normals[LRD_TANGENT_BATCH];                       ///< the vertex whose normal it is
	int32_t slot[LRD_TANGENT_BATCH];                           ///< which of the three the corner is
	int32_t next[LRD_TANGENT_BATCH + LRD_TANGENT_PADDING];     ///< the ring that an edge leads to, or a number of none
	int32_t previous[LRD_TANGENT_BATCH + LRD_TANGENT_PADDING]; ///< and the one that the edge before comes from

	int32_t flags[LRD_TANGENT_BATCH]; ///< LRD_TANGENT_…
	/// Three components each of: the direction of increasing u in the plane of the normal, unit length; that of
	/// increasing v; the first times the triangle's angle at the corner. 0 for ANY.
	float directions[LRD_TANGENT_DIRECTIONS][LRD_TANGENT_BATCH];
} lrd_tangent_rows;

/// What a ring comes to.
typedef struct lrd_tangent_sum
{
	float weighted[3]; ///< the sum in order, exact in every bit
	int32_t flags;     ///< that some corner has
	bool whole;        ///< all corners are one group, and have a say in it
} lrd_tangent_sum;

/// Fill the second half of `rows` from the first, up to `count` rounded up to LRD_LANES_MAX.
LRD_KERNEL_DECLARE(
	void, lrd_tangents_measure, (const lrd_tangent_source *source, lrd_tangent_rows *rows, uint32_t count));

/// Add up rings that stand in `rows` one after the other: ring i is corners starts[i] up to starts[i + 1]. Those of more
/// than LRD_TANGENT_GLANCE corners are left, as not whole.
LRD_KERNEL_DECLARE(void, lrd_tangents_glance,
	(const lrd_tangent_rows *rows, const uint32_t *starts, uint32_t ring_count, lrd_tangent_sum *sums));

/// For each of `count` corners, the sum of the weighted directions of those that it sees: all but those that point in
/// exactly the opposite direction of u or of v. `directions` are rows as in lrd_tangent_rows, `sums` three more;
/// `stride` floats from one to the next, `count` rounded up to LRD_LANES_MAX at least.
LRD_KERNEL_DECLARE(void, lrd_tangents_see, (const float *directions, size_t stride, uint32_t count, float *sums));

#endif
