// image/harmonics.h: a radiance cubemap as spherical harmonics up to band 2: nine coefficients of red, green, blue, from
// which a renderer gets the light that a matt surface receives. Pure.
//
// Real harmonics, orthonormal over the sphere, all constants positive (Ravi Ramamoorthi and Pat Hanrahan, "An Efficient
// Representation for Irradiance Environment Maps", SIGGRAPH 2001, equation 3), of the direction (x, y, z) of lookups
// (image/cubemap.h):
//
//   0  ( 0, 0)  0.282095        3  ( 1, 1)  0.488603 x       6  ( 2, 0)  0.315392 (3 z^2 - 1)
//   1  ( 1,-1)  0.488603 y      4  ( 2,-2)  1.092548 x y     7  ( 2, 1)  1.092548 x z
//   2  ( 1, 0)  0.488603 z      5  ( 2,-1)  1.092548 y z     8  ( 2, 2)  0.546274 (x^2 - y^2)
//
// coefficient i = integral of radiance * basis i over the sphere, each texel counted with its exact solid angle.

#ifndef IMAGE_HARMONICS_H
#define IMAGE_HARMONICS_H

#include "image/cubemap.h"

#define LRD_HARMONICS 9

/// Red, green, blue of each coefficient: 27 floats in the order that a KTX 2.0 file carries.
typedef struct lrd_harmonics
{
	float rgb[LRD_HARMONICS][3];
} lrd_harmonics;

/// The nine basis functions in a direction of unit length.
void lrd_harmonics_basis(const double direction[3], double basis[LRD_HARMONICS]);

/// Project a cube's radiance. Summed in double; the same bits on every machine. Cost: a pass over the texels.
void lrd_harmonics_of(const lrd_cube *cube, lrd_harmonics *harmonics);

/// Irradiance on a surface with the normal `direction`, of unit length: the radiance convolved with a clamped cosine
/// (factors pi, 2 pi / 3, pi / 4 of the bands). Radiance 1 everywhere gives pi. Divide by pi for what a white matt
/// surface reflects.
void lrd_harmonics_irradiance(const lrd_harmonics *harmonics, const double direction[3], double rgb[3]);

/// The radiance that the coefficients stand for: the cube without its detail.
void lrd_harmonics_radiance(const lrd_harmonics *harmonics, const double direction[3], double rgb[3]);

#endif
