// block/bc6h_fit.h: lines through the texels of subsets: where they go, which mode holds their ends, what its endpoints
// make of the block, and better ends by least squares. Part of bc6h_kernel.c.

#ifndef BLOCK_BC6H_FIT_H
#define BLOCK_BC6H_FIT_H

#include "block/bc6h_lanes.h"

/// Ends of the lines of one subset or two, less the centre.
typedef struct ends_lanes
{
	rgb_lanes low[2], high[2];
	/// What an error of the low end costs, of the high end, and half of what both together do: of the squares of the
	/// errors and of their product. Least squares knows it.
	lrd_f32s cost_low[2], cost_high[2], cost_both[2];
} ends_lanes;

/// A block as it would be written, and its error.
typedef struct trial_lanes
{
	lrd_f32s error;
	lrd_i32s mode;
	lrd_i32s partition;
	lrd_f32s quantised[LRD_BC6H_VALUES];
	lrd_i32s indices[2]; ///< of texels 0 to 7, and 8 to 15
} trial_lanes;

/// How a mode holds endpoints.
typedef struct grid_lanes
{
	lrd_f32s step;         ///< of the values that endpoints decode to
	lrd_f32s inverse;      ///< 1 / step
	lrd_f32s offset;       ///< in steps: what an endpoint decodes to, above itself
	lrd_f32s top;          ///< the largest
	rgb_lanes least, most; ///< that X, Y and Z may differ from W
} grid_lanes;

#define FIRST_ONE 10 // the first mode with one subset
#define NO_LIMIT 1e6f

// By mode: bits, and the largest difference from W in red, green and blue: the least is -1 less.
static const float mode_steps[LRD_BC6H_MODES] = { 64, 512, 32, 32, 32, 128, 256, 256, 256, 1024, 64, 32, 16, 1 };
static const float mode_most[3][LRD_BC6H_MODES] = {
	{ 15, 31, 15, 7, 7, 15, 31, 15, 15, NO_LIMIT, NO_LIMIT, 255, 127, 7 },
	{ 15, 31, 7, 15, 7, 15, 15, 31, 15, NO_LIMIT, NO_LIMIT, 255, 127, 7 },
	{ 15, 31, 7, 7, 15, 15, 15, 15, 31, NO_LIMIT, NO_LIMIT, 255, 127, 7 },
};

/// From 16-bit values, which are interpolated, to halves.
INLINE float value_scale(bool is_signed)
{
	return is_signed ? 31.0f / 32.0f : 31.0f / 64.0f;
}

INLINE grid_lanes grid_of(lrd_i32s mode, bool is_signed)
{
	lrd_f32s step = lrd_gather(mode_steps, mode);
	grid_lanes grid;
	grid.step = step * value_scale(is_signed);
	grid.inverse = 1.0f / grid.step;
	grid.offset = lrd_select(lrd_less(lrd_f32s_of(1), step), lrd_f32s_of(0.5f), lrd_f32s_of(0));
	grid.top = (is_signed ? 32768.0f : 65536.0f) / step - 1.0f;
	for (int c = 0; c < 3; ++c)
	{
		grid.most.of[c] = lrd_gather(mode_most[c], mode);
		grid.least.of[c] = -1.0f - grid.most.of[c];
	}
	return grid;
}

/// The endpoint nearest to a value. 0 decodes to 0, not to half a step.
INLINE lrd_f32s quantise(const grid_lanes *grid, lrd_f32s value, bool is_signed)
{
	lrd_f32s steps = (is_signed ? lrd_abs(value) : lrd_max(value, lrd_f32s_of(0))) * grid->inverse;
	lrd_f32s bias = 0.5f - grid->offset;
	bias = lrd_select(lrd_less(steps, lrd_f32s_of(1)), bias + 0.5f * grid->offset, bias);
	lrd_f32s whole = lrd_to_f32s(lrd_to_i32s(lrd_min(steps + bias, grid->top)));
	return is_signed ? lrd_select(lrd_less(value, lrd_f32s_of(0)), lrd_f32s_of(0) - whole, whole) : whole;
}

/// What an endpoint decodes to.
INLINE lrd_f32s dequantise(const grid_lanes *grid, lrd_f32s endpoint, bool is_signed)
{
	lrd_f32s magnitude = is_signed ? lrd_abs(endpoint) : endpoint;
	lrd_f32s value = (magnitude + grid->offset) * grid->step;
	value = lrd_select(
		lrd_less(magnitude, grid->top), value, lrd_f32s_of((is_signed ? 32767.0f : 65535.0f) * value_scale(is_signed)));
	value = lrd_select(lrd_equal(magnitude, lrd_f32s_of(0)), lrd_f32s_of(0), value);
	return is_signed ? lrd_select(lrd_less(endpoint, lrd_f32s_of(0)), lrd_f32s_of(0) - value, value) : value;
}

