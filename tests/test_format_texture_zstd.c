// KTX 2.0 under Zstandard: what the writer makes, what the reader gives back, and what it refuses.

#include "fixtures/cooked_file.h"

#include "failing_allocator.h"
#include "fixtures/format_texture.h"

#include <zstd.h>

static void write_zstd(texture_shape shape, int level, lrd_buffer *out)
{
	lrd_texture_view view = sample_texture(shape);
	lrd_error error = { 0 };
	if (!lrd_texture_write_zstd(&view, level, out, &error))
	{
		fail_msg("%s", error.message);
	}
	sample_texture_free(&view);
}

static void assert_decompresses_to(const lrd_texture_view *view, const lrd_texture_view *expected)
{
	for (uint32_t level = 0; level < view->level_count; level++)
	{
		size_t size = (size_t)view->levels[level].decoded_size;
		assert_int_equal(size, expected->levels[level].size);
		uint8_t *bytes = malloc(size);
		assert_non_null(bytes);
		lrd_error error = { 0 };
		if (!lrd_texture_decompress(view, level, (lrd_allocator){ 0 }, bytes, size, &error))
		{
			fail_msg("level %u: %s", level, error.message);
		}
		assert_memory_equal(bytes, expected->levels[level].data, size);
		free(bytes);
	}
}

static void every_format_survives_compression(void **state)
{
	(void)state;
	for (uint32_t format = 1; format <= 184; format++)
	{
		if (lrd_texture_format_find(format) == NULL)
		{
			continue;
		}
		texture_shape shape = { format, 13, 7, 0, 2, 1, 4 };
		lrd_texture_view expected = sample_texture(shape);
		lrd_buffer file = { 0 };
		lrd_texture_view view;
		write_zstd(shape, 0, &file);
		assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
		assert_int_equal(view.supercompression, LRD_SUPERCOMPRESSION_ZSTD);
		assert_decompresses_to(&view, &expected);
		sample_texture_free(&expected);
		lrd_buffer_free(&file);
	}
}

static void levels_are_single_frames_without_padding(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	write_zstd((texture_shape){ 23, 33, 17, 0, 0, 1, 6 }, 19, &file);
	lrd_texture_view view;
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	uint64_t end = view.levels[5].offset;
	for (uint32_t level = 6; level-- > 0;)
	{
		const lrd_texture_level *stored = &view.levels[level];
		assert_int_equal(stored->offset, end);
		assert_int_equal(ZSTD_findFrameCompressedSize(stored->data, (size_t)stored->size), stored->size);
		assert_int_equal(ZSTD_getFrameContentSize(stored->data, (size_t)stored->size), stored->decoded_size);
		end += stored->size;
	}
	assert_int_equal(end, file.size);
	lrd_buffer_free(&file);
}

static void the_descriptor_is_that_of_the_uncompressed_texture(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	write_zstd((texture_shape){ 146, 8, 8, 0, 0, 1, 1 }, 3, &file);
	uint32_t expected[LRD_DFD_MAX_WORDS];
	uint32_t words = lrd_texture_format_describe(lrd_texture_format_find(146), expected);
	lrd_texture_view view;
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_int_equal(view.dfd.size, 4 * words);
	assert_memory_equal(view.dfd.data, expected, 4 * words);
	lrd_buffer_free(&file);
}

