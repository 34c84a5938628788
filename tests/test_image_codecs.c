// TGA, BMP, PSD, HDR and WebP, byte by byte, and the recognition of all codecs by content.

#include "fixtures/image_build.h"
#include "fixtures/image_check.h"

#include <math.h>
#include <webp/encode.h>

static lrd_image decode_and_free(lrd_buffer file)
{
	lrd_image image = decode_sound(file.data, file.size);
	lrd_buffer_free(&file);
	return image;
}

static lrd_error fail_and_free(lrd_buffer file)
{
	lrd_error error = decode_damaged(file.data, file.size);
	lrd_buffer_free(&file);
	return error;
}

static const uint8_t bgr_2x2[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };

static void assert_bgr_2x2(lrd_image *image, bool bottom_first, bool right_first)
{
	for (uint32_t i = 0; i < 4; i++)
	{
		uint32_t x = right_first ? 1 - i % 2 : i % 2;
		uint32_t y = bottom_first ? 1 - i / 2 : i / 2;
		assert_texel_8(image, x, y, bgr_2x2[3 * i + 2], bgr_2x2[3 * i + 1], bgr_2x2[3 * i], 255);
	}
	assert_int_equal(image->source_channels, 3);
	lrd_image_free(image);
}

static void tga_rows_may_begin_at_any_corner(void **state)
{
	(void)state;
	for (uint8_t corner = 0; corner < 4; corner++)
	{
		lrd_image image = decode_and_free(tga_build(&(tga_build_desc){ .kind = 2,
			.depth = 24,
			.descriptor = (uint8_t)(corner << 4),
			.width = 2,
			.height = 2,
			.data = bgr_2x2,
			.data_size = sizeof bgr_2x2 }));
		assert_bgr_2x2(&image, (corner & 2) == 0, (corner & 1) != 0);
	}
}

static void tga_runs_cross_rows(void **state)
{
	(void)state;
	static const uint8_t runs[] = { 0x82, 1, 2, 3, 0x00, 4, 5, 6 }; // three of one, one of another
	lrd_image image = decode_and_free(tga_build(&(tga_build_desc){ .kind = 10,
		.depth = 24,
		.descriptor = 0x20,
		.width = 2,
		.height = 2,
		.data = runs,
		.data_size = sizeof runs }));
	assert_texel_8(&image, 0, 1, 3, 2, 1, 255);
	assert_texel_8(&image, 1, 1, 6, 5, 4, 255);
	lrd_image_free(&image);
}

static void tga_grey_palette_and_16_bits_decode(void **state)
{
	(void)state;
	lrd_image grey = decode_and_free(tga_build(&(tga_build_desc){ .kind = 3,
		.depth = 8,
		.descriptor = 0x20,
		.width = 3,
		.height = 1,
		.data = (const uint8_t[]){ 7, 8, 9 },
		.data_size = 3 }));
	assert_texel_8(&grey, 2, 0, 9, 9, 9, 255);
	assert_int_equal(grey.source_channels, 1);
	lrd_image_free(&grey);
	static const uint8_t mapped[] = { 10, 20, 30, 40, 50, 60, 1, 0 };
	lrd_image map = decode_and_free(tga_build(&(tga_build_desc){ .kind = 1,
		.depth = 8,
		.descriptor = 0x20,
		.width = 2,
		.height = 1,
		.map_depth = 24,
		.map_count = 2,
		.data = mapped,
		.data_size = sizeof mapped }));
	assert_texel_8(&map, 0, 0, 60, 50, 40, 255);
	assert_texel_8(&map, 1, 0, 30, 20, 10, 255);
	lrd_image_free(&map);
	lrd_image packed = decode_and_free(tga_build(&(tga_build_desc){ .kind = 2,
		.depth = 16,
		.descriptor = 0x21,
		.width = 1,
		.height = 1,
		.data = (const uint8_t[]){ 0x1f, 0x7c },
		.data_size = 2 }));
	assert_texel_8(&packed, 0, 0, 255, 0, 255, 255);
	lrd_image_free(&packed);
}

