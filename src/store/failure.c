// store/failure.c: messages that are kept: why an asset could not be loaded; and how many of them are logged. A wrong folder makes every name
// of a game fail, and a line for each would be all that a program does.

#include "store/store.h"

#include "base/error.h"
#include "os/os.h"

#include <inttypes.h>

#define SECOND_NS 1000000000u

// When there is no memory for a message, its code is kept.
static lrd_failure constants[] = {
	{ LRD_OK, 0, "it failed" },
	{ LRD_ERROR_MEMORY, 0, "out of memory" },
	{ LRD_ERROR_IO, 0, "it could not be read" },
	{ LRD_ERROR_NOT_FOUND, 0, "it was not found" },
	{ LRD_ERROR_FORMAT, 0, "it is damaged, or of another version" },
	{ LRD_ERROR_UNSUPPORTED, 0, "it can't be loaded" },
	{ LRD_ERROR_LIMIT, 0, "it is too large" },
	{ LRD_ERROR_PATH, 0, "it has no valid path" },
	{ LRD_ERROR_ARGUMENT, 0, "it was asked for wrongly" },
	{ LRD_ERROR_CONFLICT, 0, "two things claim it" },
	{ LRD_ERROR_CHANGED, 0, "it changed while it was read" },
};

static lrd_failure *constant_of(lrd_error_code code)
{
	size_t count = sizeof constants / sizeof *constants;
	return &constants[(size_t)code < count ? (size_t)code : 0];
}

lrd_failure *lrd_failure_make(lrd_store *store, const lrd_error *error)
{
	size_t length = strlen(error->message);
	size_t size = sizeof(lrd_failure) + length + 1;
	lrd_failure *failure = lrd_alloc(store->allocator, size);
	if (failure == NULL)
	{
		return constant_of(error->code);
	}
	char *message = (char *)(failure + 1);
	memcpy(message, error->message, length + 1);
	*failure = (lrd_failure){ .code = error->code, .size = (uint32_t)size, .message = message };
	return failure;
}

void lrd_failure_free(lrd_store *store, lrd_failure *failure)
{
	if (failure != NULL && failure->size != 0)
	{
		lrd_free(store->allocator, failure, failure->size);
	}
}

void lrd_failure_get(const lrd_failure *failure, lrd_error *error)
{
	lrd_fail(error, failure->code, "%s", failure->message);
}

bool lrd_failure_note(lrd_failure_log *self, uint64_t now_ns, uint64_t *unsaid)
{
	*unsaid = 0;
	if (self->said == 0 || now_ns - self->since_ns >= SECOND_NS)
	{
		*unsaid = self->unsaid;
		*self = (lrd_failure_log){ .since_ns = now_ns };
	}
	bool is_said = self->said < LRD_FAILURES_SAID;
	self->said += is_said;
	self->unsaid += !is_said;
	return is_said;
}

void lrd_failures_say(const lrd_store *store, uint64_t unsaid)
{
	if (unsaid != 0)
	{
		lrd_log_write(&store->log, LRD_LOG_WARNING, "store",
			"%" PRIu64 " more could not be loaded; a snapshot has each, and lrd_asset_error says why", unsaid);
	}
}

void lrd_failures_sum_up(lrd_store *store, bool in_any_case)
{
	lrd_failure_log *self = &store->failure_log;
	lrd_mutex_lock(&store->lock);
	bool is_over = in_any_case || lrd_clock_ns() - self->since_ns >= SECOND_NS;
	uint64_t unsaid = is_over ? self->unsaid : 0;
	self->unsaid -= unsaid;
	if (self->unsaid != 0)
	{
		atomic_fetch_or_explicit(&store->attention, LRD_ATTENTION_UNSAID, memory_order_relaxed);
	}
	lrd_mutex_unlock(&store->lock);
	lrd_failures_say(store, unsaid);
}
