// The BC6H encoder, a block a lane: one subset by its principal axis, then the partitions that promise most, each with
// the mode that holds its ends best; least squares after each choice of indices.

#include "block/bc6h_fit.h"

/// What a preset spends.
typedef struct search_effort
{
	int axis_iterations;
	int refits;     ///< of one subset
	int partitions; ///< tried of 32
	int refits_of_two;
} search_effort;

static const search_effort efforts[LRD_BLOCK_QUALITY_COUNT] = {
	[LRD_BLOCK_FAST] = { 2, 1, 1, 1 },
	[LRD_BLOCK_NORMAL] = { 4, 2, 8, 2 },
	[LRD_BLOCK_BEST] = { 6, 4, 32, 4 },
};

typedef struct partitions
{
	int32_t two[32], anchor[32];
} partitions;

INLINE void fit_lines(
	const block_lanes *block, const area_lanes *area, int subsets, ends_lanes *ends, int refits, trial_lanes *best)
{
	trial_lanes trial;
	lrd_f32s weights[16];
	trial.partition = subsets == 2 ? area->partition : lrd_i32s_of(0);
	for (int i = 0; i <= refits; ++i)
	{
		orient(block, area, subsets, ends);
		trial.mode = choose_mode(ends, subsets, block->is_signed);
		grid_lanes grid = grid_of(trial.mode, block->is_signed);
		ends_lanes decoded = quantise_ends(block, &grid, subsets, ends, &trial);
		index_texels(block, area, subsets, &decoded, &trial, weights);
		keep_better(&trial, best);
		if (i < refits)
		{
			refit(block, area, subsets, weights, ends);
		}
	}
}

static void fit_one(const block_lanes *block, const search_effort *effort, trial_lanes *best)
{
	moment_lanes spread = covariance(block->products, block->sum, lrd_f32s_of(16));
	rgb_lanes axis[2];
	axis[0] = axis[1] = principal_axis(&spread, effort->axis_iterations);
	ends_lanes ends;
	stretch(block, NULL, 1, axis, &ends);
	fit_lines(block, NULL, 1, &ends, effort->refits, best);
}

static void fit_two(const block_lanes *block, const partitions *tables, lrd_i32s partition, const search_effort *effort,
	trial_lanes *best)
{
	area_lanes area;
	lay_out(block, tables->two, tables->anchor, partition, &area);
	moment_lanes products[2];
	for (int k = 0; k < 6; ++k)
	{
		products[1].of[k] = lrd_f32s_of(0);
		for (int i = 0; i < 16; ++i)
		{
			products[1].of[k] = lrd_add_where(area.in_second[i], products[1].of[k], block->product[i].of[k]);
		}
		products[0].of[k] = block->products.of[k] - products[1].of[k];
	}
	rgb_lanes axis[2];
	for (int s = 0; s < 2; ++s)
	{
		moment_lanes spread = covariance(products[s], area.sum[s], area.count[s]);
		axis[s] = principal_axis(&spread, effort->axis_iterations);
	}
	ends_lanes ends;
	stretch(block, &area, 2, axis, &ends);
	fit_lines(block, &area, 2, &ends, effort->refits_of_two, best);
}

/// What stays of a subset's variance when its texels are put on a line of eight colours: an estimate.
INLINE lrd_f32s line_cost(const moment_lanes *spread)
{
	const lrd_f32s *m = spread->of;
	lrd_f32s trace = m[0] + m[3] + m[5];
	// the root of the sum of squared eigenvalues, a little above the largest one
	lrd_f32s norm =
		lrd_sqrt(m[0] * m[0] + m[3] * m[3] + m[5] * m[5] + 2.0f * (m[1] * m[1] + m[2] * m[2] + m[4] * m[4]));
	return lrd_max(trace - norm, lrd_f32s_of(0)) + norm * (1.0f / 64.0f);
}

/// The partitions in the order of their estimates, `count` of them.
static void rank_partitions(const block_lanes *block, int count, lrd_i32s *ranked)
{
	for (int k = 0; k < count; ++k)
	{
		ranked[k] = lrd_i32s_of(0x7fffffff);
	}
	for (int partition = 0; partition < 32; ++partition)
	{
		rgb_lanes sum = { { lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0) } };
		moment_lanes products = { { lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0), lrd_f32s_of(0),
			lrd_f32s_of(0) } };
		// the smaller subset; the other one is what is left
		unsigned bits = lrd_bptc_two[partition];
		bits = __builtin_popcount(bits) > 8 ? ~bits & 0xffffu : bits;
		float size = (float)__builtin_popcount(bits);
		for (; bits != 0; bits &= bits - 1)
		{
			int i = __builtin_ctz(bits);
			for (int c = 0; c < 3; ++c)
			{
				sum.of[c] += block->texel[i].of[c];
			}
			for (int k = 0; k < 6; ++k)
			{
				products.of[k] += block->product[i].of[k];
			}
		}
		moment_lanes spread = covariance(products, sum, lrd_f32s_of(size));
		lrd_f32s cost = line_cost(&spread);
		for (int k = 0; k < 6; ++k)
		{
			products.of[k] = block->products.of[k] - products.of[k];
		}
		spread = covariance(products, difference(block->sum, sum), lrd_f32s_of(16 - size));
		cost += line_cost(&spread);
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

static void encode_lanes(
	const uint16_t (*from)[64], size_t count, const lrd_bc6h_job *job, const partitions *tables, uint8_t *out)
{
	const search_effort *effort = &efforts[job->quality];
	block_lanes block;
	load_texels(from, count, job->is_signed, &block);
	trial_lanes best = { .error = lrd_f32s_of(3e38f) };
	fit_one(&block, effort, &best);
	lrd_i32s ranked[32];
	rank_partitions(&block, effort->partitions, ranked);
	for (int k = 0; k < effort->partitions; ++k)
	{
		fit_two(&block, tables, ranked[k], effort, &best);
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
