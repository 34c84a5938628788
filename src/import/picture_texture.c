// KTX 2.0 as pictures: what the run time decodes, ASTC, and what the keys say of rows, channels and normals.

#include "import/picture.h"

#include "base/error.h"
#include "block/astc.h"
#include "format/texture.h"
#include "image/srgb.h"

#include <math.h>
#include <stdio.h>

// larder.type is words of "key=value" apart by blanks: "type=normal from=slot normal=rg".
static lrd_string find_word(lrd_string text, lrd_string key)
{
	size_t at = 0;
	while (at < text.size)
	{
		size_t end = at;
		while (end < text.size && text.data[end] != ' ' && text.data[end] != 0)
		{
			++end;
		}
		if (end - at > key.size && memcmp(text.data + at, key.data, key.size) == 0 && text.data[at + key.size] == '=')
		{
			at += key.size + 1;
			return (lrd_string){ text.data + at, end - at };
		}
		at = end + 1;
	}
	return (lrd_string){ 0 };
}

static void read_type(const lrd_texture_view *view, lrd_picture_info *info)
{
	lrd_bytes value;
	if (!lrd_texture_find_key(view, LRD_STR(LRD_TEXTURE_KEY_TYPE), &value))
	{
		return;
	}
	lrd_string text = { value.data, value.size };
	info->holds = find_word(text, LRD_STR("type"));
	info->holds_from = find_word(text, LRD_STR("from"));
	lrd_string normals = find_word(text, LRD_STR("normal"));
	for (int i = LRD_NORMALS_RGB; i <= LRD_NORMALS_RA; ++i)
	{
		if (lrd_string_equal(normals, lrd_string_from(lrd_picture_normals_name((lrd_picture_normals)i))))
		{
			info->normals = (lrd_picture_normals)i;
		}
	}
}

/// Which channels a format has, by its layout: see texture_format.c.
static uint32_t channels_of(const lrd_texture_format_row *row)
{
	if (lrd_texture_format_is_depth(row))
	{
		return LRD_CHANNEL_R;
	}
	if (strncmp(row->layout, "shared", 6) == 0) // no letters, but an exponent
	{
		return LRD_CHANNELS_RGB;
	}
	uint32_t channels = 0;
	for (const char *c = row->layout; *c != 0; ++c)
	{
		switch (*c)
		{
		case 'r': channels |= LRD_CHANNEL_R; break;
		case 'g': channels |= LRD_CHANNEL_G; break;
		case 'b': channels |= LRD_CHANNEL_B; break;
		case 'a': channels |= LRD_CHANNEL_A; break;
		case 'c':
		case 'e': channels |= LRD_CHANNELS_RGB; break;
		case 'p': channels |= LRD_CHANNELS_RGBA; break;
		default: break;
		}
	}
	bool has_own_alpha = row->model == LRD_DFD_BC7 || row->model == LRD_DFD_ASTC;
	return has_own_alpha ? LRD_CHANNELS_RGBA : channels;
}

static void describe_texels(const lrd_texture_view *view, lrd_picture_info *info)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(view->format);
	bool is_astc = row != NULL && row->model == LRD_DFD_ASTC;
	bool is_stored = row != NULL && view->supercompression != LRD_SUPERCOMPRESSION_BASIS_LZ &&
					 view->supercompression != LRD_SUPERCOMPRESSION_ZLIB;
	lrd_texels texels = lrd_texture_decodes_to(view->format);
	info->channels = row != NULL ? channels_of(row) : LRD_CHANNELS_RGBA;
	info->decodable = is_stored && (is_astc || texels != LRD_TEXELS_NONE);
	if (row == NULL)
	{
		return;
	}
	switch (row->numeric)
	{
	case LRD_NUMERIC_UNORM:
	case LRD_NUMERIC_SRGB:
		info->type = texels == LRD_TEXELS_UNORM8 || is_astc ? LRD_PIXELS_UNORM8 : LRD_PIXELS_UNORM16;
		info->range = LRD_PIXELS_UNIT;
		break;
	case LRD_NUMERIC_SNORM:
		info->type = LRD_PIXELS_F32;
		info->range = LRD_PIXELS_SIGNED;
		break;
	default:
		info->type = LRD_PIXELS_F32;
		info->range = LRD_PIXELS_OPEN;
		break;
	}
}

static bool align(lrd_picture *self, lrd_error *error)
{
	if (((uintptr_t)self->bytes.data & 15) == 0)
	{
		return true;
	}
	self->aligned = lrd_alloc(self->allocator, self->bytes.size);
	if (self->aligned == NULL)
	{
		return lrd_fail_memory(error, "aligned copy", self->bytes.size);
	}
	memcpy(self->aligned, self->bytes.data, self->bytes.size);
	self->bytes.data = self->aligned;
	return true;
}

