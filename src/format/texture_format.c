// format/texture_format.c: the one table of pixel formats, and the data format descriptor that each of its rows
// implies. A new format is a new row: size checks, the descriptor the writer makes and the one the reader expects all
// follow from it. Numbers and names: Vulkan specification, "Formats". Descriptors: Khronos Data Format Specification
// 1.3, chapter 5.

#include "format/texture.h"

#include "base/error.h"

#include <string.h>

#define TEXELS(number, name, bytes, type_size, numeric, layout)                                                        \
	{                                                                                                                  \
		number, type_size, 1, 1, bytes, LRD_DFD_RGBSDA, LRD_NUMERIC_##numeric, #name, layout                           \
	}
#define BLOCKS(number, name, width, height, bytes, model, numeric, layout)                                             \
	{                                                                                                                  \
		number, 1, width, height, bytes, LRD_DFD_##model, LRD_NUMERIC_##numeric, #name, layout                         \
	}

#define SHARED_EXPONENT "shared exponent"

// Sorted by number. A layout lists channels from bit 0 up, each with its bits:
//   r g b a  red, green, blue, alpha      d s  depth, stencil      x  unused bits
//   c        the block's colour           p    BC1's colour with punch-through alpha      e  ETC2's colour
// A "|" starts again at bit 0. Left out: three-dimensional ASTC, PVRTC and 4:2:2 formats, which nothing here can use.
static const lrd_texture_format_row table[] = {
	// clang-format off
	TEXELS(1, R4G4_UNORM_PACK8, 1, 1, UNORM, "g4r4"),
	TEXELS(2, R4G4B4A4_UNORM_PACK16, 2, 2, UNORM, "a4b4g4r4"),
	TEXELS(3, B4G4R4A4_UNORM_PACK16, 2, 2, UNORM, "a4r4g4b4"),
	TEXELS(4, R5G6B5_UNORM_PACK16, 2, 2, UNORM, "b5g6r5"),
	TEXELS(5, B5G6R5_UNORM_PACK16, 2, 2, UNORM, "r5g6b5"),
	TEXELS(6, R5G5B5A1_UNORM_PACK16, 2, 2, UNORM, "a1b5g5r5"),
	TEXELS(7, B5G5R5A1_UNORM_PACK16, 2, 2, UNORM, "a1r5g5b5"),
	TEXELS(8, A1R5G5B5_UNORM_PACK16, 2, 2, UNORM, "b5g5r5a1"),
	TEXELS(9, R8_UNORM, 1, 1, UNORM, "r8"),
	TEXELS(10, R8_SNORM, 1, 1, SNORM, "r8"),
	TEXELS(13, R8_UINT, 1, 1, UINT, "r8"),
	TEXELS(14, R8_SINT, 1, 1, SINT, "r8"),
	TEXELS(15, R8_SRGB, 1, 1, SRGB, "r8"),
	TEXELS(16, R8G8_UNORM, 2, 1, UNORM, "r8g8"),
	TEXELS(17, R8G8_SNORM, 2, 1, SNORM, "r8g8"),
	TEXELS(20, R8G8_UINT, 2, 1, UINT, "r8g8"),
	TEXELS(21, R8G8_SINT, 2, 1, SINT, "r8g8"),
	TEXELS(22, R8G8_SRGB, 2, 1, SRGB, "r8g8"),
	TEXELS(23, R8G8B8_UNORM, 3, 1, UNORM, "r8g8b8"),
	TEXELS(24, R8G8B8_SNORM, 3, 1, SNORM, "r8g8b8"),
	TEXELS(27, R8G8B8_UINT, 3, 1, UINT, "r8g8b8"),
	TEXELS(28, R8G8B8_SINT, 3, 1, SINT, "r8g8b8"),
	TEXELS(29, R8G8B8_SRGB, 3, 1, SRGB, "r8g8b8"),
	TEXELS(30, B8G8R8_UNORM, 3, 1, UNORM, "b8g8r8"),
	TEXELS(31, B8G8R8_SNORM, 3, 1, SNORM, "b8g8r8"),
	TEXELS(34, B8G8R8_UINT, 3, 1, UINT, "b8g8r8"),
	TEXELS(35, B8G8R8_SINT, 3, 1, SINT, "b8g8r8"),
	TEXELS(36, B8G8R8_SRGB, 3, 1, SRGB, "b8g8r8"),
	TEXELS(37, R8G8B8A8_UNORM, 4, 1, UNORM, "r8g8b8a8"),
	TEXELS(38, R8G8B8A8_SNORM, 4, 1, SNORM, "r8g8b8a8"),
	TEXELS(41, R8G8B8A8_UINT, 4, 1, UINT, "r8g8b8a8"),
	TEXELS(42, R8G8B8A8_SINT, 4, 1, SINT, "r8g8b8a8"),
	TEXELS(43, R8G8B8A8_SRGB, 4, 1, SRGB, "r8g8b8a8"),
	TEXELS(44, B8G8R8A8_UNORM, 4, 1, UNORM, "b8g8r8a8"),
	TEXELS(45, B8G8R8A8_SNORM, 4, 1, SNORM, "b8g8r8a8"),
	TEXELS(48, B8G8R8A8_UINT, 4, 1, UINT, "b8g8r8a8"),
	TEXELS(49, B8G8R8A8_SINT, 4, 1, SINT, "b8g8r8a8"),
	TEXELS(50, B8G8R8A8_SRGB, 4, 1, SRGB, "b8g8r8a8"),
	TEXELS(51, A8B8G8R8_UNORM_PACK32, 4, 4, UNORM, "r8g8b8a8"),
	TEXELS(52, A8B8G8R8_SNORM_PACK32, 4, 4, SNORM, "r8g8b8a8"),
	TEXELS(55, A8B8G8R8_UINT_PACK32, 4, 4, UINT, "r8g8b8a8"),
	TEXELS(56, A8B8G8R8_SINT_PACK32, 4, 4, SINT, "r8g8b8a8"),
	TEXELS(57, A8B8G8R8_SRGB_PACK32, 4, 4, SRGB, "r8g8b8a8"),
	TEXELS(58, A2R10G10B10_UNORM_PACK32, 4, 4, UNORM, "b10g10r10a2"),
	TEXELS(59, A2R10G10B10_SNORM_PACK32, 4, 4, SNORM, "b10g10r10a2"),
	TEXELS(62, A2R10G10B10_UINT_PACK32, 4, 4, UINT, "b10g10r10a2"),
	TEXELS(63, A2R10G10B10_SINT_PACK32, 4, 4, SINT, "b10g10r10a2"),
	TEXELS(64, A2B10G10R10_UNORM_PACK32, 4, 4, UNORM, "r10g10b10a2"),
	TEXELS(65, A2B10G10R10_SNORM_PACK32, 4, 4, SNORM, "r10g10b10a2"),
	TEXELS(68, A2B10G10R10_UINT_PACK32, 4, 4, UINT, "r10g10b10a2"),
	TEXELS(69, A2B10G10R10_SINT_PACK32, 4, 4, SINT, "r10g10b10a2"),
	TEXELS(70, R16_UNORM, 2, 2, UNORM, "r16"),
	TEXELS(71, R16_SNORM, 2, 2, SNORM, "r16"),
	TEXELS(74, R16_UINT, 2, 2, UINT, "r16"),
	TEXELS(75, R16_SINT, 2, 2, SINT, "r16"),
	TEXELS(76, R16_SFLOAT, 2, 2, SFLOAT, "r16"),
	TEXELS(77, R16G16_UNORM, 4, 2, UNORM, "r16g16"),
	TEXELS(78, R16G16_SNORM, 4, 2, SNORM, "r16g16"),
	TEXELS(81, R16G16_UINT, 4, 2, UINT, "r16g16"),
	TEXELS(82, R16G16_SINT, 4, 2, SINT, "r16g16"),
	TEXELS(83, R16G16_SFLOAT, 4, 2, SFLOAT, "r16g16"),
	TEXELS(84, R16G16B16_UNORM, 6, 2, UNORM, "r16g16b16"),
	TEXELS(85, R16G16B16_SNORM, 6, 2, SNORM, "r16g16b16"),
	TEXELS(88, R16G16B16_UINT, 6, 2, UINT, "r16g16b16"),
	TEXELS(89, R16G16B16_SINT, 6, 2, SINT, "r16g16b16"),
	TEXELS(90, R16G16B16_SFLOAT, 6, 2, SFLOAT, "r16g16b16"),
	TEXELS(91, R16G16B16A16_UNORM, 8, 2, UNORM, "r16g16b16a16"),
	TEXELS(92, R16G16B16A16_SNORM, 8, 2, SNORM, "r16g16b16a16"),
	TEXELS(95, R16G16B16A16_UINT, 8, 2, UINT, "r16g16b16a16"),
	TEXELS(96, R16G16B16A16_SINT, 8, 2, SINT, "r16g16b16a16"),
	TEXELS(97, R16G16B16A16_SFLOAT, 8, 2, SFLOAT, "r16g16b16a16"),
	TEXELS(98, R32_UINT, 4, 4, UINT, "r32"),
	TEXELS(99, R32_SINT, 4, 4, SINT, "r32"),
	TEXELS(100, R32_SFLOAT, 4, 4, SFLOAT, "r32"),
	TEXELS(101, R32G32_UINT, 8, 4, UINT, "r32g32"),
	TEXELS(102, R32G32_SINT, 8, 4, SINT, "r32g32"),
	TEXELS(103, R32G32_SFLOAT, 8, 4, SFLOAT, "r32g32"),
	TEXELS(104, R32G32B32_UINT, 12, 4, UINT, "r32g32b32"),
	TEXELS(105, R32G32B32_SINT, 12, 4, SINT, "r32g32b32"),
	TEXELS(106, R32G32B32_SFLOAT, 12, 4, SFLOAT, "r32g32b32"),
	TEXELS(107, R32G32B32A32_UINT, 16, 4, UINT, "r32g32b32a32"),
	TEXELS(108, R32G32B32A32_SINT, 16, 4, SINT, "r32g32b32a32"),
	TEXELS(109, R32G32B32A32_SFLOAT, 16, 4, SFLOAT, "r32g32b32a32"),
	TEXELS(110, R64_UINT, 8, 8, UINT, "r64"),
	TEXELS(111, R64_SINT, 8, 8, SINT, "r64"),
	TEXELS(112, R64_SFLOAT, 8, 8, SFLOAT, "r64"),
	TEXELS(113, R64G64_UINT, 16, 8, UINT, "r64g64"),
	TEXELS(114, R64G64_SINT, 16, 8, SINT, "r64g64"),
	TEXELS(115, R64G64_SFLOAT, 16, 8, SFLOAT, "r64g64"),
	TEXELS(116, R64G64B64_UINT, 24, 8, UINT, "r64g64b64"),
	TEXELS(117, R64G64B64_SINT, 24, 8, SINT, "r64g64b64"),
	TEXELS(118, R64G64B64_SFLOAT, 24, 8, SFLOAT, "r64g64b64"),
	TEXELS(119, R64G64B64A64_UINT, 32, 8, UINT, "r64g64b64a64"),
	TEXELS(120, R64G64B64A64_SINT, 32, 8, SINT, "r64g64b64a64"),
	TEXELS(121, R64G64B64A64_SFLOAT, 32, 8, SFLOAT, "r64g64b64a64"),
	TEXELS(122, B10G11R11_UFLOAT_PACK32, 4, 4, UFLOAT, "r11g11b10"),
	TEXELS(123, E5B9G9R9_UFLOAT_PACK32, 4, 4, UFLOAT, SHARED_EXPONENT),
	TEXELS(124, D16_UNORM, 2, 2, UNORM, "d16"),
	TEXELS(125, X8_D24_UNORM_PACK32, 4, 4, UNORM, "d24x8"),
	TEXELS(126, D32_SFLOAT, 4, 4, SFLOAT, "d32"),
	TEXELS(127, S8_UINT, 1, 1, UINT, "s8"),
	TEXELS(128, D16_UNORM_S8_UINT, 4, 2, UNORM, "d16s8x8"),
	TEXELS(129, D24_UNORM_S8_UINT, 4, 4, UNORM, "s8d24"),
	TEXELS(130, D32_SFLOAT_S8_UINT, 8, 4, SFLOAT, "d32s8x24"),
	BLOCKS(131, BC1_RGB_UNORM_BLOCK, 4, 4, 8, BC1, UNORM, "c64"),
	BLOCKS(132, BC1_RGB_SRGB_BLOCK, 4, 4, 8, BC1, SRGB, "c64"),
	BLOCKS(133, BC1_RGBA_UNORM_BLOCK, 4, 4, 8, BC1, UNORM, "p64"),
	BLOCKS(134, BC1_RGBA_SRGB_BLOCK, 4, 4, 8, BC1, SRGB, "p64"),
	BLOCKS(135, BC2_UNORM_BLOCK, 4, 4, 16, BC2, UNORM, "a64c64"),
	BLOCKS(136, BC2_SRGB_BLOCK, 4, 4, 16, BC2, SRGB, "a64c64"),
	BLOCKS(137, BC3_UNORM_BLOCK, 4, 4, 16, BC3, UNORM, "a64c64"),
	BLOCKS(138, BC3_SRGB_BLOCK, 4, 4, 16, BC3, SRGB, "a64c64"),
	BLOCKS(139, BC4_UNORM_BLOCK, 4, 4, 8, BC4, UNORM, "r64"),
	BLOCKS(140, BC4_SNORM_BLOCK, 4, 4, 8, BC4, SNORM, "r64"),
	BLOCKS(141, BC5_UNORM_BLOCK, 4, 4, 16, BC5, UNORM, "r64g64"),
	BLOCKS(142, BC5_SNORM_BLOCK, 4, 4, 16, BC5, SNORM, "r64g64"),
	BLOCKS(143, BC6H_UFLOAT_BLOCK, 4, 4, 16, BC6H, UFLOAT, "c128"),
	BLOCKS(144, BC6H_SFLOAT_BLOCK, 4, 4, 16, BC6H, SFLOAT, "c128"),
	BLOCKS(145, BC7_UNORM_BLOCK, 4, 4, 16, BC7, UNORM, "c128"),
	BLOCKS(146, BC7_SRGB_BLOCK, 4, 4, 16, BC7, SRGB, "c128"),
	BLOCKS(147, ETC2_R8G8B8_UNORM_BLOCK, 4, 4, 8, ETC2, UNORM, "e64"),
	BLOCKS(148, ETC2_R8G8B8_SRGB_BLOCK, 4, 4, 8, ETC2, SRGB, "e64"),
	BLOCKS(149, ETC2_R8G8B8A1_UNORM_BLOCK, 4, 4, 8, ETC2, UNORM, "e64|a64"),
	BLOCKS(150, ETC2_R8G8B8A1_SRGB_BLOCK, 4, 4, 8, ETC2, SRGB, "e64|a64"),
	BLOCKS(151, ETC2_R8G8B8A8_UNORM_BLOCK, 4, 4, 16, ETC2, UNORM, "a64e64"),
	BLOCKS(152, ETC2_R8G8B8A8_SRGB_BLOCK, 4, 4, 16, ETC2, SRGB, "a64e64"),
	BLOCKS(153, EAC_R11_UNORM_BLOCK, 4, 4, 8, ETC2, UNORM, "r64"),
	BLOCKS(154, EAC_R11_SNORM_BLOCK, 4, 4, 8, ETC2, SNORM, "r64"),
	BLOCKS(155, EAC_R11G11_UNORM_BLOCK, 4, 4, 16, ETC2, UNORM, "r64g64"),
	BLOCKS(156, EAC_R11G11_SNORM_BLOCK, 4, 4, 16, ETC2, SNORM, "r64g64"),
	BLOCKS(157, ASTC_4x4_UNORM_BLOCK, 4, 4, 16, ASTC, UNORM, "c128"),
	BLOCKS(158, ASTC_4x4_SRGB_BLOCK, 4, 4, 16, ASTC, SRGB, "c128"),
	BLOCKS(159, ASTC_5x4_UNORM_BLOCK, 5, 4, 16, ASTC, UNORM, "c128"),
	BLOCKS(160, ASTC_5x4_SRGB_BLOCK, 5, 4, 16, ASTC, SRGB, "c128"),
	BLOCKS(161, ASTC_5x5_UNORM_BLOCK, 5, 5, 16, ASTC, UNORM, "c128"),
	BLOCKS(162, ASTC_5x5_SRGB_BLOCK, 5, 5, 16, ASTC, SRGB, "c128"),
	BLOCKS(163, ASTC_6x5_UNORM_BLOCK, 6, 5, 16, ASTC, UNORM, "c128"),
	BLOCKS(164, ASTC_6x5_SRGB_BLOCK, 6, 5, 16, ASTC, SRGB, "c128"),
	BLOCKS(165, ASTC_6x6_UNORM_BLOCK, 6, 6, 16, ASTC, UNORM, "c128"),
	BLOCKS(166, ASTC_6x6_SRGB_BLOCK, 6, 6, 16, ASTC, SRGB, "c128"),
	BLOCKS(167, ASTC_8x5_UNORM_BLOCK, 8, 5, 16, ASTC, UNORM, "c128"),
	BLOCKS(168, ASTC_8x5_SRGB_BLOCK, 8, 5, 16, ASTC, SRGB, "c128"),
	BLOCKS(169, ASTC_8x6_UNORM_BLOCK, 8, 6, 16, ASTC, UNORM, "c128"),
	BLOCKS(170, ASTC_8x6_SRGB_BLOCK, 8, 6, 16, ASTC, SRGB, "c128"),
	BLOCKS(171, ASTC_8x8_UNORM_BLOCK, 8, 8, 16, ASTC, UNORM, "c128"),
	BLOCKS(172, ASTC_8x8_SRGB_BLOCK, 8, 8, 16, ASTC, SRGB, "c128"),
	BLOCKS(173, ASTC_10x5_UNORM_BLOCK, 10, 5, 16, ASTC, UNORM, "c128"),
	BLOCKS(174, ASTC_10x5_SRGB_BLOCK, 10, 5, 16, ASTC, SRGB, "c128"),
	BLOCKS(175, ASTC_10x6_UNORM_BLOCK, 10, 6, 16, ASTC, UNORM, "c128"),
	BLOCKS(176, ASTC_10x6_SRGB_BLOCK, 10, 6, 16, ASTC, SRGB, "c128"),
	BLOCKS(177, ASTC_10x8_UNORM_BLOCK, 10, 8, 16, ASTC, UNORM, "c128"),
	BLOCKS(178, ASTC_10x8_SRGB_BLOCK, 10, 8, 16, ASTC, SRGB, "c128"),
	BLOCKS(179, ASTC_10x10_UNORM_BLOCK, 10, 10, 16, ASTC, UNORM, "c128"),
	BLOCKS(180, ASTC_10x10_SRGB_BLOCK, 10, 10, 16, ASTC, SRGB, "c128"),
	BLOCKS(181, ASTC_12x10_UNORM_BLOCK, 12, 10, 16, ASTC, UNORM, "c128"),
	BLOCKS(182, ASTC_12x10_SRGB_BLOCK, 12, 10, 16, ASTC, SRGB, "c128"),
	BLOCKS(183, ASTC_12x12_UNORM_BLOCK, 12, 12, 16, ASTC, UNORM, "c128"),
	BLOCKS(184, ASTC_12x12_SRGB_BLOCK, 12, 12, 16, ASTC, SRGB, "c128"),
	BLOCKS(1000066000, ASTC_4x4_SFLOAT_BLOCK, 4, 4, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066001, ASTC_5x4_SFLOAT_BLOCK, 5, 4, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066002, ASTC_5x5_SFLOAT_BLOCK, 5, 5, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066003, ASTC_6x5_SFLOAT_BLOCK, 6, 5, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066004, ASTC_6x6_SFLOAT_BLOCK, 6, 6, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066005, ASTC_8x5_SFLOAT_BLOCK, 8, 5, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066006, ASTC_8x6_SFLOAT_BLOCK, 8, 6, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066007, ASTC_8x8_SFLOAT_BLOCK, 8, 8, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066008, ASTC_10x5_SFLOAT_BLOCK, 10, 5, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066009, ASTC_10x6_SFLOAT_BLOCK, 10, 6, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066010, ASTC_10x8_SFLOAT_BLOCK, 10, 8, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066011, ASTC_10x10_SFLOAT_BLOCK, 10, 10, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066012, ASTC_12x10_SFLOAT_BLOCK, 12, 10, 16, ASTC, SFLOAT, "c128"),
	BLOCKS(1000066013, ASTC_12x12_SFLOAT_BLOCK, 12, 12, 16, ASTC, SFLOAT, "c128"),
	TEXELS(1000156007, R10X6_UNORM_PACK16, 2, 2, UNORM, "x6r10"),
	TEXELS(1000156008, R10X6G10X6_UNORM_2PACK16, 4, 2, UNORM, "x6r10x6g10"),
	TEXELS(1000156009, R10X6G10X6B10X6A10X6_UNORM_4PACK16, 8, 2, UNORM, "x6r10x6g10x6b10x6a10"),
	TEXELS(1000156017, R12X4_UNORM_PACK16, 2, 2, UNORM, "x4r12"),
	TEXELS(1000156018, R12X4G12X4_UNORM_2PACK16, 4, 2, UNORM, "x4r12x4g12"),
	TEXELS(1000156019, R12X4G12X4B12X4A12X4_UNORM_4PACK16, 8, 2, UNORM, "x4r12x4g12x4b12x4a12"),
	TEXELS(1000340000, A4R4G4B4_UNORM_PACK16, 2, 2, UNORM, "b4g4r4a4"),
	TEXELS(1000340001, A4B4G4R4_UNORM_PACK16, 2, 2, UNORM, "r4g4b4a4"),
	TEXELS(1000470000, A1B5G5R5_UNORM_PACK16, 2, 2, UNORM, "r5g5b5a1"),
	TEXELS(1000470001, A8_UNORM, 1, 1, UNORM, "a8"),
	// clang-format on
};

