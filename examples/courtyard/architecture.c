// Ground, walls, gatehouse and its tiled roofs, the parapet at the front, and the land seen beyond.

#include "scene.h"

#define WALL_HEIGHT 2.9f
#define GATE_HALF 1.75f    ///< half the gatehouse's width
#define GATE_FRONT (-4.4f) ///< its face towards the courtyard
#define GATE_DEPTH 2.0f
#define GATE_HEIGHT 4.0f
#define ARCH_RADIUS 0.85f
#define ARCH_SPRING 1.75f ///< height where the round begins

void add_block(mesh *m, vec3 centre, vec3 half, float chamfer)
{
	frame f = frame_at(centre.x, centre.y, centre.z);
	add_box(m, &f, half, chamfer);
}

int show(scene *s, const char *name, int parent, mesh part, int surface, vec3 at)
{
	return gltf_place(s->g, name, parent, gltf_mesh(s->g, name, &part, &surface, 1), at);
}

/// Damp at the foot, streaks under the coping, and broad variation, as linear factors for COLOR_0.
static void weather_wall(mesh *m, size_t first, float height)
{
	for (size_t i = first; i < m->vertex_count; i++)
	{
		vertex *v = &m->vertices[i];
		vec3 p = v->position;
		float patch = noise3(scale3(p, 0.9f), 5);
		float foot = smooth(0.9f, 0.0f, p.y + (patch - 0.5f) * 0.7f);
		float top = smooth(0.7f, 0.0f, height - p.y + (noise3(scale3(p, 2.1f), 6) - 0.5f) * 0.6f);
		vec3 c = mix3((vec3){ 1.0f, 1.0f, 1.0f }, (vec3){ 0.86f, 0.80f, 0.72f }, patch);
		c = mix3(c, (vec3){ 0.46f, 0.47f, 0.36f }, foot * 0.75f);
		c = mix3(c, (vec3){ 0.55f, 0.48f, 0.40f }, top * 0.55f);
		v->color[0] = (uint8_t)(c.x * 255.0f);
		v->color[1] = (uint8_t)(c.y * 255.0f);
		v->color[2] = (uint8_t)(c.z * 255.0f);
	}
}

static void add_wall_face(mesh *m, vec3 corner, vec3 along, float height, float slide)
{
	size_t first = m->vertex_count;
	int cells = (int)ceilf(length3(along) / 0.4f);
	int rows = (int)ceilf(height / 0.36f);
	add_panel(m, corner, along, (vec3){ 0.0f, height, 0.0f }, cells, rows, (vec2){ slide, 0.0f });
	weather_wall(m, first, height);
}

/// The half height of the arch's opening at x, or 0 beside it.
static float arch_height(float x)
{
	float r = ARCH_RADIUS * ARCH_RADIUS - x * x;
	return ARCH_SPRING + sqrtf(fmaxf(r, 0.0f));
}

/// The gatehouse's front around its opening: columns that start at the arch and end at the eaves.
static void add_arched_face(mesh *m, float z)
{
	enum
	{
		COLUMNS = 20,
		ROWS = 5,
	};
	size_t first = m->vertex_count;
	add_panel(m, (vec3){ -GATE_HALF, 0.0f, z }, (vec3){ GATE_HALF - ARCH_RADIUS, 0, 0 }, (vec3){ 0, GATE_HEIGHT, 0 }, 3,
		12, (vec2){ -GATE_HALF, 0.0f });
	add_panel(m, (vec3){ ARCH_RADIUS, 0.0f, z }, (vec3){ GATE_HALF - ARCH_RADIUS, 0, 0 }, (vec3){ 0, GATE_HEIGHT, 0 },
		3, 12, (vec2){ ARCH_RADIUS, 0.0f });
	uint32_t base = (uint32_t)m->vertex_count;
	for (int i = 0; i <= COLUMNS; i++)
	{
		float x = -ARCH_RADIUS * cosf(PI * (float)i / COLUMNS);
		x = i == COLUMNS ? ARCH_RADIUS : x;
		for (int j = 0; j <= ROWS; j++)
		{
			float y = mix(arch_height(x), GATE_HEIGHT, (float)j / ROWS);
			mesh_vertex(m, (vec3){ x, y, z }, (vec3){ 0.0f, 0.0f, 1.0f }, (vec2){ x, -y });
		}
	}
	for (uint32_t i = 0; i < COLUMNS; i++)
	{
		for (uint32_t j = 0; j < ROWS; j++)
		{
			uint32_t a = base + i * (ROWS + 1) + j;
			mesh_quad(m, a, a + ROWS + 1, a + ROWS + 2, a + 1);
		}
	}
	weather_wall(m, first, GATE_HEIGHT);
}

