// import/gltf/material.c: core materials and texture slots. Sections 3.9 and 5.19 to 5.23; KHR_texture_transform.

#include "import/gltf/gltf.h"

#include "base/path.h"

#include <float.h>

// The UV sets that a document's primitives have.
#define UV_SETS 2u

bool lrd_gltf_get_factor(
	lrd_gltf *gltf, const char *label, const lrd_json *object, const char *key, float low, float high, float *value)
{
	return lrd_json_get_float(object, key, value, gltf->error) && lrd_gltf_clamp(gltf, label, key, low, high, value);
}

bool lrd_gltf_get_color(
	lrd_gltf *gltf, const char *label, const lrd_json *object, const char *key, uint32_t count, float *color)
{
	if (!lrd_json_get_floats(object, key, color, count, NULL, gltf->error))
	{
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		if (!lrd_gltf_clamp(gltf, label, key, 0.0f, 1.0f, &color[i]))
		{
			return false;
		}
	}
	return true;
}

static bool read_transform(lrd_gltf *gltf, const lrd_json *info, lrd_document_slot *slot, size_t *uv_set)
{
	lrd_gltf_extension transform;
	return lrd_gltf_get_extension(gltf, info, "KHR_texture_transform", &transform) &&
		   lrd_json_get_floats(&transform.at, "offset", slot->uv_offset, 2, NULL, gltf->error) &&
		   lrd_json_get_floats(&transform.at, "scale", slot->uv_scale, 2, NULL, gltf->error) &&
		   lrd_json_get_float(&transform.at, "rotation", &slot->uv_rotation, gltf->error) &&
		   lrd_json_get_size(&transform.at, "texCoord", uv_set, gltf->error);
}

bool lrd_gltf_read_slot(lrd_gltf *gltf, const char *label, const lrd_json *object, const char *key,
	lrd_document_material *material, lrd_material_slot slot)
{
	lrd_json info = lrd_json_member(object, key);
	if (info.value == NULL)
	{
		return true;
	}
	lrd_document_slot read = { .texture = LRD_NO_INDEX, .uv_scale = { 1.0f, 1.0f } };
	size_t uv_set = 0;
	if (!lrd_json_is_object(&info, gltf->error) ||
		!lrd_gltf_get_index(gltf, &info, "index", LRD_GLTF_TEXTURES, &read.texture) ||
		!lrd_json_get_size(&info, "texCoord", &uv_set, gltf->error) || !read_transform(gltf, &info, &read, &uv_set))
	{
		return false;
	}
	if (read.texture == LRD_NO_INDEX)
	{
		lrd_json index = lrd_json_member(&info, "index");
		return lrd_json_missing(&index, gltf->error);
	}
	if (uv_set >= UV_SETS)
	{
		return lrd_import_warn(gltf->import, "uv-set", 1,
			"%s: %s reads TEXCOORD_%zu; only two UV sets are kept, so it is left out", label, key, uv_set);
	}
	read.uv_set = (uint32_t)uv_set;
	material->slots[slot] = read;
	return true;
}

static bool read_metallic_roughness(
	lrd_gltf *gltf, const char *label, const lrd_json *at, lrd_document_material *material)
{
	lrd_json pbr = lrd_json_member(at, "pbrMetallicRoughness");
	lrd_material_params *params = &material->params;
	if (pbr.value == NULL)
	{
		return true;
	}
	return lrd_json_is_object(&pbr, gltf->error) &&
		   lrd_gltf_get_color(gltf, label, &pbr, "baseColorFactor", 4, params->base_color) &&
		   lrd_gltf_get_factor(gltf, label, &pbr, "metallicFactor", 0.0f, 1.0f, &params->metallic) &&
		   lrd_gltf_get_factor(gltf, label, &pbr, "roughnessFactor", 0.0f, 1.0f, &params->roughness) &&
		   lrd_gltf_read_slot(gltf, label, &pbr, "baseColorTexture", material, LRD_SLOT_BASE_COLOR) &&
		   lrd_gltf_read_slot(gltf, label, &pbr, "metallicRoughnessTexture", material, LRD_SLOT_METALLIC_ROUGHNESS);
}

static bool read_surface(lrd_gltf *gltf, const char *label, const lrd_json *at, lrd_document_material *material)
{
	lrd_material_params *params = &material->params;
	lrd_json normal = lrd_json_member(at, "normalTexture");
	lrd_json occlusion = lrd_json_member(at, "occlusionTexture");
	return lrd_gltf_read_slot(gltf, label, at, "normalTexture", material, LRD_SLOT_NORMAL) &&
		   lrd_json_get_float(&normal, "scale", &params->normal_scale, gltf->error) &&
		   lrd_gltf_read_slot(gltf, label, at, "occlusionTexture", material, LRD_SLOT_OCCLUSION) &&
		   lrd_gltf_get_factor(gltf, label, &occlusion, "strength", 0.0f, 1.0f, &params->occlusion_strength) &&
		   lrd_gltf_get_color(gltf, label, at, "emissiveFactor", 3, params->emissive) &&
		   lrd_gltf_read_slot(gltf, label, at, "emissiveTexture", material, LRD_SLOT_EMISSIVE);
}

