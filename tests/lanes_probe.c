// Every function of base/lanes.h once, LRD_LANES numbers at a time. A kernel: compiled for each instruction set.

#include "lanes_probe.h"

#include "base/lanes.h"

static const int32_t table[16] = { 3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, 8, -9, 7, 9, 3 };
static const float float_table[16] = { 0, 1, -2, 3.5f, 4, 5, 6, -7, 8, 9, 0.25f, 11, 12, 13, 14, 1e9f };
static const uint8_t byte_table[16] = { 255, 1, 2, 3, 4, 5, 6, 7, 128, 9, 10, 11, 12, 13, 14, 0 };

/// 1 where the mask is true.
static lrd_i32s truth(lrd_mask mask)
{
	return lrd_select_i(mask, lrd_i32s_of(1), lrd_i32s_of(0));
}

/// Results that are floats.
static int probe_floats(lanes_probe *probe, int at, int k)
{
	lrd_f32s a = lrd_f32s_load(probe->a + at), b = lrd_f32s_load(probe->b + at);
	lrd_i32s i = lrd_i32s_load(probe->i + at);
	const lrd_f32s results[] = { a + b, a * b, a / b, lrd_min(a, b), lrd_max(a, b), lrd_sqrt(lrd_abs(a)),
		lrd_round(lrd_clamp(a, -1e6f, 1e6f)), lrd_abs(a), lrd_clamp(a, -2.0f, 3.0f), lrd_select(lrd_less(a, b), a, b),
		lrd_add_where(lrd_less(a, b), a + 0.0f, b), lrd_to_f32s(i), lrd_gather(float_table, i & 15),
		lrd_look_up(float_table, i & 15), lrd_f32s_of(-0.0f), lrd_f32s_of_bits(i) };
	for (int n = 0; n < (int)(sizeof results / sizeof *results); ++n, ++k)
	{
		lrd_i32s_store(probe->out[k] + at, lrd_bits_of_f32s(results[n]));
	}
	return k;
}

/// Results that are integers.
static int probe_integers(lanes_probe *probe, int at, int k)
{
	lrd_f32s a = lrd_f32s_load(probe->a + at), b = lrd_f32s_load(probe->b + at);
	lrd_i32s i = lrd_i32s_load(probe->i + at), j = lrd_i32s_load(probe->j + at);
	lrd_f32s small = lrd_clamp(a, -1e6f, 1e6f);
	lrd_i16s p = (lrd_i16s)i, q = (lrd_i16s)j;
	lrd_mask less = lrd_less_i(i, j), odd = lrd_bit(i, 0);
	const lrd_i32s results[] = { lrd_min_i(i, j), lrd_max_i(i, j), lrd_to_i32s(small), lrd_floor_i(small),
		truth(lrd_less(a, b)), truth(lrd_less_equal(a, b)), truth(lrd_equal(a, b)), truth(less),
		truth(lrd_equal_i(i, j)), truth(lrd_mask_and(less, odd)), truth(lrd_mask_or(less, odd)),
		truth(lrd_mask_not(less)), truth(lrd_bit(i, 31)), lrd_add_where_i(less, i & 65535, j & 65535),
		lrd_gather_i(table, i & 15), lrd_first(p), lrd_second(p), (lrd_i32s)lrd_pairs(i, j), lrd_dot_pairs(p, q),
		(lrd_i32s)lrd_mul_high(p, q), (lrd_i32s)lrd_mul_round(p, q), (lrd_i32s)lrd_min_pairs(p, q),
		(lrd_i32s)lrd_max_pairs(p, q), (lrd_i32s)lrd_mul_high_u((lrd_u16s)i, (lrd_u16s)j),
		(lrd_i32s)lrd_abs_bytes((lrd_i8s)(i | 0x01010101)),
		(lrd_i32s)lrd_look_up_bytes(byte_table, (lrd_u8s)(i & 0x0f0f0f0f)),
		(lrd_i32s)lrd_dot_bytes((lrd_u8s)i, (lrd_i8s)(j & 0x3f3f3f3f)), lrd_lane_numbers() + at };
	for (int n = 0; n < (int)(sizeof results / sizeof *results); ++n, ++k)
	{
		lrd_i32s_store(probe->out[k] + at, results[n]);
	}
	return k;
}

/// Streams of i and j: interleaved, and picked apart again, in one row each of the first half.
static void probe_streams(lanes_probe *probe, int k)
{
	int32_t zipped[2 * LANES_PROBE_COUNT], kept[2 * LANES_PROBE_COUNT];
	int count = 0;
	for (int at = 0; at < LANES_PROBE_COUNT; at += LRD_LANES)
	{
		lrd_i32s i = lrd_i32s_load(probe->i + at), j = lrd_i32s_load(probe->j + at);
		lrd_mask less = lrd_less_i(i, j);
		lrd_i32s_store(zipped + 2 * at, lrd_zip_low_i(i, j));
		lrd_i32s_store(zipped + 2 * at + LRD_LANES, lrd_zip_high_i(i, j));
		lrd_store_where(kept + count, less, i);
		count += __builtin_popcount(lrd_mask_bits(less));
	}
	for (int at = 0; at < LANES_PROBE_COUNT; at += LRD_LANES)
	{
		lrd_i32s low = lrd_i32s_load(zipped + 2 * at), high = lrd_i32s_load(zipped + 2 * at + LRD_LANES);
		lrd_i32s_store(probe->out[k] + at, lrd_even_i(low, high));
		lrd_i32s_store(probe->out[k + 1] + at, lrd_odd_i(low, high));
	}
	memcpy(probe->out[k + 2], zipped, sizeof probe->out[0]);
	memset(kept + count, 0, sizeof kept - (size_t)count * sizeof *kept);
	memcpy(probe->out[k + 3], kept, sizeof probe->out[0]);
}

void LRD_KERNEL(lrd_lanes_probe)(lanes_probe *probe)
{
	int k = 0;
	for (int at = 0; at < LANES_PROBE_COUNT; at += LRD_LANES)
	{
		k = probe_integers(probe, at, probe_floats(probe, at, 0));
	}
	probe_streams(probe, k);
}
