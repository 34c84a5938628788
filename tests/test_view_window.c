// tests/test_view_window.c: the window of `larder view` on a screen that is not there: what it shows when its size changes, when it has
// none, when it is hidden, and when other files are dropped on it. Every step is under the validation layer where there is one.

#include "cli/view/window.h"
#include "fixtures/view_kit.h"
#include "fixtures/view_screen.h"

#include <math.h>

#define STEPS 4000 // after which what is waited for will not come

/// The square with a clip that moves it, and a variant.
static void put_moving(scratch *folder, const char *name)
{
	static const float positions[12] = { -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0 };
	static const uint16_t indices[6] = { 0, 1, 2, 0, 2, 3 };
	static const float times[2] = { 0, 1 }, way[6] = { 0, 0, 0, 1, 0.5f, 0 };
	gltf_build build;
	gltf_begin(&build);
	int p = gltf_floats(&build, positions, 4, "VEC3"), i = gltf_u16(&build, indices, 6);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"material\":0,\"extensions\":{"
		"\"KHR_materials_variants\":{\"mappings\":[{\"material\":1,\"variants\":[0]}]}}}]}",
		p, i);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	gltf_add(&build, "animations",
		"{\"name\":\"go\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{"
		"\"node\":0,\"path\":\"translation\"}}]}",
		gltf_floats(&build, times, 2, "SCALAR"), gltf_floats(&build, way, 2, "VEC3"));
	view_kit_plain(&build, "1,0,0,1", "");
	view_kit_plain(&build, "0,0,1,1", "");
	gltf_member(&build, "\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"night\"}]}}");
	view_kit_save(folder, name, &build);
}

/// With the square in front that fills the picture.
static view_window *open_window(const char *path)
{
	view_window *self = calloc(1, sizeof *self);
	view_session *session = calloc(1, sizeof *session);
	assert_true(self != NULL && session != NULL);
	session->options = (view_options){ .path = path,
		.width = 200,
		.height = 160,
		.camera = { .kind = VIEW_CAMERA_ORBIT, .distance = 1.5f },
		.lod = -1,
		.has_background = true,
		.exposure = 1.0f,
		.validate = view_kit_has_layer(),
		.quiet = true };
	assert_true(view_window_open(self, session));
	self->shows_overlay = false;
	return self;
}

static void close_window(view_window *self)
{
	view_session *session = self->session;
	assert_int_equal(lrd_vulkan_device_messages(session->device), 0);
	view_window_close(self);
	free(session);
	free(self);
}

static uint32_t middle_of(const view_window *self)
{
	int x = 0, y = 0, width = 0, height = 0;
	SDL_GetWindowPosition(self->window, &x, &y);
	SDL_GetWindowSize(self->window, &width, &height);
	return view_screen_pixel(x + width / 2, y + height / 2);
}

/// Go on until the middle of the window has this colour.
static void step_until(view_window *self, uint32_t colour)
{
	for (int i = 0; i < STEPS; ++i)
	{
		assert_true(view_window_step(self));
		if (middle_of(self) == colour)
		{
			return;
		}
	}
	fail_msg("the window's middle is %06x, expected %06x", middle_of(self), colour);
}

static void step_times(view_window *self, int times)
{
	for (int i = 0; i < times; ++i)
	{
		assert_true(view_window_step(self));
	}
}

static void drop(view_window *self, const char *path)
{
	SDL_Event event = { .drop = { .type = SDL_DROPFILE, .file = SDL_strdup(path) } };
	assert_int_equal(SDL_PushEvent(&event), 1);
	assert_true(view_window_step(self));
	assert_null(self->dropped);
}

static void press(SDL_Keycode key, Uint16 mod)
{
	SDL_Event event = { .key = { .type = SDL_KEYDOWN, .state = SDL_PRESSED, .keysym = { .sym = key, .mod = mod } } };
	assert_int_equal(SDL_PushEvent(&event), 1);
}

