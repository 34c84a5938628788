// A model with something of everything: cooked in any order it gives the same bytes, and any allocation of it may fail.

#include "cook_model.h"

#include "failing_allocator.h"

#include <stdarg.h>

static void add_surface(gltf_build *build)
{
	static const uint8_t broken[] = "\x89PNG\r\n\x1a\nbut no more than that";
	static const uint8_t tga[22] = { 0, 0, 2, [12] = 1, [14] = 1, [16] = 32, [17] = 0x28, [18] = 9, 9, 9, 99 };
	gltf_add(build, "images", "{\"name\":\"Bad\",\"bufferView\":%d}", gltf_view(build, broken, sizeof broken, 0));
	gltf_add(build, "images", "{\"bufferView\":%d}", gltf_view(build, tga, sizeof tga, 0));
	gltf_add(build, "textures", "{\"source\":0}");
	gltf_add(build, "textures", "{\"source\":1}");
	gltf_add(build, "materials",
		"{\"name\":\"M\",\"alphaMode\":\"MASK\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":1},"
		"\"metallicRoughnessTexture\":{\"index\":1}},\"normalTexture\":{\"index\":1},\"emissiveTexture\":{\"index\":0}"
		"}");
	gltf_add(build, "materials", "{}");
}

static void add_meshes(gltf_build *build)
{
	static const float uv[] = { 0, 0, 1, 0, 0, 1 };
	static const float weights[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const uint8_t joints[12];
	static const float deltas[] = { 0, 0, 1, 0, 0, 0, 0, 0, 0 };
	static const float line[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0 };
	int p = gltf_corners(build, 3);
	int t = gltf_floats(build, uv, 3, "VEC2");
	int w = gltf_floats(build, weights, 3, "VEC4");
	int j = gltf_accessor(build, gltf_view(build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	int d = gltf_floats(build, deltas, 3, "VEC3");
	int l = gltf_floats(build, line, 3, "VEC3");
	gltf_add(build, "meshes",
		"{\"name\":\"Skin\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},"
		"\"material\":0}]}",
		p, j, w);
	gltf_add(build, "meshes",
		"{\"name\":\"Morph\",\"extras\":{\"targetNames\":[\"Smile\"]},\"primitives\":[{\"attributes\":{\"POSITION\":%d,"
		"\"TEXCOORD_0\":%d},\"material\":0,\"targets\":[{\"POSITION\":%d}]}]}",
		p, t, d);
	gltf_add(build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d},\"material\":0,\"extensions\":{"
		"\"KHR_materials_variants\":{\"mappings\":[{\"material\":1,\"variants\":[0]}]}}},{\"attributes\":{\"POSITION\":"
		"%d},\"material\":1}]}",
		p, t, p);
	gltf_add(build, "meshes", "{\"name\":\"Line\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", l);
}

static void add_nodes(gltf_build *build)
{
	static const float offsets[24] = { 1, 2, 3, 4, 5, 6 };
	static const float binds[16] = { [0] = 1, [5] = 1, [10] = 1, [14] = 2, [15] = 1 };
	int translations = gltf_floats(build, offsets, 8, "VEC3");
	gltf_add(build, "nodes", "{\"name\":\"Bone\",\"children\":[1],\"scale\":[-1,1,1]}");
	gltf_add(build, "nodes", "{\"name\":\"Morph\",\"mesh\":1,\"weights\":[0.5]}");
	gltf_add(build, "nodes", "{\"mesh\":0,\"skin\":0,\"camera\":0}");
	gltf_add(build, "nodes", "{\"mesh\":0,\"skin\":1}");
	gltf_add(build, "nodes", "{\"mesh\":2,\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}}");
	gltf_add(build, "nodes", "{\"mesh\":2,\"translation\":[1,0,0]}");
	gltf_add(build, "nodes", "{\"mesh\":3}");
	gltf_add(build, "nodes",
		"{\"mesh\":2,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":%d}}}}",
		translations);
	gltf_add(build, "skins", "{\"name\":\"Rig\",\"joints\":[0]}");
	gltf_add(build, "skins", "{\"name\":\"Rig\",\"joints\":[0],\"inverseBindMatrices\":%d}",
		gltf_floats(build, binds, 1, "MAT4"));
	gltf_add(build, "cameras", "{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":1}}");
	add_translation_clip(build, "Move", 0);
	add_translation_clip(build, "Move", 1);
	gltf_add(build, "animations", "{\"name\":\"None\",\"samplers\":[],\"channels\":[]}");
	gltf_add(build, "scenes", "{\"nodes\":[0,2,3,4,5,6,7]}");
	gltf_add(build, "scenes", "{\"nodes\":[0]}");
	gltf_member(build,
		"\"extensions\":{\"KHR_lights_punctual\":{\"lights\":[{\"type\":\"point\"}]},\"KHR_materials_variants\":{"
		"\"variants\":[{\"name\":\"V\"}]}},\"extensionsUsed\":[\"KHR_lights_punctual\",\"KHR_materials_variants\","
		"\"EXT_mesh_gpu_instancing\"]");
}

static lrd_document *import_everything(void)
{
	BUILD(build);
	add_surface(&build);
	add_meshes(&build);
	add_nodes(&build);
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	return document;
}

