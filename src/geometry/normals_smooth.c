// geometry/normals_smooth.c: normals over corners that meet, all of them or those of the same smoothing groups.
// Angle weights: Thuermer and Wuethrich, "Computing Vertex Normals from Polygonal Facets", Journal of Graphics Tools
// 3(1), 1998; areas as well, so that a bevel's slivers don't turn the faces beside it.

#include "geometry/normals_kinds.h"
#include "geometry/vertices.h"

// The angle at corner a of a triangle, radians; 0 where it has none.
static double corner_angle(lrd_vec3 a, lrd_vec3 b, lrd_vec3 c)
{
	double u[3] = { (double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z };
	double v[3] = { (double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z };
	double lengths = sqrt((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
	double cosine = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / lengths;
	return lengths > 0.0 && isfinite(cosine) ? lrd_geometry_acos(fmin(fmax(cosine, -1.0), 1.0)) : 0.0;
}

// What a triangle's corner adds to a normal: the triangle's, as long as twice its area and times the angle. Zeros where
// positions are no numbers.
static void weighted_normal(const lrd_geometry *geometry, uint32_t corner, double normal[3])
{
	const uint32_t *corners = geometry->indices + corner / 3 * 3;
	lrd_vec3 a = lrd_load3(geometry->positions, corners[corner % 3]);
	lrd_vec3 b = lrd_load3(geometry->positions, corners[(corner + 1) % 3]);
	lrd_vec3 c = lrd_load3(geometry->positions, corners[(corner + 2) % 3]);
	lrd_triangle_cross(a, b, c, normal);
	bool finite = isfinite(normal[0]) && isfinite(normal[1]) && isfinite(normal[2]);
	double angle = finite ? corner_angle(a, b, c) : 0.0;
	for (int axis = 0; axis < 3; axis++)
	{
		normal[axis] = finite ? normal[axis] * angle : 0.0;
	}
}

// -0 becomes 0, or equal normals would not weld.
static lrd_vec3 without_negative_zero(lrd_vec3 normal)
{
	return lrd_vec3_add(normal, (lrd_vec3){ 0.0f, 0.0f, 0.0f });
}

bool lrd_geometry_allocate_normals(lrd_geometry *geometry, lrd_error *error)
{
	if (geometry->normals == NULL)
	{
		size_t bytes = 3 * sizeof(float) * geometry->vertex_count;
		geometry->normals = lrd_arena_alloc(geometry->arena, bytes);
		return geometry->normals != NULL || lrd_fail_memory(error, "normals", bytes);
	}
	return true;
}

// For each vertex the first one at its position, or LRD_NO_VERTEX; NULL when memory runs out.
static uint32_t *find_positions(const lrd_geometry *geometry, lrd_arena *scratch, lrd_error *error)
{
	size_t bytes = geometry->vertex_count * sizeof(uint32_t);
	uint32_t *position_of = lrd_arena_alloc(scratch, bytes);
	if (position_of == NULL)
	{
		lrd_fail_memory(error, "positions", bytes);
		return NULL;
	}
	const float *streams[1] = { geometry->positions };
	const uint32_t components[1] = { 3 };
	bool done = lrd_geometry_equal_values(
		lrd_arena_allocator(scratch), NULL, streams, components, 1, geometry->vertex_count, position_of, error);
	return done ? position_of : NULL;
}

// Without groups: a sum a position, and no vertex has two normals.

static bool smooth_all(lrd_geometry *geometry, lrd_arena *scratch, lrd_error *error)
{
	const uint32_t *position_of = find_positions(geometry, scratch, error);
	double *sums = LRD_ARENA_ARRAY(scratch, double, 3 * (size_t)geometry->vertex_count);
	if (position_of == NULL || sums == NULL)
	{
		return position_of != NULL &&
			   lrd_fail_memory(error, "sums of normals", 3 * sizeof *sums * geometry->vertex_count);
	}
	if (!lrd_geometry_allocate_normals(geometry, error))
	{
		return false;
	}
	for (uint32_t corner = 0; corner < geometry->index_count; corner++)
	{
		uint32_t position = position_of[geometry->indices[corner]];
		double normal[3];
		weighted_normal(geometry, corner, normal);
		for (size_t axis = 0; position != LRD_NO_VERTEX && axis < 3; axis++)
		{
			sums[3 * (size_t)position + axis] += normal[axis];
		}
	}
	for (uint32_t v = 0; v < geometry->vertex_count; v++)
	{
		lrd_vec3 normal = LRD_ANY_NORMAL;
		if (position_of[v] != LRD_NO_VERTEX)
		{
			lrd_unit3(sums + 3 * (size_t)position_of[v], &normal);
		}
		lrd_store3(geometry->normals, v, without_negative_zero(normal));
	}
	return true;
}

// With groups: at each position a sum a kind of triangle, by the groups it is in, then for each kind the sum over the
// kinds it shares a group with (geometry/normals_kinds.h).

typedef struct grouping
{
	const lrd_geometry *geometry;
	const uint32_t *groups;
	uint32_t *starts;    // a position: where its corners begin in `corners`; one more
	uint32_t *corners;   // by position, ascending within one
	lrd_vec3 *normals;   // a corner
	uint32_t *kind_of;   // a corner of the position at hand
	uint32_t *kinds;     // their groups
	uint32_t *table;     // open addressing over the kinds of the position at hand
	double (*sums)[3];   // a kind: of its own triangles
	double (*shared)[3]; // a kind: of those that it smooths with
	lrd_kind_tree tree;
} grouping;

// Corners by position, by counting.
static bool list_corners(grouping *self, lrd_arena *scratch, lrd_error *error)
{
	const lrd_geometry *geometry = self->geometry;
	const uint32_t *position_of = find_positions(geometry, scratch, error);
	size_t bytes = geometry->index_count * sizeof *self->corners;
	self->starts = LRD_ARENA_ARRAY(scratch, uint32_t, (size_t)geometry->vertex_count + 2);
	self->corners = lrd_arena_alloc(scratch, bytes);
	if (position_of == NULL || self->starts == NULL || self->corners == NULL)
	{
		return position_of != NULL && lrd_fail_memory(error, "corners", bytes);
	}
	uint32_t *next = self->starts + 1; // one place ahead: when all are placed, each has become the start of the next
	for (uint32_t corner = 0; corner < geometry->index_count; corner++)
	{
		uint32_t position = position_of[geometry->indices[corner]];
		if (position != LRD_NO_VERTEX)
		{
			next[(size_t)position + 1]++;
		}
	}
	for (uint32_t p = 1; p <= geometry->vertex_count; p++)
	{
		next[p] += next[p - 1];
	}
	for (uint32_t corner = 0; corner < geometry->index_count; corner++)
	{
		uint32_t position = position_of[geometry->indices[corner]];
		if (position != LRD_NO_VERTEX)
		{
			self->corners[next[position]++] = corner;
		}
	}
	return true;
}

static bool allocate_kinds(grouping *self, lrd_arena *scratch, lrd_error *error)
{
	size_t most = 0;
	for (uint32_t p = 0; p < self->geometry->vertex_count; p++)
	{
		size_t count = self->starts[p + 1] - self->starts[p];
		most = count > most ? count : most;
	}
	self->normals = lrd_arena_alloc(scratch, self->geometry->index_count * sizeof *self->normals);
	self->kind_of = lrd_arena_alloc(scratch, most * sizeof *self->kind_of);
	self->kinds = lrd_arena_alloc(scratch, most * sizeof *self->kinds);
	self->sums = lrd_arena_alloc(scratch, most * sizeof *self->sums);
	self->shared = lrd_arena_alloc(scratch, most * sizeof *self->shared);
	self->table = lrd_arena_alloc(scratch, lrd_geometry_table_size((uint32_t)most) * sizeof *self->table);
	bool done = self->normals != NULL && self->kind_of != NULL && self->kinds != NULL && self->sums != NULL &&
				self->shared != NULL && self->table != NULL;
	return done || lrd_fail_memory(error, "normals of corners", self->geometry->index_count * sizeof *self->normals);
}

static uint32_t find_kind(grouping *self, uint32_t groups, size_t mask, uint32_t *kind_count)
{
	size_t slot = (size_t)(groups * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;
	while (self->table[slot] != LRD_NO_VERTEX && self->kinds[self->table[slot]] != groups)
	{
		slot = (slot + 1) & mask;
	}
	if (self->table[slot] == LRD_NO_VERTEX)
	{
		self->table[slot] = *kind_count;
		self->kinds[*kind_count] = groups;
		memset(self->sums[*kind_count], 0, sizeof *self->sums);
		++*kind_count;
	}
	return self->table[slot];
}

static bool smooth_position(grouping *self, uint32_t position, lrd_arena *scratch, lrd_error *error)
{
	const uint32_t *corners = self->corners + self->starts[position];
	uint32_t count = self->starts[position + 1] - self->starts[position];
	size_t table_size = lrd_geometry_table_size(count);
	uint32_t kind_count = 0;
	memset(self->table, 0xFF, table_size * sizeof *self->table); // LRD_NO_VERTEX
	for (uint32_t c = 0; c < count; c++)
	{
		double normal[3];
		weighted_normal(self->geometry, corners[c], normal);
		self->kind_of[c] = find_kind(self, self->groups[corners[c] / 3], table_size - 1, &kind_count);
		for (int axis = 0; axis < 3; axis++)
		{
			self->sums[self->kind_of[c]][axis] += normal[axis];
		}
	}
	if (!lrd_kinds_share(
			&self->tree, scratch, self->kinds, (const double(*)[3])self->sums, kind_count, self->shared, error))
	{
		return false;
	}
	for (uint32_t c = 0; c < count; c++)
	{
		lrd_vec3 normal = LRD_ANY_NORMAL;
		if (!lrd_unit3(self->shared[self->kind_of[c]], &normal)) // of no group, or one whose normals cancel out
		{
			lrd_triangle_normal(self->geometry, corners[c] / 3 * 3, &normal);
		}
		self->normals[corners[c]] = without_negative_zero(normal);
	}
	return true;
}

// Vertices by corners' normals: a vertex and a normal make one new vertex.

typedef struct splitting
{
	uint32_t *table; // open addressing over new vertices
	size_t mask;
	uint32_t *source;    // a new vertex: what it was
	uint32_t *of_corner; // a corner: its new vertex
	uint32_t *first;     // a new vertex: a corner that has its normal
	uint32_t count;
} splitting;

static bool splitting_allocate(splitting *self, lrd_arena *scratch, uint32_t corner_count, lrd_error *error)
{
	size_t table_size = lrd_geometry_table_size(corner_count);
	self->mask = table_size - 1;
	self->table = lrd_arena_alloc(scratch, table_size * sizeof *self->table);
	self->source = lrd_arena_alloc(scratch, corner_count * sizeof *self->source);
	self->of_corner = lrd_arena_alloc(scratch, corner_count * sizeof *self->of_corner);
	self->first = lrd_arena_alloc(scratch, corner_count * sizeof *self->first);
	if (self->table == NULL || self->source == NULL || self->of_corner == NULL || self->first == NULL)
	{
		return lrd_fail_memory(error, "a table of corners", table_size * sizeof *self->table);
	}
	memset(self->table, 0xFF, table_size * sizeof *self->table); // LRD_NO_VERTEX
	return true;
}

static size_t hash_corner(uint32_t vertex, const lrd_vec3 *normal)
{
	uint32_t words[3];
	memcpy(words, normal, sizeof words);
	uint64_t hash = (vertex | (uint64_t)words[0] << 32) * UINT64_C(0x9E3779B97F4A7C15);
	hash = ((hash ^ (hash >> 32)) ^ (words[1] | (uint64_t)words[2] << 32)) * UINT64_C(0xC2B2AE3D27D4EB4F);
	return (size_t)(hash ^ (hash >> 29));
}

static uint32_t split_corner(splitting *self, const lrd_vec3 *normals, uint32_t vertex, uint32_t corner)
{
	size_t slot = hash_corner(vertex, &normals[corner]) & self->mask;
	for (; self->table[slot] != LRD_NO_VERTEX; slot = (slot + 1) & self->mask)
	{
		uint32_t other = self->table[slot];
		if (self->source[other] == vertex &&
			memcmp(&normals[self->first[other]], &normals[corner], sizeof *normals) == 0)
		{
			return other;
		}
	}
	self->source[self->count] = vertex;
	self->first[self->count] = corner;
	self->table[slot] = self->count;
	return self->count++;
}

static bool split_vertices(lrd_geometry *geometry, const lrd_vec3 *normals, lrd_arena *scratch, lrd_error *error)
{
	splitting split = { 0 };
	if (!splitting_allocate(&split, scratch, geometry->index_count, error))
	{
		return false;
	}
	for (uint32_t corner = 0; corner < geometry->index_count; corner++)
	{
		split.of_corner[corner] = split_corner(&split, normals, geometry->indices[corner], corner);
	}
	lrd_geometry result = *geometry;
	size_t bytes = 3 * sizeof(float) * split.count;
	float *picked = lrd_arena_alloc(geometry->arena, bytes);
	if (picked == NULL)
	{
		return lrd_fail_memory(error, "normals", bytes);
	}
	result.normals = NULL; // new ones need no copy of the old
	if (!lrd_geometry_pick(&result, split.source, split.count, error))
	{
		return false;
	}
	for (uint32_t v = 0; v < split.count; v++)
	{
		lrd_store3(picked, v, normals[split.first[v]]);
	}
	result.normals = picked;
	if (geometry->index_count != 0)
	{
		memcpy(result.indices, split.of_corner, geometry->index_count * sizeof *result.indices);
	}
	*geometry = result;
	return true;
}

static bool smooth_by_groups(lrd_geometry *geometry, const uint32_t *groups, lrd_arena *scratch, lrd_error *error)
{
	grouping self = { .geometry = geometry, .groups = groups };
	if (!list_corners(&self, scratch, error) || !allocate_kinds(&self, scratch, error))
	{
		return false;
	}
	for (uint32_t corner = 0; corner < geometry->index_count; corner++)
	{
		self.normals[corner] = LRD_ANY_NORMAL; // of corners whose positions are no numbers
	}
	for (uint32_t position = 0; position < geometry->vertex_count; position++)
	{
		if (self.starts[position] != self.starts[position + 1] && !smooth_position(&self, position, scratch, error))
		{
			return false;
		}
	}
	return split_vertices(geometry, self.normals, scratch, error);
}

bool lrd_geometry_smooth_normals(lrd_geometry *geometry, const uint32_t *groups, lrd_error *error)
{
	lrd_arena *scratch = lrd_geometry_scratch(geometry, error);
	bool done = scratch != NULL && (groups == NULL ? smooth_all(geometry, scratch, error)
												   : smooth_by_groups(geometry, groups, scratch, error));
	lrd_arena_destroy(scratch);
	return done;
}
