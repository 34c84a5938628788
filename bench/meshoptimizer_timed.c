// The calls that larder's geometry makes, timed. The linker sends them here, and __real_ to the library.

#define _POSIX_C_SOURCE 200809L

#include "meshoptimizer_timed.h"

#include <meshoptimizer.h>
#include <stdatomic.h>
#include <time.h>

static _Atomic long long spent; // nanoseconds

static long long thread_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

double meshoptimizer_seconds(void)
{
	return (double)atomic_exchange(&spent, 0) * 1e-9;
}

// Asking for the time of a thread is a call into the kernel, which would show where calls are short and many: of those
// every one of so many is timed, and counts for as many.
#define SAMPLED 16

static _Thread_local unsigned call_number;

#define TIMED(type, name, one_of, parameters, arguments)                                                               \
	type __real_##name parameters;                                                                                     \
	type __wrap_##name parameters;                                                                                     \
	type __wrap_##name parameters                                                                                      \
	{                                                                                                                  \
		if (call_number++ % (one_of) != 0)                                                                             \
		{                                                                                                              \
			return __real_##name arguments;                                                                            \
		}                                                                                                              \
		long long start = thread_now();                                                                                \
		type result = __real_##name arguments;                                                                         \
		atomic_fetch_add(&spent, (thread_now() - start) * (one_of));                                                   \
		return result;                                                                                                 \
	}

TIMED(size_t, meshopt_simplify, 1,
	(unsigned int *to, const unsigned int *indices, size_t count, const float *positions, size_t vertices,
		size_t stride, size_t target, float error, unsigned int options, float *result_error),
	(to, indices, count, positions, vertices, stride, target, error, options, result_error))
TIMED(size_t, meshopt_buildMeshletsScan, 1,
	(struct meshopt_Meshlet * meshlets, unsigned int *vertices, unsigned char *triangles, const unsigned int *indices,
		size_t count, size_t vertex_count, size_t most_vertices, size_t most_triangles),
	(meshlets, vertices, triangles, indices, count, vertex_count, most_vertices, most_triangles))
TIMED(struct meshopt_Bounds, meshopt_computeClusterBounds, SAMPLED,
	(const unsigned int *indices, size_t count, const float *positions, size_t vertices, size_t stride),
	(indices, count, positions, vertices, stride))
