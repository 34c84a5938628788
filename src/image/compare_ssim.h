// image/compare_ssim.h: structural similarity, fed row by row. Private to the room.

#ifndef IMAGE_COMPARE_SSIM_H
#define IMAGE_COMPARE_SSIM_H

#include "image/compare.h"
#include "image/compare_kernel.h"
#include "image/cubemap_maths.h"

/// Luma, red, green, blue.
#define LRD_SSIM_SIGNALS 4u

typedef struct lrd_ssim
{
	uint32_t width, height;
	size_t stride; ///< floats of a row of one mean
	lrd_ssim_window across, down;
	float scale; ///< to a peak of 1
	float *memory;
	size_t memory_size;
	float *planes; ///< a row of each signal of both images
	float *rings;  ///< the last rows' means of each signal
	float *similarity;
	uint32_t rows; ///< seen so far
	double sums[LRD_SSIM_SIGNALS];
	lrd_isa isa;
	lrd_allocator allocator;
} lrd_ssim;

bool lrd_ssim_open(lrd_ssim *ssim, uint32_t width, uint32_t height, double peak, lrd_isa isa, lrd_allocator allocator,
	lrd_error *error);
void lrd_ssim_row(lrd_ssim *ssim, const lrd_rgba *a, const lrd_rgba *b);
/// After the last row: the mean of a signal.
double lrd_ssim_mean(const lrd_ssim *ssim, uint32_t signal);
void lrd_ssim_close(lrd_ssim *ssim);

#endif
