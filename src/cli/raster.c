// Triangles and lines on a canvas. Coverage is decided in whole numbers, 256ths of a sample, so that triangles that share
// an edge share out its samples exactly: J. Pineda, "A Parallel Algorithm for Polygon Rasterization", SIGGRAPH 1988.

#include "cli/raster.h"

#include <math.h>
#include <stdlib.h>

#define STEPS 256     // of a coordinate, a sample
#define FARTHEST 1e6f // coordinates beyond it, in samples, are not drawn

/// Backs seem this much farther away, which is more than rounding and less than the eye sees.
static const float back_nearness = 1.0f - 1e-5f;

bool cli_canvas_make(cli_canvas *self, uint32_t pixels)
{
	self->side = pixels * 2;
	size_t count = (size_t)self->side * self->side;
	self->colors = malloc(count * sizeof *self->colors);
	self->depths = malloc(count * sizeof *self->depths);
	return self->colors != NULL && self->depths != NULL;
}

void cli_canvas_free(cli_canvas *self)
{
	free(self->colors);
	free(self->depths);
	*self = (cli_canvas){ 0 };
}

void cli_canvas_clear(cli_canvas *self, cli_color color)
{
	size_t count = (size_t)self->side * self->side;
	for (size_t i = 0; i < count; ++i)
	{
		self->colors[i] = color;
		self->depths[i] = 0.0f;
	}
}

/// A side of a triangle: 0 on it, more inside.
typedef struct edge
{
	int64_t value;          ///< at the first sample of the current row
	int64_t step_x, step_y; ///< to the next sample, the next row
	int64_t least;          ///< from which on a sample belongs to the triangle
} edge;

/// A triangle made ready to be walked, its corners counter-clockwise as seen.
typedef struct walk
{
	uint32_t left, top, right, bottom; ///< samples, right and bottom one past
	int64_t area;                      ///< twice, in 1/256 samples squared
	bool is_back;
	edge edges[3]; ///< edge i lies opposite corner i
} walk;

static int64_t clamp_sample(int64_t value, uint32_t side)
{
	return value < 0 ? 0 : value > side ? side : value;
}

static int64_t whole_samples(int64_t steps)
{
	return steps >= 0 ? steps / STEPS : -((STEPS - 1 - steps) / STEPS);
}

/// The samples whose centres lie between two coordinates.
static void span(int64_t least, int64_t most, uint32_t side, uint32_t *first, uint32_t *end)
{
	*first = (uint32_t)clamp_sample(whole_samples(least - STEPS / 2 + STEPS - 1), side);
	*end = (uint32_t)clamp_sample(whole_samples(most - STEPS / 2) + 1, side);
}

/// From a to b, with the inside on the left as seen, y pointing down.
static edge make_edge(const int64_t a[2], const int64_t b[2], uint32_t left, uint32_t top)
{
	int64_t dx = b[0] - a[0];
	int64_t dy = b[1] - a[1];
	int64_t x = (int64_t)left * STEPS + STEPS / 2 - a[0];
	int64_t y = (int64_t)top * STEPS + STEPS / 2 - a[1];
	bool is_top = dy == 0 && dx < 0;
	bool is_left = dy > 0;
	return (edge){
		.value = dy * x - dx * y,
		.step_x = dy * STEPS,
		.step_y = -dx * STEPS,
		.least = is_top || is_left ? 0 : 1,
	};
}

static bool is_drawable(const float point[2])
{
	return fabsf(point[0]) < FARTHEST && fabsf(point[1]) < FARTHEST; // NaN is not
}

