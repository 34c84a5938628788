// What shaders read of materials. The structure is that of shaders/common.glsl.

#include "cli/view/render.h"

#include <math.h>
#include <string.h>

#define GROUPS_MOST 64u        // of materials that share pipelines; others have their own
#define UNIFORM_ALIGNMENT 256u // what every device is content with

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
	float transforms[LRD_SLOT_COUNT][8];
	uint32_t maps[16];
	float unused[16];
} material_row;

_Static_assert(sizeof(material_row) % UNIFORM_ALIGNMENT == 0, "rows begin where uniforms may begin");
_Static_assert(LRD_SLOT_COUNT <= 16, "a place for each slot");

size_t view_material_row_size(void)
{
	return sizeof(material_row);
}

bool view_map_find(const view_renderer *self, uint32_t slot, VkImageView *view, VkSampler *sampler)
{
	lrd_resident_texture resident;
	if (slot == LRD_GPU_NO_SLOT || !lrd_residents_get_texture(self->residents, slot, &resident))
	{
		return false;
	}
	const lrd_texture *texture = lrd_texture_get(self->store, resident.asset);
	// Only flat images fit the shader's samplers: a material may name anything.
	bool is_flat = texture == NULL || (texture->view.face_count == 1 && texture->view.layer_count == 0 &&
										  texture->view.depth <= 1 && texture->view.height != 0);
	return is_flat && lrd_gpu_vulkan_slot(self->gpu, slot, view, sampler) != 0;
}

bool view_map_of(const view_renderer *self, const lrd_resident_material *material, uint32_t index, VkImageView *view,
	uint32_t *sampler)
{
	VkSampler own;
	if (material == NULL || !view_map_find(self, material->slots[index], view, &own))
	{
		return false;
	}
	const lrd_material_texture *from = &material->textures[index];
	*sampler = lrd_gpu_vulkan_sampler_index((lrd_texture_sampling){ from->wrap_u, from->wrap_v, from->filter });
	return true;
}

/// Where the table has a material's textures; where there is none, sets have them.
static void write_places(
	const view_renderer *self, material_row *row, const lrd_resident_material *from, uint32_t slots)
{
	for (uint32_t i = 0; i < LRD_SLOT_COUNT && self->pipelines.has_table; ++i)
	{
		VkImageView view;
		uint32_t sampler;
		bool is_there = (slots >> i & 1) != 0 && view_map_of(self, from, i, &view, &sampler);
		row->maps[i] = is_there ? VIEW_MAP(from->slots[i], sampler) : VIEW_NO_MAP;
	}
}

static bool is_emitting(const lrd_material_params *params)
{
	const float *emissive = params->emissive;
	return (emissive[0] > 0.0f || emissive[1] > 0.0f || emissive[2] > 0.0f) && params->emissive_strength > 0.0f;
}

static bool is_plainly_specular(const lrd_material_params *params)
{
	const float *color = params->specular_color;
	return color[0] == 1.0f && color[1] == 1.0f && color[2] == 1.0f && params->specular == 1.0f && params->ior == 1.5f;
}

static bool is_turned(const lrd_material_texture *texture)
{
	return texture->uv_set == 1 || texture->uv_rotation != 0.0f || texture->uv_scale[0] != 1.0f ||
		   texture->uv_scale[1] != 1.0f || texture->uv_offset[0] != 0.0f || texture->uv_offset[1] != 0.0f;
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
	layers |= is_emitting(params) ? VIEW_LAYER_EMITTING : 0;
	layers |= is_plainly_specular(params) ? 0 : VIEW_LAYER_SPECULAR;
	layers = (layers & VIEW_LAYER_UNLIT) != 0 ? VIEW_LAYER_UNLIT : layers;
	return layers | ((flags & LRD_MATERIAL_PREMULTIPLIED) != 0 ? VIEW_LAYER_PREMULTIPLIED : 0);
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
	slots &= (layers & VIEW_LAYER_EMITTING) != 0 ? ~0u : ~(1u << LRD_SLOT_EMISSIVE);
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
	key->layers = layers_of(from->params, from->flags);
	key->alpha = from->alpha_mode;
	key->sides = (from->flags & LRD_MATERIAL_DOUBLE_SIDED) != 0 ? VIEW_SIDES_DOUBLE : 0;
	const uint32_t counting = slots_that_count(key->layers);
	for (uint32_t i = 0; i < LRD_SLOT_COUNT; ++i)
	{
		const lrd_material_texture *texture = &from->textures[i];
		float c = cosf(texture->uv_rotation), s = sinf(texture->uv_rotation);
		float u = texture->uv_scale[0], v = texture->uv_scale[1];
		memcpy(row->transforms[i],
			(float[]){ c * u, s * v, -s * u, c * v, texture->uv_offset[0], texture->uv_offset[1],
				(float)(texture->uv_set == 1), 0 },
			sizeof row->transforms[i]);
		if (from->slots[i] != LRD_GPU_NO_SLOT && (counting >> i & 1) != 0)
		{
			key->slots |= 1u << i;
			key->layers |= is_turned(texture) ? VIEW_LAYER_TURNED : 0;
		}
	}
	write_places(self, row, from, key->slots);
}

/// Drivers in software compile a pipeline for longer than they would draw with it for a second. So what takes next to nothing to draw makes no
/// pipeline of its own: materials that differ in nothing else have all of it that any of them has.
static void share_pipelines(view_pipeline_key *keys, uint32_t rows)
{
	const uint32_t cheap = VIEW_LAYER_EMITTING | VIEW_LAYER_SPECULAR | VIEW_LAYER_TURNED;
	view_pipeline_key groups[GROUPS_MOST];
	uint32_t count = 0;
	for (uint32_t pass = 0; pass < 2; ++pass)
	{
		for (uint32_t i = 0; i < rows; ++i)
		{
			view_pipeline_key *key = &keys[i];
			uint32_t of_row = 0;
			while (of_row < count && (groups[of_row].slots != key->slots || groups[of_row].alpha != key->alpha ||
										 ((groups[of_row].layers ^ key->layers) & ~cheap) != 0))
			{
				of_row++;
			}
			if (of_row == count && count < GROUPS_MOST)
			{
				groups[count++] = *key;
			}
			if (of_row < count)
			{
				groups[of_row].layers |= key->layers;
				key->layers = groups[of_row].layers;
			}
		}
	}
}

bool view_materials_write(view_renderer *self, view_frame *frame, view_pipeline_key *keys, uint32_t rows)
{
	const size_t row_size = view_material_row_size();
	if (!view_buffer_reserve(self->vk, &frame->materials, rows * row_size, VIEW_MATERIALS_USAGE))
	{
		return false;
	}
	for (uint32_t i = 0; i < rows; ++i)
	{
		material_row row;
		view_material_write(self, i == 0 ? LRD_GPU_NO_SLOT : i - 1, &row, &keys[i]);
		memcpy((uint8_t *)frame->materials.mapped + i * row_size, &row, sizeof row);
	}
	share_pipelines(keys, rows);
	return true;
}
