// geometry/tangents.h: what the steps of tangent generation hand on to each other.
//
// The method is MikkTSpace: M. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008, with the decisions that
// its reference implementation made and that bakers rely on (equality by value, degenerate triangles, order of
// summation).
//
// A corner is number 3 * triangle + i. The corners around a vertex, in the order of their triangles, are its ring;
// vertices of equal values have one ring together, under the number of the first of them. All that the method asks
// about a corner is in its ring: which triangles are neighbours across the edges that meet there, and so which corners
// share a tangent. Rings are worked on one by one, then, in any order and on any thread, and little has to be
// remembered between them. One thing goes beyond a ring: a triangle whose uv say nothing of directions takes the
// orientation of the group that reaches it first, and groups are made in the order of the mesh's corners
// (tangents_order.c). Rings that have such a triangle wait until that is known.

#ifndef GEOMETRY_TANGENTS_H
#define GEOMETRY_TANGENTS_H

#include "geometry/tangents_kernel.h"
#include "geometry/vertices.h"

#include <float.h>
#include <stdatomic.h>

/// No corner, place in a ring, or group.
#define LRD_NONE UINT32_MAX

/// Rings of more corners are large, and worked on by themselves (tangents_large.c).
#define LRD_SMALL_RING 64

/// Triangles of a group whose directions are opposite don't see each other. Looking for them takes the square of a
/// group's size, so larger groups than this are taken whole.
#define LRD_LARGEST_SPLIT_GROUP 4096

/// What is known of a vertex's ring.
enum
{
	LRD_RING_NEW,     ///< nothing yet, or there is no such ring
	LRD_RING_WAITING, ///< has triangles without an orientation
	LRD_RING_LARGE,
	LRD_RING_WHOLE, ///< done: each vertex has one tangent
	LRD_RING_SPLIT, ///< done, but for corners that need vertices of their own
};

/// What a round does to rings that are not large.
typedef enum lrd_tangent_round
{
	LRD_ROUND_FIRST,   ///< finish those that don't have to wait
	LRD_ROUND_WAITING, ///< finish those that did
	LRD_ROUND_SPLIT,   ///< again, those that need new vertices, now that it is known how many
} lrd_tangent_round;

/// A triangle in a bucket.
typedef struct lrd_tangent_entry
{
	uint32_t triangle;
	uint32_t vertices[3];
} lrd_tangent_entry;

/// A range of rings, and the triangles that have corners in them.
typedef struct lrd_tangent_bucket
{
	uint32_t first;   ///< in `entries`
	uint32_t waiting; ///< rings
	uint32_t large;   ///< corners of the largest ring, if it is large
	uint32_t split;   ///< rings
	uint32_t extra;   ///< new vertices: how many; in the last round the number of the next one
	uint32_t moved;   ///< corners that will use them: how many; in the last round the number of the next one
} lrd_tangent_bucket;

/// A corner that gets a new vertex.
typedef struct lrd_moved_corner
{
	uint32_t corner;
	uint32_t extra;
} lrd_moved_corner;

typedef struct lrd_tangents
{
	lrd_geometry *geometry;
	lrd_allocator allocator;
	const lrd_jobs *jobs; ///< NULL where the mesh is small
	lrd_tangent_source source;
	void (*measure)(const lrd_tangent_source *source, lrd_tangent_rows *rows, uint32_t count);
	void (*glance)(const lrd_tangent_rows *rows, const uint32_t *starts, uint32_t ring_count, lrd_tangent_sum *sums);
	void (*see)(const float *directions, size_t stride, uint32_t count, float *sums);
	lrd_tangent_round round;

	uint32_t *rings;     ///< a vertex: its ring, and LRD_RING_LOOSE. NULL: its own number
	uint32_t ring_count; ///< some may have no corners
	uint8_t *status;     ///< a ring: LRD_RING_…

	uint32_t bucket_shift; ///< a ring >> bucket_shift: its bucket
	uint32_t bucket_count;
	lrd_tangent_bucket *buckets; ///< one more than there are, whose `first` is the end of all
	lrd_tangent_entry *entries;  ///< by buckets, in order of triangles within each
	uint32_t entry_count;
	float *tangents;     ///< a vertex: x 4; 0 while it has none
	size_t tangent_room; ///< vertices; some more than there are

	atomic_uint seen_orientations; ///< of other triangles in rings that wait: bit 0 mirrored, bit 1 preserving
	bool preserving;               ///< what all triangles without an orientation take, while `orientations` is NULL
	uint8_t *orientations;         ///< a triangle: its LRD_TANGENT_PRESERVING
	atomic_bool out_of_memory;     ///< on some thread

	uint32_t extra_count;    ///< new vertices
	uint32_t moved_count;    ///< corners that use them
	uint32_t *extra_sources; ///< a new vertex: the one that it is like
	float *extra_tangents;   ///< x 4
	lrd_moved_corner *moved;
} lrd_tangents;

