// Keys that a clip does without: constant channels, what interpolation gives back, and what settings say of it. And lengths
// in clips and skeletons under a model's scale.

#include "cook_model.h"

#include "fixtures/gltf_clip.h"

#define KEYS 61

static float even_times[KEYS];
static float values[8][KEYS * 4];

static void fill_times(void)
{
	for (int k = 0; k < KEYS; ++k)
	{
		even_times[k] = (float)k / 30.0f;
	}
}

/// A clip "C" of these channels over nodes "A" and "B", A above B.
static void cook_clip(cooked *model, const channel_build *channels, int count, const lrd_model_settings *settings)
{
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"name\":\"B\"}");
	add_clip(&build, "C", channels, count);
	cook_as(model, &build, settings);
}

static const lrd_model_settings defaults = { 0 };

static void a_constant_channel_is_one_key(void **state)
{
	(void)state;
	static const float turns[] = { 0, 0, 0, 1, 0, 0, 1e-7f, 1, 0, 0, 0, -1 };
	static const float times[] = { 0.5f, 1, 2 };
	static const float sizes[] = { 2, 2, 2, 2, 2, 2, 2, 2.000001f, 2 };
	static const float curve[] = { 9, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 2, 3, 9, 0, 0 };
	const channel_build channels[] = {
		{ 0, "rotation", "LINEAR", times, 3, turns, 3, "VEC4" },
		{ 0, "scale", "STEP", times, 3, sizes, 3, "VEC3" },
		{ 0, "translation", "CUBICSPLINE", times, 3, curve, 9, "VEC3" },
	};
	cooked model;
	cook_clip(&model, channels, 3, &defaults);
	lrd_clip_view clip = cooked_clip(&model, "clip.C.lclip");
	assert_float_equal(clip.duration, 2, 0); // as long as before
	assert_int_equal(clip.time_count, 1);
	assert_int_equal(clip.value_count, 10);
	assert_int_equal(clip.flags, LRD_CLIP_UNIFORM);
	for (uint32_t c = 0; c < 3; ++c)
	{
		assert_int_equal(clip.channels[c].key_count, 1);
		assert_int_equal(clip.channels[c].interpolation, LRD_INTERPOLATION_LINEAR);
	}
	assert_float_equal(clip.times[0], 0.5f, 0);
	float sampled[4];
	lrd_clip_sample_channel(&clip, 2, 1.5f, sampled);
	check_near(sampled, (const float[]){ 1, 2, 3 }, 3);
	cooked_free(&model);
}

/// Up a line for a second, then down for another.
static void fill_bent(float *to)
{
	for (int k = 0; k < KEYS; ++k)
	{
		to[k * 3] = 1.0f;
		to[k * 3 + 1] = even_times[k] < 1.0f ? even_times[k] : 2.0f - even_times[k];
		to[k * 3 + 2] = -3.0f * even_times[k];
	}
}

static void keys_that_interpolation_gives_go(void **state)
{
	(void)state;
	fill_times();
	fill_bent(values[0]);
	const channel_build channel = { 0, "translation", "LINEAR", even_times, KEYS, values[0], KEYS, "VEC3" };
	cooked model;
	cook_clip(&model, &channel, 1, &defaults);
	lrd_clip_view clip = cooked_clip(&model, "clip.C.lclip");
	assert_int_equal(clip.channels[0].key_count, 3);
	check_near(clip.times, (const float[]){ 0, 1, 2 }, 3);
	check_near(clip.values, (const float[]){ 1, 0, 0, 1, 1, -3, 1, 0, -6 }, 9);
	assert_int_equal(clip.flags, LRD_CLIP_UNIFORM); // the three happen to lie on a grid
	cooked_free(&model);
}

static void a_tolerance_below_zero_keeps_every_key(void **state)
{
	(void)state;
	static const float still[KEYS * 3] = { 0 };
	fill_times();
	fill_bent(values[0]);
	const channel_build channels[] = {
		{ 0, "translation", "LINEAR", even_times, KEYS, values[0], KEYS, "VEC3" },
		{ 0, "scale", "STEP", even_times, KEYS, still, KEYS, "VEC3" },
	};
	cooked model;
	cook_clip(&model, channels, 2, &(lrd_model_settings){ .clip_tolerance = -1.0f });
	lrd_clip_view clip = cooked_clip(&model, "clip.C.lclip");
	assert_int_equal(clip.channels[0].key_count, KEYS);
	assert_int_equal(clip.channels[1].key_count, KEYS);
	assert_memory_equal(clip.values, values[0], KEYS * 3 * sizeof(float));
	cooked_free(&model);
}

static uint32_t kept_under(float tolerance, const channel_build *channel)
{
	cooked model;
	cook_clip(&model, channel, 1, &(lrd_model_settings){ .clip_tolerance = tolerance });
	uint32_t count = cooked_clip(&model, "clip.C.lclip").channels[0].key_count;
	cooked_free(&model);
	return count;
}

