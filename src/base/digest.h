// base/digest.h: digests of contents, by libraries. Cook half.

#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "larder/base.h"

/// XXH3-128 (libxxhash): tells contents apart.
typedef struct lrd_hash128
{
	uint64_t low, high;
} lrd_hash128;

static inline bool lrd_hash128_equal(lrd_hash128 a, lrd_hash128 b)
{
	return a.low == b.low && a.high == b.high;
}

lrd_hash128 lrd_xxh3_128(const void *data, size_t size);

/// SHA-256 (libcrypto): proves contents. False when the library refuses (out of memory).
bool lrd_sha256(const void *data, size_t size, uint8_t digest[32]);

/// 32 lower-case hexadecimal digits, high half first, and a terminator.
void lrd_hash128_text(lrd_hash128 hash, char text[33]);
/// 64 lower-case hexadecimal digits and a terminator.
void lrd_sha256_text(const uint8_t digest[32], char text[65]);

#endif
