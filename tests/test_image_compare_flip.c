// FLIP. What it gives of the pattern below agrees with the paper's formulas computed directly, by filters of two dimensions in
// double precision, to 3 millionths.

#include "base/memory.h"
#include "failing_allocator.h"
#include "image/compare_flip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WIDTH 48u
#define HEIGHT 40u

static uint8_t first[4 * WIDTH * HEIGHT];
static uint8_t second[4 * WIDTH * HEIGHT];
static uint8_t drawn[4 * WIDTH * HEIGHT];

static lrd_flip_result flip(
	const uint8_t *a, const uint8_t *b, uint32_t width, uint32_t height, float pixels_per_degree)
{
	lrd_flip_result result;
	lrd_error error = { 0 };
	lrd_flip_desc desc = { a, b, width, height, pixels_per_degree, drawn,
		lrd_allocator_or_default((lrd_allocator){ 0 }) };
	if (!lrd_flip(&desc, &result, &error))
	{
		fail_msg("%s", error.message);
	}
	return result;
}

static void fill(uint8_t *pixels, uint8_t red, uint8_t green, uint8_t blue)
{
	for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
	{
		pixels[4 * i] = red;
		pixels[4 * i + 1] = green;
		pixels[4 * i + 2] = blue;
		pixels[4 * i + 3] = (uint8_t)i; // looked at by nobody
	}
}

/// Slopes of colour; in the second picture with a red block, a white line, and less light below.
static void draw_patterns(void)
{
	for (uint32_t y = 0; y < HEIGHT; y++)
	{
		for (uint32_t x = 0; x < WIDTH; x++)
		{
			uint8_t *a = first + ((size_t)y * WIDTH + x) * 4, *b = second + ((size_t)y * WIDTH + x) * 4;
			const uint8_t slope[4] = { (uint8_t)(x * 5), (uint8_t)(y * 6), (uint8_t)((x * y) >> 1), 255 };
			memcpy(a, slope, 4);
			memcpy(b, x > 10 && x < 20 && y > 8 && y < 14 ? (const uint8_t[4]){ 255, 0, 0, 255 } : slope, 4);
			memcpy(b, x == 30 ? (const uint8_t[4]){ 255, 255, 255, 255 } : b, 4);
			for (size_t c = 0; y > 30 && c < 3; c++)
			{
				b[c] = b[c] > 20 ? (uint8_t)(b[c] - 20) : 0;
			}
		}
	}
}

static void a_picture_is_not_different_from_itself(void **state)
{
	(void)state;
	draw_patterns();
	lrd_flip_result result = flip(first, first, WIDTH, HEIGHT, 0);
	assert_true(result.mean == 0 && result.most == 0 && result.greatest == 0);
	static const uint8_t black[4] = { 0, 0, 4, 255 };
	assert_memory_equal(drawn, black, 4);
}

static void green_and_blue_are_as_different_as_can_be(void **state)
{
	(void)state;
	fill(first, 0, 255, 0);
	fill(second, 0, 0, 255);
	lrd_flip_result result = flip(first, second, WIDTH, HEIGHT, 0);
	assert_true(result.mean > 0.9999 && result.most == 1);
	static const uint8_t light[4] = { 252, 253, 191, 255 };
	for (size_t c = 0; c < 4; c++)
	{
		assert_true(abs(drawn[c] - light[c]) <= 1);
	}
}

// 100 of lightness, to the power of 0.7, beside 203.67 between green and blue.
static void white_and_black_are_nearly_so(void **state)
{
	(void)state;
	fill(first, 255, 255, 255);
	fill(second, 0, 0, 0);
	lrd_flip_result result = flip(first, second, WIDTH, HEIGHT, 0);
	assert_true(fabs(result.mean - 0.967374) < 1e-4);
}

