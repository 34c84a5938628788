// image/compare_kernel.h: the loops of structural similarity, compiled for each instruction set. Private to the room.

#ifndef IMAGE_COMPARE_KERNEL_H
#define IMAGE_COMPARE_KERNEL_H

#include "base/isa.h"

#include <stddef.h>

#define LRD_SSIM_WINDOW 11u

/// Weighted means of a window: of a, of b, of a^2 + b^2, of a b.
#define LRD_SSIM_MEANS 4u

typedef struct lrd_ssim_window
{
	size_t taps; ///< 1..LRD_SSIM_WINDOW
	float weights[LRD_SSIM_WINDOW];
} lrd_ssim_window;

/// Means along a row: means[m * stride + x] of texels x to x + taps - 1, x below `count`. Arrays are padded: a and b are read,
/// and means written, up to count rounded up to LRD_LANES_MAX.
LRD_KERNEL_DECLARE(void, lrd_ssim_across,
	(const lrd_ssim_window *window, const float *a, const float *b, size_t count, size_t stride, float *means));

/// Similarity of `count` windows, of rows that lrd_ssim_across has filled, one a tap. `c1` and `c2` as in the paper.
LRD_KERNEL_DECLARE(void, lrd_ssim_down,
	(const lrd_ssim_window *window, const float *const *rows, size_t count, size_t stride, float c1, float c2,
		float *similarity));

#endif
