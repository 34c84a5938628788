// store/payload.c: making a payload of a file's bytes, holding what it names, and freeing it.

#include "store/diagnostics.h"

#include "base/error.h"

struct lrd_opening
{
	lrd_store *store;
	lrd_payload *payload;
	const lrd_kind_row *row;
};

// --- What a kind's row uses ---

void *lrd_opening_alloc(lrd_opening *opening, size_t count, size_t size)
{
	size_t bytes = 0;
	if (!lrd_mul_size(count, size, &bytes) || !lrd_add_size(bytes, sizeof(lrd_payload_block), &bytes))
	{
		return NULL;
	}
	lrd_payload_block *block = lrd_alloc_zeroed(opening->store->allocator, 1, bytes);
	if (block == NULL)
	{
		return NULL;
	}
	block->size = bytes;
	block->next = opening->payload->blocks;
	opening->payload->blocks = block;
	return block->data;
}

bool lrd_opening_mention(lrd_opening *opening, lrd_kind kind, lrd_string stem, lrd_asset *asset, lrd_error *error)
{
	*asset = (lrd_asset){ 0 };
	if (stem.size == 0)
	{
		return true;
	}
	*asset = lrd_record_asset(opening->store, kind, stem, error);
	return asset->generation != 0;
}

bool lrd_opening_need(lrd_opening *opening, lrd_kind kind, lrd_string stem, lrd_asset *asset, lrd_error *error)
{
	const lrd_kind_row *row = lrd_kind_row_of(kind);
	if (row != NULL && row->rank >= opening->row->rank)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "it names the %s \"%.*s\", which a %s may not", lrd_kind_name(kind),
			LRD_STR_ARG(stem), lrd_kind_name(opening->row->kind));
	}
	if (!lrd_opening_mention(opening, kind, stem, asset, error) || stem.size == 0)
	{
		return stem.size == 0;
	}
	lrd_payload *payload = opening->payload;
	if (!LRD_RESERVE(opening->store->allocator, payload->dependencies, payload->dependency_count, 1,
			payload->dependency_capacity))
	{
		return lrd_fail_memory(error, "what an asset names", sizeof *payload->dependencies);
	}
	payload->dependencies[payload->dependency_count++] = (lrd_dependency){ .asset = *asset };
	return true;
}

// --- Making ---

static void charge(lrd_payload *payload)
{
	uint64_t owned = sizeof *payload + payload->row->view_size + payload->content.owned_size;
	owned += payload->dependency_capacity * sizeof *payload->dependencies;
	for (const lrd_payload_block *block = payload->blocks; block != NULL; block = block->next)
	{
		owned += block->size;
	}
	payload->owned = owned;
	payload->charged = owned + (payload->content.owned == NULL ? payload->content.bytes.size : 0);
}

static bool fail_at_origin(const lrd_origin *origin, lrd_error *error)
{
	char name[LRD_ERROR_MESSAGE_SIZE];
	lrd_origin_name(origin, name, sizeof name);
	return lrd_fail_in(error, "%s", name);
}

static bool open_payload(lrd_store *store, lrd_request *request, lrd_payload *payload, lrd_error *error)
{
	uint64_t begin = lrd_clock_ns();
	bool read = lrd_origin_read(&request->origin, store->allocator, &payload->content, &request->io_bytes, error);
	uint64_t end = lrd_clock_ns();
	request->read_ns = end - begin;
	if (!read)
	{
		return false;
	}
	lrd_opening opening = { .store = store, .payload = payload, .row = payload->row };
	bool opened = payload->row->open(&opening, payload->content.bytes, payload->view, error);
	request->decoded_ns = lrd_clock_ns();
	request->decode_ns = request->decoded_ns - end;
	return opened || fail_at_origin(&request->origin, error);
}

lrd_payload *lrd_payload_make(lrd_store *store, lrd_request *request, lrd_error *error)
{
	const lrd_kind_row *row = lrd_kind_row_of((lrd_kind)lrd_record_at(store, request->record)->kind);
	size_t size = sizeof(lrd_payload) + row->view_size;
	lrd_payload *payload = lrd_alloc_zeroed(store->allocator, 1, size);
	if (payload == NULL)
	{
		lrd_fail_memory(error, "a payload", size);
		return NULL;
	}
	payload->row = row;
	payload->record = request->record;
	if (!open_payload(store, request, payload, error))
	{
		lrd_payload_free(store, payload);
		return NULL;
	}
	charge(payload);
	return payload;
}

void lrd_payload_free(lrd_store *store, lrd_payload *payload)
{
	if (payload->row->close != NULL)
	{
		payload->row->close(payload->view);
	}
	lrd_content_release(store, store->allocator, &payload->content);
	while (payload->blocks != NULL)
	{
		lrd_payload_block *block = payload->blocks;
		payload->blocks = block->next;
		lrd_free(store->allocator, block, block->size);
	}
	lrd_free(store->allocator, payload->dependencies, payload->dependency_capacity * sizeof *payload->dependencies);
	lrd_free(store->allocator, payload, sizeof *payload + payload->row->view_size);
}

