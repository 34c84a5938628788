// block/bc7_estimate.h: which partitions are worth a fit. Part of the kernel: included by bc7_kernel.c alone.
//
// A fit of a subset leaves what its texels are off their principal axis, and steps of the index along it. Both follow
// from the eigenvalues of the subset's covariance, and the covariance from sums of texels and of their products, which
// are made once. What is off the axis is taken as (ab + bc + ca) / (a + b + c) of the eigenvalues, which are invariants
// of the matrix: b + c where it counts, where one axis says nearly all.

#ifndef BLOCK_BC7_ESTIMATE_H
#define BLOCK_BC7_ESTIMATE_H

#include "block/bc7_fit.h"
#include "block/bc7_queue.h"
#include "block/bc7_walk.h"

#include <math.h>

/// The best candidates so far of a mode, best first.
typedef struct bc7_ranking
{
	int count;
	lrd_f32s estimate[BC7_MAX_TRIES];
	lrd_i32s candidate[BC7_MAX_TRIES];
} bc7_ranking;

/// Texels and products of their channels, as in bc7_moments.
typedef struct bc7_products
{
	lrd_f32s of[16][14];
	lrd_f32s total[14];
	int count; ///< 9 or 14
} bc7_products;

/// What is off the axes of all subsets, and what is along them.
typedef struct bc7_spread
{
	lrd_f32s off, along;
} bc7_spread;

FIT_INLINE void ranking_clear(bc7_ranking *ranking, int count)
{
	ranking->count = count;
	for (int i = 0; i < count; ++i)
	{
		ranking->estimate[i] = lrd_f32s_of(1e30f);
		ranking->candidate[i] = lrd_i32s_of(0);
	}
}

FIT_INLINE void ranking_add(bc7_ranking *ranking, lrd_f32s estimate, int candidate)
{
	lrd_i32s carried = lrd_i32s_of(candidate);
	for (int i = 0; i < ranking->count; ++i)
	{
		lrd_mask less = lrd_less(estimate, ranking->estimate[i]);
		lrd_f32s worse = lrd_max(estimate, ranking->estimate[i]);
		lrd_i32s displaced = lrd_select_i(less, ranking->candidate[i], carried);
		ranking->estimate[i] = lrd_min(estimate, ranking->estimate[i]);
		ranking->candidate[i] = lrd_select_i(less, carried, ranking->candidate[i]);
		estimate = worse;
		carried = displaced;
	}
}

/// Texel i where plain squared distances are what the metric weighs: times the square root of its matrix.
FIT_INLINE void weigh_texel(const bc7_texels *texels, const bc7_metric *metric, int channels, int i, lrd_f32s x[4])
{
	for (int c = 0; c < channels; ++c)
	{
		x[c] = texels->x[c][i];
	}
	if (metric->eye)
	{
		const float *of = metric->of;
		float length = of[0] * of[0] + of[1] * of[1] + of[2] * of[2], root = sqrtf(metric->channel);
		float along = (sqrtf(metric->channel + metric->luma * length) - root) / length;
		lrd_f32s luma = (x[0] * of[0] + x[1] * of[1] + x[2] * of[2]) * along;
		for (int c = 0; c < 3; ++c)
		{
			x[c] = x[c] * root + luma * of[c];
		}
		if (channels == 4)
		{
			x[3] *= sqrtf(metric->alpha);
		}
	}
}

FIT_INLINE void products_of(const bc7_texels *texels, const bc7_metric *metric, int channels, bc7_products *products)
{
	int count = channels * (channels + 3) / 2;
	products->count = count;
	for (int k = 0; k < count; ++k)
	{
		products->total[k] = zero_f32s();
	}
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s x[4];
		weigh_texel(texels, metric, channels, i, x);
		memcpy(products->of[i], x, (size_t)channels * sizeof *x);
		int k = channels;
		for (int c = 0; c < channels; ++c)
		{
			for (int e = 0; e <= c; ++e)
			{
				products->of[i][k++] = x[c] * x[e];
			}
		}
		for (k = 0; k < count; ++k)
		{
			products->total[k] += products->of[i][k];
		}
	}
}

/// The second axis of texels: of what is left of their covariance without the first, to which all of its columns are
/// square, the column of the greatest variance. Returns the variance that is left.
FIT_INLINE lrd_f32s second_axis_of(const bc7_moments *m, const lrd_f32s first[4], lrd_f32s second[4])
{
	lrd_f32s left[3][4], along[4], trace = zero_f32s();
	for (int c = 0; c < 3; ++c)
	{
		along[c] = zero_f32s();
		for (int e = 0; e < 3; ++e)
		{
			left[c][e] = m->xx[moment_of[c][e]] - m->x[c] * m->x[e] * (1.0f / 16);
			along[c] += left[c][e] * first[e];
		}
	}
	lrd_f32s per_along = 1.0f / lrd_max(dot(along, first, 3), lrd_f32s_of(1e-9f));
	for (int c = 0; c < 3; ++c)
	{
		for (int e = 0; e < 3; ++e)
		{
			left[c][e] -= along[c] * along[e] * per_along;
		}
		trace += left[c][c];
	}
	lrd_mask is_second = lrd_less(left[0][0], left[1][1]);
	lrd_mask is_third = lrd_less(lrd_max(left[0][0], left[1][1]), left[2][2]);
	for (int c = 0; c < 3; ++c)
	{
		second[c] = lrd_select(is_third, left[2][c], lrd_select(is_second, left[1][c], left[0][c]));
	}
	return trace;
}

