// A model to be drawn: its parts on the GPU, and everything of it that moves, at a time of a clip.

#include "cli/view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lrd_transform from_node(const lrd_model_node *node)
{
	const float *t = node->translation, *r = node->rotation, *s = node->scale;
	return (lrd_transform){ { t[0], t[1], t[2] }, { r[0], r[1], r[2], r[3] }, { s[0], s[1], s[2] } };
}

static bool make_room(view_scene *self, const lrd_model_view *model)
{
	self->node_count = model->node_count;
	self->part_count = model->part_count;
	self->skeleton_count = model->skeleton_count;
	self->weight_count = model->weight_count;
	for (uint32_t i = 0; i < model->skeleton_count; ++i)
	{
		self->joint_count += model->skeletons[i].joint_count;
	}
	self->locals = calloc((size_t)self->node_count + 1, sizeof *self->locals);
	self->nodes = calloc((size_t)self->node_count + 1, sizeof *self->nodes);
	self->parts = calloc((size_t)self->part_count + 1, sizeof *self->parts);
	self->skeletons = calloc((size_t)self->skeleton_count + 1, sizeof *self->skeletons);
	self->pose = calloc((size_t)self->joint_count + 1, sizeof *self->pose);
	self->palette = calloc((size_t)self->joint_count + 1, sizeof *self->palette);
	self->weights = calloc((size_t)self->weight_count + 1, sizeof *self->weights);
	self->weighted = calloc((size_t)self->node_count + 1, sizeof *self->weighted);
	return self->locals != NULL && self->nodes != NULL && self->parts != NULL && self->skeletons != NULL &&
		   self->pose != NULL && self->palette != NULL && self->weights != NULL && self->weighted != NULL;
}

static bool reserve_wants(view_scene *self, uint32_t count)
{
	if (count <= self->want_count)
	{
		return true;
	}
	view_want *wants = realloc(self->wants, count * sizeof *wants);
	if (wants == NULL)
	{
		cli_error("view: out of memory");
		return false;
	}
	memset(wants + self->want_count, 0, (count - self->want_count) * sizeof *wants);
	self->wants = wants;
	self->want_count = count;
	return true;
}

static uint32_t retain_material(view_scene *self, lrd_residents *residents, lrd_asset material)
{
	lrd_error error = { 0 };
	uint32_t index = lrd_residents_retain_material(residents, material, &error);
	if (index == LRD_GPU_NO_SLOT)
	{
		cli_error("view: %s", error.message);
	}
	else if (!reserve_wants(self, index + 1))
	{
		lrd_residents_release_material(residents, index);
		return LRD_GPU_NO_SLOT;
	}
	return index;
}

/// What the part's slot has takes the place of its material.
static void take_material(view_scene *self, lrd_residents *residents, view_part *part)
{
	uint32_t slot = part->slot;
	uint32_t old = part->material;
	part->material_asset = slot != LRD_NO_INDEX ? self->model->materials[slot] : (lrd_asset){ 0 };
	part->material = slot != LRD_NO_INDEX ? retain_material(self, residents, part->material_asset) : LRD_GPU_NO_SLOT;
	if (old != LRD_GPU_NO_SLOT)
	{
		lrd_residents_release_material(residents, old);
	}
}

static bool take_part(view_scene *self, lrd_store *store, lrd_residents *residents, uint32_t index)
{
	const lrd_model_part *from = &self->model->view.parts[index];
	view_part *part = &self->parts[index];
	lrd_error error = { 0 };
	bool is_skinned = (from->flags & LRD_PART_SKINNED) != 0 && from->skeleton != LRD_NO_INDEX;
	*part = (view_part){
		.mesh_asset = self->model->meshes[index],
		.material = LRD_GPU_NO_SLOT,
		.slot = from->slot,
		.node = from->node,
		.skeleton = is_skinned ? from->skeleton : LRD_NO_INDEX,
		.first_weight = from->weights_offset,
		.weight_count = from->weight_count,
		.world = view_identity(),
		.is_posed = is_skinned || from->weight_count != 0,
	};
	// Morphs, meshlets and densities are read on the CPU: this holds the file, though the GPU has what it draws.
	if (!lrd_retain(store, part->mesh_asset))
	{
		part->mesh_asset = (lrd_asset){ 0 };
		cli_error("view: out of memory");
		return false;
	}
	part->mesh_seen = lrd_asset_generation(store, part->mesh_asset);
	part->mesh = lrd_residents_retain_mesh(residents, part->mesh_asset, &error);
	if (part->mesh.generation == 0)
	{
		cli_error("view: %s", error.message);
		return false;
	}
	take_material(self, residents, part);
	return true;
}

