// The BC7 encoder, judged by the decoder of block/block.h, which is tested against others' by itself.

#include "block/bc7.h"
#include "block/block.h"
#include "block/bptc.h"
#include "block/encode.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIDE 128
#define BLOCKS (SIDE / 4 * SIDE / 4)

static const lrd_block_quality qualities[] = { LRD_BLOCK_FAST, LRD_BLOCK_NORMAL, LRD_BLOCK_BEST };
#define QUALITY_COUNT 3

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static uint8_t byte_of(double value)
{
	return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : lround(value));
}

/// Blocks of all kinds: waves and edges, noise of all strengths, few colours, alpha of all kinds.
static void make_blocks(uint8_t (*blocks)[64], uint32_t seed)
{
	uint32_t random = seed;
	for (uint32_t b = 0; b < BLOCKS; ++b)
	{
		uint32_t kind = next_random(&random) % 8;
		double from[4], to[4], noise = (double)(1u << next_random(&random) % 7);
		for (int c = 0; c < 4; ++c)
		{
			from[c] = next_random(&random) % 256;
			to[c] = kind & 1 ? from[c] + next_random(&random) % 32 : next_random(&random) % 256;
		}
		double slope = next_random(&random) % 7, offset = next_random(&random) % 16;
		for (int i = 0; i < 16; ++i)
		{
			double t = (i % 4 + slope * (i / 4.0) - offset) / 6;
			t = kind & 2 ? t > 0.3 : t;
			for (int c = 0; c < 4; ++c)
			{
				double value = from[c] + (to[c] - from[c]) * t + (next_random(&random) % 256 / 255.0 - 0.5) * noise;
				blocks[b][4 * i + c] = byte_of(value);
			}
			blocks[b][4 * i + 3] = kind < 4 ? 255 : blocks[b][4 * i + 3];
		}
	}
}

static void encode(const lrd_block_encode_desc *desc, uint8_t (*blocks)[64], size_t count, uint8_t *out)
{
	lrd_bc7_encode(desc, (const uint8_t(*)[64])blocks, count, out);
}

static double squared_error(const uint8_t *block, const uint8_t *encoded)
{
	uint8_t texels[64];
	double sum = 0;
	lrd_block_decode_unorm8(LRD_BLOCK_BC7, encoded, texels);
	for (int i = 0; i < 64; ++i)
	{
		double off = (double)block[i] - texels[i];
		sum += off * off;
	}
	return sum;
}

static void every_instruction_set_gives_the_same_bytes(void **state)
{
	(void)state;
	static uint8_t blocks[BLOCKS][64], expected[BLOCKS * 16], out[BLOCKS * 16];
	make_blocks(blocks, 7);
	for (int k = 0; k < 2 * QUALITY_COUNT; ++k)
	{
		size_t count = qualities[k / 2] == LRD_BLOCK_BEST ? BLOCKS / 4 : BLOCKS;
		lrd_block_encode_desc desc = { .quality = qualities[k / 2], .perceptual = k % 2, .isa = LRD_ISA_PORTABLE };
		encode(&desc, blocks, count, expected);
		for (lrd_isa isa = LRD_ISA_PORTABLE + 1; isa < LRD_ISA_COUNT; ++isa)
		{
			if (!lrd_isa_is_here(isa))
			{
				print_message("%s is not here\n", lrd_isa_name(isa));
				continue;
			}
			desc.isa = isa;
			encode(&desc, blocks, count, out);
			assert_memory_equal(out, expected, count * 16);
		}
	}
}

static void a_block_is_encoded_alike_whatever_its_neighbours(void **state)
{
	(void)state;
	static uint8_t blocks[BLOCKS][64], expected[BLOCKS * 16], out[BLOCKS * 16];
	make_blocks(blocks, 11);
	for (int k = 0; k < QUALITY_COUNT; ++k)
	{
		size_t count = 200, size;
		lrd_block_encode_desc desc = { .quality = qualities[k] };
		encode(&desc, blocks, count, expected);
		uint32_t random = 5;
		for (size_t first = 0; first < count; first += size)
		{
			size = 1 + next_random(&random) % 90;
			size = size < count - first ? size : count - first;
			encode(&desc, blocks + first, size, out + first * 16);
		}
		assert_memory_equal(out, expected, count * 16);
	}
}

