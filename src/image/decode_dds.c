// Surfaces of DDS files to texels. Headers are in dds_header.c, block formats are the block room's.

#include "base/error.h"
#include "image/codec.h"
#include "image/dds.h"
#include "image/half.h"

typedef struct surface
{
	const lrd_dds_format *format;
	const uint8_t *from;
	uint32_t width, height;
	lrd_pixel_type type;
	bool shift_signed;
} surface;

static bool has_signed(const lrd_dds_format *format)
{
	return format->number == LRD_DDS_SNORM || format->signed_masks != 0;
}

static bool has_more_than_8_bits(const lrd_dds_format *format)
{
	if (format->packing == LRD_DDS_BLOCKS)
	{
		return !lrd_block_is_unorm8(format->block);
	}
	if (format->packing == LRD_DDS_COMPONENTS)
	{
		return format->size > format->channels;
	}
	bool wide = false;
	for (unsigned c = 0; c < 4 && format->packing == LRD_DDS_MASKS; c++)
	{
		wide |= __builtin_popcount(format->masks[c]) > 8;
	}
	return wide;
}

lrd_pixel_type lrd_dds_pixel_type(const lrd_dds *info, bool shift_signed)
{
	const lrd_dds_format *format = &info->format;
	if (has_signed(format))
	{
		return shift_signed ? LRD_PIXEL_UNORM16 : LRD_PIXEL_F32;
	}
	if (format->number != LRD_DDS_UNORM)
	{
		return LRD_PIXEL_F32;
	}
	return has_more_than_8_bits(format) ? LRD_PIXEL_UNORM16 : LRD_PIXEL_UNORM8;
}

static uint16_t unorm16_of(float value)
{
	return (uint16_t)(value * 65535.0f + 0.5f);
}

static void decode_block(const surface *of, const uint8_t *block, float floats[64], uint16_t words[64])
{
	lrd_block_decode_f32(of->format->block, block, floats);
	for (unsigned i = 0; i < 64 && of->type == LRD_PIXEL_UNORM16; i++)
	{
		bool shifted = of->shift_signed && i % 4 < of->format->channels && has_signed(of->format);
		words[i] = unorm16_of(shifted ? (floats[i] + 1.0f) * 0.5f : floats[i]);
	}
}

static void decode_blocks(const surface *of, void *pixels)
{
	size_t texel = lrd_pixel_size(of->type);
	const uint8_t *block = of->from;
	for (uint32_t y = 0; y < of->height; y += 4)
	{
		uint32_t rows = of->height - y < 4 ? of->height - y : 4;
		for (uint32_t x = 0; x < of->width; x += 4)
		{
			uint8_t bytes[64];
			uint16_t words[64];
			float floats[64];
			const uint8_t *decoded = bytes;
			if (of->type == LRD_PIXEL_UNORM8)
			{
				lrd_block_decode_unorm8(of->format->block, block, bytes);
			}
			else
			{
				decode_block(of, block, floats, words);
				decoded = of->type == LRD_PIXEL_UNORM16 ? (const uint8_t *)words : (const uint8_t *)floats;
			}
			uint32_t columns = of->width - x < 4 ? of->width - x : 4;
			for (uint32_t row = 0; row < rows; row++)
			{
				memcpy((uint8_t *)pixels + ((size_t)(y + row) * of->width + x) * texel, decoded + 4 * row * texel,
					columns * texel);
			}
			block += of->format->size;
		}
	}
}

static uint32_t load(const uint8_t *from, unsigned size)
{
	uint32_t value = 0;
	memcpy(&value, from, size);
	return value;
}

typedef struct mask_channel
{
	uint32_t mask, shift, max;
	bool is_signed;
	uint32_t half; // of signed ones: the largest number
	uint32_t sign;
} mask_channel;

static mask_channel channel_of(const lrd_dds_format *format, unsigned c)
{
	uint32_t mask = format->masks[c];
	if (mask == 0)
	{
		return (mask_channel){ 0 };
	}
	uint32_t shift = (uint32_t)__builtin_ctz(mask);
	uint32_t max = mask >> shift;
	return (mask_channel){ .mask = mask,
		.shift = shift,
		.max = max,
		.is_signed = (format->signed_masks >> c & 1) != 0,
		.half = max > 1 ? max / 2 : 1,
		.sign = (max + 1) / 2 };
}

// Two's complement; the one number that has no opposite is the next one to it.
static int32_t signed_of(const mask_channel *channel, uint32_t value)
{
	int32_t number = (int32_t)(value ^ channel->sign) - (int32_t)channel->sign;
	return number < -(int32_t)channel->half ? -(int32_t)channel->half : number;
}

