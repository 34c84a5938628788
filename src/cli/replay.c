// larder replay: a recording of a store's calls, run again.

#include "larder/replay.h"
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/// Differences that are listed unless all are asked for.
#define LISTED_MAX 20

typedef struct replay_output
{
	cJSON *differences; ///< NULL: as text
	bool quiet;
	bool all;
	uint64_t listed;
	uint64_t unlisted;
} replay_output;

static void put_difference(void *user, const lrd_replay_difference *difference)
{
	replay_output *output = user;
	if (!output->all && (difference->timing || output->listed == LISTED_MAX))
	{
		output->unlisted += !difference->timing;
		return;
	}
	output->listed++;
	if (output->differences != NULL)
	{
		cJSON *row = cJSON_CreateObject();
		cJSON_AddItemToArray(output->differences, row);
		cli_json_number(row, "line", difference->line);
		cli_json_string(row, "call", lrd_string_from(difference->call));
		cli_json_string(row, "stem", difference->stem);
		cli_json_string(row, "recorded", lrd_string_from(difference->recorded));
		cli_json_string(row, "answered", lrd_string_from(difference->answered));
		cJSON_AddBoolToObject(row, "timing", difference->timing);
		return;
	}
	printf("line %" PRIu32 ": %s", difference->line, difference->call);
	if (difference->stem.size != 0)
	{
		printf(" ");
		cli_put_text(stdout, difference->stem);
	}
	printf(": %s, recorded %s%s\n", difference->answered, difference->recorded, difference->timing ? " (timing)" : "");
}

static void put_report(const char *trace, const replay_output *output, const lrd_replay_report *report)
{
	const lrd_store_stats *stats = &report->stats;
	if (output->unlisted != 0)
	{
		printf("and %" PRIu64 " more; --verbose lists them\n", output->unlisted);
	}
	printf("%s: %" PRIu64 " calls by %" PRIu32 " thread%s on %" PRIu32
		   " assets, recorded in %.3f s, replayed in %.3f s%s\n",
		trace, report->calls, report->threads, report->threads == 1 ? "" : "s", report->assets,
		(double)report->recorded_ns * 1e-9, (double)report->replayed_ns * 1e-9,
		report->ended ? "" : "; the recording ends before its program");
	printf("%" PRIu64 " answers differ, %" PRIu64 " more may for loads that ended at other times, %" PRIu64
		   " calls left out\n",
		report->differences, report->timing, report->left_out);
	printf("%" PRIu64 " loads, %" PRIu64 " failed, %" PRIu64 " cancelled, %" PRIu64 " evicted, %" PRIu64
		   " resurrected, %s read\n",
		stats->loads, stats->failures, stats->cancelled, stats->evicted, stats->resurrected,
		cli_bytes(stats->io_bytes));
	printf("at the end %s resident, %s of it parked; %" PRIu32 " assets not released\n",
		cli_bytes(stats->resident_bytes), cli_bytes(stats->parked_bytes), report->leaks);
}

static bool print_json(const char *trace, cJSON *differences, const lrd_replay_report *report)
{
	const lrd_store_stats *stats = &report->stats;
	cJSON *json = cJSON_CreateObject();
	cli_json_string(json, "trace", lrd_string_from(trace));
	cli_json_number(json, "calls", (double)report->calls);
	cli_json_number(json, "threads", report->threads);
	cli_json_number(json, "assets", report->assets);
	cJSON_AddBoolToObject(json, "ended", report->ended);
	cli_json_number(json, "left_out", (double)report->left_out);
	cli_json_number(json, "differences", (double)report->differences);
	cli_json_number(json, "timing", (double)report->timing);
	cli_json_number(json, "leaks", report->leaks);
	cli_json_number(json, "recorded_seconds", (double)report->recorded_ns * 1e-9);
	cli_json_number(json, "replayed_seconds", (double)report->replayed_ns * 1e-9);
	cJSON *sums = cJSON_AddObjectToObject(json, "stats");
	cli_json_number(sums, "loads", (double)stats->loads);
	cli_json_number(sums, "failures", (double)stats->failures);
	cli_json_number(sums, "cancelled", (double)stats->cancelled);
	cli_json_number(sums, "stale", (double)stats->stale);
	cli_json_number(sums, "evicted", (double)stats->evicted);
	cli_json_number(sums, "resurrected", (double)stats->resurrected);
	cli_json_number(sums, "refused", (double)stats->refused);
	cli_json_number(sums, "io_bytes", (double)stats->io_bytes);
	cli_json_number(sums, "mapped_bytes", (double)stats->mapped_bytes);
	cli_json_number(sums, "resident_bytes", (double)stats->resident_bytes);
	cli_json_number(sums, "parked_bytes", (double)stats->parked_bytes);
	cJSON_AddItemToObject(json, "listed", differences);
	return cli_json_print(json);
}

/// What a store has to say is no fault of this program: it is what was recorded.
static void log_store(void *user, lrd_log_level level, const char *scope, const char *message)
{
	(void)scope;
	const replay_output *output = user;
	if (output->all && level >= LRD_LOG_WARNING)
	{
		cli_error("store: %s", message);
	}
}

static bool parse_times(const char *text, uint32_t *times)
{
	char *end = NULL;
	errno = 0;
	unsigned long count = text == NULL ? 1 : strtoul(text, &end, 10);
	if (text != NULL && (*text < '0' || *text > '9' || *end != 0 || errno != 0 || count < 1 || count > 1000000))
	{
		cli_error("replay: --times takes a number from 1 to 1000000, not %s", text);
		return false;
	}
	*times = (uint32_t)count;
	return true;
}

cli_exit cli_replay(const cli_arguments *arguments)
{
	replay_output output = {
		.quiet = arguments->values[CLI_QUIET] != NULL,
		.all = arguments->values[CLI_VERBOSE] != NULL,
	};
	lrd_replay_desc desc = {
		.trace = arguments->operands[0],
		.store = arguments->values[CLI_STORE],
		.free = arguments->values[CLI_FREE] != NULL,
		.on_difference = put_difference,
		.user = &output,
		.log = { log_store, &output },
	};
	if (desc.store == NULL)
	{
		cli_error("replay: --store is missing: the cooked folder, or the bundle, to run the calls over");
		return CLI_BAD_COMMAND_LINE;
	}
	if (!parse_times(arguments->values[CLI_TIMES], &desc.times))
	{
		return CLI_BAD_COMMAND_LINE;
	}
	if (arguments->values[CLI_JSON] != NULL)
	{
		output.differences = cJSON_CreateArray();
	}
	lrd_replay_report report;
	lrd_error error = { 0 };
	if (!lrd_replay_run(&desc, &report, &error))
	{
		cJSON_Delete(output.differences);
		cli_error("replay: %s", error.message);
		return CLI_FAILED;
	}
	bool good = report.differences == 0;
	if (output.differences != NULL)
	{
		good = print_json(desc.trace, output.differences, &report) && good;
	}
	else if (!output.quiet)
	{
		put_report(desc.trace, &output, &report);
	}
	return good ? CLI_OK : CLI_FAILED;
}
