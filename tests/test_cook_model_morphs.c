// Morph targets: names, weights by node, and the entries of the vertices that move.

#include "cook_model.h"

/// Which deltas a target has: a corner of the triangle, or none.
typedef struct target_build
{
	int corner; ///< negative: nothing moves
	lrd_vec3 position;
	bool has_normal;
	lrd_vec3 normal;
} target_build;

static void put_at(float values[9], int corner, lrd_vec3 delta)
{
	if (corner >= 0)
	{
		memcpy(values + 3 * corner, &delta, sizeof delta);
	}
}

/// A primitive of the triangle, facing +Z, with targets.
static void print_primitive(gltf_build *build, const target_build *targets, int count, char *text, size_t size)
{
	static const float normals[] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	int p = gltf_corners(build, 3);
	int n = gltf_floats(build, normals, 3, "VEC3");
	size_t used = (size_t)snprintf(text, size, "{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"targets\":[", p, n);
	for (int i = 0; i < count; ++i)
	{
		float positions[9] = { 0 };
		float turned[9] = { 0 };
		put_at(positions, targets[i].corner, targets[i].position);
		put_at(turned, targets[i].corner, targets[i].normal);
		used += (size_t)snprintf(text + used, size - used, "%s{\"POSITION\":%d", i != 0 ? "," : "",
			gltf_floats(build, positions, 3, "VEC3"));
		if (targets[i].has_normal)
		{
			used += (size_t)snprintf(text + used, size - used, ",\"NORMAL\":%d", gltf_floats(build, turned, 3, "VEC3"));
		}
		used += (size_t)snprintf(text + used, size - used, "}");
	}
	snprintf(text + used, size - used, "]}");
}

static int add_morphed(gltf_build *build, const char *members, const target_build *targets, int count)
{
	char primitive[1024];
	print_primitive(build, targets, count, primitive, sizeof primitive);
	return gltf_add(build, "meshes", "{%s,\"primitives\":[%s]}", members, primitive);
}

static const target_build two_targets[] = {
	{ 1, { 0, 0, 2 }, false, { 0, 0, 0 } },
	{ 2, { 0, 3, 0 }, false, { 0, 0, 0 } },
};

static void targets_keep_their_names_and_default_weights(void **state)
{
	(void)state;
	BUILD(build);
	add_morphed(&build, "\"name\":\"Face\",\"weights\":[0.25,0.75],\"extras\":{\"targetNames\":[\"Smile\",\"Blink\"]}",
		two_targets, 2);
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":0}");
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Face.lmesh");
	assert_int_equal(mesh.flags, LRD_MESH_MORPHED);
	assert_int_equal(mesh.morph_count, 2);
	check_string(lrd_mesh_morph_name(&mesh, 0), "Smile");
	check_string(lrd_mesh_morph_name(&mesh, 1), "Blink");
	assert_float_equal(mesh.morphs[0].default_weight, 0.25f, 0);
	assert_float_equal(mesh.morphs[1].default_weight, 0.75f, 0);
	const lrd_model_part *part = cooked_part(&model, "Fox");
	assert_int_equal(part->weight_count, 2);
	check_near(model.model.weights + part->weights_offset, (const float[]){ 0.25f, 0.75f }, 2);
	cooked_free(&model);
}

static void only_vertices_that_move_are_stored(void **state)
{
	(void)state;
	static const target_build targets[] = {
		{ 1, { 0, 0, 2 }, false, { 0, 0, 0 } },
		{ -1, { 0, 0, 0 }, false, { 0, 0, 0 } },
	};
	BUILD(build);
	add_morphed(&build, "\"name\":\"Face\"", targets, 2);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Face.lmesh");
	assert_int_equal(mesh.morph_entry_count, 1);
	assert_int_equal(mesh.morphs[0].entry_count, 1);
	assert_int_equal(mesh.morphs[1].entry_count, 0);
	assert_int_equal(mesh.morph_entries[0].vertex, vertex_at(&mesh, 1, 0, 0));
	check_near(mesh.morph_entries[0].position, (const float[]){ 0, 0, 2 }, 3);
	cooked_free(&model);
}

static void a_normal_that_turns_right_around_is_not_clipped(void **state)
{
	(void)state;
	static const target_build target = { 1, { 0, 0, 0 }, true, { 0, 0, -2 } };
	BUILD(build);
	add_morphed(&build, "\"name\":\"Face\"", &target, 1);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Face.lmesh");
	assert_int_equal(mesh.morph_entry_count, 1);
	assert_int_equal(mesh.morph_entries[0].normal[2], -32767); // half of it
	cooked_free(&model);
}

static void a_delta_longer_than_any_turn_is_shortened_and_counted(void **state)
{
	(void)state;
	const target_build target = { 1, { 0, 0, 1 }, true, { 0, 0, -8 } };
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_morphed(&build, "\"name\":\"T\"", &target, 1));
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
	assert_int_equal(mesh.morph_entry_count, 1);
	assert_int_equal(mesh.morph_entries[0].normal[2], -32767);
	check_cook_warning(&model, "deltas-shortened", "m/part.T: 1 deltas");
	cooked_free(&model);
}

