// Passes over many floats, each against a plain loop.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/maths.h"

#include <float.h>
#include <string.h>

static uint64_t random_state = 777;

static float random_float(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (float)(random_state >> 40) / 8388608.0f - 1.0f;
}

static void numbers_of_every_sort_are_finite(void **state)
{
	(void)state;
	static const float sorts[] = { 0.0f, -0.0f, 1.0f, -1.0f, FLT_MAX, -FLT_MAX, FLT_MIN, 1e-45f, -1e-45f };
	float values[200];
	for (size_t i = 0; i < 200; i++)
	{
		values[i] = sorts[i % (sizeof sorts / sizeof *sorts)];
		assert_true(lrd_all_finite(values, i + 1));
	}
	assert_true(lrd_all_finite(NULL, 0));
}

static void one_bad_number_is_found_wherever_it_is(void **state)
{
	(void)state;
	static const uint32_t bad[] = { 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF };
	static float values[10000];
	for (size_t count = 1; count < 10000; count = count * 3 / 2 + 1)
	{
		for (size_t i = 0; i<count; i += count> 200 ? 97 : 1)
		{
			float before = values[i];
			memcpy(&values[i], &bad[i % 6], sizeof(float));
			assert_false(lrd_all_finite(values, count));
			values[i] = before;
		}
		values[count] = NAN; // past the end
		assert_true(lrd_all_finite(values, count));
		values[count] = 0.0f;
	}
}

static void assert_bounds_hold(const unsigned char *points, size_t count, size_t stride)
{
	lrd_bounds bounds = lrd_bounds_of((const float *)(const void *)points, count, stride);
	lrd_vec3 low = { INFINITY, INFINITY, INFINITY };
	lrd_vec3 high = { -INFINITY, -INFINITY, -INFINITY };
	float farthest = 0.0f;
	for (size_t i = 0; i < count; i++)
	{
		lrd_vec3 p;
		memcpy(&p, points + i * stride, sizeof p);
		low = (lrd_vec3){ fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z) };
		high = (lrd_vec3){ fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z) };
		farthest = fmaxf(farthest, lrd_vec3_length(lrd_vec3_sub(p, bounds.centre)));
	}
	assert_true(memcmp(&bounds.min, &low, sizeof low) == 0);
	assert_true(memcmp(&bounds.max, &high, sizeof high) == 0);
	assert_true(bounds.radius >= farthest);
	float half_diagonal = 0.5f * lrd_vec3_length(lrd_vec3_sub(high, low));
	assert_true(bounds.radius <= 1.000001f * half_diagonal); // the box's own sphere, rounding aside
}

static void bounds_hold_every_point_at_any_count_and_stride(void **state)
{
	(void)state;
	static const size_t strides[] = { 12, 16, 20, 32, 13 };
	unsigned char *points = malloc(3000 * 32);
	assert_non_null(points);
	for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
	{
		size_t stride = strides[s];
		memset(points, 0xFF, 3000 * 32); // not a number, where no point is
		for (size_t i = 0; i < 3000; i++)
		{
			lrd_vec3 p = { 3.0f + random_float(), random_float() * 0.5f, random_float() * 2.0f - 7.0f };
			memcpy(points + i * stride, &p, sizeof p);
		}
		for (size_t count = 1; count <= 3000; count = count < 40 ? count + 1 : count * 5 / 4)
		{
			unsigned char *tight = malloc((count - 1) * stride + 12); // so that a read past the last point is caught
			assert_non_null(tight);
			memcpy(tight, points, (count - 1) * stride + 12);
			assert_bounds_hold(tight, count, stride);
			free(tight);
		}
	}
	free(points);
}

static void points_far_out_late_in_the_array_are_held(void **state)
{
	(void)state;
	float *points = calloc(3 * 2000, sizeof *points);
	assert_non_null(points);
	for (size_t i = 0; i < 2000; i++)
	{
		points[3 * i] = random_float() * (i % 500 == 499 ? 50.0f : 1.0f);
		points[3 * i + 1] = random_float() * (i % 700 == 699 ? 80.0f : 1.0f);
		points[3 * i + 2] = random_float();
	}
	assert_bounds_hold((const unsigned char *)points, 2000, 12);
	free(points);
}

