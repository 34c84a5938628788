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

/// A place in the plane of a block.
typedef struct plane_lanes
{
	lrd_f32s x, y;
} plane_lanes;

/// Sums of XX, XY, YY.
typedef struct moment_lanes
{
	lrd_f32s xx, xy, yy;
} moment_lanes;

typedef struct block_lanes
{
	rgb_lanes texel[16];
	rgb_lanes centre;
	rgb_lanes sum; ///< not quite 0
	bool is_signed;
	/// Nearly all that matters of a block lies in a plane, that of its two principal axes.
	rgb_lanes axis[2]; ///< of length 1, or 0
	plane_lanes place[16];
	moment_lanes moments;
} block_lanes;

/// Which texels are in which subset, a partition a lane.
typedef struct area_lanes
{
	lrd_i32s partition;
	lrd_mask in_second[16];
	lrd_f32s count[2], share[2]; ///< how many, and 1 / count
	rgb_lanes sum[2];
	lrd_i32s anchor_at[16]; ///< ones in the lanes where the texel is the second subset's anchor; the first's is texel 0
	rgb_lanes anchor;
} area_lanes;

INLINE rgb_lanes rgb_of(float value)
{
	return (rgb_lanes){ { lrd_f32s_of(value), lrd_f32s_of(value), lrd_f32s_of(value) } };
}

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

/// Word i of lane k becomes word k of lane i.
INLINE void transpose(lrd_i32s words[LRD_LANES])
{
	for (int width = 1; width < LRD_LANES; width *= 2)
	{
		lrd_i32s from[LRD_LANES];
		memcpy(from, words, sizeof from);
		for (int i = 0; i < LRD_LANES / 2; ++i)
		{
			words[2 * i] = lrd_zip_low_i(from[i], from[i + LRD_LANES / 2]);
			words[2 * i + 1] = lrd_zip_high_i(from[i], from[i + LRD_LANES / 2]);
		}
	}
}

/// Lane i is block i; past `count` the last one is repeated.
static void load_texels(const uint16_t (*from)[64], size_t count, bool is_signed, block_lanes *block)
{
	lrd_i32s words[32]; // RG and BA of each texel
	for (int first = 0; first < 32; first += LRD_LANES)
	{
		for (size_t i = 0; i < LRD_LANES; ++i)
		{
			memcpy(&words[first + (int)i], from[i < count ? i : count - 1] + 2 * first, sizeof *words);
		}
		transpose(words + first);
	}
	rgb_lanes sum = rgb_of(0);
	for (int i = 0; i < 16; ++i)
	{
		block->texel[i] = (rgb_lanes){ { value_of_half(words[2 * i] & 0xffff, is_signed),
			value_of_half((words[2 * i] >> 16) & 0xffff, is_signed),
			value_of_half(words[2 * i + 1] & 0xffff, is_signed) } };
		sum = add_scaled(sum, block->texel[i], lrd_f32s_of(1));
	}
	block->is_signed = is_signed;
	block->centre = add_scaled(rgb_of(0), sum, lrd_f32s_of(1.0f / 16));
	block->sum = rgb_of(0);
	for (int i = 0; i < 16; ++i)
	{
		block->texel[i] = difference(block->texel[i], block->centre);
		block->sum = add_scaled(block->sum, block->texel[i], lrd_f32s_of(1));
	}
}

/// A symmetric matrix: RR, RG, RB, GG, GB, BB.
typedef struct matrix_lanes
{
	lrd_f32s of[6];
} matrix_lanes;

INLINE matrix_lanes covariance(const block_lanes *block)
{
	matrix_lanes matrix;
	for (int k = 0; k < 6; ++k)
	{
		matrix.of[k] = lrd_f32s_of(0);
	}
	for (int i = 0; i < 16; ++i)
	{
		const lrd_f32s *texel = block->texel[i].of;
		matrix.of[0] += texel[0] * texel[0];
		matrix.of[1] += texel[0] * texel[1];
		matrix.of[2] += texel[0] * texel[2];
		matrix.of[3] += texel[1] * texel[1];
		matrix.of[4] += texel[1] * texel[2];
		matrix.of[5] += texel[2] * texel[2];
	}
	return matrix;
}

