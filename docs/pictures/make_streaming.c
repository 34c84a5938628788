// A diagram of streaming, from a run over a null device: larder-docs-streaming OUT.svg. A camera stands among textured walls and turns around twice;
// drawn frame by frame are what is wanted, what is resident, and the budget, of a quarter of all bytes. Run by the target larder-pictures.

#include "base/memory.h"
#include "format/texture.h"
#include "larder/stream.h"
#include "larder/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXTURES 96u
#define SIZES 3u // 256, 512 and 1024 texels a side
#define TAIL 4u
#define FRAMES 900u
#define TURN 450u               // frames
#define PIXELS_PER_UNIT 1400.0f // at distance 1
#define HALF_VIEW 1.0f          // radians, and so half of its width
#define TEXELS_OF_WALL 4.0f

typedef struct texture
{
	char key[24];
	uint32_t slot;
	uint32_t size;
	float angle;
	float distance;
} texture;

typedef struct sample
{
	double accounted;
	double resident;
	double wanted;
	double limited;
} sample;

typedef struct run
{
	lrd_buffer files[SIZES];
	lrd_memory_file mounted[TEXTURES];
	texture textures[TEXTURES];
	lrd_store *store;
	lrd_gpu_null *device;
	lrd_residents *residents;
	lrd_stream *stream;
	uint64_t all; ///< bytes with all levels
	uint64_t budget;
	uint64_t frame;
	sample samples[FRAMES];
} run;

static void stop(const char *why)
{
	fprintf(stderr, "larder-docs-streaming: %s\n", why);
	exit(1);
}

static uint32_t size_of(uint32_t i)
{
	return 256u << i * 7 % SIZES;
}

// That the budget refuses wishes is what is shown.
static void say_nothing(void *user, lrd_log_level level, const char *scope, const char *message)
{
	(void)user;
	(void)level;
	(void)scope;
	(void)message;
}

// --- The run ---

static void make_file(lrd_buffer *file, uint32_t size)
{
	static const uint8_t nothing[1024 * 1024];
	lrd_texture_view view = { .format = LRD_TEXTURE_BC7_SRGB, .width = size, .height = size, .face_count = 1 };
	for (uint32_t extent = size; extent != 0; extent /= 2)
	{
		uint64_t blocks = (extent + 3) / 4;
		view.levels[view.level_count++] = (lrd_texture_level){ nothing, blocks * blocks * 16, blocks * blocks * 16, 0 };
	}
	if (!lrd_texture_write(&view, file, NULL))
	{
		stop("out of memory");
	}
}

static void make_textures(run *self)
{
	for (uint32_t i = 0; i < SIZES; i++)
	{
		make_file(&self->files[i], 256u << i);
	}
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		texture *t = &self->textures[i];
		const lrd_buffer *file = &self->files[i * 7 % SIZES];
		snprintf(t->key, sizeof t->key, "wall%u.ktx2", i);
		self->mounted[i] = (lrd_memory_file){ lrd_string_from(t->key), { file->data, file->size } };
		t->size = size_of(i);
		t->angle = 6.2831853f * (float)i / (float)TEXTURES;
		t->distance = 1.0f + (float)(i * 13 % 5) + 16.0f * sinf(t->angle) * sinf(t->angle); // a long room
		for (uint64_t extent = t->size; extent != 0; extent /= 2)
		{
			self->all += (extent + 3) / 4 * ((extent + 3) / 4) * 16;
		}
	}
}

static void open_run(run *self)
{
	lrd_error error = { .message = "memory" };
	const lrd_mount_desc mount = { .files = self->mounted, .file_count = TEXTURES };
	const lrd_gpu_null_desc device = { .delay = 2 };
	self->store = lrd_store_open(&(lrd_store_desc){ .texture_tail = TAIL }, &error);
	self->device = lrd_gpu_null_create(&device, &error);
	if (self->store == NULL || self->device == NULL || !lrd_store_mount(self->store, &mount, NULL, &error))
	{
		stop(error.message);
	}
	const lrd_gpu gpu = lrd_gpu_null_interface(self->device);
	self->residents = lrd_residents_create(
		self->store, &gpu, &(lrd_residents_desc){ .tail_levels = TAIL, .create_us = 1000000 }, &error);
	self->budget = self->all / 4;
	const lrd_stream_desc stream = { .budget = self->budget, .step = 1, .log = { say_nothing, NULL } };
	self->stream = self->residents != NULL ? lrd_stream_create(self->residents, &stream, &error) : NULL;
	for (uint32_t i = 0; i < TEXTURES && self->stream != NULL; i++)
	{
		texture *t = &self->textures[i];
		lrd_string stem = { t->key, strlen(t->key) - strlen(".ktx2") };
		lrd_asset asset = lrd_asset_find_string(self->store, LRD_TEXTURE, stem, &error);
		t->slot = lrd_residents_retain_texture(self->residents, asset, LRD_ROLE_COLOR, &error);
	}
	if (self->stream == NULL)
	{
		stop(error.message);
	}
}

static void close_run(run *self)
{
	lrd_stream_destroy(self->stream);
	lrd_residents_destroy(self->residents);
	lrd_gpu_null_destroy(self->device);
	lrd_store_close(self->store);
	for (uint32_t i = 0; i < SIZES; i++)
	{
		lrd_buffer_free(&self->files[i]);
	}
}

static void demand(run *self, uint32_t frame)
{
	float looks_at = 6.2831853f * (float)(frame % TURN) / (float)TURN;
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		const texture *t = &self->textures[i];
		if (fabsf(remainderf(t->angle - looks_at, 6.2831853f)) < HALF_VIEW)
		{
			float texels_per_unit = (float)t->size / TEXELS_OF_WALL;
			uint32_t level = lrd_stream_level(texels_per_unit, t->distance, PIXELS_PER_UNIT);
			lrd_stream_demand(self->stream, t->slot, level, 0);
		}
	}
}