/// Texels in the plane of their first two axes, which says nearly all of photographs at half the cost. `beyond`: what
/// is off the plane.
static __attribute__((noinline)) void flatten(
	const bc7_texels *texels, const bc7_metric *metric, bc7_texels *flat, lrd_f32s *beyond)
{
	const bc7_metric plain = { .eye = false };
	bc7_texels weighed;
	bc7_moments m;
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s x[4];
		weigh_texel(texels, metric, 3, i, x);
		weighed.x[0][i] = x[0];
		weighed.x[1][i] = x[1];
		weighed.x[2][i] = x[2];
	}
	moments_of(&weighed, 3, true, lrd_i32s_of(0), &m);
	lrd_f32s axes[2][4], squares = zero_f32s();
	axis_of(&m, &plain, 3, 2, axes[0]);
	lrd_f32s left = second_axis_of(&m, axes[0], axes[1]);
	for (int a = 0; a < 2; ++a)
	{
		lrd_f32s scale = 1.0f / lrd_sqrt(lrd_max(dot(axes[a], axes[a], 3), lrd_f32s_of(1e-12f)));
		lrd_f32s mean = dot(axes[a], m.x, 3) * (1.0f / 16);
		squares = zero_f32s();
		for (int i = 0; i < 16; ++i)
		{
			lrd_f32s x = weighed.x[0][i] * axes[a][0] + weighed.x[1][i] * axes[a][1] + weighed.x[2][i] * axes[a][2];
			flat->x[a][i] = (x - mean) * scale;
			squares += flat->x[a][i] * flat->x[a][i];
		}
	}
	*beyond = lrd_max(left - squares, zero_f32s());
}

/// Sums over some texels: bring them from `before` to `members`.
FIT_INLINE void walk_sums(
	const bc7_products *products, int channels, uint32_t before, uint32_t members, lrd_f32s sums[14])
{
	const int count = channels * (channels + 3) / 2;
	for (uint32_t in = members & ~before; in != 0; in &= in - 1)
	{
		const lrd_f32s *of = products->of[__builtin_ctz(in)];
		for (int k = 0; k < count; ++k)
		{
			sums[k] += of[k];
		}
	}
	for (uint32_t out = before & ~members; out != 0; out &= out - 1)
	{
		const lrd_f32s *of = products->of[__builtin_ctz(out)];
		for (int k = 0; k < count; ++k)
		{
			sums[k] -= of[k];
		}
	}
}

/// The sum of a subset's eigenvalues, and that of their products two by two, from its sums over `size` texels.
FIT_INLINE void invariants_of(const lrd_f32s sums[14], int channels, int size, lrd_f32s *trace, lrd_f32s *pairs)
{
	float per_size = 1.0f / (float)size;
	int k = channels;
	lrd_f32s variance[4], of_trace = zero_f32s(), of_pairs = zero_f32s();
	for (int c = 0; c < channels; ++c)
	{
		lrd_f32s mean = sums[c] * per_size;
		for (int e = 0; e < c; ++e)
		{
			lrd_f32s covariance = sums[k++] - mean * sums[e];
			of_pairs -= covariance * covariance;
		}
		variance[c] = sums[k++] - mean * sums[c];
		for (int e = 0; e < c; ++e)
		{
			of_pairs += variance[c] * variance[e];
		}
		of_trace += variance[c];
	}
	*trace = of_trace;
	*pairs = of_pairs;
}

/// A division less: the sum of two quotients.
FIT_INLINE bc7_spread spread_of(const lrd_f32s trace[2], const lrd_f32s pairs[2])
{
	lrd_f32s first = lrd_max(trace[0], lrd_f32s_of(0.5f)), second = lrd_max(trace[1], lrd_f32s_of(0.5f));
	lrd_f32s off = (pairs[0] * second + pairs[1] * first) / (first * second);
	return (bc7_spread){ off, trace[0] + trace[1] - off };
}

FIT_INLINE bc7_spread spread_of_two(const bc7_products *products, int channels, const lrd_f32s sums[14], int size)
{
	lrd_f32s rest[14], trace[2], pairs[2];
	for (int k = 0; k < (channels * (channels + 3) / 2); ++k)
	{
		rest[k] = products->total[k] - sums[k];
	}
	invariants_of(sums, channels, size, &trace[0], &pairs[0]);
	invariants_of(rest, channels, 16 - size, &trace[1], &pairs[1]);
	return spread_of(trace, pairs);
}

FIT_INLINE bc7_spread spread_of_three(const bc7_products *products, lrd_f32s sums[2][14], const int sizes[2])
{
	lrd_f32s rest[14], trace[4], pairs[4];
	for (int k = 0; k < 9; ++k)
	{
		rest[k] = products->total[k] - sums[0][k] - sums[1][k];
	}
	invariants_of(sums[0], 3, sizes[0], &trace[0], &pairs[0]);
	invariants_of(sums[1], 3, sizes[1], &trace[1], &pairs[1]);
	invariants_of(rest, 3, 16 - sizes[0] - sizes[1], &trace[2], &pairs[2]);
	trace[3] = pairs[3] = zero_f32s();
	bc7_spread two = spread_of(trace, pairs), one = spread_of(trace + 2, pairs + 2);
	return (bc7_spread){ two.off + one.off, two.along + one.along };
}

#endif
