// Decoders of blocks. BC6H and BC7, which are exact, against what Mesa 22.3 (llvmpipe) makes of the same blocks: hashes of
// its texels for random blocks of every mode. Pillow 9.4 agrees on BC7 but for the alpha of reserved blocks. The others
// against their formulas in double precision.

#include "base/hash.h"
#include "block/block.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN_BLOCKS 1024

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1dull;
}

static void random_bytes(uint64_t *state, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += 8)
	{
		uint64_t value = next_random(state);
		memcpy(bytes + i, &value, 8);
	}
}

static void bc7_decodes_as_mesa_does_in_every_mode(void **state)
{
	(void)state;
	static const uint64_t expected[9] = { 0xb5fbf088f3f9810c, 0x84d2d30e6a7f4570, 0xa716d210f058572e,
		0x4751007f93abf8d6, 0xa26c792bc15d2c1f, 0x780be8d469e0c559, 0xbaa77094af99e3c7, 0xfe00d0c62fad5e09,
		0x33b202d302b65caa };
	static uint8_t blocks[16 * GOLDEN_BLOCKS];
	static uint8_t texels[64 * GOLDEN_BLOCKS];
	for (unsigned mode = 0; mode < 9; mode++)
	{
		uint64_t random = 0x9e3779b97f4a7c15ull + mode;
		random_bytes(&random, blocks, sizeof blocks);
		for (size_t i = 0; i < GOLDEN_BLOCKS; i++)
		{
			blocks[16 * i] = (uint8_t)((blocks[16 * i] | 1) << mode);
			lrd_block_decode_unorm8(LRD_BLOCK_BC7, blocks + 16 * i, texels + 64 * i);
		}
		if (lrd_xxh3_64(texels, sizeof texels) != expected[mode])
		{
			fail_msg("mode %u differs", mode);
		}
	}
}

static void assert_bc6h(lrd_block_format format, const uint64_t expected[15])
{
	static const uint8_t codes[15] = { 0x00, 0x01, 0x02, 0x06, 0x0a, 0x0e, 0x12, 0x16, 0x1a, 0x1e, 0x03, 0x07, 0x0b,
		0x0f, 0x13 };
	static uint8_t blocks[16 * GOLDEN_BLOCKS];
	static float texels[64 * GOLDEN_BLOCKS];
	for (unsigned mode = 0; mode < 15; mode++)
	{
		uint64_t random = 0x9e3779b97f4a7c15ull + mode;
		random_bytes(&random, blocks, sizeof blocks);
		for (size_t i = 0; i < GOLDEN_BLOCKS; i++)
		{
			int code_mask = codes[mode] < 2 ? 3 : 31;
			blocks[16 * i] = (uint8_t)((blocks[16 * i] & ~code_mask) | codes[mode]);
			lrd_block_decode_f32(format, blocks + 16 * i, texels + 64 * i);
		}
		for (size_t i = 0; i < 64 * GOLDEN_BLOCKS; i++)
		{
			texels[i] += 0.0f; // -0 is 0
		}
		if (lrd_xxh3_64(texels, sizeof texels) != expected[mode])
		{
			fail_msg("mode %u differs", mode + 1);
		}
	}
}

static void unsigned_bc6h_decodes_as_mesa_does_in_every_mode(void **state)
{
	(void)state;
	static const uint64_t expected[15] = { 0x22d1587146fad2c9, 0xc73acefe0b59e7dc, 0xb2e702379d7bf87c,
		0x3f68099d9b3413cf, 0x4b60a6ae46475bbf, 0xbaac58c8fe36aeb4, 0x5fba6a9551cd08ed, 0x9106d19e5bcd83af,
		0x1bebf025873bfd8b, 0x9d81cb9a8aacda3b, 0xceb2106cb1749503, 0x774fbd53cf43391b, 0xcfec1f0b47ba0976,
		0x71195748830212d7, 0xa6d1b610b268e372 };
	assert_bc6h(LRD_BLOCK_BC6H_UFLOAT, expected);
}

static void signed_bc6h_decodes_as_mesa_does_in_every_mode(void **state)
{
	(void)state;
	static const uint64_t expected[15] = { 0x9f22c28c0ea983f7, 0x492c35e344969cd5, 0x249a31a434594c14,
		0xe56a216fbd8f3362, 0x56b6592e81a84b0b, 0x94fc644e43d27f08, 0x7a84c518ac19d18c, 0x5a67eceeac8393b0,
		0x37dfe423314f242f, 0xbef749c9b9508137, 0xda6f825de7c4fb77, 0x6e3442b89b1b520e, 0x24d567f18b4d73a8,
		0x2646c8e6e0176ed6, 0xa6d1b610b268e372 };
	assert_bc6h(LRD_BLOCK_BC6H_SFLOAT, expected);
}

