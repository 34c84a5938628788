// BC6H: speed against error for each preset, a peer beside it in the same run.
//
//   bench_bc6h [PICTURE.hdr|PICTURE.exr...]
//
// Without pictures: a painted sky. Speed is texels over processor time of one thread, the best of several runs. What
// was encoded is decoded again by block/block.h. Errors, in decibels of red, green and blue:
//   halves  of halves taken as integers, the largest half being the peak: what encoders minimise (src/block/bc6h.h)
//   log2    of log2(1 + x), the picture's largest being the peak
//   mPSNR   of the picture as an 8-bit screen shows it (gamma 2.2) at exposures of -8, -6 ... +4 stops
//           (Munkberg et al., "High Dynamic Range Texture Compression for Graphics Hardware", 2006)
//
// LARDER_BENCH_BC6H names a program to run beside it, once a preset:
//   PROGRAM PRESET WIDTH HEIGHT IN OUT
// with PRESET 0, 1, 2 and so on until it fails; IN holds RGBA half floats, OUT takes the blocks of the unsigned format,
// and it prints a line "seconds S", of encoding alone. Where a preset of ours is better than all of its, the speed is
// compared with its best one; else with its fastest that is as good.

#define _DEFAULT_SOURCE

#include "bench.h"
#include "block/block.h"
#include "block/encode.h"
#include "image/half.h"
#include "image/image.h"
#include "os/os.h"

#include <math.h>
#include <unistd.h>

#define PRESETS_MAX 8

typedef struct bench_hdr
{
	char name[24];
	uint32_t width, height; ///< multiples of 4
	uint16_t *halves;       ///< RGBA, malloc
} bench_hdr;

typedef struct bench_outcome
{
	char name[24];
	double mpix;                  ///< million texels a second
	double halves, log2, screens; ///< dB
} bench_outcome;

static uint8_t *allocate(size_t size)
{
	uint8_t *memory = malloc(size);
	if (memory == NULL)
	{
		bench_stop("out of memory");
	}
	return memory;
}

static double decibels(double peak, double squares, double count)
{
	return squares == 0 ? 99.0 : 10.0 * log10(peak * peak * count / squares);
}

static double on_screen(double value, int stops)
{
	return floor(fmin(255.0, 255.0 * pow(fmax(value, 0) * exp2(stops), 1 / 2.2)) + 0.5);
}

typedef struct bench_sums
{
	double halves, log2, screens, peak;
} bench_sums;

static void compare_channel(uint16_t a, uint16_t b, bench_sums *sums)
{
	double steps = (double)a - (double)b; // none is negative
	sums->halves += steps * steps;
	double x = (double)lrd_float_from_half(a), y = (double)lrd_float_from_half(b);
	double stops = log2(1 + x) - log2(1 + y);
	sums->log2 += stops * stops;
	sums->peak = fmax(sums->peak, log2(1 + x));
	for (int exposure = -8; exposure <= 4; exposure += 2)
	{
		double shade = on_screen(x, exposure) - on_screen(y, exposure);
		sums->screens += shade * shade;
	}
}

static void compare(const bench_hdr *picture, const uint8_t *blocks, bench_outcome *outcome)
{
	bench_sums sums = { 0 };
	for (uint32_t y = 0; y < picture->height; y += 4)
	{
		for (uint32_t x = 0; x < picture->width; x += 4)
		{
			uint16_t texels[64];
			lrd_block_decode_half(
				LRD_BLOCK_BC6H_UFLOAT, blocks + ((size_t)(y / 4) * (picture->width / 4) + x / 4) * 16, texels);
			for (uint32_t i = 0; i < 64; ++i)
			{
				size_t at = ((size_t)(y + i / 16) * picture->width + x + i / 4 % 4) * 4 + i % 4;
				if (i % 4 != 3)
				{
					compare_channel(picture->halves[at], texels[i], &sums);
				}
			}
		}
	}
	double count = (double)picture->width * (double)picture->height * 3;
	outcome->halves = decibels(31743, sums.halves, count);
	outcome->log2 = decibels(sums.peak, sums.log2, count);
	outcome->screens = decibels(255, sums.screens, count * 7);
}

static void print_row(const bench_hdr *picture, const bench_outcome *outcome)
{
	printf("%-12s %-14s %9.2f %9.3f %9.3f %8.2f", picture->name, outcome->name, outcome->mpix, outcome->halves,
		outcome->log2, outcome->screens);
}

