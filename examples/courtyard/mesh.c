// The growing mesh and its simple shapes. Distance surfaces are in surface.c.

#include "mesh.h"

#include "picture.h"

#include <stdlib.h>
#include <string.h>

mesh mesh_new(unsigned attributes)
{
	return (mesh){ .attributes = attributes, .tint = { 1.0f, 1.0f, 1.0f } };
}

void mesh_free(mesh *m)
{
	free(m->vertices);
	free(m->indices);
	*m = (mesh){ 0 };
}

static uint8_t color_byte(float v)
{
	return (uint8_t)(clamp(v, 0.0f, 1.0f) * 255.0f + 0.5f);
}

static vertex *grow_vertices(mesh *m, size_t count)
{
	if (m->vertex_count + count > m->vertex_capacity)
	{
		m->vertex_capacity = (m->vertex_count + count) * 2 + 64;
		m->vertices = obtain_again(m->vertices, m->vertex_capacity * sizeof(vertex));
	}
	vertex *first = m->vertices + m->vertex_count;
	m->vertex_count += count;
	return first;
}

uint32_t mesh_vertex(mesh *m, vec3 position, vec3 normal, vec2 uv)
{
	vertex *v = grow_vertices(m, 1);
	*v = (vertex){ .position = position, .normal = normal, .uv = uv, .tangent = { 1.0f, 0.0f, 0.0f, 1.0f } };
	v->color[0] = color_byte(m->tint.x);
	v->color[1] = color_byte(m->tint.y);
	v->color[2] = color_byte(m->tint.z);
	v->color[3] = 255;
	return (uint32_t)(m->vertex_count - 1);
}

void mesh_triangle(mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
	if (m->index_count + 3 > m->index_capacity)
	{
		m->index_capacity = m->index_capacity * 2 + 192;
		m->indices = obtain_again(m->indices, m->index_capacity * sizeof(uint32_t));
	}
	m->indices[m->index_count++] = a;
	m->indices[m->index_count++] = b;
	m->indices[m->index_count++] = c;
}

void mesh_quad(mesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	mesh_triangle(m, a, b, c);
	mesh_triangle(m, a, c, d);
}

void mesh_append(mesh *m, const mesh *part, const frame *place)
{
	uint32_t base = (uint32_t)m->vertex_count;
	vertex *out = grow_vertices(m, part->vertex_count);
	for (size_t i = 0; i < part->vertex_count; i++)
	{
		out[i] = part->vertices[i];
		out[i].position = frame_point(place, out[i].position);
		out[i].normal = frame_vector(place, out[i].normal);
	}
	for (size_t i = 0; i < part->index_count; i += 3)
	{
		mesh_triangle(m, base + part->indices[i], base + part->indices[i + 1], base + part->indices[i + 2]);
	}
}

/// One of a box's six sides: its outward axis and the two axes its texture runs along.
typedef struct box_side
{
	vec3 out, right, up;
} box_side;

static const box_side box_sides[6] = {
	{ { 1, 0, 0 }, { 0, 0, -1 }, { 0, 1, 0 } },
	{ { -1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } },
	{ { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, -1 } },
	{ { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } },
	{ { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } },
	{ { 0, 0, -1 }, { -1, 0, 0 }, { 0, 1, 0 } },
};

static float along_axis(vec3 axis, vec3 half)
{
	return fabsf(dot3(axis, half));
}

/// A vertex of the chamfered box: at `p` on its surface, shaded along `normal`, textured as part of `side`.
static uint32_t box_vertex(mesh *m, const frame *place, const box_side *side, vec3 p, vec3 normal, vec3 half)
{
	// The walk round the four upright sides gives each its own stretch of texture.
	vec2 uv = { dot3(side->right, p) + half.x * 2.3f + half.z * 1.7f * fabsf(side->out.x), -dot3(side->up, p) };
	uv.x += place->origin.x * 0.37f + place->origin.z * 0.61f;
	uv.y += place->origin.y * 0.43f;
	return mesh_vertex(m, frame_point(place, p), frame_vector(place, normal), uv);
}

/// The corner of a side's flat rectangle, `r` and `u` being -1 or +1.
static vec3 side_corner(const box_side *side, vec3 half, float chamfer, float r, float u)
{
	vec3 p = scale3(side->out, along_axis(side->out, half));
	p = toward3(p, side->right, r * (along_axis(side->right, half) - chamfer));
	return toward3(p, side->up, u * (along_axis(side->up, half) - chamfer));
}

