// A channel to BC4: 8 values between two ends, or 6 between them with 0 and 255 beside. Two 16-bit values a lane, one
// block a lane. Errors are those of the values rounded to 8 bits, as block.h decodes them; with 7 and 5 steps no
// fraction is half-way, and the nearest of the rounded values is the one whose fraction is nearest.
//
// The error over the two ends is rough, with many local minima. For a given number of steps across a block's range and a
// phase of its lowest value between two of them, it is a sum of squared fractions, which wrap round in 16 bits for
// nothing: a table of such pairs is tried. For the best few, the values that texels took are kept, and the ends that fit
// them are found exactly in whole numbers; then single steps of the ends are tried. LRD_BLOCK_BEST goes on to try every pair that can be better (bc4_exact.h).

#include "block/bc4.h"

#include "base/lanes.h"
#include "block/bc4_exact.h"

#define KEPT 3
#define SHARES_LIMIT 3
#define PHASES_LIMIT 6
#define NUMBERS 128
#define FAR 1e9f

// Blocks that are searched exactly at once, and share what does not depend on them.
#define CHUNK 64

/// A channel of a block a lane.
typedef struct values
{
	lrd_i16s value[8]; // texel 2 i and 2 i + 1
	lrd_i16s end[8];   // how far it is from 0 or 255
	lrd_i32s low;
	lrd_i32s high;
} values;

/// The part of a block that is between two ends.
typedef struct span
{
	lrd_i16s offset[8]; // from the lowest
	lrd_i16s taken[8];  // all bits where a texel is of the part; unused where all are
	lrd_i32s low;
	lrd_f32s range;
	lrd_f32s count;      // texels
	lrd_f32s share;      // of a texel: 1 / count
	lrd_mask holds_low;  // a texel that must stay 0
	lrd_mask holds_high; // and one that must stay 255
} span;

/// The first end, its distance to the second, and the squared error.
typedef struct ends
{
	lrd_i32s first;
	lrd_i32s distance;
	lrd_f32s error;
} ends;

/// Steps across the range, and where the lowest value is between two steps, -0.5 to 0.5: what keeps the highest value
/// within the last step.
typedef struct pace
{
	float steps;
	int32_t phases;
	float phase[PHASES_LIMIT];
} pace;

/// Attempt number i is phase i % 8 of pace i / 8, which are 8 words each.
_Static_assert(sizeof(pace) == 32, "phases of a pace are found by their number");

typedef struct attempts
{
	int paces;
	int kept;   // the best attempts, which go on
	int moved;  // single steps of the ends that are tried then
	int around; // how many distances to each side of the fitted one
	const pace *list;
} attempts;

/// For 6-value blocks, texels nearer to 0 or 255 than a share of the block's range are left to those: 1 / share.
typedef struct effort
{
	attempts of_7;
	attempts of_5;
	int shares;
	int share[SHARES_LIMIT];
	bool all; // go on to every pair of ends
} effort;

static void load(const lrd_bc4_job *job, size_t first, values *v)
{
	int32_t words[8][LRD_LANES];
	unsigned shift = job->channel * 8u;
	for (size_t lane = 0; lane < LRD_LANES; ++lane)
	{
		size_t block = first + lane < job->count ? first + lane : job->count - 1;
		for (int i = 0; i < 8; ++i)
		{
			uint64_t two;
			memcpy(&two, job->texels[block] + i * 8, sizeof two);
			two = two >> shift & 0x000000ff000000ffu;
			words[i][lane] = (int32_t)(two | two >> 16);
		}
	}
	lrd_i16s low = lrd_i16s_of(255);
	lrd_i16s high = lrd_i16s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		v->value[i] = (lrd_i16s)lrd_i32s_load(words[i]);
		low = lrd_min_pairs(low, v->value[i]);
		high = lrd_max_pairs(high, v->value[i]);
	}
	v->low = lrd_min_i(lrd_first(low), lrd_second(low));
	v->high = lrd_max_i(lrd_first(high), lrd_second(high));
}

static inline lrd_i32s sum_pairs(lrd_i16s pairs)
{
	return lrd_dot_pairs(pairs, lrd_i16s_of(1));
}

