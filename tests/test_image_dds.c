// DirectDraw surfaces: where surfaces lie, damaged files, limits, and public files. Formats of texels are in
// test_image_dds_formats.c.

#include "failing_allocator.h"
#include "fixtures/dds_build.h"

// Each texel holds the number of its surface, in the order in which files have them.
static void surfaces_lie_layer_by_layer_face_by_face_level_by_level(void **state)
{
	(void)state;
	enum
	{
		LAYERS = 2,
		LEVELS = 3
	};
	uint8_t payload[LAYERS * 6 * (20 + 4 + 1)];
	size_t at = 0;
	for (uint8_t surface = 0; surface < LAYERS * 6 * LEVELS; surface++)
	{
		size_t texels = surface % LEVELS == 0 ? 20 : surface % LEVELS == 1 ? 4 : 1;
		memset(payload + at, surface, texels);
		at += texels;
	}
	assert_int_equal(at, sizeof payload);
	dds_file file = { .width = 5,
		.height = 4,
		.levels = LEVELS,
		.dxgi = 61,
		.misc = 4,
		.layers = LAYERS,
		.payload = payload,
		.payload_size = sizeof payload };
	make_dds(&file);
	lrd_dds info = open_sound(&file);
	assert_int_equal(info.kind, LRD_DDS_CUBE);
	assert_int_equal(info.layers, LAYERS);
	assert_int_equal(info.faces, 6);
	for (uint32_t i = 0; i < LAYERS * 6 * LEVELS; i++)
	{
		uint32_t level = i % LEVELS;
		lrd_image image = decode_surface(
			&info, (lrd_dds_decode_desc){ .level = level, .layer = i / (6 * LEVELS), .face = i / LEVELS % 6 });
		assert_int_equal(image.width, level == 0 ? 5 : level == 1 ? 2 : 1);
		assert_int_equal(image.height, level == 0 ? 4 : level == 1 ? 2 : 1);
		for (uint32_t texel = 0; texel < image.width * image.height; texel++)
		{
			assert_int_equal(((uint8_t *)image.pixels)[4 * texel], i);
		}
		assert_int_equal(
			lrd_dds_surface(&info, level, i / (6 * LEVELS), i / LEVELS % 6).size, image.width * image.height);
		lrd_image_free(&image);
	}
	assert_null(lrd_dds_surface(&info, LEVELS, 0, 0).data);
	assert_null(lrd_dds_surface(&info, 0, LAYERS, 0).data);
	assert_null(lrd_dds_surface(&info, 0, 0, 6).data);
}

