// A loose image's recipe: one texture, of the type that its settings or its name tell.

#include "cook/recipe_internal.h"

#include "base/error.h"

typedef struct image_recipe
{
	lrd_recipe base;
	lrd_bytes bytes;
	lrd_texture_settings settings; ///< with the type decided
} image_recipe;

static bool type_is_color(lrd_texture_type type)
{
	return type == LRD_TEXTURE_TYPE_AUTO || type == LRD_TEXTURE_TYPE_ALBEDO || type == LRD_TEXTURE_TYPE_EMISSIVE ||
		   type == LRD_TEXTURE_TYPE_UI;
}

static bool make_texture(lrd_recipe *base, uint32_t output, lrd_buffer *out, lrd_error *error)
{
	image_recipe *recipe = (image_recipe *)base;
	(void)output; // there is but one
	const lrd_texture_settings *settings = &recipe->settings;
	bool normal = settings->type == LRD_TEXTURE_TYPE_NORMAL;
	bool color = settings->srgb == LRD_CHOICE_AUTO ? type_is_color(settings->type) : settings->srgb == LRD_CHOICE_ON;
	lrd_texture_recipe texture = {
		.color = color,
		.normal = normal,
		.ignore_gamma = !color,
		.alpha_weighted = type_is_color(settings->type),
		.alpha_cutoff = settings->alpha_coverage == LRD_CHOICE_ON ? settings->alpha_cutoff : 0.0f,
		.settings = settings,
		.allocator = base->allocator,
	};
	return lrd_cook_texture(&texture, recipe->bytes, out, error);
}

lrd_recipe *lrd_recipe_image(const lrd_recipe_desc *desc, lrd_bytes bytes, lrd_error *error)
{
	image_recipe *recipe = lrd_recipe_create(desc, sizeof *recipe, error);
	if (recipe == NULL)
	{
		return NULL;
	}
	recipe->base.make = make_texture;
	recipe->bytes = bytes;
	recipe->settings = desc->settings->texture;
	if (recipe->settings.type == LRD_TEXTURE_TYPE_AUTO)
	{
		recipe->settings.type = lrd_texture_type_from_name(desc->stem);
	}
	lrd_recipe_output *outputs = LRD_ARENA_NEW(recipe->base.arena, lrd_recipe_output);
	lrd_string path = lrd_arena_printf(recipe->base.arena, "%.*s.ktx2", LRD_STR_ARG(desc->stem));
	if (outputs == NULL || path.data == NULL)
	{
		lrd_fail_memory(error, "recipe", sizeof *outputs);
		lrd_recipe_destroy(&recipe->base);
		return NULL;
	}
	outputs[0] = (lrd_recipe_output){ path, LRD_TEXTURE, 0 };
	if (!lrd_recipe_set_outputs(&recipe->base, outputs, 1, error))
	{
		lrd_recipe_destroy(&recipe->base);
		return NULL;
	}
	return &recipe->base;
}
