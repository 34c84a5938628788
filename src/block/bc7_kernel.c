// The BC7 encoder: LRD_LANES blocks side by side, for each vector instruction set from this text (base/isa.h).
//
// All blocks of a chunk are fitted with one axis (mode 6). Estimates then rank what else could pay (bc7_estimate.h), and
// what is worth it goes into a queue of its mode: block and partition. Queues are worked off LRD_LANES items at a time,
// whichever blocks they come from, so that an easy block costs little; each item is fitted (bc7_fit.h), measured as
// decoders will see it, and packed where it is the best of its block so far (bc7_pack.h).

#include "block/bc7.h"

#include "block/bc7_estimate.h"
#include "block/bc7_fit.h"
#include "block/bc7_pack.h"

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

typedef struct bc7_chunk
{
	const lrd_bc7_job *job;
	bc7_metric metric;
	float error[LRD_BC7_CHUNK]; ///< of the best so far
	bc7_queue queues[8];        ///< by mode
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

/// Look the partitions up: which texels are where, and the anchors of the second and third subset.
FIT_INLINE void load_partitions(bc7_batch *batch, int subsets, int32_t anchors[2][LRD_LANES])
{
	int32_t second[LRD_LANES], third[LRD_LANES];
	for (int lane = 0; lane < LRD_LANES; ++lane)
	{
		int32_t partition = batch->candidate[lane];
		second[lane] = third[lane] = anchors[0][lane] = anchors[1][lane] = 0;
		if (subsets == 2)
		{
			second[lane] = lrd_bptc_two[partition];
			anchors[0][lane] = lrd_bptc_anchor_of_two[partition];
		}
		if (subsets == 3)
		{
			second[lane] = (int32_t)members_of_three(lrd_bptc_three[partition], 1);
			third[lane] = (int32_t)members_of_three(lrd_bptc_three[partition], 2);
			anchors[0][lane] = lrd_bptc_anchors_of_three[partition][0];
			anchors[1][lane] = lrd_bptc_anchors_of_three[partition][1];
		}
	}
	batch->texels.in_second = lrd_i32s_load(second);
	batch->texels.in_third = lrd_i32s_load(third);
}

/// Put the fits that are the best of their blocks so far into place.
FIT_INLINE void keep_fits(
	bc7_chunk *chunk, bc7_batch *batch, int mode, bc7_shape shape, int32_t anchors[2][LRD_LANES], bc7_fit *fit)
{
	float error[LRD_LANES];
	uint32_t better = 0;
	lrd_f32s_store(error, fit->error);
	for (int lane = 0; lane < batch->count; ++lane)
	{
		if (error[lane] < chunk->error[batch->block[lane]])
		{
			chunk->error[batch->block[lane]] = error[lane];
			better |= 1u << lane;
		}
	}
	if (better == 0)
	{
		return;
	}
	turn_subsets(&batch->texels, shape, anchors, fit);
	bc7_bits bits = { 0 };
	bc7_stream stream;
	put_bits(&bits, lrd_i32s_of(1 << mode), mode + 1);
	if (shape.subsets > 1)
	{
		put_bits(&bits, lrd_i32s_load(batch->candidate), mode == 0 ? 4 : 6);
	}
	put_ends(&bits, fit->ends, shape);
	put_indices(&stream, fit->index, shape.levels);
	for (; better != 0; better &= better - 1)
	{
		int lane = __builtin_ctz(better);
		uint64_t indices = stream_of(&stream, lane, shape.levels, shape.subsets, anchors[0][lane], anchors[1][lane]);
		finish_block(&bits, lane, indices, bits.at, chunk->job->out + (size_t)batch->block[lane] * 16);
	}
}

FIT_INLINE void try_batch(bc7_chunk *chunk, bc7_batch *batch, int mode, bc7_shape shape)
{
	int32_t anchors[2][LRD_LANES];
	bc7_fit fit;
	load_partitions(batch, shape.subsets, anchors);
	fit_shape(&batch->texels, &chunk->metric, shape, chunk->job->effort->refinements, &fit);
	keep_fits(chunk, batch, mode, shape, anchors, &fit);
}

#define BC7_TRY(name, mode, ...)                                                                                       \
	FIT_PART void name(bc7_chunk *chunk, bc7_batch *batch)                                                             \
	{                                                                                                                  \
		try_batch(chunk, batch, mode, (bc7_shape){ __VA_ARGS__ });                                                     \
	}

BC7_TRY(try_mode_0, 0, 3, 3, 8, 5, P_EACH)
BC7_TRY(try_mode_1, 1, 2, 3, 8, 7, P_SHARED)
BC7_TRY(try_mode_2, 2, 3, 3, 4, 5, P_NONE)
BC7_TRY(try_mode_3, 3, 2, 3, 4, 8, P_EACH)
BC7_TRY(try_mode_6_opaque, 6, 1, 3, 16, 8, P_ONE)
BC7_TRY(try_mode_6, 6, 1, 4, 16, 8, P_EACH)
BC7_TRY(try_mode_7, 7, 2, 4, 4, 6, P_EACH)

static void empty_queue(bc7_chunk *chunk, int mode, void (*try)(bc7_chunk *chunk, bc7_batch *batch))
{
	bc7_queue *queue = &chunk->queues[mode];
	for (int first = 0; first < queue->count; first += LRD_LANES)
	{
		bc7_batch batch;
		load_batch(chunk, queue->items + first, queue->count - first, &batch);
		try(chunk, &batch);
	}
	queue->count = 0;
}

static void enqueue(bc7_chunk *chunk, int mode, const bc7_batch *batch, const bc7_ranking *ranking)
{
	bc7_queue *queue = &chunk->queues[mode];
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

/// What a mode adds to the estimate of a fit: its steps along the axes, and its endpoints' grid.
static const struct
{
	float along, grid;
} costs[8] = {
	{ 1.0f / 60, 100.0f },
	{ 1.0f / 60, 10.0f },
	{ 1.0f / 11, 100.0f },
	{ 1.0f / 11, 8.0f },
	{ 0, 0 },
	{ 0, 0 },
	{ 1.0f / 225, 6.0f },
	{ 1.0f / 11, 60.0f },
};

FIT_INLINE lrd_f32s estimate_of(bc7_spread spread, int mode)
{
	return spread.off + spread.along * costs[mode].along + costs[mode].grid;
}

FIT_PART void rank_opaque(bc7_chunk *chunk, const bc7_batch *batch)
{
	const lrd_bc7_effort *effort = chunk->job->effort;
	bc7_products products;
	bc7_ranking ranking[4];
	products_of(&batch->texels, 3, &products);
	for (int mode = 0; mode < 4; ++mode)
	{
		ranking_clear(&ranking[mode], effort->tries[mode]);
	}
	for (int partition = 0; partition < effort->partitions; ++partition)
	{
		bc7_spread spread = spread_of_two(&products, 3, lrd_bptc_two[partition]);
		ranking_add(&ranking[1], estimate_of(spread, 1), partition);
		ranking_add(&ranking[3], estimate_of(spread, 3), partition);
	}
	for (int partition = 0; partition < (effort->tries[2] > 0 ? 64 : effort->tries[0] > 0 ? 16 : 0); ++partition)
	{
		bc7_spread spread = spread_of_three(
			&products, members_of_three(lrd_bptc_three[partition], 1), members_of_three(lrd_bptc_three[partition], 2));
		if (partition < 16)
		{
			ranking_add(&ranking[0], estimate_of(spread, 0), partition);
		}
		ranking_add(&ranking[2], estimate_of(spread, 2), partition);
	}
	for (int mode = 0; mode < 4; ++mode)
	{
		enqueue(chunk, mode, batch, &ranking[mode]);
	}
}

void LRD_KERNEL(lrd_bc7_encode_chunk)(const lrd_bc7_job *job)
{
	bc7_chunk chunk;
	chunk.job = job;
	chunk.metric = (bc7_metric){ .eye = false };
	for (int mode = 0; mode < 8; ++mode)
	{
		chunk.queues[mode].count = 0;
	}
	bc7_item items[LRD_BC7_CHUNK];
	int count = (int)job->count;
	for (int i = 0; i < count; ++i)
	{
		items[i] = (bc7_item){ (uint8_t)i, 0 };
		chunk.error[i] = 1e30f;
	}
	for (int first = 0; first < count; first += LRD_LANES)
	{
		bc7_batch batch;
		load_batch(&chunk, items + first, count - first, &batch);
		try_mode_6_opaque(&chunk, &batch);
		rank_opaque(&chunk, &batch);
	}
	empty_queue(&chunk, 0, try_mode_0);
	empty_queue(&chunk, 1, try_mode_1);
	empty_queue(&chunk, 2, try_mode_2);
	empty_queue(&chunk, 3, try_mode_3);
	(void)try_mode_6;
	(void)try_mode_7;
}
