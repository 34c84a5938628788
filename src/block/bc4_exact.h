// block/bc4_exact.h: the best two ends of a BC4 block among all, for LRD_BLOCK_BEST. Private to bc4_kernel.c.
//
// The values between two ends move with the first one: for a distance of the ends, what a texel costs is a row over its
// offset from the first end, and the sum of 16 such rows, each moved by its texel's value, is the block's error for many
// first ends side by side. Here the lanes are those ends, not blocks: whole numbers, the least of which is the same
// however many lanes look for it.
//
// What can't be better is left out: ends that leave the lowest or highest value farther away than the whole error so far;
// and distances at which the block's range reaches too few of the values, since no set of so few does better than the
// best clusters of that number.

#ifndef BLOCK_BC4_EXACT_H
#define BLOCK_BC4_EXACT_H

#include "base/lanes.h"

// Offsets from -255 to 255, and what a vector may read past them.
#define BC4_ROW (511 + LRD_LANES_MAX)

/// A block, and the best that is known of it.
typedef struct bc4_known
{
	int32_t value[16]; // in ascending order
	float clusters[9]; // the least squared error with so many centres
	bool holds_low;    // 0 must be exact
	bool holds_high;   // 255 must be
	bool has_ends;     // 6 values
	int32_t first;
	int32_t distance;
	int32_t error;
	int32_t reach;  // how far a value may be from its end
	int32_t low;    // the lowest value that must be so near to the ends or between them
	int32_t high;   // and the highest
	int32_t fewest; // how many of the values between the ends must be in reach
} bc4_known;

static inline void bc4_sort(int32_t value[16])
{
	for (int i = 1; i < 16; ++i)
	{
		int32_t moved = value[i];
		int to = i;
		for (; to > 0 && value[to - 1] > moved; --to)
		{
			value[to] = value[to - 1];
		}
		value[to] = moved;
	}
}

/// Optimal clusters of sorted values are runs of them: the least error of the first so many in so many runs, built up.
static inline void bc4_cluster(bc4_known *known)
{
	float run[17][17]; // squared error of values i to j - 1 about their mean
	for (int i = 0; i < 16; ++i)
	{
		float sum = 0.0f;
		float squares = 0.0f;
		run[i][i] = 0.0f;
		for (int j = i; j < 16; ++j)
		{
			float offset = (float)(known->value[j] - known->value[i]);
			sum += offset;
			squares += offset * offset;
			run[i][j + 1] = squares - sum * sum / (float)(j + 1 - i);
		}
	}
	float least[17];
	memcpy(least, run[0], sizeof least);
	known->clusters[0] = 1e9f;
	known->clusters[1] = least[16];
	for (int count = 2; count <= 8; ++count)
	{
		for (int end = 16; end > 0; --end)
		{
			for (int from = 1; from < end; ++from)
			{
				float error = least[from] + run[from][end];
				least[end] = error < least[end] ? error : least[end];
			}
		}
		known->clusters[count] = least[16];
	}
}

/// What an offset costs: the squared distance to the nearest of `last` + 1 values. Turned round, so that it rises with
/// the first end: entry i is for offset 255 - i.
static inline void bc4_fill_row(int32_t row[BC4_ROW], int last, int distance)
{
	int32_t lane[LRD_LANES];
	for (int i = 0; i < LRD_LANES; ++i)
	{
		lane[i] = i;
	}
	float rate = distance == 0 ? 0.0f : (float)last / (float)distance;
	lrd_i32s lanes = lrd_i32s_load(lane);
	for (int i = 0; i < BC4_ROW; i += LRD_LANES)
	{
		lrd_f32s offset = lrd_to_f32s(255 - i - lanes);
		lrd_f32s step = lrd_clamp(lrd_round(offset * rate), 0.0f, (float)last);
		lrd_f32s rest = offset - lrd_round(step * (float)distance * (1.0f / (float)last));
		lrd_i32s cost = lrd_to_i32s(rest * rest);
		for (int k = 0; k < LRD_LANES && i + k < BC4_ROW; ++k)
		{
			row[i + k] = cost[k];
		}
	}
}

