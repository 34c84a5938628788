// import/gltf/primitive.c: a primitive's attributes, material and variants. Section 3.7.2.1; KHR_mesh_quantization,
// KHR_materials_variants. Its index list is in indices.c, joints and weights in influence.c, morph targets in morph.c.

#include "import/gltf/gltf.h"

#include "base/maths.h"
#include "base/path.h"

#include <stdlib.h>

#define FORMAT(component, normalized) LRD_GLTF_FORMAT(LRD_GLTF_##component, normalized)
#define PLAIN_FLOAT FORMAT(F32, false)
#define UNIT_FLOAT (PLAIN_FLOAT | FORMAT(U8, true) | FORMAT(U16, true))
#define SIGNED_UNIT (FORMAT(I8, true) | FORMAT(I16, true))
#define ANY_SMALL                                                                                                      \
	(FORMAT(I8, false) | FORMAT(I8, true) | FORMAT(U8, false) | FORMAT(U8, true) | FORMAT(I16, false) |                \
		FORMAT(I16, true) | FORMAT(U16, false) | FORMAT(U16, true))

// Section 3.7.2.1, table "attributes"; KHR_mesh_quantization, "Extending Mesh Attributes".
static const lrd_gltf_rule position_rule = { LRD_GLTF_VEC3, PLAIN_FLOAT, ANY_SMALL };
static const lrd_gltf_rule normal_rule = { LRD_GLTF_VEC3, PLAIN_FLOAT, SIGNED_UNIT };
static const lrd_gltf_rule tangent_rule = { LRD_GLTF_VEC4, PLAIN_FLOAT, SIGNED_UNIT };
static const lrd_gltf_rule uv_rule = { LRD_GLTF_VEC2, UNIT_FLOAT, ANY_SMALL };
static const lrd_gltf_rule color_rule = { LRD_GLTF_NO_TYPE, UNIT_FLOAT, 0 };

static bool has_type(const lrd_gltf_rule *rule, lrd_gltf_type type)
{
	return rule->type == LRD_GLTF_NO_TYPE ? type == LRD_GLTF_VEC3 || type == LRD_GLTF_VEC4 : type == rule->type;
}

static bool check_format(
	lrd_gltf_primitive *primitive, const char *semantic, const lrd_gltf_rule *rule, const lrd_gltf_accessor *accessor)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t format = LRD_GLTF_FORMAT(accessor->component, accessor->normalized);
	bool integers = (rule->plain & PLAIN_FLOAT) == 0;
	bool readable = integers ? (rule->plain & format) != 0 : (format & (ANY_SMALL | PLAIN_FLOAT)) != 0;
	if (!has_type(rule, accessor->type) || !readable)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: %s can't be %s of %s%s", primitive->label, semantic,
			lrd_gltf_type_name(accessor->type), accessor->normalized ? "normalized " : "",
			lrd_gltf_component_name(accessor->component));
	}
	uint32_t allowed = rule->plain | (gltf->quantized ? rule->quantized : 0);
	return (allowed & format) != 0 ||
		   lrd_import_warn(gltf->import, "attribute-format", 1, "%s: %s should not be of %s%s; read all the same",
			   primitive->label, semantic, accessor->normalized ? "normalized " : "",
			   lrd_gltf_component_name(accessor->component));
}

bool lrd_gltf_attribute(lrd_gltf_primitive *primitive, const lrd_json *attributes, const char *semantic,
	const lrd_gltf_rule *rule, lrd_gltf_accessor **accessor)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t index = LRD_NO_INDEX;
	*accessor = NULL;
	if (!lrd_gltf_get_index(gltf, attributes, semantic, LRD_GLTF_ACCESSORS, &index))
	{
		return false;
	}
	if (index == LRD_NO_INDEX)
	{
		return true;
	}
	lrd_gltf_accessor *found = &gltf->accessors[index];
	if (attributes == &primitive->attributes && lrd_gltf_draco_attribute(primitive->draco, semantic) != NULL)
	{
		found = lrd_gltf_draco_attribute(primitive->draco, semantic);
	}
	if (!check_format(primitive, semantic, rule, found))
	{
		return false;
	}
	if (primitive->out->vertex_count != 0 && found->count != primitive->out->vertex_count)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: %s has %u elements, POSITION has %u", primitive->label,
			semantic, found->count, primitive->out->vertex_count);
	}
	*accessor = found;
	return true;
}

