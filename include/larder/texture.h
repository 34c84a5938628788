// larder/texture.h: reading a cooked texture, which is a plain KTX 2.0 file, in place: whole, or its header first and
// then any run of mip levels. Khronos "KTX File Format Specification", version 2.0; data format descriptor: Khronos
// "Data Format Specification" 1.3. Any thread; a view is plain memory, and what reads one does not change it.

#ifndef LARDER_TEXTURE_H
#define LARDER_TEXTURE_H

#include "larder/base.h"

#define LRD_TEXTURE_MAX_LEVELS 32

/// The formats larder writes, by their VkFormat numbers. A view may hold others that a conforming file has.
typedef enum lrd_texture_format
{
	LRD_TEXTURE_UNDEFINED = 0, ///< the universal ones: see lrd_texture_universal_kind
	LRD_TEXTURE_R8_UNORM = 9,
	LRD_TEXTURE_R8_SRGB = 15,
	LRD_TEXTURE_RG8_UNORM = 16,
	LRD_TEXTURE_RG8_SNORM = 17,
	LRD_TEXTURE_RGBA8_UNORM = 37,
	LRD_TEXTURE_RGBA8_SRGB = 43,
	LRD_TEXTURE_R16_UNORM = 70,
	LRD_TEXTURE_R16_SFLOAT = 76,
	LRD_TEXTURE_RG16_UNORM = 77,
	LRD_TEXTURE_RG16_SFLOAT = 83,
	LRD_TEXTURE_RGBA16_UNORM = 91,
	LRD_TEXTURE_RGBA16_SFLOAT = 97,
	LRD_TEXTURE_R32_SFLOAT = 100,
	LRD_TEXTURE_RG32_SFLOAT = 103,
	LRD_TEXTURE_RGBA32_SFLOAT = 109,
	LRD_TEXTURE_BC1_RGB_UNORM = 131,
	LRD_TEXTURE_BC1_RGB_SRGB = 132,
	LRD_TEXTURE_BC1_RGBA_UNORM = 133,
	LRD_TEXTURE_BC1_RGBA_SRGB = 134,
	LRD_TEXTURE_BC2_UNORM = 135,
	LRD_TEXTURE_BC2_SRGB = 136,
	LRD_TEXTURE_BC3_UNORM = 137,
	LRD_TEXTURE_BC3_SRGB = 138,
	LRD_TEXTURE_BC4_UNORM = 139,
	LRD_TEXTURE_BC4_SNORM = 140,
	LRD_TEXTURE_BC5_UNORM = 141,
	LRD_TEXTURE_BC5_SNORM = 142,
	LRD_TEXTURE_BC6H_UFLOAT = 143,
	LRD_TEXTURE_BC6H_SFLOAT = 144,
	LRD_TEXTURE_BC7_UNORM = 145,
	LRD_TEXTURE_BC7_SRGB = 146,
	LRD_TEXTURE_ASTC_4X4_UNORM = 157,
	LRD_TEXTURE_ASTC_4X4_SRGB = 158,
	LRD_TEXTURE_ASTC_5X5_UNORM = 161,
	LRD_TEXTURE_ASTC_5X5_SRGB = 162,
	LRD_TEXTURE_ASTC_6X6_UNORM = 165,
	LRD_TEXTURE_ASTC_6X6_SRGB = 166,
	LRD_TEXTURE_ASTC_8X8_UNORM = 171,
	LRD_TEXTURE_ASTC_8X8_SRGB = 172,
	LRD_TEXTURE_ASTC_4X4_SFLOAT = 1000066000,
	LRD_TEXTURE_ASTC_5X5_SFLOAT = 1000066002,
	LRD_TEXTURE_ASTC_6X6_SFLOAT = 1000066004,
	LRD_TEXTURE_ASTC_8X8_SFLOAT = 1000066007,
} lrd_texture_format;

typedef enum lrd_supercompression
{
	LRD_SUPERCOMPRESSION_NONE = 0,
	LRD_SUPERCOMPRESSION_BASIS_LZ = 1,
	LRD_SUPERCOMPRESSION_ZSTD = 2,
	LRD_SUPERCOMPRESSION_ZLIB = 3, ///< read, but not decompressed
} lrd_supercompression;

/// What is stored to be transcoded into a format that a GPU samples.
typedef enum lrd_texture_universal
{
	LRD_TEXTURE_UNIVERSAL_NONE = 0, ///< texels or blocks of the view's own format
	LRD_TEXTURE_ETC1S,              ///< under BasisLZ
	LRD_TEXTURE_UASTC,              ///< UASTC LDR 4x4
	LRD_TEXTURE_UASTC_HDR, ///< UASTC HDR 4x4: as it is also valid ASTC_4X4_SFLOAT, which the view's format says
} lrd_texture_universal;

