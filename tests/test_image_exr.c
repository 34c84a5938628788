// EXR: files that OpenEXR's own library wrote, against what that library reads (tests/fixtures/exr_make.cpp says how
// both were made); colours of other primaries; damage; and our writer, read back.

#include "failing_allocator.h"
#include "fixtures/image_check.h"

#include <math.h>
#include <stdlib.h>

static lrd_buffer read_data(const char *name)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/tests/data/exr/%s", LRD_TEST_SOURCE_DIR, name);
	FILE *file = fopen(path, "rb");
	if (file == NULL)
	{
		fail_msg("%s can't be opened", path);
	}
	lrd_buffer bytes = { 0 };
	uint8_t block[65536];
	for (size_t size; (size = fread(block, 1, sizeof block, file)) != 0;)
	{
		assert_true(lrd_buffer_append(&bytes, block, size));
	}
	fclose(file);
	return bytes;
}

static lrd_image decode_data(const char *name)
{
	lrd_buffer file = read_data(name);
	lrd_image image = { 0 };
	lrd_error error = { 0 };
	if (!lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { file.data, file.size } }, &image, &error))
	{
		fail_msg("%s: %s", name, error.message);
	}
	lrd_buffer_free(&file);
	assert_int_equal(image.type, LRD_PIXEL_F32);
	assert_true(image.linear);
	return image;
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

// The next line of a table, split at tabs; false after the last.
static bool next_line(char **at, char *cells[], size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		cells[i] = *at;
		*at += strcspn(*at, "\t\n");
		if (**at == 0)
		{
			return false;
		}
		*(*at)++ = 0;
	}
	return true;
}

static void every_kind_has_the_pixels_that_openexr_reads(void **state)
{
	(void)state;
	lrd_buffer table = read_data("expected.tsv");
	assert_true(lrd_buffer_append(&table, "", 1));
	char *at = (char *)table.data;
	char *cells[6];
	int count = 0;
	for (; next_line(&at, cells, 6); count++)
	{
		lrd_image image = decode_data(cells[0]);
		uint64_t expected = strtoull(cells[5], NULL, 16);
		uint64_t found = fnv1a(image.pixels, image.size);
		if (image.width != strtoul(cells[1], NULL, 10) || image.height != strtoul(cells[2], NULL, 10) ||
			image.source_channels != strtoul(cells[3], NULL, 10) || image.clamped != strtoul(cells[4], NULL, 10) ||
			found != expected)
		{
			fail_msg("%s: %u x %u, %u channels, %llu clamped, pixels %016llx; expected %s x %s, %s, %s, %s", cells[0],
				image.width, image.height, image.source_channels, (unsigned long long)image.clamped,
				(unsigned long long)found, cells[1], cells[2], cells[3], cells[4], cells[5]);
		}
		lrd_image_free(&image);
	}
	assert_int_equal(count, 31);
	lrd_buffer_free(&table);
}

// Within a rounding of half floats, which colours divided by alpha show enlarged.
static void assert_nearly(const char *name, const char *expected_name, uint32_t channels)
{
	lrd_image image = decode_data(name);
	lrd_buffer expected = read_data(expected_name);
	assert_int_equal(image.size, expected.size);
	assert_int_equal(image.source_channels, channels);
	const float *found = image.pixels;
	for (size_t i = 0; i < image.size / sizeof(float); i++)
	{
		float wanted;
		memcpy(&wanted, expected.data + i * sizeof wanted, sizeof wanted);
		if (!(fabsf(found[i] - wanted) <= 0.0025f * (1.0f + fabsf(wanted))))
		{
			fail_msg("%s: component %zu is %g; expected %g", name, i, (double)found[i], (double)wanted);
		}
	}
	lrd_image_free(&image);
	lrd_buffer_free(&expected);
}

// OpenEXR's reader rounds to half floats between its filters.
static void luminance_and_chroma_become_the_colours_that_openexr_reads(void **state)
{
	(void)state;
	assert_nearly("chroma.exr", "chroma.f32", 3);
	assert_nearly("chroma_alpha.exr", "chroma_alpha.f32", 4);
}

