// The formats of DDS by number: DXGI_FORMAT, FourCC and D3DFORMAT.

#include "image/dds.h"

#include <stdio.h>

typedef struct numbered_format
{
	uint32_t dxgi;
	lrd_dds_format format;
} numbered_format;

#define COMPONENTS(count, bytes, kind)                                                                                 \
	.packing = LRD_DDS_COMPONENTS, .number = LRD_DDS_##kind, .channels = (count), .size = (count) * (bytes)
#define MASKS(bytes, count, r, g, b, a)                                                                                \
	.packing = LRD_DDS_MASKS, .channels = (count), .size = (bytes), .masks = { (r), (g), (b), (a) }
#define BLOCKS(bytes, count, which)                                                                                    \
	.packing = LRD_DDS_BLOCKS, .channels = (count), .size = (bytes), .block = LRD_BLOCK_##which
#define MASKS_8888 MASKS(4, 4, 0xff0000, 0xff00, 0xff, 0xff000000)
#define MASKS_888X MASKS(4, 3, 0xff0000, 0xff00, 0xff, 0)
#define MASKS_10 MASKS(4, 4, 0x3ff, 0xffc00, 0x3ff00000, 0xc0000000)

// Typeless ones are what they most likely hold. Depth is one channel.
static const numbered_format numbered_formats[] = {
	{ 1, { "R32G32B32A32_TYPELESS", COMPONENTS(4, 4, FLOAT) } },
	{ 2, { "R32G32B32A32_FLOAT", COMPONENTS(4, 4, FLOAT) } },
	{ 3, { "R32G32B32A32_UINT", COMPONENTS(4, 4, UINT) } },
	{ 4, { "R32G32B32A32_SINT", COMPONENTS(4, 4, SINT) } },
	{ 5, { "R32G32B32_TYPELESS", COMPONENTS(3, 4, FLOAT) } },
	{ 6, { "R32G32B32_FLOAT", COMPONENTS(3, 4, FLOAT) } },
	{ 7, { "R32G32B32_UINT", COMPONENTS(3, 4, UINT) } },
	{ 8, { "R32G32B32_SINT", COMPONENTS(3, 4, SINT) } },
	{ 9, { "R16G16B16A16_TYPELESS", COMPONENTS(4, 2, UNORM) } },
	{ 10, { "R16G16B16A16_FLOAT", COMPONENTS(4, 2, FLOAT) } },
	{ 11, { "R16G16B16A16_UNORM", COMPONENTS(4, 2, UNORM) } },
	{ 12, { "R16G16B16A16_UINT", COMPONENTS(4, 2, UINT) } },
	{ 13, { "R16G16B16A16_SNORM", COMPONENTS(4, 2, SNORM) } },
	{ 14, { "R16G16B16A16_SINT", COMPONENTS(4, 2, SINT) } },
	{ 15, { "R32G32_TYPELESS", COMPONENTS(2, 4, FLOAT) } },
	{ 16, { "R32G32_FLOAT", COMPONENTS(2, 4, FLOAT) } },
	{ 17, { "R32G32_UINT", COMPONENTS(2, 4, UINT) } },
	{ 18, { "R32G32_SINT", COMPONENTS(2, 4, SINT) } },
	{ 23, { "R10G10B10A2_TYPELESS", MASKS_10 } },
	{ 24, { "R10G10B10A2_UNORM", MASKS_10 } },
	{ 25, { "R10G10B10A2_UINT", .number = LRD_DDS_UINT, MASKS_10 } },
	{ 26, { "R11G11B10_FLOAT", .packing = LRD_DDS_R11G11B10, .number = LRD_DDS_FLOAT, .channels = 3, .size = 4 } },
	{ 27, { "R8G8B8A8_TYPELESS", COMPONENTS(4, 1, UNORM) } },
	{ 28, { "R8G8B8A8_UNORM", COMPONENTS(4, 1, UNORM) } },
	{ 29, { "R8G8B8A8_UNORM_SRGB", COMPONENTS(4, 1, UNORM), .srgb = true } },
	{ 30, { "R8G8B8A8_UINT", COMPONENTS(4, 1, UINT) } },
	{ 31, { "R8G8B8A8_SNORM", COMPONENTS(4, 1, SNORM) } },
	{ 32, { "R8G8B8A8_SINT", COMPONENTS(4, 1, SINT) } },
	{ 33, { "R16G16_TYPELESS", COMPONENTS(2, 2, UNORM) } },
	{ 34, { "R16G16_FLOAT", COMPONENTS(2, 2, FLOAT) } },
	{ 35, { "R16G16_UNORM", COMPONENTS(2, 2, UNORM) } },
	{ 36, { "R16G16_UINT", COMPONENTS(2, 2, UINT) } },
	{ 37, { "R16G16_SNORM", COMPONENTS(2, 2, SNORM) } },
	{ 38, { "R16G16_SINT", COMPONENTS(2, 2, SINT) } },
	{ 39, { "R32_TYPELESS", COMPONENTS(1, 4, FLOAT) } },
	{ 40, { "D32_FLOAT", COMPONENTS(1, 4, FLOAT) } },
	{ 41, { "R32_FLOAT", COMPONENTS(1, 4, FLOAT) } },
	{ 42, { "R32_UINT", COMPONENTS(1, 4, UINT) } },
	{ 43, { "R32_SINT", COMPONENTS(1, 4, SINT) } },
	{ 48, { "R8G8_TYPELESS", COMPONENTS(2, 1, UNORM) } },
	{ 49, { "R8G8_UNORM", COMPONENTS(2, 1, UNORM) } },
	{ 50, { "R8G8_UINT", COMPONENTS(2, 1, UINT) } },
	{ 51, { "R8G8_SNORM", COMPONENTS(2, 1, SNORM) } },
	{ 52, { "R8G8_SINT", COMPONENTS(2, 1, SINT) } },
	{ 53, { "R16_TYPELESS", COMPONENTS(1, 2, UNORM) } },
	{ 54, { "R16_FLOAT", COMPONENTS(1, 2, FLOAT) } },
	{ 55, { "D16_UNORM", COMPONENTS(1, 2, UNORM) } },
	{ 56, { "R16_UNORM", COMPONENTS(1, 2, UNORM) } },
	{ 57, { "R16_UINT", COMPONENTS(1, 2, UINT) } },
	{ 58, { "R16_SNORM", COMPONENTS(1, 2, SNORM) } },
	{ 59, { "R16_SINT", COMPONENTS(1, 2, SINT) } },
	{ 60, { "R8_TYPELESS", COMPONENTS(1, 1, UNORM) } },
	{ 61, { "R8_UNORM", COMPONENTS(1, 1, UNORM) } },
	{ 62, { "R8_UINT", COMPONENTS(1, 1, UINT) } },
	{ 63, { "R8_SNORM", COMPONENTS(1, 1, SNORM) } },
	{ 64, { "R8_SINT", COMPONENTS(1, 1, SINT) } },
	{ 65, { "A8_UNORM", MASKS(1, 4, 0, 0, 0, 0xff) } },
	{ 67, { "R9G9B9E5_SHAREDEXP", .packing = LRD_DDS_R9G9B9E5, .number = LRD_DDS_FLOAT, .channels = 3, .size = 4 } },
	{ 68, { "R8G8_B8G8_UNORM", .packing = LRD_DDS_RG_BG, .channels = 3, .size = 4 } },
	{ 69, { "G8R8_G8B8_UNORM", .packing = LRD_DDS_GR_GB, .channels = 3, .size = 4 } },
	{ 70, { "BC1_TYPELESS", BLOCKS(8, 4, BC1_ALPHA) } },
	{ 71, { "BC1_UNORM", BLOCKS(8, 4, BC1_ALPHA) } },
	{ 72, { "BC1_UNORM_SRGB", BLOCKS(8, 4, BC1_ALPHA), .srgb = true } },
	{ 73, { "BC2_TYPELESS", BLOCKS(16, 4, BC2) } },
	{ 74, { "BC2_UNORM", BLOCKS(16, 4, BC2) } },
	{ 75, { "BC2_UNORM_SRGB", BLOCKS(16, 4, BC2), .srgb = true } },
	{ 76, { "BC3_TYPELESS", BLOCKS(16, 4, BC3) } },
	{ 77, { "BC3_UNORM", BLOCKS(16, 4, BC3) } },
	{ 78, { "BC3_UNORM_SRGB", BLOCKS(16, 4, BC3), .srgb = true } },
	{ 79, { "BC4_TYPELESS", BLOCKS(8, 1, BC4_UNORM) } },
	{ 80, { "BC4_UNORM", BLOCKS(8, 1, BC4_UNORM) } },
	{ 81, { "BC4_SNORM", .number = LRD_DDS_SNORM, BLOCKS(8, 1, BC4_SNORM) } },
	{ 82, { "BC5_TYPELESS", BLOCKS(16, 2, BC5_UNORM) } },
	{ 83, { "BC5_UNORM", BLOCKS(16, 2, BC5_UNORM) } },
	{ 84, { "BC5_SNORM", .number = LRD_DDS_SNORM, BLOCKS(16, 2, BC5_SNORM) } },
	{ 85, { "B5G6R5_UNORM", MASKS(2, 3, 0xf800, 0x7e0, 0x1f, 0) } },
	{ 86, { "B5G5R5A1_UNORM", MASKS(2, 4, 0x7c00, 0x3e0, 0x1f, 0x8000) } },
	{ 87, { "B8G8R8A8_UNORM", MASKS_8888 } },
	{ 88, { "B8G8R8X8_UNORM", MASKS_888X } },
	{ 90, { "B8G8R8A8_TYPELESS", MASKS_8888 } },
	{ 91, { "B8G8R8A8_UNORM_SRGB", MASKS_8888, .srgb = true } },
	{ 92, { "B8G8R8X8_TYPELESS", MASKS_888X } },
	{ 93, { "B8G8R8X8_UNORM_SRGB", MASKS_888X, .srgb = true } },
	{ 94, { "BC6H_TYPELESS", .number = LRD_DDS_FLOAT, BLOCKS(16, 3, BC6H_UFLOAT) } },
	{ 95, { "BC6H_UF16", .number = LRD_DDS_FLOAT, BLOCKS(16, 3, BC6H_UFLOAT) } },
	{ 96, { "BC6H_SF16", .number = LRD_DDS_FLOAT, BLOCKS(16, 3, BC6H_SFLOAT) } },
	{ 97, { "BC7_TYPELESS", BLOCKS(16, 4, BC7) } },
	{ 98, { "BC7_UNORM", BLOCKS(16, 4, BC7) } },
	{ 99, { "BC7_UNORM_SRGB", BLOCKS(16, 4, BC7), .srgb = true } },
	{ 115, { "B4G4R4A4_UNORM", MASKS(2, 4, 0xf00, 0xf0, 0xf, 0xf000) } },
	{ 191, { "A4B4G4R4_UNORM", MASKS(2, 4, 0xf000, 0xf00, 0xf0, 0xf) } },
};

