// store/snapshot.c: a bounded copy of the store's tables, for tools that look at it while it works. The lock is held while
// copying, and never while allocating: what has no room is counted, room is made without the lock, and the copy begins again.

#include "store/diagnostics.h"
#include "store/ticket.h"

#include "base/error.h"

enum
{
	ASSETS,
	MOUNTS,
	TICKETS,
	WAITING,
	LOADS,
	STRINGS,
	ARRAYS
};
_Static_assert(ARRAYS == sizeof((lrd_snapshot *)0)->capacity / sizeof(size_t), "a capacity for each array");

// --- From ready to handed over ---

#ifdef LRD_DIAGNOSTICS

void lrd_fresh_add(lrd_store *store, lrd_payload *payload)
{
	payload->fresh_next = store->fresh;
	payload->fresh_link = &store->fresh;
	if (store->fresh != NULL)
	{
		store->fresh->fresh_link = &payload->fresh_next;
	}
	store->fresh = payload;
	atomic_fetch_or_explicit(&store->attention, LRD_ATTENTION_FRESH, memory_order_relaxed);
}

void lrd_fresh_remove(lrd_payload *payload)
{
	if (payload->fresh_link != NULL)
	{
		*payload->fresh_link = payload->fresh_next;
		if (payload->fresh_next != NULL)
		{
			payload->fresh_next->fresh_link = payload->fresh_link;
		}
		payload->fresh_link = NULL;
	}
}

void lrd_fresh_hand_over(lrd_store *store)
{
	uint64_t now = lrd_clock_ns();
	lrd_mutex_lock(&store->lock);
	while (store->fresh != NULL)
	{
		lrd_payload *payload = store->fresh;
		payload->hand_over_us = lrd_microseconds(payload->ready_ns, now);
		lrd_fresh_remove(payload);
	}
	lrd_mutex_unlock(&store->lock);
}

#endif

// --- Copying. Under the lock. ---

// Rows are counted whether or not there is room for them.
typedef struct copy
{
	const lrd_store *store;
	lrd_snapshot *snapshot;
	uint64_t now;
	size_t counts[ARRAYS];
} copy;

// Where the next row goes: its number, if there is room for it.
static bool next_row(copy *self, int array, size_t *row)
{
	*row = self->counts[array]++;
	return *row < self->snapshot->capacity[array];
}

// A text of its own, with a terminator.
static const char *copy_text(copy *self, const char *text, size_t size)
{
	size_t at = self->counts[STRINGS];
	self->counts[STRINGS] += size + 1;
	if (self->counts[STRINGS] > self->snapshot->capacity[STRINGS])
	{
		return NULL;
	}
	char *to = memcpy(self->snapshot->strings + at, text, size);
	to[size] = '\0';
	return to;
}

#ifdef LRD_DIAGNOSTICS

static void copy_times(const copy *self, uint32_t record, lrd_snapshot_asset *row)
{
	const lrd_record *at = lrd_record_at(self->store, record);
	const lrd_payload *payload = lrd_record_payload(at);
	const lrd_request *request = at->request;
	row->owner = lrd_record_owner(self->store, record);
	if (request != NULL)
	{
		bool waits = request->phase == LRD_REQUEST_QUEUED;
		bool named = request->phase == LRD_REQUEST_NAMED;
		row->queued_us = lrd_microseconds(request->asked_ns, waits ? self->now : request->begun_ns);
		row->read_us = named ? lrd_microseconds(0, request->read_ns) : 0;
		row->decode_us = named ? lrd_microseconds(0, request->decode_ns) : 0;
		row->named_us = named ? lrd_microseconds(request->decoded_ns, self->now) : 0;
	}
	else if (payload != NULL)
	{
		row->queued_us = payload->queued_us;
		row->read_us = payload->read_us;
		row->decode_us = payload->decode_us;
		row->named_us = payload->named_us;
		row->hand_over_us =
			payload->fresh_link != NULL ? lrd_microseconds(payload->ready_ns, self->now) : payload->hand_over_us;
	}
}

static void copy_freed(copy *self)
{
	const lrd_store *store = self->store;
	lrd_snapshot *snapshot = self->snapshot;
	uint64_t count = store->freed_total < LRD_SNAPSHOT_FREED ? store->freed_total : LRD_SNAPSHOT_FREED;
	for (uint64_t i = 0; i < count; i++)
	{
		snapshot->freed[i] = store->freed[(store->freed_total - count + i) % LRD_SNAPSHOT_FREED];
	}
	snapshot->freed_count = (uint32_t)count;
}

