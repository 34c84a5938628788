// larder cook: runs a cook, shows how far it is, and sums it up.

#include "larder/cook.h"
#include "cli/cli.h"
#include "cli/cook_mesh.h"
#include "cli/cook_motion.h"
#include "larder/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOWEST_COUNT 5

typedef struct slow_source
{
	double seconds;
	char path[256];
} slow_source;

typedef struct warning_sum
{
	char kind[48];
	uint32_t count;
	uint64_t occurrences;
} warning_sum;

typedef struct cook_view
{
	bool quiet, verbose, bar;
	cJSON *sources; ///< NULL: no JSON asked for
	slow_source slowest[SLOWEST_COUNT];
	warning_sum warnings[64];
	uint32_t warning_kinds;
	cli_mesh_sums meshes;
	cli_motion_sums motion;
	double started;
	double drawn;
	bool bar_is_up;
} cook_view;

static double now(void)
{
	struct timespec time;
	timespec_get(&time, TIME_UTC);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void clear_bar(cook_view *view)
{
	if (view->bar_is_up)
	{
		fputs("\r\033[K", stderr);
		view->bar_is_up = false;
	}
}

static const char *state_name(lrd_source_state state)
{
	static const char *const names[] = { "cooked", "up to date", "failed", "skipped" };
	return names[state];
}

static void note_slow(cook_view *view, const lrd_source_report *report)
{
	uint32_t at = SLOWEST_COUNT;
	while (at > 0 && view->slowest[at - 1].seconds < report->seconds)
	{
		at--;
	}
	if (at == SLOWEST_COUNT || report->state != LRD_SOURCE_COOKED)
	{
		return;
	}
	memmove(&view->slowest[at + 1], &view->slowest[at], (SLOWEST_COUNT - at - 1) * sizeof *view->slowest);
	view->slowest[at].seconds = report->seconds;
	snprintf(view->slowest[at].path, sizeof view->slowest[at].path, "%.*s", LRD_STR_ARG(report->path));
}

static void sum_warning(cook_view *view, const lrd_document_warning *warning)
{
	for (uint32_t i = 0; i < view->warning_kinds; ++i)
	{
		if (lrd_string_equal(lrd_string_from(view->warnings[i].kind), warning->kind))
		{
			view->warnings[i].count++;
			view->warnings[i].occurrences += warning->count;
			return;
		}
	}
	if (view->warning_kinds < sizeof view->warnings / sizeof *view->warnings)
	{
		warning_sum *sum = &view->warnings[view->warning_kinds++];
		snprintf(sum->kind, sizeof sum->kind, "%.*s", LRD_STR_ARG(warning->kind));
		sum->count = 1;
		sum->occurrences = warning->count;
	}
}

static cJSON *add_row(cJSON *array)
{
	cJSON *row = cJSON_CreateObject();
	cJSON_AddItemToArray(array, row);
	return row;
}

static void add_json(cook_view *view, const lrd_source_report *report)
{
	cJSON *source = add_row(view->sources);
	cli_json_string(source, "path", report->path);
	cli_json_string(source, "state", lrd_string_from(state_name(report->state)));
	if (report->message != NULL)
	{
		cli_json_string(source, "message", lrd_string_from(report->message));
	}
	cli_json_number(source, "outputs", report->output_count);
	cli_json_number(source, "bytes_in", (double)report->bytes_in);
	cli_json_number(source, "bytes_out", (double)report->bytes_out);
	cli_json_number(source, "seconds", report->seconds);
	cJSON *textures = cJSON_AddArrayToObject(source, "textures");
	for (uint32_t i = 0; i < report->texture_count; ++i)
	{
		cJSON *texture = add_row(textures);
		cli_json_string(texture, "file", report->textures[i].file);
		cli_json_texture(texture, &report->textures[i].report);
	}
	cJSON *meshes = cJSON_AddArrayToObject(source, "meshes");
	for (uint32_t i = 0; i < report->mesh_count; ++i)
	{
		cJSON *mesh = add_row(meshes);
		cli_json_string(mesh, "file", report->meshes[i].file);
		cli_json_mesh(mesh, &report->meshes[i].report);
	}
	cJSON *skeletons = cJSON_AddArrayToObject(source, "skeletons");
	for (uint32_t i = 0; i < report->skeleton_count; ++i)
	{
		cJSON *skeleton = add_row(skeletons);
		cli_json_string(skeleton, "file", report->skeletons[i].file);
		cli_json_skeleton(skeleton, &report->skeletons[i].report);
	}
	cJSON *clips = cJSON_AddArrayToObject(source, "clips");
	for (uint32_t i = 0; i < report->clip_count; ++i)
	{
		cJSON *clip = add_row(clips);
		cli_json_string(clip, "file", report->clips[i].file);
		cli_json_clip(clip, &report->clips[i].report);
	}
	cJSON *warnings = cJSON_AddArrayToObject(source, "warnings");
	for (uint32_t i = 0; i < report->warning_count; ++i)
	{
		cJSON *warning = add_row(warnings);
		cli_json_string(warning, "kind", report->warnings[i].kind);
		cli_json_string(warning, "message", report->warnings[i].message);
		cli_json_number(warning, "count", report->warnings[i].count);
	}
}

/// "WHAT       NAME: ".
static void begin_line(cook_view *view, const char *what, lrd_string name, bool goes_on)
{
	clear_bar(view);
	fprintf(stderr, "%-10s ", what);
	cli_put_text(stderr, name);
	fputs(goes_on ? ": " : "", stderr);
}

static void put_outputs(cook_view *view, const lrd_source_report *report)
{
	bool shows = view->verbose && !view->quiet;
	for (uint32_t i = 0; shows && i < report->texture_count; ++i)
	{
		begin_line(view, "texture", report->textures[i].file, true);
		cli_put_texture(stderr, &report->textures[i].report);
		fputc('\n', stderr);
	}
	for (uint32_t i = 0; i < report->mesh_count; ++i)
	{
		cli_add_mesh(&view->meshes, &report->meshes[i].report);
		if (shows)
		{
			begin_line(view, "mesh", report->meshes[i].file, true);
			cli_put_mesh(stderr, &report->meshes[i].report);
			fputc('\n', stderr);
		}
	}
	for (uint32_t i = 0; i < report->skeleton_count; ++i)
	{
		cli_add_skeleton(&view->motion, &report->skeletons[i].report);
		if (shows)
		{
			begin_line(view, "skeleton", report->skeletons[i].file, true);
			cli_put_skeleton(stderr, &report->skeletons[i].report);
			fputc('\n', stderr);
		}
	}
	for (uint32_t i = 0; i < report->clip_count; ++i)
	{
		cli_add_clip(&view->motion, &report->clips[i].report);
		if (shows)
		{
			begin_line(view, "clip", report->clips[i].file, true);
			cli_put_clip(stderr, &report->clips[i].report);
			fputc('\n', stderr);
		}
	}
}

/// "12" stands in the message by itself.
static bool names_number(lrd_string message, uint32_t number)
{
	char digits[16];
	size_t size = (size_t)snprintf(digits, sizeof digits, "%u", number);
	for (size_t at = 0; at + size <= message.size; ++at)
	{
		const char *after = message.data + at + size;
		bool begins = at == 0 || message.data[at - 1] == ' ';
		bool ends = at + size == message.size || *after == ' ';
		if (begins && ends && memcmp(message.data + at, digits, size) == 0)
		{
			return true;
		}
	}
	return false;
}

/// With how often, where the message doesn't say how many.
static void put_warning(cook_view *view, lrd_string path, const lrd_document_warning *warning)
{
	begin_line(view, "warning", path, true);
	cli_put_text(stderr, warning->message);
	if (warning->count > 1 && !names_number(warning->message, warning->count))
	{
		fprintf(stderr, " (%u times)", warning->count);
	}
	fputc('\n', stderr);
}

static void on_source(void *user, const lrd_source_report *report)
{
	cook_view *view = user;
	note_slow(view, report);
	if (view->sources != NULL)
	{
		add_json(view, report);
	}
	if (report->state == LRD_SOURCE_FAILED ||
		(!view->quiet && (view->verbose || (report->state == LRD_SOURCE_COOKED && !view->bar))))
	{
		const char *message = report->message != NULL ? report->message : "";
		begin_line(view, state_name(report->state), report->path, report->message != NULL);
		cli_put_text(stderr, lrd_string_from(message));
		fputc('\n', stderr);
	}
	put_outputs(view, report);
	for (uint32_t i = 0; i < report->warning_count; ++i)
	{
		sum_warning(view, &report->warnings[i]);
		if (view->verbose || (!view->quiet && report->state == LRD_SOURCE_COOKED))
		{
			put_warning(view, report->path, &report->warnings[i]);
		}
	}
}

static void on_progress(void *user, uint32_t done, uint32_t total)
{
	cook_view *view = user;
	double time = now();
	if (!view->bar || (time - view->drawn < 0.1 && done != total))
	{
		return;
	}
	char bar[31];
	uint32_t full = total == 0 ? 30 : (uint32_t)((uint64_t)done * 30 / total);
	memset(bar, '.', 30);
	memset(bar, '#', full);
	bar[30] = 0;
	double rate = done / (time - view->started + 1e-9);
	fprintf(stderr, "\r\033[K[%s] %u/%u  %.1f/s  %.0f s left", bar, done, total, rate, (total - done) / (rate + 1e-9));
	fflush(stderr);
	view->drawn = time;
	view->bar_is_up = true;
}

/// " (12 times)", where it is more often than once each.
static void print_times(uint64_t warnings, uint64_t occurrences)
{
	if (occurrences != warnings)
	{
		printf(" (%llu times)", (unsigned long long)occurrences);
	}
}

static void print_sums(const cook_view *view, const lrd_cook_report *report)
{
	printf("cooked %u, up to date %u, failed %u, skipped %u, pruned %u files, %u warning%s", report->cooked,
		report->up_to_date, report->failed, report->skipped, report->pruned, report->warnings,
		report->warnings == 1 ? "" : "s");
	print_times(report->warnings, report->warning_occurrences);
	printf(" in %.2f s\n", report->seconds);
	printf("%s in, %s out in %u files\n", cli_bytes(report->bytes_in), cli_bytes(report->bytes_out), report->outputs);
	if (view->meshes.meshes != 0)
	{
		cli_put_mesh_sums(stdout, &view->meshes);
	}
	cli_put_motion_sums(stdout, &view->motion);
	for (uint32_t i = 0; i < view->warning_kinds; ++i)
	{
		printf("  warnings: %-28s %u", view->warnings[i].kind, view->warnings[i].count);
		print_times(view->warnings[i].count, view->warnings[i].occurrences);
		putchar('\n');
	}
	for (uint32_t i = 0; report->cooked > 1 && i < SLOWEST_COUNT && view->slowest[i].path[0] != 0; ++i)
	{
		printf("  %s %7.3f s  ", i == 0 ? "slowest:" : "        ", view->slowest[i].seconds);
		cli_put_text(stdout, lrd_string_from(view->slowest[i].path));
		fputc('\n', stdout);
	}
}

static bool print_json(cook_view *view, const lrd_cook_report *report)
{
	cJSON *json = cJSON_CreateObject();
	cli_json_number(json, "cooked", report->cooked);
	cli_json_number(json, "up_to_date", report->up_to_date);
	cli_json_number(json, "failed", report->failed);
	cli_json_number(json, "skipped", report->skipped);
	cli_json_number(json, "pruned", report->pruned);
	cli_json_number(json, "warnings", report->warnings);
	cli_json_number(json, "warning_occurrences", (double)report->warning_occurrences);
	cli_json_number(json, "outputs", report->outputs);
	cli_json_number(json, "bytes_in", (double)report->bytes_in);
	cli_json_number(json, "bytes_out", (double)report->bytes_out);
	cli_json_number(json, "seconds", report->seconds);
	cli_json_mesh_sums(cJSON_AddObjectToObject(json, "meshes"), &view->meshes);
	cli_json_motion_sums(json, &view->motion);
	cJSON_AddItemToObject(json, "sources", view->sources);
	return cli_json_print(json);
}

cli_exit cli_cook(const cli_arguments *arguments)
{
	bool json = arguments->values[CLI_JSON] != NULL;
	cook_view view = {
		.quiet = arguments->values[CLI_QUIET] != NULL || json,
		.verbose = arguments->values[CLI_VERBOSE] != NULL,
		.sources = json ? cJSON_CreateArray() : NULL,
		.started = now(),
	};
	view.bar = !view.quiet && cli_has_terminal();
	lrd_job_pool *pool;
	if (arguments->values[CLI_OUTPUT] == NULL)
	{
		cli_error("cook: --output is missing: the folder to cook into");
		cJSON_Delete(view.sources);
		return CLI_BAD_COMMAND_LINE;
	}
	lrd_target target = LRD_TARGET_DESKTOP;
	if (!cli_take_target(arguments, &target) || !cli_make_pool(arguments, &pool))
	{
		cJSON_Delete(view.sources);
		return CLI_BAD_COMMAND_LINE;
	}
	lrd_jobs jobs = { 0 };
	if (pool != NULL)
	{
		jobs = lrd_job_pool_jobs(pool);
	}
	lrd_cook_desc desc = {
		.sources = arguments->operands,
		.source_count = arguments->operand_count,
		.root = arguments->values[CLI_ROOT],
		.output = arguments->values[CLI_OUTPUT],
		.target = target,
		.force = arguments->values[CLI_FORCE] != NULL,
		.jobs = pool != NULL ? &jobs : NULL,
		.on_source = on_source,
		.on_progress = on_progress,
		.user = &view,
	};
	lrd_cook_report report;
	lrd_error error;
	bool ran = lrd_cook_run(&desc, &report, &error);
	lrd_job_pool_destroy(pool);
	clear_bar(&view);
	if (!ran)
	{
		cli_error("cook: %s", error.message);
		cJSON_Delete(view.sources);
		return CLI_FAILED;
	}
	if (json && !print_json(&view, &report))
	{
		return CLI_FAILED;
	}
	if (!view.quiet)
	{
		print_sums(&view, &report);
	}
	return report.failed == 0 ? CLI_OK : CLI_FAILED;
}