static bool prepare(walk *self, uint32_t side, float points[3][2], int order[3])
{
	int64_t at[3][2];
	for (int i = 0; i < 3; ++i)
	{
		if (!is_drawable(points[i]))
		{
			return false;
		}
		at[i][0] = (int64_t)floorf(points[i][0] * STEPS + 0.5f);
		at[i][1] = (int64_t)floorf(points[i][1] * STEPS + 0.5f);
	}
	int64_t area = (at[1][1] - at[0][1]) * (at[2][0] - at[0][0]) - (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]);
	if (area == 0)
	{
		return false;
	}
	self->is_back = area < 0;
	self->area = area < 0 ? -area : area;
	order[0] = 0;
	order[1] = self->is_back ? 2 : 1;
	order[2] = self->is_back ? 1 : 2;
	const int64_t *a = at[0], *b = at[order[1]], *c = at[order[2]];
	int64_t box[2][2];
	for (int axis = 0; axis < 2; ++axis)
	{
		int64_t low = a[axis] < b[axis] ? a[axis] : b[axis];
		int64_t high = a[axis] > b[axis] ? a[axis] : b[axis];
		box[0][axis] = low < c[axis] ? low : c[axis];
		box[1][axis] = high > c[axis] ? high : c[axis];
	}
	span(box[0][0], box[1][0], side, &self->left, &self->right);
	span(box[0][1], box[1][1], side, &self->top, &self->bottom);
	if (self->left >= self->right || self->top >= self->bottom)
	{
		return false;
	}
	self->edges[0] = make_edge(b, c, self->left, self->top);
	self->edges[1] = make_edge(c, a, self->left, self->top);
	self->edges[2] = make_edge(a, b, self->left, self->top);
	return true;
}

static bool is_inside(const walk *self, const int64_t at[3])
{
	return at[0] >= self->edges[0].least && at[1] >= self->edges[1].least && at[2] >= self->edges[2].least;
}

static void next_row(walk *self)
{
	for (int i = 0; i < 3; ++i)
	{
		self->edges[i].value += self->edges[i].step_y;
	}
}

void cli_walk_triangle(uint32_t side, float points[3][2], cli_visit *visit, void *context)
{
	walk self;
	int order[3];
	if (!prepare(&self, side, points, order))
	{
		return;
	}
	for (uint32_t y = self.top; y < self.bottom; ++y, next_row(&self))
	{
		int64_t at[3] = { self.edges[0].value, self.edges[1].value, self.edges[2].value };
		for (uint32_t x = self.left; x < self.right; ++x)
		{
			if (is_inside(&self, at))
			{
				visit(context, x, y, self.is_back);
			}
			for (int i = 0; i < 3; ++i)
			{
				at[i] += self.edges[i].step_x;
			}
		}
	}
}

/// What drawing a triangle needs for each of its samples.
typedef struct drawing
{
	cli_canvas *canvas;
	const cli_corner *corners[3];
	float inverse_area;
	float edge_scales[3]; ///< from an edge's value to samples
	cli_shade *shade;
	void *context;
	cli_fragment fragment;
} drawing;

static void draw_sample(drawing *self, const int64_t at[3])
{
	float weights[3];
	float nearness = 0.0f;
	for (int i = 0; i < 3; ++i)
	{
		weights[i] = (float)at[i] * self->inverse_area * self->corners[i]->nearness;
		nearness += weights[i];
	}
	float depth = self->fragment.is_back ? nearness * back_nearness : nearness;
	size_t place = (size_t)self->fragment.y * self->canvas->side + self->fragment.x;
	if (!(depth > self->canvas->depths[place]))
	{
		return;
	}
	for (int v = 0; v < CLI_VALUES; ++v)
	{
		self->fragment.values[v] =
			(weights[0] * self->corners[0]->values[v] + weights[1] * self->corners[1]->values[v] +
				weights[2] * self->corners[2]->values[v]) /
			nearness;
	}
	self->fragment.edge = INFINITY;
	for (int i = 0; i < 3; ++i)
	{
		self->fragment.edge = fminf(self->fragment.edge, (float)at[i] * self->edge_scales[i]);
	}
	cli_color color;
	if (self->shade(self->context, &self->fragment, &color))
	{
		self->canvas->colors[place] = color;
		self->canvas->depths[place] = depth;
	}
}

