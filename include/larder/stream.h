// larder/stream.h: texture mips within a budget: who uses a texture says each frame how fine they want it, the arbiter fits
// all that into the budget, and transitions bring textures there a few at a time. The arbiter alone is a pure function over
// arrays, to be used with a renderer's own textures.

#ifndef LARDER_STREAM_H
#define LARDER_STREAM_H

#include "larder/residents.h"

// --- The arbiter ---

/// A texture as the arbiter sees it.
typedef struct lrd_arbiter_texture
{
	const uint64_t *level_bytes; ///< GPU bytes of levels 0 to level_count - 1
	uint8_t level_count;
	uint8_t tail;         ///< the coarsest `tail` levels are always resident
	uint8_t resident;     ///< finest resident level now
	uint8_t wanted;       ///< finest level wanted this frame; level_count - 1 or more: the tail will do
	bool in_transition;   ///< something is on its way for it: it is left alone, and counts as `target`
	uint8_t target;       ///< of the transition
	int8_t priority;      ///< of who wants it most
	uint32_t last_wanted; ///< frame in which a level at least as fine as the resident one was wanted last
	uint32_t last_change; ///< frame of its last transition
} lrd_arbiter_texture;

typedef struct lrd_arbiter_desc
{
	uint64_t budget;          ///< bytes
	uint32_t frame;           ///< number of this frame
	uint32_t grace;           ///< frames before a demotion, and between two changes of one texture; 0: 30
	uint32_t max_transitions; ///< a call; 0: 16
	int32_t lod_bias;         ///< added to every wanted level, -16 to 16
	uint32_t headroom; ///< per mille of the budget that further upgrades leave free when something was refused; 0: 50
	/// For the call's own use: 4 bytes for each texture. NULL is allowed where max_transitions is at most 64
	uint32_t *scratch;
} lrd_arbiter_desc;

typedef struct lrd_arbiter_change
{
	uint32_t texture;
	uint8_t from;
	uint8_t to; ///< finest level to be resident
} lrd_arbiter_change;

typedef struct lrd_arbiter_report
{
	uint64_t resident_bytes; ///< once all transitions are through
	uint64_t tail_bytes;     ///< of all tails: what can't be shed
	uint64_t demanded_bytes; ///< if everything were as wanted
	uint32_t limited;        ///< textures that the budget keeps coarser than wanted
	uint64_t missing_bytes;  ///< what those lack
	uint32_t full;           ///< textures as fine as wanted
	uint64_t overflow;       ///< tails alone are above the budget by this
} lrd_arbiter_report;

/// Decide which textures change: tails first, then by priority and by how much detail is missing; what nobody wanted for
/// the grace period is demoted first, in the same call, when there is no room; if a whole wish does not fit the finest suffix that fits is
/// admitted. At most max_transitions changes, whose count is returned. Linear in `count`; allocates nothing; any thread.
/// Promises: bytes never above the budget unless tails are; no texture changes twice within the grace period under constant wishes;
/// with enough budget every wish is met within ceil(n / max_transitions) calls.
LRD_API uint32_t lrd_arbiter_run(const lrd_arbiter_desc *desc, const lrd_arbiter_texture *textures, uint32_t count,
	lrd_arbiter_change *changes, lrd_arbiter_report *report);

// --- The stream ---

typedef struct lrd_stream lrd_stream;

typedef struct lrd_stream_desc
{
	uint64_t budget; ///< bytes; 0: 768 MiB. Less where the device says that others took its memory
	uint32_t grace;  ///< as in lrd_arbiter_desc, as are:
	uint32_t max_transitions;
	int32_t lod_bias;
	lrd_allocator allocator;
	lrd_log log; ///< warned at most every five seconds when the budget refuses wishes, with one example
} lrd_stream_desc;

/// The residents outlive it, and were made with tail_levels. NULL on failure. The owner's thread, as all of these.
LRD_API lrd_stream *lrd_stream_create(lrd_residents *residents, const lrd_stream_desc *desc, lrd_error *error);
LRD_API void lrd_stream_destroy(lrd_stream *stream);

/// Somebody wants a slot's texture this fine in this frame. Demands of one frame combine: the finest level, the highest priority.
/// False for a slot that is not taken.
LRD_API bool lrd_stream_demand(lrd_stream *stream, uint32_t slot, uint32_t level, int32_t priority);
/// The same for users without a projected size (UI, sky, look-up tables): everything.
LRD_API bool lrd_stream_demand_all(lrd_stream *stream, uint32_t slot, int32_t priority);

/// The finest level that is worth having: `texels_per_unit` of a surface (level 0 texels along an object-space unit: the UV density times
/// the texture's size), `distance` to the nearest point of the bounds, `pixels_per_unit` of the view at distance 1
/// (height / (2 tan(fov / 2)) for a perspective). Rounded towards the finer level.
LRD_API uint32_t lrd_stream_level(float texels_per_unit, float distance, float pixels_per_unit);

/// Texels of level 0 that an object-space unit of a mesh's surface covers, for a texture of 1 x 1: multiply by its size. From the area of
/// triangles of LOD 0 in space and in uv0; 0 when the mesh has no uv0 or no area.
LRD_API float lrd_mesh_uv_density(const lrd_mesh_view *mesh);

/// Once a frame, before lrd_residents_update: take the frame's demands, arbitrate, and put transitions in train.
LRD_API void lrd_stream_update(lrd_stream *stream);

/// Change the budget; what is over it is shed in the next updates.
LRD_API void lrd_stream_set_budget(lrd_stream *stream, uint64_t budget);

typedef struct lrd_stream_stats
{
	lrd_arbiter_report report;
	uint64_t budget; ///< in force
	uint32_t textures;
	uint32_t transitions; ///< pending
	uint64_t promotions;  ///< done since the beginning
	uint64_t demotions;
	uint64_t read_bytes; ///< by workers, for levels
	uint64_t arbiter_ns; ///< the last run
} lrd_stream_stats;
LRD_API void lrd_stream_get_stats(const lrd_stream *stream, lrd_stream_stats *stats);

#endif
