// Clips: which joint or node a channel moves, and that its keys say what the source said.

#include "cook_model.h"
#include "fixtures/gltf_clip.h"

static const float two_times[] = { 0, 1 };
static const float three_times[] = { 0, 0.5f, 1 };
static const float steps[] = { 0, 0, 0, 1, 2, 3 };

static const float *key_value(const lrd_clip_view *clip, uint32_t channel, uint32_t key)
{
	const lrd_clip_channel *row = &clip->channels[channel];
	uint32_t floats = row->components * (row->interpolation == LRD_INTERPOLATION_CUBIC ? 3 : 1);
	return clip->values + row->values_offset + (size_t)key * floats;
}

static void a_channel_on_a_plain_node_has_no_joint_but_the_models_node(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Second\"}"); // not below First: model nodes are in another order
	gltf_add(&build, "nodes", "{\"name\":\"First\",\"children\":[3]}");
	gltf_add(&build, "nodes", "{\"name\":\"Last\"}");
	gltf_add(&build, "nodes", "{\"name\":\"Door\"}");
	add_clip(&build, "Open", &(channel_build){ 3, "translation", "LINEAR", two_times, 2, steps, 2, "VEC3" }, 1);
	cooked model;
	cook_build(&model, &build);
	lrd_clip_view clip = cooked_clip(&model, "clip.Open.lclip");
	assert_int_equal(clip.channel_count, 1);
	assert_int_equal(clip.joint_count, 0);
	assert_int_equal(clip.channels[0].joint, -1);
	assert_int_equal(clip.channels[0].skeleton, 0);
	assert_int_equal(clip.channels[0].node, cooked_node(&model, "Door"));
	assert_int_equal(cooked_node(&model, "Door"), 2);
	check_string(lrd_clip_target_name(&clip, 0), "Door");
	assert_float_equal(clip.duration, 1, 0);
	check_string(clip.name, "Open");
	check_text(&model, model.model.clips[0].name, "Open");
	check_text(&model, model.model.clips[0].stem, "m/clip.Open");
	cooked_free(&model);
}

static void rotations_take_the_short_way_between_keys(void **state)
{
	(void)state;
	static const float turns[] = { 0, 0, 0, 1, 0, 0, -0.5f, -0.8660254f, 0, 0, 0.70710678f, 0.70710678f };
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Door\"}");
	add_clip(&build, "Turn", &(channel_build){ 0, "rotation", "LINEAR", three_times, 3, turns, 3, "VEC4" }, 1);
	cooked model;
	cook_build(&model, &build);
	lrd_clip_view clip = cooked_clip(&model, "clip.Turn.lclip");
	for (uint32_t k = 1; k < 3; ++k)
	{
		const float *a = key_value(&clip, 0, k - 1);
		const float *b = key_value(&clip, 0, k);
		assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0.0f);
	}
	float sampled[4];
	assert_int_equal(clip.channels[0].key_count, 3);
	lrd_clip_sample_channel(&clip, 0, 0.25f, sampled); // half of the first sixth of a turn: 30 degrees
	check_near(sampled, (const float[]){ 0, 0, 0.25881905f, 0.96592583f }, 4);
	cooked_free(&model);
}

static void cubic_rotations_turn_their_tangents_along_with_them(void **state)
{
	(void)state;
	// in-tangent, value, out-tangent; the second value is on the other hemisphere, and of length 2
	static const float turns[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0.5f, 0, //
		0, 0, -0.25f, 0.125f, 0, 0, -1.41421356f, -1.41421356f, 0.1f, 0, 0, 0 };
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Door\"}");
	add_clip(&build, "Turn", &(channel_build){ 0, "rotation", "CUBICSPLINE", two_times, 2, turns, 6, "VEC4" }, 1);
	cooked model;
	cook_build(&model, &build);
	lrd_clip_view clip = cooked_clip(&model, "clip.Turn.lclip");
	assert_int_equal(clip.channels[0].interpolation, LRD_INTERPOLATION_CUBIC);
	assert_int_equal(clip.channels[0].components, 4);
	check_near(key_value(&clip, 0, 0), turns, 12);
	check_near(key_value(&clip, 0, 1),
		(const float[]){ 0, 0, 0.125f, -0.0625f, 0, 0, 0.70710678f, 0.70710678f, -0.05f, 0, 0, 0 }, 12);
	cooked_free(&model);
}

static void cubic_and_step_keys_stay_as_they_are(void **state)
{
	(void)state;
	static const float cubic[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5 };
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Door\"}");
	const channel_build channels[] = {
		{ 0, "translation", "CUBICSPLINE", two_times, 2, cubic, 6, "VEC3" },
		{ 0, "scale", "STEP", two_times, 2, steps, 2, "VEC3" },
	};
	add_clip(&build, "Open", channels, 2);
	cooked model;
	cook_build(&model, &build);
	lrd_clip_view clip = cooked_clip(&model, "clip.Open.lclip");
	assert_int_equal(clip.channels[0].interpolation, LRD_INTERPOLATION_CUBIC);
	assert_int_equal(clip.channels[0].path, LRD_PATH_TRANSLATION);
	assert_memory_equal(key_value(&clip, 0, 0), cubic, sizeof cubic);
	assert_int_equal(clip.channels[1].interpolation, LRD_INTERPOLATION_STEP);
	assert_int_equal(clip.channels[1].path, LRD_PATH_SCALE);
	assert_memory_equal(key_value(&clip, 1, 0), steps, sizeof steps);
	cooked_free(&model);
}

