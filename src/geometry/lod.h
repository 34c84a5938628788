// geometry/lod.h: what the files of the LOD chain share: a level in numbers of its own, and a trial of the next.
//
// A level is simplified by points: vertices that agree in everything but their normals and tangents are one point,
// since a hard edge is an edge of the shape already and needs no other guard. Points at one place that differ in more
// (texture seams, mirrored tangents) are twins.
//
// A trial is what the simplifier made of a level. Points that it has removed are gone; where one came to lie on the new
// surface is its image.

#ifndef GEOMETRY_LOD_H
#define GEOMETRY_LOD_H

#include "geometry/lods.h"
#include "geometry/vertices.h"

/// What rounding to floats may make of a distance, of the largest side: smaller ones count as this.
#define LRD_LOD_ROUNDING (1.0f / (1 << 21))

/// The finer level. Lengths are scaled by a power of two so that the box of the whole is of about unit size.
typedef struct lrd_lod_mesh
{
	const lrd_geometry *geometry;
	int exponent; ///< lengths are those of the geometry times 2^-exponent
	float side;   ///< the largest side of the finest level's box, scaled
	float error;  ///< of this level, scaled
	uint32_t point_count;
	float *positions;   ///< x 3, scaled
	uint32_t *vertices; ///< a vertex that stands for the point
	uint32_t *twins;    ///< the next point at the same place, around in a ring
	float *errors;      ///< how far the finest surface may lie from this level around the point
	uint8_t *open;      ///< 1: on an open edge; NULL: there is none, or they can't move
	uint32_t *numbers;  ///< of a vertex: its point
	uint32_t *wedges;   ///< of a vertex: the next one of its point, around in a ring; NULL: every point has one vertex
	bool has_twins;
	uint32_t
		crowd; ///< triangles around one place, so many that none of this can be afforded; 0: there is no such place
} lrd_lod_mesh;

/// The other two corners of a triangle, in its order.
typedef struct lrd_lod_wing
{
	uint32_t next, prev;
} lrd_lod_wing;

/// The triangles around each point.
typedef struct lrd_lod_fans
{
	uint32_t *starts; ///< point_count + 1, into `wings`
	lrd_lod_wing *wings;
	uint32_t *corners; ///< a wing's corner in the triangle list; NULL where they were not asked for
} lrd_lod_fans;

/// A level that one can walk over.
typedef struct lrd_lod_surface
{
	const lrd_lod_mesh *mesh;
	lrd_lod_fans fans;
} lrd_lod_surface;

/// The point of a surface that is nearest to another.
typedef struct lrd_lod_nearest
{
	uint32_t host; ///< the triangle is wing `wing` of this point's fan
	uint32_t wing;
	float next, prev; ///< weights of its other two corners
	float squared;    ///< distance
} lrd_lod_nearest;

/// Where a point that is gone has come to lie.
typedef struct lrd_lod_image
{
	float at[3];
	float distance;
	float normal[3];     ///< of the triangle there, unit; zero where it has none
	uint32_t corners[3]; ///< that triangle
} lrd_lod_image;

enum
{
	LRD_LOD_KEPT,
	LRD_LOD_LOST,    ///< gone, with all triangles that it could be followed along
	LRD_LOD_GUESSED, ///< gone, its host is a point near by
	LRD_LOD_TRACED,  ///< gone, its host took its place in wing images[].corners[1] of images[].corners[0]
	LRD_LOD_FOUND,   ///< gone, its image is near
	LRD_LOD_EXACT,   ///< gone, its image is the nearest there is
};

