// DDS headers: the legacy one with its pixel formats, the DX10 extension, and where each surface lies.

#include "base/error.h"
#include "base/stream.h"
#include "image/dds.h"

#include <stdio.h>

enum
{
	HEADER_SIZE = 124,

	HAS_ALPHA = 0x1, // of pixel formats
	IS_ALPHA = 0x2,
	IS_FOUR_CC = 0x4,
	IS_RGB = 0x40,
	IS_LUMINANCE = 0x20000,
	IS_BUMP_LUMINANCE = 0x40000, // U, V, and luminance
	IS_BUMP = 0x80000,           // U, V, W, Q

	IS_CUBE = 0x200, // of caps 2
	FACE_SHIFT = 10,
	ALL_FACES = 0x3f,
	IS_VOLUME = 0x200000,

	HAS_DEPTH = 0x800000, // of the header

	DX10_2D = 3, // resource dimensions
	DX10_1D = 2,
	DX10_3D = 4,
	DX10_CUBE = 0x4,
	DX10_ALPHA_MODE = 0x7,
	DX10_PREMULTIPLIED = 2,
	DX10_OPAQUE = 3,
};

typedef struct pixel_format
{
	uint32_t size, flags, four_cc, bits;
	uint32_t masks[4];
} pixel_format;

typedef struct dds_header
{
	uint32_t size, flags, height, width, depth, levels;
	pixel_format pixels;
	uint32_t caps_2;
} dds_header;

static void read_fields(lrd_reader *reader, dds_header *header)
{
	header->size = lrd_read_u32(reader);
	header->flags = lrd_read_u32(reader);
	header->height = lrd_read_u32(reader);
	header->width = lrd_read_u32(reader);
	lrd_read_u32(reader); // pitch: writers disagree on it, and it follows from the format
	header->depth = lrd_read_u32(reader);
	header->levels = lrd_read_u32(reader);
	lrd_read_bytes(reader, 11 * 4);
	header->pixels.size = lrd_read_u32(reader);
	header->pixels.flags = lrd_read_u32(reader);
	header->pixels.four_cc = lrd_read_u32(reader);
	header->pixels.bits = lrd_read_u32(reader);
	for (int c = 0; c < 4; c++)
	{
		header->pixels.masks[c] = lrd_read_u32(reader);
	}
	lrd_read_u32(reader); // caps: say nothing that the rest does not
	header->caps_2 = lrd_read_u32(reader);
	lrd_read_bytes(reader, 3 * 4);
}

static unsigned mask_width(uint32_t mask)
{
	return (unsigned)__builtin_popcount(mask);
}

static unsigned mask_shift(uint32_t mask)
{
	return (unsigned)__builtin_ctz(mask);
}

// One run of at most 16 bits, within the texel.
static bool mask_is_sound(uint32_t mask, uint32_t bits)
{
	if (mask == 0)
	{
		return true;
	}
	uint32_t run = mask >> mask_shift(mask);
	return (run & (run + 1u)) == 0 && run <= 0xffff && (bits == 32 || mask >> bits == 0);
}

// "B5G6R5_UNORM": channels by where they lie, lowest first.
static void name_masks(const pixel_format *pixels, lrd_dds_format *format)
{
	const char *letters = format->signed_masks != 0 ? "UVWQ" : format->luminance ? "LLLA" : "RGBA";
	size_t length = 0;
	for (unsigned bit = 0; bit < 32; bit++)
	{
		for (unsigned c = 0; c < 4; c++)
		{
			if (format->masks[c] != 0 && mask_shift(format->masks[c]) == bit)
			{
				char letter = (pixels->flags & IS_BUMP_LUMINANCE) != 0 && c == 2 ? 'L' : letters[c];
				length += (size_t)snprintf(
					format->name + length, sizeof format->name - length, "%c%u", letter, mask_width(format->masks[c]));
			}
		}
	}
	snprintf(format->name + length, sizeof format->name - length, format->signed_masks != 0 ? "_SNORM" : "_UNORM");
}

