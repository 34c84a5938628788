// larder/jobs.h: how work reaches other threads. An engine implements lrd_jobs over its own scheduler, or uses the pool
// here.

#ifndef LARDER_JOBS_H
#define LARDER_JOBS_H

#include "larder/base.h"

/// One piece of work, a node inside what it works on: submitting allocates nothing.
/// Zero it, set `run`, submit it; it belongs to the scheduler until `run` is entered. `run` may free the job.
typedef struct lrd_job
{
	struct lrd_job *next;             ///< the scheduler's, while it waits
	void (*run)(struct lrd_job *job); ///< called once, on a worker
} lrd_job;

/// A scheduler. Jobs never wait for jobs that have not begun: a job that needs others to finish first is submitted by the
/// last of them.
typedef struct lrd_jobs
{
	/// Take a job, to run it later on a worker, never inside this call. False: refused for now, the job is still the
	/// caller's. Any thread, workers included.
	bool (*submit)(void *user, lrd_job *job);

	/// Return when every job submitted so far, and those that they submitted, have run. Never called from a worker.
	void (*wait)(void *user);

	/// How many jobs can run at once; at least 1.
	uint32_t (*worker_count)(void *user);

	void *user;
} lrd_jobs;

/// larder's own scheduler: threads and one queue, first in, first out.
typedef struct lrd_job_pool lrd_job_pool;

typedef struct lrd_job_pool_desc
{
	uint32_t worker_count;   ///< threads, 1..256; 0: one for each processor this process may use
	size_t stack_size;       ///< bytes a worker's stack has; 0: 1 MiB
	lrd_allocator allocator; ///< zeroed: malloc
} lrd_job_pool_desc;

/// Start the workers. NULL when memory or threads run out (LRD_ERROR_MEMORY, LRD_ERROR_IO); none is then left running.
LRD_API lrd_job_pool *lrd_job_pool_create(const lrd_job_pool_desc *desc, lrd_error *error);

/// The pool as a scheduler; valid as long as the pool.
LRD_API lrd_jobs lrd_job_pool_jobs(lrd_job_pool *pool);

/// Wait for every job, stop the workers, free the pool. NULL is allowed. Not from a worker.
LRD_API void lrd_job_pool_destroy(lrd_job_pool *pool);

#endif
