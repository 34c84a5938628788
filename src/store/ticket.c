// store/ticket.c: the table of tickets, what they require, and noting what arrives. Telling is in ticket_deliver.c.

#include "store/ticket.h"
#include "store/trace.h"

#include "base/error.h"

static bool refuse_stale(lrd_store *store, lrd_error *error)
{
	atomic_fetch_add_explicit(&store->refused, 1, memory_order_relaxed);
	return lrd_fail(error, LRD_ERROR_ARGUMENT, "the ticket is closed, or never was");
}

lrd_ticket_row *lrd_ticket_row_of(const lrd_store *store, lrd_ticket ticket)
{
	const lrd_ticket_table *table = store->tickets;
	if (table == NULL || ticket.index >= table->count)
	{
		return NULL;
	}
	lrd_ticket_row *row = table->rows[ticket.index];
	return row->open && row->generation == ticket.generation ? row : NULL;
}

// --- The mailbox ---

static void mail(lrd_store *store, lrd_ticket_row *row)
{
	lrd_ticket_table *table = store->tickets;
	if (row->mail_link == NULL)
	{
		row->mailed = table->update;
		row->mail_next = NULL;
		row->mail_link = table->mail_end;
		*table->mail_end = row;
		table->mail_end = &row->mail_next;
	}
	atomic_fetch_or_explicit(&store->attention, LRD_ATTENTION_TICKETS, memory_order_relaxed);
}

void lrd_ticket_mail_remove(lrd_ticket_table *table, lrd_ticket_row *row)
{
	if (row->mail_link == NULL)
	{
		return;
	}
	*row->mail_link = row->mail_next;
	*(row->mail_next != NULL ? &row->mail_next->mail_link : &table->mail_end) = row->mail_link;
	row->mail_link = NULL;
}

// Among the tickets whose bytes may change without a word to them: what others name arrives.
static void set_awaits_namers(lrd_ticket_table *table, lrd_ticket_row *row, bool awaits)
{
	if (awaits == (row->namers_row_link != NULL))
	{
		return;
	}
	if (awaits)
	{
		row->namers_row_next = table->namers_rows;
		row->namers_row_link = &table->namers_rows;
		if (table->namers_rows != NULL)
		{
			table->namers_rows->namers_row_link = &row->namers_row_next;
		}
		table->namers_rows = row;
		return;
	}
	*row->namers_row_link = row->namers_row_next;
	if (row->namers_row_next != NULL)
	{
		row->namers_row_next->namers_row_link = row->namers_row_link;
	}
	row->namers_row_link = NULL;
}

static void note_namer(lrd_store *store, lrd_requirement *requirement, bool awaited)
{
	lrd_ticket_row *row = requirement->ticket;
	if (requirement->is_namer)
	{
		row->namers_awaited += awaited ? 1u : UINT32_MAX;
		row->named_changes++;
		set_awaits_namers(store->tickets, row, row->namers_awaited != 0);
	}
}

// --- What arrives ---

// While it has not arrived: a record's file may be another than before.
static void measure(const lrd_store *store, lrd_requirement *requirement)
{
	const lrd_record *record = lrd_record_of(store, requirement->asset);
	uint64_t size = record != NULL ? lrd_ticket_file_size(store, record) : requirement->size;
	requirement->ticket->bytes += size - requirement->size;
	requirement->size = size;
}

static void take_back(lrd_store *store, lrd_requirement *requirement)
{
	lrd_ticket_row *row = requirement->ticket;
	requirement->arrived = false;
	row->arrived--;
	row->failed -= requirement->outcome == LRD_OUTCOME_FAILED;
	row->cancelled -= requirement->outcome == LRD_OUTCOME_CANCELLED;
	row->bytes_arrived -= requirement->size;
	note_namer(store, requirement, true);
}

static void put_in_news(lrd_ticket_row *row, lrd_requirement *requirement)
{
	if (!requirement->in_news)
	{
		requirement->in_news = true;
		requirement->news_next = NULL;
		*row->news_end = requirement;
		row->news_end = &requirement->news_next;
	}
}

