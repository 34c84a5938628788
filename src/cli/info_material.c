// What `larder info` says of materials, in documents and cooked files alike.

#include "cli/info.h"

#include <stddef.h>

typedef struct row
{
	const char *name;
	size_t offset;
	size_t count; ///< floats
} row;

#define ROW(member)                                                                                                    \
	{                                                                                                                  \
#member, offsetof(lrd_material_params, member), sizeof(((lrd_material_params *)0)->member) / sizeof(float)     \
	}

static const row rows[] = {
	ROW(base_color),
	ROW(metallic),
	ROW(roughness),
	ROW(emissive),
	ROW(emissive_strength),
	ROW(normal_scale),
	ROW(occlusion_strength),
	ROW(transmission),
	ROW(ior),
	ROW(dispersion),
	ROW(thickness),
	ROW(attenuation_color),
	ROW(attenuation_distance),
	ROW(anisotropy),
	ROW(anisotropy_rotation),
	ROW(clearcoat),
	ROW(clearcoat_roughness),
	ROW(clearcoat_normal_scale),
	ROW(sheen_color),
	ROW(sheen_roughness),
	ROW(specular),
	ROW(specular_color),
	ROW(iridescence),
	ROW(iridescence_ior),
	ROW(iridescence_thickness_min),
	ROW(iridescence_thickness_max),
};

void cli_info_material(
	cJSON *json, uint32_t alpha_mode, float alpha_cutoff, uint32_t flags, const lrd_material_params *params)
{
	static const char *const modes[] = { "opaque", "mask", "blend" };
	cli_json_string(json, "alpha_mode", lrd_string_from(modes[alpha_mode]));
	cli_json_float(json, "alpha_cutoff", alpha_cutoff);
	cJSON_AddBoolToObject(json, "double_sided", (flags & LRD_MATERIAL_DOUBLE_SIDED) != 0);
	cJSON_AddBoolToObject(json, "unlit", (flags & LRD_MATERIAL_UNLIT) != 0);
	cJSON_AddBoolToObject(json, "premultiplied", (flags & LRD_MATERIAL_PREMULTIPLIED) != 0);
	cJSON_AddBoolToObject(json, "authored_normals", (flags & LRD_MATERIAL_AUTHORED_NORMALS) != 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		const float *values = (const float *)(const void *)((const char *)params + rows[i].offset);
		if (rows[i].count == 1)
		{
			cli_json_float(json, rows[i].name, *values);
		}
		else
		{
			cli_json_floats(json, rows[i].name, values, rows[i].count);
		}
	}
}
