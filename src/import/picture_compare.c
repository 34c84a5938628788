// Comparing pictures: which of their channels are held against each other, and as what; the measuring itself is
// image/compare.c's.

#include "import/picture.h"

#include "base/error.h"
#include "image/compare.h"
#include "image/compare_flip.h"

#include <math.h>

const char *lrd_compared_as_name(lrd_compared_as as)
{
	static const char *const names[] = { "codes", "light", "normals" };
	return (uint32_t)as < sizeof names / sizeof *names ? names[as] : "none";
}

typedef struct pair
{
	lrd_allocator allocator;
	lrd_image images[2]; ///< reference, other
	void *owned[2];      ///< where pixels had to change
	size_t owned_sizes[2];
	lrd_compared_as as;
	uint32_t channels;
	bool is_open;
	bool decodes; ///< sRGB-encoded colours of one of them
} pair;

static void pair_free(pair *self)
{
	for (size_t i = 0; i < 2; ++i)
	{
		lrd_free(self->allocator, self->owned[i], self->owned_sizes[i]);
	}
}

/// SNORM beside UNORM: -1..1 as 0..1.
static void shift(const lrd_pixels *pixels, uint16_t *to)
{
	const float *from = pixels->data;
	size_t values = (size_t)pixels->width * pixels->height * 4;
	for (size_t i = 0; i < values; ++i)
	{
		bool is_there = (pixels->channels >> i % 4 & 1) != 0;
		float value = i % 4 == 3 && !is_there ? 1.0f : (from[i] + 1.0f) * 0.5f;
		value = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
		to[i] = (uint16_t)(value * 65535.0f + 0.5f);
	}
}

/// Colours that one of the two lacks take the first that both have, so that measures of all three mean that one.
static void fill_channels(void *texels, size_t count, size_t component, uint32_t channels)
{
	size_t first = (channels & LRD_CHANNEL_R) != 0   ? 0
				   : (channels & LRD_CHANNEL_G) != 0 ? 1
				   : (channels & LRD_CHANNEL_B) != 0 ? 2
													 : 3;
	uint8_t *texel = texels;
	for (size_t i = 0; i < count; ++i, texel += 4 * component)
	{
		for (size_t c = 0; c < 3; ++c)
		{
			if ((channels >> c & 1) == 0)
			{
				memcpy(texel + c * component, texel + first * component, component);
			}
		}
	}
}

static bool prepare(pair *self, size_t index, const lrd_pixels *pixels, lrd_error *error)
{
	lrd_image *image = &self->images[index];
	*image = lrd_pixels_as_image(pixels);
	image->linear = !self->decodes || !pixels->srgb;
	size_t texels = (size_t)pixels->width * pixels->height;
	bool shifts = pixels->type == LRD_PIXELS_F32 && self->as != LRD_COMPARED_LIGHT;
	bool fills = (self->channels & LRD_CHANNELS_RGB) != LRD_CHANNELS_RGB;
	if (!shifts && !fills)
	{
		return true;
	}
	image->type = shifts ? LRD_PIXEL_UNORM16 : image->type;
	size_t component = shifts ? sizeof(uint16_t) : pixels->size / texels / 4;
	size_t size = texels * 4 * component;
	void *copy = lrd_alloc(self->allocator, size);
	if (copy == NULL)
	{
		return lrd_fail_memory(error, "pixels", size);
	}
	self->owned[index] = copy;
	self->owned_sizes[index] = size;
	if (shifts)
	{
		shift(pixels, copy);
	}
	else
	{
		memcpy(copy, pixels->data, size);
	}
	if (fills)
	{
		fill_channels(copy, texels, component, self->channels);
	}
	image->pixels = copy;
	image->size = size;
	return true;
}

