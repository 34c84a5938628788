// The cook under faults: every allocation failing in turn, disks that fill up, folders that can't be written, schedulers that refuse.

#include "cook_scratch.h"

#include "cook/recipe.h"
#include "failing_allocator.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static int open_sources(void **state)
{
	if (scratch_open(state) != 0)
	{
		return -1;
	}
	scratch_folder(*state, "src");
	return 0;
}

/// No file but what a whole cook makes, and each of those whole.
static void assert_sound_so_far(scratch *self, const char *output)
{
	char folder[600];
	snprintf(folder, sizeof folder, "%s", scratch_path(self, output));
	char command[1400];
	snprintf(command, sizeof command,
		"cd '%s' 2>/dev/null || exit 0; find . -type f ! -path './.larder/*' | while read f; do cmp -s \"$f\" "
		"'%s/whole'/\"$f\" "
		"|| { echo \"$f\" >&2; exit 1; }; done; test -z \"$(find . -name '*.tmp')\" && test -z \"$(ls .larder/staging "
		"2>/dev/null)\"",
		folder, self->root);
	assert_int_equal(system(command), 0);
}

/// Fail allocation after allocation, `stride` apart, until a cook comes through. Returns how many there are.
static long long fail_each(scratch *self, const char *source, long long stride)
{
	lrd_cook_report report;
	lrd_error error;
	assert_true(cook_try(self, &(cook_setup){ .source = source, .output = "whole" }, NULL, &report, &error));
	assert_int_equal(report.failed, 0);
	failing_allocator failing;
	for (long long succeed = 0;; succeed += stride)
	{
		failing_allocator_init(&failing, succeed);
		bool ran = cook_try(self,
			&(cook_setup){
				.source = source, .output = "out", .force = true, .allocator = failing_allocator_get(&failing) },
			NULL, &report, &error);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		bool came_through = ran && report.failed == 0;
		if (succeed % (stride * 16) == 0 || came_through)
		{
			assert_sound_so_far(self, "out");
		}
		if (came_through && atomic_load(&failing.countdown) > 0)
		{
			assert_same_tree(scratch_path(self, "whole"), scratch_path(self, "out"));
			return atomic_load(&failing.calls);
		}
	}
}

static void every_allocation_that_fails_leaves_whole_files_and_no_leak(void **state)
{
	put_rich(*state);
	long long calls = fail_each(*state, "src", 1);
	print_message("%lld allocations failed in turn\n", calls);
}

/// All of them take minutes: LARDER_TEST_LONG asks for that.
static void every_allocation_of_the_courtyards_cook_that_fails_is_survived(void **state)
{
	scratch *self = *state;
	char command[1400];
	snprintf(
		command, sizeof command, "cp -r '%s/examples/courtyard/source' '%s/yard'", LRD_TEST_SOURCE_DIR, self->root);
	assert_int_equal(system(command), 0);
	long long calls = fail_each(self, "yard", getenv("LARDER_TEST_LONG") != NULL ? 1 : 397);
	print_message(
		"of %lld allocations %s failed in turn\n", calls, getenv("LARDER_TEST_LONG") != NULL ? "each" : "every 397th");
}

static void a_disk_that_fills_up_is_an_error_and_leaves_the_old_files(void **state)
{
	scratch *self = *state;
	put_rich(self);
	lrd_cook_report report;
	lrd_error error;
	assert_true(cook_try(self, &(cook_setup){ .output = "whole" }, NULL, &report, &error));
	cook(self, NULL);
	struct rlimit old;
	getrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t limit = 0; limit < 4096; limit += 256)
	{
		struct rlimit tight = { limit, old.rlim_max };
		setrlimit(RLIMIT_FSIZE, &tight);
		cook_log log = { 0 };
		bool ran = cook_try(self, &(cook_setup){ .force = true }, &log, &report, &error);
		setrlimit(RLIMIT_FSIZE, &old);
		assert_true(!ran || report.failed > 0 || limit > 1024);
		assert_sound_so_far(self, "out");
	}
	assert_int_equal(cook(self, NULL).failed, 0);
	assert_same_tree(scratch_path(self, "whole"), scratch_path(self, "out"));
}

