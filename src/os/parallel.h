// os/parallel.h: one task's work spread over idle workers, from inside a job. The task takes pieces itself until none
// is left and then waits only for pieces that are running already, so it never waits for a job that has not begun.

#ifndef OS_PARALLEL_H
#define OS_PARALLEL_H

#include "base/memory.h"
#include "larder/jobs.h"

/// Run `piece` once for each index below `count`, in any order, on this thread and on workers that are free. Returns
/// when all have run. Without jobs, or memory to ask for them, this thread does everything.
void lrd_parallel(const lrd_jobs *jobs, lrd_allocator allocator, uint32_t count,
	void (*piece)(void *user, uint32_t index), void *user);

#endif
