// Comparing images, row by row; whatever the pixels' types, as floats. What a cook's report asks of every texture,
// squared errors of RGBA8, has a way of its own.

#include "image/compare.h"

#include "base/error.h"
#include "image/compare_ssim.h"

typedef uint8_t u8s __attribute__((vector_size(8)));
typedef int16_t i16s __attribute__((vector_size(16)));
typedef uint16_t u16s __attribute__((vector_size(16)));
typedef uint32_t u32s __attribute__((vector_size(16)));

// Of two texels: (255^2) * this fits 32 bits.
#define SUMMED_AT_ONCE 32768u

double lrd_compare_psnr(double mse)
{
	return mse > 0 ? -10 * log10(mse) : (double)INFINITY;
}

static u16s squares_of(const uint8_t *a, const uint8_t *b)
{
	u8s texels_a, texels_b;
	memcpy(&texels_a, a, sizeof texels_a);
	memcpy(&texels_b, b, sizeof texels_b);
	i16s difference = __builtin_convertvector(texels_a, i16s) - __builtin_convertvector(texels_b, i16s);
	return (u16s)difference * (u16s)difference; // 255^2 fits
}

// A pair of texels is eight 16-bit squares, RGBARGBA; as 32-bit integers their lower halves are R B R B, their upper
// halves G A G A.
void lrd_compare_unorm8(const uint8_t *a, const uint8_t *b, size_t texels, uint64_t sums[4])
{
	for (size_t channel = 0; channel < 4; channel++)
	{
		sums[channel] = 0;
	}
	size_t pairs = texels / 2;
	for (size_t first = 0; first < pairs; first += SUMMED_AT_ONCE)
	{
		size_t end = pairs - first < SUMMED_AT_ONCE ? pairs : first + SUMMED_AT_ONCE;
		u32s lower = { 0 };
		u32s upper = { 0 };
		for (size_t pair = first; pair < end; pair++)
		{
			u32s squares = (u32s)squares_of(a + 8 * pair, b + 8 * pair);
			lower += squares & 0xffffu;
			upper += squares >> 16;
		}
		sums[0] += (uint64_t)lower[0] + lower[2];
		sums[1] += (uint64_t)upper[0] + upper[2];
		sums[2] += (uint64_t)lower[1] + lower[3];
		sums[3] += (uint64_t)upper[1] + upper[3];
	}
	for (size_t i = 8 * pairs; i < 4 * texels; i++)
	{
		int difference = a[i] - b[i];
		sums[i % 4] += (uint64_t)(difference * difference);
	}
}

// Below this, a reference is black.
#define PEAK_MIN 0x1p-100f

typedef struct comparing
{
	const lrd_compare_desc *desc;
	lrd_image images[2]; // shallow: to be read as compared
	lrd_light_reader readers[2];
	lrd_rgba *rows[2];
	size_t row_size;
	bool has_floats;
	lrd_ssim ssim;
	double squares[4];
	double log_squares;
	double angles;
	lrd_comparison result;
} comparing;

static float scaled(lrd_compare_scale scale, float value)
{
	float positive = value > 0.0f ? value : 0.0f;
	switch (scale)
	{
	case LRD_COMPARE_LOG2: return (float)log2(1.0 + (double)positive);
	case LRD_COMPARE_REINHARD: return positive / (1.0f + positive);
	default: return value;
	}
}

// Colours over 2^60 or so have squares that a float still holds.
static void scale_row(const comparing *self, lrd_rgba *row)
{
	lrd_compare_scale scale = self->desc->scale;
	for (size_t x = 0; scale != LRD_COMPARE_PLAIN && x < self->images[0].width; x++)
	{
		lrd_rgba texel = row[x];
		row[x] = (lrd_rgba){ scaled(scale, texel[0]), scaled(scale, texel[1]), scaled(scale, texel[2]), texel[3] };
	}
}

static double find_peak(comparing *self)
{
	if (!self->has_floats)
	{
		return 1;
	}
	const lrd_image *reference = &self->images[0];
	lrd_rgba *row = self->rows[0];
	float peak = 0.0f;
	for (uint32_t y = 0; y < reference->height; y++)
	{
		lrd_light_reader_row(&self->readers[0], 0, y, reference->width, row);
		scale_row(self, row);
		for (size_t x = 0; x < reference->width; x++)
		{
			for (size_t channel = 0; channel < 3; channel++)
			{
				peak = row[x][channel] > peak ? row[x][channel] : peak;
			}
		}
	}
	return peak > PEAK_MIN && reference->type == LRD_PIXEL_F32 ? (double)peak : 1;
}

