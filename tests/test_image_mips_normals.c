// Normals in mip chains: flat ones, Z of two channels, and the roughness that lost length becomes.

#include "fixtures/mip_check.h"

#include <math.h>

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
	memcpy(image.pixels, (const float[]){ 1, 0, 0, 1, -1, 0, 0, 1 }, 32);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_NORMAL });
	uint16_t halves[4];
	memcpy(halves, mip_texel(&mips, 1, 0, 0), 8);
	assert_true(lrd_float_from_half(halves[0]) == 0.0f);
	assert_true(lrd_float_from_half(halves[1]) == 0.0f);
	assert_true(lrd_float_from_half(halves[2]) == 1.0f);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void flat_normals_of_two_channels_get_their_z(void **state)
{
	(void)state;
	lrd_image image = blank(50, 21, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 50 * 21; i++)
	{
		set_8(&image, i % 50, i / 50, 128, 128, 77, 255); // blue is no Z
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_NORMAL, .two_channel = true });
	for (uint32_t level = 0; level < mips.level_count; level++)
	{
		for (size_t at = 0; at < mips.levels[level].size; at += 4)
		{
			assert_memory_equal(mips.levels[level].data + at, ((const uint8_t[]){ 128, 128, 255, 255 }), 4);
		}
	}
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void z_of_two_channels_is_rebuilt_before_filtering(void **state)
{
	(void)state;
	lrd_image image = blank(2, 1, LRD_PIXEL_F32);
	memcpy(image.pixels, (const float[]){ 0.8f, 0, 0, 1, 0, 0, 0, 1 }, 32); // (0.8, 0, 0.6) and (0, 0, 1)
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_NORMAL, .two_channel = true });
	assert_true(fabs(mip_half(&mips, 0, 0, 0, 2) - 0.6) < 1e-3);
	double length = sqrt(0.4 * 0.4 + 0.8 * 0.8);
	assert_true(fabs(mip_half(&mips, 1, 0, 0, 0) - 0.4 / length) < 1e-3);
	assert_true(fabs(mip_half(&mips, 1, 0, 0, 2) - 0.8 / length) < 1e-3);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void turned_y_is_turned_in_every_level(void **state)
{
	(void)state;
	lrd_image image = noisy(33, 18, LRD_PIXEL_UNORM8), turned = noisy(33, 18, LRD_PIXEL_UNORM8);
	for (size_t i = 1; i < turned.size; i += 4)
	{
		((uint8_t *)turned.pixels)[i] = (uint8_t)(255 - ((uint8_t *)turned.pixels)[i]);
	}
	lrd_mips flipped = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_NORMAL, .flip_y = true });
	lrd_mips expected = make((lrd_mips_desc){ .image = &turned, .content = LRD_MIP_NORMAL });
	for (uint32_t level = 0; level < flipped.level_count; level++)
	{
		for (size_t i = 0; i < flipped.levels[level].size; i++)
		{
			int difference = flipped.levels[level].data[i] - expected.levels[level].data[i];
			assert_in_range(difference + 1, level == 0 ? 1 : 0, level == 0 ? 1 : 2);
		}
	}
	lrd_mips_free(&flipped);
	lrd_mips_free(&expected);
	lrd_image_free(&image);
	lrd_image_free(&turned);
}

static lrd_image solid_roughness(uint32_t side, uint8_t roughness)
{
	lrd_image image = blank(side, side, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < side * side; i++)
	{
		set_8(&image, i % side, i / side, 10, roughness, 200, 255);
	}
	return image;
}

static void flat_normals_leave_roughness_alone(void **state)
{
	(void)state;
	static const uint8_t codes[] = { 0, 1, 12, 128, 255 };
	for (size_t i = 0; i < 5; i++)
	{
		lrd_image image = solid_roughness(20, codes[i]), normals = blank(33, 7, LRD_PIXEL_UNORM8);
		for (uint32_t at = 0; at < 33 * 7; at++)
		{
			set_8(&normals, at % 33, at / 33, 140, 110, 253, 255);
		}
		lrd_mips mips =
			make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_DATA, .roughness_normals = &normals });
		for (uint32_t level = 0; level < mips.level_count; level++)
		{
			assert_memory_equal(mip_texel(&mips, level, 0, 0), ((const uint8_t[]){ 10, codes[i], 200, 255 }), 4);
		}
		lrd_mips_free(&mips);
		lrd_image_free(&image);
		lrd_image_free(&normals);
	}
}

