// KTX 2.0: what the keys of the specification and larder's own say.

#include "fixtures/cooked_file.h"

#include "fixtures/format_texture.h"
#include "larder/material.h"

/// A texture with these keys, opened. Free the buffer after use of the view.
static void open_with(texture_shape shape, const lrd_buffer *keys, lrd_buffer *file, lrd_texture_view *view)
{
	lrd_texture_view made = sample_texture(shape);
	made.key_values = (lrd_bytes){ keys->data, keys->size };
	lrd_error error = { 0 };
	if (!lrd_texture_write(&made, file, &error) || !lrd_texture_open(file->data, file->size, view, &error))
	{
		fail_msg("%s", error.message);
	}
	sample_texture_free(&made);
}

static const texture_shape small = { 43, 2, 2, 0, 0, 1, 1 };

static void larders_own_keys_come_back(void **state)
{
	(void)state;
	static const lrd_texture_sampling sampling = { LRD_WRAP_MIRROR, LRD_WRAP_CLAMP, LRD_FILTER_POINT };
	float harmonics[27];
	for (int i = 0; i < 27; i++)
	{
		harmonics[i] = (float)i - 13.25f;
	}
	lrd_buffer keys = { 0 };
	assert_true(lrd_texture_add_sampler(&keys, &sampling, NULL));
	assert_true(lrd_texture_add_coverage(&keys, 0.375f, NULL));
	assert_true(lrd_texture_add_harmonics(&keys, harmonics, NULL));
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	open_with(small, &keys, &file, &view);
	lrd_texture_sampling found;
	float cutoff;
	float found_harmonics[27];
	assert_true(lrd_texture_sampler(&view, &found));
	assert_int_equal(found.wrap_u, LRD_WRAP_MIRROR);
	assert_int_equal(found.wrap_v, LRD_WRAP_CLAMP);
	assert_int_equal(found.filter, LRD_FILTER_POINT);
	assert_true(lrd_texture_coverage(&view, &cutoff));
	assert_true(cutoff == 0.375f);
	assert_true(lrd_texture_harmonics(&view, found_harmonics));
	assert_memory_equal(found_harmonics, harmonics, sizeof harmonics);
	lrd_buffer_free(&keys);
	lrd_buffer_free(&file);
}

static void numbers_are_aligned_in_the_file(void **state)
{
	(void)state;
	float harmonics[27] = { 1.0f };
	lrd_buffer keys = { 0 };
	assert_true(lrd_texture_add_key(&keys, LRD_STR("larder.a"), (lrd_bytes){ "12345", 5 }, NULL));
	assert_true(lrd_texture_add_coverage(&keys, 0.5f, NULL));
	assert_true(lrd_texture_add_harmonics(&keys, harmonics, NULL));
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	open_with(small, &keys, &file, &view);
	lrd_bytes value;
	assert_true(lrd_texture_find_key(&view, LRD_STR("larder.coverage"), &value));
	assert_int_equal((uintptr_t)value.data % 4, 0);
	assert_true(lrd_texture_find_key(&view, LRD_STR("larder.harmonics.l2"), &value));
	assert_int_equal((uintptr_t)value.data % 4, 0);
	lrd_buffer_free(&keys);
	lrd_buffer_free(&file);
}