static void tga_alpha_that_is_all_zero_and_denied_is_opaque(void **state)
{
	(void)state;
	static const uint8_t bgra[] = { 1, 2, 3, 0, 4, 5, 6, 0 };
	tga_build_desc desc = {
		.kind = 2, .depth = 32, .descriptor = 0x20, .width = 2, .height = 1, .data = bgra, .data_size = 8
	};
	lrd_image denied = decode_and_free(tga_build(&desc));
	assert_texel_8(&denied, 0, 0, 3, 2, 1, 255);
	lrd_image_free(&denied);
	desc.descriptor = 0x28;
	lrd_image meant = decode_and_free(tga_build(&desc));
	assert_texel_8(&meant, 0, 0, 3, 2, 1, 0);
	assert_true(meant.has_alpha);
	lrd_image_free(&meant);
	desc.data = (const uint8_t[]){ 1, 2, 3, 0, 4, 5, 6, 9 };
	desc.descriptor = 0x20;
	lrd_image believed = decode_and_free(tga_build(&desc));
	assert_texel_8(&believed, 1, 0, 6, 5, 4, 9);
	lrd_image_free(&believed);
}

// Long enough that stb_image's look-ahead of 128 bytes ends inside.
static void truncated_tga_is_an_error_raw_and_packed(void **state)
{
	(void)state;
	uint8_t data[64 * 8 * 3];
	for (size_t i = 0; i < sizeof data; i++)
	{
		data[i] = (uint8_t)i;
	}
	for (size_t size = 0; size < sizeof data; size += 13)
	{
		lrd_error error = fail_and_free(tga_build(
			&(tga_build_desc){ .kind = 2, .depth = 24, .width = 64, .height = 8, .data = data, .data_size = size }));
		assert_int_equal(error.code, LRD_ERROR_FORMAT);
	}
	uint8_t packets[128 * 2];
	for (size_t i = 0; i < sizeof packets; i += 2)
	{
		packets[i] = 0x83; // four texels
		packets[i + 1] = (uint8_t)i;
	}
	for (size_t size = 0; size < sizeof packets; size++)
	{
		lrd_error error = fail_and_free(tga_build(
			&(tga_build_desc){ .kind = 11, .depth = 8, .width = 64, .height = 8, .data = packets, .data_size = size }));
		assert_int_equal(error.code, LRD_ERROR_FORMAT);
	}
	lrd_image whole = decode_and_free(tga_build(&(tga_build_desc){
		.kind = 11, .depth = 8, .width = 64, .height = 8, .data = packets, .data_size = sizeof packets }));
	lrd_image_free(&whole);
}

static void bmp_of_24_bits_pads_rows_and_goes_either_way(void **state)
{
	(void)state;
	static const uint8_t rows[] = { 1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0 };
	lrd_image up = decode_and_free(bmp_build(2, 2, 24, NULL, 0, rows, sizeof rows));
	assert_bgr_2x2(&up, true, false);
	lrd_image down = decode_and_free(bmp_build(2, -2, 24, NULL, 0, rows, sizeof rows));
	assert_bgr_2x2(&down, false, false);
}

static void bmp_palettes_of_1_4_and_8_bits_decode(void **state)
{
	(void)state;
	static const uint8_t colors[] = { 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0 };
	lrd_image one = decode_and_free(bmp_build(3, 1, 1, colors, 2, (const uint8_t[]){ 0x40, 0, 0, 0 }, 4));
	assert_texel_8(&one, 0, 0, 3, 2, 1, 255);
	assert_texel_8(&one, 1, 0, 6, 5, 4, 255);
	lrd_image_free(&one);
	lrd_image four = decode_and_free(bmp_build(3, 1, 4, colors, 3, (const uint8_t[]){ 0x21, 0x00, 0, 0 }, 4));
	assert_texel_8(&four, 0, 0, 9, 8, 7, 255);
	assert_texel_8(&four, 1, 0, 6, 5, 4, 255);
	lrd_image_free(&four);
	lrd_image eight = decode_and_free(bmp_build(3, 1, 8, colors, 3, (const uint8_t[]){ 2, 1, 0, 0 }, 4));
	assert_texel_8(&eight, 2, 0, 3, 2, 1, 255);
	lrd_image_free(&eight);
}

static void bmp_indices_outside_the_palette_are_an_error(void **state)
{
	(void)state;
	static const uint8_t colors[] = { 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0 };
	lrd_error error = fail_and_free(bmp_build(3, 1, 8, colors, 3, (const uint8_t[]){ 2, 3, 0, 0 }, 4));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "index 3, but the palette has 3 entries"));
	assert_int_equal(
		fail_and_free(bmp_build(3, 1, 4, colors, 3, (const uint8_t[]){ 0x01, 0x30, 0, 0 }, 4)).code, LRD_ERROR_FORMAT);
}

