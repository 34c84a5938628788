// Levels of cubemaps, held against the integral that they stand for.

#include "fixtures/cubemap_check.h"

// The integral that a level stands for, in double, over every texel of the source; see image/cubemap.h.
static void integrate(const lrd_cube *cube, const double normal[3], double roughness, double rgb[3])
{
	double alpha_squared = pow(roughness, 4);
	double weights = 0;
	uint32_t size = cube->face_size;
	rgb[0] = rgb[1] = rgb[2] = 0;
	for (uint32_t i = 0; i < 6 * size * size; i++)
	{
		double direction[3];
		cube_direction(cube, i / (size * size), i % size, i / size % size, direction);
		double cosine = dot(normal, direction);
		if (cosine > 0)
		{
			double left = (double)(i % size) / size;
			double top = (double)(i / size % size) / size;
			double spread = (1 + cosine) / 2 * (alpha_squared - 1) + 1;
			double weight = cosine * alpha_squared / (PI * spread * spread) *
							lrd_cube_solid_angle(left, top, left + 1.0 / size, top + 1.0 / size);
			weights += weight;
			for (size_t channel = 0; channel < 3; channel++)
			{
				rgb[channel] += weight * (double)cube->texels[(size_t)4 * i + channel];
			}
		}
	}
	for (size_t channel = 0; channel < 3; channel++)
	{
		rgb[channel] /= weights;
	}
}

// Every level at `count` texels; relative to the integral itself, but that what is darker than 1/500 of the level's
// greatest value counts as that. 2% is asked for; one is held.
static void check_levels(const lrd_cube *cube, uint32_t count, double tolerance)
{
	uint32_t level_count = lrd_cube_level_count(cube->face_size);
	lrd_cube levels[LRD_CUBE_LEVELS_MAX];
	prefilter(cube, level_count, levels);
	for (uint32_t level = 1; level < level_count; level++)
	{
		const lrd_cube *made = &levels[level];
		uint32_t size = made->face_size;
		double brightest = 0;
		for (uint32_t i = 0; i < 6 * size * size * 4; i++)
		{
			double value = i % 4 < 3 ? (double)made->texels[i] : 0;
			brightest = value > brightest ? value : brightest;
		}
		for (uint32_t i = 0; i < count; i++)
		{
			double s, t;
			uint32_t face = i == 0 ? lrd_cube_point(sun, &s, &t) : noise(level * 100 + i) % 6;
			uint32_t x = i == 0 ? (uint32_t)(s * size) : noise(level * 200 + i) % size;
			uint32_t y = i == 0 ? (uint32_t)(t * size) : noise(level * 300 + i) % size;
			double normal[3], expected[3];
			cube_direction(made, face, x, y, normal);
			integrate(cube, normal, (double)level / (level_count - 1), expected);
			for (size_t channel = 0; channel < 3; channel++)
			{
				double found = (double)cube_texel(made, face, x, y)[channel];
				double least = expected[channel] > brightest / 500 ? expected[channel] : brightest / 500;
				if (fabs(found - expected[channel]) > tolerance * least)
				{
					fail_msg("level %u, face %u, texel (%u, %u): %g; expected %g", level, face, x, y, found,
						expected[channel]);
				}
			}
		}
	}
	free_levels(levels, level_count);
}

static void levels_are_the_integral_of_the_lobe(void **state)
{
	(void)state;
	static radiance *const environments[] = { of_gradient, of_lobe, of_sun_disc };
	for (size_t i = 0; i < 3; i++)
	{
		lrd_cube cube = paint(64, environments[i]);
		check_levels(&cube, 8, 0.01);
		lrd_cube_free(&cube);
	}
}

static void levels_of_any_size_are_the_integral(void **state)
{
	(void)state;
	static const uint32_t sizes[] = { 2, 3, 5, 17, 48 };
	for (size_t i = 0; i < 5; i++)
	{
		lrd_cube cube = paint(sizes[i], of_sun_disc);
		check_levels(&cube, 4, 0.01);
		lrd_cube_free(&cube);
	}
}

