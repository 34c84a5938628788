// store/diagnostics.h: what stats.c and snapshot.c offer the rest of the room.

#ifndef STORE_DIAGNOSTICS_H
#define STORE_DIAGNOSTICS_H

#include "store/store.h"

/// stats.c. The counters, and the figures as they are now. Under the lock.
void lrd_stats_fill(const lrd_store *store, lrd_store_stats *stats);

/// Of what the clock said; at most what the type holds.
static inline uint32_t lrd_microseconds(uint64_t from_ns, uint64_t to_ns)
{
	uint64_t passed = to_ns > from_ns ? (to_ns - from_ns) / 1000 : 0;
	return passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
}

// How long a payload is ready before the owner's next update hands it over. Only diagnostics. Under the lock.

#ifdef LRD_DIAGNOSTICS
/// Now. Only diagnostics: reading the clock is dear beside a small load.
static inline uint64_t lrd_diagnostic_clock_ns(void)
{
	return lrd_clock_ns();
}
/// snapshot.c. It became ready now.
void lrd_fresh_add(lrd_store *store, lrd_payload *payload);
/// It is freed; harmless when it was handed over, or never was ready.
void lrd_fresh_remove(lrd_payload *payload);
/// The owner updates.
void lrd_fresh_hand_over(lrd_store *store);
#else
static inline uint64_t lrd_diagnostic_clock_ns(void)
{
	return 0;
}
static inline void lrd_fresh_add(lrd_store *store, lrd_payload *payload)
{
	(void)store;
	(void)payload;
}
static inline void lrd_fresh_remove(lrd_payload *payload)
{
	(void)payload;
}
static inline void lrd_fresh_hand_over(lrd_store *store)
{
	(void)store;
}
#endif

#endif
