// Planning a model's parts: which primitives go into one mesh file, and which nodes place it.
//
// Merged placement bakes what stands still into model space, one part a material. What moves, morphs, or is placed many
// times keeps its own space, and so does a volume that its node scales, since its material's thickness is in the mesh's
// space. What is skinned moves by its skeleton alone, so primitives under one skeleton merge too.

#include "cook/model.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "base/path.h"

#include <assert.h>
#include <math.h>

/// What primitives must have in common to share a part.
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

typedef struct group
{
	group_key key;
	uint64_t hash;
	uint32_t part;
	uint32_t first_node; ///< model node that brought it about: only its pieces count when nodes share the part
	uint32_t last_use;   ///< model node of its newest use
} group;

typedef struct planner
{
	lrd_model_recipe *recipe;
	uint32_t *placements; ///< by document mesh
	group *groups;        ///< open addressing; part == LRD_NO_INDEX: free
	uint32_t capacity;
	size_t part_capacity;
	size_t use_capacity;
	lrd_names names;
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
	bool merged = recipe->base.settings->model.placement == LRD_PLACEMENT_MERGED;
	bool still = !recipe->nodes[model_node].moving && self->placements[mesh] < LRD_INSTANCE_MIN &&
				 !(has_thickness(recipe->document, piece) && scales(&recipe->nodes[model_node].global));
	group_key key = {
		.material = piece->material,
		.skeleton = skinned ? recipe->skeleton_of_skin[node->skin] : LRD_NO_INDEX,
		.mesh = mesh,
		.primitive = morphed ? primitive : LRD_NO_INDEX,
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
	const lrd_model_recipe *recipe, const group *entry, const group_key *key, uint32_t mesh, uint32_t primitive)
{
	if (key->variants_hash == 0 || recipe->parts[entry->part].piece_count == 0)
	{
		return true;
	}
	const lrd_piece *other = &recipe->parts[entry->part].pieces[0];
	const uint32_t *a = recipe->document->meshes[other->mesh].primitives[other->primitive].variant_materials;
	const uint32_t *b = recipe->document->meshes[mesh].primitives[primitive].variant_materials;
	return a != NULL && b != NULL && memcmp(a, b, recipe->document->variant_count * sizeof *a) == 0;
}

static bool grow_groups(planner *self, lrd_error *error)
{
	if (self->recipe->part_count * 2 < self->capacity)
	{
		return true;
	}
	uint32_t capacity = self->capacity == 0 ? 64 : self->capacity * 2;
	group *groups = LRD_ARENA_ARRAY(self->recipe->base.arena, group, capacity);
	if (groups == NULL)
	{
		return lrd_fail_memory(error, "parts", capacity * sizeof *groups);
	}
	for (uint32_t i = 0; i < capacity; ++i)
	{
		groups[i].part = LRD_NO_INDEX;
	}
	for (uint32_t i = 0; i < self->capacity; ++i)
	{
		if (self->groups[i].part != LRD_NO_INDEX)
		{
			uint32_t at = (uint32_t)self->groups[i].hash & (capacity - 1);
			while (groups[at].part != LRD_NO_INDEX)
			{
				at = (at + 1) & (capacity - 1);
			}
			groups[at] = self->groups[i];
		}
	}
	self->groups = groups;
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
static bool has_several_parts(const lrd_document_mesh *mesh)
{
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
	if (!has_several_parts(&recipe->document->meshes[mesh]))
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
	planner *self, group *entry, uint32_t model_node, uint32_t mesh, uint32_t primitive, lrd_error *error)
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
	recipe->uses[recipe->use_count++] = (lrd_part_use){
		.name = name, // replaced for parts that merge several pieces
		.part = entry->part,
		.node = in_model_space ? LRD_NO_INDEX : model_node,
		.mesh_node = node->document_node,
		.primitive = primitive,
		.mirrored = !in_model_space && lrd_mat4_determinant3(&node->global) < 0.0f,
	};
	entry->last_use = model_node;
	return true;
}

static group *find_group(planner *self, const group_key *key, uint32_t mesh, uint32_t primitive, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (self->capacity - 1);
	while (self->groups[at].part != LRD_NO_INDEX)
	{
		group *entry = &self->groups[at];
		if (entry->hash == hash && memcmp(&entry->key, key, sizeof *key) == 0 &&
			same_variants(self->recipe, entry, key, mesh, primitive))
		{
			break;
		}
		at = (at + 1) & (self->capacity - 1);
	}
	return &self->groups[at];
}

static bool add_piece(planner *self, uint32_t model_node, uint32_t mesh, uint32_t primitive, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	lrd_arena *arena = recipe->base.arena;
	group_key key = key_of(self, model_node, mesh, primitive);
	uint64_t hash = lrd_xxh3_64(&key, sizeof key);
	if (!grow_groups(self, error))
	{
		return false;
	}
	group *entry = find_group(self, &key, mesh, primitive, hash);
	bool merges = key.mesh == LRD_NO_INDEX;
	if (entry->part == LRD_NO_INDEX)
	{
		if (!arena_push(
				arena, (void **)&recipe->parts, sizeof *recipe->parts, recipe->part_count, &self->part_capacity))
		{
			return lrd_fail_memory(error, "parts", sizeof *recipe->parts);
		}
		*entry = (group){ key, hash, recipe->part_count, model_node, LRD_NO_INDEX };
		recipe->parts[recipe->part_count++] =
			(lrd_part_plan){ .material = key.material, .skeleton = key.skeleton, .mesh = mesh, .baked = key.baked };
	}
	lrd_part_plan *part = &recipe->parts[entry->part];
	if (merges || entry->first_node == model_node)
	{
		size_t capacity = part->piece_capacity;
		if (!arena_push(arena, (void **)&part->pieces, sizeof *part->pieces, part->piece_count, &capacity))
		{
			return lrd_fail_memory(error, "pieces", sizeof *part->pieces);
		}
		part->piece_capacity = (uint32_t)capacity;
		part->pieces[part->piece_count++] = (lrd_piece){ model_node, mesh, primitive };
	}
	bool needs_use = merges ? entry->last_use == LRD_NO_INDEX : entry->last_use != model_node;
	return !needs_use || add_use(self, entry, model_node, mesh, primitive, error);
}

static bool merges_meshes(const lrd_part_plan *part)
{
	for (uint32_t i = 1; i < part->piece_count; ++i)
	{
		if (part->pieces[i].mesh != part->pieces[0].mesh || part->pieces[i].node != part->pieces[0].node)
		{
			return true;
		}
	}
	return false;
}

static bool name_parts(planner *self, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	for (uint32_t u = 0; u < recipe->use_count; ++u)
	{
		lrd_part_use *use = &recipe->uses[u];
		if (merges_meshes(&recipe->parts[use->part]))
		{
			use->name = material_name(recipe, recipe->parts[use->part].material);
		}
	}
	for (uint32_t p = 0; p < recipe->part_count; ++p)
	{
		lrd_part_plan *part = &recipe->parts[p];
		bool merges = merges_meshes(part);
		lrd_string authored =
			merges ? material_name(recipe, part->material) : recipe->document->meshes[part->mesh].name;
		if (!merges && authored.size != 0 && !joined_name(recipe, &authored, part->mesh, part->material, error))
		{
			return false;
		}
		lrd_string name;
		if (!lrd_names_claim(&self->names, authored, merges ? part->material : part->mesh, &name, error))
		{
			return false;
		}
		part->stem = lrd_model_file_stem(recipe, "part", name);
		if (part->stem.data == NULL)
		{
			return lrd_fail_memory(error, "stem", name.size);
		}
	}
	return true;
}

/// Every primitive that is drawn, as often as it is.
static bool add_pieces(planner *self, lrd_error *error)
{
	const lrd_model_recipe *recipe = self->recipe;
	const lrd_document *document = recipe->document;
	uint64_t most = LRD_MODEL_GROWTH_FLOOR + LRD_MODEL_GROWTH * document->memory;
	uint64_t corner_bytes = 0;
	for (uint32_t n = 0; n < recipe->node_count; ++n)
	{
		uint32_t mesh = drawn_mesh(recipe, n);
		bool copied = mesh != LRD_NO_INDEX && self->placements[mesh] < LRD_INSTANCE_MIN;
		for (uint32_t p = 0; mesh != LRD_NO_INDEX && p < document->meshes[mesh].primitive_count; ++p)
		{
			uint32_t index_count = document->meshes[mesh].primitives[p].index_count;
			corner_bytes += copied ? index_count * (uint64_t)sizeof(uint32_t) : 0;
			if (corner_bytes > most)
			{
				return lrd_fail(error, LRD_ERROR_LIMIT,
					"its meshes draw %llu MB of corners or more from %llu MB of data, which is more than %llu times as "
					"much",
					(unsigned long long)(corner_bytes >> 20), (unsigned long long)(document->memory >> 20),
					(unsigned long long)LRD_MODEL_GROWTH);
			}
			if (index_count != 0 && !add_piece(self, n, mesh, p, error))
			{
				return false;
			}
		}
	}
	return true;
}

bool lrd_plan_parts(lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_document *document = recipe->document;
	planner self = { .recipe = recipe, .names = { .arena = recipe->base.arena } };
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
	return add_pieces(&self, error) && name_parts(&self, error);
}