static bool read_alpha(lrd_gltf *gltf, const char *label, const lrd_json *at, lrd_document_material *material)
{
	lrd_string mode = LRD_STR("OPAQUE");
	bool double_sided = false;
	material->alpha_cutoff = 0.5f;
	if (!lrd_json_get_text(at, "alphaMode", &mode, gltf->error) ||
		!lrd_gltf_get_factor(gltf, label, at, "alphaCutoff", 0.0f, FLT_MAX, &material->alpha_cutoff) ||
		!lrd_json_get_bool(at, "doubleSided", &double_sided, gltf->error))
	{
		return false;
	}
	material->flags |= double_sided ? LRD_MATERIAL_DOUBLE_SIDED : 0;
	if (lrd_string_equal(mode, LRD_STR("MASK")))
	{
		material->alpha_mode = LRD_ALPHA_MASK;
		return lrd_gltf_clamp(gltf, label, "alphaCutoff", 0.0f, 1.0f, &material->alpha_cutoff);
	}
	material->alpha_cutoff = material->alpha_cutoff < 1.0f ? material->alpha_cutoff : 1.0f;
	if (lrd_string_equal(mode, LRD_STR("BLEND")))
	{
		material->alpha_mode = LRD_ALPHA_BLEND;
		return true;
	}
	return lrd_string_equal(mode, LRD_STR("OPAQUE")) ||
		   lrd_import_warn(gltf->import, "alpha-mode", 1, "%s: its alphaMode is unknown; taken as OPAQUE", label);
}

// lrd_material_default_params says the same, but belongs to a room that importing does not need.
static lrd_material_params default_params(void)
{
	return (lrd_material_params){ .base_color = { 1.0f, 1.0f, 1.0f, 1.0f },
		.metallic = 1.0f,
		.roughness = 1.0f,
		.emissive_strength = 1.0f,
		.normal_scale = 1.0f,
		.occlusion_strength = 1.0f,
		.ior = 1.5f,
		.attenuation_color = { 1.0f, 1.0f, 1.0f },
		.clearcoat_normal_scale = 1.0f,
		.specular = 1.0f,
		.specular_color = { 1.0f, 1.0f, 1.0f },
		.iridescence_ior = 1.3f,
		.iridescence_thickness_min = 100.0f,
		.iridescence_thickness_max = 400.0f };
}

static uint8_t uv_sets_of(const lrd_document_material *material)
{
	uint8_t sets = 0;
	for (int slot = 0; slot < LRD_SLOT_COUNT; slot++)
	{
		bool used = material->slots[slot].texture != LRD_NO_INDEX;
		sets = (uint8_t)(sets | (used ? 1u << material->slots[slot].uv_set : 0u));
	}
	return sets;
}

static bool read_material(lrd_gltf *gltf, const lrd_json *at, lrd_document_material *material)
{
	material->params = default_params();
	for (int slot = 0; slot < LRD_SLOT_COUNT; slot++)
	{
		material->slots[slot] = (lrd_document_slot){ .texture = LRD_NO_INDEX, .uv_scale = { 1.0f, 1.0f } };
	}
	if (!lrd_gltf_get_name(gltf, at, &material->name))
	{
		return false;
	}
	lrd_gltf_label label = lrd_gltf_name("material", at->index, material->name);
	return read_metallic_roughness(gltf, label.text, at, material) && read_surface(gltf, label.text, at, material) &&
		   read_alpha(gltf, label.text, at, material) &&
		   lrd_gltf_read_material_extensions(gltf, label.text, at, material) &&
		   lrd_gltf_read_specular_glossiness(gltf, label.text, at, material);
}

bool lrd_gltf_read_materials(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_MATERIALS];
	lrd_document_material *materials = LRD_IMPORT_NEW(gltf->import, lrd_document_material, list->count, "materials");
	gltf->material_uv_sets = LRD_IMPORT_SCRATCH(gltf->import, uint8_t, list->count, "materials");
	if (materials == NULL || gltf->material_uv_sets == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_material(gltf, &at, &materials[at.index]))
		{
			return false;
		}
		gltf->material_uv_sets[at.index] = uv_sets_of(&materials[at.index]);
	}
	gltf->document->materials = materials;
	gltf->document->material_count = list->count;
	return true;
}
