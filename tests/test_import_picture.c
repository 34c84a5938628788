// Any image file as pictures: what is opened is decoded, shown and saved as it was.

#include "fixtures/picture_check.h"

// Sources.

static void a_png_is_read_and_written_as_it_is(void **state)
{
	(void)state;
	uint8_t drawn[16 * 9 * 4];
	draw(drawn, 16, 9, true);
	lrd_buffer png = make_png(drawn, 16, 9);
	lrd_picture *picture = open_sound_picture((lrd_bytes){ png.data, png.size });
	const lrd_picture_info *info = lrd_picture_get_info(picture);
	assert_int_equal(info->container, LRD_PICTURE_PNG);
	assert_string_equal(info->format, "RGBA8");
	assert_int_equal(info->width, 16);
	assert_int_equal(info->height, 9);
	assert_int_equal(info->levels, 1);
	assert_int_equal(info->channels, LRD_CHANNELS_RGBA);
	assert_true(info->srgb);
	lrd_pixels pixels = decode(picture, (lrd_picture_decode_desc){ 0 });
	assert_int_equal(pixels.type, LRD_PIXELS_UNORM8);
	assert_true(pixels.has_alpha);
	assert_memory_equal(pixels.data, drawn, sizeof drawn);
	lrd_buffer again = { 0 };
	assert_true(lrd_pixels_write_png(&pixels, &again, NULL));
	assert_int_equal(again.size, png.size);
	assert_memory_equal(again.data, png.data, png.size);
	lrd_buffer_free(&again);
	lrd_pixels_free(&pixels);
	lrd_picture_close(picture);
	lrd_buffer_free(&png);
}

static void sixteen_bits_survive_png(void **state)
{
	(void)state;
	uint16_t codes[7 * 3 * 4];
	for (uint32_t i = 0; i < 7 * 3 * 4; ++i)
	{
		codes[i] = (uint16_t)(i * 40503u);
	}
	lrd_pixels made = {
		.width = 7,
		.height = 3,
		.type = LRD_PIXELS_UNORM16,
		.channels = LRD_CHANNELS_RGBA,
		.data = codes,
		.size = sizeof codes,
	};
	lrd_buffer png = { 0 };
	assert_true(lrd_pixels_write_png(&made, &png, NULL));
	lrd_pixels read = read_back(&png);
	assert_int_equal(read.type, LRD_PIXELS_UNORM16);
	assert_memory_equal(read.data, codes, sizeof codes);
	lrd_pixels_free(&read);
	lrd_buffer_free(&png);
}

static void floats_survive_exr(void **state)
{
	(void)state;
	for (int halves = 0; halves < 2; ++halves)
	{
		float values[5 * 2 * 4];
		for (uint32_t i = 0; i < 5 * 2 * 4; ++i)
		{
			values[i] = i % 4 == 3 ? 1.0f : (float)i * (halves ? 0.5f : 0.1f);
		}
		lrd_pixels made = {
			.width = 5,
			.height = 2,
			.type = LRD_PIXELS_F32,
			.range = LRD_PIXELS_OPEN,
			.channels = LRD_CHANNELS_RGB,
			.data = values,
			.size = sizeof values,
		};
		lrd_buffer exr = { 0 };
		assert_true(lrd_pixels_write_exr(&made, &exr, NULL));
		lrd_pixels read = read_back(&exr);
		assert_int_equal(read.type, LRD_PIXELS_F32);
		assert_int_equal(read.range, LRD_PIXELS_OPEN);
		assert_memory_equal(read.data, values, sizeof values);
		lrd_pixels_free(&read);
		lrd_buffer_free(&exr);
	}
}

