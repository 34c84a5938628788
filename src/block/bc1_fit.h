// block/bc1_fit.h: the arithmetic of BC1 in lanes: ends from the steps that texels take, and steps from ends. Private to
// bc1_kernel.c.
//
// A palette is what block/block.h decodes, not what one maker's hardware does: ends widened to 8 bits, then thirds and
// halves rounded to the nearest of 8 bits, (2 a + b + 1) / 3 and (a + b + 1) / 2.

#ifndef BLOCK_BC1_FIT_H
#define BLOCK_BC1_FIT_H

#include "base/lanes.h"

#define BC1_FAR 1e30f

/// A block a lane.
typedef struct bc1_texels
{
	lrd_f32s c[3][16];
	lrd_i32s word[16]; // RGBA
	lrd_f32s used[16]; // 1, or 0 for a texel that takes the fourth of three colours
	bool any_unused;   // in any lane
	lrd_f32s square;   // weighted sum of squares of the used
	float weight[3];
} bc1_texels;

/// Ends in steps of 5, 6 and 5 bits.
typedef struct bc1_ends
{
	lrd_i32s level[2][3];
} bc1_ends;

/// A block as it is written, and its weighted squared error.
typedef struct bc1_block
{
	lrd_i32s first;
	lrd_i32s second;
	lrd_i32s codes; // 2 bits a texel
	lrd_f32s error;
} bc1_block;

/// Sums over texels, each so much of the first end as `share` and the rest of the second.
typedef struct bc1_sums
{
	lrd_f32s aa; // share * share
	lrd_f32s ab;
	lrd_f32s bb;
	lrd_f32s a[3]; // share * colour
	lrd_f32s b[3];
} bc1_sums;

static inline int bc1_most(int channel)
{
	return channel == 1 ? 63 : 31;
}

/// A step of a channel as 8 bits.
static inline lrd_f32s bc1_widen(lrd_i32s level, int channel)
{
	return lrd_to_f32s(channel == 1 ? level << 2 | level >> 4 : level << 3 | level >> 2);
}

static inline lrd_i32s bc1_narrow(lrd_f32s value, int channel)
{
	float most = (float)bc1_most(channel);
	return lrd_to_i32s(lrd_clamp(value * (most / 255.0f), 0.0f, most) + 0.5f);
}

static inline lrd_i32s bc1_pack(const lrd_i32s level[3])
{
	return level[0] << 11 | level[1] << 5 | level[2];
}

static inline void bc1_unpack(lrd_i32s packed, lrd_i32s level[3])
{
	level[0] = packed >> 11 & 31;
	level[1] = packed >> 5 & 63;
	level[2] = packed & 31;
}

static inline void bc1_take_better(bc1_block *best, const bc1_block *other)
{
	lrd_mask better = lrd_less(other->error, best->error);
	best->first = lrd_select_i(better, other->first, best->first);
	best->second = lrd_select_i(better, other->second, best->second);
	best->codes = lrd_select_i(better, other->codes, best->codes);
	best->error = lrd_select(better, other->error, best->error);
}

/// Ends with the least squared error for the sums, among those that can be written: for the two steps of the first end
/// about the solution, the best step of the second. Rounding each by itself is often worse.
static inline void bc1_solve(const bc1_sums *s, bc1_ends *ends)
{
	lrd_f32s none = lrd_f32s_of(1e-3f);
	lrd_f32s determinant = s->aa * s->bb - s->ab * s->ab;
	lrd_f32s inverse = 1.0f / lrd_max(determinant, none);
	lrd_f32s inverse_bb = 1.0f / lrd_max(s->bb, none);
	for (int i = 0; i < 3; ++i)
	{
		float most = (float)bc1_most(i);
		lrd_f32s ideal = (s->a[i] * s->bb - s->b[i] * s->ab) * inverse;
		lrd_i32s below = lrd_to_i32s(lrd_clamp(ideal * (most / 255.0f), 0.0f, most));
		lrd_f32s least = lrd_f32s_of(BC1_FAR);
		for (int up = 0; up < 2; ++up)
		{
			lrd_i32s first = lrd_min_i(below + up, lrd_i32s_of(bc1_most(i)));
			lrd_f32s a = bc1_widen(first, i);
			lrd_i32s second = bc1_narrow((s->b[i] - s->ab * a) * inverse_bb, i);
			lrd_f32s b = bc1_widen(second, i);
			lrd_f32s error = a * (s->aa * a - 2.0f * s->a[i]) + b * (s->bb * b + 2.0f * (s->ab * a - s->b[i]));
			lrd_mask better = lrd_less(error, least);
			least = lrd_select(better, error, least);
			ends->level[0][i] = lrd_select_i(better, first, ends->level[0][i]);
			ends->level[1][i] = lrd_select_i(better, second, ends->level[1][i]);
		}
	}
}

