// larder/picture.h: any image file, a source or a cooked one, as pictures to look at, to compare and to save: every
// level, layer, face and slice of PNG, JPEG, WebP, TGA, BMP, PSD, HDR, EXR, DDS and KTX 2.0. Files are recognised by
// content. For tools, not for games: what a GPU samples is in larder/texture.h. Cook half; any thread, and any number of
// threads may read one picture at once.

#ifndef LARDER_PICTURE_H
#define LARDER_PICTURE_H

#include "larder/base.h"

typedef enum lrd_picture_container
{
	LRD_PICTURE_NONE, ///< no image that larder reads
	LRD_PICTURE_PNG,
	LRD_PICTURE_JPEG,
	LRD_PICTURE_WEBP,
	LRD_PICTURE_TGA,
	LRD_PICTURE_BMP,
	LRD_PICTURE_PSD,
	LRD_PICTURE_HDR,
	LRD_PICTURE_EXR,
	LRD_PICTURE_DDS,
	LRD_PICTURE_KTX2,
	LRD_PICTURE_CONTAINER_COUNT
} lrd_picture_container;

/// What these bytes are, by their beginning; of TGA, which has no magic, by a check of its header.
LRD_API lrd_picture_container lrd_picture_container_of(lrd_bytes bytes);

/// "PNG", "KTX2", …; "none". Never NULL.
LRD_API const char *lrd_picture_container_name(lrd_picture_container container);

/// How pixels lie in memory: always red, green, blue, alpha.
typedef enum lrd_pixels_type
{
	LRD_PIXELS_UNORM8,  ///< four bytes: 0..1 as 0..255
	LRD_PIXELS_UNORM16, ///< four 16-bit numbers: 0..1 as 0..65535
	LRD_PIXELS_F32,     ///< four floats
} lrd_pixels_type;

/// What the numbers mean.
typedef enum lrd_pixels_range
{
	LRD_PIXELS_UNIT,   ///< 0..1
	LRD_PIXELS_SIGNED, ///< -1..1: SNORM, always LRD_PIXELS_F32
	LRD_PIXELS_OPEN,   ///< light and other numbers without an upper end, always LRD_PIXELS_F32
} lrd_pixels_range;

/// Bits of a set of channels.
#define LRD_CHANNEL_R 1u
#define LRD_CHANNEL_G 2u
#define LRD_CHANNEL_B 4u
#define LRD_CHANNEL_A 8u
#define LRD_CHANNELS_RGB 7u
#define LRD_CHANNELS_RGBA 15u

/// Where a file keeps tangent-space normals.
typedef enum lrd_picture_normals
{
	LRD_NORMALS_NONE, ///< it does not say that it has any
	LRD_NORMALS_RGB,
	LRD_NORMALS_RG, ///< x, y; z follows
	LRD_NORMALS_RA, ///< x in red, y in alpha; z follows
} lrd_picture_normals;

/// "none", "rgb", "rg", "ra"; never NULL.
LRD_API const char *lrd_picture_normals_name(lrd_picture_normals normals);

typedef struct lrd_picture_info
{
	lrd_picture_container container;
	char format[48]; ///< "BC7_SRGB_BLOCK", "B5G6R5_UNORM"; of other files channels and bits: "L8", "RGBA16", "RGB32F"
	uint32_t width;  ///< texels of level 0
	uint32_t height; ///< texels; 1 of one-dimensional textures
	uint32_t depth;  ///< slices of level 0, halved a level like the sides; 1 unless 3D
	uint32_t layers; ///< 1 unless an array
	uint32_t faces;  ///< 6 of cubemaps: +x -x +y -y +z -z; else 1
	uint32_t levels;
	lrd_pixels_type type;        ///< what decoding gives
	lrd_pixels_range range;      ///< the same
	uint32_t channels;           ///< LRD_CHANNEL_…: those that are stored; grey is all three colours
	bool srgb;                   ///< colours are sRGB-encoded, by the file's word or its container's habit
	bool premultiplied;          ///< colours are stored multiplied by alpha
	bool bottom_up;              ///< rows are stored from the bottom up
	bool decodable;              ///< false: lrd_picture_decode gives LRD_ERROR_UNSUPPORTED for all of it
	lrd_picture_normals normals; ///< by the key "larder.type"
	lrd_string holds;            ///< what a cooked texture holds: "albedo", "normal"; empty where the file does not say
	lrd_string holds_from;       ///< why the cook thinks so: "slot", "name", …; empty
} lrd_picture_info;

typedef struct lrd_picture_desc
{
	lrd_bytes bytes;         ///< the whole file, in any alignment; must outlive the picture
	uint32_t max_side;       ///< texels; 0: 16384
	uint64_t max_bytes;      ///< of one decoded image, and of a level that is decompressed on the way; 0: 1 GiB
	lrd_allocator allocator; ///< zeroed: malloc
} lrd_picture_desc;

