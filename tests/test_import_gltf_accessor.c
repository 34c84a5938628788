// Accessors: every component type, strides, sparse values, bounds, and what their structure may not be.

#include "fixtures/gltf_check.h"

#include <math.h>

// A mesh whose TEXCOORD_0 is `uv`, over three corners.
static lrd_document *import_uv(gltf_build *build, int uv)
{
	int positions = gltf_corners(build, 3);
	gltf_add(build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d}}]}", positions, uv);
	return import_good(build);
}

static void check_uv(int component, bool normalized, const void *data, size_t size, int stride, const float expected[6])
{
	FIXTURE(build);
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_mesh_quantization\"]");
	int view = gltf_view(&build, data, size, stride);
	lrd_document *document = import_uv(&build, gltf_accessor(&build, view, component, normalized, 3, "VEC2"));
	check_no_warnings(document);
	check_floats(document->meshes[0].primitives[0].uv[0], expected, 6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void every_component_type_becomes_a_float(void **state)
{
	(void)state;
	const int8_t i8[] = { -128, 127, 0, 0, 0, 64, 0, 0, -127, 1, 0, 0 };
	const float i8_plain[] = { -128, 127, 0, 64, -127, 1 }, i8_unit[] = { -1, 1, 0, 64 / 127.0f, -1, 1 / 127.0f };
	const uint8_t u8[] = { 0, 255, 0, 0, 51, 1, 0, 0, 2, 3, 0, 0 };
	const float u8_plain[] = { 0, 255, 51, 1, 2, 3 }, u8_unit[] = { 0, 1, 0.2f, 1 / 255.0f, 2 / 255.0f, 3 / 255.0f };
	const int16_t i16[] = { -32768, 32767, 0, 1, 16384, -32767 };
	const float i16_plain[] = { -32768, 32767, 0, 1, 16384, -32767 },
				i16_unit[] = { -1, 1, 0, 1 / 32767.0f, 16384 / 32767.0f, -1 };
	const uint16_t u16[] = { 0, 65535, 1, 2, 13107, 5 };
	const float u16_plain[] = { 0, 65535, 1, 2, 13107, 5 },
				u16_unit[] = { 0, 1, 1 / 65535.0f, 2 / 65535.0f, 0.2f, 5 / 65535.0f };
	const float f32[] = { 0.5f, -1, 1e-20f, 1e20f, 3, 4 };
	check_uv(GLTF_I8, false, i8, sizeof i8, 4, i8_plain);
	check_uv(GLTF_I8, true, i8, sizeof i8, 4, i8_unit);
	check_uv(GLTF_U8, false, u8, sizeof u8, 4, u8_plain);
	check_uv(GLTF_U8, true, u8, sizeof u8, 4, u8_unit);
	check_uv(GLTF_I16, false, i16, sizeof i16, 0, i16_plain);
	check_uv(GLTF_I16, true, i16, sizeof i16, 0, i16_unit);
	check_uv(GLTF_U16, false, u16, sizeof u16, 0, u16_plain);
	check_uv(GLTF_U16, true, u16, sizeof u16, 0, u16_unit);
	check_uv(GLTF_F32, false, f32, sizeof f32, 0, f32);
}

static void interleaved_attributes_are_told_apart(void **state)
{
	(void)state;
	FIXTURE(build);
	const float rows[3][8] = { { 0, 0, 0, 0.1f, 0.2f, 0, 0, 1 }, { 1, 0, 0, 0.3f, 0.4f, 0, 1, 0 },
		{ 0, 1, 0, 0.5f, 0.6f, 1, 0, 0 } };
	int view = gltf_view(&build, rows, sizeof rows, sizeof rows[0]);
	gltf_add(&build, "accessors",
		"{\"bufferView\":%d,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}",
		view);
	gltf_add(&build, "accessors",
		"{\"bufferView\":%d,\"byteOffset\":12,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}", view);
	gltf_add(&build, "accessors",
		"{\"bufferView\":%d,\"byteOffset\":20,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}", view);
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1,\"NORMAL\":2}}]}");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	const lrd_document_primitive *primitive = &document->meshes[0].primitives[0];
	check_floats(primitive->positions, (float[]){ 0, 0, 0, 1, 0, 0, 0, 1, 0 }, 9);
	check_floats(primitive->uv[0], (float[]){ 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f }, 6);
	check_floats(primitive->normals, (float[]){ 0, 0, 1, 0, 1, 0, 1, 0, 0 }, 9);
	lrd_document_free(document);
	gltf_end(&build);
}

// A sparse accessor of three VEC2 with one value put at `indices`.
static int sparse_uv(gltf_build *build, const char *base, const uint8_t *indices, int count)
{
	const float values[] = { 7, 8, 9, 10 };
	int index_view = gltf_view(build, indices, (size_t)count, 0);
	int value_view = gltf_view(build, values, sizeof values, 0);
	return gltf_add(build, "accessors",
		"{%s\"componentType\":5126,\"count\":3,\"type\":\"VEC2\",\"sparse\":{\"count\":%d,\"indices\":{\"bufferView\":%"
		"d,"
		"\"componentType\":5121},\"values\":{\"bufferView\":%d}}}",
		base, count, index_view, value_view);
}

