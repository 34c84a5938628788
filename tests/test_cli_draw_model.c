// What `larder info --picture` draws of models that were cooked: where parts stand at rest, mirrored ones, skins, materials.

#include "cli/picture_mesh.h"
#include "fixtures/gltf_build.h"
#include "larder/cook.h"
#include "larder/picture.h"
#include "os_scratch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define PIXELS 128u
#define SIDE (PIXELS * 2)

static const cli_pose rest = { 0 };

/// A square facing the front, from 0 to 1; its image upright or mirrored.
static int add_quad(gltf_build *build, bool is_mirrored, const char *more)
{
	static const float normals[12] = { 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	const float left = is_mirrored ? 1.0f : 0.0f;
	const float uv[8] = { left, 1, 1 - left, 1, 1 - left, 0, left, 0 }; // as gltf_corners goes round
	static const uint16_t indices[6] = { 0, 1, 2, 0, 2, 3 };
	int positions = gltf_corners(build, 4), directions = gltf_floats(build, normals, 4, "VEC3");
	int coordinates = gltf_floats(build, uv, 4, "VEC2");
	return gltf_add(build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TEXCOORD_0\":%d%s},\"indices\":%d,"
		"\"material\":0}]}",
		positions, directions, coordinates, more, gltf_u16(build, indices, 6));
}

static void put(scratch *folder, const char *name, const void *data, size_t size)
{
	FILE *file = fopen(scratch_path(folder, name), "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/// A model drawn as a panel.
typedef struct drawn
{
	cli_scene scene;
	cli_camera camera;
	cli_canvas canvas;
} drawn;

/// Cook, and open.
static drawn cook(scratch *folder, gltf_build *build, const char *placement)
{
	lrd_bytes file = gltf_finish(build, GLTF_FORM_BINARY);
	lrd_cook_report report;
	lrd_error error = { 0 };
	char settings[64];
	int size = snprintf(settings, sizeof settings, "{\"model\":{\"placement\":\"%s\"}}", placement);
	put(folder, "m.glb", file.data, file.size);
	put(folder, "m.glb.larder.json", settings, (size_t)size);
	const char *source = scratch_path(folder, "m.glb");
	const lrd_cook_desc desc = { .sources = &source, .source_count = 1, .output = scratch_path(folder, "cooked") };
	if (!lrd_cook_run(&desc, &report, &error) || report.failed != 0)
	{
		fail_msg("%s", error.message);
	}
	gltf_end(build);
	drawn self;
	assert_true(cli_scene_open(&self.scene, scratch_path(folder, "cooked/m.lmodel")));
	assert_true(cli_canvas_make(&self.canvas, PIXELS));
	cli_camera_frame(&self.camera, &self.scene, &rest, false);
	return self;
}

static void draw(drawn *self, cli_panel panel)
{
	cli_canvas_clear(&self->canvas, (cli_color){ 1, 2, 3 });
	if (panel == CLI_PANEL_UV)
	{
		assert_true(cli_draw_uv(&self->canvas, &self->scene));
		return;
	}
	cli_draw_scene(&self->canvas, &self->scene, &self->camera, panel, 0, &rest);
}

static void close_drawn(drawn *self)
{
	cli_canvas_free(&self->canvas);
	cli_scene_close(&self->scene);
}

static cli_color color_of(const drawn *self, double x, double y, double z)
{
	const double position[3] = { x, y, z };
	cli_corner seen;
	assert_true(cli_camera_project(&self->camera, position, SIDE, &seen));
	assert_true(seen.x >= 0 && seen.x < SIDE && seen.y >= 0 && seen.y < SIDE);
	return self->canvas.colors[(uint32_t)seen.y * SIDE + (uint32_t)seen.x];
}

static bool is_ground(cli_color color)
{
	return color.r == 1 && color.g == 2 && color.b == 3;
}

static bool is_warning(cli_color color)
{
	return color.g < 60 && color.r > color.g + 60 && color.b > color.g + 60;
}

static void parts_stand_where_their_nodes_and_those_above_put_them(void **state)
{
	static const char *const placements[] = { "merged", "separate", "editable" };
	for (size_t i = 0; i < sizeof placements / sizeof *placements; ++i)
	{
		gltf_build build;
		gltf_begin(&build);
		gltf_add(&build, "materials", "{\"name\":\"red\"}");
		int mesh = add_quad(&build, false, "");
		gltf_add(&build, "nodes", "{\"children\":[1],\"translation\":[10,0,0],\"scale\":[2,2,2]}");
		gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[1,3,0]}", mesh);
		gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[15,6,1]}", mesh);
		gltf_add(&build, "scenes", "{\"nodes\":[0,2]}");
		drawn self = cook(*state, &build, placements[i]);
		draw(&self, CLI_PANEL_NORMALS);
		assert_int_equal(color_of(&self, 13, 7, 0).b, 255); // 12..14, 6..8
		assert_int_equal(color_of(&self, 15.5, 6.5, 1).b, 255);
		assert_true(is_ground(color_of(&self, 14.6, 7.5, 0)));
		close_drawn(&self);
	}
}

static void what_a_node_mirrors_faces_the_front_however_it_is_placed(void **state)
{
	static const char *const placements[] = { "merged", "separate", "editable" };
	for (size_t i = 0; i < sizeof placements / sizeof *placements; ++i)
	{
		gltf_build build;
		gltf_begin(&build);
		gltf_add(&build, "materials", "{\"name\":\"red\"}");
		int mesh = add_quad(&build, false, "");
		gltf_add(&build, "nodes", "{\"mesh\":%d,\"scale\":[-1,1,1],\"translation\":[-0.1,0,0]}", mesh);
		gltf_add(&build, "nodes", "{\"mesh\":%d}", mesh);
		gltf_add(&build, "scenes", "{\"nodes\":[0,1]}");
		drawn self = cook(*state, &build, placements[i]);
		draw(&self, CLI_PANEL_SHADED);
		cli_color mirrored = color_of(&self, -0.6, 0.5, 0), plain = color_of(&self, 0.6, 0.5, 0);
		assert_false(is_warning(mirrored) || is_warning(plain) || is_ground(mirrored) || is_ground(plain));
		assert_int_equal(mirrored.r, plain.r);
		draw(&self, CLI_PANEL_NORMALS);
		assert_int_equal(color_of(&self, -0.6, 0.5, 0).b, 255);
		close_drawn(&self);
	}
}

static void a_skin_moves_its_part_and_the_node_does_not(void **state)
{
	static const uint8_t joints[16] = { 0 };
	static const float weights[16] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	gltf_build build;
	char more[64];
	gltf_begin(&build);
	gltf_add(&build, "materials", "{\"name\":\"red\"}");
	int of_joints = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 4, "VEC4");
	snprintf(
		more, sizeof more, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", of_joints, gltf_floats(&build, weights, 4, "VEC4"));
	int mesh = add_quad(&build, false, more);
	gltf_add(&build, "skins", "{\"joints\":[1]}");
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0,\"translation\":[100,100,100]}", mesh);
	gltf_add(&build, "nodes", "{\"translation\":[5,0,0],\"rotation\":[0,0,1,0]}"); // half a turn: to 4..5, -1..0
	gltf_add(&build, "scenes", "{\"nodes\":[0,1]}");
	drawn self = cook(*state, &build, "merged");
	assert_true(fabs(self.camera.origin[0] - 4.5) < 1e-5 && fabs(self.camera.origin[1] + 0.5) < 1e-5);
	draw(&self, CLI_PANEL_NORMALS);
	assert_int_equal(color_of(&self, 4.3, -0.4, 0).b, 255);
	close_drawn(&self);
}

