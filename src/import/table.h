// import/table.h: an index by hash: which rows may hold a key. The caller compares the rows.

#ifndef IMPORT_TABLE_H
#define IMPORT_TABLE_H

#include "base/memory.h"

typedef struct lrd_import_table
{
	lrd_allocator allocator;
	uint64_t *hashes;
	uint32_t *rows;  ///< row + 1; 0: free
	size_t capacity; ///< a power of two, or 0
	size_t used;
} lrd_import_table;

/// Remember that `row` has this hash; false when memory runs out.
bool lrd_import_table_add(lrd_import_table *table, uint64_t hash, uint32_t row);

/// The next row with this hash, or UINT32_MAX. `cursor` starts as SIZE_MAX.
uint32_t lrd_import_table_next(const lrd_import_table *table, uint64_t hash, size_t *cursor);

void lrd_import_table_free(lrd_import_table *table);

#endif
