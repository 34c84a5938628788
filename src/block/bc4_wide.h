// block/bc4_wide.h: ends of BC4 blocks whose range is wide: attempts that are judged by fractions of a step, and the best
// few of them settled in whole numbers. Private to bc4_kernel.c.
//
// The error over the two ends is rough, with many local minima. For a given number of steps across a block's range and a
// phase of its lowest value between two of them, it is a sum of squared fractions, which wrap round in a byte for
// nothing: a table of such pairs is tried. For the best few, the values that texels took are kept, and the ends that fit
// them are found exactly in whole numbers; then once more for the values that are nearest to texels between those ends.

#ifndef BLOCK_BC4_WIDE_H
#define BLOCK_BC4_WIDE_H

#include "base/lanes.h"
#include "block/encode.h"

#define KEPT 4
#define KEPT_FEW 3
#define SHARES_LIMIT 3
#define FAR 1e9f

// Distances that are tried to each side of a fitted one.
#define AROUND 2

/// A channel of a block a lane.
typedef struct bc4_values
{
	lrd_i16s value[8]; // texel 2 i and 2 i + 1
	lrd_i32s low;
	lrd_i32s high;
} bc4_values;

/// The part of a block that is between two ends.
typedef struct bc4_span
{
	lrd_i16s offset[8]; // from the lowest
	lrd_i16s taken[8];  // all bits where a texel is of the part; unused where all are
	lrd_i8s taken_bytes[4];
	lrd_i32s low;
	lrd_f32s range;
	lrd_f32s count;      // texels
	lrd_f32s share;      // of a texel: 1 / count
	bool held;           // some lane holds an end:
	lrd_mask holds_low;  // a texel that must stay 0
	lrd_mask holds_high; // and one that must stay 255
} bc4_span;

/// The first end, its distance to the second, and the squared error.
typedef struct bc4_ends
{
	lrd_i32s first;
	lrd_i32s distance;
	lrd_f32s error;
} bc4_ends;

#define ATTEMPTS_LIMIT 16

/// Attempts of the same steps follow each other, as they share what depends on those.
typedef struct attempts
{
	float steps[ATTEMPTS_LIMIT];   // across the range
	float phase[ATTEMPTS_LIMIT];   // of the lowest value between two steps, -0.5 to 0.5
	float weight[ATTEMPTS_LIMIT];  // 1 / steps^2
	uint8_t shift[ATTEMPTS_LIMIT]; // the phase in 2^-8 steps; even
	int count;
	int kept;     // the best attempts, which go on
	int polished; // distances that are tried to each side of the best one, texels at their nearest steps
} attempts;

#define STEPS(steps, phase) steps,
#define PHASE(steps, phase) phase,
#define WEIGHT(steps, phase) 1.0f / ((steps) * (steps)),
#define SHIFT(steps, phase) (uint8_t)(2 * (int)((phase)*128.0f)),
#define ONE(steps, phase) +1
#define ATTEMPTS(list, kept, polished)                                                                                 \
	{                                                                                                                  \
		{ list(STEPS) }, { list(PHASE) }, { list(WEIGHT) }, { list(SHIFT) }, list(ONE), kept, polished                 \
	}

/// For 6-value blocks, texels nearer to 0 or 255 than a share of the block's range are left to those: 1 / share.
typedef struct outer_effort
{
	attempts of_5;
	int shares;
	int share[SHARES_LIMIT];
	float leave; // how much of the error so far, at most, what is left to them may cost
} outer_effort;

typedef struct effort
{
	attempts of_7;
	outer_effort outer;
	attempts drawn_of_7;
	outer_effort drawn_outer;
	bool all; // go on to every pair of ends
} effort;

static inline lrd_i32s sum_pairs(lrd_i16s pairs)
{
	return lrd_dot_pairs(pairs, lrd_i16s_of(1));
}

/// Offsets in steps, the fractions in 7 bits and 1: an odd byte, which wraps round where a fraction does.
static inline void scale_offsets(const bc4_span *s, lrd_f32s scale, lrd_u8s scaled[4])
{
	lrd_u16s factor = (lrd_u16s)lrd_pairs_of(lrd_to_i32s(scale + 0.5f));
	for (int i = 0; i < 4; ++i)
	{
		lrd_u16s one = (lrd_u16s)s->offset[2 * i] * factor;
		lrd_u16s two = (lrd_u16s)s->offset[2 * i + 1] * factor;
		scaled[i] = (lrd_u8s)((one >> 8) | (two & 0xff00) | 0x0101);
	}
}

