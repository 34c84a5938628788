// Sampling a clip: find the keys around a time, interpolate between them as glTF 2.0, Appendix C, says.
//
// A channel of several keys always lies between two of them, `part` of the way: before its first key part is 0, after
// its last it is 1, and both give that key exactly. Channels that share their times share what was found, and rotations
// are interpolated several at a time.

#include "format/clip.h"

#include "base/maths.h"
#include "base/vec4.h"

#define CLIP_TURNS (4u * LRD_SLERPS)

/// Where between a channel's keys a time lies.
typedef struct clip_place
{
	uint32_t key; // the one before
	float part;   // 0..1
	float step;   // seconds from that key to the next
} clip_place;

/// The place that was found last, and for which times.
typedef struct clip_memo
{
	uint32_t times_offset, key_count; // 0 keys: none yet
	clip_place place;
} clip_memo;

/// Rotations that wait until there are enough of them.
typedef struct clip_turns
{
	const float *before[CLIP_TURNS], *after[CLIP_TURNS];
	float part[CLIP_TURNS];
	float *to[CLIP_TURNS];
	uint32_t count;
} clip_turns;

/// The last of `count` keys from `key` on that is not after `time`, where `key` itself is known not to be. Branches on
/// comparisons would be guessed wrong every other time: there are none.
static uint32_t search(const float *times, uint32_t key, uint32_t count, float time)
{
	while (count > 1)
	{
		uint32_t half = count / 2;
		key += times[key + half] <= time ? half : 0;
		count -= half;
	}
	return key;
}

/// From a key that is not after `time` forwards in steps that double, then back between the last two: as far as a
/// cursor is off decides what it costs, not the number of keys.
static uint32_t search_from(const float *times, uint32_t key, uint32_t last, float time)
{
	uint32_t step = 1;
	while (step < last - key && times[key + step] <= time)
	{
		key += step;
		step *= 2;
	}
	return search(times, key, step < last - key ? step : last - key, time);
}

/// Where keys lie on a grid: computed, then moved to a neighbour where rounding went astray.
static uint32_t find_grid_key(const float *times, uint32_t last, float time, float duration)
{
	float place = time * ((float)last / duration);
	uint32_t key = place < (float)last ? (uint32_t)place : last - 1;
	while (key > 0 && times[key] > time)
	{
		key--;
	}
	while (key + 1 < last && times[key + 1] <= time)
	{
		key++;
	}
	return key;
}

/// The key before `time`, anywhere. What is no number counts as early. `last`: the last key, at least 1, which is never
/// the one before.
static uint32_t find_key(const lrd_clip_view *view, const float *times, uint32_t last, float time)
{
	if (!(time > times[0]))
	{
		return 0;
	}
	if (time >= times[last])
	{
		return last - 1;
	}
	return (view->flags & LRD_CLIP_UNIFORM) != 0 ? find_grid_key(times, last, time, view->duration)
												 : search(times, 0, last, time);
}

/// The same, from where it was found before. Nothing is taken on trust from `cursor`.
static inline uint32_t follow_key(
	const lrd_clip_view *view, const float *times, uint32_t last, float time, uint32_t *cursor)
{
	uint32_t key = *cursor < last ? *cursor : 0;
	key += key + 1 < last && times[key + 1] <= time ? 1u : 0u; // one key further, most often, without a branch
	bool here = times[key] <= time && (time < times[key + 1] || key + 1 == last);
	if (!here)
	{
		key = time > times[key] && time < times[last] ? search_from(times, key, last, time)
													  : find_key(view, times, last, time);
	}
	*cursor = key;
	return key;
}

static inline clip_place place_of(const float *times, uint32_t key, float time)
{
	float step = times[key + 1] - times[key];
	float part = (time - times[key]) / step;
	part = part > 0.0f ? part : 0.0f; // also where it is no number
	return (clip_place){ key, part < 1.0f ? part : 1.0f, step };
}

