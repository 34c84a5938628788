// Primitives' attributes: formats, colours, tangents, joints and weights, morph targets, variants.

#include "fixtures/gltf_check.h"

#include <math.h>

static int add_mesh(gltf_build *build, const char *attributes, const char *more)
{
	return gltf_add(build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d%s}%s}]}",
		gltf_corners(build, 3), attributes, more);
}

static const lrd_document_primitive *first(const lrd_document *document)
{
	assert_int_equal(document->meshes[0].primitive_count, 1);
	return &document->meshes[0].primitives[0];
}

static char *format(char *text, size_t size, const char *pattern, int a, int b, int c, int d)
{
	(void)snprintf(text, size, pattern, a, b, c, d);
	return text;
}

static void colours_of_every_format_become_linear_rgba(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[128];
	const uint8_t u8[] = { 255, 0, 51, 0, 0, 255, 51, 0, 51, 51, 51, 0 };
	int view = gltf_view(&build, u8, sizeof u8, 4);
	int rgb = gltf_accessor(&build, view, GLTF_U8, true, 3, "VEC3");
	add_mesh(&build, format(text, sizeof text, ",\"COLOR_0\":%d", rgb, 0, 0, 0), "");
	const uint16_t u16[] = { 65535, 0, 13107, 65535, 0, 0, 0, 0, 1, 2, 3, 4 };
	view = gltf_view(&build, u16, sizeof u16, 0);
	int rgba = gltf_accessor(&build, view, GLTF_U16, true, 3, "VEC4");
	add_mesh(&build, format(text, sizeof text, ",\"COLOR_0\":%d", rgba, 0, 0, 0), "");
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_floats(
		document->meshes[0].primitives[0].colors, (float[]){ 1, 0, 0.2f, 1, 0, 1, 0.2f, 1, 0.2f, 0.2f, 0.2f, 1 }, 12);
	check_floats(document->meshes[1].primitives[0].colors, (float[]){ 1, 0, 0.2f, 1, 0, 0, 0, 0 }, 8);
	lrd_document_free(document);
	gltf_end(&build);
}

static void missing_normals_stay_missing(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_triangle(&build);
	lrd_document *document = import_good(&build);
	const lrd_document_primitive *primitive = first(document);
	assert_null(primitive->normals);
	assert_null(primitive->tangents);
	assert_null(primitive->uv[0]);
	assert_null(primitive->colors);
	assert_null(primitive->joints);
	assert_null(primitive->morphs);
	assert_int_equal(primitive->material, LRD_NO_INDEX);
	lrd_document_free(document);
	gltf_end(&build);
}

