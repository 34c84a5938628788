// FLIP (image/compare_flip.h says whose). What the eye doesn't resolve is filtered away, what is left is compared as colours and
// as edges and points. Every filter is separable: rows are filtered along themselves as they come and kept in a ring, and down once
// there are as many as the filters reach over.

#include "image/compare_flip.h"

#include "base/error.h"
#include "base/memory.h"
#include "image/image.h"

#include <math.h>
#include <string.h>

#define LEAST_PIXELS_PER_DEGREE 1.0f
#define MOST_PIXELS_PER_DEGREE 400.0f
#define RADIUS_MAX 64u // of the widest filter at that many

static const double pi = 3.14159265358979323846;

// Spatial filters: sums of Gaussians a * sqrt(pi / b) * exp(-pi^2 x^2 / b), x in degrees (paper, table 1).
#define B_LUMINANCE 0.0047
#define B_RED_GREEN 0.0053
#define A_BLUE_YELLOW_1 34.1
#define B_BLUE_YELLOW_1 0.04
#define A_BLUE_YELLOW_2 13.5
#define B_BLUE_YELLOW_2 0.025

#define FEATURE_WIDTH 0.082   // degrees
#define COLOR_EXPONENT 0.7    // q_c
#define COLOR_KNEE 0.4        // p_c
#define COLOR_KNEE_VALUE 0.95 // p_t
#define FEATURE_EXPONENT 0.5  // q_f

#define STEPS 1024u // of the histogram

typedef enum profile_name
{
	LUMINANCE, // Gaussians
	RED_GREEN,
	BLUE_YELLOW_1,
	BLUE_YELLOW_2,
	SMOOTH,
	EDGE,  // SMOOTH's first derivative
	POINT, // and its second
	PROFILE_COUNT
} profile_name;

// What is kept of a row: each a channel filtered along the row with the profile of that number.
#define KEPT_COUNT PROFILE_COUNT

// The channels of a row before that: Y, Cx, Cz.
static const uint8_t channel_of[KEPT_COUNT] = { 0, 1, 2, 2, 0, 0, 0 };

typedef struct flipping
{
	const lrd_flip_desc *desc;
	uint32_t radius;
	size_t width;
	size_t padded; // width and what filters reach beyond on both sides
	float profiles[PROFILE_COUNT][2 * RADIUS_MAX + 1];
	float second_weight; // of the second Gaussian of blue and yellow
	float linear[256];   // of codes
	double from_xyz[3][3];
	float greatest_color; // what colours can differ by, raised to COLOR_EXPONENT
	float *memory;
	size_t memory_floats;
	float *row;      // padded, one for each channel
	float *rings[2]; // of each image: ring of (2 radius + 1) rows of KEPT_COUNT channels
	float *down[2];  // of each image: what comes of filtering downwards, DOWN_COUNT rows
	uint64_t histogram[STEPS + 1];
	double sum;
	float greatest;
} flipping;

enum
{
	DOWN_Y,
	DOWN_CX,
	DOWN_CZ,
	DOWN_EDGE_X,
	DOWN_EDGE_Y,
	DOWN_POINT_X,
	DOWN_POINT_Y,
	DOWN_COUNT
};

// --- Colours ---

// Linear sRGB to XYZ, IEC 61966-2-1's primaries and D65, exact.
static const double to_xyz[3][3] = {
	{ 10135552.0 / 24577794.0, 8788810.0 / 24577794.0, 4435075.0 / 24577794.0 },
	{ 2613072.0 / 12288897.0, 8788810.0 / 12288897.0, 887015.0 / 12288897.0 },
	{ 1425312.0 / 73733382.0, 8788810.0 / 73733382.0, 70074185.0 / 73733382.0 },
};

static double white(size_t axis)
{
	return to_xyz[axis][0] + to_xyz[axis][1] + to_xyz[axis][2];
}