static bool take_skeletons(view_scene *self, lrd_store *store)
{
	uint32_t first = 0;
	for (uint32_t i = 0; i < self->skeleton_count; ++i)
	{
		uint32_t count = self->model->view.skeletons[i].joint_count;
		self->skeletons[i] = (view_skeleton){ self->model->skeletons[i], count, first };
		first += count;
		if (!lrd_retain(store, self->skeletons[i].asset))
		{
			self->skeletons[i].asset = (lrd_asset){ 0 };
			cli_error("view: out of memory");
			return false;
		}
	}
	return true;
}

static void find_weighted(view_scene *self)
{
	for (uint32_t i = 0; i < self->node_count; ++i)
	{
		self->weighted[i] = LRD_NO_INDEX;
	}
	for (uint32_t i = self->part_count; i-- > 0;)
	{
		view_part *part = &self->parts[i];
		part->next_weighted = LRD_NO_INDEX;
		if (part->weight_count != 0 && part->node < self->node_count)
		{
			part->next_weighted = self->weighted[part->node];
			self->weighted[part->node] = i;
		}
	}
}

bool view_scene_open(view_scene *self, lrd_store *store, lrd_residents *residents, lrd_asset model)
{
	*self = (view_scene){ .variant = LRD_NO_INDEX, .clip = LRD_NO_INDEX };
	self->model = lrd_model_get(store, model);
	self->generation = lrd_asset_generation(store, model);
	if (self->model == NULL)
	{
		cli_error("view: the model is not loaded");
		return false;
	}
	uint32_t part_count = self->model->view.part_count;
	if (!make_room(self, &self->model->view))
	{
		cli_error("view: out of memory");
		self->part_count = 0;
		return false;
	}
	for (uint32_t i = 0; i < part_count; ++i)
	{
		self->part_count = i + 1;
		if (!take_part(self, store, residents, i))
		{
			return false;
		}
	}
	if (!take_skeletons(self, store))
	{
		return false;
	}
	find_weighted(self);
	view_scene_pose(self, store);
	return view_morphs_make(self);
}

void view_scene_renew(view_scene *self, lrd_store *store)
{
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		view_part *part = &self->parts[i];
		lrd_asset_renew(store, part->mesh_asset, &part->mesh_seen);
	}
	view_scene_pose(self, store);
}

void view_scene_close(view_scene *self, lrd_store *store, lrd_residents *residents)
{
	for (uint32_t i = 0; i < self->part_count && self->parts != NULL; ++i)
	{
		view_part *part = &self->parts[i];
		if (part->mesh.generation != 0)
		{
			lrd_residents_release_mesh(residents, part->mesh);
		}
		if (part->material != LRD_GPU_NO_SLOT)
		{
			lrd_residents_release_material(residents, part->material);
		}
		if (part->mesh_asset.generation != 0)
		{
			lrd_release(store, part->mesh_asset);
		}
	}
	for (uint32_t i = 0; i < self->skeleton_count && self->skeletons != NULL; ++i)
	{
		if (self->skeletons[i].asset.generation != 0)
		{
			lrd_release(store, self->skeletons[i].asset);
		}
	}
	if (self->clip_asset.generation != 0)
	{
		lrd_release(store, self->clip_asset);
	}
	free(self->locals);
	free(self->nodes);
	free(self->parts);
	free(self->skeletons);
	free(self->pose);
	free(self->palette);
	free(self->weights);
	free(self->weighted);
	free(self->wants);
	view_morphs_free(self->morphs);
	*self = (view_scene){ 0 };
}

