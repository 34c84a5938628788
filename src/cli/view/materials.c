// What shaders read of materials. The structure is that of shaders/common.glsl.

#include "cli/view/render.h"

#include <math.h>
#include <string.h>

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

bool view_materials_write(view_renderer *self, view_frame *frame, view_pipeline_key *keys, uint32_t rows)
{
	const size_t row_size = view_material_row_size();
	if (!view_buffer_reserve(self->vk, &frame->materials, rows * row_size, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT))
	{
		return false;
	}
	for (uint32_t i = 0; i < rows; ++i)
	{
		material_row row;
		view_material_write(self, i == 0 ? LRD_GPU_NO_SLOT : i - 1, &row, &keys[i]);
		memcpy((uint8_t *)frame->materials.mapped + i * row_size, &row, sizeof row);
	}
	return true;
}
