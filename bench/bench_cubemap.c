// Cubemaps of a made-up sky: faces from a panorama of 2048 x 1024, levels for glossy reflections, spherical harmonics;
// and comparing images. The levels' peer is the textbook's filtered importance sampling in the same run: 512 Hammersley
// directions a texel, each a linear lookup in the mip level whose texels are as large as its share (GPU Gems 3, chapter
// 20). Both are held against the integral in double; the error is root mean square over texels of every level.

#define _POSIX_C_SOURCE 200809L

#include "bench.h"
#include "image/compare.h"
#include "image/harmonics.h"

#include <math.h>
#include <stdint.h>

#define PI 3.14159265358979323846
#define SAMPLES 512u
#define RUNS 3

static lrd_image make_sky(uint32_t width)
{
	lrd_image image = { .width = width, .height = width / 2, .type = LRD_PIXEL_F32, .linear = true };
	image.size = (size_t)width * width / 2 * 16;
	image.pixels = malloc(image.size);
	float *texel = image.pixels;
	if (texel == NULL)
	{
		bench_stop("bench_cubemap: out of memory");
	}
	for (uint32_t i = 0; i < width * width / 2; i++, texel += 4)
	{
		double u = (double)(i % width) / width * 2 * PI;
		double v = (double)(i / width) / width * 2 * PI;
		double detail = sin(u * 40) * sin(v * 30) * 0.2 + sin(u * 3 + v * 5) * 0.3;
		double from_sun = hypot((u - 2) * sin(v), v - 0.8);
		float light = (float)(0.6 + detail + (v < PI / 2 ? 0.5 : 0) + (from_sun < 0.02 ? 20000 : 0));
		texel[0] = light;
		texel[1] = light * 0.9f;
		texel[2] = light * (v < PI / 2 ? 1.2f : 0.7f);
		texel[3] = 1.0f;
	}
	return image;
}

static double radical_inverse(uint32_t bits)
{
	bits = bits << 16 | bits >> 16;
	bits = (bits & 0x55555555u) << 1 | (bits & 0xaaaaaaaau) >> 1;
	bits = (bits & 0x33333333u) << 2 | (bits & 0xccccccccu) >> 2;
	bits = (bits & 0x0f0f0f0fu) << 4 | (bits & 0xf0f0f0f0u) >> 4;
	bits = (bits & 0x00ff00ffu) << 8 | (bits & 0xff00ff00u) >> 8;
	return bits * 0x1p-32;
}

typedef struct sample
{
	float x, y, z;
	uint32_t mip;
} sample;

static uint32_t draw_samples(double roughness, uint32_t face_size, uint32_t mip_count, sample *samples)
{
	double alpha_squared = pow(roughness, 4);
	uint32_t count = 0;
	for (uint32_t i = 0; i < SAMPLES; i++)
	{
		double share = (i + 0.5) / SAMPLES;
		double turn = 2 * PI * radical_inverse(i);
		double cosine_squared = (1 - share) / (1 + (alpha_squared - 1) * share);
		double z = 2 * cosine_squared - 1;
		if (z <= 0)
		{
			continue;
		}
		double spread = cosine_squared * (alpha_squared - 1) + 1;
		double solid_angle = 4 * PI * spread * spread / alpha_squared / SAMPLES;
		double level = 0.5 * log2(solid_angle / (4 * PI / 6 / face_size / face_size));
		double away = sqrt(1 - z * z);
		uint32_t mip = level > 0 ? (uint32_t)(level + 0.5) : 0;
		samples[count++] = (sample){ (float)(away * cos(turn)), (float)(away * sin(turn)), (float)z,
			mip < mip_count ? mip : mip_count - 1 };
	}
	return count;
}

// Linear within a face.
static void look_up(const lrd_cube *cube, const float at[3], float weight, float sum[4])
{
	float x = fabsf(at[0]), y = fabsf(at[1]), z = fabsf(at[2]);
	uint32_t face = x >= y && x >= z ? (at[0] < 0 ? 1 : 0) : y >= z ? (at[1] < 0 ? 3 : 2) : (at[2] < 0 ? 5 : 4);
	float ma = face < 2 ? x : face < 4 ? y : z;
	float sc = face == 0 ? -at[2] : face == 1 ? at[2] : face == 5 ? -at[0] : at[0];
	float tc = face == 2 ? at[2] : face == 3 ? -at[2] : -at[1];
	float most = (float)(cube->face_size - 1);
	float across = fminf(fmaxf((sc / ma + 1) * 0.5f * (float)cube->face_size - 0.5f, 0), most);
	float down = fminf(fmaxf((tc / ma + 1) * 0.5f * (float)cube->face_size - 0.5f, 0), most);
	uint32_t left = (uint32_t)across, top = (uint32_t)down;
	uint32_t right = left + 1 < cube->face_size ? 4 : 0;
	size_t below = top + 1 < cube->face_size ? (size_t)4 * cube->face_size : 0;
	float share_x = across - (float)left, share_y = down - (float)top;
	const float *texel = lrd_cube_face(cube, face) + 4 * ((size_t)top * cube->face_size + left);
	for (size_t channel = 0; channel < 4; channel++, texel++)
	{
		float upper = texel[0] + (texel[right] - texel[0]) * share_x;
		float lower = texel[below] + (texel[below + right] - texel[below]) * share_x;
		sum[channel] += (upper + (lower - upper) * share_y) * weight;
	}
}

