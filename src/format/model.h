// format/model.h: the layout of .lmodel. After the header: nodes, parts, materials, clips, variants, choices, lights,
// cameras, actors, joint_nodes, skeletons, weights, strings. Strings are referred to by the header first, then by the
// blocks in that order, and of a block by all its names before all its stems.

#ifndef FORMAT_MODEL_H
#define FORMAT_MODEL_H

#include "format/layout.h"
#include "larder/model.h"

#define LRD_MODEL_MAGIC "LMDL"

typedef struct lrd_model_header
{
	char magic[4];
	uint32_t version;
	uint64_t file_size;
	lrd_bounds bounds;
	uint32_t collision_offset;
	uint32_t collision_size;
	uint32_t node_count;
	uint32_t part_count;
	uint32_t material_count;
	uint32_t clip_count;
	uint32_t variant_count;
	uint32_t choice_count;
	uint32_t light_count;
	uint32_t camera_count;
	uint32_t actor_count;
	uint32_t joint_node_count;
	uint32_t skeleton_count;
	uint32_t weight_count;
	uint32_t string_size;
	uint32_t reserved[3];
} lrd_model_header;

static_assert(sizeof(lrd_text) == 8, "text");
static_assert(offsetof(lrd_text, offset) == 0, "text");
static_assert(offsetof(lrd_text, size) == 4, "text");

static_assert(sizeof(lrd_bounds) == 40, "bounds");
static_assert(offsetof(lrd_bounds, min) == 0, "bounds");
static_assert(offsetof(lrd_bounds, max) == 12, "bounds");
static_assert(offsetof(lrd_bounds, centre) == 24, "bounds");
static_assert(offsetof(lrd_bounds, radius) == 36, "bounds");

static_assert(sizeof(lrd_model_header) == 128, "model header");
static_assert(offsetof(lrd_model_header, magic) == 0, "model header");
static_assert(offsetof(lrd_model_header, version) == 4, "model header");
static_assert(offsetof(lrd_model_header, file_size) == 8, "model header");
static_assert(offsetof(lrd_model_header, bounds) == 16, "model header");
static_assert(offsetof(lrd_model_header, collision_offset) == 56, "model header");
static_assert(offsetof(lrd_model_header, collision_size) == 60, "model header");
static_assert(offsetof(lrd_model_header, node_count) == 64, "model header");
static_assert(offsetof(lrd_model_header, part_count) == 68, "model header");
static_assert(offsetof(lrd_model_header, material_count) == 72, "model header");
static_assert(offsetof(lrd_model_header, clip_count) == 76, "model header");
static_assert(offsetof(lrd_model_header, variant_count) == 80, "model header");
static_assert(offsetof(lrd_model_header, choice_count) == 84, "model header");
static_assert(offsetof(lrd_model_header, light_count) == 88, "model header");
static_assert(offsetof(lrd_model_header, camera_count) == 92, "model header");
static_assert(offsetof(lrd_model_header, actor_count) == 96, "model header");
static_assert(offsetof(lrd_model_header, joint_node_count) == 100, "model header");
static_assert(offsetof(lrd_model_header, skeleton_count) == 104, "model header");
static_assert(offsetof(lrd_model_header, weight_count) == 108, "model header");
static_assert(offsetof(lrd_model_header, string_size) == 112, "model header");
static_assert(offsetof(lrd_model_header, reserved) == 116, "model header");

static_assert(sizeof(lrd_model_node) == 64, "node");
static_assert(offsetof(lrd_model_node, name) == 0, "node");
static_assert(offsetof(lrd_model_node, parent) == 8, "node");
static_assert(offsetof(lrd_model_node, flags) == 12, "node");
static_assert(offsetof(lrd_model_node, translation) == 16, "node");
static_assert(offsetof(lrd_model_node, rotation) == 28, "node");
static_assert(offsetof(lrd_model_node, scale) == 44, "node");
static_assert(offsetof(lrd_model_node, reserved) == 56, "node");

