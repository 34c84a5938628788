// PSD: the composite that Photoshop keeps beside the layers; grey, indexed, RGB and CMYK at 8 and 16 bits, raw or
// run-length encoded. Read here rather than by stb_image, which takes white out of every picture with a fourth channel:
// right where that channel is the transparency of the layers, ruinous where it is a mask that the artist saved. Format:
// "Adobe Photoshop File Formats Specification", November 2019, "Photoshop File Format".

#include "base/error.h"
#include "image/codec.h"

#define HEADER_SIZE 26u
#define PALETTE_SIZE 768u

enum
{
	MODE_GREY = 1,
	MODE_INDEXED = 2,
	MODE_RGB = 3,
	MODE_CMYK = 4,
	MODE_DUOTONE = 8, // the grey beneath is all that the format lets other programs read
};

typedef struct psd
{
	uint32_t mode, depth, channels;
	uint32_t width, height;
	uint32_t compression;
	uint32_t colors; // channels of colour: 1, 3 or 4; what follows is alpha
	bool is_matted;  // the alpha channel is the layers' transparency, over white
	const uint8_t *palette;
	size_t counts; // offset of the rows' packed sizes
	size_t rows;   // offset of the rows
} psd;

static uint32_t be16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t be32(const uint8_t *at)
{
	return be16(at) << 16 | be16(at + 2);
}

// A length and as many bytes. On success `offset` is behind them.
static bool take_section(lrd_bytes bytes, size_t *offset, size_t *begin, size_t *size)
{
	if (bytes.size - *offset < 4)
	{
		return false;
	}
	*size = be32((const uint8_t *)bytes.data + *offset);
	*begin = *offset + 4;
	if (*size > bytes.size - *begin)
	{
		return false;
	}
	*offset = *begin + *size;
	return true;
}

static bool check_kind(const psd *file, uint32_t version, lrd_error *error)
{
	if (version != 1)
	{
		return lrd_fail(
			error, LRD_ERROR_UNSUPPORTED, "version %u; 1 is read (2 is PSB, the large document format)", version);
	}
	if (file->colors == 0 || (file->depth != 8 && file->depth != 16) ||
		(file->mode == MODE_INDEXED && file->depth != 8))
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"colour mode %u at %u bits; grey, indexed, RGB and CMYK of 8 or 16 bits are read", file->mode, file->depth);
	}
	if (file->channels < file->colors)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%u channels; colour mode %u has at least %u", file->channels,
			file->mode, file->colors);
	}
	return true;
}

static uint32_t colors_of(uint32_t mode)
{
	switch (mode)
	{
	case MODE_GREY:
	case MODE_INDEXED:
	case MODE_DUOTONE: return 1;
	case MODE_RGB: return 3;
	case MODE_CMYK: return 4;
	default: return 0;
	}
}

static bool read_sections(lrd_bytes bytes, psd *file, lrd_error *error)
{
	const uint8_t *data = bytes.data;
	size_t offset = HEADER_SIZE;
	size_t palette, palette_size, resources, resources_size, layers, layers_size;
	if (!take_section(bytes, &offset, &palette, &palette_size) ||
		!take_section(bytes, &offset, &resources, &resources_size) ||
		!take_section(bytes, &offset, &layers, &layers_size) || bytes.size - offset < 2)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "truncated: a section reaches past the %zu bytes there are", bytes.size);
	}
	if (file->mode == MODE_INDEXED && palette_size != PALETTE_SIZE)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "a palette of %zu bytes; expected %u", palette_size, PALETTE_SIZE);
	}
	file->palette = file->mode == MODE_INDEXED ? data + palette : NULL;
	// "Layer info": a length, then the count of layers; negative says that the first alpha channel is the merged
	// transparency.
	file->is_matted = layers_size >= 6 && be32(data + layers) >= 2 && (data[layers + 4] & 0x80u) != 0;
	file->compression = be16(data + offset);
	if (file->compression > 1)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "compression %u of the composite; raw (0) and runs (1) are read",
			file->compression);
	}
	file->counts = offset + 2;
	return true;
}