static void bmp_of_32_bits_has_alpha_unless_all_of_it_is_zero(void **state)
{
	(void)state;
	lrd_image alpha = decode_and_free(bmp_build(2, 1, 32, NULL, 0, (const uint8_t[]){ 1, 2, 3, 9, 4, 5, 6, 0 }, 8));
	assert_texel_8(&alpha, 0, 0, 3, 2, 1, 9);
	assert_texel_8(&alpha, 1, 0, 6, 5, 4, 0);
	lrd_image_free(&alpha);
	lrd_image none = decode_and_free(bmp_build(2, 1, 32, NULL, 0, (const uint8_t[]){ 1, 2, 3, 0, 4, 5, 6, 0 }, 8));
	assert_texel_8(&none, 1, 0, 6, 5, 4, 255);
	lrd_image_free(&none);
}

static void truncated_and_compressed_bmp_are_errors(void **state)
{
	(void)state;
	uint8_t rows[64 * 4] = { 0 };
	lrd_buffer file = bmp_build(8, 8, 32, NULL, 0, rows, sizeof rows);
	for (size_t size = 26; size < file.size; size++)
	{
		assert_int_equal(decode_damaged(file.data, size).code, LRD_ERROR_FORMAT);
	}
	file.data[30] = 1;
	assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_UNSUPPORTED);
	file.data[30] = 0;
	memcpy(file.data + 22, "\0\0\0\x80", 4); // the height that has no opposite
	assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_FORMAT);
	lrd_buffer_free(&file);
}

static void psd_rgb_raw_and_packed_decode_at_8_and_16_bits(void **state)
{
	(void)state;
	static const uint8_t raw[] = { 1, 2, 3, 4, 5, 6 };
	lrd_image image = decode_and_free(psd_build(3, 8, 3, 2, 1, INT16_MAX, 0, raw, sizeof raw));
	assert_texel_8(&image, 0, 0, 1, 3, 5, 255);
	assert_texel_8(&image, 1, 0, 2, 4, 6, 255);
	assert_int_equal(image.source_channels, 3);
	lrd_image_free(&image);
	static const uint8_t packed[] = { 0, 3, 0, 2, 0, 3, 1, 1, 2, 0xff, 3, 1, 5, 6 };
	image = decode_and_free(psd_build(3, 8, 3, 2, 1, INT16_MAX, 1, packed, sizeof packed));
	assert_texel_8(&image, 0, 0, 1, 3, 5, 255);
	assert_texel_8(&image, 1, 0, 2, 3, 6, 255);
	lrd_image_free(&image);
	static const uint8_t deep[] = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc };
	image = decode_and_free(psd_build(3, 16, 3, 1, 1, INT16_MAX, 0, deep, sizeof deep));
	assert_int_equal(texel_16(&image, 0, 0)[0], 0x1234);
	assert_int_equal(texel_16(&image, 0, 0)[2], 0x9abc);
	assert_int_equal(texel_16(&image, 0, 0)[3], 65535);
	lrd_image_free(&image);
	static const uint8_t deep_packed[] = { 0, 2, 0, 3, 0, 3, 0xff, 0x12, 1, 0x56, 0x78, 1, 0x9a, 0xbc };
	image = decode_and_free(psd_build(3, 16, 3, 1, 1, INT16_MAX, 1, deep_packed, sizeof deep_packed));
	assert_int_equal(texel_16(&image, 0, 0)[0], 0x1212);
	lrd_image_free(&image);
}

static void psd_alpha_is_unmatted_only_where_it_is_transparency(void **state)
{
	(void)state;
	static const uint8_t half_red[] = { 255, 127, 127, 128 }; // red at half over white
	lrd_image mask = decode_and_free(psd_build(3, 8, 4, 1, 1, 1, 0, half_red, 4));
	assert_texel_8(&mask, 0, 0, 255, 127, 127, 128);
	assert_int_equal(mask.source_channels, 4);
	lrd_image_free(&mask);
	lrd_image matted = decode_and_free(psd_build(3, 8, 4, 1, 1, -1, 0, half_red, 4));
	assert_texel_8(&matted, 0, 0, 255, 0, 0, 128);
	lrd_image_free(&matted);
	static const uint8_t impossible[] = { 0, 0, 0, 128 }; // darker than any colour at half over white
	lrd_image dark = decode_and_free(psd_build(3, 8, 4, 1, 1, -1, 0, impossible, 4));
	assert_texel_8(&dark, 0, 0, 0, 0, 0, 128);
	lrd_image_free(&dark);
}

