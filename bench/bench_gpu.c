// bench_gpu: what bringing textures to the GPU costs the frame's thread, over a null device that takes real time, at 60 frames a second: 500
// textures, and one that is larger than staging memory; and what a frame costs when nothing happens. The peer does what a renderer
// does without larder: the frame's thread makes textures, copies their levels into staging memory, as much a frame as half of it holds, and
// submits. Time inside the device's own functions is told apart: a null device copies with the processor what a real one copies
// by itself.

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
#define BANDWIDTH 2000000000u
#define LARGE_SIZE 8192u
#define LARGE_LEVELS 14u

static char keys[TEXTURES][32];
static lrd_memory_file files[TEXTURES + 1];

// --- A device that knows what time was spent in it ---

// Processor time, so that other programs on the machine count neither for one nor for the other.
static uint64_t thread_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

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
	uint64_t begun = thread_ns();
	lrd_gpu_object made = self->inner.create_texture(self->inner.user, desc, error);
	self->ns += thread_ns() - begun;
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
	uint64_t begun = thread_ns();
	self->inner.destroy_texture(self->inner.user, texture);
	self->ns += thread_ns() - begun;
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
	uint64_t begun = thread_ns();
	self->inner.copy_texture(self->inner.user, copy);
	self->ns += thread_ns() - begun;
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

// --- Textures ---

static lrd_buffer make_file(uint32_t format, uint32_t size, uint32_t levels)
{
	lrd_texture_view view = { .format = format, .width = size, .height = size, .face_count = 1, .level_count = levels };
	const lrd_texture_format_row *row = lrd_texture_format_find(format);
	size_t largest = 0;
	for (uint32_t level = 0; level < levels; level++)
	{
		uint64_t side = (lrd_texture_extent(size, level) + row->block_width - 1) / row->block_width;
		view.levels[level].size = view.levels[level].decoded_size = side * side * row->block_bytes;
		largest = level == 0 ? (size_t)view.levels[level].size : largest;
	}
	uint8_t *noise = malloc(largest);
	lrd_buffer file = { 0 };
	for (size_t i = 0; noise != NULL && i < largest; i++)
	{
		noise[i] = (uint8_t)((uint32_t)i * 2654435761u >> 24);
	}
	for (uint32_t level = 0; level < levels; level++)
	{
		view.levels[level].data = noise;
	}
	if (noise == NULL || !lrd_texture_write(&view, &file, NULL))
	{
		bench_stop("a texture could not be made");
	}
	free(noise);
	return file;
}

// --- Frames ---

typedef struct stalls
{
	uint64_t longest_ns; ///< of the frame's thread, without the device
	uint64_t total_ns;
	uint64_t over; ///< frames above 2 ms
	uint32_t frames;
	double seconds; ///< by the clock, until the last is there
} stalls;

static void wait_for_frame(uint64_t begun)
{
	uint64_t now = lrd_clock_ns();
	if (now < begun + FRAME_NS)
	{
		nanosleep(&(struct timespec){ .tv_nsec = (long)(begun + FRAME_NS - now) }, NULL);
	}
}

/// Who brings textures to the device, a frame at a time.
typedef struct bringer
{
	void *self;
	bool (*frame)(void *self, uint32_t frame); ///< false: all are there
} bringer;

static stalls run_frames(const bringer *who, timed *device)
{
	stalls seen = { 0 };
	uint64_t begun = lrd_clock_ns();
	for (bool more = true; more;)
	{
		uint64_t frame_begun = lrd_clock_ns();
		device->ns = 0;
		uint64_t thread_begun = thread_ns();
		more = who->frame(who->self, ++seen.frames);
		uint64_t whole = thread_ns() - thread_begun;
		uint64_t own = whole > device->ns ? whole - device->ns : 0;
		seen.longest_ns = own > seen.longest_ns ? own : seen.longest_ns;
		seen.total_ns += own;
		seen.over += own > 2000000u;
		wait_for_frame(frame_begun);
	}
	seen.seconds = (double)(lrd_clock_ns() - begun) * 1e-9;
	return seen;
}

// --- larder ---

typedef struct by_larder
{
	lrd_store *store;
	lrd_residents *residents;
} by_larder;

static bool larder_frame(void *user, uint32_t frame)
{
	const by_larder *self = user;
	lrd_store_update(self->store);
	lrd_residents_update(self->residents, frame, frame > 2 ? frame - 2 : 0);
	lrd_residents_stats stats;
	lrd_residents_get_stats(self->residents, &stats);
	return stats.pending != 0;
}

static void retain(const by_larder *self, lrd_string key)
{
	lrd_asset asset = lrd_asset_find_string(self->store, LRD_TEXTURE, (lrd_string){ key.data, key.size - 5 }, NULL);
	if (lrd_residents_retain_texture(self->residents, asset, LRD_ROLE_COLOR, NULL) == LRD_GPU_NO_SLOT)
	{
		bench_stop("a texture could not be retained");
	}
}

