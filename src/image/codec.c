// Which codec a file is for, by its content. Extensions play no part: artists rename files.

#include "image/codec.h"

static bool begins_with(lrd_bytes bytes, const char *magic, size_t size)
{
	return bytes.size >= size && memcmp(bytes.data, magic, size) == 0;
}

static bool is_webp(lrd_bytes bytes)
{
	return bytes.size >= 12 && begins_with(bytes, "RIFF", 4) && memcmp((const uint8_t *)bytes.data + 8, "WEBP", 4) == 0;
}

// "BM" alone begins many texts, so the second header's size must be one that BMP has had.
static bool is_bmp(lrd_bytes bytes)
{
	if (bytes.size < 26 || !begins_with(bytes, "BM", 2))
	{
		return false;
	}
	const uint8_t *header_size = (const uint8_t *)bytes.data + 14;
	bool small = header_size[1] == 0 && header_size[2] == 0 && header_size[3] == 0;
	return small && header_size[0] >= 12 && header_size[0] <= 124;
}

static bool tga_depths_agree(uint32_t kind, bool has_map, uint32_t map_depth, uint32_t depth)
{
	switch (kind)
	{
	case 1:
		return has_map && (depth == 8 || depth == 16) &&
			   (map_depth == 15 || map_depth == 16 || map_depth == 24 || map_depth == 32);
	case 2: return depth == 15 || depth == 16 || depth == 24 || depth == 32;
	case 3: return depth == 8 || depth == 16;
	default: return false;
	}
}

// TGA has no magic in front. "Truevision TGA File Format Specification", version 2.0, "TGA File Header": every field
// that constrains another must agree.
static bool is_tga(lrd_bytes bytes)
{
	if (bytes.size < 18)
	{
		return false;
	}
	const uint8_t *header = bytes.data;
	uint32_t map_kind = header[1];
	uint32_t image_kind = header[2];
	bool interleaved = (header[17] & 0xc0) != 0;
	bool has_size = (header[12] | header[13]) != 0 && (header[14] | header[15]) != 0;
	if (map_kind > 1 || (image_kind & ~8u) == 0 || (image_kind & ~8u) > 3 || interleaved || !has_size)
	{
		return false;
	}
	return (header[17] & 0x0f) <= 8 && tga_depths_agree(image_kind & 7u, map_kind == 1, header[7], header[16]);
}

lrd_image_codec lrd_image_codec_of(const void *data, size_t size)
{
	lrd_bytes bytes = { data, size };
	if (begins_with(bytes, "\x89PNG\r\n\x1a\n", 8))
	{
		return LRD_CODEC_PNG;
	}
	if (begins_with(bytes, "\xff\xd8\xff", 3))
	{
		return LRD_CODEC_JPEG;
	}
	if (is_webp(bytes))
	{
		return LRD_CODEC_WEBP;
	}
	if (begins_with(bytes, "8BPS", 4))
	{
		return LRD_CODEC_PSD;
	}
	if (begins_with(bytes, "\x76\x2f\x31\x01", 4))
	{
		return LRD_CODEC_EXR;
	}
	if (begins_with(bytes, "#?RADIANCE", 10) || begins_with(bytes, "#?RGBE", 6))
	{
		return LRD_CODEC_HDR;
	}
	if (begins_with(bytes, "DDS ", 4))
	{
		return LRD_CODEC_DDS;
	}
	if (is_bmp(bytes))
	{
		return LRD_CODEC_BMP;
	}
	return is_tga(bytes) ? LRD_CODEC_TGA : LRD_CODEC_UNKNOWN;
}

const char *lrd_image_codec_name(lrd_image_codec codec)
{
	switch (codec)
	{
	case LRD_CODEC_PNG: return "PNG";
	case LRD_CODEC_JPEG: return "JPEG";
	case LRD_CODEC_WEBP: return "WebP";
	case LRD_CODEC_TGA: return "TGA";
	case LRD_CODEC_BMP: return "BMP";
	case LRD_CODEC_PSD: return "PSD";
	case LRD_CODEC_HDR: return "HDR";
	case LRD_CODEC_EXR: return "EXR";
	case LRD_CODEC_DDS: return "DDS";
	case LRD_CODEC_UNKNOWN: break;
	}
	return "unknown";
}
