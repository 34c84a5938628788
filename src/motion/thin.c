// Dropping keys that interpolation gives back.
//
// From a key that stays, the anchor, all straight ways to a later key that come within the tolerance of every key in
// between are those whose slopes lie in an interval, a component each, which each further key narrows (the cone
// method; Williams, "An Efficient Algorithm for the Piecewise Linear Approximation of Planar
// Curves", 1978). So each key is looked at once, not every key in between again.
//
// Rotations are made straight first: seen from the anchor, a slerp to any other key is a straight line of the rotation
// vector (axis times angle) from the anchor, and two rotations are never further from each other than their vectors. A
// slerp between two other keys is not quite straight from there, so its middle narrows the interval too.

#include "motion/motion.h"

#include "base/error.h"
#include "motion/rotations.h"

#include <math.h>

/// How many keys are looked at past the last that would do as the next to stay: a noisy one may be followed by others
/// that do.
#define LOOK_AHEAD 16u

/// A rotation further than this from the anchor (the cosine of half the angle) is left to the next one: half a turn has
/// no short way.
#define LEAST_COSINE 0.01

#define TURN_COMPONENTS 3u

typedef struct interval
{
	double low, high;
} interval;

typedef struct thinner
{
	const lrd_motion_track *const *tracks;
	uint32_t track_count;
	const float *times;
	interval *slopes; ///< of all components of all tracks
	size_t slope_count;
	uint32_t anchor;
} thinner;

static bool is_turn(const lrd_motion_track *track)
{
	return track->keys.path == LRD_PATH_ROTATION && track->keys.interpolation == LRD_INTERPOLATION_LINEAR;
}

static uint32_t slopes_of(const lrd_motion_track *track)
{
	return is_turn(track) ? TURN_COMPONENTS : track->keys.components;
}

static const float *key_at(const lrd_motion_track *track, uint32_t key)
{
	return track->keys.values + (size_t)key * track->keys.components;
}

static double seconds_to(const thinner *self, double time)
{
	return time - (double)self->times[self->anchor];
}

static void narrow_one(interval *slope, double to, double tolerance, double seconds)
{
	slope->low = fmax(slope->low, (to - tolerance) / seconds);
	slope->high = fmin(slope->high, (to + tolerance) / seconds);
}

/// The tolerance of a component: of a rotation, whose three make one distance, each has its part.
static double component_tolerance(const lrd_motion_track *track)
{
	const double root_three = 1.7320508075688772;
	return is_turn(track) ? track->tolerance / root_three : track->tolerance;
}

/// The middle of the slerp that ends at `key`, and that key. False where the rotation is too far from the anchor.
static bool turns_to(const thinner *self, const lrd_motion_track *track, uint32_t key, double middle[3], double end[3])
{
	double anchor[4], before[4], here[4], half[4];
	lrd_motion_unit(key_at(track, self->anchor), anchor);
	lrd_motion_unit(key_at(track, key - 1), before);
	lrd_motion_unit(key_at(track, key), here);
	lrd_motion_middle(before, here, half);
	lrd_motion_rotation_between(anchor, half, middle);
	return lrd_motion_rotation_between(anchor, here, end) >= LEAST_COSINE;
}

/// Whether the keys from the anchor to `key` may go but for those two. `slopes` learns of the way there.
static bool reaches_turn(const thinner *self, const lrd_motion_track *track, interval *slopes, uint32_t key, bool *far)
{
	double middle[3], end[3];
	double tolerance = component_tolerance(track);
	double seconds = seconds_to(self, (double)self->times[key]);
	double half = seconds_to(self, ((double)self->times[key - 1] + (double)self->times[key]) / 2.0);
	bool reached = true;
	*far |= !turns_to(self, track, key, middle, end);
	for (uint32_t c = 0; c < TURN_COMPONENTS; c++)
	{
		if (key - 1 != self->anchor)
		{
			narrow_one(&slopes[c], middle[c], tolerance, half);
		}
		double slope = end[c] / seconds;
		reached &= slope >= slopes[c].low && slope <= slopes[c].high;
		narrow_one(&slopes[c], end[c], tolerance, seconds);
	}
	return reached;
}