static void nodes_that_share_a_morphed_mesh_have_weights_of_their_own(void **state)
{
	(void)state;
	BUILD(build);
	add_morphed(&build, "\"name\":\"Face\",\"weights\":[0.25,0.75]", two_targets, 2);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":0,\"weights\":[1,0]}");
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":0,\"translation\":[5,0,0]}");
	gltf_add(&build, "nodes", "{\"name\":\"C\",\"mesh\":0,\"weights\":[0,1]}");
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Face.lmesh m.lmodel");
	static const float expected[3][2] = { { 1, 0 }, { 0.25f, 0.75f }, { 0, 1 } };
	static const char *const names[] = { "A", "B", "C" };
	for (uint32_t i = 0; i < 3; ++i)
	{
		const lrd_model_part *part = cooked_part(&model, names[i]);
		check_text(&model, part->mesh, "m/part.Face");
		assert_int_equal(part->node, cooked_node(&model, names[i])); // not baked: targets stay in the mesh's space
		check_near(model.model.weights + part->weights_offset, expected[i], 2);
	}
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Face.lmesh");
	check_bounds(&mesh.bounds, 0, 0, 0, 1, 1, 0);        // at rest
	check_bounds(&model.model.bounds, 0, 0, 0, 6, 4, 2); // with each one's weights
	cooked_free(&model);
}

static void bounds_hold_whatever_weights_a_model_places(void **state)
{
	(void)state;
	BUILD(build);
	add_morphed(&build, "\"name\":\"Face\"", two_targets, 2);
	for (int i = 0; i <= 12; ++i)
	{
		gltf_add(&build, "nodes", "{\"mesh\":0,\"weights\":[%g,%g]}", 0.1 * i, -0.05 * i);
	}
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.part_count, 13);
	check_bounds(&model.model.bounds, 0, -0.8f, 0, 1, 1, 2.4f);
	cooked_free(&model);
}

static void weights_that_reach_beyond_floats_are_refused(void **state)
{
	(void)state;
	static const target_build far = { 1, { 0, 0, 1e30f }, false, { 0, 0, 0 } };
	BUILD(build);
	add_morphed(&build, "\"name\":\"Face\",\"weights\":[1e30]", &far, 1);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	lrd_error error = { 0 };
	lrd_settings settings = { 0 };
	lrd_recipe_desc desc = {
		.root = "no-such-folder", .source = LRD_STR("m.glb"), .stem = LRD_STR("m"), .settings = &settings
	};
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	assert_non_null(recipe);
	lrd_buffer out = { 0 };
	assert_false(lrd_recipe_make(recipe, 0, &out, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	assert_non_null(strstr(error.message, "m/part.Face.lmesh: its morph targets move it farther than floats can tell"));
	lrd_buffer_free(&out);
	lrd_recipe_destroy(recipe);
	lrd_document_free(document);
}

static void each_primitive_of_a_morphed_mesh_is_a_part(void **state)
{
	(void)state;
	char primitives[2][1024];
	BUILD(build);
	print_primitive(&build, two_targets, 2, primitives[0], sizeof primitives[0]);
	print_primitive(&build, two_targets, 2, primitives[1], sizeof primitives[1]);
	gltf_add(&build, "meshes", "{\"name\":\"Face\",\"weights\":[0.5,0],\"primitives\":[%s,%s]}", primitives[0],
		primitives[1]);
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":0}");
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Face.default.lmesh part.Face.default.2.lmesh m.lmodel");
	assert_int_equal(model.model.part_count, 2);
	assert_int_equal(model.model.weight_count, 4);
	assert_int_equal(model.model.parts[1].weights_offset, 2);
	cooked_free(&model);
}

static void targets_without_names_have_empty_ones(void **state)
{
	(void)state;
	BUILD(build);
	add_morphed(&build, "\"name\":\"Face\"", two_targets, 2);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Face.lmesh");
	check_string(lrd_mesh_morph_name(&mesh, 1), "");
	assert_float_equal(mesh.morphs[1].default_weight, 0, 0);
	cooked_free(&model);
}

static void a_mesh_may_be_skinned_and_morphed(void **state)
{
	(void)state;
	static const float deltas[] = { 0, 0, 1, 0, 0, 0, 0, 0, 0 };
	static const float bound[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const uint8_t joints[12];
	BUILD(build);
	int p = gltf_corners(&build, 3);
	int d = gltf_floats(&build, deltas, 3, "VEC3");
	int w = gltf_floats(&build, bound, 3, "VEC4");
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	gltf_add(&build, "meshes",
		"{\"name\":\"Face\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},"
		"\"targets\":[{\"POSITION\":%d}]}]}",
		p, j, w, d);
	gltf_add(&build, "nodes", "{\"name\":\"Bone\",\"translation\":[0,0,3]}");
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":0,\"skin\":0,\"weights\":[0.5]}");
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0]}");
	cooked model;
	cook_build(&model, &build);
	const lrd_model_part *part = cooked_part(&model, "Fox");
	assert_int_equal(part->flags, LRD_PART_SKINNED);
	assert_int_equal(part->node, cooked_node(&model, "Fox")); // by which clips find its weights
	assert_float_equal(model.model.weights[part->weights_offset], 0.5f, 0);
	assert_int_equal(cooked_mesh(&model, "part.Face.lmesh").flags, LRD_MESH_SKINNED | LRD_MESH_MORPHED);
	check_bounds(&model.model.bounds, 0, 0, 3, 1, 1, 3.5f);
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_keep_their_names_and_default_weights),
		cmocka_unit_test(only_vertices_that_move_are_stored),
		cmocka_unit_test(a_normal_that_turns_right_around_is_not_clipped),
		cmocka_unit_test(a_delta_longer_than_any_turn_is_shortened_and_counted),
		cmocka_unit_test(nodes_that_share_a_morphed_mesh_have_weights_of_their_own),
		cmocka_unit_test(bounds_hold_whatever_weights_a_model_places),
		cmocka_unit_test(weights_that_reach_beyond_floats_are_refused),
		cmocka_unit_test(each_primitive_of_a_morphed_mesh_is_a_part),
		cmocka_unit_test(targets_without_names_have_empty_ones),
		cmocka_unit_test(a_mesh_may_be_skinned_and_morphed),
	};
	return cmocka_run_group_tests_name("cook_model_morphs", tests, NULL, NULL);
}
