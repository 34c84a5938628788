// Sampling clips: glTF 2.0's interpolations, clamping, and poses.

#include "fixtures/cooked_file.h"

#include "fixtures/make_clip.h"

#define TOLERANCE 1e-5f

/// A clip of one channel as its reader gives it; the file is freed by the caller.
static lrd_clip_view one_channel(lrd_buffer *file, lrd_clip_path path, lrd_interpolation interpolation,
	uint32_t components, uint32_t key_count, const float *times, const float *values, uint32_t flags)
{
	make_clip_memory memory = { 0 };
	make_clip_channel(&memory, "a", path, interpolation, components, key_count, times, values);
	lrd_clip_view view = make_clip_view(&memory, "", times[key_count - 1]);
	view.flags = flags;
	*file = (lrd_buffer){ 0 };
	lrd_error error = { 0 };
	if (!lrd_clip_write(&view, file, &error) || !lrd_clip_open(file->data, file->size, &view, &error))
	{
		fail_msg("%s", error.message);
	}
	return view;
}

static void assert_sample(const lrd_clip_view *view, float time, const float *expected)
{
	float value[8];
	lrd_clip_sample_channel(view, 0, time, value);
	for (uint32_t c = 0; c < view->channels[0].components; c++)
	{
		assert_float_equal(value[c], expected[c], TOLERANCE);
	}
}

static const float three_times[] = { 0.5f, 1.0f, 2.0f };
static const float three_points[] = { 0, 0, 0, 1, 2, 3, -1, 0, 1 };

static void linear_lies_between_its_keys(void **state)
{
	(void)state;
	lrd_buffer file;
	lrd_clip_view view =
		one_channel(&file, LRD_PATH_TRANSLATION, LRD_INTERPOLATION_LINEAR, 3, 3, three_times, three_points, 0);
	assert_sample(&view, 0.75f, (const float[]){ 0.5f, 1.0f, 1.5f });
	assert_sample(&view, 1.25f, (const float[]){ 0.5f, 1.5f, 2.5f });
	assert_sample(&view, 1.0f, (const float[]){ 1, 2, 3 });
	lrd_buffer_free(&file);
}

static void times_outside_are_clamped(void **state)
{
	(void)state;
	lrd_buffer file;
	for (uint32_t i = LRD_INTERPOLATION_LINEAR; i <= LRD_INTERPOLATION_STEP; i++)
	{
		lrd_clip_view view =
			one_channel(&file, LRD_PATH_SCALE, (lrd_interpolation)i, 3, 3, three_times, three_points, 0);
		assert_sample(&view, -INFINITY, three_points);
		assert_sample(&view, 0.0f, three_points);
		assert_sample(&view, 0.5f, three_points);
		assert_sample(&view, 2.0f, three_points + 6);
		assert_sample(&view, INFINITY, three_points + 6);
		assert_sample(&view, NAN, three_points);
		lrd_buffer_free(&file);
	}
}

static void step_keeps_a_key_until_the_next(void **state)
{
	(void)state;
	lrd_buffer file;
	lrd_clip_view view = one_channel(&file, LRD_PATH_SCALE, LRD_INTERPOLATION_STEP, 3, 3, three_times, three_points, 0);
	assert_sample(&view, 0.999f, three_points);
	assert_sample(&view, 1.0f, three_points + 3);
	assert_sample(&view, 1.999f, three_points + 3);
	lrd_buffer_free(&file);
}

static void rotations_turn_at_an_even_speed(void **state)
{
	(void)state;
	static const float times[] = { 0.0f, 1.0f };
	static const float turn[] = { 0, 0, 0, 1, 0, 0.70710678f, 0, 0.70710678f };
	lrd_buffer file;
	lrd_clip_view view = one_channel(&file, LRD_PATH_ROTATION, LRD_INTERPOLATION_LINEAR, 4, 2, times, turn, 0);
	for (uint32_t i = 0; i <= 10; i++)
	{
		float part = (float)i * 0.1f;
		float half = part * (float)LRD_PI / 4.0f;
		assert_sample(&view, part, (const float[]){ 0, sinf(half), 0, cosf(half) });
	}
	lrd_buffer_free(&file);
}