/// Squared distances to the nearest steps in 2^-18, after the best phase near this one.
static inline lrd_f32s fractions(const bc4_span *s, const lrd_u8s scaled[4], uint8_t phase, bool masked)
{
	lrd_u8s shift = (lrd_u8s){ 0 } + phase;
	lrd_u16s squares[4];
	lrd_i16s sum = lrd_i16s_of(0);
	for (int i = 0; i < 4; ++i)
	{
		lrd_i8s fraction = (lrd_i8s)(scaled[i] + shift);
		fraction = masked ? fraction & s->taken_bytes[i] : fraction;
		lrd_i8s size = lrd_abs_bytes(fraction);
		squares[i] = (lrd_u16s)lrd_dot_bytes((lrd_u8s)size, size);
		sum += lrd_dot_bytes((lrd_u8s){ 0 } + 1, fraction);
	}
	lrd_u16s quarter = (squares[0] + squares[1]) >> 2;
	quarter += (squares[2] + squares[3]) >> 2;
	lrd_f32s mean = lrd_to_f32s(sum_pairs(sum));
	lrd_f32s share = masked ? s->share * 0.25f : lrd_f32s_of(0.25f / 16.0f);
	return lrd_to_f32s(sum_pairs((lrd_i16s)quarter)) - mean * mean * share;
}

/// Errors of all attempts, the least few kept: the bits of a float above, the attempt's number in the last ones.
static inline void scan(
	const bc4_span *s, const attempts *tries, lrd_f32s unit, bool masked, int kept_count, lrd_i32s kept[KEPT])
{
	lrd_u8s scaled[4];
	for (int i = 0; i < kept_count; ++i)
	{
		kept[i] = lrd_i32s_of(INT32_MAX);
	}
	for (int t = 0; t < tries->count; ++t)
	{
		if (t == 0 || tries->steps[t] != tries->steps[t - 1])
		{
			scale_offsets(s, unit * tries->steps[t], scaled);
		}
		lrd_f32s error = fractions(s, scaled, tries->shift[t], masked) * tries->weight[t];
		lrd_i32s key = (lrd_bits_of_f32s(error) & ~(ATTEMPTS_LIMIT - 1)) | t;
		for (int i = 0; i < kept_count; ++i)
		{
			lrd_i32s worse = lrd_max_i(kept[i], key);
			kept[i] = lrd_min_i(kept[i], key);
			key = worse;
		}
	}
}

/// The steps that an attempt gives to texels, 0 to `highest`.
static inline void assign(const bc4_span *s, const attempts *tries, lrd_f32s unit, lrd_i32s number, bool masked,
	lrd_i16s step[8], lrd_i32s *highest)
{
	lrd_i32s at = number & (ATTEMPTS_LIMIT - 1);
	lrd_f32s steps = lrd_look_up(tries->steps, at);
	lrd_f32s phase = lrd_look_up(tries->phase, at) + 0.5f;
	lrd_i16s scale = lrd_pairs_of(lrd_to_i32s(steps * 0.5f * unit));
	lrd_i16s start = lrd_pairs_of(lrd_to_i32s(phase * 64.0f + 0.5f));
	for (int i = 0; i < 8; ++i)
	{
		step[i] = (lrd_mul_high(s->offset[i] << 7, scale) + start) >> 6;
		step[i] = masked ? step[i] & s->taken[i] : step[i];
	}
	*highest = lrd_to_i32s(steps + phase);
}

