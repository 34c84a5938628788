// gpu/user.c: who uses what: a list in each row, so that what changed reaches its users alone. Users that there was no memory to
// remember are not lost: as long as there are any, whatever changes is told to everyone at once, to look for themselves.

#include "gpu/gpu.h"

#include "base/error.h"

typedef struct user_node
{
	uint64_t user;
	uint32_t next; ///< number; 0: the last of its row, or of the free ones
} user_node;

struct lrd_user_table
{
	user_node *nodes; ///< [0] is none
	size_t count;
	size_t capacity;
	uint32_t free_first;
	uint32_t telling;   ///< the node that is told next
	uint64_t forgotten; ///< users that could not be remembered, of all rows
	bool all_changed;   ///< something that they may use changed
	void (*changed)(void *user, const lrd_user_desc *desc);
	void *user;
};

bool lrd_users_make(lrd_residents *residents, lrd_error *error)
{
	residents->users = lrd_alloc_zeroed(residents->allocator, 1, sizeof *residents->users);
	return residents->users != NULL || lrd_fail_memory(error, "the table of users", sizeof *residents->users);
}

static uint32_t take_node(lrd_residents *residents, struct lrd_user_table *table)
{
	if (table->free_first != 0)
	{
		uint32_t number = table->free_first;
		table->free_first = table->nodes[number].next;
		return number;
	}
	if (!LRD_RESERVE(residents->allocator, table->nodes, table->count, 2, table->capacity))
	{
		return 0;
	}
	table->count += table->count == 0;
	return (uint32_t)table->count++;
}

static lrd_row *row_of(lrd_residents *residents, const lrd_user_desc *desc)
{
	lrd_row *row = (unsigned)desc->what <= LRD_CHANGE_MATERIAL
					   ? lrd_table_at(lrd_residents_table(residents, desc->what), desc->index)
					   : NULL;
	return row != NULL && row->references != 0 ? row : NULL;
}

bool lrd_residents_add_user(lrd_residents *residents, const lrd_user_desc *desc)
{
	lrd_row *row = row_of(residents, desc);
	struct lrd_user_table *table = residents->users;
	if (row == NULL)
	{
		return false;
	}
	uint32_t number = take_node(residents, table);
	if (number == 0)
	{
		row->forgotten++;
		table->forgotten++;
		return true;
	}
	table->nodes[number] = (user_node){ desc->user, row->first_user };
	row->first_user = number;
	return true;
}

static void give_node_back(struct lrd_user_table *table, uint32_t number)
{
	if (table->telling == number)
	{
		table->telling = table->nodes[number].next;
	}
	table->nodes[number].next = table->free_first;
	table->free_first = number;
}

void lrd_residents_remove_user(lrd_residents *residents, const lrd_user_desc *desc)
{
	lrd_row *row = row_of(residents, desc);
	struct lrd_user_table *table = residents->users;
	for (uint32_t *link = row != NULL ? &row->first_user : NULL; link != NULL && *link != 0;
		 link = &table->nodes[*link].next)
	{
		uint32_t number = *link;
		if (table->nodes[number].user == desc->user)
		{
			*link = table->nodes[number].next;
			give_node_back(table, number);
			return;
		}
	}
	if (row != NULL && row->forgotten != 0)
	{
		row->forgotten--;
		table->forgotten--;
	}
}

void lrd_residents_on_change(
	lrd_residents *residents, void (*changed)(void *user, const lrd_user_desc *desc), void *user)
{
	residents->users->changed = changed;
	residents->users->user = user;
}

// --- Drawables ---

bool lrd_residents_add_drawable(lrd_residents *residents, lrd_asset mesh, lrd_asset material, uint64_t user,
	lrd_drawable *drawable, lrd_error *error)
{
	*drawable = (lrd_drawable){ .material = LRD_GPU_NO_SLOT, .user = user };
	drawable->mesh = lrd_residents_retain_mesh(residents, mesh, error);
	if (drawable->mesh.generation == 0)
	{
		return false;
	}
	if (material.generation != 0)
	{
		drawable->material = lrd_residents_retain_material(residents, material, error);
		if (drawable->material == LRD_GPU_NO_SLOT)
		{
			lrd_residents_release_mesh(residents, drawable->mesh);
			drawable->mesh = (lrd_mesh_handle){ 0 };
			return false;
		}
		(void)lrd_residents_add_user(residents, &(lrd_user_desc){ LRD_CHANGE_MATERIAL, drawable->material, user });
	}
	return lrd_residents_add_user(residents, &(lrd_user_desc){ LRD_CHANGE_MESH, drawable->mesh.index, user });
}

void lrd_residents_remove_drawable(lrd_residents *residents, const lrd_drawable *drawable)
{
	if (lrd_mesh_row_of(residents, drawable->mesh) != NULL)
	{
		lrd_residents_remove_user(residents, &(lrd_user_desc){ LRD_CHANGE_MESH, drawable->mesh.index, drawable->user });
		lrd_residents_release_mesh(residents, drawable->mesh);
	}
	if (drawable->material != LRD_GPU_NO_SLOT)
	{
		lrd_residents_remove_user(
			residents, &(lrd_user_desc){ LRD_CHANGE_MATERIAL, drawable->material, drawable->user });
		lrd_residents_release_material(residents, drawable->material);
	}
}

// --- Telling ---

void lrd_users_tell(lrd_residents *residents, lrd_row *row)
{
	struct lrd_user_table *table = residents->users;
	if (table->changed == NULL)
	{
		return;
	}
	table->all_changed = table->all_changed || table->forgotten != 0;
	uint32_t number = row->first_user;
	while (number != 0)
	{
		const lrd_user_desc desc = { (lrd_resident_change)row->kind, row->index, table->nodes[number].user };
		table->telling = table->nodes[number].next; // moves on if the callback removes it
		table->changed(table->user, &desc);
		number = table->telling;
	}
}

void lrd_users_tell_everyone(lrd_residents *residents)
{
	struct lrd_user_table *table = residents->users;
	if (table->all_changed && table->changed != NULL)
	{
		table->all_changed = false;
		table->changed(table->user, &(lrd_user_desc){ LRD_CHANGE_EVERYTHING, LRD_GPU_NO_SLOT, 0 });
	}
}

void lrd_users_forget(lrd_residents *residents, lrd_row *row)
{
	residents->users->forgotten -= row->forgotten;
	row->forgotten = 0;
	while (row->first_user != 0)
	{
		uint32_t number = row->first_user;
		row->first_user = residents->users->nodes[number].next;
		give_node_back(residents->users, number);
	}
}

void lrd_users_free(lrd_residents *residents)
{
	struct lrd_user_table *table = residents->users;
	if (table != NULL)
	{
		lrd_free(residents->allocator, table->nodes, table->capacity * sizeof *table->nodes);
		lrd_free(residents->allocator, table, sizeof *table);
		residents->users = NULL;
	}
}
