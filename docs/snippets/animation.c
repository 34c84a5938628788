// The code of docs/guide-animation.md, as a program. Run where cooked/ lies, the courtyard cooked.

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

/// One character's clip: what is kept from frame to frame.
typedef struct player
{
	const lrd_skeleton_view *skeleton;
	uint32_t skeleton_index; // the part's `skeleton`
	const lrd_clip_view *clip;
	float time;
	uint32_t *cursor;      // a number a channel
	lrd_transform *joints; // the pose
	lrd_mat4 *palette;
} player;

static bool player_init(
	player *self, const lrd_skeleton_view *skeleton, uint32_t skeleton_index, const lrd_clip_view *clip)
{
	*self = (player){ .skeleton = skeleton, .skeleton_index = skeleton_index, .clip = clip };
	self->cursor = calloc(clip->channel_count + 1, sizeof *self->cursor);
	self->joints = malloc(skeleton->joint_count * sizeof *self->joints);
	self->palette = malloc(skeleton->joint_count * sizeof *self->palette);
	if (self->cursor == NULL || self->joints == NULL || self->palette == NULL)
	{
		return false;
	}
	lrd_skeleton_rest_pose(skeleton, self->joints); // what the clip doesn't move stays at rest
	return true;
}

static void player_free(player *self)
{
	free(self->cursor);
	free(self->joints);
	free(self->palette);
}

/// A frame later: the pose, then its palette, one matrix a joint.
static void player_advance(player *self, float seconds)
{
	lrd_pose pose = { self->joints, self->skeleton->joint_count, self->skeleton_index };
	self->time += seconds;
	if (self->time > self->clip->duration && self->clip->duration > 0.0f)
	{
		self->time = fmodf(self->time, self->clip->duration); // over and over
	}
	lrd_clip_sample(self->clip, self->time, self->cursor, &pose);
	lrd_skeleton_palette(self->skeleton, self->joints, self->palette);
}

static float blend(float a, float b, float part)
{
	return a + (b - a) * part;
}

static lrd_vec3 blend_points(lrd_vec3 a, lrd_vec3 b, float part)
{
	return (lrd_vec3){ blend(a.x, b.x, part), blend(a.y, b.y, part), blend(a.z, b.z, part) };
}