/// A trial of the coarser level.
typedef struct lrd_lod_trial
{
	const lrd_lod_mesh *mesh;
	lrd_arena *scratch;
	uint32_t *from;          ///< triangles by points: the finer level
	uint32_t *from_vertices; ///< the same by vertices; NULL where points have one each
	uint32_t from_count;     ///< indices
	uint32_t *to;            ///< the coarser level
	uint32_t to_room;        ///< indices that it may grow to by repairs
	uint32_t *to_vertices;   ///< the same by vertices; NULL where points have one each
	uint32_t to_count;
	lrd_lod_surface now;    ///< `to`
	lrd_lod_surface before; ///< `from`
	uint8_t *states;        ///< LRD_LOD_KEPT …
	uint8_t *fresh;         ///< 1: the point's image, or whether it has one, is new since edges were measured
	uint32_t *gone;         ///< points that are not kept, ascending
	uint32_t gone_count;
	uint32_t *hosts; ///< of gone points: where a walk to the nearest begins, on the same side of seams; LRD_NO_VERTEX:
					 ///< of one that was lost, and whose image is on some other piece
	lrd_lod_image *images; ///< of points that are found
	float *needs;          ///< of gone points: the error that the level must have before it may do without the point
	uint8_t *missed;       ///< 1: a point that the next trial must keep: the level can't do without
	uint8_t *returned;     ///< 1: a point that was gone and put back; NULL: none was
	uint32_t missed_count;
	float *turned; ///< of a triangle of `to` that shows its back: the error that the level must have for that; next to
		///< nothing: of one that leans; 0: of one that faces as it should; less: it is new, and has no vertices yet
	uint32_t turned_count; ///< triangles that need more than the level's error
	float limit;           ///< error allowed, scaled
	float error;           ///< measured, scaled
	float edge_error;      ///< what it was when edges were measured
} lrd_lod_trial;

static inline bool lrd_lod_at_one_place(const lrd_lod_mesh *mesh, uint32_t a, uint32_t b)
{
	return memcmp(mesh->positions + 3 * (size_t)a, mesh->positions + 3 * (size_t)b, 3 * sizeof *mesh->positions) == 0;
}

/// Give points numbers. False when memory runs out; `empty` is set where positions are not numbers or have no extent.
/// `keep_borders`: open edges won't move, so that nobody asks which those are.
bool lrd_lod_mesh_make(lrd_lod_mesh *mesh, const lrd_geometry *geometry, bool keep_borders, const lrd_jobs *jobs,
	lrd_arena *arena, bool *empty, lrd_error *error);

/// A triangle list by vertices as one by points, without triangles that have a point twice. Returns how many indices.
/// `kept_vertices`, which may be NULL: the same by vertices.
uint32_t lrd_lod_mesh_number(
	const lrd_lod_mesh *mesh, const uint32_t *vertices, uint32_t count, uint32_t *points, uint32_t *kept_vertices);

/// Forget the points that are gone. `scratch` holds point_count numbers.
void lrd_lod_mesh_shrink(lrd_lod_mesh *mesh, const uint8_t *states, uint32_t *scratch);

/// Room for the triangles of up to `index_count` indices. False when memory runs out.
bool lrd_lod_fans_make(lrd_lod_fans *fans, uint32_t index_count, uint32_t point_count, bool with_corners,
	lrd_arena *scratch, lrd_error *error);
void lrd_lod_fans_fill(lrd_lod_fans *fans, const uint32_t *indices, uint32_t index_count, uint32_t point_count);

/// The wing of `host` that has this next corner, or LRD_NO_VERTEX.
uint32_t lrd_lod_find_wing(const lrd_lod_surface *surface, uint32_t host, uint32_t next);
/// Whether a triangle has both points.
bool lrd_lod_has_edge(const lrd_lod_surface *surface, uint32_t a, uint32_t b);

/// Walk over the surface from nearest->wing, or from anywhere in the fan of nearest->host where that has no such wing, to
/// the triangle that the position lies above; where there is none, downhill to where no fan has a nearer point. The walk
/// doesn't cross seams unless `across`.
void lrd_lod_walk(const lrd_lod_surface *surface, const float position[3], bool across, lrd_lod_nearest *nearest);

/// The same by steps downhill alone, which stay on one side of a thin sheet.
void lrd_lod_descend(const lrd_lod_surface *surface, const float position[3], bool across, lrd_lod_nearest *nearest);

