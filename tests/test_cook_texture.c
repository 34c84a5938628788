// One image cooked to one texture: what is chosen, what settings do, what is taken over, and that threads change nothing.

#include "larder/texture_cook.h"

#include "failing_allocator.h"
#include "image/half.h"
#include "image/image.h"
#include "larder/texture.h"
#include "larder/write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// A smooth picture with some detail; alpha as asked for.
static lrd_buffer make_png(uint32_t width, uint32_t height, bool has_alpha)
{
	lrd_buffer png = { 0 };
	uint8_t *pixels = malloc((size_t)width * height * 4);
	assert_non_null(pixels);
	for (uint32_t y = 0; y < height; ++y)
	{
		for (uint32_t x = 0; x < width; ++x)
		{
			uint8_t *texel = pixels + ((size_t)y * width + x) * 4;
			texel[0] = (uint8_t)(x * 255 / width);
			texel[1] = (uint8_t)(y * 255 / height);
			texel[2] = (uint8_t)(128 + ((x * 7 + y * 3) & 15));
			texel[3] = has_alpha && (x / 4 + y / 4) % 3 == 0 ? 0 : 255;
		}
	}
	assert_true(lrd_image_write_png(width, height, pixels, &png, NULL));
	free(pixels);
	return png;
}

/// A float picture: an EXR with a column of `peak`.
static lrd_buffer make_exr(uint32_t width, uint32_t height, float peak)
{
	lrd_buffer exr = { 0 };
	float *pixels = malloc((size_t)width * height * 16);
	assert_non_null(pixels);
	for (size_t i = 0; i < (size_t)width * height; ++i)
	{
		float up = 1.0f - (float)(i / width) / (float)height;
		pixels[i * 4] = 0.2f + up;
		pixels[i * 4 + 1] = 0.4f + 0.5f * up;
		pixels[i * 4 + 2] = 0.6f + (i % width == 3 ? peak : 0.0f);
		pixels[i * 4 + 3] = 1.0f;
	}
	assert_true(lrd_image_write_exr(
		&(lrd_exr_write_desc){ .width = width, .height = height, .channels = 3, .rgba = pixels }, &exr, NULL));
	free(pixels);
	return exr;
}

typedef struct cooked
{
	lrd_buffer file;
	lrd_texture_view view;
	lrd_texture_report report;
} cooked;

