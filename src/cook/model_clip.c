// Making one clip: an animation's channels bound to joints and nodes, their keys mended, scaled and thinned (motion/).

#include "cook/model.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/maths.h"
#include "format/clip.h"
#include "larder/write.h"
#include "motion/motion.h"

/// Translations of something this large or larger, in metres, are held to a tolerance as if they were this large: what
/// walks a kilometre away from the origin is no less exact there.
#define CLIP_REACH 1.0

/// Channels whose times are equal.
typedef struct time_block
{
	const lrd_document_channel *channel; ///< one of them; NULL: free
	uint64_t hash;
	float *times;          ///< moved so that none is before 0
	uint32_t first;        ///< of its tracks
	uint32_t count;        ///< its tracks
	uint32_t times_offset; ///< in the clip; LRD_NO_INDEX: not there yet
} time_block;

typedef struct clip_builder
{
	const lrd_model_recipe *recipe;
	const lrd_document_animation *animation;
	lrd_arena *arena;
	lrd_text_table *table;
	lrd_notes *notes;
	const lrd_clip_plan *plan;
	// What the source says.
	time_block *blocks;       ///< open addressing by hash of the times
	size_t block_capacity;    ///< a power of two
	time_block **block_of;    ///< by channel
	lrd_motion_track *tracks; ///< those of a block one after the other
	uint32_t *track_of;       ///< by channel
	float delay;              ///< seconds that every key is moved, so that none is before 0
	// What the clip says.
	lrd_clip_channel *channels;
	uint32_t channel_count;
	float *times;
	uint32_t time_count;
	float *values;
	uint32_t value_count;
	uint32_t joint_count;
	float duration;
} clip_builder;

