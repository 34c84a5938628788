// A loading screen: a scope holds what a level needs, a ticket says how far it is, in bytes: loading_screen game.lpack MODEL...

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BAR_WIDTH 40

static void draw_bar(const lrd_ticket_progress *progress)
{
	char bar[BAR_WIDTH + 1];
	for (uint64_t i = 0; i < BAR_WIDTH; ++i)
	{
		bar[i] = i * progress->bytes_total < progress->bytes_done * BAR_WIDTH ? '#' : '.';
	}
	bar[BAR_WIDTH] = 0;
	printf("[%s] %7.2f of %7.2f MB\n", bar, (double)progress->bytes_done * 1e-6, (double)progress->bytes_total * 1e-6);
}

/// Frames until everything has arrived. What a model names is known once it has been read, so the total grows at first;
/// what is done never shrinks, and is the total in the end.
static bool show_bar(lrd_store *store, lrd_ticket ticket)
{
	lrd_ticket_progress shown = { 0 };
	lrd_ticket_progress now = { 0 };
	bool honest = true;
	while (!now.complete)
	{
		lrd_store_update(store);
		lrd_ticket_get(store, ticket, &now);
		honest = honest && now.bytes_done >= shown.bytes_done && now.bytes_done <= now.bytes_total;
		if (now.bytes_done != shown.bytes_done || now.bytes_total != shown.bytes_total)
		{
			draw_bar(&now);
		}
		shown = now;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	printf("%u of %u assets arrived, %u failed\n", now.arrived, now.required, now.failed);
	return honest && now.bytes_done == now.bytes_total;
}

/// Everything that the level needs is asked for at once; the ticket answers when it is sealed.
static bool ask_for(lrd_store *store, lrd_scope *scope, lrd_ticket ticket, char **stems, int count, lrd_error *error)
{
	for (int i = 0; i < count; ++i)
	{
		lrd_asset asset = lrd_asset_find(store, LRD_MODEL, stems[i], error);
		if (!lrd_scope_retain(scope, asset) || !lrd_ticket_require(store, ticket, asset, error))
		{
			return false;
		}
	}
	return lrd_ticket_seal(store, ticket);
}

static bool load_level(lrd_store *store, char **stems, int count, lrd_error *error)
{
	lrd_ticket ticket = lrd_ticket_open(store, &(lrd_ticket_desc){ .owner = "loading screen" }, error);
	lrd_scope *scope = lrd_scope_create(store, &(lrd_scope_desc){ .owner = "level" }, error);
	bool good = scope != NULL && ask_for(store, scope, ticket, stems, count, error) && show_bar(store, ticket);
	for (uint32_t i = 0; good && i < lrd_scope_count(scope); ++i)
	{
		good = !lrd_asset_error(store, lrd_scope_at(scope, i), error);
	}
	lrd_ticket_close(store, ticket);
	lrd_scope_destroy(scope); // the level ends
	return good;
}

int main(int argc, char **argv)
{
	if (argc < 3)
	{
		fprintf(stderr, "usage: loading_screen BUNDLE MODEL...\n");
		return EXIT_FAILURE;
	}
	lrd_error error = { 0 };
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ .pack = argv[1] }, &error);
	bool good = store != NULL && load_level(store, argv + 2, argc - 2, &error);
	if (!good)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	uint32_t leaks = store == NULL ? 0 : lrd_store_close(store);
	return good && leaks == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
