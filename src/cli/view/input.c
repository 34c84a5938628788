// Keys, the mouse, and what is dropped on the window.

#include "cli/view/window.h"

#include <math.h>

#define TURN 0.006f // radians a pixel
#define WHEEL 0.88f // of the distance that a notch leaves
#define SPEED 0.6f  // of the distance to the target, flown in a second
#define FAST 4.0f   // times that with shift
#define TIME_STEP 0.0333f
#define HOME_YAW 0.5235988f // 30 and 20 degrees, as --camera's default
#define HOME_PITCH 0.3490659f

static void turn(view_camera *camera, float x, float y)
{
	camera->yaw -= x * TURN;
	camera->pitch += y * TURN;
	view_camera_steer(camera);
}

static void move(view_window *self, float x, float y)
{
	view_camera *camera = &self->session->camera;
	float unit = camera->distance / view_camera_pixels_per_unit(camera, (float)self->session->renderer.targets.height);
	lrd_vec3 way = view_add(view_scale(camera->right, -x * unit), view_scale(camera->up, y * unit));
	camera->target = view_add(camera->target, way);
	camera->eye = view_add(camera->eye, way);
	view_camera_steer(camera);
}

static void near_by(view_camera *camera, float notches)
{
	camera->distance *= powf(WHEEL, notches);
	view_camera_steer(camera);
}

/// Whether it moved.
static bool fly(view_window *self, float seconds)
{
	const Uint8 *keys = SDL_GetKeyboardState(NULL);
	view_camera *camera = &self->session->camera;
	float step = seconds * SPEED * self->session->scene.bounds.radius * (keys[SDL_SCANCODE_LSHIFT] ? FAST : 1.0f);
	float x = (float)keys[SDL_SCANCODE_D] - (float)keys[SDL_SCANCODE_A];
	float y = (float)keys[SDL_SCANCODE_E] - (float)keys[SDL_SCANCODE_Q];
	float z = (float)keys[SDL_SCANCODE_S] - (float)keys[SDL_SCANCODE_W];
	bool moves = camera->is_flying && (x != 0.0f || y != 0.0f || z != 0.0f);
	if (moves)
	{
		lrd_vec3 way = view_add(view_scale(camera->right, x * step),
			view_add(view_scale(camera->up, y * step), view_scale(camera->back, z * step)));
		camera->eye = view_add(camera->eye, way);
		view_camera_steer(camera);
	}
	return moves;
}

/// The next of `count` and "none", forwards or back.
static uint32_t next_of(uint32_t index, uint32_t count, int direction)
{
	uint32_t place = index == LRD_NO_INDEX ? 0 : index + 1;
	place = (place + (direction > 0 ? 1 : count)) % (count + 1);
	return place == 0 ? LRD_NO_INDEX : place - 1;
}

static void change_clip(view_session *session, int direction)
{
	view_scene *scene = &session->scene;
	uint32_t clip = next_of(scene->clip, scene->model->view.clip_count, direction);
	scene->time = 0.0f;
	scene->is_playing = clip != LRD_NO_INDEX;
	view_scene_set_clip_index(scene, session->content.store, clip);
	view_scene_pose(scene, session->content.store);
}

static void change_variant(view_session *session)
{
	view_scene *scene = &session->scene;
	uint32_t variant = next_of(scene->variant, scene->model->view.variant_count, 1);
	view_scene_set_variant_index(scene, session->residents, variant);
}

static void fit(view_session *session)
{
	float aspect = (float)session->renderer.targets.width / (float)session->renderer.targets.height;
	view_camera_make(
		&session->camera, &(view_camera_desc){ .yaw = HOME_YAW, .pitch = HOME_PITCH }, &session->scene, aspect, false);
}

static void change_camera(view_session *session, int direction)
{
	uint32_t index = next_of(session->camera.index, session->scene.model->view.camera_count, direction);
	if (index == LRD_NO_INDEX)
	{
		fit(session);
	}
	else
	{
		view_camera_take_file(&session->camera, &session->scene, index);
	}
}

