// Opening a large mesh (every check) and writing its triangle list, beside a memcpy of the same bytes in the same run.
// Medians of the processor time, so that a busy machine tells little else.

#define _POSIX_C_SOURCE 200809L

#include "fixtures/make_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RUNS 15

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;
	return difference < 0 ? -1 : difference > 0;
}

static double median(double *seconds)
{
	qsort(seconds, RUNS, sizeof *seconds, compare);
	return seconds[RUNS / 2];
}

static void fail(const char *what)
{
	fprintf(stderr, "bench_mesh: %s\n", what);
	exit(1);
}

/// The copy counts as used, or a compiler may leave it out.
static void copy_bytes(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	__asm__ volatile("" : : "r"(to) : "memory");
}

static void row(const char *what, size_t bytes, double seconds, double copy_seconds)
{
	printf("%-44s %8.1f MB %8.2f ms %7.2f GB/s %6.2f x\n", what, (double)bytes * 1e-6, seconds * 1e3,
		(double)bytes / seconds * 1e-9, copy_seconds / seconds);
}

/// Medians of copying, opening, and copying, index writing: taken in turns, so that all see the same machine.
static void measure(const char *name, const lrd_buffer *file, void *scratch)
{
	lrd_mesh_view view;
	lrd_error error;
	if (!lrd_mesh_open(file->data, file->size, &view, &error))
	{
		fail(error.message);
	}
	size_t index_bytes = (size_t)lrd_mesh_index_count(&view, 0) * sizeof(uint32_t);
	uint32_t *indices = malloc(index_bytes);
	if (indices == NULL)
	{
		fail("out of memory");
	}
	double copy[RUNS], open[RUNS], copy_indices[RUNS], write_indices[RUNS];
	lrd_mesh_write_indices(&view, 0, indices);
	copy_bytes(scratch, file->data, file->size);
	for (size_t run = 0; run < RUNS; run++)
	{
		double start = now();
		copy_bytes(scratch, file->data, file->size);
		double copied = now();
		bool sound = lrd_mesh_open(file->data, file->size, &view, &error);
		double opened = now();
		lrd_mesh_write_indices(&view, 0, indices);
		double written = now();
		copy_bytes(scratch, indices, index_bytes);
		double copied_indices = now();
		if (!sound)
		{
			fail(error.message);
		}
		copy[run] = copied - start;
		open[run] = opened - copied;
		write_indices[run] = written - opened;
		copy_indices[run] = copied_indices - written;
	}
	double copy_median = median(copy), copy_indices_median = median(copy_indices);
	printf("%s: %u vertices, %u triangles, %u meshlets\n", name, view.vertex_count, view.lods[0].triangle_count,
		view.meshlet_count);
	row("  memcpy of the file", file->size, copy_median, copy_median);
	row("  lrd_mesh_open", file->size, median(open), copy_median);
	row("  memcpy of the indices", index_bytes, copy_indices_median, copy_indices_median);
	row("  lrd_mesh_write_indices", index_bytes, median(write_indices), copy_indices_median);
	free(indices);
}

static void bench(const char *name, const make_mesh_desc *desc)
{
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	if (arena == NULL)
	{
		fail("out of memory");
	}
	lrd_mesh_view view = make_mesh(arena, desc);
	lrd_buffer file = { 0 };
	lrd_error error = { .message = "out of memory" };
	void *scratch = NULL;
	if (view.vertex_count == 0 || !lrd_mesh_write(&view, &file, &error) || (scratch = malloc(file.size)) == NULL)
	{
		fail(error.message);
	}
	lrd_arena_destroy(arena);
	measure(name, &file, scratch);
	free(scratch);
	lrd_buffer_free(&file);
}

int main(void)
{
	printf("%-44s %11s %11s %12s %8s\n", "", "size", "median", "speed", "memcpy");
	bench("plain", &(make_mesh_desc){ .quads = 1000, .lods = 1 });
	bench("skinned, uv1, two morphs",
		&(make_mesh_desc){ .quads = 1000, .lods = 1, .skin_bits = 8, .uv1 = true, .morphs = 2 });
	bench("quantised", &(make_mesh_desc){ .quads = 1000, .lods = 1, .quantised = true });
	return 0;
}
