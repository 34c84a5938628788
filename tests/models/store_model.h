// tests/models/store_model.h: an abstract store: what src/store does to records, payloads, requests and tickets, step by
// step, small enough that every order of steps can be tried. A step is one access to what is read without the lock, or one
// section under the lock, in the middle of which others may take steps of the first sort (model_pause).
//
// Three threads run short programs; thread 0 is the owner. Workers run loads. Names: M, which may name T; T; and U, which
// comes into the place of a forgotten one.

#ifndef MODELS_STORE_MODEL_H
#define MODELS_STORE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
	NAME_M,
	NAME_T,
	NAME_U,
	NAMES,
	RECORDS = 3,
	PAYLOADS = 8,
	THREADS = 3,
	WORKERS = 2,
	ACTORS = THREADS + WORKERS,
	TICKETS = 2,
	REQUIREMENTS = 2,
	NONE = 0xff,
};

typedef enum model_record_state
{
	STATE_ABSENT,
	STATE_QUEUED,
	STATE_LOADING,
	STATE_READY,
	STATE_FAILED,
	STATE_RELOAD_PENDING,
} model_record_state;

typedef enum model_phase
{
	PHASE_NONE, ///< no request
	PHASE_QUEUED,
	PHASE_RUNNING,
	PHASE_NAMED,
} model_phase;

typedef enum model_outcome
{
	OUTCOME_READY,
	OUTCOME_FAILED,
	OUTCOME_CANCELLED,
} model_outcome;

typedef enum model_holder
{
	HOLDER_USER,
	HOLDER_PAYLOAD,
	HOLDER_PIN,
} model_holder;

// Everything below is made of bytes, so that two equal states are equal memory.

typedef struct model_record
{
	uint8_t references, state, elders_flag; ///< the word
	uint8_t payload;                        ///< + 1
	uint8_t generation;                     ///< odd: in use
	uint8_t payloads;                       ///< how many there have been
	// Under the lock:
	uint8_t name; ///< + 1; 0: free
	uint8_t pins, inner, receipt;
	uint8_t elders; ///< + 1: the newest
	uint8_t known_absent;
	uint8_t waiters; ///< bits: requirements of tickets, then requests by their record
	uint8_t phase;   ///< of its request
	uint8_t began;   ///< receipt when it began to run
	uint8_t abandoned, pending, broken;
	uint8_t decoded; ///< + 1: in PHASE_NAMED
	// Only the laws look at these:
	uint8_t required;    ///< the content that may become visible, at the least
	uint8_t withdrawing; ///< the payload is gone, and the state is about to say so
} model_record;

typedef struct model_payload
{
	uint8_t alive;
	uint8_t record;
	uint8_t version; ///< of the content
	uint8_t number;  ///< payloads when it became the newest
	uint8_t names;   ///< record + 1
	uint8_t names_generation;
	uint8_t holding, broken;
	uint8_t elder; ///< + 1: the next older one
	uint8_t stale, replaced;
	uint8_t limbo;
} model_payload;

typedef struct model_ticket
{
	uint8_t open, generation, sealed, complete;
	uint8_t required; ///< count
	uint8_t record[REQUIREMENTS], record_generation[REQUIREMENTS];
	uint8_t arrived, cancelled, failed; ///< bits
	uint8_t linked;                     ///< bits: it is in the record's list
	uint8_t mail;                       ///< 0: not in the mailbox; 1: due; 2: for the next update
	uint8_t promised;                   ///< bits, for the laws: something was on its way
} model_ticket;

/// A load that somebody runs.
typedef struct model_run
{
	uint8_t stage;
	uint8_t record;
	uint8_t payload; ///< + 1
	uint8_t version, bad, absent, epoch, lease;
} model_run;

enum
{
	STAGE_IDLE,
	STAGE_SUBMITTING, ///< workers: about to be handed to the scheduler
	STAGE_LOOP,       ///< workers: take the next
	STAGE_LOOK_UP,    ///< once more
	STAGE_DECODE,
	STAGE_END,
};

/// One reference of a thread's to one asset.
typedef struct model_reference
{
	uint8_t held;
	uint8_t seen;
	uint8_t got;   ///< bits: payloads that were got through it and may be read
	uint8_t wants; ///< for the laws: nothing cancelled what it asked for
} model_reference;

typedef struct model_actor
{
	uint8_t at; ///< in its program
	uint8_t micro;
	uint8_t references, state, flag; ///< the word as it was loaded
	uint8_t stray;                   ///< record + 1: counted, and not yet known to be right
	uint8_t sleeping;
	uint8_t through; ///< bits: payloads read through what names them
	uint8_t attention;
	uint8_t ticket, ticket_generation;
	uint8_t index[NAMES], generation[NAMES]; ///< ids as it knows them
	model_reference refs[NAMES];
	model_reference pins[NAMES];
	model_run run;
} model_actor;

typedef struct model_state
{
	model_record records[RECORDS];
	model_payload payloads[PAYLOADS];
	model_ticket tickets[TICKETS];
	model_actor actors[ACTORS];
	uint8_t record_count;
	uint8_t park[RECORDS], park_count; ///< records, the oldest first
	uint8_t keep;
	uint8_t version[NAMES], bad[NAMES], absent[NAMES]; ///< content
	uint8_t unmounted, leases, closed;
	uint8_t attention, jobs_refused, refusals;
} model_state;