static lrd_gpu_null *make_device(timed *device)
{
	lrd_error error;
	lrd_gpu_null *made =
		lrd_gpu_null_create(&(lrd_gpu_null_desc){ .bandwidth = BANDWIDTH, .create_ns = 20000 }, &error);
	if (made == NULL)
	{
		bench_stop(error.message);
	}
	*device = (timed){ .inner = lrd_gpu_null_interface(made) };
	return made;
}

/// Asking for them counts as the first frame's.
static stalls stream_in(lrd_store *store, const lrd_memory_file *which, uint32_t count, bool then_stand)
{
	timed device;
	lrd_error error;
	lrd_gpu_null *null_device = make_device(&device);
	const lrd_gpu gpu = timed_interface(&device);
	by_larder self = { store, lrd_residents_create(store, &gpu, NULL, &error) };
	if (self.residents == NULL)
	{
		bench_stop(error.message);
	}
	uint64_t begun = thread_ns();
	for (uint32_t i = 0; i < count; i++)
	{
		retain(&self, which[i].key);
	}
	uint64_t asked = thread_ns() - begun;
	stalls seen = run_frames(&(bringer){ &self, larder_frame }, &device);
	seen.total_ns += asked;
	seen.longest_ns = asked > seen.longest_ns ? asked : seen.longest_ns;
	seen.over += asked > 2000000u;
	double seconds[BENCH_RUNS];
	for (uint32_t run = 0; run < BENCH_RUNS && then_stand; run++)
	{
		double start = bench_now();
		for (uint32_t i = 0; i < STEADY_FRAMES; i++)
		{
			lrd_store_update(store);
			lrd_residents_update(self.residents, 100000 + i, 100000 + i - 2);
		}
		seconds[run] = (bench_now() - start) / STEADY_FRAMES;
	}
	if (then_stand)
	{
		printf("a frame in which nothing happens: %.0f ns\n\n", bench_median(seconds, BENCH_RUNS) * 1e9);
	}
	lrd_residents_destroy(self.residents);
	lrd_gpu_null_destroy(null_device);
	return seen;
}

// --- The frame's thread by itself ---

typedef struct by_hand
{
	lrd_gpu gpu;
	lrd_texture_view view;
	uint32_t count;
	uint32_t made;
	uint32_t bound;
	uint64_t half; ///< of staging memory
	lrd_gpu_object objects[TEXTURES];
	uint64_t values[TEXTURES];
} by_hand;

static bool bring_one(by_hand *self, uint64_t bytes)
{
	const lrd_gpu_texture_desc desc = { "plain", self->view.format, self->view.width, self->view.height, 1, 1, 1,
		self->view.level_count, false, { 0, 0, 0 } };
	lrd_gpu_staging staging;
	if (self->made == self->count || !self->gpu.stage(self->gpu.user, bytes, &staging))
	{
		return false;
	}
	lrd_gpu_object object = self->gpu.create_texture(self->gpu.user, &desc, NULL);
	uint64_t at = 0;
	for (uint32_t level = 0; level < self->view.level_count; level++)
	{
		uint64_t size = self->view.levels[level].size;
		bench_copy((uint8_t *)staging.data + at, self->view.levels[level].data, (size_t)size);
		self->gpu.copy_texture(self->gpu.user,
			&(lrd_gpu_texture_copy){ .texture = object, .level = level, .offset = staging.offset + at, .size = size });
		at += (size + 15) / 16 * 16;
	}
	self->objects[self->made++] = object;
	return true;
}

static bool hand_frame(void *user, uint32_t frame)
{
	by_hand *self = user;
	(void)frame;
	uint64_t done = self->gpu.completed(self->gpu.user);
	for (; self->bound < self->made && self->values[self->bound] <= done; self->bound++)
	{
		self->gpu.bind_texture(self->gpu.user, self->bound, self->objects[self->bound]);
	}
	uint64_t bytes = 0;
	for (uint32_t level = 0; level < self->view.level_count; level++)
	{
		bytes += (self->view.levels[level].size + 15) / 16 * 16;
	}
	uint32_t first = self->made;
	while ((self->made - first + 1) * bytes <= self->half && bring_one(self, bytes))
	{
	}
	uint64_t value = self->made != first ? self->gpu.submit(self->gpu.user) : 0;
	for (; first < self->made; first++)
	{
		self->values[first] = value;
	}
	return self->bound != self->count;
}

