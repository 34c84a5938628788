// A model's images: which are cooked, for what use, under what name; and making one.
//
// An image used as colour and as data is two files, since filtering and format differ. Images that are equal byte for
// byte are one.

#include "cook/model.h"

#include "base/error.h"
#include "base/path.h"
#include "cook/texture.h"
#include "os/os.h"

#include <stdlib.h>

/// An image by what is in it.
typedef struct hashed_image
{
	lrd_hash128 hash;
	uint32_t image;
} hashed_image;

typedef struct planner
{
	lrd_model_recipe *recipe;
	const lrd_document_dependency **files; ///< those that are there, by path
	size_t file_count;
	lrd_hash128 *hashes;                ///< by document image
	uint32_t *first;                    ///< by document image: the first one with the same bytes
	uint32_t *plans[LRD_CONTENT_COUNT]; ///< by first image: its plan in that use; LRD_NO_INDEX: none yet
	lrd_names names;
} planner;

static int compare_paths(const void *a, const void *b)
{
	return lrd_string_compare(
		(*(const lrd_document_dependency *const *)a)->path, (*(const lrd_document_dependency *const *)b)->path);
}

static int compare_images(const void *a, const void *b)
{
	const hashed_image *x = a;
	const hashed_image *y = b;
	if (x->hash.high != y->hash.high)
	{
		return x->hash.high < y->hash.high ? -1 : 1;
	}
	if (x->hash.low != y->hash.low)
	{
		return x->hash.low < y->hash.low ? -1 : 1;
	}
	return (x->image > y->image) - (x->image < y->image);
}

static lrd_hash128 image_hash(const planner *self, const lrd_document_image *image)
{
	if (image->path.size == 0)
	{
		return lrd_xxh3_128(image->bytes.data, image->bytes.size);
	}
	const lrd_document_dependency key = { .path = image->path };
	const lrd_document_dependency *wanted = &key;
	const lrd_document_dependency **found =
		bsearch(&wanted, self->files, self->file_count, sizeof *self->files, compare_paths);
	return found == NULL ? (lrd_hash128){ 0, 0 } : (lrd_hash128){ (*found)->hash[0], (*found)->hash[1] };
}

static bool allocate(planner *self, lrd_error *error)
{
	const lrd_document *document = self->recipe->document;
	lrd_arena *arena = self->recipe->base.arena;
	size_t count = document->image_count + 1u;
	self->files = LRD_ARENA_ARRAY(arena, const lrd_document_dependency *, document->dependency_count + 1u);
	self->hashes = LRD_ARENA_ARRAY(arena, lrd_hash128, count);
	self->first = LRD_ARENA_ARRAY(arena, uint32_t, count);
	bool good = self->files != NULL && self->hashes != NULL && self->first != NULL;
	for (uint32_t content = 0; content < LRD_CONTENT_COUNT; ++content)
	{
		self->plans[content] = LRD_ARENA_ARRAY(arena, uint32_t, count);
		good = good && self->plans[content] != NULL;
	}
	return good || lrd_fail_memory(error, "images", count * sizeof *self->hashes);
}

/// What an image is called in settings: its own name, or its file's.
static lrd_string settings_name(const lrd_document_image *image)
{
	return image->name.size != 0 ? image->name : lrd_path_file(lrd_path_stem(image->path));
}

static const lrd_texture_settings *settings_of(const lrd_model_recipe *recipe, const lrd_document_image *image)
{
	const lrd_settings *settings = recipe->base.settings;
	for (uint32_t i = 0; i < settings->image_count; ++i)
	{
		if (lrd_string_equal(settings->images[i].image, settings_name(image)))
		{
			return &settings->images[i].texture;
		}
	}
	return &settings->texture;
}