static void a_window_shows_its_picture_at_any_size(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	view_window *self = open_window(scratch_path(folder, "red.glb"));
	step_until(self, 0xff0000);
	static const int sizes[][2] = { { 60, 40 }, { 500, 30 }, { 1, 1 }, { 600, 440 }, { 200, 160 } };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
	{
		SDL_SetWindowSize(self->window, sizes[i][0], sizes[i][1]);
		step_times(self, 3);
		step_until(self, 0xff0000);
		assert_int_equal(self->session->renderer.targets.width, sizes[i][0]);
		assert_int_equal(self->session->renderer.targets.height, sizes[i][1]);
	}
	close_window(self);
}

static void a_window_that_was_hidden_shows_its_picture_again(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	view_window *self = open_window(scratch_path(folder, "red.glb"));
	step_until(self, 0xff0000);
	for (int i = 0; i < 2; ++i)
	{
		SDL_HideWindow(self->window);
		step_times(self, 5);
		SDL_ShowWindow(self->window);
		step_until(self, 0xff0000);
		SDL_MinimizeWindow(self->window);
		step_times(self, 5);
		SDL_RestoreWindow(self->window);
		step_until(self, 0xff0000);
	}
	close_window(self);
}

/// The layer of vulkan_fault_layer.c has its say until this is called with NULL.
static void set_faults(const char *faults)
{
	if (faults == NULL)
	{
		unsetenv("VK_INSTANCE_LAYERS");
		unsetenv("VK_ADD_LAYER_PATH");
		return;
	}
	setenv("VK_INSTANCE_LAYERS", "VK_LAYER_LARDER_fault", 1);
	setenv("VK_ADD_LAYER_PATH", LARDER_FAULT_LAYER, 1);
	setenv("LARDER_FAULTS", faults, 1);
}

static void a_window_without_a_size_draws_nothing_until_it_has_one(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	set_faults("empty:1-3");
	view_window *self = open_window(scratch_path(folder, "red.glb"));
	set_faults(NULL);
	step_times(self, 2);
	assert_int_equal(self->session->pictures, 0); // asked when it was made, and twice since
	step_until(self, 0xff0000);
	close_window(self);

	set_faults("empty:2-4");
	self = open_window(scratch_path(folder, "red.glb"));
	set_faults(NULL);
	step_until(self, 0xff0000);
	uint32_t before = self->session->pictures;
	self->is_stale = true;
	step_times(self, 3);
	assert_int_equal(self->session->pictures, before);
	assert_true(self->swapchain == VK_NULL_HANDLE);
	step_times(self, 3);
	assert_int_equal(self->session->pictures, before + 3);
	step_until(self, 0xff0000);
	close_window(self);
}

static void images_that_are_out_of_date_are_made_anew(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	static const char *const faults[] = { "QueuePresentKHR:2=date", "QueuePresentKHR:2-4=suboptimal",
		"AcquireNextImageKHR:3=date", "QueuePresentKHR:2=date AcquireNextImageKHR:3-5=date empty:2-3" };
	for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i)
	{
		set_faults(faults[i]);
		view_window *self = open_window(scratch_path(folder, "red.glb"));
		set_faults(NULL);
		step_times(self, 12);
		step_until(self, 0xff0000);
		close_window(self);
	}
}

static void a_device_that_is_lost_ends_the_window(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	static const char *const faults[] = { "QueuePresentKHR:4=lost", "AcquireNextImageKHR:4=lost", "QueueSubmit:9+",
		"GetFenceStatus:3", "GetSemaphoreCounterValue:40", "QueuePresentKHR:4=surface",
		"QueuePresentKHR:4=date CreateSwapchainKHR:2", "QueuePresentKHR:4=date GetSwapchainImagesKHR:2" };
	for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i)
	{
		set_faults(faults[i]);
		view_window *self = open_window(scratch_path(folder, "red.glb"));
		set_faults(NULL);
		int steps = 0;
		while (steps < STEPS && view_window_step(self))
		{
			steps++;
		}
		if (steps == STEPS)
		{
			fail_msg("%s: it went on", faults[i]);
		}
		close_window(self);
	}
}

