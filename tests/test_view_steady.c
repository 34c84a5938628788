// tests/test_view_steady.c: what a frame of `larder view` costs once everything is there: nothing is allocated by larder or the viewer, on
// any thread, and nothing is blended that doesn't move. The linker hands every allocation of their objects to this file; what
// drivers and other shared libraries allocate goes past it.

#include "cli/view/window.h"
#include "fixtures/view_kit.h"

#include <stdatomic.h>
#include <sys/wait.h>

#define FRAMES 200u
#define WAY 5u // frames of a round from one that is drawn before they count to the next

static atomic_uint_fast64_t allocations;

// The linker's names: -Wl,--wrap=malloc and so on.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *old);

void *__wrap_malloc(size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __real_aligned_alloc(alignment, size);
}

/// What is freed was allocated, or will be missing: both are told.
void __wrap_free(void *old)
{
	atomic_fetch_add(&allocations, old != NULL);
	__real_free(old);
}

// --- A viewer without a window ---

static view_session *open_session(const char *path, const char *model, const char *clip)
{
	view_session *self = calloc(1, sizeof *self);
	assert_non_null(self);
	self->options = (view_options){ .path = path,
		.model = model,
		.clip = clip,
		.width = 32,
		.height = 18,
		.lod = -1,
		.exposure = 1.0f,
		.validate = view_kit_has_layer(),
		.quiet = true };
	assert_true(view_session_open(self, NULL));
	return self;
}

static void close_session(view_session *self)
{
	assert_int_equal(lrd_vulkan_device_messages(self->device), 0);
	view_session_close(self);
	free(self);
}

/// All that the window's loop does of a frame, but for the window.
static void run_frame(view_window *window, float seconds)
{
	view_session *self = window->session;
	if (seconds > 0.0f)
	{
		float duration = view_scene_duration(&self->scene, self->content.store);
		assert_true(duration > 0.0f);
		self->scene.time += seconds;
		self->scene.time -= self->scene.time >= duration ? duration : 0.0f;
		view_scene_pose(&self->scene, self->content.store);
	}
	assert_true(view_session_update(self));
	view_picture picture = view_session_picture(self);
	picture.overlay = view_overlay_write(window);
	picture.is_read_back = true;
	assert_true(view_renderer_draw(&self->renderer, &picture));
}

static void turn(view_session *self, uint32_t frame)
{
	self->camera.yaw = (float)frame * (6.2831853f / (float)FRAMES);
	self->camera.is_flying = false;
	view_camera_steer(&self->camera);
}

/// Everything that the camera sees on its way is brought in, and what draws it.
static void go_round_and_settle(view_window *window)
{
	view_session *self = window->session;
	for (uint32_t i = 0; i < FRAMES; i += WAY)
	{
		turn(self, i);
		run_frame(window, 0.02f);
	}
	self->calm = 0;
	while (!view_session_is_settled(self))
	{
		assert_true(view_session_update(self));
		usleep(200);
	}
}

static void check_steady(const char *path, const char *model, const char *clip)
{
	view_session *self = open_session(path, model, clip);
	view_window window = { .session = self };
	assert_true(view_overlay_make(&window));
	assert_true(atomic_load(&allocations) > 100); // or nobody counts
	go_round_and_settle(&window);
	lrd_residents_stats before, after;
	lrd_residents_get_stats(self->residents, &before);
	uint64_t counted = atomic_load(&allocations);
	for (uint32_t i = 0; i < FRAMES; ++i)
	{
		turn(self, i);
		run_frame(&window, 0.02f);
	}
	assert_true(view_renderer_wait(&self->renderer));
	uint64_t more = atomic_load(&allocations) - counted;
	lrd_residents_get_stats(self->residents, &after);
	assert_int_equal(after.uploads, before.uploads); // it was within what is resident
	assert_true(self->renderer.stats.draws != 0);
	if (more != 0)
	{
		fail_msg("%s: %llu allocations in %u frames", path, (unsigned long long)more, FRAMES);
	}
	free(window.sheet);
	close_session(self);
}

// --- The courtyard ---

static void a_steady_frame_of_the_courtyard_allocates_nothing(void **state)
{
	NEEDS_DRIVER();
	check_steady(view_kit_seal_courtyard(*state), "courtyard", "0");
}

// --- What moves ---