static void psd_grey_indexed_and_cmyk_decode(void **state)
{
	(void)state;
	lrd_image grey = decode_and_free(psd_build(1, 8, 2, 1, 1, 1, 0, (const uint8_t[]){ 9, 33 }, 2));
	assert_texel_8(&grey, 0, 0, 9, 9, 9, 33);
	assert_int_equal(grey.source_channels, 2);
	lrd_image_free(&grey);
	lrd_image indexed = decode_and_free(psd_build(2, 8, 1, 1, 1, 0, 0, (const uint8_t[]){ 10 }, 1));
	assert_texel_8(&indexed, 0, 0, 10, 245, 77, 255);
	lrd_image_free(&indexed);
	lrd_image cmyk = decode_and_free(psd_build(4, 8, 5, 1, 1, 1, 0, (const uint8_t[]){ 255, 128, 0, 200, 44 }, 5));
	assert_texel_8(&cmyk, 0, 0, 200, 100, 0, 44);
	lrd_image_free(&cmyk);
}

static void damaged_psd_is_an_error(void **state)
{
	(void)state;
	static const uint8_t packed[] = { 0, 3, 0, 2, 0, 3, 1, 1, 2, 0xff, 3, 1, 5, 6 };
	lrd_buffer file = psd_build(3, 8, 3, 2, 1, INT16_MAX, 1, packed, sizeof packed);
	for (size_t size = 4; size < file.size; size++)
	{
		assert_int_equal(decode_damaged(file.data, size).code, LRD_ERROR_FORMAT);
	}
	file.data[file.size - 8] = 9; // a literal longer than its row
	assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_FORMAT);
	lrd_buffer_free(&file);
	static const uint16_t unread[][2] = { { 0, 8 }, { 7, 8 }, { 9, 8 }, { 3, 32 }, { 3, 1 }, { 2, 16 } };
	for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
	{
		assert_int_equal(fail_and_free(psd_build(unread[i][0], unread[i][1], 3, 1, 1, 0, 0, packed, 12)).code,
			LRD_ERROR_UNSUPPORTED);
	}
	assert_int_equal(fail_and_free(psd_build(3, 8, 2, 1, 1, 0, 0, packed, 12)).code, LRD_ERROR_FORMAT);
	assert_int_equal(fail_and_free(psd_build(3, 8, 3, 1, 1, 0, 2, packed, 12)).code, LRD_ERROR_UNSUPPORTED);
}

static void assert_light(const lrd_image *image, uint32_t x, uint32_t y, float r, float g, float b)
{
	assert_int_equal(image->type, LRD_PIXEL_F32);
	const float *texel = (const float *)image->pixels + 4 * ((size_t)y * image->width + x);
	assert_true(texel[0] == r && texel[1] == g && texel[2] == b && texel[3] == 1.0f);
}

static void hdr_flat_and_old_runs_decode(void **state)
{
	(void)state;
	static const uint8_t flat[] = { 128, 64, 32, 129, 0, 0, 0, 0, 255, 1, 2, 136 };
	lrd_image image = decode_and_free(hdr_build("-Y 1 +X 3", flat, sizeof flat));
	assert_true(image.linear);
	assert_int_equal(image.source_channels, 3);
	assert_light(&image, 0, 0, 1.0f, 0.5f, 0.25f);
	assert_light(&image, 1, 0, 0.0f, 0.0f, 0.0f);
	assert_light(&image, 2, 0, 255.0f, 1.0f, 2.0f);
	lrd_image_free(&image);
	// One texel, then 4 + 1 * 256 more of it, then another.
	static const uint8_t runs[] = { 128, 64, 32, 129, 1, 1, 1, 4, 1, 1, 1, 1, 9, 9, 9, 136 };
	image = decode_and_free(hdr_build("-Y 1 +X 262", runs, sizeof runs));
	assert_light(&image, 260, 0, 1.0f, 0.5f, 0.25f);
	assert_light(&image, 261, 0, 9.0f, 9.0f, 9.0f);
	lrd_image_free(&image);
}

static void hdr_new_runs_decode(void **state)
{
	(void)state;
	static const uint8_t runs[] = { 2, 2, 0, 8, 136, 5, 8, 1, 2, 3, 4, 5, 6, 7, 8, 132, 0, 4, 9, 9, 9, 9, 136, 136 };
	lrd_image image = decode_and_free(hdr_build("-Y 1 +X 8", runs, sizeof runs));
	assert_light(&image, 0, 0, 5.0f, 1.0f, 0.0f);
	assert_light(&image, 7, 0, 5.0f, 8.0f, 9.0f);
	lrd_image_free(&image);
}

