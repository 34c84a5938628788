// base/json.c: JSON by cJSON, for texts that json_text.c found good.

#include "base/json.h"

#include "base/error.h"

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
		while (next < text.size && lrd_json_is_space(text.data[next]))
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
	lrd_text_place place = lrd_text_place_of(text, at);
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