static void invert(const double m[3][3], double inverse[3][3])
{
	double determinant = 0;
	for (size_t i = 0; i < 3; i++)
	{
		size_t j = (i + 1) % 3, k = (i + 2) % 3;
		determinant += m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]);
	}
	for (size_t row = 0; row < 3; row++)
	{
		for (size_t column = 0; column < 3; column++)
		{
			size_t a = (column + 1) % 3, b = (column + 2) % 3, c = (row + 1) % 3, d = (row + 2) % 3;
			inverse[row][column] = (m[a][c] * m[b][d] - m[a][d] * m[b][c]) / determinant;
		}
	}
}

/// X, Y, Z over the white's.
static void relative_of(const double rgb[3], double xyz[3])
{
	for (size_t axis = 0; axis < 3; axis++)
	{
		xyz[axis] = (to_xyz[axis][0] * rgb[0] + to_xyz[axis][1] * rgb[1] + to_xyz[axis][2] * rgb[2]) / white(axis);
	}
}

static double lab_curve(double t)
{
	const double delta = 6.0 / 29.0;
	return t > delta * delta * delta ? cbrt(t) : t / (3 * delta * delta) + 4.0 / 29.0;
}

/// CIELAB, with chroma that grows with lightness (Hunt).
static void lab_of(const double rgb[3], double lab[3])
{
	double xyz[3];
	relative_of(rgb, xyz);
	double x = lab_curve(xyz[0]), y = lab_curve(xyz[1]), z = lab_curve(xyz[2]);
	lab[0] = 116 * y - 16;
	lab[1] = 0.01 * lab[0] * 500 * (x - y);
	lab[2] = 0.01 * lab[0] * 200 * (y - z);
}

/// HyAB: lightness by itself, chroma as the crow flies.
static double distance_of(const double a[3], const double b[3])
{
	double u = a[1] - b[1], v = a[2] - b[2];
	return fabs(a[0] - b[0]) + sqrt(u * u + v * v);
}

/// A filtered Y, Cx, Cz as linear RGB that a screen has.
static void rgb_of(const flipping *self, const float *const channels[3], size_t x, double rgb[3])
{
	double y = ((double)channels[0][x] + 16) / 116;
	const double xyz[3] = {
		(y + (double)channels[1][x] / 500) * white(0),
		y * white(1),
		(y - (double)channels[2][x] / 200) * white(2),
	};
	for (size_t i = 0; i < 3; i++)
	{
		double value = self->from_xyz[i][0] * xyz[0] + self->from_xyz[i][1] * xyz[1] + self->from_xyz[i][2] * xyz[2];
		rgb[i] = value > 0 ? (value < 1 ? value : 1) : 0;
	}
}

// --- Filters ---

static void make_gaussian(float *profile, uint32_t radius, double pixel, double b)
{
	double sum = 0;
	for (int pass = 0; pass < 2; pass++)
	{
		for (int tap = -(int)radius; tap <= (int)radius; tap++)
		{
			double x = tap * pixel, value = exp(-pi * pi * x * x / b);
			sum += pass == 0 ? value : 0;
			profile[tap + (int)radius] = (float)(value / sum);
		}
	}
}

/// The first or the second derivative of a Gaussian; what is positive of it sums up to 1, and what is negative to -1.
static void make_derivative(float *profile, uint32_t radius, double sigma, bool is_second)
{
	double sums[2] = { 0 };
	for (int pass = 0; pass < 2; pass++)
	{
		for (int tap = -(int)radius; tap <= (int)radius; tap++)
		{
			double x = tap, bell = exp(-x * x / (2 * sigma * sigma));
			double value = is_second ? (x * x / (sigma * sigma) - 1) * bell : -x * bell;
			sums[value < 0] += pass == 0 ? fabs(value) : 0;
			double sum = sums[value < 0];
			profile[tap + (int)radius] = sum > 0 ? (float)(value / sum) : 0.0f;
		}
	}
}

