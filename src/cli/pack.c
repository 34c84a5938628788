// larder pack, unpack and list: bundles.

#include "larder/pack.h"
#include "cli/cli.h"
#include "larder/cook.h"
#include "larder/pack_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// "none", "zstd", "zstd:LEVEL".
static bool parse_compression(const char *text, lrd_compression *compression, int *level)
{
	*compression = LRD_ZSTD;
	*level = 0;
	if (text == NULL || strcmp(text, "zstd") == 0)
	{
		return true;
	}
	if (strcmp(text, "none") == 0)
	{
		*compression = LRD_STORED;
		return true;
	}
	char *end = NULL;
	long number = strncmp(text, "zstd:", 5) == 0 && text[5] >= '0' && text[5] <= '9' ? strtol(text + 5, &end, 10) : 0;
	if (number < 1 || number > 22 || *end != 0)
	{
		cli_error("pack: --compression takes none, zstd or zstd:LEVEL with a level from 1 to 22, not %s", text);
		return false;
	}
	*level = (int)number;
	return true;
}

static bool print_pack_report(const cli_arguments *arguments, const char *path, const lrd_pack_write_report *report)
{
	if (arguments->values[CLI_JSON] != NULL)
	{
		cJSON *json = cJSON_CreateObject();
		cli_json_string(json, "bundle", lrd_string_from(path));
		cli_json_number(json, "entries", report->entry_count);
		cli_json_number(json, "payloads", report->payload_count);
		cli_json_number(json, "compressed", report->compressed);
		cli_json_number(json, "reused", report->reused);
		cli_json_number(json, "payload_bytes", (double)report->payload_bytes);
		cli_json_number(json, "file_bytes", (double)report->file_bytes);
		return cli_json_print(json);
	}
	if (arguments->values[CLI_QUIET] == NULL)
	{
		printf("%s: %u entries, %u payloads (%u compressed, %u taken over), %s from %s\n", path, report->entry_count,
			report->payload_count, report->compressed, report->reused, cli_bytes(report->file_bytes),
			cli_bytes(report->payload_bytes));
	}
	return true;
}

static cli_exit pack_tree(const cli_arguments *arguments, lrd_pack_tree_desc *desc)
{
	lrd_job_pool *pool;
	if (!cli_make_pool(arguments, &pool))
	{
		return CLI_BAD_COMMAND_LINE;
	}
	lrd_jobs jobs = { 0 };
	if (pool != NULL)
	{
		jobs = lrd_job_pool_jobs(pool);
		desc->jobs = &jobs;
	}
	lrd_pack_write_report report;
	lrd_error error = { 0 };
	bool good = lrd_pack_tree(desc, &report, &error);
	lrd_job_pool_destroy(pool);
	if (!good)
	{
		cli_error("pack: %s", error.message);
		return CLI_FAILED;
	}
	return print_pack_report(arguments, desc->bundle, &report) ? CLI_OK : CLI_FAILED;
}

cli_exit cli_pack(const cli_arguments *arguments)
{
	lrd_pack_tree_desc desc = { .folder = arguments->operands[0], .bundle = arguments->values[CLI_OUTPUT] };
	if (desc.bundle == NULL)
	{
		cli_error("pack: --output is missing: the bundle to write");
		return CLI_BAD_COMMAND_LINE;
	}
	if (!parse_compression(arguments->values[CLI_COMPRESSION], &desc.compression, &desc.level))
	{
		return CLI_BAD_COMMAND_LINE;
	}
	const char *format = arguments->values[CLI_FORMAT];
	desc.json = format != NULL && strcmp(format, "json") == 0;
	if (format != NULL && !desc.json && strcmp(format, "lpack") != 0)
	{
		cli_error("pack: --format takes lpack or json, not %s", format);
		return CLI_BAD_COMMAND_LINE;
	}
	return pack_tree(arguments, &desc);
}

static lrd_pack *open_bundle(const char *path)
{
	lrd_error error;
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = path }, &error);
	if (pack == NULL)
	{
		cli_error("%s", error.message);
	}
	return pack;
}