static void cosines_become_the_colours_that_openexr_reads(void **state)
{
	(void)state;
	assert_nearly("dwaa_half.exr", "dwaa_half.f32", 4);
	assert_nearly("dwab_mixed.exr", "dwab_mixed.f32", 4);
	assert_nearly("dwaa_tiles.exr", "dwaa_tiles.f32", 1);
}

static void what_holds_no_flat_picture_is_refused(void **state)
{
	(void)state;
	lrd_buffer table = read_data("refused.tsv");
	assert_true(lrd_buffer_append(&table, "", 1));
	char *at = (char *)table.data;
	char *cells[2];
	int count = 0;
	for (; next_line(&at, cells, 2); count++)
	{
		lrd_buffer file = read_data(cells[0]);
		lrd_error error = decode_damaged(file.data, file.size);
		if (strstr(error.message, cells[1]) == NULL || strncmp(error.message, "EXR: ", 5) != 0)
		{
			fail_msg("%s: \"%s\"; expected one with \"%s\"", cells[0], error.message, cells[1]);
		}
		lrd_buffer_free(&file);
	}
	assert_int_equal(count, 3);
	lrd_buffer_free(&table);
}

static void assert_colors(const char *name, bool as_stored, const float expected[4][3])
{
	lrd_buffer file = read_data(name);
	lrd_image image = { 0 };
	lrd_error error = { 0 };
	lrd_image_decode_desc desc = { .bytes = { file.data, file.size }, .ignore_gamma = as_stored };
	if (!lrd_image_decode(&desc, &image, &error))
	{
		fail_msg("%s: %s", name, error.message);
	}
	const float *texels = image.pixels;
	for (size_t i = 0; i < 12; i++)
	{
		float found = texels[4 * (i / 3) + i % 3];
		if (fabsf(found - expected[i / 3][i % 3]) > 2e-6f)
		{
			fail_msg("%s: texel %zu, component %zu is %.7f; expected %.7f", name, i / 3, i % 3, (double)found,
				(double)expected[i / 3][i % 3]);
		}
	}
	lrd_image_free(&image);
	lrd_buffer_free(&file);
}

// White, red, green and blue. ACES2065-1 to linear Rec. 709 by Bradford as published with ACES; XYZ to Rec. 709 as in
// IEC 61966-2-1 with more digits.
static void colours_of_other_primaries_become_those_of_rec_709(void **state)
{
	(void)state;
	static const float aces[4][3] = { { 1.0f, 1.0f, 1.0f }, { 2.5216862f, -0.2764799f, -0.0153781f },
		{ -1.1341310f, 1.3727191f, -0.1529753f }, { -0.3875552f, -0.0962392f, 1.1683534f } };
	assert_colors("primaries_ap0.exr", false, aces);
	static const float xyz[4][3] = { { 1.2049759f, 0.9482788f, 0.9086245f }, { 3.2409699f, -0.9692436f, 0.0556301f },
		{ -1.5373832f, 1.8759675f, -0.2039770f }, { -0.4986108f, 0.0415551f, 1.0569715f } };
	assert_colors("primaries_xyz.exr", false, xyz);
	static const float stored[4][3] = { { 1.0f, 1.0f, 1.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f },
		{ 0.0f, 0.0f, 1.0f } };
	assert_colors("primaries_ap0.exr", true, stored);
}

static void a_neutral_of_its_own_is_not_adapted_away(void **state)
{
	(void)state;
	lrd_image image = decode_data("primaries_ap0_neutral.exr");
	const float *white = image.pixels; // D60 seen beside D65: reddish
	assert_true(white[0] > 1.03f && white[1] > 0.98f && white[1] < 1.0f && white[2] < 0.93f);
	lrd_image_free(&image);
}