static void files_that_are_dropped_on_it_are_shown(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	view_kit_put_colour(folder, "red.glb", "1,0,0,1");
	view_kit_put_colour(folder, "blue.glb", "0,0,1,1");
	view_kit_put(folder, "broken.glb", (lrd_bytes){ "nothing", 7 });
	view_window *self = open_window(scratch_path(folder, "red.glb"));
	step_until(self, 0xff0000);
	drop(self, scratch_path(folder, "blue.glb"));
	step_until(self, 0x0000ff);
	drop(self, scratch_path(folder, "broken.glb"));
	assert_non_null(strstr(self->message, "broken.glb: GLB: "));
	press(SDLK_z, 0);
	step_times(self, 1);
	assert_string_equal(self->message, "");
	drop(self, scratch_path(folder, "missing.glb"));
	assert_non_null(strstr(self->message, "missing.glb: there is no such file or folder"));
	self->message_end = 0;
	step_times(self, 2);
	assert_string_equal(self->message, "");
	drop(self, scratch_path(folder, "missing.glb"));
	step_times(self, 5);
	step_until(self, 0x0000ff);
	// Two in one frame: the last one counts.
	SDL_Event event = { .drop = { .type = SDL_DROPFILE, .file = SDL_strdup(scratch_path(folder, "blue.glb")) } };
	SDL_PushEvent(&event);
	drop(self, scratch_path(folder, "red.glb"));
	assert_string_equal(self->message, "");
	step_until(self, 0xff0000);
	close_window(self);
}

static void step_until_it_rests(view_window *self)
{
	for (int i = 0; i < STEPS && !self->is_resting; ++i)
	{
		assert_true(view_window_step(self));
	}
	assert_true(self->is_resting);
}

static void a_window_rests_until_something_happens(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	put_moving(folder, "moving.glb");
	view_window *self = open_window(scratch_path(folder, "moving.glb"));
	view_session *session = self->session;
	self->shows_overlay = true;
	step_times(self, 1);
	assert_true(session->lack.meshes != 0 || session->lack.textures != 0 || session->lack.materials != 0);
	step_until_it_rests(self);
	assert_true(session->lack.meshes == 0 && session->lack.textures == 0 && session->lack.materials == 0);
	uint32_t before = session->pictures;
	float frame_ms = self->frame_ms;
	step_times(self, 40);
	assert_true(view_session_is_settled(session));
	assert_int_equal(session->pictures, before);
	assert_true(self->frame_ms == frame_ms);
	press(SDLK_m, 0);
	step_times(self, 2);
	assert_int_equal(session->pictures, before + 2);
	step_until_it_rests(self);
	press(SDLK_RIGHTBRACKET, 0); // plays
	step_times(self, 1);
	before = session->pictures;
	step_times(self, 100);
	assert_int_equal(session->pictures, before + 100);
	press(SDLK_SPACE, 0);
	step_until_it_rests(self);
	close_window(self);
}

static void move_mouse(uint32_t buttons, int x, int y)
{
	SDL_Event event = { .motion = { .type = SDL_MOUSEMOTION, .state = buttons, .xrel = x, .yrel = y } };
	assert_int_equal(SDL_PushEvent(&event), 1);
}

/// Every key, in every view, and the mouse.
static void use_everything(view_window *self)
{
	static const SDL_Keycode keys[] = { SDLK_h, SDLK_l, SDLK_f, SDLK_LEFTBRACKET, SDLK_RIGHTBRACKET, SDLK_v, SDLK_c,
		SDLK_SPACE, SDLK_LEFT, SDLK_RIGHT, SDLK_HOME, SDLK_z };
	for (int mode = 0; mode <= VIEW_MODE_COUNT; ++mode)
	{
		press(SDLK_m, mode == 3 ? KMOD_LSHIFT : 0);
		for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
		{
			press(keys[i], 0);
		}
		move_mouse(SDL_BUTTON_LMASK, 40, -7);
		move_mouse(SDL_BUTTON_RMASK, -3, 5);
		SDL_Event wheel = { .wheel = { .type = SDL_MOUSEWHEEL, .preciseY = mode % 2 == 0 ? 3.0f : -3.0f } };
		SDL_PushEvent(&wheel);
		step_times(self, 2);
		assert_true(isfinite(self->session->camera.eye.x) && isfinite(self->session->camera.distance));
	}
	press(SDLK_ESCAPE, 0);
	step_times(self, 1);
	assert_true(self->is_over);
}

