// base/zstd_memory.h: zstd's contexts in memory from an lrd_allocator, for the rooms that link zstd; a header alone, so
// that this room needs no library. zstd frees without telling the size, so each block keeps its own.

#ifndef BASE_ZSTD_MEMORY_H
#define BASE_ZSTD_MEMORY_H

#include "base/memory.h"

// ZSTD_create?Ctx_advanced and ZSTD_customMem: called the same since zstd 1.0.
#ifndef ZSTD_STATIC_LINKING_ONLY
#define ZSTD_STATIC_LINKING_ONLY
#endif
#include <zstd.h>

#define LRD_ZSTD_PREFIX LRD_ALLOCATION_ALIGNMENT

static inline void *lrd_zstd_allocate(void *user, size_t size)
{
	size_t total = 0;
	uint8_t *block =
		lrd_add_size(size, LRD_ZSTD_PREFIX, &total) ? lrd_alloc(*(const lrd_allocator *)user, total) : NULL;
	if (block == NULL)
	{
		return NULL;
	}
	memcpy(block, &total, sizeof total);
	return block + LRD_ZSTD_PREFIX;
}

static inline void lrd_zstd_free(void *user, void *address)
{
	if (address != NULL)
	{
		uint8_t *block = (uint8_t *)address - LRD_ZSTD_PREFIX;
		size_t total;
		memcpy(&total, block, sizeof total);
		lrd_free(*(const lrd_allocator *)user, block, total);
	}
}

/// `allocator` must outlive what is made with this.
static inline ZSTD_customMem lrd_zstd_memory(const lrd_allocator *allocator)
{
	return (ZSTD_customMem){ lrd_zstd_allocate, lrd_zstd_free, (void *)(uintptr_t)allocator };
}

#endif
