// The filters of mip chains against double precision: every kind of size, every wrap, light and data.

#include "fixtures/mip_check.h"
#include "fixtures/mip_reference.h"

#include <math.h>

static const uint32_t sizes[][2] = { { 64, 48 }, { 5, 3 }, { 1, 64 }, { 1, 53 }, { 47, 1 }, { 61, 97 }, { 2, 2 },
	{ 3, 3 }, { 129, 65 }, { 127, 20 }, { 26, 25 }, { 16384, 1 }, { 1, 16384 }, { 4099, 2 } };
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)

// Every stored code is the one nearest to the reference, or as near as float's last bits can tell.
static void compare_level(const lrd_mips *mips, uint32_t index, const mip_reference *level, bool encode, bool weighted)
{
	assert_int_equal(mips->levels[index].width, level->width);
	assert_int_equal(mips->levels[index].height, level->height);
	for (size_t i = 0; i < mips->levels[index].size; i++)
	{
		double expected = mip_reference_code(level, i / 4, i % 4, encode, weighted);
		if (fabs(mips->levels[index].data[i] - expected) > 0.5 + 1e-3)
		{
			fail_msg("level %u of %u x %u, texel %zu, channel %zu: %u; expected %.4f", index, mips->levels[0].width,
				mips->levels[0].height, i / 4, i % 4, mips->levels[index].data[i], expected);
		}
	}
}

static void compare_chain(lrd_mips_desc desc)
{
	bool encode = desc.content == LRD_MIP_COLOR;
	lrd_mips mips = make(desc);
	mip_reference level = mip_reference_load(desc.image, encode, desc.alpha_weighted);
	for (uint32_t i = 1; i < mips.level_count; i++)
	{
		mip_reference next = mip_reference_halve(&level, desc.filter, desc.wrap_u, desc.wrap_v);
		free(level.texels);
		level = next;
		compare_level(&mips, i, &level, encode, desc.alpha_weighted);
	}
	free(level.texels);
	lrd_mips_free(&mips);
}

static void box_is_the_mean_of_the_area_at_every_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++)
	{
		lrd_image image = noisy(sizes[i][0], sizes[i][1], LRD_PIXEL_UNORM8);
		for (size_t at = 3; at < image.size; at += 8)
		{
			((uint8_t *)image.pixels)[at] |= 1; // no level without alpha
		}
		compare_chain((lrd_mips_desc){ .image = &image, .filter = LRD_MIP_FILTER_BOX });
		compare_chain((lrd_mips_desc){ .image = &image, .filter = LRD_MIP_FILTER_BOX, .content = LRD_MIP_DATA });
		for (size_t at = 3; at < image.size; at += 4)
		{
			((uint8_t *)image.pixels)[at] |= 1;
		}
		compare_chain((lrd_mips_desc){ .image = &image, .filter = LRD_MIP_FILTER_BOX, .alpha_weighted = true });
		lrd_image_free(&image);
	}
}

static void sinc_is_the_windowed_sinc_at_every_size_and_wrap(void **state)
{
	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++)
	{
		lrd_image image = noisy(sizes[i][0], sizes[i][1], LRD_PIXEL_UNORM8);
		for (int wrap = 0; wrap < 9; wrap++)
		{
			lrd_mips_desc desc = { .image = &image,
				.filter = LRD_MIP_FILTER_SINC,
				.content = wrap % 2 != 0 ? LRD_MIP_DATA : LRD_MIP_COLOR,
				.wrap_u = (lrd_mip_wrap)(wrap % 3),
				.wrap_v = (lrd_mip_wrap)(wrap / 3) };
			compare_chain(desc);
		}
		lrd_image_free(&image);
	}
}

