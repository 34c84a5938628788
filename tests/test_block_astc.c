// ASTC: what is encoded is near what it was, and the same whatever was encoded before and however rows are split; blocks
// of others decode as in Mesa 22.3, whose decoder is its own.

#include "base/hash.h"
#include "block/astc.h"
#include "failing_allocator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum
{
	WIDTH = 77, // no multiple of any footprint
	HEIGHT = 51,
	BLOCKS_MAX = 20 * 13 * LRD_ASTC_BLOCK_BYTES,
};

// Smooth waves, with noise that grows downwards: what photographs have, at every difficulty. Alpha is smooth.
static void fill_picture(uint8_t *rgba)
{
	uint32_t random = 1;
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
	{
		float x = (float)(i % WIDTH), y = (float)(i / WIDTH);
		for (uint32_t c = 0; c < 4; c++)
		{
			random = random * 1664525u + 1013904223u;
			float wave = sinf(x * 0.05f + (float)c * 0.3f) * cosf(y * 0.04f + x * 0.02f);
			float noise = c == 3 ? 0.0f : (float)(random >> 16) / 65536.0f * y * 0.3f;
			rgba[4 * i + c] = (uint8_t)(128.0f + 100.0f * wave + noise);
		}
	}
}

static lrd_astc *open_sound(lrd_astc_desc desc)
{
	lrd_error error = { 0 };
	lrd_astc *astc = lrd_astc_open(&desc, (lrd_allocator){ 0 }, &error);
	if (astc == NULL)
	{
		fail_msg("%s", error.message);
	}
	return astc;
}

static size_t encode_picture(lrd_astc_desc desc, const uint8_t *rgba, uint8_t *blocks)
{
	lrd_astc *astc = open_sound(desc);
	lrd_astc_image image = { (void *)(uintptr_t)rgba, LRD_ASTC_UNORM8, WIDTH, HEIGHT };
	uint32_t rows = lrd_astc_blocks(HEIGHT, desc.block_height);
	lrd_error error = { 0 };
	assert_true(lrd_astc_encode(astc, &image, 0, rows, blocks, &error));
	lrd_astc_close(astc);
	return (size_t)rows * lrd_astc_blocks(WIDTH, desc.block_width) * LRD_ASTC_BLOCK_BYTES;
}

static void decode_picture(lrd_astc_desc desc, const uint8_t *blocks, size_t size, lrd_astc_type type, void *pixels)
{
	desc.decode_only = true;
	lrd_astc *astc = open_sound(desc);
	lrd_error error = { 0 };
	assert_true(lrd_astc_decode(astc, blocks, size, &(lrd_astc_image){ pixels, type, WIDTH, HEIGHT }, &error));
	lrd_astc_close(astc);
}

static double decibel(const uint8_t *a, const uint8_t *b, size_t size)
{
	double sum = 0;
	for (size_t i = 0; i < size; i++)
	{
		sum += (double)((a[i] - b[i]) * (a[i] - b[i]));
	}
	return 10 * log10(255.0 * 255.0 / (sum / (double)size + 1e-9));
}

static void pictures_come_back_better_with_more_bits_and_effort(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t side;
		double least;
	} cases[] = { { 4, 36 }, { 5, 33 }, { 6, 30 }, { 8, 26 } };
	static const lrd_block_quality qualities[] = { LRD_BLOCK_FAST, LRD_BLOCK_NORMAL, LRD_BLOCK_BEST };
	static uint8_t rgba[4 * WIDTH * HEIGHT], decoded[4 * WIDTH * HEIGHT], blocks[BLOCKS_MAX];
	fill_picture(rgba);
	double above = 1000;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
	{
		double before = 0;
		for (size_t q = 0; q < 3; q++)
		{
			lrd_astc_desc desc = { .block_width = cases[i].side,
				.block_height = cases[i].side,
				.profile = LRD_ASTC_LDR_SRGB,
				.quality = qualities[q] };
			size_t size = encode_picture(desc, rgba, blocks);
			decode_picture(desc, blocks, size, LRD_ASTC_UNORM8, decoded);
			double found = decibel(rgba, decoded, sizeof rgba);
			if (found < cases[i].least || found < before - 0.05 || found > above)
			{
				fail_msg("%ux%u, effort %zu: %.2f dB, at least %.0f, before %.2f, less than %.2f", cases[i].side,
					cases[i].side, q, found, cases[i].least, before, above);
			}
			before = found;
		}
		above = before;
	}
}

