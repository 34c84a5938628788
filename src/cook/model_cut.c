// Cutting large groups into clusters. It must be known while planning how many files there will be, and normals and
// tangents must be made before the cut, or they would break at its edges: so such a group is made ready then, and its
// geometry is kept until the last of its parts has taken its triangles.

#include "cook/model_geometry.h"

#include "base/error.h"
#include "os/parallel.h"

#include <math.h>

static uint64_t source_triangles(const lrd_model_recipe *recipe, const lrd_group_plan *group)
{
	uint64_t indices = 0;
	for (uint32_t i = 0; i < group->piece_count; ++i)
	{
		indices += recipe->document->meshes[group->pieces[i].mesh].primitives[group->pieces[i].primitive].index_count;
	}
	return indices / 3;
}

/// What is skinned or morphs stays whole.
static bool moves_as_one(const lrd_model_recipe *recipe, const lrd_group_plan *group)
{
	return group->skeleton != LRD_NO_INDEX || recipe->document->meshes[group->mesh].morph_count != 0;
}

/// Large enough, and wished for. What an editor places piece by piece stays whole unless asked.
static bool is_to_be_cut(const lrd_model_recipe *recipe, const lrd_group_plan *group)
{
	const lrd_model_settings *settings = &recipe->settings;
	lrd_choice choice = recipe->base.settings->model.clusters.cut;
	bool wanted = choice == LRD_CHOICE_AUTO ? recipe->placement != LRD_PLACEMENT_EDITABLE : choice == LRD_CHOICE_ON;
	if (!wanted)
	{
		return false;
	}
	uint64_t triangles = source_triangles(recipe, group);
	return triangles / 2 >= settings->clusters.min_triangles &&
		   (triangles > settings->clusters.target_triangles || settings->clusters.max_extent > 0.0f);
}

/// The largest side of each cluster's box: the least and the greatest of them, and that of the whole.
typedef struct cluster_sides
{
	float least;
	float greatest;
	float whole;
} cluster_sides;

typedef struct box
{
	float low[3];
	float high[3];
} box;

static const box no_box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static void grow_box(box *self, const float low[3], const float high[3])
{
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		self->low[axis] = low[axis] < self->low[axis] ? low[axis] : self->low[axis];
		self->high[axis] = high[axis] > self->high[axis] ? high[axis] : self->high[axis];
	}
}

static float largest_side(const box *self)
{
	float x = self->high[0] - self->low[0];
	float y = self->high[1] - self->low[1];
	float z = self->high[2] - self->low[2];
	return fmaxf(x, fmaxf(y, z));
}

static cluster_sides measure_sides(const lrd_geometry *geometry, const lrd_geometry_clusters *clusters)
{
	cluster_sides sides = { .least = INFINITY };
	box whole = no_box;
	for (uint32_t c = 0; c < clusters->count; ++c)
	{
		box cluster = no_box;
		for (uint32_t t = clusters->offsets[c]; t < clusters->offsets[c + 1]; ++t)
		{
			const uint32_t *corners = &geometry->indices[(size_t)clusters->triangles[t] * 3];
			for (uint32_t corner = 0; corner < 3; ++corner)
			{
				const float *position = &geometry->positions[(size_t)corners[corner] * 3];
				grow_box(&cluster, position, position);
			}
		}
		sides.least = fminf(sides.least, largest_side(&cluster));
		sides.greatest = fmaxf(sides.greatest, largest_side(&cluster));
		grow_box(&whole, cluster.low, cluster.high);
	}
	sides.whole = largest_side(&whole);
	return sides;
}

/// One step for all clusters, or gaps would open between them. The smallest cluster's bound says which, unless 16 bits
/// don't reach across the largest with it: then the finest with which they do, as long as the bound of the whole holds.
static float choose_grid_step(const lrd_model_settings *settings, const cluster_sides *sides)
{
	const float reach = 65534.0f; // steps: the largest number, less one where the box begins between two
	float error = settings->quantize.error;
	float coarsest = lrd_geometry_grid_step(sides->whole, error);
	float step = lrd_geometry_grid_step(sides->least, error);
	if (!(step > 0.0f) || !(coarsest > 0.0f))
	{
		return 0.0f;
	}
	while (step < coarsest && step * reach < sides->greatest)
	{
		step *= 2.0f;
	}
	return step * reach < sides->greatest ? 0.0f : step;
}

static bool cut_group(const lrd_model_recipe *recipe, const lrd_group_plan *group, lrd_cut *cut, lrd_error *error)
{
	const lrd_model_settings *settings = &recipe->settings;
	lrd_geometry_cluster_desc desc = {
		.target_triangles = settings->clusters.target_triangles,
		.min_triangles = settings->clusters.min_triangles,
		.max_extent = settings->clusters.max_extent,
	};
	if (!lrd_prepare_group(recipe, group, &cut->prepared, error))
	{
		return false;
	}
	lrd_geometry *geometry = &cut->prepared.geometry;
	if (geometry->index_count == 0)
	{
		return true;
	}
	if (!lrd_geometry_cluster(geometry, &desc, geometry->arena, &cut->clusters, error))
	{
		return false;
	}
	if (settings->quantize.on)
	{
		cluster_sides sides = measure_sides(geometry, &cut->clusters);
		cut->grid_step = choose_grid_step(settings, &sides);
	}
	return true;
}

