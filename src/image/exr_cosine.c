// The arithmetic of DWAA's blocks: the inverse cosine transform of 8 x 8 values (DCT-III, orthonormal), luma and chroma
// with the weights of Rec. ITU-R BT.709 and no offsets, and the scale on which colours are stored.

#include "image/exr_cosine.h"

#include "image/half.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// cos(k * pi / 16) / 2
#define C1 0.4903926402f
#define C2 0.4619397663f
#define C3 0.4157348062f
#define C4 0.3535533906f
#define C5 0.2777851165f
#define C6 0.1913417162f
#define C7 0.0975451610f

// Eight values that lie `step` apart. Even and odd frequencies each make half of the sums, mirrored.
static void undo_line(float *values, size_t step)
{
	float v[8];
	for (size_t i = 0; i < 8; i++)
	{
		v[i] = values[i * step];
	}
	float sum = C4 * (v[0] + v[4]);
	float difference = C4 * (v[0] - v[4]);
	float wide = C2 * v[2] + C6 * v[6];
	float narrow = C6 * v[2] - C2 * v[6];
	float even[4] = { sum + wide, difference + narrow, difference - narrow, sum - wide };
	float odd[4] = {
		C1 * v[1] + C3 * v[3] + C5 * v[5] + C7 * v[7],
		C3 * v[1] - C7 * v[3] - C1 * v[5] - C5 * v[7],
		C5 * v[1] - C1 * v[3] + C7 * v[5] + C3 * v[7],
		C7 * v[1] - C5 * v[3] + C3 * v[5] - C1 * v[7],
	};
	for (size_t i = 0; i < 4; i++)
	{
		values[i * step] = even[i] + odd[i];
		values[(7 - i) * step] = even[i] - odd[i];
	}
}

void lrd_exr_undo_cosine(const uint16_t coefficients[64], uint32_t last, float values[64])
{
	// The place of each frequency, as in JPEG (ITU-T T.81, figure A.6).
	static const uint8_t places[64] = { 0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48,
		41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59,
		52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63 };
	if (last == 0)
	{
		float value = lrd_float_from_half(coefficients[0]) * C4 * C4;
		for (size_t i = 0; i < 64; i++)
		{
			values[i] = value;
		}
		return;
	}
	for (size_t i = 0; i < 64; i++)
	{
		values[places[i]] = coefficients[i] != 0 ? lrd_float_from_half(coefficients[i]) : 0.0f;
	}
	for (size_t i = 0; i < 8; i++)
	{
		undo_line(values + 8 * i, 1);
	}
	for (size_t i = 0; i < 8; i++)
	{
		undo_line(values + i, 8);
	}
}

void lrd_exr_undo_luma(float values[3][64])
{
	for (size_t i = 0; i < 64; i++)
	{
		float luma = values[0][i];
		float blue = values[1][i];
		float red = values[2][i];
		values[0][i] = luma + 1.5747f * red;
		values[1][i] = luma - 0.1873f * blue - 0.4682f * red;
		values[2][i] = luma + 1.8556f * blue;
	}
}

// A NaN, which nothing stands for.
#define NOT_ASKED 0xffffu

void lrd_exr_scale_init(lrd_exr_scale *scale)
{
	memset(scale->linear, 0xff, sizeof scale->linear);
}

// x^2.2 up to 1, and e^(2.2 (x - 1)) above, which meets it with the same slope. What is not finite is 0.
static uint16_t to_linear(uint16_t half)
{
	uint16_t magnitude = half & 0x7fffu;
	if (magnitude == 0 || magnitude >= 0x7c00u)
	{
		return 0;
	}
	double value = (double)lrd_float_from_half(magnitude);
	double light = value <= 1.0 ? pow(value, (double)2.2f) : exp((double)2.2f * (value - 1.0));
	return (uint16_t)(lrd_half_from_float((float)light) | (half & 0x8000u));
}

uint16_t lrd_exr_scale_to_linear(lrd_exr_scale *scale, uint16_t half)
{
	if (scale->linear[half] == NOT_ASKED)
	{
		scale->linear[half] = to_linear(half);
	}
	return scale->linear[half];
}
