// larder/ticket.h: waiting for a set of assets, without a thread that waits: a loading screen, a door that opens when
// the room behind it is there. A ticket retains nothing; hold references (larder/scope.h) as long as you need what it
// waits for.

#ifndef LARDER_TICKET_H
#define LARDER_TICKET_H

#include "larder/store.h"

/// A set of assets that somebody waits for. An asset that is loaded anew (a reload, or another try) has to arrive
/// again, as long as the ticket is not complete; one that is complete has said what it had to say. Zeroed: none. A
/// closed one is stale, and refused.
typedef struct lrd_ticket
{
	uint32_t index;
	uint32_t generation;
} lrd_ticket;

typedef enum lrd_wake
{
	LRD_WAKE_COMPLETE = 0, ///< told once, when everything has arrived
	LRD_WAKE_PROGRESS = 1, ///< told at each update before which something arrived, the last time when everything has
} lrd_wake;

/// How far a ticket is. An asset has arrived when it is ready with everything it names, when it failed, or when its
/// load was cancelled because nobody held it any more: broken assets hang nobody.
typedef struct lrd_ticket_progress
{
	uint32_t required;
	uint32_t arrived;   ///< all of them, of which:
	uint32_t failed;    ///< could not be loaded
	uint32_t cancelled; ///< nobody held a reference any more, or the asset was forgotten
	/// Sizes of the files of the required assets and of all that those name, each asset once, as far as they are known:
	/// what a model or a material names is known when it has been read, so the total may grow. What no mount knows is
	/// 0.
	uint64_t bytes_total;
	/// Of those that arrived, what others name counting by itself; never more than bytes_total, and all of it when the
	/// ticket is complete. What is named by very many may lag behind by a 256th of it while loads keep ending.
	uint64_t bytes_done;
	bool sealed;
	bool complete; ///< sealed, and everything has arrived
} lrd_ticket_progress;

typedef struct lrd_ticket_event
{
	lrd_ticket ticket;
	lrd_ticket_progress progress;
	/// Since the last event, in the order in which they arrived; without what was forgotten or is being loaded anew.
	/// Lives during the call.
	const lrd_asset *arrived;
	uint32_t arrived_count;
} lrd_ticket_event;

typedef struct lrd_ticket_desc
{
	lrd_wake wake;
	/// In lrd_store_update, on the owner; may call the store, and close the ticket. NULL: ask lrd_ticket_get.
	void (*on_event)(void *user, const lrd_ticket_event *event);
	void *user;
	const char *owner; ///< for snapshots: a string that outlives the store; or NULL
} lrd_ticket_desc;

/// A new ticket, not sealed: it answers nobody yet. The null ticket on failure. `desc` may be NULL. Any thread.
/// Errors: LRD_ERROR_MEMORY, LRD_ERROR_LIMIT.
LRD_API lrd_ticket lrd_ticket_open(lrd_store *store, const lrd_ticket_desc *desc, lrd_error *error);

/// Wait for this asset, too; one that is required already is not counted twice. Not after sealing. Any thread.
/// Errors: LRD_ERROR_ARGUMENT (a stale ticket or asset, a sealed ticket), LRD_ERROR_MEMORY.
LRD_API bool lrd_ticket_require(lrd_store *store, lrd_ticket ticket, lrd_asset asset, lrd_error *error);

/// That is all: from the next update on it may answer. A ticket without requirements is complete. False for a stale or
/// sealed one. Any thread.
LRD_API bool lrd_ticket_seal(lrd_store *store, lrd_ticket ticket);

/// How far it is, as of the last lrd_store_update; `required` and `sealed` as they are now. False for a stale ticket;
/// `progress` is then untouched. Any thread.
LRD_API bool lrd_ticket_get(const lrd_store *store, lrd_ticket ticket, lrd_ticket_progress *progress);

/// The `index`-th requirement, in the order they were made: which asset, and whether it has arrived. False past the
/// end.
LRD_API bool lrd_ticket_at(const lrd_store *store, lrd_ticket ticket, uint32_t index, lrd_asset *asset, bool *arrived);

/// Return when everything has arrived, helping with what no worker has begun, and delivering nothing: the next update
/// does. False: a stale or unsealed ticket, one that is closed meanwhile, or a requirement that is not on its way,
/// since nobody holds a reference to it: it could wait for ever. Any thread.
LRD_API bool lrd_ticket_wait(lrd_store *store, lrd_ticket ticket);

/// Done with it: on the owner nothing is told any more once this returns; elsewhere a call that has begun may still be
/// running. False for a stale one. Any thread.
LRD_API bool lrd_ticket_close(lrd_store *store, lrd_ticket ticket);

#endif