#define TABLE_COUNT (sizeof table / sizeof table[0])

const lrd_texture_format_row *lrd_texture_format_find(uint32_t format)
{
	size_t low = 0;
	size_t high = TABLE_COUNT;
	while (low < high)
	{
		size_t middle = (low + high) / 2;
		if (table[middle].format < format)
		{
			low = middle + 1;
		}
		else
		{
			high = middle;
		}
	}
	return low < TABLE_COUNT && table[low].format == format ? &table[low] : NULL;
}

const char *lrd_texture_format_name(uint32_t format)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(format);
	return row != NULL ? row->name : format == LRD_TEXTURE_UNDEFINED ? "UNDEFINED" : "unknown";
}

bool lrd_texture_format_prohibited(uint32_t format)
{
	// The *SCALED formats come in pairs, the multi-planar ones in runs (KTX 2.0, "Prohibited Formats").
	static const uint32_t scaled[] = { 11, 18, 25, 32, 39, 46, 53, 60, 66, 72, 79, 86, 93 };
	static const uint32_t planar[][2] = { { 1000156002, 1000156006 }, { 1000156012, 1000156016 },
		{ 1000156022, 1000156026 }, { 1000156029, 1000156033 }, { 1000330000, 1000330003 } };
	for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++)
	{
		if (format == scaled[i] || format == scaled[i] + 1)
		{
			return true;
		}
	}
	for (size_t i = 0; i < sizeof planar / sizeof planar[0]; i++)
	{
		if (format >= planar[i][0] && format <= planar[i][1])
		{
			return true;
		}
	}
	return false;
}

