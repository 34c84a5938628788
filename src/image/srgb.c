// The sRGB transfer functions, IEC 61966-2-1:1999. pow() differs between C libraries by its last bits of a double;
// rounded to a float or to a code of 8 or 16 bits, as everything here is, the results agree.

#include "image/srgb.h"

#include <math.h>

double lrd_srgb_to_linear_exact(double encoded)
{
	return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

double lrd_linear_to_srgb_exact(double linear)
{
	return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

float lrd_srgb_to_linear(float encoded)
{
	return (float)lrd_srgb_to_linear_exact(encoded);
}

float lrd_linear_to_srgb(float linear)
{
	return (float)lrd_linear_to_srgb_exact(linear);
}

// The least float that is not below `value`.
static float round_up(double value)
{
	float rounded = (float)value;
	return rounded < value ? nextafterf(rounded, INFINITY) : rounded;
}

void lrd_srgb_tables_fill(lrd_srgb_tables *tables)
{
	for (uint32_t code = 0; code < 256; code++)
	{
		tables->linear[code] = lrd_srgb_to_linear((float)code / 255.0f);
		// Halfway to the code below; where the two pieces of the function meet, its inverse is good to 1e-8, far from
		// any halfway.
		tables->threshold[code] = code == 0 ? 0.0f : round_up(lrd_srgb_to_linear_exact((code - 0.5) / 255.0));
	}
	tables->threshold[256] = INFINITY;
	int32_t code = 0;
	for (int32_t step = 0; step < LRD_SRGB_STEPS; step++)
	{
		int32_t begin = (step + LRD_SRGB_FIRST_STEP) * 0x10000;
		int32_t threshold;
		memcpy(&threshold, &tables->threshold[code + 1], sizeof threshold);
		if (begin >= threshold)
		{
			code++;
			memcpy(&threshold, &tables->threshold[code + 1], sizeof threshold);
		}
		int32_t until = threshold - begin; // of floats of this step before the threshold
		tables->encode[step] = code * 0x10000 + (until < 0x10000 ? 0x10000 - until : 0);
	}
}
