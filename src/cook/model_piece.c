// Copying one primitive from the document, as the geometry that a group is made of.

#include "cook/model_geometry.h"

#include "base/error.h"

#include <stdlib.h>

/// Fewer indices than one in so many vertices are sorted, rather than the vertices walked over.
#define FEW 16u

/// The vertices of a primitive that its indices name, ascending. Primitives often share one large buffer, and each needs
/// its own few.
typedef struct vertex_picks
{
	lrd_arena *arena;
	uint32_t *vertices; ///< NULL: all of them
	uint32_t count;
	bool good; ///< false: memory ran out
} vertex_picks;

/// Fill `picks`, and make `indices`, a copy of the primitive's, count among them. `numbers` has a zero for each vertex.
static void pick_many(vertex_picks *picks, const lrd_document_primitive *source, uint32_t *indices, uint32_t *numbers)
{
	for (uint32_t i = 0; i < source->index_count; ++i)
	{
		picks->count += numbers[indices[i]] == 0;
		numbers[indices[i]] = 1;
	}
	if (picks->count == source->vertex_count)
	{
		return;
	}
	picks->vertices = lrd_arena_alloc(picks->arena, picks->count * sizeof *picks->vertices);
	picks->good = picks->vertices != NULL;
	for (uint32_t v = 0, next = 0; picks->good && v < source->vertex_count; ++v)
	{
		if (numbers[v] != 0)
		{
			picks->vertices[next] = v;
			numbers[v] = next++;
		}
	}
	for (uint32_t i = 0; picks->good && i < source->index_count; ++i)
	{
		indices[i] = numbers[indices[i]];
	}
}

