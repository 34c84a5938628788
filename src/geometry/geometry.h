// geometry/geometry.h: from attribute arrays to a cooked mesh's arrays. Pure: arrays in, arrays out.

#ifndef GEOMETRY_GEOMETRY_H
#define GEOMETRY_GEOMETRY_H

#include "base/memory.h"
#include "larder/jobs.h"
#include "larder/mesh.h"

/// A morph target's deltas, vertex_count x 3 each; NULL: none.
typedef struct lrd_geometry_morph
{
	float *positions;
	float *normals;
	float *tangents;
} lrd_geometry_morph;

/// A triangle list over attribute arrays. All arrays belong to `arena`. NULL attributes are absent.
typedef struct lrd_geometry
{
	lrd_arena *arena;
	uint32_t vertex_count;
	uint32_t index_count;
	float *positions; ///< x 3
	float *normals;   ///< x 3
	float *tangents;  ///< x 4, w the bitangent's sign
	float *uv[2];     ///< x 2
	float *colors;    ///< x 4, linear
	uint16_t *joints; ///< x 4
	float *weights;   ///< x 4
	lrd_geometry_morph *morphs;
	uint32_t morph_count;
	uint32_t *indices;
} lrd_geometry;

/// Append `count` geometries into one: an attribute that some lack is filled in (uv 0, colour white, normals 0, which
/// lrd_geometry_repair_normals then makes); tangents are dropped unless all have them. All must agree in morph_count
/// and in having joints. The parts' arrays are copied.
bool lrd_geometry_merge(
	lrd_arena *arena, const lrd_geometry *parts, uint32_t count, lrd_geometry *merged, lrd_error *error);

/// Move by a matrix: positions, normals (by the cofactors), tangents, morph deltas. A negative determinant flips the
/// winding and the tangents' sign.
void lrd_geometry_transform(lrd_geometry *geometry, const lrd_mat4 *matrix);

/// Drop triangles with two equal indices, whose corners' positions are equal or in one line (a height below 1e-8 of
/// the longest side), or are not numbers. Returns how many went.
uint32_t lrd_geometry_drop_degenerate(lrd_geometry *geometry);

/// Drop triangles with a corner whose position is no finite number. Returns how many went.
uint32_t lrd_geometry_drop_infinite(lrd_geometry *geometry);

/// One vertex a corner: index_count vertices, indices 0, 1, 2, …
bool lrd_geometry_unindex(lrd_geometry *geometry, lrd_error *error);

/// Flat normals, one a triangle, as glTF 2.0 section 3.7.2.1 asks where normals are missing. Un-indexes first.
bool lrd_geometry_flat_normals(lrd_geometry *geometry, lrd_error *error);

/// Smooth normals weighted by area and angle over corners whose positions are equal. `groups`: a triangle's smoothing
/// groups as bits, one word a triangle; corners smooth where their triangles share a group, and a triangle without any
/// is flat; vertices split where their corners differ, and those that no triangle uses go. NULL: everything smooths, and
/// vertices stay as they are. Groups are not chained: a triangle in groups 1 and 2 smooths with both, and those two keep
/// their edge.
bool lrd_geometry_smooth_normals(lrd_geometry *geometry, const uint32_t *groups, lrd_error *error);

/// Scale normals to unit length; a zero or non-finite one becomes that of a triangle at its vertex. Returns how many
/// were repaired that way.
uint32_t lrd_geometry_repair_normals(lrd_geometry *geometry);

/// Tangents as MikkTSpace defines them (Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008), from positions,
/// normals and uv `set`, whose origin is at the top left. So the bitangent, cross(normal, tangent) * w, points up in
/// the image as normal maps of glTF 2.0 want it: w is the opposite of what MikkTSpace says for the same numbers taken
/// as uv with their origin at the bottom. Works on corners, whatever vertices they share: where those of one vertex
/// differ, it stays with the tangent of one of them, and the others get new vertices, which follow the old ones. New
/// ones may end up equal bit for bit, so weld afterwards. Every tangent is of unit length; a vertex that no triangle
/// uses gets any. Large geometries are spread over `jobs`, which may be NULL; the result is the same on any number of
/// threads. Needs some 30 bytes a triangle at its peak, tangents and all, where triangles that are neighbours have
/// vertices whose numbers are near each other, 60 where they don't. Where vertices are split, the old arrays stay in the
/// arena.
/// Errors: LRD_ERROR_ARGUMENT (no normals, or no such uv), LRD_ERROR_LIMIT (2^31 vertices), LRD_ERROR_MEMORY.
bool lrd_geometry_tangents(lrd_geometry *geometry, uint32_t set, const lrd_jobs *jobs, lrd_error *error);

/// A zero or non-finite tangent becomes any that is perpendicular to its normal. Returns how many did; 0 where the
/// geometry lacks either.
uint32_t lrd_geometry_repair_tangents(lrd_geometry *geometry);

/// Any tangent perpendicular to each normal, for geometry that no normal map reads.
bool lrd_geometry_any_tangents(lrd_geometry *geometry, lrd_error *error);