bool lrd_texture_format_has_srgb_twin(const lrd_texture_format_row *row)
{
	if (row->numeric != LRD_NUMERIC_UNORM)
	{
		return false;
	}
	for (size_t i = 0; i < TABLE_COUNT; i++)
	{
		const lrd_texture_format_row *other = &table[i];
		if (other->numeric == LRD_NUMERIC_SRGB && other->model == row->model && other->type_size == row->type_size &&
			other->block_width == row->block_width && other->block_height == row->block_height &&
			strcmp(other->layout, row->layout) == 0)
		{
			return true;
		}
	}
	return false;
}

bool lrd_texture_format_is_depth(const lrd_texture_format_row *row)
{
	return row->layout[0] == 'd' || strncmp(row->layout, "s8", 2) == 0;
}

// Writing descriptors.

#define CHANNEL_ALPHA 15u
#define CHANNEL_DEPTH 14u
#define CHANNEL_STENCIL 13u

#define QUALIFIER_LINEAR (1u << 28)
#define QUALIFIER_EXPONENT (1u << 29)
#define QUALIFIER_SIGNED (1u << 30)
#define QUALIFIER_FLOAT (1u << 31)

#define FLOAT_ONE 0x3f800000u
#define FLOAT_MINUS_ONE 0xbf800000u