void lrd_ticket_arrived(lrd_store *store, lrd_requirement *requirement, lrd_outcome outcome)
{
	lrd_ticket_row *row = requirement->ticket;
	if (requirement->arrived)
	{
		if (requirement->outcome == outcome)
		{
			return;
		}
		take_back(store, requirement);
	}
	measure(store, requirement);
	requirement->arrived = true;
	requirement->outcome = outcome;
	row->arrived++;
	row->failed += outcome == LRD_OUTCOME_FAILED;
	row->cancelled += outcome == LRD_OUTCOME_CANCELLED;
	row->bytes_arrived += requirement->size;
	note_namer(store, requirement, false);
	put_in_news(row, requirement);
	mail(store, row);
}

void lrd_ticket_rearm(lrd_store *store, lrd_requirement *requirement)
{
	if (requirement->arrived)
	{
		take_back(store, requirement);
		measure(store, requirement);
		mail(store, requirement->ticket);
	}
}

void lrd_ticket_forget(lrd_store *store, lrd_requirement *requirement)
{
	lrd_waiter_unlink(&requirement->waiter);
	// What its holder was told already is history; what was not told yet comes too late.
	if (!requirement->arrived || requirement->in_news)
	{
		lrd_ticket_arrived(store, requirement, LRD_OUTCOME_CANCELLED);
	}
}

void lrd_ticket_detach(lrd_ticket_row *row)
{
	for (uint32_t i = 0; i < row->required; i++)
	{
		lrd_waiter_unlink(&lrd_ticket_requirement(row, i)->waiter);
	}
}

// --- The table ---

static size_t block_count(uint32_t block)
{
	return (size_t)LRD_TICKET_FIRST_BLOCK << block;
}

static void free_blocks(lrd_store *store, lrd_ticket_row *row)
{
	for (uint32_t block = 0; block < LRD_TICKET_BLOCKS; block++)
	{
		lrd_free(store->allocator, row->blocks[block], block_count(block) * sizeof(lrd_requirement));
		row->blocks[block] = NULL;
	}
	lrd_free(store->allocator, row->letter, row->letter_capacity * sizeof *row->letter);
	row->letter = NULL;
	row->letter_capacity = 0;
}

static lrd_ticket_table *table_of(lrd_store *store)
{
	if (store->tickets == NULL)
	{
		store->tickets = lrd_alloc_zeroed(store->allocator, 1, sizeof *store->tickets);
		if (store->tickets != NULL)
		{
			store->tickets->mail_end = &store->tickets->mail;
		}
	}
	return store->tickets;
}

static lrd_ticket_row *add_row(lrd_store *store, lrd_ticket_table *table)
{
	if (!LRD_RESERVE(store->allocator, table->rows, table->count, 1, table->capacity))
	{
		return NULL;
	}
	lrd_ticket_row *row = lrd_alloc_zeroed(store->allocator, 1, sizeof *row);
	if (row != NULL)
	{
		row->index = (uint32_t)table->count;
		table->rows[table->count++] = row;
	}
	return row;
}

// A row for a new ticket; everything in it but index and generation is zero.
static lrd_ticket_row *take_row(lrd_store *store, lrd_error *error)
{
	lrd_ticket_table *table = table_of(store);
	lrd_ticket_row *row = NULL;
	if (table != NULL && table->free_first != 0)
	{
		row = table->rows[table->free_first - 1];
		table->free_first = row->free_next;
		row->free_next = 0;
	}
	else if (table != NULL && table->count == LRD_TICKETS_MAX)
	{
		lrd_fail(error, LRD_ERROR_LIMIT, "a store has at most %u tickets open at a time", LRD_TICKETS_MAX);
		return NULL;
	}
	else if (table != NULL)
	{
		row = add_row(store, table);
	}
	if (row == NULL)
	{
		lrd_fail_memory(error, "a ticket", sizeof *row);
		return NULL;
	}
	row->generation += row->generation == UINT32_MAX ? 2 : 1;
	row->open = true;
	row->news_end = &row->news;
	return row;
}

void lrd_tickets_free(lrd_store *store)
{
	lrd_ticket_table *table = store->tickets;
	if (table == NULL)
	{
		return;
	}
	for (size_t i = 0; i < table->count; i++)
	{
		free_blocks(store, table->rows[i]);
		lrd_free(store->allocator, table->rows[i], sizeof **table->rows);
	}
	lrd_free(store->allocator, table->rows, table->capacity * sizeof *table->rows);
	lrd_free(store->allocator, table, sizeof *table);
	store->tickets = NULL;
}

// --- Requiring ---

