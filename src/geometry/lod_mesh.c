// geometry/lod_mesh.c: the points of a geometry, numbered and scaled for the simplifier.

#include "geometry/lod.h"

// Vertices at one place that are compared before one is taken for a point of its own: a fan of a million triangles may
// have a million vertices at its apex.
#define MOST_COMPARED 64

static bool same_floats(const float *values, size_t components, size_t a, size_t b)
{
	return values == NULL || memcmp(values + components * a, values + components * b, components * sizeof *values) == 0;
}

// Of two vertices at one place: equal in all that a simplifier must not mix.
static bool same_point(const lrd_geometry *geometry, uint32_t a, uint32_t b)
{
	if (!same_floats(geometry->uv[0], 2, a, b) || !same_floats(geometry->uv[1], 2, a, b) ||
		!same_floats(geometry->colors, 4, a, b) || !same_floats(geometry->weights, 4, a, b))
	{
		return false;
	}
	if (geometry->joints != NULL && memcmp(geometry->joints + 4 * (size_t)a, geometry->joints + 4 * (size_t)b, 8) != 0)
	{
		return false;
	}
	const float *tangents = geometry->tangents;
	if (tangents != NULL && (tangents[4 * (size_t)a + 3] < 0.0f) != (tangents[4 * (size_t)b + 3] < 0.0f))
	{
		return false;
	}
	for (uint32_t m = 0; m < geometry->morph_count; m++)
	{
		if (!same_floats(geometry->morphs[m].positions, 3, a, b))
		{
			return false;
		}
	}
	return true;
}

// Working arrays, a number for each vertex.
typedef struct numbering
{
	lrd_lod_mesh *mesh;
	uint32_t *places; // the first vertex at the same place
	uint32_t *heads;  // of such a first vertex: the point of it that was found last
} numbering;

// The point of `vertex` among those at its place, or LRD_NO_VERTEX.
static uint32_t find_point(const numbering *self, uint32_t vertex)
{
	const lrd_lod_mesh *mesh = self->mesh;
	uint32_t head = self->heads[self->places[vertex]];
	if (head == LRD_NO_VERTEX)
	{
		return LRD_NO_VERTEX;
	}
	uint32_t point = head;
	for (uint32_t tries = 0; tries < MOST_COMPARED; tries++)
	{
		if (same_point(mesh->geometry, mesh->vertices[point], vertex))
		{
			return point;
		}
		point = mesh->twins[point];
		if (point == head)
		{
			break;
		}
	}
	return LRD_NO_VERTEX;
}

static void add_point(numbering *self, uint32_t vertex)
{
	lrd_lod_mesh *mesh = self->mesh;
	uint32_t point = mesh->point_count++;
	uint32_t *head = &self->heads[self->places[vertex]];
	mesh->vertices[point] = vertex;
	mesh->twins[point] = point;
	if (*head != LRD_NO_VERTEX)
	{
		mesh->twins[point] = mesh->twins[*head];
		mesh->twins[*head] = point;
		mesh->has_twins = true;
	}
	*head = point;
	mesh->numbers[vertex] = point;
}

// `mesh->numbers` holds 0 for vertices that triangles use.
static void find_points(numbering *self)
{
	lrd_lod_mesh *mesh = self->mesh;
	bool split = false;
	for (uint32_t vertex = 0; vertex < mesh->geometry->vertex_count; vertex++)
	{
		mesh->wedges[vertex] = vertex;
		if (mesh->numbers[vertex] == LRD_NO_VERTEX)
		{
			continue;
		}
		uint32_t point = find_point(self, vertex);
		if (point == LRD_NO_VERTEX)
		{
			add_point(self, vertex);
			continue;
		}
		mesh->numbers[vertex] = point;
		mesh->wedges[vertex] = mesh->wedges[mesh->vertices[point]];
		mesh->wedges[mesh->vertices[point]] = vertex;
		split = true;
	}
	mesh->wedges = split ? mesh->wedges : NULL;
}