static void slices_of_a_volume_lie_within_their_level(void **state)
{
	(void)state;
	static const uint8_t payload[] = { 0, 0, 1, 1, 2, 2, 10 }; // 2 x 1 x 3, 1 x 1 x 1
	dds_file files[2] = {
		{ .width = 2,
			.height = 1,
			.depth = 3,
			.levels = 2,
			.flags = 0x800000,
			.caps_2 = IS_VOLUME,
			.pixel_flags = IS_LUMINANCE,
			.bits = 8,
			.masks = { 0xff },
			.payload = payload,
			.payload_size = sizeof payload },
		{ .width = 2,
			.height = 1,
			.depth = 3,
			.levels = 2,
			.flags = 0x800000,
			.dxgi = 61,
			.dimension = 4,
			.payload = payload,
			.payload_size = sizeof payload },
	};
	for (int i = 0; i < 2; i++)
	{
		make_dds(&files[i]);
		lrd_dds info = open_sound(&files[i]);
		assert_int_equal(info.kind, LRD_DDS_VOLUME);
		assert_int_equal(info.depth, 3);
		for (uint32_t slice = 0; slice < 4; slice++)
		{
			bool is_last = slice == 3; // of the second level
			lrd_image image =
				decode_surface(&info, (lrd_dds_decode_desc){ .level = is_last ? 1 : 0, .face = is_last ? 0 : slice });
			assert_int_equal(*(uint8_t *)image.pixels, is_last ? 10 : slice);
			lrd_image_free(&image);
		}
		lrd_image image;
		lrd_error error = { 0 };
		assert_false(lrd_dds_decode(&info, &(lrd_dds_decode_desc){ .level = 1, .face = 1 }, &image, &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	}
}

static void blocks_at_edges_are_cut(void **state)
{
	(void)state;
	// Four blocks of one colour each for 5 x 6 texels.
	uint8_t payload[32] = { 0 };
	static const uint16_t colours[4] = { 0xf800, 0x07e0, 0x001f, 0xffff };
	for (size_t i = 0; i < 4; i++)
	{
		memcpy(payload + 8 * i, &colours[i], 2);
	}
	dds_file file = { .width = 5,
		.height = 6,
		.pixel_flags = IS_FOUR_CC,
		.four_cc = cc("DXT1"),
		.payload = payload,
		.payload_size = sizeof payload };
	make_dds(&file);
	lrd_image image = decode_sound(file.bytes, file.size);
	for (uint32_t i = 0; i < 30; i++)
	{
		uint16_t colour = colours[i % 5 / 4 + i / 5 / 4 * 2];
		assert_texel_8(&image, i % 5, i / 5, (colour & 0xf800) != 0 ? 255 : 0, (colour & 0x7e0) != 0 ? 255 : 0,
			(colour & 0x1f) != 0 ? 255 : 0, 255);
	}
	lrd_image_free(&image);
}

static void cube_without_all_faces_is_refused_with_their_number(void **state)
{
	(void)state;
	dds_file file = { .width = 4,
		.height = 4,
		.caps_2 = 0x200 | 0x400 | 0x1000,
		.pixel_flags = IS_FOUR_CC,
		.four_cc = cc("DXT1"),
		.payload_size = 16 };
	make_dds(&file);
	assert_says(open_damaged(&file), LRD_ERROR_UNSUPPORTED, "2 of its 6 faces");
	file.caps_2 = ALL_FACES;
	file.payload_size = 48;
	make_dds(&file);
	assert_int_equal(open_sound(&file).faces, 6);
}

static void damaged_headers_say_what_is_wrong(void **state)
{
	(void)state;
	static const struct
	{
		size_t at;
		uint32_t value;
		const char *part;
	} cases[] = {
		{ 0, 0, "\"DDS \"" },
		{ 4, 123, "123 bytes; expected 124" },
		{ 12, 0, "at least 1 x 1" },
		{ 16, 0, "at least 1 x 1" },
		{ 28, 4, "at most 3" },
		{ 28, 0xffffffff, "at most 3" },
		{ 132, 5, "resource dimension 5" },
		{ 132, 1, "resource dimension 1" },
		{ 132, 4, "4 x 4 x 0" },
		{ 140, 0, "an array of 0" },
		{ 140, 2, "truncated" },
		{ 136, 4, "truncated" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		dds_file file = { .width = 4, .height = 4, .levels = 3, .dxgi = 28, .payload_size = 84 };
		make_dds(&file);
		open_sound(&file);
		put(file.bytes, cases[i].at, cases[i].value);
		assert_says(open_damaged(&file), LRD_ERROR_FORMAT, cases[i].part);
	}
}

static void file_cut_at_any_byte_is_an_error(void **state)
{
	(void)state;
	dds_file files[] = {
		{ .width = 5, .height = 5, .levels = 3, .dxgi = 98, .misc = 4, .payload_size = 576 },
		{ .width = 3,
			.height = 3,
			.levels = 1,
			.pixel_flags = IS_RGB,
			.bits = 24,
			.masks = { 0xff, 0xff00, 0xff0000 },
			.payload_size = 27 },
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
	{
		make_dds(&files[i]);
		open_sound(&files[i]);
		for (size_t size = 0; size < files[i].size; size++)
		{
			uint8_t *copy = malloc(size + (size == 0)); // so that a sanitizer sees reads behind it
			assert_non_null(copy);
			memcpy(copy, files[i].bytes, size);
			lrd_dds info;
			lrd_error error = { 0 };
			assert_false(lrd_dds_open((lrd_bytes){ copy, size }, &info, &error));
			assert_int_equal(error.code, LRD_ERROR_FORMAT);
			if (size >= 4)
			{
				assert_true(strncmp(decode_damaged(copy, size).message, "DDS: ", 5) == 0);
			}
			free(copy);
		}
	}
}

static void declared_sizes_ask_for_no_memory(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t width, height, layers;
		lrd_error_code code;
	} cases[] = {
		{ 65535, 65535, 1, LRD_ERROR_LIMIT },
		{ 0xffffffff, 0xffffffff, 0xffffffff, LRD_ERROR_LIMIT },
		{ 16384, 16384, 1, LRD_ERROR_LIMIT }, // 4 GiB of floats
		{ 8192, 8192, 1, LRD_ERROR_FORMAT },  // 1 GiB, which the file does not have
		{ 4, 4, 0xffffffff, LRD_ERROR_FORMAT },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		dds_file file = { .width = cases[i].width,
			.height = cases[i].height,
			.layers = cases[i].layers,
			.dxgi = 2,
			.payload_size = 256 };
		make_dds(&file);
		failing_allocator allocator;
		failing_allocator_init(&allocator, -1);
		lrd_image_decode_desc desc = { .bytes = { file.bytes, file.size },
			.allocator = failing_allocator_get(&allocator) };
		lrd_image image;
		lrd_error error = { 0 };
		assert_false(lrd_image_decode(&desc, &image, &error));
		assert_int_equal(error.code, cases[i].code);
		assert_int_equal(atomic_load(&allocator.calls), 0);
		assert_int_equal(open_damaged(&file).code, LRD_ERROR_FORMAT);
	}
}

static void limits_hold_for_surfaces(void **state)
{
	(void)state;
	dds_file file = { .width = 8, .height = 4, .levels = 2, .dxgi = 61, .payload_size = 40 };
	make_dds(&file);
	lrd_dds info = open_sound(&file);
	lrd_image image;
	lrd_error error = { 0 };
	assert_false(lrd_dds_decode(&info, &(lrd_dds_decode_desc){ .max_side = 7 }, &image, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	assert_false(lrd_dds_decode(&info, &(lrd_dds_decode_desc){ .max_bytes = 127 }, &image, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	image = decode_surface(&info, (lrd_dds_decode_desc){ .level = 1, .max_side = 7, .max_bytes = 32 });
	lrd_image_free(&image);
}

static void failed_allocation_leaves_nothing_behind(void **state)
{
	(void)state;
	dds_file file = { .width = 8, .height = 4, .dxgi = 61, .payload_size = 32 };
	make_dds(&file);
	lrd_dds info = open_sound(&file);
	failing_allocator allocator;
	failing_allocator_init(&allocator, 0);
	lrd_image image;
	lrd_error error = { 0 };
	assert_false(lrd_dds_decode(
		&info, &(lrd_dds_decode_desc){ .allocator = failing_allocator_get(&allocator) }, &image, &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	assert_int_equal(atomic_load(&allocator.bytes_out), 0);
}

static lrd_buffer read_corpus(const char *path)
{
	char name[1024];
	snprintf(name, sizeof name, "%s/../shared/corpus/%s", LRD_TEST_SOURCE_DIR, path);
	FILE *file = fopen(name, "rb");
	if (file == NULL)
	{
		print_message("skipped: %s is absent\n", path);
		skip();
	}
	lrd_buffer bytes = { 0 };
	uint8_t block[65536];
	for (size_t size; (size = fread(block, 1, sizeof block, file)) != 0;)
	{
		assert_true(lrd_buffer_append(&bytes, block, size));
	}
	fclose(file);
	return bytes;
}

static void public_files_are_what_their_makers_say(void **state)
{
	(void)state;
	static const struct
	{
		const char *path, *format;
		lrd_dds_kind kind;
		uint32_t width, height, depth, layers, levels;
	} cases[] = {
		{ "tex/dxt/LobbyCube.dds", "BC1_UNORM", LRD_DDS_CUBE, 256, 256, 1, 1, 1 },
		{ "tex/mp/dxt10-bc7-cube-mips.dds", "BC7_UNORM", LRD_DDS_CUBE, 5, 5, 1, 1, 3 },
		{ "tex/mp/dxt10-rg16f-1d-array-mips.dds", "R16G16_FLOAT", LRD_DDS_2D, 5, 1, 1, 2, 3 },
		{ "tex/mp/dxt10-rgba8unorm-3d.dds", "R8G8B8A8_UNORM", LRD_DDS_VOLUME, 3, 2, 3, 1, 1 },
		{ "tex/mp/dxt3-incomplete-blocks.dds", "BC2_UNORM", LRD_DDS_2D, 63, 27, 1, 1, 1 },
		{ "tex/mp/rgb8unorm-yup.dds", "R8G8B8_UNORM", LRD_DDS_2D, 3, 2, 1, 1, 1 },
		{ "tex/pil/bc6h_sf.dds", "BC6H_SF16", LRD_DDS_2D, 128, 128, 1, 1, 8 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		lrd_buffer file = read_corpus(cases[i].path);
		lrd_dds info;
		assert_true(lrd_dds_open((lrd_bytes){ file.data, file.size }, &info, NULL));
		assert_string_equal(info.format.name, cases[i].format);
		assert_int_equal(info.kind, cases[i].kind);
		assert_int_equal(info.width, cases[i].width);
		assert_int_equal(info.height, cases[i].height);
		assert_int_equal(info.depth, cases[i].depth);
		assert_int_equal(info.layers, cases[i].layers);
		assert_int_equal(info.levels, cases[i].levels);
		assert_int_equal(info.size, file.size - info.header_size);
		lrd_buffer_free(&file);
	}
}

// Means of all texels and one texel, of the first surface, as Pillow 9.4 decodes it; no texel of ours is further from
// Pillow's than 1 of 255, which rounds colours down.
static void public_files_look_as_in_pillow(void **state)
{
	(void)state;
	static const struct
	{
		const char *path;
		double means[3];
		uint32_t x, y;
		float texel[3];
	} cases[] = {
		{ "tex/dxt/LobbyCube.dds", { 109.097, 98.123, 83.669 }, 50, 20, { 87, 78, 63 } },
		{ "tex/mp/dxt3-incomplete-blocks.dds", { 159.245, 108.384, 89.284 }, 50, 20, { 206, 52, 49 } },
		{ "tex/pil/bc6h_sf.dds", { 49.864, 37.483, 52.714 }, 50, 20, { 1, 0, 1 } },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		lrd_buffer file = read_corpus(cases[i].path);
		lrd_image image = decode_sound(file.data, file.size);
		size_t texels = (size_t)image.width * image.height;
		float scale = image.type == LRD_PIXEL_F32 ? 255.0f : 1.0f;
		for (size_t c = 0; c < 3; c++)
		{
			double sum = 0;
			for (size_t texel = 0; texel < texels; texel++)
			{
				sum += fmin(fmax((double)(component(&image, 4 * texel + c) * scale), 0), 255);
			}
			assert_true(fabs(sum / (double)texels - cases[i].means[c]) < 0.6);
			float found = component(&image, 4 * (cases[i].y * (size_t)image.width + cases[i].x) + c) * scale;
			assert_true(fabsf(found - cases[i].texel[c]) <= 1.0f);
		}
		lrd_image_free(&image);
		lrd_buffer_free(&file);
	}
}

static void damaged_public_files_end_in_an_error(void **state)
{
	(void)state;
	static const char *const paths[] = { "bad/dxt/invalid-006b3057-841d-4c47-8af3-c352fd511b8d.dds",
		"bad/dxt/invalid-4d9b027e-ab8b-4412-ae66-a49fe7e7120e.dds" };
	for (size_t i = 0; i < 2; i++)
	{
		lrd_buffer file = read_corpus(paths[i]);
		assert_int_equal(decode_damaged(file.data, file.size).code, LRD_ERROR_FORMAT);
		lrd_buffer_free(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surfaces_lie_layer_by_layer_face_by_face_level_by_level),
		cmocka_unit_test(slices_of_a_volume_lie_within_their_level),
		cmocka_unit_test(blocks_at_edges_are_cut),
		cmocka_unit_test(cube_without_all_faces_is_refused_with_their_number),
		cmocka_unit_test(damaged_headers_say_what_is_wrong),
		cmocka_unit_test(file_cut_at_any_byte_is_an_error),
		cmocka_unit_test(declared_sizes_ask_for_no_memory),
		cmocka_unit_test(limits_hold_for_surfaces),
		cmocka_unit_test(failed_allocation_leaves_nothing_behind),
		cmocka_unit_test(public_files_are_what_their_makers_say),
		cmocka_unit_test(public_files_look_as_in_pillow),
		cmocka_unit_test(damaged_public_files_end_in_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