static void levels_of_a_photographed_sky_are_the_integral(void **state)
{
	(void)state;
	char name[1024];
	snprintf(name, sizeof name, "%s/../shared/corpus/tex/ray/dresden_square_1k.hdr", LRD_TEST_SOURCE_DIR);
	FILE *file = fopen(name, "rb");
	if (file == NULL)
	{
		print_message("skipped: tex/ray/dresden_square_1k.hdr is absent\n");
		skip();
	}
	lrd_buffer bytes = { 0 };
	uint8_t block[65536];
	for (size_t size; (size = fread(block, 1, sizeof block, file)) != 0;)
	{
		assert_true(lrd_buffer_append(&bytes, block, size));
	}
	fclose(file);
	lrd_image image = decode_sound(bytes.data, bytes.size);
	lrd_cube cube = make((lrd_cube_desc){ .images = &image, .image_count = 1, .face_size = 64 });
	check_levels(&cube, 8, 0.01);
	lrd_cube_free(&cube);
	lrd_image_free(&image);
	lrd_buffer_free(&bytes);
}

// In darkness, one texel of light shows the lobe itself, at every texel of every level: speckles, seams and steps would
// all show.
static void a_sun_of_one_texel_shows_the_lobe_without_speckles(void **state)
{
	(void)state;
	const uint32_t size = 64;
	static const uint32_t places[][3] = { { 4, 20, 30 }, { 0, 0, 0 }, { 2, 63, 31 } };
	for (size_t place = 0; place < 3; place++)
	{
		lrd_cube cube = reserve(size);
		uint32_t face = places[place][0], x = places[place][1], y = places[place][2];
		cube_texel(&cube, face, x, y)[1] = 50000.0f;
		double at[3];
		cube_direction(&cube, face, x, y, at);
		double light =
			50000 * lrd_cube_solid_angle((double)x / size, (double)y / size, (x + 1.0) / size, (y + 1.0) / size);
		lrd_cube levels[LRD_CUBE_LEVELS_MAX];
		prefilter(&cube, 7, levels);
		for (uint32_t level = 1; level < 7; level++)
		{
			double alpha_squared = pow((double)level / 6, 4);
			uint32_t side = levels[level].face_size;
			double height = 0; // of the lobe: the same for all, but for how the sphere is cut up
			double lowest = 1e30, highest = 0;
			for (uint32_t i = 0; i < 6 * side * side; i++)
			{
				double normal[3];
				cube_direction(&levels[level], i / (side * side), i % side, i / side % side, normal);
				double cosine = dot(normal, at);
				double spread = (1 + cosine) / 2 * (alpha_squared - 1) + 1;
				double value = (double)levels[level].texels[(size_t)4 * i + 1];
				if (cosine > 0.02)
				{
					height = value / light * spread * spread / cosine;
					lowest = height < lowest ? height : lowest;
					highest = height > highest ? height : highest;
				}
				else if (cosine < -0.02)
				{
					assert_true(value == 0);
				}
			}
			assert_true(lowest > 0 && highest / lowest < 1.02);
		}
		free_levels(levels, 7);
		lrd_cube_free(&cube);
	}
}

static void an_even_sky_stays_even(void **state)
{
	(void)state;
	lrd_cube cube = reserve(32);
	for (size_t i = 0; i < cube.size / sizeof(float); i++)
	{
		cube.texels[i] = 0.7f;
	}
	lrd_cube levels[LRD_CUBE_LEVELS_MAX];
	prefilter(&cube, 6, levels);
	for (uint32_t level = 1; level < 6; level++)
	{
		for (size_t i = 0; i < levels[level].size / sizeof(float); i++)
		{
			assert_true(fabsf(levels[level].texels[i] - 0.7f) < 2e-5f);
		}
	}
	free_levels(levels, 6);
	lrd_cube_free(&cube);
}

static void each_texel_is_summed_from_at_least_256_samples(void **state)
{
	(void)state;
	lrd_cube cube = paint(64, of_sun_disc);
	lrd_cube_lobes *lobes = lrd_cube_lobes_open(&cube, (lrd_allocator){ 0 }, NULL);
	assert_non_null(lobes);
	for (uint32_t level = 1; level < 7; level++)
	{
		lrd_cube to = reserve(64u >> level);
		for (uint32_t face = 0; face < 6; face++)
		{
			uint32_t samples = lrd_cube_lobes_rows(lobes, LRD_ISA_BEST, (float)level / 6, &to, face, 0, to.face_size);
			assert_true(samples >= 256);
		}
		lrd_cube_free(&to);
	}
	lrd_cube_lobes_close(lobes);
	lrd_cube_free(&cube);
}

