// block/bc7_grid.h: endpoints from sums, put on the grid that a mode can store. Part of the kernel: included by
// bc7_kernel.c alone.
//
// The endpoints that suit given indices best are a linear least squares problem of two unknowns a channel. Putting them
// on the grid is a nearest plane search (Babai, "On Lovasz' lattice reduction and the nearest lattice point problem",
// 1986) in two dimensions: the first endpoint is rounded, the second is fitted to that and rounded.

#ifndef BLOCK_BC7_GRID_H
#define BLOCK_BC7_GRID_H

#include "block/bc7_shape.h"

/// What a code of `bits` bits is decoded to: its highest bits again below.
FIT_INLINE lrd_f32s widen(lrd_f32s code, int bits)
{
	if (bits == 8)
	{
		return code;
	}
	lrd_i32s whole = lrd_to_i32s(code);
	return lrd_to_f32s((whole << (8 - bits)) | (whole >> (2 * bits - 8)));
}

/// The nearest value that the mode can store, with low bit `p` where it has p-bits; as decoded.
FIT_INLINE lrd_f32s on_grid(lrd_f32s value, int bits, bool has_p, float p)
{
	const float most = (float)((1 << bits) - 1);
	if (!has_p)
	{
		return widen(lrd_round(lrd_clamp(value * (most / 255.0f), 0.0f, most)), bits);
	}
	lrd_f32s half = lrd_round(lrd_clamp((value * (most / 255.0f) - p) * 0.5f, 0.0f, (float)((1 << (bits - 1)) - 1)));
	return widen(half * 2.0f + p, bits);
}

/// The values that the mode can store below and above.
FIT_INLINE void around_on_grid(lrd_f32s value, int bits, bool has_p, float p, lrd_f32s around[2])
{
	const float most = (float)((1 << bits) - 1), step = has_p ? 2.0f : 1.0f;
	const float highest = has_p ? (float)((1 << (bits - 1)) - 1) : most;
	lrd_f32s low = lrd_clamp((value * (most / 255.0f) - p) / step, 0.0f, highest - 1.0f);
	low = lrd_to_f32s(lrd_to_i32s(low));
	around[0] = widen(low * step + p, bits);
	around[1] = widen(low * step + p + step, bits);
}

/// The endpoints of a channel on the grid that cost least, for p-bits `p`.
FIT_INLINE lrd_f32s channel_on_grid(lrd_f32s first_target, lrd_f32s second_target, bc7_shape shape, const float p[2],
	lrd_f32s ratio, lrd_f32s first_cost, lrd_f32s second_cost, lrd_f32s ends[2])
{
	lrd_f32s around[2], least = zero_f32s();
	around_on_grid(first_target, shape.bits, shape.p != P_NONE, p[0], around);
	for (int k = 0; k < 2; ++k)
	{
		lrd_f32s off = around[k] - first_target, target = second_target - ratio * off;
		lrd_f32s second = on_grid(target, shape.bits, shape.p != P_NONE, p[1]);
		lrd_f32s cost = off * off * first_cost + (second - target) * (second - target) * second_cost;
		lrd_mask less = lrd_less(cost, least);
		least = k == 0 ? cost : lrd_min(cost, least);
		ends[0] = k == 0 ? around[k] : lrd_select(less, around[k], ends[0]);
		ends[1] = k == 0 ? second : lrd_select(less, second, ends[1]);
	}
	return least;
}

/// Alpha of 0 and 255 must be kept: the endpoint on that side has it, with the p-bit that it needs. Adds what a choice
/// of p-bits costs that can't.
FIT_INLINE lrd_f32s hold_alpha(lrd_f32s target[2][4], const lrd_f32s alpha[2], const float p[2], lrd_f32s ends[2])
{
	lrd_mask descending = lrd_less(target[1][3], target[0][3]);
	lrd_f32s cost = zero_f32s(), full = lrd_f32s_of(255.0f);
	for (int e = 0; e < 2; ++e)
	{
		lrd_f32s held = lrd_select(descending, alpha[1 - e], alpha[e]);
		lrd_mask is_full = lrd_equal(held, full), is_clear = lrd_equal(held, zero_f32s());
		ends[e] = lrd_select(lrd_mask_or(is_full, is_clear), held, ends[e]);
		cost += lrd_select(p[e] != 0.0f ? is_clear : is_full, lrd_f32s_of(BC7_REFUSED), zero_f32s());
	}
	return cost;
}

