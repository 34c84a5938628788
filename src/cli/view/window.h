// cli/view/window.h: a window to look through, with SDL.

#ifndef CLI_VIEW_WINDOW_H
#define CLI_VIEW_WINDOW_H

#include "cli/view/session.h"

#include <SDL.h>
#include <SDL_vulkan.h>

#define VIEW_WINDOW_IMAGES 16

typedef struct view_window
{
	view_session *session;
	SDL_Window *window;
	// What is shown of Vulkan's side.
	VkSurfaceKHR surface;
	VkSwapchainKHR swapchain;
	VkImage images[VIEW_WINDOW_IMAGES];
	VkSemaphore drawn[VIEW_WINDOW_IMAGES]; ///< by image
	VkSemaphore acquired[VIEW_FRAMES];     ///< by frame
	uint32_t image_count;
	uint32_t width, height; ///< of the images
	bool is_stale;          ///< they don't fit any more
	// What was done to it.
	bool is_over;
	bool shows_overlay;
	char message[256]; ///< an error, shown for a while or until a key is pressed; empty: none
	uint64_t message_end;
	// Where nothing moves nothing is drawn.
	bool is_resting;
	uint32_t still;   ///< steps without news
	uint32_t rest_at; ///< pictures, after which it rests unless there is news
	uint64_t seen_changes, seen_uploads;
	uint64_t last_frame; ///< nanoseconds
	uint64_t last_look;  ///< at what is watched
	float frame_ms;
	char *dropped; ///< SDL's
	uint8_t *sheet;
	uint32_t sheet_width, sheet_height, text_scale;
} view_window;

/// Everything, until it is closed.
cli_exit view_window_run(view_session *session);

/// The steps of that. A window with a device, and what the session's options name in it. False, which was said: it is to be closed all
/// the same.
bool view_window_open(view_window *self, view_session *session);
/// What happened to it, what arrived, and a frame where the window has a size. Once nothing moves any more: no frame, but a wait until
/// something happens, at most a tenth of a second. False, which was said.
bool view_window_step(view_window *self);
/// The session goes with it.
void view_window_close(view_window *self);

/// Images to show. False, which was said. Nothing is made, and there is nothing to show on, while the window has no size.
bool view_swapchain_make(view_window *self);
void view_swapchain_free(view_window *self);
bool view_semaphores_make(view_window *self);
void view_semaphores_free(view_window *self);

/// Everything that happened to the window; `seconds` since the last time. Whether anything did.
bool view_input_take(view_window *self, float seconds);

bool view_overlay_make(view_window *self);
/// Lives until the next call.
view_overlay view_overlay_write(view_window *self);

#endif
