// EXT_mesh_gpu_instancing: the formats its attributes may have and no others, what is missing, what does not agree.

#include "fixtures/gltf_check.h"

#include <math.h>

#define INSTANCING "\"extensionsUsed\":[\"EXT_mesh_gpu_instancing\",\"KHR_mesh_quantization\"]"

static const float places[6] = { 1, 2, 3, 4, 5, 6 }, sizes[6] = { 1, 1, 1, 2, -2, 2 };

// A node "Rocks" with a triangle, instanced by `attributes`: `"TRANSLATION":3`.
static void add_rocks(gltf_build *build, const char *attributes)
{
	gltf_member(build, INSTANCING);
	int mesh = gltf_triangle(build);
	gltf_add(build, "nodes",
		"{\"name\":\"Rocks\",\"mesh\":%d,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{%s}}}}", mesh,
		attributes);
}

static char *attribute(char *text, size_t size, const char *name, int accessor)
{
	(void)snprintf(text, size, "\"%s\":%d", name, accessor);
	return text;
}

static int integers(gltf_build *build, const void *data, size_t size, int component, bool normalized, const char *type)
{
	return gltf_accessor(build, gltf_view(build, data, size, 0), component, normalized, 2, type);
}

static void instances_become_transforms(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, INSTANCING);
	gltf_triangle(&build);
	const int8_t r[] = { 0, 0, 0, 127, 0, 127, 0, 0 };
	int ri = integers(&build, r, sizeof r, GLTF_I8, true, "VEC4");
	int ti = gltf_floats(&build, places, 2, "VEC3"), si = gltf_floats(&build, sizes, 2, "VEC3");
	gltf_add(&build, "nodes",
		"{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":%d,\"ROTATION\":%d,"
		"\"SCALE\":%d,\"_ID\":%d,\"_COLOR_0\":%d}}}}",
		ti, ri, si, si, ti);
	lrd_document *document = import_good(&build);
	assert_int_equal(document->nodes[0].instance_count, 2);
	check_floats(&document->nodes[0].instances[0].translation.x, (float[]){ 1, 2, 3, 0, 0, 0, 1, 1, 1, 1 }, 10);
	check_floats(&document->nodes[0].instances[1].translation.x, (float[]){ 4, 5, 6, 0, 1, 0, 0, 2, -2, 2 }, 10);
	assert_int_equal(document->warning_count, 2);
	check_warning(document, "attribute", 1, "node 0: instances' attribute _ID is left out");
	lrd_document_free(document);
	gltf_end(&build);
}

static void rotations_may_be_floats_or_normalized_integers(void **state)
{
	(void)state;
	const int8_t i8[8] = { 0, 0, 0, 127, 0, 0, 90, 90 };
	const int16_t i16[8] = { 0, 0, 0, 32767, 0, 0, 23170, 23170 };
	const float f32[8] = { 0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f };
	for (int i = 0; i < 3; i++)
	{
		FIXTURE(build);
		char text[64];
		int accessor = i == 0   ? integers(&build, i8, sizeof i8, GLTF_I8, true, "VEC4")
					   : i == 1 ? integers(&build, i16, sizeof i16, GLTF_I16, true, "VEC4")
								: integers(&build, f32, sizeof f32, GLTF_F32, false, "VEC4");
		add_rocks(&build, attribute(text, sizeof text, "ROTATION", accessor));
		lrd_document *document = import_good(&build);
		check_no_warnings(document); // what integers round is no repair
		check_floats(&document->nodes[0].instances[1].rotation.x, f32 + 4, 4);
		lrd_document_free(document);
		gltf_end(&build);
	}
}