static void tangents_without_normals_are_ignored(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[64];
	const float tangents[] = { 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1 };
	int accessor = gltf_floats(&build, tangents, 3, "VEC4");
	add_mesh(&build, format(text, sizeof text, ",\"TANGENT\":%d", accessor, 0, 0, 0), "");
	lrd_document *document = import_good(&build);
	assert_null(first(document)->tangents);
	check_warning(document, "tangents-without-normals", 1, "mesh \"Body\", primitive 0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void tangent_signs_become_1_or_minus_1(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[64];
	const float normals[] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	const float tangents[] = { 1, 0, 0, 0.3f, 1, 0, 0, -2, 1, 0, 0, 1 };
	int n = gltf_floats(&build, normals, 3, "VEC3"), t = gltf_floats(&build, tangents, 3, "VEC4");
	add_mesh(&build, format(text, sizeof text, ",\"NORMAL\":%d,\"TANGENT\":%d", n, t, 0, 0), "");
	lrd_document *document = import_good(&build);
	check_floats(first(document)->tangents, (float[]){ 1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1 }, 12);
	check_warning(document, "tangent-sign", 2, "mesh \"Body\", primitive 0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void positions_that_are_not_finite_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	const float positions[] = { 0, 0, 0, 1, 0, 0, 0, NAN, 0 };
	int accessor = gltf_floats(&build, positions, 3, "VEC3");
	gltf_add(&build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", accessor);
	import_refused(&build, LRD_ERROR_FORMAT, "mesh \"Body\", primitive 0: the position of vertex 2 is not finite");
	gltf_end(&build);
}

static void other_numbers_that_are_not_finite_become_zero(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[64];
	const float uv[] = { 0, 1, INFINITY, 2, 3, NAN };
	int view = gltf_view(&build, uv, sizeof uv, 0);
	int accessor = gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC2");
	add_mesh(&build, format(text, sizeof text, ",\"TEXCOORD_1\":%d", accessor, 0, 0, 0), "");
	lrd_document *document = import_good(&build);
	check_floats(first(document)->uv[1], (float[]){ 0, 1, 0, 2, 3, 0 }, 6);
	check_warning(document, "not-finite", 2, "TEXCOORD_1");
	lrd_document_free(document);
	gltf_end(&build);
}

static void attributes_of_another_type_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[64];
	const float floats[12] = { 0 };
	int two = gltf_floats(&build, floats, 3, "VEC2");
	add_mesh(&build, format(text, sizeof text, ",\"NORMAL\":%d", two, 0, 0, 0), "");
	import_refused(&build, LRD_ERROR_FORMAT, "mesh \"Body\", primitive 0: NORMAL can't be VEC2 of f32");
	gltf_end(&build);
	int four = gltf_floats(&build, floats, 3, "VEC4");
	add_mesh(&build, format(text, sizeof text, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", four, four, 0, 0), "");
	import_refused(&build, LRD_ERROR_FORMAT, "JOINTS_0 can't be VEC4 of f32");
	gltf_end(&build);
}

static void attributes_of_another_length_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[64];
	const float floats[8] = { 0 };
	int accessor = gltf_floats(&build, floats, 4, "VEC2");
	add_mesh(&build, format(text, sizeof text, ",\"TEXCOORD_0\":%d", accessor, 0, 0, 0), "");
	import_refused(&build, LRD_ERROR_FORMAT, "TEXCOORD_0 has 4 elements, POSITION has 3");
	gltf_end(&build);
}

static void quantized_attributes_without_the_extension_are_read_and_told(void **state)
{
	(void)state;
	FIXTURE(build);
	const int8_t data[] = { 0, 0, 0, 0, 100, 0, 0, 0, 0, 50, 0, 0 };
	int view = gltf_view(&build, data, sizeof data, 4);
	gltf_accessor(&build, view, GLTF_I8, false, 3, "VEC3");
	gltf_add(&build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}");
	lrd_document *document = import_good(&build);
	check_floats(first(document)->positions, (float[]){ 0, 0, 0, 100, 0, 0, 0, 50, 0 }, 9);
	check_warning(document, "attribute-format", 1, "POSITION should not be of i8");
	lrd_document_free(document);
	gltf_member(
		&build, "\"extensionsUsed\":[\"KHR_mesh_quantization\"],\"extensionsRequired\":[\"KHR_mesh_quantization\"]");
	document = import_good(&build);
	assert_null(find_warning(document, "attribute-format"));
	lrd_document_free(document);
	gltf_end(&build);
}

static void further_sets_and_custom_attributes_are_told(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[128];
	const float uv[6] = { 0 };
	int accessor = gltf_floats(&build, uv, 3, "VEC2");
	add_mesh(&build,
		format(text, sizeof text, ",\"TEXCOORD_0\":%d,\"TEXCOORD_1\":%d,\"TEXCOORD_2\":%d,\"_HEIGHT\":%d", accessor,
			accessor, accessor, accessor),
		"");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->warning_count, 2);
	check_warning(document, "attribute", 1, "TEXCOORD_2 is left out");
	assert_ptr_equal(first(document)->uv[0], first(document)->uv[1]);
	lrd_document_free(document);
	gltf_end(&build);
}

static int joints_u8(gltf_build *build, const uint8_t *joints)
{
	int view = gltf_view(build, joints, 12, 4);
	return gltf_accessor(build, view, GLTF_U8, false, 3, "VEC4");
}

static int weights_f32(gltf_build *build, const float *weights)
{
	int view = gltf_view(build, weights, 12 * sizeof(float), 0);
	return gltf_accessor(build, view, GLTF_F32, false, 3, "VEC4");
}

static void weights_are_renormalised_and_counted(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[128];
	int joints = joints_u8(&build, (const uint8_t[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3 });
	int weights = weights_f32(&build, (const float[]){ 1, 1, 0, 0, 0, 0, 0, 0, 0.5f, 0.5f, NAN, -1 });
	add_mesh(&build, format(text, sizeof text, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", joints, weights, 0, 0), "");
	lrd_document *document = import_good(&build);
	const uint16_t expected[] = { 1, 2, 0, 0, 5, 0, 0, 0, 9, 1, 0, 0 };
	assert_memory_equal(first(document)->joints, expected, sizeof expected);
	check_floats(first(document)->weights, (float[]){ 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0 }, 12);
	check_warning(document, "weights-renormalised", 2, "mesh \"Body\", primitive 0");
	check_warning(document, "weights-missing", 1, "mesh \"Body\", primitive 0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void of_eight_influences_the_strongest_four_are_kept(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[160];
	int joints0 = joints_u8(&build, (const uint8_t[]){ 1, 2, 3, 4, 1, 2, 3, 4, 1, 0, 0, 0 });
	int joints1 = joints_u8(&build, (const uint8_t[]){ 5, 6, 7, 8, 5, 6, 7, 8, 0, 0, 0, 0 });
	int weights0 = weights_f32(&build, (const float[]){ 0.05f, 0.1f, 0.05f, 0.2f, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0 });
	int weights1 = weights_f32(&build, (const float[]){ 0.3f, 0.05f, 0.2f, 0.05f, 0, 0, 0, 0, 0, 0, 0, 0 });
	add_mesh(&build,
		format(text, sizeof text, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d,\"JOINTS_1\":%d,\"WEIGHTS_1\":%d", joints0,
			weights0, joints1, weights1),
		"");
	lrd_document *document = import_good(&build);
	const uint16_t expected[] = { 5, 4, 7, 2, 1, 2, 0, 0, 1, 0, 0, 0 };
	assert_memory_equal(first(document)->joints, expected, sizeof expected);
	check_floats(first(document)->weights, (float[]){ 0.375f, 0.25f, 0.25f, 0.125f, 0.5f, 0.5f, 0, 0 }, 8);
	assert_int_equal(document->warning_count, 1);
	check_warning(document, "influences-dropped", 1, "the strongest 4 were kept");
	lrd_document_free(document);
	gltf_end(&build);
}

static void influences_of_the_same_accessors_are_merged_once(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[128];
	int joints = joints_u8(&build, (const uint8_t[12]){ 0 });
	int weights = weights_f32(&build, (const float[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 });
	int others = weights_f32(&build, (const float[]){ 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 });
	add_mesh(&build, format(text, sizeof text, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", joints, weights, 0, 0), "");
	add_mesh(&build, format(text, sizeof text, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", joints, weights, 0, 0), "");
	add_mesh(&build, format(text, sizeof text, ",\"JOINTS_0\":%d,\"WEIGHTS_0\":%d", joints, others, 0, 0), "");
	lrd_document *document = import_good(&build);
	const lrd_document_mesh *meshes = document->meshes;
	assert_ptr_equal(meshes[0].primitives[0].weights, meshes[1].primitives[0].weights);
	assert_ptr_not_equal(meshes[0].primitives[0].weights, meshes[2].primitives[0].weights);
	assert_float_equal(meshes[2].primitives[0].weights[1], 0.5f, 0);
	lrd_document_free(document);
	gltf_end(&build);
}

static void joints_without_weights_are_ignored(void **state)
{
	(void)state;
	FIXTURE(build);
	char text[64];
	int joints = joints_u8(&build, (const uint8_t[12]){ 0 });
	add_mesh(&build, format(text, sizeof text, ",\"JOINTS_0\":%d", joints, 0, 0, 0), "");
	lrd_document *document = import_good(&build);
	assert_null(first(document)->joints);
	check_warning(document, "joints-unpaired", 1, "JOINTS_0 alone");
	lrd_document_free(document);
	gltf_end(&build);
}

static void morph_targets_keep_names_weights_and_deltas(void **state)
{
	(void)state;
	FIXTURE(build);
	const float normals[] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 }, deltas[] = { 0, 0, 1, 0, 0, 2, 0, 0, 3 };
	int n = gltf_floats(&build, normals, 3, "VEC3"), d = gltf_floats(&build, deltas, 3, "VEC3");
	gltf_add(&build, "meshes",
		"{\"name\":\"Face\",\"weights\":[0.25,0.5],\"extras\":{\"targetNames\":[\"Smile\",\"Blink\"]},"
		"\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"targets\":[{\"POSITION\":%d},{\"NORMAL\":%d}"
		"]}]}",
		gltf_corners(&build, 3), n, d, d);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	const lrd_document_mesh *mesh = &document->meshes[0];
	assert_int_equal(mesh->morph_count, 2);
	check_text(mesh->morph_names[1], "Blink");
	check_floats(mesh->weights, (float[]){ 0.25f, 0.5f }, 2);
	const lrd_document_morph *morphs = first(document)->morphs;
	check_text(morphs[0].name, "Smile");
	check_floats(morphs[0].positions, deltas, 9);
	assert_null(morphs[0].normals);
	check_floats(morphs[1].normals, deltas, 9);
	assert_null(morphs[1].positions);
	lrd_document_free(document);
	gltf_end(&build);
}

static void primitives_may_lack_morph_targets_of_others(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_corners(&build, 3);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d}},{\"attributes\":{\"POSITION\":%d},"
		"\"targets\":[{\"POSITION\":%d,\"NORMAL\":%d,\"COLOR_0\":%d}]}],\"weights\":[1,2,3]}",
		p, p, p, p, p);
	lrd_document *document = import_good(&build);
	assert_int_equal(document->meshes[0].morph_count, 1);
	assert_null(document->meshes[0].primitives[0].morphs[0].positions);
	assert_ptr_equal(
		document->meshes[0].primitives[1].morphs[0].positions, document->meshes[0].primitives[1].positions);
	assert_null(document->meshes[0].primitives[1].morphs[0].normals);
	check_warning(document, "morph-count", 1, "from 0 to 1 morph targets");
	check_warning(document, "morph-weights", 1, "3 weights for 1 morph targets");
	check_warning(document, "morph-without-base", 1, "NORMAL");
	check_warning(document, "morph-attribute", 1, "COLOR_0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void morph_targets_of_another_length_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_corners(&build, 3), q = gltf_corners(&build, 4);
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"targets\":[{\"POSITION\":%d}]}]}",
		p, q);
	import_refused(&build, LRD_ERROR_FORMAT, "POSITION has 4 elements, POSITION has 3");
	gltf_end(&build);
}

static void variants_choose_materials(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_corners(&build, 3);
	gltf_member(&build,
		"\"extensionsUsed\":[\"KHR_materials_variants\"],\"extensions\":{\"KHR_materials_variants\":{\"variants\":"
		"[{\"name\":\"Red\"},{\"name\":\"Blue\"},{\"name\":\"Green\"}]}},\"materials\":[{},{}]");
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"material\":1,\"extensions\":{\"KHR_materials_variants\":{"
		"\"mappings\":"
		"[{\"material\":0,\"variants\":[0,2]},{\"material\":1,\"variants\":[2]}]}}},{\"attributes\":{\"POSITION\":%d}}]"
		"}",
		p, p);
	lrd_document *document = import_good(&build);
	assert_int_equal(document->variant_count, 3);
	check_text(document->variants[1], "Blue");
	const uint32_t expected[] = { 0, LRD_NO_INDEX, 0 };
	assert_memory_equal(document->meshes[0].primitives[0].variant_materials, expected, sizeof expected);
	assert_int_equal(document->meshes[0].primitives[0].material, 1);
	assert_null(document->meshes[0].primitives[1].variant_materials);
	check_warning(document, "variant", 1, "variant 2 has two materials");
	lrd_document_free(document);
	gltf_end(&build);
}

static void shared_accessors_are_decoded_once(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_corners(&build, 3);
	for (int i = 0; i < 2; i++)
	{
		gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", p);
	}
	lrd_document *document = import_good(&build);
	assert_ptr_equal(document->meshes[0].primitives[0].positions, document->meshes[1].primitives[0].positions);
	assert_ptr_equal(document->meshes[0].primitives[0].indices, document->meshes[1].primitives[0].indices);
	lrd_document_free(document);
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_of_every_format_become_linear_rgba),
		cmocka_unit_test(missing_normals_stay_missing),
		cmocka_unit_test(tangents_without_normals_are_ignored),
		cmocka_unit_test(tangent_signs_become_1_or_minus_1),
		cmocka_unit_test(positions_that_are_not_finite_are_refused),
		cmocka_unit_test(other_numbers_that_are_not_finite_become_zero),
		cmocka_unit_test(attributes_of_another_type_are_refused),
		cmocka_unit_test(attributes_of_another_length_are_refused),
		cmocka_unit_test(quantized_attributes_without_the_extension_are_read_and_told),
		cmocka_unit_test(further_sets_and_custom_attributes_are_told),
		cmocka_unit_test(weights_are_renormalised_and_counted),
		cmocka_unit_test(of_eight_influences_the_strongest_four_are_kept),
		cmocka_unit_test(influences_of_the_same_accessors_are_merged_once),
		cmocka_unit_test(joints_without_weights_are_ignored),
		cmocka_unit_test(morph_targets_keep_names_weights_and_deltas),
		cmocka_unit_test(primitives_may_lack_morph_targets_of_others),
		cmocka_unit_test(morph_targets_of_another_length_are_refused),
		cmocka_unit_test(variants_choose_materials),
		cmocka_unit_test(shared_accessors_are_decoded_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
