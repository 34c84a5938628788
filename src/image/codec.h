// image/codec.h: what the decoders share: the layout that each reads from a header before anything is allocated, and
// the memory that codec libraries with hooks are given. Private to the room.

#ifndef IMAGE_CODEC_H
#define IMAGE_CODEC_H

#include "image/image.h"

/// What a header says, before pixels are decoded.
typedef struct lrd_image_layout
{
	uint32_t width; ///< as stored: before orientation
	uint32_t height;
	lrd_pixel_type type;
	uint32_t orientation; ///< 1..8 as EXIF 2.32, table "Orientation" (tag 274) numbers them
	uint32_t source_channels;
	bool linear;
	bool ignore_gamma;       ///< asked for, see lrd_image_decode_desc
	lrd_allocator allocator; ///< asked for; for libraries that need some to read a header
	uint64_t clamped;        ///< texels that were not finite
	bool settled;            ///< floats are finite already
	bool alpha_known;        ///< whether has_alpha is set
	bool has_alpha;          ///< as lrd_image's
	uint64_t max_bytes;      ///< asked for: of the decoded picture, and of what is decoded on the way
	uint64_t least_size;     ///< bytes that a file of this size and kind can't do without; 0: unknown
} lrd_image_layout;

/// A decoder. `measure` checks what a header can show; the limits are the dispatcher's. `decode` fills width * height *
/// 4 components, unoriented, and may correct source_channels and linear. Messages name neither codec nor file: the
/// dispatcher does.
typedef struct lrd_image_decoder
{
	bool (*measure)(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error);
	bool (*decode)(lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error);
} lrd_image_decoder;

extern const lrd_image_decoder lrd_png_decoder;
extern const lrd_image_decoder lrd_jpeg_decoder;
extern const lrd_image_decoder lrd_webp_decoder;
extern const lrd_image_decoder lrd_hdr_decoder;
extern const lrd_image_decoder lrd_tga_decoder;
extern const lrd_image_decoder lrd_bmp_decoder;
extern const lrd_image_decoder lrd_psd_decoder;
extern const lrd_image_decoder lrd_exr_decoder;
extern const lrd_image_decoder lrd_dds_decoder;

/// Hold a header's size to the limits of `desc`, and to the length of its bytes.
bool lrd_image_check_layout(const lrd_image_decode_desc *desc, const lrd_image_layout *layout, lrd_error *error);

/// Bytes of one RGBA texel.
size_t lrd_pixel_size(lrd_pixel_type type);

static inline bool lrd_orientation_swaps_sides(uint32_t orientation)
{
	return orientation >= 5;
}

/// Turn stored texels of `texel_size` bytes (4, 8 or 16) the way orientation 1..8 says they are shown. `to` does not
/// overlap `from`.
void lrd_orientation_apply(
	uint32_t orientation, uint32_t width, uint32_t height, size_t texel_size, const void *from, void *to);

/// Whether an alpha is below 1.
bool lrd_floats_have_alpha(const float *rgba, size_t texels);

/// Replace components that are not finite: NaN by 0, infinite ones by the largest half float, 65504. Returns of how many.
size_t lrd_floats_settle(float *values, size_t count);

/// libspng and stb_image take allocation functions without a user pointer and don't say old sizes. Between enter and
/// leave, the functions below take their memory from `allocator` on this thread, with the size kept in front of each
/// block.
typedef struct lrd_codec_memory
{
	lrd_allocator allocator;
	bool failed; ///< an allocation has failed since entering
	struct lrd_codec_memory *outer;
} lrd_codec_memory;

void lrd_codec_memory_enter(lrd_codec_memory *memory, lrd_allocator allocator);
void lrd_codec_memory_leave(lrd_codec_memory *memory);
void *lrd_codec_malloc(size_t size);
void *lrd_codec_calloc(size_t count, size_t size);
void *lrd_codec_realloc(void *block, size_t size);
void lrd_codec_free(void *block);

#endif
