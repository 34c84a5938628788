// import/picture.h: what the parts of larder/picture.h share: picture.c opens and dispatches, picture_texture.c decodes
// KTX 2.0, picture_pixels.c shows, saves and rebuilds pixels, picture_compare.c compares them.

#ifndef IMPORT_PICTURE_H
#define IMPORT_PICTURE_H

#include "image/dds.h"
#include "image/image.h"
#include "larder/picture.h"
#include "larder/texture.h"

struct lrd_picture
{
	lrd_picture_info info;
	lrd_bytes bytes;
	lrd_allocator allocator;
	uint32_t max_side;
	uint64_t max_bytes;
	void *aligned; ///< a copy of the bytes where they were not aligned
	lrd_texture_view texture;
	lrd_dds dds;
	lrd_image image; ///< of files with one image
};

/// Open the bytes of a picture as KTX 2.0, and fill in its info.
bool lrd_picture_open_texture(lrd_picture *picture, lrd_error *error);

/// Decode an image that is there. `pixels` has range, channels and srgb of the info.
bool lrd_picture_decode_texture(
	const lrd_picture *picture, const lrd_picture_decode_desc *desc, lrd_pixels *pixels, lrd_error *error);

/// Make x, y, z of two channels. Errors: LRD_ERROR_MEMORY, and then nothing changed.
bool lrd_pixels_rebuild_normals(lrd_pixels *pixels, lrd_picture_normals stored, lrd_error *error);

/// The same memory as an image.
lrd_image lrd_pixels_as_image(const lrd_pixels *pixels);

/// Set has_alpha by looking.
void lrd_pixels_look_for_alpha(lrd_pixels *pixels);

#endif
