// larder/material.h: reading a cooked material (.lmat) in place. Format: docs/formats.md, "Material".

#ifndef LARDER_MATERIAL_H
#define LARDER_MATERIAL_H

#include "larder/base.h"

#define LRD_MATERIAL_VERSION 1

typedef enum lrd_material_domain
{
	LRD_DOMAIN_SURFACE = 0,
	LRD_DOMAIN_VOLUME = 1,
} lrd_material_domain;

typedef enum lrd_alpha_mode
{
	LRD_ALPHA_OPAQUE = 0,
	LRD_ALPHA_MASK = 1,
	LRD_ALPHA_BLEND = 2,
} lrd_alpha_mode;

typedef enum lrd_material_flag
{
	LRD_MATERIAL_DOUBLE_SIDED = 1 << 0,
	LRD_MATERIAL_AUTHORED_NORMALS = 1 << 1, ///< keep authored normals (foliage cards lit as a volume)
	LRD_MATERIAL_PREMULTIPLIED = 1 << 2,    ///< base colour is multiplied by alpha
	LRD_MATERIAL_UNLIT = 1 << 3,
	LRD_MATERIAL_ALL_FLAGS = (1 << 4) - 1,
} lrd_material_flag;

typedef enum lrd_material_slot
{
	LRD_SLOT_BASE_COLOR = 0,
	LRD_SLOT_METALLIC_ROUGHNESS, ///< roughness in G, metallic in B
	LRD_SLOT_NORMAL,             ///< +Y up
	LRD_SLOT_OCCLUSION,          ///< in R
	LRD_SLOT_EMISSIVE,
	LRD_SLOT_ANISOTROPY, ///< direction in RG, strength in B
	LRD_SLOT_CLEARCOAT,
	LRD_SLOT_CLEARCOAT_ROUGHNESS,
	LRD_SLOT_CLEARCOAT_NORMAL,
	LRD_SLOT_TRANSMISSION,
	LRD_SLOT_THICKNESS,
	LRD_SLOT_SHEEN_COLOR,
	LRD_SLOT_SHEEN_ROUGHNESS,
	LRD_SLOT_SPECULAR, ///< in A
	LRD_SLOT_SPECULAR_COLOR,
	LRD_SLOT_COUNT
} lrd_material_slot;

typedef enum lrd_wrap
{
	LRD_WRAP_REPEAT = 0,
	LRD_WRAP_CLAMP = 1,
	LRD_WRAP_MIRROR = 2,
} lrd_wrap;

typedef enum lrd_filter
{
	LRD_FILTER_LINEAR = 0,
	LRD_FILTER_POINT = 1,
} lrd_filter;

/// Every parameter of a surface. Colours are linear. Defaults are glTF 2.0's and those of its KHR_materials_* extensions.
typedef struct lrd_material_params
{
	float base_color[4];
	float metallic;  ///< 0..1
	float roughness; ///< 0..1
	float emissive[3];
	float emissive_strength; ///< multiplies emissive; nits where the scene's lights are photometric
	float normal_scale;
	float occlusion_strength; ///< 0..1
	float transmission;       ///< 0..1
	float ior;                ///< 1 and up, or 0 (the specular-glossiness mode of KHR_materials_ior)
	float dispersion;         ///< 20 / Abbe number
	float thickness;          ///< metres; 0: thin-walled
	float attenuation_color[3];
	float attenuation_distance; ///< metres; 0: infinite
	float anisotropy;           ///< 0..1
	float anisotropy_rotation;  ///< radians, counter-clockwise from the tangent
	float clearcoat;            ///< 0..1
	float clearcoat_roughness;  ///< 0..1
	float clearcoat_normal_scale;
	float sheen_color[3];
	float sheen_roughness; ///< 0..1
	float specular;        ///< 0..1
	float specular_color[3];
	float iridescence;               ///< 0..1
	float iridescence_ior;           ///< 1 and up
	float iridescence_thickness_min; ///< nanometres
	float iridescence_thickness_max; ///< nanometres
	float reserved[2];               ///< 0
} lrd_material_params;

/// Participating medium of a volume material, densities a metre. All zero in surface materials.
typedef struct lrd_medium
{
	float scattering[3];
	float absorption[3];
	float emission[3];
	float anisotropy; ///< Henyey-Greenstein g, -1..1
	float density;    ///< multiplies scattering and absorption
	float reserved;   ///< 0
} lrd_medium;

/// A texture slot. Empty when stem_size is 0; all else is then zero but the scale, which is 1.
typedef struct lrd_material_texture
{
	uint32_t stem_offset; ///< into the string block
	uint32_t stem_size;   ///< bytes
	uint8_t uv_set;       ///< 0 or 1
	uint8_t wrap_u;       ///< lrd_wrap
	uint8_t wrap_v;       ///< lrd_wrap
	uint8_t filter;       ///< lrd_filter
	float uv_offset[2];
	float uv_scale[2];
	float uv_rotation; ///< radians, counter-clockwise, about the UV origin (KHR_texture_transform)
} lrd_material_texture;

#define LRD_MATERIAL_MAX_INSTRUCTIONS 24

/// One instruction of a volume material's program; operands are registers and constants as docs/formats.md says.
typedef struct lrd_material_instruction
{
	uint32_t words[8];
} lrd_material_instruction;

/// A material as its file says it. Pointers lead into the bytes that were opened.
typedef struct lrd_material_view
{
	lrd_string name;
	uint32_t domain;     ///< lrd_material_domain
	uint32_t alpha_mode; ///< lrd_alpha_mode
	uint32_t flags;      ///< lrd_material_flag
	float alpha_cutoff;  ///< 0..1; what LRD_ALPHA_MASK compares with
	const lrd_material_params *params;
	const lrd_medium *medium;
	const lrd_material_texture *textures;    ///< LRD_SLOT_COUNT
	const lrd_material_instruction *program; ///< NULL when there is none
	uint32_t instruction_count;
	lrd_string strings; ///< the string block
} lrd_material_view;

/// Check a material file and give a view into it; `bytes` must be aligned to 16 and outlive the view.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_ARGUMENT (misaligned bytes).
LRD_API bool lrd_material_open(const void *bytes, size_t size, lrd_material_view *view, lrd_error *error);

/// The stem of the texture in a slot, or the empty string.
LRD_API lrd_string lrd_material_texture_stem(const lrd_material_view *view, lrd_material_slot slot);

/// "base_color", "metallic_roughness", …; never NULL.
LRD_API const char *lrd_material_slot_name(lrd_material_slot slot);

/// True where a slot's texture holds colour (sRGB), false where it holds data.
LRD_API bool lrd_material_slot_is_color(lrd_material_slot slot);

/// What glTF says of a material that says nothing.
LRD_API lrd_material_params lrd_material_default_params(void);

#endif