// In rows of any number, on every instruction set.
static void every_way_of_sharing_work_gives_the_same_bytes(void **state)
{
	(void)state;
	lrd_image image = paint_panorama(64, 32, of_sun_disc);
	lrd_cube whole = make((lrd_cube_desc){ .images = &image, .image_count = 1, .isa = LRD_ISA_PORTABLE });
	lrd_cube levels[LRD_CUBE_LEVELS_MAX];
	assert_true(lrd_cube_prefilter(&whole, 4, LRD_ISA_PORTABLE, (lrd_allocator){ 0 }, levels, NULL));
	lrd_panorama *panorama = lrd_panorama_open(&image, (lrd_allocator){ 0 }, NULL);
	lrd_cube_lobes *lobes = lrd_cube_lobes_open(&whole, (lrd_allocator){ 0 }, NULL);
	for (lrd_isa isa = LRD_ISA_PORTABLE; isa < LRD_ISA_COUNT; isa++)
	{
		if (!lrd_isa_is_here(isa))
		{
			print_message("not on this processor: %s\n", lrd_isa_name(isa));
			continue;
		}
		for (uint32_t step = 1; step < 8; step += 3)
		{
			lrd_cube faces = reserve(whole.face_size);
			lrd_cube level = reserve(levels[1].face_size);
			for (uint32_t face = 0; face < 6; face++)
			{
				for (uint32_t row = 0; row < faces.face_size; row += step)
				{
					uint32_t end = row + step < faces.face_size ? row + step : faces.face_size;
					lrd_panorama_rows(panorama, isa, &faces, face, row, end);
				}
				for (uint32_t row = 0; row < level.face_size; row += step)
				{
					uint32_t end = row + step < level.face_size ? row + step : level.face_size;
					lrd_cube_lobes_rows(lobes, isa, 1.0f / 3, &level, face, row, end);
				}
			}
			assert_memory_equal(faces.texels, whole.texels, whole.size);
			assert_memory_equal(level.texels, levels[1].texels, level.size);
			lrd_cube_free(&faces);
			lrd_cube_free(&level);
		}
	}
	lrd_cube_lobes_close(lobes);
	lrd_panorama_close(panorama);
	free_levels(levels, 4);
	lrd_cube_free(&whole);
	lrd_image_free(&image);
}

static void plain_mips_keep_each_faces_mean(void **state)
{
	(void)state;
	lrd_cube cube = reserve(11);
	for (size_t i = 0; i < cube.size / sizeof(float); i++)
	{
		cube.texels[i] = (float)(noise((uint32_t)i) & 255);
	}
	lrd_cube levels[LRD_CUBE_LEVELS_MAX];
	assert_int_equal(lrd_cube_level_count(11), 4);
	assert_true(lrd_cube_mips(&cube, 4, (lrd_allocator){ 0 }, levels, NULL));
	static const uint32_t sizes[] = { 11, 5, 2, 1 };
	for (uint32_t level = 1; level < 4; level++)
	{
		assert_int_equal(levels[level].face_size, sizes[level]);
		assert_true(fabs(mean_of(&levels[level], false) / mean_of(&cube, false) - 1) < 1e-5);
	}
	free_levels(levels, 4);
	lrd_cube_free(&cube);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_the_integral_of_the_lobe),
		cmocka_unit_test(levels_of_any_size_are_the_integral),
		cmocka_unit_test(levels_of_a_photographed_sky_are_the_integral),
		cmocka_unit_test(a_sun_of_one_texel_shows_the_lobe_without_speckles),
		cmocka_unit_test(an_even_sky_stays_even),
		cmocka_unit_test(each_texel_is_summed_from_at_least_256_samples),
		cmocka_unit_test(every_way_of_sharing_work_gives_the_same_bytes),
		cmocka_unit_test(plain_mips_keep_each_faces_mean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