/// The inside of the passage: two jambs and a barrel vault, facing inwards.
static void add_passage(mesh *m)
{
	enum
	{
		STEPS = 20,
	};
	size_t first = m->vertex_count;
	float back = GATE_FRONT - GATE_DEPTH;
	vec3 left = { -ARCH_RADIUS, 0.0f, GATE_FRONT };
	vec3 right = { ARCH_RADIUS, 0.0f, back };
	add_panel(
		m, (vec3){ left.x, 0, left.z }, (vec3){ 0, 0, -GATE_DEPTH }, (vec3){ 0, ARCH_SPRING, 0 }, 4, 4, (vec2){ 0, 0 });
	add_panel(m, right, (vec3){ 0, 0, GATE_DEPTH }, (vec3){ 0, ARCH_SPRING, 0 }, 4, 4, (vec2){ 0.7f, 0.0f });
	uint32_t base = (uint32_t)m->vertex_count;
	for (int i = 0; i <= STEPS; i++)
	{
		float turn = PI * (float)i / STEPS;
		vec3 n = { cosf(turn), -sinf(turn), 0.0f };
		vec3 p = { -ARCH_RADIUS * cosf(turn), ARCH_SPRING + ARCH_RADIUS * sinf(turn), GATE_FRONT };
		mesh_vertex(m, p, n, (vec2){ 0.0f, -ARCH_SPRING - turn * ARCH_RADIUS });
		p.z = back;
		mesh_vertex(m, p, n, (vec2){ GATE_DEPTH, -ARCH_SPRING - turn * ARCH_RADIUS });
	}
	for (uint32_t i = 0; i < STEPS; i++)
	{
		uint32_t a = base + i * 2;
		mesh_quad(m, a, a + 1, a + 3, a + 2);
	}
	weather_wall(m, first, GATE_HEIGHT);
}

