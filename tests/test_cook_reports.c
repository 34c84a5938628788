// What a cook reports of the files that it made, and that settings of models concern models alone.

#include "cook_scratch.h"

static int open_sources(void **state)
{
	if (scratch_open(state) != 0)
	{
		return -1;
	}
	scratch_folder(*state, "src");
	return 0;
}

/// What the one source's report says of its outputs.
typedef struct output_reports
{
	uint32_t textures;
	uint32_t meshes;
	lrd_mesh_report mesh;
	char mesh_file[64];
} output_reports;

static void keep_reports(void *user, const lrd_source_report *report)
{
	output_reports *self = user;
	self->textures += report->texture_count;
	self->meshes += report->mesh_count;
	if (report->mesh_count != 0)
	{
		self->mesh = report->meshes[0].report;
		snprintf(self->mesh_file, sizeof self->mesh_file, "%.*s", LRD_STR_ARG(report->meshes[0].file));
	}
}

static void what_became_of_textures_and_meshes_is_reported_when_they_are_made(void **state)
{
	put_image(*state, "src/a.tga", 128);
	put_textured(*state, "src/a.gltf", "a.tga");
	char source[512];
	char output[512];
	snprintf(source, sizeof source, "%s", scratch_path(*state, "src/a.gltf"));
	snprintf(output, sizeof output, "%s", scratch_path(*state, "out"));
	const char *sources[] = { source };
	output_reports made = { 0 };
	lrd_cook_desc desc = {
		.sources = sources,
		.source_count = 1,
		.output = output,
		.target = LRD_TARGET_RAW,
		.on_source = keep_reports,
		.user = &made,
	};
	assert_true(lrd_cook_run(&desc, NULL, NULL));
	assert_int_equal(made.textures, 1);
	assert_int_equal(made.meshes, 1);
	assert_string_equal(made.mesh_file, "a/part.T.lmesh");
	assert_int_equal(made.mesh.vertices_before, 3);
	assert_int_equal(made.mesh.triangles, 1);
	assert_int_equal(made.mesh.lod_count, 1);
	assert_int_equal(made.mesh.fill.meshlets, 1);
	assert_int_equal(made.mesh.normals, LRD_FRAME_COMPUTED);
	assert_int_equal(made.mesh.tangents, LRD_FRAME_ARBITRARY);
	made = (output_reports){ 0 };
	assert_true(lrd_cook_run(&desc, NULL, NULL));
	assert_int_equal(made.textures, 0);
	assert_int_equal(made.meshes, 0);
}

static void changed_settings_of_models_cook_models_and_no_images(void **state)
{
	static const char *const settings[] = { "\"lods\": false", "\"lods\": {\"error\": 0.1}", "\"quantize\": true",
		"\"spatial_clusters\": false", "\"tangents\": \"never\"", "\"scale\": 3", "\"cpu_access\": true",
		"\"skin_weights\": \"unorm16\"", "\"clips\": {\"tolerance\": 0}", "\"placement\": \"editable\"" };
	put_triangle(*state, "src/fox.gltf", "Fox");
	put_image(*state, "src/wood.tga", 128);
	cook(*state, NULL);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i)
	{
		char text[128];
		snprintf(text, sizeof text, "{\"defaults\": {\"model\": {%s}}}", settings[i]);
		scratch_put(*state, "src/larder.json", text);
		lrd_cook_report report = cook(*state, NULL);
		assert_int_equal(report.cooked, 1);
		assert_int_equal(report.up_to_date, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_became_of_textures_and_meshes_is_reported_when_they_are_made, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(
			changed_settings_of_models_cook_models_and_no_images, open_sources, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
