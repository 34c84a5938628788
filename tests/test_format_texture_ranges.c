// KTX 2.0 by ranges: header first, then runs of levels, as a mip streamer reads.

#include "fixtures/cooked_file.h"

#include "fixtures/format_texture.h"

static void make_shape(texture_shape shape, bool zstd, lrd_buffer *out)
{
	lrd_texture_view view = sample_texture(shape);
	lrd_error error = { 0 };
	if (!(zstd ? lrd_texture_write_zstd(&view, 0, out, &error) : lrd_texture_write(&view, out, &error)))
	{
		fail_msg("%s", error.message);
	}
	sample_texture_free(&view);
}

static void assert_readable_by_ranges(const uint8_t *bytes, size_t size, const char *name)
{
	uint8_t *file = exact_copy(bytes, size);
	const char *complaint = read_by_ranges(file, size);
	free(file);
	if (complaint != NULL)
	{
		fail_msg("%s: %s", name, complaint);
	}
}

static void every_kind_of_file_can_be_read_by_ranges(void **state)
{
	(void)state;
	static const texture_shape shapes[] = { { 43, 17, 5, 0, 2, 1, 5 }, { 23, 7, 5, 0, 0, 1, 3 },
		{ 97, 8, 8, 0, 3, 6, 4 }, { 37, 4, 5, 6, 0, 1, 3 }, { 9, 9, 0, 0, 0, 1, 4 }, { 145, 64, 32, 0, 0, 1, 7 },
		{ 131, 5, 3, 0, 0, 1, 3 }, { 165, 13, 7, 0, 0, 6, 1 }, { 90, 3, 3, 0, 0, 1, 2 } };
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
	{
		texture_shape shape = shapes[i];
		shape.height = shape.faces == 6 ? shape.width : shape.height;
		for (int zstd = 0; zstd < 2; zstd++)
		{
			lrd_buffer file = { 0 };
			make_shape(shape, zstd != 0, &file);
			assert_readable_by_ranges(file.data, file.size, lrd_texture_format_name(shape.format));
			lrd_buffer_free(&file);
		}
	}
	lrd_buffer file = { 0 };
	assert_true(make_basis_texture(&file));
	assert_readable_by_ranges(file.data, file.size, "BasisLZ");
	lrd_buffer_free(&file);
	for (int zstd = 0; zstd < 2; zstd++)
	{
		assert_true(make_uastc_texture(zstd != 0, &file));
		assert_readable_by_ranges(file.data, file.size, "UASTC");
		lrd_buffer_free(&file);
	}
}

static void files_of_other_tools_can_be_read_by_ranges(void **state)
{
	(void)state;
	static const char *const paths[] = { "tex/cts/alpha_simple_basis.ktx2",
		"tex/cts/astc_ldr_6x6_arraytex_7_mipmap.ktx2", "tex/cts/color_grid_uastc_zstd.ktx2",
		"tex/cts/cubemap_yokohama_basis_rd.ktx2", "tex/cts/etc1s_Iron_Bars_001_normal.ktx2",
		"tex/cts/kodim17_basis.ktx2", "tex/cts/orient-down-metadata-u.ktx2", "tex/cts/output_cubemap.ktx2",
		"tex/cts/rgb-mipmap-reference-u.ktx2", "tex/mp/2d-compressed-bc5.ktx2", "tex/mp/rgba-uastc.ktx2" };
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
	{
		char full[1024];
		snprintf(full, sizeof full, "%s/../shared/corpus/%s", LRD_TEST_SOURCE_DIR, paths[i]);
		void *bytes = NULL;
		size_t size = 0;
		if (!cooked_load(full, &bytes, &size))
		{
			print_message("skipped: no file %s\n", full);
			skip();
		}
		assert_readable_by_ranges(bytes, size, paths[i]);
		free(bytes);
	}
}

static void the_header_ends_where_the_smallest_level_starts(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_texture(&file, NULL));
	lrd_texture_view view;
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	size_t header_size = 0;
	assert_true(lrd_texture_header_size(file.data, file.size, file.size, &header_size, NULL));
	assert_int_equal(header_size, view.levels[4].offset);
	assert_ptr_equal(view.levels[4].data, file.data + view.levels[4].offset);
	lrd_buffer_free(&file);
}

static void a_tail_and_finer_levels_are_neighbouring_ranges(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	make_shape((texture_shape){ 145, 64, 64, 0, 0, 1, 7 }, false, &file);
	lrd_texture_view view;
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	uint64_t tail = 0;
	uint64_t tail_size = 0;
	uint64_t finer = 0;
	uint64_t finer_size = 0;
	assert_true(lrd_texture_range(&view, 3, 4, &tail, &tail_size));
	assert_true(lrd_texture_range(&view, 1, 2, &finer, &finer_size));
	assert_int_equal(tail + tail_size, finer);
	assert_int_equal(finer_size, 64 * 64 / 4 + 64 * 64 / 16);
	assert_true(lrd_texture_range(&view, 0, 7, &tail, &tail_size));
	assert_int_equal(tail + tail_size, file.size);
	lrd_buffer_free(&file);
}

