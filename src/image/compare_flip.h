// image/compare_flip.h: how different two pictures look to somebody who flips between them: the FLIP metric. Pure.
//
// Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström, Fairchild, "FLIP: A Difference Evaluator for Alternating Images",
// Proceedings of the ACM on Computer Graphics and Interactive Techniques 3(2), 2020. All constants are its.

#ifndef IMAGE_COMPARE_FLIP_H
#define IMAGE_COMPARE_FLIP_H

#include "larder/base.h"

/// A 4K screen of 0.7 m seen from 0.7 m: 0.7 * 3840 / 0.7 * pi / 180.
#define LRD_FLIP_PIXELS_PER_DEGREE 67.02064f

typedef struct lrd_flip_desc
{
	const uint8_t *reference; ///< width * height RGBA8, sRGB-encoded; alpha is not looked at
	const uint8_t *image;
	uint32_t width;
	uint32_t height;
	float pixels_per_degree; ///< of the eye's; from 1 to 400; 0: LRD_FLIP_PIXELS_PER_DEGREE
	uint8_t *picture; ///< width * height RGBA8: black where nothing differs, then violet, red, yellow; NULL: none
	lrd_allocator allocator;
} lrd_flip_desc;

/// 0: as good as the same; 1: as different as can be.
typedef struct lrd_flip_result
{
	double mean;
	double most;     ///< of all pixels but one in a hundred, the greatest: as 1/1024ths, rounded up
	double greatest; ///< of all
} lrd_flip_result;

/// Memory is 14 rows of floats for each row that a pixel's surroundings reach over.
/// Errors: LRD_ERROR_ARGUMENT (no pixels, pixels_per_degree), LRD_ERROR_MEMORY.
bool lrd_flip(const lrd_flip_desc *desc, lrd_flip_result *result, lrd_error *error);

#endif