static uint64_t age_us(const copy *self, uint64_t since)
{
	return self->now > since ? (self->now - since) / 1000 : 0;
}

#else

static void copy_times(const copy *self, uint32_t record, lrd_snapshot_asset *row)
{
	(void)self;
	(void)record;
	(void)row;
}

static void copy_freed(copy *self)
{
	self->snapshot->freed_count = 0;
}

static uint64_t age_us(const copy *self, uint64_t since)
{
	(void)self;
	(void)since;
	return 0;
}

#endif

static void copy_asset(copy *self, uint32_t record)
{
	const lrd_record *at = lrd_record_at(self->store, record);
	const lrd_record_rest *rest = lrd_rest_at(self->store, record);
	const lrd_payload *payload = lrd_record_payload(at);
	uint64_t word = lrd_record_word(at);
	const char *stem = copy_text(self, at->stem, at->stem_size);
	size_t row;
	if (next_row(self, ASSETS, &row))
	{
		self->snapshot->assets[row] = (lrd_snapshot_asset){
			.asset = lrd_record_id(self->store, record),
			.kind = (lrd_kind)at->kind,
			.state = lrd_word_state(word),
			.stem = { stem, at->stem_size },
			.references = lrd_word_references(word) + at->inner + rest->pins,
			.inner = at->inner,
			.pins = rest->pins,
			.parked = payload != NULL && lrd_park_has(self->store, record),
			.generation = rest->payloads,
			.bytes = payload != NULL ? payload->charged : 0,
		};
		copy_times(self, record, &self->snapshot->assets[row]);
	}
}

static void copy_assets(copy *self)
{
	uint32_t count = atomic_load_explicit(&self->store->record_count, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++)
	{
		if (lrd_record_at(self->store, i)->stem != NULL)
		{
			copy_asset(self, i);
		}
	}
}

static void copy_mounts(copy *self)
{
	const lrd_mounted *at = NULL;
	lrd_mount_row mount;
	while (lrd_mounts_next(&self->store->mounts, &at, &mount))
	{
		const char *name = copy_text(self, mount.name, strlen(mount.name));
		size_t row;
		if (next_row(self, MOUNTS, &row))
		{
			self->snapshot->mounts[row] =
				(lrd_snapshot_mount){ mount.id, name, mount.files, mount.leases, mount.opened };
		}
	}
}

static void copy_ticket(copy *self, const lrd_ticket_row *ticket)
{
	size_t first = self->counts[WAITING];
	for (uint32_t i = 0; i < ticket->required; i++)
	{
		const lrd_requirement *requirement = lrd_ticket_requirement(ticket, i);
		size_t place;
		if (!requirement->arrived && next_row(self, WAITING, &place))
		{
			self->snapshot->waiting[place] = requirement->asset;
		}
	}
	size_t row;
	if (next_row(self, TICKETS, &row))
	{
		lrd_snapshot_ticket *to = &self->snapshot->tickets[row];
		*to = (lrd_snapshot_ticket){
			.ticket = lrd_ticket_row_id(ticket),
			.owner = ticket->owner,
			.progress = ticket->told,
			.first_waiting = (uint32_t)first,
			.waiting_count = (uint32_t)(self->counts[WAITING] - first),
		};
		to->progress.required = ticket->required;
		to->progress.sealed = ticket->sealed;
	}
}

static void copy_tickets(copy *self)
{
	const lrd_ticket_table *table = self->store->tickets;
	for (size_t i = 0; table != NULL && i < table->count; i++)
	{
		if (table->rows[i]->open)
		{
			copy_ticket(self, table->rows[i]);
		}
	}
}

static void copy_loads(copy *self)
{
	for (const lrd_request *request = self->store->requests; request != NULL; request = request->all_next)
	{
		size_t row;
		if (next_row(self, LOADS, &row))
		{
			self->snapshot->loads[row] = (lrd_snapshot_load){
				.asset = lrd_record_id(self->store, request->record),
				.priority = request->priority,
				.state = request->phase == LRD_REQUEST_QUEUED ? LRD_QUEUED : LRD_LOADING,
				.named = request->phase == LRD_REQUEST_NAMED,
				.age_us = age_us(self, request->asked_ns),
			};
		}
	}
}

