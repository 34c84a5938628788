// geometry/lod_corners.c: which vertices the corners of triangles get where a point has several, with normals of their
// own each.

#include "geometry/lod.h"

// The vertex that a triangle of the finer level has at this corner, or LRD_NO_VERTEX where there is no such triangle.
static uint32_t vertex_before(const lrd_lod_trial *trial, uint32_t point, uint32_t next, uint32_t prev)
{
	const lrd_lod_fans *fans = &trial->before.fans;
	for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1]; wing++)
	{
		if (fans->wings[wing].next == next && fans->wings[wing].prev == prev)
		{
			return trial->from_vertices[fans->corners[wing]];
		}
	}
	return LRD_NO_VERTEX;
}

// Of the vertices that a point has, the one whose normal is most like the triangle's.
static uint32_t most_alike(const lrd_lod_mesh *mesh, uint32_t point, lrd_vec3 normal)
{
	uint32_t first = mesh->vertices[point];
	uint32_t vertex = first;
	uint32_t best = first;
	float largest = -INFINITY;
	do
	{
		float cosine =
			mesh->geometry->normals == NULL ? 0.0f : lrd_vec3_dot(lrd_load3(mesh->geometry->normals, vertex), normal);
		best = cosine > largest ? vertex : best;
		largest = cosine > largest ? cosine : largest;
		vertex = mesh->wedges[vertex];
	} while (vertex != first);
	return best;
}

bool lrd_lod_begin_before(lrd_lod_trial *trial, lrd_error *error)
{
	uint32_t points = trial->mesh->point_count;
	if (trial->before.fans.starts != NULL)
	{
		return true;
	}
	if (!lrd_lod_fans_make(
			&trial->before.fans, trial->from_count, points, trial->mesh->wedges != NULL, trial->scratch, error))
	{
		return false;
	}
	lrd_lod_fans_fill(&trial->before.fans, trial->from, trial->from_count, points);
	return true;
}

static bool allocate(lrd_lod_trial *trial, lrd_error *error)
{
	size_t bytes = trial->to_room * sizeof *trial->to_vertices;
	trial->to_vertices = lrd_arena_alloc(trial->scratch, bytes);
	if (trial->to_vertices == NULL)
	{
		return lrd_fail_memory(error, "corners of a LOD", bytes);
	}
	return lrd_lod_begin_before(trial, error);
}

bool lrd_lod_choose_vertices(lrd_lod_trial *trial, lrd_error *error)
{
	if (trial->mesh->wedges == NULL)
	{
		return true;
	}
	if (trial->to_vertices == NULL && !allocate(trial, error))
	{
		return false;
	}
	const float *positions = trial->mesh->positions;
	for (uint32_t i = 0; i < trial->to_count; i += 3)
	{
		if (trial->turned[i / 3] >= 0.0f)
		{
			continue; // it is not new
		}
		const uint32_t *corners = trial->to + i;
		lrd_vec3 a = lrd_load3(positions, corners[0]);
		lrd_vec3 normal = lrd_vec3_cross(
			lrd_vec3_sub(lrd_load3(positions, corners[1]), a), lrd_vec3_sub(lrd_load3(positions, corners[2]), a));
		for (uint32_t c = 0; c < 3; c++)
		{
			uint32_t before = vertex_before(trial, corners[c], corners[(c + 1) % 3], corners[(c + 2) % 3]);
			trial->to_vertices[i + c] = before != LRD_NO_VERTEX ? before : most_alike(trial->mesh, corners[c], normal);
		}
	}
	return true;
}
