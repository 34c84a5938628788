// store/ticket_bytes.c: how large a ticket's files are: those that it requires, which are added up as they come and go,
// and those that they name, each once, which are added up here. A file counts for its size, whether or not it is
// loaded, so that the total does not change when it is.

#include "store/ticket.h"

typedef struct walk
{
	lrd_store *store;
	lrd_ticket_row *row;
	uint32_t mark; ///< of the assets that were met
	uint64_t assets;
} walk;

// What a load in flight has read already, or what there is.
static const lrd_payload *known_payload(const lrd_record *record)
{
	const lrd_request *request = record->request;
	return request != NULL && request->phase == LRD_REQUEST_NAMED ? request->payload : lrd_record_payload(record);
}

uint64_t lrd_ticket_file_size(const lrd_store *store, const lrd_record *record)
{
	const lrd_payload *payload = known_payload(record);
	uint64_t size = payload != NULL ? payload->content.bytes.size : 0;
	if (lrd_word_state(lrd_record_word(record)) == LRD_READY ||
		(record->request != NULL && record->request->payload != NULL))
	{
		return size;
	}
	uint64_t mounted = lrd_mounts_size(&store->mounts, (lrd_kind)record->kind, lrd_record_stem(record));
	return mounted != 0 ? mounted : size;
}

static bool is_required(const walk *self, const lrd_record *record)
{
	const lrd_waiter *waiter = record->waiters;
	while (waiter != NULL && (waiter->requirement == NULL || waiter->requirement->ticket != self->row))
	{
		waiter = waiter->next;
	}
	return waiter != NULL;
}

static bool meet(walk *self, uint32_t record)
{
	lrd_record_rest *rest = lrd_rest_at(self->store, record);
	bool is_new = rest->mark != self->mark;
	rest->mark = self->mark;
	self->assets += is_new;
	return is_new;
}

// What a record names. A payload names only kinds of lower rank: there are few levels.
static void walk_named(walk *self, const lrd_record *record, bool done)
{
	const lrd_payload *payload = known_payload(record);
	for (size_t i = 0; payload != NULL && i < payload->dependency_count; i++)
	{
		lrd_asset asset = payload->dependencies[i].asset;
		const lrd_record *named = lrd_record_of(self->store, asset);
		// What is required itself speaks for itself, and for what it names.
		if (named != NULL && meet(self, asset.index) && !is_required(self, named))
		{
			bool named_done = done || lrd_state_is_settled(lrd_word_state(lrd_record_word(named)));
			uint64_t size = lrd_ticket_file_size(self->store, named);
			self->row->named_bytes += size;
			self->row->named_bytes_done += named_done ? size : 0;
			walk_named(self, named, named_done);
		}
	}
}

static void walk_namers(walk *self, bool arrived)
{
	for (const lrd_requirement *namer = self->row->namers; namer != NULL; namer = namer->namers_next)
	{
		const lrd_record *record = namer->arrived == arrived ? lrd_record_of(self->store, namer->asset) : NULL;
		self->assets++;
		if (record != NULL)
		{
			walk_named(self, record, arrived);
		}
	}
}

void lrd_ticket_add_named(lrd_store *store, lrd_ticket_row *row)
{
	store->mark += store->mark == UINT32_MAX ? 2 : 1; // 0 is the mark of what was never met
	walk self = { .store = store, .row = row, .mark = store->mark };
	row->named_bytes = 0;
	row->named_bytes_done = 0;
	// What has arrived has all that it names: that is done, whoever else waits for it.
	walk_namers(&self, true);
	walk_namers(&self, false);
	row->named_assets = self.assets;
}
