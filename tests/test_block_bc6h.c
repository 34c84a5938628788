// The BC6H encoder, against the decoder (which test_block_decode.c holds to Mesa's) and against the specification's
// arithmetic, written out again here. Errors are differences of halves taken as integers.

#include "block/bc6h.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HALF_MOST 0x7bff
#define SIDE 64 // texels of a picture
#define BLOCKS (SIDE * SIDE / 16)

typedef uint16_t block_texels[64];

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1dull >> 32;
}

static int random_between(uint64_t *state, int least, int most)
{
	return least + (int)(next_random(state) % (uint64_t)(most - least + 1));
}

static int value_of(uint16_t half)
{
	return half & 0x8000 ? -(half & 0x7fff) : half;
}

static uint16_t half_of(int value)
{
	return (uint16_t)(value < 0 ? 0x8000 | -value : value);
}

static int clamp(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

static void encode(
	lrd_block_quality quality, bool is_signed, lrd_isa isa, block_texels *texels, size_t count, uint8_t *blocks)
{
	lrd_block_encode_desc desc = {
		.format = is_signed ? LRD_BLOCK_BC6H_SFLOAT : LRD_BLOCK_BC6H_UFLOAT, .quality = quality, .isa = isa
	};
	lrd_bc6h_encode(&desc, (const uint16_t(*)[64])texels, count, blocks);
}

static void decode(bool is_signed, const uint8_t *block, uint16_t texels[64])
{
	lrd_block_decode_half(is_signed ? LRD_BLOCK_BC6H_SFLOAT : LRD_BLOCK_BC6H_UFLOAT, block, texels);
}

/// The mode that a block is in, 0 to 13 in the specification's order.
static int mode_of(const uint8_t *block)
{
	for (int mode = 0; mode < LRD_BC6H_MODES; ++mode)
	{
		if ((block[0] & ((1 << lrd_bc6h_modes[mode].code_bits) - 1)) == lrd_bc6h_modes[mode].code)
		{
			return mode;
		}
	}
	return -1;
}

static void fill(block_texels texels, int red, int green, int blue)
{
	for (int i = 0; i < 16; ++i)
	{
		memcpy(texels + 4 * i, (uint16_t[]){ half_of(red), half_of(green), half_of(blue), 0x3c00 }, 8);
	}
}

/// The largest error of a block that is encoded alone.
static int worst_error(lrd_block_quality quality, bool is_signed, block_texels texels)
{
	uint8_t block[16];
	uint16_t decoded[64];
	encode(quality, is_signed, LRD_ISA_BEST, (block_texels *)texels, 1, block);
	decode(is_signed, block, decoded);
	int worst = 0;
	for (int i = 0; i < 64; ++i)
	{
		int error = value_of(decoded[i]) - value_of(texels[i]);
		error = error < 0 ? -error : error;
		worst = i % 4 != 3 && error > worst ? error : worst;
	}
	return worst;
}

/// Smooth shading over several stops, with an edge, a sun, and grain of `grain` half steps.
static void paint(uint64_t seed, int grain, bool is_signed, block_texels picture[BLOCKS])
{
	uint64_t random = seed;
	for (int i = 0; i < SIDE * SIDE; ++i)
	{
		int x = i % SIDE, y = i / SIDE;
		int base = 0x3000 + 40 * x - 25 * y;
		bool ground = 3 * y + x > 2 * SIDE;
		bool sun = (x - 45) * (x - 45) + (y - 12) * (y - 12) < 30;
		for (int c = 0; c < 3; ++c)
		{
			int value = base + c * (ground ? -300 + 5 * x : 200) + (ground ? -2500 : 0);
			value = sun ? 0x7000 - 900 * c : value;
			value += random_between(&random, -grain, grain);
			value = is_signed && x > SIDE / 2 ? -value : value;
			value = clamp(value, is_signed ? -HALF_MOST : 0, HALF_MOST);
			picture[y / 4 * (SIDE / 4) + x / 4][(y % 4 * 4 + x % 4) * 4 + c] = half_of(value);
		}
	}
}

static double mean_square(lrd_block_quality quality, bool is_signed, block_texels *picture, size_t count, double *worst)
{
	static uint8_t blocks[BLOCKS][16];
	encode(quality, is_signed, LRD_ISA_BEST, picture, count, blocks[0]);
	double sum = 0;
	for (size_t i = 0; i < count; ++i)
	{
		uint16_t decoded[64];
		decode(is_signed, blocks[i], decoded);
		for (int k = 0; k < 64; ++k)
		{
			double error = k % 4 == 3 ? 0 : value_of(decoded[k]) - value_of(picture[i][k]);
			sum += error * error;
			*worst = fmax(*worst, fabs(error));
		}
	}
	return sum / ((double)count * 48);
}

static double decibels(lrd_block_quality quality, bool is_signed, block_texels *picture)
{
	double worst = 0;
	return 10 * log10(31743.0 * 31743.0 / mean_square(quality, is_signed, picture, BLOCKS, &worst));
}

/// Any bits: NaN, infinities, negative ones among them.
static void fill_randomly(uint64_t seed, block_texels *picture, size_t count)
{
	uint64_t random = seed;
	for (size_t i = 0; i < count * 64; ++i)
	{
		picture[i / 64][i % 64] = (uint16_t)next_random(&random);
	}
}

static void every_instruction_set_gives_the_same_bytes(void **state)
{
	(void)state;
	static block_texels picture[2 * BLOCKS];
	static uint8_t expected[2 * BLOCKS][16], blocks[2 * BLOCKS][16];
	for (int kind = 0; kind < 2 * LRD_BLOCK_QUALITY_COUNT; ++kind)
	{
		bool is_signed = kind & 1;
		lrd_block_quality quality = (lrd_block_quality)(kind / 2);
		paint(11, 200, is_signed, picture);
		fill_randomly(12, picture + BLOCKS, BLOCKS);
		encode(quality, is_signed, LRD_ISA_PORTABLE, picture, 2 * BLOCKS, expected[0]);
		for (lrd_isa isa = LRD_ISA_SSE41; isa < LRD_ISA_COUNT; ++isa)
		{
			if (lrd_isa_is_here(isa))
			{
				encode(quality, is_signed, isa, picture, 2 * BLOCKS, blocks[0]);
				assert_memory_equal(blocks, expected, sizeof blocks);
			}
		}
	}
}

static void a_block_is_the_same_in_any_company(void **state)
{
	(void)state;
	static block_texels picture[BLOCKS];
	static uint8_t expected[BLOCKS][16], blocks[BLOCKS][16];
	paint(21, 100, false, picture);
	fill_randomly(22, picture + BLOCKS / 2, BLOCKS / 2);
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		encode((lrd_block_quality)quality, false, LRD_ISA_BEST, picture, BLOCKS, expected[0]);
		for (size_t at = 0, count = 1; at < BLOCKS; at += count, count = count % 37 + 5)
		{
			count = count < BLOCKS - at ? count : BLOCKS - at;
			encode((lrd_block_quality)quality, false, LRD_ISA_BEST, picture + at, count, blocks[at]);
		}
		assert_memory_equal(blocks, expected, sizeof blocks);
	}
}

