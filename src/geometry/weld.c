// geometry/weld.c: vertices that are equal bit for bit become one.

#include "geometry/vertices.h"

// Every array mixes its bytes into each vertex's hash: array by array, since that reads memory in order.
static void hash_array(const void *data, size_t stride, uint32_t count, uint64_t *hashes)
{
	const uint8_t *bytes = data;
	for (size_t v = 0; v < count; v++)
	{
		uint64_t low = 0;
		uint64_t high = 0;
		memcpy(&low, bytes + v * stride, 8);
		memcpy(&high, bytes + (v + 1) * stride - 8, 8); // overlaps the first where the stride is below 16
		uint64_t hash = (hashes[v] ^ low) * UINT64_C(0x9E3779B97F4A7C15);
		hash = ((hash ^ (hash >> 32)) ^ high) * UINT64_C(0xC2B2AE3D27D4EB4F);
		hashes[v] = hash ^ (hash >> 29);
	}
}

static bool vertices_equal(const lrd_geometry *geometry, uint32_t a, uint32_t b)
{
	for (size_t array = 0; array < lrd_geometry_array_count(geometry); array++)
	{
		size_t stride = 0;
		const uint8_t *data = lrd_geometry_array_get(geometry, array, &stride);
		if (data != NULL && memcmp(data + a * stride, data + b * stride, stride) != 0)
		{
			return false;
		}
	}
	return true;
}

// The table is larger than any cache: slots are fetched so many indices ahead.
#define LOOK_AHEAD 24

typedef struct weld
{
	uint64_t *hashes;      // a vertex
	uint32_t *welded;      // a vertex: what it becomes, or LRD_NO_VERTEX before its first use
	uint32_t *source;      // a welded vertex: the first vertex that became it
	uint32_t source_count; // welded vertices so far
	uint32_t *table;       // open addressing over welded vertices
	size_t table_size;
} weld;

static bool weld_allocate(weld *self, lrd_arena *scratch, uint32_t vertex_count, lrd_error *error)
{
	self->table_size = lrd_geometry_table_size(vertex_count);
	self->hashes = LRD_ARENA_ARRAY(scratch, uint64_t, vertex_count);
	self->welded = lrd_arena_alloc(scratch, vertex_count * sizeof *self->welded);
	self->source = lrd_arena_alloc(scratch, vertex_count * sizeof *self->source);
	self->table = lrd_arena_alloc(scratch, self->table_size * sizeof *self->table);
	if (self->hashes == NULL || self->welded == NULL || self->source == NULL || self->table == NULL)
	{
		return lrd_fail_memory(error, "a table of vertices", self->table_size * sizeof *self->table);
	}
	memset(self->welded, 0xFF, vertex_count * sizeof *self->welded);
	memset(self->table, 0xFF, self->table_size * sizeof *self->table);
	return true;
}

static uint32_t weld_vertex(weld *self, const lrd_geometry *geometry, uint32_t vertex)
{
	uint64_t hash = self->hashes[vertex];
	size_t slot = (size_t)hash & (self->table_size - 1);
	for (; self->table[slot] != LRD_NO_VERTEX; slot = (slot + 1) & (self->table_size - 1))
	{
		uint32_t other = self->source[self->table[slot]];
		if (self->hashes[other] == hash && vertices_equal(geometry, other, vertex))
		{
			return self->table[slot];
		}
	}
	self->table[slot] = self->source_count;
	self->source[self->source_count] = vertex;
	return self->source_count++;
}

static bool weld_all(lrd_geometry *geometry, lrd_arena *scratch, lrd_error *error)
{
	weld self = { 0 };
	if (!weld_allocate(&self, scratch, geometry->vertex_count, error))
	{
		return false;
	}
	for (size_t array = 0; array < lrd_geometry_array_count(geometry); array++)
	{
		size_t stride = 0;
		const void *data = lrd_geometry_array_get(geometry, array, &stride);
		if (data != NULL)
		{
			hash_array(data, stride, geometry->vertex_count, self.hashes);
		}
	}
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		uint32_t vertex = geometry->indices[i];
		if (geometry->index_count - i > LOOK_AHEAD)
		{
			__builtin_prefetch(&self.table[self.hashes[geometry->indices[i + LOOK_AHEAD]] & (self.table_size - 1)]);
		}
		if (self.welded[vertex] == LRD_NO_VERTEX)
		{
			self.welded[vertex] = weld_vertex(&self, geometry, vertex);
		}
	}
	if (!lrd_geometry_pick(geometry, self.source, self.source_count, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		geometry->indices[i] = self.welded[geometry->indices[i]];
	}
	return true;
}

bool lrd_geometry_weld(lrd_geometry *geometry, lrd_error *error)
{
	lrd_arena *scratch = lrd_geometry_scratch(geometry, error);
	bool done = scratch != NULL && weld_all(geometry, scratch, error);
	lrd_arena_destroy(scratch);
	return done;
}
