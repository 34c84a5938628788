// What .lmat looks like, for docs/formats.md and tools.

#include "format/material.h"

#define HEADER(member, type, meaning) LRD_LAYOUT_FIELD(lrd_material_header, member, type, meaning)
#define PARAM(member, type, meaning) LRD_LAYOUT_FIELD(lrd_material_params, member, type, meaning)
#define MEDIUM(member, type, meaning) LRD_LAYOUT_FIELD(lrd_medium, member, type, meaning)
#define TEXTURE(member, type, meaning) LRD_LAYOUT_FIELD(lrd_material_texture, member, type, meaning)

static const lrd_layout_field header_fields[] = {
	HEADER(magic, "u8 x 4", "`LMAT`"),
	HEADER(version, "u32", "1"),
	HEADER(file_size, "u64", "bytes of the whole file"),
	HEADER(name_offset, "u32", "the material's name in the string block"),
	HEADER(name_size, "u32", "bytes"),
	HEADER(domain, "u32", "0 surface, 1 volume"),
	HEADER(alpha_mode, "u32", "0 opaque, 1 mask, 2 blend"),
	HEADER(flags, "u32", "1 double sided, 2 keep authored normals, 4 premultiplied alpha, 8 unlit"),
	HEADER(alpha_cutoff, "f32", "0 to 1; what a mask compares with"),
	HEADER(instruction_count, "u32", "0 to 24; 0 in a surface material"),
	HEADER(string_size, "u32", "bytes of the string block"),
};

static const lrd_layout_field param_fields[] = {
	PARAM(base_color, "f32 x 4", "linear RGBA, 0 to 1"),
	PARAM(metallic, "f32", "0 to 1"),
	PARAM(roughness, "f32", "0 to 1"),
	PARAM(emissive, "f32 x 3", "linear, 0 to 1"),
	PARAM(emissive_strength, "f32", "0 and up; multiplies emissive"),
	PARAM(normal_scale, "f32", ""),
	PARAM(occlusion_strength, "f32", "0 to 1"),
	PARAM(transmission, "f32", "0 to 1"),
	PARAM(ior, "f32", "1 and up, or 0"),
	PARAM(dispersion, "f32", "0 and up; 20 / Abbe number"),
	PARAM(thickness, "f32", "in the mesh's space: a part's node scales it; 0: thin-walled"),
	PARAM(attenuation_color, "f32 x 3", "linear, 0 to 1"),
	PARAM(attenuation_distance, "f32", "metres; 0: infinite"),
	PARAM(anisotropy, "f32", "0 to 1"),
	PARAM(anisotropy_rotation, "f32", "radians, counter-clockwise from the tangent"),
	PARAM(clearcoat, "f32", "0 to 1"),
	PARAM(clearcoat_roughness, "f32", "0 to 1"),
	PARAM(clearcoat_normal_scale, "f32", ""),
	PARAM(sheen_color, "f32 x 3", "linear, 0 to 1"),
	PARAM(sheen_roughness, "f32", "0 to 1"),
	PARAM(specular, "f32", "0 to 1"),
	PARAM(specular_color, "f32 x 3", "linear, 0 and up"),
	PARAM(iridescence, "f32", "0 to 1"),
	PARAM(iridescence_ior, "f32", "1 and up"),
	PARAM(iridescence_thickness_min, "f32", "nanometres"),
	PARAM(iridescence_thickness_max, "f32", "nanometres"),
	PARAM(reserved, "f32 x 2", "zero"),
};

static const lrd_layout_field medium_fields[] = {
	MEDIUM(scattering, "f32 x 3", "a metre, 0 and up"),
	MEDIUM(absorption, "f32 x 3", "a metre, 0 and up"),
	MEDIUM(emission, "f32 x 3", "0 and up"),
	MEDIUM(anisotropy, "f32", "Henyey-Greenstein g, -1 to 1"),
	MEDIUM(density, "f32", "0 and up; multiplies scattering and absorption"),
	MEDIUM(reserved, "f32", "zero"),
};

static const lrd_layout_field texture_fields[] = {
	TEXTURE(stem_offset, "u32", "the texture's stem in the string block"),
	TEXTURE(stem_size, "u32", "bytes; 0: the slot is empty"),
	TEXTURE(uv_set, "u8", "0 or 1"),
	TEXTURE(wrap_u, "u8", "0 repeat, 1 clamp, 2 mirror"),
	TEXTURE(wrap_v, "u8", "likewise"),
	TEXTURE(filter, "u8", "0 linear, 1 point"),
	TEXTURE(uv_offset, "f32 x 2", ""),
	TEXTURE(uv_scale, "f32 x 2", ""),
	TEXTURE(uv_rotation, "f32", "radians, counter-clockwise, about the UV origin"),
};

static const lrd_layout_field instruction_fields[] = {
	LRD_LAYOUT_FIELD(lrd_material_instruction, words, "u32 x 8",
		"opcode, destination register, three source registers, three immediates (f32)"),
};

static const lrd_layout_struct structs[] = {
	LRD_LAYOUT_STRUCT("header", lrd_material_header, header_fields),
	LRD_LAYOUT_STRUCT("params", lrd_material_params, param_fields),
	LRD_LAYOUT_STRUCT("medium", lrd_medium, medium_fields),
	LRD_LAYOUT_STRUCT("texture", lrd_material_texture, texture_fields),
	LRD_LAYOUT_STRUCT("instruction", lrd_material_instruction, instruction_fields),
};

static const lrd_layout_block blocks[] = {
	{ "params", "params", "1", "every parameter of the surface" },
	{ "medium", "medium", "1", "the participating medium of a volume; zero in a surface material" },
	{ "textures", "texture", "15",
		"base colour, metallic-roughness, normal, occlusion, emissive, anisotropy, clearcoat, clearcoat roughness, "
		"clearcoat normal, "
		"transmission, thickness, sheen colour, sheen roughness, specular, specular colour" },
	{ "program", "instruction", "instruction_count", "what varies a volume's medium from point to point" },
	{ "strings", "u8", "string_size", "the material's name, then the slots' stems" },
};

static const char *const rules[] = {
	"Every number is finite and in its range.",
	"An empty slot is zero but for its scale, which is 1.",
	"Opcodes: 1 constant D = (i0, i1, i2); 2 position; 3 time; 4 add D = A + B; 5 subtract D = A - B; 6 multiply D = A "
	"* B; 7 lerp "
	"D = A + (B - A) * C; 8 minimum; 9 maximum; 10 clamp A to i0..i1, i0 <= i1; 11 remap D = (A - i0) / (i1 - i0) "
	"clamped to 0..1, "
	"i0 other than i1; 12 dot D = A . (i0, i1, i2); 13 length of A; 14 noise3 D = value noise at A * i0; 15 output "
	"density, A's first "
	"number; 16 output colour, A.",
	"Registers 0 to 15 hold three numbers each; an instruction's sources have been written by earlier ones. Words that "
	"an opcode does not "
	"use are zero.",
	"A program has each output at most once, and at least one.",
};

const lrd_layout_description lrd_material_layout = {
	.name = "Material",
	.extension = ".lmat",
	.magic = LRD_MATERIAL_MAGIC,
	.version = LRD_MATERIAL_VERSION,
	.structs = structs,
	.struct_count = sizeof structs / sizeof *structs,
	.blocks = blocks,
	.block_count = sizeof blocks / sizeof *blocks,
	.rules = rules,
	.rule_count = sizeof rules / sizeof *rules,
};
