// larder texture: cooks one image, or six faces, directly to one KTX 2.0 file.

#include "larder/texture.h"
#include "cli/cli.h"
#include "larder/cook.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cli_take_target(const cli_arguments *arguments, lrd_target *target)
{
	const char *name = arguments->values[CLI_TARGET];
	if (name != NULL && !lrd_target_from_name(lrd_string_from(name), target))
	{
		cli_error("--target takes desktop, mobile or raw, not %s", name);
		return false;
	}
	return true;
}

/// "1.8 MB", "BC7_SRGB_BLOCK", size, levels, loss.
void cli_put_texture(FILE *file, const lrd_texture_report *report)
{
	fprintf(file, "%s, %s %ux%u, ", lrd_texture_type_name(report->type),
		report->format == LRD_TEXTURE_UNDEFINED ? "a universal format" : lrd_texture_format_name(report->format),
		report->width, report->height);
	if (report->face_count == 6)
	{
		fputs("6 faces, ", file);
	}
	fprintf(
		file, "%u level%s, %s, ", report->level_count, report->level_count == 1 ? "" : "s", cli_bytes(report->size));
	if (report->passed)
	{
		fputs(report->ignored ? "taken over as it is, settings not followed" : "taken over as it is", file);
	}
	else if (report->is_exact)
	{
		fputs("exact", file);
	}
	else if (report->is_normal)
	{
		fprintf(file, "%.3f degrees off, %.2f at most", (double)report->angle, (double)report->angle_max);
	}
	else
	{
		fprintf(file, isfinite(report->psnr) ? "%.2f dB" : "colours exact", (double)report->psnr);
		if (isfinite(report->alpha_psnr))
		{
			fprintf(file, ", alpha %.2f dB", (double)report->alpha_psnr);
		}
	}
	fprintf(file, ", %.3f s", report->seconds);
}

void cli_json_texture(cJSON *json, const lrd_texture_report *report)
{
	cli_json_string(json, "type", lrd_string_from(lrd_texture_type_name(report->type)));
	cli_json_string(json, "from", lrd_string_from(lrd_texture_clue_name(report->clue)));
	cli_json_string(json, "format", lrd_string_from(lrd_texture_format_name(report->format)));
	cli_json_number(json, "width", report->width);
	cli_json_number(json, "height", report->height);
	cli_json_number(json, "faces", report->face_count);
	cli_json_number(json, "levels", report->level_count);
	cli_json_number(json, "size", (double)report->size);
	cJSON_AddBoolToObject(json, "passed", report->passed);
	cJSON_AddBoolToObject(json, "ignored_settings", report->ignored);
	cJSON_AddBoolToObject(json, "exact", report->is_exact);
	if (!report->passed && !report->is_exact)
	{
		cli_json_float(
			json, report->is_normal ? "mean_degrees" : "psnr", report->is_normal ? report->angle : report->psnr);
		cli_json_float(json, report->is_normal ? "max_degrees" : "alpha_psnr",
			report->is_normal ? report->angle_max : report->alpha_psnr);
	}
	cli_json_number(json, "clamped", (double)report->clamped);
	cli_json_number(json, "seconds", report->seconds);
}

// Settings from the command line become the JSON that a sidecar would have, so that the same reader takes them.

static bool is_sampler_key(const char *key)
{
	return strcmp(key, "wrap_u") == 0 || strcmp(key, "wrap_v") == 0 || strcmp(key, "filter") == 0;
}

/// true, false and numbers as such, everything else as a string.
static cJSON *value_of(const char *text)
{
	char *end;
	double number = strtod(text, &end);
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
	{
		return cJSON_CreateBool(text[0] == 't');
	}
	return end != text && *end == 0 && isfinite(number) ? cJSON_CreateNumber(number) : cJSON_CreateString(text);
}

/// "KEY=VALUE,KEY=VALUE"; `list` is taken apart in place.
static bool add_settings(cJSON *json, cJSON *sampler, char *list)
{
	for (char *next = list; next != NULL;)
	{
		char *pair = next;
		next = strchr(pair, ',');
		if (next != NULL)
		{
			*next++ = 0;
		}
		char *equals = strchr(pair, '=');
		if (equals == NULL || equals == pair)
		{
			cli_error("texture: --set takes KEY=VALUE, not %s", pair);
			return false;
		}
		*equals = 0;
		cJSON_AddItemToObject(is_sampler_key(pair) ? sampler : json, pair, value_of(equals + 1));
	}
	return true;
}

