// image/image.h: pixels: decode, colour spaces, mips, compare. Pure: bytes in, pixels out; knows image codecs, not
// cooked formats.

#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include "base/memory.h"
#include "image/mip_chain.h"

/// Largest side and largest decoded size that are taken unless a caller says otherwise.
#define LRD_IMAGE_MAX_SIDE 16384u
#define LRD_IMAGE_MAX_BYTES (1ull << 30)

typedef enum lrd_image_codec
{
	LRD_CODEC_UNKNOWN,
	LRD_CODEC_PNG,
	LRD_CODEC_JPEG,
	LRD_CODEC_WEBP,
	LRD_CODEC_TGA,
	LRD_CODEC_BMP,
	LRD_CODEC_PSD,
	LRD_CODEC_HDR,
	LRD_CODEC_EXR,
	LRD_CODEC_DDS,
} lrd_image_codec;

typedef enum lrd_pixel_type
{
	LRD_PIXEL_UNORM8,
	LRD_PIXEL_UNORM16,
	LRD_PIXEL_F32,
} lrd_pixel_type;

/// Decoded pixels, always four channels RGBA, rows top to bottom without padding.
typedef struct lrd_image
{
	uint32_t width;
	uint32_t height;
	lrd_pixel_type type;
	bool linear;              ///< by its own word (HDR, EXR, PNG gAMA of 1.0); else colours are sRGB-encoded
	bool has_alpha;           ///< some texel's alpha is below the maximum
	uint32_t source_channels; ///< 1..4: what the file stored
	uint64_t clamped;         ///< texels of LRD_PIXEL_F32 that held NaN, which is 0 now, or infinities, now +-65504
	void *pixels;             ///< width * height * 4 components
	size_t size;              ///< bytes
	lrd_allocator allocator;
} lrd_image;

/// What an image file is, by its content; TGA, which has no magic, by a check of its whole header.
lrd_image_codec lrd_image_codec_of(const void *bytes, size_t size);
const char *lrd_image_codec_name(lrd_image_codec codec);

typedef struct lrd_image_decode_desc
{
	lrd_bytes bytes;
	uint32_t max_side;  ///< 0: LRD_IMAGE_MAX_SIDE
	uint64_t max_bytes; ///< decoded; 0: LRD_IMAGE_MAX_BYTES
	/// Take samples as they are, whatever the file says of their encoding, EXR's primaries and premultiplied alpha too:
	/// data, and glTF's images (glTF 2.0, section 3.8.2).
	bool ignore_gamma;
	lrd_allocator allocator;
} lrd_image_decode_desc;

/// Size without decoding pixels. Errors as lrd_image_decode.
bool lrd_image_measure(const lrd_image_decode_desc *desc, uint32_t *width, uint32_t *height, lrd_error *error);

/// Decode. The declared size is checked against the limits before pixels are allocated; meanwhile, codecs that hold whole
/// pictures of their own (progressive JPEG, lossless WebP, chroma and chunks of EXR) take at most twice max_bytes more.
/// What libwebp and TurboJPEG allocate is malloc's. EXIF orientation of JPEGs is
/// applied, CMYK converted. Alpha is straight: where EXR files have alpha above 0, their colours, which are stored times
/// alpha, are divided by it. EXR: the image is the display window, transparent black where nothing is stored; the first
/// part with red, green and blue or luminance, its layer without a name or else the first; colours in Rec. 709's
/// primaries; of files without colours the first channel, as grey.
/// Errors: LRD_ERROR_FORMAT (damaged; the message is the codec's), LRD_ERROR_UNSUPPORTED (no codec, or a kind it does not
/// read), LRD_ERROR_LIMIT, LRD_ERROR_MEMORY.
bool lrd_image_decode(const lrd_image_decode_desc *desc, lrd_image *image, lrd_error *error);
void lrd_image_free(lrd_image *image);

/// Some texel's alpha is below the maximum: found by looking, whatever `has_alpha` says.
bool lrd_image_has_alpha(const lrd_image *image);

/// Replace components of RGBA texels that are not finite: NaN by 0, infinite ones by the largest half float, 65504.
/// Returns of how many texels.
size_t lrd_texels_settle(float *rgba, size_t texels);

/// Exact sRGB transfer functions (IEC 61966-2-1), 0..1.
float lrd_srgb_to_linear(float encoded);
float lrd_linear_to_srgb(float linear);

/// Rows of RGBA8 as a PNG file. Cook half's pictures and the tests'.
bool lrd_image_write_png(uint32_t width, uint32_t height, const uint8_t *rgba, lrd_buffer *out, lrd_error *error);

/// The same of 16 bits a channel.
bool lrd_image_write_png16(uint32_t width, uint32_t height, const uint16_t *rgba, lrd_buffer *out, lrd_error *error);

typedef struct lrd_exr_write_desc
{
	uint32_t width, height;
	uint32_t channels; ///< 1: luminance, the first component; 3: RGB; 4: RGBA
	bool half_float;   ///< else float; what half floats can't hold is clamped
	const float *rgba; ///< width * height * 4; linear, Rec. 709's primaries, straight alpha
} lrd_exr_write_desc;

/// Rows of floats as an EXR file: scan lines, ZIP, no loss but that of half floats and of alpha, which colours are
/// multiplied by as EXR has it. NaN becomes 0, infinity 65504. On failure `out` is as long as it was.
/// Errors: LRD_ERROR_ARGUMENT, LRD_ERROR_MEMORY.
bool lrd_image_write_exr(const lrd_exr_write_desc *desc, lrd_buffer *out, lrd_error *error);

#endif