typedef struct sample_range
{
	uint32_t lower;
	uint32_t upper;
	uint32_t qualifiers;
} sample_range;

static uint32_t channel_of(char letter)
{
	switch (letter)
	{
	case 'g':
	case 'p': return 1;
	case 'b':
	case 'e': return 2;
	case 'a': return CHANNEL_ALPHA;
	case 'd': return CHANNEL_DEPTH;
	case 's': return CHANNEL_STENCIL;
	default: // r, c
		return 0;
	}
}

// Data Format 1.3, "sampleLower and sampleUpper": the numbers that stand for 0 (or -1) and 1.
static sample_range range_of(lrd_numeric numeric, uint32_t bits, bool texel)
{
	uint32_t ones = bits >= 32 ? UINT32_MAX : (1u << bits) - 1u;
	switch (numeric)
	{
	case LRD_NUMERIC_SNORM:
		// A texel's -1 mirrors its 1; a block's data has no such number and takes the whole signed range.
		return (sample_range){ texel ? ~(ones >> 1) + 1u : ~(ones >> 1), ones >> 1, QUALIFIER_SIGNED };
	case LRD_NUMERIC_UINT: return (sample_range){ 0, 1, 0 };
	case LRD_NUMERIC_SINT: return (sample_range){ UINT32_MAX, 1, QUALIFIER_SIGNED };
	case LRD_NUMERIC_SFLOAT: return (sample_range){ FLOAT_MINUS_ONE, FLOAT_ONE, QUALIFIER_SIGNED | QUALIFIER_FLOAT };
	case LRD_NUMERIC_UFLOAT: return (sample_range){ 0, FLOAT_ONE, QUALIFIER_FLOAT };
	default: return (sample_range){ 0, ones, 0 };
	}
}

