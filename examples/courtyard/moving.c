// Things that bend: the banner, skinned to a chain of joints, and the blob, with morph targets.

#include "scene.h"

enum
{
	CHAIN = 7,         ///< joints of the banner, from the pole down
	CLOTH_ACROSS = 10, ///< cells
	CLOTH_DOWN = 28,
	SWAY_KEYS = 21,
	BLOB_CELLS = 20,
	BLOB_TARGETS = 3,
	BLOB_KEYS = 9,
};

#define CLOTH_HALF 0.48f
#define CLOTH_LENGTH 1.92f
#define CHAIN_STEP (CLOTH_LENGTH / CHAIN)

/// Each vertex hangs on the two joints it lies between.
static void weigh(vertex *v, float depth)
{
	float at = clamp(depth / CHAIN_STEP - 0.5f, 0.0f, (float)(CHAIN - 1));
	int upper = (int)at;
	upper = upper > CHAIN - 2 ? CHAIN - 2 : upper;
	float share = at - (float)upper;
	share = share * share * (3.0f - 2.0f * share);
	v->joints[0] = (uint8_t)upper;
	v->weights[0] = 1.0f - share;
	v->weights[1] = share;
	// A joint without weight is named 0, as the specification asks.
	v->joints[1] = share > 0.0f ? (uint8_t)(upper + 1) : 0;
	if (share >= 1.0f)
	{
		v->joints[0] = (uint8_t)(upper + 1);
		v->weights[0] = 1.0f;
		v->joints[1] = 0;
		v->weights[1] = 0.0f;
	}
}

/// The cloth hangs from y = 0; its lower edge is a swallow's tail and it has soft folds even at rest.
static mesh cloth_mesh(void)
{
	mesh m = mesh_new(HAS_UV | HAS_SKIN);
	for (int j = 0; j <= CLOTH_DOWN; j++)
	{
		for (int i = 0; i <= CLOTH_ACROSS; i++)
		{
			float s = (float)i / CLOTH_ACROSS;
			float t = (float)j / CLOTH_DOWN;
			float notch = 0.30f * (1.0f - fabsf(2.0f * s - 1.0f)) * smooth(0.55f, 1.0f, t);
			float depth = t * CLOTH_LENGTH - notch;
			float fold = 0.022f * sinf(s * 9.5f + 0.6f * t) * smooth(0.0f, 0.5f, t);
			uint32_t at = mesh_vertex(&m, (vec3){ (2.0f * s - 1.0f) * CLOTH_HALF, -depth, fold }, (vec3){ 0, 0, 1 },
				(vec2){ s, depth / CLOTH_LENGTH });
			weigh(&m.vertices[at], depth);
		}
	}
	const uint32_t row = CLOTH_ACROSS + 1;
	for (uint32_t j = 0; j < CLOTH_DOWN; j++)
	{
		for (uint32_t i = 0; i < CLOTH_ACROSS; i++)
		{
			uint32_t a = j * row + i;
			mesh_quad(&m, a + row, a + row + 1, a + 1, a);
		}
	}
	smooth_normals(&m);
	return m;
}

