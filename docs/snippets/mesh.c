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

static void skin_of(const lrd_mesh_view *mesh, uint32_t vertex, uint16_t joints[4], float weights[4])
{
	const uint8_t *j = value_of(mesh, LRD_VERTEX_JOINTS, vertex);
	const uint8_t *w = value_of(mesh, LRD_VERTEX_WEIGHTS, vertex);
	bool wide = lrd_mesh_attribute(mesh, LRD_VERTEX_JOINTS)->format == LRD_FORMAT_UINT16X4;
	for (int i = 0; i < 4; ++i)
	{
		uint16_t weight = w[i];
		joints[i] = j[i];
		if (wide)
		{
			memcpy(&joints[i], j + i * 2, 2);
			memcpy(&weight, w + i * 2, 2);
		}
		weights[i] = (float)weight / (wide ? 65535.0f : 255.0f);
	}
}

static lrd_vec3 transform_point(const lrd_mat4 *matrix, lrd_vec3 p)
{
	const float *m = matrix->m;
	return (lrd_vec3){
		m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12],
		m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
		m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14],
	};
}

/// Where a vertex is under a palette, in model space.
static lrd_vec3 skinned_position(const lrd_mesh_view *mesh, uint32_t vertex, const lrd_mat4 *palette)
{
	uint16_t joints[4];
	float weights[4];
	lrd_vec3 sum = { 0 };
	lrd_vec3 position = position_of(mesh, vertex);
	skin_of(mesh, vertex, joints, weights);
	for (int i = 0; i < 4; ++i)
	{
		lrd_vec3 moved = transform_point(&palette[joints[i]], position);
		sum.x += moved.x * weights[i];
		sum.y += moved.y * weights[i];
		sum.z += moved.z * weights[i];
	}
	return sum;
}

/// The palette of a skeleton at a time in a clip: one matrix a joint. `skeleton_index` is the part's `skeleton`.
static bool sample_palette(const lrd_skeleton_view *skeleton, uint32_t skeleton_index, const lrd_clip_view *clip,
	float time, lrd_mat4 *palette)
{
	lrd_transform *joints = malloc(skeleton->joint_count * sizeof *joints);
	if (joints == NULL)
	{
		return false;
	}
	lrd_pose pose = { .joints = joints, .joint_count = skeleton->joint_count, .skeleton = skeleton_index };
	lrd_skeleton_rest_pose(skeleton, joints); // what the clip doesn't move stays at rest
	lrd_clip_sample(clip, time, NULL, &pose);
	lrd_skeleton_palette(skeleton, joints, palette);
	free(joints);
	return true;
}

static void rest_nodes(const lrd_model_view *model, lrd_transform *locals)
{
	for (uint32_t n = 0; n < model->node_count; ++n)
	{
		const lrd_model_node *node = &model->nodes[n];
		memcpy(&locals[n].translation, node->translation, sizeof node->translation);
		memcpy(&locals[n].rotation, node->rotation, sizeof node->rotation);
		memcpy(&locals[n].scale, node->scale, sizeof node->scale);
	}
}

/// Lay a clip over the local transforms of a model's nodes.
static void sample_nodes(const lrd_clip_view *clip, float time, lrd_transform *locals, uint32_t node_count)
{
	for (uint32_t c = 0; c < clip->channel_count; ++c)
	{
		const lrd_clip_channel *channel = &clip->channels[c];
		if (channel->node < 0 || (uint32_t)channel->node >= node_count)
		{
			continue; // of another model
		}
		lrd_transform *local = &locals[channel->node];
		switch ((lrd_clip_path)channel->path)
		{
		case LRD_PATH_TRANSLATION: lrd_clip_sample_channel(clip, c, time, &local->translation.x); break;
		case LRD_PATH_ROTATION: lrd_clip_sample_channel(clip, c, time, &local->rotation.x); break;
		case LRD_PATH_SCALE: lrd_clip_sample_channel(clip, c, time, &local->scale.x); break;
		case LRD_PATH_WEIGHTS: break; // see below, morphs
		}
	}
}

static lrd_vec3 rotate(lrd_vec4 q, lrd_vec3 v)
{
	lrd_vec3 t = { 2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x) };
	return (lrd_vec3){
		v.x + q.w * t.x + q.y * t.z - q.z * t.y,
		v.y + q.w * t.y + q.z * t.x - q.x * t.z,
		v.z + q.w * t.z + q.x * t.y - q.y * t.x,
	};
}

