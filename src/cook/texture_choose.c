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
	if (encoding == LRD_ENCODING_BC6H && recipe->type == LRD_TEXTURE_TYPE_NORMAL)
	{
		choice.format = LRD_TEXTURE_BC6H_SFLOAT;
	}
	if (encoding == LRD_ENCODING_BC1 && facts.has_alpha)
	{
		choice.format = recipe->color ? LRD_TEXTURE_BC1_RGBA_SRGB : LRD_TEXTURE_BC1_RGBA_UNORM;
	}
	return choice;
}

typedef struct name_word
{
	const char *word;
	lrd_texture_type type;
	bool flips_y; ///< green points down
} name_word;

// What names end with. Longer words come before those that they end with.
static const name_word words[] = {
	{ "normal_dx", LRD_TEXTURE_TYPE_NORMAL, true },
	{ "normaldx", LRD_TEXTURE_TYPE_NORMAL, true },
	{ "normal_directx", LRD_TEXTURE_TYPE_NORMAL, true },
	{ "normal_gl", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "normalgl", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "normal_opengl", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "n", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "nrm", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "nor", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "norm", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "normal", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "normals", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "normalmap", LRD_TEXTURE_TYPE_NORMAL, false },
	{ "orm", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, false },
	{ "arm", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, false },
	{ "rma", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, false },
	{ "mr", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, false },
	{ "metallic_roughness", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, false },
	{ "metallicroughness", LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, false },
	{ "rough", LRD_TEXTURE_TYPE_MASK, false },
	{ "roughness", LRD_TEXTURE_TYPE_MASK, false },
	{ "metal", LRD_TEXTURE_TYPE_MASK, false },
	{ "metallic", LRD_TEXTURE_TYPE_MASK, false },
	{ "metalness", LRD_TEXTURE_TYPE_MASK, false },
	{ "ao", LRD_TEXTURE_TYPE_OCCLUSION, false },
	{ "occlusion", LRD_TEXTURE_TYPE_OCCLUSION, false },
	{ "ambientocclusion", LRD_TEXTURE_TYPE_OCCLUSION, false },
	{ "mask", LRD_TEXTURE_TYPE_MASK, false },
	{ "height", LRD_TEXTURE_TYPE_HEIGHT, false },
	{ "disp", LRD_TEXTURE_TYPE_HEIGHT, false },
	{ "displacement", LRD_TEXTURE_TYPE_HEIGHT, false },
	{ "bump", LRD_TEXTURE_TYPE_HEIGHT, false },
	{ "lut", LRD_TEXTURE_TYPE_LUT, false },
	{ "emissive", LRD_TEXTURE_TYPE_EMISSIVE, false },
	{ "emission", LRD_TEXTURE_TYPE_EMISSIVE, false },
	{ "albedo", LRD_TEXTURE_TYPE_ALBEDO, false },
	{ "basecolor", LRD_TEXTURE_TYPE_ALBEDO, false },
	{ "base_color", LRD_TEXTURE_TYPE_ALBEDO, false },
	{ "diffuse", LRD_TEXTURE_TYPE_ALBEDO, false },
	{ "cubemap", LRD_TEXTURE_TYPE_CUBEMAP, false },
	{ "cube", LRD_TEXTURE_TYPE_CUBEMAP, false },
	{ "ui", LRD_TEXTURE_TYPE_UI, false },
};

// Words that also begin with a capital after a small letter or a digit: "WallNormal". Shorter ones end too many names.
#define LEAST_CAPITAL_WORD 3

/// The name ends with the word, and the word is one: after a separator, or in capitals of its own.
static bool ends_with_word(lrd_string name, lrd_string word)
{
	if (name.size <= word.size || !lrd_string_ends_with_folded(name, word))
	{
		return false;
	}
	char before = name.data[name.size - word.size - 1];
	char first = name.data[name.size - word.size];
	bool after_small = (before >= 'a' && before <= 'z') || (before >= '0' && before <= '9');
	return before == '_' || before == '-' || before == '.' || before == ' ' ||
		   (word.size >= LEAST_CAPITAL_WORD && after_small && first >= 'A' && first <= 'Z');
}

lrd_texture_type lrd_texture_type_from_name(lrd_string name, bool *flips_y)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
	{
		if (ends_with_word(name, lrd_string_from(words[i].word)))
		{
			*flips_y = words[i].flips_y;
			return words[i].type;
		}
	}
	*flips_y = false;
	return LRD_TEXTURE_TYPE_AUTO;
}