/// A value of an endpoint of `bits` bits as 16 bits: section "Quantization" of the specification.
static int dequantised(int endpoint, int bits, bool is_signed)
{
	int magnitude = endpoint < 0 ? -endpoint : endpoint;
	int most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
	int value = magnitude;
	if (bits < 15 && magnitude != 0)
	{
		value = ((magnitude << 15) + 0x4000) >> (bits - 1);
		value = magnitude == most ? (is_signed ? 0x7fff : 0xffff) : value;
	}
	return endpoint < 0 ? -value : value;
}

static int expected_value(const lrd_bc6h_choice *choice, int texel, int channel, bool is_signed)
{
	const lrd_bc6h_mode *mode = &lrd_bc6h_modes[choice->mode];
	int subset = mode->subsets == 2 ? lrd_bptc_two[choice->partition] >> texel & 1 : 0;
	int bits = mode->subsets == 2 ? 3 : 4;
	int weight = (mode->subsets == 2 ? lrd_bptc_weights_3
									 : lrd_bptc_weights_4)[choice->indices >> bits * texel & ((1u << bits) - 1)];
	int low = dequantised(choice->ends[6 * subset + channel], mode->base_bits, is_signed);
	int high = dequantised(choice->ends[6 * subset + 3 + channel], mode->base_bits, is_signed);
	int value = (low * (64 - weight) + high * weight + 32) >> 6;
	return is_signed ? (value < 0 ? -(-value * 31 >> 5) : value * 31 >> 5) : value * 31 >> 6;
}

