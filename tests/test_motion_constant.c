// Which channels are constant, and what a relative tolerance comes to.

#include "fixtures/motion_curves.h"

static const float three_times[] = { 0, 1, 3 };

static lrd_motion_keys keys_of(
	const float *values, uint32_t count, lrd_clip_path path, lrd_interpolation interpolation, uint32_t components)
{
	return (lrd_motion_keys){ three_times, values, count, components, path, interpolation };
}

static bool constant(const float *values, lrd_clip_path path, lrd_interpolation interpolation, double tolerance)
{
	uint32_t components = path == LRD_PATH_ROTATION ? 4 : path == LRD_PATH_WEIGHTS ? 1 : 3;
	lrd_motion_keys keys = keys_of(values, 3, path, interpolation, components);
	bool is = lrd_motion_is_constant(&keys, tolerance);
	if (is)
	{
		assert_true(curve_error(&keys, (const uint32_t[]){ 0 }, 1, 30) <= tolerance);
	}
	return is;
}

static void equal_keys_are_constant(void **state)
{
	(void)state;
	static const float same[] = { 1, 2, 3, 1, 2, 3, 1, 2, 3 };
	for (int i = LRD_INTERPOLATION_LINEAR; i <= LRD_INTERPOLATION_STEP; i++)
	{
		assert_true(constant(same, LRD_PATH_SCALE, (lrd_interpolation)i, 0.0));
	}
	lrd_motion_keys one = keys_of(same, 1, LRD_PATH_TRANSLATION, LRD_INTERPOLATION_LINEAR, 3);
	assert_true(lrd_motion_is_constant(&one, 0.0));
}

static void keys_within_the_tolerance_of_the_first_are_constant(void **state)
{
	(void)state;
	static const float near[] = { 1, 2, 3, 1, 2.01f, 3, 0.99f, 2, 3 };
	static const float up_and_on[] = { 1, 2, 3, 1, 2.01f, 3, 1, 2.02f, 3 };
	assert_true(constant(near, LRD_PATH_SCALE, LRD_INTERPOLATION_LINEAR, 0.0101));
	assert_false(constant(near, LRD_PATH_SCALE, LRD_INTERPOLATION_LINEAR, 0.0099));
	assert_false(constant(up_and_on, LRD_PATH_SCALE, LRD_INTERPOLATION_STEP, 0.0101));
}

static void rotations_are_constant_within_an_angle(void **state)
{
	(void)state;
	float turns[12];
	for (int k = 0; k < 3; k++)
	{
		float half = 0.7f + 0.5e-3f * (float)k; // a thousandth of a radian from key to key
		memcpy(turns + k * 4, (float[]){ 0, sinf(half), 0, cosf(half) }, 16);
	}
	assert_true(constant(turns, LRD_PATH_ROTATION, LRD_INTERPOLATION_LINEAR, 2.1e-3));
	assert_false(constant(turns, LRD_PATH_ROTATION, LRD_INTERPOLATION_LINEAR, 1.9e-3));
}

static void cubic_keys_are_constant_where_their_tangents_do_nothing(void **state)
{
	(void)state;
	static const float still[] = { 9, 1, 0, 0, 1, 0, 0, 1,
		9 }; // the first in-tangent and the last out-tangent go nowhere
	static const float lively[] = { 0, 1, 0, 0, 1, 0.1f, 0, 1, 0 };
	static const float turning[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, /**/ 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
		/**/ 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0 };
	assert_true(constant(still, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_CUBIC, 0.0));
	assert_false(constant(lively, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_CUBIC, 0.02)); // 0.1 * 2 s * 4/27 = 0.0296
	assert_true(constant(lively, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_CUBIC, 0.03));
	assert_false(constant(turning, LRD_PATH_ROTATION, LRD_INTERPOLATION_CUBIC, 1e-3));
}

static void a_tolerance_goes_by_how_far_values_range_and_how_large_they_are(void **state)
{
	(void)state;
	static const float near_the_origin[] = { 0.2f, 0, 0, 0.2f, 0, 0, 0.2f, 1e-6f, 0 };
	static const float far_off[] = { 1000, 0, 0, 1000, 0, 2, 1000.5f, 0, 0 };
	static const float wide[] = { 0, 0, -3, 0, 0, 5, 0, 0, 0 };
	lrd_motion_keys keys = keys_of(near_the_origin, 3, LRD_PATH_TRANSLATION, LRD_INTERPOLATION_LINEAR, 3);
	assert_float_equal((float)lrd_motion_tolerance(&keys, 1e-5f, 1.0), 0.2e-5f, 1e-11f);
	keys.values = far_off;
	assert_float_equal((float)lrd_motion_tolerance(&keys, 1e-5f, 1.0), 2e-5f, 1e-11f);
	assert_float_equal((float)lrd_motion_tolerance(&keys, 1e-5f, 30.0), 30e-5f, 1e-9f);
	keys.values = wide;
	assert_float_equal((float)lrd_motion_tolerance(&keys, 1e-5f, 1.0), 8e-5f, 1e-10f);
	keys.path = LRD_PATH_ROTATION;
	assert_true(lrd_motion_tolerance(&keys, 1e-5f, 1.0) == (double)1e-5f);
}

static void a_tolerance_of_cubic_keys_goes_by_their_values_alone(void **state)
{
	(void)state;
	static const float curve[] = { 99, 1, -99, 99, 2, -99, 99, 1.5f, -99 };
	lrd_motion_keys keys = keys_of(curve, 3, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_CUBIC, 1);
	assert_float_equal((float)lrd_motion_tolerance(&keys, 1.0f, INFINITY), 2.0f, 0.0f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_are_constant),
		cmocka_unit_test(keys_within_the_tolerance_of_the_first_are_constant),
		cmocka_unit_test(rotations_are_constant_within_an_angle),
		cmocka_unit_test(cubic_keys_are_constant_where_their_tangents_do_nothing),
		cmocka_unit_test(a_tolerance_goes_by_how_far_values_range_and_how_large_they_are),
		cmocka_unit_test(a_tolerance_of_cubic_keys_goes_by_their_values_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
