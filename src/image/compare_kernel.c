// The kernels of structural similarity. Lanes are windows side by side.

#include "image/compare_kernel.h"

#include "base/lanes.h"

void LRD_KERNEL(lrd_ssim_across)(
	const lrd_ssim_window *window, const float *a, const float *b, size_t count, size_t stride, float *means)
{
	for (size_t x = 0; x < count; x += LRD_LANES)
	{
		lrd_f32s mean_a = { 0 }, mean_b = { 0 }, squares = { 0 }, product = { 0 };
		for (size_t tap = 0; tap < window->taps; tap++)
		{
			lrd_f32s value_a = lrd_f32s_load(a + x + tap);
			lrd_f32s value_b = lrd_f32s_load(b + x + tap);
			lrd_f32s weighted_a = value_a * window->weights[tap];
			lrd_f32s weighted_b = value_b * window->weights[tap];
			mean_a += weighted_a;
			mean_b += weighted_b;
			squares += weighted_a * value_a + weighted_b * value_b;
			product += weighted_a * value_b;
		}
		lrd_f32s_store(means + x, mean_a);
		lrd_f32s_store(means + stride + x, mean_b);
		lrd_f32s_store(means + 2 * stride + x, squares);
		lrd_f32s_store(means + 3 * stride + x, product);
	}
}

static lrd_f32s down(const lrd_ssim_window *window, const float *const *rows, size_t at)
{
	lrd_f32s sum = lrd_f32s_load(rows[0] + at) * window->weights[0];
	for (size_t tap = 1; tap < window->taps; tap++)
	{
		sum += lrd_f32s_load(rows[tap] + at) * window->weights[tap];
	}
	return sum;
}

void LRD_KERNEL(lrd_ssim_down)(const lrd_ssim_window *window, const float *const *rows, size_t count, size_t stride,
	float c1, float c2, float *similarity)
{
	for (size_t x = 0; x < count; x += LRD_LANES)
	{
		lrd_f32s mean_a = down(window, rows, x);
		lrd_f32s mean_b = down(window, rows, stride + x);
		lrd_f32s squares = down(window, rows, 2 * stride + x);
		lrd_f32s product = down(window, rows, 3 * stride + x);
		lrd_f32s of_means = mean_a * mean_b;
		lrd_f32s of_squares = mean_a * mean_a + mean_b * mean_b;
		lrd_f32s upper = (2.0f * of_means + c1) * (2.0f * (product - of_means) + c2);
		lrd_f32s lower = (of_squares + c1) * (squares - of_squares + c2);
		lrd_f32s_store(similarity + x, upper / lower);
	}
}
