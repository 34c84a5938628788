// Two bronze herons on pedestals. One is modelled, as a distance function; the other is its mirror image by a node with
// a negative scale, and shares the mesh. The bird looks to one side and lifts one foot, so that the mirror shows.

#include "scene.h"

/// A limb from a to b whose radius goes from ra to rb.
typedef struct limb
{
	vec3 a, b;
	float ra, rb;
} limb;

static float limb_distance(vec3 p, const limb *l)
{
	vec3 way = sub3(l->b, l->a);
	float t = clamp(dot3(sub3(p, l->a), way) / dot3(way, way), 0.0f, 1.0f);
	return length3(sub3(p, toward3(l->a, way, t))) - mix(l->ra, l->rb, t);
}

/// Near enough to the true distance for a surface net; exact only for spheres.
static float ellipsoid_distance(vec3 p, vec3 middle, vec3 radii)
{
	vec3 q = sub3(p, middle);
	vec3 unit = { q.x / radii.x, q.y / radii.y, q.z / radii.z };
	vec3 slope = { unit.x / radii.x, unit.y / radii.y, unit.z / radii.z };
	float k = length3(unit);
	float s = length3(slope);
	return s > 1e-6f ? k * (k - 1.0f) / s : -radii.x;
}

/// The smaller of two distances with a fillet of about `k` (polynomial smooth minimum).
static float blend(float a, float b, float k)
{
	float h = fmaxf(k - fabsf(a - b), 0.0f) / k;
	return fminf(a, b) - h * h * k * 0.25f;
}

/// Tilt about Z around a pivot, for parts that slope along the body.
static vec3 tilted(vec3 p, vec3 pivot, float radians)
{
	vec3 q = sub3(p, pivot);
	float c = cosf(radians);
	float s = sinf(radians);
	return add3(pivot, (vec3){ q.x * c + q.y * s, q.y * c - q.x * s, q.z });
}

static float neck_and_head(vec3 p)
{
	static const limb neck[] = {
		{ { 0.16f, 0.84f, 0.0f }, { 0.29f, 0.96f, 0.0f }, 0.105f, 0.066f },
		{ { 0.29f, 0.96f, 0.0f }, { 0.28f, 1.08f, 0.01f }, 0.066f, 0.052f },
		{ { 0.28f, 1.08f, 0.01f }, { 0.19f, 1.19f, 0.02f }, 0.052f, 0.044f },
		{ { 0.19f, 1.19f, 0.02f }, { 0.17f, 1.30f, 0.03f }, 0.044f, 0.042f },
		{ { 0.17f, 1.30f, 0.03f }, { 0.23f, 1.385f, 0.055f }, 0.042f, 0.046f },
	};
	float d = 9.0f;
	for (int i = 0; i < 5; i++)
	{
		d = blend(d, limb_distance(p, &neck[i]), 0.04f);
	}
	d = blend(d, ellipsoid_distance(p, (vec3){ 0.265f, 1.395f, 0.075f }, (vec3){ 0.085f, 0.056f, 0.060f }), 0.035f);
	static const limb beak = { { 0.31f, 1.385f, 0.10f }, { 0.51f, 1.345f, 0.24f }, 0.034f, 0.009f };
	d = blend(d, limb_distance(p, &beak), 0.015f);
	static const limb crest = { { 0.25f, 1.435f, 0.07f }, { 0.03f, 1.40f, -0.03f }, 0.024f, 0.009f };
	return blend(d, limb_distance(p, &crest), 0.03f);
}

static float torso(vec3 p)
{
	vec3 q = tilted(p, (vec3){ 0.0f, 0.74f, 0.0f }, 0.45f);
	float d = ellipsoid_distance(q, (vec3){ 0.0f, 0.74f, 0.0f }, (vec3){ 0.31f, 0.165f, 0.145f });
	// Folded wings, with flight feathers as grooves along them.
	vec3 w = { q.x, q.y, fabsf(q.z) };
	float wing = ellipsoid_distance(w, (vec3){ -0.08f, 0.765f, 0.115f }, (vec3){ 0.34f, 0.115f, 0.055f });
	float groove = sinf((q.y - 0.74f) * 95.0f + q.x * 14.0f);
	wing += 0.0065f * groove * smooth(0.15f, -0.1f, q.x);
	float scales = sinf(q.x * 70.0f + 1.5f * sinf(q.y * 60.0f));
	wing += 0.003f * scales * smooth(-0.12f, 0.08f, q.x);
	d = blend(d, wing, 0.022f);
	static const limb tail = { { -0.22f, 0.66f, 0.0f }, { -0.50f, 0.50f, 0.0f }, 0.085f, 0.030f };
	vec3 flat = { p.x, p.y, p.z * 0.75f };
	d = blend(d, limb_distance(flat, &tail), 0.06f);
	static const limb plume = { { 0.27f, 0.88f, 0.0f }, { 0.30f, 0.66f, 0.0f }, 0.05f, 0.012f };
	return blend(d, limb_distance(p, &plume), 0.05f);
}

