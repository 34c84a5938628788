// KTX 2.0 and DDS as sources. What holds blocks, or more than one image, is taken over as it came: encoding it again
// would only lose. The rest is decoded and cooked like any image.

#include "cook/texture.h"

#include "base/error.h"
#include "format/texture.h"
#include "image/dds.h"
#include "import/picture.h"
#include "larder/write.h"

#include <string.h>

static bool is_ktx(lrd_bytes bytes)
{
	return bytes.size >= LRD_KTX_IDENTIFIER_SIZE &&
		   memcmp(bytes.data, lrd_ktx_identifier, LRD_KTX_IDENTIFIER_SIZE) == 0;
}

bool lrd_texture_is_container(lrd_bytes bytes)
{
	return is_ktx(bytes) || (bytes.size >= 4 && memcmp(bytes.data, "DDS ", 4) == 0);
}

/// Blocks of a format that the target's machines sample, as far as larder could make others of them.
static bool suits_target(const lrd_texture_recipe *recipe, const lrd_texture_format_row *row)
{
	bool is_bc = row->model >= LRD_DFD_BC1 && row->model <= LRD_DFD_BC7;
	switch (recipe->target)
	{
	case LRD_TARGET_RAW: return false;
	case LRD_TARGET_MOBILE: return !is_bc;
	default: return row->model != LRD_DFD_ASTC;
	}
}

/// Blocks, universal ones too, arrays, cubemaps and volumes are taken over, unless the settings or the target want
/// another format.
static bool is_taken_over(const lrd_texture_recipe *recipe, const lrd_texture_view *view)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(view->format);
	bool many = view->face_count > 1 || view->layer_count > 1 || view->depth > 1;
	if (many || recipe->settings->format != LRD_ENCODING_AUTO)
	{
		return many;
	}
	bool universal = row == NULL || lrd_texture_universal_kind(view) != LRD_TEXTURE_UNIVERSAL_NONE;
	return universal ? recipe->target != LRD_TARGET_RAW : row->block_width > 1 && suits_target(recipe, row);
}

/// Which channels hold a normal; "" when it is none.
static const char *normal_channels(const lrd_texture_recipe *recipe, const lrd_texture_view *view)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(view->format);
	if (recipe->type != LRD_TEXTURE_TYPE_NORMAL || row == NULL)
	{
		return "";
	}
	char swizzle[5];
	lrd_texture_swizzle(view, swizzle);
	bool two = row->model == LRD_DFD_BC5 || strspn(row->layout, "rg0123456789") == strlen(row->layout);
	return strncmp(swizzle, "ra", 2) == 0 ? " normal=ra" : (two ? " normal=rg" : " normal=rgb");
}

/// All but who wrote the file and how, which larder says anew: only the most recent writer is to be named (KTX 2.0,
/// "KTXwriter").
/// What settings say of the type goes before what the file says.
static bool copy_keys(
	const lrd_texture_recipe *recipe, const lrd_texture_view *view, lrd_buffer *keys, lrd_error *error)
{
	lrd_ktx_pair pair;
	size_t position = 0;
	const char *reason;
	while (lrd_ktx_next_pair(view->key_values, &position, &pair, &reason))
	{
		bool of_writer = lrd_string_equal(pair.key, LRD_STR("KTXwriter")) ||
						 lrd_string_equal(pair.key, LRD_STR("KTXwriterScParams"));
		bool is_type = lrd_string_equal(pair.key, LRD_STR(LRD_TEXTURE_KEY_TYPE)) && recipe->clue == LRD_CLUE_SETTINGS;
		if (!of_writer && !is_type && !lrd_texture_add_key(keys, pair.key, pair.value, error))
		{
			return false;
		}
	}
	return true;
}