static bool reaches_line(const thinner *self, const lrd_motion_track *track, interval *slopes, uint32_t key)
{
	const float *from = key_at(track, self->anchor), *to = key_at(track, key);
	double seconds = seconds_to(self, (double)self->times[key]);
	bool reached = true;
	for (uint32_t c = 0; c < track->keys.components; c++)
	{
		double way = (double)to[c] - (double)from[c];
		reached &= way / seconds >= slopes[c].low && way / seconds <= slopes[c].high;
		narrow_one(&slopes[c], way, track->tolerance, seconds);
	}
	return reached;
}

/// A step holds the anchor's value until `key`; a key that differs closes the interval behind it.
static bool reaches_step(const thinner *self, const lrd_motion_track *track, interval *slopes, uint32_t key)
{
	const float *held = key_at(track, self->anchor), *here = key_at(track, key);
	bool turns = track->keys.path == LRD_PATH_ROTATION;
	double sum = 0.0, most = turns ? 0.49 * fmin(track->tolerance, 0.1) : track->tolerance;
	for (uint32_t c = 0; c < track->keys.components; c++)
	{
		double off = (double)here[c] - (double)held[c];
		sum = turns ? sum + off * off : fmax(sum, off * off);
	}
	bool reached = slopes[0].low <= slopes[0].high;
	slopes[0].high = sum <= most * most ? slopes[0].high : -INFINITY;
	slopes[0].low = sum <= most * most ? slopes[0].low : INFINITY;
	return reached;
}

/// Whether `key` may be the next after the anchor. `open` becomes false where no later one may be.
static bool reaches(thinner *self, uint32_t key, bool *open)
{
	interval *slopes = self->slopes;
	bool reached = true;
	for (uint32_t t = 0; t < self->track_count; t++)
	{
		const lrd_motion_track *track = self->tracks[t];
		bool far = false;
		reached &= is_turn(track)                                        ? reaches_turn(self, track, slopes, key, &far)
				   : track->keys.interpolation == LRD_INTERPOLATION_STEP ? reaches_step(self, track, slopes, key)
																		 : reaches_line(self, track, slopes, key);
		reached &= !far || key == self->anchor + 1;
		*open &= !far;
		for (uint32_t c = 0; c < slopes_of(track); c++)
		{
			*open &= slopes[c].low <= slopes[c].high;
		}
		slopes += slopes_of(track);
	}
	return reached;
}

static uint32_t next_key(thinner *self, uint32_t count)
{
	uint32_t best = self->anchor + 1;
	bool open = true;
	for (size_t i = 0; i < self->slope_count; i++)
	{
		self->slopes[i] = (interval){ -INFINITY, INFINITY };
	}
	for (uint32_t key = self->anchor + 1; key < count && open && key - best <= LOOK_AHEAD; key++)
	{
		best = reaches(self, key, &open) ? key : best;
	}
	return best;
}

bool lrd_motion_thin(lrd_allocator allocator, const lrd_motion_track *const *tracks, uint32_t count, uint32_t *kept,
	uint32_t *kept_count, lrd_error *error)
{
	thinner self = { .tracks = tracks, .track_count = count, .times = tracks[0]->keys.times };
	for (uint32_t t = 0; t < count; t++)
	{
		self.slope_count += slopes_of(tracks[t]);
	}
	size_t size = self.slope_count * sizeof *self.slopes;
	self.slopes = lrd_alloc(allocator, size);
	if (self.slopes == NULL)
	{
		return lrd_fail_memory(error, "slopes of keys", size);
	}
	uint32_t key_count = tracks[0]->keys.count;
	kept[0] = 0;
	*kept_count = 1;
	while (kept[*kept_count - 1] + 1 < key_count)
	{
		self.anchor = kept[*kept_count - 1];
		kept[*kept_count] = next_key(&self, key_count);
		*kept_count += 1;
	}
	lrd_free(allocator, self.slopes, size);
	return true;
}