static float legs(vec3 p)
{
	static const limb parts[] = {
		{ { 0.02f, 0.66f, 0.06f }, { 0.01f, 0.50f, 0.06f }, 0.060f, 0.030f },
		{ { 0.01f, 0.50f, 0.06f }, { -0.02f, 0.34f, 0.055f }, 0.028f, 0.026f },
		{ { -0.02f, 0.34f, 0.055f }, { 0.02f, 0.10f, 0.05f }, 0.025f, 0.022f },
		{ { 0.04f, 0.64f, -0.06f }, { 0.17f, 0.46f, -0.065f }, 0.058f, 0.026f },
		{ { 0.17f, 0.46f, -0.065f }, { 0.07f, 0.29f, -0.07f }, 0.024f, 0.021f },
		{ { 0.07f, 0.29f, -0.07f }, { 0.14f, 0.22f, -0.07f }, 0.020f, 0.013f },
		{ { 0.07f, 0.29f, -0.07f }, { 0.10f, 0.20f, -0.05f }, 0.020f, 0.013f },
		{ { 0.02f, 0.10f, 0.05f }, { 0.14f, 0.085f, 0.09f }, 0.024f, 0.015f },
		{ { 0.02f, 0.10f, 0.05f }, { 0.15f, 0.085f, 0.02f }, 0.024f, 0.015f },
		{ { 0.02f, 0.10f, 0.05f }, { -0.08f, 0.085f, 0.05f }, 0.024f, 0.015f },
	};
	float d = 9.0f;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
	{
		d = blend(d, limb_distance(p, &parts[i]), 0.014f);
	}
	return d;
}

/// Rock and reeds the bird stands on.
static float perch(vec3 p)
{
	float rough = 0.035f * (noise3(scale3(p, 11.0f), 31) - 0.5f) + 0.02f * (noise3(scale3(p, 26.0f), 32) - 0.5f);
	float d = ellipsoid_distance(p, (vec3){ 0.0f, 0.0f, 0.0f }, (vec3){ 0.27f, 0.085f, 0.23f }) + rough;
	for (int i = 0; i < 4; i++)
	{
		float x = -0.13f - 0.035f * (float)(i % 2);
		float z = -0.10f + 0.055f * (float)i;
		limb reed = { { x, 0.02f, z }, { x - 0.05f, 0.30f + 0.07f * (float)(i % 3), z * 1.5f }, 0.020f, 0.012f };
		d = blend(d, limb_distance(p, &reed), 0.02f);
	}
	return d;
}

static float heron(vec3 p, const void *context)
{
	(void)context;
	float d = blend(torso(p), neck_and_head(p), 0.06f);
	d = blend(d, legs(p), 0.03f);
	d = blend(d, perch(p), 0.015f);
	return fmaxf(d, -p.y);
}

/// Verdigris where rain stays, polish where it does not: by slope and by how hollow the place is.
static void colour_bronze(mesh *m)
{
	for (size_t i = 0; i < m->vertex_count; i++)
	{
		vertex *v = &m->vertices[i];
		float hollow = -heron(toward3(v->position, v->normal, 0.03f), NULL) / 0.03f + 1.0f;
		float patch = noise3(scale3(v->position, 9.0f), 33);
		float green = smooth(0.15f, 0.75f, hollow * 1.4f + 0.45f * patch + 0.25f * v->normal.y);
		green = fmaxf(green, smooth(0.22f, 0.02f, v->position.y) * 0.8f);
		vec3 c = mix3((vec3){ 0.42f, 0.25f, 0.11f }, (vec3){ 0.16f, 0.40f, 0.32f }, green);
		c = mix3(c, (vec3){ 0.80f, 0.55f, 0.27f }, smooth(0.72f, 0.95f, v->normal.y) * (1.0f - green) * 0.6f);
		v->color[0] = (uint8_t)(c.x * 255.0f);
		v->color[1] = (uint8_t)(c.y * 255.0f);
		v->color[2] = (uint8_t)(c.z * 255.0f);
	}
}

static int pedestal_mesh(scene *s)
{
	mesh m = mesh_new(HAS_UV);
	add_block(&m, (vec3){ 0.0f, 0.07f, 0.0f }, (vec3){ 0.36f, 0.07f, 0.36f }, 0.015f);
	add_block(&m, (vec3){ 0.0f, 0.165f, 0.0f }, (vec3){ 0.31f, 0.03f, 0.31f }, 0.015f);
	add_block(&m, (vec3){ 0.0f, 0.47f, 0.0f }, (vec3){ 0.26f, 0.29f, 0.26f }, 0.015f);
	add_block(&m, (vec3){ 0.0f, 0.47f, 0.27f }, (vec3){ 0.18f, 0.20f, 0.012f }, 0.01f);
	add_block(&m, (vec3){ 0.0f, 0.785f, 0.0f }, (vec3){ 0.30f, 0.03f, 0.30f }, 0.015f);
	add_block(&m, (vec3){ 0.0f, 0.85f, 0.0f }, (vec3){ 0.35f, 0.04f, 0.35f }, 0.02f);
	return gltf_mesh(s->g, "Pedestal", &m, &s->limestone, 1);
}

void add_statues(scene *s)
{
	mesh bird = mesh_new(HAS_COLOR);
	add_distance_surface(&bird, heron, NULL, (vec3){ -0.62f, -0.03f, -0.30f }, (vec3){ 0.62f, 1.52f, 0.34f }, 0.0165f);
	colour_bronze(&bird);
	int shown = gltf_mesh(s->g, "Heron", &bird, &s->bronze, 1);
	int pedestal = pedestal_mesh(s);
	for (int side = 0; side < 2; side++)
	{
		// The right one is the left one mirrored as a whole.
		node n = node_named(side == 0 ? "StatueLeft" : "StatueRightMirrored", s->root);
		n.translation = (vec3){ side == 0 ? -2.55f : 2.55f, 0.0f, -3.6f };
		n.scale.x = side == 0 ? 1.0f : -1.0f;
		n.mesh = pedestal;
		int statue = gltf_node(s->g, &n);
		node on_top = node_named("Heron", statue);
		on_top.mesh = shown;
		on_top.translation = (vec3){ 0.0f, 0.89f, 0.0f };
		on_top.rotation = quat_turn((vec3){ 0.0f, 1.0f, 0.0f }, -0.35f);
		on_top.scale = (vec3){ 1.08f, 1.08f, 1.08f };
		gltf_node(s->g, &on_top);
	}
}
