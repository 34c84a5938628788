// Makes examples/sky.exr, a small panorama of a sky with a sun, to cook cubemaps from, and docs/cubemap-levels.png: faces of
// its cubemap, the levels for rougher surfaces side by side, each scaled up to the same size. Run by the target
// larder-pictures.

#include "image/cubemap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 256u
#define HEIGHT 128u
#define SAMPLES 4u // a side of what a texel is the mean of
#define FACE 128u
#define LEVELS 6u
#define TILE 84u
#define GAP 4u

static const double pi = 3.14159265358979323846;

static void stop(const char *what)
{
	fprintf(stderr, "larder-pictures: %s\n", what);
	exit(1);
}

static double fraction_of(uint32_t x, uint32_t y)
{
	uint32_t seed = x * 0x9e3779b1u ^ y * 0x85ebca77u;
	seed = (seed ^ seed >> 15) * 0x2c1b3c6du;
	seed = (seed ^ seed >> 12) * 0x297a2d39u;
	return (double)(seed >> 16) / 65535.0;
}

static double mix(double a, double b, double t)
{
	return a + (b - a) * t;
}

/// Noise from 0 to 1 that changes over a distance of 1.
static double noise(double x, double y)
{
	double left = floor(x), top = floor(y), u = x - left, v = y - top;
	uint32_t column = (uint32_t)(int32_t)left, row = (uint32_t)(int32_t)top;
	u = u * u * (3 - 2 * u);
	v = v * v * (3 - 2 * v);
	return mix(mix(fraction_of(column, row), fraction_of(column + 1, row), u),
		mix(fraction_of(column, row + 1), fraction_of(column + 1, row + 1), u), v);
}

static double cloud_at(double x, double y)
{
	double sum = 0.5 * noise(x, y) + 0.3 * noise(2.1 * x, 2.1 * y) + 0.2 * noise(4.3 * x, 4.3 * y);
	double dense = (sum - 0.5) * 5;
	return dense < 0 ? 0 : dense > 1 ? 1 : dense;
}

/// Tiles as far as the eye sees, each of its own shade.
static void ground(const double d[3], double rgb[3])
{
	double x = floor(d[0] / -d[1] * 1.5), z = floor(d[2] / -d[1] * 1.5), far = exp(2.5 * d[1]);
	double shade = 0.06 + 0.3 * fraction_of((uint32_t)(int32_t)x, (uint32_t)(int32_t)z);
	const double tile[3] = { shade, shade * 0.8, shade * 0.55 }, haze[3] = { 0.3, 0.27, 0.25 };
	for (int i = 0; i < 3; i++)
	{
		rgb[i] = mix(tile[i], haze[i], far * far);
	}
}

static void sky(const double d[3], double rgb[3])
{
	static const double zenith[3] = { 0.10, 0.24, 0.62 }, horizon[3] = { 0.95, 0.72, 0.5 }, sun[3] = { 1, 0.82, 0.6 };
	const double to_sun[3] = { 0.44, 0.36, 0.8226 };
	double near_sun = d[0] * to_sun[0] + d[1] * to_sun[1] + d[2] * to_sun[2];
	double up = pow(d[1], 0.45), glow = pow(near_sun > 0 ? near_sun : 0, 24), disc = near_sun > 0.9976 ? 220 : 0;
	double cloud = cloud_at(d[0] / (d[1] + 0.15) * 1.6, d[2] / (d[1] + 0.15) * 1.6) * (1 - exp(-6 * d[1]));
	for (int i = 0; i < 3; i++)
	{
		double clear = mix(horizon[i], zenith[i], up) + (disc + 1.5 * glow) * sun[i];
		rgb[i] = mix(clear, 0.75 + 0.5 * glow, 0.8 * cloud);
	}
}

/// To seven bits: enough to look at, and a small file.
static float round_off(double value)
{
	int exponent;
	double mantissa = frexp(value, &exponent);
	return (float)ldexp(floor(mantissa * 128 + 0.5) / 128, exponent);
}

static void paint_texel(uint32_t x, uint32_t y, float *texel)
{
	double sum[3] = { 0 };
	for (uint32_t i = 0; i < SAMPLES * SAMPLES; i++)
	{
		double u = (x + (i % SAMPLES + 0.5) / SAMPLES) / WIDTH,
			   v = (y + (double)(i / SAMPLES) / SAMPLES + 0.5 / SAMPLES) / HEIGHT;
		double turn = (u - 0.5) * 2 * pi, tilt = (0.5 - v) * pi;
		const double d[3] = { sin(turn) * cos(tilt), sin(tilt), cos(turn) * cos(tilt) };
		double rgb[3];
		(d[1] > 0 ? sky : ground)(d, rgb);
		for (int channel = 0; channel < 3; channel++)
		{
			sum[channel] += rgb[channel];
		}
	}
	for (int channel = 0; channel < 3; channel++)
	{
		texel[channel] = round_off(sum[channel] / (SAMPLES * SAMPLES));
	}
	texel[3] = 1.0f;
}

