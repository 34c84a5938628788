// Names: what a model's cooked files are called, and the names inside it.

#include "cook_model.h"

static void a_mesh_of_its_own_is_named_after_itself(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(
		&build, "nodes", "{\"name\":\"Node\",\"mesh\":%d}", add_mesh(&build, "Body", add_material(&build, "Skin")));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Body.lmesh material.Skin.lmat m.lmodel");
	check_string(cooked_mesh(&model, "part.Body.lmesh").material, "m/material.Skin");
	check_text(&model, model.model.parts[0].mesh, "m/part.Body");
	check_text(&model, model.model.parts[0].name, "Node");
	check_text(&model, model.model.materials[0].name, "Skin");
	check_text(&model, model.model.materials[0].stem, "m/material.Skin");
	cooked_free(&model);
}

static void a_part_without_a_node_name_takes_its_meshs(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "Body", -1));
	cooked model;
	cook_build(&model, &build);
	check_text(&model, model.model.parts[0].name, "Body");
	cooked_free(&model);
}

static void meshes_merged_are_named_after_their_material(void **state)
{
	(void)state;
	BUILD(build);
	int skin = add_material(&build, "Skin");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", add_mesh(&build, "Head", skin));
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d}", add_mesh(&build, "Hand", skin));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Skin.lmesh material.Skin.lmat m.lmodel");
	check_text(&model, model.model.parts[0].name, "Skin");
	cooked_free(&model);
}

static void meshes_merged_without_a_material_are_named_default(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "Head", -1));
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "Hand", -1));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.default.lmesh m.lmodel");
	check_text(&model, model.model.parts[0].name, "default");
	assert_int_equal(model.model.parts[0].slot, LRD_NO_INDEX);
	check_string(cooked_mesh(&model, "part.default.lmesh").material, "");
	cooked_free(&model);
}

static void meshes_merged_under_a_nameless_material_take_its_index(void **state)
{
	(void)state;
	BUILD(build);
	add_material(&build, "Skin");
	gltf_add(&build, "materials", "{}");
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "Head", 1));
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "Hand", 1));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.1.lmesh material.Skin.lmat material.1.lmat m.lmodel");
	cooked_free(&model);
}

static void a_mesh_of_two_materials_tells_its_parts_apart_by_them(void **state)
{
	(void)state;
	BUILD(build);
	int skin = add_material(&build, "Skin");
	int eyes = add_material(&build, "Eyes");
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":%d}", add_mesh_of_two(&build, "Body", skin, eyes));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Body.Skin.lmesh part.Body.Eyes.lmesh material.Skin.lmat material.Eyes.lmat m.lmodel");
	check_text(&model, cooked_part(&model, "Fox.Skin")->mesh, "m/part.Body.Skin");
	check_text(&model, cooked_part(&model, "Fox.Eyes")->mesh, "m/part.Body.Eyes");
	cooked_free(&model);
}

static void a_nameless_material_is_told_by_its_index_in_a_mesh_of_two(void **state)
{
	(void)state;
	BUILD(build);
	int skin = add_material(&build, "Skin");
	gltf_add(&build, "materials", "{}");
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":%d}", add_mesh_of_two(&build, "Body", skin, 1));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Body.Skin.lmesh part.Body.1.lmesh material.Skin.lmat material.1.lmat m.lmodel");
	check_text(&model, cooked_part(&model, "Fox.1")->mesh, "m/part.Body.1");
	cooked_free(&model);
}

static void a_primitive_without_a_material_is_called_default_in_a_mesh_of_two(void **state)
{
	(void)state;
	BUILD(build);
	add_material(&build, "Skin");
	int positions = gltf_corners(&build, 3);
	int mesh = gltf_add(&build, "meshes",
		"{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"material\":0},{\"attributes\":{"
		"\"POSITION\":%d}}]}",
		positions, positions);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", mesh);
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Body.Skin.lmesh part.Body.default.lmesh material.Skin.lmat m.lmodel");
	assert_int_equal(cooked_part(&model, "Body.default")->slot, LRD_NO_INDEX);
	cooked_free(&model);
}