/// An image file that has been opened. Immutable.
typedef struct lrd_picture lrd_picture;

/// Open an image file. DDS and KTX 2.0: headers are checked, images are decoded when asked for. Others are decoded at
/// once, as they hold one image; of EXR that is the display window, with straight alpha and Rec. 709's primaries, of
/// JPEG as EXIF turns it. NULL on failure.
/// Errors: LRD_ERROR_UNSUPPORTED (no image larder reads, or a kind of one), LRD_ERROR_FORMAT (damaged), LRD_ERROR_LIMIT,
/// LRD_ERROR_MEMORY.
LRD_API lrd_picture *lrd_picture_open(const lrd_picture_desc *desc, lrd_error *error);

/// NULL is allowed.
LRD_API void lrd_picture_close(lrd_picture *picture);

/// Strings in it live as long as the picture.
LRD_API const lrd_picture_info *lrd_picture_get_info(const lrd_picture *picture);

/// One decoded image: rows from the top down without padding, straight alpha, no NaN or infinity. Give it back with
/// lrd_pixels_free. One made by hand is as good: what takes one reads no more than `data`.
typedef struct lrd_pixels
{
	uint32_t width;
	uint32_t height;
	lrd_pixels_type type;
	lrd_pixels_range range;
	uint32_t channels; ///< LRD_CHANNEL_…: those that mean something; others are 0, alpha 1
	bool srgb;         ///< colours are sRGB-encoded; never set for floats
	bool has_alpha;    ///< some texel's alpha is below 1
	uint64_t clamped;  ///< texels that held NaN, which is 0 now, or infinities, now +-65504
	void *data;        ///< width * height texels
	size_t size;       ///< bytes
	lrd_allocator allocator;
} lrd_pixels;

LRD_API void lrd_pixels_free(lrd_pixels *pixels);

typedef struct lrd_picture_decode_desc
{
	uint32_t level;
	uint32_t layer;
	uint32_t face;
	uint32_t slice;
	bool apply_swizzle;      ///< channels as KTXswizzle wants them sampled; else as they are stored
	bool keep_orientation;   ///< rows in the order of the file; else top down, whatever KTXorientation says
	bool keep_premultiplied; ///< colours that are stored multiplied by alpha stay so
	/// Normals that are stored by two channels become x, y, z in red, green and blue (of unorm ones 16 bits, so that z
	/// is not rounded more than they): those of LRD_NORMALS_RG and LRD_NORMALS_RA, and where the file does not say what
	/// it holds, red and green when it has no more. Others stay.
	bool rebuild_normals;
} lrd_picture_decode_desc;

/// Decode one image. UNORM of more than 8 bits a channel, BC4 and BC5 among them, gives 16 bits; SNORM floats from -1 to
/// 1; BC6H, ASTC HDR and all that is float or a whole number floats. On failure `pixels` is untouched.
/// Errors: LRD_ERROR_ARGUMENT (no such image), LRD_ERROR_UNSUPPORTED (universal formats, which are to be transcoded;
/// ETC2; depth; BasisLZ and ZLIB), LRD_ERROR_LIMIT, LRD_ERROR_FORMAT (damaged), LRD_ERROR_MEMORY.
LRD_API bool lrd_picture_decode(
	const lrd_picture *picture, const lrd_picture_decode_desc *desc, lrd_pixels *pixels, lrd_error *error);

/// As a screen shows them: width * height RGBA8 texels into `rgba`. Unit ones are rounded, signed ones moved from -1..1
/// to 0..1, open ones tone mapped: x / (1 + x) a channel, then sRGB-encoded. A single colour channel becomes grey.
LRD_API void lrd_pixels_show(const lrd_pixels *pixels, uint8_t *rgba);

/// A PNG file into `out`, whose allocator is used; what it held before is replaced. 8 bits a channel, or 16 for
/// LRD_PIXELS_UNORM16, with the numbers as they are; floats as lrd_pixels_show gives them. A single colour channel
/// becomes grey. On failure `out` is empty. Errors: LRD_ERROR_ARGUMENT (no texels, or a side over 16384),
/// LRD_ERROR_MEMORY.
LRD_API bool lrd_pixels_write_png(const lrd_pixels *pixels, lrd_buffer *out, lrd_error *error);

/// An EXR file into `out`, likewise: linear light, so sRGB-encoded colours are decoded; a single colour channel as
/// luminance; alpha only where some texel needs it. Half floats where they hold every value exactly, else floats.
LRD_API bool lrd_pixels_write_exr(const lrd_pixels *pixels, lrd_buffer *out, lrd_error *error);