cli_exit cli_unpack(const cli_arguments *arguments)
{
	const char *folder = arguments->values[CLI_OUTPUT];
	if (folder == NULL)
	{
		cli_error("unpack: --output is missing: the folder to write into");
		return CLI_BAD_COMMAND_LINE;
	}
	lrd_pack *pack = open_bundle(arguments->operands[0]);
	if (pack == NULL)
	{
		return CLI_FAILED;
	}
	lrd_error error;
	bool good = lrd_pack_unpack(pack, folder, &error);
	uint32_t count = lrd_pack_count(pack);
	lrd_pack_close(pack);
	if (!good)
	{
		cli_error("unpack: %s", error.message);
		return CLI_FAILED;
	}
	if (arguments->values[CLI_JSON] != NULL)
	{
		cJSON *json = cJSON_CreateObject();
		cli_json_string(json, "folder", lrd_string_from(folder));
		cli_json_number(json, "entries", count);
		return cli_json_print(json) ? CLI_OK : CLI_FAILED;
	}
	if (arguments->values[CLI_QUIET] == NULL)
	{
		printf("%s: %u files\n", folder, count);
	}
	return CLI_OK;
}

static int compare_keys(const void *a, const void *b)
{
	lrd_string x = ((const lrd_pack_entry *)a)->key;
	lrd_string y = ((const lrd_pack_entry *)b)->key;
	int order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
	return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

/// A bundle's entries sorted by key, or NULL.
static lrd_pack_entry *sorted_entries(const lrd_pack *pack)
{
	uint32_t count = lrd_pack_count(pack);
	lrd_pack_entry *entries = calloc((size_t)count + 1, sizeof *entries);
	for (uint32_t i = 0; entries != NULL && i < count; ++i)
	{
		lrd_pack_at(pack, i, &entries[i]);
	}
	if (entries != NULL)
	{
		qsort(entries, count, sizeof *entries, compare_keys);
	}
	return entries;
}

static void list_entry_json(cJSON *array, const lrd_pack_entry *entry)
{
	char digest[65];
	for (uint32_t i = 0; i < 32; ++i)
	{
		snprintf(digest + i * 2, 3, "%02x", entry->sha256[i]);
	}
	cJSON *row = cJSON_CreateObject();
	cJSON_AddItemToArray(array, row);
	cli_json_string(row, "key", entry->key);
	cli_json_string(row, "kind", lrd_string_from(lrd_kind_name(entry->kind)));
	cli_json_number(row, "size", (double)entry->size);
	cli_json_number(row, "stored_size", (double)entry->stored_size);
	cli_json_string(row, "compression", entry->compression == LRD_ZSTD ? LRD_STR("zstd") : LRD_STR("none"));
	cli_json_string(row, "sha256", lrd_string_from(digest));
}

static bool list_bundle(const char *path, cJSON *bundles)
{
	lrd_pack *pack = open_bundle(path);
	lrd_pack_entry *entries = pack == NULL ? NULL : sorted_entries(pack);
	cJSON *rows = NULL;
	if (pack != NULL && entries == NULL)
	{
		cli_error("out of memory");
	}
	if (entries != NULL && bundles != NULL)
	{
		cJSON *bundle = cJSON_CreateObject();
		cJSON_AddItemToArray(bundles, bundle);
		cli_json_string(bundle, "bundle", lrd_string_from(path));
		rows = cJSON_AddArrayToObject(bundle, "entries");
	}
	for (uint32_t i = 0; entries != NULL && i < lrd_pack_count(pack); ++i)
	{
		if (rows != NULL)
		{
			list_entry_json(rows, &entries[i]);
			continue;
		}
		printf("%-9s %10llu %10llu %s  %.*s\n", lrd_kind_name(entries[i].kind), (unsigned long long)entries[i].size,
			(unsigned long long)entries[i].stored_size, entries[i].compression == LRD_ZSTD ? "zstd" : "    ",
			LRD_STR_ARG(entries[i].key));
	}
	bool good = entries != NULL;
	free(entries);
	lrd_pack_close(pack);
	return good;
}

cli_exit cli_list(const cli_arguments *arguments)
{
	cJSON *bundles = arguments->values[CLI_JSON] != NULL ? cJSON_CreateArray() : NULL;
	bool good = true;
	for (uint32_t i = 0; i < arguments->operand_count; ++i)
	{
		good = list_bundle(arguments->operands[i], bundles) && good;
	}
	if (bundles != NULL)
	{
		good = cli_json_print(bundles) && good;
	}
	return good ? CLI_OK : CLI_FAILED;
}
