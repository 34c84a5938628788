// format/texture_decode.c: texels of a level as RGBA, bytes or floats: those of any colour format of the table by its
// layout, blocks by the block room. What a format decodes to is said in larder/texture.h. Numbers: Khronos Data Format
// Specification 1.3, "Floating-point formats", "Shared exponent"; Vulkan specification, "Fixed-point data conversions".

#include "format/texture.h"

#include "base/error.h"
#include "base/memory.h"
#include "block/block.h"

#include <inttypes.h>

#define CHANNELS 4
#define NO_BLOCK LRD_BLOCK_FORMAT_COUNT

/// Where a channel lies in a texel.
typedef struct channel_field
{
	bool present;
	uint32_t byte;  ///< the first one it touches
	uint32_t bytes; ///< 1, 2, 4 or 8 of them hold it
	uint32_t shift;
	uint32_t bits;
} channel_field;

/// One image of one level, being decoded.
typedef struct image_reader
{
	const lrd_texture_format_row *row;
	const uint8_t *bytes; ///< of the image
	uint32_t width;       ///< texels
	uint32_t height;
	lrd_block_format block; ///< NO_BLOCK: texels
	bool unorm8;
	channel_field fields[CHANNELS];
	uint8_t codes[CHANNELS][256]; ///< unorm8: a channel's number to 8 bits
	uint8_t *texels;
	size_t stride;
} image_reader;

static lrd_block_format block_of(uint32_t format)
{
	switch (format)
	{
	case LRD_TEXTURE_BC1_RGB_UNORM:
	case LRD_TEXTURE_BC1_RGB_SRGB: return LRD_BLOCK_BC1;
	case LRD_TEXTURE_BC1_RGBA_UNORM:
	case LRD_TEXTURE_BC1_RGBA_SRGB: return LRD_BLOCK_BC1_ALPHA;
	case LRD_TEXTURE_BC2_UNORM:
	case LRD_TEXTURE_BC2_SRGB: return LRD_BLOCK_BC2;
	case LRD_TEXTURE_BC3_UNORM:
	case LRD_TEXTURE_BC3_SRGB: return LRD_BLOCK_BC3;
	case LRD_TEXTURE_BC4_UNORM: return LRD_BLOCK_BC4_UNORM;
	case LRD_TEXTURE_BC4_SNORM: return LRD_BLOCK_BC4_SNORM;
	case LRD_TEXTURE_BC5_UNORM: return LRD_BLOCK_BC5_UNORM;
	case LRD_TEXTURE_BC5_SNORM: return LRD_BLOCK_BC5_SNORM;
	case LRD_TEXTURE_BC6H_UFLOAT: return LRD_BLOCK_BC6H_UFLOAT;
	case LRD_TEXTURE_BC6H_SFLOAT: return LRD_BLOCK_BC6H_SFLOAT;
	case LRD_TEXTURE_BC7_UNORM:
	case LRD_TEXTURE_BC7_SRGB: return LRD_BLOCK_BC7;
	default: return NO_BLOCK;
	}
}

static bool has_shared_exponent(const lrd_texture_format_row *row)
{
	return row->numeric == LRD_NUMERIC_UFLOAT && row->layout[0] == 's';
}

static uint32_t next_power(uint32_t bytes)
{
	return bytes <= 2 ? bytes : bytes <= 4 ? 4 : 8;
}

/// Read a layout of colour channels (texture_format.c says how they are written).
static void read_layout(const char *layout, channel_field fields[CHANNELS])
{
	static const char letters[CHANNELS + 1] = "rgba";
	uint32_t offset = 0;
	for (const char *at = layout; *at != '\0';)
	{
		const char *letter = strchr(letters, *at++);
		uint32_t bits = 0;
		for (; *at >= '0' && *at <= '9'; at++)
		{
			bits = bits * 10u + (uint32_t)(*at - '0');
		}
		if (letter != NULL)
		{
			uint32_t shift = offset % 8;
			fields[letter - letters] =
				(channel_field){ true, offset / 8, next_power((shift + bits + 7) / 8), shift, bits };
		}
		offset += bits;
	}
}

