// The code of docs/guide-mesh.md, as a program. Run where cooked/ lies, the courtyard cooked.

#include <larder/larder.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A whole file. malloc's memory is aligned to 16, as the readers want it.
static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	void *bytes = NULL;
	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
	{
		long end = ftell(file);
		*size = end < 0 ? 0 : (size_t)end;
		rewind(file);
		bytes = malloc(*size);
		if (bytes != NULL && fread(bytes, 1, *size, file) != *size)
		{
			free(bytes);
			bytes = NULL;
		}
	}
	if (file != NULL)
	{
		fclose(file);
	}
	return bytes;
}

static void *open_mesh(const char *path, lrd_mesh_view *mesh)
{
	lrd_error error = { 0 };
	size_t size = 0;
	void *bytes = read_file(path, &size);
	if (bytes == NULL || !lrd_mesh_open(bytes, size, mesh, &error))
	{
		fprintf(stderr, "%s: %s\n", path, bytes == NULL ? "can't be read" : error.message);
		free(bytes);
		return NULL;
	}
	return bytes; // to be freed after the view's last use
}

/// What a vertex format is called in Vulkan (VkFormat). Metal, Direct3D and WebGPU have the same ones by other names.
static uint32_t vulkan_format(uint8_t format)
{
	switch ((lrd_vertex_format)format)
	{
	case LRD_FORMAT_F32X2: return 103;            // VK_FORMAT_R32G32_SFLOAT
	case LRD_FORMAT_F32X3: return 106;            // VK_FORMAT_R32G32B32_SFLOAT
	case LRD_FORMAT_F16X2: return 83;             // VK_FORMAT_R16G16_SFLOAT
	case LRD_FORMAT_UNORM16X4: return 91;         // VK_FORMAT_R16G16B16A16_UNORM
	case LRD_FORMAT_OCT_SNORM16X2: return 78;     // VK_FORMAT_R16G16_SNORM
	case LRD_FORMAT_OCT_TANGENT16X2: return 82;   // VK_FORMAT_R16G16_SINT: as integers, the lowest bit is needed
	case LRD_FORMAT_UNORM8X4: return 37;          // VK_FORMAT_R8G8B8A8_UNORM
	case LRD_FORMAT_UINT8X4: return 41;           // VK_FORMAT_R8G8B8A8_UINT
	case LRD_FORMAT_UINT16X4: return 95;          // VK_FORMAT_R16G16B16A16_UINT
	case LRD_FORMAT_UNORM16X4_WEIGHTS: return 91; // VK_FORMAT_R16G16B16A16_UNORM
	}
	return 0;
}

/// As VkVertexInputAttributeDescription and VkVertexInputBindingDescription.
typedef struct vertex_input
{
	struct
	{
		uint32_t location, binding, format, offset;
	} attributes[LRD_VERTEX_SEMANTIC_COUNT];
	uint32_t attribute_count;
	uint32_t strides[LRD_STREAM_COUNT]; // by binding; 0: nothing is bound there
} vertex_input;

static vertex_input describe_input(const lrd_mesh_view *mesh)
{
	vertex_input input = { .attribute_count = mesh->attribute_count };
	for (uint32_t i = 0; i < mesh->attribute_count; ++i)
	{
		const lrd_vertex_attribute *attribute = &mesh->attributes[i];
		input.attributes[i].location = attribute->semantic;
		input.attributes[i].binding = attribute->stream;
		input.attributes[i].format = vulkan_format(attribute->format);
		input.attributes[i].offset = attribute->offset;
	}
	for (uint32_t s = 0; s < LRD_STREAM_COUNT; ++s)
	{
		input.strides[s] = mesh->streams[s].stride;
	}
	return input;
}

/// Bytes that a mesh takes in one buffer: its streams, then the indices of LOD 0.
static size_t upload_size(const lrd_mesh_view *mesh)
{
	size_t size = lrd_mesh_index_count(mesh, 0) * sizeof(uint32_t);
	for (uint32_t s = 0; s < LRD_STREAM_COUNT; ++s)
	{
		size += (size_t)mesh->vertex_count * mesh->streams[s].stride;
	}
	return size;
}