static uint32_t value_floats(const lrd_document_channel *channel)
{
	return channel->key_count * channel->components * (channel->interpolation == LRD_INTERPOLATION_CUBIC ? 3 : 1);
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

static bool allocate(clip_builder *self, lrd_error *error)
{
	const lrd_document_animation *animation = self->animation;
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
	self->block_capacity = 16;
	while (self->block_capacity < (size_t)animation->channel_count * 2)
	{
		self->block_capacity *= 2;
	}
	self->blocks = LRD_ARENA_ARRAY(self->arena, time_block, self->block_capacity);
	self->block_of = LRD_ARENA_ARRAY(self->arena, time_block *, animation->channel_count + 1u);
	self->tracks = LRD_ARENA_ARRAY(self->arena, lrd_motion_track, animation->channel_count + 1u);
	self->track_of = LRD_ARENA_ARRAY(self->arena, uint32_t, animation->channel_count + 1u);
	return (self->channels != NULL && self->times != NULL && self->values != NULL && self->blocks != NULL &&
			   self->block_of != NULL && self->tracks != NULL && self->track_of != NULL) ||
		   lrd_fail_memory(error, "clip", (times + values) * sizeof(float));
}

/// The block with a channel's times, or the free one to put them into.
static time_block *find_block(const clip_builder *self, const lrd_document_channel *channel, uint64_t hash)
{
	size_t bytes = channel->key_count * sizeof(float);
	size_t at = (size_t)hash & (self->block_capacity - 1);
	while (self->blocks[at].channel != NULL)
	{
		const lrd_document_channel *other = self->blocks[at].channel;
		if (self->blocks[at].hash == hash && other->key_count == channel->key_count &&
			memcmp(other->times, channel->times, bytes) == 0)
		{
			break;
		}
		at = (at + 1) & (self->block_capacity - 1);
	}
	return &self->blocks[at];
}

static bool fill_block(clip_builder *self, time_block *block, lrd_error *error)
{
	const lrd_document_channel *channel = block->channel;
	block->times = lrd_arena_alloc(self->arena, channel->key_count * sizeof *block->times);
	if (block->times == NULL)
	{
		return lrd_fail_memory(error, "times", channel->key_count * sizeof *block->times);
	}
	for (uint32_t k = 0; k < channel->key_count; ++k)
	{
		block->times[k] = channel->times[k] + self->delay;
		if (k != 0 && block->times[k] <= block->times[k - 1])
		{
			block->times[k] =
				nextafterf(block->times[k - 1], INFINITY); // where the delay left no digits for the difference
		}
	}
	self->duration = fmaxf(self->duration, block->times[channel->key_count - 1]);
	return true;
}

/// Which channels share their times, and in which order their tracks are: block by block.
static bool plan_blocks(clip_builder *self, lrd_error *error)
{
	for (uint32_t c = 0; c < self->animation->channel_count; ++c)
	{
		const lrd_document_channel *channel = &self->animation->channels[c];
		uint64_t hash = lrd_xxh3_64(channel->times, channel->key_count * sizeof(float));
		time_block *block = find_block(self, channel, hash);
		if (block->channel == NULL)
		{
			*block = (time_block){ .channel = channel, .hash = hash, .times_offset = LRD_NO_INDEX };
			if (!fill_block(self, block, error))
			{
				return false;
			}
		}
		block->count++;
		self->block_of[c] = block;
	}
	uint32_t placed = 0;
	for (uint32_t c = 0; c < self->animation->channel_count; ++c)
	{
		time_block *block = self->block_of[c];
		if (block->channel == &self->animation->channels[c])
		{
			block->first = placed;
			placed += block->count;
			block->count = 0;
		}
		self->track_of[c] = block->first + block->count++;
	}
	return true;
}

/// How far a translation of a model node reaches, in its own units: those of its parent's space.
static double reach_of(const lrd_model_recipe *recipe, uint32_t node)
{
	uint32_t parent = recipe->nodes[node].parent;
	double scale = 0.0;
	if (parent == LRD_NO_INDEX)
	{
		return CLIP_REACH;
	}
	const float *m = recipe->nodes[parent].global.m;
	for (uint32_t c = 0; c < 3; ++c)
	{
		double x = (double)m[4 * c], y = (double)m[4 * c + 1], z = (double)m[4 * c + 2];
		scale = fmax(scale, sqrt(x * x + y * y + z * z));
	}
	return scale > 0.0 ? CLIP_REACH / scale : INFINITY;
}

static void scale_lengths(const clip_builder *self, const lrd_document_channel *source, float *values)
{
	float scale = lrd_model_scale(self->recipe);
	for (uint32_t i = 0; source->path == LRD_PATH_TRANSLATION && i < value_floats(source); ++i)
	{
		values[i] *= scale;
	}
}

static bool fill_track(clip_builder *self, uint32_t c, lrd_error *error)
{
	const lrd_document_channel *source = &self->animation->channels[c];
	size_t bytes = value_floats(source) * sizeof(float);
	float *values = lrd_arena_alloc(self->arena, bytes);
	if (values == NULL)
	{
		return lrd_fail_memory(error, "values", bytes);
	}
	memcpy(values, source->values, bytes);
	scale_lengths(self, source, values);
	uint32_t mended = 0;
	if (source->path == LRD_PATH_ROTATION)
	{
		mended = lrd_motion_mend_rotations(values, source->key_count, source->interpolation);
	}
	lrd_motion_track *track = &self->tracks[self->track_of[c]];
	*track = (lrd_motion_track){
		.keys = { self->block_of[c]->times, values, source->key_count, source->components, source->path,
			source->interpolation },
		.kept_count = source->key_count,
	};
	bool length = source->path == LRD_PATH_TRANSLATION;
	double reach = length ? reach_of(self->recipe, self->recipe->model_node[source->node]) : INFINITY;
	track->tolerance = lrd_motion_tolerance(&track->keys, self->recipe->settings.clip_tolerance, reach);
	return lrd_note(self->notes, "rotations-without-direction", mended, error,
		"%.*s, node \"%.*s\": rotations of no length took that of the key before", LRD_STR_ARG(self->plan->stem),
		LRD_STR_ARG(self->recipe->document->nodes[source->node].name));
}

static bool thin_tracks(clip_builder *self, lrd_error *error)
{
	for (uint32_t c = 0; c < self->animation->channel_count; ++c)
	{
		const time_block *block = self->block_of[c];
		if (block->channel == &self->animation->channels[c] &&
			!lrd_motion_thin_block(self->arena, self->tracks + block->first, block->count, error))
		{
			return false;
		}
	}
	return true;
}

/// Append a track's times, unless they are there already; where they begin.
static uint32_t put_times(clip_builder *self, const lrd_motion_track *track, time_block *block)
{
	if (track->kept == NULL && block->times_offset != LRD_NO_INDEX)
	{
		return block->times_offset;
	}
	uint32_t offset = self->time_count;
	for (uint32_t k = 0; k < track->kept_count; ++k)
	{
		self->times[self->time_count++] = track->keys.times[track->kept != NULL ? track->kept[k] : k];
	}
	block->times_offset = track->kept == NULL ? offset : block->times_offset;
	return offset;
}

/// Append what stays of a track's keys. A single key has no need of tangents.
static void put_values(clip_builder *self, const lrd_motion_track *track)
{
	const lrd_motion_keys *keys = &track->keys;
	uint32_t size = lrd_motion_key_size(keys), skipped = 0;
	float *values = self->values + self->value_count;
	if (track->kept_count == 1 && keys->interpolation == LRD_INTERPOLATION_CUBIC)
	{
		size = skipped = keys->components;
	}
	for (uint32_t k = 0; k < track->kept_count; ++k)
	{
		size_t key = track->kept != NULL ? track->kept[k] : k;
		memcpy(self->values + self->value_count, keys->values + key * lrd_motion_key_size(keys) + skipped,
			size * sizeof(float));
		self->value_count += size;
	}
	if (keys->path == LRD_PATH_ROTATION && track->kept != NULL && track->kept_count > 1)
	{
		lrd_motion_take_short_way(
			values, track->kept_count, keys->interpolation); // from step to step it may be the long one now
	}
}

static bool add_channel(clip_builder *self, uint32_t c, lrd_error *error)
{
	const lrd_model_recipe *recipe = self->recipe;
	const lrd_document_channel *source = &self->animation->channels[c];
	const lrd_motion_track *track = &self->tracks[self->track_of[c]];
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
		.interpolation = (uint16_t)(track->kept_count == 1 ? LRD_INTERPOLATION_LINEAR : source->interpolation),
		.components = source->components,
		.key_count = track->kept_count,
		.times_offset = put_times(self, track, self->block_of[c]),
		.values_offset = self->value_count,
	};
	put_values(self, track);
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

static bool read_source(clip_builder *self, lrd_error *error)
{
	self->delay = find_delay(self->animation);
	if (!allocate(self, error) || !plan_blocks(self, error))
	{
		return false;
	}
	if (!isfinite(self->duration))
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "its keys lie more seconds apart than floats can tell");
	}
	if (!lrd_note(self->notes, "clip-delayed", self->delay > 0.0f, error,
			"%.*s: its first key is %g s before 0; all of them were moved to begin at 0", LRD_STR_ARG(self->plan->stem),
			(double)self->delay))
	{
		return false;
	}
	for (uint32_t c = 0; c < self->animation->channel_count; ++c)
	{
		if (!fill_track(self, c, error))
		{
			return false;
		}
	}
	return self->recipe->settings.clip_tolerance < 0.0f || thin_tracks(self, error);
}

