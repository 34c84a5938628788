// The code of docs/guide-streaming.md, as a program, over a device in plain memory. Run where courtyard.lpack lies. snippet_streaming STEM

#include <larder/larder.h>

#include <stdio.h>

#define TAIL 6u // of each texture, so many of its smallest levels are always there: 32 x 32 and smaller

typedef struct game
{
	lrd_store *store;
	lrd_residents *residents;
	lrd_stream *stream;
} game;

/// What a frame knows of something that it draws.
typedef struct drawn
{
	uint32_t slot;         ///< of its texture
	float texels_per_unit; ///< its mesh's uv_density of the set it is read by, times the texture's size
	float distance;        ///< from the eye to the nearest point of its bounds
} drawn;

static void demand_what_is_seen(lrd_stream *stream, const drawn *things, uint32_t count, float pixels_per_unit)
{
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t level = lrd_stream_level(things[i].texels_per_unit, things[i].distance, pixels_per_unit);
		lrd_stream_demand(stream, things[i].slot, level, 0);
	}
}

static void frame(lrd_store *store, lrd_stream *stream, lrd_residents *residents, uint64_t number)
{
	lrd_store_update(store);
	lrd_stream_update(stream);                                            // decides, and asks the residents
	lrd_residents_update(residents, number, number > 3 ? number - 3 : 0); // reads, uploads, binds, frees
}

static void print_stats(const lrd_stream *stream)
{
	lrd_stream_stats stats;
	lrd_stream_get_stats(stream, &stats);
	printf("%.2f of %.2f MiB resident, %u of %u textures as wanted, %u on their way, %u kept coarser\n",
		(double)stats.report.resident_bytes / (1 << 20), (double)stats.budget / (1 << 20), stats.report.full,
		stats.textures, stats.transitions, stats.report.limited);
}

/// All of what a game needs for textures that stream.
static bool open_all(game *self, const char *bundle, const lrd_gpu *gpu)
{
	lrd_error error;
	lrd_store_desc store = { .pack = bundle, .texture_tail = TAIL };
	lrd_residents_desc residents = { .tail_levels = TAIL };
	lrd_stream_desc stream = { .budget = 64u << 20, .step = 1 };
	self->store = lrd_store_open(&store, &error);
	self->residents = self->store != NULL ? lrd_residents_create(self->store, gpu, &residents, &error) : NULL;
	self->stream = self->residents != NULL ? lrd_stream_create(self->residents, &stream, &error) : NULL;
	if (self->stream == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	return self->stream != NULL;
}

static void close_all(game *self) // the device is idle
{
	lrd_stream_destroy(self->stream);
	lrd_residents_destroy(self->residents);
	lrd_store_close(self->store);
}

static bool stream_texture(const game *self, const char *stem)
{
	lrd_error error;
	lrd_store *store = self->store;
	lrd_residents *residents = self->residents;
	lrd_stream *stream = self->stream;
	lrd_asset asset = lrd_asset_find(store, LRD_TEXTURE, stem, &error);
	uint32_t slot = lrd_residents_retain_texture(residents, asset, LRD_ROLE_COLOR, &error);
	if (slot == LRD_GPU_NO_SLOT)
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	lrd_resident_texture texture = { .first_level = 1 };
	for (uint64_t number = 1; number < 100000 && texture.first_level != 0; number++)
	{
		const drawn thing = { slot, 512.0f, 1.0f };
		demand_what_is_seen(stream, &thing, 1, 1000.0f);
		frame(store, stream, residents, number);
		lrd_residents_get_texture(residents, slot, &texture);
		texture.first_level = texture.level_count != 0 ? texture.first_level : 1;
	}
	lrd_stream_update(stream); // sees what the last frame brought
	print_stats(stream);
	lrd_residents_release_texture(residents, slot);
	return texture.first_level == 0;
}

int main(int argc, char **argv)
{
	lrd_gpu_null *device = lrd_gpu_null_create(NULL, NULL);
	if (argc < 2 || device == NULL)
	{
		fprintf(stderr, "usage: snippet_streaming STEM, where courtyard.lpack lies\n");
		return 1;
	}
	const lrd_gpu gpu = lrd_gpu_null_interface(device);
	game self = { 0 };
	bool done = open_all(&self, "courtyard.lpack", &gpu) && stream_texture(&self, argv[1]);
	close_all(&self);
	lrd_gpu_null_destroy(device);
	return done ? 0 : 1;
}
