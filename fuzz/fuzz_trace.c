// Reads the input as a trace, and where it is one, looks at all that was read and makes its calls on a store that has
// nothing mounted but what they put there: whatever is asked of a store in whatever order, it answers.

#include "store/replay.h"

#include "larder/payload.h"
#include "larder/ticket.h"

#include <stdlib.h>

#define CALLS_MAX 4096
#define REFERENCES_MAX 1000

// A scheduler whose jobs run when the owner updates, and at the end.
typedef struct scheduler
{
	lrd_job *first;
	lrd_job **last;
} scheduler;

static bool submit(void *user, lrd_job *job)
{
	scheduler *self = user;
	job->next = NULL;
	*(self->first != NULL ? self->last : &self->first) = job;
	self->last = &job->next;
	return true;
}

static void run_jobs(void *user)
{
	scheduler *self = user;
	while (self->first != NULL)
	{
		lrd_job *job = self->first;
		self->first = job->next;
		job->run(job);
	}
}

static uint32_t count_workers(void *user)
{
	(void)user;
	return 2;
}

static void ignore_log(void *user, lrd_log_level level, const char *scope, const char *message)
{
	(void)user;
	(void)level;
	(void)scope;
	(void)message;
}

static void must_be(bool truth)
{
	if (!truth)
	{
		abort();
	}
}

// What is read hangs together: every number of an id is one of those there are, texts end, bytes can be read.
static uint32_t check_value(const lrd_recording *recording, char type, const lrd_recorded_value *value)
{
	uint32_t sum = 0;
	switch (type)
	{
	case 'a': must_be(value->slot == LRD_NO_SLOT || value->slot < recording->asset_count); break;
	case 'm': must_be(value->slot == LRD_NO_SLOT || value->slot < recording->mount_count); break;
	case 't': must_be(value->slot == LRD_NO_SLOT || value->slot < recording->ticket_count); break;
	case 'l': must_be(value->slot == LRD_NO_SLOT || value->slot < recording->listener_count); break;
	case 'k': must_be(value->number < LRD_KIND_COUNT); break;
	case 'e': must_be(value->number <= LRD_RELOAD_PENDING); break;
	case 'b': must_be(value->number <= 1); break;
	case 's': must_be(value->text.data == NULL || value->text.data[value->text.size] == '\0'); break;
	case 'd':
		for (size_t i = 0; i < value->bytes.size; i++)
		{
			sum += ((const unsigned char *)value->bytes.data)[i];
		}
		break;
	default: break;
	}
	return sum;
}

static uint32_t check(const lrd_recording *recording)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < recording->call_count; i++)
	{
		const lrd_recorded_call *call = &recording->calls[i];
		const lrd_recorded_value *value = call->values;
		must_be(call->thread < recording->thread_count && call->call < LRD_CALL_COUNT);
		for (const char *type = lrd_call_rows[call->call].arguments; *type != '\0'; type++)
		{
			sum += check_value(recording, *type, value++);
		}
		for (const char *type = lrd_call_rows[call->call].answers; *type != '\0'; type++)
		{
			sum += check_value(recording, *type, value++);
		}
	}
	return sum;
}

static bool is_small(const lrd_recording *recording)
{
	bool small = recording->call_count <= CALLS_MAX;
	for (size_t i = 0; i < recording->start_count; i++)
	{
		const lrd_recorded_start *start = &recording->start[i];
		small =
			small && (start->sort != LRD_START_HELD || (start->count < REFERENCES_MAX && start->more < REFERENCES_MAX));
		small = small && start->sort != LRD_START_MOUNT;
	}
	return small;
}

static void run(lrd_recording *recording)
{
	scheduler jobs = { 0 };
	lrd_jobs interface = { submit, run_jobs, count_workers, &jobs };
	lrd_replay_desc desc = { .store = "/nowhere/at/all" };
	lrd_replay replay = { .desc = &desc, .recording = *recording };
	replay.assets = calloc(recording->asset_count + 1, sizeof *replay.assets);
	replay.mounts = calloc((size_t)recording->mount_count + 1, sizeof *replay.mounts);
	replay.tickets = calloc((size_t)recording->ticket_count + 1, sizeof *replay.tickets);
	replay.listeners = calloc((size_t)recording->listener_count + 1, sizeof *replay.listeners);
	replay.store = lrd_store_open(
		&(lrd_store_desc){
			.keep_parked = recording->keep_parked, .jobs = &interface, .quiet = true, .log = { ignore_log, NULL } },
		NULL);
	if (replay.store != NULL && replay.assets != NULL && replay.mounts != NULL && replay.tickets != NULL &&
		replay.listeners != NULL && lrd_replay_start(&replay, NULL))
	{
		for (size_t i = 0; i < recording->call_count; i++)
		{
			if (recording->calls[i].call == LRD_CALL_store_update)
			{
				run_jobs(&jobs);
			}
			if (recording->calls[i].call != LRD_CALL_store_close)
			{
				lrd_replay_call(&replay, &recording->calls[i]);
			}
		}
	}
	run_jobs(&jobs);
	lrd_store_close(replay.store);
	free(replay.assets);
	free(replay.mounts);
	free(replay.tickets);
	free(replay.listeners);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lrd_buffer text = { 0 };
	lrd_recording recording;
	lrd_error error;
	if (!lrd_buffer_append(&text, data, size))
	{
		return 0;
	}
	if (lrd_recording_read(&text, &recording, &error))
	{
		volatile uint32_t sum = check(&recording);
		(void)sum;
		if (is_small(&recording))
		{
			run(&recording);
		}
		lrd_recording_free(&recording);
	}
	return 0;
}
