// store/ticket.h: tickets from inside: who waits for what. ticket.c keeps the table and notes what arrives,
// ticket_deliver.c tells the owner, ticket_bytes.c adds up how large everything is. All under the store's lock.

#ifndef STORE_TICKET_H
#define STORE_TICKET_H

#include "store/store.h"

#define LRD_TICKETS_MAX (1u << 20)
#define LRD_TICKET_FIRST_BLOCK 8u ///< requirements in a ticket's first block; each later one has twice as many
#define LRD_TICKET_BLOCKS 21u     ///< 16 M requirements, more than there can be assets

/// An asset that a ticket waits for. It stays where it is as long as the ticket is open: the record's list of waiters
/// leads into it.
typedef struct lrd_requirement
{
	lrd_waiter waiter; ///< linked until the ticket is complete, or the asset is forgotten
	struct lrd_ticket_row *ticket;
	struct lrd_requirement *news_next;
	struct lrd_requirement *namers_next;
	lrd_asset asset;
	uint64_t size;       ///< of its file, as far as it was known when it was required, armed again, or arrived
	lrd_outcome outcome; ///< when it has arrived
	bool arrived;
	bool is_namer; ///< of a kind that names others
	bool in_news;  ///< in the ticket's list of what to tell; it may have been taken back since
} lrd_requirement;

/// A ticket. The row stays where it is until the store closes, and serves one ticket after the other.
typedef struct lrd_ticket_row
{
	uint32_t index;
	uint32_t generation; ///< of the id; 0 is no ticket's
	bool open;
	bool sealed;
	lrd_wake wake;
	void (*on_event)(void *user, const lrd_ticket_event *event);
	void *user;
	const char *owner;

	lrd_requirement *blocks[LRD_TICKET_BLOCKS];
	uint32_t required; ///< as they are now, as are:
	uint32_t arrived;
	uint32_t failed;
	uint32_t cancelled;
	uint64_t bytes; ///< of what is required
	uint64_t bytes_arrived;
	lrd_ticket_progress told; ///< as of the last update

	lrd_requirement *news; ///< what arrived since the last event, in order
	lrd_requirement **news_end;
	lrd_asset *letter; ///< room to hand them over: for as many as are required
	size_t letter_capacity;

	struct lrd_ticket_row *mail_next, **mail_link; ///< the mailbox; NULL: not in it
	uint64_t mailed;                               ///< table->update when it was put there

	lrd_requirement *namers; ///< requirements of kinds that name others
	uint32_t namers_awaited; ///< of those, how many have not arrived
	uint64_t named_bytes;    ///< of what they name and nobody required, when it was last added up
	uint64_t named_bytes_done;
	uint64_t named_changes; ///< of namers since then
	uint64_t named_steps;   ///< how many loads had begun and ended then
	uint64_t named_assets;  ///< how many assets were looked at
	struct lrd_ticket_row *namers_row_next, **namers_row_link;

	uint32_t free_next; ///< + 1
} lrd_ticket_row;

typedef struct lrd_ticket_table
{
	lrd_ticket_row **rows;
	size_t count;
	size_t capacity;
	uint32_t free_first; ///< + 1; 0: none
	uint64_t update;     ///< counts deliveries
	uint64_t steps;      ///< how many loads had begun and ended at the last one
	lrd_ticket_row *mail, **mail_end;
	lrd_ticket_row *namers_rows; ///< tickets that wait for something that names others
} lrd_ticket_table;

/// The row of an open ticket, or NULL.
lrd_ticket_row *lrd_ticket_row_of(const lrd_store *store, lrd_ticket ticket);
static inline lrd_ticket lrd_ticket_row_id(const lrd_ticket_row *row)
{
	return (lrd_ticket){ row->index, row->generation };
}

/// `index` is below row->required.
static inline lrd_requirement *lrd_ticket_requirement(const lrd_ticket_row *row, uint32_t index)
{
	uint32_t from = index / LRD_TICKET_FIRST_BLOCK + 1; // blocks begin where this is a power of two
	uint32_t block = 31u - (uint32_t)__builtin_clz(from);
	return &row->blocks[block][index - LRD_TICKET_FIRST_BLOCK * ((1u << block) - 1)];
}

/// What it waits for is of no interest any more: out of the records' lists.
void lrd_ticket_detach(lrd_ticket_row *row);
void lrd_ticket_mail_remove(lrd_ticket_table *table, lrd_ticket_row *row);

/// ticket_bytes.c. The size of a record's file: of what is there, or else of what will be loaded.
uint64_t lrd_ticket_file_size(const lrd_store *store, const lrd_record *record);
/// Add up the bytes of what is named.
void lrd_ticket_add_named(lrd_store *store, lrd_ticket_row *row);

#endif