bool lrd_dds_format_of_dxgi(uint32_t dxgi, lrd_dds_format *format)
{
	for (size_t i = 0; i < sizeof numbered_formats / sizeof *numbered_formats; i++)
	{
		if (numbered_formats[i].dxgi == dxgi)
		{
			*format = numbered_formats[i].format;
			return true;
		}
	}
	return false;
}

#define CC(text)                                                                                                       \
	((uint32_t)(text)[0] | (uint32_t)(text)[1] << 8 | (uint32_t)(text)[2] << 16 | (uint32_t)(text)[3] << 24)

bool lrd_dds_format_of_four_cc(uint32_t code, lrd_dds_format *format, bool *premultiplied)
{
	const struct
	{
		uint32_t code, dxgi;
	} codes[] = {
		{ CC("DXT1"), 71 }, { CC("DXT2"), 74 }, { CC("DXT3"), 74 }, { CC("DXT4"), 77 }, { CC("DXT5"), 77 },
		{ CC("RXGB"), 77 }, // Doom 3's normals: red in DXT5's alpha
		{ CC("ATI1"), 80 }, { CC("BC4U"), 80 }, { CC("BC4S"), 81 }, { CC("ATI2"), 83 }, { CC("BC5U"), 83 },
		{ CC("BC5S"), 84 }, { CC("BC6H"), 95 }, { CC("BC7L"), 98 }, { CC("BC7\0"), 98 }, { CC("RGBG"), 68 },
		{ CC("GRGB"), 69 }, { 36, 11 }, // D3DFMT_A16B16G16R16
		{ 110, 13 },                    // D3DFMT_Q16W16V16U16
		{ 111, 54 },                    // D3DFMT_R16F
		{ 112, 34 },                    // D3DFMT_G16R16F
		{ 113, 10 },                    // D3DFMT_A16B16G16R16F
		{ 114, 41 },                    // D3DFMT_R32F
		{ 115, 16 },                    // D3DFMT_G32R32F
		{ 116, 2 },                     // D3DFMT_A32B32G32R32F
	};
	*premultiplied = code == CC("DXT2") || code == CC("DXT4");
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
	{
		if (codes[i].code == code && lrd_dds_format_of_dxgi(codes[i].dxgi, format))
		{
			if (code == CC("RXGB"))
			{
				format->red_is_alpha = true;
				format->opaque = true;
				format->channels = 3;
				snprintf(format->name, sizeof format->name, "RXGB");
			}
			return true;
		}
	}
	return false;
}
