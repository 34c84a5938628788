// base/json_text.c: is this text JSON, and what is in it? RFC 8259, strictly, without memory of its own.

#include "base/json_text.h"

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

static int peek(const json_scan *scan)
{
	return scan->position < scan->size ? (unsigned char)scan->text[scan->position] : -1;
}

static void skip_space(json_scan *scan)
{
	while (scan->position < scan->size)
	{
		if (!lrd_json_is_space(scan->text[scan->position]))
		{
			return;
		}
		scan->position++;
	}
}

lrd_text_place lrd_text_place_of(lrd_string text, size_t offset)
{
	lrd_text_place place = { 1, 1 };
	for (size_t i = 0; i < offset; i++)
	{
		place.line += text.data[i] == '\n';
		place.column = text.data[i] == '\n' ? 1 : place.column + 1;
	}
	return place;
}

static lrd_text_place place_of(const json_scan *scan, size_t position)
{
	return lrd_text_place_of((lrd_string){ scan->text, scan->size }, position);
}

static bool fail_at(json_scan *scan, size_t position, const char *expected)
{
	lrd_text_place place = place_of(scan, position);
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
	lrd_text_place place = place_of(scan, start);
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
	if (c <= 0 || strchr("\"\\/bfnrtu", c) == NULL)
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
		lrd_text_place place = place_of(scan, start);
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

// --- Going through a text that is good ---

static size_t skip_space_at(lrd_string text, size_t at)
{
	while (at < text.size && lrd_json_is_space(text.data[at]))
	{
		at++;
	}
	return at;
}

// Behind the string that begins at `at`.
static size_t string_end(lrd_string text, size_t at)
{
	for (at++; text.data[at] != '"'; at++)
	{
		at += text.data[at] == '\\';
	}
	return at + 1;
}

static size_t container_end(lrd_string text, size_t at)
{
	size_t depth = 0;
	do
	{
		char c = text.data[at];
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		at = c == '"' ? string_end(text, at) : at + 1;
	} while (depth != 0);
	return at;
}

static size_t word_end(lrd_string text, size_t at)
{
	while (at < text.size && !lrd_json_is_space(text.data[at]) && strchr(",]}", text.data[at]) == NULL)
	{
		at++;
	}
	return at;
}

lrd_json_value lrd_json_value_at(lrd_string text, size_t offset)
{
	size_t at = skip_space_at(text, offset);
	switch (text.data[at])
	{
	case '{': return (lrd_json_value){ LRD_JSON_OBJECT, at, container_end(text, at) };
	case '[': return (lrd_json_value){ LRD_JSON_ARRAY, at, container_end(text, at) };
	case '"': return (lrd_json_value){ LRD_JSON_STRING, at, string_end(text, at) };
	case 't': return (lrd_json_value){ LRD_JSON_TRUE, at, word_end(text, at) };
	case 'f': return (lrd_json_value){ LRD_JSON_FALSE, at, word_end(text, at) };
	case 'n': return (lrd_json_value){ LRD_JSON_NULL, at, word_end(text, at) };
	default: return (lrd_json_value){ LRD_JSON_NUMBER, at, word_end(text, at) };
	}
}

bool lrd_json_next_member(lrd_string text, size_t *at, lrd_json_value *key, lrd_json_value *value)
{
	size_t next = skip_space_at(text, *at + 1); // behind "{", or ","
	if (text.data[*at] == '}' || text.data[next] == '}')
	{
		return false;
	}
	*key = lrd_json_value_at(text, next);
	*value = lrd_json_value_at(text, skip_space_at(text, key->end) + 1);
	*at = skip_space_at(text, value->end); // at "," or "}"
	return true;
}

static size_t put_utf8(char out[4], uint32_t c)
{
	if (c < 0x80)
	{
		out[0] = (char)c;
		return 1;
	}
	size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char leads[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
	for (size_t i = size - 1; i > 0; i--, c >>= 6)
	{
		out[i] = (char)(0x80 | (c & 0x3F));
	}
	out[0] = (char)(leads[size] | c);
	return size;
}

// What an escape stands for; `at` is behind its backslash, and then behind it.
static uint32_t unescape(lrd_string text, size_t *at)
{
	static const char names[] = "bfnrt";
	static const char meanings[] = "\b\f\n\r\t";
	char c = text.data[(*at)++];
	if (c != 'u')
	{
		const char *found = strchr(names, c);
		return (uint32_t)(found != NULL ? meanings[found - names] : c);
	}
	json_scan scan = { .text = text.data, .size = text.size };
	uint32_t unit = (uint32_t)hex4(&scan, *at);
	*at += 4;
	if (unit < 0xD800 || unit > 0xDFFF)
	{
		return unit;
	}
	uint32_t low = (uint32_t)hex4(&scan, *at + 2);
	*at += 6;
	return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

bool lrd_json_string(lrd_string text, lrd_json_value value, char *out, size_t capacity, lrd_string *result)
{
	size_t size = 0;
	for (size_t at = value.begin + 1; at < value.end - 1;)
	{
		char utf8[4];
		size_t count = 1;
		utf8[0] = text.data[at++];
		if (utf8[0] == '\\')
		{
			count = put_utf8(utf8, unescape(text, &at));
		}
		if (count > capacity - size)
		{
			return false;
		}
		memcpy(out + size, utf8, count);
		size += count;
	}
	*result = (lrd_string){ out, size };
	return true;
}
