// One task's pieces on several workers. Whoever is free takes the next piece. Workers that come when no piece is left go
// away again; the last one to know of the crew frees it.

#include "os/parallel.h"

#include "os/os.h"

#include <stdatomic.h>

#define MAX_HELPERS 255

typedef struct helper
{
	lrd_job job;
	struct crew *crew;
} helper;

typedef struct crew
{
	void (*piece)(void *user, uint32_t index);
	void *user;
	uint32_t count;
	atomic_uint next;
	atomic_uint references;
	lrd_mutex mutex;
	lrd_condition finished;
	uint32_t done; ///< pieces; under `mutex`
	lrd_allocator allocator;
	size_t size;
	helper helpers[];
} crew;

static void leave(crew *self)
{
	if (atomic_fetch_sub(&self->references, 1) == 1)
	{
		lrd_condition_destroy(&self->finished);
		lrd_mutex_destroy(&self->mutex);
		lrd_free(self->allocator, self, self->size);
	}
}

static void take_pieces(crew *self)
{
	uint32_t done = 0;
	for (uint32_t i; (i = atomic_fetch_add(&self->next, 1)) < self->count;)
	{
		self->piece(self->user, i);
		done++;
	}
	lrd_mutex_lock(&self->mutex);
	self->done += done;
	if (self->done == self->count)
	{
		lrd_condition_signal(&self->finished);
	}
	lrd_mutex_unlock(&self->mutex);
}

static void run_helper(lrd_job *job)
{
	helper *self = (helper *)(void *)job;
	crew *owner = self->crew;
	take_pieces(owner);
	leave(owner);
}

static crew *gather(lrd_allocator allocator, uint32_t helper_count)
{
	size_t size = sizeof(crew) + helper_count * sizeof(helper);
	crew *self = helper_count == 0 ? NULL : lrd_alloc_zeroed(allocator, 1, size);
	if (self == NULL)
	{
		return NULL;
	}
	if (!lrd_mutex_init(&self->mutex))
	{
		lrd_free(allocator, self, size);
		return NULL;
	}
	if (!lrd_condition_init(&self->finished))
	{
		lrd_mutex_destroy(&self->mutex);
		lrd_free(allocator, self, size);
		return NULL;
	}
	self->allocator = allocator;
	self->size = size;
	atomic_init(&self->next, 0);
	atomic_init(&self->references, 1);
	return self;
}

void lrd_parallel(const lrd_jobs *jobs, lrd_allocator allocator, uint32_t count,
	void (*piece)(void *user, uint32_t index), void *user)
{
	uint32_t useful = count < 2 || jobs == NULL ? 0 : count - 1;
	uint32_t workers = useful == 0 ? 0 : jobs->worker_count(jobs->user);
	uint32_t helper_count = workers < useful ? workers : useful;
	helper_count = helper_count < MAX_HELPERS ? helper_count : MAX_HELPERS;
	crew *self = gather(allocator, helper_count);
	if (self == NULL)
	{
		for (uint32_t i = 0; i < count; ++i)
		{
			piece(user, i);
		}
		return;
	}
	self->piece = piece;
	self->user = user;
	self->count = count;
	for (uint32_t i = 0; i < helper_count; ++i)
	{
		self->helpers[i] = (helper){ .job = { .run = run_helper }, .crew = self };
		atomic_fetch_add(&self->references, 1);
		if (!jobs->submit(jobs->user, &self->helpers[i].job))
		{
			leave(self);
			break;
		}
	}
	take_pieces(self);
	lrd_mutex_lock(&self->mutex);
	while (self->done != self->count)
	{
		lrd_condition_wait(&self->finished, &self->mutex);
	}
	lrd_mutex_unlock(&self->mutex);
	leave(self);
}
