// Equirectangular panoramas. Towards the poles a row's texels crowd together; each row is first averaged along its
// longitude to as many texels as keep them half as wide as high (a reduced grid). What a texel of a face covers is then of one size in
// the panorama wherever it lies, and enough evenly spaced lookups, interpolated in that grid, sum up its area: two for
// each panorama texel that it spans, at which the weights of linear interpolation add up to a constant. Each lookup
// counts with the solid angle around it.

#include "image/cubemap_kernel.h"
#include "image/cubemap_maths.h"

#include "base/error.h"

// Lookups whose places are found at once.
#define BATCH 256u

// Texels of a row at the pole, so that what is around it is not cut to a square.
#define ROW_MIN 16u

typedef struct grid_row
{
	size_t first;
	uint32_t count;
} grid_row;

struct lrd_panorama
{
	uint32_t width, height;
	uint64_t clamped;
	grid_row *rows;
	size_t rows_size;
	lrd_rgba *texels;
	size_t texels_size;
	lrd_allocator allocator;
};

// A row's circle has sin(pi (y + 1/2) / height) of the equator's texels. The sines come from turning by one step again
// and again, so that no library's last bits decide about a count.
static size_t lay_rows(lrd_panorama *self)
{
	double step = LRD_CUBE_PI / self->height;
	// Of half a step, by their series.
	double half = step / 2;
	double sine = 0, cosine = 0, term = 1;
	for (int n = 0; n < 24; n += 2)
	{
		cosine += n % 4 == 0 ? term : -term;
		term *= half / (n + 1);
		sine += n % 4 == 0 ? term : -term;
		term *= half / (n + 2);
	}
	double step_sine = 2 * sine * cosine;
	double step_cosine = cosine * cosine - sine * sine;
	size_t first = 0;
	for (uint32_t y = 0; y < self->height; y++)
	{
		uint32_t count = (uint32_t)(2 * self->width * sine + 0.5);
		count = count < ROW_MIN ? ROW_MIN : count;
		count = count > self->width ? self->width : count;
		self->rows[y] = (grid_row){ first, count };
		first += count;
		double next = sine * step_cosine + cosine * step_sine;
		cosine = cosine * step_cosine - sine * step_sine;
		sine = next;
	}
	return first;
}

// Each texel of the grid takes its share of the row's texels, the first and the last in part.
static void average_row(const lrd_rgba *row, uint32_t width, lrd_rgba *to, uint32_t count)
{
	if (count == width)
	{
		memcpy(to, row, width * sizeof *to);
		return;
	}
	float scale = (float)count / (float)width;
	for (uint32_t i = 0; i < count; i++)
	{
		// In units of 1 / count of a texel: exact.
		uint64_t begin = (uint64_t)i * width;
		uint64_t end = begin + width;
		lrd_rgba sum = { 0 };
		for (uint64_t x = begin / count; x * count < end; x++)
		{
			uint64_t from = x * count < begin ? begin : x * count;
			uint64_t to_end = (x + 1) * count > end ? end : (x + 1) * count;
			sum += row[x] * ((float)(to_end - from) / (float)count);
		}
		to[i] = sum * scale;
	}
}

static bool fill(lrd_panorama *self, const lrd_image *image, lrd_error *error)
{
	self->rows_size = (size_t)image->height * sizeof(grid_row); // less than the image's own size
	self->rows = lrd_alloc(self->allocator, self->rows_size);
	if (self->rows == NULL)
	{
		return lrd_fail_memory(error, "rows of a panorama", self->rows_size);
	}
	size_t row_size = (size_t)image->width * sizeof(lrd_rgba);
	size_t size;
	if (!lrd_mul_size(lay_rows(self), sizeof(lrd_rgba), &size))
	{
		return lrd_fail_memory(error, "panorama in float", SIZE_MAX);
	}
	self->texels = lrd_alloc(self->allocator, size);
	if (self->texels == NULL)
	{
		return lrd_fail_memory(error, "panorama in float", size);
	}
	self->texels_size = size;
	lrd_rgba *row = lrd_alloc(self->allocator, row_size);
	if (row == NULL)
	{
		return lrd_fail_memory(error, "row of a panorama", row_size);
	}
	lrd_light_reader reader;
	bool read = lrd_light_reader_open(&reader, image, self->allocator, error);
	for (uint32_t y = 0; read && y < image->height; y++)
	{
		lrd_light_reader_row(&reader, 0, y, image->width, row);
		average_row(row, image->width, self->texels + self->rows[y].first, self->rows[y].count);
	}
	self->clamped = reader.clamped;
	lrd_light_reader_close(&reader);
	lrd_free(self->allocator, row, row_size);
	return read;
}

lrd_panorama *lrd_panorama_open(const lrd_image *image, lrd_allocator allocator, lrd_error *error)
{
	if (image->width == 0 || image->height == 0)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "panorama of %u x %u texels", image->width, image->height);
		return NULL;
	}
	lrd_panorama *self = lrd_alloc_zeroed(allocator, 1, sizeof *self);
	if (self == NULL)
	{
		lrd_fail_memory(error, "panorama", sizeof *self);
		return NULL;
	}
	self->width = image->width;
	self->height = image->height;
	self->allocator = allocator;
	if (!fill(self, image, error))
	{
		lrd_panorama_close(self);
		return NULL;
	}
	return self;
}

uint64_t lrd_panorama_clamped(const lrd_panorama *panorama)
{
	return panorama->clamped;
}

