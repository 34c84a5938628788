// What `larder info --picture` draws of meshes, sample by sample: small meshes are written, opened as the program opens
// them, and drawn. The sheet around it is in test_cli_picture_mesh.sh.

#include "cli/picture_mesh.h"
#include "fixtures/make_mesh.h"
#include "os_scratch.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define PIXELS 128u
#define SIDE (PIXELS * 2)

static const cli_color ground = { 1, 2, 3 };
static const cli_pose rest = { 0 };

/// A mesh of a few triangles.
typedef struct corner
{
	float position[3];
	float normal[3];
	float tangent[4];
	float uv[2];
	uint8_t color[4];
} corner;

typedef struct small_mesh
{
	corner corners[12];
	uint32_t corner_count;
	uint8_t triangles[8][3];
	uint32_t triangle_count;
	uint32_t flags;
} small_mesh;

static const char *put_file(scratch *folder, const char *name, const void *data, size_t size)
{
	const char *path = scratch_path(folder, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	return path;
}

static void bound(const small_mesh *mesh, lrd_bounds *bounds)
{
	const float *first = mesh->corners[0].position;
	float min[3] = { first[0], first[1], first[2] }, max[3] = { first[0], first[1], first[2] };
	double squared = 0.0;
	for (uint32_t i = 0; i < mesh->corner_count * 3; ++i)
	{
		min[i % 3] = fminf(min[i % 3], mesh->corners[i / 3].position[i % 3]);
		max[i % 3] = fmaxf(max[i % 3], mesh->corners[i / 3].position[i % 3]);
	}
	for (int i = 0; i < 3; ++i)
	{
		squared += pow(((double)max[i] - min[i]) * 0.5001, 2);
	}
	*bounds = (lrd_bounds){ { min[0], min[1], min[2] }, { max[0], max[1], max[2] },
		{ min[0] / 2 + max[0] / 2, min[1] / 2 + max[1] / 2, min[2] / 2 + max[2] / 2 },
		(float)fmin(sqrt(squared), (double)FLT_MAX) };
}

/// Where it was written.
static const char *put_mesh(scratch *folder, const char *name, const small_mesh *mesh)
{
	static const lrd_vertex_attribute attributes[] = {
		{ LRD_VERTEX_POSITION, LRD_FORMAT_F32X3, LRD_STREAM_POSITION, 0 },
		{ LRD_VERTEX_NORMAL, LRD_FORMAT_OCT_SNORM16X2, LRD_STREAM_SURFACE, 0 },
		{ LRD_VERTEX_TANGENT, LRD_FORMAT_OCT_TANGENT16X2, LRD_STREAM_SURFACE, 4 },
		{ LRD_VERTEX_UV0, LRD_FORMAT_F32X2, LRD_STREAM_SURFACE, 8 },
		{ LRD_VERTEX_COLOR, LRD_FORMAT_UNORM8X4, LRD_STREAM_SURFACE, 16 },
	};
	float positions[12][3];
	uint8_t surface[12][20];
	uint32_t vertices[12];
	for (uint32_t i = 0; i < mesh->corner_count; ++i)
	{
		const corner *at = &mesh->corners[i];
		int16_t normal[2], tangent[2];
		lrd_oct_encode((lrd_vec3){ at->normal[0], at->normal[1], at->normal[2] }, normal);
		lrd_oct_tangent_encode((lrd_vec4){ at->tangent[0], at->tangent[1], at->tangent[2], at->tangent[3] }, tangent);
		memcpy(positions[i], at->position, 12);
		memcpy(surface[i], normal, 4);
		memcpy(surface[i] + 4, tangent, 4);
		memcpy(surface[i] + 8, at->uv, 8);
		memcpy(surface[i] + 16, at->color, 4);
		vertices[i] = i;
	}
	lrd_mesh_view view = { .flags = mesh->flags,
		.vertex_count = mesh->corner_count,
		.position_scale = { 1, 1, 1 },
		.attributes = attributes,
		.attribute_count = 5,
		.streams = { { positions, 12 }, { surface, 20 } },
		.lods = &(lrd_mesh_lod){ 0, 1, mesh->triangle_count, 0.0f },
		.lod_count = 1,
		.meshlet_count = 1,
		.meshlet_vertices = vertices,
		.meshlet_vertex_count = mesh->corner_count,
		.meshlet_triangles = &mesh->triangles[0][0],
		.meshlet_triangle_count = mesh->triangle_count };
	bound(mesh, &view.bounds);
	view.meshlets = &(lrd_meshlet){ .vertex_count = mesh->corner_count,
		.triangle_count = mesh->triangle_count,
		.centre = { view.bounds.centre.x, view.bounds.centre.y, view.bounds.centre.z },
		.radius = view.bounds.radius,
		.cone_axis = { 0, 0, 1 },
		.cone_cutoff = 1.0f };
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (!lrd_mesh_write(&view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	const char *path = put_file(folder, name, file.data, file.size);
	lrd_buffer_free(&file);
	return path;
}

/// Two units a side, facing the front, its image upright.
static small_mesh make_quad(void)
{
	small_mesh mesh = { .corner_count = 4, .triangles = { { 0, 1, 2 }, { 2, 1, 3 } }, .triangle_count = 2 };
	for (int i = 0; i < 4; ++i)
	{
		float x = (float)(i & 1), y = (float)(i >> 1);
		mesh.corners[i] = (corner){ { x * 2 - 1, y * 2 - 1, 0 }, { 0, 0, 1 }, { 1, 0, 0, 1 },
			{ 0.1f + 0.8f * x, 0.9f - 0.8f * y }, { 255, 0, 0, 255 } };
	}
	return mesh;
}

/// A mesh drawn as a panel.
typedef struct drawn
{
	cli_scene scene;
	cli_camera camera;
	cli_canvas canvas;
} drawn;

static drawn draw(const char *path, cli_panel panel, bool behind)
{
	drawn self;
	assert_true(cli_scene_open(&self.scene, path));
	assert_true(cli_canvas_make(&self.canvas, PIXELS));
	cli_canvas_clear(&self.canvas, ground);
	cli_camera_frame(&self.camera, &self.scene, &rest, behind);
	if (panel == CLI_PANEL_UV)
	{
		assert_true(cli_draw_uv(&self.canvas, &self.scene));
	}
	else
	{
		cli_draw_scene(&self.canvas, &self.scene, &self.camera, panel, 0, &rest);
	}
	return self;
}

static void close_drawn(drawn *self)
{
	cli_canvas_free(&self->canvas);
	cli_scene_close(&self->scene);
}

static drawn draw_mesh(scratch *folder, const small_mesh *mesh, cli_panel panel)
{
	return draw(put_mesh(folder, "small.lmesh", mesh), panel, false);
}

static cli_color color_at(const cli_canvas *canvas, uint32_t x, uint32_t y)
{
	return canvas->colors[y * canvas->side + x];
}

/// At a point of model space.
static cli_color color_of(const drawn *self, double x, double y, double z)
{
	const double position[3] = { x, y, z };
	cli_corner seen;
	assert_true(cli_camera_project(&self->camera, position, SIDE, &seen));
	assert_true(seen.x >= 0 && seen.x < SIDE && seen.y >= 0 && seen.y < SIDE);
	return color_at(&self->canvas, (uint32_t)seen.x, (uint32_t)seen.y);
}

static bool is_warning(cli_color color)
{
	return color.g < 60 && color.r > color.g + 60 && color.b > color.g + 60;
}

static bool is_ground(cli_color color)
{
	return color.r == ground.r && color.g == ground.g && color.b == ground.b;
}

static uint32_t count_drawn(const cli_canvas *canvas)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		count += !is_ground(canvas->colors[i]);
	}
	return count;
}

static void assert_color(cli_color color, int r, int g, int b)
{
	assert_in_range(color.r + 2, (unsigned)r + 1, (unsigned)r + 3);
	assert_in_range(color.g + 2, (unsigned)g + 1, (unsigned)g + 3);
	assert_in_range(color.b + 2, (unsigned)b + 1, (unsigned)b + 3);
}

static void normals_are_their_directions_as_colors(void **state)
{
	small_mesh quad = make_quad();
	drawn self = draw_mesh(*state, &quad, CLI_PANEL_NORMALS);
	assert_color(color_of(&self, 0.5, 0.3, 0), 128, 128, 255);
	assert_true(is_ground(color_at(&self.canvas, 0, 0)));
	close_drawn(&self);
	for (int i = 0; i < 4; ++i)
	{
		quad.corners[i].normal[0] = -1.0f;
		quad.corners[i].normal[2] = 0.0f;
	}
	quad.flags = LRD_MESH_DOUBLE_SIDED; // seen from wherever such normals lead the eye
	self = draw_mesh(*state, &quad, CLI_PANEL_NORMALS);
	assert_color(color_of(&self, 0.5, 0.3, 0), 0, 128, 128);
	close_drawn(&self);
}

static void a_scene_fills_the_picture_and_stays_inside(void **state)
{
	small_mesh quad = make_quad();
	for (int turn = 0; turn < 4; ++turn)
	{
		drawn self = draw(put_mesh(*state, "quad.lmesh", &quad), CLI_PANEL_SHADED, false);
		uint32_t box[4] = { SIDE, SIDE, 0, 0 };
		for (uint32_t i = 0; i < SIDE * SIDE; ++i)
		{
			if (!is_ground(self.canvas.colors[i]))
			{
				box[0] = i % SIDE < box[0] ? i % SIDE : box[0];
				box[1] = i / SIDE < box[1] ? i / SIDE : box[1];
				box[2] = i % SIDE > box[2] ? i % SIDE : box[2];
				box[3] = i / SIDE > box[3] ? i / SIDE : box[3];
			}
		}
		uint32_t width = box[2] + 1 - box[0], height = box[3] + 1 - box[1];
		assert_in_range(width > height ? width : height, SIDE * 9 / 10, SIDE * 93 / 100);
		assert_in_range(box[0] + box[2] + 1, SIDE * 9 / 10, SIDE * 11 / 10);
		assert_in_range(box[1] + box[3] + 1, SIDE * 9 / 10, SIDE * 11 / 10);
		close_drawn(&self);
		for (int i = 0; i < 4; ++i) // longer, far away, and much larger
		{
			quad.corners[i].position[turn % 2] *= 6.0f;
			quad.corners[i].position[2] += 3000.0f;
		}
	}
}

static void a_face_that_is_wound_the_wrong_way_round_is_warned_of(void **state)
{
	small_mesh quad = make_quad();
	memcpy(quad.triangles[1], (const uint8_t[]){ 2, 3, 1 }, 3);
	drawn self = draw_mesh(*state, &quad, CLI_PANEL_SHADED);
	cli_color good = color_of(&self, -0.5, -0.5, 0), bad = color_of(&self, 0.5, 0.5, 0);
	assert_false(is_warning(good));
	assert_true(good.r > 120 && abs(good.r - good.b) < 40);
	assert_true(is_warning(bad));
	close_drawn(&self);
}

static void backs_are_warned_of_in_every_panel_of_the_surface(void **state)
{
	static const cli_panel panels[] = { CLI_PANEL_SHADED, CLI_PANEL_TEXTURED, CLI_PANEL_NORMALS, CLI_PANEL_TANGENTS,
		CLI_PANEL_COLORS, CLI_PANEL_WEIGHTS, CLI_PANEL_PARTS, CLI_PANEL_MESHLETS, CLI_PANEL_LODS, CLI_PANEL_MORPHS };
	small_mesh quad = make_quad();
	for (size_t i = 0; i < sizeof panels / sizeof *panels; ++i)
	{
		drawn self = draw(put_mesh(*state, "quad.lmesh", &quad), panels[i], true);
		assert_true(is_warning(color_of(&self, 0.2, 0.4, 0)));
		close_drawn(&self);
	}
}

static void backs_of_what_is_double_sided_are_not_warned_of(void **state)
{
	small_mesh quad = make_quad();
	quad.flags = LRD_MESH_DOUBLE_SIDED;
	drawn front = draw(put_mesh(*state, "quad.lmesh", &quad), CLI_PANEL_SHADED, false);
	drawn back = draw(put_mesh(*state, "quad.lmesh", &quad), CLI_PANEL_SHADED, true);
	assert_false(is_warning(color_of(&back, 0.2, 0.4, 0)));
	assert_true(color_of(&back, 0.2, 0.4, 0).r > 60);
	close_drawn(&front);
	close_drawn(&back);
}

static void the_eye_goes_where_normals_point(void **state)
{
	small_mesh quad = make_quad();
	for (int i = 0; i < 4; ++i)
	{
		quad.corners[i].normal[2] = -1.0f;
	}
	memcpy(quad.triangles, (const uint8_t[]){ 0, 2, 1, 2, 3, 1 }, 6);
	drawn self = draw_mesh(*state, &quad, CLI_PANEL_SHADED);
	assert_true(self.camera.back[2] < 0.0);
	assert_false(is_warning(color_of(&self, 0.2, 0.4, 0)));
	close_drawn(&self);
}

static void mirrored_tangents_are_striped(void **state)
{
	small_mesh quad = make_quad();
	drawn self = draw_mesh(*state, &quad, CLI_PANEL_TANGENTS);
	for (double x = -0.9; x < 0.9; x += 0.05)
	{
		assert_color(color_of(&self, x, 0.4, 0), 255, 128, 128);
	}
	close_drawn(&self);
	for (int i = 0; i < 4; ++i)
	{
		quad.corners[i].tangent[3] = -1.0f;
	}
	self = draw_mesh(*state, &quad, CLI_PANEL_TANGENTS);
	uint32_t dark = 0, bright = 0;
	for (double x = -0.9; x < 0.9; x += 0.05)
	{
		cli_color color = color_of(&self, x, 0.4, 0);
		dark += color.r < 100;
		bright += color.r > 250;
	}
	assert_true(dark > 5 && bright > 5);
	close_drawn(&self);
}

/// Where u, v are on a canvas that shows 0 to 1.
static cli_color color_of_uv(const drawn *self, double u, double v)
{
	double x = (u + 0.04) / 1.08 * SIDE, y = (v + 0.04) / 1.08 * SIDE;
	return color_at(&self->canvas, (uint32_t)x, (uint32_t)y);
}

static bool is_orange(cli_color c)
{
	return c.r > 180 && c.g > 100 && c.g < 180 && c.b < 100;
}

static bool is_blue(cli_color c)
{
	return c.b > 150 && c.r < 100;
}

static bool is_violet(cli_color c)
{
	return c.b > 150 && c.r > 100 && c.g < 120;
}

static bool is_red(cli_color c)
{
	return c.r > 170 && c.g < 90 && c.b < 90;
}

static void uv_that_are_mirrored_or_used_twice_have_colors_of_their_own(void **state)
{
	small_mesh quad = make_quad();
	drawn self = draw_mesh(*state, &quad, CLI_PANEL_UV);
	assert_true(is_blue(color_of_uv(&self, 0.3, 0.5)) && is_blue(color_of_uv(&self, 0.8, 0.6)));
	assert_true(is_ground(color_of_uv(&self, 0.05, 0.5)));
	assert_true(color_of_uv(&self, 0.0, 0.5).r > 180); // the frame
	close_drawn(&self);
	for (int i = 0; i < 4; ++i)
	{
		quad.corners[i].uv[0] = 1.0f - quad.corners[i].uv[0];
	}
	self = draw_mesh(*state, &quad, CLI_PANEL_UV);
	assert_true(is_orange(color_of_uv(&self, 0.3, 0.3)) && is_orange(color_of_uv(&self, 0.8, 0.7)));
	close_drawn(&self);
	memcpy(quad.triangles[2], (const uint8_t[]){ 0, 2, 1 }, 3); // over the first, from behind
	memcpy(quad.triangles[3], (const uint8_t[]){ 2, 1, 3 }, 3); // over the second
	quad.triangle_count = 4;
	self = draw_mesh(*state, &quad, CLI_PANEL_UV);
	assert_true(is_violet(color_of_uv(&self, 0.7, 0.8)));
	assert_true(is_red(color_of_uv(&self, 0.3, 0.2)));
	close_drawn(&self);
}

static void a_few_vertices_far_away_do_not_make_all_others_small(void **state)
{
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	const make_mesh_desc desc = { .quads = 16, .lods = 1 };
	lrd_mesh_view view = make_mesh(arena, &desc);
	assert_int_not_equal(view.vertex_count, 0);
	float far[2] = { 300.0f, -5e30f };
	memcpy((uint8_t *)(uintptr_t)view.streams[LRD_STREAM_SURFACE].data + 20 * 40 + 8, far, sizeof far);
	lrd_buffer file = { 0 };
	assert_true(lrd_mesh_write(&view, &file, NULL));
	const char *path = put_file(*state, "far.lmesh", file.data, file.size);
	drawn self = draw(path, CLI_PANEL_UV, false);
	assert_true(color_of_uv(&self, 0.0, 0.97).r > 180 && color_of_uv(&self, 0.97, 0.0).r > 180); // the frame
	assert_true(count_drawn(&self.canvas) > SIDE * SIDE / 2);
	close_drawn(&self);
	lrd_buffer_free(&file);
	lrd_arena_destroy(arena);
}

static void colors_of_vertices_are_shown_as_a_screen_does(void **state)
{
	small_mesh quad = make_quad();
	drawn self = draw_mesh(*state, &quad, CLI_PANEL_COLORS);
	assert_color(color_of(&self, 0.3, 0.3, 0), 255, 0, 0);
	close_drawn(&self);
	for (int i = 0; i < 4; ++i)
	{
		memcpy(quad.corners[i].color, (const uint8_t[]){ 55, 55, 0, 255 }, 4); // 0.2158 linear is 128 of sRGB
	}
	self = draw_mesh(*state, &quad, CLI_PANEL_COLORS);
	assert_color(color_of(&self, 0.3, 0.3, 0), 128, 128, 0);
	close_drawn(&self);
}

static const char *put_grid(scratch *folder, const char *name, const make_mesh_desc *desc)
{
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, desc);
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (!lrd_mesh_write(&view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	const char *path = put_file(folder, name, file.data, file.size);
	lrd_buffer_free(&file);
	lrd_arena_destroy(arena);
	return path;
}

static void quantized_positions_look_as_floats_do(void **state)
{
	make_mesh_desc desc = { .quads = 8, .lods = 1 };
	drawn exact = draw(put_grid(*state, "f32.lmesh", &desc), CLI_PANEL_NORMALS, false);
	desc.quantised = true;
	drawn quantized = draw(put_grid(*state, "unorm.lmesh", &desc), CLI_PANEL_NORMALS, false);
	uint32_t differing = 0;
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		differing += abs(exact.canvas.colors[i].r - quantized.canvas.colors[i].r) > 3;
	}
	assert_true(count_drawn(&exact.canvas) > SIDE * SIDE / 4);
	assert_true(differing < SIDE * SIDE / 500); // samples on edges
	close_drawn(&exact);
	close_drawn(&quantized);
}

static void half_floats_are_read_as_what_they_are(void **state)
{
	const make_mesh_desc desc = { .quads = 4, .lods = 1, .quantised = true };
	drawn self = draw(put_grid(*state, "half.lmesh", &desc), CLI_PANEL_UV, false);
	cli_vertex vertex;
	float most = 0.0f, least = 1.0f;
	for (uint32_t i = 0; i < self.scene.parts->mesh->vertex_count; ++i)
	{
		cli_read_vertex(self.scene.parts, &rest, i, &vertex);
		most = fmaxf(most, vertex.uv[0][0]);
		least = fminf(least, vertex.uv[0][0]);
	}
	assert_true(least == 0.5f);
	assert_true(most == 0.5f + 4.0f / 2048.0f);
	close_drawn(&self);
}

static void every_lod_is_drawn_and_the_last_of_what_has_fewer(void **state)
{
	const make_mesh_desc desc = { .quads = 16, .lods = 3 };
	const char *path = put_grid(*state, "lods.lmesh", &desc);
	drawn self = draw(path, CLI_PANEL_LODS, false);
	assert_int_equal(self.scene.lod_count, 3);
	assert_int_equal(cli_scene_sum(&self.scene, 0).triangles, 512);
	assert_int_equal(cli_scene_sum(&self.scene, 1).triangles, 128);
	assert_int_equal(cli_scene_sum(&self.scene, 2).triangles, 32);
	assert_int_equal(cli_scene_sum(&self.scene, 9).triangles, 32);
	assert_true(cli_scene_sum(&self.scene, 2).error == 0.5f);
	cli_color *first = malloc(SIDE * SIDE * sizeof *first);
	assert_non_null(first);
	memcpy(first, self.canvas.colors, SIDE * SIDE * sizeof *first);
	cli_canvas_clear(&self.canvas, ground);
	cli_draw_scene(&self.canvas, &self.scene, &self.camera, CLI_PANEL_LODS, 2, &rest);
	assert_memory_not_equal(first, self.canvas.colors, SIDE * SIDE * sizeof *first);
	assert_true(count_drawn(&self.canvas) > SIDE * SIDE / 8);
	free(first);
	close_drawn(&self);
}

/// Counts meshlets, triangles and vertices that are not finite.
typedef struct walked
{
	uint32_t meshlets, triangles, strange;
} walked;

static void walk_meshlet(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	walked *self = context;
	self->meshlets++;
	self->triangles += meshlet->triangle_count;
	assert_true(part->mesh != NULL && triangles != NULL);
	for (uint32_t v = 0; v < meshlet->vertex_count; ++v)
	{
		float sum = 0.0f;
		for (int i = 0; i < 4; ++i)
		{
			sum += vertices[v].joint_weights[i];
		}
		self->strange += fabsf(sum - 1.0f) > 1e-6f;
	}
}

static void weights_of_eight_and_sixteen_bits_sum_to_one(void **state)
{
	for (uint32_t bits = 8; bits <= 16; bits += 8)
	{
		const make_mesh_desc desc = { .quads = 8, .lods = 1, .skin_bits = bits };
		drawn self = draw(put_grid(*state, "skin.lmesh", &desc), CLI_PANEL_WEIGHTS, false);
		walked seen = { 0 };
		cli_scene_walk(&self.scene, 0, &rest, walk_meshlet, &seen);
		assert_int_equal(seen.triangles, 128);
		assert_int_equal(seen.strange, 0);
		assert_true(count_drawn(&self.canvas) > SIDE * SIDE / 8);
		close_drawn(&self);
	}
}

static void morph_targets_move_vertices_by_the_weights_at_rest_or_one_alone(void **state)
{
	const make_mesh_desc desc = { .quads = 4, .lods = 1, .morphs = 2 }; // weights 0 and 0.5
	drawn self = draw(put_grid(*state, "morph.lmesh", &desc), CLI_PANEL_MORPHS, false);
	const lrd_morph_entry *entry = &self.scene.parts->mesh->morph_entries[5];
	const cli_pose first = { true, 0 }, none = { true, 7 };
	cli_vertex plain, resting, moved;
	cli_read_vertex(self.scene.parts, &none, entry->vertex, &plain);
	cli_read_vertex(self.scene.parts, &rest, entry->vertex, &resting);
	cli_read_vertex(self.scene.parts, &first, entry->vertex, &moved);
	assert_true(fabs(moved.position[1] - plain.position[1] - (double)entry->position[1]) < 1e-9);
	assert_true(fabs(resting.position[1] - plain.position[1] - 0.5 * (double)entry->position[1]) < 1e-9);
	assert_true(entry->position[1] > 0.0f);
	close_drawn(&self);
}

static void draws_something_or_nothing_but_never_fails(scratch *folder, const small_mesh *mesh)
{
	const char *path = put_mesh(folder, "extreme.lmesh", mesh);
	for (int panel = 0; panel < CLI_PANEL_COUNT; ++panel)
	{
		drawn self = draw(path, (cli_panel)panel, panel % 2 == 1);
		assert_true(isfinite(self.camera.scale) && isfinite(self.camera.eye[2]) && self.camera.eye[2] > 0.0);
		close_drawn(&self);
	}
}

static void extreme_meshes_are_drawn(void **state)
{
	static const float scales[] = { 0.0f, 1e-44f, 1e-20f, 1e20f, 1.2e38f };
	for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s)
	{
		small_mesh mesh = make_quad();
		for (int i = 0; i < 4; ++i)
		{
			for (int axis = 0; axis < 3; ++axis)
			{
				mesh.corners[i].position[axis] *= scales[s];
			}
			mesh.corners[i].uv[0] *= scales[s] * 1e10f > 3e38f ? 3e38f : scales[s] * 1e10f;
		}
		draws_something_or_nothing_but_never_fails(*state, &mesh);
	}
	small_mesh line = make_quad();
	small_mesh point = make_quad();
	for (int i = 0; i < 4; ++i)
	{
		line.corners[i].position[0] = line.corners[i].position[1] = 0.0f;
		line.corners[i].position[2] = (float)i * 1000.0f;
		memcpy(point.corners[i].position, (const float[]){ 7, -9e9f, 1 }, 12);
	}
	draws_something_or_nothing_but_never_fails(*state, &line);
	draws_something_or_nothing_but_never_fails(*state, &point);
}

