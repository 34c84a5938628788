// The window's loop: what happened, what arrived, a frame, and again.

#include "cli/view/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_NS 300000000u    // between looks at what is watched
#define ACQUIRE_NS 100000000u // a window that nobody sees may get no image: it must answer all the same
#define SMOOTH 0.1f           // how fast the shown time of a frame follows
#define MESSAGE_NS 8000000000u
#define REST_PICTURES 4 // after the last news
#define REST_MS 100     // at most, before it is seen whether anything arrived
#define WATCHED 40u // steps after the last news, for as long as the stream may let something wait: they follow sooner
#define WATCHED_MS 16

static VkSurfaceKHR make_surface(void *user, VkInstance instance)
{
	view_window *self = user;
	VkSurfaceKHR surface = VK_NULL_HANDLE;
	return SDL_Vulkan_CreateSurface(self->window, instance, &surface) ? surface : VK_NULL_HANDLE;
}

static bool open_window(view_window *self)
{
	const view_options *options = &self->session->options;
	SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
	if (SDL_Init(SDL_INIT_VIDEO) != 0)
	{
		cli_error("view: no window: %s; --screenshot needs none", SDL_GetError());
		return false;
	}
	self->window = SDL_CreateWindow("larder view", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
		(int)options->width, (int)options->height, SDL_WINDOW_VULKAN | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
	if (self->window == NULL)
	{
		cli_error(
			"view: no window for Vulkan: %s; a display, the loader and a driver are needed (on Debian libvulkan1 and "
			"mesa-vulkan-drivers); --screenshot needs no display",
			SDL_GetError());
	}
	return self->window != NULL;
}

static bool open_session(view_window *self)
{
	const char *extensions[16];
	unsigned int count = 16;
	if (!SDL_Vulkan_GetInstanceExtensions(self->window, &count, extensions))
	{
		cli_error("view: no window for Vulkan: %s", SDL_GetError());
		return false;
	}
	PFN_vkGetInstanceProcAddr get = NULL;
	void *const from = SDL_Vulkan_GetVkGetInstanceProcAddr();
	memcpy(&get, &from, sizeof get); // SDL gives a function as data
	const lrd_vulkan_device_desc desc = {
		.get_instance_proc_addr = get,
		.instance_extensions = extensions,
		.instance_extension_count = count,
		.make_surface = make_surface,
		.user = self,
	};
	if (!view_session_open(self->session, &desc))
	{
		return false;
	}
	self->surface = lrd_vulkan_device_surface(self->session->device);
	return view_semaphores_make(self) && view_swapchain_make(self) && view_overlay_make(self);
}

void view_window_close(view_window *self)
{
	if (self->session->vk.device != VK_NULL_HANDLE)
	{
		view_swapchain_free(self);
		view_semaphores_free(self);
	}
	// The surface goes with the device, and must before the window.
	view_session_close(self->session);
	if (self->window != NULL)
	{
		SDL_DestroyWindow(self->window);
	}
	SDL_free(self->dropped);
	SDL_Quit();
	free(self->sheet);
}

/// Whether it moved.
static bool play(view_window *self, float seconds)
{
	view_session *session = self->session;
	view_scene *scene = &session->scene;
	float duration = scene->is_playing ? view_scene_duration(scene, session->content.store) : 0.0f;
	if (duration > 0.0f)
	{
		scene->time = fmodf(scene->time + seconds, duration);
		view_scene_pose(scene, session->content.store);
	}
	return duration > 0.0f;
}

/// False: the device is lost.
static bool draw(view_window *self)
{
	view_session *session = self->session;
	const view_vulkan *vk = &session->vk;
	if (self->is_stale || self->swapchain == VK_NULL_HANDLE)
	{
		if (!view_swapchain_make(self))
		{
			return false;
		}
		if (self->swapchain == VK_NULL_HANDLE)
		{
			SDL_WaitEventTimeout(NULL, 50); // without a size there is nothing to draw
			return true;
		}
	}
	view_picture picture = view_session_picture(session);
	uint32_t frame = (uint32_t)(session->renderer.next_number % VIEW_FRAMES), image = 0;
	// The semaphore is free again when the frame that waited for it is through.
	uint32_t most = view_session_most(session), width = self->width, height = self->height;
	if (!view_renderer_resize(&session->renderer, width < most ? width : most, height < most ? height : most) ||
		!view_renderer_make_room(&session->renderer))
	{
		return false;
	}
	VkResult result =
		vk->AcquireNextImageKHR(vk->device, self->swapchain, ACQUIRE_NS, self->acquired[frame], VK_NULL_HANDLE, &image);
	if (result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_TIMEOUT || result == VK_NOT_READY)
	{
		self->is_stale = result == VK_ERROR_OUT_OF_DATE_KHR;
		return true;
	}
	if (!view_check(result, "the window's image"))
	{
		return false;
	}
	picture.overlay = self->shows_overlay || self->message[0] != 0 ? view_overlay_write(self) : (view_overlay){ 0 };
	picture.window_image = self->images[image];
	picture.window_width = self->width;
	picture.window_height = self->height;
	picture.wait = self->acquired[frame];
	picture.signal = self->drawn[image];
	if (!view_renderer_draw(&session->renderer, &picture))
	{
		return false;
	}
	const VkPresentInfoKHR present = { .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.waitSemaphoreCount = 1,
		.pWaitSemaphores = &self->drawn[image],
		.swapchainCount = 1,
		.pSwapchains = &self->swapchain,
		.pImageIndices = &image };
	result = vk->QueuePresentKHR(vk->queue, &present);
	self->is_stale = self->is_stale || result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_SUBOPTIMAL_KHR;
	session->first_picture = session->pictures == 0 ? view_now() : session->first_picture;
	session->pictures++;
	return result == VK_ERROR_OUT_OF_DATE_KHR || view_check(result, "showing a frame");
}

static void name_window(view_window *self)
{
	char title[256];
	snprintf(title, sizeof title, "%s - larder view", self->session->content.stem);
	SDL_SetWindowTitle(self->window, title);
}

static bool take_drop(view_window *self)
{
	if (self->dropped == NULL)
	{
		return true;
	}
	self->message[0] = 0;
	bool good = view_session_show(self->session, self->dropped);
	SDL_free(self->dropped);
	self->dropped = NULL;
	name_window(self);
	return good;
}

/// What happened, and what arrived: false, the device is lost.
static bool take_news(view_window *self, float seconds, bool *has_news)
{
	view_session *session = self->session;
	*has_news = view_input_take(self, seconds);
	if (session->options.watch && self->last_frame - self->last_look > LOOK_NS)
	{
		*has_news = view_content_refresh(&session->content, &session->options) || *has_news;
		self->last_look = self->last_frame;
	}
	*has_news = play(self, seconds) || *has_news;
	if (!take_drop(self) || !view_session_update(session))
	{
		return false;
	}
	bool is_waiting = session->calm == 0 && !session->is_starved;
	*has_news =
		*has_news || is_waiting || session->taken != self->seen_changes || session->uploads != self->seen_uploads;
	self->seen_changes = session->taken;
	self->seen_uploads = session->uploads;
	return true;
}

/// True when another message is shown than before, or none any more.
static bool take_message(view_window *self, const char *error)
{
	bool is_new = *error != 0, is_old = self->message[0] != 0 && self->last_frame > self->message_end;
	if (is_new)
	{
		static const char command[] = "view: "; // everything here is of that
		size_t skipped = strncmp(error, command, sizeof command - 1) == 0 ? sizeof command - 1 : 0;
		snprintf(self->message, sizeof self->message, "%s", error + skipped);
		self->message_end = view_now() + MESSAGE_NS;
	}
	else if (is_old)
	{
		self->message[0] = 0;
	}
	return is_new || is_old;
}

bool view_window_step(view_window *self)
{
	view_session *session = self->session;
	if (self->is_resting)
	{
		SDL_WaitEventTimeout(NULL, self->still < WATCHED ? WATCHED_MS : REST_MS);
	}
	uint64_t now = view_now();
	float took = self->is_resting ? 0.0f : (float)(now - self->last_frame) * 1e-9f;
	if (!self->is_resting)
	{
		self->frame_ms += (took * 1e3f - self->frame_ms) * (session->pictures < 4 ? 1.0f : SMOOTH);
	}
	self->last_frame = now;
	char error[sizeof self->message];
	bool has_news = false;
	cli_error_keep(error, sizeof error);
	bool good = take_news(self, fminf(took, 0.25f), &has_news);
	cli_error_keep(NULL, 0);
	has_news = take_message(self, error) || has_news || self->is_stale || self->swapchain == VK_NULL_HANDLE;
	if (has_news || session->options.frames != 0)
	{
		self->rest_at = session->pictures + REST_PICTURES;
		self->still = 0;
	}
	self->still += self->still < WATCHED;
	self->is_resting = session->pictures == self->rest_at;
	return good && (self->is_resting || draw(self));
}

bool view_window_open(view_window *self, view_session *session)
{
	*self = (view_window){ .session = session, .shows_overlay = true, .rest_at = REST_PICTURES };
	bool good = open_window(self) && open_session(self);
	if (good)
	{
		name_window(self);
	}
	self->last_frame = view_now();
	session->scene.is_playing = session->options.clip != NULL;
	return good;
}

cli_exit view_window_run(view_session *session)
{
	view_window self;
	bool good = view_window_open(&self, session);
	uint32_t frames = session->options.frames;
	while (good && !self.is_over && (frames == 0 || session->pictures < frames))
	{
		good = view_window_step(&self);
	}
	good = good && view_renderer_wait(&session->renderer);
	cli_exit result = view_session_report(session, good ? CLI_OK : CLI_FAILED);
	view_window_close(&self);
	return result;
}
