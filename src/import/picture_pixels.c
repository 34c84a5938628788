// Decoded pixels: showing them, saving them as PNG and EXR, and making whole normals of two channels.

#include "import/picture.h"

#include "base/error.h"
#include "image/half.h"
#include "image/srgb.h"

#include <math.h>

void lrd_pixels_free(lrd_pixels *pixels)
{
	lrd_free(pixels->allocator, pixels->data, pixels->size);
	pixels->data = NULL;
	pixels->size = 0;
}

lrd_image lrd_pixels_as_image(const lrd_pixels *pixels)
{
	return (lrd_image){
		.width = pixels->width,
		.height = pixels->height,
		.type = (lrd_pixel_type)pixels->type,
		.linear = !pixels->srgb,
		.has_alpha = pixels->has_alpha,
		.source_channels = 4,
		.pixels = pixels->data,
		.size = pixels->size,
		.allocator = pixels->allocator,
	};
}

void lrd_pixels_look_for_alpha(lrd_pixels *pixels)
{
	lrd_image image = lrd_pixels_as_image(pixels);
	pixels->has_alpha = lrd_image_has_alpha(&image);
}

// Normals.

static void rebuild_floats(float *texels, size_t count, size_t second)
{
	for (float *texel = texels; texel < texels + 4 * count; texel += 4)
	{
		float x = texel[0];
		float y = texel[second];
		float left = 1.0f - x * x - y * y;
		texel[1] = y;
		texel[2] = left > 0.0f ? sqrtf(left) : 0.0f;
		texel[3] = 1.0f;
	}
}

static void rebuild_codes(const uint16_t *from, size_t count, size_t second, uint16_t *to)
{
	for (size_t i = 0; i < 4 * count; i += 4)
	{
		uint16_t codes[2] = { from[i], from[i + second] };
		float x = (float)codes[0] * (2.0f / 65535.0f) - 1.0f;
		float y = (float)codes[1] * (2.0f / 65535.0f) - 1.0f;
		float left = 1.0f - x * x - y * y;
		float z = left > 0.0f ? sqrtf(left) : 0.0f;
		to[i] = codes[0];
		to[i + 1] = codes[1];
		to[i + 2] = (uint16_t)((z + 1.0f) * 32767.5f + 0.5f);
		to[i + 3] = 65535;
	}
}

/// 8 bits become 16: 255 * 257 is 65535.
static bool widen(lrd_pixels *pixels, lrd_error *error)
{
	uint8_t *wide = lrd_alloc(pixels->allocator, 2 * pixels->size);
	if (wide == NULL)
	{
		return lrd_fail_memory(error, "pixels", 2 * pixels->size);
	}
	for (size_t i = 0; i < pixels->size; ++i)
	{
		uint16_t code = (uint16_t)(((const uint8_t *)pixels->data)[i] * 257u);
		memcpy(wide + 2 * i, &code, sizeof code);
	}
	lrd_free(pixels->allocator, pixels->data, pixels->size);
	pixels->data = wide;
	pixels->size *= 2;
	pixels->type = LRD_PIXELS_UNORM16;
	return true;
}

bool lrd_pixels_rebuild_normals(lrd_pixels *pixels, lrd_picture_normals stored, lrd_error *error)
{
	size_t second = stored == LRD_NORMALS_RA ? 3 : 1;
	size_t texels = (size_t)pixels->width * pixels->height;
	if (pixels->type == LRD_PIXELS_UNORM8 && !widen(pixels, error))
	{
		return false;
	}
	if (pixels->type == LRD_PIXELS_F32)
	{
		rebuild_floats(pixels->data, texels, second);
	}
	else
	{
		rebuild_codes(pixels->data, texels, second, pixels->data);
	}
	pixels->channels = LRD_CHANNELS_RGB;
	pixels->has_alpha = false;
	return true;
}

// Showing.

