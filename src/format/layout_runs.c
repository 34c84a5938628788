// References into shared blocks: strings, and key times that channels share. The check is exact without allocating:
// what was written by our writers is the only thing that passes, so a file that opens is written again byte for byte.

#include "format/layout.h"

#include "base/maths.h"
#include "base/memory.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdio.h>

#define WINDOW_RUNS 1024u // distinct runs compared with at a time
#define WINDOW_SLOTS 2048u

/// The walk that one pass makes over every reference.
typedef struct run_walk
{
	const lrd_layout_cursor *cursor;
	const char *block_name;
	const uint8_t *block;
	uint64_t block_count;
	size_t element_size;
	const lrd_layout_references *lists;
	size_t list_count;
} run_walk;

typedef struct run
{
	uint32_t offset, size;
} run;

/// Distinct runs of one window, in the order they stand in the block, and a hash table over their contents.
typedef struct run_window
{
	uint32_t count;
	run runs[WINDOW_RUNS];
	uint16_t slots[WINDOW_SLOTS]; // 1 + index in runs; 0: free
} run_window;

static run run_at(const lrd_layout_references *list, uint32_t index)
{
	const uint8_t *record = (const uint8_t *)list->records + (size_t)index * list->stride;
	run reference;
	memcpy(&reference.offset, record + list->offset_at, sizeof reference.offset);
	memcpy(&reference.size, record + list->size_at, sizeof reference.size);
	return reference;
}

/// Starts a message about a reference: "joint 3: name", "name".
static bool fail_at(
	const run_walk *walk, const lrd_layout_references *list, uint32_t index, run reference, const char *reason)
{
	char place[128];
	if (list->record == NULL)
	{
		snprintf(place, sizeof place, "%s", list->field);
	}
	else
	{
		snprintf(place, sizeof place, "%s %" PRIu32 ": %s", list->record, index, list->field);
	}
	return lrd_layout_fail(walk->cursor, "%s: offset %" PRIu32 ", size %" PRIu32 " in %s (%" PRIu64 "): %s", place,
		reference.offset, reference.size, walk->block_name, walk->block_count, reason);
}

static bool check_order(const run_walk *walk)
{
	uint64_t used = 0;
	for (size_t l = 0; l < walk->list_count; l++)
	{
		const lrd_layout_references *list = &walk->lists[l];
		for (uint32_t i = 0; i < list->count; i++)
		{
			run reference = run_at(list, i);
			uint64_t end = (uint64_t)reference.offset + reference.size;
			if (end > walk->block_count)
			{
				return fail_at(walk, list, i, reference, "passes the block's end");
			}
			if (reference.size == 0 && reference.offset != 0)
			{
				return fail_at(walk, list, i, reference, "an empty one has offset 0");
			}
			if (reference.size != 0 && reference.offset == used)
			{
				used = end;
			}
			else if (end > used)
			{
				return fail_at(walk, list, i, reference, "neither one that came before nor the next in the block");
			}
		}
	}
	if (used != walk->block_count)
	{
		return lrd_layout_fail(
			walk->cursor, "%s: %" PRIu64 " of %" PRIu64 " are referred to", walk->block_name, used, walk->block_count);
	}
	return true;
}

static uint64_t hash_run(const run_walk *walk, run reference)
{
	const uint8_t *bytes = walk->block + (size_t)reference.offset * walk->element_size;
	size_t size = (size_t)reference.size * walk->element_size;
	uint64_t hash = size * 0x9e3779b97f4a7c15u;
	while (size > 0)
	{
		uint64_t word = 0;
		size_t part = size < sizeof word ? size : sizeof word;
		memcpy(&word, bytes, part);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
		bytes += part;
		size -= part;
	}
	return hash * 0x9e3779b97f4a7c15u;
}

static bool runs_equal(const run_walk *walk, run a, run b)
{
	return a.size == b.size &&
		   memcmp(walk->block + (size_t)a.offset * walk->element_size,
			   walk->block + (size_t)b.offset * walk->element_size, (size_t)a.size * walk->element_size) == 0;
}