/// `cursor` may be NULL. The channel has two keys or more.
static inline clip_place find_place(
	const lrd_clip_view *view, const lrd_clip_channel *channel, float time, uint32_t *cursor, clip_memo *memo)
{
	if (memo->times_offset != channel->times_offset || memo->key_count != channel->key_count)
	{
		const float *times = view->times + channel->times_offset;
		uint32_t last = channel->key_count - 1;
		uint32_t key = cursor == NULL ? find_key(view, times, last, time) : follow_key(view, times, last, time, cursor);
		*memo = (clip_memo){ channel->times_offset, channel->key_count, place_of(times, key, time) };
	}
	return memo->place;
}

static void copy_value(const float *source, uint32_t components, float *value)
{
	for (uint32_t c = 0; c < components; c++)
	{
		value[c] = source[c];
	}
}

/// glTF 2.0, Appendix C.5: keys are in-tangent, value, out-tangent; tangents are a second's.
static void sample_cubic(const lrd_clip_channel *channel, const float *before, const clip_place *place, float *value)
{
	uint32_t n = channel->components;
	const float *after = before + 3 * (size_t)n;
	float t = place->part, t2 = t * t, t3 = t2 * t;
	float from = 2.0f * t3 - 3.0f * t2 + 1.0f;
	float out = place->step * (t3 - 2.0f * t2 + t);
	float to = -2.0f * t3 + 3.0f * t2;
	float in = place->step * (t3 - t2);
	for (uint32_t c = 0; c < n; c++)
	{
		value[c] = from * before[n + c] + out * before[2 * n + c] + to * after[n + c] + in * after[c];
	}
	if (channel->path == LRD_PATH_ROTATION)
	{
		lrd_vec4 q = lrd_quat_normalize((lrd_vec4){ value[0], value[1], value[2], value[3] });
		value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
	}
}

static void flush_turns(clip_turns *turns)
{
	lrd_f32x4 a[LRD_SLERPS][4], b[LRD_SLERPS][4], part[LRD_SLERPS];
	for (uint32_t i = turns->count; i < CLIP_TURNS; i++)
	{
		turns->before[i] = turns->before[0];
		turns->after[i] = turns->after[0];
		turns->part[i] = turns->part[0];
	}
	for (uint32_t i = 0; i < CLIP_TURNS; i++)
	{
		a[i / 4][i % 4] = lrd_f32x4_load(turns->before[i]);
		b[i / 4][i % 4] = lrd_f32x4_load(turns->after[i]);
	}
	for (uint32_t i = 0; i < LRD_SLERPS; i++)
	{
		const float *parts = turns->part + 4 * i;
		part[i] = (lrd_f32x4){ parts[0], parts[1], parts[2], parts[3] };
		lrd_f32x4_transpose(a[i]);
		lrd_f32x4_transpose(b[i]);
	}
	lrd_f32x4_slerp(a, b, part);
	for (uint32_t i = 0; i < LRD_SLERPS; i++)
	{
		lrd_f32x4_transpose(a[i]);
	}
	for (uint32_t i = 0; i < turns->count; i++)
	{
		lrd_f32x4_store(turns->to[i], a[i / 4][i % 4]);
	}
	turns->count = 0;
}

/// A rotation `part` of the way from one key to another, which may be the same.
static inline void add_turn(clip_turns *turns, const float *before, const float *after, float part, float *value)
{
	turns->before[turns->count] = before;
	turns->after[turns->count] = after;
	turns->part[turns->count] = part;
	turns->to[turns->count] = value;
	if (++turns->count == CLIP_TURNS)
	{
		flush_turns(turns);
	}
}

static void blend(const float *before, uint32_t components, float part, float *value)
{
	for (uint32_t c = 0; c < components; c++)
	{
		value[c] = before[c] * (1.0f - part) + before[components + c] * part;
	}
}

