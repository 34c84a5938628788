// Alpha in mip chains: colours beside holes, coverage of cutouts.

#include "fixtures/mip_check.h"
#include "fixtures/mip_reference.h"

#include <math.h>

static void transparent_texels_do_not_bleed(void **state)
{
	(void)state;
	lrd_image image = blank(19, 19, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 19 * 19; i++)
	{
		bool opaque = noise(i) % 5 == 0;
		set_8(&image, i % 19, i / 19, opaque ? 0 : 255, opaque ? 200 : 0, 0, opaque ? 255 : 0);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true });
	for (uint32_t level = 1; level < mips.level_count; level++)
	{
		for (size_t at = 0; at < mips.levels[level].size; at += 4)
		{
			const uint8_t *texel = mips.levels[level].data + at;
			bool is_green = texel[0] == 0 && texel[1] == 200;
			bool is_red = texel[0] == 255 && texel[1] == 0; // where nothing around is opaque, the colour there is stays
			assert_true(texel[3] != 0 ? is_green : is_green || is_red);
		}
	}
	assert_true(mip_texel(&mips, mips.level_count - 1, 0, 0)[3] != 0);
	lrd_mips_free(&mips);
	lrd_mips bleeding = make((lrd_mips_desc){ .image = &image });
	assert_true(mip_texel(&bleeding, bleeding.level_count - 1, 0, 0)[0] > 200); // and without weights they do
	lrd_mips_free(&bleeding);
	lrd_image_free(&image);
}

static void faintest_alpha_outweighs_transparent_texels(void **state)
{
	(void)state;
	lrd_image image = blank(2, 2, LRD_PIXEL_UNORM8);
	set_8(&image, 0, 0, 0, 0, 255, 1);
	set_8(&image, 1, 0, 255, 0, 0, 0);
	set_8(&image, 0, 1, 255, 0, 0, 0);
	set_8(&image, 1, 1, 255, 0, 0, 0);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true });
	assert_memory_equal(mip_texel(&mips, 1, 0, 0), ((const uint8_t[]){ 0, 0, 255, 0 }), 4);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static double share_passing(const lrd_mips *mips, uint32_t level, double cutoff)
{
	size_t count = mips->levels[level].size / 4, passing = 0;
	for (size_t i = 0; i < count; i++)
	{
		passing += mips->levels[level].data[4 * i + 3] / 255.0 >= cutoff;
	}
	return (double)passing / (double)count;
}

// Blades of differing width and softness over nothing.
static lrd_image foliage(uint32_t width, uint32_t height)
{
	lrd_image image = blank(width, height, LRD_PIXEL_UNORM8);
	for (uint32_t y = 0; y < height; y++)
	{
		for (uint32_t x = 0; x < width; x++)
		{
			double blade =
				sin(x * 0.71 + sin(y * 0.031) * 9) + 0.6 * sin(x * 0.173 - y * 0.219) + 0.3 * sin(y * 0.477 + x * 1.31);
			double alpha = blade * 300 - 60;
			set_8(&image, x, y, 40, 120, 20, (uint8_t)(alpha < 0 ? 0 : alpha > 255 ? 255 : alpha));
		}
	}
	return image;
}

static void coverage_of_foliage_is_kept_within_one_in_256(void **state)
{
	(void)state;
	static const float cutoffs[] = { 0.1f, 0.5f, 0.75f, 1.0f };
	static const uint32_t sizes[][2] = { { 512, 512 }, { 300, 411 } };
	for (size_t i = 0; i < sizeof cutoffs / sizeof *cutoffs * 2; i++)
	{
		float cutoff = cutoffs[i / 2];
		lrd_image image = foliage(sizes[i % 2][0], sizes[i % 2][1]);
		lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = cutoff });
		double target = share_passing(&mips, 0, (double)cutoff);
		assert_true(target > 0.05 && target < 0.6);
		for (uint32_t level = 1; level < mips.level_count; level++)
		{
			double texels = (double)mips.levels[level].size / 4;
			// A level of n texels can show shares of 1 / n only.
			double allowed = texels >= 128 ? 1.0 / 256 : 0.5 / texels + 1e-9;
			double found = share_passing(&mips, level, (double)cutoff);
			if (fabs(found - target) > allowed)
			{
				fail_msg("cutoff %g, %u x %u, level %u: %.4f of the texels pass; expected %.4f", (double)cutoff,
					sizes[i % 2][0], sizes[i % 2][1], level, found, target);
			}
		}
		lrd_mips_free(&mips);
		lrd_image_free(&image);
	}
}

static void coverage_that_is_kept_anyway_leaves_alpha_alone(void **state)
{
	(void)state;
	lrd_image image = blank(64, 64, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 64 * 64; i++)
	{
		set_8(&image, i % 64, i / 64, 9, 9, 9, i % 64 < 32 ? 180 : 90);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.5f });
	for (uint32_t level = 1; level < 6; level++)
	{
		assert_int_equal(mip_texel(&mips, level, 0, 0)[3], 180);
		assert_int_equal(mip_texel(&mips, level, mips.levels[level].width - 1, 0)[3], 90);
	}
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void nothing_covered_stays_nothing_covered(void **state)
{
	(void)state;
	lrd_image image = blank(32, 32, LRD_PIXEL_UNORM8);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.5f });
	assert_int_equal(mip_texel(&mips, 5, 0, 0)[3], 0);
	lrd_mips_free(&mips);
	memset(image.pixels, 255, image.size);
	mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.5f });
	assert_int_equal(mip_texel(&mips, 5, 0, 0)[3], 255);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

