// geometry/vertices.h: what the algorithms of this room share: walking a geometry's vertex arrays whatever they hold,
// picking vertices, and loading vectors.

#ifndef GEOMETRY_VERTICES_H
#define GEOMETRY_VERTICES_H

#include "base/error.h"
#include "base/maths.h"
#include "geometry/geometry.h"

#define LRD_NO_VERTEX UINT32_MAX

/// A geometry's vertex arrays in order; three a morph target follow.
enum
{
	LRD_ARRAY_POSITIONS,
	LRD_ARRAY_NORMALS,
	LRD_ARRAY_TANGENTS,
	LRD_ARRAY_UV0,
	LRD_ARRAY_UV1,
	LRD_ARRAY_COLORS,
	LRD_ARRAY_JOINTS,
	LRD_ARRAY_WEIGHTS,
	LRD_ARRAY_MORPHS,
};

/// How many vertex arrays a geometry can have; some of them are absent.
size_t lrd_geometry_array_count(const lrd_geometry *geometry);

/// The array's data, or NULL where it is absent, and the bytes of one vertex in it.
void *lrd_geometry_array_get(const lrd_geometry *geometry, size_t array, size_t *stride);
void lrd_geometry_array_set(lrd_geometry *geometry, size_t array, void *data);

/// Make vertex i what vertex source[i] was, for `count` vertices. Indices are left to the caller. Arrays that do not
/// grow stay where they are. On failure nothing has changed.
bool lrd_geometry_pick(lrd_geometry *geometry, const uint32_t *source, uint32_t count, lrd_error *error);

/// The same vertices as a geometry in `arena`, with new arrays; its indices are those of `geometry` still. `picked` may
/// be `geometry`.
bool lrd_geometry_pick_into(const lrd_geometry *geometry, const uint32_t *source, uint32_t count, lrd_arena *arena,
	lrd_geometry *picked, lrd_error *error);

/// Where an algorithm's temporaries come from: the geometry's own allocator, given back before it returns.
lrd_arena *lrd_geometry_scratch(const lrd_geometry *geometry, lrd_error *error);

/// For each vertex the first one whose floats compare equal in all streams, or LRD_NO_VERTEX where one is not a
/// number, which equals nothing. `stream_components[i]` floats a vertex. `jobs` may be NULL. False when memory runs out.
bool lrd_geometry_equal_values(lrd_allocator allocator, const lrd_jobs *jobs, const float *const *streams,
	const uint32_t *stream_components, uint32_t stream_count, uint32_t vertex_count, uint32_t *first_equal,
	lrd_error *error);

/// What a vertex gets that no triangle gives a direction.
#define LRD_ANY_NORMAL ((lrd_vec3){ 0.0f, 0.0f, 1.0f })

/// Room for normals, unless there is some already.
bool lrd_geometry_allocate_normals(lrd_geometry *geometry, lrd_error *error);

/// Slots of an open-addressing table for `count` keys: a power of two, at most two thirds full.
size_t lrd_geometry_table_size(uint32_t count);

/// A unit vector perpendicular to `normal`, which is of unit length.
lrd_vec3 lrd_geometry_perpendicular(lrd_vec3 normal);

/// Arc cosine of a number within [-1, 1], radians; the same bits on every machine.
double lrd_geometry_acos(double cosine);

static inline lrd_vec3 lrd_load3(const float *values, size_t index)
{
	return (lrd_vec3){ values[3 * index], values[3 * index + 1], values[3 * index + 2] };
}

static inline void lrd_store3(float *values, size_t index, lrd_vec3 v)
{
	values[3 * index] = v.x;
	values[3 * index + 1] = v.y;
	values[3 * index + 2] = v.z;
}

static inline bool lrd_finite3(lrd_vec3 v)
{
	return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/// Twice the area as a vector along the front face's normal, computed in doubles: tiny and huge triangles keep their
/// direction.
static inline void lrd_triangle_cross(lrd_vec3 a, lrd_vec3 b, lrd_vec3 c, double cross[3])
{
	double u[3] = { (double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z };
	double v[3] = { (double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z };
	cross[0] = u[1] * v[2] - u[2] * v[1];
	cross[1] = u[2] * v[0] - u[0] * v[2];
	cross[2] = u[0] * v[1] - u[1] * v[0];
}

/// A vector of doubles at unit length; false where it has no direction.
static inline bool lrd_unit3(const double v[3], lrd_vec3 *unit)
{
	double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	if (!(length > 0.0) || !isfinite(length))
	{
		return false;
	}
	*unit = (lrd_vec3){ (float)(v[0] / length), (float)(v[1] / length), (float)(v[2] / length) };
	return true;
}

/// The unit normal of the triangle that begins at an index; false where it has none.
static inline bool lrd_triangle_normal(const lrd_geometry *geometry, uint32_t first_index, lrd_vec3 *normal)
{
	const uint32_t *corners = geometry->indices + first_index;
	double cross[3];
	lrd_triangle_cross(lrd_load3(geometry->positions, corners[0]), lrd_load3(geometry->positions, corners[1]),
		lrd_load3(geometry->positions, corners[2]), cross);
	return lrd_unit3(cross, normal);
}

#endif
