// geometry/tangents.c: MikkTSpace-compatible tangents: corners numbered by value, each triangle's own directions, then
// neighbours (tangents_edges.c) and groups (tangents_groups.c), and vertices split where their corners' tangents
// differ.

#include "geometry/tangents.h"

#include <assert.h>

// Corners with equal position, normal and uv get one id. Those of a vertex that is not a number get one each.
static bool number_corners(lrd_tangents *self, lrd_error *error)
{
	const lrd_geometry *geometry = self->geometry;
	const float *streams[3] = { geometry->positions, geometry->normals, self->uv };
	const uint32_t components[3] = { 3, 3, 2 };
	size_t bytes = geometry->vertex_count * sizeof(uint32_t);
	uint32_t *first_equal = lrd_alloc(self->allocator, bytes);
	if (first_equal == NULL)
	{
		return lrd_fail_memory(error, "vertices", bytes);
	}
	bool done =
		lrd_geometry_equal_values(self->allocator, streams, components, 3, geometry->vertex_count, first_equal, error);
	uint64_t id_count = geometry->vertex_count;
	for (uint32_t corner = 0; done && corner < self->corner_count; corner++)
	{
		uint32_t equal = first_equal[geometry->indices[corner]];
		self->ids[corner] = equal != LRD_NO_VERTEX ? equal : (uint32_t)id_count++;
	}
	lrd_free(self->allocator, first_equal, bytes);
	self->id_count = (uint32_t)id_count;
	if (id_count >= LRD_NO_CORNER)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "too many vertices are not numbers for tangents to be made");
	}
	return done;
}

