// Planning a model's parts: which primitives are made ready together, which nodes place them, and, once it is known what
// large groups are cut into, which mesh files they come to.
//
// Merged placement bakes what stands still into model space, one part a material. What moves, morphs, or is placed many
// times keeps its own space, and so does a volume that its node scales, since its material's thickness is in the mesh's
// space. What is skinned moves by its skeleton alone, so primitives under one skeleton merge too. Editable placement
// keeps every primitive apart, in its own space.

#include "cook/model.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "base/path.h"

#include <assert.h>
#include <math.h>

/// What primitives must have in common to share a group.
typedef struct group_key
{
	uint32_t material;
	uint32_t skeleton;
	uint32_t mesh;      ///< LRD_NO_INDEX: meshes merge
	uint32_t primitive; ///< LRD_NO_INDEX: primitives merge
	uint32_t baked;
	uint32_t unused;        ///< 0: keys are compared and hashed as bytes, so there must be no padding
	uint64_t variants_hash; ///< of the materials it takes in each variant
} group_key;

static_assert(sizeof(group_key) == 6 * sizeof(uint32_t) + sizeof(uint64_t), "no padding");

typedef struct group_row
{
	group_key key;
	uint64_t hash;
	uint32_t group;
	uint32_t first_node; ///< model node that brought it about: only its pieces count when nodes share the group
	uint32_t last_use;   ///< model node of its newest use
} group_row;

typedef struct planner
{
	lrd_model_recipe *recipe;
	uint32_t *placements; ///< by document mesh
	group_row *rows;      ///< open addressing; group == LRD_NO_INDEX: free
	uint32_t capacity;
	size_t group_capacity;
	size_t use_capacity;
	uint64_t corner_bytes; ///< that pieces copy
} planner;

/// The mesh a model node draws, or LRD_NO_INDEX.
static uint32_t drawn_mesh(const lrd_model_recipe *recipe, uint32_t model_node)
{
	const lrd_node_plan *node = &recipe->nodes[model_node];
	const lrd_document_node *source = &recipe->document->nodes[node->document_node];
	bool is_instance = recipe->model_node[node->document_node] != model_node;
	bool draws = recipe->in_scene[node->document_node] && (is_instance || source->instance_count == 0);
	return draws ? source->mesh : LRD_NO_INDEX;
}

static bool is_volume(const lrd_document *document, uint32_t material)
{
	return material != LRD_NO_INDEX && document->materials[material].params.thickness > 0.0f;
}

/// Whether a primitive lets light through for a thickness. That is in the mesh's space and scales with the node
/// (KHR_materials_volume, "Properties").
static bool has_thickness(const lrd_document *document, const lrd_document_primitive *piece)
{
	bool thick = is_volume(document, piece->material);
	for (uint32_t v = 0; piece->variant_materials != NULL && v < document->variant_count; ++v)
	{
		thick = thick || is_volume(document, piece->variant_materials[v]);
	}
	return thick;
}

static bool scales(const lrd_mat4 *matrix)
{
	const float slack = 1e-3f; // of a squared length; a product of many rotations is off by less
	bool unit = true;
	for (uint32_t column = 0; column < 3; ++column)
	{
		const float *axis = &matrix->m[(size_t)4 * column];
		unit = unit && fabsf(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] - 1.0f) <= slack;
	}
	return !unit;
}

