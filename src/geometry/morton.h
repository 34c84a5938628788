// geometry/morton.h: triangles in the order of a Morton curve through their centroids.

#ifndef GEOMETRY_MORTON_H
#define GEOMETRY_MORTON_H

#include "geometry/vertices.h"

/// Write the triangle list `indices` into `sorted` along a Morton curve (21 bits an axis, one scale for all axes);
/// triangles in one cell keep their order. False when memory runs out.
bool lrd_morton_sort_triangles(lrd_allocator allocator, const float *positions, const uint32_t *indices,
	uint32_t index_count, uint32_t *sorted, lrd_error *error);

#endif
