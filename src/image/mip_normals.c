// Unit normals for a roughness map of any size. Each normal is given length 1 before it is averaged, or the rounding of
// 8 bits would pass for lost length.

#include "image/mips.h"

#include "base/error.h"
#include "base/lanes.h"

#include <math.h>

#define ROW_PLANES 4u

lrd_mip_loading lrd_mip_normal_loading(lrd_pixel_type type)
{
	bool is_signed = type == LRD_PIXEL_F32;
	return (lrd_mip_loading){
		.type = type,
		.scale = is_signed ? 1.0f : 2.0f / lrd_pixel_unit(type),
		.bias = is_signed ? 0.0f : -1.0f,
	};
}

static bool is_same_size(const lrd_mip_normals *self)
{
	return self->image->width == self->width && self->image->height == self->height;
}

static size_t memory_size(const lrd_mip_normals *self)
{
	return 2 * ROW_PLANES * self->stride * sizeof *self->memory;
}

bool lrd_mip_normals_open(lrd_mip_normals *normals, lrd_error *error)
{
	normals->stride = lrd_align_up(normals->image->width, LRD_LANES_MAX);
	if (is_same_size(normals))
	{
		return true;
	}
	normals->memory = lrd_alloc(normals->allocator, memory_size(normals));
	return normals->memory != NULL || lrd_fail_memory(error, "normals in float", memory_size(normals));
}

void lrd_mip_normals_close(lrd_mip_normals *normals)
{
	lrd_free(normals->allocator, normals->memory, normals->memory != NULL ? memory_size(normals) : 0);
	normals->memory = NULL;
}

static void load_row(const lrd_mip_normals *self, uint32_t y, float *planes, size_t stride)
{
	const lrd_image *image = self->image;
	lrd_mip_loading loading = lrd_mip_normal_loading(image->type);
	size_t row_size = image->width * lrd_pixel_size(image->type);
	self->kernels.load(&loading, (const uint8_t *)image->pixels + row_size * y, image->width, planes, stride);
	self->kernels.shape_normals(self->two_channel, false, true, image->width, planes, stride);
}

// The part of an axis of `from` texels that texel `index` of `to` covers.
typedef struct span
{
	double begin, end;
	uint32_t first, last;
} span;

static span span_of(uint32_t index, uint32_t to, uint32_t from)
{
	double begin = (double)index * from / to, end = (double)(index + 1) * from / to;
	uint32_t last = (uint32_t)ceil(end) - 1;
	return (span){ begin, end, (uint32_t)begin, last < from ? last : from - 1 };
}

// The share that a texel has in the span.
static float weight_of(const span *of, uint32_t texel)
{
	double begin = texel > of->begin ? texel : of->begin;
	double end = texel + 1.0 < of->end ? texel + 1.0 : of->end;
	return (float)((end - begin) / (of->end - of->begin));
}

void lrd_mip_normals_row(const lrd_mip_normals *normals, uint32_t y, float *planes, size_t stride)
{
	if (is_same_size(normals))
	{
		load_row(normals, y, planes, stride);
		return;
	}
	float *row = normals->memory, *sum = row + ROW_PLANES * normals->stride;
	memset(sum, 0, ROW_PLANES * normals->stride * sizeof *sum);
	span rows = span_of(y, normals->height, normals->image->height);
	for (uint32_t i = rows.first; i <= rows.last; i++)
	{
		load_row(normals, i, row, normals->stride);
		float weight = weight_of(&rows, i);
		for (size_t x = 0; x < 3 * normals->stride; x++)
		{
			sum[x] += row[x] * weight;
		}
	}
	for (uint32_t x = 0; x < normals->width; x++)
	{
		span columns = span_of(x, normals->width, normals->image->width);
		float mean[3] = { 0 };
		for (uint32_t i = columns.first; i <= columns.last; i++)
		{
			float weight = weight_of(&columns, i);
			for (size_t channel = 0; channel < 3; channel++)
			{
				mean[channel] += sum[channel * normals->stride + i] * weight;
			}
		}
		for (size_t channel = 0; channel < 3; channel++)
		{
			planes[channel * stride + x] = mean[channel];
		}
	}
}