/// A line through the mean of a subset, between two places along a direction in the plane.
INLINE void place_ends(const block_lanes *block, rgb_lanes mean, plane_lanes direction, lrd_f32s low, lrd_f32s high,
	rgb_lanes *low_end, rgb_lanes *high_end)
{
	rgb_lanes axis = add_scaled(add_scaled(rgb_of(0), block->axis[0], direction.x), block->axis[1], direction.y);
	lrd_f32s at = dot(mean, axis);
	lrd_f32s square = direction.x * direction.x + direction.y * direction.y;
	lrd_f32s scale = 1.0f / lrd_max(square, lrd_f32s_of(1e-20f));
	*low_end = add_scaled(mean, axis, (low - at) * scale);
	*high_end = add_scaled(mean, axis, (high - at) * scale);
}

/// The stretch of the block's first axis that its texels take up.
INLINE void stretch_one(const block_lanes *block, ends_lanes *ends)
{
	lrd_f32s low = block->place[0].x, high = low;
	for (int i = 1; i < 16; ++i)
	{
		low = lrd_min(low, block->place[i].x);
		high = lrd_max(high, block->place[i].x);
	}
	ends->low[0] = add_scaled(rgb_of(0), block->axis[0], low);
	ends->high[0] = add_scaled(rgb_of(0), block->axis[0], high);
}

/// The direction of most variance of each subset, in the plane.
INLINE void directions_of_two(const block_lanes *block, const area_lanes *area, plane_lanes directions[2])
{
	lrd_f32s x = lrd_f32s_of(0), y = x;
	moment_lanes second = { x, x, x };
	for (int i = 0; i < 16; ++i)
	{
		lrd_mask in = area->in_second[i];
		plane_lanes place = block->place[i];
		x = lrd_add_where(in, x, place.x);
		y = lrd_add_where(in, y, place.y);
		second.xx = lrd_add_where(in, second.xx, place.x * place.x);
		second.xy = lrd_add_where(in, second.xy, place.x * place.y);
		second.yy = lrd_add_where(in, second.yy, place.y * place.y);
	}
	// The first subset's sum is taken for the opposite, as texels are less their mean.
	moment_lanes square = { x * x, x * y, y * y };
	moment_lanes first = { block->moments.xx - second.xx - square.xx * area->share[0],
		block->moments.xy - second.xy - square.xy * area->share[0],
		block->moments.yy - second.yy - square.yy * area->share[0] };
	second.xx -= square.xx * area->share[1];
	second.xy -= square.xy * area->share[1];
	second.yy -= square.yy * area->share[1];
	directions[0] = direction_in_plane(first);
	directions[1] = direction_in_plane(second);
}

/// The stretches of the directions of two subsets that their texels take up.
INLINE void stretch_two(const block_lanes *block, const area_lanes *area, ends_lanes *ends)
{
	plane_lanes directions[2];
	directions_of_two(block, area, directions);
	lrd_f32s low[2], high[2];
	low[0] = low[1] = lrd_f32s_of(3e38f);
	high[0] = high[1] = lrd_f32s_of(-3e38f);
	for (int i = 0; i < 16; ++i)
	{
		lrd_mask in = area->in_second[i];
		plane_lanes direction = { lrd_select(in, directions[1].x, directions[0].x),
			lrd_select(in, directions[1].y, directions[0].y) };
		lrd_f32s at = block->place[i].x * direction.x + block->place[i].y * direction.y;
		low[0] = lrd_select(in, low[0], lrd_min(low[0], at));
		high[0] = lrd_select(in, high[0], lrd_max(high[0], at));
		low[1] = lrd_select(in, lrd_min(low[1], at), low[1]);
		high[1] = lrd_select(in, lrd_max(high[1], at), high[1]);
	}
	for (int s = 0; s < 2; ++s)
	{
		rgb_lanes mean = add_scaled(rgb_of(0), area->sum[s], area->share[s]);
		place_ends(block, mean, directions[s], low[s], high[s], &ends->low[s], &ends->high[s]);
	}
}

