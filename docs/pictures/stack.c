// Stacks pictures, each below a line of text: larder-docs-stack OUT.png {TEXT IN.png}... Run by the target
// larder-pictures, where one picture of docs/ is made of several.

#include "cli/raster.h"
#include "larder/cook.h"
#include "larder/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TITLE 34u // texels above each
#define MOST 8

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "larder-pictures: %s: %s\n", what, why);
	exit(1);
}

static lrd_pixels read_picture(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(64u << 20);
	size_t size = file != NULL && bytes != NULL ? fread(bytes, 1, 64u << 20, file) : 0;
	lrd_error error = { .message = "can't be read" };
	lrd_picture *picture = lrd_picture_open(&(lrd_picture_desc){ .bytes = { bytes, size } }, &error);
	lrd_pixels pixels = { 0 };
	if (picture == NULL || !lrd_picture_decode(picture, &(lrd_picture_decode_desc){ 0 }, &pixels, &error) ||
		pixels.type != LRD_PIXELS_UNORM8)
	{
		stop(path, error.message);
	}
	lrd_picture_close(picture);
	free(bytes);
	fclose(file);
	return pixels;
}

int main(int count, char **arguments)
{
	lrd_pixels pictures[MOST];
	lrd_pixels whole = { .channels = LRD_CHANNELS_RGB };
	lrd_buffer png = { 0 };
	lrd_error error;
	if (count < 4 || count % 2 != 0 || count > 2 + 2 * MOST)
	{
		stop("larder-docs-stack", "expected OUT.png {TEXT IN.png}...");
	}
	for (int i = 0; i < count / 2 - 1; i++)
	{
		pictures[i] = read_picture(arguments[3 + 2 * i]);
		whole.width = pictures[i].width > whole.width ? pictures[i].width : whole.width;
		whole.height += pictures[i].height + TITLE;
	}
	whole.size = (size_t)whole.width * whole.height * 4;
	uint8_t *texels = malloc(whole.size);
	whole.data = texels;
	if (texels == NULL)
	{
		stop(arguments[1], "out of memory");
	}
	for (size_t i = 0; i < whole.size; i++)
	{
		texels[i] = (const uint8_t[]){ 40, 42, 46, 255 }[i % 4]; // as sheets have it
	}
	const cli_sheet sheet = { whole.width, whole.height, texels };
	uint32_t top = 0;
	for (int i = 0; i < count / 2 - 1; i++)
	{
		cli_draw_text(&sheet, 8, top + 10, 3, arguments[2 + 2 * i], (cli_color){ 255, 210, 120 });
		for (uint32_t y = 0; y < pictures[i].height; y++)
		{
			const uint8_t *row = (const uint8_t *)pictures[i].data + (size_t)y * pictures[i].width * 4;
			memcpy(texels + (size_t)(top + TITLE + y) * whole.width * 4, row, (size_t)pictures[i].width * 4);
		}
		top += pictures[i].height + TITLE;
		lrd_pixels_free(&pictures[i]);
	}
	if (!lrd_pixels_write_png(&whole, &png, &error) || !lrd_file_save(arguments[1], png.data, png.size, &error))
	{
		stop(arguments[1], error.message);
	}
	lrd_buffer_free(&png);
	free(texels);
	return 0;
}