/// Whether the window holds these contents; adds them where it does not and `add` is set.
static bool window_meets(run_window *window, const run_walk *walk, run reference, bool add)
{
	uint32_t slot = (uint32_t)(hash_run(walk, reference) >> 32) % WINDOW_SLOTS;
	while (window->slots[slot] != 0)
	{
		if (runs_equal(walk, window->runs[window->slots[slot] - 1], reference))
		{
			return true;
		}
		slot = (slot + 1) % WINDOW_SLOTS;
	}
	if (add)
	{
		window->runs[window->count] = reference;
		window->count++;
		window->slots[slot] = (uint16_t)window->count;
	}
	return false;
}

/// Whether the window's runs, which ascend, have exactly this one. Runs outside the window's part of the block are
/// another pass's.
static bool window_covers(const run_window *window, run reference)
{
	run first = window->runs[0];
	run last = window->runs[window->count - 1];
	if (reference.offset < first.offset || reference.offset >= last.offset + last.size)
	{
		return true;
	}
	uint32_t low = 0;
	uint32_t high = window->count;
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;
		if (window->runs[middle].offset <= reference.offset)
		{
			low = middle;
		}
		else
		{
			high = middle;
		}
	}
	return window->runs[low].offset == reference.offset && window->runs[low].size == reference.size;
}

/// Compare every reference with the distinct runs from number `first` on, as many as fit. `total`: how many there are.
static bool check_window(const run_walk *walk, run_window *window, uint64_t first, uint64_t *total)
{
	memset(window->slots, 0, sizeof window->slots);
	window->count = 0;
	uint64_t number = 0; // of the next distinct run
	uint64_t used = 0;
	for (size_t l = 0; l < walk->list_count; l++)
	{
		const lrd_layout_references *list = &walk->lists[l];
		for (uint32_t i = 0; i < list->count; i++)
		{
			run reference = run_at(list, i);
			if (reference.size == 0)
			{
				continue;
			}
			if (reference.offset == used)
			{
				used += reference.size;
				bool mine = number >= first && number - first < WINDOW_RUNS;
				if (number >= first && window_meets(window, walk, reference, mine))
				{
					return fail_at(walk, list, i, reference, "equals an earlier one; each is stored once");
				}
				number++;
			}
			else if (window->count > 0 && !window_covers(window, reference))
			{
				return fail_at(walk, list, i, reference, "is a piece of earlier ones");
			}
		}
	}
	*total = number;
	return true;
}

bool lrd_layout_check_runs(const lrd_layout_cursor *cursor, const char *block_name, const void *block,
	uint64_t block_count, size_t element_size, const lrd_layout_references *lists, size_t list_count)
{
	run_walk walk = { cursor, block_name, block, block_count, element_size, lists, list_count };
	if (!check_order(&walk))
	{
		return false;
	}
	run_window window;
	uint64_t total = 0;
	uint64_t first = 0;
	do
	{
		if (!check_window(&walk, &window, first, &total))
		{
			return false;
		}
		first += WINDOW_RUNS;
	} while (first < total);
	return true;
}

static bool is_continuation(lrd_string block, size_t at)
{
	return at < block.size && ((uint8_t)block.data[at] & 0xc0u) == 0x80u;
}

/// The block is UTF-8 as a whole, so a string is too unless it starts or ends inside a character.
static bool check_characters(const run_walk *walk, lrd_string block)
{
	if (block.size > 0 && memchr(block.data, 0, block.size) != NULL)
	{
		return lrd_layout_fail(walk->cursor, "strings: byte %zu is NUL",
			(size_t)((const char *)memchr(block.data, 0, block.size) - block.data));
	}
	if (!lrd_utf8_valid(block))
	{
		return lrd_layout_fail(walk->cursor, "strings: not UTF-8");
	}
	for (size_t l = 0; l < walk->list_count; l++)
	{
		const lrd_layout_references *list = &walk->lists[l];
		for (uint32_t i = 0; i < list->count; i++)
		{
			run reference = run_at(list, i);
			if (is_continuation(block, reference.offset) ||
				is_continuation(block, (size_t)reference.offset + reference.size))
			{
				return fail_at(walk, list, i, reference, "cuts a UTF-8 character");
			}
		}
	}
	return true;
}

bool lrd_layout_check_texts(
	const lrd_layout_cursor *cursor, lrd_string block, const lrd_layout_references *lists, size_t list_count)
{
	run_walk walk = { cursor, "strings", (const uint8_t *)block.data, block.size, 1, lists, list_count };
	return lrd_layout_check_runs(cursor, "strings", block.data, block.size, 1, lists, list_count) &&
		   check_characters(&walk, block);
}
