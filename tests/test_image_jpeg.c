// JPEG: the kinds TurboJPEG writes, all eight orientations, CMYK, and what damage and hostile numbers lead to.

#include "fixtures/image_build.h"
#include "fixtures/image_check.h"

#include <stdlib.h>
#include <turbojpeg.h>

#define WIDTH 48
#define HEIGHT 32

typedef struct jpeg
{
	uint8_t *data;
	unsigned long size;
} jpeg;

static jpeg compress(const uint8_t *pixels, int width, int height, int format, int subsampling, int flags)
{
	jpeg file = { 0 };
	tjhandle handle = tjInitCompress();
	int code = tjCompress2(handle, pixels, width, 0, height, format, &file.data, &file.size, subsampling, 98, flags);
	assert_int_equal(code, 0);
	tjDestroy(handle);
	return file;
}

// Four quarters of flat colour, so that blocks hold them with hardly any loss: red, green / blue, white.
static void fill_quarters(uint8_t *rgba)
{
	for (int y = 0; y < HEIGHT; y++)
	{
		for (int x = 0; x < WIDTH; x++)
		{
			bool right = x >= WIDTH / 2, low = y >= HEIGHT / 2;
			uint8_t *texel = rgba + 4 * (y * WIDTH + x);
			texel[0] = right == low ? 255 : 0;
			texel[1] = right ? 255 : 0;
			texel[2] = low ? 255 : 0;
			texel[3] = 255;
		}
	}
}

static jpeg quarters(int subsampling, int flags)
{
	static uint8_t rgba[WIDTH * HEIGHT * 4];
	fill_quarters(rgba);
	return compress(rgba, WIDTH, HEIGHT, TJPF_RGBA, subsampling, flags);
}

static bool is_near(const uint8_t *texel, int r, int g, int b)
{
	return abs(texel[0] - r) <= 3 && abs(texel[1] - g) <= 3 && abs(texel[2] - b) <= 3 && texel[3] == 255;
}

// 'r', 'g', 'b', 'w' for the colour at a place given in quarters; '?' for another.
static char color_at(const lrd_image *image, uint32_t x, uint32_t y)
{
	const uint8_t *texel = texel_8(image, image->width / 4 * (1 + 2 * x), image->height / 4 * (1 + 2 * y));
	return is_near(texel, 255, 0, 0)       ? 'r'
		   : is_near(texel, 0, 255, 0)     ? 'g'
		   : is_near(texel, 0, 0, 255)     ? 'b'
		   : is_near(texel, 255, 255, 255) ? 'w'
										   : '?';
}

static void assert_quarters(const lrd_image *image, const char *expected)
{
	char found[5] = { color_at(image, 0, 0), color_at(image, 1, 0), color_at(image, 0, 1), color_at(image, 1, 1), 0 };
	assert_string_equal(found, expected);
}

static void every_subsampling_and_progression_decodes(void **state)
{
	(void)state;
	static const int subsamplings[] = { TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411 };
	for (size_t i = 0; i < sizeof subsamplings / sizeof *subsamplings; i++)
	{
		for (int progressive = 0; progressive < 2; progressive++)
		{
			jpeg file = quarters(subsamplings[i], progressive ? TJFLAG_PROGRESSIVE : 0);
			lrd_image image = decode_sound(file.data, file.size);
			assert_int_equal(image.width, WIDTH);
			assert_int_equal(image.height, HEIGHT);
			assert_int_equal(image.source_channels, 3);
			assert_false(image.has_alpha);
			assert_quarters(&image, "rgbw");
			lrd_image_free(&image);
			tjFree(file.data);
		}
	}
}

static void grey_is_grey(void **state)
{
	(void)state;
	uint8_t grey[16 * 16];
	memset(grey, 93, sizeof grey);
	jpeg file = compress(grey, 16, 16, TJPF_GRAY, TJSAMP_GRAY, 0);
	lrd_image image = decode_sound(file.data, file.size);
	assert_int_equal(image.source_channels, 1);
	assert_texel_8(&image, 7, 7, 93, 93, 93, 255);
	lrd_image_free(&image);
	tjFree(file.data);
}

