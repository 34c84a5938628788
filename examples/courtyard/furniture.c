// Things that stand still: the bench with its cushion, the lamp, the greenhouse.

#include "scene.h"

static void add_bar(mesh *m, vec3 a, vec3 b, float half_width, float half_depth, float chamfer)
{
	vec3 way = sub3(b, a);
	frame f = frame_along(mix3(a, b, 0.5f), way);
	add_box(m, &f, (vec3){ half_width, length3(way) * 0.5f, half_depth }, chamfer);
}

/// A cast side of the bench at x: back post, arm and a curled foot, as one bent tube each.
static void add_bench_side(mesh *m, float x)
{
	tube_point back[] = {
		{ { x, 0.03f, -0.24f }, 0.022f },
		{ { x, 0.25f, -0.19f }, 0.022f },
		{ { x, 0.45f, -0.19f }, 0.022f },
		{ { x, 0.70f, -0.24f }, 0.020f },
		{ { x, 0.92f, -0.32f }, 0.018f },
	};
	add_tube(m, back, 5, 10);
	tube_point front[] = {
		{ { x, 0.03f, 0.26f }, 0.022f },
		{ { x, 0.16f, 0.20f }, 0.022f },
		{ { x, 0.30f, 0.22f }, 0.022f },
		{ { x, 0.45f, 0.26f }, 0.022f },
		{ { x, 0.58f, 0.27f }, 0.020f },
		{ { x, 0.655f, 0.24f }, 0.020f },
		{ { x, 0.675f, 0.16f }, 0.020f },
		{ { x, 0.66f, 0.0f }, 0.020f },
		{ { x, 0.665f, -0.22f }, 0.018f },
	};
	add_tube(m, front, 9, 10);
	tube_point seat[] = { { { x, 0.42f, 0.24f }, 0.020f }, { { x, 0.40f, 0.02f }, 0.020f },
		{ { x, 0.40f, -0.19f }, 0.020f } };
	add_tube(m, seat, 3, 8);
	enum
	{
		CURL = 16,
	};
	tube_point curl[CURL];
	for (int i = 0; i < CURL; i++)
	{
		float turn = 0.5f + 0.42f * (float)i;
		float r = 0.085f - 0.0042f * (float)i;
		curl[i] = (tube_point){ { x, 0.535f + r * sinf(turn), 0.10f + r * cosf(turn) }, 0.010f };
	}
	add_tube(m, curl, CURL, 7);
}

static void add_bench(scene *s)
{
	node n = node_named("Bench", s->root);
	n.translation = (vec3){ -4.78f, 0.0f, 0.15f };
	n.rotation = quat_turn((vec3){ 0.0f, 1.0f, 0.0f }, PI * 0.5f);
	int bench = gltf_node(s->g, &n);
	mesh slats = mesh_new(HAS_UV);
	for (int i = 0; i < 6; i++)
	{
		// Turned on their side so that the grain (texture V) runs along the slat.
		float z = 0.235f - 0.083f * (float)i;
		float y = 0.445f - 0.02f * sinf(PI * (float)i / 5.0f);
		frame f = { { 0.0f, y, z }, { 0.0f, 0.0f, -1.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, -1.0f, 0.0f } };
		add_box(&slats, &f, (vec3){ 0.036f, 0.86f, 0.014f }, 0.006f);
	}
	for (int i = 0; i < 4; i++)
	{
		float y = 0.56f + 0.105f * (float)i;
		float z = -0.185f - 0.042f * (float)i;
		frame f = { { 0.0f, y, z }, { 0.0f, -0.93f, 0.37f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 0.37f, 0.93f } };
		add_box(&slats, &f, (vec3){ 0.042f, 0.86f, 0.012f }, 0.006f);
	}
	show(s, "BenchSlats", bench, slats, s->wood, (vec3){ 0 });
	mesh iron = mesh_new(HAS_UV);
	add_bench_side(&iron, -0.74f);
	add_bench_side(&iron, 0.74f);
	show(s, "BenchSides", bench, iron, s->iron, (vec3){ 0 });

	mesh cushion = mesh_new(HAS_UV);
	add_cube_sphere(&cushion, 10);
	for (size_t i = 0; i < cushion.vertex_count; i++)
	{
		vec3 *p = &cushion.vertices[i].position;
		float pinch = 1.0f - 0.12f * (1.0f - p->y * p->y) * (1.0f - fabsf(p->x * p->z) * 2.0f);
		p->x = copysignf(powf(fabsf(p->x), 0.55f), p->x) * pinch * 0.24f;
		p->z = copysignf(powf(fabsf(p->z), 0.55f), p->z) * pinch * 0.24f;
		p->y *= 0.11f;
	}
	smooth_normals(&cushion);
	node soft = node_named("Cushion", bench);
	soft.mesh = gltf_mesh(s->g, "Cushion", &cushion, &s->cushion, 1);
	soft.translation = (vec3){ 0.42f, 0.63f, -0.13f };
	soft.rotation =
		quat_product(quat_turn((vec3){ 0.0f, 1.0f, 0.0f }, -0.15f), quat_turn((vec3){ 1.0f, 0.0f, 0.0f }, 1.15f));
	gltf_node(s->g, &soft);
}

