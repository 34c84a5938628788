// Skeletons: a skin's joints, whatever their order, as parents-first joints that stand on their own.
//
// glTF lets plain nodes stand between and above joints. What is above all joints is one matrix, the skeleton's root,
// down to the node where the ways to them part, or to before the first that is animated; plain nodes below that become
// joints that no vertex names.

#include "cook/model.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "larder/write.h"

#include <stdlib.h>

/// The nodes that one skin needs. Made once for all skins: whatever a skin marked, the next one clears.
typedef struct closure
{
	bool *needed;          ///< by model node
	bool *is_joint;        ///< by model node
	uint32_t *only_child;  ///< the needed child, where there is just one
	uint32_t *child_count; ///< needed children
	uint32_t *joint_of;    ///< by model node
	uint32_t *marked;      ///< the nodes that are or were needed
	uint32_t marked_count;
	uint32_t root_count;
	uint32_t root;
} closure;

static bool closure_init(closure *set, lrd_model_recipe *recipe, lrd_error *error)
{
	lrd_arena *arena = recipe->base.arena;
	size_t count = recipe->node_count + 1u;
	set->needed = LRD_ARENA_ARRAY(arena, bool, count);
	set->is_joint = LRD_ARENA_ARRAY(arena, bool, count);
	set->only_child = LRD_ARENA_ARRAY(arena, uint32_t, count);
	set->child_count = LRD_ARENA_ARRAY(arena, uint32_t, count);
	set->joint_of = LRD_ARENA_ARRAY(arena, uint32_t, count);
	set->marked = LRD_ARENA_ARRAY(arena, uint32_t, count);
	if (set->needed == NULL || set->is_joint == NULL || set->only_child == NULL || set->child_count == NULL ||
		set->joint_of == NULL || set->marked == NULL)
	{
		return lrd_fail_memory(error, "skeleton", count * 18);
	}
	return true;
}

static void closure_clear(closure *set)
{
	for (uint32_t i = 0; i < set->marked_count; ++i)
	{
		uint32_t node = set->marked[i];
		set->needed[node] = false;
		set->is_joint[node] = false;
		set->child_count[node] = 0;
	}
	set->marked_count = 0;
	set->root_count = 0;
}

static int compare_nodes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/// A skin's joints and all that is above them; `marked` in the order of the nodes, so parents first.
static void closure_mark(closure *set, const lrd_model_recipe *recipe, const lrd_document_skin *skin)
{
	closure_clear(set);
	for (uint32_t j = 0; j < skin->joint_count; ++j)
	{
		uint32_t node = recipe->model_node[skin->joints[j]];
		set->is_joint[node] = true;
		while (node != LRD_NO_INDEX && !set->needed[node])
		{
			uint32_t parent = recipe->nodes[node].parent;
			set->needed[node] = true;
			set->marked[set->marked_count++] = node;
			if (parent == LRD_NO_INDEX)
			{
				set->root_count++;
				set->root = node;
			}
			else
			{
				set->child_count[parent]++;
				set->only_child[parent] = node;
			}
			node = parent;
		}
	}
	qsort(set->marked, set->marked_count, sizeof *set->marked, compare_nodes);
}

/// Take plain, unmoving nodes off the top as long as one node is above all others. Returns their transform.
static lrd_mat4 closure_trim(closure *set, const lrd_model_recipe *recipe)
{
	lrd_mat4 root = lrd_mat4_identity();
	if (set->root_count != 1)
	{
		return root;
	}
	uint32_t node = set->root;
	while (!set->is_joint[node] && !recipe->nodes[node].moving)
	{
		root = recipe->nodes[node].global;
		set->needed[node] = false;
		if (set->child_count[node] != 1)
		{
			break;
		}
		node = set->only_child[node];
	}
	return root;
}