/// Least squares: the distance of the ends for these steps, and steps moved up where the second end would pass 255.
static inline lrd_i32s fit(const bc4_span *s, int last, bool masked, lrd_i16s step[8], lrd_i32s highest)
{
	lrd_i16s sums = lrd_i16s_of(0);
	lrd_i16s offsets = lrd_i16s_of(0);
	lrd_i32s squares = lrd_i32s_of(0);
	lrd_i32s products = lrd_i32s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		sums += step[i];
		offsets += masked ? s->offset[i] & s->taken[i] : s->offset[i];
		squares += lrd_dot_pairs(step[i], step[i]);
		products += lrd_dot_pairs(step[i], s->offset[i]);
	}
	lrd_f32s sum = lrd_to_f32s(sum_pairs(sums));
	lrd_f32s offset = lrd_to_f32s(sum_pairs(offsets));
	lrd_f32s determinant = lrd_max(s->count * lrd_to_f32s(squares) - sum * sum, lrd_f32s_of(1.0f));
	lrd_f32s slope = (s->count * lrd_to_f32s(products) - sum * offset) / determinant;
	lrd_f32s distance = lrd_clamp(slope * (float)last, 1.0f, 255.0f);
	lrd_f32s first = lrd_to_f32s(s->low) + (offset - slope * sum) * s->share;
	lrd_f32s past = (first + distance - 255.0f) / distance * (float)last;
	lrd_i32s spare = lrd_i32s_of(last) - highest;
	lrd_i32s up = lrd_max_i(lrd_min_i(lrd_to_i32s(past + 0.75f), spare), lrd_i32s_of(0));
	up = lrd_select_i(s->holds_high, spare, up);
	lrd_i16s move = lrd_pairs_of(up);
	for (int i = 0; i < 8; ++i)
	{
		step[i] += masked ? move & s->taken[i] : move;
	}
	return lrd_to_i32s(distance + 0.5f);
}

/// The error of steps, given as `product`s with this distance of the ends; the first end where it is least.
static inline bc4_ends measure(const bc4_span *s, int last, bool masked, const lrd_i16s product[8], lrd_i32s distance)
{
	lrd_i16s share = lrd_i16s_of(last == 7 ? 4681 : 6554); // 2^15 / last: near enough to round as the fraction does
	lrd_i16s sums = lrd_i16s_of(0);
	lrd_i32s squares = lrd_i32s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		lrd_i16s rest = s->offset[i] - lrd_mul_round(product[i], share);
		rest = masked ? rest & s->taken[i] : rest;
		sums += rest;
		squares += lrd_dot_pairs(rest, rest);
	}
	lrd_f32s low = lrd_to_f32s(s->low);
	lrd_f32s most = 255.0f - lrd_to_f32s(distance);
	lrd_f32s sum = lrd_to_f32s(sum_pairs(sums));
	lrd_f32s first = low + lrd_round(sum * s->share);
	lrd_f32s least = lrd_f32s_of(0.0f);
	if (s->held)
	{
		least = lrd_select(s->holds_high, most, least);
		most = lrd_select(s->holds_low, lrd_f32s_of(0.0f), most);
	}
	first = lrd_min(lrd_max(first, least), most);
	lrd_f32s move = first - low;
	lrd_f32s error = lrd_to_f32s(squares) + move * (s->count * move - 2.0f * sum);
	return (bc4_ends){ lrd_to_i32s(first), distance, error };
}

static inline void take_better(bc4_ends *best, const bc4_ends *other)
{
	lrd_mask better = lrd_less(other->error, best->error);
	best->first = lrd_select_i(better, other->first, best->first);
	best->distance = lrd_select_i(better, other->distance, best->distance);
	best->error = lrd_select(better, other->error, best->error);
}

/// Distances up to `around` from the `middle`.
static inline void settle(
	const bc4_span *s, int around, int last, bool masked, const lrd_i16s step[8], lrd_i32s middle, bc4_ends *best)
{
	middle = lrd_max_i(lrd_min_i(middle, lrd_i32s_of(255 - around)), lrd_i32s_of(1 + around));
	lrd_i32s distance = middle - around;
	lrd_i16s factor = lrd_pairs_of(distance);
	lrd_i16s product[8];
	for (int i = 0; i < 8; ++i)
	{
		product[i] = step[i] * factor;
	}
	for (int i = -around;; ++i)
	{
		bc4_ends found = measure(s, last, masked, product, distance);
		take_better(best, &found);
		if (i == around)
		{
			return;
		}
		distance += 1;
		for (int j = 0; j < 8; ++j)
		{
			product[j] += step[j];
		}
	}
}

/// Each texel at its nearest step between these ends, and the distances around theirs.
static inline void polish(const bc4_span *s, int around, int last, bc4_ends *best)
{
	lrd_i32s apart = lrd_max_i(best->distance, lrd_i32s_of(last));
	lrd_i16s from = lrd_pairs_of(best->first - s->low);
	lrd_i16s rate = lrd_pairs_of(lrd_to_i32s(32768.0f / lrd_to_f32s(apart) + 0.5f));
	lrd_i16s most = lrd_i16s_of((int16_t)last);
	lrd_i16s step[8];
	for (int i = 0; i < 8; ++i)
	{
		step[i] = lrd_mul_round((s->offset[i] - from) * (int16_t)last, rate);
		step[i] = lrd_max_pairs(lrd_min_pairs(step[i], most), lrd_i16s_of(0));
	}
	settle(s, around, last, false, step, apart, best);
}

