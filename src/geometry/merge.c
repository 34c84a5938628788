// geometry/merge.c: several geometries into one.

#include "geometry/vertices.h"

static bool check_parts(const lrd_geometry *parts, uint32_t count, lrd_error *error)
{
	uint64_t vertices = 0;
	uint64_t indices = 0;
	for (uint32_t p = 0; p < count; p++)
	{
		vertices += parts[p].vertex_count;
		indices += parts[p].index_count;
		if (parts[p].morph_count != parts[0].morph_count)
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT,
				"part %u has %u morph targets, part 0 has %u: they can't be merged", p, parts[p].morph_count,
				parts[0].morph_count);
		}
		if ((parts[p].joints != NULL) != (parts[0].joints != NULL) ||
			(parts[p].weights != NULL) != (parts[p].joints != NULL))
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT,
				"part %u differs from part 0 in having joints and weights: they can't be merged", p);
		}
	}
	if (vertices > UINT32_MAX || indices > UINT32_MAX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"the parts have %llu vertices and %llu indices together: merged, at most %u of each fit",
			(unsigned long long)vertices, (unsigned long long)indices, UINT32_MAX);
	}
	return true;
}

typedef enum presence
{
	PRESENT_NOWHERE,
	PRESENT_SOMEWHERE,
	PRESENT_EVERYWHERE,
} presence;

static presence array_presence(const lrd_geometry *parts, uint32_t count, size_t array)
{
	uint32_t present = 0;
	for (uint32_t p = 0; p < count; p++)
	{
		size_t stride = 0;
		present += lrd_geometry_array_get(&parts[p], array, &stride) != NULL;
	}
	return present == 0 ? PRESENT_NOWHERE : present == count ? PRESENT_EVERYWHERE : PRESENT_SOMEWHERE;
}

// What a vertex has whose part lacks the attribute: white, or zeros.
static void fill_missing(const lrd_geometry *merged, const void *data, void *to, size_t bytes)
{
	if (data != merged->colors)
	{
		memset(to, 0, bytes);
		return;
	}
	for (size_t i = 0; i < bytes / sizeof(float); i++)
	{
		((float *)to)[i] = 1.0f;
	}
}

static bool merge_array(const lrd_geometry *parts, uint32_t count, size_t array, lrd_geometry *merged, lrd_error *error)
{
	size_t stride = 0;
	lrd_geometry_array_get(merged, array, &stride);
	uint8_t *data = lrd_arena_alloc(merged->arena, merged->vertex_count * stride);
	if (data == NULL)
	{
		return lrd_fail_memory(error, "merged vertices", merged->vertex_count * stride);
	}
	lrd_geometry_array_set(merged, array, data);
	uint8_t *to = data;
	for (uint32_t p = 0; p < count; p++)
	{
		size_t bytes = parts[p].vertex_count * stride;
		const void *from = lrd_geometry_array_get(&parts[p], array, &stride);
		if (from == NULL)
		{
			fill_missing(merged, data, to, bytes);
		}
		else if (bytes != 0)
		{
			memcpy(to, from, bytes);
		}
		to += bytes;
	}
	return true;
}

static bool merge_indices(const lrd_geometry *parts, uint32_t count, lrd_geometry *merged, lrd_error *error)
{
	size_t bytes = merged->index_count * sizeof *merged->indices;
	merged->indices = lrd_arena_alloc(merged->arena, bytes);
	if (merged->indices == NULL)
	{
		return lrd_fail_memory(error, "merged indices", bytes);
	}
	uint32_t *to = merged->indices;
	uint32_t first_vertex = 0;
	for (uint32_t p = 0; p < count; p++)
	{
		for (uint32_t i = 0; i < parts[p].index_count; i++)
		{
			*to++ = parts[p].indices[i] + first_vertex;
		}
		first_vertex += parts[p].vertex_count;
	}
	return true;
}

bool lrd_geometry_merge(
	lrd_arena *arena, const lrd_geometry *parts, uint32_t count, lrd_geometry *merged, lrd_error *error)
{
	lrd_geometry result = { .arena = arena };
	if (!check_parts(parts, count, error))
	{
		return false;
	}
	for (uint32_t p = 0; p < count; p++)
	{
		result.vertex_count += parts[p].vertex_count;
		result.index_count += parts[p].index_count;
		result.morph_count = parts[p].morph_count;
	}
	if (result.morph_count != 0)
	{
		result.morphs = LRD_ARENA_ARRAY(arena, lrd_geometry_morph, result.morph_count);
		if (result.morphs == NULL)
		{
			return lrd_fail_memory(error, "morph targets", result.morph_count * sizeof *result.morphs);
		}
	}
	for (size_t array = 0; array < lrd_geometry_array_count(&result); array++)
	{
		presence found = array_presence(parts, count, array);
		bool wanted = found == PRESENT_EVERYWHERE || (found == PRESENT_SOMEWHERE && array != LRD_ARRAY_TANGENTS);
		if (wanted && !merge_array(parts, count, array, &result, error))
		{
			return false;
		}
	}
	if (!merge_indices(parts, count, &result, error))
	{
		return false;
	}
	*merged = result;
	return true;
}
