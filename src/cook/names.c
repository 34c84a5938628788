// Names of cooked files: authored names made safe, and made different where they are equal.

#include "cook/recipe_internal.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"

#include <stdio.h>

#define NAME_MAX_BYTES 120

typedef struct lrd_name_row
{
	lrd_string name; ///< empty: a free row
	uint64_t hash;
	uint32_t next_number; ///< what its next double is tried with
} lrd_name_row;

static lrd_name_row *find_row(lrd_name_row *rows, uint32_t capacity, lrd_string name, uint64_t hash)
{
	for (uint32_t i = (uint32_t)hash & (capacity - 1);; i = (i + 1) & (capacity - 1))
	{
		lrd_name_row *row = &rows[i];
		if (row->name.size == 0 || (row->hash == hash && lrd_string_equal_folded(row->name, name)))
		{
			return row;
		}
	}
}

static bool grow(lrd_names *names, lrd_error *error)
{
	if (names->count * 2 < names->capacity)
	{
		return true;
	}
	uint32_t capacity = names->capacity == 0 ? 32 : names->capacity * 2;
	lrd_name_row *rows = LRD_ARENA_ARRAY(names->arena, lrd_name_row, capacity);
	if (rows == NULL)
	{
		return lrd_fail_memory(error, "names", capacity * sizeof *rows);
	}
	for (uint32_t i = 0; i < names->capacity; ++i)
	{
		if (names->rows[i].name.size != 0)
		{
			*find_row(rows, capacity, names->rows[i].name, names->rows[i].hash) = names->rows[i];
		}
	}
	names->rows = rows;
	names->capacity = capacity;
	return true;
}

static size_t make_safe(lrd_string authored, uint32_t index, char *safe, size_t size)
{
	if (authored.size == 0)
	{
		return (size_t)snprintf(safe, size, "%u", index);
	}
	size_t used = 0;
	for (size_t i = 0; i < authored.size && used < NAME_MAX_BYTES; ++i)
	{
		char c = authored.data[i];
		if (((unsigned char)c & 0xC0u) == 0x80u)
		{
			continue; // the rest of a character that was replaced already
		}
		bool keep = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
					c == '.' || c == '-';
		safe[used++] = keep ? c : '_';
	}
	return used;
}

bool lrd_names_claim(lrd_names *names, lrd_string authored, uint32_t index, lrd_string *name, lrd_error *error)
{
	char text[NAME_MAX_BYTES + 16];
	size_t base_size = make_safe(authored, index, text, sizeof text);
	size_t size = base_size;
	if (!grow(names, error))
	{
		return false;
	}
	lrd_string base = { text, base_size };
	lrd_name_row *first = find_row(names->rows, names->capacity, base, lrd_fnv1a_64_folded(base));
	lrd_name_row *row = first;
	while (row->name.size != 0)
	{
		first->next_number = first->next_number < 2 ? 2 : first->next_number;
		size = base_size + (size_t)snprintf(text + base_size, sizeof text - base_size, ".%u", first->next_number++);
		lrd_string numbered = { text, size };
		row = find_row(names->rows, names->capacity, numbered, lrd_fnv1a_64_folded(numbered));
	}
	lrd_string copy = lrd_arena_string(names->arena, (lrd_string){ text, size });
	if (copy.data == NULL)
	{
		return lrd_fail_memory(error, "name", size);
	}
	*row = (lrd_name_row){ .name = copy, .hash = lrd_fnv1a_64_folded(copy) };
	names->count++;
	*name = copy;
	return true;
}