static void sparse_values_replace_zeros(void **state)
{
	(void)state;
	FIXTURE(build);
	lrd_document *document = import_uv(&build, sparse_uv(&build, "", (const uint8_t[]){ 0, 2 }, 2));
	check_floats(document->meshes[0].primitives[0].uv[0], (float[]){ 7, 8, 0, 0, 9, 10 }, 6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void sparse_values_replace_those_of_a_view(void **state)
{
	(void)state;
	FIXTURE(build);
	const float base[] = { 1, 2, -1, 3, 4, -1, 5, 6, -1 };
	char text[64];
	(void)snprintf(text, sizeof text, "\"bufferView\":%d,", gltf_view(&build, base, sizeof base, 12));
	lrd_document *document = import_uv(&build, sparse_uv(&build, text, (const uint8_t[]){ 1 }, 1));
	check_floats(document->meshes[0].primitives[0].uv[0], (float[]){ 1, 2, 7, 8, 5, 6 }, 6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void sparse_indices_must_ascend_and_be_in_range(void **state)
{
	(void)state;
	FIXTURE(build);
	sparse_uv(&build, "", (const uint8_t[]){ 2, 1 }, 2);
	import_refused(&build, LRD_ERROR_FORMAT, "/accessors/0/sparse: sparse index 1 is 1, not above the 2 before it");
	gltf_end(&build);
	sparse_uv(&build, "", (const uint8_t[]){ 0, 3 }, 2);
	import_refused(&build, LRD_ERROR_FORMAT, "sparse index 1 is 3, out of range (there are 3 elements)");
	gltf_end(&build);
}

static void sparse_parts_must_be_whole(void **state)
{
	(void)state;
#define SPARSE(text)                                                                                                   \
	"{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC2\","           \
	"\"sparse\":{" text "}}]}"
	json_refused(
		SPARSE("\"count\":1"), LRD_ERROR_FORMAT, "/accessors/0/sparse/indices: found nothing, expected an object");
	json_refused(SPARSE("\"count\":1,\"indices\":{\"componentType\":5126},\"values\":{}"), LRD_ERROR_FORMAT,
		"/accessors/0/sparse/indices: componentType is 5126, expected 5121, 5123 or 5125");
	json_refused(SPARSE("\"count\":4,\"indices\":{\"componentType\":5121},\"values\":{}"), LRD_ERROR_FORMAT,
		"/accessors/0/sparse: count is 4, expected 1 to the accessor's 3");
	json_refused(SPARSE("\"count\":1,\"indices\":{\"componentType\":5121},\"values\":{}"), LRD_ERROR_FORMAT,
		"/accessors/0/sparse/indices/bufferView: required, and missing");
}

static void matrices_of_bytes_have_padded_columns(void **state)
{
	(void)state;
	// A MAT3 of i8 is three columns of 3 bytes and 1 of padding. Nothing reads one, but it must be measured right.
	FIXTURE(build);
	uint8_t data[24] = { 0 };
	int view = gltf_view(&build, data, 23, 0);
	gltf_accessor(&build, view, GLTF_I8, false, 2, "MAT3");
	lrd_document *document = import_good(&build);
	lrd_document_free(document);
	gltf_end(&build);
	view = gltf_view(&build, data, 22, 0);
	gltf_accessor(&build, view, GLTF_I8, false, 2, "MAT3");
	import_refused(&build, LRD_ERROR_FORMAT, "2 elements of 11 bytes from byte 0 do not fit buffer view 0");
	gltf_end(&build);
}

static void an_accessor_must_fit_its_view(void **state)
{
	(void)state;
	FIXTURE(build);
	const float data[8] = { 0 };
	int view = gltf_view(&build, data, sizeof data, 0);
	gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC3");
	import_refused(&build, LRD_ERROR_FORMAT,
		"/accessors/0: 3 elements of 12 bytes from byte 0 do not fit buffer view 0, which has 32 bytes");
	gltf_end(&build);
	view = gltf_view(&build, data, sizeof data, 0);
	gltf_add(&build, "accessors",
		"{\"bufferView\":%d,\"byteOffset\":9007199254740988,\"componentType\":5126,\"count\":4294967295,"
		"\"type\":\"MAT4\"}",
		view);
	import_refused(&build, LRD_ERROR_FORMAT, "do not fit");
	gltf_end(&build);
}

static void an_accessor_must_be_aligned_to_its_components(void **state)
{
	(void)state;
	FIXTURE(build);
	const float data[8] = { 0 };
	int view = gltf_view(&build, data, sizeof data, 0);
	gltf_add(&build, "accessors",
		"{\"bufferView\":%d,\"byteOffset\":2,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}", view);
	import_refused(&build, LRD_ERROR_FORMAT, "not aligned to its components of 4");
	gltf_end(&build);
}

static void a_stride_must_hold_an_element_and_be_sound(void **state)
{
	(void)state;
	FIXTURE(build);
	const float data[9] = { 0 };
	int view = gltf_view(&build, data, sizeof data, 8);
	gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC3");
	import_refused(&build, LRD_ERROR_FORMAT, "is 8, less than an element's 12 bytes");
	gltf_end(&build);
	gltf_view(&build, data, sizeof data, 6);
	import_refused(
		&build, LRD_ERROR_FORMAT, "/bufferViews/0/byteStride: found 6, expected a multiple of 4 from 4 to 252");
	gltf_end(&build);
}

static void a_view_must_fit_its_buffer(void **state)
{
	(void)state;
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,AAAA\"}],"
				 "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":2,\"byteLength\":2}]}",
		LRD_ERROR_FORMAT, "/bufferViews/0: bytes 2 to 4 lie outside buffer 0, which has 3");
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,AAAA\"}],"
				 "\"bufferViews\":[{\"buffer\":0,\"byteLength\":0}]}",
		LRD_ERROR_FORMAT, "/bufferViews/0: byteLength is missing or 0");
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"bufferViews\":[{\"byteLength\":2}]}", LRD_ERROR_FORMAT,
		"buffer is missing");
}

static void required_members_of_accessors_are_asked_for(void **state)
{
	(void)state;
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"count\":1,\"type\":\"SCALAR\"}]}",
		LRD_ERROR_FORMAT, "/accessors/0: componentType is missing");
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"count\":1,\"componentType\":5126}]}",
		LRD_ERROR_FORMAT, "/accessors/0: type is missing");
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"type\":\"VEC2\",\"componentType\":5126}]}",
		LRD_ERROR_FORMAT, "/accessors/0: count is missing or 0");
}

