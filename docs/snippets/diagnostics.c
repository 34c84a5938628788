// The code of docs/guide-diagnostics.md, as a program. Run where courtyard.lpack and cooked lie; writes the recording TRACE and
// replays it. snippet_diagnostics TRACE

#include <larder/larder.h>
#include <larder/replay.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/// Whether the budget is well chosen: what comes back soon after it was pushed out is read twice.
static void print_budget(const lrd_store *store)
{
	lrd_store_stats stats;
	lrd_store_get_stats(store, &stats);
	printf("%.1f MB resident, of which %.1f MB parked (budget %.1f MB)\n", (double)stats.resident_bytes * 1e-6,
		(double)stats.parked_bytes * 1e-6, (double)stats.keep_parked * 1e-6);
	printf("%" PRIu64 " loads, %" PRIu64 " failed; %" PRIu64 " evicted, %" PRIu64 " resurrected; %.1f MB read\n",
		stats.loads, stats.failures, stats.evicted, stats.resurrected, (double)stats.io_bytes * 1e-6);
}

static int compare_bytes(const void *a, const void *b)
{
	uint64_t x = ((const lrd_snapshot_asset *)a)->bytes;
	uint64_t y = ((const lrd_snapshot_asset *)b)->bytes;
	return (x < y) - (x > y);
}

/// What takes the most memory, and why it is there.
static void print_largest(lrd_snapshot *now, uint32_t count)
{
	qsort(now->assets, now->asset_count, sizeof *now->assets, compare_bytes); // the rows are yours
	for (uint32_t i = 0; i < count && i < now->asset_count; ++i)
	{
		const lrd_snapshot_asset *asset = &now->assets[i];
		printf(
			"%8.3f MB %-8s %.*s: ", (double)asset->bytes * 1e-6, lrd_kind_name(asset->kind), LRD_STR_ARG(asset->stem));
		if (asset->parked)
		{
			printf("parked\n");
			continue;
		}
		printf("%" PRIu32 " references, %" PRIu32 " of them by what names it, %" PRIu32 " pins; asked for by %s\n",
			asset->references, asset->inner, asset->pins, asset->owner != NULL ? asset->owner : "?");
	}
}

/// Why a loading screen does not end: what each ticket still waits for, and what that is doing.
static void print_waiting(const lrd_store *store, const lrd_snapshot *now)
{
	for (uint32_t i = 0; i < now->ticket_count; ++i)
	{
		const lrd_snapshot_ticket *ticket = &now->tickets[i];
		printf("ticket of %s: %" PRIu32 " of %" PRIu32 " arrived%s\n", ticket->owner != NULL ? ticket->owner : "?",
			ticket->progress.arrived, ticket->progress.required,
			ticket->progress.sealed ? "" : "; it is not sealed, so it answers nobody");
		for (uint32_t k = 0; k < ticket->waiting_count; ++k)
		{
			lrd_asset asset = now->waiting[ticket->first_waiting + k];
			printf("  %.*s: %s\n", LRD_STR_ARG(lrd_asset_stem(store, asset)),
				lrd_state_name(lrd_asset_state(store, asset)));
		}
	}
}

/// Whether the budget for textures is too small.
static void print_stream(const lrd_snapshot *now)
{
	const double mib = 1.0 / (1 << 20);
	const lrd_snapshot_stream *stream = &now->stream;
	printf("%.1f of %.1f MiB; %" PRIu32 " of %" PRIu32 " textures lack %.1f MiB, %" PRIu32 " on their way\n",
		(double)stream->resident_bytes * mib, (double)stream->budget * mib, stream->limited, stream->textures,
		(double)stream->missing_bytes * mib, stream->transitions);
}

static bool look_inside(const lrd_store *store)
{
	lrd_error error;
	lrd_snapshot now = { 0 }; // kept from one time to the next, it allocates nothing
	if (!lrd_snapshot_take(store, &now, &error))
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	print_largest(&now, 5);
	print_waiting(store, &now);
	print_stream(&now);
	lrd_snapshot_free(&now);
	return true;
}

/// A session that is recorded whole.
static bool record(const char *trace)
{
	lrd_error error;
	lrd_store *store =
		lrd_store_open(&(lrd_store_desc){ .pack = "courtyard.lpack", .keep_parked = 8u << 20, .trace = trace }, &error);
	if (store == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	lrd_asset model = lrd_asset_find(store, LRD_MODEL, "courtyard", &error);
	lrd_ticket ticket = lrd_ticket_open(store, &(lrd_ticket_desc){ .owner = "level" }, &error);
	lrd_ticket_require(store, ticket, model, &error);
	lrd_ticket_seal(store, ticket);
	lrd_retain_with(store, model, &(lrd_retain_desc){ .owner = "level" });
	bool good = look_inside(store) && lrd_ticket_wait(store, ticket);
	lrd_store_update(store);
	lrd_ticket_close(store, ticket);
	good = look_inside(store) && good;
	print_budget(store);
	lrd_release(store, model);
	return lrd_store_close(store) == 0 && good;
}

static void print_difference(void *user, const lrd_replay_difference *difference)
{
	(void)user;
	if (difference->timing)
	{
		return; // a load ended at another time than it did
	}
	printf("line %" PRIu32 ": %s \"%.*s\": %s, recorded %s\n", difference->line, difference->call,
		LRD_STR_ARG(difference->stem), difference->answered, difference->recorded);
}

/// What `larder replay` does.
static bool replay(const char *trace, const char *cooked)
{
	lrd_error error;
	lrd_replay_report report;
	lrd_replay_desc desc = { .trace = trace, .store = cooked, .on_difference = print_difference };
	if (!lrd_replay_run(&desc, &report, &error))
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	printf("%" PRIu64 " calls, %" PRIu64 " answers differ\n", report.calls, report.differences);
	return report.differences == 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
	{
		fprintf(stderr, "usage: snippet_diagnostics TRACE\n");
		return 2;
	}
	bool good = record(argv[1]) && replay(argv[1], "courtyard.lpack") && replay(argv[1], "cooked");
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
