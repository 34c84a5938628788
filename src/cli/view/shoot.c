// Pictures without a window: everything is brought in first, so that the same scene gives the same picture.

#include "cli/view/session.h"
#include "larder/cook.h"
#include "larder/picture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS 20000000 // between looks at what is watched

/// A picture without a part of the model would be taken for the model; one with coarser textures is what it looks like.
static bool settle(view_session *self)
{
	view_session_expect(self);
	while (view_session_update(self))
	{
		if (view_session_is_settled(self))
		{
			return view_session_is_whole(self);
		}
		if (self->calm == 0) // otherwise there is nothing to wait for
		{
			nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
		}
	}
	return false;
}

static bool save(const view_session *self, const char *path)
{
	const view_targets *targets = &self->renderer.targets;
	lrd_error error = { 0 };
	lrd_buffer png = { 0 };
	const lrd_pixels pixels = { .width = targets->width,
		.height = targets->height,
		.type = LRD_PIXELS_UNORM8,
		.range = LRD_PIXELS_UNIT,
		.channels = LRD_CHANNELS_RGB,
		.srgb = true,
		.data = targets->pixels.mapped,
		.size = (size_t)targets->width * targets->height * 4 };
	bool good = lrd_pixels_write_png(&pixels, &png, &error) && lrd_file_save(path, png.data, png.size, &error);
	lrd_buffer_free(&png);
	if (!good)
	{
		cli_error("view: %s", error.message);
	}
	return good;
}

static bool shoot(view_session *self, const char *path)
{
	view_picture picture = view_session_picture(self);
	picture.is_read_back = true;
	if (!settle(self) || !view_renderer_draw(&self->renderer, &picture) || !view_renderer_wait(&self->renderer))
	{
		return false;
	}
	self->first_picture = self->pictures == 0 ? view_now() : self->first_picture;
	self->pictures++;
	return save(self, path);
}

/// "turn.png" becomes "turn-007.png". To be freed; NULL when memory runs out.
static char *number_path(const char *path, uint32_t number)
{
	size_t size = strlen(path);
	const char *dot = strrchr(path, '.');
	size_t stem = dot != NULL && strchr(dot, '/') == NULL ? (size_t)(dot - path) : size;
	char *numbered = malloc(size + 16);
	if (numbered != NULL)
	{
		snprintf(numbered, size + 16, "%.*s-%03u%s", (int)stem, path, number, path + stem);
	}
	return numbered;
}

static bool shoot_turntable(view_session *self)
{
	const view_options *options = &self->options;
	float duration = view_scene_duration(&self->scene, self->content.store);
	float yaw = self->camera.yaw;
	bool good = true;
	for (uint32_t i = 0; good && i < options->turntable; ++i)
	{
		float part = (float)i / (float)options->turntable;
		char *path = number_path(options->screenshot, i);
		self->camera.yaw = yaw + 6.2831853f * part;
		self->camera.is_flying = false;
		view_camera_steer(&self->camera);
		if (duration > 0.0f)
		{
			self->scene.time = duration * part;
			view_scene_pose(&self->scene, self->content.store);
		}
		good = path != NULL && shoot(self, path);
		free(path);
	}
	return good;
}

/// Take the picture again whenever what is shown changed, `frames` times in all; 0: for ever.
static bool shoot_changes(view_session *self)
{
	const view_options *options = &self->options;
	uint64_t seen = self->changes;
	while (options->frames == 0 || self->pictures < options->frames)
	{
		view_content_refresh(&self->content, options);
		if (!view_session_update(self))
		{
			return false;
		}
		if (seen != self->changes)
		{
			seen = self->changes;
			if (!shoot(self, options->screenshot))
			{
				return false;
			}
		}
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	}
	return true;
}

cli_exit view_session_shoot(view_session *self)
{
	const view_options *options = &self->options;
	bool good = view_session_open(self, NULL) &&
				(options->turntable != 0 ? shoot_turntable(self) : shoot(self, options->screenshot)) &&
				(!options->watch || shoot_changes(self));
	cli_exit result = view_session_report(self, good ? CLI_OK : CLI_FAILED);
	view_session_close(self);
	return result;
}
