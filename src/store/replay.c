// store/replay.c: running a trace again: a store, a thread for each that was recorded, and a turnstile that lets calls through
// one by one, in the order in which they ended. Cook half.

#include "store/replay.h"

#include "base/error.h"

#define WORKERS_MAX 64u

typedef struct replay_thread
{
	lrd_replay *replay;
	uint32_t number;
	lrd_thread *thread; // NULL: the caller's, or it has no calls
} replay_thread;

// --- Threads ---

// True when it is the call's turn; false: no call has a turn any more.
static bool await_turn(lrd_replay *self, uint32_t thread, size_t call)
{
	lrd_mutex_lock(&self->mutex);
	while (self->turn != call && !self->stopped)
	{
		lrd_condition_wait(&self->awaits[thread], &self->mutex);
	}
	bool goes_on = !self->stopped;
	lrd_mutex_unlock(&self->mutex);
	return goes_on;
}

static void end_turn(lrd_replay *self)
{
	lrd_mutex_lock(&self->mutex);
	self->turn++;
	if (self->turn < self->recording.call_count)
	{
		lrd_condition_signal(&self->awaits[self->recording.calls[self->turn].thread]);
	}
	lrd_mutex_unlock(&self->mutex);
}

static void run_thread(void *user)
{
	const replay_thread *thread = user;
	lrd_replay *self = thread->replay;
	bool ordered = !self->desc->free;
	for (size_t i = self->first_of[thread->number]; i < self->first_of[thread->number + 1]; i++)
	{
		size_t number = self->order[i];
		if (ordered && !await_turn(self, thread->number, number))
		{
			return;
		}
		const lrd_recorded_call *call = &self->recording.calls[number];
		if (call->call != LRD_CALL_store_close) // comes when all threads have ended
		{
			lrd_replay_call(self, call);
		}
		if (ordered)
		{
			end_turn(self);
		}
	}
}

static void stop(lrd_replay *self)
{
	lrd_mutex_lock(&self->mutex);
	self->stopped = true;
	for (uint32_t i = 0; i < self->recording.thread_count; i++)
	{
		lrd_condition_signal(&self->awaits[i]);
	}
	lrd_mutex_unlock(&self->mutex);
}

// Thread 0 is the owner: the caller's. In a free run no call goes ahead when a thread can't be started, either.
static bool run_threads(lrd_replay *self, replay_thread *threads, lrd_error *error)
{
	uint32_t count = self->recording.thread_count;
	bool started = true;
	lrd_mutex_lock(&self->mutex);
	self->turn = self->desc->free ? 0 : SIZE_MAX;
	self->stopped = false;
	lrd_mutex_unlock(&self->mutex);
	for (uint32_t i = 0; i < count; i++)
	{
		threads[i] = (replay_thread){ .replay = self, .number = i };
	}
	for (uint32_t i = 1; started && i < count; i++)
	{
		if (self->first_of[i] != self->first_of[i + 1])
		{
			threads[i].thread = lrd_thread_start(run_thread, &threads[i], 0, self->allocator, error);
			started = threads[i].thread != NULL;
		}
	}
	if (started)
	{
		lrd_mutex_lock(&self->mutex);
		self->turn = 0;
		for (uint32_t i = 0; i < count; i++)
		{
			lrd_condition_signal(&self->awaits[i]);
		}
		lrd_mutex_unlock(&self->mutex);
		run_thread(&threads[0]);
	}
	else
	{
		stop(self);
	}
	for (uint32_t i = 1; i < count; i++)
	{
		lrd_thread_join(threads[i].thread);
	}
	return started;
}

// --- Once ---

static bool open_store(lrd_replay *self, lrd_error *error)
{
	uint32_t workers = self->recording.workers;
	const lrd_store_desc desc = {
		.keep_parked = self->recording.keep_parked,
		.worker_count = workers < 1 ? 1 : (workers < WORKERS_MAX ? workers : WORKERS_MAX),
		.quiet = true, // what was refused then is refused again
		.allocator = self->desc->allocator,
		.log = self->desc->log,
	};
	self->store = lrd_store_open(&desc, error);
	return self->store != NULL;
}

static void forget_ids(lrd_replay *self)
{
	const lrd_recording *recording = &self->recording;
	memset(self->assets, 0, recording->asset_count * sizeof *self->assets);
	memset(self->mounts, 0, recording->mount_count * sizeof *self->mounts);
	memset(self->tickets, 0, recording->ticket_count * sizeof *self->tickets);
	memset(self->listeners, 0, recording->listener_count * sizeof *self->listeners);
}

static bool run_once(lrd_replay *self, replay_thread *threads, lrd_replay_report *report, lrd_error *error)
{
	const lrd_recording *recording = &self->recording;
	forget_ids(self);
	if (!open_store(self, error))
	{
		return false;
	}
	bool done = lrd_replay_start(self, error);
	for (size_t i = 0; done && self->desc->free && i < recording->asset_count; i++)
	{
		lrd_replay_asset_of(self, (uint32_t)i); // a thread may use what another is about to find
	}
	uint64_t begin = lrd_clock_ns();
	done = done && run_threads(self, threads, error);
	report->replayed_ns += lrd_clock_ns() - begin;
	lrd_replay_settle(self);
	if (self->desc->free)
	{
		lrd_store_update(self->store); // the owner's last update may have come long before the others' last calls
	}
	lrd_store_get_stats(self->store, &report->stats);
	report->leaks = lrd_store_close(self->store);
	const lrd_recorded_call *last = recording->call_count != 0 ? &recording->calls[recording->call_count - 1] : NULL;
	if (done && last != NULL && last->call == LRD_CALL_store_close)
	{
		lrd_replay_closed(self, last, report->leaks);
	}
	return done;
}

