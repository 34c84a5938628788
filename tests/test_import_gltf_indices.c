// Triangle lists from every kind of primitive.

#include "fixtures/gltf_check.h"

// A mesh over `corners` of the square with these indices (none: not indexed) and this mode.
static void add_mesh(gltf_build *build, int corners, int indices, int mode)
{
	int positions = gltf_corners(build, corners);
	if (indices < 0)
	{
		gltf_add(build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"mode\":%d}]}",
			positions, mode);
		return;
	}
	gltf_add(build, "meshes",
		"{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"mode\":%d}]}", positions,
		indices, mode);
}

static void indices_of_every_width_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	const uint8_t u8[] = { 2, 1, 0, 0, 2, 3 };
	const uint16_t u16[] = { 2, 1, 0, 0, 2, 3 };
	const uint32_t u32[] = { 2, 1, 0, 0, 2, 3 };
	int view = gltf_view(&build, u8, sizeof u8, 0);
	add_mesh(&build, 4, gltf_accessor(&build, view, GLTF_U8, false, 6, "SCALAR"), 4);
	add_mesh(&build, 4, gltf_u16(&build, u16, 6), 4);
	view = gltf_view(&build, u32, sizeof u32, 0);
	add_mesh(&build, 4, gltf_accessor(&build, view, GLTF_U32, false, 6, "SCALAR"), 4);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	for (uint32_t i = 0; i < 3; i++)
	{
		check_indices(&document->meshes[i].primitives[0], u32, 6);
	}
	lrd_document_free(document);
	gltf_end(&build);
}

static void missing_indices_are_made_sequential(void **state)
{
	(void)state;
	FIXTURE(build);
	add_mesh(&build, 3, -1, 4);
	lrd_document *document = import_good(&build);
	check_indices(&document->meshes[0].primitives[0], (uint32_t[]){ 0, 1, 2 }, 3);
	check_no_warnings(document);
	lrd_document_free(document);
	gltf_end(&build);
}

static void sparse_indices_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	const uint16_t base[] = { 0, 1, 2, 0, 1, 2 }, values[] = { 2, 3 };
	int view = gltf_view(&build, base, sizeof base, 0), at = gltf_view(&build, "\4\5", 2, 0);
	int indices = gltf_add(&build, "accessors",
		"{\"bufferView\":%d,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\",\"sparse\":{\"count\":2,\"indices\":"
		"{\"bufferView\":%d,\"componentType\":5121},\"values\":{\"bufferView\":%d}}}",
		view, at, gltf_view(&build, values, sizeof values, 0));
	add_mesh(&build, 4, indices, 4);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_indices(&document->meshes[0].primitives[0], (uint32_t[]){ 0, 1, 2, 0, 2, 3 }, 6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void an_index_out_of_range_is_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	add_mesh(&build, 4, gltf_u16(&build, (const uint16_t[]){ 0, 1, 4, 9, 0, 0 }, 6), 4);
	import_refused(&build, LRD_ERROR_FORMAT,
		"fixture.gltf: mesh \"Body\", primitive 0: index 4 is out of range (the primitive has 4 vertices)");
	gltf_end(&build);
}

