// store/event.c: listeners, and the list of records that something happened to since the last update.

#include "store/trace.h"

#include "base/error.h"

// In a record's `events`: it is in the list of changes. A forgotten record stays there, without flags, until the list
// is gone through: taking it out would mean looking for who is before it.
#define LISTED 0x80u

#define LISTENERS_MAX (1u << 24)
#define BUCKET_BITS_MIN 4u

/// Row numbers are counted from 1; 0 is none.
typedef struct listener_row
{
	lrd_listener_desc desc;
	uint64_t order; ///< of listening: lists ascend in it
	uint32_t generation;
	uint32_t next; ///< in its list, or among the free rows
	uint32_t previous;
	bool used;
} listener_row;

typedef struct listener_list
{
	uint32_t first;
	uint32_t last;
} listener_list;

typedef struct lrd_listener_table
{
	listener_row *rows;
	size_t count;
	size_t capacity;
	uint32_t free_first;
	uint32_t used;
	uint64_t order;         ///< of the newest
	listener_list everyone; ///< those that listen to every asset
	listener_list *buckets; ///< the others: 1 << bucket_bits, by the asset's index
	uint32_t bucket_bits;
	uint32_t in_buckets;
} lrd_listener_table;

static listener_row *row_at(const lrd_listener_table *table, uint32_t number)
{
	return &table->rows[number - 1];
}

static listener_list *list_of(lrd_listener_table *table, lrd_asset asset)
{
	return asset.generation == 0 ? &table->everyone : &table->buckets[asset.index & ((1u << table->bucket_bits) - 1)];
}

// --- What happened ---

void lrd_event_note(lrd_store *store, uint32_t record, uint32_t flags)
{
	if (store->listeners == NULL || store->listeners->used == 0)
	{
		return;
	}
	lrd_record *at = lrd_record_at(store, record);
	if (at->events == 0)
	{
		lrd_rest_at(store, record)->changed_next = LRD_NONE;
		*(store->changed_last != LRD_NONE ? &lrd_rest_at(store, store->changed_last)->changed_next
										  : &store->changed_first) = record;
		store->changed_last = record;
	}
	at->events = (uint8_t)(at->events | LISTED | flags);
	atomic_fetch_or_explicit(&store->attention, LRD_ATTENTION_EVENTS, memory_order_relaxed);
}

void lrd_event_forget(lrd_store *store, uint32_t record)
{
	lrd_record *at = lrd_record_at(store, record);
	at->events = at->events & LISTED;
}

static bool matters(const lrd_listener_desc *desc, const lrd_event *event, lrd_kind kind)
{
	return (desc->flags == 0 || (desc->flags & event->flags) != 0) &&
		   (desc->kind == LRD_KIND_NONE || desc->kind == kind) &&
		   (desc->asset.generation == 0 || lrd_asset_equal(desc->asset, event->asset));
}

static uint32_t first_after(const lrd_listener_table *table, const listener_list *list, uint64_t order)
{
	uint32_t at = list->first;
	while (at != 0 && row_at(table, at)->order <= order)
	{
		at = row_at(table, at)->next;
	}
	return at;
}

// Tell one list of listeners. The lock is let go during each call, in which anybody may begin or cease to listen: the
// table is looked at anew, and whoever began since `newest` is not told.
static void tell_list(lrd_store *store, lrd_asset key, const lrd_event *event, lrd_kind kind, uint64_t newest)
{
	lrd_listener_table *table = store->listeners;
	uint32_t at = table->buckets != NULL || key.generation == 0 ? list_of(table, key)->first : 0;
	while (at != 0 && row_at(table, at)->order <= newest)
	{
		const listener_row *row = row_at(table, at);
		if (!matters(&row->desc, event, kind))
		{
			at = row->next;
			continue;
		}
		const lrd_listener_desc desc = row->desc;
		const lrd_event told = *event;
		uint64_t order = row->order;
		lrd_aftermath aftermath = { 0 };
		lrd_store_leave(store, &aftermath);
		desc.on_event(desc.user, &told);
		lrd_store_enter(store);
		if (lrd_record_of(store, event->asset) == NULL)
		{
			return;
		}
		row = row_at(table, at);
		at = row->used && row->order == order ? row->next : first_after(table, list_of(table, key), order);
	}
}

static void tell(lrd_store *store, uint32_t record, uint32_t flags)
{
	const lrd_event event = {
		.asset = lrd_record_id(store, record),
		.flags = flags,
		.generation = lrd_rest_at(store, record)->payloads,
	};
	lrd_kind kind = (lrd_kind)lrd_record_at(store, record)->kind;
	uint64_t newest = store->listeners->order;
	tell_list(store, (lrd_asset){ 0 }, &event, kind, newest);
	if (lrd_record_of(store, event.asset) != NULL)
	{
		tell_list(store, event.asset, &event, kind, newest);
	}
}

void lrd_events_deliver(lrd_store *store)
{
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	// What callbacks cause begins a new list, for the next update, or there might be no end.
	uint32_t at = store->changed_first;
	store->changed_first = LRD_NONE;
	store->changed_last = LRD_NONE;
	while (at != LRD_NONE)
	{
		lrd_record *record = lrd_record_at(store, at);
		uint32_t next = lrd_rest_at(store, at)->changed_next;
		uint32_t flags = record->events & ~LISTED;
		record->events = 0;
		if (flags != 0)
		{
			tell(store, at, flags);
		}
		at = next;
	}
	lrd_store_leave(store, &aftermath);
}

// --- The table ---

static lrd_listener_table *table_of(lrd_store *store)
{
	if (store->listeners == NULL)
	{
		store->listeners = lrd_alloc_zeroed(store->allocator, 1, sizeof *store->listeners);
	}
	return store->listeners;
}