static void a_sampler_is_read_with_its_nul_and_without(void **state)
{
	(void)state;
	static const struct
	{
		lrd_bytes value;
		bool good;
	} cases[] = {
		{ { "wrap_u=repeat wrap_v=mirror filter=linear", 42 }, true },
		{ { "wrap_u=repeat wrap_v=mirror filter=linear", 41 }, true },
		{ { "wrap_u=repeat wrap_v=mirror filter=linear ", 42 }, false },
		{ { "wrap_u=repeat wrap_v=mirror filter=cubic", 41 }, false },
		{ { "wrap_u=repeat wrap_v=border filter=linear", 42 }, false },
		{ { "wrap_u=repeat", 14 }, false },
		{ { "", 0 }, false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		lrd_buffer keys = { 0 };
		assert_true(lrd_texture_add_key(&keys, LRD_STR("larder.sampler"), cases[i].value, NULL));
		lrd_buffer file = { 0 };
		lrd_texture_view view;
		open_with(small, &keys, &file, &view);
		lrd_texture_sampling found;
		assert_int_equal(lrd_texture_sampler(&view, &found), cases[i].good);
		lrd_buffer_free(&keys);
		lrd_buffer_free(&file);
	}
}

static void keys_that_are_missing_or_of_another_size_say_nothing(void **state)
{
	(void)state;
	lrd_buffer keys = { 0 };
	lrd_buffer file = { 0 };
	lrd_texture_view view;
	lrd_texture_sampling sampling;
	float values[27];
	open_with(small, &keys, &file, &view);
	assert_false(lrd_texture_sampler(&view, &sampling));
	assert_false(lrd_texture_coverage(&view, values));
	assert_false(lrd_texture_harmonics(&view, values));
	lrd_buffer_free(&file);
	assert_true(lrd_texture_add_key(&keys, LRD_STR("larder.coverage"), (lrd_bytes){ "12345", 5 }, NULL));
	assert_true(lrd_texture_add_key(&keys, LRD_STR("larder.harmonics.l2"), (lrd_bytes){ "1234", 4 }, NULL));
	open_with(small, &keys, &file, &view);
	assert_false(lrd_texture_coverage(&view, values));
	assert_false(lrd_texture_harmonics(&view, values));
	lrd_buffer_free(&keys);
	lrd_buffer_free(&file);
}

static void a_sampler_that_is_none_is_not_written(void **state)
{
	(void)state;
	static const lrd_texture_sampling bad[] = { { 3, 0, 0 }, { 0, 3, 0 }, { 0, 0, 2 } };
	for (size_t i = 0; i < 3; i++)
	{
		lrd_buffer keys = { 0 };
		lrd_error error = { 0 };
		assert_false(lrd_texture_add_sampler(&keys, &bad[i], &error));
		assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
		assert_null(keys.data);
	}
}

static void orientation_and_swizzle_are_said_or_usual(void **state)
{
	(void)state;
	static const struct
	{
		texture_shape shape;
		const char *orientation;
		const char *swizzle;
		const char *expected_orientation;
		const char *expected_swizzle;
	} cases[] = { { { 43, 2, 2, 0, 0, 1, 1 }, NULL, NULL, "rd", "rgba" },
		{ { 43, 2, 2, 2, 0, 1, 1 }, NULL, NULL, "rdi", "rgba" }, { { 43, 2, 0, 0, 0, 1, 1 }, NULL, NULL, "r", "rgba" },
		{ { 43, 2, 2, 0, 0, 1, 1 }, "lu", "rrr1", "lu", "rrr1" },
		{ { 43, 2, 2, 2, 0, 1, 1 }, "ruo", "000r", "ruo", "000r" } };
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		lrd_buffer keys = { 0 };
		if (cases[i].orientation != NULL)
		{
			assert_true(lrd_texture_add_key(&keys, LRD_STR("KTXorientation"),
				(lrd_bytes){ cases[i].orientation, strlen(cases[i].orientation) + 1 }, NULL));
			assert_true(lrd_texture_add_key(&keys, LRD_STR("KTXswizzle"), (lrd_bytes){ cases[i].swizzle, 5 }, NULL));
		}
		lrd_buffer file = { 0 };
		lrd_texture_view view;
		open_with(cases[i].shape, &keys, &file, &view);
		char orientation[4];
		char swizzle[5];
		lrd_texture_orientation(&view, orientation);
		lrd_texture_swizzle(&view, swizzle);
		assert_string_equal(orientation, cases[i].expected_orientation);
		assert_string_equal(swizzle, cases[i].expected_swizzle);
		view.key_values = (lrd_bytes){ NULL, 0 };
		lrd_texture_orientation(&view, orientation);
		assert_int_equal(strlen(orientation), strlen(cases[i].expected_orientation));
		lrd_buffer_free(&keys);
		lrd_buffer_free(&file);
	}
}

