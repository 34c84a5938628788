// Floats that are not finite are kept out of images: one would spread through every filter.

#include "image/codec.h"
#include "image/half.h"

// Texels that are looked at together, before any is looked at alone: almost none are not finite.
#define RUN 256u

static uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static bool all_finite(const float *values, size_t count)
{
	uint32_t carries = 0;
	for (size_t i = 0; i < count; i++)
	{
		// Reaches the sign bit only where the exponent is all ones: infinities and NaN.
		carries |= (bits_of(values[i]) & 0x7fffffffu) + 0x00800000u;
	}
	return (carries & 0x80000000u) == 0;
}

static size_t settle(float *values, size_t count)
{
	size_t replaced = 0;
	for (size_t i = 0; i < count; i++)
	{
		if (!all_finite(&values[i], 1))
		{
			bool is_nan = (bits_of(values[i]) & 0x007fffffu) != 0;
			bool is_negative = bits_of(values[i]) >> 31 != 0;
			values[i] = is_nan ? 0.0f : is_negative ? -LRD_HALF_MAX : LRD_HALF_MAX;
			replaced++;
		}
	}
	return replaced;
}

size_t lrd_floats_settle(float *values, size_t count)
{
	return all_finite(values, count) ? 0 : settle(values, count);
}

size_t lrd_texels_settle(float *rgba, size_t texels)
{
	size_t replaced = 0;
	for (size_t begin = 0; begin < texels; begin += RUN)
	{
		size_t count = texels - begin < RUN ? texels - begin : RUN;
		float *run = rgba + 4 * begin;
		bool finite = all_finite(run, 4 * count);
		for (size_t i = 0; i < count && !finite; i++)
		{
			replaced += settle(run + 4 * i, 4) != 0 ? 1 : 0;
		}
	}
	return replaced;
}