static void a_tiny_and_a_huge_mesh_look_the_same(void **state)
{
	static const float scales[] = { 1e-30f, 1e30f };
	small_mesh quad = make_quad();
	drawn plain = draw_mesh(*state, &quad, CLI_PANEL_SHADED);
	for (int s = 0; s < 2; ++s)
	{
		small_mesh scaled = make_quad();
		for (int i = 0; i < 12; ++i)
		{
			scaled.corners[i / 3].position[i % 3] *= scales[s];
		}
		drawn self = draw_mesh(*state, &scaled, CLI_PANEL_SHADED);
		uint32_t differing = 0;
		for (uint32_t i = 0; i < SIDE * SIDE; ++i)
		{
			differing += abs(plain.canvas.colors[i].r - self.canvas.colors[i].r) > 2;
		}
		assert_true(differing < 20);
		close_drawn(&self);
	}
	close_drawn(&plain);
}

static void what_is_no_mesh_is_refused(void **state)
{
	scratch *folder = *state;
	cli_scene scene;
	assert_false(cli_scene_open(&scene, put_file(folder, "bad.lmesh", "no mesh", 7)));
	cli_scene_close(&scene);
	assert_false(cli_scene_open(&scene, scratch_path(folder, "missing.lmodel")));
	cli_scene_close(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normals_are_their_directions_as_colors),
		cmocka_unit_test(a_scene_fills_the_picture_and_stays_inside),
		cmocka_unit_test(a_face_that_is_wound_the_wrong_way_round_is_warned_of),
		cmocka_unit_test(backs_are_warned_of_in_every_panel_of_the_surface),
		cmocka_unit_test(backs_of_what_is_double_sided_are_not_warned_of),
		cmocka_unit_test(the_eye_goes_where_normals_point),
		cmocka_unit_test(mirrored_tangents_are_striped),
		cmocka_unit_test(uv_that_are_mirrored_or_used_twice_have_colors_of_their_own),
		cmocka_unit_test(a_few_vertices_far_away_do_not_make_all_others_small),
		cmocka_unit_test(colors_of_vertices_are_shown_as_a_screen_does),
		cmocka_unit_test(quantized_positions_look_as_floats_do),
		cmocka_unit_test(half_floats_are_read_as_what_they_are),
		cmocka_unit_test(every_lod_is_drawn_and_the_last_of_what_has_fewer),
		cmocka_unit_test(weights_of_eight_and_sixteen_bits_sum_to_one),
		cmocka_unit_test(morph_targets_move_vertices_by_the_weights_at_rest_or_one_alone),
		cmocka_unit_test(extreme_meshes_are_drawn),
		cmocka_unit_test(a_tiny_and_a_huge_mesh_look_the_same),
		cmocka_unit_test(what_is_no_mesh_is_refused),
	};
	return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
