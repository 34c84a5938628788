// store/store.h: the store from inside: records, payloads, requests, and who calls whom. Not for other rooms.
//
// One mutex, `store->lock`, guards every table. Under it only table work is done (and the allocator is called); what must be done
// without it (freeing payloads, submitting jobs) is gathered in an lrd_aftermath and done by lrd_store_leave.
// A record's `word` (count and state) and `payload` are read without the lock, and the count is changed without it as long
// as it neither comes from nor reaches zero; so even under the lock the word is changed by atomic steps.
//
//   record.c     identities: the table, names, finding, forgetting          reference.c  retain, release, pins, the fast path
//   load.c       requests: queueing, running, settling                      payload.c    making and freeing payloads
//   queue.c      which request is next                                      park.c       what nobody holds, and the budget
//   reload.c     change: reload, renew, unload_all, elders                  event.c      listeners
//   mount*.c     where bytes come from                                      kinds.c, kind_*.c   what a payload is
//   ticket.c     tickets          scope.c, hold.c                           stats.c, snapshot.c, trace.c

#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/memory.h"
#include "larder/payload.h"
#include "larder/scope.h"
#include "larder/snapshot.h"
#include "larder/store.h"
#include "larder/ticket.h"
#include "os/os.h"
#include "store/kinds.h"
#include "store/mount.h"

// --- Records ---

#define LRD_RECORDS_PER_CHUNK 1024u
#define LRD_CHUNKS_MAX 8192u // 8 M assets
#define LRD_NONE 0xffffffffu // no record
#define LRD_OWNERS_MAX 1024u // owners that are told apart; those who come after them are unknown

/// The word: references that users hold in the low half, then state and flags. What payloads and pins hold is counted
/// apart, under the lock.
#define LRD_WORD_REFERENCES 0xffffffffull
#define LRD_WORD_STATE_SHIFT 32
#define LRD_WORD_STATE (7ull << LRD_WORD_STATE_SHIFT)
#define LRD_WORD_ELDERS (1ull << 35) ///< older payloads live: every release must look
#define LRD_WORD_REFERENCES_MAX 0xfffffff0u

typedef struct lrd_payload lrd_payload;
typedef struct lrd_request lrd_request;
typedef struct lrd_waiter lrd_waiter;

/// An asset's row, a cache line: two threads on different assets share none.
typedef struct lrd_record
{
	_Alignas(64) _Atomic uint64_t word;
	lrd_payload *_Atomic payload; ///< the newest ready one; NULL: none
	const char *stem;             ///< null-terminated, as first asked for; NULL: the record is free
	lrd_request *request;         ///< the load on its way; NULL: none
	lrd_waiter *waiters;          ///< tickets and payloads that want to know when it settles
	_Atomic uint32_t generation;  ///< of the id
	uint32_t hash;                ///< of stem and kind: what the index compares first
	uint16_t stem_size;
	_Atomic uint8_t kind; ///< atomic, since an id may be forgotten while it is asked for its kind
	uint8_t events; ///< lrd_event_flag since the last update, and one of event.c's; not 0: it is in the list of changes
	uint32_t newer; ///< neighbours among the parked; `newer` also links free records
	uint32_t older;
	uint32_t inner; ///< references that payloads hold
} lrd_record;
_Static_assert(sizeof(lrd_record) == 64, "a record is a cache line");

/// What is seldom looked at.
typedef struct lrd_record_rest
{
	struct lrd_failure *failure; ///< why the last load failed; NULL: it did not
	lrd_payload *elders;         ///< payloads that newer ones replaced and that may still be read, the newest first
	uint16_t pins;
	_Atomic uint16_t owner;    ///< who asked last: index in store->owners; 0: unknown
	uint32_t receipt;          ///< counts reloads: a load that began under another value is worthless
	_Atomic uint32_t payloads; ///< how many there have been: the generation of the newest
	uint32_t absent_epoch;     ///< the mounts' epoch in which no mount knew the name; 0: not known to be absent
	uint32_t changed_next;     ///< the list of changes
	uint32_t mark;             ///< the last walk that came by (ticket bytes)
} lrd_record_rest;
_Static_assert(sizeof(lrd_record) + sizeof(lrd_record_rest) + 18 < 128, "with at most 18 bytes of the index");

typedef struct lrd_chunk
{
	lrd_record records[LRD_RECORDS_PER_CHUNK];
	lrd_record_rest rests[LRD_RECORDS_PER_CHUNK];
	void *block; ///< what was allocated: the records begin at its first multiple of 64
} lrd_chunk;