static void step_time(view_session *session, float seconds)
{
	view_scene *scene = &session->scene;
	scene->is_playing = false;
	scene->time = fmaxf(0.0f, fminf(scene->time + seconds, view_scene_duration(scene, session->content.store)));
	view_scene_pose(scene, session->content.store);
}

static void press_with_model(view_window *self, SDL_Keycode key, bool is_back)
{
	view_session *session = self->session;
	switch (key)
	{
	case SDLK_LEFTBRACKET: change_clip(session, -1); break;
	case SDLK_RIGHTBRACKET: change_clip(session, 1); break;
	case SDLK_v: change_variant(session); break;
	case SDLK_c: change_camera(session, is_back ? -1 : 1); break;
	case SDLK_SPACE: session->scene.is_playing = !session->scene.is_playing; break;
	case SDLK_LEFT: step_time(session, -TIME_STEP); break;
	case SDLK_RIGHT: step_time(session, TIME_STEP); break;
	default: break;
	}
}

static void press(view_window *self, const SDL_Keysym *key)
{
	view_session *session = self->session;
	view_options *options = &session->options;
	bool is_back = (key->mod & KMOD_SHIFT) != 0;
	self->message[0] = 0;
	switch (key->sym)
	{
	case SDLK_ESCAPE: self->is_over = true; break;
	case SDLK_h: self->shows_overlay = !self->shows_overlay; break;
	case SDLK_m:
		options->mode = (view_mode)((options->mode + (is_back ? VIEW_MODE_COUNT - 1 : 1)) % VIEW_MODE_COUNT);
		break;
	case SDLK_l: options->lod = options->lod + 1 < LRD_MESH_MAX_LODS ? options->lod + 1 : -1; break;
	case SDLK_f: session->camera.is_flying = !session->camera.is_flying; break;
	case SDLK_HOME: fit(session); break;
	default:
		if (session->scene.model != NULL)
		{
			press_with_model(self, key->sym, is_back);
		}
		break;
	}
}

static void take_mouse(view_window *self, const SDL_MouseMotionEvent *motion)
{
	bool is_panning = (motion->state & (SDL_BUTTON_RMASK | SDL_BUTTON_MMASK)) != 0 ||
					  ((motion->state & SDL_BUTTON_LMASK) != 0 && (SDL_GetModState() & KMOD_SHIFT) != 0);
	if (is_panning)
	{
		move(self, (float)motion->xrel, (float)motion->yrel);
	}
	else if ((motion->state & SDL_BUTTON_LMASK) != 0)
	{
		turn(&self->session->camera, (float)motion->xrel, (float)motion->yrel);
	}
}

/// A mouse that only passes over the window changes nothing, and neither do keys that are let go.
static bool is_of_interest(const SDL_Event *event)
{
	return event->type == SDL_QUIT || event->type == SDL_WINDOWEVENT || event->type == SDL_KEYDOWN ||
		   event->type == SDL_MOUSEWHEEL || event->type == SDL_DROPFILE ||
		   (event->type == SDL_MOUSEMOTION && event->motion.state != 0);
}

bool view_input_take(view_window *self, float seconds)
{
	SDL_Event event;
	bool has_any = false;
	while (SDL_PollEvent(&event))
	{
		has_any = has_any || is_of_interest(&event);
		switch (event.type)
		{
		case SDL_QUIT: self->is_over = true; break;
		case SDL_WINDOWEVENT:
			self->is_stale = self->is_stale || event.window.event == SDL_WINDOWEVENT_SIZE_CHANGED ||
							 event.window.event == SDL_WINDOWEVENT_RESTORED ||
							 event.window.event == SDL_WINDOWEVENT_MINIMIZED;
			break;
		case SDL_KEYDOWN: press(self, &event.key.keysym); break;
		case SDL_MOUSEMOTION: take_mouse(self, &event.motion); break;
		case SDL_MOUSEWHEEL: near_by(&self->session->camera, event.wheel.preciseY); break;
		case SDL_DROPFILE:
			SDL_free(self->dropped);
			self->dropped = event.drop.file;
			break;
		default: break;
		}
	}
	return fly(self, seconds) || has_any;
}