static cooked cook(lrd_buffer *source, const char *name, const lrd_texture_settings *settings, lrd_target target)
{
	cooked made = { 0 };
	lrd_error error = { 0 };
	lrd_bytes bytes = { source->data, source->size };
	lrd_texture_cook_desc desc = {
		.images = &bytes, .image_count = 1, .name = lrd_string_from(name), .settings = settings, .target = target
	};
	if (!lrd_texture_cook(&desc, &made.file, &made.report, &error) ||
		!lrd_texture_open(made.file.data, made.file.size, &made.view, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_int_equal(made.report.format, made.view.format);
	assert_int_equal(made.report.level_count, made.view.level_count);
	assert_int_equal(made.report.size, made.file.size);
	return made;
}

static void free_cooked(cooked *made)
{
	lrd_buffer_free(&made->file);
}

static void check_key(const cooked *made, const char *expected)
{
	lrd_bytes value;
	assert_true(lrd_texture_find_key(&made->view, LRD_STR("larder.type"), &value));
	assert_int_equal(value.size, strlen(expected));
	assert_memory_equal(value.data, expected, value.size);
}

static void what_an_image_holds_is_told_by_its_name(void **state)
{
	static const struct
	{
		const char *name;
		uint32_t format;
		const char *key;
	} rows[] = {
		{ "wall.png", LRD_TEXTURE_BC7_SRGB, "type=albedo from=default" },
		{ "wall_n.png", LRD_TEXTURE_BC5_UNORM, "type=normal from=name normal=rg" },
		{ "Wall_Normal.png", LRD_TEXTURE_BC5_UNORM, "type=normal from=name normal=rg" },
		{ "WallNormal.png", LRD_TEXTURE_BC5_UNORM, "type=normal from=name normal=rg" },
		{ "wall_normal_dx.png", LRD_TEXTURE_BC5_UNORM, "type=normal from=name normal=rg" },
		{ "Abnormal.png", LRD_TEXTURE_BC7_SRGB, "type=albedo from=default" },
		{ "_n.png", LRD_TEXTURE_BC5_UNORM, "type=normal from=name normal=rg" },
		{ "wall_orm.png", LRD_TEXTURE_BC7_UNORM, "type=metallic_roughness from=name" },
		{ "wall_ao.png", LRD_TEXTURE_BC4_UNORM, "type=occlusion from=name" },
		{ "wall_height.png", LRD_TEXTURE_BC4_UNORM, "type=height from=name" },
		{ "wall_emissive.png", LRD_TEXTURE_BC7_SRGB, "type=emissive from=name" },
		{ "grade_lut.png", LRD_TEXTURE_RGBA8_UNORM, "type=lut from=name" },
		{ "sky_cube.png", LRD_TEXTURE_BC7_SRGB, "type=albedo from=default" }, // no layout of a cubemap
	};
	(void)state;
	lrd_buffer png = make_png(20, 16, false);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		cooked made = cook(&png, rows[i].name, NULL, LRD_TARGET_DESKTOP);
		assert_int_equal(made.view.format, rows[i].format);
		check_key(&made, rows[i].key);
		free_cooked(&made);
	}
	lrd_buffer_free(&png);
}

static void targets_and_qualities_choose_formats(void **state)
{
	static const struct
	{
		lrd_target target;
		lrd_texture_settings settings;
		bool alpha;
		uint32_t format;
	} rows[] = {
		{ LRD_TARGET_DESKTOP, { .quality = LRD_QUALITY_FAST }, false, LRD_TEXTURE_BC1_RGB_SRGB },
		{ LRD_TARGET_DESKTOP, { .quality = LRD_QUALITY_FAST }, true, LRD_TEXTURE_BC7_SRGB },
		{ LRD_TARGET_DESKTOP, { .srgb = LRD_CHOICE_OFF }, false, LRD_TEXTURE_BC7_UNORM },
		{ LRD_TARGET_MOBILE, { 0 }, false, LRD_TEXTURE_ASTC_6X6_SRGB },
		{ LRD_TARGET_MOBILE, { .type = LRD_TEXTURE_TYPE_NORMAL }, false, LRD_TEXTURE_ASTC_4X4_UNORM },
		{ LRD_TARGET_RAW, { 0 }, true, LRD_TEXTURE_RGBA8_SRGB },
		{ LRD_TARGET_RAW, { .type = LRD_TEXTURE_TYPE_MASK }, false, LRD_TEXTURE_RGBA8_UNORM },
		{ LRD_TARGET_DESKTOP, { .format = LRD_ENCODING_BC1 }, true, LRD_TEXTURE_BC1_RGBA_SRGB },
		{ LRD_TARGET_DESKTOP, { .format = LRD_ENCODING_BC3 }, true, LRD_TEXTURE_BC3_SRGB },
		{ LRD_TARGET_DESKTOP, { .format = LRD_ENCODING_BC4 }, false, LRD_TEXTURE_BC4_UNORM },
		{ LRD_TARGET_DESKTOP, { .format = LRD_ENCODING_BC5 }, false, LRD_TEXTURE_BC5_UNORM },
		{ LRD_TARGET_DESKTOP, { .format = LRD_ENCODING_BC6H }, false, LRD_TEXTURE_BC6H_UFLOAT },
		{ LRD_TARGET_DESKTOP, { .format = LRD_ENCODING_RGBA16F }, true, LRD_TEXTURE_RGBA16_SFLOAT },
		{ LRD_TARGET_DESKTOP, { .format = LRD_ENCODING_ASTC_8X8 }, true, LRD_TEXTURE_ASTC_8X8_SRGB },
		{ LRD_TARGET_MOBILE, { .format = LRD_ENCODING_BC7 }, true, LRD_TEXTURE_BC7_SRGB },
	};
	(void)state;
	lrd_buffer opaque = make_png(36, 20, false);
	lrd_buffer clear = make_png(36, 20, true);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		cooked made = cook(rows[i].alpha ? &clear : &opaque, "", &rows[i].settings, rows[i].target);
		assert_int_equal(made.view.format, rows[i].format);
		bool good = made.report.is_exact || made.report.is_normal || made.report.psnr > 26.0f;
		if (!good)
		{
			fail_msg("%s: %.2f dB", lrd_texture_format_name(made.view.format), (double)made.report.psnr);
		}
		free_cooked(&made);
	}
	lrd_buffer_free(&opaque);
	lrd_buffer_free(&clear);
}

