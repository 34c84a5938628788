// Cubemaps: where faces lie, and what images and panoramas become.

#include "fixtures/cubemap_check.h"

static void layouts_are_told_by_their_shape(void **state)
{
	(void)state;
	static const struct
	{
		uint32_t width, height;
		lrd_cube_layout layout;
	} shapes[] = {
		{ 60, 10, LRD_CUBE_STRIP },
		{ 10, 60, LRD_CUBE_COLUMN },
		{ 40, 30, LRD_CUBE_CROSS },
		{ 30, 40, LRD_CUBE_UPRIGHT },
		{ 40, 20, LRD_CUBE_PANORAMA },
		{ 1024, 512, LRD_CUBE_PANORAMA },
		{ 4, 3, LRD_CUBE_CROSS },
		{ 10, 10, LRD_CUBE_NONE },
		{ 41, 30, LRD_CUBE_NONE },
		{ 0, 0, LRD_CUBE_NONE },
		{ 0, 5, LRD_CUBE_NONE },
		{ 0xffffffffu, 0x7fffffffu, LRD_CUBE_NONE },
		{ 0x80000000u, 0x40000000u, LRD_CUBE_PANORAMA },
	};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
	{
		assert_int_equal(lrd_cube_layout_of(shapes[i].width, shapes[i].height), shapes[i].layout);
	}
}

// Vulkan, "Cube Map Face Selection": of each face what lies to the right (sc), down (tc) and ahead (ma).
static void faces_are_turned_as_vulkan_says(void **state)
{
	(void)state;
	static const double table[6][3][3] = {
		{ { 0, 0, -1 }, { 0, -1, 0 }, { 1, 0, 0 } },
		{ { 0, 0, 1 }, { 0, -1, 0 }, { -1, 0, 0 } },
		{ { 1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } },
		{ { 1, 0, 0 }, { 0, 0, -1 }, { 0, -1, 0 } },
		{ { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, 1 } },
		{ { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } },
	};
	for (uint32_t face = 0; face < 6; face++)
	{
		double direction[3];
		lrd_cube_direction(face, 0.9, 0.6, direction);
		double expected[3];
		double length = sqrt(1 + 0.8 * 0.8 + 0.2 * 0.2);
		for (size_t axis = 0; axis < 3; axis++)
		{
			expected[axis] = (0.8 * table[face][0][axis] + 0.2 * table[face][1][axis] + table[face][2][axis]) / length;
			assert_true(fabs(direction[axis] - expected[axis]) < 1e-15);
		}
		double s, t;
		assert_int_equal(lrd_cube_point(direction, &s, &t), face);
		assert_true(fabs(s - 0.9) < 1e-15 && fabs(t - 0.6) < 1e-15);
	}
}

static void solid_angles_add_up_to_the_sphere(void **state)
{
	(void)state;
	assert_true(fabs(lrd_cube_solid_angle(0, 0, 1, 1) - 4 * PI / 6) < 1e-14);
	for (uint32_t size = 1; size <= 40; size += 13)
	{
		double sum = 0;
		for (uint32_t i = 0; i < size * size; i++)
		{
			double left = (double)(i % size) / size;
			double top = (double)(i / size) / size;
			sum += lrd_cube_solid_angle(left, top, left + 1.0 / size, top + 1.0 / size);
		}
		assert_true(fabs(sum - 4 * PI / 6) < 1e-13);
	}
	// A small texel in a corner: cos^3 of its angle to the face's axis.
	double small = lrd_cube_solid_angle(0.999, 0.999, 1.0, 1.0) / (4 * 1e-6);
	assert_true(fabs(small / pow(3, -1.5) - 1) < 0.01);
}

