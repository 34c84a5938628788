// store/config.c: the "residency" object of a cooked folder's larder.json.

#include "store/config.h"

#include "base/error.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "os/os.h"

#define FILE_NAME "larder.json"

// A configuration is written by hand: one larger than this is something else.
#define SIZE_MAX_READ ((uint64_t)1 << 20)

#define MIB_BITS 20

// Keys that mean something are shorter.
#define KEY_SIZE 64

typedef struct reader
{
	lrd_string text;
	const char *name;
	const lrd_log *log;
	lrd_residency *residency;
} reader;

static void warn(const reader *self, lrd_json_value at, const char *format, ...) LRD_PRINTF(3, 4);

static void warn(const reader *self, lrd_json_value at, const char *format, ...)
{
	char said[LRD_ERROR_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	lrd_format_cut(said, sizeof said, format, arguments);
	va_end(arguments);
	lrd_text_place place = lrd_text_place_of(self->text, at.begin);
	lrd_log_write(self->log, LRD_LOG_WARNING, "store", "%s, line %zu, column %zu: %s", self->name, place.line,
		place.column, said);
}

static lrd_string text_of(const reader *self, lrd_json_value value)
{
	return (lrd_string){ self->text.data + value.begin, value.end - value.begin };
}

// Digits alone, so that nothing is rounded.
static bool whole_number(lrd_string digits, uint64_t largest, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < digits.size; i++)
	{
		unsigned digit = (unsigned)(unsigned char)digits.data[i] - '0';
		if (digit > 9 || *number > (largest - digit) / 10)
		{
			return false;
		}
		*number = *number * 10 + digit;
	}
	return true;
}

static void read_keep_parked(const reader *self, lrd_json_value value)
{
	const uint64_t largest = UINT64_MAX >> MIB_BITS;
	uint64_t mib;
	if (value.type != LRD_JSON_NUMBER || !whole_number(text_of(self, value), largest, &mib))
	{
		warn(self, value, "\"keep_parked_mb\" must be a whole number of MiB, 0 to %llu; it is passed over",
			(unsigned long long)largest);
		return;
	}
	self->residency->has_keep_parked = true;
	self->residency->keep_parked = mib << MIB_BITS;
}

static void read_watch(const reader *self, lrd_json_value value)
{
	if (value.type != LRD_JSON_TRUE && value.type != LRD_JSON_FALSE)
	{
		warn(self, value, "\"watch\" must be true or false; it is passed over");
		return;
	}
	self->residency->has_watch = true;
	self->residency->watch = value.type == LRD_JSON_TRUE;
}

typedef struct residency_key
{
	const char *name;
	void (*read)(const reader *self, lrd_json_value value);
} residency_key;

static const residency_key keys[] = {
	{ "keep_parked_mb", read_keep_parked },
	{ "watch", read_watch },
};

#define KEY_COUNT (sizeof keys / sizeof *keys)

// Which key that is; KEY_COUNT: none.
static size_t key_index(const reader *self, lrd_json_value key)
{
	char buffer[KEY_SIZE];
	lrd_string name;
	size_t i = 0;
	bool fits = lrd_json_string(self->text, key, buffer, sizeof buffer, &name);
	while (i < KEY_COUNT && (!fits || !lrd_string_equal(name, lrd_string_from(keys[i].name))))
	{
		i++;
	}
	return i;
}

static void read_residency(const reader *self, lrd_json_value object)
{
	bool seen[KEY_COUNT] = { false };
	lrd_json_value key;
	lrd_json_value value;
	for (size_t at = object.begin; lrd_json_next_member(self->text, &at, &key, &value);)
	{
		size_t i = key_index(self, key);
		if (i == KEY_COUNT)
		{
			warn(self, key, "\"residency\" knows \"keep_parked_mb\" and \"watch\", not %.*s; it is passed over",
				LRD_STR_ARG(text_of(self, key)));
		}
		else if (seen[i])
		{
			warn(self, key, "\"%s\" stands here a second time; the first counts", keys[i].name);
		}
		else
		{
			seen[i] = true;
			keys[i].read(self, value);
		}
	}
}

