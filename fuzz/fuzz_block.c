// Any 16 bytes as a block of every format, in memory of just the block's size: nothing else may be read, every texel is
// written, and what comes is a number. ASTC, which astc-encoder decodes, by a footprint and profile that the first byte
// says.

#include "block/astc.h"
#include "block/block.h"

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

static void decode(lrd_block_format format, const uint8_t *data)
{
	size_t bytes = lrd_block_bytes(format);
	uint8_t *block = malloc(bytes);
	float *floats = malloc(64 * sizeof *floats);
	uint16_t *halves = malloc(64 * sizeof *halves);
	uint8_t *texels = malloc(64);
	check(block != NULL && floats != NULL && halves != NULL && texels != NULL);
	memcpy(block, data, bytes);
	memset(floats, 0xff, 64 * sizeof *floats); // NaN
	lrd_block_decode_f32(format, block, floats);
	lrd_block_decode_half(format, block, halves);
	lrd_block_decode_unorm8(format, block, texels);
	for (int i = 0; i < 64; i++)
	{
		check(floats[i] == floats[i]);
		if (lrd_block_is_unorm8(format))
		{
			check(floats[i] == (float)texels[i] / 255.0f);
		}
		else if (format < LRD_BLOCK_BC6H_UFLOAT)
		{
			check(floats[i] >= -1.0f && floats[i] <= 1.0f);
		}
	}
	free(texels);
	free(halves);
	free(floats);
	free(block);
}

static void decode_astc(const uint8_t *data)
{
	static const uint8_t sides[][2] = { { 4, 4 }, { 5, 5 }, { 6, 6 }, { 8, 8 }, { 10, 6 }, { 12, 12 } };
	const uint8_t *footprint = sides[data[0] % 6];
	static lrd_astc *opened[6][3]; // to open one takes longer than a thousand blocks
	lrd_astc **astc = &opened[data[0] % 6][data[0] / 6 % 3];
	lrd_astc_desc desc = { .block_width = footprint[0],
		.block_height = footprint[1],
		.profile = (lrd_astc_profile)(data[0] / 6 % 3),
		.decode_only = true };
	*astc = *astc != NULL ? *astc : lrd_astc_open(&desc, (lrd_allocator){ 0 }, NULL);
	check(*astc != NULL);
	uint8_t *block = malloc(LRD_ASTC_BLOCK_BYTES);
	float *texels = malloc((size_t)footprint[0] * footprint[1] * 16);
	check(block != NULL && texels != NULL);
	memcpy(block, data + 1, LRD_ASTC_BLOCK_BYTES);
	lrd_astc_image image = { texels, LRD_ASTC_F32, footprint[0], footprint[1] };
	check(lrd_astc_decode(*astc, block, LRD_ASTC_BLOCK_BYTES, &image, NULL));
	free(texels);
	free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 16)
	{
		return 0;
	}
	for (int format = 0; format < LRD_BLOCK_FORMAT_COUNT; format++)
	{
		decode((lrd_block_format)format, data);
	}
	if (size > 16)
	{
		decode_astc(data);
	}
	return 0;
}
