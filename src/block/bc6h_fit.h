// block/bc6h_fit.h: lines through the texels of subsets: where they go, which mode holds their ends, what its endpoints
// make of the block, and better ends by least squares. Part of bc6h_kernel.c.

#ifndef BLOCK_BC6H_FIT_H
#define BLOCK_BC6H_FIT_H

#include "block/bc6h_lanes.h"

/// Ends of the lines of one subset or two, less the centre.
typedef struct ends_lanes
{
	rgb_lanes low[2], high[2];
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

/// The stretch of an axis through the mean that the texels of each subset take up.
INLINE void stretch(
	const block_lanes *block, const area_lanes *area, int subsets, const rgb_lanes axis[2], ends_lanes *ends)
{
	lrd_f32s low[2], high[2];
	for (int s = 0; s < subsets; ++s)
	{
		low[s] = lrd_f32s_of(1e30f);
		high[s] = lrd_f32s_of(-1e30f);
	}
	for (int i = 0; i < 16; ++i)
	{
		rgb_lanes along = subsets == 2 ? select_rgb(area->in_second[i], axis[1], axis[0]) : axis[0];
		lrd_f32s at = dot(block->texel[i], along);
		if (subsets == 1)
		{
			low[0] = lrd_min(low[0], at);
			high[0] = lrd_max(high[0], at);
			continue;
		}
		lrd_mask in = area->in_second[i];
		low[0] = lrd_select(in, low[0], lrd_min(low[0], at));
		high[0] = lrd_select(in, high[0], lrd_max(high[0], at));
		low[1] = lrd_select(in, lrd_min(low[1], at), low[1]);
		high[1] = lrd_select(in, lrd_max(high[1], at), high[1]);
	}
	for (int s = 0; s < subsets; ++s)
	{
		rgb_lanes sum = subsets == 2 ? area->sum[s] : block->sum;
		lrd_f32s share = 1.0f / (subsets == 2 ? area->count[s] : lrd_f32s_of(16));
		rgb_lanes mean = { { sum.of[0] * share, sum.of[1] * share, sum.of[2] * share } };
		lrd_f32s at = dot(mean, axis[s]);
		lrd_f32s length = 1.0f / lrd_max(dot(axis[s], axis[s]), lrd_f32s_of(1e-20f));
		ends->low[s] = add_scaled(mean, axis[s], (low[s] - at) * length);
		ends->high[s] = add_scaled(mean, axis[s], (high[s] - at) * length);
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

/// What the ends become in a mode, and what they decode to.
INLINE ends_lanes quantise_ends(
	const block_lanes *block, const grid_lanes *grid, int subsets, const ends_lanes *wanted, trial_lanes *trial)
{
	ends_lanes decoded;
	for (int e = 0; e < 2 * subsets; ++e)
	{
		const rgb_lanes *from = e % 2 == 0 ? &wanted->low[e / 2] : &wanted->high[e / 2];
		rgb_lanes *to = e % 2 == 0 ? &decoded.low[e / 2] : &decoded.high[e / 2];
		for (int c = 0; c < 3; ++c)
		{
			lrd_f32s value = quantise(grid, from->of[c] + block->centre.of[c], block->is_signed);
			if (e > 0)
			{
				lrd_f32s first = trial->quantised[c];
				value = first + lrd_max(lrd_min(value - first, grid->most.of[c]), grid->least.of[c]);
			}
			trial->quantised[e * 3 + c] = value;
			to->of[c] = dequantise(grid, value, block->is_signed) - block->centre.of[c];
		}
	}
	for (int i = 6 * subsets; i < LRD_BC6H_VALUES; ++i)
	{
		trial->quantised[i] = lrd_f32s_of(0);
	}
	return decoded;
}

/// Give each texel the nearest of the colours between decoded ends, and sum the squares of what is missed.
INLINE void index_texels(const block_lanes *block, const area_lanes *area, int subsets, const ends_lanes *ends,
	trial_lanes *trial, lrd_f32s weights[16])
{
	const float top = subsets == 2 ? 7 : 15;
	rgb_lanes along[2], towards[2];
	lrd_f32s start[2];
	for (int s = 0; s < subsets; ++s)
	{
		along[s] = difference(ends->high[s], ends->low[s]);
		lrd_f32s scale = top / lrd_max(dot(along[s], along[s]), lrd_f32s_of(1e-6f));
		for (int c = 0; c < 3; ++c)
		{
			towards[s].of[c] = along[s].of[c] * scale;
		}
		start[s] = dot(ends->low[s], towards[s]);
	}
	trial->error = lrd_f32s_of(0);
	trial->indices[0] = trial->indices[1] = lrd_i32s_of(0);
	for (int i = 0; i < 16; ++i)
	{
		rgb_lanes low = ends->low[0], line = along[0], direction = towards[0];
		lrd_f32s origin = start[0], limit = lrd_f32s_of(i == 0 ? (top - 1) / 2 : top);
		if (subsets == 2)
		{
			lrd_mask in = area->in_second[i];
			low = select_rgb(in, ends->low[1], low);
			line = select_rgb(in, along[1], line);
			direction = select_rgb(in, towards[1], direction);
			origin = lrd_select(in, start[1], origin);
			if (i == 2 || i == 8 || i == 15)
			{
				limit = limit - lrd_to_f32s(area->anchor_at[i]) * 4.0f;
			}
		}
		lrd_f32s index = lrd_round(dot(block->texel[i], direction) - origin);
		index = lrd_min(lrd_max(index, lrd_f32s_of(0)), limit);
		weights[i] = lrd_round(index * (64.0f / top)) * (1.0f / 64.0f);
		trial->indices[i / 8] |= lrd_to_i32s(index) << (i % 8 * (subsets == 2 ? 3 : 4));
		rgb_lanes missed = difference(block->texel[i], add_scaled(low, line, weights[i]));
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
		lrd_f32s share = 1.0f / count;
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