static void add_logarithms(comparing *self)
{
	double sum = 0;
	for (size_t x = 0; x < self->images[0].width; x++)
	{
		for (size_t channel = 0; channel < 3; channel++)
		{
			double a = (double)self->rows[0][x][channel];
			double b = (double)self->rows[1][x][channel];
			double difference = a == b ? 0 : log1p(a > 0 ? a : 0) - log1p(b > 0 ? b : 0);
			sum += difference * difference;
		}
	}
	self->log_squares += sum;
}

static void add_squares(comparing *self)
{
	double sums[4] = { 0 };
	lrd_rgba most = { 0 };
	for (size_t x = 0; x < self->images[0].width; x++)
	{
		lrd_rgba difference = self->rows[0][x] - self->rows[1][x];
		for (size_t channel = 0; channel < 4; channel++)
		{
			float size = fabsf(difference[channel]);
			most[channel] = size > most[channel] ? size : most[channel];
			sums[channel] += (double)size * (double)size;
		}
	}
	for (size_t channel = 0; channel < 4; channel++)
	{
		double largest = (double)most[channel];
		self->squares[channel] += sums[channel];
		self->result.max_error[channel] =
			largest > self->result.max_error[channel] ? largest : self->result.max_error[channel];
	}
}

static void normal_of(const comparing *self, size_t image, lrd_rgba texel, double normal[3])
{
	bool is_unorm = self->images[image].type != LRD_PIXEL_F32;
	for (size_t axis = 0; axis < 3; axis++)
	{
		double value = (double)texel[axis];
		normal[axis] = is_unorm ? 2 * value - 1 : value;
	}
	if (self->desc->normals == LRD_COMPARE_XY)
	{
		double left = 1 - normal[0] * normal[0] - normal[1] * normal[1];
		normal[2] = left > 0 ? sqrt(left) : 0;
	}
	if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0)
	{
		normal[2] = 1;
	}
}

// By sine and cosine: an arc cosine would lose small angles.
static double angle_between(const double a[3], const double b[3])
{
	double x = a[1] * b[2] - a[2] * b[1];
	double y = a[2] * b[0] - a[0] * b[2];
	double z = a[0] * b[1] - a[1] * b[0];
	double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
	return atan2(sqrt(x * x + y * y + z * z), cosine) * (180 / LRD_CUBE_PI);
}

static void add_angles(comparing *self)
{
	double sum = 0;
	for (size_t x = 0; x < self->images[0].width; x++)
	{
		double a[3], b[3];
		normal_of(self, 0, self->rows[0][x], a);
		normal_of(self, 1, self->rows[1][x], b);
		double angle = angle_between(a, b);
		sum += angle;
		self->result.angle_max = angle > self->result.angle_max ? angle : self->result.angle_max;
	}
	self->angles += sum;
}

static uint8_t to_byte(float value)
{
	return value >= 1.0f ? 255 : (uint8_t)(value * 255.0f + 0.5f);
}

static void draw(comparing *self, uint32_t y)
{
	uint32_t width = self->images[0].width;
	uint8_t *texel = self->desc->picture + (size_t)4 * width * y;
	float amplify = self->desc->amplify > 0.0f ? self->desc->amplify : 1.0f;
	float of_colour = (float)((double)amplify / self->result.peak);
	for (size_t x = 0; x < width; x++, texel += 4)
	{
		lrd_rgba difference = self->rows[0][x] - self->rows[1][x];
		float alpha = fabsf(difference[3]) * amplify;
		for (size_t channel = 0; channel < 3; channel++)
		{
			texel[channel] = to_byte(fabsf(difference[channel]) * of_colour + alpha);
		}
		texel[3] = 255;
	}
}

static void compare_rows(comparing *self)
{
	const lrd_compare_desc *desc = self->desc;
	const lrd_image *image = &self->images[0];
	for (uint32_t y = 0; y < image->height; y++)
	{
		lrd_light_reader_row(&self->readers[0], 0, y, image->width, self->rows[0]);
		lrd_light_reader_row(&self->readers[1], 0, y, image->width, self->rows[1]);
		if (self->has_floats)
		{
			add_logarithms(self);
		}
		if (desc->normals != LRD_COMPARE_NO_NORMALS)
		{
			add_angles(self);
		}
		scale_row(self, self->rows[0]);
		scale_row(self, self->rows[1]);
		add_squares(self);
		if (!desc->skip_ssim)
		{
			lrd_ssim_row(&self->ssim, self->rows[0], self->rows[1]);
		}
		if (desc->picture != NULL)
		{
			draw(self, y);
		}
	}
}