/// A row by its name, or by its number. LRD_NO_INDEX: neither.
static uint32_t find_row(
	const lrd_model_view *model, uint32_t (*find)(const lrd_model_view *, lrd_string), uint32_t count, const char *name)
{
	uint32_t index = find(model, lrd_string_from(name));
	if (index == LRD_NO_INDEX && *name >= '0' && *name <= '9')
	{
		char *end = NULL;
		unsigned long number = strtoul(name, &end, 10);
		index = *end == 0 && number < count ? (uint32_t)number : LRD_NO_INDEX;
	}
	return index;
}

/// What every part uses in the variant that is chosen; the first of several choices for one counts.
static void choose_slots(view_scene *self)
{
	const lrd_model_view *model = &self->model->view;
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		self->parts[i].slot = model->parts[i].slot;
	}
	if (self->variant == LRD_NO_INDEX)
	{
		return;
	}
	const lrd_model_variant *variant = &model->variants[self->variant];
	for (uint32_t i = variant->choice_count; i-- > 0;)
	{
		const lrd_model_choice *choice = &model->choices[variant->choice_offset + i];
		if (choice->part < self->part_count)
		{
			self->parts[choice->part].slot = choice->slot;
		}
	}
}

void view_scene_set_variant_index(view_scene *self, lrd_residents *residents, uint32_t variant)
{
	self->variant = variant;
	choose_slots(self);
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		take_material(self, residents, &self->parts[i]);
	}
}

bool view_scene_set_variant(view_scene *self, lrd_residents *residents, const char *name)
{
	const lrd_model_view *model = &self->model->view;
	uint32_t variant = LRD_NO_INDEX;
	if (name != NULL)
	{
		variant = find_row(model, lrd_model_find_variant, model->variant_count, name);
		if (variant == LRD_NO_INDEX)
		{
			view_names names = { .count = 0 };
			for (uint32_t i = 0; i < model->variant_count; ++i)
			{
				view_names_add(&names, lrd_model_text(model, model->variants[i].name));
			}
			view_names_say(&names, "the model", "variant", name);
			return false;
		}
	}
	view_scene_set_variant_index(self, residents, variant);
	return true;
}

bool view_scene_set_clip_index(view_scene *self, lrd_store *store, uint32_t clip)
{
	if (self->clip_asset.generation != 0)
	{
		lrd_release(store, self->clip_asset);
	}
	self->clip_asset = (lrd_asset){ 0 };
	self->clip = clip;
	if (clip != LRD_NO_INDEX)
	{
		lrd_error error = { 0 };
		lrd_asset asset = self->model->clips[clip];
		if (!lrd_retain_now(store, asset, &error))
		{
			cli_error("view: %s", error.message);
			self->clip = LRD_NO_INDEX;
			return false;
		}
		self->clip_asset = asset;
	}
	return true;
}

void view_scene_keep_clip(view_scene *self, lrd_store *store, uint32_t clip)
{
	if (!view_scene_set_clip_index(self, store, clip) && lrd_retain(store, self->model->clips[clip]))
	{
		self->clip_asset = self->model->clips[clip];
		self->clip = clip;
	}
}

bool view_scene_set_clip(view_scene *self, lrd_store *store, const char *name)
{
	uint32_t clip = LRD_NO_INDEX;
	if (name != NULL)
	{
		const lrd_model_view *model = &self->model->view;
		clip = find_row(model, lrd_model_find_clip, model->clip_count, name);
		if (clip == LRD_NO_INDEX)
		{
			view_names names = { .count = 0 };
			for (uint32_t i = 0; i < model->clip_count; ++i)
			{
				view_names_add(&names, lrd_model_text(model, model->clips[i].name));
			}
			view_names_say(&names, "the model", "clip", name);
			return false;
		}
	}
	return view_scene_set_clip_index(self, store, clip);
}

static const lrd_clip_view *clip_of(const view_scene *self, lrd_store *store)
{
	const lrd_clip *clip = self->clip_asset.generation != 0 ? lrd_clip_get(store, self->clip_asset) : NULL;
	return clip != NULL ? &clip->view : NULL;
}