/// Squared distances to the nearest steps, after the best phase near this one.
static inline lrd_f32s fractions(const span *s, const lrd_i16s scaled[8], float phase, bool masked)
{
	lrd_u16s shift = (lrd_u16s)lrd_i16s_of((int16_t)(phase * 65536.0f));
	lrd_i32s squares = lrd_i32s_of(0);
	lrd_i16s sum = lrd_i16s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		lrd_i16s fraction = (lrd_i16s)((lrd_u16s)scaled[i] + shift) >> 4;
		fraction = masked ? fraction & s->taken[i] : fraction;
		squares += lrd_dot_pairs(fraction, fraction);
		sum += fraction;
	}
	lrd_f32s mean = lrd_to_f32s(sum_pairs(sum));
	return lrd_to_f32s(squares) - mean * mean * s->share;
}

/// Errors of all attempts, the least few kept: the bits of a float above, the attempt's number in the last ones.
static inline void scan(const span *s, const attempts *tries, bool masked, lrd_i32s kept[KEPT])
{
	lrd_f32s unit = 65536.0f / s->range;
	for (int i = 0; i < KEPT; ++i)
	{
		kept[i] = lrd_i32s_of(INT32_MAX);
	}
	for (int t = 0; t < tries->paces; ++t)
	{
		const pace *with = &tries->list[t];
		lrd_i16s scaled[8];
		lrd_i16s scale = lrd_pairs_of(lrd_to_i32s(unit * with->steps + 0.5f));
		for (int i = 0; i < 8; ++i)
		{
			scaled[i] = (lrd_i16s)((lrd_u16s)s->offset[i] * (lrd_u16s)scale);
		}
		for (int p = 0; p < with->phases; ++p)
		{
			lrd_f32s error = fractions(s, scaled, with->phase[p], masked) * (1.0f / (with->steps * with->steps));
			lrd_i32s bits = lrd_bits_of_f32s(lrd_max(error, lrd_f32s_of(0.0f)));
			lrd_i32s key = (bits & ~(NUMBERS - 1)) | (t * 8 + p);
			for (int i = 0; i < KEPT; ++i)
			{
				lrd_i32s worse = lrd_max_i(kept[i], key);
				kept[i] = lrd_min_i(kept[i], key);
				key = worse;
			}
		}
	}
}

/// The steps that an attempt gives to texels, 0 to `last`.
static inline void assign(
	const span *s, const attempts *tries, lrd_i32s number, bool masked, lrd_i16s step[8], lrd_i32s *highest)
{
	lrd_i32s at = number & (NUMBERS - 1);
	lrd_f32s steps = lrd_gather(&tries->list[0].steps, at & ~7);
	lrd_f32s phase = lrd_gather(&tries->list[0].steps, at + 2) + 0.5f;
	lrd_i16s scale = lrd_pairs_of(lrd_to_i32s(steps * (32768.0f / s->range)));
	lrd_i16s start = lrd_pairs_of(lrd_to_i32s(phase * 64.0f + 0.5f));
	for (int i = 0; i < 8; ++i)
	{
		step[i] = (lrd_mul_high(s->offset[i] << 7, scale) + start) >> 6;
		step[i] = masked ? step[i] & s->taken[i] : step[i];
	}
	*highest = lrd_to_i32s(steps + phase);
}

/// Least squares: the distance of the ends for these steps, and steps moved up where the second end would pass 255.
static inline lrd_i32s fit(const span *s, int last, bool masked, lrd_i16s step[8], lrd_i32s highest)
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
static inline ends measure(const span *s, int last, bool masked, const lrd_i16s product[8], lrd_i32s distance)
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
	first = lrd_max(first, lrd_select(s->holds_high, most, lrd_f32s_of(0.0f)));
	first = lrd_min(first, lrd_select(s->holds_low, lrd_f32s_of(0.0f), most));
	lrd_f32s move = first - low;
	lrd_f32s error = lrd_to_f32s(squares) + move * (s->count * move - 2.0f * sum);
	return (ends){ lrd_to_i32s(first), distance, error };
}

static inline void take_better(ends *best, const ends *other)
{
	lrd_mask better = lrd_less(other->error, best->error);
	best->first = lrd_select_i(better, other->first, best->first);
	best->distance = lrd_select_i(better, other->distance, best->distance);
	best->error = lrd_select(better, other->error, best->error);
}