static void a_folder_that_cannot_be_written_is_a_clear_error(void **state)
{
	scratch *self = *state;
	put_rich(self);
	scratch_put(self, "file", "");
	lrd_cook_report report;
	lrd_error error = { 0 };
	assert_false(cook_try(self, &(cook_setup){ .output = "file" }, NULL, &report, &error));
	assert_non_null(strstr(error.message, "file"));
	scratch_folder(self, "locked");
	assert_int_equal(chmod(scratch_path(self, "locked"), 0555), 0);
	bool is_root = geteuid() == 0;
	if (is_root)
	{
		assert_int_equal(chmod(self->root, 0755), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	bool ran = cook_try(self, &(cook_setup){ .output = "locked" }, NULL, &report, &error);
	if (is_root)
	{
		assert_int_equal(seteuid(0), 0);
	}
	assert_false(ran);
	assert_non_null(strstr(error.message, "locked"));
	assert_int_equal(scratch_count(scratch_path(self, "locked")), 0);
}

static void a_missing_source_is_a_clear_error(void **state)
{
	lrd_cook_report report;
	lrd_error error = { 0 };
	assert_false(cook_try(*state, &(cook_setup){ .source = "nowhere" }, NULL, &report, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, "nowhere"));
}

static bool refuse_often(void *user, lrd_job *job)
{
	unsigned *calls = user;
	if (++*calls % 3 != 0)
	{
		return false;
	}
	job->run(job);
	return true;
}

static void wait_for_none(void *user)
{
	(void)user;
}

static uint32_t one_worker(void *user)
{
	(void)user;
	return 1;
}

static void a_scheduler_that_refuses_jobs_does_not_stop_a_cook(void **state)
{
	put_rich(*state);
	unsigned calls = 0;
	lrd_jobs jobs = { refuse_often, wait_for_none, one_worker, &calls };
	lrd_cook_report report;
	lrd_error error;
	assert_true(cook_try(*state, &(cook_setup){ .jobs = &jobs }, NULL, &report, &error));
	assert_int_equal(report.failed, 0);
	assert_true(calls > 5);
	assert_true(cook_try(*state, &(cook_setup){ .output = "whole" }, NULL, &report, &error));
	assert_same_tree(scratch_path(*state, "whole"), scratch_path(*state, "out"));
}

/// The recipe reads images a second time; by then they must be what the importer saw.
static void an_image_that_changes_while_its_model_is_cooked_is_an_error(void **state)
{
	scratch *self = *state;
	put_rich(self);
	lrd_error error = { 0 };
	char root[600];
	snprintf(root, sizeof root, "%s", scratch_path(self, "src"));
	lrd_document *document = lrd_import_file(&(lrd_import_desc){ .root = root, .path = "rich.glb" }, &error);
	assert_non_null(document);
	lrd_settings settings = { 0 };
	lrd_recipe_desc desc = {
		.root = root, .source = LRD_STR("rich.glb"), .stem = LRD_STR("rich"), .settings = &settings
	};
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	assert_non_null(recipe);
	put_image(self, "src/wood.tga", 5);
	lrd_buffer out = { 0 };
	assert_false(lrd_recipe_make(recipe, 0, &out, &error));
	assert_int_equal(error.code, LRD_ERROR_CHANGED);
	assert_non_null(strstr(error.message, "wood.tga"));
	assert_int_equal(out.size, 0);
	lrd_buffer_free(&out);
	lrd_recipe_destroy(recipe);
	lrd_document_free(document);
}

static void the_memory_of_a_cook_is_a_small_multiple_of_the_document(void **state)
{
	enum
	{
		SIDE = 300
	};
	scratch *self = *state;
	float *positions = malloc(SIDE * SIDE * 3 * sizeof *positions);
	float *normals = malloc(SIDE * SIDE * 3 * sizeof *normals);
	float *uv = malloc(SIDE * SIDE * 2 * sizeof *uv);
	uint32_t *indices = malloc(SIDE * SIDE * 6 * sizeof *indices);
	size_t count = 0;
	assert_true(positions != NULL && normals != NULL && uv != NULL && indices != NULL);
	for (unsigned i = 0; i < SIDE * SIDE; ++i)
	{
		float x = (float)(i % SIDE);
		float y = (float)(i / SIDE);
		memcpy(&positions[i * 3], (float[]){ x, y, (float)(i * 2654435761u >> 24) }, 12);
		memcpy(&normals[i * 3], (float[]){ 0, 0, 1 }, 12);
		memcpy(&uv[i * 2], (float[]){ x / SIDE, y / SIDE }, 8);
		if (i % SIDE + 1 < SIDE && i / SIDE + 1 < SIDE)
		{
			memcpy(&indices[count], (uint32_t[]){ i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE }, 24);
			count += 6;
		}
	}
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "images", "{\"uri\":\"wood.tga\"}");
	gltf_add(&build, "textures", "{\"source\":0}");
	gltf_add(&build, "materials", "{\"normalTexture\":{\"index\":0}}");
	int p = gltf_floats(&build, positions, SIDE * SIDE, "VEC3");
	int n = gltf_floats(&build, normals, SIDE * SIDE, "VEC3");
	int t = gltf_floats(&build, uv, SIDE * SIDE, "VEC2");
	int x = gltf_accessor(&build, gltf_view(&build, indices, count * 4, 0), GLTF_U32, false, (int)count, "SCALAR");
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TEXCOORD_0\":%d},\"indices\":%d,"
		"\"material\":0}]}",
		p, n, t, x);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	lrd_bytes file = gltf_finish(&build, GLTF_FORM_BINARY);
	put_bytes(self, "src/grid.glb", file);
	put_image(self, "src/wood.tga", 1);
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_cook_report report;
	lrd_error error;
	assert_true(cook_try(self, &(cook_setup){ .allocator = failing_allocator_get(&counting) }, NULL, &report, &error));
	assert_int_equal(report.failed, 0);
	double ratio = (double)atomic_load(&counting.bytes_peak) / (double)file.size;
	print_message("peak %.1f MB, %.2f times the decoded %.1f MB\n", (double)atomic_load(&counting.bytes_peak) * 1e-6,
		ratio, (double)file.size * 1e-6);
	assert_true(ratio < 6.0);
	gltf_end(&build);
	free(positions);
	free(normals);
	free(uv);
	free(indices);
}

