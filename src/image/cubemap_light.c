// Reading images as linear light, with what is no number or too large set right and counted.

#include "image/cubemap_maths.h"

#include "base/error.h"

#define LINEAR_16_SIZE (65536 * sizeof(float))

bool lrd_light_reader_open(lrd_light_reader *reader, const lrd_image *image, lrd_allocator allocator, lrd_error *error)
{
	reader->image = image;
	reader->allocator = allocator;
	reader->clamped = 0;
	reader->linear_16 = NULL;
	lrd_srgb_tables_fill(&reader->tables);
	if (image->type == LRD_PIXEL_UNORM16 && !image->linear)
	{
		reader->linear_16 = lrd_alloc(allocator, LINEAR_16_SIZE);
		if (reader->linear_16 == NULL)
		{
			return lrd_fail_memory(error, "sRGB table", LINEAR_16_SIZE);
		}
		for (uint32_t code = 0; code < 65536; code++)
		{
			reader->linear_16[code] = (float)lrd_srgb_to_linear_exact(code / 65535.0);
		}
	}
	return true;
}

static lrd_rgba light_8(const lrd_light_reader *reader, const uint8_t *texel)
{
	if (reader->image->linear)
	{
		return (lrd_rgba){ (float)texel[0], (float)texel[1], (float)texel[2], (float)texel[3] } / 255.0f;
	}
	const float *linear = reader->tables.linear;
	return (lrd_rgba){ linear[texel[0]], linear[texel[1]], linear[texel[2]], (float)texel[3] / 255.0f };
}

static lrd_rgba light_16(const lrd_light_reader *reader, const uint16_t *texel)
{
	if (reader->image->linear)
	{
		return (lrd_rgba){ (float)texel[0], (float)texel[1], (float)texel[2], (float)texel[3] } / 65535.0f;
	}
	const float *linear = reader->linear_16;
	return (lrd_rgba){ linear[texel[0]], linear[texel[1]], linear[texel[2]], (float)texel[3] / 65535.0f };
}

static float in_range(lrd_light_reader *reader, float value)
{
	if (fabsf(value) <= LRD_CUBE_MAX_VALUE)
	{
		return value;
	}
	reader->clamped++;
	return value > 0.0f ? LRD_CUBE_MAX_VALUE : value < 0.0f ? -LRD_CUBE_MAX_VALUE : 0.0f;
}

static lrd_rgba light_float(lrd_light_reader *reader, const float *texel)
{
	lrd_rgba value;
	for (size_t channel = 0; channel < 4; channel++)
	{
		float component = texel[channel];
		if (channel < 3 && !reader->image->linear)
		{
			component = lrd_srgb_to_linear(component);
		}
		value[channel] = in_range(reader, component);
	}
	return value;
}

void lrd_light_reader_row(lrd_light_reader *reader, uint32_t x, uint32_t y, uint32_t count, lrd_rgba *row)
{
	const lrd_image *image = reader->image;
	size_t first = 4 * ((size_t)y * image->width + x);
	for (size_t i = 0; i < count; i++)
	{
		size_t at = first + 4 * i;
		switch (image->type)
		{
		case LRD_PIXEL_UNORM8: row[i] = light_8(reader, (const uint8_t *)image->pixels + at); break;
		case LRD_PIXEL_UNORM16: row[i] = light_16(reader, (const uint16_t *)image->pixels + at); break;
		case LRD_PIXEL_F32: row[i] = light_float(reader, (const float *)image->pixels + at); break;
		}
	}
}

void lrd_light_reader_close(lrd_light_reader *reader)
{
	if (reader->linear_16 != NULL)
	{
		lrd_free(reader->allocator, reader->linear_16, LINEAR_16_SIZE);
		reader->linear_16 = NULL;
	}
}