static group_key key_of(const planner *self, uint32_t model_node, uint32_t mesh, uint32_t primitive)
{
	const lrd_model_recipe *recipe = self->recipe;
	const lrd_document_node *node = &recipe->document->nodes[recipe->nodes[model_node].document_node];
	const lrd_document_mesh *source = &recipe->document->meshes[mesh];
	const lrd_document_primitive *piece = &source->primitives[primitive];
	bool skinned = node->skin != LRD_NO_INDEX && piece->joints != NULL;
	bool morphed = source->morph_count != 0;
	bool merged = recipe->placement == LRD_PLACEMENT_MERGED;
	bool apart = morphed || recipe->placement == LRD_PLACEMENT_EDITABLE;
	bool still = !recipe->nodes[model_node].moving && self->placements[mesh] < LRD_INSTANCE_MIN &&
				 !(has_thickness(recipe->document, piece) && scales(&recipe->nodes[model_node].global));
	group_key key = {
		.material = piece->material,
		.skeleton = skinned ? recipe->skeleton_of_skin[node->skin] : LRD_NO_INDEX,
		.mesh = mesh,
		.primitive = apart ? primitive : LRD_NO_INDEX,
		.baked = merged && !skinned && !morphed && still,
	};
	if (merged && !morphed && (skinned || still))
	{
		key.mesh = LRD_NO_INDEX;
	}
	if (piece->variant_materials != NULL)
	{
		key.variants_hash = lrd_xxh3_64(piece->variant_materials, recipe->document->variant_count * sizeof(uint32_t));
	}
	return key;
}

static bool same_variants(
	const lrd_model_recipe *recipe, const group_row *entry, const group_key *key, uint32_t mesh, uint32_t primitive)
{
	if (key->variants_hash == 0 || recipe->groups[entry->group].piece_count == 0)
	{
		return true;
	}
	const lrd_piece *other = &recipe->groups[entry->group].pieces[0];
	const uint32_t *a = recipe->document->meshes[other->mesh].primitives[other->primitive].variant_materials;
	const uint32_t *b = recipe->document->meshes[mesh].primitives[primitive].variant_materials;
	return a != NULL && b != NULL && memcmp(a, b, recipe->document->variant_count * sizeof *a) == 0;
}

static bool grow_rows(planner *self, lrd_error *error)
{
	if (self->recipe->group_count * 2 < self->capacity)
	{
		return true;
	}
	uint32_t capacity = self->capacity == 0 ? 64 : self->capacity * 2;
	group_row *rows = LRD_ARENA_ARRAY(self->recipe->base.arena, group_row, capacity);
	if (rows == NULL)
	{
		return lrd_fail_memory(error, "parts", capacity * sizeof *rows);
	}
	for (uint32_t i = 0; i < capacity; ++i)
	{
		rows[i].group = LRD_NO_INDEX;
	}
	for (uint32_t i = 0; i < self->capacity; ++i)
	{
		if (self->rows[i].group != LRD_NO_INDEX)
		{
			uint32_t at = (uint32_t)self->rows[i].hash & (capacity - 1);
			while (rows[at].group != LRD_NO_INDEX)
			{
				at = (at + 1) & (capacity - 1);
			}
			rows[at] = self->rows[i];
		}
	}
	self->rows = rows;
	self->capacity = capacity;
	return true;
}

/// Room for one more element of an arena array that doubles.
static bool arena_push(lrd_arena *arena, void **items, size_t size, uint32_t count, size_t *capacity)
{
	if (count < *capacity)
	{
		return true;
	}
	size_t larger = *capacity == 0 ? 4 : *capacity * 2;
	void *moved = lrd_arena_zeroed(arena, larger, size);
	if (moved == NULL)
	{
		return false;
	}
	if (count != 0)
	{
		memcpy(moved, *items, count * size);
	}
	*items = moved;
	*capacity = larger;
	return true;
}

static lrd_string material_name(const lrd_model_recipe *recipe, uint32_t material)
{
	return material == LRD_NO_INDEX ? LRD_STR("default") : recipe->document->materials[material].name;
}

/// A mesh that ends up in several parts tells them apart by material.
static bool has_several_parts(const lrd_model_recipe *recipe, const lrd_document_mesh *mesh)
{
	if (recipe->placement == LRD_PLACEMENT_EDITABLE)
	{
		return mesh->primitive_count > 1;
	}
	for (uint32_t p = 1; p < mesh->primitive_count; ++p)
	{
		if (mesh->primitives[p].material != mesh->primitives[0].material || mesh->morph_count != 0)
		{
			return true;
		}
	}
	return false;
}