lrd_texels lrd_texture_decodes_to(uint32_t format)
{
	const lrd_texture_format_row *row = lrd_texture_format_find(format);
	if (row == NULL || lrd_texture_format_is_depth(row))
	{
		return LRD_TEXELS_NONE;
	}
	if (row->model != LRD_DFD_RGBSDA)
	{
		lrd_block_format block = block_of(format);
		return block == NO_BLOCK ? LRD_TEXELS_NONE : lrd_block_is_unorm8(block) ? LRD_TEXELS_UNORM8 : LRD_TEXELS_F32;
	}
	if (row->numeric != LRD_NUMERIC_UNORM && row->numeric != LRD_NUMERIC_SRGB)
	{
		return LRD_TEXELS_F32;
	}
	channel_field fields[CHANNELS] = { 0 };
	read_layout(row->layout, fields);
	for (uint32_t i = 0; i < CHANNELS; i++)
	{
		if (fields[i].bits > 8)
		{
			return LRD_TEXELS_F32;
		}
	}
	return LRD_TEXELS_UNORM8;
}

static size_t texel_size(lrd_texels type)
{
	return type == LRD_TEXELS_F32 ? CHANNELS * sizeof(float) : CHANNELS;
}

uint64_t lrd_texture_decoded_size(const lrd_texture_view *view, uint32_t level)
{
	lrd_texels type = lrd_texture_decodes_to(view->format);
	uint64_t texels;
	uint64_t size;
	if (type == LRD_TEXELS_NONE || level >= view->level_count ||
		lrd_texture_universal_kind(view) != LRD_TEXTURE_UNIVERSAL_NONE ||
		__builtin_mul_overflow((uint64_t)lrd_texture_extent(view->width, level),
			(uint64_t)lrd_texture_extent(view->height, level), &texels) ||
		__builtin_mul_overflow(texels, (uint64_t)texel_size(type), &size))
	{
		return 0;
	}
	return size;
}

// Numbers.

static uint64_t read_field(const uint8_t *texel, const channel_field *field)
{
	uint64_t value = 0;
	switch (field->bytes) // sizes that the compiler knows make each a load
	{
	case 1: memcpy(&value, texel + field->byte, 1); break;
	case 2: memcpy(&value, texel + field->byte, 2); break;
	case 4: memcpy(&value, texel + field->byte, 4); break;
	default: memcpy(&value, texel + field->byte, 8); break;
	}
	value >>= field->shift;
	return field->bits < 64 ? value & ((UINT64_C(1) << field->bits) - 1) : value;
}

static float float_from_word(uint32_t word)
{
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

/// A float of 5 bits of exponent, with its sign above them or without: half, and those of 11 and 10 bits.
static float small_float(uint32_t value, uint32_t mantissa_bits, bool has_sign)
{
	uint32_t mantissa = value & ((1u << mantissa_bits) - 1u);
	uint32_t exponent = value >> mantissa_bits & 31u;
	uint32_t sign = has_sign ? value >> (mantissa_bits + 5) << 31 : 0;
	if (exponent == 0)
	{
		float magnitude = (float)mantissa * float_from_word((127u - 14u - mantissa_bits) << 23); // exact
		return sign != 0 ? -magnitude : magnitude;
	}
	uint32_t wide = exponent == 31 ? 255u : exponent + 127u - 15u;
	return float_from_word(sign | wide << 23 | mantissa << (23u - mantissa_bits));
}

static float float_of(uint64_t value, uint32_t bits)
{
	double wide;
	switch (bits)
	{
	case 64: memcpy(&wide, &value, sizeof wide); return (float)wide;
	case 32: return float_from_word((uint32_t)value);
	case 16: return small_float((uint32_t)value, 10, true);
	default: return small_float((uint32_t)value, bits - 5, false);
	}
}

static int64_t sign_extended(uint64_t value, uint32_t bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);
	return (int64_t)((value ^ sign) - sign);
}

