// One image cooked to one texture: decode, filter mips, encode, write KTX 2.0.

#include "cook/texture.h"

#include "base/error.h"
#include "base/path.h"
#include "format/texture.h"
#include "image/half.h"
#include "larder/write.h"
#include "os/os.h"

#include <assert.h>
#include <math.h>
#include <string.h>

uint64_t lrd_texture_max_bytes(const lrd_texture_settings *settings)
{
	uint64_t wanted = (uint64_t)settings->source_limit * settings->source_limit * 4;
	return wanted > LRD_IMAGE_MAX_BYTES ? wanted : LRD_IMAGE_MAX_BYTES;
}

bool lrd_texture_wants_mips(const lrd_texture_recipe *recipe)
{
	if (recipe->settings->mipmaps != LRD_CHOICE_AUTO)
	{
		return recipe->settings->mipmaps == LRD_CHOICE_ON;
	}
	return recipe->type != LRD_TEXTURE_TYPE_UI && recipe->type != LRD_TEXTURE_TYPE_LUT;
}

// Keys and the file.

static bool add_type_key(
	const lrd_texture_recipe *recipe, const lrd_texture_choice *choice, lrd_buffer *keys, lrd_error *error)
{
	lrd_buffer text = { .allocator = recipe->allocator };
	bool is_normal = recipe->type == LRD_TEXTURE_TYPE_NORMAL;
	const char *layout = choice->encoding == LRD_ENCODING_BC5                         ? " normal=rg"
						 : choice->encoding >= LRD_ENCODING_ASTC_4X4 && !choice->half ? " normal=ra"
																					  : " normal=rgb";
	bool good = lrd_buffer_printf(&text, "type=%s from=%s%s", lrd_texture_type_name(recipe->type),
					lrd_texture_clue_name(recipe->clue), is_normal ? layout : "") ||
				lrd_fail_memory(error, LRD_TEXTURE_KEY_TYPE, 64);
	good = good && lrd_texture_add_key(keys, LRD_STR(LRD_TEXTURE_KEY_TYPE), (lrd_bytes){ text.data, text.size }, error);
	if (good && is_normal && choice->encoding >= LRD_ENCODING_ASTC_4X4 && !choice->half)
	{
		good = lrd_texture_add_key(keys, LRD_STR("KTXswizzle"), (lrd_bytes){ "ra01", 5 }, error);
	}
	lrd_buffer_free(&text);
	return good;
}

static bool add_keys(const lrd_texture_recipe *recipe, const lrd_texture_choice *choice,
	const lrd_texture_extras *extras, lrd_buffer *keys, lrd_error *error)
{
	const lrd_texture_settings *settings = recipe->settings;
	lrd_texture_sampling sampling = { (uint8_t)settings->wrap_u, (uint8_t)settings->wrap_v, (uint8_t)settings->filter };
	return add_type_key(recipe, choice, keys, error) &&
		   (!settings->has_sampler || lrd_texture_add_sampler(keys, &sampling, error)) &&
		   (extras->coverage == 0.0f || lrd_texture_add_coverage(keys, extras->coverage, error)) &&
		   (extras->harmonics == NULL || lrd_texture_add_harmonics(keys, extras->harmonics, error));
}

// KHR_DF_FLAG_ALPHA_PREMULTIPLIED, in the basic block's flags (Khronos Data Format Specification 1.3, "flags").
#define DFD_FLAGS_WORD 3
#define DFD_PREMULTIPLIED (LRD_DFD_FLAG_PREMULTIPLIED << 24)

lrd_bytes lrd_texture_describe_premultiplied(uint32_t format, uint32_t *words)
{
	uint32_t count = lrd_texture_format_describe(lrd_texture_format_find(format), words);
	words[DFD_FLAGS_WORD] |= DFD_PREMULTIPLIED;
	return (lrd_bytes){ words, count * sizeof *words };
}