/// A buffer of `vertex_count` vertices, of which each of `count` primitives draws all of `index_count` corners, from its own place on.
static void put_shared(scratch *self, int count, int vertex_count, int index_count)
{
	gltf_build build;
	gltf_begin(&build);
	float *positions = malloc((size_t)vertex_count * 3 * sizeof *positions);
	uint32_t *indices = malloc((size_t)index_count * sizeof *indices);
	assert_true(positions != NULL && indices != NULL);
	for (int i = 0; i < vertex_count; ++i)
	{
		memcpy(&positions[i * 3], (float[]){ (float)(i % 3 == 0), (float)(i % 3 == 1), (float)i * 1e-3f }, 12);
	}
	int p = gltf_floats(&build, positions, vertex_count, "VEC3");
	int x = -1;
	for (int i = 0; i < count; ++i)
	{
		for (int k = 0; k < index_count; ++k)
		{
			indices[k] = (uint32_t)((i * 3 + k) % vertex_count);
		}
		if (x < 0 || index_count < 1000)
		{
			x = gltf_accessor(
				&build, gltf_view(&build, indices, (size_t)index_count * 4, 0), GLTF_U32, false, index_count, "SCALAR");
		}
		gltf_add(&build, "materials", "{}");
		gltf_add(&build, "meshes",
			"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"material\":%d}]}", p, x, i);
		gltf_add(&build, "nodes", "{\"mesh\":%d}", i);
	}
	put_bytes(self, "src/shared.glb", gltf_finish(&build, GLTF_FORM_BINARY));
	gltf_end(&build);
	free(positions);
	free(indices);
}