static void exr_of_encoded_colours_is_linear_light(void **state)
{
	(void)state;
	uint8_t codes[4 * 4] = { 0, 64, 128, 255, 255, 200, 10, 255, 1, 2, 3, 255, 99, 98, 97, 255 };
	lrd_pixels made = {
		.width = 4, .height = 1, .channels = LRD_CHANNELS_RGB, .srgb = true, .data = codes, .size = sizeof codes
	};
	lrd_buffer exr = { 0 };
	assert_true(lrd_pixels_write_exr(&made, &exr, NULL));
	lrd_pixels read = read_back(&exr);
	for (size_t i = 0; i < sizeof codes; ++i)
	{
		float expected = i % 4 == 3 ? 1.0f : lrd_srgb_to_linear((float)codes[i] / 255.0f);
		assert_true(((const float *)read.data)[i] == expected);
	}
	lrd_pixels_free(&read);
	lrd_buffer_free(&exr);
}

static void light_is_shown_tone_mapped(void **state)
{
	(void)state;
	float light[2 * 4] = { 0.0f, 1.0f, 3.0f, 1.0f, 1e9f, -1.0f, 0.25f, 0.5f };
	lrd_pixels made = {
		.width = 2,
		.height = 1,
		.type = LRD_PIXELS_F32,
		.range = LRD_PIXELS_OPEN,
		.channels = LRD_CHANNELS_RGBA,
		.data = light,
		.size = sizeof light,
	};
	uint8_t shown[8];
	lrd_pixels_show(&made, shown);
	// x / (1 + x), then IEC 61966-2-1: 0, 0.5, 0.75, 1, 0, 0.2.
	static const uint8_t expected[8] = { 0, 188, 225, 255, 255, 0, 124, 128 };
	assert_memory_equal(shown, expected, sizeof shown);
}

static void one_channel_is_shown_grey(void **state)
{
	(void)state;
	uint8_t codes[8] = { 10, 0, 0, 255, 200, 0, 0, 255 };
	lrd_pixels made = { .width = 2, .height = 1, .channels = LRD_CHANNEL_R, .data = codes, .size = sizeof codes };
	static const uint8_t expected[8] = { 10, 10, 10, 255, 200, 200, 200, 255 };
	uint8_t shown[8];
	lrd_pixels_show(&made, shown);
	assert_memory_equal(shown, expected, sizeof shown);
	lrd_buffer png = { 0 };
	assert_true(lrd_pixels_write_png(&made, &png, NULL));
	lrd_pixels read = read_back(&png);
	assert_memory_equal(read.data, expected, sizeof expected);
	lrd_pixels_free(&read);
	lrd_buffer_free(&png);
}

// Cooked textures.

typedef struct cooked_case
{
	lrd_texture_encoding encoding;
	lrd_texture_type type;
	lrd_pixels_type pixels;
	double least; // dB
} cooked_case;

static const cooked_case cooked_cases[] = {
	{ LRD_ENCODING_RGBA8, LRD_TEXTURE_TYPE_ALBEDO, LRD_PIXELS_UNORM8, 99 },
	{ LRD_ENCODING_RGBA16F, LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, LRD_PIXELS_F32, 60 },
	{ LRD_ENCODING_BC1, LRD_TEXTURE_TYPE_ALBEDO, LRD_PIXELS_UNORM8, 30 },
	{ LRD_ENCODING_BC3, LRD_TEXTURE_TYPE_ALBEDO, LRD_PIXELS_UNORM8, 30 },
	{ LRD_ENCODING_BC4, LRD_TEXTURE_TYPE_MASK, LRD_PIXELS_UNORM16, 40 },
	{ LRD_ENCODING_BC5, LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, LRD_PIXELS_UNORM16, 40 },
	{ LRD_ENCODING_BC7, LRD_TEXTURE_TYPE_ALBEDO, LRD_PIXELS_UNORM8, 40 },
	{ LRD_ENCODING_ASTC_4X4, LRD_TEXTURE_TYPE_ALBEDO, LRD_PIXELS_UNORM8, 35 },
	{ LRD_ENCODING_ASTC_5X5, LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, LRD_PIXELS_UNORM8, 30 },
	{ LRD_ENCODING_ASTC_6X6, LRD_TEXTURE_TYPE_ALBEDO, LRD_PIXELS_UNORM8, 30 },
	{ LRD_ENCODING_ASTC_8X8, LRD_TEXTURE_TYPE_ALBEDO, LRD_PIXELS_UNORM8, 28 },
};