static float number_of(uint64_t value, uint32_t bits, lrd_numeric numeric)
{
	switch (numeric)
	{
	case LRD_NUMERIC_SNORM:
	{
		// The number below -1 stands for -1 too.
		float scaled = (float)sign_extended(value, bits) / (float)((UINT64_C(1) << (bits - 1)) - 1);
		return scaled < -1.0f ? -1.0f : scaled;
	}
	case LRD_NUMERIC_UINT: return (float)value;
	case LRD_NUMERIC_SINT: return (float)sign_extended(value, bits);
	case LRD_NUMERIC_SFLOAT:
	case LRD_NUMERIC_UFLOAT: return float_of(value, bits);
	default: return (float)value / (float)((UINT64_C(1) << bits) - 1);
	}
}

// Rows.

static void read_row_unorm8(const image_reader *self, const uint8_t *row, uint8_t *out)
{
	size_t step = self->row->block_bytes;
	for (uint32_t channel = 0; channel < CHANNELS; channel++)
	{
		const channel_field *field = &self->fields[channel];
		for (size_t x = 0; x < self->width; x++)
		{
			out[x * CHANNELS + channel] =
				field->present ? self->codes[channel][read_field(row + x * step, field)] : (channel == 3 ? 255 : 0);
		}
	}
}

static void read_row_f32(const image_reader *self, const uint8_t *row, float *out)
{
	size_t step = self->row->block_bytes;
	for (uint32_t channel = 0; channel < CHANNELS; channel++)
	{
		const channel_field *field = &self->fields[channel];
		for (size_t x = 0; x < self->width; x++)
		{
			out[x * CHANNELS + channel] = field->present ? number_of(read_field(row + x * step, field), field->bits,
															   (lrd_numeric)self->row->numeric)
														 : (channel == 3 ? 1.0f : 0.0f);
		}
	}
}

// E5B9G9R9: three mantissas without a hidden bit, times two to the shared exponent less its bias and their bits.
static void read_row_shared_exponent(const image_reader *self, const uint8_t *row, float *out)
{
	for (size_t x = 0; x < self->width; x++)
	{
		uint32_t word;
		memcpy(&word, row + x * sizeof word, sizeof word);
		float scale = float_from_word((127u - 15u - 9u + (word >> 27)) << 23);
		for (uint32_t channel = 0; channel < 3; channel++)
		{
			out[x * CHANNELS + channel] = (float)(word >> 9 * channel & 511u) * scale;
		}
		out[x * CHANNELS + 3] = 1.0f;
	}
}

static bool is_plain_rgba8(const lrd_texture_format_row *row)
{
	return strcmp(row->layout, "r8g8b8a8") == 0;
}

static void read_texels(image_reader *self)
{
	size_t row_size = (size_t)self->width * self->row->block_bytes;
	for (uint32_t channel = 0; self->unorm8 && channel < CHANNELS; channel++)
	{
		uint32_t most = (1u << self->fields[channel].bits) - 1u;
		for (uint32_t value = 0; self->fields[channel].present && value <= most; value++)
		{
			self->codes[channel][value] = (uint8_t)((value * 255u + most / 2) / most);
		}
	}
	for (size_t y = 0; y < self->height; y++)
	{
		const uint8_t *row = self->bytes + y * row_size;
		void *out = self->texels + y * self->stride;
		if (self->unorm8 && is_plain_rgba8(self->row))
		{
			memcpy(out, row, row_size);
		}
		else if (self->unorm8)
		{
			read_row_unorm8(self, row, out);
		}
		else if (has_shared_exponent(self->row))
		{
			read_row_shared_exponent(self, row, out);
		}
		else
		{
			read_row_f32(self, row, out);
		}
	}
}