static void a_compressed_file_is_written_again_byte_for_byte(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	lrd_buffer again = { 0 };
	lrd_texture_view view;
	write_zstd((texture_shape){ 145, 20, 12, 0, 3, 1, 5 }, 9, &file);
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_true(lrd_texture_write(&view, &again, NULL));
	assert_int_equal(again.size, file.size);
	assert_memory_equal(again.data, file.data, file.size);
	lrd_buffer_free(&again);
	lrd_error error = { 0 };
	assert_false(lrd_texture_write_zstd(&view, 0, &again, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&file);
}

static void universal_files_are_written_again_byte_for_byte(void **state)
{
	(void)state;
	lrd_buffer files[3] = { 0 };
	assert_true(make_basis_texture(&files[0]));
	assert_true(make_uastc_texture(false, &files[1]));
	assert_true(make_uastc_texture(true, &files[2]));
	for (size_t i = 0; i < 3; i++)
	{
		lrd_texture_view view;
		lrd_buffer once = { 0 };
		lrd_buffer again = { 0 };
		lrd_error error = { 0 };
		assert_true(lrd_texture_open(files[i].data, files[i].size, &view, &error));
		if (!lrd_texture_write(&view, &once, &error) || !lrd_texture_open(once.data, once.size, &view, &error) ||
			!lrd_texture_write(&view, &again, &error))
		{
			fail_msg("%zu: %s", i, error.message);
		}
		assert_int_equal(again.size, once.size); // the first writing added keys
		assert_memory_equal(again.data, once.data, once.size);
		lrd_texture_view first;
		assert_true(lrd_texture_open(files[i].data, files[i].size, &first, NULL));
		for (uint32_t level = 0; level < view.level_count; level++)
		{
			assert_int_equal(view.levels[level].size, first.levels[level].size);
			assert_memory_equal(view.levels[level].data, first.levels[level].data, first.levels[level].size);
		}
		assert_int_equal(view.supercompression_global.size, first.supercompression_global.size);
		lrd_buffer_free(&once);
		lrd_buffer_free(&again);
		lrd_buffer_free(&files[i]);
	}
}

static void a_level_without_supercompression_is_copied(void **state)
{
	(void)state;
	lrd_texture_view expected = sample_texture((texture_shape){ 43, 9, 3, 0, 0, 1, 3 });
	assert_decompresses_to(&expected, &expected);
	sample_texture_free(&expected);
}

// Refusals.

/// One level of 4 x 4 RGBA8, 64 bytes, stored as these bytes under Zstandard.
static lrd_texture_view stored_level(const void *bytes, size_t size)
{
	lrd_texture_view view = { .format = 37,
		.type_size = 1,
		.width = 4,
		.height = 4,
		.face_count = 1,
		.level_count = 1,
		.supercompression = LRD_SUPERCOMPRESSION_ZSTD };
	view.levels[0] = (lrd_texture_level){ .data = bytes, .size = size, .decoded_size = 64 };
	return view;
}

static void assert_level_refused(const void *bytes, size_t size, const char *says)
{
	lrd_texture_view view = stored_level(bytes, size);
	lrd_buffer file = { 0 };
	assert_true(lrd_texture_write(&view, &file, NULL));
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	uint8_t texels[64];
	lrd_error error = { 0 };
	assert_false(lrd_texture_decompress(&view, 0, (lrd_allocator){ 0 }, texels, sizeof texels, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	if (strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, error.message);
	}
	lrd_buffer_free(&file);
}

static void frames_of_another_size_are_refused(void **state)
{
	(void)state;
	static const uint8_t zeros[65];
	uint8_t frame[128];
	size_t size = ZSTD_compress(frame, sizeof frame, zeros, 63, 3);
	assert_level_refused(frame, size, "decodes to 63 bytes, must be 64");
	size = ZSTD_compress(frame, sizeof frame, zeros, 65, 3);
	assert_level_refused(frame, size, "decodes to more than the 64 bytes");
}

static void a_bomb_is_refused_without_memory_for_it(void **state)
{
	(void)state;
	size_t large = (size_t)64 << 20;
	uint8_t *zeros = calloc(1, large);
	assert_non_null(zeros);
	size_t capacity = ZSTD_compressBound(large);
	uint8_t *frame = malloc(capacity);
	assert_non_null(frame);
	size_t size = ZSTD_compress(frame, capacity, zeros, large, 3);
	assert_level_refused(frame, size, "decodes to more than the 64 bytes");
	free(zeros);
	free(frame);
}

static void damaged_frames_are_refused(void **state)
{
	(void)state;
	uint8_t pattern[64];
	for (size_t i = 0; i < sizeof pattern; i++)
	{
		pattern[i] = (uint8_t)(i * i);
	}
	uint8_t frame[128];
	size_t size = ZSTD_compress(frame, sizeof frame, pattern, sizeof pattern, 3);
	assert_level_refused(frame, size - 1, "level 0 is damaged: zstd says");
	assert_level_refused("nothing", 7, "level 0 is damaged: zstd says");
	frame[size] = 0;
	assert_level_refused(frame, size + 1, "level 0 is damaged: zstd says");
}

static void a_changed_byte_is_seen_by_the_checksum(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	write_zstd((texture_shape){ 43, 4, 4, 0, 0, 1, 1 }, 3, &file);
	lrd_texture_view view;
	uint8_t texels[64];
	for (size_t i = 0; i < 16; i++)
	{
		assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
		file.data[view.levels[0].offset + 20 + i] ^= 1;
		assert_false(lrd_texture_decompress(&view, 0, (lrd_allocator){ 0 }, texels, sizeof texels, NULL));
		file.data[view.levels[0].offset + 20 + i] ^= 1;
	}
	assert_true(lrd_texture_decompress(&view, 0, (lrd_allocator){ 0 }, texels, sizeof texels, NULL));
	lrd_buffer_free(&file);
}

static void a_level_too_small_for_what_it_claims_is_refused_on_opening(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t scheme;
		uint64_t size;
		bool good;
	} cases[] = { { LRD_SUPERCOMPRESSION_ZSTD, 127, false }, { LRD_SUPERCOMPRESSION_ZSTD, 128, true },
		{ LRD_SUPERCOMPRESSION_ZLIB, 4064, false }, { LRD_SUPERCOMPRESSION_ZLIB, 4065, true } };
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		raw_texture raw = {
			.header = { .format = 9,
				.type_size = 1,
				.width = 2048,
				.height = 2048,
				.face_count = 1,
				.level_count = 1,
				.supercompression = cases[i].scheme },
			.levels = { { .size = cases[i].size, .decoded_size = 2048 * 2048 } },
		};
		(void)lrd_texture_format_describe(lrd_texture_format_find(9), raw.dfd);
		lrd_buffer file = { 0 };
		assert_true(make_raw_texture(&raw, &file));
		lrd_texture_view view;
		lrd_error error = { 0 };
		assert_int_equal(lrd_texture_open(file.data, file.size, &view, &error), cases[i].good);
		assert_true(cases[i].good || strstr(error.message, "too few for uncompressedByteLength") != NULL);
		lrd_buffer_free(&file);
	}
}

