// Any bytes as DirectDraw surfaces: what opens has all its surfaces within its bytes, and each of them decodes.

#include "image/dds.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
	{
		abort();
	}
}

static void decode_surface(const lrd_dds *info, lrd_dds_decode_desc desc)
{
	lrd_error error = { 0 };
	lrd_image image;
	desc.max_side = 4096;
	desc.max_bytes = 16u << 20;
	if (!lrd_dds_decode(info, &desc, &image, &error))
	{
		check(error.code == LRD_ERROR_LIMIT && error.message[0] != 0);
		return;
	}
	check(image.width == lrd_dds_side(info->width, desc.level));
	check(image.height == lrd_dds_side(info->height, desc.level));
	check(image.type == lrd_dds_pixel_type(info, desc.shift_signed));
	const float *floats = image.pixels;
	for (size_t i = 0; image.type == LRD_PIXEL_F32 && i < image.size / sizeof *floats; i++)
	{
		check(floats[i] - floats[i] == 0.0f); // finite
	}
	lrd_image_free(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lrd_error error = { 0 };
	lrd_dds info;
	if (!lrd_dds_open((lrd_bytes){ data, size }, &info, &error))
	{
		check(error.code != LRD_OK && error.message[0] != 0);
		lrd_image image;
		check(!lrd_image_decode(
				  &(lrd_image_decode_desc){ .bytes = { data, size }, .max_bytes = 16u << 20 }, &image, NULL) ||
			  (lrd_image_free(&image), lrd_image_codec_of(data, size) != LRD_CODEC_DDS));
		return 0;
	}
	check(info.size <= size - info.header_size);
	uint32_t left = 64; // surfaces: small files can hold many, and time is short
	for (uint32_t layer = 0; layer < info.layers && left != 0; layer++)
	{
		for (uint32_t level = 0; level < info.levels && left != 0; level++)
		{
			uint32_t faces = info.kind == LRD_DDS_VOLUME ? lrd_dds_side(info.depth, level) : info.faces;
			for (uint32_t face = 0; face < faces && left != 0; face++, left--)
			{
				lrd_bytes stored = lrd_dds_surface(&info, level, layer, info.kind == LRD_DDS_VOLUME ? 0 : face);
				const uint8_t *begin = stored.data;
				check(begin >= data + info.header_size && stored.size <= (size_t)(data + size - begin));
				decode_surface(&info, (lrd_dds_decode_desc){ .level = level,
										  .layer = layer,
										  .face = face,
										  .shift_signed = left % 2 != 0,
										  .keep_premultiplied = left % 3 == 0 });
			}
		}
	}
	return 0;
}
