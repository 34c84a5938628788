// A model's scale: whatever has a length grows with it, whatever has none stays.

#include "cook_model.h"

static const lrd_model_settings tenfold = { .scale = 10.0f };

static void positions_and_bounds_grow(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[1,2,3],\"rotation\":[0,0,1,0],\"scale\":[2,2,2]}",
		add_mesh(&build, "T", -1));
	cooked model;
	cook_as(&model, &build, &tenfold);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
	check_bounds(&mesh.bounds, -10, 0, 30, 10, 20, 30);
	check_bounds(&model.model.bounds, -10, 0, 30, 10, 20, 30);
	check_near(model.model.nodes[0].translation, (const float[]){ 10, 20, 30, 0, 0, 1, 0, 2, 2, 2 }, 10);
	cooked_free(&model);
}

static void what_keeps_its_node_grows_with_it(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"children\":[1],\"matrix\":[0,2,0,0, -3,0,0,0, 0,0,4,0, 5,6,7,1]}");
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d,\"translation\":[1,0,0]}", add_mesh(&build, "T", -1));
	cooked model;
	cook_as(&model, &build, &(lrd_model_settings){ .scale = 10.0f, .placement = LRD_PLACEMENT_SEPARATE });
	lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
	check_bounds(&mesh.bounds, 0, 0, 0, 10, 10, 0);
	check_near(model.model.nodes[0].translation, (const float[]){ 50, 60, 70 }, 3);
	check_near(model.model.nodes[1].translation, (const float[]){ 10, 0, 0 }, 3);
	check_bounds(&model.model.bounds, 20, 80, 70, 50, 100, 70); // 10 times (2, 8, 7) to (5, 10, 7)
	cooked_free(&model);
}

static void instances_move_apart(void **state)
{
	(void)state;
	static const float offsets[] = { 0, 0, 0, 3, 0, 0 };
	BUILD(build);
	int translations = gltf_floats(&build, offsets, 2, "VEC3");
	gltf_member(&build, "\"extensionsUsed\":[\"EXT_mesh_gpu_instancing\"]");
	gltf_add(&build, "nodes",
		"{\"mesh\":%d,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":%d}}}}",
		add_mesh(&build, "T", -1), translations);
	cooked model;
	cook_as(&model, &build, &tenfold);
	check_bounds(&model.model.bounds, 0, 0, 0, 40, 10, 0);
	cooked_free(&model);
}

static void deltas_of_morph_targets_grow(void **state)
{
	(void)state;
	static const float deltas[] = { 0, 0, 1, 0, 0, 0, 0, 0, 0 };
	BUILD(build);
	int p = gltf_corners(&build, 3);
	int d = gltf_floats(&build, deltas, 3, "VEC3");
	gltf_add(&build, "meshes",
		"{\"name\":\"T\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"targets\":[{\"POSITION\":%d}]}]}", p, d);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_as(&model, &build, &tenfold);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
	assert_int_equal(mesh.morph_entry_count, 1);
	check_near(mesh.morph_entries[0].position, (const float[]){ 0, 0, 10 }, 3);
	cooked_free(&model);
}

static void lights_reach_farther_and_cameras_see_as_much(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "cameras",
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":0.5,\"zfar\":100,\"aspectRatio\":1.5}}");
	gltf_add(&build, "cameras",
		"{\"type\":\"orthographic\",\"orthographic\":{\"xmag\":3,\"ymag\":2,\"znear\":0.5,\"zfar\":100}}");
	gltf_add(&build, "cameras", "{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":0.5}}");
	for (int i = 0; i < 3; ++i)
	{
		gltf_add(&build, "nodes", "{\"camera\":%d,\"extensions\":{\"KHR_lights_punctual\":{\"light\":%d}}}", i,
			i == 0 ? 0 : 1);
	}
	gltf_member(&build,
		"\"extensions\":{\"KHR_lights_punctual\":{\"lights\":[{\"type\":\"point\",\"range\":7,\"intensity\":3},{"
		"\"type\":\"point\"}]}},\"extensionsUsed\":[\"KHR_lights_punctual\"]");
	cooked model;
	cook_as(&model, &build, &tenfold);
	const lrd_model_camera *cameras = model.model.cameras;
	check_near(&cameras[0].vertical, (const float[]){ 1, 1.5f, 5, 1000 }, 4);
	check_near(&cameras[1].vertical, (const float[]){ 20, 1.5f, 5, 1000 }, 4);
	check_near(&cameras[2].vertical, (const float[]){ 1, 0, 5, 0 }, 4); // no end stays no end
	assert_float_equal(model.model.lights[0].range, 70, 0);
	assert_float_equal(model.model.lights[0].intensity, 3, 0);
	assert_float_equal(model.model.lights[1].range, 0, 0);
	cooked_free(&model);
}

static void a_material_has_lengths_too(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "materials",
		"{\"name\":\"Glass\",\"extensions\":{\"KHR_materials_volume\":{\"thicknessFactor\":0.25,"
		"\"attenuationDistance\":"
		"2},\"KHR_materials_iridescence\":{\"iridescenceFactor\":1,\"iridescenceThicknessMaximum\":500}}}");
	gltf_add(&build, "extensionsUsed", "\"KHR_materials_volume\",\"KHR_materials_iridescence\"");
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "T", 0));
	cooked model;
	cook_as(&model, &build, &tenfold);
	lrd_material_view glass = cooked_material(&model, "material.Glass.lmat");
	assert_float_equal(glass.params->thickness, 2.5f, 0);
	assert_float_equal(glass.params->attenuation_distance, 20, 0);
	assert_float_equal(glass.params->iridescence_thickness_max, 500, 0); // nanometres of a film
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions_and_bounds_grow),
		cmocka_unit_test(what_keeps_its_node_grows_with_it),
		cmocka_unit_test(instances_move_apart),
		cmocka_unit_test(deltas_of_morph_targets_grow),
		cmocka_unit_test(lights_reach_farther_and_cameras_see_as_much),
		cmocka_unit_test(a_material_has_lengths_too),
	};
	return cmocka_run_group_tests_name("cook_model_scale", tests, NULL, NULL);
}
