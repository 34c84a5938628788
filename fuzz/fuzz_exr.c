// Any bytes as an EXR file: decoded within limits, and what decodes is written, read back and the same.

#include "image/image.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
	{
		abort();
	}
}

static void write_and_read(const lrd_image *image)
{
	lrd_exr_write_desc desc = { .width = image->width, .height = image->height, .channels = 3, .rgba = image->pixels };
	lrd_buffer out = { 0 };
	check(lrd_image_write_exr(&desc, &out, NULL));
	lrd_image again;
	check(lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { out.data, out.size } }, &again, NULL));
	check(again.size == image->size);
	for (size_t i = 0; i < image->size / 16; i++)
	{
		check(memcmp((const uint8_t *)again.pixels + 16 * i, (const uint8_t *)image->pixels + 16 * i, 12) == 0);
	}
	lrd_image_free(&again);
	lrd_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lrd_image_decode_desc desc = {
		.bytes = { data, size }, .max_side = 2048, .max_bytes = 16u << 20, .ignore_gamma = size % 2 != 0
	};
	lrd_error error = { 0 };
	lrd_image image;
	if (lrd_image_codec_of(data, size) != LRD_CODEC_EXR)
	{
		return 0;
	}
	if (!lrd_image_decode(&desc, &image, &error))
	{
		check(error.code != LRD_OK && error.message[0] != 0);
		return 0;
	}
	const float *values = image.pixels;
	for (size_t i = 0; i < image.size / sizeof *values; i++)
	{
		check(values[i] - values[i] == 0.0f); // finite
	}
	if (image.size <= 64u << 10)
	{
		write_and_read(&image);
	}
	lrd_image_free(&image);
	return 0;
}
