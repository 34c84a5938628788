// block/bc7_fit.h: the heart of the BC7 encoder: endpoints and indices of a block for a mode and a partition, a block a
// lane. Part of the kernel: included by bc7_kernel.c alone.
//
// A subset's first axis is the principal one of its texels (bc7_line.h); from there on indices and endpoints
// (bc7_grid.h) are fitted to each other in turns.

#ifndef BLOCK_BC7_FIT_H
#define BLOCK_BC7_FIT_H

#include "block/bc7_grid.h"
#include "block/bc7_line.h"

/// (64 - w) * a + w * b, rounded as decoders do; integers all.
FIT_INLINE lrd_f32s mix(lrd_f32s first, lrd_f32s way, lrd_f32s weight)
{
	// 1/256 decides the ties, which go up
	return lrd_round(first + (1.0f / 256) + way * weight);
}

/// What a fit came to.
typedef struct bc7_fit
{
	bc7_ends ends[3];
	lrd_i32s index[16];
	lrd_f32s error;
	lrd_f32s of_subset[3]; ///< its parts
} bc7_fit;

/// The error of a texel that is off by `off`.
FIT_INLINE lrd_f32s error_of(const bc7_metric *metric, int channels, const lrd_f32s off[4])
{
	lrd_f32s weighed[4];
	weigh(metric, channels, off, weighed);
	return dot(off, weighed, channels);
}

FIT_INLINE lrd_mask is_extreme(lrd_f32s alpha)
{
	return lrd_mask_or(lrd_equal(alpha, zero_f32s()), lrd_equal(alpha, lrd_f32s_of(255.0f)));
}

/// Decoded alpha differs where texels are all there or not at all.
FIT_INLINE lrd_f32s alpha_penalty(lrd_f32s alpha, lrd_f32s off)
{
	lrd_mask kept = lrd_equal(off, zero_f32s());
	return lrd_select(lrd_mask_and(is_extreme(alpha), lrd_mask_not(kept)), lrd_f32s_of(BC7_REFUSED), zero_f32s());
}

/// Choose indices for the endpoints and measure what decoders will make of them.
FIT_INLINE void measure(const bc7_texels *texels, const bc7_metric *metric, bc7_shape shape, bc7_fit *fit)
{
	bc7_line lines[3];
	lines_of_ends(fit->ends, metric, shape, lines);
	fit->error = fit->of_subset[1] = fit->of_subset[2] = zero_f32s();
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s index = index_at(texels, lines, shape, i);
		fit->index[i] = lrd_to_i32s(index);
		lrd_f32s weight = weight_of(index, shape) * (1.0f / 64), off[4];
		for (int c = 0; c < shape.channels; ++c)
		{
			lrd_f32s first = fit->ends[0].e[0][c], second = fit->ends[0].e[1][c];
			for (int s = 1; s < shape.subsets; ++s)
			{
				lrd_mask in = lrd_bit(subset_bits(texels, s), i);
				first = lrd_select(in, fit->ends[s].e[0][c], first);
				second = lrd_select(in, fit->ends[s].e[1][c], second);
			}
			off[c] = mix(first, second - first, weight) - texels->x[c][i];
		}
		lrd_f32s error = error_of(metric, shape.channels, off);
		if (shape.channels == 4)
		{
			error += alpha_penalty(texels->x[3][i], off[3]);
		}
		fit->error += error;
		for (int s = 1; s < shape.subsets; ++s)
		{
			fit->of_subset[s] = lrd_add_where(lrd_bit(subset_bits(texels, s), i), fit->of_subset[s], error);
		}
	}
	fit->of_subset[0] = fit->error - fit->of_subset[1] - fit->of_subset[2];
}

/// The best endpoints of each subset so far.
typedef struct bc7_champion
{
	bc7_ends ends[3];
	lrd_f32s of_subset[3]; ///< errors
} bc7_champion;

FIT_INLINE void keep_better(bc7_champion *best, const bc7_fit *fit, bc7_shape shape)
{
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_mask better = lrd_less(fit->of_subset[s], best->of_subset[s]);
		best->of_subset[s] = lrd_min(fit->of_subset[s], best->of_subset[s]);
		for (int c = 0; c < shape.channels; ++c)
		{
			best->ends[s].e[0][c] = lrd_select(better, fit->ends[s].e[0][c], best->ends[s].e[0][c]);
			best->ends[s].e[1][c] = lrd_select(better, fit->ends[s].e[1][c], best->ends[s].e[1][c]);
		}
	}
}

