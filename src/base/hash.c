// base/hash.c: FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv, sections 2 and 5). XXH3 is in xxh3.c.

#include "base/hash.h"

#define FNV_OFFSET_32 0x811C9DC5u
#define FNV_PRIME_32 0x01000193u
#define FNV_OFFSET_64 0xCBF29CE484222325u
#define FNV_PRIME_64 0x00000100000001B3u

uint32_t lrd_fnv1a_32(lrd_string text)
{
	uint32_t hash = FNV_OFFSET_32;
	for (size_t i = 0; i < text.size; i++)
	{
		hash = (hash ^ (uint8_t)text.data[i]) * FNV_PRIME_32;
	}
	return hash;
}

uint64_t lrd_fnv1a_64(lrd_string text)
{
	uint64_t hash = FNV_OFFSET_64;
	for (size_t i = 0; i < text.size; i++)
	{
		hash = (hash ^ (uint8_t)text.data[i]) * FNV_PRIME_64;
	}
	return hash;
}

uint64_t lrd_fnv1a_64_folded(lrd_string text)
{
	uint64_t hash = FNV_OFFSET_64;
	for (size_t i = 0; i < text.size; i++)
	{
		uint8_t c = (uint8_t)text.data[i];
		c = c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
		hash = (hash ^ c) * FNV_PRIME_64;
	}
	return hash;
}
