// BC1, and the colours of BC3: what is optimal, what is exact, how good the presets are, and the same bytes everywhere.

#include "fixtures/block_texels.h"

static uint8_t texels[TEXEL_BLOCKS][64];
static uint8_t blocks[TEXEL_BLOCKS * 16];

static void encode(lrd_block_format format, lrd_block_quality quality, bool perceptual, size_t count)
{
	lrd_block_encode_desc desc = { .format = format, .quality = quality, .perceptual = perceptual };
	texel_encoder *encoder = format == LRD_BLOCK_BC3 ? lrd_bc3_encode : lrd_bc1_encode;
	encoder(&desc, (const uint8_t(*)[64])texels, count, blocks);
}

static double squares(lrd_block_format format, size_t count)
{
	return texel_squares(format, (const uint8_t(*)[64])texels, blocks, count, 7);
}

static void set_texel(uint8_t block[64], int texel, int r, int g, int b, int a)
{
	uint8_t values[4] = { (uint8_t)r, (uint8_t)g, (uint8_t)b, (uint8_t)a };
	memcpy(block + texel * 4, values, 4);
}

static void bytes_are_the_same_on_every_instruction_set_and_in_any_batch(void **state)
{
	(void)state;
	static const lrd_block_format formats[] = { LRD_BLOCK_BC1, LRD_BLOCK_BC1_ALPHA, LRD_BLOCK_BC3 };
	for (int kind = 0; kind < TEXEL_KINDS; ++kind)
	{
		texel_blocks((texel_kind)kind, texels);
		for (int i = 0; i < LRD_BLOCK_QUALITY_COUNT * 3; ++i)
		{
			lrd_block_encode_desc desc = {
				.format = formats[i / 3], .quality = (lrd_block_quality)(i % 3), .perceptual = kind % 2 != 0
			};
			size_t count = desc.quality == LRD_BLOCK_BEST ? 24 : 120;
			texel_encoder *encoder = desc.format == LRD_BLOCK_BC3 ? lrd_bc3_encode : lrd_bc1_encode;
			assert_same_bytes(encoder, desc, (const uint8_t(*)[64])texels, count);
		}
	}
}

static int widen(int step, int bits)
{
	return bits == 5 ? step << 3 | step >> 2 : step << 2 | step >> 4;
}

/// The least distance to a value of all mixtures of two ends: of two thirds and one, or of halves.
static int least_distance(int value, int bits, bool thirds)
{
	int least = 255;
	for (int i = 0; i < 1 << (2 * bits); ++i)
	{
		int a = widen(i >> bits, bits);
		int b = widen(i & ((1 << bits) - 1), bits);
		int mixed = thirds ? (2 * a + b + 1) / 3 : (a + b + 1) / 2;
		least = abs(mixed - value) < least ? abs(mixed - value) : least;
	}
	return least;
}

static void a_block_of_one_colour_is_as_near_as_any_ends_come(void **state)
{
	(void)state;
	int third[2][256], half[2][256];
	for (int value = 0; value < 256; ++value)
	{
		for (int i = 0; i < 2; ++i)
		{
			third[i][value] = least_distance(value, 5 + i, true);
			half[i][value] = least_distance(value, 5 + i, false);
		}
	}
	uint64_t random = 5;
	for (int b = 0; b < TEXEL_BLOCKS; ++b)
	{
		int r = b % 256, g = b < 256 ? b : (int)(texel_random(&random) % 256), c = (int)(texel_random(&random) % 256);
		for (int i = 0; i < 16; ++i)
		{
			set_texel(texels[b], i, r, g, b < 256 ? r : c, 255);
		}
	}
	for (int i = 0; i < LRD_BLOCK_QUALITY_COUNT * 2; ++i)
	{
		lrd_block_format format = i & 1 ? LRD_BLOCK_BC3 : LRD_BLOCK_BC1;
		encode(format, (lrd_block_quality)(i / 2), false, TEXEL_BLOCKS);
		for (int b = 0; b < TEXEL_BLOCKS; ++b)
		{
			const uint8_t *texel = texels[b];
			int thirds = 0, halves = 0;
			for (int c = 0; c < 3; ++c)
			{
				thirds += third[c == 1][texel[c]] * third[c == 1][texel[c]];
				halves += half[c == 1][texel[c]] * half[c == 1][texel[c]];
			}
			int least = format == LRD_BLOCK_BC1 && halves < thirds ? halves : thirds;
			double found = texel_squares(
				format, (const uint8_t(*)[64])texels + b, blocks + (size_t)b * lrd_block_bytes(format), 1, 7);
			assert_int_equal((int)found, 16 * least);
		}
	}
}

