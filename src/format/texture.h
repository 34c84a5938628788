// format/texture.h: the layout of a KTX 2.0 file (Khronos "KTX File Format Specification" 2.0, "File Structure") and
// the one table of the pixel formats that may stand in it. The reader is texture.c with texture_keys.c and
// texture_basis.c, the table texture_format.c, what gives texels texture_decompress.c and texture_decode.c, the writer
// texture_write.c.

#ifndef FORMAT_TEXTURE_H
#define FORMAT_TEXTURE_H

#include "larder/texture.h"

#include <assert.h>

#define LRD_KTX_IDENTIFIER_SIZE 12
extern const uint8_t lrd_ktx_identifier[LRD_KTX_IDENTIFIER_SIZE];

/// The header with its index. `level_count` level entries (one where it is 0) follow, then descriptor, key/values,
/// global data, levels.
typedef struct lrd_ktx_header
{
	uint8_t identifier[LRD_KTX_IDENTIFIER_SIZE];
	uint32_t format; ///< vkFormat
	uint32_t type_size;
	uint32_t width;
	uint32_t height;
	uint32_t depth;
	uint32_t layer_count;
	uint32_t face_count;
	uint32_t level_count;
	uint32_t supercompression;
	uint32_t dfd_offset;
	uint32_t dfd_size;
	uint32_t kvd_offset;
	uint32_t kvd_size;
	uint64_t sgd_offset;
	uint64_t sgd_size;
} lrd_ktx_header;

static_assert(sizeof(lrd_ktx_header) == 80, "KTX 2.0 header and index");
static_assert(offsetof(lrd_ktx_header, format) == 12, "vkFormat");
static_assert(offsetof(lrd_ktx_header, type_size) == 16, "typeSize");
static_assert(offsetof(lrd_ktx_header, width) == 20, "pixelWidth");
static_assert(offsetof(lrd_ktx_header, height) == 24, "pixelHeight");
static_assert(offsetof(lrd_ktx_header, depth) == 28, "pixelDepth");
static_assert(offsetof(lrd_ktx_header, layer_count) == 32, "layerCount");
static_assert(offsetof(lrd_ktx_header, face_count) == 36, "faceCount");
static_assert(offsetof(lrd_ktx_header, level_count) == 40, "levelCount");
static_assert(offsetof(lrd_ktx_header, supercompression) == 44, "supercompressionScheme");
static_assert(offsetof(lrd_ktx_header, dfd_offset) == 48, "dfdByteOffset");
static_assert(offsetof(lrd_ktx_header, dfd_size) == 52, "dfdByteLength");
static_assert(offsetof(lrd_ktx_header, kvd_offset) == 56, "kvdByteOffset");
static_assert(offsetof(lrd_ktx_header, kvd_size) == 60, "kvdByteLength");
static_assert(offsetof(lrd_ktx_header, sgd_offset) == 64, "sgdByteOffset");
static_assert(offsetof(lrd_ktx_header, sgd_size) == 72, "sgdByteLength");

/// An entry of the level index; entry 0 is the largest level.
typedef struct lrd_ktx_level
{
	uint64_t offset;
	uint64_t size;
	uint64_t decoded_size;
} lrd_ktx_level;

static_assert(sizeof(lrd_ktx_level) == 24, "KTX 2.0 level index entry");
static_assert(offsetof(lrd_ktx_level, size) == 8, "byteLength");
static_assert(offsetof(lrd_ktx_level, decoded_size) == 16, "uncompressedByteLength");

/// BasisLZ global data (appendix "BasisLZ Global Data"): this header, one image description an image, then the
/// codebooks.
typedef struct lrd_ktx_basis_header
{
	uint16_t endpoint_count;
	uint16_t selector_count;
	uint32_t endpoints_size;
	uint32_t selectors_size;
	uint32_t tables_size;
	uint32_t extended_size;
} lrd_ktx_basis_header;

typedef struct lrd_ktx_basis_image
{
	uint32_t flags;
	uint32_t color_offset; ///< within the level
	uint32_t color_size;
	uint32_t alpha_offset;
	uint32_t alpha_size;
} lrd_ktx_basis_image;

static_assert(sizeof(lrd_ktx_basis_header) == 20, "BasisLZ global header");
static_assert(sizeof(lrd_ktx_basis_image) == 20, "BasisLZ image description");

#define LRD_KTX_BASIS_P_FRAME 0x02u

/// Colour models of the data format descriptor (Khronos Data Format Specification 1.3, "colorModel" and "colorModel for
/// compressed formats").
typedef enum lrd_dfd_model
{
	LRD_DFD_RGBSDA = 1,
	LRD_DFD_BC1 = 128,
	LRD_DFD_BC2 = 129,
	LRD_DFD_BC3 = 130,
	LRD_DFD_BC4 = 131,
	LRD_DFD_BC5 = 132,
	LRD_DFD_BC6H = 133,
	LRD_DFD_BC7 = 134,
	LRD_DFD_ETC2 = 161,
	LRD_DFD_ASTC = 162,
	LRD_DFD_ETC1S = 163,
	LRD_DFD_UASTC = 166,
	LRD_DFD_UASTC_HDR_4X4 = 167,
} lrd_dfd_model;

