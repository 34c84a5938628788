// Reading .lclip. Sampling is in clip_sample.c.

#include "format/clip.h"

#include "base/hash.h"
#include "base/maths.h"
#include "larder/skeleton.h"

#include <inttypes.h>

static bool check_header(const lrd_layout_cursor *cursor, const lrd_clip_header *header)
{
	if ((header->flags & ~(uint32_t)LRD_CLIP_ALL_FLAGS) != 0)
	{
		return lrd_layout_fail(cursor, "flags: found 0x%" PRIx32 ", known are 0x%x", header->flags, LRD_CLIP_ALL_FLAGS);
	}
	if (!isfinite(header->duration) || header->duration < 0.0f)
	{
		return lrd_layout_fail(
			cursor, "duration: found %g, it must be finite and not negative", (double)header->duration);
	}
	if (header->joint_count > LRD_SKELETON_MAX_JOINTS)
	{
		return lrd_layout_fail(cursor, "joint_count: found %" PRIu32 ", allowed are up to %d", header->joint_count,
			LRD_SKELETON_MAX_JOINTS);
	}
	if (!lrd_layout_is_zero(header->reserved, sizeof header->reserved))
	{
		return lrd_layout_fail(cursor, "reserved: bytes of the header that must be zero are not");
	}
	return true;
}

static bool find_blocks(lrd_layout_cursor *cursor, const lrd_clip_header *header, lrd_clip_view *view)
{
	const void *channels, *times, *values, *strings;
	if (!lrd_layout_next(cursor, "channels", header->channel_count, sizeof *view->channels, &channels) ||
		!lrd_layout_next(cursor, "times", header->time_count, sizeof *view->times, &times) ||
		!lrd_layout_next(cursor, "values", header->value_count, sizeof *view->values, &values) ||
		!lrd_layout_next(cursor, "strings", header->string_size, 1, &strings))
	{
		return false;
	}
	view->channels = channels;
	view->times = times;
	view->values = values;
	view->strings = (lrd_string){ strings, header->string_size };
	return lrd_layout_end(cursor);
}

/// Strings, and the runs of times that channels share: both stored once each, in the order of first use.
static bool check_references(const lrd_layout_cursor *cursor, const lrd_clip_header *header, lrd_clip_view *view)
{
	const lrd_layout_references texts[] = {
		LRD_LAYOUT_TEXTS(NULL, "name", header, 1, lrd_clip_header, name),
		LRD_LAYOUT_TEXTS("channel", "target", view->channels, view->channel_count, lrd_clip_channel, target),
	};
	const lrd_layout_references times[] = {
		{ "channel", "times", view->channels, sizeof *view->channels, view->channel_count,
			offsetof(lrd_clip_channel, times_offset), offsetof(lrd_clip_channel, key_count) },
	};
	lrd_layout_runs runs = { "times", view->times, view->time_count, sizeof *view->times, times, 1, { 0 }, 0 };
	if (!lrd_layout_check_texts(cursor, view->strings, texts, 2) || !lrd_layout_check_runs(cursor, &runs))
	{
		return false;
	}
	view->name = lrd_layout_text(view->strings, header->name_offset, header->name_size);
	return true;
}

static bool check_target(const lrd_layout_cursor *cursor, const lrd_clip_view *view, uint32_t index)
{
	const lrd_clip_channel *channel = &view->channels[index];
	uint32_t hash = lrd_fnv1a_32(lrd_clip_target_name(view, index));
	if (channel->target_hash != hash)
	{
		return lrd_layout_fail(cursor,
			"channel %" PRIu32 ": target_hash 0x%08" PRIx32 ", but its target's FNV-1a is 0x%08" PRIx32, index,
			channel->target_hash, hash);
	}
	if (channel->joint < -1 || channel->joint >= (int32_t)view->joint_count)
	{
		return lrd_layout_fail(cursor,
			"channel %" PRIu32 ": joint %" PRId32 "; allowed are -1 and those below joint_count (%" PRIu32 ")", index,
			channel->joint, view->joint_count);
	}
	if (channel->node < -1)
	{
		return lrd_layout_fail(
			cursor, "channel %" PRIu32 ": node %" PRId32 "; allowed are -1 and up", index, channel->node);
	}
	if (channel->joint == -1 && channel->skeleton != 0)
	{
		return lrd_layout_fail(cursor, "channel %" PRIu32 ": skeleton %" PRIu32 ", but joint is -1: it must be 0",
			index, channel->skeleton);
	}
	if (channel->reserved != 0)
	{
		return lrd_layout_fail(
			cursor, "channel %" PRIu32 ": reserved is 0x%" PRIx32 ", must be zero", index, channel->reserved);
	}
	return true;
}

