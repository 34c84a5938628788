// KTX 2.0: what the writer makes and refuses. What the reader refuses is in test_format_texture_rules.c.

#include "fixtures/cooked_file.h"

#include "failing_allocator.h"
#include "fixtures/format_texture.h"

static void write_shape(texture_shape shape, lrd_buffer *out)
{
	lrd_texture_view view = sample_texture(shape);
	lrd_error error = { 0 };
	if (!lrd_texture_write(&view, out, &error))
	{
		fail_msg("%s", error.message);
	}
	sample_texture_free(&view);
}

static void assert_written_and_read_back(texture_shape shape)
{
	lrd_texture_view view = sample_texture(shape);
	lrd_buffer file = { 0 };
	lrd_buffer again = { 0 };
	lrd_texture_view read;
	lrd_error error = { 0 };
	if (!lrd_texture_write(&view, &file, &error) || !lrd_texture_open(file.data, file.size, &read, &error) ||
		!lrd_texture_write(&read, &again, &error))
	{
		fail_msg("format %u, %u x %u: %s", shape.format, shape.width, shape.height, error.message);
	}
	assert_int_equal(read.format, shape.format);
	assert_int_equal(read.width, shape.width);
	assert_int_equal(read.height, shape.height);
	assert_int_equal(read.depth, shape.depth);
	assert_int_equal(read.layer_count, shape.layers);
	assert_int_equal(read.face_count, shape.faces);
	assert_int_equal(read.level_count, shape.levels);
	for (uint32_t level = 0; level < shape.levels; level++)
	{
		assert_int_equal(read.levels[level].size, view.levels[level].size);
		assert_memory_equal(read.levels[level].data, view.levels[level].data, view.levels[level].size);
	}
	assert_int_equal(again.size, file.size);
	assert_memory_equal(again.data, file.data, file.size);
	sample_texture_free(&view);
	lrd_buffer_free(&file);
	lrd_buffer_free(&again);
}

static void golden_texture_is_written_byte_for_byte(void **state)
{
	(void)state;
	lrd_buffer made = { 0 };
	lrd_error error = { 0 };
	assert_true(make_golden_texture(&made, &error));
	assert_golden("golden.ktx2", &made);
	lrd_texture_view view;
	assert_true(lrd_texture_open(made.data, made.size, &view, &error));
	lrd_buffer again = { 0 };
	assert_true(lrd_texture_write(&view, &again, &error));
	assert_int_equal(again.size, made.size);
	assert_memory_equal(again.data, made.data, made.size);
	lrd_buffer_free(&made);
	lrd_buffer_free(&again);
}

static void every_small_extent_survives_with_all_its_levels(void **state)
{
	(void)state;
	static const uint32_t formats[] = { 9, 23, LRD_TEXTURE_RGBA8_UNORM, LRD_TEXTURE_RGBA8_SRGB,
		LRD_TEXTURE_RGBA16_SFLOAT, 145, 165 };
	for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
	{
		for (uint32_t width = 1; width <= 17; width++)
		{
			for (uint32_t height = 1; height <= 5; height++)
			{
				uint32_t largest = width > height ? width : height;
				uint32_t levels = 32u - (uint32_t)__builtin_clz(largest);
				assert_written_and_read_back((texture_shape){ formats[f], width, height, 0, 0, 1, levels });
			}
		}
	}
}

static void arrays_cubemaps_and_volumes_survive(void **state)
{
	(void)state;
	assert_written_and_read_back((texture_shape){ 43, 6, 3, 0, 5, 1, 3 });
	assert_written_and_read_back((texture_shape){ 97, 8, 8, 0, 0, 6, 4 });
	assert_written_and_read_back((texture_shape){ 97, 4, 4, 0, 3, 6, 2 });
	assert_written_and_read_back((texture_shape){ 37, 4, 5, 6, 0, 1, 3 });
	assert_written_and_read_back((texture_shape){ 37, 9, 0, 0, 0, 1, 4 });
	assert_written_and_read_back((texture_shape){ 37, 9, 0, 0, 7, 1, 1 });
}

static void every_format_of_the_table_survives(void **state)
{
	(void)state;
	static const uint32_t runs[][2] = { { 1, 184 }, { 1000066000, 1000066013 }, { 1000156000, 1000156033 },
		{ 1000340000, 1000340001 }, { 1000470000, 1000470001 } };
	uint32_t count = 0;
	for (size_t run = 0; run < sizeof runs / sizeof runs[0]; run++)
	{
		for (uint32_t format = runs[run][0]; format <= runs[run][1]; format++)
		{
			if (lrd_texture_format_find(format) != NULL)
			{
				assert_false(lrd_texture_format_prohibited(format));
				assert_written_and_read_back((texture_shape){ format, 13, 7, 0, 0, 1, 4 });
				count++;
			}
		}
	}
	assert_int_equal(count, 182);
}

