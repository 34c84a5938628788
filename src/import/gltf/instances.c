// import/gltf/instances.c: EXT_mesh_gpu_instancing: a mesh drawn many times, each with a transform of its own.

#include "import/gltf/gltf.h"

#include "base/maths.h"

#define FORMAT(component, normalized) LRD_GLTF_FORMAT(LRD_GLTF_##component, normalized)

// One attribute's floats; the first that is there says how many instances there are.
static bool read_attribute(lrd_gltf *gltf, const char *label, const lrd_json *attributes, const char *name,
	lrd_gltf_type type, uint32_t formats, uint32_t *count, const float **floats)
{
	uint32_t index = LRD_NO_INDEX;
	if (!lrd_gltf_get_index(gltf, attributes, name, LRD_GLTF_ACCESSORS, &index))
	{
		return false;
	}
	if (index == LRD_NO_INDEX)
	{
		return true;
	}
	lrd_gltf_accessor *accessor = &gltf->accessors[index];
	if (accessor->type != type || (formats & LRD_GLTF_FORMAT(accessor->component, accessor->normalized)) == 0)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: instances' %s can't be %s of %s%s", label, name,
			lrd_gltf_type_name(accessor->type), accessor->normalized ? "normalized " : "",
			lrd_gltf_component_name(accessor->component));
	}
	if (*count != 0 && accessor->count != *count)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: instances' %s has %u elements, another attribute has %u",
			label, name, accessor->count, *count);
	}
	*count = accessor->count;
	return lrd_gltf_floats(gltf, label, accessor, floats) && lrd_gltf_repair_finite(gltf, label, name, accessor);
}

static bool warn_unread(lrd_gltf *gltf, const char *label, const lrd_json *attributes)
{
	for (lrd_json item = lrd_json_first(attributes); item.value != NULL; item = lrd_json_next(&item))
	{
		bool read =
			strcmp(item.key, "TRANSLATION") == 0 || strcmp(item.key, "ROTATION") == 0 || strcmp(item.key, "SCALE") == 0;
		if (!read && !lrd_import_warn(
						 gltf->import, "attribute", 1, "%s: instances' attribute %.64s is left out", label, item.key))
		{
			return false;
		}
	}
	return true;
}

static lrd_vec3 vec3_at(const float *floats, uint32_t i, lrd_vec3 fallback)
{
	if (floats == NULL)
	{
		return fallback;
	}
	floats += (size_t)i * 3;
	return (lrd_vec3){ floats[0], floats[1], floats[2] };
}

static bool fill(lrd_gltf *gltf, const char *label, uint32_t count, const float *translations, const float *rotations,
	const float *scales, lrd_document_node *node)
{
	if (!lrd_gltf_charge(gltf, count, sizeof(lrd_transform), label))
	{
		return false;
	}
	lrd_transform *instances = LRD_IMPORT_ROOM(gltf->import, lrd_transform, count, "instances");
	if (instances == NULL)
	{
		return false;
	}
	uint32_t repaired = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		float r[4] = { 0.0f, 0.0f, 0.0f, 1.0f };
		if (rotations != NULL)
		{
			memcpy(r, rotations + (size_t)i * 4, sizeof r);
			repaired += lrd_gltf_repair_quaternions(r, 1, 4);
		}
		instances[i] = (lrd_transform){ .translation = vec3_at(translations, i, (lrd_vec3){ 0.0f, 0.0f, 0.0f }),
			.rotation = { r[0], r[1], r[2], r[3] },
			.scale = vec3_at(scales, i, (lrd_vec3){ 1.0f, 1.0f, 1.0f }) };
	}
	node->instances = instances;
	node->instance_count = count;
	return repaired == 0 || lrd_import_warn(gltf->import, "quaternions-normalised", repaired,
								"%s: rotations of its instances were not of unit length", label);
}

bool lrd_gltf_read_instances(lrd_gltf *gltf, const lrd_json *at, lrd_document_node *node, uint32_t index)
{
	lrd_gltf_extension extension;
	if (!lrd_gltf_get_extension(gltf, at, "EXT_mesh_gpu_instancing", &extension))
	{
		return false;
	}
	if (extension.at.value == NULL)
	{
		return true;
	}
	lrd_gltf_label label = lrd_gltf_name("node", index, node->name);
	if (node->skin != LRD_NO_INDEX) // section 3.7.3.3: the node's own transform does not count; nor do these
	{
		return lrd_import_warn(gltf->import, "instances", 1,
			"%s: it has a skin, whose joints place it; its instances are ignored", label.text);
	}
	lrd_json attributes = lrd_json_member(&extension.at, "attributes");
	uint32_t count = 0;
	const float *translations = NULL, *rotations = NULL, *scales = NULL;
	if (!lrd_json_is_object(&attributes, gltf->error) ||
		!read_attribute(
			gltf, label.text, &attributes, "TRANSLATION", LRD_GLTF_VEC3, FORMAT(F32, false), &count, &translations) ||
		!read_attribute(gltf, label.text, &attributes, "ROTATION", LRD_GLTF_VEC4,
			FORMAT(F32, false) | FORMAT(I8, true) | FORMAT(I16, true), &count, &rotations) ||
		!read_attribute(gltf, label.text, &attributes, "SCALE", LRD_GLTF_VEC3, FORMAT(F32, false), &count, &scales) ||
		!warn_unread(gltf, label.text, &attributes))
	{
		return false;
	}
	if (node->mesh == LRD_NO_INDEX || count == 0)
	{
		return lrd_import_warn(gltf->import, "instances", 1, "%s: instances without %s; ignored", label.text,
			count == 0 ? "a transform" : "a mesh");
	}
	return fill(gltf, label.text, count, translations, rotations, scales, node);
}
