// larder validate: proves cooked files, folders and bundles sound.

#include "cli/cli.h"
#include "larder/cook.h"

#include <stdio.h>

typedef struct finding_list
{
	cJSON *json; ///< NULL: lines
} finding_list;

static void on_finding(void *user, const lrd_finding *finding)
{
	finding_list *list = user;
	if (list->json == NULL)
	{
		cli_put_text(stdout, finding->path);
		fputs(": ", stdout);
		cli_put_text(stdout, lrd_string_from(finding->message));
		fputc('\n', stdout);
		return;
	}
	cJSON *row = cJSON_CreateObject();
	cJSON_AddItemToArray(list->json, row);
	cli_json_string(row, "path", finding->path);
	cli_json_string(row, "message", lrd_string_from(finding->message));
}

cli_exit cli_validate(const cli_arguments *arguments)
{
	finding_list list = { .json = arguments->values[CLI_JSON] != NULL ? cJSON_CreateArray() : NULL };
	lrd_validate_desc desc = {
		.paths = arguments->operands,
		.path_count = arguments->operand_count,
		.on_finding = on_finding,
		.user = &list,
	};
	lrd_validate_report report;
	lrd_error error;
	if (!lrd_validate(&desc, &report, &error))
	{
		cli_error("validate: %s", error.message);
		cJSON_Delete(list.json);
		return CLI_FAILED;
	}
	if (list.json != NULL)
	{
		cJSON *json = cJSON_CreateObject();
		cli_json_number(json, "files", report.files);
		cli_json_number(json, "bundles", report.bundles);
		cli_json_number(json, "bytes", (double)report.bytes);
		cJSON_AddItemToObject(json, "findings", list.json);
		if (!cli_json_print(json))
		{
			return CLI_FAILED;
		}
	}
	else if (arguments->values[CLI_QUIET] == NULL)
	{
		printf("%u file%s, %u bundle%s, %s: %s\n", report.files, report.files == 1 ? "" : "s", report.bundles,
			report.bundles == 1 ? "" : "s", cli_bytes(report.bytes), report.findings == 0 ? "sound" : "not sound");
	}
	return report.findings == 0 ? CLI_OK : CLI_FAILED;
}
