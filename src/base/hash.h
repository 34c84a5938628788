// base/hash.h: hashes the run time needs. FNV-1a (Fowler, Noll, Vo; IETF draft-eastlake-fnv) indexes names, XXH3-64
// (xxHash specification, "XXH3 Algorithm Overview") guards tables. Digests of contents are in base/digest.h.

#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "larder/base.h"

uint32_t lrd_fnv1a_32(lrd_string text);
uint64_t lrd_fnv1a_64(lrd_string text);
/// FNV-1a 64 of the text with ASCII letters lowered.
uint64_t lrd_fnv1a_64_folded(lrd_string text);

/// XXH3-64, seed 0, default secret.
uint64_t lrd_xxh3_64(const void *data, size_t size);

/// XXH3-64 of several runs of bytes taken as one.
typedef struct lrd_xxh3_state lrd_xxh3_state;
struct lrd_xxh3_state
{
	uint64_t lanes[8];
	uint8_t buffer[256];
	size_t buffered;
	size_t stripes; ///< of the current block
	uint64_t total;
};
void lrd_xxh3_begin(lrd_xxh3_state *state);
void lrd_xxh3_update(lrd_xxh3_state *state, const void *data, size_t size);
uint64_t lrd_xxh3_end(const lrd_xxh3_state *state);

#endif
