// PNG: every colour kind and depth, interlaced and not, against what was put in; transparency, gamma; damage and size
// limits; writing.

#include "fixtures/image_build.h"
#include "fixtures/image_check.h"

#include <math.h>

static uint8_t current_depth;

static uint32_t pattern(uint32_t x, uint32_t y, uint32_t channel)
{
	uint32_t mixed = (x * 2654435761u) ^ (y * 2246822519u) ^ (channel * 3266489917u);
	mixed ^= mixed >> 15;
	return mixed * 2654435761u >> 16 & ((1u << current_depth) - 1u);
}

static const uint8_t palette[16 * 3] = { 10, 20, 30, 255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12,
	13, 100, 101, 102, 103, 104, 105, 106, 107, 108, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212,
	213, 214 };

// What one sample of `depth` bits is in 8, or in 16 when it has 16. PNG 3, section 13.12: linear scaling.
static uint32_t scaled(uint32_t sample, uint8_t depth)
{
	return depth == 16 ? sample : sample * (255u / ((1u << depth) - 1u));
}

static void expected_texel(const png_build_desc *desc, uint32_t x, uint32_t y, uint32_t rgba[4])
{
	uint32_t full = desc->depth == 16 ? 65535 : 255;
	uint32_t s[4] = { 0 };
	for (uint32_t channel = 0; channel < 4; channel++)
	{
		s[channel] = desc->sample(x, y, channel);
	}
	rgba[3] = full;
	switch (desc->color_kind)
	{
	case 0:
	case 4: rgba[0] = rgba[1] = rgba[2] = scaled(s[0], desc->depth); break;
	case 2:
	case 6:
		for (uint32_t channel = 0; channel < 3; channel++)
		{
			rgba[channel] = scaled(s[channel], desc->depth);
		}
		break;
	case 3:
		for (uint32_t channel = 0; channel < 3; channel++)
		{
			rgba[channel] = desc->palette[3 * s[0] + channel];
		}
		break;
	}
	if (desc->color_kind == 4 || desc->color_kind == 6)
	{
		rgba[3] = scaled(s[desc->color_kind == 4 ? 1 : 3], desc->depth);
	}
}

