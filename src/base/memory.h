// base/memory.h: allocation through lrd_allocator, growing arrays, overflow-checked sizes, and the arena.

#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "larder/base.h"

#include <string.h>

/// malloc as an allocator; what a zeroed lrd_allocator means.
lrd_allocator lrd_allocator_or_default(lrd_allocator allocator);

/// `size` bytes, uninitialised; NULL when memory runs out or size is 0. The allocator may be zeroed.
void *lrd_alloc(lrd_allocator allocator, size_t size);

/// count * size bytes, zeroed; NULL when memory runs out, the product overflows, or it is 0.
void *lrd_alloc_zeroed(lrd_allocator allocator, size_t count, size_t size);

/// Resize as lrd_allocator says.
void *lrd_realloc(lrd_allocator allocator, void *block, size_t old_size, size_t new_size);

/// Free `size` bytes; NULL is allowed.
void lrd_free(lrd_allocator allocator, void *block, size_t size);

/// a + b and a * b; false when the result does not fit.
static inline bool lrd_add_size(size_t a, size_t b, size_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}
static inline bool lrd_mul_size(size_t a, size_t b, size_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

/// `value` rounded up to a multiple of `alignment`, a power of two; value must leave room.
static inline size_t lrd_align_up(size_t value, size_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

/// Make room for `count` more elements of a growing array, by half again; false when memory runs out, and then nothing
/// changed. `items` is a `T *` lvalue, `capacity` a size_t lvalue, both counted in elements.
#define LRD_RESERVE(allocator, items, count_used, count_more, capacity)                                                \
	lrd_array_reserve((allocator), (void **)&(items), sizeof *(items), (count_used), (count_more), &(capacity))
bool lrd_array_reserve(
	lrd_allocator allocator, void **items, size_t item_size, size_t used, size_t more, size_t *capacity);

/// Append to a buffer; false when memory runs out, and then nothing changed.
bool lrd_buffer_append(lrd_buffer *buffer, const void *data, size_t size);
/// Append `size` zeroed bytes; returns where they start, or NULL.
uint8_t *lrd_buffer_extend(lrd_buffer *buffer, size_t size);
/// Append zeros up to a multiple of `alignment`.
bool lrd_buffer_align(lrd_buffer *buffer, size_t alignment);
/// Append formatted text, without a terminator.
bool lrd_buffer_printf(lrd_buffer *buffer, const char *format, ...) LRD_PRINTF(2, 3);

/// Memory that is freed all at once. Not for several threads at a time.
typedef struct lrd_arena lrd_arena;

/// NULL when memory runs out. The arena itself lives in its first block. `block_size` 0: 64 KiB.
lrd_arena *lrd_arena_create(lrd_allocator allocator, size_t block_size);
void lrd_arena_destroy(lrd_arena *arena);
/// `size` bytes aligned to 16, uninitialised; NULL when memory runs out. A size of 0 gives a valid pointer.
void *lrd_arena_alloc(lrd_arena *arena, size_t size);
/// count * size zeroed bytes; NULL when memory runs out or the product overflows.
void *lrd_arena_zeroed(lrd_arena *arena, size_t count, size_t size);
/// A copy, null-terminated for convenience; data is NULL when memory runs out.
lrd_string lrd_arena_string(lrd_arena *arena, lrd_string text);
/// printf into the arena; data is NULL when memory runs out.
lrd_string lrd_arena_printf(lrd_arena *arena, const char *format, ...) LRD_PRINTF(2, 3);
/// Bytes of all blocks.
size_t lrd_arena_size(const lrd_arena *arena);
/// Where its blocks come from: for temporaries that should go before the arena does.
lrd_allocator lrd_arena_allocator(const lrd_arena *arena);
/// Free everything but the first block.
void lrd_arena_reset(lrd_arena *arena);

#define LRD_ARENA_NEW(arena, type) ((type *)lrd_arena_zeroed((arena), 1, sizeof(type)))
#define LRD_ARENA_ARRAY(arena, type, count) ((type *)lrd_arena_zeroed((arena), (count), sizeof(type)))

#endif