/// The best ends that the attempts lead to, `last` steps apart. Where so many steps reach each value, just that.
static inline bc4_ends search(const bc4_span *s, const attempts *tries, int last, bool masked)
{
	lrd_mask reached = lrd_less_equal(s->range, lrd_f32s_of((float)last));
	bc4_ends best = { lrd_min_i(s->low, lrd_i32s_of(255 - last)), lrd_i32s_of(last),
		lrd_select(reached, lrd_f32s_of(0.0f), lrd_f32s_of(FAR)) };
	if (lrd_all(reached))
	{
		return best;
	}
	lrd_f32s unit = 65536.0f / lrd_max(s->range, lrd_f32s_of((float)(last + 1)));
	lrd_i32s kept[KEPT];
	if (tries->kept <= KEPT_FEW) // known numbers stay in registers
	{
		scan(s, tries, unit, masked, KEPT_FEW, kept);
	}
	else
	{
		scan(s, tries, unit, masked, KEPT, kept);
	}
	for (int i = 0; i < tries->kept; ++i)
	{
		lrd_i16s step[8];
		lrd_i32s highest;
		assign(s, tries, unit, kept[i], masked, step, &highest);
		settle(s, AROUND, last, masked, step, fit(s, last, masked, step, highest), &best);
	}
	if (tries->polished > 0 && !masked)
	{
		polish(s, tries->polished, last, &best);
	}
	return best;
}

static void span_of_all(const bc4_values *v, bool exact_ends, bc4_span *s)
{
	lrd_i16s low = lrd_pairs_of(v->low);
	for (int i = 0; i < 8; ++i)
	{
		s->offset[i] = v->value[i] - low;
	}
	s->low = v->low;
	s->range = lrd_to_f32s(v->high - v->low);
	s->count = lrd_f32s_of(16.0f);
	s->share = 1.0f / s->count;
	int32_t none = exact_ends ? 0 : 1; // which no value passes
	s->holds_low = lrd_less_i(v->low, lrd_i32s_of(1 - none));
	s->holds_high = lrd_less_i(lrd_i32s_of(254 + none), v->high);
	s->held = exact_ends;
}

/// The texels farther than `near` from 0 and 255; the squared error of the others, which take those.
static lrd_f32s span_between(const bc4_values *v, lrd_i32s near, bc4_span *s)
{
	lrd_i16s limit = lrd_pairs_of(near);
	lrd_i16s low = lrd_i16s_of(255);
	lrd_i16s high = lrd_i16s_of(0);
	lrd_i16s count = lrd_i16s_of(0);
	lrd_i32s squares = lrd_i32s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		lrd_i16s end = lrd_min_pairs(v->value[i], 255 - v->value[i]);
		lrd_i16s taken = (lrd_i16s)(end > limit);
		end &= ~taken;
		s->taken[i] = taken;
		low = lrd_min_pairs(low, v->value[i] | (~taken & 255));
		high = lrd_max_pairs(high, v->value[i] & taken);
		count -= taken;
		squares += lrd_dot_pairs(end, end);
	}
	lrd_i32s least = lrd_min_i(lrd_first(low), lrd_second(low));
	lrd_i32s most = lrd_max_i(lrd_first(high), lrd_second(high));
	for (int i = 0; i < 8; ++i)
	{
		s->offset[i] = (v->value[i] - lrd_pairs_of(least)) & s->taken[i];
	}
	for (int i = 0; i < 4; ++i)
	{
		s->taken_bytes[i] = (lrd_i8s)((s->taken[2 * i] & 0xff) | (s->taken[2 * i + 1] & ~0xff));
	}
	s->low = least;
	s->range = lrd_to_f32s(most - least); // below 0 where no texel is between
	s->count = lrd_max(lrd_to_f32s(sum_pairs(count)), lrd_f32s_of(1.0f));
	s->share = 1.0f / s->count;
	s->holds_low = lrd_less_i(least, lrd_i32s_of(0));
	s->holds_high = s->holds_low;
	s->held = false;
	return lrd_to_f32s(squares);
}

