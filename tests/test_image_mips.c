// Mips: the light, the edges, the normals and the coverage that a chain keeps.

#include "fixtures/image_check.h"
#include "image/half.h"

#include <math.h>
#include <stdlib.h>

static lrd_image blank(uint32_t width, uint32_t height, lrd_pixel_type type)
{
	size_t component = type == LRD_PIXEL_UNORM8 ? 1 : type == LRD_PIXEL_UNORM16 ? 2 : 4;
	lrd_image image = { .width = width, .height = height, .type = type, .size = 4 * component * width * height };
	image.pixels = calloc(image.size, 1);
	return image;
}

static void set_8(lrd_image *image, uint32_t x, uint32_t y, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
	memcpy((uint8_t *)image->pixels + 4 * ((size_t)y * image->width + x), (const uint8_t[]){ r, g, b, a }, 4);
}

static lrd_mips make(lrd_mips_desc desc)
{
	lrd_mips mips;
	lrd_error error;
	if (!lrd_mips_make(&desc, &mips, &error))
	{
		fail_msg("%s", error.message);
	}
	return mips;
}

static const uint8_t *mip_texel(const lrd_mips *mips, uint32_t level, uint32_t x, uint32_t y)
{
	return mips->levels[level].data + (mips->half_float ? 8 : 4) * ((size_t)y * mips->levels[level].width + x);
}

static uint32_t noise(uint32_t seed)
{
	seed = (seed ^ 61u) ^ (seed >> 16);
	seed *= 9u;
	seed ^= seed >> 4;
	seed *= 0x27d4eb2du;
	return seed ^ seed >> 15;
}

static void black_and_white_average_to_half_the_light(void **state)
{
	(void)state;
	lrd_image image = blank(8, 8, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 64; i++)
	{
		uint8_t value = (i + i / 8) % 2 ? 255 : 0;
		set_8(&image, i % 8, i / 8, value, value, value, 255);
	}
	lrd_mips color = make((lrd_mips_desc){ .image = &image });
	lrd_mips data = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_DATA });
	assert_int_equal(color.level_count, 4);
	for (uint32_t level = 1; level < 4; level++)
	{
		assert_int_equal(mip_texel(&color, level, 0, 0)[0], 188);
		assert_int_equal(mip_texel(&color, level, 0, 0)[3], 255);
		assert_int_equal(mip_texel(&data, level, 0, 0)[0], 128);
	}
	lrd_mips_free(&color);
	lrd_mips_free(&data);
	lrd_image_free(&image);
}

static void level_0_is_the_image(void **state)
{
	(void)state;
	lrd_image image = blank(7, 5, LRD_PIXEL_UNORM8);
	for (size_t i = 0; i < image.size; i++)
	{
		((uint8_t *)image.pixels)[i] = (uint8_t)noise((uint32_t)i);
	}
	for (int content = 0; content < 3; content++)
	{
		lrd_mips mips =
			make((lrd_mips_desc){ .image = &image, .content = (lrd_mip_content)content, .alpha_weighted = true });
		assert_int_equal(mips.levels[0].size, image.size);
		assert_memory_equal(mips.levels[0].data, image.pixels, image.size);
		lrd_mips_free(&mips);
	}
	lrd_image_free(&image);
}

static void levels_halve_rounded_down_to_one_texel(void **state)
{
	(void)state;
	lrd_image image = blank(20, 3, LRD_PIXEL_UNORM8);
	lrd_mips all = make((lrd_mips_desc){ .image = &image });
	static const uint32_t sizes[][2] = { { 20, 3 }, { 10, 1 }, { 5, 1 }, { 2, 1 }, { 1, 1 } };
	assert_int_equal(all.level_count, 5);
	for (uint32_t level = 0; level < 5; level++)
	{
		assert_int_equal(all.levels[level].width, sizes[level][0]);
		assert_int_equal(all.levels[level].height, sizes[level][1]);
		assert_int_equal(all.levels[level].size, 4 * sizes[level][0] * sizes[level][1]);
	}
	lrd_mips_free(&all);
	lrd_mips two = make((lrd_mips_desc){ .image = &image, .level_count = 2 });
	assert_int_equal(two.level_count, 2);
	lrd_mips_free(&two);
	lrd_mips many = make((lrd_mips_desc){ .image = &image, .level_count = 99 });
	assert_int_equal(many.level_count, 5);
	lrd_mips_free(&many);
	lrd_image_free(&image);
}

