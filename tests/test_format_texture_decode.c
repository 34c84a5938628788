// Texels of a texture as RGBA: every colour format against its data format descriptor, blocks against the block room,
// and files of other tools against what other readers make of them.

#include "fixtures/cooked_file.h"

#include "block/block.h"
#include "failing_allocator.h"
#include "fixtures/format_texture.h"

#include <math.h>

// Bytes without order, the same on each run.
static void scramble(uint8_t *bytes, size_t size, uint64_t seed)
{
	uint64_t state = seed * 2 + 1;
	for (size_t i = 0; i < size; i++)
	{
		state = state * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (uint8_t)(state >> 56);
	}
}

static lrd_texture_view scrambled_texture(texture_shape shape)
{
	lrd_texture_view view = sample_texture(shape);
	for (uint32_t level = 0; level < view.level_count; level++)
	{
		scramble((uint8_t *)(uintptr_t)view.levels[level].data, (size_t)view.levels[level].size, shape.format + level);
	}
	return view;
}

static void *decode(const lrd_texture_view *view, const lrd_texture_decode_desc *desc)
{
	size_t size = (size_t)lrd_texture_decoded_size(view, desc->level);
	void *texels = malloc(size);
	assert_non_null(texels);
	lrd_error error = { 0 };
	if (!lrd_texture_decode(view, desc, texels, size, &error))
	{
		fail_msg("format %u, level %u: %s", view->format, desc->level, error.message);
	}
	return texels;
}

// A reader that knows descriptors and no formats: bit by bit, in double precision.

static double float_of_bits(uint64_t bits, uint32_t exponent_bits, uint32_t mantissa_bits, bool has_sign)
{
	uint64_t mantissa = bits & ((UINT64_C(1) << mantissa_bits) - 1);
	int exponent = (int)(bits >> mantissa_bits & ((UINT64_C(1) << exponent_bits) - 1));
	int most = (1 << exponent_bits) - 1;
	int bias = most / 2;
	double sign = has_sign && (bits >> (mantissa_bits + exponent_bits) & 1) != 0 ? -1.0 : 1.0;
	if (exponent == most)
	{
		return mantissa != 0 ? (double)NAN : sign * (double)INFINITY;
	}
	double scaled = ldexp((double)mantissa, -(int)mantissa_bits);
	return sign * (exponent == 0 ? ldexp(scaled, 1 - bias) : ldexp(1.0 + scaled, exponent - bias));
}

static uint64_t bits_at(const uint8_t *texel, uint32_t offset, uint32_t count)
{
	uint64_t value = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		value |= ((uint64_t)texel[(offset + i) / 8] >> (offset + i) % 8 & 1) << i;
	}
	return value;
}

/// `whole`: its numbers are not brought to 0..1 or -1..1.
static double sample_value(const uint32_t *sample, const uint8_t *texel, bool whole)
{
	uint32_t bits = (sample[0] >> 16 & 0xff) + 1;
	uint64_t raw = bits_at(texel, sample[0] & 0xffff, bits);
	bool is_signed = (sample[0] >> 30 & 1) != 0;
	if (sample[0] >> 31 != 0)
	{
		uint32_t exponent_bits = bits == 64 ? 11 : bits == 32 ? 8 : 5;
		return float_of_bits(raw, exponent_bits, bits - exponent_bits - is_signed, is_signed);
	}
	if (!is_signed)
	{
		return whole ? (double)raw : (double)raw / (double)sample[3];
	}
	int64_t number = bits == 64 || raw >> (bits - 1) == 0 ? (int64_t)raw : (int64_t)raw - (INT64_C(1) << bits);
	double value = (double)number / (double)sample[3];
	return !whole && value < -1.0 ? -1.0 : value;
}

