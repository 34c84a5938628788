// image/exr.h: what the files of the EXR decoder share: an open file in memory, what of it is the picture, and colours.
// OpenEXRCore parses headers and unpacks chunks; which parts, layers and channels are meant, windows, luminance and
// chroma, and primaries are done here. Private to the room.

#ifndef IMAGE_EXR_H
#define IMAGE_EXR_H

#include "image/codec.h"

#include <openexr.h>

/// A file open for reading. Between open and close this thread's codec memory is the file's.
typedef struct lrd_exr_file
{
	lrd_bytes bytes;
	lrd_codec_memory memory;
	exr_context_t context;
	char message[192]; ///< the first thing that the library complained of: what follows it is consequence
} lrd_exr_file;

bool lrd_exr_open(lrd_exr_file *file, lrd_bytes bytes, lrd_allocator allocator, lrd_error *error);
void lrd_exr_close(lrd_exr_file *file);

/// What the library said, as an error.
bool lrd_exr_fail(const lrd_exr_file *file, exr_result_t code, lrd_error *error);

typedef enum lrd_exr_kind
{
	LRD_EXR_RGB,    ///< up to three channels for three components
	LRD_EXR_GREY,   ///< one channel for all three
	LRD_EXR_CHROMA, ///< Y of every texel, RY and BY of every second one in both directions
} lrd_exr_kind;

enum
{
	LRD_EXR_FIRST,  ///< R, or Y, or the only one
	LRD_EXR_SECOND, ///< G, or RY
	LRD_EXR_THIRD,  ///< B, or BY
	LRD_EXR_ALPHA,
	LRD_EXR_PLANES,
};

/// What of a file is decoded.
typedef struct lrd_exr_picture
{
	int part;
	lrd_exr_kind kind;
	int channels[LRD_EXR_PLANES]; ///< places in the part's list; negative: there is none
	const exr_attr_chlist_t *list;
	exr_attr_box2i_t data;    ///< what is stored
	exr_attr_box2i_t display; ///< what is shown
	exr_compression_t compression;
	bool tiled;
	uint32_t source_channels;
	bool is_color; ///< red, green and blue, or luminance: not a depth or a vector
} lrd_exr_picture;

/// The first part that holds a colour picture, and in it the layer without a name or else the first; where nothing is
/// a colour, the first channels there are.
bool lrd_exr_choose(const lrd_exr_file *file, lrd_exr_picture *picture, lrd_error *error);

/// Bytes that one line of all channels takes, where each has every texel.
uint64_t lrd_exr_texel_size(const exr_attr_chlist_t *list);

/// What colours mean.
typedef struct lrd_exr_colors
{
	float luminance[3]; ///< the share that each primary has in Y
	bool convert;       ///< the primaries are not Rec. ITU-R BT.709's
	float to_709[9];    ///< rows
} lrd_exr_colors;

/// From the part's attributes, or Rec. 709 where there are none.
bool lrd_exr_colors_read(const lrd_exr_file *file, int part, lrd_exr_colors *colors, lrd_error *error);

void lrd_exr_to_709(const lrd_exr_colors *colors, float *rgba, size_t texels);

/// Subsampled chroma of the whole data window, and the region of it that `pixels` shows.
typedef struct lrd_exr_chroma
{
	const float *planes[2];    ///< RY and BY, (data width / 2) * (data height / 2)
	uint32_t width, height;    ///< of a plane
	uint32_t first_x, first_y; ///< where the region begins, in texels of the data window
	uint32_t region_width, region_height;
	float *pixels;     ///< the region's first texel; Y is in R
	size_t row_stride; ///< components
	lrd_allocator allocator;
} lrd_exr_chroma;

/// Y, RY and BY to R, G and B. Errors: LRD_ERROR_MEMORY.
bool lrd_exr_chroma_to_rgb(const lrd_exr_chroma *chroma, const lrd_exr_colors *colors, lrd_error *error);

#endif