/// Path, interpolation, components, keys; its values lie right behind those of the channel before it.
static bool check_shape(const lrd_layout_cursor *cursor, const lrd_clip_view *view, uint32_t index, uint32_t expected)
{
	static const uint32_t path_components[] = { 3, 4, 3, 0 };
	const lrd_clip_channel *channel = &view->channels[index];
	if (channel->path > LRD_PATH_WEIGHTS || channel->interpolation > LRD_INTERPOLATION_CUBIC)
	{
		return lrd_layout_fail(cursor, "channel %" PRIu32 ": path %u, interpolation %u; known are 0 to %d and 0 to %d",
			index, channel->path, channel->interpolation, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_CUBIC);
	}
	uint32_t components = path_components[channel->path];
	if (components != 0 ? channel->components != components : channel->components == 0)
	{
		return lrd_layout_fail(cursor, "channel %" PRIu32 ": components %" PRIu32 "; path %u has %s", index,
			channel->components, channel->path,
			components == 3   ? "3"
			: components == 4 ? "4"
							  : "1 and up");
	}
	if (channel->key_count == 0)
	{
		return lrd_layout_fail(cursor, "channel %" PRIu32 ": key_count is 0; a channel has at least one key", index);
	}
	if (channel->values_offset != expected)
	{
		return lrd_layout_fail(cursor,
			"channel %" PRIu32 ": values_offset %" PRIu32 ", expected %" PRIu32 ": channels lie back to back", index,
			channel->values_offset, expected);
	}
	uint64_t left = view->value_count - expected;
	if (lrd_clip_key_size(channel) > left / channel->key_count)
	{
		return lrd_layout_fail(cursor,
			"channel %" PRIu32 ": %" PRIu32 " keys of %" PRIu64 " floats at %" PRIu32 " pass values (%" PRIu32 ")",
			index, channel->key_count, lrd_clip_key_size(channel), expected, view->value_count);
	}
	return true;
}

bool lrd_clip_times_on_grid(const float *times, uint32_t count, float duration)
{
	float step = count > 1 ? duration / (float)(count - 1) : 0.0f;
	float slack = step * LRD_CLIP_GRID_STEP_SLACK + duration * LRD_CLIP_GRID_ROUNDING_SLACK;
	bool all = true;
	for (uint32_t i = 0; i < count && count > 1; i++)
	{
		double place = (double)i * (double)duration / (double)(count - 1);
		all &= fabs((double)times[i] - place) <= (double)slack;
	}
	return all;
}

static bool check_times(const lrd_layout_cursor *cursor, const lrd_clip_view *view, uint32_t index)
{
	const lrd_clip_channel *channel = &view->channels[index];
	const float *times = view->times + channel->times_offset;
	if (!(times[0] >= 0.0f))
	{
		return lrd_layout_fail(
			cursor, "channel %" PRIu32 ": its first time is %g, which is before 0", index, (double)times[0]);
	}
	for (uint32_t i = 1; i < channel->key_count; i++)
	{
		if (!(times[i] > times[i - 1]))
		{
			return lrd_layout_fail(cursor,
				"channel %" PRIu32 ": time %" PRIu32 " is %g, which is not after %g, the one before it", index, i,
				(double)times[i], (double)times[i - 1]);
		}
	}
	float last = times[channel->key_count - 1];
	if (!(last <= view->duration))
	{
		return lrd_layout_fail(cursor, "channel %" PRIu32 ": its last time is %g, but duration is %g", index,
			(double)last, (double)view->duration);
	}
	if ((view->flags & LRD_CLIP_UNIFORM) != 0 && !lrd_clip_times_on_grid(times, channel->key_count, view->duration))
	{
		return lrd_layout_fail(cursor,
			"flags: uniform is set, but channel %" PRIu32 " has keys that are not at i * duration / (key_count - 1)",
			index);
	}
	return true;
}

