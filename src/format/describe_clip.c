// What .lclip looks like, for docs/formats.md and tools.

#include "format/clip.h"

#define HEADER(member, type, meaning) LRD_LAYOUT_FIELD(lrd_clip_header, member, type, meaning)
#define CHANNEL(member, type, meaning) LRD_LAYOUT_FIELD(lrd_clip_channel, member, type, meaning)

static const lrd_layout_field header_fields[] = {
	HEADER(magic, "u8 x 4", "`LCLP`"),
	HEADER(version, "u32", "1"),
	HEADER(file_size, "u64", "bytes of the whole file"),
	HEADER(flags, "u32", "1 uniform: every channel's keys lie on one grid; others are refused"),
	HEADER(duration, "f32", "seconds, not negative"),
	HEADER(joint_count, "u32", "channels' joints are below it; at most 32,767"),
	HEADER(channel_count, "u32", ""),
	HEADER(time_count, "u32", "floats in the times block"),
	HEADER(value_count, "u32", "floats in the values block"),
	HEADER(string_size, "u32", "bytes of the string block"),
	HEADER(name_offset, "u32", "the clip's name in the string block"),
	HEADER(name_size, "u32", "bytes"),
	HEADER(reserved, "u32 x 3", "zero"),
};

static const lrd_layout_field channel_fields[] = {
	CHANNEL(target_offset, "u32", "the target node's name in the string block"),
	CHANNEL(target_size, "u32", "bytes"),
	CHANNEL(target_hash, "u32", "FNV-1a 32 of the name"),
	CHANNEL(joint, "i32", "index in the skeleton; -1: a node outside every skeleton"),
	CHANNEL(node, "i32", "index in the model's nodes; -1: unknown"),
	CHANNEL(path, "u16", "0 translation (3 components), 1 rotation (4, xyzw), 2 scale (3), 3 weights (1 and up)"),
	CHANNEL(interpolation, "u16", "0 linear (rotations: spherical), 1 step, 2 cubic Hermite (glTF 2.0, Appendix C.5)"),
	CHANNEL(components, "u32", "floats a value"),
	CHANNEL(key_count, "u32", "1 and up"),
	CHANNEL(times_offset, "u32", "first of its `key_count` floats in the times block"),
	CHANNEL(values_offset, "u32",
		"first of its floats in the values block, where those of the channel before it end: `components` a key, three "
		"times that "
		"for cubic (in-tangent, value, out-tangent)"),
	CHANNEL(skeleton, "u32", "index in the model's skeletons; 0 when `joint` is -1"),
	CHANNEL(reserved, "u32", "zero"),
};

static const lrd_layout_struct structs[] = {
	LRD_LAYOUT_STRUCT("header", lrd_clip_header, header_fields),
	LRD_LAYOUT_STRUCT("channel", lrd_clip_channel, channel_fields),
};

static const lrd_layout_block blocks[] = {
	{ "channels", "channel", "channel_count", "" },
	{ "times", "f32", "time_count",
		"seconds; each distinct run of key times once, in the order that channels first use it" },
	{ "values", "f32", "value_count", "in the order of the channels" },
	{ "strings", "u8", "string_size", "the clip's name, then the channels' targets" },
};

static const char *const rules[] = {
	"Times ascend strictly within a channel, the first is not before 0, the last not after `duration`.",
	"In a uniform clip, key i of n lies at i * duration / (n - 1), within 1e-3 of the grid's step and 4.8e-7 of the "
	"duration. A "
	"channel of one key lies on every grid.",
	"Rotations are unit length within 1e-3, and neighbours take the short way: their dot product is not below -1e-6.",
	"Every value is finite. A channel's stored hash is that of its target's name.",
};

const lrd_layout_description lrd_clip_layout = {
	.name = "Clip",
	.extension = ".lclip",
	.magic = LRD_CLIP_MAGIC,
	.version = LRD_CLIP_VERSION,
	.structs = structs,
	.struct_count = sizeof structs / sizeof *structs,
	.blocks = blocks,
	.block_count = sizeof blocks / sizeof *blocks,
	.rules = rules,
	.rule_count = sizeof rules / sizeof *rules,
};