static void choose_randomly(uint64_t *random, uint32_t number, bool is_signed, lrd_bc6h_choice *choice)
{
	const lrd_bc6h_mode *mode = &lrd_bc6h_modes[number];
	int most = is_signed ? (1 << (mode->base_bits - 1)) - 1 : (1 << mode->base_bits) - 1;
	int least = is_signed ? -most : 0;
	*choice = (lrd_bc6h_choice){ .mode = number };
	for (int i = 0; i < 6 * mode->subsets; ++i)
	{
		int reach = 1 << (mode->delta_bits[i % 3] - 1);
		int first = choice->ends[i % 3];
		bool free = i < 3 || !mode->transformed;
		choice->ends[i] = free ? random_between(random, least, most)
							   : clamp(random_between(random, first - reach, first + reach - 1), least, most);
	}
	uint64_t indices = next_random(random) | next_random(random) << 32;
	if (mode->subsets == 2)
	{
		choice->partition = (uint32_t)random_between(random, 0, 31);
		indices &= (1ull << 48) - 1;
		indices &= ~(1ull << (3 * lrd_bptc_anchor_of_two[choice->partition] + 2)) & ~4ull;
	}
	choice->indices = mode->subsets == 2 ? indices : indices & ~8ull;
}

static void each_mode_decodes_to_what_was_packed(void **state)
{
	(void)state;
	uint64_t random = 31;
	for (uint32_t i = 0; i < 2 * LRD_BC6H_MODES * 500; ++i)
	{
		bool is_signed = i & 1;
		lrd_bc6h_choice choice;
		choose_randomly(&random, i / 2 % LRD_BC6H_MODES, is_signed, &choice);
		uint8_t block[16];
		uint16_t decoded[64];
		lrd_bc6h_pack(&choice, block);
		assert_int_equal(mode_of(block), choice.mode);
		decode(is_signed, block, decoded);
		for (int k = 0; k < 48; ++k)
		{
			int expected = expected_value(&choice, k / 3, k % 3, is_signed);
			if (value_of(decoded[k / 3 * 4 + k % 3]) != expected)
			{
				fail_msg("mode %u, texel %d, channel %d: %d, not %d", choice.mode + 1, k / 3, k % 3,
					value_of(decoded[k / 3 * 4 + k % 3]), expected);
			}
		}
	}
}

/// Two lines of their own lengths in the subsets of a partition.
static void fill_two_lines(uint64_t *random, int apart, int length, block_texels texels)
{
	uint16_t second = lrd_bptc_two[random_between(random, 0, 31)];
	int start[2][3], along[2][3];
	for (int k = 0; k < 6; ++k)
	{
		start[k / 3][k % 3] = 12000 + random_between(random, -apart, apart);
		along[k / 3][k % 3] = random_between(random, -length, length);
	}
	for (int i = 0; i < 16; ++i)
	{
		int subset = second >> i & 1, at = random_between(random, 0, 7);
		for (int c = 0; c < 3; ++c)
		{
			texels[4 * i + c] = half_of(start[subset][c] + along[subset][c] * at / 7);
		}
	}
}

static void every_mode_is_chosen_where_it_serves(void **state)
{
	(void)state;
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		static block_texels texels[4096];
		static uint8_t blocks[4096][16];
		uint64_t random = 41;
		int counts[LRD_BC6H_MODES] = { 0 };
		for (int i = 0; i < 4096; ++i)
		{
			fill_two_lines(&random, 4 << i % 12, 4 << i / 12 % 12, texels[i]);
		}
		encode((lrd_block_quality)quality, false, LRD_ISA_BEST, texels, 4096, blocks[0]);
		for (int i = 0; i < 4096; ++i)
		{
			counts[mode_of(blocks[i])]++;
		}
		for (int mode = 0; mode < LRD_BC6H_MODES; ++mode)
		{
			if (counts[mode] == 0)
			{
				fail_msg("preset %d never chooses mode %d", quality, mode + 1);
			}
		}
	}
}