static void layouts_fill_their_blocks(void **state)
{
	(void)state;
	for (uint32_t format = 1; format <= 184; format++)
	{
		const lrd_texture_format_row *row = lrd_texture_format_find(format);
		if (row == NULL || row->layout[1] == 'h') // "shared exponent"
		{
			continue;
		}
		uint32_t bits = 0;
		for (const char *at = row->layout; *at != '\0'; at++)
		{
			bits = *at == '|' ? 0 : bits;
			if (*at >= '0' && *at <= '9')
			{
				char *end;
				bits += (uint32_t)strtoul(at, &end, 10);
				at = end - 1;
			}
		}
		assert_int_equal(bits, row->block_bytes * 8u);
	}
}

static void descriptors_are_those_of_the_specification(void **state)
{
	(void)state;
	static const uint32_t srgb[] = { 92, 0, 0x00580002, 0x00020101, 0, 4, 0, 0x00070000, 0, 0, 255, 0x01070008, 0, 0,
		255, 0x02070010, 0, 0, 255, 0x1f070018, 0, 0, 255 };
	static const uint32_t half[] = { 92, 0, 0x00580002, 0x00010101, 0, 8, 0, 0xc00f0000, 0, 0xbf800000, 0x3f800000,
		0xc10f0010, 0, 0xbf800000, 0x3f800000, 0xc20f0020, 0, 0xbf800000, 0x3f800000, 0xcf0f0030, 0, 0xbf800000,
		0x3f800000 };
	static const uint32_t bc7[] = { 44, 0, 0x00280002, 0x00020186, 0x00000303, 16, 0, 0x007f0000, 0, 0, UINT32_MAX };
	static const uint32_t bc3[] = { 60, 0, 0x00380002, 0x00020182, 0x00000303, 16, 0, 0x1f3f0000, 0, 0, UINT32_MAX,
		0x003f0040, 0, 0, UINT32_MAX };
	static const struct
	{
		uint32_t format;
		const uint32_t *words;
	} cases[] = { { 43, srgb }, { 97, half }, { 146, bc7 }, { 138, bc3 } };
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		uint32_t words[LRD_DFD_MAX_WORDS];
		uint32_t count = lrd_texture_format_describe(lrd_texture_format_find(cases[i].format), words);
		assert_int_equal(4 * count, cases[i].words[0]);
		assert_memory_equal(words, cases[i].words, 4 * count);
	}
}

static void formats_have_names(void **state)
{
	(void)state;
	assert_string_equal(lrd_texture_format_name(43), "R8G8B8A8_SRGB");
	assert_string_equal(lrd_texture_format_name(1000066013), "ASTC_12x12_SFLOAT_BLOCK");
	assert_string_equal(lrd_texture_format_name(0), "UNDEFINED");
	assert_string_equal(lrd_texture_format_name(11), "unknown");
	assert_string_equal(lrd_texture_format_name(UINT32_MAX), "unknown");
}

static void extents_halve_down_to_one(void **state)
{
	(void)state;
	assert_int_equal(lrd_texture_extent(17, 0), 17);
	assert_int_equal(lrd_texture_extent(17, 2), 4);
	assert_int_equal(lrd_texture_extent(17, 31), 1);
	assert_int_equal(lrd_texture_extent(UINT32_MAX, 32), 1);
	assert_int_equal(lrd_texture_extent(0, 0), 1);
}

static void levels_are_aligned_and_stored_smallest_first(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	write_shape((texture_shape){ 23, 7, 5, 0, 0, 1, 3 }, &file); // R8G8B8: the alignment is 12
	lrd_texture_view view;
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	const uint8_t *end = file.data + file.size;
	for (uint32_t level = 0; level < 3; level++)
	{
		const uint8_t *data = view.levels[level].data;
		assert_int_equal((data - file.data) % 12, 0);
		assert_true(data + view.levels[level].size <= end);
		assert_true(data + view.levels[level].size + 12 > end);
		end = data;
	}
	lrd_buffer_free(&file);
}

static void a_file_may_ask_its_loader_for_mips(void **state)
{
	(void)state;
	lrd_texture_view view = sample_texture((texture_shape){ 43, 4, 4, 0, 0, 1, 1 });
	view.generate_mips = true;
	lrd_buffer file = { 0 };
	assert_true(lrd_texture_write(&view, &file, NULL));
	lrd_texture_view read;
	assert_true(lrd_texture_open(file.data, file.size, &read, NULL));
	assert_true(read.generate_mips);
	assert_int_equal(read.level_count, 1);
	sample_texture_free(&view);
	lrd_buffer_free(&file);
}

