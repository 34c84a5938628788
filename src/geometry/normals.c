// geometry/normals.c: flat normals, the repair of bad ones and of bad tangents, and tangents that only have to be perpendicular. Smooth
// normals are in normals_smooth.c.

#include "geometry/vertices.h"

// Squared lengths this close to 1 are left alone: scaling them would only stir the last bits.
#define UNIT_TOLERANCE 1e-6f

bool lrd_geometry_flat_normals(lrd_geometry *geometry, lrd_error *error)
{
	if (!lrd_geometry_unindex(geometry, error) || !lrd_geometry_allocate_normals(geometry, error))
	{
		return false;
	}
	for (uint32_t i = 0; i + 2 < geometry->index_count; i += 3)
	{
		lrd_vec3 normal = LRD_ANY_NORMAL;
		lrd_triangle_normal(geometry, i, &normal);
		normal = lrd_vec3_add(normal, (lrd_vec3){ 0 }); // -0 becomes 0, or equal normals would not weld
		for (uint32_t corner = 0; corner < 3; corner++)
		{
			lrd_store3(geometry->normals, i + corner, normal);
		}
	}
	return true;
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
			if (lrd_vec3_dot(present, present) == 0.0f && lrd_triangle_normal(geometry, i, &normal))
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
			lrd_store3(geometry->normals, v, LRD_ANY_NORMAL);
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

uint32_t lrd_geometry_repair_tangents(lrd_geometry *geometry)
{
	uint32_t bad = 0;
	for (size_t v = 0; geometry->tangents != NULL && geometry->normals != NULL && v < geometry->vertex_count; v++)
	{
		float *tangent = geometry->tangents + 4 * v;
		float length = fabsf(tangent[0]) + fabsf(tangent[1]) + fabsf(tangent[2]);
		if (!isfinite(length) || length == 0.0f)
		{
			lrd_vec3 normal = lrd_vec3_normalize_or(lrd_load3(geometry->normals, v), LRD_ANY_NORMAL);
			lrd_vec3 any = lrd_geometry_perpendicular(normal);
			memcpy(tangent, &any, sizeof any);
			bad++;
		}
	}
	return bad;
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
		lrd_vec3 normal = lrd_vec3_normalize_or(lrd_load3(geometry->normals, v), LRD_ANY_NORMAL);
		lrd_vec3 tangent = lrd_geometry_perpendicular(normal);
		memcpy(tangents + 4 * v, (float[4]){ tangent.x, tangent.y, tangent.z, 1.0f }, 4 * sizeof(float));
	}
	geometry->tangents = tangents;
	return true;
}
