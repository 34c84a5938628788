// block/bc7_split.h: modes 4 and 5, where one channel has endpoints and indices of its own, and blocks of one colour.
// Part of the kernel: included by bc7_kernel.c alone.

#ifndef BLOCK_BC7_SPLIT_H
#define BLOCK_BC7_SPLIT_H

#include "block/bc7_fit.h"
#include "block/bc7_pack.h"

/// What modes 4 and 5 are made of: colour as in bc7_shape, and the channel by itself.
typedef struct bc7_split
{
	bc7_shape colour; ///< one subset, three channels, no p-bits
	int levels;       ///< of the single channel's index
	int bits;         ///< of its endpoints
} bc7_split;

typedef struct bc7_split_fit
{
	bc7_fit colour;
	lrd_f32s e[2];
	lrd_i32s index[16];
	lrd_f32s error; ///< of the single channel, and at last of all
} bc7_split_fit;

/// A candidate is which channel changes places with alpha: 0 none, 1 red, 2 green, 3 blue.
FIT_INLINE void rotate_texel(lrd_i32s rotation, lrd_f32s x[4])
{
	lrd_f32s alpha = x[3];
	for (int c = 0; c < 3; ++c)
	{
		lrd_mask here = lrd_equal_i(rotation, lrd_i32s_of(c + 1));
		lrd_f32s channel = x[c];
		x[3] = lrd_select(here, channel, x[3]);
		x[c] = lrd_select(here, alpha, channel);
	}
}

FIT_INLINE void rotate_texels(const bc7_texels *texels, lrd_i32s rotation, bc7_texels *rotated)
{
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s x[4] = { texels->x[0][i], texels->x[1][i], texels->x[2][i], texels->x[3][i] };
		rotate_texel(rotation, x);
		for (int c = 0; c < 4; ++c)
		{
			rotated->x[c][i] = x[c];
		}
	}
}

/// Indices of the single channel for its endpoints, and the error; the sums for the next fit.
FIT_INLINE void measure_single(
	const lrd_f32s x[16], bc7_shape shape, lrd_mask is_alpha, bc7_split_fit *fit, bc7_sums *sums)
{
	lrd_f32s way = fit->e[1] - fit->e[0];
	lrd_f32s scale = lrd_select(lrd_equal(way, zero_f32s()), zero_f32s(), (float)(shape.levels - 1) / way);
	fit->error = zero_f32s();
	*sums = (bc7_sums){ .n = lrd_f32s_of(16.0f) };
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s index = lrd_round(lrd_clamp((x[i] - fit->e[0]) * scale, 0.0f, (float)(shape.levels - 1)));
		lrd_f32s weight = weight_of(index, shape) * (1.0f / 64);
		lrd_f32s off = mix(fit->e[0], way, weight) - x[i];
		fit->index[i] = lrd_to_i32s(index);
		fit->error += off * off + lrd_select(is_alpha, alpha_penalty(x[i], off), zero_f32s());
		sums->w += weight;
		sums->ww += weight * weight;
		sums->x[0] += x[i];
		sums->wx[0] += weight * x[i];
	}
}

FIT_INLINE void keep_better_single(bc7_split_fit *best, const bc7_split_fit *fit)
{
	lrd_mask better = lrd_less(fit->error, best->error);
	best->error = lrd_min(fit->error, best->error);
	best->e[0] = lrd_select(better, fit->e[0], best->e[0]);
	best->e[1] = lrd_select(better, fit->e[1], best->e[1]);
	for (int i = 0; i < 16; ++i)
	{
		best->index[i] = lrd_select_i(better, fit->index[i], best->index[i]);
	}
}

FIT_INLINE void fit_single(
	const lrd_f32s x[16], int levels, int bits, lrd_mask is_alpha, const lrd_bc7_trial *trial, bc7_split_fit *best)
{
	bc7_shape shape = { 1, 1, levels, bits, P_NONE };
	lrd_f32s low = x[0], high = x[0];
	for (int i = 1; i < 16; ++i)
	{
		low = lrd_min(low, x[i]);
		high = lrd_max(high, x[i]);
	}
	bc7_sums sums;
	best->e[0] = on_grid(low, bits, false, 0.0f);
	best->e[1] = on_grid(high, bits, false, 0.0f);
	measure_single(x, shape, is_alpha, best, &sums);
	lrd_f32s range = best->e[1] - best->e[0];
	lrd_mask hold_low = lrd_mask_and(is_alpha, is_extreme(low));
	lrd_mask hold_high = lrd_mask_and(is_alpha, is_extreme(high));
	for (int k = 0; k < trial->starts; ++k)
	{
		const float inside[2] = { starts[k][0] / (float)(levels - 1), starts[k][1] / (float)(levels - 1) };
		const float scale = 1.0f / (1.0f - inside[0] - inside[1]);
		bc7_split_fit fit;
		fit.e[0] = low - range * (inside[0] * scale);
		fit.e[1] = high + range * (inside[1] * scale);
		measure_single(x, shape, is_alpha, &fit, &sums);
		for (int i = 0; i < trial->refinements + 1; ++i)
		{
			bc7_ends ends = { 0 };
			ends_of_sums(&sums, shape, true, &ends);
			fit.e[0] = lrd_select(hold_low, low, ends.e[0][0]);
			fit.e[1] = lrd_select(hold_high, high, ends.e[1][0]);
			measure_single(x, shape, is_alpha, &fit, &sums);
			keep_better_single(best, &fit);
		}
	}
}

