// DirectDraw surfaces: every format of texels, by DX10 and by legacy headers.

#include "fixtures/dds_build.h"

static void legacy_masks_of_every_kind_are_read(void **state)
{
	(void)state;
	static const struct
	{
		const char *name;
		uint32_t flags, bits, masks[4], texel;
		lrd_pixel_type type;
		float expected[4];
	} cases[] = {
		{ "B8G8R8A8_UNORM", IS_RGB | HAS_ALPHA, 32, { 0xff0000, 0xff00, 0xff, 0xff000000 }, 0x80112233,
			LRD_PIXEL_UNORM8, { 0x11, 0x22, 0x33, 0x80 } },
		{ "R8G8B8A8_UNORM", IS_RGB | HAS_ALPHA, 32, { 0xff, 0xff00, 0xff0000, 0xff000000 }, 0x80112233,
			LRD_PIXEL_UNORM8, { 0x33, 0x22, 0x11, 0x80 } },
		{ "B8G8R8_UNORM", IS_RGB, 32, { 0xff0000, 0xff00, 0xff, 0xff000000 }, 0x80112233, LRD_PIXEL_UNORM8,
			{ 0x11, 0x22, 0x33, 255 } }, // not said to have alpha
		{ "B8G8R8_UNORM", IS_RGB, 24, { 0xff0000, 0xff00, 0xff, 0 }, 0x112233, LRD_PIXEL_UNORM8,
			{ 0x11, 0x22, 0x33, 255 } },
		{ "B5G6R5_UNORM", IS_RGB, 16, { 0xf800, 0x7e0, 0x1f, 0 }, 0x8410, LRD_PIXEL_UNORM8, { 132, 130, 132, 255 } },
		{ "B5G5R5A1_UNORM", IS_RGB | HAS_ALPHA, 16, { 0x7c00, 0x3e0, 0x1f, 0x8000 }, 0x7c1f, LRD_PIXEL_UNORM8,
			{ 255, 0, 255, 0 } },
		{ "B4G4R4A4_UNORM", IS_RGB | HAS_ALPHA, 16, { 0xf00, 0xf0, 0xf, 0xf000 }, 0x8123, LRD_PIXEL_UNORM8,
			{ 0x11, 0x22, 0x33, 0x88 } },
		{ "B2G3R3_UNORM", IS_RGB, 8, { 0xe0, 0x1c, 0x03, 0 }, 0xe1, LRD_PIXEL_UNORM8, { 255, 0, 85, 255 } },
		{ "B2G3R3A8_UNORM", IS_RGB | HAS_ALPHA, 16, { 0xe0, 0x1c, 0x03, 0xff00 }, 0x40e1, LRD_PIXEL_UNORM8,
			{ 255, 0, 85, 0x40 } },
		{ "R10G10B10A2_UNORM", IS_RGB | HAS_ALPHA, 32, { 0x3ff, 0xffc00, 0x3ff00000, 0xc0000000 }, 0x7ff00200,
			LRD_PIXEL_UNORM16, { 32800, 0, 65535, 21845 } },
		{ "R16G16_UNORM", IS_RGB, 32, { 0xffff, 0xffff0000, 0, 0 }, 0x12345678, LRD_PIXEL_UNORM16,
			{ 0x5678, 0x1234, 0, 65535 } },
		{ "L8_UNORM", IS_LUMINANCE, 8, { 0xff, 0, 0, 0 }, 0x42, LRD_PIXEL_UNORM8, { 0x42, 0x42, 0x42, 255 } },
		{ "L8_UNORM", IS_LUMINANCE, 8, { 0xff, 0xff, 0xff, 0 }, 0x42, LRD_PIXEL_UNORM8, { 0x42, 0x42, 0x42, 255 } },
		{ "L16_UNORM", IS_LUMINANCE, 16, { 0xffff, 0, 0, 0 }, 0x4243, LRD_PIXEL_UNORM16,
			{ 0x4243, 0x4243, 0x4243, 65535 } },
		{ "L8A8_UNORM", IS_LUMINANCE | HAS_ALPHA, 16, { 0xff, 0, 0, 0xff00 }, 0x4243, LRD_PIXEL_UNORM8,
			{ 0x43, 0x43, 0x43, 0x42 } },
		{ "L4A4_UNORM", IS_LUMINANCE | HAS_ALPHA, 8, { 0x0f, 0, 0, 0xf0 }, 0x12, LRD_PIXEL_UNORM8,
			{ 0x22, 0x22, 0x22, 0x11 } },
		{ "A8_UNORM", IS_ALPHA, 8, { 0, 0, 0, 0xff }, 0x42, LRD_PIXEL_UNORM8, { 0, 0, 0, 0x42 } },
		{ "U8V8_SNORM", IS_BUMP, 16, { 0xff, 0xff00, 0, 0 }, 0x7f80, LRD_PIXEL_F32, { -1, 1, 0, 1 } },
		{ "U16V16_SNORM", IS_BUMP, 32, { 0xffff, 0xffff0000, 0, 0 }, 0x80017fff, LRD_PIXEL_F32, { 1, -1, 0, 1 } },
		{ "U8V8W8Q8_SNORM", IS_BUMP, 32, { 0xff, 0xff00, 0xff0000, 0xff000000 }, 0x81007f81, LRD_PIXEL_F32,
			{ -1, 1, 0, -1 } },
		{ "U10V10W10Q2_SNORM", IS_BUMP, 32, { 0x3ff, 0xffc00, 0x3ff00000, 0xc0000000 }, 0xdff7fe01, LRD_PIXEL_F32,
			{ -1, 511.0f / 511.0f, 511.0f / 511.0f, 1 } },
		{ "U5V5L6_SNORM", IS_BUMP_LUMINANCE, 16, { 0x1f, 0x3e0, 0xfc00, 0 }, 0xfe0f, LRD_PIXEL_F32, { 1, -1, 1, 1 } },
		{ "U8V8L8_SNORM", IS_BUMP_LUMINANCE, 32, { 0xff, 0xff00, 0xff0000, 0 }, 0xff817f, LRD_PIXEL_F32,
			{ 1, -1, 1, 1 } },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		dds_file file = { .width = 1,
			.height = 1,
			.pixel_flags = cases[i].flags,
			.bits = cases[i].bits,
			.payload = &cases[i].texel,
			.payload_size = cases[i].bits / 8 };
		memcpy(file.masks, cases[i].masks, sizeof file.masks);
		make_dds(&file);
		lrd_dds info = open_sound(&file);
		assert_string_equal(info.format.name, cases[i].name);
		lrd_image image = decode_surface(&info, (lrd_dds_decode_desc){ 0 });
		assert_int_equal(image.type, cases[i].type);
		assert_components(&image, cases[i].expected, cases[i].name);
		assert_int_equal(image.linear, cases[i].type == LRD_PIXEL_F32);
		lrd_image_free(&image);
	}
}

