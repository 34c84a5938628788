// Synthetic pictures for bench_block: the same on every machine, each with the traits that make its kind hard.

#include "block_pictures.h"

#include "bench.h"

#include <math.h>

#define SIDE 512

static uint32_t hash(uint32_t x, uint32_t y, uint32_t seed)
{
	uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ seed * 0xc2b2ae3du;
	h ^= h >> 15;
	h *= 0x2c1b3c6du;
	h ^= h >> 12;
	h *= 0x297a2d39u;
	return h ^ h >> 15;
}

/// Smooth noise of one octave, -1..1, that repeats after `period` cells.
static float octave(float x, float y, uint32_t period, uint32_t seed)
{
	float fx = floorf(x), fy = floorf(y);
	uint32_t x0 = (uint32_t)fx % period, y0 = (uint32_t)fy % period;
	uint32_t x1 = (x0 + 1) % period, y1 = (y0 + 1) % period;
	float u = x - fx, v = y - fy;
	u = u * u * (3 - 2 * u);
	v = v * v * (3 - 2 * v);
	const float scale = 2.0f / 4294967295.0f;
	float a = (float)hash(x0, y0, seed) * scale - 1, b = (float)hash(x1, y0, seed) * scale - 1;
	float c = (float)hash(x0, y1, seed) * scale - 1, d = (float)hash(x1, y1, seed) * scale - 1;
	return (a + (b - a) * u) * (1 - v) + (c + (d - c) * u) * v;
}

/// Octaves from `first` cells across on, each half as strong as the one before.
static float fractal(uint32_t x, uint32_t y, uint32_t first, uint32_t octaves, uint32_t seed)
{
	float sum = 0, strength = 1;
	for (uint32_t i = 0; i < octaves; ++i, strength *= 0.55f)
	{
		uint32_t period = first << i;
		float scale = (float)period / SIDE;
		sum += strength * octave((float)x * scale, (float)y * scale, period, seed + i);
	}
	return sum;
}

static uint8_t byte_of(float value)
{
	return (uint8_t)(fminf(fmaxf(value, 0), 1) * 255.0f + 0.5f);
}

/// Luma of all scales with edges, chroma of the larger ones.
static void photo_texel(uint32_t x, uint32_t y, uint8_t *texel)
{
	float luma = 0.5f + 0.28f * fractal(x, y, 4, 8, 1);
	float red = 0.16f * fractal(x, y, 4, 6, 20), blue = 0.16f * fractal(x, y, 4, 6, 40);
	if (fractal(x, y, 6, 4, 60) > 0.15f)
	{
		luma = 1.05f - luma * 0.7f;
		red = -red;
	}
	texel[0] = byte_of(luma + red);
	texel[1] = byte_of(luma - 0.3f * red - 0.2f * blue);
	texel[2] = byte_of(luma + blue);
	texel[3] = 255;
}

static float normal_height(uint32_t x, uint32_t y)
{
	float tiles = fmaxf(fabsf((float)(x % 64) - 32), fabsf((float)(y % 64) - 32));
	float bevel = fminf(fmaxf((31 - tiles) * 0.25f, 0), 1);
	return 4.0f * bevel + 2.5f * fractal(x, y, 8, 6, 80);
}

static void normal_texel(uint32_t x, uint32_t y, uint8_t *texel)
{
	float dx = normal_height((x + 1) % SIDE, y) - normal_height((x + SIDE - 1) % SIDE, y);
	float dy = normal_height(x, (y + 1) % SIDE) - normal_height(x, (y + SIDE - 1) % SIDE);
	float length = sqrtf(dx * dx + dy * dy + 4);
	texel[0] = byte_of(0.5f - 0.5f * dx / length);
	texel[1] = byte_of(0.5f + 0.5f * dy / length);
	texel[2] = byte_of(0.5f + 1.0f / length);
	texel[3] = 255;
}

/// Occlusion smooth, roughness rough, metal of hard edges: three channels with little in common.
static void orm_texel(uint32_t x, uint32_t y, uint8_t *texel)
{
	texel[0] = byte_of(0.8f + 0.3f * fractal(x, y, 4, 3, 100));
	texel[1] = byte_of(0.5f + 0.25f * fractal(x, y, 8, 6, 120));
	texel[2] = byte_of(fractal(x, y, 5, 4, 140) > 0.1f ? 1 : 0.02f);
	texel[3] = 255;
}

/// Leaves: alpha of one with soft edges of a texel or two, colours that go on under the transparent part.
static void foliage_texel(uint32_t x, uint32_t y, uint8_t *texel)
{
	float shape = fractal(x, y, 8, 4, 160) * 6;
	float luma = 0.4f + 0.2f * fractal(x, y, 8, 7, 180);
	texel[0] = byte_of(luma * 0.7f + 0.1f * fractal(x, y, 4, 4, 200));
	texel[1] = byte_of(luma * 1.2f);
	texel[2] = byte_of(luma * 0.35f);
	texel[3] = byte_of(0.5f + shape);
}

/// Flat panels, gradients, hard text-like strokes with antialiased edges, few colours.
static void ui_texel(uint32_t x, uint32_t y, uint8_t *texel)
{
	uint32_t cell = hash(x / 64, y / 32, 220);
	uint32_t ink = hash(x / 64, y / 32, 221);
	float gradient = cell & 1 ? (float)(y % 32) / 64 : 0;
	float border = x % 64 < 2 || y % 32 < 2 ? 1.0f : 0.0f;
	float stroke = 2.5f * fabsf(octave((float)x / 5, (float)y / 7, 1024, 222)) - 1.2f;
	stroke = y % 32 > 8 && y % 32 < 24 ? fminf(fmaxf(stroke * 3, 0), 1) : 0;
	for (uint32_t channel = 0; channel < 3; ++channel)
	{
		float panel = (float)(cell >> (8 * channel + 4) & 15) / 15 * 0.5f + gradient;
		float mark = (float)(ink >> (8 * channel + 4) & 15) / 15;
		texel[channel] = byte_of(border > 0 ? 0.1f : panel + (mark - panel) * stroke);
	}
	texel[3] = 255;
}

static void make(
	bench_picture *picture, const char *name, unsigned kind, void (*texel)(uint32_t x, uint32_t y, uint8_t *texel))
{
	*picture =
		(bench_picture){ .kind = kind, .width = SIDE, .height = SIDE, .pixels = malloc((size_t)SIDE * SIDE * 4) };
	snprintf(picture->name, sizeof picture->name, "%s", name);
	if (picture->pixels == NULL)
	{
		bench_stop("bench_block: out of memory");
	}
	for (uint32_t y = 0; y < SIDE; ++y)
	{
		for (uint32_t x = 0; x < SIDE; ++x)
		{
			texel(x, y, picture->pixels + ((size_t)y * SIDE + x) * 4);
		}
	}
}

size_t bench_pictures_make(bench_picture *pictures, bool with_photo)
{
	size_t count = 0;
	if (with_photo)
	{
		make(&pictures[count++], "noise-photo", BENCH_PICTURE_COLOR, photo_texel);
	}
	make(&pictures[count++], "normal", BENCH_PICTURE_NORMAL, normal_texel);
	make(&pictures[count++], "orm", BENCH_PICTURE_DATA, orm_texel);
	make(&pictures[count++], "foliage", BENCH_PICTURE_ALPHA, foliage_texel);
	make(&pictures[count++], "ui", BENCH_PICTURE_COLOR, ui_texel);
	return count;
}
