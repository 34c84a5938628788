// geometry/pack_morphs.c: morph targets as sparse entries, one for each vertex that moves.

#include "geometry/pack.h"

#define SNORM16_MAX 32767.0

// Two unit vectors differ by this much at most. Stored halved, no delta of theirs is cut.
#define LONGEST_DELTA 2.0

// Unit vectors in floats may be a little longer; that much is lost in rounding to snorm16.
#define LONGEST_SQUARED (LONGEST_DELTA * LONGEST_DELTA * (1.0 + 1e-5))

// A normal's or a tangent's delta into `to`; false where it had to be shortened, which leaves it its direction.
static bool quantise_delta(const float *deltas, size_t vertex, int16_t to[4])
{
	memset(to, 0, 4 * sizeof *to);
	if (deltas == NULL || !lrd_finite3(lrd_load3(deltas, vertex)))
	{
		return true;
	}
	const float *delta = deltas + 3 * vertex;
	double squared = 0.0;
	for (int axis = 0; axis < 3; axis++)
	{
		squared += (double)delta[axis] * (double)delta[axis];
	}
	bool fits = squared <= LONGEST_SQUARED;
	double scale = SNORM16_MAX / (fits ? LONGEST_DELTA : sqrt(squared));
	for (int axis = 0; axis < 3; axis++)
	{
		to[axis] = (int16_t)lrint((double)delta[axis] * scale);
	}
	return fits;
}

static lrd_morph_entry make_entry(const lrd_geometry_morph *morph, uint32_t vertex, uint32_t *shortened)
{
	lrd_morph_entry entry = { .vertex = vertex };
	if (morph->positions != NULL)
	{
		memcpy(entry.position, morph->positions + 3 * (size_t)vertex, sizeof entry.position);
	}
	*shortened += !quantise_delta(morph->normals, vertex, entry.normal);
	*shortened += !quantise_delta(morph->tangents, vertex, entry.tangent);
	return entry;
}

static bool moves(const lrd_morph_entry *entry)
{
	return entry->position[0] != 0.0f || entry->position[1] != 0.0f || entry->position[2] != 0.0f ||
		   entry->normal[0] != 0 || entry->normal[1] != 0 || entry->normal[2] != 0 || entry->tangent[0] != 0 ||
		   entry->tangent[1] != 0 || entry->tangent[2] != 0;
}

// Entries of one target into `entries`, or only their number where that is NULL.
static uint32_t write_entries(
	const lrd_geometry_morph *morph, uint32_t vertex_count, lrd_morph_entry *entries, uint32_t *shortened)
{
	uint32_t count = 0;
	for (uint32_t vertex = 0; vertex < vertex_count; vertex++)
	{
		lrd_morph_entry entry = make_entry(morph, vertex, shortened);
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
	uint32_t shortened = 0;
	uint32_t counted_already = 0;
	for (uint32_t m = 0; m < geometry->morph_count; m++)
	{
		if (!check_offsets(geometry, m, error))
		{
			return false;
		}
		targets[m].entry_offset = (uint32_t)total;
		targets[m].entry_count = write_entries(&geometry->morphs[m], geometry->vertex_count, NULL, &shortened);
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
		write_entries(
			&geometry->morphs[m], geometry->vertex_count, entries + targets[m].entry_offset, &counted_already);
	}
	streams->morphs = targets;
	streams->morph_count = geometry->morph_count;
	streams->morph_entries = entries;
	streams->morph_entry_count = (uint32_t)total;
	streams->shortened_deltas = shortened;
	return true;
}
