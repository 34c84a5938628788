// stream/stream.h: the stream from inside. Not for other rooms.

#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "larder/stream.h"

#include "base/memory.h"

/// Bytes of images of one size and format, level by level.
typedef struct lrd_sizes
{
	uint64_t level_count; ///< wide, so that no byte of a table is padding
	uint64_t image_bytes[LRD_TEXTURE_MAX_LEVELS];
} lrd_sizes;

/// Each table once: so many textures touch little memory.
typedef struct lrd_size_set
{
	lrd_sizes **slots; ///< open addressing; 1 << bits
	uint32_t bits;
	uint32_t used;
} lrd_size_set;

/// The set's own table that equals this one; NULL when memory runs out.
const lrd_sizes *lrd_size_set_add(lrd_size_set *set, lrd_allocator allocator, const lrd_sizes *sizes);
void lrd_size_set_free(lrd_size_set *set, lrd_allocator allocator);

#endif