static bool add_type(const lrd_texture_recipe *recipe, const lrd_texture_view *view, lrd_buffer *keys, lrd_error *error)
{
	lrd_bytes known;
	lrd_buffer text = { .allocator = recipe->allocator };
	if (!copy_keys(recipe, view, keys, error))
	{
		return false;
	}
	if (recipe->clue != LRD_CLUE_SETTINGS && lrd_texture_find_key(view, LRD_STR(LRD_TEXTURE_KEY_TYPE), &known))
	{
		return true;
	}
	bool good = lrd_buffer_printf(&text, "type=%s from=%s%s", lrd_texture_type_name(recipe->type),
					lrd_texture_clue_name(recipe->clue), normal_channels(recipe, view)) ||
				lrd_fail_memory(error, LRD_TEXTURE_KEY_TYPE, 64);
	good = good && lrd_texture_add_key(keys, LRD_STR(LRD_TEXTURE_KEY_TYPE), (lrd_bytes){ text.data, text.size }, error);
	lrd_buffer_free(&text);
	return good;
}

/// Levels without Zstandard, which are read in place; memory that they take is in `room`.
static bool expand_levels(const lrd_texture_recipe *recipe, lrd_texture_view *view, lrd_buffer *room, lrd_error *error)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < view->level_count; ++i)
	{
		total += view->levels[i].decoded_size;
	}
	if (total > LRD_IMAGE_MAX_BYTES)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "%llu bytes when decompressed; at most %llu are taken",
			(unsigned long long)total, (unsigned long long)LRD_IMAGE_MAX_BYTES);
	}
	uint8_t *to = lrd_buffer_extend(room, (size_t)total);
	if (to == NULL)
	{
		return lrd_fail_memory(error, "levels", (size_t)total);
	}
	for (uint32_t i = 0; i < view->level_count; to += view->levels[i++].size)
	{
		size_t size = (size_t)view->levels[i].decoded_size;
		if (!lrd_texture_decompress(view, i, recipe->allocator, to, size, error))
		{
			return false;
		}
		view->levels[i] = (lrd_texture_level){ .data = to, .size = size, .decoded_size = size };
	}
	view->supercompression = LRD_SUPERCOMPRESSION_NONE;
	return true;
}

/// Keep the levels that the settings want of those that there are: the finest that fits max_size becomes level 0.
static void drop_levels(const lrd_texture_recipe *recipe, lrd_texture_view *view)
{
	const lrd_texture_settings *settings = recipe->settings;
	uint32_t first = 0;
	uint32_t side = view->width > view->height ? view->width : view->height;
	while (settings->max_size != 0 && first + 1 < view->level_count &&
		   lrd_texture_extent(side, first) > settings->max_size)
	{
		first++;
	}
	memmove(view->levels, view->levels + first, (view->level_count - first) * sizeof *view->levels);
	view->level_count -= first;
	view->width = lrd_texture_extent(view->width, first);
	view->height = view->height == 0 ? 0 : lrd_texture_extent(view->height, first);
	view->depth = view->depth == 0 ? 0 : lrd_texture_extent(view->depth, first);
	uint32_t limit = settings->mipmaps == LRD_CHOICE_OFF ? 1 : settings->level_limit;
	view->level_count = limit != 0 && limit < view->level_count ? limit : view->level_count;
	while (view->level_count > 1 && lrd_texture_extent(side, first + view->level_count - 1) < settings->min_size)
	{
		view->level_count--;
	}
}

/// The settings ask for no encoding, or for the one that the file has.
static bool has_wanted_encoding(const lrd_texture_recipe *recipe, const lrd_texture_view *view)
{
	uint32_t wanted = lrd_texture_choose(recipe, (lrd_texture_facts){ 0 }).format;
	const lrd_texture_format_row *a = lrd_texture_format_find(wanted);
	const lrd_texture_format_row *b = lrd_texture_format_find(view->format);
	return recipe->settings->format == LRD_ENCODING_AUTO ||
		   (a != NULL && b != NULL && a->model == b->model && a->block_width == b->block_width &&
			   a->block_bytes == b->block_bytes);
}

