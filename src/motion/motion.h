// motion/motion.h: keys of animated channels, mended and thinned out. Pure: arrays in, arrays out.
//
// A key goes where the curve through those that stay is never further from the source's than a tolerance, at the key or
// between any two: a length for translations, a number for scales and weights, radians for rotations. Keys that stay
// keep their values and times bit for bit, and the first and the last always stay, unless one says all.

#ifndef MOTION_MOTION_H
#define MOTION_MOTION_H

#include "base/memory.h"
#include "larder/clip.h"

/// Keys of one channel, laid out as in lrd_clip_channel. Rotations are of unit length and take the short way
/// (lrd_motion_mend_rotations).
typedef struct lrd_motion_keys
{
	const float *times; ///< seconds, ascending
	const float *values;
	uint32_t count; ///< 1 and up
	uint32_t components;
	lrd_clip_path path;
	lrd_interpolation interpolation;
} lrd_motion_keys;

/// Floats a key.
static inline uint32_t lrd_motion_key_size(const lrd_motion_keys *keys)
{
	return keys->components * (keys->interpolation == LRD_INTERPOLATION_CUBIC ? 3 : 1);
}

/// Make rotations unit length, and take the short way from key to key: q and -q are one rotation, but what lies between
/// is not. Cubic keys are scaled and negated whole, tangents and all. A key without a direction takes the one before
/// it, the first one none (identity), and its tangents become 0. Returns how many of those there were.
uint32_t lrd_motion_mend_rotations(float *values, uint32_t count, lrd_interpolation interpolation);

/// The short way alone: for rotations of unit length some of whose keys have gone.
void lrd_motion_take_short_way(float *values, uint32_t count, lrd_interpolation interpolation);

/// What a tolerance that is relative comes to in a channel: `part` of the larger of how far its values range and how
/// large they are, the latter not above `reach`; of a rotation, `part` radians.
double lrd_motion_tolerance(const lrd_motion_keys *keys, float part, double reach);

/// The first key's value says it all.
bool lrd_motion_is_constant(const lrd_motion_keys *keys, double tolerance);

/// A channel among others with the same times.
typedef struct lrd_motion_track
{
	lrd_motion_keys keys;
	double tolerance;     ///< lrd_motion_tolerance
	const uint32_t *kept; ///< out: the keys that stay, ascending; NULL: all
	uint32_t kept_count;  ///< out
} lrd_motion_track;

/// Thin `count` tracks that share their times by the same keys: what stays is in `kept` (room for all keys). Cubic keys
/// can't go, so no track is cubic.
bool lrd_motion_thin(lrd_allocator allocator, const lrd_motion_track *const *tracks, uint32_t count, uint32_t *kept,
	uint32_t *kept_count, lrd_error *error);

/// Thin `count` tracks that share their times so that they take the fewest bytes: a constant one is its first key, the
/// others drop keys each on its own, which costs them times of their own, or all the same ones, or none. What is kept is
/// in the arena.
bool lrd_motion_thin_block(lrd_arena *arena, lrd_motion_track *tracks, uint32_t count, lrd_error *error);

#endif