/// Endpoints moved by a step of the grid in one channel: which way, says `move`, 0..6 * channels - 1.
#define BC7_MOVES 6
FIT_INLINE void move_ends(const bc7_champion *from, bc7_shape shape, int move, bc7_fit *fit)
{
	static const int moves[BC7_MOVES][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 }, { -1, -1 } };
	int c = move / BC7_MOVES;
	const int *steps = moves[move % BC7_MOVES];
	memcpy(fit->ends, from->ends, sizeof fit->ends);
	for (int s = 0; s < shape.subsets; ++s)
	{
		fit->ends[s].e[0][c] = step_on_grid(from->ends[s].e[0][c], shape, steps[0]);
		fit->ends[s].e[1][c] = step_on_grid(from->ends[s].e[1][c], shape, steps[1]);
	}
}

/// First guesses: how many steps of the index the least and the greatest projection lie inside the range of indices.
/// Indices and endpoints that suit each other are a local optimum, and which one is found depends on where one starts.
#define BC7_STARTS 9
static const float starts[BC7_STARTS][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 }, { -0.5f, -0.5f }, { 2, 0 },
	{ 0, 2 }, { -1, 0 }, { 0, -1 } };

/// The least and greatest alpha of each subset.
FIT_INLINE void alpha_of_subsets(const bc7_texels *texels, bc7_shape shape, bc7_sums sums[3])
{
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_f32s low = lrd_f32s_of(255.0f), high = zero_f32s();
		for (int i = 0; i < 16; ++i)
		{
			lrd_mask in = lrd_bit(texels->in_second, i);
			in = s == 0 ? lrd_mask_not(in) : in;
			lrd_f32s x = texels->x[3][i];
			low = shape.subsets == 1 ? lrd_min(x, low) : lrd_select(in, lrd_min(x, low), low);
			high = shape.subsets == 1 ? lrd_max(x, high) : lrd_select(in, lrd_max(x, high), high);
		}
		sums[s].alpha[0] = low;
		sums[s].alpha[1] = high;
	}
}

/// From one start, least squares and indices in turns.
FIT_INLINE void fit_from(const bc7_texels *texels, const bc7_metric *metric, bc7_shape shape,
	const lrd_bc7_trial *trial, const float start[2], const bc7_line axes[3], bc7_sums sums[3], bc7_fit *fit)
{
	bc7_line lines[3];
	const float most = (float)(shape.levels - 1), scale = (most - start[0] - start[1]) / most;
	for (int s = 0; s < shape.subsets; ++s)
	{
		lines[s].off = axes[s].off * scale - start[0];
		for (int c = 0; c < shape.channels; ++c)
		{
			lines[s].d[c] = axes[s].d[c] * scale;
		}
	}
	for (int i = 0;; ++i)
	{
		sums_of_lines(texels, lines, shape, sums);
		ends_of_sums(sums, shape, trial->thorough, fit->ends);
		if (i == trial->refinements)
		{
			return;
		}
		lines_of_ends(fit->ends, metric, shape, lines);
	}
}

/// A whole fit: the axes, then the best of all starts and of the moves after them.
FIT_INLINE void fit_shape(
	const bc7_texels *texels, const bc7_metric *metric, bc7_shape shape, const lrd_bc7_trial *trial, bc7_fit *fit)
{
	bc7_moments moments[3];
	bc7_line lines[3];
	bc7_sums sums[3];
	moments_of_subsets(texels, shape, moments);
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_f32s axis[4];
		axis_of(&moments[s], metric, shape.channels, 3, axis);
		weigh(metric, shape.channels, axis, lines[s].d);
		sums[s].n = moments[s].n;
		memcpy(sums[s].x, moments[s].x, sizeof sums[s].x);
	}
	if (shape.channels == 4)
	{
		alpha_of_subsets(texels, shape, sums);
	}
	lines_of_axes(texels, shape, lines);
	const int moves = BC7_MOVES * shape.channels, count = trial->starts + trial->polish * moves;
	bc7_champion best = { .of_subset = { lrd_f32s_of(1e30f), lrd_f32s_of(1e30f), lrd_f32s_of(1e30f) } };
	*fit = (bc7_fit){ 0 };
	for (int k = 0;; ++k)
	{
		if (k < trial->starts)
		{
			fit_from(texels, metric, shape, trial, starts[k], lines, sums, fit);
		}
		else if (k < count)
		{
			move_ends(&best, shape, (k - trial->starts) % moves, fit);
		}
		else
		{
			memcpy(fit->ends, best.ends, sizeof fit->ends);
		}
		measure(texels, metric, shape, fit);
		if (k == count || count == 1) // measured once more, for the indices
		{
			return;
		}
		keep_better(&best, fit, shape);
	}
}

#endif