static void rotations_come_out_unit_length(void **state)
{
	(void)state;
	static const float times[] = { 0.0f, 1.0f };
	static const float off[] = { 0, 0, 0, 1.0009f, 0, 0.6f, 0, 0.8005f };
	static const float curve[] = { 9, 0, 0, 0, 0, 0, 0, 1, 3, 1, 2, 0, /**/ 5, 0, 0, 1, 0, 0.6f, 0, 0.8f, 0, 0, 0, 0 };
	for (uint32_t i = LRD_INTERPOLATION_LINEAR; i <= LRD_INTERPOLATION_CUBIC; i++)
	{
		lrd_buffer file;
		lrd_clip_view view = one_channel(
			&file, LRD_PATH_ROTATION, (lrd_interpolation)i, 4, 2, times, i == LRD_INTERPOLATION_CUBIC ? curve : off, 0);
		for (float time = -0.25f; time < 1.5f; time += 0.125f)
		{
			float q[4];
			lrd_clip_sample_channel(&view, 0, time, q);
			assert_float_equal(sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), 1.0f, 1e-6f);
		}
		lrd_buffer_free(&file);
	}
}

static void cubic_goes_through_its_values_with_its_tangents(void **state)
{
	(void)state;
	static const float times[] = { 1.0f, 3.0f };
	// in-tangent, value, out-tangent of two keys of one weight; two seconds apart.
	static const float keys[] = { 7, 1, 0.5f, /**/ -2, 4, 9 };
	lrd_buffer file;
	lrd_clip_view view = one_channel(&file, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_CUBIC, 1, 2, times, keys, 0);
	assert_sample(&view, 1.0f, (const float[]){ 1 });
	assert_sample(&view, 3.0f, (const float[]){ 4 });
	assert_sample(&view, 0.0f, (const float[]){ 1 });
	assert_sample(&view, 9.0f, (const float[]){ 4 });
	// Half way: 0.5 v0 + 0.125 dt b0 + 0.5 v1 - 0.125 dt a1.
	assert_sample(&view, 2.0f, (const float[]){ 0.5f + 0.125f * 2 * 0.5f + 2.0f + 0.125f * 2 * 2 });
	float before, after;
	lrd_clip_sample_channel(&view, 0, 1.0f, &before);
	lrd_clip_sample_channel(&view, 0, 1.0f + 0.01f, &after);
	assert_float_equal((after - before) / 0.01f, 0.5f, 0.1f);
	lrd_buffer_free(&file);
}

static void cubic_with_a_lines_tangents_is_the_line(void **state)
{
	(void)state;
	static const float times[] = { 0.0f, 0.5f };
	static const float keys[] = { 6, 6, 6, 1, 2, 3, 4, 2, -2, /**/ 4, 2, -2, 3, 3, 2, 0, 0, 0 };
	lrd_buffer file;
	lrd_clip_view view = one_channel(&file, LRD_PATH_TRANSLATION, LRD_INTERPOLATION_CUBIC, 3, 2, times, keys, 0);
	for (uint32_t i = 0; i <= 8; i++)
	{
		float time = (float)i * 0.0625f;
		assert_sample(&view, time, (const float[]){ 1 + 4 * time, 2 + 2 * time, 3 - 2 * time });
	}
	lrd_buffer_free(&file);
}

static void uniform_clips_give_what_searched_ones_give(void **state)
{
	(void)state;
	enum
	{
		KEYS = 31
	};
	float times[KEYS], values[KEYS * 3];
	for (uint32_t i = 0; i < KEYS; i++)
	{
		times[i] = (float)i / 30.0f;
		values[i * 3] = (float)(i * i % 7);
		values[i * 3 + 1] = (float)i;
		values[i * 3 + 2] = -(float)(i % 3);
	}
	lrd_buffer file, uniform_file;
	lrd_clip_view view = one_channel(&file, LRD_PATH_SCALE, LRD_INTERPOLATION_LINEAR, 3, KEYS, times, values, 0);
	lrd_clip_view uniform =
		one_channel(&uniform_file, LRD_PATH_SCALE, LRD_INTERPOLATION_LINEAR, 3, KEYS, times, values, LRD_CLIP_UNIFORM);
	for (uint32_t i = 0; i <= 3000; i++)
	{
		float time = i % 100 == 0 ? times[i / 100] : (float)i / 3000.0f;
		float a[3], b[3];
		lrd_clip_sample_channel(&view, 0, time, a);
		lrd_clip_sample_channel(&uniform, 0, time, b);
		assert_memory_equal(a, b, sizeof a);
	}
	lrd_buffer_free(&file);
	lrd_buffer_free(&uniform_file);
}

