// Waiting for a ticket on a thread, and tickets of several threads. A gate holds a worker in the middle of a load.

#include "fixtures/store_ticket.h"
#include "os/os.h"
#include "store/store.h"

#include <sched.h>

// --- The gate: threads that are gated stop at their first allocation while it is shut ---

static _Thread_local bool is_gated;

typedef struct gate
{
	failing_allocator memory;
	lrd_mutex mutex;
	lrd_condition changed;
	bool shut;
	bool reached; ///< somebody stands before it, or went through
} gate;

static void *gate_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	gate *self = user;
	if (is_gated && new_size > old_size)
	{
		lrd_mutex_lock(&self->mutex);
		self->reached = true;
		lrd_condition_broadcast(&self->changed);
		while (self->shut)
		{
			lrd_condition_wait(&self->changed, &self->mutex);
		}
		lrd_mutex_unlock(&self->mutex);
	}
	return failing_resize(&self->memory, block, old_size, new_size);
}

static void gate_open(gate *self)
{
	lrd_mutex_lock(&self->mutex);
	self->shut = false;
	lrd_condition_broadcast(&self->changed);
	lrd_mutex_unlock(&self->mutex);
}

static void gate_wait_until_reached(gate *self)
{
	lrd_mutex_lock(&self->mutex);
	while (!self->reached)
	{
		lrd_condition_wait(&self->changed, &self->mutex);
	}
	lrd_mutex_unlock(&self->mutex);
}

/// A store whose one worker is a gated thread.
typedef struct gated
{
	store_kit kit;
	gate gate;
	lrd_thread *worker;
	lrd_ticket ticket;
	bool answer;
} gated;

static void run_gated(void *user)
{
	gated *self = user;
	is_gated = true;
	kit_run(&self->kit.jobs);
}

static int gated_set_up(void **state)
{
	gated *self = calloc(1, sizeof *self);
	*state = self;
	if (self == NULL || !lrd_mutex_init(&self->gate.mutex) || !lrd_condition_init(&self->gate.changed))
	{
		return -1;
	}
	failing_allocator_init(&self->gate.memory, -1);
	self->gate.shut = true;
	self->kit.jobs.workers = 1;
	self->kit.interface = (lrd_jobs){ kit_submit, kit_wait, kit_worker_count, &self->kit.jobs };
	lrd_store_desc desc = kit_desc(&self->kit);
	desc.allocator = (lrd_allocator){ gate_resize, &self->gate };
	self->kit.store = lrd_store_open(&desc, NULL);
	return self->kit.store != NULL ? 0 : -1;
}

static void end_load(gated *self)
{
	gate_open(&self->gate);
	if (self->worker != NULL)
	{
		lrd_thread_join(self->worker);
		self->worker = NULL;
	}
}

static int gated_tear_down(void **state)
{
	gated *self = *state;
	end_load(self);
	kit_run(&self->kit.jobs);
	assert_int_equal(lrd_store_close(self->kit.store), 0);
	assert_int_equal(atomic_load(&self->gate.memory.bytes_out), 0);
	lrd_condition_destroy(&self->gate.changed);
	lrd_mutex_destroy(&self->gate.mutex);
	free(self);
	return 0;
}

/// The worker is in the middle of what was asked for.
static void begin_load(gated *self)
{
	self->worker = lrd_thread_start(run_gated, self, 0, (lrd_allocator){ 0 }, NULL);
	assert_non_null(self->worker);
	gate_wait_until_reached(&self->gate);
}

static void wait_on_thread(void *user)
{
	gated *self = user;
	self->answer = lrd_ticket_wait(self->kit.store, self->ticket);
}

static lrd_thread *start_waiting(gated *self)
{
	self->answer = false;
	lrd_thread *thread = lrd_thread_start(wait_on_thread, self, 0, (lrd_allocator){ 0 }, NULL);
	assert_non_null(thread);
	lrd_store *store = self->kit.store;
	for (bool waits = false; !waits;)
	{
		sched_yield();
		lrd_mutex_lock(&store->lock);
		waits = store->settle_waiters != 0;
		lrd_mutex_unlock(&store->lock);
	}
	return thread;
}

// --- Waiting, and nobody else is at it ---

static void waiting_does_what_no_worker_has_begun_and_delivers_nothing(void **state)
{
	store_kit *kit = *state;
	ticket_log log;
	size_t size;
	kit_put_texture(kit, "base", 16);
	lrd_asset assets[3] = { kit_put_held_blob(kit, "a", 3), kit_put_material(kit, "material", "base", NULL, &size),
		kit_find(kit, LRD_MESH, "missing") };
	assert_true(lrd_retain(kit->store, assets[1]) && lrd_retain(kit->store, assets[2]));
	lrd_ticket ticket = open_ticket(kit, LRD_WAKE_COMPLETE, &log);
	for (int i = 0; i < 3; i++)
	{
		require(kit, ticket, assets[i]);
	}
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_true(lrd_ticket_wait(kit->store, ticket));
	assert_int_equal(lrd_asset_state(kit->store, assets[1]), LRD_READY);
	assert_int_equal(lrd_asset_state(kit->store, assets[2]), LRD_FAILED);
	assert_int_equal(log.events, 0);
	assert_true(lrd_ticket_wait(kit->store, ticket));
	lrd_store_update(kit->store);
	assert_int_equal(log.events, 1);
	assert_true(lrd_ticket_wait(kit->store, ticket));
	assert_true(lrd_ticket_close(kit->store, ticket));
	for (int i = 0; i < 3; i++)
	{
		lrd_release(kit->store, assets[i]);
	}
}