// The mean of the one texel at the end against the mean of all at the beginning; float images, so that rounding does
// not hide a dropped row.
static void every_size_keeps_the_mean(void **state)
{
	(void)state;
	for (uint32_t height = 1; height <= 33; height++)
	{
		for (uint32_t width = 1; width <= 33; width++)
		{
			lrd_image image = blank(width, height, LRD_PIXEL_F32);
			image.linear = true;
			float *texels = image.pixels;
			double mean = 0;
			for (uint32_t i = 0; i < width * height; i++)
			{
				texels[4 * i] = (float)(noise(i * 33 + width) & 1023) / 64.0f;
				texels[4 * i + 3] = 1.0f;
				mean += texels[4 * i] / (double)(width * height);
			}
			lrd_mips mips = make((lrd_mips_desc){ .image = &image });
			uint16_t half;
			memcpy(&half, mip_texel(&mips, mips.level_count - 1, 0, 0), 2);
			assert_true(fabs(lrd_float_from_half(half) - mean) <= mean * (0x1p-11 + 1e-5));
			lrd_mips_free(&mips);
			lrd_image_free(&image);
		}
	}
}

static void odd_sizes_weigh_every_texel_alike(void **state)
{
	(void)state;
	for (uint32_t bright = 0; bright < 5; bright++) // 5 texels become 2: each of the five is half of 2/5 of the light
	{
		lrd_image image = blank(5, 1, LRD_PIXEL_UNORM8);
		set_8(&image, bright, 0, 255, 255, 255, 255);
		lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_DATA });
		int sum = mip_texel(&mips, 1, 0, 0)[0] + mip_texel(&mips, 1, 1, 0)[0];
		assert_in_range(sum, 101, 103); // 255 * 2 / 5
		assert_int_equal(mip_texel(&mips, 2, 0, 0)[0], 51);
		lrd_mips_free(&mips);
		lrd_image_free(&image);
	}
}

static void flat_normals_stay_flat(void **state)
{
	(void)state;
	static const uint8_t flats[][3] = { { 128, 128, 255 }, { 127, 127, 255 }, { 127, 128, 255 } };
	for (size_t i = 0; i < 3; i++)
	{
		lrd_image image = blank(257, 129, LRD_PIXEL_UNORM8);
		for (uint32_t at = 0; at < 257 * 129; at++)
		{
			set_8(&image, at % 257, at / 257, flats[i][0], flats[i][1], flats[i][2], 255);
		}
		lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_NORMAL });
		for (uint32_t level = 0; level < mips.level_count; level++)
		{
			for (size_t at = 0; at < mips.levels[level].size; at += 4)
			{
				assert_memory_equal(mips.levels[level].data + at, flats[i], 3);
			}
		}
		lrd_mips_free(&mips);
		lrd_image_free(&image);
	}
}

static void normals_have_length_one_in_every_level(void **state)
{
	(void)state;
	lrd_image image = blank(64, 64, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 64 * 64; i++)
	{
		double angle = noise(i) % 6283 / 1000.0, tilt = noise(i + 77777) % 1000 / 1000.0;
		double z = sqrt(1 - tilt * tilt);
		set_8(&image, i % 64, i / 64, (uint8_t)(127.5 + 127 * tilt * cos(angle)),
			(uint8_t)(127.5 + 127 * tilt * sin(angle)), (uint8_t)(127.5 + 127 * z), 255);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_NORMAL });
	for (uint32_t level = 1; level < mips.level_count; level++)
	{
		for (size_t at = 0; at < mips.levels[level].size; at += 4)
		{
			const uint8_t *texel = mips.levels[level].data + at;
			double x = texel[0] / 127.5 - 1, y = texel[1] / 127.5 - 1, z = texel[2] / 127.5 - 1;
			assert_true(fabs(sqrt(x * x + y * y + z * z) - 1) < 0.008); // rounding to 8 bits
		}
	}
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void opposed_normals_point_up(void **state)
{
	(void)state;
	lrd_image image = blank(2, 1, LRD_PIXEL_F32); // exactly opposed, as 8 bits can't be
	memcpy(image.pixels, (const float[]){ 1, 0.5f, 0.5f, 1, 0, 0.5f, 0.5f, 1 }, 32);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_NORMAL });
	uint16_t halves[4];
	memcpy(halves, mip_texel(&mips, 1, 0, 0), 8);
	assert_true(lrd_float_from_half(halves[0]) == 0.5f);
	assert_true(lrd_float_from_half(halves[1]) == 0.5f);
	assert_true(lrd_float_from_half(halves[2]) == 1.0f);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void transparent_texels_do_not_bleed(void **state)
{
	(void)state;
	lrd_image image = blank(19, 19, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 19 * 19; i++)
	{
		bool opaque = noise(i) % 5 == 0;
		set_8(&image, i % 19, i / 19, opaque ? 0 : 255, opaque ? 200 : 0, 0, opaque ? 255 : 0);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true });
	for (uint32_t level = 1; level < mips.level_count; level++)
	{
		for (size_t at = 0; at < mips.levels[level].size; at += 4)
		{
			const uint8_t *texel = mips.levels[level].data + at;
			bool is_green = texel[0] == 0 && texel[1] == 200;
			bool is_red = texel[0] == 255 && texel[1] == 0; // where nothing around is opaque, the colour there is stays
			assert_true(texel[3] != 0 ? is_green : is_green || is_red);
		}
	}
	assert_true(mip_texel(&mips, mips.level_count - 1, 0, 0)[3] != 0);
	lrd_mips_free(&mips);
	lrd_mips bleeding = make((lrd_mips_desc){ .image = &image });
	assert_true(mip_texel(&bleeding, bleeding.level_count - 1, 0, 0)[0] > 200); // and without weights they do
	lrd_mips_free(&bleeding);
	lrd_image_free(&image);
}