static void masks_that_no_format_has_are_unsupported(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t flags, bits, masks[4];
	} cases[] = {
		{ IS_RGB, 0, { 0xff, 0, 0, 0 } }, { IS_RGB, 12, { 0xff, 0, 0, 0 } }, { IS_RGB, 64, { 0xff, 0, 0, 0 } },
		{ IS_RGB, 32, { 0, 0, 0, 0 } }, { IS_RGB, 16, { 0xff0000, 0, 0, 0 } }, // beyond the texel
		{ IS_RGB, 32, { 0xf0f, 0, 0, 0 } },                                    // in two runs
		{ IS_RGB, 32, { 0xff, 0x1fe, 0, 0 } },                                 // over each other
		{ IS_RGB, 32, { 0xffffffff, 0, 0, 0 } },                               // too wide
		{ 0x20, 8, { 0, 0, 0, 0 } },                                           // a palette
		{ 0x200, 16, { 0xff, 0xff00, 0, 0 } },                                 // YUV
		{ IS_LUMINANCE, 8, { 0, 0xff, 0xff, 0 } },                             // luminance is red
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		dds_file file = {
			.width = 1, .height = 1, .pixel_flags = cases[i].flags, .bits = cases[i].bits, .payload_size = 16
		};
		memcpy(file.masks, cases[i].masks, sizeof file.masks);
		make_dds(&file);
		assert_says(open_damaged(&file), LRD_ERROR_UNSUPPORTED, "pixel format");
	}
}

