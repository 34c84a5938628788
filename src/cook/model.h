// cook/model.h: a model's recipe: the plan that model_plan.c draws up, and the tasks that carry it out.

#ifndef COOK_MODEL_H
#define COOK_MODEL_H

#include "base/digest.h"
#include "cook/recipe_internal.h"
#include "larder/mesh.h"
#include "larder/skeleton.h"

/// A mesh that at least so many nodes or instances place stays one mesh with a part for each, even where placement
/// merges.
#define LRD_INSTANCE_MIN 8

/// How much more than its document's bytes the corners of what a model draws may take: primitives may share their data without end.
#define LRD_MODEL_GROWTH 32ull
#define LRD_MODEL_GROWTH_FLOOR (64ull << 20)

/// Skins that a model may have. Exporters write one a mesh; each costs a walk over the nodes.
#define LRD_MODEL_MAX_SKINS 4096u

/// A primitive that goes into a part.
typedef struct lrd_piece
{
	uint32_t node; ///< model node that places it
	uint32_t mesh;
	uint32_t primitive;
} lrd_piece;

/// Morph weights that a group is placed with, a number a target.
typedef struct lrd_pose_plan
{
	const float *least;
	const float *most; ///< the same, unless several places share it
} lrd_pose_plan;

/// Primitives that are made ready together: they become one part, or the clusters that they are cut into.
typedef struct lrd_group_plan
{
	uint32_t material; ///< document material; LRD_NO_INDEX: none
	uint32_t skeleton; ///< index in the plan's skeletons; LRD_NO_INDEX: rigid
	uint32_t mesh;     ///< document mesh of the first piece, which names the morph targets
	bool baked;        ///< pieces are moved into model space
	lrd_piece *pieces;
	uint32_t piece_count;
	uint32_t piece_capacity;
	uint32_t first_part;
	uint32_t part_count;
	lrd_pose_plan *poses;
	uint32_t pose_count;
	float *widest;       ///< what `poses` is shared by, least and most; NULL: none is
	struct lrd_cut *cut; ///< made ready and cut while planning; NULL: its only part's task makes it ready
} lrd_group_plan;

/// One .lmesh to make: a group, or a cluster of one.
typedef struct lrd_part_plan
{
	lrd_string stem;
	uint32_t group;
	uint32_t cluster; ///< of the group's
	// Written by the part's own task, read by stage 1.
	bool empty; ///< no triangle was left
	lrd_bounds
		bounds; ///< model space when baked or skinned (rest pose), else the mesh's own; no target weighs anything
	lrd_bounds *posed; ///< likewise, with each of the group's poses
} lrd_part_plan;

/// A group placed by a node: a part record of the model for each of the group's parts.
typedef struct lrd_group_use
{
	lrd_string name;
	uint32_t group;
	uint32_t node;      ///< model node; LRD_NO_INDEX: model space
	uint32_t mesh_node; ///< document node, for morph weights and variants
	uint32_t primitive; ///< first piece's primitive, for variants
	uint32_t pose;      ///< of the group's; LRD_NO_INDEX: no target weighs anything
	bool mirrored;
} lrd_group_use;

/// A node of the model: a document node, or one instance of it. Translations are scaled already (lrd_model_scale).
typedef struct lrd_node_plan
{
	uint32_t document_node;
	uint32_t parent; ///< model node; LRD_NO_INDEX
	lrd_transform local;
	lrd_mat4 global;
	bool moving; ///< it or an ancestor is animated
} lrd_node_plan;

/// One .lskel to make.
typedef struct lrd_skeleton_plan
{
	lrd_string stem;
	lrd_string name;
	uint32_t skin;         ///< document skin it is made of
	uint32_t *joint_nodes; ///< model nodes, parents first
	uint32_t joint_count;
	int32_t *parents;
	lrd_mat4 *inverse_binds;
	uint16_t *from_skin; ///< skin joint -> joint
	lrd_mat4 root;
} lrd_skeleton_plan;

/// One .lclip to make.
typedef struct lrd_clip_plan
{
	lrd_string stem;
	lrd_string name;
	uint32_t animation;
} lrd_clip_plan;

typedef enum lrd_image_content
{
	LRD_CONTENT_COLOR,
	LRD_CONTENT_DATA,
	LRD_CONTENT_NORMAL,
	LRD_CONTENT_COUNT
} lrd_image_content;