static void check_case(const cooked_case *row, const lrd_buffer *source, bool zstd)
{
	lrd_texture_settings settings = { .type = row->type, .format = row->encoding, .zstd = zstd };
	lrd_buffer file = cook(source, 1, settings, LRD_TARGET_DESKTOP);
	lrd_picture *picture = open_sound_picture((lrd_bytes){ file.data, file.size });
	const lrd_picture_info *info = lrd_picture_get_info(picture);
	assert_int_equal(info->container, LRD_PICTURE_KTX2);
	assert_int_equal(info->levels, 6);
	assert_int_equal(info->type, row->pixels);
	assert_true(info->decodable);
	assert_true(lrd_string_equal(info->holds, lrd_string_from(lrd_texture_type_name(row->type))));
	assert_true(lrd_string_equal(info->holds_from, LRD_STR("settings")));
	lrd_pixels reference = read_back(source);
	for (uint32_t level = 0; level < info->levels; ++level)
	{
		lrd_pixels pixels = decode(picture, (lrd_picture_decode_desc){ .level = level });
		assert_int_equal(pixels.width, lrd_texture_extent(39, level));
		assert_int_equal(pixels.height, lrd_texture_extent(21, level));
		assert_int_equal(pixels.type, row->pixels);
		if (level == 0)
		{
			lrd_pixels_comparison result = compare_as(&reference, &pixels, false,
				row->type == LRD_TEXTURE_TYPE_ALBEDO ? LRD_MEANING_COLORS : LRD_MEANING_DATA);
			if (!(result.psnr_rgb >= row->least))
			{
				fail_msg("%s: %g dB, expected %g", info->format, result.psnr_rgb, row->least);
			}
		}
		lrd_pixels_free(&pixels);
	}
	lrd_error error = { 0 };
	lrd_pixels none = { 0 };
	assert_false(lrd_picture_decode(picture, &(lrd_picture_decode_desc){ .level = 6 }, &none, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_null(none.data);
	lrd_pixels_free(&reference);
	lrd_picture_close(picture);
	lrd_buffer_free(&file);
}

static void every_level_of_every_encoding_is_decoded(void **state)
{
	(void)state;
	uint8_t drawn[39 * 21 * 4];
	draw(drawn, 39, 21, false);
	lrd_buffer source = make_png(drawn, 39, 21);
	for (size_t i = 0; i < sizeof cooked_cases / sizeof *cooked_cases; ++i)
	{
		check_case(&cooked_cases[i], &source, false);
		check_case(&cooked_cases[i], &source, true);
	}
	lrd_buffer_free(&source);
}

static void normals_of_two_channels_are_rebuilt_on_request(void **state)
{
	(void)state;
	uint8_t drawn[64 * 64 * 4];
	draw_normals(drawn, 64, 64);
	lrd_buffer source = make_png(drawn, 64, 64);
	lrd_pixels reference = read_back(&source);
	static const lrd_picture_normals stored[] = { LRD_NORMALS_RG, LRD_NORMALS_RA, LRD_NORMALS_RGB };
	for (int target = 0; target < LRD_TARGET_COUNT; ++target)
	{
		lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_NORMAL };
		lrd_buffer file = cook(&source, 1, settings, (lrd_target)target);
		lrd_picture *picture = open_sound_picture((lrd_bytes){ file.data, file.size });
		assert_int_equal(lrd_picture_get_info(picture)->normals, stored[target]);
		lrd_pixels rebuilt =
			decode(picture, (lrd_picture_decode_desc){ .rebuild_normals = true, .apply_swizzle = true });
		assert_int_equal(rebuilt.channels & LRD_CHANNELS_RGB, LRD_CHANNELS_RGB);
		lrd_pixels_comparison result = compare(&reference, &rebuilt, true);
		assert_int_equal(result.as, LRD_COMPARED_NORMALS);
		assert_true(result.angle_mean < 1.0);
		assert_true(result.angle_max < 8.0);
		lrd_pixels plain = decode(picture, (lrd_picture_decode_desc){ 0 });
		lrd_pixels_comparison other = compare(&reference, &plain, true);
		assert_true(stored[target] == LRD_NORMALS_RGB || other.angle_mean > 20.0);
		lrd_pixels_free(&plain);
		lrd_pixels_free(&rebuilt);
		lrd_picture_close(picture);
		lrd_buffer_free(&file);
	}
	lrd_pixels_free(&reference);
	lrd_buffer_free(&source);
}

static void each_face_of_a_cubemap_is_itself(void **state)
{
	(void)state;
	lrd_buffer faces[6];
	for (uint32_t face = 0; face < 6; ++face)
	{
		uint8_t drawn[16 * 16 * 4];
		for (size_t i = 0; i < sizeof drawn; ++i)
		{
			drawn[i] = i % 4 == 3 ? 255 : i % 4 == face % 3 ? (uint8_t)(80 + 30 * face) : 20;
		}
		faces[face] = make_png(drawn, 16, 16);
	}
	static const lrd_texture_encoding encodings[] = { LRD_ENCODING_BC6H, LRD_ENCODING_RGBA16F };
	for (int i = 0; i < 2; ++i)
	{
		lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_CUBEMAP, .format = encodings[i] };
		lrd_buffer file = cook(faces, 6, settings, LRD_TARGET_DESKTOP);
		lrd_picture *picture = open_sound_picture((lrd_bytes){ file.data, file.size });
		assert_int_equal(lrd_picture_get_info(picture)->faces, 6);
		for (uint32_t face = 0; face < 6; ++face)
		{
			lrd_pixels pixels = decode(picture, (lrd_picture_decode_desc){ .face = face });
			lrd_pixels reference = read_back(&faces[face]);
			lrd_pixels_comparison result = compare(&reference, &pixels, false);
			assert_int_equal(result.as, LRD_COMPARED_LIGHT);
			assert_true(result.psnr_rgb > 35.0);
			assert_true(result.psnr_reinhard > 35.0);
			lrd_pixels_free(&reference);
			lrd_pixels_free(&pixels);
		}
		lrd_pixels none = { 0 };
		assert_false(lrd_picture_decode(picture, &(lrd_picture_decode_desc){ .face = 6 }, &none, NULL));
		assert_false(lrd_picture_decode(picture, &(lrd_picture_decode_desc){ .layer = 1 }, &none, NULL));
		assert_false(lrd_picture_decode(picture, &(lrd_picture_decode_desc){ .slice = 1 }, &none, NULL));
		lrd_picture_close(picture);
		lrd_buffer_free(&file);
	}
	for (uint32_t face = 0; face < 6; ++face)
	{
		lrd_buffer_free(&faces[face]);
	}
}

