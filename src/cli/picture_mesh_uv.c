// The panel of texture coordinates: which of the image's area is used, once or more than once, and which way round.

#include "cli/picture_mesh.h"

#include <math.h>
#include <stdlib.h>

#define MARGIN 0.04
#define GRID_MAX 16.0 // units across, up to which each has its lines
#define SHORT 6.0f    // samples; edges shorter than it are not drawn, lest they hide all else
#define LONG 40.0f    // samples; edges of this length are drawn in full

/// What covers a sample. Parts have images of their own: only what one of them does twice is done twice.
typedef struct cover
{
	uint32_t part;                ///< the last, and 1; 0: none
	bool is_upright, is_mirrored; ///< of that part
	bool is_both, is_twice;       ///< of any
} cover;

typedef struct layout
{
	cli_canvas *canvas;
	const cli_scene *scene;
	cover *covers;
	double min[2]; ///< of what is shown, u and v
	double scale;  ///< samples a unit
	uint32_t part; ///< and 1
	bool draws_lines;
} layout;

static void measure(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	double *box = context; // min u, v, max u, v
	(void)part;
	(void)triangles;
	for (uint32_t v = 0; v < meshlet->vertex_count; ++v)
	{
		const float *uv = vertices[v].uv[0];
		for (int axis = 0; axis < 2 && isfinite(uv[0]) && isfinite(uv[1]); ++axis)
		{
			box[axis] = fmin(box[axis], uv[axis]);
			box[2 + axis] = fmax(box[2 + axis], uv[axis]);
		}
	}
}

static void visit_sample(void *context, uint32_t x, uint32_t y, bool is_back)
{
	layout *self = context;
	cover *at = &self->covers[(size_t)y * self->canvas->side + x];
	if (at->part != self->part)
	{
		*at = (cover){ .part = self->part, .is_both = at->is_both, .is_twice = at->is_twice };
	}
	at->is_twice = at->is_twice || (is_back ? at->is_mirrored : at->is_upright);
	at->is_mirrored = at->is_mirrored || is_back;
	at->is_upright = at->is_upright || !is_back;
	at->is_both = at->is_both || (at->is_upright && at->is_mirrored);
}

static void draw_lines(cli_canvas *canvas, float points[3][2])
{
	for (int i = 0; i < 3; ++i)
	{
		const float *a = points[i], *b = points[(i + 1) % 3];
		float length = hypotf(b[0] - a[0], b[1] - a[1]);
		float strength = fminf(length / LONG, 1.0f) * 0.4f;
		if (length >= SHORT)
		{
			cli_draw_line(canvas, a, b, (cli_color){ 255, 255, 255 }, strength);
		}
	}
}

static void draw_meshlet(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	layout *self = context;
	self->part = (uint32_t)(part - self->scene->parts) + 1;
	for (uint32_t t = 0; t < meshlet->triangle_count; ++t, triangles += 3)
	{
		float points[3][2];
		for (int i = 0; i < 6; ++i)
		{
			points[i / 2][i % 2] =
				(float)(((double)vertices[triangles[i / 2]].uv[0][i % 2] - self->min[i % 2]) * self->scale);
		}
		if (self->draws_lines)
		{
			draw_lines(self->canvas, points);
		}
		else
		{
			cli_walk_triangle(self->canvas->side, points, visit_sample, self);
		}
	}
}

static void color_covers(layout *self)
{
	size_t count = (size_t)self->canvas->side * self->canvas->side;
	for (size_t i = 0; i < count; ++i)
	{
		const cover *at = &self->covers[i];
		if (at->part != 0)
		{
			self->canvas->colors[i] = at->is_twice      ? (cli_color){ 200, 40, 50 }
									  : at->is_both     ? (cli_color){ 140, 80, 190 }
									  : at->is_mirrored ? (cli_color){ 225, 140, 40 }
														: (cli_color){ 50, 105, 185 };
		}
	}
}

/// Lines at whole numbers; those around 0 to 1 stronger.
static void draw_grid(const layout *self, double size)
{
	for (int axis = 0; axis < 2; ++axis)
	{
		double first = size <= GRID_MAX ? ceil(self->min[axis]) : 0.0;
		double last = size <= GRID_MAX ? floor(self->min[axis] + size) : 1.0;
		for (double at = first; at <= last; ++at)
		{
			bool is_frame = at == 0.0 || at == 1.0;
			float ends[2][2];
			for (int end = 0; end < 2; ++end)
			{
				double from = is_frame ? (end - self->min[1 - axis]) * self->scale : end * size * self->scale;
				ends[end][axis] = (float)((at - self->min[axis]) * self->scale);
				ends[end][1 - axis] = (float)from;
			}
			cli_draw_line(self->canvas, ends[0], ends[1], (cli_color){ 235, 235, 235 }, is_frame ? 0.9f : 0.2f);
		}
	}
}

bool cli_draw_uv(cli_canvas *canvas, const cli_scene *scene)
{
	double box[4] = { 0.0, 0.0, 1.0, 1.0 };
	const cli_pose rest = { 0 };
	cli_scene_walk(scene, 0, &rest, measure, box);
	double size = fmax(box[2] - box[0], box[3] - box[1]);
	double margin = size * MARGIN;
	layout self = { .canvas = canvas, .scene = scene };
	self.covers = calloc((size_t)canvas->side * canvas->side, sizeof *self.covers);
	if (self.covers == NULL)
	{
		return false;
	}
	for (int axis = 0; axis < 2; ++axis)
	{
		self.min[axis] = (box[axis] + box[2 + axis] - size) / 2 - margin;
	}
	self.scale = canvas->side / (size + 2 * margin);
	cli_scene_walk(scene, 0, &rest, draw_meshlet, &self);
	color_covers(&self);
	self.draws_lines = true;
	cli_scene_walk(scene, 0, &rest, draw_meshlet, &self);
	draw_grid(&self, size + 2 * margin);
	free(self.covers);
	return true;
}
