// cli/raster.h: drawing on the CPU for `larder info --picture`: triangles with depth, lines and short texts. One
// thread, no state between calls, and nothing of the files: numbers in, pixels out.

#ifndef CLI_RASTER_H
#define CLI_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Numbers that a triangle's corners carry to its pixels.
#define CLI_VALUES 14

/// An opaque colour as a screen shows it.
typedef struct cli_color
{
	uint8_t r, g, b;
} cli_color;

/// A square of samples, two by two a pixel; rows from the top down. Its y axis points down, the first sample's centre
/// is at 0.5, 0.5.
typedef struct cli_canvas
{
	uint32_t side; ///< samples: twice the pixels
	cli_color *colors;
	float *depths; ///< 1 / distance of what is drawn there, 0: nothing
} cli_canvas;

/// False when memory runs out. cli_canvas_free must follow either way. `pixels` from 1 to 4096.
bool cli_canvas_make(cli_canvas *self, uint32_t pixels);
void cli_canvas_free(cli_canvas *self);
void cli_canvas_clear(cli_canvas *self, cli_color color);

/// A corner of a triangle on a canvas. Values are interpolated in perspective.
typedef struct cli_corner
{
	float x, y;     ///< in samples
	float nearness; ///< 1 / distance from the eye, more than 0
	float values[CLI_VALUES];
} cli_corner;

/// A triangle at one sample.
typedef struct cli_fragment
{
	uint32_t x, y; ///< of the sample
	float values[CLI_VALUES];
	float edge;   ///< distance to the triangle's nearest edge, in samples
	bool is_back; ///< the triangle's corners go clockwise as seen
} cli_fragment;

/// What colour a fragment has; false: it is not drawn.
typedef bool cli_shade(void *context, const cli_fragment *fragment, cli_color *color);

/// Draw a triangle over what is farther: samples whose centres it covers, one on an edge belonging to the triangle below
/// or right of it, so that neighbours neither overlap nor leave gaps. Backs give way to fronts at the same distance. One
/// with a corner that is not finite or far outside the canvas, or whose area is nothing, is left out.
void cli_draw_triangle(cli_canvas *self, const cli_corner corners[3], cli_shade *shade, void *context);

/// Called for each sample that a triangle covers.
typedef void cli_visit(void *context, uint32_t x, uint32_t y, bool is_back);

/// The samples of a triangle in the plane, by the same rule, with no depth. `points` as x, y.
void cli_walk_triangle(uint32_t side, float points[3][2], cli_visit *visit, void *context);

/// A line, two samples wide, over what is there. `strength` from 0 to 1: how much of the colour. What lies outside the
/// canvas is left out, and a line with an end that is not finite or far outside.
void cli_draw_line(cli_canvas *self, const float from[2], const float to[2], cli_color color, float strength);

/// The mean of each pixel's four samples into RGBA texels, `stride` bytes a row, side / 2 pixels a side.
void cli_canvas_resolve(const cli_canvas *self, uint8_t *rgba, size_t stride);

#define CLI_TEXT_ADVANCE 6u ///< columns from one letter to the next, at scale 1
#define CLI_TEXT_HEIGHT 7u  ///< rows, of capitals
#define CLI_TEXT_DEPTH 2u   ///< rows of what hangs below them, as of "g"

/// Texels to write on.
typedef struct cli_sheet
{
	uint32_t width, height;
	uint8_t *rgba;
} cli_sheet;

/// Write ASCII text, each dot a square of `scale` texels, cut off at the sheet's edges. Other bytes become "?".
void cli_draw_text(const cli_sheet *sheet, uint32_t x, uint32_t y, uint32_t scale, const char *text, cli_color color);

#endif