/// One pane of a six-sided lantern between two rings, its texture upright.
static void add_lamp_pane(mesh *m, int side, float low_radius, float low, float high_radius, float high)
{
	float a = 2.0f * PI * (float)side / 6.0f;
	float b = 2.0f * PI * (float)(side + 1) / 6.0f;
	vec3 corner[4] = {
		{ low_radius * cosf(a), low, -low_radius * sinf(a) },
		{ low_radius * cosf(b), low, -low_radius * sinf(b) },
		{ high_radius * cosf(b), high, -high_radius * sinf(b) },
		{ high_radius * cosf(a), high, -high_radius * sinf(a) },
	};
	vec3 n = unit3(cross3(sub3(corner[1], corner[0]), sub3(corner[3], corner[0])));
	uint32_t first = mesh_vertex(m, corner[0], n, (vec2){ 0.0f, 1.0f });
	mesh_vertex(m, corner[1], n, (vec2){ 1.0f, 1.0f });
	mesh_vertex(m, corner[2], n, (vec2){ 1.0f, 0.0f });
	mesh_vertex(m, corner[3], n, (vec2){ 0.0f, 0.0f });
	mesh_quad(m, first, first + 1, first + 2, first + 3);
}

static void add_lamp_iron(mesh *iron)
{
	frame f = frame_at(0.0f, 0.0f, 0.0f);
	static const profile_point post[] = {
		{ 0.17f, 0.0f },
		{ 0.17f, 0.06f },
		{ 0.13f, 0.09f },
		{ 0.12f, 0.30f },
		{ 0.09f, 0.36f },
		{ 0.10f, 0.40f },
		{ 0.055f, 0.46f },
		{ 0.042f, 0.60f },
		{ 0.036f, 1.60f },
		{ 0.06f, 1.63f },
		{ 0.06f, 1.66f },
		{ 0.034f, 1.70f },
		{ 0.034f, 1.86f },
		{ 0.08f, 1.92f },
		{ 0.13f, 1.95f },
		{ 0.13f, 1.97f },
		{ 0.0f, 1.975f },
	};
	add_lathe(iron, &f, post, 17, 24);
	static const profile_point roof[] = {
		{ 0.0f, 2.32f },
		{ 0.245f, 2.32f },
		{ 0.25f, 2.34f },
		{ 0.17f, 2.42f },
		{ 0.10f, 2.47f },
		{ 0.05f, 2.50f },
		{ 0.03f, 2.54f },
		{ 0.045f, 2.57f },
		{ 0.03f, 2.60f },
		{ 0.0f, 2.66f },
	};
	add_lathe(iron, &f, roof, 10, 24);
	for (int i = 0; i < 6; i++)
	{
		float turn = 2.0f * PI * (float)i / 6.0f;
		vec3 low = { 0.125f * cosf(turn), 1.96f, -0.125f * sinf(turn) };
		vec3 high = { 0.215f * cosf(turn), 2.33f, -0.215f * sinf(turn) };
		add_bar(iron, low, high, 0.010f, 0.010f, 0.003f);
	}
	for (int side = -1; side <= 1; side += 2)
	{
		enum
		{
			CURL = 14,
		};
		tube_point curl[CURL];
		for (int i = 0; i < CURL; i++)
		{
			float turn = -1.2f + 0.36f * (float)i;
			float r = 0.10f - 0.0045f * (float)i;
			vec3 p = { (float)side * (0.14f + r * sinf(turn)), 1.76f + r * cosf(turn), 0.0f };
			curl[i] = (tube_point){ p, 0.010f };
		}
		add_tube(iron, curl, CURL, 7);
	}
}