/// A point of a part, which its node moves, in model space.
static lrd_vec3 to_model(const lrd_model_view *model, const lrd_transform *locals, uint32_t node, lrd_vec3 p)
{
	for (int32_t n = node == LRD_NO_INDEX ? -1 : (int32_t)node; n >= 0; n = model->nodes[n].parent)
	{
		const lrd_transform *local = &locals[n];
		p = rotate(local->rotation, (lrd_vec3){ p.x * local->scale.x, p.y * local->scale.y, p.z * local->scale.z });
		p = (lrd_vec3){ p.x + local->translation.x, p.y + local->translation.y, p.z + local->translation.z };
	}
	return p;
}

/// Morph copies of positions and normals (three floats a vertex). Normals are to be normalised afterwards.
static void morph(const lrd_mesh_view *mesh, const float *weights, float *positions, float *normals)
{
	for (uint32_t m = 0; m < mesh->morph_count; ++m)
	{
		const lrd_morph_target *target = &mesh->morphs[m];
		for (uint32_t e = 0; e < target->entry_count; ++e)
		{
			const lrd_morph_entry *entry = &mesh->morph_entries[target->entry_offset + e];
			for (uint32_t i = 0; i < 3; ++i)
			{
				positions[entry->vertex * 3 + i] += weights[m] * entry->position[i];
				normals[entry->vertex * 3 + i] += weights[m] * 2.0f * (float)entry->normal[i] / 32767.0f;
			}
		}
	}
}

/// The weights that a clip gives the parts on a node; those of the part (`model->weights`) where it says nothing.
static void sample_weights(const lrd_clip_view *clip, float time, uint32_t node, float *weights, uint32_t weight_count)
{
	for (uint32_t c = 0; c < clip->channel_count; ++c)
	{
		const lrd_clip_channel *channel = &clip->channels[c];
		if (channel->path == LRD_PATH_WEIGHTS && channel->node == (int32_t)node && channel->components == weight_count)
		{
			lrd_clip_sample_channel(clip, c, time, weights);
		}
	}
}

// From here on: that all of it holds.

static bool is_near(lrd_vec3 a, lrd_vec3 b, float tolerance)
{
	return fabsf(a.x - b.x) <= tolerance && fabsf(a.y - b.y) <= tolerance && fabsf(a.z - b.z) <= tolerance;
}

static bool is_inside(lrd_vec3 p, const lrd_bounds *bounds, float tolerance)
{
	return p.x >= bounds->min.x - tolerance && p.y >= bounds->min.y - tolerance && p.z >= bounds->min.z - tolerance &&
		   p.x <= bounds->max.x + tolerance && p.y <= bounds->max.y + tolerance && p.z <= bounds->max.z + tolerance;
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
	bool good = check_layout(&mesh) && check_upload(&mesh) && check_decoding(&mesh);
	good = good && facing < mesh.lods[0].triangle_count && facing >= mesh.lods[0].triangle_count / 2;
	free(bytes);
	return good;
}

typedef struct model_files
{
	void *model_bytes;
	lrd_model_view model;
	void *clip_bytes;
	lrd_clip_view clip;
} model_files;

static bool open_model(model_files *files, const char *clip)
{
	size_t size = 0;
	files->model_bytes = read_file("cooked/courtyard.lmodel", &size);
	if (files->model_bytes == NULL || !lrd_model_open(files->model_bytes, size, &files->model, NULL))
	{
		return false;
	}
	files->clip_bytes = read_file(clip, &size);
	return files->clip_bytes != NULL && lrd_clip_open(files->clip_bytes, size, &files->clip, NULL);
}

static void close_model(model_files *files)
{
	free(files->model_bytes);
	free(files->clip_bytes);
}

static bool check_skinning_of(const model_files *files, const lrd_mesh_view *mesh, const lrd_skeleton_view *skeleton)
{
	lrd_mat4 *palette = malloc(skeleton->joint_count * sizeof *palette);
	uint32_t part = lrd_model_find_part(&files->model, LRD_STR("BannerCloth"));
	bool good = palette != NULL && part != LRD_NO_INDEX && (mesh->flags & LRD_MESH_SKINNED) != 0;
	float moved = 0.0f;
	for (int frame = 0; good && frame < 8; ++frame)
	{
		float time = files->clip.duration * (float)frame / 7.0f;
		good = sample_palette(skeleton, files->model.parts[part].skeleton, &files->clip, time, palette);
		for (uint32_t v = 0; good && v < mesh->vertex_count; ++v)
		{
			lrd_vec3 point = skinned_position(mesh, v, palette);
			good = is_inside(point, &files->model.bounds, 2.0f);
			moved = fmaxf(moved, fabsf(point.z - position_of(mesh, v).z));
		}
	}
	free(palette);
	return good && moved > 0.01f;
}

