// geometry/morton.c: a Morton curve through centroids, and the radix sort that lays triangles along it.
// Morton, "A Computer Oriented Geodetic Data Base", 1966.

#include "geometry/morton.h"

#define BITS_AN_AXIS 21
#define CELLS (1u << BITS_AN_AXIS)
#define DIGIT_BITS 11
#define DIGIT_COUNT (1u << DIGIT_BITS)
#define DIGITS 6 // 3 x 21 bits by 11

// Runs up to this long are sorted by insertion.
#define LARGEST_INSERTION 64

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

// The box of the centroids: its lowest corner and its largest side.
static void bound_centroids(
	const float *positions, const uint32_t *indices, uint32_t triangle_count, float low[3], double *side)
{
	float high[3];
	for (int axis = 0; axis < 3; axis++)
	{
		low[axis] = INFINITY;
		high[axis] = -INFINITY;
	}
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		lrd_vec3 c = centroid(positions, indices + 3 * (size_t)t);
		const float values[3] = { c.x, c.y, c.z };
		for (int axis = 0; axis < 3; axis++)
		{
			low[axis] = values[axis] < low[axis] ? values[axis] : low[axis];
			high[axis] = values[axis] > high[axis] ? values[axis] : high[axis];
		}
	}
	*side = 0.0;
	for (int axis = 0; axis < 3; axis++)
	{
		double length = (double)high[axis] - (double)low[axis];
		*side = length > *side ? length : *side;
	}
}

static uint64_t cell(float value, float lowest, double scale)
{
	double steps = ((double)value - (double)lowest) * scale;
	return steps < (double)(CELLS - 1) ? (uint64_t)(int64_t)steps : CELLS - 1;
}

static void make_keys(const float *positions, const uint32_t *indices, uint32_t triangle_count, keyed *keys)
{
	float low[3];
	double side = 0.0;
	bound_centroids(positions, indices, triangle_count, low, &side);
	double scale = side > 0.0 ? (double)CELLS / side : 0.0;
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		lrd_vec3 c = centroid(positions, indices + 3 * (size_t)t);
		keys[t].key = spread(cell(c.x, low[0], scale)) | spread(cell(c.y, low[1], scale)) << 1 |
					  spread(cell(c.z, low[2], scale)) << 2;
		keys[t].triangle = t;
	}
}

static uint32_t digit_of(const keyed *one, int digit)
{
	return (uint32_t)(one->key >> (digit * DIGIT_BITS)) & (DIGIT_COUNT - 1);
}

// Stable, from the lowest of the digits `first` to `last` up, by way of `spare`.
static void sort_by_digits(
	keyed *keys, keyed *spare, uint32_t count, int first, int last, uint32_t (*counts)[DIGIT_COUNT])
{
	memset(counts + first, 0, (size_t)(last - first + 1) * sizeof *counts);
	for (uint32_t i = 0; i < count; i++)
	{
		for (int digit = first; digit <= last; digit++)
		{
			counts[digit][digit_of(&keys[i], digit)]++;
		}
	}
	keyed *from = keys;
	keyed *to = spare;
	for (int digit = first; digit <= last; digit++)
	{
		uint32_t *starts = counts[digit];
		if (starts[digit_of(&from[0], digit)] == count)
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
			to[starts[digit_of(&from[i], digit)]++] = from[i];
		}
		keyed *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != keys)
	{
		memcpy(keys, from, count * sizeof *keys);
	}
}

static void sort_by_insertion(keyed *keys, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
	{
		keyed one = keys[i];
		uint32_t at = i;
		for (; at > 0 && keys[at - 1].key > one.key; at--)
		{
			keys[at] = keys[at - 1];
		}
		keys[at] = one;
	}
}

// Stable as well. Few are sorted by insertion: thousands of small parts would spend their time on counting digits.
static void sort_lower_digits(keyed *keys, keyed *spare, uint32_t count, uint32_t (*counts)[DIGIT_COUNT])
{
	if (count <= LARGEST_INSERTION)
	{
		sort_by_insertion(keys, count);
		return;
	}
	sort_by_digits(keys, spare, count, 0, DIGITS / 2 - 1, counts);
}

// By the upper half of the digits, which tell nearly all triangles apart; then the runs that they leave alike by the
// lower half.
static void sort_keys(keyed *keys, keyed *spare, uint32_t count, uint32_t (*counts)[DIGIT_COUNT])
{
	if (count <= LARGEST_INSERTION)
	{
		sort_by_insertion(keys, count);
		return;
	}
	sort_by_digits(keys, spare, count, DIGITS / 2, DIGITS - 1, counts);
	for (uint32_t first = 0, end = 0; first < count; first = end)
	{
		uint64_t upper = keys[first].key >> (DIGITS / 2 * DIGIT_BITS);
		for (end = first + 1; end < count && keys[end].key >> (DIGITS / 2 * DIGIT_BITS) == upper;)
		{
			end++;
		}
		sort_lower_digits(keys + first, spare, end - first, counts);
	}
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
	uint32_t(*counts)[DIGIT_COUNT] = lrd_alloc(allocator, DIGITS * sizeof *counts);
	bool done = keys != NULL && counts != NULL;
	if (done)
	{
		make_keys(positions, indices, triangle_count, keys);
		sort_keys(keys, keys + triangle_count, triangle_count, counts);
		for (uint32_t t = 0; t < triangle_count; t++)
		{
			memcpy(sorted + 3 * (size_t)t, indices + 3 * (size_t)keys[t].triangle, 3 * sizeof *sorted);
		}
	}
	lrd_free(allocator, counts, counts != NULL ? DIGITS * sizeof *counts : 0);
	lrd_free(allocator, keys, keys != NULL ? bytes : 0);
	return done || lrd_fail_memory(error, "the order of triangles", bytes);
}