static void decode_masks_unorm8(const surface *of, size_t texels, uint8_t *to)
{
	uint8_t values[4][256];
	mask_channel channels[4];
	for (unsigned c = 0; c < 4; c++)
	{
		channels[c] = channel_of(of->format, c);
		values[c][0] = c == 3 && channels[c].mask == 0 ? 255 : 0;
		for (uint32_t i = 0; i <= channels[c].max && channels[c].max != 0; i++)
		{
			values[c][i] = (uint8_t)((i * 255u + channels[c].max / 2) / channels[c].max);
		}
	}
	unsigned size = of->format->size;
	for (size_t i = 0; i < texels; i++)
	{
		uint32_t value = load(of->from + i * size, size);
		for (unsigned c = 0; c < 4; c++)
		{
			to[4 * i + c] = values[c][(value & channels[c].mask) >> channels[c].shift];
		}
	}
}

static uint16_t masked_unorm16(const mask_channel *channel, uint32_t value)
{
	if (channel->is_signed)
	{
		uint32_t above = (uint32_t)(signed_of(channel, value) + (int32_t)channel->half);
		return (uint16_t)((above * 65535u + channel->half) / (2 * channel->half));
	}
	return (uint16_t)((value * 65535u + channel->max / 2) / channel->max);
}

static float masked_float(const mask_channel *channel, uint32_t value, bool normalized)
{
	if (channel->is_signed)
	{
		return (float)signed_of(channel, value) / (float)channel->half;
	}
	return normalized ? (float)value / (float)channel->max : (float)value;
}

static void decode_masks(const surface *of, size_t texels, void *pixels)
{
	mask_channel channels[4];
	for (unsigned c = 0; c < 4; c++)
	{
		channels[c] = channel_of(of->format, c);
	}
	unsigned size = of->format->size;
	for (size_t i = 0; i < 4 * texels; i++)
	{
		const mask_channel *channel = &channels[i % 4];
		uint32_t value = (load(of->from + i / 4 * size, size) & channel->mask) >> channel->shift;
		bool lacking = channel->mask == 0;
		if (of->type == LRD_PIXEL_UNORM16)
		{
			((uint16_t *)pixels)[i] = lacking ? (i % 4 == 3 ? 65535 : 0) : masked_unorm16(channel, value);
		}
		else
		{
			bool normalized = of->format->number == LRD_DDS_UNORM;
			((float *)pixels)[i] = lacking ? (i % 4 == 3 ? 1.0f : 0.0f) : masked_float(channel, value, normalized);
		}
	}
}

