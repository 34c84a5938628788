// What `larder info` says of a cooked mesh.

#include "cli/cook_mesh.h"
#include "cli/info.h"
#include "larder/mesh.h"

#include <string.h>

static cJSON *add_row(cJSON *array)
{
	cJSON *row = cJSON_CreateObject();
	cJSON_AddItemToArray(array, row);
	return row;
}

static void add_layout(cJSON *json, const lrd_mesh_view *mesh)
{
	static const char *const semantics[] = { "position", "normal", "tangent", "uv0", "color", "uv1", "joints",
		"weights" };
	static const char *const formats[] = { "", "f32x2", "f32x3", "f16x2", "unorm16x4", "oct_snorm16x2",
		"oct_tangent16x2", "unorm8x4", "uint8x4", "uint16x4", "unorm16x4" };
	static const char *const streams[] = { "position", "surface", "uv1", "skin" };
	cJSON *layout = cJSON_AddArrayToObject(json, "layout");
	for (uint32_t i = 0; i < mesh->attribute_count; ++i)
	{
		const lrd_vertex_attribute *attribute = &mesh->attributes[i];
		cJSON *row = add_row(layout);
		cli_json_string(row, "semantic", lrd_string_from(semantics[attribute->semantic]));
		cli_json_string(row, "format", lrd_string_from(formats[attribute->format]));
		cli_json_string(row, "stream", lrd_string_from(streams[attribute->stream]));
		cli_json_number(row, "offset", attribute->offset);
		cli_json_number(row, "stride", mesh->streams[attribute->stream].stride);
	}
}

static void add_flags(cJSON *json, uint32_t flags)
{
	static const char *const names[] = { "skinned", "morphed", "uv1", "authored_tangents", "cpu_access", "double_sided",
		"alpha_masked" };
	cJSON *array = cJSON_AddArrayToObject(json, "flags");
	for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i)
	{
		if ((flags >> i & 1) != 0)
		{
			cli_json_string(array, NULL, lrd_string_from(names[i]));
		}
	}
}

/// Of quantised positions, how far apart they are at least and how many bits the largest takes.
static void add_grid(cJSON *json, const lrd_mesh_view *mesh)
{
	const lrd_vertex_attribute *position = lrd_mesh_attribute(mesh, LRD_VERTEX_POSITION);
	const lrd_mesh_stream *stream = &mesh->streams[position->stream];
	uint32_t all = 0;
	if (position->format != LRD_FORMAT_UNORM16X4)
	{
		return;
	}
	for (size_t v = 0; v < mesh->vertex_count; ++v)
	{
		uint16_t steps[3];
		memcpy(steps, (const char *)stream->data + v * stream->stride + position->offset, sizeof steps);
		all |= (uint32_t)(steps[0] | steps[1] | steps[2]);
	}
	uint32_t bits = 0;
	while (all >> bits != 0)
	{
		bits++;
	}
	cJSON *grid = cJSON_AddObjectToObject(json, "quantized");
	cli_json_number(grid, "bits", bits);
	cli_json_floats(grid, "scale", mesh->position_scale, 3);
	cli_json_floats(grid, "offset", mesh->position_offset, 3);
}

static void add_lods(cJSON *json, const lrd_mesh_view *mesh)
{
	cJSON *lods = cJSON_AddArrayToObject(json, "lods");
	for (uint32_t i = 0; i < mesh->lod_count; ++i)
	{
		lrd_mesh_fill fill;
		cJSON *row = add_row(lods);
		cli_json_number(row, "triangles", mesh->lods[i].triangle_count);
		cli_json_float(row, "error", mesh->lods[i].error);
		lrd_mesh_measure_fill(mesh, i, &fill);
		cli_json_fill(row, &fill);
	}
}

static void add_morphs(cJSON *json, const lrd_mesh_view *mesh)
{
	cJSON *morphs = cJSON_AddArrayToObject(json, "morphs");
	for (uint32_t i = 0; i < mesh->morph_count; ++i)
	{
		cJSON *row = add_row(morphs);
		cli_json_string(row, "name", lrd_mesh_morph_name(mesh, i));
		cli_json_number(row, "vertices", mesh->morphs[i].entry_count);
		cli_json_float(row, "weight", mesh->morphs[i].default_weight);
	}
}

bool cli_info_mesh(cJSON *json, const void *bytes, size_t size, lrd_error *error)
{
	lrd_mesh_view mesh;
	if (!lrd_mesh_open(bytes, size, &mesh, error))
	{
		return false;
	}
	add_flags(json, mesh.flags);
	cli_json_string(json, "material", mesh.material);
	cli_json_number(json, "vertices", mesh.vertex_count);
	cli_json_number(json, "triangles", mesh.lods[0].triangle_count);
	cli_json_number(json, "raytracing_lod_bias", mesh.raytracing_lod_bias);
	cli_json_floats(json, "uv_density", mesh.uv_density, (mesh.flags & LRD_MESH_UV1) != 0 ? 2 : 1);
	cli_info_bounds(json, "bounds", &mesh.bounds);
	add_grid(json, &mesh);
	add_layout(json, &mesh);
	add_lods(json, &mesh);
	add_morphs(json, &mesh);
	return true;
}
