// Making one clip: an animation's channels bound to joints and nodes, times shared, rotations unit length and on one
// hemisphere.

#include "cook/model.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "format/clip.h"
#include "larder/write.h"

/// Times that were stored, and where.
typedef struct time_block
{
	const lrd_document_channel *channel; ///< NULL: free
	uint64_t hash;
	uint32_t offset;
} time_block;

typedef struct clip_builder
{
	const lrd_model_recipe *recipe;
	lrd_arena *arena;
	lrd_text_table *table;
	lrd_clip_channel *channels;
	uint32_t channel_count;
	float *times;
	uint32_t time_count;
	float *values;
	uint32_t value_count;
	time_block *time_blocks; ///< open addressing by hash of the times
	size_t time_block_count; ///< a power of two
	uint32_t joint_count;
	float delay; ///< seconds that every key is moved, so that none is before 0
	float duration;
} clip_builder;

static uint32_t keys_per_value(const lrd_document_channel *channel)
{
	return channel->interpolation == LRD_INTERPOLATION_CUBIC ? 3 : 1;
}

static uint32_t value_floats(const lrd_document_channel *channel)
{
	return channel->key_count * channel->components * keys_per_value(channel);
}

/// A model node's joint in a skeleton, or -1. Joints are in the order of their nodes.
static int32_t joint_of_node(const lrd_skeleton_plan *skeleton, uint32_t node)
{
	uint32_t low = 0;
	uint32_t high = skeleton->joint_count;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (skeleton->joint_nodes[middle] < node)
		{
			low = middle + 1;
		}
		else
		{
			high = middle;
		}
	}
	return low < skeleton->joint_count && skeleton->joint_nodes[low] == node ? (int32_t)low : -1;
}

static bool allocate(clip_builder *self, const lrd_document_animation *animation, lrd_error *error)
{
	size_t times = 0;
	size_t values = 0;
	size_t rows = 0;
	for (uint32_t c = 0; c < animation->channel_count; ++c)
	{
		times += animation->channels[c].key_count;
		values += value_floats(&animation->channels[c]);
		uint32_t joints = 0;
		for (uint32_t s = 0; s < self->recipe->skeleton_count; ++s)
		{
			joints +=
				joint_of_node(&self->recipe->skeletons[s], self->recipe->model_node[animation->channels[c].node]) >= 0;
		}
		rows += joints == 0 ? 1 : joints;
	}
	if (times > UINT32_MAX || values > UINT32_MAX || rows > UINT32_MAX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "%zu keys and %zu values are more than a clip can say", times, values);
	}
	self->channels = LRD_ARENA_ARRAY(self->arena, lrd_clip_channel, rows + 1);
	self->times = LRD_ARENA_ARRAY(self->arena, float, times + 1);
	self->values = LRD_ARENA_ARRAY(self->arena, float, values + 1);
	self->time_block_count = 16;
	while (self->time_block_count < (size_t)animation->channel_count * 2)
	{
		self->time_block_count *= 2;
	}
	self->time_blocks = LRD_ARENA_ARRAY(self->arena, time_block, self->time_block_count);
	return (self->channels != NULL && self->times != NULL && self->values != NULL && self->time_blocks != NULL) ||
		   lrd_fail_memory(error, "clip", (times + values) * sizeof(float));
}

/// The block with a channel's times, or the free one to put them into.
static time_block *find_times(const clip_builder *self, const lrd_document_channel *channel, uint64_t hash)
{
	size_t bytes = channel->key_count * sizeof(float);
	size_t at = (size_t)hash & (self->time_block_count - 1);
	while (self->time_blocks[at].channel != NULL)
	{
		const lrd_document_channel *other = self->time_blocks[at].channel;
		if (self->time_blocks[at].hash == hash && other->key_count == channel->key_count &&
			memcmp(other->times, channel->times, bytes) == 0)
		{
			break;
		}
		at = (at + 1) & (self->time_block_count - 1);
	}
	return &self->time_blocks[at];
}

static uint32_t store_times(clip_builder *self, const lrd_document_channel *channel)
{
	uint64_t hash = lrd_xxh3_64(channel->times, channel->key_count * sizeof(float));
	time_block *block = find_times(self, channel, hash);
	if (block->channel != NULL)
	{
		return block->offset;
	}
	*block = (time_block){ channel, hash, self->time_count };
	float *times = self->times + self->time_count;
	for (uint32_t k = 0; k < channel->key_count; ++k)
	{
		times[k] = channel->times[k] + self->delay;
		if (k != 0 && times[k] <= times[k - 1])
		{
			times[k] = nextafterf(times[k - 1], INFINITY); // where the delay left no digits for the difference
		}
	}
	self->duration = fmaxf(self->duration, times[channel->key_count - 1]);
	self->time_count += channel->key_count;
	return block->offset;
}

