// GLB, JSON and what a file says about itself.

#include "fixtures/gltf_check.h"

#include <stdlib.h>

static void one_fixture_is_the_same_as_glb_and_as_json(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build);
	lrd_document *binary = import_good(&build);
	lrd_error error;
	lrd_document *text = import_bytes(gltf_finish(&build, GLTF_FORM_DATA_URI), &error);
	assert_non_null(text);
	assert_int_equal(text->mesh_count, 1);
	check_text(text->meshes[0].name, "Triangle");
	assert_memory_equal(
		binary->meshes[0].primitives[0].positions, text->meshes[0].primitives[0].positions, 9 * sizeof(float));
	check_no_warnings(binary);
	check_no_warnings(text);
	lrd_document_free(binary);
	lrd_document_free(text);
	gltf_end(&build);
}

static void base64_without_padding_and_percent_encoded_bytes_are_read(void **state)
{
	(void)state;
	const char *json = "{\"asset\":{\"version\":\"2.0\"},\"images\":["
					   "{\"uri\":\"data:image/png;base64,AAEC/w\"},{\"uri\":\"data:image/x,a%00b%fF\"}]}";
	lrd_error error;
	lrd_document *document = import_bytes((lrd_bytes){ json, strlen(json) }, &error);
	assert_non_null(document);
	assert_int_equal(document->images[0].bytes.size, 4);
	assert_memory_equal(document->images[0].bytes.data, "\x00\x01\x02\xff", 4);
	check_text(document->images[0].media_type, "image/png");
	assert_int_equal(document->images[1].bytes.size, 4);
	assert_memory_equal(document->images[1].bytes.data, "a\0b\xff", 4);
	lrd_document_free(document);
}

static void broken_base64_is_refused(void **state)
{
	(void)state;
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,AA*A\"}]}",
		LRD_ERROR_FORMAT, "/buffers/0: a data URI that is not valid base64");
}

static void a_buffer_shorter_than_it_says_is_refused(void **state)
{
	(void)state;
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":4,\"uri\":\"data:;base64,AAAA\"}]}",
		LRD_ERROR_FORMAT, "/buffers/0: the data URI has 3 bytes, byteLength says 4");
}

static void a_truncated_glb_is_refused_at_every_length(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build);
	lrd_bytes whole = gltf_finish(&build, GLTF_FORM_BINARY);
	for (size_t size = 4; size < whole.size; size++)
	{
		check_refusal((lrd_bytes){ whole.data, size }, LRD_ERROR_FORMAT, "GLB");
	}
	gltf_end(&build);
}

static void bytes_after_the_end_of_a_glb_are_told(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build);
	lrd_bytes whole = gltf_finish(&build, GLTF_FORM_BINARY);
	uint8_t *longer = malloc(whole.size + 5);
	assert_non_null(longer);
	memcpy(longer, whole.data, whole.size);
	memset(longer + whole.size, 1, 5);
	lrd_error error;
	lrd_document *document = import_bytes((lrd_bytes){ longer, whole.size + 5 }, &error);
	assert_non_null(document);
	check_warning(document, "glb", 1, "5 bytes after the end");
	lrd_document_free(document);
	free(longer);
	gltf_end(&build);
}

static void a_chunk_that_does_not_fit_is_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build);
	lrd_bytes whole = gltf_finish(&build, GLTF_FORM_BINARY);
	uint32_t huge = 0xfffffffc;
	memcpy((uint8_t *)build.made + 12, &huge, sizeof huge);
	check_refusal(whole, LRD_ERROR_FORMAT, "a chunk of 4294967292 bytes does not fit");
	gltf_end(&build);
}

static void a_glb_must_begin_with_json(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build);
	lrd_bytes whole = gltf_finish(&build, GLTF_FORM_BINARY);
	memcpy((uint8_t *)build.made + 16, "BIN\0", 4);
	check_refusal(whole, LRD_ERROR_FORMAT, "expected JSON first");
	gltf_end(&build);
}

static void glb_version_1_is_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	lrd_bytes whole = gltf_finish(&build, GLTF_FORM_BINARY);
	memcpy((uint8_t *)build.made + 4, "\1\0\0\0", 4);
	check_refusal(whole, LRD_ERROR_UNSUPPORTED, "GLB: version 1, expected 2");
	gltf_end(&build);
}