static bench_outcome measure(const bench_hdr *picture, lrd_block_quality quality, const char *name)
{
	bench_outcome outcome = { 0 };
	snprintf(outcome.name, sizeof outcome.name, "%s", name);
	lrd_block_encode_desc desc = { .format = LRD_BLOCK_BC6H_UFLOAT,
		.quality = quality,
		.pixels = picture->halves,
		.row_bytes = (size_t)picture->width * 8,
		.width = picture->width,
		.height = picture->height };
	uint32_t rows = lrd_block_rows(picture->height);
	uint8_t *blocks = allocate(lrd_block_row_bytes(desc.format, desc.width) * rows);
	double spent = 0;
	for (int run = 0; run < BENCH_RUNS && (run < 2 || spent < 1.0); ++run)
	{
		double start = bench_now();
		lrd_block_encode(&desc, 0, rows, blocks);
		double seconds = bench_now() - start;
		spent += seconds;
		outcome.mpix = fmax(outcome.mpix, (double)picture->width * (double)picture->height / seconds * 1e-6);
	}
	compare(picture, blocks, &outcome);
	free(blocks);
	return outcome;
}

static bool run_peer(const bench_hdr *picture, const char *program, int preset, const char *folder, bench_outcome *peer)
{
	char command[1024], text[4096];
	snprintf(command, sizeof command, "%s %d %u %u %s/picture %s/blocks 2>&1", program, preset, picture->width,
		picture->height, folder, folder);
	FILE *pipe = popen(command, "r");
	size_t size = pipe == NULL ? 0 : fread(text, 1, sizeof text - 1, pipe);
	text[size] = 0;
	const char *said = strstr(text, "seconds ");
	if (pipe == NULL || pclose(pipe) != 0 || said == NULL)
	{
		return false;
	}
	double seconds = strtod(said + strlen("seconds "), NULL);
	lrd_buffer blocks = { 0 };
	lrd_error error;
	char path[64];
	snprintf(path, sizeof path, "%s/blocks", folder);
	if (seconds <= 0 || !lrd_file_read(path, &blocks, &error) ||
		blocks.size != (size_t)picture->width * picture->height)
	{
		bench_stop("bench_bc6h: the peer's blocks can't be read");
	}
	snprintf(peer->name, sizeof peer->name, "peer %d", preset);
	peer->mpix = (double)picture->width * (double)picture->height / seconds * 1e-6;
	compare(picture, blocks.data, peer);
	lrd_buffer_free(&blocks);
	return true;
}

/// Returns how many presets it has.
static int run_peers(const bench_hdr *picture, bench_outcome peers[PRESETS_MAX])
{
	const char *program = getenv("LARDER_BENCH_BC6H");
	char folder[] = "/tmp/larder_bench_XXXXXX";
	if (program == NULL || mkdtemp(folder) == NULL)
	{
		return 0;
	}
	char path[64], command[96];
	lrd_error error;
	snprintf(path, sizeof path, "%s/picture", folder);
	if (!lrd_file_write(path, picture->halves, (size_t)picture->width * picture->height * 8, &error))
	{
		bench_stop(error.message);
	}
	int count = 0;
	while (count < PRESETS_MAX && run_peer(picture, program, count, folder, &peers[count]))
	{
		print_row(picture, &peers[count++]);
		printf("\n");
	}
	snprintf(command, sizeof command, "rm -r %s", folder);
	if (system(command) != 0)
	{
		bench_stop("bench_bc6h: the peer's folder can't be removed");
	}
	return count;
}

/// The fastest that is as good, or the best. NULL where there is none.
static const bench_outcome *rival(const bench_outcome *own, const bench_outcome *peers, int count)
{
	const bench_outcome *best = NULL, *fastest = NULL;
	for (int i = 0; i < count; ++i)
	{
		best = best == NULL || peers[i].halves > best->halves ? &peers[i] : best;
		bool good = peers[i].halves >= own->halves;
		fastest = good && (fastest == NULL || peers[i].mpix > fastest->mpix) ? &peers[i] : fastest;
	}
	return fastest != NULL ? fastest : best;
}

