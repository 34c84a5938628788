// Opening image files as pictures: what they are, what is in them, and which decoder an image goes to.

#include "import/picture.h"

#include "base/error.h"
#include "format/texture.h"

#include <stdio.h>

static_assert((int)LRD_PIXELS_UNORM8 == (int)LRD_PIXEL_UNORM8 && (int)LRD_PIXELS_UNORM16 == (int)LRD_PIXEL_UNORM16 &&
				  (int)LRD_PIXELS_F32 == (int)LRD_PIXEL_F32,
	"types of pixels are those of images");

static lrd_picture_container container_of_codec(lrd_image_codec codec)
{
	switch (codec)
	{
	case LRD_CODEC_PNG: return LRD_PICTURE_PNG;
	case LRD_CODEC_JPEG: return LRD_PICTURE_JPEG;
	case LRD_CODEC_WEBP: return LRD_PICTURE_WEBP;
	case LRD_CODEC_TGA: return LRD_PICTURE_TGA;
	case LRD_CODEC_BMP: return LRD_PICTURE_BMP;
	case LRD_CODEC_PSD: return LRD_PICTURE_PSD;
	case LRD_CODEC_HDR: return LRD_PICTURE_HDR;
	case LRD_CODEC_EXR: return LRD_PICTURE_EXR;
	case LRD_CODEC_DDS: return LRD_PICTURE_DDS;
	case LRD_CODEC_UNKNOWN: break;
	}
	return LRD_PICTURE_NONE;
}

lrd_picture_container lrd_picture_container_of(lrd_bytes bytes)
{
	if (bytes.size >= LRD_KTX_IDENTIFIER_SIZE && memcmp(bytes.data, lrd_ktx_identifier, LRD_KTX_IDENTIFIER_SIZE) == 0)
	{
		return LRD_PICTURE_KTX2;
	}
	return container_of_codec(lrd_image_codec_of(bytes.data, bytes.size));
}

const char *lrd_picture_container_name(lrd_picture_container container)
{
	static const char *const names[LRD_PICTURE_CONTAINER_COUNT] = { "none", "PNG", "JPEG", "WebP", "TGA", "BMP", "PSD",
		"HDR", "EXR", "DDS", "KTX2" };
	return (uint32_t)container < LRD_PICTURE_CONTAINER_COUNT ? names[container] : "none";
}

const char *lrd_picture_normals_name(lrd_picture_normals normals)
{
	static const char *const names[] = { "none", "rgb", "rg", "ra" };
	return (uint32_t)normals < sizeof names / sizeof *names ? names[normals] : "none";
}

// Files of one image.

static void name_layout(lrd_picture_info *info, uint32_t source_channels)
{
	static const char *const layouts[] = { "RGBA", "L", "LA", "RGB", "RGBA" };
	static const char *const types[] = { "8", "16", "32F" };
	snprintf(info->format, sizeof info->format, "%s%s", layouts[source_channels < 5 ? source_channels : 0],
		types[info->type]);
}

static bool open_image(lrd_picture *self, lrd_error *error)
{
	lrd_image_decode_desc desc = {
		.bytes = self->bytes, .max_side = self->max_side, .max_bytes = self->max_bytes, .allocator = self->allocator
	};
	if (!lrd_image_decode(&desc, &self->image, error))
	{
		return false;
	}
	const lrd_image *image = &self->image;
	lrd_picture_info *info = &self->info;
	info->width = image->width;
	info->height = image->height;
	info->type = (lrd_pixels_type)image->type;
	info->range = image->type == LRD_PIXEL_F32 ? LRD_PIXELS_OPEN : LRD_PIXELS_UNIT;
	info->srgb = !image->linear;
	info->channels = image->source_channels == 2 || image->source_channels == 4 ? LRD_CHANNELS_RGBA : LRD_CHANNELS_RGB;
	info->decodable = true;
	name_layout(info, image->source_channels);
	return true;
}