static bool pair_open(pair *self, const lrd_pixels_compare_desc *desc, lrd_error *error)
{
	const lrd_pixels *a = desc->reference;
	const lrd_pixels *b = desc->pixels;
	if (a->width != b->width || a->height != b->height || a->width == 0 || a->height == 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"pictures of %u x %u and %u x %u texels can't be compared; expected one size", a->width, a->height,
			b->width, b->height);
	}
	*self = (pair){ .allocator = lrd_allocator_or_default(desc->allocator) };
	bool differ = a->srgb != b->srgb;
	self->is_open = !desc->normals && (a->range == LRD_PIXELS_OPEN || b->range == LRD_PIXELS_OPEN);
	bool is_light = self->is_open || (differ && desc->meaning == LRD_MEANING_COLORS);
	self->as = desc->normals ? LRD_COMPARED_NORMALS : is_light ? LRD_COMPARED_LIGHT : LRD_COMPARED_CODES;
	self->decodes = self->as == LRD_COMPARED_LIGHT && desc->meaning != LRD_MEANING_DATA;
	self->channels =
		desc->normals ? LRD_CHANNELS_RGB
					  : (a->channels & b->channels & LRD_CHANNELS_RGB) | ((a->channels | b->channels) & LRD_CHANNEL_A);
	if (!prepare(self, 0, a, error) || !prepare(self, 1, b, error))
	{
		pair_free(self);
		return false;
	}
	return true;
}

static lrd_compare_desc describe(const pair *self)
{
	return (lrd_compare_desc){
		.reference = &self->images[0],
		.image = &self->images[1],
		.normals = self->as == LRD_COMPARED_NORMALS ? LRD_COMPARE_XYZ : LRD_COMPARE_NO_NORMALS,
		.allocator = self->allocator,
	};
}

/// Of the colours that were compared.
static double psnr_of_colours(const lrd_comparison *measured, uint32_t channels, double peak)
{
	double sum = 0;
	double count = 0;
	for (uint32_t c = 0; c < 3; ++c)
	{
		bool is_compared = (channels >> c & 1) != 0;
		sum += is_compared ? measured->mse[c] / (peak * peak) : 0;
		count += is_compared ? 1 : 0;
	}
	return count > 0 ? lrd_compare_psnr(sum / count) : (double)INFINITY;
}

static void conclude(const pair *self, const lrd_comparison *measured, lrd_pixels_comparison *result)
{
	*result = (lrd_pixels_comparison){
		.as = self->as,
		.channels = self->channels,
		.peak = measured->peak,
		.psnr_rgb = psnr_of_colours(measured, self->channels, measured->peak),
		.ssim_luma = measured->ssim_luma,
		.ssim_rgb = measured->ssim_rgb,
		.angle_mean = measured->angle_mean,
		.angle_max = measured->angle_max,
		.rmsle = self->is_open ? measured->rmsle : 0,
	};
	for (uint32_t c = 0; c < 4; ++c)
	{
		bool is_compared = (self->channels >> c & 1) != 0;
		result->psnr[c] = is_compared ? measured->psnr[c] : (double)INFINITY;
		result->max_error[c] = is_compared ? measured->max_error[c] : 0;
		result->max = result->max_error[c] > result->max ? result->max_error[c] : result->max;
	}
}

/// Light has no upper end: what a viewer sees of it is told by curves that have one.
static bool measure_light(const pair *self, lrd_pixels_comparison *result, lrd_error *error)
{
	static const lrd_compare_scale scales[] = { LRD_COMPARE_REINHARD, LRD_COMPARE_LOG2 };
	double *const results[] = { &result->psnr_reinhard, &result->psnr_log2 };
	for (size_t i = 0; i < 2; ++i)
	{
		lrd_comparison measured;
		lrd_compare_desc how = describe(self);
		how.scale = scales[i];
		how.skip_ssim = true;
		if (!lrd_compare(&how, &measured, error))
		{
			return false;
		}
		double peak = how.scale == LRD_COMPARE_REINHARD ? 1 : measured.peak; // the curve's own end
		*results[i] = psnr_of_colours(&measured, self->channels, peak);
	}
	return true;
}