static int compare_vertices(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void pick_few(vertex_picks *picks, const lrd_document_primitive *source, uint32_t *indices)
{
	picks->vertices = lrd_arena_alloc(picks->arena, source->index_count * sizeof *picks->vertices);
	picks->good = picks->vertices != NULL;
	if (!picks->good)
	{
		return;
	}
	memcpy(picks->vertices, indices, source->index_count * sizeof *indices);
	qsort(picks->vertices, source->index_count, sizeof *picks->vertices, compare_vertices);
	for (uint32_t i = 0; i < source->index_count; ++i)
	{
		if (i == 0 || picks->vertices[i] != picks->vertices[picks->count - 1])
		{
			picks->vertices[picks->count++] = picks->vertices[i];
		}
	}
	for (uint32_t i = 0; i < source->index_count; ++i)
	{
		const uint32_t *at =
			bsearch(&indices[i], picks->vertices, picks->count, sizeof *picks->vertices, compare_vertices);
		indices[i] = (uint32_t)(at - picks->vertices);
	}
}

static void pick_vertices(
	vertex_picks *picks, const lrd_document_primitive *source, uint32_t *indices, lrd_allocator allocator)
{
	if (source->index_count < source->vertex_count / FEW)
	{
		pick_few(picks, source, indices);
		return;
	}
	uint32_t *numbers = lrd_alloc_zeroed(allocator, source->vertex_count, sizeof *numbers);
	picks->good = numbers != NULL;
	if (picks->good)
	{
		pick_many(picks, source, indices, numbers);
		lrd_free(allocator, numbers, source->vertex_count * sizeof *numbers);
	}
}

/// The picked vertices of an attribute of `size` bytes; NULL where there is none.
static void *copy_array(vertex_picks *picks, const void *source, size_t size)
{
	size_t bytes = 0;
	if (source == NULL || !picks->good)
	{
		return NULL;
	}
	uint8_t *copy = lrd_mul_size(picks->count, size, &bytes) ? lrd_arena_alloc(picks->arena, bytes) : NULL;
	picks->good = copy != NULL;
	if (picks->good && picks->vertices == NULL)
	{
		memcpy(copy, source, bytes);
	}
	for (size_t i = 0; picks->good && picks->vertices != NULL && i < picks->count; ++i)
	{
		memcpy(copy + i * size, (const uint8_t *)source + picks->vertices[i] * size, size);
	}
	return copy;
}

/// Likewise vectors that have a length.
static float *copy_lengths(vertex_picks *picks, const float *source, float scale)
{
	float *copy = copy_array(picks, source, 3 * sizeof *source);
	for (size_t i = 0; copy != NULL && scale != 1.0f && i < (size_t)picks->count * 3; ++i)
	{
		copy[i] *= scale;
	}
	return copy;
}

static bool copy_indices(
	vertex_picks *picks, const lrd_document_primitive *source, lrd_geometry *geometry, lrd_allocator allocator)
{
	size_t bytes = source->index_count * sizeof *source->indices;
	geometry->indices = lrd_arena_alloc(picks->arena, bytes);
	picks->good = geometry->indices != NULL;
	if (picks->good)
	{
		memcpy(geometry->indices, source->indices, bytes);
		pick_vertices(picks, source, geometry->indices, allocator);
	}
	geometry->vertex_count = picks->count;
	return picks->good;
}

static void copy_morphs(vertex_picks *picks, const lrd_document_mesh *mesh, const lrd_document_primitive *source,
	float scale, lrd_geometry *geometry)
{
	geometry->morphs = LRD_ARENA_ARRAY(picks->arena, lrd_geometry_morph, mesh->morph_count + 1u);
	picks->good = picks->good && geometry->morphs != NULL;
	geometry->morph_count = mesh->morph_count;
	for (uint32_t m = 0; picks->good && m < mesh->morph_count; ++m)
	{
		geometry->morphs[m].positions = copy_lengths(picks, source->morphs[m].positions, scale);
		geometry->morphs[m].normals = copy_array(picks, source->morphs[m].normals, 12);
		geometry->morphs[m].tangents = copy_array(picks, source->morphs[m].tangents, 12);
	}
}

static void remap_joints(
	const lrd_model_recipe *recipe, const lrd_group_plan *group, const lrd_piece *piece, lrd_geometry *geometry)
{
	const lrd_node_plan *node = &recipe->nodes[piece->node];
	uint32_t skin = recipe->document->nodes[node->document_node].skin;
	const uint16_t *from_skin = recipe->skeletons[group->skeleton].from_skin;
	uint32_t joint_count = recipe->document->skins[skin].joint_count;
	for (size_t i = 0; i < (size_t)geometry->vertex_count * 4; ++i)
	{
		uint16_t joint = geometry->joints[i];
		geometry->joints[i] = joint < joint_count ? from_skin[joint] : 0; // the importer refuses weighted ones
	}
}

bool lrd_copy_piece(const lrd_model_recipe *recipe, const lrd_group_plan *group, const lrd_piece *piece, bool tangents,
	lrd_arena *arena, lrd_geometry *geometry, lrd_error *error)
{
	const lrd_document_mesh *mesh = &recipe->document->meshes[piece->mesh];
	const lrd_document_primitive *source = &mesh->primitives[piece->primitive];
	float scale = lrd_model_scale(recipe);
	bool skinned = group->skeleton != LRD_NO_INDEX;
	vertex_picks picks = { .arena = arena };
	*geometry = (lrd_geometry){ .arena = arena, .index_count = source->index_count };
	if (!copy_indices(&picks, source, geometry, recipe->base.allocator))
	{
		return lrd_fail_memory(error, "primitive", source->index_count * sizeof *source->indices);
	}
	geometry->positions = copy_lengths(&picks, source->positions, scale);
	geometry->normals = copy_array(&picks, source->normals, 12);
	geometry->tangents = tangents ? copy_array(&picks, source->tangents, 16) : NULL;
	geometry->uv[0] = copy_array(&picks, source->uv[0], 8);
	geometry->uv[1] = copy_array(&picks, source->uv[1], 8);
	geometry->colors = copy_array(&picks, source->colors, 16);
	geometry->joints = skinned ? copy_array(&picks, source->joints, 8) : NULL;
	geometry->weights = skinned ? copy_array(&picks, source->weights, 16) : NULL;
	copy_morphs(&picks, mesh, source, scale, geometry);
	if (!picks.good)
	{
		return lrd_fail_memory(error, "primitive", source->vertex_count * (size_t)48);
	}
	if (skinned)
	{
		remap_joints(recipe, group, piece, geometry);
	}
	return true;
}