/// The same place seen from the neighbour: moved from this side's rectangle out to the neighbour's.
static vec3 slide(vec3 p, vec3 out, vec3 toward, float chamfer)
{
	return toward3(toward3(p, out, -chamfer), toward, chamfer);
}

static void add_box_edge(mesh *m, const frame *place, const box_side *side, vec3 half, float chamfer, vec3 toward)
{
	vec3 line = cross3(side->out, toward);
	float reach = along_axis(line, half) - chamfer;
	vec3 middle = toward3(scale3(side->out, along_axis(side->out, half)), toward, along_axis(toward, half) - chamfer);
	vec3 a = toward3(middle, line, -reach);
	vec3 b = toward3(middle, line, reach);
	uint32_t near_a = box_vertex(m, place, side, a, side->out, half);
	uint32_t near_b = box_vertex(m, place, side, b, side->out, half);
	uint32_t far_b = box_vertex(m, place, side, slide(b, side->out, toward, chamfer), toward, half);
	uint32_t far_a = box_vertex(m, place, side, slide(a, side->out, toward, chamfer), toward, half);
	mesh_quad(m, near_b, near_a, far_a, far_b);
}

static void add_box_corners(mesh *m, const frame *place, vec3 half, float chamfer)
{
	for (int corner = 0; corner < 8; corner++)
	{
		vec3 sign = { corner & 1 ? 1.0f : -1.0f, corner & 2 ? 1.0f : -1.0f, corner & 4 ? 1.0f : -1.0f };
		vec3 tip = { sign.x * half.x, sign.y * half.y, sign.z * half.z };
		vec3 inner = toward3(tip, sign, -chamfer);
		const box_side *side = &box_sides[sign.x > 0.0f ? 0 : 1];
		uint32_t on_x = box_vertex(m, place, side, (vec3){ tip.x, inner.y, inner.z }, (vec3){ sign.x, 0, 0 }, half);
		uint32_t on_y = box_vertex(m, place, side, (vec3){ inner.x, tip.y, inner.z }, (vec3){ 0, sign.y, 0 }, half);
		uint32_t on_z = box_vertex(m, place, side, (vec3){ inner.x, inner.y, tip.z }, (vec3){ 0, 0, sign.z }, half);
		if (sign.x * sign.y * sign.z > 0.0f)
		{
			mesh_triangle(m, on_x, on_y, on_z);
		}
		else
		{
			mesh_triangle(m, on_x, on_z, on_y);
		}
	}
}

void add_box(mesh *m, const frame *place, vec3 half, float chamfer)
{
	for (int i = 0; i < 6; i++)
	{
		const box_side *side = &box_sides[i];
		uint32_t corner[4];
		const float r[4] = { -1.0f, 1.0f, 1.0f, -1.0f };
		const float u[4] = { -1.0f, -1.0f, 1.0f, 1.0f };
		for (int k = 0; k < 4; k++)
		{
			corner[k] = box_vertex(m, place, side, side_corner(side, half, chamfer, r[k], u[k]), side->out, half);
		}
		mesh_quad(m, corner[0], corner[1], corner[2], corner[3]);
		if (chamfer > 0.0f && i < 2)
		{
			add_box_edge(m, place, side, half, chamfer, (vec3){ 0, 1, 0 });
			add_box_edge(m, place, side, half, chamfer, (vec3){ 0, -1, 0 });
			add_box_edge(m, place, side, half, chamfer, (vec3){ 0, 0, 1 });
			add_box_edge(m, place, side, half, chamfer, (vec3){ 0, 0, -1 });
		}
		if (chamfer > 0.0f && i >= 4)
		{
			add_box_edge(m, place, side, half, chamfer, (vec3){ 0, 1, 0 });
			add_box_edge(m, place, side, half, chamfer, (vec3){ 0, -1, 0 });
		}
	}
	if (chamfer > 0.0f)
	{
		add_box_corners(m, place, half, chamfer);
	}
}

