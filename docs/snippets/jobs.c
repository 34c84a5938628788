// The code of docs/guide-jobs.md, as a program: a scheduler of one's own, and a cook on it. snippet_jobs SOURCES OUTPUT.

#include <larder/cook.h>
#include <larder/jobs.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 3

/// What stands here for an engine's scheduler.
typedef struct scheduler
{
	pthread_mutex_t mutex;
	pthread_cond_t work; // there is a job, or the end
	pthread_cond_t idle; // no job is left
	lrd_job *first;      // waiting, linked by `next`
	lrd_job *last;
	uint32_t unfinished; // waiting or running
	bool ending;
	pthread_t workers[WORKERS];
} scheduler;

static bool submit(void *user, lrd_job *job)
{
	scheduler *self = user;
	pthread_mutex_lock(&self->mutex);
	job->next = NULL;
	*(self->first == NULL ? &self->first : &self->last->next) = job;
	self->last = job;
	self->unfinished++;
	pthread_cond_signal(&self->work);
	pthread_mutex_unlock(&self->mutex);
	return true; // false would say: not now
}

static void wait_for_all(void *user)
{
	scheduler *self = user;
	pthread_mutex_lock(&self->mutex);
	while (self->unfinished != 0)
	{
		pthread_cond_wait(&self->idle, &self->mutex);
	}
	pthread_mutex_unlock(&self->mutex);
}

static uint32_t worker_count(void *user)
{
	(void)user;
	return WORKERS;
}

static void *work(void *user)
{
	scheduler *self = user;
	pthread_mutex_lock(&self->mutex);
	while (!self->ending)
	{
		lrd_job *job = self->first;
		if (job == NULL)
		{
			pthread_cond_wait(&self->work, &self->mutex);
			continue;
		}
		self->first = job->next; // before it runs: running may free it
		pthread_mutex_unlock(&self->mutex);
		job->run(job);
		pthread_mutex_lock(&self->mutex);
		if (--self->unfinished == 0)
		{
			pthread_cond_broadcast(&self->idle);
		}
	}
	pthread_mutex_unlock(&self->mutex);
	return NULL;
}

static lrd_jobs jobs_of(scheduler *self)
{
	return (lrd_jobs){
		.submit = submit,
		.wait = wait_for_all,
		.worker_count = worker_count,
		.user = self,
	};
}

/// A sum in two steps: the last of the halves to end submits the job that needs both. Nothing waits on a worker.
typedef struct half
{
	lrd_job job;
	struct sum *owner;
	uint32_t from, to;
	uint64_t result;
} half;

typedef struct sum
{
	lrd_job job;
	lrd_jobs jobs;
	half halves[2];
	atomic_uint left;
	uint64_t result;
} sum;

static void add_halves(lrd_job *job)
{
	sum *self = (sum *)(void *)job;
	self->result = self->halves[0].result + self->halves[1].result;
}

static void add_numbers(lrd_job *job)
{
	half *self = (half *)(void *)job;
	for (uint32_t i = self->from; i < self->to; ++i)
	{
		self->result += i;
	}
	if (atomic_fetch_sub(&self->owner->left, 1) == 1)
	{
		self->owner->job.run = add_halves;
		self->owner->jobs.submit(self->owner->jobs.user, &self->owner->job);
	}
}

static uint64_t sum_below(lrd_jobs jobs, uint32_t count)
{
	sum self = { .jobs = jobs, .left = 2 };
	for (uint32_t i = 0; i < 2; ++i)
	{
		self.halves[i] = (half){ .job.run = add_numbers, .owner = &self, .from = count / 2 * i };
		self.halves[i].to = i == 0 ? count / 2 : count;
	}
	jobs.submit(jobs.user, &self.halves[0].job);
	jobs.submit(jobs.user, &self.halves[1].job);
	jobs.wait(jobs.user); // also for what the halves submitted
	return self.result;
}

static bool cook_on(lrd_jobs jobs, const char *sources, const char *output)
{
	lrd_cook_report report;
	lrd_cook_desc desc = { .sources = &sources, .source_count = 1, .output = output, .jobs = &jobs };
	return lrd_cook_run(&desc, &report, NULL) && report.failed == 0 && report.cooked > 0;
}

static bool sum_on_pool(uint32_t count, uint64_t *result)
{
	lrd_error error;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 2 }, &error);
	if (pool == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	*result = sum_below(lrd_job_pool_jobs(pool), count);
	lrd_job_pool_destroy(pool); // waits for what is left
	return true;
}

int main(int argc, char **argv)
{
	scheduler self = { 0 };
	bool good = argc == 3 && pthread_mutex_init(&self.mutex, NULL) == 0 && pthread_cond_init(&self.work, NULL) == 0 &&
				pthread_cond_init(&self.idle, NULL) == 0;
	uint32_t started = 0;
	while (good && started < WORKERS && pthread_create(&self.workers[started], NULL, work, &self) == 0)
	{
		started++;
	}
	uint64_t pooled = 0;
	good = good && started == WORKERS && sum_below(jobs_of(&self), 1000) == 499500 && sum_on_pool(1001, &pooled) &&
		   pooled == 500500 && cook_on(jobs_of(&self), argv[1], argv[2]);
	pthread_mutex_lock(&self.mutex);
	self.ending = true;
	pthread_cond_broadcast(&self.work);
	pthread_mutex_unlock(&self.mutex);
	while (started > 0)
	{
		pthread_join(self.workers[--started], NULL);
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
