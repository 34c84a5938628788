// block/bc4_narrow.h: ends of BC4 blocks whose values are few: the error of two ends is a sum over values, of how many texels
// have one times what it costs. Both are bytes, four a lane, so that a pair of ends takes a handful of instructions, and
// nearly all that are ever the best can be tried. Private to bc4_kernel.c.

#ifndef BLOCK_BC4_NARROW_H
#define BLOCK_BC4_NARROW_H

#include "block/bc4_wide.h"

// What a value costs at an offset from the first end, `d` from the second: its squared distance to the nearest of 8.
#define BC4_STEP(offset, d) ((offset) <= 0 ? 0 : (offset) >= (d) ? 7 : (14 * (offset) + (d)) / (2 * (d)))
#define BC4_REST(offset, d) ((offset) - (2 * BC4_STEP(offset, d) * (d) + 7) / 14)
#define BC4_COST(offset, d) ((int8_t)(BC4_REST(offset, d) * BC4_REST(offset, d)))
#define BC4_COST_4(o, d) BC4_COST(o, d), BC4_COST((o) + 1, d), BC4_COST((o) + 2, d), BC4_COST((o) + 3, d)
#define BC4_COST_16(o, d) BC4_COST_4(o, d), BC4_COST_4((o) + 4, d), BC4_COST_4((o) + 8, d), BC4_COST_4((o) + 12, d)

/// Two ends about a block's lowest value, and the cost of the values from that on. The costs of what is beyond the range
/// that the list is for are of no use, and may not fit.
typedef struct bc4_tried
{
	int32_t first;
	int32_t distance;
	int8_t cost[32];
} bc4_tried;

#define BC4_TRIED(first, distance)                                                                                     \
	{                                                                                                                  \
		first, distance,                                                                                               \
		{                                                                                                              \
			BC4_COST_16(-(first), distance), BC4_COST_16(16 - (first), distance)                                       \
		}                                                                                                              \
	}

