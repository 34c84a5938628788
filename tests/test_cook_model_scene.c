// What else a model holds: nodes, variants, lights and cameras, also of sources that stretch the rules.

#include "cook_model.h"

#include <math.h>

static void a_source_without_a_mesh_is_a_model_of_nodes(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Spawn\",\"children\":[1],\"translation\":[1,2,3]}");
	gltf_add(&build, "nodes", "{\"name\":\"Exit\",\"rotation\":[0,1,0,0],\"scale\":[2,3,4]}");
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "m.lmodel");
	assert_int_equal(model.model.node_count, 2);
	const lrd_model_node *nodes = model.model.nodes;
	check_text(&model, nodes[0].name, "Spawn");
	assert_int_equal(nodes[0].parent, -1);
	assert_int_equal(nodes[1].parent, 0);
	check_near(nodes[0].translation, (const float[]){ 1, 2, 3, 0, 0, 0, 1, 1, 1, 1 }, 10);
	check_near(nodes[1].translation, (const float[]){ 0, 0, 0, 0, 1, 0, 0, 2, 3, 4 }, 10);
	check_bounds(&model.model.bounds, 0, 0, 0, 0, 0, 0);
	check_no_cook_warnings(&model);
	cooked_free(&model);
}

static void a_source_with_nothing_in_it_is_an_empty_model(void **state)
{
	(void)state;
	BUILD(build);
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "m.lmodel");
	assert_int_equal(model.model.node_count, 0);
	assert_int_equal(model.model.part_count, 0);
	cooked_free(&model);
}

static void parents_come_before_children_whatever_the_sources_order(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"C\"}");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"children\":[0]}");
	cooked model;
	cook_build(&model, &build);
	check_text(&model, model.model.nodes[0].name, "A");
	check_text(&model, model.model.nodes[1].name, "B");
	check_text(&model, model.model.nodes[2].name, "C");
	assert_int_equal(model.model.nodes[2].parent, 1);
	cooked_free(&model);
}

static void a_matrix_is_stored_as_translation_rotation_and_scale(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"matrix\":[0,2,0,0, -3,0,0,0, 0,0,4,0, 5,6,7,1]}");
	cooked model;
	cook_build(&model, &build);
	check_near(
		model.model.nodes[0].translation, (const float[]){ 5, 6, 7, 0, 0, 0.70710678f, 0.70710678f, 2, 3, 4 }, 10);
	cooked_free(&model);
}

static void transforms_past_reason_do_not_fail_the_source(void **state)
{
	(void)state;
	static const char *const transforms[] = {
		"\"matrix\":[1e30,0,0,0, 0,1e30,0,0, 0,0,1e30,0, 0,0,0,1]",
		"\"matrix\":[1e-30,0,0,0, 0,1e-30,0,0, 0,0,1e-30,0, 0,0,0,1]",
		"\"matrix\":[0,0,0,0, 0,0,0,0, 0,0,0,0, 0,0,0,1]",
		"\"rotation\":[0,0,0,0]",
		"\"rotation\":[1e30,0,0,1e30]",
		"\"scale\":[1e30,-1e30,0]",
	};
	for (size_t i = 0; i < sizeof transforms / sizeof *transforms; ++i)
	{
		BUILD(build);
		gltf_add(&build, "nodes", "{\"name\":\"A\",%s}", transforms[i]);
		cooked model;
		cook_build(&model, &build);
		assert_int_equal(model.model.node_count, 1);
		cooked_free(&model);
	}
}

#define VARIANTS                                                                                                       \
	"\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"Summer\"},{\"name\":\"Winter\"}]}}"

/// A primitive of material 0 that takes `winter` in the second variant; in the first it stays as it is.
static int add_varied_mesh(gltf_build *build, const char *name, int winter)
{
	return gltf_add(build, "meshes",
		"{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"material\":0,\"extensions\":{"
		"\"KHR_materials_variants\":{\"mappings\":[{\"material\":%d,\"variants\":[1]}]}}}]}",
		name, gltf_corners(build, 3), winter);
}

static void variants_become_choices_of_slots_for_parts(void **state)
{
	(void)state;
	BUILD(build);
	add_material(&build, "Leaf");
	add_material(&build, "Snow");
	add_material(&build, "Ice");
	gltf_add(&build, "nodes", "{\"name\":\"Plain\",\"mesh\":%d}", add_mesh(&build, "Plain", 0));
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", add_varied_mesh(&build, "A", 1));
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d}", add_varied_mesh(&build, "B", 2));
	gltf_add(&build, "nodes", "{\"name\":\"C\",\"mesh\":%d}", add_varied_mesh(&build, "C", 2));
	gltf_member(&build, VARIANTS ",\"extensionsUsed\":[\"KHR_materials_variants\"]");
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.part_count, 3); // B and C, which go together in every variant, are merged
	assert_int_equal(model.model.variant_count, 2);
	check_text(&model, model.model.variants[0].name, "Summer");
	check_text(&model, model.model.variants[1].name, "Winter");
	assert_int_equal(model.model.variants[0].choice_count, 0);
	assert_int_equal(model.model.variants[1].choice_count, 2);
	const lrd_model_choice *choices = model.model.choices + model.model.variants[1].choice_offset;
	uint32_t a = lrd_model_find_part(&model.model, LRD_STR("A"));
	uint32_t leaf = lrd_model_find_part(&model.model, LRD_STR("Leaf"));
	assert_int_equal(choices[0].part, a);
	assert_int_equal(choices[0].slot, 1);
	assert_int_equal(choices[1].part, leaf);
	assert_int_equal(choices[1].slot, 2);
	assert_int_equal(model.model.parts[a].slot, 0);
	assert_int_equal(cooked_mesh(&model, "part.Leaf.lmesh").meshlet_triangle_count, 2);
	cooked_free(&model);
}