/// A wave that runs down the chain; all terms repeat after four seconds.
static void add_sway(scene *s, const int *joints)
{
	float times[SWAY_KEYS];
	float turns[SWAY_KEYS * 4];
	gltf_animation_begin(s->g, "BannerSway");
	for (int j = 0; j < CHAIN; j++)
	{
		float reach = 0.05f + 0.022f * (float)j;
		for (int i = 0; i < SWAY_KEYS; i++)
		{
			float t = (float)i / (SWAY_KEYS - 1);
			times[i] = 4.0f * t;
			float turn = 2.0f * PI * t;
			float bend =
				reach * sinf(turn - 0.75f * (float)j) + 0.35f * reach * sinf(2.0f * turn - 1.1f * (float)j + 1.0f);
			float twist = 0.055f * sinf(turn - 0.5f * (float)j + 0.8f);
			bend -= j == 0 ? 0.07f : 0.0f;
			vec4 q =
				quat_product(quat_turn((vec3){ 1, 0, 0 }, bend), quat_turn((vec3){ 0, 1, 0 }, j == 0 ? 0.0f : twist));
			turns[i * 4] = q.x;
			turns[i * 4 + 1] = q.y;
			turns[i * 4 + 2] = q.z;
			turns[i * 4 + 3] = q.w;
		}
		// Sines of a full turn are not exactly those of zero: close the loop by hand.
		for (int k = 0; k < 4; k++)
		{
			turns[(SWAY_KEYS - 1) * 4 + k] = turns[k];
		}
		gltf_channel(s->g, joints[j], PATH_ROTATION, "LINEAR", times, SWAY_KEYS, turns, 4);
	}
	gltf_animation_end(s->g);
}

void add_banner(scene *s)
{
	vec3 place = { 3.55f, 2.50f, -4.12f };
	int banner = gltf_place(s->g, "Banner", s->root, -1, place);
	mesh beam = mesh_new(HAS_UV);
	frame f = { { 0.0f, 0.05f, 0.0f }, { 0, 0, -1 }, { 1, 0, 0 }, { 0, -1, 0 } };
	add_box(&beam, &f, (vec3){ 0.045f, 0.68f, 0.045f }, 0.012f);
	for (int side = -1; side <= 1; side += 2)
	{
		frame arm = { { (float)side * 0.58f, 0.06f, -0.22f }, { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } };
		add_box(&beam, &arm, (vec3){ 0.04f, 0.27f, 0.05f }, 0.01f);
	}
	show(s, "BannerBeam", banner, beam, s->wood, (vec3){ 0 });

	int joints[CHAIN];
	vec3 rest[CHAIN];
	int parent = banner;
	static const char *const names[CHAIN] = {
		"BannerJoint0",
		"BannerJoint1",
		"BannerJoint2",
		"BannerJoint3",
		"BannerJoint4",
		"BannerJoint5",
		"BannerJoint6",
	};
	for (int j = 0; j < CHAIN; j++)
	{
		rest[j] = (vec3){ 0.0f, -CHAIN_STEP * (float)j, 0.0f };
		parent =
			gltf_place(s->g, names[j], parent, -1, (vec3){ 0.0f, j == 0 ? 0.0f : -CHAIN_STEP, j == 0 ? 0.05f : 0.0f });
		joints[j] = parent;
	}
	mesh cloth = cloth_mesh();
	// A skinned mesh takes its place from its joints alone, so its node stays at the top of the scene.
	node n = node_named("BannerCloth", -1);
	n.mesh = gltf_mesh(s->g, "BannerCloth", &cloth, &s->banner, 1);
	n.skin = gltf_skin(s->g, "BannerChain", joints[0], joints, rest, CHAIN);
	gltf_node(s->g, &n);
	add_sway(s, joints);
}

/// The blob's surface in direction `d` for one of its shapes: 0 at rest, 1 tall, 2 wavy, 3 a twisted bean.
static vec3 blob_point(vec3 d, int shape)
{
	float swell = 1.0f + 0.06f * sinf(3.0f * d.x + 1.0f) * cosf(2.0f * d.z) - 0.05f * d.y;
	vec3 p = scale3(d, swell);
	if (shape == 1)
	{
		float waist = 0.80f - 0.16f * cosf(d.y * 4.0f);
		return (vec3){ p.x * waist, p.y * 1.42f + 0.30f, p.z * waist };
	}
	if (shape == 2)
	{
		float bumps = sinf(5.0f * d.x + 0.4f) * sinf(5.0f * d.y) * sinf(5.0f * d.z + 0.9f);
		float waves = 0.10f * sinf(6.0f * d.y + 2.0f * d.x);
		return scale3(p, 1.0f + 0.34f * bumps + waves);
	}
	if (shape == 3)
	{
		float turn = 1.5f * d.y;
		float c = cosf(turn);
		float s = sinf(turn);
		vec3 wide = { p.x * 1.30f + 0.22f * d.y * d.y, p.y * 0.86f, p.z * 0.72f };
		return (vec3){ wide.x * c + wide.z * s, wide.y, wide.z * c - wide.x * s };
	}
	return p;
}