/// Something was asked for that only texels can follow, or levels of a file whose global data lists every one.
static bool ignores_settings(const lrd_texture_recipe *recipe, const lrd_texture_view *view)
{
	const lrd_texture_settings *settings = recipe->settings;
	bool levels = settings->max_size != 0 || settings->min_size != 0 || settings->level_limit != 0 ||
				  settings->mipmaps == LRD_CHOICE_OFF;
	return !has_wanted_encoding(recipe, view) || settings->premultiply || settings->normal_flip_y ||
		   settings->alpha_coverage == LRD_CHOICE_ON ||
		   (levels && view->supercompression == LRD_SUPERCOMPRESSION_BASIS_LZ);
}

static bool take_over(const lrd_texture_recipe *recipe, const lrd_texture_view *view, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error)
{
	lrd_texture_view own = *view;
	lrd_buffer room = { .allocator = recipe->allocator };
	lrd_buffer keys = { .allocator = recipe->allocator };
	if (recipe->type == LRD_TEXTURE_TYPE_CUBEMAP && recipe->clue == LRD_CLUE_SETTINGS &&
		view->face_count != LRD_FACE_COUNT)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "the settings say that it is a cubemap, but it has one face");
	}
	report->ignored = ignores_settings(recipe, view);
	if (view->supercompression != LRD_SUPERCOMPRESSION_BASIS_LZ)
	{
		drop_levels(recipe, &own);
	}
	// Universal ones are transcoded when they are loaded, so nobody reads them in place.
	bool stays = own.supercompression != LRD_SUPERCOMPRESSION_ZSTD || own.format == LRD_TEXTURE_UNDEFINED;
	bool good = stays || expand_levels(recipe, &own, &room, error);
	good = good && add_type(recipe, view, &keys, error);
	own.key_values = (lrd_bytes){ keys.data, keys.size };
	bool zstd = recipe->settings->zstd && own.supercompression == LRD_SUPERCOMPRESSION_NONE;
	good = good && (zstd ? lrd_texture_write_zstd(&own, 0, out, error) : lrd_texture_write(&own, out, error));
	report->format = own.format;
	report->width = own.width;
	report->height = own.height;
	report->layer_count = own.layer_count;
	report->face_count = own.face_count;
	report->level_count = own.level_count;
	report->premultiplied = lrd_texture_is_premultiplied(view);
	lrd_buffer_free(&keys);
	lrd_buffer_free(&room);
	return good;
}

// Decoding one image.

static lrd_picture *open_picture(const lrd_texture_recipe *recipe, lrd_bytes bytes, lrd_error *error)
{
	const lrd_picture_desc desc = {
		.bytes = bytes,
		.max_side = recipe->settings->source_limit,
		.max_bytes = lrd_texture_max_bytes(recipe->settings),
		.allocator = recipe->allocator,
	};
	return lrd_picture_open(&desc, error);
}

static void take_limits(const lrd_texture_recipe *recipe, lrd_dds_decode_desc *desc)
{
	desc->max_side = recipe->settings->source_limit;
	desc->max_bytes = lrd_texture_max_bytes(recipe->settings);
	desc->allocator = recipe->allocator;
}

/// Level 0's texels with all that keys and the descriptor say of them.
static bool decode_ktx(lrd_texture_recipe *recipe, lrd_bytes bytes, lrd_image *image, lrd_error *error)
{
	lrd_picture *picture = open_picture(recipe, bytes, error);
	lrd_pixels pixels;
	bool good = picture != NULL &&
				lrd_picture_decode(picture, &(lrd_picture_decode_desc){ .apply_swizzle = true }, &pixels, error);
	lrd_picture_close(picture);
	if (good)
	{
		*image = lrd_pixels_as_image(&pixels);
		image->clamped = pixels.clamped;
		recipe->two_channel = pixels.channels == (LRD_CHANNEL_R | LRD_CHANNEL_G);
	}
	return good;
}