/// A message that is kept.
typedef struct lrd_failure
{
	lrd_error_code code;
	uint32_t size; ///< of this allocation; 0: one of the constants that serve when memory is out
	const char *message;
} lrd_failure;

/// A slot of the index: open addressing, linear probing.
typedef struct lrd_index_slot
{
	uint32_t hash;
	uint32_t record; ///< + 1; 0: empty
} lrd_index_slot;

// --- Payloads ---

/// A block of memory that lives as long as a payload.
typedef struct lrd_payload_block
{
	struct lrd_payload_block *next;
	size_t size; ///< of the allocation
	_Alignas(16) unsigned char data[];
} lrd_payload_block;

/// Someone who wants to know when a record settles: a ticket, or a load that needs it. Doubly linked in the record.
struct lrd_waiter
{
	lrd_waiter *next;
	lrd_waiter **link;                   ///< what points here; NULL: in no list
	lrd_request *request;                ///< a load that needs it; or NULL, and then:
	struct lrd_requirement *requirement; ///< of a ticket
};

/// An asset that a payload names and holds.
typedef struct lrd_dependency
{
	lrd_asset asset;
	lrd_waiter waiter; ///< while the payload waits for it
} lrd_dependency;

/// A loaded asset.
struct lrd_payload
{
	const lrd_kind_row *row;
	lrd_content content; ///< the file's bytes, and what keeps them
	uint64_t charged;    ///< bytes it counts for: owned allocations and mapped length
	uint64_t owned;      ///< of those, allocated
	lrd_payload_block *blocks;
	lrd_dependency *dependencies; ///< of `dependency_capacity`
	size_t dependency_count;
	size_t dependency_capacity;
	bool holding;        ///< references its dependencies now: it is held, or on its way; parked ones let go
	uint32_t record;     ///< whose it is
	uint32_t generation; ///< rest->payloads when it became the newest
	uint32_t stale;      ///< in the newest of the elders: how many references may read it or older ones, from above
	uint32_t replaced;   ///< of an elder: rest->payloads when it became one; references that have seen less are counted
	lrd_payload *elder;  ///< the next older one that lives; also links what is to be freed
	bool evicted;        ///< freed for the budget
	uint32_t queued_us, read_us, decode_us, named_us, hand_over_us; ///< filled in with LRD_DIAGNOSTICS
	uint64_t ready_ns;
	lrd_payload *fresh_next, **fresh_link; ///< ready since the last update; with LRD_DIAGNOSTICS
	_Alignas(16) unsigned char view[];     ///< row->view_size bytes: lrd_model, lrd_mesh, …
};

// --- Requests ---

typedef enum lrd_request_phase
{
	LRD_REQUEST_QUEUED,
	LRD_REQUEST_RUNNING, ///< a thread reads or decodes it
	LRD_REQUEST_NAMED,   ///< decoded; waits for what it names
} lrd_request_phase;

/// A load: from being asked for to its end.
struct lrd_request
{
	lrd_request *child, *sibling, **link; ///< pairing heap (queue.c)
	uint64_t order;                       ///< what the heap goes by: the least is next
	uint64_t asked;                       ///< how many requests came before
	uint64_t asked_ns;
	uint64_t begun_ns;
	uint64_t read_ns; ///< how long reading and inflating took
	uint64_t decode_ns;
	uint64_t decoded_ns; ///< when it was decoded
	uint64_t io_bytes;
	lrd_payload *payload; ///< in LRD_REQUEST_NAMED
	uint32_t record;
	uint32_t receipt;  ///< the record's when running began
	lrd_origin origin; ///< while it runs
	bool absent;       ///< no mount knows the name, in this epoch:
	uint32_t epoch;
	bool abandoned;   ///< it runs for nobody: its result is discarded, unless it is asked for again
	bool touch;       ///< its file changed: the next run has folders look at it
	bool touching;    ///< this run does
	uint32_t pending; ///< dependencies that have not settled
	int32_t priority;
	lrd_request_phase phase;
	lrd_request *all_next, **all_link; ///< every request there is, for snapshots and closing
};

/// Which request is next (queue.c). Zeroed: empty.
typedef struct lrd_queue
{
	lrd_request *root;
	uint32_t count;
} lrd_queue;

/// How many requests that came later one step of priority is worth: a request that waited for so many rises by one.
#define LRD_PRIORITY_STEP 64
#define LRD_PRIORITY_MAX 100

