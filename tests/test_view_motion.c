// tests/test_view_motion.c: skins, morphs, clips, variants and LODs in `larder view`: what moves a square on the GPU must show what a
// square shows that was put there.

#include "fixtures/view_kit.h"

#include <sys/wait.h>

/// Where the square is to be found: up, to the right and turned, as a node's members.
#define PLACED "\"translation\":[0.5,0.25,0],\"rotation\":[0,0,0.38268343,0.92387953],\"scale\":[0.5,0.5,1]"

static view_shot shoot_placed(scratch *folder)
{
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,%s}", view_kit_square(&build, 0, ""), PLACED);
	view_kit_plain(&build, "1,0.5,0.1,1", "");
	view_kit_save(folder, "placed.glb", &build);
	return view_kit_shoot(folder, "placed.glb", VIEW_FRONT);
}

/// At most the rims may differ by what rounding says.
static void check_same(scratch *folder, view_shot *shot, view_shot *expected)
{
	uint32_t different = 0;
	(void)folder;
	for (size_t i = 0; i < (size_t)shot->width * shot->height; ++i)
	{
		different += abs(shot->rgba[4 * i] - expected->rgba[4 * i]) > 2;
	}
	assert_true(view_kit_covered(expected) > 200);
	if (different > 6)
	{
		fail_msg("%u pixels differ", different);
	}
	view_kit_free(shot);
	view_kit_free(expected);
}

static int add_clip(gltf_build *build, int node, const char *path, const char *type, const float *values, int floats)
{
	static const float times[2] = { 0, 1 };
	int input = gltf_floats(build, times, 2, "SCALAR");
	int output = gltf_floats(build, values, strcmp(type, "SCALAR") == 0 ? floats : 2, type);
	return gltf_add(build, "animations",
		"{\"name\":\"%s\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{"
		"\"node\":%d,\"path\":\"%s\"}}]}",
		path, input, output, node, path);
}

static void skinned_surfaces_follow_their_joints(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	static const uint8_t joints[16] = { 0 };
	static const float weights[16] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	gltf_build build;
	char more[64];
	gltf_begin(&build);
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 4, "VEC4");
	snprintf(more, sizeof more, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", j, gltf_floats(&build, weights, 4, "VEC4"));
	int mesh = view_kit_square(&build, 0, more);
	// The mesh's own node would put it elsewhere, and has no say.
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0,\"translation\":[9,9,9]}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"joint\",%s}", PLACED);
	gltf_add(&build, "skins", "{\"joints\":[1]}");
	view_kit_plain(&build, "1,0.5,0.1,1", "");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT), expected = shoot_placed(folder);
	check_same(folder, &shot, &expected);
}

static void clips_move_nodes(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"rotation\":[0,0,0.38268343,0.92387953],\"scale\":[0.5,0.5,1]}",
		view_kit_square(&build, 0, ""));
	static const float way[6] = { 0, 0, 0, 1, 0.5f, 0 };
	add_clip(&build, 0, "translation", "VEC3", way, 6);
	view_kit_plain(&build, "1,0.5,0.1,1", "");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --clip translation --time 0.5");
	view_shot expected = shoot_placed(folder);
	check_same(folder, &shot, &expected);
	shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --clip 0 --time 0.5");
	expected = shoot_placed(folder);
	check_same(folder, &shot, &expected);
}

/// A square of a quarter's size at the origin, and a target that moves it by 1, 0.5.
static void put_morph(scratch *folder, const char *weights, bool is_animated)
{
	static const float move[12] = { 1, 0.5f, 0, 1, 0.5f, 0, 1, 0.5f, 0, 1, 0.5f, 0 };
	static const float keys[2] = { 0, 0.5f };
	static const float positions[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
	static const uint16_t indices[6] = { 0, 1, 2, 0, 2, 3 };
	gltf_build build;
	gltf_begin(&build);
	int p = gltf_floats(&build, positions, 4, "VEC3"), i = gltf_u16(&build, indices, 6);
	int target = gltf_floats(&build, move, 4, "VEC3");
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"material\":0,\"targets\":[{\"POSITION\":%"
		"d}]}]%s}",
		p, i, target, weights);
	gltf_add(&build, "nodes", "{\"mesh\":0,\"scale\":[0.5,0.5,1]}");
	if (is_animated)
	{
		add_clip(&build, 0, "weights", "SCALAR", keys, 2);
	}
	view_kit_plain(&build, "1,0.5,0.1,1", "");
	view_kit_save(folder, "m.glb", &build);
}