bool lrd_texture_store(const lrd_texture_recipe *recipe, const lrd_texture_choice *choice, const lrd_surfaces *surfaces,
	const lrd_texture_extras *extras, lrd_buffer *out, lrd_texture_report *report, lrd_error *error)
{
	uint32_t descriptor[LRD_DFD_MAX_WORDS];
	lrd_encoded encoded = { 0 };
	lrd_buffer keys = { .allocator = recipe->allocator };
	lrd_texture_view view = {
		.format = choice->format,
		.width = surfaces->items[0].width,
		.height = surfaces->items[0].height,
		.face_count = surfaces->face_count,
		.level_count = surfaces->level_count,
	};
	if (!lrd_texture_encode(recipe, choice, surfaces, extras->coverage, &encoded, report, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < view.level_count; ++i)
	{
		view.levels[i] = (lrd_texture_level){
			.data = encoded.levels[i], .size = encoded.sizes[i], .decoded_size = encoded.sizes[i]
		};
	}
	if (extras->premultiplied)
	{
		view.dfd = lrd_texture_describe_premultiplied(view.format, descriptor);
	}
	bool good = add_keys(recipe, choice, extras, &keys, error);
	view.key_values = (lrd_bytes){ keys.data, keys.size };
	good = good && (recipe->settings->zstd ? lrd_texture_write_zstd(&view, 0, out, error)
										   : lrd_texture_write(&view, out, error));
	lrd_buffer_free(&keys);
	lrd_encoded_free(&encoded);
	report->format = view.format;
	report->width = view.width;
	report->height = view.height;
	report->face_count = view.face_count;
	report->level_count = view.level_count;
	report->premultiplied = extras->premultiplied;
	return good;
}

// Between 8 bits and half floats, where the image is one and the encoding wants the other.

/// What a component is: floats hold light, and normals from -1 to 1.
typedef enum component
{
	COMPONENT_NUMBER,
	COMPONENT_COLOR,  ///< sRGB-encoded in bytes
	COMPONENT_NORMAL, ///< 0..1 in bytes
} component;

static uint16_t half_of_byte(uint8_t value, component kind)
{
	float fraction = (float)value / 255.0f;
	fraction = kind == COMPONENT_COLOR ? lrd_srgb_to_linear(fraction) : fraction;
	return lrd_half_from_float(kind == COMPONENT_NORMAL ? fraction * 2.0f - 1.0f : fraction);
}

static uint8_t byte_of_half(uint16_t half, component kind, uint64_t *clamped)
{
	float value = lrd_float_from_half(half);
	value = kind == COMPONENT_NORMAL ? value * 0.5f + 0.5f : value;
	if (!(value >= 0.0f && value <= 1.0f))
	{
		++*clamped;
		value = value > 1.0f ? 1.0f : 0.0f;
	}
	return (uint8_t)((kind == COMPONENT_COLOR ? lrd_linear_to_srgb(value) : value) * 255.0f + 0.5f);
}

static bool convert_level(lrd_mips *mips, uint32_t level, component kind, uint64_t *clamped, lrd_error *error)
{
	size_t values = (size_t)mips->levels[level].width * mips->levels[level].height * 4;
	size_t size = mips->half_float ? values : values * 2;
	uint8_t *made = lrd_alloc(mips->allocator, size);
	if (made == NULL)
	{
		return lrd_fail_memory(error, "mip level", size);
	}
	const uint8_t *from = mips->levels[level].data;
	for (size_t i = 0; i < values; ++i)
	{
		component own = i % 4 != 3 ? kind : COMPONENT_NUMBER;
		uint16_t half;
		if (mips->half_float)
		{
			memcpy(&half, from + i * 2, sizeof half);
			made[i] = byte_of_half(half, own, clamped);
		}
		else
		{
			half = half_of_byte(from[i], own);
			memcpy(made + i * 2, &half, sizeof half);
		}
	}
	if (level != 0 || !mips->borrowed)
	{
		lrd_free(mips->allocator, mips->levels[level].data, mips->levels[level].size);
	}
	mips->borrowed = mips->borrowed && level != 0;
	mips->levels[level].data = made;
	mips->levels[level].size = size;
	return true;
}

static bool convert_mips(lrd_mips *mips, bool to_half, component kind, uint64_t *clamped, lrd_error *error)
{
	if (mips->half_float == to_half)
	{
		return true;
	}
	for (uint32_t i = 0; i < mips->level_count; ++i)
	{
		if (!convert_level(mips, i, kind, clamped, error))
		{
			return false;
		}
	}
	mips->half_float = to_half;
	return true;
}

/// BC6H without sign and ASTC hold light, which is never negative. Counts what level 0 loses.
static void drop_negative(lrd_mips *mips, uint64_t *clamped)
{
	for (uint32_t level = 0; level < mips->level_count; ++level)
	{
		uint8_t *at = mips->levels[level].data;
		for (size_t left = mips->levels[level].size / 2; left != 0; --left, at += 2)
		{
			uint16_t half;
			memcpy(&half, at, sizeof half);
			bool negative = half > 0x8000u;
			*clamped += negative && level == 0;
			half = (half & 0x8000u) != 0 ? 0 : half;
			memcpy(at, &half, sizeof half);
		}
	}
}

/// Two-channel normals in ASTC: X in red, green and blue, Y in alpha, which its modes keep apart best.
static void swizzle_normals(lrd_mips *mips)
{
	for (uint32_t level = 0; level < mips->level_count; ++level)
	{
		uint8_t *texel = mips->levels[level].data;
		for (size_t left = mips->levels[level].size / 4; left != 0; --left, texel += 4)
		{
			texel[3] = texel[1];
			texel[1] = texel[2] = texel[0];
		}
	}
}

// Decoding.

/// Bakers write normals to floats as to bytes, 0..1, others from -1 on. It is that which makes unit vectors.
static void settle_normals(lrd_image *image)
{
	size_t values = (size_t)image->width * image->height * 4;
	float *value = image->pixels;
	double off_signed = 0.0;
	double off_codes = 0.0;
	for (size_t i = 0; i < values; i += 4)
	{
		double x = value[i], y = value[i + 1], z = value[i + 2];
		off_signed += fabs(x * x + y * y + z * z - 1.0);
		x = 2.0 * x - 1.0, y = 2.0 * y - 1.0, z = 2.0 * z - 1.0;
		off_codes += fabs(x * x + y * y + z * z - 1.0);
	}
	for (size_t i = 0; i < values && off_codes < off_signed; ++i)
	{
		value[i] = i % 4 != 3 ? 2.0f * value[i] - 1.0f : value[i];
	}
}

static bool decode(const lrd_texture_recipe *recipe, lrd_bytes bytes, lrd_image *image, lrd_error *error)
{
	lrd_image_decode_desc desc = { .bytes = bytes,
		.ignore_gamma = recipe->ignore_gamma,
		.max_side = recipe->settings->source_limit,
		.max_bytes = lrd_texture_max_bytes(recipe->settings),
		.allocator = recipe->allocator };
	if (!lrd_image_decode(&desc, image, error))
	{
		return false;
	}
	if (recipe->type == LRD_TEXTURE_TYPE_NORMAL && image->type == LRD_PIXEL_F32)
	{
		settle_normals(image);
	}
	return true;
}

/// The normals that make a roughness map rougher. Those that can't be read are told of by their own texture, and
/// `*found` is left alone. False when memory ran out.
static bool decode_normals(
	const lrd_texture_recipe *recipe, lrd_image *normals, bool *two_channel, bool *found, lrd_error *error)
{
	lrd_texture_recipe own = *recipe;
	lrd_bytes bytes = recipe->roughness_normals;
	lrd_error reason = { 0 };
	own.type = LRD_TEXTURE_TYPE_NORMAL;
	own.two_channel = false;
	bool good = lrd_texture_is_container(bytes) ? lrd_texture_unpack(&own, bytes, normals, &reason)
												: decode(&own, bytes, normals, &reason);
	*two_channel = own.two_channel;
	*found = good || *found;
	return good || reason.code != LRD_ERROR_MEMORY || lrd_fail(error, reason.code, "%s", reason.message);
}

// Flat images.

static_assert((int)LRD_MIP_WRAP_REPEAT == (int)LRD_WRAP_REPEAT && (int)LRD_MIP_WRAP_CLAMP == (int)LRD_WRAP_CLAMP &&
				  (int)LRD_MIP_WRAP_MIRROR == (int)LRD_WRAP_MIRROR,
	"one numbering of wraps");

static lrd_mip_content mip_content(const lrd_texture_recipe *recipe, bool color)
{
	if (recipe->type == LRD_TEXTURE_TYPE_NORMAL)
	{
		return LRD_MIP_NORMAL;
	}
	return color ? LRD_MIP_COLOR : LRD_MIP_DATA;
}

/// Colours whose alpha nobody samples stay as they are, also where the alpha does.
static bool multiplies(const lrd_texture_recipe *recipe, bool color, bool has_alpha)
{
	return recipe->settings->premultiply && color && has_alpha && !recipe->drops_alpha;
}

static bool make_mips(
	const lrd_texture_recipe *recipe, const lrd_image *image, bool color, lrd_mips *mips, lrd_error *error)
{
	const lrd_texture_settings *settings = recipe->settings;
	lrd_image normals = { 0 };
	lrd_mips_desc desc = {
		.image = image,
		.content = mip_content(recipe, color),
		.filter = settings->mip_filter == LRD_MIP_CHOICE_BOX    ? LRD_MIP_FILTER_BOX
				  : settings->mip_filter == LRD_MIP_CHOICE_SINC ? LRD_MIP_FILTER_SINC
																: LRD_MIP_FILTER_AUTO,
		.wrap_u = (lrd_mip_wrap)recipe->wrap_u,
		.wrap_v = (lrd_mip_wrap)recipe->wrap_v,
		.alpha_weighted = recipe->alpha_weighted && image->has_alpha,
		.alpha_coverage = image->has_alpha ? recipe->alpha_cutoff : 0.0f,
		.premultiply = multiplies(recipe, color, image->has_alpha),
		.two_channel = recipe->two_channel,
		.max_side = settings->max_size,
		.min_side = settings->min_size,
		.level_count = lrd_texture_wants_mips(recipe) ? settings->level_limit : 1,
		.borrow_image = true,
		.flip_y = recipe->flips_y && recipe->type == LRD_TEXTURE_TYPE_NORMAL,
		.allocator = recipe->allocator,
	};
	bool good = true;
	if (recipe->roughness_normals.size != 0 && desc.content == LRD_MIP_DATA)
	{
		bool found = false;
		good = decode_normals(recipe, &normals, &desc.two_channel, &found, error);
		desc.roughness_normals = found ? &normals : NULL;
	}
	good = good && lrd_mips_make(&desc, mips, error);
	lrd_image_free(&normals);
	return good;
}

static void make_opaque(lrd_image *image)
{
	size_t texels = (size_t)image->width * image->height;
	for (size_t i = 0; i < texels; ++i)
	{
		switch (image->type)
		{
		case LRD_PIXEL_UNORM8: ((uint8_t *)image->pixels)[i * 4 + 3] = 255; break;
		case LRD_PIXEL_UNORM16: ((uint16_t *)image->pixels)[i * 4 + 3] = 65535; break;
		case LRD_PIXEL_F32: ((float *)image->pixels)[i * 4 + 3] = 1.0f; break;
		}
	}
	image->has_alpha = false;
}

/// 16 bits become floats, as they are filtered, where half floats are stored and 8 bits would be too few.
static bool widen(const lrd_texture_recipe *recipe, lrd_image *image, lrd_error *error)
{
	size_t values = (size_t)image->width * image->height * 4;
	bool normal = recipe->type == LRD_TEXTURE_TYPE_NORMAL;
	const uint16_t *from = image->pixels;
	float *wide = lrd_alloc(image->allocator, values * sizeof *wide);
	if (wide == NULL)
	{
		return lrd_fail_memory(error, "texels in float", values * sizeof *wide);
	}
	for (size_t i = 0; i < values; ++i)
	{
		float value = (float)from[i] / 65535.0f;
		wide[i] = normal && i % 4 != 3 ? value * 2.0f - 1.0f : value;
	}
	lrd_free(image->allocator, image->pixels, image->size);
	image->pixels = wide;
	image->size = values * sizeof *wide;
	image->type = LRD_PIXEL_F32;
	return true;
}

static bool cook_flat(
	const lrd_texture_recipe *recipe, lrd_image *image, lrd_buffer *out, lrd_texture_report *report, lrd_error *error)
{
	if (recipe->drops_alpha && image->has_alpha && recipe->target != LRD_TARGET_RAW)
	{
		make_opaque(image);
	}
	bool has_alpha = image->has_alpha;
	lrd_texture_facts facts = { .hdr = image->type == LRD_PIXEL_F32, .has_alpha = has_alpha };
	lrd_texture_choice choice = lrd_texture_choose(recipe, facts);
	bool color = recipe->color && (choice.half || lrd_texture_encoding_has_srgb(choice.encoding));
	lrd_mips mips = { 0 };
	bool good = !choice.half || image->type != LRD_PIXEL_UNORM16 || widen(recipe, image, error);
	good = good && make_mips(recipe, image, color, &mips, error);
	report->clamped = image->clamped;
	if (!good)
	{
		return false;
	}
	report->clamped += mips.clamped;
	bool normal = recipe->type == LRD_TEXTURE_TYPE_NORMAL;
	component kind = normal ? COMPONENT_NORMAL : (color ? COMPONENT_COLOR : COMPONENT_NUMBER);
	good = convert_mips(&mips, choice.half, kind, &report->clamped, error);
	if (good && choice.half && choice.block > 1 && choice.format != LRD_TEXTURE_BC6H_SFLOAT)
	{
		drop_negative(&mips, &report->clamped);
	}
	if (good && normal && choice.encoding >= LRD_ENCODING_ASTC_4X4 && !choice.half)
	{
		swizzle_normals(&mips);
	}
	lrd_surfaces surfaces = { .level_count = mips.level_count, .face_count = 1 };
	for (uint32_t i = 0; i < mips.level_count; ++i)
	{
		surfaces.items[i] = (lrd_surface){ mips.levels[i].width, mips.levels[i].height, mips.levels[i].data };
	}
	lrd_texture_extras extras = {
		.premultiplied = multiplies(recipe, color, has_alpha),
		.coverage = has_alpha ? recipe->alpha_cutoff : 0.0f,
	};
	good = good && lrd_texture_store(recipe, &choice, &surfaces, &extras, out, report, error);
	lrd_mips_free(&mips);
	return good;
}

static bool cook_faces(const lrd_texture_recipe *recipe, const lrd_bytes *files, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error)
{
	static const char *const names[LRD_FACE_COUNT] = { "+X", "-X", "+Y", "-Y", "+Z", "-Z" };
	lrd_image images[LRD_FACE_COUNT] = { 0 };
	bool good = true;
	for (uint32_t i = 0; good && i < LRD_FACE_COUNT; ++i)
	{
		good = decode(recipe, files[i], &images[i], error) || lrd_fail_in(error, "face %s", names[i]);
	}
	good = good && lrd_texture_cook_cube(recipe, images, LRD_FACE_COUNT, out, report, error);
	for (uint32_t i = 0; i < LRD_FACE_COUNT; ++i)
	{
		lrd_image_free(&images[i]);
	}
	return good;
}

static bool cook_one(
	const lrd_texture_recipe *recipe, lrd_bytes bytes, lrd_buffer *out, lrd_texture_report *report, lrd_error *error)
{
	lrd_image image = { 0 };
	lrd_texture_recipe own = *recipe;
	bool passed = false;
	if (lrd_texture_is_container(bytes) ? !lrd_texture_pass(&own, bytes, &passed, &image, out, report, error)
										: !decode(&own, bytes, &image, error))
	{
		return false;
	}
	if (passed)
	{
		return true;
	}
	bool cube = own.type == LRD_TEXTURE_TYPE_CUBEMAP;
	if (cube && own.clue == LRD_CLUE_NAME && !lrd_texture_is_cube_layout(image.width, image.height))
	{
		own.type = LRD_TEXTURE_TYPE_ALBEDO; // the name was misleading
		own.clue = LRD_CLUE_DEFAULT;
		own.color = own.settings->srgb != LRD_CHOICE_OFF;
		own.alpha_weighted = true;
		cube = false;
	}
	report->type = own.type;
	report->clue = own.clue;
	bool good =
		cube ? lrd_texture_cook_cube(&own, &image, 1, out, report, error) : cook_flat(&own, &image, out, report, error);
	lrd_image_free(&image);
	return good;
}

bool lrd_cook_texture_files(const lrd_texture_recipe *recipe, const lrd_bytes *files, uint32_t count, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error)
{
	uint64_t started = lrd_clock_ns();
	lrd_texture_report ignored;
	report = report != NULL ? report : &ignored;
	*report = (lrd_texture_report){ .type = recipe->type, .clue = recipe->clue };
	bool good = count == LRD_FACE_COUNT ? cook_faces(recipe, files, out, report, error)
										: cook_one(recipe, files[0], out, report, error);
	report->size = out->size;
	report->seconds = (double)(lrd_clock_ns() - started) * 1e-9;
	return good;
}

// The public face: a type decided by settings or name, for images that no model uses.

void lrd_texture_recipe_decide(lrd_texture_recipe *recipe, lrd_string name)
{
	const lrd_texture_settings *settings = recipe->settings;
	recipe->type = settings->type;
	recipe->clue = LRD_CLUE_SETTINGS;
	recipe->flips_y = false;
	if (recipe->type == LRD_TEXTURE_TYPE_AUTO)
	{
		recipe->type = lrd_texture_type_from_name(name, &recipe->flips_y);
		recipe->clue = LRD_CLUE_NAME;
	}
	if (recipe->type == LRD_TEXTURE_TYPE_AUTO)
	{
		recipe->type = LRD_TEXTURE_TYPE_ALBEDO;
		recipe->clue = LRD_CLUE_DEFAULT;
	}
	bool color = lrd_texture_type_is_color(recipe->type) || recipe->type == LRD_TEXTURE_TYPE_CUBEMAP;
	recipe->color = settings->srgb == LRD_CHOICE_AUTO ? color : settings->srgb == LRD_CHOICE_ON;
	recipe->ignore_gamma = !recipe->color;
	recipe->alpha_weighted = lrd_texture_type_is_color(recipe->type);
	recipe->alpha_cutoff = settings->alpha_coverage == LRD_CHOICE_ON ? settings->alpha_cutoff : 0.0f;
	recipe->wrap_u = settings->wrap_u;
	recipe->wrap_v = settings->wrap_v;
	recipe->flips_y = recipe->flips_y || settings->normal_flip_y;
}

bool lrd_texture_cook(const lrd_texture_cook_desc *desc, lrd_buffer *out, lrd_texture_report *report, lrd_error *error)
{
	const lrd_texture_settings defaults = { 0 };
	if (desc->image_count != 1 && desc->image_count != LRD_FACE_COUNT)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "%u images; expected one, or the six faces of a cubemap", desc->image_count);
	}
	lrd_texture_recipe recipe = {
		.settings = desc->settings != NULL ? desc->settings : &defaults,
		.target = desc->target,
		.jobs = desc->jobs,
		.allocator = lrd_allocator_or_default(desc->allocator),
	};
	lrd_texture_recipe_decide(&recipe, lrd_path_stem(desc->name));
	if (desc->image_count == LRD_FACE_COUNT)
	{
		recipe.type = LRD_TEXTURE_TYPE_CUBEMAP;
		recipe.clue = LRD_CLUE_SETTINGS; // whoever gave six files
		recipe.color = recipe.settings->srgb != LRD_CHOICE_OFF;
	}
	out->size = 0;
	return lrd_cook_texture_files(&recipe, desc->images, desc->image_count, out, report, error);
}