// Each file cut at each byte: an error, or, where what was lost is not shown, the same picture.
static void every_truncation_is_an_error_or_the_whole_picture(void **state)
{
	(void)state;
	static const char *const names[] = { "grey.exr", "parts.exr", "window_across.exr", "tiles_mip.exr", "chroma.exr",
		"deep.exr", "layer_alone.exr", "dwaa_tiles.exr", "dwaa_half.exr" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		lrd_buffer file = read_data(names[i]);
		lrd_image whole = { 0 };
		bool sound = lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { file.data, file.size } }, &whole, NULL);
		for (size_t size = 0; size < file.size; size++)
		{
			uint8_t *cut = malloc(size + 1); // of its own, so that a read past its end is seen
			memcpy(cut, file.data, size);
			lrd_image image;
			lrd_error error = { 0 };
			if (!lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { cut, size } }, &image, &error))
			{
				assert_true(error.message[0] != 0);
			}
			else
			{
				assert_true(sound && image.size == whole.size);
				assert_memory_equal(image.pixels, whole.pixels, whole.size);
				lrd_image_free(&image);
			}
			free(cut);
		}
		if (sound)
		{
			lrd_image_free(&whole);
		}
		lrd_buffer_free(&file);
	}
}

// What is damaged may decode or not; it must end, and leave nothing.
static void every_damaged_byte_ends_in_a_picture_or_an_error(void **state)
{
	(void)state;
	static const char *const names[] = { "grey.exr", "parts.exr", "tiles.exr", "chroma.exr", "height.exr",
		"not_finite.exr", "dwaa_tiles.exr", "dwaa_half.exr" };
	static const uint8_t changes[] = { 0x01, 0x80, 0xff };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		lrd_buffer file = read_data(names[i]);
		for (size_t k = 0; k < 3 * file.size; k++)
		{
			file.data[k / 3] ^= changes[k % 3];
			failing_allocator allocator;
			failing_allocator_init(&allocator, -1);
			lrd_image image;
			lrd_error error = { 0 };
			lrd_image_decode_desc desc = {
				.bytes = { file.data, file.size }, .max_bytes = 1 << 22, .allocator = failing_allocator_get(&allocator)
			};
			if (lrd_image_decode(&desc, &image, &error))
			{
				lrd_image_free(&image);
			}
			assert_int_equal(atomic_load(&allocator.bytes_out), 0);
			assert_true(atomic_load(&allocator.bytes_peak) < 64 << 20);
			file.data[k / 3] ^= changes[k % 3];
		}
		lrd_buffer_free(&file);
	}
}

static void what_exceeds_a_limit_takes_no_memory_for_pixels(void **state)
{
	(void)state;
	lrd_buffer file = read_data("piz_half.exr"); // 37 x 35
	static const struct
	{
		uint32_t side;
		uint64_t bytes;
		bool fits;
	} limits[] = { { 36, 0, false }, { 37, 0, true }, { 0, 37 * 35 * 16 - 1, false }, { 0, 37 * 35 * 16, true } };
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
	{
		failing_allocator allocator;
		failing_allocator_init(&allocator, -1);
		lrd_image image;
		lrd_error error = { 0 };
		lrd_image_decode_desc desc = { .bytes = { file.data, file.size },
			.max_side = limits[i].side,
			.max_bytes = limits[i].bytes,
			.allocator = failing_allocator_get(&allocator) };
		if (lrd_image_decode(&desc, &image, &error))
		{
			assert_true(limits[i].fits);
			lrd_image_free(&image);
			continue;
		}
		assert_false(limits[i].fits);
		assert_int_equal(error.code, LRD_ERROR_LIMIT);
		assert_true(atomic_load(&allocator.bytes_peak) < 16384); // the header's
	}
	lrd_buffer_free(&file);
}

