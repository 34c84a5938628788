// bench_stream: the arbiter over many textures, beside a copy of the arrays that it reads (what memory alone takes): as they come in, once
// they have settled, and where everything is against it, sharing sizes as those of a stream do; then whole updates of a stream (stream_update.c).

#include "bench.h"
#include "stream_update.h"

#include "larder/stream.h"

#define TEXTURES 100000u
#define LEVELS 15u
#define TAIL 4u
#define RUNS (BENCH_RUNS * 5)

/// How the textures of a row are made.
typedef struct scene
{
	const char *name;
	double budget;       ///< of what is wanted
	uint32_t warm;       ///< frames before it is measured
	uint32_t least_size; ///< log2 of texels a side
	uint32_t sizes;      ///< that many, each twice the one before
	uint32_t classes;    ///< priorities
	bool shared;         ///< textures of a size share its bytes
	bool is_flying;      ///< all are in transitions
	bool is_falling;     ///< all are whole, and nobody wants them; those that are looked at last are to go first
	bool is_sorted;      ///< those that are looked at last are the most urgent
} scene;

typedef struct world
{
	lrd_arbiter_texture *textures;
	uint64_t *bytes; // a row for each texture, or for each size
	size_t bytes_size;
	uint64_t wanted;
	uint32_t random;
} world;

static uint32_t draw(world *self, uint32_t below)
{
	self->random = self->random * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)self->random * below >> 32);
}

static void fill_row(uint64_t *row, uint32_t size)
{
	uint64_t bytes = 0;
	for (uint32_t level = size + 1; level-- > 0;)
	{
		uint64_t blocks = ((1u << (size - level)) + 3) / 4;
		bytes += blocks * blocks * 16;
		row[level] = bytes;
	}
}

/// Some seen near, some far, a third not at all.
static void want(world *self, const scene *kind, uint32_t i)
{
	lrd_arbiter_texture *t = &self->textures[i];
	t->resident = t->floor;
	t->wanted = draw(self, 3) == 0 ? t->floor : (uint8_t)draw(self, t->floor);
	t->priority = (int8_t)(LRD_STREAM_PRIORITY_MIN + (int32_t)draw(self, kind->classes));
	if (kind->is_sorted)
	{
		t->wanted = (uint8_t)(t->floor - t->floor * ((uint64_t)i * kind->classes % TEXTURES) / TEXTURES);
		t->priority = (int8_t)(LRD_STREAM_PRIORITY_MIN + (int32_t)((uint64_t)i * kind->classes / TEXTURES));
	}
	if (kind->is_flying)
	{
		t->in_transition = true;
		t->target = t->wanted;
	}
	t->last_wanted = 900;
	if (kind->is_falling)
	{
		t->resident = 0;
		t->wanted = t->floor;
		t->last_wanted = 900 - i;
	}
}

static void make_world(world *self, const scene *kind)
{
	uint32_t rows = kind->shared ? kind->sizes : TEXTURES;
	*self = (world){ .random = 7, .bytes_size = (size_t)rows * LEVELS * sizeof *self->bytes };
	self->textures = calloc(TEXTURES, sizeof *self->textures);
	self->bytes = calloc(rows, LEVELS * sizeof *self->bytes);
	if (self->textures == NULL || self->bytes == NULL)
	{
		bench_stop("out of memory");
	}
	for (uint32_t i = 0; i < TEXTURES; i++)
	{
		lrd_arbiter_texture *t = &self->textures[i];
		uint32_t which = draw(self, kind->sizes);
		uint32_t size = kind->least_size + which;
		uint64_t *row = self->bytes + (kind->shared ? which : i) * LEVELS;
		fill_row(row, size);
		t->image_bytes = row;
		t->level_count = (uint8_t)(size + 1);
		t->floor = (uint8_t)(size + 1 - TAIL);
		t->wanted_since = 1000;
		t->last_change = 900;
		want(self, kind, i);
		self->wanted += row[kind->is_falling ? 0 : t->wanted];
	}
}

