// geometry/lods.h: coarser triangles over the same vertices.

#ifndef GEOMETRY_LODS_H
#define GEOMETRY_LODS_H

#include "geometry/geometry.h"

typedef struct lrd_geometry_lod_desc
{
	uint32_t count;       ///< LODs at most, the finest included: 1 to LRD_MESH_MAX_LODS
	float ratio;          ///< triangles of each to those of the one before, more than 0 and less than 1
	float error;          ///< largest error allowed, of the largest side of the box
	bool lock_borders;    ///< vertices on open edges stay
	const lrd_jobs *jobs; ///< or NULL
} lrd_geometry_lod_desc;

/// A level: a triangle list over the geometry's vertices, in its arena.
typedef struct lrd_geometry_lod
{
	uint32_t *indices;
	uint32_t index_count;
	float error; ///< object units; no point of either surface is farther from the other than this
} lrd_geometry_lod;

typedef struct lrd_geometry_lods
{
	lrd_geometry_lod lods[LRD_MESH_MAX_LODS - 1]; ///< LOD 1 and on
	uint32_t count;
	uint32_t crowd; ///< not 0: there are no LODs, since so many triangles meet at one place that it would take too long
} lrd_geometry_lods;

/// Geometries of this many triangles or fewer have no further LOD.
#define LRD_LOD_LEAST_TRIANGLES 64u

/// Make the chain by meshoptimizer's simplifier, each level from the one before. Texture coordinates, normals, colours,
/// weights and morph offsets may be off by what can't be seen where a level of that error is drawn: lod_guard.c has the
/// bounds. Triangles don't turn their backs unless they are no wider than that. A level keeps more triangles where it
/// must; one that saves less than a tenth of the one before ends the chain. Errors never decrease along it.
/// Vertices that differ in their normals and tangents alone count as one: a level's triangles take whichever fits them.
/// Positions may be any floats: a geometry with one that is infinite or no number, or without extent, has no further
/// LODs. The same bytes on any number of threads.
bool lrd_geometry_build_lods(
	const lrd_geometry *geometry, const lrd_geometry_lod_desc *desc, lrd_geometry_lods *lods, lrd_error *error);

#endif