static bool read_positions(lrd_gltf_primitive *primitive)
{
	lrd_gltf *gltf = primitive->gltf;
	lrd_gltf_accessor *accessor = NULL;
	if (!lrd_gltf_attribute(primitive, &primitive->attributes, "POSITION", &position_rule, &accessor))
	{
		return false;
	}
	if (accessor == NULL)
	{
		return true;
	}
	if (accessor->count > LRD_IMPORT_MAX_VERTICES)
	{
		return lrd_fail(gltf->error, LRD_ERROR_LIMIT, "%s: %u vertices (at most %u)", primitive->label, accessor->count,
			LRD_IMPORT_MAX_VERTICES);
	}
	if (!lrd_gltf_floats(gltf, primitive->label, accessor, &primitive->out->positions))
	{
		return false;
	}
	if (accessor->first_bad != LRD_NO_INDEX)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: the position of vertex %u is not finite", primitive->label,
			accessor->first_bad);
	}
	primitive->out->vertex_count = accessor->count;
	return (accessor->has_min && accessor->has_max) ||
		   lrd_import_warn(gltf->import, "accessor-bounds", 1, "%s: POSITION has no min and max", primitive->label);
}

static bool read_floats(lrd_gltf_primitive *primitive, const char *semantic, const lrd_gltf_rule *rule,
	lrd_gltf_accessor **accessor, const float **floats)
{
	return lrd_gltf_attribute(primitive, &primitive->attributes, semantic, rule, accessor) &&
		   (*accessor == NULL || (lrd_gltf_floats(primitive->gltf, primitive->label, *accessor, floats) &&
									 lrd_gltf_repair_finite(primitive->gltf, primitive->label, semantic, *accessor)));
}

// The sign of the bitangent is 1 or -1, whatever rounding or zeros made of it.
static bool repair_tangents(lrd_gltf_primitive *primitive, lrd_gltf_accessor *accessor)
{
	if (accessor->signs_checked)
	{
		return true;
	}
	accessor->signs_checked = true;
	float *tangents = (float *)(uintptr_t)accessor->floats; // decoded here, still ours
	uint32_t repaired = 0;
	for (uint32_t i = 0; i < accessor->count; i++)
	{
		float *sign = &tangents[(size_t)i * 4 + 3];
		if (*sign != 1.0f && *sign != -1.0f)
		{
			*sign = *sign < 0.0f ? -1.0f : 1.0f;
			repaired++;
		}
	}
	return repaired == 0 || lrd_import_warn(primitive->gltf->import, "tangent-sign", repaired,
								"%s: tangents whose w is neither 1 nor -1 took the nearer", primitive->label);
}

static bool read_tangents(lrd_gltf_primitive *primitive)
{
	lrd_gltf_accessor *accessor = NULL;
	if (!read_floats(primitive, "TANGENT", &tangent_rule, &accessor, &primitive->out->tangents))
	{
		return false;
	}
	if (accessor == NULL)
	{
		return true;
	}
	if (primitive->out->normals == NULL) // section 3.7.2.1: without normals, tangents must be ignored
	{
		primitive->out->tangents = NULL;
		return lrd_import_warn(primitive->gltf->import, "tangents-without-normals", 1,
			"%s: it has tangents but no normals; the tangents are ignored", primitive->label);
	}
	return repair_tangents(primitive, accessor);
}

static const float *with_alpha(lrd_gltf_primitive *primitive, const float *rgb, uint32_t count)
{
	lrd_gltf *gltf = primitive->gltf;
	float *colors = lrd_gltf_charge(gltf, count, 4 * sizeof(float), primitive->label)
						? LRD_IMPORT_ROOM(gltf->import, float, (size_t)count * 4, "colours")
						: NULL;
	for (uint32_t i = 0; colors != NULL && i < count; i++)
	{
		memcpy(colors + (size_t)i * 4, rgb + (size_t)i * 3, 3 * sizeof(float));
		colors[(size_t)i * 4 + 3] = 1.0f;
	}
	return colors;
}