static void add_walls(scene *s)
{
	mesh m = mesh_new(HAS_UV | HAS_COLOR);
	float length = GATE_Z - WALL_Z;
	add_wall_face(&m, (vec3){ -WALL_X, 0.0f, GATE_Z }, (vec3){ 0.0f, 0.0f, -length }, WALL_HEIGHT, 0.9f);
	add_wall_face(&m, (vec3){ WALL_X, 0.0f, WALL_Z }, (vec3){ 0.0f, 0.0f, length }, WALL_HEIGHT, 2.2f);
	float side = WALL_X - GATE_HALF;
	add_wall_face(&m, (vec3){ -WALL_X, 0.0f, WALL_Z }, (vec3){ side, 0.0f, 0.0f }, WALL_HEIGHT, 0.4f);
	add_wall_face(&m, (vec3){ GATE_HALF, 0.0f, WALL_Z }, (vec3){ side, 0.0f, 0.0f }, WALL_HEIGHT, 1.1f);
	// Outer faces and ends, so that the walls throw solid shadows and can be walked round.
	const float out = 0.36f;
	float total = length + 2.0f * out;
	add_wall_face(&m, (vec3){ -WALL_X - out, 0, WALL_Z - out }, (vec3){ 0, 0, total - out }, WALL_HEIGHT, 0.0f);
	add_wall_face(&m, (vec3){ WALL_X + out, 0, GATE_Z }, (vec3){ 0, 0, out - total }, WALL_HEIGHT, 0.0f);
	add_wall_face(&m, (vec3){ WALL_X + out, 0, WALL_Z - out }, (vec3){ -side - out, 0, 0 }, WALL_HEIGHT, 0.0f);
	add_wall_face(&m, (vec3){ -GATE_HALF, 0, WALL_Z - out }, (vec3){ -side - out, 0, 0 }, WALL_HEIGHT, 0.0f);
	add_wall_face(&m, (vec3){ -WALL_X - out, 0, GATE_Z }, (vec3){ out, 0, 0 }, WALL_HEIGHT, 0.0f);
	add_wall_face(&m, (vec3){ WALL_X, 0, GATE_Z }, (vec3){ out, 0, 0 }, WALL_HEIGHT, 0.0f);
	show(s, "Walls", s->root, m, s->wall, (vec3){ 0 });

	mesh gate = mesh_new(HAS_UV | HAS_COLOR);
	float back = GATE_FRONT - GATE_DEPTH;
	add_arched_face(&gate, GATE_FRONT);
	add_passage(&gate);
	add_wall_face(&gate, (vec3){ -GATE_HALF, 0, back }, (vec3){ 0, 0, GATE_DEPTH }, GATE_HEIGHT, 0.0f);
	add_wall_face(&gate, (vec3){ GATE_HALF, 0, GATE_FRONT }, (vec3){ 0, 0, -GATE_DEPTH }, GATE_HEIGHT, 0.0f);
	float pier = GATE_HALF - ARCH_RADIUS;
	add_wall_face(&gate, (vec3){ GATE_HALF, 0, back }, (vec3){ -pier, 0, 0 }, GATE_HEIGHT, 0.0f);
	add_wall_face(&gate, (vec3){ -ARCH_RADIUS, 0, back }, (vec3){ -pier, 0, 0 }, GATE_HEIGHT, 0.0f);
	show(s, "Gatehouse", s->root, gate, s->wall, (vec3){ 0 });
}

/// Stone dressings: voussoirs and jambs round the arch, quoins, a string course, the parapet and its piers.
static void add_dressings(scene *s)
{
	mesh m = mesh_new(HAS_UV);
	const int wedges = 13;
	for (int i = 0; i < wedges; i++)
	{
		bool key = i == wedges / 2;
		float turn = PI * ((float)i + 0.5f) / (float)wedges;
		float half_width = 0.5f * PI * (ARCH_RADIUS + 0.12f) / (float)wedges - 0.006f;
		float reach = key ? 0.20f : 0.14f;
		vec3 out = { -cosf(turn), sinf(turn), 0.0f };
		frame f = { { 0 }, { out.y, -out.x, 0.0f }, out, { 0.0f, 0.0f, 1.0f } };
		f.origin = toward3((vec3){ 0.0f, ARCH_SPRING, GATE_FRONT }, out, ARCH_RADIUS - 0.01f + reach);
		add_box(&m, &f, (vec3){ key ? half_width * 1.15f : half_width, reach, key ? 0.11f : 0.07f }, 0.015f);
	}
	for (int side = -1; side <= 1; side += 2)
	{
		for (int i = 0; i < 5; i++)
		{
			float half = i % 2 == 0 ? 0.17f : 0.12f;
			float y = 0.175f + 0.35f * (float)i;
			add_block(&m, (vec3){ (float)side * (ARCH_RADIUS - 0.01f + half), y, GATE_FRONT },
				(vec3){ half, 0.17f, 0.06f }, 0.015f);
		}
		for (int i = 0; i < 10; i++)
		{
			float half = i % 2 == 0 ? 0.20f : 0.13f;
			float y = 0.2f + 0.385f * (float)i;
			add_block(&m, (vec3){ (float)side * (GATE_HALF + 0.03f - half), y, GATE_FRONT - 0.17f },
				(vec3){ half, 0.185f, 0.20f }, 0.015f);
		}
		float pier_x = (float)side * (WALL_X - 0.1f);
		add_block(&m, (vec3){ pier_x, 0.75f, GATE_Z }, (vec3){ 0.26f, 0.75f, 0.26f }, 0.02f);
		add_block(&m, (vec3){ pier_x, 1.56f, GATE_Z }, (vec3){ 0.32f, 0.06f, 0.32f }, 0.02f);
		add_block(&m, (vec3){ (float)side * 4.55f, 0.30f, GATE_Z }, (vec3){ 0.52f, 0.30f, 0.14f }, 0.02f);
		add_block(&m, (vec3){ (float)side * 4.55f, 0.64f, GATE_Z }, (vec3){ 0.55f, 0.045f, 0.19f }, 0.02f);
	}
	add_block(&m, (vec3){ 0.0f, GATE_HEIGHT - 0.02f, GATE_FRONT - GATE_DEPTH * 0.5f },
		(vec3){ GATE_HALF + 0.1f, 0.07f, GATE_DEPTH * 0.5f + 0.1f }, 0.025f);
	show(s, "Dressings", s->root, m, s->limestone, (vec3){ 0 });
}

