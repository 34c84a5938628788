// Rotation keys: unit length, the short way, and what has no direction; and the distance between two rotations.

#include "fixtures/motion_curves.h"

#include "motion/rotations.h"

static double dot_of(const float *a, const float *b)
{
	double sum = 0;
	for (int c = 0; c < 4; c++)
	{
		sum += (double)a[c] * (double)b[c];
	}
	return sum;
}

static void keys_become_unit_length_and_take_the_short_way(void **state)
{
	(void)state;
	float keys[50 * 4], given[50 * 4];
	for (uint32_t i = 0; i < 200; i++)
	{
		keys[i] = given[i] = curve_random() * (i < 100 ? 1.0f : 1e-20f);
	}
	assert_int_equal(lrd_motion_mend_rotations(keys, 50, LRD_INTERPOLATION_LINEAR), 0);
	for (uint32_t k = 0; k < 50; k++)
	{
		const float *q = keys + k * 4, *source = given + k * 4;
		assert_float_equal((float)dot_of(q, q), 1.0f, 3e-7f);
		assert_true(k == 0 || dot_of(q, q - 4) >= 0);
		assert_float_equal((float)fabs(dot_of(q, source)), (float)sqrt(dot_of(source, source)), 1e-6f); // one rotation
	}
}

static void keys_without_a_direction_take_the_one_before(void **state)
{
	(void)state;
	float keys[] = { 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, NAN, 0, 0, 1, 1e30f, 0, 0, INFINITY, 1e-40f, 0, 0, 0, 0, 3, 0,
		0 };
	assert_int_equal(lrd_motion_mend_rotations(keys, 7, LRD_INTERPOLATION_LINEAR), 5);
	const float expected[] = { 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0 };
	for (uint32_t i = 0; i < 28; i++)
	{
		assert_true(keys[i] == expected[i]);
	}
}

static void cubic_keys_are_scaled_and_negated_whole(void **state)
{
	(void)state;
	// in-tangent, value, out-tangent; the second is of length 2 and on the other hemisphere
	float keys[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0.5f, 0, //
		0, 0, -0.5f, 0.25f, 0, 0, -1.2f, -1.6f, 0.2f, 0, 0, 0 };
	const float expected[] = { 0, 0, 0.25f, -0.125f, 0, 0, 0.6f, 0.8f, -0.1f, 0, 0, 0 };
	assert_int_equal(lrd_motion_mend_rotations(keys, 2, LRD_INTERPOLATION_CUBIC), 0);
	for (uint32_t i = 0; i < 12; i++)
	{
		assert_float_equal(keys[12 + i], expected[i], 1e-6f);
	}
}

static void cubic_keys_without_a_direction_lose_their_tangents(void **state)
{
	(void)state;
	float keys[] = { 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, /**/ 1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, //
		3e38f, 0, 0, 0, 0, 0, 0, 1e-3f, 0, 0, 0, 0 };
	const float expected[] = { 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 };
	assert_int_equal(lrd_motion_mend_rotations(keys, 3, LRD_INTERPOLATION_CUBIC), 2);
	for (uint32_t i = 12; i < 36; i++)
	{
		assert_true(keys[i] == expected[i % 12]);
	}
}

static void the_short_way_alone_leaves_lengths_alone(void **state)
{
	(void)state;
	float keys[] = { 0, 0, 0, 1.0001f, 0, 0, 0.1f, -0.9999f, 0, 0, -0.2f, -0.98f, 0, 0, 0.3f, -0.95f };
	const float expected[] = { 0, 0, 0, 1.0001f, 0, 0, -0.1f, 0.9999f, 0, 0, 0.2f, 0.98f, 0, 0, -0.3f, 0.95f };
	lrd_motion_take_short_way(keys, 4, LRD_INTERPOLATION_STEP);
	for (uint32_t i = 0; i < 16; i++)
	{
		assert_true(keys[i] == expected[i]);
	}
}

static void angles_are_those_of_libm(void **state)
{
	(void)state;
	for (int i = 0; i < 10000; i++)
	{
		double half =
			i % 2 == 0 ? pow(10, -8 * fabs((double)curve_random())) : fabs((double)curve_random()) * LRD_PI / 2;
		double axis[3] = { (double)curve_random(), (double)curve_random(), (double)curve_random() }, vector[3];
		double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
		float q[4];
		double a[4], b[4], from[4];
		for (int c = 0; c < 4; c++)
		{
			q[c] = curve_random() + (c == 3 ? 2.0f : 0.0f);
		}
		lrd_motion_unit(q, a);
		for (int c = 0; c < 3; c++)
		{
			from[c] = axis[c] / length * sin(half);
		}
		from[3] = cos(half);
		b[0] = a[3] * from[0] + a[0] * from[3] + a[1] * from[2] - a[2] * from[1];
		b[1] = a[3] * from[1] - a[0] * from[2] + a[1] * from[3] + a[2] * from[0];
		b[2] = a[3] * from[2] + a[0] * from[1] - a[1] * from[0] + a[2] * from[3];
		b[3] = a[3] * from[3] - a[0] * from[0] - a[1] * from[1] - a[2] * from[2];
		double cosine = lrd_motion_rotation_between(a, b, vector);
		assert_true(fabs(cosine - cos(half)) < 1e-12);
		for (int c = 0; c < 3; c++)
		{
			assert_true(fabs(vector[c] - 2 * half * axis[c] / length) < 1e-11);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_become_unit_length_and_take_the_short_way),
		cmocka_unit_test(keys_without_a_direction_take_the_one_before),
		cmocka_unit_test(cubic_keys_are_scaled_and_negated_whole),
		cmocka_unit_test(cubic_keys_without_a_direction_lose_their_tangents),
		cmocka_unit_test(the_short_way_alone_leaves_lengths_alone),
		cmocka_unit_test(angles_are_those_of_libm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