static void left_over_indices_are_trimmed_and_counted(void **state)
{
	(void)state;
	FIXTURE(build);
	add_mesh(&build, 4, gltf_u16(&build, (const uint16_t[]){ 0, 1, 2, 3, 9 }, 5), 4);
	lrd_document *document = import_good(&build);
	check_indices(&document->meshes[0].primitives[0], (uint32_t[]){ 0, 1, 2 }, 3);
	check_warning(document, "indices-trimmed", 2, "mesh \"Body\", primitive 0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void strips_alternate_their_winding(void **state)
{
	(void)state;
	FIXTURE(build);
	add_mesh(&build, 4, gltf_u16(&build, (const uint16_t[]){ 0, 1, 2, 3, 0 }, 5), 5);
	add_mesh(&build, 4, -1, 5);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_indices(&document->meshes[0].primitives[0], (uint32_t[]){ 0, 1, 2, 1, 3, 2, 2, 3, 0 }, 9);
	check_indices(&document->meshes[1].primitives[0], (uint32_t[]){ 0, 1, 2, 1, 3, 2 }, 6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void fans_turn_around_their_first_vertex(void **state)
{
	(void)state;
	FIXTURE(build);
	add_mesh(&build, 4, gltf_u16(&build, (const uint16_t[]){ 3, 0, 1, 2 }, 4), 6);
	add_mesh(&build, 4, -1, 6);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_indices(&document->meshes[0].primitives[0], (uint32_t[]){ 0, 1, 3, 1, 2, 3 }, 6);
	check_indices(&document->meshes[1].primitives[0], (uint32_t[]){ 1, 2, 0, 2, 3, 0 }, 6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void degenerate_triangles_of_strips_are_dropped(void **state)
{
	(void)state;
	FIXTURE(build);
	add_mesh(&build, 4, gltf_u16(&build, (const uint16_t[]){ 0, 1, 2, 2, 3, 3, 0, 1 }, 8), 5);
	lrd_document *document = import_good(&build);
	check_indices(&document->meshes[0].primitives[0], (uint32_t[]){ 0, 1, 2, 3, 1, 0 }, 6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void restart_values_begin_a_new_strip(void **state)
{
	(void)state;
	FIXTURE(build);
	add_mesh(&build, 4, gltf_u16(&build, (const uint16_t[]){ 0, 1, 2, 3, 0xffff, 1, 2, 3 }, 8), 5);
	lrd_document *document = import_good(&build);
	check_indices(&document->meshes[0].primitives[0], (uint32_t[]){ 0, 1, 2, 1, 3, 2, 1, 2, 3 }, 9);
	check_warning(document, "primitive-restart", 1, "start a new strip");
	lrd_document_free(document);
	gltf_end(&build);
}

static void points_and_lines_are_skipped_and_told(void **state)
{
	(void)state;
	FIXTURE(build);
	for (int mode = 0; mode < 4; mode++)
	{
		add_mesh(&build, 4, -1, mode);
	}
	lrd_document *document = import_good(&build);
	for (uint32_t i = 0; i < 4; i++)
	{
		assert_int_equal(document->meshes[i].primitive_count, 0);
	}
	check_warning(document, "points", 1, "mesh \"Body\", primitive 0: points");
	check_warning(document, "lines", 3, "lines can't be represented");
	lrd_document_free(document);
	gltf_end(&build);
}

static void an_unknown_mode_is_skipped_and_told(void **state)
{
	(void)state;
	FIXTURE(build);
	add_mesh(&build, 4, -1, 7);
	lrd_document *document = import_good(&build);
	check_warning(document, "primitive-mode", 1, "a drawing mode that glTF doesn't know");
	lrd_document_free(document);
	gltf_end(&build);
}

static void primitives_without_positions_or_triangles_are_left_out(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_corners(&build, 3), indices = gltf_u16(&build, (const uint16_t[]){ 0, 1 }, 2);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{}},{\"attributes\":{\"POSITION\":%d},\"indices\":%d},{\"attributes\":{"
		"\"POSITION\":%d}}]}",
		p, indices, p);
	lrd_document *document = import_good(&build);
	assert_int_equal(document->meshes[0].primitive_count, 1);
	assert_int_equal(document->meshes[0].primitives[0].index_count, 3);
	check_warning(document, "primitive-empty", 1, "mesh 0, primitive 0: it has no POSITION");
	lrd_document_free(document);
	gltf_end(&build);
}

static void indices_of_another_type_are_refused(void **state)
{
	(void)state;
	FIXTURE(build);
	const int16_t data[] = { 0, 1, 2, 0 };
	int view = gltf_view(&build, data, sizeof data, 0);
	add_mesh(&build, 3, gltf_accessor(&build, view, GLTF_I16, false, 3, "SCALAR"), 4);
	import_refused(&build, LRD_ERROR_FORMAT, "indices can't be SCALAR of i16");
	gltf_end(&build);
}

static void sequences_of_different_lengths_share_one_list(void **state)
{
	(void)state;
	FIXTURE(build);
	for (int mode = 4; mode <= 6; mode++)
	{
		add_mesh(&build, 4, -1, mode);
		add_mesh(&build, 3, -1, mode);
		add_mesh(&build, 4, -1, mode);
	}
	lrd_document *document = import_good(&build);
	for (uint32_t i = 0; i < 9; i += 3)
	{
		const lrd_document_mesh *meshes = &document->meshes[i];
		assert_ptr_equal(meshes[0].primitives[0].indices, meshes[1].primitives[0].indices);
		assert_ptr_equal(meshes[0].primitives[0].indices, meshes[2].primitives[0].indices);
		assert_int_equal(meshes[1].primitives[0].index_count, 3);
	}
	lrd_document_free(document);
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indices_of_every_width_are_read),
		cmocka_unit_test(missing_indices_are_made_sequential),
		cmocka_unit_test(sparse_indices_are_read),
		cmocka_unit_test(an_index_out_of_range_is_refused),
		cmocka_unit_test(left_over_indices_are_trimmed_and_counted),
		cmocka_unit_test(strips_alternate_their_winding),
		cmocka_unit_test(fans_turn_around_their_first_vertex),
		cmocka_unit_test(degenerate_triangles_of_strips_are_dropped),
		cmocka_unit_test(restart_values_begin_a_new_strip),
		cmocka_unit_test(points_and_lines_are_skipped_and_told),
		cmocka_unit_test(an_unknown_mode_is_skipped_and_told),
		cmocka_unit_test(primitives_without_positions_or_triangles_are_left_out),
		cmocka_unit_test(indices_of_another_type_are_refused),
		cmocka_unit_test(sequences_of_different_lengths_share_one_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
