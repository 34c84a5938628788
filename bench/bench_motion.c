// Sampling clips and posing skeletons: skeletons of 25, 100 and 1,000 joints, each with a translation, a rotation and a
// scale that move, thirty keys a second for ten seconds, played forward at sixty frames a second. Beside each figure is
// a plain implementation in this file (a binary search a channel, libm's slerp, matrix products written out), and first
// of all a memcpy of what is written. Medians of the processor time.

#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include "base/hash.h"
#include "base/maths.h"
#include "larder/write.h"

#include <math.h>

#define KEYS 301u
#define SECONDS 10.0f
#define FRAMES 600u
#define CALLS_WANTED 200000u // joints posed a run

/// What of a joint moves, and whether channels share their times.
typedef struct clip_shape
{
	const char *name;
	uint32_t paths;
	bool shared;
} clip_shape;

typedef struct subject
{
	uint32_t joint_count;
	lrd_buffer clip_file, skeleton_file;
	lrd_clip_view clip;
	lrd_skeleton_view skeleton;
	lrd_transform *pose, *copy;
	lrd_mat4 *palette;
	lrd_dual_quat *quats;
	uint32_t *cursor;
} subject;

static void *need(void *pointer)
{
	if (pointer == NULL)
	{
		bench_stop("bench_motion: out of memory");
	}
	return pointer;
}

static uint32_t random_state = 1;

/// -1 to 1.
static float noise(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (float)(random_state >> 8) / 8388608.0f - 1.0f;
}

static void fill_rotation(float *keys)
{
	lrd_vec4 q = lrd_quat_normalize((lrd_vec4){ noise(), noise(), noise(), 1.5f });
	for (uint32_t k = 0; k < KEYS; k++)
	{
		memcpy(keys + (size_t)k * 4, &q, sizeof q);
		q = lrd_quat_normalize(
			(lrd_vec4){ q.x + 0.05f * noise(), q.y + 0.05f * noise(), q.z + 0.05f * noise(), q.w + 0.05f * noise() });
	}
}

static void fill_times(float *times, const clip_shape *shape)
{
	for (uint32_t k = 0; k < KEYS; k++)
	{
		float jitter = shape->shared || k == 0 || k + 1 == KEYS ? 0.0f : 0.01f * noise();
		times[k] = (float)k * SECONDS / (float)(KEYS - 1) + jitter;
	}
}

static void make_clip_file(subject *it, const clip_shape *shape)
{
	uint32_t count = it->joint_count * shape->paths;
	lrd_clip_channel *channels = need(calloc(count, sizeof *channels));
	float *times = need(malloc((size_t)count * KEYS * sizeof *times));
	float *values = need(malloc((size_t)count * KEYS * 4 * sizeof *values));
	uint32_t value_count = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t path = shape->paths == 1 ? LRD_PATH_ROTATION : i % shape->paths;
		uint32_t components = path == LRD_PATH_ROTATION ? 4 : 3;
		channels[i] = (lrd_clip_channel){ .target_hash = lrd_fnv1a_32((lrd_string){ NULL, 0 }),
			.joint = (int32_t)(i / shape->paths),
			.node = -1,
			.path = (uint16_t)path,
			.components = components,
			.key_count = KEYS,
			.times_offset = i * KEYS,
			.values_offset = value_count };
		fill_times(times + (size_t)i * KEYS, shape);
		for (uint32_t k = 0; k < KEYS * components; k++)
		{
			values[value_count + k] = noise();
		}
		if (path == LRD_PATH_ROTATION)
		{
			fill_rotation(values + value_count);
		}
		value_count += KEYS * components;
	}
	lrd_clip_view view = { .duration = SECONDS,
		.flags = shape->shared ? LRD_CLIP_UNIFORM : 0,
		.joint_count = it->joint_count,
		.channels = channels,
		.channel_count = count,
		.times = times,
		.time_count = count * KEYS,
		.values = values,
		.value_count = value_count };
	lrd_error error;
	if (!lrd_clip_write(&view, &it->clip_file, &error) ||
		!lrd_clip_open(it->clip_file.data, it->clip_file.size, &it->clip, &error))
	{
		bench_stop(error.message);
	}
	free(channels);
	free(times);
	free(values);
}