/// What the stream would do with the changes, at once.
static uint32_t run(world *self, lrd_arbiter_desc *desc, lrd_arbiter_report *report, double *seconds)
{
	lrd_arbiter_change changes[LRD_ARBITER_MAX_TRANSITIONS];
	desc->frame++;
	double start = bench_now();
	uint32_t count = lrd_arbiter_run(desc, self->textures, TEXTURES, changes, report);
	*seconds = bench_now() - start;
	for (uint32_t i = 0; i < count; i++)
	{
		lrd_arbiter_texture *t = &self->textures[changes[i].texture];
		t->resident = changes[i].to;
		t->last_change = desc->frame;
		t->was_demoted = changes[i].to > changes[i].from;
	}
	return count;
}

static double time_copy(const world *self)
{
	size_t size = TEXTURES * sizeof *self->textures;
	char *copy = malloc(size + self->bytes_size);
	double seconds[RUNS];
	for (uint32_t i = 0; copy != NULL && i < RUNS; i++)
	{
		double start = bench_now();
		bench_copy(copy, self->textures, size);
		bench_copy(copy + size, self->bytes, self->bytes_size);
		seconds[i] = bench_now() - start;
	}
	free(copy);
	return bench_median(seconds, RUNS);
}

static void measure(const scene *kind)
{
	world self;
	make_world(&self, kind);
	lrd_arbiter_report report = { 0 };
	lrd_arbiter_desc desc = { .frame = 1000, .budget = (uint64_t)((double)self.wanted * kind->budget) };
	double seconds[RUNS];
	for (uint32_t i = 0; i < kind->warm; i++)
	{
		desc.max_transitions = LRD_ARBITER_MAX_TRANSITIONS;
		run(&self, &desc, &report, seconds);
	}
	desc.max_transitions = 0;
	uint32_t changes = 0;
	for (uint32_t i = 0; i < RUNS; i++)
	{
		changes += run(&self, &desc, &report, &seconds[i]);
	}
	double median = bench_median(seconds, RUNS);
	double copy = time_copy(&self);
	printf("%-44s %8.3f ms %8.3f ms %6.1fx %8u %8u\n", kind->name, median * 1e3, copy * 1e3, median / copy, changes,
		report.limited);
	free(self.textures);
	free(self.bytes);
}

int main(void)
{
	static const scene scenes[] = {
		{ "room for all, coming in", 3.0, 0, 8, 5, 4, .shared = true },
		{ "room for all, settled", 3.0, 1100, 8, 5, 4, .shared = true },
		{ "half of what is wanted, coming in", 0.5, 0, 8, 5, 4, .shared = true },
		{ "half of what is wanted, settled", 0.5, 1600, 8, 5, 4, .shared = true },
		{ "a tenth, settled", 0.1, 1600, 8, 5, 4, .shared = true },
		{ "a tenth, settled, 32 priorities", 0.1, 1600, 8, 5, 32, .shared = true },
		{ "half, settled, 4096 to 16384 texels a side", 0.5, 1600, 12, 3, 4, .shared = true },
		{ "half, all in transition", 0.5, 0, 8, 5, 4, .shared = true, .is_flying = true },
		{ "half, coming in, the most urgent come last", 0.5, 0, 12, 3, 32, .shared = true, .is_sorted = true },
		{ "half, nothing is wanted, the oldest come last", 0.5, 0, 8, 5, 4, .shared = true, .is_falling = true },
		{ "each with sizes of its own, half, coming in", 0.5, 0, 8, 5, 4, .shared = false },
		{ "each with sizes of its own, half, settled", 0.5, 1600, 8, 5, 4, .shared = false },
	};
	printf("%u textures                                  arbiter   memcpy of the same  changes  limited\n", TEXTURES);
	for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
	{
		measure(&scenes[i]);
	}
	bench_stream_updates();
	return 0;
}
