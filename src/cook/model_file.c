// Making the model file: nodes, parts, material slots, skeletons, clips, variants, lights and cameras, by the names of
// what was made before. The placement template is in model_actors.c.

#include "cook/model_builder.h"

#include "base/error.h"
#include "base/maths.h"

static bool add_text(lrd_model_builder *self, lrd_string string, lrd_text *text)
{
	return lrd_text_table_add(self->table, string, text, self->error);
}

static bool fail_memory(lrd_model_builder *self, const char *what)
{
	return lrd_fail_memory(self->error, what, 0);
}

void lrd_model_store_transform(const lrd_transform *local, float translation[3], float rotation[4], float scale[3])
{
	lrd_vec4 unit = lrd_quat_normalize(local->rotation);
	memcpy(translation, &local->translation, 3 * sizeof(float));
	memcpy(rotation, &unit, 4 * sizeof(float));
	memcpy(scale, &local->scale, 3 * sizeof(float));
}

static bool build_nodes(lrd_model_builder *self)
{
	const lrd_model_recipe *recipe = self->recipe;
	lrd_model_node *nodes = LRD_ARENA_ARRAY(self->arena, lrd_model_node, recipe->node_count + 1u);
	if (nodes == NULL)
	{
		return fail_memory(self, "nodes");
	}
	for (uint32_t n = 0; n < recipe->node_count; ++n)
	{
		const lrd_node_plan *plan = &recipe->nodes[n];
		if (!add_text(self, recipe->document->nodes[plan->document_node].name, &nodes[n].name))
		{
			return false;
		}
		nodes[n].parent = plan->parent == LRD_NO_INDEX ? -1 : (int32_t)plan->parent;
		nodes[n].flags = plan->moving ? LRD_NODE_ANIMATED : 0;
		lrd_model_store_transform(&plan->local, nodes[n].translation, nodes[n].rotation, nodes[n].scale);
	}
	for (uint32_t s = 0; s < recipe->skeleton_count; ++s)
	{
		for (uint32_t j = 0; j < recipe->skeletons[s].joint_count; ++j)
		{
			nodes[recipe->skeletons[s].joint_nodes[j]].flags |= LRD_NODE_JOINT;
		}
	}
	self->view.nodes = nodes;
	self->view.node_count = recipe->node_count;
	return true;
}

static bool build_materials(lrd_model_builder *self)
{
	const lrd_document *document = self->recipe->document;
	lrd_model_material *materials = LRD_ARENA_ARRAY(self->arena, lrd_model_material, document->material_count + 1u);
	if (materials == NULL)
	{
		return fail_memory(self, "materials");
	}
	for (uint32_t m = 0; m < document->material_count; ++m)
	{
		if (!add_text(self, document->materials[m].name, &materials[m].name) ||
			!add_text(self, self->recipe->materials[m].stem, &materials[m].stem))
		{
			return false;
		}
	}
	self->view.materials = materials;
	self->view.material_count = document->material_count;
	return true;
}

static bool build_part(lrd_model_builder *self, const lrd_group_use *use, const lrd_part_plan *plan, float *weights)
{
	const lrd_model_recipe *recipe = self->recipe;
	const lrd_group_plan *group = &recipe->groups[use->group];
	uint32_t morph_count = recipe->document->meshes[group->mesh].morph_count;
	lrd_model_part *part = &self->parts[self->view.part_count++];
	*part = (lrd_model_part){
		.slot = group->material,
		.node = use->node,
		.flags = (group->skeleton != LRD_NO_INDEX ? LRD_PART_SKINNED : 0) | (use->mirrored ? LRD_PART_MIRRORED : 0),
		.skeleton = group->skeleton,
	};
	if (morph_count != 0)
	{
		part->weights_offset = self->view.weight_count;
		part->weight_count = morph_count;
		memcpy(weights + self->view.weight_count, lrd_use_weights(recipe, use), morph_count * sizeof *weights);
		self->view.weight_count += morph_count;
		// A skin's node moves nothing, but clips find the weights by it.
		part->node = group->skeleton != LRD_NO_INDEX ? recipe->model_node[use->mesh_node] : part->node;
	}
	return add_text(self, use->name, &part->name) && add_text(self, plan->stem, &part->mesh);
}

