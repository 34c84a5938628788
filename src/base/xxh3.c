// base/xxh3.c: XXH3-64 with seed 0 and the default secret, at once and in pieces.
// Written from the xxHash specification (doc/xxhash_spec.md, version 0.2.0, "XXH3 Algorithm Overview"); section names
// below are its.

#include "base/hash.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define P32_1 0x9E3779B1u
#define P32_2 0x85EBCA77u
#define P32_3 0xC2B2AE3Du
#define P64_1 0x9E3779B185EBCA87u
#define P64_2 0xC2B2AE3D27D4EB4Fu
#define P64_3 0x165667B19E3779F9u
#define P64_4 0x85EBCA77C2B2AE63u
#define P64_5 0x27D4EB2F165667C5u
#define PRIME_MX1 0x165667919E3779F9u
#define PRIME_MX2 0x9FB21C651E98DF25u

#define SECRET_SIZE 192
#define STRIPE_SIZE 64
#define LANES 8
#define SECRET_STEP 8                                             // the secret moves on by this much a stripe
#define BLOCK_STRIPES ((SECRET_SIZE - STRIPE_SIZE) / SECRET_STEP) // 16: after these, the lanes are scrambled
#define LONGEST_MEDIUM 240

// "Default secret"
static const uint8_t secret[SECRET_SIZE] = {
	0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, //
	0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, //
	0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, //
	0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, //
	0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, //
	0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, //
	0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, //
	0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, //
	0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb, //
	0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, //
	0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, //
	0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e, //
};

