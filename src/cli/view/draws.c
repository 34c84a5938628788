// What is drawn in a frame: which parts are seen, at which LOD, in which order, and what shaders read of them. The structures here are
// those of shaders/common.glsl.

#include "cli/view/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STORAGE VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
#define LOD_PIXELS 1.0f        // that a LOD's error may cover
#define UNIFORM_ALIGNMENT 256u // what every device is content with
#define MORPH_FLOATS 9u        // a vertex: position, normal, tangent
#define DRAWS_MOST 65536u      // meshlets are drawn one by one

typedef struct instance_row
{
	float world[16];
	float position_scale[4];
	float position_offset[4];
	uint32_t stream_base[LRD_STREAM_COUNT];
	uint32_t stream_stride[LRD_STREAM_COUNT];
	uint32_t attributes[LRD_VERTEX_SEMANTIC_COUNT];
	uint32_t palette, morph, material, color;
} instance_row;

/// A distinct colour for each number, as RGBA8.
static uint32_t color_of(uint32_t number)
{
	uint32_t hash = (number + 1) * 0x9e3779b1u;
	hash ^= hash >> 15;
	hash *= 0x85ebca77u;
	hash ^= hash >> 13;
	uint32_t r = 70 + (hash & 127), g = 70 + (hash >> 8 & 127), b = 70 + (hash >> 16 & 127);
	return r | g << 8 | b << 16 | 0xff000000u;
}

/// Levels from fine to coarse: green over yellow to red, and blue past that.
static uint32_t level_color(uint32_t level)
{
	static const uint32_t colors[] = { 0xff40b020, 0xff30c080, 0xff20c0d0, 0xff2080e0, 0xff2040e0, 0xff6020c0,
		0xffb03090, 0xffc06040 };
	return colors[level < 8 ? level : 7];
}

/// The coarsest LOD whose error stays below a pixel.
static uint32_t choose_lod(
	const lrd_resident_mesh *mesh, const view_sight *sight, const view_part *part, float scale, int32_t forced)
{
	if (forced >= 0)
	{
		return (uint32_t)forced < mesh->lod_count ? (uint32_t)forced : mesh->lod_count - 1;
	}
	float nearest = sight->is_orthographic ? 1.0f : fmaxf(part->distance, 1e-6f);
	uint32_t lod = 0;
	while (
		lod + 1 < mesh->lod_count && mesh->lods[lod + 1].error * scale * sight->pixels_per_unit <= LOD_PIXELS * nearest)
	{
		lod++;
	}
	return lod;
}

// --- Materials ---

typedef struct material_row
{
	float base_color[4];
	float surface[4];
	float emissive[4];
	float volume[4];
	float attenuation[4];
	float coat[4];
	float sheen[4];
	float specular[4];
	float iridescence[4];
	float more[4];
	uint32_t flags[4];
	float transforms[LRD_SLOT_COUNT][8];
} material_row;

size_t view_material_row_size(void)
{
	return (sizeof(material_row) + UNIFORM_ALIGNMENT - 1) / UNIFORM_ALIGNMENT * UNIFORM_ALIGNMENT;
}

static uint32_t layers_of(const lrd_material_params *params, uint32_t flags)
{
	uint32_t layers = 0;
	layers |= (flags & LRD_MATERIAL_UNLIT) != 0 ? VIEW_LAYER_UNLIT : 0;
	layers |= params->clearcoat > 0.0f ? VIEW_LAYER_COAT : 0;
	bool has_sheen = params->sheen_color[0] > 0.0f || params->sheen_color[1] > 0.0f || params->sheen_color[2] > 0.0f;
	layers |= has_sheen ? VIEW_LAYER_SHEEN : 0;
	layers |= params->anisotropy > 0.0f ? VIEW_LAYER_ANISOTROPIC : 0;
	layers |= params->iridescence > 0.0f ? VIEW_LAYER_IRIDESCENT : 0;
	layers |= params->transmission > 0.0f ? VIEW_LAYER_TRANSMISSIVE : 0;
	layers |= params->transmission > 0.0f && params->dispersion > 0.0f ? VIEW_LAYER_DISPERSIVE : 0;
	return (layers & VIEW_LAYER_UNLIT) != 0 ? VIEW_LAYER_UNLIT : layers;
}

