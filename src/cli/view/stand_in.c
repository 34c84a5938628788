// What can't be drawn by itself is shown by what is put in its place: a mesh by a model of one part, and layers, slices and a line of
// texels by a flat texture with all of them side by side.

#include "cli/view/view.h"
#include "larder/picture.h"
#include "larder/write.h"

#include <stdlib.h>
#include <string.h>

#define MODEL_STEM "larder-view/mesh"
#define SHEET_STEM "larder-view/sheet"
#define STEM_SIZE 1100u
#define SHEET_SIDE 4096u // texels: coarser levels are taken until it fits
#define GAP 2u
#define LINE 16u // a line is so many times as long as it is made high

bool view_is_flat(const lrd_texture_view *texture)
{
	return texture->layer_count == 0 && texture->depth <= 1 && texture->height != 0;
}

static bool put(view_content *self, lrd_kind kind, const char *stem, lrd_buffer *file, lrd_error *error)
{
	self->asset = lrd_asset_find(self->store, kind, stem, error);
	bool good = lrd_asset_is_valid(self->store, self->asset) &&
				lrd_asset_put(self->store, self->asset, (lrd_bytes){ file->data, file->size }, error);
	self->asset = good ? self->asset : (lrd_asset){ 0 };
	return good;
}

// --- A mesh ---

/// The material that a mesh has in the model that it was cooked with: of "fox/part.Body" the model is "fox". False: there is none.
static bool find_material(view_content *self, char *material, size_t size)
{
	lrd_error error = { 0 };
	char stem[STEM_SIZE];
	const char *slash = strrchr(self->stem, '/');
	snprintf(stem, sizeof stem, "%.*s", slash != NULL ? (int)(slash - self->stem) : 0, self->stem);
	lrd_asset asset = self->has_parent ? lrd_asset_find(self->store, LRD_MODEL, stem, &error) : (lrd_asset){ 0 };
	if (!lrd_asset_is_valid(self->store, asset) || !lrd_retain_now(self->store, asset, &error))
	{
		return false;
	}
	const lrd_model_view *model = &lrd_model_get(self->store, asset)->view;
	bool found = false;
	for (uint32_t i = 0; i < model->part_count && !found; ++i)
	{
		lrd_string mesh = lrd_model_text(model, model->parts[i].mesh);
		uint32_t slot = model->parts[i].slot;
		if (slot < model->material_count && mesh.size == strlen(self->stem) &&
			memcmp(mesh.data, self->stem, mesh.size) == 0)
		{
			lrd_string name = lrd_model_text(model, model->materials[slot].stem);
			found = name.size < size;
			snprintf(material, size, "%.*s", LRD_STR_ARG(name));
		}
	}
	lrd_release(self->store, asset);
	return found;
}

static bool write_model(view_content *self, const char *material, lrd_buffer *out, lrd_error *error)
{
	const lrd_mesh_view *mesh = &lrd_mesh_get(self->store, self->original)->view;
	lrd_text_table *texts = lrd_text_table_create((lrd_allocator){ 0 });
	lrd_model_part part = {
		.slot = material != NULL ? 0 : LRD_NO_INDEX, .node = LRD_NO_INDEX, .skeleton = LRD_NO_INDEX
	};
	lrd_model_material slot = { 0 };
	bool good = texts != NULL && lrd_text_table_add(texts, lrd_string_from(self->stem), &part.mesh, error) &&
				lrd_text_table_add(texts, LRD_STR("mesh"), &part.name, error) &&
				(material == NULL || (lrd_text_table_add(texts, LRD_STR("material"), &slot.name, error) &&
										 lrd_text_table_add(texts, lrd_string_from(material), &slot.stem, error)));
	if (good)
	{
		const lrd_model_view model = { .bounds = mesh->bounds,
			.parts = &part,
			.part_count = 1,
			.materials = &slot,
			.material_count = material != NULL,
			.strings = lrd_text_table_block(texts) };
		good = lrd_model_write(&model, out, error);
	}
	lrd_text_table_destroy(texts);
	return good;
}

static bool put_model(view_content *self, lrd_error *error)
{
	char material[STEM_SIZE];
	lrd_buffer file = { 0 };
	const char *of_its_own = find_material(self, material, sizeof material) ? material : NULL;
	bool good = write_model(self, of_its_own, &file, error) && put(self, LRD_MODEL, MODEL_STEM, &file, error);
	lrd_buffer_free(&file);
	return good;
}

