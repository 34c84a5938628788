// A model's recipe: plan everything, list the outputs, and send each to the task that makes it.

#include "cook/model.h"

#include "base/error.h"

lrd_string lrd_model_file_stem(lrd_model_recipe *recipe, const char *kind, lrd_string name)
{
	return lrd_arena_printf(
		recipe->base.arena, "%.*s/%s.%.*s", LRD_STR_ARG(recipe->base.stem), kind, LRD_STR_ARG(name));
}

static bool plan_clips(lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_document *document = recipe->document;
	lrd_names names = { .arena = recipe->base.arena };
	recipe->clips = LRD_ARENA_ARRAY(recipe->base.arena, lrd_clip_plan, document->animation_count + 1u);
	if (recipe->clips == NULL)
	{
		return lrd_fail_memory(error, "clips", document->animation_count * sizeof *recipe->clips);
	}
	for (uint32_t a = 0; a < document->animation_count; ++a)
	{
		lrd_string authored = document->animations[a].name;
		if (document->animations[a].channel_count == 0)
		{
			if (!lrd_note(&recipe->base.plan_notes, "empty-animation", 1, error,
					"animation \"%.*s\" (%u) has no channel that can be kept; no clip was made", LRD_STR_ARG(authored),
					a))
			{
				return false;
			}
			continue;
		}
		lrd_string name;
		if (!lrd_names_claim(&names, authored, a, &name, error))
		{
			return false;
		}
		lrd_string stem = lrd_model_file_stem(recipe, "clip", name);
		if (stem.data == NULL)
		{
			return lrd_fail_memory(error, "stem", name.size);
		}
		recipe->clips[recipe->clip_count++] =
			(lrd_clip_plan){ .stem = stem, .name = authored.size == 0 ? name : authored, .animation = a };
	}
	return true;
}

static bool make_output(lrd_recipe *base, uint32_t output, lrd_buffer *out, lrd_error *error)
{
	lrd_model_recipe *recipe = (lrd_model_recipe *)base;
	lrd_notes *notes = &base->notes[output];
	switch (base->outputs[output].kind)
	{
	case LRD_TEXTURE: return lrd_make_image(recipe, output - recipe->image_output, out, notes, error);
	case LRD_MESH: return lrd_make_part(recipe, output - recipe->part_output, out, &base->meshes[output], notes, error);
	case LRD_SKELETON:
		return lrd_make_skeleton(recipe, output - recipe->skeleton_output, out, &base->skeletons[output], error);
	case LRD_CLIP: return lrd_make_clip(recipe, output - recipe->clip_output, out, &base->clips[output], notes, error);
	case LRD_MATERIAL: return lrd_make_material(recipe, output - recipe->material_output, out, notes, error);
	default: return lrd_make_model(recipe, out, error);
	}
}

static void destroy_model(lrd_recipe *base)
{
	lrd_free_cuts((lrd_model_recipe *)base);
}

typedef struct output_list
{
	lrd_arena *arena;
	lrd_recipe_output *items;
	uint32_t count;
	bool good;
} output_list;

static void add_output(output_list *list, lrd_string stem, lrd_kind kind, uint32_t stage)
{
	lrd_string path = lrd_arena_printf(list->arena, "%.*s%s", LRD_STR_ARG(stem), lrd_kind_extension(kind));
	list->good = list->good && path.data != NULL;
	list->items[list->count++] = (lrd_recipe_output){ path, kind, stage };
}

static bool list_outputs(lrd_model_recipe *recipe, lrd_error *error)
{
	uint32_t material_count = recipe->document->material_count;
	size_t most = (size_t)recipe->image_count + recipe->part_count + recipe->skeleton_count + recipe->clip_count +
				  material_count + 1;
	output_list list = { .arena = recipe->base.arena, .good = true };
	list.items = LRD_ARENA_ARRAY(list.arena, lrd_recipe_output, most);
	if (list.items == NULL)
	{
		return lrd_fail_memory(error, "outputs", most * sizeof *list.items);
	}
	for (uint32_t i = 0; i < recipe->image_count; ++i)
	{
		add_output(&list, recipe->images[i].stem, LRD_TEXTURE, 0);
	}
	recipe->part_output = list.count;
	for (uint32_t i = 0; i < recipe->part_count; ++i)
	{
		add_output(&list, recipe->parts[i].stem, LRD_MESH, 0);
	}
	recipe->skeleton_output = list.count;
	for (uint32_t i = 0; i < recipe->skeleton_count; ++i)
	{
		add_output(&list, recipe->skeletons[i].stem, LRD_SKELETON, 0);
	}
	recipe->clip_output = list.count;
	for (uint32_t i = 0; i < recipe->clip_count; ++i)
	{
		add_output(&list, recipe->clips[i].stem, LRD_CLIP, 0);
	}
	recipe->material_output = list.count;
	for (uint32_t i = 0; i < material_count; ++i)
	{
		add_output(&list, recipe->materials[i].stem, LRD_MATERIAL, 1);
	}
	add_output(&list, recipe->base.stem, LRD_MODEL, 1);
	if (!list.good)
	{
		return lrd_fail_memory(error, "outputs", most * sizeof *list.items);
	}
	return lrd_recipe_set_outputs(&recipe->base, list.items, list.count, error);
}

lrd_recipe *lrd_recipe_model(const lrd_recipe_desc *desc, const lrd_document *document, lrd_error *error)
{
	lrd_model_recipe *recipe = lrd_recipe_create(desc, sizeof *recipe, error);
	if (recipe == NULL)
	{
		return NULL;
	}
	recipe->base.make = make_output;
	recipe->base.destroy = destroy_model;
	recipe->document = document;
	recipe->settings = lrd_model_settings_resolve(&desc->settings->model);
	if (!lrd_plan_nodes(recipe, error) || !lrd_plan_skeletons(recipe, error) || !lrd_plan_images(recipe, error) ||
		!lrd_plan_groups(recipe, error) || !lrd_plan_cuts(recipe, error) || !lrd_plan_parts(recipe, error) ||
		!lrd_plan_poses(recipe, error) || !plan_clips(recipe, error) || !list_outputs(recipe, error))
	{
		lrd_recipe_destroy(&recipe->base);
		return NULL;
	}
	return &recipe->base;
}