static bool fill_skeleton(lrd_model_recipe *recipe, const closure *set, lrd_skeleton_plan *plan, lrd_error *error)
{
	const lrd_document_skin *skin = &recipe->document->skins[plan->skin];
	lrd_arena *arena = recipe->base.arena;
	uint32_t count = 0;
	for (uint32_t i = 0; i < set->marked_count; ++i)
	{
		count += set->needed[set->marked[i]];
	}
	if (count > LRD_SKELETON_MAX_JOINTS)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"skin \"%.*s\": %u joints, with the nodes between them, are more than %d", LRD_STR_ARG(skin->name), count,
			LRD_SKELETON_MAX_JOINTS);
	}
	plan->joint_nodes = LRD_ARENA_ARRAY(arena, uint32_t, count + 1u);
	plan->parents = LRD_ARENA_ARRAY(arena, int32_t, count + 1u);
	plan->inverse_binds = LRD_ARENA_ARRAY(arena, lrd_mat4, count + 1u);
	plan->from_skin = LRD_ARENA_ARRAY(arena, uint16_t, skin->joint_count + 1u);
	if (plan->joint_nodes == NULL || plan->parents == NULL || plan->inverse_binds == NULL || plan->from_skin == NULL)
	{
		return lrd_fail_memory(error, "skeleton", count * sizeof(lrd_mat4));
	}
	for (uint32_t i = 0; i < set->marked_count; ++i)
	{
		uint32_t node = set->marked[i];
		if (set->needed[node])
		{
			uint32_t joint = plan->joint_count++;
			uint32_t parent = recipe->nodes[node].parent;
			set->joint_of[node] = joint;
			plan->joint_nodes[joint] = node;
			plan->parents[joint] = parent != LRD_NO_INDEX && set->needed[parent] ? (int32_t)set->joint_of[parent] : -1;
			plan->inverse_binds[joint] = lrd_mat4_identity();
		}
	}
	for (uint32_t j = skin->joint_count; j-- > 0;) // of a joint that is listed twice, the first counts
	{
		uint32_t joint = set->joint_of[recipe->model_node[skin->joints[j]]];
		plan->from_skin[j] = (uint16_t)joint;
		plan->inverse_binds[joint] = skin->inverse_binds[j];
		// Lengths of meshes and of joints are scaled alike; the inverse of a scaled matrix has its translation scaled.
		for (uint32_t i = 12; i < 15; ++i)
		{
			plan->inverse_binds[joint].m[i] *= lrd_model_scale(recipe);
		}
	}
	return true;
}

static bool same_skin(const lrd_document_skin *a, const lrd_document_skin *b)
{
	return a->joint_count == b->joint_count && memcmp(a->joints, b->joints, a->joint_count * sizeof *a->joints) == 0 &&
		   memcmp(a->inverse_binds, b->inverse_binds, a->joint_count * sizeof *a->inverse_binds) == 0;
}

static uint32_t find_same(const lrd_model_recipe *recipe, const lrd_document_skin *skin)
{
	for (uint32_t s = 0; s < recipe->skeleton_count; ++s)
	{
		if (same_skin(skin, &recipe->document->skins[recipe->skeletons[s].skin]))
		{
			return s;
		}
	}
	return LRD_NO_INDEX;
}

static bool plan_skeleton(lrd_model_recipe *recipe, uint32_t skin, closure *set, lrd_names *names, lrd_error *error)
{
	const lrd_document_skin *source = &recipe->document->skins[skin];
	lrd_skeleton_plan *plan = &recipe->skeletons[recipe->skeleton_count];
	*plan = (lrd_skeleton_plan){ .skin = skin, .name = source->name };
	closure_mark(set, recipe, source);
	plan->root = closure_trim(set, recipe);
	lrd_string name;
	if (!fill_skeleton(recipe, set, plan, error) || !lrd_names_claim(names, source->name, skin, &name, error))
	{
		return false;
	}
	plan->stem = lrd_model_file_stem(recipe, "skeleton", name);
	if (plan->stem.data == NULL)
	{
		return lrd_fail_memory(error, "stem", name.size);
	}
	recipe->skeleton_count++;
	return true;
}