// --- The whole ---

static bool read_recording(lrd_replay *self, lrd_error *error)
{
	lrd_buffer text = { .allocator = self->allocator };
	lrd_file_info info;
	if (!lrd_file_stat(self->desc->store, &info, error) || !lrd_file_read(self->desc->trace, &text, error))
	{
		return false;
	}
	self->is_folder = info.is_folder;
	return lrd_recording_read(&text, &self->recording, error) || lrd_fail_in(error, "%s", self->desc->trace);
}

// Which calls are whose, in order.
static void sort_calls(lrd_replay *self)
{
	const lrd_recording *recording = &self->recording;
	for (size_t i = 0; i < recording->call_count; i++)
	{
		self->first_of[recording->calls[i].thread + 1]++;
	}
	for (size_t i = 0; i < recording->thread_count; i++)
	{
		self->first_of[i + 1] += self->first_of[i];
	}
	for (size_t i = recording->call_count; i > 0; i--)
	{
		self->order[--self->first_of[recording->calls[i - 1].thread + 1]] = (uint32_t)(i - 1);
	}
	// Each entry now says where its thread's calls begin, one place too late.
	for (size_t i = 0; i < recording->thread_count; i++)
	{
		self->first_of[i] = self->first_of[i + 1];
	}
	self->first_of[recording->thread_count] = recording->call_count;
}

typedef struct replay_room
{
	lrd_arena *arena;
	replay_thread *threads;
	uint32_t conditions; // that were made
	bool mutex;
} replay_room;

static bool make_room(lrd_replay *self, replay_room *room)
{
	const lrd_recording *recording = &self->recording;
	room->arena = lrd_arena_create(self->allocator, 0);
	if (room->arena == NULL)
	{
		return false;
	}
	self->assets = LRD_ARENA_ARRAY(room->arena, lrd_replay_asset, recording->asset_count);
	self->mounts = LRD_ARENA_ARRAY(room->arena, lrd_replay_id, recording->mount_count);
	self->tickets = LRD_ARENA_ARRAY(room->arena, lrd_replay_id, recording->ticket_count);
	self->listeners = LRD_ARENA_ARRAY(room->arena, lrd_replay_id, recording->listener_count);
	self->order = LRD_ARENA_ARRAY(room->arena, uint32_t, recording->call_count);
	self->first_of = LRD_ARENA_ARRAY(room->arena, size_t, (size_t)recording->thread_count + 1);
	self->awaits = LRD_ARENA_ARRAY(room->arena, lrd_condition, recording->thread_count);
	room->threads = LRD_ARENA_ARRAY(room->arena, replay_thread, recording->thread_count);
	room->mutex = self->assets != NULL && self->mounts != NULL && self->tickets != NULL && self->listeners != NULL &&
				  self->order != NULL && self->first_of != NULL && self->awaits != NULL && room->threads != NULL &&
				  lrd_mutex_init(&self->mutex);
	while (room->mutex && room->conditions < recording->thread_count &&
		   lrd_condition_init(&self->awaits[room->conditions]))
	{
		room->conditions++;
	}
	return room->mutex && room->conditions == recording->thread_count;
}

static void free_room(lrd_replay *self, replay_room *room)
{
	for (uint32_t i = 0; i < room->conditions; i++)
	{
		lrd_condition_destroy(&self->awaits[i]);
	}
	if (room->mutex)
	{
		lrd_mutex_destroy(&self->mutex);
	}
	lrd_arena_destroy(room->arena);
}

static uint32_t count_threads(const lrd_replay *self)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < self->recording.thread_count; i++)
	{
		count += self->first_of[i] != self->first_of[i + 1];
	}
	return count;
}

static uint32_t count_assets(const lrd_recording *recording)
{
	uint32_t count = 0;
	for (size_t i = 0; i < recording->asset_count; i++)
	{
		count += recording->assets[i].kind != LRD_KIND_NONE;
	}
	return count;
}

static bool run_all(lrd_replay *self, lrd_replay_report *report, lrd_error *error)
{
	replay_room room = { 0 };
	bool done = make_room(self, &room) || lrd_fail_memory(error, self->desc->trace, self->recording.call_count);
	if (done)
	{
		sort_calls(self);
		report->threads = count_threads(self);
	}
	uint32_t times = self->desc->times != 0 ? self->desc->times : 1;
	for (uint32_t i = 0; done && i < times; i++)
	{
		done = run_once(self, room.threads, report, error);
	}
	free_room(self, &room);
	return done;
}

bool lrd_replay_run(const lrd_replay_desc *desc, lrd_replay_report *report, lrd_error *error)
{
	lrd_replay self = { .desc = desc, .allocator = lrd_allocator_or_default(desc->allocator) };
	lrd_replay_report own;
	report = report != NULL ? report : &own;
	*report = (lrd_replay_report){ 0 };
	if (!read_recording(&self, error))
	{
		return false;
	}
	const lrd_recording *recording = &self.recording;
	report->assets = count_assets(recording);
	report->ended = recording->ended;
	report->recorded_ns = recording->call_count != 0 ? recording->calls[recording->call_count - 1].time_ns : 0;
	bool done = run_all(&self, report, error);
	report->calls = atomic_load(&self.calls);
	report->left_out = atomic_load(&self.left_out);
	report->differences = atomic_load(&self.differences);
	report->timing = atomic_load(&self.timing);
	lrd_recording_free(&self.recording);
	return done;
}