static void add_lamp(scene *s)
{
	int lamp = gltf_place(s->g, "Lamp", s->root, -1, (vec3){ -3.75f, 0.0f, 1.9f });
	mesh iron = mesh_new(HAS_UV);
	add_lamp_iron(&iron);
	show(s, "LampIron", lamp, iron, s->iron, (vec3){ 0 });
	mesh panes = mesh_new(HAS_UV);
	for (int i = 0; i < 6; i++)
	{
		add_lamp_pane(&panes, i, 0.115f, 1.975f, 0.205f, 2.32f);
	}
	show(s, "LampPanes", lamp, panes, s->glow, (vec3){ 0 });
	node light = node_named("LampLight", lamp);
	light.translation = (vec3){ 0.0f, 2.15f, 0.0f };
	light.light = gltf_light(s->g, "LampLight", "point", (vec3){ 1.0f, 0.62f, 0.28f }, 18.0f, 9.0f);
	gltf_node(s->g, &light);
}

enum
{
	BAYS = 3, ///< of the greenhouse, along the wall
};

/// The greenhouse leans on the wall at +x; its low side faces the courtyard.
#define HOUSE_LOW_X (-0.58f)
#define HOUSE_HIGH_X 0.66f
#define HOUSE_SILL 0.34f
#define HOUSE_EAVE 0.98f
#define HOUSE_TOP 1.62f
#define HOUSE_END 1.0f

static void add_house_frame(mesh *m)
{
	const float w = 0.026f;
	for (int i = 0; i <= BAYS; i++)
	{
		float z = mix(-HOUSE_END, HOUSE_END, (float)i / BAYS);
		add_bar(m, (vec3){ HOUSE_LOW_X, HOUSE_SILL, z }, (vec3){ HOUSE_LOW_X, HOUSE_EAVE, z }, w, w, 0.006f);
		add_bar(m, (vec3){ HOUSE_LOW_X, HOUSE_EAVE, z }, (vec3){ HOUSE_HIGH_X, HOUSE_TOP, z }, w, w, 0.006f);
		bool end = i == 0 || i == BAYS;
		if (end)
		{
			add_bar(m, (vec3){ HOUSE_HIGH_X, HOUSE_SILL, z }, (vec3){ HOUSE_HIGH_X, HOUSE_TOP, z }, w, w, 0.006f);
			add_bar(m, (vec3){ HOUSE_LOW_X, HOUSE_EAVE, z }, (vec3){ HOUSE_HIGH_X, HOUSE_EAVE, z }, w * 0.8f, w * 0.8f,
				0.005f);
			add_bar(m, (vec3){ HOUSE_LOW_X, HOUSE_SILL, z }, (vec3){ HOUSE_HIGH_X, HOUSE_SILL, z }, w, w, 0.006f);
		}
	}
	const vec2 rails[] = { { HOUSE_LOW_X, HOUSE_SILL }, { HOUSE_LOW_X, HOUSE_EAVE }, { HOUSE_HIGH_X, HOUSE_TOP } };
	for (int i = 0; i < 3; i++)
	{
		vec3 a = { rails[i].x, rails[i].y, -HOUSE_END - 0.03f };
		vec3 b = { rails[i].x, rails[i].y, HOUSE_END + 0.03f };
		add_bar(m, a, b, w * 1.15f, w * 1.15f, 0.008f);
	}
}

