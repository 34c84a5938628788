// import/table.c: open addressing with linear probing, at most half full; nothing is ever removed.

#include "import/table.h"

#define FIRST_CAPACITY ((size_t)32)

static void place(uint64_t *hashes, uint32_t *rows, size_t capacity, uint64_t hash, uint32_t row)
{
	size_t at = (size_t)hash & (capacity - 1);
	while (rows[at] != 0)
	{
		at = (at + 1) & (capacity - 1);
	}
	hashes[at] = hash;
	rows[at] = row;
}

static bool grow(lrd_import_table *table)
{
	size_t capacity = table->capacity != 0 ? table->capacity * 2 : FIRST_CAPACITY;
	uint64_t *hashes = lrd_alloc_zeroed(table->allocator, capacity, sizeof *hashes);
	uint32_t *rows = lrd_alloc_zeroed(table->allocator, capacity, sizeof *rows);
	if (hashes == NULL || rows == NULL)
	{
		lrd_free(table->allocator, hashes, capacity * sizeof *hashes);
		lrd_free(table->allocator, rows, capacity * sizeof *rows);
		return false;
	}
	for (size_t i = 0; i < table->capacity; i++)
	{
		if (table->rows[i] != 0)
		{
			place(hashes, rows, capacity, table->hashes[i], table->rows[i]);
		}
	}
	size_t used = table->used;
	lrd_import_table_free(table);
	table->hashes = hashes;
	table->rows = rows;
	table->capacity = capacity;
	table->used = used;
	return true;
}

bool lrd_import_table_add(lrd_import_table *table, uint64_t hash, uint32_t row)
{
	if ((table->used + 1) * 2 > table->capacity && !grow(table))
	{
		return false;
	}
	place(table->hashes, table->rows, table->capacity, hash, row + 1);
	table->used++;
	return true;
}

uint32_t lrd_import_table_next(const lrd_import_table *table, uint64_t hash, size_t *cursor)
{
	if (table->capacity == 0)
	{
		return UINT32_MAX;
	}
	size_t at = *cursor == SIZE_MAX ? (size_t)hash : *cursor + 1;
	for (at &= table->capacity - 1; table->rows[at] != 0; at = (at + 1) & (table->capacity - 1))
	{
		if (table->hashes[at] == hash)
		{
			*cursor = at;
			return table->rows[at] - 1;
		}
	}
	return UINT32_MAX;
}

void lrd_import_table_free(lrd_import_table *table)
{
	lrd_free(table->allocator, table->hashes, table->capacity * sizeof *table->hashes);
	lrd_free(table->allocator, table->rows, table->capacity * sizeof *table->rows);
	table->hashes = NULL;
	table->rows = NULL;
	table->capacity = 0;
	table->used = 0;
}
