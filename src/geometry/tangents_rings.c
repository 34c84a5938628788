// geometry/tangents_rings.c: rings are put on a desk side by side, so that all their corners can be measured at once,
// and then finished one by one.

#include "geometry/tangents.h"

#include "os/parallel.h"

// Runs of buckets that one thread works through with one desk.
#define PIECES 64u

static int32_t ring_that_matches(const lrd_tangents *self, uint32_t vertex, int32_t none)
{
	uint32_t ring = self->rings != NULL ? self->rings[vertex] : vertex;
	return (ring & LRD_RING_LOOSE) == 0 ? (int32_t)ring : none;
}

void lrd_tangents_gather(lrd_tangent_desk *desk, uint32_t place, uint32_t normal)
{
	static const uint8_t after[3] = { 1, 2, 0 };
	static const uint8_t before[3] = { 2, 0, 1 };
	const lrd_tangents *self = desk->self;
	const uint32_t *vertices = desk->entries[place / 3].vertices;
	lrd_tangent_rows *rows = &desk->rows;
	uint32_t at = desk->count++;
	uint32_t slot = place % 3;
	rows->vertices[0][at] = vertices[0];
	rows->vertices[1][at] = vertices[1];
	rows->vertices[2][at] = vertices[2];
	rows->normals[at] = normal;
	rows->slot[at] = (int32_t)slot;
	rows->next[at] = ring_that_matches(self, vertices[after[slot]], LRD_NO_NEXT);
	rows->previous[at] = ring_that_matches(self, vertices[before[slot]], LRD_NO_PREVIOUS);
	desk->place[at] = place;
}

static void clear_desk(lrd_tangent_desk *desk)
{
	lrd_tangents *self = desk->self;
	desk->open_start[desk->open_count] = desk->count;
	if (desk->count != 0)
	{
		self->measure(&self->source, &desk->rows, desk->count);
		self->glance(&desk->rows, desk->open_start, desk->open_count, desk->open_sum);
	}
	for (uint32_t i = 0; i < desk->open_count; i++)
	{
		lrd_tangents_finish_ring(desk, i);
	}
	desk->count = 0;
	desk->open_count = 0;
}

static bool is_up(lrd_tangent_desk *desk, uint32_t ring, uint32_t corner_count)
{
	uint8_t *status = &desk->self->status[ring];
	if (desk->self->round == LRD_ROUND_FIRST && corner_count > LRD_SMALL_RING)
	{
		*status = LRD_RING_LARGE;
		desk->bucket->large = corner_count > desk->bucket->large ? corner_count : desk->bucket->large;
	}
	static const uint8_t up[] = { LRD_RING_NEW, LRD_RING_WAITING, LRD_RING_SPLIT };
	return corner_count != 0 && corner_count <= LRD_SMALL_RING && *status == up[desk->self->round];
}

static void work_through(lrd_tangent_desk *desk)
{
	for (uint32_t i = 0; i < desk->ring_count; i++)
	{
		uint32_t ring = desk->first_ring + i;
		uint32_t count = desk->starts[i + 1] - desk->starts[i];
		if (!is_up(desk, ring, count))
		{
			continue;
		}
		if (desk->count + count > LRD_TANGENT_BATCH)
		{
			clear_desk(desk);
		}
		desk->open_ring[desk->open_count] = ring;
		desk->open_start[desk->open_count++] = desk->count;
		const uint32_t *places = desk->places + desk->starts[i];
		uint32_t first = lrd_vertex_at(desk, places[0]);
		for (uint32_t j = 0; j < count; j++)
		{
			lrd_tangents_gather(desk, places[j], first);
		}
	}
	clear_desk(desk);
}

typedef struct ring_round
{
	lrd_tangents *self;
	uint32_t piece_count;
} ring_round;

static bool has_work(const lrd_tangents *self, const lrd_tangent_bucket *bucket)
{
	switch (self->round)
	{
	case LRD_ROUND_FIRST: return bucket[1].first != bucket[0].first;
	case LRD_ROUND_WAITING: return bucket->waiting != 0;
	default: return bucket->split != 0;
	}
}

static void run_piece(void *user, uint32_t piece)
{
	const ring_round *round = user;
	lrd_tangents *self = round->self;
	uint32_t first = (uint32_t)((uint64_t)self->bucket_count * piece / round->piece_count);
	uint32_t end = (uint32_t)((uint64_t)self->bucket_count * (piece + 1) / round->piece_count);
	while (first < end && !has_work(self, &self->buckets[first]))
	{
		first++;
	}
	if (first == end)
	{
		return;
	}
	lrd_tangent_desk *desk = lrd_tangents_open_desk(self, first, end);
	if (desk == NULL)
	{
		atomic_store(&self->out_of_memory, true);
		return;
	}
	for (uint32_t bucket = first; bucket < end; bucket++)
	{
		if (has_work(self, &self->buckets[bucket]))
		{
			lrd_tangents_open_bucket(desk, bucket);
			work_through(desk);
		}
	}
	atomic_fetch_or(&self->seen_orientations, desk->seen_orientations);
	lrd_tangents_close_desk(desk);
}

bool lrd_tangents_run_round(lrd_tangents *self, lrd_error *error)
{
	ring_round round = { self, self->jobs == NULL ? 1 : self->bucket_count < PIECES ? self->bucket_count : PIECES };
	lrd_parallel(self->jobs, self->allocator, round.piece_count, run_piece, &round);
	return !atomic_load(&self->out_of_memory) || lrd_fail_memory(error, "rings of corners", sizeof(lrd_tangent_desk));
}