static void hdr_scan_lines_may_run_any_way(void **state)
{
	(void)state;
	static const uint8_t flat[] = { 1, 0, 0, 136, 2, 0, 0, 136, 3, 0, 0, 136, 4, 0, 0, 136, 5, 0, 0, 136, 6, 0, 0,
		136 };
	// The red of the upper left texel and of its right neighbour.
	static const struct
	{
		const char *resolution;
		uint32_t width;
		float first, second;
	} ways[] = { { "-Y 2 +X 3", 3, 1, 2 }, { "-Y 2 -X 3", 3, 3, 2 }, { "+Y 2 +X 3", 3, 4, 5 }, { "+Y 2 -X 3", 3, 6, 5 },
		{ "+X 2 -Y 3", 2, 1, 4 }, { "-X 2 -Y 3", 2, 4, 1 }, { "+X 2 +Y 3", 2, 3, 6 }, { "-X 2 +Y 3", 2, 6, 3 } };
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
	{
		lrd_image image = decode_and_free(hdr_build(ways[i].resolution, flat, sizeof flat));
		assert_int_equal(image.width, ways[i].width);
		assert_light(&image, 0, 0, ways[i].first, 0, 0);
		assert_light(&image, 1, 0, ways[i].second, 0, 0);
		lrd_image_free(&image);
	}
}

static void damaged_hdr_is_an_error(void **state)
{
	(void)state;
	static const uint8_t runs[] = { 2, 2, 0, 8, 136, 5, 8, 1, 2, 3, 4, 5, 6, 7, 8, 132, 0, 4, 9, 9, 9, 9, 136, 136 };
	lrd_buffer file = hdr_build("-Y 1 +X 8", runs, sizeof runs);
	for (size_t size = 10; size < file.size; size++)
	{
		assert_int_equal(decode_damaged(file.data, size).code, LRD_ERROR_FORMAT);
	}
	lrd_buffer_free(&file);
	static const uint8_t overrun[] = { 2, 2, 0, 8, 137, 5 };
	assert_int_equal(fail_and_free(hdr_build("-Y 1 +X 8", overrun, sizeof overrun)).code, LRD_ERROR_FORMAT);
	static const uint8_t nothing_to_repeat[] = { 1, 1, 1, 8, 0, 0, 0, 0 };
	assert_int_equal(fail_and_free(hdr_build("-Y 1 +X 8", nothing_to_repeat, 8)).code, LRD_ERROR_FORMAT);
	static const char *const resolutions[] = { "-Y 1 +Y 8", "-Y +X 8", "-Y 1 +X 8 ", "-Y 99999999999 +X 8", "-Y 1",
		"-Y -1 +X 8" };
	for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; i++)
	{
		assert_int_equal(fail_and_free(hdr_build(resolutions[i], runs, sizeof runs)).code, LRD_ERROR_FORMAT);
	}
	assert_int_equal(fail_and_free(hdr_build("-Y 0 +X 8", runs, sizeof runs)).code, LRD_ERROR_FORMAT);
	assert_int_equal(fail_and_free(hdr_build("-Y 1 +X 70000", runs, sizeof runs)).code, LRD_ERROR_LIMIT);
}

#define WEBP_SIDE 24

static void fill_webp(uint8_t *rgba, bool alpha)
{
	for (uint32_t i = 0; i < WEBP_SIDE * WEBP_SIDE; i++)
	{
		memcpy(rgba + 4 * i, (const uint8_t[]){ (uint8_t)i, (uint8_t)(i * 7), 40, alpha ? (uint8_t)(i | 1) : 255 }, 4);
	}
}

static void webp_without_loss_is_exact(void **state)
{
	(void)state;
	for (int alpha = 0; alpha < 2; alpha++)
	{
		uint8_t rgba[WEBP_SIDE * WEBP_SIDE * 4];
		fill_webp(rgba, alpha);
		uint8_t *file;
		size_t size = WebPEncodeLosslessRGBA(rgba, WEBP_SIDE, WEBP_SIDE, WEBP_SIDE * 4, &file);
		lrd_image image = decode_sound(file, size);
		assert_memory_equal(image.pixels, rgba, sizeof rgba);
		assert_int_equal(image.source_channels, alpha ? 4 : 3);
		assert_int_equal(image.has_alpha, alpha);
		lrd_image_free(&image);
		WebPFree(file);
	}
}

