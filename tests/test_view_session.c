// tests/test_view_session.c: what goes on between the frames of `larder view`, without a window: other files take the place of what is
// shown, pictures change their size, and textures keep within their budget while the camera goes round.

#include "cli/view/session.h"
#include "fixtures/make_mesh.h"
#include "fixtures/view_kit.h"
#include "larder/write.h"

#include <sys/wait.h>

static view_options usual_options(const char *path, uint64_t budget)
{
	return (view_options){ .path = path,
		.width = VIEW_SIDE,
		.height = VIEW_SIDE,
		.camera = { .kind = VIEW_CAMERA_ORBIT, .distance = 2.4142136f },
		.budget = budget,
		.lod = -1,
		.has_background = true,
		.exposure = 1.0f,
		.validate = view_kit_has_layer(),
		.quiet = true };
}

static view_session *open_with(const view_options *options)
{
	view_session *self = calloc(1, sizeof *self);
	assert_non_null(self);
	self->options = *options;
	assert_true(view_session_open(self, NULL));
	return self;
}

static view_session *open_session(const char *path, uint64_t budget)
{
	const view_options options = usual_options(path, budget);
	return open_with(&options);
}

static void close_session(view_session *self)
{
	assert_int_equal(lrd_vulkan_device_messages(self->device), 0);
	view_session_close(self);
	free(self);
}

static void settle(view_session *self)
{
	self->calm = 0;
	while (!view_session_is_settled(self))
	{
		assert_true(view_session_update(self));
		usleep(200);
	}
}

static const uint8_t *draw(view_session *self)
{
	view_picture picture = view_session_picture(self);
	picture.is_read_back = true;
	assert_true(view_renderer_draw(&self->renderer, &picture));
	assert_true(view_renderer_wait(&self->renderer));
	const view_targets *targets = &self->renderer.targets;
	size_t middle = (size_t)(targets->height / 2) * targets->width + targets->width / 2;
	return view_renderer_pixels(&self->renderer) + 4 * middle;
}

static void check_middle(view_session *self, int r, int g, int b)
{
	settle(self);
	const uint8_t *pixel = draw(self);
	assert_int_equal(pixel[0], r);
	assert_int_equal(pixel[1], g);
	assert_int_equal(pixel[2], b);
}

static void another_file_takes_the_place_of_what_is_shown(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	view_kit_put_colour(folder, "blue.glb", "0,0,1,1");
	view_session *self = open_session(scratch_path(folder, "red.glb"), 0);
	check_middle(self, 255, 0, 0);
	assert_true(view_session_show(self, scratch_path(folder, "blue.glb")));
	check_middle(self, 0, 0, 255);
	// Frames in flight don't keep it from going.
	view_picture picture = view_session_picture(self);
	assert_true(view_renderer_draw(&self->renderer, &picture));
	assert_true(view_session_show(self, scratch_path(folder, "red.glb")));
	check_middle(self, 255, 0, 0);
	close_session(self);
}

static void what_cant_be_shown_leaves_what_is(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	view_kit_put(folder, "broken.glb", (lrd_bytes){ "nothing", 7 });
	view_session *self = open_session(scratch_path(folder, "red.glb"), 0);
	check_middle(self, 255, 0, 0);
	assert_true(view_session_show(self, scratch_path(folder, "broken.glb")));
	assert_true(view_session_show(self, scratch_path(folder, "missing.glb")));
	check_middle(self, 255, 0, 0);
	close_session(self);
}

static void pictures_change_their_size(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	view_session *self = open_session(scratch_path(folder, "red.glb"), 0);
	check_middle(self, 255, 0, 0);
	static const uint32_t sizes[][2] = { { 1, 1 }, { 200, 3 }, { 33, 77 } };
	for (size_t i = 0; i < 3; ++i)
	{
		view_picture picture = view_session_picture(self);
		assert_true(view_renderer_draw(&self->renderer, &picture));
		assert_true(view_renderer_resize(&self->renderer, sizes[i][0], sizes[i][1]));
		check_middle(self, 255, 0, 0);
	}
	close_session(self);
}

static void textures_keep_within_their_budget_while_the_camera_goes_round(void **state)
{
	(void)state;
	NEEDS_DRIVER();
	const char *const source = LRD_TEST_SOURCE_DIR "/examples/courtyard/source/lantern.glb";
	view_session *self = open_session(source, 64u << 10);
	lrd_stream_stats stats;
	lrd_residents_stats residents;
	for (uint32_t i = 0; i < 400; ++i)
	{
		self->camera.yaw = (float)i * 0.05f;
		self->camera.distance = 0.5f + 0.4f * (float)(i % 7);
		view_camera_steer(&self->camera);
		assert_true(view_session_update(self));
		lrd_stream_get_stats(self->stream, &stats);
		lrd_residents_get_stats(self->residents, &residents);
		assert_int_equal(stats.report.overflow, 0);
		assert_true(residents.texture_bytes <= stats.budget);
		usleep(100);
	}
	settle(self);
	lrd_stream_get_stats(self->stream, &stats);
	assert_true(stats.report.limited != 0); // it was too little for all
	close_session(self);
}