/// The same for three numbers.
static inline void blend3(const float *before, float part, float *value)
{
	lrd_f32x4 a = lrd_f32x4_load(before);
	lrd_f32x4 b = lrd_f32x4_load(before + 2); // not from 3 on: that would read past the last key
	lrd_f32x4_store3(value, a * (1.0f - part) + LRD_SHUFFLE4(b, b, 1, 2, 3, 3) * part);
}

/// Keys that are not interpolated: constant channels and steps.
static inline void hold(clip_turns *turns, const lrd_clip_channel *channel, const float *key, float *value)
{
	const float *held = key + (channel->interpolation == LRD_INTERPOLATION_CUBIC ? channel->components : 0);
	if (channel->path == LRD_PATH_ROTATION)
	{
		add_turn(turns, held, held, 0.0f, value);
		return;
	}
	copy_value(held, channel->components, value);
}

static inline void sample_linear(
	clip_turns *turns, const lrd_clip_channel *channel, const float *before, float part, float *value)
{
	if (channel->path == LRD_PATH_ROTATION)
	{
		add_turn(turns, before, before + 4, part, value);
	}
	else if (channel->path == LRD_PATH_WEIGHTS)
	{
		blend(before, channel->components, part, value);
	}
	else
	{
		blend3(before, part, value);
	}
}

/// What is written to `value` may wait in `turns`.
static inline void sample(const lrd_clip_view *view, const lrd_clip_channel *channel, float time, uint32_t *cursor,
	clip_memo *memo, clip_turns *turns, float *value)
{
	const float *values = view->values + channel->values_offset;
	if (channel->key_count == 1)
	{
		hold(turns, channel, values, value);
		return;
	}
	clip_place place = find_place(view, channel, time, cursor, memo);
	const float *before = values + place.key * (size_t)lrd_clip_key_size(channel);
	if (channel->interpolation == LRD_INTERPOLATION_LINEAR)
	{
		sample_linear(turns, channel, before, place.part, value);
	}
	else if (channel->interpolation == LRD_INTERPOLATION_STEP)
	{
		hold(turns, channel, place.part < 1.0f ? before : before + channel->components, value);
	}
	else
	{
		sample_cubic(channel, before, &place, value);
	}
}

void lrd_clip_sample_channel(const lrd_clip_view *view, uint32_t index, float time, float *value)
{
	if (index >= view->channel_count)
	{
		return;
	}
	clip_memo memo = { .key_count = 0 };
	clip_turns turns = { .count = 0 };
	sample(view, &view->channels[index], time, NULL, &memo, &turns, value);
	if (turns.count != 0)
	{
		flush_turns(&turns);
	}
}

/// Where in a pose a channel's value goes; NULL: nowhere.
static inline float *target_of(const lrd_clip_channel *channel, const lrd_pose *pose)
{
	static const uint8_t offsets[] = { offsetof(lrd_transform, translation), offsetof(lrd_transform, rotation),
		offsetof(lrd_transform, scale) };
	if ((uint32_t)channel->joint >= pose->joint_count || channel->skeleton != pose->skeleton ||
		channel->path >= LRD_PATH_WEIGHTS)
	{
		return NULL; // a joint of -1 is above every count
	}
	return (float *)(void *)((char *)&pose->joints[channel->joint] + offsets[channel->path]);
}

void lrd_clip_sample(const lrd_clip_view *view, float time, uint32_t *cursor, const lrd_pose *pose)
{
	clip_memo memo = { .key_count = 0 };
	clip_turns turns = { .count = 0 };
	for (uint32_t i = 0; i < view->channel_count; i++)
	{
		const lrd_clip_channel *channel = &view->channels[i];
		float *value = target_of(channel, pose);
		if (value != NULL)
		{
			sample(view, channel, time, cursor != NULL ? &cursor[i] : NULL, &memo, &turns, value);
		}
	}
	if (turns.count != 0)
	{
		flush_turns(&turns);
	}
}
