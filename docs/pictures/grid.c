// Puts pictures side by side and below each other, each below a line of text: larder-docs-grid OUT.png COLUMNS {TEXT IN.png}...
// IN.png may be "-": a cell with nothing in it. Run by the target larder-pictures and by the judges' gallery, where one picture is
// made of several.

#include "cli/raster.h"
#include "larder/cook.h"
#include "larder/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP 4u // texels between columns

typedef struct grid
{
	lrd_pixels *pictures;
	char **texts;
	uint32_t count, columns;
	uint32_t cell_width;
	uint32_t scale; // of letters
	uint32_t title; // texels above each picture
	uint32_t *tops; // of rows
	lrd_pixels whole;
} grid;

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "larder-docs-grid: %s: %s\n", what, why);
	exit(1);
}

static void *take(size_t count, size_t size)
{
	void *memory = calloc(count, size);
	if (memory == NULL)
	{
		stop("memory", "there is no more");
	}
	return memory;
}

static lrd_pixels read_picture(const char *path)
{
	lrd_pixels pixels = { 0 };
	if (strcmp(path, "-") == 0)
	{
		return pixels;
	}
	const size_t most = 64u << 20;
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = take(most, 1);
	size_t size = file != NULL ? fread(bytes, 1, most, file) : 0;
	lrd_error error = { .message = "can't be read" };
	lrd_picture *picture = lrd_picture_open(&(lrd_picture_desc){ .bytes = { bytes, size } }, &error);
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

/// Where rows and columns are. Letters are smaller over narrow pictures.
static void lay_out(grid *self)
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		self->cell_width = self->pictures[i].width > self->cell_width ? self->pictures[i].width : self->cell_width;
	}
	self->scale = self->cell_width < 160 ? 1 : self->cell_width < 420 ? 2 : 3;
	self->title = self->scale * 10 + 4;
	uint32_t rows = (self->count + self->columns - 1) / self->columns, top = 0;
	self->tops = take(rows, sizeof *self->tops);
	for (uint32_t row = 0; row < rows; row++)
	{
		self->tops[row] = top;
		uint32_t height = 0;
		for (uint32_t i = row * self->columns; i < self->count && i < (row + 1) * self->columns; i++)
		{
			height = self->pictures[i].height > height ? self->pictures[i].height : height;
		}
		top += height + self->title;
	}
	self->whole = (lrd_pixels){
		.channels = LRD_CHANNELS_RGB, .width = self->columns * (self->cell_width + GAP) - GAP, .height = top
	};
	self->whole.size = (size_t)self->whole.width * self->whole.height * 4;
}

static void draw(grid *self)
{
	uint8_t *texels = take(self->whole.size, 1);
	self->whole.data = texels;
	for (size_t i = 0; i < self->whole.size; i++)
	{
		texels[i] = (const uint8_t[]){ 40, 42, 46, 255 }[i % 4]; // as sheets have it
	}
	const cli_sheet sheet = { self->whole.width, self->whole.height, texels };
	for (uint32_t i = 0; i < self->count; i++)
	{
		const lrd_pixels *picture = &self->pictures[i];
		uint32_t left = i % self->columns * (self->cell_width + GAP), top = self->tops[i / self->columns];
		size_t letters = self->cell_width / (self->scale * CLI_TEXT_ADVANCE); // more would run into the next cell
		char text[128];
		snprintf(text, sizeof text, "%.*s", (int)(letters < sizeof text ? letters : sizeof text - 1), self->texts[i]);
		cli_draw_text(&sheet, left + 2, top + 3, self->scale, text, (cli_color){ 255, 210, 120 });
		for (uint32_t y = 0; y < picture->height; y++)
		{
			const uint8_t *row = (const uint8_t *)picture->data + (size_t)y * picture->width * 4;
			memcpy(texels + ((size_t)(top + self->title + y) * self->whole.width + left) * 4, row,
				(size_t)picture->width * 4);
		}
	}
}

int main(int count, char **arguments)
{
	int columns = count > 2 ? atoi(arguments[2]) : 0;
	if (count < 5 || count % 2 != 1 || columns < 1 || columns > 64)
	{
		stop("command line", "expected OUT.png COLUMNS {TEXT IN.png}...");
	}
	grid self = { .count = (uint32_t)(count - 3) / 2, .columns = (uint32_t)columns };
	self.pictures = take(self.count, sizeof *self.pictures);
	self.texts = take(self.count, sizeof *self.texts);
	for (uint32_t i = 0; i < self.count; i++)
	{
		self.texts[i] = arguments[3 + 2 * i];
		self.pictures[i] = read_picture(arguments[4 + 2 * i]);
	}
	lay_out(&self);
	draw(&self);
	lrd_buffer png = { 0 };
	lrd_error error;
	if (!lrd_pixels_write_png(&self.whole, &png, &error) || !lrd_file_save(arguments[1], png.data, png.size, &error))
	{
		stop(arguments[1], error.message);
	}
	lrd_buffer_free(&png);
	for (uint32_t i = 0; i < self.count; i++)
	{
		lrd_pixels_free(&self.pictures[i]);
	}
	free(self.whole.data);
	free(self.tops);
	free(self.texts);
	free(self.pictures);
	return 0;
}