static lrd_image paint(void)
{
	lrd_image image = { .width = WIDTH, .height = HEIGHT, .type = LRD_PIXEL_F32, .linear = true, .source_channels = 3 };
	image.allocator = lrd_allocator_or_default((lrd_allocator){ 0 });
	image.size = (size_t)WIDTH * HEIGHT * 4 * sizeof(float);
	image.pixels = lrd_alloc(image.allocator, image.size);
	if (image.pixels == NULL)
	{
		stop("out of memory");
	}
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
	{
		paint_texel(i % WIDTH, i / WIDTH, (float *)image.pixels + (size_t)4 * i);
	}
	return image;
}

static void write_file(const char *folder, const char *name, const lrd_buffer *bytes)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	if (file == NULL || fwrite(bytes->data, 1, bytes->size, file) != bytes->size || fclose(file) != 0)
	{
		stop("a file can't be written");
	}
}

/// A face of a level, scaled up as a GPU would show it, tone mapped.
static void draw_face(const lrd_cube *level, uint32_t face, uint8_t *rgba, size_t stride)
{
	for (uint32_t i = 0; i < TILE * TILE; i++)
	{
		double direction[3];
		float texel[4];
		lrd_cube_direction(face, (i % TILE + 0.5) / TILE, (i / TILE + 0.5) / TILE, direction);
		lrd_cube_sample(level, direction, texel);
		uint8_t *to = rgba + i / TILE * stride + (size_t)4 * (i % TILE);
		for (int channel = 0; channel < 3; channel++)
		{
			float light = texel[channel] * 1.6f;
			to[channel] = (uint8_t)(255.0f * lrd_linear_to_srgb(light / (1.0f + light)) + 0.5f);
		}
	}
}

static void show(const lrd_image *panorama, const char *folder)
{
	static const uint32_t faces[] = { 4, 0, 2 }; // +Z, +X, +Y
	const uint32_t face_count = sizeof faces / sizeof *faces;
	const uint32_t width = LEVELS * (TILE + GAP) + GAP, height = face_count * (TILE + GAP) + GAP;
	uint8_t *rgba = malloc((size_t)width * height * 4);
	lrd_cube levels[LEVELS] = { 0 };
	lrd_error error = { 0 };
	lrd_cube_desc desc = { .images = panorama, .image_count = 1, .face_size = FACE };
	if (rgba == NULL || !lrd_cube_make(&desc, &levels[0], &error) ||
		!lrd_cube_prefilter(&levels[0], LEVELS, LRD_ISA_BEST, levels[0].allocator, levels, &error))
	{
		stop(rgba == NULL ? "out of memory" : error.message);
	}
	memset(rgba, 255, (size_t)width * height * 4);
	for (uint32_t row = 0; row < face_count; row++)
	{
		for (uint32_t level = 0; level < LEVELS; level++)
		{
			size_t at = (size_t)(GAP + row * (TILE + GAP)) * width + GAP + (size_t)level * (TILE + GAP);
			draw_face(&levels[level], faces[row], rgba + 4 * at, (size_t)width * 4);
		}
	}
	lrd_buffer png = { 0 };
	if (!lrd_image_write_png(width, height, rgba, &png, &error))
	{
		stop(error.message);
	}
	write_file(folder, "cubemap-levels.png", &png);
	lrd_buffer_free(&png);
	for (uint32_t level = 0; level < LEVELS; level++)
	{
		lrd_cube_free(&levels[level]);
	}
	free(rgba);
}

int main(int count, char **arguments)
{
	if (count != 3)
	{
		stop("expected two arguments, the folders of the pictures and of the examples");
	}
	lrd_image panorama = paint();
	lrd_buffer exr = { 0 };
	lrd_error error = { 0 };
	lrd_exr_write_desc desc = { WIDTH, HEIGHT, 3, true, panorama.pixels };
	if (!lrd_image_write_exr(&desc, &exr, &error))
	{
		stop(error.message);
	}
	write_file(arguments[2], "sky.exr", &exr);
	show(&panorama, arguments[1]);
	lrd_buffer_free(&exr);
	lrd_image_free(&panorama);
	return 0;
}
