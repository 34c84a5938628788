// Files around a source: found, hashed, missing, or out of bounds.

#include "fixtures/gltf_check.h"

#include "base/digest.h"
#include "os_scratch.h"

static const char buffer_bytes[36] = { 0 };

static void put_bytes(scratch *self, const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(scratch_path(self, name), "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void put_source(scratch *self, const char *name, const char *buffer, const char *image)
{
	char json[1024];
	(void)snprintf(json, sizeof json,
		"{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
		"\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
		"\"count\":3,"
		"\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[0,0,0]}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
		"\"POSITION\":0}}]}],"
		"\"images\":[{\"name\":\"I\",\"uri\":\"%s\"},{\"uri\":\"%s\"}],\"textures\":[{\"source\":0}]}",
		buffer, image, image);
	put_bytes(self, name, json, strlen(json));
}

static void make_folder(scratch *self, const char *name)
{
	assert_int_equal(mkdir(scratch_path(self, name), 0700), 0);
}

static lrd_document *import_from(scratch *self, const char *path, lrd_error *error)
{
	return lrd_import_file(&(lrd_import_desc){ .root = self->root, .path = path }, error);
}

static const lrd_document_dependency *dependency(const lrd_document *document, const char *path)
{
	for (uint32_t i = 0; i < document->dependency_count; i++)
	{
		if (lrd_string_equal(document->dependencies[i].path, lrd_string_from(path)))
		{
			return &document->dependencies[i];
		}
	}
	fail_msg("no dependency %s", path);
	return NULL;
}

static void external_files_are_read_hashed_and_reported(void **state)
{
	scratch *self = *state;
	make_folder(self, "models");
	make_folder(self, "tex");
	put_source(self, "models/a.gltf", "my%20data.bin", "../tex/%c3%a9.png");
	put_bytes(self, "models/my data.bin", buffer_bytes, sizeof buffer_bytes);
	put_bytes(self, "tex/\xc3\xa9.png", "PNG", 3);
	lrd_error error = { .code = LRD_OK };
	lrd_document *document = import_from(self, "models/a.gltf", &error);
	assert_string_equal(error.message, "");
	assert_non_null(document);
	check_no_warnings(document);
	check_text(document->images[0].path, "tex/\xc3\xa9.png");
	assert_int_equal(document->images[0].bytes.size, 0);
	assert_int_equal(document->textures[0].image, 0);
	assert_int_equal(document->dependency_count, 2); // once each, though two images name one file
	lrd_hash128 hash = lrd_xxh3_128("PNG", 3);
	const lrd_document_dependency *image = dependency(document, "tex/\xc3\xa9.png");
	assert_false(image->absent);
	assert_true(image->hash[0] == hash.low && image->hash[1] == hash.high);
	hash = lrd_xxh3_128(buffer_bytes, sizeof buffer_bytes);
	assert_true(dependency(document, "models/my data.bin")->hash[0] == hash.low);
	lrd_document_free(document);
}

static void a_missing_image_is_a_warning_and_a_dependency(void **state)
{
	scratch *self = *state;
	put_source(self, "a.gltf", "a.bin", "gone.png");
	put_bytes(self, "a.bin", buffer_bytes, sizeof buffer_bytes);
	lrd_error error;
	lrd_document *document = import_from(self, "a.gltf", &error);
	assert_non_null(document);
	assert_int_equal(document->textures[0].image, LRD_NO_INDEX);
	check_text(document->images[0].path, "gone.png");
	assert_true(dependency(document, "gone.png")->absent);
	assert_int_equal(dependency(document, "gone.png")->hash[0], 0);
	check_warning(document, "image-missing", 1, "image \"I\": the file \"gone.png\" is missing");
	lrd_document_free(document);
}

static void a_missing_buffer_is_an_error(void **state)
{
	scratch *self = *state;
	put_source(self, "a.gltf", "gone.bin", "gone.png");
	lrd_error error;
	assert_null(import_from(self, "a.gltf", &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_string_equal(error.message, "a.gltf: /buffers/0: the file \"gone.bin\" is missing");
}

static void a_short_buffer_file_is_an_error(void **state)
{
	scratch *self = *state;
	put_source(self, "a.gltf", "a.bin", "gone.png");
	put_bytes(self, "a.bin", buffer_bytes, 35);
	lrd_error error;
	assert_null(import_from(self, "a.gltf", &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_string_equal(error.message, "a.gltf: /buffers/0: the file has 35 bytes, byteLength says 36");
}

static void paths_that_leave_the_root_are_refused(void **state)
{
	scratch *self = *state;
	make_folder(self, "root");
	put_bytes(self, "secret.bin", buffer_bytes, sizeof buffer_bytes);
	static const char *const uris[] = { "../secret.bin", "%2e%2e/secret.bin", "/etc/passwd", "file:///etc/passwd",
		"http://example.com/a.bin", "..%5csecret.bin", "a/../../secret.bin", "C:/secret.bin" };
	for (size_t i = 0; i < sizeof uris / sizeof uris[0]; i++)
	{
		put_source(self, "root/a.gltf", uris[i], "x.png");
		lrd_error error;
		lrd_import_desc desc = { .root = scratch_path(self, "root"), .path = "a.gltf" };
		assert_null(lrd_import_file(&desc, &error));
		assert_int_equal(error.code, LRD_ERROR_PATH);
		assert_non_null(strstr(error.message, "a.gltf: /buffers/0: "));
	}
}

static void links_that_leave_the_root_are_refused(void **state)
{
	scratch *self = *state;
	make_folder(self, "root");
	put_bytes(self, "secret.bin", buffer_bytes, sizeof buffer_bytes);
	assert_int_equal(symlink("../secret.bin", scratch_path(self, "root/link.bin")), 0);
	put_source(self, "root/a.gltf", "link.bin", "x.png");
	lrd_error error;
	lrd_import_desc desc = { .root = scratch_path(self, "root"), .path = "a.gltf" };
	assert_null(lrd_import_file(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_PATH);
}

static void without_a_root_the_source_s_folder_is_the_root(void **state)
{
	scratch *self = *state;
	make_folder(self, "models");
	put_source(self, "models/a.gltf", "a.bin", "i.png");
	put_bytes(self, "models/a.bin", buffer_bytes, sizeof buffer_bytes);
	put_bytes(self, "models/i.png", "PNG", 3);
	lrd_error error;
	lrd_document *document = lrd_import_file(&(lrd_import_desc){ .path = scratch_path(self, "models/a.gltf") }, &error);
	assert_non_null(document);
	check_text(document->images[0].path, "i.png");
	lrd_document_free(document);
	put_source(self, "models/a.gltf", "../a.bin", "i.png");
	assert_null(lrd_import_file(&(lrd_import_desc){ .path = scratch_path(self, "models/a.gltf") }, &error));
	assert_int_equal(error.code, LRD_ERROR_PATH);
}

static void buffers_that_name_one_file_read_it_once(void **state)
{
	scratch *self = *state;
	put_bytes(self, "a.bin", buffer_bytes, sizeof buffer_bytes);
	const char *json = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"a.bin\"},{"
					   "\"byteLength\":20,\"uri\":"
					   "\"./a.bin\"}],\"images\":[{\"uri\":\"a.bin\"}]}";
	put_bytes(self, "a.gltf", json, strlen(json));
	lrd_error error;
	lrd_document *document = import_from(self, "a.gltf", &error);
	assert_non_null(document);
	assert_int_equal(document->dependency_count, 1);
	lrd_document_free(document);
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(external_files_are_read_hashed_and_reported),
		FILE_TEST(a_missing_image_is_a_warning_and_a_dependency),
		FILE_TEST(a_missing_buffer_is_an_error),
		FILE_TEST(a_short_buffer_file_is_an_error),
		FILE_TEST(paths_that_leave_the_root_are_refused),
		FILE_TEST(links_that_leave_the_root_are_refused),
		FILE_TEST(without_a_root_the_source_s_folder_is_the_root),
		FILE_TEST(buffers_that_name_one_file_read_it_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