bool lrd_picture_open_texture(lrd_picture *picture, lrd_error *error)
{
	lrd_texture_view *view = &picture->texture;
	if (!align(picture, error) || !lrd_texture_open(picture->bytes.data, picture->bytes.size, view, error))
	{
		return false;
	}
	lrd_picture_info *info = &picture->info;
	info->width = view->width;
	info->height = view->height != 0 ? view->height : 1;
	info->depth = view->depth != 0 ? view->depth : 1;
	info->layers = view->layer_count != 0 ? view->layer_count : 1;
	info->faces = view->face_count;
	info->levels = view->level_count;
	info->premultiplied = lrd_texture_is_premultiplied(view);
	describe_texels(view, info);
	info->srgb = lrd_texture_is_srgb(view) && info->type != LRD_PIXELS_F32;
	char orientation[4];
	lrd_texture_orientation(view, orientation);
	info->bottom_up = orientation[1] == 'u';
	lrd_texture_universal universal = lrd_texture_universal_kind(view);
	snprintf(info->format, sizeof info->format, "%s",
		view->format == LRD_TEXTURE_UNDEFINED ? lrd_texture_universal_name(universal)
											  : lrd_texture_format_name(view->format));
	read_type(view, info);
	return true;
}

// Decoding.

static bool check_size(const lrd_picture *self, uint32_t level, lrd_error *error)
{
	const lrd_texture_level *stored = &self->texture.levels[level];
	uint32_t width = lrd_texture_extent(self->info.width, level);
	uint32_t height = lrd_texture_extent(self->info.height, level);
	size_t texel = lrd_texture_decodes_to(self->texture.format) == LRD_TEXELS_F32 || self->info.type == LRD_PIXELS_F32
					   ? 4 * sizeof(float)
					   : 4;
	if (width > self->max_side || height > self->max_side)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "ktx2: level %u has %u x %u texels; a side may have at most %u", level,
			width, height, self->max_side);
	}
	if ((uint64_t)width * height > self->max_bytes / texel || stored->decoded_size > self->max_bytes)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"ktx2: level %u has %u x %u texels of %zu bytes when decoded, and %llu bytes in all; at most %llu are "
			"taken",
			level, width, height, texel, (unsigned long long)stored->decoded_size, (unsigned long long)self->max_bytes);
	}
	return true;
}

static bool fail_undecodable(const lrd_texture_view *view, const lrd_picture_info *info, lrd_error *error)
{
	lrd_texture_universal universal = lrd_texture_universal_kind(view);
	if (view->format == LRD_TEXTURE_UNDEFINED)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"ktx2: %s holds no texels to look at before it is transcoded, which larder does not do",
			lrd_texture_universal_name(universal));
	}
	if (view->supercompression == LRD_SUPERCOMPRESSION_ZLIB)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "ktx2: ZLIB supercompression is not read");
	}
	return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "ktx2: %s is not decoded", info->format);
}

static void swizzle_bytes(uint8_t *texels, size_t count, const uint8_t from[4])
{
	for (size_t i = 0; i < count; ++i, texels += 4)
	{
		const uint8_t old[6] = { texels[0], texels[1], texels[2], texels[3], 0, 255 };
		for (size_t c = 0; c < 4; ++c)
		{
			texels[c] = old[from[c]];
		}
	}
}

static void swizzle_floats(float *texels, size_t count, const uint8_t from[4])
{
	for (size_t i = 0; i < count; ++i, texels += 4)
	{
		const float old[6] = { texels[0], texels[1], texels[2], texels[3], 0.0f, 1.0f };
		for (size_t c = 0; c < 4; ++c)
		{
			texels[c] = old[from[c]];
		}
	}
}

/// For each channel where KTXswizzle takes it from: 0 to 3 a channel, 4 zero, 5 one.
static void swizzle_of(const lrd_texture_view *view, uint8_t from[4])
{
	char letters[5];
	lrd_texture_swizzle(view, letters);
	for (size_t c = 0; c < 4; ++c)
	{
		const char *letter = strchr("rgba01", letters[c]);
		from[c] = letter != NULL && *letter != 0 ? (uint8_t)(letter - "rgba01") : (uint8_t)c;
	}
}

static uint32_t swizzled_channels(uint32_t channels, const uint8_t from[4])
{
	uint32_t result = 0;
	for (uint32_t c = 0; c < 4; ++c)
	{
		result |= from[c] < 4 && (channels >> from[c] & 1) != 0 ? 1u << c : 0;
	}
	return result;
}