static void primitives_that_share_a_buffer_take_memory_for_their_own_vertices(void **state)
{
	put_shared(*state, 200, 100000, 3);
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_cook_report report;
	lrd_error error;
	assert_true(
		cook_try(*state, &(cook_setup){ .allocator = failing_allocator_get(&counting) }, NULL, &report, &error));
	assert_int_equal(report.failed, 0);
	assert_true(atomic_load(&counting.bytes_peak) < 6 * 100000 * 12);
}

static void primitives_that_draw_one_buffer_without_end_are_refused(void **state)
{
	put_shared(*state, 1200, 30000, 30000);
	cook_log log = { 0 };
	lrd_cook_report report;
	lrd_error error;
	assert_true(cook_try(*state, &(cook_setup){ 0 }, &log, &report, &error));
	assert_int_equal(report.failed, 1);
	assert_non_null(strstr(cook_log_find(&log, "failed shared.glb"), "more than 32 times as much"));
}

/// A mesh of 10,000 triangles that names one joint, with as many morph targets of the same deltas, drawn by nodes of one skin.
static void put_crowd(scratch *self, int nodes, int targets)
{
	enum
	{
		CORNERS = 30000
	};
	gltf_build build;
	gltf_begin(&build);
	float *numbers = calloc(CORNERS * 4, sizeof *numbers); // no triangle has an area: this is about the plan
	assert_non_null(numbers);
	int p = gltf_floats(&build, numbers, CORNERS, "VEC3");
	int j = gltf_accessor(&build, gltf_view(&build, numbers, CORNERS * 4, 0), GLTF_U8, false, CORNERS, "VEC4");
	int w = gltf_floats(&build, numbers, CORNERS, "VEC4");
	char *list = malloc((size_t)targets * 24 + 1);
	assert_non_null(list);
	list[0] = 0;
	for (int i = 0, at = 0; i < targets; ++i)
	{
		at += snprintf(list + at, 24, "%s{\"POSITION\":%d}", i == 0 ? "" : ",", p);
	}
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}%s%s%s}]}", p, j, w,
		targets ? ",\"targets\":[" : "", list, targets ? "]" : "");
	gltf_add(&build, "nodes", "{}");
	gltf_add(&build, "skins", "{\"joints\":[0]}");
	for (int i = 0; i < nodes; ++i)
	{
		gltf_add(&build, "nodes", "{\"mesh\":0,\"skin\":0}");
	}
	put_bytes(self, "src/crowd.glb", gltf_finish(&build, GLTF_FORM_BINARY));
	gltf_end(&build);
	free(list);
	free(numbers);
}

static void check_crowd(scratch *self, bool refused)
{
	cook_log log = { 0 };
	lrd_cook_report report;
	lrd_error error;
	assert_true(cook_try(self, &(cook_setup){ 0 }, &log, &report, &error));
	assert_int_equal(report.failed, refused);
	assert_true(!refused || strstr(cook_log_find(&log, "failed crowd.glb"), "more than 32 times as much") != NULL);
}

static void skinned_nodes_that_draw_one_mesh_without_end_are_refused(void **state)
{
	put_crowd(*state, 12, 0);
	check_crowd(*state, false);
	put_crowd(*state, 2000, 0);
	check_crowd(*state, true);
}

static void targets_that_share_their_deltas_without_end_are_refused(void **state)
{
	put_crowd(*state, 1, 12);
	check_crowd(*state, false);
	put_crowd(*state, 1, 2000);
	check_crowd(*state, true);
}

