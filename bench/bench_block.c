// Block compression: speed against error for each format and preset, peers beside it in the same run.
//
//   bench_block [--only FORMAT] [--threads] [PICTURE.png...]
//
// Pictures named on the command line come first; the ones of block_pictures.c follow. Speed is texels over
// processor time of one thread, the best of several runs. What was encoded is decoded again by block/block.h and
// compared. LARDER_BENCH_BC7ENC names a bc7enc program (github.com/richgel999/bc7enc_rdo) to run beside it.

#define _DEFAULT_SOURCE

#include "block_pictures.h"

#include "base/memory.h"
#include "bench.h"
#include "block/block.h"
#include "block/encode.h"
#include "image/image.h"
#include "larder/jobs.h"
#include "os/os.h"

#include <math.h>
#include <unistd.h>

#define R 1u
#define G 2u
#define B 4u
#define A 8u

/// One format of the table. A peer is the arguments of the bc7enc program; NULL ends the list.
typedef struct bench_format
{
	const char *name;
	lrd_block_format format;
	bool perceptual;
	unsigned compare;  ///< channels whose error counts
	unsigned pictures; ///< which of BENCH_PICTURE_... it is for
	const char *peers[5];
} bench_format;

static const bench_format formats[] = {
	{ "bc7", LRD_BLOCK_BC7, false, R | G | B, BENCH_PICTURE_ANY & ~BENCH_PICTURE_ALPHA,
		{ "-u0", "-u1", "-u4", "-u6" } },
	{ "bc7", LRD_BLOCK_BC7, false, R | G | B | A, BENCH_PICTURE_ALPHA, { "-u0", "-u1", "-u4", "-u6" } },
	{ "bc1", LRD_BLOCK_BC1, false, R | G | B, BENCH_PICTURE_COLOR, { "-1 -L0 -r", "-1 -L10 -r", "-1 -L18 -r" } },
	{ "bc3", LRD_BLOCK_BC3, false, R | G | B | A, BENCH_PICTURE_ALPHA, { "-3 -L0 -r", "-3 -L10 -r", "-3 -L18 -r" } },
	// Ours at its best is the optimum of all ends.
	{ "bc4", LRD_BLOCK_BC4_UNORM, false, R, BENCH_PICTURE_ANY, { "-4 -hl", "-4" } },
	{ "bc5", LRD_BLOCK_BC5_UNORM, false, R | G, BENCH_PICTURE_COLOR | BENCH_PICTURE_NORMAL, { "-5 -hl", "-5" } },
	{ "bc7-eye", LRD_BLOCK_BC7, true, R | G | B, BENCH_PICTURE_COLOR, { "-s -u0", "-s -u1", "-s -u6" } },
};

static const struct
{
	const char *name;
	lrd_block_quality quality;
} qualities[] = { { "fast", LRD_BLOCK_FAST }, { "normal", LRD_BLOCK_NORMAL }, { "best", LRD_BLOCK_BEST } };

typedef struct bench_outcome
{
	double mpix;  ///< million texels a second
	double psnr;  ///< over the channels that count, dB
	double luma;  ///< of Rec. 709 luma, dB
	double worst; ///< greatest difference of a channel that counts
} bench_outcome;

static double wall_now(void)
{
	return (double)lrd_clock_ns() * 1e-9;
}

static double decibels(double squares, double count)
{
	return squares == 0 ? 99.0 : 10.0 * log10(255.0 * 255.0 * count / squares);
}

static void compare_texel(const uint8_t *a, const uint8_t *b, unsigned channels, bench_outcome *sums)
{
	double luma = 0;
	for (unsigned channel = 0; channel < 4; ++channel)
	{
		double difference = (double)a[channel] - (double)b[channel];
		luma += difference * (const double[]){ 0.2126, 0.7152, 0.0722, 0 }[channel];
		if (channels & 1u << channel)
		{
			sums->psnr += difference * difference;
			sums->worst = fmax(sums->worst, fabs(difference));
		}
	}
	sums->luma += luma * luma;
}