static void hdr_pictures_are_bc6h_and_what_they_can_not_hold_is_counted(void **state)
{
	(void)state;
	lrd_buffer exr = make_exr(24, 12, 40.0f);
	cooked made = cook(&exr, "sky.exr", NULL, LRD_TARGET_DESKTOP);
	assert_int_equal(made.view.format, LRD_TEXTURE_BC6H_UFLOAT);
	assert_int_equal(made.report.clamped, 0);
	assert_true(made.report.psnr > 35.0f);
	free_cooked(&made);
	made = cook(&exr, "sky.exr", NULL, LRD_TARGET_RAW);
	assert_int_equal(made.view.format, LRD_TEXTURE_RGBA16_SFLOAT);
	assert_true(made.report.is_exact);
	free_cooked(&made);
	made = cook(&exr, "sky.exr", &(lrd_texture_settings){ .format = LRD_ENCODING_BC7 }, LRD_TARGET_DESKTOP);
	assert_int_equal(made.view.format, LRD_TEXTURE_BC7_SRGB);
	assert_true(made.report.clamped > 0); // above 1
	free_cooked(&made);
	lrd_buffer_free(&exr);
	exr = make_exr(24, 12, 1e6f);
	made = cook(&exr, "sky.exr", NULL, LRD_TARGET_DESKTOP);
	assert_true(made.report.clamped >= 12); // beyond what half floats hold
	free_cooked(&made);
	lrd_buffer_free(&exr);
	exr = make_exr(24, 12, -2.0f);
	made = cook(&exr, "sky.exr", NULL, LRD_TARGET_DESKTOP);
	assert_int_equal(made.report.clamped, 12); // below what BC6H without sign holds
	free_cooked(&made);
	made = cook(&exr, "sky.exr", NULL, LRD_TARGET_RAW);
	assert_int_equal(made.report.clamped, 0);
	free_cooked(&made);
	lrd_buffer_free(&exr);
}

static void sizes_of_levels_are_limited(void **state)
{
	static const struct
	{
		lrd_texture_settings settings;
		uint32_t width, level_count;
	} rows[] = {
		{ { 0 }, 40, 6 },
		{ { .max_size = 20 }, 20, 5 },
		{ { .max_size = 19 }, 10, 4 },
		{ { .min_size = 5 }, 40, 4 },
		{ { .level_limit = 1 }, 40, 1 },
		{ { .level_limit = 3, .max_size = 20 }, 20, 3 },
		{ { .mipmaps = LRD_CHOICE_OFF }, 40, 1 },
		{ { .type = LRD_TEXTURE_TYPE_UI }, 40, 1 },
		{ { .type = LRD_TEXTURE_TYPE_UI, .mipmaps = LRD_CHOICE_ON }, 40, 6 },
	};
	(void)state;
	lrd_buffer png = make_png(40, 24, false);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		cooked made = cook(&png, "", &rows[i].settings, LRD_TARGET_DESKTOP);
		assert_int_equal(made.view.width, rows[i].width);
		assert_int_equal(made.view.level_count, rows[i].level_count);
		free_cooked(&made);
	}
	lrd_buffer_free(&png);
}

