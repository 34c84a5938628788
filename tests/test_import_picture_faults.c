// Pictures of damaged files, beyond limits, and when memory runs out.

#include "failing_allocator.h"
#include "fixtures/picture_check.h"

/// Opens and decodes everything; false with an error when something of it fails.
static bool read_all(lrd_bytes bytes, lrd_allocator allocator, lrd_error *error)
{
	lrd_picture_desc desc = { .bytes = bytes, .max_side = 4096, .max_bytes = 1u << 24, .allocator = allocator };
	lrd_picture *picture = lrd_picture_open(&desc, error);
	bool good = picture != NULL;
	const lrd_picture_info *info = good ? lrd_picture_get_info(picture) : NULL;
	for (uint32_t level = 0; good && level < info->levels; ++level)
	{
		for (uint32_t face = 0; good && face < info->faces; ++face)
		{
			lrd_pixels pixels = { 0 };
			lrd_picture_decode_desc how = {
				.level = level, .face = face, .apply_swizzle = true, .rebuild_normals = true
			};
			good = lrd_picture_decode(picture, &how, &pixels, error);
			lrd_pixels_free(&pixels);
		}
	}
	lrd_picture_close(picture);
	return good;
}

static lrd_buffer small_files[6];

static int make_small_files(void **state)
{
	(void)state;
	uint8_t drawn[16 * 16 * 4];
	draw_normals(drawn, 16, 16);
	small_files[0] = make_png(drawn, 16, 16);
	lrd_texture_settings normal = { .type = LRD_TEXTURE_TYPE_NORMAL };
	lrd_texture_settings packed = { .type = LRD_TEXTURE_TYPE_NORMAL, .zstd = true };
	lrd_texture_settings colour = { .type = LRD_TEXTURE_TYPE_ALBEDO };
	small_files[1] = cook(small_files, 1, normal, LRD_TARGET_DESKTOP);
	small_files[2] = cook(small_files, 1, packed, LRD_TARGET_MOBILE);
	small_files[3] = cook(small_files, 1, colour, LRD_TARGET_DESKTOP);
	small_files[4] = cook(small_files, 1, packed, LRD_TARGET_DESKTOP);
	static const uint8_t payload[32] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	dds_file dds = { .width = 5,
		.height = 4,
		.levels = 1,
		.pixel_flags = IS_FOUR_CC,
		.four_cc = cc("ATI2"),
		.payload = payload,
		.payload_size = 32 };
	make_dds(&dds);
	assert_true(lrd_buffer_append(&small_files[5], dds.bytes, dds.size));
	return 0;
}

static int free_small_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < 6; ++i)
	{
		lrd_buffer_free(&small_files[i]);
	}
	return 0;
}

static void files_that_are_cut_anywhere_fail_cleanly(void **state)
{
	(void)state;
	for (size_t i = 0; i < 6; ++i)
	{
		const lrd_buffer *file = &small_files[i];
		assert_true(read_all((lrd_bytes){ file->data, file->size }, (lrd_allocator){ 0 }, NULL));
		for (size_t size = 0; size < file->size; ++size)
		{
			lrd_error error = { 0 };
			uint8_t *cut = exact_copy(file->data, size);
			bool good = read_all((lrd_bytes){ cut, size }, (lrd_allocator){ 0 }, &error);
			free(cut);
			// A PNG shows all of its texels without its last chunk.
			assert_true(!good || i == 0);
			assert_true(good || error.message[0] != 0);
		}
	}
}

static void a_changed_byte_crashes_nothing(void **state)
{
	(void)state;
	for (size_t i = 1; i < 6; ++i)
	{
		const lrd_buffer *file = &small_files[i];
		uint8_t *copy = exact_copy(file->data, file->size);
		for (size_t at = 0; at < file->size; ++at)
		{
			static const uint8_t changes[] = { 0xff, 0x01, 0x80 };
			for (size_t change = 0; change < 3; ++change)
			{
				lrd_error error = { 0 };
				copy[at] = (uint8_t)(file->data[at] ^ changes[change]);
				bool good = read_all((lrd_bytes){ copy, file->size }, (lrd_allocator){ 0 }, &error);
				assert_true(good || error.message[0] != 0);
			}
			copy[at] = file->data[at];
		}
		free(copy);
	}
}

