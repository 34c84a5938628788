// Where every vertex of a cooked model is while its clips play, by larder's own run time: what tests/judges/poses.mjs
// compares with another program.
//
//   judge_poses COOKED_FOLDER MODEL_STEM > positions
//
// For each clip of the model in turn, at each of eleven times (tenths of its duration): for each part in turn, x, y, z
// of each vertex in model space, f32, little-endian. A skeleton's rest pose is what no channel moves.

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 11

/// A model with all that it draws.
typedef struct scene
{
	const char *folder;
	lrd_model_view model;
	lrd_mesh_view *meshes;        // by part
	lrd_skeleton_view *skeletons; // by skeleton
	lrd_transform *locals;        // by node
	lrd_mat4 *globals;            // by node
	lrd_transform *joints;        // scratch
	lrd_mat4 **palettes;          // by skeleton
} scene;

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "judge_poses: %s: %s\n", what, why);
	exit(1);
}

static void *need(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);
	if (memory == NULL)
	{
		stop("memory", "there is none left");
	}
	return memory;
}

/// A cooked file, whole. Nothing is freed: the program ends soon.
static void *read_cooked(const scene *self, lrd_string stem, const char *extension, size_t *size)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%.*s%s", self->folder, LRD_STR_ARG(stem), extension);
	FILE *file = fopen(path, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
	{
		stop(path, "can't be read");
	}
	*size = (size_t)ftell(file);
	rewind(file);
	void *bytes = need(*size, 1);
	if (fread(bytes, 1, *size, file) != *size)
	{
		stop(path, "can't be read");
	}
	fclose(file);
	return bytes;
}

static void open_all(scene *self, const char *stem)
{
	lrd_error error = { 0 };
	size_t size = 0;
	void *bytes = read_cooked(self, lrd_string_from(stem), ".lmodel", &size);
	if (!lrd_model_open(bytes, size, &self->model, &error))
	{
		stop(stem, error.message);
	}
	const lrd_model_view *model = &self->model;
	self->meshes = need(model->part_count, sizeof *self->meshes);
	self->skeletons = need(model->skeleton_count, sizeof *self->skeletons);
	self->palettes = need(model->skeleton_count, sizeof *self->palettes);
	self->locals = need(model->node_count, sizeof *self->locals);
	self->globals = need(model->node_count, sizeof *self->globals);
	self->joints = need(LRD_SKELETON_MAX_JOINTS, sizeof *self->joints);
	for (uint32_t p = 0; p < model->part_count; p++)
	{
		bytes = read_cooked(self, lrd_model_text(model, model->parts[p].mesh), ".lmesh", &size);
		if (!lrd_mesh_open(bytes, size, &self->meshes[p], &error))
		{
			stop(stem, error.message);
		}
	}
	for (uint32_t s = 0; s < model->skeleton_count; s++)
	{
		bytes = read_cooked(self, lrd_model_text(model, model->skeletons[s].stem), ".lskel", &size);
		if (!lrd_skeleton_open(bytes, size, &self->skeletons[s], &error))
		{
			stop(stem, error.message);
		}
		self->palettes[s] = need(self->skeletons[s].joint_count, sizeof **self->palettes);
	}
}

static lrd_mat4 product(const lrd_mat4 *a, const lrd_mat4 *b)
{
	lrd_mat4 result = { { 0 } };
	for (int i = 0; i < 64; i++)
	{
		result.m[i / 16 * 4 + i % 4] += a->m[i / 4 % 4 * 4 + i % 4] * b->m[i / 16 * 4 + i / 4 % 4];
	}
	return result;
}

static lrd_mat4 matrix_of(const lrd_transform *t)
{
	float x = t->rotation.x, y = t->rotation.y, z = t->rotation.z, w = t->rotation.w;
	lrd_vec3 s = t->scale;
	return (lrd_mat4){ { s.x * (1 - 2 * (y * y + z * z)), s.x * 2 * (x * y + z * w), s.x * 2 * (x * z - y * w), 0, //
		s.y * 2 * (x * y - z * w), s.y * (1 - 2 * (x * x + z * z)), s.y * 2 * (y * z + x * w), 0,                  //
		s.z * 2 * (x * z + y * w), s.z * 2 * (y * z - x * w), s.z * (1 - 2 * (x * x + y * y)), 0,                  //
		t->translation.x, t->translation.y, t->translation.z, 1 } };
}

