// Meshes from signed distance functions, and smooth normals from triangles.

#include "mesh.h"
#include "picture.h"

#include <stdlib.h>
#include <string.h>

typedef struct grid
{
	distance_function distance;
	const void *context;
	vec3 low;
	float cell;
	int size[3];      ///< samples along each axis
	float *values;    ///< one a sample
	uint32_t *points; ///< one a cell: its vertex, or UINT32_MAX
	vec3 *positions;
	size_t position_count;
} grid;

static size_t grid_at(const grid *g, int x, int y, int z)
{
	return ((size_t)z * (size_t)g->size[1] + (size_t)y) * (size_t)g->size[0] + (size_t)x;
}

static vec3 grid_place(const grid *g, float x, float y, float z)
{
	return (vec3){ g->low.x + x * g->cell, g->low.y + y * g->cell, g->low.z + z * g->cell };
}

static void sample_grid(grid *g)
{
	for (int z = 0; z < g->size[2]; z++)
	{
		for (int y = 0; y < g->size[1]; y++)
		{
			for (int x = 0; x < g->size[0]; x++)
			{
				vec3 p = grid_place(g, (float)x, (float)y, (float)z);
				g->values[grid_at(g, x, y, z)] = g->distance(p, g->context);
			}
		}
	}
}

/// The mean of the crossings on a cell's twelve edges; false when the surface does not pass.
static bool cell_point(const grid *g, int x, int y, int z, vec3 *point)
{
	vec3 sum = { 0 };
	int crossings = 0;
	for (int edge = 0; edge < 12; edge++)
	{
		int axis = edge / 4;
		int first[3] = { 0, 0, 0 };
		first[(axis + 1) % 3] = edge & 1;
		first[(axis + 2) % 3] = (edge >> 1) & 1;
		int second[3] = { first[0], first[1], first[2] };
		second[axis] = 1;
		float a = g->values[grid_at(g, x + first[0], y + first[1], z + first[2])];
		float b = g->values[grid_at(g, x + second[0], y + second[1], z + second[2])];
		if ((a < 0.0f) == (b < 0.0f))
		{
			continue;
		}
		float t = a / (a - b);
		float local[3] = { (float)first[0], (float)first[1], (float)first[2] };
		local[axis] = t;
		sum = add3(sum, grid_place(g, (float)x + local[0], (float)y + local[1], (float)z + local[2]));
		crossings++;
	}
	if (crossings == 0)
	{
		return false;
	}
	*point = scale3(sum, 1.0f / (float)crossings);
	return true;
}

static void place_points(grid *g)
{
	size_t count = (size_t)g->size[0] * (size_t)g->size[1] * (size_t)g->size[2];
	memset(g->points, 0xFF, count * sizeof(uint32_t));
	for (int z = 0; z + 1 < g->size[2]; z++)
	{
		for (int y = 0; y + 1 < g->size[1]; y++)
		{
			for (int x = 0; x + 1 < g->size[0]; x++)
			{
				vec3 p;
				if (cell_point(g, x, y, z, &p))
				{
					g->points[grid_at(g, x, y, z)] = (uint32_t)g->position_count;
					g->positions[g->position_count++] = p;
				}
			}
		}
	}
}

static vec3 gradient(const grid *g, vec3 p)
{
	float e = g->cell * 0.5f;
	const void *c = g->context;
	return unit3((vec3){
		g->distance((vec3){ p.x + e, p.y, p.z }, c) - g->distance((vec3){ p.x - e, p.y, p.z }, c),
		g->distance((vec3){ p.x, p.y + e, p.z }, c) - g->distance((vec3){ p.x, p.y - e, p.z }, c),
		g->distance((vec3){ p.x, p.y, p.z + e }, c) - g->distance((vec3){ p.x, p.y, p.z - e }, c),
	});
}

/// The texture coordinates of a point seen along one of the six axis directions.
static vec2 projected(vec3 p, int direction)
{
	switch (direction)
	{
	case 0: return (vec2){ -p.z, -p.y };
	case 1: return (vec2){ p.z, -p.y };
	case 2: return (vec2){ p.x, p.z };
	case 3: return (vec2){ p.x, -p.z };
	case 4: return (vec2){ p.x, -p.y };
	default: return (vec2){ -p.x, -p.y };
	}
}

static int direction_of(vec3 n)
{
	vec3 a = { fabsf(n.x), fabsf(n.y), fabsf(n.z) };
	if (a.x >= a.y && a.x >= a.z)
	{
		return n.x > 0.0f ? 0 : 1;
	}
	if (a.y >= a.z)
	{
		return n.y > 0.0f ? 2 : 3;
	}
	return n.z > 0.0f ? 4 : 5;
}

/// Emits a grid point as a mesh vertex, once for each projection direction that needs it.
typedef struct splitter
{
	mesh *target;
	const grid *source;
	uint32_t *known[6];
} splitter;

static uint32_t split_vertex(splitter *s, uint32_t point, int direction)
{
	uint32_t *known = &s->known[direction][point];
	if (*known == UINT32_MAX)
	{
		vec3 p = s->source->positions[point];
		*known = mesh_vertex(s->target, p, gradient(s->source, p), projected(p, direction));
	}
	return *known;
}

