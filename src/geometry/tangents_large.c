// geometry/tangents_large.c: rings of many corners, the apex of a fan for one. One after the other, on one thread, in
// arrays for the largest of them, with nothing that takes more time than there are corners.

#include "geometry/tangents.h"

// Directions of a group that may have to split, and what comes of them.
#define SPLIT_ROWS ((size_t)LRD_TANGENT_DIRECTIONS + 3)

typedef struct large_ring
{
	lrd_tangents *self;
	lrd_tangent_desk *desk;
	uint32_t room;     // corners of the largest ring
	uint32_t *numbers; // room for the arrays that follow
	uint8_t *kinds;    // a corner
	int32_t *next;     // a corner
	int32_t *previous; // a corner
	uint32_t *group;   // a corner, in the place of `next`
	uint32_t *starts;  // a group, in the place of `previous`: where it begins in `members`; and one more
	uint32_t *out;
	uint32_t *in;
	uint32_t *members; // corners by groups; before, an edge (two a corner): the next one in its queue
	uint32_t *queues;  // a ring: the last of the free edges that lead to it
	float *directions; // rows of a group's directions, and of sums of them

	uint32_t number;        // of the ring
	const uint32_t *places; // of its corners
	uint32_t count;
	uint32_t vertex;        // of the first
	uint32_t first_sound;   // corner that is not degenerate
	lrd_vec4 first_tangent; // and what it got

	lrd_tangent_note *note; // of lrd_tangents_note_large
	void *note_user;
} large_ring;

static void close_large(large_ring *ring)
{
	lrd_allocator allocator = ring->self->allocator;
	lrd_free(allocator, ring->numbers, (6 * (size_t)ring->room + 1) * sizeof *ring->numbers);
	lrd_free(allocator, ring->kinds, ring->room);
	lrd_free(allocator, ring->queues, ring->self->ring_count * sizeof *ring->queues);
	lrd_free(allocator, ring->directions, SPLIT_ROWS * LRD_LARGEST_SPLIT_GROUP * sizeof *ring->directions);
	lrd_tangents_close_desk(ring->desk);
}

static uint32_t find_room(const lrd_tangents *self)
{
	uint32_t room = 0;
	for (uint32_t bucket = 0; bucket < self->bucket_count; bucket++)
	{
		room = self->buckets[bucket].large > room ? self->buckets[bucket].large : room;
	}
	return room;
}

static bool open_large(large_ring *ring, lrd_error *error)
{
	lrd_tangents *self = ring->self;
	size_t number_bytes = (6 * (size_t)ring->room + 1) * sizeof *ring->numbers;
	size_t queue_bytes = self->ring_count * sizeof *ring->queues;
	ring->desk = lrd_tangents_open_desk(self, 0, self->bucket_count);
	ring->numbers = lrd_alloc(self->allocator, number_bytes);
	ring->kinds = lrd_alloc(self->allocator, ring->room);
	ring->queues = lrd_alloc(self->allocator, queue_bytes);
	ring->directions =
		lrd_alloc_zeroed(self->allocator, SPLIT_ROWS * LRD_LARGEST_SPLIT_GROUP, sizeof *ring->directions);
	if (ring->desk == NULL || ring->numbers == NULL || ring->kinds == NULL || ring->queues == NULL ||
		ring->directions == NULL)
	{
		return lrd_fail_memory(error, "rings of many corners", number_bytes + queue_bytes);
	}
	ring->group = ring->numbers;
	ring->out = ring->group + ring->room;
	ring->in = ring->out + ring->room;
	ring->members = ring->in + ring->room;
	ring->starts = ring->members + 2 * (size_t)ring->room; // one longer than the others
	ring->next = (int32_t *)ring->group;
	ring->previous = (int32_t *)ring->starts;
	memset(ring->queues, 0xFF, queue_bytes); // LRD_NONE
	return true;
}

// Put corners members[first], members[first + 1], … of the ring on the desk and measure them; NULL: `first`, first + 1, …
static uint32_t measure_some(large_ring *ring, const uint32_t *members, uint32_t first, uint32_t end)
{
	lrd_tangent_desk *desk = ring->desk;
	desk->count = 0;
	while (first + desk->count < end && desk->count < LRD_TANGENT_BATCH)
	{
		uint32_t i = first + desk->count;
		lrd_tangents_gather(desk, ring->places[members != NULL ? members[i] : i], ring->vertex);
	}
	ring->self->measure(&ring->self->source, &desk->rows, desk->count);
	return desk->count;
}

