// Recipes: the part that models and images share. What a recipe yields is decided in model_plan.c and image_recipe.c.

#include "cook/recipe_internal.h"

#include "base/error.h"

#define NOTE_MESSAGE_SIZE 512

bool lrd_note(lrd_notes *notes, const char *kind, uint32_t count, lrd_error *error, const char *format, ...)
{
	if (count == 0)
	{
		return true;
	}
	if (notes->arena == NULL)
	{
		notes->arena = lrd_arena_create(notes->allocator, 1024);
	}
	if (notes->arena == NULL || !LRD_RESERVE(notes->allocator, notes->items, notes->count, 1, notes->capacity))
	{
		return lrd_fail_memory(error, "warning", sizeof *notes->items);
	}
	char message[NOTE_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	lrd_format_cut(message, sizeof message, format, arguments);
	va_end(arguments);
	lrd_text_tidy(message);
	lrd_string text = lrd_arena_string(notes->arena, lrd_string_from(message));
	if (text.data == NULL)
	{
		return lrd_fail_memory(error, "warning", sizeof message);
	}
	notes->items[notes->count++] = (lrd_document_warning){ lrd_string_from(kind), text, count };
	return true;
}

static void free_notes(lrd_notes *notes)
{
	lrd_arena_destroy(notes->arena);
	lrd_free(notes->allocator, notes->items, notes->capacity * sizeof *notes->items);
}

void *lrd_recipe_create(const lrd_recipe_desc *desc, size_t size, lrd_error *error)
{
	lrd_arena *arena = lrd_arena_create(desc->allocator, 0);
	lrd_recipe *recipe = arena == NULL ? NULL : lrd_arena_zeroed(arena, 1, size);
	if (recipe == NULL)
	{
		lrd_arena_destroy(arena);
		lrd_fail_memory(error, "recipe", size);
		return NULL;
	}
	recipe->allocator = desc->allocator;
	recipe->arena = arena;
	recipe->root = desc->root;
	recipe->source = desc->source;
	recipe->stem = desc->stem;
	recipe->settings = desc->settings;
	recipe->target = desc->target;
	recipe->jobs = desc->jobs;
	recipe->plan_notes.allocator = desc->allocator;
	return recipe;
}

void lrd_recipe_destroy(lrd_recipe *recipe)
{
	if (recipe == NULL)
	{
		return;
	}
	if (recipe->destroy != NULL)
	{
		recipe->destroy(recipe);
	}
	for (uint32_t i = 0; recipe->notes != NULL && i < recipe->output_count; ++i)
	{
		free_notes(&recipe->notes[i]);
	}
	free_notes(&recipe->plan_notes);
	lrd_arena_destroy(recipe->arena);
}

bool lrd_recipe_set_outputs(lrd_recipe *recipe, lrd_recipe_output *outputs, uint32_t count, lrd_error *error)
{
	lrd_notes *notes = LRD_ARENA_ARRAY(recipe->arena, lrd_notes, count);
	recipe->textures = LRD_ARENA_ARRAY(recipe->arena, lrd_texture_report, count);
	recipe->meshes = LRD_ARENA_ARRAY(recipe->arena, lrd_mesh_report, count);
	recipe->skeletons = LRD_ARENA_ARRAY(recipe->arena, lrd_skeleton_report, count);
	recipe->clips = LRD_ARENA_ARRAY(recipe->arena, lrd_clip_report, count);
	if (notes == NULL || recipe->textures == NULL || recipe->meshes == NULL || recipe->skeletons == NULL ||
		recipe->clips == NULL)
	{
		return lrd_fail_memory(error, "recipe outputs", count * sizeof *notes);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		notes[i].allocator = recipe->allocator;
	}
	recipe->notes = notes;
	recipe->outputs = outputs;
	recipe->output_count = count;
	return true;
}

const lrd_recipe_output *lrd_recipe_outputs(const lrd_recipe *recipe, uint32_t *count)
{
	*count = recipe->output_count;
	return recipe->outputs;
}

const lrd_texture_report *lrd_recipe_texture(const lrd_recipe *recipe, uint32_t output)
{
	return recipe->textures[output].level_count != 0 ? &recipe->textures[output] : NULL;
}

const lrd_mesh_report *lrd_recipe_mesh(const lrd_recipe *recipe, uint32_t output)
{
	return recipe->meshes[output].lod_count != 0 ? &recipe->meshes[output] : NULL;
}

const lrd_skeleton_report *lrd_recipe_skeleton(const lrd_recipe *recipe, uint32_t output)
{
	return recipe->skeletons[output].joints != 0 ? &recipe->skeletons[output] : NULL;
}

const lrd_clip_report *lrd_recipe_clip(const lrd_recipe *recipe, uint32_t output)
{
	return recipe->outputs[output].kind == LRD_CLIP ? &recipe->clips[output] : NULL;
}

bool lrd_recipe_make(lrd_recipe *recipe, uint32_t output, lrd_buffer *out, lrd_error *error)
{
	out->size = 0;
	if (!recipe->make(recipe, output, out, error))
	{
		out->size = 0;
		return false;
	}
	return true;
}

bool lrd_recipe_warnings(lrd_recipe *recipe, const lrd_document_warning **warnings, uint32_t *count, lrd_error *error)
{
	size_t total = recipe->plan_notes.count;
	for (uint32_t i = 0; i < recipe->output_count; ++i)
	{
		total += recipe->notes[i].count;
	}
	*warnings = NULL;
	*count = 0;
	if (total == 0)
	{
		return true;
	}
	lrd_document_warning *all = LRD_ARENA_ARRAY(recipe->arena, lrd_document_warning, total);
	if (all == NULL)
	{
		return lrd_fail_memory(error, "warnings", total * sizeof *all);
	}
	for (size_t i = 0; i < recipe->plan_notes.count; ++i)
	{
		all[(*count)++] = recipe->plan_notes.items[i];
	}
	for (uint32_t i = 0; i < recipe->output_count; ++i)
	{
		for (size_t n = 0; n < recipe->notes[i].count; ++n)
		{
			all[(*count)++] = recipe->notes[i].items[n];
		}
	}
	*warnings = all;
	return true;
}
