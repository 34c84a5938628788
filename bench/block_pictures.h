// block_pictures.h: the pictures that block compression is measured on.

#ifndef BENCH_BLOCK_PICTURES_H
#define BENCH_BLOCK_PICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a picture holds; formats choose the ones that they are for.
#define BENCH_PICTURE_COLOR 1u
#define BENCH_PICTURE_ALPHA 2u
#define BENCH_PICTURE_NORMAL 4u
#define BENCH_PICTURE_DATA 8u
#define BENCH_PICTURE_ANY 15u

typedef struct bench_picture
{
	char name[32];
	unsigned kind;
	uint32_t width;
	uint32_t height;
	uint8_t *pixels; ///< RGBA, malloc
} bench_picture;

/// Make the synthetic ones (at most 8): a normal map, an ORM map, foliage with alpha, a UI sheet, and, `with_photo`,
/// noise with the spectrum of a photograph. Returns how many.
size_t bench_pictures_make(bench_picture *pictures, bool with_photo);

#endif