/// Decode what was encoded and compare it with the picture.
static void compare(
	const bench_picture *picture, const bench_format *format, const uint8_t *blocks, bench_outcome *outcome)
{
	uint32_t columns = lrd_block_rows(picture->width);
	size_t block_bytes = lrd_block_bytes(format->format);
	for (uint32_t y = 0; y < picture->height; ++y)
	{
		for (uint32_t x = 0; x < picture->width; x += 4)
		{
			uint8_t texels[64];
			lrd_block_decode_unorm8(format->format, blocks + ((size_t)(y / 4) * columns + x / 4) * block_bytes, texels);
			for (uint32_t i = 0; i < 4 && x + i < picture->width; ++i)
			{
				compare_texel(picture->pixels + ((size_t)y * picture->width + x + i) * 4, texels + y % 4 * 16 + i * 4,
					format->compare, outcome);
			}
		}
	}
	double texels = (double)picture->width * (double)picture->height;
	outcome->psnr = decibels(outcome->psnr, texels * (double)__builtin_popcount(format->compare));
	outcome->luma = decibels(outcome->luma, texels);
}

static lrd_block_encode_desc encode_desc(
	const bench_picture *picture, const bench_format *format, lrd_block_quality quality)
{
	return (lrd_block_encode_desc){ .format = format->format,
		.quality = quality,
		.perceptual = format->perceptual,
		.pixels = picture->pixels,
		.row_bytes = (size_t)picture->width * 4,
		.width = picture->width,
		.height = picture->height };
}

/// Best of several runs, about a second in all.
static bench_outcome measure(
	const bench_picture *picture, const lrd_block_encode_desc *desc, const bench_format *format)
{
	uint32_t rows = lrd_block_rows(picture->height);
	uint8_t *blocks = malloc(lrd_block_row_bytes(format->format, picture->width) * rows);
	if (blocks == NULL)
	{
		bench_stop("bench_block: out of memory");
	}
	double best = 1e9, spent = 0;
	for (int run = 0; run < BENCH_RUNS * 4 && (run == 0 || spent < 1.0); ++run)
	{
		double start = bench_now();
		if (!lrd_block_encode(desc, 0, rows, blocks))
		{
			bench_stop("bench_block: a format that is not encoded");
		}
		double seconds = bench_now() - start;
		best = seconds < best ? seconds : best;
		spent += seconds;
	}
	bench_outcome outcome = { .mpix = (double)picture->width * (double)picture->height / best * 1e-6 };
	compare(picture, format, blocks, &outcome);
	free(blocks);
	return outcome;
}

static void print_row(
	const bench_picture *picture, const char *format, const char *who, bench_outcome outcome, double peer)
{
	printf("%-12s %-9s %-16s %9.2f %9.2f %9.2f %6.0f", picture->name, format, who, outcome.mpix, outcome.psnr,
		outcome.luma, outcome.worst);
	if (peer > 0)
	{
		printf(" %8.2f x", outcome.mpix / peer);
	}
	printf("\n");
	fflush(stdout);
}

/// The number after `what` in the first line that starts with `line`.
static double number_after(const char *text, const char *line, const char *what)
{
	const char *at = strstr(text, line);
	at = at == NULL ? NULL : strstr(at, what);
	return at == NULL ? 0 : strtod(at + strlen(what), NULL);
}