// A record may have as many waiters as a ticket has requirements, so both are looked through in step: the shorter list
// decides.
static bool is_required(const lrd_ticket_row *row, const lrd_record *record, lrd_asset asset)
{
	const lrd_waiter *waiter = record->waiters;
	for (uint32_t i = 0; i < row->required && waiter != NULL; i++, waiter = waiter->next)
	{
		if ((waiter->requirement != NULL && waiter->requirement->ticket == row) ||
			lrd_asset_equal(lrd_ticket_requirement(row, i)->asset, asset))
		{
			return true;
		}
	}
	return false;
}

// Room for one more, and for telling about it.
static bool make_room(lrd_store *store, lrd_ticket_row *row)
{
	uint32_t from = row->required / LRD_TICKET_FIRST_BLOCK + 1;
	uint32_t block = 31u - (uint32_t)__builtin_clz(from);
	if (row->blocks[block] == NULL)
	{
		row->blocks[block] = lrd_alloc_zeroed(store->allocator, block_count(block), sizeof(lrd_requirement));
	}
	return row->blocks[block] != NULL && (row->on_event == NULL || LRD_RESERVE(store->allocator, row->letter,
																	   row->required, 1, row->letter_capacity));
}

static bool require(lrd_store *store, lrd_ticket_row *row, lrd_asset asset, lrd_error *error)
{
	lrd_record *record = lrd_record_of(store, asset);
	if (record == NULL)
	{
		atomic_fetch_add_explicit(&store->refused, 1, memory_order_relaxed);
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "a ticket can't wait for an asset that was forgotten, or never was");
	}
	if (row->sealed)
	{
		atomic_fetch_add_explicit(&store->refused, 1, memory_order_relaxed);
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%s \"%s\": the ticket is sealed",
			lrd_kind_name((lrd_kind)record->kind), record->stem);
	}
	if (is_required(row, record, asset))
	{
		return true;
	}
	if (!make_room(store, row))
	{
		return lrd_fail_memory(error, "what a ticket waits for", sizeof(lrd_requirement));
	}
	row->required++;
	lrd_requirement *requirement = lrd_ticket_requirement(row, row->required - 1);
	*requirement = (lrd_requirement){ .ticket = row, .asset = asset };
	requirement->waiter.requirement = requirement;
	lrd_waiter_link(record, &requirement->waiter);
	measure(store, requirement);
	row->named_changes++; // what is required counts no longer as named
	if (lrd_kind_row_of((lrd_kind)record->kind)->rank != 0)
	{
		requirement->is_namer = true;
		requirement->namers_next = row->namers;
		row->namers = requirement;
		note_namer(store, requirement, true);
	}
	mail(store, row);
	lrd_state state = lrd_word_state(lrd_record_word(record));
	if (lrd_state_is_settled(state))
	{
		lrd_ticket_arrived(store, requirement, state == LRD_FAILED ? LRD_OUTCOME_FAILED : LRD_OUTCOME_READY);
	}
	return true;
}

// --- Public ---

lrd_ticket lrd_ticket_open(lrd_store *store, const lrd_ticket_desc *desc, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_ticket ticket = { 0 };
	lrd_store_enter(store);
	lrd_ticket_row *row = take_row(store, error);
	if (row != NULL)
	{
		row->wake = desc != NULL ? desc->wake : LRD_WAKE_COMPLETE;
		row->on_event = desc != NULL ? desc->on_event : NULL;
		row->user = desc != NULL ? desc->user : NULL;
		row->owner = desc != NULL ? desc->owner : NULL;
		ticket = lrd_ticket_row_id(row);
	}
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, ticket_open, lrd_trace_number(desc != NULL ? (uint64_t)desc->wake : 0),
		lrd_trace_bool(desc != NULL && desc->on_event != NULL),
		lrd_trace_text(lrd_string_from(desc != NULL ? desc->owner : NULL)), lrd_trace_ticket(ticket));
	return ticket;
}

bool lrd_ticket_require(lrd_store *store, lrd_ticket ticket, lrd_asset asset, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	lrd_ticket_row *row = lrd_ticket_row_of(store, ticket);
	bool done = row != NULL ? require(store, row, asset, error) : refuse_stale(store, error);
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, ticket_require, lrd_trace_ticket(ticket), lrd_trace_id(asset), lrd_trace_bool(done));
	return done;
}