/// Joints with one to three children each, which is about what a body has, bound where they rest.
static void make_skeleton_file(subject *it)
{
	lrd_joint *joints = need(calloc(it->joint_count, sizeof *joints));
	lrd_mat4 *rest = need(calloc(it->joint_count, sizeof *rest));
	for (uint32_t j = 0; j < it->joint_count; j++)
	{
		lrd_vec4 q = lrd_quat_normalize((lrd_vec4){ noise(), noise(), noise(), 1.5f });
		joints[j] = (lrd_joint){ .name_hash = lrd_fnv1a_32((lrd_string){ NULL, 0 }),
			.parent = (int16_t)(j == 0 ? -1 : (int32_t)(j - 1 - (j % 3 == 0 ? j / 4 : 0))),
			.translation = { noise(), noise(), noise() },
			.rotation = { q.x, q.y, q.z, q.w },
			.scale = { 1, 1, 1 } };
		lrd_transform local = { { joints[j].translation[0], joints[j].translation[1], joints[j].translation[2] }, q,
			{ 1, 1, 1 } };
		lrd_mat4 bind;
		rest[j] = lrd_mat4_from_transform(&local);
		rest[j] = j == 0 ? rest[j] : lrd_mat4_mul(&rest[joints[j].parent], &rest[j]);
		lrd_mat4_inverse_affine(&rest[j], &bind);
		memcpy(joints[j].inverse_bind, bind.m, sizeof bind.m);
	}
	lrd_skeleton_view view = { .joints = joints, .joint_count = it->joint_count, .root = lrd_mat4_identity() };
	lrd_error error;
	if (!lrd_skeleton_write(&view, &it->skeleton_file, &error) ||
		!lrd_skeleton_open(it->skeleton_file.data, it->skeleton_file.size, &it->skeleton, &error))
	{
		bench_stop(error.message);
	}
	free(joints);
	free(rest);
}

static subject make_subject(uint32_t joint_count, const clip_shape *shape)
{
	subject it = { .joint_count = joint_count };
	make_clip_file(&it, shape);
	make_skeleton_file(&it);
	it.pose = need(calloc(joint_count, sizeof *it.pose));
	it.copy = need(calloc(joint_count, sizeof *it.copy));
	it.palette = need(calloc(joint_count, sizeof *it.palette));
	it.quats = need(calloc(joint_count, sizeof *it.quats));
	it.cursor = need(calloc(it.clip.channel_count, sizeof *it.cursor));
	lrd_skeleton_rest_pose(&it.skeleton, it.pose);
	return it;
}

static void free_subject(subject *it)
{
	lrd_buffer_free(&it->clip_file);
	lrd_buffer_free(&it->skeleton_file);
	free(it->pose);
	free(it->copy);
	free(it->palette);
	free(it->quats);
	free(it->cursor);
}

// The plain implementations.

static void plain_turn(const float *a, const float *b, float part, float *value)
{
	float cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
	float angle = acosf(cosine < 1.0f ? cosine : 1.0f);
	float sine = sinf(angle);
	float from = angle < 1e-3f ? 1.0f - part : sinf((1.0f - part) * angle) / sine;
	float to = angle < 1e-3f ? part : sinf(part * angle) / sine;
	for (int c = 0; c < 4; c++)
	{
		value[c] = a[c] * from + b[c] * to;
	}
}

static void plain_sample(const lrd_clip_view *clip, float time, lrd_transform *joints)
{
	for (uint32_t i = 0; i < clip->channel_count; i++)
	{
		const lrd_clip_channel *channel = &clip->channels[i];
		const float *times = clip->times + channel->times_offset;
		uint32_t low = 0, high = channel->key_count - 1;
		while (high - low > 1)
		{
			uint32_t middle = (low + high) / 2;
			low = times[middle] <= time ? middle : low;
			high = times[middle] <= time ? high : middle;
		}
		float part = fminf(fmaxf((time - times[low]) / (times[low + 1] - times[low]), 0.0f), 1.0f);
		const float *key = clip->values + channel->values_offset + (size_t)low * channel->components;
		lrd_transform *joint = &joints[channel->joint];
		float value[4];
		if (channel->path == LRD_PATH_ROTATION)
		{
			plain_turn(key, key + 4, part, value);
			joint->rotation = (lrd_vec4){ value[0], value[1], value[2], value[3] };
			continue;
		}
		for (int c = 0; c < 3; c++)
		{
			value[c] = key[c] * (1.0f - part) + key[3 + c] * part;
		}
		*(channel->path == LRD_PATH_TRANSLATION ? &joint->translation : &joint->scale) =
			(lrd_vec3){ value[0], value[1], value[2] };
	}
}

static void plain_palette(const lrd_skeleton_view *skeleton, const lrd_transform *pose, lrd_mat4 *palette)
{
	for (uint32_t i = 0; i < skeleton->joint_count; i++)
	{
		int16_t parent = skeleton->joints[i].parent;
		lrd_mat4 local = lrd_mat4_from_transform(&pose[i]);
		palette[i] = lrd_mat4_mul(parent < 0 ? &skeleton->root : &palette[parent], &local);
	}
	for (uint32_t i = 0; i < skeleton->joint_count; i++)
	{
		lrd_mat4 inverse_bind;
		memcpy(inverse_bind.m, skeleton->joints[i].inverse_bind, sizeof inverse_bind.m);
		palette[i] = lrd_mat4_mul(&palette[i], &inverse_bind);
	}
}

static void plain_quats(const lrd_mat4 *palette, uint32_t count, lrd_dual_quat *quats)
{
	for (uint32_t i = 0; i < count; i++)
	{
		lrd_transform t;
		lrd_mat4_decompose(&palette[i], &t);
		lrd_vec4 half = { t.translation.x * 0.5f, t.translation.y * 0.5f, t.translation.z * 0.5f, 0.0f };
		quats[i] = (lrd_dual_quat){ t.rotation, lrd_quat_mul(half, t.rotation) };
	}
}