static void put_sample(uint32_t *sample, uint32_t offset, uint32_t bits, uint32_t channel, sample_range range)
{
	sample[0] = offset | (bits - 1u) << 16 | channel << 24 | range.qualifiers;
	sample[1] = 0;
	sample[2] = range.lower;
	sample[3] = range.upper;
}

// E5B9G9R9: three mantissas, each followed by a sample for the exponent they share (Data Format 1.3, "Example format
// descriptors").
static uint32_t put_shared_exponent(uint32_t *samples)
{
	for (uint32_t channel = 0; channel < 3; channel++)
	{
		uint32_t *sample = samples + 2 * channel * LRD_DFD_SAMPLE_WORDS;
		put_sample(sample, 9 * channel, 9, channel, (sample_range){ 0, 8448, 0 });
		put_sample(sample + LRD_DFD_SAMPLE_WORDS, 27, 5, channel, (sample_range){ 15, 31, QUALIFIER_EXPONENT });
	}
	return 6;
}

static lrd_numeric numeric_of(const lrd_texture_format_row *row, char letter)
{
	return letter == 's' ? LRD_NUMERIC_UINT : (lrd_numeric)row->numeric; // stencil is whole numbers whatever depth is
}

static uint32_t put_samples(const lrd_texture_format_row *row, uint32_t *samples)
{
	if (strcmp(row->layout, SHARED_EXPONENT) == 0)
	{
		return put_shared_exponent(samples);
	}
	uint32_t count = 0;
	uint32_t offset = 0;
	for (const char *at = row->layout; *at != '\0';)
	{
		char letter = *at++;
		uint32_t bits = 0;
		for (; *at >= '0' && *at <= '9'; at++)
		{
			bits = bits * 10u + (uint32_t)(*at - '0');
		}
		if (letter == '|')
		{
			offset = 0;
			continue;
		}
		if (letter != 'x')
		{
			sample_range range = range_of(numeric_of(row, letter), bits, row->model == LRD_DFD_RGBSDA);
			if (letter == 'a' && row->numeric == LRD_NUMERIC_SRGB)
			{
				range.qualifiers |= QUALIFIER_LINEAR;
			}
			put_sample(samples + count * LRD_DFD_SAMPLE_WORDS, offset, bits, channel_of(letter), range);
			count++;
		}
		offset += bits;
	}
	return count;
}

