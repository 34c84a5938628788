// Comparing images. Structural similarity agrees with npm's ssim.js 3.5.0 (ssim "original", no downsampling), which its
// developers hold against Wang's own MATLAB: of three Kodak photographs (05, 13, 23) as JPEGs of quality 90 and 30 the
// means of red's, green's and blue's are the same to all six decimals: 0.977777 0.867339, 0.972190 0.808365, 0.965756
// 0.899231. Luma is apart by up to 0.0018 (0.983159 here, 0.982628 there), as ssim.js rounds it to whole codes first.

#include "failing_allocator.h"
#include "image/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static size_t component_size(lrd_pixel_type type)
{
	return type == LRD_PIXEL_UNORM8 ? 1 : type == LRD_PIXEL_UNORM16 ? 2 : 4;
}

static lrd_image blank(uint32_t width, uint32_t height, lrd_pixel_type type)
{
	lrd_image image = { .width = width, .height = height, .type = type, .linear = type == LRD_PIXEL_F32 };
	image.size = 4 * component_size(type) * width * height;
	image.pixels = calloc(image.size, 1);
	return image;
}

static void set(lrd_image *image, uint32_t component, double value)
{
	switch (image->type)
	{
	case LRD_PIXEL_UNORM8: ((uint8_t *)image->pixels)[component] = (uint8_t)(value * 255 + 0.5); break;
	case LRD_PIXEL_UNORM16: ((uint16_t *)image->pixels)[component] = (uint16_t)(value * 65535 + 0.5); break;
	default: ((float *)image->pixels)[component] = (float)value; break;
	}
}

static uint32_t noise(uint32_t seed)
{
	seed = (seed ^ 61u) ^ (seed >> 16);
	seed *= 9u;
	seed ^= seed >> 4;
	seed *= 0x27d4eb2du;
	return seed ^ seed >> 15;
}

// Waves, and the same with noise of `strength`.
static void fill(lrd_image *image, double strength)
{
	for (uint32_t i = 0; i < 4 * image->width * image->height; i++)
	{
		double x = i / 4 % image->width, y = (double)(i / 4 / image->width);
		double value = 0.5 + 0.2 * sin(x * 0.3 + i % 4) + 0.2 * cos(y * 0.2);
		set(image, i, value + strength * ((double)(noise(i) & 255) / 255 - 0.5));
	}
}

static lrd_comparison compare(lrd_compare_desc desc)
{
	lrd_comparison result;
	lrd_error error;
	if (!lrd_compare(&desc, &result, &error))
	{
		fail_msg("%s", error.message);
	}
	return result;
}

static void equal_images_are_equal(void **state)
{
	(void)state;
	for (int type = 0; type < 3; type++)
	{
		lrd_image image = blank(33, 20, (lrd_pixel_type)type);
		fill(&image, 0.1);
		uint8_t *picture = malloc(4 * 33 * 20);
		lrd_comparison result = compare((lrd_compare_desc){
			.reference = &image, .image = &image, .normals = LRD_COMPARE_XYZ, .picture = picture, .amplify = 100 });
		for (size_t channel = 0; channel < 4; channel++)
		{
			assert_true(result.mse[channel] == 0 && result.max_error[channel] == 0);
			assert_true(isinf(result.psnr[channel]));
		}
		assert_true(isinf(result.psnr_rgb) && isinf(result.psnr_rgba));
		assert_true(result.ssim_luma == 1 && result.ssim_rgb == 1);
		assert_true(result.angle_mean == 0 && result.angle_max == 0 && result.rmsle == 0);
		for (size_t i = 0; i < 4 * 33 * 20; i++)
		{
			assert_int_equal(picture[i], i % 4 == 3 ? 255 : 0);
		}
		free(picture);
		lrd_image_free(&image);
	}
}

