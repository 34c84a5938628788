// stream/arbiter.h: what the arbiter's files share. Not for other rooms.

#ifndef STREAM_ARBITER_H
#define STREAM_ARBITER_H

#include "larder/stream.h"

/// Priorities, the lowest first.
#define LRD_ARBITER_CLASSES 32u

/// What the textures of a class are to have.
typedef struct lrd_arbiter_share
{
	uint32_t bias;     ///< finest levels of its wish that each lacks; 0: all get what they want
	bool is_tight;     ///< not even those that have one level more can all keep it
	uint64_t left;     ///< bytes with which some get one level more
	bool has_upgrades; ///< that is enough for one
} lrd_arbiter_share;

typedef struct lrd_arbiter_pick
{
	uint64_t key; ///< the highest first: rank, then the lowest number
	uint32_t texture;
	uint8_t to;
} lrd_arbiter_pick;

typedef struct lrd_arbiter_picks
{
	uint32_t count;
	uint32_t most;
	uint64_t least; ///< a better key than this is picked
	lrd_arbiter_pick list[LRD_ARBITER_MAX_TRANSITIONS];
} lrd_arbiter_picks;

/// A call.
typedef struct lrd_arbiter
{
	const lrd_arbiter_texture *textures;
	uint32_t count;
	uint32_t frame;
	uint32_t grace;
	uint32_t step;
	int32_t bias;
	uint64_t budget;
	uint64_t budget_other; ///< lrd_arbiter_desc.other_bytes
	uint64_t ceiling;      ///< UINT64_MAX: none
	uint64_t room;         ///< of the budget, for transitions
	uint64_t hold;         ///< the rest
	uint64_t upgrade;      ///< how far upgrades go that nobody has a right to

	uint64_t floors;
	uint64_t demanded;
	uint64_t planned;   ///< once transitions are through
	uint64_t accounted; ///< images that exist
	uint64_t sinking;   ///< new images of demotions on their way
	uint64_t kept;      ///< of what is free, for more urgent promotions
	uint64_t needed;    ///< to be freed
	uint64_t freed;
	uint64_t freeable; ///< by all demotions that are allowed
	uint64_t missing;
	uint64_t least; ///< bytes of the smallest level that some texture lacks
	uint32_t full;
	uint32_t unsettled;
	uint32_t flying;
	uint32_t limited;
	bool is_exceeded;   ///< the budget, once all is through
	bool is_urgent;     ///< grace is over
	bool floor_lacking; ///< something is not there that always has to be

	lrd_arbiter_share shares[LRD_ARBITER_CLASSES];
	lrd_arbiter_picks rising;
	lrd_arbiter_picks falling;
	uint32_t sunk; ///< of falling, tried
	lrd_arbiter_change *changes;
	uint32_t changed;
	uint32_t most;
} lrd_arbiter;

/// Ranks of promotions, in a pick's upper half.
#define LRD_ARBITER_FLOOR (1u << 17) ///< what always has to be there
#define LRD_ARBITER_RIGHT (1u << 16) ///< what it has a right to; without: what happens to be left over

/// arbiter_change.c. How far those rise that were picked, and what that needs to be freed.
void lrd_arbiter_aim(lrd_arbiter *self);
/// No further than what can be freed allows.
void lrd_arbiter_trim(lrd_arbiter *self);
/// Write changes.
void lrd_arbiter_change_all(lrd_arbiter *self);

/// arbiter_share.c. Wishes exceed what there is: what each class is to have.
void lrd_arbiter_share_out(lrd_arbiter *self);

static inline uint32_t lrd_arbiter_class(const lrd_arbiter_texture *t)
{
	int32_t priority = t->priority < LRD_STREAM_PRIORITY_MIN ? LRD_STREAM_PRIORITY_MIN : t->priority;
	priority = priority > LRD_STREAM_PRIORITY_MAX ? LRD_STREAM_PRIORITY_MAX : priority;
	return (uint32_t)(priority - LRD_STREAM_PRIORITY_MIN);
}

/// The level that it is to have if there is room: never coarser than what it always has.
static inline uint32_t lrd_arbiter_wish(const lrd_arbiter *self, const lrd_arbiter_texture *t)
{
	int32_t wish = t->wanted + self->bias;
	wish = wish < t->floor ? wish : t->floor;
	return wish > 0 ? (uint32_t)wish : 0;
}

static inline uint64_t lrd_arbiter_image(const lrd_arbiter_texture *t, uint32_t level)
{
	return level < t->level_count ? t->image_bytes[level] : 0;
}

/// The level that it has once its transition is through.
static inline uint32_t lrd_arbiter_level(const lrd_arbiter_texture *t)
{
	return t->in_transition ? t->target : t->resident;
}

/// The level that it has a right to.
static inline uint32_t lrd_arbiter_goal(const lrd_arbiter_share *share, const lrd_arbiter_texture *t, uint32_t wish)
{
	uint32_t goal = wish + share->bias;
	return goal < t->floor ? goal : t->floor;
}

/// What is finer than this goes when others need room.
static inline uint32_t lrd_arbiter_keep(const lrd_arbiter_share *share, const lrd_arbiter_texture *t, uint32_t wish)
{
	uint32_t goal = lrd_arbiter_goal(share, t, wish);
	return share->is_tight || goal == wish || wish + share->bias > t->floor ? goal : goal - 1;
}

/// No further than a transition goes. What nobody wants sinks step by step, too: it may be wanted again by the time its image is there.
static inline uint32_t lrd_arbiter_stepped(const lrd_arbiter *self, const lrd_arbiter_texture *t, uint32_t to)
{
	if (self->step == 0 || t->resident >= t->level_count)
	{
		return to;
	}
	if (to < t->resident)
	{
		return t->resident - to > self->step ? t->resident - self->step : to;
	}
	return to - t->resident > self->step ? t->resident + self->step : to;
}

#endif