/// A record for each of a group's parts that has a triangle, as often as the group is placed.
static bool build_use(lrd_model_builder *self, uint32_t use_index, float *weights)
{
	const lrd_model_recipe *recipe = self->recipe;
	const lrd_group_use *use = &recipe->uses[use_index];
	const lrd_group_plan *group = &recipe->groups[use->group];
	lrd_model_records *records = &self->records[use_index];
	records->first = self->view.part_count;
	for (uint32_t p = 0; p < group->part_count; ++p)
	{
		const lrd_part_plan *plan = &recipe->parts[group->first_part + p];
		if (!plan->empty && !build_part(self, use, plan, weights))
		{
			return false;
		}
	}
	records->count = self->view.part_count - records->first;
	return true;
}

static bool build_parts(lrd_model_builder *self)
{
	const lrd_model_recipe *recipe = self->recipe;
	size_t weight_count = 0;
	for (uint32_t u = 0; u < recipe->use_count; ++u)
	{
		const lrd_group_plan *group = &recipe->groups[recipe->uses[u].group];
		weight_count += (size_t)recipe->document->meshes[group->mesh].morph_count * group->part_count;
	}
	float *weights = LRD_ARENA_ARRAY(self->arena, float, weight_count + 1);
	self->parts = LRD_ARENA_ARRAY(self->arena, lrd_model_part, recipe->record_count + 1u);
	self->records = LRD_ARENA_ARRAY(self->arena, lrd_model_records, recipe->use_count + 1u);
	if (self->parts == NULL || weights == NULL || self->records == NULL)
	{
		return fail_memory(self, "parts");
	}
	for (uint32_t u = 0; u < recipe->use_count; ++u)
	{
		if (!build_use(self, u, weights))
		{
			return false;
		}
	}
	self->view.parts = self->parts;
	self->view.weights = weights;
	return true;
}

static bool build_skeletons(lrd_model_builder *self)
{
	const lrd_model_recipe *recipe = self->recipe;
	size_t joint_count = 0;
	for (uint32_t s = 0; s < recipe->skeleton_count; ++s)
	{
		joint_count += recipe->skeletons[s].joint_count;
	}
	lrd_model_skeleton *skeletons = LRD_ARENA_ARRAY(self->arena, lrd_model_skeleton, recipe->skeleton_count + 1u);
	uint32_t *joint_nodes = LRD_ARENA_ARRAY(self->arena, uint32_t, joint_count + 1);
	if (skeletons == NULL || joint_nodes == NULL)
	{
		return fail_memory(self, "skeletons");
	}
	for (uint32_t s = 0; s < recipe->skeleton_count; ++s)
	{
		const lrd_skeleton_plan *plan = &recipe->skeletons[s];
		skeletons[s] =
			(lrd_model_skeleton){ .joint_node_offset = self->view.joint_node_count, .joint_count = plan->joint_count };
		memcpy(joint_nodes + self->view.joint_node_count, plan->joint_nodes, plan->joint_count * sizeof *joint_nodes);
		self->view.joint_node_count += plan->joint_count;
		if (!add_text(self, plan->stem, &skeletons[s].stem))
		{
			return false;
		}
	}
	self->view.skeletons = skeletons;
	self->view.skeleton_count = recipe->skeleton_count;
	self->view.joint_nodes = joint_nodes;
	return true;
}

static bool build_clips(lrd_model_builder *self)
{
	const lrd_model_recipe *recipe = self->recipe;
	lrd_model_clip *clips = LRD_ARENA_ARRAY(self->arena, lrd_model_clip, recipe->clip_count + 1u);
	if (clips == NULL)
	{
		return fail_memory(self, "clips");
	}
	for (uint32_t c = 0; c < recipe->clip_count; ++c)
	{
		if (!add_text(self, recipe->clips[c].name, &clips[c].name) ||
			!add_text(self, recipe->clips[c].stem, &clips[c].stem))
		{
			return false;
		}
	}
	self->view.clips = clips;
	self->view.clip_count = recipe->clip_count;
	return true;
}

