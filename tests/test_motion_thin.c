// Dropping keys: what stays gives the source's curve back within the tolerance, at keys and between them; and no more
// stays than need be.

#include "fixtures/motion_curves.h"

#include "failing_allocator.h"

#define MOST_KEYS 2000u

static float times[MOST_KEYS];
static float values[MOST_KEYS * CURVE_MOST_COMPONENTS];
static uint32_t kept[MOST_KEYS];

static lrd_motion_track make_track(
	uint32_t count, lrd_clip_path path, lrd_interpolation interpolation, uint32_t components, double tolerance)
{
	return (
		lrd_motion_track){ .keys = { times, values, count, components, path, interpolation }, .tolerance = tolerance };
}

static uint32_t thin(const lrd_motion_track *track)
{
	uint32_t count = 0;
	lrd_error error = { 0 };
	if (!lrd_motion_thin((lrd_allocator){ 0 }, &track, 1, kept, &count, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_int_equal(kept[0], 0);
	assert_int_equal(kept[count - 1], track->keys.count - 1);
	for (uint32_t k = 1; k < count; k++)
	{
		assert_true(kept[k] > kept[k - 1]);
	}
	return count;
}

static void assert_within_tolerance(const lrd_motion_track *track, uint32_t count)
{
	double error = curve_error(&track->keys, kept, count, 7);
	if (!(error <= track->tolerance * 1.0001 + 1e-9))
	{
		fail_msg("%u of %u keys are off by %g, allowed are %g", count, track->keys.count, error, track->tolerance);
	}
}

static void a_straight_line_is_its_ends(void **state)
{
	(void)state;
	curve_times(times, 1000, 1.0f / 30.0f, 0.4f);
	for (uint32_t k = 0; k < 1000; k++)
	{
		values[k * 3] = 5.0f + times[k];
		values[k * 3 + 1] = -2.0f * times[k];
		values[k * 3 + 2] = 1.0f;
	}
	lrd_motion_track track = make_track(1000, LRD_PATH_TRANSLATION, LRD_INTERPOLATION_LINEAR, 3, 1e-4);
	assert_int_equal(thin(&track), 2);
	assert_within_tolerance(&track, 2);
}

static void a_bent_line_keeps_its_bends(void **state)
{
	(void)state;
	curve_times(times, 100, 1.0f, 0.0f);
	for (uint32_t k = 0; k < 100; k++)
	{
		values[k] = (float)(k < 30 ? k : k < 70 ? 30 : 100 - k);
	}
	lrd_motion_track track = make_track(100, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_LINEAR, 1, 1e-5);
	assert_int_equal(thin(&track), 4);
	assert_int_equal(kept[1], 30);
	assert_int_equal(kept[2], 70);
}

static void noise_below_the_tolerance_goes_and_above_it_stays(void **state)
{
	(void)state;
	curve_times(times, 500, 1.0f, 0.0f);
	for (uint32_t k = 0; k < 500; k++)
	{
		values[k] = 1.0f + 0.001f * curve_random();
	}
	lrd_motion_track track = make_track(500, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_LINEAR, 1, 0.002);
	assert_int_equal(thin(&track), 2);
	track.tolerance = 1e-6;
	assert_true(thin(&track) > 490);
	assert_within_tolerance(&track, thin(&track));
}

static void one_stray_key_does_not_end_a_line(void **state)
{
	(void)state;
	curve_times(times, 200, 1.0f, 0.0f);
	for (uint32_t k = 0; k < 200; k++)
	{
		values[k] = k % 10 == 5 ? 0.0009f : 0.0f; // within the tolerance; no line ends on it that began on the others
	}
	lrd_motion_track track = make_track(200, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_LINEAR, 1, 0.001);
	assert_int_equal(thin(&track), 2);
}

/// Keys that wander: smooth, rough, still by turns.
static void wander(uint32_t count, uint32_t components, float size)
{
	for (uint32_t k = 0; k < count; k++)
	{
		for (uint32_t c = 0; c < components; c++)
		{
			float smooth = sinf(times[k] * (0.3f + (float)c)) * size;
			uint32_t mood = k / 40 % 4;
			float before = k > 0 ? values[(k - 1) * components + c] : smooth;
			values[k * components + c] = mood == 0   ? before
										 : mood == 1 ? before + 0.01f * size * curve_random()
										 : mood == 2 ? smooth
													 : before + 1e-6f * size * curve_random();
		}
	}
}

static void every_curve_comes_back_within_the_tolerance(void **state)
{
	(void)state;
	static const double tolerances[] = { 1e-7, 1e-5, 1e-3, 0.05 };
	for (uint32_t round = 0; round < 40; round++)
	{
		uint32_t count = 2 + round * 17 % 600, components = 1 + round % 5;
		curve_times(times, count, 1.0f / 24.0f, round % 2 == 0 ? 0.0f : 0.45f);
		wander(count, components, 3.0f);
		lrd_motion_track track =
			make_track(count, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_LINEAR, components, tolerances[round % 4]);
		assert_within_tolerance(&track, thin(&track));
	}
}

/// Rotations about axes that wander, `arc` radians from key to key at most.
static void wander_about(uint32_t count, float arc)
{
	lrd_vec4 q = { 0, 0, 0, 1 };
	lrd_vec3 axis = { 0, 0, 1 };
	for (uint32_t k = 0; k < count; k++)
	{
		uint32_t mood = k / 30 % 4;
		if (mood == 0 || k % 30 == 0)
		{
			axis = lrd_vec3_normalize_or(
				(lrd_vec3){ curve_random(), curve_random(), curve_random() }, (lrd_vec3){ 1, 0, 0 });
		}
		float half = 0.5f * arc * (mood == 3 ? 1e-6f : mood == 2 ? 1.0f : fabsf(curve_random()));
		float s = sinf(half);
		q = lrd_quat_normalize(lrd_quat_mul(q, (lrd_vec4){ axis.x * s, axis.y * s, axis.z * s, cosf(half) }));
		memcpy(values + k * 4, &q, sizeof q);
	}
	lrd_motion_mend_rotations(values, count, LRD_INTERPOLATION_LINEAR);
}

static void every_rotation_comes_back_within_the_tolerance(void **state)
{
	(void)state;
	static const double tolerances[] = { 1e-6, 1e-5, 1e-3, 0.05 };
	static const float arcs[] = { 0.02f, 0.2f, 1.0f, 3.0f };
	for (uint32_t round = 0; round < 64; round++)
	{
		uint32_t count = 2 + round * 17 % 300;
		curve_times(times, count, 1.0f / 24.0f, round % 2 == 0 ? 0.0f : 0.45f);
		wander_about(count, arcs[round / 4 % 4]);
		lrd_motion_track track =
			make_track(count, LRD_PATH_ROTATION, LRD_INTERPOLATION_LINEAR, 4, tolerances[round % 4]);
		uint32_t stay = thin(&track);
		double error = curve_error(&track.keys, kept, stay, 7);
		// Quaternions of f32 are themselves off by 1e-7.
		if (!(error <= track.tolerance * 1.001 + 3e-7))
		{
			fail_msg("%u of %u keys are off by %g, allowed are %g", stay, count, error, track.tolerance);
		}
	}
}

static void an_even_turn_keeps_two_keys_each_half_turn(void **state)
{
	(void)state;
	curve_times(times, 1000, 0.01f, 0.0f);
	for (uint32_t k = 0; k < 1000; k++)
	{
		float half = (float)k * 0.01f; // twenty radians altogether
		values[k * 4] = 0.6f * sinf(half);
		values[k * 4 + 1] = 0.0f;
		values[k * 4 + 2] = 0.8f * sinf(half);
		values[k * 4 + 3] = cosf(half);
	}
	lrd_motion_track track = make_track(1000, LRD_PATH_ROTATION, LRD_INTERPOLATION_LINEAR, 4, 1e-5);
	uint32_t stay = thin(&track);
	assert_in_range(stay, 7, 9);
	assert_true(curve_error(&track.keys, kept, stay, 7) < 1e-5);
	for (uint32_t k = 1; k < stay; k++)
	{
		const float *a = values + kept[k - 1] * 4, *b = values + kept[k] * 4;
		assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] >= 0.0f); // no long way
	}
}

