// os/watch_batch.h: changes that wait until it is quiet, so that a file that is written in three steps is told once.
// Times are lrd_clock_ns. Not for other rooms.

#ifndef OS_WATCH_BATCH_H
#define OS_WATCH_BATCH_H

#include "os/watch.h"

typedef struct lrd_watch_entry
{
	size_t path; // offset in `text`
	size_t size;
	uint32_t hash;
	bool young;     // made, and not yet written: told when it is, or when it is `longest` old
	uint64_t since; // when it was made
} lrd_watch_entry;

typedef struct lrd_watch_batch
{
	lrd_allocator allocator;
	uint64_t quiet_ns;
	uint64_t longest_ns;
	size_t paths_max;
	lrd_watch_entry *entries;
	size_t count;
	size_t capacity;
	size_t young_count;
	lrd_buffer text;
	lrd_string *told;
	size_t told_capacity;
	bool everything;
	uint64_t first_ns; // the first and the last change that is not young
	uint64_t last_ns;
} lrd_watch_batch;

/// `young`: a file that was made, and that somebody is about to write into.
void lrd_watch_batch_add(lrd_watch_batch *batch, lrd_string path, bool young, uint64_t now);
void lrd_watch_batch_everything(lrd_watch_batch *batch, uint64_t now);
/// When something is to be told; UINT64_MAX: nothing is.
uint64_t lrd_watch_batch_due(const lrd_watch_batch *batch);
/// What is to be told now, if anything; it leaves the batch with lrd_watch_batch_told.
bool lrd_watch_batch_take(lrd_watch_batch *batch, uint64_t now, lrd_watch_changes *changes);
void lrd_watch_batch_told(lrd_watch_batch *batch, uint64_t now);
void lrd_watch_batch_free(lrd_watch_batch *batch);

#endif