void lrd_queue_push(lrd_queue *queue, lrd_request *request); ///< by request->order
lrd_request *lrd_queue_pop(lrd_queue *queue);                ///< NULL: empty
void lrd_queue_remove(lrd_queue *queue, lrd_request *request);
uint64_t lrd_queue_order(uint64_t asked, int32_t priority);

/// A worker of the store's: a job that runs requests until there are none or its time is up.
typedef struct lrd_pump
{
	lrd_job job; ///< first: the pump is found through it
	struct lrd_store *store;
	bool active; ///< submitted, or about to be
	struct lrd_pump *next;
} lrd_pump;

// --- The store ---

/// Why lrd_store_update has something to do.
enum
{
	LRD_ATTENTION_TICKETS = 1 << 0, ///< tickets in the mailbox
	LRD_ATTENTION_EVENTS = 1 << 1,  ///< records in the list of changes
	LRD_ATTENTION_JOBS = 1 << 2,    ///< a scheduler refused
	LRD_ATTENTION_WATCH = 1 << 3,   ///< files changed
	LRD_ATTENTION_LIMBO = 1 << 4,   ///< payloads that the owner may have read in this frame
	LRD_ATTENTION_FRESH = 1 << 5,   ///< payloads became ready; with LRD_DIAGNOSTICS
	LRD_ATTENTION_UNSAID = 1 << 6,  ///< failures that the log has not
};

/// Failures that are logged one by one in a second; the others as a number.
#define LRD_FAILURES_SAID 100u

/// What the log has of failures.
typedef struct lrd_failure_log
{
	uint64_t since_ns; ///< when its second began
	uint32_t said;     ///< in it
	uint64_t unsaid;   ///< since the last number
} lrd_failure_log;

typedef struct lrd_park
{
	uint32_t oldest, newest; ///< records; LRD_NONE
	uint32_t count;
	uint64_t bytes;
	uint64_t keep;
} lrd_park;

struct lrd_store
{
	lrd_allocator allocator;
	lrd_log log;
	lrd_jobs jobs;
	lrd_job_pool *own_pool; ///< NULL: the engine's jobs
	uintptr_t owner;        ///< lrd_thread_self of the thread that opened it

	_Atomic uint32_t attention;         ///< LRD_ATTENTION_…
	_Atomic uint64_t refused;           ///< programmer's errors
	_Atomic uint32_t record_count;      ///< records ever made: indices below this are in chunks
	lrd_chunk *_Atomic *chunks;         ///< LRD_CHUNKS_MAX
	struct lrd_trace *_Atomic trace;    ///< where calls are recorded; NULL: nowhere
	struct lrd_trace *_Atomic recorder; ///< the same, once there was one

	lrd_mutex lock;        ///< guards all below
	lrd_condition settled; ///< something settled, and somebody waits in a _now or _wait
	lrd_condition idle;    ///< no pump and no thread runs a request
	uint32_t settle_waiters;
	uint32_t running; ///< requests in LRD_REQUEST_RUNNING
	bool updating;    ///< in lrd_store_update, callbacks may be running
	bool closing;
	bool jobs_refused;     ///< no more is submitted until the next update
	bool quiet;            ///< programmer's errors never assert
	uint32_t texture_tail; ///< lrd_store_desc.texture_tail

	lrd_index_slot *index; ///< 1 << index_bits
	uint32_t index_bits;
	uint32_t index_used;
	uint32_t free_record; ///< LRD_NONE
	uint32_t mark;        ///< last walk

	lrd_mounts mounts;
	lrd_queue queue;
	lrd_request *requests;
	uint64_t asked;
	lrd_pump *pumps; ///< pump_count
	uint32_t pump_count;
	uint32_t pumps_active;
	lrd_park park;
	lrd_payload *limbo; ///< replaced, and to be freed at the next update: read, if at all, through what names them
	const char **_Atomic owners; ///< LRD_OWNERS_MAX, read without the lock; [0] is NULL. NULL: nobody said who asks
	uint32_t owner_count;        ///< of those
	uint32_t changed_first;      ///< records with events; LRD_NONE
	uint32_t changed_last;

