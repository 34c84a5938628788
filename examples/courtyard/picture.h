// Pictures in memory and their encodings: 8-bit PNG through libspng, JPEG through TurboJPEG.

#ifndef COURTYARD_PICTURE_H
#define COURTYARD_PICTURE_H

#include "maths.h"

#include <stddef.h>

/// 8-bit pixels, rows from the top, channels interleaved.
typedef struct picture
{
	int width, height;
	int channels; ///< 1, 3 or 4
	uint8_t *pixels;
} picture;

/// One height (or any scalar) a texel, rows from the top; what normal maps are made from.
typedef struct field
{
	int width, height;
	float *values;
} field;

/// An encoded image file in memory.
typedef struct encoded
{
	uint8_t *bytes;
	size_t size;
} encoded;

/// Memory or the end of the program, with a message.
void *obtain(size_t size);
/// As realloc, or the end of the program.
void *obtain_again(void *old, size_t size);
/// Print to stderr and end the program.
_Noreturn void give_up(const char *what, const char *which);

picture picture_new(int width, int height, int channels);
void picture_free(picture *p);
/// Write a texel's first channels from 0..1 values, rounded to the nearest byte.
void picture_set(picture *p, int x, int y, vec4 value);
vec4 picture_get(const picture *p, int x, int y);

field field_new(int width, int height);
void field_free(field *f);

/// Tangent-space normals of a tileable height field: +X right, +Y up in the picture (the OpenGL convention glTF asks
/// for).
/// `depth` is the height of 1.0 in widths of the picture.
picture normals_from(const field *f, float depth);

encoded encode_png(const picture *p);
/// Three channels only.
encoded encode_jpeg(const picture *p, int quality);

#endif