static void cmyk_of_adobe_is_inverted(void **state)
{
	(void)state;
	uint8_t cmyk[16 * 16 * 4];
	for (size_t i = 0; i < sizeof cmyk; i += 4) // as stored: what ink leaves over
	{
		memcpy(cmyk + i, (const uint8_t[]){ 255, 128, 0, 200 }, 4);
	}
	jpeg file = compress(cmyk, 16, 16, TJPF_CMYK, TJSAMP_444, 0);
	lrd_image image = decode_sound(file.data, file.size);
	assert_true(is_near(texel_8(&image, 8, 8), 200, 100, 0));
	lrd_image_free(&image);
	tjFree(file.data);
}

static void cmyk_without_adobe_is_ink(void **state)
{
	(void)state;
	uint8_t cmyk[16 * 16 * 4];
	for (size_t i = 0; i < sizeof cmyk; i += 4)
	{
		memcpy(cmyk + i, (const uint8_t[]){ 0, 127, 255, 55 }, 4);
	}
	jpeg file = compress(cmyk, 16, 16, TJPF_CMYK, TJSAMP_444, 0);
	size_t adobe = 2;
	while (memcmp(file.data + adobe, "\xff\xee", 2) != 0)
	{
		adobe++;
	}
	file.data[adobe + 1] = 0xed; // some other application's segment
	file.data[adobe + 4] = 'X';
	// Without Adobe's word the decoder takes four components for CMYK, not YCCK, so the colours here are those of the
	// components as stored.
	lrd_image image = decode_sound(file.data, file.size);
	file.data[adobe + 1] = 0xee;
	file.data[adobe + 4] = 'A';
	file.data[adobe + 15] = 0; // transform: none
	lrd_image inverted = decode_sound(file.data, file.size);
	const uint8_t *ink = texel_8(&image, 8, 8);
	const uint8_t *left = texel_8(&inverted, 8, 8);
	uint8_t stored[4];
	tjhandle handle = tjInitDecompress();
	uint8_t all[16 * 16 * 4];
	assert_int_equal(tjDecompress2(handle, file.data, file.size, all, 16, 0, 16, TJPF_CMYK, 0), 0);
	tjDestroy(handle);
	memcpy(stored, all + 4 * (16 * 8 + 8), 4);
	for (size_t channel = 0; channel < 3; channel++)
	{
		assert_int_equal(left[channel], (stored[channel] * stored[3] + 127) / 255);
		assert_int_equal(ink[channel], ((255 - stored[channel]) * (255 - stored[3]) + 127) / 255);
	}
	lrd_image_free(&image);
	lrd_image_free(&inverted);
	tjFree(file.data);
}

static void all_eight_orientations_are_applied(void **state)
{
	(void)state;
	// What stands at the four corners once the picture is turned as EXIF says: upper left, upper right, lower left,
	// lower right.
	static const char *const expected[9] = { NULL, "rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb" };
	jpeg file = quarters(TJSAMP_444, 0);
	for (uint16_t orientation = 1; orientation <= 8; orientation++)
	{
		for (int big_endian = 0; big_endian < 2; big_endian++)
		{
			lrd_buffer turned = jpeg_with_orientation(file.data, file.size, orientation, big_endian);
			lrd_image image = decode_sound(turned.data, turned.size);
			assert_int_equal(image.width, orientation >= 5 ? HEIGHT : WIDTH);
			assert_int_equal(image.height, orientation >= 5 ? WIDTH : HEIGHT);
			assert_quarters(&image, expected[orientation]);
			lrd_image_free(&image);
			lrd_buffer_free(&turned);
		}
	}
	tjFree(file.data);
}

static void orientations_that_make_no_sense_are_ignored(void **state)
{
	(void)state;
	jpeg file = quarters(TJSAMP_444, 0);
	static const uint16_t orientations[] = { 0, 9, 65535 };
	for (size_t i = 0; i < 3; i++)
	{
		lrd_buffer turned = jpeg_with_orientation(file.data, file.size, orientations[i], true);
		lrd_image image = decode_sound(turned.data, turned.size);
		assert_quarters(&image, "rgbw");
		lrd_image_free(&image);
		lrd_buffer_free(&turned);
	}
	tjFree(file.data);
}

