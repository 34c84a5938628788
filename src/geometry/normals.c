// geometry/normals.c: normals where a source has none, or bad ones, and tangents that only have to be perpendicular.

#include "geometry/vertices.h"

// What a vertex gets that no triangle gives a direction.
static const lrd_vec3 ANY_NORMAL = { 0.0f, 0.0f, 1.0f };

// Squared lengths this close to 1 are left alone: scaling them would only stir the last bits.
#define UNIT_TOLERANCE 1e-6f

static bool allocate_normals(lrd_geometry *geometry, lrd_error *error)
{
	if (geometry->normals == NULL)
	{
		size_t bytes = 3 * sizeof(float) * geometry->vertex_count;
		geometry->normals = lrd_arena_alloc(geometry->arena, bytes);
		return geometry->normals != NULL || lrd_fail_memory(error, "normals", bytes);
	}
	return true;
}

static bool triangle_normal(const lrd_geometry *geometry, uint32_t first_index, lrd_vec3 *normal)
{
	const uint32_t *corners = geometry->indices + first_index;
	double cross[3];
	lrd_triangle_cross(lrd_load3(geometry->positions, corners[0]), lrd_load3(geometry->positions, corners[1]),
		lrd_load3(geometry->positions, corners[2]), cross);
	return lrd_unit3(cross, normal);
}

bool lrd_geometry_flat_normals(lrd_geometry *geometry, lrd_error *error)
{
	if (!lrd_geometry_unindex(geometry, error) || !allocate_normals(geometry, error))
	{
		return false;
	}
	for (uint32_t i = 0; i + 2 < geometry->index_count; i += 3)
	{
		lrd_vec3 normal = ANY_NORMAL;
		triangle_normal(geometry, i, &normal);
		normal = lrd_vec3_add(normal, (lrd_vec3){ 0 }); // -0 becomes 0, or equal normals would not weld
		for (uint32_t corner = 0; corner < 3; corner++)
		{
			lrd_store3(geometry->normals, i + corner, normal);
		}
	}
	return true;
}

