// base/maths.h: vectors, quaternions and matrices as the rest of larder uses them. Column-major matrices, xyzw
// quaternions.

#ifndef BASE_MATHS_H
#define BASE_MATHS_H

#include "larder/base.h"

#include <math.h>

#define LRD_PI 3.14159265358979323846

static inline lrd_vec3 lrd_vec3_add(lrd_vec3 a, lrd_vec3 b)
{
	return (lrd_vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}
static inline lrd_vec3 lrd_vec3_sub(lrd_vec3 a, lrd_vec3 b)
{
	return (lrd_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}
static inline lrd_vec3 lrd_vec3_scale(lrd_vec3 a, float s)
{
	return (lrd_vec3){ a.x * s, a.y * s, a.z * s };
}
static inline float lrd_vec3_dot(lrd_vec3 a, lrd_vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lrd_vec3 lrd_vec3_cross(lrd_vec3 a, lrd_vec3 b)
{
	return (lrd_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static inline float lrd_vec3_length(lrd_vec3 a)
{
	return sqrtf(lrd_vec3_dot(a, a));
}
/// Unit length, or `fallback` where `a` is too short or not finite.
lrd_vec3 lrd_vec3_normalize_or(lrd_vec3 a, lrd_vec3 fallback);

lrd_vec4 lrd_quat_normalize(lrd_vec4 q); ///< identity where q is too short or not finite
lrd_vec3 lrd_quat_rotate(lrd_vec4 q, lrd_vec3 v);
lrd_vec4 lrd_quat_mul(lrd_vec4 a, lrd_vec4 b); ///< b first, then a

lrd_transform lrd_transform_identity(void);
lrd_mat4 lrd_mat4_identity(void);
lrd_mat4 lrd_mat4_mul(const lrd_mat4 *a, const lrd_mat4 *b); ///< b first, then a
lrd_mat4 lrd_mat4_from_transform(const lrd_transform *t);
lrd_vec3 lrd_mat4_point(const lrd_mat4 *m, lrd_vec3 p);
lrd_vec3 lrd_mat4_vector(const lrd_mat4 *m, lrd_vec3 v);
/// The upper 3x3's cofactor matrix times v: how normals move, also under mirroring (sign of the determinant kept out).
lrd_vec3 lrd_mat4_normal(const lrd_mat4 *m, lrd_vec3 v);
float lrd_mat4_determinant3(const lrd_mat4 *m); ///< of the upper 3x3
/// Inverse of an affine matrix; false where it is singular.
bool lrd_mat4_inverse_affine(const lrd_mat4 *m, lrd_mat4 *inverse);
/// Split an affine matrix into T * R * S (a negative determinant becomes a negative x scale).
/// False where it has shear that T * R * S can't say; `t` is then the nearest.
bool lrd_mat4_decompose(const lrd_mat4 *m, lrd_transform *t);

/// Every one of `count` floats is finite. Vectorised: memory speed.
bool lrd_all_finite(const float *values, size_t count);

/// Box and sphere (Ritter's or that around the box's middle, whichever is smaller; it holds every point) around `count`
/// points `stride` bytes apart. Zeros for no points; coordinates that are no numbers are passed over.
lrd_bounds lrd_bounds_of(const float *points, size_t count, size_t stride);

#endif