static void premultiplied_alpha_is_told_by_the_descriptor(void **state)
{
	(void)state;
	uint32_t dfd[LRD_DFD_MAX_WORDS];
	uint32_t words = lrd_texture_format_describe(lrd_texture_format_find(43), dfd);
	for (uint32_t flag = 0; flag < 2; flag++)
	{
		dfd[3] = (dfd[3] & 0xffffffu) | flag << 24;
		lrd_texture_view made = sample_texture(small);
		made.dfd = (lrd_bytes){ dfd, 4 * words };
		lrd_buffer file = { 0 };
		lrd_texture_view view;
		assert_true(lrd_texture_write(&made, &file, NULL));
		assert_true(lrd_texture_open(file.data, file.size, &view, NULL));
		assert_int_equal(lrd_texture_is_premultiplied(&view), flag != 0);
		sample_texture_free(&made);
		lrd_buffer_free(&file);
	}
}

/// A file whose descriptor has one sample of 128 bits and this model.
static void make_hdr(uint32_t format, const uint32_t sample[4], bool zstd, lrd_buffer *file)
{
	raw_texture raw = {
		.header = { .format = format,
			.type_size = 1,
			.width = 4,
			.height = 4,
			.face_count = 1,
			.level_count = 1,
			.supercompression = zstd ? LRD_SUPERCOMPRESSION_ZSTD : LRD_SUPERCOMPRESSION_NONE },
		.levels = { { .size = 16, .decoded_size = 16 } },
	};
	universal_descriptor(raw.dfd, LRD_DFD_UASTC_HDR_4X4, 1, 128, (const uint32_t[2]){ 0, 0 });
	raw.dfd[3] = LRD_DFD_UASTC_HDR_4X4 | 1u << 8 | 1u << 16;
	memcpy(raw.dfd + 7, sample, 16);
	assert_true(make_raw_texture(&raw, file));
}

static void universal_hdr_is_recognised_in_each_of_its_forms(void **state)
{
	(void)state;
	static const uint32_t samples[][4] = { { 0x007f0000, 0, 0, UINT32_MAX }, { 0x807f0000, 0, 0, 0x3f800000 },
		{ 0x807f0000, 0, 0, UINT32_MAX }, { 0xc07f0000, 0, 0xbf800000, 0x3f800000 } };
	static const uint32_t formats[] = { LRD_TEXTURE_UNDEFINED, LRD_TEXTURE_ASTC_4X4_SFLOAT };
	for (size_t i = 0; i < 4; i++)
	{
		for (size_t f = 0; f < 2; f++)
		{
			for (int zstd = 0; zstd < 2; zstd++)
			{
				lrd_buffer file = { 0 };
				lrd_texture_view view;
				make_hdr(formats[f], samples[i], zstd != 0, &file);
				assert_int_equal(lrd_texture_open(file.data, file.size, &view, NULL), i < 2);
				assert_true(i >= 2 || lrd_texture_universal_kind(&view) == LRD_TEXTURE_UASTC_HDR);
				lrd_buffer_free(&file);
			}
		}
	}
}

static void kinds_and_schemes_have_names(void **state)
{
	(void)state;
	assert_string_equal(lrd_texture_universal_name(LRD_TEXTURE_UNIVERSAL_NONE), "none");
	assert_string_equal(lrd_texture_universal_name(LRD_TEXTURE_ETC1S), "etc1s");
	assert_string_equal(lrd_texture_universal_name(LRD_TEXTURE_UASTC), "uastc");
	assert_string_equal(lrd_texture_universal_name(LRD_TEXTURE_UASTC_HDR), "uastc_hdr");
	assert_string_equal(lrd_supercompression_name(0), "none");
	assert_string_equal(lrd_supercompression_name(2), "zstd");
	assert_string_equal(lrd_supercompression_name(4), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(larders_own_keys_come_back),
		cmocka_unit_test(numbers_are_aligned_in_the_file),
		cmocka_unit_test(a_sampler_is_read_with_its_nul_and_without),
		cmocka_unit_test(keys_that_are_missing_or_of_another_size_say_nothing),
		cmocka_unit_test(a_sampler_that_is_none_is_not_written),
		cmocka_unit_test(orientation_and_swizzle_are_said_or_usual),
		cmocka_unit_test(premultiplied_alpha_is_told_by_the_descriptor),
		cmocka_unit_test(universal_hdr_is_recognised_in_each_of_its_forms),
		cmocka_unit_test(kinds_and_schemes_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