// Red off by 10 codes, green by 1 in every second texel, blue equal, alpha off by 51 in one of 8.
static void errors_are_told_by_channel(void **state)
{
	(void)state;
	for (int type = 0; type < 2; type++)
	{
		lrd_image a = blank(8, 4, (lrd_pixel_type)type);
		lrd_image b = blank(8, 4, (lrd_pixel_type)type);
		for (uint32_t i = 0; i < 32; i++)
		{
			set(&a, 4 * i, 100 / 255.0);
			set(&b, 4 * i, 110 / 255.0);
			set(&a, 4 * i + 1, 200 / 255.0);
			set(&b, 4 * i + 1, (200 - i % 2) / 255.0);
			set(&a, 4 * i + 3, 1);
			set(&b, 4 * i + 3, i % 8 == 0 ? 0.8 : 1);
		}
		lrd_comparison result = compare((lrd_compare_desc){ .reference = &a, .image = &b });
		const double codes[] = { 100, 0.5, 0, 51.0 * 51.0 / 8 };
		for (size_t channel = 0; channel < 4; channel++)
		{
			assert_true(fabs(result.mse[channel] * 255 * 255 - codes[channel]) < 1e-3);
		}
		assert_true(fabs(result.psnr[0] - 20 * log10(25.5)) < 1e-4);
		assert_true(isinf(result.psnr[2]));
		assert_true(fabs(result.psnr_rgb - 10 * log10(65025 / (100.5 / 3))) < 1e-4);
		assert_true(fabs(result.psnr_rgba - 10 * log10(65025 / ((100.5 + 51.0 * 51.0 / 8) / 4))) < 1e-4);
		assert_true(fabs(result.max_error[0] - 10 / 255.0) < 1e-5 && fabs(result.max_error[3] - 0.2) < 1e-5);
		assert_true(result.peak == 1);
		lrd_image_free(&a);
		lrd_image_free(&b);
	}
}

static void codes_are_summed_exactly(void **state)
{
	(void)state;
	static const size_t counts[] = { 0, 1, 2, 3, 17, 1000, 70001, 200000 };
	uint8_t *a = malloc(4 * 200000 + 1);
	uint8_t *b = malloc(4 * 200000 + 1);
	for (size_t test = 0; test < 16; test++)
	{
		size_t texels = counts[test / 2];
		for (size_t i = 0; i < 4 * texels; i++)
		{
			bool extreme = test % 2 == 0;
			a[i + 1] = extreme ? (uint8_t)(i % 4 < 2 ? 255 : 0) : (uint8_t)noise((uint32_t)i);
			b[i + 1] = extreme ? (uint8_t)(i % 4 < 2 ? 0 : 255) : (uint8_t)noise((uint32_t)i + 12345);
		}
		uint64_t sums[4], expected[4] = { 0 };
		for (size_t i = 0; i < 4 * texels; i++)
		{
			int64_t difference = (int64_t)a[i + 1] - b[i + 1];
			expected[i % 4] += (uint64_t)(difference * difference);
		}
		lrd_compare_unorm8(a + 1, b + 1, texels, sums);
		assert_memory_equal(sums, expected, sizeof sums);
	}
	free(a);
	free(b);
}

// Straight from the paper, in double, a window at a time.
static double similarity(const lrd_image *a, const lrd_image *b, uint32_t channel)
{
	double sum = 0;
	for (uint32_t y = 0; y + 11 <= a->height; y++)
	{
		for (uint32_t x = 0; x + 11 <= a->width; x++)
		{
			double weights = 0, mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
			for (uint32_t i = 0; i < 121; i++)
			{
				double dx = (double)(i % 11) - 5, dy = (double)(i / 11) - 5;
				double weight = exp(-(dx * dx + dy * dy) / 4.5);
				size_t at = 4 * ((size_t)(y + i / 11) * a->width + x + i % 11) + channel;
				double value_a = ((const uint8_t *)a->pixels)[at], value_b = ((const uint8_t *)b->pixels)[at];
				weights += weight;
				mean_a += weight * value_a;
				mean_b += weight * value_b;
				aa += weight * value_a * value_a;
				bb += weight * value_b * value_b;
				ab += weight * value_a * value_b;
			}
			mean_a /= weights;
			mean_b /= weights;
			double variance_a = aa / weights - mean_a * mean_a;
			double variance_b = bb / weights - mean_b * mean_b;
			double covariance = ab / weights - mean_a * mean_b;
			const double c1 = 2.55 * 2.55, c2 = 7.65 * 7.65;
			sum += (2 * mean_a * mean_b + c1) * (2 * covariance + c2) /
				   ((mean_a * mean_a + mean_b * mean_b + c1) * (variance_a + variance_b + c2));
		}
	}
	return sum / (a->width - 10) / (a->height - 10);
}