bool lrd_plan_skeletons(lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_document *document = recipe->document;
	lrd_arena *arena = recipe->base.arena;
	closure set = { 0 };
	lrd_names names = { .arena = arena };
	recipe->skeletons = LRD_ARENA_ARRAY(arena, lrd_skeleton_plan, document->skin_count + 1u);
	recipe->skeleton_of_skin = LRD_ARENA_ARRAY(arena, uint32_t, document->skin_count + 1u);
	if (recipe->skeletons == NULL || recipe->skeleton_of_skin == NULL)
	{
		return lrd_fail_memory(error, "skeletons", document->skin_count * sizeof *recipe->skeletons);
	}
	if (document->skin_count > LRD_MODEL_MAX_SKINS)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "%u skins are more than the %u that a model may have",
			document->skin_count, LRD_MODEL_MAX_SKINS);
	}
	if (document->skin_count != 0 && !closure_init(&set, recipe, error))
	{
		return false;
	}
	for (uint32_t s = 0; s < document->skin_count; ++s)
	{
		uint32_t same = find_same(recipe, &document->skins[s]);
		recipe->skeleton_of_skin[s] = same == LRD_NO_INDEX ? recipe->skeleton_count : same;
		if (same == LRD_NO_INDEX && !plan_skeleton(recipe, s, &set, &names, error))
		{
			return false;
		}
	}
	return true;
}

static bool fill_joint(const lrd_model_recipe *recipe, const lrd_skeleton_plan *plan, uint32_t j, lrd_text_table *table,
	lrd_joint *joint, lrd_error *error)
{
	const lrd_node_plan *node = &recipe->nodes[plan->joint_nodes[j]];
	lrd_string name = recipe->document->nodes[node->document_node].name;
	lrd_text text;
	if (!lrd_text_table_add(table, name, &text, error))
	{
		return false;
	}
	*joint = (lrd_joint){
		.name_offset = text.offset,
		.name_size = text.size,
		.name_hash = lrd_fnv1a_32(name),
		.parent = (int16_t)plan->parents[j],
		.translation = { node->local.translation.x, node->local.translation.y, node->local.translation.z },
		.scale = { node->local.scale.x, node->local.scale.y, node->local.scale.z },
	};
	lrd_vec4 rotation = lrd_quat_normalize(node->local.rotation);
	memcpy(joint->rotation, &rotation, sizeof joint->rotation);
	memcpy(joint->inverse_bind, plan->inverse_binds[j].m, sizeof joint->inverse_bind);
	return true;
}

bool lrd_make_skeleton(
	lrd_model_recipe *recipe, uint32_t skeleton, lrd_buffer *out, lrd_skeleton_report *report, lrd_error *error)
{
	const lrd_skeleton_plan *plan = &recipe->skeletons[skeleton];
	lrd_allocator allocator = recipe->base.allocator;
	size_t size = plan->joint_count * sizeof(lrd_joint);
	lrd_joint *joints = lrd_alloc(allocator, size);
	lrd_text_table *table = lrd_text_table_create(allocator);
	lrd_text name;
	bool good = (joints != NULL && table != NULL) || lrd_fail_memory(error, "joints", size);
	good = good && lrd_text_table_add(table, plan->name, &name, error);
	for (uint32_t j = 0; good && j < plan->joint_count; ++j)
	{
		good = fill_joint(recipe, plan, j, table, &joints[j], error);
	}
	if (good)
	{
		lrd_skeleton_view view = {
			.name = plan->name,
			.joints = joints,
			.joint_count = plan->joint_count,
			.root = plan->root,
			.strings = lrd_text_table_block(table),
		};
		good = lrd_skeleton_write(&view, out, error);
		report->joints = plan->joint_count;
		report->skin_joints = recipe->document->skins[plan->skin].joint_count;
	}
	lrd_text_table_destroy(table);
	lrd_free(allocator, joints, size);
	return good || lrd_fail_in(error, "%.*s.lskel", LRD_STR_ARG(plan->stem));
}