static void write_params(material_row *row, const lrd_material_params *p)
{
	float strength = p->emissive_strength;
	memcpy(row->base_color, p->base_color, sizeof row->base_color);
	memcpy(row->surface, (float[]){ p->metallic, p->roughness, p->normal_scale, p->occlusion_strength }, 16);
	memcpy(row->emissive,
		(float[]){ p->emissive[0] * strength, p->emissive[1] * strength, p->emissive[2] * strength, 0 }, 16);
	memcpy(row->volume, (float[]){ p->transmission, p->ior, p->thickness, p->dispersion }, 16);
	memcpy(row->attenuation,
		(float[]){ p->attenuation_color[0], p->attenuation_color[1], p->attenuation_color[2],
			p->attenuation_distance > 0.0f ? 1.0f / p->attenuation_distance : 0.0f },
		16);
	memcpy(row->coat, (float[]){ p->anisotropy, p->anisotropy_rotation, p->clearcoat, p->clearcoat_roughness }, 16);
	memcpy(row->sheen, (float[]){ p->sheen_color[0], p->sheen_color[1], p->sheen_color[2], p->sheen_roughness }, 16);
	memcpy(
		row->specular, (float[]){ p->specular_color[0], p->specular_color[1], p->specular_color[2], p->specular }, 16);
	memcpy(row->iridescence,
		(float[]){ p->iridescence, p->iridescence_ior, p->iridescence_thickness_min, p->iridescence_thickness_max },
		16);
	memcpy(row->more, (float[]){ p->clearcoat_normal_scale, 0, 0, 0 }, 16);
}

/// Slots that a layer reads which is not there would be sampled for nothing.
static uint32_t slots_that_count(uint32_t layers)
{
	const uint32_t coat =
		1u << LRD_SLOT_CLEARCOAT | 1u << LRD_SLOT_CLEARCOAT_ROUGHNESS | 1u << LRD_SLOT_CLEARCOAT_NORMAL;
	const uint32_t sheen = 1u << LRD_SLOT_SHEEN_COLOR | 1u << LRD_SLOT_SHEEN_ROUGHNESS;
	const uint32_t through = 1u << LRD_SLOT_TRANSMISSION | 1u << LRD_SLOT_THICKNESS;
	uint32_t slots = (layers & VIEW_LAYER_UNLIT) != 0 ? 1u << LRD_SLOT_BASE_COLOR : (1u << LRD_SLOT_COUNT) - 1;
	slots &= (layers & VIEW_LAYER_COAT) != 0 ? ~0u : ~coat;
	slots &= (layers & VIEW_LAYER_SHEEN) != 0 ? ~0u : ~sheen;
	slots &= (layers & VIEW_LAYER_ANISOTROPIC) != 0 ? ~0u : ~(1u << LRD_SLOT_ANISOTROPY);
	return (layers & VIEW_LAYER_TRANSMISSIVE) != 0 ? slots : slots & ~through;
}

void view_material_write(const view_renderer *self, uint32_t material, void *to, view_pipeline_key *key)
{
	material_row *row = to;
	*row = (material_row){ 0 };
	*key = (view_pipeline_key){ 0 };
	const lrd_resident_material *from =
		material != LRD_GPU_NO_SLOT ? lrd_residents_get_material(self->residents, material) : NULL;
	if (from == NULL || from->params == NULL)
	{
		const lrd_material_params params = lrd_material_default_params();
		write_params(row, &params);
		return;
	}
	write_params(row, from->params);
	row->emissive[3] = from->alpha_cutoff;
	row->flags[0] = (from->flags & LRD_MATERIAL_PREMULTIPLIED) != 0;
	key->layers = layers_of(from->params, from->flags);
	key->alpha = from->alpha_mode;
	key->sides = (from->flags & LRD_MATERIAL_DOUBLE_SIDED) != 0 ? VIEW_SIDES_DOUBLE : 0;
	for (uint32_t i = 0; i < LRD_SLOT_COUNT; ++i)
	{
		const lrd_material_texture *texture = &from->textures[i];
		float c = cosf(texture->uv_rotation), s = sinf(texture->uv_rotation);
		float u = texture->uv_scale[0], v = texture->uv_scale[1];
		memcpy(row->transforms[i],
			(float[]){ c * u, s * v, -s * u, c * v, texture->uv_offset[0], texture->uv_offset[1],
				(float)(texture->uv_set == 1), 0 },
			sizeof row->transforms[i]);
		key->slots |= from->slots[i] != LRD_GPU_NO_SLOT ? 1u << i : 0;
	}
	key->slots &= slots_that_count(key->layers);
}