static void similarity_is_that_of_the_paper(void **state)
{
	(void)state;
	static const uint32_t sizes[][2] = { { 11, 11 }, { 40, 31 }, { 70, 12 } };
	for (size_t i = 0; i < 3; i++)
	{
		lrd_image a = blank(sizes[i][0], sizes[i][1], LRD_PIXEL_UNORM8);
		lrd_image b = blank(sizes[i][0], sizes[i][1], LRD_PIXEL_UNORM8);
		fill(&a, 0.05);
		fill(&b, 0.2);
		lrd_comparison result = compare((lrd_compare_desc){ .reference = &a, .image = &b });
		double expected = (similarity(&a, &b, 0) + similarity(&a, &b, 1) + similarity(&a, &b, 2)) / 3;
		assert_true(expected > 0.2 && expected < 0.95);
		assert_true(fabs(result.ssim_rgb - expected) < 3e-5);
		for (uint32_t k = 0; k < a.width * a.height; k++)
		{
			uint8_t *grey_a = (uint8_t *)a.pixels + 4 * k, *grey_b = (uint8_t *)b.pixels + 4 * k;
			grey_a[1] = grey_a[2] = grey_a[0];
			grey_b[1] = grey_b[2] = grey_b[0];
		}
		result = compare((lrd_compare_desc){ .reference = &a, .image = &b });
		assert_true(fabs(result.ssim_luma - result.ssim_rgb) < 3e-5);
		lrd_image_free(&a);
		lrd_image_free(&b);
	}
}

static void small_images_have_a_similarity_too(void **state)
{
	(void)state;
	static const uint32_t sizes[][2] = { { 1, 1 }, { 4, 4 }, { 10, 50 }, { 50, 3 } };
	for (size_t i = 0; i < 4; i++)
	{
		lrd_image a = blank(sizes[i][0], sizes[i][1], LRD_PIXEL_UNORM8);
		lrd_image b = blank(sizes[i][0], sizes[i][1], LRD_PIXEL_UNORM8);
		fill(&a, 0.05);
		fill(&b, 0.3);
		lrd_comparison near = compare((lrd_compare_desc){ .reference = &a, .image = &a });
		lrd_comparison far = compare((lrd_compare_desc){ .reference = &a, .image = &b });
		assert_true(near.ssim_rgb == 1 && near.ssim_luma == 1);
		assert_true(far.ssim_rgb < 0.9999 && far.ssim_rgb > -1);
		lrd_image_free(&a);
		lrd_image_free(&b);
	}
}

static void every_instruction_set_gives_the_same_similarity(void **state)
{
	(void)state;
	lrd_image a = blank(61, 30, LRD_PIXEL_UNORM8);
	lrd_image b = blank(61, 30, LRD_PIXEL_UNORM8);
	fill(&a, 0.05);
	fill(&b, 0.2);
	lrd_comparison portable = compare((lrd_compare_desc){ .reference = &a, .image = &b, .isa = LRD_ISA_PORTABLE });
	for (lrd_isa isa = LRD_ISA_PORTABLE; isa < LRD_ISA_COUNT; isa++)
	{
		lrd_comparison result = compare((lrd_compare_desc){ .reference = &a, .image = &b, .isa = isa });
		assert_memory_equal(&result, &portable, sizeof result);
	}
	lrd_image_free(&a);
	lrd_image_free(&b);
}

static void codes_are_decoded_only_beside_linear_light(void **state)
{
	(void)state;
	lrd_image codes = blank(16, 16, LRD_PIXEL_UNORM8);
	lrd_image wide = blank(16, 16, LRD_PIXEL_UNORM16);
	lrd_image light = blank(16, 16, LRD_PIXEL_F32);
	for (uint32_t i = 0; i < 4 * 256; i++)
	{
		uint8_t code = (uint8_t)(i * 7 % 256);
		((uint8_t *)codes.pixels)[i] = code;
		((uint16_t *)wide.pixels)[i] = (uint16_t)(code * 257);
		float value = (float)code / 255.0f;
		((float *)light.pixels)[i] = i % 4 == 3 ? value : lrd_srgb_to_linear(value);
	}
	const lrd_image *images[] = { &codes, &wide, &light };
	for (size_t i = 0; i < 9; i++)
	{
		lrd_comparison result = compare((lrd_compare_desc){ .reference = images[i / 3], .image = images[i % 3] });
		assert_true(result.psnr_rgba > 120);
	}
	lrd_image_free(&codes);
	lrd_image_free(&wide);
	lrd_image_free(&light);
}