typedef enum lrd_dfd_transfer
{
	LRD_DFD_TRANSFER_UNSPECIFIED = 0,
	LRD_DFD_TRANSFER_LINEAR = 1,
	LRD_DFD_TRANSFER_SRGB = 2,
	LRD_DFD_TRANSFER_LAST = 19,
} lrd_dfd_transfer;

typedef enum lrd_dfd_primaries
{
	LRD_DFD_PRIMARIES_UNSPECIFIED = 0,
	LRD_DFD_PRIMARIES_BT709 = 1,
	LRD_DFD_PRIMARIES_LAST = 11,
} lrd_dfd_primaries;

/// What a format's numbers mean.
typedef enum lrd_numeric
{
	LRD_NUMERIC_UNORM,
	LRD_NUMERIC_SRGB,
	LRD_NUMERIC_SNORM,
	LRD_NUMERIC_UINT,
	LRD_NUMERIC_SINT,
	LRD_NUMERIC_SFLOAT,
	LRD_NUMERIC_UFLOAT,
} lrd_numeric;

/// A row of the format table. Everything else about a format follows from it.
typedef struct lrd_texture_format_row
{
	uint32_t format;      ///< VkFormat
	uint8_t type_size;    ///< KTX's typeSize
	uint8_t block_width;  ///< texels; 1 unless block-compressed
	uint8_t block_height; ///< texels
	uint8_t block_bytes;  ///< bytes of one block, or of one texel
	uint8_t model;        ///< lrd_dfd_model
	uint8_t numeric;      ///< lrd_numeric
	const char *name;     ///< without VK_FORMAT_
	const char *layout;   ///< the samples from bit 0 up: a channel's letter and its bits; see texture_format.c
} lrd_texture_format_row;

/// NULL for a format that the table lacks.
const lrd_texture_format_row *lrd_texture_format_find(uint32_t format);

/// KTX 2.0 forbids this format by name ("Prohibited Formats").
bool lrd_texture_format_prohibited(uint32_t format);

/// The same samples as sRGB exist as a format of their own.
bool lrd_texture_format_has_srgb_twin(const lrd_texture_format_row *row);

/// Texels of this format are depth, stencil or both.
bool lrd_texture_format_is_depth(const lrd_texture_format_row *row);

#define LRD_UASTC_BLOCK_BYTES 16
#define LRD_DFD_FLAG_PREMULTIPLIED 1u

#define LRD_DFD_BASIC_WORDS 6
#define LRD_DFD_SAMPLE_WORDS 4
#define LRD_DFD_MAX_SAMPLES 6
#define LRD_DFD_MAX_WORDS (1 + LRD_DFD_BASIC_WORDS + LRD_DFD_SAMPLE_WORDS * LRD_DFD_MAX_SAMPLES)

/// Write the whole descriptor of a format, total size first. Returns its words.
uint32_t lrd_texture_format_describe(const lrd_texture_format_row *row, uint32_t words[LRD_DFD_MAX_WORDS]);

/// What the reader needs of a checked descriptor.
typedef struct lrd_dfd_summary
{
	uint8_t model;
	uint8_t sample_count;
	uint8_t block_width;
	uint8_t block_height;
	uint8_t block_bytes;
} lrd_dfd_summary;

/// Check a descriptor (with its total size) against the header's format (`row`, NULL for VK_FORMAT_UNDEFINED) and
/// supercompression.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_UNSUPPORTED (a universal format or an extension that larder does not know).
bool lrd_dfd_check(lrd_bytes dfd, const lrd_texture_format_row *row, uint32_t supercompression,
	lrd_dfd_summary *summary, lrd_error *error);

/// Bytes of a level: every layer, face and slice. False when they do not fit 64 bits.
bool lrd_ktx_level_size(const lrd_texture_view *view, const lrd_dfd_summary *block, uint32_t level, uint64_t *size);

/// What every level's offset is a multiple of: lcm(block, 4), or 1 under supercompression ("mipPadding").
uint32_t lrd_ktx_level_alignment(uint32_t block_bytes, uint32_t supercompression);

/// One key/value pair of the block.
typedef struct lrd_ktx_pair
{
	lrd_string key;
	lrd_bytes value;
	size_t stored_size; ///< bytes of the pair with its length and padding
} lrd_ktx_pair;

/// The pair at `*position`, which moves past it. False at the end, with `*reason` NULL, and where the block is
/// malformed, with the rule. The key's text and the padding are not judged here.
bool lrd_ktx_next_pair(lrd_bytes key_values, size_t *position, lrd_ktx_pair *pair, const char **reason);

/// Check the whole block of a view whose header is filled in. `*animated`: it has KTXanimData.
bool lrd_ktx_check_keys(const lrd_texture_view *view, bool *animated, lrd_error *error);

/// Check BasisLZ's global data against levels whose sizes are checked.
bool lrd_ktx_check_basis(const lrd_texture_view *view, const lrd_dfd_summary *block, bool animated, lrd_error *error);

/// The level exists and its bytes are there. Errors: LRD_ERROR_ARGUMENT.
bool lrd_ktx_check_level(const lrd_texture_view *view, uint32_t level, lrd_error *error);

/// The words of larder.sampler, by lrd_wrap and lrd_filter.
extern const lrd_string lrd_texture_wrap_words[3];
extern const lrd_string lrd_texture_filter_words[2];

#endif