/// Fill a mapped staging buffer. Every stride is a multiple of 4, so the indices are aligned too.
static void upload(const lrd_mesh_view *mesh, uint8_t *staging)
{
	for (uint32_t s = 0; s < LRD_STREAM_COUNT; ++s)
	{
		size_t size = (size_t)mesh->vertex_count * mesh->streams[s].stride;
		if (size != 0)
		{
			memcpy(staging, mesh->streams[s].data, size);
		}
		staging += size;
	}
	lrd_mesh_write_indices(mesh, 0, (uint32_t *)(void *)staging);
}

/// A normal from what VK_FORMAT_R16G16_SNORM gives a shader: two numbers from -1 to 1.
static lrd_vec3 decode_normal(float x, float y)
{
	lrd_vec3 n = { x, y, 1.0f - fabsf(x) - fabsf(y) };
	float fold = fmaxf(-n.z, 0.0f);
	n.x += n.x >= 0.0f ? -fold : fold;
	n.y += n.y >= 0.0f ? -fold : fold;
	float length = sqrtf(n.x * n.x + n.y * n.y + n.z * n.z);
	return (lrd_vec3){ n.x / length, n.y / length, n.z / length };
}

/// A tangent from what VK_FORMAT_R16G16_SINT gives a shader. bitangent = cross(normal, tangent) * w
static lrd_vec4 decode_tangent(int x, int y)
{
	lrd_vec3 t = decode_normal(fmaxf((float)x / 32767.0f, -1.0f), fmaxf((float)y / 32767.0f, -1.0f));
	return (lrd_vec4){ t.x, t.y, t.z, (y & 1) != 0 ? -1.0f : 1.0f };
}

/// Triangles that may face an eye in object space, meshlet by meshlet.
static uint32_t count_facing(const lrd_mesh_view *mesh, lrd_vec3 eye)
{
	uint32_t triangles = 0;
	for (uint32_t m = 0; m < mesh->lods[0].meshlet_count; ++m)
	{
		const lrd_meshlet *meshlet = &mesh->meshlets[mesh->lods[0].meshlet_offset + m];
		float x = meshlet->cone_apex[0] - eye.x;
		float y = meshlet->cone_apex[1] - eye.y;
		float z = meshlet->cone_apex[2] - eye.z;
		float along = x * meshlet->cone_axis[0] + y * meshlet->cone_axis[1] + z * meshlet->cone_axis[2];
		bool has_cone = meshlet->cone_cutoff < 1.0f;
		if (!has_cone || along < meshlet->cone_cutoff * sqrtf(x * x + y * y + z * z))
		{
			triangles += meshlet->triangle_count;
		}
	}
	return triangles;
}

/// One triangle of a meshlet, as vertices of the streams.
static void meshlet_triangle(
	const lrd_mesh_view *mesh, const lrd_meshlet *meshlet, uint32_t triangle, uint32_t vertices[3])
{
	const uint8_t *local = &mesh->meshlet_triangles[(size_t)(meshlet->triangle_offset + triangle) * 3];
	for (uint32_t corner = 0; corner < 3; ++corner)
	{
		vertices[corner] = mesh->meshlet_vertices[meshlet->vertex_offset + local[corner]];
	}
}

static const uint8_t *value_of(const lrd_mesh_view *mesh, lrd_vertex_semantic semantic, uint32_t vertex)
{
	const lrd_vertex_attribute *attribute = lrd_mesh_attribute(mesh, semantic); // NULL: the mesh has no such values
	const lrd_mesh_stream *stream = &mesh->streams[attribute->stream];
	return (const uint8_t *)stream->data + (size_t)vertex * stream->stride + attribute->offset;
}

static lrd_vec3 position_of(const lrd_mesh_view *mesh, uint32_t vertex)
{
	const uint8_t *value = value_of(mesh, LRD_VERTEX_POSITION, vertex);
	float p[3];
	if (lrd_mesh_attribute(mesh, LRD_VERTEX_POSITION)->format == LRD_FORMAT_F32X3)
	{
		memcpy(p, value, sizeof p);
	}
	else // LRD_FORMAT_UNORM16X4
	{
		uint16_t q[3];
		memcpy(q, value, sizeof q);
		for (int i = 0; i < 3; ++i)
		{
			p[i] = (float)q[i] / 65535.0f * mesh->position_scale[i] + mesh->position_offset[i];
		}
	}
	return (lrd_vec3){ p[0], p[1], p[2] };
}

// From here on: that all of it holds.

