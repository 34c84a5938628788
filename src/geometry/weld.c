// geometry/weld.c: vertices that are equal bit for bit become one.

#include "geometry/vertices.h"

// A vertex array that is there.
typedef struct welded_array
{
	const uint8_t *data;
	size_t stride;
} welded_array;

// A slot of the table: what was found, and part of its hash, so that most vertices that differ are told apart without
// being looked at.
typedef struct slot
{
	uint32_t hash;
	uint32_t welded; // or LRD_NO_VERTEX
} slot;

typedef struct weld
{
	const lrd_geometry *geometry;
	welded_array *arrays;
	size_t array_count;
	bool corners;          // every corner has a vertex of its own, and most are likely to find another
	uint64_t *hashes;      // a vertex
	uint32_t *welded;      // a vertex: what it becomes, or LRD_NO_VERTEX before its first use
	uint32_t *source;      // a welded vertex: the first vertex that became it
	uint32_t source_count; // welded vertices so far
	lrd_allocator allocator;
	slot *table; // open addressing
	size_t table_size;
} weld;

// Tables are larger than caches: so many indices ahead slots are fetched, and half as many the vertices they name.
#define LOOK_AHEAD 24u

// So many times fewer are likely to be left of corners: the table begins smaller.
#define CORNERS_A_VERTEX 4

// Every array mixes its bytes into each vertex's hash: array by array, since that reads memory in order.
static void hash_array(const welded_array *array, uint32_t count, uint64_t *hashes)
{
	const uint8_t *bytes = array->data;
	size_t stride = array->stride;
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

// The same two overlapping words: no array has more than 16 bytes a vertex, or fewer than 8.
static bool values_differ(const welded_array *array, size_t a, size_t b)
{
	const uint8_t *one = array->data + a * array->stride;
	const uint8_t *other = array->data + b * array->stride;
	uint64_t words[4];
	memcpy(&words[0], one, 8);
	memcpy(&words[1], other, 8);
	memcpy(&words[2], one + array->stride - 8, 8);
	memcpy(&words[3], other + array->stride - 8, 8);
	return ((words[0] ^ words[1]) | (words[2] ^ words[3])) != 0;
}

static bool vertices_equal(const weld *self, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < self->array_count; i++)
	{
		if (values_differ(&self->arrays[i], a, b))
		{
			return false;
		}
	}
	return true;
}

static bool find_arrays(weld *self, lrd_arena *scratch, lrd_error *error)
{
	size_t most = lrd_geometry_array_count(self->geometry);
	self->arrays = LRD_ARENA_ARRAY(scratch, welded_array, most);
	if (self->arrays == NULL)
	{
		return lrd_fail_memory(error, "vertex arrays", most * sizeof *self->arrays);
	}
	for (size_t array = 0; array < most; array++)
	{
		size_t stride = 0;
		const void *data = lrd_geometry_array_get(self->geometry, array, &stride);
		if (data != NULL)
		{
			self->arrays[self->array_count++] = (welded_array){ data, stride };
		}
	}
	return true;
}

static bool weld_allocate(weld *self, lrd_arena *scratch, lrd_error *error)
{
	uint32_t vertex_count = self->geometry->vertex_count;
	self->corners = self->geometry->index_count <= vertex_count;
	self->table_size = lrd_geometry_table_size(self->corners ? vertex_count / CORNERS_A_VERTEX : vertex_count);
	self->hashes = LRD_ARENA_ARRAY(scratch, uint64_t, vertex_count);
	self->welded = lrd_arena_alloc(scratch, vertex_count * sizeof *self->welded);
	self->source = lrd_arena_alloc(scratch, vertex_count * sizeof *self->source);
	self->table = lrd_alloc(self->allocator, self->table_size * sizeof *self->table);
	if (self->hashes == NULL || self->welded == NULL || self->source == NULL || self->table == NULL)
	{
		return lrd_fail_memory(error, "a table of vertices", self->table_size * sizeof *self->table);
	}
	memset(self->welded, 0xFF, vertex_count * sizeof *self->welded);
	memset(self->table, 0xFF, self->table_size * sizeof *self->table);
	return true;
}

