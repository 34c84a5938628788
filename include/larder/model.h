// larder/model.h: reading a cooked model (.lmodel) in place: what a game names. Format: docs/formats.md, "Model".

#ifndef LARDER_MODEL_H
#define LARDER_MODEL_H

#include "larder/base.h"

#define LRD_MODEL_VERSION 1

/// Text in the view's string block.
typedef struct lrd_text
{
	uint32_t offset;
	uint32_t size; ///< bytes
} lrd_text;

typedef enum lrd_node_flag
{
	LRD_NODE_JOINT = 1 << 0,    ///< a joint of the skeleton
	LRD_NODE_ANIMATED = 1 << 1, ///< a clip moves it
	LRD_NODE_ALL_FLAGS = (1 << 2) - 1,
} lrd_node_flag;

/// A node of the hierarchy, parents before children.
typedef struct lrd_model_node
{
	lrd_text name;
	int32_t parent; ///< an earlier node; -1: a root
	uint32_t flags; ///< lrd_node_flag
	float translation[3];
	float rotation[4]; ///< xyzw, unit length within 1e-3
	float scale[3];
	float reserved[2]; ///< 0
} lrd_model_node;

/// One drawable piece: a mesh and a material slot, moved by a node.
typedef struct lrd_model_part
{
	lrd_text name;
	lrd_text mesh;           ///< stem; never empty
	uint32_t slot;           ///< index in the material slots; LRD_NO_INDEX: none
	uint32_t node;           ///< index in the nodes; LRD_NO_INDEX: model space
	uint32_t flags;          ///< lrd_part_flag
	uint32_t weights_offset; ///< first of its morph weights in `weights`: where the last part's end; 0 when it has none
	uint32_t weight_count;   ///< the mesh's morph targets; 0: none
	uint32_t skeleton;       ///< index in the skeletons when skinned; LRD_NO_INDEX when not
	uint32_t reserved[2];    ///< 0
} lrd_model_part;

#define LRD_NO_INDEX 0xffffffffu

typedef enum lrd_part_flag
{
	/// Moved by the skeleton's palette, not by its node, which only says whose channels move its morph weights:
	/// LRD_NO_INDEX where it has none.
	LRD_PART_SKINNED = 1 << 0,
	LRD_PART_MIRRORED = 1 << 1, ///< its node's rest transform has a negative determinant: front faces are clockwise
	LRD_PART_ALL_FLAGS = (1 << 2) - 1,
} lrd_part_flag;

/// A material slot. Overriding a material by name replaces it in every part that uses the slot.
typedef struct lrd_model_material
{
	lrd_text name;
	lrd_text stem; ///< never empty
} lrd_model_material;

/// A clip of this model.
typedef struct lrd_model_clip
{
	lrd_text name;
	lrd_text stem; ///< never empty
} lrd_model_clip;

/// A named set of material choices (KHR_materials_variants).
typedef struct lrd_model_variant
{
	lrd_text name;
	uint32_t choice_offset; ///< first of its rows in `choices`: where the last variant's end; 0 when it has none
	uint32_t choice_count;
} lrd_model_variant;

/// In a variant, this part takes this slot's material.
typedef struct lrd_model_choice
{
	uint32_t part;
	uint32_t slot;
} lrd_model_choice;

typedef enum lrd_light_type
{
	LRD_LIGHT_DIRECTIONAL = 0,
	LRD_LIGHT_POINT = 1,
	LRD_LIGHT_SPOT = 2,
} lrd_light_type;

/// A light of the source; shines along its node's -Z.
typedef struct lrd_model_light
{
	lrd_text name;
	uint32_t node;
	uint32_t type;     ///< lrd_light_type
	float color[3];    ///< linear, 0 and up
	float intensity;   ///< candela; directional: lux; 0 and up
	float range;       ///< metres; 0: infinite
	float inner_cone;  ///< radians, 0 to outer_cone
	float outer_cone;  ///< radians, to pi / 2
	uint32_t reserved; ///< 0
} lrd_model_light;