/// What one of two Gaussians adds up to over the pixels that it reaches, as the paper weighs them.
static double weight_of(uint32_t radius, double pixel, double a, double b)
{
	double sum = 0;
	for (int tap = -(int)radius; tap <= (int)radius; tap++)
	{
		double x = tap * pixel;
		sum += exp(-pi * pi * x * x / b);
	}
	return a * sqrt(pi / b) * sum * sum;
}

static void make_profiles(flipping *self, double pixels_per_degree)
{
	double pixel = 1 / pixels_per_degree, sigma = 0.5 * FEATURE_WIDTH * pixels_per_degree;
	uint32_t colors = (uint32_t)ceil(3 * sqrt(B_BLUE_YELLOW_1 / (2 * pi * pi)) * pixels_per_degree);
	uint32_t features = (uint32_t)ceil(3 * sigma);
	uint32_t radius = colors > features ? colors : features;
	self->radius = radius;
	static const double spreads[] = { B_LUMINANCE, B_RED_GREEN, B_BLUE_YELLOW_1, B_BLUE_YELLOW_2 };
	for (size_t i = 0; i < 4; i++)
	{
		make_gaussian(self->profiles[LUMINANCE + i] + radius - colors, colors, pixel, spreads[i]);
	}
	double first = weight_of(colors, pixel, A_BLUE_YELLOW_1, B_BLUE_YELLOW_1);
	double second = weight_of(colors, pixel, A_BLUE_YELLOW_2, B_BLUE_YELLOW_2);
	self->second_weight = (float)(second / (first + second));
	make_gaussian(self->profiles[SMOOTH] + radius - features, features, 1, 2 * pi * pi * sigma * sigma);
	make_derivative(self->profiles[EDGE] + radius - features, features, sigma, false);
	make_derivative(self->profiles[POINT] + radius - features, features, sigma, true);
}

static bool open(flipping *self, lrd_error *error)
{
	const lrd_flip_desc *desc = self->desc;
	float asked = desc->pixels_per_degree != 0.0f ? desc->pixels_per_degree : LRD_FLIP_PIXELS_PER_DEGREE;
	if (desc->width == 0 || desc->height == 0 || !(asked >= LEAST_PIXELS_PER_DEGREE && asked <= MOST_PIXELS_PER_DEGREE))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"pictures of %u x %u at %g pixels per degree can't be compared; expected 1 x 1 or more, and from 1 to 400",
			desc->width, desc->height, (double)asked);
	}
	make_profiles(self, (double)asked);
	self->width = desc->width;
	self->padded = self->width + 2 * self->radius;
	size_t ring = (2 * (size_t)self->radius + 1) * KEPT_COUNT * self->width;
	self->memory_floats = 3 * self->padded + 2 * ring + 2 * DOWN_COUNT * self->width;
	self->memory = lrd_alloc_zeroed(desc->allocator, self->memory_floats, sizeof(float));
	if (self->memory == NULL)
	{
		return lrd_fail_memory(error, "rows to filter", self->memory_floats * sizeof(float));
	}
	self->row = self->memory;
	for (size_t i = 0; i < 2; i++)
	{
		self->rings[i] = self->memory + 3 * self->padded + i * ring;
		self->down[i] = self->memory + 3 * self->padded + 2 * ring + i * DOWN_COUNT * self->width;
	}
	for (int code = 0; code < 256; code++)
	{
		self->linear[code] = lrd_srgb_to_linear((float)code / 255.0f);
	}
	invert(to_xyz, self->from_xyz);
	const double green[3] = { 0, 1, 0 }, blue[3] = { 0, 0, 1 };
	double labs[2][3];
	lab_of(green, labs[0]);
	lab_of(blue, labs[1]);
	self->greatest_color = (float)pow(distance_of(labs[0], labs[1]), COLOR_EXPONENT);
	return true;
}