/// Turn lines so that the anchors are in their lower halves.
INLINE void orient(const block_lanes *block, const area_lanes *area, int subsets, ends_lanes *ends)
{
	for (int s = 0; s < subsets; ++s)
	{
		rgb_lanes low = ends->low[s], high = ends->high[s];
		rgb_lanes anchor = s == 1 ? area->anchor : block->texel[0];
		lrd_f32s past = lrd_f32s_of(0);
		for (int c = 0; c < 3; ++c)
		{
			past += (anchor.of[c] - 0.5f * (low.of[c] + high.of[c])) * (high.of[c] - low.of[c]);
		}
		lrd_mask turn = lrd_less(lrd_f32s_of(0), past);
		ends->low[s] = select_rgb(turn, high, low);
		ends->high[s] = select_rgb(turn, low, high);
		lrd_f32s cost_low = ends->cost_low[s];
		ends->cost_low[s] = lrd_select(turn, ends->cost_high[s], cost_low);
		ends->cost_high[s] = lrd_select(turn, cost_low, ends->cost_high[s]);
	}
}

/// The mode that promises the least error for these ends: what its steps cost, and what it costs that the differences
/// from the first end are limited.
INLINE lrd_i32s choose_mode(const ends_lanes *ends, int subsets, bool is_signed)
{
	rgb_lanes least = difference(ends->high[0], ends->low[0]), most = least;
	for (int c = 0; c < 3 && subsets == 2; ++c)
	{
		lrd_f32s third = ends->low[1].of[c] - ends->low[0].of[c], fourth = ends->high[1].of[c] - ends->low[0].of[c];
		least.of[c] = lrd_min(least.of[c], lrd_min(third, fourth));
		most.of[c] = lrd_max(most.of[c], lrd_max(third, fourth));
	}
	lrd_i32s chosen = lrd_i32s_of(0);
	lrd_f32s cheapest = lrd_f32s_of(3e38f);
	int from = subsets == 2 ? 0 : FIRST_ONE, to = subsets == 2 ? FIRST_ONE : LRD_BC6H_MODES;
	for (int mode = from; mode < to; ++mode)
	{
		float step = mode_steps[mode] * value_scale(is_signed);
		lrd_f32s cost = lrd_f32s_of(2.6f * step * step);
		for (int c = 0; c < 3; ++c)
		{
			float limit = (mode_most[c][mode] + 0.5f) * step;
			lrd_f32s over = lrd_max(most.of[c] - limit, (-step - limit) - least.of[c]);
			over = lrd_max(over, lrd_f32s_of(0));
			cost += over * over * (subsets == 2 ? 3.0f : 5.0f);
		}
		lrd_mask cheaper = lrd_less(cost, cheapest);
		cheapest = lrd_select(cheaper, cost, cheapest);
		chosen = lrd_select_i(cheaper, lrd_i32s_of(mode), chosen);
	}
	return chosen;
}

/// The endpoint on the other side of a value than its nearest one, which decodes to `decoded`.
INLINE lrd_f32s second_nearest(
	const grid_lanes *grid, lrd_f32s value, lrd_f32s nearest, lrd_f32s decoded, bool is_signed)
{
	lrd_f32s other = nearest + lrd_select(lrd_less(decoded, value), lrd_f32s_of(1), lrd_f32s_of(-1));
	other = lrd_min(other, grid->top);
	return lrd_max(other, is_signed ? lrd_f32s_of(0) - grid->top : lrd_f32s_of(0));
}

/// Endpoints for both ends of a line in one channel: of the two nearest to each end the pair that costs least, since an
/// error of one end can make up for one of the other.
INLINE void quantise_pair(const grid_lanes *grid, lrd_f32s low, lrd_f32s high, lrd_f32s cost_low, lrd_f32s cost_both,
	lrd_f32s cost_high, bool is_signed, lrd_f32s chosen[2])
{
	lrd_f32s lows[2], highs[2], low_errors[2], high_errors[2];
	lows[0] = quantise(grid, low, is_signed);
	lrd_f32s decoded = dequantise(grid, lows[0], is_signed);
	low_errors[0] = decoded - low;
	lows[1] = second_nearest(grid, low, lows[0], decoded, is_signed);
	low_errors[1] = dequantise(grid, lows[1], is_signed) - low;
	highs[0] = quantise(grid, high, is_signed);
	decoded = dequantise(grid, highs[0], is_signed);
	high_errors[0] = decoded - high;
	highs[1] = second_nearest(grid, high, highs[0], decoded, is_signed);
	high_errors[1] = dequantise(grid, highs[1], is_signed) - high;
	lrd_f32s least = lrd_f32s_of(3e38f);
	for (int i = 0; i < 4; ++i)
	{
		lrd_f32s a = low_errors[i & 1], b = high_errors[i >> 1];
		lrd_f32s cost = cost_low * a * a + 2.0f * cost_both * a * b + cost_high * b * b;
		lrd_mask less = lrd_less(cost, least);
		least = lrd_select(less, cost, least);
		chosen[0] = i == 0 ? lows[0] : lrd_select(less, lows[i & 1], chosen[0]);
		chosen[1] = i == 0 ? highs[0] : lrd_select(less, highs[i >> 1], chosen[1]);
	}
}

