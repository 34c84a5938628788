// What shaders look up because working it out would take them long, in one image of half floats, where a driver in software compiles
// one look-up for all of it.
//
// At the left, VIEW_MATT_SIDE wide and high, what a matt surface gets from the sky, from spherical harmonics, over its normal as an
// octahedron (Ramamoorthi and Hanrahan, "An Efficient Representation for Irradiance Environment Maps", 2001).
//
// To its right directional albedos: how much of a light that is the same from everywhere a lobe sends to the eye, over the cosine of
// the angle of view and the roughness. Of GGX with Smith's correlated masking as a scale of f0 and a bias (Karis, "Real Shading in
// Unreal Engine 4", 2013), and of sheen's Charlie with Neubelt and Pettineo's visibility.

#include "cli/view/render.h"

#include <math.h>
#include <string.h>

#define MATT_SIDE 64u
#define ALBEDO_SIDE 32u
#define SAMPLES 192u
#define PI 3.14159265358979

_Static_assert(MATT_SIDE + ALBEDO_SIDE == VIEW_TABLES_WIDTH && MATT_SIDE == VIEW_TABLES_HEIGHT, "tables side by side");

/// To the nearest half float; of numbers from 0 to 65504.
static uint16_t to_half(float value)
{
	uint32_t bits;
	float kept = fminf(fmaxf(value, 0.0f), 65504.0f) * 0x1p-112f; // the exponent's bias becomes that of a half float
	memcpy(&bits, &kept, sizeof bits);
	uint32_t odd = bits >> 13 & 1;
	return (uint16_t)((bits + 0xfffu + odd) >> 13);
}

static void put_texel(uint16_t *texels, uint32_t x, uint32_t y, const float rgb[3])
{
	uint16_t *texel = texels + 4 * ((size_t)y * VIEW_TABLES_WIDTH + x);
	for (int i = 0; i < 3; ++i)
	{
		texel[i] = to_half(rgb[i]);
	}
	texel[3] = 0;
}

// --- What does not change ---

/// Where samples are: what they have in common for all angles and roughnesses.
typedef struct sample
{
	double part;   ///< 0..1
	double cosine; ///< of the angle around
	double sine;
} sample;

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

static void integrate_ggx(const sample *samples, double cosine, double roughness, float *scale, float *bias)
{
	double alpha = roughness * roughness, v_x = sqrt(1.0 - cosine * cosine);
	double v_side = smith_side(alpha, cosine);
	double sums[2] = { 0.0, 0.0 };
	for (uint32_t i = 0; i < SAMPLES; ++i)
	{
		double u = samples[i].part;
		double h_z = sqrt((1.0 - u) / (1.0 + (alpha * alpha - 1.0) * u));
		double h_x = sqrt(1.0 - h_z * h_z) * samples[i].cosine;
		double v_h = fmax(v_x * h_x + cosine * h_z, 0.0);
		double l_z = 2.0 * v_h * h_z - cosine;
		if (l_z > 0.0 && h_z > 0.0)
		{
			double visible = 0.5 / (l_z * v_side + cosine * smith_side(alpha, l_z));
			double weight = visible * 4.0 * l_z * v_h / h_z;
			double rest = 1.0 - v_h, square = rest * rest, fresnel = square * square * rest;
			sums[0] += (1.0 - fresnel) * weight;
			sums[1] += fresnel * weight;
		}
	}
	*scale = (float)(sums[0] / SAMPLES);
	*bias = (float)(sums[1] / SAMPLES);
}

