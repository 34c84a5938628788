// geometry/morton.c: a Morton curve through centroids, and the radix sort that lays triangles along it.
// Morton, "A Computer Oriented Geodetic Data Base", 1966.

#include "geometry/morton.h"

#define BITS_AN_AXIS 21
#define DIGIT_BITS 11
#define DIGIT_COUNT (1u << DIGIT_BITS)
#define DIGITS 6 // 3 x 21 bits by 11

typedef struct keyed
{
	uint64_t key;
	uint32_t triangle;
} keyed;

// Three times the centroid; zero where a corner is not a number.
static lrd_vec3 centroid(const float *positions, const uint32_t *corners)
{
	lrd_vec3 sum = lrd_vec3_add(lrd_vec3_add(lrd_load3(positions, corners[0]), lrd_load3(positions, corners[1])),
		lrd_load3(positions, corners[2]));
	return lrd_finite3(sum) ? sum : (lrd_vec3){ 0.0f, 0.0f, 0.0f };
}

// 21 bits, two zeros put between each two of them.
static uint64_t spread(uint64_t bits)
{
	bits = (bits | bits << 32) & UINT64_C(0x001F00000000FFFF);
	bits = (bits | bits << 16) & UINT64_C(0x001F0000FF0000FF);
	bits = (bits | bits << 8) & UINT64_C(0x100F00F00F00F00F);
	bits = (bits | bits << 4) & UINT64_C(0x10C30C30C30C30C3);
	return (bits | bits << 2) & UINT64_C(0x1249249249249249);
}

static uint64_t cell(float value, float lowest, double scale)
{
	double steps = ((double)value - (double)lowest) * scale;
	return (uint64_t)fmin(fmax(steps, 0.0), (double)((1 << BITS_AN_AXIS) - 1));
}

static void make_keys(const float *positions, const uint32_t *indices, uint32_t triangle_count, keyed *keys)
{
	lrd_vec3 low = centroid(positions, indices);
	lrd_vec3 high = low;
	for (uint32_t t = 1; t < triangle_count; t++)
	{
		lrd_vec3 c = centroid(positions, indices + 3 * (size_t)t);
		low = (lrd_vec3){ fminf(low.x, c.x), fminf(low.y, c.y), fminf(low.z, c.z) };
		high = (lrd_vec3){ fmaxf(high.x, c.x), fmaxf(high.y, c.y), fmaxf(high.z, c.z) };
	}
	double side =
		fmax((double)high.x - (double)low.x, fmax((double)high.y - (double)low.y, (double)high.z - (double)low.z));
	double scale = side > 0.0 ? (double)(1 << BITS_AN_AXIS) / side : 0.0;
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		lrd_vec3 c = centroid(positions, indices + 3 * (size_t)t);
		keys[t].key = spread(cell(c.x, low.x, scale)) | spread(cell(c.y, low.y, scale)) << 1 |
					  spread(cell(c.z, low.z, scale)) << 2;
		keys[t].triangle = t;
	}
}

static uint32_t digit_of(const keyed *one, int digit)
{
	return (uint32_t)(one->key >> (digit * DIGIT_BITS)) & (DIGIT_COUNT - 1);
}

static void count_digits(const keyed *keys, uint32_t count, uint32_t (*counts)[DIGIT_COUNT])
{
	for (uint32_t i = 0; i < count; i++)
	{
		for (int digit = 0; digit < DIGITS; digit++)
		{
			counts[digit][digit_of(&keys[i], digit)]++;
		}
	}
}

// Stable, from the lowest digit up. Returns whichever of the two arrays ends up sorted.
static const keyed *radix_sort(keyed *keys, keyed *spare, uint32_t count, uint32_t (*counts)[DIGIT_COUNT])
{
	count_digits(keys, count, counts);
	for (int digit = 0; digit < DIGITS; digit++)
	{
		uint32_t *starts = counts[digit];
		if (starts[digit_of(&keys[0], digit)] == count)
		{
			continue; // all alike
		}
		uint32_t total = 0;
		for (uint32_t value = 0; value < DIGIT_COUNT; value++)
		{
			uint32_t here = starts[value];
			starts[value] = total;
			total += here;
		}
		for (uint32_t i = 0; i < count; i++)
		{
			spare[starts[digit_of(&keys[i], digit)]++] = keys[i];
		}
		keyed *sorted = spare;
		spare = keys;
		keys = sorted;
	}
	return keys;
}

bool lrd_morton_sort_triangles(lrd_allocator allocator, const float *positions, const uint32_t *indices,
	uint32_t index_count, uint32_t *sorted, lrd_error *error)
{
	uint32_t triangle_count = index_count / 3;
	if (triangle_count == 0)
	{
		return true;
	}
	size_t bytes = 2 * triangle_count * sizeof(keyed);
	keyed *keys = lrd_alloc(allocator, bytes);
	uint32_t(*counts)[DIGIT_COUNT] = lrd_alloc_zeroed(allocator, DIGITS, sizeof *counts);
	bool done = keys != NULL && counts != NULL;
	if (done)
	{
		make_keys(positions, indices, triangle_count, keys);
		const keyed *order = radix_sort(keys, keys + triangle_count, triangle_count, counts);
		for (uint32_t t = 0; t < triangle_count; t++)
		{
			memcpy(sorted + 3 * (size_t)t, indices + 3 * (size_t)order[t].triangle, 3 * sizeof *sorted);
		}
	}
	lrd_free(allocator, counts, DIGITS * sizeof *counts);
	lrd_free(allocator, keys, bytes);
	return done || lrd_fail_memory(error, "the order of triangles", bytes);
}
