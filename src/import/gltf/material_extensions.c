// import/gltf/material_extensions.c: the KHR_materials_* extensions that larder's materials have room for. Each is read
// in the terms of its own specification; the specular-glossiness model, which has to be converted, is in
// specular_glossiness.c.

#include "import/gltf/gltf.h"

#include <float.h>

// One material, while its extensions are read.
typedef struct material_reader
{
	lrd_gltf *gltf;
	const char *label;
	const lrd_json *at;
	lrd_document_material *material;
} material_reader;

static bool open_extension(material_reader *reader, const char *name, lrd_gltf_extension *extension)
{
	return lrd_gltf_get_extension(reader->gltf, reader->at, name, extension);
}

static bool factor(material_reader *reader, const lrd_json *at, const char *key, float low, float high, float *value)
{
	return lrd_gltf_get_factor(reader->gltf, reader->label, at, key, low, high, value);
}

static bool color(material_reader *reader, const lrd_json *at, const char *key, float *value)
{
	return lrd_gltf_get_color(reader->gltf, reader->label, at, key, 3, value);
}

static bool slot(material_reader *reader, const lrd_json *at, const char *key, lrd_material_slot which)
{
	return lrd_gltf_read_slot(reader->gltf, reader->label, at, key, reader->material, which);
}

static bool read_flags_and_scalars(material_reader *reader)
{
	lrd_material_params *params = &reader->material->params;
	lrd_gltf_extension unlit, strength, ior, dispersion;
	if (!open_extension(reader, "KHR_materials_unlit", &unlit) ||
		!open_extension(reader, "KHR_materials_emissive_strength", &strength) ||
		!factor(reader, &strength.at, "emissiveStrength", 0.0f, FLT_MAX, &params->emissive_strength) ||
		!open_extension(reader, "KHR_materials_ior", &ior) ||
		!lrd_json_get_float(&ior.at, "ior", &params->ior, reader->gltf->error) ||
		!open_extension(reader, "KHR_materials_dispersion", &dispersion) ||
		!factor(reader, &dispersion.at, "dispersion", 0.0f, FLT_MAX, &params->dispersion))
	{
		return false;
	}
	reader->material->flags |= unlit.at.value != NULL ? LRD_MATERIAL_UNLIT : 0;
	// 0 is the extension's special value for the specular-glossiness look.
	return params->ior == 0.0f || lrd_gltf_clamp(reader->gltf, reader->label, "ior", 1.0f, FLT_MAX, &params->ior);
}

static bool read_transmission(material_reader *reader)
{
	lrd_material_params *params = &reader->material->params;
	lrd_gltf_extension transmission, volume;
	return open_extension(reader, "KHR_materials_transmission", &transmission) &&
		   factor(reader, &transmission.at, "transmissionFactor", 0.0f, 1.0f, &params->transmission) &&
		   slot(reader, &transmission.at, "transmissionTexture", LRD_SLOT_TRANSMISSION) &&
		   open_extension(reader, "KHR_materials_volume", &volume) &&
		   factor(reader, &volume.at, "thicknessFactor", 0.0f, FLT_MAX, &params->thickness) &&
		   slot(reader, &volume.at, "thicknessTexture", LRD_SLOT_THICKNESS) &&
		   factor(reader, &volume.at, "attenuationDistance", 0.0f, FLT_MAX, &params->attenuation_distance) &&
		   color(reader, &volume.at, "attenuationColor", params->attenuation_color);
}

static bool read_anisotropy(material_reader *reader)
{
	lrd_material_params *params = &reader->material->params;
	lrd_gltf_extension anisotropy;
	return open_extension(reader, "KHR_materials_anisotropy", &anisotropy) &&
		   factor(reader, &anisotropy.at, "anisotropyStrength", 0.0f, 1.0f, &params->anisotropy) &&
		   lrd_json_get_float(
			   &anisotropy.at, "anisotropyRotation", &params->anisotropy_rotation, reader->gltf->error) &&
		   slot(reader, &anisotropy.at, "anisotropyTexture", LRD_SLOT_ANISOTROPY);
}

