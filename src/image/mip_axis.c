// How an axis is halved: the weights of box and windowed sinc at any size. Odd sizes n become n / 2 rounded down; each
// texel then takes exactly its share of the ones above it, with weights that change along the axis (Ignacio Castano,
// "Non-Power-of-Two Mipmapping", NVIDIA, 2005: polyphase). The sinc is the NVIDIA Texture Tools' choice: a Kaiser window
// over 3 lobes of the level that is made, alpha 4.

#include "image/mip_rows.h"

#include "base/lanes.h"

#include <math.h>

#define SINC_LOBES 3.0
#define KAISER_ALPHA 4.0
#define PI 3.14159265358979323846

// sin(pi x), |x| up to 1/2, to the last bits of a double. By its series: libraries' sines differ.
static double sine_of_half_turn(double x)
{
	double angle = PI * x, square = angle * angle;
	double term = angle, sum = angle;
	for (int i = 2; i < 24; i += 2)
	{
		term *= -square / (i * (i + 1));
		sum += term;
	}
	return sum;
}

static double sinc(double x)
{
	if (fabs(x) < 1e-9)
	{
		return 1.0;
	}
	double nearest = floor(x + 0.5);
	double sine = sine_of_half_turn(x - nearest);
	return (fmod(nearest, 2.0) != 0.0 ? -sine : sine) / (PI * x);
}

// The modified Bessel function of the first kind, order 0, by its series.
static double bessel_0(double x)
{
	double term = 1.0, sum = 1.0;
	for (int i = 1; term > sum * 0x1p-60; i++)
	{
		term *= x / (2.0 * i) * (x / (2.0 * i));
		sum += term;
	}
	return sum;
}

// At a distance counted in texels of the level that is made; not yet of sum 1.
static double kernel(double distance)
{
	double place = distance / SINC_LOBES;
	if (fabs(place) >= 1.0)
	{
		return 0.0;
	}
	return sinc(distance) * bessel_0(KAISER_ALPHA * sqrt(1.0 - place * place));
}

static size_t stride_of(uint32_t size)
{
	return lrd_align_up(lrd_mip_halved(size), LRD_LANES_MAX);
}

// Odd sizes: texels from 2 i - reach on.
static int32_t odd_reach(uint32_t size)
{
	double radius = SINC_LOBES * (double)size / (double)(size / 2);
	return (int32_t)ceil(radius) - 1;
}

static uint32_t odd_taps(uint32_t size, lrd_mip_filter filter)
{
	return filter == LRD_MIP_FILTER_BOX ? 3 : 2 * (uint32_t)odd_reach(size) + 3;
}

size_t lrd_mip_axis_floats(uint32_t size, lrd_mip_filter filter)
{
	return size == 1 || size % 2 == 0 ? 0 : odd_taps(size, filter) * stride_of(size);
}

static void make_pairs(lrd_mip_axis *axis, lrd_mip_filter filter)
{
	axis->pairs = filter == LRD_MIP_FILTER_BOX ? 1 : LRD_MIP_PAIRS_MAX;
	double weights[LRD_MIP_PAIRS_MAX] = { 0.5 };
	double sum = 0.0;
	for (uint32_t k = 0; k < axis->pairs; k++)
	{
		weights[k] = filter == LRD_MIP_FILTER_BOX ? 0.5 : kernel((k + 0.5) / 2.0);
		sum += 2.0 * weights[k];
	}
	for (uint32_t k = 0; k < axis->pairs; k++)
	{
		axis->pair_weights[k] = (float)(weights[k] / sum);
	}
	axis->base = 1 - (int32_t)axis->pairs;
	axis->taps = 2 * axis->pairs;
}

static void make_odd(lrd_mip_axis *axis, lrd_mip_filter filter, float *weights)
{
	bool is_box = filter == LRD_MIP_FILTER_BOX;
	axis->taps = odd_taps(axis->size, filter);
	axis->base = is_box ? 0 : -odd_reach(axis->size);
	axis->stride = stride_of(axis->size);
	axis->weights = weights;
	double ratio = (double)axis->size / axis->next;
	memset(weights, 0, axis->taps * axis->stride * sizeof *weights);
	for (uint32_t i = 0; i < axis->next; i++)
	{
		double of_taps[LRD_MIP_TAPS_MAX];
		double sum = 0.0;
		for (uint32_t k = 0; k < axis->taps; k++)
		{
			double share[3] = { (axis->next - i) / (double)axis->size, axis->next / (double)axis->size,
				(i + 1) / (double)axis->size };
			double texel = 2.0 * i + axis->base + k + 0.5;
			of_taps[k] = is_box ? share[k] : kernel((texel - (i + 0.5) * ratio) / ratio);
			sum += of_taps[k];
		}
		for (uint32_t k = 0; k < axis->taps; k++)
		{
			weights[k * axis->stride + i] = (float)(of_taps[k] / sum);
		}
	}
}

lrd_mip_axis lrd_mip_axis_make(uint32_t size, lrd_mip_filter filter, float *weights)
{
	lrd_mip_axis axis = { .size = size, .next = lrd_mip_halved(size), .taps = 1 };
	if (size > 1 && size % 2 == 0)
	{
		make_pairs(&axis, filter);
	}
	else if (size > 1)
	{
		make_odd(&axis, filter, weights);
	}
	return axis;
}

static int64_t modulo(int64_t value, int64_t size)
{
	int64_t rest = value % size;
	return rest < 0 ? rest + size : rest;
}

uint32_t lrd_mip_wrap_index(int64_t index, uint32_t size, lrd_mip_wrap wrap)
{
	int64_t last = (int64_t)size - 1;
	switch (wrap)
	{
	case LRD_MIP_WRAP_CLAMP: return (uint32_t)(index < 0 ? 0 : index > last ? last : index);
	case LRD_MIP_WRAP_MIRROR:
	{
		int64_t place = modulo(index, 2 * (int64_t)size);
		return (uint32_t)(place > last ? 2 * last + 1 - place : place);
	}
	case LRD_MIP_WRAP_REPEAT: break;
	}
	return (uint32_t)modulo(index, size);
}