static const vec3 tile_colors[5] = {
	{ 0.62f, 0.24f, 0.12f },
	{ 0.70f, 0.32f, 0.17f },
	{ 0.55f, 0.20f, 0.11f },
	{ 0.74f, 0.42f, 0.25f },
	{ 0.48f, 0.22f, 0.15f },
};

/// One barrel tile: half a tapering pipe. `f` is at its lower end: x across, y away from the roof, z down the slope.
static void add_tile(mesh *m, const frame *f, float radius, float length, dice *d)
{
	enum
	{
		SIDES = 5,
	};
	vec3 fired = tile_colors[dice_bits(d) % 5u];
	m->tint = scale3(fired, dice_between(d, 0.8f, 1.1f));
	float lift = dice_between(d, 0.0f, 0.012f);
	uint32_t base = (uint32_t)m->vertex_count;
	for (int i = 0; i <= SIDES; i++)
	{
		float turn = PI * (float)i / SIDES;
		vec3 n = { cosf(turn), sinf(turn), 0.0f };
		float u = turn * radius;
		vec3 low = { n.x * radius, n.y * radius * 0.8f + 0.03f + lift, 0.0f };
		vec3 high = { n.x * radius * 0.82f, n.y * radius * 0.62f, -length };
		mesh_vertex(m, frame_point(f, low), frame_vector(f, n), (vec2){ u, 0.0f });
		mesh_vertex(m, frame_point(f, high), frame_vector(f, n), (vec2){ u, -length });
	}
	for (uint32_t i = 0; i < SIDES; i++)
	{
		uint32_t a = base + i * 2;
		mesh_quad(m, a, a + 1, a + 3, a + 2);
	}
	// The dark mouth: a fan that closes the lower end, a little inside.
	m->tint = (vec3){ 0.10f, 0.05f, 0.03f };
	uint32_t fan = (uint32_t)m->vertex_count;
	for (int i = 0; i <= SIDES; i++)
	{
		float turn = PI * (float)i / SIDES;
		vec3 p = { cosf(turn) * radius, sinf(turn) * radius * 0.8f + 0.03f + lift, -0.012f };
		mesh_vertex(m, frame_point(f, p), f->z, (vec2){ p.x, p.y });
	}
	for (uint32_t i = 1; i < SIDES; i++)
	{
		mesh_triangle(m, fan, fan + i, fan + i + 1);
	}
}

