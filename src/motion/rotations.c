// Rotations: keys mended, and how far one is from another.

#include "motion/rotations.h"

#include "base/maths.h"
#include "motion/motion.h"

#include <float.h>

static double dot(const double a[4], const double b[4])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void scale_to_unit(double q[4])
{
	double scale = 1.0 / sqrt(dot(q, q));
	for (int i = 0; i < 4; i++)
	{
		q[i] *= scale;
	}
}

void lrd_motion_unit(const float q[4], double unit[4])
{
	for (int i = 0; i < 4; i++)
	{
		unit[i] = (double)q[i];
	}
	scale_to_unit(unit);
}

void lrd_motion_middle(const double a[4], const double b[4], double middle[4])
{
	for (int i = 0; i < 4; i++)
	{
		middle[i] = a[i] + b[i];
	}
	scale_to_unit(middle);
}

/// Powers of x from the highest.
static double polynomial(const double *coefficients, int count, double x)
{
	double value = 0.0;
	for (int i = 0; i < count; i++)
	{
		value = value * x + coefficients[i];
	}
	return value;
}

double lrd_motion_rotation_between(const double a[4], const double b[4], double vector[3])
{
	// acos(1 - x)^2 / x for x from 0 to 1, and sin(sqrt(u)) / sqrt(u) for u from 0 to a quarter of pi squared: Chebyshev's
	// polynomials, 3e-13 and less from them.
	static const double squared_arc[] = { 0.000132858590218479439, -0.000706462874425950381, 0.00181755325922564457,
		-0.00275497441930065301, 0.00287579227893199167, -0.00188525048146388614, 0.00125385464035206029,
		0.000272327328373742888, 0.00160772754658271035, 0.00383388948225694679, 0.0101602238281422033,
		0.0285713360718069978, 0.0888888917160899818, 0.333333333305452639, 1.99999999999996064 };
	static const double sinc[] = { 2.72112414160002926e-15, -7.64298921429722385e-13, 1.60589396979967152e-10,
		-2.50521068734871691e-8, 2.7557319211137423e-6, -0.00019841269841208963, 0.00833333333333319131,
		-0.166666666666666655, 1.0 };
	double cosine = dot(a, b);
	double x = fmax(1.0 - cosine, 0.0);
	double u = x * polynomial(squared_arc, sizeof squared_arc / sizeof *squared_arc, x);
	double twice = 2.0 / polynomial(sinc, sizeof sinc / sizeof *sinc, u);
	// The vector part of conj(a) * b is the axis times the sine.
	vector[0] = twice * (a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1]);
	vector[1] = twice * (a[3] * b[1] + a[0] * b[2] - a[1] * b[3] - a[2] * b[0]);
	vector[2] = twice * (a[3] * b[2] - a[0] * b[1] + a[1] * b[0] - a[2] * b[3]);
	return cosine;
}

/// Scale a key of `size` floats, whose rotation is at `q`, so that the rotation is of unit length. False where it has no
/// direction.
static bool scale_key(float *key, uint32_t size, const float *q)
{
	double wide[4] = { (double)q[0], (double)q[1], (double)q[2], (double)q[3] };
	double length = sqrt(dot(wide, wide));
	if (!(length >= (double)FLT_MIN) || !isfinite(length))
	{
		return false;
	}
	for (uint32_t i = 0; i < size; i++)
	{
		key[i] = (float)((double)key[i] / length);
	}
	return lrd_all_finite(key, size); // or its tangents are too long for it
}

uint32_t lrd_motion_mend_rotations(float *values, uint32_t count, lrd_interpolation interpolation)
{
	static const float identity[4] = { 0.0f, 0.0f, 0.0f, 1.0f };
	bool cubic = interpolation == LRD_INTERPOLATION_CUBIC;
	uint32_t size = cubic ? 12 : 4;
	const float *before = identity;
	uint32_t mended = 0;
	for (uint32_t k = 0; k < count; k++)
	{
		float *key = values + (size_t)k * size;
		float *q = key + (cubic ? 4 : 0);
		if (!scale_key(key, size, q))
		{
			memset(key, 0, size * sizeof *key);
			memcpy(q, before, 4 * sizeof *q);
			mended++;
		}
		before = q;
	}
	lrd_motion_take_short_way(values, count, interpolation);
	return mended;
}

void lrd_motion_take_short_way(float *values, uint32_t count, lrd_interpolation interpolation)
{
	bool cubic = interpolation == LRD_INTERPOLATION_CUBIC;
	uint32_t size = cubic ? 12 : 4;
	for (uint32_t k = 1; k < count; k++)
	{
		float *key = values + (size_t)k * size;
		const float *q = key + (cubic ? 4 : 0), *before = q - size;
		bool long_way = before[0] * q[0] + before[1] * q[1] + before[2] * q[2] + before[3] * q[3] < 0.0f;
		for (uint32_t i = 0; i < size && long_way; i++)
		{
			key[i] = -key[i];
		}
	}
}
