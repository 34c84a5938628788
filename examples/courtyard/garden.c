// What grows: the orange tree with fruit and pebbles round it, ivy, pots of blossoms and grass, cypresses beyond.
// Foliage is cards from one picture; shading normals point away from the plant's middle, so a crown shades as one.

#include "scene.h"

static const vec4 twig_quarter = { 0.0f, 0.0f, 0.5f, 0.5f };
static const vec4 ivy_quarter = { 0.5f, 0.0f, 1.0f, 0.5f };
static const vec4 blossom_quarter = { 0.0f, 0.5f, 0.5f, 1.0f };
static const vec4 grass_quarter = { 0.5f, 0.5f, 1.0f, 1.0f };

enum
{
	LIMBS = 6,
	TWIGS = 5, ///< on a limb
	ORANGES = 64,
	PEBBLES = 360,
};

/// A card turned about its own up axis at random, its front on the side `normal` points to.
static void add_leaf_card(mesh *m, dice *d, vec3 at, vec3 up, vec3 normal, float half, vec4 quarter)
{
	vec3 y = unit3(up);
	vec3 guess = dice_direction(d);
	vec3 facing = unit3(add3(normal, scale3(guess, 0.9f)));
	vec3 x = unit3(cross3(y, facing));
	if (dot3(cross3(x, y), normal) < 0.0f)
	{
		x = scale3(x, -1.0f);
	}
	add_card(m, at, scale3(x, half), scale3(y, half), quarter, unit3(normal));
}

/// A limb that starts along `way` and bends upwards; returns its end.
static vec3 add_limb(mesh *m, dice *d, vec3 start, vec3 way, float length, float radius)
{
	enum
	{
		STEPS = 6,
	};
	tube_point path[STEPS];
	vec3 p = start;
	for (int i = 0; i < STEPS; i++)
	{
		float t = (float)i / (STEPS - 1);
		path[i] = (tube_point){ p, radius * (1.0f - 0.72f * t) };
		way = unit3(add3(way, scale3(dice_direction(d), 0.16f)));
		way = unit3(add3(way, (vec3){ 0.0f, 0.10f, 0.0f }));
		p = toward3(p, way, length / (STEPS - 1));
	}
	add_tube(m, path, STEPS, radius > 0.04f ? 9 : 6);
	return path[STEPS - 1].position;
}

/// A ball of leaves round a twig's end.
static void add_leaves(mesh *m, dice *d, vec3 middle, vec3 crown, float reach, int count)
{
	for (int i = 0; i < count; i++)
	{
		vec3 out = dice_direction(d);
		float r = cbrtf(dice_between(d, 0.08f, 1.0f));
		vec3 at = toward3(middle, out, r * reach);
		vec3 from_crown = sub3(at, crown);
		vec3 normal = unit3(add3(scale3(unit3(from_crown), 1.0f), scale3(out, 0.7f)));
		float depth = smooth(0.35f, 1.35f, length3(from_crown));
		float light = mix(0.55f, 1.0f, depth) * dice_between(d, 0.88f, 1.1f);
		m->tint = (vec3){ light * mix(0.85f, 1.0f, depth), light, light * 0.8f };
		vec3 up = add3(scale3(out, 0.8f), (vec3){ 0.0f, dice_between(d, -0.6f, 0.5f), 0.0f });
		add_leaf_card(m, d, at, up, normal, dice_between(d, 0.14f, 0.21f), twig_quarter);
	}
}

static void add_oranges(scene *s, int tree, const vec3 *ends, int count)
{
	mesh fruit = mesh_new(0);
	add_cube_sphere(&fruit, 5);
	s->orange_mesh = gltf_mesh(s->g, "Orange", &fruit, &s->orange, 1);
	dice d = dice_new(402);
	for (int i = 0; i < ORANGES; i++)
	{
		vec3 end = ends[dice_bits(&d) % (uint32_t)count];
		vec3 out = dice_direction(&d);
		out.y = -fabsf(out.y);
		node n = node_named("Orange", tree);
		n.mesh = s->orange_mesh;
		n.translation = toward3(end, out, dice_between(&d, 0.28f, 0.42f));
		vec3 axis = dice_direction(&d);
		n.rotation = quat_turn(axis, dice_between(&d, 0.0f, 3.0f));
		float size = dice_between(&d, 0.042f, 0.055f);
		n.scale = (vec3){ size, size * 0.94f, size };
		gltf_node(s->g, &n);
	}
}

