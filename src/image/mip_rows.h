// image/mip_rows.h: rows of a mip chain in float, a plane a channel, and the kernels that load, filter and store them.
// Private to the room.

#ifndef IMAGE_MIP_ROWS_H
#define IMAGE_MIP_ROWS_H

#include "image/image.h"

/// Floats before a row's first texel, for taps past the edge; more behind it, where kernels also work on whole vectors.
#define LRD_MIP_PAD 32u
#define LRD_MIP_PAD_AFTER 96u

/// Planes of a row: red, green, blue, alpha; then those that are filtered by the box whatever the filter: the four again,
/// colours weighted by alpha, or a normal.
#define LRD_MIP_MAIN_PLANES 4u
#define LRD_MIP_PLANES_MAX 8u

#define LRD_MIP_PAIRS_MAX 6u
#define LRD_MIP_TAPS_MAX 20u

/// How one axis is halved. Texel i of the next level takes texels 2 i + base .. 2 i + base + taps - 1. The result is
/// written as a texel and what the others differ from it, so that a constant stays one to the last bit.
typedef struct lrd_mip_axis
{
	uint32_t size, next;
	int32_t base;
	uint32_t taps;  ///< 1: size is 1, the texel as it is
	uint32_t pairs; ///< even sizes: texels 2 i - k and 2 i + 1 + k have one weight for all i; else 0
	float pair_weights[LRD_MIP_PAIRS_MAX];
	const float *weights; ///< odd sizes: of tap k of texel i at [k * stride + i]
	size_t stride;
} lrd_mip_axis;

/// How texels of the image become rows. Alpha stays in the image's unit (255, 65535 or 1 is opaque).
typedef struct lrd_mip_loading
{
	lrd_pixel_type type;
	const float *linear; ///< of each code; NULL: colours are code * scale + bias
	float scale, bias;
	bool weighted; ///< colours are multiplied by alpha, or by alpha_floor where that is more
	bool alpha_only;
	float alpha_floor;
} lrd_mip_loading;

/// How a row becomes texels of a level.
typedef struct lrd_mip_storing
{
	const int32_t *srgb; ///< lrd_srgb_tables' encode; NULL: colours are stored as value * scale + bias
	float scale, bias;
	float low, high;    ///< of a stored colour that is not sRGB-encoded
	float alpha_scale;  ///< of stored alpha, from the image's unit
	float alpha_opaque; ///< stored
	float alpha_low, alpha_high;
	float alpha_unit; ///< 1 / opaque in the image's unit
	bool half_float;
	bool normal;      ///< to length 1
	bool weighted;    ///< colours are multiplied by alpha
	bool premultiply; ///< and stay so
	bool boxed;       ///< planes 4..7 hold the box's weighted colours: they are taken where alpha is little
	bool spread;      ///< green is a squared GGX alpha, planes 4..6 the mean of unit normals
} lrd_mip_storing;

/// `planes` begins at the first texel of plane 0; planes are `stride` apart, and have room for whole vectors.
LRD_KERNEL_DECLARE(uint64_t, lrd_mip_load,
	(const lrd_mip_loading *how, const void *texels, size_t count, float *planes, size_t stride));
/// Normals from -1 to 1: Z of X and Y, Y turned, length 1.
LRD_KERNEL_DECLARE(void, lrd_mip_shape_normals,
	(bool two_channel, bool flip_y, bool unit, size_t count, float *planes, size_t stride));
/// One plane of a row, with its taps past the edges in place.
LRD_KERNEL_DECLARE(void, lrd_mip_across, (const lrd_mip_axis *axis, const float *in, float *out));
/// One plane of row `y` of the next level, of axis->taps rows.
LRD_KERNEL_DECLARE(
	void, lrd_mip_down, (const lrd_mip_axis *axis, uint32_t y, const float *const *rows, size_t count, float *out));
/// `alphas`, 0..1, are stored instead of plane 3; NULL: not.
LRD_KERNEL_DECLARE(void, lrd_mip_store,
	(const lrd_mip_storing *how, const float *planes, size_t stride, const float *alphas, size_t count, uint8_t *out));

typedef struct lrd_mip_kernels
{
	uint64_t (*load)(const lrd_mip_loading *how, const void *texels, size_t count, float *planes, size_t stride);
	void (*shape_normals)(bool two_channel, bool flip_y, bool unit, size_t count, float *planes, size_t stride);
	void (*across)(const lrd_mip_axis *axis, const float *in, float *out);
	void (*down)(const lrd_mip_axis *axis, uint32_t y, const float *const *rows, size_t count, float *out);
	void (*store)(const lrd_mip_storing *how, const float *planes, size_t stride, const float *alphas, size_t count,
		uint8_t *out);
} lrd_mip_kernels;

lrd_mip_kernels lrd_mip_kernels_of(lrd_isa isa);

/// Floats that the axis' weights take.
size_t lrd_mip_axis_floats(uint32_t size, lrd_mip_filter filter);
/// `weights` has that many. `filter` is not AUTO.
lrd_mip_axis lrd_mip_axis_make(uint32_t size, lrd_mip_filter filter, float *weights);
/// The texel that stands at `index`, which may lie past an edge.
uint32_t lrd_mip_wrap_index(int64_t index, uint32_t size, lrd_mip_wrap wrap);

/// Of level `level` of an image with this side.
static inline uint32_t lrd_mip_level_size(uint32_t size, uint32_t level)
{
	uint32_t halved = size >> level;
	return halved != 0 ? halved : 1;
}

static inline uint32_t lrd_mip_halved(uint32_t size)
{
	return size > 1 ? size / 2 : 1;
}

#endif
