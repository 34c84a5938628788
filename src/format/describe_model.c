// What .lmodel looks like, for docs/formats.md and tools.

#include "format/model.h"

#define HEADER(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_header, member, type, meaning)
#define NODE(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_node, member, type, meaning)
#define PART(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_part, member, type, meaning)
#define MATERIAL(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_material, member, type, meaning)
#define CLIP(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_clip, member, type, meaning)
#define VARIANT(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_variant, member, type, meaning)
#define CHOICE(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_choice, member, type, meaning)
#define LIGHT(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_light, member, type, meaning)
#define CAMERA(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_camera, member, type, meaning)
#define ACTOR(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_actor, member, type, meaning)
#define SKELETON(member, type, meaning) LRD_LAYOUT_FIELD(lrd_model_skeleton, member, type, meaning)

static const lrd_layout_field header_fields[] = {
	HEADER(magic, "u8 x 4", "`LMDL`"),
	HEADER(version, "u32", "1"),
	HEADER(file_size, "u64", "bytes of the whole file"),
	HEADER(bounds, "f32 x 10",
		"box minimum and maximum, sphere centre and radius, of every part in the rest pose, with its morph weights"),
	HEADER(collision_offset, "u32", "the collision's stem in the string block"),
	HEADER(collision_size, "u32", "bytes; 0: none"),
	HEADER(node_count, "u32", ""),
	HEADER(part_count, "u32", ""),
	HEADER(material_count, "u32", ""),
	HEADER(clip_count, "u32", ""),
	HEADER(variant_count, "u32", ""),
	HEADER(choice_count, "u32", ""),
	HEADER(light_count, "u32", ""),
	HEADER(camera_count, "u32", ""),
	HEADER(actor_count, "u32", ""),
	HEADER(joint_node_count, "u32", ""),
	HEADER(skeleton_count, "u32", ""),
	HEADER(weight_count, "u32", ""),
	HEADER(string_size, "u32", "bytes of the string block"),
	HEADER(reserved, "u32 x 3", "zero"),
};

static const lrd_layout_field node_fields[] = {
	NODE(name, "u32 x 2", "offset and bytes in the string block; names may be equal"),
	NODE(parent, "i32", "an earlier node; -1: a root"),
	NODE(flags, "u32", "1 a joint, 2 animated"),
	NODE(translation, "f32 x 3", "relative to the parent"),
	NODE(rotation, "f32 x 4", "xyzw, unit length within 1e-3"),
	NODE(scale, "f32 x 3", ""),
	NODE(reserved, "f32 x 2", "zero"),
};

static const lrd_layout_field part_fields[] = {
	PART(name, "u32 x 2", "offset and bytes in the string block"),
	PART(mesh, "u32 x 2", "the mesh's stem"),
	PART(slot, "u32", "a material slot; 4294967295: none"),
	PART(node, "u32", "the node that moves it; 4294967295: model space"),
	PART(flags, "u32", "1 skinned, 2 mirrored"),
	PART(weights_offset, "u32", "first of its morph weights; 0 when it has none"),
	PART(weight_count, "u32", ""),
	PART(skeleton, "u32", "a skeleton when skinned; 4294967295 when not"),
	PART(reserved, "u32 x 2", "zero"),
};

static const lrd_layout_field material_fields[] = {
	MATERIAL(name, "u32 x 2", "the slot's name, for overrides"),
	MATERIAL(stem, "u32 x 2", "the material's stem"),
};

static const lrd_layout_field clip_fields[] = {
	CLIP(name, "u32 x 2", "offset and bytes in the string block"),
	CLIP(stem, "u32 x 2", "the clip's stem"),
};

static const lrd_layout_field variant_fields[] = {
	VARIANT(name, "u32 x 2", "offset and bytes in the string block"),
	VARIANT(choice_offset, "u32", "first of its choices; 0 when it has none"),
	VARIANT(choice_count, "u32", ""),
};

static const lrd_layout_field choice_fields[] = {
	CHOICE(part, "u32", "this part"),
	CHOICE(slot, "u32", "takes this slot's material"),
};

static const lrd_layout_field light_fields[] = {
	LIGHT(name, "u32 x 2", "offset and bytes in the string block"),
	LIGHT(node, "u32", "it shines along this node's -Z"),
	LIGHT(type, "u32", "0 directional, 1 point, 2 spot"),
	LIGHT(color, "f32 x 3", "linear, 0 and up"),
	LIGHT(intensity, "f32", "candela; directional: lux; 0 and up"),
	LIGHT(range, "f32", "metres; 0: infinite"),
	LIGHT(inner_cone, "f32", "radians, 0 to outer_cone"),
	LIGHT(outer_cone, "f32", "radians, to pi / 2"),
	LIGHT(reserved, "u32", "zero"),
};