/// A slope of tiles. The eave runs `length` along f.x from the origin; tiles climb along -f.z for `run`, cut by hips
/// that
/// come in by `hip` on both sides (0 for a plain rectangle).
static void add_tiled_slope(mesh *m, const frame *f, float length, float run, float hip, uint64_t seed)
{
	dice d = dice_new(seed);
	const float pitch = 0.155f;
	const float row = 0.30f;
	int columns = (int)roundf(length / pitch);
	for (int i = 0; i < columns; i++)
	{
		float x = ((float)i + 0.5f) * length / (float)columns;
		float side = fminf(x, length - x);
		float reach = hip > 0.0f ? run * fminf(1.0f, side / hip) : run;
		for (float z = 0.0f; z < reach - 0.02f; z += row)
		{
			float tile = fminf(row + 0.05f, reach - z);
			vec3 at = { x, 0.0f, -z };
			frame place = { frame_point(f, at), f->x, f->y, f->z };
			add_tile(m, &place, pitch * 0.5f, tile, &d);
		}
	}
	m->tint = (vec3){ 0.30f, 0.13f, 0.08f };
	vec2 none = { 0.0f, 0.0f };
	uint32_t a = mesh_vertex(m, f->origin, f->y, none);
	uint32_t b = mesh_vertex(m, frame_point(f, (vec3){ length, 0, 0 }), f->y, (vec2){ length, 0.0f });
	uint32_t c = mesh_vertex(m, frame_point(f, (vec3){ length - hip, 0, -run }), f->y, (vec2){ length - hip, -run });
	uint32_t e = mesh_vertex(m, frame_point(f, (vec3){ hip, 0, -run }), f->y, (vec2){ hip, -run });
	mesh_quad(m, a, b, c, e);
}

/// A roof slope over the horizontal edge from a to b, rising at `angle` to the left of it (seen from above).
static frame slope_frame(vec3 a, vec3 b, float angle)
{
	vec3 x = unit3(sub3(b, a));
	vec3 inward = cross3((vec3){ 0.0f, 1.0f, 0.0f }, x);
	vec3 up_slope = add3(scale3(inward, cosf(angle)), (vec3){ 0.0f, sinf(angle), 0.0f });
	vec3 z = scale3(up_slope, -1.0f);
	return (frame){ a, x, cross3(z, x), z };
}

/// A row of ridge tiles from a to b.
static void add_ridge(mesh *m, vec3 a, vec3 b, uint64_t seed)
{
	dice d = dice_new(seed);
	vec3 way = sub3(b, a);
	float length = length3(way);
	vec3 z = scale3(way, -1.0f / length);
	vec3 x = unit3(cross3((vec3){ 0.0f, 1.0f, 0.0f }, z));
	int count = (int)ceilf(length / 0.3f);
	for (int i = 0; i < count; i++)
	{
		frame f = { toward3(a, way, (float)i / (float)count), x, cross3(z, x), z };
		add_tile(m, &f, 0.10f, length / (float)count + 0.04f, &d);
	}
}

static void add_coping(mesh *m, vec3 a, vec3 b, uint64_t seed)
{
	// `a` to `b` runs along the wall's middle line with the courtyard on its right.
	vec3 x = unit3(sub3(b, a));
	vec3 left = cross3((vec3){ 0.0f, 1.0f, 0.0f }, x);
	float length = length3(sub3(b, a));
	const float half = 0.30f;
	const float angle = 0.45f;
	frame inner = slope_frame(toward3(a, left, -half), toward3(b, left, -half), angle);
	add_tiled_slope(m, &inner, length, half / cosf(angle), 0.0f, seed);
	frame outer = slope_frame(toward3(b, left, half), toward3(a, left, half), angle);
	add_tiled_slope(m, &outer, length, half / cosf(angle), 0.0f, seed + 1);
	vec3 lift = { 0.0f, half * tanf(angle) + 0.01f, 0.0f };
	add_ridge(m, add3(a, lift), add3(b, lift), seed + 2);
}