static void add_tree(scene *s, vec3 place)
{
	int tree = gltf_place(s->g, "OrangeTree", s->root, -1, place);
	dice d = dice_new(401);
	mesh bark = mesh_new(HAS_UV);
	mesh leaves = mesh_new(HAS_UV | HAS_COLOR);
	static const tube_point trunk[] = {
		{ { 0.0f, 0.0f, 0.0f }, 0.17f },
		{ { 0.01f, 0.12f, 0.0f }, 0.125f },
		{ { 0.05f, 0.45f, 0.02f }, 0.10f },
		{ { 0.02f, 0.85f, 0.06f }, 0.09f },
		{ { -0.04f, 1.2f, 0.04f }, 0.09f },
		{ { -0.02f, 1.5f, 0.0f }, 0.085f },
		{ { 0.0f, 1.62f, 0.0f }, 0.05f },
	};
	add_tube(&bark, trunk, 7, 12);
	vec3 fork = { -0.02f, 1.42f, 0.0f };
	vec3 crown = { 0.0f, 2.35f, 0.0f };
	vec3 ends[LIMBS * TWIGS];
	int count = 0;
	for (int i = 0; i < LIMBS; i++)
	{
		float turn = 2.0f * PI * (float)i / LIMBS + dice_between(&d, -0.3f, 0.3f);
		vec3 way = unit3((vec3){ cosf(turn), dice_between(&d, 0.75f, 1.35f), sinf(turn) });
		vec3 end = add_limb(&bark, &d, fork, way, dice_between(&d, 0.85f, 1.1f), 0.06f);
		for (int k = 0; k < TWIGS; k++)
		{
			vec3 out = unit3(add3(unit3(sub3(end, crown)), scale3(dice_direction(&d), 0.95f)));
			vec3 from = mix3(fork, end, 0.62f + 0.38f * (float)k / (TWIGS - 1));
			ends[count] = add_limb(&bark, &d, from, out, dice_between(&d, 0.30f, 0.55f), 0.024f);
			add_leaves(&leaves, &d, ends[count], crown, 0.43f, 40);
			count++;
		}
	}
	show(s, "OrangeTreeWood", tree, bark, s->bark, (vec3){ 0 });
	show(s, "OrangeTreeLeaves", tree, leaves, s->foliage, (vec3){ 0 });
	add_oranges(s, tree, ends, count);
}

static int pebble_mesh(scene *s)
{
	mesh m = mesh_new(HAS_UV);
	add_cube_sphere(&m, 5);
	for (size_t i = 0; i < m.vertex_count; i++)
	{
		vec3 *p = &m.vertices[i].position;
		float bump = 0.86f + 0.28f * noise3(scale3(*p, 1.1f), 21);
		*p = (vec3){ p->x * bump, p->y * bump * 0.62f, p->z * bump * 0.86f };
	}
	smooth_normals(&m);
	return gltf_mesh(s->g, "Pebble", &m, &s->pebble, 1);
}

/// Throw a pebble that does not lie on one of the earlier ones, if there is room for it.
static vec4 throw_pebble(dice *d, const vec4 *lying, int count, bool inside)
{
	vec4 pebble = { 0 };
	for (int attempt = 0; attempt < 40; attempt++)
	{
		float turn = inside ? dice_between(d, 0.0f, 2.0f * PI) : dice_between(d, -0.6f, 2.2f);
		float spill = dice_unit(d);
		float r = inside ? 0.90f * sqrtf(dice_between(d, 0.06f, 1.0f)) : 1.20f + 1.1f * spill * spill;
		float size = dice_between(d, 0.028f, attempt < 20 ? 0.075f : 0.045f) * (inside ? 1.0f : 0.8f);
		pebble = (vec4){ r * cosf(turn), (inside ? 0.135f : 0.0f) + size * 0.3f, r * sinf(turn), size };
		bool clear = true;
		for (int i = 0; i < count && clear; i++)
		{
			clear = hypotf(pebble.x - lying[i].x, pebble.z - lying[i].z) > 0.92f * (size + lying[i].w);
		}
		if (clear)
		{
			break;
		}
	}
	return pebble;
}