static void base_colors_of_materials_are_shown(void **state)
{
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "materials",
		"{\"name\":\"red\",\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0,0,1]},"
		"\"extensions\":{\"KHR_materials_unlit\":{}}}");
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_materials_unlit\"]");
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_quad(&build, false, ""));
	drawn self = cook(*state, &build, "merged");
	draw(&self, CLI_PANEL_TEXTURED);
	cli_color color = color_of(&self, 0.5, 0.5, 0);
	assert_int_equal(color.r, 255);
	assert_int_equal(color.g, 0);
	cli_camera_frame(&self.camera, &self.scene, &rest, true);
	draw(&self, CLI_PANEL_TEXTURED);
	color = color_of(&self, 0.5, 0.5, 0); // from the back, which the material shows too
	assert_int_equal(color.r, 255);
	assert_int_equal(color.b, 0);
	close_drawn(&self);
}

/// A material whose normals lean to the right of the image and up.
static void add_leaning_material(gltf_build *build)
{
	uint8_t texels[64][4];
	for (int i = 0; i < 64; ++i)
	{
		memcpy(texels[i], (const uint8_t[]){ 204, 178, 218, 255 }, 4);
	}
	lrd_buffer png = { 0 };
	assert_true(lrd_pixels_write_png(
		&(lrd_pixels){ .width = 8, .height = 8, .channels = LRD_CHANNELS_RGB, .data = texels, .size = sizeof texels },
		&png, NULL));
	gltf_add(
		build, "images", "{\"bufferView\":%d,\"mimeType\":\"image/png\"}", gltf_view(build, png.data, png.size, 0));
	gltf_add(build, "textures", "{\"source\":0}");
	gltf_add(build, "materials", "{\"name\":\"red\",\"normalTexture\":{\"index\":0}}");
	lrd_buffer_free(&png);
}

static void mirrored_coordinates_have_mirrored_tangents_and_are_lit_from_the_other_side(void **state)
{
	int brightness[2];
	for (int m = 0; m < 2; ++m)
	{
		gltf_build build;
		gltf_begin(&build);
		add_leaning_material(&build);
		gltf_add(&build, "nodes", "{\"mesh\":%d}", add_quad(&build, m == 1, ""));
		drawn self = cook(*state, &build, "merged");
		cli_vertex vertex;
		cli_read_vertex(self.scene.parts, &rest, 0, &vertex);
		assert_true(fabsf(vertex.tangent[0] - (m == 0 ? 1.0f : -1.0f)) < 1e-3f);
		assert_true(vertex.tangent[3] == (m == 0 ? 1.0f : -1.0f));
		draw(&self, CLI_PANEL_UV);
		cli_color color = self.canvas.colors[SIDE / 2 * SIDE + SIDE / 3];
		assert_true(m == 0 ? color.b > color.r + 50 : color.r > color.b + 50); // blue or orange
		draw(&self, CLI_PANEL_TEXTURED);
		brightness[m] = color_of(&self, 0.3, 0.6, 0).r;
		close_drawn(&self);
	}
	assert_true(brightness[1] > brightness[0] + 10); // light comes from the left
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			parts_stand_where_their_nodes_and_those_above_put_them, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			what_a_node_mirrors_faces_the_front_however_it_is_placed, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_skin_moves_its_part_and_the_node_does_not, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(base_colors_of_materials_are_shown, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			mirrored_coordinates_have_mirrored_tangents_and_are_lit_from_the_other_side, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
