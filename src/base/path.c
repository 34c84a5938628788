// base/path.c: strings, UTF-8, and asset paths: checking, resolving, taking apart.

#include "base/path.h"

#include "base/error.h"

// Bytes of a path that an error quotes; a longer one is cut.
#define QUOTE_MAX 256
#define QUOTE_BUFFER (QUOTE_MAX + 8)

lrd_string lrd_string_from(const char *text)
{
	return (lrd_string){ text, text != NULL ? strlen(text) : 0 };
}

bool lrd_string_equal(lrd_string a, lrd_string b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline unsigned char folded(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static int compare_sizes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

int lrd_string_compare(lrd_string a, lrd_string b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = common != 0 ? memcmp(a.data, b.data, common) : 0;
	return order != 0 ? order : compare_sizes(a.size, b.size);
}

int lrd_string_compare_folded(lrd_string a, lrd_string b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	for (size_t i = 0; i < common; i++)
	{
		int order = (int)folded(a.data[i]) - (int)folded(b.data[i]);
		if (order != 0)
		{
			return order;
		}
	}
	return compare_sizes(a.size, b.size);
}

bool lrd_string_equal_folded(lrd_string a, lrd_string b)
{
	// Most that are equal are so to the letter.
	return a.size == b.size && (lrd_string_equal(a, b) || lrd_string_compare_folded(a, b) == 0);
}

bool lrd_string_starts_with(lrd_string text, lrd_string prefix)
{
	return text.size >= prefix.size && lrd_string_equal((lrd_string){ text.data, prefix.size }, prefix);
}

bool lrd_string_ends_with_folded(lrd_string text, lrd_string suffix)
{
	if (text.size < suffix.size)
	{
		return false;
	}
	lrd_string end = { suffix.size != 0 ? text.data + (text.size - suffix.size) : NULL, suffix.size };
	return lrd_string_equal_folded(end, suffix);
}

// How many bytes the UTF-8 sequence at `at` has, 0 where it is malformed. Unicode 15, table 3-7 (well-formed byte
// sequences).
static size_t sequence_size(const unsigned char *at, size_t left)
{
	unsigned char lead = at[0];
	if (lead < 0x80)
	{
		return 1;
	}
	size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
	if (lead < 0xC2 || lead > 0xF4 || left < size)
	{
		return 0;
	}
	// The second byte's range keeps out overlong forms (E0, F0), surrogates (ED) and what is above U+10FFFF (F4).
	unsigned char lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
	unsigned char highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
	if (at[1] < lowest || at[1] > highest)
	{
		return 0;
	}
	for (size_t i = 2; i < size; i++)
	{
		if ((at[i] & 0xC0) != 0x80)
		{
			return 0;
		}
	}
	return size;
}

// Bytes from `start` on that are ASCII, in steps of 32.
static size_t skip_ascii(const char *data, size_t start, size_t size)
{
	size_t i = start;
	while (size - i >= 32)
	{
		uint64_t words[4];
		memcpy(words, data + i, sizeof words);
		if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080u) != 0)
		{
			break;
		}
		i += 32;
	}
	return i;
}

bool lrd_utf8_valid(lrd_string text)
{
	size_t i = 0;
	while (i < text.size)
	{
		i = skip_ascii(text.data, i, text.size);
		// A few sequences by hand, then the fast path is tried again.
		for (int tries = 0; tries < 32 && i < text.size; tries++)
		{
			size_t size = sequence_size((const unsigned char *)text.data + i, text.size - i);
			if (size == 0)
			{
				return false;
			}
			i += size;
		}
	}
	return true;
}

// The path as an error may show it: valid UTF-8 without control characters, cut when long.
static const char *quoted(lrd_string path, char text[QUOTE_BUFFER])
{
	static const char hex[] = "0123456789abcdef";
	size_t used = 0;
	size_t i = 0;
	while (i < path.size && used <= QUOTE_MAX - 4)
	{
		const unsigned char *at = (const unsigned char *)path.data + i;
		size_t size = sequence_size(at, path.size - i);
		if (size == 0 || *at < 0x20 || *at == 0x7F)
		{
			const char escape[4] = { '\\', 'x', hex[*at >> 4], hex[*at & 15] };
			memcpy(text + used, escape, sizeof escape);
			used += sizeof escape;
			i++;
			continue;
		}
		memcpy(text + used, at, size);
		used += size;
		i += size;
	}
	memcpy(text + used, i < path.size ? "..." : "", i < path.size ? 4 : 1);
	return text;
}

