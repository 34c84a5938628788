// geometry/vertices.c: a geometry's vertex arrays seen as a list, and picking vertices from them.

#include "geometry/vertices.h"

#define MORPH_ARRAYS 3

static const size_t FIXED_STRIDES[LRD_ARRAY_MORPHS] = { 3 * sizeof(float), 3 * sizeof(float), 4 * sizeof(float),
	2 * sizeof(float), 2 * sizeof(float), 4 * sizeof(float), 4 * sizeof(uint16_t), 4 * sizeof(float) };

// Every stride is 8, 12 or this.
#define LARGEST_STRIDE (4 * sizeof(float))

size_t lrd_geometry_array_count(const lrd_geometry *geometry)
{
	return LRD_ARRAY_MORPHS + (size_t)MORPH_ARRAYS * geometry->morph_count;
}

void *lrd_geometry_array_get(const lrd_geometry *geometry, size_t array, size_t *stride)
{
	if (array >= LRD_ARRAY_MORPHS)
	{
		const lrd_geometry_morph *morph = &geometry->morphs[(array - LRD_ARRAY_MORPHS) / MORPH_ARRAYS];
		*stride = 3 * sizeof(float);
		switch ((array - LRD_ARRAY_MORPHS) % MORPH_ARRAYS)
		{
		case 0: return morph->positions;
		case 1: return morph->normals;
		default: return morph->tangents;
		}
	}
	*stride = FIXED_STRIDES[array];
	switch (array)
	{
	case LRD_ARRAY_POSITIONS: return geometry->positions;
	case LRD_ARRAY_NORMALS: return geometry->normals;
	case LRD_ARRAY_TANGENTS: return geometry->tangents;
	case LRD_ARRAY_UV0: return geometry->uv[0];
	case LRD_ARRAY_UV1: return geometry->uv[1];
	case LRD_ARRAY_COLORS: return geometry->colors;
	case LRD_ARRAY_JOINTS: return geometry->joints;
	default: return geometry->weights;
	}
}

void lrd_geometry_array_set(lrd_geometry *geometry, size_t array, void *data)
{
	if (array >= LRD_ARRAY_MORPHS)
	{
		lrd_geometry_morph *morph = &geometry->morphs[(array - LRD_ARRAY_MORPHS) / MORPH_ARRAYS];
		switch ((array - LRD_ARRAY_MORPHS) % MORPH_ARRAYS)
		{
		case 0: morph->positions = data; return;
		case 1: morph->normals = data; return;
		default: morph->tangents = data; return;
		}
	}
	switch (array)
	{
	case LRD_ARRAY_POSITIONS: geometry->positions = data; return;
	case LRD_ARRAY_NORMALS: geometry->normals = data; return;
	case LRD_ARRAY_TANGENTS: geometry->tangents = data; return;
	case LRD_ARRAY_UV0: geometry->uv[0] = data; return;
	case LRD_ARRAY_UV1: geometry->uv[1] = data; return;
	case LRD_ARRAY_COLORS: geometry->colors = data; return;
	case LRD_ARRAY_JOINTS: geometry->joints = data; return;
	default: geometry->weights = data; return;
	}
}

// `to` may be `from` where every vertex comes from its own place or a later one. Constant sizes let the compiler copy
// with plain moves.
static inline void pick_values(uint8_t *to, const uint8_t *from, size_t stride, const uint32_t *source, uint32_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		uint8_t value[LARGEST_STRIDE];
		memcpy(value, from + stride * source[i], stride);
		memcpy(to + stride * i, value, stride);
	}
}

static void pick_array(void *to, const void *from, size_t stride, const uint32_t *source, uint32_t count)
{
	switch (stride)
	{
	case 8: pick_values(to, from, 8, source, count); return;
	case 12: pick_values(to, from, 12, source, count); return;
	default: pick_values(to, from, 16, source, count); return;
	}
}

// Whether every vertex comes from its own place or a later one: then picking in ascending order reads nothing that it
// has written. And whether all come from their own.
static bool picks_ahead(const uint32_t *source, uint32_t count, bool *stay)
{
	uint32_t behind = 0;
	uint32_t moved = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		behind |= source[i] < i;
		moved |= source[i] ^ i;
	}
	*stay = moved == 0;
	return behind == 0;
}

// No more vertices than before: where they are, so that the arena does not grow, if need be through one copy of each
// array in turn.
static bool pick_in_place(lrd_geometry *geometry, const uint32_t *source, uint32_t count, lrd_error *error)
{
	bool stay = false;
	bool ahead = picks_ahead(source, count, &stay);
	size_t copy_size = ahead ? 0 : geometry->vertex_count * LARGEST_STRIDE;
	lrd_allocator allocator = lrd_arena_allocator(geometry->arena);
	void *copy = ahead ? NULL : lrd_alloc(allocator, copy_size);
	if (copy == NULL && !ahead)
	{
		return lrd_fail_memory(error, "vertices", copy_size);
	}
	for (size_t array = 0; array < lrd_geometry_array_count(geometry) && !stay; array++)
	{
		size_t stride = 0;
		void *data = lrd_geometry_array_get(geometry, array, &stride);
		if (data != NULL && ahead)
		{
			pick_array(data, data, stride, source, count);
		}
		else if (data != NULL)
		{
			memcpy(copy, data, geometry->vertex_count * stride);
			pick_array(data, copy, stride, source, count);
		}
	}
	lrd_free(allocator, copy, copy_size);
	geometry->vertex_count = count;
	return true;
}

bool lrd_geometry_pick_into(const lrd_geometry *geometry, const uint32_t *source, uint32_t count, lrd_arena *arena,
	lrd_geometry *picked, lrd_error *error)
{
	lrd_geometry result = *geometry;
	size_t morph_bytes = geometry->morph_count * sizeof *result.morphs;
	result.arena = arena;
	result.morphs = lrd_arena_alloc(arena, morph_bytes);
	if (result.morphs == NULL)
	{
		return lrd_fail_memory(error, "morph targets", morph_bytes);
	}
	if (morph_bytes != 0)
	{
		memcpy(result.morphs, geometry->morphs, morph_bytes);
	}
	for (size_t array = 0; array < lrd_geometry_array_count(geometry); array++)
	{
		size_t stride = 0;
		const void *from = lrd_geometry_array_get(geometry, array, &stride);
		if (from == NULL)
		{
			continue;
		}
		void *to = lrd_arena_alloc(arena, count * stride);
		if (to == NULL)
		{
			return lrd_fail_memory(error, "vertices", count * stride);
		}
		pick_array(to, from, stride, source, count);
		lrd_geometry_array_set(&result, array, to);
	}
	result.vertex_count = count;
	*picked = result;
	return true;
}

bool lrd_geometry_pick(lrd_geometry *geometry, const uint32_t *source, uint32_t count, lrd_error *error)
{
	return count <= geometry->vertex_count
			   ? pick_in_place(geometry, source, count, error)
			   : lrd_geometry_pick_into(geometry, source, count, geometry->arena, geometry, error);
}

lrd_arena *lrd_geometry_scratch(const lrd_geometry *geometry, lrd_error *error)
{
	lrd_arena *scratch = lrd_arena_create(lrd_arena_allocator(geometry->arena), 0);
	if (scratch == NULL)
	{
		lrd_fail_memory(error, "temporary memory", 0);
	}
	return scratch;
}

bool lrd_geometry_unindex(lrd_geometry *geometry, lrd_error *error)
{
	if (!lrd_geometry_pick(geometry, geometry->indices, geometry->index_count, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		geometry->indices[i] = i;
	}
	return true;
}