static void every_key_does_what_it_can(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	put_moving(folder, "moving.glb");
	view_window *self = open_window(scratch_path(folder, "moving.glb"));
	use_everything(self);
	close_window(self);
	self = open_window(LRD_TEST_SOURCE_DIR "/examples/courtyard/source/lantern.glb");
	use_everything(self);
	close_window(self);
	self = open_window(LRD_TEST_SOURCE_DIR "/examples/courtyard/source/Banner.png");
	use_everything(self);
	close_window(self);
}

static void put_cameras(scratch *folder, const char *name)
{
	gltf_build build;
	gltf_begin(&build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", view_kit_square(&build, 0, ""));
	gltf_add(&build, "nodes", "{\"camera\":0,\"translation\":[0,0,5]}");
	gltf_add(&build, "nodes", "{\"camera\":1,\"translation\":[0.5,0,7]}");
	gltf_add(
		&build, "cameras", "{\"name\":\"near\",\"type\":\"perspective\",\"perspective\":{\"yfov\":0.6,\"znear\":0.1}}");
	gltf_add(&build, "cameras",
		"{\"name\":\"flat\",\"type\":\"orthographic\",\"orthographic\":{\"xmag\":2,\"ymag\":2,\"znear\":0.1,\"zfar\":9}"
		"}");
	view_kit_plain(&build, "1,0,0,1", "");
	view_kit_save(folder, name, &build);
}

static const view_camera *press_camera(view_window *self, Uint16 mod)
{
	press(SDLK_c, mod);
	step_times(self, 1);
	return &self->session->camera;
}

static void cameras_of_the_file_are_looked_through_in_turn(void **state)
{
	NEEDS_DRIVER();
	NEEDS_SCREEN();
	scratch *folder = *state;
	put_cameras(folder, "cameras.glb");
	view_window *self = open_window(scratch_path(folder, "cameras.glb"));
	self->shows_overlay = true;
	assert_true(self->session->camera.index == LRD_NO_INDEX);
	const view_camera *camera = press_camera(self, 0);
	assert_true(camera->index == 0 && camera->eye.z == 5.0f && !camera->is_orthographic && !camera->is_moved);
	camera = press_camera(self, 0);
	assert_true(camera->index == 1 && camera->eye.x == 0.5f && camera->eye.z == 7.0f && camera->is_orthographic);
	move_mouse(SDL_BUTTON_LMASK, 40, -7);
	step_times(self, 1);
	assert_true(camera->index == 1 && camera->is_moved);
	camera = press_camera(self, 0);
	assert_true(camera->index == LRD_NO_INDEX && !camera->is_orthographic && !camera->is_flying);
	camera = press_camera(self, KMOD_LSHIFT);
	assert_true(camera->index == 1 && !camera->is_moved);
	camera = press_camera(self, KMOD_LSHIFT);
	assert_true(camera->index == 0 && !camera->is_orthographic);
	press(SDLK_HOME, 0);
	step_times(self, 1);
	assert_true(camera->index == LRD_NO_INDEX);
	close_window(self);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
	const struct CMUnitTest tests[] = {
		TEST(a_window_shows_its_picture_at_any_size),
		TEST(a_window_that_was_hidden_shows_its_picture_again),
		TEST(a_window_without_a_size_draws_nothing_until_it_has_one),
		TEST(images_that_are_out_of_date_are_made_anew),
		TEST(a_device_that_is_lost_ends_the_window),
		TEST(files_that_are_dropped_on_it_are_shown),
		TEST(every_key_does_what_it_can),
		TEST(a_window_rests_until_something_happens),
		TEST(cameras_of_the_file_are_looked_through_in_turn),
	};
#undef TEST
	return cmocka_run_group_tests(tests, view_screen_open, view_screen_close);
}
