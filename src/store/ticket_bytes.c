// store/ticket_bytes.c: how many bytes a ticket waits for, and how many are there: the files of the assets that it requires
// and of all that those name, each counted once. A file counts for its size, whether or not it is loaded, so that the
// total does not change when it is.

#include "store/ticket.h"

typedef struct walk
{
	lrd_store *store;
	uint32_t mark; ///< of the assets that were met
	uint64_t assets;
	uint64_t total;
	uint64_t done;
} walk;

// What a load in flight has read already, or what there is.
static const lrd_payload *known_payload(const lrd_record *record)
{
	const lrd_payload *payload =
		record->request != NULL && record->request->phase == LRD_REQUEST_NAMED ? record->request->payload : NULL;
	return payload != NULL ? payload : lrd_record_payload(record);
}

static uint64_t file_size(const lrd_store *store, const lrd_record *record)
{
	const lrd_payload *payload = known_payload(record);
	return payload != NULL ? payload->content.bytes.size
						   : lrd_mounts_size(&store->mounts, (lrd_kind)record->kind, lrd_record_stem(record));
}

// Looking a name up in the mounts at every walk would be most of its cost.
static uint64_t required_size(const lrd_store *store, lrd_requirement *requirement, const lrd_record *record)
{
	uint32_t receipt = lrd_rest_at(store, requirement->asset.index)->receipt;
	if (known_payload(record) != NULL)
	{
		return file_size(store, record);
	}
	if (requirement->size_epoch != store->mounts.epoch || requirement->size_receipt != receipt)
	{
		requirement->size = file_size(store, record);
		requirement->size_epoch = store->mounts.epoch;
		requirement->size_receipt = receipt;
	}
	return requirement->size;
}

static bool meet(walk *self, uint32_t record)
{
	lrd_record_rest *rest = lrd_rest_at(self->store, record);
	bool is_new = rest->mark != self->mark;
	rest->mark = self->mark;
	self->assets += is_new;
	return is_new;
}

static void count(walk *self, uint64_t size, bool done)
{
	self->total += size;
	self->done += done ? size : 0;
}

// What a record names. A payload names only kinds of lower rank: there are few levels.
static void walk_named(walk *self, const lrd_record *record, bool done)
{
	const lrd_payload *payload = known_payload(record);
	for (size_t i = 0; payload != NULL && i < payload->dependency_count; i++)
	{
		lrd_asset asset = payload->dependencies[i].asset;
		const lrd_record *named = lrd_record_of(self->store, asset);
		if (named != NULL && meet(self, asset.index))
		{
			bool named_done = done || lrd_state_is_settled(lrd_word_state(lrd_record_word(named)));
			count(self, file_size(self->store, named), named_done);
			walk_named(self, named, named_done);
		}
	}
}

// The required assets that have arrived, or those that have not; themselves, or what they name.
static void walk_required(walk *self, const lrd_ticket_row *row, bool arrived, bool named)
{
	for (uint32_t i = 0; i < row->required; i++)
	{
		lrd_requirement *requirement = lrd_ticket_requirement(row, i);
		const lrd_record *record =
			requirement->arrived == arrived ? lrd_record_of(self->store, requirement->asset) : NULL;
		if (record != NULL && named)
		{
			walk_named(self, record, arrived);
		}
		else if (record != NULL && meet(self, requirement->asset.index))
		{
			count(self, required_size(self->store, requirement, record), arrived);
		}
	}
}

void lrd_ticket_add_bytes(lrd_store *store, lrd_ticket_row *row)
{
	store->mark += store->mark == UINT32_MAX ? 2 : 1; // 0 is the mark of what was never met
	walk self = { .store = store, .mark = store->mark };
	// Whoever meets an asset first says whether it is done: required assets speak for themselves, then those that have
	// arrived for all they name.
	walk_required(&self, row, false, false);
	walk_required(&self, row, true, false);
	walk_required(&self, row, true, true);
	walk_required(&self, row, false, true);
	row->walked_assets = self.assets;
	row->told.bytes_total = self.total;
	row->told.bytes_done = self.done;
}