static void damaged_exif_blocks_are_ignored(void **state)
{
	(void)state;
	jpeg file = quarters(TJSAMP_444, 0);
	for (size_t at = 6; at < 2 + 36; at++) // all that the segment holds
	{
		lrd_buffer turned = jpeg_with_orientation(file.data, file.size, 1, false);
		turned.data[at] = 0xfe;
		lrd_image image = decode_sound(turned.data, turned.size);
		lrd_image_free(&image);
		lrd_buffer_free(&turned);
	}
	tjFree(file.data);
}

static void truncated_pixels_are_an_error(void **state)
{
	(void)state;
	for (int progressive = 0; progressive < 2; progressive++)
	{
		jpeg file = quarters(TJSAMP_420, progressive ? TJFLAG_PROGRESSIVE : 0);
		for (size_t size = 3; size < file.size - 2; size++)
		{
			assert_int_equal(decode_damaged(file.data, size).code, LRD_ERROR_FORMAT);
		}
		tjFree(file.data);
	}
}

static void padding_before_the_end_is_forgiven(void **state)
{
	(void)state;
	jpeg file = quarters(TJSAMP_444, 0);
	lrd_buffer padded = { 0 };
	assert_true(lrd_buffer_append(&padded, file.data, file.size - 2));
	assert_true(lrd_buffer_append(&padded, "\0\0\0\0\xff\xd9", 6));
	lrd_image image = decode_sound(padded.data, padded.size);
	assert_quarters(&image, "rgbw");
	lrd_image_free(&image);
	lrd_buffer_free(&padded);
	tjFree(file.data);
}

static size_t find_marker(const jpeg *file, uint8_t marker)
{
	size_t at = 2;
	while (file->data[at + 1] != marker)
	{
		at += 2u + ((size_t)file->data[at + 2] << 8 | file->data[at + 3]);
	}
	return at;
}

static void a_thousand_scans_are_refused(void **state)
{
	(void)state;
	jpeg file = quarters(TJSAMP_444, TJFLAG_PROGRESSIVE);
	size_t scan = find_marker(&file, 0xda);
	size_t header = 2u + ((size_t)file.data[scan + 2] << 8 | file.data[scan + 3]);
	lrd_buffer bomb = { 0 };
	assert_true(lrd_buffer_append(&bomb, file.data, scan));
	for (int i = 0; i < 1000; i++)
	{
		assert_true(lrd_buffer_append(&bomb, file.data + scan, header));
	}
	lrd_error error = decode_damaged(bomb.data, bomb.size);
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	assert_non_null(strstr(error.message, "1000 scans"));
	lrd_buffer_free(&bomb);
	tjFree(file.data);
}

static void frames_and_sizes_larder_does_not_read_are_named(void **state)
{
	(void)state;
	jpeg file = quarters(TJSAMP_444, 0);
	size_t frame = find_marker(&file, 0xc0);
	file.data[frame + 4] = 12;
	lrd_error error = decode_damaged(file.data, file.size);
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "SOF0 at 12 bits"));
	file.data[frame + 4] = 8;
	file.data[frame + 1] = 0xc3; // lossless
	assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_UNSUPPORTED);
	file.data[frame + 1] = 0xc0;
	memcpy(file.data + frame + 5, "\x3f\xff\x3f\xff", 4); // 16383 x 16383 in a few hundred bytes
	assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_FORMAT);
	memcpy(file.data + frame + 5, "\xff\xdc\xff\xdc", 4);
	assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_LIMIT);
	memcpy(
		file.data + frame + 5, "\0\0\0\x10", 4); // a height of 0 is allowed by T.81, but needs a marker nobody writes
	assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_FORMAT);
	tjFree(file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_subsampling_and_progression_decodes),
		cmocka_unit_test(grey_is_grey),
		cmocka_unit_test(cmyk_of_adobe_is_inverted),
		cmocka_unit_test(cmyk_without_adobe_is_ink),
		cmocka_unit_test(all_eight_orientations_are_applied),
		cmocka_unit_test(orientations_that_make_no_sense_are_ignored),
		cmocka_unit_test(damaged_exif_blocks_are_ignored),
		cmocka_unit_test(truncated_pixels_are_an_error),
		cmocka_unit_test(padding_before_the_end_is_forgiven),
		cmocka_unit_test(a_thousand_scans_are_refused),
		cmocka_unit_test(frames_and_sizes_larder_does_not_read_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