static float component_float(const uint8_t *from, unsigned size, lrd_dds_number number)
{
	uint32_t bits = load(from, size);
	uint32_t sign = 1u << (8 * size - 1);
	int32_t as_signed = (int32_t)((bits ^ sign) - sign);
	float value;
	switch (number)
	{
	case LRD_DDS_UINT: return (float)bits;
	case LRD_DDS_SINT: return (float)as_signed;
	case LRD_DDS_SNORM: value = (float)as_signed / (float)(sign - 1); return value < -1.0f ? -1.0f : value;
	case LRD_DDS_FLOAT: break;
	default: return (float)bits / (float)(2 * sign - 1);
	}
	if (size == 2)
	{
		return lrd_float_from_half((uint16_t)bits);
	}
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void decode_components_unorm8(const surface *of, size_t texels, uint8_t *to)
{
	unsigned channels = of->format->channels;
	if (channels == 4)
	{
		memcpy(to, of->from, 4 * texels);
		return;
	}
	for (size_t i = 0; i < texels; i++)
	{
		uint32_t value = load(of->from + i * channels, channels) | 0xff000000u;
		memcpy(to + 4 * i, &value, 4);
	}
}

static void decode_components(const surface *of, size_t texels, void *pixels)
{
	unsigned channels = of->format->channels;
	unsigned size = of->format->size / channels;
	for (size_t i = 0; i < 4 * texels; i++)
	{
		unsigned c = i % 4;
		const uint8_t *from = of->from + (i / 4 * channels + c) * size;
		bool lacking = c >= channels;
		if (of->type == LRD_PIXEL_F32)
		{
			((float *)pixels)[i] = lacking ? (c == 3 ? 1.0f : 0.0f) : component_float(from, size, of->format->number);
		}
		else if (lacking || of->format->number == LRD_DDS_UNORM)
		{
			((uint16_t *)pixels)[i] = lacking ? (c == 3 ? 65535 : 0) : (uint16_t)load(from, size);
		}
		else
		{
			((uint16_t *)pixels)[i] = unorm16_of((component_float(from, size, LRD_DDS_SNORM) + 1.0f) * 0.5f);
		}
	}
}

// Floats of 11 and 10 bits are half floats without sign and with less mantissa.
static void decode_r11g11b10(const surface *of, size_t texels, float *to)
{
	for (size_t i = 0; i < texels; i++)
	{
		uint32_t value = load(of->from + 4 * i, 4);
		to[4 * i] = lrd_float_from_half((uint16_t)((value & 0x7ffu) << 4));
		to[4 * i + 1] = lrd_float_from_half((uint16_t)((value >> 11 & 0x7ffu) << 4));
		to[4 * i + 2] = lrd_float_from_half((uint16_t)((value >> 22) << 5));
		to[4 * i + 3] = 1.0f;
	}
}

static void decode_r9g9b9e5(const surface *of, size_t texels, float *to)
{
	for (size_t i = 0; i < texels; i++)
	{
		uint32_t value = load(of->from + 4 * i, 4);
		uint32_t scale_bits = (value >> 27) - 24u + 127u; // 2^(exponent - 15), and mantissas are 512ths
		float scale;
		scale_bits <<= 23;
		memcpy(&scale, &scale_bits, sizeof scale);
		for (unsigned c = 0; c < 3; c++)
		{
			to[4 * i + c] = (float)(value >> 9 * c & 511u) * scale;
		}
		to[4 * i + 3] = 1.0f;
	}
}

static void decode_pairs(const surface *of, uint8_t *to)
{
	unsigned green = of->format->packing == LRD_DDS_RG_BG ? 1 : 0;
	const uint8_t *pair = of->from;
	for (uint32_t y = 0; y < of->height; y++)
	{
		for (uint32_t x = 0; x < of->width; x++, to += 4)
		{
			to[0] = pair[1 - green];
			to[1] = pair[green + (x % 2) * 2];
			to[2] = pair[3 - green];
			to[3] = 255;
			pair += x % 2 != 0 || x + 1 == of->width ? 4 : 0;
		}
	}
}

static void decode_texels(const surface *of, void *pixels)
{
	size_t texels = (size_t)of->width * of->height;
	bool small = of->type == LRD_PIXEL_UNORM8;
	switch (of->format->packing)
	{
	case LRD_DDS_BLOCKS: decode_blocks(of, pixels); break;
	case LRD_DDS_MASKS: small ? decode_masks_unorm8(of, texels, pixels) : decode_masks(of, texels, pixels); break;
	case LRD_DDS_COMPONENTS:
		small ? decode_components_unorm8(of, texels, pixels) : decode_components(of, texels, pixels);
		break;
	case LRD_DDS_R11G11B10: decode_r11g11b10(of, texels, pixels); break;
	case LRD_DDS_R9G9B9E5: decode_r9g9b9e5(of, texels, pixels); break;
	case LRD_DDS_RG_BG:
	case LRD_DDS_GR_GB: decode_pairs(of, pixels); break;
	}
}

// What a format says beyond its numbers: which channels stand for others.
static void move_channels(const lrd_dds_format *format, lrd_pixel_type type, size_t texels, uint8_t *pixels)
{
	static const uint8_t bytes_one[1] = { 255 };
	static const uint16_t words_one = 65535;
	static const float float_one = 1.0f;
	const void *one = type == LRD_PIXEL_UNORM8    ? (const void *)bytes_one
					  : type == LRD_PIXEL_UNORM16 ? (const void *)&words_one
												  : (const void *)&float_one;
	size_t size = lrd_pixel_size(type) / 4;
	for (size_t i = 0; i < texels && (format->luminance || format->red_is_alpha || format->opaque); i++)
	{
		uint8_t *texel = pixels + 4 * size * i;
		if (format->red_is_alpha)
		{
			memcpy(texel, texel + 3 * size, size);
		}
		if (format->luminance)
		{
			memcpy(texel + size, texel, size);
			memcpy(texel + 2 * size, texel, size);
		}
		if (format->opaque)
		{
			memcpy(texel + 3 * size, one, size);
		}
	}
}

// Colours of what is fully transparent stay as they are.
static void divide_by_alpha(lrd_pixel_type type, size_t texels, void *pixels)
{
	for (size_t i = 0; i < 4 * texels; i++)
	{
		size_t at_alpha = i | 3;
		if (i == at_alpha)
		{
			continue;
		}
		if (type == LRD_PIXEL_F32)
		{
			float *values = pixels;
			values[i] = values[at_alpha] > 0.0f ? values[i] / values[at_alpha] : values[i];
			continue;
		}
		uint32_t most = type == LRD_PIXEL_UNORM8 ? 255 : 65535;
		uint8_t *bytes = pixels;
		uint16_t *words = pixels;
		uint32_t alpha = type == LRD_PIXEL_UNORM8 ? bytes[at_alpha] : words[at_alpha];
		uint32_t value = type == LRD_PIXEL_UNORM8 ? bytes[i] : words[i];
		if (alpha != 0)
		{
			value = value >= alpha ? most : (value * most + alpha / 2) / alpha;
		}
		if (type == LRD_PIXEL_UNORM8)
		{
			bytes[i] = (uint8_t)value;
		}
		else
		{
			words[i] = (uint16_t)value;
		}
	}
}

static void decode_surface(const lrd_dds *info, const lrd_dds_decode_desc *desc, void *pixels)
{
	uint32_t slices = lrd_dds_side(info->depth, desc->level);
	bool is_volume = info->kind == LRD_DDS_VOLUME;
	lrd_bytes bytes = lrd_dds_surface(info, desc->level, desc->layer, is_volume ? 0 : desc->face);
	surface of = {
		.format = &info->format,
		.from = (const uint8_t *)bytes.data + (is_volume ? bytes.size / slices * desc->face : 0),
		.width = lrd_dds_side(info->width, desc->level),
		.height = lrd_dds_side(info->height, desc->level),
		.type = lrd_dds_pixel_type(info, desc->shift_signed),
		.shift_signed = desc->shift_signed,
	};
	size_t texels = (size_t)of.width * of.height;
	decode_texels(&of, pixels);
	if (info->premultiplied && !desc->keep_premultiplied && !info->format.opaque)
	{
		divide_by_alpha(of.type, texels, pixels);
	}
	move_channels(&info->format, of.type, texels, pixels);
}

bool lrd_dds_decode(const lrd_dds *info, const lrd_dds_decode_desc *desc, lrd_image *image, lrd_error *error)
{
	uint32_t faces = info->kind == LRD_DDS_VOLUME ? lrd_dds_side(info->depth, desc->level) : info->faces;
	if (desc->level >= info->levels || desc->layer >= info->layers || desc->face >= faces)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"level %u of layer %u, face or slice %u; there are %u levels of %u layers, and %u faces or slices",
			desc->level, desc->layer, desc->face, info->levels, info->layers, faces);
	}
	lrd_image_layout layout = {
		.width = lrd_dds_side(info->width, desc->level),
		.height = lrd_dds_side(info->height, desc->level),
		.type = lrd_dds_pixel_type(info, desc->shift_signed),
	};
	lrd_image_decode_desc limits = { .bytes = info->bytes, .max_side = desc->max_side, .max_bytes = desc->max_bytes };
	if (!lrd_image_check_layout(&limits, &layout, error))
	{
		return false;
	}
	lrd_image result = {
		.width = layout.width,
		.height = layout.height,
		.type = layout.type,
		.linear = info->format.number != LRD_DDS_UNORM || info->format.signed_masks != 0,
		.source_channels = info->format.channels,
		.size = (size_t)layout.width * layout.height * lrd_pixel_size(layout.type),
		.allocator = lrd_allocator_or_default(desc->allocator),
	};
	result.pixels = lrd_alloc(result.allocator, result.size);
	if (result.pixels == NULL)
	{
		return lrd_fail_memory(error, "pixels", result.size);
	}
	decode_surface(info, desc, result.pixels);
	if (result.type == LRD_PIXEL_F32)
	{
		result.clamped = lrd_texels_settle(result.pixels, (size_t)result.width * result.height);
	}
	result.has_alpha = lrd_image_has_alpha(&result);
	*image = result;
	return true;
}

// As an image, a file is its first surface.

static bool measure_dds(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	lrd_dds info;
	if (!lrd_dds_read_header(bytes, &info, error))
	{
		return false;
	}
	layout->width = info.width;
	layout->height = info.height;
	layout->type = lrd_dds_pixel_type(&info, true);
	layout->source_channels = info.format.channels;
	layout->linear = info.format.number != LRD_DDS_UNORM || info.format.signed_masks != 0;
	layout->least_size = info.size > UINT64_MAX - info.header_size ? UINT64_MAX : info.header_size + info.size;
	return true;
}

static bool decode_dds(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	(void)allocator;
	lrd_dds info;
	if (!lrd_dds_open(bytes, &info, error))
	{
		return false;
	}
	decode_surface(
		&info, &(lrd_dds_decode_desc){ .shift_signed = true, .keep_premultiplied = layout->ignore_gamma }, pixels);
	return true;
}

const lrd_image_decoder lrd_dds_decoder = { measure_dds, decode_dds };