static void emit_triangle(splitter *s, uint32_t a, uint32_t b, uint32_t c)
{
	const vec3 *p = s->source->positions;
	vec3 n = cross3(sub3(p[b], p[a]), sub3(p[c], p[a]));
	// Without texture coordinates there are no seams to split for.
	int direction = s->target->attributes & HAS_UV ? direction_of(n) : 0;
	uint32_t first = split_vertex(s, a, direction);
	uint32_t second = split_vertex(s, b, direction);
	mesh_triangle(s->target, first, second, split_vertex(s, c, direction));
}

/// The quad across one grid edge, from the four cells around it.
static void emit_edge(splitter *s, int x, int y, int z, int axis)
{
	const grid *g = s->source;
	int at[3] = { x, y, z };
	int next[3] = { x, y, z };
	next[axis]++;
	int u = (axis + 1) % 3;
	int v = (axis + 2) % 3;
	float a = g->values[grid_at(g, x, y, z)];
	float b = g->values[grid_at(g, next[0], next[1], next[2])];
	if ((a < 0.0f) == (b < 0.0f) || at[u] == 0 || at[v] == 0)
	{
		return;
	}
	uint32_t corner[4];
	for (int k = 0; k < 4; k++)
	{
		int cell[3] = { x, y, z };
		cell[u] -= k == 0 || k == 3 ? 1 : 0;
		cell[v] -= k < 2 ? 1 : 0;
		corner[k] = g->points[grid_at(g, cell[0], cell[1], cell[2])];
	}
	// Counter-clockwise about +axis when the inside is behind.
	if (a < 0.0f)
	{
		emit_triangle(s, corner[0], corner[1], corner[2]);
		emit_triangle(s, corner[0], corner[2], corner[3]);
	}
	else
	{
		emit_triangle(s, corner[2], corner[1], corner[0]);
		emit_triangle(s, corner[3], corner[2], corner[0]);
	}
}

static void emit_surface(splitter *s)
{
	const grid *g = s->source;
	for (int i = 0; i < 6; i++)
	{
		s->known[i] = obtain((g->position_count + 1) * sizeof(uint32_t));
		memset(s->known[i], 0xFF, (g->position_count + 1) * sizeof(uint32_t));
	}
	for (int z = 0; z + 1 < g->size[2]; z++)
	{
		for (int y = 0; y + 1 < g->size[1]; y++)
		{
			for (int x = 0; x + 1 < g->size[0]; x++)
			{
				emit_edge(s, x, y, z, 0);
				emit_edge(s, x, y, z, 1);
				emit_edge(s, x, y, z, 2);
			}
		}
	}
	for (int i = 0; i < 6; i++)
	{
		free(s->known[i]);
	}
}

void add_distance_surface(mesh *m, distance_function distance, const void *context, vec3 low, vec3 high, float cell)
{
	grid g = { .distance = distance, .context = context, .low = low, .cell = cell };
	g.size[0] = (int)ceilf((high.x - low.x) / cell) + 1;
	g.size[1] = (int)ceilf((high.y - low.y) / cell) + 1;
	g.size[2] = (int)ceilf((high.z - low.z) / cell) + 1;
	size_t count = (size_t)g.size[0] * (size_t)g.size[1] * (size_t)g.size[2];
	g.values = obtain(count * sizeof(float));
	g.points = obtain(count * sizeof(uint32_t));
	g.positions = obtain(count * sizeof(vec3));
	sample_grid(&g);
	place_points(&g);
	splitter s = { .target = m, .source = &g };
	emit_surface(&s);
	free(g.values);
	free(g.points);
	free(g.positions);
}

static uint64_t place_key(vec3 p)
{
	// Twentieths of a millimetre: far below any detail here, far above rounding.
	uint64_t x = (uint64_t)(int64_t)lrintf(p.x * 20000.0f) & 0x1FFFFF;
	uint64_t y = (uint64_t)(int64_t)lrintf(p.y * 20000.0f) & 0x1FFFFF;
	uint64_t z = (uint64_t)(int64_t)lrintf(p.z * 20000.0f) & 0x1FFFFF;
	return (x << 42 | y << 21 | z) + 1;
}

void smooth_normals(mesh *m)
{
	size_t slots = m->vertex_count * 2 + 1;
	uint64_t *keys = obtain(slots * sizeof(uint64_t));
	vec3 *sums = obtain(slots * sizeof(vec3));
	size_t *slot_of = obtain((m->vertex_count + 1) * sizeof(size_t));
	for (size_t i = 0; i < m->vertex_count; i++)
	{
		uint64_t key = place_key(m->vertices[i].position);
		size_t slot = (size_t)(key * 0x9E3779B97F4A7C15ull >> 20) % slots;
		while (keys[slot] != 0 && keys[slot] != key)
		{
			slot = (slot + 1) % slots;
		}
		keys[slot] = key;
		slot_of[i] = slot;
	}
	for (size_t i = 0; i < m->index_count; i += 3)
	{
		const uint32_t *corner = m->indices + i;
		vec3 a = m->vertices[corner[0]].position;
		vec3 n = cross3(sub3(m->vertices[corner[1]].position, a), sub3(m->vertices[corner[2]].position, a));
		for (int k = 0; k < 3; k++)
		{
			sums[slot_of[corner[k]]] = add3(sums[slot_of[corner[k]]], n);
		}
	}
	for (size_t i = 0; i < m->vertex_count; i++)
	{
		m->vertices[i].normal = unit3(sums[slot_of[i]]);
	}
	free(keys);
	free(sums);
	free(slot_of);
}
