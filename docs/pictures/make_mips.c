// Makes docs/mips-foliage.png and docs/mips-fringe.png: the levels of a mip chain side by side, each scaled up to the
// same size, larder's above and below them what a plain mean of the codes gives. Run by the target larder-pictures.

#include "image/image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 256u
#define LEVELS 7u
#define TILE 128u
#define GAP 4u
#define CUTOFF 0.5f

static void stop(const char *what)
{
	fprintf(stderr, "larder-pictures: %s\n", what);
	exit(1);
}

static uint32_t noise(uint32_t seed)
{
	seed = (seed ^ 61u) ^ (seed >> 16);
	seed *= 9u;
	seed ^= seed >> 4;
	seed *= 0x27d4eb2du;
	return seed ^ seed >> 15;
}

static double random_between(uint32_t seed, double low, double high)
{
	return low + (high - low) * (noise(seed) & 0xffff) / 65535.0;
}

static lrd_image blank(void)
{
	lrd_image image = { .width = SIDE, .height = SIDE, .size = (size_t)SIDE * SIDE * 4, .has_alpha = true };
	image.allocator = lrd_allocator_or_default((lrd_allocator){ 0 });
	image.pixels = lrd_alloc_zeroed(image.allocator, image.size, 1);
	if (image.pixels == NULL)
	{
		stop("out of memory");
	}
	return image;
}

// A blade from its foot upwards, as a pointed lens; repeats at the edges.
static void draw_blade(lrd_image *image, uint32_t seed)
{
	double foot_x = random_between(seed, 0, SIDE), foot_y = random_between(seed + 1000, 0, SIDE);
	double angle = random_between(seed + 2000, -0.9, 0.9), length = random_between(seed + 3000, 40, 90);
	double width = random_between(seed + 4000, 2.0, 4.5);
	uint8_t shade = (uint8_t)random_between(seed + 5000, 0, 3.99);
	for (double along = 0; along < length; along += 0.5)
	{
		double t = along / length, bend = angle * (0.4 + 0.9 * t), half = width * 2 * sqrt(t * (1 - t)) * (1 - 0.4 * t);
		double x = foot_x + sin(bend) * along, y = foot_y - cos(bend) * along;
		for (double across = -half - 1; across <= half + 1; across += 0.5)
		{
			uint32_t at_x = (uint32_t)(int32_t)floor(x + across) % SIDE, at_y = (uint32_t)(int32_t)floor(y) % SIDE;
			uint8_t *texel = (uint8_t *)image->pixels + 4 * (size_t)(at_y * SIDE + at_x);
			double inside = half + 0.5 - fabs(across);
			uint8_t alpha = (uint8_t)(inside <= 0 ? 0 : inside >= 1 ? 255 : 255 * inside);
			if (alpha != 0 && alpha >= texel[3])
			{
				const uint8_t color[4] = { (uint8_t)(60 + 20 * shade), (uint8_t)(110 + 25 * shade), 40, alpha };
				memcpy(texel, color, 4);
			}
		}
	}
}

static lrd_image make_foliage(void)
{
	lrd_image image = blank();
	for (uint32_t blade = 0; blade < 70; blade++)
	{
		draw_blade(&image, blade * 7919u);
	}
	return image;
}

// Green with soft edges, black where it is transparent, as paint programs save it.
static lrd_image make_star(void)
{
	lrd_image image = blank();
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
	{
		double x = i % SIDE + 0.5 - SIDE / 2.0, y = i / SIDE + 0.5 - SIDE / 2.0;
		double edge = 70 + 34 * cos(7 * atan2(y, x)) - sqrt(x * x + y * y);
		uint8_t *texel = (uint8_t *)image.pixels + 4 * (size_t)i;
		texel[3] = (uint8_t)(edge <= -0.5 ? 0 : edge >= 0.5 ? 255 : 255 * (edge + 0.5));
		texel[1] = texel[3] != 0 ? 200 : 0;
		texel[0] = texel[3] != 0 ? 60 : 0;
	}
	return image;
}