static void everything_may_be_loaded_anew_at_once(void **state)
{
	(void)state;
	NEEDS_DRIVER();
	view_session *self = open_session(LRD_TEST_SOURCE_DIR "/examples/courtyard/source/lantern.glb", 0);
	settle(self);
	uint8_t before[4];
	memcpy(before, draw(self), 4);
	uint64_t changes = self->changes;
	for (uint32_t round = 0; round < 4; ++round)
	{
		uint32_t reloaded = 0;
		lrd_error error;
		assert_true(lrd_store_changed_now(self->content.store, self->content.mount, &reloaded, &error));
		assert_true(reloaded >= 10);
		for (uint32_t i = 0; i < 3 * round; ++i) // in the midst of it, but for the first time
		{
			assert_true(view_session_update(self));
			draw(self);
		}
	}
	settle(self);
	assert_true(self->changes >= changes + 10);
	assert_memory_equal(draw(self), before, 4);
	lrd_residents_stats stats;
	lrd_residents_get_stats(self->residents, &stats);
	assert_int_equal(stats.pending, 0);
	close_session(self);
}

static void a_bundle_may_be_unmounted_while_its_levels_stream(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	char command[2048];
	snprintf(command, sizeof command,
		"cd '%s' && '%s' cook -q '%s/examples/courtyard/source/lantern.glb' -o tree && '%s' pack -q tree -o l.lpack",
		folder->root, LARDER_PROGRAM, LRD_TEST_SOURCE_DIR, LARDER_PROGRAM);
	assert_int_equal(system(command), 0);
	for (uint32_t after = 0; after < 12; ++after)
	{
		view_session *self = open_session(scratch_path(folder, "l.lpack"), 0);
		for (uint32_t i = 0; i < after * after; ++i)
		{
			assert_true(view_session_update(self));
		}
		assert_true(lrd_store_unmount(self->content.store, self->content.mount));
		for (uint32_t i = 0; i < 40; ++i)
		{
			assert_true(view_session_update(self));
			draw(self);
			usleep(200);
		}
		settle(self); // what could not be read any more has failed, or stays as it was
		draw(self);
		close_session(self);
	}
}

// A model whose file is large enough to be mapped otherwise.
static void put_large_tree(scratch *folder)
{
	char command[2048];
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", view_kit_square(&build, 0, ""));
	for (uint32_t i = 0; i < 2000; ++i)
	{
		gltf_add(&build, "nodes", "{\"name\":\"empty %u\"}", i);
	}
	view_kit_plain(&build, "1,0,0,1", "");
	view_kit_save(folder, "m.glb", &build);
	snprintf(command, sizeof command, "cd '%s' && '%s' cook -q m.glb -o tree", folder->root, LARDER_PROGRAM);
	assert_int_equal(system(command), 0);
}

static void a_file_that_is_cut_short_while_it_is_watched_leaves_what_is_shown(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_large_tree(folder);
	view_options options = usual_options(scratch_path(folder, "tree"), 0);
	options.watch = true;
	view_session *self = open_with(&options);
	check_middle(self, 255, 0, 0);
	struct stat status;
	assert_int_equal(stat(scratch_path(folder, "tree/m.lmodel"), &status), 0);
	assert_true(status.st_size >= 1 << 16);
	assert_int_equal(truncate(scratch_path(folder, "tree/m.lmodel"), 0), 0);
	view_scene_pose(&self->scene, self->content.store);
	for (uint32_t i = 0; i < 50; ++i) // somewhere in them it is noticed
	{
		assert_true(view_session_update(self));
		view_scene_pose(&self->scene, self->content.store);
		usleep(10000);
	}
	check_middle(self, 255, 0, 0);
	close_session(self);
}

static void put_in_place(scratch *folder, const char *command)
{
	char all[1024];
	snprintf(all, sizeof all, "cd '%s' && %s", folder->root, command);
	assert_int_equal(system(all), 0);
}

static void load_anew(view_session *self)
{
	uint32_t reloaded = 0;
	assert_true(lrd_store_changed_now(self->content.store, self->content.mount, &reloaded, NULL));
	settle(self);
}