/// Y, Cx, Cz of a row, with the outermost pixels repeated on both sides.
static void read_row(flipping *self, const uint8_t *texel)
{
	size_t radius = self->radius;
	for (size_t x = 0; x < self->width; x++, texel += 4)
	{
		const double rgb[3] = { (double)self->linear[texel[0]], (double)self->linear[texel[1]],
			(double)self->linear[texel[2]] };
		double xyz[3];
		relative_of(rgb, xyz);
		self->row[radius + x] = (float)(116 * xyz[1] - 16);
		self->row[self->padded + radius + x] = (float)(500 * (xyz[0] - xyz[1]));
		self->row[2 * self->padded + radius + x] = (float)(200 * (xyz[1] - xyz[2]));
	}
	for (size_t channel = 0; channel < 3; channel++)
	{
		float *row = self->row + channel * self->padded;
		for (size_t x = 0; x < radius; x++)
		{
			row[x] = row[radius];
			row[radius + self->width + x] = row[radius + self->width - 1];
		}
	}
}

static void add_scaled(float *restrict sum, const float *restrict values, float weight, size_t count)
{
	for (size_t x = 0; x < count; x++)
	{
		sum[x] += values[x] * weight;
	}
}

static float *kept_row(const flipping *self, size_t image, uint32_t y, size_t kept)
{
	size_t slot = y % (2 * self->radius + 1);
	return self->rings[image] + (slot * KEPT_COUNT + kept) * self->width;
}

/// Take in a row of an image.
static void filter_across(flipping *self, size_t image, uint32_t y)
{
	const uint8_t *pixels = image == 0 ? self->desc->reference : self->desc->image;
	read_row(self, pixels + (size_t)y * self->width * 4);
	for (size_t kept = 0; kept < KEPT_COUNT; kept++)
	{
		float *sum = kept_row(self, image, y, kept);
		const float *row = self->row + channel_of[kept] * self->padded;
		memset(sum, 0, self->width * sizeof *sum);
		for (size_t tap = 0; tap <= 2 * self->radius; tap++)
		{
			if (self->profiles[kept][tap] != 0.0f)
			{
				add_scaled(sum, row + tap, self->profiles[kept][tap], self->width);
			}
		}
	}
}

/// Around a row of an image, all of whose neighbours have been taken in.
static void filter_down(flipping *self, size_t image, uint32_t y)
{
	static const struct
	{
		uint8_t to, kept, profile;
	} ways[] = {
		{ DOWN_Y, LUMINANCE, LUMINANCE },
		{ DOWN_CX, RED_GREEN, RED_GREEN },
		{ DOWN_CZ, BLUE_YELLOW_1, BLUE_YELLOW_1 },
		{ DOWN_CZ, BLUE_YELLOW_2, BLUE_YELLOW_2 },
		{ DOWN_EDGE_X, EDGE, SMOOTH },
		{ DOWN_EDGE_Y, SMOOTH, EDGE },
		{ DOWN_POINT_X, POINT, SMOOTH },
		{ DOWN_POINT_Y, SMOOTH, POINT },
	};
	memset(self->down[image], 0, DOWN_COUNT * self->width * sizeof(float));
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
	{
		float share = ways[i].kept == BLUE_YELLOW_1   ? 1.0f - self->second_weight
					  : ways[i].kept == BLUE_YELLOW_2 ? self->second_weight
													  : 1.0f;
		for (size_t tap = 0; tap <= 2 * self->radius; tap++)
		{
			float weight = self->profiles[ways[i].profile][tap] * share;
			int64_t from = (int64_t)y + (int64_t)tap - (int64_t)self->radius;
			from = from < 0 ? 0 : from >= (int64_t)self->desc->height ? (int64_t)self->desc->height - 1 : from;
			if (weight != 0.0f)
			{
				add_scaled(self->down[image] + ways[i].to * self->width,
					kept_row(self, image, (uint32_t)from, ways[i].kept), weight, self->width);
			}
		}
	}
}

// --- Differences ---

