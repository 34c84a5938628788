// base/vec4.h: four floats side by side: a quaternion, a column of a matrix, or one number of four things. Unlike
// base/lanes.h always four wide, for what ships with games and is no kernel. Arithmetic (+ - * /) works on the type as
// it is; every function gives the same bits on every machine.

#ifndef BASE_VEC4_H
#define BASE_VEC4_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef float lrd_f32x4 __attribute__((vector_size(16)));
typedef int32_t lrd_i32x4 __attribute__((vector_size(16)));

/// Elements of one vector, or of two (4 to 7 are the second's), in another order.
#define LRD_SHUFFLE4(a, b, x, y, z, w) __builtin_shufflevector(a, b, x, y, z, w)
#define LRD_SPLAT4(a, i) __builtin_shufflevector(a, a, i, i, i, i)

static inline lrd_f32x4 lrd_f32x4_of(float value)
{
	return (lrd_f32x4){ value, value, value, value };
}

static inline lrd_f32x4 lrd_f32x4_load(const float *from)
{
	lrd_f32x4 value;
	memcpy(&value, from, sizeof value);
	return value;
}

static inline void lrd_f32x4_store(float *to, lrd_f32x4 value)
{
	memcpy(to, &value, sizeof value);
}

/// The first three alone are written.
static inline void lrd_f32x4_store3(float *to, lrd_f32x4 value)
{
#if defined(__SSE2__)
	_mm_storel_pi((__m64 *)(void *)to, (__m128)value);
	_mm_store_ss(to + 2, _mm_movehl_ps((__m128)value, (__m128)value));
#else
	to[0] = value[0];
	to[1] = value[1];
	to[2] = value[2];
#endif
}

static inline lrd_f32x4 lrd_f32x4_sqrt(lrd_f32x4 value)
{
#if defined(__SSE2__)
	return (lrd_f32x4)_mm_sqrt_ps((__m128)value);
#else
	return (lrd_f32x4){ sqrtf(value[0]), sqrtf(value[1]), sqrtf(value[2]), sqrtf(value[3]) };
#endif
}

/// Rows become columns: four things of four numbers are four numbers of four things.
static inline void lrd_f32x4_transpose(lrd_f32x4 rows[4])
{
	lrd_f32x4 low01 = LRD_SHUFFLE4(rows[0], rows[1], 0, 4, 1, 5);
	lrd_f32x4 low23 = LRD_SHUFFLE4(rows[2], rows[3], 0, 4, 1, 5);
	lrd_f32x4 high01 = LRD_SHUFFLE4(rows[0], rows[1], 2, 6, 3, 7);
	lrd_f32x4 high23 = LRD_SHUFFLE4(rows[2], rows[3], 2, 6, 3, 7);
	rows[0] = LRD_SHUFFLE4(low01, low23, 0, 1, 4, 5);
	rows[1] = LRD_SHUFFLE4(low01, low23, 2, 3, 6, 7);
	rows[2] = LRD_SHUFFLE4(high01, high23, 0, 1, 4, 5);
	rows[3] = LRD_SHUFFLE4(high01, high23, 2, 3, 6, 7);
}

/// sum of a * b, element by element of the vectors: four dot products of four things.
static inline lrd_f32x4 lrd_f32x4_dots(const lrd_f32x4 a[4], const lrd_f32x4 b[4])
{
	return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

/// Spherical interpolations, `LRD_SLERPS` times four of them: `a` and `b` hold x, y, z, w of four unit quaternions each
/// that take the short way (their dot product is not below 0 but for rounding); `part` is 0 to 1. The results replace
/// `a`, unit length.
///
/// Without a sine or an arc: with u the square of the angle between the two, slerp is a * (1-t) * sinc((1-t)^2 u) +
/// b * t * sinc(t^2 u), but for the length, where sinc(v) = sin(sqrt v) / sqrt v. Both sinc and u, as a function of
/// 1 - cosine, are smooth, so short polynomials (Chebyshev's, over a little more than all angles there are) say them:
/// no branch, and no trouble with small angles. Error below 2e-7 a component. Terms are paired (Estrin), and two fours
/// go side by side, since what costs here is waiting for the term before.
#define LRD_SLERPS 2

static inline lrd_f32x4 lrd_f32x4_squared_arc(lrd_f32x4 x)
{
	lrd_f32x4 x2 = x * x;
	lrd_f32x4 high = (x * -0.00977077434808f + 0.0207662835697f) + x2 * 0.00894547762f;
	lrd_f32x4 middle = x * 0.0246001889042f + 0.089566582285f;
	lrd_f32x4 low = x * 0.33329226303f + 2.00000030551f;
	return x * (low + x2 * (middle + x2 * high));
}

static inline lrd_f32x4 lrd_f32x4_sinc(lrd_f32x4 v)
{
	lrd_f32x4 v2 = v * v;
	lrd_f32x4 high = (v * -0.000198087695449f + 0.00833304867198f) + v2 * 2.60436307064e-6f;
	return (v * -0.166666580582f + 0.999999996297f) + v2 * high;
}

static inline void lrd_f32x4_slerp(lrd_f32x4 a[LRD_SLERPS][4], lrd_f32x4 b[LRD_SLERPS][4], const lrd_f32x4 *part)
{
	lrd_f32x4 scale[LRD_SLERPS];
	for (int i = 0; i < LRD_SLERPS; i++)
	{
		lrd_f32x4 u = lrd_f32x4_squared_arc(1.0f - lrd_f32x4_dots(a[i], b[i]));
		lrd_f32x4 rest = 1.0f - part[i];
		lrd_f32x4 from = rest * lrd_f32x4_sinc(rest * rest * u);
		lrd_f32x4 to = part[i] * lrd_f32x4_sinc(part[i] * part[i] * u);
		for (int k = 0; k < 4; k++)
		{
			a[i][k] = a[i][k] * from + b[i][k] * to;
		}
		scale[i] = 1.0f / lrd_f32x4_sqrt(lrd_f32x4_dots(a[i], a[i]));
	}
	for (int i = 0; i < LRD_SLERPS; i++)
	{
		for (int k = 0; k < 4; k++)
		{
			a[i][k] *= scale[i];
		}
	}
}

#endif