void add_panel(mesh *m, vec3 corner, vec3 along, vec3 up, int cells_along, int cells_up, vec2 uv_corner)
{
	vec3 normal = unit3(cross3(along, up));
	float width = length3(along);
	float height = length3(up);
	uint32_t base = (uint32_t)m->vertex_count;
	for (int j = 0; j <= cells_up; j++)
	{
		for (int i = 0; i <= cells_along; i++)
		{
			float s = (float)i / (float)cells_along;
			float t = (float)j / (float)cells_up;
			vec3 p = toward3(toward3(corner, along, s), up, t);
			mesh_vertex(m, p, normal, (vec2){ uv_corner.x + s * width, uv_corner.y - t * height });
		}
	}
	uint32_t row = (uint32_t)cells_along + 1;
	for (uint32_t j = 0; j < (uint32_t)cells_up; j++)
	{
		for (uint32_t i = 0; i < (uint32_t)cells_along; i++)
		{
			uint32_t a = base + j * row + i;
			mesh_quad(m, a, a + 1, a + row + 1, a + row);
		}
	}
}

static vec2 edge_normal(vec2 a, vec2 b)
{
	vec2 d = { b.x - a.x, b.y - a.y };
	float length = sqrtf(d.x * d.x + d.y * d.y);
	return length > 0.0f ? (vec2){ d.y / length, -d.x / length } : (vec2){ 1.0f, 0.0f };
}

/// The normal of a profile at one end of an edge: averaged with the next edge's unless the corner is sharp.
static vec2 profile_normal(vec2 mine, vec2 other)
{
	if (mine.x * other.x + mine.y * other.y < 0.766f)
	{
		return mine;
	}
	vec2 sum = { mine.x + other.x, mine.y + other.y };
	float length = sqrtf(sum.x * sum.x + sum.y * sum.y);
	return (vec2){ sum.x / length, sum.y / length };
}

/// One band of a lathe between two profile points with a normal at each.
static void add_lathe_band(
	mesh *m, const frame *place, const vec2 *point, const vec2 *normal, const float *v, int segments, float around)
{
	uint32_t base = (uint32_t)m->vertex_count;
	for (int s = 0; s <= segments; s++)
	{
		float turn = 2.0f * PI * (float)s / (float)segments;
		float c = s == segments ? 1.0f : cosf(turn);
		float d = s == segments ? 0.0f : -sinf(turn);
		for (int end = 0; end < 2; end++)
		{
			vec3 p = { point[end].x * c, point[end].y, point[end].x * d };
			vec3 n = { normal[end].x * c, normal[end].y, normal[end].x * d };
			vec2 uv = { around * (float)s / (float)segments, -v[end] };
			uint32_t at = mesh_vertex(m, frame_point(place, p), frame_vector(place, unit3(n)), uv);
			vec3 t = frame_vector(place, (vec3){ d, 0.0f, -c });
			m->vertices[at].tangent = (vec4){ t.x, t.y, t.z, 1.0f };
		}
	}
	for (uint32_t s = 0; s < (uint32_t)segments; s++)
	{
		uint32_t a = base + s * 2;
		if (point[0].x > 0.0f)
		{
			mesh_triangle(m, a, a + 2, a + 3);
		}
		if (point[1].x > 0.0f)
		{
			mesh_triangle(m, a, a + 3, a + 1);
		}
	}
}

void add_lathe(mesh *m, const frame *place, const profile_point *profile, int count, int segments)
{
	float widest = 0.0f;
	for (int i = 0; i < count; i++)
	{
		widest = fmaxf(widest, profile[i].x);
	}
	// A whole number of half metres round the widest part keeps the seam invisible for tileable textures.
	float around = fmaxf(0.5f, roundf(2.0f * PI * widest * 0.85f * 2.0f) * 0.5f);
	float v = 0.0f;
	for (int i = 0; i + 1 < count; i++)
	{
		vec2 ends[2] = { profile[i], profile[i + 1] };
		vec2 own = edge_normal(ends[0], ends[1]);
		vec2 before = i > 0 ? edge_normal(profile[i - 1], profile[i]) : own;
		vec2 after = i + 2 < count ? edge_normal(profile[i + 1], profile[i + 2]) : own;
		vec2 normals[2] = { profile_normal(own, before), profile_normal(own, after) };
		float step = hypotf(ends[1].x - ends[0].x, ends[1].y - ends[0].y);
		const float rows[2] = { v, v + step };
		add_lathe_band(m, place, ends, normals, rows, segments, around);
		v += step;
	}
}

