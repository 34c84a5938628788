// Alpha coverage: filtering pulls alpha towards its mean, so a cutoff that shows half of a leaf shows less or more of
// its smaller mips. Each level's alpha is scaled until the same share passes. The idea is Ignacio Castano's ("Computing
// Alpha Mipmaps", 2010), who searches for the factor; here it is exact, for it follows from the alpha that stands where
// the share ends when all are sorted.

#include "image/half.h"
#include "image/mips.h"

#include <math.h>

// Alphas below this are as good as nothing, and are not scaled up to something.
#define ALPHA_MIN 0x1p-10f

// Keeps rounding in `alpha * scale` from falling on the wrong side.
#define NUDGE 1e-6f

// Alphas from ALPHA_MIN to 2^6 as integers of the same order, which three digits write.
#define KEY_DIGIT_BITS 9u
#define KEY_MAX ((1u << 3 * KEY_DIGIT_BITS) - 1u)

float lrd_coverage_reached_8(float cutoff)
{
	uint32_t code = 0;
	while (code < 255 && (float)code / 255.0f < cutoff)
	{
		code++;
	}
	return ((float)code - 0.5f) / 255.0f;
}

float lrd_coverage_reached_half(float cutoff)
{
	uint16_t half = lrd_half_from_float(cutoff);
	half = (uint16_t)(lrd_float_from_half(half) < cutoff ? half + 1 : half);
	return half == 0 ? 0.0f : (lrd_float_from_half(half) + lrd_float_from_half((uint16_t)(half - 1))) / 2.0f;
}

// Positive floats order as their bits do. 0 for what is below ALPHA_MIN.
static uint32_t key_of(float alpha)
{
	if (!(alpha >= ALPHA_MIN))
	{
		return 0;
	}
	float least = ALPHA_MIN;
	uint32_t bits, least_bits;
	memcpy(&bits, &alpha, sizeof bits);
	memcpy(&least_bits, &least, sizeof least_bits);
	uint32_t key = bits - least_bits + 1;
	return key < KEY_MAX ? key : KEY_MAX;
}

// The wanted-th largest key, digit by digit; the first wanted is 1.
static uint32_t nth_key(const lrd_f4 *texels, size_t count, size_t wanted)
{
	uint32_t key = 0;
	for (uint32_t shift = 3 * KEY_DIGIT_BITS; shift != 0;)
	{
		size_t counts[1u << KEY_DIGIT_BITS] = { 0 };
		uint32_t known = shift;
		shift -= KEY_DIGIT_BITS;
		for (size_t i = 0; i < count; i++)
		{
			uint32_t other = key_of(texels[i][3]);
			counts[other >> shift & ((1u << KEY_DIGIT_BITS) - 1u)] += other >> known == key >> known;
		}
		uint32_t digit = (1u << KEY_DIGIT_BITS) - 1u;
		while (digit > 0 && counts[digit] < wanted)
		{
			wanted -= counts[digit--];
		}
		key |= digit << shift;
	}
	return key;
}

// A cut through the sorted alphas: `least` and above pass, `most` and below don't. Infinite and 0 where there are none.
typedef struct cut
{
	float least, most;
	size_t passing;
} cut;

// Texels with this key or a higher one pass: equal alphas pass together.
static cut cut_at(const lrd_f4 *texels, size_t count, uint32_t key)
{
	cut result = { INFINITY, 0.0f, 0 };
	for (size_t i = 0; i < count; i++)
	{
		float alpha = texels[i][3];
		if (key_of(alpha) >= key)
		{
			result.passing++;
			result.least = alpha < result.least ? alpha : result.least;
		}
		else
		{
			result.most = alpha > result.most ? alpha : result.most;
		}
	}
	return result;
}

float lrd_coverage_scale(const lrd_coverage *coverage, const lrd_f4 *texels, size_t count)
{
	if (!(coverage->reached > 0.0f)) // a cutoff that everything passes
	{
		return 1.0f;
	}
	double target = coverage->share * (double)count;
	size_t wanted = (size_t)(target + 0.5);
	uint32_t key = nth_key(texels, count, wanted > 1 ? wanted : 1);
	key = key > 1 ? key : 1;
	// Where many are equal, no cut meets the target: one before them and one after them enclose it.
	cut with = cut_at(texels, count, key);
	cut without = cut_at(texels, count, key + 1);
	cut nearest = fabs((double)with.passing - target) <= fabs((double)without.passing - target) ? with : without;
	float scale_min = coverage->reached / nearest.least * (1.0f + NUDGE);
	float scale_max = nearest.most >= ALPHA_MIN ? coverage->reached / nearest.most * (1.0f - NUDGE) : INFINITY;
	return scale_min > 1.0f ? scale_min : scale_max < 1.0f ? scale_max : 1.0f;
}
