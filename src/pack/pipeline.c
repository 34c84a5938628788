// pack/pipeline.c: a ring of payloads being prepared. Only the thread that owns the pipeline fills and empties the
// ring; a job touches its own place in it, and says that it is done under the lock.

#include "pack/pipeline.h"

#include "base/error.h"

// Places for each worker: one to work on, one waiting.
#define PLACES_PER_WORKER 2
#define PLACES_MAX 64

// How many bytes of sources may be in memory at once; a single larger one goes alone.
#define BYTES_MAX ((uint64_t)256 << 20)

typedef struct place
{
	lrd_job job; // first: a job is its place
	lrd_pipeline *pipeline;
	const lrd_plan_entry *entry;
	lrd_pack_payload payload;
	bool done; // under the lock
	bool sound;
	lrd_error error;
} place;

struct lrd_pipeline
{
	const lrd_pack_plan *plan;
	const lrd_pack_write_desc *desc;
	const lrd_pack_payload_settings *settings;
	lrd_mutex mutex;
	lrd_condition condition;
	place *places;
	uint32_t place_count;
	uint32_t begun;         // entries given to a place so far
	uint32_t taken;         // and handed out
	uint64_t bytes_ongoing; // of those begun and not taken
};

static bool prepare(place *at)
{
	const lrd_pipeline *pipeline = at->pipeline;
	const lrd_pack_source *source = &pipeline->desc->sources[at->entry->source];
	return (lrd_pack_payload_load(&at->payload, source, pipeline->settings->allocator, &at->error) &&
			   lrd_pack_payload_compress(&at->payload, at->entry->raw, pipeline->settings, &at->error)) ||
		   lrd_fail_in(&at->error, "%.*s", LRD_STR_ARG(at->entry->key));
}

static void run_place(lrd_job *job)
{
	place *at = (place *)job;
	lrd_pipeline *pipeline = at->pipeline;
	bool sound = prepare(at);
	lrd_mutex_lock(&pipeline->mutex);
	at->sound = sound;
	at->done = true;
	lrd_condition_signal(&pipeline->condition);
	lrd_mutex_unlock(&pipeline->mutex);
}

static uint32_t place_count(const lrd_jobs *jobs)
{
	uint32_t workers = jobs != NULL ? jobs->worker_count(jobs->user) : 0;
	if (workers == 0)
	{
		return 1;
	}
	return workers < PLACES_MAX / PLACES_PER_WORKER ? workers * PLACES_PER_WORKER : PLACES_MAX;
}

lrd_pipeline *lrd_pipeline_create(const lrd_pack_plan *plan, const lrd_pack_write_desc *desc,
	const lrd_pack_payload_settings *settings, lrd_error *error)
{
	uint32_t count = place_count(desc->jobs);
	size_t size = sizeof(lrd_pipeline) + count * sizeof(place);
	lrd_pipeline *pipeline = lrd_alloc_zeroed(settings->allocator, 1, size);
	if (pipeline == NULL)
	{
		lrd_fail_memory(error, "preparing payloads", size);
		return NULL;
	}
	pipeline->plan = plan;
	pipeline->desc = desc;
	pipeline->settings = settings;
	pipeline->places = (place *)(pipeline + 1);
	pipeline->place_count = count;
	bool has_mutex = lrd_mutex_init(&pipeline->mutex);
	if (!has_mutex || !lrd_condition_init(&pipeline->condition))
	{
		if (has_mutex)
		{
			lrd_mutex_destroy(&pipeline->mutex);
		}
		lrd_free(settings->allocator, pipeline, size);
		lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: a lock");
		return NULL;
	}
	return pipeline;
}

static bool has_room(const lrd_pipeline *pipeline)
{
	if (pipeline->begun == pipeline->plan->count || pipeline->begun - pipeline->taken == pipeline->place_count)
	{
		return false;
	}
	uint64_t size = pipeline->plan->entries[pipeline->begun].size;
	return pipeline->begun == pipeline->taken ||
		   (pipeline->bytes_ongoing < BYTES_MAX && size <= BYTES_MAX - pipeline->bytes_ongoing);
}

// Begins as many as there is room for. A scheduler that refuses is asked again for the next payload; where nothing else
// is under way, this thread does the work.
static void begin_more(lrd_pipeline *pipeline)
{
	const lrd_jobs *jobs = pipeline->desc->jobs;
	while (has_room(pipeline))
	{
		const lrd_plan_entry *entry = &pipeline->plan->entries[pipeline->begun];
		place *at = &pipeline->places[pipeline->begun % pipeline->place_count];
		*at = (place){ .job = { .run = run_place }, .pipeline = pipeline, .entry = entry };
		if (jobs == NULL || !jobs->submit(jobs->user, &at->job))
		{
			if (pipeline->begun != pipeline->taken)
			{
				return;
			}
			run_place(&at->job);
		}
		pipeline->begun++;
		pipeline->bytes_ongoing += entry->size;
	}
}

static place *wait_for_next(lrd_pipeline *pipeline)
{
	place *at = &pipeline->places[pipeline->taken % pipeline->place_count];
	lrd_mutex_lock(&pipeline->mutex);
	while (!at->done)
	{
		lrd_condition_wait(&pipeline->condition, &pipeline->mutex);
	}
	lrd_mutex_unlock(&pipeline->mutex);
	return at;
}

bool lrd_pipeline_next(lrd_pipeline *pipeline, lrd_pack_payload *payload, lrd_error *error)
{
	begin_more(pipeline);
	place *at = wait_for_next(pipeline);
	pipeline->bytes_ongoing -= at->entry->size;
	pipeline->taken++;
	if (!at->sound)
	{
		return lrd_fail(error, at->error.code, "%s", at->error.message);
	}
	*payload = at->payload;
	return true;
}

void lrd_pipeline_destroy(lrd_pipeline *pipeline)
{
	if (pipeline == NULL)
	{
		return;
	}
	for (; pipeline->taken != pipeline->begun; pipeline->taken++)
	{
		place *at = wait_for_next(pipeline);
		if (at->sound)
		{
			lrd_pack_payload_free(&at->payload);
		}
	}
	lrd_condition_destroy(&pipeline->condition);
	lrd_mutex_destroy(&pipeline->mutex);
	lrd_free(pipeline->settings->allocator, pipeline, sizeof(lrd_pipeline) + pipeline->place_count * sizeof(place));
}