/// Ends around what least squares make of these steps.
static inline void settle(
	const span *s, const attempts *tries, int last, bool masked, lrd_i16s step[8], lrd_i32s highest, ends *best)
{
	lrd_i32s middle = fit(s, last, masked, step, highest);
	middle = lrd_max_i(lrd_min_i(middle, lrd_i32s_of(255 - tries->around)), lrd_i32s_of(1 + tries->around));
	lrd_i32s distance = middle - tries->around;
	lrd_i16s factor = lrd_pairs_of(distance);
	lrd_i16s product[8];
	for (int i = 0; i < 8; ++i)
	{
		product[i] = step[i] * factor;
	}
	for (int i = -tries->around;; ++i)
	{
		ends found = measure(s, last, masked, product, distance);
		take_better(best, &found);
		if (i == tries->around)
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

/// The error between these ends, each texel at its nearest step.
static inline ends measure_anew(const span *s, int last, bool masked, lrd_i32s first, lrd_i32s distance)
{
	lrd_i32s apart = lrd_max_i(distance, lrd_i32s_of(last));
	lrd_i16s from = lrd_pairs_of(first - s->low);
	lrd_i16s factor = lrd_pairs_of(apart);
	lrd_i16s rate = lrd_pairs_of(lrd_to_i32s(32768.0f / lrd_to_f32s(apart) + 0.5f));
	lrd_i16s share = lrd_i16s_of(last == 7 ? 4681 : 6554);
	lrd_i16s most = lrd_i16s_of((int16_t)last);
	lrd_i32s squares = lrd_i32s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		lrd_i16s offset = s->offset[i] - from;
		lrd_i16s step = lrd_mul_round(offset * (int16_t)last, rate);
		step = lrd_max_pairs(lrd_min_pairs(step, most), lrd_i16s_of(0));
		lrd_i16s rest = offset - lrd_mul_round(step * factor, share);
		rest = masked ? rest & s->taken[i] : rest;
		squares += lrd_dot_pairs(rest, rest);
	}
	lrd_i32s second = first + apart;
	lrd_mask good = lrd_mask_and(lrd_less_i(lrd_i32s_of(-1), first), lrd_less_i(second, lrd_i32s_of(256)));
	lrd_mask low_good = lrd_mask_or(lrd_mask_not(s->holds_low), lrd_equal_i(first, lrd_i32s_of(0)));
	lrd_mask high_good = lrd_mask_or(lrd_mask_not(s->holds_high), lrd_equal_i(second, lrd_i32s_of(255)));
	good = lrd_mask_and(good, lrd_mask_and(low_good, high_good));
	return (ends){ first, apart, lrd_select(good, lrd_to_f32s(squares), lrd_f32s_of(FAR)) };
}

/// The best ends that the attempts lead to, `last` steps apart. Where so many steps reach each value, just that.
static inline ends search(const span *s, const attempts *tries, int last, bool masked)
{
	lrd_mask reached = lrd_less_equal(s->range, lrd_f32s_of((float)last));
	ends best = { lrd_min_i(s->low, lrd_i32s_of(255 - last)), lrd_i32s_of(last),
		lrd_select(reached, lrd_f32s_of(0.0f), lrd_f32s_of(FAR)) };
	if (lrd_all(reached))
	{
		return best;
	}
	span wide = *s;
	wide.range = lrd_max(s->range, lrd_f32s_of((float)(last + 1)));
	lrd_i32s kept[KEPT];
	scan(&wide, tries, masked, kept);
	for (int i = 0; i < tries->kept; ++i)
	{
		lrd_i16s step[8];
		lrd_i32s highest;
		assign(&wide, tries, kept[i], masked, step, &highest);
		settle(&wide, tries, last, masked, step, highest, &best);
	}
	for (int i = 0; i < tries->moved; ++i)
	{
		// of the second end, of the first, of both
		static const int moves[6][2] = { { 0, 1 }, { 0, -1 }, { 1, -1 }, { -1, 1 }, { 1, 0 }, { -1, 0 } };
		ends found = measure_anew(&wide, last, masked, best.first + moves[i][0], best.distance + moves[i][1]);
		take_better(&best, &found);
	}
	return best;
}

static void span_of_all(const values *v, bool exact_ends, span *s)
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
}

