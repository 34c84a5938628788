// Text over the picture: what is shown, how fast, and what the GPU holds of it.

#include "cli/raster.h"
#include "cli/view/window.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define WIDE 1280u // pixels of a window whose text is twice as large
#define MARGIN 8u
#define COLUMNS 64u
#define LINES 22u
#define LINE_HEIGHT (CLI_TEXT_HEIGHT + CLI_TEXT_DEPTH + 2) // at scale 1
#define SHADE 150                                          // alpha behind the text

static const cli_color text_color = { 235, 235, 235 };
static const cli_color error_color = { 255, 176, 112 };

static void put_line(view_window *self, uint32_t *line, const char *format, ...) LRD_PRINTF(3, 4);

static void put_text(view_window *self, uint32_t *line, const char *text, cli_color color)
{
	const cli_sheet sheet = { self->sheet_width, self->sheet_height, self->sheet };
	if (*line < LINES)
	{
		cli_draw_text(&sheet, MARGIN, MARGIN + *line * LINE_HEIGHT * self->text_scale, self->text_scale, text, color);
		++*line;
	}
}

static void put_line(view_window *self, uint32_t *line, const char *format, ...)
{
	char text[COLUMNS + 1];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	put_text(self, line, text, text_color);
}

/// In as many lines as it takes, broken at spaces where there are any.
static void put_message(view_window *self, uint32_t *line)
{
	for (const char *rest = self->message; *rest != 0;)
	{
		char text[COLUMNS + 1];
		size_t size = strlen(rest), skipped = 0;
		if (size > COLUMNS)
		{
			size = COLUMNS;
			while (size > COLUMNS / 2 && rest[size] != ' ')
			{
				size--;
			}
			skipped = rest[size] == ' ';
			size = skipped != 0 ? size : COLUMNS;
		}
		memcpy(text, rest, size);
		text[size] = 0;
		put_text(self, line, text, error_color);
		rest += size + skipped;
	}
}

bool view_overlay_make(view_window *self)
{
	self->sheet =
		malloc((size_t)(2 * MARGIN + 2 * CLI_TEXT_ADVANCE * COLUMNS) * (2 * MARGIN + 2 * LINES * LINE_HEIGHT) * 4);
	if (self->sheet == NULL)
	{
		cli_error("out of memory");
	}
	return self->sheet != NULL;
}

static void clear(view_window *self)
{
	for (size_t i = 0; i < (size_t)self->sheet_width * self->sheet_height; ++i)
	{
		memcpy(self->sheet + 4 * i, (const uint8_t[]){ 12, 12, 14, SHADE }, 4);
	}
}

static void put_timeline(view_window *self, uint32_t *line, float part)
{
	char bar[COLUMNS - 1];
	size_t size = sizeof bar - 1, done = (size_t)(part * (float)size);
	memset(bar, '-', size);
	memset(bar, '=', done < size ? done : size);
	bar[size] = 0;
	put_line(self, line, "%s", bar);
}

static void put_camera(view_window *self, uint32_t *line)
{
	const view_camera *camera = &self->session->camera;
	const view_scene *scene = &self->session->scene;
	const lrd_model_view *model = scene->model != NULL ? &scene->model->view : NULL;
	if (model != NULL && camera->index < model->camera_count)
	{
		lrd_string name = lrd_model_text(model, model->cameras[camera->index].name);
		put_line(self, line, "camera %u/%u %.*s%s", camera->index + 1, model->camera_count, LRD_STR_ARG(name),
			camera->is_moved ? " (moved)" : "");
	}
	else if (model != NULL && model->camera_count != 0)
	{
		put_line(self, line, "%u camera%s: C looks through %s", model->camera_count,
			model->camera_count == 1 ? "" : "s", model->camera_count == 1 ? "it" : "one");
	}
}

static void put_motion(view_window *self, uint32_t *line)
{
	const view_session *session = self->session;
	const view_scene *scene = &session->scene;
	const lrd_model_view *model = scene->model != NULL ? &scene->model->view : NULL;
	if (model != NULL && scene->clip != LRD_NO_INDEX)
	{
		lrd_string name = lrd_model_text(model, model->clips[scene->clip].name);
		float duration = view_scene_duration(scene, session->content.store);
		put_line(self, line, "clip %u/%u %.*s  %.2f s of %.2f%s", scene->clip + 1, model->clip_count, LRD_STR_ARG(name),
			(double)scene->time, (double)duration, scene->is_playing ? "" : " (paused)");
		put_timeline(self, line, duration > 0.0f ? scene->time / duration : 0.0f);
	}
	else if (model != NULL && model->clip_count != 0)
	{
		put_line(self, line, "%u %s: ] plays one", model->clip_count, model->clip_count == 1 ? "clip" : "clips");
	}
	if (model != NULL && scene->variant != LRD_NO_INDEX)
	{
		lrd_string name = lrd_model_text(model, model->variants[scene->variant].name);
		put_line(self, line, "variant %u/%u %.*s", scene->variant + 1, model->variant_count, LRD_STR_ARG(name));
	}
}

