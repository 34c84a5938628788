// Comparing pictures: which channels, as what, and the picture of the difference.

#include "failing_allocator.h"
#include "fixtures/picture_check.h"

static void only_channels_that_both_have_are_compared(void **state)
{
	(void)state;
	uint8_t grey[8] = { 10, 10, 10, 255, 200, 200, 200, 255 };
	uint8_t red[8] = { 10, 0, 0, 255, 200, 0, 0, 255 };
	lrd_pixels a = { .width = 2, .height = 1, .channels = LRD_CHANNELS_RGB, .data = grey, .size = 8 };
	lrd_pixels b = { .width = 2, .height = 1, .channels = LRD_CHANNEL_R, .data = red, .size = 8 };
	lrd_pixels_comparison result = compare(&a, &b, false);
	assert_int_equal(result.channels, LRD_CHANNEL_R);
	assert_true(isinf(result.psnr_rgb));
	assert_true(result.max == 0);
	assert_true(result.ssim_rgb == 1.0);
	red[0] = 61; // 51 of 255 in one of two texels: an mse of 0.02
	result = compare(&a, &b, false);
	assert_true(fabs(result.psnr_rgb - 16.9897) < 1e-4);
	assert_true(fabs(result.max - 0.2) < 1e-6);
	lrd_pixels picture;
	lrd_pixels_compare_desc desc = { .reference = &a, .pixels = &b, .amplify = 2.0f };
	assert_true(lrd_pixels_difference(&desc, &picture, NULL));
	static const uint8_t expected[8] = { 102, 102, 102, 255, 0, 0, 0, 255 };
	assert_memory_equal(picture.data, expected, 8);
	lrd_pixels_free(&picture);
}

static void codes_are_compared_as_codes_and_light_as_light(void **state)
{
	(void)state;
	uint8_t codes[4] = { 188, 188, 188, 255 };
	float light[4];
	for (size_t c = 0; c < 4; ++c)
	{
		light[c] = c == 3 ? 1.0f : lrd_srgb_to_linear(188.0f / 255.0f);
	}
	lrd_pixels encoded = {
		.width = 1, .height = 1, .channels = LRD_CHANNELS_RGB, .srgb = true, .data = codes, .size = 4
	};
	lrd_pixels linear = encoded;
	linear.srgb = false;
	lrd_pixels_comparison result = compare(&encoded, &linear, false);
	assert_int_equal(result.as, LRD_COMPARED_CODES);
	assert_true(result.max == 0);
	lrd_pixels open = {
		.width = 1,
		.height = 1,
		.type = LRD_PIXELS_F32,
		.range = LRD_PIXELS_OPEN,
		.channels = LRD_CHANNELS_RGB,
		.data = light,
		.size = sizeof light,
	};
	result = compare(&open, &encoded, false);
	assert_int_equal(result.as, LRD_COMPARED_LIGHT);
	assert_true(result.max < 1e-6);
	assert_true(result.psnr_reinhard > 100.0);
	assert_true(result.psnr_log2 > 100.0);
	result = compare(&open, &linear, false);
	assert_true(result.max > 0.2);
	result = compare_as(&open, &encoded, false, LRD_MEANING_DATA);
	assert_true(result.max > 0.2);
	result = compare_as(&encoded, &linear, false, LRD_MEANING_COLORS);
	assert_int_equal(result.as, LRD_COMPARED_LIGHT);
	assert_true(result.max > 0.2);
}

static void signed_numbers_are_compared_with_codes(void **state)
{
	(void)state;
	uint8_t codes[4] = { 255, 0, 128, 255 };
	float numbers[4] = { 1.0f, -1.0f, 0.0f, 1.0f };
	lrd_pixels unit = { .width = 1, .height = 1, .channels = LRD_CHANNELS_RGB, .data = codes, .size = 4 };
	lrd_pixels both = {
		.width = 1,
		.height = 1,
		.type = LRD_PIXELS_F32,
		.range = LRD_PIXELS_SIGNED,
		.channels = LRD_CHANNELS_RGB,
		.data = numbers,
		.size = sizeof numbers,
	};
	lrd_pixels_comparison result = compare(&unit, &both, false);
	assert_int_equal(result.as, LRD_COMPARED_CODES);
	assert_true(result.max < 0.5 / 255.0 + 1e-4);
}

