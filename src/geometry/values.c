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
	uint32_t component_count; // of all streams
} value_streams;

// One vertex's floats, zeros made positive so that equal numbers have equal bits. False where one is not a number.
static bool load_values(const value_streams *streams, uint32_t vertex, uint32_t values[MOST_COMPONENTS])
{
	bool numbers = true;
	uint32_t filled = 0;
	for (uint32_t s = 0; s < streams->stream_count; s++)
	{
		const float *value = streams->streams[s] + (size_t)vertex * streams->components[s];
		for (uint32_t c = 0; c < streams->components[s]; c++)
		{
			float positive_zero = value[c] + 0.0f;
			numbers = numbers && value[c] == value[c];
			memcpy(&values[filled++], &positive_zero, sizeof positive_zero);
		}
	}
	return numbers;
}

static uint64_t hash_values(const uint32_t values[MOST_COMPONENTS], uint32_t count)
{
	uint64_t hash = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		hash = (hash ^ values[i]) * UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 29;
	}
	return hash;
}

static bool values_equal(const value_streams *streams, uint32_t vertex, const uint32_t values[MOST_COMPONENTS])
{
	uint32_t other[MOST_COMPONENTS];
	load_values(streams, vertex, other);
	return memcmp(other, values, streams->component_count * sizeof *other) == 0;
}

bool lrd_geometry_equal_values(lrd_allocator allocator, const float *const *streams, const uint32_t *stream_components,
	uint32_t stream_count, uint32_t vertex_count, uint32_t *first_equal, lrd_error *error)
{
	value_streams all = { streams, stream_components, stream_count, 0 };
	for (uint32_t s = 0; s < stream_count; s++)
	{
		all.component_count += stream_components[s];
	}
	size_t table_size = lrd_geometry_table_size(vertex_count);
	uint32_t *table = lrd_alloc(allocator, table_size * sizeof *table);
	if (table == NULL)
	{
		return lrd_fail_memory(error, "a table of vertices", table_size * sizeof *table);
	}
	memset(table, 0xFF, table_size * sizeof *table); // LRD_NO_VERTEX
	for (uint32_t vertex = 0; vertex < vertex_count; vertex++)
	{
		uint32_t values[MOST_COMPONENTS];
		if (!load_values(&all, vertex, values))
		{
			first_equal[vertex] = LRD_NO_VERTEX;
			continue;
		}
		size_t slot = (size_t)(hash_values(values, all.component_count) >> 20) & (table_size - 1);
		while (table[slot] != LRD_NO_VERTEX && !values_equal(&all, table[slot], values))
		{
			slot = (slot + 1) & (table_size - 1);
		}
		table[slot] = table[slot] == LRD_NO_VERTEX ? vertex : table[slot];
		first_equal[vertex] = table[slot];
	}
	lrd_free(allocator, table, table_size * sizeof *table);
	return true;
}