/// All materials, each once; `keys` by row, 0 being glTF's default.
static bool write_materials(view_renderer *self, view_frame *frame, view_pipeline_key *keys, uint32_t rows)
{
	if (!view_buffer_reserve(
			self->vk, &frame->materials, rows * view_material_row_size(), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT))
	{
		return false;
	}
	for (uint32_t i = 0; i < rows; ++i)
	{
		material_row row;
		view_material_write(self, i == 0 ? LRD_GPU_NO_SLOT : i - 1, &row, &keys[i]);
		memcpy((uint8_t *)frame->materials.mapped + i * view_material_row_size(), &row, sizeof row);
	}
	return true;
}

// --- Draws ---

static view_draw *add_draw(view_renderer *self)
{
	if (self->draw_count == self->draw_room)
	{
		uint32_t room = self->draw_room * 2 + 64;
		view_draw *draws = realloc(self->draws, room * sizeof *draws);
		if (draws == NULL)
		{
			cli_error("view: out of memory");
			return NULL;
		}
		self->draws = draws;
		self->draw_room = room;
	}
	return &self->draws[self->draw_count++];
}

/// The level of the base colour that is resident, or wanted.
static uint32_t base_level(const view_renderer *self, uint32_t material, bool is_wanted)
{
	const lrd_resident_material *from =
		material != LRD_GPU_NO_SLOT ? lrd_residents_get_material(self->residents, material) : NULL;
	lrd_resident_texture texture;
	if (from == NULL || from->slots[LRD_SLOT_BASE_COLOR] == LRD_GPU_NO_SLOT ||
		!lrd_residents_get_texture(self->residents, from->slots[LRD_SLOT_BASE_COLOR], &texture))
	{
		return 7;
	}
	return is_wanted ? texture.wanted_level : texture.first_level;
}

static uint32_t debug_color(const view_renderer *self, view_mode mode, uint32_t index, const view_part *part)
{
	switch (mode)
	{
	case VIEW_PARTS: return color_of(index);
	case VIEW_LOD: return level_color(part->lod);
	case VIEW_MIP: return level_color(base_level(self, part->material, false));
	case VIEW_WANTED: return level_color(base_level(self, part->material, true));
	default: return 0xffffffffu;
	}
}

/// A draw for each meshlet, each with a colour of its own. A LOD's triangles are its meshlets' one after the other.
static bool add_meshlets(view_renderer *self, const view_draw *whole, const lrd_mesh_view *mesh)
{
	if (whole->lod >= mesh->lod_count)
	{
		return true;
	}
	const lrd_mesh_lod *lod = &mesh->lods[whole->lod];
	uint32_t first = whole->first_index;
	for (uint32_t i = 0; i < lod->meshlet_count && self->draw_count < DRAWS_MOST; ++i)
	{
		view_draw *draw = add_draw(self);
		if (draw == NULL)
		{
			return false;
		}
		*draw = *whole;
		draw->first_index = first;
		draw->index_count = 3 * mesh->meshlets[lod->meshlet_offset + i].triangle_count;
		draw->color = color_of(lod->meshlet_offset + i);
		first += draw->index_count;
	}
	return true;
}

