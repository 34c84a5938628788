// bench/store_bench.h: what the files of bench_store share: assets in memory, jobs that run when they are told to, clocks.

#ifndef BENCH_STORE_BENCH_H
#define BENCH_STORE_BENCH_H

#include "bench.h"
#include "larder/payload.h"
#include "larder/scope.h"
#include "larder/snapshot.h"
#include "larder/ticket.h"

/// Zeroed; stops the program when there is none.
void *bench_get(size_t count, size_t size);
uint64_t bench_random(uint64_t *state);
/// Seconds of processor time of the calling thread, and of the clock on the wall.
double bench_thread_now(void);
double bench_wall_now(void);
/// Bytes of memory that this process has.
double bench_resident(void);

/// A scheduler whose jobs run in bench_jobs_run, on its thread.
typedef struct bench_jobs
{
	lrd_job *first;
	lrd_job **last;
} bench_jobs;
lrd_jobs bench_jobs_of(bench_jobs *jobs);
void bench_jobs_run(bench_jobs *jobs);

/// Assets of one kind of content: blobs in memory that the store uses in place, all with the same bytes.
typedef struct bench_assets
{
	bench_jobs jobs;
	lrd_jobs interface;
	lrd_store *store;
	lrd_memory_file *files;
	char *names;
	lrd_asset *assets;
	uint32_t count;
} bench_assets;

/// The `number`-th name: a path as games have them, 43 bytes.
#define BENCH_NAME_ROOM 48
lrd_string bench_name(char text[BENCH_NAME_ROOM], uint32_t number);

/// A store over `count` of them, found but not loaded.
void bench_assets_open(bench_assets *self, uint32_t count, uint64_t keep_parked);
/// Retain them all, and run what that asks for.
void bench_assets_load(bench_assets *self);
void bench_assets_release(bench_assets *self);
void bench_assets_close(bench_assets *self);

void bench_check(bool done, const lrd_error *error);

// The tables.
void bench_references(void);
void bench_finding(void);
void bench_memory(void);
void bench_frames(void);
void bench_storm(void);
void bench_loads(const char *folder);
void bench_mounted(const char *folder);

#endif