static void four_ccs_and_numbers_of_direct3d_9_name_formats(void **state)
{
	(void)state;
	static const struct
	{
		const char *text;
		uint32_t code;
		const char *name;
	} cases[] = {
		{ "DXT1", 0, "BC1_UNORM" },
		{ "DXT2", 0, "BC2_UNORM" },
		{ "DXT3", 0, "BC2_UNORM" },
		{ "DXT4", 0, "BC3_UNORM" },
		{ "DXT5", 0, "BC3_UNORM" },
		{ "RXGB", 0, "RXGB" },
		{ "ATI1", 0, "BC4_UNORM" },
		{ "BC4U", 0, "BC4_UNORM" },
		{ "BC4S", 0, "BC4_SNORM" },
		{ "ATI2", 0, "BC5_UNORM" },
		{ "BC5U", 0, "BC5_UNORM" },
		{ "BC5S", 0, "BC5_SNORM" },
		{ "RGBG", 0, "R8G8_B8G8_UNORM" },
		{ "GRGB", 0, "G8R8_G8B8_UNORM" },
		{ NULL, 36, "R16G16B16A16_UNORM" },
		{ NULL, 110, "R16G16B16A16_SNORM" },
		{ NULL, 111, "R16_FLOAT" },
		{ NULL, 112, "R16G16_FLOAT" },
		{ NULL, 113, "R16G16B16A16_FLOAT" },
		{ NULL, 114, "R32_FLOAT" },
		{ NULL, 115, "R32G32_FLOAT" },
		{ NULL, 116, "R32G32B32A32_FLOAT" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		dds_file file = { .width = 4, .height = 4, .pixel_flags = IS_FOUR_CC, .payload_size = 256 };
		file.four_cc = cases[i].text != NULL ? cc(cases[i].text) : cases[i].code;
		make_dds(&file);
		lrd_dds info = open_sound(&file);
		assert_string_equal(info.format.name, cases[i].name);
		assert_int_equal(info.premultiplied, i == 1 || i == 3);
		lrd_image image = decode_surface(&info, (lrd_dds_decode_desc){ 0 });
		lrd_image_free(&image);
	}
	dds_file unknown = {
		.width = 4, .height = 4, .pixel_flags = IS_FOUR_CC, .four_cc = cc("YUY2"), .payload_size = 64
	};
	make_dds(&unknown);
	assert_says(open_damaged(&unknown), LRD_ERROR_UNSUPPORTED, "\"YUY2\"");
}

static void dxgi_formats_are_their_numbers(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t dxgi;
		const char *name;
		uint32_t words[4];
		lrd_pixel_type type;
		float expected[4];
	} cases[] = {
		{ 2, "R32G32B32A32_FLOAT", { 0x3f800000, 0xbf000000, 0x42c80000, 0x3e800000 }, LRD_PIXEL_F32,
			{ 1, -0.5f, 100, 0.25f } },
		{ 3, "R32G32B32A32_UINT", { 1, 2, 0xffffffff, 4 }, LRD_PIXEL_F32, { 1, 2, 4294967296.0f, 4 } },
		{ 4, "R32G32B32A32_SINT", { 1, 2, 0xffffffff, 4 }, LRD_PIXEL_F32, { 1, 2, -1, 4 } },
		{ 6, "R32G32B32_FLOAT", { 0x3f800000, 0xbf000000, 0x42c80000 }, LRD_PIXEL_F32, { 1, -0.5f, 100, 1 } },
		{ 10, "R16G16B16A16_FLOAT", { 0xc0003c00, 0x00017bff }, LRD_PIXEL_F32, { 1, -2, 65504, 0x1p-24f } },
		{ 11, "R16G16B16A16_UNORM", { 0x00020001, 0xffff8000 }, LRD_PIXEL_UNORM16, { 1, 2, 32768, 65535 } },
		{ 12, "R16G16B16A16_UINT", { 0x00020001, 0xffff8000 }, LRD_PIXEL_F32, { 1, 2, 32768, 65535 } },
		{ 13, "R16G16B16A16_SNORM", { 0x80007fff, 0x80010000 }, LRD_PIXEL_F32, { 1, -1, 0, -1 } },
		{ 14, "R16G16B16A16_SINT", { 0x80007fff, 0x80010000 }, LRD_PIXEL_F32, { 32767, -32768, 0, -32767 } },
		{ 16, "R32G32_FLOAT", { 0x3f800000, 0xbf000000 }, LRD_PIXEL_F32, { 1, -0.5f, 0, 1 } },
		{ 24, "R10G10B10A2_UNORM", { 0x7ff00200 }, LRD_PIXEL_UNORM16, { 32800, 0, 65535, 21845 } },
		{ 25, "R10G10B10A2_UINT", { 0x7ff00200 }, LRD_PIXEL_F32, { 512, 0, 1023, 1 } },
		{ 26, "R11G11B10_FLOAT", { 0x3c0 | 0x400u << 11 | 0x1c0u << 22 }, LRD_PIXEL_F32, { 1, 2, 0.5f, 1 } },
		{ 28, "R8G8B8A8_UNORM", { 0x04030201 }, LRD_PIXEL_UNORM8, { 1, 2, 3, 4 } },
		{ 29, "R8G8B8A8_UNORM_SRGB", { 0x04030201 }, LRD_PIXEL_UNORM8, { 1, 2, 3, 4 } },
		{ 30, "R8G8B8A8_UINT", { 0xff030201 }, LRD_PIXEL_F32, { 1, 2, 3, 255 } },
		{ 31, "R8G8B8A8_SNORM", { 0x8100807f }, LRD_PIXEL_F32, { 1, -1, 0, -1 } },
		{ 32, "R8G8B8A8_SINT", { 0xff00807f }, LRD_PIXEL_F32, { 127, -128, 0, -1 } },
		{ 34, "R16G16_FLOAT", { 0xc0003c00 }, LRD_PIXEL_F32, { 1, -2, 0, 1 } },
		{ 35, "R16G16_UNORM", { 0x00020001 }, LRD_PIXEL_UNORM16, { 1, 2, 0, 65535 } },
		{ 41, "R32_FLOAT", { 0x3f800000 }, LRD_PIXEL_F32, { 1, 0, 0, 1 } },
		{ 49, "R8G8_UNORM", { 0x0201 }, LRD_PIXEL_UNORM8, { 1, 2, 0, 255 } },
		{ 51, "R8G8_SNORM", { 0x817f }, LRD_PIXEL_F32, { 1, -1, 0, 1 } },
		{ 54, "R16_FLOAT", { 0x3c00 }, LRD_PIXEL_F32, { 1, 0, 0, 1 } },
		{ 56, "R16_UNORM", { 0x1234 }, LRD_PIXEL_UNORM16, { 0x1234, 0, 0, 65535 } },
		{ 61, "R8_UNORM", { 0x12 }, LRD_PIXEL_UNORM8, { 0x12, 0, 0, 255 } },
		{ 65, "A8_UNORM", { 0x12 }, LRD_PIXEL_UNORM8, { 0, 0, 0, 0x12 } },
		{ 67, "R9G9B9E5_SHAREDEXP", { 256u | 128u << 9 | 1u << 18 | 16u << 27 }, LRD_PIXEL_F32,
			{ 1, 0.5f, 1.0f / 256, 1 } },
		{ 68, "R8G8_B8G8_UNORM", { 0x04030201 }, LRD_PIXEL_UNORM8, { 1, 2, 3, 255 } },
		{ 69, "G8R8_G8B8_UNORM", { 0x04030201 }, LRD_PIXEL_UNORM8, { 2, 1, 4, 255 } },
		{ 80, "BC4_UNORM", { 0xffff0040, 0xffffffff }, LRD_PIXEL_UNORM16, { 2350, 0, 0, 65535 } }, // 64 / 7 of 255
		{ 83, "BC5_UNORM", { 0x24920000, 0x92492492, 0x0001, 0 }, LRD_PIXEL_UNORM16, { 0, 257, 0, 65535 } },
		{ 84, "BC5_SNORM", { 0x7f, 0, 0x81, 0 }, LRD_PIXEL_F32, { 1, -1, 0, 1 } },
		{ 85, "B5G6R5_UNORM", { 0x8410 }, LRD_PIXEL_UNORM8, { 132, 130, 132, 255 } },
		{ 87, "B8G8R8A8_UNORM", { 0x04030201 }, LRD_PIXEL_UNORM8, { 3, 2, 1, 4 } },
		{ 88, "B8G8R8X8_UNORM", { 0x04030201 }, LRD_PIXEL_UNORM8, { 3, 2, 1, 255 } },
		{ 93, "B8G8R8X8_UNORM_SRGB", { 0x04030201 }, LRD_PIXEL_UNORM8, { 3, 2, 1, 255 } },
		{ 95, "BC6H_UF16", { 0x00000003 }, LRD_PIXEL_F32, { 0, 0, 0, 1 } },
		{ 115, "B4G4R4A4_UNORM", { 0x8123 }, LRD_PIXEL_UNORM8, { 0x11, 0x22, 0x33, 0x88 } },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		dds_file file = {
			.width = 1, .height = 1, .dxgi = cases[i].dxgi, .payload = cases[i].words, .payload_size = 16
		};
		make_dds(&file);
		lrd_dds info = open_sound(&file);
		assert_string_equal(info.format.name, cases[i].name);
		assert_int_equal(info.format.srgb, strstr(cases[i].name, "SRGB") != NULL);
		lrd_image image = decode_surface(&info, (lrd_dds_decode_desc){ 0 });
		assert_int_equal(image.type, cases[i].type);
		assert_components(&image, cases[i].expected, cases[i].name);
		assert_int_equal(image.linear, cases[i].type == LRD_PIXEL_F32);
		lrd_image_free(&image);
	}
}

