// bench/bench.h: what benchmarks share: processor time, medians, and a way to stop.

#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BENCH_RUNS 9

/// Seconds of processor time of this process, so that a busy machine tells little else.
static inline double bench_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline int bench_compare(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;
	return difference < 0 ? -1 : difference > 0;
}

/// Sorts `seconds`.
static inline double bench_median(double *seconds, size_t count)
{
	qsort(seconds, count, sizeof *seconds, bench_compare);
	return seconds[count / 2];
}

static inline void bench_stop(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/// A copy that counts as used, or a compiler may leave it out.
static inline void bench_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	__asm__ volatile("" : : "r"(to) : "memory");
}

#endif
