// Octahedral unit vectors, encoding: both coordinates rounded both ways, and the best of the four kept ("oct precise"
// in Cigolle et al., see octahedral.c).

#include "larder/write.h"

#include <math.h>

#define STEPS 32767

// floor, without a call into the C library.
static int rounded_down(double value)
{
	int whole = (int)value;
	return whole - (value < whole);
}

/// Coordinates of the unfolded octahedron in snorm16 steps, not rounded yet. False for what has no direction.
static bool fold(const double vector[3], double oct[2])
{
	double sum = fabs(vector[0]) + fabs(vector[1]) + fabs(vector[2]);
	if (!isfinite(sum) || sum == 0.0)
	{
		return false;
	}
	double u = vector[0] / sum;
	double v = vector[1] / sum;
	if (vector[2] < 0.0)
	{
		double folded = (1.0 - fabs(v)) * (u >= 0.0 ? 1.0 : -1.0);
		v = (1.0 - fabs(u)) * (v >= 0.0 ? 1.0 : -1.0);
		u = folded;
	}
	oct[0] = u * STEPS;
	oct[1] = v * STEPS;
	return true;
}

/// How far two coordinates' direction is from the vector: the squared sine of the angle between them, times the squared
/// lengths of both. That needs neither a root nor a quotient, and to tell which of two is nearer no precision is lost.
typedef struct candidate
{
	double error;
	double squared_length;
} candidate;

static candidate measure(const double vector[3], int u, int v)
{
	int down = STEPS - (u < 0 ? -u : u) - (v < 0 ? -v : v);
	int turned = down < 0 ? -down : 0; // the lower hemisphere's corners turn over their edge
	double x = u + (u >= 0 ? -turned : turned);
	double y = v + (v >= 0 ? -turned : turned);
	double z = down;
	double a = vector[1] * z - vector[2] * y;
	double b = vector[2] * x - vector[0] * z;
	double c = vector[0] * y - vector[1] * x;
	return (candidate){ a * a + b * b + c * c, x * x + y * y + z * z };
}

static int clamp(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

static bool is_nearer(const candidate *a, const candidate *b)
{
	return a->error * b->squared_length < b->error * a->squared_length;
}

/// The nearest of four candidates, the earlier of two that are equally near; the second coordinate moves in steps of
/// `step` from `v_first`, between `v_least` and `v_most`. Which it is no processor can guess, so nothing branches on it.
static void keep_best(
	const double vector[3], int u_first, int v_first, int step, int v_least, int v_most, int16_t oct[2])
{
	const int us[2] = { clamp(u_first, -STEPS, STEPS), clamp(u_first + 1, -STEPS, STEPS) };
	const int vs[2] = { clamp(v_first, v_least, v_most), clamp(v_first + step, v_least, v_most) };
	candidate found[4];
	for (int i = 0; i < 4; i++)
	{
		found[i] = measure(vector, us[i & 1], vs[i >> 1]);
	}
	int low = is_nearer(&found[1], &found[0]);
	int high = 2 + is_nearer(&found[3], &found[2]);
	int best = is_nearer(&found[high], &found[low]) ? high : low;
	oct[0] = (int16_t)us[best & 1];
	oct[1] = (int16_t)vs[best >> 1];
}

void lrd_oct_encode(lrd_vec3 source, int16_t oct[2])
{
	const double vector[3] = { (double)source.x, (double)source.y, (double)source.z };
	double exact[2];
	oct[0] = oct[1] = 0; // +Z for what has no direction
	if (fold(vector, exact))
	{
		keep_best(vector, rounded_down(exact[0]), rounded_down(exact[1]), 1, -STEPS, STEPS, oct);
	}
}

void lrd_oct_tangent_encode(lrd_vec4 tangent, int16_t oct[2])
{
	const double vector[3] = { (double)tangent.x, (double)tangent.y, (double)tangent.z };
	int bit = tangent.w < 0.0f;
	double exact[2];
	oct[0] = 0;
	oct[1] = (int16_t)bit;
	if (fold(vector, exact))
	{
		int v = rounded_down(exact[1]);
		v -= (v & 1) != bit; // the largest with the right lowest bit that is not above
		keep_best(vector, rounded_down(exact[0]), v, 2, bit ? -STEPS : 1 - STEPS, bit ? STEPS : STEPS - 1, oct);
	}
}