static void floats_are_filtered_as_exactly_as_halves_can_tell(void **state)
{
	(void)state;
	for (int filter = LRD_MIP_FILTER_BOX; filter <= LRD_MIP_FILTER_SINC; filter++)
	{
		lrd_image image = noisy(75, 52, LRD_PIXEL_F32);
		lrd_mips mips = make((lrd_mips_desc){ .image = &image, .filter = (lrd_mip_filter)filter });
		mip_reference level = mip_reference_load(&image, false, false);
		for (uint32_t i = 1; i < mips.level_count; i++)
		{
			mip_reference next = mip_reference_halve(&level, (lrd_mip_filter)filter, 0, 0);
			free(level.texels);
			level = next;
			for (size_t at = 0; at < mips.levels[i].size / 2; at++)
			{
				uint16_t half;
				memcpy(&half, mips.levels[i].data + 2 * at, sizeof half);
				double expected = fmax(level.texels[at], 0);
				expected = at % 4 == 3 && filter == LRD_MIP_FILTER_SINC ? fmin(expected, 1) : expected;
				assert_true(fabs(lrd_float_from_half(half) - expected) <= expected * 0x1p-11 + 2e-6);
			}
		}
		free(level.texels);
		lrd_mips_free(&mips);
		lrd_image_free(&image);
	}
}

// A bright column at the left edge: the texel at the right edge sees it only where the image repeats.
static void what_lies_past_an_edge_follows_the_wrap(void **state)
{
	(void)state;
	for (int down = 0; down < 2; down++)
	{
		uint8_t last[3];
		for (int wrap = 0; wrap < 3; wrap++)
		{
			lrd_image image = blank(32, 32, LRD_PIXEL_UNORM8);
			for (uint32_t i = 0; i < 32 * 32; i++)
			{
				uint8_t value = (down ? i / 32 : i % 32) == 0 ? 255 : 50;
				set_8(&image, i % 32, i / 32, value, value, value, 255);
			}
			lrd_mip_wrap asked = (lrd_mip_wrap)wrap;
			lrd_mips mips = make((lrd_mips_desc){ .image = &image,
				.content = LRD_MIP_DATA,
				.filter = LRD_MIP_FILTER_SINC,
				.wrap_u = down ? LRD_MIP_WRAP_CLAMP : asked,
				.wrap_v = down ? asked : LRD_MIP_WRAP_CLAMP });
			last[wrap] = mip_texel(&mips, 1, 15, 15)[0];
			lrd_mips_free(&mips);
			lrd_image_free(&image);
		}
		assert_int_equal(last[LRD_MIP_WRAP_CLAMP], 50);
		assert_int_equal(last[LRD_MIP_WRAP_MIRROR], 50);
		assert_true(abs(last[LRD_MIP_WRAP_REPEAT] - 50) > 5);
	}
}

// What repeats, repeats: a texture moved round its edges has levels moved likewise.
static void repeating_textures_have_no_seam(void **state)
{
	(void)state;
	lrd_image image = noisy(64, 64, LRD_PIXEL_UNORM8), moved = blank(64, 64, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 64 * 64; i++)
	{
		uint32_t x = (i % 64 + 24) % 64, y = (i / 64 + 40) % 64;
		memcpy((uint8_t *)moved.pixels + 4 * (y * 64 + x), (uint8_t *)image.pixels + (size_t)4 * i, 4);
	}
	lrd_mips a = make((lrd_mips_desc){ .image = &image }), b = make((lrd_mips_desc){ .image = &moved });
	for (uint32_t level = 1; level <= 3; level++)
	{
		uint32_t side = 64 >> level;
		for (uint32_t i = 0; i < side * side; i++)
		{
			uint32_t x = (i % side + (24 >> level)) % side, y = (i / side + (40 >> level)) % side;
			assert_memory_equal(mip_texel(&a, level, i % side, i / side), mip_texel(&b, level, x, y), 4);
		}
	}
	lrd_mips_free(&a);
	lrd_mips_free(&b);
	lrd_image_free(&image);
	lrd_image_free(&moved);
}