static bool read_header(lrd_bytes bytes, psd *file, lrd_error *error)
{
	const uint8_t *data = bytes.data;
	if (bytes.size < HEADER_SIZE)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "truncated: %zu bytes; the header has %u", bytes.size, HEADER_SIZE);
	}
	*file = (psd){ .channels = be16(data + 12),
		.height = be32(data + 14),
		.width = be32(data + 18),
		.depth = be16(data + 22),
		.mode = be16(data + 24) };
	file->colors = colors_of(file->mode);
	return check_kind(file, be16(data + 4), error) && read_sections(bytes, file, error);
}

// Channels of the composite that are shown: the colours, and one of alpha.
static uint32_t shown_channels(const psd *file)
{
	return file->channels > file->colors ? file->colors + 1 : file->colors;
}

static bool measure_psd(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	psd file;
	if (!read_header(bytes, &file, error))
	{
		return false;
	}
	layout->width = file.width;
	layout->height = file.height;
	layout->type = file.depth == 16 ? LRD_PIXEL_UNORM16 : LRD_PIXEL_UNORM8;
	uint32_t colors = file.mode == MODE_INDEXED || file.mode == MODE_CMYK ? 3 : file.colors;
	layout->source_channels = colors + (file.channels > file.colors ? 1 : 0);
	uint64_t row = (uint64_t)file.width * file.depth / 8;
	uint64_t rows = (uint64_t)file.height * shown_channels(&file);
	// Two bytes stand for at most 128; each row has its size of two bytes in front.
	uint64_t least_row = file.compression != 0 ? 2 + (row + 127) / 128 * 2 : row;
	uint64_t least;
	bool overflows = __builtin_mul_overflow(least_row, rows, &least);
	layout->least_size = overflows || least > UINT64_MAX - file.counts ? UINT64_MAX : file.counts + least;
	return true;
}

// PackBits: n from 0 to 127: n + 1 bytes follow; -1 to -127: the next byte 1 - n times; -128: nothing.
static bool unpack_row(const uint8_t *packed, size_t packed_size, uint8_t *row, size_t row_size)
{
	size_t from = 0;
	size_t to = 0;
	while (to < row_size && from < packed_size)
	{
		uint32_t control = packed[from++];
		if (control == 128)
		{
			continue;
		}
		bool is_run = control > 128;
		size_t count = is_run ? 257 - control : control + 1;
		if (count > row_size - to || (is_run ? 1 : count) > packed_size - from)
		{
			return false;
		}
		if (is_run)
		{
			memset(row + to, packed[from], count);
		}
		else
		{
			memcpy(row + to, packed + from, count);
		}
		from += is_run ? 1 : count;
		to += count;
	}
	return to == row_size;
}

// A channel's row into one component of a row of texels; grey goes into three.
static void scatter(const psd *file, uint32_t channel, const uint8_t *row, size_t first, void *pixels)
{
	uint32_t slot = channel >= file->colors ? 3 : channel;
	uint32_t copies = file->colors == 1 && channel == 0 ? 3 : 1;
	for (size_t x = 0; x < file->width; x++)
	{
		for (uint32_t copy = 0; copy < copies; copy++)
		{
			size_t at = 4 * (first + x) + slot + copy;
			if (file->depth == 16)
			{
				((uint16_t *)pixels)[at] = (uint16_t)be16(row + 2 * x);
			}
			else
			{
				((uint8_t *)pixels)[at] =
					file->palette != NULL && slot != 3 ? file->palette[256 * copy + row[x]] : row[x];
			}
		}
	}
}

static uint32_t get(const psd *file, const void *pixels, size_t at)
{
	return file->depth == 16 ? ((const uint16_t *)pixels)[at] : ((const uint8_t *)pixels)[at];
}

static void set(const psd *file, void *pixels, size_t at, uint32_t value)
{
	if (file->depth == 16)
	{
		((uint16_t *)pixels)[at] = (uint16_t)value;
	}
	else
	{
		((uint8_t *)pixels)[at] = (uint8_t)value;
	}
}

