// JSON by cJSON, with errors that say where.

#include "cook/json.h"

#include "base/error.h"

void lrd_json_text_place(lrd_string text, size_t offset, uint32_t *line, uint32_t *column)
{
	*line = 1;
	*column = 1;
	for (size_t i = 0; i < offset && i < text.size; ++i)
	{
		bool ends = text.data[i] == '\n';
		*line += ends;
		*column = ends ? 1 : *column + 1;
	}
}

static bool is_blank(const char *text, const char *end)
{
	while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n'))
	{
		text++;
	}
	return text == end;
}

bool lrd_json_read(const char *name, lrd_string text, cJSON **json, lrd_error *error)
{
	const char *end = NULL;
	*json = text.size == 0 ? NULL : cJSON_ParseWithLengthOpts(text.data, text.size, &end, false);
	if (*json != NULL && is_blank(end, text.data + text.size))
	{
		return true;
	}
	cJSON_Delete(*json);
	*json = NULL;
	uint32_t line;
	uint32_t column;
	lrd_json_text_place(text, end == NULL ? 0 : (size_t)(end - text.data), &line, &column);
	return lrd_fail(error, LRD_ERROR_FORMAT, "%s:%u:%u: not JSON from here on", name, line, column);
}

/// Count members of objects in the order of the text, until `wanted`. True when it was met. Depth is bounded by cJSON's own nesting limit.
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
void lrd_json_place_of(lrd_string text, const cJSON *root, const cJSON *member, uint32_t *line, uint32_t *column)
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
		while (next < text.size && is_blank(&text.data[next], &text.data[next] + 1))
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
	lrd_json_text_place(text, at, line, column);
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
