// Decoding: recognise, measure, hold the declared size to the limits, and only then allocate and decode. The codecs are
// in decode_*.c.

#include "base/error.h"
#include "image/codec.h"

static const lrd_image_decoder *decoder_of(lrd_image_codec codec)
{
	switch (codec)
	{
	case LRD_CODEC_PNG: return &lrd_png_decoder;
	case LRD_CODEC_JPEG: return &lrd_jpeg_decoder;
	case LRD_CODEC_WEBP: return &lrd_webp_decoder;
	case LRD_CODEC_TGA: return &lrd_tga_decoder;
	case LRD_CODEC_BMP: return &lrd_bmp_decoder;
	case LRD_CODEC_PSD: return &lrd_psd_decoder;
	case LRD_CODEC_HDR: return &lrd_hdr_decoder;
	case LRD_CODEC_EXR: return &lrd_exr_decoder;
	case LRD_CODEC_DDS: return &lrd_dds_decoder;
	case LRD_CODEC_UNKNOWN: break;
	}
	return NULL;
}

size_t lrd_pixel_size(lrd_pixel_type type)
{
	return type == LRD_PIXEL_UNORM8 ? 4 : type == LRD_PIXEL_UNORM16 ? 8 : 16;
}

static bool fail_unknown(lrd_bytes bytes, lrd_error *error)
{
	char beginning[3 * 8 + 1] = "";
	static const char digits[] = "0123456789abcdef";
	size_t shown = bytes.size < 8 ? bytes.size : 8;
	for (size_t i = 0; i < shown; i++)
	{
		uint8_t byte = ((const uint8_t *)bytes.data)[i];
		beginning[3 * i] = ' ';
		beginning[3 * i + 1] = digits[byte >> 4];
		beginning[3 * i + 2] = digits[byte & 15];
		beginning[3 * i + 3] = 0;
	}
	return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
		"not an image larder reads: %zu bytes that begin with%s; expected PNG, JPEG, WebP, TGA, BMP, PSD, HDR, EXR, "
		"DDS or KTX 2.0",
		bytes.size, shown != 0 ? beginning : " nothing");
}

bool lrd_image_check_layout(const lrd_image_decode_desc *desc, const lrd_image_layout *layout, lrd_error *error)
{
	uint32_t max_side = desc->max_side != 0 ? desc->max_side : LRD_IMAGE_MAX_SIDE;
	uint64_t max_bytes = desc->max_bytes != 0 ? desc->max_bytes : LRD_IMAGE_MAX_BYTES;
	if (layout->width == 0 || layout->height == 0)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "the header says %u x %u texels; expected at least 1 x 1",
			layout->width, layout->height);
	}
	if (layout->width > max_side || layout->height > max_side)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "the header says %u x %u texels; a side may have at most %u",
			layout->width, layout->height, max_side);
	}
	// Two 32-bit sides can't overflow 64 bits; their bytes can.
	uint64_t texels = (uint64_t)layout->width * layout->height;
	if (texels > max_bytes / lrd_pixel_size(layout->type) || texels > SIZE_MAX / lrd_pixel_size(layout->type))
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"%u x %u texels take %zu bytes each when decoded; at most %llu bytes in all are taken", layout->width,
			layout->height, lrd_pixel_size(layout->type), (unsigned long long)max_bytes);
	}
	// So that a small file can't ask for memory that it could never fill.
	if (desc->bytes.size < layout->least_size)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "truncated: %zu bytes; %u x %u texels take at least %llu",
			desc->bytes.size, layout->width, layout->height, (unsigned long long)layout->least_size);
	}
	return true;
}

static bool measure(
	const lrd_image_decode_desc *desc, lrd_image_layout *layout, lrd_image_codec *codec, lrd_error *error)
{
	*codec = lrd_image_codec_of(desc->bytes.data, desc->bytes.size);
	const lrd_image_decoder *decoder = decoder_of(*codec);
	if (decoder == NULL)
	{
		return fail_unknown(desc->bytes, error);
	}
	*layout = (lrd_image_layout){
		.orientation = 1,
		.ignore_gamma = desc->ignore_gamma,
		.allocator = lrd_allocator_or_default(desc->allocator),
		.max_bytes = desc->max_bytes != 0 ? desc->max_bytes : LRD_IMAGE_MAX_BYTES,
	};
	if (!decoder->measure(desc->bytes, layout, error) || !lrd_image_check_layout(desc, layout, error))
	{
		return lrd_fail_in(error, "%s", lrd_image_codec_name(*codec));
	}
	return true;
}

