// store/trace.h: the hooks of the recorder. A public function notes the time when it begins and its arguments and answers
// when it ends; while nothing is recorded that is one relaxed load. Never under the store's lock.
//
//	const uint64_t begun = lrd_trace_begun(store);
//	bool done = …;
//	LRD_TRACE(store, begun, pin, lrd_trace_id(asset), lrd_trace_bool(done));
//
// Inside the store no public function calls another one, or calls would be recorded twice, or in vain.

#ifndef STORE_TRACE_H
#define STORE_TRACE_H

#include "store/store.h"
#include "store/trace_calls.h"

typedef struct lrd_trace lrd_trace;

/// An argument or an answer.
typedef struct lrd_trace_value
{
	char type; ///< of those in trace_calls.h; all ids are 'a'; 0: nothing
	union
	{
		lrd_asset id; ///< ids of all sorts look alike
		uint64_t number;
		int64_t integer;
		lrd_string text; ///< data NULL: "-"
		lrd_bytes bytes;
	};
} lrd_trace_value;

static inline lrd_trace_value lrd_trace_nothing(void)
{
	return (lrd_trace_value){ .type = 0 };
}
static inline lrd_trace_value lrd_trace_id(lrd_asset asset)
{
	return (lrd_trace_value){ .type = 'a', .id = asset };
}
static inline lrd_trace_value lrd_trace_mount(lrd_mount mount)
{
	return (lrd_trace_value){ .type = 'm', .id = { mount.index, mount.generation } };
}
static inline lrd_trace_value lrd_trace_ticket(lrd_ticket ticket)
{
	return (lrd_trace_value){ .type = 't', .id = { ticket.index, ticket.generation } };
}
static inline lrd_trace_value lrd_trace_listener(lrd_listener listener)
{
	return (lrd_trace_value){ .type = 'l', .id = { listener.index, listener.generation } };
}
static inline lrd_trace_value lrd_trace_kind(lrd_kind kind)
{
	return (lrd_trace_value){ .type = 'k', .number = (uint64_t)kind };
}
static inline lrd_trace_value lrd_trace_state(lrd_state state)
{
	return (lrd_trace_value){ .type = 'e', .number = (uint64_t)state };
}
static inline lrd_trace_value lrd_trace_bool(bool truth)
{
	return (lrd_trace_value){ .type = 'b', .number = truth };
}
static inline lrd_trace_value lrd_trace_number(uint64_t number)
{
	return (lrd_trace_value){ .type = 'n', .number = number };
}
static inline lrd_trace_value lrd_trace_integer(int64_t integer)
{
	return (lrd_trace_value){ .type = 'i', .integer = integer };
}
static inline lrd_trace_value lrd_trace_text(lrd_string text)
{
	return (lrd_trace_value){ .type = 's', .text = text };
}
static inline lrd_trace_value lrd_trace_bytes(lrd_bytes bytes)
{
	return (lrd_trace_value){ .type = 'd', .bytes = bytes };
}

/// The time, where calls are recorded; else 0.
static inline uint64_t lrd_trace_begun(const lrd_store *store)
{
	return __builtin_expect(atomic_load_explicit(&store->trace, memory_order_relaxed) != NULL, 0) ? lrd_clock_ns() : 0;
}

/// Record a call: its name in trace_calls.h, then a value for each argument and each answer; lrd_trace_nothing() where
/// there is none.
#define LRD_TRACE(store, begun, call, ...)                                                                             \
	do                                                                                                                 \
	{                                                                                                                  \
		if (__builtin_expect((begun) != 0, 0))                                                                         \
		{                                                                                                              \
			const lrd_trace_value trace_values[] = { __VA_ARGS__ };                                                    \
			lrd_trace_write((store), (begun), LRD_CALL_##call, trace_values);                                          \
		}                                                                                                              \
	} while (0)

void lrd_trace_write(const lrd_store *store, uint64_t begun, lrd_call call, const lrd_trace_value *values);

/// Write an asset's name, if it is not in the trace yet: before a call after which nobody knows it any more.
void lrd_trace_name(const lrd_store *store, uint64_t begun, lrd_asset asset);

/// The store is about to go: stop recording, if it does, and free what that took. What could not be written is logged.
void lrd_trace_close(lrd_store *store);

#endif