/// A cubemap of plain texels is light like that of six files.
static bool cook_faces(const lrd_texture_recipe *recipe,
	bool (*decode)(
		const lrd_texture_recipe *recipe, const void *file, uint32_t face, lrd_image *image, lrd_error *error),
	const void *file, lrd_buffer *out, lrd_texture_report *report, lrd_error *error)
{
	lrd_texture_recipe light = *recipe;
	light.type = LRD_TEXTURE_TYPE_CUBEMAP;
	report->type = light.type;
	report->passed = false;
	lrd_image images[LRD_FACE_COUNT] = { 0 };
	bool good = true;
	for (uint32_t i = 0; good && i < LRD_FACE_COUNT; ++i)
	{
		good = decode(recipe, file, i, &images[i], error);
	}
	good = good && lrd_texture_cook_cube(&light, images, LRD_FACE_COUNT, out, report, error);
	for (uint32_t i = 0; i < LRD_FACE_COUNT; ++i)
	{
		lrd_image_free(&images[i]);
	}
	return good;
}

static bool decode_ktx_face(
	const lrd_texture_recipe *recipe, const void *file, uint32_t face, lrd_image *image, lrd_error *error)
{
	const lrd_bytes *bytes = file;
	lrd_picture *picture = open_picture(recipe, *bytes, error);
	lrd_picture_decode_desc desc = { .face = face, .apply_swizzle = true };
	lrd_pixels pixels;
	bool good = picture != NULL && lrd_picture_decode(picture, &desc, &pixels, error);
	lrd_picture_close(picture);
	if (good)
	{
		*image = lrd_pixels_as_image(&pixels);
	}
	return good;
}

/// Plain texels of colour, six faces of one cubemap.
static bool is_light(const lrd_texture_view *view)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(view->format);
	return view->face_count == LRD_FACE_COUNT && view->layer_count <= 1 && row != NULL && row->block_width == 1 &&
		   lrd_texture_decodes_to(view->format) != LRD_TEXELS_NONE;
}

static bool pass_ktx(lrd_texture_recipe *recipe, lrd_bytes bytes, bool *passed, lrd_image *image, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error)
{
	lrd_texture_view view;
	lrd_buffer aligned = { .allocator = recipe->allocator };
	if (((uintptr_t)bytes.data & 15) != 0) // embedded in another file
	{
		if (!lrd_buffer_append(&aligned, bytes.data, bytes.size))
		{
			return lrd_fail_memory(error, "image", bytes.size);
		}
		bytes = (lrd_bytes){ aligned.data, aligned.size };
	}
	bool good = lrd_texture_open(bytes.data, bytes.size, &view, error);
	*passed = good && is_taken_over(recipe, &view);
	report->passed = *passed;
	if (good && *passed && is_light(&view))
	{
		good = cook_faces(recipe, decode_ktx_face, &bytes, out, report, error);
	}
	else if (good)
	{
		good = *passed ? take_over(recipe, &view, out, report, error) : decode_ktx(recipe, bytes, image, error);
	}
	lrd_buffer_free(&aligned);
	return good;
}

// DDS. Its surfaces lie layer by layer, each with all its levels; KTX wants them level by level.

static uint32_t vulkan_format(const lrd_dds_format *format, bool srgb)
{
	static const struct
	{
		uint32_t linear, srgb;
	} rows[LRD_BLOCK_FORMAT_COUNT] = {
		[LRD_BLOCK_BC1] = { LRD_TEXTURE_BC1_RGBA_UNORM, LRD_TEXTURE_BC1_RGBA_SRGB },
		[LRD_BLOCK_BC1_ALPHA] = { LRD_TEXTURE_BC1_RGBA_UNORM, LRD_TEXTURE_BC1_RGBA_SRGB },
		[LRD_BLOCK_BC2] = { 135, 136 },
		[LRD_BLOCK_BC3] = { LRD_TEXTURE_BC3_UNORM, LRD_TEXTURE_BC3_SRGB },
		[LRD_BLOCK_BC4_UNORM] = { LRD_TEXTURE_BC4_UNORM, 0 },
		[LRD_BLOCK_BC4_SNORM] = { LRD_TEXTURE_BC4_SNORM, 0 },
		[LRD_BLOCK_BC5_UNORM] = { LRD_TEXTURE_BC5_UNORM, 0 },
		[LRD_BLOCK_BC5_SNORM] = { LRD_TEXTURE_BC5_SNORM, 0 },
		[LRD_BLOCK_BC6H_UFLOAT] = { LRD_TEXTURE_BC6H_UFLOAT, 0 },
		[LRD_BLOCK_BC6H_SFLOAT] = { LRD_TEXTURE_BC6H_SFLOAT, 0 },
		[LRD_BLOCK_BC7] = { LRD_TEXTURE_BC7_UNORM, LRD_TEXTURE_BC7_SRGB },
	};
	return srgb && rows[format->block].srgb != 0 ? rows[format->block].srgb : rows[format->block].linear;
}