static void read_blocks(const image_reader *self)
{
	size_t texel = texel_size(self->unorm8 ? LRD_TEXELS_UNORM8 : LRD_TEXELS_F32);
	const uint8_t *block = self->bytes;
	for (uint64_t y = 0; y < self->height; y += 4)
	{
		for (uint64_t x = 0; x < self->width; x += 4, block += self->row->block_bytes)
		{
			union
			{
				uint8_t bytes[16 * CHANNELS * sizeof(float)];
				float values[16 * CHANNELS];
			} decoded;
			if (self->unorm8)
			{
				lrd_block_decode_unorm8(self->block, block, decoded.bytes);
			}
			else
			{
				lrd_block_decode_f32(self->block, block, decoded.values);
			}
			size_t columns = self->width - x < 4 ? (size_t)(self->width - x) : 4;
			size_t rows = self->height - y < 4 ? (size_t)(self->height - y) : 4;
			for (size_t i = 0; i < rows; i++)
			{
				memcpy(
					self->texels + (y + i) * self->stride + x * texel, decoded.bytes + 4 * i * texel, columns * texel);
			}
		}
	}
}

/// Move channels as KTXswizzle says.
static void swizzle(const image_reader *self, const char letters[5])
{
	static const char names[] = "rgba01";
	uint8_t from[CHANNELS];
	for (uint32_t channel = 0; channel < CHANNELS; channel++)
	{
		from[channel] = (uint8_t)(strchr(names, letters[channel]) - names);
	}
	for (size_t y = 0; y < self->height; y++)
	{
		uint8_t *codes = self->texels + y * self->stride;
		float *values = (float *)(void *)codes;
		for (size_t x = 0; x < self->width; x++)
		{
			if (self->unorm8)
			{
				uint8_t sources[] = { codes[4 * x], codes[4 * x + 1], codes[4 * x + 2], codes[4 * x + 3], 0, 255 };
				for (uint32_t channel = 0; channel < CHANNELS; channel++)
				{
					codes[4 * x + channel] = sources[from[channel]];
				}
			}
			else
			{
				float sources[] = { values[4 * x], values[4 * x + 1], values[4 * x + 2], values[4 * x + 3], 0.0f,
					1.0f };
				for (uint32_t channel = 0; channel < CHANNELS; channel++)
				{
					values[4 * x + channel] = sources[from[channel]];
				}
			}
		}
	}
}

// Which image.

static bool check_image(const lrd_texture_view *view, const lrd_texture_decode_desc *desc, lrd_error *error)
{
	uint32_t layers = view->layer_count > 0 ? view->layer_count : 1;
	uint32_t slices = lrd_texture_extent(view->depth, desc->level);
	if (desc->layer >= layers || desc->face >= view->face_count || desc->slice >= slices)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: layer %" PRIu32 ", face %" PRIu32 ", slice %" PRIu32 " of level %" PRIu32 ", which has %" PRIu32
			", %" PRIu32 " and %" PRIu32,
			desc->layer, desc->face, desc->slice, desc->level, layers, view->face_count, slices);
	}
	return true;
}

static bool check_decodable(const lrd_texture_view *view, lrd_error *error)
{
	lrd_texture_universal kind = lrd_texture_universal_kind(view);
	if (kind != LRD_TEXTURE_UNIVERSAL_NONE)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"ktx2: the texture is %s, a universal format, which needs transcoding", lrd_texture_universal_name(kind));
	}
	if (lrd_texture_decodes_to(view->format) == LRD_TEXELS_NONE)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"ktx2: the texture's format is %s, which the run time can't decode", lrd_texture_format_name(view->format));
	}
	return true;
}

static bool check_room(const image_reader *self, size_t texel, size_t size, lrd_error *error)
{
	size_t row = self->width * texel;
	uint64_t needed;
	if (self->stride < row || self->stride % (texel / CHANNELS) != 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: row_stride is %zu, must be at least %zu and a multiple of %zu", self->stride, row, texel / CHANNELS);
	}
	if (__builtin_mul_overflow((uint64_t)self->height - 1, (uint64_t)self->stride, &needed) ||
		__builtin_add_overflow(needed, (uint64_t)row, &needed) || needed > size)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: there is room for %zu bytes of texels, %" PRIu32 " rows of %zu are needed, %zu apart", size,
			self->height, row, self->stride);
	}
	return true;
}

