// geometry/values.c: which vertices have equal values, by number rather than by bits: -0 equals 0, and what is not a
// number equals nothing. Exact duplicates bit for bit are weld.c's.

#include "geometry/vertices.h"

#define MOST_COMPONENTS 8

size_t lrd_geometry_table_size(uint32_t count)
{
	size_t size = 16;
	while (size < (size_t)count + count / 2)
	{
		size *= 2;
	}
	return size;
}

typedef struct value_streams
{
	const float *const *streams;
	const uint32_t *components;
	uint32_t stream_count;
} value_streams;

// One vertex's floats, zeros made positive so that equal numbers have equal bits, and zeros after them. False where one
// is not a number.
static bool load_values(const value_streams *streams, size_t vertex, uint64_t values[MOST_COMPONENTS / 2])
{
	float filled[MOST_COMPONENTS] = { 0.0f };
	float *to = filled;
	bool numbers = true;
	for (uint32_t s = 0; s < streams->stream_count; s++)
	{
		const float *value = streams->streams[s] + vertex * streams->components[s];
		for (uint32_t c = 0; c < streams->components[s]; c++)
		{
			numbers = numbers & (value[c] == value[c]); // no branch
			*to++ = value[c] + 0.0f;
		}
	}
	memcpy(values, filled, sizeof filled);
	return numbers;
}

static uint32_t hash_values(const uint64_t values[MOST_COMPONENTS / 2])
{
	uint64_t hash = 0;
	for (uint32_t i = 0; i < MOST_COMPONENTS / 2; i++)
	{
		hash = (hash ^ values[i]) * UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 32;
	}
	return (uint32_t)(hash * UINT64_C(0xC2B2AE3D27D4EB4F) >> 32);
}

static bool values_equal(const value_streams *streams, uint32_t a, uint32_t b)
{
	uint64_t of_a[MOST_COMPONENTS / 2];
	uint64_t of_b[MOST_COMPONENTS / 2];
	load_values(streams, a, of_a);
	load_values(streams, b, of_b);
	return memcmp(of_a, of_b, sizeof of_a) == 0;
}

// A slot remembers the hash, so that other vertices are rarely looked at in vain.
typedef struct slot
{
	uint32_t vertex;
	uint32_t hash;
} slot;

typedef struct value_table
{
	lrd_allocator allocator;
	value_streams streams;
	slot *slots;
	size_t slot_count; // a power of two
	size_t used;
} value_table;

// In the order of hashes, so that a table is read from one end to the other when it grows, and so is the larger one.
static size_t slot_of(const value_table *self, uint32_t hash)
{
	return (size_t)((uint64_t)hash * self->slot_count >> 32);
}

static bool allocate_slots(value_table *self, size_t count)
{
	self->slots = lrd_alloc(self->allocator, count * sizeof *self->slots);
	self->slot_count = count;
	if (self->slots == NULL)
	{
		return false;
	}
	memset(self->slots, 0xFF, count * sizeof *self->slots); // LRD_NO_VERTEX
	return true;
}

static void free_slots(value_table *self)
{
	lrd_free(self->allocator, self->slots, self->slot_count * sizeof *self->slots);
}

// How many vertices differ is not known before, and often far fewer than there are.
static bool make_room(value_table *self, size_t count)
{
	if ((self->used + count) * 3 <= self->slot_count * 2)
	{
		return true;
	}
	value_table larger = *self;
	if (!allocate_slots(&larger, self->slot_count * 2))
	{
		return false;
	}
	for (size_t i = 0; i < self->slot_count; i++)
	{
		if (self->slots[i].vertex != LRD_NO_VERTEX)
		{
			size_t to = slot_of(&larger, self->slots[i].hash);
			while (larger.slots[to].vertex != LRD_NO_VERTEX)
			{
				to = (to + 1) & (larger.slot_count - 1);
			}
			larger.slots[to] = self->slots[i];
		}
	}
	free_slots(self);
	*self = larger;
	return true;
}

static uint32_t find_or_insert(value_table *self, uint32_t vertex, uint32_t hash)
{
	for (size_t i = slot_of(self, hash);; i = (i + 1) & (self->slot_count - 1))
	{
		slot *here = &self->slots[i];
		if (here->vertex == LRD_NO_VERTEX)
		{
			*here = (slot){ vertex, hash };
			self->used++;
			return vertex;
		}
		if (here->hash == hash && values_equal(&self->streams, here->vertex, vertex))
		{
			return here->vertex;
		}
	}
}

// The table is larger than any cache: slots of so many vertices are fetched before any is looked at.
#define BLOCK 32u

static void number_block(value_table *self, uint32_t first, uint32_t count, uint32_t *first_equal)
{
	uint32_t hashes[BLOCK];
	bool numbers[BLOCK];
	for (uint32_t i = 0; i < count; i++)
	{
		uint64_t values[MOST_COMPONENTS / 2];
		numbers[i] = load_values(&self->streams, (size_t)first + i, values);
		hashes[i] = hash_values(values);
		__builtin_prefetch(&self->slots[slot_of(self, hashes[i])], 1);
	}
	for (uint32_t i = 0; i < count; i++)
	{
		first_equal[first + i] = numbers[i] ? find_or_insert(self, first + i, hashes[i]) : LRD_NO_VERTEX;
	}
}

bool lrd_geometry_equal_values(lrd_allocator allocator, const float *const *streams, const uint32_t *stream_components,
	uint32_t stream_count, uint32_t vertex_count, uint32_t *first_equal, lrd_error *error)
{
	value_table self = { .allocator = allocator, .streams = { streams, stream_components, stream_count } };
	bool done = allocate_slots(&self, lrd_geometry_table_size(vertex_count / 4));
	for (uint32_t first = 0; done && first < vertex_count;)
	{
		uint32_t count = vertex_count - first < BLOCK ? vertex_count - first : BLOCK;
		done = make_room(&self, count);
		if (done)
		{
			number_block(&self, first, count, first_equal);
		}
		first += count;
	}
	free_slots(&self);
	return done || lrd_fail_memory(error, "a table of vertices", self.slot_count * sizeof *self.slots);
}
