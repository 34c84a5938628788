// lantern.glb: a hand lantern as one binary file with its images inside. It shares shapes with the courtyard, nothing
// else.

#include "scene.h"
#include "textures.h"

static int metal_material(gltf *g)
{
	material m = {
		.name = "LanternBrass", .base = { 0.90f, 0.66f, 0.30f, 1.0f }, .metallic = 1.0f, .roughness = 0.35f
	};
	m.normal_map =
		(texture_use){ .texture = gltf_texture(g, "BrassNormal", hammered_normals(), IMAGE_PNG, false), .scale = 4.0f };
	m.normal_scale = 0.5f;
	return gltf_material(g, &m);
}

static int candle_material(gltf *g)
{
	material m = { .name = "CandleWax", .base = { 0.95f, 0.90f, 0.78f, 1.0f }, .roughness = 0.5f };
	m.emissive = (vec3){ 1.0f, 1.0f, 1.0f };
	m.emissive_map.texture = gltf_texture(g, "CandleGlow", paint_glow(), IMAGE_JPEG, true);
	m.extensions = "\"KHR_materials_emissive_strength\": { \"emissiveStrength\": 1.5 }";
	return gltf_material(g, &m);
}

static int glass_material(gltf *g)
{
	material m = { .name = "LanternGlass", .base = { 1.0f, 1.0f, 1.0f, 1.0f }, .roughness = 0.05f };
	m.extensions =
		"\"KHR_materials_transmission\": { \"transmissionFactor\": 1 }, \"KHR_materials_ior\": { \"ior\": 1.5 }, "
		"\"KHR_materials_volume\": { \"thicknessFactor\": 0.004 }";
	return gltf_material(g, &m);
}

static mesh lantern_metal(void)
{
	mesh m = mesh_new(HAS_UV | HAS_TANGENT);
	frame f = frame_at(0.0f, 0.0f, 0.0f);
	static const profile_point base[] = {
		{ 0.0f, 0.0f },
		{ 0.085f, 0.0f },
		{ 0.09f, 0.008f },
		{ 0.088f, 0.025f },
		{ 0.070f, 0.035f },
		{ 0.066f, 0.045f },
		{ 0.072f, 0.055f },
		{ 0.0f, 0.056f },
	};
	add_lathe(&m, &f, base, 8, 32);
	static const profile_point cap[] = {
		{ 0.0f, 0.205f },
		{ 0.080f, 0.205f },
		{ 0.085f, 0.212f },
		{ 0.060f, 0.235f },
		{ 0.035f, 0.245f },
		{ 0.030f, 0.262f },
		{ 0.038f, 0.268f },
		{ 0.020f, 0.280f },
		{ 0.0f, 0.284f },
	};
	add_lathe(&m, &f, cap, 9, 32);
	for (int i = 0; i < 6; i++)
	{
		float turn = 2.0f * PI * (float)i / 6.0f;
		frame bar = frame_turned((vec3){ 0.072f * cosf(turn), 0.13f, -0.072f * sinf(turn) }, turn);
		static const profile_point rod[] = { { 0.004f, -0.078f }, { 0.003f, 0.0f }, { 0.004f, 0.078f } };
		add_lathe(&m, &bar, rod, 3, 8);
	}
	return m;
}

void write_lantern(const char *folder)
{
	gltf *g = gltf_new(folder, "lantern", true);
	int metal = metal_material(g);
	int candle = candle_material(g);
	int glass = glass_material(g);
	int root = gltf_place(g, "Lantern", -1, -1, (vec3){ 0 });
	int hook = gltf_place(g, "Hook", root, -1, (vec3){ 0.0f, 0.36f, 0.0f });
	frame f = frame_at(0.0f, 0.0f, 0.0f);

	mesh parts[2] = { lantern_metal(), mesh_new(0) };
	static const profile_point pane[] = { { 0.064f, 0.056f }, { 0.066f, 0.13f }, { 0.064f, 0.205f } };
	add_lathe(&parts[1], &f, pane, 3, 32);
	const int surfaces[2] = { metal, glass };
	int body =
		gltf_place(g, "Body", hook, gltf_mesh(g, "LanternBody", parts, surfaces, 2), (vec3){ 0.0f, -0.36f, 0.0f });

	mesh wax = mesh_new(HAS_UV);
	static const profile_point wax_profile[] = { { 0.028f, 0.0f }, { 0.028f, 0.075f }, { 0.024f, 0.080f },
		{ 0.0f, 0.076f } };
	add_lathe(&wax, &f, wax_profile, 4, 24);
	for (size_t i = 0; i < wax.vertex_count; i++)
	{
		// The glow's bright middle belongs at the wick.
		wax.vertices[i].uv = (vec2){ 0.5f, mix(1.0f, 0.55f, clamp(wax.vertices[i].position.y / 0.08f, 0.0f, 1.0f)) };
	}
	gltf_place(g, "Candle", body, gltf_mesh(g, "Candle", &wax, &candle, 1), (vec3){ 0.0f, 0.056f, 0.0f });

	mesh handle = mesh_new(HAS_UV | HAS_TANGENT);
	frame upright = { { 0.0f, -0.045f, 0.0f }, { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } };
	add_ring(&handle, &upright, 0.042f, 0.004f, 0.004f, 32, 8);
	handle.attributes = HAS_UV;
	gltf_place(g, "Handle", hook, gltf_mesh(g, "Handle", &handle, &metal, 1), (vec3){ 0 });

	node light = node_named("Flame", body);
	light.translation = (vec3){ 0.0f, 0.15f, 0.0f };
	light.light = gltf_light(g, "Flame", "point", (vec3){ 1.0f, 0.62f, 0.28f }, 1.5f, 3.0f);
	gltf_node(g, &light);

	const float times[5] = { 0.0f, 0.75f, 1.5f, 2.25f, 3.0f };
	float turns[5 * 4];
	static const float angles[5] = { 0.0f, 0.18f, 0.0f, -0.18f, 0.0f };
	for (int i = 0; i < 5; i++)
	{
		vec4 q = quat_turn((vec3){ 0, 0, 1 }, angles[i]);
		const float value[4] = { q.x, q.y, q.z, q.w };
		for (int k = 0; k < 4; k++)
		{
			turns[i * 4 + k] = value[k];
		}
	}
	gltf_animation_begin(g, "Swing");
	gltf_channel(g, hook, PATH_ROTATION, "LINEAR", times, 5, turns, 4);
	gltf_animation_end(g);
	gltf_write(g);
}