void cli_draw_triangle(cli_canvas *canvas, const cli_corner corners[3], cli_shade *shade, void *context)
{
	float points[3][2] = { { corners[0].x, corners[0].y }, { corners[1].x, corners[1].y },
		{ corners[2].x, corners[2].y } };
	walk self;
	int order[3];
	if (!prepare(&self, canvas->side, points, order))
	{
		return;
	}
	drawing now = { .canvas = canvas, .shade = shade, .context = context, .inverse_area = 1.0f / (float)self.area };
	now.fragment.is_back = self.is_back;
	for (int i = 0; i < 3; ++i)
	{
		now.corners[i] = &corners[order[i]];
		float length = hypotf((float)self.edges[i].step_x, (float)self.edges[i].step_y);
		now.edge_scales[i] = 1.0f / length;
	}
	for (uint32_t y = self.top; y < self.bottom; ++y, next_row(&self))
	{
		int64_t at[3] = { self.edges[0].value, self.edges[1].value, self.edges[2].value };
		now.fragment.y = y;
		for (uint32_t x = self.left; x < self.right; ++x)
		{
			now.fragment.x = x;
			if (is_inside(&self, at))
			{
				draw_sample(&now, at);
			}
			for (int i = 0; i < 3; ++i)
			{
				at[i] += self.edges[i].step_x;
			}
		}
	}
}

/// The part of a line, from 0 to 1, that lies within a margin of the canvas. False: none of it.
static bool clip_line(const float from[2], const float to[2], double side, double range[2])
{
	range[0] = 0.0;
	range[1] = 1.0;
	for (int axis = 0; axis < 2; ++axis)
	{
		double start = from[axis];
		double way = (double)to[axis] - start;
		if (way == 0.0 && (start < 0.0 || start > side))
		{
			return false;
		}
		if (way != 0.0)
		{
			double a = (0.0 - start) / way;
			double b = (side - start) / way;
			range[0] = fmax(range[0], fmin(a, b));
			range[1] = fmin(range[1], fmax(a, b));
		}
	}
	return range[0] <= range[1];
}

static uint8_t mix(uint8_t under, uint8_t over, float strength)
{
	return (uint8_t)((float)under + ((float)over - (float)under) * strength + 0.5f);
}

static void stain(cli_canvas *self, int64_t x, int64_t y, cli_color color, float strength)
{
	if (x >= 0 && y >= 0 && x < self->side && y < self->side)
	{
		cli_color *at = &self->colors[(size_t)y * self->side + (size_t)x];
		*at =
			(cli_color){ mix(at->r, color.r, strength), mix(at->g, color.g, strength), mix(at->b, color.b, strength) };
	}
}

void cli_draw_line(cli_canvas *self, const float from[2], const float to[2], cli_color color, float strength)
{
	double range[2];
	bool is_near = is_drawable(from) && is_drawable(to);
	if (!is_near || !clip_line(from, to, self->side, range))
	{
		return;
	}
	const double way[2] = { (double)to[0] - from[0], (double)to[1] - from[1] };
	int along = fabs(way[0]) >= fabs(way[1]) ? 0 : 1;
	double ends[2] = { from[along] + way[along] * range[0], from[along] + way[along] * range[1] };
	double slope = way[along] != 0.0 ? way[1 - along] / way[along] : 0.0;
	int64_t first = (int64_t)floor(fmin(ends[0], ends[1]));
	int64_t last = (int64_t)floor(fmax(ends[0], ends[1]));
	for (int64_t i = first; i <= last; ++i) // along the longer axis, so that no sample is stained twice
	{
		double middle = from[1 - along] + slope * ((double)i + 0.5 - from[along]);
		int64_t j = (int64_t)floor(middle + 0.5) - 1;
		for (int64_t side = 0; side < 2; ++side, ++j)
		{
			stain(self, along == 0 ? i : j, along == 0 ? j : i, color, strength);
		}
	}
}

void cli_canvas_resolve(const cli_canvas *self, uint8_t *rgba, size_t stride)
{
	for (size_t y = 0; y < self->side / 2; ++y)
	{
		const cli_color *above = self->colors + y * 2 * self->side;
		const cli_color *below = above + self->side;
		uint8_t *to = rgba + y * stride;
		for (size_t x = 0; x < self->side / 2; ++x, above += 2, below += 2, to += 4)
		{
			to[0] = (uint8_t)((above[0].r + above[1].r + below[0].r + below[1].r + 2) / 4);
			to[1] = (uint8_t)((above[0].g + above[1].g + below[0].g + below[1].g + 2) / 4);
			to[2] = (uint8_t)((above[0].b + above[1].b + below[0].b + below[1].b + 2) / 4);
			to[3] = 255;
		}
	}
}
