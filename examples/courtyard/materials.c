// The courtyard's materials. Textures repeat by metres of surface: each scale below is 1 / metres covered.

#include "scene.h"
#include "textures.h"

#include <stdio.h>

/// A dielectric or metal without maps.
static material plain(const char *name, vec3 base, float metallic, float roughness)
{
	return (material){
		.name = name, .base = { base.x, base.y, base.z, 1.0f }, .metallic = metallic, .roughness = roughness
	};
}

static material mapped(const char *name, vec3 tint, float roughness, int base, int normal, float scale)
{
	material m = plain(name, tint, 0.0f, roughness);
	m.base_map = (texture_use){ .texture = base, .scale = scale };
	m.normal_map = (texture_use){ .texture = normal, .scale = scale };
	return m;
}

static int add_surface(scene *s, const char *name, surface_maps maps, material m, float scale)
{
	char label[64];
	m.name = name;
	snprintf(label, sizeof(label), "%sAlbedo", name);
	m.base_map = (texture_use){ .texture = gltf_texture(s->g, label, maps.albedo, IMAGE_JPEG, false), .scale = scale };
	snprintf(label, sizeof(label), "%sNormal", name);
	m.normal_map = (texture_use){ .texture = gltf_texture(s->g, label, maps.normal, IMAGE_PNG, false), .scale = scale };
	snprintf(label, sizeof(label), "%sOrm", name);
	m.orm_map = (texture_use){ .texture = gltf_texture(s->g, label, maps.orm, IMAGE_PNG, false), .scale = scale };
	if (m.occlusion_map.texture == 0)
	{
		m.occlusion_map = m.orm_map;
	}
	return gltf_material(s->g, &m);
}

/// How much a round or square thing on the ground darkens a place `d` metres from its side.
static float contact(float d, float reach)
{
	return 1.0f - 0.62f * expf(-fmaxf(d, 0.0f) / reach);
}

/// Ambient light over the ground, from what stands on it: worked out by hand, covers the courtyard once (second UV
/// set).
static picture paint_ground_occlusion(void)
{
	const int size = 256;
	// Middle and radius of round things; the reach of their shade grows with their height.
	static const float round_things[][4] = {
		{ 0.0f, 0.0f, 1.95f, 0.14f },
		{ TREE_X, TREE_Z, 1.10f, 0.22f },
		{ -2.55f, -3.6f, 0.36f, 0.25f },
		{ 2.55f, -3.6f, 0.36f, 0.25f },
		{ 3.1f, 1.5f, 0.38f, 0.25f },
		{ -1.98f, 3.0f, 0.30f, 0.20f },
		{ -3.75f, 1.9f, 0.18f, 0.12f },
	};
	picture p = picture_new(size, size, 1);
	for (int y = 0; y < size; y++)
	{
		for (int x = 0; x < size; x++)
		{
			float px = ((float)x + 0.5f) / (float)size * 2.0f * WALL_X - WALL_X;
			float pz = mix(WALL_Z, GATE_Z, ((float)y + 0.5f) / (float)size);
			float light = contact(WALL_X - fabsf(px), 0.55f) * contact(fabsf(px) < 0.8f ? 9.0f : pz - WALL_Z, 0.55f);
			for (size_t i = 0; i < sizeof(round_things) / sizeof(round_things[0]); i++)
			{
				const float *thing = round_things[i];
				light *= contact(hypotf(px - thing[0], pz - thing[1]) - thing[2], thing[3]);
			}
			float bench = fmaxf(fabsf(px + 4.75f) - 0.25f, fabsf(pz - 0.15f) - 0.9f);
			light *= mix(1.0f, contact(bench, 0.25f), 0.7f);
			float greenhouse = fmaxf(fabsf(px - 4.7f) - 0.6f, fabsf(pz + 1.5f) - 1.0f);
			light *= contact(greenhouse, 0.2f);
			picture_set(&p, x, y, (vec4){ light, light, light, 1.0f });
		}
	}
	return p;
}

static void add_ground_and_walls(scene *s)
{
	material m = plain("", (vec3){ 0.92f, 0.88f, 0.84f }, 0.0f, 1.0f);
	int shade = gltf_texture(s->g, "GroundOcclusion", paint_ground_occlusion(), IMAGE_PNG, true);
	m.occlusion_map = (texture_use){ .texture = shade, .uv = 1 };
	m.extensions = "\"KHR_materials_specular\": { \"specularFactor\": 0.7 }";
	s->paving = add_surface(s, "Paving", paint_paving(), m, 1.0f / 2.4f);
	m = plain("", (vec3){ 1.0f, 1.0f, 1.0f }, 0.0f, 1.0f);
	s->wall = add_surface(s, "Wall", paint_wall(), m, 1.0f / 3.6f);
}

