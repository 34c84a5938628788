// bench/store_references.c: a reference taken and given back, of resident assets, by 1, 2 and 4 threads: all on one asset, each
// on one of its own, or each on many. Peers: an atomic addition and subtraction on the same pattern of cache lines, and a
// count under a mutex.

#define _POSIX_C_SOURCE 200809L

#include "store_bench.h"

#include <pthread.h>
#include <stdatomic.h>

#define PAIRS 1000000u
#define THREADS_MAX 4u
#define MANY 4096u // assets a thread

typedef struct counted
{
	_Alignas(64) _Atomic uint64_t count;
	pthread_mutex_t mutex;
} counted;

typedef struct work
{
	void (*pairs)(struct work *work);
	bench_assets *assets;
	counted *counts;
	pthread_barrier_t *barrier;
	uint32_t first; // of the assets, or counts, that this thread uses, and how many:
	uint32_t used;
	double seconds; // processor time of its thread
	double begun;   // by the clock on the wall
	double ended;
} work;

static void store_pairs(work *self)
{
	lrd_store *store = self->assets->store;
	const lrd_asset *assets = self->assets->assets + self->first;
	uint32_t mask = self->used - 1;
	for (uint32_t i = 0; i < PAIRS; i++)
	{
		lrd_asset asset = assets[i * 7 & mask];
		if (!lrd_retain(store, asset) || !lrd_release(store, asset))
		{
			bench_stop("bench_store: a resident asset was not there");
		}
	}
}

static void atomic_pairs(work *self)
{
	counted *counts = self->counts + self->first;
	uint32_t mask = self->used - 1;
	for (uint32_t i = 0; i < PAIRS; i++)
	{
		counted *at = &counts[i * 7 & mask];
		atomic_fetch_add_explicit(&at->count, 1, memory_order_acq_rel);
		atomic_fetch_sub_explicit(&at->count, 1, memory_order_acq_rel);
	}
}

static void mutex_pairs(work *self)
{
	counted *counts = self->counts + self->first;
	uint32_t mask = self->used - 1;
	for (uint32_t i = 0; i < PAIRS; i++)
	{
		counted *at = &counts[i * 7 & mask];
		pthread_mutex_lock(&at->mutex);
		at->count++;
		pthread_mutex_unlock(&at->mutex);
		pthread_mutex_lock(&at->mutex);
		at->count--;
		pthread_mutex_unlock(&at->mutex);
	}
}

static void *run(void *argument)
{
	work *self = argument;
	pthread_barrier_wait(self->barrier);
	self->begun = bench_wall_now();
	double begin = bench_thread_now();
	self->pairs(self);
	self->seconds = bench_thread_now() - begin;
	self->ended = bench_wall_now();
	return NULL;
}

typedef struct figures
{
	double ns;   // of processor time, for one thread's pair
	double rate; // pairs a second of all threads, by the clock on the wall
} figures;

static figures run_threads(work *works, uint32_t threads)
{
	pthread_t handles[THREADS_MAX];
	pthread_barrier_t barrier;
	pthread_barrier_init(&barrier, NULL, threads);
	for (uint32_t i = 0; i < threads; i++)
	{
		works[i].barrier = &barrier;
		if (pthread_create(&handles[i], NULL, run, &works[i]) != 0)
		{
			bench_stop("bench_store: can't start a thread");
		}
	}
	double seconds = 0;
	double begun = 0;
	double ended = 0;
	for (uint32_t i = 0; i < threads; i++)
	{
		pthread_join(handles[i], NULL);
		seconds += works[i].seconds;
		begun = i == 0 || works[i].begun < begun ? works[i].begun : begun;
		ended = i == 0 || works[i].ended > ended ? works[i].ended : ended;
	}
	double wall = ended - begun;
	pthread_barrier_destroy(&barrier);
	return (figures){ seconds * 1e9 / ((double)threads * PAIRS), (double)threads * PAIRS / wall };
}

typedef enum pattern
{
	ALL_ON_ONE,
	ONE_EACH,
	MANY_EACH,
} pattern;

static figures measure(void (*pairs)(work *), bench_assets *assets, counted *counts, pattern which, uint32_t threads)
{
	double ns[BENCH_RUNS];
	double rates[BENCH_RUNS];
	for (int r = 0; r < BENCH_RUNS; r++)
	{
		work works[THREADS_MAX];
		for (uint32_t i = 0; i < threads; i++)
		{
			works[i] = (work){ .pairs = pairs, .assets = assets, .counts = counts };
			works[i].first = which == ALL_ON_ONE ? 0 : i * MANY;
			works[i].used = which == MANY_EACH ? MANY : 1;
		}
		figures got = run_threads(works, threads);
		ns[r] = got.ns;
		rates[r] = got.rate;
	}
	return (figures){ bench_median(ns, BENCH_RUNS), bench_median(rates, BENCH_RUNS) };
}

void bench_references(void)
{
	static const char *const names[] = { "all on one", "one each", "4096 each" };
	bench_assets assets;
	counted *counts = aligned_alloc(64, THREADS_MAX * MANY * sizeof *counts);
	if (counts == NULL)
	{
		bench_stop("bench_store: out of memory");
	}
	for (uint32_t i = 0; i < THREADS_MAX * MANY; i++)
	{
		atomic_init(&counts[i].count, 1);
		pthread_mutex_init(&counts[i].mutex, NULL);
	}
	bench_assets_open(&assets, THREADS_MAX * MANY, 0);
	bench_assets_load(&assets);
	printf("Retaining and releasing a resident asset: ns of its thread's processor time a pair, millions of pairs a "
		   "second\n"
		   "of all threads by the clock, and those as a multiple of one thread's; medians of %d runs of %u pairs a "
		   "thread.\n"
		   "atomic: an addition and a subtraction; mutex: a count under a lock, twice.\n",
		BENCH_RUNS, PAIRS);
	printf("%-11s %7s %9s %9s %9s %9s %9s %9s %9s %9s\n", "assets", "threads", "ns", "atomic ns", "mutex ns",
		"ns/atomic", "M pairs/s", "scales", "atomic", "mutex");
	for (pattern which = ALL_ON_ONE; which <= MANY_EACH; which++)
	{
		figures first[3];
		for (uint32_t threads = 1; threads <= THREADS_MAX; threads *= 2)
		{
			figures own = measure(store_pairs, &assets, NULL, which, threads);
			figures add = measure(atomic_pairs, NULL, counts, which, threads);
			figures lock = measure(mutex_pairs, NULL, counts, which, threads);
			if (threads == 1)
			{
				first[0] = own;
				first[1] = add;
				first[2] = lock;
			}
			printf("%-11s %7u %9.1f %9.1f %9.1f %9.2f %9.1f %8.2fx %8.2fx %8.2fx\n", names[which], threads, own.ns,
				add.ns, lock.ns, own.ns / add.ns, own.rate * 1e-6, own.rate / first[0].rate, add.rate / first[1].rate,
				lock.rate / first[2].rate);
		}
	}
	bench_assets_release(&assets);
	bench_assets_close(&assets);
	free(counts);
}
