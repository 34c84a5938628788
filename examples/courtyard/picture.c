// Pixels: setting them, normal maps from heights, PNG and JPEG. What is painted on them is in textures_*.c.

#include "picture.h"

#include <spng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

_Noreturn void give_up(const char *what, const char *which)
{
	fprintf(stderr, "courtyard-generate: %s: %s\n", which, what);
	exit(EXIT_FAILURE);
}

void *obtain(size_t size)
{
	void *memory = calloc(1, size);
	if (memory == NULL)
	{
		give_up("out of memory", "generator");
	}
	return memory;
}

void *obtain_again(void *old, size_t size)
{
	void *memory = realloc(old, size);
	if (memory == NULL)
	{
		give_up("out of memory", "generator");
	}
	return memory;
}

picture picture_new(int width, int height, int channels)
{
	picture p = { width, height, channels, NULL };
	p.pixels = obtain((size_t)width * (size_t)height * (size_t)channels);
	return p;
}

void picture_free(picture *p)
{
	free(p->pixels);
	p->pixels = NULL;
}

static uint8_t to_byte(float v)
{
	return (uint8_t)(clamp(v, 0.0f, 1.0f) * 255.0f + 0.5f);
}

static uint8_t *texel(const picture *p, int x, int y)
{
	return p->pixels + ((size_t)y * (size_t)p->width + (size_t)x) * (size_t)p->channels;
}

void picture_set(picture *p, int x, int y, vec4 value)
{
	const float in[4] = { value.x, value.y, value.z, value.w };
	uint8_t *out = texel(p, x, y);
	for (int channel = 0; channel < p->channels; channel++)
	{
		out[channel] = to_byte(in[channel]);
	}
}

vec4 picture_get(const picture *p, int x, int y)
{
	float out[4] = { 0.0f, 0.0f, 0.0f, 1.0f };
	const uint8_t *in = texel(p, x, y);
	for (int channel = 0; channel < p->channels; channel++)
	{
		out[channel] = (float)in[channel] / 255.0f;
	}
	return (vec4){ out[0], out[1], out[2], out[3] };
}

field field_new(int width, int height)
{
	field f = { width, height, NULL };
	f.values = obtain((size_t)width * (size_t)height * sizeof(float));
	return f;
}

void field_free(field *f)
{
	free(f->values);
	f->values = NULL;
}

static float field_at(const field *f, int x, int y)
{
	x = (x + f->width) % f->width;
	y = (y + f->height) % f->height;
	return f->values[(size_t)y * (size_t)f->width + (size_t)x];
}

picture normals_from(const field *f, float depth)
{
	picture p = picture_new(f->width, f->height, 3);
	float slope = depth * (float)f->width * 0.5f;
	for (int y = 0; y < f->height; y++)
	{
		for (int x = 0; x < f->width; x++)
		{
			float right = (field_at(f, x + 1, y) - field_at(f, x - 1, y)) * slope;
			float down = (field_at(f, x, y + 1) - field_at(f, x, y - 1)) * slope;
			vec3 n = unit3((vec3){ -right, down, 1.0f });
			picture_set(&p, x, y, (vec4){ n.x * 0.5f + 0.5f, n.y * 0.5f + 0.5f, n.z * 0.5f + 0.5f, 1.0f });
		}
	}
	return p;
}

static void check_png(int code)
{
	if (code != 0)
	{
		give_up(spng_strerror(code), "PNG encoder");
	}
}

encoded encode_png(const picture *p)
{
	spng_ctx *context = spng_ctx_new(SPNG_CTX_ENCODER);
	if (context == NULL)
	{
		give_up("out of memory", "PNG encoder");
	}
	struct spng_ihdr header = { .width = (uint32_t)p->width, .height = (uint32_t)p->height, .bit_depth = 8 };
	header.color_type = p->channels == 1   ? SPNG_COLOR_TYPE_GRAYSCALE
						: p->channels == 3 ? SPNG_COLOR_TYPE_TRUECOLOR
										   : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
	check_png(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1));
	check_png(spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 9));
	check_png(spng_set_ihdr(context, &header));
	size_t size = (size_t)p->width * (size_t)p->height * (size_t)p->channels;
	check_png(spng_encode_image(context, p->pixels, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE));
	int code = 0;
	encoded result = { NULL, 0 };
	result.bytes = spng_get_png_buffer(context, &result.size, &code);
	check_png(code);
	spng_ctx_free(context);
	return result;
}

encoded encode_jpeg(const picture *p, int quality)
{
	tjhandle encoder = tjInitCompress();
	unsigned char *bytes = NULL;
	unsigned long size = 0;
	if (encoder == NULL || tjCompress2(encoder, p->pixels, p->width, 0, p->height, TJPF_RGB, &bytes, &size, TJSAMP_444,
							   quality, TJFLAG_ACCURATEDCT) != 0)
	{
		give_up("cannot compress", "JPEG encoder");
	}
	// TurboJPEG's buffer wants tjFree; a copy lets every encoded image be freed alike.
	encoded result = { obtain(size), size };
	memcpy(result.bytes, bytes, size);
	tjFree(bytes);
	tjDestroy(encoder);
	return result;
}
