// tests/test_view_pictures.c: what `larder view` shows of small scenes, pixel by pixel.

#include "fixtures/view_kit.h"

#include <sys/wait.h>

/// A file of one square with this material.
static void put_square(scratch *folder, const char *material)
{
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", view_kit_square(&build, 0, ""));
	gltf_add(&build, "materials", "%s", material);
	view_kit_save(folder, "m.glb", &build);
}

static void unlit_colours_come_out_as_they_are(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	// 0.5 is 188 where colours are encoded, 0.04 is 56, and 1 stays 1: nothing is tone mapped.
	put_square(folder, "{\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.04,1,1]},"
					   "\"extensions\":{\"KHR_materials_unlit\":{}}}");
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT);
	view_kit_check(&shot, 0.5, 0.5, 188, 56, 255, 0);
	view_kit_check(&shot, 0.03, 0.97, 188, 56, 255, 0);
	view_kit_free(&shot);
}

static void a_background_is_the_colour_that_was_asked_for(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_square(folder, "{}");
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FARTHER " --background 2080ff");
	view_kit_check(&shot, 0.1, 0.1, 0x20, 0x80, 0xff, 0);
	view_kit_free(&shot);
}

static void vertex_colours_multiply(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	static const float colors[12] = { 1, 0.5f, 0, 1, 0.5f, 0, 1, 0.5f, 0, 1, 0.5f, 0 };
	gltf_build build;
	char more[32];
	gltf_begin(&build);
	snprintf(more, sizeof more, ",\"COLOR_0\":%d", gltf_floats(&build, colors, 4, "VEC3"));
	gltf_add(&build, "nodes", "{\"mesh\":%d}", view_kit_square(&build, 0, more));
	view_kit_plain(&build, "0.5,1,1,1", "");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT);
	view_kit_check(&shot, 0.5, 0.5, 188, 188, 0, 1);
	view_kit_free(&shot);
}

static uint32_t covered_with_alpha(scratch *folder, const char *alpha)
{
	char material[256];
	snprintf(material, sizeof material,
		"{\"alphaMode\":\"MASK\",\"alphaCutoff\":0.5,\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,%s]},"
		"\"extensions\":{\"KHR_materials_unlit\":{}}}",
		alpha);
	put_square(folder, material);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT);
	uint32_t covered = view_kit_covered(&shot);
	view_kit_free(&shot);
	return covered;
}

static void a_mask_shows_what_is_not_below_its_cutoff(void **state)
{
	NEEDS_DRIVER();
	assert_int_equal(covered_with_alpha(*state, "0.49"), 0);
	assert_int_equal(covered_with_alpha(*state, "0.5"), VIEW_SIDE * VIEW_SIDE);
	assert_int_equal(covered_with_alpha(*state, "0.51"), VIEW_SIDE * VIEW_SIDE);
}

static void backs_are_shown_of_double_sided_surfaces_alone(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	const char *const behind = "--camera eye:0,0,-2.4142136,0,0,0";
	put_square(folder, "{\"emissiveFactor\":[1,1,1]}");
	view_shot shot = view_kit_shoot(folder, "m.glb", behind);
	assert_int_equal(view_kit_covered(&shot), 0);
	view_kit_free(&shot);
	put_square(folder, "{\"emissiveFactor\":[1,1,1],\"doubleSided\":true}");
	shot = view_kit_shoot(folder, "m.glb", behind);
	assert_int_equal(view_kit_covered(&shot), VIEW_SIDE * VIEW_SIDE);
	view_kit_free(&shot);
}

static void mirrored_nodes_show_their_fronts(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"scale\":[-1,1,1]}", view_kit_square(&build, 0, ""));
	view_kit_plain(&build, "1,1,1,1", "");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT);
	assert_int_equal(view_kit_covered(&shot), VIEW_SIDE * VIEW_SIDE);
	view_kit_free(&shot);
	shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --view facing");
	const uint8_t *pixel = view_kit_at(&shot, 0.5, 0.5);
	assert_true(pixel[1] > pixel[0] + 50); // green: a front
	view_kit_free(&shot);
}

static void normals_of_mirrored_nodes_point_out(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	gltf_build build;
	gltf_begin(&build);
	int mesh = view_kit_square(&build, 0, "");
	// Turned by 60 degrees about Y, and then mirrored: it faces the other way about.
	gltf_add(&build, "nodes", "{\"children\":[1],\"scale\":[-1,1,1]}");
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"rotation\":[0,0.5,0,0.8660254]}", mesh);
	gltf_add(&build, "materials", "{}");
	gltf_add(&build, "scenes", "{\"nodes\":[0]}");
	gltf_member(&build, "\"scene\":0");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --view geometry");
	view_kit_check(&shot, 0.5, 0.5, 17, 128, 191, 2); // -0.866 0 0.5
	view_kit_free(&shot);
}