static bool has_no_color_space(const lrd_texture_format_row *row)
{
	return row->numeric == LRD_NUMERIC_UINT || row->numeric == LRD_NUMERIC_SINT || lrd_texture_format_is_depth(row);
}

uint32_t lrd_texture_format_describe(const lrd_texture_format_row *row, uint32_t words[LRD_DFD_MAX_WORDS])
{
	uint32_t samples = put_samples(row, words + 1 + LRD_DFD_BASIC_WORDS);
	uint32_t block_words = LRD_DFD_BASIC_WORDS + samples * LRD_DFD_SAMPLE_WORDS;
	uint32_t primaries = LRD_DFD_PRIMARIES_BT709;
	uint32_t transfer = row->numeric == LRD_NUMERIC_SRGB ? LRD_DFD_TRANSFER_SRGB : LRD_DFD_TRANSFER_LINEAR;
	if (has_no_color_space(row))
	{
		primaries = LRD_DFD_PRIMARIES_UNSPECIFIED;
		transfer = LRD_DFD_TRANSFER_UNSPECIFIED;
	}
	words[0] = 4u * (1u + block_words);
	words[1] = 0;                             // vendor Khronos, type basic
	words[2] = 2u | (4u * block_words) << 16; // version 1.3
	words[3] = row->model | primaries << 8 | transfer << 16;
	words[4] = (row->block_width - 1u) | (row->block_height - 1u) << 8;
	words[5] = row->block_bytes;
	words[6] = 0;
	return 1u + block_words;
}

// Checking descriptors.

#define DFD_VERSION_1_3 2u
#define DFD_NEEDED_FOR_DECODE 0x4000u

// The basic block of a descriptor, read a field at a time.
typedef struct basic_block
{
	const uint32_t *words; ///< from the vendor id
	uint32_t sample_count;
	uint32_t transfer;
	uint32_t model;
} basic_block;

static const uint32_t *sample_of(const basic_block *block, uint32_t sample)
{
	return block->words + LRD_DFD_BASIC_WORDS + sample * LRD_DFD_SAMPLE_WORDS;
}

// Every block's size, and that nothing but extensions larder may ignore follows the basic one (Data Format
// 1.3, "Descriptor block").
static bool check_blocks(const uint32_t *words, size_t size, lrd_error *error)
{
	size_t at = 4;
	for (uint32_t block = 0; at < size; block++)
	{
		if (size - at < 8)
		{
			return lrd_fail(
				error, LRD_ERROR_FORMAT, "ktx2: DFD block %u has %zu bytes left, its header needs 8", block, size - at);
		}
		uint32_t vendor = words[at / 4] & 0x1ffffu;
		uint32_t type = words[at / 4] >> 17;
		uint32_t block_size = words[at / 4 + 1] >> 16;
		if (block_size < 8 || block_size % 4 != 0 || block_size > size - at)
		{
			return lrd_fail(error, LRD_ERROR_FORMAT,
				"ktx2: DFD block %u descriptorBlockSize is %u, must be a multiple of 4 from 8 to the %zu bytes left",
				block, block_size, size - at);
		}
		bool basic = vendor == 0 && type == 0;
		if (basic != (block == 0))
		{
			return lrd_fail(error, LRD_ERROR_FORMAT,
				"ktx2: DFD block %u is %s basic block, must be the first and only the first", block,
				basic ? "a" : "no");
		}
		if ((type & DFD_NEEDED_FOR_DECODE) != 0)
		{
			return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
				"ktx2: DFD block %u (vendor %u, type 0x%x) must be understood to read the texels, and larder does not "
				"know it",
				block, vendor, type);
		}
		at += block_size;
	}
	return true;
}

static bool check_basic_header(const basic_block *block, lrd_error *error)
{
	uint32_t version = block->words[1] & 0xffffu;
	uint32_t size = block->words[1] >> 16;
	uint32_t primaries = block->words[2] >> 8 & 0xffu;
	uint32_t flags = block->words[2] >> 24;
	if (version != DFD_VERSION_1_3)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: DFD versionNumber is %u, must be %u (Data Format 1.3)", version,
			DFD_VERSION_1_3);
	}
	if (size < 4 * LRD_DFD_BASIC_WORDS || (size - 4 * LRD_DFD_BASIC_WORDS) % (4 * LRD_DFD_SAMPLE_WORDS) != 0)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "ktx2: DFD descriptorBlockSize is %u, must be 24 and 16 a sample", size);
	}
	if (primaries > LRD_DFD_PRIMARIES_LAST || block->transfer > LRD_DFD_TRANSFER_LAST)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"ktx2: DFD colorPrimaries is %u and transferFunction %u, must be at most %d and %d", primaries,
			block->transfer, LRD_DFD_PRIMARIES_LAST, LRD_DFD_TRANSFER_LAST);
	}
	if ((flags & ~LRD_DFD_FLAG_PREMULTIPLIED) != 0)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "ktx2: DFD flags is 0x%x, only ALPHA_PREMULTIPLIED (1) is known", flags);
	}
	return true;
}