static void waiting_for_ever_is_refused(void **state)
{
	store_kit *kit = *state;
	lrd_asset held = kit_put_held_blob(kit, "held", 3);
	lrd_asset nobodys = kit_put_blob(kit, "nobody's", 3);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, held);
	assert_false(lrd_ticket_wait(kit->store, ticket)); // not sealed
	require(kit, ticket, nobodys);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_false(lrd_ticket_wait(kit->store, ticket));
	assert_true(lrd_retain(kit->store, nobodys));
	assert_true(lrd_ticket_wait(kit->store, ticket));
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_ticket empty = lrd_ticket_open(kit->store, NULL, NULL);
	assert_true(lrd_ticket_seal(kit->store, empty));
	assert_true(lrd_ticket_wait(kit->store, empty));
	assert_true(lrd_ticket_close(kit->store, empty));
	lrd_release(kit->store, held);
	lrd_release(kit->store, nobodys);
}

static void waiting_for_a_reload_brings_the_new_payload(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_held_blob(kit, "a", 3);
	kit_run(&kit->jobs);
	kit_put(kit, a, "newer", 5);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, a);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	assert_true(lrd_ticket_wait(kit->store, ticket));
	assert_int_equal(lrd_blob_get(kit->store, a)->bytes.size, 5);
	assert_true(lrd_ticket_close(kit->store, ticket));
	lrd_release(kit->store, a);
}

// --- A worker is in the middle of it ---

static void waiting_ends_when_the_worker_does(void **state)
{
	gated *self = *state;
	lrd_asset a = kit_put_held_blob(&self->kit, "a", 3);
	self->ticket = lrd_ticket_open(self->kit.store, NULL, NULL);
	require(&self->kit, self->ticket, a);
	assert_true(lrd_ticket_seal(self->kit.store, self->ticket));
	begin_load(self);
	lrd_thread *thread = start_waiting(self);
	end_load(self);
	lrd_thread_join(thread);
	assert_true(self->answer);
	assert_int_equal(lrd_asset_state(self->kit.store, a), LRD_READY);
	lrd_release(self->kit.store, a);
}

static void waiting_ends_when_the_ticket_is_closed(void **state)
{
	gated *self = *state;
	lrd_asset a = kit_put_held_blob(&self->kit, "a", 3);
	self->ticket = lrd_ticket_open(self->kit.store, NULL, NULL);
	require(&self->kit, self->ticket, a);
	assert_true(lrd_ticket_seal(self->kit.store, self->ticket));
	begin_load(self);
	lrd_thread *thread = start_waiting(self);
	assert_true(lrd_ticket_close(self->kit.store, self->ticket));
	lrd_thread_join(thread);
	assert_false(self->answer);
	end_load(self);
	lrd_release(self->kit.store, a);
}

static void waiting_ends_when_nobody_wants_it_any_more(void **state)
{
	gated *self = *state;
	lrd_asset a = kit_put_held_blob(&self->kit, "a", 3);
	self->ticket = lrd_ticket_open(self->kit.store, NULL, NULL);
	require(&self->kit, self->ticket, a);
	assert_true(lrd_ticket_seal(self->kit.store, self->ticket));
	begin_load(self);
	lrd_thread *thread = start_waiting(self);
	assert_true(lrd_release(self->kit.store, a));
	lrd_thread_join(thread);
	assert_true(self->answer);
	end_load(self);
	lrd_store_update(self->kit.store);
	assert_int_equal(progress_of(&self->kit, self->ticket).cancelled, 1);
}

static void a_load_that_is_wanted_again_while_it_runs_was_not_cancelled(void **state)
{
	gated *self = *state;
	ticket_log log;
	lrd_asset a = kit_put_held_blob(&self->kit, "a", 3);
	self->ticket = open_ticket(&self->kit, LRD_WAKE_COMPLETE, &log);
	require(&self->kit, self->ticket, a);
	assert_true(lrd_ticket_seal(self->kit.store, self->ticket));
	begin_load(self);
	assert_true(lrd_release(self->kit.store, a));
	assert_true(lrd_retain(self->kit.store, a));
	lrd_store_update(self->kit.store);
	assert_int_equal(log.events, 0);
	end_load(self);
	lrd_store_update(self->kit.store);
	assert_int_equal(log.events, 1);
	assert_int_equal(log.last.progress.cancelled, 0);
	assert_int_equal(lrd_asset_state(self->kit.store, a), LRD_READY);
	lrd_release(self->kit.store, a);
}

// --- Several threads ---

#define ASSETS 12
#define THREADS 3
#define ROUNDS 400