static void rows_may_be_split(void **state)
{
	(void)state;
	static uint8_t rgba[4 * WIDTH * HEIGHT], whole[BLOCKS_MAX], split[BLOCKS_MAX];
	fill_picture(rgba);
	lrd_astc_desc desc = { .block_width = 6, .block_height = 5, .quality = LRD_BLOCK_FAST };
	size_t size = encode_picture(desc, rgba, whole);
	size_t row_size = lrd_astc_blocks(WIDTH, 6) * LRD_ASTC_BLOCK_BYTES;
	lrd_astc *each[2] = { open_sound(desc), open_sound(desc) };
	lrd_astc_image image = { rgba, LRD_ASTC_UNORM8, WIDTH, HEIGHT };
	uint32_t rows = lrd_astc_blocks(HEIGHT, 5);
	for (uint32_t row = 0, count; row < rows; row += count)
	{
		count = row % 3 + 1 < rows - row ? row % 3 + 1 : rows - row;
		assert_true(lrd_astc_encode(each[row % 2], &image, row, count, split + row * row_size, NULL));
	}
	lrd_astc_close(each[0]);
	lrd_astc_close(each[1]);
	assert_int_equal(size, rows * row_size);
	assert_memory_equal(whole, split, size);
}

// Each preset in a process of its own, after each other preset was used there. astc-encoder 4.2 keeps some of what the
// first one says.
static void bytes_do_not_hang_on_what_was_encoded_before(void **state)
{
	(void)state;
	static uint8_t rgba[4 * WIDTH * HEIGHT], blocks[BLOCKS_MAX];
	fill_picture(rgba);
	uint64_t hashes[4];
	for (int before = 0; before < 4; before++)
	{
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0)
		{
			if (before != 0)
			{
				lrd_block_quality quality = before == 1 ? LRD_BLOCK_FAST : LRD_BLOCK_BEST;
				encode_picture((lrd_astc_desc){ .block_width = before == 3 ? 8 : 4,
								   .block_height = before == 3 ? 8 : 4,
								   .quality = quality,
								   .normal_map = before == 3 },
					rgba, blocks);
			}
			size_t size = encode_picture((lrd_astc_desc){ .block_width = 6, .block_height = 6 }, rgba, blocks);
			uint64_t hash = lrd_xxh3_64(blocks, size);
			_exit(write(ends[1], &hash, sizeof hash) == (ssize_t)sizeof hash ? 0 : 1);
		}
		close(ends[1]);
		assert_int_equal(read(ends[0], &hashes[before], sizeof hashes[before]), sizeof hashes[before]);
		close(ends[0]);
		int status;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_true(hashes[before] == hashes[0]);
	}
}

static void normals_lose_less_angle_as_normals(void **state)
{
	(void)state;
	static uint8_t rgba[4 * WIDTH * HEIGHT], decoded[4 * WIDTH * HEIGHT], blocks[BLOCKS_MAX];
	double errors[2];
	for (int as_normals = 0; as_normals < 2; as_normals++)
	{
		fill_picture(rgba);
		for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		{
			rgba[4 * i + 3] = rgba[4 * i + 1];
			rgba[4 * i + 1] = rgba[4 * i + 2] = rgba[4 * i];
		}
		lrd_astc_desc desc = { .block_width = 6, .block_height = 6, .normal_map = as_normals == 1 };
		size_t size = encode_picture(desc, rgba, blocks);
		decode_picture(desc, blocks, size, LRD_ASTC_UNORM8, decoded);
		errors[as_normals] = 0;
		for (size_t i = 0; i < WIDTH * HEIGHT; i++)
		{
			double x = rgba[4 * i] - decoded[4 * i], y = rgba[4 * i + 3] - decoded[4 * i + 3];
			errors[as_normals] += x * x + y * y;
		}
	}
	assert_true(errors[1] < errors[0]);
}

static void bright_colours_come_back(void **state)
{
	(void)state;
	static float rgba[4 * WIDTH * HEIGHT], decoded[4 * WIDTH * HEIGHT];
	static uint8_t blocks[BLOCKS_MAX];
	for (size_t i = 0; i < 4 * WIDTH * HEIGHT; i++)
	{
		rgba[i] = i % 4 == 3 ? 1.0f : expf(3.0f * sinf((float)(i / 4 % WIDTH) * 0.05f + (float)(i % 4)));
	}
	lrd_astc_desc desc = { .block_width = 6, .block_height = 6, .profile = LRD_ASTC_HDR };
	lrd_astc *astc = open_sound(desc);
	lrd_astc_image image = { rgba, LRD_ASTC_F32, WIDTH, HEIGHT };
	assert_true(lrd_astc_encode(astc, &image, 0, lrd_astc_blocks(HEIGHT, 6), blocks, NULL));
	lrd_astc_close(astc);
	decode_picture(desc, blocks, sizeof blocks, LRD_ASTC_F32, decoded);
	for (size_t i = 0; i < 4 * WIDTH * HEIGHT; i++)
	{
		assert_true(fabsf(decoded[i] - rgba[i]) < 0.15f * rgba[i] + 0.05f);
	}
}