static void alpha_of_0_and_255_is_kept(void **state)
{
	(void)state;
	static uint8_t blocks[BLOCKS][64], out[BLOCKS * 16];
	make_blocks(blocks, 13);
	uint32_t random = 17;
	for (uint32_t b = 0; b < BLOCKS; ++b) // soft and hard edges of cut-outs
	{
		for (int i = 0; i < 16 && b % 3; ++i)
		{
			uint32_t r = next_random(&random);
			blocks[b][4 * i + 3] = b % 3 == 1   ? (r & 1 ? 255 : 0)
								   : r % 4 == 0 ? 255
								   : r % 4 == 1 ? 0
												: (uint8_t)(r >> 8);
		}
	}
	for (int k = 0; k < 2 * QUALITY_COUNT; ++k)
	{
		encode(&(lrd_block_encode_desc){ .quality = qualities[k / 2], .perceptual = k % 2 }, blocks, BLOCKS, out);
		for (uint32_t b = 0; b < BLOCKS; ++b)
		{
			uint8_t texels[64];
			lrd_block_decode_unorm8(LRD_BLOCK_BC7, out + b * 16, texels);
			for (int i = 3; i < 64; i += 4)
			{
				if (blocks[b][i] == 0 || blocks[b][i] == 255)
				{
					assert_int_equal(texels[i], blocks[b][i]);
				}
			}
		}
	}
}

static void one_colour_is_exact(void **state)
{
	(void)state;
	static uint8_t blocks[BLOCKS][64], out[BLOCKS * 16];
	uint32_t random = 19;
	for (uint32_t b = 0; b < BLOCKS; ++b)
	{
		uint32_t colour = b < 256 ? b * 0x01010101u : next_random(&random);
		for (int i = 0; i < 16; ++i)
		{
			memcpy(blocks[b] + 4 * i, &colour, 4);
		}
	}
	encode(&(lrd_block_encode_desc){ .quality = LRD_BLOCK_FAST }, blocks, BLOCKS, out);
	for (uint32_t b = 0; b < BLOCKS; ++b)
	{
		assert_true(squared_error(blocks[b], out + b * 16) == 0);
	}
}

static void two_colours_split_like_a_partition_are_exact(void **state)
{
	(void)state;
	static uint8_t blocks[BLOCKS][64], out[BLOCKS * 16];
	static const double most[QUALITY_COUNT] = { 48, 8, 8 }, share[QUALITY_COUNT] = { 0.6, 0.98, 0.98 };
	uint32_t random = 29;
	for (uint32_t b = 0; b < BLOCKS; ++b)
	{
		uint32_t colours[2] = { next_random(&random) | 0xff000000u, next_random(&random) | 0xff000000u };
		for (int i = 0; i < 16; ++i)
		{
			memcpy(blocks[b] + 4 * i, &colours[lrd_bptc_two[b % 64] >> i & 1], 4);
		}
	}
	for (int k = 0; k < QUALITY_COUNT; ++k)
	{
		encode(&(lrd_block_encode_desc){ .quality = qualities[k] }, blocks, BLOCKS, out);
		double worst = 0, exact = 0;
		for (uint32_t b = 0; b < BLOCKS; ++b)
		{
			double error = squared_error(blocks[b], out + b * 16);
			worst = error > worst ? error : worst;
			exact += error == 0;
		}
		print_message("preset %d: %.0f of %d exact, worst %.0f\n", k, exact, BLOCKS, worst);
		assert_true(worst <= most[k]); // 0 and 255 in one colour ask for both p-bits at once
		assert_true(exact >= BLOCKS * share[k]);
	}
}

