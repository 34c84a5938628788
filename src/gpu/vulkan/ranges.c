// gpu/vulkan/ranges.c: a block's ranges are a list in the order of their bytes, in which no two free ones are neighbours; the
// free ones are in a list of their own, too. Best fit: it keeps large ranges whole for large images.

#include "gpu/vulkan/ranges.h"

#define SLAB_RANGES 64

typedef struct lrd_range_slab
{
	struct lrd_range_slab *next;
	lrd_range ranges[SLAB_RANGES];
} lrd_range_slab;

static void put_spare(lrd_range_pool *pool, lrd_range *range)
{
	range->free_after = pool->spare;
	pool->spare = range;
	++pool->spare_count;
}

static lrd_range *get_spare(lrd_range_pool *pool)
{
	lrd_range *range = pool->spare;
	pool->spare = range->free_after;
	--pool->spare_count;
	*range = (lrd_range){ 0 };
	return range;
}

bool lrd_range_pool_reserve(lrd_range_pool *pool, uint32_t count)
{
	while (pool->spare_count < count)
	{
		lrd_range_slab *slab = lrd_alloc(pool->allocator, sizeof *slab);
		if (slab == NULL)
		{
			return false;
		}
		slab->next = pool->slabs;
		pool->slabs = slab;
		for (size_t i = 0; i < SLAB_RANGES; ++i)
		{
			put_spare(pool, &slab->ranges[i]);
		}
	}
	return true;
}

void lrd_range_pool_free(lrd_range_pool *pool)
{
	while (pool->slabs != NULL)
	{
		lrd_range_slab *slab = pool->slabs;
		pool->slabs = slab->next;
		lrd_free(pool->allocator, slab, sizeof *slab);
	}
	*pool = (lrd_range_pool){ pool->allocator, NULL, NULL, 0 };
}

static void link_free(lrd_ranges *ranges, lrd_range *range)
{
	range->taken = false;
	range->free_before = NULL;
	range->free_after = ranges->free;
	if (ranges->free != NULL)
	{
		ranges->free->free_before = range;
	}
	ranges->free = range;
}

static void unlink_free(lrd_ranges *ranges, lrd_range *range)
{
	if (range->free_before != NULL)
	{
		range->free_before->free_after = range->free_after;
	}
	else
	{
		ranges->free = range->free_after;
	}
	if (range->free_after != NULL)
	{
		range->free_after->free_before = range->free_before;
	}
	range->free_before = NULL;
	range->free_after = NULL;
}

void lrd_ranges_init(lrd_ranges *ranges, uint64_t size, lrd_range_pool *pool)
{
	*ranges = (lrd_ranges){ .size = size };
	ranges->first = get_spare(pool);
	ranges->first->size = size;
	link_free(ranges, ranges->first);
}

/// The first `size` bytes of a free range become one of their own, linked as free as well.
static void split(lrd_ranges *ranges, lrd_range *range, uint64_t size, lrd_range_pool *pool)
{
	lrd_range *rest = get_spare(pool);
	rest->offset = range->offset + size;
	rest->size = range->size - size;
	range->size = size;
	rest->before = range;
	rest->after = range->after;
	if (rest->after != NULL)
	{
		rest->after->before = rest;
	}
	range->after = rest;
	link_free(ranges, rest);
}

static uint64_t padding_before(const lrd_range *range, uint64_t alignment)
{
	return (alignment - (range->offset & (alignment - 1))) & (alignment - 1);
}

lrd_range *lrd_ranges_take(lrd_ranges *ranges, uint64_t size, uint64_t alignment, lrd_range_pool *pool)
{
	lrd_range *best = NULL;
	for (lrd_range *range = ranges->free; range != NULL; range = range->free_after)
	{
		uint64_t padding = padding_before(range, alignment);
		bool holds = range->size >= padding && range->size - padding >= size;
		if (holds && (best == NULL || range->size < best->size))
		{
			best = range;
		}
	}
	if (best == NULL)
	{
		return NULL;
	}
	uint64_t padding = padding_before(best, alignment);
	if (padding != 0)
	{
		split(ranges, best, padding, pool);
		best = best->after;
	}
	if (best->size > size)
	{
		split(ranges, best, size, pool);
	}
	unlink_free(ranges, best);
	best->taken = true;
	ranges->taken += size;
	return best;
}

/// `range` takes in its right neighbour, which is free.
static void take_in_right(lrd_ranges *ranges, lrd_range *range, lrd_range_pool *pool)
{
	lrd_range *right = range->after;
	unlink_free(ranges, right);
	range->size += right->size;
	range->after = right->after;
	if (right->after != NULL)
	{
		right->after->before = range;
	}
	put_spare(pool, right);
}

void lrd_ranges_give(lrd_ranges *ranges, lrd_range *range, lrd_range_pool *pool)
{
	ranges->taken -= range->size;
	link_free(ranges, range);
	if (range->after != NULL && !range->after->taken)
	{
		take_in_right(ranges, range, pool);
	}
	if (range->before != NULL && !range->before->taken)
	{
		take_in_right(ranges, range->before, pool);
	}
}

void lrd_ranges_free(lrd_ranges *ranges, lrd_range_pool *pool)
{
	for (lrd_range *range = ranges->first; range != NULL;)
	{
		lrd_range *after = range->after;
		put_spare(pool, range);
		range = after;
	}
	*ranges = (lrd_ranges){ 0 };
}
