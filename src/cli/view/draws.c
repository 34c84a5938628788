// What is drawn in a frame: which parts are seen, at which LOD, in which order, and what shaders read of them. The structures here are
// those of shaders/common.glsl.

#include "cli/view/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STORAGE VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
#define LOD_PIXELS 1.0f   // that a LOD's error may cover
#define DRAWS_MOST 65536u // meshlets are drawn one by one

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
	const lrd_resident_mesh *mesh, const view_sight *sight, const view_part *part, int32_t forced)
{
	if (forced >= 0)
	{
		return (uint32_t)forced < mesh->lod_count ? (uint32_t)forced : mesh->lod_count - 1;
	}
	float nearest = sight->is_orthographic ? 1.0f : fmaxf(part->distance, 1e-6f);
	float pixels = part->scale * sight->pixels_per_unit;
	uint32_t lod = 0;
	while (lod + 1 < mesh->lod_count && mesh->lods[lod + 1].error * pixels <= LOD_PIXELS * nearest)
	{
		lod++;
	}
	return lod;
}

// --- Draws ---

/// Room for `room` elements; where memory runs out, which is said, it stays as it is and `good` becomes false.
static void *grow(void *old, uint32_t room, size_t size, bool *good)
{
	void *grown = *good ? realloc(old, room * size) : NULL;
	if (grown == NULL && *good)
	{
		cli_error("view: out of memory");
	}
	*good = grown != NULL;
	return grown != NULL ? grown : old;
}

#define GROW(array) ((array) = grow((array), room, sizeof *(array), &good))

static bool reserve_rows(view_gathering *self, uint32_t rows)
{
	bool good = true;
	if (rows > self->row_room)
	{
		uint32_t room = rows + rows / 2;
		GROW(self->keys);
		GROW(self->sets);
		self->row_room = good ? room : self->row_room;
	}
	self->rows = rows;
	return good;
}