static void copy_all(copy *self)
{
	lrd_stats_fill(self->store, &self->snapshot->stats);
	self->snapshot->stream = self->store->stream;
	copy_assets(self);
	copy_mounts(self);
	copy_tickets(self);
	copy_loads(self);
	copy_freed(self);
}

// --- Room ---

// A few rows more than are needed now, so that a table that grows slowly is not outgrown each time.
#define MAKE_ROOM(snapshot, array, counts, index)                                                                      \
	((counts)[index] <= (snapshot)->capacity[index] ||                                                                 \
		LRD_RESERVE((snapshot)->allocator, (snapshot)->array, 0, (counts)[index] + (counts)[index] / 8 + 16,           \
			(snapshot)->capacity[index]))

static bool make_room(lrd_snapshot *snapshot, const size_t counts[ARRAYS])
{
	return MAKE_ROOM(snapshot, assets, counts, ASSETS) && MAKE_ROOM(snapshot, mounts, counts, MOUNTS) &&
		   MAKE_ROOM(snapshot, tickets, counts, TICKETS) && MAKE_ROOM(snapshot, waiting, counts, WAITING) &&
		   MAKE_ROOM(snapshot, loads, counts, LOADS) && MAKE_ROOM(snapshot, strings, counts, STRINGS);
}

static bool has_room(const lrd_snapshot *snapshot, const size_t counts[ARRAYS])
{
	bool has = true;
	for (int i = 0; i < ARRAYS; i++)
	{
		has = has && counts[i] <= snapshot->capacity[i];
	}
	return has;
}

static void set_counts(lrd_snapshot *snapshot, const size_t counts[ARRAYS])
{
	snapshot->asset_count = (uint32_t)counts[ASSETS];
	snapshot->mount_count = (uint32_t)counts[MOUNTS];
	snapshot->ticket_count = (uint32_t)counts[TICKETS];
	snapshot->waiting_count = (uint32_t)counts[WAITING];
	snapshot->load_count = (uint32_t)counts[LOADS];
	snapshot->strings_size = counts[STRINGS];
}

// --- Public ---

void lrd_store_note_stream(lrd_store *store, const lrd_snapshot_stream *figures)
{
	lrd_mutex_lock(&store->lock);
	store->stream = figures != NULL ? *figures : (lrd_snapshot_stream){ 0 };
	lrd_mutex_unlock(&store->lock);
}

bool lrd_snapshot_take(const lrd_store *store, lrd_snapshot *snapshot, lrd_error *error)
{
	lrd_mutex *lock = lrd_store_lock(store);
	for (;;)
	{
		copy self = { .store = store, .snapshot = snapshot };
		lrd_mutex_lock(lock);
		self.now = lrd_clock_ns();
		copy_all(&self);
		lrd_mutex_unlock(lock);
		if (has_room(snapshot, self.counts))
		{
			set_counts(snapshot, self.counts);
			return true;
		}
		if (!make_room(snapshot, self.counts))
		{
			set_counts(snapshot, (const size_t[ARRAYS]){ 0 });
			snapshot->freed_count = 0;
			return lrd_fail_memory(error, "a snapshot", self.counts[ASSETS] * sizeof *snapshot->assets);
		}
	}
}

void lrd_snapshot_free(lrd_snapshot *snapshot)
{
	const lrd_allocator allocator = snapshot->allocator;
	const size_t *capacity = snapshot->capacity;
	lrd_free(allocator, snapshot->assets, capacity[ASSETS] * sizeof *snapshot->assets);
	lrd_free(allocator, snapshot->mounts, capacity[MOUNTS] * sizeof *snapshot->mounts);
	lrd_free(allocator, snapshot->tickets, capacity[TICKETS] * sizeof *snapshot->tickets);
	lrd_free(allocator, snapshot->waiting, capacity[WAITING] * sizeof *snapshot->waiting);
	lrd_free(allocator, snapshot->loads, capacity[LOADS] * sizeof *snapshot->loads);
	lrd_free(allocator, snapshot->strings, capacity[STRINGS]);
	*snapshot = (lrd_snapshot){ .allocator = allocator };
}