/// Look at every triangle that can be reached from nearest->host over triangles hardly farther than nearest->squared,
/// which a walk found: on rough surfaces a walk may end short of the nearest.
void lrd_lod_search(const lrd_lod_surface *surface, const float position[3], bool across, lrd_lod_nearest *nearest);

/// The place that `nearest` tells of.
lrd_lod_image lrd_lod_image_of(const lrd_lod_surface *surface, const lrd_lod_nearest *nearest);

/// The nearest point to host + w of the triangle host, host + a, host + b: weights of a and b, and the squared distance.
float lrd_lod_nearest_on_triangle(
	const float w[3], const float a[3], const float b[3], float *restrict next, float *restrict prev);

/// Walk to the nearest on the side that the point is on: its normals tell.
lrd_lod_nearest lrd_lod_walk_own_side(const lrd_lod_trial *trial, uint32_t point);

/// The vertices at the corners of a wing's triangle: host, next, prev.
void lrd_lod_wing_vertices(const lrd_lod_trial *trial, uint32_t host, uint32_t wing, uint32_t vertices[3]);

/// Give the corners of `to` vertices, where points have several. False when memory runs out.
bool lrd_lod_choose_vertices(lrd_lod_trial *trial, lrd_error *error);

/// Find which points are gone, their images and what they need; where that is known already, of those alone whose images
/// are to be found again. False when memory runs out.
bool lrd_lod_follow(lrd_lod_trial *trial, const lrd_jobs *jobs, lrd_error *error);

/// What error a level needs before it may do without a point, for the sake of its attributes; see lod_guard.c.
float lrd_lod_need(const lrd_lod_trial *trial, uint32_t point, const lrd_lod_nearest *nearest);

/// Where a walk found an image that matters, make it the nearest, with what the point needs then.
void lrd_lod_settle(lrd_lod_trial *trial, uint32_t point);

/// Measure trial->error by points; those that lie farther off than the level should need more.
void lrd_lod_measure(lrd_lod_trial *trial);

/// Measure what lies between points: trial->error may grow a little, else points are missed.
void lrd_lod_measure_edges(lrd_lod_trial *trial);

/// Measure open edges: trial->error may grow a little, else points are missed.
void lrd_lod_measure_border(lrd_lod_trial *trial);

/// Measure the new surface where it is folded: trial->error may grow a little, else points are missed.
void lrd_lod_measure_folds(lrd_lod_trial *trial);

/// Fill trial->before where it is not yet. False when memory runs out.
bool lrd_lod_begin_before(lrd_lod_trial *trial, lrd_error *error);

/// Find the points that are missed and the triangles that are turned: they need more than the level's error, which
/// becomes up to `patience` times what was measured where that will do.
void lrd_lod_judge(lrd_lod_trial *trial, float patience);

/// Gone points that turned triangles took the place of are missed, too.
void lrd_lod_miss_turned(lrd_lod_trial *trial);

/// Put missed points back and turn turned triangles where that is simple. `done`: how many. False when memory runs out.
bool lrd_lod_repair(lrd_lod_trial *trial, uint32_t *done, lrd_error *error);

/// The normal of the finer level around a point, by area, unit or zero.
lrd_vec3 lrd_lod_normal_at(const lrd_lod_trial *trial, uint32_t point);

/// Hand the errors of gone points, and how far they moved, to the points around their images.
void lrd_lod_pass_errors(const lrd_lod_trial *trial);

/// Nearest triangles to any point, without a hint.
typedef struct lrd_lod_tree lrd_lod_tree;
lrd_lod_tree *lrd_lod_tree_make(const lrd_lod_trial *trial, lrd_error *error);
/// False where the surface is farther than `reach`.
bool lrd_lod_tree_find(const lrd_lod_tree *tree, const lrd_lod_trial *trial, const float position[3], float reach,
	lrd_lod_nearest *nearest);

#endif