// The formulas of S3TC in double precision, on endpoints of 8 bits.
static double bc1_reference(const uint8_t block[8], bool always_four, int texel, int channel)
{
	unsigned ends[2] = { block[0] | (unsigned)block[1] << 8, block[2] | (unsigned)block[3] << 8 };
	double value[2];
	for (int i = 0; i < 2; i++)
	{
		unsigned five = channel == 0 ? ends[i] >> 11 : ends[i] & 31;
		unsigned six = ends[i] >> 5 & 63;
		value[i] = channel == 1 ? (double)(six << 2 | six >> 4) : (double)(five << 3 | five >> 2);
	}
	switch (block[4 + texel / 4] >> 2 * (texel % 4) & 3)
	{
	case 0: return value[0];
	case 1: return value[1];
	case 2: return always_four || ends[0] > ends[1] ? (2 * value[0] + value[1]) / 3 : (value[0] + value[1]) / 2;
	default: return always_four || ends[0] > ends[1] ? (value[0] + 2 * value[1]) / 3 : 0;
	}
}

// The formulas of RGTC: 0..1 or -1..1.
static double bc4_reference(const uint8_t block[8], bool is_signed, int texel)
{
	double a = is_signed ? fmax((int8_t)block[0] / 127.0, -1) : block[0] / 255.0;
	double b = is_signed ? fmax((int8_t)block[1] / 127.0, -1) : block[1] / 255.0;
	uint64_t bits;
	memcpy(&bits, block, 8);
	int index = (int)(bits >> (16 + 3 * texel) & 7);
	if (index < 2)
	{
		return index == 0 ? a : b;
	}
	if (a > b)
	{
		return ((8 - index) * a + (index - 1) * b) / 7;
	}
	return index == 6 ? (is_signed ? -1 : 0) : index == 7 ? 1 : ((6 - index) * a + (index - 1) * b) / 5;
}

static void assert_nearest(double exact, uint8_t found, const char *what)
{
	if (fabs(exact - found) > 0.5 + 1e-9)
	{
		fail_msg("%s: %u; expected %f rounded", what, found, exact);
	}
}

// Endpoints are random, in either order, and now and then equal.
static void s3tc_decodes_to_the_nearest_of_8_bits(void **state)
{
	(void)state;
	uint64_t random = 7;
	for (int round = 0; round < 20000; round++)
	{
		uint8_t block[16], bc1[64], bc2[64], bc3[64];
		random_bytes(&random, block, sizeof block);
		if (round % 16 == 0)
		{
			memcpy(block + 8, block + 10, 2);
		}
		lrd_block_decode_unorm8(LRD_BLOCK_BC1, block + 8, bc1);
		lrd_block_decode_unorm8(LRD_BLOCK_BC2, block, bc2);
		lrd_block_decode_unorm8(LRD_BLOCK_BC3, block, bc3);
		for (int i = 0; i < 16; i++)
		{
			for (int c = 0; c < 3; c++)
			{
				assert_nearest(bc1_reference(block + 8, false, i, c), bc1[4 * i + c], "BC1");
				assert_nearest(bc1_reference(block + 8, true, i, c), bc2[4 * i + c], "BC2");
				assert_nearest(bc1_reference(block + 8, true, i, c), bc3[4 * i + c], "BC3");
			}
			assert_int_equal(bc1[4 * i + 3], 255);
			assert_int_equal(bc2[4 * i + 3], (block[i / 2] >> 4 * (i % 2) & 15) * 17);
			assert_nearest(255 * bc4_reference(block, false, i), bc3[4 * i + 3], "BC3 alpha");
		}
	}
}

static void fourth_of_three_colours_is_black_or_nothing(void **state)
{
	(void)state;
	static const uint8_t block[8] = { 0xff, 0x07, 0xff, 0x07, 0xe4, 0xe4, 0xe4, 0xe4 }; // cyan twice
	static const uint8_t black[4] = { 0, 0, 0, 255 }, nothing[4] = { 0, 0, 0, 0 };
	uint8_t opaque[64], with_alpha[64];
	lrd_block_decode_unorm8(LRD_BLOCK_BC1, block, opaque);
	lrd_block_decode_unorm8(LRD_BLOCK_BC1_ALPHA, block, with_alpha);
	for (int y = 0; y < 4; y++)
	{
		assert_memory_equal(opaque + 16 * y, with_alpha + 16 * y, 12);
		assert_memory_equal(opaque + 16 * y + 12, black, 4);
		assert_memory_equal(with_alpha + 16 * y + 12, nothing, 4);
	}
}

static void rgtc_decodes_with_the_precision_of_its_interpolation(void **state)
{
	(void)state;
	uint64_t random = 11;
	for (int round = 0; round < 20000; round++)
	{
		uint8_t block[16];
		float unsigned_texels[64], signed_texels[64];
		random_bytes(&random, block, sizeof block);
		block[1] = round % 16 == 0 ? block[0] : block[1];
		lrd_block_decode_f32(LRD_BLOCK_BC5_UNORM, block, unsigned_texels);
		lrd_block_decode_f32(LRD_BLOCK_BC5_SNORM, block, signed_texels);
		for (int i = 0; i < 16; i++)
		{
			for (int c = 0; c < 2; c++)
			{
				const uint8_t *half = block + 8 * c;
				assert_true(fabs(unsigned_texels[4 * i + c] - bc4_reference(half, false, i)) < 1e-7);
				assert_true(fabs(signed_texels[4 * i + c] - bc4_reference(half, true, i)) < 2e-7);
			}
		}
	}
}

