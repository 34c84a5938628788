// Spherical harmonics held against closed forms.

#include "image/harmonics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static const double axes[][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 }, { 0.6, -0.48, 0.64 }, { -0.36, 0.48, 0.8 } };

#define AXIS_COUNT (sizeof axes / sizeof *axes)

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Red: cos^power around the axis, 0 beyond 90 degrees; green: 1 everywhere; blue: 0.
static lrd_harmonics of_lobe(const double axis[3], double power, uint32_t size)
{
	lrd_cube cube;
	assert_true(lrd_cube_reserve(size, (lrd_allocator){ 0 }, &cube, NULL));
	for (uint32_t i = 0; i < 6 * size * size; i++)
	{
		double direction[3];
		lrd_cube_direction(i / (size * size), (i % size + 0.5) / size, (i / size % size + 0.5) / size, direction);
		double cosine = dot(direction, axis);
		cube.texels[(size_t)4 * i] = cosine > 0 ? (float)pow(cosine, power) : 0.0f;
		cube.texels[(size_t)4 * i + 1] = 1.0f;
	}
	lrd_harmonics harmonics;
	lrd_harmonics_of(&cube, &harmonics);
	lrd_cube_free(&cube);
	return harmonics;
}

// Band l of cos^n: 2 pi times the integral over 0..1 of t^n P_l(t), which each basis function of the band is then
// multiplied with (Funk-Hecke).
static double band_of(uint32_t band, double power)
{
	switch (band)
	{
	case 0: return 2 * PI / (power + 1);
	case 1: return 2 * PI / (power + 2);
	default: return PI * (3 / (power + 3) - 1 / (power + 1));
	}
}

static uint32_t band_at(size_t coefficient)
{
	return coefficient == 0 ? 0 : coefficient < 4 ? 1 : 2;
}

static void the_basis_is_orthonormal(void **state)
{
	(void)state;
	double products[LRD_HARMONICS][LRD_HARMONICS] = { { 0 } };
	const uint32_t size = 64;
	for (uint32_t i = 0; i < 6 * size * size; i++)
	{
		double direction[3], basis[LRD_HARMONICS];
		double s = (double)(i % size) / size, t = (double)(i / size % size) / size;
		lrd_cube_direction(i / (size * size), s + 0.5 / size, t + 0.5 / size, direction);
		lrd_harmonics_basis(direction, basis);
		double weight = lrd_cube_solid_angle(s, t, s + 1.0 / size, t + 1.0 / size);
		for (size_t k = 0; k < LRD_HARMONICS * LRD_HARMONICS; k++)
		{
			products[k / LRD_HARMONICS][k % LRD_HARMONICS] +=
				weight * basis[k / LRD_HARMONICS] * basis[k % LRD_HARMONICS];
		}
	}
	for (size_t k = 0; k < LRD_HARMONICS * LRD_HARMONICS; k++)
	{
		double expected = k / LRD_HARMONICS == k % LRD_HARMONICS ? 1 : 0;
		assert_true(fabs(products[k / LRD_HARMONICS][k % LRD_HARMONICS] - expected) < 1e-3);
	}
}

static void the_order_is_that_of_l_and_m(void **state)
{
	(void)state;
	double basis[LRD_HARMONICS];
	lrd_harmonics_basis((const double[]){ 0.48, 0.6, 0.64 }, basis);
	const double expected[] = { 0.282095, 0.488603 * 0.6, 0.488603 * 0.64, 0.488603 * 0.48, 1.092548 * 0.48 * 0.6,
		1.092548 * 0.6 * 0.64, 0.315392 * (3 * 0.64 * 0.64 - 1), 1.092548 * 0.48 * 0.64,
		0.546274 * (0.48 * 0.48 - 0.6 * 0.6) };
	for (size_t i = 0; i < LRD_HARMONICS; i++)
	{
		assert_true(fabs(basis[i] - expected[i]) < 1e-6);
	}
}