/// Make vertices that are equal bit for bit in every attribute one, in order of first use; unused ones go. Returns
/// false when memory runs out.
bool lrd_geometry_weld(lrd_geometry *geometry, lrd_error *error);

/// The topology of one LOD, and vertices permuted to first use.
typedef struct lrd_geometry_meshlets
{
	lrd_meshlet *meshlets;
	uint32_t meshlet_count;
	uint32_t *vertices;
	uint32_t vertex_count;
	uint8_t *triangles; ///< x 3
	uint32_t triangle_count;
} lrd_geometry_meshlets;

/// Triangles sorted along a Morton curve by centroid (skinned: then in vertex cache order), packed by meshoptimizer's
/// linear scan to 64 vertices and 124 triangles, bounds and cones by meshoptimizer; then the geometry's vertices are
/// permuted to first use, the remap with them, and its indices become the meshlets' triangles in order. Vertices that
/// no triangle uses come last.
bool lrd_geometry_build_meshlets(lrd_geometry *geometry, lrd_geometry_meshlets *meshlets, lrd_error *error);

/// Meshlets over other triangles of the same vertices, which stay where they are: a coarser LOD, simplified from
/// `geometry` as lrd_geometry_build_meshlets left it.
bool lrd_geometry_build_lod_meshlets(const lrd_geometry *geometry, const uint32_t *indices, uint32_t index_count,
	lrd_geometry_meshlets *meshlets, lrd_error *error);

/// What positions and texture coordinates became when they were quantised. Zeroed: they are as they were.
typedef struct lrd_geometry_grid
{
	bool positions; ///< every position is offset + n * step, n from 0 to 65535, exactly
	bool uv;        ///< every uv0 is a half float, exactly
	uint32_t bits;  ///< that the largest n needs: 1 to 16
	float step;     ///< object units, a power of two, so that parts with one step meet without gaps
	float offset[3];
	float position_error; ///< largest distance that a vertex moved, object units, rounded up
	float uv_error;       ///< largest change of a coordinate, rounded up
} lrd_geometry_grid;

/// The step that lrd_geometry_quantize takes for a geometry whose box has this largest side: the largest power of two
/// that moves no coordinate by more than `error` of that side. 0 where there is none (a side of 0, one that is not
/// finite, or a step that floats hold as a subnormal at best).
float lrd_geometry_grid_step(float largest_side, float error);

/// Move positions onto a grid of `step` (object units, a power of two; see lrd_geometry_grid_step) and uv0 to half
/// floats, and measure by how much. Positions stay where 16 bits don't reach across the box at that step, where one is
/// not a number, or where the step is 0; uv0 where a coordinate would change by more than `uv_error` (negative: in any
/// case). Both to the nearest, of two the even one, so that equal values stay equal. Vertices may become equal and
/// triangles lose their area: lrd_geometry_drop_degenerate and lrd_geometry_weld come afterwards. Morph deltas are not
/// touched. Grids of one step lie in one another, so parts that meet still do.
void lrd_geometry_quantize(lrd_geometry *geometry, float step, float uv_error, lrd_geometry_grid *grid);

/// Vertex streams in the layout of docs/formats.md, "Mesh".
typedef struct lrd_geometry_streams
{
	lrd_mesh_stream streams[LRD_STREAM_COUNT];
	lrd_vertex_attribute attributes[LRD_VERTEX_SEMANTIC_COUNT];
	uint32_t attribute_count;
	lrd_morph_target *morphs; ///< names not set
	uint32_t morph_count;
	lrd_morph_entry *morph_entries;
	uint32_t morph_entry_count;
	lrd_bounds bounds;
	float position_scale[3];
	float position_offset[3];
	float uv_density[2];       ///< lrd_mesh_view's, of the triangles that the geometry has
	uint32_t shortened_deltas; ///< normal or tangent deltas longer than 2, which no two unit vectors differ by
	bool wide_weights;         ///< joints and weights have 16 bits
} lrd_geometry_streams;

/// How a geometry is packed. Zeroed: positions and uv0 as f32, joints and weights in 8 bits where those suffice.
typedef struct lrd_geometry_pack_desc
{
	/// What lrd_geometry_quantize said of this geometry, whose vertices may have been reordered or dropped since but
	/// not moved; NULL: nothing is quantised.
	const lrd_geometry_grid *grid;
	bool wide_weights; ///< 16 bits for joints and weights, also where no joint exceeds 255
} lrd_geometry_pack_desc;

/// Pack. Needs normals and tangents. Weights are quantised so that they sum to exactly 255 or 65535, the strongest
/// first. Positions that are not quantised are the geometry's own array; all other streams belong to its arena.
/// `desc` may be NULL: zeroed.
/// Errors: LRD_ERROR_FORMAT (a position or a morph's offset is not finite), LRD_ERROR_ARGUMENT (a position that is not
/// on the grid), LRD_ERROR_LIMIT, LRD_ERROR_MEMORY.
bool lrd_geometry_pack(
	const lrd_geometry *geometry, const lrd_geometry_pack_desc *desc, lrd_geometry_streams *streams, lrd_error *error);

#endif