static bool add_part(view_renderer *self, const view_picture *picture, const view_sight *sight,
	const view_pipeline_key *keys, uint32_t rows, uint32_t index)
{
	view_part *part = &picture->scene->parts[index];
	const lrd_resident_mesh *mesh = lrd_residents_get_mesh(self->residents, part->mesh);
	if (mesh == NULL || mesh->object == 0 || mesh->lod_count == 0)
	{
		return true;
	}
	if (!view_sight_place(sight, picture->scene, part, &mesh->bounds))
	{
		self->stats.culled++;
		return true;
	}
	float scale = view_largest_scale(&part->world);
	part->lod = choose_lod(mesh, sight, part, scale, picture->options->lod);
	VkDeviceSize offset = 0;
	uint32_t row = part->material != LRD_GPU_NO_SLOT && part->material + 1 < rows ? part->material + 1 : 0;
	view_draw draw = { .key = keys[row],
		.part = index,
		.material = row,
		.buffer = lrd_gpu_vulkan_buffer(self->gpu, mesh->object, &offset),
		.index_size = mesh->index_size,
		.first_index = mesh->lods[part->lod].first_index,
		.index_count = mesh->lods[part->lod].index_count,
		.lod = part->lod,
		.depth = part->depth,
		.color = debug_color(self, picture->mode, index, part) };
	if (draw.buffer == VK_NULL_HANDLE)
	{
		return true;
	}
	const lrd_mat4 *first_joint = part->skeleton != LRD_NO_INDEX
									  ? picture->scene->palette + picture->scene->skeletons[part->skeleton].first_joint
									  : NULL;
	float handedness = view_determinant(first_joint != NULL ? first_joint : &part->world);
	draw.index_offset = offset + mesh->index_offset;
	draw.key.mode = picture->mode;
	draw.key.sides |= handedness < 0.0f ? VIEW_SIDES_MIRRORED : 0;
	draw.is_late = picture->mode == VIEW_SHADED &&
				   (draw.key.alpha == LRD_ALPHA_BLEND || (draw.key.layers & VIEW_LAYER_TRANSMISSIVE) != 0);
	if (picture->mode == VIEW_MESHLETS)
	{
		const lrd_mesh *file = lrd_mesh_get(self->store, part->mesh_asset);
		return file == NULL || add_meshlets(self, &draw, &file->view);
	}
	view_draw *added = add_draw(self);
	if (added != NULL)
	{
		*added = draw;
	}
	return added != NULL;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/// What is early by what has to be bound, what is late from far to near; and always the same order for the same scene.
static int compare_draws(const void *left, const void *right)
{
	const view_draw *a = left, *b = right;
	if (a->is_late != b->is_late)
	{
		return a->is_late ? 1 : -1;
	}
	if (a->is_late && a->depth != b->depth)
	{
		return a->depth > b->depth ? -1 : 1;
	}
	int order = a->is_late ? 0 : memcmp(&a->key, &b->key, sizeof a->key);
	order = order != 0 || a->is_late ? order : compare_numbers(a->material, b->material);
	order = order != 0 || a->is_late ? order : compare_numbers(a->index_offset, b->index_offset);
	order = order != 0 || a->is_late ? order : compare_numbers(a->lod, b->lod);
	order = order != 0 ? order : compare_numbers(a->part, b->part);
	return order != 0 ? order : compare_numbers(a->first_index, b->first_index);
}

// --- Instances ---

/// Deltas of all morph targets at their weights, for each vertex; false: there is nothing to move.
static bool blend_morphs(const lrd_mesh_view *mesh, const float *weights, float *deltas)
{
	bool moves = false;
	for (uint32_t t = 0; t < mesh->morph_count; ++t)
	{
		const lrd_morph_target *target = &mesh->morphs[t];
		float weight = weights[t];
		for (uint32_t i = 0; weight != 0.0f && i < target->entry_count; ++i)
		{
			const lrd_morph_entry *entry = &mesh->morph_entries[target->entry_offset + i];
			float *delta = deltas + (size_t)entry->vertex * MORPH_FLOATS;
			for (int axis = 0; axis < 3; ++axis)
			{
				delta[axis] += weight * entry->position[axis];
				delta[3 + axis] += weight * (float)entry->normal[axis] * (2.0f / 32767.0f);
				delta[6 + axis] += weight * (float)entry->tangent[axis] * (2.0f / 32767.0f);
			}
			moves = true;
		}
	}
	return moves;
}

/// Where in the frame's buffer each part's deltas begin, plus 1; 0: it has none. `places` has a number a part.
static bool write_morphs(view_renderer *self, view_frame *frame, const view_scene *scene, uint32_t *places)
{
	uint64_t floats = 0;
	for (uint32_t i = 0; i < scene->part_count; ++i)
	{
		const lrd_mesh *mesh =
			scene->parts[i].weight_count != 0 ? lrd_mesh_get(self->store, scene->parts[i].mesh_asset) : NULL;
		places[i] = 0;
		if (mesh != NULL && mesh->view.morph_count == scene->parts[i].weight_count)
		{
			places[i] = (uint32_t)floats + 1;
			floats += (uint64_t)mesh->view.vertex_count * MORPH_FLOATS;
		}
	}
	if (floats == 0)
	{
		return true;
	}
	// Blended apart and then copied: the buffer's memory may be slow to read.
	float *deltas = floats < UINT32_MAX ? calloc((size_t)floats, sizeof *deltas) : NULL;
	if (deltas == NULL || !view_buffer_reserve(self->vk, &frame->morphs, floats * sizeof *deltas, STORAGE))
	{
		free(deltas);
		return false;
	}
	for (uint32_t i = 0; i < scene->part_count; ++i)
	{
		const view_part *part = &scene->parts[i];
		if (places[i] != 0)
		{
			const lrd_mesh *mesh = lrd_mesh_get(self->store, part->mesh_asset);
			bool moves = blend_morphs(&mesh->view, scene->weights + part->first_weight, deltas + places[i] - 1);
			places[i] = moves ? places[i] : 0;
		}
	}
	memcpy(frame->morphs.mapped, deltas, floats * sizeof *deltas);
	free(deltas);
	return true;
}

static void write_instance(
	const view_renderer *self, const view_scene *scene, const view_draw *draw, uint32_t morph, instance_row *to)
{
	const view_part *part = &scene->parts[draw->part];
	const lrd_resident_mesh *mesh = lrd_residents_get_mesh(self->residents, part->mesh);
	VkDeviceSize offset = 0;
	lrd_gpu_vulkan_buffer(self->gpu, mesh->object, &offset);
	instance_row row = { .palette =
							 part->skeleton != LRD_NO_INDEX ? scene->skeletons[part->skeleton].first_joint : UINT32_MAX,
		.morph = morph,
		.material = draw->material,
		.color = draw->color };
	memcpy(row.world, part->world.m, sizeof row.world);
	memcpy(row.position_scale, mesh->position_scale, sizeof mesh->position_scale);
	memcpy(row.position_offset, mesh->position_offset, sizeof mesh->position_offset);
	for (uint32_t s = 0; s < LRD_STREAM_COUNT; ++s)
	{
		row.stream_base[s] = (uint32_t)((offset + mesh->stream_offset[s]) / 4);
		row.stream_stride[s] = mesh->stream_stride[s] / 4;
	}
	for (uint32_t i = 0; i < mesh->attribute_count; ++i)
	{
		const lrd_vertex_attribute *attribute = &mesh->attributes[i];
		row.attributes[attribute->semantic] =
			attribute->format | (uint32_t)attribute->stream << 8 | (uint32_t)(attribute->offset / 4) << 16;
	}
	memcpy(to, &row, sizeof row);
}

static bool can_join(const view_scene *scene, const view_draw *a, const view_draw *b)
{
	const view_part *first = &scene->parts[a->part], *second = &scene->parts[b->part];
	return !a->is_late && !b->is_late && memcmp(&a->key, &b->key, sizeof a->key) == 0 && a->material == b->material &&
		   a->buffer == b->buffer && a->index_offset == b->index_offset && a->first_index == b->first_index &&
		   a->index_count == b->index_count && !first->is_posed && !second->is_posed;
}

/// Rows of instances in the order of the draws; neighbours that draw the same become one draw.
static void write_instances(view_renderer *self, view_frame *frame, const view_scene *scene, const uint32_t *morphs)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < self->draw_count; ++i)
	{
		view_draw draw = self->draws[i];
		write_instance(self, scene, &draw, morphs[draw.part], (instance_row *)frame->instances.mapped + i);
		draw.instance = i;
		draw.instance_count = 1;
		self->stats.instances++;
		self->stats.triangles += draw.index_count / 3;
		if (kept != 0 && can_join(scene, &self->draws[kept - 1], &draw))
		{
			self->draws[kept - 1].instance_count++;
			continue;
		}
		self->draws[kept++] = draw;
	}
	self->draw_count = kept;
	self->stats.draws = kept;
}

