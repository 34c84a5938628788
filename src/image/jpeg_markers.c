// The marker segments of a JPEG (ITU-T T.81, annex B) and the orientation in its EXIF block (EXIF 2.32, section 4.6; a
// TIFF 6.0 structure). Everything is bounded by the bytes at hand; what does not fit is passed over, since the decoder
// will say so.

#include "image/jpeg_markers.h"

#define TAG_ORIENTATION 274u
#define TIFF_SHORT 3u

typedef struct tiff
{
	const uint8_t *data;
	size_t size;
	bool big_endian;
} tiff;

static uint32_t tiff_u16(const tiff *file, size_t offset)
{
	const uint8_t *at = file->data + offset;
	return file->big_endian ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static uint32_t tiff_u32(const tiff *file, size_t offset)
{
	uint32_t first = tiff_u16(file, offset);
	uint32_t second = tiff_u16(file, offset + 2);
	return file->big_endian ? first << 16 | second : second << 16 | first;
}

// The orientation in IFD 0, or 1.
static uint32_t exif_orientation(const uint8_t *data, size_t size)
{
	tiff file = { data, size, size > 0 && data[0] == 'M' };
	if (size < 8 || memcmp(data, file.big_endian ? "MM" : "II", 2) != 0 || tiff_u16(&file, 2) != 42)
	{
		return 1;
	}
	size_t directory = tiff_u32(&file, 4);
	if (directory > size || size - directory < 2)
	{
		return 1;
	}
	size_t count = tiff_u16(&file, directory);
	size_t fitting = (size - directory - 2) / 12;
	count = count < fitting ? count : fitting;
	for (size_t i = 0; i < count; i++)
	{
		size_t entry = directory + 2 + 12 * i;
		if (tiff_u16(&file, entry) == TAG_ORIENTATION && tiff_u16(&file, entry + 2) == TIFF_SHORT)
		{
			uint32_t orientation = tiff_u16(&file, entry + 8);
			return orientation >= 1 && orientation <= 8 ? orientation : 1;
		}
	}
	return 1;
}

static bool is_frame(uint8_t marker)
{
	// SOF0..SOF15, without DHT, JPG and DAC, which share the range.
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static void read_segment(uint8_t marker, const uint8_t *payload, size_t size, lrd_jpeg_markers *markers)
{
	if (is_frame(marker) && size >= 6 && markers->frame == 0xff)
	{
		markers->frame = marker & 15u;
		markers->precision = payload[0];
		markers->height = (uint16_t)(payload[1] << 8 | payload[2]);
		markers->width = (uint16_t)(payload[3] << 8 | payload[4]);
		markers->components = payload[5];
	}
	else if (marker == 0xe1 && size > 6 && memcmp(payload, "Exif\0\0", 6) == 0 && markers->orientation == 1)
	{
		markers->orientation = exif_orientation(payload + 6, size - 6);
	}
	else if (marker == 0xee && size >= 12 && memcmp(payload, "Adobe", 5) == 0)
	{
		markers->has_adobe = true;
	}
	else if (marker == 0xda)
	{
		markers->scans++;
	}
}

// The offset of the code of the next marker, passing over fill bytes, entropy-coded data (where 0xff is followed by 0)
// and restarts.
static size_t next_marker(const uint8_t *data, size_t size, size_t offset)
{
	while (offset < size)
	{
		const uint8_t *found = memchr(data + offset, 0xff, size - offset);
		if (found == NULL)
		{
			return size;
		}
		offset = (size_t)(found - data);
		while (offset < size && data[offset] == 0xff)
		{
			offset++;
		}
		bool passes = offset < size && (data[offset] == 0 || (data[offset] >= 0xd0 && data[offset] <= 0xd7));
		if (!passes)
		{
			return offset;
		}
	}
	return size;
}

// A first scan that holds all components of a sequential picture is all that is decoded: what follows it, most of the
// file, need not be looked at.
static bool is_only_scan(const uint8_t *payload, size_t size, const lrd_jpeg_markers *markers)
{
	bool is_sequential = markers->frame == 0 || markers->frame == 1 || markers->frame == 9;
	return is_sequential && markers->scans == 1 && size != 0 && payload[0] == markers->components;
}

bool lrd_jpeg_markers_read(lrd_bytes bytes, bool before_scans, lrd_jpeg_markers *markers)
{
	const uint8_t *data = bytes.data;
	*markers = (lrd_jpeg_markers){ .frame = 0xff, .orientation = 1 };
	for (size_t offset = 2; (offset = next_marker(data, bytes.size, offset)) < bytes.size;)
	{
		uint8_t marker = data[offset++];
		if (marker == 0xd9) // EOI; what follows are other pictures or no pictures at all
		{
			break;
		}
		if (marker == 0xd8 || marker == 0x01) // SOI, TEM: no segment
		{
			continue;
		}
		size_t length = bytes.size - offset >= 2 ? (size_t)data[offset] << 8 | data[offset + 1] : 0;
		if (length < 2 || length > bytes.size - offset)
		{
			break;
		}
		read_segment(marker, data + offset + 2, length - 2, markers);
		if (marker == 0xda && (before_scans || is_only_scan(data + offset + 2, length - 2, markers)))
		{
			break;
		}
		offset += length;
	}
	return markers->frame != 0xff;
}