static void what_no_dxgi_format_is_is_unsupported(void **state)
{
	(void)state;
	static const uint32_t numbers[] = { 66, 89, 100, 110, 132, 5000 };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
	{
		dds_file file = { .width = 1, .height = 1, .dxgi = numbers[i], .payload_size = 16 };
		make_dds(&file);
		char name[32];
		snprintf(name, sizeof name, "DXGI format %u", numbers[i]);
		assert_says(open_damaged(&file), LRD_ERROR_UNSUPPORTED, name);
	}
}

static void texels_that_share_colours_are_pairs_in_each_row(void **state)
{
	(void)state;
	// 3 x 2 texels: each row is two pairs.
	static const uint8_t payload[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18 };
	static const uint8_t expected[6][3] = { { 1, 2, 3 }, { 1, 4, 3 }, { 5, 6, 7 }, { 11, 12, 13 }, { 11, 14, 13 },
		{ 15, 16, 17 } };
	dds_file file = { .width = 3, .height = 2, .dxgi = 68, .payload = payload, .payload_size = 16 };
	make_dds(&file);
	lrd_dds info = open_sound(&file);
	lrd_image image = decode_surface(&info, (lrd_dds_decode_desc){ 0 });
	for (uint32_t i = 0; i < 6; i++)
	{
		assert_texel_8(&image, i % 3, i / 3, expected[i][0], expected[i][1], expected[i][2], 255);
	}
	lrd_image_free(&image);
}