static bool fail_path(lrd_error *error, lrd_string path, const char *rule)
{
	char text[QUOTE_BUFFER];
	return lrd_fail(error, LRD_ERROR_PATH, "path \"%s\": %s", quoted(path, text), rule);
}

static bool is_dots(const char *component, size_t size)
{
	return (size == 1 && component[0] == '.') || (size == 2 && component[0] == '.' && component[1] == '.');
}

// The rule that the path's characters break, or NULL.
static const char *broken_character_rule(lrd_string path)
{
	if (!lrd_utf8_valid(path))
	{
		return "an asset path must be valid UTF-8";
	}
	for (size_t i = 0; i < path.size; i++)
	{
		unsigned char c = (unsigned char)path.data[i];
		// U+0080..U+009F are control characters too; in UTF-8 they are C2 80..9F.
		bool c1 = c == 0xC2 && (unsigned char)path.data[i + 1] < 0xA0;
		if (c < 0x20 || c == 0x7F || c1)
		{
			return "an asset path must not hold control characters";
		}
		if (c == '\\')
		{
			return "an asset path separates folders with \"/\", not \"\\\"";
		}
		if (c == ':')
		{
			return "an asset path must not hold \":\" (it is relative: no drive, no URL)";
		}
	}
	return NULL;
}

static const char *broken_component_rule(lrd_string path)
{
	size_t start = 0;
	for (size_t i = 0; i <= path.size; i++)
	{
		if (i != path.size && path.data[i] != '/')
		{
			continue;
		}
		if (i == start)
		{
			return i == 0 ? "an asset path is relative: it must not start with \"/\""
						  : "an asset path must not have an empty component";
		}
		if (is_dots(path.data + start, i - start))
		{
			return "an asset path must not have a component \".\" or \"..\"";
		}
		start = i + 1;
	}
	return NULL;
}