static void the_peak_of_light_is_the_references(void **state)
{
	(void)state;
	lrd_image a = blank(4, 4, LRD_PIXEL_F32);
	lrd_image b = blank(4, 4, LRD_PIXEL_F32);
	for (uint32_t i = 0; i < 64; i++)
	{
		set(&a, i, i % 4 == 3 ? 1 : 3);
		set(&b, i, i % 4 == 3 ? 0.5 : 7);
	}
	set(&a, 0, 15);
	set(&b, 0, 31);
	lrd_comparison plain = compare((lrd_compare_desc){ .reference = &a, .image = &b });
	assert_true(plain.peak == 15);
	assert_true(fabs(plain.mse[1] - 16) < 1e-9 && fabs(plain.psnr[1] - 10 * log10(225.0 / 16)) < 1e-9);
	assert_true(fabs(plain.psnr[3] - 10 * log10(4)) < 1e-9);
	assert_true(fabs(plain.rmsle - log(2)) < 1e-9); // ln 8 - ln 4, ln 32 - ln 16
	lrd_comparison log_2 = compare((lrd_compare_desc){ .reference = &a, .image = &b, .scale = LRD_COMPARE_LOG2 });
	assert_true(log_2.peak == 4);
	assert_true(fabs(log_2.mse[1] - 1) < 1e-6 && fabs(log_2.psnr_rgb - 10 * log10(16)) < 1e-5);
	lrd_comparison toned = compare((lrd_compare_desc){ .reference = &a, .image = &b, .scale = LRD_COMPARE_REINHARD });
	assert_true(fabs(toned.peak - 15.0 / 16) < 1e-7);
	assert_true(fabs(toned.mse[1] - 1.0 / 64) < 1e-7);
	lrd_image_free(&a);
	lrd_image_free(&b);
}

static void what_is_no_number_compares_as_0(void **state)
{
	(void)state;
	lrd_image a = blank(16, 16, LRD_PIXEL_F32);
	lrd_image b = blank(16, 16, LRD_PIXEL_F32);
	fill(&a, 0.1);
	fill(&b, 0.2);
	const double bad[] = { NAN, INFINITY, -INFINITY, 3e38, -3e38 };
	for (uint32_t i = 0; i < 5; i++)
	{
		set(&a, 16 * i, bad[i]);
		set(&b, 16 * i + 5, bad[i]);
	}
	for (int scale = 0; scale < 3; scale++)
	{
		uint8_t picture[4 * 256];
		lrd_comparison result = compare((lrd_compare_desc){ .reference = &a,
			.image = &b,
			.scale = (lrd_compare_scale)scale,
			.normals = LRD_COMPARE_XY,
			.picture = picture });
		const double *numbers = (const double *)&result;
		for (size_t i = 0; i < sizeof result / sizeof *numbers; i++)
		{
			assert_true(isfinite(numbers[i]));
		}
	}
	set(&a, 0, NAN);
	lrd_comparison result = compare((lrd_compare_desc){ .reference = &b, .image = &a });
	assert_true(result.mse[0] > 0);
	lrd_image_free(&a);
	lrd_image_free(&b);
}