static void check_exact(const png_build_desc *desc)
{
	lrd_buffer file = png_build(desc);
	lrd_image image = decode_sound(file.data, file.size);
	assert_int_equal(image.width, desc->width);
	assert_int_equal(image.height, desc->height);
	assert_int_equal(image.type, desc->depth == 16 ? LRD_PIXEL_UNORM16 : LRD_PIXEL_UNORM8);
	for (uint32_t y = 0; y < desc->height; y++)
	{
		for (uint32_t x = 0; x < desc->width; x++)
		{
			uint32_t expected[4];
			expected_texel(desc, x, y, expected);
			for (uint32_t channel = 0; channel < 4; channel++)
			{
				uint32_t found = desc->depth == 16 ? texel_16(&image, x, y)[channel] : texel_8(&image, x, y)[channel];
				if (found != expected[channel])
				{
					fail_msg("colour type %u, %u bits, %u x %u: (%u, %u)[%u] is %u; expected %u", desc->color_kind,
						desc->depth, desc->width, desc->height, x, y, channel, found, expected[channel]);
				}
			}
		}
	}
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

static void check_kind(uint8_t color_kind, uint8_t depth)
{
	static const uint8_t sizes[][2] = { { 1, 1 }, { 3, 2 }, { 8, 8 }, { 5, 9 }, { 33, 17 } };
	current_depth = depth;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
	{
		for (int interlaced = 0; interlaced < 2; interlaced++)
		{
			check_exact(&(png_build_desc){ .width = sizes[i][0],
				.height = sizes[i][1],
				.depth = depth,
				.color_kind = color_kind,
				.interlaced = interlaced,
				.sample = pattern,
				.palette = color_kind == 3 ? palette : NULL,
				.palette_count = depth < 4 ? 1u << depth : 16 });
		}
	}
}

static void grey_of_every_depth_is_exact(void **state)
{
	(void)state;
	for (uint8_t depth = 1; depth <= 16; depth = (uint8_t)(depth * 2))
	{
		check_kind(0, depth);
	}
}

static void rgb_and_alpha_of_both_depths_are_exact(void **state)
{
	(void)state;
	for (uint8_t depth = 8; depth <= 16; depth = (uint8_t)(depth * 2))
	{
		check_kind(2, depth);
		check_kind(4, depth);
		check_kind(6, depth);
	}
}

static void palettes_of_every_depth_are_exact(void **state)
{
	(void)state;
	for (uint8_t depth = 1; depth <= 4; depth = (uint8_t)(depth * 2))
	{
		check_kind(3, depth);
	}
}

static uint32_t column(uint32_t x, uint32_t y, uint32_t channel)
{
	(void)y;
	(void)channel;
	return x;
}

static void palette_transparency_is_applied_and_missing_entries_are_opaque(void **state)
{
	(void)state;
	png_build_desc desc = { .width = 16,
		.height = 1,
		.depth = 8,
		.color_kind = 3,
		.sample = column,
		.palette = palette,
		.palette_count = 16,
		.transparency = (const uint8_t[]){ 0, 128 },
		.transparency_size = 2 };
	lrd_buffer file = png_build(&desc);
	lrd_image image = decode_sound(file.data, file.size);
	assert_texel_8(&image, 0, 0, 10, 20, 30, 0);
	assert_texel_8(&image, 1, 0, 255, 0, 0, 128);
	assert_texel_8(&image, 2, 0, 0, 255, 0, 255);
	assert_true(image.has_alpha);
	assert_int_equal(image.source_channels, 4);
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

static void transparent_grey_and_colour_are_transparent(void **state)
{
	(void)state;
	png_build_desc grey = { .width = 16,
		.height = 1,
		.depth = 4,
		.color_kind = 0,
		.sample = column,
		.transparency = (const uint8_t[]){ 0, 5 },
		.transparency_size = 2 };
	lrd_buffer file = png_build(&grey);
	lrd_image image = decode_sound(file.data, file.size);
	assert_texel_8(&image, 5, 0, 85, 85, 85, 0);
	assert_texel_8(&image, 6, 0, 102, 102, 102, 255);
	assert_int_equal(image.source_channels, 2);
	lrd_image_free(&image);
	lrd_buffer_free(&file);

	png_build_desc color = { .width = 600,
		.height = 1,
		.depth = 16,
		.color_kind = 2,
		.sample = column,
		.transparency = (const uint8_t[]){ 2, 1, 2, 1, 2, 1 },
		.transparency_size = 6 };
	file = png_build(&color);
	image = decode_sound(file.data, file.size);
	assert_int_equal(texel_16(&image, 513, 0)[3], 0);
	assert_int_equal(texel_16(&image, 257, 0)[3], 65535); // equal in the low byte alone is not equal
	assert_int_equal(image.source_channels, 4);
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

static void opaque_pictures_have_no_alpha(void **state)
{
	(void)state;
	current_depth = 8;
	lrd_buffer file =
		png_build(&(png_build_desc){ .width = 4, .height = 4, .depth = 8, .color_kind = 2, .sample = pattern });
	lrd_image image = decode_sound(file.data, file.size);
	assert_false(image.has_alpha);
	assert_false(image.linear);
	assert_int_equal(image.source_channels, 3);
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

static lrd_image decode_with_gamma(uint32_t gamma, bool srgb, uint8_t depth)
{
	lrd_buffer file = png_build(&(png_build_desc){
		.width = 256, .height = 1, .depth = depth, .color_kind = 0, .sample = column, .gamma = gamma, .srgb = srgb });
	lrd_image image = decode_sound(file.data, file.size);
	lrd_buffer_free(&file);
	return image;
}

static void usual_gamma_and_srgb_leave_samples_alone(void **state)
{
	(void)state;
	for (int with_srgb = 0; with_srgb < 2; with_srgb++)
	{
		lrd_image image = decode_with_gamma(with_srgb ? 100000 : 45455, with_srgb, 8);
		assert_false(image.linear);
		assert_texel_8(&image, 100, 0, 100, 100, 100, 255);
		lrd_image_free(&image);
	}
}

static void gamma_of_one_says_linear(void **state)
{
	(void)state;
	lrd_image image = decode_with_gamma(100000, false, 16);
	assert_true(image.linear);
	assert_int_equal(texel_16(&image, 100, 0)[0], 100);
	lrd_image_free(&image);
}

static void unusual_gamma_is_converted_to_srgb(void **state)
{
	(void)state;
	lrd_image image = decode_with_gamma(55556, false, 8); // old Macintosh screens, 1 / 1.8
	assert_false(image.linear);
	for (uint32_t i = 0; i < 256; i++)
	{
		double light = pow(i / 255.0, 1 / 0.55556);
		double encoded = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
		uint8_t expected = (uint8_t)(encoded * 255 + 0.5);
		assert_texel_8(&image, i, 0, expected, expected, expected, 255);
	}
	lrd_image_free(&image);
	image = decode_with_gamma(55556, false, 16);
	assert_int_equal(texel_16(&image, 0, 0)[0], 0);
	assert_int_equal(texel_16(&image, 255, 0)[0], (uint16_t)(12.92 * pow(255 / 65535.0, 1 / 0.55556) * 65535 + 0.5));
	lrd_image_free(&image);
}

static void what_cicp_says_of_the_encoding_goes_before_gamma(void **state)
{
	(void)state;
	png_build_desc desc = {
		.width = 256, .height = 1, .depth = 8, .color_kind = 0, .sample = column, .gamma = 55556, .transfer = 13
	};
	lrd_buffer file = png_build(&desc);
	lrd_image image = decode_sound(file.data, file.size);
	assert_false(image.linear);
	assert_texel_8(&image, 100, 0, 100, 100, 100, 255);
	lrd_image_free(&image);
	lrd_buffer_free(&file);
	desc.transfer = 8;
	file = png_build(&desc);
	image = decode_sound(file.data, file.size);
	assert_true(image.linear);
	lrd_image_free(&image);
	lrd_buffer_free(&file);
	desc.transfer = 16;
	file = png_build(&desc);
	lrd_error error = decode_damaged(file.data, file.size);
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "cICP: PQ"));
	lrd_image_decode_desc as_data = { .bytes = { file.data, file.size }, .ignore_gamma = true };
	assert_true(lrd_image_decode(&as_data, &image, &error));
	assert_texel_8(&image, 100, 0, 100, 100, 100, 255);
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

static lrd_buffer sound_file(void)
{
	current_depth = 8;
	return png_build(&(png_build_desc){ .width = 20, .height = 20, .depth = 8, .color_kind = 6, .sample = pattern });
}

static void every_truncation_before_the_last_checksum_is_an_error(void **state)
{
	(void)state;
	lrd_buffer file = sound_file();
	for (size_t size = 0; size < file.size - 4; size++)
	{
		lrd_error error = decode_damaged(file.data, size);
		assert_true(error.code == LRD_ERROR_FORMAT || (size < 8 && error.code == LRD_ERROR_UNSUPPORTED));
	}
	lrd_buffer_free(&file);
}

static void changed_pixels_are_noticed(void **state)
{
	(void)state;
	lrd_buffer file = sound_file();
	file.data[200] ^= 1;
	lrd_error error = decode_damaged(file.data, file.size);
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "PNG: "));
	lrd_buffer_free(&file);
}

static void kinds_that_do_not_exist_are_refused(void **state)
{
	(void)state;
	lrd_buffer file = sound_file();
	file.data[24] = 4; // RGBA at 4 bits
	lrd_error error = decode_damaged(file.data, file.size);
	assert_non_null(strstr(error.message, "colour type 6 at 4 bits"));
	lrd_buffer_free(&file);
}

static void limits_are_the_callers(void **state)
{
	(void)state;
	lrd_buffer file = sound_file();
	lrd_image image = { 0 };
	lrd_error error = { 0 };
	lrd_image_decode_desc desc = { .bytes = { file.data, file.size }, .max_side = 19 };
	assert_false(lrd_image_decode(&desc, &image, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	desc = (lrd_image_decode_desc){ .bytes = { file.data, file.size }, .max_side = 20, .max_bytes = 1599 };
	assert_false(lrd_image_decode(&desc, &image, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	desc.max_bytes = 1600;
	assert_true(lrd_image_decode(&desc, &image, &error));
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

static void a_small_file_that_claims_a_large_picture_is_refused(void **state)
{
	(void)state;
	lrd_buffer file = sound_file();
	file.data[18] = 0x20; // 8192 + 20 texels wide
	file.data[22] = 0x20;
	lrd_error error = decode_damaged(file.data, file.size);
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "truncated"));
	file.data[16] = file.data[20] = 0x7f;
	assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_LIMIT);
	lrd_buffer_free(&file);
}

static void what_is_written_reads_back(void **state)
{
	(void)state;
	uint8_t pixels[7 * 5 * 4];
	for (size_t i = 0; i < sizeof pixels; i++)
	{
		pixels[i] = (uint8_t)(i * 37);
	}
	lrd_buffer file = { 0 };
	lrd_error error;
	assert_true(lrd_image_write_png(7, 5, pixels, &file, &error));
	lrd_image image = decode_sound(file.data, file.size);
	assert_int_equal(image.width, 7);
	assert_int_equal(image.size, sizeof pixels);
	assert_memory_equal(image.pixels, pixels, sizeof pixels);
	assert_false(lrd_image_write_png(0, 5, pixels, &file, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grey_of_every_depth_is_exact),
		cmocka_unit_test(rgb_and_alpha_of_both_depths_are_exact),
		cmocka_unit_test(palettes_of_every_depth_are_exact),
		cmocka_unit_test(palette_transparency_is_applied_and_missing_entries_are_opaque),
		cmocka_unit_test(transparent_grey_and_colour_are_transparent),
		cmocka_unit_test(opaque_pictures_have_no_alpha),
		cmocka_unit_test(usual_gamma_and_srgb_leave_samples_alone),
		cmocka_unit_test(gamma_of_one_says_linear),
		cmocka_unit_test(unusual_gamma_is_converted_to_srgb),
		cmocka_unit_test(what_cicp_says_of_the_encoding_goes_before_gamma),
		cmocka_unit_test(every_truncation_before_the_last_checksum_is_an_error),
		cmocka_unit_test(changed_pixels_are_noticed),
		cmocka_unit_test(kinds_that_do_not_exist_are_refused),
		cmocka_unit_test(limits_are_the_callers),
		cmocka_unit_test(a_small_file_that_claims_a_large_picture_is_refused),
		cmocka_unit_test(what_is_written_reads_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