static bool decode_astc_blocks(
	const lrd_picture *self, const uint8_t *blocks, size_t size, lrd_pixels *pixels, lrd_error *error)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(self->texture.format);
	lrd_astc_desc desc = {
		.block_width = row->block_width,
		.block_height = row->block_height,
		.profile = row->numeric == LRD_NUMERIC_SRGB    ? LRD_ASTC_LDR_SRGB
				   : row->numeric == LRD_NUMERIC_UNORM ? LRD_ASTC_LDR
													   : LRD_ASTC_HDR,
		.decode_only = true,
	};
	lrd_astc_image image = {
		.pixels = pixels->data,
		.type = pixels->type == LRD_PIXELS_F32 ? LRD_ASTC_F32 : LRD_ASTC_UNORM8,
		.width = pixels->width,
		.height = pixels->height,
	};
	lrd_astc *astc = lrd_astc_open(&desc, self->allocator, error);
	bool good = astc != NULL && lrd_astc_decode(astc, blocks, size, &image, error);
	lrd_astc_close(astc);
	return good;
}

static bool decode_astc(
	const lrd_picture *self, const lrd_picture_decode_desc *desc, lrd_pixels *pixels, lrd_error *error)
{
	const lrd_texture_level *level = &self->texture.levels[desc->level];
	const lrd_texture_format_row *row = lrd_texture_format_find(self->texture.format);
	size_t image_size = (size_t)lrd_astc_blocks(pixels->width, row->block_width) *
						lrd_astc_blocks(pixels->height, row->block_height) * LRD_ASTC_BLOCK_BYTES;
	uint32_t slices = lrd_texture_extent(self->info.depth, desc->level);
	size_t index = ((size_t)desc->layer * self->info.faces + desc->face) * slices + desc->slice;
	size_t level_size = (size_t)level->decoded_size;
	void *owned = NULL;
	const uint8_t *blocks = level->data;
	if (self->texture.supercompression != LRD_SUPERCOMPRESSION_NONE)
	{
		owned = lrd_alloc(self->allocator, level_size);
		if (owned == NULL)
		{
			return lrd_fail_memory(error, "level", level_size);
		}
		blocks = owned;
	}
	// Opening the file has held the level's size against its extent.
	bool good = (owned == NULL ||
					lrd_texture_decompress(&self->texture, desc->level, self->allocator, owned, level_size, error)) &&
				decode_astc_blocks(self, blocks + index * image_size, image_size, pixels, error);
	lrd_free(self->allocator, owned, level_size);
	return good;
}

/// Fractions that came as floats become 16 bits, in the same memory; what is left over is given back.
static bool narrow(lrd_pixels *pixels, lrd_error *error)
{
	const float *from = pixels->data;
	uint16_t *to = pixels->data;
	size_t values = pixels->size / sizeof *from;
	for (size_t i = 0; i < values; ++i)
	{
		float value;
		memcpy(&value, from + i, sizeof value);
		value = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
		uint16_t code = (uint16_t)(value * 65535.0f + 0.5f);
		memcpy(to + i, &code, sizeof code);
	}
	void *smaller = lrd_realloc(pixels->allocator, pixels->data, pixels->size, pixels->size / 2);
	if (smaller == NULL)
	{
		return lrd_fail_memory(error, "pixels", pixels->size / 2);
	}
	pixels->data = smaller;
	pixels->size /= 2;
	pixels->type = LRD_PIXELS_UNORM16;
	return true;
}

static void flip_rows(lrd_pixels *pixels)
{
	size_t row = pixels->size / pixels->height;
	uint8_t *top = pixels->data;
	for (uint8_t *bottom = top + pixels->size - row; top < bottom; top += row, bottom -= row)
	{
		for (size_t i = 0; i < row; ++i)
		{
			uint8_t byte = top[i];
			top[i] = bottom[i];
			bottom[i] = byte;
		}
	}
}

static void mirror_rows(lrd_pixels *pixels)
{
	size_t texel = pixels->size / pixels->height / pixels->width;
	uint8_t *row = pixels->data;
	for (uint32_t y = 0; y < pixels->height; ++y, row += texel * pixels->width)
	{
		for (size_t left = 0, right = pixels->width - 1; left < right; ++left, --right)
		{
			uint8_t kept[4 * sizeof(float)];
			memcpy(kept, row + left * texel, texel);
			memcpy(row + left * texel, row + right * texel, texel);
			memcpy(row + right * texel, kept, texel);
		}
	}
}

