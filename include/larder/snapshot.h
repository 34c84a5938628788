// larder/snapshot.h: what is going on inside a store: counters that are always kept, a bounded copy of its tables for
// tools, and a recording of every call, to be run again by `larder replay`.

#ifndef LARDER_SNAPSHOT_H
#define LARDER_SNAPSHOT_H

#include "larder/store.h"
#include "larder/ticket.h"

#define LRD_STATE_COUNT 6

typedef struct lrd_kind_stats
{
	uint32_t assets[LRD_STATE_COUNT]; ///< records in each lrd_state
	uint64_t bytes;                   ///< of payloads, parked ones included
} lrd_kind_stats;

/// Counters since the store was opened, and figures as they are now.
typedef struct lrd_store_stats
{
	lrd_kind_stats kinds[LRD_KIND_COUNT];
	uint64_t resident_bytes; ///< of all payloads: owned memory by its size, mapped ones by their length
	uint64_t owned_bytes;    ///< of those, in memory of the allocator
	uint64_t parked_bytes;
	uint32_t parked;      ///< payloads
	uint64_t keep_parked; ///< the budget
	uint64_t elder_bytes; ///< payloads that a newer one replaced and that somebody may still read
	uint32_t elders;
	uint32_t queued;        ///< loads that no worker has begun
	uint32_t running;       ///< loads being read or decoded
	uint32_t mounts;        ///< mounted now
	uint32_t leased_mounts; ///< unmounted, and kept for payloads that read through them
	uint64_t loads;         ///< that ended ready
	uint64_t failures;
	uint64_t cancelled;   ///< loads that nobody wanted any more
	uint64_t stale;       ///< loads whose result a reload made worthless
	uint64_t evicted;     ///< parked payloads that the budget pushed out
	uint64_t resurrected; ///< parked payloads that were retained again
	uint64_t probes;      ///< look-ups of a name in the mounts
	uint64_t
		refused; ///< calls refused as programmer's errors: a release too many, a stale id, the wrong kind or thread
	uint64_t jobs_refused; ///< times that the scheduler would not take a job
	uint64_t io_bytes;     ///< read or inflated; bytes used in place are not in it
	uint64_t mapped_bytes; ///< used in place
	uint64_t read_ns;      ///< workers' time reading and inflating
	uint64_t decode_ns;    ///< workers' time checking and opening
} lrd_store_stats;

/// Any thread.
LRD_API void lrd_store_get_stats(const lrd_store *store, lrd_store_stats *stats);

// What follows with "only diagnostics" is filled in by libraries built with -DLARDER_DIAGNOSTICS=ON, and zero or NULL in others.

typedef struct lrd_snapshot_asset
{
	lrd_asset asset;
	lrd_kind kind;
	lrd_state state;
	lrd_string stem;
	uint32_t references; ///< of which:
	uint32_t inner;      ///< are held by payloads
	uint32_t pins;
	bool parked;
	uint32_t generation; ///< of the payload
	uint64_t bytes;
	const char *owner;  ///< who asked last; only diagnostics
	uint32_t queued_us; ///< waiting for a worker; only diagnostics, as are:
	uint32_t read_us;
	uint32_t decode_us;
	uint32_t named_us;     ///< waiting for what it names
	uint32_t hand_over_us; ///< ready, until the next update
} lrd_snapshot_asset;

typedef struct lrd_snapshot_mount
{
	lrd_mount mount;  ///< null: unmounted already
	const char *name; ///< path; "memory", "put"
	uint32_t files;
	uint32_t leases; ///< payloads and reads that go through it
	uint64_t opened; ///< payloads read from it so far
} lrd_snapshot_mount;

typedef struct lrd_snapshot_ticket
{
	lrd_ticket ticket;
	const char *owner;
	lrd_ticket_progress progress;
	uint32_t first_waiting; ///< in `waiting`: what has not arrived
	uint32_t waiting_count;
} lrd_snapshot_ticket;