// Which attempts are worth their time was found by greedy choice over photographs, with normals, drawings and noise: the
// error that a list leaves above the optimum, one attempt added or exchanged after another.
// clang-format off
#define FAST_OF_7(X) \
	X(7.80f, -0.48f) X(7.50f, -0.24f) X(7.50f, -0.08f) X(7.35f, -0.48f) X(7.35f, -0.32f) \
	X(7.20f, 0.24f) X(7.05f, 0.00f) X(6.90f, 0.24f) X(6.90f, -0.16f) X(6.30f, -0.08f) \
	X(6.15f, -0.32f) X(5.70f, 0.40f) X(5.25f, -0.16f)
#define FAST_OF_5(X) \
	X(5.80f, -0.48f) X(5.65f, -0.16f) X(5.35f, -0.48f) X(5.20f, -0.16f) X(5.20f, 0.16f) \
	X(4.75f, 0.08f) X(4.15f, -0.08f) X(3.25f, -0.24f)
#define NORMAL_OF_7(X) \
	X(7.80f, -0.40f) X(7.65f, -0.16f) X(7.65f, -0.48f) X(7.20f, -0.08f) X(7.20f, -0.24f) \
	X(7.20f, 0.16f) X(7.20f, -0.40f) X(7.05f, 0.40f) X(6.75f, 0.08f) X(6.75f, 0.32f) \
	X(6.45f, -0.24f) X(6.00f, 0.08f) X(6.00f, -0.24f) X(5.40f, -0.24f) X(4.95f, 0.08f) \
	X(4.20f, -0.16f)
#define NORMAL_OF_5(X) \
	X(5.80f, -0.48f) X(5.65f, -0.32f) X(5.50f, -0.08f) X(5.35f, -0.48f) X(5.20f, -0.16f) \
	X(5.20f, 0.24f) X(5.05f, 0.16f) X(4.90f, 0.08f) X(4.90f, 0.40f) X(4.75f, -0.08f) \
	X(4.60f, -0.16f) X(4.30f, -0.40f) X(4.15f, -0.08f) X(3.85f, 0.16f) X(3.10f, -0.08f) \
	X(2.05f, -0.24f)
// Whole steps, for what is drawn: a few values that are evenly apart.
#define DRAWN_OF_7(X) \
	X(7.00f, 0.00f) X(6.00f, 0.00f) X(5.00f, 0.00f) X(4.00f, 0.00f) X(3.00f, 0.00f) \
	X(2.00f, 0.00f) X(1.00f, 0.00f)
#define DRAWN_OF_5(X) \
	X(5.00f, 0.00f) X(4.00f, 0.00f) X(3.00f, 0.00f) X(2.00f, 0.00f) X(1.00f, 0.00f)
// clang-format on

#define DRAWN                                                                                                          \
	.drawn_of_7 = ATTEMPTS(DRAWN_OF_7, 3, 2),                                                                          \
	.drawn_outer = { ATTEMPTS(DRAWN_OF_5, 3, 2), .shares = 1, .share = { 60 }, .leave = 2.0f }
#define NORMAL                                                                                                         \
	.of_7 = ATTEMPTS(NORMAL_OF_7, 4, 4),                                                                               \
	.outer = { ATTEMPTS(NORMAL_OF_5, 4, 3), .shares = 3, .share = { 60, 20, 10 }, .leave = 2.0f }

static const effort efforts[LRD_BLOCK_QUALITY_COUNT] = {
	[LRD_BLOCK_FAST] = {
		.of_7 = ATTEMPTS(FAST_OF_7, 3, 0),
		.outer = { ATTEMPTS(FAST_OF_5, 2, 1), .shares = 2, .share = { 24, 11 }, .leave = 1.0f },
		DRAWN,
	},
	[LRD_BLOCK_NORMAL] = { NORMAL, DRAWN },
	[LRD_BLOCK_BEST] = { NORMAL, DRAWN, .all = true },
};

/// Ends for 8-value blocks.
static inline void bc4_search_wide(const bc4_values *v, const attempts *tries, bool exact_ends, bc4_ends *best)
{
	bc4_span all;
	span_of_all(v, exact_ends, &all);
	*best = search(&all, tries, 7, false);
	lrd_mask both = lrd_mask_and(all.holds_low, all.holds_high);
	best->error = lrd_select(both, lrd_f32s_of(FAR), best->error);
}

