// What commands print with: messages, sizes, JSON, and the pool that -j asks for.

#include "cli/cli.h"
#include "larder/model.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// How many bytes the UTF-8 character has that the text begins with; 0: none, or a control character if those are not
/// kept.
static size_t character_size(const unsigned char *text, size_t size, bool keep_controls)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = text[0];
	if (lead < 0x80)
	{
		return keep_controls || (lead >= 0x20 && lead != 0x7f) ? 1 : 0;
	}
	size_t count = lead >= 0xf0 ? 4 : (lead >= 0xe0 ? 3 : 2);
	if (lead < 0xc0 || lead >= 0xf8 || count > size)
	{
		return 0;
	}
	uint32_t code = lead & (0xffu >> (count + 1));
	for (size_t i = 1; i < count; ++i)
	{
		if ((text[i] & 0xc0) != 0x80)
		{
			return 0;
		}
		code = code << 6 | (text[i] & 0x3fu);
	}
	bool control = code < 0xa0 && !keep_controls;
	return code < least[count] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || control ? 0 : count;
}

/// Into `out`, four times the text's size and a terminator long.
static size_t escape_text(lrd_string text, bool keep_controls, char *out)
{
	size_t used = 0;
	for (size_t i = 0; i < text.size;)
	{
		const unsigned char *at = (const unsigned char *)text.data + i;
		size_t count = character_size(at, text.size - i, keep_controls);
		if (count == 0)
		{
			used += (size_t)sprintf(out + used, "\\x%02x", at[0]);
			i++;
			continue;
		}
		memcpy(out + used, at, count);
		used += count;
		i += count;
	}
	out[used] = 0;
	return used;
}

void cli_put_text(FILE *file, lrd_string text)
{
	char out[4 * 64 + 1];
	while (text.size != 0)
	{
		size_t size = text.size < 64 ? text.size : 64;
		while (size < text.size && size > 60 && ((unsigned char)text.data[size] & 0xc0) == 0x80)
		{
			size--; // not within a character
		}
		fwrite(out, 1, escape_text((lrd_string){ text.data, size }, false, out), file);
		text.data += size;
		text.size -= size;
	}
}

static _Thread_local char *kept; // NULL: nobody keeps errors
static _Thread_local size_t kept_size;

void cli_error_keep(char *text, size_t size)
{
	kept = text;
	kept_size = size;
	if (text != NULL)
	{
		*text = 0;
	}
}

static void keep(const char *format, va_list arguments) LRD_PRINTF(1, 0);

static void keep(const char *format, va_list arguments)
{
	if (kept != NULL && *kept == 0)
	{
		vsnprintf(kept, kept_size, format, arguments);
	}
}

void cli_error_note(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	keep(format, arguments);
	va_end(arguments);
}

void cli_error(const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	fflush(stdout);
	fputs("larder: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	keep(format, again);
	va_end(again);
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

lrd_bytes cli_read_whole(const char *path, lrd_error *error)
{
	lrd_bytes bytes = { NULL, 0 };
	FILE *file = fopen(path, "rb");
	snprintf(error->message, sizeof error->message, "can't be read%s%s", file == NULL ? ": " : "",
		file == NULL ? strerror(errno) : "");
	long size = -1;
	if (file != NULL && fseek(file, 0, SEEK_END) == 0)
	{
		size = ftell(file);
		rewind(file);
	}
	// A folder can be opened, and says that it is as long as can be.
	if (file != NULL && size == LONG_MAX)
	{
		snprintf(error->message, sizeof error->message, "can't be read: %s", strerror(EISDIR));
	}
	void *data = size < 0 || size == LONG_MAX ? NULL : aligned_alloc(16, ((size_t)size + 16) & ~(size_t)15);
	if (data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size)
	{
		bytes = (lrd_bytes){ data, (size_t)size };
	}
	else
	{
		free(data);
	}
	if (file != NULL)
	{
		fclose(file);
	}
	return bytes;
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
	char *copy = malloc(text.size * 4 + 1);
	if (copy == NULL)
	{
		out_of_memory = true;
		return NULL;
	}
	escape_text(text, true, copy); // a file's name may be any bytes, JSON is UTF-8
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
