// The node hierarchy and scenes.

#include "fixtures/gltf_check.h"

static void parents_children_and_transforms_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[2,1]}");
	gltf_add(&build, "nodes",
		"{\"name\":\"B\",\"translation\":[1,2,3],\"rotation\":[0,0.70710678,0,0.70710678],\"scale\":[1,2,-1]}");
	gltf_add(&build, "nodes", "{}");
	gltf_add(&build, "scenes", "{\"name\":\"Main\",\"nodes\":[0]}");
	gltf_member(&build, "\"scene\":0");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	const lrd_document_node *nodes = document->nodes;
	check_text(nodes[0].name, "Root");
	assert_int_equal(nodes[0].parent, LRD_NO_INDEX);
	assert_int_equal(nodes[1].parent, 0);
	assert_int_equal(nodes[0].child_count, 2);
	assert_int_equal(nodes[0].children[0], 2);
	check_floats(&nodes[1].local.translation.x, (float[]){ 1, 2, 3, 0, 0.70710678f, 0, 0.70710678f, 1, 2, -1 }, 10);
	check_floats(nodes[1].matrix.m, (float[]){ 0, 0, -1, 0, 0, 2, 0, 0, -1, 0, 0, 0, 1, 2, 3, 1 }, 16);
	assert_false(nodes[1].has_matrix);
	check_floats(&nodes[2].local.translation.x, (float[]){ 0, 0, 0, 0, 0, 0, 1, 1, 1, 1 }, 10);
	assert_int_equal(nodes[2].mesh, LRD_NO_INDEX);
	assert_int_equal(nodes[2].skin, LRD_NO_INDEX);
	assert_int_equal(nodes[2].light, LRD_NO_INDEX);
	assert_int_equal(nodes[2].camera, LRD_NO_INDEX);
	assert_int_equal(document->default_scene, 0);
	check_text(document->scenes[0].name, "Main");
	assert_int_equal(document->scenes[0].roots[0], 0);
	lrd_document_free(document);
	gltf_end(&build);
}

static void matrices_are_kept_and_taken_apart(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "nodes", "{\"matrix\":[2,0,0,0, 0,0,3,0, 0,-4,0,0, 5,6,7,1]}");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	const lrd_document_node *node = &document->nodes[0];
	assert_true(node->has_matrix);
	check_floats(node->matrix.m, (float[]){ 2, 0, 0, 0, 0, 0, 3, 0, 0, -4, 0, 0, 5, 6, 7, 1 }, 16);
	check_floats(&node->local.translation.x, (float[]){ 5, 6, 7, 0.70710678f, 0, 0, 0.70710678f, 2, 3, 4 }, 10);
	lrd_document_free(document);
	gltf_end(&build);
}

static void shear_projection_and_both_transforms_are_told(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "nodes", "{\"name\":\"S\",\"matrix\":[1,0,0,0, 0.5,1,0,0, 0,0,1,0, 0,0,0,1]}");
	gltf_add(&build, "nodes", "{\"name\":\"P\",\"matrix\":[1,0,0,0.5, 0,1,0,0, 0,0,1,0, 0,0,0,2]}");
	gltf_add(&build, "nodes", "{\"name\":\"T\",\"matrix\":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],\"scale\":[2,2,2]}");
	lrd_document *document = import_good(&build);
	check_warning(document, "matrix-shear", 1, "node \"S\"");
	check_warning(document, "matrix-projective", 1, "node \"P\"");
	check_warning(document, "matrix-and-trs", 1, "node \"T\"");
	assert_int_equal(document->warning_count, 3);
	assert_float_equal(document->nodes[0].matrix.m[4], 0.5f, 0);
	assert_float_equal(document->nodes[1].matrix.m[15], 1, 0);
	assert_float_equal(document->nodes[2].local.scale.x, 1, 1e-6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void rotations_are_normalised_and_told(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "nodes", "{\"name\":\"Long\",\"rotation\":[0,0,0,2]}");
	gltf_add(&build, "nodes", "{\"name\":\"None\",\"rotation\":[0,0,0,0]}");
	lrd_document *document = import_good(&build);
	for (uint32_t i = 0; i < 2; i++)
	{
		check_floats(&document->nodes[i].local.rotation.x, (float[]){ 0, 0, 0, 1 }, 4);
	}
	assert_int_equal(document->warning_count, 2);
	check_warning(document, "quaternions-normalised", 1, "node \"Long\"");
	lrd_document_free(document);
	gltf_end(&build);
}

