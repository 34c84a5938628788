// Decoding beside the libraries that do the work, called directly on the same bytes: what checks, limits and a look at
// the result cost. bench_image [PICTURE...]: without pictures, noise with the spectrum of a photograph. The least
// processor time of runs taken in turns.

#define _POSIX_C_SOURCE 200809L

#include "bench.h"
#include "block_pictures.h"
#include "image/image.h"

#include <math.h>
#include <openexr.h>
#include <spng.h>
#include <turbojpeg.h>
#include <webp/decode.h>
#include <webp/encode.h>

#define SECONDS 0.6 // for each row, both sides
#define LEAST_RUNS 9

float *bench_stb_hdr(const unsigned char *file, int size, int *width, int *height);

typedef struct job
{
	const char *name;
	lrd_buffer file;
	void (*peer)(const lrd_buffer *file, void *pixels);
	const char *peer_name;
} job;

typedef struct picture
{
	uint32_t width, height;
	uint8_t *rgba;
	float *light; // the same, linear
} picture;

static picture current; // peers know its size as a caller would

static void peer_spng(const lrd_buffer *file, void *pixels)
{
	spng_ctx *context = spng_ctx_new(0);
	spng_set_png_buffer(context, file->data, file->size);
	size_t size = (size_t)current.width * current.height * 4;
	if (spng_decode_image(context, pixels, size, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS) != 0)
	{
		bench_stop("spng");
	}
	spng_ctx_free(context);
}

static void peer_turbojpeg(const lrd_buffer *file, void *pixels)
{
	tjhandle handle = tjInitDecompress();
	int width = 0, height = 0, sampling, space;
	if (tjDecompressHeader3(handle, file->data, file->size, &width, &height, &sampling, &space) != 0 ||
		tjDecompress2(handle, file->data, file->size, pixels, width, 0, height, TJPF_RGBA, TJFLAG_ACCURATEDCT) != 0)
	{
		bench_stop(tjGetErrorStr2(handle));
	}
	tjDestroy(handle);
}

static void peer_webp(const lrd_buffer *file, void *pixels)
{
	size_t size = (size_t)current.width * current.height * 4;
	if (WebPDecodeRGBAInto(file->data, file->size, pixels, size, (int)current.width * 4) == NULL)
	{
		bench_stop("libwebp");
	}
}

static void peer_stb(const lrd_buffer *file, void *pixels)
{
	int width, height;
	float *decoded = bench_stb_hdr(file->data, (int)file->size, &width, &height);
	if (decoded == NULL)
	{
		bench_stop("stb_image");
	}
	(void)pixels;
	free(decoded);
}

static int64_t read_exr(exr_const_context_t context, void *user, void *buffer, uint64_t size, uint64_t offset,
	exr_stream_error_func_ptr_t report)
{
	(void)context;
	(void)report;
	const lrd_buffer *file = user;
	uint64_t left = file->size - offset;
	memcpy(buffer, file->data + offset, size < left ? size : left);
	return (int64_t)(size < left ? size : left);
}

static int64_t size_exr(exr_const_context_t context, void *user)
{
	(void)context;
	return (int64_t)((const lrd_buffer *)user)->size;
}

static void aim_exr(exr_decode_pipeline_t *pipeline, float *texel)
{
	for (int c = 0; c < pipeline->channel_count; c++)
	{
		exr_coding_channel_info_t *channel = &pipeline->channels[c];
		const char *components = "RGBA";
		channel->decode_to_ptr = (uint8_t *)(texel + (strchr(components, channel->channel_name[0]) - components));
		channel->user_bytes_per_element = 4;
		channel->user_data_type = EXR_PIXEL_FLOAT;
		channel->user_pixel_stride = 16;
		channel->user_line_stride = 16 * (int32_t)current.width;
	}
}

