// How a texture is stored: by target, type, quality and what the image turned out to hold.

#include "cook/texture.h"

#include "base/path.h"

/// A row for each encoding: formats for numbers and for sRGB-encoded colours.
typedef struct encoding_row
{
	uint32_t linear;
	uint32_t srgb; ///< 0: none
	bool half;
	uint8_t block;
} encoding_row;

static const encoding_row rows[LRD_ENCODING_COUNT] = {
	[LRD_ENCODING_RGBA8] = { LRD_TEXTURE_RGBA8_UNORM, LRD_TEXTURE_RGBA8_SRGB, false, 1 },
	[LRD_ENCODING_RGBA16F] = { LRD_TEXTURE_RGBA16_SFLOAT, 0, true, 1 },
	[LRD_ENCODING_BC1] = { LRD_TEXTURE_BC1_RGB_UNORM, LRD_TEXTURE_BC1_RGB_SRGB, false, 4 },
	[LRD_ENCODING_BC3] = { LRD_TEXTURE_BC3_UNORM, LRD_TEXTURE_BC3_SRGB, false, 4 },
	[LRD_ENCODING_BC4] = { LRD_TEXTURE_BC4_UNORM, 0, false, 4 },
	[LRD_ENCODING_BC5] = { LRD_TEXTURE_BC5_UNORM, 0, false, 4 },
	[LRD_ENCODING_BC6H] = { LRD_TEXTURE_BC6H_UFLOAT, 0, true, 4 },
	[LRD_ENCODING_BC7] = { LRD_TEXTURE_BC7_UNORM, LRD_TEXTURE_BC7_SRGB, false, 4 },
	[LRD_ENCODING_ASTC_4X4] = { LRD_TEXTURE_ASTC_4X4_UNORM, LRD_TEXTURE_ASTC_4X4_SRGB, false, 4 },
	[LRD_ENCODING_ASTC_5X5] = { LRD_TEXTURE_ASTC_5X5_UNORM, LRD_TEXTURE_ASTC_5X5_SRGB, false, 5 },
	[LRD_ENCODING_ASTC_6X6] = { LRD_TEXTURE_ASTC_6X6_UNORM, LRD_TEXTURE_ASTC_6X6_SRGB, false, 6 },
	[LRD_ENCODING_ASTC_8X8] = { LRD_TEXTURE_ASTC_8X8_UNORM, LRD_TEXTURE_ASTC_8X8_SRGB, false, 8 },
};

bool lrd_texture_type_is_color(lrd_texture_type type)
{
	return type == LRD_TEXTURE_TYPE_ALBEDO || type == LRD_TEXTURE_TYPE_EMISSIVE || type == LRD_TEXTURE_TYPE_UI;
}

bool lrd_texture_type_is_single(lrd_texture_type type)
{
	return type == LRD_TEXTURE_TYPE_OCCLUSION || type == LRD_TEXTURE_TYPE_MASK || type == LRD_TEXTURE_TYPE_HEIGHT;
}

bool lrd_texture_encoding_has_srgb(lrd_texture_encoding encoding)
{
	return rows[encoding].srgb != 0;
}

static bool is_astc(lrd_texture_encoding encoding)
{
	return encoding >= LRD_ENCODING_ASTC_4X4;
}

static uint32_t astc_float_format(lrd_texture_encoding encoding)
{
	static const uint32_t formats[] = { LRD_TEXTURE_ASTC_4X4_SFLOAT, LRD_TEXTURE_ASTC_5X5_SFLOAT,
		LRD_TEXTURE_ASTC_6X6_SFLOAT, LRD_TEXTURE_ASTC_8X8_SFLOAT };
	return formats[encoding - LRD_ENCODING_ASTC_4X4];
}

static lrd_texture_encoding automatic(const lrd_texture_recipe *recipe, lrd_texture_facts facts)
{
	bool single = lrd_texture_type_is_single(recipe->type);
	bool plain = recipe->target == LRD_TARGET_RAW || recipe->type == LRD_TEXTURE_TYPE_LUT;
	if (facts.hdr && (plain || single || facts.has_alpha || recipe->type == LRD_TEXTURE_TYPE_NORMAL))
	{
		return LRD_ENCODING_RGBA16F; // BC6H has no alpha, and too few steps for numbers
	}
	if (plain)
	{
		return LRD_ENCODING_RGBA8;
	}
	if (recipe->target == LRD_TARGET_MOBILE)
	{
		return recipe->type == LRD_TEXTURE_TYPE_NORMAL ? LRD_ENCODING_ASTC_4X4 : LRD_ENCODING_ASTC_6X6;
	}
	if (facts.hdr)
	{
		return LRD_ENCODING_BC6H;
	}
	if (recipe->type == LRD_TEXTURE_TYPE_NORMAL)
	{
		return LRD_ENCODING_BC5;
	}
	if (single)
	{
		return LRD_ENCODING_BC4;
	}
	bool small = recipe->color && !facts.has_alpha && recipe->settings->quality == LRD_QUALITY_FAST;
	return small ? LRD_ENCODING_BC1 : LRD_ENCODING_BC7;
}

