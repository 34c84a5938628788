// import/gltf/morph.c: morph targets: deltas of positions, normals and tangents. Section 3.7.2.2.

#include "import/gltf/gltf.h"

#include <stdio.h>

#define FORMAT(component, normalized) LRD_GLTF_FORMAT(LRD_GLTF_##component, normalized)

static const lrd_gltf_rule position_rule = { LRD_GLTF_VEC3, FORMAT(F32, false),
	FORMAT(I8, false) | FORMAT(I8, true) | FORMAT(I16, false) | FORMAT(I16, true) };
static const lrd_gltf_rule direction_rule = { LRD_GLTF_VEC3, FORMAT(F32, false), FORMAT(I8, true) | FORMAT(I16, true) };

// A delta of something the primitive lacks moves nothing.
static bool read_delta(lrd_gltf_primitive *primitive, const lrd_json *target, const char *semantic,
	const lrd_gltf_rule *rule, bool has_base, const float **deltas)
{
	lrd_gltf *gltf = primitive->gltf;
	lrd_gltf_accessor *accessor = NULL;
	if (!lrd_gltf_attribute(primitive, target, semantic, rule, &accessor))
	{
		return false;
	}
	if (accessor == NULL)
	{
		return true;
	}
	if (!has_base)
	{
		return lrd_import_warn(gltf->import, "morph-without-base", 1,
			"%s: a morph target has %s, which the primitive has not; ignored", primitive->label, semantic);
	}
	char label[sizeof primitive->label + 32];
	(void)snprintf(label, sizeof label, "%s, morph target %u", primitive->label, target->index);
	return lrd_gltf_floats(gltf, label, accessor, deltas) && lrd_gltf_repair_finite(gltf, label, semantic, accessor);
}

static bool warn_unread(lrd_gltf_primitive *primitive, const lrd_json *target)
{
	for (lrd_json item = lrd_json_first(target); item.value != NULL; item = lrd_json_next(&item))
	{
		bool read =
			strcmp(item.key, "POSITION") == 0 || strcmp(item.key, "NORMAL") == 0 || strcmp(item.key, "TANGENT") == 0;
		if (!read && !lrd_import_warn(primitive->gltf->import, "morph-attribute", 1,
						 "%s: morph targets' %.64s is left out", primitive->label, item.key))
		{
			return false;
		}
	}
	return true;
}

static bool read_target(lrd_gltf_primitive *primitive, const lrd_json *target, lrd_document_morph *morph)
{
	const lrd_document_primitive *out = primitive->out;
	return lrd_json_is_object(target, primitive->gltf->error) &&
		   read_delta(primitive, target, "POSITION", &position_rule, true, &morph->positions) &&
		   read_delta(primitive, target, "NORMAL", &direction_rule, out->normals != NULL, &morph->normals) &&
		   read_delta(primitive, target, "TANGENT", &direction_rule, out->tangents != NULL, &morph->tangents) &&
		   warn_unread(primitive, target);
}

bool lrd_gltf_read_morphs(lrd_gltf_primitive *primitive)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t count = primitive->morph_count;
	if (count == 0)
	{
		return true;
	}
	if (!lrd_gltf_charge(gltf, count, sizeof(lrd_document_morph), primitive->label))
	{
		return false;
	}
	lrd_document_morph *morphs = LRD_IMPORT_NEW(gltf->import, lrd_document_morph, count, "morph targets");
	if (morphs == NULL)
	{
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		morphs[i].name = primitive->morph_names[i];
	}
	lrd_json targets = lrd_json_member(&primitive->at, "targets");
	for (lrd_json item = lrd_json_first(&targets); item.value != NULL; item = lrd_json_next(&item))
	{
		if (!read_target(primitive, &item, &morphs[item.index]))
		{
			return false;
		}
	}
	primitive->out->morphs = morphs;
	return true;
}