static void find_kinds(large_ring *ring)
{
	const lrd_tangent_desk *desk = ring->desk;
	ring->first_sound = LRD_NONE;
	for (uint32_t first = 0; first < ring->count; first += desk->count)
	{
		measure_some(ring, NULL, first, ring->count);
		for (uint32_t i = 0; i < desk->count; i++)
		{
			ring->kinds[first + i] = lrd_tangents_kind(desk, i);
			bool degenerate = (ring->kinds[first + i] & LRD_TANGENT_DEGENERATE) != 0;
			ring->first_sound = ring->first_sound == LRD_NONE && !degenerate ? first + i : ring->first_sound;
			ring->next[first + i] = desk->rows.next[i];
			ring->previous[first + i] = desk->rows.previous[i];
		}
	}
}

// Edges that are free and lead to one ring all run the same way, and wait in a queue; the first to come that runs the
// other way meets the one that waited longest. A queue is circular: its last edge leads to its first.
static void link_edge(large_ring *ring, uint32_t edge, int32_t to)
{
	uint32_t *following = ring->members;
	if (to < 0)
	{
		return;
	}
	uint32_t last = ring->queues[to];
	if (last == LRD_NONE || ((last ^ edge) & 1) == 0)
	{
		following[edge] = last == LRD_NONE ? edge : following[last];
		following[last == LRD_NONE ? edge : last] = edge;
		ring->queues[to] = edge;
		return;
	}
	uint32_t across = following[last];
	uint32_t outgoing = (edge & 1) == 0 ? edge : across;
	uint32_t incoming = (edge & 1) == 0 ? across : edge;
	ring->out[outgoing / 2] = incoming / 2;
	ring->in[incoming / 2] = outgoing / 2;
	following[last] = following[across];
	ring->queues[to] = across == last ? LRD_NONE : last;
}

static void link_large(large_ring *ring)
{
	memset(ring->out, 0xFF, ring->count * sizeof *ring->out); // LRD_NONE
	memset(ring->in, 0xFF, ring->count * sizeof *ring->in);
	if (lrd_ring_is_loose(ring->self, ring->vertex))
	{
		return;
	}
	for (uint32_t i = 0; i < ring->count; i++)
	{
		if ((ring->kinds[i] & LRD_TANGENT_DEGENERATE) == 0)
		{
			link_edge(ring, 2 * i, ring->next[i]);
			link_edge(ring, 2 * i + 1, ring->previous[i]);
		}
	}
	for (uint32_t i = 0; i < ring->count; i++)
	{
		ring->queues[ring->next[i] >= 0 ? ring->next[i] : 0] = LRD_NONE;
		ring->queues[ring->previous[i] >= 0 ? ring->previous[i] : 0] = LRD_NONE;
	}
}

static void give(large_ring *ring, uint32_t member, lrd_vec4 tangent)
{
	uint32_t place = ring->places[member];
	lrd_tangents_give(ring->desk, lrd_vertex_at(ring->desk, place), lrd_corner_at(ring->desk, place), tangent);
	ring->first_tangent = member == ring->first_sound ? tangent : ring->first_tangent;
}

static void give_split(large_ring *ring, const uint32_t *members, uint32_t count, bool preserving, lrd_vec3 normal)
{
	const lrd_tangent_desk *desk = ring->desk;
	float *sums = ring->directions + (size_t)LRD_TANGENT_DIRECTIONS * LRD_LARGEST_SPLIT_GROUP;
	for (uint32_t first = 0; first < count; first += desk->count)
	{
		measure_some(ring, members, first, count);
		for (size_t row = 0; row < LRD_TANGENT_DIRECTIONS; row++)
		{
			memcpy(ring->directions + row * LRD_LARGEST_SPLIT_GROUP + first, desk->rows.directions[row],
				desk->count * sizeof(float));
		}
	}
	ring->self->see(ring->directions, LRD_LARGEST_SPLIT_GROUP, count, sums);
	for (uint32_t i = 0; i < count; i++)
	{
		const float *sum = sums + i;
		lrd_vec3 of_corner = { sum[0], sum[LRD_LARGEST_SPLIT_GROUP], sum[2 * LRD_LARGEST_SPLIT_GROUP] };
		give(ring, members[i], lrd_tangents_of_sum(of_corner, preserving, normal));
	}
}

static void finish_group(large_ring *ring, const uint32_t *members, uint32_t count)
{
	lrd_vec3 normal = lrd_load3(ring->self->geometry->normals, ring->vertex);
	bool preserving = (ring->kinds[members[0]] & LRD_TANGENT_PRESERVING) != 0;
	lrd_vec3 sum = { 0.0f, 0.0f, 0.0f };
	int32_t flags = 0;
	for (uint32_t first = 0; first < count; first += ring->desk->count)
	{
		measure_some(ring, members, first, count);
		for (uint32_t i = 0; i < ring->desk->count; i++)
		{
			sum = lrd_tangents_add_weighted(ring->desk, i, sum);
			flags |= ring->desk->rows.flags[i];
		}
	}
	if (count <= LRD_LARGEST_SPLIT_GROUP && !lrd_tangents_all_see(flags))
	{
		give_split(ring, members, count, preserving, normal);
		return;
	}
	lrd_vec4 tangent = lrd_tangents_of_sum(sum, preserving, normal);
	for (uint32_t i = 0; i < count; i++)
	{
		give(ring, members[i], tangent);
	}
}