// What is measured: one call for a frame.

static void copy_pose(subject *it, float time)
{
	(void)time;
	bench_copy(it->copy, it->pose, it->joint_count * sizeof *it->pose);
}

static void copy_palette(subject *it, float time)
{
	(void)time;
	bench_copy(it->palette, it->skeleton.joints, it->joint_count * sizeof *it->palette);
}

static void sample_plain(subject *it, float time)
{
	plain_sample(&it->clip, time, it->pose);
}

static void sample_forward(subject *it, float time)
{
	lrd_clip_sample(&it->clip, time, it->cursor, &(lrd_pose){ it->pose, it->joint_count, 0 });
}

static void sample_searched(subject *it, float time)
{
	lrd_clip_sample(&it->clip, time, NULL, &(lrd_pose){ it->pose, it->joint_count, 0 });
}

static void pose_plain(subject *it, float time)
{
	(void)time;
	plain_palette(&it->skeleton, it->pose, it->palette);
}

static void pose_palette(subject *it, float time)
{
	(void)time;
	lrd_skeleton_palette(&it->skeleton, it->pose, it->palette);
}

static void quats_plain(subject *it, float time)
{
	(void)time;
	plain_quats(it->palette, it->joint_count, it->quats);
}

static void quats_ours(subject *it, float time)
{
	(void)time;
	lrd_dual_quats_from_palette(it->palette, it->joint_count, it->quats);
}

typedef void (*frame_call)(subject *it, float time);

/// Microseconds a call, playing forward over and over, or jumping about.
static double time_calls(subject *it, frame_call call, bool random)
{
	uint32_t calls = CALLS_WANTED / it->joint_count;
	double seconds[BENCH_RUNS];
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		double start = bench_now();
		for (uint32_t i = 0; i < calls; i++)
		{
			uint32_t frame = (random ? i * 7919u : i) % FRAMES;
			call(it, (float)frame * SECONDS / (float)FRAMES);
		}
		seconds[run] = (bench_now() - start) / calls;
	}
	return bench_median(seconds, BENCH_RUNS) * 1e6;
}

static void row(const char *what, double time, double per, const char *unit, double plain)
{
	printf("  %-38s %9.3f us %7.2f ns a %-7s %6.2f x\n", what, time, time * 1e3 / per, unit, plain / time);
}

static void measure_clip(uint32_t joint_count, const clip_shape *shape)
{
	subject it = make_subject(joint_count, shape);
	double channels = it.clip.channel_count;
	printf("%u joints, %s\n", joint_count, shape->name);
	double plain = time_calls(&it, sample_plain, false);
	row("memcpy of the pose", time_calls(&it, copy_pose, false), channels, "channel", plain);
	row("plain, forward", plain, channels, "channel", plain);
	row("lrd_clip_sample, forward, cursor", time_calls(&it, sample_forward, false), channels, "channel", plain);
	row("lrd_clip_sample, forward, no cursor", time_calls(&it, sample_searched, false), channels, "channel", plain);
	plain = time_calls(&it, sample_plain, true);
	row("plain, anywhere", plain, channels, "channel", plain);
	row("lrd_clip_sample, anywhere, no cursor", time_calls(&it, sample_searched, true), channels, "channel", plain);
	row("lrd_clip_sample, anywhere, cursor", time_calls(&it, sample_forward, true), channels, "channel", plain);
	free_subject(&it);
}

static void measure_pose(uint32_t joint_count)
{
	static const clip_shape shape = { "", 3, true };
	subject it = make_subject(joint_count, &shape);
	double joints = joint_count;
	for (uint32_t j = 0; j < joint_count; j++)
	{
		it.pose[j].rotation = lrd_quat_normalize((lrd_vec4){ noise(), noise(), noise(), 1.5f });
	}
	printf("%u joints, a pose\n", joint_count);
	double plain = time_calls(&it, pose_plain, false);
	row("memcpy of the matrices", time_calls(&it, copy_palette, false), joints, "joint", plain);
	row("plain palette", plain, joints, "joint", plain);
	row("lrd_skeleton_palette", time_calls(&it, pose_palette, false), joints, "joint", plain);
	plain = time_calls(&it, quats_plain, false);
	row("plain dual quaternions", plain, joints, "joint", plain);
	row("lrd_dual_quats_from_palette", time_calls(&it, quats_ours, false), joints, "joint", plain);
	free_subject(&it);
}

int main(void)
{
	static const uint32_t joint_counts[] = { 25, 100, 1000 };
	static const clip_shape shapes[] = { { "all move, times shared", 3, true },
		{ "all move, each channel its own times", 3, false }, { "rotations alone, times shared", 1, true },
		{ "rotations alone, each channel its own times", 1, false } };
	for (size_t i = 0; i < sizeof joint_counts / sizeof *joint_counts; i++)
	{
		size_t shape_count = joint_counts[i] == 100 ? sizeof shapes / sizeof *shapes : 2;
		for (size_t s = 0; s < shape_count; s++)
		{
			measure_clip(joint_counts[i], &shapes[s]);
		}
		measure_pose(joint_counts[i]);
	}
	return 0;
}