/// Run bc7enc on one processor, in a folder of its own because of the pictures it leaves where it stands.
static bench_outcome run_peer(
	const bench_picture *picture, const char *program, const char *arguments, const char *folder, unsigned compared)
{
	bench_outcome outcome = { 0 };
	for (int run = 0; run < 3; ++run)
	{
		char command[1024], text[8192];
		snprintf(command, sizeof command, "cd %s && taskset -c 0 %s %s picture.png out.dds 2>&1", folder, program,
			arguments);
		FILE *pipe = popen(command, "r");
		size_t size = pipe == NULL ? 0 : fread(text, 1, sizeof text - 1, pipe);
		text[size] = 0;
		if (pipe == NULL || pclose(pipe) != 0)
		{
			return outcome;
		}
		// The program's "processing" counts the making of its reports too.
		double seconds = number_after(text, "Total encoding time", "time:");
		double mpix = seconds > 0 ? (double)picture->width * (double)picture->height / seconds * 1e-6 : 0;
		outcome.mpix = fmax(outcome.mpix, mpix);
		const char *line = compared & A ? "RGBA " : compared == R ? "Red " : compared == (R | G) ? "RG " : "RGB ";
		outcome.psnr = number_after(text, line, "PSNR");
		outcome.luma = number_after(text, "Luma ", "PSNR");
		outcome.worst = number_after(text, line, "error:");
		if (seconds > 2)
		{
			break;
		}
	}
	return outcome;
}

static void bench_peers(const bench_picture *picture, const bench_format *format, double *mpix)
{
	const char *program = getenv("LARDER_BENCH_BC7ENC");
	char folder[] = "/tmp/larder_bench_XXXXXX";
	if (program == NULL || mkdtemp(folder) == NULL)
	{
		return;
	}
	lrd_buffer png = { 0 };
	lrd_error error;
	char path[64];
	snprintf(path, sizeof path, "%s/picture.png", folder);
	if (!lrd_image_write_png(picture->width, picture->height, picture->pixels, &png, &error) ||
		!lrd_file_write(path, png.data, png.size, &error))
	{
		bench_stop(error.message);
	}
	lrd_buffer_free(&png);
	for (size_t i = 0; format->peers[i] != NULL; ++i)
	{
		char who[32];
		snprintf(who, sizeof who, "bc7enc %s", format->peers[i]);
		bench_outcome outcome = run_peer(picture, program, format->peers[i], folder, format->compare);
		mpix[i] = outcome.mpix;
		print_row(picture, format->name, who, outcome, 0);
	}
	char command[96];
	snprintf(command, sizeof command, "rm -r %s", folder);
	if (system(command) != 0)
	{
		bench_stop("bench_block: the peer's folder can't be removed");
	}
}

/// A run of block rows that one job encodes.
typedef struct bench_piece
{
	lrd_job job;
	const lrd_block_encode_desc *desc;
	uint32_t first, count;
	uint8_t *out;
} bench_piece;

static void run_piece(lrd_job *job)
{
	bench_piece *piece = (bench_piece *)job;
	lrd_block_encode(piece->desc, piece->first, piece->count, piece->out);
}

/// Million texels a second by the clock, with pieces of a few rows of blocks; and the least processor time, which on a
/// busy machine tells more: what threads cost each other.
static double measure_threads(const lrd_block_encode_desc *desc, uint32_t threads, double *processor)
{
	enum
	{
		ROWS = 4
	};
	uint32_t rows = lrd_block_rows(desc->height), count = (rows + ROWS - 1) / ROWS;
	size_t row_bytes = lrd_block_row_bytes(desc->format, desc->width);
	lrd_error error = { .message = "out of memory" };
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = threads }, &error);
	bench_piece *pieces = calloc(count, sizeof *pieces);
	uint8_t *blocks = malloc(row_bytes * rows);
	if (pool == NULL || pieces == NULL || blocks == NULL)
	{
		bench_stop(error.message);
	}
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	double best = 1e9, spent = 0;
	for (int run = 0; run < BENCH_RUNS && (run == 0 || spent < 2.0); ++run)
	{
		double start = wall_now(), processor_start = bench_now();
		for (uint32_t i = 0; i < count; ++i)
		{
			uint32_t first = i * ROWS;
			pieces[i] = (bench_piece){ { .run = run_piece }, desc, first, rows - first < ROWS ? rows - first : ROWS,
				blocks + row_bytes * first };
			jobs.submit(jobs.user, &pieces[i].job);
		}
		jobs.wait(jobs.user);
		double seconds = wall_now() - start, used = bench_now() - processor_start;
		*processor = run == 0 || used < *processor ? used : *processor;
		best = seconds < best ? seconds : best;
		spent += seconds;
	}
	lrd_job_pool_destroy(pool);
	free(blocks);
	free(pieces);
	return (double)desc->width * (double)desc->height / best * 1e-6;
}