// Pairs for a range of 8 to 15, to 23, to 31. What each adds was measured on photographs, gradients and drawings: each
// pair leaves the least error that one can, after those before it.
static const bc4_tried bc4_tried_8[] = {
	BC4_TRIED(0, 14),
	BC4_TRIED(0, 9),
	BC4_TRIED(0, 12),
	BC4_TRIED(0, 13),
	BC4_TRIED(1, 7),
	BC4_TRIED(1, 13),
	BC4_TRIED(0, 11),
	BC4_TRIED(0, 10),
	BC4_TRIED(1, 14),
	BC4_TRIED(1, 10),
	BC4_TRIED(0, 8),
	BC4_TRIED(1, 12),
	BC4_TRIED(0, 15),
	BC4_TRIED(1, 9),
	BC4_TRIED(1, 11),
	BC4_TRIED(1, 8),
	BC4_TRIED(0, 7),
	BC4_TRIED(-2, 16),
	BC4_TRIED(-1, 9),
	BC4_TRIED(-2, 17),
	BC4_TRIED(0, 16),
	BC4_TRIED(-2, 12),
	BC4_TRIED(-2, 13),
	BC4_TRIED(0, 17),
	BC4_TRIED(-1, 13),
	BC4_TRIED(1, 16),
	BC4_TRIED(-3, 19),
	BC4_TRIED(-1, 12),
	BC4_TRIED(-5, 19),
	BC4_TRIED(-1, 16),
	BC4_TRIED(0, 19),
	BC4_TRIED(-2, 20),
	BC4_TRIED(-6, 21),
	BC4_TRIED(-3, 20),
	BC4_TRIED(-1, 17),
	BC4_TRIED(-2, 19),
};
static const bc4_tried bc4_tried_16[] = {
	BC4_TRIED(0, 21),
	BC4_TRIED(1, 21),
	BC4_TRIED(0, 20),
	BC4_TRIED(0, 19),
	BC4_TRIED(0, 17),
	BC4_TRIED(0, 18),
	BC4_TRIED(0, 23),
	BC4_TRIED(0, 16),
	BC4_TRIED(1, 20),
	BC4_TRIED(0, 22),
	BC4_TRIED(1, 18),
	BC4_TRIED(1, 22),
	BC4_TRIED(1, 19),
	BC4_TRIED(1, 17),
	BC4_TRIED(0, 27),
	BC4_TRIED(1, 15),
	BC4_TRIED(-3, 24),
	BC4_TRIED(0, 15),
	BC4_TRIED(1, 23),
	BC4_TRIED(1, 16),
	BC4_TRIED(-1, 22),
	BC4_TRIED(-1, 20),
	BC4_TRIED(-3, 23),
	BC4_TRIED(0, 26),
	BC4_TRIED(-1, 18),
	BC4_TRIED(-3, 19),
	BC4_TRIED(-4, 28),
	BC4_TRIED(-1, 23),
	BC4_TRIED(-3, 20),
	BC4_TRIED(-1, 21),
	BC4_TRIED(0, 24),
	BC4_TRIED(-1, 19),
	BC4_TRIED(1, 14),
	BC4_TRIED(-4, 26),
	BC4_TRIED(-3, 22),
	BC4_TRIED(-2, 24),
	BC4_TRIED(-4, 30),
	BC4_TRIED(-2, 23),
	BC4_TRIED(-3, 30),
	BC4_TRIED(-4, 27),
	BC4_TRIED(-2, 20),
	BC4_TRIED(1, 24),
	BC4_TRIED(1, 26),
	BC4_TRIED(-1, 16),
	BC4_TRIED(-2, 22),
	BC4_TRIED(-3, 26),
	BC4_TRIED(0, 29),
	BC4_TRIED(2, 21),
	BC4_TRIED(-2, 19),
	BC4_TRIED(-5, 27),
	BC4_TRIED(-7, 28),
	BC4_TRIED(2, 20),
	BC4_TRIED(-3, 27),
	BC4_TRIED(-1, 24),
};
static const bc4_tried bc4_tried_24[] = {
	BC4_TRIED(1, 27),
	BC4_TRIED(0, 25),
	BC4_TRIED(0, 30),
	BC4_TRIED(0, 27),
	BC4_TRIED(0, 24),
	BC4_TRIED(1, 30),
	BC4_TRIED(0, 29),
	BC4_TRIED(1, 25),
	BC4_TRIED(0, 28),
	BC4_TRIED(1, 24),
	BC4_TRIED(2, 27),
	BC4_TRIED(1, 29),
	BC4_TRIED(0, 26),
	BC4_TRIED(1, 26),
	BC4_TRIED(1, 23),
	BC4_TRIED(0, 23),
	BC4_TRIED(-4, 34),
	BC4_TRIED(2, 29),
	BC4_TRIED(1, 28),
	BC4_TRIED(-1, 25),
	BC4_TRIED(-1, 29),
	BC4_TRIED(-1, 27),
	BC4_TRIED(0, 31),
	BC4_TRIED(1, 22),
	BC4_TRIED(2, 26),
	BC4_TRIED(0, 34),
	BC4_TRIED(-1, 30),
	BC4_TRIED(-1, 28),
	BC4_TRIED(-1, 26),
	BC4_TRIED(2, 28),
	BC4_TRIED(0, 32),
	BC4_TRIED(2, 25),
	BC4_TRIED(-1, 31),
	BC4_TRIED(2, 23),
	BC4_TRIED(1, 31),
	BC4_TRIED(1, 32),
	BC4_TRIED(2, 24),
	BC4_TRIED(1, 34),
	BC4_TRIED(2, 22),
	BC4_TRIED(-1, 32),
	BC4_TRIED(-5, 35),
	BC4_TRIED(-1, 24),
	BC4_TRIED(-3, 30),
	BC4_TRIED(2, 30),
	BC4_TRIED(-5, 33),
	BC4_TRIED(-4, 35),
	BC4_TRIED(0, 22),
	BC4_TRIED(-5, 34),
	BC4_TRIED(-3, 27),
	BC4_TRIED(1, 33),
	BC4_TRIED(-4, 30),
	BC4_TRIED(0, 36),
	BC4_TRIED(-2, 32),
	BC4_TRIED(3, 27),
	BC4_TRIED(-4, 29),
	BC4_TRIED(0, 33),
	BC4_TRIED(-4, 33),
	BC4_TRIED(-3, 26),
	BC4_TRIED(1, 40),
	BC4_TRIED(-1, 36),
};