static double color_difference(const flipping *self, size_t x)
{
	double labs[2][3];
	for (size_t image = 0; image < 2; image++)
	{
		const float *down = self->down[image];
		const float *const channels[3] = { down + DOWN_Y * self->width, down + DOWN_CX * self->width,
			down + DOWN_CZ * self->width };
		double rgb[3];
		rgb_of(self, channels, x, rgb);
		lab_of(rgb, labs[image]);
	}
	double most = (double)self->greatest_color, knee = COLOR_KNEE * most;
	double difference = pow(distance_of(labs[0], labs[1]), COLOR_EXPONENT);
	return difference < knee ? difference * COLOR_KNEE_VALUE / knee
							 : COLOR_KNEE_VALUE + (difference - knee) / (most - knee) * (1 - COLOR_KNEE_VALUE);
}

static double length_at(const flipping *self, size_t image, size_t axis, size_t x)
{
	const float *down = self->down[image] + axis * self->width + x;
	double u = (double)down[0] / 116, v = (double)down[self->width] / 116; // of luminance from 0 to 1
	return sqrt(u * u + v * v);
}

static double feature_difference(const flipping *self, size_t x)
{
	double edges = fabs(length_at(self, 0, DOWN_EDGE_X, x) - length_at(self, 1, DOWN_EDGE_X, x));
	double points = fabs(length_at(self, 0, DOWN_POINT_X, x) - length_at(self, 1, DOWN_POINT_X, x));
	double difference = pow((edges > points ? edges : points) / sqrt(2.0), FEATURE_EXPONENT);
	return difference < 1 ? difference : 1;
}

static void draw(uint8_t *texel, float difference)
{
	static const uint8_t colors[6][3] = { { 0, 0, 4 }, { 60, 15, 112 }, { 140, 41, 129 }, { 222, 73, 104 },
		{ 254, 159, 109 }, { 252, 253, 191 } };
	float place = difference * 5.0f;
	size_t below = place < 4.0f ? (size_t)place : 4;
	float part = place - (float)below;
	for (size_t c = 0; c < 3; c++)
	{
		float from = (float)colors[below][c], to = (float)colors[below + 1][c];
		texel[c] = (uint8_t)(from + (to - from) * part + 0.5f);
	}
	texel[3] = 255;
}

static void compare_row(flipping *self, uint32_t y)
{
	filter_down(self, 0, y);
	filter_down(self, 1, y);
	double sum = 0;
	for (size_t x = 0; x < self->width; x++)
	{
		double color = color_difference(self, x), feature = feature_difference(self, x);
		float difference = color > 0 ? (float)pow(color, 1 - feature) : 0.0f;
		difference = difference < 1.0f ? difference : 1.0f;
		sum += (double)difference;
		self->greatest = difference > self->greatest ? difference : self->greatest;
		self->histogram[(size_t)ceilf(difference * (float)STEPS)]++;
		if (self->desc->picture != NULL)
		{
			draw(self->desc->picture + (y * self->width + x) * 4, difference);
		}
	}
	self->sum += sum;
}

static void conclude(const flipping *self, lrd_flip_result *result)
{
	uint64_t pixels = (uint64_t)self->desc->width * self->desc->height, above = 0;
	size_t step = STEPS;
	while (step > 0 && above + self->histogram[step] <= pixels / 100)
	{
		above += self->histogram[step--];
	}
	*result = (lrd_flip_result){
		.mean = self->sum / (double)pixels,
		.most = (double)step / STEPS,
		.greatest = (double)self->greatest,
	};
}

bool lrd_flip(const lrd_flip_desc *desc, lrd_flip_result *result, lrd_error *error)
{
	flipping self = { .desc = desc };
	if (!open(&self, error))
	{
		return false;
	}
	uint32_t height = desc->height, taken = 0;
	for (uint32_t y = 0; y < height; y++)
	{
		while (taken < height && taken <= y + self.radius)
		{
			filter_across(&self, 0, taken);
			filter_across(&self, 1, taken++);
		}
		compare_row(&self, y);
	}
	conclude(&self, result);
	lrd_free(desc->allocator, self.memory, self.memory_floats * sizeof(float));
	return true;
}
