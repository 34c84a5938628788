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

// To the nearest whole number, of two the even one, as rint does where no other rounding was asked for; without a call
// into the C library. Numbers this large are whole.
static double rounded(double value)
{
	const double whole = 0x1p52;
	double size = fabs(value);
	return size < whole ? copysign(size + whole - whole, value) : value;
}

// Which multiple of the step is nearest. Multiplying by a power of two is exact.
static double cell_of(float value, double inverse_step)
{
	return rounded((double)value * inverse_step);
}

// The lowest cell of each axis and how many more the widest has. False where there are no positions, or some are no
// numbers.
static bool find_cells(const lrd_geometry *geometry, double inverse_step, double lowest[3], double *most)
{
	float low[3] = { INFINITY, INFINITY, INFINITY };
	float high[3] = { -INFINITY, -INFINITY, -INFINITY };
	if (!lrd_all_finite(geometry->positions, 3 * (size_t)geometry->vertex_count))
	{
		return false;
	}
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		for (size_t axis = 0; axis < 3; axis++)
		{
			float value = geometry->positions[3 * v + axis];
			low[axis] = value < low[axis] ? value : low[axis];
			high[axis] = value > high[axis] ? value : high[axis];
		}
	}
	*most = 0.0;
	for (int axis = 0; axis < 3; axis++)
	{
		lowest[axis] = cell_of(low[axis], inverse_step); // rounding keeps order: the ends of the box stay its ends
		double count = cell_of(high[axis], inverse_step) - lowest[axis];
		*most = count > *most ? count : *most;
	}
	return geometry->vertex_count != 0;
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
	double inverse_step = 1.0 / (double)step;
	if (!is_power_of_two(step) || !find_cells(geometry, inverse_step, lowest, &most) || most > LARGEST_CELL)
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
			double moved = cell_of(*value, inverse_step) * (double)step + 0.0; // -0 becomes 0
			double change = moved - (double)*value;
			squared += change * change;
			*value = (float)moved;
		}
		largest_squared = squared > largest_squared ? squared : largest_squared;
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
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	int exponent = (int)(bits >> 52 & 0x7FF) - 1023; // of 0, far below the lowest
	exponent = exponent > HALF_LOWEST_EXPONENT ? exponent : HALF_LOWEST_EXPONENT;
	// Of what follows the last bit that is kept, adding this much leaves nothing.
	bits = (uint64_t)(exponent - HALF_MANTISSA_BITS + 52 + 1023) << 52;
	double large;
	memcpy(&large, &bits, sizeof large);
	double half = copysign(fabs(value) + large - large, value);
	return fabs(half) <= HALF_LARGEST ? half : copysign(INFINITY, half);
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
		double change = fabs(nearest_half(value) - value);
		largest = change > largest ? change : largest;
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