/// Blocks half of which is of their lowest or highest value: ink on paper.
static inline lrd_mask bc4_is_drawn(const bc4_values *v)
{
	lrd_i16s low = lrd_pairs_of(v->low);
	lrd_i16s high = lrd_pairs_of(v->high);
	lrd_i16s count = lrd_i16s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		count -= (lrd_i16s)(v->value[i] == low) | (lrd_i16s)(v->value[i] == high);
	}
	return lrd_less_i(lrd_i32s_of(7), sum_pairs(count));
}

/// Where 6-value blocks may be better: some texel would be left to 0 or 255.
static inline lrd_mask bc4_may_be_outer(const bc4_values *v, const outer_effort *e)
{
	lrd_f32s near = lrd_to_f32s(v->high - v->low) * (1.0f / (float)e->share[e->shares - 1]);
	lrd_i32s end = lrd_min_i(v->low, 255 - v->high);
	return lrd_less_equal(lrd_to_f32s(end), near);
}

/// Each texel at what is nearest, 0 and 255 among them, and the distances around the one of the 6-value ends `found`.
static inline void split_anew(const bc4_values *v, bc4_span *s, int around, bc4_ends *found)
{
	lrd_i16s low = lrd_pairs_of(s->low);
	lrd_i16s from = lrd_pairs_of(found->first);
	lrd_i16s factor = lrd_pairs_of(found->distance);
	lrd_i16s rate = lrd_pairs_of(lrd_to_i32s(32768.0f / lrd_to_f32s(found->distance) + 0.5f));
	lrd_i16s count = lrd_i16s_of(0);
	lrd_i32s squares = lrd_i32s_of(0);
	lrd_i16s step[8];
	for (int i = 0; i < 8; ++i)
	{
		lrd_i16s offset = lrd_max_pairs(lrd_min_pairs(v->value[i] - from, factor), lrd_i16s_of(0));
		step[i] = lrd_min_pairs(lrd_mul_round(offset * 5, rate), lrd_i16s_of(5));
		lrd_i16s rest = v->value[i] - from - lrd_mul_round(step[i] * factor, lrd_i16s_of(6554));
		lrd_i16s end = lrd_min_pairs(v->value[i], 255 - v->value[i]);
		lrd_i16s outer = (lrd_i16s)(end < lrd_max_pairs(rest, -rest));
		s->taken[i] = ~outer;
		s->offset[i] = (v->value[i] - low) & ~outer;
		step[i] &= ~outer;
		count -= ~outer;
		squares += lrd_dot_pairs(end & outer, end);
	}
	s->count = lrd_max(lrd_to_f32s(sum_pairs(count)), lrd_f32s_of(1.0f));
	s->share = 1.0f / s->count;
	bc4_ends other = { found->first, found->distance, lrd_f32s_of(FAR) };
	settle(s, around, 5, true, step, found->distance, &other);
	other.error += lrd_to_f32s(squares);
	take_better(found, &other);
}

/// The 6-value blocks, where they may be better than `best`: true lanes took them.
static inline lrd_mask bc4_search_outer(const bc4_values *v, const outer_effort *e, bc4_ends *best)
{
	lrd_f32s range = lrd_to_f32s(v->high - v->low);
	lrd_mask six = lrd_less(lrd_f32s_of(0.0f), lrd_f32s_of(0.0f));
	lrd_f32s count = lrd_f32s_of(17.0f); // the first share may leave none: 6 values are at times nearer than 8
	for (int i = 0; i < e->shares; ++i)
	{
		bc4_span between;
		lrd_i32s near = lrd_to_i32s(range * (1.0f / (float)e->share[i]));
		lrd_f32s outer = span_between(v, near, &between);
		lrd_mask may = lrd_mask_and(lrd_less(outer, e->leave * best->error), lrd_less(between.count, count));
		count = between.count; // where the next share leaves as many, it leaves the same
		if (lrd_any(may))
		{
			bc4_ends found = search(&between, &e->of_5, 5, true);
			found.error += outer;
			split_anew(v, &between, e->of_5.polished, &found);
			lrd_mask better = lrd_mask_and(may, lrd_less(found.error, best->error));
			found.error = lrd_select(better, found.error, lrd_f32s_of(FAR));
			take_better(best, &found);
			six = lrd_mask_or(six, better);
		}
	}
	return six;
}

#endif