static void reference_texel(const uint32_t *dfd, const uint8_t *texel, double rgba[4])
{
	uint32_t count = ((dfd[2] >> 16) / 4 - LRD_DFD_BASIC_WORDS) / LRD_DFD_SAMPLE_WORDS;
	rgba[0] = rgba[1] = rgba[2] = 0.0;
	rgba[3] = 1.0;
	bool whole = true; // all upper bounds are 1; that of one or two bits of alpha is 1 in any case
	for (uint32_t i = 0; i < count; i++)
	{
		whole = whole && dfd[1 + LRD_DFD_BASIC_WORDS + LRD_DFD_SAMPLE_WORDS * i + 3] == 1;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		const uint32_t *sample = dfd + 1 + LRD_DFD_BASIC_WORDS + LRD_DFD_SAMPLE_WORDS * i;
		uint32_t channel = sample[0] >> 24 & 15;
		if ((sample[0] >> 29 & 1) != 0) // a shared exponent: of its bias and the nine bits of each mantissa
		{
			uint64_t exponent = bits_at(texel, sample[0] & 0xffff, 5);
			rgba[channel] = ldexp(rgba[channel], (int)exponent - (int)sample[2] - 9);
		}
		else if (count == 6)
		{
			rgba[channel] = (double)bits_at(texel, sample[0] & 0xffff, 9);
		}
		else
		{
			rgba[channel == 15 ? 3 : channel] = sample_value(sample, texel, whole);
		}
	}
}

static void assert_texels_match(uint32_t format, const uint32_t *dfd, const lrd_texture_view *view, const void *texels)
{
	size_t step = lrd_texture_format_find(format)->block_bytes;
	for (size_t i = 0; i < (size_t)view->width * view->height; i++)
	{
		double expected[4];
		reference_texel(dfd, (const uint8_t *)view->levels[0].data + i * step, expected);
		for (size_t channel = 0; channel < 4; channel++)
		{
			bool codes = lrd_texture_decodes_to(format) == LRD_TEXELS_UNORM8;
			double found = codes ? (double)((const uint8_t *)texels)[4 * i + channel]
								 : (double)((const float *)texels)[4 * i + channel];
			double tolerance = codes ? 0.5 : fabs(expected[channel]) * 0x1p-24 + 1e-45;
			expected[channel] *= codes ? 255.0 : 1.0;
			bool overflows = fabs(expected[channel]) > 0x1.fffffep127;
			bool same = isnan(expected[channel]) ? isnan(found)
						: overflows              ? isinf(found) && (found > 0.0) == (expected[channel] > 0.0)
												 : fabs(found - expected[channel]) <= tolerance;
			if (!same)
			{
				fail_msg("%s, texel %zu, channel %zu: %.17g, expected %.17g", lrd_texture_format_name(format), i,
					channel, found, expected[channel]);
			}
		}
	}
}

static void every_colour_format_decodes_as_its_descriptor_says(void **state)
{
	(void)state;
	static const uint32_t runs[][2] = { { 1, 123 }, { 1000156000, 1000156033 }, { 1000340000, 1000340001 },
		{ 1000470000, 1000470001 } };
	uint32_t count = 0;
	for (size_t run = 0; run < sizeof runs / sizeof runs[0]; run++)
	{
		for (uint32_t format = runs[run][0]; format <= runs[run][1]; format++)
		{
			if (lrd_texture_format_find(format) == NULL)
			{
				continue;
			}
			uint32_t dfd[LRD_DFD_MAX_WORDS];
			(void)lrd_texture_format_describe(lrd_texture_format_find(format), dfd);
			lrd_texture_view view = scrambled_texture((texture_shape){ format, 67, 31, 0, 0, 1, 1 });
			void *texels = decode(&view, &(lrd_texture_decode_desc){ 0 });
			assert_texels_match(format, dfd, &view, texels);
			free(texels);
			sample_texture_free(&view);
			count++;
		}
	}
	assert_int_equal(count, 107);
}

static void what_formats_decode_to(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t format;
		lrd_texels texels;
	} cases[] = { { LRD_TEXTURE_RGBA8_SRGB, LRD_TEXELS_UNORM8 }, { LRD_TEXTURE_R8_UNORM, LRD_TEXELS_UNORM8 },
		{ 4, LRD_TEXELS_UNORM8 }, { 64, LRD_TEXELS_F32 }, { LRD_TEXTURE_R16_UNORM, LRD_TEXELS_F32 },
		{ LRD_TEXTURE_RG8_SNORM, LRD_TEXELS_F32 }, { 41, LRD_TEXELS_F32 },
		{ LRD_TEXTURE_RGBA16_SFLOAT, LRD_TEXELS_F32 }, { LRD_TEXTURE_BC1_RGB_SRGB, LRD_TEXELS_UNORM8 },
		{ LRD_TEXTURE_BC2_UNORM, LRD_TEXELS_UNORM8 }, { LRD_TEXTURE_BC3_SRGB, LRD_TEXELS_UNORM8 },
		{ LRD_TEXTURE_BC4_UNORM, LRD_TEXELS_F32 }, { LRD_TEXTURE_BC5_SNORM, LRD_TEXELS_F32 },
		{ LRD_TEXTURE_BC6H_UFLOAT, LRD_TEXELS_F32 }, { LRD_TEXTURE_BC7_SRGB, LRD_TEXELS_UNORM8 },
		{ LRD_TEXTURE_ASTC_4X4_SRGB, LRD_TEXELS_NONE }, { LRD_TEXTURE_ASTC_8X8_SFLOAT, LRD_TEXELS_NONE },
		{ 147, LRD_TEXELS_NONE }, { 124, LRD_TEXELS_NONE }, { 127, LRD_TEXELS_NONE }, { 130, LRD_TEXELS_NONE },
		{ LRD_TEXTURE_UNDEFINED, LRD_TEXELS_NONE }, { 12, LRD_TEXELS_NONE } };
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		assert_int_equal(lrd_texture_decodes_to(cases[i].format), cases[i].texels);
	}
}