	struct lrd_ticket_table *tickets;
	struct lrd_listener_table *listeners;
	lrd_store_stats stats; ///< counters, and sums that are kept as they change; the rest is filled in when asked for
	lrd_snapshot_stream stream;                   ///< lrd_store_note_stream
	lrd_snapshot_freed freed[LRD_SNAPSHOT_FREED]; ///< a ring; with LRD_DIAGNOSTICS
	uint64_t freed_total;
	lrd_payload *fresh;      ///< ready since the last update; with LRD_DIAGNOSTICS
	struct lrd_watch *watch; ///< watch.c; NULL: nothing is watched
	lrd_failure_log failure_log;
};

static inline lrd_chunk *lrd_chunk_at(const lrd_store *store, uint32_t record)
{
	return atomic_load_explicit(&store->chunks[record / LRD_RECORDS_PER_CHUNK], memory_order_acquire);
}
/// `record` is below record_count.
static inline lrd_record *lrd_record_at(const lrd_store *store, uint32_t record)
{
	return &lrd_chunk_at(store, record)->records[record % LRD_RECORDS_PER_CHUNK];
}
static inline lrd_record_rest *lrd_rest_at(const lrd_store *store, uint32_t record)
{
	return &lrd_chunk_at(store, record)->rests[record % LRD_RECORDS_PER_CHUNK];
}
/// The record of a valid id, or NULL. Needs no lock.
lrd_record *lrd_record_of(const lrd_store *store, lrd_asset asset);
static inline lrd_asset lrd_record_id(const lrd_store *store, uint32_t record)
{
	return (lrd_asset){ record, atomic_load_explicit(&lrd_record_at(store, record)->generation, memory_order_relaxed) };
}
static inline lrd_string lrd_record_stem(const lrd_record *record)
{
	return (lrd_string){ record->stem, record->stem_size };
}
static inline lrd_state lrd_word_state(uint64_t word)
{
	return (lrd_state)((word & LRD_WORD_STATE) >> LRD_WORD_STATE_SHIFT);
}
static inline uint32_t lrd_word_references(uint64_t word)
{
	return (uint32_t)(word & LRD_WORD_REFERENCES);
}
static inline uint64_t lrd_record_word(const lrd_record *record)
{
	return atomic_load_explicit(&record->word, memory_order_acquire);
}
static inline lrd_payload *lrd_record_payload(const lrd_record *record)
{
	return atomic_load_explicit(&record->payload, memory_order_acquire);
}
/// Under the lock. Flags and count stay.
void lrd_record_set_state(lrd_store *store, lrd_record *record, lrd_state state);

/// Nothing is in flight any more and something came of it, or never will.
static inline bool lrd_state_is_settled(lrd_state state)
{
	return state == LRD_READY || state == LRD_FAILED;
}

// --- Entering and leaving ---

/// What is to be done when the lock has been let go.
typedef struct lrd_aftermath
{
	lrd_payload *doomed; ///< to be freed, linked by `elder`
	lrd_pump *pumps;     ///< to be submitted, linked by `next`
} lrd_aftermath;

/// The lock of a store that is only looked at: it is no part of what is promised not to change.
static inline lrd_mutex *lrd_store_lock(const lrd_store *store)
{
	return &((lrd_store *)(uintptr_t)store)->lock;
}
void lrd_store_enter(lrd_store *store);
/// Unlock, then do what `aftermath` says. Requests that need workers get them here.
void lrd_store_leave(lrd_store *store, lrd_aftermath *aftermath);

/// Count a programmer's error; asserts in debug builds unless the build says otherwise. Returns false.
bool lrd_store_refuse(const lrd_store *store, const char *what);
/// The same for an id that is not valid. The null asset is what a find that failed gave, which was told: it is no error of
/// this call's.
bool lrd_store_refuse_asset(const lrd_store *store, lrd_asset asset, const char *what);

// --- Between the files. All under the lock, unless they say otherwise. ---

/// record.c. lrd_asset_find_string, unrecorded. Not under the lock.
lrd_asset lrd_record_asset(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_error *error);
/// The record of (kind, stem) that exists, or LRD_NONE.
uint32_t lrd_record_lookup(const lrd_store *store, lrd_kind kind, lrd_string stem);
bool lrd_records_init(lrd_store *store, uint32_t reserve, lrd_error *error);
void lrd_records_free(lrd_store *store);

/// Who holds a reference.
typedef enum lrd_holder
{
	LRD_HOLDER_USER,
	LRD_HOLDER_PAYLOAD,
	LRD_HOLDER_PIN,
} lrd_holder;

/// reference.c. Add a reference and do what that asks for; false: memory or the limit, and nothing changed.
bool lrd_reference_add(
	lrd_store *store, uint32_t record, lrd_holder holder, int32_t priority, lrd_aftermath *aftermath);
