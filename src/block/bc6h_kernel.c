// The BC6H encoder, a block a lane: one subset by its principal axis, then the partitions that promise most, each with
// the mode that holds its ends best; least squares after each choice of indices.

#include "block/bc6h_fit.h"

/// What a preset spends.
typedef struct search_effort
{
	int axis_iterations;
	int partitions; ///< tried of 32
	int seeded;     ///< of them, tried from all starts; the others from the first
	int starts;     ///< of `starts`
	int refits;     ///< for each start
	int rounds;     ///< of polish
	float enough;   ///< a block whose one subset errs by less is left alone: root mean square
} search_effort;

static const search_effort efforts[LRD_BLOCK_QUALITY_COUNT] = {
	[LRD_BLOCK_FAST] = { 2, 1, 1, 1, 1, 0, 2.0f },
	[LRD_BLOCK_NORMAL] = { 4, 6, 3, 4, 1, 0, 0.5f },
	[LRD_BLOCK_BEST] = { 6, 32, 8, 13, 2, 2, 0.5f },
};

// By how much of a line's length its ends are drawn in, before the first indices are taken. Least squares stays with
// the spacing that these have; that of fewer indices, or of more, is often better. The most useful first.
static const float starts[][2] = { { 0, 0 }, { -0.08f, -0.08f }, { 0, -0.1f }, { -0.1f, 0 }, { 0.1f, 0.1f },
	{ -0.2f, 0 }, { 0, -0.2f }, { -0.1f, 0.1f }, { 0.1f, -0.1f }, { 0, 0.1f }, { 0.1f, 0 }, { -0.2f, -0.1f },
	{ -0.1f, -0.2f } };

typedef struct partitions
{
	int32_t two[32], anchor[32];
} partitions;

/// Lines from `ends`, drawn in or out as each start says.
INLINE void fit_lines(const block_lanes *block, const area_lanes *area, int subsets, const ends_lanes *ends,
	int from_start, int to_start, int refits, trial_lanes *best)
{
	trial_lanes trial;
	lrd_f32s weights[16];
	trial.partition = subsets == 2 ? area->partition : lrd_i32s_of(0);
	for (int start = from_start; start < to_start; ++start)
	{
		ends_lanes drawn = *ends;
		for (int s = 0; s < subsets; ++s)
		{
			rgb_lanes along = difference(ends->high[s], ends->low[s]);
			drawn.low[s] = add_scaled(ends->low[s], along, lrd_f32s_of(starts[start][0]));
			drawn.high[s] = add_scaled(ends->high[s], along, lrd_f32s_of(-starts[start][1]));
		}
		weigh_texels(block, area, subsets, &drawn, weights);
		for (int i = 0; i < refits; ++i)
		{
			refit(block, area, subsets, weights, &drawn);
			orient(block, area, subsets, &drawn);
			trial.mode = choose_mode(&drawn, subsets, block->is_signed);
			grid_lanes grid = grid_of(trial.mode, block->is_signed);
			ends_lanes decoded = quantise_ends(block, &grid, subsets, &drawn, &trial);
			index_texels(block, area, subsets, &decoded, &trial, weights);
			keep_better(&trial, best);
		}
	}
}

/// Whether a mode can hold endpoints that are near ones it holds.
INLINE lrd_mask can_hold(const block_lanes *block, const grid_lanes *grid, int subsets, const trial_lanes *trial, int i)
{
	lrd_f32s value = trial->quantised[i];
	lrd_mask good = lrd_less_equal(block->is_signed ? lrd_abs(value) : value, grid->top);
	good = block->is_signed ? good : lrd_mask_and(good, lrd_less_equal(lrd_f32s_of(0), value));
	for (int e = 1; e < 2 * subsets; ++e)
	{
		lrd_f32s from_first = trial->quantised[3 * e + i % 3] - trial->quantised[i % 3];
		good = lrd_mask_and(good, lrd_less_equal(from_first, grid->most.of[i % 3]));
		good = lrd_mask_and(good, lrd_less_equal(grid->least.of[i % 3], from_first));
	}
	return good;
}