static void sources_beyond_the_limit_are_refused_before_they_are_decoded(void **state)
{
	(void)state;
	lrd_buffer png = make_png(40, 24, false);
	lrd_bytes bytes = { png.data, png.size };
	lrd_texture_settings settings = { .source_limit = 39 };
	lrd_texture_cook_desc desc = { .images = &bytes, .image_count = 1, .settings = &settings };
	lrd_buffer out = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_texture_cook(&desc, &out, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	settings.source_limit = 40;
	assert_true(lrd_texture_cook(&desc, &out, NULL, &error));
	lrd_buffer_free(&out);
	lrd_buffer_free(&png);
}

static void settings_are_kept_in_the_file(void **state)
{
	(void)state;
	lrd_buffer png = make_png(16, 16, true);
	lrd_texture_settings settings = {
		.premultiply = true,
		.alpha_coverage = LRD_CHOICE_ON,
		.alpha_cutoff = 0.25f,
		.has_sampler = true,
		.wrap_u = LRD_WRAP_CLAMP,
		.wrap_v = LRD_WRAP_MIRROR,
		.filter = LRD_FILTER_POINT,
	};
	lrd_texture_sampling sampling;
	float cutoff;
	cooked made = cook(&png, "", &settings, LRD_TARGET_DESKTOP);
	assert_true(lrd_texture_is_premultiplied(&made.view));
	assert_true(lrd_texture_sampler(&made.view, &sampling));
	assert_int_equal(sampling.wrap_u, LRD_WRAP_CLAMP);
	assert_int_equal(sampling.wrap_v, LRD_WRAP_MIRROR);
	assert_int_equal(sampling.filter, LRD_FILTER_POINT);
	assert_true(lrd_texture_coverage(&made.view, &cutoff));
	assert_true(cutoff == 0.25f);
	free_cooked(&made);
	made = cook(&png, "", &(lrd_texture_settings){ .zstd = true }, LRD_TARGET_DESKTOP);
	assert_int_equal(made.view.supercompression, LRD_SUPERCOMPRESSION_ZSTD);
	assert_false(lrd_texture_is_premultiplied(&made.view));
	free_cooked(&made);
	lrd_buffer_free(&png);
}

/// Texels of a level whose alpha reaches the cutoff, as a share.
static double coverage_of(const lrd_texture_view *view, uint32_t level, float cutoff)
{
	uint8_t *texels = malloc((size_t)lrd_texture_decoded_size(view, level));
	size_t count = (size_t)lrd_texture_decoded_size(view, level) / 4;
	size_t covered = 0;
	assert_non_null(texels);
	assert_true(lrd_texture_decode(view, &(lrd_texture_decode_desc){ .level = level }, texels, count * 4, NULL));
	for (size_t i = 0; i < count; ++i)
	{
		covered += (float)texels[i * 4 + 3] / 255.0f >= cutoff;
	}
	free(texels);
	return (double)covered / (double)count;
}

/// A card of leaves: thin shapes with soft edges.
static lrd_buffer make_leaves(uint32_t side)
{
	lrd_buffer png = { 0 };
	uint8_t *pixels = malloc((size_t)side * side * 4);
	assert_non_null(pixels);
	for (uint32_t i = 0; i < side * side; ++i)
	{
		float x = (float)(i % side);
		float y = (float)(i / side);
		float blade = sinf(x * 0.9f + sinf(y * 0.11f) * 3.0f) * 0.5f + 0.5f;
		float fade = 1.0f - y / (float)side * 0.6f;
		uint8_t alpha = (uint8_t)(fminf(fmaxf(blade * fade * 1.6f - 0.4f, 0.0f), 1.0f) * 255.0f);
		memcpy(pixels + i * 4, (uint8_t[]){ (uint8_t)(60 + i % 40), (uint8_t)(120 + i % 90), 40, alpha }, 4);
	}
	assert_true(lrd_image_write_png(side, side, pixels, &png, NULL));
	free(pixels);
	return png;
}

static void blocks_keep_the_coverage_of_every_level(void **state)
{
	static const lrd_texture_encoding encodings[] = { LRD_ENCODING_RGBA8, LRD_ENCODING_BC7, LRD_ENCODING_BC3,
		LRD_ENCODING_BC1 };
	(void)state;
	lrd_buffer png = make_leaves(192);
	for (size_t e = 0; e < sizeof encodings / sizeof *encodings; ++e)
	{
		lrd_texture_settings settings = {
			.format = encodings[e], .alpha_coverage = LRD_CHOICE_ON, .alpha_cutoff = 0.4f, .quality = LRD_QUALITY_FAST
		};
		cooked made = cook(&png, "", &settings, LRD_TARGET_DESKTOP);
		cooked plain = cook(&png, "", &(lrd_texture_settings){ .format = LRD_ENCODING_RGBA8 }, LRD_TARGET_DESKTOP);
		double whole = coverage_of(&plain.view, 0, 0.4f);
		assert_true(
			encodings[e] != LRD_ENCODING_BC1 || isfinite(made.report.alpha_psnr)); // one bit of alpha loses some
		for (uint32_t level = 0; level < made.view.level_count; ++level)
		{
			double texels = (double)lrd_texture_extent(192, level) * lrd_texture_extent(192, level);
			double off = fabs(coverage_of(&made.view, level, 0.4f) - whole);
			if (off > fmax(1.0 / 256.0, 0.5 / texels + 1.0 / 512.0))
			{
				fail_msg("%s, level %u: %.3f / 256 off", lrd_texture_format_name(made.view.format), level, off * 256.0);
			}
		}
		free_cooked(&plain);
		free_cooked(&made);
	}
	lrd_buffer_free(&png);
}

static void green_of_a_normal_map_is_turned_when_asked(void **state)
{
	(void)state;
	uint8_t texels[16 * 4];
	lrd_buffer png = { 0 };
	for (uint32_t i = 0; i < 16; ++i)
	{
		memcpy(texels + i * 4, (uint8_t[]){ 128, 200, 220, 255 }, 4);
	}
	assert_true(lrd_image_write_png(4, 4, texels, &png, NULL));
	lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_NORMAL, .normal_flip_y = true };
	cooked made = cook(&png, "", &settings, LRD_TARGET_RAW);
	assert_int_equal(((const uint8_t *)made.view.levels[0].data)[1], 55);
	free_cooked(&made);
	lrd_buffer_free(&png);
}

static void normals_are_signed_in_floats_and_not_in_bytes(void **state)
{
	(void)state;
	uint8_t texels[16 * 4];
	lrd_buffer png = { 0 };
	for (uint32_t i = 0; i < 16; ++i)
	{
		memcpy(texels + i * 4, (uint8_t[]){ 0, 128, 128, 255 }, 4);
	}
	assert_true(lrd_image_write_png(4, 4, texels, &png, NULL));
	lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_NORMAL, .format = LRD_ENCODING_RGBA16F };
	cooked halves = cook(&png, "", &settings, LRD_TARGET_DESKTOP);
	assert_true(fabsf(lrd_float_from_half(((const uint16_t *)halves.view.levels[0].data)[0]) + 1.0f) < 0.01f);
	free_cooked(&halves);
	lrd_buffer_free(&png);
	const float left[4] = { -1.0f, 0.0f, 0.0f, 1.0f };
	lrd_buffer exr = { 0 };
	assert_true(
		lrd_image_write_exr(&(lrd_exr_write_desc){ .width = 1, .height = 1, .channels = 3, .rgba = left }, &exr, NULL));
	settings.format = LRD_ENCODING_RGBA8;
	cooked bytes = cook(&exr, "", &settings, LRD_TARGET_DESKTOP);
	assert_int_equal(((const uint8_t *)bytes.view.levels[0].data)[0], 0);
	assert_int_equal(((const uint8_t *)bytes.view.levels[0].data)[1], 128);
	assert_int_equal(bytes.report.clamped, 0);
	free_cooked(&bytes);
	lrd_buffer_free(&exr);
}

