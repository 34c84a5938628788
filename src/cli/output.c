// What commands print with: messages, sizes, JSON, and the pool that -j asks for.

#include "cli/cli.h"
#include "larder/model.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_error(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fflush(stdout);
	fputs("larder: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

bool cli_has_terminal(void)
{
	return isatty(STDERR_FILENO) == 1;
}

bool cli_make_pool(const cli_arguments *arguments, lrd_job_pool **pool)
{
	const char *text = arguments->values[CLI_JOBS];
	char *end = NULL;
	errno = 0;
	unsigned long count = text == NULL ? 0 : strtoul(text, &end, 10);
	*pool = NULL;
	if (text != NULL && (*text < '0' || *text > '9' || *end != 0 || errno != 0 || count > 256))
	{
		cli_error("--jobs takes a number from 0 to 256, not %s", text);
		return false;
	}
	if (count == 1)
	{
		return true;
	}
	lrd_error error;
	*pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = (uint32_t)count }, &error);
	if (*pool == NULL)
	{
		cli_error("no threads: %s", error.message);
	}
	return *pool != NULL;
}

const char *cli_bytes(uint64_t bytes)
{
	static char texts[4][32];
	static uint32_t next;
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	char *text = texts[next++ % 4];
	double amount = (double)bytes;
	uint32_t unit = 0;
	while (amount >= 999.5 && unit < 4)
	{
		amount /= 1000.0;
		unit++;
	}
	snprintf(text, sizeof texts[0], unit == 0 || amount >= 99.95 ? "%.0f %s" : "%.1f %s", amount, units[unit]);
	return text;
}

static cJSON *add(cJSON *object, const char *name, cJSON *item)
{
	if (name == NULL)
	{
		cJSON_AddItemToArray(object, item);
	}
	else
	{
		cJSON_AddItemToObject(object, name, item);
	}
	return item;
}

static bool out_of_memory;

cJSON *cli_json_string(cJSON *object, const char *name, lrd_string text)
{
	char *copy = malloc(text.size + 1);
	if (copy == NULL)
	{
		out_of_memory = true;
		return NULL;
	}
	if (text.size != 0)
	{
		memcpy(copy, text.data, text.size);
	}
	copy[text.size] = 0;
	cJSON *item = add(object, name, cJSON_CreateString(copy));
	free(copy);
	out_of_memory = out_of_memory || item == NULL;
	return item;
}

cJSON *cli_json_number(cJSON *object, const char *name, double number)
{
	cJSON *item = add(object, name, cJSON_CreateNumber(number));
	out_of_memory = out_of_memory || item == NULL;
	return item;
}

cJSON *cli_json_float(cJSON *object, const char *name, float number)
{
	char text[32];
	for (int digits = 6; digits <= 9; ++digits)
	{
		snprintf(text, sizeof text, "%.*g", digits, (double)number);
		if (strtof(text, NULL) == number)
		{
			break;
		}
	}
	cJSON *item = add(object, name, isfinite(number) ? cJSON_CreateRaw(text) : cJSON_CreateNull());
	out_of_memory = out_of_memory || item == NULL;
	return item;
}

cJSON *cli_json_floats(cJSON *object, const char *name, const float *numbers, size_t count)
{
	cJSON *array = add(object, name, cJSON_CreateArray());
	for (size_t i = 0; i < count; ++i)
	{
		cli_json_float(array, NULL, numbers[i]);
	}
	return array;
}

cJSON *cli_json_index(cJSON *object, const char *name, uint32_t index)
{
	return index == LRD_NO_INDEX ? add(object, name, cJSON_CreateNull()) : cli_json_number(object, name, index);
}

bool cli_json_print(cJSON *json)
{
	char *text = out_of_memory ? NULL : cJSON_Print(json);
	cJSON_Delete(json);
	if (text == NULL)
	{
		cli_error("out of memory");
		return false;
	}
	puts(text);
	cJSON_free(text);
	return true;
}