static void two_primitives_of_one_material_are_one_part(void **state)
{
	(void)state;
	BUILD(build);
	int skin = add_material(&build, "Skin");
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":%d}", add_mesh_of_two(&build, "Body", skin, skin));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Body.lmesh material.Skin.lmat m.lmodel");
	check_text(&model, model.model.parts[0].name, "Fox");
	assert_int_equal(cooked_mesh(&model, "part.Body.lmesh").meshlet_triangle_count, 2);
	cooked_free(&model);
}

/// Two of each kind of output, whose names are what `first` and `second` say.
static void build_two_of_each(gltf_build *build, const char *first, const char *second)
{
	static const float weights[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const uint8_t joints[12];
	static const uint8_t pixel[] = { 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 32, 0x28, 1, 2, 3, 255 };
	const char *names[] = { first, second };
	int p = gltf_corners(build, 3);
	int w = gltf_floats(build, weights, 3, "VEC4");
	int j = gltf_accessor(build, gltf_view(build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	for (int i = 0; i < 2; ++i)
	{
		uint8_t own[sizeof pixel];
		memcpy(own, pixel, sizeof pixel);
		own[18] = (uint8_t)(i + 1);
		int view = gltf_view(build, own, sizeof own, 0);
		gltf_add(build, "images", "{%s\"bufferView\":%d}", names[i], view);
		gltf_add(build, "textures", "{\"source\":%d}", i);
		gltf_add(build, "materials", "{%s\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d}}}", names[i], i);
		gltf_add(build, "meshes",
			"{%s\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"material\":%d}]}",
			names[i], p, j, w, i);
		gltf_add(build, "nodes", "{\"name\":\"J\"}");
		gltf_add(build, "nodes", "{\"mesh\":%d,\"skin\":%d}", i, i);
		gltf_add(build, "skins", "{%s\"joints\":[%d]}", names[i], i * 2);
		float times[] = { 0 };
		float values[] = { 0, 0, (float)i };
		gltf_add(build, "animations",
			"{%s\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":%d,"
			"\"path\":\"translation\"}}]}",
			names[i], gltf_floats(build, times, 1, "SCALAR"), gltf_floats(build, values, 1, "VEC3"), i * 2);
	}
}

static void empty_names_take_their_index(void **state)
{
	(void)state;
	BUILD(build);
	build_two_of_each(&build, "", "");
	cooked model;
	cook_build(&model, &build);
	check_files(&model,
		"image.0.ktx2 image.1.ktx2 part.0.lmesh part.1.lmesh skeleton.0.lskel skeleton.1.lskel clip.0.lclip "
		"clip.1.lclip material.0.lmat material.1.lmat m.lmodel");
	check_string(cooked_clip(&model, "clip.1.lclip").name, "1");
	check_text(&model, model.model.clips[1].name, "1");
	cooked_free(&model);
}

static void equal_names_ignoring_case_are_numbered_in_source_order(void **state)
{
	(void)state;
	BUILD(build);
	build_two_of_each(&build, "\"name\":\"Same\",", "\"name\":\"sAME\",");
	cooked model;
	cook_build(&model, &build);
	check_files(&model,
		"image.Same.ktx2 image.sAME.2.ktx2 part.Same.lmesh part.sAME.2.lmesh skeleton.Same.lskel "
		"skeleton.sAME.2.lskel clip.Same.lclip clip.sAME.2.lclip material.Same.lmat material.sAME.2.lmat m.lmodel");
	check_text(&model, model.model.materials[1].name, "sAME");
	check_text(&model, model.model.materials[1].stem, "m/material.sAME.2");
	check_text(&model, model.model.clips[1].name, "sAME");
	check_text(&model, model.model.clips[1].stem, "m/clip.sAME.2");
	cooked_free(&model);
}

static void characters_that_paths_may_not_have_become_underscores(void **state)
{
	(void)state;
	BUILD(build);
	build_two_of_each(&build, "\"name\":\"a/b c\",", "\"name\":\"..\\u00e9\\\\:*\",");
	cooked model;
	cook_build(&model, &build);
	check_files(&model,
		"image.a_b_c.ktx2 image...____.ktx2 part.a_b_c.lmesh part...____.lmesh skeleton.a_b_c.lskel "
		"skeleton...____.lskel clip.a_b_c.lclip clip...____.lclip material.a_b_c.lmat material...____.lmat "
		"m.lmodel");
	check_text(&model, model.model.materials[0].name, "a/b c"); // names inside stay as they were authored
	check_text(&model, model.model.clips[1].name, "..\xc3\xa9\\:*");
	check_string(cooked_skeleton(&model, "skeleton.a_b_c.lskel").name, "a/b c");
	check_string(cooked_material(&model, "material.a_b_c.lmat").name, "a/b c");
	cooked_free(&model);
}

static void a_name_as_long_as_importers_let_through_is_cut(void **state)
{
	(void)state;
	BUILD(build);
	char name[301];
	memset(name, 'n', 300);
	name[300] = 0;
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, name, -1));
	cooked model;
	cook_build(&model, &build);
	assert_true(model.outputs[0].path.size < 200); // file systems end at 255
	check_text(&model, model.model.parts[0].name, name);
	cooked_free(&model);
}

static void an_external_image_without_a_name_is_named_after_its_file(void **state)
{
	(void)state;
	char root[] = "/tmp/larder-test-XXXXXX";
	static const uint8_t pixel[] = { 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 32, 0x28, 1, 2, 3, 255 };
	char path[64];
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof path, "%s/oak wood.tga", root);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	fwrite(pixel, 1, sizeof pixel, file);
	fclose(file);
	BUILD(build);
	gltf_add(&build, "images", "{\"uri\":\"oak%%20wood.tga\"}");
	gltf_add(&build, "textures", "{\"source\":0}");
	gltf_add(&build, "materials", "{\"name\":\"M\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}");
	cooked model;
	cook_document(&model, import_build(&build, root), NULL, root);
	gltf_end(&build);
	check_files(&model, "image.oak_wood.ktx2 material.M.lmat m.lmodel");
	cooked_free(&model);
	remove(path);
	remove(root);
}