static void flat_normals_in_floats_stay_flat_however_they_are_coded(void **state)
{
	(void)state;
	static const float flat[2][4] = { { 0.0f, 0.0f, 1.0f, 1.0f }, { 0.5f, 0.5f, 1.0f, 1.0f } }; // -1..1 and 0..1
	for (uint32_t coding = 0; coding < 2; ++coding)
	{
		float texels[16 * 4];
		lrd_buffer exr = { 0 };
		for (uint32_t i = 0; i < 16; ++i)
		{
			memcpy(texels + i * 4, flat[coding], sizeof flat[coding]);
		}
		lrd_exr_write_desc desc = { .width = 4, .height = 4, .channels = 3, .rgba = texels };
		assert_true(lrd_image_write_exr(&desc, &exr, NULL));
		lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_NORMAL, .format = LRD_ENCODING_RGBA8 };
		cooked bytes = cook(&exr, "", &settings, LRD_TARGET_DESKTOP);
		assert_int_equal(bytes.view.level_count, 3);
		for (uint32_t level = 0; level < 3; ++level)
		{
			assert_memory_equal(bytes.view.levels[level].data, ((const uint8_t[]){ 128, 128, 255, 255 }), 4);
		}
		free_cooked(&bytes);
		settings.format = LRD_ENCODING_RGBA16F;
		cooked halves = cook(&exr, "", &settings, LRD_TARGET_DESKTOP);
		for (uint32_t level = 0; level < 3; ++level)
		{
			assert_memory_equal(halves.view.levels[level].data, ((const uint16_t[]){ 0, 0, 0x3c00, 0x3c00 }), 8);
		}
		free_cooked(&halves);
		lrd_buffer_free(&exr);
	}
}

static void a_name_that_sounds_like_a_cubemap_leaves_an_image_colour_with_alpha(void **state)
{
	(void)state;
	uint8_t texels[16 * 4] = { 0 };
	lrd_buffer png = { 0 };
	for (uint32_t i = 0; i < 16; i += 2) // green beside transparent black
	{
		memcpy(texels + i * 4, (uint8_t[]){ 0, 200, 0, 255 }, 4);
	}
	assert_true(lrd_image_write_png(4, 4, texels, &png, NULL));
	cooked ice = cook(&png, "ice_cube.png", NULL, LRD_TARGET_RAW);
	assert_int_equal(ice.report.type, LRD_TEXTURE_TYPE_ALBEDO);
	for (uint32_t level = 1; level < ice.view.level_count; ++level)
	{
		assert_int_equal(((const uint8_t *)ice.view.levels[level].data)[1], 200);
	}
	free_cooked(&ice);
	lrd_buffer_free(&png);
}

static void premultiplied_colours_of_a_container_are_divided_before_they_are_cooked(void **state)
{
	(void)state;
	uint8_t texels[16 * 4];
	lrd_buffer png = { 0 };
	for (uint32_t i = 0; i < 16; ++i)
	{
		memcpy(texels + i * 4, (uint8_t[]){ 200, 100, 50, 128 }, 4);
	}
	assert_true(lrd_image_write_png(4, 4, texels, &png, NULL));
	lrd_texture_settings settings = { .premultiply = true };
	cooked multiplied = cook(&png, "", &settings, LRD_TARGET_RAW);
	assert_true(lrd_texture_is_premultiplied(&multiplied.view));
	cooked again = cook(&multiplied.file, "", NULL, LRD_TARGET_RAW);
	assert_false(lrd_texture_is_premultiplied(&again.view));
	for (uint32_t c = 0; c < 4; ++c)
	{
		assert_in_range(((const uint8_t *)again.view.levels[0].data)[c] + 1, texels[c], texels[c] + 2u);
	}
	free_cooked(&again);
	free_cooked(&multiplied);
	lrd_buffer_free(&png);
}

