// BC4 and BC5, and the alpha of BC3: how near to the best of all ends, what is exact, and the same bytes everywhere.

#include "fixtures/block_texels.h"

#define ALL_PAIRS 65536

static uint8_t texels[TEXEL_BLOCKS][64];
static uint8_t blocks[TEXEL_BLOCKS * 16];

/// What the decoder makes of every pair of ends.
static uint8_t (*all_palettes(void))[8]
{
	uint8_t(*palettes)[8] = malloc(ALL_PAIRS * sizeof *palettes);
	assert_non_null(palettes);
	for (unsigned pair = 0; pair < ALL_PAIRS; ++pair)
	{
		// codes 0 to 7 in the first eight texels
		uint8_t block[8] = { (uint8_t)pair, (uint8_t)(pair >> 8), 0x88, 0xc6, 0xfa };
		uint8_t decoded[64];
		lrd_block_decode_unorm8(LRD_BLOCK_BC4_UNORM, block, decoded);
		for (int i = 0; i < 8; ++i)
		{
			palettes[pair][i] = decoded[i * 4];
		}
	}
	return palettes;
}

/// The least squared error of a channel of a block over all pairs of ends. `exact`: no pair counts that changes 0 or 255.
static int least_error(uint8_t (*palettes)[8], const uint8_t block[64], int channel, bool exact)
{
	int least = INT32_MAX;
	for (unsigned pair = 0; pair < ALL_PAIRS; ++pair)
	{
		int error = 0;
		for (int i = 0; i < 16 && error < least; ++i)
		{
			int value = block[i * 4 + channel];
			int nearest = INT32_MAX;
			for (int k = 0; k < 8; ++k)
			{
				int difference = value - palettes[pair][k];
				nearest = difference * difference < nearest ? difference * difference : nearest;
			}
			error += exact && (value == 0 || value == 255) && nearest != 0 ? 1 << 24 : nearest;
		}
		least = error < least ? error : least;
	}
	return least;
}

static void encode(texel_encoder *encoder, lrd_block_format format, lrd_block_quality quality, size_t count)
{
	encoder(
		&(lrd_block_encode_desc){ .format = format, .quality = quality }, (const uint8_t(*)[64])texels, count, blocks);
}

static double squares(lrd_block_format format, size_t count, unsigned mask)
{
	return texel_squares(format, (const uint8_t(*)[64])texels, blocks, count, mask);
}

static void bytes_are_the_same_on_every_instruction_set_and_in_any_batch(void **state)
{
	(void)state;
	for (int kind = 0; kind < TEXEL_KINDS; ++kind)
	{
		texel_blocks((texel_kind)kind, texels);
		for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
		{
			lrd_block_encode_desc desc = { .format = LRD_BLOCK_BC5_UNORM, .quality = (lrd_block_quality)quality };
			size_t count = quality == LRD_BLOCK_BEST ? 40 : 300;
			assert_same_bytes(lrd_bc5_encode, desc, (const uint8_t(*)[64])texels, count);
			desc.format = LRD_BLOCK_BC4_UNORM;
			assert_same_bytes(lrd_bc4_encode, desc, (const uint8_t(*)[64])texels, count / 4);
		}
	}
}

static void best_is_the_optimum_of_all_pairs_of_ends(void **state)
{
	(void)state;
	uint8_t(*palettes)[8] = all_palettes();
	for (int kind = 0; kind < TEXEL_KINDS; ++kind)
	{
		texel_blocks((texel_kind)kind, texels);
		memmove(texels, texels[64], 64 * 64);
		encode(lrd_bc4_encode, LRD_BLOCK_BC4_UNORM, LRD_BLOCK_BEST, 64);
		for (size_t i = 0; i < 64; i += 5)
		{
			double found = texel_squares(LRD_BLOCK_BC4_UNORM, (const uint8_t(*)[64])texels + i, blocks + i * 8, 1, 1);
			assert_int_equal((int)found, least_error(palettes, texels[i], 0, false));
		}
	}
	free(palettes);
}

static void best_alpha_is_the_optimum_that_keeps_clear_and_opaque(void **state)
{
	(void)state;
	uint8_t(*palettes)[8] = all_palettes();
	texel_blocks(TEXELS_LEAVES, texels);
	encode(lrd_bc3_encode, LRD_BLOCK_BC3, LRD_BLOCK_BEST, 64);
	for (size_t i = 0; i < 64; i += 3)
	{
		double found = texel_squares(LRD_BLOCK_BC3, (const uint8_t(*)[64])texels + i, blocks + i * 16, 1, 8);
		assert_int_equal((int)found, least_error(palettes, texels[i], 3, true));
	}
	free(palettes);
}

