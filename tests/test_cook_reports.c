// What a cook reports of the files that it made, and that settings of models concern models alone.

#include "cook_scratch.h"
#include "fixtures/gltf_clip.h"
#include "os/os.h"

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
	uint32_t clips;
	double seconds;
	lrd_mesh_report mesh;
	char mesh_file[64];
} output_reports;

static void keep_reports(void *user, const lrd_source_report *report)
{
	output_reports *self = user;
	self->textures += report->texture_count;
	self->meshes += report->mesh_count;
	self->clips += report->clip_count;
	self->seconds += report->seconds;
	if (report->mesh_count != 0)
	{
		self->mesh = report->meshes[0].report;
		snprintf(self->mesh_file, sizeof self->mesh_file, "%.*s", LRD_STR_ARG(report->meshes[0].file));
	}
}

static void cook_reporting(scratch *self, const lrd_jobs *jobs, output_reports *made)
{
	char source[512];
	char output[512];
	snprintf(source, sizeof source, "%s", scratch_path(self, "src"));
	snprintf(output, sizeof output, "%s", scratch_path(self, "out"));
	const char *sources[] = { source };
	lrd_cook_desc desc = {
		.sources = sources,
		.source_count = 1,
		.output = output,
		.target = LRD_TARGET_RAW,
		.jobs = jobs,
		.on_source = keep_reports,
		.user = made,
	};
	assert_true(lrd_cook_run(&desc, NULL, NULL));
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

static void clips_are_reported_when_they_are_made(void **state)
{
	static const float times[] = { 0, 1 };
	static const float steps[] = { 0, 0, 0, 1, 2, 3 };
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"name\":\"Door\"}");
	add_clip(&build, "Open", &(channel_build){ 0, "translation", "LINEAR", times, 2, steps, 2, "VEC3" }, 1);
	put_bytes(*state, "src/door.gltf", gltf_finish(&build, GLTF_FORM_DATA_URI));
	gltf_end(&build);
	output_reports made = { 0 };
	cook_reporting(*state, NULL, &made);
	assert_int_equal(made.clips, 1);
	made = (output_reports){ 0 };
	cook_reporting(*state, NULL, &made);
	assert_int_equal(made.clips, 0);
}

/// One worker that is late for every job, and knows by how much.
typedef struct late_jobs
{
	lrd_mutex mutex;
	lrd_condition changed;
	lrd_job *first, *last;
	bool ends;
	uint64_t late_ns;
} late_jobs;

static bool submit_late(void *user, lrd_job *job)
{
	late_jobs *self = user;
	lrd_mutex_lock(&self->mutex);
	job->next = NULL;
	*(self->first == NULL ? &self->first : &self->last->next) = job;
	self->last = job;
	lrd_condition_signal(&self->changed);
	lrd_mutex_unlock(&self->mutex);
	return true;
}

static uint32_t one_worker(void *user)
{
	(void)user;
	return 1;
}

static void work_late(void *user)
{
	late_jobs *self = user;
	for (;;)
	{
		lrd_mutex_lock(&self->mutex);
		while (self->first == NULL && !self->ends)
		{
			lrd_condition_wait(&self->changed, &self->mutex);
		}
		lrd_job *job = self->first;
		self->first = job != NULL ? job->next : NULL;
		lrd_mutex_unlock(&self->mutex);
		if (job == NULL)
		{
			return;
		}
		uint64_t before = lrd_clock_ns();
		usleep(5000);
		self->late_ns += lrd_clock_ns() - before;
		job->run(job);
	}
}

static void a_sources_seconds_are_those_of_its_own_work(void **state)
{
	put_triangle(*state, "src/fox.gltf", "Fox");
	late_jobs late = { 0 };
	lrd_mutex_init(&late.mutex);
	lrd_condition_init(&late.changed);
	lrd_thread *worker = lrd_thread_start(work_late, &late, 0, (lrd_allocator){ 0 }, NULL);
	assert_non_null(worker);
	lrd_jobs jobs = { .submit = submit_late, .worker_count = one_worker, .user = &late };
	output_reports made = { 0 };
	uint64_t before = lrd_clock_ns();
	cook_reporting(*state, &jobs, &made);
	uint64_t took_ns = lrd_clock_ns() - before;
	lrd_mutex_lock(&late.mutex);
	late.ends = true;
	lrd_condition_signal(&late.changed);
	lrd_mutex_unlock(&late.mutex);
	lrd_thread_join(worker);
	assert_int_equal(made.meshes, 1);
	assert_true(late.late_ns >= 3 * UINT64_C(5000000)); // for the source, its mesh and its model
	assert_true(made.seconds > 0.0);
	assert_true(made.seconds <= (double)(took_ns - late.late_ns) * 1e-9);
}

static void warnings_are_counted_as_they_are_told_and_as_they_occur(void **state)
{
	gltf_build build;
	gltf_begin(&build);
	static const float twice[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5 };
	gltf_add(&build, "meshes", "{\"name\":\"T\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}",
		gltf_floats(&build, twice, 9, "VEC3"));
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	put_bytes(*state, "src/a.gltf", gltf_finish(&build, GLTF_FORM_DATA_URI));
	gltf_end(&build);
	lrd_cook_report report = cook(*state, NULL);
	assert_int_equal(report.warnings, 2);            // no normals; no area
	assert_int_equal(report.warning_occurrences, 3); // one primitive; two triangles
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
		cmocka_unit_test_setup_teardown(clips_are_reported_when_they_are_made, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(a_sources_seconds_are_those_of_its_own_work, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(
			warnings_are_counted_as_they_are_told_and_as_they_occur, open_sources, scratch_close),
		cmocka_unit_test_setup_teardown(
			changed_settings_of_models_cook_models_and_no_images, open_sources, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