static bool find_equal_images(planner *self, lrd_error *error)
{
	const lrd_document *document = self->recipe->document;
	lrd_allocator allocator = self->recipe->base.allocator;
	size_t count = document->image_count;
	hashed_image *images = lrd_alloc_zeroed(allocator, count + 1, sizeof *images);
	if (images == NULL || !allocate(self, error))
	{
		lrd_free(allocator, images, (count + 1) * sizeof *images);
		return lrd_fail_memory(error, "images", (count + 1) * sizeof *images);
	}
	for (uint32_t d = 0; d < document->dependency_count; ++d)
	{
		if (!document->dependencies[d].absent)
		{
			self->files[self->file_count++] = &document->dependencies[d];
		}
	}
	qsort(self->files, self->file_count, sizeof *self->files, compare_paths);
	for (uint32_t i = 0; i < count; ++i)
	{
		self->hashes[i] = image_hash(self, &document->images[i]);
		images[i] = (hashed_image){ self->hashes[i], i };
		for (uint32_t content = 0; content < LRD_CONTENT_COUNT; ++content)
		{
			self->plans[content][i] = LRD_NO_INDEX;
		}
	}
	qsort(images, count, sizeof *images, compare_images);
	for (size_t i = 0; i < count; ++i)
	{
		bool same = i != 0 && lrd_hash128_equal(images[i].hash, images[i - 1].hash) &&
					settings_of(self->recipe, &document->images[images[i].image]) ==
						settings_of(self->recipe, &document->images[images[i - 1].image]);
		self->first[images[i].image] = same ? self->first[images[i - 1].image] : images[i].image;
	}
	lrd_free(allocator, images, (count + 1) * sizeof *images);
	return true;
}

static lrd_image_content slot_content(lrd_material_slot slot)
{
	if (slot == LRD_SLOT_NORMAL || slot == LRD_SLOT_CLEARCOAT_NORMAL)
	{
		return LRD_CONTENT_NORMAL;
	}
	return lrd_material_slot_is_color(slot) ? LRD_CONTENT_COLOR : LRD_CONTENT_DATA;
}

static bool name_image(planner *self, uint32_t image, lrd_image_content content, lrd_string *stem, lrd_error *error)
{
	static const char *const suffixes[] = { ".color", ".data", ".normal" };
	lrd_model_recipe *recipe = self->recipe;
	const lrd_document_image *source = &recipe->document->images[image];
	lrd_string authored = source->name.size != 0 ? source->name : lrd_path_file(lrd_path_stem(source->path));
	lrd_string name;
	uint32_t first = self->first[image];
	bool again = false;
	for (uint32_t other = 0; other < LRD_CONTENT_COUNT; ++other)
	{
		again = again || self->plans[other][first] != LRD_NO_INDEX;
	}
	if (again && authored.size != 0)
	{
		authored = lrd_arena_printf(recipe->base.arena, "%.*s%s", LRD_STR_ARG(authored), suffixes[content]);
		if (authored.data == NULL)
		{
			return lrd_fail_memory(error, "image name", 0);
		}
	}
	if (!lrd_names_claim(&self->names, authored, image, &name, error))
	{
		return false;
	}
	*stem = lrd_model_file_stem(recipe, "image", name);
	return stem->data != NULL || lrd_fail_memory(error, "stem", name.size);
}

static bool find_or_add(planner *self, uint32_t image, lrd_image_content content, uint32_t *plan, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	uint32_t first = self->first[image];
	uint32_t *known = &self->plans[content][first];
	if (*known == LRD_NO_INDEX)
	{
		lrd_string stem;
		if (!name_image(self, image, content, &stem, error))
		{
			return false;
		}
		*known = recipe->image_count;
		recipe->images[recipe->image_count++] = (lrd_image_plan){
			.stem = stem,
			.image = first,
			.hash = self->hashes[first],
			.content = content,
			.normals = LRD_NO_INDEX,
			.settings = settings_of(recipe, &recipe->document->images[image]),
		};
	}
	*plan = *known;
	return true;
}

/// The texture's alpha at which a mask material's own passes its cutoff; 0 where no texel can.
static float texture_cutoff(const lrd_document_material *material)
{
	float factor = material->params.base_color[3];
	return factor > 0.0f && material->alpha_cutoff <= factor ? material->alpha_cutoff / factor : 0.0f;
}

