// block/bc7_queue.h: what is to be tried for which block. Part of the kernel: included by bc7_kernel.c alone.

#ifndef BLOCK_BC7_QUEUE_H
#define BLOCK_BC7_QUEUE_H

#include "block/bc7.h"
#include "block/bc7_fit.h"

#define BC7_MAX_TRIES 16
#define BC7_MAX_FINALISTS 16

/// By mode; mode 4 has one for each use of its two kinds of indices, mode 6 one for opaque blocks.
enum
{
	QUEUE_4_SWAPPED = 8,
	QUEUE_6_OPAQUE,
	BC7_QUEUES
};

typedef struct bc7_item
{
	uint8_t block;
	uint8_t candidate;
} bc7_item;

typedef struct bc7_queue
{
	int count;
	bc7_item items[LRD_BC7_CHUNK * BC7_MAX_TRIES];
} bc7_queue;

/// A candidate that has been fitted.
typedef struct bc7_finalist
{
	float error;
	uint8_t queue;
	uint8_t candidate;
} bc7_finalist;

typedef struct bc7_chunk
{
	const lrd_bc7_job *job;
	bc7_metric metric;
	float error[LRD_BC7_CHUNK]; ///< of the best so far
	const lrd_bc7_trial *trial; ///< how the items in the queues are fitted
	bc7_queue queues[BC7_QUEUES];
	int finalist_count[LRD_BC7_CHUNK];
	bc7_finalist finalists[LRD_BC7_CHUNK][BC7_MAX_FINALISTS]; ///< of a block, best first
} bc7_chunk;

/// LRD_LANES items at work; those from `count` on are copies of the first.
typedef struct bc7_batch
{
	int count;
	uint8_t block[LRD_LANES];
	int32_t candidate[LRD_LANES];
	bc7_texels texels;
} bc7_batch;

#define FIT_PART static __attribute__((noinline))

static void load_batch(const bc7_chunk *chunk, const bc7_item *items, int count, bc7_batch *batch)
{
	int32_t rows[16][LRD_LANES];
	batch->count = count < LRD_LANES ? count : LRD_LANES;
	for (int lane = 0; lane < LRD_LANES; ++lane)
	{
		bc7_item item = items[lane < count ? lane : 0];
		batch->block[lane] = item.block;
		batch->candidate[lane] = item.candidate;
		for (int i = 0; i < 16; ++i)
		{
			memcpy(&rows[i][lane], chunk->job->texels[item.block] + 4 * i, 4);
		}
	}
	for (int i = 0; i < 16; ++i)
	{
		lrd_i32s row = lrd_i32s_load(rows[i]);
		batch->texels.x[0][i] = lrd_to_f32s(row & 255);
		batch->texels.x[1][i] = lrd_to_f32s((row >> 8) & 255);
		batch->texels.x[2][i] = lrd_to_f32s((row >> 16) & 255);
		batch->texels.x[3][i] = lrd_to_f32s((row >> 24) & 255);
	}
}

static void enter_finalist(bc7_chunk *chunk, int block, bc7_finalist finalist)
{
	bc7_finalist *list = chunk->finalists[block];
	int count = chunk->finalist_count[block], most = chunk->job->effort->finalists;
	if (count == most && (count == 0 || list[count - 1].error <= finalist.error))
	{
		return;
	}
	int at = count < most ? count : count - 1;
	chunk->finalist_count[block] = at + 1;
	for (; at > 0 && finalist.error < list[at - 1].error; --at)
	{
		list[at] = list[at - 1];
	}
	list[at] = finalist;
}

/// The lanes whose error is the least of their block so far; it is noted.
static uint32_t note_better(bc7_chunk *chunk, const bc7_batch *batch, int queue, lrd_f32s errors)
{
	float error[LRD_LANES];
	uint32_t better = 0;
	lrd_f32s_store(error, errors);
	for (int lane = 0; lane < batch->count; ++lane)
	{
		if (chunk->trial == &chunk->job->effort->first)
		{
			enter_finalist(chunk, batch->block[lane],
				(bc7_finalist){ error[lane], (uint8_t)queue, (uint8_t)batch->candidate[lane] });
		}
		if (error[lane] < chunk->error[batch->block[lane]])
		{
			chunk->error[batch->block[lane]] = error[lane];
			better |= 1u << lane;
		}
	}
	return better;
}

#endif
