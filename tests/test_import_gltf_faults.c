// Geometry that is broken: each fault is refused with the object's name, or mended and counted, or harmless and read.
// Faults of one subject alone are in that subject's tests.

#include "fixtures/gltf_check.h"

#include <math.h>
#include <stdlib.h>

static int floats(gltf_build *build, const float *values, int count, const char *type, int components)
{
	int view = gltf_view(build, values, (size_t)count * (size_t)components * sizeof *values, 0);
	return gltf_accessor(build, view, GLTF_F32, false, count, type);
}

static void positions_that_are_infinite_are_refused(void **state)
{
	(void)state;
	const float infinite[2] = { INFINITY, -INFINITY };
	for (int i = 0; i < 2; i++)
	{
		FIXTURE(build);
		const float positions[9] = { 0, 0, 0, 1, infinite[i], 0, 0, 1, 0 };
		gltf_add(&build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}",
			floats(&build, positions, 3, "VEC3", 3));
		import_refused(&build, LRD_ERROR_FORMAT, "mesh \"Body\", primitive 0: the position of vertex 1 is not finite");
		gltf_end(&build);
	}
}

static void check_finite(const float *values, size_t count)
{
	assert_non_null(values);
	for (size_t i = 0; i < count; i++)
	{
		assert_true(isfinite(values[i]));
	}
}

static void every_other_attribute_that_is_not_finite_becomes_zero_and_is_counted(void **state)
{
	(void)state;
	FIXTURE(build);
	const float bad[12] = { NAN, INFINITY, 0, 1, -INFINITY, 0, 1, 0, 0, 0, 1, 1 };
	int n = floats(&build, bad, 3, "VEC3", 3), t = floats(&build, bad, 3, "VEC4", 4);
	int uv = floats(&build, bad, 3, "VEC2", 2), c = floats(&build, bad, 3, "VEC4", 4);
	int deltas = floats(&build, bad, 3, "VEC3", 3);
	gltf_add(&build, "meshes",
		"{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TANGENT\":%d,"
		"\"TEXCOORD_0\":%d,\"COLOR_0\":%d},\"targets\":[{\"POSITION\":%d}]}]}",
		gltf_corners(&build, 3), n, t, uv, c, deltas);
	lrd_document *document = import_good(&build);
	const lrd_document_primitive *primitive = &document->meshes[0].primitives[0];
	check_finite(primitive->normals, 9);
	check_finite(primitive->tangents, 12);
	check_finite(primitive->uv[0], 6);
	check_finite(primitive->colors, 12);
	check_finite(primitive->morphs[0].positions, 9);
	uint32_t zeroed = 0, told = 0;
	for (uint32_t i = 0; i < document->warning_count; i++)
	{
		const lrd_document_warning *warning = &document->warnings[i];
		if (lrd_string_equal(warning->kind, LRD_STR("not-finite")))
		{
			zeroed += warning->count;
			told++;
		}
	}
	assert_int_equal(told, 5);
	assert_int_equal(zeroed, 3 + 3 + 3 + 3 + 3);
	lrd_document_free(document);
	gltf_end(&build);
}

// Nothing at this stage asks for area: the cook drops such triangles and counts them.
static void meshes_without_area_and_single_triangles_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	const float point[9] = { 2, 2, 2, 2, 2, 2, 2, 2, 2 }, line[9] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
	int p = gltf_floats(&build, point, 3, "VEC3"), l = gltf_floats(&build, line, 3, "VEC3");
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d}},{\"attributes\":{\"POSITION\":%d}}]}", p, l);
	gltf_triangle(&build);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	assert_int_equal(document->meshes[0].primitive_count, 2);
	assert_int_equal(document->meshes[0].primitives[0].index_count, 3);
	check_floats(document->meshes[0].primitives[1].positions, line, 9);
	assert_int_equal(document->meshes[1].primitives[0].index_count, 3);
	lrd_document_free(document);
	gltf_end(&build);
}

static void add_indexed(gltf_build *build, const void *indices, size_t size, int component, int count)
{
	int list = gltf_accessor(build, gltf_view(build, indices, size, 0), component, false, count, "SCALAR");
	gltf_add(build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}",
		gltf_corners(build, 3), list);
}

