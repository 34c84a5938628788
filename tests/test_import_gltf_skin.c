// Skins, and how nodes bind meshes to them.

#include "fixtures/gltf_check.h"

#include <math.h>

// A mesh "Body" whose three vertices follow `joint` wholly.
static void add_body(gltf_build *build, uint8_t joint)
{
	const uint8_t joints[12] = { joint, 0, 0, 0, joint, 0, 0, 0, joint };
	const float weights[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	int p = gltf_corners(build, 3);
	int view = gltf_view(build, joints, sizeof joints, 4);
	int j = gltf_accessor(build, view, GLTF_U8, false, 3, "VEC4");
	int w = gltf_floats(build, weights, 3, "VEC4");
	gltf_add(build, "meshes",
		"{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}}]}", p,
		j, w);
}

static void add_nodes(gltf_build *build)
{
	gltf_add(build, "nodes", "{\"name\":\"Hip\",\"children\":[1]}");
	gltf_add(build, "nodes", "{\"name\":\"Knee\"}");
	gltf_add(build, "nodes", "{\"name\":\"Man\",\"mesh\":0,\"skin\":0}");
}

static void missing_inverse_binds_are_identity(void **state)
{
	(void)state;
	FIXTURE(build);
	add_body(&build, 1);
	add_nodes(&build);
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[1,0],\"skeleton\":0}");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	const lrd_document_skin *skin = &document->skins[0];
	check_text(skin->name, "Rig");
	assert_int_equal(skin->joint_count, 2);
	assert_int_equal(skin->joints[0], 1); // joints come in any order
	assert_int_equal(skin->joints[1], 0);
	assert_int_equal(skin->skeleton_root, 0);
	const float identity[] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
	check_floats(skin->inverse_binds[1].m, identity, 16);
	assert_int_equal(document->nodes[2].skin, 0);
	lrd_document_free(document);
	gltf_end(&build);
}

static void inverse_binds_are_read_and_their_last_row_repaired(void **state)
{
	(void)state;
	FIXTURE(build);
	add_body(&build, 0);
	add_nodes(&build);
	float binds[32] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 9, 8, 7, 6,
		0.999f };
	int accessor = gltf_floats(&build, binds, 2, "MAT4");
	gltf_add(&build, "skins", "{\"joints\":[0,1],\"inverseBindMatrices\":%d}", accessor);
	lrd_document *document = import_good(&build);
	check_floats(document->skins[0].inverse_binds[0].m, binds, 16);
	binds[27] = 0;
	binds[31] = 1;
	check_floats(document->skins[0].inverse_binds[1].m, binds + 16, 16);
	assert_int_equal(document->skins[0].skeleton_root, LRD_NO_INDEX);
	check_warning(document, "matrix-projective", 1, "skin 0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void too_few_or_wrong_inverse_binds_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	add_nodes(&build);
	add_body(&build, 0);
	float binds[16] = { 1 };
	gltf_add(&build, "skins", "{\"joints\":[0,1],\"inverseBindMatrices\":%d}", gltf_floats(&build, binds, 1, "MAT4"));
	import_refused(&build, LRD_ERROR_FORMAT, "skin 0: 1 inverse bind matrices for 2 joints");
	gltf_end(&build);
	add_nodes(&build);
	add_body(&build, 0);
	gltf_add(&build, "skins", "{\"joints\":[0],\"inverseBindMatrices\":%d}", gltf_floats(&build, binds, 4, "VEC4"));
	import_refused(&build, LRD_ERROR_FORMAT, "inverseBindMatrices can't be VEC4 of f32");
	gltf_end(&build);
	add_nodes(&build);
	add_body(&build, 0);
	binds[3] = NAN;
	gltf_add(&build, "skins", "{\"joints\":[0],\"inverseBindMatrices\":%d}", gltf_floats(&build, binds, 1, "MAT4"));
	import_refused(&build, LRD_ERROR_FORMAT, "inverse bind matrix 0 is not finite");
	gltf_end(&build);
}

static void a_joint_out_of_range_is_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	add_body(&build, 2);
	add_nodes(&build);
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0,1]}");
	import_refused(&build, LRD_ERROR_FORMAT,
		"node \"Man\": mesh \"Body\", primitive 0, vertex 0: joint 2 is out of range (skin \"Rig\" has 2 joints)");
	gltf_end(&build);
}

static void skins_without_joints_in_the_mesh_are_ignored_and_the_other_way_round(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build);
	add_nodes(&build);
	gltf_add(&build, "skins", "{\"joints\":[0]}");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->nodes[2].skin, LRD_NO_INDEX);
	check_warning(document, "skin-unused", 1, "node \"Man\"");
	lrd_document_free(document);
	gltf_end(&build);
	add_body(&build, 0);
	gltf_add(&build, "nodes", "{\"name\":\"Man\",\"mesh\":0}");
	document = import_good(&build);
	check_warning(document, "skin-missing", 1, "node \"Man\": mesh \"Body\" has joints");
	lrd_document_free(document);
	gltf_end(&build);
}

static void joints_outside_the_scene_or_apart_are_told(void **state)
{
	(void)state;
	FIXTURE(build);
	add_body(&build, 0);
	add_nodes(&build);
	gltf_add(&build, "nodes", "{\"name\":\"Elsewhere\"}");
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0,1,3],\"skeleton\":1}");
	gltf_add(&build, "scenes", "{\"nodes\":[2,0]}");
	lrd_document *document = import_good(&build);
	check_warning(document, "joints-outside-scene", 1, "skin \"Rig\"");
	check_warning(document, "joints-apart", 1, "skin \"Rig\"");
	check_warning(document, "skeleton-root", 1, "skin \"Rig\"");
	assert_int_equal(document->skins[0].skeleton_root, LRD_NO_INDEX);
	lrd_document_free(document);
	gltf_end(&build);
}

static void joints_listed_twice_are_told(void **state)
{
	(void)state;
	FIXTURE(build);
	add_body(&build, 3);
	add_nodes(&build);
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0,1,0,0]}");
	gltf_add(&build, "skins", "{\"name\":\"Other\",\"joints\":[0,1],\"skeleton\":0}");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->skins[0].joint_count, 4); // vertices name all of them
	check_warning(document, "joints-repeated", 2, "skin \"Rig\"");
	assert_int_equal(document->skins[1].skeleton_root, 0);
	assert_int_equal(document->warning_count, 1);
	lrd_document_free(document);
	gltf_end(&build);
}

static void a_skin_needs_joints(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "skins", "{\"joints\":[]}");
	import_refused(&build, LRD_ERROR_FORMAT, "/skins/0/joints: 0 joints, expected 1 to 65536");
	gltf_end(&build);
	gltf_add(&build, "skins", "{\"joints\":[0]}");
	import_refused(&build, LRD_ERROR_FORMAT, "/skins/0/joints/0: there is no node 0");
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_inverse_binds_are_identity),
		cmocka_unit_test(inverse_binds_are_read_and_their_last_row_repaired),
		cmocka_unit_test(too_few_or_wrong_inverse_binds_are_refused),
		cmocka_unit_test(a_joint_out_of_range_is_refused),
		cmocka_unit_test(skins_without_joints_in_the_mesh_are_ignored_and_the_other_way_round),
		cmocka_unit_test(joints_outside_the_scene_or_apart_are_told),
		cmocka_unit_test(joints_listed_twice_are_told),
		cmocka_unit_test(a_skin_needs_joints),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