static void every_key_is_found_among_many(void **state)
{
	(void)state;
	for (uint32_t count = 1; count <= 20; count++)
	{
		float times[20], values[20];
		for (uint32_t i = 0; i < count; i++)
		{
			times[i] = (float)(i * i) + 0.5f;
			values[i] = (float)i;
		}
		lrd_buffer file;
		lrd_clip_view view = one_channel(&file, LRD_PATH_WEIGHTS, LRD_INTERPOLATION_STEP, 1, count, times, values, 0);
		for (uint32_t i = 0; i < count; i++)
		{
			assert_sample(&view, times[i], &values[i]);
			assert_sample(&view, times[i] + 0.9f, &values[i]);
		}
		lrd_buffer_free(&file);
	}
}

static lrd_clip_view opened_clip(lrd_buffer *file)
{
	make_clip_memory memory;
	lrd_clip_view view = make_clip(&memory);
	*file = (lrd_buffer){ 0 };
	assert_true(lrd_clip_write(&view, file, NULL));
	assert_true(lrd_clip_open(file->data, file->size, &view, NULL));
	return view;
}

static void pose_takes_what_is_animated_and_keeps_the_rest(void **state)
{
	(void)state;
	lrd_buffer file;
	lrd_clip_view view = opened_clip(&file);
	lrd_transform joints[5];
	for (uint32_t i = 0; i < 5; i++)
	{
		joints[i] = (lrd_transform){ { 7, 7, 7 }, { 0, 0, 1, 0 }, { 5, 5, 5 } };
	}
	lrd_clip_sample(&view, 0.5f, NULL, &(lrd_pose){ joints, 5, 0 });
	assert_true(joints[2].translation.y == 1.0f);
	assert_float_equal(joints[2].rotation.y, sinf(acosf(0.8f) / 2), TOLERANCE);
	assert_true(joints[2].scale.x == 1.0f);
	for (uint32_t i = 0; i < 5; i++)
	{
		assert_true(i == 2 || (joints[i].translation.x == 7.0f && joints[i].scale.z == 5.0f));
	}
	lrd_buffer_free(&file);
}

static void pose_of_another_skeleton_or_size_is_left_alone(void **state)
{
	(void)state;
	lrd_buffer file;
	lrd_clip_view view = opened_clip(&file);
	lrd_transform joints[5] = { 0 };
	const lrd_transform untouched[5] = { 0 };
	lrd_clip_sample(&view, 0.5f, NULL, &(lrd_pose){ joints, 5, 1 });
	lrd_clip_sample(&view, 0.5f, NULL, &(lrd_pose){ joints, 2, 0 });
	assert_memory_equal(joints, untouched, sizeof joints);
	lrd_buffer_free(&file);
}

static void channel_that_is_not_there_writes_nothing(void **state)
{
	(void)state;
	lrd_buffer file;
	lrd_clip_view view = opened_clip(&file);
	float value = 5.0f;
	lrd_clip_sample_channel(&view, 5, 0.0f, &value);
	assert_true(value == 5.0f);
	lrd_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_lies_between_its_keys),
		cmocka_unit_test(times_outside_are_clamped),
		cmocka_unit_test(step_keeps_a_key_until_the_next),
		cmocka_unit_test(rotations_turn_at_an_even_speed),
		cmocka_unit_test(rotations_come_out_unit_length),
		cmocka_unit_test(cubic_goes_through_its_values_with_its_tangents),
		cmocka_unit_test(cubic_with_a_lines_tangents_is_the_line),
		cmocka_unit_test(uniform_clips_give_what_searched_ones_give),
		cmocka_unit_test(every_key_is_found_among_many),
		cmocka_unit_test(pose_takes_what_is_animated_and_keeps_the_rest),
		cmocka_unit_test(pose_of_another_skeleton_or_size_is_left_alone),
		cmocka_unit_test(channel_that_is_not_there_writes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