/// One .ktx2 to make: an image in one use.
typedef struct lrd_image_plan
{
	lrd_string stem;
	uint32_t image;   ///< document image
	lrd_hash128 hash; ///< of its encoded bytes
	lrd_image_content content;
	uint32_t slots;    ///< bits of the material slots that use it so
	uint32_t normals;  ///< document image of the normal map beside it, for roughness; LRD_NO_INDEX: none
	bool has_sampler;  ///< some use said how it wraps; the first one counts
	bool wraps_differ; ///< another said otherwise
	lrd_wrap wrap_u, wrap_v;
	const lrd_texture_settings *settings; ///< those of this image
	bool alpha_weighted;
	float alpha_cutoff;
	// Written by the image's own task, read by stage 1.
	bool undecodable;
} lrd_image_plan;

/// One .lmat to make.
typedef struct lrd_material_plan
{
	lrd_string stem;
	uint32_t images[LRD_SLOT_COUNT]; ///< index in the plan's images; LRD_NO_INDEX: none
} lrd_material_plan;

typedef struct lrd_model_recipe
{
	lrd_recipe base;
	const lrd_document *document;
	lrd_model_settings settings; ///< with every default filled in that is a constant
	lrd_node_plan *nodes;        ///< parents first
	uint32_t node_count;
	uint32_t *model_node;    ///< document node -> model node
	bool *in_scene;          ///< by document node
	lrd_placement placement; ///< that is carried out, whatever the settings wish
	lrd_group_plan *groups;
	uint32_t group_count;
	lrd_group_use *uses;
	uint32_t use_count;
	uint32_t record_count; ///< of parts, that the uses come to
	lrd_part_plan *parts;  ///< group after group
	uint32_t part_count;
	lrd_skeleton_plan *skeletons;
	uint32_t skeleton_count;
	uint32_t *skeleton_of_skin; ///< document skin -> skeleton
	lrd_clip_plan *clips;
	uint32_t clip_count;
	lrd_image_plan *images;
	uint32_t image_count;
	lrd_material_plan *materials; ///< one a document material
	uint32_t image_output;        ///< output of images[0]; likewise below
	uint32_t part_output;
	uint32_t skeleton_output;
	uint32_t clip_output;
	uint32_t material_output;
} lrd_model_recipe;

/// What the settings multiply every length of the source with. Nodes have it in them once they are planned; vertices,
/// inverse binds, clips, lights, cameras and materials are scaled by the tasks that make them.
static inline float lrd_model_scale(const lrd_model_recipe *recipe)
{
	return recipe->settings.scale;
}

/// The morph weights of a group's place: its node's, or its mesh's; a number a target.
const float *lrd_use_weights(const lrd_model_recipe *recipe, const lrd_group_use *use);

// Planning, in this order.
bool lrd_plan_nodes(lrd_model_recipe *recipe, lrd_error *error);
bool lrd_plan_skeletons(lrd_model_recipe *recipe, lrd_error *error);
bool lrd_plan_images(lrd_model_recipe *recipe, lrd_error *error);
bool lrd_plan_groups(lrd_model_recipe *recipe, lrd_error *error);
bool lrd_plan_cuts(lrd_model_recipe *recipe, lrd_error *error);
bool lrd_plan_parts(lrd_model_recipe *recipe, lrd_error *error);
bool lrd_plan_poses(lrd_model_recipe *recipe, lrd_error *error);

// Tasks. Each writes its file into `out` and what it noticed into `notes`.
bool lrd_make_part(lrd_model_recipe *recipe, uint32_t part, lrd_buffer *out, lrd_mesh_report *report, lrd_notes *notes,
	lrd_error *error);
bool lrd_make_image(lrd_model_recipe *recipe, uint32_t image, lrd_buffer *out, lrd_notes *notes, lrd_error *error);
bool lrd_make_skeleton(
	lrd_model_recipe *recipe, uint32_t skeleton, lrd_buffer *out, lrd_skeleton_report *report, lrd_error *error);
bool lrd_make_clip(lrd_model_recipe *recipe, uint32_t clip, lrd_buffer *out, lrd_clip_report *report, lrd_notes *notes,
	lrd_error *error);
bool lrd_make_material(
	lrd_model_recipe *recipe, uint32_t material, lrd_buffer *out, lrd_notes *notes, lrd_error *error);
bool lrd_make_model(lrd_model_recipe *recipe, lrd_buffer *out, lrd_error *error);

/// Free what cuts hold still: of a recipe whose parts were not all made.
void lrd_free_cuts(lrd_model_recipe *recipe);

/// "STEM/KIND.NAME" in the recipe's arena: a cooked file's stem. Data is NULL when memory runs out.
lrd_string lrd_model_file_stem(lrd_model_recipe *recipe, const char *kind, lrd_string name);

#endif
