// larder/stream.h: texture mips within a budget: who uses a texture says each frame how fine they want it, the arbiter fits
// all that into the budget, and transitions bring textures there a few at a time. The arbiter alone is a pure function over
// arrays, to be used with a renderer's own textures.

#ifndef LARDER_STREAM_H
#define LARDER_STREAM_H

#include "larder/residents.h"

#define LRD_STREAM_PRIORITY_MIN (-16)
#define LRD_STREAM_PRIORITY_MAX 15

// --- The arbiter ---

#define LRD_ARBITER_MAX_TRANSITIONS 64

/// A texture as the arbiter sees it.
typedef struct lrd_arbiter_texture
{
	/// GPU bytes of an image that begins with each level, 0 to level_count - 1; never rising. Textures of one size and format may share them.
	const uint64_t *image_bytes;
	uint32_t last_wanted;  ///< frame in which a level at least as fine as the resident one was wanted last
	uint32_t wanted_since; ///< frame since which `wanted` and `priority` are what they are
	uint32_t last_change;  ///< frame of its last transition; one that had none: anything before wanted_since
	uint8_t level_count;   ///< 1 to LRD_TEXTURE_MAX_LEVELS
	uint8_t floor; ///< this level and all coarser are always resident: the tail's finest, or a finer one that is pinned
	uint8_t resident;   ///< level that its image begins with; level_count: there is none yet
	uint8_t wanted;     ///< finest level wanted this frame; `floor` or more: the tail will do
	bool in_transition; ///< an image is on its way that begins with `target`: the texture is left alone
	uint8_t target;     ///< looked at in a transition alone
	int8_t priority;    ///< of who wants it most, LRD_STREAM_PRIORITY_MIN to _MAX
	bool was_demoted;   ///< by its last transition
} lrd_arbiter_texture;

typedef struct lrd_arbiter_desc
{
	uint64_t budget;      ///< bytes
	uint64_t other_bytes; ///< of images that exist besides the textures', and will go: those that wait for their frames
	/// What images are not to exceed, while a budget that was lowered is shed, as long as waiting helps; 0: no such bound. The
	/// budget as it was before, where a device refused memory within it.
	uint64_t ceiling;
	uint32_t frame;       ///< number of this frame; it may wrap around
	uint32_t grace;       ///< frames before a demotion, and between two changes of one texture; 0: 30
	uint32_t max_transitions; ///< a call, up to LRD_ARBITER_MAX_TRANSITIONS; 0: 16
	uint32_t step;            ///< levels that a transition changes at most: 1 where no pop may be larger; 0: any number
	int32_t lod_bias;         ///< added to every wanted level, -32 to 32
	uint32_t headroom; ///< per mille of the budget that further upgrades leave free when something was refused; 0: 50
} lrd_arbiter_desc;

typedef struct lrd_arbiter_change
{
	uint32_t texture;
	uint8_t from;
	uint8_t to; ///< level that its image is to begin with
} lrd_arbiter_change;

/// Where things stand with the call's changes made.
typedef struct lrd_arbiter_report
{
	uint64_t accounted_bytes; ///< of all images that exist: old and new ones of transitions, and other_bytes
	uint64_t resident_bytes;  ///< once all transitions are through
	uint64_t tail_bytes;      ///< of tails and what is pinned: what can't be shed
	uint64_t demanded_bytes;  ///< if everything were as wanted
	uint64_t room_bytes;      ///< of the budget, kept free for transitions
	uint32_t limited;         ///< textures that the budget keeps coarser than wanted
	uint64_t missing_bytes;   ///< what those lack
	uint32_t full;            ///< textures as fine as wanted
	uint64_t overflow;        ///< tails and what is pinned are above the budget by this
} lrd_arbiter_report;

