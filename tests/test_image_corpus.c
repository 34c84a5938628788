// Public files, where the corpus folder lies beside the project: sound ones decode, damaged and hostile ones end in an
// error quickly.

#include "failing_allocator.h"
#include "fixtures/image_check.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

// The file's bytes; skips the test when it is absent.
static lrd_buffer read_corpus(const char *path)
{
	char name[1024];
	snprintf(name, sizeof name, "%s/../shared/corpus/%s", LRD_TEST_SOURCE_DIR, path);
	FILE *file = fopen(name, "rb");
	if (file == NULL)
	{
		print_message("skipped: %s is absent\n", path);
		skip();
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

static lrd_image decode_corpus(const char *path)
{
	lrd_buffer file = read_corpus(path);
	lrd_image image = decode_sound(file.data, file.size);
	lrd_buffer_free(&file);
	return image;
}

static void sound_files_decode_to_their_sizes(void **state)
{
	(void)state;
	static const struct
	{
		const char *path;
		uint32_t width, height, channels;
		lrd_pixel_type type;
	} files[] = {
		{ "tex/png/basn0g16.png", 32, 32, 1, LRD_PIXEL_UNORM16 },
		{ "tex/png/basn2c16.png", 32, 32, 3, LRD_PIXEL_UNORM16 },
		{ "tex/png/basn6a16.png", 32, 32, 4, LRD_PIXEL_UNORM16 },
		{ "tex/png/ftp1n3p08.png", 32, 32, 4, LRD_PIXEL_UNORM8 },
		{ "tex/ljt/testimgari.jpg", 227, 149, 3, LRD_PIXEL_UNORM8 },
		{ "tex/pil/pil_sample_cmyk.jpg", 100, 100, 3, LRD_PIXEL_UNORM8 },
		{ "tex/ray/dresden_square_1k.hdr", 1024, 512, 3, LRD_PIXEL_F32 },
		{ "tex/imrs/image1.hdr", 128, 85, 3, LRD_PIXEL_F32 },
		{ "tex/imrs/old-rle.hdr", 551, 276, 3, LRD_PIXEL_F32 },
		{ "tex/imrs/tga/utc16.tga", 128, 128, 3, LRD_PIXEL_UNORM8 },
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
	{
		lrd_image image = decode_corpus(files[i].path);
		assert_int_equal(image.width, files[i].width);
		assert_int_equal(image.height, files[i].height);
		assert_int_equal(image.source_channels, files[i].channels);
		assert_int_equal(image.type, files[i].type);
		lrd_image_free(&image);
	}
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

// The pixels are those that OpenEXR 3.1.5's InputFile reads as floats, put into the display window, with what is not
// finite settled; tests/fixtures/exr_make.cpp does so for files of its own.
static void exr_has_the_pixels_that_openexr_reads(void **state)
{
	(void)state;
	static const struct
	{
		const char *path;
		uint32_t width, height, channels, clamped;
		uint64_t hash;
	} files[] = {
		{ "tex/exr/BrightRingsNanInf.exr", 800, 800, 3, 12, 0x8561e5c20417a7d5 },
		{ "tex/exr/ColorCodedLevels.exr", 512, 512, 4, 0, 0x8c38bf5893a4fd2a },
		{ "tex/exr/WavyLinesCube.exr", 256, 1536, 3, 0, 0x802f7a6498417e43 },
		{ "tex/exr/stripes.exr", 100, 50, 4, 0, 0x65590a7be8c1b6ad },
		{ "tex/exr/t05.exr", 340, 260, 3, 0, 0xa4104492a7dc0b05 },
		{ "tex/oiio/compressed-b44.exr", 128, 96, 3, 0, 0x1074728870367a21 },
		{ "tex/oiio/out-zip.exr", 128, 96, 3, 0, 0xbfa159d47dd6c02e },
		{ "tex/mp/depth32f-custom-channels.exr", 3, 2, 1, 0, 0x8f28dc61c6e32532 },
		{ "tex/mp/rgb32fa32ui.exr", 1, 3, 4, 0, 0x80d8287c399eb362 },
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
	{
		lrd_image image = decode_corpus(files[i].path);
		assert_int_equal(image.type, LRD_PIXEL_F32);
		assert_true(image.linear);
		uint64_t hash = fnv1a(image.pixels, image.size);
		if (image.width != files[i].width || image.height != files[i].height ||
			image.source_channels != files[i].channels || image.clamped != files[i].clamped || hash != files[i].hash)
		{
			fail_msg("%s: %u x %u, %u channels, %u clamped, %016llx", files[i].path, image.width, image.height,
				image.source_channels, (unsigned)image.clamped, (unsigned long long)hash);
		}
		lrd_image_free(&image);
	}
}

// Cosines: within what they lost of the same picture in ZIP.
static void exr_in_dwaa_is_near_the_same_without_loss(void **state)
{
	(void)state;
	lrd_image image = decode_corpus("tex/oiio/compressed-dwaa.exr");
	lrd_image whole = decode_corpus("tex/oiio/out-zip.exr");
	assert_int_equal(image.size, whole.size);
	const float *found = image.pixels;
	const float *expected = whole.pixels;
	double sum = 0.0;
	for (size_t i = 0; i < image.size / sizeof(float); i++)
	{
		sum += fabs((double)found[i] - (double)expected[i]);
		assert_true(fabsf(found[i] - expected[i]) < 0.12f);
	}
	assert_true(sum / (double)(image.size / sizeof(float)) < 0.002);
	lrd_image_free(&image);
	lrd_image_free(&whole);
}

// XYZ in luminance and chroma: a photograph, so it must come out in colours of a photograph.
static void exr_of_luminance_and_chroma_in_xyz_decodes(void **state)
{
	(void)state;
	lrd_image image = decode_corpus("tex/exr/XYZ_YC.exr");
	assert_int_equal(image.width, 610);
	assert_int_equal(image.height, 406);
	const float *texels = image.pixels;
	double sums[3] = { 0 };
	for (size_t i = 0; i < image.size / 16; i++)
	{
		for (size_t c = 0; c < 3; c++)
		{
			sums[c] += (double)texels[4 * i + c] / (610 * 406);
		}
	}
	static const double means[3] = { 0.366031, 0.277726,
		0.115050 }; // by OpenEXR's RgbaInputFile and its RGBtoXYZ and XYZtoRGB
	for (size_t c = 0; c < 3; c++)
	{
		assert_true(fabs(sums[c] - means[c]) < 2e-4);
	}
	lrd_image_free(&image);
}

// A cut file is an error, or has all that is shown.
static void truncated_files_are_errors_or_whole(void **state)
{
	(void)state;
	static const char *const paths[] = { "tex/png/basn0g16.png", "tex/png/ftp1n3p08.png", "tex/ljt/testimgari.jpg",
		"tex/pil/pil_sample_cmyk.jpg", "tex/imrs/old-rle.hdr", "tex/imrs/tga/utc16.tga",
		"tex/imrs/tga/images/tga/testsuite/ctc24.tga", "tex/exr/stripes.exr", "tex/exr/t05.exr",
		"tex/mp/rgb32fa32ui.exr", "tex/mp/depth32f-custom-channels.exr", "tex/oiio/compressed-b44.exr",
		"tex/oiio/compressed-dwaa.exr", "bad/oiio/bomb.exr", "bad/oiio/bomb.png",
		"bad/oiio/bomb-progressive-65500x65500.jpg", "bad/dxt/invalid-01cb6b41-3411-439a-9a48-8f798f744559.hdr",
		"bad/png/bad_iCCP.png" };
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
	{
		lrd_buffer file = read_corpus(paths[i]);
		lrd_image whole = { 0 };
		bool sound = lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { file.data, file.size } }, &whole, NULL);
		size_t step = file.size > 1500 ? file.size / 150 : 1; // small ones at every byte
		for (size_t size = 0; size < file.size; size += step)
		{
			uint8_t *cut = malloc(size + 1); // of its own, so that a read past its end is seen
			memcpy(cut, file.data, size);
			lrd_image image = { 0 };
			lrd_error error = { 0 };
			if (!lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { cut, size } }, &image, &error))
			{
				assert_true(error.message[0] != 0);
			}
			else if (!sound || image.size != whole.size || memcmp(image.pixels, whole.pixels, whole.size) != 0)
			{
				fail_msg("%s decodes to something else when cut to %zu of %zu bytes", paths[i], size, file.size);
			}
			lrd_image_free(&image);
			free(cut);
		}
		lrd_image_free(&whole);
		lrd_buffer_free(&file);
	}
}

static void tga_equals_its_reference_png(void **state)
{
	(void)state;
	static const char *const pairs[][2] = {
		{ "tex/imrs/tga/images/tga/testsuite/utc24.tga", "tex/imrs/tga/reference/tga/testsuite/utc24.tga.png" },
		{ "tex/imrs/tga/images/tga/testsuite/ctc24.tga", "tex/imrs/tga/reference/tga/testsuite/ctc24.tga.png" },
	};
	for (size_t i = 0; i < 2; i++)
	{
		lrd_image image = decode_corpus(pairs[i][0]);
		lrd_image reference = decode_corpus(pairs[i][1]);
		assert_int_equal(image.size, reference.size);
		assert_memory_equal(image.pixels, reference.pixels, image.size);
		lrd_image_free(&image);
		lrd_image_free(&reference);
	}
}

static void damaged_files_end_in_an_error_without_much_memory(void **state)
{
	(void)state;
	static const struct
	{
		const char *path;
		lrd_error_code code;
	} files[] = {
		{ "bad/oiio/bomb.png", LRD_ERROR_LIMIT },
		{ "bad/oiio/bomb.exr", LRD_ERROR_FORMAT },
		{ "bad/oiio/bomb-progressive-65500x65500.jpg", LRD_ERROR_LIMIT },
		{ "bad/dxt/crash-00241041aa9205bd275b7dd5f0b8ecfd57665e0d.tga", LRD_ERROR_UNSUPPORTED },
		{ "bad/dxt/crash-5203908ecab1ada39b175deec93b4af29f9a3849.tga", LRD_ERROR_UNSUPPORTED },
		{ "bad/dxt/invalid-01cb6b41-3411-439a-9a48-8f798f744559.hdr", LRD_ERROR_FORMAT },
		{ "bad/png/bad_iCCP.png", LRD_ERROR_FORMAT },
	};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
	{
		lrd_buffer file = read_corpus(files[i].path);
		failing_allocator allocator;
		failing_allocator_init(&allocator, -1);
		lrd_image image;
		lrd_error error = { 0 };
		clock_t begin = clock();
		lrd_image_decode_desc desc = { .bytes = { file.data, file.size },
			.allocator = failing_allocator_get(&allocator) };
		if (lrd_image_decode(&desc, &image, &error))
		{
			fail_msg("%s decodes", files[i].path);
		}
		if (error.code != files[i].code)
		{
			fail_msg("%s: %s", files[i].path, error.message);
		}
		assert_int_equal(atomic_load(&allocator.bytes_out), 0);
		assert_true(atomic_load(&allocator.bytes_peak) < 1 << 20);
		assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 0.5);
		lrd_buffer_free(&file);
	}
}

// Ours against values that any reader of the format finds: the brightest texel is the sun or a lamp, none is negative
// or endless.
static void light_probes_are_finite(void **state)
{
	(void)state;
	lrd_image image = decode_corpus("tex/ray/dresden_square_1k.hdr");
	const float *texels = image.pixels;
	float most = 0.0f;
	for (size_t i = 0; i < image.size / 4; i++)
	{
		assert_true(texels[i] >= 0.0f && isfinite(texels[i]));
		most = texels[i] > most ? texels[i] : most;
	}
	assert_true(most > 1.0f);
	lrd_image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_files_decode_to_their_sizes),
		cmocka_unit_test(exr_has_the_pixels_that_openexr_reads),
		cmocka_unit_test(exr_in_dwaa_is_near_the_same_without_loss),
		cmocka_unit_test(exr_of_luminance_and_chroma_in_xyz_decodes),
		cmocka_unit_test(truncated_files_are_errors_or_whole),
		cmocka_unit_test(tga_equals_its_reference_png),
		cmocka_unit_test(damaged_files_end_in_an_error_without_much_memory),
		cmocka_unit_test(light_probes_are_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
