// block/bc7_shape.h: what the parts of the BC7 kernel speak of: shapes of modes, texels, lines, sums, endpoints. Part of
// the kernel: included by bc7_kernel.c alone, once for each instruction set.

#ifndef BLOCK_BC7_SHAPE_H
#define BLOCK_BC7_SHAPE_H

#include "base/lanes.h"
#include "block/bc7.h"

// Every mode becomes code of its own, its numbers being constants once everything is inlined. Not where that takes a
// compiler minutes: under sanitizers, which multiply the code, and without optimisation.
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FIT_INLINE static inline
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FIT_INLINE static inline
#endif
#endif
#ifndef FIT_INLINE
#define FIT_INLINE static inline __attribute__((always_inline))
#endif

/// Where the low bit of an endpoint's channels comes from.
typedef enum bc7_p
{
	P_NONE,
	P_SHARED, ///< one for both endpoints of a subset
	P_EACH,
	P_ONE, ///< always 1: what an opaque block needs in a mode with alpha
} bc7_p;

/// A mode as the fit sees it. Always a constant, so that each mode becomes code of its own.
typedef struct bc7_shape
{
	int subsets;  ///< 1..3
	int channels; ///< 3, or 4 with alpha
	int levels;   ///< of an index: 4, 8 or 16
	int bits;     ///< of an endpoint's channel with its p-bit
	bc7_p p;
} bc7_shape;

/// LRD_LANES blocks, and for each which texels are in the second and third subset.
typedef struct bc7_texels
{
	lrd_f32s x[4][16]; ///< 0..255
	lrd_i32s in_second, in_third;
} bc7_texels;

/// How errors are weighed: channel * (sum of squares) + luma * (weighted sum)^2; linear: 1 and 0.
typedef struct bc7_metric
{
	bool eye; ///< luma counts
	float channel, alpha, luma;
	float of[3]; ///< each channel's share of luma
} bc7_metric;

/// Where indices come from: index = (x . d - off) in 0..levels-1.
typedef struct bc7_line
{
	lrd_f32s d[4], off;
} bc7_line;

/// Sums over a subset, w being the weight of the second endpoint.
typedef struct bc7_sums
{
	lrd_f32s n, w, ww, x[4], wx[4];
	lrd_f32s alpha[2]; ///< least and greatest, with four channels
} bc7_sums;

/// Endpoints of a subset as they are decoded: integers 0..255.
typedef struct bc7_ends
{
	lrd_f32s e[2][4];
} bc7_ends;

/// Sums over a subset of texels, of their channels, and of products of two: 00 01 02 11 12 22 03 13 23 33.
typedef struct bc7_moments
{
	lrd_f32s n, x[4], xx[10];
} bc7_moments;

/// Far above any sum of squares: what it costs to lose an alpha of 0 or 255.
#define BC7_REFUSED 1e8f

static const int moment_of[4][4] = { { 0, 1, 2, 6 }, { 1, 3, 4, 7 }, { 2, 4, 5, 8 }, { 6, 7, 8, 9 } };

FIT_INLINE lrd_f32s zero_f32s(void)
{
	return lrd_f32s_of(0.0f);
}

FIT_INLINE lrd_i32s subset_bits(const bc7_texels *texels, int subset)
{
	return subset == 1 ? texels->in_second : texels->in_third;
}

FIT_INLINE lrd_f32s dot(const lrd_f32s a[4], const lrd_f32s b[4], int channels)
{
	lrd_f32s sum = a[0] * b[0];
	for (int c = 1; c < channels; ++c)
	{
		sum += a[c] * b[c];
	}
	return sum;
}

#endif
