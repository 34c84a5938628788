// bench_gpu: what bringing assets to the GPU costs the frame's thread: 500 textures stream in over a null device that takes real time,
// at 60 frames a second; and what a frame costs when nothing happens. Time inside the device's own functions is told apart: a
// null device copies with the processor what a real one copies by itself.

#include "bench.h"

#include "base/memory.h"
#include "format/texture.h"
#include "larder/residents.h"
#include "larder/write.h"
#include "os/os.h"

#define TEXTURES 500u
#define SIZE 1024u
#define LEVELS 11u
#define FRAME_NS 16666667ull
#define STEADY_FRAMES 20000u

static char keys[TEXTURES][32];
static lrd_memory_file files[TEXTURES];

// --- A device that knows what time was spent in it ---

typedef struct timed
{
	lrd_gpu inner;
	uint64_t ns;
} timed;

static void get_caps(void *user, lrd_gpu_caps *caps)
{
	timed *self = user;
	self->inner.get_caps(self->inner.user, caps);
}

static bool has_format(void *user, uint32_t format)
{
	timed *self = user;
	return self->inner.has_format(self->inner.user, format);
}

static lrd_gpu_object create_texture(void *user, const lrd_gpu_texture_desc *desc, lrd_error *error)
{
	timed *self = user;
	uint64_t begun = lrd_clock_ns();
	lrd_gpu_object made = self->inner.create_texture(self->inner.user, desc, error);
	self->ns += lrd_clock_ns() - begun;
	return made;
}

static lrd_gpu_object create_mesh(void *user, const lrd_gpu_mesh_desc *desc, lrd_error *error)
{
	timed *self = user;
	return self->inner.create_mesh(self->inner.user, desc, error);
}

static void destroy_texture(void *user, lrd_gpu_object texture)
{
	timed *self = user;
	uint64_t begun = lrd_clock_ns();
	self->inner.destroy_texture(self->inner.user, texture);
	self->ns += lrd_clock_ns() - begun;
}

static void destroy_mesh(void *user, lrd_gpu_object mesh)
{
	timed *self = user;
	self->inner.destroy_mesh(self->inner.user, mesh);
}

static void bind_texture(void *user, uint32_t slot, lrd_gpu_object texture)
{
	timed *self = user;
	self->inner.bind_texture(self->inner.user, slot, texture);
}

static bool stage(void *user, uint64_t size, lrd_gpu_staging *staging)
{
	timed *self = user;
	return self->inner.stage(self->inner.user, size, staging);
}

static void copy_texture(void *user, const lrd_gpu_texture_copy *copy)
{
	timed *self = user;
	uint64_t begun = lrd_clock_ns();
	self->inner.copy_texture(self->inner.user, copy);
	self->ns += lrd_clock_ns() - begun;
}

static void copy_mesh(void *user, const lrd_gpu_mesh_copy *copy)
{
	timed *self = user;
	self->inner.copy_mesh(self->inner.user, copy);
}

static uint64_t submit(void *user)
{
	timed *self = user;
	return self->inner.submit(self->inner.user);
}

static uint64_t completed(void *user)
{
	timed *self = user;
	return self->inner.completed(self->inner.user);
}

static lrd_gpu timed_interface(timed *self)
{
	return (lrd_gpu){ self, get_caps, has_format, create_texture, create_mesh, destroy_texture, destroy_mesh,
		bind_texture, stage, copy_texture, copy_mesh, submit, completed };
}

// --- 500 textures ---

static lrd_buffer make_file(void)
{
	lrd_texture_view view = {
		.format = LRD_TEXTURE_BC7_SRGB, .width = SIZE, .height = SIZE, .face_count = 1, .level_count = LEVELS
	};
	uint8_t *noise = malloc(SIZE * SIZE);
	lrd_buffer file = { 0 };
	for (uint32_t i = 0; noise != NULL && i < SIZE * SIZE; i++)
	{
		noise[i] = (uint8_t)(i * 2654435761u >> 24);
	}
	for (uint32_t level = 0; level < LEVELS; level++)
	{
		uint64_t side = (lrd_texture_extent(SIZE, level) + 3) / 4;
		view.levels[level] = (lrd_texture_level){ noise, side * side * 16, side * side * 16, 0 };
	}
	if (noise == NULL || !lrd_texture_write(&view, &file, NULL))
	{
		bench_stop("a texture could not be made");
	}
	free(noise);
	return file;
}

typedef struct stalls
{
	uint64_t longest_ns; ///< of larder
	uint64_t total_ns;
	uint64_t processor_ns; ///< the longest, of this thread's processor time, the device's included
	uint64_t over;         ///< frames above 2 ms
	uint32_t frames;
	double seconds;
} stalls;

static uint64_t thread_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void wait_for_frame(uint64_t begun)
{
	uint64_t now = lrd_clock_ns();
	if (now < begun + FRAME_NS)
	{
		nanosleep(&(struct timespec){ .tv_nsec = (long)(begun + FRAME_NS - now) }, NULL);
	}
}