// False where positions are not numbers or have no extent.
static bool scale_positions(lrd_lod_mesh *mesh)
{
	const float *from = mesh->geometry->positions;
	float low[3] = { INFINITY, INFINITY, INFINITY };
	float high[3] = { -INFINITY, -INFINITY, -INFINITY };
	bool finite = true;
	for (uint32_t point = 0; point < mesh->point_count; point++)
	{
		for (size_t axis = 0; axis < 3; axis++)
		{
			float value = from[3 * (size_t)mesh->vertices[point] + axis];
			finite = finite && isfinite(value);
			low[axis] = value < low[axis] ? value : low[axis];
			high[axis] = value > high[axis] ? value : high[axis];
		}
	}
	double side = 0.0;
	for (size_t axis = 0; axis < 3; axis++)
	{
		side = fmax(side, (double)high[axis] - (double)low[axis]);
	}
	if (!finite || !(side > 0.0))
	{
		return false;
	}
	frexp(side, &mesh->exponent);
	double scale = ldexp(1.0, -mesh->exponent);
	mesh->side = (float)(side * scale);
	for (uint32_t point = 0; point < mesh->point_count; point++)
	{
		for (size_t axis = 0; axis < 3; axis++)
		{
			// The library compares positions bit for bit: -0 must be 0.
			double value = (double)from[3 * (size_t)mesh->vertices[point] + axis];
			mesh->positions[3 * (size_t)point + axis] = (float)(value * scale) + 0.0f;
		}
	}
	// What is tiny and lies very far out is past all floats now.
	return lrd_all_finite(mesh->positions, 3 * (size_t)mesh->point_count);
}

// Whatever moves or looks at a point may look at all triangles around it. Past so many for a triangle's corner, and so
// many in all, that takes too long.
#define MOST_AROUND 64u
#define AROUND_IN_ALL ((uint64_t)1 << 24)

// `counts`: a zero for each vertex.
static uint32_t find_crowd(const lrd_geometry *geometry, const uint32_t *places, uint32_t *counts)
{
	uint64_t sum = 0;
	uint32_t most = 0;
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		uint32_t before = counts[places[geometry->indices[i]]]++;
		sum += 2 * (uint64_t)before + 1; // comes to the sum of the squares
		most = before >= most ? before + 1 : most;
	}
	return sum > AROUND_IN_ALL + MOST_AROUND * (uint64_t)geometry->index_count ? most : 0;
}

static uint32_t mixed(uint32_t number)
{
	uint32_t hash = number * 0x9E3779B1u;
	hash = (hash ^ (hash >> 15)) * 0x85EBCA77u;
	return hash ^ (hash >> 13);
}

// Around a place that closed fans surround, each neighbour comes next as often as it comes before, so that a sum in
// which one counts against the other is zero. `sums`: a zero for each vertex.
static void find_open_edges(lrd_lod_mesh *mesh, const uint32_t *places, uint32_t *sums)
{
	const lrd_geometry *geometry = mesh->geometry;
	for (uint32_t i = 0; i + 2 < geometry->index_count; i += 3)
	{
		uint32_t corners[3];
		uint32_t hashes[3];
		for (uint32_t c = 0; c < 3; c++)
		{
			corners[c] = places[geometry->indices[i + c]];
			hashes[c] = mixed(corners[c]);
		}
		if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
		{
			sums[corners[0]] += hashes[1] - hashes[2];
			sums[corners[1]] += hashes[2] - hashes[0];
			sums[corners[2]] += hashes[0] - hashes[1];
		}
	}
	bool any = false;
	for (uint32_t point = 0; point < mesh->point_count; point++)
	{
		mesh->open[point] = sums[places[mesh->vertices[point]]] != 0;
		any = any || mesh->open[point];
	}
	mesh->open = any ? mesh->open : NULL;
}

static bool allocate(lrd_lod_mesh *mesh, bool keep_borders, lrd_arena *arena, lrd_error *error)
{
	size_t count = mesh->geometry->vertex_count;
	mesh->positions = lrd_arena_alloc(arena, 3 * count * sizeof *mesh->positions);
	mesh->vertices = lrd_arena_alloc(arena, count * sizeof *mesh->vertices);
	mesh->twins = lrd_arena_alloc(arena, count * sizeof *mesh->twins);
	mesh->errors = LRD_ARENA_ARRAY(arena, float, count);
	mesh->open = keep_borders ? NULL : LRD_ARENA_ARRAY(arena, uint8_t, count);
	mesh->numbers = lrd_arena_alloc(arena, count * sizeof *mesh->numbers);
	mesh->wedges = lrd_arena_alloc(arena, count * sizeof *mesh->wedges);
	if (mesh->positions == NULL || mesh->vertices == NULL || mesh->twins == NULL || mesh->errors == NULL ||
		(mesh->open == NULL && !keep_borders) || mesh->numbers == NULL || mesh->wedges == NULL)
	{
		return lrd_fail_memory(error, "points of a LOD", 3 * count * sizeof *mesh->positions);
	}
	return true;
}