static void a_larger_tolerance_drops_more(void **state)
{
	(void)state;
	fill_times();
	for (int k = 0; k < KEYS; ++k)
	{
		float half = 0.7f * even_times[k] * even_times[k];
		memcpy(values[0] + 4 * k, (const float[]){ 0, sinf(half), 0, cosf(half) }, 4 * sizeof(float));
	}
	const channel_build channel = { 0, "rotation", "LINEAR", even_times, KEYS, values[0], KEYS, "VEC4" };
	uint32_t fine = kept_under(1e-6f, &channel), middle = kept_under(1e-2f, &channel),
			 coarse = kept_under(0.1f, &channel);
	assert_int_equal(fine, KEYS);
	assert_true(middle < fine && coarse < middle && coarse >= 2);
}

static void channels_that_need_all_their_keys_go_on_sharing_times(void **state)
{
	(void)state;
	fill_times();
	for (int i = 0; i < KEYS * 3; ++i)
	{
		values[0][i] = (float)(i * i % 17);
		values[1][i] = (float)(i * i % 13) + 1.0f;
	}
	fill_bent(values[2]);
	const channel_build channels[] = {
		{ 0, "translation", "LINEAR", even_times, KEYS, values[0], KEYS, "VEC3" },
		{ 1, "translation", "LINEAR", even_times, KEYS, values[2], KEYS, "VEC3" },
		{ 1, "scale", "LINEAR", even_times, KEYS, values[1], KEYS, "VEC3" },
	};
	cooked model;
	cook_clip(&model, channels, 3, &defaults);
	lrd_clip_view clip = cooked_clip(&model, "clip.C.lclip");
	assert_int_equal(clip.channels[0].key_count, KEYS);
	assert_int_equal(clip.channels[1].key_count, 3);
	assert_int_equal(clip.channels[2].key_count, KEYS);
	assert_int_equal(clip.channels[0].times_offset, clip.channels[2].times_offset);
	assert_int_equal(clip.time_count, KEYS + 3);
	cooked_free(&model);
}

static void steps_that_lose_keys_still_take_the_short_way(void **state)
{
	(void)state;
	// From the second to the third there is just a quarter turn; the first is a little further.
	static const float times[] = { 0, 1, 2, 3 };
	static const float turns[] = { 0, -1e-6f, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0 };
	const channel_build channel = { 0, "rotation", "STEP", times, 4, turns, 4, "VEC4" };
	cooked model;
	cook_clip(&model, &channel, 1, &defaults);
	lrd_clip_view clip = cooked_clip(&model, "clip.C.lclip");
	assert_int_equal(clip.channels[0].key_count, 3);
	float sampled[4];
	lrd_clip_sample_channel(&clip, 0, 2.5f, sampled);
	assert_float_equal(fabsf(sampled[1]), 1, 1e-6f);
	cooked_free(&model);
}

static void translations_far_from_the_origin_are_held_to_what_they_move(void **state)
{
	(void)state;
	fill_times();
	for (int k = 0; k < KEYS; ++k)
	{
		memcpy(values[0] + 3 * k, (const float[]){ 1000, 0.5f * sinf(3.0f * even_times[k]), 0 }, 3 * sizeof(float));
	}
	const channel_build channel = { 0, "translation", "LINEAR", even_times, KEYS, values[0], KEYS, "VEC3" };
	cooked model;
	cook_clip(&model, &channel, 1, &defaults);
	lrd_clip_view clip = cooked_clip(&model, "clip.C.lclip");
	for (int i = 0; i <= 200; ++i)
	{
		float time = (float)i * 0.01f, sampled[3];
		int key = (int)(time * 30.0f) < KEYS - 1 ? (int)(time * 30.0f) : KEYS - 2;
		float part = (time - even_times[key]) * 30.0f;
		float expected = values[0][3 * key + 1] * (1.0f - part) + values[0][3 * key + 4] * part;
		lrd_clip_sample_channel(&clip, 0, time, sampled);
		assert_float_equal(sampled[1], expected, 1.2e-5f);
	}
	cooked_free(&model);
}

static void rotations_without_a_direction_are_told_and_hold_the_one_before(void **state)
{
	(void)state;
	static const float times[] = { 0, 1, 2 };
	static const float turns[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1 };
	static const float curve[] = { 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0,
		0, 0, 0, 1, 0, 0, 0, 0 };
	const channel_build channels[] = {
		{ 0, "rotation", "LINEAR", times, 3, turns, 3, "VEC4" },
		{ 1, "rotation", "CUBICSPLINE", times, 3, curve, 9, "VEC4" },
	};
	cooked model;
	cook_clip(&model, channels, 2, &defaults);
	lrd_clip_view clip = cooked_clip(&model, "clip.C.lclip");
	float sampled[4];
	lrd_clip_sample_channel(&clip, 0, 1.0f, sampled);
	check_near(sampled, (const float[]){ 0, 0, 0, 1 }, 4);
	lrd_clip_sample_channel(&clip, 1, 1.0f, sampled);
	check_near(sampled, (const float[]){ 0, 0.70710678f, 0, 0.70710678f }, 4);
	cooked_free(&model);
}

