// geometry/clusters.h: a large geometry cut into pieces that lie together, and what else its shape tells.

#ifndef GEOMETRY_CLUSTERS_H
#define GEOMETRY_CLUSTERS_H

#include "geometry/geometry.h"

typedef struct lrd_geometry_cluster_desc
{
	uint32_t target_triangles; ///< clusters larger than this are split; 0: none for its size
	uint32_t min_triangles;    ///< but never into smaller ones than this; 0: 1
	float max_extent;          ///< the largest side of a cluster's box, object units; 0: any
} lrd_geometry_cluster_desc;

/// Triangles by cluster, in the arena that was given.
typedef struct lrd_geometry_clusters
{
	uint32_t *triangles; ///< every triangle's number, cluster after cluster, ascending within one
	uint32_t *offsets;   ///< count + 1: where each cluster begins in `triangles`
	uint32_t count;
} lrd_geometry_clusters;

/// Split recursively at the median along the longest axis of the triangles' centroids; of two at one place the lower
/// number comes first. Takes 20 bytes a triangle while it runs.
bool lrd_geometry_cluster(const lrd_geometry *geometry, const lrd_geometry_cluster_desc *desc, lrd_arena *arena,
	lrd_geometry_clusters *clusters, lrd_error *error);

/// Some triangles of a geometry as one of their own in `arena`, with the vertices they use in order of first use, every attribute
/// bit for bit. Costs what the triangles cost, however large the geometry is.
bool lrd_geometry_extract(const lrd_geometry *geometry, const uint32_t *triangles, uint32_t triangle_count,
	lrd_arena *arena, lrd_geometry *part, lrd_error *error);

/// Whether the triangles are cards, as foliage and hair are made of: at least eight pieces that share no position with
/// any other, each flat and of at most eight triangles or a strip of at most 64 however it curls, and no more than a
/// tenth of all triangles in anything else. Back sides that lie on front sides don't count. A ray tracer does well to
/// take a coarser LOD of them.
bool lrd_geometry_is_cards(const lrd_geometry *geometry, bool *cards, lrd_error *error);

#endif