static void srgb_is_told_by_the_descriptor(void **state)
{
	(void)state;
	for (uint32_t format = 37; format <= 43; format += 6)
	{
		lrd_buffer file = { 0 };
		write_shape((texture_shape){ format, 1, 1, 0, 0, 1, 1 }, &file);
		lrd_texture_view view;
		assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
		assert_int_equal(lrd_texture_is_srgb(&view), format == 43);
		lrd_buffer_free(&file);
	}
	assert_false(lrd_texture_is_srgb(&(lrd_texture_view){ 0 }));
}

// Keys.

static void writer_and_orientation_are_added_where_missing(void **state)
{
	(void)state;
	static const struct
	{
		texture_shape shape;
		const char *orientation;
	} cases[] = { { { 43, 2, 2, 0, 0, 1, 1 }, "rd" }, { { 43, 2, 2, 0, 0, 6, 1 }, "rd" },
		{ { 43, 2, 2, 2, 0, 1, 1 }, "rdi" }, { { 43, 2, 0, 0, 0, 1, 1 }, "r" } };
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		lrd_buffer file = { 0 };
		write_shape(cases[i].shape, &file);
		lrd_texture_view view;
		lrd_bytes value;
		assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
		assert_true(lrd_texture_find_key(&view, LRD_STR("KTXwriter"), &value));
		assert_string_equal(value.data, "larder 0.1.0");
		assert_int_equal(value.size, 13);
		assert_true(lrd_texture_find_key(&view, LRD_STR("KTXorientation"), &value));
		assert_string_equal(value.data, cases[i].orientation);
		assert_false(lrd_texture_find_key(&view, LRD_STR("KTXwrite"), &value));
		lrd_buffer_free(&file);
	}
}

static void keys_are_written_sorted_and_those_given_are_kept(void **state)
{
	(void)state;
	lrd_texture_view view = sample_texture((texture_shape){ 43, 1, 1, 0, 0, 1, 1 });
	lrd_buffer keys = { 0 };
	assert_true(lrd_texture_add_key(&keys, LRD_STR("zebra"), (lrd_bytes){ "z", 1 }, NULL));
	assert_true(lrd_texture_add_key(&keys, LRD_STR("\xc3\xa9t\xc3\xa9"), (lrd_bytes){ NULL, 0 }, NULL));
	assert_true(lrd_texture_add_key(&keys, LRD_STR("KTXorientation"), (lrd_bytes){ "ru", 3 }, NULL));
	assert_true(lrd_texture_add_key(&keys, LRD_STR("larder.harmonics.l2"), (lrd_bytes){ "12345", 5 }, NULL));
	view.key_values = (lrd_bytes){ keys.data, keys.size };
	lrd_buffer file = { 0 };
	assert_true(lrd_texture_write(&view, &file, NULL));
	lrd_texture_view read;
	assert_true(lrd_texture_open(file.data, file.size, &read, NULL));
	static const char *const order[] = { "KTXorientation", "KTXwriter", "larder.harmonics.l2", "zebra",
		"\xc3\xa9t\xc3\xa9" };
	lrd_ktx_pair pair;
	size_t position = 0;
	const char *reason;
	for (size_t i = 0; i < 5; i++)
	{
		assert_true(lrd_ktx_next_pair(read.key_values, &position, &pair, &reason));
		assert_true(lrd_string_equal(pair.key, lrd_string_from(order[i])));
	}
	assert_false(lrd_ktx_next_pair(read.key_values, &position, &pair, &reason));
	assert_null(reason);
	lrd_bytes value;
	assert_true(lrd_texture_find_key(&read, LRD_STR("KTXorientation"), &value));
	assert_string_equal(value.data, "ru");
	sample_texture_free(&view);
	lrd_buffer_free(&keys);
	lrd_buffer_free(&file);
}