// Columns tilted by 0.3 to the left and to the right: their mean has the length cos 0.3.
static void lost_length_of_normals_raises_roughness(void **state)
{
	(void)state;
	double tilt = 0.3, r = cos(tilt), spread = 2 * (1 - r * r) / (r * (3 - r * r));
	for (uint32_t scale = 1; scale <= 2; scale++) // normals of the same size, and of twice it
	{
		uint8_t roughness = 51;
		lrd_image image = solid_roughness(16, roughness), normals = blank(16 * scale, 16 * scale, LRD_PIXEL_F32);
		float *to = normals.pixels;
		for (uint32_t i = 0; i < 256 * scale * scale; i++)
		{
			double side = i / scale % 2 == 0 ? tilt : -tilt;
			to[4 * i] = (float)sin(side);
			to[4 * i + 1] = 0.0f;
			to[4 * i + 2] = (float)cos(side);
		}
		lrd_mips mips =
			make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_DATA, .roughness_normals = &normals });
		double expected = 255 * pow(pow(0.2, 4) + spread, 0.25);
		assert_int_equal(mip_texel(&mips, 0, 3, 3)[1], roughness);
		for (uint32_t level = 1; level < mips.level_count; level++)
		{
			const uint8_t *texel = mip_texel(&mips, level, 0, 0);
			assert_true(fabs(texel[1] - expected) < 0.51);
			assert_int_equal(texel[0], 10);
			assert_int_equal(texel[2], 200);
		}
		lrd_mips_free(&mips);
		lrd_image_free(&image);
		lrd_image_free(&normals);
	}
}

static void smaller_normals_raise_roughness_from_where_they_differ(void **state)
{
	(void)state;
	lrd_image image = solid_roughness(64, 30), normals = blank(8, 8, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 64; i++)
	{
		set_8(&normals, i % 8, i / 8, (i + i / 8) % 2 ? 200 : 56, 128, 230, 255);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_DATA, .roughness_normals = &normals });
	for (uint32_t level = 0; level < mips.level_count; level++)
	{
		uint8_t found = mip_texel(&mips, level, 0, 0)[1];
		assert_true(level <= 3 ? found == 30 : found > 150); // a normal covers 8 x 8 texels
	}
	lrd_mips_free(&mips);
	lrd_image_free(&image);
	lrd_image_free(&normals);
}

static void roughness_grows_to_1_and_no_further(void **state)
{
	(void)state;
	lrd_image image = solid_roughness(8, 240), normals = blank(8, 8, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 64; i++)
	{
		set_8(&normals, i % 8, i / 8, i % 2 ? 255 : 0, 128, 128, 255);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .content = LRD_MIP_DATA, .roughness_normals = &normals });
	assert_int_equal(mip_texel(&mips, 1, 0, 0)[1], 255);
	lrd_mips_free(&mips);
	lrd_error error;
	assert_false(lrd_mips_make(&(lrd_mips_desc){ .image = &image, .roughness_normals = &normals }, &mips, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_image_free(&image);
	lrd_image_free(&normals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flat_normals_stay_flat),
		cmocka_unit_test(normals_have_length_one_in_every_level),
		cmocka_unit_test(opposed_normals_point_up),
		cmocka_unit_test(flat_normals_of_two_channels_get_their_z),
		cmocka_unit_test(z_of_two_channels_is_rebuilt_before_filtering),
		cmocka_unit_test(turned_y_is_turned_in_every_level),
		cmocka_unit_test(flat_normals_leave_roughness_alone),
		cmocka_unit_test(lost_length_of_normals_raises_roughness),
		cmocka_unit_test(smaller_normals_raise_roughness_from_where_they_differ),
		cmocka_unit_test(roughness_grows_to_1_and_no_further),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
