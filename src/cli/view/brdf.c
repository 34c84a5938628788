// Directional albedos: how much of a light that is the same from everywhere a lobe sends to the eye, over the cosine of the angle of
// view and the roughness. Of GGX with Smith's correlated masking as a scale of f0 and a bias (Karis, "Real Shading in Unreal
// Engine 4", 2013), and of sheen's Charlie with Neubelt and Pettineo's visibility.

#include "cli/view/render.h"

#include <math.h>

#define SAMPLES 192u
#define PI 3.14159265358979

/// Van der Corput's sequence to the base 2.
static double reversed(uint32_t bits)
{
	double value = 0.0;
	for (double unit = 0.5; bits != 0; bits >>= 1, unit *= 0.5)
	{
		value += (bits & 1) != 0 ? unit : 0.0;
	}
	return value;
}

static double smith_side(double alpha, double cosine)
{
	return sqrt(cosine * cosine * (1.0 - alpha * alpha) + alpha * alpha);
}

static void integrate_ggx(double cosine, double roughness, float *scale, float *bias)
{
	double alpha = roughness * roughness;
	double v[3] = { sqrt(1.0 - cosine * cosine), 0.0, cosine };
	double sums[2] = { 0.0, 0.0 };
	for (uint32_t i = 0; i < SAMPLES; ++i)
	{
		double u = ((double)i + 0.5) / SAMPLES, phi = 2.0 * PI * reversed(i);
		double h_z = sqrt((1.0 - u) / (1.0 + (alpha * alpha - 1.0) * u));
		double h_x = sqrt(1.0 - h_z * h_z) * cos(phi);
		double v_h = fmax(v[0] * h_x + v[2] * h_z, 0.0);
		double l_z = 2.0 * v_h * h_z - v[2];
		if (l_z > 0.0 && h_z > 0.0)
		{
			double visible = 0.5 / (l_z * smith_side(alpha, v[2]) + v[2] * smith_side(alpha, l_z));
			double weight = visible * 4.0 * l_z * v_h / h_z;
			double fresnel = pow(1.0 - v_h, 5.0);
			sums[0] += (1.0 - fresnel) * weight;
			sums[1] += fresnel * weight;
		}
	}
	*scale = (float)(sums[0] / SAMPLES);
	*bias = (float)(sums[1] / SAMPLES);
}

static float integrate_charlie(double cosine, double roughness)
{
	double inverse = 1.0 / (roughness * roughness);
	double v[3] = { sqrt(1.0 - cosine * cosine), 0.0, cosine };
	double sum = 0.0;
	for (uint32_t i = 0; i < SAMPLES; ++i)
	{
		// Light directions all over the hemisphere: the lobe is wide.
		double l_z = ((double)i + 0.5) / SAMPLES, phi = 2.0 * PI * reversed(i), side = sqrt(1.0 - l_z * l_z);
		double h[3] = { v[0] + side * cos(phi), side * sin(phi), v[2] + l_z };
		double h_z = h[2] / sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
		double sine = sqrt(fmax(1.0 - h_z * h_z, 0.0078125));
		double lobe = (2.0 + inverse) * pow(sine, inverse) / (2.0 * PI);
		sum += lobe * l_z / (4.0 * (l_z + v[2] - l_z * v[2]));
	}
	return (float)fmin(sum / SAMPLES * 2.0 * PI, 1.0);
}

void view_albedos_integrate(float *albedos)
{
	for (uint32_t y = 0; y < VIEW_ALBEDO_SIDE; ++y)
	{
		double roughness = fmax((double)y / (VIEW_ALBEDO_SIDE - 1), 0.03);
		for (uint32_t x = 0; x < VIEW_ALBEDO_SIDE; ++x)
		{
			double cosine = fmax((double)x / (VIEW_ALBEDO_SIDE - 1), 1e-3);
			float *at = albedos + 3 * (y * VIEW_ALBEDO_SIDE + x);
			integrate_ggx(cosine, roughness, at, at + 1);
			at[2] = integrate_charlie(cosine, fmax(roughness, 0.07));
		}
	}
}
