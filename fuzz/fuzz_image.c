// Any bytes as an image file: measured and decoded within limits, and small pictures made into mips. Mutated PNG files
// get their checksums mended, or nothing behind the checksums would ever be reached.

#include "image/image.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

static uint32_t crc_of(const uint8_t *data, size_t size)
{
	uint32_t crc = 0xffffffffu;
	for (size_t i = 0; i < size; i++)
	{
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
		{
			crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
		}
	}
	return ~crc;
}

static void mend_png(uint8_t *data, size_t size)
{
	size_t at = 8;
	while (size - at >= 12)
	{
		size_t length = (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 | (size_t)data[at + 2] << 8 | data[at + 3];
		if (length > size - at - 12)
		{
			return;
		}
		uint32_t crc = crc_of(data + at + 4, length + 4);
		at += 8 + length;
		for (int byte = 0; byte < 4; byte++)
		{
			data[at++] = (uint8_t)(crc >> (24 - 8 * byte));
		}
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned int seed)
{
	size = LLVMFuzzerMutate(data, size, capacity);
	if (seed % 8 != 0 && lrd_image_codec_of(data, size) == LRD_CODEC_PNG)
	{
		mend_png(data, size);
	}
	return size;
}

static void check(bool holds)
{
	if (!holds)
	{
		abort();
	}
}

// Reads every texel, so that memory which no decoder wrote shows up where the sanitizer can tell.
static uint32_t sum_of(const lrd_image *image)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < image->size; i++)
	{
		sum += ((const uint8_t *)image->pixels)[i];
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lrd_image_decode_desc desc = { .bytes = { data, size }, .max_side = 4096, .max_bytes = 64u << 20 };
	lrd_error error = { 0 };
	uint32_t width = 0, height = 0;
	bool measured = lrd_image_measure(&desc, &width, &height, &error);
	check(measured || error.message[0] != 0);
	lrd_image image;
	if (!lrd_image_decode(&desc, &image, &error))
	{
		check(error.code != LRD_OK && error.message[0] != 0);
		return 0;
	}
	check(measured && image.width == width && image.height == height);
	check(image.source_channels >= 1 && image.source_channels <= 4);
	volatile uint32_t sum = sum_of(&image);
	(void)sum;
	if (image.size <= 64u << 10)
	{
		lrd_mips_desc chain = { .image = &image,
			.content = (lrd_mip_content)(size % 3),
			.alpha_weighted = size % 2 != 0,
			.alpha_coverage = 0.5f };
		lrd_mips mips;
		check(lrd_mips_make(&chain, &mips, &error));
		lrd_mips_free(&mips);
	}
	lrd_image_free(&image);
	return 0;
}
