// geometry/angle.h: the polynomial that arc cosines are made of, for angle.c, and arc cosines of a kernel's lanes, to
// the same bits. Private to the room.

#ifndef GEOMETRY_ANGLE_H
#define GEOMETRY_ANGLE_H

#include "base/lanes.h"
#include "base/maths.h"

/// (asin(z) / z - 1) / z² as a polynomial in z² over [0, 1/4]: the Taylor series cut down by Chebyshev economisation,
/// error 6e-18.
static const double LRD_ASIN[13] = { 0x1.5555555555556p-3, 0x1.3333333332e87p-4, 0x1.6db6db6e3844bp-5,
	0x1.f1c71c19f8d29p-6, 0x1.6e8bb25868b49p-6, 0x1.1c4d28ea04196p-6, 0x1.c9d07d4d03ddbp-7, 0x1.78186416c6a4ep-7,
	0x1.529a9bba29802p-7, 0x1.62c22a53244ebp-8, 0x1.1f0750c0651fcp-6, -0x1.ec92eb603f636p-7, 0x1.d924a1e3b6e41p-6 };

#define LRD_HALF_LANES (LRD_LANES / 2)
typedef float lrd_half_f32s __attribute__((vector_size(LRD_HALF_LANES * 4)));
typedef double lrd_half_f64s __attribute__((vector_size(LRD_HALF_LANES * 8)));
typedef int64_t lrd_half_i64s __attribute__((vector_size(LRD_HALF_LANES * 8)));

static inline lrd_half_f64s lrd_half_sqrt(lrd_half_f64s value)
{
#if LRD_LANES == 16
	return (lrd_half_f64s)_mm512_sqrt_pd((__m512d)value);
#elif LRD_LANES == 8
	return (lrd_half_f64s)_mm256_sqrt_pd((__m256d)value);
#elif defined(__SSE2__)
	return (lrd_half_f64s)_mm_sqrt_pd((__m128d)value);
#else
	return (lrd_half_f64s){ sqrt(value[0]), sqrt(value[1]) };
#endif
}

static inline lrd_half_f64s lrd_half_select(lrd_half_i64s mask, lrd_half_f64s yes, lrd_half_f64s no)
{
	return (lrd_half_f64s)(((lrd_half_i64s)yes & mask) | ((lrd_half_i64s)no & ~mask));
}

/// lrd_geometry_acos of half the lanes; see there.
static inline lrd_half_f64s lrd_half_acos(lrd_half_f64s cosine)
{
	lrd_half_f64s size = (lrd_half_f64s)((lrd_half_i64s)cosine & INT64_MAX);
	lrd_half_i64s steep = size <= 0.5;
	lrd_half_f64s z = lrd_half_select(steep, cosine, lrd_half_sqrt((1.0 - size) * 0.5));
	lrd_half_f64s q = z * z;
	lrd_half_f64s q2 = q * q;
	lrd_half_f64s even = LRD_ASIN[12] + (lrd_half_f64s){ 0 };
	lrd_half_f64s odd = LRD_ASIN[11] + (lrd_half_f64s){ 0 };
	for (int i = 10; i > 0; i -= 2)
	{
		even = even * q2 + LRD_ASIN[i];
		odd = odd * q2 + LRD_ASIN[i - 1];
	}
	even = even * q2 + LRD_ASIN[0];
	lrd_half_f64s asin = z + z * q * (even + odd * q);
	lrd_half_f64s angle = 2.0 * asin;
	angle = lrd_half_select(cosine > 0.0, angle, LRD_PI - angle);
	return lrd_half_select(steep, LRD_PI * 0.5 - asin, angle);
}

#if LRD_LANES == 16
#define LRD_LOW_HALF 0, 1, 2, 3, 4, 5, 6, 7
#define LRD_HIGH_HALF 8, 9, 10, 11, 12, 13, 14, 15
#elif LRD_LANES == 8
#define LRD_LOW_HALF 0, 1, 2, 3
#define LRD_HIGH_HALF 4, 5, 6, 7
#else
#define LRD_LOW_HALF 0, 1
#define LRD_HIGH_HALF 2, 3
#endif

/// lrd_geometry_acos of each lane, rounded to a float.
static inline lrd_f32s lrd_acos(lrd_f32s cosine)
{
	lrd_half_f32s low = __builtin_shufflevector(cosine, cosine, LRD_LOW_HALF);
	lrd_half_f32s high = __builtin_shufflevector(cosine, cosine, LRD_HIGH_HALF);
	low = __builtin_convertvector(lrd_half_acos(__builtin_convertvector(low, lrd_half_f64s)), lrd_half_f32s);
	high = __builtin_convertvector(lrd_half_acos(__builtin_convertvector(high, lrd_half_f64s)), lrd_half_f32s);
	return __builtin_shufflevector(low, high, LRD_LOW_HALF, LRD_HIGH_HALF);
}

#endif