static void no_points_give_zeros_and_one_gives_a_point(void **state)
{
	(void)state;
	lrd_bounds zero = { 0 };
	lrd_bounds none = lrd_bounds_of(NULL, 0, 12);
	assert_true(memcmp(&none, &zero, sizeof zero) == 0);
	const float point[3] = { 1.0f, -2.0f, 3.0f };
	lrd_bounds one = lrd_bounds_of(point, 1, 12);
	assert_true(memcmp(&one.min, point, sizeof point) == 0);
	assert_true(memcmp(&one.max, point, sizeof point) == 0);
	assert_true(memcmp(&one.centre, point, sizeof point) == 0);
	assert_true(one.radius == 0.0f);
}

static void a_cube_has_its_own_sphere(void **state)
{
	(void)state;
	float corners[8][3];
	for (int i = 0; i < 8; i++)
	{
		corners[i][0] = (i & 1) != 0 ? 1.0f : -1.0f;
		corners[i][1] = (i & 2) != 0 ? 1.0f : -1.0f;
		corners[i][2] = (i & 4) != 0 ? 1.0f : -1.0f;
	}
	lrd_bounds bounds = lrd_bounds_of(corners[0], 8, sizeof corners[0]);
	assert_true(bounds.radius == sqrtf(3.0f));
}

static void huge_points_give_finite_bounds_that_hold_them(void **state)
{
	(void)state;
	const float points[4][3] = { { -3e38f, 1.0f, 2.0f }, { 3e38f, 0.0f, 0.0f }, { 0.0f, 1e38f, 0.0f },
		{ 0.0f, 0.0f, -2e38f } };
	lrd_bounds bounds = lrd_bounds_of(points[0], 4, sizeof points[0]);
	assert_true(isfinite(bounds.radius));
	assert_true(isfinite(bounds.centre.x) && isfinite(bounds.centre.y) && isfinite(bounds.centre.z));
	for (int i = 0; i < 4; i++)
	{
		double x = (double)points[i][0] - (double)bounds.centre.x;
		double y = (double)points[i][1] - (double)bounds.centre.y;
		double z = (double)points[i][2] - (double)bounds.centre.z;
		assert_true(sqrt(x * x + y * y + z * z) <= (double)bounds.radius);
	}
}

static void points_that_are_no_numbers_are_passed_over(void **state)
{
	(void)state;
	float points[5][3] = { { NAN, NAN, NAN }, { 1.0f, 2.0f, 3.0f }, { NAN, 0.0f, 0.0f }, { -1.0f, -2.0f, -3.0f },
		{ 0.0f, NAN, NAN } };
	lrd_bounds bounds = lrd_bounds_of(points[0], 5, sizeof points[0]);
	assert_true(bounds.min.x == -1.0f && bounds.max.y == 2.0f && bounds.max.z == 3.0f);
	assert_true(isfinite(bounds.radius));
	for (int i = 0; i < 5; i++)
	{
		points[i][0] = NAN;
	}
	lrd_bounds zero = { 0 };
	bounds = lrd_bounds_of(points[0], 5, sizeof points[0]);
	assert_true(memcmp(&bounds, &zero, sizeof zero) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_every_sort_are_finite),
		cmocka_unit_test(one_bad_number_is_found_wherever_it_is),
		cmocka_unit_test(bounds_hold_every_point_at_any_count_and_stride),
		cmocka_unit_test(points_far_out_late_in_the_array_are_held),
		cmocka_unit_test(no_points_give_zeros_and_one_gives_a_point),
		cmocka_unit_test(a_cube_has_its_own_sphere),
		cmocka_unit_test(huge_points_give_finite_bounds_that_hold_them),
		cmocka_unit_test(points_that_are_no_numbers_are_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