static bool check_dimensions(const basic_block *block, uint32_t width, uint32_t height, const uint32_t planes[2],
	bool may_be_unsized, lrd_error *error)
{
	uint32_t dimensions = (width - 1u) | (height - 1u) << 8;
	if (block->words[3] != dimensions)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: DFD texelBlockDimension is 0x%08x, must be 0x%08x (%u x %u)",
			block->words[3], dimensions, width, height);
	}
	// Files written to the specification's first revisions say 0 under supercompression ("DFD for Supercompressed
	// Data").
	bool unsized = may_be_unsized && block->words[4] == 0 && block->words[5] == 0;
	if (!unsized && (block->words[4] != planes[0] || block->words[5] != planes[1]))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"ktx2: DFD bytesPlane0..3 is 0x%08x and 4..7 0x%08x, must be 0x%08x and 0x%08x", block->words[4],
			block->words[5], planes[0], planes[1]);
	}
	return true;
}

// KTX 2.0, "Data Format Descriptor", "Restrictions".
static bool check_transfer(const basic_block *block, const lrd_texture_format_row *row, lrd_error *error)
{
	if (row->numeric == LRD_NUMERIC_SRGB && block->transfer != LRD_DFD_TRANSFER_SRGB)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: DFD transferFunction is %u, must be %d (sRGB) for %s",
			block->transfer, LRD_DFD_TRANSFER_SRGB, row->name);
	}
	if (block->transfer == LRD_DFD_TRANSFER_SRGB && lrd_texture_format_has_srgb_twin(row))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"ktx2: DFD transferFunction is sRGB, must not be for %s, which has an sRGB variant", row->name);
	}
	if (has_no_color_space(row) && block->transfer > LRD_DFD_TRANSFER_LINEAR)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"ktx2: DFD transferFunction is %u, must be unspecified or linear for %s", block->transfer, row->name);
	}
	bool curved = block->transfer > LRD_DFD_TRANSFER_LINEAR;
	for (uint32_t i = 0; i < block->sample_count; i++)
	{
		uint32_t word = sample_of(block, i)[0];
		bool must = curved && (word >> 24 & 0xfu) == CHANNEL_ALPHA;
		if (((word & QUALIFIER_LINEAR) != 0) != must)
		{
			return lrd_fail(error, LRD_ERROR_FORMAT,
				"ktx2: DFD sample %u qualifier LINEAR is %s, must be %s with transferFunction %u", i,
				must ? "clear" : "set", must ? "set" : "clear", block->transfer);
		}
	}
	return true;
}

static bool check_sample(
	uint32_t index, const uint32_t *found, const uint32_t *expected, const char *format, lrd_error *error)
{
	static const char *const fields[] = { "bitOffset, bitLength, channelType and qualifiers", "samplePosition",
		"sampleLower", "sampleUpper" };
	for (uint32_t i = 0; i < LRD_DFD_SAMPLE_WORDS; i++)
	{
		uint32_t ignored = i == 0 ? QUALIFIER_LINEAR : 0;
		if (((found[i] ^ expected[i]) & ~ignored) != 0)
		{
			return lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: DFD sample %u %s is 0x%08x, must be 0x%08x for %s", index,
				fields[i], found[i], expected[i], format);
		}
	}
	return true;
}

static bool check_model(const basic_block *block, uint32_t model, const char *format, lrd_error *error)
{
	return block->model == model || lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: DFD colorModel is %u, must be %u for %s",
										block->model, model, format);
}

static bool check_sample_count(const basic_block *block, uint32_t count, const char *format, lrd_error *error)
{
	return block->sample_count == count ||
		   lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: DFD has %u samples, must have %u for %s", block->sample_count,
			   count, format);
}

static bool check_known(
	const basic_block *block, const lrd_texture_format_row *row, bool supercompressed, lrd_error *error)
{
	uint32_t expected[LRD_DFD_MAX_WORDS];
	uint32_t words = lrd_texture_format_describe(row, expected);
	uint32_t samples = (words - 1u - LRD_DFD_BASIC_WORDS) / LRD_DFD_SAMPLE_WORDS;
	uint32_t *first = expected + 1 + LRD_DFD_BASIC_WORDS;
	if (!check_model(block, row->model, row->name, error) ||
		!check_dimensions(block, row->block_width, row->block_height, expected + 5, supercompressed, error) ||
		!check_sample_count(block, samples, row->name, error) || !check_transfer(block, row, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < samples; i++)
	{
		if (!check_sample(i, sample_of(block, i), first + i * LRD_DFD_SAMPLE_WORDS, row->name, error))
		{
			return false;
		}
	}
	return true;
}

static uint32_t channel_at(const basic_block *block, uint32_t sample)
{
	return sample_of(block, sample)[0] >> 24 & 0xfu;
}

static bool check_universal_sample(
	const basic_block *block, uint32_t index, uint32_t bits, const char *format, lrd_error *error)
{
	uint32_t expected[LRD_DFD_SAMPLE_WORDS];
	put_sample(expected, index * bits, bits, channel_at(block, index), (sample_range){ 0, UINT32_MAX, 0 });
	expected[1] = sample_of(block, index)[1]; // where in the block the sample is sited: no rule, and encoders differ
	return check_sample(index, sample_of(block, index), expected, format, error);
}

// KTX 2.0, "Basis Universal UASTC Format".
static bool check_uastc(const basic_block *block, bool supercompressed, lrd_error *error)
{
	static const uint32_t planes[2] = { LRD_UASTC_BLOCK_BYTES, 0 };
	if (!check_sample_count(block, 1, "UASTC", error) ||
		!check_dimensions(block, 4, 4, planes, supercompressed, error) ||
		!check_universal_sample(block, 0, 128, "UASTC", error))
	{
		return false;
	}
	uint32_t channel = channel_at(block, 0);
	if (channel != 0 && (channel < 3 || channel > 6))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"ktx2: DFD sample 0 channelType is %u, must be 0, 3, 4, 5 or 6 for UASTC", channel);
	}
	return true;
}

