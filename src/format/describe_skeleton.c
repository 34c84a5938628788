// What .lskel looks like, for docs/formats.md and tools.

#include "format/skeleton.h"

#define HEADER(member, type, meaning) LRD_LAYOUT_FIELD(lrd_skeleton_header, member, type, meaning)
#define JOINT(member, type, meaning) LRD_LAYOUT_FIELD(lrd_joint, member, type, meaning)

static const lrd_layout_field header_fields[] = {
	HEADER(magic, "u8 x 4", "`LSKL`"),
	HEADER(version, "u32", "1"),
	HEADER(file_size, "u64", "bytes of the whole file"),
	HEADER(joint_count, "u32", "1 to 32,767"),
	HEADER(string_size, "u32", "bytes of the string block"),
	HEADER(name_offset, "u32", "the skeleton's name in the string block"),
	HEADER(name_size, "u32", "bytes"),
	HEADER(root, "f32 x 16",
		"column-major: model space transform of the space that the root joints live in (ancestors that are no joints)"),
};

static const lrd_layout_field joint_fields[] = {
	JOINT(name_offset, "u32", "its name in the string block; names may be equal"),
	JOINT(name_size, "u32", "bytes"),
	JOINT(name_hash, "u32", "FNV-1a 32 of the name"),
	JOINT(parent, "i16", "an earlier joint; -1: a root"),
	JOINT(reserved, "u16", "zero"),
	JOINT(inverse_bind, "f32 x 16", "column-major: model space to joint space"),
	JOINT(translation, "f32 x 3", "rest pose, relative to the parent"),
	JOINT(rotation, "f32 x 4", "xyzw, unit length within 1e-3"),
	JOINT(scale, "f32 x 3", ""),
	JOINT(reserved_tail, "f32 x 2", "zero"),
};

static const lrd_layout_struct structs[] = {
	LRD_LAYOUT_STRUCT("header", lrd_skeleton_header, header_fields),
	LRD_LAYOUT_STRUCT("joint", lrd_joint, joint_fields),
};

static const lrd_layout_block blocks[] = {
	{ "joints", "joint", "joint_count", "parents before children" },
	{ "strings", "u8", "string_size", "the skeleton's name, then the joints' names" },
};

static const char *const rules[] = {
	"Every matrix, translation, rotation and scale is finite.",
	"An inverse bind matrix is affine: its last row is 0 0 0 1.",
	"A joint's stored hash is that of its name.",
};

const lrd_layout_description lrd_skeleton_layout = {
	.name = "Skeleton",
	.extension = ".lskel",
	.magic = LRD_SKELETON_MAGIC,
	.version = LRD_SKELETON_VERSION,
	.structs = structs,
	.struct_count = sizeof structs / sizeof *structs,
	.blocks = blocks,
	.block_count = sizeof blocks / sizeof *blocks,
	.rules = rules,
	.rule_count = sizeof rules / sizeof *rules,
};