static void channels_whose_times_are_equal_share_them(void **state)
{
	(void)state;
	static const float late[] = { 0, 2 };
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\"}");
	gltf_add(&build, "nodes", "{\"name\":\"B\"}");
	const channel_build channels[] = {
		{ 0, "translation", "LINEAR", two_times, 2, steps, 2, "VEC3" },
		{ 1, "translation", "LINEAR", late, 2, steps, 2, "VEC3" },
		{ 1, "scale", "LINEAR", two_times, 2, steps, 2, "VEC3" }, // an accessor of its own, with the same numbers
	};
	add_clip(&build, "Both", channels, 3);
	cooked model;
	cook_build(&model, &build);
	lrd_clip_view clip = cooked_clip(&model, "clip.Both.lclip");
	assert_int_equal(clip.time_count, 4);
	assert_int_equal(clip.channels[0].times_offset, clip.channels[2].times_offset);
	assert_int_not_equal(clip.channels[0].times_offset, clip.channels[1].times_offset);
	assert_float_equal(clip.duration, 2, 0);
	cooked_free(&model);
}

static void a_report_counts_channels_and_keys_before_and_after(void **state)
{
	(void)state;
	static const float line[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
	static const float still[] = { 5, 5, 5, 5, 5, 5 };
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\"}");
	const channel_build channels[] = {
		{ 0, "translation", "LINEAR", three_times, 3, line, 3, "VEC3" }, // the key in the middle goes
		{ 0, "scale", "LINEAR", two_times, 2, still, 2, "VEC3" },
	};
	add_clip(&build, "Move", channels, 2);
	cooked model;
	cook_build(&model, &build);
	const lrd_clip_report *report = cooked_clip_report(&model, "clip.Move.lclip");
	assert_float_equal(report->duration, 1, 0);
	assert_int_equal(report->channels, 2);
	assert_int_equal(report->constant, 1);
	assert_int_equal(report->keys_before, 5);
	assert_int_equal(report->keys, 3);
	cooked_free(&model);
}

static void keys_on_one_grid_are_flagged_uniform(void **state)
{
	(void)state;
	static const float uneven[] = { 0, 0.3f, 1 };
	static const float moves[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0 };
	for (int even = 0; even < 2; ++even)
	{
		BUILD(build);
		gltf_add(&build, "nodes", "{\"name\":\"A\"}");
		const channel_build channel = { 0, "translation", "LINEAR", even ? three_times : uneven, 3, moves, 3, "VEC3" };
		add_clip(&build, "C", &channel, 1);
		cooked model;
		cook_build(&model, &build);
		assert_int_equal(cooked_clip(&model, "clip.C.lclip").flags, even ? LRD_CLIP_UNIFORM : 0);
		cooked_free(&model);
	}
}

static void one_key_is_a_clip_without_duration(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\"}");
	add_clip(&build, "Pose", &(channel_build){ 0, "scale", "LINEAR", two_times, 1, steps + 3, 1, "VEC3" }, 1);
	cooked model;
	cook_build(&model, &build);
	lrd_clip_view clip = cooked_clip(&model, "clip.Pose.lclip");
	assert_float_equal(clip.duration, 0, 0);
	float sampled[3];
	lrd_clip_sample_channel(&clip, 0, 5, sampled);
	check_near(sampled, steps + 3, 3);
	cooked_free(&model);
}

static void a_clip_that_begins_before_zero_is_moved_as_a_whole(void **state)
{
	(void)state;
	static const float early[] = { -1, 1 };
	static const float crowded[] = { -0.5f, 1e-9f, 2e-9f };
	static const float moves[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0 };
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\"}");
	const channel_build channels[] = {
		{ 0, "translation", "LINEAR", early, 2, steps, 2, "VEC3" },
		{ 0, "scale", "STEP", crowded, 3, moves, 3, "VEC3" },
	};
	add_clip(&build, "Early", channels, 2);
	cooked model;
	cook_build(&model, &build);
	lrd_clip_view clip = cooked_clip(&model, "clip.Early.lclip");
	const float *times = clip.times + clip.channels[0].times_offset;
	check_near(times, (const float[]){ 0, 2 }, 2);
	times = clip.times + clip.channels[1].times_offset;
	check_near(times, (const float[]){ 0.5f, 1, 1 }, 3);
	assert_true(times[2] > times[1]); // keys stay apart
	assert_float_equal(clip.duration, 2, 0);
	check_cook_warning(&model, "clip-delayed", "m/clip.Early: its first key is 1 s before 0");
	cooked_free(&model);
}

