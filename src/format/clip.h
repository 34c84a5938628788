// format/clip.h: the layout of .lclip. After the header: channels, times (f32), values (f32), strings.

#ifndef FORMAT_CLIP_H
#define FORMAT_CLIP_H

#include "format/layout.h"
#include "larder/clip.h"

#define LRD_CLIP_MAGIC "LCLP"

typedef struct lrd_clip_header
{
	char magic[4];
	uint32_t version;
	uint64_t file_size;
	uint32_t flags;
	float duration;
	uint32_t joint_count;
	uint32_t channel_count;
	uint32_t time_count;
	uint32_t value_count;
	uint32_t string_size;
	uint32_t name_offset;
	uint32_t name_size;
	uint32_t reserved[3];
} lrd_clip_header;

static_assert(sizeof(lrd_clip_header) == 64, "clip header");
static_assert(offsetof(lrd_clip_header, magic) == 0, "clip header");
static_assert(offsetof(lrd_clip_header, version) == 4, "clip header");
static_assert(offsetof(lrd_clip_header, file_size) == 8, "clip header");
static_assert(offsetof(lrd_clip_header, flags) == 16, "clip header");
static_assert(offsetof(lrd_clip_header, duration) == 20, "clip header");
static_assert(offsetof(lrd_clip_header, joint_count) == 24, "clip header");
static_assert(offsetof(lrd_clip_header, channel_count) == 28, "clip header");
static_assert(offsetof(lrd_clip_header, time_count) == 32, "clip header");
static_assert(offsetof(lrd_clip_header, value_count) == 36, "clip header");
static_assert(offsetof(lrd_clip_header, string_size) == 40, "clip header");
static_assert(offsetof(lrd_clip_header, name_offset) == 44, "clip header");
static_assert(offsetof(lrd_clip_header, name_size) == 48, "clip header");
static_assert(offsetof(lrd_clip_header, reserved) == 52, "clip header");

static_assert(sizeof(lrd_clip_channel) == 48, "channel");
static_assert(offsetof(lrd_clip_channel, target_offset) == 0, "channel");
static_assert(offsetof(lrd_clip_channel, target_size) == 4, "channel");
static_assert(offsetof(lrd_clip_channel, target_hash) == 8, "channel");
static_assert(offsetof(lrd_clip_channel, joint) == 12, "channel");
static_assert(offsetof(lrd_clip_channel, node) == 16, "channel");
static_assert(offsetof(lrd_clip_channel, path) == 20, "channel");
static_assert(offsetof(lrd_clip_channel, interpolation) == 22, "channel");
static_assert(offsetof(lrd_clip_channel, components) == 24, "channel");
static_assert(offsetof(lrd_clip_channel, key_count) == 28, "channel");
static_assert(offsetof(lrd_clip_channel, times_offset) == 32, "channel");
static_assert(offsetof(lrd_clip_channel, values_offset) == 36, "channel");
static_assert(offsetof(lrd_clip_channel, skeleton) == 40, "channel");
static_assert(offsetof(lrd_clip_channel, reserved) == 44, "channel");

/// A key of a uniform clip may be this far from its place on the grid: this part of the grid's step, and this part of
/// the duration (four roundings of an f32) where the step is that small.
#define LRD_CLIP_GRID_STEP_SLACK 1e-3f
#define LRD_CLIP_GRID_ROUNDING_SLACK 4.8e-7f

/// Every key lies on the grid i * duration / (count - 1), within the slack above; a single key does.
bool lrd_clip_times_on_grid(const float *times, uint32_t count, float duration);

/// Neighbouring rotations take the short way: their dot product is not below this, which is zero but for rounding.
#define LRD_CLIP_LEAST_DOT -1e-6f

/// Floats that a channel's keys have in `values` each.
static inline uint64_t lrd_clip_key_size(const lrd_clip_channel *channel)
{
	return (uint64_t)channel->components * (channel->interpolation == LRD_INTERPOLATION_CUBIC ? 3 : 1);
}

#endif