bool lrd_ticket_seal(lrd_store *store, lrd_ticket ticket)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	lrd_ticket_row *row = lrd_ticket_row_of(store, ticket);
	bool seals = row != NULL && !row->sealed;
	if (seals)
	{
		row->sealed = true;
		mail(store, row);
	}
	else
	{
		refuse_stale(store, NULL);
	}
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, ticket_seal, lrd_trace_ticket(ticket), lrd_trace_bool(seals));
	return seals;
}

bool lrd_ticket_get(const lrd_store *store, lrd_ticket ticket, lrd_ticket_progress *progress)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_mutex_lock(lrd_store_lock(store));
	const lrd_ticket_row *row = lrd_ticket_row_of(store, ticket);
	if (row != NULL)
	{
		*progress = row->told;
		progress->required = row->required;
		progress->sealed = row->sealed;
	}
	lrd_mutex_unlock(lrd_store_lock(store));
	LRD_TRACE(store, begun, ticket_get, lrd_trace_ticket(ticket), lrd_trace_bool(row != NULL),
		lrd_trace_number(row != NULL ? progress->required : 0), lrd_trace_number(row != NULL ? progress->arrived : 0),
		lrd_trace_number(row != NULL ? progress->failed : 0));
	return row != NULL;
}

bool lrd_ticket_at(const lrd_store *store, lrd_ticket ticket, uint32_t index, lrd_asset *asset, bool *arrived)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_mutex_lock(lrd_store_lock(store));
	const lrd_ticket_row *row = lrd_ticket_row_of(store, ticket);
	bool found = row != NULL && index < row->required;
	if (found)
	{
		const lrd_requirement *requirement = lrd_ticket_requirement(row, index);
		*asset = requirement->asset;
		*arrived = requirement->arrived;
	}
	lrd_mutex_unlock(lrd_store_lock(store));
	LRD_TRACE(store, begun, ticket_at, lrd_trace_ticket(ticket), lrd_trace_number(index), lrd_trace_bool(found),
		lrd_trace_id(found ? *asset : (lrd_asset){ 0 }));
	return found;
}

// What other threads are at is passed over as long as there is anything else to do. Only a whole round without letting go of
// the lock shows that there is not: then whatever settles next will wake this thread.
static bool wait_for_all(lrd_store *store, lrd_ticket ticket, lrd_aftermath *aftermath)
{
	bool helped = false; // in this round
	for (uint32_t at = 0;;)
	{
		// The lock was let go: the ticket may be closed.
		const lrd_ticket_row *row = lrd_ticket_row_of(store, ticket);
		if (row == NULL || !row->sealed || row->arrived == row->required)
		{
			return row != NULL && row->sealed;
		}
		if (at >= row->required)
		{
			if (!helped)
			{
				lrd_load_await(store);
			}
			helped = false;
			at = 0;
			continue;
		}
		const lrd_requirement *requirement = lrd_ticket_requirement(row, at);
		uint32_t record = requirement->asset.index;
		bool arrived = requirement->arrived;
		if (!arrived && lrd_record_at(store, record)->request == NULL)
		{
			return false; // nothing is on its way: it may never come
		}
		bool helps = !arrived && lrd_load_help(store, record, aftermath);
		helped |= helps;
		at += !helps;
	}
}

bool lrd_ticket_wait(lrd_store *store, lrd_ticket ticket)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	bool arrived = wait_for_all(store, ticket, &aftermath);
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, ticket_wait, lrd_trace_ticket(ticket), lrd_trace_bool(arrived));
	return arrived;
}

bool lrd_ticket_close(lrd_store *store, lrd_ticket ticket)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	lrd_ticket_row *row = lrd_ticket_row_of(store, ticket);
	bool closes = row != NULL;
	if (closes)
	{
		lrd_ticket_table *table = store->tickets;
		lrd_ticket_detach(row);
		lrd_ticket_mail_remove(table, row);
		set_awaits_namers(table, row, false);
		free_blocks(store, row);
		*row = (lrd_ticket_row){ .index = row->index, .generation = row->generation, .free_next = table->free_first };
		table->free_first = row->index + 1;
		if (store->settle_waiters != 0)
		{
			lrd_condition_broadcast(&store->settled); // somebody may wait for this ticket
		}
	}
	else
	{
		refuse_stale(store, NULL);
	}
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, ticket_close, lrd_trace_ticket(ticket), lrd_trace_bool(closes));
	return closes;
}