static inline int32_t bc4_end_of(int32_t value)
{
	return value < 128 ? value : 255 - value;
}

/// What the error so far says of better ends: how far they may leave which values, and how many the values must reach.
static inline void bc4_limit(bc4_known *known, int last)
{
	known->reach = (int32_t)lrd_sqrt(lrd_f32s_of((float)known->error))[0];
	known->low = 255 + known->reach;
	known->high = -known->reach;
	int extra = 0;
	for (int i = 0; i < 16; ++i)
	{
		int32_t end = bc4_end_of(known->value[i]);
		if (last == 7 || end * end > known->error)
		{
			known->low = known->value[i] < known->low ? known->value[i] : known->low;
			known->high = known->value[i] > known->high ? known->value[i] : known->high;
		}
		else
		{
			extra = 2;
		}
	}
	int clusters = 1;
	while (clusters <= 8 && known->clusters[clusters] > (float)known->error - 0.9f)
	{
		++clusters;
	}
	known->fewest = clusters - extra;
}

/// The first ends that may be better at a distance: false where none can.
static inline bool bc4_bounds(const bc4_known *known, int last, int distance, int32_t *least, int32_t *most)
{
	int32_t gap = distance / last;
	int32_t range = known->value[15] - known->value[0];
	int32_t reached = gap == 0 ? last + 1 : (range + (distance + last - 1) / last) / gap + 1;
	if ((reached > last + 1 ? last + 1 : reached) < known->fewest)
	{
		return false;
	}
	int32_t from = known->high - known->reach - distance;
	int32_t to = known->low + known->reach;
	*least = from > 0 ? from : 0;
	*most = to < 255 - distance ? to : 255 - distance;
	if (last == 7)
	{
		*most = known->holds_low ? 0 : *most;
		*least = known->holds_high ? 255 - distance : *least;
	}
	return *least <= *most;
}

/// Try the first ends from `least` to `most` at a distance.
static inline void bc4_try(
	bc4_known *known, const int32_t row[BC4_ROW], int last, int distance, int32_t least, int32_t most)
{
	for (int32_t first = least; first <= most; first += LRD_LANES)
	{
		lrd_i32s sum = lrd_i32s_of(0);
		for (int i = 0; i < 16; ++i)
		{
			lrd_i32s cost = lrd_i32s_load(row + 255 - known->value[i] + first);
			if (last == 5)
			{
				int32_t end = bc4_end_of(known->value[i]);
				cost = lrd_min_i(cost, lrd_i32s_of(end * end));
			}
			sum += cost;
		}
		if (!lrd_any(lrd_less_i(sum, lrd_i32s_of(known->error))))
		{
			continue;
		}
		for (int i = 0; i < LRD_LANES && first + i <= most; ++i)
		{
			if (sum[i] < known->error)
			{
				known->error = sum[i];
				known->first = first + i;
				known->distance = distance;
				known->has_ends = last == 5;
			}
		}
		bc4_limit(known, last);
	}
}

/// Every pair of ends for each block, where it may be better than what is known.
static inline void bc4_search_all(bc4_known *known, size_t count)
{
	int32_t row[BC4_ROW];
	for (int last = 7; last >= 5; last -= 2)
	{
		for (size_t i = 0; i < count; ++i)
		{
			bc4_limit(&known[i], last);
		}
		for (int distance = last == 7; distance <= 255; ++distance)
		{
			bool filled = false;
			for (size_t i = 0; i < count; ++i)
			{
				int32_t least, most;
				if (!bc4_bounds(&known[i], last, distance, &least, &most))
				{
					continue;
				}
				if (!filled)
				{
					bc4_fill_row(row, last, distance);
					filled = true;
				}
				bc4_try(&known[i], row, last, distance, least, most);
			}
		}
	}
}

#endif
