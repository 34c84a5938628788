// import/gltf/specular_glossiness.c: KHR_materials_pbrSpecularGlossiness turned into metallic-roughness.
//
// Both models give a diffuse and a specular reflectance; the metallic value is the root of the quadratic that makes
// them agree when a dielectric reflects 4%: the conversion that Khronos published with the extension
// ("convert-between-workflows").

#include "base/maths.h"
#include "import/gltf/gltf.h"

#define DIELECTRIC_SPECULAR 0.04f
#define SMALLEST 1e-6f

// What an unseen glossiness texture is taken to hold: the middle of its range.
#define UNSEEN_GLOSSINESS 0.5f

static float brightness(const float *rgb)
{
	return sqrtf(0.299f * rgb[0] * rgb[0] + 0.587f * rgb[1] * rgb[1] + 0.114f * rgb[2] * rgb[2]);
}

static float clamp01(float value)
{
	return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

static float solve_metallic(float diffuse, float specular, float one_minus_specular)
{
	if (specular < DIELECTRIC_SPECULAR)
	{
		return 0.0f;
	}
	float a = DIELECTRIC_SPECULAR;
	float b = diffuse * one_minus_specular / (1.0f - DIELECTRIC_SPECULAR) + specular - 2.0f * DIELECTRIC_SPECULAR;
	float c = DIELECTRIC_SPECULAR - specular;
	float d = b * b - 4.0f * a * c;
	return clamp01((-b + sqrtf(d > 0.0f ? d : 0.0f)) / (2.0f * a));
}

static void convert(const float diffuse[4], const float specular[3], lrd_material_params *params)
{
	float strongest = fmaxf(specular[0], fmaxf(specular[1], specular[2]));
	float one_minus_specular = 1.0f - strongest;
	float metallic = solve_metallic(brightness(diffuse), brightness(specular), one_minus_specular);
	for (int i = 0; i < 3; i++)
	{
		float from_diffuse =
			diffuse[i] * one_minus_specular / (1.0f - DIELECTRIC_SPECULAR) / fmaxf(1.0f - metallic, SMALLEST);
		float from_specular = (specular[i] - DIELECTRIC_SPECULAR * (1.0f - metallic)) / fmaxf(metallic, SMALLEST);
		float blend = metallic * metallic;
		params->base_color[i] = clamp01(from_diffuse * (1.0f - blend) + from_specular * blend);
	}
	params->base_color[3] = diffuse[3];
	params->metallic = metallic;
}

// Textures of the other model would be authored for it: then it is the better of the two that the file holds.
static bool prefers_metallic_roughness(const lrd_document_material *material)
{
	return material->slots[LRD_SLOT_BASE_COLOR].texture != LRD_NO_INDEX ||
		   material->slots[LRD_SLOT_METALLIC_ROUGHNESS].texture != LRD_NO_INDEX;
}

bool lrd_gltf_read_specular_glossiness(
	lrd_gltf *gltf, const char *label, const lrd_json *at, lrd_document_material *material)
{
	lrd_gltf_extension model;
	if (!lrd_gltf_get_extension(gltf, at, "KHR_materials_pbrSpecularGlossiness", &model))
	{
		return false;
	}
	if (model.at.value == NULL)
	{
		return true;
	}
	if (prefers_metallic_roughness(material))
	{
		return lrd_import_warn(gltf->import, "specular-glossiness", 1,
			"%s is specular-glossiness with textured metallic-roughness beside it; the latter is used", label);
	}
	float diffuse[4] = { 1.0f, 1.0f, 1.0f, 1.0f }, specular[3] = { 1.0f, 1.0f, 1.0f }, glossiness = 1.0f;
	if (!lrd_gltf_get_color(gltf, label, &model.at, "diffuseFactor", 4, diffuse) ||
		!lrd_gltf_get_color(gltf, label, &model.at, "specularFactor", 3, specular) ||
		!lrd_gltf_get_factor(gltf, label, &model.at, "glossinessFactor", 0.0f, 1.0f, &glossiness) ||
		!lrd_gltf_read_slot(gltf, label, &model.at, "diffuseTexture", material, LRD_SLOT_BASE_COLOR))
	{
		return false;
	}
	lrd_json texture = lrd_json_member(&model.at, "specularGlossinessTexture");
	if (texture.value == NULL)
	{
		convert(diffuse, specular, &material->params);
		material->params.roughness = 1.0f - glossiness;
		return lrd_import_warn(gltf->import, "specular-glossiness", 1,
			"%s is specular-glossiness; converted to metallic-roughness", label);
	}
	// The factors only scale a texture that is not decoded here: without it they would say "mirror".
	memcpy(material->params.base_color, diffuse, sizeof diffuse);
	material->params.metallic = 0.0f;
	material->params.roughness = 1.0f - glossiness * UNSEEN_GLOSSINESS;
	return lrd_import_warn(gltf->import, "specular-glossiness", 1,
		"%s is specular-glossiness; its specularGlossinessTexture can't be kept: taken as a dielectric of roughness %g",
		label, (double)material->params.roughness);
}
