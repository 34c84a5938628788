// Mip chains. Level 0 is decoded row by row into float; each further level is a weighted sum of the one before, never
// of rounded values. Odd sizes: each texel of a level takes exactly its share of the texels above it, three at a time
// with changing weights (Ignacio Castano, "Non-Power-of-Two Mipmapping", NVIDIA, 2005: a polyphase box). Where alpha is
// coverage, colours are multiplied by it until they are stored. Normals stay as long as filtering leaves them and are
// normalised only when stored, so that short ones keep counting less.

#include "image/mips.h"

#include "base/error.h"
#include "image/half.h"
#include "image/srgb.h"

#include <math.h>

typedef int32_t i4 __attribute__((vector_size(16)));

// Under this, alpha-weighted texels would lose their colours to 0 / 0. It rounds to 0 in 8 bits and in half floats, and
// against the least alpha there is, 1 / 65535, it weighs nothing.
#define ALPHA_FLOOR 0x1p-26f

// Squared length below which a normal has no direction worth keeping.
#define NORMAL_MIN 1e-12f

typedef struct chain
{
	const lrd_mips_desc *desc;
	const lrd_image *image;
	lrd_allocator allocator;
	bool decodes; // sRGB in the image
	bool encodes; // sRGB in the chain
	bool half_float;
	lrd_coverage coverage;
	lrd_srgb_tables tables;
	float *linear_16; // of each 16-bit code; NULL unless needed
	lrd_f4 *rows;     // a row of level 0, and the sum of two or three rows
	lrd_f4 *level;    // the last level filtered
	size_t level_size;
} chain;

#define LINEAR_16_SIZE (65536 * sizeof(float))

static lrd_f4 load_8(const chain *self, const uint8_t *texel)
{
	lrd_f4 value = { (float)texel[0], (float)texel[1], (float)texel[2], (float)texel[3] };
	value = value * (1.0f / 255.0f);
	if (self->decodes)
	{
		const float *linear = self->tables.linear;
		value = (lrd_f4){ linear[texel[0]], linear[texel[1]], linear[texel[2]], value[3] };
	}
	return value;
}

static lrd_f4 load_16(const chain *self, const uint16_t *texel)
{
	lrd_f4 value = { (float)texel[0], (float)texel[1], (float)texel[2], (float)texel[3] };
	value = value * (1.0f / 65535.0f);
	if (self->decodes)
	{
		const float *linear = self->linear_16;
		value = (lrd_f4){ linear[texel[0]], linear[texel[1]], linear[texel[2]], value[3] };
	}
	return value;
}

static lrd_f4 load_float(const chain *self, const float *texel)
{
	lrd_f4 value;
	memcpy(&value, texel, sizeof value);
	if (self->decodes)
	{
		value = (lrd_f4){ lrd_srgb_to_linear(texel[0]), lrd_srgb_to_linear(texel[1]), lrd_srgb_to_linear(texel[2]),
			texel[3] };
	}
	return value;
}

// A row of level 0, in linear light, normals from -1 to 1.
static void load_row(const chain *self, uint32_t y, lrd_f4 *row)
{
	const lrd_image *image = self->image;
	size_t width = image->width;
	size_t first = 4 * width * y;
	for (size_t x = 0; x < width; x++)
	{
		size_t at = first + 4 * x;
		switch (image->type)
		{
		case LRD_PIXEL_UNORM8: row[x] = load_8(self, (const uint8_t *)image->pixels + at); break;
		case LRD_PIXEL_UNORM16: row[x] = load_16(self, (const uint16_t *)image->pixels + at); break;
		case LRD_PIXEL_F32: row[x] = load_float(self, (const float *)image->pixels + at); break;
		}
	}
	const lrd_f4 scale = { 2.0f, 2.0f, 2.0f, 1.0f };
	const lrd_f4 bias = { -1.0f, -1.0f, -1.0f, 0.0f };
	for (size_t x = 0; x < width && self->desc->content == LRD_MIP_NORMAL; x++)
	{
		row[x] = row[x] * scale + bias;
	}
}