/// Divide colours by alpha again; encoded ones in linear light, in which they were multiplied.
static void straighten_codes(lrd_pixels *pixels)
{
	bool bytes = pixels->type == LRD_PIXELS_UNORM8;
	float most = bytes ? 255.0f : 65535.0f;
	size_t texels = (size_t)pixels->width * pixels->height;
	for (size_t i = 0; i < 4 * texels; ++i)
	{
		uint8_t *byte = (uint8_t *)pixels->data + i;
		uint16_t *word = (uint16_t *)pixels->data + (bytes ? 0 : i);
		float alpha = (float)(bytes ? byte[3 - i % 4] : word[3 - i % 4]) / most;
		if (i % 4 == 3 || alpha <= 0.0f || alpha >= 1.0f)
		{
			continue;
		}
		float code = (float)(bytes ? *byte : *word) / most;
		float value = pixels->srgb ? lrd_linear_to_srgb(fminf(lrd_srgb_to_linear(code) / alpha, 1.0f))
								   : fminf(code / alpha, 1.0f);
		uint32_t rounded = (uint32_t)(value * most + 0.5f);
		if (bytes)
		{
			*byte = (uint8_t)rounded;
		}
		else
		{
			*word = (uint16_t)rounded;
		}
	}
}

static void straighten(lrd_pixels *pixels)
{
	if (pixels->type != LRD_PIXELS_F32)
	{
		straighten_codes(pixels);
		return;
	}
	float *texel = pixels->data;
	size_t texels = (size_t)pixels->width * pixels->height;
	for (size_t i = 0; i < texels; ++i, texel += 4)
	{
		float scale = texel[3] > 0.0f && texel[3] < 1.0f ? 1.0f / texel[3] : 1.0f;
		texel[0] *= scale;
		texel[1] *= scale;
		texel[2] *= scale;
	}
}

/// What keys and the descriptor say of texels that are decoded.
static bool finish(const lrd_picture *self, const lrd_picture_decode_desc *desc, bool is_swizzled, lrd_pixels *pixels,
	lrd_error *error)
{
	const lrd_texture_view *view = &self->texture;
	size_t texels = (size_t)pixels->width * pixels->height;
	uint8_t from[4];
	swizzle_of(view, from);
	if (pixels->type == LRD_PIXELS_F32)
	{
		pixels->clamped = lrd_texels_settle(pixels->data, texels);
	}
	if (desc->apply_swizzle)
	{
		pixels->channels = swizzled_channels(pixels->channels, from);
	}
	if (desc->apply_swizzle && !is_swizzled && pixels->type == LRD_PIXELS_UNORM8)
	{
		swizzle_bytes(pixels->data, texels, from);
	}
	else if (desc->apply_swizzle && !is_swizzled)
	{
		swizzle_floats(pixels->data, texels, from);
	}
	if (pixels->type != self->info.type && !narrow(pixels, error))
	{
		return false;
	}
	if (self->info.premultiplied && !desc->keep_premultiplied)
	{
		straighten(pixels);
	}
	char orientation[4];
	lrd_texture_orientation(view, orientation);
	if (!desc->keep_orientation && orientation[1] == 'u')
	{
		flip_rows(pixels);
	}
	if (!desc->keep_orientation && orientation[0] == 'l')
	{
		mirror_rows(pixels);
	}
	lrd_pixels_look_for_alpha(pixels);
	return true;
}

bool lrd_picture_decode_texture(
	const lrd_picture *picture, const lrd_picture_decode_desc *desc, lrd_pixels *pixels, lrd_error *error)
{
	const lrd_texture_view *view = &picture->texture;
	if (!picture->info.decodable)
	{
		return fail_undecodable(view, &picture->info, error);
	}
	if (!check_size(picture, desc->level, error))
	{
		return false;
	}
	const lrd_texture_format_row *row = lrd_texture_format_find(view->format);
	bool is_astc = row->model == LRD_DFD_ASTC;
	lrd_texels texels = lrd_texture_decodes_to(view->format);
	bool floats = is_astc ? picture->info.type == LRD_PIXELS_F32 : texels == LRD_TEXELS_F32;
	pixels->type = floats ? LRD_PIXELS_F32 : LRD_PIXELS_UNORM8;
	pixels->width = lrd_texture_extent(picture->info.width, desc->level);
	pixels->height = lrd_texture_extent(picture->info.height, desc->level);
	pixels->size = (size_t)pixels->width * pixels->height * (floats ? 16 : 4);
	pixels->data = lrd_alloc(pixels->allocator, pixels->size);
	if (pixels->data == NULL)
	{
		return lrd_fail_memory(error, "pixels", pixels->size);
	}
	lrd_texture_decode_desc how = {
		.level = desc->level,
		.layer = desc->layer,
		.face = desc->face,
		.slice = desc->slice,
		.apply_swizzle = desc->apply_swizzle,
		.allocator = picture->allocator,
	};
	bool good = is_astc ? decode_astc(picture, desc, pixels, error)
						: lrd_texture_decode(view, &how, pixels->data, pixels->size, error);
	if (!good || !finish(picture, desc, !is_astc, pixels, error))
	{
		lrd_pixels_free(pixels);
		return false;
	}
	return true;
}
