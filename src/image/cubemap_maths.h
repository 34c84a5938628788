// image/cubemap_maths.h: angles without the C library, whose last bits differ between machines, and what the parts of
// the cubemap code share. Private to the room.

#ifndef IMAGE_CUBEMAP_MATHS_H
#define IMAGE_CUBEMAP_MATHS_H

#include "image/cubemap.h"
#include "image/srgb.h"

#include <math.h>

/// A texel: the compiler's vectors, the same arithmetic on every machine.
typedef float lrd_rgba __attribute__((vector_size(16)));

#define LRD_CUBE_PI 3.14159265358979323846

/// Angle of (x, y), both not negative and not both 0: 0 to pi / 2, to 2e-16. Halving the angle twice leaves a tangent of
/// at most 0.2, for which the series ends soon.
static inline double lrd_quarter_angle(double y, double x)
{
	double longer = x > y ? x : y;
	double shorter = x > y ? y : x;
	double t = shorter / longer;
	t = t / (1.0 + sqrt(1.0 + t * t));
	t = t / (1.0 + sqrt(1.0 + t * t));
	double z = t * t;
	double series = 0.0;
	for (int n = 23; n >= 1; n -= 2)
	{
		series = 1.0 / n - z * series;
	}
	double angle = 4.0 * t * series;
	return x > y ? angle : LRD_CUBE_PI / 2 - angle;
}

static inline double lrd_arc_tangent(double y, double x)
{
	double angle = lrd_quarter_angle(fabs(y), fabs(x));
	angle = x < 0 ? LRD_CUBE_PI - angle : angle;
	return y < 0 ? -angle : angle;
}

/// Reads rows of an image as linear light.
typedef struct lrd_light_reader
{
	const lrd_image *image;
	lrd_srgb_tables tables;
	float *linear_16; ///< of each 16-bit code; NULL unless needed
	uint64_t clamped;
	lrd_allocator allocator;
} lrd_light_reader;

bool lrd_light_reader_open(lrd_light_reader *reader, const lrd_image *image, lrd_allocator allocator, lrd_error *error);
/// `count` texels of row y from column x on.
void lrd_light_reader_row(lrd_light_reader *reader, uint32_t x, uint32_t y, uint32_t count, lrd_rgba *row);
void lrd_light_reader_close(lrd_light_reader *reader);

/// Faces of another size: areas where it shrinks, interpolated where it grows. `to` is reserved.
void lrd_cube_resize(const lrd_cube *from, lrd_cube *to);

#endif