// The largest value of a component would end a strip; a list has nothing to end.
static void restart_values_in_lists_are_out_of_range(void **state)
{
	(void)state;
	const uint8_t u8[3] = { 0, 1, 255 };
	const uint16_t u16[3] = { 0, 65535, 2 };
	const uint32_t u32[3] = { UINT32_MAX, 1, 2 };
	FIXTURE(build);
	add_indexed(&build, u8, sizeof u8, GLTF_U8, 3);
	import_refused(&build, LRD_ERROR_FORMAT,
		"mesh \"Body\", primitive 0: index 255 is out of range (the primitive has 3 vertices)");
	gltf_end(&build);
	add_indexed(&build, u16, sizeof u16, GLTF_U16, 3);
	import_refused(&build, LRD_ERROR_FORMAT, "index 65535 is out of range");
	gltf_end(&build);
	add_indexed(&build, u32, sizeof u32, GLTF_U32, 3);
	import_refused(&build, LRD_ERROR_FORMAT, "index 4294967295 is out of range");
	gltf_end(&build);
}

static void every_attribute_has_as_many_elements_as_positions(void **state)
{
	(void)state;
	static const struct
	{
		const char *name, *type;
		int components;
	} cases[] = {
		{ "NORMAL", "VEC3", 3 },
		{ "TANGENT", "VEC4", 4 },
		{ "TEXCOORD_0", "VEC2", 2 },
		{ "TEXCOORD_1", "VEC2", 2 },
		{ "COLOR_0", "VEC4", 4 },
		{ "WEIGHTS_0", "VEC4", 4 },
	};
	const float values[16] = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		FIXTURE(build);
		int accessor = floats(&build, values, 2, cases[i].type, cases[i].components);
		gltf_add(&build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"%s\":%d}}]}",
			gltf_corners(&build, 3), cases[i].name, accessor);
		char refusal[128];
		(void)snprintf(
			refusal, sizeof refusal, "mesh \"Body\", primitive 0: %s has 2 elements, POSITION has 3", cases[i].name);
		import_refused(&build, LRD_ERROR_FORMAT, refusal);
		gltf_end(&build);
	}
}

static void meshes_with_nothing_to_draw_are_told(void **state)
{
	(void)state;
	FIXTURE(build);
	const float uv[6] = { 0 };
	gltf_add(&build, "meshes", "{\"name\":\"Empty\",\"primitives\":[]}");
	gltf_add(&build, "meshes",
		"{\"name\":\"Bare\",\"primitives\":[{\"attributes\":{\"TEXCOORD_0\":%d}},{\"attributes\":{}}]}",
		gltf_floats(&build, uv, 3, "VEC2"));
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	gltf_add(&build, "nodes", "{\"mesh\":1}");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->meshes[0].primitive_count, 0);
	assert_int_equal(document->meshes[1].primitive_count, 0);
	assert_int_equal(document->warning_count, 3);
	check_warning(document, "primitive-empty", 1, "mesh \"Empty\": it has no primitives");
	assert_int_equal(document->nodes[1].mesh, 1);
	lrd_document_free(document);
	gltf_end(&build);
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"name\":\"Nothing\"}]}", LRD_ERROR_FORMAT,
		"/meshes/0/primitives: found nothing, expected an array");
}

static void scales_that_mirror_or_flatten_are_kept(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "nodes", "{\"scale\":[-1,2,3]}");
	gltf_add(&build, "nodes", "{\"scale\":[0,0,0]}");
	gltf_add(&build, "nodes", "{\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]}");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_floats(&document->nodes[0].local.scale.x, (float[]){ -1, 2, 3 }, 3);
	check_floats(&document->nodes[1].local.scale.x, (float[]){ 0, 0, 0 }, 3);
	check_floats(document->nodes[2].matrix.m, (float[]){ -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1 }, 16);
	const lrd_vec3 scale = document->nodes[2].local.scale;
	assert_float_equal(scale.x * scale.y * scale.z, -1, 1e-6f);
	lrd_document_free(document);
	gltf_end(&build);
}