static void weight_row(lrd_f4 *row, size_t width)
{
	for (size_t x = 0; x < width; x++)
	{
		float alpha = row[x][3] > ALPHA_FLOOR ? row[x][3] : ALPHA_FLOOR;
		row[x] = row[x] * (lrd_f4){ alpha, alpha, alpha, 0.0f } + (lrd_f4){ 0.0f, 0.0f, 0.0f, alpha };
	}
}

static lrd_f4 unweight(lrd_f4 texel)
{
	float alpha = texel[3];
	return texel / (lrd_f4){ alpha, alpha, alpha, 1.0f };
}

static lrd_f4 encode_normal(lrd_f4 texel)
{
	float squared = texel[0] * texel[0] + texel[1] * texel[1] + texel[2] * texel[2];
	float scale = squared > NORMAL_MIN ? 0.5f / sqrtf(squared) : 0.0f;
	float z = squared > NORMAL_MIN ? texel[2] * scale + 0.5f : 1.0f;
	return (lrd_f4){ texel[0] * scale + 0.5f, texel[1] * scale + 0.5f, z, texel[3] };
}

// Into 0..1; NaN becomes 0.
static lrd_f4 saturate(lrd_f4 value)
{
	const lrd_f4 zero = { 0 };
	const lrd_f4 one = { 1.0f, 1.0f, 1.0f, 1.0f };
	i4 positive = (i4)(value > zero);
	value = (lrd_f4)((i4)value & positive);
	i4 above = (i4)(value > one);
	return (lrd_f4)(((i4)one & above) | ((i4)value & ~above));
}

static void store_8(const chain *self, lrd_f4 value, uint8_t *texel)
{
	lrd_f4 unit = saturate(value);
	i4 codes = __builtin_convertvector(unit * 255.0f + 0.5f, i4);
	for (size_t channel = 0; channel < 3; channel++)
	{
		texel[channel] = self->encodes ? lrd_srgb_encode(&self->tables, unit[channel]) : (uint8_t)codes[channel];
	}
	texel[3] = (uint8_t)codes[3];
}

static void store_half(lrd_f4 value, uint8_t *texel)
{
	uint16_t halves[4];
	for (size_t channel = 0; channel < 4; channel++)
	{
		// An infinity would spread over everything that filters it.
		float finite = value[channel] > LRD_HALF_MAX    ? LRD_HALF_MAX
					   : value[channel] < -LRD_HALF_MAX ? -LRD_HALF_MAX
														: value[channel];
		halves[channel] = finite == finite ? lrd_half_from_float(finite) : 0;
	}
	memcpy(texel, halves, sizeof halves);
}

static void store_row(
	const chain *self, const lrd_f4 *row, size_t count, bool weighted, float alpha_scale, uint8_t *out)
{
	size_t texel_size = self->half_float ? 8 : 4;
	const lrd_f4 scale = { 1.0f, 1.0f, 1.0f, alpha_scale };
	for (size_t x = 0; x < count; x++)
	{
		lrd_f4 value = (weighted ? unweight(row[x]) : row[x]) * scale;
		value = self->desc->content == LRD_MIP_NORMAL ? encode_normal(value) : value;
		if (self->half_float)
		{
			value[3] = alpha_scale > 1.0f && value[3] > 1.0f ? 1.0f : value[3];
			store_half(value, out + texel_size * x);
		}
		else
		{
			store_8(self, value, out + texel_size * x);
		}
	}
}

// What one texel of a level takes of the level before, along one axis.
typedef struct taps
{
	uint32_t first;
	uint32_t count; // 1..3
	float weights[3];
} taps;

static taps taps_of(uint32_t size, uint32_t index)
{
	if (size == 1)
	{
		return (taps){ 0, 1, { 1.0f } };
	}
	if (size % 2 == 0)
	{
		return (taps){ 2 * index, 2, { 0.5f, 0.5f } };
	}
	uint32_t half = size / 2;
	float all = (float)size;
	return (taps){ 2 * index, 3, { (float)(half - index) / all, (float)half / all, (float)(index + 1) / all } };
}

