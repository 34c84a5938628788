// larder/replay.h: running a recording of a store's calls again (lrd_store_desc.trace, lrd_trace_begin), so that what went
// wrong with residency in one place can be looked at in another. Cook half: games record, they don't replay.

#ifndef LARDER_REPLAY_H
#define LARDER_REPLAY_H

#include "larder/snapshot.h"

/// An answer that was not the recorded one.
typedef struct lrd_replay_difference
{
	uint32_t line;        ///< of the trace, from 1
	const char *call;     ///< "retain_now"
	const char *recorded; ///< "yes", "failed", "an id" or "-"; lives during the call, as do:
	const char *answered;
	lrd_string stem; ///< of the asset that the call is about; empty when there is none
	/// It may be due to loads that ended sooner or later than they did: whether an asset is ready, failed or newer, and how
	/// much was loaded anew. Of other differences one is a fault, of these many may be none.
	bool timing;
} lrd_replay_difference;

typedef struct lrd_replay_desc
{
	const char *trace; ///< file
	/// A folder of cooked files, or a bundle, that stands for everything that was mounted.
	const char *store;
	/// Each thread goes on as fast as it can. False: calls come one after the other, in the order in which they ended, and
	/// one whose answer shows that a load had ended waits for that load. Then answers must be the same; in a free run they
	/// are not looked at.
	bool free;
	uint32_t times; ///< how often, each time with a new store; 0: once
	/// Not in a free run; on the thread whose call it is. NULL: nobody is told.
	void (*on_difference)(void *user, const lrd_replay_difference *difference);
	void *user;
	lrd_allocator allocator; ///< zeroed: malloc
	lrd_log log;             ///< of the store; zeroed: stderr from warnings up
} lrd_replay_desc;

typedef struct lrd_replay_report
{
	uint32_t threads;
	uint32_t assets; ///< that the trace names
	bool ended;      ///< the recording was ended; false: the program was, before that
	uint64_t calls;  ///< run, of all times; beside them:
	/// Left out: mounting that failed; what hangs on an id that the trace does not explain; forgetting that was refused; in
	/// a free run also giving back what nobody has taken yet.
	uint64_t left_out;
	uint64_t differences;  ///< that can't be due to timing
	uint64_t timing;       ///< that can
	uint32_t leaks;        ///< of the last time: assets that were still referenced when the store closed
	uint64_t recorded_ns;  ///< from the beginning of the recording to its last call
	uint64_t replayed_ns;  ///< all times
	lrd_store_stats stats; ///< of the last time, before the store closed
} lrd_replay_report;

/// Run a trace. False when it could not be run whole; differences are no failure. `report` may be NULL.
/// Threads are made, as many as were recorded; waits for them, and for loads as the recorded program did. Any thread.
/// Errors: LRD_ERROR_FORMAT (no trace, or damaged: the message has the line), LRD_ERROR_NOT_FOUND, LRD_ERROR_IO,
/// LRD_ERROR_MEMORY; those of opening the store.
LRD_API bool lrd_replay_run(const lrd_replay_desc *desc, lrd_replay_report *report, lrd_error *error);

#endif