// Blocks.

static void expected_block_texel(
	lrd_block_format format, const uint8_t *blocks, uint32_t width, uint32_t x, uint32_t y, float rgba[4])
{
	const uint8_t *block = blocks + ((size_t)(y / 4) * ((width + 3) / 4) + x / 4) * lrd_block_bytes(format);
	size_t at = 4 * (4 * (y % 4) + x % 4);
	if (lrd_block_is_unorm8(format))
	{
		uint8_t codes[64];
		lrd_block_decode_unorm8(format, block, codes);
		for (size_t i = 0; i < 4; i++)
		{
			rgba[i] = codes[at + i];
		}
		return;
	}
	float values[64];
	lrd_block_decode_f32(format, block, values);
	memcpy(rgba, values + at, 4 * sizeof *rgba);
}

static void blocks_land_where_they_belong(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t format;
		lrd_block_format block;
	} cases[] = { { 131, LRD_BLOCK_BC1 }, { 132, LRD_BLOCK_BC1 }, { 133, LRD_BLOCK_BC1_ALPHA },
		{ 134, LRD_BLOCK_BC1_ALPHA }, { 135, LRD_BLOCK_BC2 }, { 136, LRD_BLOCK_BC2 }, { 137, LRD_BLOCK_BC3 },
		{ 138, LRD_BLOCK_BC3 }, { 139, LRD_BLOCK_BC4_UNORM }, { 140, LRD_BLOCK_BC4_SNORM },
		{ 141, LRD_BLOCK_BC5_UNORM }, { 142, LRD_BLOCK_BC5_SNORM }, { 143, LRD_BLOCK_BC6H_UFLOAT },
		{ 144, LRD_BLOCK_BC6H_SFLOAT }, { 145, LRD_BLOCK_BC7 }, { 146, LRD_BLOCK_BC7 } };
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		for (uint32_t width = 1; width < 10; width++)
		{
			uint32_t height = 11 - width;
			lrd_texture_view view = scrambled_texture((texture_shape){ cases[i].format, width, height, 0, 0, 1, 1 });
			void *texels = decode(&view, &(lrd_texture_decode_desc){ 0 });
			for (uint32_t texel = 0; texel < width * height; texel++)
			{
				float expected[4];
				expected_block_texel(
					cases[i].block, view.levels[0].data, width, texel % width, texel / width, expected);
				for (size_t channel = 0; channel < 4; channel++)
				{
					float found = lrd_block_is_unorm8(cases[i].block) ? (float)((uint8_t *)texels)[4 * texel + channel]
																	  : ((float *)texels)[4 * texel + channel];
					assert_true(found == expected[channel] || (isnan(found) && isnan(expected[channel])));
				}
			}
			free(texels);
			sample_texture_free(&view);
		}
	}
}

// Images.

