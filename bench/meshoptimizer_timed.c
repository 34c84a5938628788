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

#define TIMED(type, name, parameters, arguments)                                                                       \
	type __real_##name parameters;                                                                                     \
	type __wrap_##name parameters;                                                                                     \
	type __wrap_##name parameters                                                                                      \
	{                                                                                                                  \
		long long start = thread_now();                                                                                \
		type result = __real_##name arguments;                                                                         \
		atomic_fetch_add(&spent, thread_now() - start);                                                                \
		return result;                                                                                                 \
	}

TIMED(size_t, meshopt_simplify,
	(unsigned int *to, const unsigned int *indices, size_t count, const float *positions, size_t vertices,
		size_t stride, size_t target, float error, unsigned int options, float *result_error),
	(to, indices, count, positions, vertices, stride, target, error, options, result_error))
TIMED(size_t, meshopt_buildMeshletsScan,
	(struct meshopt_Meshlet * meshlets, unsigned int *vertices, unsigned char *triangles, const unsigned int *indices,
		size_t count, size_t vertex_count, size_t most_vertices, size_t most_triangles),
	(meshlets, vertices, triangles, indices, count, vertex_count, most_vertices, most_triangles))
TIMED(struct meshopt_Bounds, meshopt_computeClusterBounds,
	(const unsigned int *indices, size_t count, const float *positions, size_t vertices, size_t stride),
	(indices, count, positions, vertices, stride))