static void signed_numbers_are_shifted_when_asked_to(void **state)
{
	(void)state;
	static const uint32_t eights = 0x8100007f, sixteens[2] = { 0x80017fff, 0 }, bump = 0x817f;
	static const uint32_t blocks[4] = { 0x7f, 0, 0x81, 0 };
	dds_file files[] = {
		{ .width = 1, .height = 1, .dxgi = 31, .payload = &eights, .payload_size = 4 },
		{ .width = 1, .height = 1, .dxgi = 13, .payload = sixteens, .payload_size = 8 },
		{ .width = 1, .height = 1, .dxgi = 84, .payload = blocks, .payload_size = 16 },
		{ .width = 1,
			.height = 1,
			.pixel_flags = IS_BUMP,
			.bits = 16,
			.masks = { 0xff, 0xff00 },
			.payload = &bump,
			.payload_size = 2 },
	};
	static const float expected[][4] = { { 65535, 32768, 32768, 0 }, { 65535, 0, 32768, 32768 }, { 65535, 0, 0, 65535 },
		{ 65535, 0, 0, 65535 } };
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
	{
		make_dds(&files[i]);
		lrd_dds info = open_sound(&files[i]);
		lrd_image image = decode_surface(&info, (lrd_dds_decode_desc){ .shift_signed = true });
		assert_int_equal(image.type, LRD_PIXEL_UNORM16);
		assert_components(&image, expected[i], info.format.name);
		lrd_image as_image = decode_sound(files[i].bytes, files[i].size); // as every image's normals are
		assert_memory_equal(as_image.pixels, image.pixels, image.size);
		assert_true(as_image.linear);
		lrd_image_free(&as_image);
		lrd_image_free(&image);
	}
}