/// New vertices of one ring that are searched for an equal one. More than these may end up double until they are welded.
#define LRD_RECENT_EXTRAS 16

/// Where one thread works on the rings of one bucket at a time.
typedef struct lrd_tangent_desk
{
	lrd_tangents *self;
	lrd_tangent_bucket *bucket;
	const lrd_tangent_entry *entries; ///< of the bucket
	uint32_t first_ring;              ///< of the bucket
	uint32_t ring_count;
	uint32_t *places; ///< of the bucket's corners, by rings: 3 * entry + corner of the triangle
	uint32_t *starts; ///< a ring of the bucket: where it begins in `places`; and one more
	uint32_t place_room;
	uint32_t seen_orientations;

	uint32_t recent_count; ///< new vertices of the ring at work
	struct
	{
		uint32_t source;
		uint32_t extra;
		float tangent[4];
	} recent[LRD_RECENT_EXTRAS]; ///< the last ones

	uint32_t count; ///< corners in what follows
	lrd_tangent_rows rows;
	uint32_t place[LRD_TANGENT_BATCH];
	uint32_t open_count; ///< rings in what follows
	uint32_t open_ring[LRD_TANGENT_BATCH];
	uint32_t open_start[LRD_TANGENT_BATCH + 1];
	lrd_tangent_sum open_sum[LRD_TANGENT_BATCH];
} lrd_tangent_desk;

/// What a corner gets that no group took, as the reference has it.
#define LRD_TANGENT_WITHOUT_GROUP ((lrd_vec4){ 1.0f, 0.0f, 0.0f, 1.0f })

/// In `rings`: some value of the vertex is not a number, which equals nothing, not even itself. Its corners have no
/// neighbours.
#define LRD_RING_LOOSE 0x80000000u

/// Numbers that no ring has, and that differ.
#define LRD_NO_NEXT (-1)
#define LRD_NO_PREVIOUS (-2)

// tangents.c

/// lrd_geometry_tangents with the vector instructions of one set; the result is the same with any.
bool lrd_geometry_tangents_on(
	lrd_geometry *geometry, uint32_t set, const lrd_jobs *jobs, lrd_isa isa, lrd_error *error);

// tangents_buckets.c

/// Share all triangles out to buckets.
bool lrd_tangents_fill_buckets(lrd_tangents *self, lrd_error *error);
/// A desk with room for the largest of these buckets; NULL when memory runs out.
lrd_tangent_desk *lrd_tangents_open_desk(lrd_tangents *self, uint32_t first_bucket, uint32_t end_bucket);
void lrd_tangents_close_desk(lrd_tangent_desk *desk);
/// Sort a bucket's corners by rings.
void lrd_tangents_open_bucket(lrd_tangent_desk *desk, uint32_t bucket);

// tangents_rings.c

/// Run self->round over all buckets.
bool lrd_tangents_run_round(lrd_tangents *self, lrd_error *error);
/// Put one more corner of a ring on the desk. `normal` is the vertex of the ring's first one, whose
/// normal counts for all.
void lrd_tangents_gather(lrd_tangent_desk *desk, uint32_t place, uint32_t normal);

// tangents_links.c

/// Pair up the edges at a ring's vertex: the first free two of opposite direction that lead to the same ring, in order
/// of triangles. out[i] is whose incoming edge the outgoing edge of corner i meets, in[i] the other way round, or
/// LRD_NONE. Degenerate triangles have no part in it. Takes the square of `count`.
void lrd_tangents_link(
	const int32_t *next, const int32_t *previous, const uint8_t *kinds, uint32_t count, uint32_t *out, uint32_t *in);
/// Number the groups of linked corners of one orientation, from 0, by their first corner that has directions of its
/// own. group[i] is LRD_NONE where there is no such corner. Returns how many groups there are.
uint32_t lrd_tangents_label(
	const uint8_t *kinds, const uint32_t *out, const uint32_t *in, uint32_t count, uint32_t *group);