/// As --budget has them, and what is streamed is held against that.
static double mebibytes(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

/// "NUMBER WHATs" to a list; nothing where there is none.
static void add_count(char *text, size_t size, uint32_t number, const char *one, const char *more)
{
	size_t used = strlen(text);
	if (number != 0)
	{
		snprintf(text + used, size - used, "%s%u %s", used != 0 ? ", " : "", number, number == 1 ? one : more);
	}
}

static void put_lack(view_window *self, uint32_t *line)
{
	const view_session *session = self->session;
	char text[COLUMNS + 1] = "";
	add_count(text, sizeof text, session->lack.meshes, "mesh", "meshes");
	add_count(text, sizeof text, session->lack.textures, "texture", "textures");
	add_count(text, sizeof text, session->lack.materials, "material", "materials");
	if (*text != 0)
	{
		put_line(self, line, "%s: %s", session->is_starved ? "missing" : "loading", text);
	}
}

static void put_drawing(view_window *self, uint32_t *line)
{
	const view_session *session = self->session;
	const view_draw_stats *draws = &session->renderer.stats;
	char lod[24] = "";
	if (session->options.lod >= 0)
	{
		snprintf(lod, sizeof lod, ", LOD %d", session->options.lod);
	}
	put_line(self, line, "%.1f ms a frame, %ux%u, %s%s", self->frame_ms, session->renderer.targets.width,
		session->renderer.targets.height, view_mode_name(session->options.mode), lod);
	put_line(self, line, "%llu triangle%s, %u draw%s, %u instance%s, %u culled", (unsigned long long)draws->triangles,
		draws->triangles == 1 ? "" : "s", draws->draws, draws->draws == 1 ? "" : "s", draws->instances,
		draws->instances == 1 ? "" : "s", draws->culled);
}

static void put_memory(view_window *self, uint32_t *line)
{
	lrd_residents_stats residents;
	view_stream_line stream;
	lrd_residents_get_stats(self->session->residents, &residents);
	view_session_stream(self->session, &stream);
	put_line(self, line, "textures %.1f MiB, meshes %.1f, on their way %.1f", mebibytes(residents.texture_bytes),
		mebibytes(residents.mesh_bytes), mebibytes(residents.queued_bytes + residents.flying_bytes));
	put_line(self, line, "budget %.1f MiB, wanted %.1f, %u on the move, %u limited", mebibytes(stream.budget),
		mebibytes(stream.demanded), stream.transitions, stream.limited);
}

view_overlay view_overlay_write(view_window *self)
{
	const view_session *session = self->session;
	uint32_t line = 0;
	self->text_scale = session->renderer.targets.width >= WIDE ? 2 : 1;
	self->sheet_width = 2 * MARGIN + self->text_scale * CLI_TEXT_ADVANCE * COLUMNS;
	self->sheet_height = 2 * MARGIN + self->text_scale * LINES * LINE_HEIGHT;
	clear(self);
	put_message(self, &line);
	if (self->shows_overlay)
	{
		put_line(self, &line, "%s", session->content.stem);
		put_line(self, &line, "%s", lrd_vulkan_device_name(session->device));
		put_lack(self, &line);
		put_drawing(self, &line);
		put_memory(self, &line);
		put_camera(self, &line);
		put_motion(self, &line);
		put_line(self, &line, "%s",
			session->camera.is_flying ? "flying: W A S D Q E, shift faster, drag looks, F orbits"
									  : "drag turns, right drag moves, wheel nears, F flies");
		put_line(self, &line, "Home, M view, L LOD, V variant, C camera, [ ] clip, space stops");
		put_line(self, &line, "left right a frame, Esc closes, H hides this");
	}
	return (view_overlay){ self->sheet_width, MARGIN * 2 + line * LINE_HEIGHT * self->text_scale, self->sheet };
}
