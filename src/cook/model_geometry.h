// cook/model_geometry.h: from a group's primitives to geometries that can be packed, in three steps: pieces are copied
// (model_piece.c), made ready and merged (model_prepare.c), and large groups are cut (model_cut.c). What is noticed on
// the way is counted.

#ifndef COOK_MODEL_GEOMETRY_H
#define COOK_MODEL_GEOMETRY_H

#include "cook/model.h"
#include "geometry/clusters.h"

#include <stdatomic.h>

/// A group's geometry. Its vertices are not welded yet, and normals that are to be flat and tangents that nothing reads
/// may be missing: they depend on nothing but their own triangle, so all that is done last, cluster by cluster
/// (lrd_complete_geometry).
typedef struct lrd_prepared
{
	lrd_geometry geometry; ///< in an arena of its own; index_count 0: nothing is left
	lrd_frame_origin normals;
	lrd_frame_origin tangents;
	uint32_t vertices_before;
	uint32_t triangles_before;
	uint32_t degenerate; ///< triangles
	uint32_t overflowed; ///< triangles that scales took beyond what floats hold
	uint32_t repaired;   ///< normals
	uint32_t tangents_repaired;
	uint32_t flat;       ///< pieces without normals
	uint32_t untextured; ///< pieces with a normal map, but no texture coordinates to put it on
} lrd_prepared;

/// Make a group ready. What it allocates is freed with `prepared->geometry.arena`; on failure there is none.
bool lrd_prepare_group(
	const lrd_model_recipe *recipe, const lrd_group_plan *group, lrd_prepared *prepared, lrd_error *error);

/// Make the normals and tangents that are missing, and weld.
bool lrd_complete_geometry(lrd_geometry *geometry, lrd_error *error);

/// Copy a primitive's vertices, those that its indices name, into `arena`: scaled, joints renumbered for the group's
/// skeleton, not yet moved by the node. Tangents are left out unless `tangents`.
bool lrd_copy_piece(const lrd_model_recipe *recipe, const lrd_group_plan *group, const lrd_piece *piece, bool tangents,
	lrd_arena *arena, lrd_geometry *geometry, lrd_error *error);

/// The part's bounds with each of its group's morph weights; where it is skinned, also at rest. Otherwise those of a part at
/// rest are its mesh's.
bool lrd_bound_part(
	const lrd_model_recipe *recipe, lrd_part_plan *part, const lrd_geometry *geometry, lrd_error *error);

/// A group that was cut. Read only, until the last of its parts lets go of it.
typedef struct lrd_cut
{
	lrd_prepared prepared;
	lrd_geometry_clusters clusters;
	float grid_step;       ///< that all clusters quantise with; 0: none does
	atomic_uint remaining; ///< parts that are not made yet
} lrd_cut;

/// One of the clusters, in an arena of its own.
bool lrd_extract_cluster(
	lrd_cut *cut, uint32_t cluster, lrd_allocator allocator, lrd_geometry *geometry, lrd_error *error);

/// A part is made, or failed: the last one frees the geometry.
void lrd_release_cut(lrd_cut *cut);

#endif