static void add_stones(scene *s)
{
	int albedo = gltf_texture(s->g, "StoneAlbedo", paint_stone(), IMAGE_PNG, false);
	int normal = gltf_texture(s->g, "StoneNormal", stone_normals(), IMAGE_PNG, false);
	material m = mapped("Limestone", (vec3){ 0.93f, 0.82f, 0.67f }, 0.82f, albedo, normal, 1.0f);
	m.normal_scale = 0.7f;
	s->limestone = gltf_material(s->g, &m);
	m = mapped("Sandstone", (vec3){ 0.80f, 0.58f, 0.38f }, 0.9f, albedo, normal, 1.3f);
	m.base_map.rotation = 0.6f;
	m.normal_map.rotation = 0.6f;
	s->sandstone = gltf_material(s->g, &m);
	m = mapped("Terracotta", (vec3){ 0.72f, 0.28f, 0.14f }, 0.85f, albedo, normal, 2.0f);
	m.normal_scale = 0.5f;
	s->terracotta = gltf_material(s->g, &m);
	// The tiles' own colours are in COLOR_0.
	m = mapped("RoofTile", (vec3){ 1.0f, 1.0f, 1.0f }, 0.85f, albedo, normal, 1.5f);
	s->roof = gltf_material(s->g, &m);
	m = mapped("Pebble", (vec3){ 0.62f, 0.56f, 0.50f }, 0.7f, albedo, normal, 0.8f);
	m.normal_scale = 0.4f;
	s->pebble = gltf_material(s->g, &m);
	m = mapped("Soil", (vec3){ 0.10f, 0.065f, 0.04f }, 1.0f, albedo, normal, 2.5f);
	s->soil = gltf_material(s->g, &m);
}

static void add_woods(scene *s)
{
	int albedo = gltf_texture(s->g, "WoodAlbedo", paint_wood(), IMAGE_PNG, false);
	int normal = gltf_texture(s->g, "WoodNormal", wood_normals(), IMAGE_PNG, false);
	material m = mapped("OiledWood", (vec3){ 1.0f, 0.92f, 0.82f }, 0.6f, albedo, normal, 2.0f);
	m.extensions = "\"KHR_materials_specular\": { \"specularFactor\": 0.8, \"specularColorFactor\": [1, 0.9, 0.75] }";
	s->wood = gltf_material(s->g, &m);
	m = mapped("Bark", (vec3){ 0.62f, 0.56f, 0.50f }, 0.95f, albedo, normal, 3.0f);
	m.normal_scale = 2.0f;
	s->bark = gltf_material(s->g, &m);
	m = plain("Landscape", (vec3){ 1.0f, 1.0f, 1.0f }, 0.0f, 1.0f);
	s->landscape = gltf_material(s->g, &m);
	m = plain("Foliage", (vec3){ 1.0f, 1.0f, 1.0f }, 0.0f, 0.62f);
	m.base_map.texture = gltf_texture(s->g, "Foliage", paint_foliage(), IMAGE_PNG, true);
	m.mask = 0.4f;
	m.double_sided = true;
	m.extensions = "\"KHR_materials_specular\": { \"specularFactor\": 0.5 }";
	s->foliage = gltf_material(s->g, &m);
	m = plain("Orange", (vec3){ 0.95f, 0.36f, 0.03f }, 0.0f, 0.45f);
	m.extensions = "\"KHR_materials_clearcoat\": { \"clearcoatFactor\": 0.4, \"clearcoatRoughnessFactor\": 0.3 }";
	s->orange = gltf_material(s->g, &m);
}

static void add_metals(scene *s)
{
	int hammered = gltf_texture(s->g, "HammeredNormal", hammered_normals(), IMAGE_PNG, false);
	material m = plain("Bronze", (vec3){ 1.0f, 1.0f, 1.0f }, 0.75f, 0.42f);
	s->bronze = gltf_material(s->g, &m);
	m = plain("HammeredCopper", (vec3){ 0.93f, 0.50f, 0.33f }, 1.0f, 0.32f);
	m.normal_map = (texture_use){ .texture = hammered, .scale = 2.0f };
	m.extensions = "\"KHR_materials_anisotropy\": { \"anisotropyStrength\": 0.6 }";
	s->copper = gltf_material(s->g, &m);
	m = plain("Gilding", (vec3){ 1.0f, 0.74f, 0.34f }, 1.0f, 0.24f);
	s->gold = gltf_material(s->g, &m);
	m = plain("WroughtIron", (vec3){ 0.035f, 0.037f, 0.042f }, 0.6f, 0.5f);
	m.normal_map = (texture_use){ .texture = hammered, .scale = 6.0f };
	m.normal_scale = 0.35f;
	s->iron = gltf_material(s->g, &m);
	m = plain("GreenPaint", (vec3){ 0.16f, 0.30f, 0.24f }, 0.0f, 0.5f);
	m.extensions = "\"KHR_materials_clearcoat\": { \"clearcoatFactor\": 0.3, \"clearcoatRoughnessFactor\": 0.4 }";
	s->paint = gltf_material(s->g, &m);
}