static bool take_settings(const cli_arguments *arguments, lrd_texture_settings *settings)
{
	const char *list = arguments->values[CLI_SET];
	char *copy = list != NULL ? strdup(list) : NULL;
	cJSON *json = cJSON_CreateObject();
	cJSON *sampler = cJSON_CreateObject();
	bool good = list == NULL || (copy != NULL && add_settings(json, sampler, copy));
	if (arguments->values[CLI_TYPE] != NULL)
	{
		cJSON_AddItemToObject(json, "type", cJSON_CreateString(arguments->values[CLI_TYPE]));
	}
	if (arguments->values[CLI_QUALITY] != NULL)
	{
		cJSON_AddItemToObject(json, "quality", cJSON_CreateString(arguments->values[CLI_QUALITY]));
	}
	if (sampler != NULL && sampler->child != NULL)
	{
		cJSON_AddItemToObject(json, "sampler", sampler);
		sampler = NULL;
	}
	char *text = good ? cJSON_PrintUnformatted(json) : NULL;
	lrd_error error = { 0 };
	if (good && (text == NULL || !lrd_texture_settings_read(settings, "settings", lrd_string_from(text), &error)))
	{
		cli_error("texture: %s", text == NULL ? "out of memory" : error.message);
		good = false;
	}
	cJSON_free(text);
	cJSON_Delete(sampler);
	cJSON_Delete(json);
	free(copy);
	return good;
}

static bool write_whole(const char *path, const lrd_buffer *bytes)
{
	lrd_error error;
	if (!lrd_file_save(path, bytes->data, bytes->size, &error))
	{
		cli_error("texture: %s", error.message);
		return false;
	}
	return true;
}

static bool cook_files(const cli_arguments *arguments, const lrd_texture_cook_desc *desc, lrd_texture_report *report)
{
	lrd_bytes files[6] = { { NULL, 0 } };
	lrd_buffer out = { 0 };
	lrd_error error = { 0 };
	bool good = true;
	for (uint32_t i = 0; good && i < arguments->operand_count; ++i)
	{
		files[i] = cli_read_whole(arguments->operands[i], &error);
		good = files[i].data != NULL;
		if (!good)
		{
			cli_error("texture: %s: %s", arguments->operands[i], error.message);
		}
	}
	lrd_texture_cook_desc whole = *desc;
	whole.images = files;
	if (good && !lrd_texture_cook(&whole, &out, report, &error))
	{
		cli_error("texture: %s: %s",
			arguments->operand_count == 1 ? arguments->operands[0] : arguments->values[CLI_OUTPUT], error.message);
		good = false;
	}
	good = good && write_whole(arguments->values[CLI_OUTPUT], &out);
	lrd_buffer_free(&out);
	for (uint32_t i = 0; i < 6; ++i)
	{
		free((void *)(uintptr_t)files[i].data);
	}
	return good;
}

static bool print_report(const cli_arguments *arguments, const lrd_texture_report *report)
{
	const char *output = arguments->values[CLI_OUTPUT];
	if (arguments->values[CLI_JSON] != NULL)
	{
		cJSON *json = cJSON_CreateObject();
		cli_json_string(json, "file", lrd_string_from(output));
		cli_json_texture(json, report);
		return cli_json_print(json);
	}
	if (arguments->values[CLI_QUIET] == NULL)
	{
		cli_put_text(stdout, lrd_string_from(output));
		fputs(": ", stdout);
		cli_put_texture(stdout, report);
		printf("\ntype from %s", lrd_texture_clue_name(report->clue));
		printf(report->clamped != 0 ? "; %llu values were brought into range\n" : "\n",
			(unsigned long long)report->clamped);
	}
	return true;
}

cli_exit cli_texture(const cli_arguments *arguments)
{
	lrd_texture_settings settings = { 0 };
	lrd_target target = LRD_TARGET_DESKTOP;
	lrd_job_pool *pool;
	if (arguments->values[CLI_OUTPUT] == NULL)
	{
		cli_error("texture: --output is missing: the .ktx2 file to write");
		return CLI_BAD_COMMAND_LINE;
	}
	// So that a source that was meant to be read is never written over.
	size_t length = strlen(arguments->values[CLI_OUTPUT]);
	if (length < 5 || strcasecmp(arguments->values[CLI_OUTPUT] + length - 5, ".ktx2") != 0)
	{
		cli_error("texture: --output takes a path that ends in .ktx2, not %s", arguments->values[CLI_OUTPUT]);
		return CLI_BAD_COMMAND_LINE;
	}
	if (arguments->operand_count != 1 && arguments->operand_count != 6)
	{
		cli_error("texture: one image, or the six faces of a cubemap, not %u files", arguments->operand_count);
		return CLI_BAD_COMMAND_LINE;
	}
	if (!cli_take_target(arguments, &target) || !take_settings(arguments, &settings) ||
		!cli_make_pool(arguments, &pool))
	{
		return CLI_BAD_COMMAND_LINE;
	}
	const char *slash = strrchr(arguments->operands[0], '/');
	lrd_jobs jobs = pool != NULL ? lrd_job_pool_jobs(pool) : (lrd_jobs){ 0 };
	lrd_texture_cook_desc desc = {
		.image_count = arguments->operand_count,
		.name = lrd_string_from(slash != NULL ? slash + 1 : arguments->operands[0]),
		.settings = &settings,
		.target = target,
		.jobs = pool != NULL ? &jobs : NULL,
	};
	lrd_texture_report report;
	bool good = cook_files(arguments, &desc, &report);
	lrd_job_pool_destroy(pool);
	return good && print_report(arguments, &report) ? CLI_OK : CLI_FAILED;
}