static void keys_that_no_file_may_hold_are_refused_and_leave_the_block_alone(void **state)
{
	(void)state;
	static const lrd_string bad[] = { { "", 0 }, { "a\0b", 3 }, { "\xff", 1 }, { "\xef\xbb\xbfkey", 6 } };
	lrd_buffer keys = { 0 };
	assert_true(lrd_texture_add_key(&keys, LRD_STR("a"), (lrd_bytes){ "1", 1 }, NULL));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
	{
		lrd_error error = { 0 };
		assert_false(lrd_texture_add_key(&keys, bad[i], (lrd_bytes){ "1", 1 }, &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
		assert_int_equal(keys.size, 8);
	}
	lrd_error error = { 0 };
	assert_false(lrd_texture_add_key(&keys, LRD_STR("large"), (lrd_bytes){ "1", UINT32_MAX }, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	lrd_buffer_free(&keys);
}

// Refusals of the writer.

static void assert_write_refused(const lrd_texture_view *view, const char *says)
{
	lrd_buffer out = { 0 };
	assert_non_null(lrd_buffer_extend(&out, 5));
	lrd_error error = { 0 };
	assert_false(lrd_texture_write(view, &out, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	if (strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, error.message);
	}
	assert_int_equal(out.size, 0);
	assert_null(out.data);
}

static void views_that_break_a_rule_are_not_written(void **state)
{
	(void)state;
	lrd_texture_view good = sample_texture((texture_shape){ 43, 8, 4, 0, 0, 1, 2 });
	lrd_texture_view view = good;
	view.format = 12;
	assert_write_refused(&view, "format is 12");
	view = good;
	view.supercompression = LRD_SUPERCOMPRESSION_BASIS_LZ;
	assert_write_refused(&view, "vkFormat is 43, must be 0 (undefined) under BasisLZ");
	view.supercompression = LRD_SUPERCOMPRESSION_ZSTD;
	view.levels[0].decoded_size++;
	assert_write_refused(&view, "level 0 uncompressedByteLength is 129, must be 128");
	view = good;
	view.level_count = 0;
	assert_write_refused(&view, "level_count is 0");
	view.level_count = 33;
	assert_write_refused(&view, "level_count is 33");
	view = good;
	view.generate_mips = true;
	assert_write_refused(&view, "level_count is 2, must be 1");
	view = good;
	view.levels[1].size--;
	assert_write_refused(&view, "level 1 has 31 bytes, must have 32");
	view = good;
	view.levels[0].data = NULL;
	assert_write_refused(&view, "(NULL)");
	view = good;
	view.face_count = 0;
	view.levels[0].size = view.levels[1].size = 0;
	assert_write_refused(&view, "faceCount is 0");
	view = good;
	view.key_values = (lrd_bytes){ "\2\0\0\0ab\0", 8 };
	assert_write_refused(&view, "no terminating NUL");
	view.key_values = (lrd_bytes){ "\2\0\0\0a\0\0\0\2\0\0\0a\0\0", 16 };
	assert_write_refused(&view, "repeats");
	sample_texture_free(&good);
}

static void a_texture_may_be_written_over_the_buffer_it_lies_in(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_texture(&file, NULL));
	void *before = cooked_copy(file.data, file.size);
	size_t size = file.size;
	lrd_texture_view view;
	assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
	assert_true(lrd_texture_write(&view, &file, NULL));
	assert_int_equal(file.size, size);
	assert_memory_equal(file.data, before, size);
	free(before);
	lrd_buffer_free(&file);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	lrd_texture_view view = sample_texture((texture_shape){ 43, 8, 4, 0, 0, 1, 2 });
	bool written = false;
	for (long long succeed = 0; !written; succeed++)
	{
		assert_true(succeed < 100);
		failing_allocator allocator;
		failing_allocator_init(&allocator, succeed);
		lrd_buffer keys = { .allocator = failing_allocator_get(&allocator) };
		lrd_buffer out = { .allocator = failing_allocator_get(&allocator) };
		lrd_error error = { 0 };
		written = lrd_texture_add_key(&keys, LRD_STR("key"), (lrd_bytes){ "value", 5 }, &error);
		view.key_values = (lrd_bytes){ keys.data, keys.size };
		written = written && lrd_texture_write(&view, &out, &error);
		assert_true(written || error.code == LRD_ERROR_MEMORY);
		assert_true(written || out.size == 0);
		lrd_buffer_free(&keys);
		lrd_buffer_free(&out);
		assert_int_equal(atomic_load(&allocator.bytes_out), 0);
	}
	sample_texture_free(&view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_texture_is_written_byte_for_byte),
		cmocka_unit_test(every_small_extent_survives_with_all_its_levels),
		cmocka_unit_test(arrays_cubemaps_and_volumes_survive),
		cmocka_unit_test(every_format_of_the_table_survives),
		cmocka_unit_test(layouts_fill_their_blocks),
		cmocka_unit_test(descriptors_are_those_of_the_specification),
		cmocka_unit_test(formats_have_names),
		cmocka_unit_test(extents_halve_down_to_one),
		cmocka_unit_test(levels_are_aligned_and_stored_smallest_first),
		cmocka_unit_test(a_file_may_ask_its_loader_for_mips),
		cmocka_unit_test(srgb_is_told_by_the_descriptor),
		cmocka_unit_test(writer_and_orientation_are_added_where_missing),
		cmocka_unit_test(keys_are_written_sorted_and_those_given_are_kept),
		cmocka_unit_test(keys_that_no_file_may_hold_are_refused_and_leave_the_block_alone),
		cmocka_unit_test(views_that_break_a_rule_are_not_written),
		cmocka_unit_test(a_texture_may_be_written_over_the_buffer_it_lies_in),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