static inline uint32_t load32(const uint8_t *at)
{
	uint32_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

static inline uint64_t load64(const uint8_t *at)
{
	uint64_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

static inline uint64_t rotate_left(uint64_t value, int by)
{
	return (value << by) | (value >> (64 - by));
}

// The 128-bit product, its halves xored.
static inline uint64_t multiply_fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 u128;
	u128 product = (u128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t avalanche(uint64_t x)
{
	x ^= x >> 37;
	x *= PRIME_MX1;
	return x ^ (x >> 32);
}

static inline uint64_t avalanche_xxh64(uint64_t x)
{
	x ^= x >> 33;
	x *= P64_2;
	x ^= x >> 29;
	x *= P64_3;
	return x ^ (x >> 32);
}

// "Small inputs": 0, 1-3, 4-8, 9-16 bytes.
static uint64_t hash_small(const uint8_t *data, size_t size)
{
	if (size == 0)
	{
		return avalanche_xxh64(load64(secret + 56) ^ load64(secret + 64));
	}
	if (size <= 3)
	{
		uint32_t combined =
			(uint32_t)data[size - 1] | (uint32_t)size << 8 | (uint32_t)data[0] << 16 | (uint32_t)data[size >> 1] << 24;
		return avalanche_xxh64((uint64_t)(combined ^ load32(secret) ^ load32(secret + 4)));
	}
	if (size <= 8)
	{
		uint64_t combined = (uint64_t)load32(data) << 32 | load32(data + size - 4);
		uint64_t x = combined ^ load64(secret + 8) ^ load64(secret + 16);
		x ^= rotate_left(x, 49) ^ rotate_left(x, 24);
		x *= PRIME_MX2;
		x ^= (x >> 35) + size;
		x *= PRIME_MX2;
		return x ^ (x >> 28);
	}
	uint64_t low = load64(data) ^ load64(secret + 24) ^ load64(secret + 32);
	uint64_t high = load64(data + size - 8) ^ load64(secret + 40) ^ load64(secret + 48);
	return avalanche(size + __builtin_bswap64(low) + high + multiply_fold(low, high));
}

static inline uint64_t mix16(const uint8_t *data, const uint8_t *key)
{
	return multiply_fold(load64(data) ^ load64(key), load64(data + 8) ^ load64(key + 8));
}

// "Medium inputs": 17-128 bytes, from both ends towards the middle.
static uint64_t hash_to_128(const uint8_t *data, size_t size)
{
	uint64_t sum = size * P64_1;
	for (size_t i = 0; i <= (size - 1) / 32; i++)
	{
		sum += mix16(data + 16 * i, secret + 32 * i);
		sum += mix16(data + size - 16 * (i + 1), secret + 32 * i + 16);
	}
	return avalanche(sum);
}

// "Medium inputs": 129-240 bytes.
static uint64_t hash_to_240(const uint8_t *data, size_t size)
{
	uint64_t sum = size * P64_1;
	for (size_t i = 0; i < 8; i++)
	{
		sum += mix16(data + 16 * i, secret + 16 * i);
	}
	sum = avalanche(sum);
	for (size_t i = 8; i < size / 16; i++)
	{
		sum += mix16(data + 16 * i, secret + 16 * (i - 8) + 3);
	}
	sum += mix16(data + size - 16, secret + 136 - 17);
	return avalanche(sum);
}

static uint64_t hash_short(const uint8_t *data, size_t size)
{
	if (size <= 16)
	{
		return hash_small(data, size);
	}
	return size <= 128 ? hash_to_128(data, size) : hash_to_240(data, size);
}

// Two lanes at a time: every 64-bit target has vectors of 16 bytes, and that is fast enough not to ask for wider ones.
typedef uint64_t u64x2 __attribute__((vector_size(16)));

#define VECTORS (LANES / 2)

static inline u64x2 load_vector(const uint8_t *at)
{
	u64x2 value;
	memcpy(&value, at, sizeof value);
	return value;
}

// The low 32 bits of each lane, multiplied to 64.
static inline u64x2 multiply_low(u64x2 a, u64x2 b)
{
#if defined(__SSE2__)
	return (u64x2)_mm_mul_epu32((__m128i)a, (__m128i)b); // gcc does not find this instruction by itself
#else
	return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}

// "Large inputs": accumulation of one stripe. Each lane also gets its neighbour's input.
static inline void accumulate(u64x2 lanes[VECTORS], const uint8_t *data, const uint8_t *key)
{
#pragma GCC unroll 4
	for (int i = 0; i < VECTORS; i++)
	{
		u64x2 value = load_vector(data + 16 * i);
		u64x2 mixed = value ^ load_vector(key + 16 * i);
		lanes[i] += __builtin_shufflevector(value, value, 1, 0);
		lanes[i] += multiply_low(mixed, mixed >> 32);
	}
}

static inline void scramble(u64x2 lanes[VECTORS])
{
#pragma GCC unroll 4
	for (int i = 0; i < VECTORS; i++)
	{
		u64x2 x = lanes[i];
		x ^= x >> 47;
		x ^= load_vector(secret + SECRET_SIZE - STRIPE_SIZE + 16 * i);
		lanes[i] = x * (uint64_t)P32_1;
	}
}

// Takes in whole stripes, each of which must be followed by at least a byte more. Returns the stripes now in the
// current block.
static size_t consume(uint64_t *lanes, size_t stripes_before, const uint8_t *data, size_t stripes)
{
	u64x2 vectors[VECTORS];
	memcpy(vectors, lanes, sizeof vectors);
	size_t in_block = stripes_before;
	for (size_t i = 0; i < stripes; i++)
	{
		accumulate(vectors, data + STRIPE_SIZE * i, secret + SECRET_STEP * in_block);
		in_block++;
		if (in_block == BLOCK_STRIPES)
		{
			scramble(vectors);
			in_block = 0;
		}
	}
	memcpy(lanes, vectors, sizeof vectors);
	return in_block;
}

static void begin_lanes(uint64_t *lanes)
{
	static const uint64_t start[LANES] = { P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1 };
	memcpy(lanes, start, sizeof start);
}

// The last stripe (which may overlap the one before) and "Finalization".
static uint64_t end_lanes(uint64_t *lanes, const uint8_t *last_stripe, uint64_t total)
{
	u64x2 vectors[VECTORS];
	memcpy(vectors, lanes, sizeof vectors);
	accumulate(vectors, last_stripe, secret + SECRET_SIZE - STRIPE_SIZE - 7);
	memcpy(lanes, vectors, sizeof vectors);
	uint64_t sum = total * P64_1;
	for (int i = 0; i < 4; i++)
	{
		const uint8_t *key = secret + 11 + 16 * i;
		sum += multiply_fold(lanes[2 * i] ^ load64(key), lanes[2 * i + 1] ^ load64(key + 8));
	}
	return avalanche(sum);
}

uint64_t lrd_xxh3_64(const void *data, size_t size)
{
	const uint8_t *bytes = data;
	if (size <= LONGEST_MEDIUM)
	{
		return hash_short(bytes, size);
	}
	uint64_t lanes[LANES];
	begin_lanes(lanes);
	consume(lanes, 0, bytes, (size - 1) / STRIPE_SIZE);
	return end_lanes(lanes, bytes + size - STRIPE_SIZE, size);
}

void lrd_xxh3_begin(lrd_xxh3_state *state)
{
	*state = (lrd_xxh3_state){ 0 };
	begin_lanes(state->lanes);
}

void lrd_xxh3_update(lrd_xxh3_state *state, const void *data, size_t size)
{
	if (size == 0)
	{
		return;
	}
	const uint8_t *bytes = data;
	state->total += size;
	size_t space = sizeof state->buffer - state->buffered;
	if (size <= space)
	{
		memcpy(state->buffer + state->buffered, bytes, size);
		state->buffered += size;
		return;
	}
	if (state->buffered != 0)
	{
		memcpy(state->buffer + state->buffered, bytes, space);
		bytes += space;
		size -= space;
		state->stripes = consume(state->lanes, state->stripes, state->buffer, sizeof state->buffer / STRIPE_SIZE);
	}
	if (size > sizeof state->buffer)
	{
		size_t stripes = (size - 1) / STRIPE_SIZE;
		state->stripes = consume(state->lanes, state->stripes, bytes, stripes);
		bytes += stripes * STRIPE_SIZE;
		size -= stripes * STRIPE_SIZE;
		// The end of what was taken in: the last stripe may reach back into it.
		memcpy(state->buffer + sizeof state->buffer - STRIPE_SIZE, bytes - STRIPE_SIZE, STRIPE_SIZE);
	}
	memcpy(state->buffer, bytes, size);
	state->buffered = size;
}

uint64_t lrd_xxh3_end(const lrd_xxh3_state *state)
{
	if (state->total <= LONGEST_MEDIUM)
	{
		return hash_short(state->buffer, (size_t)state->total);
	}
	uint64_t lanes[LANES];
	memcpy(lanes, state->lanes, sizeof lanes);
	if (state->buffered >= STRIPE_SIZE)
	{
		consume(lanes, state->stripes, state->buffer, (state->buffered - 1) / STRIPE_SIZE);
		return end_lanes(lanes, state->buffer + state->buffered - STRIPE_SIZE, state->total);
	}
	uint8_t last[STRIPE_SIZE];
	size_t before = STRIPE_SIZE - state->buffered;
	memcpy(last, state->buffer + sizeof state->buffer - before, before);
	memcpy(last + before, state->buffer, state->buffered);
	return end_lanes(lanes, last, state->total);
}