// Hard cutouts: few alphas in each level, many of them equal, so that no factor alone could meet the share.
static void coverage_of_hard_cutouts_is_kept_as_near_as_texels_allow(void **state)
{
	(void)state;
	static const uint32_t sizes[][2] = { { 256, 256 }, { 77, 130 }, { 64, 1 } };
	for (uint32_t turn = 0; turn < 3 * 3 * 2; turn++)
	{
		uint32_t width = sizes[turn % 3][0], height = sizes[turn % 3][1], dots = 2 + turn / 3 % 3;
		lrd_image image = blank(width, height, LRD_PIXEL_UNORM8);
		for (uint32_t i = 0; i < width * height; i++)
		{
			uint32_t cell = i % width / dots + i / width / dots * 1000;
			set_8(&image, i % width, i / width, 9, 99, 9, noise(cell) % 5 < 2 ? 255 : 0);
		}
		lrd_mips mips = make((lrd_mips_desc){ .image = &image,
			.alpha_weighted = true,
			.alpha_coverage = 0.5f,
			.filter = turn / 9 != 0 ? LRD_MIP_FILTER_SINC : LRD_MIP_FILTER_BOX });
		double target = share_passing(&mips, 0, 0.5);
		for (uint32_t level = 1; level < mips.level_count; level++)
		{
			double texels = (double)mips.levels[level].size / 4;
			double found = share_passing(&mips, level, 0.5);
			if (fabs(found - target) > fmax(1.0 / 256, 0.5 / texels + 1e-9))
			{
				fail_msg(
					"%u x %u, level %u: %.4f of the texels pass; expected %.4f", width, height, level, found, target);
			}
		}
		lrd_mips_free(&mips);
		lrd_image_free(&image);
	}
}

static void coverage_is_kept_in_half_floats_too(void **state)
{
	(void)state;
	lrd_image image = noisy(128, 96, LRD_PIXEL_F32);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .alpha_coverage = 0.7f });
	for (uint32_t level = 0; level < 3; level++)
	{
		size_t count = mips.levels[level].size / 8, passing = 0;
		for (uint32_t i = 0; i < count; i++)
		{
			passing += mip_half(&mips, level, i, 0, 3) >= 0.7f;
		}
		assert_true(fabs((double)passing / (double)count - 0.3) < 0.01);
	}
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void sinc_beside_holes_keeps_colours_within_what_is_there(void **state)
{
	(void)state;
	lrd_image image = blank(96, 96, LRD_PIXEL_UNORM8);
	for (uint32_t i = 0; i < 96 * 96; i++)
	{
		bool leaf = noise(i / 3) % 3 == 0;
		bool dark = noise(i / 7) % 2 == 0;
		set_8(&image, i % 96, i / 96, leaf ? 0 : 255, dark ? 110 : 140, 0, leaf ? 255 : 0);
	}
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .alpha_weighted = true, .filter = LRD_MIP_FILTER_SINC });
	for (uint32_t level = 1; level < mips.level_count; level++)
	{
		for (size_t at = 0; at < mips.levels[level].size; at += 4)
		{
			const uint8_t *texel = mips.levels[level].data + at;
			if (texel[3] != 0)
			{
				assert_in_range(texel[0], 0, 6); // what does not show leaves no trace
				assert_in_range(texel[1], 60, 190);
			}
		}
	}
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

static void premultiplied_colours_are_light_times_alpha(void **state)
{
	(void)state;
	lrd_image image = noisy(40, 24, LRD_PIXEL_UNORM8);
	lrd_mips mips = make((lrd_mips_desc){ .image = &image, .premultiply = true });
	mip_reference level = mip_reference_load(&image, true, true);
	for (uint32_t i = 0; i < mips.level_count; i++)
	{
		for (size_t at = 0; at < mips.levels[i].size; at++)
		{
			double expected = mip_reference_code(&level, at / 4, at % 4, true, false);
			assert_true(fabs(mips.levels[i].data[at] - expected) <= 0.5 + 1e-3);
		}
		mip_reference next = mip_reference_halve(&level, LRD_MIP_FILTER_BOX, 0, 0);
		free(level.texels);
		level = next;
	}
	free(level.texels);
	lrd_mips_free(&mips);
	lrd_image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transparent_texels_do_not_bleed),
		cmocka_unit_test(faintest_alpha_outweighs_transparent_texels),
		cmocka_unit_test(coverage_of_foliage_is_kept_within_one_in_256),
		cmocka_unit_test(coverage_that_is_kept_anyway_leaves_alpha_alone),
		cmocka_unit_test(nothing_covered_stays_nothing_covered),
		cmocka_unit_test(coverage_of_hard_cutouts_is_kept_as_near_as_texels_allow),
		cmocka_unit_test(coverage_is_kept_in_half_floats_too),
		cmocka_unit_test(sinc_beside_holes_keeps_colours_within_what_is_there),
		cmocka_unit_test(premultiplied_colours_are_light_times_alpha),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