// --- Layers, slices and lines ---

/// All images of a level in a grid.
typedef struct sheet
{
	const lrd_texture_view *texture;
	uint32_t level;
	uint32_t width, height; ///< of an image
	uint32_t rows_each;     ///< times that a line is repeated
	uint32_t images, columns;
	uint32_t slices, faces;
	size_t texel_size;
	lrd_pixels pixels;
} sheet;

static uint64_t side(uint32_t count, uint32_t each)
{
	return (uint64_t)count * each + (uint64_t)(count - 1) * GAP;
}

static uint32_t square_root(uint32_t number)
{
	uint32_t root = 1;
	while (root * root < number)
	{
		root++;
	}
	return root;
}

/// False: there is no level that fits.
static bool plan_sheet(sheet *self)
{
	const lrd_texture_view *texture = self->texture;
	for (self->level = 0; self->level < texture->level_count; ++self->level)
	{
		self->width = lrd_texture_extent(texture->width, self->level);
		self->height = lrd_texture_extent(texture->height != 0 ? texture->height : 1, self->level);
		self->rows_each = texture->height == 0 ? (self->width + LINE - 1) / LINE : 1;
		self->slices = texture->depth > 1 ? lrd_texture_extent(texture->depth, self->level) : 1;
		self->faces = texture->face_count;
		uint64_t images = (uint64_t)self->slices * self->faces * (texture->layer_count != 0 ? texture->layer_count : 1);
		if (images > SHEET_SIDE)
		{
			continue;
		}
		self->images = (uint32_t)images;
		self->columns = self->faces > 1 ? self->faces : texture->height == 0 ? 1 : square_root(self->images);
		uint32_t rows = (self->images + self->columns - 1) / self->columns;
		uint64_t width = side(self->columns, self->width), height = side(rows, self->height * self->rows_each);
		if (width <= SHEET_SIDE && height <= SHEET_SIDE)
		{
			self->pixels.width = (uint32_t)width;
			self->pixels.height = (uint32_t)height;
			return true;
		}
	}
	return false;
}

static void paste(sheet *self, uint32_t image, const uint8_t *texels)
{
	uint32_t high = self->height * self->rows_each;
	uint32_t left = image % self->columns * (self->width + GAP), top = image / self->columns * (high + GAP);
	size_t row = self->width * self->texel_size;
	for (uint32_t y = 0; y < high; ++y)
	{
		memcpy((uint8_t *)self->pixels.data + ((size_t)(top + y) * self->pixels.width + left) * self->texel_size,
			texels + (y / self->rows_each) * row, row);
	}
}

static bool paste_all(sheet *self, lrd_error *error)
{
	size_t size = (size_t)lrd_texture_decoded_size(self->texture, self->level);
	uint8_t *texels = malloc(size);
	bool good = texels != NULL;
	if (!good)
	{
		*error = (lrd_error){ LRD_ERROR_MEMORY, "out of memory" };
	}
	for (uint32_t i = 0; good && i < self->images; ++i)
	{
		const lrd_texture_decode_desc desc = { .level = self->level,
			.layer = i / self->slices / self->faces,
			.face = i / self->slices % self->faces,
			.slice = i % self->slices,
			.apply_swizzle = true };
		good = lrd_texture_decode(self->texture, &desc, texels, size, error);
		if (good)
		{
			paste(self, i, texels);
		}
	}
	free(texels);
	return good;
}

static bool cook_sheet(
	const sheet *self, const char *name, const view_options *options, lrd_buffer *out, lrd_error *error)
{
	bool is_light = self->pixels.type == LRD_PIXELS_F32;
	lrd_buffer image = { 0 };
	bool good = is_light ? lrd_pixels_write_exr(&self->pixels, &image, error)
						 : lrd_pixels_write_png(&self->pixels, &image, error);
	const lrd_bytes bytes = { image.data, image.size };
	// Levels for when it is shown smaller than it is; larger, texels are to be told from each other.
	const lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_UI,
		.srgb = self->pixels.srgb ? LRD_CHOICE_ON : LRD_CHOICE_OFF,
		.mipmaps = LRD_CHOICE_ON,
		.has_sampler = true,
		.wrap_u = LRD_WRAP_CLAMP,
		.wrap_v = LRD_WRAP_CLAMP,
		.filter = LRD_FILTER_POINT };
	good = good && view_cook_image(bytes, name, &settings, options, out, error);
	lrd_buffer_free(&image);
	return good;
}

