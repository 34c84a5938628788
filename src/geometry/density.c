// geometry/density.c: how densely texture coordinates lie over a surface: the mean over its area. A triangle's own density is the root of
// its area in texture space over that in space. The root of the summed areas' quotient would be the quadratic mean, which a strip that
// squeezes a whole texture between two seams makes as dense as the rest is not, and then the rest is given too coarse a level. What
// has no area in space weighs nothing.

#include "geometry/pack.h"

/// Twice the area, which is below 1e156 whatever floats the corners are.
static double area_in_space(const lrd_geometry *geometry, const uint32_t *corners)
{
	const float *p = geometry->positions + 3 * (size_t)corners[0];
	const float *q = geometry->positions + 3 * (size_t)corners[1];
	const float *r = geometry->positions + 3 * (size_t)corners[2];
	double a[3], b[3];
	for (int i = 0; i < 3; i++)
	{
		a[i] = (double)q[i] - (double)p[i];
		b[i] = (double)r[i] - (double)p[i];
	}
	double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
	return sqrt(x * x + y * y + z * z);
}

static double area_in_uv(const float *uv, const uint32_t *corners)
{
	double at[3][2];
	for (int corner = 0; corner < 3; corner++)
	{
		at[corner][0] = (double)lrd_pack_number(uv[2 * (size_t)corners[corner]]);
		at[corner][1] = (double)lrd_pack_number(uv[2 * (size_t)corners[corner] + 1]);
	}
	double ax = at[1][0] - at[0][0], ay = at[1][1] - at[0][1];
	double bx = at[2][0] - at[0][0], by = at[2][1] - at[0][1];
	return fabs(ax * by - ay * bx);
}

float lrd_pack_density(const lrd_geometry *geometry, uint32_t set)
{
	const float *uv = geometry->uv[set];
	double space = 0.0, weighted = 0.0;
	for (size_t i = 0; uv != NULL && i + 2 < geometry->index_count; i += 3)
	{
		double area = area_in_space(geometry, geometry->indices + i);
		space += area;
		weighted += sqrt(area * area_in_uv(uv, geometry->indices + i)); // area times density
	}
	double density = space > 0.0 ? weighted / space : 0.0;
	return density <= (double)FLT_MAX ? (float)density : 0.0f;
}