/// Try endpoints one step up and down, and keep what helps.
INLINE void polish(const block_lanes *block, const area_lanes *area, int subsets, int rounds, trial_lanes *best)
{
	lrd_f32s weights[16];
	grid_lanes grid = grid_of(best->mode, block->is_signed);
	for (int step = 0; step < rounds * 12 * subsets; ++step)
	{
		int i = step / 2 % (6 * subsets);
		trial_lanes trial = *best;
		trial.quantised[i] += step % 2 == 0 ? 1.0f : -1.0f;
		lrd_mask good = can_hold(block, &grid, subsets, &trial, i);
		ends_lanes decoded = decode_ends(block, &grid, subsets, &trial);
		index_texels(block, area, subsets, &decoded, &trial, weights);
		trial.error = lrd_select(good, trial.error, lrd_f32s_of(3e38f));
		keep_better(&trial, best);
	}
}

static void polish_one(const block_lanes *block, int rounds, trial_lanes *best)
{
	polish(block, NULL, 1, rounds, best);
}

static void polish_two(const block_lanes *block, const partitions *tables, int rounds, trial_lanes *best)
{
	area_lanes area;
	lay_out(block, tables->two, tables->anchor, best->partition, &area);
	polish(block, &area, 2, rounds, best);
}

static void fit_one(const block_lanes *block, const search_effort *effort, trial_lanes *best)
{
	ends_lanes ends;
	stretch_one(block, &ends);
	fit_lines(block, NULL, 1, &ends, 0, 1, effort->refits, best);
	// Below half a step errors say nothing, as they leave out how decoders round; a block of one colour is exact now.
	lrd_mask enough = lrd_less(best->error, lrd_f32s_of(48 * effort->enough * effort->enough));
	best->error = lrd_select(enough, lrd_f32s_of(0), best->error); // nothing is better
	fit_lines(block, NULL, 1, &ends, 1, effort->starts, effort->refits, best);
}

static void fit_two(const block_lanes *block, const partitions *tables, lrd_i32s partition, int start_count,
	const search_effort *effort, trial_lanes *best)
{
	area_lanes area;
	lay_out(block, tables->two, tables->anchor, partition, &area);
	ends_lanes ends;
	stretch_two(block, &area, &ends);
	fit_lines(block, &area, 2, &ends, 0, start_count, effort->refits, best);
}

/// An estimate of what stays of a block's variance when each of two subsets is put on a line of eight colours, from the
/// sums and moments of one subset of `count` texels. Where one eigenvalue is much larger than the other, the other is
/// the determinant over the trace.
INLINE lrd_f32s partition_cost(const block_lanes *block, moment_lanes moments, plane_lanes sum, int count)
{
	// The other subset's sum is taken for the opposite, as texels are less their mean.
	moment_lanes square = { sum.x * sum.x, sum.x * sum.y, sum.y * sum.y };
	float share = 1.0f / (float)count, other_share = 1.0f / (float)(16 - count);
	moment_lanes spread = { moments.xx - square.xx * share, moments.xy - square.xy * share,
		moments.yy - square.yy * share };
	moment_lanes other = { (block->moments.xx - moments.xx) - square.xx * other_share,
		(block->moments.xy - moments.xy) - square.xy * other_share,
		(block->moments.yy - moments.yy) - square.yy * other_share };
	lrd_f32s trace = spread.xx + spread.yy + 1.0f, other_trace = other.xx + other.yy + 1.0f;
	lrd_f32s determinant = spread.xx * spread.yy - spread.xy * spread.xy;
	lrd_f32s other_determinant = other.xx * other.yy - other.xy * other.xy;
	lrd_f32s off_lines = (determinant * other_trace + other_determinant * trace) / (trace * other_trace);
	return lrd_max(off_lines + (trace + other_trace) * (1.0f / 64.0f), lrd_f32s_of(0));
}

// Each differs from the one before in few texels, or few have stayed.
static const uint8_t partition_walk[32] = { 14, 17, 20, 24, 1, 4, 8, 11, 7, 3, 0, 23, 19, 16, 21, 18, 22, 25, 2, 5, 9,
	12, 6, 10, 13, 15, 29, 28, 27, 26, 31, 30 };

