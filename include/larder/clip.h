// larder/clip.h: reading and sampling a cooked animation clip (.lclip) in place. Format: docs/formats.md, "Clip".

#ifndef LARDER_CLIP_H
#define LARDER_CLIP_H

#include "larder/base.h"

#define LRD_CLIP_VERSION 1

typedef enum lrd_clip_flag
{
	LRD_CLIP_UNIFORM = 1 << 0, ///< every channel's keys lie on one grid: key i at i * duration / (key_count - 1)
	LRD_CLIP_ALL_FLAGS = (1 << 1) - 1,
} lrd_clip_flag;

typedef enum lrd_clip_path
{
	LRD_PATH_TRANSLATION = 0, ///< 3 components
	LRD_PATH_ROTATION = 1,    ///< 4 components, xyzw
	LRD_PATH_SCALE = 2,       ///< 3 components
	LRD_PATH_WEIGHTS = 3,     ///< as many components as the mesh has morph targets
} lrd_clip_path;

typedef enum lrd_interpolation
{
	LRD_INTERPOLATION_LINEAR = 0, ///< rotations: spherical
	LRD_INTERPOLATION_STEP = 1,
	LRD_INTERPOLATION_CUBIC = 2, ///< Hermite, glTF 2.0 Appendix C.5
} lrd_interpolation;

/// One animated property of one node.
typedef struct lrd_clip_channel
{
	uint32_t target_offset; ///< target node's name, into the string block
	uint32_t target_size;   ///< bytes
	uint32_t target_hash;   ///< FNV-1a 32 of the name
	int32_t joint;          ///< index in the skeleton; -1: a node outside every skeleton
	int32_t node;           ///< index in the model's nodes; -1: unknown
	uint16_t path;          ///< lrd_clip_path
	uint16_t interpolation; ///< lrd_interpolation
	uint32_t components;
	uint32_t key_count;    ///< 1 and up
	uint32_t times_offset; ///< index of the first of key_count floats in `times`
	uint32_t
		values_offset; ///< index of the first float in `values`: components a key; three times that for cubic (in-tangent, value, out-tangent)
	uint32_t
		skeleton; ///< index in the model's skeletons; 0 when joint is -1. A joint of two skeletons has a channel for each
	uint32_t reserved; ///< 0
} lrd_clip_channel;

/// A clip as its file says it. Pointers lead into the bytes that were opened.
typedef struct lrd_clip_view
{
	lrd_string name;
	float duration;       ///< seconds; the last key of any channel is at or before it
	uint32_t flags;       ///< lrd_clip_flag
	uint32_t joint_count; ///< every channel's joint is below it; 0: no channel targets a joint
	const lrd_clip_channel *channels;
	uint32_t channel_count;
	const float *times; ///< seconds, ascending within a channel; channels with equal times share them
	uint32_t time_count;
	const float *values;
	uint32_t value_count;
	lrd_string strings; ///< the string block
} lrd_clip_view;

/// Check a clip file and give a view into it; `bytes` must be aligned to 16 and outlive the view.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_ARGUMENT (misaligned bytes), LRD_ERROR_MEMORY (see lrd_mesh_open). Any thread.
LRD_API bool lrd_clip_open(const void *bytes, size_t size, lrd_clip_view *view, lrd_error *error);

/// A channel's target node name, which leads into the file. Any thread.
LRD_API lrd_string lrd_clip_target_name(const lrd_clip_view *view, uint32_t channel);

/// One channel at a time in seconds, clamped to its first and last key. Writes `components` floats; rotations come out
/// unit length. Any thread.
LRD_API void lrd_clip_sample_channel(const lrd_clip_view *view, uint32_t channel, float time, float *value);

/// A pose to sample into: the joints of one skeleton.
typedef struct lrd_pose
{
	lrd_transform *joints; ///< local transforms; start from lrd_skeleton_rest_pose
	uint32_t joint_count;
	uint32_t skeleton; ///< index in the model's skeletons
} lrd_pose;

/// Every channel that targets a joint of the pose's skeleton, at a time in seconds. What no channel animates is left as
/// it is. `cursor`: channel_count numbers that remember where each channel's last key was, zeroed before the first
/// call; from then on a time a little later costs the same however many keys there are. They are only a hint: any
/// values give the same pose. NULL: every key is searched for. Any thread, several at once on one clip, each with a
/// cursor and a pose of its own.
LRD_API void lrd_clip_sample(const lrd_clip_view *view, float time, uint32_t *cursor, const lrd_pose *pose);

#endif
