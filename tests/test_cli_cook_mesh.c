// What the program says of meshes that were cooked: a line for each, and one for all.

#include "cli/cook_mesh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// What a report of either sort is printed as.
static void check_line(const lrd_mesh_report *report, const cli_mesh_sums *sums, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	if (report != NULL)
	{
		cli_put_mesh(file, report);
	}
	else
	{
		cli_put_mesh_sums(file, sums);
	}
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

/// A mesh of two LODs, nothing about which is special.
static lrd_mesh_report plain(void)
{
	return (lrd_mesh_report){
		.vertices_before = 300,
		.vertices = 250,
		.triangles_before = 402,
		.triangles = 400,
		.degenerate = 2,
		.cluster_count = 1,
		.lod_count = 2,
		.lods = { { .meshlet_count = 5, .triangle_count = 400 },
			{ .meshlet_offset = 5, .meshlet_count = 3, .triangle_count = 200, .error = 0.015625f } },
		.fill = { .meshlets = 5, .cones = 1, .triangles = 80.0f, .vertices = 62.25f },
	};
}

static void a_mesh_is_told_on_a_line(void **state)
{
	(void)state;
	lrd_mesh_report report = plain();
	check_line(&report, NULL,
		"vertices 300 -> 250, triangles 402 -> 400; LODs 200 (0.016); 5 meshlets of 80 triangles, 62.2 vertices, 1 "
		"cone; tangents authored");
}

static void further_lods_follow(void **state)
{
	(void)state;
	lrd_mesh_report report = plain();
	report.lod_count = 3;
	report.lods[2] = (lrd_mesh_lod){ .triangle_count = 77, .error = 12.0f };
	check_line(&report, NULL,
		"vertices 300 -> 250, triangles 402 -> 400; LODs 200 (0.016), 77 (12); 5 meshlets of 80 triangles, 62.2 "
		"vertices, 1 cone; tangents authored");
}

static void a_cluster_says_which_it_is_and_nothing_of_what_it_was_cut_from(void **state)
{
	(void)state;
	lrd_mesh_report report = plain();
	report.cluster_count = 4;
	report.cluster = 3;
	report.lod_count = 1;
	check_line(&report, NULL,
		"vertices 250, triangles 400, cluster 4 of 4; 5 meshlets of 80 triangles, 62.2 vertices, 1 cone; tangents "
		"authored");
}

static void what_was_repaired_or_lost_is_told_where_it_was(void **state)
{
	(void)state;
	lrd_mesh_report report = plain();
	report.lod_count = 1;
	report.fill.small = 2;
	report.quantized_bits = 13;
	report.position_error = 0.0078125f;
	report.uv_quantized = true;
	report.normals = LRD_FRAME_COMPUTED;
	report.normals_repaired = 7;
	report.tangents_repaired = 3;
	report.tangents = LRD_FRAME_ARBITRARY;
	report.raytracing_lod_bias = 2;
	check_line(&report, NULL,
		"vertices 300 -> 250, triangles 402 -> 400; 5 meshlets of 80 triangles, 62.2 vertices, 1 cone, 2 small; "
		"positions of 13 bits, 0.0078 off; half uv, exact; normals computed; normals repaired 7; tangents arbitrary; "
		"tangents repaired 3; rays see 2 LODs coarser");
}

static void sums_are_of_all_lods_and_count_what_was_cut_once(void **state)
{
	(void)state;
	cli_mesh_sums sums = { 0 };
	lrd_mesh_report report = plain();
	cli_add_mesh(&sums, &report);
	check_line(NULL, &sums, "1 mesh: vertices 300 -> 250, triangles 402 -> 400, with LODs 600, meshlets 8\n");
	report.cluster_count = 2;
	report.lod_count = 1;
	cli_add_mesh(&sums, &report);
	report.cluster = 1;
	cli_add_mesh(&sums, &report);
	check_line(NULL, &sums, "3 meshes: vertices 600 -> 750, triangles 804 -> 1200, with LODs 1400, meshlets 18\n");
}

static void json_has_every_lod(void **state)
{
	(void)state;
	lrd_mesh_report report = plain();
	cJSON *json = cJSON_CreateObject();
	cli_json_mesh(json, &report);
	char *text = cJSON_PrintUnformatted(json);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"lods\":[{\"triangles\":400,\"meshlets\":5,\"error\":0},"
								 "{\"triangles\":200,\"meshlets\":3,\"error\":0.015625}]"));
	assert_non_null(strstr(text, "\"degenerate_triangles\":2"));
	cJSON_free(text);
	cJSON_Delete(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mesh_is_told_on_a_line),
		cmocka_unit_test(further_lods_follow),
		cmocka_unit_test(a_cluster_says_which_it_is_and_nothing_of_what_it_was_cut_from),
		cmocka_unit_test(what_was_repaired_or_lost_is_told_where_it_was),
		cmocka_unit_test(sums_are_of_all_lods_and_count_what_was_cut_once),
		cmocka_unit_test(json_has_every_lod),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
