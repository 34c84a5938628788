// A loose image's recipe: one texture, of the type that its settings or its name tell.

#include "cook/recipe_internal.h"

#include "base/error.h"
#include "base/path.h"

typedef struct image_recipe
{
	lrd_recipe base;
	lrd_bytes files[LRD_FACE_COUNT];
	uint32_t file_count;
} image_recipe;

static bool make_texture(lrd_recipe *base, uint32_t output, lrd_buffer *out, lrd_error *error)
{
	image_recipe *recipe = (image_recipe *)base;
	lrd_texture_report *report = &base->textures[output]; // there is but one
	const lrd_texture_cook_desc desc = {
		.images = recipe->files,
		.image_count = recipe->file_count,
		.name = lrd_path_file(base->source),
		.settings = &base->settings->texture,
		.target = base->target,
		.jobs = base->jobs,
		.allocator = base->allocator,
	};
	return lrd_texture_cook(&desc, out, report, error) &&
		   lrd_note_texture(&base->notes[output], base->outputs[output].path, report, error);
}

bool lrd_note_texture(lrd_notes *notes, lrd_string path, const lrd_texture_report *report, lrd_error *error)
{
	uint32_t clamped = report->clamped < UINT32_MAX ? (uint32_t)report->clamped : UINT32_MAX;
	return lrd_note(notes, "clamped", clamped, error,
			   "%.*s: %u values that were not finite, or beyond what the format holds, were brought into range",
			   LRD_STR_ARG(path), clamped) &&
		   lrd_note(notes, "settings", report->ignored, error,
			   "%.*s: it is taken over as it is: what the settings want of its texels was not done", LRD_STR_ARG(path));
}

lrd_recipe *lrd_recipe_image(const lrd_recipe_desc *desc, const lrd_bytes *files, uint32_t file_count, lrd_error *error)
{
	image_recipe *recipe = lrd_recipe_create(desc, sizeof *recipe, error);
	if (recipe == NULL)
	{
		return NULL;
	}
	recipe->base.make = make_texture;
	recipe->file_count = file_count;
	memcpy(recipe->files, files, file_count * sizeof *files);
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