static const uint32_t *use_variants(const lrd_model_recipe *recipe, const lrd_group_use *use)
{
	const lrd_document_mesh *mesh = &recipe->document->meshes[recipe->groups[use->group].mesh];
	return mesh->primitives[use->primitive].variant_materials;
}

static bool build_variants(lrd_model_builder *self)
{
	const lrd_model_recipe *recipe = self->recipe;
	const lrd_document *document = recipe->document;
	size_t most = (size_t)document->variant_count * self->view.part_count;
	lrd_model_variant *variants = LRD_ARENA_ARRAY(self->arena, lrd_model_variant, document->variant_count + 1u);
	lrd_model_choice *choices = LRD_ARENA_ARRAY(self->arena, lrd_model_choice, most + 1);
	if (variants == NULL || choices == NULL)
	{
		return fail_memory(self, "variants");
	}
	for (uint32_t v = 0; v < document->variant_count; ++v)
	{
		variants[v].choice_offset = self->view.choice_count;
		for (uint32_t u = 0; u < recipe->use_count; ++u)
		{
			const uint32_t *materials = use_variants(recipe, &recipe->uses[u]);
			bool chooses = materials != NULL && materials[v] != LRD_NO_INDEX;
			for (uint32_t i = 0; chooses && i < self->records[u].count; ++i)
			{
				choices[self->view.choice_count++] = (lrd_model_choice){ self->records[u].first + i, materials[v] };
			}
		}
		variants[v].choice_count = self->view.choice_count - variants[v].choice_offset;
		if (variants[v].choice_count == 0)
		{
			variants[v].choice_offset = 0;
		}
		if (!add_text(self, document->variants[v], &variants[v].name))
		{
			return false;
		}
	}
	self->view.variants = variants;
	self->view.variant_count = document->variant_count;
	self->view.choices = choices;
	return true;
}

static bool build_light(lrd_model_builder *self, uint32_t node, const lrd_document_light *light, lrd_model_light *row)
{
	float scale = lrd_model_scale(self->recipe);
	*row = (lrd_model_light){
		.node = node,
		.type = (uint32_t)light->type,
		.color = { light->color[0], light->color[1], light->color[2] },
		.intensity = light->intensity,
		.range = light->range * scale,
		.inner_cone = light->inner_cone,
		.outer_cone = light->outer_cone,
	};
	return add_text(self, light->name, &row->name);
}

static bool build_camera(
	lrd_model_builder *self, uint32_t node, const lrd_document_camera *camera, lrd_model_camera *row)
{
	float scale = lrd_model_scale(self->recipe);
	bool orthographic = camera->type == LRD_CAMERA_ORTHOGRAPHIC;
	*row = (lrd_model_camera){
		.node = node,
		.type = (uint32_t)camera->type,
		.vertical = orthographic ? camera->vertical * scale : camera->vertical,
		.aspect = camera->aspect,
		.near_plane = camera->near_plane * scale,
		.far_plane = camera->far_plane * scale,
	};
	return add_text(self, camera->name, &row->name);
}

/// Lights and cameras: one row for each node of the scene that holds one.
static bool build_lights_and_cameras(lrd_model_builder *self)
{
	const lrd_model_recipe *recipe = self->recipe;
	const lrd_document *document = recipe->document;
	lrd_model_light *lights = LRD_ARENA_ARRAY(self->arena, lrd_model_light, document->node_count + 1u);
	lrd_model_camera *cameras = LRD_ARENA_ARRAY(self->arena, lrd_model_camera, document->node_count + 1u);
	if (lights == NULL || cameras == NULL)
	{
		return fail_memory(self, "lights");
	}
	for (uint32_t n = 0; n < recipe->node_count; ++n)
	{
		uint32_t index = recipe->nodes[n].document_node;
		const lrd_document_node *node = &document->nodes[index];
		if (!recipe->in_scene[index] || recipe->model_node[index] != n)
		{
			continue;
		}
		if (node->light != LRD_NO_INDEX &&
			!build_light(self, n, &document->lights[node->light], &lights[self->view.light_count++]))
		{
			return false;
		}
		if (node->camera != LRD_NO_INDEX &&
			!build_camera(self, n, &document->cameras[node->camera], &cameras[self->view.camera_count++]))
		{
			return false;
		}
	}
	self->view.lights = lights;
	self->view.cameras = cameras;
	return true;
}