static mesh blob_mesh(int shape)
{
	mesh m = mesh_new(0);
	add_cube_sphere(&m, BLOB_CELLS);
	for (size_t i = 0; i < m.vertex_count; i++)
	{
		vertex *v = &m.vertices[i];
		vec3 d = v->position;
		frame around = frame_along(d, d);
		const float e = 0.004f;
		vec3 x =
			sub3(blob_point(unit3(toward3(d, around.x, e)), shape), blob_point(unit3(toward3(d, around.x, -e)), shape));
		vec3 z =
			sub3(blob_point(unit3(toward3(d, around.z, e)), shape), blob_point(unit3(toward3(d, around.z, -e)), shape));
		v->normal = unit3(cross3(z, x));
		v->position = blob_point(d, shape);
	}
	return m;
}

void add_blob(scene *s)
{
	int plinth = gltf_place(s->g, "BlobPlinth", s->root, -1, (vec3){ 3.1f, 0.0f, 1.5f });
	mesh stone = mesh_new(HAS_UV);
	frame f = frame_at(0.0f, 0.0f, 0.0f);
	static const profile_point profile[] = {
		{ 0.38f, 0.0f },
		{ 0.38f, 0.09f },
		{ 0.35f, 0.11f },
		{ 0.33f, 0.16f },
		{ 0.285f, 0.19f },
		{ 0.27f, 0.24f },
		{ 0.27f, 0.66f },
		{ 0.285f, 0.70f },
		{ 0.33f, 0.73f },
		{ 0.36f, 0.76f },
		{ 0.36f, 0.82f },
		{ 0.34f, 0.84f },
		{ 0.0f, 0.845f },
	};
	add_lathe(&stone, &f, profile, 13, 40);
	show(s, "BlobPlinthStone", plinth, stone, s->limestone, (vec3){ 0 });

	mesh base = blob_mesh(0);
	mesh targets[BLOB_TARGETS];
	for (int i = 0; i < BLOB_TARGETS; i++)
	{
		targets[i] = blob_mesh(i + 1);
	}
	static const char *const names[BLOB_TARGETS] = { "Tall", "Wavy", "Bean" };
	node n = node_named("Blob", plinth);
	n.mesh = gltf_morph_mesh(s->g, "Blob", &base, s->lacquer, targets, names, BLOB_TARGETS);
	n.translation = (vec3){ 0.0f, 1.165f, 0.0f };
	n.scale = (vec3){ 0.31f, 0.31f, 0.31f };
	int blob = gltf_node(s->g, &n);

	static const float times[BLOB_KEYS] = { 0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f };
	static const float weights[BLOB_KEYS][BLOB_TARGETS] = {
		{ 0.25f, 0.70f, 0.0f },
		{ 0.60f, 0.85f, 0.0f },
		{ 0.90f, 0.30f, 0.0f },
		{ 0.40f, 0.50f, 0.3f },
		{ 0.0f, 0.60f, 0.8f },
		{ 0.0f, 0.20f, 1.0f },
		{ 0.10f, 0.80f, 0.5f },
		{ 0.10f, 1.0f, 0.1f },
		{ 0.25f, 0.70f, 0.0f },
	};
	gltf_animation_begin(s->g, "BlobBreathing");
	gltf_channel(s->g, blob, PATH_WEIGHTS, "LINEAR", times, BLOB_KEYS, weights[0], BLOB_TARGETS);
	gltf_animation_end(s->g);
}