/// `name`, and the material's, or its index where it has none, where the mesh needs it.
static bool joined_name(lrd_model_recipe *recipe, lrd_string *name, uint32_t mesh, uint32_t material, lrd_error *error)
{
	if (!has_several_parts(recipe, &recipe->document->meshes[mesh]))
	{
		return true;
	}
	lrd_string suffix = material_name(recipe, material);
	const char *dot = name->size != 0 ? "." : "";
	*name = suffix.size != 0
				? lrd_arena_printf(recipe->base.arena, "%.*s%s%.*s", LRD_STR_ARG(*name), dot, LRD_STR_ARG(suffix))
				: lrd_arena_printf(recipe->base.arena, "%.*s%s%u", LRD_STR_ARG(*name), dot, material);
	return name->data != NULL || lrd_fail_memory(error, "name", suffix.size);
}

static bool add_use(
	planner *self, group_row *entry, uint32_t model_node, uint32_t mesh, uint32_t primitive, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	const lrd_node_plan *node = &recipe->nodes[model_node];
	bool in_model_space = entry->key.baked || entry->key.skeleton != LRD_NO_INDEX;
	if (!arena_push(
			recipe->base.arena, (void **)&recipe->uses, sizeof *recipe->uses, recipe->use_count, &self->use_capacity))
	{
		return lrd_fail_memory(error, "parts", sizeof *recipe->uses);
	}
	lrd_string name = recipe->document->nodes[node->document_node].name;
	name = name.size != 0 ? name : recipe->document->meshes[mesh].name;
	if (!joined_name(recipe, &name, mesh, entry->key.material, error))
	{
		return false;
	}
	recipe->uses[recipe->use_count++] = (lrd_group_use){
		.name = name, // replaced for groups that merge several pieces
		.group = entry->group,
		.node = in_model_space ? LRD_NO_INDEX : model_node,
		.mesh_node = node->document_node,
		.primitive = primitive,
		.mirrored = !in_model_space && lrd_mat4_determinant3(&node->global) < 0.0f,
	};
	entry->last_use = model_node;
	return true;
}

static group_row *find_row(planner *self, const group_key *key, uint32_t mesh, uint32_t primitive, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (self->capacity - 1);
	while (self->rows[at].group != LRD_NO_INDEX)
	{
		group_row *entry = &self->rows[at];
		if (entry->hash == hash && memcmp(&entry->key, key, sizeof *key) == 0 &&
			same_variants(self->recipe, entry, key, mesh, primitive))
		{
			break;
		}
		at = (at + 1) & (self->capacity - 1);
	}
	return &self->rows[at];
}

/// A file may let any number of nodes and primitives draw the same corners, and give a primitive any number of targets of
/// the same deltas. What comes of that must be in some proportion to what it holds.
static bool count_corners(planner *self, uint32_t mesh, uint32_t primitive, lrd_error *error)
{
	const lrd_document *document = self->recipe->document;
	const lrd_document_mesh *source = &document->meshes[mesh];
	uint64_t most = LRD_MODEL_GROWTH_FLOOR + LRD_MODEL_GROWTH * document->memory;
	uint64_t corner_size = (1 + (uint64_t)source->morph_count) * sizeof(uint32_t);
	self->corner_bytes += source->primitives[primitive].index_count * corner_size;
	return self->corner_bytes <= most ||
		   lrd_fail(error, LRD_ERROR_LIMIT,
			   "its meshes draw %llu MB of corners or more from %llu MB of data, which is more than %llu times as much",
			   (unsigned long long)(self->corner_bytes >> 20), (unsigned long long)(document->memory >> 20),
			   (unsigned long long)LRD_MODEL_GROWTH);
}

