// binary16 in plain arithmetic, so that the result does not hang on the CPU having the instruction.

#include "image/half.h"

#include <string.h>

uint16_t lrd_half_from_float(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	uint32_t sign = bits >> 16 & 0x8000u;
	uint32_t magnitude = bits & 0x7fffffffu;
	if (magnitude > 0x7f800000u)
	{
		return (uint16_t)(sign | 0x7e00u);
	}
	if (magnitude >= 0x477ff000u) // 65520: halfway between the largest half and what would follow it
	{
		return (uint16_t)(sign | 0x7c00u);
	}
	if (magnitude >= 0x38800000u) // 2^-14: normal. A carry out of the mantissa raises the exponent, as it should.
	{
		uint32_t odd = magnitude >> 13 & 1u;
		return (uint16_t)(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
	}
	if (magnitude < 0x33000000u) // below 2^-25, half of the least subnormal
	{
		return (uint16_t)sign;
	}
	uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
	uint32_t shift = 126u - (magnitude >> 23); // 14..24
	uint32_t half = mantissa >> shift;
	uint32_t rest = mantissa & ((1u << shift) - 1u);
	uint32_t halfway = 1u << (shift - 1u);
	half += rest > halfway || (rest == halfway && (half & 1u) != 0) ? 1u : 0u;
	return (uint16_t)(sign | half);
}

float lrd_float_from_half(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
	uint32_t exponent = half >> 10 & 31u;
	uint32_t mantissa = half & 0x3ffu;
	uint32_t bits = sign | (exponent + 112u) << 23 | mantissa << 13;
	if (exponent == 31)
	{
		bits = sign | 0x7f800000u | mantissa << 13;
	}
	float value;
	if (exponent == 0)
	{
		value = (float)mantissa * 0x1p-24f;
		return sign != 0 ? -value : value;
	}
	memcpy(&value, &bits, sizeof value);
	return value;
}

// The same without branches, so that compilers make vectors of it.
static inline float widen(uint16_t half)
{
	const uint32_t magic = 113u << 23; // 2^-14: the unit of the exponent that subnormal halves have
	uint32_t magnitude = (uint32_t)(half & 0x7fffu) << 13;
	uint32_t subnormal_bits = magnitude + magic;
	float subnormal, least;
	memcpy(&subnormal, &subnormal_bits, sizeof subnormal);
	memcpy(&least, &magic, sizeof least);
	subnormal -= least;
	memcpy(&subnormal_bits, &subnormal, sizeof subnormal_bits);
	uint32_t normal_bits = magnitude + (112u << 23);
	normal_bits = magnitude >= 0x0f800000u ? normal_bits + (112u << 23) : normal_bits; // infinite, NaN
	uint32_t bits = magnitude < 0x00800000u ? subnormal_bits : normal_bits;
	bits |= (uint32_t)(half & 0x8000u) << 16;
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

void lrd_floats_from_halves(const void *halves, size_t count, float *restrict floats)
{
	const uint8_t *from = halves;
	for (size_t i = 0; i < count; i++)
	{
		uint16_t half;
		memcpy(&half, from + 2 * i, sizeof half);
		floats[i] = widen(half);
	}
}