bool lrd_image_measure(const lrd_image_decode_desc *desc, uint32_t *width, uint32_t *height, lrd_error *error)
{
	lrd_image_layout layout;
	lrd_image_codec codec;
	if (!measure(desc, &layout, &codec, error))
	{
		return false;
	}
	bool swapped = lrd_orientation_swaps_sides(layout.orientation);
	*width = swapped ? layout.height : layout.width;
	*height = swapped ? layout.width : layout.height;
	return true;
}

// Whole texels are looked at, the alpha of the outcome counts: that is what vectors do well.
static bool has_alpha_8(const uint32_t *texels, size_t count)
{
	uint32_t all = UINT32_MAX;
	for (size_t i = 0; i < count; i++)
	{
		all &= texels[i];
	}
	return all >> 24 != 0xff;
}

static bool has_alpha_16(const uint64_t *texels, size_t count)
{
	uint64_t all = UINT64_MAX;
	for (size_t i = 0; i < count; i++)
	{
		all &= texels[i];
	}
	return all >> 48 != 0xffff;
}

bool lrd_floats_have_alpha(const float *rgba, size_t texels)
{
	float least[4] = { 1.0f, 1.0f, 1.0f, 1.0f };
	for (size_t i = 0; i < texels; i++)
	{
		for (size_t c = 0; c < 4; c++)
		{
			least[c] = rgba[4 * i + c] < least[c] ? rgba[4 * i + c] : least[c];
		}
	}
	return least[3] < 1.0f;
}

bool lrd_image_has_alpha(const lrd_image *image)
{
	size_t count = image->size / lrd_pixel_size(image->type);
	switch (image->type)
	{
	case LRD_PIXEL_UNORM8: return has_alpha_8(image->pixels, count);
	case LRD_PIXEL_UNORM16: return has_alpha_16(image->pixels, count);
	default: return lrd_floats_have_alpha(image->pixels, count);
	}
}

static bool turn(lrd_image *image, uint32_t orientation, lrd_error *error)
{
	if (orientation == 1)
	{
		return true;
	}
	void *turned = lrd_alloc(image->allocator, image->size);
	if (turned == NULL)
	{
		return lrd_fail_memory(error, "turned pixels", image->size);
	}
	lrd_orientation_apply(orientation, image->width, image->height, lrd_pixel_size(image->type), image->pixels, turned);
	lrd_free(image->allocator, image->pixels, image->size);
	image->pixels = turned;
	if (lrd_orientation_swaps_sides(orientation))
	{
		uint32_t width = image->width;
		image->width = image->height;
		image->height = width;
	}
	return true;
}

bool lrd_image_decode(const lrd_image_decode_desc *desc, lrd_image *image, lrd_error *error)
{
	lrd_image_layout layout;
	lrd_image_codec codec;
	if (!measure(desc, &layout, &codec, error))
	{
		return false;
	}
	lrd_image result = {
		.width = layout.width,
		.height = layout.height,
		.type = layout.type,
		.size = (size_t)layout.width * layout.height * lrd_pixel_size(layout.type),
		.allocator = lrd_allocator_or_default(desc->allocator),
	};
	result.pixels = lrd_alloc(result.allocator, result.size);
	if (result.pixels == NULL)
	{
		lrd_fail_memory(error, "pixels", result.size);
		return lrd_fail_in(error, "%s", lrd_image_codec_name(codec));
	}
	if (!decoder_of(codec)->decode(desc->bytes, result.allocator, &layout, result.pixels, error) ||
		!turn(&result, layout.orientation, error))
	{
		lrd_image_free(&result);
		return lrd_fail_in(error, "%s", lrd_image_codec_name(codec));
	}
	result.source_channels = layout.source_channels;
	result.linear = layout.linear;
	result.clamped = layout.clamped;
	if (result.type == LRD_PIXEL_F32 && !layout.settled)
	{
		result.clamped += lrd_texels_settle(result.pixels, (size_t)result.width * result.height);
	}
	result.has_alpha = layout.alpha_known ? layout.has_alpha : lrd_image_has_alpha(&result);
	*image = result;
	return true;
}

void lrd_image_free(lrd_image *image)
{
	lrd_free(image->allocator, image->pixels, image->size);
	image->pixels = NULL;
	image->size = 0;
}