static void add_house_panes(mesh *m)
{
	const float t = 0.008f;
	for (int i = 0; i < BAYS; i++)
	{
		float a = mix(-HOUSE_END, HOUSE_END, (float)i / BAYS) + 0.02f;
		float b = mix(-HOUSE_END, HOUSE_END, (float)(i + 1) / BAYS) - 0.02f;
		vec3 front[4] = { { HOUSE_LOW_X, HOUSE_SILL, a }, { HOUSE_LOW_X, HOUSE_SILL, b },
			{ HOUSE_LOW_X, HOUSE_EAVE, b }, { HOUSE_LOW_X, HOUSE_EAVE, a } };
		add_sheet(m, front, t);
		vec3 roof[4] = { { HOUSE_LOW_X, HOUSE_EAVE, a }, { HOUSE_LOW_X, HOUSE_EAVE, b }, { HOUSE_HIGH_X, HOUSE_TOP, b },
			{ HOUSE_HIGH_X, HOUSE_TOP, a } };
		add_sheet(m, roof, t);
	}
	for (int end = 0; end < 2; end++)
	{
		float z = end == 0 ? HOUSE_END : -HOUSE_END;
		float low = end == 0 ? HOUSE_LOW_X : HOUSE_HIGH_X;
		float high = end == 0 ? HOUSE_HIGH_X : HOUSE_LOW_X;
		vec3 side[4] = {
			{ low, HOUSE_SILL, z },
			{ high, HOUSE_SILL, z },
			{ high, end == 0 ? HOUSE_TOP : HOUSE_EAVE, z },
			{ low, end == 0 ? HOUSE_EAVE : HOUSE_TOP, z },
		};
		add_sheet(m, side, t);
	}
}

static void add_greenhouse(scene *s)
{
	int house = gltf_place(s->g, "Greenhouse", s->root, -1, (vec3){ 4.72f, 0.0f, -1.5f });
	mesh base = mesh_new(HAS_UV);
	add_block(&base, (vec3){ HOUSE_LOW_X, 0.16f, 0.0f }, (vec3){ 0.06f, 0.16f, HOUSE_END + 0.06f }, 0.012f);
	add_block(&base, (vec3){ 0.06f, 0.16f, HOUSE_END }, (vec3){ 0.60f, 0.16f, 0.06f }, 0.012f);
	add_block(&base, (vec3){ 0.06f, 0.16f, -HOUSE_END }, (vec3){ 0.60f, 0.16f, 0.06f }, 0.012f);
	show(s, "GreenhouseBase", house, base, s->sandstone, (vec3){ 0 });
	mesh soil = mesh_new(HAS_UV);
	add_panel(&soil, (vec3){ HOUSE_LOW_X, 0.26f, HOUSE_END }, (vec3){ 1.25f, 0, 0 }, (vec3){ 0, 0, -2.0f * HOUSE_END },
		2, 3, (vec2){ 0, 0 });
	show(s, "GreenhouseSoil", house, soil, s->soil, (vec3){ 0 });
	mesh bars = mesh_new(0);
	add_house_frame(&bars);
	show(s, "GreenhouseFrame", house, bars, s->paint, (vec3){ 0 });
	mesh panes = mesh_new(HAS_UV);
	add_house_panes(&panes);
	show(s, "GreenhousePanes", house, panes, s->pane, (vec3){ 0 });
	static const float plants[][3] = { { -0.2f, -0.62f, 1.3f }, { 0.1f, 0.05f, 1.7f }, { -0.25f, 0.60f, 1.15f } };
	for (int i = 0; i < 3; i++)
	{
		node n = node_named("Seedling", house);
		n.mesh = i == 1 ? s->shrub : s->blossoms;
		n.translation = (vec3){ plants[i][0], 0.34f, plants[i][1] };
		n.scale = (vec3){ plants[i][2], plants[i][2] * 1.2f, plants[i][2] };
		gltf_node(s->g, &n);
	}
}

void add_furniture(scene *s)
{
	add_bench(s);
	add_lamp(s);
	add_greenhouse(s);
}