static bool decode_image(const lrd_picture *self, lrd_pixels *pixels, lrd_error *error)
{
	const lrd_image *image = &self->image;
	void *copy = lrd_alloc(self->allocator, image->size);
	if (copy == NULL)
	{
		return lrd_fail_memory(error, "pixels", image->size);
	}
	memcpy(copy, image->pixels, image->size);
	pixels->width = image->width;
	pixels->height = image->height;
	pixels->type = (lrd_pixels_type)image->type;
	pixels->has_alpha = image->has_alpha;
	pixels->clamped = image->clamped;
	pixels->data = copy;
	pixels->size = image->size;
	return true;
}

// DirectDraw surfaces.

static uint32_t dds_channels(const lrd_dds_format *format)
{
	uint32_t channels = 0;
	if (format->packing == LRD_DDS_MASKS)
	{
		for (uint32_t c = 0; c < 4; ++c)
		{
			channels |= format->masks[c] != 0 ? 1u << c : 0;
		}
		return format->luminance ? LRD_CHANNELS_RGB | (channels & LRD_CHANNEL_A) : channels;
	}
	if (format->luminance)
	{
		return format->channels == 2 ? LRD_CHANNELS_RGBA : LRD_CHANNELS_RGB;
	}
	channels = (1u << format->channels) - 1u;
	return format->opaque ? channels & LRD_CHANNELS_RGB : channels;
}

static bool open_dds(lrd_picture *self, lrd_error *error)
{
	if (!lrd_dds_open(self->bytes, &self->dds, error))
	{
		return lrd_fail_in(error, "DDS");
	}
	const lrd_dds *dds = &self->dds;
	const lrd_dds_format *format = &dds->format;
	bool is_signed = format->number == LRD_DDS_SNORM || format->signed_masks != 0;
	lrd_picture_info *info = &self->info;
	info->width = dds->width;
	info->height = dds->height;
	info->depth = dds->depth;
	info->layers = dds->layers;
	info->faces = dds->faces;
	info->levels = dds->levels;
	info->type = (lrd_pixels_type)lrd_dds_pixel_type(dds, false);
	info->range = is_signed ? LRD_PIXELS_SIGNED : info->type == LRD_PIXELS_F32 ? LRD_PIXELS_OPEN : LRD_PIXELS_UNIT;
	info->channels = dds_channels(format);
	info->srgb = format->srgb || (!dds->has_dx10 && info->range == LRD_PIXELS_UNIT);
	info->premultiplied = dds->premultiplied;
	info->decodable = true;
	snprintf(info->format, sizeof info->format, "%s", format->name);
	return true;
}

static bool decode_dds(
	const lrd_picture *self, const lrd_picture_decode_desc *desc, lrd_pixels *pixels, lrd_error *error)
{
	lrd_image image;
	lrd_dds_decode_desc how = {
		.level = desc->level,
		.layer = desc->layer,
		.face = self->dds.kind == LRD_DDS_VOLUME ? desc->slice : desc->face,
		.keep_premultiplied = desc->keep_premultiplied,
		.max_side = self->max_side,
		.max_bytes = self->max_bytes,
		.allocator = self->allocator,
	};
	if (!lrd_dds_decode(&self->dds, &how, &image, error))
	{
		return lrd_fail_in(error, "DDS");
	}
	pixels->width = image.width;
	pixels->height = image.height;
	pixels->type = (lrd_pixels_type)image.type;
	pixels->has_alpha = image.has_alpha;
	pixels->clamped = image.clamped;
	pixels->data = image.pixels;
	pixels->size = image.size;
	return true;
}

// All.

static bool open_any(lrd_picture *self, lrd_error *error)
{
	switch (self->info.container)
	{
	case LRD_PICTURE_KTX2: return lrd_picture_open_texture(self, error);
	case LRD_PICTURE_DDS: return open_dds(self, error);
	default: return open_image(self, error); // which also says what is wrong with what is no image
	}
}

