// larder/texture.h: reading a cooked texture, which is a plain KTX 2.0 file, in place. Khronos "KTX File Format
// Specification", version 2.0; data format descriptor: Khronos "Data Format Specification" 1.3.

#ifndef LARDER_TEXTURE_H
#define LARDER_TEXTURE_H

#include "larder/base.h"

#define LRD_TEXTURE_MAX_LEVELS 32

/// The formats larder writes, by their VkFormat numbers. A view may hold others that a conforming file has.
typedef enum lrd_texture_format
{
	LRD_TEXTURE_RGBA8_UNORM = 37,
	LRD_TEXTURE_RGBA8_SRGB = 43,
	LRD_TEXTURE_RGBA16_SFLOAT = 97,
} lrd_texture_format;

typedef enum lrd_supercompression
{
	LRD_SUPERCOMPRESSION_NONE = 0,
	LRD_SUPERCOMPRESSION_BASIS_LZ = 1,
	LRD_SUPERCOMPRESSION_ZSTD = 2,
	LRD_SUPERCOMPRESSION_ZLIB = 3,
} lrd_supercompression;

/// One mip level: every layer, then every face of it, tightly packed.
typedef struct lrd_texture_level
{
	const void *data;      ///< as stored
	uint64_t size;         ///< bytes as stored
	uint64_t decoded_size; ///< bytes once decompressed; equal to size without supercompression, 0 under BasisLZ
} lrd_texture_level;

/// A texture as its file says it. Pointers lead into the bytes that were opened.
typedef struct lrd_texture_view
{
	uint32_t format;           ///< VkFormat; 0 for UASTC and ETC1S
	uint32_t type_size;        ///< bytes of the type that endianness concerns; 1 for 8-bit and block formats
	uint32_t width;            ///< texels of level 0
	uint32_t height;           ///< 1 and up; 0 for 1D textures
	uint32_t depth;            ///< 0 unless 3D
	uint32_t layer_count;      ///< 0 unless an array
	uint32_t face_count;       ///< 1, or 6 for a cubemap
	uint32_t level_count;      ///< levels in the file; 1 and up
	bool generate_mips;        ///< the file asks its loader to make the mips (levelCount 0)
	uint32_t supercompression; ///< lrd_supercompression
	lrd_texture_level levels[LRD_TEXTURE_MAX_LEVELS]; ///< [0] the largest; in the file the smallest comes first
	lrd_bytes dfd;                                    ///< data format descriptor, with its total size
	lrd_bytes key_values;                             ///< key/value block
	lrd_bytes supercompression_global;                ///< BasisLZ codebooks
} lrd_texture_view;

/// Check a KTX 2.0 file and give a view into it; `bytes` must be aligned to 16 and outlive the view. Every rule of
/// the specification is checked that concerns where things lie, how large they are and what the descriptor says;
/// levels are not decompressed.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_UNSUPPORTED (a format or supercompression that larder does not know:
/// three-dimensional ASTC, PVRTC, 4:2:2, what is newer), LRD_ERROR_ARGUMENT (misaligned bytes).
LRD_API bool lrd_texture_open(const void *bytes, size_t size, lrd_texture_view *view, lrd_error *error);

/// The value of a key ("KTXorientation", "larder.sampler"). False when there is none.
LRD_API bool lrd_texture_find_key(const lrd_texture_view *view, lrd_string key, lrd_bytes *value);

/// A level's extent: the base extent halved `level` times, rounded down, at least 1.
LRD_API uint32_t lrd_texture_extent(uint32_t base, uint32_t level);

/// "R8G8B8A8_SRGB" and so on for the formats larder knows, "unknown" for others.
LRD_API const char *lrd_texture_format_name(uint32_t format);

/// A texture's descriptor says its colours are sRGB-encoded.
LRD_API bool lrd_texture_is_srgb(const lrd_texture_view *view);

#endif