static size_t slot_of(const weld *self, uint64_t hash)
{
	return (size_t)hash & (self->table_size - 1);
}

static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 32);
}

static bool grow_table(weld *self, lrd_error *error)
{
	size_t old_bytes = self->table_size * sizeof *self->table;
	slot *grown = lrd_alloc(self->allocator, 2 * old_bytes);
	if (grown == NULL)
	{
		return lrd_fail_memory(error, "a table of vertices", 2 * old_bytes);
	}
	lrd_free(self->allocator, self->table, old_bytes);
	self->table = grown;
	self->table_size *= 2;
	memset(grown, 0xFF, 2 * old_bytes);
	for (uint32_t w = 0; w < self->source_count; w++)
	{
		uint64_t hash = self->hashes[self->source[w]];
		size_t at = slot_of(self, hash);
		while (grown[at].welded != LRD_NO_VERTEX)
		{
			at = (at + 1) & (self->table_size - 1);
		}
		grown[at] = (slot){ tag_of(hash), w };
	}
	return true;
}

static void weld_vertex(weld *self, uint32_t vertex)
{
	uint64_t hash = self->hashes[vertex];
	size_t at = slot_of(self, hash);
	for (; self->table[at].welded != LRD_NO_VERTEX; at = (at + 1) & (self->table_size - 1))
	{
		uint32_t welded = self->table[at].welded;
		if (self->table[at].hash == tag_of(hash) && vertices_equal(self, self->source[welded], vertex))
		{
			self->welded[vertex] = welded;
			return;
		}
	}
	self->table[at] = (slot){ tag_of(hash), self->source_count };
	self->source[self->source_count] = vertex;
	self->welded[vertex] = self->source_count++;
}

static void fetch_slot(const weld *self, uint32_t vertex)
{
	__builtin_prefetch(&self->table[slot_of(self, self->hashes[vertex])]);
}

static void fetch_vertex(const weld *self, uint32_t vertex)
{
	uint32_t welded = self->table[slot_of(self, self->hashes[vertex])].welded;
	for (size_t i = 0; welded != LRD_NO_VERTEX && i < self->array_count; i++)
	{
		__builtin_prefetch(self->arrays[i].data + self->source[welded] * self->arrays[i].stride);
	}
}

static bool weld_vertices(weld *self, lrd_error *error)
{
	const uint32_t *indices = self->geometry->indices;
	uint32_t index_count = self->geometry->index_count;
	for (uint32_t i = 0; i < index_count; i++)
	{
		if (index_count - i > LOOK_AHEAD)
		{
			fetch_slot(self, indices[i + LOOK_AHEAD]);
			if (self->corners)
			{
				fetch_vertex(self, indices[i + LOOK_AHEAD / 2]);
			}
		}
		if (self->welded[indices[i]] != LRD_NO_VERTEX)
		{
			continue;
		}
		if (self->source_count >= self->table_size / 3 * 2 && !grow_table(self, error))
		{
			return false;
		}
		weld_vertex(self, indices[i]);
	}
	return true;
}

static bool weld_all(lrd_geometry *geometry, weld *self, lrd_arena *scratch, lrd_error *error)
{
	if (!find_arrays(self, scratch, error) || !weld_allocate(self, scratch, error))
	{
		return false;
	}
	for (size_t i = 0; i < self->array_count; i++)
	{
		hash_array(&self->arrays[i], geometry->vertex_count, self->hashes);
	}
	if (!weld_vertices(self, error) || !lrd_geometry_pick(geometry, self->source, self->source_count, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		geometry->indices[i] = self->welded[geometry->indices[i]];
	}
	return true;
}

bool lrd_geometry_weld(lrd_geometry *geometry, lrd_error *error)
{
	weld self = { .geometry = geometry, .allocator = lrd_arena_allocator(geometry->arena) };
	lrd_arena *scratch = lrd_geometry_scratch(geometry, error);
	bool done = scratch != NULL && weld_all(geometry, &self, scratch, error);
	lrd_free(self.allocator, self.table, self.table_size * sizeof *self.table);
	lrd_arena_destroy(scratch);
	return done;
}