typedef enum lrd_camera_type
{
	LRD_CAMERA_PERSPECTIVE = 0,
	LRD_CAMERA_ORTHOGRAPHIC = 1,
} lrd_camera_type;

/// A camera of the source; looks along its node's -Z.
typedef struct lrd_model_camera
{
	lrd_text name;
	uint32_t node;
	uint32_t type;    ///< lrd_camera_type
	float vertical;   ///< perspective: field of view in radians, below pi; orthographic: half the height; more than 0
	float aspect;     ///< width over height; 0: the window's
	float near_plane; ///< metres; 0 and up; perspective: more than 0
	float far_plane;  ///< metres, past near_plane; 0: infinite
} lrd_model_camera;

/// A row of the placement template: how an editor places the model as separate actors.
typedef struct lrd_model_actor
{
	lrd_text name;
	int32_t parent; ///< an earlier actor; -1: the group
	uint32_t part;  ///< LRD_NO_INDEX: an empty that only groups
	float translation[3];
	float rotation[4]; ///< xyzw
	float scale[3];
	uint32_t reserved[2]; ///< 0
} lrd_model_actor;

/// A model as its file says it. Pointers lead into the bytes that were opened.
typedef struct lrd_model_view
{
	lrd_bounds bounds; ///< of every part in the rest pose, with its morph weights, model space
	const lrd_model_node *nodes;
	uint32_t node_count;
	const lrd_model_part *parts;
	uint32_t part_count;
	const lrd_model_material *materials;
	uint32_t material_count;
	const lrd_model_clip *clips;
	uint32_t clip_count;
	const lrd_model_variant *variants;
	uint32_t variant_count;
	const lrd_model_choice *choices;
	uint32_t choice_count;
	const lrd_model_light *lights;
	uint32_t light_count;
	const lrd_model_camera *cameras;
	uint32_t camera_count;
	const lrd_model_actor *actors; ///< empty unless the placement is editable
	uint32_t actor_count;
	const uint32_t *joint_nodes; ///< the node (a joint) of each joint of each skeleton in turn, or LRD_NO_INDEX
	uint32_t joint_node_count;
	const struct lrd_model_skeleton *skeletons;
	uint32_t skeleton_count;
	const float *weights; ///< default morph weights of the parts
	uint32_t weight_count;
	lrd_string collision; ///< stem; empty: none
	lrd_string strings;   ///< the string block
} lrd_model_view;

/// A skeleton that parts are skinned to.
typedef struct lrd_model_skeleton
{
	lrd_text stem;              ///< never empty
	uint32_t joint_node_offset; ///< first of its rows in `joint_nodes`: where the last skeleton's end
	uint32_t joint_count;       ///< 1 and up
} lrd_model_skeleton;

/// Check a model file and give a view into it; `bytes` must be aligned to 16 and outlive the view.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_ARGUMENT (misaligned bytes), LRD_ERROR_MEMORY (see lrd_mesh_open).
LRD_API bool lrd_model_open(const void *bytes, size_t size, lrd_model_view *view, lrd_error *error);

/// Text that a record of this model refers to.
LRD_API lrd_string lrd_model_text(const lrd_model_view *view, lrd_text text);

/// The first row with this name, byte for byte, or LRD_NO_INDEX. Linear scans.
LRD_API uint32_t lrd_model_find_part(const lrd_model_view *view, lrd_string name);
LRD_API uint32_t lrd_model_find_node(const lrd_model_view *view, lrd_string name);
LRD_API uint32_t lrd_model_find_material(const lrd_model_view *view, lrd_string name);
LRD_API uint32_t lrd_model_find_clip(const lrd_model_view *view, lrd_string name);
LRD_API uint32_t lrd_model_find_variant(const lrd_model_view *view, lrd_string name);
LRD_API uint32_t lrd_model_find_light(const lrd_model_view *view, lrd_string name);
LRD_API uint32_t lrd_model_find_camera(const lrd_model_view *view, lrd_string name);

#endif
