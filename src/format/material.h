// format/material.h: the layout of .lmat. After the header: params, medium, textures (one a slot), program, strings.
// Strings are referred to by the header first, then by the slots in turn.

#ifndef FORMAT_MATERIAL_H
#define FORMAT_MATERIAL_H

#include "format/layout.h"
#include "larder/material.h"

#define LRD_MATERIAL_MAGIC "LMAT"

typedef struct lrd_material_header
{
	char magic[4];
	uint32_t version;
	uint64_t file_size;
	uint32_t name_offset;
	uint32_t name_size;
	uint32_t domain;
	uint32_t alpha_mode;
	uint32_t flags;
	float alpha_cutoff;
	uint32_t instruction_count;
	uint32_t string_size;
} lrd_material_header;

static_assert(sizeof(lrd_material_header) == 48, "material header");
static_assert(offsetof(lrd_material_header, magic) == 0, "material header");
static_assert(offsetof(lrd_material_header, version) == 4, "material header");
static_assert(offsetof(lrd_material_header, file_size) == 8, "material header");
static_assert(offsetof(lrd_material_header, name_offset) == 16, "material header");
static_assert(offsetof(lrd_material_header, name_size) == 20, "material header");
static_assert(offsetof(lrd_material_header, domain) == 24, "material header");
static_assert(offsetof(lrd_material_header, alpha_mode) == 28, "material header");
static_assert(offsetof(lrd_material_header, flags) == 32, "material header");
static_assert(offsetof(lrd_material_header, alpha_cutoff) == 36, "material header");
static_assert(offsetof(lrd_material_header, instruction_count) == 40, "material header");
static_assert(offsetof(lrd_material_header, string_size) == 44, "material header");

static_assert(sizeof(lrd_material_params) == 156, "material parameters");
static_assert(offsetof(lrd_material_params, base_color) == 0, "material parameters");
static_assert(offsetof(lrd_material_params, metallic) == 16, "material parameters");
static_assert(offsetof(lrd_material_params, roughness) == 20, "material parameters");
static_assert(offsetof(lrd_material_params, emissive) == 24, "material parameters");
static_assert(offsetof(lrd_material_params, emissive_strength) == 36, "material parameters");
static_assert(offsetof(lrd_material_params, normal_scale) == 40, "material parameters");
static_assert(offsetof(lrd_material_params, occlusion_strength) == 44, "material parameters");
static_assert(offsetof(lrd_material_params, transmission) == 48, "material parameters");
static_assert(offsetof(lrd_material_params, ior) == 52, "material parameters");
static_assert(offsetof(lrd_material_params, dispersion) == 56, "material parameters");
static_assert(offsetof(lrd_material_params, thickness) == 60, "material parameters");
static_assert(offsetof(lrd_material_params, attenuation_color) == 64, "material parameters");
static_assert(offsetof(lrd_material_params, attenuation_distance) == 76, "material parameters");
static_assert(offsetof(lrd_material_params, anisotropy) == 80, "material parameters");
static_assert(offsetof(lrd_material_params, anisotropy_rotation) == 84, "material parameters");
static_assert(offsetof(lrd_material_params, clearcoat) == 88, "material parameters");
static_assert(offsetof(lrd_material_params, clearcoat_roughness) == 92, "material parameters");
static_assert(offsetof(lrd_material_params, clearcoat_normal_scale) == 96, "material parameters");
static_assert(offsetof(lrd_material_params, sheen_color) == 100, "material parameters");
static_assert(offsetof(lrd_material_params, sheen_roughness) == 112, "material parameters");
static_assert(offsetof(lrd_material_params, specular) == 116, "material parameters");
static_assert(offsetof(lrd_material_params, specular_color) == 120, "material parameters");
static_assert(offsetof(lrd_material_params, iridescence) == 132, "material parameters");
static_assert(offsetof(lrd_material_params, iridescence_ior) == 136, "material parameters");
static_assert(offsetof(lrd_material_params, iridescence_thickness_min) == 140, "material parameters");
static_assert(offsetof(lrd_material_params, iridescence_thickness_max) == 144, "material parameters");
static_assert(offsetof(lrd_material_params, reserved) == 148, "material parameters");

static_assert(sizeof(lrd_medium) == 48, "medium");
static_assert(offsetof(lrd_medium, scattering) == 0, "medium");
static_assert(offsetof(lrd_medium, absorption) == 12, "medium");
static_assert(offsetof(lrd_medium, emission) == 24, "medium");
static_assert(offsetof(lrd_medium, anisotropy) == 36, "medium");
static_assert(offsetof(lrd_medium, density) == 40, "medium");
static_assert(offsetof(lrd_medium, reserved) == 44, "medium");

static_assert(sizeof(lrd_material_texture) == 32, "texture slot");
static_assert(offsetof(lrd_material_texture, stem_offset) == 0, "texture slot");
static_assert(offsetof(lrd_material_texture, stem_size) == 4, "texture slot");
static_assert(offsetof(lrd_material_texture, uv_set) == 8, "texture slot");
static_assert(offsetof(lrd_material_texture, wrap_u) == 9, "texture slot");
static_assert(offsetof(lrd_material_texture, wrap_v) == 10, "texture slot");
static_assert(offsetof(lrd_material_texture, filter) == 11, "texture slot");
static_assert(offsetof(lrd_material_texture, uv_offset) == 12, "texture slot");
static_assert(offsetof(lrd_material_texture, uv_scale) == 20, "texture slot");
static_assert(offsetof(lrd_material_texture, uv_rotation) == 28, "texture slot");

static_assert(sizeof(lrd_material_instruction) == 32, "instruction");

#endif
