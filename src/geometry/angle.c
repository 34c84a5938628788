// geometry/angle.c: arc cosine. The C library's differs in the last bits between libraries and between processors, and
// the cook's bytes must not; this one is made of operations that IEEE 754 defines exactly.

#include "geometry/vertices.h"

// (asin(z) / z - 1) / z² as a polynomial in z² over [0, 1/4]: the Taylor series cut down by Chebyshev economisation,
// error 6e-18.
static const double ASIN[13] = { 0x1.5555555555556p-3, 0x1.3333333332e87p-4, 0x1.6db6db6e3844bp-5, 0x1.f1c71c19f8d29p-6,
	0x1.6e8bb25868b49p-6, 0x1.1c4d28ea04196p-6, 0x1.c9d07d4d03ddbp-7, 0x1.78186416c6a4ep-7, 0x1.529a9bba29802p-7,
	0x1.62c22a53244ebp-8, 0x1.1f0750c0651fcp-6, -0x1.ec92eb603f636p-7, 0x1.d924a1e3b6e41p-6 };

// Two half polynomials, so that one multiplication need not wait for the other.
static double asin_up_to_half(double z)
{
	double q = z * z;
	double q2 = q * q;
	double even = ASIN[12];
	double odd = ASIN[11];
	for (int i = 10; i > 0; i -= 2)
	{
		even = even * q2 + ASIN[i];
		odd = odd * q2 + ASIN[i - 1];
	}
	even = even * q2 + ASIN[0];
	return z + z * q * (even + odd * q);
}

double lrd_geometry_acos(double cosine)
{
	double size = fabs(cosine);
	if (size <= 0.5)
	{
		return LRD_PI * 0.5 - asin_up_to_half(cosine);
	}
	// acos(x) = 2 asin(sqrt((1 - x) / 2)); 1 - x is exact here.
	double angle = 2.0 * asin_up_to_half(sqrt((1.0 - size) * 0.5));
	return cosine > 0.0 ? angle : LRD_PI - angle;
}
