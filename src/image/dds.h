// image/dds.h: DirectDraw surfaces: what a file holds, and its surfaces decoded one by one. Cook half. Pure.
//
// Microsoft "Programming Guide for DDS", "DDS_HEADER structure", "DDS_HEADER_DXT10 structure"; names of formats are
// DXGI_FORMAT's.

#ifndef IMAGE_DDS_H
#define IMAGE_DDS_H

#include "block/block.h"
#include "image/image.h"

typedef enum lrd_dds_kind
{
	LRD_DDS_2D, ///< also of one dimension: 1 texel high
	LRD_DDS_CUBE,
	LRD_DDS_VOLUME,
} lrd_dds_kind;

/// How texels lie in a file.
typedef enum lrd_dds_packing
{
	LRD_DDS_BLOCKS,     ///< of 4 x 4 texels
	LRD_DDS_MASKS,      ///< one little-endian number a texel, channels by masks
	LRD_DDS_COMPONENTS, ///< red first, of 1, 2 or 4 bytes each
	LRD_DDS_R11G11B10,  ///< floats without sign
	LRD_DDS_R9G9B9E5,   ///< one exponent for all
	LRD_DDS_RG_BG,      ///< two texels share red and blue; bytes R G B G
	LRD_DDS_GR_GB,      ///< bytes G R G B
} lrd_dds_packing;

typedef enum lrd_dds_number
{
	LRD_DDS_UNORM,
	LRD_DDS_SNORM,
	LRD_DDS_UINT,
	LRD_DDS_SINT,
	LRD_DDS_FLOAT,
} lrd_dds_number;

typedef struct lrd_dds_format
{
	char name[32]; ///< "BC7_UNORM_SRGB"; of legacy masks what they say, lowest bits first: "B5G6R5_UNORM"
	lrd_dds_packing packing;
	lrd_dds_number number;
	bool srgb;
	bool luminance;       ///< red is green and blue, too
	bool opaque;          ///< what may be stored for alpha is not
	bool red_is_alpha;    ///< red and alpha changed places (RXGB)
	uint8_t size;         ///< bytes of a texel, a block, or two texels that share
	uint8_t channels;     ///< 1..4 that are stored
	uint8_t signed_masks; ///< bit c: channel c of LRD_DDS_MASKS is SNORM, whatever `number` says
	uint32_t masks[4];    ///< RGBA; 0: not stored
	lrd_block_format block;
} lrd_dds_format;

/// A file that has been looked at. Plain memory; `bytes` stay the caller's.
typedef struct lrd_dds
{
	lrd_dds_kind kind;
	uint32_t width;  ///< texels of level 0
	uint32_t height; ///< texels
	uint32_t depth;  ///< slices of a volume; else 1
	uint32_t layers; ///< of an array; else 1
	uint32_t faces;  ///< 6 of a cube: +x, -x, +y, -y, +z, -z; else 1
	uint32_t levels;
	bool premultiplied; ///< colours are multiplied by alpha (DXT2, DXT4, or by the DX10 header's word)
	bool has_dx10;      ///< the format is DXGI's; else by a legacy pixel format
	lrd_dds_format format;
	uint64_t chain_size; ///< bytes of one face or layer with all its levels; UINT64_MAX: beyond 64 bits
	uint64_t size;       ///< bytes of all surfaces; UINT64_MAX: beyond 64 bits
	size_t header_size;  ///< bytes before the first surface
	lrd_bytes bytes;
} lrd_dds;

/// Read the headers, and check that all surfaces are in the bytes. Nothing is allocated.
/// Errors: LRD_ERROR_FORMAT (damaged, or cut off), LRD_ERROR_UNSUPPORTED (a format or a cube with less than six faces:
/// the message says which).
bool lrd_dds_open(lrd_bytes bytes, lrd_dds *info, lrd_error *error);

/// The same without the check that the surfaces are there: `size` says what there should be.
bool lrd_dds_read_header(lrd_bytes bytes, lrd_dds *info, lrd_error *error);

/// A side of a level: halved per level, rounded down, at least 1.
uint32_t lrd_dds_side(uint32_t side, uint32_t level);

/// The bytes of one surface as they are stored, of a volume with all its slices; empty when it has no such one.
lrd_bytes lrd_dds_surface(const lrd_dds *info, uint32_t level, uint32_t layer, uint32_t face);

/// What decoding gives: 8 bits where no channel has more; 16 bits for other UNORM, BC4 and BC5 among them (which
/// interpolate finer than 8 bits); else floats.
lrd_pixel_type lrd_dds_pixel_type(const lrd_dds *info, bool shift_signed);

typedef struct lrd_dds_decode_desc
{
	uint32_t level;
	uint32_t layer;
	uint32_t face;           ///< of a cube, or the slice of a volume
	bool shift_signed;       ///< SNORM as 0..1 in 16 bits, 0.5 for 0, as images hold normals; else -1..1 in floats
	bool keep_premultiplied; ///< colours that were multiplied by alpha stay so
	uint32_t max_side;       ///< 0: LRD_IMAGE_MAX_SIDE
	uint64_t max_bytes;      ///< decoded; 0: LRD_IMAGE_MAX_BYTES
	lrd_allocator allocator;
} lrd_dds_decode_desc;

/// Decode one surface of what lrd_dds_open accepted. Channels that a format lacks are 0, alpha 1; colours that were
/// multiplied by alpha are divided again; integers are their numbers, in floats. `linear` is set for all but UNORM,
/// whose colours are taken as sRGB-encoded, said so or not: format.srgb tells.
/// Errors: LRD_ERROR_ARGUMENT (no such surface), LRD_ERROR_LIMIT, LRD_ERROR_MEMORY.
bool lrd_dds_decode(const lrd_dds *info, const lrd_dds_decode_desc *desc, lrd_image *image, lrd_error *error);

/// Of a DXGI_FORMAT; false when larder does not read it.
bool lrd_dds_format_of_dxgi(uint32_t dxgi, lrd_dds_format *format);
/// Of a FourCC or a D3DFORMAT, which legacy files have in its place.
bool lrd_dds_format_of_four_cc(uint32_t code, lrd_dds_format *format, bool *premultiplied);

#endif
