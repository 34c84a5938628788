// The arbiter over many textures, beside a copy of the arrays that it reads: what memory alone takes.

#include "bench.h"

#include "larder/stream.h"

#define TEXTURES 100000u
#define LEVELS 14u

typedef struct world
{
	lrd_arbiter_texture *textures;
	uint64_t *bytes; // a row for each texture, or for each size
	size_t bytes_size;
	uint64_t full;
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

/// 256 to 4096 texels a side; some seen near, some far, a third not at all.
static void make_world(world *self, bool shared)
{
	uint32_t rows = shared ? 5 : TEXTURES;
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
		uint32_t size = 8 + draw(self, 5);
		uint64_t *row = self->bytes + (shared ? size - 8 : i) * LEVELS;
		fill_row(row, size);
		t->image_bytes = row;
		t->level_count = (uint8_t)(size + 1);
		t->floor = (uint8_t)(size - 3);
		t->resident = t->floor;
		t->wanted = draw(self, 3) == 0 ? t->floor : (uint8_t)draw(self, t->floor);
		t->priority = (int8_t)draw(self, 4);
		t->wanted_since = 1000;
		t->last_change = 900;
		self->full += row[0];
		self->wanted += row[t->wanted];
	}
}

/// What the stream would do with the changes, at once.
static uint32_t run(world *self, lrd_arbiter_desc *desc, lrd_arbiter_report *report)
{
	lrd_arbiter_change changes[LRD_ARBITER_MAX_TRANSITIONS];
	desc->frame++;
	uint32_t count = lrd_arbiter_run(desc, self->textures, TEXTURES, changes, report);
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
	double seconds[BENCH_RUNS * 5];
	for (uint32_t i = 0; copy != NULL && i < BENCH_RUNS * 5; i++)
	{
		double start = bench_now();
		bench_copy(copy, self->textures, size);
		bench_copy(copy + size, self->bytes, self->bytes_size);
		seconds[i] = bench_now() - start;
	}
	free(copy);
	return bench_median(seconds, BENCH_RUNS * 5);
}

static void measure(const char *name, bool shared, double budget_of_wanted, uint32_t warm)
{
	world self;
	make_world(&self, shared);
	lrd_arbiter_report report = { 0 };
	lrd_arbiter_desc desc = { .frame = 1000, .budget = (uint64_t)((double)self.wanted * budget_of_wanted) };
	desc.max_transitions = warm != 0 ? LRD_ARBITER_MAX_TRANSITIONS : 0;
	for (uint32_t i = 0; i < warm; i++)
	{
		run(&self, &desc, &report);
	}
	desc.max_transitions = 0;
	double seconds[BENCH_RUNS * 5];
	uint32_t changes = 0;
	for (uint32_t i = 0; i < BENCH_RUNS * 5; i++)
	{
		double start = bench_now();
		changes += run(&self, &desc, &report);
		seconds[i] = bench_now() - start;
	}
	double median = bench_median(seconds, BENCH_RUNS * 5);
	double copy = time_copy(&self);
	printf("%-44s %8.3f ms %8.3f ms %6.1fx %8u %8u\n", name, median * 1e3, copy * 1e3, median / copy, changes,
		report.limited);
	free(self.textures);
	free(self.bytes);
}

int main(void)
{
	printf("%u textures                                  arbiter   memcpy of the same  changes  limited\n", TEXTURES);
	measure("room for all, coming in", false, 3.0, 0);
	measure("room for all, settled", false, 3.0, 2000);
	measure("half of what is wanted, coming in", false, 0.5, 0);
	measure("half of what is wanted, settled", false, 0.5, 3000);
	measure("a tenth of what is wanted, settled", false, 0.1, 3000);
	measure("a tenth, settled, sizes shared", true, 0.1, 3000);
	return 0;
}
