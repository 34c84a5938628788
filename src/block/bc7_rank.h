// block/bc7_rank.h: what is worth a fit, for a batch of blocks. Part of the kernel: included by bc7_kernel.c alone.

#ifndef BLOCK_BC7_RANK_H
#define BLOCK_BC7_RANK_H

#include "block/bc7_estimate.h"
#include "block/bc7_queue.h"

/// What fits come to, measured over photographs: the error is about `off` times what is off the axes, `along` times
/// what is along them, `single` times the variance of a channel by itself, and what the endpoints' grid adds; by queue.
static const struct
{
	float off, along, grid, single;
} costs[BC7_QUEUES] = {
	{ 1.95f, 1.0f / 150, 140.0f, 0 },
	{ 1.45f, 1.0f / 250, 20.0f, 0 },
	{ 2.6f, 1.0f / 170, 90.0f, 0 },
	{ 2.2f, 1.0f / 400, 8.0f, 0 },
	{ 2.0f, 1.0f / 40, 45.0f, 1.0f / 100 },
	{ 2.0f, 1.0f / 40, 14.0f, 1.0f / 65 },
	{ 1.0f, 1.0f / 225, 6.0f, 0 },
	{ 2.2f, 1.0f / 200, 60.0f, 0 },
	{ 1.9f, 1.0f / 200, 38.0f, 1.0f / 25 },
};

FIT_INLINE lrd_f32s estimate_of(bc7_spread spread, int queue)
{
	return spread.off * costs[queue].off + spread.along * costs[queue].along + costs[queue].grid;
}

static void enqueue(bc7_chunk *chunk, int number, const bc7_batch *batch, const bc7_ranking *ranking)
{
	bc7_queue *queue = &chunk->queues[number];
	float worth = chunk->job->effort->worth;
	for (int rank = 0; rank < ranking->count; ++rank)
	{
		float estimate[LRD_LANES];
		int32_t candidate[LRD_LANES];
		lrd_f32s_store(estimate, ranking->estimate[rank]);
		lrd_i32s_store(candidate, ranking->candidate[rank]);
		for (int lane = 0; lane < batch->count; ++lane)
		{
			if (estimate[lane] < worth * chunk->error[batch->block[lane]])
			{
				queue->items[queue->count++] = (bc7_item){ batch->block[lane], (uint8_t)candidate[lane] };
			}
		}
	}
}