// KHR_mesh_quantization is of meshes: it allows instances nothing.
static void other_formats_are_refused(void **state)
{
	(void)state;
	static const struct
	{
		const char *name, *type, *refusal;
		int component;
		bool normalized;
	} cases[] = {
		{ "TRANSLATION", "VEC3", "TRANSLATION can't be VEC3 of i16", GLTF_I16, false },
		{ "TRANSLATION", "VEC3", "TRANSLATION can't be VEC3 of normalized i8", GLTF_I8, true },
		{ "SCALE", "VEC3", "SCALE can't be VEC3 of u16", GLTF_U16, false },
		{ "SCALE", "VEC4", "SCALE can't be VEC4 of f32", GLTF_F32, false },
		{ "ROTATION", "VEC3", "ROTATION can't be VEC3 of f32", GLTF_F32, false },
		{ "ROTATION", "VEC4", "ROTATION can't be VEC4 of i16", GLTF_I16, false },
		{ "ROTATION", "VEC4", "ROTATION can't be VEC4 of normalized u8", GLTF_U8, true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		const float data[8] = { 0 };
		FIXTURE(build);
		char text[64], refusal[128];
		int accessor = integers(&build, data, sizeof data, cases[i].component, cases[i].normalized, cases[i].type);
		add_rocks(&build, attribute(text, sizeof text, cases[i].name, accessor));
		(void)snprintf(refusal, sizeof refusal, "node \"Rocks\": instances' %s", cases[i].refusal);
		import_refused(&build, LRD_ERROR_FORMAT, refusal);
		gltf_end(&build);
	}
}

static void each_attribute_may_be_missing(void **state)
{
	(void)state;
	static const char *const names[] = { "TRANSLATION", "SCALE" };
	const float expected[2][10] = { { 4, 5, 6, 0, 0, 0, 1, 1, 1, 1 }, { 0, 0, 0, 0, 0, 0, 1, 4, 5, 6 } };
	for (int i = 0; i < 2; i++)
	{
		FIXTURE(build);
		char text[64];
		add_rocks(&build, attribute(text, sizeof text, names[i], gltf_floats(&build, places, 2, "VEC3")));
		lrd_document *document = import_good(&build);
		check_floats(&document->nodes[0].instances[1].translation.x, expected[i], 10);
		lrd_document_free(document);
		gltf_end(&build);
	}
}

static void instances_without_a_mesh_or_a_transform_are_ignored(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, INSTANCING);
	int accessor = gltf_floats(&build, places, 2, "VEC3");
	gltf_add(&build, "nodes",
		"{\"name\":\"N\",\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"SCALE\":%d}}}}", accessor);
	lrd_document *document = import_good(&build);
	assert_int_equal(document->nodes[0].instance_count, 0);
	check_warning(document, "instances", 1, "node \"N\": instances without a mesh");
	lrd_document_free(document);
	gltf_end(&build);
	add_rocks(&build, "");
	document = import_good(&build);
	assert_int_equal(document->nodes[0].instance_count, 0);
	check_warning(document, "instances", 1, "node \"Rocks\": instances without a transform");
	lrd_document_free(document);
	gltf_end(&build);
	gltf_member(&build, INSTANCING);
	gltf_triangle(&build);
	gltf_add(&build, "nodes", "{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{}}}");
	import_refused(&build, LRD_ERROR_FORMAT, "EXT_mesh_gpu_instancing/attributes: found nothing, expected an object");
	gltf_end(&build);
}

static void instances_of_different_counts_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[64];
	const float three[9] = { 0 };
	int a = gltf_floats(&build, places, 2, "VEC3"), b = gltf_floats(&build, three, 3, "VEC3");
	(void)snprintf(text, sizeof text, "\"TRANSLATION\":%d,\"SCALE\":%d", a, b);
	add_rocks(&build, text);
	import_refused(
		&build, LRD_ERROR_FORMAT, "node \"Rocks\": instances' SCALE has 3 elements, another attribute has 2");
	gltf_end(&build);
}

static void instances_of_a_skinned_node_are_ignored(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, INSTANCING);
	const uint8_t joints[12] = { 0 };
	const float weights[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 4), GLTF_U8, false, 3, "VEC4");
	int w = gltf_floats(&build, weights, 3, "VEC4"), t = gltf_floats(&build, places, 2, "VEC3");
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}}]}",
		gltf_corners(&build, 3), j, w);
	gltf_add(&build, "skins", "{\"joints\":[1]}");
	gltf_add(&build, "nodes",
		"{\"name\":\"Man\",\"mesh\":0,\"skin\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{"
		"\"TRANSLATION\":%d}}}}",
		t);
	gltf_add(&build, "nodes", "{}");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->nodes[0].instance_count, 0);
	assert_int_equal(document->nodes[0].skin, 0);
	check_warning(document, "instances", 1, "node \"Man\": it has a skin, whose joints place it");
	lrd_document_free(document);
	gltf_end(&build);
}

static void numbers_of_instances_are_repaired_and_counted(void **state)
{
	(void)state;
	FIXTURE(build);
	const float bad[6] = { NAN, 2, INFINITY, 4, -INFINITY, 6 }, turns[8] = { 0, 0, 0, 0, 0, 0, 3, 4 };
	int t = integers(&build, bad, sizeof bad, GLTF_F32, false, "VEC3");
	int r = gltf_floats(&build, turns, 2, "VEC4");
	char text[64];
	(void)snprintf(text, sizeof text, "\"TRANSLATION\":%d,\"ROTATION\":%d", t, r);
	add_rocks(&build, text);
	lrd_document *document = import_good(&build);
	check_floats(&document->nodes[0].instances[0].translation.x, (float[]){ 0, 2, 0, 0, 0, 0, 1 }, 7);
	check_floats(&document->nodes[0].instances[1].translation.x, (float[]){ 4, 0, 6, 0, 0, 0.6f, 0.8f }, 7);
	check_warning(document, "not-finite", 3, "node \"Rocks\": numbers of TRANSLATION");
	check_warning(document, "quaternions-normalised", 2, "node \"Rocks\": rotations of its instances");
	lrd_document_free(document);
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instances_become_transforms),
		cmocka_unit_test(rotations_may_be_floats_or_normalized_integers),
		cmocka_unit_test(other_formats_are_refused),
		cmocka_unit_test(each_attribute_may_be_missing),
		cmocka_unit_test(instances_without_a_mesh_or_a_transform_are_ignored),
		cmocka_unit_test(instances_of_different_counts_are_refused),
		cmocka_unit_test(instances_of_a_skinned_node_are_ignored),
		cmocka_unit_test(numbers_of_instances_are_repaired_and_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