static lrd_vec3 move(const lrd_mat4 *matrix, lrd_vec3 p)
{
	const float *m = matrix->m;
	return (lrd_vec3){
		m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12],
		m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
		m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14],
	};
}

static void pose_nodes(scene *self, const lrd_clip_view *clip, float time)
{
	const lrd_model_view *model = &self->model;
	for (uint32_t n = 0; n < model->node_count; n++)
	{
		memcpy(&self->locals[n].translation, model->nodes[n].translation, sizeof self->locals[n].translation);
		memcpy(&self->locals[n].rotation, model->nodes[n].rotation, sizeof self->locals[n].rotation);
		memcpy(&self->locals[n].scale, model->nodes[n].scale, sizeof self->locals[n].scale);
	}
	for (uint32_t c = 0; c < clip->channel_count; c++)
	{
		const lrd_clip_channel *channel = &clip->channels[c];
		lrd_transform *local = &self->locals[channel->node];
		float *values[] = { &local->translation.x, &local->rotation.x, &local->scale.x };
		if (channel->path != LRD_PATH_WEIGHTS)
		{
			lrd_clip_sample_channel(clip, c, time, values[channel->path]);
		}
	}
	for (uint32_t n = 0; n < model->node_count; n++)
	{
		lrd_mat4 local = matrix_of(&self->locals[n]);
		int32_t parent = model->nodes[n].parent;
		self->globals[n] = parent < 0 ? local : product(&self->globals[parent], &local);
	}
}

static void pose_skeletons(scene *self, const lrd_clip_view *clip, float time, uint32_t *cursor)
{
	for (uint32_t s = 0; s < self->model.skeleton_count; s++)
	{
		lrd_pose pose = { self->joints, self->skeletons[s].joint_count, s };
		lrd_skeleton_rest_pose(&self->skeletons[s], self->joints);
		lrd_clip_sample(clip, time, cursor, &pose);
		lrd_skeleton_palette(&self->skeletons[s], self->joints, self->palettes[s]);
	}
}

static const uint8_t *value_of(const lrd_mesh_view *mesh, lrd_vertex_semantic semantic, uint32_t vertex)
{
	const lrd_vertex_attribute *attribute = lrd_mesh_attribute(mesh, semantic);
	const lrd_mesh_stream *stream = &mesh->streams[attribute->stream];
	return (const uint8_t *)stream->data + (size_t)vertex * stream->stride + attribute->offset;
}

static lrd_vec3 position_of(const lrd_mesh_view *mesh, uint32_t vertex)
{
	const uint8_t *value = value_of(mesh, LRD_VERTEX_POSITION, vertex);
	lrd_vec3 p;
	if (lrd_mesh_attribute(mesh, LRD_VERTEX_POSITION)->format == LRD_FORMAT_F32X3)
	{
		memcpy(&p, value, sizeof p);
		return p;
	}
	uint16_t q[3];
	memcpy(q, value, sizeof q);
	return (lrd_vec3){ (float)q[0] / 65535.0f * mesh->position_scale[0] + mesh->position_offset[0],
		(float)q[1] / 65535.0f * mesh->position_scale[1] + mesh->position_offset[1],
		(float)q[2] / 65535.0f * mesh->position_scale[2] + mesh->position_offset[2] };
}