/// Unit length, and the short way from key to key: q and -q are one rotation, but what lies between is not.
static void mend_rotations(const lrd_document_channel *channel, float *values)
{
	uint32_t step = 4 * keys_per_value(channel);
	uint32_t value_at = channel->interpolation == LRD_INTERPOLATION_CUBIC ? 4 : 0;
	for (uint32_t k = 0; k < channel->key_count; ++k)
	{
		float *key = values + (size_t)k * step;
		float *q = key + value_at;
		lrd_vec4 unit = lrd_quat_normalize((lrd_vec4){ q[0], q[1], q[2], q[3] });
		memcpy(q, &unit, sizeof unit);
		const float *before = k != 0 ? q - step : q;
		if (before[0] * q[0] + before[1] * q[1] + before[2] * q[2] + before[3] * q[3] < 0.0f)
		{
			for (uint32_t i = 0; i < step; ++i)
			{
				key[i] = -key[i];
			}
		}
	}
}

static bool add_channel(clip_builder *self, const lrd_document_channel *source, lrd_error *error)
{
	const lrd_model_recipe *recipe = self->recipe;
	lrd_string target = recipe->document->nodes[source->node].name;
	uint32_t node = recipe->model_node[source->node];
	lrd_text text;
	if (!lrd_text_table_add(self->table, target, &text, error))
	{
		return false;
	}
	lrd_clip_channel channel = {
		.target_offset = text.offset,
		.target_size = text.size,
		.target_hash = lrd_fnv1a_32(target),
		.joint = -1,
		.node = (int32_t)node,
		.path = (uint16_t)source->path,
		.interpolation = (uint16_t)source->interpolation,
		.components = source->components,
		.key_count = source->key_count,
		.times_offset = store_times(self, source),
		.values_offset = self->value_count,
	};
	float *values = self->values + self->value_count;
	memcpy(values, source->values, value_floats(source) * sizeof(float));
	self->value_count += value_floats(source);
	if (source->path == LRD_PATH_ROTATION)
	{
		mend_rotations(source, values);
	}
	uint32_t before = self->channel_count;
	for (uint32_t s = 0; s < recipe->skeleton_count && source->path != LRD_PATH_WEIGHTS; ++s)
	{
		int32_t joint = joint_of_node(&recipe->skeletons[s], node);
		if (joint >= 0)
		{
			channel.joint = joint;
			channel.skeleton = s;
			self->channels[self->channel_count++] = channel;
			self->joint_count = (uint32_t)joint >= self->joint_count ? (uint32_t)joint + 1 : self->joint_count;
		}
	}
	if (self->channel_count == before)
	{
		self->channels[self->channel_count++] = channel;
	}
	return true;
}

static bool is_uniform(const clip_builder *self)
{
	for (uint32_t c = 0; c < self->channel_count; ++c)
	{
		const lrd_clip_channel *channel = &self->channels[c];
		if (!lrd_clip_times_on_grid(self->times + channel->times_offset, channel->key_count, self->duration))
		{
			return false;
		}
	}
	return true;
}

/// How long after the source's times everything happens: 0 unless its first key is before 0, which a clip can't say.
static float find_delay(const lrd_document_animation *animation)
{
	float delay = 0.0f;
	for (uint32_t c = 0; c < animation->channel_count; ++c)
	{
		delay = fmaxf(delay, -animation->channels[c].times[0]);
	}
	return delay;
}

static bool build(clip_builder *self, const lrd_clip_plan *plan, lrd_buffer *out, lrd_notes *notes, lrd_error *error)
{
	const lrd_document_animation *animation = &self->recipe->document->animations[plan->animation];
	lrd_text text;
	self->delay = find_delay(animation);
	if (!allocate(self, animation, error) || !lrd_text_table_add(self->table, plan->name, &text, error) ||
		!lrd_note(notes, "clip-delayed", self->delay > 0.0f, error,
			"%.*s: its first key is %g s before 0; all of them were moved to begin at 0", LRD_STR_ARG(plan->stem),
			(double)self->delay))
	{
		return false;
	}
	for (uint32_t c = 0; c < animation->channel_count; ++c)
	{
		if (!add_channel(self, &animation->channels[c], error))
		{
			return false;
		}
	}
	lrd_clip_view view = {
		.name = plan->name,
		.duration = self->duration,
		.flags = is_uniform(self) ? LRD_CLIP_UNIFORM : 0,
		.joint_count = self->joint_count,
		.channels = self->channels,
		.channel_count = self->channel_count,
		.times = self->times,
		.time_count = self->time_count,
		.values = self->values,
		.value_count = self->value_count,
		.strings = lrd_text_table_block(self->table),
	};
	return lrd_clip_write(&view, out, error);
}

bool lrd_make_clip(lrd_model_recipe *recipe, uint32_t clip, lrd_buffer *out, lrd_notes *notes, lrd_error *error)
{
	const lrd_clip_plan *plan = &recipe->clips[clip];
	clip_builder self = { .recipe = recipe };
	self.arena = lrd_arena_create(recipe->base.allocator, 0);
	self.table = lrd_text_table_create(recipe->base.allocator);
	bool good = (self.arena != NULL && self.table != NULL) || lrd_fail_memory(error, "clip", 0);
	good = good && build(&self, plan, out, notes, error);
	lrd_text_table_destroy(self.table);
	lrd_arena_destroy(self.arena);
	return good || lrd_fail_in(error, "%.*s.lclip", LRD_STR_ARG(plan->stem));
}