static bool write_sheet(
	const lrd_texture_view *texture, const char *name, const view_options *options, lrd_buffer *out, lrd_error *error)
{
	lrd_texels texels = lrd_texture_decodes_to(texture->format);
	sheet self = { .texture = texture, .texel_size = texels == LRD_TEXELS_F32 ? 4 * sizeof(float) : 4 };
	if (texels == LRD_TEXELS_NONE || !plan_sheet(&self))
	{
		*error = (lrd_error){ LRD_ERROR_UNSUPPORTED, { 0 } };
		snprintf(error->message, sizeof error->message,
			texels == LRD_TEXELS_NONE ? "larder can't decode %s to show its layers and slices side by side"
									  : "its %s layers and slices are too many to be shown side by side",
			lrd_texture_format_name(texture->format));
		return false;
	}
	self.pixels.type = texels == LRD_TEXELS_F32 ? LRD_PIXELS_F32 : LRD_PIXELS_UNORM8;
	self.pixels.range = texels == LRD_TEXELS_F32 ? LRD_PIXELS_OPEN : LRD_PIXELS_UNIT;
	self.pixels.channels = LRD_CHANNELS_RGBA;
	self.pixels.srgb = texels == LRD_TEXELS_UNORM8 && lrd_texture_is_srgb(texture);
	self.pixels.has_alpha = true;
	self.pixels.size = (size_t)self.pixels.width * self.pixels.height * self.texel_size;
	self.pixels.data = calloc(1, self.pixels.size); // gaps are transparent
	bool good = self.pixels.data != NULL;
	if (!good)
	{
		*error = (lrd_error){ LRD_ERROR_MEMORY, "out of memory" };
	}
	good = good && paste_all(&self, error) && cook_sheet(&self, name, options, out, error);
	free(self.pixels.data);
	return good;
}

/// The content's store has the smallest levels of textures: another one brings all of them in.
static bool put_sheet(view_content *self, const view_options *options, lrd_error *error)
{
	lrd_buffer file = { 0 };
	lrd_mount mount;
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ .worker_count = 1 }, error);
	// What was cooked to memory counts its mounts: each is given to a store once.
	bool is_cooked = store != NULL && self->cooked != NULL;
	lrd_mount_desc from = is_cooked ? lrd_cooked_mount(self->cooked) : self->from;
	bool good = store != NULL && lrd_store_mount(store, &from, &mount, error);
	lrd_asset whole = good ? lrd_asset_find(store, LRD_TEXTURE, self->stem, error) : (lrd_asset){ 0 };
	bool is_held = good && lrd_asset_is_valid(store, whole) && lrd_retain_now(store, whole, error);
	good = is_held && write_sheet(&lrd_texture_get(store, whole)->view, self->stem, options, &file, error) &&
		   put(self, LRD_TEXTURE, SHEET_STEM, &file, error);
	if (is_held)
	{
		lrd_release(store, whole);
	}
	lrd_store_close(store);
	lrd_buffer_free(&file);
	return good;
}

static bool make(view_content *self, const view_options *options)
{
	lrd_error error = { 0 };
	bool is_mesh = lrd_asset_kind(self->store, self->original) == LRD_MESH;
	bool good = is_mesh ? put_model(self, &error) : put_sheet(self, options, &error);
	if (!good)
	{
		cli_error("view: %s: %s", self->stem, error.message);
	}
	return good;
}

bool view_stand_in_make(view_content *self, const view_options *options)
{
	lrd_error error = { 0 };
	self->original = self->asset;
	self->original_seen = lrd_asset_generation(self->store, self->original);
	self->asset = (lrd_asset){ 0 };
	if (!make(self, options))
	{
		return false;
	}
	if (!lrd_retain_now(self->store, self->asset, &error))
	{
		cli_error("view: %s", error.message);
		self->asset = (lrd_asset){ 0 };
		return false;
	}
	return true;
}

void view_stand_in_renew(view_content *self, const view_options *options)
{
	lrd_asset held = self->asset;
	if (self->original.generation != 0 && lrd_asset_renew(self->store, self->original, &self->original_seen))
	{
		make(self, options);
		self->asset = held; // also when it could not be made anew
	}
}