static float integrate_charlie(const sample *samples, double cosine, double roughness)
{
	double inverse = 1.0 / (roughness * roughness), v_x = sqrt(1.0 - cosine * cosine);
	double sum = 0.0;
	for (uint32_t i = 0; i < SAMPLES; ++i)
	{
		// Light directions all over the hemisphere: the lobe is wide.
		double l_z = samples[i].part, side = sqrt(1.0 - l_z * l_z);
		double h[3] = { v_x + side * samples[i].cosine, side * samples[i].sine, cosine + l_z };
		double h_z_squared = h[2] * h[2] / (h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
		double sine_squared = fmax(1.0 - h_z_squared, 0.0078125);
		double lobe = (2.0 + inverse) * exp(0.5 * inverse * log(sine_squared)) / (2.0 * PI);
		sum += lobe * l_z / (4.0 * (l_z + cosine - l_z * cosine));
	}
	return (float)fmin(sum / SAMPLES * 2.0 * PI, 1.0);
}

void view_tables_integrate(uint16_t *texels)
{
	sample samples[SAMPLES];
	for (uint32_t i = 0; i < SAMPLES; ++i)
	{
		double around = 2.0 * PI * reversed(i);
		samples[i] = (sample){ ((double)i + 0.5) / SAMPLES, cos(around), sin(around) };
	}
	for (uint32_t y = 0; y < ALBEDO_SIDE; ++y)
	{
		double roughness = fmax((double)y / (ALBEDO_SIDE - 1), 0.03);
		for (uint32_t x = 0; x < ALBEDO_SIDE; ++x)
		{
			double cosine = fmax((double)x / (ALBEDO_SIDE - 1), 1e-3);
			float rgb[3];
			integrate_ggx(samples, cosine, roughness, &rgb[0], &rgb[1]);
			rgb[2] = integrate_charlie(samples, cosine, fmax(roughness, 0.07));
			put_texel(texels, MATT_SIDE + x, y, rgb);
		}
	}
}

// --- What the sky changes ---

/// The light that a matt surface of this normal sends to everywhere. Cubemaps are left-handed: docs/guide-textures.md, "Light".
static float matt_light(const float harmonics[27], int channel, lrd_vec3 n)
{
	const float *h = harmonics + channel;
	float x = n.x, y = n.y, z = -n.z;
	double sum = 0.282095 * PI * h[0];
	sum += 2.0 / 3.0 * PI * 0.488603 * (h[3] * y + h[6] * z + h[9] * x);
	sum += 0.25 * PI * 1.092548 * (h[12] * x * y + h[15] * y * z + h[21] * x * z);
	sum += 0.25 * PI * (0.315392 * h[18] * (3.0f * z * z - 1.0f) + 0.546274 * h[24] * (x * x - y * y));
	return (float)(fmax(sum, 0.0) / PI);
}

static void light(uint16_t *texels, const float harmonics[27])
{
	for (uint32_t y = 0; y < MATT_SIDE; ++y)
	{
		for (uint32_t x = 0; x < MATT_SIDE; ++x)
		{
			float u = 2.0f * (float)x / (MATT_SIDE - 1) - 1.0f, v = 2.0f * (float)y / (MATT_SIDE - 1) - 1.0f;
			lrd_vec3 n = { u, v, 1.0f - fabsf(u) - fabsf(v) };
			if (n.z < 0.0f)
			{
				n.x = (1.0f - fabsf(v)) * (u >= 0.0f ? 1.0f : -1.0f);
				n.y = (1.0f - fabsf(u)) * (v >= 0.0f ? 1.0f : -1.0f);
			}
			n = view_normalize(n);
			const float rgb[3] = { matt_light(harmonics, 0, n), matt_light(harmonics, 1, n),
				matt_light(harmonics, 2, n) };
			put_texel(texels, x, y, rgb);
		}
	}
}

void view_tables_record(view_renderer *self, view_frame *frame, const view_sky *sky)
{
	if (self->has_tables && memcmp(self->harmonics, sky->harmonics, sizeof self->harmonics) == 0)
	{
		return;
	}
	self->has_tables = true;
	memcpy(self->harmonics, sky->harmonics, sizeof self->harmonics);
	light(self->texels, self->harmonics);
	memcpy(frame->tables.mapped, self->texels, VIEW_TABLES_SIZE);
	const VkImageLayout writing = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
	const VkPipelineStageFlags fragment = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
							   transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkBufferImageCopy copy = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = { VIEW_TABLES_WIDTH, VIEW_TABLES_HEIGHT, 1 } };
	view_transition_image(self->vk, frame->commands,
		&(view_transition){ self->tables.image, 0, 0, 0, VK_IMAGE_LAYOUT_UNDEFINED, writing, fragment, transfer, 0,
			VK_ACCESS_TRANSFER_WRITE_BIT });
	self->vk->CmdCopyBufferToImage(frame->commands, frame->tables.buffer, self->tables.image, writing, 1, &copy);
	view_transition_image(self->vk, frame->commands,
		&(view_transition){ self->tables.image, 0, 0, 0, writing, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, transfer,
			fragment, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT });
}
