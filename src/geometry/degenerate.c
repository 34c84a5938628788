// geometry/degenerate.c: triangles that cover nothing, or are nowhere.

#include "geometry/vertices.h"

// A triangle whose height is below this part of its longest side is a line: floats can't hold a flatter one.
#define FLATTEST 1e-8

static double squared_distance(lrd_vec3 a, lrd_vec3 b)
{
	double x = (double)a.x - (double)b.x;
	double y = (double)a.y - (double)b.y;
	double z = (double)a.z - (double)b.z;
	return x * x + y * y + z * z;
}

static bool covers_something(const lrd_geometry *geometry, const uint32_t corners[3])
{
	if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
	{
		return false;
	}
	lrd_vec3 a = lrd_load3(geometry->positions, corners[0]);
	lrd_vec3 b = lrd_load3(geometry->positions, corners[1]);
	lrd_vec3 c = lrd_load3(geometry->positions, corners[2]);
	double cross[3];
	lrd_triangle_cross(a, b, c, cross);
	double ab = squared_distance(a, b);
	double bc = squared_distance(b, c);
	double ca = squared_distance(c, a);
	double longest = ab > bc ? ab : bc;
	longest = longest > ca ? longest : ca;
	// Compared as squares: those of the smallest and largest floats' products are within what doubles hold.
	double squared = cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2];
	// False as well for positions that are not numbers.
	return isfinite(squared) && squared > FLATTEST * FLATTEST * longest * longest;
}

static bool is_finite(const lrd_geometry *geometry, const uint32_t corners[3])
{
	return lrd_finite3(lrd_load3(geometry->positions, corners[0])) &&
		   lrd_finite3(lrd_load3(geometry->positions, corners[1])) &&
		   lrd_finite3(lrd_load3(geometry->positions, corners[2]));
}

static uint32_t keep_triangles(
	lrd_geometry *geometry, bool (*keeps)(const lrd_geometry *geometry, const uint32_t corners[3]))
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i + 2 < geometry->index_count; i += 3)
	{
		uint32_t corners[3] = { geometry->indices[i], geometry->indices[i + 1], geometry->indices[i + 2] };
		if (keeps(geometry, corners))
		{
			memcpy(geometry->indices + kept, corners, sizeof corners);
			kept += 3;
		}
	}
	uint32_t dropped = (geometry->index_count - kept) / 3;
	geometry->index_count = kept;
	return dropped;
}

uint32_t lrd_geometry_drop_degenerate(lrd_geometry *geometry)
{
	return keep_triangles(geometry, covers_something);
}

uint32_t lrd_geometry_drop_infinite(lrd_geometry *geometry)
{
	return keep_triangles(geometry, is_finite);
}
