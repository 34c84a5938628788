// Quantised parts: how far positions and texture coordinates move, what stays as it was, and what is told of it.

#include "fixtures/cook_grid.h"

static void cook_grid(cooked *model, const grid_desc *grid, float error)
{
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_grid(&build, grid));
	cook_as(model, &build, &(lrd_model_settings){ .quantize = { .on = true, .error = error } });
}

static uint8_t format_of(const lrd_mesh_view *mesh, lrd_vertex_semantic semantic)
{
	return lrd_mesh_attribute(mesh, semantic)->format;
}

/// How far the vertices of a mesh are from the grid's own at most. Both are at most half a cell from where they were.
static float farthest(const lrd_mesh_view *mesh, const grid_arrays *grid)
{
	float largest = 0.0f;
	for (uint32_t v = 0; v < mesh->vertex_count; ++v)
	{
		lrd_vec3 p = vertex_position(mesh, v);
		float least = INFINITY;
		for (uint32_t i = 0; i < grid->vertex_count; ++i)
		{
			const float *q = grid->positions + (size_t)3 * i;
			float distance = (p.x - q[0]) * (p.x - q[0]) + (p.y - q[1]) * (p.y - q[1]) + (p.z - q[2]) * (p.z - q[2]);
			least = fminf(least, distance);
		}
		largest = fmaxf(largest, sqrtf(least));
	}
	return largest;
}

static void positions_move_no_farther_than_the_report_says_and_the_setting_allows(void **state)
{
	(void)state;
	static const float errors[] = { 0.0f, 1.0f / 1024.0f, 1.0f / 65536.0f };
	grid_arrays grid;
	grid_make(&grid, 20, 7.0f, 0);
	for (size_t i = 0; i < 3; ++i)
	{
		cooked model;
		cook_grid(&model, &(grid_desc){ .name = "G", .cells = 20, .size = 7.0f }, errors[i]);
		lrd_mesh_view mesh = cooked_mesh(&model, "part.G.lmesh");
		const lrd_mesh_report *report = cooked_report(&model, "part.G.lmesh");
		float allowed = (errors[i] != 0.0f ? errors[i] : LRD_QUANTIZE_ERROR) * 7.0f;
		assert_int_equal(format_of(&mesh, LRD_VERTEX_POSITION), LRD_FORMAT_UNORM16X4);
		assert_true(report->quantized_bits >= 9 && report->quantized_bits <= 16);
		assert_true(report->position_error <= allowed * sqrtf(3.0f)); // of a coordinate, and there are three
		float found = farthest(&mesh, &grid);
		assert_true(found <= report->position_error * 1.0001f && found >= report->position_error * 0.99f);
		assert_int_equal(mesh.vertex_count, grid.vertex_count);
		check_no_cook_warnings(&model);
		cooked_free(&model);
	}
	grid_free(&grid);
}

static void bounds_are_of_the_positions_that_a_reader_decodes(void **state)
{
	(void)state;
	cooked model;
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = 20, .size = 7.0f }, 1.0f / 512.0f);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.G.lmesh");
	lrd_vec3 low = { INFINITY, INFINITY, INFINITY };
	lrd_vec3 high = { -INFINITY, -INFINITY, -INFINITY };
	for (uint32_t v = 0; v < mesh.vertex_count; ++v)
	{
		lrd_vec3 p = vertex_position(&mesh, v);
		low = (lrd_vec3){ fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z) };
		high = (lrd_vec3){ fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z) };
	}
	check_bounds(&mesh.bounds, low.x, low.y, low.z, high.x, high.y, high.z);
	check_bounds(&model.model.bounds, low.x, low.y, low.z, high.x, high.y, high.z);
	cooked_free(&model);
}

static void an_error_that_16_bits_cannot_keep_leaves_positions_as_they_are_and_is_told(void **state)
{
	(void)state;
	cooked model;
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = 20 }, 1e-6f);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.G.lmesh");
	const lrd_mesh_report *report = cooked_report(&model, "part.G.lmesh");
	assert_int_equal(format_of(&mesh, LRD_VERTEX_POSITION), LRD_FORMAT_F32X3);
	assert_int_equal(report->quantized_bits, 0);
	assert_float_equal(report->position_error, 0.0f, 0.0f);
	assert_true(report->uv_quantized); // its bound is another
	check_cook_warning(&model, "not-quantized", "m/part.G: 16 bits do not hold its positions");
	cooked_free(&model);
}

static void where_one_cluster_cannot_be_quantised_none_is(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_grid(&build, &(grid_desc){ .name = "G", .cells = 40 }));
	cooked model;
	cook_as(&model, &build,
		&(lrd_model_settings){
			.clusters = { .target_triangles = 500 }, .quantize = { .on = true, .error = 1.0f / 65536.0f / 4.0f } });
	lrd_mesh_view mesh;
	for (uint32_t i = 0; i < 8; ++i)
	{
		assert_true(nth_mesh(&model, i, &mesh));
		assert_int_equal(format_of(&mesh, LRD_VERTEX_POSITION), LRD_FORMAT_F32X3);
	}
	assert_int_equal(count_warnings(&model, "not-quantized"), 1);
	cooked_free(&model);
}

