// The panel of texture coordinates: which of the image's area is used, once or more than once, and which way round.

#include "cli/picture_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 0.04
#define GRID_MAX 16.0 // units across, up to which each has its lines
#define NARROW 3.0f   // samples; triangles of less height have no lines
#define SURVEY 4096u  // vertices that say where the others are
#define FEW 200u      // one in so many at either end may be far from the others
#define FAR 4.0       // times as wide the frame would be for their sake
#define MEMORIES 16384u
#define WIDE 25.0f // samples; those of this height have theirs in full

/// What covers a sample. Parts have images of their own: only what one of them does twice is done twice.
typedef struct cover
{
	uint32_t part;                ///< the last, and 1; 0: none
	bool is_upright, is_mirrored; ///< of that part
	bool is_both, is_twice;       ///< of any
} cover;

/// A triangle that was drawn, so that the many cards of a tree, which share a few images, are not drawn each anew.
typedef struct memory
{
	float points[6];
	uint32_t part;
	uint32_t count;
} memory;

typedef struct layout
{
	cli_canvas *canvas;
	cover *covers;
	double min[2]; ///< of what is shown, u and v
	double scale;  ///< samples a unit
	uint32_t part; ///< and 1
	bool draws_lines;
	memory memories[MEMORIES]; ///< by hash; the last one stays
} layout;

/// Coordinates of some vertices, evenly from all.
typedef struct survey
{
	float uv[2][SURVEY];
	uint32_t count;
	uint64_t seen;
	uint64_t stride;
	double min[2], max[2]; ///< of all
} survey;

static void count_meshlet(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	survey *self = context;
	(void)part;
	(void)triangles;
	for (uint32_t v = 0; v < meshlet->vertex_count; ++v)
	{
		const float *uv = vertices[v].uv[0];
		bool is_taken = self->seen++ % self->stride == 0 && self->count < SURVEY;
		for (int axis = 0; axis < 2; ++axis)
		{
			self->min[axis] = fmin(self->min[axis], uv[axis]);
			self->max[axis] = fmax(self->max[axis], uv[axis]);
			self->uv[axis][is_taken ? self->count : 0] = is_taken ? uv[axis] : self->uv[axis][0];
		}
		self->count += is_taken;
	}
}

static int compare_floats(const void *a, const void *b)
{
	const float *first = a, *second = b;
	return *first < *second ? -1 : *first > *second;
}

/// What the frame holds: 0 to 1 and all that is used, but for a few vertices that are far from all others.
static void choose_frame(const cli_scene *scene, survey *all, double min[2], double max[2])
{
	uint64_t vertices = 0;
	for (uint32_t i = 0; i < scene->part_count; ++i)
	{
		const lrd_mesh_lod *lod = scene->parts[i].mesh->lods;
		vertices += (uint64_t)lod->meshlet_count * LRD_MESHLET_MAX_VERTICES;
	}
	all->stride = vertices / SURVEY + 1;
	cli_scene_walk(scene, 0, &(const cli_pose){ 0 }, count_meshlet, all);
	for (int axis = 0; axis < 2; ++axis)
	{
		float *sorted = all->uv[axis];
		uint32_t few = all->count / FEW;
		qsort(sorted, all->count, sizeof *sorted, compare_floats);
		double low = all->count != 0 ? fmin(sorted[few], 0.0) : 0.0;
		double high = all->count != 0 ? fmax(sorted[all->count - 1 - few], 1.0) : 1.0;
		double all_low = fmin(all->min[axis], 0.0), all_high = fmax(all->max[axis], 1.0);
		bool is_far = all_high - all_low > FAR * (high - low);
		min[axis] = is_far ? low : all_low;
		max[axis] = is_far ? high : all_high;
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

/// Fainter the narrower a triangle is, lest lines hide all else.
static void draw_lines(cli_canvas *canvas, float points[3][2])
{
	const float *a = points[0], *b = points[1], *c = points[2];
	float area = fabsf((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
	float longest = fmaxf(hypotf(b[0] - a[0], b[1] - a[1]), hypotf(c[0] - b[0], c[1] - b[1]));
	longest = fmaxf(longest, hypotf(a[0] - c[0], a[1] - c[1]));
	float height = area / fmaxf(longest, 1.0f);
	for (int i = 0; i < 3 && height >= NARROW; ++i)
	{
		cli_draw_line(
			canvas, points[i], points[(i + 1) % 3], (cli_color){ 255, 255, 255 }, fminf(height / WIDE, 1.0f) * 0.4f);
	}
}

/// How often this very triangle was drawn before, as far as is known.
static uint32_t remember(layout *self, float points[3][2])
{
	uint32_t bits[6];
	uint32_t hash = self->part;
	memcpy(bits, points, sizeof bits);
	for (int i = 0; i < 6; ++i)
	{
		hash = (hash ^ bits[i]) * 0x9e3779b1u;
		hash ^= hash >> 15;
	}
	memory *slot = &self->memories[hash % MEMORIES];
	if (slot->part != self->part || memcmp(slot->points, bits, sizeof bits) != 0)
	{
		slot->part = self->part;
		slot->count = 0;
		memcpy(slot->points, bits, sizeof bits);
	}
	return slot->count++;
}

static void draw_meshlet(void *context, const cli_part *part, const lrd_meshlet *meshlet, const cli_vertex *vertices,
	const uint8_t *triangles)
{
	layout *self = context;
	self->part = part->number + 1;
	for (uint32_t t = 0; t < meshlet->triangle_count && !part->is_repeat; ++t, triangles += 3)
	{
		float points[3][2];
		for (int i = 0; i < 6; ++i)
		{
			points[i / 2][i % 2] =
				(float)(((double)vertices[triangles[i / 2]].uv[0][i % 2] - self->min[i % 2]) * self->scale);
		}
		uint32_t before = remember(self, points);
		if (self->draws_lines && before == 0)
		{
			draw_lines(self->canvas, points);
		}
		if (!self->draws_lines && before < 2) // the second time says that there are two
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

static void draw_layout(layout *self, const cli_scene *scene, survey *all)
{
	double min[2], max[2];
	const cli_pose rest = { 0 };
	choose_frame(scene, all, min, max);
	double size = fmax(max[0] - min[0], max[1] - min[1]);
	double margin = size * MARGIN;
	for (int axis = 0; axis < 2; ++axis)
	{
		self->min[axis] = (min[axis] + max[axis] - size) / 2 - margin;
	}
	self->scale = self->canvas->side / (size + 2 * margin);
	cli_scene_walk(scene, 0, &rest, draw_meshlet, self);
	color_covers(self);
	self->draws_lines = true;
	memset(self->memories, 0, sizeof self->memories);
	cli_scene_walk(scene, 0, &rest, draw_meshlet, self);
	draw_grid(self, size + 2 * margin);
}

bool cli_draw_uv(cli_canvas *canvas, const cli_scene *scene)
{
	layout *self = calloc(1, sizeof *self);
	survey *all = calloc(1, sizeof *all);
	cover *covers = calloc((size_t)canvas->side * canvas->side, sizeof *covers);
	bool good = self != NULL && all != NULL && covers != NULL;
	if (good)
	{
		self->canvas = canvas;
		self->covers = covers;
		draw_layout(self, scene, all);
	}
	free(self);
	free(all);
	free(covers);
	return good;
}