static void a_sine_keeps_about_as_many_keys_as_its_curvature_asks(void **state)
{
	(void)state;
	curve_times(times, 2000, 0.01f, 0.0f);
	for (uint32_t k = 0; k < 2000; k++)
	{
		values[k] = sinf(times[k]);
	}
	lrd_motion_track track = make_track(2000, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_LINEAR, 1, 1e-3);
	// A chord through the curve's own points is off by |f''| d^2 / 8: pieces of 0.09 at the crests, longer elsewhere.
	uint32_t stay = thin(&track);
	assert_true(stay < 230);
	assert_within_tolerance(&track, stay);
}

static void steps_keep_a_key_for_each_change(void **state)
{
	(void)state;
	curve_times(times, 60, 0.1f, 0.3f);
	for (uint32_t k = 0; k < 60; k++)
	{
		values[k * 3] = (float)(k / 20);
		values[k * 3 + 1] = values[k * 3 + 2] = 7.0f;
	}
	lrd_motion_track track = make_track(60, LRD_PATH_SCALE, LRD_INTERPOLATION_STEP, 3, 1e-5);
	uint32_t stay = thin(&track);
	assert_int_equal(stay, 4); // and the last
	assert_int_equal(kept[1], 20);
	assert_int_equal(kept[2], 40);
	assert_true(curve_error(&track.keys, kept, stay, 3) == 0.0);
}