static void bench_picture(const bench_hdr *picture)
{
	static const struct
	{
		const char *name;
		lrd_block_quality quality;
	} presets[] = { { "fast", LRD_BLOCK_FAST }, { "normal", LRD_BLOCK_NORMAL }, { "best", LRD_BLOCK_BEST } };
	bench_outcome peers[PRESETS_MAX];
	int peer_count = run_peers(picture, peers);
	for (size_t i = 0; i < sizeof presets / sizeof *presets; ++i)
	{
		bench_outcome own = measure(picture, presets[i].quality, presets[i].name);
		print_row(picture, &own);
		const bench_outcome *peer = rival(&own, peers, peer_count);
		if (peer != NULL)
		{
			printf(" %8.2f x %s, %+.2f dB", own.mpix / peer->mpix, peer->name, own.halves - peer->halves);
		}
		printf("\n");
		fflush(stdout);
	}
}

static bench_hdr load_picture(const char *path)
{
	lrd_buffer file = { 0 };
	lrd_image image;
	lrd_error error;
	if (!lrd_file_read(path, &file, &error) ||
		!lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { file.data, file.size } }, &image, &error))
	{
		bench_stop(error.message);
	}
	if (image.type != LRD_PIXEL_F32)
	{
		bench_stop("bench_bc6h: pictures of floats only");
	}
	bench_hdr picture = { .width = image.width & ~3u, .height = image.height & ~3u };
	const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
	snprintf(picture.name, sizeof picture.name, "%.*s", (int)(strcspn(name, ".") < 12 ? strcspn(name, ".") : 12), name);
	picture.halves = (uint16_t *)(void *)allocate((size_t)picture.width * picture.height * 8);
	for (uint32_t y = 0; y < picture.height; ++y)
	{
		const float *row = (const float *)image.pixels + (size_t)y * image.width * 4;
		for (uint32_t i = 0; i < picture.width * 4; ++i)
		{
			picture.halves[(size_t)y * picture.width * 4 + i] =
				lrd_half_from_float(fminf(fmaxf(row[i], 0), LRD_HALF_MAX));
		}
	}
	lrd_image_free(&image);
	lrd_buffer_free(&file);
	return picture;
}

/// A sky with clouds of noise in octaves, a sun, and a dark ground.
static bench_hdr paint_sky(void)
{
	bench_hdr picture = { .name = "sky", .width = 1024, .height = 512 };
	picture.halves = (uint16_t *)(void *)allocate((size_t)picture.width * picture.height * 8);
	for (uint32_t i = 0; i < picture.width * picture.height; ++i)
	{
		float x = (float)(i % picture.width) / 512.0f, y = (float)(i / picture.width) / 512.0f; // 0..2, 0..1
		float cloud = 0;
		for (int octave = 0; octave < 7; ++octave)
		{
			float scale = (float)(3 << octave), turn = 0.7f * (float)octave;
			cloud += sinf(scale * (x * cosf(turn) + y * sinf(turn)) + 3 * sinf(scale * 0.6f * (y - x) + turn)) /
					 (float)(2 << octave);
		}
		bool ground = y > 0.75f + 0.04f * cloud;
		float sun = (x - 1.3f) * (x - 1.3f) + (y - 0.25f) * (y - 0.25f);
		float glow = (sun < 0.0008f ? 30000.0f : 0.0f) + 0.3f / (sun + 0.02f);
		const float tint[3] = { 0.6f, 0.8f, 1.1f }, earth[3] = { 0.12f, 0.10f, 0.06f };
		for (uint32_t c = 0; c < 3; ++c)
		{
			float above = tint[c] * (1.5f - y) + fmaxf(cloud, 0) * 2.5f + glow * (1.2f - 0.2f * (float)c);
			picture.halves[i * 4 + c] = lrd_half_from_float(ground ? earth[c] * exp2f(3 * cloud) : above);
		}
		picture.halves[i * 4 + 3] = 0x3c00;
	}
	return picture;
}

int main(int count, char **arguments)
{
	printf("%-12s %-14s %9s %9s %9s %8s %8s\n", "picture", "preset or peer", "MPix/s", "halves dB", "log2 dB",
		"mPSNR dB", "speed");
	for (int i = 1; i < count || i == 1; ++i)
	{
		bench_hdr picture = i < count ? load_picture(arguments[i]) : paint_sky();
		bench_picture(&picture);
		free(picture.halves);
	}
	return 0;
}