static bool read_masks(const pixel_format *pixels, lrd_dds_format *format, lrd_error *error)
{
	const uint32_t *masks = pixels->masks;
	*format = (lrd_dds_format){ .packing = LRD_DDS_MASKS, .size = (uint8_t)(pixels->bits / 8) };
	bool has_alpha = (pixels->flags & (HAS_ALPHA | IS_ALPHA)) != 0;
	if ((pixels->flags & (IS_RGB | IS_BUMP | IS_BUMP_LUMINANCE)) != 0)
	{
		memcpy(format->masks, masks, sizeof format->masks);
	}
	else if ((pixels->flags & IS_LUMINANCE) != 0)
	{
		format->masks[0] = masks[0];
		format->luminance = true;
	}
	format->masks[3] = has_alpha || (pixels->flags & IS_BUMP) != 0 ? masks[3] : 0;
	if ((pixels->flags & IS_BUMP_LUMINANCE) != 0)
	{
		format->signed_masks = 3;
	}
	else if ((pixels->flags & IS_BUMP) != 0)
	{
		// Q of Q8W8V8U8 is signed, A of A2W10V10U10 is not.
		format->signed_masks = masks[3] != 0 && mask_width(masks[3]) == mask_width(masks[0]) ? 15 : 7;
	}
	bool sound = pixels->bits % 8 == 0 && pixels->bits >= 8 && pixels->bits <= 32;
	uint32_t together = 0;
	for (unsigned c = 0; c < 4; c++)
	{
		sound = sound && mask_is_sound(format->masks[c], pixels->bits) && (together & format->masks[c]) == 0;
		together |= format->masks[c];
		format->channels = format->masks[c] != 0 ? (uint8_t)(c + 1) : format->channels;
	}
	if (!sound || together == 0)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"a pixel format of %u bits with masks %08x %08x %08x %08x; expected 8, 16, 24 or 32 bits, and separate "
			"masks "
			"of 1 to 16 bits each",
			pixels->bits, masks[0], masks[1], masks[2], masks[3]);
	}
	format->channels = format->luminance && has_alpha ? 2 : format->channels;
	name_masks(pixels, format);
	return true;
}

static bool read_legacy_format(const pixel_format *pixels, lrd_dds *info, lrd_error *error)
{
	if ((pixels->flags & IS_FOUR_CC) != 0)
	{
		if (lrd_dds_format_of_four_cc(pixels->four_cc, &info->format, &info->premultiplied))
		{
			return true;
		}
		char text[5] = "";
		memcpy(text, &pixels->four_cc, 4);
		for (int i = 0; i < 4; i++)
		{
			text[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
		}
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"pixel format %u (\"%s\"), which larder does not read; expected DXT1 to DXT5, ATI1, ATI2, BC4U to BC5S, a "
			"D3DFORMAT "
			"of 16-bit or 32-bit channels, or DX10",
			pixels->four_cc, text);
	}
	if ((pixels->flags & (IS_ALPHA | IS_RGB | IS_LUMINANCE | IS_BUMP | IS_BUMP_LUMINANCE)) == 0)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"pixel format flags %08x: neither FourCC, RGB, luminance, alpha nor bumps; palettes and YUV are not read",
			pixels->flags);
	}
	return read_masks(pixels, &info->format, error);
}

static bool read_legacy(const dds_header *header, lrd_dds *info, lrd_error *error)
{
	if (!read_legacy_format(&header->pixels, info, error))
	{
		return false;
	}
	if ((header->caps_2 & IS_VOLUME) != 0)
	{
		info->kind = LRD_DDS_VOLUME;
		info->depth = header->depth;
	}
	else if ((header->caps_2 & IS_CUBE) != 0)
	{
		uint32_t faces = header->caps_2 >> FACE_SHIFT & ALL_FACES;
		if (faces != ALL_FACES)
		{
			return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "a cube map with %d of its 6 faces; expected all of them",
				__builtin_popcount(faces));
		}
		info->kind = LRD_DDS_CUBE;
		info->faces = 6;
	}
	return true;
}

static bool read_dx10(lrd_reader *reader, const dds_header *header, lrd_dds *info, lrd_error *error)
{
	uint32_t dxgi = lrd_read_u32(reader);
	uint32_t dimension = lrd_read_u32(reader);
	uint32_t flags = lrd_read_u32(reader);
	uint32_t layers = lrd_read_u32(reader);
	uint32_t alpha_mode = lrd_read_u32(reader) & DX10_ALPHA_MODE;
	if (reader->failed)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "truncated: the DX10 header ends behind byte %zu", reader->size);
	}
	if (!lrd_dds_format_of_dxgi(dxgi, &info->format))
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "DXGI format %u, which larder does not read", dxgi);
	}
	if (dimension < DX10_1D || dimension > DX10_3D || layers == 0 || (dimension == DX10_3D && layers != 1))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"resource dimension %u with an array of %u; expected 2 (1D), 3 (2D) or 4 (3D, not in arrays)", dimension,
			layers);
	}
	info->has_dx10 = true;
	info->layers = layers;
	info->premultiplied = alpha_mode == DX10_PREMULTIPLIED;
	info->format.opaque = info->format.opaque || alpha_mode == DX10_OPAQUE;
	if (dimension == DX10_1D)
	{
		info->height = 1;
	}
	if (dimension == DX10_2D && (flags & DX10_CUBE) != 0)
	{
		info->kind = LRD_DDS_CUBE;
		info->faces = 6;
	}
	if (dimension == DX10_3D)
	{
		info->kind = LRD_DDS_VOLUME;
		info->depth = (header->flags & HAS_DEPTH) != 0 ? header->depth : 0;
	}
	return true;
}