static void equal_part_names_stay_as_they_are_and_their_files_differ(void **state)
{
	(void)state;
	BUILD(build);
	int red = add_material(&build, "Red");
	int blue = add_material(&build, "Blue");
	gltf_add(&build, "nodes", "{\"name\":\"Door\",\"mesh\":%d}", add_mesh(&build, "Door", red));
	gltf_add(&build, "nodes", "{\"name\":\"Door\",\"mesh\":%d}", add_mesh(&build, "Door", blue));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Door.lmesh part.Door.2.lmesh material.Red.lmat material.Blue.lmat m.lmodel");
	check_text(&model, model.model.parts[0].name, "Door");
	check_text(&model, model.model.parts[1].name, "Door");
	check_text(&model, model.model.parts[1].mesh, "m/part.Door.2");
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mesh_of_its_own_is_named_after_itself),
		cmocka_unit_test(a_part_without_a_node_name_takes_its_meshs),
		cmocka_unit_test(meshes_merged_are_named_after_their_material),
		cmocka_unit_test(meshes_merged_without_a_material_are_named_default),
		cmocka_unit_test(meshes_merged_under_a_nameless_material_take_its_index),
		cmocka_unit_test(a_mesh_of_two_materials_tells_its_parts_apart_by_them),
		cmocka_unit_test(a_nameless_material_is_told_by_its_index_in_a_mesh_of_two),
		cmocka_unit_test(a_primitive_without_a_material_is_called_default_in_a_mesh_of_two),
		cmocka_unit_test(two_primitives_of_one_material_are_one_part),
		cmocka_unit_test(empty_names_take_their_index),
		cmocka_unit_test(equal_names_ignoring_case_are_numbered_in_source_order),
		cmocka_unit_test(characters_that_paths_may_not_have_become_underscores),
		cmocka_unit_test(a_name_as_long_as_importers_let_through_is_cut),
		cmocka_unit_test(an_external_image_without_a_name_is_named_after_its_file),
		cmocka_unit_test(equal_part_names_stay_as_they_are_and_their_files_differ),
	};
	return cmocka_run_group_tests_name("cook_model_names", tests, NULL, NULL);
}
