// Octahedral unit vectors, encoding: both coordinates rounded both ways, and the best of the four kept ("oct precise"
// in Cigolle et al., see octahedral.c).

#include "larder/write.h"

#include "format/octahedral.h"

#include <math.h>

/// Coordinates of the unfolded octahedron in snorm16 steps, not rounded yet.
static void fold(const double vector[3], double oct[2])
{
	double sum = fabs(vector[0]) + fabs(vector[1]) + fabs(vector[2]);
	double u = vector[0] / sum;
	double v = vector[1] / sum;
	if (vector[2] < 0.0)
	{
		double folded = (1.0 - fabs(v)) * (u >= 0.0 ? 1.0 : -1.0);
		v = (1.0 - fabs(u)) * (v >= 0.0 ? 1.0 : -1.0);
		u = folded;
	}
	oct[0] = u * 32767.0;
	oct[1] = v * 32767.0;
}

static double squared_error(const double vector[3], int u, int v)
{
	double decoded[3];
	lrd_octahedral_unfold(u / 32767.0, v / 32767.0, decoded);
	double x = decoded[0] - vector[0], y = decoded[1] - vector[1], z = decoded[2] - vector[2];
	return x * x + y * y + z * z;
}

static int clamp(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

/// The nearest of four candidates; the second coordinate moves in steps of `step` from `v_first`, between `v_least` and
/// `v_most`.
static void keep_best(
	const double vector[3], int u_first, int v_first, int step, int v_least, int v_most, int16_t oct[2])
{
	double best = INFINITY;
	for (int i = 0; i < 4; i++)
	{
		int u = clamp(u_first + (i & 1), -32767, 32767);
		int v = clamp(v_first + (i >> 1) * step, v_least, v_most);
		double error = squared_error(vector, u, v);
		if (error < best)
		{
			best = error;
			oct[0] = (int16_t)u;
			oct[1] = (int16_t)v;
		}
	}
}

/// In double and of unit length; false for what has no direction.
static bool direction_of(lrd_vec3 source, double vector[3])
{
	double length = sqrt((double)source.x * source.x + (double)source.y * source.y + (double)source.z * source.z);
	if (!isfinite(length) || length == 0.0)
	{
		return false;
	}
	vector[0] = source.x / length;
	vector[1] = source.y / length;
	vector[2] = source.z / length;
	return true;
}

void lrd_oct_encode(lrd_vec3 source, int16_t oct[2])
{
	double vector[3];
	oct[0] = oct[1] = 0; // +Z for what has no direction
	if (direction_of(source, vector))
	{
		double exact[2];
		fold(vector, exact);
		keep_best(vector, (int)floor(exact[0]), (int)floor(exact[1]), 1, -32767, 32767, oct);
	}
}

void lrd_oct_tangent_encode(lrd_vec4 tangent, int16_t oct[2])
{
	int bit = tangent.w < 0.0f;
	double vector[3];
	oct[0] = 0;
	oct[1] = (int16_t)bit;
	if (direction_of((lrd_vec3){ tangent.x, tangent.y, tangent.z }, vector))
	{
		double exact[2];
		fold(vector, exact);
		int v = (int)floor(exact[1]);
		v -= (v & 1) != bit; // the largest with the right lowest bit that is not above
		keep_best(vector, (int)floor(exact[0]), v, 2, bit ? -32767 : -32766, bit ? 32767 : 32766, oct);
	}
}