/// A base colour whose alpha means something. Of several mask materials the first one's cutoff counts, unless settings
/// say another.
static void set_coverage(const lrd_document_material *material, lrd_image_plan *image)
{
	const lrd_texture_settings *settings = image->settings;
	image->alpha_weighted = true;
	if (material->alpha_mode == LRD_ALPHA_MASK && image->alpha_cutoff == 0.0f &&
		settings->alpha_coverage != LRD_CHOICE_OFF)
	{
		image->alpha_cutoff =
			settings->alpha_coverage == LRD_CHOICE_ON ? settings->alpha_cutoff : texture_cutoff(material);
	}
}

/// The first use says how the image's edges meet.
static void note_use(lrd_image_plan *image, lrd_material_slot slot, const lrd_document_texture *texture)
{
	image->slots |= 1u << slot;
	image->wraps_differ =
		image->wraps_differ || (image->has_sampler && (image->wrap_u != (lrd_wrap)texture->wrap_u ||
														  image->wrap_v != (lrd_wrap)texture->wrap_v));
	if (!image->has_sampler)
	{
		image->has_sampler = true;
		image->wrap_u = (lrd_wrap)texture->wrap_u;
		image->wrap_v = (lrd_wrap)texture->wrap_v;
	}
}

/// A roughness map's normals are those of the first material that has both.
static void pair_normals(lrd_model_recipe *recipe, uint32_t material)
{
	const uint32_t *plans = recipe->materials[material].images;
	uint32_t roughness = plans[LRD_SLOT_METALLIC_ROUGHNESS];
	uint32_t normal = plans[LRD_SLOT_NORMAL];
	if (roughness != LRD_NO_INDEX && normal != LRD_NO_INDEX && recipe->images[roughness].normals == LRD_NO_INDEX)
	{
		recipe->images[roughness].normals = normal;
	}
}

static bool plan_slots(planner *self, uint32_t material, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	const lrd_document_material *source = &recipe->document->materials[material];
	for (lrd_material_slot slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		uint32_t *plan = &recipe->materials[material].images[slot];
		uint32_t texture = source->slots[slot].texture;
		*plan = LRD_NO_INDEX;
		if (texture == LRD_NO_INDEX || recipe->document->textures[texture].image == LRD_NO_INDEX)
		{
			continue;
		}
		if (!find_or_add(self, recipe->document->textures[texture].image, slot_content(slot), plan, error))
		{
			return false;
		}
		lrd_image_plan *image = &recipe->images[*plan];
		note_use(image, slot, &recipe->document->textures[texture]);
		if (slot == LRD_SLOT_BASE_COLOR && source->alpha_mode != LRD_ALPHA_OPAQUE)
		{
			set_coverage(source, image);
		}
	}
	pair_normals(recipe, material);
	return true;
}

static bool plan_material(planner *self, uint32_t material, lrd_names *names, lrd_error *error)
{
	lrd_model_recipe *recipe = self->recipe;
	lrd_string name;
	if (!lrd_names_claim(names, recipe->document->materials[material].name, material, &name, error))
	{
		return false;
	}
	recipe->materials[material].stem = lrd_model_file_stem(recipe, "material", name);
	if (recipe->materials[material].stem.data == NULL)
	{
		return lrd_fail_memory(error, "stem", name.size);
	}
	return plan_slots(self, material, error);
}

/// Types that a model's settings may give to all its images.
static bool is_unfiltered(lrd_texture_type type)
{
	return type == LRD_TEXTURE_TYPE_UI || type == LRD_TEXTURE_TYPE_LUT;
}

/// Every entry of "images" names one; a stale name would silently do nothing.
static bool check_names(const lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_settings *settings = recipe->base.settings;
	for (uint32_t i = 0; i < settings->image_count; ++i)
	{
		bool found = false;
		for (uint32_t k = 0; !found && k < recipe->document->image_count; ++k)
		{
			found = lrd_string_equal(settings->images[i].image, settings_name(&recipe->document->images[k]));
		}
		if (!found)
		{
			return lrd_fail(error, LRD_ERROR_NOT_FOUND,
				"the settings name an image \"%.*s\", but the model has none of that name",
				LRD_STR_ARG(settings->images[i].image));
		}
	}
	return true;
}