INLINE rgb_lanes times(const matrix_lanes *matrix, rgb_lanes vector)
{
	const lrd_f32s *m = matrix->of, *v = vector.of;
	return (rgb_lanes){ { m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
		m[2] * v[0] + m[4] * v[1] + m[5] * v[2] } };
}

/// Of length 1; what is next to nothing becomes nothing.
INLINE rgb_lanes normalised(rgb_lanes vector)
{
	lrd_f32s square = dot(vector, vector);
	lrd_f32s scale = 1.0f / lrd_sqrt(lrd_max(square, lrd_f32s_of(1e-12f)));
	return add_scaled(rgb_of(0), vector, lrd_select(lrd_less(square, lrd_f32s_of(1e-12f)), lrd_f32s_of(0), scale));
}

/// The direction of most variance, by power iteration.
INLINE rgb_lanes principal_axis(const matrix_lanes *matrix, int iterations)
{
	const lrd_f32s *m = matrix->of;
	rgb_lanes axis = { { m[0], m[1], m[2] } };
	axis = select_rgb(lrd_less(m[0], m[3]), (rgb_lanes){ { m[1], m[3], m[4] } }, axis);
	axis = select_rgb(lrd_less(lrd_max(m[0], m[3]), m[5]), (rgb_lanes){ { m[2], m[4], m[5] } }, axis);
	axis = normalised(axis);
	for (int i = 0; i < iterations; ++i)
	{
		axis = normalised(times(matrix, axis));
	}
	return axis;
}

/// The plane of the two principal axes, and the texels' places in it.
INLINE void find_plane(block_lanes *block, int iterations)
{
	matrix_lanes matrix = covariance(block);
	rgb_lanes first = principal_axis(&matrix, iterations);
	rgb_lanes image = times(&matrix, first);
	lrd_f32s variance = dot(image, first);
	// what the first axis leaves
	const lrd_f32s *a = first.of;
	matrix_lanes rest = { { matrix.of[0] - variance * a[0] * a[0], matrix.of[1] - variance * a[0] * a[1],
		matrix.of[2] - variance * a[0] * a[2], matrix.of[3] - variance * a[1] * a[1],
		matrix.of[4] - variance * a[1] * a[2], matrix.of[5] - variance * a[2] * a[2] } };
	rgb_lanes second = principal_axis(&rest, 1);
	second = normalised(add_scaled(second, first, lrd_f32s_of(0) - dot(second, first)));
	block->axis[0] = first;
	block->axis[1] = second;
	moment_lanes moments = { lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0) };
	for (int i = 0; i < 16; ++i)
	{
		plane_lanes place = { dot(block->texel[i], first), dot(block->texel[i], second) };
		block->place[i] = place;
		moments.xx += place.x * place.x;
		moments.xy += place.x * place.y;
		moments.yy += place.y * place.y;
	}
	block->moments = moments;
}

/// The direction of most variance in the plane, of any length.
INLINE plane_lanes direction_in_plane(moment_lanes spread)
{
	lrd_f32s half = 0.5f * (spread.xx - spread.yy);
	lrd_f32s root = lrd_sqrt(half * half + spread.xy * spread.xy);
	lrd_mask steep = lrd_less(half, lrd_f32s_of(0));
	return (plane_lanes){ lrd_select(steep, spread.xy, root + half), lrd_select(steep, root - half, spread.xy) };
}

/// The subsets of the partition of each lane.
static void lay_out(
	const block_lanes *block, const int32_t *two, const int32_t *anchors, lrd_i32s partition, area_lanes *area)
{
	lrd_i32s bits = lrd_gather_i(two, partition);
	lrd_i32s anchor = lrd_gather_i(anchors, partition);
	area->partition = partition;
	area->count[1] = lrd_f32s_of(0);
	area->sum[1] = rgb_of(0);
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
	area->share[0] = 1.0f / area->count[0];
	area->share[1] = 1.0f / area->count[1];
	area->sum[0] = difference(block->sum, area->sum[1]);
	area->anchor = select_rgb(lrd_equal_i(anchor, lrd_i32s_of(2)), block->texel[2], area->anchor);
	area->anchor = select_rgb(lrd_equal_i(anchor, lrd_i32s_of(8)), block->texel[8], area->anchor);
}

#endif