/// Legacy files do not say whether colours are sRGB-encoded: those of the recipe's type are.
static bool is_srgb(const lrd_texture_recipe *recipe, const lrd_dds *dds)
{
	lrd_choice choice = recipe->settings->srgb;
	return choice == LRD_CHOICE_AUTO ? dds->format.srgb || (!dds->has_dx10 && recipe->color) : choice == LRD_CHOICE_ON;
}

/// Append a surface as it will lie in the file: blocks as they are, else decoded texels of all its slices.
static bool append_surface(
	const lrd_texture_recipe *recipe, const lrd_dds *dds, lrd_dds_decode_desc at, lrd_buffer *level, lrd_error *error)
{
	if (dds->format.packing == LRD_DDS_BLOCKS)
	{
		lrd_bytes surface = lrd_dds_surface(dds, at.level, at.layer, at.face);
		return lrd_buffer_append(level, surface.data, surface.size) || lrd_fail_memory(error, "surface", surface.size);
	}
	uint32_t slices = lrd_dds_side(dds->depth, at.level);
	for (uint32_t slice = 0; slice < slices; ++slice)
	{
		lrd_image image = { 0 };
		at.face = dds->kind == LRD_DDS_VOLUME ? slice : at.face;
		at.allocator = recipe->allocator;
		bool good = lrd_dds_decode(dds, &at, &image, error) && (lrd_buffer_append(level, image.pixels, image.size) ||
																   lrd_fail_memory(error, "surface", image.size));
		lrd_image_free(&image);
		if (!good)
		{
			return false;
		}
	}
	return true;
}

static bool stack_level(
	const lrd_texture_recipe *recipe, const lrd_dds *dds, uint32_t level, lrd_buffer *bytes, lrd_error *error)
{
	for (uint32_t layer = 0; layer < dds->layers; ++layer)
	{
		for (uint32_t face = 0; face < dds->faces; ++face)
		{
			lrd_dds_decode_desc at = { .level = level, .layer = layer, .face = face };
			if (!append_surface(recipe, dds, at, bytes, error))
			{
				return false;
			}
		}
	}
	return true;
}

static uint32_t texel_format(const lrd_texture_recipe *recipe, const lrd_dds *dds)
{
	switch (lrd_dds_pixel_type(dds, false))
	{
	case LRD_PIXEL_UNORM8: return is_srgb(recipe, dds) ? LRD_TEXTURE_RGBA8_SRGB : LRD_TEXTURE_RGBA8_UNORM;
	case LRD_PIXEL_UNORM16: return LRD_TEXTURE_RGBA16_UNORM;
	default: return LRD_TEXTURE_RGBA32_SFLOAT;
	}
}