static void texture_coordinates_that_half_floats_would_move_too_far_stay(void **state)
{
	(void)state;
	static const float tiled[] = { 0, 0, 30.3f, 0, 30.3f, 20.7f };
	static const float plain[] = { 0, 0, 0.3f, 0, 0.3f, 0.7f };
	for (int i = 0; i < 2; ++i)
	{
		BUILD(build);
		int p = gltf_corners(&build, 3);
		int t = gltf_floats(&build, i == 0 ? plain : tiled, 3, "VEC2");
		gltf_add(&build, "meshes",
			"{\"name\":\"T\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d}}]}", p, t);
		gltf_add(&build, "nodes", "{\"mesh\":0}");
		cooked model;
		cook_as(&model, &build, &(lrd_model_settings){ .quantize = { .on = true } });
		lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
		const lrd_mesh_report *report = cooked_report(&model, "part.T.lmesh");
		assert_int_equal(format_of(&mesh, LRD_VERTEX_POSITION), LRD_FORMAT_UNORM16X4);
		assert_int_equal(format_of(&mesh, LRD_VERTEX_UV0), i == 0 ? LRD_FORMAT_F16X2 : LRD_FORMAT_F32X2);
		assert_int_equal(report->uv_quantized, i == 0);
		assert_true(report->uv_error <= 1.0f / 4096.0f);
		cooked_free(&model);
	}
}

static void triangles_that_are_smaller_than_the_grid_go_and_are_told(void **state)
{
	(void)state;
	static const float corners[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0.3f, 0.3f, 0, 0.3001f, 0.3f, 0, 0.3f, 0.3001f, 0 };
	static const uint16_t indices[] = { 0, 1, 2, 3, 4, 5 };
	BUILD(build);
	int p = gltf_floats(&build, corners, 6, "VEC3");
	gltf_add(&build, "meshes", "{\"name\":\"T\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}", p,
		gltf_u16(&build, indices, 6));
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_as(&model, &build, &(lrd_model_settings){ .quantize = { .on = true, .error = 0.01f } });
	lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
	assert_int_equal(mesh.lods[0].triangle_count, 1);
	assert_int_equal(mesh.vertex_count, 3);
	assert_int_equal(cooked_report(&model, "part.T.lmesh")->degenerate, 1);
	check_cook_warning(&model, "quantized-away", "m/part.T: 1 triangles");
	assert_int_equal(count_warnings(&model, "degenerate-triangles"), 0);
	cooked_free(&model);
}

static void a_part_that_is_a_point_on_the_grid_is_left_out(void **state)
{
	(void)state;
	static const float specks[] = { 0, 0, 0, 0.001f, 0, 0, 0, 0.001f, 0, 9, 9, 9, 9.001f, 9, 9, 9, 9.001f, 9 };
	BUILD(build);
	int p = gltf_floats(&build, specks, 6, "VEC3");
	gltf_add(&build, "meshes", "{\"name\":\"T\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", p);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_as(&model, &build, &(lrd_model_settings){ .quantize = { .on = true, .error = 0.01f } });
	check_files(&model, "m.lmodel");
	check_cook_warning(&model, "empty-part", "m/part.T");
	check_cook_warning(&model, "quantized-away", "2 triangles");
	cooked_free(&model);
}

static void skins_and_morph_targets_go_on_top_of_the_grid(void **state)
{
	(void)state;
	static const float weights[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const float deltas[] = { 0, 0, 0.123456789f, 0, 0, 0, 0, 0, 0 };
	static const uint8_t joints[12];
	BUILD(build);
	int p = gltf_corners(&build, 3);
	int w = gltf_floats(&build, weights, 3, "VEC4");
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	gltf_add(&build, "meshes",
		"{\"name\":\"S\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},"
		"\"targets\":[{"
		"\"POSITION\":%d}]}]}",
		p, j, w, gltf_floats(&build, deltas, 3, "VEC3"));
	gltf_add(&build, "nodes", "{\"name\":\"Bone\",\"translation\":[5,0,0]}");
	gltf_add(&build, "nodes", "{\"mesh\":0,\"skin\":0}");
	gltf_add(&build, "skins", "{\"joints\":[0]}");
	cooked model;
	cook_as(&model, &build, &(lrd_model_settings){ .quantize = { .on = true } });
	lrd_mesh_view mesh = cooked_mesh(&model, "part.S.lmesh");
	assert_int_equal(format_of(&mesh, LRD_VERTEX_POSITION), LRD_FORMAT_UNORM16X4);
	assert_float_equal(mesh.morph_entries[0].position[2], deltas[2], 0.0f);
	check_bounds(&mesh.bounds, 0, 0, 0, 1, 1, 0);
	check_bounds(&model.model.bounds, 5, 0, 0, 6, 1, 0);
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions_move_no_farther_than_the_report_says_and_the_setting_allows),
		cmocka_unit_test(bounds_are_of_the_positions_that_a_reader_decodes),
		cmocka_unit_test(an_error_that_16_bits_cannot_keep_leaves_positions_as_they_are_and_is_told),
		cmocka_unit_test(where_one_cluster_cannot_be_quantised_none_is),
		cmocka_unit_test(texture_coordinates_that_half_floats_would_move_too_far_stay),
		cmocka_unit_test(triangles_that_are_smaller_than_the_grid_go_and_are_told),
		cmocka_unit_test(a_part_that_is_a_point_on_the_grid_is_left_out),
		cmocka_unit_test(skins_and_morph_targets_go_on_top_of_the_grid),
	};
	return cmocka_run_group_tests_name("cook_model_quantized", tests, NULL, NULL);
}