static void add_pebbles(scene *s, int bed)
{
	int pebbles = gltf_place(s->g, "Pebbles", bed, -1, (vec3){ 0 });
	int shown = pebble_mesh(s);
	dice d = dice_new(403);
	vec4 lying[PEBBLES];
	for (int i = 0; i < PEBBLES; i++)
	{
		lying[i] = throw_pebble(&d, lying, i, i < PEBBLES * 2 / 3);
		float size = lying[i].w;
		node n = node_named("Pebble", pebbles);
		n.mesh = shown;
		n.translation = (vec3){ lying[i].x, lying[i].y, lying[i].z };
		vec4 yaw = quat_turn((vec3){ 0.0f, 1.0f, 0.0f }, dice_between(&d, 0.0f, 2.0f * PI));
		n.rotation = quat_product(yaw, quat_turn((vec3){ 1.0f, 0.0f, 0.0f }, dice_between(&d, -0.35f, 0.35f)));
		n.scale = (vec3){ size, size, size };
		n.scale.y *= dice_between(&d, 0.7f, 1.1f);
		n.scale.z *= dice_between(&d, 0.75f, 1.25f);
		gltf_node(s->g, &n);
	}
}

/// The round bed under the tree: kerb, soil, and hundreds of pebbles that share one mesh; some have rolled over the
/// kerb.
static void add_bed(scene *s, vec3 place)
{
	int bed = gltf_place(s->g, "TreeBed", s->root, -1, place);
	mesh kerb = mesh_new(HAS_UV);
	frame f = frame_at(0.0f, 0.0f, 0.0f);
	static const profile_point kerb_profile[] = {
		{ 1.14f, 0.0f },
		{ 1.14f, 0.19f },
		{ 1.12f, 0.215f },
		{ 0.98f, 0.215f },
		{ 0.96f, 0.195f },
		{ 0.96f, 0.0f },
	};
	add_lathe(&kerb, &f, kerb_profile, 6, 48);
	show(s, "TreeBedKerb", bed, kerb, s->limestone, (vec3){ 0 });
	mesh soil = mesh_new(HAS_UV);
	f.origin.y = 0.13f;
	add_disc(&soil, &f, 0.97f, 32, 2);
	show(s, "TreeBedSoil", bed, soil, s->soil, (vec3){ 0 });

	add_pebbles(s, bed);
}

/// One ivy vine that climbs a wall; `along` and `out` are the wall's directions.
static void add_vine(mesh *m, dice *d, vec3 foot, vec3 along, vec3 out, float height)
{
	float lean = dice_between(d, -0.35f, 0.35f);
	float side = 0.0f;
	for (float y = 0.05f; y < height; y += 0.075f)
	{
		lean += dice_between(d, -0.25f, 0.25f);
		lean *= 0.93f;
		side += lean * 0.05f;
		float spread = 0.20f * (1.0f - 0.6f * y / height);
		vec3 at = toward3(foot, along, side + dice_between(d, -spread, spread));
		at = toward3(at, out, dice_between(d, 0.03f, 0.12f));
		at.y = y + dice_between(d, -0.06f, 0.06f);
		vec3 jitter = dice_direction(d);
		vec3 normal = unit3(add3(add3(out, scale3(jitter, 0.55f)), (vec3){ 0.0f, 0.25f, 0.0f }));
		float light = dice_between(d, 0.72f, 1.1f);
		m->tint = (vec3){ light * dice_between(d, 0.85f, 1.15f), light, light * 0.8f };
		vec3 up = add3((vec3){ 0.0f, 1.0f, 0.0f }, scale3(jitter, 0.5f));
		add_leaf_card(m, d, at, up, normal, dice_between(d, 0.10f, 0.16f), ivy_quarter);
	}
}

