// image/mip_chain.h: mip chains: what each level of a texture holds, made from the first one. Included by image/image.h.

#ifndef IMAGE_MIP_CHAIN_H
#define IMAGE_MIP_CHAIN_H

#include "base/isa.h"
#include "base/memory.h"

struct lrd_image;

typedef enum lrd_mip_content
{
	LRD_MIP_COLOR,  ///< colour, filtered in linear light; sRGB-encoded unless the image says it is linear
	LRD_MIP_DATA,   ///< numbers, filtered as they are
	LRD_MIP_NORMAL, ///< tangent-space normals in RGB, 0..1 for -1..1, floats as they are; renormalised at each level
} lrd_mip_content;

typedef enum lrd_mip_filter
{
	/// Sinc for colour of 8 or 16 bits whose alpha is not coverage: it keeps detail that a box blurs, and aliases less.
	/// Box for the rest. Data must not leave the range of what it was made from, normals must not be bent outwards,
	/// alpha must not ring around a cutout, and beside an HDR highlight a sinc's negative lobes are black.
	LRD_MIP_FILTER_AUTO,
	LRD_MIP_FILTER_BOX,  ///< the mean of the area that a texel covers
	LRD_MIP_FILTER_SINC, ///< sinc in a Kaiser window of 3 lobes, alpha 4: 12 texels wide at even sizes
} lrd_mip_filter;

/// What lies past an edge.
typedef enum lrd_mip_wrap
{
	LRD_MIP_WRAP_REPEAT, ///< the other side: what a sampler of glTF does unless told
	LRD_MIP_WRAP_CLAMP,  ///< the edge texel, again and again
	LRD_MIP_WRAP_MIRROR, ///< the image turned over
} lrd_mip_wrap;

/// What a chain is made of and how. Zeroed fields are the default.
typedef struct lrd_mips_desc
{
	const struct lrd_image *image; ///< level 0
	lrd_mip_content content;
	lrd_mip_filter filter;
	lrd_mip_wrap wrap_u;  ///< across; the box filter never reaches past an edge
	lrd_mip_wrap wrap_v;  ///< down
	bool alpha_weighted;  ///< alpha means coverage: colours are weighted by it while filtering
	bool premultiply;     ///< colours are stored multiplied by alpha, in linear light; implies alpha_weighted
	float alpha_coverage; ///< cutoff in 0..1: each level's share of texels at or above it stays level 0's; 0: off
	bool two_channel;     ///< normals (roughness_normals' where set) hold X and Y only: Z is sqrt(1 - X^2 - Y^2)
	bool flip_y;          ///< normals: Y points the other way; turned before all else, in level 0 too
	/// Data whose G is a glTF roughness: the normal map of the same surface, of any size. Below level 0, roughness is
	/// raised by what the shortening of the mean normal says of the normals beneath a texel.
	const struct lrd_image *roughness_normals;
	uint32_t max_side;    ///< levels with a longer side are neither rounded nor stored; 0: no limit
	uint32_t min_side;    ///< no level but the first stored has its longer side below; 0: down to 1 x 1
	uint32_t level_count; ///< stored at most; 0: no limit; 1: one alone
	bool borrow_image;    ///< where level 0 is the image byte for byte, it is the image's memory, which has to live on
	lrd_isa isa;          ///< instruction set; the bytes are the same on each
	lrd_allocator allocator;
} lrd_mips_desc;

#define LRD_MIPS_MAX 32

/// A mip chain ready for a texture: RGBA8 (colour: sRGB-encoded) or, for LRD_PIXEL_F32 images, RGBA16F.
typedef struct lrd_mips
{
	uint32_t level_count;
	bool half_float;
	bool borrowed;    ///< level 0 is the image's memory
	uint64_t clamped; ///< components of a float image that no half holds: infinite, too large (clamped), NaN (0)
	struct
	{
		uint32_t width, height;
		uint8_t *data;
		size_t size;
	} levels[LRD_MIPS_MAX];
	lrd_allocator allocator;
} lrd_mips;

/// Filter a chain in float, rounding once at the end: each level is made of the unrounded one before. Sizes halve,
/// rounded down; odd ones are weighted exactly (polyphase), no row is dropped. Values are clamped when they are stored,
/// never between: colours to 0..1, floats to 0 and up where the image has no negative ones in a colour.
/// Level 0 of an 8-bit image is the image, byte for byte, unless it must change: linear colour, which a chain holds
/// sRGB-encoded; premultiply; flip_y; two_channel. Half floats are not encoded. A texel of one colour throughout stays
/// that colour to the last bit.
/// Coverage is counted on what is stored, texel by texel, without a sampler's interpolation: it is level 0's within
/// half a texel or 1/512 of the level's, whichever is more.
/// Memory besides the chain: some rows of each level in float; with coverage, about 10 bytes for each texel of level 1.
/// Errors: LRD_ERROR_MEMORY, LRD_ERROR_ARGUMENT (an image without texels, a coverage cutoff outside 0..1, normals for
/// what is no data).
bool lrd_mips_make(const lrd_mips_desc *desc, lrd_mips *mips, lrd_error *error);
void lrd_mips_free(lrd_mips *mips);

#endif