/// How far a preset is from the optimum over all blocks of `texels`, dB.
static double behind_best(lrd_block_quality quality)
{
	encode(lrd_bc4_encode, LRD_BLOCK_BC4_UNORM, LRD_BLOCK_BEST, TEXEL_BLOCKS);
	double best = squares(LRD_BLOCK_BC4_UNORM, TEXEL_BLOCKS, 1);
	encode(lrd_bc4_encode, LRD_BLOCK_BC4_UNORM, quality, TEXEL_BLOCKS);
	return texel_decibels(best, 1.0) - texel_decibels(squares(LRD_BLOCK_BC4_UNORM, TEXEL_BLOCKS, 1), 1.0);
}

static void fast_and_normal_are_near_the_optimum(void **state)
{
	(void)state;
	static const double fast_limit[TEXEL_KINDS] = { 0.045, 0.01, 0.055, 0.05, 0.05 };
	static const double normal_limit[TEXEL_KINDS] = { 0.04, 0.005, 0.03, 0.04, 0.03 };
	for (int kind = 0; kind < TEXEL_KINDS; ++kind)
	{
		texel_blocks((texel_kind)kind, texels);
		double fast = behind_best(LRD_BLOCK_FAST);
		double normal = behind_best(LRD_BLOCK_NORMAL);
		assert_true(fast >= 0.0 && fast < fast_limit[kind]);
		assert_true(normal >= 0.0 && normal < normal_limit[kind]);
	}
}

/// Ink on paper with soft edges: a few values a block, most texels of one or two of them.
static void draw(void)
{
	uint64_t random = 99;
	for (size_t block = 0; block < TEXEL_BLOCKS; ++block)
	{
		int paper = (int)(texel_random(&random) % 256);
		int ink = (int)(texel_random(&random) % 256);
		for (size_t i = 0; i < 16; ++i)
		{
			int cover = (int)(texel_random(&random) % 20) - 6; // of 8
			cover = cover < 0 ? 0 : cover > 8 ? 8 : cover;
			texels[block][i * 4] = (uint8_t)(paper + (ink - paper) * cover / 8);
		}
	}
}

static void drawings_of_few_values_are_near_the_optimum(void **state)
{
	(void)state;
	draw();
	assert_true(behind_best(LRD_BLOCK_FAST) < 0.1);
	assert_true(behind_best(LRD_BLOCK_NORMAL) < 0.1);
}

static void blocks_at_the_ends_of_the_range_stay_within_it(void **state)
{
	(void)state;
	// few values beside 0 and 255, where ends that would be the best without limits are beyond them
	for (size_t block = 0; block < TEXEL_BLOCKS; ++block)
	{
		for (size_t i = 0; i < 16; ++i)
		{
			size_t value = (i * 7 + block) % (8 + block % 40) / (1 + block % 3);
			texels[block][i * 4] = (uint8_t)(block % 2 == 0 ? value : 255 - value);
		}
	}
	assert_true(behind_best(LRD_BLOCK_FAST) < 0.2);
	assert_true(behind_best(LRD_BLOCK_NORMAL) < 0.15);
}

static void one_or_two_values_are_exact_in_every_preset(void **state)
{
	(void)state;
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		for (unsigned low = 0; low < 256; low += 3)
		{
			size_t count = 0;
			for (unsigned high = low; high < 256 && count < TEXEL_BLOCKS; high += 5, ++count)
			{
				for (unsigned i = 0; i < 16; ++i)
				{
					memset(texels[count] + i * 4, (int)((low * 7 + i * high) % 3 == 0 || i == 5 ? high : low), 4);
				}
			}
			encode(lrd_bc4_encode, LRD_BLOCK_BC4_UNORM, (lrd_block_quality)quality, count);
			assert_true(squares(LRD_BLOCK_BC4_UNORM, count, 1) == 0.0);
		}
	}
}

static void a_narrow_band_beside_black_and_white_takes_six_values(void **state)
{
	(void)state;
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		for (int i = 0; i < 16; ++i)
		{
			texels[0][i * 4] = (uint8_t)(i % 4 == 0 ? 0 : i % 4 == 1 ? 255 : 100 + i % 6);
		}
		encode(lrd_bc4_encode, LRD_BLOCK_BC4_UNORM, (lrd_block_quality)quality, 1);
		assert_true(blocks[0] <= blocks[1]);
		assert_true(squares(LRD_BLOCK_BC4_UNORM, 1, 1) == 0.0);
	}
}

