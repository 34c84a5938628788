// Mip chains: which levels there are, what they cost, the light they keep, and how they are rounded.

#include "failing_allocator.h"
#include "fixtures/mip_check.h"

#include <math.h>

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
	lrd_mips_free(&mips);
	mips = make((lrd_mips_desc){ .image = &image, .filter = LRD_MIP_FILTER_BOX });
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

static void floats_become_halves_and_what_none_holds_is_clamped_and_counted(void **state)
{
	(void)state;
	lrd_image image = blank(2, 1, LRD_PIXEL_F32);
	image.linear = true;
	memcpy(image.pixels, (const float[]){ 1.0f, INFINITY, NAN, 1, 3.0f, 1e30f, 0.25f, 1 }, 32);
	for (uint32_t levels = 0; levels < 2; levels++)
	{
		lrd_mips mips = make((lrd_mips_desc){ .image = &image, .level_count = levels });
		assert_true(mips.half_float);
		assert_int_equal(mips.clamped, 3);
		assert_int_equal(mips.levels[0].size, 16);
		assert_true(mip_half(&mips, 0, 0, 0, 1) == LRD_HALF_MAX);
		assert_true(mip_half(&mips, 0, 0, 0, 2) == 0.0f);
		lrd_mips_free(&mips);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image });
	assert_true(mip_half(&mips, 1, 0, 0, 0) == 2.0f);
	assert_true(mip_half(&mips, 1, 0, 0, 1) == LRD_HALF_MAX);
	assert_true(mip_half(&mips, 1, 0, 0, 2) == 0.125f); // NaN is 0
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void solid_colours_stay_to_the_last_bit(void **state)
{
	(void)state;
	static const uint32_t sizes[][2] = { { 64, 64 }, { 37, 61 }, { 1, 129 }, { 300, 1 }, { 3, 5 } };
	for (uint32_t turn = 0; turn < 5 * 3 * 2 * 2 * 4; turn++)
	{
		lrd_pixel_type type = (lrd_pixel_type)(turn / 5 % 3);
		lrd_image image = blank(sizes[turn % 5][0], sizes[turn % 5][1], type);
		image.linear = type == LRD_PIXEL_F32;
		size_t texel_size = image.size / image.width / image.height;
		for (size_t i = 0; i < image.size; i++)
		{
			((uint8_t *)image.pixels)[i] = (uint8_t)(noise((uint32_t)(i % texel_size) + turn * 16) & 0x3f);
		}
		lrd_mips mips = make((lrd_mips_desc){ .image = &image,
			.filter = turn / 15 % 2 != 0 ? LRD_MIP_FILTER_BOX : LRD_MIP_FILTER_SINC,
			.content = turn / 30 % 2 != 0 ? LRD_MIP_COLOR : LRD_MIP_DATA });
		size_t stored = mips.half_float ? 8 : 4;
		for (uint32_t level = 0; level < mips.level_count; level++)
		{
			for (size_t at = 0; at < mips.levels[level].size; at += stored)
			{
				assert_memory_equal(mips.levels[level].data + at, mips.levels[0].data, stored);
			}
		}
		lrd_mips_free(&mips);
		lrd_image_free(&image);
	}
}

static void levels_that_are_too_large_or_too_small_are_left_out(void **state)
{
	(void)state;
	lrd_image image = noisy(100, 40, LRD_PIXEL_UNORM8);
	lrd_mips all = make((lrd_mips_desc){ .image = &image });
	lrd_mips some = make((lrd_mips_desc){ .image = &image, .max_side = 50, .min_side = 12 });
	assert_int_equal(some.level_count, 3); // 50 x 20, 25 x 10, 12 x 5
	for (uint32_t level = 0; level < some.level_count; level++)
	{
		assert_int_equal(some.levels[level].width, all.levels[level + 1].width);
		assert_int_equal(some.levels[level].size, all.levels[level + 1].size);
		assert_memory_equal(some.levels[level].data, all.levels[level + 1].data, some.levels[level].size);
	}
	lrd_mips_free(&some);
	some = make((lrd_mips_desc){ .image = &image, .max_side = 49, .level_count = 1 });
	assert_int_equal(some.level_count, 1);
	assert_memory_equal(some.levels[0].data, all.levels[2].data, all.levels[2].size);
	lrd_mips_free(&some);
	some = make((lrd_mips_desc){ .image = &image, .min_side = 1000 });
	assert_int_equal(some.level_count, 1); // the first is there whatever its size
	assert_int_equal(some.levels[0].width, 100);
	lrd_mips_free(&some);
	lrd_mips_free(&all);
	lrd_image_free(&image);
}

static void level_0_is_borrowed_only_where_nothing_changes(void **state)
{
	(void)state;
	lrd_image image = noisy(9, 6, LRD_PIXEL_UNORM8), deep = noisy(9, 6, LRD_PIXEL_UNORM16);
	const lrd_mips_desc descs[] = {
		{ .image = &image },
		{ .image = &image, .content = LRD_MIP_NORMAL },
		{ .image = &image, .content = LRD_MIP_NORMAL, .flip_y = true },
		{ .image = &image, .premultiply = true },
		{ .image = &image, .max_side = 5 },
		{ .image = &deep },
	};
	for (size_t i = 0; i < 6; i++)
	{
		lrd_mips_desc desc = descs[i];
		lrd_mips expected = make(desc);
		desc.borrow_image = true;
		lrd_mips mips = make(desc);
		assert_int_equal(mips.borrowed, i < 2);
		assert_int_equal(mips.levels[0].data == image.pixels, i < 2);
		for (uint32_t level = 0; level < mips.level_count; level++)
		{
			assert_memory_equal(mips.levels[level].data, expected.levels[level].data, mips.levels[level].size);
		}
		lrd_mips_free(&mips);
		lrd_mips_free(&expected);
	}
	lrd_image_free(&image);
	lrd_image_free(&deep);
}

