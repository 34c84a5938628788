// Grouping the rows of a table that differ in nothing but numbers: a hash table over their texts.

#include "cli/alike.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text != 0; ++text)
	{
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211); // FNV-1a
	}
	return (hash ^ 0xFF) * UINT64_C(1099511628211); // no text has this byte: where one ends counts
}

static double parent_of(const cJSON *row)
{
	const cJSON *parent = cJSON_GetObjectItemCaseSensitive(row, "parent");
	return cJSON_IsNumber(parent) ? parent->valuedouble : -1.0;
}

/// Of the texts and the parent; `texts`: how many texts there are.
static uint64_t hash_row(const cJSON *row, uint32_t *texts)
{
	uint64_t hash = (uint64_t)(int64_t)parent_of(row) * UINT64_C(0x9E3779B97F4A7C15);
	*texts = 0;
	for (const cJSON *cell = row->child; cell != NULL; cell = cell->next)
	{
		if (cJSON_IsString(cell))
		{
			hash = hash_text(hash, cell->valuestring);
			++*texts;
		}
	}
	return hash ^ (hash >> 29);
}

static const cJSON *next_text(const cJSON *cell)
{
	while (cell != NULL && !cJSON_IsString(cell))
	{
		cell = cell->next;
	}
	return cell;
}

static bool are_alike(const cJSON *a, const cJSON *b)
{
	const cJSON *left = next_text(a->child);
	const cJSON *right = next_text(b->child);
	while (left != NULL && right != NULL && strcmp(left->string, right->string) == 0 &&
		   strcmp(left->valuestring, right->valuestring) == 0)
	{
		left = next_text(left->next);
		right = next_text(right->next);
	}
	return left == NULL && right == NULL && parent_of(a) == parent_of(b);
}

typedef struct slot
{
	const cJSON *first; ///< NULL: free
	uint32_t row;
} slot;

cli_alike *cli_find_alike(const cJSON *array, const bool *apart)
{
	uint32_t count = (uint32_t)cJSON_GetArraySize(array);
	size_t size = 16;
	while (size < (size_t)count * 2)
	{
		size *= 2;
	}
	cli_alike *rows = calloc(count + 1u, sizeof *rows);
	slot *slots = calloc(size, sizeof *slots);
	uint32_t at = 0;
	for (const cJSON *row = rows != NULL && slots != NULL ? array->child : NULL; row != NULL; row = row->next, ++at)
	{
		uint32_t texts;
		size_t place = (size_t)hash_row(row, &texts) & (size - 1);
		rows[at] = (cli_alike){ .group = at, .count = 1 };
		if (texts == 0 || (apart != NULL && apart[at]))
		{
			continue;
		}
		while (slots[place].first != NULL && !are_alike(slots[place].first, row))
		{
			place = (place + 1) & (size - 1);
		}
		if (slots[place].first == NULL)
		{
			slots[place] = (slot){ row, at };
			continue;
		}
		rows[at].group = slots[place].row;
		rows[at].nth = rows[rows[at].group].count++;
	}
	bool good = rows != NULL && slots != NULL;
	free(slots);
	if (!good)
	{
		free(rows);
		return NULL;
	}
	return rows;
}