static void faintest_alpha_outweighs_transparent_texels(void **state)
{
	(void)state;
	lrd_image image = blank(2, 2, LRD_PIXEL_UNORM8);
	set_8(&image, 0, 0, 0, 0, 255, 1);
	set_8(&image, 1, 0, 255, 0, 0, 0);
	set_8(&image, 0, 1, 255, 0, 0, 0);
	set_8(&image, 1, 1, 255, 0, 0, 0);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true });
	assert_memory_equal(mip_texel(&mips, 1, 0, 0), ((const uint8_t[]){ 0, 0, 255, 0 }), 4);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static double share_passing(const lrd_mips *mips, uint32_t level, double cutoff)
{
	size_t count = mips->levels[level].size / 4, passing = 0;
	for (size_t i = 0; i < count; i++)
	{
		passing += mips->levels[level].data[4 * i + 3] / 255.0 >= cutoff;
	}
	return (double)passing / (double)count;
}

// Blades of differing width and softness over nothing.
static lrd_image foliage(uint32_t width, uint32_t height)
{
	lrd_image image = blank(width, height, LRD_PIXEL_UNORM8);
	for (uint32_t y = 0; y < height; y++)
	{
		for (uint32_t x = 0; x < width; x++)
		{
			double blade =
				sin(x * 0.71 + sin(y * 0.031) * 9) + 0.6 * sin(x * 0.173 - y * 0.219) + 0.3 * sin(y * 0.477 + x * 1.31);
			double alpha = blade * 300 - 60;
			set_8(&image, x, y, 40, 120, 20, (uint8_t)(alpha < 0 ? 0 : alpha > 255 ? 255 : alpha));
		}
	}
	return image;
}

static void coverage_of_foliage_is_kept_within_one_in_256(void **state)
{
	(void)state;
	static const float cutoffs[] = { 0.1f, 0.5f, 0.75f, 1.0f };
	static const uint32_t sizes[][2] = { { 512, 512 }, { 300, 411 } };
	for (size_t i = 0; i < sizeof cutoffs / sizeof *cutoffs * 2; i++)
	{
		float cutoff = cutoffs[i / 2];
		lrd_image image = foliage(sizes[i % 2][0], sizes[i % 2][1]);
		lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = cutoff });
		double target = share_passing(&mips, 0, (double)cutoff);
		assert_true(target > 0.05 && target < 0.6);
		for (uint32_t level = 1; level < mips.level_count; level++)
		{
			double texels = (double)mips.levels[level].size / 4;
			// A level of n texels can show shares of 1 / n only.
			double allowed = texels >= 128 ? 1.0 / 256 : 0.5 / texels + 1e-9;
			double found = share_passing(&mips, level, (double)cutoff);
			if (fabs(found - target) > allowed)
			{
				fail_msg("cutoff %g, %u x %u, level %u: %.4f of the texels pass; expected %.4f", (double)cutoff,
					sizes[i % 2][0], sizes[i % 2][1], level, found, target);
			}
		}
		lrd_mips_free(&mips);
		lrd_image_free(&image);
	}
}

