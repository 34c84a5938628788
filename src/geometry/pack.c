// geometry/pack.c: attribute arrays into the vertex streams of docs/formats.md, "Mesh". Skins are in pack_skin.c,
// morph targets in pack_morphs.c.

#include "geometry/pack.h"

#include "larder/write.h"

#include <assert.h>
#include <stddef.h>

// A vertex of the surface stream, its texture coordinates aside, which stand between its tangent and its color.
typedef struct surface_vertex
{
	int16_t normal[2];
	int16_t tangent[2];
	uint8_t color[4];
} surface_vertex;

static_assert(sizeof(surface_vertex) == 12, "the surface stream has 20 bytes a vertex, or 16");

#define UV_OFFSET offsetof(surface_vertex, color)

static void add_attribute(lrd_geometry_streams *streams, lrd_vertex_semantic semantic, lrd_vertex_format format,
	lrd_vertex_stream stream, size_t offset)
{
	streams->attributes[streams->attribute_count++] =
		(lrd_vertex_attribute){ (uint8_t)semantic, (uint8_t)format, (uint8_t)stream, (uint8_t)offset };
}

static uint8_t unorm8(float value)
{
	float clamped = value > 0.0f ? value : 0.0f; // NaN is 0
	return (uint8_t)lrintf((clamped < 1.0f ? clamped : 1.0f) * 255.0f);
}

// The normal's encoder takes +Z for what has no direction; a tangent has to be across it.
static lrd_vec3 usable_tangent(const lrd_geometry *geometry, size_t v)
{
	const float *tangent = geometry->tangents + 4 * v;
	float length = fabsf(tangent[0]) + fabsf(tangent[1]) + fabsf(tangent[2]);
	if (isfinite(length) && length > 0.0f)
	{
		return (lrd_vec3){ tangent[0], tangent[1], tangent[2] };
	}
	return lrd_geometry_perpendicular(lrd_vec3_normalize_or(lrd_load3(geometry->normals, v), LRD_ANY_NORMAL));
}

static surface_vertex make_surface_vertex(const lrd_geometry *geometry, size_t v)
{
	surface_vertex vertex = { .color = { 255, 255, 255, 255 } };
	lrd_vec3 along = usable_tangent(geometry, v);
	lrd_oct_encode(lrd_load3(geometry->normals, v), vertex.normal);
	lrd_oct_tangent_encode(
		(lrd_vec4){ along.x, along.y, along.z, geometry->tangents[4 * v + 3] < 0.0f ? -1.0f : 1.0f }, vertex.tangent);
	for (size_t i = 0; i < 4 && geometry->colors != NULL; i++)
	{
		vertex.color[i] = unorm8(geometry->colors[4 * v + i]);
	}
	return vertex;
}

// A float that a half float holds exactly.
static uint16_t half_bits(float value)
{
	uint32_t sign = signbit(value) ? 0x8000 : 0;
	float size = fabsf(value);
	if (size < 0x1p-14f)
	{
		return (uint16_t)(sign | (uint32_t)(size * 0x1p24f)); // zero and subnormals
	}
	int exponent = 0;
	float mantissa = frexpf(size, &exponent); // in [1/2, 1)
	return (uint16_t)(sign | ((uint32_t)(exponent + 14) << 10) | ((uint32_t)(mantissa * 0x1p11f) & 0x3FFu));
}

static void write_uv(const lrd_geometry *geometry, size_t v, bool half, uint8_t *to)
{
	float uv[2] = { 0.0f, 0.0f };
	for (size_t i = 0; i < 2 && geometry->uv[0] != NULL; i++)
	{
		uv[i] = lrd_pack_number(geometry->uv[0][2 * v + i]);
	}
	if (half)
	{
		memcpy(to, (uint16_t[2]){ half_bits(uv[0]), half_bits(uv[1]) }, 2 * sizeof(uint16_t));
		return;
	}
	memcpy(to, uv, sizeof uv);
}

