// How far a channel's values range, and whether they differ at all.

#include "motion/motion.h"

#include <math.h>

/// The value of a key, past a cubic one's in-tangent.
static const float *value_of(const lrd_motion_keys *keys, uint32_t key)
{
	const float *at = keys->values + (size_t)key * lrd_motion_key_size(keys);
	return keys->interpolation == LRD_INTERPOLATION_CUBIC ? at + keys->components : at;
}

double lrd_motion_tolerance(const lrd_motion_keys *keys, float part, double reach)
{
	double range = 0.0, largest = 0.0;
	if (keys->path == LRD_PATH_ROTATION)
	{
		return (double)part;
	}
	for (uint32_t c = 0; c < keys->components; c++)
	{
		double low = INFINITY, high = -INFINITY;
		for (uint32_t k = 0; k < keys->count; k++)
		{
			double value = (double)value_of(keys, k)[c];
			low = fmin(low, value);
			high = fmax(high, value);
		}
		range = fmax(range, high - low);
		largest = fmax(largest, fmax(-low, high));
	}
	return (double)part * fmax(range, fmin(largest, reach));
}

/// The most that a cubic curve's tangents move a component off the straight way, from a key to the next: each Hermite
/// polynomial of a tangent reaches 4/27.
static double bulge(const lrd_motion_keys *keys, uint32_t key, uint32_t component)
{
	if (keys->interpolation != LRD_INTERPOLATION_CUBIC || key + 1 == keys->count)
	{
		return 0.0;
	}
	double step = (double)keys->times[key + 1] - (double)keys->times[key];
	const float *value = value_of(keys, key), *next = value_of(keys, key + 1);
	double out = fabs((double)value[component + keys->components]);
	double in = fabs((double)next[(ptrdiff_t)component - (ptrdiff_t)keys->components]);
	return 4.0 / 27.0 * step * (out + in);
}

/// The most that the curve from a key to the next is off the first key's value, squared: of the components of a
/// rotation the sum, of others the largest.
static double squared_distance(const lrd_motion_keys *keys, uint32_t key)
{
	const float *first = value_of(keys, 0), *value = value_of(keys, key);
	const float *next = value_of(keys, key + 1 < keys->count ? key + 1 : key);
	double sum = 0.0;
	for (uint32_t c = 0; c < keys->components; c++)
	{
		double here = fabs((double)value[c] - (double)first[c]);
		double there = fabs((double)next[c] - (double)first[c]);
		double off = fmax(here, there) + bulge(keys, key, c);
		sum = keys->path == LRD_PATH_ROTATION ? sum + off * off : fmax(sum, off * off);
	}
	return sum;
}

bool lrd_motion_is_constant(const lrd_motion_keys *keys, double tolerance)
{
	// A small angle is twice the distance of its quaternions; a little less is allowed, for those that are normalised.
	double most = keys->path == LRD_PATH_ROTATION ? 0.49 * fmin(tolerance, 0.1) : tolerance;
	for (uint32_t k = 0; k < keys->count; k++)
	{
		if (!(squared_distance(keys, k) <= most * most))
		{
			return false;
		}
	}
	return true;
}