// Rows of the level before that one row takes, summed.
static void sum_rows(const chain *self, uint32_t width, taps rows, bool from_image, lrd_f4 *sum)
{
	bool weighted = self->desc->alpha_weighted;
	for (uint32_t tap = 0; tap < rows.count; tap++)
	{
		const lrd_f4 *row = self->level + (size_t)(rows.first + tap) * width;
		if (from_image)
		{
			load_row(self, rows.first + tap, self->rows);
			if (weighted)
			{
				weight_row(self->rows, width);
			}
			row = self->rows;
		}
		for (size_t x = 0; x < width; x++)
		{
			lrd_f4 part = row[x] * rows.weights[tap];
			sum[x] = tap == 0 ? part : sum[x] + part;
		}
	}
}

static void filter_row(const lrd_f4 *sum, uint32_t width, uint32_t next_width, lrd_f4 *out)
{
	if (width % 2 == 0)
	{
		for (size_t x = 0; x < next_width; x++)
		{
			out[x] = (sum[2 * x] + sum[2 * x + 1]) * 0.5f;
		}
		return;
	}
	for (uint32_t x = 0; x < next_width; x++)
	{
		taps columns = taps_of(width, x);
		lrd_f4 value = sum[columns.first] * columns.weights[0];
		for (uint32_t tap = 1; tap < columns.count; tap++)
		{
			value += sum[columns.first + tap] * columns.weights[tap];
		}
		out[x] = value;
	}
}

static uint32_t halved(uint32_t size)
{
	return size > 1 ? size / 2 : 1;
}

// Replace `level` by the next one, in place: a row is written no further than the rows it was made of.
static void filter_level(const chain *self, uint32_t width, uint32_t height, bool from_image)
{
	uint32_t next_width = halved(width);
	uint32_t next_height = halved(height);
	lrd_f4 *sum = self->rows + self->image->width;
	for (uint32_t y = 0; y < next_height; y++)
	{
		sum_rows(self, width, taps_of(height, y), from_image, sum);
		filter_row(sum, width, next_width, self->level + (size_t)y * next_width);
	}
}

// The share of level 0's texels that reach the cutoff, as stored.
static double share_reaching(const chain *self, const uint8_t *data, size_t texels)
{
	size_t reaching = 0;
	for (size_t i = 0; i < texels; i++)
	{
		float alpha = (float)data[4 * i + 3] / 255.0f;
		if (self->half_float)
		{
			uint16_t half;
			memcpy(&half, data + 8 * i + 6, sizeof half);
			alpha = lrd_float_from_half(half);
		}
		reaching += alpha >= self->desc->alpha_coverage;
	}
	return (double)reaching / (double)texels;
}

static void store_level_0(chain *self, lrd_mips *mips)
{
	const lrd_image *image = self->image;
	uint8_t *data = mips->levels[0].data;
	if (image->type == LRD_PIXEL_UNORM8 && self->decodes == self->encodes)
	{
		memcpy(data, image->pixels, image->size);
	}
	else if (image->type == LRD_PIXEL_UNORM16 && self->decodes == self->encodes)
	{
		const uint16_t *codes = image->pixels;
		for (size_t i = 0; i < mips->levels[0].size; i++)
		{
			data[i] = (uint8_t)((codes[i] * 255u + 32767u) / 65535u);
		}
	}
	else
	{
		size_t row_size = mips->levels[0].size / image->height;
		for (uint32_t y = 0; y < image->height; y++)
		{
			load_row(self, y, self->rows);
			store_row(self, self->rows, image->width, false, 1.0f, data + row_size * y);
		}
	}
}

static void make_levels(chain *self, lrd_mips *mips)
{
	store_level_0(self, mips);
	bool keeps_coverage = self->desc->alpha_coverage > 0.0f;
	if (keeps_coverage)
	{
		float cutoff = self->desc->alpha_coverage;
		self->coverage.reached = self->half_float ? lrd_coverage_reached_half(cutoff) : lrd_coverage_reached_8(cutoff);
		self->coverage.share =
			share_reaching(self, mips->levels[0].data, (size_t)self->image->width * self->image->height);
	}
	for (uint32_t i = 1; i < mips->level_count; i++)
	{
		filter_level(self, mips->levels[i - 1].width, mips->levels[i - 1].height, i == 1);
		size_t texels = (size_t)mips->levels[i].width * mips->levels[i].height;
		float scale = keeps_coverage ? lrd_coverage_scale(&self->coverage, self->level, texels) : 1.0f;
		store_row(self, self->level, texels, self->desc->alpha_weighted, scale, mips->levels[i].data);
	}
}