static const lrd_layout_field camera_fields[] = {
	CAMERA(name, "u32 x 2", "offset and bytes in the string block"),
	CAMERA(node, "u32", "it looks along this node's -Z"),
	CAMERA(type, "u32", "0 perspective, 1 orthographic"),
	CAMERA(vertical, "f32", "vertical field of view in radians, below pi; orthographic: half the height"),
	CAMERA(aspect, "f32", "width over height; 0: the window's"),
	CAMERA(near_plane, "f32", "metres; perspective: more than 0"),
	CAMERA(far_plane, "f32", "metres, past near_plane; 0: infinite"),
};

static const lrd_layout_field actor_fields[] = {
	ACTOR(name, "u32 x 2", "offset and bytes in the string block"),
	ACTOR(parent, "i32", "an earlier actor; -1: the group"),
	ACTOR(part, "u32", "a part; 4294967295: an empty that only groups"),
	ACTOR(translation, "f32 x 3", "relative to the parent"),
	ACTOR(rotation, "f32 x 4", "xyzw, unit length within 1e-3"),
	ACTOR(scale, "f32 x 3", ""),
	ACTOR(reserved, "u32 x 2", "zero"),
};

static const lrd_layout_field skeleton_fields[] = {
	SKELETON(stem, "u32 x 2", "the skeleton's stem"),
	SKELETON(joint_node_offset, "u32", "first of its joint_nodes"),
	SKELETON(joint_count, "u32", "1 and up"),
};

static const lrd_layout_struct structs[] = {
	LRD_LAYOUT_STRUCT("header", lrd_model_header, header_fields),
	LRD_LAYOUT_STRUCT("node", lrd_model_node, node_fields),
	LRD_LAYOUT_STRUCT("part", lrd_model_part, part_fields),
	LRD_LAYOUT_STRUCT("material", lrd_model_material, material_fields),
	LRD_LAYOUT_STRUCT("clip", lrd_model_clip, clip_fields),
	LRD_LAYOUT_STRUCT("variant", lrd_model_variant, variant_fields),
	LRD_LAYOUT_STRUCT("choice", lrd_model_choice, choice_fields),
	LRD_LAYOUT_STRUCT("light", lrd_model_light, light_fields),
	LRD_LAYOUT_STRUCT("camera", lrd_model_camera, camera_fields),
	LRD_LAYOUT_STRUCT("actor", lrd_model_actor, actor_fields),
	LRD_LAYOUT_STRUCT("skeleton", lrd_model_skeleton, skeleton_fields),
};

static const lrd_layout_block blocks[] = {
	{ "nodes", "node", "node_count", "parents before children" },
	{ "parts", "part", "part_count", "what is drawn" },
	{ "materials", "material", "material_count", "material slots" },
	{ "clips", "clip", "clip_count", "" },
	{ "variants", "variant", "variant_count", "named sets of choices" },
	{ "choices", "choice", "choice_count", "each variant's in turn" },
	{ "lights", "light", "light_count", "" },
	{ "cameras", "camera", "camera_count", "" },
	{ "actors", "actor", "actor_count",
		"the placement template, parents before children; none unless the placement is editable" },
	{ "joint_nodes", "u32", "joint_node_count", "the node of each joint of each skeleton in turn; 4294967295: none" },
	{ "skeletons", "skeleton", "skeleton_count", "" },
	{ "weights", "f32", "weight_count", "default morph weights, each part's in turn" },
	{ "strings", "u8", "string_size",
		"the collision's stem, then what the blocks name, in their order; of a block all names before all stems" },
};

static const char *const rules[] = {
	"Weights, choices and joint_nodes are each the runs of their parts, variants and skeletons back to back; no run is "
	"shared, nothing is "
	"left over.",
	"A part is flagged as skinned exactly when it has a skeleton.",
	"The nodes of joints are flagged as joints.",
	"Stems are asset paths and never empty, but for the collision's.",
	"Every number is finite.",
};

const lrd_layout_description lrd_model_layout = {
	.name = "Model",
	.extension = ".lmodel",
	.magic = LRD_MODEL_MAGIC,
	.version = LRD_MODEL_VERSION,
	.structs = structs,
	.struct_count = sizeof structs / sizeof *structs,
	.blocks = blocks,
	.block_count = sizeof blocks / sizeof *blocks,
	.rules = rules,
	.rule_count = sizeof rules / sizeof *rules,
};