static void threads_do_not_change_a_byte(void **state)
{
	static const lrd_texture_encoding encodings[] = { LRD_ENCODING_BC7, LRD_ENCODING_BC1, LRD_ENCODING_BC5,
		LRD_ENCODING_BC6H, LRD_ENCODING_ASTC_6X6 };
	static const uint32_t counts[] = { 1, 2, 7 };
	(void)state;
	lrd_buffer png = make_png(260, 180, true);
	lrd_bytes bytes = { png.data, png.size };
	for (size_t e = 0; e < sizeof encodings / sizeof *encodings; ++e)
	{
		lrd_texture_settings settings = { .format = encodings[e], .quality = LRD_QUALITY_FAST };
		cooked alone = cook(&png, "", &settings, LRD_TARGET_DESKTOP);
		for (size_t i = 0; i < 3; ++i)
		{
			lrd_job_pool *workers = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = counts[i] }, NULL);
			assert_non_null(workers);
			lrd_jobs jobs = lrd_job_pool_jobs(workers);
			lrd_buffer out = { 0 };
			lrd_texture_report report;
			lrd_texture_cook_desc desc = { .images = &bytes, .image_count = 1, .settings = &settings, .jobs = &jobs };
			assert_true(lrd_texture_cook(&desc, &out, &report, NULL));
			assert_int_equal(out.size, alone.file.size);
			assert_memory_equal(out.data, alone.file.data, out.size);
			assert_true(report.psnr == alone.report.psnr);
			lrd_buffer_free(&out);
			lrd_job_pool_destroy(workers);
		}
		free_cooked(&alone);
	}
	lrd_buffer_free(&png);
}

static void a_texture_of_blocks_is_taken_over_as_it_is(void **state)
{
	(void)state;
	lrd_buffer png = make_png(32, 32, true);
	cooked first = cook(&png, "leaf.png", &(lrd_texture_settings){ .zstd = true }, LRD_TARGET_DESKTOP);
	cooked plain = cook(&png, "leaf.png", NULL, LRD_TARGET_DESKTOP);
	cooked again = cook(&first.file, "leaf.ktx2", NULL, LRD_TARGET_DESKTOP);
	assert_true(again.report.passed);
	assert_int_equal(again.view.supercompression, LRD_SUPERCOMPRESSION_NONE);
	assert_int_equal(again.file.size, plain.file.size); // expanded, so that it can be read by ranges
	assert_memory_equal(again.file.data, plain.file.data, plain.file.size);
	cooked small = cook(&plain.file, "leaf.ktx2", &(lrd_texture_settings){ .max_size = 8 }, LRD_TARGET_DESKTOP);
	assert_int_equal(small.view.width, 8);
	assert_int_equal(small.view.level_count, 4);
	assert_memory_equal(small.view.levels[0].data, plain.view.levels[2].data, plain.view.levels[2].size);
	cooked other =
		cook(&plain.file, "leaf.ktx2", &(lrd_texture_settings){ .format = LRD_ENCODING_BC3 }, LRD_TARGET_DESKTOP);
	assert_false(other.report.passed);
	assert_int_equal(other.view.format, LRD_TEXTURE_BC3_SRGB);
	free_cooked(&other);
	other =
		cook(&plain.file, "leaf.ktx2", &(lrd_texture_settings){ .type = LRD_TEXTURE_TYPE_MASK }, LRD_TARGET_DESKTOP);
	check_key(&other, "type=mask from=settings");
	lrd_error error = { 0 };
	lrd_bytes bytes = { plain.file.data, plain.file.size };
	lrd_texture_settings cube = { .type = LRD_TEXTURE_TYPE_CUBEMAP };
	lrd_texture_cook_desc desc = { .images = &bytes, .image_count = 1, .settings = &cube };
	lrd_buffer refused = { 0 };
	assert_false(lrd_texture_cook(&desc, &refused, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&refused);
	free_cooked(&other);
	free_cooked(&small);
	free_cooked(&again);
	free_cooked(&plain);
	free_cooked(&first);
	lrd_buffer_free(&png);
}

static void plain_texels_of_a_container_are_cooked_like_an_image(void **state)
{
	(void)state;
	lrd_buffer png = make_png(24, 20, false);
	cooked raw = cook(&png, "a.png", NULL, LRD_TARGET_RAW);
	cooked direct = cook(&png, "a.png", NULL, LRD_TARGET_DESKTOP);
	cooked via = cook(&raw.file, "a.ktx2", NULL, LRD_TARGET_DESKTOP);
	assert_false(via.report.passed);
	assert_int_equal(via.file.size, direct.file.size);
	assert_memory_equal(via.file.data, direct.file.data, direct.file.size);
	free_cooked(&via);
	free_cooked(&direct);
	free_cooked(&raw);
	lrd_buffer_free(&png);
}

static void blocks_that_the_target_does_not_sample_are_cooked_anew(void **state)
{
	(void)state;
	lrd_buffer png = make_png(24, 20, false);
	cooked desktop = cook(&png, "", NULL, LRD_TARGET_DESKTOP);
	cooked mobile = cook(&desktop.file, "", NULL, LRD_TARGET_MOBILE);
	assert_int_equal(mobile.view.format, LRD_TEXTURE_ASTC_6X6_SRGB);
	cooked back = cook(&mobile.file, "", NULL, LRD_TARGET_DESKTOP);
	assert_int_equal(back.view.format, LRD_TEXTURE_BC7_SRGB);
	cooked kept = cook(&mobile.file, "", NULL, LRD_TARGET_MOBILE);
	assert_true(kept.report.passed);
	free_cooked(&kept);
	free_cooked(&back);
	free_cooked(&mobile);
	free_cooked(&desktop);
	lrd_buffer_free(&png);
}

static void sixteen_bits_are_kept_where_half_floats_hold_them(void **state)
{
	(void)state;
	uint16_t texels[16 * 4];
	lrd_buffer png = { 0 };
	for (uint32_t i = 0; i < 16; ++i)
	{
		memcpy(texels + i * 4, (uint16_t[]){ (uint16_t)(4000 + 17 * i), 0, 0, 65535 }, 8);
	}
	assert_true(lrd_image_write_png16(4, 4, texels, &png, NULL));
	lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_HEIGHT, .format = LRD_ENCODING_RGBA16F };
	cooked made = cook(&png, "", &settings, LRD_TARGET_DESKTOP);
	for (uint32_t i = 0; i < 16; ++i)
	{
		uint16_t half = ((const uint16_t *)made.view.levels[0].data)[i * 4];
		assert_int_equal(half, lrd_half_from_float((float)texels[i * 4] / 65535.0f));
	}
	free_cooked(&made);
	lrd_buffer_free(&png);
}