static void data_that_are_nowhere_are_an_error_only_when_used(void **state)
{
	(void)state;
	const char *unused =
		"{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,"
		"\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]}";
	lrd_error error;
	lrd_document *document = import_bytes((lrd_bytes){ unused, strlen(unused) }, &error);
	assert_non_null(document);
	lrd_document_free(document);
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,"
				 "\"byteLength\":36}],"
				 "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
				 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
		LRD_ERROR_FORMAT, "mesh 0, primitive 0: accessor 0 lies in buffer 0, which has no data");
}

static void wrong_bounds_are_told_used_or_not(void **state)
{
	(void)state;
	FIXTURE(build);
	const float data[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	int view = gltf_view(&build, data, sizeof data, 0);
	for (int i = 0; i < 2; i++)
	{
		gltf_add(&build, "accessors",
			"{\"bufferView\":%d,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,%d,0]}",
			view, 2 - i);
	}
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":1}}]}");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->warning_count, 1);
	check_warning(document, "accessor-bounds", 1, "accessor 0: its max says 2, the data say 1 (component 1)");
	lrd_document_free(document);
	gltf_end(&build);
}

static void bounds_of_normalized_components_are_compared_as_stored(void **state)
{
	(void)state;
	FIXTURE(build);
	const uint8_t data[] = { 0, 10, 0, 0, 255, 20, 0, 0, 3, 30, 0, 0 };
	int view = gltf_view(&build, data, sizeof data, 4);
	int uv = gltf_add(&build, "accessors",
		"{\"bufferView\":%d,\"componentType\":5121,\"normalized\":true,\"count\":3,\"type\":\"VEC2\",\"min\":[0,10],"
		"\"max\":[255,30]}",
		view);
	lrd_document *document = import_uv(&build, uv);
	check_no_warnings(document);
	lrd_document_free(document);
	gltf_end(&build);
}

static void unknown_types_are_an_error_only_when_used(void **state)
{
	(void)state;
	FIXTURE(build);
	const float data[9] = { 0 };
	int view = gltf_view(&build, data, sizeof data, 0);
	gltf_accessor(&build, view, 5130, false, 3, "VEC3");
	gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC9");
	lrd_document *document = import_good(&build);
	lrd_document_free(document);
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}");
	import_refused(&build, LRD_ERROR_FORMAT, "POSITION can't be VEC3 of an unknown component type");
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_component_type_becomes_a_float),
		cmocka_unit_test(interleaved_attributes_are_told_apart),
		cmocka_unit_test(sparse_values_replace_zeros),
		cmocka_unit_test(sparse_values_replace_those_of_a_view),
		cmocka_unit_test(sparse_indices_must_ascend_and_be_in_range),
		cmocka_unit_test(sparse_parts_must_be_whole),
		cmocka_unit_test(matrices_of_bytes_have_padded_columns),
		cmocka_unit_test(an_accessor_must_fit_its_view),
		cmocka_unit_test(an_accessor_must_be_aligned_to_its_components),
		cmocka_unit_test(a_stride_must_hold_an_element_and_be_sound),
		cmocka_unit_test(a_view_must_fit_its_buffer),
		cmocka_unit_test(required_members_of_accessors_are_asked_for),
		cmocka_unit_test(data_that_are_nowhere_are_an_error_only_when_used),
		cmocka_unit_test(wrong_bounds_are_told_used_or_not),
		cmocka_unit_test(bounds_of_normalized_components_are_compared_as_stored),
		cmocka_unit_test(unknown_types_are_an_error_only_when_used),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
