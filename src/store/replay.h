// store/replay.h: what the two halves of a replay share: replay.c runs a trace, replay_calls.c runs one call of it.

#ifndef STORE_REPLAY_H
#define STORE_REPLAY_H

#include "larder/replay.h"
#include "os/os.h"
#include "store/trace_read.h"

/// An id of the replay's store, as one word: index, and generation above it. 0: not known yet.
typedef _Atomic uint64_t lrd_replay_id;

/// What a recorded asset is in the replay.
typedef struct lrd_replay_asset
{
	lrd_replay_id id;
	// In a free run, what is given back before it was taken is owed until all threads have ended.
	_Atomic int64_t references;
	_Atomic int64_t pins;
	_Atomic uint32_t owed_references;
	_Atomic uint32_t owed_pins;
} lrd_replay_asset;

typedef struct lrd_replay
{
	const lrd_replay_desc *desc;
	lrd_allocator allocator;
	lrd_recording recording;
	bool is_folder; ///< desc->store
	lrd_store *store;
	lrd_replay_asset *assets;
	lrd_replay_id *mounts;
	lrd_replay_id *tickets;
	lrd_replay_id *listeners;
	_Atomic uint64_t calls;
	_Atomic uint64_t left_out;
	_Atomic uint64_t differences;
	_Atomic uint64_t timing;

	uint32_t *order;       ///< calls, those of a thread together
	size_t *first_of;      ///< where a thread's begin in `order`; one more than there are threads
	lrd_mutex mutex;       ///< guards what follows
	lrd_condition *awaits; ///< a thread's turn
	size_t turn;           ///< the call that may run now
	bool stopped;
} lrd_replay;

/// Run a call, count it, and hold its answers against the recorded ones. Not store_close.
void lrd_replay_call(lrd_replay *self, const lrd_recorded_call *call);
/// Hold an answer to store_close against the recorded one.
void lrd_replay_closed(lrd_replay *self, const lrd_recorded_call *call, uint32_t leaks);
/// Mount what stands for everything that was mounted.
bool lrd_replay_mount(lrd_replay *self, uint32_t slot, lrd_error *error);
/// The asset in the replay's store, found when it was not yet.
lrd_asset lrd_replay_asset_of(lrd_replay *self, uint32_t slot);
/// Give back what is owed.
void lrd_replay_settle(lrd_replay *self);
/// What was so at the start. False: the store refused what it must not.
bool lrd_replay_start(lrd_replay *self, lrd_error *error);

#endif