typedef struct lrd_snapshot_load
{
	lrd_asset asset;
	int32_t priority;
	lrd_state state; ///< LRD_QUEUED or LRD_LOADING
	bool named;      ///< read; waits for what it names
	uint64_t age_us; ///< since it was asked for; only diagnostics
} lrd_snapshot_load;

#define LRD_SNAPSHOT_FREED 48

typedef struct lrd_snapshot_freed
{
	lrd_asset asset;
	uint64_t bytes;
	uint32_t generation;
	bool evicted; ///< by the budget
} lrd_snapshot_freed;

/// What streams textures says of itself; all zero where nothing does. The names are those of lrd_stream_stats and lrd_arbiter_report.
typedef struct lrd_snapshot_stream
{
	uint64_t budget;          ///< bytes of images, in force
	uint64_t accounted_bytes; ///< of images that exist
	uint64_t resident_bytes;  ///< once all transitions are through
	uint64_t tail_bytes;      ///< always resident
	uint64_t demanded_bytes;  ///< if everything were as wanted
	uint64_t missing_bytes;   ///< what textures lack that the budget keeps coarser than wanted
	uint64_t overflow;        ///< what is always resident is above the budget by this
	uint32_t textures;
	uint32_t full;        ///< as fine as wanted
	uint32_t limited;     ///< kept coarser by the budget
	uint32_t transitions; ///< pending
	uint64_t promotions;  ///< done since the beginning
	uint64_t demotions;
	uint64_t failures;
	uint64_t read_bytes; ///< of levels that promotions added, as the GPU has them
} lrd_snapshot_stream;

/// Say what snapshots are to carry as `stream` from now on; NULL: nothing. lrd_stream_update does so each frame; with several streams
/// on one store, or one of the program's own, the last to say it is heard. The store's lock is held for the copy alone. Any thread.
LRD_API void lrd_store_note_stream(lrd_store *store, const lrd_snapshot_stream *figures);

/// Room that the caller owns and keeps: zero it, set the allocator, take as often as you like.
typedef struct lrd_snapshot
{
	lrd_allocator allocator; ///< zeroed: malloc
	lrd_store_stats stats;   ///< the budget of what is parked among them
	lrd_snapshot_stream stream;
	lrd_snapshot_asset *assets;
	uint32_t asset_count;
	lrd_snapshot_mount *mounts;
	uint32_t mount_count;
	lrd_snapshot_ticket *tickets;
	uint32_t ticket_count;
	lrd_asset *waiting;
	uint32_t waiting_count;
	lrd_snapshot_load *loads;
	uint32_t load_count;
	lrd_snapshot_freed freed[LRD_SNAPSHOT_FREED]; ///< the newest last; only diagnostics
	uint32_t freed_count;
	char *strings; ///< what `stem` and `name` lead into
	size_t strings_size;
	size_t capacity[6]; ///< of the arrays; the snapshot's own business
} lrd_snapshot;

/// Copy the store's tables. Once the snapshot has room for them nothing is allocated. The store's lock is held while
/// copying: about a tenth of a microsecond an asset. Any thread; one at a time for one snapshot. Errors: LRD_ERROR_MEMORY, and then
/// the snapshot holds no rows.
LRD_API bool lrd_snapshot_take(const lrd_store *store, lrd_snapshot *snapshot, lrd_error *error);

/// Free its room. Harmless twice.
LRD_API void lrd_snapshot_free(lrd_snapshot *snapshot);

/// Record every public call from now on, with its thread, time and answer, in a text file: docs/formats.md, "Trace".
/// Any thread. Errors: LRD_ERROR_IO, LRD_ERROR_MEMORY, LRD_ERROR_CONFLICT (already recording).
LRD_API bool lrd_trace_begin(lrd_store *store, const char *path, lrd_error *error);

/// Stop, and close the file. False when something could not be written, or nothing was recorded. Any thread.
LRD_API bool lrd_trace_end(lrd_store *store, lrd_error *error);

#endif