static bool add_piece(planner *self, uint32_t model_node, uint32_t mesh, uint32_t primitive, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	lrd_arena *arena = recipe->base.arena;
	group_key key = key_of(self, model_node, mesh, primitive);
	uint64_t hash = lrd_xxh3_64(&key, sizeof key);
	if (!grow_rows(self, error))
	{
		return false;
	}
	group_row *entry = find_row(self, &key, mesh, primitive, hash);
	bool merges = key.mesh == LRD_NO_INDEX;
	if (entry->group == LRD_NO_INDEX)
	{
		if (!arena_push(
				arena, (void **)&recipe->groups, sizeof *recipe->groups, recipe->group_count, &self->group_capacity))
		{
			return lrd_fail_memory(error, "parts", sizeof *recipe->groups);
		}
		*entry = (group_row){ key, hash, recipe->group_count, model_node, LRD_NO_INDEX };
		recipe->groups[recipe->group_count++] = (lrd_group_plan){
			.material = key.material,
			.skeleton = key.skeleton,
			.mesh = mesh,
			.baked = key.baked,
			.part_count = 1,
		};
	}
	lrd_group_plan *group = &recipe->groups[entry->group];
	if (merges || entry->first_node == model_node)
	{
		size_t capacity = group->piece_capacity;
		if (!count_corners(self, mesh, primitive, error))
		{
			return false;
		}
		if (!arena_push(arena, (void **)&group->pieces, sizeof *group->pieces, group->piece_count, &capacity))
		{
			return lrd_fail_memory(error, "pieces", sizeof *group->pieces);
		}
		group->piece_capacity = (uint32_t)capacity;
		group->pieces[group->piece_count++] = (lrd_piece){ model_node, mesh, primitive };
	}
	bool needs_use = merges ? entry->last_use == LRD_NO_INDEX : entry->last_use != model_node;
	return !needs_use || add_use(self, entry, model_node, mesh, primitive, error);
}

/// Every primitive that is drawn, as often as it is.
static bool add_pieces(planner *self, lrd_error *error)
{
	const lrd_model_recipe *recipe = self->recipe;
	const lrd_document *document = recipe->document;
	for (uint32_t n = 0; n < recipe->node_count; ++n)
	{
		uint32_t mesh = drawn_mesh(recipe, n);
		for (uint32_t p = 0; mesh != LRD_NO_INDEX && p < document->meshes[mesh].primitive_count; ++p)
		{
			if (document->meshes[mesh].primitives[p].index_count != 0 && !add_piece(self, n, mesh, p, error))
			{
				return false;
			}
		}
	}
	return true;
}

/// What an editor places by itself can't be part of a skeleton's movement, so a source with skins is merged after all.
static bool choose_placement(lrd_model_recipe *recipe, lrd_error *error)
{
	uint32_t skinned = 0;
	recipe->placement = recipe->settings.placement;
	for (uint32_t n = 0; recipe->placement == LRD_PLACEMENT_EDITABLE && n < recipe->node_count; ++n)
	{
		uint32_t mesh = drawn_mesh(recipe, n);
		uint32_t primitive_count = mesh == LRD_NO_INDEX ? 0 : recipe->document->meshes[mesh].primitive_count;
		bool has_skin = recipe->document->nodes[recipe->nodes[n].document_node].skin != LRD_NO_INDEX;
		for (uint32_t p = 0; has_skin && p < primitive_count; ++p)
		{
			skinned += recipe->document->meshes[mesh].primitives[p].joints != NULL;
		}
	}
	if (skinned == 0)
	{
		return true;
	}
	recipe->placement = LRD_PLACEMENT_MERGED;
	return lrd_note(&recipe->base.plan_notes, "editable-skinned", skinned, error,
		"its placement is to be editable, but %u primitive%s skinned; it is merged instead", skinned,
		skinned == 1 ? " is" : "s are");
}

bool lrd_plan_groups(lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_document *document = recipe->document;
	planner self = { .recipe = recipe };
	self.placements = LRD_ARENA_ARRAY(recipe->base.arena, uint32_t, document->mesh_count + 1u);
	if (self.placements == NULL)
	{
		return lrd_fail_memory(error, "placements", document->mesh_count);
	}
	for (uint32_t n = 0; n < recipe->node_count; ++n)
	{
		uint32_t mesh = drawn_mesh(recipe, n);
		if (mesh != LRD_NO_INDEX)
		{
			self.placements[mesh]++;
		}
	}
	return choose_placement(recipe, error) && add_pieces(&self, error);
}

