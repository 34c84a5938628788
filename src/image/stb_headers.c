// TGA headers by the "Truevision TGA File Format Specification", version 2.0; BMP headers by Microsoft's "Bitmap
// Storage" pages (BITMAPFILEHEADER, BITMAPCOREHEADER, BITMAPINFOHEADER and its V4 and V5 extensions).

#include "image/stb_headers.h"

#include "base/error.h"
#include "base/stream.h"

#include <limits.h>

typedef struct tga_header
{
	uint32_t id_size, map_kind, kind, map_first, map_count, map_depth, width, height, depth, descriptor;
} tga_header;

static tga_header read_tga_header(lrd_bytes bytes)
{
	lrd_reader reader = lrd_reader_from(bytes.data, bytes.size);
	tga_header header;
	header.id_size = lrd_read_u8(&reader);
	header.map_kind = lrd_read_u8(&reader);
	header.kind = lrd_read_u8(&reader);
	header.map_first = lrd_read_u16(&reader);
	header.map_count = lrd_read_u16(&reader);
	header.map_depth = lrd_read_u8(&reader);
	(void)lrd_read_u32(&reader); // where on the screen
	header.width = lrd_read_u16(&reader);
	header.height = lrd_read_u16(&reader);
	header.depth = lrd_read_u8(&reader);
	header.descriptor = lrd_read_u8(&reader);
	return header;
}

bool lrd_tga_measure(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	tga_header header = read_tga_header(bytes);
	uint32_t kind = header.kind & 7u;
	if (header.map_kind == 1 && (kind != 1 || header.map_first != 0))
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			kind != 1 ? "a colour map in a picture that has no use for it" : "a colour map that does not begin at 0");
	}
	uint32_t depth = kind == 1 ? header.map_depth : header.depth;
	uint32_t texel_size = (header.depth + 7) / 8;
	uint64_t texels = (uint64_t)header.width * header.height;
	layout->width = header.width;
	layout->height = header.height;
	layout->source_channels = depth == 8 ? 1 : depth == 32 ? 4 : kind == 3 ? 2 : 3;
	layout->orientation = (header.descriptor & 0x10u) != 0 ? 2 : 1; // bit 4: right to left; stb_image knows only bit 5
	layout->least_size = 18 + header.id_size;
	layout->least_size += header.map_kind == 1 ? (uint64_t)header.map_count * ((header.map_depth + 7) / 8) : 0;
	bool is_packed = (header.kind & 8u) != 0; // a packet of up to 128 texels costs at least its count and one texel
	layout->least_size += is_packed ? (texels + 127) / 128 * (1 + texel_size) : texels * texel_size;
	return true;
}

bool lrd_tga_denies_alpha(lrd_bytes bytes)
{
	return (read_tga_header(bytes).descriptor & 15u) == 0;
}

typedef struct bmp_header
{
	uint32_t pixels, size, width, height, depth, compression;
	bool fails; // cut off, or sides that no picture has
} bmp_header;

static bmp_header read_bmp_header(lrd_bytes bytes)
{
	lrd_reader reader = lrd_reader_from(bytes.data, bytes.size);
	bmp_header header = { 0 };
	(void)lrd_read_bytes(&reader, 10);
	header.pixels = lrd_read_u32(&reader);
	header.size = lrd_read_u32(&reader);
	bool is_core = header.size == 12;
	header.width = is_core ? lrd_read_u16(&reader) : lrd_read_u32(&reader);
	header.height = is_core ? lrd_read_u16(&reader) : lrd_read_u32(&reader);
	(void)lrd_read_u16(&reader);
	header.depth = lrd_read_u16(&reader);
	header.compression = is_core ? 0 : lrd_read_u32(&reader);
	header.fails = reader.failed || header.height == (uint32_t)INT_MIN || header.width > INT_MAX ||
				   header.pixels < 14 + header.size || header.pixels > INT_MAX;
	if (header.height > INT_MAX) // negative: rows from the top
	{
		header.height = 0u - header.height;
	}
	return header;
}

static uint64_t bmp_row_size(const bmp_header *header)
{
	return ((uint64_t)header->width * header->depth + 7) / 8;
}

static bool check_bmp(const bmp_header *header, lrd_error *error)
{
	if (header->fails)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "damaged header: %u x %u texels, pixels at byte %u", header->width,
			header->height, header->pixels);
	}
	bool known_size =
		header->size == 12 || header->size == 40 || header->size == 56 || header->size == 108 || header->size == 124;
	bool known_depth = header->depth == 1 || header->depth == 4 || header->depth == 8 || header->depth == 16 ||
					   header->depth == 24 || header->depth == 32;
	// OS/2 palettes have three bytes an entry, which stb_image miscounts.
	if (!known_size || !known_depth || (header->size == 12 && header->depth != 24))
	{
		return lrd_fail(
			error, LRD_ERROR_UNSUPPORTED, "a header of %u bytes with %u bits a texel", header->size, header->depth);
	}
	if (header->compression != 0 && header->compression != 3)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "compression %u; uncompressed and bit-field pictures are read",
			header->compression);
	}
	return true;
}

bool lrd_bmp_measure(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	bmp_header header = read_bmp_header(bytes);
	if (!check_bmp(&header, error))
	{
		return false;
	}
	layout->width = header.width;
	layout->height = header.height;
	layout->source_channels = 3;
	uint64_t row = bmp_row_size(&header);
	uint64_t stride = (row + 3) & ~3ull;
	if (header.height != 0)
	{
		layout->least_size = header.pixels + stride * (header.height - 1) + row; // below 2^36 * 2^31: no overflow
	}
	return true;
}

bool lrd_bmp_check_indices(lrd_bytes bytes, const lrd_image_layout *layout, lrd_error *error)
{
	bmp_header header = read_bmp_header(bytes);
	uint32_t entries = (header.pixels - 14 - header.size) / 4;
	if (header.depth > 8 || entries >= 1u << header.depth)
	{
		return true;
	}
	uint64_t stride = (bmp_row_size(&header) + 3) & ~3ull;
	uint32_t per_byte = 8 / header.depth;
	for (uint32_t y = 0; y < layout->height; y++)
	{
		const uint8_t *row = (const uint8_t *)bytes.data + header.pixels + y * stride;
		for (uint32_t x = 0; x < layout->width; x++)
		{
			uint32_t byte = row[x / per_byte];
			uint32_t index = byte >> (8 - header.depth * (x % per_byte + 1)) & ((1u << header.depth) - 1u);
			if (index >= entries)
			{
				return lrd_fail(error, LRD_ERROR_FORMAT,
					"stored row %u, texel %u: index %u, but the palette has %u entries", y, x, index, entries);
			}
		}
	}
	return true;
}