/// In a model, the slots that use an image say what it is.
static bool note_settings(lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_texture_settings *settings = &recipe->base.settings->texture;
	bool typed = (settings->type != LRD_TEXTURE_TYPE_AUTO && !is_unfiltered(settings->type)) ||
				 settings->srgb != LRD_CHOICE_AUTO;
	return lrd_note(&recipe->base.plan_notes, "settings", typed && recipe->document->image_count != 0, error,
		"the settings give all its images a \"type\" or \"srgb\"; in a model, the materials that use them decide that, "
		"or an "
		"entry of \"images\"");
}

/// One texture has one set of mips.
static bool note_wraps(lrd_model_recipe *recipe, lrd_error *error)
{
	for (uint32_t i = 0; i < recipe->image_count; ++i)
	{
		const lrd_image_plan *image = &recipe->images[i];
		bool differ = image->wraps_differ && !image->settings->has_sampler;
		if (!lrd_note(&recipe->base.plan_notes, "sampler", differ, error,
				"%.*s is sampled with different wraps; its mips are filtered for the first", LRD_STR_ARG(image->stem)))
		{
			return false;
		}
	}
	return true;
}

bool lrd_plan_images(lrd_model_recipe *recipe, lrd_error *error)
{
	const lrd_document *document = recipe->document;
	planner self = { .recipe = recipe, .names = { .arena = recipe->base.arena } };
	lrd_names material_names = { .arena = recipe->base.arena };
	recipe->images = LRD_ARENA_ARRAY(recipe->base.arena, lrd_image_plan, document->image_count * (size_t)3 + 1);
	recipe->materials = LRD_ARENA_ARRAY(recipe->base.arena, lrd_material_plan, document->material_count + 1u);
	if (recipe->images == NULL || recipe->materials == NULL)
	{
		return lrd_fail_memory(error, "materials", document->material_count * sizeof *recipe->materials);
	}
	if (!check_names(recipe, error) || !find_equal_images(&self, error) || !note_settings(recipe, error))
	{
		return false;
	}
	for (uint32_t m = 0; m < document->material_count; ++m)
	{
		if (!plan_material(&self, m, &material_names, error))
		{
			return false;
		}
	}
	return note_wraps(recipe, error);
}

static bool read_image(
	const lrd_model_recipe *recipe, const lrd_image_plan *plan, lrd_buffer *file, lrd_bytes *bytes, lrd_error *error)
{
	const lrd_document_image *image = &recipe->document->images[plan->image];
	*bytes = image->bytes;
	if (image->path.size == 0)
	{
		return true;
	}
	lrd_arena *arena = lrd_arena_create(recipe->base.allocator, 4096);
	const char *path;
	bool good = arena != NULL || lrd_fail_memory(error, "path", 4096);
	good = good && lrd_path_inside(arena, recipe->base.root, image->path, &path, error) &&
		   lrd_file_read(path, file, error);
	lrd_arena_destroy(arena);
	if (!good)
	{
		return false;
	}
	lrd_hash128 found = lrd_xxh3_128(file->data, file->size);
	*bytes = (lrd_bytes){ file->data, file->size };
	return lrd_hash128_equal(found, plan->hash) ||
		   lrd_fail(error, LRD_ERROR_CHANGED, "%.*s changed while the model was cooked; cook it again",
			   LRD_STR_ARG(image->path));
}

// Slots that sample R alone.
#define SINGLE_SLOTS (1u << LRD_SLOT_OCCLUSION | 1u << LRD_SLOT_CLEARCOAT | 1u << LRD_SLOT_TRANSMISSION)
// Slots of data that sample A.
#define ALPHA_SLOTS (1u << LRD_SLOT_SHEEN_ROUGHNESS | 1u << LRD_SLOT_SPECULAR)