/// How two pictures were held against each other.
typedef enum lrd_compared_as
{
	LRD_COMPARED_CODES, ///< stored numbers, 0..1, whatever they encode: what quoted PSNR figures mean
	LRD_COMPARED_LIGHT, ///< linear light or other open numbers; sRGB-encoded colours of one were decoded: see lrd_pixels_meaning
	LRD_COMPARED_NORMALS, ///< stored numbers, and the angles between the normals that they stand for
} lrd_compared_as;

/// "codes", "light", "normals"; never NULL.
LRD_API const char *lrd_compared_as_name(lrd_compared_as as);

/// What the numbers of both stand for, which says when sRGB-encoded ones are decoded.
typedef enum lrd_pixels_meaning
{
	LRD_MEANING_UNKNOWN, ///< beside open ones; codes are compared with codes, whatever they encode
	LRD_MEANING_DATA,    ///< never
	LRD_MEANING_COLORS,  ///< beside all that are linear
} lrd_pixels_meaning;

typedef struct lrd_pixels_compare_desc
{
	const lrd_pixels *reference;
	const lrd_pixels *pixels;
	bool normals; ///< both hold x, y, z in red, green, blue: see lrd_picture_decode_desc.rebuild_normals
	lrd_pixels_meaning meaning;
	bool skip_ssim;
	float amplify;           ///< of lrd_pixels_difference; 0: 1
	lrd_allocator allocator; ///< for temporary memory, and the picture; zeroed: malloc
} lrd_pixels_compare_desc;

/// PSNR is 10 log10(peak^2 / mse) in dB, infinity where nothing differs.
typedef struct lrd_pixels_comparison
{
	lrd_compared_as as;
	uint32_t channels;   ///< LRD_CHANNEL_…: those that both have; alpha where either has it, being 1 in the other
	double peak;         ///< of colours: 1; of light the reference's greatest colour component, 1 if none is above 0
	double psnr[4];      ///< red, green, blue, alpha; infinity for channels that were not compared
	double max_error[4]; ///< absolute
	double psnr_rgb;     ///< of the mean squared error over all colours that were compared
	double max;          ///< the greatest of max_error
	double ssim_luma;    ///< structural similarity (Wang et al., 2004) of luma; 0 when skipped
	double ssim_rgb;     ///< the mean of the colours' own
	double angle_mean;   ///< degrees between normals; 0 unless as LRD_COMPARED_NORMALS
	double angle_max;
	double psnr_reinhard; ///< of x / (1 + x) of the colours, with a peak of 1; 0 unless one of the two is open
	double psnr_log2;     ///< of log2(1 + x), with the reference's peak; the same
	double rmsle;         ///< root mean square of ln(1 + x) - ln(1 + y); the same
} lrd_pixels_comparison;

/// Compare two pictures of one size. Errors: LRD_ERROR_ARGUMENT (sizes differ, no texels), LRD_ERROR_MEMORY.
LRD_API bool lrd_pixels_compare(
	const lrd_pixels_compare_desc *desc, lrd_pixels_comparison *comparison, lrd_error *error);

/// A picture of the difference, LRD_PIXELS_UNORM8, to be given to lrd_pixels_free: |difference| / peak * amplify in each
/// colour, with alpha's added to all three. Errors as above.
LRD_API bool lrd_pixels_difference(const lrd_pixels_compare_desc *desc, lrd_pixels *picture, lrd_error *error);

typedef struct lrd_pixels_flip_desc
{
	const lrd_pixels *reference;
	const lrd_pixels *pixels;
	float pixels_per_degree; ///< of the viewer's eye, from 1 to 400; 0: 67, a 4K screen from as far away as it is wide
	lrd_allocator allocator; ///< for temporary memory, and the picture; zeroed: malloc
} lrd_pixels_flip_desc;

/// From 0, as good as the same, to 1, as different as can be.
typedef struct lrd_pixels_flip_result
{
	double mean;
	double most;     ///< of all pixels but one in a hundred the greatest, rounded up to 1/1024
	double greatest; ///< of all pixels
} lrd_pixels_flip_result;

/// How different two pictures of one size look when one flips between them, as lrd_pixels_show shows them, alpha left
/// out: FLIP, by Andersson et al., "FLIP: A Difference Evaluator for Alternating Images", 2020. `picture`, unless NULL, is
/// LRD_PIXELS_UNORM8, to be given to lrd_pixels_free: black where nothing differs, then violet, red, yellow.
/// Errors: LRD_ERROR_ARGUMENT (sizes differ, no texels, pixels_per_degree), LRD_ERROR_MEMORY.
LRD_API bool lrd_pixels_flip(
	const lrd_pixels_flip_desc *desc, lrd_pixels_flip_result *result, lrd_pixels *picture, lrd_error *error);

#endif
