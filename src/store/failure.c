// store/failure.c: messages that are kept: why an asset could not be loaded.

#include "store/store.h"

#include "base/error.h"

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