static bool restack(
	const lrd_texture_recipe *recipe, const lrd_dds *dds, lrd_buffer *out, lrd_texture_report *report, lrd_error *error)
{
	lrd_buffer levels[LRD_TEXTURE_MAX_LEVELS] = { 0 };
	bool volume = dds->kind == LRD_DDS_VOLUME;
	lrd_texture_view view = {
		.format = dds->format.packing == LRD_DDS_BLOCKS ? vulkan_format(&dds->format, is_srgb(recipe, dds))
														: texel_format(recipe, dds),
		.width = dds->width,
		.height = dds->height,
		.depth = volume ? dds->depth : 0,
		.layer_count = dds->layers > 1 ? dds->layers : 0,
		.face_count = dds->faces,
		.level_count = dds->levels,
	};
	uint32_t descriptor[LRD_DFD_MAX_WORDS];
	if (dds->premultiplied && dds->format.packing == LRD_DDS_BLOCKS)
	{
		view.dfd = lrd_texture_describe_premultiplied(view.format, descriptor); // other texels are divided on decoding
	}
	bool good = volume && dds->format.packing == LRD_DDS_BLOCKS
					? lrd_fail(error, LRD_ERROR_UNSUPPORTED, "a volume of blocks, which KTX 2.0 has no place for")
					: true;
	for (uint32_t i = 0; good && i < dds->levels; ++i)
	{
		levels[i].allocator = recipe->allocator;
		good = stack_level(recipe, dds, i, &levels[i], error);
		view.levels[i] =
			(lrd_texture_level){ .data = levels[i].data, .size = levels[i].size, .decoded_size = levels[i].size };
	}
	good = good && take_over(recipe, &view, out, report, error);
	for (uint32_t i = 0; i < LRD_TEXTURE_MAX_LEVELS; ++i)
	{
		lrd_buffer_free(&levels[i]);
	}
	return good;
}

static bool decode_dds_face(
	const lrd_texture_recipe *recipe, const void *file, uint32_t face, lrd_image *image, lrd_error *error)
{
	lrd_dds_decode_desc desc = { .face = face };
	take_limits(recipe, &desc);
	return lrd_dds_decode(file, &desc, image, error);
}

static bool decode_dds(lrd_texture_recipe *recipe, const lrd_dds *dds, lrd_image *image, lrd_error *error)
{
	bool normals = recipe->type == LRD_TEXTURE_TYPE_NORMAL;
	lrd_dds_decode_desc desc = { .shift_signed = normals };
	take_limits(recipe, &desc);
	recipe->two_channel = normals && dds->format.channels == 2 && !dds->format.luminance;
	if (!lrd_dds_decode(dds, &desc, image, error))
	{
		return false;
	}
	image->linear = image->type == LRD_PIXEL_F32 || !is_srgb(recipe, dds);
	return true;
}

static bool pass_dds(lrd_texture_recipe *recipe, lrd_bytes bytes, bool *passed, lrd_image *image, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error)
{
	lrd_dds dds;
	if (!lrd_dds_open(bytes, &dds, error))
	{
		return false;
	}
	bool blocks = dds.format.packing == LRD_DDS_BLOCKS;
	bool many = dds.faces > 1 || dds.layers > 1 || dds.kind == LRD_DDS_VOLUME;
	*passed = many || (blocks && !dds.premultiplied && recipe->settings->format == LRD_ENCODING_AUTO &&
						  recipe->target == LRD_TARGET_DESKTOP);
	if (*passed)
	{
		bool light = dds.faces == LRD_FACE_COUNT && dds.layers == 1 && !blocks;
		report->passed = !light;
		return light ? cook_faces(recipe, decode_dds_face, &dds, out, report, error)
					 : restack(recipe, &dds, out, report, error);
	}
	return decode_dds(recipe, &dds, image, error);
}

bool lrd_texture_unpack(lrd_texture_recipe *recipe, lrd_bytes bytes, lrd_image *image, lrd_error *error)
{
	lrd_dds dds;
	return is_ktx(bytes) ? decode_ktx(recipe, bytes, image, error)
						 : lrd_dds_open(bytes, &dds, error) && decode_dds(recipe, &dds, image, error);
}

bool lrd_texture_pass(lrd_texture_recipe *recipe, lrd_bytes bytes, bool *passed, lrd_image *image, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error)
{
	return is_ktx(bytes) ? pass_ktx(recipe, bytes, passed, image, out, report, error)
						 : pass_dds(recipe, bytes, passed, image, out, report, error) || lrd_fail_in(error, "DDS");
}