/// False, which was said.
static bool add_draw(view_renderer *self, const view_draw *draw, uint32_t mesh)
{
	view_gathering *gathering = &self->gathering;
	if (gathering->count == gathering->room)
	{
		uint32_t room = gathering->room * 2 + 64;
		bool good = true;
		GROW(gathering->found);
		GROW(gathering->order);
		GROW(gathering->spare);
		GROW(self->draws);
		if (!good)
		{
			return false;
		}
		gathering->room = room;
	}
	const uint32_t index = gathering->count++;
	gathering->found[index] = *draw;
	gathering->order[index] = view_order_of(draw, mesh, index);
	return true;
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
static bool add_meshlets(view_renderer *self, const view_draw *whole, const lrd_mesh_view *mesh, uint32_t mesh_index)
{
	if (whole->lod >= mesh->lod_count)
	{
		return true;
	}
	const lrd_mesh_lod *lod = &mesh->lods[whole->lod];
	view_draw draw = *whole;
	uint32_t left = whole->index_count; // a file that was loaded anew may have more than the GPU has yet
	bool good = true;
	for (uint32_t i = 0; good && i < lod->meshlet_count && left != 0 && self->gathering.count < DRAWS_MOST; ++i)
	{
		uint32_t own = 3 * mesh->meshlets[lod->meshlet_offset + i].triangle_count;
		draw.index_count = own < left ? own : left;
		left -= draw.index_count;
		draw.color = color_of(lod->meshlet_offset + i);
		good = add_draw(self, &draw, mesh_index);
		draw.first_index += draw.index_count;
	}
	return good;
}

static bool add_part(view_renderer *self, const view_picture *picture, const view_sight *sight, uint32_t index)
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
	part->lod = choose_lod(mesh, sight, part, picture->options->lod);
	VkDeviceSize offset = 0;
	const view_gathering *gathering = &self->gathering;
	uint32_t row = part->material != LRD_GPU_NO_SLOT && part->material + 1 < gathering->rows ? part->material + 1 : 0;
	view_draw draw = { .key = gathering->keys[row],
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
	draw.offset = offset;
	draw.index_offset = offset + mesh->index_offset;
	draw.key.mode = picture->mode;
	draw.key.layers |= part->skeleton != LRD_NO_INDEX ? VIEW_LAYER_SKINNED : 0;
	draw.key.layers |= part->weight_count != 0 ? VIEW_LAYER_MORPHED : 0;
	draw.key.layers |= picture->mode == VIEW_SHADED && (draw.key.layers & VIEW_LAYER_UNLIT) == 0 &&
							   picture->scene->model->view.light_count != 0
						   ? VIEW_LAYER_LIT
						   : 0;
	draw.key.sides |= part->is_mirrored ? VIEW_SIDES_MIRRORED : 0;
	draw.is_late = picture->mode == VIEW_SHADED &&
				   (draw.key.alpha == LRD_ALPHA_BLEND || (draw.key.layers & VIEW_LAYER_TRANSMISSIVE) != 0);
	if (picture->mode == VIEW_MESHLETS)
	{
		const lrd_mesh *file = lrd_mesh_get(self->store, part->mesh_asset);
		return file == NULL || add_meshlets(self, &draw, &file->view, part->mesh.index);
	}
	return add_draw(self, &draw, part->mesh.index);
}

// --- Instances ---

/// What all instances of a mesh have in common.
static instance_row row_of_mesh(const lrd_resident_mesh *mesh, uint64_t offset)
{
	instance_row row = { 0 };
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
	return row;
}

static bool can_join(const view_scene *scene, const view_draw *a, const view_draw *b)
{
	const view_part *first = &scene->parts[a->part], *second = &scene->parts[b->part];
	return !a->is_late && !b->is_late && memcmp(&a->key, &b->key, sizeof a->key) == 0 && a->material == b->material &&
		   a->buffer == b->buffer && a->index_offset == b->index_offset && a->first_index == b->first_index &&
		   a->index_count == b->index_count && !first->is_posed && !second->is_posed;
}

/// Rows of instances in the order of the draws; neighbours that draw the same become one draw.
static void write_instances(view_renderer *self, view_frame *frame, const view_scene *scene, const view_ordered *order)
{
	instance_row row = { 0 };
	const lrd_resident_mesh *mesh = NULL;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < self->gathering.count; ++i)
	{
		view_draw draw = self->gathering.found[order[i].index];
		const view_part *part = &scene->parts[draw.part];
		const lrd_resident_mesh *own = lrd_residents_get_mesh(self->residents, part->mesh);
		if (own != mesh)
		{
			row = row_of_mesh(own, draw.offset);
			mesh = own;
		}
		memcpy(row.world, part->world.m, sizeof row.world);
		row.palette = part->skeleton != LRD_NO_INDEX ? scene->skeletons[part->skeleton].first_joint : UINT32_MAX;
		row.morph = part->morph;
		row.material = draw.material;
		row.color = draw.color;
		memcpy((instance_row *)frame->instances.mapped + i, &row, sizeof row);
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
	view_gathering *gathering = &self->gathering;
	uint32_t rows = lrd_residents_material_count(self->residents) + 1;
	view_sight sight;
	view_sight_make(&sight, picture->camera, self->targets.width, self->targets.height);
	self->draw_count = 0;
	gathering->count = 0;
	self->stats = (view_draw_stats){ .pipelines = self->pipelines.surface_count };
	bool good = reserve_rows(gathering, rows) && view_materials_write(self, frame, gathering->keys, rows) &&
				view_morphs_write(self, frame, scene);
	for (uint32_t i = 0; good && i < scene->part_count; ++i)
	{
		good = add_part(self, picture, &sight, i);
	}
	good = good &&
		   view_buffer_reserve(self->vk, &frame->instances, (gathering->count + 1) * sizeof(instance_row),
			   VK_BUFFER_USAGE_VERTEX_BUFFER_BIT) &&
		   view_buffer_reserve(self->vk, &frame->palettes, (scene->joint_count + 1) * sizeof(lrd_mat4), STORAGE);
	if (good)
	{
		write_instances(self, frame, scene, view_order_sort(gathering->order, gathering->spare, gathering->count));
		if (scene->joint_count != 0)
		{
			memcpy(frame->palettes.mapped, scene->palette, scene->joint_count * sizeof(lrd_mat4));
		}
	}
	return good;
}

void view_draws_free(view_renderer *self)
{
	free(self->gathering.keys);
	free(self->gathering.sets);
	free(self->gathering.found);
	free(self->gathering.order);
	free(self->gathering.spare);
	free(self->draws);
	self->gathering = (view_gathering){ 0 };
	self->draws = NULL;
	self->draw_count = 0;
}