static float dot(const float *a, const float *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static bool check_rotations(const lrd_layout_cursor *cursor, const lrd_clip_view *view, uint32_t index)
{
	const lrd_clip_channel *channel = &view->channels[index];
	bool cubic = channel->interpolation == LRD_INTERPOLATION_CUBIC;
	const float *rotation = view->values + channel->values_offset + (cubic ? 4 : 0);
	size_t stride = cubic ? 12 : 4;
	for (uint32_t i = 0; i < channel->key_count; i++, rotation += stride)
	{
		if (!lrd_layout_is_unit(rotation))
		{
			return lrd_layout_fail(cursor,
				"channel %" PRIu32 ": key %" PRIu32 ": rotation (%g, %g, %g, %g) is not of unit length", index, i,
				(double)rotation[0], (double)rotation[1], (double)rotation[2], (double)rotation[3]);
		}
		if (i > 0 && !(dot(rotation, rotation - stride) >= LRD_CLIP_LEAST_DOT))
		{
			return lrd_layout_fail(cursor,
				"channel %" PRIu32 ": key %" PRIu32 ": the rotation takes the long way from the one before it", index,
				i);
		}
	}
	return true;
}

static bool check_values(const lrd_layout_cursor *cursor, const lrd_clip_view *view, uint32_t index)
{
	const lrd_clip_channel *channel = &view->channels[index];
	size_t count = (size_t)lrd_clip_key_size(channel) * channel->key_count;
	if (!lrd_all_finite(view->values + channel->values_offset, count))
	{
		return lrd_layout_fail(cursor, "channel %" PRIu32 ": its values must be finite", index);
	}
	return channel->path != LRD_PATH_ROTATION || check_rotations(cursor, view, index);
}

static bool check_shapes(const lrd_layout_cursor *cursor, const lrd_clip_view *view)
{
	uint32_t values = 0;
	for (uint32_t i = 0; i < view->channel_count; i++)
	{
		if (!check_shape(cursor, view, i, values))
		{
			return false;
		}
		values += (uint32_t)lrd_clip_key_size(&view->channels[i]) * view->channels[i].key_count;
	}
	if (values != view->value_count)
	{
		return lrd_layout_fail(cursor, "channels: have %" PRIu32 " values together, but value_count is %" PRIu32,
			values, view->value_count);
	}
	return true;
}

static bool check_channels(const lrd_layout_cursor *cursor, const lrd_clip_view *view)
{
	uint32_t times = 0;
	for (uint32_t i = 0; i < view->channel_count; i++)
	{
		const lrd_clip_channel *channel = &view->channels[i];
		if (!check_target(cursor, view, i) || !check_values(cursor, view, i))
		{
			return false;
		}
		if (channel->times_offset == times) // else shared with an earlier channel, and checked there
		{
			if (!check_times(cursor, view, i))
			{
				return false;
			}
			times += channel->key_count;
		}
	}
	return true;
}

bool lrd_clip_open(const void *bytes, size_t size, lrd_clip_view *view, lrd_error *error)
{
	lrd_layout_cursor cursor;
	if (!lrd_layout_open(
			&cursor, "lclip", LRD_CLIP_MAGIC, LRD_CLIP_VERSION, sizeof(lrd_clip_header), bytes, size, error))
	{
		return false;
	}
	const lrd_clip_header *header = bytes;
	lrd_clip_view found = {
		.duration = header->duration,
		.flags = header->flags,
		.joint_count = header->joint_count,
		.channel_count = header->channel_count,
		.time_count = header->time_count,
		.value_count = header->value_count,
	};
	if (!check_header(&cursor, header) || !find_blocks(&cursor, header, &found) || !check_shapes(&cursor, &found) ||
		!check_references(&cursor, header, &found) || !check_channels(&cursor, &found))
	{
		return false;
	}
	*view = found;
	return true;
}

lrd_string lrd_clip_target_name(const lrd_clip_view *view, uint32_t channel)
{
	if (channel >= view->channel_count)
	{
		return (lrd_string){ NULL, 0 };
	}
	return lrd_layout_text(view->strings, view->channels[channel].target_offset, view->channels[channel].target_size);
}