typedef struct crowd
{
	lrd_store *store;
	lrd_asset assets[ASSETS];
	uintptr_t owner;
	atomic_uint strangers; ///< calls on other threads than the owner
	atomic_uint running;
} crowd;

/// What a ticket told. It outlives the ticket: a call that has begun when it is closed may still be running.
typedef struct answer
{
	crowd *crowd;
	atomic_uint count;
} answer;

typedef struct member
{
	crowd *crowd;
	uint32_t seed;
	answer answers[ROUNDS];
	uint32_t too_many, too_few;
} member;

static void note_answer(void *user, const lrd_ticket_event *event)
{
	answer *self = user;
	atomic_fetch_add(&self->crowd->strangers, lrd_thread_self() != self->crowd->owner);
	atomic_fetch_add(&self->count, event->progress.complete);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u; // Knuth, TAOCP 2, 3.3.4, table 1
	return *seed >> 16;
}

// Open, require, wait in one of three ways, close: a ticket that is not closed early answers exactly once.
static void live_a_round(member *self, uint32_t round)
{
	lrd_store *store = self->crowd->store;
	answer *told = &self->answers[round];
	told->crowd = self->crowd;
	lrd_wake wake = next_random(&self->seed) % 2 == 0 ? LRD_WAKE_COMPLETE : LRD_WAKE_PROGRESS;
	lrd_ticket ticket =
		lrd_ticket_open(store, &(lrd_ticket_desc){ .wake = wake, .on_event = note_answer, .user = told }, NULL);
	lrd_asset held[4];
	for (uint32_t i = 0; i < 4; i++)
	{
		held[i] = self->crowd->assets[next_random(&self->seed) % ASSETS];
		lrd_retain(store, held[i]);
		lrd_ticket_require(store, ticket, held[i], NULL);
	}
	lrd_ticket_seal(store, ticket);
	uint32_t way = next_random(&self->seed) % 4;
	if (way == 0)
	{
		lrd_store_changed(store, LRD_BLOB, lrd_asset_stem(store, held[0]));
	}
	lrd_ticket_progress progress = { 0 };
	bool waits = way < 3;
	if (way == 1)
	{
		lrd_ticket_wait(store, ticket);
	}
	while (waits && !progress.complete)
	{
		lrd_ticket_get(store, ticket, &progress);
		sched_yield();
	}
	for (uint32_t i = 0; i < 4; i++)
	{
		lrd_release(store, held[i]);
	}
	while (waits && atomic_load(&told->count) == 0)
	{
		sched_yield();
	}
	lrd_ticket_close(store, ticket);
	self->too_many += atomic_load(&told->count) > 1;
	self->too_few += waits && atomic_load(&told->count) < 1;
}

static void live(void *user)
{
	member *self = user;
	for (uint32_t round = 0; round < ROUNDS; round++)
	{
		live_a_round(self, round);
	}
	atomic_fetch_sub(&self->crowd->running, 1);
}

static void tickets_of_many_threads_answer_once_each_on_the_owner(void **state)
{
	(void)state;
	static member members[THREADS];
	crowd all = { .owner = lrd_thread_self() };
	all.store = lrd_store_open(
		&(lrd_store_desc){ .worker_count = 2, .log = { kit_be_silent, NULL }, .quiet = true, .keep_parked = 100 },
		NULL);
	assert_non_null(all.store);
	store_kit kit = { .store = all.store };
	for (uint32_t i = 0; i < ASSETS; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%u", i);
		all.assets[i] = kit_put_blob(&kit, stem, 20);
	}
	lrd_thread *threads[THREADS];
	atomic_store(&all.running, THREADS);
	for (uint32_t i = 0; i < THREADS; i++)
	{
		members[i] = (member){ .crowd = &all, .seed = i };
		threads[i] = lrd_thread_start(live, &members[i], 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	while (atomic_load(&all.running) != 0)
	{
		lrd_store_update(all.store);
		sched_yield();
	}
	for (uint32_t i = 0; i < THREADS; i++)
	{
		lrd_thread_join(threads[i]);
		assert_int_equal(members[i].too_many, 0);
		assert_int_equal(members[i].too_few, 0);
	}
	assert_int_equal(atomic_load(&all.strangers), 0);
	assert_int_equal(lrd_store_close(all.store), 0);
}

#define GATED_TEST(name) cmocka_unit_test_setup_teardown(name, gated_set_up, gated_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(waiting_does_what_no_worker_has_begun_and_delivers_nothing),
		KIT_TEST(waiting_for_ever_is_refused),
		KIT_TEST(waiting_for_a_reload_brings_the_new_payload),
		GATED_TEST(waiting_ends_when_the_worker_does),
		GATED_TEST(waiting_ends_when_the_ticket_is_closed),
		GATED_TEST(waiting_ends_when_nobody_wants_it_any_more),
		GATED_TEST(a_load_that_is_wanted_again_while_it_runs_was_not_cancelled),
		cmocka_unit_test(tickets_of_many_threads_answer_once_each_on_the_owner),
	};
	return cmocka_run_group_tests_name("store: waiting for tickets", tests, NULL, NULL);
}