/// Groups that are being cut, each on whichever worker is free.
typedef struct cutting
{
	lrd_model_recipe *recipe;
	uint32_t *groups;
	lrd_error *errors; ///< LRD_OK: it went well
	uint32_t count;
} cutting;

static void cut_one(void *user, uint32_t index)
{
	cutting *self = user;
	lrd_group_plan *group = &self->recipe->groups[self->groups[index]];
	lrd_error error = { 0 };
	if (!cut_group(self->recipe, group, group->cut, &error))
	{
		lrd_fail_in(&error, "mesh \"%.*s\"", LRD_STR_ARG(self->recipe->document->meshes[group->mesh].name));
		self->errors[index] = error;
	}
}

static bool choose_groups(cutting *self, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	uint32_t whole = 0;
	for (uint32_t g = 0; g < recipe->group_count; ++g)
	{
		if (!is_to_be_cut(recipe, &recipe->groups[g]))
		{
			continue;
		}
		if (moves_as_one(recipe, &recipe->groups[g]))
		{
			whole++;
		}
		else
		{
			recipe->groups[g].cut = LRD_ARENA_NEW(recipe->base.arena, lrd_cut);
			if (recipe->groups[g].cut == NULL)
			{
				return lrd_fail_memory(error, "clusters", sizeof(lrd_cut));
			}
			self->groups[self->count++] = g;
		}
	}
	bool asked = recipe->base.settings->model.clusters.cut == LRD_CHOICE_ON;
	return lrd_note(&recipe->base.plan_notes, "clusters-left-whole", asked ? whole : 0, error,
		"\"spatial_clusters\" cuts nothing that is skinned or has morph targets: %u part%s whole", whole,
		whole == 1 ? " stays" : "s stay");
}

static bool cut_all(cutting *self, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	size_t size = self->count * sizeof *self->errors;
	if (self->count == 0)
	{
		return true;
	}
	self->errors = lrd_alloc_zeroed(recipe->base.allocator, self->count, sizeof *self->errors);
	if (self->errors == NULL)
	{
		return lrd_fail_memory(error, "clusters", size);
	}
	lrd_parallel(recipe->base.jobs, recipe->base.allocator, self->count, cut_one, self);
	bool good = true;
	for (uint32_t i = 0; good && i < self->count; ++i)
	{
		lrd_group_plan *group = &recipe->groups[self->groups[i]];
		uint32_t clusters = group->cut->clusters.count;
		group->part_count = clusters > 1 ? clusters : 1;
		atomic_init(&group->cut->remaining, group->part_count);
		good = self->errors[i].code == LRD_OK || lrd_fail(error, self->errors[i].code, "%s", self->errors[i].message);
	}
	lrd_free(recipe->base.allocator, self->errors, size);
	return good;
}

bool lrd_plan_cuts(lrd_model_recipe *recipe, lrd_error *error)
{
	cutting self = { .recipe = recipe };
	self.groups = LRD_ARENA_ARRAY(recipe->base.arena, uint32_t, recipe->group_count + 1u);
	if (self.groups == NULL)
	{
		return lrd_fail_memory(error, "clusters", recipe->group_count * sizeof *self.groups);
	}
	return choose_groups(&self, error) && cut_all(&self, error);
}

bool lrd_extract_cluster(
	lrd_cut *cut, uint32_t cluster, lrd_allocator allocator, lrd_geometry *geometry, lrd_error *error)
{
	*geometry = (lrd_geometry){ .arena = lrd_arena_create(allocator, 0) };
	if (geometry->arena == NULL)
	{
		return lrd_fail_memory(error, "cluster", 0);
	}
	if (cut->clusters.count == 0)
	{
		return true;
	}
	uint32_t first = cut->clusters.offsets[cluster];
	uint32_t count = cut->clusters.offsets[cluster + 1] - first;
	return lrd_geometry_extract(
		&cut->prepared.geometry, cut->clusters.triangles + first, count, geometry->arena, geometry, error);
}

static void free_geometry(lrd_cut *cut)
{
	lrd_arena_destroy(cut->prepared.geometry.arena);
	cut->prepared.geometry.arena = NULL;
}

void lrd_release_cut(lrd_cut *cut)
{
	if (atomic_fetch_sub(&cut->remaining, 1) == 1)
	{
		free_geometry(cut);
	}
}

void lrd_free_cuts(lrd_model_recipe *recipe)
{
	for (uint32_t g = 0; g < recipe->group_count; ++g)
	{
		if (recipe->groups[g].cut != NULL)
		{
			free_geometry(recipe->groups[g].cut);
		}
	}
}