static void decode_image(const lrd_texture_view *view, const lrd_texture_decode_desc *desc, image_reader *self,
	const void *level_bytes, uint64_t level_size)
{
	uint64_t layers = view->layer_count > 0 ? view->layer_count : 1;
	uint64_t slices = lrd_texture_extent(view->depth, desc->level);
	uint64_t image_size = level_size / (layers * view->face_count * slices);
	uint64_t image = ((uint64_t)desc->layer * view->face_count + desc->face) * slices + desc->slice;
	self->bytes = (const uint8_t *)level_bytes + image * image_size;
	if (self->block != NO_BLOCK)
	{
		read_blocks(self);
	}
	else
	{
		read_layout(has_shared_exponent(self->row) ? "" : self->row->layout, self->fields);
		read_texels(self);
	}
	char letters[5];
	lrd_texture_swizzle(view, letters);
	if (desc->apply_swizzle && strcmp(letters, "rgba") != 0)
	{
		swizzle(self, letters);
	}
}

/// Find the level's bytes without supercompression; `*owned` is memory to free.
static bool find_bytes(const lrd_texture_view *view, const lrd_texture_decode_desc *desc, const void **bytes,
	void **owned, lrd_error *error)
{
	const lrd_texture_level *level = &view->levels[desc->level];
	*owned = NULL;
	if (desc->level_bytes.data != NULL)
	{
		*bytes = desc->level_bytes.data;
		return desc->level_bytes.size == level->decoded_size ||
			   lrd_fail(error, LRD_ERROR_ARGUMENT,
				   "ktx2: level_bytes has %zu bytes, level %" PRIu32 " has %" PRIu64 " without supercompression",
				   desc->level_bytes.size, desc->level, level->decoded_size);
	}
	if (!lrd_ktx_check_level(view, desc->level, error))
	{
		return false;
	}
	*bytes = level->data;
	if (view->supercompression == LRD_SUPERCOMPRESSION_NONE)
	{
		return true;
	}
	*owned = lrd_alloc(desc->allocator, (size_t)level->decoded_size);
	if (*owned == NULL)
	{
		return lrd_fail_memory(error, "a texture's level", (size_t)level->decoded_size);
	}
	*bytes = *owned;
	if (!lrd_texture_decompress(view, desc->level, desc->allocator, *owned, (size_t)level->decoded_size, error))
	{
		lrd_free(desc->allocator, *owned, (size_t)level->decoded_size);
		return false;
	}
	return true;
}

bool lrd_texture_decode(
	const lrd_texture_view *view, const lrd_texture_decode_desc *desc, void *texels, size_t size, lrd_error *error)
{
	if (!check_decodable(view, error))
	{
		return false;
	}
	if (desc->level >= view->level_count)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: level %" PRIu32 " of a texture that has %" PRIu32,
			desc->level, view->level_count);
	}
	uint64_t decoded_size = lrd_texture_decoded_size(view, desc->level);
	if (decoded_size == 0 || decoded_size > SIZE_MAX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "ktx2: level %" PRIu32 " is larger than memory", desc->level);
	}
	lrd_texels type = lrd_texture_decodes_to(view->format);
	image_reader self = {
		.row = lrd_texture_format_find(view->format),
		.width = lrd_texture_extent(view->width, desc->level),
		.height = lrd_texture_extent(view->height, desc->level),
		.block = block_of(view->format),
		.unorm8 = type == LRD_TEXELS_UNORM8,
		.texels = texels,
		.stride = desc->row_stride,
	};
	size_t texel = texel_size(type);
	self.stride = self.stride > 0 ? self.stride : self.width * texel;
	const void *bytes;
	void *owned;
	if (!check_image(view, desc, error) || !check_room(&self, texel, size, error) ||
		!find_bytes(view, desc, &bytes, &owned, error))
	{
		return false;
	}
	uint64_t level_size = view->levels[desc->level].decoded_size;
	decode_image(view, desc, &self, bytes, level_size);
	lrd_free(desc->allocator, owned, (size_t)level_size);
	return true;
}