static bool number_points(lrd_lod_mesh *mesh, const lrd_jobs *jobs, lrd_arena *scratch, bool *empty, lrd_error *error)
{
	const lrd_geometry *geometry = mesh->geometry;
	size_t bytes = geometry->vertex_count * sizeof(uint32_t);
	numbering self = { mesh, lrd_arena_alloc(scratch, bytes), lrd_arena_alloc(scratch, bytes) };
	if (self.places == NULL || self.heads == NULL)
	{
		return lrd_fail_memory(error, "places of vertices", bytes);
	}
	const uint32_t three = 3;
	const float *positions = geometry->positions;
	if (!lrd_geometry_equal_values(
			lrd_arena_allocator(scratch), jobs, &positions, &three, 1, geometry->vertex_count, self.places, error))
	{
		return false;
	}
	memset(mesh->numbers, 0xFF, bytes);
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		mesh->numbers[geometry->indices[i]] = 0;
		*empty = *empty || self.places[geometry->indices[i]] == LRD_NO_VERTEX; // not a number
	}
	if (!*empty)
	{
		memset(self.heads, 0, bytes);
		mesh->crowd = find_crowd(geometry, self.places, self.heads);
		*empty = mesh->crowd != 0;
	}
	if (!*empty)
	{
		memset(self.heads, 0xFF, bytes); // LRD_NO_VERTEX
		find_points(&self);
		*empty = !scale_positions(mesh);
	}
	if (!*empty && mesh->open != NULL)
	{
		memset(self.heads, 0, bytes);
		find_open_edges(mesh, self.places, self.heads);
	}
	return true;
}

bool lrd_lod_mesh_make(lrd_lod_mesh *mesh, const lrd_geometry *geometry, bool keep_borders, const lrd_jobs *jobs,
	lrd_arena *arena, bool *empty, lrd_error *error)
{
	*mesh = (lrd_lod_mesh){ .geometry = geometry };
	*empty = false;
	lrd_arena *scratch = lrd_geometry_scratch(geometry, error);
	bool done = scratch != NULL && allocate(mesh, keep_borders, arena, error) &&
				number_points(mesh, jobs, scratch, empty, error);
	lrd_arena_destroy(scratch);
	return done;
}

uint32_t lrd_lod_mesh_number(
	const lrd_lod_mesh *mesh, const uint32_t *vertices, uint32_t count, uint32_t *points, uint32_t *kept_vertices)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i + 2 < count; i += 3)
	{
		uint32_t a = mesh->numbers[vertices[i]];
		uint32_t b = mesh->numbers[vertices[i + 1]];
		uint32_t c = mesh->numbers[vertices[i + 2]];
		points[kept] = a;
		points[kept + 1] = b;
		points[kept + 2] = c;
		if (kept_vertices != NULL)
		{
			memcpy(kept_vertices + kept, vertices + i, 3 * sizeof *vertices);
		}
		kept += a != b && b != c && c != a ? 3 : 0;
	}
	return kept;
}

static void number_vertices(lrd_lod_mesh *mesh, uint32_t point)
{
	uint32_t first = mesh->vertices[point];
	uint32_t vertex = first;
	do
	{
		mesh->numbers[vertex] = point;
		vertex = mesh->wedges != NULL ? mesh->wedges[vertex] : first;
	} while (vertex != first);
}

void lrd_lod_mesh_shrink(lrd_lod_mesh *mesh, const uint8_t *states, uint32_t *scratch)
{
	uint32_t kept = 0;
	for (uint32_t point = 0; point < mesh->point_count; point++)
	{
		scratch[point] = kept;
		kept += states[point] == LRD_LOD_KEPT;
		while (states[point] == LRD_LOD_KEPT && states[mesh->twins[point]] != LRD_LOD_KEPT)
		{
			mesh->twins[point] = mesh->twins[mesh->twins[point]];
		}
	}
	for (uint32_t point = 0; point < mesh->point_count; point++)
	{
		if (states[point] != LRD_LOD_KEPT)
		{
			continue;
		}
		uint32_t to = scratch[point];
		memmove(mesh->positions + 3 * (size_t)to, mesh->positions + 3 * (size_t)point, 3 * sizeof *mesh->positions);
		mesh->vertices[to] = mesh->vertices[point];
		mesh->twins[to] = scratch[mesh->twins[point]];
		mesh->errors[to] = mesh->errors[point];
		if (mesh->open != NULL)
		{
			mesh->open[to] = mesh->open[point];
		}
		number_vertices(mesh, to);
	}
	mesh->point_count = kept;
}