static void what_is_no_image_is_refused(void **state)
{
	(void)state;
	static const char text[] = "a recipe for bread";
	lrd_error error = { 0 };
	assert_int_equal(lrd_picture_container_of((lrd_bytes){ text, sizeof text }), LRD_PICTURE_NONE);
	assert_null(lrd_picture_open(&(lrd_picture_desc){ .bytes = { text, sizeof text } }, &error));
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_null(lrd_picture_open(&(lrd_picture_desc){ 0 }, &error));
}

static void limits_are_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < 6; ++i)
	{
		lrd_bytes bytes = { small_files[i].data, small_files[i].size };
		for (int limit = 0; limit < 2; ++limit)
		{
			lrd_picture_desc desc = {
				.bytes = bytes, .max_side = limit == 0 ? 4 : 0, .max_bytes = limit == 1 ? 64 : 0
			};
			lrd_error error = { 0 };
			lrd_pixels pixels = { 0 };
			lrd_picture *picture = lrd_picture_open(&desc, &error);
			assert_false(
				picture != NULL && lrd_picture_decode(picture, &(lrd_picture_decode_desc){ 0 }, &pixels, &error));
			assert_int_equal(error.code, LRD_ERROR_LIMIT);
			lrd_picture_close(picture);
		}
	}
}

/// Everything that this header does, with memory from one allocator.
static bool do_all(lrd_bytes bytes, lrd_allocator allocator, lrd_error *error)
{
	lrd_picture *picture = lrd_picture_open(&(lrd_picture_desc){ .bytes = bytes, .allocator = allocator }, error);
	lrd_pixels pixels = { .allocator = allocator };
	lrd_pixels other = { .allocator = allocator };
	lrd_pixels difference = { .allocator = allocator };
	lrd_buffer png = { .allocator = allocator };
	lrd_buffer exr = { .allocator = allocator };
	lrd_pixels_comparison result;
	lrd_pixels_compare_desc desc = { .reference = &pixels, .pixels = &other, .allocator = allocator };
	lrd_picture_decode_desc rebuilt = { .apply_swizzle = true, .rebuild_normals = true };
	bool good = picture != NULL && lrd_picture_decode(picture, &rebuilt, &pixels, error) &&
				lrd_picture_decode(picture, &(lrd_picture_decode_desc){ 0 }, &other, error) &&
				lrd_pixels_compare(&desc, &result, error) && lrd_pixels_difference(&desc, &difference, error) &&
				lrd_pixels_write_png(&pixels, &png, error) && lrd_pixels_write_exr(&other, &exr, error);
	lrd_buffer_free(&exr);
	lrd_buffer_free(&png);
	lrd_pixels_free(&difference);
	lrd_pixels_free(&other);
	lrd_pixels_free(&pixels);
	lrd_picture_close(picture);
	return good;
}

static void running_out_of_memory_anywhere_fails_cleanly(void **state)
{
	(void)state;
	for (size_t i = 0; i < 6; ++i)
	{
		uint8_t *shifted = malloc(small_files[i].size + 1); // so that an aligned copy is made, too
		assert_non_null(shifted);
		memcpy(shifted + 1, small_files[i].data, small_files[i].size);
		lrd_bytes bytes = { shifted + 1, small_files[i].size };
		bool good = false;
		for (long long succeed = 0; !good; ++succeed)
		{
			assert_true(succeed < 2000);
			failing_allocator failing;
			lrd_error error = { 0 };
			failing_allocator_init(&failing, succeed);
			good = do_all(bytes, failing_allocator_get(&failing), &error);
			if (!good && error.code != LRD_ERROR_MEMORY)
			{
				fail_msg("file %zu, allocation %lld: %s", i, succeed, error.message);
			}
			assert_int_equal(atomic_load(&failing.bytes_out), 0);
		}
		free(shifted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_image_is_refused),
		cmocka_unit_test_setup_teardown(files_that_are_cut_anywhere_fail_cleanly, make_small_files, free_small_files),
		cmocka_unit_test_setup_teardown(a_changed_byte_crashes_nothing, make_small_files, free_small_files),
		cmocka_unit_test_setup_teardown(limits_are_kept, make_small_files, free_small_files),
		cmocka_unit_test_setup_teardown(
			running_out_of_memory_anywhere_fails_cleanly, make_small_files, free_small_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