/// What the ends become in a mode, and what they decode to.
INLINE ends_lanes quantise_ends(
	const block_lanes *block, const grid_lanes *grid, int subsets, const ends_lanes *wanted, trial_lanes *trial)
{
	ends_lanes decoded;
	for (int s = 0; s < subsets; ++s)
	{
		for (int c = 0; c < 3; ++c)
		{
			lrd_f32s low = wanted->low[s].of[c] + block->centre.of[c],
					 high = wanted->high[s].of[c] + block->centre.of[c];
			lrd_f32s pair[2];
			quantise_pair(grid, low, high, wanted->cost_low[s], wanted->cost_both[s], wanted->cost_high[s],
				block->is_signed, pair);
			for (int e = 0; e < 2; ++e)
			{
				lrd_f32s first = trial->quantised[c];
				if (s + e > 0)
				{
					pair[e] = first + lrd_max(lrd_min(pair[e] - first, grid->most.of[c]), grid->least.of[c]);
				}
				trial->quantised[s * 6 + e * 3 + c] = pair[e];
				(e == 0 ? &decoded.low[s] : &decoded.high[s])->of[c] =
					dequantise(grid, pair[e], block->is_signed) - block->centre.of[c];
			}
		}
	}
	for (int i = 6 * subsets; i < LRD_BC6H_VALUES; ++i)
	{
		trial->quantised[i] = lrd_f32s_of(0);
	}
	return decoded;
}

INLINE ends_lanes decode_ends(const block_lanes *block, const grid_lanes *grid, int subsets, const trial_lanes *trial)
{
	ends_lanes decoded;
	for (int s = 0; s < subsets; ++s)
	{
		for (int c = 0; c < 3; ++c)
		{
			decoded.low[s].of[c] =
				dequantise(grid, trial->quantised[6 * s + c], block->is_signed) - block->centre.of[c];
			decoded.high[s].of[c] =
				dequantise(grid, trial->quantised[6 * s + 3 + c], block->is_signed) - block->centre.of[c];
		}
	}
	return decoded;
}

/// What finds the nearest colours of a line: the index of a texel is its product with `towards` less `start`.
typedef struct ruler_lanes
{
	rgb_lanes along; ///< from the low end to the high one
	rgb_lanes towards;
	lrd_f32s start;
} ruler_lanes;

INLINE ruler_lanes ruler_of(rgb_lanes low, rgb_lanes high, float top)
{
	ruler_lanes ruler;
	ruler.along = difference(high, low);
	lrd_f32s scale = top / lrd_max(dot(ruler.along, ruler.along), lrd_f32s_of(1e-6f));
	for (int c = 0; c < 3; ++c)
	{
		ruler.towards.of[c] = ruler.along.of[c] * scale;
	}
	ruler.start = dot(low, ruler.towards);
	return ruler;
}

INLINE lrd_f32s index_on(rgb_lanes texel, rgb_lanes towards, lrd_f32s start, lrd_f32s top)
{
	return lrd_min(lrd_max(lrd_round(dot(texel, towards) - start), lrd_f32s_of(0)), top);
}

/// The specification's weights are the nearest to even ones.
INLINE lrd_f32s weight_of(lrd_f32s index, float top)
{
	return lrd_round(index * (64.0f / top)) * (1.0f / 64.0f);
}

/// The weights that texels would have between ends which no mode has rounded yet.
INLINE void weigh_texels(
	const block_lanes *block, const area_lanes *area, int subsets, const ends_lanes *ends, lrd_f32s weights[16])
{
	const float top = subsets == 2 ? 7 : 15;
	ruler_lanes first = ruler_of(ends->low[0], ends->high[0], top);
	ruler_lanes second = subsets == 2 ? ruler_of(ends->low[1], ends->high[1], top) : first;
	for (int i = 0; i < 16; ++i)
	{
		rgb_lanes towards = first.towards;
		lrd_f32s start = first.start;
		if (subsets == 2)
		{
			towards = select_rgb(area->in_second[i], second.towards, towards);
			start = lrd_select(area->in_second[i], second.start, start);
		}
		weights[i] = weight_of(index_on(block->texel[i], towards, start, lrd_f32s_of(top)), top);
	}
}

