// Things that move as rigid bodies: the armillary sphere (nested nodes, LINEAR), the hanging sign and the weathervane
// (CUBICSPLINE), the clock (STEP).

#include "scene.h"

static const vec3 axis_x = { 1.0f, 0.0f, 0.0f };
static const vec3 axis_y = { 0.0f, 1.0f, 0.0f };
static const vec3 axis_z = { 0.0f, 0.0f, 1.0f };

static int turned_node(scene *s, const char *name, int parent, int shown, vec4 rotation, float scale)
{
	node n = node_named(name, parent);
	n.mesh = shown;
	n.rotation = rotation;
	n.scale = (vec3){ scale, scale, scale };
	return gltf_node(s->g, &n);
}

/// A rotation about one axis as CUBICSPLINE keys: angles and their rates, each key with equal tangents on both sides.
/// The tangent of a quaternion is its derivative. glTF 2.0, appendix C.
static void swing(
	scene *s, int target, vec3 axis, const float *times, const float *angles, const float *rates, int keys)
{
	float values[16 * 12];
	for (int i = 0; i < keys && i < 16; i++)
	{
		vec4 q = quat_turn(axis, angles[i]);
		float c = 0.5f * cosf(angles[i] * 0.5f) * rates[i];
		float d[4] = { axis.x * c, axis.y * c, axis.z * c, -0.5f * sinf(angles[i] * 0.5f) * rates[i] };
		const float value[4] = { q.x, q.y, q.z, q.w };
		for (int k = 0; k < 4; k++)
		{
			values[i * 12 + k] = d[k];
			values[i * 12 + 4 + k] = value[k];
			values[i * 12 + 8 + k] = d[k];
		}
	}
	gltf_channel(s->g, target, PATH_ROTATION, "CUBICSPLINE", times, keys, values, 4);
}

static void add_armillary_stand(scene *s, int parent)
{
	mesh m = mesh_new(HAS_UV);
	frame f = frame_at(0.0f, 0.0f, 0.0f);
	static const profile_point profile[] = {
		{ 0.30f, 0.0f },
		{ 0.30f, 0.05f },
		{ 0.25f, 0.08f },
		{ 0.24f, 0.11f },
		{ 0.16f, 0.16f },
		{ 0.12f, 0.24f },
		{ 0.11f, 0.36f },
		{ 0.14f, 0.50f },
		{ 0.17f, 0.56f },
		{ 0.15f, 0.61f },
		{ 0.22f, 0.65f },
		{ 0.24f, 0.67f },
		{ 0.24f, 0.71f },
		{ 0.22f, 0.73f },
		{ 0.0f, 0.735f },
	};
	add_lathe(&m, &f, profile, 15, 36);
	show(s, "ArmillaryPedestal", parent, m, s->limestone, (vec3){ 0 });
	mesh metal = mesh_new(HAS_UV | HAS_TANGENT);
	static const profile_point foot[] = {
		{ 0.13f, 0.735f },
		{ 0.12f, 0.75f },
		{ 0.05f, 0.77f },
		{ 0.025f, 0.81f },
		{ 0.035f, 0.85f },
		{ 0.02f, 0.88f },
		{ 0.02f, 0.92f },
	};
	add_lathe(&metal, &f, foot, 7, 24);
	show(s, "ArmillaryFoot", parent, metal, s->copper, (vec3){ 0 });
}

