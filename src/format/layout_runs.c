// References into shared blocks: strings, and key times that channels share. The check is exact: what was written by our writers is the
// only thing that passes, so a file that opens is written again byte for byte. Whether runs are equal is told by a merge sort,
// which no contents make slower than n log n; a hash table could be made to collide, and the slices of a fixed size that need no
// memory are n^2 of a file's names.

#include "format/layout.h"

#include "base/error.h"
#include "base/maths.h"
#include "base/memory.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdio.h>

#define STACK_RUNS 1024u // distinct runs that are compared without allocating

/// The walk over every reference.
typedef struct run_walk
{
	const lrd_layout_cursor *cursor;
	lrd_layout_runs *runs;
} run_walk;

/// A distinct run, and a number from its contents that two different ones seldom share.
typedef struct run
{
	uint32_t offset, size, key;
} run;

static run run_at(const lrd_layout_references *list, uint32_t index)
{
	const uint8_t *record = (const uint8_t *)list->records + (size_t)index * list->stride;
	run reference = { 0 };
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
		reference.offset, reference.size, walk->runs->block_name, walk->runs->block_count, reason);
}

/// Each is empty, or the next in the block, or lies in what came before. `distinct`: how many were the next.
static bool check_order(const run_walk *walk, size_t *distinct)
{
	const lrd_layout_runs *runs = walk->runs;
	uint64_t used = 0;
	*distinct = 0;
	for (size_t l = 0; l < runs->list_count; l++)
	{
		const lrd_layout_references *list = &runs->lists[l];
		walk->runs->steps += list->count;
		for (uint32_t i = 0; i < list->count; i++)
		{
			run reference = run_at(list, i);
			uint64_t end = (uint64_t)reference.offset + reference.size;
			if (end > runs->block_count)
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
				++*distinct;
			}
			else if (end > used)
			{
				return fail_at(walk, list, i, reference, "neither one that came before nor the next in the block");
			}
		}
	}
	if (used != runs->block_count)
	{
		return lrd_layout_fail(
			walk->cursor, "%s: %" PRIu64 " of %" PRIu64 " are referred to", runs->block_name, used, runs->block_count);
	}
	return true;
}

static uint32_t key_of(const run_walk *walk, run reference)
{
	const lrd_layout_runs *runs = walk->runs;
	const uint8_t *bytes = (const uint8_t *)runs->block + (size_t)reference.offset * runs->element_size;
	size_t size = (size_t)reference.size * runs->element_size;
	walk->runs->steps += size;
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
	return (uint32_t)(hash * 0x9e3779b97f4a7c15u >> 32);
}

/// Any order in which equal ones compare equal. Costs no more than the shorter one's bytes, so that a merge costs no more than those
/// of what it merges, whatever is in them.
static int compare_runs(const run_walk *walk, const run *a, const run *b)
{
	const lrd_layout_runs *runs = walk->runs;
	walk->runs->steps++;
	if (a->key != b->key || a->size != b->size)
	{
		return a->key < b->key || (a->key == b->key && a->size < b->size) ? -1 : 1;
	}
	size_t size = (size_t)a->size * runs->element_size;
	walk->runs->steps += size;
	const uint8_t *block = runs->block;
	return memcmp(block + (size_t)a->offset * runs->element_size, block + (size_t)b->offset * runs->element_size, size);
}

/// Two sorted neighbours into one; of equal runs the earlier comes first.
static void merge(const run_walk *walk, const run *from, size_t middle, size_t count, run *to)
{
	size_t left = 0, right = middle;
	for (size_t i = 0; i < count; i++)
	{
		bool takes_left = right == count || (left < middle && compare_runs(walk, &from[left], &from[right]) <= 0);
		to[i] = takes_left ? from[left++] : from[right++];
	}
}

