// geometry/quantize.c: positions onto a grid and texture coordinates onto half floats, in place: what is measured and
// built from them afterwards is of what will be stored.

#include "geometry/vertices.h"

#include <float.h>

#define LARGEST_CELL 65535.0
#define HALF_LARGEST 65504.0
#define HALF_MANTISSA_BITS 10
#define HALF_LOWEST_EXPONENT (-14)

float lrd_geometry_grid_step(float largest_side, float error)
{
	double largest = 2.0 * (double)error * (double)largest_side; // rounding moves by half a step at most
	if (!(largest > 0.0) || !(error > 0.0f) || !isfinite(largest))
	{
		return 0.0f;
	}
	int exponent = 0;
	frexp(largest, &exponent);
	double step = ldexp(1.0, exponent - 1);
	// A processor that makes subnormals zero must find none, and the scale in the file is 65535 of them.
	return step >= (double)FLT_MIN && step * LARGEST_CELL <= (double)FLT_MAX ? (float)step : 0.0f;
}

static bool is_power_of_two(float step)
{
	int exponent = 0;
	return step >= FLT_MIN && isfinite(step) && frexpf(step, &exponent) == 0.5f;
}

// Which multiple of the step is nearest; exact, since dividing by a power of two is.
static double cell_of(float value, double step)
{
	return rint((double)value / step);
}

// Cells of the box, and whether 16 bits reach across.
static bool find_cells(const lrd_geometry *geometry, double step, double lowest[3], double *most)
{
	*most = 0.0;
	for (size_t axis = 0; axis < 3; axis++)
	{
		double low = INFINITY;
		double high = -INFINITY;
		bool finite = true;
		for (size_t v = 0; v < geometry->vertex_count; v++)
		{
			double value = (double)geometry->positions[3 * v + axis];
			finite = finite && isfinite(value);
			low = fmin(low, value);
			high = fmax(high, value);
		}
		if (!finite || geometry->vertex_count == 0)
		{
			return false;
		}
		lowest[axis] = rint(low / step); // in the order of values, so the ends of the box stay its ends
		*most = fmax(*most, rint(high / step) - lowest[axis]);
	}
	return *most <= LARGEST_CELL;
}

// Up, so that what is told bounds what happened.
static float rounded_up(double value)
{
	float nearest = (float)value;
	return (double)nearest < value ? nextafterf(nearest, FLT_MAX) : nearest;
}

static void quantize_positions(lrd_geometry *geometry, float step, lrd_geometry_grid *grid)
{
	double lowest[3];
	double most = 0.0;
	if (!is_power_of_two(step) || !find_cells(geometry, (double)step, lowest, &most))
	{
		return;
	}
	double largest_squared = 0.0;
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		double squared = 0.0;
		for (size_t axis = 0; axis < 3; axis++)
		{
			float *value = &geometry->positions[3 * v + axis];
			// A cell has no more bits than the position had, or it would not have been rounded: no float is missed.
			double moved = cell_of(*value, (double)step) * (double)step + 0.0; // -0 becomes 0
			double change = moved - (double)*value;
			squared += change * change;
			*value = (float)moved;
		}
		largest_squared = fmax(largest_squared, squared);
	}
	grid->positions = true;
	grid->step = step;
	grid->position_error = rounded_up(sqrt(largest_squared));
	for (int axis = 0; axis < 3; axis++)
	{
		grid->offset[axis] = (float)(lowest[axis] * (double)step + 0.0);
	}
	for (grid->bits = 1; most >= ldexp(1.0, (int)grid->bits);)
	{
		grid->bits++;
	}
}

// The nearest binary16, ties to the even one; infinite past the largest.
static double nearest_half(double value)
{
	int exponent = 0;
	frexp(value, &exponent); // value is in [2^(exponent - 1), 2^exponent)
	exponent = exponent - 1 > HALF_LOWEST_EXPONENT ? exponent - 1 : HALF_LOWEST_EXPONENT;
	double rounded = ldexp(rint(ldexp(value, HALF_MANTISSA_BITS - exponent)), exponent - HALF_MANTISSA_BITS);
	return fabs(rounded) <= HALF_LARGEST ? rounded : copysign(INFINITY, rounded);
}

// What is not a number is stored as 0.
static double number_or_zero(float value)
{
	return isfinite(value) ? (double)value : 0.0;
}

static void quantize_uv(lrd_geometry *geometry, float uv_error, lrd_geometry_grid *grid)
{
	float *uv = geometry->uv[0];
	size_t count = uv != NULL ? 2 * (size_t)geometry->vertex_count : 0;
	double largest = 0.0;
	for (size_t i = 0; i < count; i++)
	{
		double value = number_or_zero(uv[i]);
		largest = fmax(largest, fabs(nearest_half(value) - value));
	}
	if (!(largest <= (double)uv_error))
	{
		return;
	}
	for (size_t i = 0; i < count; i++)
	{
		uv[i] = (float)nearest_half(number_or_zero(uv[i]));
	}
	grid->uv = true;
	grid->uv_error = rounded_up(largest);
}

void lrd_geometry_quantize(lrd_geometry *geometry, float step, float uv_error, lrd_geometry_grid *grid)
{
	*grid = (lrd_geometry_grid){ 0 };
	quantize_positions(geometry, step, grid);
	quantize_uv(geometry, uv_error, grid);
}