static void a_pattern_is_told_as_by_direct_filters(void **state)
{
	(void)state;
	static const struct
	{
		float pixels_per_degree;
		double mean, greatest;
	} expected[] = { { 67.02064f, 0.2049329, 0.9682561 }, { 30, 0.1683918, 0.9864888 }, { 12, 0.1447998, 0.9931354 } };
	draw_patterns();
	for (size_t i = 0; i < 3; i++)
	{
		lrd_flip_result result = flip(first, second, WIDTH, HEIGHT, expected[i].pixels_per_degree);
		assert_true(fabs(result.mean - expected[i].mean) < 1e-5);
		assert_true(fabs(result.greatest - expected[i].greatest) < 1e-4);
		assert_true(result.most <= result.greatest + 1.0 / 1024 && result.most > 0.9);
	}
}

static void which_of_two_comes_first_does_not_matter(void **state)
{
	(void)state;
	draw_patterns();
	lrd_flip_result there = flip(first, second, WIDTH, HEIGHT, 0), back = flip(second, first, WIDTH, HEIGHT, 0);
	assert_true(there.mean == back.mean && there.most == back.most && there.greatest == back.greatest);
}

static void fine_noise_vanishes_with_distance(void **state)
{
	(void)state;
	fill(first, 128, 128, 128);
	fill(second, 128, 128, 128);
	for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
	{
		memset(second + 4 * i, (i + i / WIDTH) % 2 == 0 ? 140 : 116, 3);
	}
	double near_by = flip(first, second, WIDTH, HEIGHT, 5).mean, far_off = flip(first, second, WIDTH, HEIGHT, 100).mean;
	assert_true(near_by > 0.1);
	assert_true(far_off < 0.05); // encoded, so that what light comes together is a little more
}

static void one_odd_pixel_in_a_thousand_is_not_most_of_them(void **state)
{
	(void)state;
	fill(first, 90, 90, 90);
	fill(second, 90, 90, 90);
	second[0] = 255;
	lrd_flip_result result = flip(first, second, WIDTH, HEIGHT, 2); // whose filters reach over a pixel or two
	assert_true(result.most < 0.05 && result.greatest > 0.3);
}

static void pictures_smaller_than_the_filters_are_compared(void **state)
{
	(void)state;
	const uint8_t a[4] = { 255, 255, 255, 255 }, b[4] = { 0, 0, 0, 255 };
	assert_true(fabs(flip(a, b, 1, 1, 400).mean - 0.967374) < 1e-4);
}

static void what_cannot_be_compared_is_refused(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t width, height;
		float pixels_per_degree;
	} bad[] = { { 0, 1, 0 }, { 1, 0, 0 }, { 1, 1, 0.5f }, { 1, 1, 401 }, { 1, 1, -1 }, { 1, 1, NAN } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
	{
		lrd_flip_desc desc = { .reference = first,
			.image = second,
			.width = bad[i].width,
			.height = bad[i].height,
			.pixels_per_degree = bad[i].pixels_per_degree,
			.allocator = lrd_allocator_or_default((lrd_allocator){ 0 }) };
		lrd_flip_result result;
		lrd_error error = { 0 };
		assert_false(lrd_flip(&desc, &result, &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	}
}

static void a_failed_allocation_fails_cleanly(void **state)
{
	(void)state;
	draw_patterns();
	for (long long succeed = 0;; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_flip_desc desc = { .reference = first,
			.image = second,
			.width = WIDTH,
			.height = HEIGHT,
			.allocator = failing_allocator_get(&memory) };
		lrd_flip_result result;
		lrd_error error = { 0 };
		bool good = lrd_flip(&desc, &result, &error);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
		if (good)
		{
			assert_true(succeed > 0);
			break;
		}
		assert_int_equal(error.code, LRD_ERROR_MEMORY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_picture_is_not_different_from_itself),
		cmocka_unit_test(green_and_blue_are_as_different_as_can_be),
		cmocka_unit_test(white_and_black_are_nearly_so),
		cmocka_unit_test(a_pattern_is_told_as_by_direct_filters),
		cmocka_unit_test(which_of_two_comes_first_does_not_matter),
		cmocka_unit_test(fine_noise_vanishes_with_distance),
		cmocka_unit_test(one_odd_pixel_in_a_thousand_is_not_most_of_them),
		cmocka_unit_test(pictures_smaller_than_the_filters_are_compared),
		cmocka_unit_test(what_cannot_be_compared_is_refused),
		cmocka_unit_test(a_failed_allocation_fails_cleanly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
