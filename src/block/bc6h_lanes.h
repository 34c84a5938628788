// block/bc6h_lanes.h: blocks side by side in lanes, and the statistics of their texels and partitions. Part of
// bc6h_kernel.c.
//
// Texels are halves taken as integers, less a centre of the block, so that sums of squares keep their digits. A half is
// decoded from any value in a step of one: texels stand in its middle.

#ifndef BLOCK_BC6H_LANES_H
#define BLOCK_BC6H_LANES_H

#include "base/lanes.h"
#include "block/bc6h.h"

#define INLINE static inline __attribute__((always_inline))

/// Red, green and blue.
typedef struct rgb_lanes
{
	lrd_f32s of[3];
} rgb_lanes;

/// Sums of RR, RG, RB, GG, GB, BB.
typedef struct moment_lanes
{
	lrd_f32s of[6];
} moment_lanes;

typedef struct block_lanes
{
	rgb_lanes texel[16];
	moment_lanes product[16];
	rgb_lanes centre;
	rgb_lanes sum;
	moment_lanes products;
	bool is_signed;
} block_lanes;

/// Which texels are in which subset, a partition a lane.
typedef struct area_lanes
{
	lrd_i32s partition;
	lrd_mask in_second[16];
	lrd_f32s count[2];
	rgb_lanes sum[2];
	lrd_i32s anchor_at[16]; ///< ones in the lanes where the texel is the second subset's anchor; the first's is texel 0
	rgb_lanes anchor;
} area_lanes;

INLINE lrd_f32s dot(rgb_lanes a, rgb_lanes b)
{
	return a.of[0] * b.of[0] + a.of[1] * b.of[1] + a.of[2] * b.of[2];
}

INLINE rgb_lanes select_rgb(lrd_mask mask, rgb_lanes yes, rgb_lanes no)
{
	rgb_lanes result;
	for (int c = 0; c < 3; ++c)
	{
		result.of[c] = lrd_select(mask, yes.of[c], no.of[c]);
	}
	return result;
}

/// a + b * factor
INLINE rgb_lanes add_scaled(rgb_lanes a, rgb_lanes b, lrd_f32s factor)
{
	rgb_lanes result;
	for (int c = 0; c < 3; ++c)
	{
		result.of[c] = a.of[c] + b.of[c] * factor;
	}
	return result;
}

INLINE rgb_lanes difference(rgb_lanes a, rgb_lanes b)
{
	return (rgb_lanes){ { a.of[0] - b.of[0], a.of[1] - b.of[1], a.of[2] - b.of[2] } };
}

/// A half as its integer. NaN is 0, an infinity the largest, and what is negative 0 where that can't be held.
INLINE lrd_f32s value_of_half(lrd_i32s half, bool is_signed)
{
	lrd_i32s magnitude = half & 0x7fff;
	lrd_mask negative = lrd_bit(half, 15);
	lrd_mask zero = lrd_mask_or(lrd_less_i(lrd_i32s_of(0x7c00), magnitude), lrd_equal_i(magnitude, lrd_i32s_of(0)));
	if (!is_signed)
	{
		zero = lrd_mask_or(zero, negative);
	}
	lrd_f32s value = lrd_to_f32s(lrd_min_i(magnitude, lrd_i32s_of(0x7bff))) + 0.5f;
	value = lrd_select(negative, lrd_f32s_of(0) - value, value);
	return lrd_select(zero, lrd_f32s_of(0), value);
}

INLINE void sum_texels(block_lanes *block)
{
	block->sum = (rgb_lanes){ { lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0) } };
	for (int k = 0; k < 6; ++k)
	{
		block->products.of[k] = lrd_f32s_of(0);
	}
	for (int i = 0; i < 16; ++i)
	{
		const lrd_f32s *texel = block->texel[i].of;
		lrd_f32s *product = block->product[i].of;
		product[0] = texel[0] * texel[0];
		product[1] = texel[0] * texel[1];
		product[2] = texel[0] * texel[2];
		product[3] = texel[1] * texel[1];
		product[4] = texel[1] * texel[2];
		product[5] = texel[2] * texel[2];
		for (int k = 0; k < 6; ++k)
		{
			block->products.of[k] += product[k];
		}
		for (int c = 0; c < 3; ++c)
		{
			block->sum.of[c] += texel[c];
		}
	}
}