static void a_panorama_becomes_a_cubemap_with_levels_and_harmonics(void **state)
{
	float harmonics[27];
	(void)state;
	lrd_buffer exr = make_exr(128, 64, 0.0f);
	lrd_texture_settings settings = { .type = LRD_TEXTURE_TYPE_CUBEMAP };
	cooked made = cook(&exr, "sky.exr", &settings, LRD_TARGET_DESKTOP);
	assert_int_equal(made.view.face_count, 6);
	assert_int_equal(made.view.width, 32);
	assert_int_equal(made.view.level_count, 6);
	assert_int_equal(made.view.format, LRD_TEXTURE_BC6H_UFLOAT);
	assert_true(lrd_texture_harmonics(&made.view, harmonics));
	assert_true(harmonics[0] > 0.0f);
	check_key(&made, "type=cubemap from=settings");
	free_cooked(&made);
	settings.face_size = 16;
	settings.level_limit = 2;
	made = cook(&exr, "sky.exr", &settings, LRD_TARGET_RAW);
	assert_int_equal(made.view.width, 16);
	assert_int_equal(made.view.level_count, 2);
	assert_int_equal(made.view.format, LRD_TEXTURE_RGBA16_SFLOAT);
	free_cooked(&made);
	lrd_buffer_free(&exr);
}