bool lrd_path_check(lrd_string path, lrd_error *error)
{
	if (path.size == 0)
	{
		return fail_path(error, path, "an asset path must not be empty");
	}
	if (path.size > LRD_PATH_MAX)
	{
		char text[QUOTE_BUFFER];
		return lrd_fail(error, LRD_ERROR_PATH, "path \"%s\": it has %zu bytes, an asset path has at most %d",
			quoted(path, text), path.size, LRD_PATH_MAX);
	}
	const char *rule = broken_character_rule(path);
	rule = rule != NULL ? rule : broken_component_rule(path);
	return rule == NULL || fail_path(error, path, rule);
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

// "C:", "file:", "https:", "data:": a letter, then what RFC 3986, section 3.1 allows in a scheme, then a colon.
static bool has_scheme(lrd_string text)
{
	for (size_t i = 0; i < text.size; i++)
	{
		unsigned char c = folded(text.data[i]);
		if (c == ':')
		{
			return i != 0;
		}
		bool letter = c >= 'a' && c <= 'z';
		bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
		if (!letter && !(other && i != 0))
		{
			return false;
		}
	}
	return false;
}

// Walks `text`'s components onto `path`, a stack of components joined by "/". False where ".." leaves the root.
// Empty components count for nothing, as in a file system. `ends_in_name` says whether the last component named a file.
static bool push_components(char *path, size_t *size, lrd_string text, bool *ends_in_name)
{
	size_t start = 0;
	for (size_t i = 0; i <= text.size; i++)
	{
		if (i != text.size && !is_separator(text.data[i]))
		{
			continue;
		}
		const char *component = text.data + start;
		size_t length = i - start;
		start = i + 1;
		*ends_in_name = length != 0 && !is_dots(component, length);
		if (*ends_in_name)
		{
			path[*size] = '/';
			*size += *size != 0 ? 1 : 0;
			memcpy(path + *size, component, length);
			*size += length;
		}
		else if (length == 2)
		{
			if (*size == 0)
			{
				return false;
			}
			*size = lrd_path_folder((lrd_string){ path, *size }).size;
		}
	}
	return true;
}

bool lrd_path_resolve(lrd_arena *arena, lrd_string base, lrd_string reference, lrd_string *result, lrd_error *error)
{
	if (reference.size == 0)
	{
		return fail_path(error, reference, "a reference must name a file");
	}
	if (is_separator(reference.data[0]))
	{
		return fail_path(error, reference, "a reference must be relative, not absolute");
	}
	if (has_scheme(reference))
	{
		return fail_path(error, reference, "a reference must be a relative path, without a drive or a URL scheme");
	}
	lrd_string folder = lrd_path_folder(base);
	size_t capacity = 0;
	if (!lrd_add_size(folder.size, reference.size, &capacity) || !lrd_add_size(capacity, 3, &capacity))
	{
		return lrd_fail_memory(error, "a resolved path", SIZE_MAX);
	}
	char *path = lrd_arena_alloc(arena, capacity);
	if (path == NULL)
	{
		return lrd_fail_memory(error, "a resolved path", capacity);
	}
	size_t size = 0;
	bool ends_in_name = false;
	if (!push_components(path, &size, folder, &ends_in_name) || !push_components(path, &size, reference, &ends_in_name))
	{
		return fail_path(error, reference, "the reference leads out of the root folder");
	}
	if (!ends_in_name)
	{
		return fail_path(error, reference, "the reference names a folder, not a file");
	}
	path[size] = '\0';
	lrd_string resolved = { path, size };
	if (!lrd_path_check(resolved, error))
	{
		return false;
	}
	*result = resolved;
	return true;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
	{
		return c - '0';
	}
	unsigned char lower = folded(c);
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool lrd_path_percent_decode(lrd_arena *arena, lrd_string text, lrd_string *result, lrd_error *error)
{
	size_t capacity = 0;
	char *decoded = lrd_add_size(text.size, 1, &capacity) ? lrd_arena_alloc(arena, capacity) : NULL;
	if (decoded == NULL)
	{
		return lrd_fail_memory(error, "a percent-decoded path", text.size);
	}
	size_t size = 0;
	for (size_t i = 0; i < text.size; i++)
	{
		char c = text.data[i];
		if (c == '%')
		{
			int high = text.size - i > 2 ? hex_value(text.data[i + 1]) : -1;
			int low = high >= 0 ? hex_value(text.data[i + 2]) : -1;
			if (low < 0)
			{
				return fail_path(error, text, "\"%\" must be followed by two hexadecimal digits");
			}
			if (high == 0 && low == 0)
			{
				return fail_path(error, text, "an escaped NUL (\"%00\") can't be part of a path");
			}
			c = (char)(unsigned char)(high * 16 + low);
			i += 2;
		}
		decoded[size++] = c;
	}
	decoded[size] = '\0';
	*result = (lrd_string){ decoded, size };
	return true;
}

// Where the last component begins.
static size_t file_start(lrd_string path)
{
	size_t start = path.size;
	while (start != 0 && path.data[start - 1] != '/')
	{
		start--;
	}
	return start;
}

// Where the extension's dot is, or the path's size. A leading dot makes a hidden file, not an extension.
static size_t extension_start(lrd_string path)
{
	size_t first = file_start(path);
	for (size_t i = path.size; i > first + 1; i--)
	{
		if (path.data[i - 1] == '.')
		{
			return i - 1;
		}
	}
	return path.size;
}

static lrd_string part(lrd_string path, size_t start, size_t end)
{
	return (lrd_string){ path.data != NULL ? path.data + start : NULL, end - start };
}

lrd_string lrd_path_folder(lrd_string path)
{
	size_t start = file_start(path);
	return part(path, 0, start != 0 ? start - 1 : 0);
}

lrd_string lrd_path_file(lrd_string path)
{
	return part(path, file_start(path), path.size);
}

lrd_string lrd_path_extension(lrd_string path)
{
	return part(path, extension_start(path), path.size);
}

lrd_string lrd_path_stem(lrd_string path)
{
	return part(path, 0, extension_start(path));
}