// 37 x 35 texels in the file, in whose header the data window is made enormous.
static void a_small_file_that_claims_a_large_picture_is_refused(void **state)
{
	(void)state;
	static const char *const names[] = { "zip_half.exr", "dwaa_half.exr", "chroma.exr", "tiles.exr", "none_half.exr" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		lrd_buffer file = read_data(names[i]);
		static const char *const windows[] = { "dataWindow\0box2i", "displayWindow\0box2i" };
		static const size_t lengths[] = { 17, 20 };
		for (size_t w = 0; w < 2; w++)
		{
			uint8_t *at = file.data;
			while (memcmp(at, windows[w], lengths[w]) != 0)
			{
				at++;
			}
			static const uint8_t most[8] = { 0xff, 0x0f, 0, 0, 0xff, 0x0f, 0, 0 }; // 4095, 4095
			memcpy(at + lengths[w] + 4 + 8, most, 8);
		}
		failing_allocator allocator;
		failing_allocator_init(&allocator, -1);
		lrd_image image;
		lrd_error error = { 0 };
		lrd_image_decode_desc desc = { .bytes = { file.data, file.size },
			.allocator = failing_allocator_get(&allocator) };
		assert_false(lrd_image_decode(&desc, &image, &error));
		assert_int_equal(error.code, LRD_ERROR_FORMAT);
		bool may_grow = strcmp(names[i], "dwaa_half.exr") == 0; // by its growth such a file might be
		assert_true(may_grow || atomic_load(&allocator.bytes_peak) < 1 << 20);
		lrd_buffer_free(&file);
	}
}

static void failing_allocations_leave_nothing_behind(void **state)
{
	(void)state;
	static const char *const names[] = { "dwaa_half.exr", "dwab_mixed.exr", "chroma_alpha.exr", "parts.exr",
		"tiles_mip.exr" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
	{
		lrd_buffer file = read_data(names[i]);
		bool decoded = false;
		for (long long fewest = 0; !decoded; fewest++)
		{
			failing_allocator allocator;
			failing_allocator_init(&allocator, fewest);
			lrd_image image;
			lrd_error error = { 0 };
			lrd_image_decode_desc desc = { .bytes = { file.data, file.size },
				.allocator = failing_allocator_get(&allocator) };
			decoded = lrd_image_decode(&desc, &image, &error);
			if (decoded)
			{
				lrd_image_free(&image);
			}
			else if (error.code != LRD_ERROR_MEMORY)
			{
				fail_msg("%s with %lld allocations: %s", names[i], fewest, error.message);
			}
			assert_int_equal(atomic_load(&allocator.bytes_out), 0);
			assert_true(fewest < 400);
		}
		lrd_buffer_free(&file);
	}
}

static void a_chunk_that_the_table_lacks_is_an_error(void **state)
{
	(void)state;
	lrd_buffer file = read_data("zip_half.exr"); // 35 lines: three chunks, the table is 24 bytes in front of them
	size_t table = 0;
	for (size_t i = 0; i + 8 < file.size && table == 0; i++)
	{
		uint64_t offset;
		memcpy(&offset, file.data + i, sizeof offset);
		table = offset == i + 24 ? i : 0;
	}
	assert_true(table != 0);
	memset(file.data + table + 8, 0, 8); // as of a writer that was stopped
	lrd_error error = decode_damaged(file.data, file.size);
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "EXR: lines from 16: Corrupt chunk offset table"));
	lrd_buffer_free(&file);
}

static void write_and_read(const lrd_exr_write_desc *desc, lrd_image *image)
{
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (!lrd_image_write_exr(desc, &file, &error))
	{
		fail_msg("writing: %s", error.message);
	}
	*image = decode_sound(file.data, file.size);
	lrd_buffer_free(&file);
	assert_int_equal(image->width, desc->width);
	assert_int_equal(image->height, desc->height);
	assert_int_equal(image->source_channels, desc->channels);
}