lrd_texture_choice lrd_texture_choose(const lrd_texture_recipe *recipe, lrd_texture_facts facts)
{
	lrd_texture_encoding encoding = recipe->settings->format;
	if (encoding == LRD_ENCODING_AUTO)
	{
		encoding = automatic(recipe, facts);
	}
	const encoding_row *row = &rows[encoding];
	lrd_texture_choice choice = { encoding, row->linear, row->half, row->block };
	if (is_astc(encoding) && facts.hdr)
	{
		choice.format = astc_float_format(encoding);
		choice.half = true;
	}
	else if (recipe->color && row->srgb != 0)
	{
		choice.format = row->srgb;
	}
	if (encoding == LRD_ENCODING_BC1 && facts.has_alpha)
	{
		choice.format = recipe->color ? LRD_TEXTURE_BC1_RGBA_SRGB : LRD_TEXTURE_BC1_RGBA_UNORM;
	}
	return choice;
}

lrd_texture_type lrd_texture_type_from_name(lrd_string name)
{
	static const struct
	{
		const char *suffix;
		lrd_texture_type type;
	} suffixes[] = {
		{ "_n", LRD_TEXTURE_TYPE_NORMAL },
		{ "_nrm", LRD_TEXTURE_TYPE_NORMAL },
		{ "_nor", LRD_TEXTURE_TYPE_NORMAL },
		{ "_norm", LRD_TEXTURE_TYPE_NORMAL },
		{ "_normal", LRD_TEXTURE_TYPE_NORMAL },
		{ "_normals", LRD_TEXTURE_TYPE_NORMAL },
		{ "_normalmap", LRD_TEXTURE_TYPE_NORMAL },
		{ "_normal_gl", LRD_TEXTURE_TYPE_NORMAL },
		{ "_normal_opengl", LRD_TEXTURE_TYPE_NORMAL },
		{ "_orm", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_arm", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_rma", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_mr", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_metallicroughness", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_metallic_roughness", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS },
		{ "_rough", LRD_TEXTURE_TYPE_MASK },
		{ "_roughness", LRD_TEXTURE_TYPE_MASK },
		{ "_metal", LRD_TEXTURE_TYPE_MASK },
		{ "_metallic", LRD_TEXTURE_TYPE_MASK },
		{ "_metalness", LRD_TEXTURE_TYPE_MASK },
		{ "_ao", LRD_TEXTURE_TYPE_OCCLUSION },
		{ "_occlusion", LRD_TEXTURE_TYPE_OCCLUSION },
		{ "_ambientocclusion", LRD_TEXTURE_TYPE_OCCLUSION },
		{ "_mask", LRD_TEXTURE_TYPE_MASK },
		{ "_height", LRD_TEXTURE_TYPE_HEIGHT },
		{ "_disp", LRD_TEXTURE_TYPE_HEIGHT },
		{ "_displacement", LRD_TEXTURE_TYPE_HEIGHT },
		{ "_bump", LRD_TEXTURE_TYPE_HEIGHT },
		{ "_lut", LRD_TEXTURE_TYPE_LUT },
		{ "_emissive", LRD_TEXTURE_TYPE_EMISSIVE },
		{ "_emission", LRD_TEXTURE_TYPE_EMISSIVE },
		{ "_albedo", LRD_TEXTURE_TYPE_ALBEDO },
		{ "_basecolor", LRD_TEXTURE_TYPE_ALBEDO },
		{ "_base_color", LRD_TEXTURE_TYPE_ALBEDO },
		{ "_diffuse", LRD_TEXTURE_TYPE_ALBEDO },
		{ "_cubemap", LRD_TEXTURE_TYPE_CUBEMAP },
		{ "_cube", LRD_TEXTURE_TYPE_CUBEMAP },
		{ "_ui", LRD_TEXTURE_TYPE_UI },
	};
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i)
	{
		if (lrd_string_ends_with_folded(name, lrd_string_from(suffixes[i].suffix)))
		{
			return suffixes[i].type;
		}
	}
	return LRD_TEXTURE_TYPE_AUTO;
}