static bool check_skinning(void)
{
	model_files files = { 0 };
	lrd_mesh_view mesh;
	lrd_skeleton_view skeleton;
	size_t size = 0;
	void *mesh_bytes = open_mesh("cooked/courtyard/part.BannerCloth.lmesh", &mesh);
	void *skeleton_bytes = read_file("cooked/courtyard/skeleton.BannerChain.lskel", &size);
	bool good =
		mesh_bytes != NULL && skeleton_bytes != NULL && lrd_skeleton_open(skeleton_bytes, size, &skeleton, NULL) &&
		open_model(&files, "cooked/courtyard/clip.BannerSway.lclip") && check_skinning_of(&files, &mesh, &skeleton);
	close_model(&files);
	free(mesh_bytes);
	free(skeleton_bytes);
	return good;
}

static bool check_nodes(void)
{
	model_files files = { 0 };
	bool good = open_model(&files, "cooked/courtyard/clip.ClockTick.lclip");
	uint32_t node_count = good ? files.model.node_count : 0;
	lrd_transform *locals = malloc((node_count + 1) * sizeof *locals);
	uint32_t part = good ? lrd_model_find_part(&files.model, LRD_STR("MinuteHand")) : LRD_NO_INDEX;
	good = locals != NULL && part != LRD_NO_INDEX;
	if (good)
	{
		lrd_vec3 tip = { 0.0f, 1.0f, 0.0f };
		rest_nodes(&files.model, locals);
		sample_nodes(&files.clip, 0.0f, locals, node_count);
		lrd_vec3 before = to_model(&files.model, locals, files.model.parts[part].node, tip);
		sample_nodes(&files.clip, files.clip.duration * 0.5f, locals, node_count);
		lrd_vec3 after = to_model(&files.model, locals, files.model.parts[part].node, tip);
		good = !is_near(before, after, 0.01f);
	}
	free(locals);
	close_model(&files);
	return good;
}

static bool check_morph_of(const model_files *files, const lrd_mesh_view *mesh, const lrd_model_part *part)
{
	float *positions = calloc((size_t)mesh->vertex_count * 6, sizeof *positions);
	float weights[8] = { 0 };
	bool good = positions != NULL && part->weight_count == mesh->morph_count && mesh->morph_count <= 8;
	if (good)
	{
		memcpy(weights, files->model.weights + part->weights_offset, part->weight_count * sizeof *weights);
		sample_weights(&files->clip, files->clip.duration * 0.4f, part->node, weights, part->weight_count);
		morph(mesh, weights, positions, positions + (size_t)mesh->vertex_count * 3);
		float moved = 0.0f;
		for (uint32_t i = 0; i < mesh->vertex_count * 3; ++i)
		{
			moved = fmaxf(moved, fabsf(positions[i])); // from zeros: the deltas alone
		}
		good = moved > 0.001f && moved < 10.0f;
	}
	free(positions);
	return good;
}

static bool check_morph(void)
{
	model_files files = { 0 };
	lrd_mesh_view mesh;
	void *bytes = open_mesh("cooked/courtyard/part.Blob.lmesh", &mesh);
	bool good = bytes != NULL && open_model(&files, "cooked/courtyard/clip.BlobBreathing.lclip");
	uint32_t part = good ? lrd_model_find_part(&files.model, LRD_STR("Blob")) : LRD_NO_INDEX;
	good = part != LRD_NO_INDEX && check_morph_of(&files, &mesh, &files.model.parts[part]);
	close_model(&files);
	free(bytes);
	return good;
}

int main(void)
{
	static const struct
	{
		const char *name;
		bool (*check)(void);
	} checks[] = { { "meshes", check_statues }, { "skins", check_skinning }, { "nodes", check_nodes },
		{ "morphs", check_morph } };
	bool good = true;
	for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i)
	{
		bool holds = checks[i].check();
		printf("%s: %s\n", checks[i].name, holds ? "as the guide says" : "NOT as the guide says");
		good = good && holds;
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