static bool read_clearcoat(material_reader *reader)
{
	lrd_material_params *params = &reader->material->params;
	lrd_gltf_extension clearcoat;
	if (!open_extension(reader, "KHR_materials_clearcoat", &clearcoat))
	{
		return false;
	}
	lrd_json normal = lrd_json_member(&clearcoat.at, "clearcoatNormalTexture");
	return factor(reader, &clearcoat.at, "clearcoatFactor", 0.0f, 1.0f, &params->clearcoat) &&
		   slot(reader, &clearcoat.at, "clearcoatTexture", LRD_SLOT_CLEARCOAT) &&
		   factor(reader, &clearcoat.at, "clearcoatRoughnessFactor", 0.0f, 1.0f, &params->clearcoat_roughness) &&
		   slot(reader, &clearcoat.at, "clearcoatRoughnessTexture", LRD_SLOT_CLEARCOAT_ROUGHNESS) &&
		   slot(reader, &clearcoat.at, "clearcoatNormalTexture", LRD_SLOT_CLEARCOAT_NORMAL) &&
		   lrd_json_get_float(&normal, "scale", &params->clearcoat_normal_scale, reader->gltf->error);
}

static bool read_sheen(material_reader *reader)
{
	lrd_material_params *params = &reader->material->params;
	lrd_gltf_extension sheen;
	return open_extension(reader, "KHR_materials_sheen", &sheen) &&
		   color(reader, &sheen.at, "sheenColorFactor", params->sheen_color) &&
		   slot(reader, &sheen.at, "sheenColorTexture", LRD_SLOT_SHEEN_COLOR) &&
		   factor(reader, &sheen.at, "sheenRoughnessFactor", 0.0f, 1.0f, &params->sheen_roughness) &&
		   slot(reader, &sheen.at, "sheenRoughnessTexture", LRD_SLOT_SHEEN_ROUGHNESS);
}

static bool read_specular(material_reader *reader)
{
	lrd_material_params *params = &reader->material->params;
	lrd_gltf_extension specular;
	if (!open_extension(reader, "KHR_materials_specular", &specular) ||
		!factor(reader, &specular.at, "specularFactor", 0.0f, 1.0f, &params->specular) ||
		!slot(reader, &specular.at, "specularTexture", LRD_SLOT_SPECULAR) ||
		!lrd_json_get_floats(
			&specular.at, "specularColorFactor", params->specular_color, 3, NULL, reader->gltf->error) ||
		!slot(reader, &specular.at, "specularColorTexture", LRD_SLOT_SPECULAR_COLOR))
	{
		return false;
	}
	for (int i = 0; i < 3; i++) // above 1 is allowed here: it stands for a higher index of refraction
	{
		if (!lrd_gltf_clamp(
				reader->gltf, reader->label, "specularColorFactor", 0.0f, FLT_MAX, &params->specular_color[i]))
		{
			return false;
		}
	}
	return true;
}

static bool warn_texture(material_reader *reader, const lrd_json *at, const char *key)
{
	lrd_json info = lrd_json_member(at, key);
	return info.value == NULL || lrd_import_warn(reader->gltf->import, "texture-slot", 1,
									 "%s: there is no slot for %s; its factor is kept", reader->label, key);
}

static bool read_iridescence(material_reader *reader)
{
	lrd_material_params *params = &reader->material->params;
	lrd_gltf_extension iridescence;
	if (!open_extension(reader, "KHR_materials_iridescence", &iridescence))
	{
		return false;
	}
	const lrd_json *at = &iridescence.at;
	return factor(reader, at, "iridescenceFactor", 0.0f, 1.0f, &params->iridescence) &&
		   factor(reader, at, "iridescenceIor", 1.0f, FLT_MAX, &params->iridescence_ior) &&
		   factor(reader, at, "iridescenceThicknessMinimum", 0.0f, FLT_MAX, &params->iridescence_thickness_min) &&
		   factor(reader, at, "iridescenceThicknessMaximum", 0.0f, FLT_MAX, &params->iridescence_thickness_max) &&
		   warn_texture(reader, at, "iridescenceTexture") && warn_texture(reader, at, "iridescenceThicknessTexture");
}

bool lrd_gltf_read_material_extensions(
	lrd_gltf *gltf, const char *label, const lrd_json *at, lrd_document_material *material)
{
	material_reader reader = { gltf, label, at, material };
	lrd_json extensions = lrd_json_member(at, "extensions");
	if (extensions.value == NULL)
	{
		return true;
	}
	return read_flags_and_scalars(&reader) && read_transmission(&reader) && read_anisotropy(&reader) &&
		   read_clearcoat(&reader) && read_sheen(&reader) && read_specular(&reader) && read_iridescence(&reader);
}