/// One mip level: every layer, then every face of it, then every slice, tightly packed.
typedef struct lrd_texture_level
{
	const void *data;      ///< as stored; NULL where only the header was opened and the level is not attached
	uint64_t size;         ///< bytes as stored
	uint64_t decoded_size; ///< bytes once decompressed; equal to size without supercompression, 0 under BasisLZ
	uint64_t offset;       ///< bytes from the file's start
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

// By range: read LRD_TEXTURE_HEAD_SIZE bytes, ask how large the header is, read and open that, then read and attach
// whatever run of levels is wanted, and finer ones later. A run is one range of the file, since levels lie there
// smallest first.

/// Bytes from a file's start that say how large its header is.
#define LRD_TEXTURE_HEAD_SIZE 80

/// How many of a file's first bytes come before its levels: header, level index, descriptor, keys, BasisLZ's global
/// data. `bytes` holds at least the first LRD_TEXTURE_HEAD_SIZE of a file of `file_size`, in any alignment.
/// Errors: as lrd_texture_open.
LRD_API bool lrd_texture_header_size(
	const void *bytes, size_t size, uint64_t file_size, size_t *header_size, lrd_error *error);

/// Open a file of which the first `size` bytes are there: as many as lrd_texture_header_size says, or more, which are
/// not looked at. All is checked that lrd_texture_open checks but what lies between levels. No level has data.
LRD_API bool lrd_texture_open_header(
	const void *bytes, size_t size, uint64_t file_size, lrd_texture_view *view, lrd_error *error);

/// Where levels `first_level` to `first_level + level_count - 1` lie in the file, the finest of them last.
/// False when there are no such levels (a count of 0, or past the last), and then nothing is written.
LRD_API bool lrd_texture_range(
	const lrd_texture_view *view, uint32_t first_level, uint32_t level_count, uint64_t *offset, uint64_t *size);

/// Point these levels' data into `bytes`, exactly the range that lrd_texture_range gives; they must outlive the view,
/// or the levels' `data` be set to NULL. Bytes aligned to 16 give each level the alignment it has in the file.
/// Errors: LRD_ERROR_ARGUMENT (no such levels, or not that many bytes), LRD_ERROR_FORMAT (padding between levels is
/// not zero). On failure the view is as it was.
LRD_API bool lrd_texture_attach(lrd_texture_view *view, uint32_t first_level, uint32_t level_count, const void *bytes,
	size_t size, lrd_error *error);

// What a file says of its texels.

/// A level's extent: the base extent halved `level` times, rounded down, at least 1.
LRD_API uint32_t lrd_texture_extent(uint32_t base, uint32_t level);

/// "R8G8B8A8_SRGB" and so on for the formats larder knows, "UNDEFINED" for 0, "unknown" for others.
LRD_API const char *lrd_texture_format_name(uint32_t format);

/// A texture's descriptor says its colours are sRGB-encoded.
LRD_API bool lrd_texture_is_srgb(const lrd_texture_view *view);

/// A texture's descriptor says its colours are multiplied by alpha.
LRD_API bool lrd_texture_is_premultiplied(const lrd_texture_view *view);

LRD_API lrd_texture_universal lrd_texture_universal_kind(const lrd_texture_view *view);

/// "none", "etc1s", "uastc", "uastc_hdr"; never NULL.
LRD_API const char *lrd_texture_universal_name(lrd_texture_universal kind);

/// "none", "basis_lz", "zstd", "zlib", "unknown"; never NULL.
LRD_API const char *lrd_supercompression_name(uint32_t supercompression);

// Keys.

#define LRD_TEXTURE_KEY_TYPE "larder.type"              ///< text: what it holds, "type=normal from=slot normal=rg"
#define LRD_TEXTURE_KEY_SAMPLER "larder.sampler"        ///< text: see lrd_texture_sampler
#define LRD_TEXTURE_KEY_COVERAGE "larder.coverage"      ///< f32
#define LRD_TEXTURE_KEY_HARMONICS "larder.harmonics.l2" ///< 27 f32

/// How a texture wants to be sampled, where no material says it.
typedef struct lrd_texture_sampling
{
	uint8_t wrap_u; ///< lrd_wrap (larder/material.h)
	uint8_t wrap_v; ///< lrd_wrap
	uint8_t filter; ///< lrd_filter
} lrd_texture_sampling;

/// The value of a key ("KTXorientation", "larder.sampler"). False when there is none.
LRD_API bool lrd_texture_find_key(const lrd_texture_view *view, lrd_string key, lrd_bytes *value);

/// The sampler that the cook's settings asked for. False when there is none, or none that larder wrote.
LRD_API bool lrd_texture_sampler(const lrd_texture_view *view, lrd_texture_sampling *sampling);

/// The alpha cutoff whose coverage every level keeps. False when there is none.
LRD_API bool lrd_texture_coverage(const lrd_texture_view *view, float *cutoff);

/// A radiance cubemap's spherical harmonics up to band 2: nine coefficients (l, m) = (0,0) (1,-1) (1,0) (1,1) (2,-2) ..
/// (2,2), each red, green, blue. False when there are none.
LRD_API bool lrd_texture_harmonics(const lrd_texture_view *view, float harmonics[27]);

/// Which way texels go with growing x, y and z: "r" or "l", "d" or "u", "i" or "o", a letter a dimension. "rd" and so
/// on, as the specification wants it, where the file does not say.
LRD_API void lrd_texture_orientation(const lrd_texture_view *view, char letters[4]);

/// What each of red, green, blue, alpha is to be sampled from: r g b a 0 1. "rgba" where the file does not say.
LRD_API void lrd_texture_swizzle(const lrd_texture_view *view, char letters[5]);

// Texels.

/// Give a level's bytes as they are without supercompression: a copy where there is none. `size` must be the level's
/// decoded_size, which opening the file has held against the format and the extent. UASTC stays UASTC.
/// Memory for zstd's tables, about 160 KB, is from `allocator`; zeroed: malloc.
/// Errors: LRD_ERROR_ARGUMENT (no such level, no data attached, another size), LRD_ERROR_UNSUPPORTED (BasisLZ, ZLIB),
/// LRD_ERROR_FORMAT (damaged), LRD_ERROR_MEMORY. On failure the bytes are undefined.
LRD_API bool lrd_texture_decompress(
	const lrd_texture_view *view, uint32_t level, lrd_allocator allocator, void *bytes, size_t size, lrd_error *error);

/// What texels are decoded to: always red, green, blue, alpha.
typedef enum lrd_texels
{
	LRD_TEXELS_NONE = 0, ///< larder's run time can't decode the format
	LRD_TEXELS_UNORM8,   ///< four bytes
	LRD_TEXELS_F32,      ///< four floats
} lrd_texels;

/// Colours of up to 8 bits, BC1, BC2, BC3 and BC7 to bytes; what is finer, signed, floating or whole numbers to floats,
/// BC4, BC5 and BC6H among them. None: depth and stencil, ETC2, ASTC, the universal formats.
LRD_API lrd_texels lrd_texture_decodes_to(uint32_t format);

/// Bytes of one decoded image of a level with tight rows; 0 when there is no such level or it can't be decoded.
LRD_API uint64_t lrd_texture_decoded_size(const lrd_texture_view *view, uint32_t level);

typedef struct lrd_texture_decode_desc
{
	uint32_t level;
	uint32_t layer; ///< of an array
	uint32_t face;  ///< of a cubemap: +x -x +y -y +z -z
	uint32_t slice; ///< of a 3D texture's level
	/// The level as lrd_texture_decompress gives it, to decode several images of a supercompressed level without
	/// decompressing it each time. Zeroed: the view's own data, decompressed into temporary memory if need be.
	lrd_bytes level_bytes;
	size_t row_stride;       ///< bytes from row to row; 0: tight
	bool apply_swizzle;      ///< give channels as KTXswizzle wants them sampled; else as they are stored
	lrd_allocator allocator; ///< for temporary memory; zeroed: malloc
} lrd_texture_decode_desc;

/// Decode one image of one level into `texels`, `size` bytes of the type lrd_texture_decodes_to says, row by row in the
/// order of the file (KTXorientation is not applied). Encoded sRGB stays encoded, UNORM in floats is 0..1, SNORM -1..1,
/// whole numbers are the nearest float. Channels that the format lacks are 0, alpha 1.
/// Errors: LRD_ERROR_ARGUMENT (no such image, no data attached, too little room), LRD_ERROR_UNSUPPORTED (see
/// lrd_texture_decodes_to; universal formats need transcoding), and those of lrd_texture_decompress.
LRD_API bool lrd_texture_decode(
	const lrd_texture_view *view, const lrd_texture_decode_desc *desc, void *texels, size_t size, lrd_error *error);

#endif