bool lrd_pixels_compare(const lrd_pixels_compare_desc *desc, lrd_pixels_comparison *comparison, lrd_error *error)
{
	pair self;
	if (!pair_open(&self, desc, error))
	{
		return false;
	}
	lrd_comparison measured;
	lrd_pixels_comparison result;
	lrd_compare_desc how = describe(&self);
	how.skip_ssim = desc->skip_ssim;
	bool good = lrd_compare(&how, &measured, error);
	if (good)
	{
		conclude(&self, &measured, &result);
		good = !self.is_open || measure_light(&self, &result, error);
	}
	pair_free(&self);
	if (good)
	{
		*comparison = result;
	}
	return good;
}

bool lrd_pixels_difference(const lrd_pixels_compare_desc *desc, lrd_pixels *picture, lrd_error *error)
{
	pair self;
	if (!pair_open(&self, desc, error))
	{
		return false;
	}
	lrd_pixels result = {
		.width = desc->reference->width,
		.height = desc->reference->height,
		.channels = LRD_CHANNELS_RGB,
		.size = (size_t)desc->reference->width * desc->reference->height * 4,
		.allocator = self.allocator,
	};
	result.data = lrd_alloc(self.allocator, result.size);
	lrd_comparison measured;
	lrd_compare_desc how = describe(&self);
	how.normals = LRD_COMPARE_NO_NORMALS;
	how.skip_ssim = true;
	how.picture = result.data;
	how.amplify = desc->amplify;
	bool good = result.data != NULL ? lrd_compare(&how, &measured, error)
									: lrd_fail_memory(error, "picture of the difference", result.size);
	pair_free(&self);
	if (!good)
	{
		lrd_pixels_free(&result);
		return false;
	}
	*picture = result;
	return true;
}

static bool flip_shown(const lrd_pixels_flip_desc *desc, uint8_t *shown, size_t size, lrd_pixels_flip_result *result,
	lrd_pixels *picture, lrd_error *error)
{
	lrd_pixels_show(desc->reference, shown);
	lrd_pixels_show(desc->pixels, shown + size);
	lrd_flip_desc how = {
		.reference = shown,
		.image = shown + size,
		.width = desc->reference->width,
		.height = desc->reference->height,
		.pixels_per_degree = desc->pixels_per_degree,
		.picture = picture != NULL ? picture->data : NULL,
		.allocator = lrd_allocator_or_default(desc->allocator),
	};
	lrd_flip_result measured;
	if (!lrd_flip(&how, &measured, error))
	{
		return false;
	}
	*result = (lrd_pixels_flip_result){ measured.mean, measured.most, measured.greatest };
	return true;
}

bool lrd_pixels_flip(
	const lrd_pixels_flip_desc *desc, lrd_pixels_flip_result *result, lrd_pixels *picture, lrd_error *error)
{
	const lrd_pixels *a = desc->reference;
	if (a->width != desc->pixels->width || a->height != desc->pixels->height || a->width == 0 || a->height == 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"pictures of %u x %u and %u x %u texels can't be compared; expected one size", a->width, a->height,
			desc->pixels->width, desc->pixels->height);
	}
	lrd_allocator allocator = lrd_allocator_or_default(desc->allocator);
	size_t size = (size_t)a->width * a->height * 4;
	uint8_t *shown = lrd_alloc(allocator, 2 * size);
	lrd_pixels drawn = {
		.width = a->width,
		.height = a->height,
		.channels = LRD_CHANNELS_RGB,
		.data = picture != NULL ? lrd_alloc(allocator, size) : NULL,
		.size = size,
		.allocator = allocator,
	};
	bool good = shown != NULL && (picture == NULL || drawn.data != NULL)
					? flip_shown(desc, shown, size, result, picture != NULL ? &drawn : NULL, error)
					: lrd_fail_memory(error, "pictures as a screen shows them", 3 * size);
	lrd_free(allocator, shown, 2 * size);
	if (picture == NULL || !good)
	{
		lrd_free(allocator, drawn.data, picture != NULL ? size : 0);
		return good;
	}
	*picture = drawn;
	return true;
}
