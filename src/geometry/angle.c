// geometry/angle.c: arc cosine. The C library's differs in the last bits between libraries and between processors, and
// the cook's bytes must not; this one is made of operations that IEEE 754 defines exactly.

#include "geometry/angle.h"
#include "geometry/vertices.h"

// Two half polynomials, so that one multiplication need not wait for the other.
static double asin_up_to_half(double z)
{
	double q = z * z;
	double q2 = q * q;
	double even = LRD_ASIN[12];
	double odd = LRD_ASIN[11];
	for (int i = 10; i > 0; i -= 2)
	{
		even = even * q2 + LRD_ASIN[i];
		odd = odd * q2 + LRD_ASIN[i - 1];
	}
	even = even * q2 + LRD_ASIN[0];
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