static bool merges_meshes(const lrd_group_plan *group)
{
	for (uint32_t i = 1; i < group->piece_count; ++i)
	{
		if (group->pieces[i].mesh != group->pieces[0].mesh || group->pieces[i].node != group->pieces[0].node)
		{
			return true;
		}
	}
	return false;
}

/// What a group's files are called, before names that are equal are told apart.
static bool group_name(lrd_model_recipe *recipe, const lrd_group_plan *group, lrd_string *name, lrd_error *error)
{
	bool merges = merges_meshes(group);
	*name = merges ? material_name(recipe, group->material) : recipe->document->meshes[group->mesh].name;
	if (!merges && name->size != 0 && !joined_name(recipe, name, group->mesh, group->material, error))
	{
		return false;
	}
	if (name->size == 0)
	{
		*name = lrd_arena_printf(recipe->base.arena, "%u", merges ? group->material : group->mesh);
	}
	return name->data != NULL || lrd_fail_memory(error, "name", 0);
}

static bool plan_part(lrd_model_recipe *recipe, lrd_names *names, uint32_t group_index, uint32_t cluster,
	lrd_string group_name, lrd_error *error)
{
	lrd_string authored = group_name;
	lrd_string name;
	if (recipe->groups[group_index].part_count > 1)
	{
		authored = lrd_arena_printf(recipe->base.arena, "%.*s.%u", LRD_STR_ARG(group_name), cluster);
	}
	if (authored.data == NULL)
	{
		return lrd_fail_memory(error, "name", group_name.size);
	}
	if (!lrd_names_claim(names, authored, 0, &name, error))
	{
		return false;
	}
	lrd_string stem = lrd_model_file_stem(recipe, "part", name);
	recipe->parts[recipe->part_count++] = (lrd_part_plan){ .stem = stem, .group = group_index, .cluster = cluster };
	return stem.data != NULL || lrd_fail_memory(error, "stem", name.size);
}

static bool count_parts(lrd_model_recipe *recipe, size_t *parts, lrd_error *error)
{
	size_t records = 0;
	for (uint32_t g = 0; g < recipe->group_count; ++g)
	{
		*parts += recipe->groups[g].part_count;
	}
	for (uint32_t u = 0; u < recipe->use_count; ++u)
	{
		records += recipe->groups[recipe->uses[u].group].part_count;
	}
	recipe->record_count = (uint32_t)records;
	return (*parts < LRD_NO_INDEX && records < LRD_NO_INDEX) ||
		   lrd_fail(error, LRD_ERROR_LIMIT, "it comes to %zu parts, which are too many", records);
}

bool lrd_plan_parts(lrd_model_recipe *recipe, lrd_error *error)
{
	lrd_names names = { .arena = recipe->base.arena };
	size_t count = 0;
	if (!count_parts(recipe, &count, error))
	{
		return false;
	}
	recipe->parts = LRD_ARENA_ARRAY(recipe->base.arena, lrd_part_plan, count + 1);
	if (recipe->parts == NULL)
	{
		return lrd_fail_memory(error, "parts", count * sizeof *recipe->parts);
	}
	for (uint32_t u = 0; u < recipe->use_count; ++u)
	{
		lrd_group_use *use = &recipe->uses[u];
		if (merges_meshes(&recipe->groups[use->group]))
		{
			use->name = material_name(recipe, recipe->groups[use->group].material);
		}
	}
	for (uint32_t g = 0; g < recipe->group_count; ++g)
	{
		lrd_group_plan *group = &recipe->groups[g];
		lrd_string name;
		group->first_part = recipe->part_count;
		if (!group_name(recipe, group, &name, error))
		{
			return false;
		}
		for (uint32_t cluster = 0; cluster < group->part_count; ++cluster)
		{
			if (!plan_part(recipe, &names, g, cluster, name, error))
			{
				return false;
			}
		}
	}
	return true;
}