/// What is tried of the list for ranges from 8 on, 16 on, 24 on.
#define BC4_NARROWS 3
static const int bc4_narrow_efforts[LRD_BLOCK_QUALITY_COUNT][BC4_NARROWS] = {
	[LRD_BLOCK_FAST] = { 28, 46, 52 },
	[LRD_BLOCK_NORMAL] = { 36, 54, 60 },
	[LRD_BLOCK_BEST] = { 36, 54, 60 },
};

/// How many texels have each value, from the lowest on: four values a lane, `words` times.
static inline void bc4_count(const bc4_values *v, int words, lrd_i32s counts[8])
{
	lrd_i16s low = lrd_pairs_of(v->low);
	for (int i = 0; i < words; ++i)
	{
		counts[i] = lrd_i32s_of(0);
	}
	for (int i = 0; i < 16; ++i)
	{
		lrd_i32s pair = (lrd_i32s)(v->value[i / 2] - low);
		lrd_i32s offset = i % 2 == 0 ? pair & 0xffff : pair >> 16;
		lrd_i32s one = lrd_to_i32s(lrd_f32s_of_bits(((offset & 3) << 26) + (127 << 23))); // 2^(8 (offset & 3))
		lrd_i32s word = offset >> 2;
		for (int j = 0; j < words; ++j)
		{
			counts[j] = lrd_add_where_i(lrd_equal_i(word, lrd_i32s_of(j)), counts[j], one);
		}
	}
}

/// The best of the first `count` pairs of a list. `checked`: some may lead out of 0 to 255.
static inline void bc4_try_list(const bc4_values *v, const bc4_tried *list, int count, const lrd_i32s counts[8],
	int words, bool checked, bc4_ends *best)
{
	lrd_i32s least = lrd_i32s_of(INT32_MAX);
	for (int i = 0; i < count; ++i)
	{
		int32_t cost[8];
		memcpy(cost, list[i].cost, sizeof cost);
		lrd_i16s sum = lrd_dot_bytes((lrd_u8s)counts[0], (lrd_i8s)lrd_i32s_of(cost[0]));
		for (int j = 1; j < words; ++j)
		{
			sum += lrd_dot_bytes((lrd_u8s)counts[j], (lrd_i8s)lrd_i32s_of(cost[j]));
		}
		lrd_i32s key = sum_pairs(sum) << 6 | i;
		if (checked)
		{
			lrd_i32s out = (v->low + list[i].first) | (255 - list[i].first - list[i].distance - v->low);
			key |= out >> 31 & 1 << 24;
		}
		least = lrd_min_i(least, key);
	}
	lrd_i32s at = (least & 63) * (int32_t)(sizeof *list / 4);
	best->first = v->low + lrd_gather_i(&list->first, at);
	best->distance = lrd_gather_i(&list->first, at + 1);
	best->error = lrd_to_f32s(least >> 6);
}

static inline void bc4_try_narrow(const bc4_values *v, const bc4_tried *list, int count, int words, bc4_ends *best)
{
	lrd_i32s counts[8];
	bc4_count(v, words, counts);
	lrd_mask near = lrd_mask_or(lrd_less_i(v->low, lrd_i32s_of(8)), lrd_less_i(lrd_i32s_of(255 - 40), v->low));
	if (lrd_any(near))
	{
		bc4_try_list(v, list, count, counts, words, true, best);
	}
	else
	{
		bc4_try_list(v, list, count, counts, words, false, best);
	}
}

/// Blocks of the kind `narrow`: their range is from 8 (narrow + 1) to 8 (narrow + 1) + 7.
static inline void bc4_search_narrow(const bc4_values *v, lrd_block_quality quality, int narrow, bc4_ends *best)
{
	int count = bc4_narrow_efforts[quality][narrow];
	switch (narrow)
	{
	case 0: bc4_try_narrow(v, bc4_tried_8, count, 4, best); return;
	case 1: bc4_try_narrow(v, bc4_tried_16, count, 6, best); return;
	default: bc4_try_narrow(v, bc4_tried_24, count, 8, best); return;
	}
}

#endif