static stalls copy_in(const lrd_memory_file *file, uint32_t count)
{
	static by_hand self;
	timed device;
	lrd_error error;
	lrd_gpu_caps caps;
	lrd_gpu_null *null_device = make_device(&device);
	self = (by_hand){ .gpu = timed_interface(&device), .count = count };
	self.gpu.get_caps(self.gpu.user, &caps);
	self.half = caps.staging_size / 2;
	if (!lrd_texture_open(file->bytes.data, file->bytes.size, &self.view, &error))
	{
		bench_stop(error.message);
	}
	stalls seen = run_frames(&(bringer){ &self, hand_frame }, &device);
	lrd_gpu_null_destroy(null_device);
	return seen;
}

// --- Tables ---

static double milliseconds(uint64_t ns)
{
	return (double)ns * 1e-6;
}

// The run whose longest stall is the median.
static stalls median_of(stalls *runs)
{
	for (uint32_t i = 1; i < BENCH_RUNS; i++)
	{
		for (uint32_t k = i; k > 0 && runs[k].longest_ns < runs[k - 1].longest_ns; k--)
		{
			stalls other = runs[k];
			runs[k] = runs[k - 1];
			runs[k - 1] = other;
		}
	}
	return runs[BENCH_RUNS / 2];
}

static void print_row(const char *what, const char *unit, double larder, double peer)
{
	char ratio[16] = "";
	if (peer > 0.0)
	{
		snprintf(ratio, sizeof ratio, "%.3f", larder / peer);
	}
	printf("%-44s %10.3f %10.3f %8s  %s\n", what, larder, peer, ratio, unit);
}

static void compare(lrd_store *store)
{
	stalls larder[BENCH_RUNS], peer[BENCH_RUNS];
	for (uint32_t run = 0; run < BENCH_RUNS; run++)
	{
		larder[run] = stream_in(store, files, TEXTURES, run == BENCH_RUNS - 1);
		peer[run] = copy_in(&files[0], TEXTURES);
	}
	const stalls a = median_of(larder), b = median_of(peer);
	printf("%u textures of %u x %u in BC7, %.0f MB, at 60 frames a second, over a device that copies 2 GB/s;\nof %d "
		   "runs that with the median of stalls\n",
		TEXTURES, SIZE, SIZE, (double)TEXTURES * (double)files[0].bytes.size * 1e-6, BENCH_RUNS);
	printf("%-44s %10s %10s %8s\n", "", "larder", "by hand", "ratio");
	print_row("longest stall of the frame's thread", "ms", milliseconds(a.longest_ns), milliseconds(b.longest_ns));
	print_row("its average", "ms", milliseconds(a.total_ns) / a.frames, milliseconds(b.total_ns) / b.frames);
	print_row("all of them together", "ms", milliseconds(a.total_ns), milliseconds(b.total_ns));
	print_row("frames with more than 2 ms", "", (double)a.over, (double)b.over);
	print_row("frames until the last is there", "", (double)a.frames, (double)b.frames);
	print_row("until the last is there (by the clock)", "s", a.seconds, b.seconds);
}

static void show_large(lrd_store *store)
{
	stalls runs[BENCH_RUNS];
	for (uint32_t run = 0; run < BENCH_RUNS; run++)
	{
		runs[run] = stream_in(store, &files[TEXTURES], 1, false);
	}
	const stalls seen = median_of(runs);
	double megabytes = (double)files[TEXTURES].bytes.size * 1e-6;
	printf("\none texture of %u x %u in RGBA8, %.0f MB, through 64 MiB of staging memory\n", LARGE_SIZE, LARGE_SIZE,
		megabytes);
	printf(
		"longest stall of the frame's thread %.3f ms; there after %u frames, %.2f s; the device alone needs %.2f s\n",
		milliseconds(seen.longest_ns), seen.frames, seen.seconds, megabytes * 1e6 / BANDWIDTH);
}

int main(void)
{
	lrd_buffer file = make_file(LRD_TEXTURE_BC7_SRGB, SIZE, LEVELS);
	lrd_buffer large = make_file(LRD_TEXTURE_RGBA8_UNORM, LARGE_SIZE, LARGE_LEVELS);
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		snprintf(keys[i], sizeof keys[i], "textures/stone%u.ktx2", i);
		files[i] = (lrd_memory_file){ lrd_string_from(keys[i]), { file.data, file.size } };
	}
	files[TEXTURES] = (lrd_memory_file){ lrd_string_from("textures/large.ktx2"), { large.data, large.size } };
	lrd_error error = { 0 };
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ 0 }, &error);
	const lrd_mount_desc mount = { .files = files, .file_count = TEXTURES + 1 };
	if (store == NULL || !lrd_store_mount(store, &mount, NULL, &error))
	{
		bench_stop(error.message);
	}
	compare(store);
	show_large(store);
	lrd_store_close(store);
	lrd_buffer_free(&file);
	lrd_buffer_free(&large);
	return 0;
}