static void add_tube_cap(mesh *m, const frame *f, float radius, int sides, bool at_start)
{
	vec3 normal = at_start ? scale3(f->y, -1.0f) : f->y;
	uint32_t middle = mesh_vertex(m, f->origin, normal, (vec2){ 0.0f, 0.0f });
	uint32_t base = (uint32_t)m->vertex_count;
	for (int s = 0; s < sides; s++)
	{
		float turn = 2.0f * PI * (float)s / (float)sides;
		vec3 p = { radius * cosf(turn), 0.0f, -radius * sinf(turn) };
		mesh_vertex(m, frame_point(f, p), normal, (vec2){ p.x, p.z });
	}
	for (uint32_t s = 0; s < (uint32_t)sides; s++)
	{
		uint32_t next = base + (s + 1) % (uint32_t)sides;
		if (at_start)
		{
			mesh_triangle(m, middle, next, base + s);
		}
		else
		{
			mesh_triangle(m, middle, base + s, next);
		}
	}
}

/// Carry a frame along a path without twisting it (parallel transport).
static frame tube_frame(const tube_point *path, int count, int i, const frame *previous)
{
	vec3 ahead = path[i + 1 < count ? i + 1 : i].position;
	vec3 behind = path[i > 0 ? i - 1 : i].position;
	vec3 y = unit3(sub3(ahead, behind));
	if (previous == NULL)
	{
		return frame_along(path[i].position, y);
	}
	vec3 x = unit3(toward3(previous->x, y, -dot3(previous->x, y)));
	return (frame){ path[i].position, x, y, cross3(x, y) };
}

void add_tube(mesh *m, const tube_point *path, int count, int sides)
{
	float widest = 0.0f;
	for (int i = 0; i < count; i++)
	{
		widest = fmaxf(widest, path[i].radius);
	}
	float around = 2.0f * PI * widest;
	float v = 0.0f;
	frame f = { 0 };
	uint32_t row = (uint32_t)sides + 1;
	for (int i = 0; i < count; i++)
	{
		f = tube_frame(path, count, i, i > 0 ? &f : NULL);
		v += i > 0 ? length3(sub3(path[i].position, path[i - 1].position)) : 0.0f;
		uint32_t base = (uint32_t)m->vertex_count;
		for (int s = 0; s <= sides; s++)
		{
			float turn = 2.0f * PI * (float)(s % sides) / (float)sides;
			vec3 n = frame_vector(&f, (vec3){ cosf(turn), 0.0f, -sinf(turn) });
			vec2 uv = { around * (float)s / (float)sides, -v };
			mesh_vertex(m, toward3(f.origin, n, path[i].radius), n, uv);
		}
		for (uint32_t s = 0; i > 0 && s < (uint32_t)sides; s++)
		{
			mesh_quad(m, base - row + s, base - row + s + 1, base + s + 1, base + s);
		}
		if ((i == 0 || i == count - 1) && path[i].radius > 0.004f)
		{
			add_tube_cap(m, &f, path[i].radius, sides, i == 0);
		}
	}
}

void add_ring(mesh *m, const frame *place, float radius, float half_width, float half_height, int segments, int sides)
{
	uint32_t base = (uint32_t)m->vertex_count;
	float around = 2.0f * PI * radius;
	float across = 2.0f * PI * fmaxf(half_width, half_height);
	for (int s = 0; s <= segments; s++)
	{
		float turn = 2.0f * PI * (float)(s % segments) / (float)segments;
		vec3 out = { cosf(turn), 0.0f, -sinf(turn) };
		for (int k = 0; k <= sides; k++)
		{
			float roll = 2.0f * PI * (float)(k % sides) / (float)sides;
			vec3 n = unit3(
				(vec3){ out.x * cosf(roll) / half_width, sinf(roll) / half_height, out.z * cosf(roll) / half_width });
			vec3 p = scale3(out, radius + half_width * cosf(roll));
			p.y = half_height * sinf(roll);
			vec2 uv = { around * (float)s / (float)segments, -across * (float)k / (float)sides };
			mesh_vertex(m, frame_point(place, p), frame_vector(place, n), uv);
		}
	}
	uint32_t row = (uint32_t)sides + 1;
	for (uint32_t s = 0; s < (uint32_t)segments; s++)
	{
		for (uint32_t k = 0; k < (uint32_t)sides; k++)
		{
			uint32_t a = base + s * row + k;
			mesh_quad(m, a, a + row, a + row + 1, a + 1);
		}
	}
}