static bool is_single(uint32_t channels)
{
	uint32_t colours = channels & LRD_CHANNELS_RGB;
	return colours != 0 && (colours & (colours - 1)) == 0;
}

static float clamp_unit(float value)
{
	return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

static void show_floats(const lrd_pixels *pixels, size_t texels, uint8_t *rgba)
{
	const float *from = pixels->data;
	bool is_signed = pixels->range == LRD_PIXELS_SIGNED;
	lrd_srgb_tables tables;
	lrd_srgb_tables_fill(&tables);
	for (size_t i = 0; i < 4 * texels; ++i)
	{
		bool is_there = i % 4 == 3 || (pixels->channels >> i % 4 & 1) != 0;
		float value = is_there ? from[i] : 0.0f;
		if (pixels->range == LRD_PIXELS_OPEN && i % 4 != 3)
		{
			rgba[i] = lrd_srgb_encode(&tables, value > 0.0f ? value / (1.0f + value) : 0.0f);
			continue;
		}
		bool is_shifted = is_signed && is_there && (i % 4 != 3 || (pixels->channels & LRD_CHANNEL_A) != 0);
		rgba[i] = (uint8_t)(clamp_unit(is_shifted ? (value + 1.0f) * 0.5f : value) * 255.0f + 0.5f);
	}
}

void lrd_pixels_show(const lrd_pixels *pixels, uint8_t *rgba)
{
	size_t texels = (size_t)pixels->width * pixels->height;
	switch (pixels->type)
	{
	case LRD_PIXELS_UNORM8: memcpy(rgba, pixels->data, 4 * texels); break;
	case LRD_PIXELS_UNORM16:
		for (size_t i = 0; i < 4 * texels; ++i)
		{
			rgba[i] = (uint8_t)((((const uint16_t *)pixels->data)[i] + 128u) / 257u);
		}
		break;
	case LRD_PIXELS_F32: show_floats(pixels, texels, rgba); break;
	}
	uint32_t channels = pixels->channels;
	size_t only = (channels & LRD_CHANNEL_R) != 0 ? 0 : (channels & LRD_CHANNEL_G) != 0 ? 1 : 2;
	for (size_t i = 0; is_single(channels) && i < 4 * texels; i += 4)
	{
		uint8_t grey = rgba[i + only];
		rgba[i] = grey;
		rgba[i + 1] = grey;
		rgba[i + 2] = grey;
	}
}

// Saving.

static bool check_size(const lrd_pixels *pixels, const char *what, lrd_error *error)
{
	if (pixels->width == 0 || pixels->height == 0 || pixels->width > LRD_IMAGE_MAX_SIDE ||
		pixels->height > LRD_IMAGE_MAX_SIDE)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%s: %u x %u texels to write; expected sides of 1 to %u", what,
			pixels->width, pixels->height, LRD_IMAGE_MAX_SIDE);
	}
	return true;
}

static bool write_png16(const lrd_pixels *pixels, lrd_buffer *out, lrd_error *error)
{
	size_t texels = (size_t)pixels->width * pixels->height;
	if (!is_single(pixels->channels))
	{
		return lrd_image_write_png16(pixels->width, pixels->height, pixels->data, out, error);
	}
	size_t only = (pixels->channels & LRD_CHANNEL_R) != 0 ? 0 : (pixels->channels & LRD_CHANNEL_G) != 0 ? 1 : 2;
	const uint16_t *from = pixels->data;
	uint16_t *grey = lrd_alloc(out->allocator, 8 * texels);
	if (grey == NULL)
	{
		return lrd_fail_memory(error, "pixels", 8 * texels);
	}
	for (size_t i = 0; i < 4 * texels; ++i)
	{
		grey[i] = from[i % 4 == 3 ? i : i - i % 4 + only];
	}
	bool good = lrd_image_write_png16(pixels->width, pixels->height, grey, out, error);
	lrd_free(out->allocator, grey, 8 * texels);
	return good;
}