static void add_glasses(scene *s)
{
	int ripples = gltf_texture(s->g, "RippleNormal", ripple_normals(), IMAGE_PNG, false);
	material m = plain("SeaGlass", (vec3){ 1.0f, 1.0f, 1.0f }, 0.0f, 0.02f);
	m.extensions =
		"\"KHR_materials_transmission\": { \"transmissionFactor\": 1 }, \"KHR_materials_ior\": { \"ior\": 1.52 }, "
		"\"KHR_materials_volume\": { \"thicknessFactor\": 0.6, \"attenuationDistance\": 0.3, "
		"\"attenuationColor\": [0.45, 0.88, 0.90] }";
	s->glass = gltf_material(s->g, &m);
	m = plain("WindowPane", (vec3){ 0.95f, 1.0f, 0.98f }, 0.0f, 0.04f);
	m.normal_map = (texture_use){ .texture = ripples, .scale = 0.6f };
	m.normal_scale = 0.12f;
	m.extensions =
		"\"KHR_materials_transmission\": { \"transmissionFactor\": 0.95 }, \"KHR_materials_ior\": { \"ior\": 1.5 }, "
		"\"KHR_materials_volume\": { \"thicknessFactor\": 0.008, \"attenuationDistance\": 0.5, "
		"\"attenuationColor\": [0.80, 0.95, 0.88] }";
	s->pane = gltf_material(s->g, &m);
	m = plain("Water", (vec3){ 0.90f, 0.98f, 1.0f }, 0.0f, 0.03f);
	m.normal_map = (texture_use){ .texture = ripples, .scale = 0.9f };
	m.normal_scale = 0.5f;
	m.extensions =
		"\"KHR_materials_transmission\": { \"transmissionFactor\": 0.9 }, \"KHR_materials_ior\": { \"ior\": 1.333 }, "
		"\"KHR_materials_volume\": { \"thicknessFactor\": 0.3, \"attenuationDistance\": 0.6, "
		"\"attenuationColor\": [0.20, 0.62, 0.60] }";
	s->water = gltf_material(s->g, &m);
	m = plain("LampGlow", (vec3){ 0.9f, 0.8f, 0.6f }, 0.0f, 0.4f);
	m.emissive = (vec3){ 1.0f, 1.0f, 1.0f };
	m.emissive_map.texture = gltf_texture(s->g, "LampGlow", paint_glow(), IMAGE_PNG, true);
	m.extensions = "\"KHR_materials_emissive_strength\": { \"emissiveStrength\": 5 }";
	s->glow = gltf_material(s->g, &m);
}

static void add_fabrics(scene *s)
{
	int weave = gltf_texture(s->g, "WeaveNormal", weave_normals(), IMAGE_PNG, false);
	material m = plain("BannerCloth", (vec3){ 1.0f, 1.0f, 1.0f }, 0.0f, 0.85f);
	m.base_map.texture = gltf_texture(s->g, "Banner", paint_banner(), IMAGE_PNG, true);
	m.normal_map = (texture_use){ .texture = weave, .scale = 14.0f };
	m.normal_scale = 0.5f;
	m.double_sided = true;
	m.extensions =
		"\"KHR_materials_sheen\": { \"sheenColorFactor\": [0.35, 0.12, 0.10], \"sheenRoughnessFactor\": 0.5 }";
	s->banner = gltf_material(s->g, &m);
	m = plain("CushionVelvet", (vec3){ 0.05f, 0.10f, 0.30f }, 0.0f, 0.9f);
	m.normal_map = (texture_use){ .texture = weave, .scale = 5.0f };
	m.normal_scale = 0.4f;
	m.extensions =
		"\"KHR_materials_sheen\": { \"sheenColorFactor\": [0.20, 0.24, 0.45], \"sheenRoughnessFactor\": 0.35 }";
	s->cushion = gltf_material(s->g, &m);
	m = plain("Lacquer", (vec3){ 0.02f, 0.22f, 0.30f }, 0.0f, 0.35f);
	m.extensions = "\"KHR_materials_clearcoat\": { \"clearcoatFactor\": 1, \"clearcoatRoughnessFactor\": 0.04 }, "
				   "\"KHR_materials_iridescence\": { \"iridescenceFactor\": 0.8, \"iridescenceIor\": 1.4, "
				   "\"iridescenceThicknessMaximum\": 420 }";
	s->lacquer = gltf_material(s->g, &m);
	m = plain("SignBoard", (vec3){ 1.0f, 1.0f, 1.0f }, 0.0f, 0.6f);
	m.base_map.texture = gltf_texture(s->g, "SignAlbedo", paint_sign(), IMAGE_PNG, true);
	m.normal_map.texture = gltf_texture(s->g, "SignNormal", sign_normals(), IMAGE_PNG, true);
	s->sign = gltf_material(s->g, &m);
	m = plain("ClockFace", (vec3){ 1.0f, 1.0f, 1.0f }, 0.0f, 0.5f);
	m.base_map.texture = gltf_texture(s->g, "ClockFace", paint_clock(), IMAGE_PNG, true);
	s->clock = gltf_material(s->g, &m);
}

void add_materials(scene *s)
{
	add_ground_and_walls(s);
	add_stones(s);
	add_woods(s);
	add_metals(s);
	add_glasses(s);
	add_fabrics(s);
}
