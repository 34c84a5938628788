// Making one material: the document's, with parameters brought into range and slots that name cooked textures.

#include "cook/model.h"

#include "base/error.h"
#include "larder/write.h"

#include <math.h>
#include <stddef.h>

/// A parameter of lrd_material_params that has a range.
typedef struct range
{
	size_t offset;
	uint32_t count; ///< floats
	float low, high;
	const char *name;
} range;

#define RANGE(member, count, low, high)                                                                                \
	{                                                                                                                  \
		offsetof(lrd_material_params, member), (count), (low), (high), #member                                         \
	}

static const range ranges[] = {
	RANGE(base_color, 4, 0.0f, 1.0f),
	RANGE(metallic, 1, 0.0f, 1.0f),
	RANGE(roughness, 1, 0.0f, 1.0f),
	RANGE(emissive, 3, 0.0f, 1.0f),
	RANGE(emissive_strength, 1, 0.0f, INFINITY),
	RANGE(occlusion_strength, 1, 0.0f, 1.0f),
	RANGE(transmission, 1, 0.0f, 1.0f),
	RANGE(dispersion, 1, 0.0f, INFINITY),
	RANGE(thickness, 1, 0.0f, INFINITY),
	RANGE(attenuation_color, 3, 0.0f, 1.0f),
	RANGE(attenuation_distance, 1, 0.0f, INFINITY),
	RANGE(anisotropy, 1, 0.0f, 1.0f),
	RANGE(clearcoat, 1, 0.0f, 1.0f),
	RANGE(clearcoat_roughness, 1, 0.0f, 1.0f),
	RANGE(sheen_color, 3, 0.0f, 1.0f),
	RANGE(sheen_roughness, 1, 0.0f, 1.0f),
	RANGE(specular, 1, 0.0f, 1.0f),
	RANGE(specular_color, 3, 0.0f, INFINITY),
	RANGE(iridescence, 1, 0.0f, 1.0f),
	RANGE(iridescence_ior, 1, 1.0f, INFINITY),
	RANGE(iridescence_thickness_min, 1, 0.0f, INFINITY),
	RANGE(iridescence_thickness_max, 1, 0.0f, INFINITY),
};

static bool clamp_params(lrd_material_params *params, lrd_string name, lrd_notes *notes, lrd_error *error)
{
	for (size_t r = 0; r < sizeof ranges / sizeof *ranges; ++r)
	{
		float *values = (float *)(void *)((char *)params + ranges[r].offset);
		for (uint32_t i = 0; i < ranges[r].count; ++i)
		{
			float clamped = fminf(fmaxf(values[i], ranges[r].low), ranges[r].high);
			if (clamped != values[i] &&
				!lrd_note(notes, "parameter-range", 1, error, "material \"%.*s\": %s %g was brought into %g..%g",
					LRD_STR_ARG(name), ranges[r].name, (double)values[i], (double)ranges[r].low,
					(double)ranges[r].high))
			{
				return false;
			}
			values[i] = clamped;
		}
	}
	if (params->ior != 0.0f && params->ior < 1.0f)
	{
		if (!lrd_note(notes, "parameter-range", 1, error, "material \"%.*s\": ior %g was brought up to 1",
				LRD_STR_ARG(name), (double)params->ior))
		{
			return false;
		}
		params->ior = 1.0f;
	}
	return true;
}

static bool fill_slot(const lrd_model_recipe *recipe, const lrd_document_slot *slot, uint32_t image,
	lrd_text_table *table, lrd_material_texture *texture, lrd_error *error)
{
	*texture = (lrd_material_texture){ .uv_scale = { 1.0f, 1.0f } };
	if (image == LRD_NO_INDEX || recipe->images[image].undecodable)
	{
		return true;
	}
	const lrd_document_texture *source = &recipe->document->textures[slot->texture];
	const lrd_texture_settings *settings = recipe->images[image].settings;
	lrd_text text;
	if (!lrd_text_table_add(table, recipe->images[image].stem, &text, error))
	{
		return false;
	}
	*texture = (lrd_material_texture){
		.stem_offset = text.offset,
		.stem_size = text.size,
		.uv_set = (uint8_t)slot->uv_set,
		.wrap_u = settings->has_sampler ? (uint8_t)settings->wrap_u : source->wrap_u,
		.wrap_v = settings->has_sampler ? (uint8_t)settings->wrap_v : source->wrap_v,
		.filter = settings->has_sampler ? (uint8_t)settings->filter : source->filter,
		.uv_offset = { slot->uv_offset[0], slot->uv_offset[1] },
		.uv_scale = { slot->uv_scale[0], slot->uv_scale[1] },
		.uv_rotation = slot->uv_rotation,
	};
	return true;
}

/// The base colour's texture may hold colours that are multiplied by alpha.
static uint32_t premultiplied_flag(
	const lrd_model_recipe *recipe, const lrd_document_material *source, const lrd_material_plan *plan)
{
	uint32_t image = plan->images[LRD_SLOT_BASE_COLOR];
	bool multiplied = image != LRD_NO_INDEX && source->alpha_mode != LRD_ALPHA_OPAQUE &&
					  recipe->base.textures[recipe->image_output + image].premultiplied;
	return multiplied ? LRD_MATERIAL_PREMULTIPLIED : 0;
}

bool lrd_make_material(lrd_model_recipe *recipe, uint32_t index, lrd_buffer *out, lrd_notes *notes, lrd_error *error)
{
	const lrd_document_material *source = &recipe->document->materials[index];
	const lrd_material_plan *plan = &recipe->materials[index];
	lrd_material_texture textures[LRD_SLOT_COUNT];
	lrd_material_params params = source->params;
	params.thickness *= lrd_model_scale(recipe);
	params.attenuation_distance *= lrd_model_scale(recipe);
	lrd_medium medium = { 0 };
	lrd_text text;
	lrd_text_table *table = lrd_text_table_create(recipe->base.allocator);
	bool good = table != NULL || lrd_fail_memory(error, "strings", 0);
	good = good && lrd_text_table_add(table, source->name, &text, error) &&
		   clamp_params(&params, source->name, notes, error);
	for (uint32_t slot = 0; good && slot < LRD_SLOT_COUNT; ++slot)
	{
		good = fill_slot(recipe, &source->slots[slot], plan->images[slot], table, &textures[slot], error);
	}
	if (good)
	{
		lrd_material_view view = {
			.name = source->name,
			.domain = LRD_DOMAIN_SURFACE,
			.alpha_mode = (uint32_t)source->alpha_mode,
			.flags = source->flags | premultiplied_flag(recipe, source, plan),
			.alpha_cutoff = fminf(fmaxf(source->alpha_cutoff, 0.0f), 1.0f),
			.params = &params,
			.medium = &medium,
			.textures = textures,
			.strings = lrd_text_table_block(table),
		};
		good = lrd_material_write(&view, out, error);
	}
	lrd_text_table_destroy(table);
	return good || lrd_fail_in(error, "%.*s.lmat", LRD_STR_ARG(plan->stem));
}
