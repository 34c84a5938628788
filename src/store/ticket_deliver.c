// store/ticket_deliver.c: once a frame, on the owner: what arrived is told to those who wait. Nothing here allocates,
// so that no answer can be lost.

#include "store/ticket.h"

// Adding up what is named walks over all of it. A large ticket would be walked over at each of very many updates; so
// that all walks together stay in proportion to its size, one falls due when this part of it has changed.
#define NAMED_STEPS 256

// Loads that began or ended: while this stands still, so does all that is named. (What has been read asks for what it
// names.)
static uint64_t count_steps(const lrd_store *store)
{
	const lrd_store_stats *stats = &store->stats;
	return store->asked + stats->loads + stats->failures + stats->cancelled + stats->stale;
}

// `quiet`: no load began or ended since the last update, so nothing is to be saved by waiting for more.
static void update_bytes(lrd_store *store, lrd_ticket_row *row, bool quiet, bool complete)
{
	uint64_t steps = count_steps(store);
	uint64_t changes = row->named_changes + (steps - row->named_steps);
	bool due = complete || (changes != 0 && (quiet || changes * NAMED_STEPS >= row->named_assets));
	if (row->namers != NULL && due)
	{
		lrd_ticket_add_named(store, row);
		row->named_changes = 0;
		row->named_steps = steps;
	}
	row->told.bytes_total = row->bytes + row->named_bytes;
	row->told.bytes_done = row->bytes_arrived + row->named_bytes_done;
}

// Put what is still true of the news into the ticket's letter.
static uint32_t write_letter(const lrd_store *store, lrd_ticket_row *row)
{
	uint32_t count = 0;
	for (lrd_requirement *news = row->news; news != NULL; news = news->news_next)
	{
		news->in_news = false;
		if (row->on_event != NULL && news->arrived && lrd_record_of(store, news->asset) != NULL)
		{
			row->letter[count++] = news->asset;
		}
	}
	row->news = NULL;
	row->news_end = &row->news;
	return count;
}

// The row's new letter, if it got one meanwhile, or the old one: whichever has room for all that is required.
static void put_letter_back(lrd_store *store, lrd_ticket ticket, lrd_asset *letter, size_t capacity)
{
	lrd_ticket_row *row = lrd_ticket_row_of(store, ticket);
	if (row != NULL && row->letter_capacity < capacity)
	{
		lrd_asset *other = row->letter;
		size_t other_capacity = row->letter_capacity;
		row->letter = letter;
		row->letter_capacity = capacity;
		letter = other;
		capacity = other_capacity;
	}
	lrd_free(store->allocator, letter, capacity * sizeof *letter);
}

// Under the lock, which is let go during the call: nothing that was known of the row holds afterwards.
static void tell(lrd_store *store, lrd_ticket_row *row)
{
	uint32_t count = write_letter(store, row);
	void (*on_event)(void *user, const lrd_ticket_event *event) = row->on_event;
	if (on_event == NULL)
	{
		return;
	}
	// While the caller reads it, the letter belongs to no row: the ticket may be closed, or require more.
	lrd_asset *letter = row->letter;
	size_t capacity = row->letter_capacity;
	row->letter = NULL;
	row->letter_capacity = 0;
	void *user = row->user;
	const lrd_ticket_event event = {
		.ticket = lrd_ticket_row_id(row),
		.progress = row->told,
		.arrived = letter,
		.arrived_count = count,
	};
	lrd_aftermath aftermath = { 0 };
	lrd_store_leave(store, &aftermath);
	on_event(user, &event);
	lrd_store_enter(store);
	put_letter_back(store, event.ticket, letter, capacity);
}

static void open_mail(lrd_store *store, lrd_ticket_row *row, bool quiet)
{
	lrd_ticket_mail_remove(store->tickets, row);
	bool complete = row->sealed && row->arrived == row->required;
	update_bytes(store, row, quiet, complete);
	row->told.required = row->required;
	row->told.arrived = row->arrived;
	row->told.failed = row->failed;
	row->told.cancelled = row->cancelled;
	row->told.sealed = row->sealed;
	row->told.complete = complete;
	if (complete)
	{
		lrd_ticket_detach(row); // it has its answer: what becomes of its assets is no longer its business
	}
	if (complete || (row->sealed && row->wake == LRD_WAKE_PROGRESS && row->news != NULL))
	{
		tell(store, row);
	}
}

void lrd_tickets_deliver(lrd_store *store)
{
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	lrd_ticket_table *table = store->tickets;
	if (table != NULL)
	{
		uint64_t steps = count_steps(store);
		bool quiet = steps == table->steps;
		table->steps = steps;
		uint64_t update = table->update++;
		// What callbacks cause is for the next update, or there might be no end.
		while (table->mail != NULL && table->mail->mailed <= update)
		{
			open_mail(store, table->mail, quiet);
		}
		for (lrd_ticket_row *row = table->namers_rows; row != NULL; row = row->namers_row_next)
		{
			update_bytes(store, row, quiet, false);
		}
		// What is named arrives without a word to the ticket, and its bytes are wanted all the same.
		if (table->mail != NULL || table->namers_rows != NULL)
		{
			atomic_fetch_or_explicit(&store->attention, LRD_ATTENTION_TICKETS, memory_order_relaxed);
		}
	}
	lrd_store_leave(store, &aftermath);
}