void lrd_panorama_close(lrd_panorama *panorama)
{
	if (panorama == NULL)
	{
		return;
	}
	if (panorama->rows != NULL)
	{
		lrd_free(panorama->allocator, panorama->rows, panorama->rows_size);
	}
	if (panorama->texels != NULL)
	{
		lrd_free(panorama->allocator, panorama->texels, panorama->texels_size);
	}
	lrd_free(panorama->allocator, panorama, sizeof *panorama);
}

// Along a row. Past a pole lies the same row again, half a turn on.
static lrd_rgba sample_row(const lrd_panorama *self, int32_t y, float u)
{
	bool beyond = y < 0 || y >= (int32_t)self->height;
	y = y < 0 ? 0 : y >= (int32_t)self->height ? (int32_t)self->height - 1 : y;
	u = beyond ? u < 0.5f ? u + 0.5f : u - 0.5f : u;
	const grid_row *row = self->rows + y;
	const lrd_rgba *texels = self->texels + row->first;
	float at = u * (float)row->count + 0.5f; // one texel on, so that it is not negative
	uint32_t right = (uint32_t)at;
	float share = at - (float)right;
	uint32_t left = right == 0 ? row->count - 1 : right - 1;
	left = left >= row->count ? 0 : left;
	right = right >= row->count ? right - row->count : right;
	right = right >= row->count ? 0 : right;
	return texels[left] * (1.0f - share) + texels[right] * share;
}

static lrd_rgba sample(const lrd_panorama *self, float u, float v)
{
	float at = v * (float)self->height + 0.5f;
	int32_t below = (int32_t)at;
	float share = at - (float)below;
	return sample_row(self, below - 1, u) * (1.0f - share) + sample_row(self, below, u) * share;
}

typedef struct batch
{
	float x[BATCH], y[BATCH], z[BATCH];
	float u[BATCH], v[BATCH];
	float weight[BATCH];
} batch;

// Lookups `first` on of a row of `count` across a face, at height t.
static void aim(batch *self, uint32_t face, uint32_t first, uint32_t count, float t)
{
	for (uint32_t i = 0; i < BATCH; i++)
	{
		float s = (float)(2 * (first + i) + 1) / (float)count - 1.0f;
		float x = s, y = -t, z = 1.0f;
		switch (face)
		{
		case 0: x = 1.0f, z = -s; break;
		case 1: x = -1.0f, z = s; break;
		case 2: y = 1.0f, z = t; break;
		case 3: y = -1.0f, z = -t; break;
		case 4: break;
		default: x = -s, z = -1.0f; break;
		}
		self->x[i] = x;
		self->y[i] = y;
		self->z[i] = z;
		float length = sqrtf(1.0f + s * s + t * t);
		self->weight[i] = 1.0f / (length * length * length);
	}
}

// Lookups a texel's side: two for each panorama texel, of which a face's middle spans the most. In whole numbers, pi as
// 355 / 113.
static uint32_t lookups_of(const lrd_panorama *self, uint32_t face_size)
{
	uint32_t longer = self->width > 2 * self->height ? self->width : 2 * self->height;
	uint64_t twice = (uint64_t)2 * longer * 113;
	uint64_t span = (uint64_t)355 * face_size;
	return (uint32_t)((twice + span - 1) / span);
}

// Add a row of lookups to the row of texels that they belong to, and their weights.
static void add_lookups(const lrd_panorama *self, lrd_isa isa, uint32_t face, float t, uint32_t size, uint32_t lookups,
	lrd_rgba *texels, float *weights)
{
	static void (*const kernels[])(size_t, const float *, const float *, const float *, float *, float *) =
		LRD_KERNEL_TABLE(lrd_cube_longitudes);
	uint32_t across = size * lookups;
	batch places;
	for (uint32_t first = 0; first < across; first += BATCH)
	{
		aim(&places, face, first, across, t);
		kernels[isa](BATCH, places.x, places.y, places.z, places.u, places.v);
		uint32_t count = across - first < BATCH ? across - first : BATCH;
		for (uint32_t i = 0; i < count; i++)
		{
			uint32_t x = (first + i) / lookups;
			texels[x] += sample(self, places.u[i], places.v[i]) * places.weight[i];
			weights[x] += places.weight[i];
		}
	}
}

void lrd_panorama_rows(
	const lrd_panorama *panorama, lrd_isa isa, lrd_cube *cube, uint32_t face, uint32_t first_row, uint32_t end_row)
{
	uint32_t size = cube->face_size;
	uint32_t lookups = lookups_of(panorama, size);
	lrd_isa chosen = lrd_isa_choose(isa);
	float weights[LRD_CUBE_MAX_SIDE];
	for (uint32_t row = first_row; row < end_row; row++)
	{
		lrd_rgba *texels = (lrd_rgba *)(void *)(lrd_cube_face(cube, face) + (size_t)4 * row * size);
		memset(texels, 0, size * sizeof *texels);
		memset(weights, 0, size * sizeof *weights);
		for (uint32_t sub = 0; sub < lookups; sub++)
		{
			float t = (float)(2 * (row * lookups + sub) + 1) / (float)(size * lookups) - 1.0f;
			add_lookups(panorama, chosen, face, t, size, lookups, texels, weights);
		}
		for (uint32_t x = 0; x < size; x++)
		{
			texels[x] = texels[x] / weights[x];
		}
	}
}
