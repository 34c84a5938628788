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

/// Every parameter of a surface. Colours are linear. Defaults are glTF 2.0's and those of its KHR_materials_*
/// extensions. Every number is finite and in the range given here; where none is given, any finite number is allowed.
typedef struct lrd_material_params
{
	float base_color[4];     ///< 0..1
	float metallic;          ///< 0..1
	float roughness;         ///< 0..1
	float emissive[3];       ///< 0..1
	float emissive_strength; ///< 0 and up; multiplies emissive; nits where the scene's lights are photometric
	float normal_scale;
	float occlusion_strength;   ///< 0..1
	float transmission;         ///< 0..1
	float ior;                  ///< 1 and up, or 0 (the specular-glossiness mode of KHR_materials_ior)
	float dispersion;           ///< 0 and up; 20 / Abbe number
	float thickness;            ///< 0 and up; in the mesh's space: a part's node scales it; 0: thin-walled
	float attenuation_color[3]; ///< 0..1
	float attenuation_distance; ///< 0 and up; metres; 0: infinite
	float anisotropy;           ///< 0..1
	float anisotropy_rotation;  ///< radians, counter-clockwise from the tangent
	float clearcoat;            ///< 0..1
	float clearcoat_roughness;  ///< 0..1
	float clearcoat_normal_scale;
	float sheen_color[3];            ///< 0..1
	float sheen_roughness;           ///< 0..1
	float specular;                  ///< 0..1
	float specular_color[3];         ///< 0 and up
	float iridescence;               ///< 0..1
	float iridescence_ior;           ///< 1 and up
	float iridescence_thickness_min; ///< 0 and up; nanometres; may be more than the maximum
	float iridescence_thickness_max; ///< 0 and up; nanometres
	float reserved[2];               ///< 0
} lrd_material_params;

/// Participating medium of a volume material, densities a metre. All zero in surface materials.
typedef struct lrd_medium
{
	float scattering[3]; ///< 0 and up
	float absorption[3]; ///< 0 and up
	float emission[3];   ///< 0 and up
	float anisotropy;    ///< Henyey-Greenstein g, -1..1
	float density;       ///< 0 and up; multiplies scattering and absorption
	float reserved;      ///< 0
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
#define LRD_MATERIAL_REGISTERS 16

/// What an instruction of a volume material's program does. A register holds three numbers; D is the destination's,
/// A, B and C are the sources', i0 i1 i2 the immediates. Operations work on each of the three; those that give one
/// number put it into all three.
typedef enum lrd_material_opcode
{
	LRD_OP_CONSTANT = 1,        ///< D = (i0, i1, i2)
	LRD_OP_POSITION = 2,        ///< D = the point, in the space of the volume's node, metres
	LRD_OP_TIME = 3,            ///< D = seconds
	LRD_OP_ADD = 4,             ///< D = A + B
	LRD_OP_SUBTRACT = 5,        ///< D = A - B
	LRD_OP_MULTIPLY = 6,        ///< D = A * B
	LRD_OP_LERP = 7,            ///< D = A + (B - A) * C
	LRD_OP_MINIMUM = 8,         ///< D = the lesser of A and B
	LRD_OP_MAXIMUM = 9,         ///< D = the greater of A and B
	LRD_OP_CLAMP = 10,          ///< D = A, at least i0 and at most i1; i0 <= i1
	LRD_OP_REMAP = 11,          ///< D = (A - i0) / (i1 - i0), at least 0 and at most 1; i0 != i1
	LRD_OP_DOT = 12,            ///< D = the dot product of A and (i0, i1, i2)
	LRD_OP_LENGTH = 13,         ///< D = the length of A
	LRD_OP_NOISE3 = 14,         ///< D = value noise at A * i0, 0..1; one octave, smoothstep between lattice points
	LRD_OP_OUTPUT_DENSITY = 15, ///< the medium's density is multiplied by A's first number, at least 0
	LRD_OP_OUTPUT_COLOR = 16,   ///< the medium's scattering is multiplied by A, at least 0
	LRD_OP_COUNT
} lrd_material_opcode;

/// One instruction: opcode, destination, three sources, three immediates (f32 as bits). What an operation does not
/// use is 0. A source has been written by an earlier instruction; immediates are finite; a program has each output at
/// most once and one at least.
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
	const lrd_material_instruction *program; ///< of a volume; NULL when there is none
	uint32_t instruction_count;
	lrd_string strings; ///< the string block
} lrd_material_view;

/// Check a material file and give a view into it; `bytes` must be aligned to 16 and outlive the view.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_ARGUMENT (misaligned bytes), LRD_ERROR_MEMORY (see lrd_mesh_open).
LRD_API bool lrd_material_open(const void *bytes, size_t size, lrd_material_view *view, lrd_error *error);

/// The stem of the texture in a slot, or the empty string.
LRD_API lrd_string lrd_material_texture_stem(const lrd_material_view *view, lrd_material_slot slot);

/// "base_color", "metallic_roughness", …; never NULL.
LRD_API const char *lrd_material_slot_name(lrd_material_slot slot);

/// True where a slot's texture holds colour (sRGB), false where it holds data.
LRD_API bool lrd_material_slot_is_color(lrd_material_slot slot);

/// What glTF says of a material that says nothing.
LRD_API lrd_material_params lrd_material_default_params(void);

/// Run a volume material's program at a point: what the medium's density and scattering are multiplied by. Ones where
/// the program has no such output, or there is no program. The results are finite and not negative. This is the
/// meaning that renderers' shaders must match.
LRD_API void lrd_material_evaluate(
	const lrd_material_view *view, lrd_vec3 position, float time, float *density, lrd_vec3 *color);

#endif