static void what_is_written_reads_back(void **state)
{
	(void)state;
	static float texels[33 * 19 * 4];
	for (size_t i = 0; i < sizeof texels / sizeof *texels; i++)
	{
		texels[i] = i % 4 == 3 ? (float)(i / 4 % 3) / 2.0f : (float)((i * 37) % 1000) / 128.0f - 1.0f;
	}
	for (int half = 0; half < 2; half++)
	{
		lrd_image image;
		write_and_read(
			&(lrd_exr_write_desc){ .width = 33, .height = 19, .channels = 4, .half_float = half, .rgba = texels },
			&image);
		assert_memory_equal(image.pixels, texels, sizeof texels); // alpha of a half loses no bit
		lrd_image_free(&image);
		write_and_read(
			&(lrd_exr_write_desc){ .width = 33, .height = 19, .channels = 3, .half_float = half, .rgba = texels },
			&image);
		const float *found = image.pixels;
		assert_true(found[4] == texels[4] && found[6] == texels[6] && found[7] == 1.0f);
		lrd_image_free(&image);
		write_and_read(
			&(lrd_exr_write_desc){ .width = 1, .height = 1, .channels = 1, .half_float = half, .rgba = texels },
			&image);
		found = image.pixels;
		assert_true(found[0] == texels[0] && found[1] == texels[0] && found[2] == texels[0] && found[3] == 1.0f);
		lrd_image_free(&image);
	}
}

static void what_half_floats_cannot_hold_is_clamped_when_written(void **state)
{
	(void)state;
	static const float texels[8] = { 1e9f, -1e9f, NAN, 1.0f, INFINITY, -INFINITY, 0.0f, 1.0f };
	lrd_image image;
	write_and_read(
		&(lrd_exr_write_desc){ .width = 2, .height = 1, .channels = 4, .half_float = true, .rgba = texels }, &image);
	static const float expected[8] = { 65504.0f, -65504.0f, 0.0f, 1.0f, 65504.0f, -65504.0f, 0.0f, 1.0f };
	assert_memory_equal(image.pixels, expected, sizeof expected);
	assert_int_equal(image.clamped, 0);
	lrd_image_free(&image);
}

static void writing_appends_and_leaves_a_buffer_alone_when_it_fails(void **state)
{
	(void)state;
	static const float texels[4] = { 1.0f, 2.0f, 3.0f, 1.0f };
	lrd_exr_write_desc desc = { .width = 1, .height = 1, .channels = 3, .rgba = texels };
	lrd_buffer out = { 0 };
	lrd_error error = { 0 };
	assert_true(lrd_buffer_append(&out, "in front", 8));
	assert_true(lrd_image_write_exr(&desc, &out, &error));
	assert_memory_equal(out.data, "in front\x76\x2f\x31\x01", 12);
	lrd_image image = decode_sound(out.data + 8, out.size - 8);
	assert_memory_equal(image.pixels, texels, sizeof texels);
	lrd_image_free(&image);
	size_t size = out.size;
	desc.channels = 2;
	assert_false(lrd_image_write_exr(&desc, &out, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_int_equal(out.size, size);
	lrd_buffer_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_the_pixels_that_openexr_reads),
		cmocka_unit_test(luminance_and_chroma_become_the_colours_that_openexr_reads),
		cmocka_unit_test(cosines_become_the_colours_that_openexr_reads),
		cmocka_unit_test(what_holds_no_flat_picture_is_refused),
		cmocka_unit_test(colours_of_other_primaries_become_those_of_rec_709),
		cmocka_unit_test(a_neutral_of_its_own_is_not_adapted_away),
		cmocka_unit_test(every_truncation_is_an_error_or_the_whole_picture),
		cmocka_unit_test(every_damaged_byte_ends_in_a_picture_or_an_error),
		cmocka_unit_test(what_exceeds_a_limit_takes_no_memory_for_pixels),
		cmocka_unit_test(a_small_file_that_claims_a_large_picture_is_refused),
		cmocka_unit_test(failing_allocations_leave_nothing_behind),
		cmocka_unit_test(a_chunk_that_the_table_lacks_is_an_error),
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(what_half_floats_cannot_hold_is_clamped_when_written),
		cmocka_unit_test(writing_appends_and_leaves_a_buffer_alone_when_it_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