static_assert(sizeof(lrd_model_part) == 48, "part");
static_assert(offsetof(lrd_model_part, name) == 0, "part");
static_assert(offsetof(lrd_model_part, mesh) == 8, "part");
static_assert(offsetof(lrd_model_part, slot) == 16, "part");
static_assert(offsetof(lrd_model_part, node) == 20, "part");
static_assert(offsetof(lrd_model_part, flags) == 24, "part");
static_assert(offsetof(lrd_model_part, weights_offset) == 28, "part");
static_assert(offsetof(lrd_model_part, weight_count) == 32, "part");
static_assert(offsetof(lrd_model_part, skeleton) == 36, "part");
static_assert(offsetof(lrd_model_part, reserved) == 40, "part");

static_assert(sizeof(lrd_model_material) == 16, "material slot");
static_assert(offsetof(lrd_model_material, name) == 0, "material slot");
static_assert(offsetof(lrd_model_material, stem) == 8, "material slot");

static_assert(sizeof(lrd_model_clip) == 16, "clip");
static_assert(offsetof(lrd_model_clip, name) == 0, "clip");
static_assert(offsetof(lrd_model_clip, stem) == 8, "clip");

static_assert(sizeof(lrd_model_variant) == 16, "variant");
static_assert(offsetof(lrd_model_variant, name) == 0, "variant");
static_assert(offsetof(lrd_model_variant, choice_offset) == 8, "variant");
static_assert(offsetof(lrd_model_variant, choice_count) == 12, "variant");

static_assert(sizeof(lrd_model_choice) == 8, "choice");
static_assert(offsetof(lrd_model_choice, part) == 0, "choice");
static_assert(offsetof(lrd_model_choice, slot) == 4, "choice");

static_assert(sizeof(lrd_model_light) == 48, "light");
static_assert(offsetof(lrd_model_light, name) == 0, "light");
static_assert(offsetof(lrd_model_light, node) == 8, "light");
static_assert(offsetof(lrd_model_light, type) == 12, "light");
static_assert(offsetof(lrd_model_light, color) == 16, "light");
static_assert(offsetof(lrd_model_light, intensity) == 28, "light");
static_assert(offsetof(lrd_model_light, range) == 32, "light");
static_assert(offsetof(lrd_model_light, inner_cone) == 36, "light");
static_assert(offsetof(lrd_model_light, outer_cone) == 40, "light");
static_assert(offsetof(lrd_model_light, reserved) == 44, "light");

static_assert(sizeof(lrd_model_camera) == 32, "camera");
static_assert(offsetof(lrd_model_camera, name) == 0, "camera");
static_assert(offsetof(lrd_model_camera, node) == 8, "camera");
static_assert(offsetof(lrd_model_camera, type) == 12, "camera");
static_assert(offsetof(lrd_model_camera, vertical) == 16, "camera");
static_assert(offsetof(lrd_model_camera, aspect) == 20, "camera");
static_assert(offsetof(lrd_model_camera, near_plane) == 24, "camera");
static_assert(offsetof(lrd_model_camera, far_plane) == 28, "camera");

static_assert(sizeof(lrd_model_actor) == 64, "actor");
static_assert(offsetof(lrd_model_actor, name) == 0, "actor");
static_assert(offsetof(lrd_model_actor, parent) == 8, "actor");
static_assert(offsetof(lrd_model_actor, part) == 12, "actor");
static_assert(offsetof(lrd_model_actor, translation) == 16, "actor");
static_assert(offsetof(lrd_model_actor, rotation) == 28, "actor");
static_assert(offsetof(lrd_model_actor, scale) == 44, "actor");
static_assert(offsetof(lrd_model_actor, reserved) == 56, "actor");

static_assert(sizeof(lrd_model_skeleton) == 16, "skeleton");
static_assert(offsetof(lrd_model_skeleton, stem) == 0, "skeleton");
static_assert(offsetof(lrd_model_skeleton, joint_node_offset) == 8, "skeleton");
static_assert(offsetof(lrd_model_skeleton, joint_count) == 12, "skeleton");

#endif