/// Take one away that is there.
void lrd_reference_drop(lrd_store *store, uint32_t record, lrd_holder holder, lrd_aftermath *aftermath);
/// Anybody holds it.
static inline bool lrd_record_held(const lrd_store *store, uint32_t record)
{
	const lrd_record *at = lrd_record_at(store, record);
	return lrd_word_references(lrd_record_word(at)) != 0 || at->inner != 0 || lrd_rest_at(store, record)->pins != 0;
}
/// Who asked last; NULL: unknown. Needs no lock.
static inline const char *lrd_record_owner(const lrd_store *store, uint32_t record)
{
	const char **owners = atomic_load_explicit(&store->owners, memory_order_acquire);
	return owners != NULL ? owners[atomic_load_explicit(&lrd_rest_at(store, record)->owner, memory_order_acquire)]
						  : NULL;
}

/// load.c. Queue a load for a record that has no request, and set its state; false: memory, and nothing changed.
bool lrd_load_queue(lrd_store *store, uint32_t record, int32_t priority);
/// Raise the priority of a request and of what it waits for; also: it is wanted again.
void lrd_load_hurry(lrd_store *store, lrd_request *request, int32_t priority);
/// Nobody wants it: it is gone, unless it is running: then its result will be discarded, and this says true.
bool lrd_load_drop(lrd_store *store, lrd_request *request, lrd_aftermath *aftermath);
/// What it began with is not valid any more: back to the queue, unless it is running, and sees for itself when it ends.
void lrd_load_restart(lrd_store *store, lrd_request *request, lrd_aftermath *aftermath);
/// Take the next request, or this one, out of the queue to run it, and find its file in the mounts; NULL: there is none.
lrd_request *lrd_load_take(lrd_store *store, lrd_request *request);
/// Read, decode and settle a request that was taken. Not under the lock.
void lrd_load_run(lrd_store *store, lrd_request *request);
/// The same, and take the next one in one go, unless the clock is past `until_ns`; NULL: it is, or there is none.
lrd_request *lrd_load_run_on(lrd_store *store, lrd_request *request, uint64_t until_ns);
/// Do a part of what a record's request still needs, if it has one; the lock is let go meanwhile. False: others are at all
/// of it, and the lock was held.
bool lrd_load_help(lrd_store *store, uint32_t record, lrd_aftermath *aftermath);
/// Return when anything settled. The lock is let go meanwhile.
void lrd_load_await(lrd_store *store);
/// Return when the record is no longer on its way, helping. The lock is let go meanwhile.
void lrd_load_wait(lrd_store *store, uint32_t record, lrd_aftermath *aftermath);
/// How an asset's wait ended, for those who wait for it.
typedef enum lrd_outcome
{
	LRD_OUTCOME_READY,
	LRD_OUTCOME_FAILED,
	LRD_OUTCOME_CANCELLED,
} lrd_outcome;
/// Tell everyone who waits for the record.
void lrd_settle(lrd_store *store, uint32_t record, lrd_outcome outcome, lrd_aftermath *aftermath);

/// lrd_asset_error, unrecorded. Not under the lock.
bool lrd_load_error(const lrd_store *store, lrd_asset asset, lrd_error *error);

void lrd_waiter_link(lrd_record *record, lrd_waiter *waiter);
void lrd_waiter_unlink(lrd_waiter *waiter); ///< harmless twice

/// payload.c. Not under the lock: make a payload of the file that a running request found; NULL and an error. What it
/// names is not held yet. Times and bytes go into the request.
lrd_payload *lrd_payload_make(lrd_store *store, lrd_request *request, lrd_error *error);
/// Not under the lock. Dependencies have been let go.
void lrd_payload_free(lrd_store *store, lrd_payload *payload);
/// Hold, or let go of, what it names. Holding: false: memory, and then it holds nothing.
bool lrd_payload_hold(lrd_store *store, lrd_payload *payload, int32_t priority, lrd_aftermath *aftermath);
void lrd_payload_let_go(lrd_store *store, lrd_payload *payload, lrd_aftermath *aftermath);
/// None of what it names was forgotten since it was decoded. Ids of what it holds stay valid.
bool lrd_payload_names_are_valid(const lrd_store *store, const lrd_payload *payload);
/// Of a parked payload: all that it names is there, down to what that names, so that it can be held again at once.
bool lrd_payload_is_whole(const lrd_store *store, const lrd_payload *payload);
/// Let go of what it names and have it freed; sums are adjusted.
void lrd_payload_doom(lrd_store *store, lrd_payload *payload, lrd_aftermath *aftermath);
/// It is the newest now: it counts in the sums.
void lrd_payload_account(lrd_store *store, const lrd_payload *payload);
/// A payload's size changed (mips): sums, and the budget at once.
void lrd_payload_recharge(lrd_store *store, lrd_payload *payload, uint64_t charged, lrd_aftermath *aftermath);