static bool reserve_levels(const lrd_mips_desc *desc, lrd_mips *mips, lrd_error *error)
{
	uint32_t width = desc->image->width;
	uint32_t height = desc->image->height;
	size_t texel_size = mips->half_float ? 8 : 4;
	bool more = true;
	while (more && (desc->level_count == 0 || mips->level_count < desc->level_count))
	{
		size_t size = (size_t)width * height * texel_size; // no overflow: not more than the image's own size
		uint8_t *data = lrd_alloc(mips->allocator, size);
		if (data == NULL)
		{
			return lrd_fail_memory(error, "mip level", size);
		}
		uint32_t level = mips->level_count++;
		mips->levels[level].width = width;
		mips->levels[level].height = height;
		mips->levels[level].data = data;
		mips->levels[level].size = size;
		more = width > 1 || height > 1;
		width = halved(width);
		height = halved(height);
	}
	return true;
}

static bool reserve_chain(chain *self, const lrd_mips *mips, lrd_error *error)
{
	size_t rows_size = 2 * (size_t)self->image->width * sizeof(lrd_f4);
	self->rows = lrd_alloc(self->allocator, rows_size);
	if (self->rows == NULL)
	{
		return lrd_fail_memory(error, "rows in float", rows_size);
	}
	if (mips->level_count > 1)
	{
		self->level_size = (size_t)mips->levels[1].width * mips->levels[1].height * sizeof(lrd_f4);
		self->level = lrd_alloc(self->allocator, self->level_size);
		if (self->level == NULL)
		{
			return lrd_fail_memory(error, "mip level in float", self->level_size);
		}
	}
	lrd_srgb_tables_fill(&self->tables);
	if (self->decodes && self->image->type == LRD_PIXEL_UNORM16)
	{
		self->linear_16 = lrd_alloc(self->allocator, LINEAR_16_SIZE);
		if (self->linear_16 == NULL)
		{
			return lrd_fail_memory(error, "sRGB table", LINEAR_16_SIZE);
		}
		for (uint32_t code = 0; code < 65536; code++)
		{
			self->linear_16[code] = (float)lrd_srgb_to_linear_exact(code / 65535.0);
		}
	}
	return true;
}

static void release_chain(chain *self)
{
	lrd_free(self->allocator, self->rows, self->rows != NULL ? 2 * (size_t)self->image->width * sizeof(lrd_f4) : 0);
	lrd_free(self->allocator, self->level, self->level_size);
	lrd_free(self->allocator, self->linear_16, LINEAR_16_SIZE);
}

bool lrd_mips_make(const lrd_mips_desc *desc, lrd_mips *mips, lrd_error *error)
{
	const lrd_image *image = desc->image;
	if (image->width == 0 || image->height == 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "mips of an image of %u x %u texels", image->width, image->height);
	}
	if (!(desc->alpha_coverage >= 0.0f && desc->alpha_coverage <= 1.0f))
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "alpha coverage cutoff %g; expected 0 (off) to 1", (double)desc->alpha_coverage);
	}
	bool is_color = desc->content == LRD_MIP_COLOR;
	lrd_mips result = { .half_float = image->type == LRD_PIXEL_F32,
		.allocator = lrd_allocator_or_default(desc->allocator) };
	chain work = {
		.desc = desc,
		.image = image,
		.allocator = result.allocator,
		.decodes = is_color && !image->linear,
		.encodes = is_color && !result.half_float,
		.half_float = result.half_float,
	};
	bool reserved = reserve_levels(desc, &result, error) && reserve_chain(&work, &result, error);
	if (reserved)
	{
		make_levels(&work, &result);
		*mips = result;
	}
	else
	{
		lrd_mips_free(&result);
	}
	release_chain(&work);
	return reserved;
}

void lrd_mips_free(lrd_mips *mips)
{
	for (uint32_t i = 0; i < mips->level_count; i++)
	{
		lrd_free(mips->allocator, mips->levels[i].data, mips->levels[i].size);
		mips->levels[i].data = NULL;
	}
	mips->level_count = 0;
}