static void check_failure(scratch *self, gltf_build *build, const char *message)
{
	put_bytes(self, "src/far.glb", gltf_finish(build, GLTF_FORM_BINARY));
	gltf_end(build);
	cook_log log = { 0 };
	lrd_cook_report report;
	lrd_error error;
	assert_true(cook_try(self, &(cook_setup){ 0 }, &log, &report, &error));
	assert_int_equal(report.failed, 1);
	assert_non_null(strstr(cook_log_find(&log, "failed far.glb"), message));
}

static void joints_that_move_vertices_past_all_floats_name_their_skin(void **state)
{
	static const float weights[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const uint8_t joints[12];
	static const float bind[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3e38f, 0, 0, 1 };
	gltf_build build;
	gltf_begin(&build);
	int p = gltf_corners(&build, 3);
	int w = gltf_floats(&build, weights, 3, "VEC4");
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	gltf_add(&build, "meshes",
		"{\"name\":\"B\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}}]}", p, j,
		w);
	gltf_add(&build, "nodes", "{\"translation\":[3e38,0,0]}");
	gltf_add(&build, "nodes", "{\"mesh\":0,\"skin\":0}");
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0],\"inverseBindMatrices\":%d}",
		gltf_floats(&build, bind, 1, "MAT4"));
	check_failure(*state, &build, "far/part.B.lmesh: the joints of skin \"Rig\" move it farther than floats can tell");
}

static void nodes_that_place_parts_past_all_floats_are_refused(void **state)
{
	static const float times[] = { 0, 1 };
	static const float values[] = { 0, 0, 0, 1, 0, 0 };
	gltf_build build;
	gltf_begin(&build);
	int mesh = gltf_triangle(&build);
	int input = gltf_floats(&build, times, 2, "SCALAR");
	int output = gltf_floats(&build, values, 2, "VEC3");
	gltf_add(&build, "nodes", "{\"scale\":[1e30,1e30,1e30],\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"scale\":[1e20,1e20,1e20],\"mesh\":%d}", mesh);
	gltf_add(&build, "animations", // what moves is not baked
		"{\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":"
		"\"translation\"}}]}",
		input, output);
	check_failure(*state, &build, "far.lmodel: its nodes place parts farther out than floats can tell");
}

static void keys_further_apart_than_all_floats_name_their_clip(void **state)
{
	static const float times[] = { -3e38f, 0, 3e38f };
	static const float values[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	gltf_build build;
	gltf_begin(&build);
	int input = gltf_floats(&build, times, 3, "SCALAR");
	int output = gltf_floats(&build, values, 3, "VEC3");
	gltf_add(&build, "nodes", "{}");
	gltf_add(&build, "animations",
		"{\"name\":\"A\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{"
		"\"node\":0,\"path\":\"translation\"}}]}",
		input, output);
	check_failure(*state, &build, "far/clip.A.lclip: its keys lie more seconds apart than floats can tell");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_sources, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_allocation_that_fails_leaves_whole_files_and_no_leak),
		TEST(every_allocation_of_the_courtyards_cook_that_fails_is_survived),
		TEST(a_disk_that_fills_up_is_an_error_and_leaves_the_old_files),
		TEST(a_folder_that_cannot_be_written_is_a_clear_error),
		TEST(a_missing_source_is_a_clear_error),
		TEST(a_scheduler_that_refuses_jobs_does_not_stop_a_cook),
		TEST(an_image_that_changes_while_its_model_is_cooked_is_an_error),
		TEST(primitives_that_share_a_buffer_take_memory_for_their_own_vertices),
		TEST(primitives_that_draw_one_buffer_without_end_are_refused),
		TEST(skinned_nodes_that_draw_one_mesh_without_end_are_refused),
		TEST(targets_that_share_their_deltas_without_end_are_refused),
		TEST(joints_that_move_vertices_past_all_floats_name_their_skin),
		TEST(nodes_that_place_parts_past_all_floats_are_refused),
		TEST(keys_further_apart_than_all_floats_name_their_clip),
		TEST(the_memory_of_a_cook_is_a_small_multiple_of_the_document),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
