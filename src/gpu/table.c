// gpu/table.c: tables of rows that never move, and the keys they are found by.

#include "gpu/gpu.h"

#include "base/error.h"

#define ROWS_PER_CHUNK 64u // as bits in a word of lrd_table.changed
#define MAP_BITS_MIN 6u

// --- Keys ---

// Multiplicative hashing (Knuth, "The Art of Computer Programming" 3, 6.4), with the golden ratio's 64 bits.
static uint32_t home_of(const lrd_key_map *map, uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - map->bits));
}

static uint32_t mask_of(const lrd_key_map *map)
{
	return (1u << map->bits) - 1;
}

static void put(lrd_key_map *map, uint64_t key, uint32_t row)
{
	uint32_t at = home_of(map, key);
	while (map->slots[at].row != 0)
	{
		at = (at + 1) & mask_of(map);
	}
	map->slots[at] = (lrd_key_slot){ key, row };
}

bool lrd_key_map_reserve(lrd_key_map *map, lrd_allocator allocator)
{
	if (map->slots != NULL && (uint64_t)(map->used + 1) * 4 <= (uint64_t)(1u << map->bits) * 3)
	{
		return true;
	}
	lrd_key_map larger = { .bits = map->slots != NULL ? map->bits + 1 : MAP_BITS_MIN, .used = map->used };
	larger.slots = lrd_alloc_zeroed(allocator, (size_t)1 << larger.bits, sizeof *larger.slots);
	if (larger.slots == NULL)
	{
		return false;
	}
	for (uint32_t i = 0; map->slots != NULL && i <= mask_of(map); i++)
	{
		if (map->slots[i].row != 0)
		{
			put(&larger, map->slots[i].key, map->slots[i].row);
		}
	}
	lrd_key_map_free(map, allocator);
	*map = larger;
	return true;
}

void lrd_key_map_set(lrd_key_map *map, uint64_t key, uint32_t row)
{
	put(map, key, row + 1);
	map->used++;
}

static bool find(const lrd_key_map *map, uint64_t key, uint32_t *at)
{
	if (map->slots == NULL)
	{
		return false;
	}
	*at = home_of(map, key);
	while (map->slots[*at].row != 0 && map->slots[*at].key != key)
	{
		*at = (*at + 1) & mask_of(map);
	}
	return map->slots[*at].row != 0;
}

bool lrd_key_map_get(const lrd_key_map *map, uint64_t key, uint32_t *row)
{
	uint32_t at;
	if (!find(map, key, &at))
	{
		return false;
	}
	*row = map->slots[at].row - 1;
	return true;
}

void lrd_key_map_remove(lrd_key_map *map, uint64_t key)
{
	uint32_t hole;
	if (!find(map, key, &hole))
	{
		return;
	}
	// What follows moves into the hole unless its home lies behind it: then no mark of what was removed is needed.
	for (uint32_t at = (hole + 1) & mask_of(map); map->slots[at].row != 0; at = (at + 1) & mask_of(map))
	{
		uint32_t home = home_of(map, map->slots[at].key);
		if (((at - home) & mask_of(map)) >= ((at - hole) & mask_of(map)))
		{
			map->slots[hole] = map->slots[at];
			hole = at;
		}
	}
	map->slots[hole] = (lrd_key_slot){ 0 };
	map->used--;
}

void lrd_key_map_free(lrd_key_map *map, lrd_allocator allocator)
{
	lrd_free(allocator, map->slots, map->slots != NULL ? sizeof *map->slots << map->bits : 0);
	*map = (lrd_key_map){ 0 };
}

// --- Rows ---

static lrd_row *row_at(const lrd_table *table, uint32_t index)
{
	return (lrd_row *)(void *)(table->chunks[index / ROWS_PER_CHUNK] + index % ROWS_PER_CHUNK * table->row_size);
}

static bool add_chunk(lrd_table *table, lrd_allocator allocator)
{
	if (!LRD_RESERVE(allocator, table->chunks, table->chunk_count, 1, table->chunk_capacity) ||
		!LRD_RESERVE(allocator, table->changed, table->chunk_count, 1, table->changed_capacity))
	{
		return false;
	}
	unsigned char *chunk = lrd_alloc_zeroed(allocator, ROWS_PER_CHUNK, table->row_size);
	if (chunk == NULL)
	{
		return false;
	}
	table->changed[table->chunk_count] = 0;
	table->chunks[table->chunk_count++] = chunk;
	return true;
}

static const char *what_rows(const lrd_table *table)
{
	static const char *const names[] = { "textures", "meshes", "materials" };
	return names[table->kind];
}

lrd_row *lrd_table_take(lrd_table *table, lrd_allocator allocator, lrd_error *error)
{
	if (table->free_first == 0 && table->count >= table->most)
	{
		lrd_fail(error, LRD_ERROR_LIMIT, "all %u places for %s are taken", table->most, what_rows(table));
		return NULL;
	}
	if (table->free_first == 0 && table->count == table->chunk_count * ROWS_PER_CHUNK && !add_chunk(table, allocator))
	{
		lrd_fail_memory(error, what_rows(table), ROWS_PER_CHUNK * table->row_size);
		return NULL;
	}
	uint32_t index = table->free_first != 0 ? table->free_first - 1 : table->count++;
	lrd_row *row = row_at(table, index);
	table->free_first = table->free_first != 0 ? row->index_next : 0;
	uint32_t generation = row->generation;
	memset(row, 0, table->row_size);
	row->index = index;
	row->generation = generation + 1 != 0 ? generation + 1 : 1;
	row->kind = table->kind;
	row->taken = true;
	table->used++;
	lrd_table_mark(table, row);
	return row;
}

void lrd_table_give_back(lrd_table *table, lrd_row *row)
{
	row->taken = false;
	row->index_next = table->free_first;
	table->free_first = row->index + 1;
	table->used--;
	lrd_table_mark(table, row);
}

void lrd_table_mark(lrd_table *table, const lrd_row *row)
{
	table->changed[row->index / ROWS_PER_CHUNK] |= (uint64_t)1 << row->index % ROWS_PER_CHUNK;
}

lrd_row *lrd_table_at(const lrd_table *table, uint32_t index)
{
	lrd_row *row = index < table->count ? row_at(table, index) : NULL;
	return row != NULL && row->taken ? row : NULL;
}

void lrd_table_free(lrd_table *table, lrd_allocator allocator)
{
	for (size_t i = 0; i < table->chunk_count; i++)
	{
		lrd_free(allocator, table->chunks[i], ROWS_PER_CHUNK * table->row_size);
	}
	lrd_free(allocator, table->chunks, table->chunk_capacity * sizeof *table->chunks);
	lrd_free(allocator, table->changed, table->changed_capacity * sizeof *table->changed);
	lrd_key_map_free(&table->keys, allocator);
	*table = (lrd_table){ 0 };
}
