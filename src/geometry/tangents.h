// geometry/tangents.h: what the steps of tangent generation hand on to each other. Everything is a corner: number 3 *
// triangle + i.
//
// The method is MikkTSpace: M. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008, with the decisions that
// its reference implementation made and that bakers rely on (equality by value, degenerate triangles, order of
// summation). Arithmetic is done in the same precision and order, since where contributions cancel only that gives the
// same direction.

#ifndef GEOMETRY_TANGENTS_H
#define GEOMETRY_TANGENTS_H

#include "geometry/vertices.h"

#include <float.h>

#define LRD_NO_CORNER UINT32_MAX

/// A triangle whose uv says nothing about directions: it joins groups of either orientation and adds nothing.
#define LRD_TANGENT_ANY 1u
/// uv run the same way round as the triangle.
#define LRD_TANGENT_PRESERVING 2u
/// Two corners at one position: left out, and given its neighbours' tangents at the end.
#define LRD_TANGENT_DEGENERATE 4u

typedef struct lrd_tangent_triangle
{
	lrd_vec3 s; ///< direction of increasing u, unit length
	lrd_vec3 t; ///< direction of increasing v, unit length
} lrd_tangent_triangle;

typedef struct lrd_tangents
{
	const lrd_geometry *geometry;
	const float *uv;
	lrd_arena *scratch;      ///< for what lives until the end
	lrd_allocator allocator; ///< for what does not
	uint32_t corner_count;
	uint32_t *ids; ///< a corner: number of its (position, normal, uv); equal values, equal numbers
	uint32_t id_count;
	lrd_tangent_triangle *triangles;
	uint8_t *flags;       ///< a triangle: LRD_TANGENT_…
	uint32_t *neighbours; ///< an edge, corner to next corner: the edge across that runs the other way, or LRD_NO_CORNER
	uint32_t *spaces;     ///< a corner: its entry in `tangents`; entry 0 is for corners that no group took
	lrd_vec4 *tangents;
	size_t tangent_count;
	size_t tangent_capacity;
} lrd_tangents;

/// Pair up edges: the first free two of opposite direction, in order of triangles.
bool lrd_tangents_match_edges(lrd_tangents *self, lrd_error *error);

/// Walk groups of corners around each vertex and make their tangents: fills `spaces` and `tangents`.
bool lrd_tangents_make_groups(lrd_tangents *self, lrd_error *error);

static inline uint32_t lrd_next_corner(uint32_t corner)
{
	return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline uint32_t lrd_previous_corner(uint32_t corner)
{
	return corner % 3 == 0 ? corner + 2 : corner - 1;
}

static inline bool lrd_not_zero(float value)
{
	return fabsf(value) > FLT_MIN;
}

static inline bool lrd_not_zero3(lrd_vec3 v)
{
	return lrd_not_zero(v.x) || lrd_not_zero(v.y) || lrd_not_zero(v.z);
}

/// The part of a vector perpendicular to the normal, at unit length unless it vanishes.
static inline lrd_vec3 lrd_project(lrd_vec3 normal, lrd_vec3 v)
{
	lrd_vec3 flat = lrd_vec3_sub(v, lrd_vec3_scale(normal, lrd_vec3_dot(normal, v)));
	return lrd_not_zero3(flat) ? lrd_vec3_scale(flat, 1.0f / lrd_vec3_length(flat)) : flat;
}

static inline lrd_vec3 lrd_corner_position(const lrd_tangents *self, uint32_t corner)
{
	return lrd_load3(self->geometry->positions, self->geometry->indices[corner]);
}

static inline lrd_vec3 lrd_corner_normal(const lrd_tangents *self, uint32_t corner)
{
	return lrd_load3(self->geometry->normals, self->geometry->indices[corner]);
}

#endif