static void lowest_snorm_is_minus_one(void **state)
{
	(void)state;
	static const uint8_t block[8] = { 0x81, 0x80, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa }; // -127, -128; all indices
	float texels[64];
	lrd_block_decode_f32(LRD_BLOCK_BC4_SNORM, block, texels);
	for (int i = 0; i < 16; i++)
	{
		assert_true(texels[4 * i] == (i % 8 == 7 ? 1.0f : -1.0f)); // equal ends: the eighth is the range's
	}
}

static void channels_that_a_format_lacks_are_0_and_alpha_1(void **state)
{
	(void)state;
	static const struct
	{
		lrd_block_format format;
		int channels;
	} formats[] = { { LRD_BLOCK_BC4_UNORM, 1 }, { LRD_BLOCK_BC4_SNORM, 1 }, { LRD_BLOCK_BC5_UNORM, 2 },
		{ LRD_BLOCK_BC5_SNORM, 2 }, { LRD_BLOCK_BC6H_UFLOAT, 3 }, { LRD_BLOCK_BC6H_SFLOAT, 3 }, { LRD_BLOCK_BC1, 3 } };
	uint64_t random = 5;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
	{
		uint8_t block[16];
		float texels[64];
		random_bytes(&random, block, sizeof block);
		lrd_block_decode_f32(formats[i].format, block, texels);
		for (int texel = 0; texel < 16; texel++)
		{
			for (int c = formats[i].channels; c < 4; c++)
			{
				assert_true(texels[4 * texel + c] == (c == 3 ? 1.0f : 0.0f));
			}
		}
	}
}

static void one_precision_is_the_other_rounded(void **state)
{
	(void)state;
	uint64_t random = 13;
	for (int round = 0; round < 2000; round++)
	{
		for (int format = 0; format < LRD_BLOCK_FORMAT_COUNT; format++)
		{
			uint8_t block[16], bytes[64];
			float floats[64];
			random_bytes(&random, block, sizeof block);
			memset(bytes, 77, sizeof bytes);
			lrd_block_decode_unorm8((lrd_block_format)format, block, bytes);
			lrd_block_decode_f32((lrd_block_format)format, block, floats);
			bool has_bytes = lrd_block_is_unorm8((lrd_block_format)format) || format == LRD_BLOCK_BC4_UNORM ||
							 format == LRD_BLOCK_BC5_UNORM;
			for (int i = 0; i < 64; i++)
			{
				assert_int_equal(bytes[i], has_bytes ? (int)lrintf(floats[i] * 255.0f) : 77);
			}
		}
	}
}

static void halves_are_bc6h_s_alone(void **state)
{
	(void)state;
	uint8_t block[16] = { 0 };
	for (int format = 0; format < LRD_BLOCK_FORMAT_COUNT; format++)
	{
		uint16_t texels[64] = { [63] = 77 };
		lrd_block_decode_half((lrd_block_format)format, block, texels);
		bool is_bc6h = format == LRD_BLOCK_BC6H_UFLOAT || format == LRD_BLOCK_BC6H_SFLOAT;
		assert_int_equal(texels[63], is_bc6h ? 0x3c00 : 77);
	}
}

// Under the address sanitizer a read behind the block would end this program.
static void nothing_but_the_block_is_read(void **state)
{
	(void)state;
	uint64_t random = 17;
	for (int format = 0; format < LRD_BLOCK_FORMAT_COUNT; format++)
	{
		size_t size = lrd_block_bytes((lrd_block_format)format);
		uint8_t *block = malloc(size), copy[16];
		assert_non_null(block);
		for (int round = 0; round < 256; round++)
		{
			random_bytes(&random, block, size);
			memcpy(copy, block, size);
			float texels[64];
			lrd_block_decode_f32((lrd_block_format)format, block, texels);
			for (int i = 0; i < 64; i++)
			{
				assert_true(texels[i] == texels[i]);
			}
			assert_memory_equal(copy, block, size);
		}
		free(block);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bc7_decodes_as_mesa_does_in_every_mode),
		cmocka_unit_test(unsigned_bc6h_decodes_as_mesa_does_in_every_mode),
		cmocka_unit_test(signed_bc6h_decodes_as_mesa_does_in_every_mode),
		cmocka_unit_test(s3tc_decodes_to_the_nearest_of_8_bits),
		cmocka_unit_test(fourth_of_three_colours_is_black_or_nothing),
		cmocka_unit_test(rgtc_decodes_with_the_precision_of_its_interpolation),
		cmocka_unit_test(lowest_snorm_is_minus_one),
		cmocka_unit_test(channels_that_a_format_lacks_are_0_and_alpha_1),
		cmocka_unit_test(one_precision_is_the_other_rounded),
		cmocka_unit_test(halves_are_bc6h_s_alone),
		cmocka_unit_test(nothing_but_the_block_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