static void blocks_of_one_colour_are_exact(void **state)
{
	(void)state;
	static block_texels texels[HALF_MOST + 1];
	static uint8_t blocks[HALF_MOST + 1][16];
	for (int kind = 0; kind < 4; ++kind)
	{
		bool is_signed = kind & 1;
		int sign = kind == 3 ? -1 : 1;
		for (int i = 0; i <= HALF_MOST; ++i)
		{
			fill(texels[i], sign * i, sign * (HALF_MOST - i), i * 7 % (HALF_MOST + 1));
		}
		lrd_block_quality quality = kind == 3 ? LRD_BLOCK_NORMAL : LRD_BLOCK_FAST;
		encode(quality, is_signed, LRD_ISA_BEST, texels, HALF_MOST + 1, blocks[0]);
		for (int i = 0; i <= HALF_MOST; ++i)
		{
			uint16_t decoded[64];
			decode(is_signed, blocks[i], decoded);
			for (int k = 0; k < 64; ++k)
			{
				if (k % 4 != 3 && value_of(decoded[k]) != value_of(texels[i][k]))
				{
					fail_msg("%d decodes as %d", value_of(texels[i][k]), value_of(decoded[k]));
				}
			}
		}
	}
}

static void presets_keep_black_the_largest_half_and_denormals(void **state)
{
	(void)state;
	const int values[] = { 0, HALF_MOST, 1, 0x3ff };
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		for (size_t i = 0; i < 2 * sizeof values / sizeof *values; ++i)
		{
			block_texels texels;
			fill(texels, values[i / 2], values[i / 2], values[i / 2]);
			assert_int_equal(worst_error((lrd_block_quality)quality, i & 1, texels), 0);
		}
	}
}

static void black_stays_black_beside_the_largest_half(void **state)
{
	(void)state;
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		for (int column = 1; column < 4; ++column)
		{
			block_texels texels;
			for (int i = 0; i < 64; ++i)
			{
				texels[i] = i / 4 % 4 < column ? 0 : HALF_MOST;
			}
			assert_int_equal(worst_error((lrd_block_quality)quality, false, texels), 0);
		}
	}
}

static void an_edge_between_sun_and_sky_stays_sharp(void **state)
{
	(void)state;
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		for (int direction = 0; direction < 360; direction += 15)
		{
			block_texels texels;
			double x = cos(direction / 57.3), y = sin(direction / 57.3);
			for (int i = 0; i < 16; ++i)
			{
				bool sun = (i % 4 - 1.5) * x + (i / 4 - 1.5) * y > 0.3;
				memcpy(texels + 4 * i,
					sun ? (uint16_t[]){ 0x7800, 0x7780, 0x7680, 0 } : (uint16_t[]){ 0x3400, 0x3700, 0x3a00, 0 }, 8);
			}
			// half a step of the ten bits that hold any two colours
			assert_in_range(worst_error((lrd_block_quality)quality, false, texels), 0, 16);
		}
	}
}

static void what_is_no_number_is_black_and_infinity_the_largest_half(void **state)
{
	(void)state;
	block_texels wild, tame;
	uint64_t random = 51;
	for (int i = 0; i < 64; ++i)
	{
		static const uint16_t wilds[] = { 0x7e00, 0xffff, 0x7c00, 0xfc00, 0x7c01, 0xbc00, 0x8000 };
		static const uint16_t tames[] = { 0, 0, HALF_MOST, 0, 0, 0, 0 };
		int which = random_between(&random, 0, 13);
		wild[i] = which < 7 ? wilds[which] : (uint16_t)(0x3c00 + 100 * which);
		tame[i] = which < 7 ? tames[which] : wild[i];
	}
	for (int quality = 0; quality < LRD_BLOCK_QUALITY_COUNT; ++quality)
	{
		uint8_t of_wild[16], of_tame[16];
		encode((lrd_block_quality)quality, false, LRD_ISA_BEST, &wild, 1, of_wild);
		encode((lrd_block_quality)quality, false, LRD_ISA_BEST, &tame, 1, of_tame);
		assert_memory_equal(of_wild, of_tame, 16);
	}
}

static void signed_blocks_clamp_infinities_of_either_sign(void **state)
{
	(void)state;
	block_texels wild, tame;
	for (int i = 0; i < 64; ++i)
	{
		static const uint16_t wilds[] = { 0x7c00, 0xfc00, 0xfe01, 0x8000 };
		static const uint16_t tames[] = { HALF_MOST, 0x8000 | HALF_MOST, 0, 0 };
		wild[i] = wilds[i / 4 * 7 % 4];
		tame[i] = tames[i / 4 * 7 % 4];
	}
	uint8_t of_wild[16], of_tame[16];
	encode(LRD_BLOCK_NORMAL, true, LRD_ISA_BEST, &wild, 1, of_wild);
	encode(LRD_BLOCK_NORMAL, true, LRD_ISA_BEST, &tame, 1, of_tame);
	assert_memory_equal(of_wild, of_tame, 16);
}