// Squared errors of 8-bit codes are whole numbers, and exact.
static void sum_codes(comparing *self)
{
	bool as_codes = self->images[0].linear && self->images[1].linear;
	bool are_codes = self->images[0].type == LRD_PIXEL_UNORM8 && self->images[1].type == LRD_PIXEL_UNORM8;
	if (!as_codes || !are_codes || self->desc->scale != LRD_COMPARE_PLAIN)
	{
		return;
	}
	uint64_t sums[4];
	size_t texels = (size_t)self->images[0].width * self->images[0].height;
	lrd_compare_unorm8(self->images[0].pixels, self->images[1].pixels, texels, sums);
	for (size_t channel = 0; channel < 4; channel++)
	{
		self->squares[channel] = (double)sums[channel] / (255.0 * 255.0);
	}
}

static void conclude(comparing *self)
{
	lrd_comparison *result = &self->result;
	double texels = (double)self->images[0].width * (double)self->images[0].height;
	double peak_squared = result->peak * result->peak;
	double colours = 0;
	for (size_t channel = 0; channel < 4; channel++)
	{
		result->mse[channel] = self->squares[channel] / texels;
		double relative = channel < 3 ? result->mse[channel] / peak_squared : result->mse[channel];
		result->psnr[channel] = lrd_compare_psnr(relative);
		colours += channel < 3 ? relative : 0;
	}
	result->psnr_rgb = lrd_compare_psnr(colours / 3);
	result->psnr_rgba = lrd_compare_psnr((colours + result->mse[3]) / 4);
	result->rmsle = sqrt(self->log_squares / (3 * texels));
	result->angle_mean = self->angles / texels;
	if (!self->desc->skip_ssim)
	{
		result->ssim_luma = lrd_ssim_mean(&self->ssim, 0);
		result->ssim_rgb =
			(lrd_ssim_mean(&self->ssim, 1) + lrd_ssim_mean(&self->ssim, 2) + lrd_ssim_mean(&self->ssim, 3)) / 3;
	}
}

static bool open_images(comparing *self, lrd_error *error)
{
	const lrd_compare_desc *desc = self->desc;
	bool decode = desc->reference->linear != desc->image->linear;
	for (size_t i = 0; i < 2; i++)
	{
		const lrd_image *image = i == 0 ? desc->reference : desc->image;
		self->images[i] = *image;
		self->images[i].linear = decode ? image->linear : true; // as codes, whatever they mean
		self->has_floats = self->has_floats || image->type == LRD_PIXEL_F32;
		self->row_size = (size_t)image->width * sizeof(lrd_rgba);
		self->rows[i] = lrd_alloc(desc->allocator, self->row_size);
		if (self->rows[i] == NULL)
		{
			return lrd_fail_memory(error, "row of an image in float", self->row_size);
		}
		if (!lrd_light_reader_open(&self->readers[i], &self->images[i], desc->allocator, error))
		{
			return false;
		}
	}
	return true;
}

static void release(comparing *self)
{
	lrd_ssim_close(&self->ssim);
	for (size_t i = 0; i < 2; i++)
	{
		if (self->rows[i] != NULL)
		{
			lrd_free(self->desc->allocator, self->rows[i], self->row_size);
		}
		lrd_light_reader_close(&self->readers[i]);
	}
}

bool lrd_compare(const lrd_compare_desc *desc, lrd_comparison *result, lrd_error *error)
{
	const lrd_image *a = desc->reference;
	const lrd_image *b = desc->image;
	if (a->width != b->width || a->height != b->height)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "images of different sizes can't be compared: %u x %u and %u x %u",
			a->width, a->height, b->width, b->height);
	}
	if (a->width == 0 || a->height == 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "images of %u x %u texels can't be compared", a->width, a->height);
	}
	comparing self = { .desc = desc };
	bool opened = open_images(&self, error);
	if (opened)
	{
		self.result.peak = find_peak(&self);
		opened = desc->skip_ssim ||
				 lrd_ssim_open(&self.ssim, a->width, a->height, self.result.peak, desc->isa, desc->allocator, error);
	}
	if (opened)
	{
		compare_rows(&self);
		sum_codes(&self);
		conclude(&self);
		*result = self.result;
	}
	release(&self);
	return opened;
}
