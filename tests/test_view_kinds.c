// tests/test_view_kinds.c: what is no model and no flat picture in `larder view`: meshes by themselves, layers, slices and lines of texels.

#include "fixtures/view_kit.h"
#include "larder/texture.h"
#include "larder/write.h"

#include <sys/wait.h>

#define SIDE 16u

/// What image number `i` of a level is filled with.
static void fill(uint8_t *texels, size_t count, uint32_t i)
{
	static const uint8_t colors[6][4] = { { 255, 0, 0, 255 }, { 0, 255, 0, 255 }, { 0, 0, 255, 255 },
		{ 255, 255, 0, 255 }, { 0, 255, 255, 255 }, { 255, 0, 255, 255 } };
	for (size_t t = 0; t < count; ++t)
	{
		memcpy(texels + 4 * t, colors[i % 6], 4);
	}
}

/// A texture of a tree of its own, "t" in "NAME".
static void put_view(scratch *folder, const char *name, const lrd_texture_view *view)
{
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	char path[256];
	if (!lrd_texture_write(view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_int_equal(mkdir(scratch_path(folder, name), 0777), 0);
	snprintf(path, sizeof path, "%s/t.ktx2", name);
	view_kit_put(folder, path, (lrd_bytes){ file.data, file.size });
	static const char manifest[] = "{\"assets\":[{\"file\":\"t.ktx2\"}]}";
	snprintf(path, sizeof path, "%s/larder.manifest.json", name);
	view_kit_put(folder, path, (lrd_bytes){ manifest, sizeof manifest - 1 });
	lrd_buffer_free(&file);
}

/// The same: `images` of them one after another in its one level, each of a colour.
static void put_texture(scratch *folder, const char *name, lrd_texture_view view, uint32_t images)
{
	static uint8_t texels[64 * SIDE * SIDE * 4];
	size_t each = (size_t)view.width * (view.height != 0 ? view.height : 1);
	for (uint32_t i = 0; i < images; ++i)
	{
		fill(texels + i * each * 4, each, i);
	}
	view.format = LRD_TEXTURE_RGBA8_SRGB;
	view.face_count = view.face_count != 0 ? view.face_count : 1;
	view.level_count = 1;
	view.levels[0] =
		(lrd_texture_level){ .data = texels, .size = each * images * 4, .decoded_size = each * images * 4 };
	put_view(folder, name, &view);
}

static void check_color(const view_shot *shot, double x, double y, uint32_t i)
{
	uint8_t color[4];
	fill(color, 1, i);
	view_kit_check(shot, x, y, color[0], color[1], color[2], 1);
}

static void layers_are_shown_side_by_side(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_texture(folder, "array", (lrd_texture_view){ .width = SIDE, .height = SIDE, .layer_count = 4 }, 4);
	view_shot shot = view_kit_shoot(folder, "array", "");
	for (uint32_t i = 0; i < 4; ++i)
	{
		check_color(&shot, i % 2 == 0 ? 0.25 : 0.75, i < 2 ? 0.25 : 0.75, i);
	}
	view_kit_free(&shot);
}

// What was cooked to memory is mounted twice for it, and given back as often: AddressSanitizer has an eye on that.
static void layers_of_a_source_are_shown_as_those_of_a_tree(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_texture(folder, "array", (lrd_texture_view){ .width = SIDE, .height = SIDE, .layer_count = 4 }, 4);
	assert_int_equal(rename(scratch_path(folder, "array/t.ktx2"), scratch_path(folder, "source.ktx2")), 0);
	view_shot shot = view_kit_shoot(folder, "source.ktx2", "");
	for (uint32_t i = 0; i < 4; ++i)
	{
		check_color(&shot, i % 2 == 0 ? 0.25 : 0.75, i < 2 ? 0.25 : 0.75, i);
	}
	view_kit_free(&shot);
}

static void slices_are_shown_side_by_side(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_texture(folder, "volume", (lrd_texture_view){ .width = SIDE, .height = SIDE, .depth = 9 }, 9);
	view_shot shot = view_kit_shoot(folder, "volume", "");
	for (uint32_t i = 0; i < 9; ++i)
	{
		check_color(&shot, (i % 3 + 0.5) / 3.0, (i / 3 + 0.5) / 3.0, i);
	}
	view_kit_free(&shot);
}

static void faces_of_arrays_of_cubes_are_shown_in_rows(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_texture(
		folder, "cubes", (lrd_texture_view){ .width = SIDE, .height = SIDE, .layer_count = 2, .face_count = 6 }, 12);
	view_shot shot = view_kit_shoot(folder, "cubes", "");
	for (uint32_t i = 0; i < 6; ++i) // six by two in a square picture
	{
		check_color(&shot, (i + 0.5) / 6.0, 0.5 - 1.0 / 12.0, i);
		check_color(&shot, (i + 0.5) / 6.0, 0.5 + 1.0 / 12.0, i);
	}
	view_kit_free(&shot);
}

static void lines_are_made_high_enough_to_be_seen(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_texture(folder, "line", (lrd_texture_view){ .width = 64 }, 1);
	view_shot shot = view_kit_shoot(folder, "line", "");
	check_color(&shot, 0.1, 0.49, 0);
	check_color(&shot, 0.9, 0.51, 0);
	view_kit_free(&shot);
	// An array of lines: one below the other.
	put_texture(folder, "lines", (lrd_texture_view){ .width = 64, .layer_count = 2 }, 2);
	shot = view_kit_shoot(folder, "lines", "");
	check_color(&shot, 0.5, 0.46, 0);
	check_color(&shot, 0.5, 0.54, 1);
	view_kit_free(&shot);
}

/// A level of 72 MiB is more than goes to the GPU at once.
static void large_textures_are_shown_as_a_whole(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	const uint32_t width = 8192, height = 2304;
	uint8_t *texels = malloc((size_t)width * height * 4);
	assert_non_null(texels);
	for (uint32_t y = 0; y < height; ++y)
	{
		fill(texels + (size_t)y * width * 4, width / 2, y < height / 2 ? 0 : 1);
		fill(texels + ((size_t)y * width + width / 2) * 4, width / 2, y < height / 2 ? 2 : 3);
	}
	lrd_texture_view view = { .width = width,
		.height = height,
		.face_count = 1,
		.level_count = 1,
		.format = LRD_TEXTURE_RGBA8_SRGB,
		.levels = {
			{ .data = texels, .size = (uint64_t)width * height * 4, .decoded_size = (uint64_t)width * height * 4 } } };
	put_view(folder, "large", &view);
	free(texels);
	view_shot shot = view_kit_shoot(folder, "large", "");
	check_color(&shot, 0.02, 0.4, 0);
	check_color(&shot, 0.02, 0.6, 1);
	check_color(&shot, 0.98, 0.4, 2);
	check_color(&shot, 0.98, 0.6, 3);
	view_kit_free(&shot);
}

static void meshes_by_themselves_have_the_material_of_their_model(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	char command[2048];
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"name\":\"n\",\"mesh\":%d}", view_kit_square(&build, 0, ""));
	view_kit_plain(&build, "0,1,0,1", "");
	view_kit_save(folder, "m.glb", &build);
	snprintf(command, sizeof command,
		"cd '%s' && '%s' cook -q m.glb -o tree && cp tree/m/*.lmesh . && mv *.lmesh lone.lmesh", folder->root,
		LARDER_PROGRAM);
	assert_int_equal(system(command), 0);
	view_shot shot = view_kit_shoot(folder, "tree/m/*.lmesh", VIEW_FRONT);
	view_kit_check(&shot, 0.5, 0.5, 0, 255, 0, 0);
	assert_int_equal(view_kit_covered(&shot), VIEW_SIDE * VIEW_SIDE);
	view_kit_free(&shot);
	// Without its model it is white, in a light.
	snprintf(command, sizeof command,
		"cd '%s' && mkdir alone && mv lone.lmesh alone && echo '{\"assets\":[{\"file\":\"lone.lmesh\"}]}' "
		">alone/larder.manifest.json",
		folder->root);
	assert_int_equal(system(command), 0);
	shot = view_kit_shoot(folder, "alone", VIEW_FRONT);
	assert_true(view_kit_at(&shot, 0.5, 0.5)[0] > 100);
	assert_true(abs(view_kit_at(&shot, 0.5, 0.5)[0] - view_kit_at(&shot, 0.5, 0.5)[1]) < 24);
	view_kit_free(&shot);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
	const struct CMUnitTest tests[] = {
		TEST(layers_are_shown_side_by_side),
		TEST(layers_of_a_source_are_shown_as_those_of_a_tree),
		TEST(slices_are_shown_side_by_side),
		TEST(faces_of_arrays_of_cubes_are_shown_in_rows),
		TEST(lines_are_made_high_enough_to_be_seen),
		TEST(large_textures_are_shown_as_a_whole),
		TEST(meshes_by_themselves_have_the_material_of_their_model),
	};
#undef TEST
	return cmocka_run_group_tests(tests, NULL, NULL);
}
