// A whole lrd_stream_update over many texture slots and a null device: what it takes besides the arbiter.

#include "stream_update.h"

#include "bench.h"

#include "base/memory.h"
#include "format/texture.h"
#include "larder/stream.h"
#include "larder/write.h"

#define TEXTURES 100000u
#define LEVELS 7u // 64 texels a side
#define TAIL 3u
#define RUNS 101u

typedef struct texture_files
{
	lrd_buffer file; ///< which all are
	char (*keys)[24];
	lrd_memory_file *files;
} texture_files;

typedef struct setting
{
	lrd_store *store;
	lrd_gpu_null *device;
	lrd_residents *residents;
	lrd_stream *stream;
	uint32_t *slots;
	uint64_t frame;
} setting;

static texture_files make_files(void)
{
	static uint8_t noise[64 * 64];
	lrd_texture_view view = {
		.format = LRD_TEXTURE_BC7_SRGB, .width = 64, .height = 64, .face_count = 1, .level_count = LEVELS
	};
	texture_files self = { .keys = calloc(TEXTURES, sizeof *self.keys), .files = calloc(TEXTURES, sizeof *self.files) };
	for (uint32_t i = 0; i < sizeof noise; i++)
	{
		noise[i] = (uint8_t)(i * 2654435761u >> 24);
	}
	for (uint32_t level = 0; level < LEVELS; level++)
	{
		uint64_t side = (lrd_texture_extent(64, level) + 3) / 4;
		view.levels[level] = (lrd_texture_level){ noise, side * side * 16, side * side * 16, 0 };
	}
	if (self.keys == NULL || self.files == NULL || !lrd_texture_write(&view, &self.file, NULL))
	{
		bench_stop("a texture could not be made");
	}
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		snprintf(self.keys[i], sizeof self.keys[i], "stone%u.ktx2", i);
		self.files[i] = (lrd_memory_file){ lrd_string_from(self.keys[i]), { self.file.data, self.file.size } };
	}
	return self;
}

static void free_files(texture_files *self)
{
	lrd_buffer_free(&self->file);
	free(self->keys);
	free(self->files);
}

static void open_setting(setting *self, const texture_files *from)
{
	lrd_error error = { 0 };
	const lrd_mount_desc mount = { .files = from->files, .file_count = TEXTURES };
	const lrd_gpu_null_desc device = { .texture_slots = 2 * TEXTURES };
	*self = (setting){ .store = lrd_store_open(&(lrd_store_desc){ .texture_tail = TAIL }, &error) };
	self->device = lrd_gpu_null_create(&device, &error);
	self->slots = calloc(TEXTURES, sizeof *self->slots);
	if (self->store == NULL || self->device == NULL || self->slots == NULL ||
		!lrd_store_mount(self->store, &mount, NULL, &error))
	{
		bench_stop(error.message);
	}
	const lrd_gpu gpu = lrd_gpu_null_interface(self->device);
	const lrd_residents_desc residents = { .tail_levels = TAIL };
	self->residents = lrd_residents_create(self->store, &gpu, &residents, &error);
	self->stream = self->residents != NULL ? lrd_stream_create(self->residents, NULL, &error) : NULL;
	if (self->stream == NULL)
	{
		bench_stop(error.message);
	}
}

static void close_setting(setting *self)
{
	lrd_stream_destroy(self->stream);
	lrd_residents_destroy(self->residents);
	lrd_gpu_null_destroy(self->device);
	lrd_store_close(self->store);
	free(self->slots);
}

static void bring_in(setting *self, const texture_files *from)
{
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		lrd_string stem = { from->keys[i], strlen(from->keys[i]) - 5 };
		lrd_asset asset = lrd_asset_find_string(self->store, LRD_TEXTURE, stem, NULL);
		self->slots[i] = lrd_residents_retain_texture(self->residents, asset, LRD_ROLE_COLOR, NULL);
		if (self->slots[i] == LRD_GPU_NO_SLOT)
		{
			bench_stop("a texture could not be retained");
		}
	}
	lrd_residents_stats stats;
	do
	{
		lrd_store_update(self->store);
		lrd_residents_update(self->residents, ++self->frame, 0);
		lrd_residents_get_stats(self->residents, &stats);
	} while (stats.pending != 0);
}

/// Every `nth` texture is demanded whole in each frame.
static void measure(setting *self, const char *name, uint32_t nth, uint32_t warm)
{
	double whole[RUNS], demands[RUNS], arbiter[RUNS];
	lrd_stream_stats stats;
	for (uint32_t run = 0; run < warm + RUNS; run++)
	{
		uint32_t at = run < warm ? 0 : run - warm;
		double begun = bench_now();
		for (uint32_t i = 0; i < TEXTURES; i += nth)
		{
			lrd_stream_demand_all(self->stream, self->slots[i], 0);
		}
		double demanded = bench_now();
		lrd_stream_update(self->stream);
		whole[at] = bench_now() - demanded;
		demands[at] = demanded - begun;
		lrd_stream_get_stats(self->stream, &stats);
		arbiter[at] = (double)stats.arbiter_ns * 1e-9;
		lrd_store_update(self->store);
		lrd_residents_update(self->residents, ++self->frame, 0);
	}
	printf("%-44s %8.3f ms %8.3f ms %8.1f ns %8u\n", name, bench_median(whole, RUNS) * 1e3,
		bench_median(arbiter, RUNS) * 1e3, bench_median(demands, RUNS) * 1e9 / (TEXTURES / nth), stats.transitions);
}

void bench_stream_updates(void)
{
	texture_files files = make_files();
	setting self;
	open_setting(&self, &files);
	bring_in(&self, &files);
	printf("\n%u texture slots, a null device        lrd_stream_update  the arbiter   a demand  pending\n", TEXTURES);
	measure(&self, "nothing is demanded", TEXTURES, 4);
	measure(&self, "one in twenty, coming in", 20, 4);
	measure(&self, "one in twenty, settled", 20, 400);
	measure(&self, "all, coming in", 1, 4);
	close_setting(&self);
	free_files(&files);
}
