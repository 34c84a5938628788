// Alpha coverage: filtering pulls alpha towards its mean, so a cutoff that shows half of a leaf shows less or more of
// its smaller mips. Each level's alpha is scaled until the same share passes. The idea is Ignacio Castano's ("Computing
// Alpha Mipmaps", 2010), who searches for the factor; here it is exact, for it follows from the alpha that stands where
// the share ends when all are sorted. Of alphas that are cut out hard many are equal, and no factor parts them: then
// those with more around them pass.

#include "image/half.h"
#include "image/mips.h"

#include <math.h>

// Alphas below this are as good as nothing, and are not scaled up to something.
#define ALPHA_MIN 0x1p-10f

// Keeps rounding in `alpha * scale` from falling on the wrong side.
#define NUDGE 1e-6f

// Equal alphas are parted where passing or failing all of them would be off by more than this share of the level.
#define PART_FROM (1.0 / 512)

// Alphas from ALPHA_MIN to 2^6 as integers of the same order, which two digits write.
#define KEY_BITS 27u
#define LOW_BITS 13u
#define HIGH_BITS 14u
#define KEY_MAX ((1u << KEY_BITS) - 1u)

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

static float alpha_of(uint32_t key)
{
	float least = ALPHA_MIN, alpha;
	uint32_t bits;
	memcpy(&bits, &least, sizeof bits);
	bits += key - 1;
	memcpy(&alpha, &bits, sizeof alpha);
	return alpha;
}

// The digit in which the wanted-th largest lies; `wanted` becomes its rank among those of that digit.
static uint32_t find_digit(const uint32_t *counts, uint32_t digits, size_t *wanted)
{
	uint32_t digit = digits - 1;
	while (digit > 0 && counts[digit] < *wanted)
	{
		*wanted -= counts[digit--];
	}
	return digit;
}

// The wanted-th largest key; the first wanted is 1.
static uint32_t nth_key(const uint32_t *keys, size_t count, size_t wanted)
{
	uint32_t counts[1u << HIGH_BITS] = { 0 };
	for (size_t i = 0; i < count; i++)
	{
		counts[keys[i] >> LOW_BITS]++;
	}
	uint32_t high = find_digit(counts, 1u << HIGH_BITS, &wanted);
	memset(counts, 0, sizeof counts);
	for (size_t i = 0; i < count; i++)
	{
		if (keys[i] >> LOW_BITS == high)
		{
			counts[keys[i] & ((1u << LOW_BITS) - 1u)]++;
		}
	}
	return high << LOW_BITS | find_digit(counts, 1u << LOW_BITS, &wanted);
}

// Around a key: how many are above it and at it, and which are the next.
typedef struct neighbourhood
{
	size_t above, at;
	uint32_t next_above; ///< UINT32_MAX: none
	uint32_t next_below; ///< 0: none
} neighbourhood;

static neighbourhood around(const uint32_t *keys, size_t count, uint32_t key)
{
	neighbourhood result = { .next_above = UINT32_MAX };
	for (size_t i = 0; i < count; i++)
	{
		uint32_t other = keys[i];
		result.above += other > key;
		result.at += other == key;
		result.next_above = other > key && other < result.next_above ? other : result.next_above;
		result.next_below = other < key && other > result.next_below ? other : result.next_below;
	}
	return result;
}

// The factor nearest to 1 with which `least` passes and `most`, the next below, does not. Keys.
static float scale_between(float reached, uint32_t least, uint32_t most)
{
	float scale_min = least == UINT32_MAX ? 0.0f : reached / alpha_of(least) * (1.0f + NUDGE);
	float scale_max = most == 0 ? INFINITY : reached / alpha_of(most) * (1.0f - NUDGE);
	return scale_min > 1.0f ? scale_min : scale_max < 1.0f ? scale_max : 1.0f;
}

static void scale_all(const lrd_coverage *coverage, float scale)
{
	size_t count = (size_t)coverage->width * coverage->height;
	for (size_t i = 0; i < count; i++)
	{
		coverage->alphas[i] *= scale;
	}
}

// How much alpha there is around a texel, and then an even spread over the level: an order among equals.
static uint32_t standing_of(const lrd_coverage *coverage, uint32_t x, uint32_t y)
{
	float sum = 0.0f;
	for (int64_t j = -1; j <= 1; j++)
	{
		size_t row = lrd_mip_wrap_index(y + j, coverage->height, coverage->wrap_v);
		for (int64_t i = -1; i <= 1; i++)
		{
			float alpha =
				coverage->alphas[row * coverage->width + lrd_mip_wrap_index(x + i, coverage->width, coverage->wrap_u)];
			sum += alpha < 0.0f ? 0.0f : alpha > 1.0f ? 1.0f : alpha;
		}
	}
	// The R2 sequence (Martin Roberts, 2018): multiples of the inverse powers of the plastic number.
	uint32_t spread = (x * 3242174889u + y * 2447445414u) >> (32u - LOW_BITS);
	return 1u + ((uint32_t)(sum * 1024.0f) << LOW_BITS | spread);
}

// `wanted` texels pass: those above the key, and the best of those with it.
static void part_equals(const lrd_coverage *coverage, uint32_t key, size_t wanted)
{
	uint32_t *keys = coverage->scratch;
	size_t count = (size_t)coverage->width * coverage->height;
	for (uint32_t y = 0; y < coverage->height; y++)
	{
		for (uint32_t x = 0; x < coverage->width; x++)
		{
			size_t i = (size_t)y * coverage->width + x;
			keys[i] = keys[i] > key ? KEY_MAX : keys[i] < key ? 0 : standing_of(coverage, x, y);
		}
	}
	uint32_t least = nth_key(keys, count, wanted);
	size_t rest = wanted;
	for (size_t i = 0; i < count; i++)
	{
		rest -= keys[i] > least;
	}
	float pass = coverage->reached * (1.0f + NUDGE), fail = coverage->reached * (1.0f - NUDGE);
	float scale = coverage->reached / alpha_of(key);
	for (size_t i = 0; i < count; i++)
	{
		float alpha = coverage->alphas[i] * scale;
		bool passes = keys[i] > least || (keys[i] == least && rest != 0);
		rest -= keys[i] == least && passes;
		coverage->alphas[i] = passes ? (alpha > pass ? alpha : pass) : (alpha < fail ? alpha : fail);
	}
}

void lrd_coverage_keep(const lrd_coverage *coverage)
{
	if (!(coverage->reached > 0.0f)) // a cutoff that everything passes
	{
		return;
	}
	size_t count = (size_t)coverage->width * coverage->height;
	for (size_t i = 0; i < count; i++)
	{
		coverage->scratch[i] = key_of(coverage->alphas[i]);
	}
	double target = coverage->share * (double)count;
	size_t wanted = (size_t)(target + 0.5);
	uint32_t key = nth_key(coverage->scratch, count, wanted > 1 ? wanted : 1);
	key = key > 1 ? key : 1;
	neighbourhood near = around(coverage->scratch, count, key);
	double with = fabs((double)(near.above + near.at) - target), without = fabs((double)near.above - target);
	double nearest = with < without ? with : without;
	double best = fabs((double)wanted - target);
	if (nearest > best && nearest > PART_FROM * (double)count && wanted > near.above && wanted < near.above + near.at)
	{
		part_equals(coverage, key, wanted);
	}
	else if (with <= without)
	{
		scale_all(coverage, scale_between(coverage->reached, near.at != 0 ? key : near.next_above, near.next_below));
	}
	else
	{
		scale_all(coverage, scale_between(coverage->reached, near.next_above, near.at != 0 ? key : near.next_below));
	}
}
