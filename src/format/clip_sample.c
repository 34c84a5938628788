// Sampling a clip: find the keys around a time, interpolate between them as glTF 2.0, Appendix C, says.

#include "format/clip.h"

#include "base/maths.h"

/// The last key that is not after `time`, for a time that is not before the first key. Binary search.
static uint32_t find_key(const float *times, uint32_t count, float time)
{
	uint32_t low = 0;
	uint32_t high = count;
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;
		if (times[middle] <= time)
		{
			low = middle;
		}
		else
		{
			high = middle;
		}
	}
	return low;
}

/// The same where keys lie on a grid: computed, then moved to a neighbour where rounding went astray.
static uint32_t find_grid_key(const float *times, uint32_t count, float time, float duration)
{
	float place = time * ((float)(count - 1) / duration);
	uint32_t key = place < (float)(count - 1) ? (uint32_t)place : count - 1;
	while (key > 0 && times[key] > time)
	{
		key--;
	}
	while (key + 1 < count && times[key + 1] <= time)
	{
		key++;
	}
	return key;
}

static void copy_value(const float *source, uint32_t components, float *value)
{
	for (uint32_t c = 0; c < components; c++)
	{
		value[c] = source[c];
	}
}

/// Two keys and where between them a time lies.
typedef struct key_pair
{
	const float *before, *after; // all floats of the key
	float part;                  // 0..1
	float step;                  // seconds from one to the other
} key_pair;

static void sample_linear(const lrd_clip_channel *channel, const key_pair *keys, float *value)
{
	if (channel->path == LRD_PATH_ROTATION)
	{
		const float *a = keys->before, *b = keys->after;
		lrd_vec4 q =
			lrd_quat_slerp((lrd_vec4){ a[0], a[1], a[2], a[3] }, (lrd_vec4){ b[0], b[1], b[2], b[3] }, keys->part);
		value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
		return;
	}
	for (uint32_t c = 0; c < channel->components; c++)
	{
		value[c] = keys->before[c] * (1.0f - keys->part) + keys->after[c] * keys->part;
	}
}

/// glTF 2.0, Appendix C.5: keys are in-tangent, value, out-tangent; tangents are a second's.
static void sample_cubic(const lrd_clip_channel *channel, const key_pair *keys, float *value)
{
	uint32_t n = channel->components;
	float t = keys->part, t2 = t * t, t3 = t2 * t;
	float from = 2.0f * t3 - 3.0f * t2 + 1.0f;
	float out = keys->step * (t3 - 2.0f * t2 + t);
	float to = -2.0f * t3 + 3.0f * t2;
	float in = keys->step * (t3 - t2);
	for (uint32_t c = 0; c < n; c++)
	{
		value[c] =
			from * keys->before[n + c] + out * keys->before[2 * n + c] + to * keys->after[n + c] + in * keys->after[c];
	}
}

static void normalize_rotation(float *value)
{
	lrd_vec4 q = lrd_quat_normalize((lrd_vec4){ value[0], value[1], value[2], value[3] });
	value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
}

static void sample(const lrd_clip_view *view, const lrd_clip_channel *channel, float time, float *value)
{
	const float *times = view->times + channel->times_offset;
	const float *values = view->values + channel->values_offset;
	uint32_t count = channel->key_count;
	size_t key_size = (size_t)lrd_clip_key_size(channel);
	bool cubic = channel->interpolation == LRD_INTERPOLATION_CUBIC;
	uint32_t key = 0;
	if (time > times[0]) // what is no number counts as early
	{
		bool grid = (view->flags & LRD_CLIP_UNIFORM) != 0 && count > 1;
		key = time >= times[count - 1] ? count - 1
			  : grid                   ? find_grid_key(times, count, time, view->duration)
									   : find_key(times, count, time);
	}
	const float *before = values + key * key_size;
	if (channel->interpolation == LRD_INTERPOLATION_STEP || key + 1 == count || !(time > times[key]))
	{
		copy_value(before + (cubic ? channel->components : 0), channel->components, value);
		return;
	}
	float step = times[key + 1] - times[key];
	key_pair keys = { before, before + key_size, (time - times[key]) / step, step };
	if (cubic)
	{
		sample_cubic(channel, &keys, value);
	}
	else
	{
		sample_linear(channel, &keys, value);
	}
}

void lrd_clip_sample_channel(const lrd_clip_view *view, uint32_t index, float time, float *value)
{
	if (index >= view->channel_count)
	{
		return;
	}
	const lrd_clip_channel *channel = &view->channels[index];
	sample(view, channel, time, value);
	if (channel->path == LRD_PATH_ROTATION)
	{
		normalize_rotation(value);
	}
}

void lrd_clip_sample(const lrd_clip_view *view, float time, uint32_t *cursor, const lrd_pose *pose)
{
	(void)cursor;
	for (uint32_t i = 0; i < view->channel_count; i++)
	{
		const lrd_clip_channel *channel = &view->channels[i];
		if (channel->joint < 0 || (uint32_t)channel->joint >= pose->joint_count ||
			channel->skeleton != pose->skeleton || channel->path == LRD_PATH_WEIGHTS)
		{
			continue;
		}
		float value[4];
		lrd_clip_sample_channel(view, i, time, value);
		lrd_transform *joint = &pose->joints[channel->joint];
		switch (channel->path)
		{
		case LRD_PATH_TRANSLATION: joint->translation = (lrd_vec3){ value[0], value[1], value[2] }; break;
		case LRD_PATH_ROTATION: joint->rotation = (lrd_vec4){ value[0], value[1], value[2], value[3] }; break;
		default: joint->scale = (lrd_vec3){ value[0], value[1], value[2] }; break;
		}
	}
}
