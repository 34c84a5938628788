// base/arena.c: memory that is freed all at once: a list of blocks, allocated from front to back.

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>

#define DEFAULT_BLOCK_SIZE ((size_t)64 * 1024)

typedef struct arena_block
{
	struct arena_block *next;
	size_t size; // bytes of the allocation, this header included
	size_t used; // bytes from the start of the header; a multiple of LRD_ALLOCATION_ALIGNMENT
} arena_block;

struct lrd_arena
{
	lrd_allocator allocator;
	arena_block *first;   // the arena itself lies in it
	arena_block *current; // small requests are served from here
	size_t block_size;
	size_t total; // bytes of all blocks
};

static size_t header_size(void)
{
	return lrd_align_up(sizeof(arena_block), LRD_ALLOCATION_ALIGNMENT);
}

// Where the first block's free space begins.
static size_t first_block_header(void)
{
	return header_size() + lrd_align_up(sizeof(lrd_arena), LRD_ALLOCATION_ALIGNMENT);
}

static arena_block *new_block(lrd_allocator allocator, size_t size, size_t used)
{
	arena_block *block = lrd_alloc(allocator, size);
	if (block != NULL)
	{
		*block = (arena_block){ .next = NULL, .size = size, .used = used };
	}
	return block;
}

lrd_arena *lrd_arena_create(lrd_allocator allocator, size_t block_size)
{
	size_t header = first_block_header();
	block_size = block_size != 0 ? block_size : DEFAULT_BLOCK_SIZE;
	block_size = block_size > 2 * header ? block_size : 2 * header;
	arena_block *block = new_block(allocator, block_size, header);
	if (block == NULL)
	{
		return NULL;
	}
	lrd_arena *arena = (lrd_arena *)(void *)((char *)block + header_size());
	*arena = (lrd_arena){
		.allocator = allocator, .first = block, .current = block, .block_size = block_size, .total = block_size
	};
	return arena;
}

static void free_blocks(lrd_allocator allocator, arena_block *block)
{
	while (block != NULL)
	{
		arena_block *next = block->next;
		lrd_free(allocator, block, block->size);
		block = next;
	}
}

void lrd_arena_destroy(lrd_arena *arena)
{
	if (arena != NULL)
	{
		free_blocks(arena->allocator, arena->first);
	}
}

void lrd_arena_reset(lrd_arena *arena)
{
	free_blocks(arena->allocator, arena->first->next);
	arena->first->next = NULL;
	arena->first->used = first_block_header();
	arena->current = arena->first;
	arena->total = arena->first->size;
}

static void *take(arena_block *block, size_t size)
{
	void *start = (char *)block + block->used;
	block->used += size;
	return start;
}

// A block for a request that the current one can't serve. A large request gets a block of its own, behind the current
// one, so that what is left there stays in use.
static arena_block *block_for(lrd_arena *arena, size_t size)
{
	size_t needed = 0;
	if (!lrd_add_size(size, header_size(), &needed))
	{
		return NULL;
	}
	bool large = needed > arena->block_size / 2;
	size_t block_size = large ? needed : arena->block_size;
	arena_block *block = new_block(arena->allocator, block_size, header_size());
	if (block == NULL)
	{
		return NULL;
	}
	block->next = arena->current->next;
	arena->current->next = block;
	arena->current = large ? arena->current : block;
	arena->total += block_size;
	return block;
}

void *lrd_arena_alloc(lrd_arena *arena, size_t size)
{
	if (size > SIZE_MAX - LRD_ALLOCATION_ALIGNMENT)
	{
		return NULL;
	}
	size = lrd_align_up(size != 0 ? size : 1, LRD_ALLOCATION_ALIGNMENT);
	arena_block *block = arena->current;
	if (size > block->size - block->used)
	{
		block = block_for(arena, size);
	}
	return block != NULL ? take(block, size) : NULL;
}

void *lrd_arena_zeroed(lrd_arena *arena, size_t count, size_t size)
{
	size_t bytes = 0;
	if (!lrd_mul_size(count, size, &bytes))
	{
		return NULL;
	}
	void *start = lrd_arena_alloc(arena, bytes);
	return start != NULL ? memset(start, 0, bytes) : NULL;
}

lrd_string lrd_arena_string(lrd_arena *arena, lrd_string text)
{
	size_t bytes = 0;
	char *copy = lrd_add_size(text.size, 1, &bytes) ? lrd_arena_alloc(arena, bytes) : NULL;
	if (copy == NULL)
	{
		return (lrd_string){ NULL, 0 };
	}
	if (text.size != 0)
	{
		memcpy(copy, text.data, text.size);
	}
	copy[text.size] = '\0';
	return (lrd_string){ copy, text.size };
}

lrd_string lrd_arena_printf(lrd_arena *arena, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	char *text = size >= 0 ? lrd_arena_alloc(arena, (size_t)size + 1) : NULL;
	if (text == NULL)
	{
		return (lrd_string){ NULL, 0 };
	}
	va_start(arguments, format);
	(void)vsnprintf(text, (size_t)size + 1, format, arguments);
	va_end(arguments);
	return (lrd_string){ text, (size_t)size };
}

size_t lrd_arena_size(const lrd_arena *arena)
{
	return arena->total;
}

lrd_allocator lrd_arena_allocator(const lrd_arena *arena)
{
	return arena->allocator;
}
