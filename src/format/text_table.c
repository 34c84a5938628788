// A string block in the making: strings back to back in the order they were first added, and a hash table that finds
// them again.

#include "format/text_table.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/path.h"

#define FIRST_SLOTS 64u

struct lrd_text_table
{
	lrd_allocator allocator;
	lrd_buffer block;
	lrd_text *texts; // in the order they were added
	size_t count;
	size_t capacity;
	uint32_t *slots;   // 1 + index in texts; 0: free. At most half are taken
	size_t slot_count; // a power of two
};

lrd_text_table *lrd_text_table_create(lrd_allocator allocator)
{
	lrd_text_table *table = lrd_alloc_zeroed(allocator, 1, sizeof *table);
	if (table != NULL)
	{
		table->allocator = allocator;
		table->block.allocator = allocator;
	}
	return table;
}

void lrd_text_table_destroy(lrd_text_table *table)
{
	if (table == NULL)
	{
		return;
	}
	lrd_buffer_free(&table->block);
	lrd_free(table->allocator, table->texts, table->capacity * sizeof *table->texts);
	lrd_free(table->allocator, table->slots, table->slot_count * sizeof *table->slots);
	lrd_free(table->allocator, table, sizeof *table);
}

static lrd_string text_of(const lrd_text_table *table, lrd_text text)
{
	return (lrd_string){ (const char *)table->block.data + text.offset, text.size };
}

/// The slot that holds this string, or the free one where it belongs.
static size_t find_slot(const lrd_text_table *table, lrd_string string)
{
	size_t mask = table->slot_count - 1;
	size_t slot = (size_t)lrd_fnv1a_64(string) & mask;
	while (table->slots[slot] != 0 && !lrd_string_equal(text_of(table, table->texts[table->slots[slot] - 1]), string))
	{
		slot = (slot + 1) & mask;
	}
	return slot;
}

/// Twice the slots, or the first ones.
static bool grow_slots(lrd_text_table *table)
{
	size_t old_count = table->slot_count;
	uint32_t *old_slots = table->slots;
	size_t new_count = old_count == 0 ? FIRST_SLOTS : old_count * 2;
	uint32_t *new_slots = lrd_alloc_zeroed(table->allocator, new_count, sizeof *new_slots);
	if (new_slots == NULL)
	{
		return false;
	}
	table->slots = new_slots;
	table->slot_count = new_count;
	for (size_t i = 0; i < table->count; i++)
	{
		table->slots[find_slot(table, text_of(table, table->texts[i]))] = (uint32_t)(i + 1);
	}
	lrd_free(table->allocator, old_slots, old_count * sizeof *old_slots);
	return true;
}

static bool check_string(lrd_string string, lrd_error *error)
{
	if (string.size > 0 && memchr(string.data, 0, string.size) != NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "a string of %zu bytes holds NUL", string.size);
	}
	if (!lrd_utf8_valid(string))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "a string of %zu bytes is not UTF-8", string.size);
	}
	return true;
}

bool lrd_text_table_add(lrd_text_table *table, lrd_string string, lrd_text *text, lrd_error *error)
{
	return check_string(string, error) && lrd_text_table_add_bytes(table, string, text, error);
}

/// Append a string that is new, for a free slot.
static bool append_bytes(lrd_text_table *table, size_t slot, lrd_string bytes, lrd_text *place, lrd_error *error)
{
	if (bytes.size > UINT32_MAX - table->block.size)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "the strings are larger than a string block holds (4 GiB)");
	}
	if (!LRD_RESERVE(table->allocator, table->texts, table->count, 1, table->capacity) ||
		!lrd_buffer_append(&table->block, bytes.data, bytes.size))
	{
		return lrd_fail_memory(error, "a string", bytes.size);
	}
	*place = (lrd_text){ (uint32_t)(table->block.size - bytes.size), (uint32_t)bytes.size };
	table->texts[table->count] = *place;
	table->count++;
	table->slots[slot] = (uint32_t)table->count;
	return true;
}

bool lrd_text_table_add_bytes(lrd_text_table *table, lrd_string bytes, lrd_text *place, lrd_error *error)
{
	if (bytes.size == 0)
	{
		*place = (lrd_text){ 0, 0 };
		return true;
	}
	size_t slot = table->slot_count > 0 ? find_slot(table, bytes) : 0;
	if (table->slot_count > 0 && table->slots[slot] != 0)
	{
		*place = table->texts[table->slots[slot] - 1];
		return true;
	}
	if (table->count >= table->slot_count / 2)
	{
		if (!grow_slots(table))
		{
			return lrd_fail_memory(error, "a table of strings", table->slot_count * 2 * sizeof *table->slots);
		}
		slot = find_slot(table, bytes);
	}
	return append_bytes(table, slot, bytes, place, error);
}

lrd_string lrd_text_table_block(const lrd_text_table *table)
{
	return (lrd_string){ (const char *)table->block.data, table->block.size };
}