/// As ends_on_grid, with every choice of p-bits and of the first endpoint's neighbours.
FIT_INLINE void ends_on_grid_thoroughly(lrd_f32s target[2][4], bc7_shape shape, const lrd_f32s alpha[2], lrd_f32s ratio,
	lrd_f32s first_cost, lrd_f32s second_cost, bc7_ends *ends)
{
	*ends = (bc7_ends){ 0 };
	lrd_f32s least = lrd_f32s_of(1e30f);
	for (int k = shape.p == P_ONE ? 3 : 0; k < (shape.p == P_NONE ? 1 : 4); k += shape.p == P_SHARED ? 3 : 1)
	{
		const float p[2] = { (float)(k & 1), (float)(k >> 1) };
		lrd_f32s tried[4][2], cost = zero_f32s();
		for (int c = 0; c < shape.channels; ++c)
		{
			cost += channel_on_grid(target[0][c], target[1][c], shape, p, ratio, first_cost, second_cost, tried[c]);
		}
		if (shape.channels == 4)
		{
			cost += hold_alpha(target, alpha, p, tried[3]);
		}
		lrd_mask less = lrd_less(cost, least);
		least = lrd_min(cost, least);
		for (int c = 0; c < shape.channels; ++c)
		{
			ends->e[0][c] = lrd_select(less, tried[c][0], ends->e[0][c]);
			ends->e[1][c] = lrd_select(less, tried[c][1], ends->e[1][c]);
		}
	}
}

FIT_INLINE lrd_f32s squared_distance(const lrd_f32s a[4], const lrd_f32s b[4], int channels)
{
	lrd_f32s sum = (a[0] - b[0]) * (a[0] - b[0]);
	for (int c = 1; c < channels; ++c)
	{
		sum += (a[c] - b[c]) * (a[c] - b[c]);
	}
	return sum;
}

/// An endpoint on the grid, with the better p-bit. Returns the squared distance.
FIT_INLINE lrd_f32s end_on_grid(const lrd_f32s value[4], bc7_shape shape, lrd_f32s end[4])
{
	lrd_f32s other[4];
	for (int c = 0; c < shape.channels; ++c)
	{
		end[c] = on_grid(value[c], shape.bits, shape.p != P_NONE, shape.p == P_ONE ? 1.0f : 0.0f);
		if (shape.p == P_EACH)
		{
			other[c] = on_grid(value[c], shape.bits, true, 1.0f);
		}
	}
	lrd_f32s distance = squared_distance(end, value, shape.channels);
	if (shape.p != P_EACH)
	{
		return distance;
	}
	lrd_f32s other_distance = squared_distance(other, value, shape.channels);
	lrd_mask less = lrd_less(other_distance, distance);
	for (int c = 0; c < shape.channels; ++c)
	{
		end[c] = lrd_select(less, other[c], end[c]);
	}
	return lrd_min(other_distance, distance);
}

/// What is left for the second endpoint to do once the first is on the grid.
FIT_INLINE void second_target(
	lrd_f32s target[2][4], const lrd_f32s first[4], lrd_f32s ratio, int channels, lrd_f32s to[4])
{
	for (int c = 0; c < channels; ++c)
	{
		to[c] = target[1][c] - ratio * (first[c] - target[0][c]);
	}
}