static void matrices_without_a_determinant_are_read(void **state)
{
	(void)state;
	static const char *const matrices[] = {
		"[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]", // to a point
		"[1,0,0,0,0,0,0,0,0,0,1,0,1,2,3,1]", // to a plane
		"[1,1,1,0,1,1,1,0,1,1,1,0,0,0,0,1]", // to a line
		"[1e-30,0,0,0,0,1e-30,0,0,0,0,1e-30,0,0,0,0,1]",
	};
	for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
	{
		FIXTURE(build);
		gltf_add(&build, "nodes", "{\"name\":\"Flat\",\"matrix\":%s}", matrices[i]);
		lrd_document *document = import_good(&build);
		const lrd_transform *local = &document->nodes[0].local;
		check_finite(&local->translation.x, 3);
		check_finite(&local->rotation.x, 4);
		check_finite(&local->scale.x, 3);
		const lrd_vec4 q = local->rotation;
		assert_float_equal(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1, 1e-5f);
		lrd_document_free(document);
		gltf_end(&build);
	}
}

static void transforms_that_are_no_numbers_are_refused(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "\"scale\":[1e999,1,1]", "/nodes/0/scale/0: found inf" },
		{ "\"scale\":[1,null,1]", "/nodes/0/scale/1: found null, expected a number" },
		{ "\"scale\":[1,1]", "/nodes/0/scale: " },
		{ "\"translation\":[0,-1e999,0]", "/nodes/0/translation/1: found -inf" },
		{ "\"rotation\":[0,0,0,1e999]", "/nodes/0/rotation/3: found inf" },
		{ "\"matrix\":[1,0,0,0,0,1e40,0,0,0,0,1,0,0,0,0,1]", "/nodes/0/matrix/5: found 1e+40" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		char json[256];
		(void)snprintf(json, sizeof json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{%s}]}", cases[i][0]);
		json_refused(json, LRD_ERROR_FORMAT, cases[i][1]);
	}
	json_refused(
		"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"scale\":[NaN,1,1]}]}", LRD_ERROR_FORMAT, "JSON, line 1");
}

#define TINY 65536

// As many primitives, each of one triangle, as parts of one mesh or of as many meshes.
static lrd_bytes tiny_primitives(char **text, int count, bool one_mesh)
{
	size_t capacity = (size_t)count * 64 + 4096, size = 0;
	char *json = malloc(capacity);
	assert_non_null(json);
	size += (size_t)snprintf(json, capacity,
		"{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:;base64,"
		"AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
		"\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":"
		"["
		"1,1,0]}],\"meshes\":[");
	size += (size_t)snprintf(json + size, capacity - size, one_mesh ? "{\"primitives\":[" : "");
	for (int i = 0; i < count; i++)
	{
		size += (size_t)snprintf(json + size, capacity - size, "%s%s{\"attributes\":{\"POSITION\":0}}%s",
			i != 0 ? "," : "", one_mesh ? "" : "{\"primitives\":[", one_mesh ? "" : "]}");
	}
	size += (size_t)snprintf(json + size, capacity - size, one_mesh ? "]}]}" : "]}");
	*text = json;
	return (lrd_bytes){ json, size };
}

static void many_tiny_primitives_are_read(void **state)
{
	(void)state;
	for (int one_mesh = 0; one_mesh < 2; one_mesh++)
	{
		char *text = NULL;
		lrd_bytes bytes = tiny_primitives(&text, TINY, one_mesh == 1);
		lrd_error error = { .code = LRD_OK };
		lrd_document *document = import_bytes(bytes, &error);
		if (document == NULL)
		{
			fail_msg("%s", error.message);
		}
		assert_int_equal(document->mesh_count, one_mesh ? 1 : TINY);
		assert_int_equal(document->meshes[0].primitive_count, one_mesh ? TINY : 1);
		const lrd_document_mesh *last = &document->meshes[document->mesh_count - 1];
		assert_int_equal(last->primitives[last->primitive_count - 1].index_count, 3);
		lrd_document_free(document);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions_that_are_infinite_are_refused),
		cmocka_unit_test(every_other_attribute_that_is_not_finite_becomes_zero_and_is_counted),
		cmocka_unit_test(meshes_without_area_and_single_triangles_are_read),
		cmocka_unit_test(restart_values_in_lists_are_out_of_range),
		cmocka_unit_test(every_attribute_has_as_many_elements_as_positions),
		cmocka_unit_test(meshes_with_nothing_to_draw_are_told),
		cmocka_unit_test(scales_that_mirror_or_flatten_are_kept),
		cmocka_unit_test(matrices_without_a_determinant_are_read),
		cmocka_unit_test(transforms_that_are_no_numbers_are_refused),
		cmocka_unit_test(many_tiny_primitives_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