static double psnr(uint8_t (*blocks)[64], size_t count, const lrd_block_encode_desc *desc)
{
	static uint8_t out[BLOCKS * 16];
	double sum = 0;
	encode(desc, blocks, count, out);
	for (size_t b = 0; b < count; ++b)
	{
		sum += squared_error(blocks[b], out + b * 16);
	}
	return 10 * log10(255.0 * 255.0 * 64.0 * (double)count / sum);
}

/// A picture of smooth waves with hard edges and some noise.
static void make_picture(uint8_t (*blocks)[64], bool alpha)
{
	uint32_t random = 23;
	for (uint32_t y = 0; y < SIDE; ++y)
	{
		for (uint32_t x = 0; x < SIDE; ++x)
		{
			uint8_t *texel = blocks[y / 4 * (SIDE / 4) + x / 4] + (y % 4 * 4 + x % 4) * 4;
			double luma = 128 + 50 * sin(x * 0.11) + 40 * cos(y * 0.17 + x * 0.05);
			luma = (x / 11 + y / 7) % 3 == 0 ? 230 - luma * 0.6 : luma;
			luma += next_random(&random) % 16;
			texel[0] = byte_of(luma + 30 * sin(y * 0.06));
			texel[1] = byte_of(luma);
			texel[2] = byte_of(luma - 25 * cos(x * 0.04));
			texel[3] = alpha ? byte_of(300 * sin(x * 0.05) * cos(y * 0.08)) : 255;
		}
	}
}

static void better_presets_have_less_error(void **state)
{
	(void)state;
	static uint8_t blocks[BLOCKS][64];
	static const double floors[2][QUALITY_COUNT] = { { 48.3, 49.0, 49.3 }, { 40.1, 42.0, 42.2 } };
	for (int alpha = 0; alpha < 2; ++alpha)
	{
		make_picture(blocks, alpha);
		double before = 0;
		for (int k = 0; k < QUALITY_COUNT; ++k)
		{
			double now = psnr(blocks, BLOCKS, &(lrd_block_encode_desc){ .quality = qualities[k] });
			print_message("alpha %d, preset %d: %.2f dB\n", alpha, k, now);
			assert_true(now > before);
			assert_true(now > floors[alpha][k]);
			before = now;
		}
	}
}

static void every_mode_is_produced_and_decodes_to_what_the_encoder_thought(void **state)
{
	(void)state;
	static void (*const kernels[])(const lrd_bc7_job *job) = LRD_KERNEL_TABLE(lrd_bc7_encode_chunk);
	static uint8_t blocks[BLOCKS][64], out[LRD_BC7_CHUNK * 16];
	size_t counts[9] = { 0 };
	for (uint32_t seed = 1; seed < 4; ++seed)
	{
		make_blocks(blocks, seed * 101);
		for (uint32_t first = 0; first < BLOCKS; first += LRD_BC7_CHUNK)
		{
			float errors[LRD_BC7_CHUNK];
			kernels[lrd_isa_choose(LRD_ISA_BEST)](&(lrd_bc7_job){ .effort = lrd_bc7_effort_of(LRD_BLOCK_NORMAL),
				.texels = (const uint8_t(*)[64])blocks + first,
				.count = LRD_BC7_CHUNK,
				.out = out,
				.errors = errors });
			for (uint32_t b = 0; b < LRD_BC7_CHUNK; ++b)
			{
				counts[__builtin_ctz(out[b * 16] | 256u)]++;
				assert_true(squared_error(blocks[first + b], out + b * 16) == errors[b]);
			}
		}
	}
	for (int mode = 0; mode < 8; ++mode)
	{
		print_message("mode %d: %zu blocks\n", mode, counts[mode]);
		assert_true(counts[mode] > 0);
	}
	assert_int_equal(counts[8], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_set_gives_the_same_bytes),
		cmocka_unit_test(a_block_is_encoded_alike_whatever_its_neighbours),
		cmocka_unit_test(alpha_of_0_and_255_is_kept),
		cmocka_unit_test(one_colour_is_exact),
		cmocka_unit_test(two_colours_split_like_a_partition_are_exact),
		cmocka_unit_test(better_presets_have_less_error),
		cmocka_unit_test(every_mode_is_produced_and_decodes_to_what_the_encoder_thought),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
