// image/stb_headers.h: what TGA and BMP headers say, and the way into stb_image, which checks little and reads on past
// the end: these checks stand in front of it. Private to the room.

#ifndef IMAGE_STB_HEADERS_H
#define IMAGE_STB_HEADERS_H

#include "image/codec.h"

bool lrd_tga_measure(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error);
/// The header says that the fourth component is no alpha. Many writers say so wrongly.
bool lrd_tga_denies_alpha(lrd_bytes bytes);

bool lrd_bmp_measure(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error);
/// Every index is inside the palette (stb_image reads uninitialised entries otherwise). The bytes have been measured.
bool lrd_bmp_check_indices(lrd_bytes bytes, const lrd_image_layout *layout, lrd_error *error);

/// Where stb_image reads from, as its stbi_io_callbacks.
typedef struct lrd_stb_source
{
	int (*read)(void *user, char *data, int size);
	void (*skip)(void *user, int size);
	int (*ended)(void *user);
} lrd_stb_source;

/// Decode between lrd_codec_memory_enter and leave. The pixels, `channels` bytes each, go back by lrd_codec_free; NULL:
/// `reason`.
uint8_t *lrd_stb_load(
	const lrd_stb_source *source, void *user, int *width, int *height, int *channels, const char **reason);

#endif