static void other_schemes_are_read_but_not_decompressed(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	lrd_error error = { 0 };
	uint8_t bytes[64];
	assert_true(make_basis_texture(&file));
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_int_equal(lrd_texture_universal_kind(&view), LRD_TEXTURE_ETC1S);
	assert_false(lrd_texture_decompress(&view, 0, (lrd_allocator){ 0 }, bytes, 0, &error));
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "needs transcoding"));
	lrd_buffer_free(&file);
	view = stored_level("123456789", 9);
	view.supercompression = LRD_SUPERCOMPRESSION_ZLIB;
	assert_true(lrd_texture_write(&view, &file, NULL));
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_false(lrd_texture_decompress(&view, 0, (lrd_allocator){ 0 }, bytes, sizeof bytes, &error));
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "zlib"));
	lrd_buffer_free(&file);
}

static void wrong_arguments_are_refused(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	lrd_error error = { 0 };
	uint8_t bytes[64];
	write_zstd((texture_shape){ 43, 4, 4, 0, 0, 1, 1 }, 3, &file);
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_false(lrd_texture_decompress(&view, 1, (lrd_allocator){ 0 }, bytes, 64, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_false(lrd_texture_decompress(&view, 0, (lrd_allocator){ 0 }, bytes, 63, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_true(lrd_texture_open_header(file.data, file.size, file.size, &view, NULL));
	assert_false(lrd_texture_decompress(&view, 0, (lrd_allocator){ 0 }, bytes, 64, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "no bytes attached"));
	lrd_buffer_free(&file);
	lrd_texture_view plain = sample_texture((texture_shape){ 43, 4, 4, 0, 0, 1, 1 });
	assert_false(lrd_texture_write_zstd(&plain, -1, &file, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_false(lrd_texture_write_zstd(&plain, 23, &file, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	plain.level_count = 33;
	assert_false(lrd_texture_write_zstd(&plain, 3, &file, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	plain.level_count = 1;
	sample_texture_free(&plain);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	lrd_texture_view plain = sample_texture((texture_shape){ 43, 8, 4, 0, 0, 1, 2 });
	bool done = false;
	for (long long succeed = 0; !done; succeed++)
	{
		assert_true(succeed < 200);
		failing_allocator allocator;
		failing_allocator_init(&allocator, succeed);
		lrd_buffer out = { .allocator = failing_allocator_get(&allocator) };
		lrd_error error = { 0 };
		lrd_texture_view view;
		uint8_t bytes[128];
		done = lrd_texture_write_zstd(&plain, 3, &out, &error) && lrd_texture_open(out.data, out.size, &view, &error) &&
			   lrd_texture_decompress(&view, 0, out.allocator, bytes, sizeof bytes, &error);
		assert_true(done || error.code == LRD_ERROR_MEMORY);
		lrd_buffer_free(&out);
		assert_int_equal(atomic_load(&allocator.bytes_out), 0);
	}
	sample_texture_free(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_survives_compression),
		cmocka_unit_test(levels_are_single_frames_without_padding),
		cmocka_unit_test(the_descriptor_is_that_of_the_uncompressed_texture),
		cmocka_unit_test(a_compressed_file_is_written_again_byte_for_byte),
		cmocka_unit_test(universal_files_are_written_again_byte_for_byte),
		cmocka_unit_test(a_level_without_supercompression_is_copied),
		cmocka_unit_test(frames_of_another_size_are_refused),
		cmocka_unit_test(a_bomb_is_refused_without_memory_for_it),
		cmocka_unit_test(damaged_frames_are_refused),
		cmocka_unit_test(a_changed_byte_is_seen_by_the_checksum),
		cmocka_unit_test(a_level_too_small_for_what_it_claims_is_refused_on_opening),
		cmocka_unit_test(other_schemes_are_read_but_not_decompressed),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