static void add_roofs(scene *s)
{
	mesh m = mesh_new(HAS_UV | HAS_COLOR);
	const float y = WALL_HEIGHT - 0.02f;
	const float middle = 0.18f;
	add_coping(&m, (vec3){ -WALL_X - middle, y, GATE_Z }, (vec3){ -WALL_X - middle, y, WALL_Z - 0.2f }, 101);
	add_coping(&m, (vec3){ WALL_X + middle, y, WALL_Z - 0.2f }, (vec3){ WALL_X + middle, y, GATE_Z }, 111);
	add_coping(&m, (vec3){ -WALL_X - 0.2f, y, WALL_Z - middle }, (vec3){ -GATE_HALF, y, WALL_Z - middle }, 121);
	add_coping(&m, (vec3){ GATE_HALF, y, WALL_Z - middle }, (vec3){ WALL_X + 0.2f, y, WALL_Z - middle }, 131);
	show(s, "WallCoping", s->root, m, s->roof, (vec3){ 0 });

	mesh roof = mesh_new(HAS_UV | HAS_COLOR);
	const float eave = GATE_HEIGHT + 0.05f;
	const float over = 0.28f;
	const float angle = 0.52f;
	float x = GATE_HALF + over;
	float front = GATE_FRONT + over;
	float back = GATE_FRONT - GATE_DEPTH - over;
	float hip = (front - back) * 0.5f;
	float run = hip / cosf(angle);
	vec3 corner[4] = { { -x, eave, front }, { x, eave, front }, { x, eave, back }, { -x, eave, back } };
	for (int i = 0; i < 4; i++)
	{
		vec3 a = corner[i];
		vec3 b = corner[(i + 1) % 4];
		frame f = slope_frame(a, b, angle);
		float length = length3(sub3(b, a));
		add_tiled_slope(&roof, &f, length, run, fminf(hip, length * 0.5f), 141 + (uint64_t)i);
		float sign = i == 1 || i == 2 ? 1.0f : -1.0f;
		vec3 top = { sign * (x - hip), eave + hip * tanf(angle) + 0.04f, (front + back) * 0.5f };
		add_ridge(&roof, toward3(a, (vec3){ 0, 1, 0 }, 0.03f), top, 151 + (uint64_t)i);
	}
	float ridge = eave + hip * tanf(angle) + 0.03f;
	add_ridge(
		&roof, (vec3){ hip - x, ridge, (front + back) * 0.5f }, (vec3){ x - hip, ridge, (front + back) * 0.5f }, 161);
	show(s, "GatehouseRoof", s->root, roof, s->roof, (vec3){ 0 });
}

static void add_ground(scene *s)
{
	mesh m = mesh_new(HAS_UV | HAS_UV1 | HAS_COLOR);
	float depth = GATE_Z - WALL_Z;
	add_panel(&m, (vec3){ -WALL_X, 0.0f, GATE_Z }, (vec3){ 2.0f * WALL_X, 0, 0 }, (vec3){ 0, 0, -depth }, 36, 30,
		(vec2){ 0, 0 });
	for (size_t i = 0; i < m.vertex_count; i++)
	{
		vertex *v = &m.vertices[i];
		vec3 p = v->position;
		v->uv1 = (vec2){ (p.x + WALL_X) / (2.0f * WALL_X), (p.z - WALL_Z) / depth };
		float edge = fminf(WALL_X - fabsf(p.x), fabsf(p.x) < 1.2f ? 9.0f : p.z - WALL_Z);
		float tree = hypotf(p.x - TREE_X, p.z - TREE_Z) - 1.2f;
		float moss = smooth(1.1f, 0.0f, fminf(edge, tree) + 1.4f * (noise3(scale3(p, 1.3f), 9) - 0.5f));
		float dust = noise3(scale3(p, 0.7f), 10);
		vec3 c = mix3((vec3){ 1.0f, 0.98f, 0.95f }, (vec3){ 0.82f, 0.76f, 0.68f }, dust);
		c = mix3(c, (vec3){ 0.48f, 0.54f, 0.32f }, moss * 0.7f);
		v->color[0] = (uint8_t)(c.x * 255.0f);
		v->color[1] = (uint8_t)(c.y * 255.0f);
		v->color[2] = (uint8_t)(c.z * 255.0f);
	}
	show(s, "Ground", s->root, m, s->paving, (vec3){ 0 });
}

