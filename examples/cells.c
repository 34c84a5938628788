// Cells of a world that come and go within a budget, as somebody walks there and back: cells game.lpack models/world.

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CELLS 6
#define BUDGET (2u << 20) // bytes of what was left behind that stay in memory

typedef struct world
{
	lrd_store *store;
	lrd_asset *assets; ///< meshes of the parts, each with its material
	uint32_t count;
} world;

/// The ids of what the model names. They stay valid though nothing is held, or loaded, once the model is released.
static bool open_world(world *self, const char *stem, lrd_error *error)
{
	lrd_asset asset = lrd_asset_find(self->store, LRD_MODEL, stem, error);
	if (asset.generation == 0 || !lrd_retain_now(self->store, asset, error))
	{
		return false;
	}
	const lrd_model *model = lrd_model_get(self->store, asset);
	self->assets = calloc(model->view.part_count * 2u + 1u, sizeof *self->assets);
	for (uint32_t i = 0; self->assets != NULL && i < model->view.part_count; ++i)
	{
		if (i > 0 && lrd_asset_equal(model->meshes[i], model->meshes[i - 1]))
		{
			continue; // one mesh, placed often
		}
		self->assets[self->count++] = model->meshes[i];
		if (model->view.parts[i].slot != LRD_NO_INDEX)
		{
			self->assets[self->count++] = model->materials[model->view.parts[i].slot];
		}
	}
	lrd_release(self->store, asset);
	lrd_store_unload_all(self->store); // the walk begins with nothing in memory
	return self->assets != NULL;
}

static bool is_coming(lrd_store *store, lrd_asset asset)
{
	lrd_state state = lrd_asset_state(store, asset);
	return state == LRD_QUEUED || state == LRD_LOADING;
}

/// What is shared with the cell that is left, or was left a short while ago, is there at once.
static void enter_cell(const world *self, lrd_scope *scope, uint32_t cell)
{
	for (uint32_t i = self->count * cell / CELLS; i < self->count * (cell + 1) / CELLS; ++i)
	{
		lrd_scope_retain(scope, self->assets[i]);
	}
	for (uint32_t i = 0; i < lrd_scope_count(scope); ++i)
	{
		while (is_coming(self->store, lrd_scope_at(scope, i)))
		{
			lrd_store_update(self->store);
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		}
	}
}

static bool print_step(const world *self, uint32_t cell)
{
	lrd_store_stats stats;
	lrd_store_get_stats(self->store, &stats);
	printf("cell %u: held %5.2f MB, parked %4.2f MB; so far %3llu loads, %3llu resurrected, %3llu evicted\n", cell,
		(double)(stats.resident_bytes - stats.parked_bytes) * 1e-6, (double)stats.parked_bytes * 1e-6,
		(unsigned long long)stats.loads, (unsigned long long)stats.resurrected, (unsigned long long)stats.evicted);
	return stats.parked_bytes <= BUDGET && stats.failures == 0;
}

/// The next cell is entered before the last one is left.
static bool walk(const world *self, lrd_error *error)
{
	lrd_scope_desc desc = { .reserve = self->count, .owner = "cell" };
	lrd_scope *here = lrd_scope_create(self->store, &desc, error);
	lrd_scope *next = lrd_scope_create(self->store, &desc, error);
	bool good = here != NULL && next != NULL;
	for (uint32_t step = 0; good && step < 2 * CELLS - 1; ++step)
	{
		uint32_t cell = step < CELLS ? step : 2 * CELLS - 2 - step;
		enter_cell(self, next, cell);
		lrd_scope_release_all(here); // keeps its room
		lrd_scope *left = here;
		here = next;
		next = left;
		good = print_step(self, cell);
	}
	lrd_scope_destroy(here);
	lrd_scope_destroy(next);
	return good;
}

int main(int argc, char **argv)
{
	if (argc != 3)
	{
		fprintf(stderr, "usage: cells BUNDLE MODEL\n");
		return EXIT_FAILURE;
	}
	lrd_error error = { 0 };
	lrd_store_desc desc = { .pack = argv[1], .keep_parked = BUDGET };
	world self = { .store = lrd_store_open(&desc, &error) };
	bool good = self.store != NULL && open_world(&self, argv[2], &error) && walk(&self, &error);
	if (!good)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	uint32_t leaks = self.store == NULL ? 0 : lrd_store_close(self.store);
	free(self.assets);
	return good && leaks == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
