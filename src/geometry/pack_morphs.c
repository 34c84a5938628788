// geometry/pack_morphs.c: morph targets as sparse entries, one for each vertex that moves.

#include "geometry/pack.h"

#define SNORM16_MAX 32767.0f

// Deltas of unit vectors are at most 2 long; stored halved, none is cut. A longer one says that base + delta was not
// of unit length: then the delta to its direction is meant.
static lrd_vec3 fitting_delta(lrd_vec3 base, lrd_vec3 delta)
{
	if (!lrd_finite3(delta))
	{
		return (lrd_vec3){ 0.0f, 0.0f, 0.0f };
	}
	if (fabsf(delta.x) <= 2.0f && fabsf(delta.y) <= 2.0f && fabsf(delta.z) <= 2.0f)
	{
		return delta;
	}
	base = lrd_vec3_normalize_or(base, (lrd_vec3){ 0.0f, 0.0f, 1.0f });
	return lrd_vec3_sub(lrd_vec3_normalize_or(lrd_vec3_add(base, delta), base), base);
}

static void quantise_delta(lrd_vec3 base, const float *deltas, size_t vertex, int16_t to[4])
{
	memset(to, 0, 4 * sizeof *to);
	if (deltas == NULL)
	{
		return;
	}
	lrd_vec3 half = lrd_vec3_scale(fitting_delta(base, lrd_load3(deltas, vertex)), 0.5f * SNORM16_MAX);
	const float values[3] = { half.x, half.y, half.z };
	for (int axis = 0; axis < 3; axis++)
	{
		to[axis] = (int16_t)lrintf(fminf(fmaxf(values[axis], -SNORM16_MAX), SNORM16_MAX));
	}
}

static lrd_morph_entry make_entry(const lrd_geometry *geometry, const lrd_geometry_morph *morph, uint32_t vertex)
{
	lrd_morph_entry entry = { .vertex = vertex };
	if (morph->positions != NULL)
	{
		memcpy(entry.position, morph->positions + 3 * (size_t)vertex, sizeof entry.position);
	}
	const float *tangent = geometry->tangents + 4 * (size_t)vertex;
	quantise_delta(lrd_load3(geometry->normals, vertex), morph->normals, vertex, entry.normal);
	quantise_delta((lrd_vec3){ tangent[0], tangent[1], tangent[2] }, morph->tangents, vertex, entry.tangent);
	return entry;
}

static bool moves(const lrd_morph_entry *entry)
{
	return entry->position[0] != 0.0f || entry->position[1] != 0.0f || entry->position[2] != 0.0f ||
		   entry->normal[0] != 0 || entry->normal[1] != 0 || entry->normal[2] != 0 || entry->tangent[0] != 0 ||
		   entry->tangent[1] != 0 || entry->tangent[2] != 0;
}

// Entries of one target into `entries`, or only their number where that is NULL.
static uint32_t write_entries(const lrd_geometry *geometry, const lrd_geometry_morph *morph, lrd_morph_entry *entries)
{
	uint32_t count = 0;
	for (uint32_t vertex = 0; vertex < geometry->vertex_count; vertex++)
	{
		lrd_morph_entry entry = make_entry(geometry, morph, vertex);
		if (moves(&entry))
		{
			if (entries != NULL)
			{
				entries[count] = entry;
			}
			count++;
		}
	}
	return count;
}

static bool check_offsets(const lrd_geometry *geometry, uint32_t morph, lrd_error *error)
{
	const float *positions = geometry->morphs[morph].positions;
	for (uint32_t v = 0; positions != NULL && v < geometry->vertex_count; v++)
	{
		if (!lrd_finite3(lrd_load3(positions, v)))
		{
			return lrd_fail(error, LRD_ERROR_FORMAT,
				"morph target %u moves vertex %u by something that is not a finite number", morph, v);
		}
	}
	return true;
}

bool lrd_pack_morphs(const lrd_geometry *geometry, lrd_geometry_streams *streams, lrd_error *error)
{
	lrd_morph_target *targets = LRD_ARENA_ARRAY(geometry->arena, lrd_morph_target, geometry->morph_count);
	if (targets == NULL)
	{
		return lrd_fail_memory(error, "morph targets", geometry->morph_count * sizeof *targets);
	}
	uint64_t total = 0;
	for (uint32_t m = 0; m < geometry->morph_count; m++)
	{
		if (!check_offsets(geometry, m, error))
		{
			return false;
		}
		targets[m].entry_offset = (uint32_t)total;
		targets[m].entry_count = write_entries(geometry, &geometry->morphs[m], NULL);
		total += targets[m].entry_count;
		if (total > UINT32_MAX)
		{
			return lrd_fail(error, LRD_ERROR_LIMIT, "%u morph targets move more than %u vertices together",
				geometry->morph_count, UINT32_MAX);
		}
	}
	lrd_morph_entry *entries = lrd_arena_alloc(geometry->arena, total * sizeof *entries);
	if (entries == NULL)
	{
		return lrd_fail_memory(error, "morph entries", total * sizeof *entries);
	}
	for (uint32_t m = 0; m < geometry->morph_count; m++)
	{
		write_entries(geometry, &geometry->morphs[m], entries + targets[m].entry_offset);
	}
	streams->morphs = targets;
	streams->morph_count = geometry->morph_count;
	streams->morph_entries = entries;
	streams->morph_entry_count = (uint32_t)total;
	return true;
}
