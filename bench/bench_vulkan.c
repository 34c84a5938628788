// Textures on their way to a Vulkan device: 256 BC7 textures of 512 by 512 with all their mips. Beside a memcpy of the same levels
// into plain memory stand the time of the thread that stages, copies and submits them, and the time until the device has them
// all; on a driver in software its own threads do the copying. Medians; `bench_vulkan NAME` takes a device by part of its name.

#define _POSIX_C_SOURCE 200809L

#define VK_NO_PROTOTYPES
#include "bench.h"

#include "larder/gpu_vulkan.h"

#define TEXTURES 256u
#define SIDE 512u
#define LEVELS 10u
#define BATCH 16u // textures to a submit

/// Seconds of this thread's processor time.
static double thread_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double wall_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *need(void *pointer)
{
	if (pointer == NULL)
	{
		bench_stop("bench_vulkan: out of memory");
	}
	return pointer;
}

static size_t level_size(uint32_t level)
{
	size_t blocks = ((SIDE >> level) + 3) / 4;
	return blocks * blocks * 16;
}

typedef struct subject
{
	lrd_gpu gpu;
	uint8_t *levels; // of all textures, one behind another
	uint8_t *copy;
	size_t texture_size;
	lrd_gpu_object textures[TEXTURES];
} subject;

static double run_memcpy(subject *s)
{
	double start = thread_now();
	for (uint32_t i = 0; i < TEXTURES; ++i)
	{
		size_t at = i * s->texture_size;
		for (uint32_t level = 0; level < LEVELS; ++level)
		{
			bench_copy(s->copy + at, s->levels + at, level_size(level));
			at += level_size(level);
		}
	}
	return thread_now() - start;
}

static void create_all(subject *s, uint32_t format)
{
	for (uint32_t i = 0; i < TEXTURES; ++i)
	{
		lrd_gpu_texture_desc desc = { "bench", format, SIDE, SIDE, 1, 1, 1, LEVELS, false, { 0, 0, 0 } };
		lrd_error error;
		s->textures[i] = s->gpu.create_texture(s->gpu.user, &desc, &error);
		if (s->textures[i] == 0)
		{
			bench_stop(error.message);
		}
	}
}

static void destroy_all(subject *s)
{
	for (uint32_t i = 0; i < TEXTURES; ++i)
	{
		s->gpu.destroy_texture(s->gpu.user, s->textures[i]);
	}
}

static void upload(subject *s, uint32_t i)
{
	lrd_gpu_staging staging;
	if (!s->gpu.stage(s->gpu.user, s->texture_size, &staging))
	{
		bench_stop("bench_vulkan: staging was refused");
	}
	const uint8_t *from = s->levels + i * s->texture_size;
	size_t at = 0;
	for (uint32_t level = 0; level < LEVELS; ++level)
	{
		size_t size = level_size(level);
		bench_copy((uint8_t *)staging.data + at, from + at, size);
		s->gpu.copy_texture(
			s->gpu.user, &(lrd_gpu_texture_copy){
							 .texture = s->textures[i], .level = level, .offset = staging.offset + at, .size = size });
		at += size;
	}
}

/// Seconds of this thread; `whole`: and until the device has all of it.
static double run_upload(subject *s, double *whole)
{
	double begin = wall_now();
	double start = thread_now();
	uint64_t value = 0;
	for (uint32_t i = 0; i < TEXTURES; ++i)
	{
		upload(s, i);
		if (i % BATCH == BATCH - 1)
		{
			value = s->gpu.submit(s->gpu.user);
		}
	}
	double seconds = thread_now() - start;
	while (s->gpu.completed(s->gpu.user) < value)
	{
		nanosleep(&(struct timespec){ 0, 200000 }, NULL); // so that a driver in software has the processors
	}
	*whole = wall_now() - begin;
	return seconds;
}

static void print_row(const char *what, double seconds, double bytes, double peer)
{
	printf("%-44s %9.2f ms %8.2f GB/s %6.0f %%\n", what, seconds * 1e3, bytes / seconds * 1e-9, peer / seconds * 100.0);
}

static void measure(subject *s, uint32_t format)
{
	double plain[BENCH_RUNS], staged[BENCH_RUNS], whole[BENCH_RUNS], made[BENCH_RUNS], freed[BENCH_RUNS];
	double ignored;
	create_all(s, format);
	run_memcpy(s);
	run_upload(s, &ignored); // pages are there then
	destroy_all(s);
	for (int run = 0; run < BENCH_RUNS; ++run)
	{
		double start = thread_now();
		create_all(s, format);
		made[run] = thread_now() - start;
		plain[run] = run_memcpy(s);
		staged[run] = run_upload(s, &whole[run]);
		start = thread_now();
		destroy_all(s);
		freed[run] = thread_now() - start;
	}
	double bytes = (double)(TEXTURES * s->texture_size);
	double peer = bench_median(plain, BENCH_RUNS);
	printf("%u textures of %u by %u, %.1f MB\n", TEXTURES, SIDE, SIDE, bytes * 1e-6);
	print_row("memcpy to plain memory", peer, bytes, peer);
	print_row("stage, write, copy, submit", bench_median(staged, BENCH_RUNS), bytes, peer);
	print_row("until the device has them (wall clock)", bench_median(whole, BENCH_RUNS), bytes, peer);
	printf("making a texture %35.2f us\n", bench_median(made, BENCH_RUNS) / TEXTURES * 1e6);
	printf("destroying one %37.2f us\n", bench_median(freed, BENCH_RUNS) / TEXTURES * 1e6);
}

int main(int argc, char **argv)
{
	lrd_error error;
	lrd_vulkan_device *device =
		lrd_vulkan_device_create(&(lrd_vulkan_device_desc){ .device_name = argc > 1 ? argv[1] : NULL }, &error);
	if (device == NULL)
	{
		printf("skipped: %s\n", error.message);
		return 0;
	}
	subject s = { .texture_size = 0 };
	for (uint32_t level = 0; level < LEVELS; ++level)
	{
		s.texture_size += level_size(level);
	}
	s.levels = need(malloc(TEXTURES * s.texture_size));
	s.copy = need(malloc(TEXTURES * s.texture_size));
	memset(s.levels, 0x5a, TEXTURES * s.texture_size);
	lrd_gpu_vulkan_desc desc = {
		.context = lrd_vulkan_device_context(device),
		.staging_size = 128u << 20,
		.texture_slots = 1024,
	};
	lrd_gpu_vulkan *gpu = lrd_gpu_vulkan_create(&desc, &error);
	if (gpu == NULL)
	{
		bench_stop(error.message);
	}
	s.gpu = lrd_gpu_vulkan_interface(gpu);
	bool has_bc7 = s.gpu.has_format(s.gpu.user, LRD_TEXTURE_BC7_UNORM);
	printf("%s%s\n", lrd_vulkan_device_name(device), has_bc7 ? "" : " has no BC7");
	if (has_bc7)
	{
		measure(&s, LRD_TEXTURE_BC7_UNORM);
	}
	lrd_gpu_vulkan_destroy(gpu);
	lrd_vulkan_device_destroy(device);
	free(s.levels);
	free(s.copy);
	return 0;
}