// Each pixel says where on the picture it is; what is side by side there must be side by side in space.
static void check_layout(uint32_t width, uint32_t height, lrd_cube_layout layout, uint32_t joins)
{
	lrd_image image = blank(width, height);
	for (uint32_t i = 0; i < width * height; i++)
	{
		texel_f(&image, i % width, i / width)[0] = (float)(i + 1);
	}
	lrd_cube cube = make((lrd_cube_desc){ .images = &image, .image_count = 1 });
	lrd_cube asked = make((lrd_cube_desc){ .images = &image, .image_count = 1, .layout = layout });
	assert_memory_equal(cube.texels, asked.texels, cube.size);
	uint32_t size = cube.face_size;
	uint32_t *at = calloc((size_t)width * height, sizeof *at); // which texel of the cube a pixel went to, plus 1
	for (uint32_t i = 0; i < 6 * size * size; i++)
	{
		uint32_t pixel = (uint32_t)cube.texels[(size_t)4 * i] - 1;
		assert_true(pixel < width * height);
		assert_int_equal(at[pixel], 0);
		at[pixel] = i + 1;
	}
	uint32_t crossed = 0;
	for (uint32_t i = 0; i < 2 * width * height; i++)
	{
		uint32_t pixel = i / 2;
		uint32_t next = i % 2 == 0 ? pixel + 1 : pixel + width;
		bool inside = i % 2 == 0 ? pixel % width + 1 < width : next < width * height;
		if (!inside || at[pixel] == 0 || at[next] == 0)
		{
			continue;
		}
		uint32_t a = at[pixel] - 1, b = at[next] - 1, face = size * size;
		double from[3], to[3];
		cube_direction(&cube, a / face, a % size, a / size % size, from);
		cube_direction(&cube, b / face, b % size, b / size % size, to);
		assert_true(joins != 0 || a / face != b / face || dot(from, to) > cos(2.5 / size));
		if (joins != 0)
		{
			assert_true(dot(from, to) > cos(2.5 / size));
			crossed += a / face != b / face ? 1 : 0;
		}
	}
	assert_int_equal(crossed, joins * size);
	free(at);
	lrd_cube_free(&cube);
	lrd_cube_free(&asked);
	lrd_image_free(&image);
}

static void crosses_fold_up_without_a_break(void **state)
{
	(void)state;
	check_layout(32, 24, LRD_CUBE_CROSS, 5);
	check_layout(24, 32, LRD_CUBE_UPRIGHT, 5);
}

static void strips_and_columns_hold_upright_faces(void **state)
{
	(void)state;
	check_layout(48, 8, LRD_CUBE_STRIP, 0);
	check_layout(8, 48, LRD_CUBE_COLUMN, 0);
	lrd_image strip = blank(18, 3);
	lrd_image faces[6];
	for (uint32_t face = 0; face < 6; face++)
	{
		faces[face] = blank(3, 3);
		for (uint32_t i = 0; i < 9; i++)
		{
			float value = (float)noise(face * 9 + i);
			texel_f(&faces[face], i % 3, i / 3)[1] = value;
			texel_f(&strip, face * 3 + i % 3, i / 3)[1] = value;
		}
	}
	lrd_cube a = make((lrd_cube_desc){ .images = &strip, .image_count = 1 });
	lrd_cube b = make((lrd_cube_desc){ .images = faces, .image_count = 6 });
	assert_int_equal(a.face_size, 3);
	assert_memory_equal(a.texels, b.texels, a.size);
	for (uint32_t face = 0; face < 6; face++)
	{
		assert_memory_equal(lrd_cube_face(&b, face), faces[face].pixels, faces[face].size);
		lrd_image_free(&faces[face]);
	}
	lrd_cube_free(&a);
	lrd_cube_free(&b);
	lrd_image_free(&strip);
}

static void encoded_faces_are_decoded_to_linear_light(void **state)
{
	(void)state;
	uint8_t codes[24];
	uint16_t wide[24];
	for (uint32_t i = 0; i < 24; i++)
	{
		codes[i] = (uint8_t)(i * 11);
		wide[i] = (uint16_t)(codes[i] * 257);
	}
	for (int linear = 0; linear < 2; linear++)
	{
		lrd_image narrow_strip = { .width = 6, .height = 1, .pixels = codes, .size = 24, .linear = linear != 0 };
		lrd_image wide_strip = narrow_strip;
		wide_strip.type = LRD_PIXEL_UNORM16;
		wide_strip.pixels = wide;
		lrd_cube a = make((lrd_cube_desc){ .images = &narrow_strip, .image_count = 1 });
		lrd_cube b = make((lrd_cube_desc){ .images = &wide_strip, .image_count = 1 });
		for (uint32_t i = 0; i < 24; i++)
		{
			float encoded = (float)codes[i] / 255.0f;
			float expected = linear != 0 || i % 4 == 3 ? encoded : lrd_srgb_to_linear(encoded);
			assert_true(fabsf(a.texels[i] - expected) < 1e-7f);
			assert_true(fabsf(b.texels[i] - expected) < 1e-7f);
		}
		lrd_cube_free(&a);
		lrd_cube_free(&b);
	}
}