static void a_clip_comes_back_with_its_file(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	char command[1024];
	snprintf(command, sizeof command,
		"'%s' cook -q '%s/examples/courtyard/source/lantern.glb' -o tree && cp -r tree good", LARDER_PROGRAM,
		LRD_TEST_SOURCE_DIR);
	put_in_place(folder, command);
	put_in_place(folder, "ls tree/lantern/*.lclip >clip");
	view_options options = usual_options(scratch_path(folder, "tree"), 0);
	options.clip = "Swing";
	view_session *self = open_with(&options);
	settle(self);
	const float duration = view_scene_duration(&self->scene, self->content.store);
	assert_true(duration > 0.0f);
	// The model is loaded anew while its clip is broken, and then the clip alone.
	put_in_place(folder, "echo nothing >$(cat clip).new && mv $(cat clip).new $(cat clip)");
	load_anew(self);
	load_anew(self);
	put_in_place(folder, "cp good/$(sed s,tree/,, clip) new && mv new $(cat clip)");
	load_anew(self);
	view_scene_pose(&self->scene, self->content.store);
	assert_int_equal(self->scene.clip, 0);
	assert_true(view_scene_duration(&self->scene, self->content.store) == duration);
	// Another model without clips, and then the old one.
	view_kit_put_colour(folder, "lantern.glb", "1,0,0,1");
	snprintf(command, sizeof command,
		"'%s' cook -q lantern.glb -o other && cp other/lantern.lmodel new && mv new tree/lantern.lmodel",
		LARDER_PROGRAM);
	put_in_place(folder, command);
	load_anew(self);
	assert_int_equal(self->scene.clip, LRD_NO_INDEX);
	put_in_place(folder, "cp good/lantern.lmodel new && mv new tree/lantern.lmodel");
	load_anew(self);
	assert_int_equal(self->scene.clip, 0);
	assert_true(view_scene_duration(&self->scene, self->content.store) == duration);
	close_session(self);
}

static void put_grid(view_session *self, uint32_t quads)
{
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, &(make_mesh_desc){ .quads = quads, .lods = 1 });
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	const lrd_asset mesh = self->scene.parts[0].mesh_asset;
	assert_true(lrd_mesh_write(&view, &file, &error));
	assert_true(lrd_asset_put(self->content.store, mesh, (lrd_bytes){ file.data, file.size }, &error));
	lrd_buffer_free(&file);
	lrd_arena_destroy(arena);
}

static uint32_t last_index(const view_session *self)
{
	uint32_t last = 0;
	for (uint32_t i = 0; i < self->renderer.draw_count; ++i)
	{
		const view_draw *drawn = &self->renderer.draws[i];
		last = drawn->first_index + drawn->index_count > last ? drawn->first_index + drawn->index_count : last;
	}
	return last;
}

static void no_more_meshlets_are_drawn_than_the_gpu_has_yet(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	view_options options = usual_options(scratch_path(folder, "red.glb"), 0);
	options.mode = VIEW_MESHLETS;
	view_session *self = open_with(&options);
	settle(self);
	for (uint32_t quads = 1; quads <= 64; quads *= 4)
	{
		put_grid(self, quads);
		for (uint32_t i = 0; i < 6; ++i)
		{
			assert_true(view_session_update(self));
			draw(self);
			const lrd_resident_mesh *mesh = lrd_residents_get_mesh(self->residents, self->scene.parts[0].mesh);
			assert_non_null(mesh);
			assert_true(last_index(self) <= mesh->lods[0].first_index + mesh->lods[0].index_count);
		}
		settle(self);
		draw(self);
		assert_int_equal(last_index(self), quads * quads * 6);
	}
	close_session(self);
}

static void a_device_that_takes_nothing_any_more_is_not_waited_for(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	setenv("VK_INSTANCE_LAYERS", "VK_LAYER_LARDER_fault", 1);
	setenv("VK_ADD_LAYER_PATH", LARDER_FAULT_LAYER, 1);
	setenv("LARDER_FAULTS", "BeginCommandBuffer:1+", 1);
	view_session *self = open_session(scratch_path(folder, "red.glb"), 0);
	unsetenv("VK_INSTANCE_LAYERS");
	unsetenv("VK_ADD_LAYER_PATH");
	self->patience = 300000000;
	settle(self);
	assert_false(view_session_is_whole(self));
	close_session(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(another_file_takes_the_place_of_what_is_shown, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(what_cant_be_shown_leaves_what_is, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(pictures_change_their_size, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			a_device_that_takes_nothing_any_more_is_not_waited_for, scratch_open, scratch_close),
		cmocka_unit_test(textures_keep_within_their_budget_while_the_camera_goes_round),
		cmocka_unit_test(everything_may_be_loaded_anew_at_once),
		cmocka_unit_test_setup_teardown(
			a_file_that_is_cut_short_while_it_is_watched_leaves_what_is_shown, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_clip_comes_back_with_its_file, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(no_more_meshlets_are_drawn_than_the_gpu_has_yet, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_bundle_may_be_unmounted_while_its_levels_stream, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