// Corners sorted by groups, and those without one at the end.
static uint32_t gather_groups(large_ring *ring)
{
	uint32_t *group = ring->group;
	uint32_t *starts = ring->starts;
	uint32_t group_count = lrd_tangents_label(ring->kinds, ring->out, ring->in, ring->count, group);
	memset(starts, 0, (group_count + (size_t)1) * sizeof *starts);
	for (uint32_t i = 0; i < ring->count; i++)
	{
		group[i] = group[i] == LRD_NONE ? group_count : group[i];
		starts[group[i]]++;
	}
	uint32_t total = 0;
	for (uint32_t i = 0; i <= group_count; i++)
	{
		total += starts[i];
		starts[i] = total; // one past its corners for now
	}
	for (uint32_t i = ring->count; i-- > 0;)
	{
		ring->members[--starts[group[i]]] = i;
	}
	return group_count;
}

static void survey_ring(large_ring *ring)
{
	find_kinds(ring);
	if (!lrd_ring_is_loose(ring->self, ring->vertex))
	{
		lrd_tangents_survey(ring->desk, ring->kinds, ring->count);
	}
}

static void finish_ring(large_ring *ring)
{
	find_kinds(ring);
	link_large(ring);
	uint32_t group_count = gather_groups(ring);
	lrd_tangents_begin_ring(ring->desk);
	uint32_t extra_before = ring->desk->bucket->extra;
	ring->first_tangent = LRD_TANGENT_WITHOUT_GROUP;
	for (uint32_t group = 0; group < group_count; group++)
	{
		uint32_t start = ring->starts[group];
		finish_group(ring, ring->members + start, ring->starts[group + 1] - start);
	}
	bool loose = lrd_ring_is_loose(ring->self, ring->vertex);
	for (uint32_t i = ring->starts[group_count]; i < ring->count; i++)
	{
		uint32_t member = ring->members[i];
		bool degenerate = (ring->kinds[member] & LRD_TANGENT_DEGENERATE) != 0;
		give(ring, member, degenerate && !loose ? ring->first_tangent : LRD_TANGENT_WITHOUT_GROUP);
	}
	if (ring->self->round != LRD_ROUND_SPLIT && ring->desk->bucket->extra != extra_before)
	{
		ring->self->status[ring->number] = LRD_RING_SPLIT;
	}
}

static void note_ring(large_ring *ring)
{
	find_kinds(ring);
	link_large(ring);
	ring->note(ring->note_user, ring->desk, ring->places, ring->kinds, ring->out, ring->count);
}

static bool visit_large(large_ring ring, void (*visit)(large_ring *ring), lrd_error *error)
{
	lrd_tangents *self = ring.self;
	ring.room = find_room(self);
	if (ring.room == 0)
	{
		return true;
	}
	bool done = open_large(&ring, error);
	for (uint32_t bucket = 0; done && bucket < self->bucket_count; bucket++)
	{
		if (self->buckets[bucket].large == 0)
		{
			continue;
		}
		lrd_tangents_open_bucket(ring.desk, bucket);
		for (uint32_t i = 0; i < ring.desk->ring_count; i++)
		{
			ring.number = ring.desk->first_ring + i;
			ring.places = ring.desk->places + ring.desk->starts[i];
			ring.count = ring.desk->starts[i + 1] - ring.desk->starts[i];
			if (ring.count > LRD_SMALL_RING &&
				(self->round != LRD_ROUND_SPLIT || self->status[ring.number] == LRD_RING_SPLIT))
			{
				ring.vertex = lrd_vertex_at(ring.desk, ring.places[0]);
				visit(&ring);
			}
		}
	}
	if (ring.desk != NULL)
	{
		atomic_fetch_or(&self->seen_orientations, ring.desk->seen_orientations);
	}
	close_large(&ring);
	return done;
}

bool lrd_tangents_survey_large(lrd_tangents *self, lrd_error *error)
{
	return visit_large((large_ring){ .self = self }, survey_ring, error);
}

bool lrd_tangents_finish_large(lrd_tangents *self, lrd_error *error)
{
	return visit_large((large_ring){ .self = self }, finish_ring, error);
}

bool lrd_tangents_note_large(lrd_tangents *self, lrd_tangent_note *note, void *user)
{
	return visit_large((large_ring){ .self = self, .note = note, .note_user = user }, note_ring, NULL);
}