static void morph_targets_move_by_their_weights(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"scale\":[0.5,0.5,1],\"translation\":[0.25,0.125,0]}",
		view_kit_square(&build, 0, ""));
	view_kit_plain(&build, "1,0.5,0.1,1", "");
	view_kit_save(folder, "placed.glb", &build);
	put_morph(folder, ",\"weights\":[0.5]", false);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT);
	view_shot expected = view_kit_shoot(folder, "placed.glb", VIEW_FRONT);
	check_same(folder, &shot, &expected);
	put_morph(folder, "", true);
	shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --clip weights --time 1");
	expected = view_kit_shoot(folder, "placed.glb", VIEW_FRONT);
	check_same(folder, &shot, &expected);
}

/// A square whose normals and tangents a target takes away, all but for what weights leave of them.
static void put_without_normals(scratch *folder, const char *name, const char *weight)
{
	static const float positions[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
	static const float normals[12] = { 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	static const float tangents[16] = { 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1 };
	static const float away[12] = { 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1 };
	static const float aside[12] = { -1, 0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0 };
	static const float uv[8] = { 0, 1, 1, 1, 1, 0, 0, 0 };
	static const uint16_t indices[6] = { 0, 1, 2, 0, 2, 3 };
	gltf_build build;
	gltf_begin(&build);
	int p = gltf_floats(&build, positions, 4, "VEC3"), n = gltf_floats(&build, normals, 4, "VEC3");
	int t = gltf_floats(&build, tangents, 4, "VEC4"), u = gltf_floats(&build, uv, 4, "VEC2");
	int a = gltf_floats(&build, away, 4, "VEC3"), s = gltf_floats(&build, aside, 4, "VEC3");
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TANGENT\":%d,\"TEXCOORD_0\":%d},"
		"\"indices\":%d,\"material\":0,\"targets\":[{\"NORMAL\":%d,\"TANGENT\":%d}]}],\"weights\":[%s]}",
		p, n, t, u, gltf_u16(&build, indices, 6), a, s, weight);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	view_kit_plain(&build, "1,1,1,1", "");
	view_kit_save(folder, name, &build);
}

static void normals_and_tangents_that_morphs_take_away_stay(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	static const char *const views[] = { VIEW_FRONT " --view geometry", VIEW_FRONT " --view tangent" };
	put_without_normals(folder, "rest.glb", "0");
	// Deltas are kept in 16 bits: at this weight nothing at all is left.
	put_without_normals(folder, "gone.glb", "0.999969482421875");
	for (size_t i = 0; i < 2; ++i)
	{
		view_shot rest = view_kit_shoot(folder, "rest.glb", views[i]);
		view_shot gone = view_kit_shoot(folder, "gone.glb", views[i]);
		assert_int_equal(view_kit_covered(&rest), VIEW_SIDE * VIEW_SIDE);
		assert_int_equal(view_kit_difference(&rest, &gone), 0);
		view_kit_free(&rest);
		view_kit_free(&gone);
	}
}

static void variants_change_materials(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	static const float positions[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
	static const uint16_t indices[6] = { 0, 1, 2, 0, 2, 3 };
	gltf_build build;
	gltf_begin(&build);
	int p = gltf_floats(&build, positions, 4, "VEC3"), i = gltf_u16(&build, indices, 6);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"material\":0,\"extensions\":{"
		"\"KHR_materials_variants\":{\"mappings\":[{\"material\":1,\"variants\":[1]}]}}}]}",
		p, i);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	view_kit_plain(&build, "1,0,0,1", "");
	view_kit_plain(&build, "0,0,1,1", "");
	gltf_member(
		&build, "\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"day\"},{\"name\":\"night\"}]}}");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --variant day");
	view_kit_check(&shot, 0.5, 0.5, 255, 0, 0, 0);
	view_kit_free(&shot);
	shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --variant night");
	view_kit_check(&shot, 0.5, 0.5, 0, 0, 255, 0);
	view_kit_free(&shot);
}

static void cameras_of_the_file_look_as_it_says(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", view_kit_square(&build, 0, ""));
	gltf_add(&build, "nodes", "{\"name\":\"cam\",\"camera\":0,\"translation\":[0,0,2.4142136]}");
	gltf_add(&build, "nodes", "{\"name\":\"flat\",\"camera\":1,\"translation\":[1,0,5]}");
	gltf_add(&build, "cameras",
		"{\"name\":\"near\",\"type\":\"perspective\",\"perspective\":{\"yfov\":0.785398163,\"znear\":0.1}}");
	gltf_add(&build, "cameras",
		"{\"name\":\"flat\",\"type\":\"orthographic\",\"orthographic\":{\"xmag\":1,\"ymag\":1,\"znear\":0.1,\"zfar\":"
		"10}}");
	view_kit_plain(&build, "1,1,1,1", "");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", "--camera file:near");
	assert_int_equal(view_kit_covered(&shot), VIEW_SIDE * VIEW_SIDE);
	view_kit_free(&shot);
	shot = view_kit_shoot(folder, "m.glb", "--camera file:flat");
	view_kit_check(&shot, 0.25, 0.5, 255, 255, 255, 0);
	view_kit_check(&shot, 0.75, 0.5, 0, 0, 0, 0);
	view_kit_free(&shot);
}

static void a_turntable_begins_where_the_camera_of_the_file_stands(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[3,1,0]}", view_kit_square(&build, 0, ""));
	gltf_add(&build, "nodes", "{\"name\":\"near\",\"camera\":0,\"translation\":[3,1,4]}");
	gltf_add(
		&build, "cameras", "{\"name\":\"near\",\"type\":\"perspective\",\"perspective\":{\"yfov\":0.8,\"znear\":0.1}}");
	view_kit_plain(&build, "1,1,1,1", "");
	view_kit_save(folder, "m.glb", &build);
	view_shot still = view_kit_shoot(folder, "m.glb", "--camera file:near");
	char arguments[160];
	snprintf(arguments, sizeof arguments,
		"--screenshot turn.png --size %dx%d -q --camera file:near --background 000000 --turntable 2", VIEW_SIDE,
		VIEW_SIDE);
	assert_int_equal(view_kit_run(folder, "m.glb", arguments), 0);
	view_shot first = view_kit_load(folder, "turn-000.png");
	view_shot second = view_kit_load(folder, "turn-001.png");
	assert_true(view_kit_covered(&still) > 100);
	assert_true(view_kit_difference(&still, &first) <= 1);
	assert_int_equal(view_kit_covered(&second), 0); // its back
	view_kit_free(&still);
	view_kit_free(&first);
	view_kit_free(&second);
}

