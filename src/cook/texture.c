// One image cooked to one texture: decode, filter mips, write KTX 2.0.

#include "cook/recipe_internal.h"

#include "base/error.h"
#include "base/path.h"
#include "image/image.h"
#include "larder/write.h"

static bool wants_mips(const lrd_texture_settings *settings)
{
	if (settings->mipmaps != LRD_CHOICE_AUTO)
	{
		return settings->mipmaps == LRD_CHOICE_ON;
	}
	return settings->type != LRD_TEXTURE_TYPE_UI && settings->type != LRD_TEXTURE_TYPE_LUT;
}

/// The finest level that fits max_size.
static uint32_t first_level(const lrd_texture_settings *settings, uint32_t width, uint32_t height)
{
	uint32_t level = 0;
	uint32_t side = width > height ? width : height;
	while (settings->max_size != 0 && side > settings->max_size)
	{
		side /= 2;
		level++;
	}
	return level;
}

static bool add_keys(const lrd_texture_recipe *recipe, lrd_buffer *keys, lrd_error *error)
{
	static const char *const wraps[] = { "repeat", "clamp", "mirror" };
	const lrd_texture_settings *settings = recipe->settings;
	if (settings->has_sampler)
	{
		lrd_buffer text = { .allocator = recipe->allocator };
		bool good = lrd_buffer_printf(&text, "wrap_u=%s wrap_v=%s filter=%s", wraps[settings->wrap_u],
						wraps[settings->wrap_v], settings->filter == LRD_FILTER_POINT ? "point" : "linear") ||
					lrd_fail_memory(error, "larder.sampler", 64);
		good = good && lrd_texture_add_key(keys, LRD_STR("larder.sampler"), (lrd_bytes){ text.data, text.size }, error);
		lrd_buffer_free(&text);
		if (!good)
		{
			return false;
		}
	}
	return recipe->alpha_cutoff == 0.0f ||
		   lrd_texture_add_key(keys, LRD_STR("larder.coverage"), (lrd_bytes){ &recipe->alpha_cutoff, 4 }, error);
}

static bool write_texture(
	const lrd_texture_recipe *recipe, const lrd_mips *mips, uint32_t first, lrd_buffer *out, lrd_error *error)
{
	lrd_texture_view view = {
		.format = mips->half_float ? LRD_TEXTURE_RGBA16_SFLOAT
								   : (recipe->color ? LRD_TEXTURE_RGBA8_SRGB : LRD_TEXTURE_RGBA8_UNORM),
		.type_size = mips->half_float ? 2 : 1,
		.width = mips->levels[first].width,
		.height = mips->levels[first].height,
		.face_count = 1,
		.level_count = wants_mips(recipe->settings) ? mips->level_count - first : 1,
	};
	for (uint32_t i = 0; i < view.level_count; ++i)
	{
		size_t size = mips->levels[first + i].size;
		view.levels[i] =
			(lrd_texture_level){ .data = mips->levels[first + i].data, .size = size, .decoded_size = size };
	}
	lrd_buffer keys = { .allocator = recipe->allocator };
	bool good = add_keys(recipe, &keys, error);
	view.key_values = (lrd_bytes){ keys.data, keys.size };
	good = good && lrd_texture_write(&view, out, error);
	lrd_buffer_free(&keys);
	return good;
}

bool lrd_cook_texture(const lrd_texture_recipe *recipe, lrd_bytes bytes, lrd_buffer *out, lrd_error *error)
{
	lrd_image image = { 0 };
	lrd_mips mips = { 0 };
	lrd_image_decode_desc decode = {
		.bytes = bytes, .ignore_gamma = recipe->ignore_gamma, .allocator = recipe->allocator
	};
	if (!lrd_image_decode(&decode, &image, error))
	{
		return false;
	}
	uint32_t first = first_level(recipe->settings, image.width, image.height);
	lrd_mips_desc desc = {
		.image = &image,
		.content = recipe->normal ? LRD_MIP_NORMAL : (recipe->color ? LRD_MIP_COLOR : LRD_MIP_DATA),
		.alpha_weighted = recipe->alpha_weighted && image.has_alpha,
		.alpha_coverage = image.has_alpha ? recipe->alpha_cutoff : 0.0f,
		.level_count = wants_mips(recipe->settings) ? 0 : first + 1,
		.allocator = recipe->allocator,
	};
	bool good = lrd_mips_make(&desc, &mips, error);
	lrd_image_free(&image);
	good = good && write_texture(recipe, &mips, first, out, error);
	lrd_mips_free(&mips);
	return good;
}

lrd_texture_type lrd_texture_type_from_name(lrd_string stem)
{
	static const struct
	{
		const char *suffix;
		lrd_texture_type type;
	} rows[] = {
		{ "_n", LRD_TEXTURE_TYPE_NORMAL },
		{ "_nrm", LRD_TEXTURE_TYPE_NORMAL },
		{ "_normal", LRD_TEXTURE_TYPE_NORMAL },
		{ "_normals", LRD_TEXTURE_TYPE_NORMAL },
		{ "_orm", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_arm", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_rough", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_roughness", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_metallic", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_metalness", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_metallicroughness", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_ao", LRD_TEXTURE_TYPE_OCCLUSION },
		{ "_occlusion", LRD_TEXTURE_TYPE_OCCLUSION },
		{ "_mask", LRD_TEXTURE_TYPE_MASK },
		{ "_height", LRD_TEXTURE_TYPE_HEIGHT },
		{ "_disp", LRD_TEXTURE_TYPE_HEIGHT },
		{ "_lut", LRD_TEXTURE_TYPE_LUT },
		{ "_emissive", LRD_TEXTURE_TYPE_EMISSIVE },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		if (lrd_string_ends_with_folded(stem, lrd_string_from(rows[i].suffix)))
		{
			return rows[i].type;
		}
	}
	return LRD_TEXTURE_TYPE_AUTO;
}
