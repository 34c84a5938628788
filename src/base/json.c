// base/json.c: is this text JSON? cJSON says neither where a text breaks nor whether memory ran out, takes some texts
// that are not JSON, and cuts strings at an escaped NUL. A pass of our own settles all of that before cJSON sees a
// byte. RFC 8259.

#include "base/json.h"

#include "base/error.h"
#include "base/path.h"

#include <stdio.h>
#include <string.h>

typedef struct json_scan
{
	const char *text;
	size_t size;
	size_t position;
	lrd_error *error;
	uint32_t values;
	uint32_t depth;
	bool in_object[LRD_JSON_MAX_DEPTH]; // which kind of container each level is
} json_scan;

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static int peek(const json_scan *scan)
{
	return scan->position < scan->size ? (unsigned char)scan->text[scan->position] : -1;
}

static void skip_space(json_scan *scan)
{
	while (scan->position < scan->size)
	{
		if (!is_space(scan->text[scan->position]))
		{
			return;
		}
		scan->position++;
	}
}

typedef struct text_place
{
	size_t line;
	size_t column;
} text_place;

// Lines and columns count from 1, columns in bytes.
static text_place place_in(const char *text, size_t position)
{
	text_place place = { 1, 1 };
	for (size_t i = 0; i < position; i++)
	{
		place.line += text[i] == '\n';
		place.column = text[i] == '\n' ? 1 : place.column + 1;
	}
	return place;
}

static bool fail_at(json_scan *scan, size_t position, const char *expected)
{
	text_place place = place_in(scan->text, position);
	char found[16] = "the end";
	if (position < scan->size)
	{
		unsigned char c = (unsigned char)scan->text[position];
		(void)snprintf(found, sizeof found, c >= 0x20 && c < 0x7f ? "'%c'" : "byte 0x%02x", c);
	}
	return lrd_fail(scan->error, LRD_ERROR_FORMAT, "JSON, line %zu, column %zu: found %s, expected %s", place.line,
		place.column, found, expected);
}

static bool fail_string(json_scan *scan, size_t start, const char *problem)
{
	text_place place = place_in(scan->text, start);
	return lrd_fail(
		scan->error, LRD_ERROR_FORMAT, "JSON, line %zu, column %zu: the string %s", place.line, place.column, problem);
}

