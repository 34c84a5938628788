// block/bc7_estimate.h: which partitions are worth a fit. Part of the kernel: included by bc7_kernel.c alone.
//
// A fit of a subset leaves what its texels are off their principal axis, and steps of the index along it. Both follow
// from the eigenvalues of the subset's covariance, and the covariance from sums of texels and of their products, which
// are made once; the greatest eigenvalue is taken as the matrix's Frobenius norm, which it is where it counts: where
// one axis says nearly all.

#ifndef BLOCK_BC7_ESTIMATE_H
#define BLOCK_BC7_ESTIMATE_H

#include "block/bc7_fit.h"
#include "block/bc7_queue.h"
#include "block/bptc.h"

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

FIT_INLINE void products_of(
	const bc7_texels *texels, const bc7_metric *metric, int channels, bc7_products *products)
{
	int count = channels == 3 ? 9 : 14;
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

FIT_INLINE void sum_members(const bc7_products *products, int channels, uint32_t members, lrd_f32s sums[14])
{
	int count = channels == 3 ? 9 : 14;
	for (int k = 0; k < count; ++k)
	{
		sums[k] = zero_f32s();
	}
	for (; members != 0; members &= members - 1)
	{
		const lrd_f32s *of = products->of[__builtin_ctz(members)];
		for (int k = 0; k < count; ++k)
		{
			sums[k] += of[k];
		}
	}
}

/// Add a subset of `size` texels.
FIT_INLINE void spread_add(bc7_spread *spread, const lrd_f32s sums[14], int channels, int size)
{
	float per_size = 1.0f / (float)size;
	int k = channels;
	lrd_f32s trace = zero_f32s(), squares = zero_f32s(), products = zero_f32s();
	for (int c = 0; c < channels; ++c)
	{
		lrd_f32s mean = sums[c] * per_size;
		for (int e = 0; e < c; ++e)
		{
			lrd_f32s covariance = sums[k++] - mean * sums[e];
			products += covariance * covariance;
		}
		lrd_f32s variance = sums[k++] - mean * sums[c];
		trace += variance;
		squares += variance * variance;
	}
	lrd_f32s along = lrd_sqrt(squares + products + products);
	spread->off += trace - along;
	spread->along += along;
}

FIT_INLINE bc7_spread spread_of_two(const bc7_products *products, int channels, uint32_t second)
{
	lrd_f32s sums[2][14];
	int size = __builtin_popcount(second), part = size > 8; // the smaller one is summed up
	sum_members(products, channels, part ? ~second & 0xffff : second, sums[0]);
	for (int k = 0; k < (channels == 3 ? 9 : 14); ++k)
	{
		sums[1][k] = products->total[k] - sums[0][k];
	}
	bc7_spread spread = { zero_f32s(), zero_f32s() };
	spread_add(&spread, sums[0], channels, part ? 16 - size : size);
	spread_add(&spread, sums[1], channels, part ? size : 16 - size);
	return spread;
}

/// Texels of subset `subset` as a bit each, from two bits each.
FIT_INLINE uint32_t members_of_three(uint32_t subsets, uint32_t subset)
{
	uint32_t members = 0;
	for (int i = 0; i < 16; ++i)
	{
		members |= (uint32_t)((subsets >> 2 * i & 3) == subset) << i;
	}
	return members;
}

FIT_INLINE bc7_spread spread_of_three(const bc7_products *products, uint32_t second, uint32_t third)
{
	lrd_f32s sums[3][14];
	sum_members(products, 3, second, sums[1]);
	sum_members(products, 3, third, sums[2]);
	for (int k = 0; k < 9; ++k)
	{
		sums[0][k] = products->total[k] - sums[1][k] - sums[2][k];
	}
	int second_size = __builtin_popcount(second), third_size = __builtin_popcount(third);
	bc7_spread spread = { zero_f32s(), zero_f32s() };
	spread_add(&spread, sums[0], 3, 16 - second_size - third_size);
	spread_add(&spread, sums[1], 3, second_size);
	spread_add(&spread, sums[2], 3, third_size);
	return spread;
}

#endif