static bool is_near(lrd_vec3 a, lrd_vec3 b, float tolerance)
{
	return fabsf(a.x - b.x) <= tolerance && fabsf(a.y - b.y) <= tolerance && fabsf(a.z - b.z) <= tolerance;
}

static bool check_layout(const lrd_mesh_view *mesh)
{
	vertex_input input = describe_input(mesh);
	for (uint32_t i = 0; i < input.attribute_count; ++i)
	{
		if (input.attributes[i].format == 0 || input.attributes[i].offset >= input.strides[input.attributes[i].binding])
		{
			return false;
		}
	}
	return input.attribute_count >= 5;
}

static bool check_upload(const lrd_mesh_view *mesh)
{
	size_t size = upload_size(mesh);
	uint8_t *staging = malloc(size);
	if (staging == NULL)
	{
		return false;
	}
	upload(mesh, staging);
	uint32_t count = lrd_mesh_index_count(mesh, 0);
	const uint32_t *indices = (const uint32_t *)(const void *)(staging + size - count * sizeof *indices);
	bool good = count == mesh->lods[0].triangle_count * 3;
	uint32_t at = 0;
	for (uint32_t m = 0; m < mesh->lods[0].meshlet_count; ++m)
	{
		for (uint32_t t = 0; t < mesh->meshlets[m].triangle_count; ++t, at += 3)
		{
			uint32_t vertices[3];
			meshlet_triangle(mesh, &mesh->meshlets[m], t, vertices);
			good = good && memcmp(vertices, indices + at, sizeof vertices) == 0 && vertices[0] < mesh->vertex_count;
		}
	}
	free(staging);
	return good && at == count;
}

static bool check_decoding(const lrd_mesh_view *mesh)
{
	for (uint32_t v = 0; v < mesh->vertex_count; ++v)
	{
		int16_t oct[2];
		memcpy(oct, value_of(mesh, LRD_VERTEX_NORMAL, v), sizeof oct);
		lrd_vec3 normal = decode_normal(fmaxf((float)oct[0] / 32767.0f, -1.0f), fmaxf((float)oct[1] / 32767.0f, -1.0f));
		if (!is_near(normal, lrd_oct_decode(oct), 1e-5f))
		{
			return false;
		}
		memcpy(oct, value_of(mesh, LRD_VERTEX_TANGENT, v), sizeof oct);
		lrd_vec4 tangent = decode_tangent(oct[0], oct[1]);
		lrd_vec4 expected = lrd_oct_tangent_decode(oct);
		if (!is_near((lrd_vec3){ tangent.x, tangent.y, tangent.z }, (lrd_vec3){ expected.x, expected.y, expected.z },
				1e-4f) ||
			tangent.w != expected.w)
		{
			return false;
		}
	}
	return true;
}

static bool check_positions(const lrd_mesh_view *mesh)
{
	const lrd_bounds *bounds = &mesh->bounds;
	bool good = true;
	for (uint32_t v = 0; v < mesh->vertex_count; ++v)
	{
		lrd_vec3 p = position_of(mesh, v);
		good = good && p.x >= bounds->min.x && p.y >= bounds->min.y && p.z >= bounds->min.z && p.x <= bounds->max.x &&
			   p.y <= bounds->max.y && p.z <= bounds->max.z;
	}
	return good;
}

static bool check_statues(void)
{
	lrd_mesh_view mesh;
	void *bytes = open_mesh("cooked/courtyard/part.Bronze.0.lmesh", &mesh);
	if (bytes == NULL)
	{
		return false;
	}
	lrd_vec3 centre = mesh.bounds.centre;
	lrd_vec3 far_away = { centre.x + 100.0f, centre.y, centre.z };
	uint32_t facing = count_facing(&mesh, far_away);
	bool good = check_layout(&mesh) && check_upload(&mesh) && check_decoding(&mesh) && check_positions(&mesh);
	good = good && facing < mesh.lods[0].triangle_count && facing >= mesh.lods[0].triangle_count / 2;
	free(bytes);
	return good;
}

int main(void)
{
	static const struct
	{
		const char *name;
		bool (*check)(void);
	} checks[] = { { "meshes", check_statues } };
	bool good = true;
	for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i)
	{
		bool holds = checks[i].check();
		printf("%s: %s\n", checks[i].name, holds ? "as the guide says" : "NOT as the guide says");
		good = good && holds;
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
