// tests/failing_allocator.h: an allocator that counts what is out, and fails the n-th call: how tests inject every allocation failure in turn.

#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include "larder/base.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct failing_allocator
{
	atomic_llong countdown; ///< allocations that still succeed; negative: all do
	atomic_llong calls;     ///< allocations and growths asked for so far
	atomic_llong bytes_out; ///< bytes not freed yet: 0 when nothing leaks and every size given back was true
	atomic_llong bytes_peak;
} failing_allocator;

static inline void failing_allocator_note(failing_allocator *self, long long change)
{
	long long now = atomic_fetch_add(&self->bytes_out, change) + change;
	long long peak = atomic_load(&self->bytes_peak);
	while (now > peak && !atomic_compare_exchange_weak(&self->bytes_peak, &peak, now))
	{
	}
}

static inline void *failing_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	failing_allocator *self = user;
	if (new_size == 0)
	{
		failing_allocator_note(self, -(long long)old_size);
		free(block);
		return NULL;
	}
	atomic_fetch_add(&self->calls, 1);
	if (new_size > old_size && atomic_load(&self->countdown) >= 0 && atomic_fetch_sub(&self->countdown, 1) <= 0)
	{
		atomic_store(&self->countdown, 0);
		return NULL;
	}
	void *resized = realloc(block, new_size);
	if (resized != NULL)
	{
		failing_allocator_note(self, (long long)new_size - (long long)old_size);
	}
	return resized;
}

/// `succeed` allocations succeed, every later one fails; negative: none fails.
static inline void failing_allocator_init(failing_allocator *self, long long succeed)
{
	atomic_init(&self->countdown, succeed);
	atomic_init(&self->calls, 0);
	atomic_init(&self->bytes_out, 0);
	atomic_init(&self->bytes_peak, 0);
}

static inline lrd_allocator failing_allocator_get(failing_allocator *self)
{
	return (lrd_allocator){ failing_resize, self };
}

#endif
