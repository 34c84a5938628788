// The fountain: a round basin on a step, a column with a bowl, falling water, and a ball of sea glass on top.

#include "scene.h"

#define BASIN_WATER 0.43f
#define BOWL_WATER 1.235f

/// The column from the basin's floor, and the bowl it opens into.
static const profile_point column_profile[] = {
	{ 0.36f, 0.10f },
	{ 0.36f, 0.46f },
	{ 0.33f, 0.50f },
	{ 0.22f, 0.53f },
	{ 0.16f, 0.60f },
	{ 0.14f, 0.68f },
	{ 0.16f, 0.78f },
	{ 0.20f, 0.86f },
	{ 0.19f, 0.93f },
	{ 0.13f, 0.98f },
	{ 0.12f, 1.02f },
	{ 0.22f, 1.04f },
	{ 0.42f, 1.08f },
	{ 0.58f, 1.15f },
	{ 0.68f, 1.22f },
	{ 0.73f, 1.245f },
	{ 0.73f, 1.27f },
	{ 0.69f, 1.275f },
	{ 0.64f, 1.24f },
	{ 0.50f, 1.17f },
	{ 0.25f, 1.12f },
	{ 0.0f, 1.11f },
};

static void add_stonework(scene *s, int parent)
{
	mesh step = mesh_new(HAS_UV);
	frame f = frame_at(0.0f, 0.0f, 0.0f);
	static const profile_point step_profile[] = { { 1.98f, 0.0f }, { 1.98f, 0.06f }, { 1.95f, 0.085f },
		{ 1.50f, 0.09f } };
	add_lathe(&step, &f, step_profile, 4, 64);
	show(s, "FountainStep", parent, step, s->sandstone, (vec3){ 0 });

	mesh stone = mesh_new(HAS_UV);
	static const profile_point basin[] = {
		{ 1.56f, 0.08f },
		{ 1.56f, 0.14f },
		{ 1.53f, 0.17f },
		{ 1.46f, 0.19f },
		{ 1.44f, 0.23f },
		{ 1.44f, 0.38f },
		{ 1.47f, 0.42f },
		{ 1.54f, 0.45f },
		{ 1.57f, 0.48f },
		{ 1.57f, 0.53f },
		{ 1.54f, 0.555f },
		{ 1.30f, 0.555f },
		{ 1.27f, 0.53f },
		{ 1.26f, 0.10f },
		{ 0.0f, 0.10f },
	};
	add_lathe(&stone, &f, basin, 15, 64);
	add_lathe(&stone, &f, column_profile, 22, 40);
	static const profile_point stem[] = {
		{ 0.11f, 1.10f },
		{ 0.11f, 1.17f },
		{ 0.07f, 1.21f },
		{ 0.06f, 1.28f },
		{ 0.08f, 1.34f },
		{ 0.14f, 1.38f },
		{ 0.14f, 1.41f },
		{ 0.0f, 1.42f },
	};
	add_lathe(&stone, &f, stem, 8, 24);
	show(s, "FountainStone", parent, stone, s->limestone, (vec3){ 0 });
}

/// A thread of water that leaves the bowl's lip level and falls into the basin.
static void add_stream(mesh *m, float turn)
{
	enum
	{
		STEPS = 9,
	};
	tube_point path[STEPS];
	for (int i = 0; i < STEPS; i++)
	{
		float t = (float)i / (STEPS - 1);
		float out = 0.70f + 0.22f * t;
		float y = 1.265f + 0.03f * t - (1.285f - BASIN_WATER) * t * t;
		path[i].position = (vec3){ out * cosf(turn), y, -out * sinf(turn) };
		path[i].radius = 0.020f - 0.008f * t + 0.004f * sinf(t * 19.0f + turn);
	}
	add_tube(m, path, STEPS, 8);
}

void add_fountain(scene *s)
{
	int fountain = gltf_place(s->g, "Fountain", s->root, -1, (vec3){ 0 });
	add_stonework(s, fountain);

	mesh water = mesh_new(HAS_UV);
	frame f = frame_at(0.0f, BASIN_WATER, 0.0f);
	add_disc(&water, &f, 1.265f, 48, 4);
	f = frame_at(0.0f, BOWL_WATER, 0.0f);
	add_disc(&water, &f, 0.635f, 36, 2);
	for (int i = 0; i < 8; i++)
	{
		add_stream(&water, 2.0f * PI * ((float)i + 0.35f) / 8.0f);
	}
	show(s, "FountainWater", fountain, water, s->water, (vec3){ 0 });

	mesh ball = mesh_new(0);
	add_cube_sphere(&ball, 14);
	node n = node_named("GlassBall", fountain);
	n.mesh = gltf_mesh(s->g, "GlassBall", &ball, &s->glass, 1);
	n.translation = (vec3){ 0.0f, 1.635f, 0.0f };
	n.scale = (vec3){ 0.22f, 0.22f, 0.22f };
	gltf_node(s->g, &n);
	mesh collar = mesh_new(0);
	frame ring = frame_at(0.0f, 1.445f, 0.0f);
	add_ring(&collar, &ring, 0.115f, 0.022f, 0.022f, 32, 10);
	show(s, "GlassBallCollar", fountain, collar, s->gold, (vec3){ 0 });
}