static bool same_place(lrd_vec3 a, lrd_vec3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void measure_triangle(lrd_tangents *self, uint32_t triangle)
{
	uint32_t first = 3 * triangle;
	lrd_vec3 p[3];
	const float *uv[3];
	for (uint32_t i = 0; i < 3; i++)
	{
		p[i] = lrd_corner_position(self, first + i);
		uv[i] = self->uv + 2 * (size_t)self->geometry->indices[first + i];
	}
	uint8_t *flags = &self->flags[triangle];
	if (same_place(p[0], p[1]) || same_place(p[0], p[2]) || same_place(p[1], p[2]))
	{
		*flags = LRD_TANGENT_DEGENERATE;
		return;
	}
	float u1 = uv[1][0] - uv[0][0];
	float v1 = uv[1][1] - uv[0][1];
	float u2 = uv[2][0] - uv[0][0];
	float v2 = uv[2][1] - uv[0][1];
	lrd_vec3 d1 = lrd_vec3_sub(p[1], p[0]);
	lrd_vec3 d2 = lrd_vec3_sub(p[2], p[0]);
	float doubled_area = u1 * v2 - v1 * u2;
	lrd_vec3 s = lrd_vec3_sub(lrd_vec3_scale(d1, v2), lrd_vec3_scale(d2, v1));
	lrd_vec3 t = lrd_vec3_add(lrd_vec3_scale(d1, -u2), lrd_vec3_scale(d2, u1));
	bool preserving = doubled_area > 0.0f;
	bool any = true;
	if (lrd_not_zero(doubled_area))
	{
		float area = fabsf(doubled_area);
		float sign = preserving ? 1.0f : -1.0f;
		float length_s = lrd_vec3_length(s);
		float length_t = lrd_vec3_length(t);
		s = lrd_not_zero(length_s) ? lrd_vec3_scale(s, sign / length_s) : s;
		t = lrd_not_zero(length_t) ? lrd_vec3_scale(t, sign / length_t) : t;
		any = !lrd_not_zero(length_s / area) || !lrd_not_zero(length_t / area);
	}
	*flags = (uint8_t)((preserving ? LRD_TANGENT_PRESERVING : 0u) | (any ? LRD_TANGENT_ANY : 0u));
	self->triangles[triangle] = (lrd_tangent_triangle){ s, t };
}

// Vertices in the making: each is an old vertex with one tangent.
typedef struct vertex_split
{
	uint32_t *source;      // a new vertex: the old one
	uint32_t *spaces;      // a new vertex: its tangent
	uint32_t *next;        // a new vertex: the one made before from the same old vertex
	uint32_t *latest;      // an old vertex: the last one made from it
	uint32_t *new_indices; // a corner
	uint32_t count;
} vertex_split;

// So many vertices made of one are searched for an equal one. Beyond, equal ones stay double until they are welded.
#define LONGEST_SEARCH 16

static void split_corner(vertex_split *self, uint32_t corner, uint32_t vertex, uint32_t space)
{
	uint32_t found = self->latest[vertex];
	for (int step = 0; found != LRD_NO_VERTEX && self->spaces[found] != space; step++)
	{
		found = step < LONGEST_SEARCH ? self->next[found] : LRD_NO_VERTEX;
	}
	if (found == LRD_NO_VERTEX)
	{
		found = self->count++;
		self->source[found] = vertex;
		self->spaces[found] = space;
		self->next[found] = self->latest[vertex];
		self->latest[vertex] = found;
	}
	self->new_indices[corner] = found;
}

static bool split_vertices(const lrd_tangents *self, lrd_geometry *geometry, lrd_error *error)
{
	size_t bytes = self->corner_count * sizeof(uint32_t);
	// The steps before are done with their arrays, which have the right sizes: two numbers a corner fit where the triangles were.
	static_assert(sizeof *self->triangles == 2 * 3 * sizeof(uint32_t), "room for two numbers a corner");
	vertex_split split = { .source = (uint32_t *)(void *)self->triangles,
		.spaces = (uint32_t *)(void *)self->triangles + self->corner_count,
		.next = self->neighbours,
		.latest = lrd_arena_alloc(self->scratch, geometry->vertex_count * sizeof(uint32_t)),
		.new_indices = self->ids };
	if (split.latest == NULL)
	{
		return lrd_fail_memory(error, "split vertices", bytes);
	}
	memset(split.latest, 0xFF, geometry->vertex_count * sizeof(uint32_t)); // LRD_NO_VERTEX
	for (uint32_t corner = 0; corner < self->corner_count; corner++)
	{
		split_corner(&split, corner, geometry->indices[corner], self->spaces[corner]);
	}
	size_t tangent_bytes = split.count * sizeof(lrd_vec4);
	float *tangents = lrd_arena_alloc(geometry->arena, tangent_bytes);
	if (tangents == NULL)
	{
		return lrd_fail_memory(error, "tangents", tangent_bytes);
	}
	float *old_tangents = geometry->tangents;
	geometry->tangents = NULL;
	if (!lrd_geometry_pick(geometry, split.source, split.count, error))
	{
		geometry->tangents = old_tangents;
		return false;
	}
	for (size_t v = 0; v < split.count; v++)
	{
		memcpy(tangents + 4 * v, &self->tangents[split.spaces[v]], sizeof(lrd_vec4));
	}
	memcpy(geometry->indices, split.new_indices, bytes);
	geometry->tangents = tangents;
	return true;
}

static bool allocate(lrd_tangents *self, lrd_error *error)
{
	size_t triangle_count = self->corner_count / 3;
	size_t corner_bytes = self->corner_count * sizeof(uint32_t);
	self->ids = lrd_arena_alloc(self->scratch, corner_bytes);
	self->neighbours = lrd_arena_alloc(self->scratch, corner_bytes);
	self->spaces = lrd_arena_alloc(self->scratch, corner_bytes);
	self->triangles = LRD_ARENA_ARRAY(self->scratch, lrd_tangent_triangle, triangle_count);
	self->flags = lrd_arena_alloc(self->scratch, triangle_count);
	bool done = self->ids != NULL && self->neighbours != NULL && self->spaces != NULL && self->triangles != NULL &&
				self->flags != NULL;
	return done || lrd_fail_memory(error, "triangles", triangle_count * sizeof *self->triangles);
}

static bool make_tangents(lrd_tangents *self, lrd_geometry *geometry, lrd_error *error)
{
	if (!allocate(self, error) || !number_corners(self, error))
	{
		return false;
	}
	for (uint32_t triangle = 0; triangle < self->corner_count / 3; triangle++)
	{
		measure_triangle(self, triangle);
	}
	bool done = lrd_tangents_match_edges(self, error) && lrd_tangents_make_groups(self, error) &&
				split_vertices(self, geometry, error);
	lrd_free(self->allocator, self->tangents, self->tangent_capacity * sizeof *self->tangents);
	return done;
}

bool lrd_geometry_tangents(lrd_geometry *geometry, uint32_t set, const lrd_jobs *jobs, lrd_error *error)
{
	(void)jobs;
	if (set > 1 || geometry->normals == NULL || geometry->uv[set] == NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "tangents need normals and uv %u, and the geometry has no %s", set,
			geometry->normals == NULL ? "normals" : "such uv");
	}
	if (geometry->index_count == 0)
	{
		return lrd_geometry_any_tangents(geometry, error);
	}
	lrd_arena *scratch = lrd_geometry_scratch(geometry, error);
	if (scratch == NULL)
	{
		return false;
	}
	lrd_tangents self = { .geometry = geometry,
		.uv = geometry->uv[set],
		.scratch = scratch,
		.allocator = lrd_arena_allocator(geometry->arena),
		.corner_count = geometry->index_count };
	bool done = make_tangents(&self, geometry, error);
	lrd_arena_destroy(scratch);
	return done;
}