static void it_holds_something_of_everything(void **state)
{
	(void)state;
	cooked model;
	cook_document(&model, import_everything(), NULL, NULL);
	assert_int_equal(model.model.skeleton_count, 2);
	assert_int_equal(model.model.clip_count, 2);
	assert_int_equal(model.model.variant_count, 1);
	assert_int_equal(model.model.light_count, 1);
	assert_int_equal(model.model.camera_count, 1);
	assert_true(model.model.part_count > 8);
	check_cook_warning(&model, "scenes", "");
	check_cook_warning(&model, "empty-animation", "");
	check_cook_warning(&model, "image", "");
	check_cook_warning(&model, "empty-part", "");
	cooked_free(&model);
}

static void outputs_made_in_any_order_hold_the_same_bytes(void **state)
{
	(void)state;
	static const lrd_settings settings;
	cooked model;
	cook_document(&model, import_everything(), NULL, NULL);
	lrd_document *document = import_everything();
	lrd_error error = { 0 };
	lrd_recipe_desc desc = {
		.root = "no-such-folder",
		.source = LRD_STR("m.glb"),
		.stem = LRD_STR("m"),
		.settings = &settings,
		.target = LRD_TARGET_RAW,
	};
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	uint32_t count;
	const lrd_recipe_output *outputs = lrd_recipe_outputs(recipe, &count);
	assert_int_equal(count, model.output_count);
	for (uint32_t stage = 0; stage < 2; ++stage)
	{
		for (uint32_t i = count; i-- > 0;)
		{
			lrd_buffer out = { 0 };
			if (outputs[i].stage != stage)
			{
				continue;
			}
			assert_true(lrd_string_equal(outputs[i].path, model.outputs[i].path));
			assert_true(lrd_recipe_make(recipe, i, &out, &error));
			assert_int_equal(out.size, model.files[i].size);
			if (out.size != 0)
			{
				assert_memory_equal(out.data, model.files[i].data, out.size);
			}
			lrd_buffer_free(&out);
		}
	}
	const lrd_document_warning *warnings;
	assert_true(lrd_recipe_warnings(recipe, &warnings, &count, &error));
	assert_int_equal(count, model.warning_count);
	for (uint32_t i = 0; i < count; ++i)
	{
		assert_true(lrd_string_equal(warnings[i].message, model.warnings[i].message));
	}
	lrd_recipe_destroy(recipe);
	lrd_document_free(document);
	cooked_free(&model);
}

/// Everything that a cook does with a model. False as soon as something fails.
static bool cook_all(const lrd_document *document, lrd_allocator allocator, lrd_error *error)
{
	static const lrd_settings settings;
	lrd_recipe_desc desc = {
		.root = "no-such-folder",
		.source = LRD_STR("m.glb"),
		.stem = LRD_STR("m"),
		.settings = &settings,
		.allocator = allocator,
	};
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, error);
	uint32_t count = 0;
	const lrd_recipe_output *outputs = recipe != NULL ? lrd_recipe_outputs(recipe, &count) : NULL;
	bool good = recipe != NULL;
	for (uint32_t stage = 0; stage < 2; ++stage)
	{
		for (uint32_t i = 0; good && i < count; ++i)
		{
			lrd_buffer out = { .allocator = allocator };
			good = outputs[i].stage != stage || lrd_recipe_make(recipe, i, &out, error);
			assert_true(good || out.size == 0);
			lrd_buffer_free(&out);
		}
	}
	const lrd_document_warning *warnings;
	good = good && lrd_recipe_warnings(recipe, &warnings, &count, error);
	lrd_recipe_destroy(recipe);
	return good;
}

static void any_allocation_may_fail(void **state)
{
	(void)state;
	lrd_document *document = import_everything();
	failing_allocator memory;
	long long fails = 0;
	for (bool good = false; !good; ++fails)
	{
		lrd_error error = { 0 };
		failing_allocator_init(&memory, fails);
		good = cook_all(document, failing_allocator_get(&memory), &error);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
		if (!good && error.code != LRD_ERROR_MEMORY)
		{
			fail_msg("allocation %lld: %s", fails, error.message);
		}
	}
	assert_true(fails > 100);
	lrd_document_free(document);
}

static void memory_for_skins_grows_with_their_joints_and_not_with_the_nodes(void **state)
{
	(void)state;
	static const lrd_settings settings;
	BUILD(build);
	for (int i = 0; i < 4000; ++i)
	{
		gltf_add(&build, "nodes", "{}");
	}
	for (int i = 0; i < 1000; ++i)
	{
		gltf_add(&build, "skins", "{\"joints\":[%d]}", i);
	}
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	lrd_error error = { 0 };
	lrd_recipe_desc desc = {
		.root = "no-such-folder",
		.source = LRD_STR("m.glb"),
		.stem = LRD_STR("m"),
		.settings = &settings,
		.allocator = failing_allocator_get(&memory),
	};
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	assert_non_null(recipe);
	uint32_t count;
	(void)lrd_recipe_outputs(recipe, &count);
	assert_int_equal(count, 1001);
	assert_in_range(atomic_load(&memory.bytes_peak), 1, 4 << 20); // a table of nodes for each skin would be 16 MB
	lrd_recipe_destroy(recipe);
	assert_int_equal(atomic_load(&memory.bytes_out), 0);
	lrd_document_free(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_holds_something_of_everything),
		cmocka_unit_test(outputs_made_in_any_order_hold_the_same_bytes),
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(memory_for_skins_grows_with_their_joints_and_not_with_the_nodes),
	};
	return cmocka_run_group_tests_name("cook_model_faults", tests, NULL, NULL);
}