/// What the distance of a texel to a colour needs beside the texel's own square.
typedef struct bc1_colour
{
	lrd_f32s twice[3]; // -2 weight c
	lrd_f32s square;
} bc1_colour;

static inline void bc1_colour_of(const bc1_texels *t, const lrd_f32s c[3], bc1_colour *colour)
{
	colour->square = lrd_f32s_of(0.0f);
	for (int i = 0; i < 3; ++i)
	{
		lrd_f32s weighted = c[i] * t->weight[i];
		colour->twice[i] = weighted * -2.0f;
		colour->square += weighted * c[i];
	}
}

static inline lrd_f32s bc1_distance(const bc1_texels *t, int texel, const bc1_colour *colour)
{
	return t->c[0][texel] * colour->twice[0] + t->c[1][texel] * colour->twice[1] +
		   (t->c[2][texel] * colour->twice[2] + colour->square);
}

/// A third of whole numbers below 2^12, rounded to the nearest. The product is never below a whole third.
static inline lrd_f32s bc1_third(lrd_f32s sum)
{
	return lrd_to_f32s(lrd_to_i32s((sum + 1.0f) * 0.33333334f));
}

static inline lrd_f32s bc1_half(lrd_f32s sum)
{
	return lrd_to_f32s(lrd_to_i32s((sum + 1.0f) * 0.5f));
}

/// What a block may do with the fourth of three colours.
typedef enum bc1_fourth
{
	BC1_NO_FOURTH,   // texels that are not used take it, others don't
	BC1_BLACK_FOURTH // any texel may
} bc1_fourth;

/// The colours of a block of four between these ends, or of three and black.
static inline void bc1_palette(const bc1_ends *ends, lrd_mask four, lrd_f32s c[4][3])
{
	lrd_f32s black = lrd_f32s_of(0.0f);
	for (int i = 0; i < 3; ++i)
	{
		lrd_f32s a = bc1_widen(ends->level[0][i], i);
		lrd_f32s b = bc1_widen(ends->level[1][i], i);
		c[0][i] = a;
		c[1][i] = b;
		c[2][i] = lrd_select(four, bc1_third(a + a + b), bc1_half(a + b));
		c[3][i] = lrd_select(four, bc1_third(a + b + b), black);
	}
}

/// The ends in the order that says how many colours there are, and codes that follow it: the first of four is the greater
/// number, and that of three is not. `codes` are as though that were so.
static inline void bc1_put_in_order(const bc1_ends *ends, lrd_mask four, bc1_block *block)
{
	lrd_i32s one = bc1_pack(ends->level[0]);
	lrd_i32s two = bc1_pack(ends->level[1]);
	lrd_i32s all = lrd_i32s_of(0x55555555);
	lrd_i32s outer = ~(block->codes >> 1) & 0x55555555;
	lrd_i32s none = lrd_i32s_of(0);
	lrd_i32s flips = lrd_select_i(
		four, lrd_select_i(lrd_less_i(one, two), all, none), lrd_select_i(lrd_less_i(two, one), outer, none));
	block->codes ^= flips;
	block->first = lrd_select_i(four, lrd_max_i(one, two), lrd_min_i(one, two));
	block->second = lrd_select_i(four, lrd_min_i(one, two), lrd_max_i(one, two));
}