static void textbook_texel(const lrd_cube *mips, const sample *samples, uint32_t count, const double n[3], float *texel)
{
	double up[3] = { fabs(n[1]) < 0.9 ? 0 : 1, fabs(n[1]) < 0.9 ? 1 : 0, 0 };
	double t[3] = { up[1] * n[2] - up[2] * n[1], up[2] * n[0] - up[0] * n[2], up[0] * n[1] - up[1] * n[0] };
	double scale = 1 / sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
	float axes[3][3];
	for (size_t k = 0; k < 3; k++)
	{
		size_t next = (k + 1) % 3, last = (k + 2) % 3;
		axes[0][k] = (float)(t[k] * scale);
		axes[1][k] = (float)((n[next] * t[last] - n[last] * t[next]) * scale);
		axes[2][k] = (float)n[k];
	}
	float sum[4] = { 0 };
	float weight = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		const sample *s = samples + i;
		float at[3];
		for (size_t k = 0; k < 3; k++)
		{
			at[k] = axes[0][k] * s->x + axes[1][k] * s->y + axes[2][k] * s->z;
		}
		look_up(&mips[s->mip], at, s->z, sum);
		weight += s->z;
	}
	for (size_t k = 0; k < 4; k++)
	{
		texel[k] = sum[k] / weight;
	}
}

static void textbook(const lrd_cube *mips, uint32_t level_count, lrd_cube *levels)
{
	for (uint32_t level = 1; level < level_count; level++)
	{
		sample samples[SAMPLES];
		uint32_t count = draw_samples((double)level / (level_count - 1), mips[0].face_size, level_count, samples);
		uint32_t size = levels[level].face_size;
		for (uint32_t i = 0; i < 6 * size * size; i++)
		{
			double normal[3];
			lrd_cube_direction(i / (size * size), (i % size + 0.5) / size, (i / size % size + 0.5) / size, normal);
			textbook_texel(mips, samples, count, normal, levels[level].texels + (size_t)4 * i);
		}
	}
}

static double integrate(const lrd_cube *cube, const double normal[3], double roughness)
{
	double alpha_squared = pow(roughness, 4), weights = 0, sum = 0;
	uint32_t size = cube->face_size;
	for (uint32_t i = 0; i < 6 * size * size; i++)
	{
		double at[3];
		lrd_cube_direction(i / (size * size), (i % size + 0.5) / size, (i / size % size + 0.5) / size, at);
		double cosine = normal[0] * at[0] + normal[1] * at[1] + normal[2] * at[2];
		double x = (i % size + 0.5) / size * 2 - 1, y = (i / size % size + 0.5) / size * 2 - 1;
		double spread = (1 + cosine) / 2 * (alpha_squared - 1) + 1;
		double weight = cosine > 0 ? cosine / (spread * spread) * pow(1 + x * x + y * y, -1.5) : 0;
		weights += weight;
		sum += weight * (double)cube->texels[(size_t)4 * i];
	}
	return sum / weights;
}

// Root mean square, relative, over 8 texels of each level.
static double error_of(const lrd_cube *cube, const lrd_cube *levels, uint32_t level_count)
{
	double squares = 0;
	for (uint32_t k = 0; k < 8 * (level_count - 1); k++)
	{
		uint32_t level = 1 + k / 8;
		uint32_t size = levels[level].face_size;
		uint32_t i = (k * 2654435761u >> 8) % (6 * size * size);
		double normal[3];
		lrd_cube_direction(i / (size * size), (i % size + 0.5) / size, (i / size % size + 0.5) / size, normal);
		double expected = integrate(cube, normal, (double)level / (level_count - 1));
		double off = (double)levels[level].texels[(size_t)4 * i] / expected - 1;
		squares += off * off;
	}
	return sqrt(squares / (8 * (level_count - 1)));
}