static void a_file_named_glb_that_is_none_is_refused(void **state)
{
	(void)state;
	lrd_error error;
	lrd_import_desc desc = { .path = "models/x.glb", .memory = { "\0\0\0\0\0\0", 6 } };
	assert_null(lrd_import_file(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_string_equal(error.message, "models/x.glb: GLB: the file does not begin with \"glTF\"");
}

static void the_content_says_the_format_when_the_name_does_not(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build);
	lrd_bytes whole = gltf_finish(&build, GLTF_FORM_BINARY);
	lrd_error error;
	lrd_document *document = lrd_import_file(&(lrd_import_desc){ .path = "avatar.vrm", .memory = whole }, &error);
	assert_non_null(document);
	lrd_document_free(document);
	assert_null(lrd_import_file(&(lrd_import_desc){ .path = "a.blend", .memory = { "BLENDER", 7 } }, &error));
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	gltf_end(&build);
}

static void names_of_sources_are_known_by_extension(void **state)
{
	(void)state;
	assert_true(lrd_import_knows(LRD_STR("models/fox.glb")));
	assert_true(lrd_import_knows(LRD_STR("FOX.GLTF")));
	assert_false(lrd_import_knows(LRD_STR("fox.png")));
	assert_false(lrd_import_knows(LRD_STR("glb")));
}

static void versions_other_than_2_are_refused(void **state)
{
	(void)state;
	json_refused("{\"asset\":{\"version\":\"1.0\"}}", LRD_ERROR_UNSUPPORTED, "glTF 1.0");
	json_refused("{\"asset\":{\"version\":\"2.1\",\"minVersion\":\"2.1\"}}", LRD_ERROR_UNSUPPORTED, "needs 2.1");
	json_refused("{\"asset\":{\"version\":\"two\"}}", LRD_ERROR_FORMAT, "found version \"two\"");
	json_refused("{\"asset\":{}}", LRD_ERROR_FORMAT, "expected \"2.0\"");
	json_refused("{}", LRD_ERROR_FORMAT, "/asset: found nothing, expected an object");
}

static void a_later_minor_version_is_read(void **state)
{
	(void)state;
	const char *json = "{\"asset\":{\"version\":\"2.7\",\"generator\":\"me\"}}";
	lrd_error error;
	lrd_document *document = import_bytes((lrd_bytes){ json, strlen(json) }, &error);
	assert_non_null(document);
	check_text(document->generator, "me");
	assert_int_equal(document->default_scene, LRD_NO_INDEX);
	lrd_document_free(document);
}

static void a_byte_order_mark_is_skipped_and_told(void **state)
{
	(void)state;
	const char *json = "\xef\xbb\xbf{\"asset\":{\"version\":\"2.0\"}}";
	lrd_error error;
	lrd_document *document = import_bytes((lrd_bytes){ json, strlen(json) }, &error);
	assert_non_null(document);
	check_warning(document, "byte-order-mark", 1, "skipped");
	lrd_document_free(document);
}

static void an_unknown_required_extension_is_named(void **state)
{
	(void)state;
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"ACME_nothing\"]}", LRD_ERROR_UNSUPPORTED,
		"requires extension \"ACME_nothing\"");
	json_refused("{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_texture_basisu\"]}",
		LRD_ERROR_UNSUPPORTED, "requires extension \"KHR_texture_basisu\"");
}

static void an_unknown_used_extension_is_a_warning(void **state)
{
	(void)state;
	const char *json = "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":"
					   "[\"ACME_nothing\",\"KHR_xmp_json_ld\",\"KHR_materials_ior\"]}";
	lrd_error error;
	lrd_document *document = import_bytes((lrd_bytes){ json, strlen(json) }, &error);
	assert_non_null(document);
	assert_int_equal(document->warning_count, 1);
	check_warning(document, "extension", 1, "\"ACME_nothing\"");
	lrd_document_free(document);
}

static void a_missing_source_is_not_found(void **state)
{
	(void)state;
	lrd_error error;
	assert_null(lrd_import_file(&(lrd_import_desc){ .path = "no-such-folder/no.gltf" }, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, "no-such-folder/no.gltf"));
	assert_null(lrd_import_file(&(lrd_import_desc){ .path = NULL }, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_null(lrd_import_file(&(lrd_import_desc){ .root = "/", .path = "../no.gltf" }, &error));
	assert_int_equal(error.code, LRD_ERROR_PATH);
	lrd_document_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_fixture_is_the_same_as_glb_and_as_json),
		cmocka_unit_test(base64_without_padding_and_percent_encoded_bytes_are_read),
		cmocka_unit_test(broken_base64_is_refused),
		cmocka_unit_test(a_buffer_shorter_than_it_says_is_refused),
		cmocka_unit_test(a_truncated_glb_is_refused_at_every_length),
		cmocka_unit_test(bytes_after_the_end_of_a_glb_are_told),
		cmocka_unit_test(a_chunk_that_does_not_fit_is_refused),
		cmocka_unit_test(a_glb_must_begin_with_json),
		cmocka_unit_test(glb_version_1_is_refused),
		cmocka_unit_test(a_file_named_glb_that_is_none_is_refused),
		cmocka_unit_test(the_content_says_the_format_when_the_name_does_not),
		cmocka_unit_test(names_of_sources_are_known_by_extension),
		cmocka_unit_test(versions_other_than_2_are_refused),
		cmocka_unit_test(a_later_minor_version_is_read),
		cmocka_unit_test(a_byte_order_mark_is_skipped_and_told),
		cmocka_unit_test(an_unknown_required_extension_is_named),
		cmocka_unit_test(an_unknown_used_extension_is_a_warning),
		cmocka_unit_test(a_missing_source_is_not_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
