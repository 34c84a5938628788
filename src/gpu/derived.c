// gpu/derived.c: structures that the renderer derives from meshes, kept within a budget: the least recently used go first, those that
// frames use, or that are being built, stay. Those of a mesh that is gone, or has other content, go when no frame uses them.

#include "gpu/gpu.h"

#include "base/error.h"

typedef struct derived_node
{
	lrd_derived_desc desc;
	uint64_t frame; ///< that used it last, or builds it
	uint32_t next;  ///< number: of the same mesh; or among the dead, or the free ones
	uint32_t older; ///< neighbours by use; 0: none
	uint32_t newer;
} derived_node;

struct lrd_derived_table
{
	derived_node *nodes; ///< [0] is none
	size_t count;
	size_t capacity;
	uint32_t free_first;
	uint32_t oldest;
	uint32_t newest;
	uint32_t dead; ///< wait for their frames
};

bool lrd_derived_make(lrd_residents *residents, lrd_error *error)
{
	residents->derived = lrd_alloc_zeroed(residents->allocator, 1, sizeof *residents->derived);
	return residents->derived != NULL ||
		   lrd_fail_memory(error, "the table of derived structures", sizeof *residents->derived);
}

// --- By use ---

static void unlink_use(struct lrd_derived_table *table, uint32_t number)
{
	derived_node *node = &table->nodes[number];
	*(node->newer != 0 ? &table->nodes[node->newer].older : &table->newest) = node->older;
	*(node->older != 0 ? &table->nodes[node->older].newer : &table->oldest) = node->newer;
	node->newer = node->older = 0;
}

static void link_newest(struct lrd_derived_table *table, uint32_t number)
{
	derived_node *node = &table->nodes[number];
	node->newer = 0;
	node->older = table->newest;
	*(table->newest != 0 ? &table->nodes[table->newest].newer : &table->oldest) = number;
	table->newest = number;
}

// --- Of a mesh ---

static uint32_t *find(struct lrd_derived_table *table, lrd_mesh_row *mesh, uint32_t sort)
{
	uint32_t *link = &mesh->first_derived;
	while (*link != 0 && table->nodes[*link].desc.sort != sort)
	{
		link = &table->nodes[*link].next;
	}
	return link;
}

// Nobody finds it any more.
static void kill(struct lrd_derived_table *table, uint32_t *link)
{
	uint32_t number = *link;
	derived_node *node = &table->nodes[number];
	*link = node->next;
	unlink_use(table, number);
	node->next = table->dead;
	table->dead = number;
}

void lrd_derived_kill(lrd_residents *residents, lrd_mesh_row *mesh)
{
	while (mesh->first_derived != 0)
	{
		kill(residents->derived, &mesh->first_derived);
	}
}

bool lrd_residents_add_derived(lrd_residents *residents, const lrd_derived_desc *desc)
{
	struct lrd_derived_table *table = residents->derived;
	lrd_mesh_row *mesh = lrd_mesh_row_of(residents, desc->mesh);
	if (mesh == NULL || desc->free == NULL || desc->object == 0 ||
		(table->free_first == 0 && !LRD_RESERVE(residents->allocator, table->nodes, table->count, 2, table->capacity)))
	{
		return false;
	}
	uint32_t *old = find(table, mesh, desc->sort);
	if (*old != 0)
	{
		kill(table, old);
	}
	table->count += table->count == 0;
	uint32_t number = table->free_first != 0 ? table->free_first : (uint32_t)table->count++;
	table->free_first = number == table->free_first ? table->nodes[number].next : table->free_first;
	table->nodes[number] = (derived_node){ .desc = *desc, .frame = residents->frame, .next = mesh->first_derived };
	mesh->first_derived = number;
	link_newest(table, number);
	residents->stats.derived++;
	residents->stats.derived_bytes += desc->bytes;
	return true;
}

uint64_t lrd_residents_use_derived(lrd_residents *residents, lrd_mesh_handle mesh, uint32_t sort)
{
	struct lrd_derived_table *table = residents->derived;
	lrd_mesh_row *row = lrd_mesh_row_of(residents, mesh);
	uint32_t number = row != NULL ? *find(table, row, sort) : 0;
	if (number == 0)
	{
		return 0;
	}
	table->nodes[number].frame = residents->frame;
	unlink_use(table, number);
	link_newest(table, number);
	return table->nodes[number].desc.object;
}

// --- Freeing ---

static void free_node(lrd_residents *residents, uint32_t number)
{
	struct lrd_derived_table *table = residents->derived;
	const lrd_derived_desc desc = table->nodes[number].desc;
	table->nodes[number].next = table->free_first;
	table->free_first = number;
	residents->stats.derived--;
	residents->stats.derived_bytes -= desc.bytes;
	desc.free(desc.user, desc.object);
}

void lrd_derived_update(lrd_residents *residents)
{
	struct lrd_derived_table *table = residents->derived;
	while (residents->stats.derived_bytes > residents->desc.derived && table->oldest != 0 &&
		   table->nodes[table->oldest].frame <= residents->completed)
	{
		uint32_t number = table->oldest;
		const lrd_derived_desc *desc = &table->nodes[number].desc;
		lrd_mesh_row *mesh = (lrd_mesh_row *)lrd_table_at(&residents->meshes, desc->mesh.index);
		kill(table, find(table, mesh, desc->sort));
		table->dead = table->nodes[number].next;
		free_node(residents, number);
	}
	uint32_t dead = table->dead;
	table->dead = 0;
	while (dead != 0)
	{
		uint32_t number = dead;
		dead = table->nodes[number].next;
		if (table->nodes[number].frame <= residents->completed)
		{
			free_node(residents, number);
			continue;
		}
		table->nodes[number].next = table->dead;
		table->dead = number;
	}
}

void lrd_derived_free(lrd_residents *residents)
{
	struct lrd_derived_table *table = residents->derived;
	while (table != NULL && table->dead != 0)
	{
		uint32_t number = table->dead;
		table->dead = table->nodes[number].next;
		free_node(residents, number);
	}
	if (table != NULL)
	{
		lrd_free(residents->allocator, table->nodes, table->capacity * sizeof *table->nodes);
		lrd_free(residents->allocator, table, sizeof *table);
		residents->derived = NULL;
	}
}
