// os/thread.c: threads, mutexes, conditions, the clock. pthreads: C11's <threads.h> is unknown to ThreadSanitizer.

#if defined(__linux__)
#define _GNU_SOURCE // sched_getaffinity
#endif

#include "os/os.h"

#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sched.h>
#endif

// The largest machine that is counted by affinity; beyond it, the count of processors that are online is used.
#define PROCESSORS_MAX 8192

// What the smallest stack a system allows still lacks for a worker's own frames.
#define SMALLEST_STACK ((size_t)64 * 1024)

struct lrd_thread
{
	pthread_t handle;
	void (*run)(void *user);
	void *user;
	lrd_allocator allocator;
};

static void *enter(void *argument)
{
	lrd_thread *thread = argument;
	thread->run(thread->user);
	return NULL;
}

static int create(lrd_thread *thread, size_t stack_size)
{
	pthread_attr_t attributes;
	int number = pthread_attr_init(&attributes);
	if (number != 0)
	{
		return number;
	}
	if (stack_size != 0)
	{
		size_t page = (size_t)sysconf(_SC_PAGESIZE);
		size_t smallest = (size_t)PTHREAD_STACK_MIN > SMALLEST_STACK ? (size_t)PTHREAD_STACK_MIN : SMALLEST_STACK;
		size_t size = stack_size > smallest ? stack_size : smallest;
		number = size > SIZE_MAX - page ? EAGAIN : pthread_attr_setstacksize(&attributes, lrd_align_up(size, page));
	}
	if (number == 0)
	{
		// A program's signals are for the program's threads.
		sigset_t all, before;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		number = pthread_create(&thread->handle, &attributes, enter, thread);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attributes);
	return number;
}

lrd_thread *lrd_thread_start(
	void (*run)(void *user), void *user, size_t stack_size, lrd_allocator allocator, lrd_error *error)
{
	lrd_thread *thread = lrd_alloc(allocator, sizeof *thread);
	if (thread == NULL)
	{
		lrd_fail_memory(error, "a thread", sizeof *thread);
		return NULL;
	}
	*thread = (lrd_thread){ .run = run, .user = user, .allocator = allocator };
	int number = create(thread, stack_size);
	if (number != 0)
	{
		lrd_free(allocator, thread, sizeof *thread);
		lrd_fail(error, LRD_ERROR_IO, "can't start a thread with a stack of %zu bytes: %s", stack_size,
			number == EAGAIN ? "the system has no room for more" : "the system refused");
		return NULL;
	}
	return thread;
}

void lrd_thread_join(lrd_thread *thread)
{
	if (thread != NULL)
	{
		pthread_join(thread->handle, NULL);
		lrd_free(thread->allocator, thread, sizeof *thread);
	}
}

uintptr_t lrd_thread_self(void)
{
	static _Thread_local char own;
	return (uintptr_t)&own;
}

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(lrd_mutex), "lrd_mutex must hold a pthread_mutex_t");
_Static_assert(_Alignof(pthread_mutex_t) <= _Alignof(lrd_mutex), "lrd_mutex must be aligned like a pthread_mutex_t");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(lrd_condition), "lrd_condition must hold a pthread_cond_t");
_Static_assert(
	_Alignof(pthread_cond_t) <= _Alignof(lrd_condition), "lrd_condition must be aligned like a pthread_cond_t");

static pthread_mutex_t *mutex_of(lrd_mutex *mutex)
{
	return (pthread_mutex_t *)(void *)mutex->storage;
}

static pthread_cond_t *condition_of(lrd_condition *condition)
{
	return (pthread_cond_t *)(void *)condition->storage;
}

// What mutexes guard here takes less time than putting a thread to sleep: where the system offers it, a thread looks a few
// times more before it sleeps.
static bool init_looking_again(pthread_mutex_t *mutex)
{
#if defined(__GLIBC__)
	pthread_mutexattr_t attributes;
	if (pthread_mutexattr_init(&attributes) != 0)
	{
		return false;
	}
	bool done = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP) == 0 &&
				pthread_mutex_init(mutex, &attributes) == 0;
	pthread_mutexattr_destroy(&attributes);
	return done;
#else
	return pthread_mutex_init(mutex, NULL) == 0;
#endif
}

bool lrd_mutex_init(lrd_mutex *mutex)
{
	return init_looking_again(mutex_of(mutex));
}

void lrd_mutex_destroy(lrd_mutex *mutex)
{
	pthread_mutex_destroy(mutex_of(mutex));
}

void lrd_mutex_lock(lrd_mutex *mutex)
{
	pthread_mutex_lock(mutex_of(mutex));
}

void lrd_mutex_unlock(lrd_mutex *mutex)
{
	pthread_mutex_unlock(mutex_of(mutex));
}

bool lrd_condition_init(lrd_condition *condition)
{
	return pthread_cond_init(condition_of(condition), NULL) == 0;
}

void lrd_condition_destroy(lrd_condition *condition)
{
	pthread_cond_destroy(condition_of(condition));
}

void lrd_condition_wait(lrd_condition *condition, lrd_mutex *mutex)
{
	pthread_cond_wait(condition_of(condition), mutex_of(mutex));
}

void lrd_condition_signal(lrd_condition *condition)
{
	pthread_cond_signal(condition_of(condition));
}

void lrd_condition_broadcast(lrd_condition *condition)
{
	pthread_cond_broadcast(condition_of(condition));
}

uint64_t lrd_clock_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t lrd_processor_count(void)
{
#if defined(__linux__)
	union
	{
		cpu_set_t first;
		unsigned char all[PROCESSORS_MAX / 8];
	} allowed;
	memset(&allowed, 0, sizeof allowed);
	if (sched_getaffinity(0, sizeof allowed, &allowed.first) == 0)
	{
		int count = CPU_COUNT_S(sizeof allowed, &allowed.first);
		if (count > 0)
		{
			return (uint32_t)count;
		}
	}
#endif
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (uint32_t)online : 1;
}