static void coverage_that_is_kept_anyway_leaves_alpha_alone(void **state)
{
	(void)state;
	lrd_image image = blank(64, 64, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 64 * 64; i++)
	{
		set_8(&image, i % 64, i / 64, 9, 9, 9, i % 64 < 32 ? 180 : 90);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.5f });
	for (uint32_t level = 1; level < 6; level++)
	{
		assert_int_equal(mip_texel(&mips, level, 0, 0)[3], 180);
		assert_int_equal(mip_texel(&mips, level, mips.levels[level].width - 1, 0)[3], 90);
	}
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void nothing_covered_stays_nothing_covered(void **state)
{
	(void)state;
	lrd_image image = blank(32, 32, LRD_PIXEL_UNORM8);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.5f });
	assert_int_equal(mip_texel(&mips, 5, 0, 0)[3], 0);
	lrd_mips_free(&mips);
	memset(image.pixels, 255, image.size);
	mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.5f });
	assert_int_equal(mip_texel(&mips, 5, 0, 0)[3], 255);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void impossible_arguments_are_refused(void **state)
{
	(void)state;
	lrd_image image = blank(2, 2, LRD_PIXEL_UNORM8);
	lrd_mips mips;
	lrd_error error;
	static const float cutoffs[] = { -0.1f, 1.1f, NAN };
	for (size_t i = 0; i < 3; i++)
	{
		assert_false(lrd_mips_make(&(lrd_mips_desc){ .image = &image, .alpha_coverage = cutoffs[i] }, &mips, &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	}
	lrd_image_free(&image);
	assert_false(lrd_mips_make(&(lrd_mips_desc){ .image = &(lrd_image){ 0 } }, &mips, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
}

static void sixteen_bits_are_rounded_once(void **state)
{
	(void)state;
	lrd_image image = blank(256, 1, LRD_PIXEL_UNORM16);
	uint16_t *codes = image.pixels;
	for (uint32_t i = 0; i < 256; i++)
	{
		for (uint32_t channel = 0; channel < 4; channel++)
		{
			codes[4 * i + channel] =
				(uint16_t)(257 * i + (i < 255 ? 128 : 0)); // just under halfway to the next of 8 bits
		}
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image });
	for (uint32_t i = 0; i < 256; i++)
	{
		assert_int_equal(mip_texel(&mips, 0, i, 0)[0], i);
	}
	for (uint32_t i = 0; i < 127; i++) // two neighbours in light, then encoded
	{
		float light = (lrd_srgb_to_linear((float)codes[8 * i] / 65535.0f) +
						  lrd_srgb_to_linear((float)codes[8 * i + 4] / 65535.0f)) /
					  2;
		assert_int_equal(mip_texel(&mips, 1, i, 0)[0], (uint8_t)(lrd_linear_to_srgb(light) * 255.0f + 0.5f));
	}
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void linear_colour_is_encoded_from_level_0_on(void **state)
{
	(void)state;
	lrd_image image = blank(2, 1, LRD_PIXEL_UNORM8);
	image.linear = true;
	set_8(&image, 0, 0, 128, 255, 0, 128);
	set_8(&image, 1, 0, 128, 0, 0, 128);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image });
	assert_memory_equal(mip_texel(&mips, 0, 0, 0), ((const uint8_t[]){ 188, 255, 0, 128 }), 4);
	assert_memory_equal(mip_texel(&mips, 1, 0, 0), ((const uint8_t[]){ 188, 188, 0, 128 }), 4);
	lrd_mips_free(&mips);
	lrd_mips data = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_DATA });
	assert_memory_equal(mip_texel(&data, 0, 0, 0), ((const uint8_t[]){ 128, 255, 0, 128 }), 4);
	lrd_mips_free(&data);
	lrd_image_free(&image);
}

static void floats_become_halves_and_stay_finite(void **state)
{
	(void)state;
	lrd_image image = blank(2, 1, LRD_PIXEL_F32);
	image.linear = true;
	memcpy(image.pixels, (const float[]){ 1.0f, 1e30f, NAN, 1, 3.0f, 1e30f, 0.25f, 1 }, 32);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image });
	assert_true(mips.half_float);
	assert_int_equal(mips.levels[0].size, 16);
	uint16_t halves[4];
	memcpy(halves, mip_texel(&mips, 1, 0, 0), 8);
	assert_true(lrd_float_from_half(halves[0]) == 2.0f);
	assert_true(lrd_float_from_half(halves[1]) == LRD_HALF_MAX);
	assert_true(lrd_float_from_half(halves[2]) == 0.0f);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(black_and_white_average_to_half_the_light),
		cmocka_unit_test(level_0_is_the_image),
		cmocka_unit_test(levels_halve_rounded_down_to_one_texel),
		cmocka_unit_test(every_size_keeps_the_mean),
		cmocka_unit_test(odd_sizes_weigh_every_texel_alike),
		cmocka_unit_test(flat_normals_stay_flat),
		cmocka_unit_test(normals_have_length_one_in_every_level),
		cmocka_unit_test(opposed_normals_point_up),
		cmocka_unit_test(transparent_texels_do_not_bleed),
		cmocka_unit_test(faintest_alpha_outweighs_transparent_texels),
		cmocka_unit_test(coverage_of_foliage_is_kept_within_one_in_256),
		cmocka_unit_test(coverage_that_is_kept_anyway_leaves_alpha_alone),
		cmocka_unit_test(nothing_covered_stays_nothing_covered),
		cmocka_unit_test(impossible_arguments_are_refused),
		cmocka_unit_test(sixteen_bits_are_rounded_once),
		cmocka_unit_test(linear_colour_is_encoded_from_level_0_on),
		cmocka_unit_test(floats_become_halves_and_stay_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
