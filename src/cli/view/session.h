// cli/view/session.h: everything that is alive while something is looked at.

#ifndef CLI_VIEW_SESSION_H
#define CLI_VIEW_SESSION_H

#include "cli/view/render.h"

/// What is not on the GPU yet. Meshes are counted for each part, textures for each material that uses them; a material may have more of
/// these than is known before it is loaded.
typedef struct view_lack
{
	uint32_t meshes, textures, materials;
} view_lack;

typedef struct view_session
{
	struct view_session *home; ///< where it stays, also while another is being put in its place
	view_options options;
	view_content content;
	lrd_vulkan_device *device;
	view_vulkan vk;
	lrd_gpu_vulkan *gpu;
	lrd_residents *residents;
	lrd_stream *stream;
	view_renderer renderer;
	lrd_buffer studio; ///< the file of the sky that there is where none is named
	view_sky sky;
	view_scene scene;
	view_camera camera;
	uint32_t texture_slot; ///< of a texture that is shown flat; LRD_GPU_NO_SLOT: none
	uint64_t began;        ///< nanoseconds
	uint64_t first_picture;
	uint32_t pictures;
	lrd_listener listener;
	uint64_t changes;   ///< assets that came or were loaded anew
	uint64_t taken;     ///< of those
	uint32_t lost_clip; ///< + 1: that was chosen, and that the model lacks since it was loaded anew; 0: none
	uint32_t lost_variant;
	// What the updates came to: see settle.c.
	view_lack lack;
	uint32_t calm;     ///< updates in a row in which nothing was on its way
	uint64_t uploads;  ///< done
	uint64_t starved;  ///< objects that the device had no memory for, up to the last upload that was done
	uint64_t expected; ///< likewise, up to the last time that something else was wanted
	bool is_starved, was_starved;
	uint64_t moves, moved; ///< what changes when something moves, and when it did, in nanoseconds
	uint64_t patience;     ///< nanoseconds without a move, after which there will be none
} view_session;

/// Nanoseconds of a clock that only goes on.
uint64_t view_now(void);

/// Device, store and scene. `window` may be NULL: what lrd_vulkan_device_create wants of one. False, which was said.
bool view_session_open(view_session *self, const lrd_vulkan_device_desc *window);
void view_session_close(view_session *self);

/// Pixels that a picture may be wide or high on this device.
uint32_t view_session_most(const view_session *self);

/// Say how fine every texture should be for the camera. Called by view_session_update.
void view_session_demand(view_session *self);

/// Bring in what arrived; take up a model that was loaded anew. Once a frame, before it is drawn. False: the device is lost.
bool view_session_update(view_session *self);

/// Take notice of what an update came to; say so when the device's memory is found not to do. Called by view_session_update.
void view_session_watch(view_session *self, const lrd_residents_stats *stats);
/// Something else is wanted: what the device had no memory for until now says nothing any more.
void view_session_expect(view_session *self);
/// Whether everything that is wanted is on the GPU, or can't be had.
bool view_session_is_settled(const view_session *self);
/// Whether everything is there, though perhaps not as fine as it was wanted.
bool view_session_is_whole(const view_session *self);

/// What a frame shows, but for windows and overlays.
view_picture view_session_picture(const view_session *self);

/// Pictures to files, without a window.
cli_exit view_session_shoot(view_session *self);

/// Show something else, as if it had been named on the command line. What can't be shown is said, and what was shown stays. False:
/// the device is lost.
bool view_session_show(view_session *self, const char *path);

/// What streams.
typedef struct view_stream_line
{
	uint64_t budget, demanded;
	uint32_t transitions, limited;
} view_stream_line;
void view_session_stream(const view_session *self, view_stream_line *line);

/// What the validation layer had to say, and statistics as JSON where they were asked for.
cli_exit view_session_report(view_session *self, cli_exit result);

#endif
