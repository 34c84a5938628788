// Every allocation failing in turn, for every codec; and what limits keep from being allocated.

#include "failing_allocator.h"
#include "fixtures/image_build.h"
#include "fixtures/image_check.h"

#include <turbojpeg.h>
#include <webp/encode.h>

static uint32_t any_sample(uint32_t x, uint32_t y, uint32_t channel)
{
	return (x * 7 + y * 13 + channel * 31) & 255;
}

// Runs `attempt` with one more allocation each time until it succeeds. It must fail of memory alone, and leave nothing
// behind.
static void fail_in_turn(
	bool (*attempt)(const void *input, lrd_allocator allocator, lrd_error *error), const void *input)
{
	long long fewest = 0;
	for (;; fewest++)
	{
		failing_allocator allocator;
		failing_allocator_init(&allocator, fewest);
		lrd_error error = { 0 };
		bool succeeded = attempt(input, failing_allocator_get(&allocator), &error);
		assert_int_equal(atomic_load(&allocator.bytes_out), 0);
		if (succeeded)
		{
			break;
		}
		assert_int_equal(error.code, LRD_ERROR_MEMORY);
		assert_true(fewest < 200);
	}
	assert_true(fewest > 0);
}

static bool decode_once(const void *input, lrd_allocator allocator, lrd_error *error)
{
	const lrd_buffer *file = input;
	lrd_image image;
	if (!lrd_image_decode(
			&(lrd_image_decode_desc){ .bytes = { file->data, file->size }, .allocator = allocator }, &image, error))
	{
		return false;
	}
	lrd_image_free(&image);
	return true;
}

static void fail_decoding(lrd_buffer file)
{
	fail_in_turn(decode_once, &file);
	lrd_buffer_free(&file);
}

static void png_survives_failing_allocations(void **state)
{
	(void)state;
	fail_decoding(png_build(&(png_build_desc){
		.width = 9, .height = 9, .depth = 8, .color_kind = 6, .interlaced = true, .sample = any_sample }));
	fail_decoding(png_build(&(png_build_desc){
		.width = 9, .height = 9, .depth = 16, .color_kind = 2, .sample = any_sample, .gamma = 60000 }));
}

static void tga_bmp_psd_and_hdr_survive_failing_allocations(void **state)
{
	(void)state;
	static const uint8_t bytes[64] = { 0 };
	fail_decoding(tga_build(&(tga_build_desc){
		.kind = 2, .depth = 24, .descriptor = 0x10, .width = 2, .height = 2, .data = bytes, .data_size = 12 }));
	fail_decoding(tga_build(&(tga_build_desc){ .kind = 1,
		.depth = 8,
		.width = 2,
		.height = 2,
		.map_depth = 24,
		.map_count = 2,
		.data = bytes,
		.data_size = 10 }));
	fail_decoding(bmp_build(2, 2, 24, NULL, 0, bytes, 16));
	fail_decoding(psd_build(3, 8, 3, 2, 2, 0, 0, bytes, 12));
	fail_decoding(hdr_build("+X 2 +Y 2", bytes, 16));
}

static void jpeg_and_webp_survive_failing_allocations(void **state)
{
	(void)state;
	static const uint8_t rgba[16 * 16 * 4] = { 0 };
	uint8_t *jpeg = NULL;
	unsigned long jpeg_size = 0;
	tjhandle handle = tjInitCompress();
	assert_int_equal(tjCompress2(handle, rgba, 16, 0, 16, TJPF_RGBA, &jpeg, &jpeg_size, TJSAMP_444, 90, 0), 0);
	tjDestroy(handle);
	fail_decoding(jpeg_with_orientation(jpeg, jpeg_size, 6, true));
	tjFree(jpeg);
	uint8_t *webp;
	size_t webp_size = WebPEncodeLosslessRGBA(rgba, 16, 16, 64, &webp);
	lrd_buffer copy = { 0 };
	assert_true(lrd_buffer_append(&copy, webp, webp_size));
	fail_decoding(copy);
	WebPFree(webp);
}

static void exr_survives_failing_allocations(void **state)
{
	(void)state;
	static float texels[20 * 20 * 4];
	for (size_t i = 0; i < sizeof texels / sizeof *texels; i++)
	{
		texels[i] = (float)(i % 97) / 96.0f;
	}
	for (uint32_t channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1)
	{
		lrd_exr_write_desc desc = { .width = 20, .height = 20, .channels = channels, .rgba = texels };
		lrd_buffer file = { 0 };
		assert_true(lrd_image_write_exr(&desc, &file, NULL));
		fail_decoding(file);
	}
}

static bool write_exr_once(const void *input, lrd_allocator allocator, lrd_error *error)
{
	lrd_exr_write_desc desc = { .width = 8, .height = 18, .channels = 4, .half_float = true, .rgba = input };
	lrd_buffer out = { .allocator = allocator };
	bool written = lrd_image_write_exr(&desc, &out, error);
	lrd_buffer_free(&out);
	return written;
}

static void writing_exr_survives_failing_allocations(void **state)
{
	(void)state;
	static const float texels[8 * 18 * 4] = { 1, 2, 3 };
	fail_in_turn(write_exr_once, texels);
}

static bool write_once(const void *input, lrd_allocator allocator, lrd_error *error)
{
	lrd_buffer out = { .allocator = allocator };
	bool written = lrd_image_write_png(8, 8, input, &out, error);
	lrd_buffer_free(&out);
	return written;
}

static void writing_png_survives_failing_allocations(void **state)
{
	(void)state;
	static const uint8_t texels[8 * 8 * 4] = { 1, 2, 3 };
	fail_in_turn(write_once, texels);
}

static void what_exceeds_a_limit_allocates_nothing(void **state)
{
	(void)state;
	lrd_buffer file =
		png_build(&(png_build_desc){ .width = 64, .height = 64, .depth = 8, .color_kind = 6, .sample = any_sample });
	failing_allocator allocator;
	failing_allocator_init(&allocator, -1);
	lrd_image image;
	lrd_error error;
	lrd_image_decode_desc desc = {
		.bytes = { file.data, file.size }, .max_bytes = 64 * 64 * 4 - 1, .allocator = failing_allocator_get(&allocator)
	};
	assert_false(lrd_image_decode(&desc, &image, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	assert_int_equal(atomic_load(&allocator.calls), 0);
	lrd_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(png_survives_failing_allocations),
		cmocka_unit_test(tga_bmp_psd_and_hdr_survive_failing_allocations),
		cmocka_unit_test(jpeg_and_webp_survive_failing_allocations),
		cmocka_unit_test(exr_survives_failing_allocations),
		cmocka_unit_test(writing_exr_survives_failing_allocations),
		cmocka_unit_test(writing_png_survives_failing_allocations),
		cmocka_unit_test(what_exceeds_a_limit_allocates_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