static void add_armillary(scene *s)
{
	int whole = gltf_place(s->g, "Armillary", s->root, -1, (vec3){ -1.98f, 0.0f, 3.0f });
	add_armillary_stand(s, whole);
	// One unit ring serves all circles; nodes scale and turn it.
	mesh band = mesh_new(0);
	frame f = frame_at(0.0f, 0.0f, 0.0f);
	add_ring(&band, &f, 1.0f, 0.018f, 0.055f, 64, 8);
	int ring = gltf_mesh(s->g, "RingBand", &band, &s->gold, 1);
	mesh ball = mesh_new(0);
	add_cube_sphere(&ball, 8);
	int globe = gltf_mesh(s->g, "Globe", &ball, &s->lacquer, 1);
	mesh rod = mesh_new(0);
	static const tube_point rod_path[] = { { { 0, -1.25f, 0 }, 0.014f }, { { 0, 1.25f, 0 }, 0.014f } };
	add_tube(&rod, rod_path, 2, 10);
	static const profile_point arrow[] = { { 0.07f, 1.2f }, { 0.0f, 1.42f } };
	add_lathe(&rod, &f, arrow, 2, 12);
	int axis = gltf_mesh(s->g, "PolarAxis", &rod, &s->gold, 1);

	node cage = node_named("Cage", whole);
	cage.translation = (vec3){ 0.0f, 1.22f, 0.0f };
	cage.rotation = quat_turn(axis_y, 0.5f);
	cage.scale = (vec3){ 0.31f, 0.31f, 0.31f };
	int frame_node = gltf_node(s->g, &cage);
	turned_node(s, "Horizon", frame_node, ring, quat_turn(axis_y, 0.0f), 1.0f);
	int meridian = turned_node(s, "Meridian", frame_node, ring, quat_turn(axis_x, PI * 0.5f), 0.97f);
	// Undo the meridian's turn, then tip the pole to 41 degrees of latitude.
	vec4 latitude = quat_product(quat_turn(axis_x, -PI * 0.5f), quat_turn(axis_z, 0.855f));
	int pole = turned_node(s, "Pole", meridian, axis, latitude, 0.94f);
	int sphere = turned_node(s, "CelestialSphere", pole, ring, quat_turn(axis_y, 0.0f), 0.95f);
	turned_node(s, "ColureA", sphere, ring, quat_turn(axis_x, PI * 0.5f), 0.98f);
	turned_node(s, "ColureB", sphere, ring, quat_turn(axis_z, PI * 0.5f), 0.98f);
	int ecliptic = turned_node(s, "Ecliptic", sphere, ring, quat_turn(axis_x, 0.409f), 0.99f);
	node world = node_named("World", ecliptic);
	world.mesh = globe;
	world.scale = (vec3){ 0.24f, 0.23f, 0.24f };
	gltf_node(s->g, &world);

	const float times[5] = { 0.0f, 6.0f, 12.0f, 18.0f, 24.0f };
	float turns[5 * 4];
	for (int i = 0; i < 5; i++)
	{
		vec4 q = quat_turn(axis_y, 0.5f * PI * (float)i);
		const float value[4] = { q.x, q.y, q.z, q.w };
		for (int k = 0; k < 4; k++)
		{
			turns[i * 4 + k] = value[k];
		}
	}
	gltf_animation_begin(s->g, "ArmillaryTurn");
	gltf_channel(s->g, sphere, PATH_ROTATION, "LINEAR", times, 5, turns, 4);
	gltf_animation_end(s->g);
}

/// A board's face with its picture filling it and tangents written out.
static void add_sign_face(mesh *m, float half_width, float half_height, float z)
{
	float side = z > 0.0f ? 1.0f : -1.0f;
	vec3 n = { 0.0f, 0.0f, side };
	uint32_t first = (uint32_t)m->vertex_count;
	mesh_vertex(m, (vec3){ -half_width * side, -half_height, z }, n, (vec2){ 0.0f, 1.0f });
	mesh_vertex(m, (vec3){ half_width * side, -half_height, z }, n, (vec2){ 1.0f, 1.0f });
	mesh_vertex(m, (vec3){ half_width * side, half_height, z }, n, (vec2){ 1.0f, 0.0f });
	mesh_vertex(m, (vec3){ -half_width * side, half_height, z }, n, (vec2){ 0.0f, 0.0f });
	for (uint32_t i = 0; i < 4; i++)
	{
		m->vertices[first + i].tangent = (vec4){ side, 0.0f, 0.0f, 1.0f };
	}
	mesh_quad(m, first, first + 1, first + 2, first + 3);
}