static void add_ivy(scene *s)
{
	static const struct
	{
		vec3 from, to, out;
		float height;
		int vines;
	} patches[] = {
		{ { WALL_X, 0, -4.5f }, { WALL_X, 0, -2.9f }, { -1, 0, 0 }, 2.9f, 13 },
		{ { -5.3f, 0, WALL_Z }, { -4.0f, 0, WALL_Z }, { 0, 0, 1 }, 3.0f, 11 },
		{ { -WALL_X, 0, -4.3f }, { -WALL_X, 0, -1.6f }, { 1, 0, 0 }, 2.9f, 13 },
		{ { -WALL_X, 0, 1.1f }, { -WALL_X, 0, 2.6f }, { 1, 0, 0 }, 2.5f, 8 },
		{ { 1.9f, 0, WALL_Z }, { 2.1f, 0, WALL_Z }, { 0, 0, 1 }, 2.6f, 3 },
	};
	mesh m = mesh_new(HAS_UV | HAS_COLOR);
	dice d = dice_new(404);
	for (size_t i = 0; i < sizeof(patches) / sizeof(patches[0]); i++)
	{
		vec3 way = sub3(patches[i].to, patches[i].from);
		for (int k = 0; k < patches[i].vines; k++)
		{
			vec3 foot = toward3(patches[i].from, way, dice_unit(&d));
			float height = patches[i].height * sqrtf(dice_between(&d, 0.12f, 1.0f));
			add_vine(&m, &d, foot, unit3(way), patches[i].out, height);
		}
	}
	show(s, "Ivy", s->root, m, s->foliage, (vec3){ 0 });
}

static int bush_mesh(scene *s, const char *name, vec4 quarter, int cards, uint64_t seed)
{
	mesh m = mesh_new(HAS_UV | HAS_COLOR);
	dice d = dice_new(seed);
	for (int i = 0; i < cards; i++)
	{
		vec3 out = dice_direction(&d);
		out.y = fabsf(out.y) * 1.1f - 0.15f;
		float r = dice_between(&d, 0.35f, 1.0f);
		float light = mix(0.60f, 1.0f, r) * dice_between(&d, 0.92f, 1.05f);
		m.tint = (vec3){ light, light, light };
		vec3 up = add3(out, (vec3){ 0.0f, 0.5f, 0.0f });
		add_leaf_card(&m, &d, scale3(out, 0.24f * r), up, out, dice_between(&d, 0.09f, 0.14f), quarter);
	}
	return gltf_mesh(s->g, name, &m, &s->foliage, 1);
}

static int tuft_mesh(scene *s)
{
	mesh m = mesh_new(HAS_UV | HAS_COLOR);
	dice d = dice_new(406);
	for (int i = 0; i < 9; i++)
	{
		float turn = PI * (float)i / 9.0f + dice_between(&d, 0.0f, 0.3f);
		vec3 x = { cosf(turn), 0.0f, sinf(turn) };
		float light = dice_between(&d, 0.8f, 1.0f);
		m.tint = (vec3){ light, light, light * 0.9f };
		float half = dice_between(&d, 0.20f, 0.28f);
		float off = dice_between(&d, -0.06f, 0.06f);
		vec3 at = { off, half * 0.97f, dice_between(&d, -0.06f, 0.06f) };
		add_card(&m, at, scale3(x, half), (vec3){ 0.0f, half, 0.0f }, grass_quarter, (vec3){ 0.0f, 1.0f, 0.0f });
	}
	return gltf_mesh(s->g, "GrassTuft", &m, &s->foliage, 1);
}

static int pot_mesh(scene *s, const char *name, int surface, unsigned attributes)
{
	mesh parts[2] = { mesh_new(attributes), mesh_new(HAS_UV) };
	frame f = frame_at(0.0f, 0.0f, 0.0f);
	static const profile_point profile[] = {
		{ 0.0f, 0.0f },
		{ 0.155f, 0.0f },
		{ 0.165f, 0.015f },
		{ 0.19f, 0.12f },
		{ 0.225f, 0.25f },
		{ 0.24f, 0.33f },
		{ 0.265f, 0.34f },
		{ 0.275f, 0.355f },
		{ 0.275f, 0.39f },
		{ 0.265f, 0.405f },
		{ 0.235f, 0.40f },
		{ 0.225f, 0.33f },
	};
	add_lathe(&parts[0], &f, profile, 12, 32);
	f.origin.y = 0.35f;
	add_disc(&parts[1], &f, 0.235f, 20, 1);
	const int surfaces[2] = { surface, s->soil };
	return gltf_mesh(s->g, name, parts, surfaces, 2);
}