static void bench_threads(const bench_picture *picture, const bench_format *format)
{
	for (size_t i = 0; i < sizeof qualities / sizeof *qualities; ++i)
	{
		lrd_block_encode_desc desc = encode_desc(picture, format, qualities[i].quality);
		double one_used, two_used;
		double one = measure_threads(&desc, 1, &one_used), two = measure_threads(&desc, 2, &two_used);
		printf("%-12s %-9s %-16s %9.2f with 1 thread %9.2f with 2 %6.2f x, %.2f of its processor time\n", picture->name,
			format->name, qualities[i].name, one, two, two / one, two_used / one_used);
	}
}

static void bench_picture_format(const bench_picture *picture, const bench_format *format, bool threads)
{
	double peers[5] = { 0 };
	bench_peers(picture, format, peers);
	for (size_t i = 0; i < sizeof qualities / sizeof *qualities; ++i)
	{
		lrd_block_encode_desc desc = encode_desc(picture, format, qualities[i].quality);
		// beside the peer that plays the same part: the first, the second, the last
		size_t peer = i;
		while (peer > 0 && format->peers[peer] == NULL)
		{
			peer--;
		}
		while (i == 2 && format->peers[peer] != NULL && format->peers[peer + 1] != NULL)
		{
			peer++;
		}
		print_row(picture, format->name, qualities[i].name, measure(picture, &desc, format), peers[peer]);
	}
	if (threads)
	{
		bench_threads(picture, format);
	}
}

static bench_picture load_picture(const char *path)
{
	lrd_buffer file = { 0 };
	lrd_image image;
	lrd_error error;
	if (!lrd_file_read(path, &file, &error) ||
		!lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { file.data, file.size } }, &image, &error))
	{
		bench_stop(error.message);
	}
	if (image.type != LRD_PIXEL_UNORM8)
	{
		bench_stop("bench_block: pictures of 8 bits a channel only");
	}
	lrd_buffer_free(&file);
	const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
	bench_picture picture = { .kind = image.has_alpha ? BENCH_PICTURE_ALPHA : BENCH_PICTURE_COLOR,
		.width = image.width,
		.height = image.height,
		.pixels = image.pixels };
	snprintf(picture.name, sizeof picture.name, "%.*s", (int)strcspn(name, "."), name);
	return picture;
}

int main(int count, char **arguments)
{
	const char *only = NULL;
	bool threads = false, synthetic = true;
	bench_picture pictures[64];
	size_t picture_count = 0;
	for (int i = 1; i < count && picture_count < 48; ++i)
	{
		if (strcmp(arguments[i], "--only") == 0 && i + 1 < count)
		{
			only = arguments[++i];
		}
		else if (strcmp(arguments[i], "--threads") == 0)
		{
			threads = true;
		}
		else if (strcmp(arguments[i], "--no-synthetic") == 0)
		{
			synthetic = false;
		}
		else
		{
			pictures[picture_count++] = load_picture(arguments[i]);
		}
	}
	if (synthetic)
	{
		picture_count += bench_pictures_make(pictures + picture_count, picture_count == 0);
	}
	printf("%-12s %-9s %-16s %9s %9s %9s %6s %10s\n", "picture", "format", "preset or peer", "MPix/s", "PSNR dB",
		"luma dB", "worst", "speed");
	for (size_t i = 0; i < picture_count; ++i)
	{
		for (size_t j = 0; j < sizeof formats / sizeof *formats; ++j)
		{
			if ((formats[j].pictures & pictures[i].kind) && (only == NULL || strcmp(only, formats[j].name) == 0))
			{
				bench_picture_format(&pictures[i], &formats[j], threads && i == 0);
			}
		}
		free(pictures[i].pixels);
	}
	return 0;
}
