// The driver: what is cooked, what is left alone, what is deleted, and what a tree looks like afterwards.

#include "cook_scratch.h"

#include "cook/database.h"
#include "os/os.h"

#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <utime.h>

static int open_sources(void **state)
{
	if (scratch_open(state) != 0)
	{
		return -1;
	}
	scratch_folder(*state, "src");
	scratch_folder(*state, "src/models");
	return 0;
}

static void a_second_cook_does_nothing(void **state)
{
	put_triangle(*state, "src/models/fox.gltf", "Fox");
	put_image(*state, "src/wood.tga", 128);
	lrd_cook_report first = cook(*state, NULL);
	assert_int_equal(first.cooked, 2);
	assert_int_equal(first.failed, 0);
	struct stat before;
	struct stat after;
	stat(scratch_path(*state, "out/models/fox.lmodel"), &before);
	lrd_cook_report second = cook(*state, NULL);
	stat(scratch_path(*state, "out/models/fox.lmodel"), &after);
	assert_int_equal(second.cooked, 0);
	assert_int_equal(second.up_to_date, 2);
	assert_int_equal(second.outputs, first.outputs);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void touching_a_source_cooks_nothing(void **state)
{
	put_triangle(*state, "src/models/fox.gltf", "Fox");
	cook(*state, NULL);
	struct utimbuf later = { 2000000000, 2000000000 };
	assert_int_equal(utime(scratch_path(*state, "src/models/fox.gltf"), &later), 0);
	assert_int_equal(cook(*state, NULL).up_to_date, 1);
}

static void only_what_changed_is_cooked_again(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	put_triangle(*state, "src/b.gltf", "B");
	cook(*state, NULL);
	put_triangle(*state, "src/b.gltf", "Bee");
	cook_log log;
	lrd_cook_report report = cook(*state, &log);
	assert_int_equal(report.cooked, 1);
	cook_log_find(&log, "up to date a.gltf");
	cook_log_find(&log, "cooked b.gltf");
}

static void a_changed_sidecar_cooks_its_source_again(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	scratch_put(*state, "src/a.gltf.larder.json", "{\"model\": {\"placement\": \"separate\"}}");
	assert_int_equal(cook(*state, NULL).cooked, 1);
	scratch_put(*state, "src/a.gltf.larder.json", "{ \"model\" : { \"placement\" : \"separate\" } }");
	assert_int_equal(cook(*state, NULL).up_to_date, 1);
}

static void a_project_rule_is_part_of_what_a_source_depends_on(void **state)
{
	put_image(*state, "src/wood.tga", 1);
	put_image(*state, "src/stone.tga", 2);
	cook(*state, NULL);
	scratch_put(*state, "src/larder.json", "{\"rules\": [{\"match\": \"wood.*\", \"texture\": {\"mipmaps\": false}}]}");
	cook_log log;
	assert_int_equal(cook(*state, &log).cooked, 1);
	cook_log_find(&log, "cooked wood.tga");
}

static void a_changed_image_cooks_the_model_that_reads_it(void **state)
{
	put_textured(*state, "src/a.gltf", "wood.tga");
	put_image(*state, "src/wood.tga", 10);
	cook(*state, NULL);
	put_image(*state, "src/wood.tga", 20);
	assert_int_equal(cook(*state, NULL).cooked, 1);
}

static void an_image_that_appears_cooks_the_model_that_missed_it(void **state)
{
	put_textured(*state, "src/a.gltf", "wood.tga");
	lrd_cook_report first = cook(*state, NULL);
	assert_int_equal(first.cooked, 1);
	assert_true(first.warnings > 0);
	assert_false(file_exists(*state, "out/a/image.wood.ktx2"));
	assert_int_equal(cook(*state, NULL).up_to_date, 1);
	put_image(*state, "src/wood.tga", 20);
	assert_int_equal(cook(*state, NULL).cooked, 1);
	assert_true(file_exists(*state, "out/a/image.wood.ktx2"));
}

static void a_models_image_is_not_cooked_on_its_own_unless_a_sidecar_asks(void **state)
{
	put_textured(*state, "src/a.gltf", "wood.tga");
	put_image(*state, "src/wood.tga", 10);
	cook_log log;
	assert_int_equal(cook(*state, &log).skipped, 1);
	assert_string_equal(cook_log_find(&log, "skipped wood.tga"), "skipped wood.tga: part of a.gltf");
	assert_false(file_exists(*state, "out/wood.ktx2"));
	scratch_put(*state, "src/wood.tga.larder.json", "{\"cook\": true}");
	cook(*state, NULL);
	assert_true(file_exists(*state, "out/wood.ktx2"));
	remove(scratch_path(*state, "src/wood.tga.larder.json"));
	assert_int_equal(cook(*state, NULL).pruned, 1);
	assert_false(file_exists(*state, "out/wood.ktx2"));
}

static void images_that_a_model_owns_may_share_a_stem(void **state)
{
	put_textured(*state, "src/a.gltf", "wood.tga");
	put_image(*state, "src/wood.tga", 10);
	put_bytes(*state, "src/wood.png", (lrd_bytes){ "no image", 8 });
	cook_log log;
	cook(*state, &log);
	cook_log_find(&log, "skipped wood.tga: part of a.gltf");
	assert_null(strstr(cook_log_find(&log, "failed wood.png"), "both yield"));
}

static void a_source_renamed_by_case_alone_is_cooked_under_its_new_name(void **state)
{
	put_triangle(*state, "src/Fox.gltf", "A");
	cook(*state, NULL);
	rename(scratch_path(*state, "src/Fox.gltf"), scratch_path(*state, "src/moved"));
	rename(scratch_path(*state, "src/moved"), scratch_path(*state, "src/fox.gltf"));
	lrd_cook_report report = cook(*state, NULL);
	assert_int_equal(report.cooked, 1);
	assert_int_equal(report.failed, 0);
	assert_true(file_exists(*state, "out/fox.lmodel"));
	assert_false(file_exists(*state, "out/Fox.lmodel"));
}

static void a_file_whose_owner_is_gone_may_be_yielded_by_another_at_once(void **state)
{
	scratch_folder(*state, "src/a");
	put_image(*state, "src/a/image.wood.tga", 10);
	put_image(*state, "src/wood.tga", 20);
	cook(*state, NULL);
	unlink(scratch_path(*state, "src/a/image.wood.tga"));
	put_textured(*state, "src/a.gltf", "wood.tga");
	lrd_cook_report report = cook(*state, NULL);
	assert_int_equal(report.failed, 0);
	assert_true(file_exists(*state, "out/a/image.wood.ktx2"));
}

static void an_output_renamed_by_case_alone_leaves_nothing_behind(void **state)
{
	put_textured(*state, "src/a.gltf", "Wood.tga");
	put_image(*state, "src/Wood.tga", 10);
	put_image(*state, "src/wood.tga", 20);
	cook(*state, NULL);
	assert_true(file_exists(*state, "out/a/image.Wood.ktx2"));
	put_textured(*state, "src/a.gltf", "wood.tga");
	assert_int_equal(cook(*state, NULL).failed, 0);
	assert_true(file_exists(*state, "out/a/image.wood.ktx2"));
	assert_true(file_exists(*state, "out/Wood.ktx2"));
	assert_false(file_exists(*state, "out/a/image.Wood.ktx2"));
}

typedef struct told
{
	unsigned warnings;
	unsigned errors;
	char last[1400];
} told;

static void hear(void *user, lrd_log_level level, const char *scope, const char *message)
{
	told *heard = user;
	assert_string_equal(scope, "cook");
	heard->warnings += level == LRD_LOG_WARNING;
	heard->errors += level == LRD_LOG_ERROR;
	snprintf(heard->last, sizeof heard->last, "%s", message);
}

static void the_log_hears_of_warnings_and_failures_where_nobody_takes_reports(void **state)
{
	put_textured(*state, "src/a.gltf", "nowhere.tga");
	scratch_put(*state, "src/b.gltf", "{");
	char source[512];
	char output[512];
	snprintf(source, sizeof source, "%s", scratch_path(*state, "src"));
	snprintf(output, sizeof output, "%s", scratch_path(*state, "out"));
	const char *sources[] = { source };
	told heard = { 0 };
	lrd_cook_desc desc = { .sources = sources, .source_count = 1, .output = output, .log = { hear, &heard } };
	lrd_cook_report report;
	assert_true(lrd_cook_run(&desc, &report, NULL));
	assert_int_equal(heard.warnings, report.warnings);
	assert_true(heard.warnings > 0);
	assert_int_equal(heard.errors, 1);
	assert_non_null(strstr(heard.last, "b.gltf: "));
}

static void a_deleted_output_is_made_again(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	assert_int_equal(remove(scratch_path(*state, "out/a.lmodel")), 0);
	assert_int_equal(cook(*state, NULL).cooked, 1);
	assert_true(file_exists(*state, "out/a.lmodel"));
}

static void outputs_of_a_source_that_is_gone_are_deleted(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	put_triangle(*state, "src/models/b.gltf", "B");
	cook(*state, NULL);
	remove(scratch_path(*state, "src/models/b.gltf"));
	assert_true(cook(*state, NULL).pruned >= 2);
	assert_false(file_exists(*state, "out/models/b.lmodel"));
	assert_false(file_exists(*state, "out/models/b"));
	assert_true(file_exists(*state, "out/a.lmodel"));
}

static void folders_left_empty_go_too(void **state)
{
	scratch_folder(*state, "src/models/deep");
	put_triangle(*state, "src/models/deep/b.gltf", "B");
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	remove(scratch_path(*state, "src/models/deep/b.gltf"));
	cook(*state, NULL);
	assert_false(file_exists(*state, "out/models"));
}

static void a_source_whose_sidecar_is_broken_keeps_its_last_good_files(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	scratch_put(*state, "src/a.gltf.larder.json", "{ broken");
	lrd_cook_report report = cook(*state, NULL);
	assert_int_equal(report.failed, 1);
	assert_int_equal(report.pruned, 0);
	assert_true(file_exists(*state, "out/a.lmodel"));
}

static void a_broken_sidecar_of_a_models_image_is_an_error(void **state)
{
	put_textured(*state, "src/a.gltf", "wood.tga");
	put_image(*state, "src/wood.tga", 10);
	scratch_put(*state, "src/wood.tga.larder.json", "{\"textur\": {}}");
	cook_log log;
	assert_int_equal(cook(*state, &log).failed, 1);
	assert_non_null(strstr(cook_log_find(&log, "failed wood.tga"), "unknown key"));
}

static void a_single_file_cooked_alone_prunes_nothing(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	put_triangle(*state, "src/b.gltf", "B");
	cook(*state, NULL);
	lrd_cook_report report;
	lrd_error error;
	assert_true(cook_try(*state, &(cook_setup){ .source = "src/a.gltf" }, NULL, &report, &error));
	assert_int_equal(report.up_to_date, 1);
	assert_int_equal(report.pruned, 0);
	assert_true(file_exists(*state, "out/b.lmodel"));
}

static void a_file_under_a_root_keeps_its_name_and_rules(void **state)
{
	scratch *self = *state;
	put_triangle(self, "src/models/a.gltf", "A");
	scratch_put(
		self, "src/larder.json", "{\"rules\": [{\"match\": \"models/*\", \"model\": {\"placement\": \"separate\"}}]}");
	cook(self, NULL);
	lrd_cook_report report;
	lrd_error error = { 0 };
	cook_setup setup = { .source = "src/models/a.gltf", .root = "src" };
	assert_true(cook_try(self, &setup, NULL, &report, &error));
	assert_int_equal(report.up_to_date, 1);
	setup.root = "src/mod";
	assert_false(cook_try(self, &setup, NULL, &report, &error));
	assert_non_null(strstr(error.message, "does not lie under"));
}

static void a_named_file_that_is_no_source_fails(void **state)
{
	scratch_put(*state, "src/notes.txt", "x");
	scratch_put(*state, "src/larder.json", "{}");
	lrd_cook_report report;
	assert_true(cook_try(*state, &(cook_setup){ .source = "src/notes.txt" }, NULL, &report, NULL));
	assert_int_equal(report.failed, 1);
	assert_true(cook_try(*state, &(cook_setup){ .source = "src/larder.json" }, NULL, &report, NULL));
	assert_int_equal(report.failed, 1);
}

static void a_source_root_is_no_output(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	lrd_cook_report report;
	lrd_error error = { 0 };
	assert_false(cook_try(*state, &(cook_setup){ .output = "src" }, NULL, &report, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_false(file_exists(*state, "src/a.lmodel"));
}

static void a_part_that_a_source_no_longer_yields_is_deleted(void **state)
{
	gltf_build build;
	gltf_begin(&build);
	int mesh = gltf_triangle(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", mesh);
	gltf_add(&build, "materials", "{\"name\":\"Old\"}");
	put_bytes(*state, "src/a.gltf", gltf_finish(&build, GLTF_FORM_DATA_URI));
	gltf_end(&build);
	cook(*state, NULL);
	assert_true(file_exists(*state, "out/a/material.Old.lmat"));
	put_triangle(*state, "src/a.gltf", "A");
	assert_int_equal(cook(*state, NULL).pruned, 1);
	assert_false(file_exists(*state, "out/a/material.Old.lmat"));
}

static void a_source_that_fails_keeps_its_last_good_files_and_stops_nobody(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	put_triangle(*state, "src/b.gltf", "B");
	cook(*state, NULL);
	lrd_bytes before = read_file(scratch_path(*state, "out/a.lmodel"));
	scratch_put(*state, "src/a.gltf", "{ broken");
	put_triangle(*state, "src/b.gltf", "Bee");
	cook_log log;
	lrd_cook_report report = cook(*state, &log);
	assert_int_equal(report.failed, 1);
	assert_int_equal(report.cooked, 1);
	assert_non_null(strstr(cook_log_find(&log, "failed a.gltf"), "a.gltf"));
	lrd_bytes after = read_file(scratch_path(*state, "out/a.lmodel"));
	assert_int_equal(before.size, after.size);
	assert_memory_equal(before.data, after.data, before.size);
	free((void *)(uintptr_t)before.data);
	free((void *)(uintptr_t)after.data);
	put_triangle(*state, "src/a.gltf", "A");
	assert_int_equal(cook(*state, NULL).failed, 0);
}

static void two_sources_of_one_name_are_both_refused_and_named(void **state)
{
	put_triangle(*state, "src/fox.gltf", "A");
	put_triangle(*state, "src/Fox.glb", "B");
	put_image(*state, "src/fox.tga", 3);
	cook_log log;
	lrd_cook_report report = cook(*state, &log);
	assert_int_equal(report.failed, 2);
	assert_int_equal(report.cooked, 1);
	const char *line = cook_log_find(&log, "failed fox.gltf");
	assert_non_null(strstr(line, "Fox.glb"));
	assert_non_null(strstr(line, "\"stem\""));
	assert_non_null(strstr(cook_log_find(&log, "failed Fox.glb"), "fox.gltf"));
	scratch_put(*state, "src/fox.gltf.larder.json", "{\"stem\": \"renard\"}");
	assert_int_equal(cook(*state, NULL).failed, 0);
	assert_true(file_exists(*state, "out/renard.lmodel"));
}

static void one_path_under_two_roots_is_refused_with_the_roots(void **state)
{
	scratch_folder(*state, "other");
	put_triangle(*state, "src/fox.gltf", "A");
	put_triangle(*state, "other/fox.gltf", "B");
	char roots[2][512];
	char output[512];
	snprintf(roots[0], sizeof roots[0], "%s", scratch_path(*state, "src"));
	snprintf(roots[1], sizeof roots[1], "%s", scratch_path(*state, "other"));
	snprintf(output, sizeof output, "%s", scratch_path(*state, "out"));
	const char *sources[] = { roots[0], roots[1] };
	cook_log log = { .count = 0 };
	lrd_cook_desc desc = {
		.sources = sources,
		.source_count = 2,
		.output = output,
		.on_source = cook_log_source,
		.user = &log,
	};
	assert_true(lrd_cook_run(&desc, NULL, NULL));
	const char *line = cook_log_find(&log, "failed fox.gltf");
	assert_non_null(strstr(line, "src/fox.gltf"));
	assert_non_null(strstr(line, "other/fox.gltf"));
}

static void a_file_that_two_sources_would_write_is_refused_with_both_names(void **state)
{
	put_textured(*state, "src/a.gltf", "wood.tga");
	put_image(*state, "src/wood.tga", 10);
	scratch_folder(*state, "src/a");
	put_image(*state, "src/a/image.wood.tga", 10);
	cook_log log;
	assert_int_equal(cook(*state, &log).failed, 1);
	const char *line = cook_log_find(&log, "failed a/image.wood.tga");
	assert_non_null(strstr(line, "a/image.wood.ktx2"));
	assert_non_null(strstr(line, "a.lmodel"));
}

static void files_of_unknown_type_and_dotfiles_are_passed_over(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	scratch_put(*state, "src/notes.txt", "x");
	scratch_put(*state, "src/.hidden.gltf", "x");
	cook_log log;
	lrd_cook_report report = cook(*state, &log);
	assert_int_equal(report.skipped, 1);
	assert_int_equal(report.failed, 0);
	cook_log_find(&log, "skipped notes.txt");
}

static void a_link_out_of_the_source_root_is_not_followed(void **state)
{
	put_triangle(*state, "outside.gltf", "A");
	scratch_link(*state, "src/inside.gltf", "../outside.gltf");
	put_textured(*state, "src/b.gltf", "sneaky.tga");
	put_image(*state, "secret.tga", 1);
	scratch_link(*state, "src/sneaky.tga", "../secret.tga");
	cook_log log;
	lrd_cook_report report = cook(*state, &log);
	cook_log_find(&log, "skipped inside.gltf");
	assert_int_equal(report.failed, 1);
	cook_log_find(&log, "failed b.gltf");
}

static void paths_that_leave_the_root_are_refused(void **state)
{
	static const char *const paths[] = { "../secret.tga", "/etc/passwd", "..%2fsecret.tga", "models/../../secret.tga",
		"file:///etc/passwd", "C:/secret.tga" };
	put_image(*state, "secret.tga", 1);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
	{
		put_textured(*state, "src/a.gltf", paths[i]);
		cook_log log;
		lrd_cook_report report = cook(*state, &log);
		assert_int_equal(report.failed, 1);
		assert_non_null(strstr(cook_log_find(&log, "failed a.gltf"), "a.gltf"));
	}
}

static void any_number_of_workers_gives_the_same_bytes(void **state)
{
	scratch *self = *state;
	for (int i = 0; i < 12; ++i)
	{
		char name[64];
		snprintf(name, sizeof name, "src/models/m%d.gltf", i);
		put_triangle(self, name, name);
		snprintf(name, sizeof name, "src/i%d.tga", i);
		put_image(self, name, (unsigned char)(i * 20));
	}
	cook(self, NULL);
	for (uint32_t workers = 1; workers <= 4; ++workers)
	{
		lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = workers }, NULL);
		assert_non_null(pool);
		lrd_jobs jobs = lrd_job_pool_jobs(pool);
		char output[32];
		snprintf(output, sizeof output, "out%u", workers);
		lrd_cook_report report;
		lrd_error error = { 0 };
		assert_true(cook_try(self, &(cook_setup){ .output = output, .jobs = &jobs }, NULL, &report, &error));
		assert_int_equal(report.cooked, 24);
		lrd_job_pool_destroy(pool);
		assert_same_tree(scratch_path(self, "out"), scratch_path(self, output));
	}
}

static void another_folder_locale_and_umask_give_the_same_bytes(void **state)
{
	scratch *self = *state;
	put_triangle(self, "src/models/fox.gltf", "Fox");
	put_image(self, "src/wood.tga", 99);
	cook(self, NULL);
	char command[1200];
	snprintf(command, sizeof command, "mkdir -p '%s/deep/er' && cp -r '%s/src' '%s/deep/er/src'", self->root,
		self->root, self->root);
	assert_int_equal(system(command), 0);
	mode_t old = umask(077);
	char *locale = setlocale(LC_ALL, "de_DE.UTF-8");
	lrd_cook_report report;
	bool good = cook_try(self, &(cook_setup){ .source = "deep/er/src", .output = "deep/out" }, NULL, &report, NULL);
	setlocale(LC_ALL, "C");
	umask(old);
	assert_true(good);
	assert_same_tree(scratch_path(self, "out"), scratch_path(self, "deep/out"));
	if (locale == NULL)
	{
		print_message("the locale de_DE.UTF-8 is not installed; folder and umask were tested\n");
	}
}

static void two_cooks_of_one_folder_exclude_each_other(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	lrd_file_lock lock;
	lrd_error error = { 0 };
	assert_true(lrd_file_lock_take(scratch_path(*state, "out/.larder/lock"), &lock, &error));
	lrd_cook_report report;
	assert_false(cook_try(*state, &(cook_setup){ 0 }, NULL, &report, &error));
	assert_int_equal(error.code, LRD_ERROR_CONFLICT);
	assert_non_null(strstr(error.message, "another cook"));
	lrd_file_lock_release(&lock);
	cook(*state, NULL);
}

static void a_damaged_database_only_means_that_everything_is_cooked(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	scratch_put(
		*state, "out/.larder/cook.db", "this is no database, but it is long enough to be looked at as one ........");
	lrd_cook_report report = cook(*state, NULL);
	assert_int_equal(report.cooked, 1);
	assert_int_equal(cook(*state, NULL).up_to_date, 1);
}

static void a_database_that_cannot_be_opened_is_an_error_and_is_left_alone(void **state)
{
	scratch_folder(*state, "out");
	scratch_folder(*state, "out/.larder");
	scratch_folder(*state, "out/.larder/cook.db");
	lrd_error error = { 0 };
	assert_false(cook_try(*state, &(cook_setup){ 0 }, NULL, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_non_null(strstr(error.message, "cook.db"));
	assert_true(file_exists(*state, "out/.larder/cook.db"));
}

static void a_tree_whose_database_is_lost_is_taken_over_by_its_manifest(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	put_triangle(*state, "src/b.gltf", "B");
	put_image(*state, "src/gone.tga", 3);
	cook(*state, NULL);
	remove(scratch_path(*state, "out/.larder/cook.db"));
	remove(scratch_path(*state, "src/gone.tga"));
	lrd_cook_report report = { 0 };
	assert_true(cook_try(*state, &(cook_setup){ .source = "src/a.gltf" }, NULL, &report, NULL));
	assert_int_equal(report.cooked, 1);
	assert_int_equal(report.outputs, 5); // b's and gone's files are still listed
	scratch_put(*state, "src/b.gltf", "{ broken");
	report = cook(*state, NULL);
	assert_int_equal(report.failed, 1);
	assert_int_equal(report.pruned, 1);
	assert_false(file_exists(*state, "out/gone.ktx2"));
	assert_true(file_exists(*state, "out/b.lmodel"));
	const char *paths[] = { scratch_path(*state, "out") };
	lrd_validate_report sound;
	assert_true(lrd_validate(&(lrd_validate_desc){ .paths = paths, .path_count = 1 }, &sound, NULL));
	assert_int_equal(sound.findings, 0);
}

static void a_source_whose_sidecar_says_so_is_not_cooked(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	scratch_put(*state, "src/a.gltf.larder.json", "{\"cook\": false}");
	lrd_cook_report report = cook(*state, NULL);
	assert_int_equal(report.skipped, 1);
	assert_int_equal(report.pruned, 2);
	assert_false(file_exists(*state, "out/a.lmodel"));
}

static void a_forced_cook_cooks_everything_to_the_same_bytes(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	char command[700];
	snprintf(command, sizeof command, "cp -r '%s' '%s'", scratch_path(*state, "out"), scratch_path(*state, "kept"));
	assert_int_equal(system(command), 0);
	lrd_cook_report report;
	assert_true(cook_try(*state, &(cook_setup){ .force = true }, NULL, &report, NULL));
	assert_int_equal(report.cooked, 1);
	assert_same_tree(scratch_path(*state, "out"), scratch_path(*state, "kept"));
}

/// Kill cooks at random moments; the tree's files are whole after each, and a cook makes it right.
static void a_cook_that_is_killed_leaves_whole_files(void **state)
{
	scratch *self = *state;
	for (int i = 0; i < 20; ++i)
	{
		char name[64];
		snprintf(name, sizeof name, "src/i%d.tga", i);
		put_image(self, name, (unsigned char)i);
	}
	for (int round = 0; round < 12; ++round)
	{
		pid_t child = fork();
		if (child == 0)
		{
			cook_try(self, &(cook_setup){ .force = true }, NULL, NULL, NULL);
			_exit(0);
		}
		usleep((useconds_t)(round * 3000));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		for (int i = 0; i < 20; ++i)
		{
			char name[64];
			snprintf(name, sizeof name, "out/i%d.ktx2", i);
			if (file_exists(self, name))
			{
				const char *paths[] = { scratch_path(self, name) };
				lrd_validate_report report;
				assert_true(lrd_validate(&(lrd_validate_desc){ .paths = paths, .path_count = 1 }, &report, NULL));
				assert_int_equal(report.findings, 0);
			}
		}
	}
	assert_int_equal(cook(self, NULL).failed, 0);
	const char *paths[] = { scratch_path(self, "out") };
	lrd_validate_report report;
	assert_true(lrd_validate(&(lrd_validate_desc){ .paths = paths, .path_count = 1 }, &report, NULL));
	assert_int_equal(report.findings, 0);
	assert_int_equal(scratch_count(scratch_path(self, "out/.larder/staging")), 0);
	DIR *out = opendir(scratch_path(self, "out"));
	for (struct dirent *entry = readdir(out); entry != NULL; entry = readdir(out))
	{
		assert_null(strstr(entry->d_name, ".tmp"));
	}
	closedir(out);
}

static void enter_output(scratch *self, const char *file, bool stored)
{
	lrd_error error;
	lrd_database *database = lrd_database_open(scratch_path(self, "out/.larder/cook.db"), (lrd_allocator){ 0 }, &error);
	assert_non_null(database);
	lrd_manifest_asset output = { .file = lrd_string_from(file), .kind = LRD_MESH };
	lrd_source_row row = {
		.id = LRD_STR("a.lmodel"), .path = LRD_STR("a.gltf"), .outputs = &output, .output_count = 1
	};
	assert_true(stored ? lrd_database_store(database, &row, &error) : lrd_database_mark_unsure(database, &row, &error));
	lrd_database_close(database);
}

static void what_a_killed_cook_put_in_place_goes_when_its_source_does_not_yield_it(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	enter_output(*state, "a/part.Extra.lmesh", false);
	scratch_put(*state, "out/a/part.Extra.lmesh", "put in place before the end");
	assert_int_equal(cook(*state, NULL).cooked, 1);
	assert_false(file_exists(*state, "out/a/part.Extra.lmesh"));
}

static void a_database_that_names_files_outside_the_tree_is_dropped(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	enter_output(*state, "../victim", true);
	scratch_put(*state, "victim", "not the cook's");
	lrd_error error;
	assert_false(cook_try(*state, &(cook_setup){ 0 }, NULL, NULL, &error));
	assert_non_null(strstr(error.message, "cook database"));
	assert_int_equal(cook(*state, NULL).cooked, 1);
	assert_true(file_exists(*state, "victim"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_sources, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_second_cook_does_nothing),
		TEST(touching_a_source_cooks_nothing),
		TEST(only_what_changed_is_cooked_again),
		TEST(a_changed_sidecar_cooks_its_source_again),
		TEST(a_project_rule_is_part_of_what_a_source_depends_on),
		TEST(a_changed_image_cooks_the_model_that_reads_it),
		TEST(an_image_that_appears_cooks_the_model_that_missed_it),
		TEST(a_models_image_is_not_cooked_on_its_own_unless_a_sidecar_asks),
		TEST(images_that_a_model_owns_may_share_a_stem),
		TEST(a_source_renamed_by_case_alone_is_cooked_under_its_new_name),
		TEST(a_file_whose_owner_is_gone_may_be_yielded_by_another_at_once),
		TEST(an_output_renamed_by_case_alone_leaves_nothing_behind),
		TEST(the_log_hears_of_warnings_and_failures_where_nobody_takes_reports),
		TEST(a_deleted_output_is_made_again),
		TEST(outputs_of_a_source_that_is_gone_are_deleted),
		TEST(folders_left_empty_go_too),
		TEST(a_source_whose_sidecar_is_broken_keeps_its_last_good_files),
		TEST(a_broken_sidecar_of_a_models_image_is_an_error),
		TEST(a_single_file_cooked_alone_prunes_nothing),
		TEST(a_file_under_a_root_keeps_its_name_and_rules),
		TEST(a_named_file_that_is_no_source_fails),
		TEST(a_source_root_is_no_output),
		TEST(a_part_that_a_source_no_longer_yields_is_deleted),
		TEST(a_source_that_fails_keeps_its_last_good_files_and_stops_nobody),
		TEST(two_sources_of_one_name_are_both_refused_and_named),
		TEST(one_path_under_two_roots_is_refused_with_the_roots),
		TEST(a_file_that_two_sources_would_write_is_refused_with_both_names),
		TEST(files_of_unknown_type_and_dotfiles_are_passed_over),
		TEST(a_link_out_of_the_source_root_is_not_followed),
		TEST(paths_that_leave_the_root_are_refused),
		TEST(any_number_of_workers_gives_the_same_bytes),
		TEST(another_folder_locale_and_umask_give_the_same_bytes),
		TEST(two_cooks_of_one_folder_exclude_each_other),
		TEST(a_damaged_database_only_means_that_everything_is_cooked),
		TEST(a_database_that_cannot_be_opened_is_an_error_and_is_left_alone),
		TEST(a_tree_whose_database_is_lost_is_taken_over_by_its_manifest),
		TEST(a_source_whose_sidecar_says_so_is_not_cooked),
		TEST(a_forced_cook_cooks_everything_to_the_same_bytes),
		TEST(a_cook_that_is_killed_leaves_whole_files),
		TEST(what_a_killed_cook_put_in_place_goes_when_its_source_does_not_yield_it),
		TEST(a_database_that_names_files_outside_the_tree_is_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
