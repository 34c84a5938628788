// Images, samplers, textures, and the extensions that name other images.

#include "fixtures/gltf_check.h"

static void embedded_images_are_copied_once(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build); // the buffer goes, the image stays
	int view = gltf_view(&build, "\x89PNG....", 8, 0);
	gltf_add(&build, "images", "{\"name\":\"A\",\"bufferView\":%d,\"mimeType\":\"image/png\"}", view);
	gltf_add(&build, "images", "{\"bufferView\":%d,\"mimeType\":\"image/png\"}", view);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	assert_int_equal(document->image_count, 2);
	check_text(document->images[0].name, "A");
	check_text(document->images[0].media_type, "image/png");
	check_text(document->images[0].path, "");
	assert_int_equal(document->images[0].bytes.size, 8);
	assert_memory_equal(document->images[0].bytes.data, "\x89PNG....", 8);
	assert_ptr_equal(document->images[0].bytes.data, document->images[1].bytes.data);
	lrd_document_free(document);
	gltf_end(&build);
}

static void samplers_say_wrap_filter_and_mips(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "images", "{\"uri\":\"data:;base64,AAAA\"}");
	gltf_add(&build, "samplers", "{\"magFilter\":9728,\"minFilter\":9728,\"wrapS\":33071,\"wrapT\":33648}");
	gltf_add(&build, "samplers", "{\"minFilter\":9987}");
	gltf_add(&build, "samplers", "{\"minFilter\":9729}");
	gltf_add(&build, "samplers", "{\"minFilter\":1,\"wrapS\":2}");
	gltf_add(&build, "textures", "{\"source\":0}");
	for (int i = 0; i < 4; i++)
	{
		gltf_add(&build, "textures", "{\"source\":0,\"sampler\":%d}", i);
	}
	lrd_document *document = import_good(&build);
	const lrd_document_texture expected[] = {
		{ 0, LRD_WRAP_REPEAT, LRD_WRAP_REPEAT, LRD_FILTER_LINEAR, true },
		{ 0, LRD_WRAP_CLAMP, LRD_WRAP_MIRROR, LRD_FILTER_POINT, false },
		{ 0, LRD_WRAP_REPEAT, LRD_WRAP_REPEAT, LRD_FILTER_LINEAR, true },
		{ 0, LRD_WRAP_REPEAT, LRD_WRAP_REPEAT, LRD_FILTER_LINEAR, false },
		{ 0, LRD_WRAP_REPEAT, LRD_WRAP_REPEAT, LRD_FILTER_LINEAR, true },
	};
	for (size_t i = 0; i < 5; i++)
	{
		const lrd_document_texture *found = &document->textures[i];
		assert_int_equal(found->image, expected[i].image);
		assert_int_equal(found->wrap_u, expected[i].wrap_u);
		assert_int_equal(found->wrap_v, expected[i].wrap_v);
		assert_int_equal(found->filter, expected[i].filter);
		assert_int_equal(found->mipmaps, expected[i].mipmaps);
	}
	check_warning(document, "sampler", 1, "sampler 3: wrapS 2 is unknown");
	assert_int_equal(document->warning_count, 2);
	lrd_document_free(document);
	gltf_end(&build);
}

static void webp_is_preferred_to_the_plain_image(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, "\"extensionsUsed\":[\"EXT_texture_webp\"]");
	gltf_add(&build, "images", "{\"uri\":\"data:;base64,AAAA\"}");
	gltf_add(&build, "images", "{\"uri\":\"data:image/webp;base64,AAAA\"}");
	gltf_add(&build, "textures", "{\"source\":0,\"extensions\":{\"EXT_texture_webp\":{\"source\":1}}}");
	gltf_add(&build, "textures", "{\"extensions\":{\"EXT_texture_webp\":{\"source\":1}}}");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	assert_int_equal(document->textures[0].image, 1);
	assert_int_equal(document->textures[1].image, 1);
	lrd_document_free(document);
	gltf_end(&build);
}

static void basis_falls_back_to_the_plain_image(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_texture_basisu\"]");
	gltf_add(&build, "images", "{\"uri\":\"data:;base64,AAAA\"}");
	gltf_add(&build, "images", "{\"uri\":\"data:image/ktx2;base64,AAAA\"}");
	gltf_add(&build, "textures", "{\"source\":0,\"extensions\":{\"KHR_texture_basisu\":{\"source\":1}}}");
	gltf_add(&build, "textures", "{\"name\":\"T\",\"extensions\":{\"KHR_texture_basisu\":{\"source\":1}}}");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->textures[0].image, 0);
	assert_int_equal(document->textures[1].image, LRD_NO_INDEX);
	check_warning(document, "extension", 1, "KHR_texture_basisu");
	check_warning(document, "texture-missing", 1, "texture \"T\" has no image but the one of KHR_texture_basisu");
	lrd_document_free(document);
	gltf_end(&build);
}

static void images_that_are_nowhere_leave_an_empty_texture(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "images", "{\"name\":\"Lost\"}");
	gltf_add(&build, "images", "{\"uri\":\"textures/lost%%20one.png\"}");
	gltf_add(&build, "textures", "{\"source\":0}");
	gltf_add(&build, "textures", "{\"source\":1}");
	gltf_add(&build, "textures", "{}");
	lrd_document *document = import_good(&build);
	for (uint32_t i = 0; i < 3; i++)
	{
		assert_int_equal(document->textures[i].image, LRD_NO_INDEX);
	}
	check_text(document->images[1].path, "textures/lost one.png");
	check_warning(document, "image-missing", 1, "image \"Lost\" has neither a uri nor a bufferView");
	check_warning(document, "texture-missing", 1, "texture 2 has no image");
	assert_int_equal(document->dependency_count, 1);
	check_text(document->dependencies[0].path, "textures/lost one.png");
	assert_true(document->dependencies[0].absent);
	lrd_document_free(document);
	gltf_end(&build);
}

static void references_to_nothing_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_add(&build, "textures", "{\"source\":0}");
	import_refused(&build, LRD_ERROR_FORMAT, "/textures/0/source: there is no image 0 (there are 0)");
	gltf_end(&build);
	gltf_add(&build, "materials", "{\"normalTexture\":{\"index\":4}}");
	import_refused(&build, LRD_ERROR_FORMAT, "/materials/0/normalTexture/index: there is no texture 4");
	gltf_end(&build);
	gltf_add(&build, "materials", "{\"normalTexture\":{}}");
	import_refused(&build, LRD_ERROR_FORMAT, "/materials/0/normalTexture/index: required, and missing");
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(embedded_images_are_copied_once),
		cmocka_unit_test(samplers_say_wrap_filter_and_mips),
		cmocka_unit_test(webp_is_preferred_to_the_plain_image),
		cmocka_unit_test(basis_falls_back_to_the_plain_image),
		cmocka_unit_test(images_that_are_nowhere_leave_an_empty_texture),
		cmocka_unit_test(references_to_nothing_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