/// Turned so that the first index has its highest bit clear.
FIT_INLINE void turn_split(bc7_split split, bc7_split_fit *fit)
{
	int32_t none[2][LRD_LANES] = { { 0 } };
	bc7_texels nobody = { .in_second = lrd_i32s_of(0) };
	turn_subsets(&nobody, split.colour, none, &fit->colour);
	lrd_mask turn = lrd_less_i(lrd_i32s_of(split.levels / 2 - 1), fit->index[0]);
	lrd_f32s first = fit->e[0];
	fit->e[0] = lrd_select(turn, fit->e[1], first);
	fit->e[1] = lrd_select(turn, first, fit->e[1]);
	lrd_i32s flip = lrd_select_i(turn, lrd_i32s_of(split.levels - 1), lrd_i32s_of(0));
	for (int i = 0; i < 16; ++i)
	{
		fit->index[i] ^= flip;
	}
}

/// The error of the whole block, rotated back.
FIT_INLINE void measure_split(const bc7_texels *texels, const bc7_texels *rotated, lrd_i32s rotation,
	const bc7_metric *metric, bc7_split split, bc7_split_fit *fit)
{
	bc7_shape single = { 1, 1, split.levels, split.bits, P_NONE };
	fit->error = zero_f32s();
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s off[4], weight = weight_of(lrd_to_f32s(fit->colour.index[i]), split.colour) * (1.0f / 64);
		for (int c = 0; c < 3; ++c)
		{
			lrd_f32s first = fit->colour.ends[0].e[0][c];
			off[c] = mix(first, fit->colour.ends[0].e[1][c] - first, weight) - rotated->x[c][i];
		}
		weight = weight_of(lrd_to_f32s(fit->index[i]), single) * (1.0f / 64);
		off[3] = mix(fit->e[0], fit->e[1] - fit->e[0], weight) - rotated->x[3][i];
		rotate_texel(rotation, off);
		fit->error += error_of(metric, 4, off) + alpha_penalty(texels->x[3][i], off[3]);
	}
}

FIT_INLINE void fit_split(const bc7_texels *texels, lrd_i32s rotation, const bc7_metric *metric, bc7_split split,
	const lrd_bc7_trial *trial, bc7_split_fit *fit)
{
	bc7_texels rotated;
	bc7_metric plain = { .eye = false };
	rotate_texels(texels, rotation, &rotated);
	fit_shape(&rotated, &plain, split.colour, trial, &fit->colour);
	fit_single(rotated.x[3], split.levels, split.bits, lrd_equal_i(rotation, lrd_i32s_of(0)), trial, fit);
	measure_split(texels, &rotated, rotation, metric, split, fit);
}

/// Endpoints of 7 bits whose mix at a weight of 21 is `value`: there are some for each.
static void ends_of_value(int value, int ends[2])
{
	for (ends[0] = value / 2 > 0 ? value / 2 - 1 : 0; ends[0] < 128; ++ends[0])
	{
		int first = ends[0] << 1 | ends[0] >> 6;
		for (ends[1] = ends[0]; ends[1] < ends[0] + 3 && ends[1] < 128; ++ends[1])
		{
			int second = ends[1] << 1 | ends[1] >> 6;
			if ((43 * first + 21 * second + 32) >> 6 == value)
			{
				return;
			}
		}
	}
}

/// A block of one colour, exactly: mode 5, all indices of colour 1.
static void encode_solid(const uint8_t texel[4], uint8_t *out)
{
	uint64_t low = 1u << 5, high = 0;
	int at = 8;
	for (int c = 0; c < 3; ++c, at += 14)
	{
		int ends[2];
		ends_of_value(texel[c], ends);
		low |= ((uint64_t)ends[0] | (uint64_t)ends[1] << 7) << at;
	}
	// alpha twice from bit 50 on, then 31 bits of colour indices from bit 66 on
	low |= (uint64_t)texel[3] << 50 | (uint64_t)texel[3] << 58;
	high |= (uint64_t)texel[3] >> 6;
	uint64_t indices = 1;
	for (int i = 1; i < 16; ++i)
	{
		indices |= 1ull << (2 * i - 1);
	}
	high |= indices << 2;
	memcpy(out, &low, 8);
	memcpy(out + 8, &high, 8);
}

#endif