/// The block between these ends, each texel its nearest colour. Where the ends are equal and four colours were wanted,
/// decoders see three; codes are then 0, or 3 for texels that are not used.
static inline bc1_block bc1_measure(const bc1_texels *t, const bc1_ends *ends, lrd_mask four, bc1_fourth fourth)
{
	lrd_f32s c[4][3];
	bc1_colour colour[4];
	bc1_palette(ends, four, c);
	for (int i = 0; i < 4; ++i)
	{
		bc1_colour_of(t, c[i], &colour[i]);
	}
	lrd_f32s zero = lrd_f32s_of(0.0f);
	if (fourth == BC1_NO_FOURTH)
	{
		colour[3].square = lrd_select(four, colour[3].square, lrd_f32s_of(BC1_FAR));
	}
	bc1_block block = { .codes = lrd_i32s_of(0), .error = t->square };
	for (int i = 15; i >= 0; --i)
	{
		lrd_f32s d[4];
		for (int k = 0; k < 4; ++k)
		{
			d[k] = bc1_distance(t, i, &colour[k]);
		}
		lrd_f32s outer = lrd_min(d[1], d[0]);
		lrd_f32s inner = lrd_min(d[3], d[2]);
		lrd_f32s least = lrd_min(inner, outer);
		lrd_i32s outer_code = lrd_select_i(lrd_less(d[1], d[0]), lrd_i32s_of(1), lrd_i32s_of(0));
		lrd_i32s inner_code = lrd_select_i(lrd_less(d[3], d[2]), lrd_i32s_of(3), lrd_i32s_of(2));
		lrd_i32s code = lrd_select_i(lrd_less(inner, outer), inner_code, outer_code);
		if (t->any_unused)
		{
			lrd_mask unused = lrd_equal(t->used[i], zero);
			code = lrd_select_i(unused, lrd_i32s_of(3), code);
			least = lrd_select(unused, zero, least);
		}
		block.codes = (lrd_i32s)((lrd_u32s)block.codes << 2) | code;
		block.error += least;
	}
	bc1_put_in_order(ends, four, &block);
	return block;
}

static inline void bc1_add(bc1_sums *s, const bc1_texels *t, int texel, lrd_f32s a, lrd_f32s b)
{
	s->aa += a * a;
	s->ab += a * b;
	s->bb += b * b;
	for (int i = 0; i < 3; ++i)
	{
		s->a[i] += a * t->c[i][texel];
		s->b[i] += b * t->c[i][texel];
	}
}

/// Sums of the shares that codes say; a texel that takes the fourth of three colours has none.
static inline void bc1_sums_of_codes(const bc1_texels *t, lrd_i32s codes, lrd_mask four, bc1_sums *s)
{
	lrd_f32s odd_share = lrd_select(four, lrd_f32s_of(1.0f / 3.0f), lrd_f32s_of(0.0f));
	lrd_f32s even_share = lrd_select(four, lrd_f32s_of(2.0f / 3.0f), lrd_f32s_of(0.5f));
	lrd_f32s one = lrd_f32s_of(1.0f);
	lrd_f32s zero = lrd_f32s_of(0.0f);
	*s = (bc1_sums){ 0 };
	for (int i = 0; i < 16; ++i)
	{
		lrd_i32s code = codes >> (2 * i) & 3;
		lrd_mask odd = lrd_equal_i(code & 1, lrd_i32s_of(1));
		lrd_mask inner = lrd_less_i(lrd_i32s_of(1), code);
		lrd_f32s a = lrd_select(odd, lrd_select(inner, odd_share, zero), lrd_select(inner, even_share, one));
		lrd_f32s b = lrd_select(lrd_mask_and(lrd_mask_and(odd, inner), lrd_mask_not(four)), zero, 1.0f - a);
		bc1_add(s, t, i, a, b);
	}
}

static inline lrd_mask bc1_has_four(const bc1_block *block)
{
	return lrd_less_i(block->second, block->first);
}

static inline void bc1_ends_of(const bc1_block *block, bc1_ends *ends)
{
	bc1_unpack(block->first, ends->level[0]);
	bc1_unpack(block->second, ends->level[1]);
}

/// Least squares over the steps that a block has, then the nearest steps again.
static inline void bc1_refine(const bc1_texels *t, lrd_mask four, bc1_fourth fourth, bc1_block *best)
{
	bc1_sums sums;
	bc1_ends ends = { 0 };
	bc1_sums_of_codes(t, best->codes, four, &sums);
	bc1_solve(&sums, &ends);
	bc1_block found = bc1_measure(t, &ends, four, fourth);
	bc1_take_better(best, &found);
}

/// Single steps of a channel of an end, of both ends alike, and of both apart, each kept where it helps.
static inline void bc1_move(const bc1_texels *t, lrd_mask four, bc1_fourth fourth, bc1_block *best)
{
	static const int moves[8][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 }, { -1, -1 }, { 1, -1 },
		{ -1, 1 } };
	for (int i = 0; i < 3; ++i)
	{
		lrd_i32s most = lrd_i32s_of(bc1_most(i));
		for (int k = 0; k < 8; ++k)
		{
			bc1_ends ends;
			bc1_ends_of(best, &ends);
			for (int end = 0; end < 2; ++end)
			{
				lrd_i32s moved = ends.level[end][i] + moves[k][end];
				ends.level[end][i] = lrd_max_i(lrd_min_i(moved, most), lrd_i32s_of(0));
			}
			bc1_block found = bc1_measure(t, &ends, four, fourth);
			bc1_take_better(best, &found);
		}
	}
}

#endif