// Processor time, so that other programs on the machine don't count as larder's stalls.
static void one_frame(lrd_store *store, lrd_residents *residents, timed *device, stalls *seen)
{
	uint64_t begun = lrd_clock_ns();
	device->ns = 0;
	uint64_t thread_begun = thread_ns();
	seen->frames++;
	lrd_store_update(store);
	lrd_residents_update(residents, seen->frames, seen->frames > 2 ? seen->frames - 2 : 0);
	uint64_t whole = thread_ns() - thread_begun;
	uint64_t own = whole > device->ns ? whole - device->ns : 0;
	seen->longest_ns = own > seen->longest_ns ? own : seen->longest_ns;
	seen->processor_ns = whole > seen->processor_ns ? whole : seen->processor_ns;
	seen->total_ns += own;
	seen->over += own > 2000000u;
	wait_for_frame(begun);
}

static uint32_t pending(const lrd_residents *residents, lrd_residents_stats *stats)
{
	lrd_residents_get_stats(residents, stats);
	return stats->pending;
}

static void stream_in(lrd_store *store, lrd_residents *residents, timed *device)
{
	stalls seen = { 0 };
	lrd_residents_stats stats;
	uint64_t begun = lrd_clock_ns();
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		lrd_asset asset = lrd_asset_find_string(store, LRD_TEXTURE, (lrd_string){ keys[i], strlen(keys[i]) - 5 }, NULL);
		if (lrd_residents_retain_texture(residents, asset, LRD_ROLE_COLOR, NULL) == LRD_GPU_NO_SLOT)
		{
			bench_stop("a texture could not be retained");
		}
	}
	double asked = (double)(lrd_clock_ns() - begun) * 1e-6;
	do
	{
		one_frame(store, residents, device, &seen);
	} while (pending(residents, &stats) != 0);
	seen.seconds = (double)(lrd_clock_ns() - begun) * 1e-9;
	printf("%u textures of %u x %u in BC7, %.0f MB, at 60 frames a second, a device that copies 2 GB/s\n\n", TEXTURES,
		SIZE, SIZE, (double)stats.uploaded_bytes * 1e-6);
	printf("| what | |\n|---|---:|\n");
	printf("| asking for all of them | %.2f ms |\n", asked);
	printf("| until the last is there | %.2f s, %u frames |\n", seen.seconds, seen.frames);
	printf("| larder's longest stall of the frame's thread | %.2f ms |\n", (double)seen.longest_ns * 1e-6);
	printf("| its average | %.3f ms |\n", (double)seen.total_ns * 1e-6 / seen.frames);
	printf("| frames in which it is above 2 ms | %llu |\n", (unsigned long long)seen.over);
	printf("| longest, with what the null device does on that thread | %.2f ms |\n", (double)seen.processor_ns * 1e-6);
}

static void stand_still(lrd_store *store, lrd_residents *residents)
{
	double seconds[BENCH_RUNS];
	for (uint32_t run = 0; run < BENCH_RUNS; run++)
	{
		double begun = bench_now();
		for (uint32_t i = 0; i < STEADY_FRAMES; i++)
		{
			lrd_store_update(store);
			lrd_residents_update(residents, 100000 + i, 100000 + i - 2);
		}
		seconds[run] = bench_now() - begun;
	}
	printf("| a frame in which nothing happens | %.0f ns |\n", bench_median(seconds, BENCH_RUNS) / STEADY_FRAMES * 1e9);
}

int main(void)
{
	lrd_buffer file = make_file();
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		snprintf(keys[i], sizeof keys[i], "textures/stone%u.ktx2", i);
		files[i] = (lrd_memory_file){ lrd_string_from(keys[i]), { file.data, file.size } };
	}
	lrd_error error = { 0 };
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ 0 }, &error);
	const lrd_gpu_null_desc null_desc = { .bandwidth = 2000000000u, .create_ns = 20000 };
	lrd_gpu_null *null_device = lrd_gpu_null_create(&null_desc, &error);
	const lrd_mount_desc mount = { .files = files, .file_count = TEXTURES };
	if (store == NULL || null_device == NULL || !lrd_store_mount(store, &mount, NULL, &error))
	{
		bench_stop(error.message);
	}
	timed device = { .inner = lrd_gpu_null_interface(null_device) };
	const lrd_gpu gpu = timed_interface(&device);
	lrd_residents *residents = lrd_residents_create(store, &gpu, NULL, &error);
	if (residents == NULL)
	{
		bench_stop(error.message);
	}
	stream_in(store, residents, &device);
	stand_still(store, residents);
	lrd_residents_destroy(residents);
	lrd_gpu_null_destroy(null_device);
	lrd_store_close(store);
	lrd_buffer_free(&file);
	return 0;
}
