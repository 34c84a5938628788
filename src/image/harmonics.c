// Spherical harmonics of a cubemap. Within a row the basis is a polynomial of few terms, but a texel's direction costs
// more than its nine products, so that nothing is gained by unrolling.

#include "image/harmonics.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// sqrt(1 / (4 pi)), sqrt(3 / (4 pi)), sqrt(15 / (4 pi)), sqrt(5 / (16 pi)), sqrt(15 / (16 pi)).
static const double band_0 = 0.28209479177387814347;
static const double band_1 = 0.48860251190291992159;
static const double band_2_mixed = 1.09254843059207907054;
static const double band_2_axis = 0.31539156525252000603;
static const double band_2_squares = 0.54627421529603953527;

void lrd_harmonics_basis(const double direction[3], double basis[LRD_HARMONICS])
{
	double x = direction[0], y = direction[1], z = direction[2];
	basis[0] = band_0;
	basis[1] = band_1 * y;
	basis[2] = band_1 * z;
	basis[3] = band_1 * x;
	basis[4] = band_2_mixed * x * y;
	basis[5] = band_2_mixed * y * z;
	basis[6] = band_2_axis * (3 * z * z - 1);
	basis[7] = band_2_mixed * x * z;
	basis[8] = band_2_squares * (x * x - y * y);
}

// Solid angles are the same on all faces, so that a texel's is found once.
void lrd_harmonics_of(const lrd_cube *cube, lrd_harmonics *harmonics)
{
	double sums[LRD_HARMONICS][3] = { { 0 } };
	uint32_t size = cube->face_size;
	for (uint32_t y = 0; y < size; y++)
	{
		for (uint32_t x = 0; x < size; x++)
		{
			double left = (double)x / size, right = (double)(x + 1) / size;
			double top = (double)y / size, bottom = (double)(y + 1) / size;
			double solid_angle = lrd_cube_solid_angle(left, top, right, bottom);
			for (uint32_t face = 0; face < 6; face++)
			{
				const float *texel = lrd_cube_face(cube, face) + 4 * ((size_t)y * size + x);
				double direction[3];
				double basis[LRD_HARMONICS];
				lrd_cube_direction(face, (x + 0.5) / size, (y + 0.5) / size, direction);
				lrd_harmonics_basis(direction, basis);
				for (size_t i = 0; i < LRD_HARMONICS; i++)
				{
					double weight = basis[i] * solid_angle;
					sums[i][0] += weight * (double)texel[0];
					sums[i][1] += weight * (double)texel[1];
					sums[i][2] += weight * (double)texel[2];
				}
			}
		}
	}
	for (size_t i = 0; i < LRD_HARMONICS; i++)
	{
		for (size_t channel = 0; channel < 3; channel++)
		{
			harmonics->rgb[i][channel] = (float)sums[i][channel];
		}
	}
}

static void evaluate(const lrd_harmonics *harmonics, const double bands[3], const double direction[3], double rgb[3])
{
	double basis[LRD_HARMONICS];
	lrd_harmonics_basis(direction, basis);
	for (size_t channel = 0; channel < 3; channel++)
	{
		double sum = 0;
		for (size_t i = 0; i < LRD_HARMONICS; i++)
		{
			double band = bands[i == 0 ? 0 : i < 4 ? 1 : 2];
			sum += band * basis[i] * (double)harmonics->rgb[i][channel];
		}
		rgb[channel] = sum;
	}
}

void lrd_harmonics_irradiance(const lrd_harmonics *harmonics, const double direction[3], double rgb[3])
{
	evaluate(harmonics, (const double[]){ pi, 2 * pi / 3, pi / 4 }, direction, rgb);
}

void lrd_harmonics_radiance(const lrd_harmonics *harmonics, const double direction[3], double rgb[3])
{
	evaluate(harmonics, (const double[]){ 1, 1, 1 }, direction, rgb);
}