static void runs_of_levels_that_are_not_there_have_no_range(void **state)
{
	(void)state;
	lrd_texture_view view = { .level_count = 3 };
	uint64_t offset = 7;
	uint64_t size = 7;
	assert_false(lrd_texture_range(&view, 0, 0, &offset, &size));
	assert_false(lrd_texture_range(&view, 3, 1, &offset, &size));
	assert_false(lrd_texture_range(&view, 1, 3, &offset, &size));
	assert_false(lrd_texture_range(&view, 2, UINT32_MAX, &offset, &size));
	assert_int_equal(offset, 7);
	assert_int_equal(size, 7);
	lrd_error error = { 0 };
	assert_false(lrd_texture_attach(&view, 2, 2, "", 0, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
}

static void a_range_of_another_size_is_not_attached(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_texture(&file, NULL));
	lrd_texture_view view;
	assert_true(lrd_texture_open_header(file.data, file.size, file.size, &view, NULL));
	uint64_t offset;
	uint64_t size;
	assert_true(lrd_texture_range(&view, 2, 3, &offset, &size));
	lrd_error error = { 0 };
	assert_false(lrd_texture_attach(&view, 2, 3, file.data + offset, (size_t)size - 1, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_null(view.levels[2].data);
	assert_true(lrd_texture_attach(&view, 2, 3, file.data + offset, (size_t)size, &error));
	assert_ptr_equal(view.levels[2].data, file.data + view.levels[2].offset);
	assert_null(view.levels[1].data);
	lrd_buffer_free(&file);
}

static void padding_within_a_range_is_zero(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	make_shape((texture_shape){ 23, 7, 5, 0, 0, 1, 3 }, false, &file);
	lrd_texture_view view;
	assert_true(lrd_texture_open_header(file.data, file.size, file.size, &view, NULL));
	uint64_t offset;
	uint64_t size;
	assert_true(lrd_texture_range(&view, 0, 3, &offset, &size));
	file.data[view.levels[2].offset + view.levels[2].size] = 1;
	lrd_error error = { 0 };
	assert_false(lrd_texture_attach(&view, 0, 3, file.data + offset, (size_t)size, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "padding before level 1"));
	assert_null(view.levels[0].data);
	lrd_buffer_free(&file);
}

static bool read_by_header(const void *bytes, size_t size, lrd_error *error)
{
	size_t header_size = 0;
	lrd_texture_view view;
	return lrd_texture_header_size(bytes, size, size, &header_size, error) && header_size <= size &&
		   lrd_texture_open_header(bytes, header_size, size, &view, error);
}

static void cut_files_are_refused_by_their_headers(void **state)
{
	(void)state;
	lrd_buffer files[4] = { 0 };
	assert_true(make_golden_texture(&files[0], NULL));
	assert_true(make_basis_texture(&files[1]));
	assert_true(make_uastc_texture(true, &files[2]));
	make_shape((texture_shape){ 133, 9, 9, 0, 0, 6, 4 }, true, &files[3]);
	for (size_t i = 0; i < 4; i++)
	{
		assert_every_truncation_refused(read_by_header, files[i].data, files[i].size);
		assert_flips_are_harmless(read_by_header, files[i].data, files[i].size, 20000);
		lrd_buffer_free(&files[i]);
	}
}

static void fewer_bytes_than_the_header_are_an_argument_error(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_texture(&file, NULL));
	size_t header_size = 0;
	assert_true(lrd_texture_header_size(file.data, LRD_TEXTURE_HEAD_SIZE, file.size, &header_size, NULL));
	lrd_texture_view view;
	for (size_t size = LRD_TEXTURE_HEAD_SIZE; size < header_size; size++)
	{
		uint8_t *copy = exact_copy(file.data, size);
		lrd_error error = { 0 };
		assert_false(lrd_texture_open_header(copy, size, file.size, &view, &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
		free(copy);
	}
	lrd_error error = { 0 };
	assert_false(lrd_texture_open_header(file.data, file.size, file.size - 1, &view, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_false(lrd_texture_header_size(file.data, file.size, file.size - 1, &header_size, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&file);
}

static void the_head_may_lie_anywhere_in_memory(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_texture(&file, NULL));
	uint8_t head[LRD_TEXTURE_HEAD_SIZE + 1];
	memcpy(head + 1, file.data, LRD_TEXTURE_HEAD_SIZE);
	size_t expected = 0;
	size_t header_size = 0;
	assert_true(lrd_texture_header_size(file.data, LRD_TEXTURE_HEAD_SIZE, file.size, &expected, NULL));
	assert_true(lrd_texture_header_size(head + 1, LRD_TEXTURE_HEAD_SIZE, file.size, &header_size, NULL));
	assert_int_equal(header_size, expected);
	lrd_error error = { 0 };
	assert_false(lrd_texture_header_size(head + 1, LRD_TEXTURE_HEAD_SIZE - 1, file.size, &header_size, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	lrd_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_file_can_be_read_by_ranges),
		cmocka_unit_test(files_of_other_tools_can_be_read_by_ranges),
		cmocka_unit_test(the_header_ends_where_the_smallest_level_starts),
		cmocka_unit_test(a_tail_and_finer_levels_are_neighbouring_ranges),
		cmocka_unit_test(runs_of_levels_that_are_not_there_have_no_range),
		cmocka_unit_test(a_range_of_another_size_is_not_attached),
		cmocka_unit_test(padding_within_a_range_is_zero),
		cmocka_unit_test(cut_files_are_refused_by_their_headers),
		cmocka_unit_test(fewer_bytes_than_the_header_are_an_argument_error),
		cmocka_unit_test(the_head_may_lie_anywhere_in_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
