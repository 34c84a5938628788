// store/stats.c: names of states, the counters, and the figures that are read off the tables when they are asked for.

#include "store/diagnostics.h"

const char *lrd_state_name(lrd_state state)
{
	switch (state)
	{
	case LRD_ABSENT: return "absent";
	case LRD_QUEUED: return "queued";
	case LRD_LOADING: return "loading";
	case LRD_READY: return "ready";
	case LRD_FAILED: return "failed";
	case LRD_RELOAD_PENDING: return "reload_pending";
	}
	return "unknown";
}

void lrd_stats_fill(const lrd_store *store, lrd_store_stats *stats)
{
	*stats = store->stats;
	stats->parked_bytes = store->park.bytes;
	stats->parked = store->park.count;
	stats->keep_parked = store->park.keep;
	stats->queued = store->queue.count;
	stats->running = store->running;
	stats->mounts = store->mounts.count;
	stats->leased_mounts = store->mounts.leased_count;
	stats->probes = store->mounts.probes;
	stats->refused = atomic_load_explicit(&store->refused, memory_order_relaxed);
}

void lrd_store_get_stats(const lrd_store *store, lrd_store_stats *stats)
{
	lrd_mutex *lock = lrd_store_lock(store);
	lrd_mutex_lock(lock);
	lrd_stats_fill(store, stats);
	lrd_mutex_unlock(lock);
}