/// From one pose to another: `part` 0 is all of `a`, 1 all of `b`.
static void blend_poses(const lrd_transform *a, const lrd_transform *b, float part, lrd_transform *pose, uint32_t count)
{
	for (uint32_t j = 0; j < count; ++j)
	{
		lrd_vec4 p = a[j].rotation, q = b[j].rotation;
		float sign = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w < 0.0f ? -1.0f : 1.0f; // the short way
		lrd_vec4 r = { blend(p.x, sign * q.x, part), blend(p.y, sign * q.y, part), blend(p.z, sign * q.z, part),
			blend(p.w, sign * q.w, part) };
		float length = sqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
		pose[j].translation = blend_points(a[j].translation, b[j].translation, part);
		pose[j].rotation = (lrd_vec4){ r.x / length, r.y / length, r.z / length, r.w / length };
		pose[j].scale = blend_points(a[j].scale, b[j].scale, part);
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

static lrd_vec3 rotate(lrd_vec4 q, lrd_vec3 v)
{
	lrd_vec3 t = { 2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x) };
	return (lrd_vec3){
		v.x + q.w * t.x + q.y * t.z - q.z * t.y,
		v.y + q.w * t.y + q.z * t.x - q.x * t.z,
		v.z + q.w * t.z + q.x * t.y - q.y * t.x,
	};
}

static lrd_vec4 add_scaled(lrd_vec4 a, lrd_vec4 b, float scale)
{
	return (lrd_vec4){ a.x + b.x * scale, a.y + b.y * scale, a.z + b.z * scale, a.w + b.w * scale };
}

/// The same vertex by dual quaternions: joints that turn against each other don't thin what lies between them.
static lrd_vec3 dual_skinned_position(const lrd_mesh_view *mesh, uint32_t vertex, const lrd_dual_quat *quats)
{
	uint16_t joints[4];
	float weights[4];
	lrd_vec4 r = { 0 }, d = { 0 };
	skin_of(mesh, vertex, joints, weights);
	lrd_vec4 first = quats[joints[0]].real;
	for (int i = 0; i < 4; ++i)
	{
		const lrd_dual_quat *quat = &quats[joints[i]];
		float dot = first.x * quat->real.x + first.y * quat->real.y + first.z * quat->real.z + first.w * quat->real.w;
		float weight = dot < 0.0f ? -weights[i] : weights[i]; // all on the side of the first
		r = add_scaled(r, quat->real, weight);
		d = add_scaled(d, quat->dual, weight);
	}
	float length = sqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
	r = add_scaled((lrd_vec4){ 0 }, r, 1.0f / length);
	d = add_scaled((lrd_vec4){ 0 }, d, 1.0f / length);
	lrd_vec3 p = rotate(r, position_of(mesh, vertex));
	return (lrd_vec3){
		p.x + 2 * (r.w * d.x - d.w * r.x + r.y * d.z - r.z * d.y),
		p.y + 2 * (r.w * d.y - d.w * r.y + r.z * d.x - r.x * d.z),
		p.z + 2 * (r.w * d.z - d.w * r.z + r.x * d.y - r.y * d.x),
	};
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

static float distance_of(lrd_vec3 a, lrd_vec3 b)
{
	return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static bool check_player(const model_files *files, const lrd_mesh_view *mesh, const lrd_skeleton_view *skeleton)
{
	player it = { 0 };
	uint32_t part = lrd_model_find_part(&files->model, LRD_STR("BannerCloth"));
	bool good = part != LRD_NO_INDEX && player_init(&it, skeleton, files->model.parts[part].skeleton, &files->clip);
	lrd_dual_quat *quats = malloc(skeleton->joint_count * sizeof *quats);
	float moved = 0.0f, apart = 0.0f;
	for (int frame = 0; good && quats != NULL && frame < 200; ++frame)
	{
		player_advance(&it, 1.0f / 30.0f);
		lrd_dual_quats_from_palette(it.palette, skeleton->joint_count, quats);
		good = it.time <= files->clip.duration;
		for (uint32_t v = 0; good && v < mesh->vertex_count; ++v)
		{
			lrd_vec3 point = skinned_position(mesh, v, it.palette);
			good = is_inside(point, &files->model.bounds, 2.0f);
			moved = fmaxf(moved, fabsf(point.z - position_of(mesh, v).z));
			apart = fmaxf(apart, distance_of(point, dual_skinned_position(mesh, v, quats)));
		}
	}
	free(quats);
	player_free(&it);
	return good && moved > 0.01f && apart < 0.1f;
}

static bool check_blending(const model_files *files, const lrd_skeleton_view *skeleton)
{
	lrd_transform *poses = malloc(3 * skeleton->joint_count * sizeof *poses);
	if (poses == NULL)
	{
		return false;
	}
	lrd_transform *rest = poses, *bent = poses + skeleton->joint_count, *between = bent + skeleton->joint_count;
	lrd_pose pose = { bent, skeleton->joint_count, 0 };
	lrd_skeleton_rest_pose(skeleton, rest);
	lrd_skeleton_rest_pose(skeleton, bent);
	lrd_clip_sample(&files->clip, files->clip.duration * 0.3f, NULL, &pose);
	bool good = true;
	for (int i = 0; i <= 4; ++i)
	{
		blend_poses(rest, bent, (float)i * 0.25f, between, skeleton->joint_count);
		for (uint32_t j = 0; j < skeleton->joint_count; ++j)
		{
			const lrd_vec4 *q = &between[j].rotation, *a = &rest[j].rotation;
			good = good && fabsf(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w - 1.0f) < 1e-5f;
			good = good && (i != 0 || fabsf(q->x * a->x + q->y * a->y + q->z * a->z + q->w * a->w) > 0.99999f);
		}
	}
	free(poses);
	return good;
}

static bool check_skinning(void)
{
	model_files files = { 0 };
	lrd_mesh_view mesh;
	lrd_skeleton_view skeleton;
	size_t mesh_size = 0, skeleton_size = 0;
	void *mesh_bytes = read_file("cooked/courtyard/part.BannerCloth.lmesh", &mesh_size);
	void *skeleton_bytes = read_file("cooked/courtyard/skeleton.BannerChain.lskel", &skeleton_size);
	bool good = mesh_bytes != NULL && skeleton_bytes != NULL && lrd_mesh_open(mesh_bytes, mesh_size, &mesh, NULL) &&
				lrd_skeleton_open(skeleton_bytes, skeleton_size, &skeleton, NULL) &&
				open_model(&files, "cooked/courtyard/clip.BannerSway.lclip") &&
				check_player(&files, &mesh, &skeleton) && check_blending(&files, &skeleton);
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
	size_t size = 0;
	void *bytes = read_file("cooked/courtyard/part.Blob.lmesh", &size);
	bool good = bytes != NULL && lrd_mesh_open(bytes, size, &mesh, NULL) &&
				open_model(&files, "cooked/courtyard/clip.BlobBreathing.lclip");
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
	} checks[] = { { "skins", check_skinning }, { "nodes", check_nodes }, { "morphs", check_morph } };
	bool good = true;
	for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i)
	{
		bool holds = checks[i].check();
		printf("%s: %s\n", checks[i].name, holds ? "as the guide says" : "NOT as the guide says");
		good = good && holds;
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