/// Sorts by contents. Returns which of the two arrays has the result.
static run *sort_runs(const run_walk *walk, run *runs, run *spare, size_t count)
{
	for (size_t width = 1; width < count; width *= 2)
	{
		for (size_t first = 0; first < count; first += width * 2)
		{
			size_t rest = count - first;
			size_t both = rest < width * 2 ? rest : width * 2;
			merge(walk, runs + first, rest < width ? rest : width, both, spare + first);
		}
		run *sorted = spare;
		spare = runs;
		runs = sorted;
	}
	return runs;
}

/// Whether the runs, which ascend, have exactly this one.
static bool has_run(const run_walk *walk, const run *runs, size_t count, run reference)
{
	size_t low = 0;
	for (size_t high = count; high - low > 1; walk->runs->steps++)
	{
		size_t middle = low + (high - low) / 2;
		if (runs[middle].offset <= reference.offset)
		{
			low = middle;
		}
		else
		{
			high = middle;
		}
	}
	return runs[low].offset == reference.offset && runs[low].size == reference.size;
}

/// Lists the distinct runs in the order of the block; every other reference is one of them.
static bool collect_runs(const run_walk *walk, run *runs)
{
	size_t count = 0;
	uint64_t used = 0;
	for (size_t l = 0; l < walk->runs->list_count; l++)
	{
		const lrd_layout_references *list = &walk->runs->lists[l];
		walk->runs->steps += list->count;
		for (uint32_t i = 0; i < list->count; i++)
		{
			run reference = run_at(list, i);
			if (reference.size != 0 && reference.offset == used)
			{
				used += reference.size;
				reference.key = key_of(walk, reference);
				runs[count++] = reference;
			}
			else if (reference.size != 0 && !has_run(walk, runs, count, reference))
			{
				return fail_at(walk, list, i, reference, "is a piece of earlier ones");
			}
		}
	}
	return true;
}

static bool fail_equal(const run_walk *walk, uint32_t offset)
{
	for (size_t l = 0; l < walk->runs->list_count; l++)
	{
		const lrd_layout_references *list = &walk->runs->lists[l];
		for (uint32_t i = 0; i < list->count; i++)
		{
			run reference = run_at(list, i);
			if (reference.offset == offset && reference.size != 0)
			{
				return fail_at(walk, list, i, reference, "equals an earlier one; each is stored once");
			}
		}
	}
	return false;
}

/// `runs` and `spare` have room for `count`.
static bool check_distinct(const run_walk *walk, run *runs, run *spare, size_t count)
{
	if (!collect_runs(walk, runs))
	{
		return false;
	}
	const run *sorted = sort_runs(walk, runs, spare, count);
	uint32_t first = UINT32_MAX; // no run begins there
	for (size_t i = 1; i < count; i++)
	{
		bool equal = compare_runs(walk, &sorted[i - 1], &sorted[i]) == 0;
		first = equal && sorted[i].offset < first ? sorted[i].offset : first;
	}
	return first == UINT32_MAX || fail_equal(walk, first);
}

bool lrd_layout_check_runs(const lrd_layout_cursor *cursor, lrd_layout_runs *runs)
{
	run_walk walk = { cursor, runs };
	size_t count;
	if (!check_order(&walk, &count))
	{
		return false;
	}
	if (count <= STACK_RUNS)
	{
		run few[STACK_RUNS * 2];
		return check_distinct(&walk, few, few + STACK_RUNS, count);
	}
	// No overflow: each has a reference, which is in memory.
	size_t bytes = count * 2 * sizeof(run);
	run *many = lrd_alloc(runs->allocator, bytes);
	if (many == NULL)
	{
		return lrd_fail_memory(cursor->error, "the strings of a file, to compare them", bytes);
	}
	bool good = check_distinct(&walk, many, many + count, count);
	lrd_free(runs->allocator, many, bytes);
	return good;
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
	for (size_t l = 0; l < walk->runs->list_count; l++)
	{
		const lrd_layout_references *list = &walk->runs->lists[l];
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
	lrd_layout_runs runs = { "strings", block.data, block.size, 1, lists, list_count, { 0 }, 0 };
	run_walk walk = { cursor, &runs };
	return lrd_layout_check_runs(cursor, &runs) && check_characters(&walk, block);
}