void lrd_events_free(lrd_store *store)
{
	lrd_listener_table *table = store->listeners;
	if (table == NULL)
	{
		return;
	}
	size_t buckets = table->buckets != NULL ? (size_t)1 << table->bucket_bits : 0;
	lrd_free(store->allocator, table->buckets, buckets * sizeof *table->buckets);
	lrd_free(store->allocator, table->rows, table->capacity * sizeof *table->rows);
	lrd_free(store->allocator, table, sizeof *table);
	store->listeners = NULL;
}

static void append(lrd_listener_table *table, listener_list *list, uint32_t number)
{
	listener_row *row = row_at(table, number);
	row->next = 0;
	row->previous = list->last;
	*(list->last != 0 ? &row_at(table, list->last)->next : &list->first) = number;
	list->last = number;
}

static void take_out(lrd_listener_table *table, listener_list *list, uint32_t number)
{
	listener_row *row = row_at(table, number);
	*(row->previous != 0 ? &row_at(table, row->previous)->next : &list->first) = row->next;
	*(row->next != 0 ? &row_at(table, row->next)->previous : &list->last) = row->previous;
}

// Twice as many buckets. All of a new one comes from one old one, so that its order stays.
static bool grow_buckets(lrd_store *store, lrd_listener_table *table)
{
	size_t old_count = table->buckets != NULL ? (size_t)1 << table->bucket_bits : 0;
	if (table->in_buckets < old_count)
	{
		return true;
	}
	uint32_t bits = old_count != 0 ? table->bucket_bits + 1 : BUCKET_BITS_MIN;
	listener_list *grown = lrd_alloc_zeroed(store->allocator, (size_t)1 << bits, sizeof *grown);
	if (grown == NULL)
	{
		return false;
	}
	listener_list *old = table->buckets;
	table->buckets = grown;
	table->bucket_bits = bits;
	for (size_t i = 0; i < old_count; i++)
	{
		for (uint32_t at = old[i].first; at != 0;)
		{
			uint32_t next = row_at(table, at)->next;
			append(table, list_of(table, row_at(table, at)->desc.asset), at);
			at = next;
		}
	}
	lrd_free(store->allocator, old, old_count * sizeof *old);
	return true;
}

// A row for a new listener, and room in the buckets for it; 0 when memory runs out, and then nothing changed.
static uint32_t take_row(lrd_store *store, bool in_buckets)
{
	lrd_listener_table *table = table_of(store);
	if (table == NULL || (in_buckets && !grow_buckets(store, table)))
	{
		return 0;
	}
	uint32_t number = table->free_first;
	if (number != 0)
	{
		table->free_first = row_at(table, number)->next;
		return number;
	}
	if (table->count == LISTENERS_MAX || !LRD_RESERVE(store->allocator, table->rows, table->count, 1, table->capacity))
	{
		return 0;
	}
	table->rows[table->count++] = (listener_row){ 0 };
	return (uint32_t)table->count;
}

static bool listen(lrd_store *store, const lrd_listener_desc *desc, lrd_listener *listener, lrd_error *error)
{
	bool one = desc->asset.generation != 0;
	const lrd_record *record = lrd_record_of(store, desc->asset);
	if ((one || desc->asset.index != 0) && record == NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "nothing will happen to an asset that was forgotten, or never was");
	}
	if (one && desc->kind != LRD_KIND_NONE && desc->kind != (lrd_kind)record->kind)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "\"%s\" is a %s, and listened to as a %s", record->stem,
			lrd_kind_name((lrd_kind)record->kind), lrd_kind_name(desc->kind));
	}
	uint32_t number = take_row(store, one);
	if (number == 0)
	{
		return lrd_fail_memory(error, "a listener", sizeof(listener_row));
	}
	lrd_listener_table *table = store->listeners;
	listener_row *row = row_at(table, number);
	row->desc = *desc;
	row->order = ++table->order;
	row->generation += row->generation == UINT32_MAX ? 2 : 1;
	row->used = true;
	append(table, list_of(table, desc->asset), number);
	table->used++;
	table->in_buckets += one;
	*listener = (lrd_listener){ number - 1, row->generation };
	return true;
}

// --- Public ---

bool lrd_store_listen(lrd_store *store, const lrd_listener_desc *desc, lrd_listener *listener, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_listener made = { 0 };
	if (desc->on_event == NULL || (unsigned)desc->kind >= LRD_KIND_COUNT || desc->flags >= LISTED)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "a listener needs a function to call, and kinds and flags that exist");
	}
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	bool listens = listen(store, desc, &made, error);
	lrd_store_leave(store, &aftermath);
	*listener = listens ? made : *listener;
	LRD_TRACE(store, begun, store_listen, lrd_trace_id(desc->asset), lrd_trace_kind(desc->kind),
		lrd_trace_number(desc->flags), lrd_trace_listener(made));
	return listens;
}

bool lrd_store_unlisten(lrd_store *store, lrd_listener listener)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	lrd_listener_table *table = store->listeners;
	listener_row *row = table != NULL && listener.index < table->count ? &table->rows[listener.index] : NULL;
	bool ends = row != NULL && row->used && row->generation == listener.generation;
	if (ends)
	{
		uint32_t number = listener.index + 1;
		take_out(table, list_of(table, row->desc.asset), number);
		table->used--;
		table->in_buckets -= row->desc.asset.generation != 0;
		*row = (listener_row){ .generation = row->generation, .next = table->free_first };
		table->free_first = number;
	}
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, store_unlisten, lrd_trace_listener(listener), lrd_trace_bool(ends));
	return ends;
}
