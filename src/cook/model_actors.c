// The placement template: how an editor places the model as separate actors. One actor for each node that draws
// something or has such a node below it, in the source's hierarchy. A node that draws one part is that part; one that
// draws several is an empty with an actor for each of them.

#include "cook/model_builder.h"

#include "base/error.h"

/// What a node draws: uses of one node stand together, and so do their records.
typedef struct node_parts
{
	uint32_t first_use;
	uint32_t use_count;
	uint32_t first_record;
	uint32_t record_count;
	bool needed;    ///< it, or something below it, draws
	uint32_t actor; ///< where it is needed
} node_parts;

static void gather_parts(const lrd_model_builder *self, node_parts *nodes)
{
	const lrd_model_recipe *recipe = self->recipe;
	for (uint32_t u = 0; u < recipe->use_count; ++u)
	{
		const lrd_model_records *records = &self->records[u];
		node_parts *node = &nodes[recipe->uses[u].node];
		if (records->count == 0)
		{
			continue;
		}
		node->first_use = node->use_count == 0 ? u : node->first_use;
		node->first_record = node->use_count == 0 ? records->first : node->first_record;
		node->use_count++;
		node->record_count += records->count;
		node->needed = true;
	}
	for (uint32_t n = recipe->node_count; n-- > 0;)
	{
		uint32_t parent = recipe->nodes[n].parent;
		if (parent != LRD_NO_INDEX && nodes[n].needed)
		{
			nodes[parent].needed = true;
		}
	}
}

static bool add_node(lrd_model_builder *self, lrd_model_actor *actors, node_parts *nodes, uint32_t n)
{
	const lrd_node_plan *plan = &self->recipe->nodes[n];
	lrd_string name = self->recipe->document->nodes[plan->document_node].name;
	node_parts *node = &nodes[n];
	node->actor = self->view.actor_count;
	lrd_model_actor *actor = &actors[self->view.actor_count++];
	actor->parent = plan->parent == LRD_NO_INDEX ? -1 : (int32_t)nodes[plan->parent].actor;
	actor->part = node->record_count == 1 ? node->first_record : LRD_NO_INDEX;
	lrd_model_store_transform(&plan->local, actor->translation, actor->rotation, actor->scale);
	if (name.size == 0 && actor->part != LRD_NO_INDEX)
	{
		name = self->recipe->uses[node->first_use].name;
	}
	return lrd_text_table_add(self->table, name, &actor->name, self->error);
}

static void add_parts(lrd_model_builder *self, lrd_model_actor *actors, const node_parts *node)
{
	static const lrd_transform identity = { .rotation = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } };
	for (uint32_t i = 0; node->record_count > 1 && i < node->record_count; ++i)
	{
		lrd_model_actor *actor = &actors[self->view.actor_count++];
		actor->parent = (int32_t)node->actor;
		actor->part = node->first_record + i;
		actor->name = self->parts[actor->part].name;
		lrd_model_store_transform(&identity, actor->translation, actor->rotation, actor->scale);
	}
}

bool lrd_build_actors(lrd_model_builder *self)
{
	const lrd_model_recipe *recipe = self->recipe;
	if (recipe->placement != LRD_PLACEMENT_EDITABLE)
	{
		return true;
	}
	size_t most = (size_t)recipe->node_count + self->view.part_count;
	node_parts *nodes = LRD_ARENA_ARRAY(self->arena, node_parts, recipe->node_count + 1u);
	lrd_model_actor *actors = LRD_ARENA_ARRAY(self->arena, lrd_model_actor, most + 1);
	if (nodes == NULL || actors == NULL)
	{
		return lrd_fail_memory(self->error, "actors", most * sizeof *actors);
	}
	gather_parts(self, nodes);
	for (uint32_t n = 0; n < recipe->node_count; ++n)
	{
		if (nodes[n].needed)
		{
			if (!add_node(self, actors, nodes, n))
			{
				return false;
			}
			add_parts(self, actors, &nodes[n]);
		}
	}
	self->view.actors = actors;
	return true;
}