static void choices_skip_parts_that_came_out_empty(void **state)
{
	(void)state;
	static const float line[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0 };
	BUILD(build);
	add_material(&build, "Leaf");
	add_material(&build, "Snow");
	int positions = gltf_floats(&build, line, 3, "VEC3");
	int mesh = gltf_add(&build, "meshes",
		"{\"name\":\"Line\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"material\":1,\"extensions\":{"
		"\"KHR_materials_variants\":{\"mappings\":[{\"material\":0,\"variants\":[0,1]}]}}}]}",
		positions);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", add_varied_mesh(&build, "A", 1));
	gltf_member(&build, VARIANTS ",\"extensionsUsed\":[\"KHR_materials_variants\"]");
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.part_count, 1);
	assert_int_equal(model.model.choice_count, 1);
	assert_int_equal(model.model.choices[0].part, 0);
	assert_int_equal(model.model.choices[0].slot, 1);
	cooked_free(&model);
}

#define LIGHTS_USED "\"extensionsUsed\":[\"KHR_lights_punctual\"]"

static void put_lights(gltf_build *build, const char *lights)
{
	gltf_member(build, "\"extensions\":{\"KHR_lights_punctual\":{\"lights\":[%s]}}," LIGHTS_USED, lights);
}

static void add_lit_node(gltf_build *build, const char *name, int light)
{
	gltf_add(build, "nodes", "{\"name\":\"%s\",\"extensions\":{\"KHR_lights_punctual\":{\"light\":%d}}}", name, light);
}

static void lights_are_rows_with_their_nodes(void **state)
{
	(void)state;
	BUILD(build);
	put_lights(&build,
		"{\"name\":\"Sun\",\"type\":\"directional\",\"color\":[0.1,0.2,0.3],\"intensity\":1000},"
		"{\"name\":\"Bulb\",\"type\":\"point\",\"range\":5},"
		"{\"name\":\"Torch\",\"type\":\"spot\",\"spot\":{\"innerConeAngle\":0.25,\"outerConeAngle\":0.5}},"
		"{\"name\":\"Unplaced\",\"type\":\"point\"}");
	add_lit_node(&build, "A", 2);
	add_lit_node(&build, "B", 0);
	add_lit_node(&build, "C", 1);
	add_lit_node(&build, "D", 1);
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.light_count, 4); // in the order of the nodes; one light may stand in two places
	const lrd_model_light *lights = model.model.lights;
	check_text(&model, lights[0].name, "Torch");
	assert_int_equal(lights[0].type, LRD_LIGHT_SPOT);
	check_near(&lights[0].inner_cone, (const float[]){ 0.25f, 0.5f }, 2);
	check_text(&model, lights[1].name, "Sun");
	assert_int_equal(lights[1].type, LRD_LIGHT_DIRECTIONAL);
	check_near(lights[1].color, (const float[]){ 0.1f, 0.2f, 0.3f, 1000, 0, 0, 0 }, 7);
	check_text(&model, lights[2].name, "Bulb");
	assert_int_equal(lights[2].type, LRD_LIGHT_POINT);
	assert_float_equal(lights[2].range, 5, 0);
	assert_int_equal(lights[2].node, cooked_node(&model, "C"));
	assert_int_equal(lights[3].node, cooked_node(&model, "D"));
	cooked_free(&model);
}

static void cameras_are_rows_with_their_nodes(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "cameras",
		"{\"name\":\"Lens\",\"type\":\"perspective\",\"perspective\":{\"yfov\":0.8,\"aspectRatio\":1.5,\"znear\":0.1,"
		"\"zfar\":50}}");
	gltf_add(&build, "cameras",
		"{\"name\":\"Map\",\"type\":\"orthographic\",\"orthographic\":{\"xmag\":6,\"ymag\":2,\"znear\":0,\"zfar\":9}}");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"camera\":1}");
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"camera\":0}");
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.camera_count, 2);
	const lrd_model_camera *cameras = model.model.cameras;
	check_text(&model, cameras[0].name, "Map");
	assert_int_equal(cameras[0].type, LRD_CAMERA_ORTHOGRAPHIC);
	check_near(&cameras[0].vertical, (const float[]){ 2, 3, 0, 9 }, 4);
	check_text(&model, cameras[1].name, "Lens");
	assert_int_equal(cameras[1].node, cooked_node(&model, "B"));
	check_near(&cameras[1].vertical, (const float[]){ 0.8f, 1.5f, 0.1f, 50 }, 4);
	cooked_free(&model);
}