static void faces_of_another_size_are_filtered(void **state)
{
	(void)state;
	lrd_image strip = blank(72, 12);
	for (uint32_t i = 0; i < 72 * 12; i++)
	{
		texel_f(&strip, i % 72, i / 72)[0] = (float)(noise(i) & 1023);
	}
	lrd_cube own = make((lrd_cube_desc){ .images = &strip, .image_count = 1 });
	for (uint32_t size = 1; size < 12; size++)
	{
		lrd_cube smaller = make((lrd_cube_desc){ .images = &strip, .image_count = 1, .face_size = size });
		assert_int_equal(smaller.face_size, size);
		assert_true(fabs(mean_of(&smaller, false) / mean_of(&own, false) - 1) < 1e-5);
		lrd_cube_free(&smaller);
	}
	lrd_cube_free(&own);
	lrd_image_free(&strip);
	lrd_cube coarse = paint(16, of_gradient);
	lrd_image faces[6];
	for (uint32_t face = 0; face < 6; face++)
	{
		faces[face] = blank(16, 16);
		memcpy(faces[face].pixels, lrd_cube_face(&coarse, face), faces[face].size);
	}
	lrd_cube larger = make((lrd_cube_desc){ .images = faces, .image_count = 6, .face_size = 50 });
	lrd_cube exact = paint(50, of_gradient);
	for (uint32_t i = 0; i < 4 * 6 * 50 * 50; i++)
	{
		assert_true(fabsf(larger.texels[i] - exact.texels[i]) < 0.02f); // of 0.1..1.9: corners are cut
	}
	for (uint32_t face = 0; face < 6; face++)
	{
		lrd_image_free(&faces[face]);
	}
	lrd_cube_free(&coarse);
	lrd_cube_free(&larger);
	lrd_cube_free(&exact);
}

// Poles, the meridian where the panorama closes, and all between.
static void panoramas_look_where_their_texels_are(void **state)
{
	(void)state;
	static const uint32_t sizes[][3] = { { 256, 128, 16 }, { 256, 128, 64 }, { 64, 32, 48 }, { 90, 45, 17 } };
	for (size_t i = 0; i < 4; i++)
	{
		lrd_image image = paint_panorama(sizes[i][0], sizes[i][1], of_gradient);
		lrd_cube cube = make((lrd_cube_desc){
			.images = &image, .image_count = 1, .layout = LRD_CUBE_PANORAMA, .face_size = sizes[i][2] });
		lrd_cube exact = paint(sizes[i][2], of_gradient);
		for (uint32_t k = 0; k < cube.size / sizeof(float); k++)
		{
			assert_true(fabsf(cube.texels[k] - exact.texels[k]) < 0.004f);
		}
		lrd_cube_free(&cube);
		lrd_cube_free(&exact);
		lrd_image_free(&image);
	}
}

