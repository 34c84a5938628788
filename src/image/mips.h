// image/mips.h: between making a chain and keeping its alpha coverage, and roughness' normals. Private to the room.

#ifndef IMAGE_MIPS_H
#define IMAGE_MIPS_H

#include "image/mip_rows.h"

/// The least alpha, before rounding, that is stored at or above `cutoff` in 0..1: as 8 bits, as a half float.
float lrd_coverage_reached_8(float cutoff);
float lrd_coverage_reached_half(float cutoff);

typedef struct lrd_coverage
{
	float reached; ///< the least alpha that passes
	double share;  ///< of level 0's texels that do
	uint32_t width, height;
	lrd_mip_wrap wrap_u, wrap_v;
	float *alphas;     ///< of a level; 0..1 or thereabouts
	uint32_t *scratch; ///< one for each alpha
} lrd_coverage;

/// Scale the alphas, by the factor nearest to 1, so that as near to level 0's share of them passes as can be. Where
/// many equal ones stand where the share ends, some pass and some don't.
void lrd_coverage_keep(const lrd_coverage *coverage);

/// Rows of unit normals, whatever the size of their image: where it is larger, the mean over each texel's area.
typedef struct lrd_mip_normals
{
	const lrd_image *image;
	uint32_t width, height; ///< of the rows that are wanted
	bool two_channel;
	lrd_mip_kernels kernels;
	float *memory; ///< a row of the image, the sum of some
	size_t stride;
	lrd_allocator allocator;
} lrd_mip_normals;

/// The fields up to the kernels are the caller's, and the allocator.
bool lrd_mip_normals_open(lrd_mip_normals *normals, lrd_error *error);
/// Planes 0..2 of row `y`; plane 3 is of no meaning.
void lrd_mip_normals_row(const lrd_mip_normals *normals, uint32_t y, float *planes, size_t stride);
void lrd_mip_normals_close(lrd_mip_normals *normals);

/// How an image's normals are loaded.
lrd_mip_loading lrd_mip_normal_loading(lrd_pixel_type type);

/// What stands for opaque, or for 1.
static inline float lrd_pixel_unit(lrd_pixel_type type)
{
	return type == LRD_PIXEL_UNORM8 ? 255.0f : type == LRD_PIXEL_UNORM16 ? 65535.0f : 1.0f;
}

static inline size_t lrd_pixel_size(lrd_pixel_type type)
{
	return type == LRD_PIXEL_UNORM8 ? 4 : type == LRD_PIXEL_UNORM16 ? 8 : 16;
}

#endif
