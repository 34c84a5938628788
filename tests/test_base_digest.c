// Digests of contents against published vectors.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"

#include <string.h>

// FIPS 180-4 examples (NIST, "SHA-256", one and two blocks), and the empty message.
static void sha256_gives_the_published_values(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		uint8_t digest[32];
		char text[65];
		assert_true(lrd_sha256(cases[i][0], strlen(cases[i][0]), digest));
		lrd_sha256_text(digest, text);
		assert_string_equal(text, cases[i][1]);
	}
}

// xxHash's own value for the empty input; xxhsum -H128 for the other.
static void xxh3_128_gives_the_published_values(void **state)
{
	(void)state;
	char text[33];
	lrd_hash128_text(lrd_xxh3_128("", 0), text);
	assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
	lrd_hash128_text(lrd_xxh3_128("abc", 3), text);
	assert_string_equal(text, "06b05ab6733a618578af5f94892f3950");
}

static void hash_text_is_high_half_first_and_padded(void **state)
{
	(void)state;
	char text[33];
	lrd_hash128_text((lrd_hash128){ .low = 0xFEDCBA9876543210u, .high = 0x1 }, text);
	assert_string_equal(text, "0000000000000001fedcba9876543210");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_gives_the_published_values),
		cmocka_unit_test(xxh3_128_gives_the_published_values),
		cmocka_unit_test(hash_text_is_high_half_first_and_padded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