/// Both endpoints of a subset on the grid. `first_cost`, `second_cost`: of a unit off each, the second being fitted to
/// the first by `ratio`.
FIT_INLINE void ends_on_grid(
	lrd_f32s target[2][4], bc7_shape shape, lrd_f32s ratio, lrd_f32s first_cost, lrd_f32s second_cost, bc7_ends *ends)
{
	lrd_f32s second[4] = { zero_f32s(), zero_f32s(), zero_f32s(), zero_f32s() };
	if (shape.p != P_SHARED)
	{
		end_on_grid(target[0], shape, ends->e[0]);
		second_target(target, ends->e[0], ratio, shape.channels, second);
		end_on_grid(second, shape, ends->e[1]);
		return;
	}
	lrd_f32s least = zero_f32s();
	for (int p = 0; p < 2; ++p)
	{
		bc7_ends tried = { 0 };
		for (int c = 0; c < shape.channels; ++c)
		{
			tried.e[0][c] = on_grid(target[0][c], shape.bits, true, (float)p);
		}
		second_target(target, tried.e[0], ratio, shape.channels, second);
		for (int c = 0; c < shape.channels; ++c)
		{
			tried.e[1][c] = on_grid(second[c], shape.bits, true, (float)p);
		}
		lrd_f32s cost = squared_distance(tried.e[0], target[0], shape.channels) * first_cost +
						squared_distance(tried.e[1], second, shape.channels) * second_cost;
		lrd_mask less = lrd_less(cost, least);
		least = p == 0 ? cost : lrd_min(cost, least);
		for (int c = 0; c < shape.channels; ++c)
		{
			ends->e[0][c] = p == 0 ? tried.e[0][c] : lrd_select(less, tried.e[0][c], ends->e[0][c]);
			ends->e[1][c] = p == 0 ? tried.e[1][c] : lrd_select(less, tried.e[1][c], ends->e[1][c]);
		}
	}
}

/// The endpoints that suit the indices behind the sums best. Where all indices are the same, the mean is mixed from two
/// endpoints close to it at the weight of a low index, which is finer than the grid.
FIT_INLINE void ends_of_sums(const bc7_sums *sums, bc7_shape shape, bool thorough, bc7_ends *ends)
{
	const float one = shape.levels == 4 ? 21 : shape.levels == 8 ? 9 : 17;
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_f32s b = sums[s].w - sums[s].ww, c = sums[s].ww;
		lrd_f32s a = sums[s].n - sums[s].w - b;
		lrd_f32s determinant = a * c - b * b;
		lrd_mask sound = lrd_less(lrd_f32s_of(1e-3f), determinant);
		lrd_f32s inverse = 1.0f / lrd_select(sound, determinant, lrd_f32s_of(1.0f));
		lrd_f32s per_n = 1.0f / lrd_max(sums[s].n, lrd_f32s_of(1.0f));
		lrd_f32s target[2][4];
		for (int i = 0; i < shape.channels; ++i)
		{
			lrd_f32s x1 = sums[s].wx[i], x0 = sums[s].x[i] - x1, mean = sums[s].x[i] * per_n;
			target[0][i] = lrd_select(sound, (c * x0 - b * x1) * inverse, mean);
			target[1][i] = lrd_select(sound, (a * x1 - b * x0) * inverse, mean);
		}
		lrd_f32s ratio = lrd_select(sound, b / lrd_max(c, lrd_f32s_of(1e-3f)), lrd_f32s_of((64 - one) / one));
		lrd_f32s first_cost = lrd_select(sound, a - b * ratio, lrd_f32s_of(1e-3f));
		lrd_f32s second_cost = lrd_select(sound, c, lrd_f32s_of(1.0f));
		if (thorough || shape.channels == 4)
		{
			ends_on_grid_thoroughly(target, shape, sums[s].alpha, ratio, first_cost, second_cost, &ends[s]);
		}
		else
		{
			ends_on_grid(target, shape, ratio, first_cost, second_cost, &ends[s]);
		}
	}
}

/// `value` some steps of the grid away, with the p-bit that it has.
FIT_INLINE lrd_f32s step_on_grid(lrd_f32s value, bc7_shape shape, int steps)
{
	const int shift = 8 - shape.bits, by = shape.p == P_NONE ? 1 : 2, most = (1 << shape.bits) - 1;
	lrd_i32s code = lrd_to_i32s(value) >> shift;
	lrd_i32s moved = code + by * steps;
	lrd_mask inside = lrd_mask_and(lrd_less_i(moved, lrd_i32s_of(most + 1)), lrd_less_i(lrd_i32s_of(-1), moved));
	moved = lrd_select_i(inside, moved, code);
	return lrd_to_f32s((moved << shift) | (moved >> (2 * shape.bits - 8)));
}

#endif