// The level below, each channel the mean of its codes.
static lrd_image plain_half(const lrd_image *image)
{
	lrd_image half = blank();
	half.width = image->width / 2;
	half.height = image->height / 2;
	const uint8_t *from = image->pixels;
	uint8_t *to = half.pixels;
	for (size_t y = 0; y < half.height; y++)
	{
		for (size_t x = 0; x < 4 * (size_t)half.width; x++)
		{
			const uint8_t *at = from + 2 * y * image->width * 4 + x / 4 * 8 + x % 4;
			const uint8_t *below = at + (size_t)image->width * 4;
			*to++ = (uint8_t)((at[0] + at[4] + below[0] + below[4] + 2) / 4);
		}
	}
	return half;
}

static uint8_t over(uint8_t color, uint8_t behind, float alpha)
{
	float front = lrd_srgb_to_linear((float)color / 255.0f), back = lrd_srgb_to_linear((float)behind / 255.0f);
	return (uint8_t)(255.0f * lrd_linear_to_srgb(front * alpha + back * (1.0f - alpha)) + 0.5f);
}

typedef struct sheet
{
	uint32_t width, height;
	uint8_t *rgba;
	bool tested; // alpha is tested against the cutoff, not blended
} sheet;

static sheet make_sheet(bool tested)
{
	sheet picture = { LEVELS * (TILE + GAP) + GAP, 2 * (TILE + GAP) + GAP, NULL, tested };
	picture.rgba = malloc((size_t)picture.width * picture.height * 4);
	if (picture.rgba == NULL)
	{
		stop("out of memory");
	}
	memset(picture.rgba, 255, (size_t)picture.width * picture.height * 4);
	return picture;
}

static void draw_level(sheet *picture, uint32_t column, uint32_t row, const uint8_t *texels, uint32_t side)
{
	static const uint8_t behind[3] = { 214, 222, 235 };
	for (uint32_t i = 0; i < TILE * TILE; i++)
	{
		uint32_t x = i % TILE, y = i / TILE;
		const uint8_t *texel = texels + 4 * (size_t)(y * side / TILE * side + x * side / TILE);
		float alpha = (float)texel[3] / 255.0f;
		alpha = picture->tested ? (alpha >= CUTOFF ? 1.0f : 0.0f) : alpha;
		uint32_t at_x = GAP + column * (TILE + GAP) + x, at_y = GAP + row * (TILE + GAP) + y;
		uint8_t *to = picture->rgba + 4 * (size_t)(at_y * picture->width + at_x);
		for (size_t channel = 0; channel < 3; channel++)
		{
			to[channel] = over(texel[channel], behind[channel], alpha);
		}
	}
}

static void write_sheet(const sheet *picture, const char *folder, const char *name)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	lrd_buffer png = { 0 };
	lrd_error error;
	FILE *file = fopen(path, "wb");
	if (file == NULL || !lrd_image_write_png(picture->width, picture->height, picture->rgba, &png, &error) ||
		fwrite(png.data, 1, png.size, file) != png.size || fclose(file) != 0)
	{
		stop("a picture can't be written");
	}
	lrd_buffer_free(&png);
}

static void show(lrd_image image, bool tested, const char *folder, const char *name)
{
	lrd_mips mips;
	lrd_error error;
	lrd_mips_desc desc = { .image = &image, .alpha_weighted = true, .alpha_coverage = tested ? CUTOFF : 0.0f };
	if (!lrd_mips_make(&desc, &mips, &error))
	{
		stop(error.message);
	}
	sheet picture = make_sheet(tested);
	for (uint32_t level = 0; level < LEVELS; level++)
	{
		draw_level(&picture, level, 0, mips.levels[level].data, mips.levels[level].width);
		draw_level(&picture, level, 1, image.pixels, image.width);
		lrd_image half = plain_half(&image);
		lrd_image_free(&image);
		image = half;
	}
	write_sheet(&picture, folder, name);
	free(picture.rgba);
	lrd_image_free(&image);
	lrd_mips_free(&mips);
}

int main(int count, char **arguments)
{
	if (count != 2)
	{
		stop("expected one argument, the folder to write to");
	}
	show(make_foliage(), true, arguments[1], "mips-foliage.png");
	show(make_star(), false, arguments[1], "mips-fringe.png");
	return 0;
}
