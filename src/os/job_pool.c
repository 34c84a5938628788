// os/job_pool.c: larder's own scheduler: threads and one queue. A job is a node inside what it works on: submitting
// allocates nothing.

#include "larder/jobs.h"

#include "base/error.h"
#include "os/os.h"

#define WORKERS_MAX 256
#define DEFAULT_STACK_SIZE ((size_t)1 << 20)

struct lrd_job_pool
{
	lrd_allocator allocator;
	size_t allocated;   // bytes of this struct and its threads
	lrd_mutex mutex;    // guards what follows, to `stopping`
	lrd_condition work; // there is a job, or the end has come
	lrd_condition idle; // `unfinished` is 0
	lrd_job *first;
	lrd_job *last;
	size_t unfinished; // jobs submitted and not yet run to their end
	bool stopping;
	uint32_t worker_count;
	lrd_thread *workers[];
};

static bool pool_submit(void *user, lrd_job *job)
{
	lrd_job_pool *pool = user;
	job->next = NULL;
	lrd_mutex_lock(&pool->mutex);
	if (pool->first == NULL)
	{
		pool->first = job;
	}
	else
	{
		pool->last->next = job;
	}
	pool->last = job;
	pool->unfinished++;
	lrd_condition_signal(&pool->work);
	lrd_mutex_unlock(&pool->mutex);
	return true;
}

static void pool_wait(void *user)
{
	lrd_job_pool *pool = user;
	lrd_mutex_lock(&pool->mutex);
	while (pool->unfinished != 0)
	{
		lrd_condition_wait(&pool->idle, &pool->mutex);
	}
	lrd_mutex_unlock(&pool->mutex);
}

static uint32_t pool_worker_count(void *user)
{
	const lrd_job_pool *pool = user;
	return pool->worker_count;
}

// The next job, or NULL at the end. The mutex is held.
static lrd_job *take_job(lrd_job_pool *pool)
{
	while (pool->first == NULL && !pool->stopping)
	{
		lrd_condition_wait(&pool->work, &pool->mutex);
	}
	lrd_job *job = pool->first;
	if (job != NULL)
	{
		pool->first = job->next;
	}
	return job;
}

static void run_worker(void *user)
{
	lrd_job_pool *pool = user;
	lrd_mutex_lock(&pool->mutex);
	for (lrd_job *job = take_job(pool); job != NULL; job = take_job(pool))
	{
		lrd_mutex_unlock(&pool->mutex);
		job->run(job); // may free the job
		lrd_mutex_lock(&pool->mutex);
		pool->unfinished--;
		if (pool->unfinished == 0)
		{
			lrd_condition_broadcast(&pool->idle);
		}
	}
	lrd_mutex_unlock(&pool->mutex);
}

static void stop_workers(lrd_job_pool *pool, uint32_t started)
{
	lrd_mutex_lock(&pool->mutex);
	pool->stopping = true;
	lrd_condition_broadcast(&pool->work);
	lrd_mutex_unlock(&pool->mutex);
	for (uint32_t i = 0; i < started; i++)
	{
		lrd_thread_join(pool->workers[i]);
	}
}

static void free_pool(lrd_job_pool *pool)
{
	lrd_condition_destroy(&pool->idle);
	lrd_condition_destroy(&pool->work);
	lrd_mutex_destroy(&pool->mutex);
	lrd_free(pool->allocator, pool, pool->allocated);
}

static bool init_locks(lrd_job_pool *pool)
{
	if (!lrd_mutex_init(&pool->mutex))
	{
		return false;
	}
	if (!lrd_condition_init(&pool->work))
	{
		lrd_mutex_destroy(&pool->mutex);
		return false;
	}
	if (!lrd_condition_init(&pool->idle))
	{
		lrd_condition_destroy(&pool->work);
		lrd_mutex_destroy(&pool->mutex);
		return false;
	}
	return true;
}

static uint32_t default_worker_count(void)
{
	uint32_t processors = lrd_processor_count();
	return processors < WORKERS_MAX ? processors : WORKERS_MAX;
}

lrd_job_pool *lrd_job_pool_create(const lrd_job_pool_desc *desc, lrd_error *error)
{
	uint32_t count = desc->worker_count != 0 ? desc->worker_count : default_worker_count();
	if (count > WORKERS_MAX)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "a job pool of %u workers: at most %d are allowed", count, WORKERS_MAX);
		return NULL;
	}
	size_t size = sizeof(lrd_job_pool) + count * sizeof(lrd_thread *);
	lrd_job_pool *pool = lrd_alloc_zeroed(desc->allocator, 1, size);
	if (pool == NULL || !init_locks(pool))
	{
		lrd_free(desc->allocator, pool, size);
		lrd_fail_memory(error, "a job pool", size);
		return NULL;
	}
	pool->allocator = desc->allocator;
	pool->allocated = size;
	pool->worker_count = count;
	size_t stack_size = desc->stack_size != 0 ? desc->stack_size : DEFAULT_STACK_SIZE;
	for (uint32_t i = 0; i < count; i++)
	{
		pool->workers[i] = lrd_thread_start(run_worker, pool, stack_size, desc->allocator, error);
		if (pool->workers[i] == NULL)
		{
			stop_workers(pool, i);
			free_pool(pool);
			return NULL;
		}
	}
	return pool;
}

lrd_jobs lrd_job_pool_jobs(lrd_job_pool *pool)
{
	return (lrd_jobs){ pool_submit, pool_wait, pool_worker_count, pool };
}

void lrd_job_pool_destroy(lrd_job_pool *pool)
{
	if (pool == NULL)
	{
		return;
	}
	pool_wait(pool);
	stop_workers(pool, pool->worker_count);
	free_pool(pool);
}