bool view_draws_gather(view_renderer *self, view_frame *frame, const view_picture *picture)
{
	const view_scene *scene = picture->scene;
	uint32_t rows = lrd_residents_material_count(self->residents) + 1;
	view_pipeline_key *keys = calloc(rows, sizeof *keys);
	uint32_t *morphs = calloc((size_t)scene->part_count + 1, sizeof *morphs);
	view_sight sight;
	view_sight_make(&sight, picture->camera, self->targets.width, self->targets.height);
	self->draw_count = 0;
	self->stats = (view_draw_stats){ .pipelines = self->pipelines.surface_count };
	bool good = keys != NULL && morphs != NULL && write_materials(self, frame, keys, rows) &&
				write_morphs(self, frame, scene, morphs);
	for (uint32_t i = 0; good && i < scene->part_count; ++i)
	{
		good = add_part(self, picture, &sight, keys, rows, i);
	}
	good = good &&
		   view_buffer_reserve(self->vk, &frame->instances, (self->draw_count + 1) * sizeof(instance_row), STORAGE) &&
		   view_buffer_reserve(self->vk, &frame->palettes, (scene->joint_count + 1) * sizeof(lrd_mat4), STORAGE);
	if (good)
	{
		if (self->draw_count != 0)
		{
			qsort(self->draws, self->draw_count, sizeof *self->draws, compare_draws);
		}
		write_instances(self, frame, scene, morphs);
		if (scene->joint_count != 0)
		{
			memcpy(frame->palettes.mapped, scene->palette, scene->joint_count * sizeof(lrd_mat4));
		}
	}
	free(keys);
	free(morphs);
	return good;
}