static void pictures_of_different_sizes_are_refused(void **state)
{
	(void)state;
	uint8_t codes[8] = { 0 };
	lrd_pixels a = { .width = 2, .height = 1, .channels = LRD_CHANNELS_RGB, .data = codes, .size = 8 };
	lrd_pixels b = { .width = 1, .height = 2, .channels = LRD_CHANNELS_RGB, .data = codes, .size = 8 };
	lrd_pixels_comparison result;
	lrd_error error = { 0 };
	lrd_pixels_compare_desc desc = { .reference = &a, .pixels = &b };
	assert_false(lrd_pixels_compare(&desc, &result, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "2 x 1"));
	assert_non_null(strstr(error.message, "1 x 2"));
	lrd_pixels picture;
	assert_false(lrd_pixels_difference(&desc, &picture, &error));
	lrd_pixels_flip_result flipped;
	lrd_pixels_flip_desc flip = { .reference = &a, .pixels = &b };
	assert_false(lrd_pixels_flip(&flip, &flipped, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	a.width = 0;
	b = a;
	assert_false(lrd_pixels_compare(&desc, &result, &error));
	assert_false(lrd_pixels_flip(&flip, &flipped, NULL, &error));
}

static void pictures_are_flipped_as_a_screen_shows_them(void **state)
{
	(void)state;
	uint8_t codes[4] = { 188, 188, 188, 0 };
	float light[4] = { 1.0f, 1.0f, 1.0f, 1.0f }; // shown as 1 / (1 + 1), encoded
	lrd_pixels a = {
		.width = 1, .height = 1, .channels = LRD_CHANNELS_RGB | LRD_CHANNEL_A, .srgb = true, .data = codes, .size = 4
	};
	lrd_pixels b = { .width = 1,
		.height = 1,
		.type = LRD_PIXELS_F32,
		.range = LRD_PIXELS_OPEN,
		.channels = LRD_CHANNELS_RGB,
		.data = light,
		.size = sizeof light };
	lrd_pixels_flip_result result;
	lrd_pixels picture;
	lrd_pixels_flip_desc desc = { .reference = &a, .pixels = &b };
	assert_true(lrd_pixels_flip(&desc, &result, &picture, NULL));
	assert_true(result.greatest < 0.001);
	static const uint8_t black[4] = { 0, 0, 4, 255 };
	assert_memory_equal(picture.data, black, 4);
	lrd_pixels_free(&picture);
	light[0] = 0.0f;
	assert_true(lrd_pixels_flip(&desc, &result, NULL, NULL));
	assert_true(result.greatest > 0.5);
}

static void flipping_fails_cleanly_without_memory(void **state)
{
	(void)state;
	uint8_t codes[4] = { 0 };
	lrd_pixels a = { .width = 1, .height = 1, .channels = LRD_CHANNELS_RGB, .data = codes, .size = 4 };
	for (long long succeed = 0;; ++succeed)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_pixels_flip_desc desc = { .reference = &a, .pixels = &a, .allocator = failing_allocator_get(&memory) };
		lrd_pixels_flip_result result;
		lrd_pixels picture = { 0 };
		lrd_error error = { 0 };
		bool good = lrd_pixels_flip(&desc, &result, &picture, &error);
		lrd_pixels_free(&picture);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
		if (good)
		{
			assert_true(succeed == 3);
			break;
		}
		assert_int_equal(error.code, LRD_ERROR_MEMORY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_channels_that_both_have_are_compared),
		cmocka_unit_test(codes_are_compared_as_codes_and_light_as_light),
		cmocka_unit_test(signed_numbers_are_compared_with_codes),
		cmocka_unit_test(pictures_of_different_sizes_are_refused),
		cmocka_unit_test(pictures_are_flipped_as_a_screen_shows_them),
		cmocka_unit_test(flipping_fails_cleanly_without_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
