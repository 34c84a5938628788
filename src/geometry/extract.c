// geometry/extract.c: some triangles of a geometry as one of their own.

#include "geometry/clusters.h"
#include "geometry/vertices.h"

// Vertices met so far. A table rather than an array over all vertices: a large geometry has many clusters, and each
// should cost no more than what it holds.
typedef struct met_vertices
{
	uint32_t *table;  // open addressing: places in `source`
	size_t mask;      // slots less one
	uint32_t *source; // a new vertex: what it is in the geometry
	uint32_t count;
} met_vertices;

static bool met_allocate(met_vertices *self, lrd_arena *scratch, uint32_t most, lrd_error *error)
{
	size_t table_size = lrd_geometry_table_size(most);
	self->mask = table_size - 1;
	self->table = lrd_arena_alloc(scratch, table_size * sizeof *self->table);
	self->source = lrd_arena_alloc(scratch, most * sizeof *self->source);
	if (self->table == NULL || self->source == NULL)
	{
		return lrd_fail_memory(error, "a table of vertices", table_size * sizeof *self->table);
	}
	memset(self->table, 0xFF, table_size * sizeof *self->table); // LRD_NO_VERTEX
	return true;
}

static uint32_t meet(met_vertices *self, uint32_t vertex)
{
	// Fibonacci hashing: neighbours lie apart. Knuth, "The Art of Computer Programming" 3, section 6.4.
	size_t slot = (size_t)(vertex * UINT64_C(0x9E3779B97F4A7C15) >> 32) & self->mask;
	while (self->table[slot] != LRD_NO_VERTEX)
	{
		if (self->source[self->table[slot]] == vertex)
		{
			return self->table[slot];
		}
		slot = (slot + 1) & self->mask;
	}
	self->source[self->count] = vertex;
	self->table[slot] = self->count;
	return self->count++;
}

static bool check_triangles(
	const lrd_geometry *geometry, const uint32_t *triangles, uint32_t triangle_count, lrd_error *error)
{
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		if (triangles[t] >= geometry->index_count / 3)
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT, "triangle %u is out of range (the geometry has %u triangles)",
				triangles[t], geometry->index_count / 3);
		}
	}
	return triangle_count <= UINT32_MAX / 3 ||
		   lrd_fail(error, LRD_ERROR_LIMIT, "%u triangles are asked for: at most %u make one geometry", triangle_count,
			   UINT32_MAX / 3);
}

static bool extract(const lrd_geometry *geometry, const uint32_t *triangles, uint32_t triangle_count,
	lrd_arena *scratch, lrd_arena *arena, lrd_geometry *part, lrd_error *error)
{
	uint32_t index_count = 3 * triangle_count;
	met_vertices met = { 0 };
	uint32_t *indices = lrd_arena_alloc(arena, index_count * sizeof *indices);
	if (indices == NULL)
	{
		return lrd_fail_memory(error, "indices", index_count * sizeof *indices);
	}
	uint32_t most = index_count < geometry->vertex_count ? index_count : geometry->vertex_count;
	if (!met_allocate(&met, scratch, most, error))
	{
		return false;
	}
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		const uint32_t *corners = geometry->indices + 3 * (size_t)triangles[t];
		for (size_t corner = 0; corner < 3; corner++)
		{
			indices[3 * (size_t)t + corner] = meet(&met, corners[corner]);
		}
	}
	lrd_geometry result = { 0 };
	if (!lrd_geometry_pick_into(geometry, met.source, met.count, arena, &result, error))
	{
		return false;
	}
	result.indices = indices;
	result.index_count = index_count;
	*part = result;
	return true;
}

bool lrd_geometry_extract(const lrd_geometry *geometry, const uint32_t *triangles, uint32_t triangle_count,
	lrd_arena *arena, lrd_geometry *part, lrd_error *error)
{
	lrd_arena *scratch = NULL;
	bool done = check_triangles(geometry, triangles, triangle_count, error) &&
				(scratch = lrd_geometry_scratch(geometry, error)) != NULL &&
				extract(geometry, triangles, triangle_count, scratch, arena, part, error);
	lrd_arena_destroy(scratch);
	return done;
}