static void add_sign(scene *s)
{
	int bracket = gltf_place(s->g, "SignBracket", s->root, -1, (vec3){ -1.75f, 3.55f, -4.75f });
	mesh iron = mesh_new(HAS_UV);
	static const tube_point arm[] = { { { 0.05f, 0.0f, 0.0f }, 0.022f }, { { -0.5f, 0.0f, 0.0f }, 0.020f },
		{ { -1.0f, 0.0f, 0.0f }, 0.016f } };
	add_tube(&iron, arm, 3, 8);
	static const tube_point brace[] = {
		{ { 0.05f, -0.45f, 0.0f }, 0.016f },
		{ { -0.05f, -0.28f, 0.0f }, 0.016f },
		{ { -0.16f, -0.10f, 0.0f }, 0.014f },
		{ { -0.30f, 0.0f, 0.0f }, 0.012f },
	};
	add_tube(&iron, brace, 4, 8);
	show(s, "SignArm", bracket, iron, s->iron, (vec3){ 0 });
	node pivot = node_named("SignSwing", bracket);
	pivot.translation = (vec3){ -0.62f, -0.01f, 0.0f };
	int swing_node = gltf_node(s->g, &pivot);
	mesh links = mesh_new(HAS_UV);
	frame f = frame_at(0.0f, -0.34f, 0.0f);
	for (int side = -1; side <= 1; side += 2)
	{
		tube_point link[] = { { { (float)side * 0.2f, 0.0f, 0.0f }, 0.008f },
			{ { (float)side * 0.2f, -0.12f, 0.0f }, 0.008f } };
		add_tube(&links, link, 2, 6);
	}
	add_box(&links, &f, (vec3){ 0.335f, 0.255f, 0.014f }, 0.008f);
	show(s, "SignHanger", swing_node, links, s->iron, (vec3){ 0 });
	mesh board = mesh_new(HAS_UV | HAS_TANGENT);
	add_sign_face(&board, 0.32f, 0.24f, 0.0155f);
	add_sign_face(&board, 0.32f, 0.24f, -0.0155f);
	show(s, "SignBoard", swing_node, board, s->sign, f.origin);

	const float times[5] = { 0.0f, 0.9f, 1.8f, 2.7f, 3.6f };
	const float angles[5] = { 0.0f, 0.16f, 0.0f, -0.16f, 0.0f };
	const float rates[5] = { 0.28f, 0.0f, -0.28f, 0.0f, 0.28f };
	gltf_animation_begin(s->g, "SignSwing");
	swing(s, swing_node, axis_x, times, angles, rates, 5);
	gltf_animation_end(s->g);
}

static int hand_mesh(scene *s, const char *name, float length, float half_width)
{
	mesh m = mesh_new(HAS_UV);
	frame f = frame_at(0.0f, length * 0.42f, 0.0f);
	add_box(&m, &f, (vec3){ half_width, length * 0.58f, 0.006f }, 0.003f);
	return gltf_mesh(s->g, name, &m, &s->iron, 1);
}

/// STEP keys: a hand that jumps by `step` radians a second, clockwise, back to its start after twelve.
static void tick(scene *s, int hand, float start, float step)
{
	float times[13];
	float turns[13 * 4];
	for (int i = 0; i < 13; i++)
	{
		times[i] = (float)i;
		vec4 q = quat_turn(axis_z, start - step * (float)(i % 12));
		turns[i * 4] = q.x;
		turns[i * 4 + 1] = q.y;
		turns[i * 4 + 2] = q.z;
		turns[i * 4 + 3] = q.w;
	}
	gltf_channel(s->g, hand, PATH_ROTATION, "STEP", times, 13, turns, 4);
}

static void add_clock(scene *s)
{
	int clock = gltf_place(s->g, "Clock", s->root, -1, (vec3){ 0.0f, 3.46f, -4.39f });
	mesh face = mesh_new(HAS_UV);
	frame f = { { 0.0f, 0.0f, 0.03f }, { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } };
	const float radius = 0.35f;
	add_disc(&face, &f, radius, 48, 1);
	for (size_t i = 0; i < face.vertex_count; i++)
	{
		vec2 *uv = &face.vertices[i].uv;
		*uv = (vec2){ 0.5f + uv->x * 0.5f / radius, 0.5f + uv->y * 0.5f / radius };
	}
	show(s, "ClockFace", clock, face, s->clock, (vec3){ 0 });
	mesh rim = mesh_new(HAS_UV);
	f.origin.z = 0.0f;
	add_ring(&rim, &f, radius + 0.03f, 0.05f, 0.07f, 48, 10);
	show(s, "ClockRim", clock, rim, s->limestone, (vec3){ 0 });
	vec3 front = { 0.0f, 0.0f, 0.05f };
	int minute = gltf_place(s->g, "MinuteHand", clock, hand_mesh(s, "MinuteHand", 0.27f, 0.012f), front);
	front.z = 0.04f;
	int hour = gltf_place(s->g, "HourHand", clock, hand_mesh(s, "HourHand", 0.18f, 0.017f), front);
	gltf_animation_begin(s->g, "ClockTick");
	tick(s, minute, -1.05f, PI / 6.0f);
	tick(s, hour, -2.70f, PI / 6.0f);
	gltf_animation_end(s->g);
}

