// Structural similarity (image/compare.h says whose). The window is separable: rows are filtered along themselves as
// they come, and down once there are as many as the window has.

#include "image/compare_ssim.h"

#include "base/error.h"
#include "base/lanes.h"

#define SIGMA 1.5

// (0.01)^2 and (0.03)^2, at a dynamic range of 1.
#define C1 0.0001f
#define C2 0.0009f

// Of the peak: beyond it products of four values would leave what a float holds.
#define VALUE_MAX 0x1p15f

static lrd_ssim_window window_of(uint32_t side)
{
	lrd_ssim_window window = { .taps = side < LRD_SSIM_WINDOW ? side : LRD_SSIM_WINDOW };
	double middle = (double)(window.taps - 1) / 2;
	double sum = 0;
	for (size_t tap = 0; tap < window.taps; tap++)
	{
		double away = (double)tap - middle;
		sum += exp(-away * away / (2 * SIGMA * SIGMA));
	}
	for (size_t tap = 0; tap < window.taps; tap++)
	{
		double away = (double)tap - middle;
		window.weights[tap] = (float)(exp(-away * away / (2 * SIGMA * SIGMA)) / sum);
	}
	return window;
}

bool lrd_ssim_open(lrd_ssim *ssim, uint32_t width, uint32_t height, double peak, lrd_isa isa, lrd_allocator allocator,
	lrd_error *error)
{
	*ssim = (lrd_ssim){
		.width = width,
		.height = height,
		.stride = lrd_align_up((size_t)width + LRD_SSIM_WINDOW, LRD_LANES_MAX),
		.across = window_of(width),
		.down = window_of(height),
		.scale = (float)(1.0 / peak),
		.isa = isa,
		.allocator = allocator,
	};
	// Of a row: both images' signals; the rings' means; the similarity. An image of that row was allocated, which is no
	// smaller than a thirtieth of this.
	size_t planes = 2 * LRD_SSIM_SIGNALS * ssim->stride;
	size_t rings = LRD_SSIM_SIGNALS * ssim->down.taps * LRD_SSIM_MEANS * ssim->stride;
	size_t floats = planes + rings + ssim->stride;
	ssim->memory = lrd_alloc_zeroed(allocator, floats, sizeof(float));
	if (ssim->memory == NULL)
	{
		return lrd_fail_memory(error, "rows of structural similarity", floats * sizeof(float));
	}
	ssim->memory_size = floats * sizeof(float);
	ssim->planes = ssim->memory;
	ssim->rings = ssim->planes + planes;
	ssim->similarity = ssim->rings + rings;
	return true;
}

static float in_range(float value)
{
	return value > VALUE_MAX ? VALUE_MAX : value < -VALUE_MAX ? -VALUE_MAX : value;
}

static void split(const lrd_ssim *ssim, const lrd_rgba *row, float *planes)
{
	size_t stride = ssim->stride;
	for (size_t x = 0; x < ssim->width; x++)
	{
		float red = in_range(row[x][0] * ssim->scale);
		float green = in_range(row[x][1] * ssim->scale);
		float blue = in_range(row[x][2] * ssim->scale);
		planes[x] = 0.299f * red + 0.587f * green + 0.114f * blue;
		planes[stride + x] = red;
		planes[2 * stride + x] = green;
		planes[3 * stride + x] = blue;
	}
}

void lrd_ssim_row(lrd_ssim *ssim, const lrd_rgba *a, const lrd_rgba *b)
{
	static void (*const across[])(const lrd_ssim_window *, const float *, const float *, size_t, size_t, float *) =
		LRD_KERNEL_TABLE(lrd_ssim_across);
	static void (*const down[])(const lrd_ssim_window *, const float *const *, size_t, size_t, float, float, float *) =
		LRD_KERNEL_TABLE(lrd_ssim_down);
	lrd_isa isa = lrd_isa_choose(ssim->isa);
	size_t stride = ssim->stride;
	size_t count = ssim->width - ssim->across.taps + 1;
	size_t taps = ssim->down.taps;
	float *planes_b = ssim->planes + LRD_SSIM_SIGNALS * stride;
	split(ssim, a, ssim->planes);
	split(ssim, b, planes_b);
	ssim->rows++;
	for (size_t signal = 0; signal < LRD_SSIM_SIGNALS; signal++)
	{
		float *ring = ssim->rings + signal * taps * LRD_SSIM_MEANS * stride;
		float *means = ring + (ssim->rows - 1) % taps * LRD_SSIM_MEANS * stride;
		across[isa](&ssim->across, ssim->planes + signal * stride, planes_b + signal * stride, count, stride, means);
		if (ssim->rows < taps)
		{
			continue;
		}
		const float *rows[LRD_SSIM_WINDOW];
		for (size_t tap = 0; tap < taps; tap++)
		{
			rows[tap] = ring + (ssim->rows + tap) % taps * LRD_SSIM_MEANS * stride; // the oldest first
		}
		down[isa](&ssim->down, rows, count, stride, C1, C2, ssim->similarity);
		double sum = 0;
		for (size_t x = 0; x < count; x++)
		{
			sum += (double)ssim->similarity[x];
		}
		ssim->sums[signal] += sum;
	}
}

double lrd_ssim_mean(const lrd_ssim *ssim, uint32_t signal)
{
	double across = (double)(ssim->width - ssim->across.taps + 1);
	double down = (double)(ssim->height - ssim->down.taps + 1);
	return ssim->sums[signal] / (across * down);
}

void lrd_ssim_close(lrd_ssim *ssim)
{
	if (ssim->memory != NULL)
	{
		lrd_free(ssim->allocator, ssim->memory, ssim->memory_size);
		ssim->memory = NULL;
	}
}
