// image/half.h: 16-bit floats (IEEE 754-2008 binary16). For rooms of the cook.

#ifndef IMAGE_HALF_H
#define IMAGE_HALF_H

#include <stddef.h>
#include <stdint.h>

#define LRD_HALF_MAX 65504.0f

/// Round to nearest, ties to even; too large becomes infinite, NaN stays NaN.
uint16_t lrd_half_from_float(float value);
/// Exact.
float lrd_float_from_half(uint16_t half);
/// Exact; `halves` need not be aligned.
void lrd_floats_from_halves(const void *halves, size_t count, float *floats);

#endif