static void cycles_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "nodes", "{}");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"children\":[1]}");
	import_refused(&build, LRD_ERROR_FORMAT, "node \"A\" is its own ancestor");
	gltf_end(&build);
	gltf_add(&build, "nodes", "{\"children\":[0]}");
	import_refused(&build, LRD_ERROR_FORMAT, "node 0 is its own ancestor");
	gltf_end(&build);
}

static void two_parents_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "nodes", "{\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"children\":[2]}");
	gltf_add(&build, "nodes", "{}");
	import_refused(&build, LRD_ERROR_FORMAT, "/nodes/1/children/0: node 2 is a child of node 0 already");
	gltf_end(&build);
	gltf_add(&build, "nodes", "{\"children\":[1,1]}");
	gltf_add(&build, "nodes", "{}");
	import_refused(&build, LRD_ERROR_FORMAT, "/nodes/0/children/1: node 1 is a child of node 0 already");
	gltf_end(&build);
}

static void scenes_list_roots_once(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "nodes", "{\"children\":[1]}");
	gltf_add(&build, "nodes", "{}");
	gltf_add(&build, "scenes", "{\"nodes\":[0,0]}");
	gltf_add(&build, "scenes", "{\"nodes\":[0]}");
	gltf_add(&build, "scenes", "{}");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->scenes[0].root_count, 1);
	assert_int_equal(document->scenes[1].root_count, 1);
	assert_int_equal(document->scenes[2].root_count, 0);
	assert_int_equal(document->default_scene, LRD_NO_INDEX);
	check_warning(document, "scene-duplicate", 1, "scene 0 names node 0 twice");
	lrd_document_free(document);
	gltf_add(&build, "scenes", "{\"nodes\":[1]}");
	import_refused(&build, LRD_ERROR_FORMAT, "/scenes/3/nodes/0: node 1 is no root: it is a child of node 0");
	gltf_end(&build);
}

static void node_weights_override_those_of_the_mesh(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_corners(&build, 3);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"targets\":[{\"POSITION\":%d},{}]}]}", p, p);
	gltf_add(&build, "nodes", "{\"mesh\":0,\"weights\":[0.5,0.25]}");
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	gltf_add(&build, "nodes", "{\"mesh\":0,\"weights\":[1]}");
	gltf_add(&build, "nodes", "{\"weights\":[1]}");
	lrd_document *document = import_good(&build);
	check_floats(document->nodes[0].weights, (float[]){ 0.5f, 0.25f }, 2);
	assert_null(document->nodes[1].weights);
	check_floats(document->nodes[2].weights, (float[]){ 1, 0 }, 2);
	assert_null(document->nodes[3].weights);
	check_warning(document, "morph-weights", 1, "node 2: 1 weights for 2 morph targets");
	lrd_document_free(document);
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents_children_and_transforms_are_read),
		cmocka_unit_test(matrices_are_kept_and_taken_apart),
		cmocka_unit_test(shear_projection_and_both_transforms_are_told),
		cmocka_unit_test(rotations_are_normalised_and_told),
		cmocka_unit_test(cycles_are_refused),
		cmocka_unit_test(two_parents_are_refused),
		cmocka_unit_test(scenes_list_roots_once),
		cmocka_unit_test(node_weights_override_those_of_the_mesh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
