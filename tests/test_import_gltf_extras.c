// Lights and cameras.

#include "fixtures/gltf_check.h"

static void lights_are_read_with_their_defaults(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build,
		"\"extensionsUsed\":[\"KHR_lights_punctual\"],\"extensions\":{\"KHR_lights_punctual\":{\"lights\":["
		"{\"type\":\"directional\",\"name\":\"Sun\",\"intensity\":3},{\"type\":\"point\",\"color\":[1,0.5,0],\"range\":"
		"9},"
		"{\"type\":\"spot\"},{\"type\":\"spot\",\"spot\":{\"innerConeAngle\":0.1,\"outerConeAngle\":0.5}},"
		"{\"type\":\"area\"},{\"type\":\"spot\",\"spot\":{\"innerConeAngle\":0.6,\"outerConeAngle\":0.5}}]}}");
	gltf_add(&build, "nodes", "{\"extensions\":{\"KHR_lights_punctual\":{\"light\":1}}}");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->light_count, 6);
	const lrd_document_light *lights = document->lights;
	check_text(lights[0].name, "Sun");
	assert_int_equal(lights[0].type, LRD_LIGHT_DIRECTIONAL);
	check_floats(lights[0].color, (float[]){ 1, 1, 1, 3, 0, 0, 0 }, 7);
	check_floats(lights[1].color, (float[]){ 1, 0.5f, 0, 1, 9, 0, 0 }, 7);
	check_floats(lights[2].color, (float[]){ 1, 1, 1, 1, 0, 0, 0.78539816f }, 7);
	check_floats(lights[3].color, (float[]){ 1, 1, 1, 1, 0, 0.1f, 0.5f }, 7);
	assert_int_equal(lights[4].type, LRD_LIGHT_POINT);
	assert_float_equal(lights[5].inner_cone, 0, 0);
	assert_int_equal(document->nodes[0].light, 1);
	check_warning(document, "light", 1, "light 4: its type is unknown");
	assert_int_equal(document->warning_count, 2);
	lrd_document_free(document);
	gltf_end(&build);
}

static void cameras_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(
		&build, "cameras", "{\"name\":\"Eye\",\"type\":\"perspective\",\"perspective\":{\"yfov\":0.7,\"znear\":0.01}}");
	gltf_add(&build, "cameras",
		"{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"aspectRatio\":1.5,\"znear\":0.1,\"zfar\":100}}");
	gltf_add(&build, "cameras",
		"{\"type\":\"orthographic\",\"orthographic\":{\"xmag\":4,\"ymag\":2,\"znear\":0,\"zfar\":10}}");
	gltf_add(&build, "nodes", "{\"camera\":2}");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_text(document->cameras[0].name, "Eye");
	check_floats(&document->cameras[0].vertical, (float[]){ 0.7f, 0, 0.01f, 0 }, 4);
	check_floats(&document->cameras[1].vertical, (float[]){ 1, 1.5f, 0.1f, 100 }, 4);
	assert_int_equal(document->cameras[2].type, LRD_CAMERA_ORTHOGRAPHIC);
	check_floats(&document->cameras[2].vertical, (float[]){ 2, 2, 0, 10 }, 4);
	assert_int_equal(document->nodes[0].camera, 2);
	lrd_document_free(document);
	gltf_end(&build);
}

static void impossible_cameras_are_corrected_and_told(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "cameras", "{\"type\":\"perspective\",\"perspective\":{\"znear\":1}}");
	gltf_add(&build, "cameras", "{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":2,\"zfar\":1}}");
	gltf_add(&build, "cameras", "{\"type\":\"orthographic\",\"orthographic\":{\"xmag\":0,\"ymag\":2,\"zfar\":10}}");
	lrd_document *document = import_good(&build);
	assert_float_equal(document->cameras[0].vertical, 1.0471976f, 1e-6);
	check_floats(&document->cameras[1].vertical, (float[]){ 1, 0, 2, 0 }, 4);
	assert_float_equal(document->cameras[2].vertical, 1, 0);
	assert_int_equal(document->warning_count, 3);
	check_warning(document, "camera", 1, "camera 0: its yfov is missing");
	lrd_document_free(document);
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lights_are_read_with_their_defaults),
		cmocka_unit_test(cameras_are_read),
		cmocka_unit_test(impossible_cameras_are_corrected_and_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