static bool build(clip_builder *self, lrd_buffer *out, lrd_error *error)
{
	lrd_text text;
	if (!read_source(self, error) || !lrd_text_table_add(self->table, self->plan->name, &text, error))
	{
		return false;
	}
	for (uint32_t c = 0; c < self->animation->channel_count; ++c)
	{
		if (!add_channel(self, c, error))
		{
			return false;
		}
	}
	lrd_clip_view view = {
		.name = self->plan->name,
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

static void report_clip(const clip_builder *self, lrd_clip_report *report)
{
	*report = (lrd_clip_report){ .duration = self->duration, .channels = self->animation->channel_count };
	for (uint32_t c = 0; c < self->animation->channel_count; ++c)
	{
		uint32_t kept = self->tracks[c].kept_count;
		report->constant += kept == 1;
		report->keys_before += self->animation->channels[c].key_count;
		report->keys += kept;
	}
}

bool lrd_make_clip(lrd_model_recipe *recipe, uint32_t clip, lrd_buffer *out, lrd_clip_report *report, lrd_notes *notes,
	lrd_error *error)
{
	const lrd_clip_plan *plan = &recipe->clips[clip];
	clip_builder self = {
		.recipe = recipe,
		.animation = &recipe->document->animations[plan->animation],
		.notes = notes,
		.plan = plan,
	};
	self.arena = lrd_arena_create(recipe->base.allocator, 0);
	self.table = lrd_text_table_create(recipe->base.allocator);
	bool good = (self.arena != NULL && self.table != NULL) || lrd_fail_memory(error, "clip", 0);
	good = good && build(&self, out, error);
	if (good)
	{
		report_clip(&self, report);
	}
	lrd_text_table_destroy(self.table);
	lrd_arena_destroy(self.arena);
	return good || lrd_fail_in(error, "%.*s.lclip", LRD_STR_ARG(plan->stem));
}