/// The texels farther than `near` from 0 and 255; the squared error of the others, which take those.
static lrd_f32s span_between(const values *v, lrd_i32s near, span *s)
{
	lrd_i16s limit = lrd_pairs_of(near);
	lrd_i16s low = lrd_i16s_of(255);
	lrd_i16s high = lrd_i16s_of(0);
	lrd_i16s count = lrd_i16s_of(0);
	lrd_i32s squares = lrd_i32s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		lrd_i16s taken = (lrd_i16s)(v->end[i] > limit);
		lrd_i16s end = v->end[i] & ~taken;
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
	s->low = least;
	s->range = lrd_to_f32s(most - least); // below 0 where no texel is between
	s->count = lrd_max(lrd_to_f32s(sum_pairs(count)), lrd_f32s_of(1.0f));
	s->share = 1.0f / s->count;
	s->holds_low = lrd_less_i(least, lrd_i32s_of(0));
	s->holds_high = s->holds_low;
	return lrd_to_f32s(squares);
}

/// The 6-value blocks, where they may be better than `best`: true lanes took them.
static lrd_mask search_outer(values *v, const span *all, const effort *e, ends *best)
{
	for (int i = 0; i < 8; ++i)
	{
		v->end[i] = lrd_min_pairs(v->value[i], 255 - v->value[i]);
	}
	lrd_mask has_ends = lrd_less(lrd_f32s_of(0.0f), lrd_f32s_of(0.0f));
	lrd_f32s count = lrd_f32s_of(16.0f);
	for (int i = 0; i < e->shares; ++i)
	{
		span between;
		lrd_i32s near = lrd_to_i32s(all->range * (1.0f / (float)e->share[i]));
		lrd_f32s outer = span_between(v, near, &between);
		lrd_mask may = lrd_mask_and(lrd_less(outer, best->error), lrd_less(between.count, count));
		count = between.count; // where the next share leaves as many, it leaves the same
		if (lrd_any(may))
		{
			ends found = search(&between, &e->of_5, 5, true);
			found.error += outer;
			lrd_mask better = lrd_mask_and(may, lrd_less(found.error, best->error));
			found.error = lrd_select(better, found.error, lrd_f32s_of(FAR));
			take_better(best, &found);
			has_ends = lrd_mask_or(has_ends, better);
		}
	}
	return has_ends;
}

/// How a block's values become codes.
typedef struct coder
{
	lrd_f32s first;    // end
	lrd_f32s distance; // to the second, with its sign
	lrd_f32s rate;     // steps of a unit
	lrd_f32s last;     // step
	lrd_f32s part;     // 1 / last
	lrd_mask has_ends;
	bool any_has_ends;
} coder;

static inline lrd_i32s code_of(const coder *c, lrd_f32s value)
{
	lrd_f32s zero = lrd_f32s_of(0.0f);
	lrd_f32s step = lrd_min(lrd_max(lrd_round((value - c->first) * c->rate), zero), c->last);
	lrd_i32s code = lrd_to_i32s(step) + 1;
	code = lrd_select_i(lrd_equal(step, c->last), lrd_i32s_of(1), code);
	code = lrd_select_i(lrd_equal(step, zero), lrd_i32s_of(0), code);
	if (!c->any_has_ends)
	{
		return code;
	}
	lrd_f32s error = lrd_abs(value - c->first - lrd_round(step * c->distance * c->part));
	lrd_f32s end = lrd_min(value, 255.0f - value);
	lrd_i32s outer = lrd_select_i(lrd_less(value, lrd_f32s_of(128.0f)), lrd_i32s_of(6), lrd_i32s_of(7));
	return lrd_select_i(lrd_mask_and(c->has_ends, lrd_less_equal(end, error)), outer, code);
}

