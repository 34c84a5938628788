// store/trace_read.h: a trace, read whole and checked (trace.c writes them). Format: docs/formats.md, "Trace". Cook half.

#ifndef STORE_TRACE_READ_H
#define STORE_TRACE_READ_H

#include "base/memory.h"
#include "larder/store.h"
#include "store/trace_calls.h"

#define LRD_NO_SLOT UINT32_MAX // the null id

typedef struct lrd_recorded_value
{
	union
	{
		uint32_t slot;   ///< of an id: its number among those of its sort; LRD_NO_SLOT
		uint64_t number; ///< truths, kinds and states too
		int64_t integer;
		lrd_string text; ///< null-terminated; data NULL: NULL
		lrd_bytes bytes;
	};
} lrd_recorded_value;

typedef struct lrd_recorded_call
{
	uint64_t time_ns; ///< when it ended, from the beginning of the trace
	uint64_t took_ns;
	uint32_t line; ///< in the file, from 1
	uint32_t thread;
	lrd_call call;
	lrd_recorded_value values[LRD_TRACE_VALUES_MAX]; ///< arguments, then answers
} lrd_recorded_call;

typedef struct lrd_recorded_asset
{
	lrd_kind kind; ///< LRD_KIND_NONE: a stale id from the first
	lrd_string stem;
} lrd_recorded_asset;

/// Something that was so when the trace began.
typedef struct lrd_recorded_start
{
	enum
	{
		LRD_START_MOUNT,  ///< slot: the mount; text: its name
		LRD_START_HELD,   ///< slot: the asset; count: references; more: pins
		LRD_START_TICKET, ///< slot: the ticket; count: it is sealed
		LRD_START_NEEDS,  ///< slot: the ticket; more: the asset's slot
	} sort;
	uint32_t slot;
	uint32_t count;
	uint32_t more;
	lrd_string text;
} lrd_recorded_start;

typedef struct lrd_recording
{
	lrd_allocator allocator;
	lrd_buffer text; ///< what strings and bytes lead into
	uint64_t keep_parked;
	uint32_t workers;
	lrd_recorded_start *start;
	size_t start_count, start_capacity;
	lrd_recorded_call *calls;
	size_t call_count, call_capacity;
	lrd_recorded_asset *assets;
	size_t asset_count, asset_capacity;
	uint32_t mount_count;
	uint32_t ticket_count;
	uint32_t listener_count;
	uint32_t thread_count; ///< one more than the highest number, at least 1
	bool ended;            ///< else the program did, before its recording
} lrd_recording;

/// Read a trace out of a file's text, whose ownership passes (also when this fails; its allocator is used).
/// Errors: LRD_ERROR_FORMAT with the line, LRD_ERROR_MEMORY. On failure nothing is left to free.
bool lrd_recording_read(lrd_buffer *text, lrd_recording *recording, lrd_error *error);
void lrd_recording_free(lrd_recording *recording);

#endif
