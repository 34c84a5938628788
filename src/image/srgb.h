// image/srgb.h: the sRGB transfer functions as tables: fast, and rounded as the exact functions would be. For
// rooms of the cook.

#ifndef IMAGE_SRGB_H
#define IMAGE_SRGB_H

#include "image/image.h"

// Codes from 2^-13 up are found by the float's exponent and 7 bits of its mantissa, which are its upper 16 bits: a step.
// Below lies code 0.
#define LRD_SRGB_OCTAVES 13
#define LRD_SRGB_STEPS (LRD_SRGB_OCTAVES * 128)
#define LRD_SRGB_FIRST_STEP ((127 - LRD_SRGB_OCTAVES) << 7)

typedef struct lrd_srgb_tables
{
	float linear[256];    ///< of each code
	float threshold[257]; ///< [i]: the least float that rounds to code i; [256] is out of reach
	/// Of each step, which holds at most one threshold: the code at its beginning in the upper 16 bits, and below what
	/// has to be added to a float's lower 16 bits so that they carry into the code from the threshold on.
	int32_t encode[LRD_SRGB_STEPS];
} lrd_srgb_tables;

void lrd_srgb_tables_fill(lrd_srgb_tables *tables);

/// The code nearest to a linear value, as the exact function rounds it; NaN is 0.
static inline uint8_t lrd_srgb_encode(const lrd_srgb_tables *tables, float linear)
{
	if (!(linear >= 0x1p-13f))
	{
		return 0;
	}
	if (linear >= 1.0f)
	{
		return 255;
	}
	int32_t bits;
	memcpy(&bits, &linear, sizeof bits);
	return (uint8_t)((tables->encode[(bits >> 16) - LRD_SRGB_FIRST_STEP] + (bits & 0xffff)) >> 16);
}

/// The exact functions in double; negative values continue the linear part.
double lrd_srgb_to_linear_exact(double encoded);
double lrd_linear_to_srgb_exact(double linear);

#endif