// tangents_groups.c

/// Finish open ring `open` of the desk.
void lrd_tangents_finish_ring(lrd_tangent_desk *desk, uint32_t open);
/// The group's tangent of a sum of weighted directions.
lrd_vec4 lrd_tangents_of_sum(lrd_vec3 sum, bool preserving, lrd_vec3 normal);
/// No two directions are opposite, by all flags of a group's corners.
bool lrd_tangents_all_see(int32_t flags);
/// The sum and a corner's weighted direction.
lrd_vec3 lrd_tangents_add_weighted(const lrd_tangent_desk *desk, uint32_t at, lrd_vec3 sum);
/// Whether a ring with corners of these kinds has to know what orientation its triangles without one take: it has
/// others that they could join. Those are remembered in seen_orientations.
bool lrd_tangents_survey(lrd_tangent_desk *desk, const uint8_t *kinds, uint32_t count);
/// LRD_TANGENT_ANY, DEGENERATE and PRESERVING, the last as it was taken by triangles that have none of their own.
uint8_t lrd_tangents_kind(const lrd_tangent_desk *desk, uint32_t at);

// tangents_large.c

/// Look at what triangles large rings have, before the order of groups is known.
bool lrd_tangents_survey_large(lrd_tangents *self, lrd_error *error);
/// Call `note` with each large ring: its corners in a bucket, their kinds and outgoing links. False when memory runs out.
typedef void lrd_tangent_note(void *user, const lrd_tangent_desk *desk, const uint32_t *places, const uint8_t *kinds,
	const uint32_t *out, uint32_t count);
bool lrd_tangents_note_large(lrd_tangents *self, lrd_tangent_note *note, void *user);
/// Finish large rings, and again in the last round.
bool lrd_tangents_finish_large(lrd_tangents *self, lrd_error *error);

// tangents_order.c

/// Find what orientation each triangle takes that has none of its own: fills self->orientations, or sets
/// self->preserving where all take one.
bool lrd_tangents_orient(lrd_tangents *self, lrd_error *error);

// tangents_split.c

/// Give a corner of the ring at work its tangent: its vertex takes it, or has it already, or a new one is made.
void lrd_tangents_give(lrd_tangent_desk *desk, uint32_t vertex, uint32_t corner, lrd_vec4 tangent);
/// Once all rings are done: how many vertices have to be made. Numbers them.
/// Errors: LRD_ERROR_LIMIT.
bool lrd_tangents_count_extras(lrd_tangents *self, lrd_error *error);
/// Find out what they are.
bool lrd_tangents_fill_extras(lrd_tangents *self, lrd_error *error);
/// Give the geometry these vertices and all tangents.
bool lrd_tangents_split_vertices(lrd_tangents *self, lrd_error *error);
/// Begin with another ring.
static inline void lrd_tangents_begin_ring(lrd_tangent_desk *desk)
{
	desk->recent_count = 0;
}

static inline uint32_t lrd_next_corner(uint32_t corner)
{
	return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline uint32_t lrd_previous_corner(uint32_t corner)
{
	return corner % 3 == 0 ? corner + 2 : corner - 1;
}

/// The ring of a vertex.
static inline uint32_t lrd_ring_of(const lrd_tangents *self, uint32_t vertex)
{
	return self->rings != NULL ? self->rings[vertex] & ~LRD_RING_LOOSE : vertex;
}

static inline bool lrd_ring_is_loose(const lrd_tangents *self, uint32_t vertex)
{
	return self->rings != NULL && (self->rings[vertex] & LRD_RING_LOOSE) != 0;
}

/// The vertex of a corner in the desk's bucket.
static inline uint32_t lrd_vertex_at(const lrd_tangent_desk *desk, uint32_t place)
{
	return desk->entries[place / 3].vertices[place % 3];
}

static inline uint32_t lrd_corner_at(const lrd_tangent_desk *desk, uint32_t place)
{
	return 3 * desk->entries[place / 3].triangle + place % 3;
}

static inline bool lrd_not_zero(float value)
{
	return fabsf(value) > FLT_MIN;
}

static inline bool lrd_not_zero3(lrd_vec3 v)
{
	return lrd_not_zero(v.x) || lrd_not_zero(v.y) || lrd_not_zero(v.z);
}

#endif
