// import/gltf/meshopt_filter.c: what undoes the filters of meshopt compression, from "Appendix B: Filters" of
// KHR_meshopt_compression. meshoptimizer has these too, but takes reciprocal square roots as the processor estimates
// them, which differ from one to the next; cooked files must not.

#include "import/gltf/meshopt.h"

#include <math.h>
#include <string.h>

#define RANGE8 127.0f
#define RANGE16 32767.0f

// Halfway cases away from zero; what is out of range, or no number, goes to its nearest end.
static int32_t round_within(float value, float low, float high)
{
	if (!(value > low))
	{
		return (int32_t)low;
	}
	return value < high ? (int32_t)(value + (value < 0.0f ? -0.5f : 0.5f)) : (int32_t)high;
}

// x and y are octahedral, `one` what stands for 1.0. Cigolle et al., "A Survey of Efficient Representations for
// Independent Unit Vectors", JCGT 3(2), 2014.
static void unfold(int32_t v[3], float range)
{
	float one = (float)(v[2] > 0 ? v[2] : 1);
	float x = (float)v[0] / one, y = (float)v[1] / one;
	float z = 1.0f - fabsf(x) - fabsf(y);
	float t = z < 0.0f ? z : 0.0f;
	x -= copysignf(t, x);
	y -= copysignf(t, y);
	float length = sqrtf(x * x + y * y + z * z);
	v[0] = round_within(x / length * range, -range, range);
	v[1] = round_within(y / length * range, -range, range);
	v[2] = round_within(z / length * range, -range, range);
}

static void octahedral8(int8_t *element, size_t count)
{
	for (size_t i = 0; i < count; i++, element += 4)
	{
		int32_t v[3] = { element[0], element[1], element[2] };
		unfold(v, RANGE8);
		element[0] = (int8_t)v[0];
		element[1] = (int8_t)v[1];
		element[2] = (int8_t)v[2];
	}
}

static void octahedral16(int16_t *element, size_t count)
{
	for (size_t i = 0; i < count; i++, element += 4)
	{
		int32_t v[3] = { element[0], element[1], element[2] };
		unfold(v, RANGE16);
		element[0] = (int16_t)v[0];
		element[1] = (int16_t)v[1];
		element[2] = (int16_t)v[2];
	}
}

void lrd_meshopt_filter_octahedral(void *elements, size_t count, size_t stride)
{
	if (stride == 4)
	{
		octahedral8(elements, count);
	}
	else
	{
		octahedral16(elements, count);
	}
}

void lrd_meshopt_filter_quaternion(void *elements, size_t count)
{
	const float root_half = 0.707106781186547524f; // 1 / sqrt(2): the most that a component but the largest can be
	int16_t *element = elements;
	for (size_t i = 0; i < count; i++, element += 4)
	{
		float one = (float)(element[3] | 3);
		float x = (float)element[0] / one * root_half;
		float y = (float)element[1] / one * root_half;
		float z = (float)element[2] / one * root_half;
		float rest = 1.0f - x * x - y * y - z * z;
		float w = sqrtf(rest > 0.0f ? rest : 0.0f);
		unsigned largest = (unsigned)element[3] & 3;
		element[(largest + 1) % 4] = (int16_t)round_within(x * RANGE16, -RANGE16, RANGE16);
		element[(largest + 2) % 4] = (int16_t)round_within(y * RANGE16, -RANGE16, RANGE16);
		element[(largest + 3) % 4] = (int16_t)round_within(z * RANGE16, -RANGE16, RANGE16);
		element[largest] = (int16_t)round_within(w * RANGE16, -RANGE16, RANGE16);
	}
}

// 2^exponent, from -64 to 63.
static float power_of_two(int exponent)
{
	uint32_t bits = (uint32_t)(exponent + 127) << 23;
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

void lrd_meshopt_filter_exponential(void *elements, size_t count, size_t stride)
{
	uint32_t *word = elements;
	size_t words = count * (stride / sizeof *word);
	for (size_t i = 0; i < words; i++)
	{
		int exponent = (int8_t)(word[i] >> 24);
		int32_t mantissa = (int32_t)((word[i] & 0xffffff) ^ 0x800000) - 0x800000;
		// In two halves, each of which a float can hold: exact, but where the result is below what is normal.
		int half = exponent / 2;
		float value = (float)mantissa * power_of_two(half) * power_of_two(exponent - half);
		memcpy(&word[i], &value, sizeof value);
	}
}

// Y, Co, Cg and alpha, of as many bits as the highest set one in alpha tells.
static void mix_color(int32_t y, int32_t co, int32_t cg, uint32_t alpha, float range, int32_t rgba[4])
{
	int32_t most = alpha == 0 ? 1 : (int32_t)((2u << (31 - (unsigned)__builtin_clz(alpha))) - 1);
	int32_t a = (int32_t)alpha & most >> 1;
	float scale = range / (float)most;
	rgba[0] = round_within((float)(y + co - cg) * scale, 0.0f, range);
	rgba[1] = round_within((float)(y + cg) * scale, 0.0f, range);
	rgba[2] = round_within((float)(y - co - cg) * scale, 0.0f, range);
	rgba[3] = round_within((float)(a << 1 | (a & 1)) * scale, 0.0f, range);
}

static void color8(uint8_t *element, size_t count)
{
	for (size_t i = 0; i < count; i++, element += 4)
	{
		int32_t rgba[4];
		mix_color(element[0], (int8_t)element[1], (int8_t)element[2], element[3], 255.0f, rgba);
		for (int c = 0; c < 4; c++)
		{
			element[c] = (uint8_t)rgba[c];
		}
	}
}

static void color16(uint16_t *element, size_t count)
{
	for (size_t i = 0; i < count; i++, element += 4)
	{
		int32_t rgba[4];
		mix_color(element[0], (int16_t)element[1], (int16_t)element[2], element[3], 65535.0f, rgba);
		for (int c = 0; c < 4; c++)
		{
			element[c] = (uint16_t)rgba[c];
		}
	}
}

void lrd_meshopt_filter_color(void *elements, size_t count, size_t stride)
{
	if (stride == 4)
	{
		color8(elements, count);
	}
	else
	{
		color16(elements, count);
	}
}