static bool read_colors(lrd_gltf_primitive *primitive)
{
	lrd_gltf *gltf = primitive->gltf;
	lrd_gltf_accessor *accessor = NULL;
	if (!lrd_gltf_attribute(primitive, &primitive->attributes, "COLOR_0", &color_rule, &accessor))
	{
		return false;
	}
	if (accessor == NULL)
	{
		return true;
	}
	if (accessor->colors == NULL)
	{
		const float *floats = NULL;
		if (!lrd_gltf_floats(gltf, primitive->label, accessor, &floats) ||
			!lrd_gltf_repair_finite(gltf, primitive->label, "COLOR_0", accessor))
		{
			return false;
		}
		accessor->colors = accessor->components == 4 ? floats : with_alpha(primitive, floats, accessor->count);
	}
	primitive->out->colors = accessor->colors;
	return accessor->colors != NULL;
}

// A set that a name ends in: "TEXCOORD_2" -> 2; -1 where the name does not begin with `prefix`.
static int set_number(const char *name, const char *prefix)
{
	size_t size = strlen(prefix);
	return strncmp(name, prefix, size) == 0 && name[size] >= '0' && name[size] <= '9' ? atoi(name + size) : -1;
}

static bool is_read(const char *name)
{
	return strcmp(name, "POSITION") == 0 || strcmp(name, "NORMAL") == 0 || strcmp(name, "TANGENT") == 0 ||
		   strcmp(name, "COLOR_0") == 0 || (set_number(name, "TEXCOORD_") >= 0 && set_number(name, "TEXCOORD_") < 2) ||
		   (set_number(name, "JOINTS_") >= 0 && set_number(name, "JOINTS_") < 2) ||
		   (set_number(name, "WEIGHTS_") >= 0 && set_number(name, "WEIGHTS_") < 2);
}

static bool warn_unread(lrd_gltf_primitive *primitive)
{
	for (lrd_json item = lrd_json_first(&primitive->attributes); item.value != NULL; item = lrd_json_next(&item))
	{
		uint32_t index = 0;
		if (!lrd_gltf_index(primitive->gltf, &item, LRD_GLTF_ACCESSORS, &index))
		{
			return false;
		}
		if (!is_read(item.key) && !lrd_import_warn(primitive->gltf->import, "attribute", 1,
									  "%s: attribute %.64s is left out", primitive->label, item.key))
		{
			return false;
		}
	}
	return true;
}

static bool warn_missing_uv(lrd_gltf_primitive *primitive)
{
	const lrd_document_primitive *out = primitive->out;
	uint32_t sets = out->material != LRD_NO_INDEX ? primitive->gltf->material_uv_sets[out->material] : 0;
	for (uint32_t set = 0; set < 2; set++)
	{
		if ((sets >> set & 1) != 0 && out->uv[set] == NULL &&
			!lrd_import_warn(primitive->gltf->import, "uv-missing", 1,
				"%s: its material reads TEXCOORD_%u, which it has not", primitive->label, set))
		{
			return false;
		}
	}
	return true;
}

static bool read_attributes(lrd_gltf_primitive *primitive)
{
	lrd_document_primitive *out = primitive->out;
	lrd_gltf_accessor *accessor = NULL;
	return read_floats(primitive, "NORMAL", &normal_rule, &accessor, &out->normals) && read_tangents(primitive) &&
		   read_floats(primitive, "TEXCOORD_0", &uv_rule, &accessor, &out->uv[0]) &&
		   read_floats(primitive, "TEXCOORD_1", &uv_rule, &accessor, &out->uv[1]) && read_colors(primitive) &&
		   lrd_gltf_read_influences(primitive) && warn_unread(primitive) && warn_missing_uv(primitive);
}

static bool read_mapping(lrd_gltf_primitive *primitive, const lrd_json *mapping, uint32_t *choices)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t material = LRD_NO_INDEX;
	lrd_json variants = lrd_json_member(mapping, "variants");
	if (!lrd_json_is_object(mapping, gltf->error) ||
		!lrd_gltf_get_index(gltf, mapping, "material", LRD_GLTF_MATERIALS, &material) ||
		!lrd_json_is_array(&variants, gltf->error))
	{
		return false;
	}
	for (lrd_json item = lrd_json_first(&variants); item.value != NULL; item = lrd_json_next(&item))
	{
		uint32_t variant = 0;
		if (!lrd_gltf_index(gltf, &item, LRD_GLTF_VARIANTS, &variant))
		{
			return false;
		}
		if (choices[variant] == LRD_NO_INDEX)
		{
			choices[variant] = material;
		}
		else if (!lrd_import_warn(gltf->import, "variant", 1, "%s: variant %u has two materials; the first is kept",
					 primitive->label, variant))
		{
			return false;
		}
	}
	return true;
}

