// The sheet of `larder info --picture`: everything that an image file holds in one PNG, as a screen shows it.

#include "cli/picture.h"
#include "larder/texture.h"

#include <stdlib.h>

#define GAP 8u
#define SIDE_MAX 16384u
#define CHECK 8u
#define BACKGROUND 48

typedef struct sheet
{
	const cli_picture *file;
	uint32_t first_level;
	uint32_t rows;
	uint32_t width, height;
	uint8_t *texels; ///< RGBA
} sheet;

static uint64_t width_from(const lrd_picture_info *info, uint32_t level)
{
	uint64_t width = GAP;
	for (; level < info->levels; ++level)
	{
		width += lrd_texture_extent(info->width, level) + GAP;
	}
	return width;
}

/// As much as fits a PNG: without the finest levels if they are too wide, without the last rows if there are too many.
static void plan(sheet *self)
{
	const lrd_picture_info *info = self->file->info;
	uint64_t rows = (uint64_t)info->layers * info->faces * info->depth;
	if (rows == 1 && info->levels == 1)
	{
		self->rows = 1;
		self->width = info->width;
		self->height = info->height;
		return;
	}
	while (self->first_level + 1 < info->levels &&
		   (width_from(info, self->first_level) > SIDE_MAX ||
			   lrd_texture_extent(info->height, self->first_level) + 2 * GAP > SIDE_MAX))
	{
		self->first_level++;
	}
	uint32_t row = lrd_texture_extent(info->height, self->first_level) + GAP;
	uint64_t most = (SIDE_MAX - GAP) / row;
	most = most != 0 ? most : 1;
	self->rows = (uint32_t)(rows < most ? rows : most);
	self->width = (uint32_t)width_from(info, self->first_level);
	self->height = self->rows * row + GAP;
	if (self->first_level != 0)
	{
		cli_error("info: %s: the picture begins with level %u; finer ones do not fit %u texels a side",
			self->file->path, self->first_level, SIDE_MAX);
	}
	if (self->rows < rows)
	{
		cli_error("info: %s: the picture has the first %u of %llu layers, faces and slices; more do not fit",
			self->file->path, self->rows, (unsigned long long)rows);
	}
}

/// One image over a checker that shows where it is transparent.
static void paste(sheet *self, const uint8_t *from, uint32_t width, uint32_t height, uint32_t left, uint32_t top)
{
	for (uint32_t y = 0; y < height; ++y)
	{
		uint8_t *to = self->texels + ((size_t)(top + y) * self->width + left) * 4;
		for (uint32_t x = 0; x < width; ++x, to += 4, from += 4)
		{
			uint32_t under = ((x / CHECK + y / CHECK) & 1) != 0 ? 153 : 102;
			for (size_t c = 0; c < 3; ++c)
			{
				to[c] = (uint8_t)((from[c] * from[3] + under * (255u - from[3]) + 127u) / 255u);
			}
			to[3] = 255;
		}
	}
}

static bool draw_image(sheet *self, uint32_t level, uint32_t row, uint32_t left, uint32_t top)
{
	const lrd_picture_info *info = self->file->info;
	lrd_picture_decode_desc desc = {
		.level = level,
		.layer = row / info->depth / info->faces,
		.face = row / info->depth % info->faces,
		.slice = row % info->depth,
		.apply_swizzle = true,
		.rebuild_normals = true,
	};
	if (desc.slice >= lrd_texture_extent(info->depth, level)) // volumes have fewer slices in smaller levels
	{
		return true;
	}
	lrd_pixels pixels;
	lrd_error error = { 0 };
	if (!lrd_picture_decode(self->file->picture, &desc, &pixels, &error))
	{
		cli_error("info: %s: %s", self->file->path, error.message);
		return false;
	}
	uint8_t *shown = malloc((size_t)pixels.width * pixels.height * 4);
	if (shown != NULL)
	{
		lrd_pixels_show(&pixels, shown);
		paste(self, shown, pixels.width, pixels.height, left, top);
	}
	else
	{
		cli_error("out of memory");
	}
	lrd_pixels_free(&pixels);
	free(shown);
	return shown != NULL;
}

static bool draw(sheet *self)
{
	const lrd_picture_info *info = self->file->info;
	bool is_single = self->width == info->width && self->height == info->height;
	uint32_t gap = is_single ? 0 : GAP;
	for (uint32_t row = 0; row < self->rows; ++row)
	{
		uint32_t left = gap;
		uint32_t top = gap + row * (lrd_texture_extent(info->height, self->first_level) + gap);
		for (uint32_t level = self->first_level; level < info->levels; ++level)
		{
			if (!draw_image(self, level, row, left, top))
			{
				return false;
			}
			left += lrd_texture_extent(info->width, level) + gap;
		}
	}
	return true;
}

bool cli_save_sheet(const char *path, const char *file)
{
	cli_picture picture;
	sheet self = { .file = &picture };
	bool good = cli_picture_open(&picture, "info", file);
	if (good)
	{
		plan(&self);
		size_t size = (size_t)self.width * self.height * 4;
		self.texels = malloc(size);
		good = self.texels != NULL;
		if (good)
		{
			for (size_t i = 0; i < size; ++i)
			{
				self.texels[i] = i % 4 == 3 ? 255 : BACKGROUND;
			}
			good = draw(&self);
		}
		else
		{
			cli_error("out of memory");
		}
	}
	lrd_pixels pixels = {
		.width = self.width,
		.height = self.height,
		.channels = LRD_CHANNELS_RGB,
		.data = self.texels,
		.size = (size_t)self.width * self.height * 4,
	};
	good = good && cli_save_pixels("info", path, &pixels);
	free(self.texels);
	cli_picture_close(&picture);
	return good;
}
