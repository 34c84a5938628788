// image/exr_cosine.h: the arithmetic of DWAA's blocks. Private to the room.

#ifndef IMAGE_EXR_COSINE_H
#define IMAGE_EXR_COSINE_H

#include <stdint.h>

/// Coefficients (half floats, by increasing frequency) to values, 8 lines of 8; `last`: the last coefficient that is
/// not 0.
void lrd_exr_undo_cosine(const uint16_t coefficients[64], uint32_t last, float values[64]);

/// Luma, blue and red chroma to red, green and blue, in place.
void lrd_exr_undo_luma(float values[3][64]);

/// What half floats on the scale on which colours are stored stand for, in linear light; worked out when first asked.
typedef struct lrd_exr_scale
{
	uint16_t linear[65536];
} lrd_exr_scale;

void lrd_exr_scale_init(lrd_exr_scale *scale);
uint16_t lrd_exr_scale_to_linear(lrd_exr_scale *scale, uint16_t half);

#endif