enum
{
	ATTENTION_JOBS = 1,
	ATTENTION_LIMBO = 2,
	ATTENTION_TICKETS = 4,
};

/// A step of a program: what, and with which name or number.
typedef struct model_op
{
	char what;
	uint8_t with;
} model_op;

typedef struct model_program
{
	model_op ops[16];
	uint8_t count;
} model_program;

enum
{
	NAMES_NOTHING,
	NAMES_T,
	NAMES_T_BEFORE, ///< T has the first record: what goes through all records comes to it before M
};

typedef struct model_scenario
{
	const char *setup[THREADS]; ///< done first, one after the other
	const char *programs[THREADS];
	uint8_t names; ///< what M names
	uint8_t workers, keep, refusals;
} model_scenario;

/// A way to break the store. The model must notice each.
typedef enum model_mutation
{
	MUTATION_NONE,
#define MUTATION(name) MUTATION_##name,
#include "store_mutations.h"
#undef MUTATION
	MUTATIONS,
} model_mutation;

#define CHOICES_MAX 64

/// Which way was taken where there are several: counted up to go through all of them.
typedef struct model_choices
{
	uint8_t taken[CHOICES_MAX], of[CHOICES_MAX];
	uint8_t count; ///< choices there were
	uint8_t next;
} model_choices;

typedef struct seen_states seen_states;

typedef struct model
{
	model_state s;
	model_program programs[THREADS];
	bool names;
	uint8_t workers;
	model_mutation mutation;
	model_choices *choices; ///< NULL: always the first way
	uint8_t holder;         ///< who has the lock; NONE: nobody
	seen_states *ways;      ///< of the step: where it has been
	uint64_t pauses, read;  ///< of the step: how far it is, and what it read of what others change
	bool pruned;            ///< the step goes on as an earlier one did
	const char *broken;     ///< the law that was broken first; NULL: none
	char *path;             ///< steps taken, for messages
	size_t path_size, path_length;
} model;

/// Ready to explore: the setup is done.
void model_begin(model *m, const model_scenario *scenario, model_mutation mutation);
/// The actor has a step to take.
bool model_is_able(const model *m, uint8_t actor);
/// Its next step needs no lock.
bool model_is_lock_free(const model *m, uint8_t actor);
void model_step(model *m, uint8_t actor);
/// All that must hold whenever nobody has the lock.
void model_check(model *m);
/// All that must hold when nobody has a step to take; then everything is released, and nothing may be left.
void model_check_end(model *m);

// --- Between the files of the model ---

static inline bool model_is(const model *m, model_mutation mutation)
{
	return m->mutation == mutation;
}
static inline uint8_t model_bit(uint32_t number)
{
	return (uint8_t)(1u << number);
}
void model_break(model *m, const char *law);

// explore.c
/// One of `count` ways.
uint8_t model_choose(model *m, uint8_t count);
/// Under the lock, before each access to what others read and change without it.
void model_pause(model *m);

// store_model.c: what happens under the lock.
bool model_is_held(const model *m, uint8_t record);
bool model_is_parked(const model *m, uint8_t record);
uint8_t model_charge(const model *m, uint8_t record);
bool model_is_valid(const model *m, uint8_t record, uint8_t generation);
bool model_is_on_its_way(const model *m, uint8_t record);
uint8_t model_find(model *m, uint8_t name);
bool model_add(model *m, uint8_t record, model_holder holder);
void model_drop(model *m, uint8_t record, model_holder holder);
void model_trim_elders(model *m, uint8_t record);
void model_trim_park(model *m);
void model_reload(model *m, uint8_t record);
void model_unload_all(model *m);
bool model_forget(model *m, uint8_t record, uint8_t generation);
void model_renew(model *m, uint8_t record, uint8_t *seen);
void model_clear_limbo(model *m);
void model_free(model *m, uint8_t payload);
void model_lease(model *m, int change);

void model_set_state(model *m, uint8_t record, model_record_state state);
bool model_is_settled(uint8_t state);
void model_wake(model *m);
bool model_hold(model *m, uint8_t payload);
void model_let_go(model *m, uint8_t payload);
void model_swap(model *m, uint8_t record, uint8_t payload);

// store_model_loads.c
bool model_load_queue(model *m, uint8_t record);
void model_hurry(model *m, uint8_t record);
bool model_load_drop(model *m, uint8_t record); ///< true: it runs, and its result will be discarded
void model_restart(model *m, uint8_t record);
void model_settle(model *m, uint8_t record, model_outcome outcome);
void model_take(model *m, model_run *run, uint8_t record);
bool model_find_work(const model *m, uint8_t record, uint8_t *work);
void model_look_up(model *m, model_run *run);
void model_decode(model *m, model_run *run);
void model_end_run(model *m, model_run *run);

// store_model_tickets.c
void model_mail(model *m, uint8_t ticket);
void model_arrived(model *m, uint8_t record, uint8_t waiter, model_outcome outcome);
void model_rearm(model *m, uint8_t record);
void model_forget_waiters(model *m, uint8_t record);
void model_ticket_open(model *m, model_actor *actor);
void model_ticket_require(model *m, model_actor *actor, uint8_t name);
void model_ticket_seal(model *m, model_actor *actor);
void model_ticket_close(model *m, model_actor *actor);
/// Open the mail that is due; true: a ticket's owner is to be told, without the lock.
bool model_deliver(model *m);

#endif
