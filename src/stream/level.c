// stream/level.c: how fine a texture is worth having where it is seen: from how densely a mesh's surface is covered with texels, and how many
// pixels that is.

#include "larder/stream.h"

#include <math.h>
#include <string.h>

#define FINEST 0u
#define COARSEST 31u

uint32_t lrd_stream_level(float texels_per_unit, float distance, float pixels_per_unit)
{
	// Texels to a pixel: at 1 level 0 is right, and with each doubling the next.
	float texels = texels_per_unit * distance / pixels_per_unit;
	if (!(texels >= 2.0f))
	{
		return FINEST;
	}
	uint32_t bits;
	memcpy(&bits, &texels, sizeof bits);
	uint32_t exponent = (bits >> 23 & 0xffu) - 127u;
	return exponent < COARSEST ? exponent : COARSEST;
}

// --- Density ---

static float float_of_half(uint16_t half)
{
	uint32_t magnitude = (uint32_t)(half & 0x7fffu) << 13;
	float value;
	memcpy(&value, &magnitude, sizeof value);
	value *= 0x1p112f; // exact, subnormals too: the exponents' biases differ by 112
	return (half & 0x8000u) != 0 ? -value : value;
}

/// One attribute of a mesh, for any vertex.
typedef struct reader
{
	const uint8_t *first;
	uint32_t stride;
	uint32_t format;
	const lrd_mesh_view *mesh;
} reader;

static bool open_reader(reader *self, const lrd_mesh_view *mesh, lrd_vertex_semantic semantic)
{
	const lrd_vertex_attribute *attribute = lrd_mesh_attribute(mesh, semantic);
	if (attribute == NULL || mesh->streams[attribute->stream].data == NULL)
	{
		return false;
	}
	const lrd_mesh_stream *stream = &mesh->streams[attribute->stream];
	*self = (reader){ (const uint8_t *)stream->data + attribute->offset, stream->stride, attribute->format, mesh };
	return true;
}

static lrd_vec3 read_position(const reader *self, uint32_t vertex)
{
	const uint8_t *from = self->first + (size_t)vertex * self->stride;
	lrd_vec3 position = { 0 };
	if (self->format == LRD_FORMAT_F32X3)
	{
		memcpy(&position, from, sizeof position);
		return position;
	}
	uint16_t values[3];
	memcpy(values, from, sizeof values);
	const float *scale = self->mesh->position_scale; // the offset makes no difference
	return (lrd_vec3){ (float)values[0] / 65535.0f * scale[0], (float)values[1] / 65535.0f * scale[1],
		(float)values[2] / 65535.0f * scale[2] };
}

static lrd_vec2 read_uv(const reader *self, uint32_t vertex)
{
	const uint8_t *from = self->first + (size_t)vertex * self->stride;
	lrd_vec2 uv;
	if (self->format == LRD_FORMAT_F32X2)
	{
		memcpy(&uv, from, sizeof uv);
		return uv;
	}
	uint16_t halves[2];
	memcpy(halves, from, sizeof halves);
	return (lrd_vec2){ float_of_half(halves[0]), float_of_half(halves[1]) };
}

static double area_in_space(const lrd_vec3 corners[3])
{
	double a[3] = { (double)corners[1].x - corners[0].x, (double)corners[1].y - corners[0].y,
		(double)corners[1].z - corners[0].z };
	double b[3] = { (double)corners[2].x - corners[0].x, (double)corners[2].y - corners[0].y,
		(double)corners[2].z - corners[0].z };
	double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
	return sqrt(x * x + y * y + z * z);
}

static double area_in_uv(const lrd_vec2 corners[3])
{
	double ax = (double)corners[1].x - corners[0].x, ay = (double)corners[1].y - corners[0].y;
	double bx = (double)corners[2].x - corners[0].x, by = (double)corners[2].y - corners[0].y;
	return fabs(ax * by - ay * bx);
}

float lrd_mesh_uv_density(const lrd_mesh_view *mesh)
{
	reader position, uv;
	if (mesh->lod_count == 0 || !open_reader(&position, mesh, LRD_VERTEX_POSITION) ||
		!open_reader(&uv, mesh, LRD_VERTEX_UV0))
	{
		return 0;
	}
	double space = 0, texture = 0;
	const lrd_meshlet *meshlet = mesh->meshlets + mesh->lods[0].meshlet_offset;
	for (const lrd_meshlet *end = meshlet + mesh->lods[0].meshlet_count; meshlet < end; meshlet++)
	{
		const uint8_t *triangle = mesh->meshlet_triangles + (size_t)meshlet->triangle_offset * 3;
		for (uint32_t i = 0; i < meshlet->triangle_count; i++, triangle += 3)
		{
			lrd_vec3 corners[3];
			lrd_vec2 uvs[3];
			for (uint32_t corner = 0; corner < 3; corner++)
			{
				uint32_t vertex = mesh->meshlet_vertices[meshlet->vertex_offset + triangle[corner]];
				corners[corner] = read_position(&position, vertex);
				uvs[corner] = read_uv(&uv, vertex);
			}
			space += area_in_space(corners);
			texture += area_in_uv(uvs);
		}
	}
	double density = space > 0 ? sqrt(texture / space) : 0;
	return density < 3e38 ? (float)density : 0;
}