/// A node "Face" with a mesh of two morph targets, which is a joint as well.
static void cook_weights(cooked *model)
{
	static const float deltas[] = { 0, 0, 1, 0, 0, 0, 0, 0, 0 };
	static const float weights[] = { 0, 0.5f, 1, 0.25f };
	static const float bound[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const uint8_t joints[12];
	BUILD(build);
	int p = gltf_corners(&build, 3);
	int d = gltf_floats(&build, deltas, 3, "VEC3");
	int w = gltf_floats(&build, bound, 3, "VEC4");
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	gltf_add(&build, "meshes",
		"{\"name\":\"Face\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"targets\":[{\"POSITION\":%d},{"
		"\"POSITION\":%d}]}]}",
		p, d, d);
	gltf_add(&build, "meshes",
		"{\"name\":\"Skin\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}}]}", p,
		j, w);
	gltf_add(&build, "nodes", "{\"name\":\"Face\",\"mesh\":0}");
	gltf_add(&build, "nodes", "{\"mesh\":1,\"skin\":0}");
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0]}");
	add_clip(&build, "Smile", &(channel_build){ 0, "weights", "LINEAR", two_times, 2, weights, 4, "SCALAR" }, 1);
	cook_build(model, &build);
}

static void weights_belong_to_the_node_even_where_it_is_a_joint(void **state)
{
	(void)state;
	cooked model;
	cook_weights(&model);
	lrd_clip_view clip = cooked_clip(&model, "clip.Smile.lclip");
	assert_int_equal(clip.channel_count, 1);
	assert_int_equal(clip.channels[0].path, LRD_PATH_WEIGHTS);
	assert_int_equal(clip.channels[0].components, 2);
	assert_int_equal(clip.channels[0].joint, -1);
	assert_int_equal(clip.channels[0].node, cooked_node(&model, "Face"));
	float sampled[2];
	lrd_clip_sample_channel(&clip, 0, 0.5f, sampled);
	check_near(sampled, (const float[]){ 0.5f, 0.375f }, 2);
	cooked_free(&model);
}

static void animated_weights_alone_do_not_make_a_node_move(void **state)
{
	(void)state;
	cooked model;
	cook_weights(&model);
	assert_int_equal(model.model.nodes[cooked_node(&model, "Face")].flags, LRD_NODE_JOINT);
	cooked_free(&model);
}

static void an_animation_with_nothing_to_keep_gives_no_clip_but_a_warning(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\"}");
	add_clip(&build, "None", &(channel_build){ 0, "colour", "LINEAR", two_times, 2, steps, 2, "VEC3" }, 1);
	add_clip(&build, "Some", &(channel_build){ 0, "scale", "LINEAR", two_times, 2, steps, 2, "VEC3" }, 1);
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "clip.Some.lclip m.lmodel");
	assert_int_equal(model.model.clip_count, 1);
	check_cook_warning(&model, "empty-animation", "\"None\" (0)");
	cooked_free(&model);
}

static void channels_find_their_nodes_past_instances(void **state)
{
	(void)state;
	static const float offsets[9] = { 0, 0, 0, 1, 0, 0, 2, 0, 0 };
	BUILD(build);
	int translations = gltf_floats(&build, offsets, 3, "VEC3");
	gltf_member(&build, "\"extensionsUsed\":[\"EXT_mesh_gpu_instancing\"]");
	gltf_add(&build, "nodes",
		"{\"name\":\"Rocks\",\"mesh\":%d,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":%"
		"d}"
		"}}}",
		add_mesh(&build, "Rock", -1), translations);
	gltf_add(&build, "nodes", "{\"name\":\"Door\"}");
	add_clip(&build, "Open", &(channel_build){ 1, "scale", "LINEAR", two_times, 2, steps, 2, "VEC3" }, 1);
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(cooked_clip(&model, "clip.Open.lclip").channels[0].node, 4);
	assert_int_equal(cooked_node(&model, "Door"), 4);
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_channel_on_a_plain_node_has_no_joint_but_the_models_node),
		cmocka_unit_test(rotations_take_the_short_way_between_keys),
		cmocka_unit_test(cubic_rotations_turn_their_tangents_along_with_them),
		cmocka_unit_test(cubic_and_step_keys_stay_as_they_are),
		cmocka_unit_test(channels_whose_times_are_equal_share_them),
		cmocka_unit_test(a_report_counts_channels_and_keys_before_and_after),
		cmocka_unit_test(keys_on_one_grid_are_flagged_uniform),
		cmocka_unit_test(one_key_is_a_clip_without_duration),
		cmocka_unit_test(a_clip_that_begins_before_zero_is_moved_as_a_whole),
		cmocka_unit_test(weights_belong_to_the_node_even_where_it_is_a_joint),
		cmocka_unit_test(animated_weights_alone_do_not_make_a_node_move),
		cmocka_unit_test(an_animation_with_nothing_to_keep_gives_no_clip_but_a_warning),
		cmocka_unit_test(channels_find_their_nodes_past_instances),
	};
	return cmocka_run_group_tests_name("cook_model_clips", tests, NULL, NULL);
}
