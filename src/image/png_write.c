// Writing PNG through libspng, row bytes as given.

#include "base/error.h"
#include "image/codec.h"

#include <spng.h>

// The library forgets why writing failed.
typedef struct sink
{
	lrd_buffer *out;
	bool failed;
} sink;

static int append(spng_ctx *context, void *user, void *bytes, size_t size)
{
	(void)context;
	sink *to = user;
	to->failed = to->failed || !lrd_buffer_append(to->out, bytes, size);
	return to->failed ? SPNG_IO_ERROR : SPNG_OK;
}

static int encode(spng_ctx *context, uint32_t width, uint32_t height, uint8_t bits, const void *rgba, sink *to)
{
	struct spng_ihdr header = {
		.width = width, .height = height, .bit_depth = bits, .color_type = SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
	};
	size_t size = (size_t)width * height * 4 * (bits / 8);
	int code = spng_set_png_stream(context, append, to);
	code = code != 0 ? code : spng_set_ihdr(context, &header);
	// 16-bit samples are taken in the machine's byte order.
	return code != 0 ? code : spng_encode_image(context, rgba, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
}

static bool write_png(
	uint32_t width, uint32_t height, uint8_t bits, const void *rgba, lrd_buffer *out, lrd_error *error)
{
	if (width == 0 || height == 0 || width > LRD_IMAGE_MAX_SIDE || height > LRD_IMAGE_MAX_SIDE)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "PNG: %u x %u texels to write; expected sides of 1 to %u", width,
			height, LRD_IMAGE_MAX_SIDE);
	}
	sink to = { .out = out };
	size_t written = out->size;
	struct spng_alloc hooks = { lrd_codec_malloc, lrd_codec_realloc, lrd_codec_calloc, lrd_codec_free };
	lrd_codec_memory memory;
	lrd_codec_memory_enter(&memory, lrd_allocator_or_default(out->allocator));
	spng_ctx *context = spng_ctx_new2(&hooks, SPNG_CTX_ENCODER);
	int code = context != NULL ? encode(context, width, height, bits, rgba, &to) : SPNG_EMEM;
	spng_ctx_free(context);
	lrd_codec_memory_leave(&memory);
	if (code == SPNG_OK)
	{
		return true;
	}
	out->size = written;
	if (memory.failed || to.failed || code == SPNG_EMEM)
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: PNG of %u x %u texels", width, height);
	}
	return lrd_fail(error, LRD_ERROR_FORMAT, "PNG: %s", spng_strerror(code));
}

bool lrd_image_write_png(uint32_t width, uint32_t height, const uint8_t *rgba, lrd_buffer *out, lrd_error *error)
{
	return write_png(width, height, 8, rgba, out, error);
}

bool lrd_image_write_png16(uint32_t width, uint32_t height, const uint16_t *rgba, lrd_buffer *out, lrd_error *error)
{
	return write_png(width, height, 16, rgba, out, error);
}
