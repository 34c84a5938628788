// Morph targets, blended on the CPU: deltas of every vertex, for shaders to add. They are kept from frame to frame, and blended anew only
// when weights have changed or another mesh has come.

#include "cli/view/render.h"

#include <stdlib.h>
#include <string.h>

#define STORAGE VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
#define DELTA_FLOATS 9u // a vertex: position, normal, tangent
#define SNORM (2.0f / 32767.0f)

/// A part's.
typedef struct blend
{
	uint32_t part;
	uint32_t first_weight; ///< of view_morphs.weights: parts of a node may share the scene's
	uint32_t generation;   ///< of the mesh that it was blended from
	uint64_t revision;     ///< of view_renderer.blends; 0: it is to be blended
	size_t first;          ///< of its floats among all deltas
	size_t size;           ///< floats; 0: the mesh is not there
	bool moves;            ///< otherwise all its deltas are 0
} blend;

struct view_morphs
{
	blend *blends;
	uint32_t count;
	float *weights; ///< that were blended
	float *deltas;
	size_t size, room; ///< of those
};

bool view_morphs_make(view_scene *scene)
{
	size_t count = 0, weight_count = 0;
	for (uint32_t i = 0; i < scene->part_count; ++i)
	{
		count += scene->parts[i].weight_count != 0;
		weight_count += scene->parts[i].weight_count;
	}
	if (count == 0)
	{
		return true;
	}
	view_morphs *self = scene->morphs = calloc(1, sizeof *self);
	if (self != NULL)
	{
		self->blends = calloc(count, sizeof *self->blends);
		self->weights = calloc(weight_count, sizeof *self->weights);
	}
	if (self == NULL || self->blends == NULL || self->weights == NULL)
	{
		cli_error("view: out of memory");
		return false;
	}
	uint32_t first = 0;
	for (uint32_t i = 0; i < scene->part_count; ++i)
	{
		if (scene->parts[i].weight_count != 0)
		{
			self->blends[self->count++] = (blend){ .part = i, .first_weight = first };
			first += scene->parts[i].weight_count;
		}
	}
	return true;
}

void view_morphs_free(view_morphs *self)
{
	if (self != NULL)
	{
		free(self->blends);
		free(self->weights);
		free(self->deltas);
		free(self);
	}
}

static const lrd_mesh_view *mesh_of(const view_part *part, lrd_store *store)
{
	const lrd_mesh *mesh = lrd_mesh_get(store, part->mesh_asset);
	return mesh != NULL && mesh->view.morph_count == part->weight_count ? &mesh->view : NULL;
}

/// Where each part's deltas lie. What comes to lie elsewhere, or is another mesh's, is to be blended again.
static bool lay_out(view_morphs *self, const view_scene *scene, lrd_store *store)
{
	size_t size = 0;
	for (uint32_t i = 0; i < self->count; ++i)
	{
		blend *one = &self->blends[i];
		const view_part *part = &scene->parts[one->part];
		const lrd_mesh_view *mesh = mesh_of(part, store);
		uint32_t generation = lrd_asset_generation(store, part->mesh_asset);
		size_t own = mesh != NULL ? (size_t)mesh->vertex_count * DELTA_FLOATS : 0;
		bool is_same = one->first == size && one->size == own && one->generation == generation;
		one->revision = is_same ? one->revision : 0;
		one->first = size;
		one->size = own;
		one->generation = generation;
		size += own;
	}
	self->size = size;
	if (size <= self->room)
	{
		return true;
	}
	float *deltas = size < UINT32_MAX ? realloc(self->deltas, size * sizeof *deltas) : NULL;
	if (deltas == NULL)
	{
		cli_error("view: out of memory");
		return false;
	}
	self->deltas = deltas;
	self->room = size;
	return true;
}

/// False: nothing moves.
static bool add_targets(const lrd_mesh_view *mesh, const float *weights, float *deltas)
{
	bool moves = false;
	for (uint32_t t = 0; t < mesh->morph_count; ++t)
	{
		const lrd_morph_target *target = &mesh->morphs[t];
		const float weight = weights[t], turn = weights[t] * SNORM;
		for (uint32_t i = 0; weight != 0.0f && i < target->entry_count; ++i)
		{
			const lrd_morph_entry *entry = &mesh->morph_entries[target->entry_offset + i];
			float *delta = deltas + (size_t)entry->vertex * DELTA_FLOATS;
			for (int axis = 0; axis < 3; ++axis)
			{
				delta[axis] += weight * entry->position[axis];
				delta[3 + axis] += turn * (float)entry->normal[axis];
				delta[6 + axis] += turn * (float)entry->tangent[axis];
			}
			moves = true;
		}
	}
	return moves;
}

static bool has_weights(const float *weights, uint32_t count)
{
	bool any = false;
	for (uint32_t i = 0; i < count; ++i)
	{
		any = any || weights[i] != 0.0f;
	}
	return any;
}

/// Everything whose weights are not those that it was blended with.
static void blend_changed(view_morphs *self, view_renderer *renderer, const view_scene *scene)
{
	for (uint32_t i = 0; i < self->count; ++i)
	{
		blend *one = &self->blends[i];
		view_part *part = &scene->parts[one->part];
		const float *weights = scene->weights + part->first_weight;
		float *blended = self->weights + one->first_weight;
		const size_t size = part->weight_count * sizeof *weights;
		if (one->size != 0 && (one->revision == 0 || memcmp(blended, weights, size) != 0))
		{
			memcpy(blended, weights, size);
			one->moves = has_weights(weights, part->weight_count);
			if (one->moves)
			{
				memset(self->deltas + one->first, 0, one->size * sizeof *self->deltas);
				one->moves = add_targets(mesh_of(part, renderer->store), weights, self->deltas + one->first);
			}
			one->revision = ++renderer->blends;
			renderer->stats.blended++;
		}
		part->morph = one->size != 0 && one->moves ? (uint32_t)one->first + 1 : 0;
	}
}

bool view_morphs_write(view_renderer *renderer, view_frame *frame, const view_scene *scene)
{
	view_morphs *self = scene->morphs;
	if (self == NULL)
	{
		return true;
	}
	if (!lay_out(self, scene, renderer->store))
	{
		return false;
	}
	blend_changed(self, renderer, scene);
	const VkDeviceSize size = self->size * sizeof *self->deltas;
	frame->blends = size <= frame->morphs.size ? frame->blends : 0; // a new buffer has nothing yet
	if (!view_buffer_reserve(renderer->vk, &frame->morphs, size, STORAGE))
	{
		return false;
	}
	for (uint32_t i = 0; i < self->count; ++i)
	{
		const blend *one = &self->blends[i];
		if (one->size != 0 && one->moves && one->revision > frame->blends)
		{
			memcpy((float *)frame->morphs.mapped + one->first, self->deltas + one->first, one->size * sizeof(float));
		}
	}
	frame->blends = renderer->blends;
	return true;
}
