// WebP through libwebp: lossy, lossless, with alpha. Animations are refused: which frame is the texture is not ours to
// guess.

#include "base/error.h"
#include "image/codec.h"

#include <webp/decode.h>

static bool fail_webp(VP8StatusCode status, lrd_error *error)
{
	switch (status)
	{
	case VP8_STATUS_OUT_OF_MEMORY: return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: decoder");
	case VP8_STATUS_NOT_ENOUGH_DATA:
	case VP8_STATUS_SUSPENDED: return lrd_fail(error, LRD_ERROR_FORMAT, "truncated");
	case VP8_STATUS_UNSUPPORTED_FEATURE:
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "a feature libwebp does not read");
	default: return lrd_fail(error, LRD_ERROR_FORMAT, "damaged bit stream");
	}
}

static bool measure_webp(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	WebPBitstreamFeatures features;
	VP8StatusCode status = WebPGetFeatures(bytes.data, bytes.size, &features);
	if (status != VP8_STATUS_OK)
	{
		return fail_webp(status, error);
	}
	if (features.has_animation)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "animated; export the frame that is meant");
	}
	// A flat picture of any size takes a few dozen bytes, so least_size stays unknown: the limits alone bound the
	// memory.
	layout->width = (uint32_t)features.width;
	layout->height = (uint32_t)features.height;
	layout->source_channels = features.has_alpha ? 4 : 3;
	return true;
}

static bool decode_webp(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	(void)allocator; // libwebp has no hooks
	WebPDecoderConfig config;
	if (!WebPInitDecoderConfig(&config))
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "the libwebp at hand is not the one larder was built for");
	}
	config.output.colorspace = MODE_RGBA;
	config.output.is_external_memory = 1;
	config.output.u.RGBA.rgba = pixels;
	config.output.u.RGBA.stride = (int)layout->width * 4;
	config.output.u.RGBA.size = (size_t)layout->width * layout->height * 4;
	VP8StatusCode status = WebPDecode(bytes.data, bytes.size, &config);
	WebPFreeDecBuffer(&config.output);
	return status == VP8_STATUS_OK || fail_webp(status, error);
}

const lrd_image_decoder lrd_webp_decoder = { measure_webp, decode_webp };