static void peer_openexr(const lrd_buffer *file, void *pixels)
{
	exr_context_initializer_t how = EXR_DEFAULT_CONTEXT_INITIALIZER;
	how.user_data = (void *)(uintptr_t)file;
	how.read_fn = read_exr;
	how.size_fn = size_exr;
	exr_context_t context;
	exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
	int32_t lines = 0;
	exr_result_t code = exr_start_read(&context, "memory", &how);
	code = code != 0 ? code : exr_get_scanlines_per_chunk(context, 0, &lines);
	for (int32_t y = 0; y < (int32_t)current.height && code == 0; y += lines)
	{
		exr_chunk_info_t chunk;
		code = exr_read_scanline_chunk_info(context, 0, y, &chunk);
		code = code != 0 ? code
			   : y == 0  ? exr_decoding_initialize(context, 0, &chunk, &pipeline)
						 : exr_decoding_update(context, 0, &chunk, &pipeline);
		aim_exr(&pipeline, (float *)pixels + 4 * (size_t)y * current.width);
		code = code != 0 || y != 0 ? code : exr_decoding_choose_default_routines(context, 0, &pipeline);
		code = code != 0 ? code : exr_decoding_run(context, 0, &pipeline);
	}
	if (code != 0)
	{
		bench_stop(exr_get_default_error_message(code));
	}
	exr_decoding_destroy(context, &pipeline);
	exr_finish(&context);
}

static double time_ours(const lrd_buffer *file)
{
	lrd_image image;
	lrd_error error;
	double begin = bench_now();
	if (!lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { file->data, file->size } }, &image, &error))
	{
		bench_stop(error.message);
	}
	double seconds = bench_now() - begin;
	lrd_image_free(&image);
	return seconds;
}

// With the memory that a caller of the library takes for the pixels, as ours does.
static double time_peer(const job *one)
{
	double begin = bench_now();
	void *pixels = malloc((size_t)current.width * current.height * 16);
	one->peer(&one->file, pixels);
	double seconds = bench_now() - begin;
	free(pixels);
	return seconds;
}

static void measure(const job *one, const char *picture_name)
{
	double ours = INFINITY, peer = INFINITY;
	double begin = bench_now();
	for (int run = 0; run < LEAST_RUNS || bench_now() - begin < SECONDS; run++)
	{
		ours = fmin(ours, time_ours(&one->file));
		peer = fmin(peer, time_peer(one));
	}
	double texels = (double)current.width * current.height * 1e-6;
	printf("%-16s %-22s %9.1f kB %8.1f MPix/s %8.1f MPix/s %-12s %6.3f x\n", picture_name, one->name,
		(double)one->file.size * 1e-3, texels / ours, texels / peer, one->peer_name, peer / ours);
}

static lrd_buffer copy_of(const void *data, size_t size)
{
	lrd_buffer copy = { 0 };
	if (size == 0 || !lrd_buffer_append(&copy, data, size))
	{
		bench_stop("encoding failed");
	}
	return copy;
}

static lrd_buffer make_png(void)
{
	lrd_buffer file = { 0 };
	if (!lrd_image_write_png(current.width, current.height, current.rgba, &file, NULL))
	{
		bench_stop("PNG");
	}
	return file;
}

static lrd_buffer make_jpeg(int sampling, int flags)
{
	unsigned char *data = NULL;
	unsigned long size = 0;
	tjhandle handle = tjInitCompress();
	tjCompress2(
		handle, current.rgba, (int)current.width, 0, (int)current.height, TJPF_RGBA, &data, &size, sampling, 90, flags);
	tjDestroy(handle);
	lrd_buffer file = copy_of(data, size);
	tjFree(data);
	return file;
}

static lrd_buffer make_webp(bool lossless)
{
	uint8_t *data = NULL;
	int width = (int)current.width, height = (int)current.height;
	size_t size = lossless ? WebPEncodeLosslessRGBA(current.rgba, width, height, width * 4, &data)
						   : WebPEncodeRGBA(current.rgba, width, height, width * 4, 90, &data);
	lrd_buffer file = copy_of(data, size);
	WebPFree(data);
	return file;
}

static lrd_buffer make_exr(bool half, uint32_t channels)
{
	lrd_buffer file = { 0 };
	lrd_exr_write_desc desc = { .width = current.width,
		.height = current.height,
		.channels = channels,
		.half_float = half,
		.rgba = current.light };
	if (!lrd_image_write_exr(&desc, &file, NULL))
	{
		bench_stop("EXR");
	}
	return file;
}