static lrd_vec3 skinned(const lrd_mesh_view *mesh, uint32_t vertex, lrd_vec3 position, const lrd_mat4 *palette)
{
	const uint8_t *joints = value_of(mesh, LRD_VERTEX_JOINTS, vertex);
	const uint8_t *weights = value_of(mesh, LRD_VERTEX_WEIGHTS, vertex);
	bool wide = lrd_mesh_attribute(mesh, LRD_VERTEX_JOINTS)->format == LRD_FORMAT_UINT16X4;
	lrd_vec3 sum = { 0, 0, 0 };
	for (int i = 0; i < 4; i++)
	{
		uint16_t joint = joints[i], weight = weights[i];
		if (wide)
		{
			memcpy(&joint, joints + 2 * i, 2);
			memcpy(&weight, weights + 2 * i, 2);
		}
		lrd_vec3 moved = move(&palette[joint], position);
		float part = (float)weight / (wide ? 65535.0f : 255.0f);
		sum = (lrd_vec3){ sum.x + moved.x * part, sum.y + moved.y * part, sum.z + moved.z * part };
	}
	return sum;
}

/// A part's weights: its own, or what the clip says for its node.
static void sample_weights(const scene *self, const lrd_clip_view *clip, float time, uint32_t p, float *weights)
{
	const lrd_model_part *part = &self->model.parts[p];
	memcpy(weights, self->model.weights + part->weights_offset, part->weight_count * sizeof *weights);
	for (uint32_t c = 0; c < clip->channel_count; c++)
	{
		const lrd_clip_channel *channel = &clip->channels[c];
		if (channel->path == LRD_PATH_WEIGHTS && channel->node == (int32_t)part->node &&
			channel->components == part->weight_count)
		{
			lrd_clip_sample_channel(clip, c, time, weights);
		}
	}
}

static void write_part(const scene *self, const lrd_clip_view *clip, float time, uint32_t p)
{
	const lrd_mesh_view *mesh = &self->meshes[p];
	const lrd_model_part *part = &self->model.parts[p];
	lrd_vec3 *positions = need(mesh->vertex_count, sizeof *positions);
	float *weights = need(part->weight_count, sizeof *weights);
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		positions[v] = position_of(mesh, v);
	}
	sample_weights(self, clip, time, p, weights);
	for (uint32_t m = 0; m < mesh->morph_count; m++)
	{
		for (uint32_t e = 0; e < mesh->morphs[m].entry_count; e++)
		{
			const lrd_morph_entry *entry = &mesh->morph_entries[mesh->morphs[m].entry_offset + e];
			lrd_vec3 *p3 = &positions[entry->vertex];
			*p3 = (lrd_vec3){ p3->x + weights[m] * entry->position[0], p3->y + weights[m] * entry->position[1],
				p3->z + weights[m] * entry->position[2] };
		}
	}
	for (uint32_t v = 0; v < mesh->vertex_count; v++)
	{
		if ((part->flags & LRD_PART_SKINNED) != 0)
		{
			positions[v] = skinned(mesh, v, positions[v], self->palettes[part->skeleton]);
		}
		else if (part->node != LRD_NO_INDEX)
		{
			positions[v] = move(&self->globals[part->node], positions[v]);
		}
	}
	fwrite(positions, sizeof *positions, mesh->vertex_count, stdout);
	free(positions);
	free(weights);
}

static void write_clip(scene *self, uint32_t index)
{
	lrd_error error = { 0 };
	lrd_clip_view clip;
	size_t size = 0;
	void *bytes = read_cooked(self, lrd_model_text(&self->model, self->model.clips[index].stem), ".lclip", &size);
	if (!lrd_clip_open(bytes, size, &clip, &error))
	{
		stop("clip", error.message);
	}
	uint32_t *cursor = need(clip.channel_count, sizeof *cursor);
	for (int i = 0; i < TIMES; i++)
	{
		float time = (float)((double)clip.duration * i / (TIMES - 1));
		pose_nodes(self, &clip, time);
		pose_skeletons(self, &clip, time, cursor);
		for (uint32_t p = 0; p < self->model.part_count; p++)
		{
			write_part(self, &clip, time, p);
		}
	}
	free(cursor);
}

int main(int count, char **arguments)
{
	if (count != 3)
	{
		fprintf(stderr, "usage: judge_poses COOKED_FOLDER MODEL_STEM\n");
		return 2;
	}
	scene self = { .folder = arguments[1] };
	open_all(&self, arguments[2]);
	for (uint32_t c = 0; c < self.model.clip_count; c++)
	{
		write_clip(&self, c);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
