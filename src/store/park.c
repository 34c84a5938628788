// store/park.c: what nobody holds: freed at once, or kept within the budget, the oldest going first. The queue goes through
// the records, so that parking can't fail and costs the same however much is parked.
//
// A parked payload lets go of what it names, which then parks behind it. So for the budget a payload always goes before
// what it names. But what it names may be over the budget by itself, or change, or be forgotten: before a payload is
// held again, lrd_payload_is_whole looks.

#include "store/trace.h"

bool lrd_park_has(const lrd_store *store, uint32_t record)
{
	return store->park.oldest == record || lrd_record_at(store, record)->older != LRD_NONE;
}

static uint64_t charged(const lrd_store *store, uint32_t record)
{
	return lrd_record_payload(lrd_record_at(store, record))->charged;
}

void lrd_park_remove(lrd_store *store, uint32_t record)
{
	lrd_park *park = &store->park;
	lrd_record *at = lrd_record_at(store, record);
	*(at->older != LRD_NONE ? &lrd_record_at(store, at->older)->newer : &park->oldest) = at->newer;
	*(at->newer != LRD_NONE ? &lrd_record_at(store, at->newer)->older : &park->newest) = at->older;
	at->older = LRD_NONE;
	at->newer = LRD_NONE;
	park->count--;
	park->bytes -= charged(store, record);
}

static void link_newest(lrd_store *store, uint32_t record)
{
	lrd_park *park = &store->park;
	lrd_record *at = lrd_record_at(store, record);
	at->older = park->newest;
	at->newer = LRD_NONE;
	*(park->newest != LRD_NONE ? &lrd_record_at(store, park->newest)->newer : &park->oldest) = record;
	park->newest = record;
	park->count++;
	park->bytes += charged(store, record);
}

// The payload goes, and the record is as if it had never been loaded.
static void lose_payload(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_record *at = lrd_record_at(store, record);
	lrd_payload *payload = lrd_record_payload(at);
	atomic_store_explicit(&at->payload, NULL, memory_order_release);
	lrd_record_set_state(store, at, LRD_ABSENT);
	lrd_event_note(store, record, LRD_EVENT_GONE);
	lrd_payload_doom(store, payload, aftermath);
}

void lrd_park_evict(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	lrd_park_remove(store, record);
	lose_payload(store, record, aftermath);
}

void lrd_park_trim(lrd_store *store, lrd_aftermath *aftermath)
{
	lrd_park *park = &store->park;
	while (park->bytes > park->keep || (park->keep == 0 && park->count != 0))
	{
		uint32_t oldest = park->oldest;
		lrd_park_remove(store, oldest);
		lrd_record_payload(lrd_record_at(store, oldest))->evicted = true;
		store->stats.evicted++;
		lose_payload(store, oldest, aftermath);
	}
}

void lrd_park_add(lrd_store *store, uint32_t record, lrd_aftermath *aftermath)
{
	// What alone is over the budget would only push everything else out before it.
	if (charged(store, record) > store->park.keep || store->park.keep == 0)
	{
		lose_payload(store, record, aftermath);
		return;
	}
	link_newest(store, record);
	lrd_payload_let_go(store, lrd_record_payload(lrd_record_at(store, record)), aftermath);
	lrd_park_trim(store, aftermath);
}

void lrd_store_keep_parked(lrd_store *store, uint64_t bytes)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(store);
	store->park.keep = bytes;
	lrd_park_trim(store, &aftermath);
	lrd_store_leave(store, &aftermath);
	LRD_TRACE(store, begun, store_keep_parked, lrd_trace_number(bytes));
}
