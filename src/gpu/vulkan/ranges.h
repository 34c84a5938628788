// gpu/vulkan/ranges.h: who has which bytes of a block. Plain arithmetic: nothing of Vulkan.

#ifndef GPU_VULKAN_RANGES_H
#define GPU_VULKAN_RANGES_H

#include "base/memory.h"

/// A piece of a block, taken or free.
typedef struct lrd_range
{
	uint64_t offset;
	uint64_t size;
	struct lrd_range *before; // neighbours in the block
	struct lrd_range *after;
	struct lrd_range *free_before; // among the block's free ones
	struct lrd_range *free_after;
	bool taken;
} lrd_range;

/// Where ranges come from, for all blocks of a device: giving one back never needs memory.
typedef struct lrd_range_pool
{
	lrd_allocator allocator;
	struct lrd_range_slab *slabs;
	lrd_range *spare; // by free_after
	uint32_t spare_count;
} lrd_range_pool;

typedef struct lrd_ranges
{
	uint64_t size;
	uint64_t taken;
	lrd_range *first;
	lrd_range *free;
} lrd_ranges;

/// Have at least `count` ranges spare. False: no memory.
bool lrd_range_pool_reserve(lrd_range_pool *pool, uint32_t count);
/// Every range is gone then.
void lrd_range_pool_free(lrd_range_pool *pool);

/// What lrd_ranges_init and lrd_ranges_take need spare at most.
#define LRD_RANGES_SPARE 2

/// One free range.
void lrd_ranges_init(lrd_ranges *ranges, uint64_t size, lrd_range_pool *pool);
/// `size` bytes, 1 and up, at a multiple of `alignment`, a power of two: of the free ranges the smallest that holds it. NULL: none does.
lrd_range *lrd_ranges_take(lrd_ranges *ranges, uint64_t size, uint64_t alignment, lrd_range_pool *pool);
void lrd_ranges_give(lrd_ranges *ranges, lrd_range *range, lrd_range_pool *pool);
/// Back to the pool with all of them.
void lrd_ranges_free(lrd_ranges *ranges, lrd_range_pool *pool);

#endif
