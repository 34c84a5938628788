// base/scan.c: passes over many floats, at memory speed: finiteness, bounds.

#include "base/maths.h"

#include <string.h>

bool lrd_all_finite(const float *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (!isfinite(values[i]))
		{
			return false;
		}
	}
	return true;
}

static lrd_vec3 point_at(const float *points, size_t i, size_t stride)
{
	lrd_vec3 p;
	memcpy(&p, (const char *)points + i * stride, sizeof p);
	return p;
}

lrd_bounds lrd_bounds_of(const float *points, size_t count, size_t stride)
{
	lrd_bounds bounds = { 0 };
	if (count == 0)
	{
		return bounds;
	}
	lrd_vec3 lowest[3], highest[3];
	bounds.min = bounds.max = point_at(points, 0, stride);
	for (int a = 0; a < 3; a++)
	{
		lowest[a] = highest[a] = bounds.min;
	}
	for (size_t i = 1; i < count; i++)
	{
		lrd_vec3 p = point_at(points, i, stride);
		lowest[0] = p.x < bounds.min.x ? p : lowest[0];
		lowest[1] = p.y < bounds.min.y ? p : lowest[1];
		lowest[2] = p.z < bounds.min.z ? p : lowest[2];
		highest[0] = p.x > bounds.max.x ? p : highest[0];
		highest[1] = p.y > bounds.max.y ? p : highest[1];
		highest[2] = p.z > bounds.max.z ? p : highest[2];
		bounds.min = (lrd_vec3){ fminf(bounds.min.x, p.x), fminf(bounds.min.y, p.y), fminf(bounds.min.z, p.z) };
		bounds.max = (lrd_vec3){ fmaxf(bounds.max.x, p.x), fmaxf(bounds.max.y, p.y), fmaxf(bounds.max.z, p.z) };
	}
	int widest = 0;
	float width = -1.0f;
	for (int a = 0; a < 3; a++)
	{
		float length = lrd_vec3_length(lrd_vec3_sub(highest[a], lowest[a]));
		widest = length > width ? a : widest;
		width = length > width ? length : width;
	}
	lrd_vec3 centre = lrd_vec3_scale(lrd_vec3_add(lowest[widest], highest[widest]), 0.5f);
	float radius = width * 0.5f;
	for (size_t i = 0; i < count; i++)
	{
		lrd_vec3 to = lrd_vec3_sub(point_at(points, i, stride), centre);
		float distance = lrd_vec3_length(to);
		if (distance > radius)
		{
			float grown = (radius + distance) * 0.5f;
			centre = lrd_vec3_add(centre, lrd_vec3_scale(to, (grown - radius) / distance));
			radius = grown;
		}
	}
	bounds.centre = centre;
	for (size_t i = 0; i < count; i++)
	{
		float distance = lrd_vec3_length(lrd_vec3_sub(point_at(points, i, stride), centre));
		radius = distance > radius ? distance : radius;
	}
	bounds.radius = radius;
	return bounds;
}