// What a frame reads comes while it lasts: so runs on a busy machine draw what those on an idle one do.
static void finish_reads(const run *self)
{
	const lrd_jobs *jobs = lrd_store_jobs(self->store);
	jobs->wait(jobs->user);
}

static void update(run *self)
{
	lrd_store_update(self->store);
	lrd_stream_update(self->stream);
	lrd_residents_update(self->residents, ++self->frame, 0);
	finish_reads(self);
}

static void turn_around(run *self)
{
	lrd_residents_stats residents;
	do
	{
		update(self);
		lrd_residents_get_stats(self->residents, &residents);
	} while (residents.pending != 0);
	for (uint32_t i = 0; i < FRAMES; i++)
	{
		demand(self, i);
		update(self);
		lrd_stream_stats stats;
		lrd_stream_get_stats(self->stream, &stats);
		self->samples[i] = (sample){ (double)stats.report.accounted_bytes, (double)stats.report.resident_bytes,
			(double)stats.report.demanded_bytes, stats.report.limited };
	}
}

// --- The diagram ---

#define LEFT 60.0
#define TOP 26.0
#define WIDTH 560.0
#define TALL 240.0
#define MOST_SHOWN (20.0 * (1 << 20)) // bytes

static double x_of(double frame)
{
	return LEFT + WIDTH * frame / FRAMES;
}

static double y_of(double bytes)
{
	return TOP + TALL * (1 - bytes / (MOST_SHOWN));
}

static void draw_line(FILE *to, const run *self, size_t which, const char *colour)
{
	fprintf(to, "<path stroke=\"%s\" stroke-width=\"1.5\" d=\"", colour);
	for (uint32_t i = 0; i < FRAMES; i += 2)
	{
		double value;
		memcpy(&value, (const char *)&self->samples[i] + which, sizeof value);
		fprintf(to, "%c%.1f %.1f", i == 0 ? 'M' : 'L', x_of(i), y_of(value));
	}
	fprintf(to, "\"/>\n");
}

static void draw_key(FILE *to, double x, const char *colour, const char *text)
{
	fprintf(to,
		"<path stroke=\"%s\" stroke-width=\"3\" d=\"M%.0f 312h18\"/><text x=\"%.0f\" y=\"316\" "
		"fill=\"#333\">%s</text>\n",
		colour, x, x + 24, text);
}

static void draw(FILE *to, const run *self)
{
	const double mib = 1 << 20;
	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 330\" font-family=\"sans-serif\" font-size=\"12\" "
		"fill=\"none\">\n<path d=\"M0 0H660V330H0Z\" fill=\"#fff\"/>\n");
	for (double at = 0; at * mib <= MOST_SHOWN; at += 4)
	{
		double y = y_of(at * mib);
		fprintf(to,
			"<path stroke=\"#ddd\" d=\"M%.1f %.1fh%.1f\"/><text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\" "
			"fill=\"#333\">%.0f</text>\n",
			LEFT, y, WIDTH, LEFT - 8, y + 4, at);
	}
	for (uint32_t frame = 0; frame < FRAMES; frame += 150)
	{
		fprintf(to, "<text x=\"%.1f\" y=\"284\" text-anchor=\"middle\" fill=\"#333\">%u</text>\n", x_of(frame), frame);
	}
	fprintf(to,
		"<text x=\"%.0f\" y=\"16\" fill=\"#333\">MiB</text><text x=\"%.0f\" y=\"284\" fill=\"#333\">frame</text>\n",
		LEFT - 30, LEFT + WIDTH + 8 - 30);
	draw_line(to, self, offsetof(sample, wanted), "#999");
	draw_line(to, self, offsetof(sample, accounted), "#e8a13a");
	draw_line(to, self, offsetof(sample, resident), "#2a6fb0");
	double budget = y_of((double)self->budget);
	fprintf(to, "<path stroke=\"#b03030\" stroke-dasharray=\"6 4\" d=\"M%.1f %.1fh%.1f\"/>\n", LEFT, budget, WIDTH);
	draw_key(to, 60, "#999", "wanted");
	draw_key(to, 150, "#2a6fb0", "resident");
	draw_key(to, 250, "#e8a13a", "with the old images of what changes");
	draw_key(to, 500, "#b03030", "budget");
	fprintf(to, "</svg>\n");
}

int main(int argc, char **argv)
{
	static run self;
	if (argc != 2)
	{
		stop("larder-docs-streaming OUT.svg");
	}
	make_textures(&self);
	open_run(&self);
	turn_around(&self);
	FILE *to = fopen(argv[1], "w");
	if (to == NULL)
	{
		stop("the picture can't be written");
	}
	draw(to, &self);
	double most = 0, wanted = 0;
	for (uint32_t i = 0; i < FRAMES; i++)
	{
		most = self.samples[i].accounted > most ? self.samples[i].accounted : most;
		wanted = self.samples[i].wanted > wanted ? self.samples[i].wanted : wanted;
	}
	lrd_stream_stats stats;
	lrd_stream_get_stats(self.stream, &stats);
	printf("%u textures, %.1f MiB; budget %.1f, at most wanted %.1f, at most there %.1f; %llu promotions, %llu "
		   "demotions\n",
		TEXTURES, (double)self.all / (1 << 20), (double)self.budget / (1 << 20), wanted / (1 << 20), most / (1 << 20),
		(unsigned long long)stats.promotions, (unsigned long long)stats.demotions);
	close_run(&self);
	return fclose(to) == 0 ? 0 : 1;
}