/// Decide which textures change. While a texture changes both its images exist, and both count: so the wishes share the budget less
/// room for one transition, which is as much as the largest image that any texture could be demoted to (at most a quarter
/// of the budget).
///
/// What is always resident comes first. Then wishes, by priority: where those of one priority don't fit, all its textures are
/// kept from the same number of finest levels, the fewest that fits, and what is left over gives some of them one level more.
/// Those that lack most levels go first. What is finer than wanted stays while there is room, and goes, oldest wish first, when
/// others need it, though not before the grace period is over, unless the budget is exceeded.
///
/// At most max_transitions changes are written, whose count is returned. Linear in `count`; allocates nothing, and takes some 140 KiB of
/// the stack; any thread.
/// Promises: images never exceed the budget unless tails and what is pinned do, or it was lowered, and then they are shed; no texture
/// changes twice within the grace period under constant wishes (with `step` none turns back in it); with enough budget
/// (for demanded_bytes, room_bytes, and the old images of what changes) every wish is met within ceil(n / max_transitions) calls.
LRD_API uint32_t lrd_arbiter_run(const lrd_arbiter_desc *desc, const lrd_arbiter_texture *textures, uint32_t count,
	lrd_arbiter_change *changes, lrd_arbiter_report *report);

// --- The stream ---

typedef struct lrd_stream lrd_stream;

typedef struct lrd_stream_desc
{
	uint64_t budget; ///< bytes; 0: 768 MiB. Less where the device says that others took its memory
	uint32_t grace;  ///< as in lrd_arbiter_desc, as are:
	uint32_t max_transitions;
	uint32_t step;
	int32_t lod_bias;
	uint32_t headroom;
	lrd_allocator allocator;
	lrd_log log; ///< warned at most every five seconds when the budget refuses wishes, with one example
} lrd_stream_desc;

/// The residents outlive it. NULL on failure. The owner's thread, as all of these.
/// Errors: LRD_ERROR_MEMORY; LRD_ERROR_ARGUMENT, of residents that were made without tail_levels too.
LRD_API lrd_stream *lrd_stream_create(lrd_residents *residents, const lrd_stream_desc *desc, lrd_error *error);
/// Textures stay as they are; snapshots carry its figures no more. NULL is allowed.
LRD_API void lrd_stream_destroy(lrd_stream *stream);

/// Somebody wants a slot's texture this fine in this frame. Demands of one frame combine: the finest level, the highest priority.
/// False for a slot that is not taken, or when memory for it runs out.
LRD_API bool lrd_stream_demand(lrd_stream *stream, uint32_t slot, uint32_t level, int32_t priority);
/// The same for users without a projected size (UI, sky, look-up tables): everything.
LRD_API bool lrd_stream_demand_all(lrd_stream *stream, uint32_t slot, int32_t priority);

/// Whatever the budget, this level and all coarser stay resident until another level is pinned (LRD_TEXTURE_MAX_LEVELS: the tail alone)
/// or the slot is released. False as above.
LRD_API bool lrd_stream_pin(lrd_stream *stream, uint32_t slot, uint32_t level);

/// The finest level that is worth having: `texels_per_unit` of a surface (level 0 texels along an object-space unit: the mesh's
/// uv_density times the texture's size), `distance` to the nearest point of the bounds, `pixels_per_unit` of the view at distance 1
/// (height / (2 tan(fov / 2)) for a perspective). Rounded towards the finer level.
LRD_API uint32_t lrd_stream_level(float texels_per_unit, float distance, float pixels_per_unit);

/// Once a frame, before lrd_residents_update: take the frame's demands, arbitrate, and put transitions in train. Snapshots of the store
/// (larder/snapshot.h) carry its figures from then on. Allocates nothing while no slots are new.
LRD_API void lrd_stream_update(lrd_stream *stream);

/// Change the budget; what is over it is shed in the next updates. 0: 768 MiB.
LRD_API void lrd_stream_set_budget(lrd_stream *stream, uint64_t budget);

typedef struct lrd_stream_stats
{
	lrd_arbiter_report report;
	uint64_t budget; ///< in force
	uint32_t textures;
	uint32_t transitions; ///< pending
	uint64_t promotions;  ///< done since the beginning
	uint64_t demotions;
	uint64_t failures;   ///< transitions that came to nothing: tried again after the grace period
	uint64_t read_bytes; ///< of levels that promotions added, as the GPU has them
	uint64_t arbiter_ns; ///< the last run
} lrd_stream_stats;
LRD_API void lrd_stream_get_stats(const lrd_stream *stream, lrd_stream_stats *stats);

#endif