static void light_is_never_negative_unless_the_image_is(void **state)
{
	(void)state;
	for (int negative = 0; negative < 2; negative++)
	{
		lrd_image image = blank(64, 64, LRD_PIXEL_F32);
		image.linear = true;
		float *texels = image.pixels;
		for (size_t i = 0; i < (size_t)64 * 64; i++)
		{
			bool sun = i % 64 / 8 == 3 && i / 512 == 3;
			texels[4 * i] = texels[4 * i + 1] = texels[4 * i + 2] = sun ? 5000.0f : 0.0f;
			texels[4 * i + 3] = 1.0f;
		}
		texels[0] = negative ? -1.0f : 0.0f;
		lrd_mips mips = make((lrd_mips_desc){ .image = &image, .filter = LRD_MIP_FILTER_SINC });
		bool found = false;
		for (uint32_t i = 0; i < 32 * 32; i++)
		{
			found = found || mip_half(&mips, 1, i % 32, i / 32, 1) < 0;
			float alpha = mip_half(&mips, 1, i % 32, i / 32, 3);
			assert_true(alpha == 1.0f);
		}
		assert_int_equal(found, negative);
		lrd_mips_free(&mips);
		lrd_image_free(&image);
	}
}

static double mean_square_of_level_3(const lrd_image *image, lrd_mip_filter filter)
{
	lrd_mips mips = make((lrd_mips_desc){ .image = image, .filter = filter, .content = LRD_MIP_DATA });
	double sum = 0;
	for (size_t at = 0; at < mips.levels[3].size; at += 4)
	{
		double value = mips.levels[3].data[at] - 127.5;
		sum += value * value / ((double)mips.levels[3].size / 4);
	}
	lrd_mips_free(&mips);
	return sum;
}

// Waves of 5.5 texels are too fine for level 3, of 40 are not.
static void sinc_aliases_less_than_box_and_keeps_more(void **state)
{
	(void)state;
	static const double lengths[] = { 5.5, 24 };
	double left[2][2];
	for (int i = 0; i < 2; i++)
	{
		lrd_image image = blank(264, 264, LRD_PIXEL_UNORM8);
		for (uint32_t at = 0; at < 264 * 264; at++)
		{
			double wave = sin(at % 264 * 6.283185307 / lengths[i]);
			set_8(&image, at % 264, at / 264, (uint8_t)(128 + 120 * wave), 0, 0, 255);
		}
		left[i][0] = mean_square_of_level_3(&image, LRD_MIP_FILTER_BOX);
		left[i][1] = mean_square_of_level_3(&image, LRD_MIP_FILTER_SINC);
		lrd_image_free(&image);
	}
	assert_true(left[0][1] < left[0][0] / 50);
	assert_true(left[1][1] > left[1][0] * 1.15);
}

static void colour_is_sinc_and_the_rest_is_box_unless_asked_otherwise(void **state)
{
	(void)state;
	lrd_image image = noisy(32, 32, LRD_PIXEL_UNORM8), hdr = noisy(32, 32, LRD_PIXEL_F32);
	const lrd_mips_desc descs[] = { { .image = &image }, { .image = &image, .content = LRD_MIP_DATA },
		{ .image = &image, .content = LRD_MIP_NORMAL }, { .image = &image, .alpha_weighted = true },
		{ .image = &image, .premultiply = true }, { .image = &image, .alpha_coverage = 0.5f }, { .image = &hdr } };
	for (size_t i = 0; i < sizeof descs / sizeof *descs; i++)
	{
		lrd_mips_desc desc = descs[i];
		lrd_mips mips = make(desc);
		desc.filter = i == 0 ? LRD_MIP_FILTER_SINC : LRD_MIP_FILTER_BOX;
		lrd_mips expected = make(desc);
		assert_memory_equal(mips.levels[1].data, expected.levels[1].data, mips.levels[1].size);
		lrd_mips_free(&mips);
		lrd_mips_free(&expected);
	}
	lrd_image_free(&image);
	lrd_image_free(&hdr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(box_is_the_mean_of_the_area_at_every_size),
		cmocka_unit_test(sinc_is_the_windowed_sinc_at_every_size_and_wrap),
		cmocka_unit_test(floats_are_filtered_as_exactly_as_halves_can_tell),
		cmocka_unit_test(what_lies_past_an_edge_follows_the_wrap),
		cmocka_unit_test(repeating_textures_have_no_seam),
		cmocka_unit_test(light_is_never_negative_unless_the_image_is),
		cmocka_unit_test(sinc_aliases_less_than_box_and_keeps_more),
		cmocka_unit_test(colour_is_sinc_and_the_rest_is_box_unless_asked_otherwise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
