// Planning a model's nodes: parents first, which are in the scene, which move, and where each is in the rest pose.

#include "cook/model.h"

#include "base/error.h"
#include "base/maths.h"

static bool mark_scene(lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_document *document = recipe->document;
	recipe->in_scene = LRD_ARENA_ARRAY(recipe->base.arena, bool, document->node_count + 1u);
	if (recipe->in_scene == NULL)
	{
		return lrd_fail_memory(error, "scene", document->node_count);
	}
	const lrd_document_scene *scene = NULL;
	if (document->scene_count != 0)
	{
		scene = &document->scenes[document->default_scene == LRD_NO_INDEX ? 0 : document->default_scene];
	}
	for (uint32_t i = 0; i < (scene == NULL ? 0 : scene->root_count); ++i)
	{
		recipe->in_scene[scene->roots[i]] = true;
	}
	if (document->scene_count < 2)
	{
		return true;
	}
	return lrd_note(&recipe->base.plan_notes, "scenes", document->scene_count - 1, error,
		"the file has %u scenes; \"%.*s\" is cooked, what only the others show is not drawn", document->scene_count,
		LRD_STR_ARG(scene->name));
}

static void mark_animated(lrd_model_recipe *recipe, bool *animated)
{
	const lrd_document *document = recipe->document;
	for (uint32_t a = 0; a < document->animation_count; ++a)
	{
		for (uint32_t c = 0; c < document->animations[a].channel_count; ++c)
		{
			const lrd_document_channel *channel = &document->animations[a].channels[c];
			if (channel->path != LRD_PATH_WEIGHTS)
			{
				animated[channel->node] = true;
			}
		}
	}
}

static lrd_node_plan plan_node(const lrd_model_recipe *recipe, uint32_t parent, uint32_t document_node)
{
	const lrd_document_node *node = &recipe->document->nodes[document_node];
	float scale = lrd_model_scale(recipe);
	lrd_node_plan plan = { .document_node = document_node, .parent = parent, .local = node->local };
	plan.local.translation = lrd_vec3_scale(plan.local.translation, scale);
	lrd_mat4 local = node->has_matrix ? node->matrix : lrd_mat4_from_transform(&plan.local);
	for (uint32_t i = 12; node->has_matrix && i < 15; ++i)
	{
		local.m[i] *= scale;
	}
	plan.global = local;
	if (parent != LRD_NO_INDEX)
	{
		plan.global = lrd_mat4_mul(&recipe->nodes[parent].global, &local);
		plan.moving = recipe->nodes[parent].moving;
	}
	return plan;
}

static void add_instances(lrd_model_recipe *recipe, uint32_t model_node)
{
	const lrd_document_node *node = &recipe->document->nodes[recipe->nodes[model_node].document_node];
	for (uint32_t i = 0; i < node->instance_count; ++i)
	{
		lrd_node_plan plan = recipe->nodes[model_node];
		plan.parent = model_node;
		plan.local = node->instances[i];
		plan.local.translation = lrd_vec3_scale(plan.local.translation, lrd_model_scale(recipe));
		lrd_mat4 local = lrd_mat4_from_transform(&plan.local);
		plan.global = lrd_mat4_mul(&recipe->nodes[model_node].global, &local);
		recipe->nodes[recipe->node_count++] = plan;
	}
}

/// Depth first from one root; `stack` has room for every node.
static void add_tree(lrd_model_recipe *recipe, uint32_t root, const bool *animated, uint32_t *stack)
{
	const lrd_document *document = recipe->document;
	bool all_roots = document->scene_count == 0;
	uint32_t depth = 0;
	stack[depth++] = root;
	while (depth != 0)
	{
		uint32_t index = stack[--depth];
		const lrd_document_node *node = &document->nodes[index];
		uint32_t parent = node->parent == LRD_NO_INDEX ? LRD_NO_INDEX : recipe->model_node[node->parent];
		uint32_t here = recipe->node_count++;
		recipe->model_node[index] = here;
		recipe->nodes[here] = plan_node(recipe, parent, index);
		recipe->nodes[here].moving |= animated[index];
		recipe->in_scene[index] |= node->parent == LRD_NO_INDEX ? all_roots : recipe->in_scene[node->parent];
		add_instances(recipe, here);
		for (uint32_t c = node->child_count; c-- > 0;)
		{
			stack[depth++] = node->children[c];
		}
	}
}

bool lrd_plan_nodes(lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_document *document = recipe->document;
	lrd_arena *arena = recipe->base.arena;
	size_t total = document->node_count;
	for (uint32_t i = 0; i < document->node_count; ++i)
	{
		total += document->nodes[i].instance_count;
	}
	if (total >= LRD_NO_INDEX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "the nodes and their instances are too many (%zu)", total);
	}
	recipe->nodes = LRD_ARENA_ARRAY(arena, lrd_node_plan, total + 1);
	recipe->model_node = LRD_ARENA_ARRAY(arena, uint32_t, document->node_count + 1u);
	bool *animated = LRD_ARENA_ARRAY(arena, bool, document->node_count + 1u);
	uint32_t *stack = LRD_ARENA_ARRAY(arena, uint32_t, document->node_count + 1u);
	if (recipe->nodes == NULL || recipe->model_node == NULL || animated == NULL || stack == NULL)
	{
		return lrd_fail_memory(error, "nodes", total * sizeof *recipe->nodes);
	}
	if (!mark_scene(recipe, error))
	{
		return false;
	}
	mark_animated(recipe, animated);
	for (uint32_t i = 0; i < document->node_count; ++i)
	{
		if (document->nodes[i].parent == LRD_NO_INDEX)
		{
			add_tree(recipe, i, animated, stack);
		}
	}
	return true;
}