static void add_plants(scene *s)
{
	int clay = pot_mesh(s, "ClayPot", s->terracotta, HAS_UV);
	int copper = pot_mesh(s, "CopperPot", s->copper, HAS_UV | HAS_TANGENT);
	s->blossoms = bush_mesh(s, "Blossoms", blossom_quarter, 90, 405);
	s->shrub = bush_mesh(s, "Shrub", twig_quarter, 80, 407);
	int tuft = tuft_mesh(s);
	const struct
	{
		const char *name;
		int pot, plant;
		float x, z, size, turn;
	} places[] = {
		{ "PotByGateLeft", copper, tuft, -1.42f, -3.95f, 1.0f, 0.3f },
		{ "PotByGateRight", copper, tuft, 1.42f, -3.95f, 1.0f, 1.9f },
		{ "PotOfShrubLeft", clay, s->shrub, -4.55f, 2.05f, 0.85f, 0.0f },
		{ "PotOfBlossomsRight", clay, s->blossoms, 4.70f, 0.65f, 1.2f, 2.0f },
		{ "PotOfShrubRight", clay, s->shrub, 4.15f, 0.25f, 0.9f, 4.0f },
		{ "PotByBench", clay, s->blossoms, -4.80f, 1.35f, 1.05f, 1.0f },
		{ "PotByWall", clay, s->blossoms, 4.85f, -3.6f, 1.1f, 5.0f },
	};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
	{
		node n = node_named(places[i].name, s->root);
		n.mesh = places[i].pot;
		n.translation = (vec3){ places[i].x, 0.0f, places[i].z };
		n.rotation = quat_turn((vec3){ 0.0f, 1.0f, 0.0f }, places[i].turn);
		n.scale = (vec3){ places[i].size, places[i].size, places[i].size };
		int pot = gltf_node(s->g, &n);
		gltf_place(s->g, "Plant", pot, places[i].plant, (vec3){ 0.0f, places[i].plant == tuft ? 0.33f : 0.42f, 0.0f });
	}
	dice d = dice_new(408);
	int weeds = gltf_place(s->g, "Weeds", s->root, -1, (vec3){ 0 });
	for (int i = 0; i < 46; i++)
	{
		bool left = i % 2 == 0;
		node n = node_named("GrassTuft", weeds);
		n.mesh = tuft;
		n.translation = (vec3){ left ? 0.08f - WALL_X : WALL_X - 0.08f, 0.0f, dice_between(&d, WALL_Z, GATE_Z) };
		if (i % 5 == 0)
		{
			n.translation = (vec3){ dice_between(&d, 1.0f, WALL_X) * (left ? -1.0f : 1.0f), 0.0f, WALL_Z + 0.08f };
		}
		float size = dice_between(&d, 0.25f, 0.7f);
		n.rotation = quat_turn((vec3){ 0.0f, 1.0f, 0.0f }, dice_between(&d, 0.0f, 6.0f));
		n.scale = (vec3){ size, size * dice_between(&d, 0.7f, 1.2f), size };
		gltf_node(s->g, &n);
	}
}