/// Two joints, one of which moves, and a mesh that follows them.
static void cook_scaled(cooked *model, float scale)
{
	static const float two_times[] = { 0, 1 };
	static const float moves[] = { 0, 2, 0, 1, 3, -1 };
	static const float weights[] = { 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 0.25f, 0.75f, 0, 0 };
	static const uint8_t joints[] = { 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0 };
	static const float binds[32] = { 0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 4, 5, 6, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
		0, -1, -2, -3, 1 };
	BUILD(build);
	int p = gltf_corners(&build, 3);
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	int w = gltf_floats(&build, weights, 3, "VEC4");
	gltf_add(&build, "nodes", "{\"name\":\"Above\",\"children\":[1],\"translation\":[7,0,1],\"scale\":[2,2,2]}");
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[2],\"translation\":[1,2,3]}");
	gltf_add(&build, "nodes", "{\"name\":\"Tip\",\"translation\":[0,2,0],\"rotation\":[0.6,0,0,0.8]}");
	gltf_add(&build, "meshes",
		"{\"name\":\"Fox\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}}]}", p, j,
		w);
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":0,\"skin\":0}");
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[1,2],\"inverseBindMatrices\":%d}",
		gltf_floats(&build, binds, 2, "MAT4"));
	add_clip(&build, "Walk", &(channel_build){ 2, "translation", "LINEAR", two_times, 2, moves, 2, "VEC3" }, 1);
	cook_as(model, &build, &(lrd_model_settings){ .scale = scale });
}

static void skin_corner(const cooked *model, float time, const float *corner, float scale, float *moved)
{
	lrd_skeleton_view skeleton = cooked_skeleton(model, "skeleton.Rig.lskel");
	lrd_clip_view clip = cooked_clip(model, "clip.Walk.lclip");
	lrd_mesh_view mesh = cooked_mesh(model, "part.Fox.lmesh");
	lrd_transform pose[2];
	lrd_mat4 palette[2];
	assert_int_equal(skeleton.joint_count, 2);
	lrd_skeleton_rest_pose(&skeleton, pose);
	lrd_clip_sample(&clip, time, NULL, &(lrd_pose){ pose, 2, 0 });
	lrd_skeleton_palette(&skeleton, pose, palette);
	uint32_t vertex = vertex_at(&mesh, corner[0] * scale, corner[1] * scale, corner[2] * scale);
	lrd_vec3 at = vertex_position(&mesh, vertex);
	const uint8_t *joints = vertex_data(&mesh, LRD_VERTEX_JOINTS, vertex);
	const uint8_t *weights = vertex_data(&mesh, LRD_VERTEX_WEIGHTS, vertex);
	memset(moved, 0, 3 * sizeof *moved);
	for (int i = 0; i < 4; ++i)
	{
		const float *m = palette[joints[i]].m;
		for (int c = 0; c < 3; ++c)
		{
			moved[c] += (float)weights[i] / 255.0f * (m[c] * at.x + m[4 + c] * at.y + m[8 + c] * at.z + m[12 + c]);
		}
	}
}

static void a_models_scale_goes_through_skeletons_and_clips_alike(void **state)
{
	(void)state;
	static const float corners[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } };
	cooked plain, scaled;
	cook_scaled(&plain, 0);
	cook_scaled(&scaled, 0.01f);
	for (int i = 0; i < 9; ++i)
	{
		float time = (float)(i / 3) * 0.5f, expected[3], found[3];
		skin_corner(&plain, time, corners[i % 3], 1.0f, expected);
		skin_corner(&scaled, time, corners[i % 3], 0.01f, found);
		for (int c = 0; c < 3; ++c)
		{
			assert_float_equal(found[c], expected[c] * 0.01f, 1e-6f);
		}
	}
	cooked_free(&plain);
	cooked_free(&scaled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_constant_channel_is_one_key),
		cmocka_unit_test(keys_that_interpolation_gives_go),
		cmocka_unit_test(a_tolerance_below_zero_keeps_every_key),
		cmocka_unit_test(a_larger_tolerance_drops_more),
		cmocka_unit_test(channels_that_need_all_their_keys_go_on_sharing_times),
		cmocka_unit_test(steps_that_lose_keys_still_take_the_short_way),
		cmocka_unit_test(translations_far_from_the_origin_are_held_to_what_they_move),
		cmocka_unit_test(rotations_without_a_direction_are_told_and_hold_the_one_before),
		cmocka_unit_test(a_models_scale_goes_through_skeletons_and_clips_alike),
	};
	return cmocka_run_group_tests_name("cook_model_keys", tests, NULL, NULL);
}