/// The partitions in the order of their estimates, `count` of them.
static void rank_partitions(const block_lanes *block, int count, lrd_i32s *ranked)
{
	for (int k = 0; k < count; ++k)
	{
		ranked[k] = lrd_i32s_of(0x7fffffff);
	}
	unsigned in = 0; // a subset of two: which does not matter
	plane_lanes sum = { lrd_f32s_of(0), lrd_f32s_of(0) };
	moment_lanes moments = { lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0) };
	for (int step = 0; step < 32; ++step)
	{
		int partition = partition_walk[step];
		unsigned changed = in ^ lrd_bptc_two[partition];
		changed = __builtin_popcount(changed) > 8 ? ~changed & 0xffffu : changed;
		in ^= changed;
		for (; changed != 0; changed &= changed - 1)
		{
			int i = __builtin_ctz(changed);
			float sign = in >> i & 1u ? 1 : -1;
			lrd_f32s x = block->place[i].x * sign, y = block->place[i].y * sign;
			sum.x += x;
			sum.y += y;
			moments.xx += block->place[i].x * x;
			moments.xy += block->place[i].x * y;
			moments.yy += block->place[i].y * y;
		}
		lrd_f32s cost = partition_cost(block, moments, sum, __builtin_popcount(in));
		lrd_i32s key = (lrd_bits_of_f32s(cost) & ~31) | partition;
		for (int k = 0; k < count; ++k)
		{
			lrd_i32s less = lrd_min_i(key, ranked[k]);
			key = lrd_max_i(key, ranked[k]);
			ranked[k] = less;
		}
	}
	for (int k = 0; k < count; ++k)
	{
		ranked[k] &= 31;
	}
}

static void write_blocks(const trial_lanes *best, size_t count, uint8_t *out)
{
	int32_t ends[LRD_BC6H_VALUES][LRD_LANES];
	for (int i = 0; i < LRD_BC6H_VALUES; ++i)
	{
		lrd_i32s_store(ends[i], lrd_to_i32s(best->quantised[i]));
	}
	for (size_t lane = 0; lane < count; ++lane)
	{
		lrd_bc6h_choice choice = { .mode = (uint32_t)best->mode[lane], .partition = (uint32_t)best->partition[lane] };
		for (int i = 0; i < LRD_BC6H_VALUES; ++i)
		{
			choice.ends[i] = ends[i][lane];
		}
		choice.indices = (uint32_t)best->indices[0][lane] | (uint64_t)(uint32_t)best->indices[1][lane]
																<< (choice.mode < FIRST_ONE ? 24 : 32);
		lrd_bc6h_pack(&choice, out + 16 * lane);
	}
}

static void fit_partitions(
	const block_lanes *block, const search_effort *effort, const partitions *tables, trial_lanes *best)
{
	lrd_i32s ranked[32];
	rank_partitions(block, effort->partitions, ranked);
	trial_lanes apart = { .error = lrd_f32s_of(3e38f) }; // polish wants the best of either kind
	trial_lanes *two = effort->rounds > 0 ? &apart : best;
	for (int k = 0; k < effort->partitions; ++k)
	{
		fit_two(block, tables, ranked[k], k < effort->seeded ? effort->starts : 1, effort, two);
	}
	if (effort->rounds > 0)
	{
		polish_one(block, effort->rounds, best);
		polish_two(block, tables, effort->rounds, two);
		keep_better(two, best);
	}
}

static void encode_lanes(
	const uint16_t (*from)[64], size_t count, const lrd_bc6h_job *job, const partitions *tables, uint8_t *out)
{
	const search_effort *effort = &efforts[job->quality];
	block_lanes block;
	load_texels(from, count, job->is_signed, &block);
	find_plane(&block, effort->axis_iterations);
	trial_lanes best = { .error = lrd_f32s_of(3e38f) };
	fit_one(&block, effort, &best);
	if (lrd_any(lrd_less(lrd_f32s_of(0), best.error)))
	{
		fit_partitions(&block, effort, tables, &best);
	}
	write_blocks(&best, count, out);
}

void LRD_KERNEL(lrd_bc6h_kernel)(const lrd_bc6h_job *job)
{
	partitions tables;
	for (int i = 0; i < 32; ++i)
	{
		tables.two[i] = lrd_bptc_two[i];
		tables.anchor[i] = lrd_bptc_anchor_of_two[i];
	}
	for (size_t i = 0; i < job->count; i += LRD_LANES)
	{
		size_t count = job->count - i < LRD_LANES ? job->count - i : LRD_LANES;
		encode_lanes(job->texels + i, count, job, &tables, job->out + 16 * i);
	}
}
