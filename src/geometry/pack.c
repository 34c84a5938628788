// geometry/pack.c: attribute arrays into the vertex streams of docs/formats.md, "Mesh". Skins are in pack_skin.c,
// morph targets in pack_morphs.c.

#include "geometry/pack.h"

#include "larder/write.h"

#include <assert.h>
#include <float.h>
#include <stddef.h>

// A vertex of the surface stream.
typedef struct surface_vertex
{
	int16_t normal[2];
	int16_t tangent[2];
	float uv0[2];
	uint8_t color[4];
} surface_vertex;

static_assert(sizeof(surface_vertex) == 20, "the surface stream has 20 bytes a vertex");

static const lrd_vertex_attribute ALWAYS_PRESENT[] = {
	{ LRD_VERTEX_POSITION, LRD_FORMAT_F32X3, LRD_STREAM_POSITION, 0 },
	{ LRD_VERTEX_NORMAL, LRD_FORMAT_OCT_SNORM16X2, LRD_STREAM_SURFACE, offsetof(surface_vertex, normal) },
	{ LRD_VERTEX_TANGENT, LRD_FORMAT_OCT_TANGENT16X2, LRD_STREAM_SURFACE, offsetof(surface_vertex, tangent) },
	{ LRD_VERTEX_UV0, LRD_FORMAT_F32X2, LRD_STREAM_SURFACE, offsetof(surface_vertex, uv0) },
	{ LRD_VERTEX_COLOR, LRD_FORMAT_UNORM8X4, LRD_STREAM_SURFACE, offsetof(surface_vertex, color) },
};

#define ALWAYS_PRESENT_COUNT (sizeof ALWAYS_PRESENT / sizeof *ALWAYS_PRESENT)

static uint8_t unorm8(float value)
{
	return (uint8_t)lrintf(fminf(fmaxf(value, 0.0f), 1.0f) * 255.0f); // fmaxf makes NaN 0
}

static float number_or_zero(float value)
{
	return isfinite(value) ? value : 0.0f;
}

static surface_vertex make_surface_vertex(const lrd_geometry *geometry, size_t v)
{
	surface_vertex vertex = { .color = { 255, 255, 255, 255 } };
	lrd_vec3 normal = lrd_vec3_normalize_or(lrd_load3(geometry->normals, v), (lrd_vec3){ 0.0f, 0.0f, 1.0f });
	const float *tangent = geometry->tangents + 4 * v;
	lrd_vec3 along =
		lrd_vec3_normalize_or((lrd_vec3){ tangent[0], tangent[1], tangent[2] }, lrd_geometry_perpendicular(normal));
	lrd_oct_encode(normal, vertex.normal);
	lrd_oct_tangent_encode((lrd_vec4){ along.x, along.y, along.z, tangent[3] < 0.0f ? -1.0f : 1.0f }, vertex.tangent);
	for (size_t i = 0; i < 2 && geometry->uv[0] != NULL; i++)
	{
		vertex.uv0[i] = number_or_zero(geometry->uv[0][2 * v + i]);
	}
	for (size_t i = 0; i < 4 && geometry->colors != NULL; i++)
	{
		vertex.color[i] = unorm8(geometry->colors[4 * v + i]);
	}
	return vertex;
}

static bool pack_surface(const lrd_geometry *geometry, lrd_geometry_streams *streams, lrd_error *error)
{
	size_t bytes = geometry->vertex_count * sizeof(surface_vertex);
	surface_vertex *data = lrd_arena_alloc(geometry->arena, bytes);
	if (data == NULL)
	{
		return lrd_fail_memory(error, "the surface stream", bytes);
	}
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		data[v] = make_surface_vertex(geometry, v);
	}
	streams->streams[LRD_STREAM_SURFACE] = (lrd_mesh_stream){ data, sizeof *data };
	return true;
}

static bool pack_uv1(const lrd_geometry *geometry, lrd_geometry_streams *streams, lrd_error *error)
{
	size_t bytes = 2 * sizeof(float) * geometry->vertex_count;
	float *data = lrd_arena_alloc(geometry->arena, bytes);
	if (data == NULL)
	{
		return lrd_fail_memory(error, "the uv1 stream", bytes);
	}
	for (size_t i = 0; i < 2 * (size_t)geometry->vertex_count; i++)
	{
		data[i] = number_or_zero(geometry->uv[1][i]);
	}
	streams->streams[LRD_STREAM_UV1] = (lrd_mesh_stream){ data, 2 * sizeof(float) };
	streams->attributes[streams->attribute_count++] =
		(lrd_vertex_attribute){ LRD_VERTEX_UV1, LRD_FORMAT_F32X2, LRD_STREAM_UV1, 0 };
	return true;
}

static bool check(const lrd_geometry *geometry, lrd_error *error)
{
	if (geometry->normals == NULL || geometry->tangents == NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "packing needs normals and tangents, and the geometry has no %s",
			geometry->normals == NULL ? "normals" : "tangents");
	}
	for (uint32_t v = 0; v < geometry->vertex_count; v++)
	{
		if (!lrd_finite3(lrd_load3(geometry->positions, v)))
		{
			return lrd_fail(error, LRD_ERROR_FORMAT, "the position of vertex %u is not a finite number", v);
		}
	}
	return true;
}

static bool bound(const lrd_geometry *geometry, lrd_geometry_streams *streams, lrd_error *error)
{
	streams->bounds = lrd_bounds_of(geometry->positions, geometry->vertex_count, 3 * sizeof(float));
	bool sound = lrd_finite3(streams->bounds.centre) && streams->bounds.radius < FLT_MAX;
	return sound ||
		   lrd_fail(error, LRD_ERROR_LIMIT, "the geometry is so large that no sphere around it can be told in floats");
}

bool lrd_geometry_pack(
	const lrd_geometry *geometry, const lrd_geometry_grid *grid, lrd_geometry_streams *streams, lrd_error *error)
{
	(void)grid;
	lrd_geometry_streams result = { .attribute_count = ALWAYS_PRESENT_COUNT };
	if (!check(geometry, error) || !bound(geometry, &result, error))
	{
		return false;
	}
	memcpy(result.attributes, ALWAYS_PRESENT, sizeof ALWAYS_PRESENT);
	result.streams[LRD_STREAM_POSITION] = (lrd_mesh_stream){ geometry->positions, 3 * sizeof(float) };
	if (!pack_surface(geometry, &result, error) || (geometry->uv[1] != NULL && !pack_uv1(geometry, &result, error)) ||
		(geometry->joints != NULL && !lrd_pack_skin(geometry, &result, error)) ||
		(geometry->morph_count != 0 && !lrd_pack_morphs(geometry, &result, error)))
	{
		return false;
	}
	*streams = result;
	return true;
}