static void webp_with_loss_and_alpha_decodes_near(void **state)
{
	(void)state;
	uint8_t rgba[WEBP_SIDE * WEBP_SIDE * 4];
	for (size_t i = 0; i < sizeof rgba; i += 4)
	{
		memcpy(rgba + i, (const uint8_t[]){ 200, 100, 50, (uint8_t)(i & 255) }, 4);
	}
	uint8_t *file;
	size_t size = WebPEncodeRGBA(rgba, WEBP_SIDE, WEBP_SIDE, WEBP_SIDE * 4, 90, &file);
	lrd_image image = decode_sound(file, size);
	const uint8_t *texel = texel_8(&image, 13, 13);
	assert_in_range(texel[0], 194, 206);
	assert_in_range(texel[1], 94, 106);
	assert_int_equal(texel[3], rgba[4 * (13 * WEBP_SIDE + 13) + 3]);
	for (size_t cut = 12; cut < size - 1; cut += 3)
	{
		assert_int_equal(decode_damaged(file, cut).code, LRD_ERROR_FORMAT);
	}
	lrd_image_free(&image);
	WebPFree(file);
}

static void animated_webp_is_unsupported(void **state)
{
	(void)state;
	static const uint8_t header[] = "RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x0f\0\0\x0f\0\0"
									"ANIM\x06\0\0\0\0\0\0\0\0\0";
	lrd_error error = decode_damaged(header, sizeof header - 1);
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "WebP: animated"));
}

static void what_is_no_image_is_named_by_its_beginning(void **state)
{
	(void)state;
	lrd_error error = decode_damaged("GIF89a and more of it here", 26);
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "26 bytes that begin with 47 49 46 38 39 61 20 61"));
	assert_int_equal(decode_damaged("", 0).code, LRD_ERROR_UNSUPPORTED);
	assert_int_equal(decode_damaged(NULL, 0).code, LRD_ERROR_UNSUPPORTED);
}

static void texts_and_zeros_are_not_taken_for_tga_or_bmp(void **state)
{
	(void)state;
	uint8_t zeros[64] = { 0 };
	assert_int_equal(lrd_image_codec_of(zeros, sizeof zeros), LRD_CODEC_UNKNOWN);
	static const char text[] = "BM is how this text begins, and it is no picture at all";
	assert_int_equal(lrd_image_codec_of(text, sizeof text), LRD_CODEC_UNKNOWN);
	static const char json[] = "{ \"asset\": { \"version\": \"2.0\" } }";
	assert_int_equal(lrd_image_codec_of(json, sizeof json), LRD_CODEC_UNKNOWN);
	assert_string_equal(lrd_image_codec_name(LRD_CODEC_TGA), "TGA");
	assert_string_equal(lrd_image_codec_name(LRD_CODEC_UNKNOWN), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tga_rows_may_begin_at_any_corner),
		cmocka_unit_test(tga_runs_cross_rows),
		cmocka_unit_test(tga_grey_palette_and_16_bits_decode),
		cmocka_unit_test(tga_alpha_that_is_all_zero_and_denied_is_opaque),
		cmocka_unit_test(truncated_tga_is_an_error_raw_and_packed),
		cmocka_unit_test(bmp_of_24_bits_pads_rows_and_goes_either_way),
		cmocka_unit_test(bmp_palettes_of_1_4_and_8_bits_decode),
		cmocka_unit_test(bmp_indices_outside_the_palette_are_an_error),
		cmocka_unit_test(bmp_of_32_bits_has_alpha_unless_all_of_it_is_zero),
		cmocka_unit_test(truncated_and_compressed_bmp_are_errors),
		cmocka_unit_test(psd_rgb_raw_and_packed_decode_at_8_and_16_bits),
		cmocka_unit_test(psd_alpha_is_unmatted_only_where_it_is_transparency),
		cmocka_unit_test(psd_grey_indexed_and_cmyk_decode),
		cmocka_unit_test(damaged_psd_is_an_error),
		cmocka_unit_test(hdr_flat_and_old_runs_decode),
		cmocka_unit_test(hdr_new_runs_decode),
		cmocka_unit_test(hdr_scan_lines_may_run_any_way),
		cmocka_unit_test(damaged_hdr_is_an_error),
		cmocka_unit_test(webp_without_loss_is_exact),
		cmocka_unit_test(webp_with_loss_and_alpha_decodes_near),
		cmocka_unit_test(animated_webp_is_unsupported),
		cmocka_unit_test(what_is_no_image_is_named_by_its_beginning),
		cmocka_unit_test(texts_and_zeros_are_not_taken_for_tga_or_bmp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