static void write(const lrd_bc4_job *job, size_t first, const values *v, const ends *e, lrd_mask has_ends)
{
	lrd_i32s other = e->first + e->distance;
	lrd_i32s second = lrd_select_i(has_ends, other, e->first);
	lrd_i32s start = lrd_select_i(has_ends, e->first, other);
	coder c = { .first = lrd_to_f32s(start), .distance = lrd_to_f32s(second - start), .has_ends = has_ends };
	c.any_has_ends = lrd_any(has_ends);
	c.last = lrd_select(has_ends, lrd_f32s_of(5.0f), lrd_f32s_of(7.0f));
	c.part = 1.0f / c.last;
	c.rate = c.last / lrd_select(lrd_equal(c.distance, lrd_f32s_of(0.0f)), lrd_f32s_of(1.0f), c.distance);
	lrd_i32s codes[2];
	for (int half = 0; half < 2; ++half)
	{
		codes[half] = lrd_i32s_of(0);
		for (int i = 3; i >= 0; --i)
		{
			lrd_i16s pair = v->value[half * 4 + i];
			lrd_i32s one = code_of(&c, lrd_to_f32s(lrd_first(pair)));
			lrd_i32s two = code_of(&c, lrd_to_f32s(lrd_second(pair)));
			codes[half] = codes[half] << 6 | two << 3 | one;
		}
	}
	int32_t words[2][LRD_LANES];
	lrd_i32s_store(words[0], start | second << 8 | (lrd_i32s)((lrd_u32s)codes[0] << 16));
	lrd_i32s_store(words[1], codes[0] >> 16 | (lrd_i32s)((lrd_u32s)codes[1] << 8));
	for (size_t lane = 0; lane < LRD_LANES && first + lane < job->count; ++lane)
	{
		uint8_t *out = job->out + (first + lane) * job->stride;
		memcpy(out, &words[0][lane], 4);
		memcpy(out + 4, &words[1][lane], 4);
	}
}

// Which attempts are worth their time was found by greedy choice over photographs: the error that a list leaves above
// the optimum, one attempt added or exchanged after another.
static const pace fast_of_7[] = {
	{ 7.80f, 1, { -0.40f } },
	{ 7.50f, 1, { -0.48f } },
	{ 7.35f, 2, { -0.08f, 0.08f } },
	{ 7.20f, 2, { -0.48f, -0.16f } },
	{ 7.05f, 1, { -0.24f } },
	{ 6.90f, 1, { 0.32f } },
	{ 6.75f, 1, { 0.16f } },
	{ 6.45f, 1, { -0.24f } },
	{ 6.15f, 2, { -0.24f, 0.08f } },
	{ 5.25f, 1, { -0.24f } },
};
static const pace fast_of_5[] = {
	{ 5.95f, 1, { -0.48f } },
	{ 5.35f, 2, { -0.24f, 0.00f } },
	{ 5.20f, 1, { -0.40f } },
	{ 4.90f, 1, { 0.24f } },
	{ 4.75f, 1, { 0.00f } },
	{ 4.30f, 1, { -0.16f } },
	{ 3.10f, 1, { -0.08f } },
};
static const pace normal_of_7[] = {
	{ 7.80f, 1, { -0.40f } },
	{ 7.50f, 1, { -0.48f } },
	{ 7.35f, 3, { -0.24f, -0.08f, 0.08f } },
	{ 7.20f, 1, { -0.48f } },
	{ 7.05f, 1, { -0.24f } },
	{ 6.90f, 1, { 0.32f } },
	{ 6.75f, 2, { 0.00f, 0.16f } },
	{ 6.45f, 1, { -0.24f } },
	{ 6.15f, 2, { -0.24f, 0.08f } },
	{ 5.70f, 1, { 0.24f } },
	{ 5.25f, 1, { -0.24f } },
	{ 4.20f, 1, { -0.24f } },
};
static const pace normal_of_5[] = {
	{ 5.80f, 2, { -0.48f, -0.32f } },
	{ 5.50f, 1, { -0.08f } },
	{ 5.35f, 2, { -0.48f, -0.24f } },
	{ 5.20f, 1, { 0.24f } },
	{ 4.90f, 3, { -0.24f, 0.00f, 0.16f } },
	{ 4.30f, 1, { -0.16f } },
	{ 4.00f, 1, { 0.00f } },
	{ 3.25f, 1, { -0.24f } },
};

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static const effort efforts[LRD_BLOCK_QUALITY_COUNT] = {
	[LRD_BLOCK_FAST] = {
		.of_7 = { COUNT(fast_of_7), 2, 6, 2, fast_of_7 },
		.of_5 = { COUNT(fast_of_5), 2, 6, 2, fast_of_5 },
		.shares = 2,
		.share = { 24, 11 },
	},
	[LRD_BLOCK_NORMAL] = {
		.of_7 = { COUNT(normal_of_7), 3, 4, 2, normal_of_7 },
		.of_5 = { COUNT(normal_of_5), 3, 6, 2, normal_of_5 },
		.shares = 2,
		.share = { 24, 11 },
	},
	[LRD_BLOCK_BEST] = {
		.of_7 = { COUNT(normal_of_7), 3, 4, 2, normal_of_7 },
		.of_5 = { COUNT(normal_of_5), 3, 6, 2, normal_of_5 },
		.shares = 2,
		.share = { 24, 11 },
		.all = true,
	},
};