lrd_picture *lrd_picture_open(const lrd_picture_desc *desc, lrd_error *error)
{
	lrd_allocator allocator = lrd_allocator_or_default(desc->allocator);
	lrd_picture *self = lrd_alloc_zeroed(allocator, 1, sizeof *self);
	if (self == NULL)
	{
		lrd_fail_memory(error, "picture", sizeof *self);
		return NULL;
	}
	self->bytes = desc->bytes;
	self->allocator = allocator;
	self->max_side = desc->max_side != 0 ? desc->max_side : LRD_IMAGE_MAX_SIDE;
	self->max_bytes = desc->max_bytes != 0 ? desc->max_bytes : LRD_IMAGE_MAX_BYTES;
	self->info = (lrd_picture_info){
		.container = lrd_picture_container_of(desc->bytes), .depth = 1, .layers = 1, .faces = 1, .levels = 1
	};
	if (!open_any(self, error))
	{
		lrd_picture_close(self);
		return NULL;
	}
	return self;
}

void lrd_picture_close(lrd_picture *picture)
{
	if (picture == NULL)
	{
		return;
	}
	lrd_free(picture->allocator, picture->aligned, picture->bytes.size);
	lrd_image_free(&picture->image);
	lrd_free(picture->allocator, picture, sizeof *picture);
}

const lrd_picture_info *lrd_picture_get_info(const lrd_picture *picture)
{
	return &picture->info;
}

static bool check_place(const lrd_picture_info *info, const lrd_picture_decode_desc *desc, lrd_error *error)
{
	uint32_t slices = lrd_texture_extent(info->depth, desc->level);
	const struct
	{
		const char *what;
		uint32_t asked, there;
	} rows[] = {
		{ "level", desc->level, info->levels },
		{ "layer", desc->layer, info->layers },
		{ "face", desc->face, info->faces },
		{ "slice", desc->slice, slices },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		if (rows[i].asked >= rows[i].there)
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT, "%s %u of a picture that has %u, counted from 0", rows[i].what,
				rows[i].asked, rows[i].there);
		}
	}
	return true;
}

/// How normals are stored that are to be rebuilt; LRD_NORMALS_NONE where there is nothing to do.
static lrd_picture_normals two_channel_normals(const lrd_picture_info *info)
{
	if (info->normals != LRD_NORMALS_NONE || info->holds.size != 0)
	{
		return info->normals == LRD_NORMALS_RGB ? LRD_NORMALS_NONE : info->normals;
	}
	return info->channels == (LRD_CHANNEL_R | LRD_CHANNEL_G) ? LRD_NORMALS_RG : LRD_NORMALS_NONE;
}

bool lrd_picture_decode(
	const lrd_picture *picture, const lrd_picture_decode_desc *desc, lrd_pixels *pixels, lrd_error *error)
{
	const lrd_picture_info *info = &picture->info;
	if (!check_place(info, desc, error))
	{
		return false;
	}
	lrd_picture_normals stored = desc->rebuild_normals ? two_channel_normals(info) : LRD_NORMALS_NONE;
	lrd_picture_decode_desc how = *desc;
	how.apply_swizzle = desc->apply_swizzle && stored == LRD_NORMALS_NONE;
	lrd_pixels result = {
		.range = info->range, .channels = info->channels, .srgb = info->srgb, .allocator = picture->allocator
	};
	bool good;
	switch (info->container)
	{
	case LRD_PICTURE_KTX2: good = lrd_picture_decode_texture(picture, &how, &result, error); break;
	case LRD_PICTURE_DDS: good = decode_dds(picture, &how, &result, error); break;
	default: good = decode_image(picture, &result, error); break;
	}
	if (good && stored != LRD_NORMALS_NONE && !lrd_pixels_rebuild_normals(&result, stored, error))
	{
		lrd_pixels_free(&result);
		good = false;
	}
	if (good)
	{
		*pixels = result;
	}
	return good;
}