static lrd_texture_type slot_type(const lrd_image_plan *plan)
{
	switch (plan->content)
	{
	case LRD_CONTENT_NORMAL: return LRD_TEXTURE_TYPE_NORMAL;
	case LRD_CONTENT_COLOR:
		return plan->slots == 1u << LRD_SLOT_EMISSIVE ? LRD_TEXTURE_TYPE_EMISSIVE : LRD_TEXTURE_TYPE_ALBEDO;
	default:
		return (plan->slots & ~SINGLE_SLOTS) == 0 ? LRD_TEXTURE_TYPE_OCCLUSION : LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS;
	}
}

/// What the slots say, under what settings for this image, or for all images, say.
static lrd_texture_recipe texture_recipe(const lrd_model_recipe *recipe, const lrd_image_plan *plan)
{
	const lrd_texture_settings *settings = plan->settings;
	bool named = settings != &recipe->base.settings->texture;
	lrd_texture_recipe texture = {
		.type = slot_type(plan),
		.clue = LRD_CLUE_SLOT,
		.color = plan->content == LRD_CONTENT_COLOR,
		.ignore_gamma = true,
		.alpha_weighted = plan->alpha_weighted,
		.alpha_cutoff = plan->alpha_cutoff,
		.drops_alpha = !plan->alpha_weighted && (plan->content != LRD_CONTENT_DATA || (plan->slots & ALPHA_SLOTS) == 0),
		.flips_y = settings->normal_flip_y,
		.wrap_u = settings->has_sampler ? settings->wrap_u : plan->wrap_u,
		.wrap_v = settings->has_sampler ? settings->wrap_v : plan->wrap_v,
		.settings = settings,
		.target = recipe->base.target,
		.jobs = recipe->base.jobs,
		.allocator = recipe->base.allocator,
	};
	if (settings->type != LRD_TEXTURE_TYPE_AUTO && (named || is_unfiltered(settings->type)))
	{
		texture.type = settings->type;
		texture.clue = LRD_CLUE_SETTINGS;
		texture.color = named ? lrd_texture_type_is_color(settings->type) : texture.color;
	}
	if (named && settings->srgb != LRD_CHOICE_AUTO)
	{
		texture.color = settings->srgb == LRD_CHOICE_ON;
	}
	return texture;
}

static bool make_texture(lrd_model_recipe *recipe, const lrd_image_plan *plan, lrd_bytes bytes, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error)
{
	lrd_texture_recipe texture = texture_recipe(recipe, plan);
	lrd_buffer normals = { .allocator = recipe->base.allocator };
	bool good = true;
	if (plan->settings->roughness_from_normals && plan->normals != LRD_NO_INDEX)
	{
		good = read_image(recipe, &recipe->images[plan->normals], &normals, &texture.roughness_normals, error);
	}
	good = good && lrd_cook_texture_files(&texture, &bytes, 1, out, report, error);
	lrd_buffer_free(&normals);
	return good;
}

bool lrd_make_image(lrd_model_recipe *recipe, uint32_t index, lrd_buffer *out, lrd_notes *notes, lrd_error *error)
{
	lrd_image_plan *plan = &recipe->images[index];
	lrd_texture_report *report = &recipe->base.textures[recipe->image_output + index];
	lrd_buffer file = { .allocator = recipe->base.allocator };
	lrd_bytes bytes;
	lrd_error reason = { 0 };
	if (!read_image(recipe, plan, &file, &bytes, error))
	{
		lrd_buffer_free(&file);
		return lrd_fail_in(error, "%.*s.ktx2", LRD_STR_ARG(plan->stem));
	}
	bool good = make_texture(recipe, plan, bytes, out, report, &reason);
	lrd_buffer_free(&file);
	if (good)
	{
		return lrd_note_texture(notes, recipe->base.outputs[recipe->image_output + index].path, report, error);
	}
	*report = (lrd_texture_report){ 0 };
	if (reason.code != LRD_ERROR_FORMAT && reason.code != LRD_ERROR_UNSUPPORTED)
	{
		return lrd_fail(error, reason.code, "%.*s.ktx2: %s", LRD_STR_ARG(plan->stem), reason.message);
	}
	plan->undecodable = true;
	return lrd_note(
		notes, "image", 1, error, "%.*s: %s; materials do without it", LRD_STR_ARG(plan->stem), reason.message);
}