// Down to faces of one texel.
static void an_even_sky_has_one_coefficient(void **state)
{
	(void)state;
	for (uint32_t size = 1; size <= 64; size *= 4)
	{
		lrd_harmonics harmonics = of_lobe(axes[0], 1, size);
		double expected = sqrt(4 * PI);
		assert_true(fabs((double)harmonics.rgb[0][1] / expected - 1) < 1e-6);
		for (size_t i = 1; i < LRD_HARMONICS; i++)
		{
			// Texels' middles stand for their areas: off by the square of their size.
			assert_true(fabs((double)harmonics.rgb[i][1]) < 0.01 * expected / size / size + 1e-6);
			assert_true(harmonics.rgb[i][2] == 0.0f);
		}
		double irradiance[3];
		lrd_harmonics_irradiance(&harmonics, axes[3], irradiance);
		assert_true(fabs(irradiance[1] / PI - 1) < 0.01);
	}
}

static void lobes_have_the_coefficients_of_their_closed_form(void **state)
{
	(void)state;
	static const double powers[] = { 1, 2, 8, 40 };
	for (size_t i = 0; i < 4 * AXIS_COUNT; i++)
	{
		const double *axis = axes[i / 4];
		double power = powers[i % 4];
		lrd_harmonics harmonics = of_lobe(axis, power, 64);
		double basis[LRD_HARMONICS];
		lrd_harmonics_basis(axis, basis);
		double largest = fabs(band_of(0, power) * basis[0]);
		for (size_t k = 0; k < LRD_HARMONICS; k++)
		{
			double expected = band_of(band_at(k), power) * basis[k];
			double scale = fabs(expected) > 0.01 * largest ? fabs(expected) : 0.1 * largest;
			assert_true(fabs((double)harmonics.rgb[k][0] - expected) < 0.01 * scale);
		}
	}
}

// The light that a surface with the normal n receives of a cosine lobe around a: up to band 2 the sum over bands of both
// lobes' factors times P_l(n.a), (2 l + 1) / (4 pi) each.
static void irradiance_of_a_cosine_is_its_closed_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < AXIS_COUNT * AXIS_COUNT; i++)
	{
		const double *axis = axes[i / AXIS_COUNT];
		const double *normal = axes[i % AXIS_COUNT];
		lrd_harmonics harmonics = of_lobe(axis, 1, 64);
		double irradiance[3];
		lrd_harmonics_irradiance(&harmonics, normal, irradiance);
		double cosine = dot(axis, normal);
		const double legendre[] = { 1, cosine, (3 * cosine * cosine - 1) / 2 };
		double expected = 0;
		for (uint32_t band = 0; band < 3; band++)
		{
			expected += (2 * band + 1) / (4 * PI) * band_of(band, 1) * band_of(band, 1) * legendre[band];
		}
		assert_true(fabs(irradiance[0] - expected) < 0.01 * 2.1); // 2.09: the integral of cos^2, straight at the light
		if (i / AXIS_COUNT == i % AXIS_COUNT)
		{
			assert_true(fabs(irradiance[0] / (2 * PI / 3) - 1) < 0.01);
		}
	}
}

static void radiance_of_a_gradient_comes_back(void **state)
{
	(void)state;
	const uint32_t size = 32;
	lrd_cube cube;
	assert_true(lrd_cube_reserve(size, (lrd_allocator){ 0 }, &cube, NULL));
	for (uint32_t i = 0; i < 6 * size * size; i++)
	{
		double direction[3];
		lrd_cube_direction(i / (size * size), (i % size + 0.5) / size, (i / size % size + 0.5) / size, direction);
		for (size_t axis = 0; axis < 3; axis++)
		{
			cube.texels[(size_t)4 * i + axis] =
				(float)(2 + direction[axis] + direction[axis] * direction[(axis + 1) % 3]);
		}
	}
	lrd_harmonics harmonics;
	lrd_harmonics_of(&cube, &harmonics);
	lrd_cube_free(&cube);
	for (size_t i = 0; i < AXIS_COUNT; i++)
	{
		double rgb[3];
		lrd_harmonics_radiance(&harmonics, axes[i], rgb);
		for (size_t axis = 0; axis < 3; axis++)
		{
			assert_true(fabs(rgb[axis] - (2 + axes[i][axis] + axes[i][axis] * axes[i][(axis + 1) % 3])) < 0.01);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_basis_is_orthonormal),
		cmocka_unit_test(the_order_is_that_of_l_and_m),
		cmocka_unit_test(an_even_sky_has_one_coefficient),
		cmocka_unit_test(lobes_have_the_coefficients_of_their_closed_form),
		cmocka_unit_test(irradiance_of_a_cosine_is_its_closed_form),
		cmocka_unit_test(radiance_of_a_gradient_comes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