static float land_height(float x, float z)
{
	float far = smooth(9.0f, 60.0f, hypotf(x, z));
	vec3 p = { x * 0.028f, 0.0f, z * 0.028f };
	float hills = noise3(p, 12) + 0.4f * noise3(scale3(p, 2.7f), 13);
	// A shallow valley leads away from the gate, so that the path is seen through the arch.
	float valley = z < 0.0f ? smooth(2.0f, 22.0f, fabsf(x)) : 1.0f;
	return -0.02f + far * (hills * 15.0f - 2.0f) * mix(0.35f, 1.0f, valley);
}

static float path_bend(float along)
{
	return 1.1f * sinf(along * 0.13f) * smooth(5.0f, 16.0f, along);
}

static void add_land(scene *s)
{
	enum
	{
		RINGS = 22,
		SPOKES = 64,
	};
	mesh m = mesh_new(HAS_COLOR);
	for (int r = 0; r <= RINGS; r++)
	{
		float radius = 0.6f * powf(1.255f, (float)r) + 0.4f * (float)r;
		for (int i = 0; i < SPOKES; i++)
		{
			float turn = 2.0f * PI * (float)i / SPOKES;
			vec3 p = { radius * cosf(turn), 0.0f, -radius * sinf(turn) };
			p.y = land_height(p.x, p.z) - (radius < 7.0f ? 0.08f : 0.0f);
			float field_noise = noise3(scale3(p, 0.12f), 14);
			vec3 c =
				mix3((vec3){ 0.16f, 0.19f, 0.06f }, (vec3){ 0.38f, 0.33f, 0.13f }, smooth(0.35f, 0.65f, field_noise));
			float haze = smooth(20.0f, 100.0f, radius);
			m.tint = mix3(c, (vec3){ 0.42f, 0.44f, 0.46f }, haze * 0.75f);
			mesh_vertex(&m, p, (vec3){ 0.0f, 1.0f, 0.0f }, (vec2){ 0 });
		}
	}
	for (uint32_t r = 0; r < RINGS; r++)
	{
		for (uint32_t i = 0; i < SPOKES; i++)
		{
			uint32_t a = r * SPOKES + i;
			uint32_t b = r * SPOKES + (i + 1) % SPOKES;
			mesh_quad(&m, a, a + SPOKES, b + SPOKES, b);
		}
	}
	smooth_normals(&m);
	show(s, "Land", s->root, m, s->landscape, (vec3){ 0 });

	// The gravel path that leads off through the gate.
	mesh path = mesh_new(HAS_COLOR);
	path.tint = (vec3){ 0.52f, 0.42f, 0.29f };
	add_panel(
		&path, (vec3){ -0.95f, 0.0f, GATE_FRONT }, (vec3){ 1.9f, 0, 0 }, (vec3){ 0, 0, -46.0f }, 2, 80, (vec2){ 0, 0 });
	for (size_t i = 0; i < path.vertex_count; i++)
	{
		vec3 *p = &path.vertices[i].position;
		float along = GATE_FRONT - p->z;
		p->x += path_bend(along);
		p->y = fmaxf(land_height(p->x, p->z), 0.0f) + 0.004f + 0.10f * smooth(1.5f, 9.0f, along);
	}
	smooth_normals(&path);
	show(s, "Path", s->root, path, s->landscape, (vec3){ 0 });
}

void add_architecture(scene *s)
{
	add_land(s);
	add_ground(s);
	add_walls(s);
	add_dressings(s);
	add_roofs(s);
}
