// DirectDraw surfaces: headers of both kinds, every packing of texels, where surfaces lie, and damaged files.

#include "failing_allocator.h"
#include "fixtures/image_check.h"
#include "image/dds.h"

#include <math.h>

enum
{
	HAS_ALPHA = 0x1,
	IS_ALPHA = 0x2,
	IS_FOUR_CC = 0x4,
	IS_RGB = 0x40,
	IS_LUMINANCE = 0x20000,
	IS_BUMP_LUMINANCE = 0x40000,
	IS_BUMP = 0x80000,
	ALL_FACES = 0xfe00, // of a cube
	IS_VOLUME = 0x200000,
};

typedef struct dds_file
{
	uint32_t width, height, depth, levels, flags, caps_2;
	uint32_t pixel_flags, four_cc, bits, masks[4];
	uint32_t dxgi, dimension, misc, layers, alpha_mode; // dxgi not 0: with a DX10 header
	size_t payload_size;
	const void *payload; // NULL: zeros
	size_t size;         // of what was made
	uint8_t bytes[2048];
} dds_file;

static uint32_t cc(const char *text)
{
	uint32_t code;
	memcpy(&code, text, 4);
	return code;
}

static void put(uint8_t *bytes, size_t at, uint32_t value)
{
	memcpy(bytes + at, &value, 4);
}

static void make_dds(dds_file *file)
{
	uint8_t *bytes = file->bytes;
	memset(bytes, 0, sizeof file->bytes);
	memcpy(bytes, "DDS ", 4);
	put(bytes, 4, 124);
	put(bytes, 8, 0x1007 | file->flags);
	put(bytes, 12, file->height);
	put(bytes, 16, file->width);
	put(bytes, 24, file->depth);
	put(bytes, 28, file->levels);
	put(bytes, 76, 32);
	put(bytes, 80, file->dxgi != 0 ? IS_FOUR_CC : file->pixel_flags);
	put(bytes, 84, file->dxgi != 0 ? cc("DX10") : file->four_cc);
	put(bytes, 88, file->bits);
	for (size_t c = 0; c < 4; c++)
	{
		put(bytes, 92 + 4 * c, file->masks[c]);
	}
	put(bytes, 108, 0x1000);
	put(bytes, 112, file->caps_2);
	file->size = 128;
	if (file->dxgi != 0)
	{
		put(bytes, 128, file->dxgi);
		put(bytes, 132, file->dimension != 0 ? file->dimension : 3);
		put(bytes, 136, file->misc);
		put(bytes, 140, file->layers != 0 ? file->layers : 1);
		put(bytes, 144, file->alpha_mode);
		file->size = 148;
	}
	assert_true(file->size + file->payload_size <= sizeof file->bytes);
	if (file->payload != NULL)
	{
		memcpy(bytes + file->size, file->payload, file->payload_size);
	}
	file->size += file->payload_size;
}

static lrd_dds open_sound(const dds_file *file)
{
	lrd_dds info;
	lrd_error error = { 0 };
	if (!lrd_dds_open((lrd_bytes){ file->bytes, file->size }, &info, &error))
	{
		fail_msg("opening failed: %s", error.message);
	}
	return info;
}

static lrd_image decode_surface(const lrd_dds *info, lrd_dds_decode_desc desc)
{
	lrd_image image = { 0 };
	lrd_error error = { 0 };
	if (!lrd_dds_decode(info, &desc, &image, &error))
	{
		fail_msg("%s: decoding failed: %s", info->format.name, error.message);
	}
	return image;
}

static float component(const lrd_image *image, size_t i)
{
	switch (image->type)
	{
	case LRD_PIXEL_UNORM8: return (float)((const uint8_t *)image->pixels)[i];
	case LRD_PIXEL_UNORM16: return (float)((const uint16_t *)image->pixels)[i];
	default: return ((const float *)image->pixels)[i];
	}
}

static void assert_components(const lrd_image *image, const float expected[4], const char *what)
{
	for (size_t c = 0; c < 4; c++)
	{
		float found = component(image, c);
		if (fabsf(found - expected[c]) > fabsf(expected[c]) * 1e-6f)
		{
			fail_msg("%s: channel %zu is %g; expected %g", what, c, (double)found, (double)expected[c]);
		}
	}
}

static lrd_error open_damaged(const dds_file *file)
{
	lrd_dds info;
	lrd_error error = { 0 };
	assert_false(lrd_dds_open((lrd_bytes){ file->bytes, file->size }, &info, &error));
	assert_true(error.message[0] != 0);
	return error;
}

static void assert_says(lrd_error error, lrd_error_code code, const char *part)
{
	if (error.code != code || strstr(error.message, part) == NULL)
	{
		fail_msg("%s \"%s\"; expected %s and \"%s\"", lrd_error_code_name(error.code), error.message,
			lrd_error_code_name(code), part);
	}
}

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
		cmocka_unit_test(surfaces_lie_layer_by_layer_face_by_face_level_by_level),
		cmocka_unit_test(slices_of_a_volume_lie_within_their_level),
		cmocka_unit_test(blocks_at_edges_are_cut),
		cmocka_unit_test(floats_that_are_not_finite_are_counted),
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