// The angle at corner a of a triangle, radians; 0 where it has none.
static double corner_angle(lrd_vec3 a, lrd_vec3 b, lrd_vec3 c)
{
	double u[3] = { (double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z };
	double v[3] = { (double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z };
	double lengths = sqrt((u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
	double cosine = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / lengths;
	return lengths > 0.0 && isfinite(cosine) ? lrd_geometry_acos(fmin(fmax(cosine, -1.0), 1.0)) : 0.0;
}

// Add every triangle's normal, as long as twice its area and times the angle, to the sums of the positions it touches.
static void sum_normals(const lrd_geometry *geometry, const uint32_t *position_of, double *sums)
{
	for (uint32_t i = 0; i + 2 < geometry->index_count; i += 3)
	{
		const uint32_t *corners = geometry->indices + i;
		lrd_vec3 p[3];
		for (int corner = 0; corner < 3; corner++)
		{
			p[corner] = lrd_load3(geometry->positions, corners[corner]);
		}
		double cross[3];
		lrd_triangle_cross(p[0], p[1], p[2], cross);
		if (!isfinite(cross[0]) || !isfinite(cross[1]) || !isfinite(cross[2]))
		{
			continue;
		}
		for (int corner = 0; corner < 3; corner++)
		{
			uint32_t position = position_of[corners[corner]];
			double angle = corner_angle(p[corner], p[(corner + 1) % 3], p[(corner + 2) % 3]);
			for (size_t axis = 0; position != LRD_NO_VERTEX && axis < 3; axis++)
			{
				sums[3 * (size_t)position + axis] += cross[axis] * angle;
			}
		}
	}
}

static bool smooth_normals(lrd_geometry *geometry, lrd_arena *scratch, lrd_error *error)
{
	size_t position_bytes = geometry->vertex_count * sizeof(uint32_t);
	uint32_t *position_of = lrd_arena_alloc(scratch, position_bytes);
	double *sums = LRD_ARENA_ARRAY(scratch, double, 3 * (size_t)geometry->vertex_count);
	if (position_of == NULL || sums == NULL)
	{
		return lrd_fail_memory(error, "sums of normals", position_bytes + 3 * sizeof *sums * geometry->vertex_count);
	}
	const float *streams[1] = { geometry->positions };
	const uint32_t components[1] = { 3 };
	if (!lrd_geometry_equal_values(
			lrd_arena_allocator(scratch), streams, components, 1, geometry->vertex_count, position_of, error) ||
		!allocate_normals(geometry, error))
	{
		return false;
	}
	sum_normals(geometry, position_of, sums);
	for (uint32_t v = 0; v < geometry->vertex_count; v++)
	{
		lrd_vec3 normal = ANY_NORMAL;
		if (position_of[v] != LRD_NO_VERTEX)
		{
			lrd_unit3(sums + 3 * (size_t)position_of[v], &normal);
		}
		lrd_store3(geometry->normals, v, normal);
	}
	return true;
}

bool lrd_geometry_smooth_normals(lrd_geometry *geometry, const uint32_t *groups, lrd_error *error)
{
	(void)groups;
	lrd_arena *scratch = lrd_geometry_scratch(geometry, error);
	bool done = scratch != NULL && smooth_normals(geometry, scratch, error);
	lrd_arena_destroy(scratch);
	return done;
}

// Bad normals become zero here, which no good one is.
static uint32_t scale_normals(lrd_geometry *geometry)
{
	const lrd_vec3 zero = { 0.0f, 0.0f, 0.0f };
	uint32_t bad = 0;
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		lrd_vec3 normal = lrd_load3(geometry->normals, v);
		if (fabsf(lrd_vec3_dot(normal, normal) - 1.0f) > UNIT_TOLERANCE || !lrd_finite3(normal))
		{
			normal = lrd_vec3_normalize_or(normal, zero);
			bad += lrd_vec3_dot(normal, normal) == 0.0f;
			lrd_store3(geometry->normals, v, normal);
		}
	}
	return bad;
}

uint32_t lrd_geometry_repair_normals(lrd_geometry *geometry)
{
	uint32_t bad = geometry->normals != NULL ? scale_normals(geometry) : 0;
	for (uint32_t i = 0; bad != 0 && i + 2 < geometry->index_count; i += 3)
	{
		lrd_vec3 normal;
		for (uint32_t corner = 0; corner < 3; corner++)
		{
			uint32_t v = geometry->indices[i + corner];
			lrd_vec3 present = lrd_load3(geometry->normals, v);
			if (lrd_vec3_dot(present, present) == 0.0f && triangle_normal(geometry, i, &normal))
			{
				lrd_store3(geometry->normals, v, normal);
			}
		}
	}
	for (size_t v = 0; bad != 0 && v < geometry->vertex_count; v++)
	{
		lrd_vec3 present = lrd_load3(geometry->normals, v);
		if (lrd_vec3_dot(present, present) == 0.0f)
		{
			lrd_store3(geometry->normals, v, ANY_NORMAL);
		}
	}
	return bad;
}

// Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
lrd_vec3 lrd_geometry_perpendicular(lrd_vec3 normal)
{
	float sign = copysignf(1.0f, normal.z);
	float a = -1.0f / (sign + normal.z);
	lrd_vec3 perpendicular = { 1.0f + sign * normal.x * normal.x * a, sign * normal.x * normal.y * a,
		-sign * normal.x };
	return lrd_vec3_normalize_or(perpendicular, (lrd_vec3){ 1.0f, 0.0f, 0.0f });
}

bool lrd_geometry_any_tangents(lrd_geometry *geometry, lrd_error *error)
{
	if (geometry->normals == NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "tangents need normals, and the geometry has none");
	}
	size_t bytes = 4 * sizeof(float) * geometry->vertex_count;
	float *tangents = geometry->tangents != NULL ? geometry->tangents : lrd_arena_alloc(geometry->arena, bytes);
	if (tangents == NULL)
	{
		return lrd_fail_memory(error, "tangents", bytes);
	}
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		lrd_vec3 normal = lrd_vec3_normalize_or(lrd_load3(geometry->normals, v), ANY_NORMAL);
		lrd_vec3 tangent = lrd_geometry_perpendicular(normal);
		memcpy(tangents + 4 * v, (float[4]){ tangent.x, tangent.y, tangent.z, 1.0f }, 4 * sizeof(float));
	}
	geometry->tangents = tangents;
	return true;
}