static void measure_cube(const lrd_image *sky, uint32_t size)
{
	lrd_cube mips[LRD_CUBE_LEVELS_MAX], levels[LRD_CUBE_LEVELS_MAX];
	uint32_t level_count = lrd_cube_level_count(size);
	double faces = 1e9, filtered = 1e9, peer = 1e9, projected = 1e9, ours_off = 0, peer_off = 0;
	for (size_t run = 0; run < RUNS; run++)
	{
		double start = bench_now();
		lrd_error error = { 0 };
		lrd_cube_desc desc = { .images = sky, .image_count = 1, .face_size = size };
		if (!lrd_cube_make(&desc, &mips[0], &error))
		{
			bench_stop(error.message);
		}
		faces = fmin(faces, bench_now() - start);
		start = bench_now();
		lrd_harmonics harmonics;
		lrd_harmonics_of(&mips[0], &harmonics);
		projected = fmin(projected, bench_now() - start);
		start = bench_now();
		if (!lrd_cube_prefilter(&mips[0], level_count, LRD_ISA_BEST, (lrd_allocator){ 0 }, levels, &error))
		{
			bench_stop(error.message);
		}
		filtered = fmin(filtered, bench_now() - start);
		ours_off = run == 0 ? error_of(&mips[0], levels, level_count) : ours_off;
		start = bench_now();
		if (!lrd_cube_mips(&mips[0], level_count, (lrd_allocator){ 0 }, mips, &error))
		{
			bench_stop(error.message);
		}
		textbook(mips, level_count, levels);
		peer = fmin(peer, bench_now() - start);
		peer_off = run == 0 ? error_of(&mips[0], levels, level_count) : peer_off;
		lrd_cube_free(&mips[0]);
		for (uint32_t level = 1; level < level_count; level++)
		{
			lrd_cube_free(&mips[level]);
			lrd_cube_free(&levels[level]);
		}
	}
	printf("%4u faces: panorama %33.1f ms\n", size, faces * 1e3);
	printf("%4u faces: spherical harmonics %22.1f ms\n", size, projected * 1e3);
	printf("%4u faces: levels, textbook %25.1f ms %8.2f %% off\n", size, peer * 1e3, peer_off * 100);
	printf("%4u faces: levels, larder %27.1f ms %8.2f %% off %6.1f x\n", size, filtered * 1e3, ours_off * 100,
		peer / filtered);
}

static double time_compare(const lrd_compare_desc *desc)
{
	double least = 1e9;
	for (size_t run = 0; run < BENCH_RUNS; run++)
	{
		lrd_comparison result;
		lrd_error error = { 0 };
		double start = bench_now();
		if (!lrd_compare(desc, &result, &error))
		{
			bench_stop(error.message);
		}
		least = fmin(least, bench_now() - start);
	}
	return least;
}

static void measure_compare(uint32_t side)
{
	size_t texels = (size_t)side * side;
	uint8_t *a = malloc(4 * texels), *b = malloc(4 * texels);
	if (a == NULL || b == NULL)
	{
		bench_stop("bench_cubemap: out of memory");
	}
	for (size_t i = 0; i < 4 * texels; i++)
	{
		a[i] = (uint8_t)(i * i >> 9);
		b[i] = (uint8_t)(a[i] + i % 3);
	}
	double copied = 1e9, summed = 1e9;
	uint64_t sums[4] = { 0 }, total = 0;
	for (size_t run = 0; run < BENCH_RUNS; run++)
	{
		double start = bench_now();
		lrd_compare_unorm8(a, b, texels, sums);
		summed = fmin(summed, bench_now() - start);
		total += sums[0];
	}
	lrd_image images[2] = { { .width = side, .height = side, .pixels = a, .size = 4 * texels },
		{ .width = side, .height = side, .pixels = b, .size = 4 * texels } };
	lrd_compare_desc desc = { .reference = &images[0], .image = &images[1], .isa = LRD_ISA_PORTABLE };
	double portable = time_compare(&desc);
	desc.isa = LRD_ISA_BEST;
	double best = time_compare(&desc);
	for (size_t run = 0; run < BENCH_RUNS; run++)
	{
		double start = bench_now();
		bench_copy(b, a, 4 * texels);
		copied = fmin(copied, bench_now() - start);
	}
	double mpix = (double)texels * 1e-6;
	printf("compare %u square: memcpy %26.1f MPix/s\n", side, mpix / copied);
	printf("compare %u square: sums of squares %17.1f MPix/s %13.2f x\n", side, mpix / summed, copied / summed);
	printf("compare %u square: all with SSIM, portable %9.1f MPix/s\n", side, mpix / portable);
	printf("compare %u square: all with SSIM, %-7s %10.1f MPix/s %13.2f x\n", side,
		lrd_isa_name(lrd_isa_choose(LRD_ISA_BEST)), mpix / best, portable / best);
	free(a);
	free(b);
	if (total == 0)
	{
		bench_stop("bench_cubemap: images that differ were found equal");
	}
}

int main(void)
{
	lrd_image sky = make_sky(2048);
	measure_cube(&sky, 128);
	measure_cube(&sky, 256);
	free(sky.pixels);
	measure_compare(1024);
	return 0;
}