uint32_t lrd_dds_side(uint32_t side, uint32_t level)
{
	uint32_t halved = level < 32 ? side >> level : 0;
	return halved != 0 ? halved : 1;
}

// Bytes of one slice of a level; UINT64_MAX when that is beyond 64 bits.
static uint64_t slice_size(const lrd_dds *info, uint32_t level)
{
	uint64_t columns = lrd_dds_side(info->width, level);
	uint64_t rows = lrd_dds_side(info->height, level);
	if (info->format.packing == LRD_DDS_BLOCKS)
	{
		columns = (columns + 3) / 4;
		rows = (rows + 3) / 4;
	}
	else if (info->format.packing == LRD_DDS_RG_BG || info->format.packing == LRD_DDS_GR_GB)
	{
		columns = (columns + 1) / 2;
	}
	uint64_t size;
	return __builtin_mul_overflow(columns * rows, (uint64_t)info->format.size, &size) ? UINT64_MAX : size;
}

static uint64_t level_size(const lrd_dds *info, uint32_t level)
{
	uint64_t size;
	bool over = __builtin_mul_overflow(slice_size(info, level), (uint64_t)lrd_dds_side(info->depth, level), &size);
	return over ? UINT64_MAX : size;
}

static void add_sizes(lrd_dds *info)
{
	info->chain_size = 0;
	bool over = false;
	for (uint32_t level = 0; level < info->levels; level++)
	{
		over |= __builtin_add_overflow(info->chain_size, level_size(info, level), &info->chain_size);
	}
	over |= __builtin_mul_overflow(info->chain_size, (uint64_t)info->layers * info->faces, &info->size);
	if (over)
	{
		info->chain_size = UINT64_MAX;
		info->size = UINT64_MAX;
	}
}

static bool check_shape(const lrd_dds *info, lrd_error *error)
{
	if (info->width == 0 || info->height == 0 || info->depth == 0)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "the header says %u x %u x %u texels; expected at least 1 x 1 x 1",
			info->width, info->height, info->depth);
	}
	uint32_t most = 32u - (unsigned)__builtin_clz(info->width | info->height | info->depth);
	if (info->levels > most)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%u mip levels; %u x %u x %u texels have at most %u", info->levels,
			info->width, info->height, info->depth, most);
	}
	return true;
}

bool lrd_dds_read_header(lrd_bytes bytes, lrd_dds *info, lrd_error *error)
{
	lrd_reader reader = lrd_reader_from(bytes.data, bytes.size);
	const uint8_t *magic = lrd_read_bytes(&reader, 4);
	if (magic == NULL || memcmp(magic, "DDS ", 4) != 0)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "does not begin with \"DDS \"");
	}
	dds_header header;
	read_fields(&reader, &header);
	if (reader.failed)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "truncated: %zu bytes; the header takes 128", bytes.size);
	}
	if (header.size != HEADER_SIZE)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "the header says that it has %u bytes; expected %d", header.size, HEADER_SIZE);
	}
	lrd_dds read = {
		.width = header.width,
		.height = header.height,
		.depth = 1,
		.layers = 1,
		.faces = 1,
		.levels = header.levels != 0 ? header.levels : 1,
		.bytes = bytes,
	};
	bool is_dx10 = (header.pixels.flags & IS_FOUR_CC) != 0 && header.pixels.four_cc == 0x30315844u; // "DX10"
	if (!(is_dx10 ? read_dx10(&reader, &header, &read, error) : read_legacy(&header, &read, error)) ||
		!check_shape(&read, error))
	{
		return false;
	}
	read.header_size = reader.position;
	add_sizes(&read);
	*info = read;
	return true;
}

bool lrd_dds_open(lrd_bytes bytes, lrd_dds *info, lrd_error *error)
{
	lrd_dds read;
	if (!lrd_dds_read_header(bytes, &read, error))
	{
		return false;
	}
	if (read.size > bytes.size - read.header_size)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"truncated: %zu bytes behind the header; %u x %u x %u texels of %s, %u levels, %u layers of %u faces take "
			"%llu",
			bytes.size - read.header_size, read.width, read.height, read.depth, read.format.name, read.levels,
			read.layers, read.faces, (unsigned long long)read.size);
	}
	*info = read;
	return true;
}

lrd_bytes lrd_dds_surface(const lrd_dds *info, uint32_t level, uint32_t layer, uint32_t face)
{
	if (level >= info->levels || layer >= info->layers || face >= info->faces)
	{
		return (lrd_bytes){ 0 };
	}
	// No overflow: all of it lies within the bytes.
	uint64_t at = info->header_size + ((uint64_t)layer * info->faces + face) * info->chain_size;
	for (uint32_t i = 0; i < level; i++)
	{
		at += level_size(info, i);
	}
	return (lrd_bytes){ (const uint8_t *)info->bytes.data + at, (size_t)level_size(info, level) };
}