// KTX 2.0, "Basis Universal ETC1S Format".
static bool check_etc1s(const basic_block *block, lrd_error *error)
{
	if (block->sample_count != 1 && block->sample_count != 2)
	{
		return check_sample_count(block, 2, "ETC1S (or 1)", error);
	}
	uint32_t planes[2] = { block->sample_count == 2 ? 8u | 8u << 8 : 8u, 0 };
	if (!check_dimensions(block, 4, 4, planes, true, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < block->sample_count; i++)
	{
		if (!check_universal_sample(block, i, 64, "ETC1S", error))
		{
			return false;
		}
	}
	uint32_t first = channel_at(block, 0);
	uint32_t second = block->sample_count == 2 ? channel_at(block, 1) : UINT32_MAX;
	bool color = first == 0 && (second == UINT32_MAX || second == CHANNEL_ALPHA);
	bool data = first == 3 && (second == UINT32_MAX || second == 4);
	if (!color && !data)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"ktx2: DFD channelTypes %u and %d, must be RGB (0), RGB and AAA (15), RRR (3), or RRR and GGG (4) for "
			"ETC1S",
			first, block->sample_count == 2 ? (int)second : -1);
	}
	return true;
}

/// The universal HDR format is a subset of ASTC 4x4 SFLOAT: files say that format, or none. Its sample is unsigned
/// floating point to the one half of its writers, and a run of bits to the other.
static bool check_uastc_hdr(const basic_block *block, bool supercompressed, lrd_error *error)
{
	static const uint32_t planes[2] = { LRD_UASTC_BLOCK_BYTES, 0 };
	uint32_t expected[LRD_DFD_SAMPLE_WORDS];
	if (!check_sample_count(block, 1, "UASTC HDR", error) ||
		!check_dimensions(block, 4, 4, planes, supercompressed, error))
	{
		return false;
	}
	bool is_float = (sample_of(block, 0)[0] & QUALIFIER_FLOAT) != 0;
	put_sample(expected, 0, 128, 0,
		is_float ? (sample_range){ 0, FLOAT_ONE, QUALIFIER_FLOAT } : (sample_range){ 0, UINT32_MAX, 0 });
	return check_sample(0, sample_of(block, 0), expected, "UASTC HDR", error);
}

static bool check_universal(const basic_block *block, uint32_t supercompression, lrd_error *error)
{
	bool basis = supercompression == LRD_SUPERCOMPRESSION_BASIS_LZ;
	if (basis || block->model == LRD_DFD_ETC1S)
	{
		if (!basis)
		{
			return lrd_fail(error, LRD_ERROR_FORMAT,
				"ktx2: supercompressionScheme is %u, must be 1 (BasisLZ) for ETC1S", supercompression);
		}
		return check_model(block, LRD_DFD_ETC1S, "BasisLZ", error) && check_etc1s(block, error);
	}
	if (block->model == LRD_DFD_UASTC)
	{
		return check_uastc(block, supercompression != LRD_SUPERCOMPRESSION_NONE, error);
	}
	return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
		"ktx2: vkFormat is VK_FORMAT_UNDEFINED with DFD colorModel %u; larder reads ETC1S (163), UASTC (166) and "
		"UASTC HDR (167) there",
		block->model);
}

bool lrd_dfd_check(lrd_bytes dfd, const lrd_texture_format_row *row, uint32_t supercompression,
	lrd_dfd_summary *summary, lrd_error *error)
{
	const uint32_t *words = dfd.data;
	if (dfd.size < 4 * (1 + LRD_DFD_BASIC_WORDS) || dfd.size % 4 != 0)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "ktx2: dfdByteLength is %zu, must be a multiple of 4 and at least 28", dfd.size);
	}
	if (words[0] != dfd.size)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "ktx2: dfdTotalSize is %u, must equal dfdByteLength %zu", words[0], dfd.size);
	}
	if (!check_blocks(words, dfd.size, error))
	{
		return false;
	}
	basic_block block = { .words = words + 1, .transfer = words[3] >> 16 & 0xffu, .model = words[3] & 0xffu };
	if (!check_basic_header(&block, error))
	{
		return false;
	}
	block.sample_count = ((block.words[1] >> 16) - 4 * LRD_DFD_BASIC_WORDS) / (4 * LRD_DFD_SAMPLE_WORDS);
	bool supercompressed = supercompression != LRD_SUPERCOMPRESSION_NONE;
	bool may_be_hdr = supercompression != LRD_SUPERCOMPRESSION_BASIS_LZ &&
					  (row == NULL || row->format == LRD_TEXTURE_ASTC_4X4_SFLOAT);
	bool good = may_be_hdr && block.model == LRD_DFD_UASTC_HDR_4X4 ? check_uastc_hdr(&block, supercompressed, error)
				: row == NULL                                      ? check_universal(&block, supercompression, error)
																   : check_known(&block, row, supercompressed, error);
	if (!good)
	{
		return false;
	}
	*summary = (lrd_dfd_summary){ (uint8_t)block.model, (uint8_t)block.sample_count, 4, 4,
		block.model == LRD_DFD_ETC1S ? 8 : 16 };
	if (row != NULL)
	{
		summary->block_width = row->block_width;
		summary->block_height = row->block_height;
		summary->block_bytes = row->block_bytes;
	}
	return true;
}