static void images_are_found_by_layer_face_and_slice(void **state)
{
	(void)state;
	static const texture_shape shapes[] = { { 43, 4, 4, 0, 3, 6, 3 }, { 37, 8, 4, 5, 0, 1, 4 },
		{ 37, 5, 0, 0, 4, 1, 2 } };
	for (size_t i = 0; i < 3; i++)
	{
		lrd_texture_view view = scrambled_texture(shapes[i]);
		for (uint32_t level = 0; level < view.level_count; level++)
		{
			const uint8_t *expected = view.levels[level].data;
			size_t size = (size_t)lrd_texture_decoded_size(&view, level);
			uint32_t layers = shapes[i].layers > 0 ? shapes[i].layers : 1;
			uint32_t images = layers * shapes[i].faces * lrd_texture_extent(shapes[i].depth, level);
			assert_int_equal(size * images, view.levels[level].size);
			for (uint32_t image = 0; image < images; image++)
			{
				uint32_t slices = lrd_texture_extent(shapes[i].depth, level);
				lrd_texture_decode_desc desc = { .level = level,
					.layer = image / slices / shapes[i].faces,
					.face = image / slices % shapes[i].faces,
					.slice = image % slices };
				void *texels = decode(&view, &desc);
				assert_memory_equal(texels, expected + image * size, size);
				free(texels);
			}
		}
		sample_texture_free(&view);
	}
}

static void rows_may_lie_apart(void **state)
{
	(void)state;
	lrd_texture_view view = scrambled_texture((texture_shape){ 43, 3, 2, 0, 0, 1, 1 });
	uint8_t texels[40];
	memset(texels, 0xee, sizeof texels);
	lrd_texture_decode_desc desc = { .row_stride = 20 };
	assert_true(lrd_texture_decode(&view, &desc, texels, 32, NULL));
	assert_memory_equal(texels, view.levels[0].data, 12);
	assert_memory_equal(texels + 20, (const uint8_t *)view.levels[0].data + 12, 12);
	assert_int_equal(texels[12], 0xee);
	assert_int_equal(texels[32], 0xee);
	assert_false(lrd_texture_decode(&view, &desc, texels, 31, NULL));
	sample_texture_free(&view);
}

static void a_compressed_level_is_decoded_from_the_file_or_from_memory(void **state)
{
	(void)state;
	lrd_texture_view plain = scrambled_texture((texture_shape){ 145, 12, 12, 0, 0, 6, 3 });
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	assert_true(lrd_texture_write_zstd(&plain, 3, &file, NULL));
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	for (uint32_t level = 0; level < 3; level++)
	{
		lrd_texture_decode_desc desc = { .level = level, .face = 4 };
		void *expected = decode(&plain, &desc);
		void *texels = decode(&view, &desc);
		size_t size = (size_t)lrd_texture_decoded_size(&view, level);
		assert_memory_equal(texels, expected, size);
		desc.level_bytes = (lrd_bytes){ plain.levels[level].data, (size_t)plain.levels[level].size };
		view.levels[level].data = NULL;
		void *again = decode(&view, &desc);
		assert_memory_equal(again, expected, size);
		free(expected);
		free(texels);
		free(again);
	}
	sample_texture_free(&plain);
	lrd_buffer_free(&file);
}

static void a_swizzle_is_applied_only_when_asked_for(void **state)
{
	(void)state;
	lrd_buffer keys = { 0 };
	assert_true(lrd_texture_add_key(&keys, LRD_STR("KTXswizzle"), (lrd_bytes){ "gr1b", 5 }, NULL));
	static const uint8_t codes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	lrd_texture_view view = { .format = 37, .width = 2, .height = 1, .face_count = 1, .level_count = 1 };
	view.levels[0] = (lrd_texture_level){ .data = codes, .size = 8, .decoded_size = 8 };
	view.key_values = (lrd_bytes){ keys.data, keys.size };
	uint8_t *texels = decode(&view, &(lrd_texture_decode_desc){ 0 });
	assert_memory_equal(texels, codes, 8);
	free(texels);
	texels = decode(&view, &(lrd_texture_decode_desc){ .apply_swizzle = true });
	static const uint8_t swizzled[8] = { 2, 1, 255, 3, 6, 5, 255, 7 };
	assert_memory_equal(texels, swizzled, 8);
	free(texels);
	static const float values[4] = { 0.25f, -2.0f, 3.0f, 4.0f };
	view.format = 109;
	view.width = 1;
	view.levels[0] = (lrd_texture_level){ .data = values, .size = 16, .decoded_size = 16 };
	float *floats = decode(&view, &(lrd_texture_decode_desc){ .apply_swizzle = true });
	assert_true(floats[0] == -2.0f && floats[1] == 0.25f && floats[2] == 1.0f && floats[3] == 3.0f);
	free(floats);
	lrd_buffer_free(&keys);
}

// Refusals.