static void clear_and_opaque_alpha_of_bc3_is_exact(void **state)
{
	(void)state;
	for (int kind = 0; kind < TEXEL_KINDS; ++kind)
	{
		texel_blocks((texel_kind)kind, texels);
		for (size_t b = 0; b < TEXEL_BLOCKS; ++b)
		{
			texels[b][b % 16 * 4 + 3] = b & 16 ? 0 : texels[b][b % 16 * 4 + 3];
			texels[b][b / 16 % 16 * 4 + 3] = b & 512 ? 255 : texels[b][b / 16 % 16 * 4 + 3];
		}
		for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
		{
			size_t count = quality == LRD_BLOCK_BEST ? 256 : TEXEL_BLOCKS;
			encode(lrd_bc3_encode, LRD_BLOCK_BC3, (lrd_block_quality)quality, count);
			for (size_t b = 0; b < count; ++b)
			{
				uint8_t decoded[64];
				lrd_block_decode_unorm8(LRD_BLOCK_BC3, blocks + b * 16, decoded);
				for (int i = 3; i < 64; i += 4)
				{
					if (texels[b][i] == 0 || texels[b][i] == 255)
					{
						assert_int_equal(decoded[i], texels[b][i]);
					}
				}
			}
		}
	}
}

static void presets_are_in_order_of_quality(void **state)
{
	(void)state;
	static const lrd_block_quality order[] = { LRD_BLOCK_FAST, LRD_BLOCK_NORMAL, LRD_BLOCK_BEST };
	for (int kind = 0; kind < TEXEL_KINDS; ++kind)
	{
		texel_blocks((texel_kind)kind, texels);
		double before = INFINITY;
		for (int i = 0; i < 3; ++i)
		{
			encode(lrd_bc5_encode, LRD_BLOCK_BC5_UNORM, order[i], TEXEL_BLOCKS);
			double now = squares(LRD_BLOCK_BC5_UNORM, TEXEL_BLOCKS, 3);
			assert_true(now <= before);
			before = now;
		}
	}
}

static void channels_are_the_ones_that_were_named(void **state)
{
	(void)state;
	texel_blocks(TEXELS_GRADIENT, texels);
	lrd_block_encode_desc desc = { .format = LRD_BLOCK_BC5_UNORM, .channels = { 3, 1 } };
	lrd_bc5_encode(&desc, (const uint8_t(*)[64])texels, 4, blocks);
	for (int i = 0; i < 2; ++i)
	{
		uint8_t alone[4 * 8];
		desc.format = LRD_BLOCK_BC4_UNORM;
		desc.channels[0] = (uint8_t)(i == 0 ? 3 : 1);
		lrd_bc4_encode(&desc, (const uint8_t(*)[64])texels, 4, alone);
		for (int b = 0; b < 4; ++b)
		{
			assert_memory_equal(alone + b * 8, blocks + b * 16 + i * 8, 8);
		}
	}
	desc = (lrd_block_encode_desc){ .format = LRD_BLOCK_BC5_UNORM };
	lrd_bc5_encode(&desc, (const uint8_t(*)[64])texels, 4, blocks);
	assert_true(texel_decibels(squares(LRD_BLOCK_BC5_UNORM, 4, 3), 128.0) > 50.0); // red and green of themselves
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_the_same_on_every_instruction_set_and_in_any_batch),
		cmocka_unit_test(best_is_the_optimum_of_all_pairs_of_ends),
		cmocka_unit_test(best_alpha_is_the_optimum_that_keeps_clear_and_opaque),
		cmocka_unit_test(fast_and_normal_are_near_the_optimum),
		cmocka_unit_test(drawings_of_few_values_are_near_the_optimum),
		cmocka_unit_test(blocks_at_the_ends_of_the_range_stay_within_it),
		cmocka_unit_test(one_or_two_values_are_exact_in_every_preset),
		cmocka_unit_test(a_narrow_band_beside_black_and_white_takes_six_values),
		cmocka_unit_test(clear_and_opaque_alpha_of_bc3_is_exact),
		cmocka_unit_test(presets_are_in_order_of_quality),
		cmocka_unit_test(channels_are_the_ones_that_were_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