static bool pack_surface(const lrd_geometry *geometry, bool half_uv, lrd_geometry_streams *streams, lrd_error *error)
{
	lrd_vertex_format uv_format = half_uv ? LRD_FORMAT_F16X2 : LRD_FORMAT_F32X2;
	size_t color_offset = UV_OFFSET + lrd_vertex_format_size(uv_format);
	size_t stride = color_offset + sizeof(uint8_t[4]);
	size_t bytes = geometry->vertex_count * stride;
	uint8_t *data = lrd_arena_alloc(geometry->arena, bytes);
	if (data == NULL)
	{
		return lrd_fail_memory(error, "the surface stream", bytes);
	}
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		surface_vertex vertex = make_surface_vertex(geometry, v);
		memcpy(data + stride * v, &vertex, UV_OFFSET);
		write_uv(geometry, v, half_uv, data + stride * v + UV_OFFSET);
		memcpy(data + stride * v + color_offset, vertex.color, sizeof vertex.color);
	}
	streams->streams[LRD_STREAM_SURFACE] = (lrd_mesh_stream){ data, (uint32_t)stride };
	add_attribute(
		streams, LRD_VERTEX_NORMAL, LRD_FORMAT_OCT_SNORM16X2, LRD_STREAM_SURFACE, offsetof(surface_vertex, normal));
	add_attribute(
		streams, LRD_VERTEX_TANGENT, LRD_FORMAT_OCT_TANGENT16X2, LRD_STREAM_SURFACE, offsetof(surface_vertex, tangent));
	add_attribute(streams, LRD_VERTEX_UV0, uv_format, LRD_STREAM_SURFACE, UV_OFFSET);
	add_attribute(streams, LRD_VERTEX_COLOR, LRD_FORMAT_UNORM8X4, LRD_STREAM_SURFACE, color_offset);
	return true;
}

// n of offset + n * step; false where there is none from 0 to 65535.
static bool cell_of(float position, float offset, float step, uint16_t *cell)
{
	double n = ((double)position - (double)offset) / (double)step; // exact: a few more bits than a float's at most
	*cell = n >= 0.0 && n <= 65535.0 ? (uint16_t)n : 0;
	return (double)*cell == n;
}

static bool pack_cells(
	const lrd_geometry *geometry, const lrd_geometry_grid *grid, lrd_geometry_streams *streams, lrd_error *error)
{
	size_t bytes = sizeof(uint16_t[4]) * geometry->vertex_count;
	uint16_t *cells = lrd_arena_alloc(geometry->arena, bytes);
	if (cells == NULL)
	{
		return lrd_fail_memory(error, "the position stream", bytes);
	}
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		const float *position = geometry->positions + 3 * v;
		bool exact = true;
		for (size_t axis = 0; axis < 3; axis++)
		{
			exact = cell_of(position[axis], grid->offset[axis], grid->step, &cells[4 * v + axis]) && exact;
		}
		cells[4 * v + 3] = 0;
		if (!exact)
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT, "the position of vertex %zu does not lie on the grid", v);
		}
	}
	for (int axis = 0; axis < 3; axis++)
	{
		streams->position_scale[axis] = 65535.0f * grid->step;
		streams->position_offset[axis] = grid->offset[axis];
	}
	streams->streams[LRD_STREAM_POSITION] = (lrd_mesh_stream){ cells, sizeof(uint16_t[4]) };
	add_attribute(streams, LRD_VERTEX_POSITION, LRD_FORMAT_UNORM16X4, LRD_STREAM_POSITION, 0);
	return true;
}

static bool pack_positions(
	const lrd_geometry *geometry, const lrd_geometry_grid *grid, lrd_geometry_streams *streams, lrd_error *error)
{
	if (grid != NULL && grid->positions)
	{
		return pack_cells(geometry, grid, streams, error);
	}
	for (int axis = 0; axis < 3; axis++)
	{
		streams->position_scale[axis] = 1.0f;
	}
	streams->streams[LRD_STREAM_POSITION] = (lrd_mesh_stream){ geometry->positions, 3 * sizeof(float) };
	add_attribute(streams, LRD_VERTEX_POSITION, LRD_FORMAT_F32X3, LRD_STREAM_POSITION, 0);
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
		data[i] = lrd_pack_number(geometry->uv[1][i]);
	}
	streams->streams[LRD_STREAM_UV1] = (lrd_mesh_stream){ data, 2 * sizeof(float) };
	add_attribute(streams, LRD_VERTEX_UV1, LRD_FORMAT_F32X2, LRD_STREAM_UV1, 0);
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
	const lrd_geometry *geometry, const lrd_geometry_pack_desc *desc, lrd_geometry_streams *streams, lrd_error *error)
{
	const lrd_geometry_grid *grid = desc != NULL ? desc->grid : NULL;
	bool wide_weights = desc != NULL && desc->wide_weights;
	lrd_geometry_streams result = { 0 };
	if (!check(geometry, error) || !bound(geometry, &result, error) ||
		!pack_positions(geometry, grid, &result, error) ||
		!pack_surface(geometry, grid != NULL && grid->uv, &result, error) ||
		(geometry->uv[1] != NULL && !pack_uv1(geometry, &result, error)) ||
		(geometry->joints != NULL && !lrd_pack_skin(geometry, wide_weights, &result, error)) ||
		(geometry->morph_count != 0 && !lrd_pack_morphs(geometry, &result, error)))
	{
		return false;
	}
	for (uint32_t set = 0; set < 2; set++)
	{
		result.uv_density[set] = lrd_pack_density(geometry, set);
	}
	*streams = result;
	return true;
}