static void alpha_changes_nothing(void **state)
{
	(void)state;
	static block_texels picture[BLOCKS], other[BLOCKS];
	static uint8_t blocks[BLOCKS][16], others[BLOCKS][16];
	paint(61, 300, false, picture);
	memcpy(other, picture, sizeof other);
	for (int i = 3; i < BLOCKS * 64; i += 4)
	{
		other[i / 64][i % 64] = (uint16_t)(0x7e00 + i);
	}
	encode(LRD_BLOCK_NORMAL, false, LRD_ISA_BEST, picture, BLOCKS, blocks[0]);
	encode(LRD_BLOCK_NORMAL, false, LRD_ISA_BEST, other, BLOCKS, others[0]);
	assert_memory_equal(blocks, others, sizeof blocks);
}

static void any_bits_encode_to_finite_halves(void **state)
{
	(void)state;
	static block_texels texels[BLOCKS];
	static uint8_t blocks[BLOCKS][16];
	for (int kind = 0; kind < 2 * LRD_BLOCK_QUALITY_COUNT; ++kind)
	{
		bool is_signed = kind & 1;
		fill_randomly(71 + (uint64_t)kind, texels, BLOCKS);
		encode((lrd_block_quality)(kind / 2), is_signed, LRD_ISA_BEST, texels, BLOCKS, blocks[0]);
		for (int i = 0; i < BLOCKS; ++i)
		{
			uint16_t decoded[64];
			assert_int_not_equal(mode_of(blocks[i]), -1);
			decode(is_signed, blocks[i], decoded);
			for (int k = 0; k < 64; ++k)
			{
				assert_in_range(decoded[k] & 0x7fff, 0, HALF_MOST);
			}
		}
	}
}

static void presets_reach_their_quality_and_better_ones_are_better(void **state)
{
	(void)state;
	static block_texels picture[BLOCKS];
	static const struct
	{
		int grain;
		bool is_signed;
		double fast, normal, best; // dB
	} floors[] = { { 0, false, 66.1, 66.5, 67.4 }, { 40, false, 62.8, 63.2, 63.6 }, { 600, false, 43.9, 44.2, 44.3 },
		{ 40, true, 61.5, 61.8, 62.1 } };
	for (size_t i = 0; i < sizeof floors / sizeof *floors; ++i)
	{
		paint(81, floors[i].grain, floors[i].is_signed, picture);
		block_texels *texels = picture;
		double fast = decibels(LRD_BLOCK_FAST, floors[i].is_signed, texels);
		double normal = decibels(LRD_BLOCK_NORMAL, floors[i].is_signed, texels);
		double best = decibels(LRD_BLOCK_BEST, floors[i].is_signed, texels);
		if (fast < floors[i].fast || normal < floors[i].normal || best < floors[i].best)
		{
			fail_msg("grain %d: %.3f, %.3f, %.3f dB", floors[i].grain, fast, normal, best);
		}
		assert_true(fast <= normal && normal <= best);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_set_gives_the_same_bytes),
		cmocka_unit_test(a_block_is_the_same_in_any_company),
		cmocka_unit_test(each_mode_decodes_to_what_was_packed),
		cmocka_unit_test(every_mode_is_chosen_where_it_serves),
		cmocka_unit_test(blocks_of_one_colour_are_exact),
		cmocka_unit_test(presets_keep_black_the_largest_half_and_denormals),
		cmocka_unit_test(black_stays_black_beside_the_largest_half),
		cmocka_unit_test(an_edge_between_sun_and_sky_stays_sharp),
		cmocka_unit_test(what_is_no_number_is_black_and_infinity_the_largest_half),
		cmocka_unit_test(signed_blocks_clamp_infinities_of_either_sign),
		cmocka_unit_test(alpha_changes_nothing),
		cmocka_unit_test(any_bits_encode_to_finite_halves),
		cmocka_unit_test(presets_reach_their_quality_and_better_ones_are_better),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