static void add_weathervane(scene *s)
{
	int whole = gltf_place(s->g, "Weathervane", s->root, -1, (vec3){ 0.0f, 4.80f, -5.4f });
	mesh fixed = mesh_new(HAS_UV);
	static const tube_point mast[] = { { { 0, 0, 0 }, 0.030f }, { { 0, 0.45f, 0 }, 0.018f },
		{ { 0, 0.85f, 0 }, 0.012f } };
	add_tube(&fixed, mast, 3, 10);
	for (int i = 0; i < 2; i++)
	{
		vec3 way = i == 0 ? axis_x : axis_z;
		tube_point cross[] = { { scale3(way, -0.22f), 0.010f }, { scale3(way, 0.22f), 0.010f } };
		cross[0].position.y = 0.36f;
		cross[1].position.y = 0.36f;
		add_tube(&fixed, cross, 2, 6);
	}
	show(s, "VaneMast", whole, fixed, s->iron, (vec3){ 0 });

	mesh vane = mesh_new(0);
	static const tube_point shaft[] = { { { -0.42f, 0, 0 }, 0.011f }, { { 0.42f, 0, 0 }, 0.011f } };
	add_tube(&vane, shaft, 2, 8);
	static const vec3 head[4] = { { 0.34f, -0.09f, 0 }, { 0.56f, 0.0f, 0 }, { 0.34f, 0.09f, 0 }, { 0.38f, 0.0f, 0 } };
	add_sheet(&vane, head, 0.012f);
	static const vec3 upper[4] = { { -0.34f, 0.0f, 0 }, { -0.20f, 0.0f, 0 }, { -0.38f, 0.17f, 0 },
		{ -0.56f, 0.17f, 0 } };
	static const vec3 lower[4] = { { -0.56f, -0.17f, 0 }, { -0.38f, -0.17f, 0 }, { -0.20f, 0.0f, 0 },
		{ -0.34f, 0.0f, 0 } };
	add_sheet(&vane, upper, 0.012f);
	add_sheet(&vane, lower, 0.012f);
	mesh ball = mesh_new(0);
	add_cube_sphere(&ball, 6);
	frame f = { { 0.0f, 0.0f, 0.0f }, { 0.055f, 0, 0 }, { 0, 0.055f, 0 }, { 0, 0, 0.055f } };
	mesh_append(&vane, &ball, &f);
	mesh_free(&ball);
	for (size_t i = 0; i < vane.vertex_count; i++)
	{
		vane.vertices[i].normal = unit3(vane.vertices[i].normal);
	}
	int turning = show(s, "Vane", whole, vane, s->gold, (vec3){ 0.0f, 0.72f, 0.0f });

	const float times[7] = { 0.0f, 1.4f, 2.2f, 3.9f, 5.0f, 6.6f, 8.0f };
	const float angles[7] = { 0.35f, 0.75f, 0.45f, -0.30f, -0.05f, 0.15f, 0.35f };
	const float rates[7] = { 0.20f, 0.0f, -0.75f, 0.0f, 0.30f, 0.05f, 0.20f };
	gltf_animation_begin(s->g, "WeathervaneTurn");
	swing(s, turning, axis_y, times, angles, rates, 7);
	gltf_animation_end(s->g);
}

void add_instruments(scene *s)
{
	add_armillary(s);
	add_sign(s);
	add_clock(s);
	add_weathervane(s);
}
