// geometry/tangents_edges.c: which triangles are neighbours. Edges are gathered by their lower id with a counting
// sort, then by their higher one, and each run of equal edges is paired off like a queue. Linear in the number of
// triangles.

#include "geometry/tangents.h"

typedef struct edge
{
	uint32_t high;   // the larger of the two ids
	uint32_t corner; // where the edge starts
} edge;

static uint32_t lower_id(const lrd_tangents *self, uint32_t corner)
{
	uint32_t from = self->ids[corner];
	uint32_t to = self->ids[lrd_next_corner(corner)];
	return from < to ? from : to;
}

static bool is_degenerate(const lrd_tangents *self, uint32_t corner)
{
	return (self->flags[corner / 3] & LRD_TANGENT_DEGENERATE) != 0;
}

// starts[id] becomes the first of its edges in `edges`, starts[id_count] their number.
static void gather_edges(const lrd_tangents *self, uint32_t *starts, edge *edges)
{
	for (uint32_t corner = 0; corner < self->corner_count; corner++)
	{
		if (!is_degenerate(self, corner))
		{
			starts[lower_id(self, corner)]++;
		}
	}
	uint32_t total = 0;
	for (size_t id = 0; id <= self->id_count; id++)
	{
		total += starts[id];
		starts[id] = total; // one past its edges for now
	}
	for (uint32_t corner = self->corner_count; corner-- > 0;)
	{
		if (!is_degenerate(self, corner))
		{
			uint32_t low = lower_id(self, corner);
			uint32_t high = self->ids[corner] ^ self->ids[lrd_next_corner(corner)] ^ low;
			edges[--starts[low]] = (edge){ high, corner };
		}
	}
}

static void insertion_sort(edge *edges, size_t count)
{
	for (size_t i = 1; i < count; i++)
	{
		edge moving = edges[i];
		size_t j = i;
		for (; j > 0 && edges[j - 1].high > moving.high; j--)
		{
			edges[j] = edges[j - 1];
		}
		edges[j] = moving;
	}
}

// Runs of this many edges at one vertex, and shorter ones, are sorted by insertion.
#define SHORT_RUN 32

// Stable, by the higher id. `spare` holds as many edges.
static void sort_edges(edge *edges, edge *spare, size_t count)
{
	for (size_t i = 0; i < count; i += SHORT_RUN)
	{
		insertion_sort(edges + i, count - i < SHORT_RUN ? count - i : SHORT_RUN);
	}
	for (size_t width = SHORT_RUN; width < count; width *= 2)
	{
		for (size_t start = 0; start < count; start += 2 * width)
		{
			size_t middle = start + width < count ? start + width : count;
			size_t end = middle + width < count ? middle + width : count;
			size_t left = start;
			size_t right = middle;
			for (size_t out = start; out < end; out++)
			{
				bool take_left = left < middle && (right >= end || edges[left].high <= edges[right].high);
				spare[out] = edges[take_left ? left++ : right++];
			}
		}
		memcpy(edges, spare, count * sizeof *edges);
	}
}

// Edges of one vertex, sorted. Those that wait for a partner all run the same way; the first to arrive that runs the
// other way takes the one that waited longest. The queue lies in front of the edges still to come.
static void pair_edges(lrd_tangents *self, uint32_t low, edge *edges, size_t count)
{
	size_t head = 0;
	size_t tail = 0;
	for (size_t i = 0; i < count; i++)
	{
		edge arrived = edges[i];
		if (head < tail && edges[head].high != arrived.high)
		{
			head = tail;
		}
		bool rises = self->ids[arrived.corner] == low;
		if (head < tail && (self->ids[edges[head].corner] == low) != rises)
		{
			self->neighbours[edges[head].corner] = arrived.corner;
			self->neighbours[arrived.corner] = edges[head].corner;
			head++;
		}
		else
		{
			edges[tail++] = arrived;
		}
	}
}

bool lrd_tangents_match_edges(lrd_tangents *self, lrd_error *error)
{
	size_t start_bytes = ((size_t)self->id_count + 1) * sizeof(uint32_t);
	size_t edge_bytes = self->corner_count * sizeof(edge);
	uint32_t *starts = lrd_alloc_zeroed(self->allocator, (size_t)self->id_count + 1, sizeof *starts);
	edge *edges = lrd_alloc(self->allocator, edge_bytes);
	size_t longest = 0;
	bool done = starts != NULL && edges != NULL;
	if (done)
	{
		gather_edges(self, starts, edges);
	}
	for (size_t id = 0; done && id < self->id_count; id++)
	{
		size_t count = starts[id + 1] - starts[id];
		longest = count > longest ? count : longest;
	}
	edge *spare = longest > SHORT_RUN ? lrd_alloc(self->allocator, longest * sizeof *spare) : NULL;
	done = done && (longest <= SHORT_RUN || spare != NULL);
	memset(self->neighbours, 0xFF, self->corner_count * sizeof *self->neighbours); // LRD_NO_CORNER
	for (uint32_t id = 0; done && id < self->id_count; id++)
	{
		edge *first = edges + starts[id];
		size_t count = starts[id + 1] - starts[id];
		sort_edges(first, spare, count);
		pair_edges(self, id, first, count);
	}
	lrd_free(self->allocator, spare, longest * sizeof *spare);
	lrd_free(self->allocator, edges, edge_bytes);
	lrd_free(self->allocator, starts, start_bytes);
	return done || lrd_fail_memory(error, "edges of triangles", edge_bytes);
}
