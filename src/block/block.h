// block/block.h: block-compressed texels: what the formats are, and decoding them. Ships with the run time. Pure: bytes
// in, texels out. The encoders are behind block/encode.h.
//
// Khronos Data Format Specification 1.3, "S3TC", "RGTC", "BPTC" compressed texture image formats; Microsoft "Texture
// Block Compression in Direct3D 11", "BC6H Format", "BC7 Format".

#ifndef BLOCK_BLOCK_H
#define BLOCK_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lrd_block_format
{
	LRD_BLOCK_BC1,       ///< RGB; a block of three colours has black for its fourth
	LRD_BLOCK_BC1_ALPHA, ///< the same bits; the fourth of three colours is transparent black
	LRD_BLOCK_BC2,
	LRD_BLOCK_BC3,
	LRD_BLOCK_BC4_UNORM, ///< R
	LRD_BLOCK_BC4_SNORM,
	LRD_BLOCK_BC5_UNORM, ///< R and G
	LRD_BLOCK_BC5_SNORM,
	LRD_BLOCK_BC6H_UFLOAT, ///< RGB
	LRD_BLOCK_BC6H_SFLOAT,
	LRD_BLOCK_BC7, ///< RGBA
	LRD_BLOCK_FORMAT_COUNT
} lrd_block_format;

/// Bytes of a block of 4 x 4 texels: 8 or 16.
size_t lrd_block_bytes(lrd_block_format format);

/// Texels of this format are decoded to 8 bits a channel exactly; else they need floats.
bool lrd_block_is_unorm8(lrd_block_format format);

/// Decode a block to 16 texels RGBA, row by row. Any bytes decode to something; what a format reserves is what the
/// specification says of it (BC7, BC6H: zeros). Channels that a format lacks are 0, alpha 1.
/// BC1, BC2, BC3, BC7, and BC4 and BC5 UNORM rounded to the nearest of 8 bits. Nothing happens for other formats.
void lrd_block_decode_unorm8(lrd_block_format format, const void *block, uint8_t texels[64]);

/// BC6H exactly as half floats. Nothing happens for other formats.
void lrd_block_decode_half(lrd_block_format format, const void *block, uint16_t texels[64]);

/// Any format, with the precision that its interpolation has (BC4: not rounded to 8 bits; SNORM: -1..1).
void lrd_block_decode_f32(lrd_block_format format, const void *block, float texels[64]);

#endif