static void panoramas_choose_a_power_of_two(void **state)
{
	(void)state;
	static const uint32_t sizes[][2] = { { 2, 16 }, { 64, 16 }, { 256, 64 }, { 1024, 256 }, { 1000, 256 },
		{ 1400, 256 }, { 1500, 512 }, { 2048, 512 }, { 16384, 4096 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
	{
		lrd_image image = { .width = sizes[i][0], .height = sizes[i][0] / 2, .type = LRD_PIXEL_F32 };
		uint32_t size;
		assert_true(lrd_cube_measure(&(lrd_cube_desc){ .images = &image, .image_count = 1 }, &size, NULL));
		assert_int_equal(size, sizes[i][1]);
	}
}

// A texel of the face spans ten stripes or more, of which the last may be cut: 1/32 is the area's own mean.
static void stripes_of_a_shrunk_panorama_become_grey(void **state)
{
	(void)state;
	for (uint32_t upright = 0; upright < 2; upright++)
	{
		lrd_image image = blank(512, 256);
		for (uint32_t i = 0; i < 512 * 256; i++)
		{
			texel_f(&image, i % 512, i / 512)[0] = upright != 0 ? (float)(i % 2) : (float)(i / 512 % 2);
		}
		lrd_cube cube = make((lrd_cube_desc){ .images = &image, .image_count = 1, .face_size = 16 });
		for (uint32_t i = 0; i < 6 * 16 * 16; i++)
		{
			assert_true(fabsf(cube.texels[(size_t)4 * i] - 0.5f) < 0.04f);
		}
		lrd_cube_free(&cube);
		lrd_image_free(&image);
	}
}

// One texel at 50000 anywhere, poles and meridian among them, brings its light whatever the faces' size. At the pole,
// linear interpolation itself gives the innermost row 13/12 of its light.
static void a_sun_keeps_its_light_wherever_it_stands(void **state)
{
	(void)state;
	static const uint32_t places[][2] = { { 0, 40 }, { 127, 31 }, { 64, 0 }, { 3, 63 }, { 50, 2 }, { 80, 20 },
		{ 96, 32 } };
	static const uint32_t sizes[] = { 8, 31, 64 };
	for (size_t i = 0; i < 21; i++)
	{
		uint32_t x = places[i % 7][0], y = places[i % 7][1];
		lrd_image image = blank(128, 64);
		texel_f(&image, x, y)[0] = 50000.0f;
		lrd_cube cube = make((lrd_cube_desc){ .images = &image, .image_count = 1, .face_size = sizes[i / 7] });
		double share = (cos(PI * y / 64) - cos(PI * (y + 1) / 64)) / 2 / 128;
		double found = mean_of(&cube, true) / (50000 * share);
		bool at_pole = y == 0 || y == 63;
		assert_true(found > (at_pole ? 0.9 : 0.97) && found < (at_pole ? 1.15 : 1.03));
		lrd_cube_free(&cube);
		lrd_image_free(&image);
	}
}

static void what_is_no_number_is_set_right_and_counted(void **state)
{
	(void)state;
	lrd_image image = blank(32, 16);
	float *texels = image.pixels;
	texels[0] = NAN;
	texels[5] = INFINITY;
	texels[700] = -INFINITY;
	texels[1001] = 3e38f;
	lrd_cube cube = make((lrd_cube_desc){ .images = &image, .image_count = 1 });
	assert_int_equal(cube.clamped, 4);
	lrd_cube levels[LRD_CUBE_LEVELS_MAX];
	prefilter(&cube, 5, levels);
	for (size_t i = 0; i < cube.size / sizeof(float); i++)
	{
		assert_true(isfinite(cube.texels[i]));
	}
	for (uint32_t level = 1; level < 5; level++)
	{
		for (size_t i = 0; i < levels[level].size / sizeof(float); i++)
		{
			assert_true(isfinite(levels[level].texels[i]));
		}
	}
	free_levels(levels, 5);
	lrd_cube_free(&cube);
	lrd_image_free(&image);
}

static void lookups_are_continuous_across_edges_and_corners(void **state)
{
	(void)state;
	lrd_cube cube = reserve(4);
	for (uint32_t i = 0; i < 6 * 16; i++)
	{
		cube.texels[(size_t)4 * i] = (float)(noise(i) & 255) / 255.0f;
	}
	for (uint32_t i = 0; i < 2000; i++)
	{
		// Points on edges: two or three components of the same size.
		double along = (double)(noise(i) & 1023) / 1023 * 2 - 1;
		along = i % 10 == 0 ? 1 : along;
		double edge[3] = { i & 1 ? 1 : -1, i & 2 ? 1 : -1, along };
		double a[3], b[3];
		for (size_t axis = 0; axis < 3; axis++)
		{
			size_t from = (axis + i) % 3;
			a[axis] = edge[from] * (from == 0 ? 1.0001 : 1);
			b[axis] = edge[from] * (from == 1 ? 1.0001 : 1);
		}
		float one[4], other[4];
		lrd_cube_sample(&cube, a, one);
		lrd_cube_sample(&cube, b, other);
		assert_true(fabsf(one[0] - other[0]) < 0.002f);
	}
	lrd_cube_free(&cube);
}

static void refuse(lrd_cube_desc desc, lrd_error_code code)
{
	lrd_cube cube = { 0 };
	lrd_error error = { 0 };
	uint32_t size = 77;
	assert_false(lrd_cube_measure(&desc, &size, &error));
	assert_int_equal(error.code, code);
	assert_int_equal(size, 77);
	assert_false(lrd_cube_make(&desc, &cube, &error));
	assert_int_equal(error.code, code);
	assert_null(cube.texels);
}

static void what_is_no_cubemap_is_refused(void **state)
{
	(void)state;
	lrd_image square = blank(8, 8);
	lrd_image none = { .type = LRD_PIXEL_F32 };
	lrd_image faces[6] = { square, square, square, square, square, square };
	refuse((lrd_cube_desc){ .images = &square, .image_count = 1 }, LRD_ERROR_ARGUMENT);
	refuse((lrd_cube_desc){ .images = &none, .image_count = 1 }, LRD_ERROR_ARGUMENT);
	refuse((lrd_cube_desc){ .images = &none, .image_count = 1, .layout = LRD_CUBE_PANORAMA }, LRD_ERROR_ARGUMENT);
	refuse((lrd_cube_desc){ .images = &square, .image_count = 1, .layout = LRD_CUBE_CROSS }, LRD_ERROR_ARGUMENT);
	refuse((lrd_cube_desc){ .images = &square, .image_count = 1, .layout = LRD_CUBE_FACES }, LRD_ERROR_ARGUMENT);
	refuse((lrd_cube_desc){ .images = faces, .image_count = 5 }, LRD_ERROR_ARGUMENT);
	refuse((lrd_cube_desc){ .images = faces, .image_count = 0 }, LRD_ERROR_ARGUMENT);
	refuse((lrd_cube_desc){ .images = faces, .image_count = 6, .face_size = 8193 }, LRD_ERROR_LIMIT);
	faces[3].height = 4;
	refuse((lrd_cube_desc){ .images = faces, .image_count = 6 }, LRD_ERROR_ARGUMENT);
	faces[3].width = 4;
	refuse((lrd_cube_desc){ .images = faces, .image_count = 6 }, LRD_ERROR_ARGUMENT);
	lrd_image_free(&square);
	lrd_cube cube;
	assert_false(lrd_cube_reserve(0, (lrd_allocator){ 0 }, &cube, NULL));
	assert_false(lrd_cube_reserve(LRD_CUBE_MAX_SIDE + 1, (lrd_allocator){ 0 }, &cube, NULL));
	cube = reserve(4);
	lrd_cube levels[LRD_CUBE_LEVELS_MAX];
	assert_false(lrd_cube_prefilter(&cube, 1, LRD_ISA_BEST, (lrd_allocator){ 0 }, levels, NULL));
	assert_false(lrd_cube_prefilter(&cube, 4, LRD_ISA_BEST, (lrd_allocator){ 0 }, levels, NULL));
	assert_false(lrd_cube_mips(&cube, 4, (lrd_allocator){ 0 }, levels, NULL));
	lrd_cube_free(&cube);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	lrd_image panorama = paint_panorama(32, 16, of_gradient);
	uint16_t codes[4 * 6 * 4] = { 0 };
	lrd_image strip = { .width = 12, .height = 2, .type = LRD_PIXEL_UNORM16, .pixels = codes, .size = sizeof codes };
	lrd_cube source = paint(8, of_gradient);
	for (uint32_t what = 0; what < 4; what++)
	{
		bool done = false;
		for (long long succeed = 0; !done; succeed++)
		{
			assert_true(succeed < 30);
			failing_allocator failing;
			failing_allocator_init(&failing, succeed);
			lrd_allocator allocator = failing_allocator_get(&failing);
			lrd_error error = { 0 };
			lrd_cube cube = { 0 };
			lrd_cube levels[LRD_CUBE_LEVELS_MAX];
			lrd_cube_desc desc = {
				.images = what == 0 ? &panorama : &strip, .image_count = 1, .face_size = 5, .allocator = allocator
			};
			done = what < 2    ? lrd_cube_make(&desc, &cube, &error)
				   : what == 2 ? lrd_cube_prefilter(&source, 4, LRD_ISA_BEST, allocator, levels, &error)
							   : lrd_cube_mips(&source, 4, allocator, levels, &error);
			if (done && what >= 2)
			{
				free_levels(levels, 4);
			}
			lrd_cube_free(&cube);
			assert_true(done || error.code == LRD_ERROR_MEMORY);
			assert_int_equal(failing.bytes_out, 0);
		}
	}
	lrd_cube_free(&source);
	lrd_image_free(&panorama);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_are_told_by_their_shape),
		cmocka_unit_test(faces_are_turned_as_vulkan_says),
		cmocka_unit_test(solid_angles_add_up_to_the_sphere),
		cmocka_unit_test(crosses_fold_up_without_a_break),
		cmocka_unit_test(strips_and_columns_hold_upright_faces),
		cmocka_unit_test(encoded_faces_are_decoded_to_linear_light),
		cmocka_unit_test(faces_of_another_size_are_filtered),
		cmocka_unit_test(panoramas_look_where_their_texels_are),
		cmocka_unit_test(panoramas_choose_a_power_of_two),
		cmocka_unit_test(stripes_of_a_shrunk_panorama_become_grey),
		cmocka_unit_test(a_sun_keeps_its_light_wherever_it_stands),
		cmocka_unit_test(what_is_no_number_is_set_right_and_counted),
		cmocka_unit_test(lookups_are_continuous_across_edges_and_corners),
		cmocka_unit_test(what_is_no_cubemap_is_refused),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