// --- Holding what it names. Under the lock. ---

bool lrd_payload_names_are_valid(const lrd_store *store, const lrd_payload *payload)
{
	for (size_t i = 0; i < payload->dependency_count; i++)
	{
		if (lrd_record_of(store, payload->dependencies[i].asset) == NULL)
		{
			return false;
		}
	}
	return true;
}

// Whether the record of something that is named is there, or as little as it will be: what failed is tried again, unless no
// mount knows it.
static bool is_settled(const lrd_store *store, uint32_t index)
{
	lrd_state state = lrd_word_state(lrd_record_word(lrd_record_at(store, index)));
	bool known_absent = lrd_rest_at(store, index)->absent_epoch == store->mounts.epoch;
	return state == LRD_READY || state == LRD_RELOAD_PENDING || (state == LRD_FAILED && known_absent);
}

bool lrd_payload_is_whole(const lrd_store *store, const lrd_payload *payload)
{
	for (size_t i = 0; i < payload->dependency_count; i++)
	{
		lrd_asset asset = payload->dependencies[i].asset;
		const lrd_record *record = lrd_record_of(store, asset);
		if (record == NULL || !is_settled(store, asset.index))
		{
			return false;
		}
		if (lrd_park_has(store, asset.index) && !lrd_payload_is_whole(store, lrd_record_payload(record)))
		{
			return false;
		}
	}
	return true;
}

bool lrd_payload_hold(lrd_store *store, lrd_payload *payload, int32_t priority, lrd_aftermath *aftermath)
{
	if (payload->holding)
	{
		return true;
	}
	for (size_t i = 0; i < payload->dependency_count; i++)
	{
		if (!lrd_reference_add(store, payload->dependencies[i].asset.index, LRD_HOLDER_PAYLOAD, priority, aftermath))
		{
			while (i-- > 0)
			{
				lrd_reference_drop(store, payload->dependencies[i].asset.index, LRD_HOLDER_PAYLOAD, aftermath);
			}
			return false;
		}
	}
	payload->holding = true;
	return true;
}

void lrd_payload_let_go(lrd_store *store, lrd_payload *payload, lrd_aftermath *aftermath)
{
	if (!payload->holding)
	{
		return;
	}
	payload->holding = false;
	for (size_t i = 0; i < payload->dependency_count; i++)
	{
		lrd_waiter_unlink(&payload->dependencies[i].waiter);
		lrd_reference_drop(store, payload->dependencies[i].asset.index, LRD_HOLDER_PAYLOAD, aftermath);
	}
}

// --- Sums ---

static void account(lrd_store *store, const lrd_payload *payload, uint64_t charged, uint64_t owned)
{
	store->stats.resident_bytes += charged;
	store->stats.owned_bytes += owned;
	store->stats.kinds[payload->row->kind].bytes += charged;
}

void lrd_payload_account(lrd_store *store, const lrd_payload *payload)
{
	account(store, payload, payload->charged, payload->owned);
}

static void note_freed(lrd_store *store, const lrd_payload *payload)
{
#ifdef LRD_DIAGNOSTICS
	store->freed[store->freed_total++ % LRD_SNAPSHOT_FREED] = (lrd_snapshot_freed){
		.asset = lrd_record_id(store, payload->record),
		.bytes = payload->charged,
		.generation = payload->generation,
		.evicted = payload->evicted,
	};
#else
	(void)store;
	(void)payload;
#endif
}

void lrd_payload_doom(lrd_store *store, lrd_payload *payload, lrd_aftermath *aftermath)
{
	lrd_payload_let_go(store, payload, aftermath);
	lrd_fresh_remove(payload);
	if (payload->generation != 0)
	{
		account(store, payload, 0 - payload->charged, 0 - payload->owned);
		note_freed(store, payload);
	}
	payload->elder = aftermath->doomed;
	aftermath->doomed = payload;
}

void lrd_payload_recharge(lrd_store *store, lrd_payload *payload, uint64_t charged, lrd_aftermath *aftermath)
{
	account(store, payload, charged - payload->charged, charged - payload->charged);
	bool parked =
		lrd_record_payload(lrd_record_at(store, payload->record)) == payload && lrd_park_has(store, payload->record);
	store->park.bytes += parked ? charged - payload->charged : 0;
	store->stats.elder_bytes += payload->replaced != 0 ? charged - payload->charged : 0;
	payload->owned += charged - payload->charged;
	payload->charged = charged;
	lrd_park_trim(store, aftermath);
}