static void assert_decode_refused(
	const lrd_texture_view *view, lrd_texture_decode_desc desc, size_t size, lrd_error_code code, const char *says)
{
	void *texels = malloc(size > 0 ? size : 1);
	lrd_error error = { 0 };
	assert_false(lrd_texture_decode(view, &desc, texels, size, &error));
	free(texels);
	if (error.code != code || strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, error.message);
	}
}

static void what_cannot_be_decoded_is_refused(void **state)
{
	(void)state;
	lrd_texture_view view = sample_texture((texture_shape){ 43, 4, 4, 0, 2, 1, 2 });
	assert_decode_refused(&view, (lrd_texture_decode_desc){ .level = 2 }, 64, LRD_ERROR_ARGUMENT, "level 2");
	assert_decode_refused(&view, (lrd_texture_decode_desc){ .layer = 2 }, 64, LRD_ERROR_ARGUMENT, "layer 2");
	assert_decode_refused(&view, (lrd_texture_decode_desc){ .face = 1 }, 64, LRD_ERROR_ARGUMENT, "face 1");
	assert_decode_refused(&view, (lrd_texture_decode_desc){ .slice = 1 }, 64, LRD_ERROR_ARGUMENT, "slice 1");
	assert_decode_refused(&view, (lrd_texture_decode_desc){ 0 }, 63, LRD_ERROR_ARGUMENT, "room for 63 bytes");
	assert_decode_refused(
		&view, (lrd_texture_decode_desc){ .row_stride = 15 }, 64, LRD_ERROR_ARGUMENT, "row_stride is 15");
	assert_decode_refused(
		&view, (lrd_texture_decode_desc){ .row_stride = SIZE_MAX / 2 }, 64, LRD_ERROR_ARGUMENT, "room for 64 bytes");
	assert_decode_refused(&view, (lrd_texture_decode_desc){ .level_bytes = { "1234", 4 } }, 64, LRD_ERROR_ARGUMENT,
		"level_bytes has 4 bytes");
	sample_texture_free(&view);
	view = sample_texture((texture_shape){ 97, 4, 4, 0, 0, 1, 1 });
	assert_decode_refused(
		&view, (lrd_texture_decode_desc){ .row_stride = 66 }, 512, LRD_ERROR_ARGUMENT, "row_stride is 66");
	const void *data = view.levels[0].data;
	view.levels[0].data = NULL;
	assert_decode_refused(&view, (lrd_texture_decode_desc){ 0 }, 256, LRD_ERROR_ARGUMENT, "no bytes attached");
	view.levels[0].data = data;
	sample_texture_free(&view);
	view = sample_texture((texture_shape){ 157, 4, 4, 0, 0, 1, 1 });
	assert_decode_refused(&view, (lrd_texture_decode_desc){ 0 }, 64, LRD_ERROR_UNSUPPORTED, "ASTC_4x4_UNORM_BLOCK");
	assert_int_equal(lrd_texture_decoded_size(&view, 0), 0);
	sample_texture_free(&view);
}

static void universal_textures_are_refused(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	assert_true(make_basis_texture(&file));
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_decode_refused(&view, (lrd_texture_decode_desc){ 0 }, 256, LRD_ERROR_UNSUPPORTED, "needs transcoding");
	assert_int_equal(lrd_texture_decoded_size(&view, 0), 0);
	lrd_buffer_free(&file);
	assert_true(make_uastc_texture(false, &file));
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_decode_refused(&view, (lrd_texture_decode_desc){ 0 }, 256, LRD_ERROR_UNSUPPORTED, "needs transcoding");
	lrd_buffer_free(&file);
}