/// Which channel to keep apart in modes 4 and 5: its own variance is cheap, and the others may lie on one axis.
static void rank_rotations(bc7_chunk *chunk, const bc7_batch *batch, bool opaque)
{
	const int queues[3] = { 4, QUEUE_4_SWAPPED, 5 };
	bc7_moments m;
	bc7_ranking ranking[3];
	lrd_f32s covariance[10];
	moments_of(&batch->texels, 4, true, batch->texels.in_second, &m);
	for (int c = 0; c < 4; ++c)
	{
		for (int e = 0; e <= c; ++e)
		{
			int k = moment_of[e][c];
			covariance[k] = m.xx[k] - m.x[c] * m.x[e] * (1.0f / 16);
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		ranking_clear(&ranking[i], chunk->job->effort->tries[i == 2 ? 5 : 4]);
	}
	for (int rotation = opaque; rotation < 4; ++rotation)
	{
		int apart = rotation == 0 ? 3 : rotation - 1;
		lrd_f32s trace = zero_f32s(), squares = zero_f32s();
		for (int c = 0; c < 4; ++c)
		{
			trace += c == apart ? zero_f32s() : covariance[moment_of[c][c]];
			for (int e = 0; e < 4; ++e)
			{
				lrd_f32s value = covariance[moment_of[c][e]];
				squares += c == apart || e == apart ? zero_f32s() : value * value;
			}
		}
		lrd_f32s along = lrd_sqrt(squares);
		bc7_spread spread = { trace - along, along };
		for (int i = 0; i < 3; ++i)
		{
			lrd_f32s single = covariance[moment_of[apart][apart]] * costs[queues[i]].single;
			ranking_add(&ranking[i], estimate_of(spread, queues[i]) + single, rotation);
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		enqueue(chunk, queues[i], batch, &ranking[i]);
	}
}

FIT_INLINE void rank_two(
	const bc7_products *products, int channels, lrd_f32s beyond, bc7_ranking *mode_1, bc7_ranking *mode_3)
{
	lrd_f32s sums[14] = { zero_f32s() };
	uint32_t before = 0;
	for (int k = 0; k < 64; ++k)
	{
		const bc7_step *step = &walk_of_two[k];
		walk_sums(products, channels, before, step->members[0], sums);
		before = step->members[0];
		bc7_spread spread = spread_of_two(products, channels, sums, __builtin_popcount(before));
		spread.off += beyond;
		ranking_add(mode_1, estimate_of(spread, 1), step->partition);
		ranking_add(mode_3, estimate_of(spread, 3), step->partition);
	}
}

FIT_INLINE void rank_three(
	const bc7_products *products, const bc7_step *walk, int count, bc7_ranking *mode_0, bc7_ranking *mode_2)
{
	lrd_f32s sums[2][14] = { { zero_f32s() } };
	uint32_t before[2] = { 0, 0 };
	for (int k = 0; k < count; ++k)
	{
		int sizes[2];
		for (int s = 0; s < 2; ++s)
		{
			walk_sums(products, 3, before[s], walk[k].members[s], sums[s]);
			before[s] = walk[k].members[s];
			sizes[s] = __builtin_popcount(before[s]);
		}
		bc7_spread spread = spread_of_three(products, sums, sizes);
		if (walk[k].partition < 16)
		{
			ranking_add(mode_0, estimate_of(spread, 0), walk[k].partition);
		}
		ranking_add(mode_2, estimate_of(spread, 2), walk[k].partition);
	}
}

static __attribute__((noinline)) void rank_opaque(bc7_chunk *chunk, const bc7_batch *batch)
{
	const lrd_bc7_effort *effort = chunk->job->effort;
	bc7_products products;
	bc7_ranking ranking[4];
	for (int mode = 0; mode < 4; ++mode)
	{
		ranking_clear(&ranking[mode], effort->tries[mode]);
	}
	if (effort->in_plane)
	{
		const bc7_metric plain = { .eye = false };
		bc7_texels flat;
		lrd_f32s beyond;
		flatten(&batch->texels, &chunk->metric, &flat, &beyond);
		products_of(&flat, &plain, 2, &products);
		rank_two(&products, 2, beyond, &ranking[1], &ranking[3]);
	}
	else
	{
		products_of(&batch->texels, &chunk->metric, 3, &products);
		rank_two(&products, 3, zero_f32s(), &ranking[1], &ranking[3]);
	}
	if (effort->tries[2] > 0 && !effort->in_plane)
	{
		rank_three(&products, walk_of_three, 64, &ranking[0], &ranking[2]);
	}
	else if (effort->tries[0] > 0 && !effort->in_plane)
	{
		rank_three(&products, walk_of_three_first, 16, &ranking[0], &ranking[2]);
	}
	for (int mode = 0; mode < 4; ++mode)
	{
		enqueue(chunk, mode, batch, &ranking[mode]);
	}
	if (effort->tries[4] + effort->tries[5] > 0)
	{
		rank_rotations(chunk, batch, true);
	}
}

/// Blocks with alpha. Mode 5 without rotation keeps every alpha of 0 and 255: it is always tried.
static __attribute__((noinline)) void rank_alpha(bc7_chunk *chunk, const bc7_batch *batch)
{
	const lrd_bc7_effort *effort = chunk->job->effort;
	for (int lane = 0; lane < batch->count; ++lane)
	{
		chunk->queues[5].items[chunk->queues[5].count++] = (bc7_item){ batch->block[lane], 0 };
	}
	rank_rotations(chunk, batch, false);
	bc7_products products;
	bc7_ranking ranking;
	products_of(&batch->texels, &chunk->metric, 4, &products);
	ranking_clear(&ranking, effort->tries[7]);
	lrd_f32s sums[14] = { zero_f32s() };
	uint32_t before = 0;
	for (int k = 0; k < 64; ++k)
	{
		const bc7_step *step = &walk_of_two[k];
		walk_sums(&products, 4, before, step->members[0], sums);
		before = step->members[0];
		bc7_spread spread = spread_of_two(&products, 4, sums, __builtin_popcount(before));
		ranking_add(&ranking, estimate_of(spread, 7), step->partition);
	}
	enqueue(chunk, 7, batch, &ranking);
}

#endif