/// The best that the attempts find for the blocks from `first` on; true lanes have 6 values.
static lrd_mask encode(const lrd_bc4_job *job, const effort *e, size_t first, values *v, ends *best)
{
	span all;
	load(job, first, v);
	span_of_all(v, job->exact_ends, &all);
	*best = search(&all, &e->of_7, 7, false);
	lrd_mask both = lrd_mask_and(all.holds_low, all.holds_high);
	best->error = lrd_select(both, lrd_f32s_of(FAR), best->error);
	return search_outer(v, &all, e, best);
}

static void know(const lrd_bc4_job *job, size_t block, int lane, const ends *best, bool has_ends, bc4_known *known)
{
	for (int i = 0; i < 16; ++i)
	{
		known->value[i] = job->texels[block][i * 4 + job->channel];
	}
	bc4_sort(known->value);
	bc4_cluster(known);
	known->holds_low = job->exact_ends && known->value[0] == 0;
	known->holds_high = job->exact_ends && known->value[15] == 255;
	known->has_ends = has_ends;
	known->first = best->first[lane];
	known->distance = best->distance[lane];
	known->error = (int32_t)best->error[lane];
}

/// A chunk of blocks: what the attempts find, and from there on all ends.
static void encode_exactly(const lrd_bc4_job *job, const effort *e, size_t start, size_t count)
{
	bc4_known known[CHUNK];
	for (size_t first = 0; first < count; first += LRD_LANES)
	{
		values v;
		ends best;
		uint32_t has_ends = lrd_mask_bits(encode(job, e, start + first, &v, &best));
		for (int lane = 0; lane < LRD_LANES && first + (size_t)lane < count; ++lane)
		{
			know(job, start + first + (size_t)lane, lane, &best, has_ends >> lane & 1u, &known[first + (size_t)lane]);
		}
	}
	bc4_search_all(known, count);
	for (size_t first = 0; first < count; first += LRD_LANES)
	{
		int32_t lanes[3][LRD_LANES] = { 0 };
		for (size_t lane = 0; lane < LRD_LANES && first + lane < count; ++lane)
		{
			lanes[0][lane] = known[first + lane].first;
			lanes[1][lane] = known[first + lane].distance;
			lanes[2][lane] = known[first + lane].has_ends;
		}
		values v;
		load(job, start + first, &v);
		ends best = { .first = lrd_i32s_load(lanes[0]), .distance = lrd_i32s_load(lanes[1]) };
		write(job, start + first, &v, &best, lrd_less_i(lrd_i32s_of(0), lrd_i32s_load(lanes[2])));
	}
}

void LRD_KERNEL(lrd_bc4_kernel)(const lrd_bc4_job *job)
{
	const effort *e = &efforts[job->quality];
	for (size_t first = 0; e->all && first < job->count; first += CHUNK)
	{
		encode_exactly(job, e, first, job->count - first < CHUNK ? job->count - first : CHUNK);
	}
	for (size_t first = 0; !e->all && first < job->count; first += LRD_LANES)
	{
		values v;
		ends best;
		lrd_mask has_ends = encode(job, e, first, &v, &best);
		write(job, first, &v, &best, has_ends);
	}
}
