// Memory for codec libraries whose hooks carry neither a user pointer nor old sizes. The allocator in force is a
// thread-local that is set for the length of one library call: no state outlives it, and decoders on other threads have
// their own.

#include "image/codec.h"

static _Thread_local lrd_codec_memory *current;

// In front of each block; as large as the alignment that allocators owe, so that the block keeps it.
typedef struct block_header
{
	_Alignas(LRD_ALLOCATION_ALIGNMENT) size_t size; // with the header
} block_header;

void lrd_codec_memory_enter(lrd_codec_memory *memory, lrd_allocator allocator)
{
	*memory = (lrd_codec_memory){ .allocator = allocator, .outer = current };
	current = memory;
}

void lrd_codec_memory_leave(lrd_codec_memory *memory)
{
	current = memory->outer;
}

void *lrd_codec_malloc(size_t size)
{
	return lrd_codec_realloc(NULL, size);
}

void *lrd_codec_calloc(size_t count, size_t size)
{
	size_t total;
	if (!lrd_mul_size(count, size, &total))
	{
		current->failed = true;
		return NULL;
	}
	void *block = lrd_codec_realloc(NULL, total);
	return block != NULL ? memset(block, 0, total) : NULL;
}

void *lrd_codec_realloc(void *block, size_t size)
{
	block_header *header = block != NULL ? (block_header *)block - 1 : NULL;
	size_t total;
	block_header *resized = NULL;
	if (lrd_add_size(size, sizeof *header, &total))
	{
		resized = lrd_realloc(current->allocator, header, header != NULL ? header->size : 0, total);
	}
	if (resized == NULL)
	{
		current->failed = true;
		return NULL;
	}
	resized->size = total;
	return resized + 1;
}

void lrd_codec_free(void *block)
{
	if (block != NULL)
	{
		block_header *header = (block_header *)block - 1;
		lrd_free(current->allocator, header, header->size);
	}
}