bool lrd_pixels_write_png(const lrd_pixels *pixels, lrd_buffer *out, lrd_error *error)
{
	out->size = 0;
	if (!check_size(pixels, "PNG", error))
	{
		return false;
	}
	if (pixels->type == LRD_PIXELS_UNORM16)
	{
		return write_png16(pixels, out, error);
	}
	if (pixels->type == LRD_PIXELS_UNORM8 && !is_single(pixels->channels))
	{
		return lrd_image_write_png(pixels->width, pixels->height, pixels->data, out, error);
	}
	size_t size = (size_t)pixels->width * pixels->height * 4;
	uint8_t *shown = lrd_alloc(out->allocator, size);
	if (shown == NULL)
	{
		return lrd_fail_memory(error, "pixels", size);
	}
	lrd_pixels_show(pixels, shown);
	bool good = lrd_image_write_png(pixels->width, pixels->height, shown, out, error);
	lrd_free(out->allocator, shown, size);
	return good;
}

static void to_light(const lrd_pixels *pixels, size_t texels, float *to)
{
	float codes[256];
	for (uint32_t i = 0; i < 256; ++i)
	{
		codes[i] = pixels->srgb ? lrd_srgb_to_linear((float)i / 255.0f) : (float)i / 255.0f;
	}
	for (size_t i = 0; i < 4 * texels; ++i)
	{
		switch (pixels->type)
		{
		case LRD_PIXELS_UNORM8:
		{
			uint8_t code = ((const uint8_t *)pixels->data)[i];
			to[i] = i % 4 == 3 ? (float)code / 255.0f : codes[code];
			break;
		}
		case LRD_PIXELS_UNORM16:
		{
			float value = (float)((const uint16_t *)pixels->data)[i] / 65535.0f;
			to[i] = pixels->srgb && i % 4 != 3 ? lrd_srgb_to_linear(value) : value;
			break;
		}
		case LRD_PIXELS_F32: to[i] = ((const float *)pixels->data)[i]; break;
		}
	}
}

/// Alpha is not looked at where it is not written.
static bool fits_half(const float *rgba, size_t texels, bool has_alpha)
{
	for (size_t i = 0; i < 4 * texels; ++i)
	{
		bool is_written = i % 4 != 3 || has_alpha;
		if (is_written && lrd_float_from_half(lrd_half_from_float(rgba[i])) != rgba[i])
		{
			return false;
		}
	}
	return true;
}

bool lrd_pixels_write_exr(const lrd_pixels *pixels, lrd_buffer *out, lrd_error *error)
{
	out->size = 0;
	if (!check_size(pixels, "EXR", error))
	{
		return false;
	}
	size_t texels = (size_t)pixels->width * pixels->height;
	size_t size = texels * 4 * sizeof(float);
	float *rgba = lrd_alloc(out->allocator, size);
	if (rgba == NULL)
	{
		return lrd_fail_memory(error, "pixels", size);
	}
	to_light(pixels, texels, rgba);
	bool single = is_single(pixels->channels) && !pixels->has_alpha;
	size_t only = (pixels->channels & LRD_CHANNEL_R) != 0 ? 0 : (pixels->channels & LRD_CHANNEL_G) != 0 ? 1 : 2;
	for (size_t i = 0; is_single(pixels->channels) && i < 4 * texels; i += 4)
	{
		float grey = rgba[i + only];
		rgba[i] = grey;
		rgba[i + 1] = grey;
		rgba[i + 2] = grey;
	}
	lrd_exr_write_desc desc = {
		.width = pixels->width,
		.height = pixels->height,
		.channels = single              ? 1
					: pixels->has_alpha ? 4
										: 3,
		.half_float = fits_half(rgba, texels, pixels->has_alpha),
		.rgba = rgba,
	};
	bool good = lrd_image_write_exr(&desc, out, error);
	lrd_free(out->allocator, rgba, size);
	return good;
}