static void lights_past_their_ranges_do_not_fail_the_source(void **state)
{
	(void)state;
	static const char *const lights[] = {
		"{\"type\":\"point\",\"intensity\":-1}",
		"{\"type\":\"point\",\"intensity\":3e38}",
		"{\"type\":\"point\",\"range\":0}",
		"{\"type\":\"point\",\"range\":-5}",
		"{\"type\":\"point\",\"color\":[-1,2,1e30]}",
		"{\"type\":\"spot\",\"spot\":{\"innerConeAngle\":1,\"outerConeAngle\":0.5}}",
		"{\"type\":\"spot\",\"spot\":{\"innerConeAngle\":1}}",
		"{\"type\":\"spot\",\"spot\":{\"innerConeAngle\":-1,\"outerConeAngle\":0}}",
		"{\"type\":\"spot\",\"spot\":{\"outerConeAngle\":3}}",
		"{\"type\":\"spot\",\"spot\":{\"outerConeAngle\":1.5707964}}",
		"{\"type\":\"spot\"}",
		"{\"type\":\"area\"}",
		"{\"type\":\"directional\",\"spot\":{\"innerConeAngle\":7}}",
	};
	for (size_t i = 0; i < sizeof lights / sizeof *lights; ++i)
	{
		BUILD(build);
		put_lights(&build, lights[i]);
		add_lit_node(&build, "A", 0);
		cooked model;
		cook_build(&model, &build);
		assert_int_equal(model.model.light_count, 1);
		cooked_free(&model);
	}
}

static void cameras_past_their_ranges_do_not_fail_the_source(void **state)
{
	(void)state;
	static const char *const cameras[] = {
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":4,\"znear\":0.1}}",
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":3.14159265,\"znear\":0.1}}",
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":-1,\"znear\":0.1}}",
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":0}}",
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":1e-50}}",
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":5,\"zfar\":1}}",
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":1,\"aspectRatio\":-2}}",
		"{\"type\":\"perspective\"}",
		"{\"type\":\"orthographic\",\"orthographic\":{\"xmag\":0,\"ymag\":0,\"znear\":-1,\"zfar\":-2}}",
		"{\"type\":\"orthographic\",\"orthographic\":{\"xmag\":1e38,\"ymag\":1e-38,\"znear\":0,\"zfar\":0}}",
		"{\"type\":\"orthographic\",\"orthographic\":{\"xmag\":-3,\"ymag\":-2,\"znear\":0,\"zfar\":1}}",
		"{\"type\":\"fisheye\"}",
	};
	for (size_t i = 0; i < sizeof cameras / sizeof *cameras; ++i)
	{
		BUILD(build);
		gltf_add(&build, "cameras", "%s", cameras[i]);
		gltf_add(&build, "nodes", "{\"name\":\"A\",\"camera\":0}");
		cooked model;
		cook_build(&model, &build);
		assert_int_equal(model.model.camera_count, 1);
		cooked_free(&model);
	}
}

static void what_the_scene_does_not_show_has_no_light(void **state)
{
	(void)state;
	BUILD(build);
	put_lights(&build, "{\"type\":\"point\"}");
	add_lit_node(&build, "Shown", 0);
	add_lit_node(&build, "Hidden", 0);
	gltf_add(&build, "scenes", "{\"nodes\":[0]}");
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.light_count, 1);
	assert_int_equal(model.model.lights[0].node, cooked_node(&model, "Shown"));
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_source_without_a_mesh_is_a_model_of_nodes),
		cmocka_unit_test(a_source_with_nothing_in_it_is_an_empty_model),
		cmocka_unit_test(parents_come_before_children_whatever_the_sources_order),
		cmocka_unit_test(a_matrix_is_stored_as_translation_rotation_and_scale),
		cmocka_unit_test(transforms_past_reason_do_not_fail_the_source),
		cmocka_unit_test(variants_become_choices_of_slots_for_parts),
		cmocka_unit_test(choices_skip_parts_that_came_out_empty),
		cmocka_unit_test(lights_are_rows_with_their_nodes),
		cmocka_unit_test(cameras_are_rows_with_their_nodes),
		cmocka_unit_test(lights_past_their_ranges_do_not_fail_the_source),
		cmocka_unit_test(cameras_past_their_ranges_do_not_fail_the_source),
		cmocka_unit_test(what_the_scene_does_not_show_has_no_light),
	};
	return cmocka_run_group_tests_name("cook_model_scene", tests, NULL, NULL);
}