/// Give each texel the nearest of the colours between decoded ends, and sum the squares of what is missed.
INLINE void index_texels(const block_lanes *block, const area_lanes *area, int subsets, const ends_lanes *ends,
	trial_lanes *trial, lrd_f32s weights[16])
{
	const float top = subsets == 2 ? 7 : 15;
	ruler_lanes first = ruler_of(ends->low[0], ends->high[0], top);
	ruler_lanes second = subsets == 2 ? ruler_of(ends->low[1], ends->high[1], top) : first;
	trial->error = lrd_f32s_of(0);
	trial->indices[0] = trial->indices[1] = lrd_i32s_of(0);
	for (int i = 0; i < 16; ++i)
	{
		rgb_lanes low = ends->low[0], along = first.along, towards = first.towards;
		lrd_f32s start = first.start, limit = lrd_f32s_of(i == 0 ? (top - 1) / 2 : top);
		if (subsets == 2)
		{
			lrd_mask in = area->in_second[i];
			low = select_rgb(in, ends->low[1], low);
			along = select_rgb(in, second.along, along);
			towards = select_rgb(in, second.towards, towards);
			start = lrd_select(in, second.start, start);
			if (i == 2 || i == 8 || i == 15)
			{
				limit = limit - lrd_to_f32s(area->anchor_at[i]) * 4.0f;
			}
		}
		lrd_f32s index = index_on(block->texel[i], towards, start, limit);
		weights[i] = weight_of(index, top);
		trial->indices[i / 8] |= lrd_to_i32s(index) << (i % 8 * (subsets == 2 ? 3 : 4));
		rgb_lanes missed = difference(block->texel[i], add_scaled(low, along, weights[i]));
		trial->error += dot(missed, missed);
	}
}

/// Ends that suit the weights best, where these tell; others stay.
INLINE void refit(
	const block_lanes *block, const area_lanes *area, int subsets, const lrd_f32s weights[16], ends_lanes *ends)
{
	lrd_f32s sum[2], square[2];
	rgb_lanes product[2];
	for (int s = 0; s < 2; ++s)
	{
		sum[s] = square[s] = lrd_f32s_of(0);
		product[s] = (rgb_lanes){ { lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0) } };
	}
	for (int i = 0; i < 16; ++i)
	{
		sum[0] += weights[i];
		square[0] += weights[i] * weights[i];
		product[0] = add_scaled(product[0], block->texel[i], weights[i]);
		if (subsets == 2)
		{
			lrd_f32s weight = lrd_select(area->in_second[i], weights[i], lrd_f32s_of(0));
			sum[1] += weight;
			square[1] += weight * weight;
			product[1] = add_scaled(product[1], block->texel[i], weight);
		}
	}
	if (subsets == 2)
	{
		sum[0] -= sum[1];
		square[0] -= square[1];
		product[0] = difference(product[0], product[1]);
	}
	for (int s = 0; s < subsets; ++s)
	{
		lrd_f32s count = subsets == 2 ? area->count[s] : lrd_f32s_of(16);
		rgb_lanes total = subsets == 2 ? area->sum[s] : block->sum;
		lrd_f32s determinant = count * square[s] - sum[s] * sum[s];
		lrd_mask tells = lrd_less(lrd_f32s_of(1e-3f), determinant);
		lrd_f32s inverse = 1.0f / lrd_select(tells, determinant, lrd_f32s_of(1));
		lrd_f32s share = subsets == 2 ? area->share[s] : lrd_f32s_of(1.0f / 16);
		ends->cost_low[s] = count - 2.0f * sum[s] + square[s];
		ends->cost_high[s] = square[s];
		ends->cost_both[s] = sum[s] - square[s];
		for (int c = 0; c < 3; ++c)
		{
			lrd_f32s slope = (count * product[s].of[c] - sum[s] * total.of[c]) * inverse;
			lrd_f32s low = (total.of[c] - sum[s] * slope) * share;
			ends->low[s].of[c] = lrd_select(tells, low, ends->low[s].of[c]);
			ends->high[s].of[c] = lrd_select(tells, low + slope, ends->high[s].of[c]);
		}
	}
}

INLINE void keep_better(const trial_lanes *trial, trial_lanes *best)
{
	lrd_mask better = lrd_less(trial->error, best->error);
	best->error = lrd_select(better, trial->error, best->error);
	best->mode = lrd_select_i(better, trial->mode, best->mode);
	best->partition = lrd_select_i(better, trial->partition, best->partition);
	for (int i = 0; i < LRD_BC6H_VALUES; ++i)
	{
		best->quantised[i] = lrd_select(better, trial->quantised[i], best->quantised[i]);
	}
	for (int i = 0; i < 2; ++i)
	{
		best->indices[i] = lrd_select_i(better, trial->indices[i], best->indices[i]);
	}
}

#endif