/// A square that bends at the weights of two targets, and at a joint.
static void put_moving(scratch *folder)
{
	static const float positions[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
	static const float normals[12] = { 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	static const float bend[12] = { 0, 0, 0, 0, 0, 0, 0.5f, 0.25f, 0, 0, 0.25f, 0.5f };
	static const float swing[12] = { 0, 0, 0, 0.5f, 0, 0, 0, 0, 0, 0, 0, 0 };
	static const uint16_t indices[6] = { 0, 1, 2, 0, 2, 3 };
	static const uint8_t joints[16] = { 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const float weights[16] = { 0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const float times[3] = { 0, 0.5f, 1 };
	static const float turns[12] = { 0, 0, 0, 1, 0, 0, 0.38268343f, 0.92387953f, 0, 0, 0, 1 };
	static const float morphs[6] = { 0, 0, 1, 0.5f, 0, 1 };
	gltf_build build;
	gltf_begin(&build);
	int p = gltf_floats(&build, positions, 4, "VEC3"), n = gltf_floats(&build, normals, 4, "VEC3");
	int i = gltf_u16(&build, indices, 6), b = gltf_floats(&build, bend, 4, "VEC3");
	int s = gltf_floats(&build, swing, 4, "VEC3");
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 4, "VEC4");
	int w = gltf_floats(&build, weights, 4, "VEC4"), t = gltf_floats(&build, times, 3, "SCALAR");
	int r = gltf_floats(&build, turns, 3, "VEC4"), m = gltf_floats(&build, morphs, 6, "SCALAR");
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"indices\":"
		"%d,"
		"\"material\":0,\"targets\":[{\"POSITION\":%d},{\"POSITION\":%d}]}]}",
		p, n, j, w, i, b, s);
	gltf_add(&build, "nodes", "{\"mesh\":0,\"skin\":0}");
	gltf_add(&build, "nodes", "{\"name\":\"root\",\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"name\":\"tip\"}");
	gltf_add(&build, "skins", "{\"joints\":[1,2]}");
	gltf_add(&build, "animations",
		"{\"name\":\"move\",\"samplers\":[{\"input\":%d,\"output\":%d},{\"input\":%d,\"output\":%d}],\"channels\":[{"
		"\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},{\"sampler\":1,\"target\":{\"node\":0,\"path\":"
		"\"weights\"}}]}",
		t, r, t, m);
	view_kit_plain(&build, "1,0.5,0.1,1", "");
	view_kit_save(folder, "moving.glb", &build);
}

static void a_steady_frame_of_morphs_and_skins_allocates_nothing(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_moving(folder);
	check_steady(scratch_path(folder, "moving.glb"), NULL, "move");
}

static void a_steady_frame_of_many_morphs_allocates_nothing(void **state)
{
	(void)state;
	NEEDS_DRIVER();
	const char *const path = LRD_TEST_SOURCE_DIR "/../shared/corpus/gltf/assimp/MorphStressTest/MorphStressTest.gltf";
	if (access(path, F_OK) != 0)
	{
		print_message("no %s\n", path);
		skip();
	}
	check_steady(path, NULL, "0");
}

static void what_stands_still_is_not_blended_again(void **state)
{
	NEEDS_DRIVER();
	scratch *folder = *state;
	put_moving(folder);
	view_session *self = open_session(scratch_path(folder, "moving.glb"), NULL, "move");
	view_window window = { .session = self };
	assert_true(view_overlay_make(&window));
	go_round_and_settle(&window);
	run_frame(&window, 0.0f);
	for (uint32_t i = 0; i < 10; ++i)
	{
		turn(self, i);
		run_frame(&window, 0.0f);
		assert_int_equal(self->renderer.stats.blended, 0);
	}
	run_frame(&window, 0.02f);
	assert_int_equal(self->renderer.stats.blended, 1);
	run_frame(&window, 0.0f);
	assert_int_equal(self->renderer.stats.blended, 0);
	free(window.sheet);
	close_session(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_steady_frame_of_the_courtyard_allocates_nothing, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			a_steady_frame_of_morphs_and_skins_allocates_nothing, scratch_open, scratch_close),
		cmocka_unit_test(a_steady_frame_of_many_morphs_allocates_nothing),
		cmocka_unit_test_setup_teardown(what_stands_still_is_not_blended_again, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
