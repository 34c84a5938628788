// geometry/tangents_order.c: triangles whose uv say nothing of directions take the orientation of the group that
// reaches them first. Groups are made in the order of the first corner that each has with directions of its own; only
// those matter that meet the ring of such a triangle.

#include "geometry/tangents.h"

// A triangle's notes, beside its LRD_TANGENT_… flags.
#define SEEN 8u                              // it has a corner in a ring that matters
#define TAKEN(corner) (16u << (corner) % 3u) // this corner of it is in a group
#define FREE(notes) ((notes) < 16u)

typedef struct group_order
{
	lrd_tangents *self;
	uint8_t *notes;       // a triangle
	uint32_t *neighbours; // an edge, corner to next corner: the edge across that runs the other way, or LRD_NONE
} group_order;

static void note_ring(void *user, const lrd_tangent_desk *desk, const uint32_t *places, const uint8_t *kinds,
	const uint32_t *out, uint32_t count)
{
	group_order *self = user;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t corner = lrd_corner_at(desk, places[i]);
		self->notes[corner / 3] = (uint8_t)(kinds[i] | SEEN);
		if (out[i] != LRD_NONE)
		{
			uint32_t across = lrd_previous_corner(lrd_corner_at(desk, places[out[i]]));
			self->neighbours[corner] = across;
			self->neighbours[across] = corner;
		}
	}
}

static void note_small_ring(group_order *self, lrd_tangent_desk *desk, const uint32_t *places, uint32_t count)
{
	uint32_t out[LRD_SMALL_RING];
	uint32_t in[LRD_SMALL_RING];
	uint8_t kinds[LRD_SMALL_RING] = { 0 };
	uint32_t first = lrd_vertex_at(desk, places[0]);
	desk->count = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		lrd_tangents_gather(desk, places[i], first);
	}
	self->self->measure(&self->self->source, &desk->rows, count);
	for (uint32_t i = 0; i < count; i++)
	{
		kinds[i] = lrd_tangents_kind(desk, i);
	}
	lrd_tangents_link(desk->rows.next, desk->rows.previous, kinds, count, out, in);
	note_ring(self, desk, places, kinds, out, count);
}

static bool note_small_rings(group_order *self)
{
	lrd_tangents *tangents = self->self;
	lrd_tangent_desk *desk = lrd_tangents_open_desk(tangents, 0, tangents->bucket_count);
	for (uint32_t bucket = 0; desk != NULL && bucket < tangents->bucket_count; bucket++)
	{
		if (tangents->buckets[bucket].waiting == 0)
		{
			continue;
		}
		lrd_tangents_open_bucket(desk, bucket);
		for (uint32_t i = 0; i < desk->ring_count; i++)
		{
			if (tangents->status[desk->first_ring + i] == LRD_RING_WAITING)
			{
				note_small_ring(self, desk, desk->places + desk->starts[i], desk->starts[i + 1] - desk->starts[i]);
			}
		}
	}
	lrd_tangents_close_desk(desk);
	return desk != NULL;
}

// Whether the group may have the corner. A triangle without an orientation takes that of the first group it joins.
static bool take(group_order *self, uint32_t corner, uint32_t preserving)
{
	uint8_t *notes = &self->notes[corner / 3];
	if ((*notes & TAKEN(corner)) != 0)
	{
		return false;
	}
	if ((*notes & LRD_TANGENT_ANY) != 0 && FREE(*notes))
	{
		*notes = (uint8_t)((*notes & ~(uint32_t)LRD_TANGENT_PRESERVING) | preserving);
	}
	if ((*notes & LRD_TANGENT_PRESERVING) != preserving)
	{
		return false;
	}
	*notes |= (uint8_t)TAKEN(corner);
	return true;
}

static void walk_group(group_order *self, uint32_t first)
{
	uint32_t preserving = self->notes[first / 3] & LRD_TANGENT_PRESERVING;
	take(self, first, preserving);
	for (uint32_t across = self->neighbours[first]; across != LRD_NONE;)
	{
		uint32_t corner = lrd_next_corner(across);
		across = take(self, corner, preserving) ? self->neighbours[corner] : LRD_NONE;
	}
	for (uint32_t across = self->neighbours[lrd_previous_corner(first)]; across != LRD_NONE;)
	{
		across = take(self, across, preserving) ? self->neighbours[lrd_previous_corner(across)] : LRD_NONE;
	}
}

static bool find_order(group_order *self)
{
	const lrd_tangents *tangents = self->self;
	uint32_t corner_count = tangents->geometry->index_count;
	memset(self->neighbours, 0xFF, corner_count * sizeof *self->neighbours); // LRD_NONE
	if (!note_small_rings(self) || !lrd_tangents_note_large(self->self, note_ring, self))
	{
		return false;
	}
	for (uint32_t corner = 0; corner < corner_count; corner++)
	{
		uint32_t notes = self->notes[corner / 3];
		if ((notes & (SEEN | LRD_TANGENT_ANY | LRD_TANGENT_DEGENERATE)) == SEEN && (notes & TAKEN(corner)) == 0)
		{
			walk_group(self, corner);
		}
	}
	return true;
}

bool lrd_tangents_orient(lrd_tangents *self, lrd_error *error)
{
	uint32_t seen = atomic_load(&self->seen_orientations);
	if (seen != 3)
	{
		self->preserving = seen == 2; // nothing to choose from
		return true;
	}
	size_t corner_count = self->geometry->index_count;
	group_order order = { .self = self,
		.notes = lrd_alloc_zeroed(self->allocator, corner_count / 3, sizeof *order.notes),
		.neighbours = lrd_alloc(self->allocator, corner_count * sizeof *order.neighbours) };
	bool done = order.notes != NULL && order.neighbours != NULL && find_order(&order);
	lrd_free(self->allocator, order.neighbours, corner_count * sizeof *order.neighbours);
	self->orientations = order.notes; // freed with the rest, whatever came of it
	return done || lrd_fail_memory(error, "triangles without directions", corner_count * sizeof *order.neighbours);
}