/// Lane i is block i; past `count` the last one is repeated.
static void load_texels(const uint16_t (*from)[64], size_t count, bool is_signed, block_lanes *block)
{
	int32_t words[LRD_LANES][32]; // RG, BA
	lrd_i32s place = lrd_i32s_of(0);
	for (size_t i = 0; i < LRD_LANES; ++i)
	{
		memcpy(words[i], from[i < count ? i : count - 1], sizeof words[i]);
		place[i] = (int32_t)i * 32;
	}
	block->is_signed = is_signed;
	rgb_lanes sum = { { lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0) } };
	for (int i = 0; i < 16; ++i)
	{
		lrd_i32s red_green = lrd_gather_i(words[0], place + 2 * i);
		lrd_i32s blue = lrd_gather_i(words[0], place + (2 * i + 1)) & 0xffff;
		block->texel[i] = (rgb_lanes){ { value_of_half(red_green & 0xffff, is_signed),
			value_of_half((red_green >> 16) & 0xffff, is_signed), value_of_half(blue, is_signed) } };
		for (int c = 0; c < 3; ++c)
		{
			sum.of[c] += block->texel[i].of[c];
		}
	}
	for (int c = 0; c < 3; ++c)
	{
		block->centre.of[c] = sum.of[c] * 0.0625f;
		for (int i = 0; i < 16; ++i)
		{
			block->texel[i].of[c] -= block->centre.of[c];
		}
	}
	sum_texels(block);
}

/// Of moments that are not centred yet.
INLINE moment_lanes covariance(moment_lanes products, rgb_lanes sum, lrd_f32s count)
{
	lrd_f32s share = 1.0f / count;
	lrd_f32s red = sum.of[0] * share, green = sum.of[1] * share, blue = sum.of[2] * share;
	return (moment_lanes){ { products.of[0] - sum.of[0] * red, products.of[1] - sum.of[0] * green,
		products.of[2] - sum.of[0] * blue, products.of[3] - sum.of[1] * green, products.of[4] - sum.of[1] * blue,
		products.of[5] - sum.of[2] * blue } };
}

INLINE rgb_lanes times(const moment_lanes *matrix, rgb_lanes vector)
{
	const lrd_f32s *m = matrix->of, *v = vector.of;
	return (rgb_lanes){ { m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
		m[2] * v[0] + m[4] * v[1] + m[5] * v[2] } };
}

/// The direction of most variance, by power iteration; its largest component is 1, or all are 0.
INLINE rgb_lanes principal_axis(const moment_lanes *matrix, int iterations)
{
	const lrd_f32s *m = matrix->of;
	rgb_lanes axis = { { m[0], m[1], m[2] } };
	axis = select_rgb(lrd_less(m[0], m[3]), (rgb_lanes){ { m[1], m[3], m[4] } }, axis);
	axis = select_rgb(lrd_less(lrd_max(m[0], m[3]), m[5]), (rgb_lanes){ { m[2], m[4], m[5] } }, axis);
	for (int i = 0; i <= iterations; ++i)
	{
		lrd_f32s largest = lrd_max(lrd_max(lrd_abs(axis.of[0]), lrd_abs(axis.of[1])), lrd_abs(axis.of[2]));
		lrd_f32s scale = 1.0f / lrd_max(largest, lrd_f32s_of(1e-20f));
		for (int c = 0; c < 3; ++c)
		{
			axis.of[c] *= scale;
		}
		axis = i < iterations ? times(matrix, axis) : axis;
	}
	return axis;
}

/// The subsets of the partition of each lane.
static void lay_out(
	const block_lanes *block, const int32_t *two, const int32_t *anchors, lrd_i32s partition, area_lanes *area)
{
	lrd_i32s bits = lrd_gather_i(two, partition);
	lrd_i32s anchor = lrd_gather_i(anchors, partition);
	area->partition = partition;
	area->count[1] = lrd_f32s_of(0);
	area->sum[1] = (rgb_lanes){ { lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0) } };
	area->anchor = block->texel[15];
	for (int i = 0; i < 16; ++i)
	{
		lrd_mask in = lrd_bit(bits, i);
		area->in_second[i] = in;
		area->count[1] = lrd_add_where(in, area->count[1], lrd_f32s_of(1));
		for (int c = 0; c < 3; ++c)
		{
			area->sum[1].of[c] = lrd_add_where(in, area->sum[1].of[c], block->texel[i].of[c]);
		}
		area->anchor_at[i] = lrd_select_i(lrd_equal_i(anchor, lrd_i32s_of(i)), lrd_i32s_of(1), lrd_i32s_of(0));
	}
	area->count[0] = 16.0f - area->count[1];
	area->sum[0] = difference(block->sum, area->sum[1]);
	area->anchor = select_rgb(lrd_equal_i(anchor, lrd_i32s_of(2)), block->texel[2], area->anchor);
	area->anchor = select_rgb(lrd_equal_i(anchor, lrd_i32s_of(8)), block->texel[8], area->anchor);
}

#endif