/// The box's corners moved by a matrix, as a box again.
static void grow_bounds(lrd_vec3 *low, lrd_vec3 *high, const lrd_bounds *bounds, const lrd_mat4 *matrix)
{
	for (uint32_t corner = 0; corner < 8; ++corner)
	{
		lrd_vec3 point = {
			corner & 1 ? bounds->max.x : bounds->min.x,
			corner & 2 ? bounds->max.y : bounds->min.y,
			corner & 4 ? bounds->max.z : bounds->min.z,
		};
		point = matrix == NULL ? point : lrd_mat4_point(matrix, point);
		*low = (lrd_vec3){ fminf(low->x, point.x), fminf(low->y, point.y), fminf(low->z, point.z) };
		*high = (lrd_vec3){ fmaxf(high->x, point.x), fmaxf(high->y, point.y), fmaxf(high->z, point.z) };
	}
}

static bool build_bounds(lrd_model_builder *self)
{
	const lrd_model_recipe *recipe = self->recipe;
	lrd_vec3 low = { INFINITY, INFINITY, INFINITY };
	lrd_vec3 high = { -INFINITY, -INFINITY, -INFINITY };
	for (uint32_t u = 0; u < recipe->use_count; ++u)
	{
		const lrd_group_use *use = &recipe->uses[u];
		const lrd_group_plan *group = &recipe->groups[use->group];
		const lrd_mat4 *matrix = use->node == LRD_NO_INDEX ? NULL : &recipe->nodes[use->node].global;
		for (uint32_t p = 0; p < group->part_count; ++p)
		{
			const lrd_part_plan *part = &recipe->parts[group->first_part + p];
			if (!part->empty)
			{
				const lrd_bounds *bounds = use->pose == LRD_NO_INDEX ? &part->bounds : &part->posed[use->pose];
				grow_bounds(&low, &high, bounds, matrix);
			}
		}
	}
	if (self->view.part_count == 0)
	{
		return true;
	}
	lrd_vec3 corners[2] = { low, high };
	self->view.bounds = lrd_bounds_of(&corners[0].x, 2, sizeof *corners);
	return (lrd_all_finite(&corners[0].x, 6) && isfinite(self->view.bounds.radius)) ||
		   lrd_fail(self->error, LRD_ERROR_LIMIT, "its nodes place parts farther out than floats can tell");
}

bool lrd_make_model(lrd_model_recipe *recipe, lrd_buffer *out, lrd_error *error)
{
	lrd_model_builder self = { .recipe = recipe, .error = error };
	self.arena = lrd_arena_create(recipe->base.allocator, 0);
	self.table = lrd_text_table_create(recipe->base.allocator);
	bool good = (self.arena != NULL && self.table != NULL) || fail_memory(&self, "model");
	good = good && build_nodes(&self) && build_materials(&self) && build_parts(&self) && build_skeletons(&self) &&
		   build_clips(&self) && build_variants(&self) && build_lights_and_cameras(&self) && lrd_build_actors(&self) &&
		   build_bounds(&self);
	if (good)
	{
		self.view.strings = lrd_text_table_block(self.table);
		good = lrd_model_write(&self.view, out, error);
	}
	lrd_text_table_destroy(self.table);
	lrd_arena_destroy(self.arena);
	return good || lrd_fail_in(error, "%.*s.lmodel", LRD_STR_ARG(recipe->base.stem));
}