static void premultiplied_colours_are_divided_by_alpha(void **state)
{
	(void)state;
	static const uint8_t texels[12] = { 64, 128, 0, 128, 7, 8, 9, 0, 200, 100, 50, 100 };
	dds_file file = { .width = 3, .height = 1, .dxgi = 28, .alpha_mode = 2, .payload = texels, .payload_size = 12 };
	make_dds(&file);
	lrd_dds info = open_sound(&file);
	assert_true(info.premultiplied);
	lrd_image image = decode_surface(&info, (lrd_dds_decode_desc){ 0 });
	assert_texel_8(&image, 0, 0, 128, 255, 0, 128);
	assert_texel_8(&image, 1, 0, 7, 8, 9, 0); // nothing can be told
	assert_texel_8(&image, 2, 0, 255, 255, 128, 100);
	lrd_image_free(&image);
	image = decode_surface(&info, (lrd_dds_decode_desc){ .keep_premultiplied = true });
	assert_memory_equal(image.pixels, texels, sizeof texels);
	lrd_image_free(&image);
}

static void opaque_by_the_header_is_opaque(void **state)
{
	(void)state;
	static const uint8_t texel[4] = { 1, 2, 3, 4 };
	dds_file file = { .width = 1, .height = 1, .dxgi = 28, .alpha_mode = 3, .payload = texel, .payload_size = 4 };
	make_dds(&file);
	lrd_image image = decode_sound(file.bytes, file.size);
	assert_texel_8(&image, 0, 0, 1, 2, 3, 255);
	assert_false(image.has_alpha);
	lrd_image_free(&image);
}

static void red_of_rxgb_is_in_alpha(void **state)
{
	(void)state;
	static const uint8_t block[16] = { 77, 77, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0 }; // white
	dds_file file = {
		.width = 4, .height = 4, .pixel_flags = IS_FOUR_CC, .four_cc = cc("RXGB"), .payload = block, .payload_size = 16
	};
	make_dds(&file);
	lrd_image image = decode_sound(file.bytes, file.size);
	assert_texel_8(&image, 3, 3, 77, 255, 255, 255);
	lrd_image_free(&image);
}

static void floats_that_are_not_finite_are_counted(void **state)
{
	(void)state;
	static const uint32_t texels[8] = { 0x7f800000, 0, 0, 0x3f800000, 0x7fc00000, 0xff800000, 0, 0x3f800000 };
	dds_file file = { .width = 2, .height = 1, .dxgi = 2, .payload = texels, .payload_size = 32 };
	make_dds(&file);
	lrd_dds info = open_sound(&file);
	lrd_image image = decode_surface(&info, (lrd_dds_decode_desc){ 0 });
	assert_int_equal(image.clamped, 2);
	assert_components(&image, (float[]){ 65504, 0, 0, 1 }, "infinity");
	lrd_image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(legacy_masks_of_every_kind_are_read),
		cmocka_unit_test(masks_that_no_format_has_are_unsupported),
		cmocka_unit_test(four_ccs_and_numbers_of_direct3d_9_name_formats),
		cmocka_unit_test(dxgi_formats_are_their_numbers),
		cmocka_unit_test(what_no_dxgi_format_is_is_unsupported),
		cmocka_unit_test(texels_that_share_colours_are_pairs_in_each_row),
		cmocka_unit_test(signed_numbers_are_shifted_when_asked_to),
		cmocka_unit_test(premultiplied_colours_are_divided_by_alpha),
		cmocka_unit_test(opaque_by_the_header_is_opaque),
		cmocka_unit_test(red_of_rxgb_is_in_alpha),
		cmocka_unit_test(floats_that_are_not_finite_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