static void sizes_that_no_memory_holds_are_refused(void **state)
{
	(void)state;
	lrd_texture_view view = {
		.format = 109, .width = UINT32_MAX, .height = UINT32_MAX, .face_count = 1, .level_count = 1
	};
	assert_int_equal(lrd_texture_decoded_size(&view, 0), 0);
	assert_int_equal(lrd_texture_decoded_size(&view, 1), 0);
	uint8_t texels[16];
	lrd_error error = { 0 };
	assert_false(lrd_texture_decode(&view, &(lrd_texture_decode_desc){ 0 }, texels, sizeof texels, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	lrd_texture_view plain = scrambled_texture((texture_shape){ 43, 4, 4, 0, 0, 1, 1 });
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	assert_true(lrd_texture_write_zstd(&plain, 3, &file, NULL));
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	bool done = false;
	for (long long succeed = 0; !done; succeed++)
	{
		assert_true(succeed < 20);
		failing_allocator allocator;
		failing_allocator_init(&allocator, succeed);
		lrd_texture_decode_desc desc = { .allocator = failing_allocator_get(&allocator) };
		lrd_error error = { 0 };
		uint8_t texels[64];
		done = lrd_texture_decode(&view, &desc, texels, sizeof texels, &error);
		assert_true(done || error.code == LRD_ERROR_MEMORY);
		assert_int_equal(atomic_load(&allocator.bytes_out), 0);
	}
	sample_texture_free(&plain);
	lrd_buffer_free(&file);
}

// Other people's files.

static uint32_t crc32_of(const uint8_t *bytes, size_t size)
{
	uint32_t crc = UINT32_MAX;
	for (size_t i = 0; i < size; i++)
	{
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
		{
			crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
		}
	}
	return ~crc;
}

/// CRC-32 of an image's RGBA8 as the npm packages ktx-parse and fzstd give it, widened to four channels.
typedef struct known_image
{
	const char *path;
	uint32_t level;
	uint32_t face;
	uint32_t crc;
} known_image;

static const known_image known_images[] = {
	{ "tex/cts/output_cubemap.ktx2", 0, 0, 0x5625900d },
	{ "tex/cts/output_cubemap.ktx2", 0, 1, 0x68d83b37 },
	{ "tex/cts/output_cubemap.ktx2", 0, 2, 0x79038c6b },
	{ "tex/cts/output_cubemap.ktx2", 0, 3, 0x60c03617 },
	{ "tex/cts/output_cubemap.ktx2", 0, 4, 0x11e2b6fa },
	{ "tex/cts/output_cubemap.ktx2", 0, 5, 0x2ae5cd1e },
	{ "tex/cts/rgb-mipmap-reference-u.ktx2", 0, 0, 0x603429f6 },
	{ "tex/cts/rgb-mipmap-reference-u.ktx2", 1, 0, 0xff35a15e },
	{ "tex/cts/rgb-mipmap-reference-u.ktx2", 2, 0, 0x30b62f58 },
	{ "tex/cts/rgb-mipmap-reference-u.ktx2", 3, 0, 0x6c1bab94 },
	{ "tex/cts/rgb-mipmap-reference-u.ktx2", 4, 0, 0xfa07caa5 },
	{ "tex/cts/rgb-mipmap-reference-u.ktx2", 5, 0, 0xfc958ebf },
	{ "tex/cts/rgb-mipmap-reference-u.ktx2", 6, 0, 0x4167cb12 },
	{ "tex/cts/orient-down-metadata-u.ktx2", 0, 0, 0x0e98b3d0 },
};

static void files_of_other_tools_have_the_texels_that_other_readers_see(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof known_images / sizeof known_images[0]; i++)
	{
		const known_image *known = &known_images[i];
		char full[1024];
		snprintf(full, sizeof full, "%s/../shared/corpus/%s", LRD_TEST_SOURCE_DIR, known->path);
		void *bytes = NULL;
		size_t size = 0;
		if (!cooked_load(full, &bytes, &size))
		{
			print_message("skipped: no file %s\n", full);
			skip();
		}
		lrd_texture_view view;
		assert_true(lrd_texture_open(bytes, size, &view, NULL));
		void *texels = decode(&view, &(lrd_texture_decode_desc){ .level = known->level, .face = known->face });
		uint32_t crc = crc32_of(texels, (size_t)lrd_texture_decoded_size(&view, known->level));
		if (crc != known->crc)
		{
			fail_msg("%s, level %u, face %u: CRC-32 0x%08x, must be 0x%08x", known->path, known->level, known->face,
				crc, known->crc);
		}
		free(texels);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_colour_format_decodes_as_its_descriptor_says),
		cmocka_unit_test(what_formats_decode_to),
		cmocka_unit_test(blocks_land_where_they_belong),
		cmocka_unit_test(images_are_found_by_layer_face_and_slice),
		cmocka_unit_test(rows_may_lie_apart),
		cmocka_unit_test(a_compressed_level_is_decoded_from_the_file_or_from_memory),
		cmocka_unit_test(a_swizzle_is_applied_only_when_asked_for),
		cmocka_unit_test(what_cannot_be_decoded_is_refused),
		cmocka_unit_test(universal_textures_are_refused),
		cmocka_unit_test(sizes_that_no_memory_holds_are_refused),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(files_of_other_tools_have_the_texels_that_other_readers_see),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