float view_scene_duration(const view_scene *self, lrd_store *store)
{
	const lrd_clip_view *clip = clip_of(self, store);
	return clip != NULL ? clip->duration : 0.0f;
}

/// What a channel says of a node, or of the weights of parts that it moves.
static void apply_channel(view_scene *self, const lrd_clip_view *clip, uint32_t index)
{
	const lrd_clip_channel *channel = &clip->channels[index];
	if (channel->node < 0 || (uint32_t)channel->node >= self->node_count)
	{
		return;
	}
	lrd_transform *local = &self->locals[channel->node];
	float value[4];
	switch (channel->path)
	{
	case LRD_PATH_TRANSLATION:
		lrd_clip_sample_channel(clip, index, self->time, value);
		local->translation = (lrd_vec3){ value[0], value[1], value[2] };
		break;
	case LRD_PATH_ROTATION:
		lrd_clip_sample_channel(clip, index, self->time, value);
		local->rotation = (lrd_vec4){ value[0], value[1], value[2], value[3] };
		break;
	case LRD_PATH_SCALE:
		lrd_clip_sample_channel(clip, index, self->time, value);
		local->scale = (lrd_vec3){ value[0], value[1], value[2] };
		break;
	case LRD_PATH_WEIGHTS:
		for (uint32_t i = self->weighted[channel->node]; i != LRD_NO_INDEX; i = self->parts[i].next_weighted)
		{
			const view_part *part = &self->parts[i];
			if (part->weight_count == channel->components)
			{
				lrd_clip_sample_channel(clip, index, self->time, self->weights + part->first_weight);
			}
		}
		break;
	default: break;
	}
}

static void pose_skeleton(view_scene *self, lrd_store *store, uint32_t index, const lrd_clip_view *clip)
{
	view_skeleton *skeleton = &self->skeletons[index];
	const lrd_skeleton *from = lrd_skeleton_get(store, skeleton->asset);
	lrd_mat4 *palette = self->palette + skeleton->first_joint;
	if (from == NULL || from->view.joint_count != skeleton->joint_count)
	{
		for (uint32_t i = 0; i < skeleton->joint_count; ++i)
		{
			palette[i] = view_identity();
		}
		return;
	}
	lrd_transform *pose = self->pose + skeleton->first_joint;
	lrd_skeleton_rest_pose(&from->view, pose);
	if (clip != NULL)
	{
		lrd_clip_sample(clip, self->time, NULL, &(lrd_pose){ pose, skeleton->joint_count, index });
	}
	lrd_skeleton_palette(&from->view, pose, palette);
}

static void place_part(const view_scene *self, view_part *part)
{
	bool is_placed = part->skeleton == LRD_NO_INDEX && part->node != LRD_NO_INDEX;
	part->world = is_placed ? self->nodes[part->node] : view_identity();
	part->scale = view_largest_scale(&part->world);
	const lrd_mat4 *placing =
		part->skeleton != LRD_NO_INDEX ? self->palette + self->skeletons[part->skeleton].first_joint : &part->world;
	part->is_mirrored = view_determinant(placing) < 0.0f;
}

void view_scene_pose(view_scene *self, lrd_store *store)
{
	const lrd_model_view *model = &self->model->view;
	const lrd_clip_view *clip = clip_of(self, store);
	for (uint32_t i = 0; i < self->node_count; ++i)
	{
		self->locals[i] = from_node(&model->nodes[i]);
	}
	if (self->weight_count != 0)
	{
		memcpy(self->weights, model->weights, self->weight_count * sizeof *self->weights);
	}
	for (uint32_t i = 0; clip != NULL && i < clip->channel_count; ++i)
	{
		apply_channel(self, clip, i);
	}
	for (uint32_t i = 0; i < self->node_count; ++i)
	{
		lrd_mat4 local = view_from_transform(&self->locals[i]);
		int32_t parent = model->nodes[i].parent;
		self->nodes[i] = parent >= 0 ? view_multiply(&self->nodes[parent], &local) : local;
	}
	for (uint32_t i = 0; i < self->skeleton_count; ++i)
	{
		pose_skeleton(self, store, i, clip);
	}
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		place_part(self, &self->parts[i]);
	}
	self->bounds = model->bounds;
}