static void angles_between_normals_are_told_in_degrees(void **state)
{
	(void)state;
	lrd_image a = blank(2, 1, LRD_PIXEL_F32);
	lrd_image b = blank(2, 1, LRD_PIXEL_F32);
	const float normals_a[] = { 0, 0, 2, 1, 0.6f, 0, 0.8f, 1 };
	const float normals_b[] = { 0, 0.5f, (float)(0.5 * sqrt(3)), 1, 0.6f, 0, 0.8f, 1 };
	memcpy(a.pixels, normals_a, sizeof normals_a);
	memcpy(b.pixels, normals_b, sizeof normals_b);
	for (int kind = LRD_COMPARE_XYZ; kind <= LRD_COMPARE_XY; kind++)
	{
		lrd_comparison result =
			compare((lrd_compare_desc){ .reference = &a, .image = &b, .normals = (lrd_compare_normals)kind });
		assert_true(fabs(result.angle_max - 30) < 1e-4 && fabs(result.angle_mean - 15) < 1e-4);
	}
	// Codes: 255 is 1, 0 is -1; blue counts only when it is asked for.
	lrd_image codes_a = blank(1, 1, LRD_PIXEL_UNORM8);
	lrd_image codes_b = blank(1, 1, LRD_PIXEL_UNORM8);
	memcpy(codes_a.pixels, (const uint8_t[]){ 255, 127, 127, 0 }, 4);
	memcpy(codes_b.pixels, (const uint8_t[]){ 0, 127, 127, 0 }, 4);
	lrd_comparison across =
		compare((lrd_compare_desc){ .reference = &codes_a, .image = &codes_b, .normals = LRD_COMPARE_XYZ });
	assert_true(across.angle_max > 179 && across.angle_max <= 180);
	memcpy(codes_b.pixels, (const uint8_t[]){ 255, 127, 255, 0 }, 4);
	lrd_comparison flat =
		compare((lrd_compare_desc){ .reference = &codes_a, .image = &codes_b, .normals = LRD_COMPARE_XY });
	assert_true(flat.angle_max == 0);
	lrd_image_free(&a);
	lrd_image_free(&b);
	lrd_image_free(&codes_a);
	lrd_image_free(&codes_b);
}

static void the_picture_shows_amplified_differences(void **state)
{
	(void)state;
	lrd_image a = blank(2, 1, LRD_PIXEL_UNORM8);
	lrd_image b = blank(2, 1, LRD_PIXEL_UNORM8);
	memcpy(a.pixels, (const uint8_t[]){ 10, 20, 30, 255, 0, 0, 0, 255 }, 8);
	memcpy(b.pixels, (const uint8_t[]){ 12, 10, 130, 255, 1, 0, 0, 250 }, 8);
	uint8_t picture[8];
	compare((lrd_compare_desc){ .reference = &a, .image = &b, .picture = picture, .amplify = 8, .skip_ssim = true });
	const uint8_t expected[] = { 16, 80, 255, 255, 48, 40, 40, 255 };
	assert_memory_equal(picture, expected, 8);
	lrd_image_free(&a);
	lrd_image_free(&b);
}

static void images_of_different_sizes_are_refused(void **state)
{
	(void)state;
	lrd_image a = blank(4, 4, LRD_PIXEL_UNORM8);
	lrd_image b = blank(4, 5, LRD_PIXEL_UNORM8);
	lrd_image none = { 0 };
	lrd_comparison result;
	lrd_error error = { 0 };
	assert_false(lrd_compare(&(lrd_compare_desc){ .reference = &a, .image = &b }, &result, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_string_equal(error.message, "images of different sizes can't be compared: 4 x 4 and 4 x 5");
	assert_false(lrd_compare(&(lrd_compare_desc){ .reference = &none, .image = &none }, &result, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_image_free(&a);
	lrd_image_free(&b);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	lrd_image a = blank(12, 12, LRD_PIXEL_UNORM16);
	lrd_image b = blank(12, 12, LRD_PIXEL_F32);
	bool done = false;
	long long succeed = 0;
	for (; !done; succeed++)
	{
		failing_allocator failing;
		failing_allocator_init(&failing, succeed);
		lrd_comparison result = { .peak = -1 };
		lrd_error error = { 0 };
		done = lrd_compare(
			&(lrd_compare_desc){ .reference = &a, .image = &b, .allocator = failing_allocator_get(&failing) }, &result,
			&error);
		assert_true(done || (error.code == LRD_ERROR_MEMORY && result.peak == -1));
		assert_int_equal(failing.bytes_out, 0);
	}
	assert_true(succeed > 4);
	lrd_image_free(&a);
	lrd_image_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_images_are_equal),
		cmocka_unit_test(errors_are_told_by_channel),
		cmocka_unit_test(codes_are_summed_exactly),
		cmocka_unit_test(similarity_is_that_of_the_paper),
		cmocka_unit_test(small_images_have_a_similarity_too),
		cmocka_unit_test(every_instruction_set_gives_the_same_similarity),
		cmocka_unit_test(codes_are_decoded_only_beside_linear_light),
		cmocka_unit_test(the_peak_of_light_is_the_references),
		cmocka_unit_test(what_is_no_number_compares_as_0),
		cmocka_unit_test(angles_between_normals_are_told_in_degrees),
		cmocka_unit_test(the_picture_shows_amplified_differences),
		cmocka_unit_test(images_of_different_sizes_are_refused),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