// The fourth component holds black when this begins, and is opaque when it ends. Values are what ink leaves over.
static void cmyk_to_rgb(const psd *file, void *pixels)
{
	uint32_t full = file->depth == 16 ? 65535 : 255;
	size_t components = 4 * (size_t)file->width * file->height;
	for (size_t at = 0; at < components; at += 4)
	{
		uint64_t black = get(file, pixels, at + 3);
		for (size_t channel = 0; channel < 3; channel++)
		{
			set(file, pixels, at + channel, (uint32_t)((get(file, pixels, at + channel) * black + full / 2) / full));
		}
		set(file, pixels, at + 3, full);
	}
}

static void make_opaque(const psd *file, void *pixels)
{
	size_t components = 4 * (size_t)file->width * file->height;
	for (size_t at = 3; at < components; at += 4)
	{
		set(file, pixels, at, file->depth == 16 ? 65535 : 255);
	}
}

// The composite lies over white where layers are transparent: c = a * colour + (1 - a) * white.
static void remove_matte(const psd *file, void *pixels)
{
	int64_t full = file->depth == 16 ? 65535 : 255;
	size_t components = 4 * (size_t)file->width * file->height;
	for (size_t at = 0; at < components; at += 4)
	{
		int64_t alpha = get(file, pixels, at + 3);
		for (size_t channel = 0; channel < 3 && alpha != 0; channel++)
		{
			int64_t covered = get(file, pixels, at + channel) - (full - alpha);
			int64_t color = covered > 0 ? (covered * full + alpha / 2) / alpha : 0;
			set(file, pixels, at + channel, (uint32_t)(color < full ? color : full));
		}
	}
}

// All rows of a channel; `offset` moves behind them.
static bool read_channel(lrd_bytes bytes, const psd *file, uint32_t channel, size_t *offset, uint8_t *unpacked,
	void *pixels, lrd_error *error)
{
	const uint8_t *data = bytes.data;
	size_t row_size = (size_t)file->width * file->depth / 8;
	for (uint32_t y = 0; y < file->height; y++)
	{
		size_t row_index = (size_t)channel * file->height + y;
		size_t stored = file->compression != 0 ? be16(data + file->counts + 2 * row_index) : row_size;
		bool sound = stored <= bytes.size - *offset;
		if (sound && file->compression != 0)
		{
			sound = unpack_row(data + *offset, stored, unpacked, row_size);
		}
		if (!sound)
		{
			return lrd_fail(error, LRD_ERROR_FORMAT, "row %u of channel %u, at byte %zu, is damaged or cut off", y,
				channel, *offset);
		}
		scatter(file, channel, file->compression != 0 ? unpacked : data + *offset, (size_t)y * file->width, pixels);
		*offset += stored;
	}
	return true;
}

static bool read_channels(lrd_bytes bytes, const psd *file, uint8_t *unpacked, void *pixels, lrd_error *error)
{
	size_t offset = file->rows;
	for (uint32_t channel = 0; channel < shown_channels(file); channel++)
	{
		if (!read_channel(bytes, file, channel, &offset, unpacked, pixels, error))
		{
			return false;
		}
		if (channel + 1 == file->colors)
		{
			file->mode == MODE_CMYK ? cmyk_to_rgb(file, pixels) : make_opaque(file, pixels);
		}
	}
	if (file->is_matted && file->channels > file->colors)
	{
		remove_matte(file, pixels);
	}
	return true;
}

static bool decode_psd(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	psd file;
	if (!read_header(bytes, &file, error))
	{
		return false;
	}
	size_t counts_size = file.compression != 0 ? 2 * (size_t)file.channels * file.height : 0;
	if (counts_size > bytes.size - file.counts)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "truncated in the table of row sizes");
	}
	file.rows = file.counts + counts_size;
	size_t row_size = (size_t)layout->width * file.depth / 8;
	uint8_t *unpacked = lrd_alloc(allocator, row_size);
	if (unpacked == NULL)
	{
		return lrd_fail_memory(error, "row", row_size);
	}
	bool decoded = read_channels(bytes, &file, unpacked, pixels, error);
	lrd_free(allocator, unpacked, row_size);
	return decoded;
}

const lrd_image_decoder lrd_psd_decoder = { measure_psd, decode_psd };