/// park.c. A ready record that lost its last reference: its payload is parked or freed.
void lrd_park_add(lrd_store *store, uint32_t record, lrd_aftermath *aftermath);
/// It is wanted again, or its payload goes for another reason.
void lrd_park_remove(lrd_store *store, uint32_t record);
bool lrd_park_has(const lrd_store *store, uint32_t record);
/// Free a parked payload; its record is absent then.
void lrd_park_evict(lrd_store *store, uint32_t record, lrd_aftermath *aftermath);
/// Evict until the budget is kept.
void lrd_park_trim(lrd_store *store, lrd_aftermath *aftermath);

/// reload.c. lrd_asset_renew, unrecorded. Not under the lock.
bool lrd_reload_renew(lrd_store *store, lrd_asset asset, uint32_t *seen);
/// Load a record anew, whatever it is doing; true when a load was put in train.
bool lrd_reload_record(lrd_store *store, uint32_t record, lrd_aftermath *aftermath);
/// The same for every record of the kind's family at the stem.
uint32_t lrd_reload_family(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_aftermath *aftermath);
/// lrd_store_changed, unrecorded. Not under the lock.
uint32_t lrd_reload_changed(lrd_store *store, lrd_kind kind, lrd_string stem);
/// A new payload takes the place of the one there is.
void lrd_reload_swap(lrd_store *store, uint32_t record, lrd_payload *payload, lrd_aftermath *aftermath);
/// The newest payload is withdrawn: it lives on as an elder while it may be read, else it is doomed. State is the caller's business.
void lrd_reload_withdraw(lrd_store *store, uint32_t record, lrd_aftermath *aftermath);
/// In lrd_store_update: the frame in which the owner may have read them is over.
void lrd_reload_clear_limbo(lrd_store *store, lrd_aftermath *aftermath);
/// References went: elders that nobody can read any more are doomed.
void lrd_elders_trim(lrd_store *store, uint32_t record, lrd_aftermath *aftermath);

/// event.c. Note an lrd_event_flag for the next update.
void lrd_event_note(lrd_store *store, uint32_t record, uint32_t flags);
/// Its record is forgotten: nothing is told of it. It stays in the list of changes: `events` and `changed_next` are kept.
void lrd_event_forget(lrd_store *store, uint32_t record);
/// Not under the lock; in lrd_store_update.
void lrd_events_deliver(lrd_store *store);
void lrd_events_free(lrd_store *store);

/// ticket.c. A requirement's asset settled, or is being loaded anew.
void lrd_ticket_arrived(lrd_store *store, struct lrd_requirement *requirement, lrd_outcome outcome);
void lrd_ticket_rearm(lrd_store *store, struct lrd_requirement *requirement);
/// Its record is forgotten: the requirement is cancelled, and its waiter taken out of the record's list.
void lrd_ticket_forget(lrd_store *store, struct lrd_requirement *requirement);
/// Not under the lock; in lrd_store_update.
void lrd_tickets_deliver(lrd_store *store);
void lrd_tickets_free(lrd_store *store);

/// failure.c. Keep a message; never NULL: when memory is out a constant serves.
lrd_failure *lrd_failure_make(lrd_store *store, const lrd_error *error);
void lrd_failure_free(lrd_store *store, lrd_failure *failure); ///< NULL is allowed
void lrd_failure_get(const lrd_failure *failure, lrd_error *error);
/// A failure at this time, which does not go back: whether it is logged. `unsaid`: how many before it were not, which is to be logged
/// first (lrd_failures_say); 0: none.
bool lrd_failure_note(lrd_failure_log *self, uint64_t now_ns, uint64_t *unsaid);
/// 0 is none. Without the lock.
void lrd_failures_say(const lrd_store *store, uint64_t unsaid);
/// Say how many were not logged, if their second is over, or in any case.
void lrd_failures_sum_up(lrd_store *store, bool in_any_case);

#endif
