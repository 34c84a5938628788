// geometry/tangents_kernel.c: what a corner's triangle says about its tangent. Arithmetic is done in the precision and
// order of MikkTSpace's reference implementation, since where directions cancel only that leaves the same one.

#include "geometry/tangents_kernel.h"

#include "base/lanes.h"
#include "geometry/angle.h"

#include <float.h>
#include <math.h>

typedef struct vec3s
{
	lrd_f32s x, y, z;
} vec3s;

// `row` is the first of three.
static inline vec3s load(const float *row, uint32_t at)
{
	return (vec3s){ lrd_f32s_load(row + at), lrd_f32s_load(row + LRD_TANGENT_BATCH + at),
		lrd_f32s_load(row + 2 * LRD_TANGENT_BATCH + at) };
}

static inline void store(float *row, uint32_t at, vec3s v)
{
	lrd_f32s_store(row + at, v.x);
	lrd_f32s_store(row + LRD_TANGENT_BATCH + at, v.y);
	lrd_f32s_store(row + 2 * LRD_TANGENT_BATCH + at, v.z);
}

static inline vec3s add(vec3s a, vec3s b)
{
	return (vec3s){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline vec3s sub(vec3s a, vec3s b)
{
	return (vec3s){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline vec3s scale(vec3s a, lrd_f32s s)
{
	return (vec3s){ a.x * s, a.y * s, a.z * s };
}

static inline lrd_f32s dot(vec3s a, vec3s b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3s select3(lrd_mask mask, vec3s yes, vec3s no)
{
	return (vec3s){ lrd_select(mask, yes.x, no.x), lrd_select(mask, yes.y, no.y), lrd_select(mask, yes.z, no.z) };
}

static inline lrd_mask equal3(vec3s a, vec3s b)
{
	return lrd_mask_and(lrd_mask_and(lrd_equal(a.x, b.x), lrd_equal(a.y, b.y)), lrd_equal(a.z, b.z));
}

static inline lrd_mask not_zero(lrd_f32s value)
{
	return lrd_less(lrd_f32s_of(FLT_MIN), lrd_abs(value));
}

/// The part of a vector perpendicular to the normal, at unit length unless it vanishes.
static inline vec3s project(vec3s normal, vec3s v)
{
	vec3s flat = sub(v, scale(normal, dot(normal, v)));
	lrd_mask some = lrd_mask_or(lrd_mask_or(not_zero(flat.x), not_zero(flat.y)), not_zero(flat.z));
	return select3(some, scale(flat, 1.0f / lrd_sqrt(dot(flat, flat))), flat);
}

static inline lrd_i32s flag_where(lrd_mask mask, int32_t flag)
{
	return lrd_select_i(mask, lrd_i32s_of(flag), (lrd_i32s){ 0 });
}

typedef struct directions
{
	vec3s s, t;
	lrd_mask preserving, any;
} directions;

/// The triangle's own directions: Mikkelsen's equations 18 and 19.
static inline directions measure_triangle(const lrd_tangent_rows *rows, uint32_t at, const vec3s p[3])
{
	lrd_f32s u0 = lrd_f32s_load(rows->uv[0][0] + at);
	lrd_f32s v0 = lrd_f32s_load(rows->uv[0][1] + at);
	lrd_f32s u1 = lrd_f32s_load(rows->uv[1][0] + at) - u0;
	lrd_f32s v1 = lrd_f32s_load(rows->uv[1][1] + at) - v0;
	lrd_f32s u2 = lrd_f32s_load(rows->uv[2][0] + at) - u0;
	lrd_f32s v2 = lrd_f32s_load(rows->uv[2][1] + at) - v0;
	vec3s d1 = sub(p[1], p[0]);
	vec3s d2 = sub(p[2], p[0]);
	lrd_f32s doubled_area = u1 * v2 - v1 * u2;
	vec3s s = sub(scale(d1, v2), scale(d2, v1));
	vec3s t = add(scale(d1, -u2), scale(d2, u1));
	lrd_mask preserving = lrd_less((lrd_f32s){ 0 }, doubled_area);
	lrd_f32s sign = lrd_select(preserving, lrd_f32s_of(1.0f), lrd_f32s_of(-1.0f));
	lrd_f32s length_s = lrd_sqrt(dot(s, s));
	lrd_f32s length_t = lrd_sqrt(dot(t, t));
	lrd_f32s area = lrd_abs(doubled_area);
	lrd_mask sound = lrd_mask_and(not_zero(length_s / area), not_zero(length_t / area));
	return (directions){ .s = select3(not_zero(length_s), scale(s, sign / length_s), s),
		.t = select3(not_zero(length_t), scale(t, sign / length_t), t),
		.preserving = preserving,
		.any = lrd_mask_not(lrd_mask_and(not_zero(doubled_area), sound)) };
}

static inline lrd_i32s flags_along(lrd_f32s value, int axis)
{
	// The largest component of a unit vector is at least 0.577.
	const lrd_f32s half = lrd_f32s_of(0.5f);
	return flag_where(lrd_less(half, value), LRD_TANGENT_ALONG << axis) |
		   flag_where(lrd_less(value, -half), LRD_TANGENT_ALONG << (axis + LRD_TANGENT_AXES));
}

static inline lrd_i32s flags_of_directions(vec3s s, vec3s t)
{
	lrd_i32s along = flags_along(s.x, 0) | flags_along(s.y, 1) | flags_along(s.z, 2) | flags_along(t.x, 3) |
					 flags_along(t.y, 4) | flags_along(t.z, 5);
	lrd_mask numbers = lrd_less(dot(s, s) + dot(t, t), lrd_f32s_of(4.0f));
	return along | flag_where(lrd_mask_not(numbers), LRD_TANGENT_ALONG * ((1 << (2 * LRD_TANGENT_AXES)) - 1));
}

static inline void measure(lrd_tangent_rows *rows, uint32_t at)
{
	const vec3s p[3] = { load(rows->position[0][0], at), load(rows->position[1][0], at),
		load(rows->position[2][0], at) };
	const vec3s normal = load(rows->normal[0], at);
	lrd_i32s slot = lrd_i32s_load(rows->slot + at);
	lrd_mask is_first = lrd_equal_i(slot, lrd_i32s_of(0));
	lrd_mask is_last = lrd_equal_i(slot, lrd_i32s_of(2));
	vec3s corner = select3(is_first, p[0], select3(is_last, p[2], p[1]));
	vec3s to_one = project(normal, sub(select3(is_first, p[1], p[0]), corner));
	vec3s to_other = project(normal, sub(select3(is_last, p[1], p[2]), corner));
	lrd_f32s cosine = dot(to_one, to_other);
	cosine = lrd_select(lrd_less(lrd_f32s_of(1.0f), cosine), lrd_f32s_of(1.0f), cosine);
	cosine = lrd_select(lrd_less(cosine, lrd_f32s_of(-1.0f)), lrd_f32s_of(-1.0f), cosine);
	lrd_f32s angle = lrd_acos(cosine);
	directions triangle = measure_triangle(rows, at, p);
	vec3s s = project(normal, triangle.s);
	vec3s t = project(normal, triangle.t);
	lrd_mask degenerate = lrd_mask_or(lrd_mask_or(equal3(p[0], p[1]), equal3(p[0], p[2])), equal3(p[1], p[2]));
	lrd_mask any = triangle.any;
	lrd_i32s flags = flag_where(triangle.preserving, LRD_TANGENT_PRESERVING) |
					 flag_where(degenerate, LRD_TANGENT_DEGENERATE) |
					 lrd_select_i(any, lrd_i32s_of(LRD_TANGENT_ANY), flags_of_directions(s, t));
	lrd_i32s_store(rows->flags + at, flags);
	store(rows->s[0], at, s);
	store(rows->t[0], at, t);
	store(rows->weighted[0], at, select3(any, (vec3s){ 0 }, scale(s, angle)));
}

void LRD_KERNEL(lrd_tangents_measure)(lrd_tangent_rows *rows, uint32_t count)
{
	for (uint32_t at = 0; at < count; at += LRD_LANES)
	{
		measure(rows, at);
	}
}
