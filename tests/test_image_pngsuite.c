// PngSuite (Willem van Schaik), whole: every sound file has the pixels that pngjs, which shares no code with us, finds
// (tests/fixtures/pngsuite_make.mjs), every damaged one is refused.

#include "fixtures/image_check.h"

#include <stdlib.h>

static lrd_buffer read_data(const char *name)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/tests/data/pngsuite/%s", LRD_TEST_SOURCE_DIR, name);
	FILE *file = fopen(path, "rb");
	if (file == NULL)
	{
		fail_msg("%s can't be opened", path);
	}
	lrd_buffer bytes = { 0 };
	uint8_t block[8192];
	for (size_t size; (size = fread(block, 1, sizeof block, file)) != 0;)
	{
		assert_true(lrd_buffer_append(&bytes, block, size));
	}
	fclose(file);
	return bytes;
}

static uint64_t fnv1a(const void *data, size_t size)
{
	uint64_t hash = 14695981039346656037u;
	for (size_t i = 0; i < size; i++)
	{
		hash = (hash ^ ((const uint8_t *)data)[i]) * 1099511628211u;
	}
	return hash;
}

// pngjs gives a transparent colour's texels no colour.
static void blacken_transparent(const lrd_image *image)
{
	size_t size = image->size / ((size_t)image->width * image->height); // of a texel
	uint8_t *texel = image->pixels;
	for (size_t i = 0; i < (size_t)image->width * image->height; i++, texel += size)
	{
		static const uint8_t none[2] = { 0, 0 };
		if (memcmp(texel + size * 3 / 4, none, size / 4) == 0)
		{
			memset(texel, 0, size);
		}
	}
}

static void check_file(const char *name, uint32_t width, uint32_t height, uint32_t bits, uint64_t hash)
{
	lrd_buffer file = read_data(name);
	lrd_image image = { 0 };
	lrd_error error = { 0 };
	lrd_image_decode_desc desc = { .bytes = { file.data, file.size }, .ignore_gamma = true };
	if (!lrd_image_decode(&desc, &image, &error))
	{
		fail_msg("%s: %s", name, error.message);
	}
	blacken_transparent(&image);
	uint64_t found = fnv1a(image.pixels, image.size);
	if (image.width != width || image.height != height || found != hash ||
		image.type != (bits == 16 ? LRD_PIXEL_UNORM16 : LRD_PIXEL_UNORM8))
	{
		fail_msg("%s: %u x %u, type %d, pixels %016llx; expected %u x %u, %u bits, %016llx", name, image.width,
			image.height, (int)image.type, (unsigned long long)found, width, height, bits, (unsigned long long)hash);
	}
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

static void every_sound_file_has_its_pixels(void **state)
{
	(void)state;
	lrd_buffer table = read_data("expected.tsv");
	assert_true(lrd_buffer_append(&table, "", 1));
	int count = 0;
	for (char *line = strtok((char *)table.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
	{
		char name[64];
		unsigned width, height, bits;
		unsigned long long hash;
		assert_int_equal(sscanf(line, "%63s %u %u %u %llx", name, &width, &height, &bits, &hash), 5);
		check_file(name, width, height, bits, hash);
		count++;
	}
	assert_int_equal(count, 161);
	lrd_buffer_free(&table);
}

static void every_damaged_file_is_refused(void **state)
{
	(void)state;
	static const char *const names[] = { "xc1n0g08", "xc9n2c08", "xcrn0g04", "xcsn0g01", "xd0n2c08", "xd3n2c08",
		"xd9n2c08", "xdtn0g01", "xhdn0g08", "xlfn0g04", "xs1n0g01", "xs2n0g01", "xs4n0g01", "xs7n0g01" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		char name[32];
		snprintf(name, sizeof name, "%s.png", names[i]);
		lrd_buffer file = read_data(name);
		lrd_image image;
		lrd_error error = { 0 };
		if (lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { file.data, file.size } }, &image, &error))
		{
			fail_msg("%s decodes", name);
		}
		assert_true(error.code == LRD_ERROR_FORMAT || error.code == LRD_ERROR_UNSUPPORTED);
		assert_true(error.message[0] != 0);
		lrd_buffer_free(&file);
	}
}

// The g files are one picture at screen gammas from 0.35 to 2.5: honoured, they come out nearly the same.
static void gamma_makes_the_gamma_files_alike(void **state)
{
	(void)state;
	static const char *const kinds[] = { "n0g16", "n2c08", "n3p04" };
	static const char *const gammas[] = { "g03", "g04", "g05", "g07", "g10", "g25" };
	static const double largest[] = { 3.0, 6.0, 25.0 }; // of 255; dark codes at low gammas are few, palettes fewer
	for (size_t kind = 0; kind < 3; kind++)
	{
		double means[6];
		for (size_t i = 0; i < 6; i++)
		{
			char name[32];
			snprintf(name, sizeof name, "%s%s.png", gammas[i], kinds[kind]);
			lrd_buffer file = read_data(name);
			lrd_image image = decode_sound(file.data, file.size);
			double sum = 0.0;
			for (size_t k = 0; k < 32 * 32 * 4; k++)
			{
				double value = image.type == LRD_PIXEL_UNORM16 ? ((const uint16_t *)image.pixels)[k] / 257.0
															   : ((const uint8_t *)image.pixels)[k];
				value = image.linear ? (double)lrd_linear_to_srgb((float)(value / 255.0)) * 255.0 : value;
				sum += k % 4 != 3 ? value : 0.0;
			}
			means[i] = sum / (32 * 32 * 3);
			lrd_image_free(&image);
			lrd_buffer_free(&file);
		}
		for (size_t i = 1; i < 6; i++)
		{
			double difference = means[i] > means[0] ? means[i] - means[0] : means[0] - means[i];
			if (difference > largest[kind])
			{
				fail_msg("%s%s: mean %.2f; %s has %.2f", gammas[i], kinds[kind], means[i], gammas[0], means[0]);
			}
		}
	}
}

static void every_truncation_is_an_error(void **state)
{
	(void)state;
	static const char *const names[] = { "basi6a16.png", "basn3p04.png", "tbbn0g04.png", "oi9n0g16.png",
		"ctzn0g04.png" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		lrd_buffer file = read_data(names[i]);
		for (size_t size = 0; size < file.size - 4; size++) // IEND's own checksum, at the end, libspng does not read
		{
			uint8_t *cut = malloc(size + 1); // of its own, so that a read past its end is seen
			memcpy(cut, file.data, size);
			lrd_image image;
			if (lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { cut, size } }, &image, NULL))
			{
				fail_msg("%s decodes when cut to %zu of %zu bytes", names[i], size, file.size);
			}
			free(cut);
		}
		lrd_buffer_free(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sound_file_has_its_pixels),
		cmocka_unit_test(every_damaged_file_is_refused),
		cmocka_unit_test(gamma_makes_the_gamma_files_alike),
		cmocka_unit_test(every_truncation_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