/// A texture of 2 x 2 texels with a key.
static lrd_buffer write_keyed(const char *key, const char *value)
{
	static const uint8_t texels[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	lrd_buffer keys = { 0 };
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	assert_true(lrd_texture_add_key(&keys, lrd_string_from(key), (lrd_bytes){ value, strlen(value) + 1 }, NULL));
	lrd_texture_view view = {
		.format = LRD_TEXTURE_RGBA8_UNORM,
		.width = 2,
		.height = 2,
		.face_count = 1,
		.level_count = 1,
		.levels = { { .data = texels, .size = 16, .decoded_size = 16 } },
		.key_values = { keys.data, keys.size },
	};
	if (!lrd_texture_write(&view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	lrd_buffer_free(&keys);
	return file;
}

static void rows_and_columns_are_turned_as_the_file_says(void **state)
{
	(void)state;
	static const struct
	{
		const char *orientation;
		uint8_t reds[4]; // of the texels, row by row
	} rows[] = { { "rd", { 1, 5, 9, 13 } }, { "ru", { 9, 13, 1, 5 } }, { "ld", { 5, 1, 13, 9 } },
		{ "lu", { 13, 9, 5, 1 } } };
	for (size_t i = 0; i < 4; ++i)
	{
		lrd_buffer file = write_keyed("KTXorientation", rows[i].orientation);
		lrd_picture *picture = open_sound_picture((lrd_bytes){ file.data, file.size });
		lrd_pixels turned = decode(picture, (lrd_picture_decode_desc){ 0 });
		lrd_pixels kept = decode(picture, (lrd_picture_decode_desc){ .keep_orientation = true });
		assert_int_equal(lrd_picture_get_info(picture)->bottom_up, rows[i].orientation[1] == 'u');
		for (size_t texel = 0; texel < 4; ++texel)
		{
			assert_int_equal(((const uint8_t *)turned.data)[4 * texel], rows[i].reds[texel]);
			assert_int_equal(((const uint8_t *)kept.data)[4 * texel], rows[0].reds[texel]);
		}
		lrd_pixels_free(&kept);
		lrd_pixels_free(&turned);
		lrd_picture_close(picture);
		lrd_buffer_free(&file);
	}
}

static void the_swizzle_is_applied_on_request(void **state)
{
	(void)state;
	lrd_buffer file = write_keyed("KTXswizzle", "bb1r");
	lrd_picture *picture = open_sound_picture((lrd_bytes){ file.data, file.size });
	lrd_pixels stored = decode(picture, (lrd_picture_decode_desc){ 0 });
	lrd_pixels sampled = decode(picture, (lrd_picture_decode_desc){ .apply_swizzle = true });
	static const uint8_t expected[4] = { 3, 3, 255, 1 };
	static const uint8_t as_stored[4] = { 1, 2, 3, 4 };
	assert_memory_equal(stored.data, as_stored, 4);
	assert_memory_equal(sampled.data, expected, 4);
	assert_int_equal(stored.channels, LRD_CHANNELS_RGBA);
	assert_int_equal(sampled.channels, LRD_CHANNEL_R | LRD_CHANNEL_G | LRD_CHANNEL_A);
	lrd_pixels_free(&sampled);
	lrd_pixels_free(&stored);
	lrd_picture_close(picture);
	lrd_buffer_free(&file);
}

static void colours_that_are_multiplied_by_alpha_are_divided_again(void **state)
{
	(void)state;
	uint8_t drawn[16 * 16 * 4];
	for (size_t i = 0; i < sizeof drawn; i += 4)
	{
		memcpy(drawn + i, (const uint8_t[4]){ 200, 100, 50, 128 }, 4);
	}
	lrd_buffer source = make_png(drawn, 16, 16);
	lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_UI, .format = LRD_ENCODING_RGBA8, .premultiply = true };
	lrd_buffer file = cook(&source, 1, settings, LRD_TARGET_DESKTOP);
	lrd_picture *picture = open_sound_picture((lrd_bytes){ file.data, file.size });
	assert_true(lrd_picture_get_info(picture)->premultiplied);
	lrd_pixels straight = decode(picture, (lrd_picture_decode_desc){ 0 });
	lrd_pixels kept = decode(picture, (lrd_picture_decode_desc){ .keep_premultiplied = true });
	for (size_t c = 0; c < 4; ++c)
	{
		assert_in_range(((const uint8_t *)straight.data)[c], drawn[c] - 1u, drawn[c] + 1u);
	}
	// In linear light: 200 stands for 0.578, 0.502 of that for 147.
	assert_int_equal(((const uint8_t *)kept.data)[0], 147);
	lrd_pixels_free(&kept);
	lrd_pixels_free(&straight);
	lrd_picture_close(picture);
	lrd_buffer_free(&file);
	lrd_buffer_free(&source);
}

static void bytes_in_any_alignment_are_taken(void **state)
{
	(void)state;
	lrd_buffer file = write_keyed("KTXorientation", "rd");
	uint8_t *shifted = malloc(file.size + 1);
	assert_non_null(shifted);
	memcpy(shifted + 1, file.data, file.size);
	lrd_picture *picture = open_sound_picture((lrd_bytes){ shifted + 1, file.size });
	lrd_pixels pixels = decode(picture, (lrd_picture_decode_desc){ 0 });
	assert_int_equal(((const uint8_t *)pixels.data)[15], 16);
	lrd_pixels_free(&pixels);
	lrd_picture_close(picture);
	free(shifted);
	lrd_buffer_free(&file);
}

static void universal_textures_open_and_say_why_they_are_not_decoded(void **state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
	{
		lrd_buffer file = { 0 };
		assert_true(i == 0 ? make_basis_texture(&file) : make_uastc_texture(i == 2, &file));
		lrd_picture *picture = open_sound_picture((lrd_bytes){ file.data, file.size });
		assert_false(lrd_picture_get_info(picture)->decodable);
		assert_string_equal(lrd_picture_get_info(picture)->format, i == 0 ? "etc1s" : "uastc");
		lrd_pixels pixels = { 0 };
		lrd_error error = { 0 };
		assert_false(lrd_picture_decode(picture, &(lrd_picture_decode_desc){ 0 }, &pixels, &error));
		assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
		assert_non_null(strstr(error.message, "transcoded"));
		lrd_picture_close(picture);
		lrd_buffer_free(&file);
	}
}

static void surfaces_of_dds_are_found(void **state)
{
	(void)state;
	uint8_t payload[3 * (4 + 1)];
	for (size_t i = 0; i < sizeof payload; ++i)
	{
		payload[i] = (uint8_t)(i / 5 * 100 + (i % 5 == 4 ? 50 : 0));
	}
	dds_file file = { .width = 2,
		.height = 2,
		.levels = 2,
		.dxgi = 61, // R8_UNORM
		.layers = 3,
		.payload = payload,
		.payload_size = sizeof payload };
	make_dds(&file);
	lrd_picture *picture = open_sound_picture((lrd_bytes){ file.bytes, file.size });
	const lrd_picture_info *info = lrd_picture_get_info(picture);
	assert_int_equal(info->container, LRD_PICTURE_DDS);
	assert_string_equal(info->format, "R8_UNORM");
	assert_int_equal(info->layers, 3);
	assert_int_equal(info->levels, 2);
	assert_int_equal(info->channels, LRD_CHANNEL_R);
	for (uint32_t i = 0; i < 6; ++i)
	{
		lrd_pixels pixels = decode(picture, (lrd_picture_decode_desc){ .layer = i / 2, .level = i % 2 });
		assert_int_equal(((const uint8_t *)pixels.data)[0], i / 2 * 100 + i % 2 * 50);
		lrd_pixels_free(&pixels);
	}
	lrd_picture_close(picture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_png_is_read_and_written_as_it_is),
		cmocka_unit_test(sixteen_bits_survive_png),
		cmocka_unit_test(floats_survive_exr),
		cmocka_unit_test(exr_of_encoded_colours_is_linear_light),
		cmocka_unit_test(light_is_shown_tone_mapped),
		cmocka_unit_test(one_channel_is_shown_grey),
		cmocka_unit_test(every_level_of_every_encoding_is_decoded),
		cmocka_unit_test(normals_of_two_channels_are_rebuilt_on_request),
		cmocka_unit_test(each_face_of_a_cubemap_is_itself),
		cmocka_unit_test(rows_and_columns_are_turned_as_the_file_says),
		cmocka_unit_test(the_swizzle_is_applied_on_request),
		cmocka_unit_test(colours_that_are_multiplied_by_alpha_are_divided_again),
		cmocka_unit_test(bytes_in_any_alignment_are_taken),
		cmocka_unit_test(universal_textures_open_and_say_why_they_are_not_decoded),
		cmocka_unit_test(surfaces_of_dds_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