/// Two squares one behind the other, each covering half: the near one green, the far one red.
static void put_layers(scratch *folder, bool is_near_first)
{
	gltf_build build;
	gltf_begin(&build);
	int mesh = view_kit_square(&build, 0, ""), other = view_kit_square(&build, 1, "");
	const char *const blend = ",\"alphaMode\":\"BLEND\"";
	if (is_near_first)
	{
		gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[0,0,0.1]}", mesh);
	}
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[0,0,-0.1]}", other);
	if (!is_near_first)
	{
		gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[0,0,0.1]}", mesh);
	}
	view_kit_plain(&build, "0,1,0,0.5", blend);
	view_kit_plain(&build, "1,0,0,0.5", blend);
	view_kit_save(folder, "m.glb", &build);
}

static void what_is_blended_is_drawn_from_far_to_near(void **state)
{
	NEEDS_DRIVER();
	for (int i = 0; i < 2; ++i)
	{
		put_layers(*state, i == 0);
		view_shot shot = view_kit_shoot(*state, "m.glb", VIEW_FARTHER);
		view_kit_check(&shot, 0.5, 0.5, 137, 188, 0, 1); // a quarter red, half green
		view_kit_free(&shot);
	}
	// And from behind nothing is seen, in either order.
	view_shot shot = view_kit_shoot(*state, "m.glb", "--camera eye:0,0,-5,0,0,0");
	assert_int_equal(view_kit_covered(&shot), 0);
	view_kit_free(&shot);
}

static void directions_are_shown_as_colours(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_square(folder, "{}");
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --view normal");
	view_kit_check(&shot, 0.5, 0.5, 128, 128, 255, 1);
	view_kit_free(&shot);
	shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --view uv");
	view_kit_check(&shot, 0.25, 0.25, 65, 65, 0, 3); // u goes right and v down
	view_kit_check(&shot, 0.75, 0.25, 193, 65, 0, 3);
	view_kit_check(&shot, 0.25, 0.75, 65, 193, 0, 3);
	view_kit_free(&shot);
}

static void roughness_and_the_like_are_shown_as_numbers(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_square(folder, "{\"pbrMetallicRoughness\":{\"roughnessFactor\":0.4,\"metallicFactor\":0.8}}");
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --view roughness");
	view_kit_check(&shot, 0.5, 0.5, 102, 102, 102, 1);
	view_kit_free(&shot);
	shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --view metallic");
	view_kit_check(&shot, 0.5, 0.5, 204, 204, 204, 1);
	view_kit_free(&shot);
}

/// Four texels: red, green; blue, white.
static void put_texture(scratch *folder, gltf_build *build, const char *transform)
{
	uint8_t texels[16] = { 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255 };
	const lrd_pixels pixels = { .width = 2,
		.height = 2,
		.type = LRD_PIXELS_UNORM8,
		.channels = LRD_CHANNELS_RGBA,
		.srgb = true,
		.data = texels,
		.size = sizeof texels };
	lrd_buffer png = { 0 };
	lrd_error error;
	assert_true(lrd_pixels_write_png(&pixels, &png, &error));
	view_kit_put(folder, "four.png", (lrd_bytes){ png.data, png.size });
	lrd_buffer_free(&png);
	gltf_add(build, "images", "{\"uri\":\"four.png\"}");
	gltf_add(build, "samplers", "{\"magFilter\":9728,\"minFilter\":9728}");
	gltf_add(build, "textures", "{\"source\":0,\"sampler\":0}");
	gltf_add(build, "materials",
		"{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0%s}},\"extensions\":{\"KHR_materials_unlit\":{}}}",
		transform);
}

static void images_are_upright(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", view_kit_square(&build, 0, ""));
	put_texture(folder, &build, "");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT);
	view_kit_check(&shot, 0.2, 0.2, 255, 0, 0, 3);
	view_kit_check(&shot, 0.8, 0.2, 0, 255, 0, 3);
	view_kit_check(&shot, 0.2, 0.8, 0, 0, 255, 3);
	view_kit_check(&shot, 0.8, 0.8, 255, 255, 255, 3);
	view_kit_free(&shot);
}

static void texture_transforms_turn_as_the_extension_says(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", view_kit_square(&build, 0, ""));
	// Coordinates a quarter turn counter-clockwise about the upper left corner, and one down: the image a quarter clockwise.
	put_texture(folder, &build,
		",\"extensions\":{\"KHR_texture_transform\":{\"rotation\":1.5707963267948966,\"offset\":[0,1]}}");
	view_kit_save(folder, "m.glb", &build);
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT);
	view_kit_check(&shot, 0.2, 0.2, 0, 0, 255, 3);
	view_kit_check(&shot, 0.8, 0.2, 255, 0, 0, 3);
	view_kit_check(&shot, 0.2, 0.8, 255, 255, 255, 3);
	view_kit_check(&shot, 0.8, 0.8, 0, 255, 0, 3);
	view_kit_free(&shot);
}

/// A panorama that is the same in every direction.
static void put_even_sky(scratch *folder)
{
	static float texels[64 * 32 * 4];
	for (size_t i = 0; i < sizeof texels / sizeof *texels; ++i)
	{
		texels[i] = 1.0f;
	}
	const lrd_pixels pixels = { .width = 64,
		.height = 32,
		.type = LRD_PIXELS_F32,
		.range = LRD_PIXELS_OPEN,
		.channels = LRD_CHANNELS_RGB,
		.data = texels,
		.size = sizeof texels };
	lrd_buffer exr = { 0 };
	lrd_error error;
	assert_true(lrd_pixels_write_exr(&pixels, &exr, &error));
	view_kit_put(folder, "even.exr", (lrd_bytes){ exr.data, exr.size });
	lrd_buffer_free(&exr);
}