static bool is_there(scratch *folder, const char *name)
{
	return access(scratch_path(folder, name), F_OK) == 0;
}

static void a_source_that_is_watched_is_shown_as_it_becomes(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	char command[2048];
	view_kit_put_colour(folder, "m.glb", "1,0,0,1");
	snprintf(command, sizeof command,
		"cd '%s' && { '%s' view m.glb --screenshot shot.png --size 64x64 -q --watch --frames 2 %s " VIEW_FRONT
		" >out 2>err; echo $? >status; } &",
		folder->root, LARDER_PROGRAM, view_kit_has_layer() ? "--validate" : "");
	assert_int_equal(system(command), 0);
	while (!is_there(folder, "shot.png") && !is_there(folder, "status"))
	{
		usleep(5000);
	}
	view_shot shot = view_kit_load(folder, "shot.png");
	view_kit_check(&shot, 0.5, 0.5, 255, 0, 0, 0);
	view_kit_free(&shot);
	view_kit_put_colour(folder, "new.glb", "0,0,1,1");
	assert_int_equal(rename(scratch_path(folder, "new.glb"), scratch_path(folder, "m.glb")), 0);
	while (!is_there(folder, "status"))
	{
		usleep(5000);
	}
	shot = view_kit_load(folder, "shot.png");
	view_kit_check(&shot, 0.5, 0.5, 0, 0, 255, 0);
	view_kit_free(&shot);
	assert_string_equal(view_kit_text(folder, "err"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(skinned_surfaces_follow_their_joints, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(clips_move_nodes, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(morph_targets_move_by_their_weights, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(normals_and_tangents_that_morphs_take_away_stay, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(variants_change_materials, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_source_that_is_watched_is_shown_as_it_becomes, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(cameras_of_the_file_look_as_it_says, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			a_turntable_begins_where_the_camera_of_the_file_stands, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