// Every line as one literal run of 128 bytes after the other, for each component.
static lrd_buffer make_hdr(void)
{
	lrd_buffer file = { 0 };
	bool made =
		lrd_buffer_printf(&file, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %u +X %u\n", current.height, current.width);
	for (size_t y = 0; y < current.height && made; y++)
	{
		const uint8_t begin[4] = { 2, 2, (uint8_t)(current.width >> 8), (uint8_t)current.width };
		made = lrd_buffer_append(&file, begin, 4);
		for (size_t i = 0; i < 4 * (size_t)current.width && made; i++)
		{
			size_t component = i / current.width, x = i % current.width;
			uint8_t left = (uint8_t)(current.width - x < 128 ? current.width - x : 128);
			made = x % 128 != 0 || lrd_buffer_append(&file, &left, 1);
			uint8_t value = component == 3 ? 128 : current.rgba[4 * (y * current.width + x) + component];
			made = made && lrd_buffer_append(&file, &value, 1);
		}
	}
	if (!made)
	{
		bench_stop("HDR");
	}
	return file;
}

static void measure_picture(const char *name)
{
	job jobs[] = {
		{ "PNG", make_png(), peer_spng, "libspng" },
		{ "JPEG 4:2:0", make_jpeg(TJSAMP_420, 0), peer_turbojpeg, "TurboJPEG" },
		{ "JPEG 4:4:4 progressive", make_jpeg(TJSAMP_444, TJFLAG_PROGRESSIVE), peer_turbojpeg, "TurboJPEG" },
		{ "WebP", make_webp(false), peer_webp, "libwebp" },
		{ "WebP lossless", make_webp(true), peer_webp, "libwebp" },
		{ "EXR ZIP half RGBA", make_exr(true, 4), peer_openexr, "OpenEXRCore" },
		{ "EXR ZIP half RGB", make_exr(true, 3), peer_openexr, "OpenEXRCore" },
		{ "EXR ZIP float RGBA", make_exr(false, 4), peer_openexr, "OpenEXRCore" },
		{ "HDR", make_hdr(), peer_stb, "stb_image" },
	};
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
	{
		measure(&jobs[i], name);
		lrd_buffer_free(&jobs[i].file);
	}
}

static void take(uint32_t width, uint32_t height, uint8_t *rgba)
{
	size_t count = (size_t)width * height * 4;
	current = (picture){ width, height, rgba, malloc(count * sizeof(float)) };
	for (size_t i = 0; i < count; i++)
	{
		current.light[i] = i % 4 == 3 ? (float)rgba[i] / 255.0f : lrd_srgb_to_linear((float)rgba[i] / 255.0f);
	}
}

static void measure_file(const char *path)
{
	lrd_buffer bytes = { 0 };
	uint8_t block[65536];
	FILE *file = fopen(path, "rb");
	for (size_t size; file != NULL && (size = fread(block, 1, sizeof block, file)) != 0;)
	{
		lrd_buffer_append(&bytes, block, size);
	}
	lrd_image image;
	lrd_error error = { 0 };
	if (file == NULL ||
		!lrd_image_decode(&(lrd_image_decode_desc){ .bytes = { bytes.data, bytes.size } }, &image, &error) ||
		image.type != LRD_PIXEL_UNORM8)
	{
		bench_stop(file == NULL ? path : error.message[0] != 0 ? error.message : "8 bits are wanted");
	}
	fclose(file);
	take(image.width, image.height, image.pixels);
	const char *name = strrchr(path, '/');
	measure_picture(name != NULL ? name + 1 : path);
	free(current.light);
	lrd_image_free(&image);
	lrd_buffer_free(&bytes);
}

int main(int argc, char **argv)
{
	printf("%-16s %-22s %12s %15s %15s %-12s %8s\n", "picture", "file", "size", "larder", "the library", "", "ratio");
	for (int i = 1; i < argc; i++)
	{
		measure_file(argv[i]);
	}
	if (argc == 1)
	{
		bench_picture pictures[8];
		size_t count = bench_pictures_make(pictures, true);
		for (size_t i = 0; i < count; i++)
		{
			bool is_photo = pictures[i].kind == BENCH_PICTURE_COLOR;
			if (is_photo)
			{
				take(pictures[i].width, pictures[i].height, pictures[i].pixels);
				measure_picture(pictures[i].name);
				free(current.light);
			}
			free(pictures[i].pixels);
		}
	}
	return 0;
}