static void six_faces_and_a_strip_are_the_same_cubemap(void **state)
{
	enum
	{
		SIDE = 8
	};
	static uint8_t strip[SIDE][6 * SIDE][4];
	static uint8_t face[SIDE][SIDE][4];
	lrd_buffer files[6] = { 0 };
	lrd_bytes bytes[6];
	lrd_buffer whole = { 0 };
	(void)state;
	for (uint32_t f = 0; f < 6; ++f)
	{
		for (uint32_t i = 0; i < SIDE * SIDE; ++i)
		{
			uint8_t texel[4] = { (uint8_t)(f * 40), (uint8_t)(i * 4), (uint8_t)(i / SIDE * 30), 255 };
			memcpy(face[i / SIDE][i % SIDE], texel, 4);
			memcpy(strip[i / SIDE][f * SIDE + i % SIDE], texel, 4);
		}
		assert_true(lrd_image_write_png(SIDE, SIDE, &face[0][0][0], &files[f], NULL));
		bytes[f] = (lrd_bytes){ files[f].data, files[f].size };
	}
	assert_true(lrd_image_write_png(6 * SIDE, SIDE, &strip[0][0][0], &whole, NULL));
	cooked one = cook(&whole, "", &(lrd_texture_settings){ .type = LRD_TEXTURE_TYPE_CUBEMAP }, LRD_TARGET_RAW);
	lrd_buffer out = { 0 };
	lrd_texture_view view;
	lrd_texture_cook_desc desc = { .images = bytes, .image_count = 6, .target = LRD_TARGET_RAW };
	assert_true(lrd_texture_cook(&desc, &out, NULL, NULL));
	assert_true(lrd_texture_open(out.data, out.size, &view, NULL));
	assert_int_equal(view.face_count, 6);
	assert_int_equal(view.levels[0].size, one.view.levels[0].size);
	assert_memory_equal(view.levels[0].data, one.view.levels[0].data, view.levels[0].size);
	lrd_buffer_free(&out);
	lrd_error error = { 0 };
	bytes[3] = (lrd_bytes){ whole.data, whole.size };
	assert_false(lrd_texture_cook(&desc, &out, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&out);
	free_cooked(&one);
	lrd_buffer_free(&whole);
	for (uint32_t f = 0; f < 6; ++f)
	{
		lrd_buffer_free(&files[f]);
	}
}

static void settings_as_json_are_read_and_refused_like_a_sidecars(void **state)
{
	lrd_error error = { 0 };
	lrd_texture_settings settings = { 0 };
	(void)state;
	assert_true(lrd_texture_settings_read(&settings, "x",
		LRD_STR("{\"type\": \"normal\", \"stop_mip\": 2, \"quality\": \"best\", \"metric\": \"perceptual\"}"), &error));
	assert_int_equal(settings.type, LRD_TEXTURE_TYPE_NORMAL);
	assert_int_equal(settings.level_limit, 3);
	assert_int_equal(settings.quality, LRD_QUALITY_BEST);
	assert_true(settings.perceptual);
	assert_false(lrd_texture_settings_read(&settings, "x", LRD_STR("{\"typ\": 1}"), &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "x:1:2: \"typ\": unknown key; expected type, srgb,"));
	assert_false(lrd_texture_settings_read(&settings, "x", LRD_STR("[]"), &error));
	assert_false(lrd_texture_settings_read(&settings, "x", LRD_STR("{"), &error));
}

static void every_allocation_may_fail(void **state)
{
	static const lrd_texture_settings rows[] = {
		{ .quality = LRD_QUALITY_FAST },
		{ .format = LRD_ENCODING_BC6H, .quality = LRD_QUALITY_FAST, .zstd = true },
		{ .type = LRD_TEXTURE_TYPE_CUBEMAP, .format = LRD_ENCODING_RGBA8 },
	};
	(void)state;
	lrd_buffer png = make_png(16, 8, false);
	lrd_bytes bytes = { png.data, png.size };
	for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r)
	{
		bool good = false;
		for (long long n = 0; !good; ++n)
		{
			failing_allocator failing;
			failing_allocator_init(&failing, n);
			lrd_error error = { 0 };
			lrd_buffer out = { .allocator = failing_allocator_get(&failing) };
			lrd_texture_cook_desc desc = {
				.images = &bytes, .image_count = 1, .settings = &rows[r], .allocator = failing_allocator_get(&failing)
			};
			good = lrd_texture_cook(&desc, &out, NULL, &error);
			assert_true(good || error.code == LRD_ERROR_MEMORY);
			lrd_buffer_free(&out);
			assert_int_equal(atomic_load(&failing.bytes_out), 0);
			assert_true(n < 10000);
		}
	}
	lrd_buffer_free(&png);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_image_holds_is_told_by_its_name),
		cmocka_unit_test(targets_and_qualities_choose_formats),
		cmocka_unit_test(hdr_pictures_are_bc6h_and_what_they_can_not_hold_is_counted),
		cmocka_unit_test(sizes_of_levels_are_limited),
		cmocka_unit_test(sources_beyond_the_limit_are_refused_before_they_are_decoded),
		cmocka_unit_test(settings_are_kept_in_the_file),
		cmocka_unit_test(blocks_keep_the_coverage_of_every_level),
		cmocka_unit_test(green_of_a_normal_map_is_turned_when_asked),
		cmocka_unit_test(normals_are_signed_in_floats_and_not_in_bytes),
		cmocka_unit_test(flat_normals_in_floats_stay_flat_however_they_are_coded),
		cmocka_unit_test(a_name_that_sounds_like_a_cubemap_leaves_an_image_colour_with_alpha),
		cmocka_unit_test(premultiplied_colours_of_a_container_are_divided_before_they_are_cooked),
		cmocka_unit_test(threads_do_not_change_a_byte),
		cmocka_unit_test(a_texture_of_blocks_is_taken_over_as_it_is),
		cmocka_unit_test(plain_texels_of_a_container_are_cooked_like_an_image),
		cmocka_unit_test(blocks_that_the_target_does_not_sample_are_cooked_anew),
		cmocka_unit_test(sixteen_bits_are_kept_where_half_floats_hold_them),
		cmocka_unit_test(a_panorama_becomes_a_cubemap_with_levels_and_harmonics),
		cmocka_unit_test(six_faces_and_a_strip_are_the_same_cubemap),
		cmocka_unit_test(settings_as_json_are_read_and_refused_like_a_sidecars),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
