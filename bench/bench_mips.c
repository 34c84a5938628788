// Mip chains of a 4096 square beside stb_image_resize's, made level by level from the level before, and beside a memcpy
// of the image; and how far both are from a chain in double precision. One thread, the least of some runs of processor
// time.

#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include "fixtures/mip_reference.h"

#include <stb/stb_image_resize.h>

#define SIDE 4096u
#define ERROR_SIDE 1024u
#define RUNS 5

static uint32_t noise(uint32_t seed)
{
	seed = (seed ^ 61u) ^ (seed >> 16);
	seed *= 9u;
	seed ^= seed >> 4;
	seed *= 0x27d4eb2du;
	return seed ^ seed >> 15;
}

static uint8_t code_of(double value)
{
	return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

// Soft shapes, edges and grain; alpha has holes and soft rims.
static lrd_image make_image(uint32_t side)
{
	lrd_image image = { .width = side, .height = side, .size = (size_t)side * side * 4, .has_alpha = true };
	image.pixels = malloc(image.size);
	if (image.pixels == NULL)
	{
		bench_stop("out of memory");
	}
	uint8_t *texel = image.pixels;
	double scale = 1024.0 / side;
	for (uint32_t y = 0; y < side; y++)
	{
		for (uint32_t x = 0; x < side; x++, texel += 4)
		{
			double u = x * scale, v = y * scale;
			double soft = sin(u * 0.013 + sin(v * 0.021) * 3) + sin(v * 0.037 - u * 0.011);
			double edge = sin(u * 0.11 + v * 0.07 + soft) > 0.3 ? 60 : -20;
			double grain = noise(x * 7919u + y * 104729u) % 64u;
			texel[0] = code_of(110 + 50 * soft + edge + grain);
			texel[1] = code_of(90 - 40 * soft + edge + grain);
			texel[2] = code_of(70 + 30 * sin(v * 0.05) - edge + grain);
			texel[3] = code_of(400 * (soft + 0.5));
		}
	}
	return image;
}

static double least_of(double *seconds)
{
	double least = seconds[0];
	for (size_t i = 1; i < RUNS; i++)
	{
		least = seconds[i] < least ? seconds[i] : least;
	}
	return least;
}

static double time_chain(lrd_mips_desc desc)
{
	double seconds[RUNS];
	for (size_t run = 0; run < RUNS; run++)
	{
		lrd_mips mips;
		lrd_error error;
		double begin = bench_now();
		if (!lrd_mips_make(&desc, &mips, &error))
		{
			bench_stop(error.message);
		}
		seconds[run] = bench_now() - begin;
		lrd_mips_free(&mips);
	}
	return least_of(seconds);
}

// Levels 1 and on, each of the rounded one before, as users of the library make them.
static double make_stb(const lrd_image *image, bool box, uint8_t **levels)
{
	double begin = bench_now();
	const uint8_t *from = image->pixels;
	int side = (int)image->width;
	for (uint32_t level = 1; side > 1; level++, side /= 2)
	{
		uint8_t *to = levels[level] = malloc((size_t)side * (size_t)side);
		int half = side / 2;
		bool made = to != NULL && (box ? stbir_resize_uint8_generic(from, side, side, 0, to, half, half, 0, 4, 3, 0,
											 STBIR_EDGE_CLAMP, STBIR_FILTER_BOX, STBIR_COLORSPACE_SRGB, NULL)
									   : stbir_resize_uint8_srgb(from, side, side, 0, to, half, half, 0, 4, 3, 0));
		if (!made)
		{
			bench_stop("stb_image_resize failed");
		}
		from = to;
	}
	return bench_now() - begin;
}

static double time_stb(const lrd_image *image, bool box)
{
	double seconds[RUNS];
	for (size_t run = 0; run < RUNS; run++)
	{
		uint8_t *levels[LRD_MIPS_MAX] = { 0 };
		seconds[run] = make_stb(image, box, levels);
		for (size_t i = 0; i < LRD_MIPS_MAX; i++)
		{
			free(levels[i]);
		}
	}
	return least_of(seconds);
}

static double time_memcpy(const lrd_image *image)
{
	double seconds[RUNS];
	for (size_t run = 0; run < RUNS; run++)
	{
		double begin = bench_now();
		void *copy = malloc(image->size);
		if (copy == NULL)
		{
			bench_stop("out of memory");
		}
		bench_copy(copy, image->pixels, image->size);
		seconds[run] = bench_now() - begin;
		free(copy);
	}
	return least_of(seconds);
}

static void print_time(const char *name, double seconds, double peer)
{
	printf("%-46s %8.1f ms %8.0f MPix/s %7.1f x\n", name, seconds * 1e3, SIDE * (double)SIDE / seconds * 1e-6,
		peer / seconds);
}

static void print_times(const lrd_image *image)
{
	lrd_image alpha_free = *image;
	lrd_image normals = { .width = SIDE, .height = SIDE, .size = image->size, .pixels = malloc(image->size) };
	if (normals.pixels == NULL)
	{
		bench_stop("out of memory");
	}
	uint8_t *to = normals.pixels;
	const uint8_t *from = image->pixels;
	for (size_t i = 0; i < image->size; i += 4)
	{
		to[i] = (uint8_t)(96 + from[i] / 4);
		to[i + 1] = (uint8_t)(96 + from[i + 1] / 4);
		to[i + 2] = 250;
		to[i + 3] = 255;
	}
	double peer = time_stb(image, false);
	printf("%u x %u RGBA, sRGB, all levels; the ratio is to stb_image_resize as it comes\n", SIDE, SIDE);
	print_time("stb_image_resize, alpha-weighted (Mitchell)", peer, peer);
	print_time("stb_image_resize, alpha-weighted, box", time_stb(image, true), peer);
	print_time("memcpy of level 0", time_memcpy(image), peer);
	lrd_mips_desc box = { .image = image, .filter = LRD_MIP_FILTER_BOX, .alpha_weighted = true };
	print_time("larder, alpha-weighted, box", time_chain(box), peer);
	static const char *const names[] = { "", "  portable", "  SSE4.1", "  AVX2", "  AVX-512" };
	for (lrd_isa isa = LRD_ISA_PORTABLE; isa < LRD_ISA_COUNT; isa++)
	{
		if (lrd_isa_is_here(isa))
		{
			lrd_mips_desc desc = box;
			desc.isa = isa;
			print_time(names[isa], time_chain(desc), peer);
		}
	}
	lrd_mips_desc borrowed = box;
	borrowed.borrow_image = true;
	print_time("larder, alpha-weighted, box, level 0 borrowed", time_chain(borrowed), peer);
	print_time(
		"larder, opaque, box", time_chain((lrd_mips_desc){ .image = &alpha_free, .filter = LRD_MIP_FILTER_BOX }), peer);
	print_time("larder, opaque, sinc", time_chain((lrd_mips_desc){ .image = &alpha_free }), peer);
	print_time("larder, opaque, sinc, level 0 borrowed",
		time_chain((lrd_mips_desc){ .image = &alpha_free, .borrow_image = true }), peer);
	print_time("larder, alpha-weighted, sinc",
		time_chain((lrd_mips_desc){ .image = image, .filter = LRD_MIP_FILTER_SINC, .alpha_weighted = true }), peer);
	print_time("larder, alpha-weighted, coverage kept",
		time_chain((lrd_mips_desc){ .image = image, .alpha_weighted = true, .alpha_coverage = 0.5f }), peer);
	print_time("larder, normals", time_chain((lrd_mips_desc){ .image = &normals, .content = LRD_MIP_NORMAL }), peer);
	print_time("larder, normals of two channels",
		time_chain((lrd_mips_desc){ .image = &normals, .content = LRD_MIP_NORMAL, .two_channel = true }), peer);
	print_time("larder, roughness raised by normals",
		time_chain((lrd_mips_desc){ .image = image, .content = LRD_MIP_DATA, .roughness_normals = &normals }), peer);
	free(normals.pixels);
}

typedef struct error_sum
{
	double squares, max;
	size_t count;
} error_sum;

// Colours count where they show.
static void add_errors(error_sum *sum, const mip_reference *reference, const uint8_t *texels)
{
	size_t count = (size_t)reference->width * reference->height;
	for (size_t i = 0; i < 4 * count; i++)
	{
		if (i % 4 != 3 && reference->texels[i / 4 * 4 + 3] < 0.5 / 255)
		{
			continue;
		}
		double error = fabs(texels[i] - mip_reference_code(reference, i / 4, i % 4, true, true));
		sum->squares += error * error;
		sum->max = error > sum->max ? error : sum->max;
		sum->count++;
	}
}

static void print_error(const char *name, const error_sum *sum)
{
	printf("%-46s %8.2f dB, at most %.3f of a code\n", name, 10 * log10(255 * 255 * (double)sum->count / sum->squares),
		sum->max);
}

static void print_errors(void)
{
	lrd_image image = make_image(ERROR_SIDE);
	lrd_mips box, sinc;
	lrd_mips_desc desc = { .image = &image, .filter = LRD_MIP_FILTER_BOX, .alpha_weighted = true };
	bool made = lrd_mips_make(&desc, &box, NULL);
	// A sinc's colours beside holes are the box's on purpose: an image without any.
	lrd_image opaque = make_image(ERROR_SIDE);
	for (size_t i = 3; i < opaque.size; i += 4)
	{
		((uint8_t *)opaque.pixels)[i] = 255;
	}
	desc = (lrd_mips_desc){ .image = &opaque };
	made = made && lrd_mips_make(&desc, &sinc, NULL);
	if (!made)
	{
		bench_stop("out of memory");
	}
	uint8_t *stb[LRD_MIPS_MAX] = { 0 };
	make_stb(&image, true, stb);
	error_sum ours = { 0 }, theirs = { 0 }, ours_sinc = { 0 };
	mip_reference level = mip_reference_load(&image, true, true);
	mip_reference level_sinc = mip_reference_load(&opaque, true, false);
	for (uint32_t i = 1; i < box.level_count; i++)
	{
		mip_reference next = mip_reference_halve(&level, LRD_MIP_FILTER_BOX, 0, 0);
		mip_reference next_sinc = mip_reference_halve(&level_sinc, LRD_MIP_FILTER_SINC, 0, 0);
		free(level.texels);
		free(level_sinc.texels);
		level = next;
		level_sinc = next_sinc;
		add_errors(&ours, &level, box.levels[i].data);
		add_errors(&theirs, &level, stb[i]);
		size_t count = (size_t)level_sinc.width * level_sinc.height;
		for (size_t at = 0; at < count; at++)
		{
			level_sinc.texels[4 * at + 3] = 1;
		}
		add_errors(&ours_sinc, &level_sinc, sinc.levels[i].data);
		free(stb[i]);
	}
	printf("\nerror of all levels of a %u square against double precision (rounding alone is 58.92 dB, 0.5)\n",
		ERROR_SIDE);
	print_error("stb_image_resize, alpha-weighted, box", &theirs);
	print_error("larder, alpha-weighted, box", &ours);
	print_error("larder, opaque, sinc", &ours_sinc);
	free(level.texels);
	free(level_sinc.texels);
	lrd_mips_free(&box);
	lrd_mips_free(&sinc);
	free(image.pixels);
	free(opaque.pixels);
}

int main(void)
{
	lrd_image image = make_image(SIDE);
	print_times(&image);
	free(image.pixels);
	print_errors();
	return 0;
}