static void two_colours_that_can_be_written_are_exact(void **state)
{
	(void)state;
	uint64_t random = 6;
	for (int b = 0; b < TEXEL_BLOCKS; ++b)
	{
		uint32_t two[2] = { texel_random(&random), texel_random(&random) };
		uint32_t which = texel_random(&random);
		for (int i = 0; i < 16; ++i)
		{
			uint32_t c = two[which >> i & 1u];
			set_texel(texels[b], i, widen(c & 31, 5), widen(c >> 5 & 63, 6), widen(c >> 11 & 31, 5), 255);
		}
	}
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		encode(LRD_BLOCK_BC1, (lrd_block_quality)quality, false, TEXEL_BLOCKS);
		assert_true(squares(LRD_BLOCK_BC1, TEXEL_BLOCKS) == 0.0);
		encode(LRD_BLOCK_BC3, (lrd_block_quality)quality, false, TEXEL_BLOCKS);
		assert_true(squares(LRD_BLOCK_BC3, TEXEL_BLOCKS) == 0.0);
	}
}

static void black_beside_three_colours_is_exact(void **state)
{
	(void)state;
	for (int b = 0; b < 30; ++b)
	{
		// ends of even steps, so that the half is exact too
		int a = widen(2 * (b % 5) + 10, 5), c = widen(30, 5);
		for (int i = 0; i < 16; ++i)
		{
			int value = i % 4 == 0 ? 0 : i % 4 == 1 ? a : i % 4 == 2 ? c : (a + c + 1) / 2;
			set_texel(texels[b], i, value, value == 0 ? 0 : 130, value == 0 ? 0 : widen(9, 5), 255);
		}
	}
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		if (quality != LRD_BLOCK_FAST) // which takes three colours for clear texels alone
		{
			encode(LRD_BLOCK_BC1, (lrd_block_quality)quality, false, 30);
			assert_true(squares(LRD_BLOCK_BC1, 30) == 0.0);
		}
	}
}

static void texels_below_half_alpha_are_clear_and_no_others(void **state)
{
	(void)state;
	texel_blocks(TEXELS_LEAVES, texels);
	for (int i = 0; i < 16; ++i)
	{
		set_texel(texels[0], i, 200, 100, 50, 127); // wholly clear
		set_texel(texels[1], i, i * 3, 0, 2, 255);  // dark, and opaque
		set_texel(texels[2], i, 0, 0, 0, 128);
	}
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		encode(LRD_BLOCK_BC1_ALPHA, (lrd_block_quality)quality, false, TEXEL_BLOCKS);
		for (int b = 0; b < TEXEL_BLOCKS; ++b)
		{
			uint8_t decoded[64];
			static const uint8_t clear[4] = { 0 };
			lrd_block_decode_unorm8(LRD_BLOCK_BC1_ALPHA, blocks + b * 8, decoded);
			for (int i = 0; i < 16; ++i)
			{
				assert_int_equal(decoded[i * 4 + 3], texels[b][i * 4 + 3] < 128 ? 0 : 255);
				assert_true(decoded[i * 4 + 3] == 255 || memcmp(decoded + i * 4, clear, 4) == 0);
			}
		}
	}
}

static void what_is_clear_does_not_disturb_the_colours_beside_it(void **state)
{
	(void)state;
	uint64_t random = 7;
	for (int b = 0; b < 256; ++b)
	{
		for (int i = 0; i < 16; ++i)
		{
			int any = (int)texel_random(&random);
			bool clear = (any >> 24 & 3) == 0;
			int r = b & 1 ? widen(4, 5) : widen(28, 5), g = i % 3 ? widen(60, 6) : widen(20, 6);
			set_texel(texels[b], i, clear ? any & 255 : r, clear ? any >> 8 & 255 : g, clear ? any >> 16 & 255 : 0,
				clear ? 0 : 255);
		}
	}
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		encode(LRD_BLOCK_BC1_ALPHA, (lrd_block_quality)quality, false, 256);
		for (int b = 0; b < 256; ++b)
		{
			uint8_t decoded[64];
			lrd_block_decode_unorm8(LRD_BLOCK_BC1_ALPHA, blocks + b * 8, decoded);
			for (int i = 0; i < 16; ++i)
			{
				assert_true(texels[b][i * 4 + 3] == 0 || memcmp(decoded + i * 4, texels[b] + i * 4, 4) == 0);
			}
		}
	}
}