static bool read_variants(lrd_gltf_primitive *primitive)
{
	lrd_gltf *gltf = primitive->gltf;
	lrd_gltf_extension extension;
	if (!lrd_gltf_get_extension(gltf, &primitive->at, "KHR_materials_variants", &extension))
	{
		return false;
	}
	uint32_t count = gltf->lists[LRD_GLTF_VARIANTS].count;
	if (extension.at.value == NULL || count == 0)
	{
		return true;
	}
	lrd_json mappings = lrd_json_member(&extension.at, "mappings");
	if (!lrd_json_is_array(&mappings, gltf->error) || !lrd_gltf_charge(gltf, count, sizeof(uint32_t), primitive->label))
	{
		return false;
	}
	uint32_t *choices = LRD_IMPORT_NEW(gltf->import, uint32_t, count, "variants");
	if (choices == NULL)
	{
		return false;
	}
	memset(choices, 0xff, count * sizeof *choices);
	for (lrd_json item = lrd_json_first(&mappings); item.value != NULL; item = lrd_json_next(&item))
	{
		if (!read_mapping(primitive, &item, choices))
		{
			return false;
		}
	}
	primitive->out->variant_materials = choices;
	return true;
}

// Section 5.24.4. Triangles go on; the rest is told.
static bool read_mode(lrd_gltf_primitive *primitive, size_t *given, bool *drawn)
{
	size_t mode = 4;
	if (!lrd_json_get_size(&primitive->at, "mode", &mode, primitive->gltf->error))
	{
		return false;
	}
	*given = mode;
	*drawn = mode >= 4 && mode <= 6;
	if (*drawn)
	{
		return true;
	}
	const char *kind = mode == 0 ? "points" : mode < 4 ? "lines" : "primitive-mode";
	return lrd_import_warn(primitive->gltf->import, kind, 1, "%s: %s can't be represented; left out", primitive->label,
		mode == 0  ? "points"
		: mode < 4 ? "lines"
				   : "a drawing mode that glTF doesn't know");
}

static bool leave_out(lrd_gltf_primitive *primitive, const char *why)
{
	*primitive->out = (lrd_document_primitive){ .vertex_count = 0 };
	return lrd_import_warn(primitive->gltf->import, "primitive-empty", 1, "%s: %s; left out", primitive->label, why);
}

bool lrd_gltf_read_primitive(lrd_gltf_primitive *primitive, bool *kept)
{
	static const lrd_gltf_topology topologies[] = { LRD_GLTF_TRIANGLES, LRD_GLTF_STRIP, LRD_GLTF_FAN };
	lrd_gltf *gltf = primitive->gltf;
	size_t mode = 0;
	bool drawn = false;
	primitive->out->material = LRD_NO_INDEX;
	primitive->attributes = lrd_json_member(&primitive->at, "attributes");
	*kept = false;
	if (!read_mode(primitive, &mode, &drawn))
	{
		return false;
	}
	if (!drawn)
	{
		return true;
	}
	if (primitive->attributes.value != NULL && !lrd_json_is_object(&primitive->attributes, gltf->error))
	{
		return false;
	}
	if (!lrd_gltf_get_index(gltf, &primitive->at, "material", LRD_GLTF_MATERIALS, &primitive->out->material) ||
		!lrd_gltf_open_draco(primitive, mode) || !read_positions(primitive))
	{
		return false;
	}
	if (primitive->out->vertex_count == 0)
	{
		return leave_out(primitive, "it has no POSITION");
	}
	if (!lrd_gltf_read_indices(primitive, topologies[mode - 4]))
	{
		return false;
	}
	if (primitive->out->index_count == 0)
	{
		return leave_out(primitive, "it has no triangle");
	}
	*kept = read_attributes(primitive) && lrd_gltf_read_morphs(primitive) && read_variants(primitive);
	return *kept;
}