static void white_surfaces_vanish_under_an_even_sky(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	static const char *const materials[] = {
		"\"metallicFactor\":0,\"roughnessFactor\":1",
		"\"metallicFactor\":0,\"roughnessFactor\":0.1",
		"\"metallicFactor\":1,\"roughnessFactor\":0.9",
		"\"metallicFactor\":1,\"roughnessFactor\":0.2",
	};
	put_even_sky(folder);
	for (size_t i = 0; i < sizeof materials / sizeof *materials; ++i)
	{
		char material[128];
		snprintf(material, sizeof material, "{\"pbrMetallicRoughness\":{%s}}", materials[i]);
		put_square(folder, material);
		// From the side, so that grazing light has its say.
		view_shot shot = view_kit_shoot(
			folder, "m.glb", "--camera eye:2.5,0,1.5,0,0,0 --sky even.exr --background sky --exposure -1");
		const uint8_t *around = view_kit_at(&shot, 0.02, 0.02);
		view_kit_check(&shot, 0.5, 0.5, around[0], around[1], around[2], 2);
		view_kit_free(&shot);
	}
}

static void what_is_seen_through_is_exposed_once(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_even_sky(folder);
	// Nothing is reflected at an index of 1: all that is seen is what is behind.
	put_square(folder, "{\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0},\"extensions\":{"
					   "\"KHR_materials_transmission\":{\"transmissionFactor\":1},\"KHR_materials_ior\":{\"ior\":1},"
					   "\"KHR_materials_specular\":{\"specularFactor\":0}}}");
	view_shot shot = view_kit_shoot(folder, "m.glb", VIEW_FRONT " --sky even.exr --background sky --exposure -2");
	const uint8_t *around = view_kit_at(&shot, 0.02, 0.02);
	view_kit_check(&shot, 0.5, 0.5, around[0], around[1], around[2], 2);
	view_kit_free(&shot);
}

// What is shown as it is has no tone mapping: behind glass it must not get one either, nor any exposure.
static void colours_behind_clear_glass_stay_as_they_are(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_square(folder, "{\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0},\"extensions\":{"
					   "\"KHR_materials_transmission\":{\"transmissionFactor\":1},"
					   "\"KHR_materials_specular\":{\"specularFactor\":0}}}");
	static const char *const arguments[] = { VIEW_FRONT " --background 2080f0",
		VIEW_FRONT " --background 2080f0 --exposure -2", VIEW_FRONT " --background 2080f0 --exposure 1" };
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; ++i)
	{
		view_shot shot = view_kit_shoot(folder, "m.glb", arguments[i]);
		view_kit_check(&shot, 0.5, 0.5, 0x20, 0x80, 0xf0, 2);
		view_kit_free(&shot);
	}
}

static void the_same_scene_gives_the_same_picture(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_square(folder, "{\"pbrMetallicRoughness\":{\"roughnessFactor\":0.3}}");
	view_shot first = view_kit_shoot(folder, "m.glb", "--background sky");
	view_shot second = view_kit_shoot(folder, "m.glb", "--background sky -j 1");
	assert_int_equal(view_kit_difference(&first, &second), 0);
	view_kit_free(&first);
	view_kit_free(&second);
}

static void a_turntable_goes_around(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_square(folder, "{\"extensions\":{\"KHR_materials_unlit\":{}}}");
	assert_int_equal(
		view_kit_run(folder, "m.glb",
			"--screenshot turn.png --size 32x32 -q --camera orbit:0,0,4 --background 000000 --turntable 4"),
		0);
	uint32_t covered[4];
	for (int i = 0; i < 4; ++i)
	{
		char name[32];
		snprintf(name, sizeof name, "turn-%03d.png", i);
		view_shot shot = view_kit_load(folder, name);
		covered[i] = view_kit_covered(&shot);
		view_kit_free(&shot);
	}
	assert_true(covered[0] > 100);
	assert_int_equal(covered[2], 0); // its back
	assert_true(covered[1] < covered[0] && covered[3] < covered[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unlit_colours_come_out_as_they_are, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_background_is_the_colour_that_was_asked_for, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(vertex_colours_multiply, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_mask_shows_what_is_not_below_its_cutoff, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(backs_are_shown_of_double_sided_surfaces_alone, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(mirrored_nodes_show_their_fronts, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(normals_of_mirrored_nodes_point_out, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(what_is_blended_is_drawn_from_far_to_near, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(directions_are_shown_as_colours, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(roughness_and_the_like_are_shown_as_numbers, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(images_are_upright, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(texture_transforms_turn_as_the_extension_says, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(white_surfaces_vanish_under_an_even_sky, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(what_is_seen_through_is_exposed_once, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(colours_behind_clear_glass_stay_as_they_are, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(the_same_scene_gives_the_same_picture, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_turntable_goes_around, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