static bool make_once(const lrd_mips_desc *asked, long long fewest, long long *peak)
{
	failing_allocator allocator;
	failing_allocator_init(&allocator, fewest);
	lrd_mips_desc desc = *asked;
	desc.allocator = failing_allocator_get(&allocator);
	lrd_mips mips;
	lrd_error error = { 0 };
	bool made = lrd_mips_make(&desc, &mips, &error);
	if (made)
	{
		long long chain = atomic_load(&allocator.bytes_out);
		*peak = atomic_load(&allocator.bytes_peak) - chain;
		lrd_mips_free(&mips);
	}
	else
	{
		assert_int_equal(error.code, LRD_ERROR_MEMORY);
	}
	assert_int_equal(atomic_load(&allocator.bytes_out), 0);
	return made;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	lrd_image image = noisy(16, 8, LRD_PIXEL_UNORM16), normals = noisy(5, 9, LRD_PIXEL_UNORM8);
	const lrd_mips_desc descs[] = {
		{ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.5f },
		{ .image = &image, .filter = LRD_MIP_FILTER_SINC, .premultiply = true },
		{ .image = &image, .content = LRD_MIP_DATA, .roughness_normals = &normals },
		{ .image = &normals, .borrow_image = true },
	};
	for (size_t i = 0; i < 4; i++)
	{
		long long fewest = 0, peak;
		while (!make_once(&descs[i], fewest, &peak))
		{
			fewest++;
		}
		assert_true(fewest > 3);
	}
	lrd_image_free(&image);
	lrd_image_free(&normals);
}

static void no_level_is_held_in_float(void **state)
{
	(void)state;
	lrd_image image = noisy(512, 512, LRD_PIXEL_UNORM8);
	for (int filter = LRD_MIP_FILTER_BOX; filter <= LRD_MIP_FILTER_SINC; filter++)
	{
		long long peak, texel = 4 * (long long)sizeof(float);
		assert_true(make_once(&(lrd_mips_desc){ .image = &image, .filter = (lrd_mip_filter)filter }, -1, &peak));
		assert_true(peak < (filter == LRD_MIP_FILTER_BOX ? 12 : 48) * 512 * texel); // rows
	}
	lrd_image_free(&image);
}

static void every_instruction_set_gives_the_same_bytes(void **state)
{
	(void)state;
	static const uint32_t sizes[][2] = { { 64, 64 }, { 67, 45 }, { 1, 31 }, { 33, 1 }, { 130, 7 } };
	for (uint32_t turn = 0; turn < 5 * 3 * 8; turn++)
	{
		lrd_image image = noisy(sizes[turn % 5][0], sizes[turn % 5][1], (lrd_pixel_type)(turn / 5 % 3));
		lrd_image normals = noisy(48, 40, LRD_PIXEL_UNORM8);
		const lrd_mips_desc descs[8] = {
			{ .image = &image },
			{ .image = &image, .filter = LRD_MIP_FILTER_BOX },
			{ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.4f },
			{ .image = &image, .filter = LRD_MIP_FILTER_SINC, .premultiply = true },
			{ .image = &image, .content = LRD_MIP_DATA, .wrap_u = LRD_MIP_WRAP_MIRROR },
			{ .image = &image, .content = LRD_MIP_NORMAL, .filter = LRD_MIP_FILTER_SINC },
			{ .image = &image, .content = LRD_MIP_NORMAL, .two_channel = true, .flip_y = true },
			{ .image = &image, .content = LRD_MIP_DATA, .roughness_normals = &normals },
		};
		lrd_mips_desc desc = descs[turn / 15];
		desc.isa = LRD_ISA_PORTABLE;
		lrd_mips expected = make(desc);
		for (lrd_isa isa = LRD_ISA_PORTABLE + 1; isa < LRD_ISA_COUNT; isa++)
		{
			desc.isa = isa;
			lrd_mips mips = make(desc);
			assert_int_equal(mips.level_count, expected.level_count);
			for (uint32_t level = 0; level < mips.level_count; level++)
			{
				assert_memory_equal(mips.levels[level].data, expected.levels[level].data, mips.levels[level].size);
			}
			lrd_mips_free(&mips);
		}
		lrd_mips_free(&expected);
		lrd_image_free(&image);
		lrd_image_free(&normals);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(black_and_white_average_to_half_the_light),
		cmocka_unit_test(level_0_is_the_image),
		cmocka_unit_test(levels_halve_rounded_down_to_one_texel),
		cmocka_unit_test(every_size_keeps_the_mean),
		cmocka_unit_test(odd_sizes_weigh_every_texel_alike),
		cmocka_unit_test(impossible_arguments_are_refused),
		cmocka_unit_test(sixteen_bits_are_rounded_once),
		cmocka_unit_test(linear_colour_is_encoded_from_level_0_on),
		cmocka_unit_test(floats_become_halves_and_what_none_holds_is_clamped_and_counted),
		cmocka_unit_test(solid_colours_stay_to_the_last_bit),
		cmocka_unit_test(levels_that_are_too_large_or_too_small_are_left_out),
		cmocka_unit_test(level_0_is_borrowed_only_where_nothing_changes),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(no_level_is_held_in_float),
		cmocka_unit_test(every_instruction_set_gives_the_same_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
