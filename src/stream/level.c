// stream/level.c: how fine a texture is worth having where it is seen: how many of its texels come to a pixel.

#include "larder/stream.h"

#include <string.h>

#define FINEST 0u
#define COARSEST 31u

uint32_t lrd_stream_level(float texels_per_unit, float distance, float pixels_per_unit)
{
	// Texels to a pixel: at 1 level 0 is right, and with each doubling the next.
	float texels = texels_per_unit * distance / pixels_per_unit;
	if (!(texels >= 2.0f))
	{
		return FINEST;
	}
	uint32_t bits;
	memcpy(&bits, &texels, sizeof bits);
	uint32_t exponent = (bits >> 23 & 0xffu) - 127u;
	return exponent < COARSEST ? exponent : COARSEST;
}