static void colours_of_bc3_are_four_for_decoders_that_look_at_the_order(void **state)
{
	(void)state;
	for (int kind = 0; kind < TEXEL_KINDS; ++kind)
	{
		texel_blocks((texel_kind)kind, texels);
		memset(texels[3], 77, 64);
		encode(LRD_BLOCK_BC3, LRD_BLOCK_NORMAL, false, TEXEL_BLOCKS);
		for (size_t b = 0; b < TEXEL_BLOCKS; ++b)
		{
			uint8_t as_bc1[64], as_bc3[64];
			lrd_block_decode_unorm8(LRD_BLOCK_BC1, blocks + b * 16 + 8, as_bc1);
			lrd_block_decode_unorm8(LRD_BLOCK_BC3, blocks + b * 16, as_bc3);
			for (int i = 0; i < 16; ++i)
			{
				assert_memory_equal(as_bc1 + i * 4, as_bc3 + i * 4, 3);
			}
		}
	}
}

static const lrd_block_quality order[] = { LRD_BLOCK_FAST, LRD_BLOCK_NORMAL, LRD_BLOCK_BEST };

static void presets_are_in_order_of_quality(void **state)
{
	(void)state;
	static const lrd_block_format formats[] = { LRD_BLOCK_BC1, LRD_BLOCK_BC1_ALPHA, LRD_BLOCK_BC3 };
	for (int i = 0; i < TEXEL_KINDS * 3; ++i)
	{
		texel_blocks((texel_kind)(i / 3), texels);
		double before = INFINITY;
		for (int k = 0; k < 3; ++k)
		{
			lrd_block_format format = formats[i % 3];
			encode(format, order[k], false, TEXEL_BLOCKS / 4);
			double now = 0.0;
			for (size_t b = 0; b < TEXEL_BLOCKS / 4; ++b)
			{
				uint8_t decoded[64];
				lrd_block_decode_unorm8(format, blocks + b * lrd_block_bytes(format), decoded);
				for (int t = 0; t < 64; ++t)
				{
					bool counts = t % 4 < 3 && (format != LRD_BLOCK_BC1_ALPHA || texels[b][t | 3] >= 128);
					double difference = (double)texels[b][t] - (double)decoded[t];
					now += counts ? difference * difference : 0.0;
				}
			}
			assert_true(now <= before);
			before = now;
		}
	}
}

static void presets_reach_their_floors(void **state)
{
	(void)state;
	static const double floor_of[3][3] = { { 32.7, 33.0, 33.05 }, { 44.5, 44.6, 45.2 }, { 13.7, 13.9, 13.94 } };
	for (int kind = 0; kind < 3; ++kind)
	{
		texel_blocks((texel_kind)kind, texels);
		for (int k = 0; k < 3; ++k)
		{
			encode(LRD_BLOCK_BC1, order[k], false, TEXEL_BLOCKS);
			double found = texel_decibels(squares(LRD_BLOCK_BC1, TEXEL_BLOCKS), TEXEL_BLOCKS * 48.0);
			assert_true(found > floor_of[kind][k]);
		}
	}
}

static double luma_squares(size_t count)
{
	static const double weight[3] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0.0;
	for (size_t b = 0; b < count; ++b)
	{
		uint8_t decoded[64];
		lrd_block_decode_unorm8(LRD_BLOCK_BC1, blocks + b * 8, decoded);
		for (int i = 0; i < 16; ++i)
		{
			double luma = 0.0;
			for (int c = 0; c < 3; ++c)
			{
				luma += weight[c] * ((double)texels[b][i * 4 + c] - (double)decoded[i * 4 + c]);
			}
			sum += luma * luma;
		}
	}
	return sum;
}

static void the_eyes_weights_lower_the_error_of_luma(void **state)
{
	(void)state;
	for (int i = 0; i < TEXEL_KINDS * LRD_BLOCK_QUALITY_COUNT; ++i)
	{
		texel_blocks((texel_kind)(i / 3), texels);
		encode(LRD_BLOCK_BC1, order[i % 3], false, TEXEL_BLOCKS / 4);
		double alike = luma_squares(TEXEL_BLOCKS / 4);
		encode(LRD_BLOCK_BC1, order[i % 3], true, TEXEL_BLOCKS / 4);
		assert_true(luma_squares(TEXEL_BLOCKS / 4) < alike);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_the_same_on_every_instruction_set_and_in_any_batch),
		cmocka_unit_test(a_block_of_one_colour_is_as_near_as_any_ends_come),
		cmocka_unit_test(two_colours_that_can_be_written_are_exact),
		cmocka_unit_test(black_beside_three_colours_is_exact),
		cmocka_unit_test(texels_below_half_alpha_are_clear_and_no_others),
		cmocka_unit_test(what_is_clear_does_not_disturb_the_colours_beside_it),
		cmocka_unit_test(colours_of_bc3_are_four_for_decoders_that_look_at_the_order),
		cmocka_unit_test(presets_are_in_order_of_quality),
		cmocka_unit_test(presets_reach_their_floors),
		cmocka_unit_test(the_eyes_weights_lower_the_error_of_luma),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
