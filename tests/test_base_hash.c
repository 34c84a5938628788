// FNV-1a against its published vectors; XXH3-64 against libxxhash, at once and in pieces.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <xxhash.h>

#include "base/hash.h"

#include <string.h>

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static uint32_t random_number(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33);
}

// draft-eastlake-fnv, "Source code": test vectors.
static void fnv1a_gives_the_published_values(void **state)
{
	(void)state;
	assert_true(lrd_fnv1a_32(LRD_STR("")) == 0x811C9DC5u);
	assert_true(lrd_fnv1a_32(LRD_STR("a")) == 0xE40C292Cu);
	assert_true(lrd_fnv1a_32(LRD_STR("foobar")) == 0xBF9CF968u);
	assert_true(lrd_fnv1a_64(LRD_STR("")) == 0xCBF29CE484222325u);
	assert_true(lrd_fnv1a_64(LRD_STR("a")) == 0xAF63DC4C8601EC8Cu);
	assert_true(lrd_fnv1a_64(LRD_STR("foobar")) == 0x85944171F73967E8u);
}

static void folded_fnv1a_ignores_ascii_case_only(void **state)
{
	(void)state;
	assert_true(lrd_fnv1a_64_folded(LRD_STR("Models/FOX.lmesh")) == lrd_fnv1a_64(LRD_STR("models/fox.lmesh")));
	assert_true(lrd_fnv1a_64_folded(LRD_STR("@[`{\xC3\x89")) == lrd_fnv1a_64(LRD_STR("@[`{\xC3\x89")));
	assert_true(lrd_fnv1a_64_folded(LRD_STR("AZ")) == lrd_fnv1a_64(LRD_STR("az")));
}

static uint8_t *random_bytes(size_t size)
{
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
	{
		bytes[i] = (uint8_t)random_number();
	}
	return bytes;
}

static void xxh3_agrees_with_libxxhash_at_every_short_length(void **state)
{
	(void)state;
	uint8_t *bytes = random_bytes(1200);
	for (size_t size = 0; size <= 1100; size++)
	{
		const uint8_t *start = bytes + size % 17; // unaligned too
		assert_true(lrd_xxh3_64(start, size) == XXH3_64bits(start, size));
	}
	assert_true(lrd_xxh3_64(NULL, 0) == XXH3_64bits(NULL, 0));
	free(bytes);
}

static void xxh3_agrees_with_libxxhash_at_block_boundaries_and_large_lengths(void **state)
{
	(void)state;
	size_t largest = 3 * 1024 * 1024 + 17;
	uint8_t *bytes = random_bytes(largest);
	for (size_t blocks = 1; blocks < 20; blocks++)
	{
		for (size_t size = blocks * 1024 - 66; size <= blocks * 1024 + 66; size++)
		{
			assert_true(lrd_xxh3_64(bytes, size) == XXH3_64bits(bytes, size));
		}
	}
	for (int i = 0; i < 20; i++)
	{
		size_t size = largest - random_number() % largest;
		assert_true(lrd_xxh3_64(bytes, size) == XXH3_64bits(bytes, size));
	}
	free(bytes);
}

static uint64_t hash_in_pieces(const uint8_t *bytes, size_t size, size_t largest_piece)
{
	lrd_xxh3_state hash;
	lrd_xxh3_begin(&hash);
	for (size_t done = 0; done < size;)
	{
		size_t piece = random_number() % (largest_piece + 1);
		piece = piece < size - done ? piece : size - done;
		lrd_xxh3_update(&hash, bytes + done, piece);
		done += piece;
	}
	return lrd_xxh3_end(&hash);
}

static void pieces_give_the_same_as_the_whole(void **state)
{
	(void)state;
	static const size_t pieces[] = { 1, 7, 64, 255, 256, 257, 1000, 5000 };
	uint8_t *bytes = random_bytes(20000);
	for (size_t size = 0; size <= 1100; size++)
	{
		size_t piece = pieces[size % (sizeof pieces / sizeof *pieces)];
		assert_true(hash_in_pieces(bytes, size, piece) == XXH3_64bits(bytes, size));
	}
	for (int i = 0; i < 500; i++)
	{
		size_t size = random_number() % 20000;
		size_t piece = pieces[random_number() % (sizeof pieces / sizeof *pieces)];
		assert_true(hash_in_pieces(bytes, size, piece) == XXH3_64bits(bytes, size));
	}
	free(bytes);
}

static void ending_does_not_disturb_the_state(void **state)
{
	(void)state;
	uint8_t *bytes = random_bytes(5000);
	lrd_xxh3_state hash;
	lrd_xxh3_begin(&hash);
	for (size_t done = 0; done < 5000; done += 50)
	{
		assert_true(lrd_xxh3_end(&hash) == XXH3_64bits(bytes, done));
		lrd_xxh3_update(&hash, bytes + done, 50);
		lrd_xxh3_update(&hash, NULL, 0);
	}
	assert_true(lrd_xxh3_end(&hash) == XXH3_64bits(bytes, 5000));
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fnv1a_gives_the_published_values),
		cmocka_unit_test(folded_fnv1a_ignores_ascii_case_only),
		cmocka_unit_test(xxh3_agrees_with_libxxhash_at_every_short_length),
		cmocka_unit_test(xxh3_agrees_with_libxxhash_at_block_boundaries_and_large_lengths),
		cmocka_unit_test(pieces_give_the_same_as_the_whole),
		cmocka_unit_test(ending_does_not_disturb_the_state),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