static void others_blocks_decode_as_in_mesa(void **state)
{
	(void)state;
	FILE *file = fopen(LRD_TEST_SOURCE_DIR "/../shared/corpus/tex/cts/astc_ldr_6x6_arraytex_7_mipmap.ktx2", "rb");
	if (file == NULL)
	{
		print_message("skipped: the corpus is absent\n");
		skip();
	}
	// Level 0 of KTX 2.0: 16 x 16 texels in 7 layers of 9 blocks. Its index says where.
	uint8_t head[88 + 8], blocks[7 * 144];
	static uint8_t texels[7][16 * 16 * 4];
	assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
	uint64_t at;
	memcpy(&at, head + 80, sizeof at);
	assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
	assert_int_equal(fread(blocks, 1, sizeof blocks, file), sizeof blocks);
	fclose(file);
	lrd_astc *astc = open_sound(
		(lrd_astc_desc){ .block_width = 6, .block_height = 6, .profile = LRD_ASTC_LDR_SRGB, .decode_only = true });
	for (int layer = 0; layer < 7; layer++)
	{
		lrd_astc_image image = { texels[layer], LRD_ASTC_UNORM8, 16, 16 };
		assert_true(lrd_astc_decode(astc, blocks + 144 * layer, 144, &image, NULL));
	}
	lrd_astc_close(astc);
	assert_true(lrd_xxh3_64(texels, sizeof texels) == 0x6112924f262cebb7);
}

static void any_bytes_decode_for_every_footprint(void **state)
{
	(void)state;
	uint32_t footprints = 0, random = 1;
	for (uint32_t width = 0; width <= 13; width++)
	{
		for (uint32_t height = 0; height <= 13; height++)
		{
			lrd_error error = { 0 };
			lrd_astc_desc desc = {
				.block_width = width, .block_height = height, .profile = LRD_ASTC_HDR, .decode_only = true
			};
			lrd_astc *astc = lrd_astc_open(&desc, (lrd_allocator){ 0 }, &error);
			assert_int_equal(astc != NULL, lrd_astc_has_footprint(width, height));
			if (astc == NULL)
			{
				assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
				continue;
			}
			footprints++;
			uint8_t *blocks = malloc(64 * LRD_ASTC_BLOCK_BYTES);
			float *pixels = malloc((size_t)64 * width * height * 16);
			assert_true(blocks != NULL && pixels != NULL);
			for (size_t i = 0; i < 64 * LRD_ASTC_BLOCK_BYTES; i++)
			{
				random = random * 1664525u + 1013904223u;
				blocks[i] = (uint8_t)(random >> 24);
			}
			assert_true(lrd_astc_decode(astc, blocks, 64 * LRD_ASTC_BLOCK_BYTES,
				&(lrd_astc_image){ pixels, LRD_ASTC_F32, 8 * width, 8 * height }, &error));
			free(pixels);
			free(blocks);
			lrd_astc_close(astc);
		}
	}
	assert_int_equal(footprints, 14);
}

static void what_can_not_be_is_an_error(void **state)
{
	(void)state;
	uint8_t pixels[4 * 16] = { 0 }, blocks[64];
	lrd_astc_image image = { pixels, LRD_ASTC_UNORM8, 4, 4 }, empty = { pixels, LRD_ASTC_UNORM8, 0, 4 };
	lrd_astc *astc = open_sound((lrd_astc_desc){ .block_width = 4, .block_height = 4, .quality = LRD_BLOCK_FAST });
	lrd_error error = { 0 };
	assert_false(lrd_astc_encode(astc, &image, 0, 2, blocks, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_false(lrd_astc_encode(astc, &image, 1, 1, blocks, &error));
	assert_false(lrd_astc_encode(astc, &image, 0, 0, blocks, &error));
	assert_false(lrd_astc_encode(astc, &empty, 0, 1, blocks, &error));
	assert_true(lrd_astc_encode(astc, &image, 0, 1, blocks, &error));
	assert_false(lrd_astc_decode(astc, blocks, 15, &image, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_false(lrd_astc_decode(astc, blocks, 64, &empty, &error));
	lrd_astc_close(astc);
	astc = open_sound((lrd_astc_desc){ .block_width = 4, .block_height = 4, .decode_only = true });
	assert_false(lrd_astc_encode(astc, &image, 0, 1, blocks, &error));
	lrd_astc_close(astc);
	failing_allocator allocator;
	failing_allocator_init(&allocator, 0);
	assert_null(lrd_astc_open(
		&(lrd_astc_desc){ .block_width = 4, .block_height = 4 }, failing_allocator_get(&allocator), &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	lrd_astc_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_do_not_hang_on_what_was_encoded_before), // first: nothing was encoded before
		cmocka_unit_test(pictures_come_back_better_with_more_bits_and_effort),
		cmocka_unit_test(rows_may_be_split),
		cmocka_unit_test(normals_lose_less_angle_as_normals),
		cmocka_unit_test(bright_colours_come_back),
		cmocka_unit_test(others_blocks_decode_as_in_mesa),
		cmocka_unit_test(any_bytes_decode_for_every_footprint),
		cmocka_unit_test(what_can_not_be_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