static void steps_that_creep_do_not_add_up(void **state)
{
	(void)state;
	curve_times(times, 100, 0.1f, 0.0f);
	for (uint32_t k = 0; k < 100; k++)
	{
		values[k] = (float)k * 0.4e-5f; // each within the tolerance of the one before
	}
	lrd_motion_track track = make_track(100, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_STEP, 1, 1e-5);
	uint32_t stay = thin(&track);
	assert_in_range(stay, 30, 52);
	assert_true(curve_error(&track.keys, kept, stay, 1) <= 1e-5);
}

static void rotations_in_steps_keep_their_changes(void **state)
{
	(void)state;
	curve_times(times, 10, 0.1f, 0.0f);
	for (uint32_t k = 0; k < 10; k++)
	{
		float half = k < 5 ? 0.3f : 0.3f + 1e-4f;
		memcpy(values + k * 4, (float[]){ sinf(half), 0, 0, cosf(half) }, 16);
	}
	lrd_motion_track track = make_track(10, LRD_PATH_ROTATION, LRD_INTERPOLATION_STEP, 4, 1e-5);
	assert_int_equal(thin(&track), 3);
	track.tolerance = 1e-3;
	assert_int_equal(thin(&track), 2);
}

static void tracks_thinned_together_keep_what_any_of_them_needs(void **state)
{
	(void)state;
	static float slope[300], turn[400], step[100];
	curve_times(times, 100, 0.1f, 0.0f);
	for (uint32_t k = 0; k < 100; k++)
	{
		float half = k < 50 ? 0.0f : 0.002f * (float)(k - 50);
		slope[k * 3] = k < 30 ? 0.0f : (float)(k - 30);
		slope[k * 3 + 1] = slope[k * 3 + 2] = 1.0f;
		memcpy(turn + k * 4, (float[]){ 0, sinf(half), 0, cosf(half) }, 16);
		step[k] = k < 80 ? 0.0f : 1.0f;
	}
	const lrd_motion_track tracks[] = {
		{ .keys = { times, slope, 100, 3, LRD_PATH_TRANSLATION, LRD_INTERPOLATION_LINEAR }, .tolerance = 1e-5 },
		{ .keys = { times, turn, 100, 4, LRD_PATH_ROTATION, LRD_INTERPOLATION_LINEAR }, .tolerance = 1e-5 },
		{ .keys = { times, step, 100, 1, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_STEP }, .tolerance = 1e-5 },
	};
	const lrd_motion_track *const all[] = { &tracks[0], &tracks[1], &tracks[2] };
	uint32_t count = 0;
	assert_true(lrd_motion_thin((lrd_allocator){ 0 }, all, 3, kept, &count, NULL));
	assert_int_equal(count, 5);
	const uint32_t expected[] = { 0, 30, 50, 80, 99 };
	assert_memory_equal(kept, expected, sizeof expected);
	for (uint32_t t = 0; t < 3; t++)
	{
		assert_true(curve_error(&tracks[t].keys, kept, count, 7) <= 1e-5);
	}
}

static void one_and_two_keys_stay(void **state)
{
	(void)state;
	curve_times(times, 2, 1.0f, 0.0f);
	memset(values, 0, sizeof values);
	lrd_motion_track track = make_track(1, LRD_PATH_SCALE, LRD_INTERPOLATION_LINEAR, 3, 1.0);
	assert_int_equal(thin(&track), 1);
	track.keys.count = 2;
	assert_int_equal(thin(&track), 2);
}

static void thinning_without_memory_says_so(void **state)
{
	(void)state;
	failing_allocator memory;
	failing_allocator_init(&memory, 0);
	lrd_motion_track track = make_track(2, LRD_PATH_SCALE, LRD_INTERPOLATION_LINEAR, 3, 1.0);
	const lrd_motion_track *tracks[] = { &track };
	uint32_t count = 0;
	lrd_error error = { 0 };
	assert_false(lrd_motion_thin(failing_allocator_get(&memory), tracks, 1, kept, &count, &error));
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_straight_line_is_its_ends),
		cmocka_unit_test(a_bent_line_keeps_its_bends),
		cmocka_unit_test(noise_below_the_tolerance_goes_and_above_it_stays),
		cmocka_unit_test(one_stray_key_does_not_end_a_line),
		cmocka_unit_test(every_curve_comes_back_within_the_tolerance),
		cmocka_unit_test(every_rotation_comes_back_within_the_tolerance),
		cmocka_unit_test(an_even_turn_keeps_two_keys_each_half_turn),
		cmocka_unit_test(a_sine_keeps_about_as_many_keys_as_its_curvature_asks),
		cmocka_unit_test(steps_keep_a_key_for_each_change),
		cmocka_unit_test(steps_that_creep_do_not_add_up),
		cmocka_unit_test(rotations_in_steps_keep_their_changes),
		cmocka_unit_test(tracks_thinned_together_keep_what_any_of_them_needs),
		cmocka_unit_test(one_and_two_keys_stay),
		cmocka_unit_test(thinning_without_memory_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