bool lrd_residency_parse(
	lrd_string text, const char *name, const lrd_log *log, lrd_residency *residency, lrd_error *error)
{
	const reader self = { text, name, log, residency };
	*residency = (lrd_residency){ 0 };
	if (!lrd_json_check(text, error))
	{
		return lrd_fail_in(error, "%s", name);
	}
	lrd_json_value whole = lrd_json_value_at(text, 0);
	if (whole.type != LRD_JSON_OBJECT)
	{
		warn(&self, whole, "an object was expected; the file is passed over");
		return true;
	}
	bool seen = false;
	lrd_json_value key;
	lrd_json_value value;
	for (size_t at = whole.begin; lrd_json_next_member(text, &at, &key, &value);)
	{
		char buffer[KEY_SIZE];
		lrd_string said;
		if (!lrd_json_string(text, key, buffer, sizeof buffer, &said) || !lrd_string_equal(said, LRD_STR("residency")))
		{
			continue;
		}
		if (seen || value.type != LRD_JSON_OBJECT)
		{
			warn(&self, key,
				seen ? "\"residency\" stands here a second time; the first counts"
					 : "\"residency\" must be an object; it is passed over");
			seen = true;
			continue;
		}
		seen = true;
		read_residency(&self, value);
	}
	return true;
}

// --- Putting it into a description ---

static void apply(lrd_store_desc *desc, const lrd_residency *residency, const char *name)
{
	if (residency->has_keep_parked && residency->keep_parked != desc->keep_parked)
	{
		lrd_log_write(&desc->log, LRD_LOG_INFO, "store",
			"%s: \"keep_parked_mb\" is %llu; the program's %llu bytes do not count", name,
			(unsigned long long)residency->keep_parked >> MIB_BITS, (unsigned long long)desc->keep_parked);
		desc->keep_parked = residency->keep_parked;
	}
	if (residency->has_watch && residency->watch != desc->watch)
	{
		lrd_log_write(&desc->log, LRD_LOG_INFO, "store", "%s: \"watch\" is %s; the program's \"%s\" does not count",
			name, residency->watch ? "true" : "false", desc->watch ? "true" : "false");
		desc->watch = residency->watch;
	}
}

static bool read_file(const char *path, lrd_buffer *text, lrd_error *error)
{
	lrd_file_info info;
	if (!lrd_file_stat(path, &info, error))
	{
		return false;
	}
	if (info.size > SIZE_MAX_READ)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "%s: it has %llu bytes, at most %llu are read", path,
			(unsigned long long)info.size, (unsigned long long)SIZE_MAX_READ);
	}
	return lrd_file_read(path, text, error);
}

static bool apply_file(lrd_store_desc *desc, const char *path, lrd_error *error)
{
	lrd_buffer text = { .allocator = desc->allocator };
	lrd_residency residency;
	bool done = read_file(path, &text, error) && lrd_residency_parse((lrd_string){ (const char *)text.data, text.size },
													 path, &desc->log, &residency, error);
	lrd_buffer_free(&text);
	if (done)
	{
		apply(desc, &residency, path);
	}
	return done;
}

bool lrd_config_apply(lrd_store_desc *desc, lrd_error *error)
{
	if (desc->root == NULL)
	{
		return true;
	}
	lrd_error reason = { 0 };
	lrd_buffer path = { .allocator = desc->allocator };
	bool done = (lrd_buffer_printf(&path, "%s/" FILE_NAME, desc->root) && lrd_buffer_append(&path, "", 1))
					? apply_file(desc, (const char *)path.data, &reason)
					: lrd_fail_memory(&reason, FILE_NAME, strlen(desc->root));
	lrd_buffer_free(&path);
	if (!done && reason.code == LRD_ERROR_MEMORY)
	{
		return lrd_fail(error, reason.code, "%s", reason.message);
	}
	if (!done && reason.code != LRD_ERROR_NOT_FOUND)
	{
		lrd_log_write(&desc->log, LRD_LOG_WARNING, "store", "%s; it is passed over", reason.message);
	}
	return true;
}