static void add_cypresses(scene *s)
{
	mesh m = mesh_new(HAS_UV | HAS_COLOR);
	dice d = dice_new(409);
	for (int i = 0; i < 300; i++)
	{
		float y = dice_unit(&d);
		float turn = dice_between(&d, 0.0f, 2.0f * PI);
		float r = 0.60f * powf(sinf(PI * powf(clamp(y, 0.02f, 0.98f), 0.55f)), 0.8f) * dice_between(&d, 0.6f, 1.0f);
		vec3 out = { cosf(turn), 0.25f, sinf(turn) };
		float light = dice_between(&d, 0.30f, 0.52f) * mix(0.75f, 1.0f, y);
		m.tint = (vec3){ light * 0.75f, light, light * 0.75f };
		vec3 at = { r * out.x, 0.25f + 5.6f * y, r * out.z };
		add_leaf_card(&m, &d, at, (vec3){ out.x * 0.3f, 1.0f, out.z * 0.3f }, out, 0.36f, twig_quarter);
	}
	int shown = gltf_mesh(s->g, "Cypress", &m, &s->foliage, 1);
	static const float places[][3] = {
		{ -7.3f, -4.9f, 0.95f },
		{ -6.6f, -8.0f, 1.05f },
		{ 6.6f, -6.6f, 1.0f },
		{ 7.9f, -4.2f, 0.9f },
		{ 4.6f, -10.5f, 1.1f },
		{ -10.5f, -14.0f, 1.2f },
		{ 12.0f, -17.0f, 1.2f },
		{ -3.1f, -15.0f, 0.62f },
		{ 1.7f, -15.0f, 0.60f },
		{ -2.2f, -20.0f, 0.60f },
		{ 2.6f, -21.0f, 0.66f },
		{ -3.9f, -27.0f, 0.70f },
		{ 1.9f, -28.0f, 0.66f },
	};
	int row = gltf_place(s->g, "Cypresses", s->root, -1, (vec3){ 0 });
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
	{
		node n = node_named("Cypress", row);
		n.mesh = shown;
		n.translation = (vec3){ places[i][0], -0.1f, places[i][1] };
		n.rotation = quat_turn((vec3){ 0.0f, 1.0f, 0.0f }, 1.7f * (float)i);
		n.scale = (vec3){ places[i][2], places[i][2], places[i][2] };
		gltf_node(s->g, &n);
	}
}

/// Windfall between tree and fountain: leaves flat on the paving, and a few oranges.
static void add_windfall(scene *s)
{
	mesh m = mesh_new(HAS_UV | HAS_COLOR);
	dice d = dice_new(410);
	for (int i = 0; i < 90; i++)
	{
		float spill = dice_unit(&d);
		float turn = dice_between(&d, -0.9f, 2.1f);
		float r = 1.25f + 3.4f * spill * spill;
		vec3 at = { TREE_X + r * cosf(turn), 0.012f, TREE_Z + r * sinf(turn) };
		if (hypotf(at.x, at.z) < 2.05f)
		{
			continue;
		}
		float way = dice_between(&d, 0.0f, 2.0f * PI);
		float half = dice_between(&d, 0.035f, 0.065f);
		vec3 up = { half * cosf(way), dice_between(&d, -0.01f, 0.01f), half * sinf(way) };
		vec3 right = scale3(cross3(up, (vec3){ 0.0f, 1.0f, 0.0f }), 0.55f);
		float dry = dice_unit(&d);
		m.tint = mix3((vec3){ 0.9f, 0.95f, 0.7f }, (vec3){ 1.0f, 0.62f, 0.35f }, dry);
		// One leaf of the twig, from the picture's middle.
		add_card(&m, at, right, up, (vec4){ 0.26f, 0.10f, 0.39f, 0.22f }, (vec3){ 0.0f, 1.0f, 0.0f });
	}
	int windfall = show(s, "Windfall", s->root, m, s->foliage, (vec3){ 0 });
	static const float oranges[][2] = { { -2.35f, -0.55f }, { -1.95f, 0.75f }, { -2.75f, 0.35f }, { -4.3f, -0.45f },
		{ -2.1f, -1.35f } };
	for (int i = 0; i < 5; i++)
	{
		node n = node_named("FallenOrange", windfall);
		n.mesh = s->orange_mesh;
		n.translation = (vec3){ oranges[i][0], 0.046f, oranges[i][1] };
		n.rotation = quat_turn(dice_direction(&d), 1.0f + (float)i);
		n.scale = (vec3){ 0.05f, 0.047f, 0.05f };
		gltf_node(s->g, &n);
	}
}

void add_garden(scene *s)
{
	vec3 bed = { TREE_X, 0.0f, TREE_Z };
	add_bed(s, bed);
	add_tree(s, (vec3){ bed.x, 0.12f, bed.z });
	add_windfall(s);
	add_ivy(s);
	add_plants(s);
	add_cypresses(s);
}