// Four hexadecimal digits at `position`, or -1.
static long hex4(const json_scan *scan, size_t position)
{
	if (scan->size - position < 4)
	{
		return -1;
	}
	long value = 0;
	for (size_t i = 0; i < 4; i++)
	{
		char c = scan->text[position + i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
					: c >= 'a' && c <= 'f' ? c - 'a' + 10
					: c >= 'A' && c <= 'F' ? c - 'A' + 10
										   : -1;
		if (digit < 0)
		{
			return -1;
		}
		value = value * 16 + digit;
	}
	return value;
}

// After the backslash. Surrogates must come in pairs; NUL can't be kept in a null-terminated string.
static bool scan_escape(json_scan *scan, size_t start)
{
	int c = peek(scan);
	if (c < 0 || strchr("\"\\/bfnrtu", c) == NULL)
	{
		return fail_at(scan, scan->position, "an escape: one of \" \\ / b f n r t u");
	}
	scan->position++;
	if (c != 'u')
	{
		return true;
	}
	long unit = hex4(scan, scan->position);
	if (unit < 0)
	{
		return fail_at(scan, scan->position, "four hexadecimal digits");
	}
	scan->position += 4;
	if (unit == 0)
	{
		return fail_string(scan, start, "holds an escaped NUL, which no name or path may");
	}
	if (unit < 0xd800 || unit > 0xdfff)
	{
		return true;
	}
	bool escaped = scan->size - scan->position >= 6 && memcmp(scan->text + scan->position, "\\u", 2) == 0;
	long low = escaped ? hex4(scan, scan->position + 2) : -1;
	if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
	{
		return fail_string(scan, start, "is not valid UTF-16 in its escapes: half a surrogate pair");
	}
	scan->position += 6;
	return true;
}

static bool scan_string(json_scan *scan)
{
	size_t start = scan->position++;
	unsigned char all = 0;
	for (;;)
	{
		int c = peek(scan);
		if (c < 0x20)
		{
			return fail_at(scan, scan->position, "the rest of a string");
		}
		scan->position++;
		all |= (unsigned char)c;
		if (c == '"')
		{
			break;
		}
		if (c == '\\' && !scan_escape(scan, start))
		{
			return false;
		}
	}
	lrd_string content = { scan->text + start + 1, scan->position - start - 2 };
	return (all & 0x80) == 0 || lrd_utf8_valid(content) || fail_string(scan, start, "is not valid UTF-8");
}

static bool scan_digits(json_scan *scan)
{
	size_t start = scan->position;
	while (peek(scan) >= '0' && peek(scan) <= '9')
	{
		scan->position++;
	}
	return scan->position != start || fail_at(scan, scan->position, "a digit");
}

static bool scan_number(json_scan *scan)
{
	size_t start = scan->position;
	scan->position += peek(scan) == '-';
	if (peek(scan) == '0')
	{
		scan->position++;
	}
	else if (!scan_digits(scan))
	{
		return false;
	}
	if (peek(scan) == '.')
	{
		scan->position++;
		if (!scan_digits(scan))
		{
			return false;
		}
	}
	if (peek(scan) == 'e' || peek(scan) == 'E')
	{
		scan->position++;
		scan->position += peek(scan) == '+' || peek(scan) == '-';
		if (!scan_digits(scan))
		{
			return false;
		}
	}
	if (scan->position - start > LRD_JSON_MAX_NUMBER)
	{
		text_place place = place_in(scan->text, start);
		return lrd_fail(scan->error, LRD_ERROR_LIMIT,
			"JSON, line %zu, column %zu: a number of %zu characters (at most %u)", place.line, place.column,
			scan->position - start, LRD_JSON_MAX_NUMBER);
	}
	return true;
}

static bool scan_word(json_scan *scan, const char *word)
{
	size_t size = strlen(word);
	if (scan->size - scan->position < size || memcmp(scan->text + scan->position, word, size) != 0)
	{
		return fail_at(scan, scan->position, "a value");
	}
	scan->position += size;
	return true;
}

// A key and its colon.
static bool scan_key(json_scan *scan)
{
	skip_space(scan);
	if (peek(scan) != '"')
	{
		return fail_at(scan, scan->position, "a key");
	}
	if (!scan_string(scan))
	{
		return false;
	}
	skip_space(scan);
	if (peek(scan) != ':')
	{
		return fail_at(scan, scan->position, "':'");
	}
	scan->position++;
	return true;
}

// Goes into a container; `entered` stays false where it is empty.
static bool scan_open(json_scan *scan, bool object, bool *entered)
{
	scan->position++;
	skip_space(scan);
	if (peek(scan) == (object ? '}' : ']'))
	{
		scan->position++;
		return true;
	}
	if (scan->depth == LRD_JSON_MAX_DEPTH)
	{
		return lrd_fail(
			scan->error, LRD_ERROR_LIMIT, "JSON: objects and arrays nest deeper than %u levels", LRD_JSON_MAX_DEPTH);
	}
	scan->in_object[scan->depth++] = object;
	*entered = true;
	return !object || scan_key(scan);
}

// One value, or the opening of a container.
static bool scan_value(json_scan *scan, bool *entered)
{
	*entered = false;
	if (++scan->values > LRD_JSON_MAX_VALUES)
	{
		return lrd_fail(scan->error, LRD_ERROR_LIMIT, "JSON: more than %u values", LRD_JSON_MAX_VALUES);
	}
	skip_space(scan);
	switch (peek(scan))
	{
	case '{': return scan_open(scan, true, entered);
	case '[': return scan_open(scan, false, entered);
	case '"': return scan_string(scan);
	case 't': return scan_word(scan, "true");
	case 'f': return scan_word(scan, "false");
	case 'n': return scan_word(scan, "null");
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9': return scan_number(scan);
	default: return fail_at(scan, scan->position, "a value");
	}
}

// What follows a value inside its container: leaves any that end here, and stops where another value is due.
static bool scan_after(json_scan *scan)
{
	while (scan->depth > 0)
	{
		bool object = scan->in_object[scan->depth - 1];
		skip_space(scan);
		int c = peek(scan);
		if (c != ',' && c != (object ? '}' : ']'))
		{
			return fail_at(scan, scan->position, object ? "',' or '}'" : "',' or ']'");
		}
		scan->position++;
		if (c == ',')
		{
			return !object || scan_key(scan);
		}
		scan->depth--;
	}
	return true;
}

bool lrd_json_check(lrd_string text, lrd_error *error)
{
	json_scan scan = { .text = text.data, .size = text.size, .error = error };
	do
	{
		bool entered = false;
		if (!scan_value(&scan, &entered))
		{
			return false;
		}
		if (!entered && !scan_after(&scan))
		{
			return false;
		}
	} while (scan.depth > 0);
	skip_space(&scan);
	return scan.position == scan.size || fail_at(&scan, scan.position, "the end");
}

cJSON *lrd_json_parse(lrd_string text, lrd_error *error)
{
	if (!lrd_json_check(text, error))
	{
		return NULL;
	}
	cJSON *json = cJSON_ParseWithLengthOpts(text.data, text.size, NULL, 0);
	if (json == NULL)
	{
		lrd_fail_memory(error, "JSON", text.size); // lrd_json_check leaves no other reason
	}
	return json;
}

/// Count members of objects in the order of the text, until `wanted`. True when it was met. Depth is bounded by cJSON's
/// own nesting limit.
static bool count_members(const cJSON *item, const cJSON *wanted, size_t *count)
{
	for (const cJSON *child = item->child; child != NULL; child = child->next)
	{
		*count += child->string != NULL;
		if (child == wanted || count_members(child, wanted, count))
		{
			return true;
		}
	}
	return false;
}

/// The end of the string that starts at `at` (a quote), behind its closing quote.
static size_t skip_string(lrd_string text, size_t at)
{
	for (++at; at < text.size && text.data[at] != '"'; ++at)
	{
		at += text.data[at] == '\\';
	}
	return at + 1;
}

/// A key is a string that a colon follows, so the n-th key needs no more parsing than that.
void lrd_json_place_of(lrd_string text, const cJSON *root, const cJSON *member, size_t *line, size_t *column)
{
	size_t wanted = 0;
	size_t at = 0;
	if (!count_members(root, member, &wanted))
	{
		wanted = 0;
	}
	for (size_t seen = 0; at < text.size && wanted != 0;)
	{
		if (text.data[at] != '"')
		{
			at++;
			continue;
		}
		size_t end = skip_string(text, at);
		size_t next = end;
		while (next < text.size && is_space(text.data[next]))
		{
			next++;
		}
		seen += next < text.size && text.data[next] == ':';
		if (seen == wanted)
		{
			break;
		}
		at = end;
	}
	text_place place = place_in(text.data, at);
	*line = place.line;
	*column = place.column;
}

bool lrd_json_append_string(lrd_buffer *out, lrd_string text)
{
	bool good = lrd_buffer_append(out, "\"", 1);
	for (size_t i = 0; good && i < text.size; ++i)
	{
		unsigned char c = (unsigned char)text.data[i];
		if (c == '"' || c == '\\')
		{
			good = lrd_buffer_printf(out, "\\%c", c);
		}
		else
		{
			good = c < 0x20 ? lrd_buffer_printf(out, "\\u%04x", c) : lrd_buffer_append(out, &text.data[i], 1);
		}
	}
	return good && lrd_buffer_append(out, "\"", 1);
}