void add_disc(mesh *m, const frame *place, float radius, int segments, int rings)
{
	uint32_t middle = mesh_vertex(m, place->origin, place->y, (vec2){ 0.0f, 0.0f });
	uint32_t base = middle + 1;
	uint32_t row = (uint32_t)segments;
	for (int r = 1; r <= rings; r++)
	{
		for (int i = 0; i < segments; i++)
		{
			float turn = 2.0f * PI * (float)i / (float)segments;
			float reach = radius * (float)r / (float)rings;
			vec3 p = { reach * cosf(turn), 0.0f, -reach * sinf(turn) };
			mesh_vertex(m, frame_point(place, p), place->y, (vec2){ p.x, p.z });
		}
	}
	for (uint32_t i = 0; i < row; i++)
	{
		mesh_triangle(m, middle, base + i, base + (i + 1) % row);
		for (uint32_t r = 0; r + 1 < (uint32_t)rings; r++)
		{
			uint32_t a = base + r * row + i;
			uint32_t b = base + r * row + (i + 1) % row;
			mesh_quad(m, a, a + row, b + row, b);
		}
	}
}

void add_sheet(mesh *m, const vec3 corner[4], float thickness)
{
	vec3 along = unit3(sub3(corner[1], corner[0]));
	vec3 normal = unit3(cross3(along, sub3(corner[3], corner[0])));
	vec3 up = cross3(normal, along);
	uint32_t at[8];
	for (int k = 0; k < 8; k++)
	{
		float side = k < 4 ? 1.0f : -1.0f;
		vec3 p = corner[k % 4];
		vec3 d = sub3(p, corner[0]);
		vec2 uv = { side * dot3(d, along), -dot3(d, up) };
		at[k] = mesh_vertex(m, toward3(p, normal, side * thickness * 0.5f), scale3(normal, side), uv);
	}
	mesh_quad(m, at[0], at[1], at[2], at[3]);
	mesh_quad(m, at[7], at[6], at[5], at[4]);
}

void add_card(mesh *m, vec3 centre, vec3 right, vec3 up, vec4 uv_rectangle, vec3 normal)
{
	vec4 r = uv_rectangle;
	vec3 low = toward3(centre, up, -1.0f);
	vec3 high = toward3(centre, up, 1.0f);
	uint32_t a = mesh_vertex(m, toward3(low, right, -1.0f), normal, (vec2){ r.x, r.w });
	uint32_t b = mesh_vertex(m, toward3(low, right, 1.0f), normal, (vec2){ r.z, r.w });
	uint32_t c = mesh_vertex(m, toward3(high, right, 1.0f), normal, (vec2){ r.z, r.y });
	uint32_t d = mesh_vertex(m, toward3(high, right, -1.0f), normal, (vec2){ r.x, r.y });
	mesh_quad(m, a, b, c, d);
}

void add_cube_sphere(mesh *m, int cells)
{
	for (int i = 0; i < 6; i++)
	{
		const box_side *side = &box_sides[i];
		uint32_t base = (uint32_t)m->vertex_count;
		for (int j = 0; j <= cells; j++)
		{
			for (int k = 0; k <= cells; k++)
			{
				float s = 2.0f * (float)k / (float)cells - 1.0f;
				float t = 2.0f * (float)j / (float)cells - 1.0f;
				// The tangent spaces the cells evenly in angle; a plain projection crowds them at the cube's corners.
				vec3 p = toward3(side->out, side->right, tanf(s * PI * 0.25f));
				p = unit3(toward3(p, side->up, tanf(t * PI * 0.25f)));
				mesh_vertex(m, p, p, (vec2){ s * 0.5f + 0.5f, 0.5f - t * 0.5f });
			}
		}
		uint32_t row = (uint32_t)cells + 1;
		for (uint32_t j = 0; j < (uint32_t)cells; j++)
		{
			for (uint32_t k = 0; k < (uint32_t)cells; k++)
			{
				uint32_t a = base + j * row + k;
				mesh_quad(m, a, a + 1, a + row + 1, a + row);
			}
		}
	}
}
