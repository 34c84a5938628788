// base/digest.c: digests of contents, by libxxhash and libcrypto.

#include "base/digest.h"

#include <openssl/evp.h>
#include <xxhash.h>

lrd_hash128 lrd_xxh3_128(const void *data, size_t size)
{
	XXH128_hash_t hash = XXH3_128bits(data, size);
	return (lrd_hash128){ .low = hash.low64, .high = hash.high64 };
}

bool lrd_sha256(const void *data, size_t size, uint8_t digest[32])
{
	return EVP_Digest(data, size, digest, NULL, EVP_sha256(), NULL) == 1;
}

static const char digits[] = "0123456789abcdef";

static void write_u64(uint64_t value, char text[16])
{
	for (int i = 0; i < 16; i++)
	{
		text[i] = digits[(value >> (60 - 4 * i)) & 15];
	}
}

void lrd_hash128_text(lrd_hash128 hash, char text[33])
{
	write_u64(hash.high, text);
	write_u64(hash.low, text + 16);
	text[32] = '\0';
}

void lrd_sha256_text(const uint8_t digest[32], char text[65])
{
	for (int i = 0; i < 32; i++)
	{
		text[2 * i] = digits[digest[i] >> 4];
		text[2 * i + 1] = digits[digest[i] & 15];
	}
	text[64] = '\0';
}
