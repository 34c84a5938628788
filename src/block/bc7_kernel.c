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
#include "block/bc7_queue.h"
#include "block/bc7_rank.h"
#include "block/bc7_split.h"

/// A grey error counts as much as it does unweighted, one without luma a fifth; luma of Rec. 709.
static const bc7_metric metric_of_the_eye = {
	.eye = true, .channel = 0.2f, .alpha = 1.0f, .luma = 2.4f, .of = { 0.2126f, 0.7152f, 0.0722f }
};

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
			second[lane] = members_of_three[partition][0];
			third[lane] = members_of_three[partition][1];
			anchors[0][lane] = lrd_bptc_anchors_of_three[partition][0];
			anchors[1][lane] = lrd_bptc_anchors_of_three[partition][1];
		}
	}
	batch->texels.in_second = lrd_i32s_load(second);
	batch->texels.in_third = lrd_i32s_load(third);
}

/// Put the fits that are the best of their blocks so far into place.
FIT_INLINE void keep_fits(
	bc7_chunk *chunk, bc7_batch *batch, int queue, bc7_shape shape, int32_t anchors[2][LRD_LANES], bc7_fit *fit)
{
	uint32_t better = note_better(chunk, batch, queue, fit->error);
	if (better == 0)
	{
		return;
	}
	turn_subsets(&batch->texels, shape, anchors, fit);
	bc7_bits bits = { 0 };
	bc7_stream stream;
	int mode = queue == QUEUE_6_OPAQUE ? 6 : queue;
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

FIT_INLINE void try_batch(bc7_chunk *chunk, bc7_batch *batch, int queue, bc7_shape shape)
{
	int32_t anchors[2][LRD_LANES];
	bc7_fit fit;
	load_partitions(batch, shape.subsets, anchors);
	fit_shape(&batch->texels, &chunk->metric, shape, chunk->trial, &fit);
	keep_fits(chunk, batch, queue, shape, anchors, &fit);
}

#define BC7_TRY(name, queue, ...)                                                                                      \
	FIT_PART void name(bc7_chunk *chunk, bc7_batch *batch)                                                             \
	{                                                                                                                  \
		try_batch(chunk, batch, queue, (bc7_shape){ __VA_ARGS__ });                                                    \
	}

BC7_TRY(try_mode_0, 0, 3, 3, 8, 5, P_EACH)
BC7_TRY(try_mode_1, 1, 2, 3, 8, 7, P_SHARED)
BC7_TRY(try_mode_2, 2, 3, 3, 4, 5, P_NONE)
BC7_TRY(try_mode_3, 3, 2, 3, 4, 8, P_EACH)
BC7_TRY(try_mode_6_opaque, QUEUE_6_OPAQUE, 1, 3, 16, 8, P_ONE)
BC7_TRY(try_mode_6, 6, 1, 4, 16, 8, P_EACH)
BC7_TRY(try_mode_7, 7, 2, 4, 4, 6, P_EACH)

FIT_INLINE void try_split(bc7_chunk *chunk, bc7_batch *batch, int mode, int swapped, bc7_split split)
{
	bc7_split_fit fit;
	lrd_i32s rotation = lrd_i32s_load(batch->candidate);
	fit_split(&batch->texels, rotation, &chunk->metric, split, chunk->trial, &fit);
	uint32_t better = note_better(chunk, batch, swapped ? QUEUE_4_SWAPPED : mode, fit.error);
	if (better == 0)
	{
		return;
	}
	turn_split(split, &fit);
	bc7_bits bits = { 0 };
	bc7_stream streams[2];
	put_bits(&bits, lrd_i32s_of(1 << mode), mode + 1);
	put_bits(&bits, rotation, 2);
	if (mode == 4)
	{
		put_bits(&bits, lrd_i32s_of(swapped), 1);
	}
	put_ends(&bits, fit.colour.ends, split.colour);
	put_bits(&bits, lrd_to_i32s(fit.e[0]) >> (8 - split.bits), split.bits);
	put_bits(&bits, lrd_to_i32s(fit.e[1]) >> (8 - split.bits), split.bits);
	put_indices(&streams[swapped], fit.colour.index, split.colour.levels);
	put_indices(&streams[!swapped], fit.index, split.levels);
	int levels[2] = { swapped ? split.levels : split.colour.levels, swapped ? split.colour.levels : split.levels };
	for (; better != 0; better &= better - 1)
	{
		int lane = __builtin_ctz(better);
		uint8_t *out = chunk->job->out + (size_t)batch->block[lane] * 16;
		uint64_t first = stream_of(&streams[0], lane, levels[0], 1, 0, 0);
		uint64_t second = stream_of(&streams[1], lane, levels[1], 1, 0, 0), high;
		finish_block(&bits, lane, first, bits.at, out);
		memcpy(&high, out + 8, 8);
		high |= second << (bits.at + 16 * log2_of(levels[0]) - 1 - 64);
		memcpy(out + 8, &high, 8);
	}
}

FIT_PART void try_mode_4(bc7_chunk *chunk, bc7_batch *batch)
{
	try_split(chunk, batch, 4, 0, (bc7_split){ { 1, 3, 4, 5, P_NONE }, 8, 6 });
}

FIT_PART void try_mode_4_swapped(bc7_chunk *chunk, bc7_batch *batch)
{
	try_split(chunk, batch, 4, 1, (bc7_split){ { 1, 3, 8, 5, P_NONE }, 4, 6 });
}

FIT_PART void try_mode_5(bc7_chunk *chunk, bc7_batch *batch)
{
	try_split(chunk, batch, 5, 0, (bc7_split){ { 1, 3, 4, 7, P_NONE }, 4, 8 });
}

/// What a block needs.
typedef enum bc7_kind
{
	BC7_SOLID,
	BC7_OPAQUE,
	BC7_ALPHA
} bc7_kind;

static bc7_kind kind_of(const uint8_t texels[64])
{
	uint32_t words[16], differing = 0, all = 0xffffffffu;
	memcpy(words, texels, sizeof words);
	for (int i = 0; i < 16; ++i)
	{
		differing |= words[i] ^ words[0];
		all &= words[i];
	}
	return differing == 0 ? BC7_SOLID : all >> 24 == 255 ? BC7_OPAQUE : BC7_ALPHA;
}

static void empty_queues(bc7_chunk *chunk)
{
	static void (*const tries[BC7_QUEUES])(bc7_chunk * chunk, bc7_batch * batch) = { try_mode_0, try_mode_1, try_mode_2,
		try_mode_3, try_mode_4, try_mode_5, try_mode_6, try_mode_7, try_mode_4_swapped, try_mode_6_opaque };
	for (int i = 0; i < BC7_QUEUES; ++i)
	{
		bc7_queue *queue = &chunk->queues[i];
		for (int first = 0; first < queue->count; first += LRD_LANES)
		{
			bc7_batch batch;
			load_batch(chunk, queue->items + first, queue->count - first, &batch);
			tries[i](chunk, &batch);
		}
		queue->count = 0;
	}
}

/// Fit the best candidates of each block again, harder.
static void try_finalists(bc7_chunk *chunk)
{
	chunk->trial = &chunk->job->effort->final;
	for (int block = 0; block < (int)chunk->job->count; ++block)
	{
		for (int i = 0; i < chunk->finalist_count[block]; ++i)
		{
			bc7_finalist finalist = chunk->finalists[block][i];
			bc7_queue *queue = &chunk->queues[finalist.queue];
			queue->items[queue->count++] = (bc7_item){ (uint8_t)block, finalist.candidate };
		}
	}
	empty_queues(chunk);
}

/// One axis for each of the blocks, then the ranking of all else.
static void begin_blocks(bc7_chunk *chunk, const bc7_item *items, int count, bool opaque)
{
	for (int first = 0; first < count; first += LRD_LANES)
	{
		bc7_batch batch;
		load_batch(chunk, items + first, count - first, &batch);
		if (opaque)
		{
			try_mode_6_opaque(chunk, &batch);
			rank_opaque(chunk, &batch);
		}
		else
		{
			try_mode_6(chunk, &batch);
			rank_alpha(chunk, &batch);
		}
	}
}

void LRD_KERNEL(lrd_bc7_encode_chunk)(const lrd_bc7_job *job)
{
	bc7_chunk chunk;
	chunk.job = job;
	chunk.trial = &job->effort->first;
	chunk.metric = job->perceptual ? metric_of_the_eye : (bc7_metric){ .eye = false };
	for (int i = 0; i < BC7_QUEUES; ++i)
	{
		chunk.queues[i].count = 0;
	}
	bc7_item opaque[LRD_BC7_CHUNK], others[LRD_BC7_CHUNK];
	int opaque_count = 0, other_count = 0;
	for (int i = 0; i < (int)job->count; ++i)
	{
		chunk.error[i] = 1e30f;
		chunk.finalist_count[i] = 0;
		switch (kind_of(job->texels[i]))
		{
		case BC7_SOLID:
			chunk.error[i] = 0;
			encode_solid(job->texels[i], job->out + (size_t)i * 16);
			break;
		case BC7_OPAQUE: opaque[opaque_count++] = (bc7_item){ (uint8_t)i, 0 }; break;
		default: others[other_count++] = (bc7_item){ (uint8_t)i, 0 }; break;
		}
	}
	begin_blocks(&chunk, opaque, opaque_count, true);
	begin_blocks(&chunk, others, other_count, false);
	empty_queues(&chunk);
	if (job->effort->finalists > 0)
	{
		try_finalists(&chunk);
	}
	if (job->errors != NULL)
	{
		memcpy(job->errors, chunk.error, job->count * sizeof *job->errors);
	}
}
