// base/scan.c: passes over many floats, at memory speed: finiteness, bounds.
// Compiler vectors of 16 bytes, which every 64-bit target has.

#include "base/maths.h"

#include <float.h>
#include <string.h>

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));

// Floats between two looks at what was found: large enough to be free, small enough to stop early.
#define FINITE_CHUNK 4096

// Points of which the box is taken before it is compared with the whole: extremes are later looked for in one such run
// only.
#define RUN_POINTS 256

#define SIGN_OFF 0x7FFFFFFFu
#define EXPONENT_STEP 0x00800000u

// The top bit is set where the exponent is all ones: an infinity or not a number.
static u32x4 overflowing(const float *values)
{
	u32x4 bits;
	memcpy(&bits, values, sizeof bits);
	return (bits & SIGN_OFF) + EXPONENT_STEP;
}

bool lrd_all_finite(const float *values, size_t count)
{
	size_t i = 0;
	while (count - i >= 16)
	{
		size_t end = count - i < FINITE_CHUNK ? count - i : FINITE_CHUNK;
		end = i + end / 16 * 16;
		u32x4 found[4] = { { 0 }, { 0 }, { 0 }, { 0 } };
		for (; i < end; i += 16)
		{
			found[0] |= overflowing(values + i);
			found[1] |= overflowing(values + i + 4);
			found[2] |= overflowing(values + i + 8);
			found[3] |= overflowing(values + i + 12);
		}
		u32x4 all = found[0] | found[1] | found[2] | found[3];
		if (((all[0] | all[1] | all[2] | all[3]) & ~SIGN_OFF) != 0)
		{
			return false;
		}
	}
	for (; i < count; i++)
	{
		if (!isfinite(values[i]))
		{
			return false;
		}
	}
	return true;
}

typedef struct point_run
{
	const unsigned char *start;
	size_t count;
	size_t stride;
} point_run;

// Four points, a coordinate a vector.
typedef struct four_points
{
	f32x4 axis[3];
} four_points;

static inline lrd_vec3 point_at(const point_run *run, size_t i)
{
	lrd_vec3 p;
	memcpy(&p, run->start + i * run->stride, sizeof p);
	return p;
}

static inline float axis_of(lrd_vec3 p, int axis)
{
	return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static inline four_points load_packed(const unsigned char *at)
{
	f32x4 a, b, c; // x0 y0 z0 x1 | y1 z1 x2 y2 | z2 x3 y3 z3
	memcpy(&a, at, sizeof a);
	memcpy(&b, at + 16, sizeof b);
	memcpy(&c, at + 32, sizeof c);
	f32x4 high = __builtin_shufflevector(b, c, 2, 5, 3, 6); // x2 x3 y2 y3
	f32x4 low = __builtin_shufflevector(a, b, 1, 4, 2, 5);  // y0 y1 z0 z1
	return (four_points){ {
		__builtin_shufflevector(a, high, 0, 3, 4, 5),
		__builtin_shufflevector(low, high, 0, 1, 6, 7),
		__builtin_shufflevector(low, c, 2, 3, 4, 7),
	} };
}

// Points i to i + 3; past the end, the last one again. Called instead of inlined, it costs two thirds of the speed.
static inline __attribute__((always_inline)) four_points load_four(const point_run *run, size_t i)
{
	size_t last = run->count - 1;
	if (run->stride == sizeof(lrd_vec3) && last - i >= 3)
	{
		return load_packed(run->start + i * run->stride);
	}
	lrd_vec3 p = point_at(run, i);
	lrd_vec3 q = point_at(run, last - i >= 1 ? i + 1 : last);
	lrd_vec3 r = point_at(run, last - i >= 2 ? i + 2 : last);
	lrd_vec3 s = point_at(run, last - i >= 3 ? i + 3 : last);
	return (four_points){ { { p.x, q.x, r.x, s.x }, { p.y, q.y, r.y, s.y }, { p.z, q.z, r.z, s.z } } };
}

// Compared this way round, what is not a number is passed over.
static inline f32x4 where_less(f32x4 less, f32x4 than, f32x4 yes, f32x4 no)
{
	i32x4 mask = less < than;
	return (f32x4)(((i32x4)yes & mask) | ((i32x4)no & ~mask));
}

static inline f32x4 smaller(f32x4 a, f32x4 best)
{
	return where_less(a, best, a, best);
}

static inline f32x4 larger(f32x4 a, f32x4 best)
{
	return where_less(best, a, a, best);
}

static float smallest_of(f32x4 v)
{
	float low = v[0] < v[1] ? v[0] : v[1];
	float high = v[2] < v[3] ? v[2] : v[3];
	return low < high ? low : high;
}

static float largest_of(f32x4 v)
{
	return -smallest_of(-v);
}

static point_run part_of(const point_run *run, size_t first)
{
	size_t count = run->count - first < RUN_POINTS ? run->count - first : RUN_POINTS;
	return (point_run){ run->start + first * run->stride, count, run->stride };
}

static void box_of(const point_run *run, float low[3], float high[3])
{
	f32x4 unset = { INFINITY, INFINITY, INFINITY, INFINITY };
	f32x4 least[3] = { unset, unset, unset };
	f32x4 most[3] = { -unset, -unset, -unset };
	for (size_t i = 0; i < run->count; i += 4)
	{
		four_points p = load_four(run, i);
#pragma GCC unroll 3
		for (int a = 0; a < 3; a++)
		{
			least[a] = smaller(p.axis[a], least[a]);
			most[a] = larger(p.axis[a], most[a]);
		}
	}
	for (int a = 0; a < 3; a++)
	{
		low[a] = smallest_of(least[a]);
		high[a] = largest_of(most[a]);
	}
}

static lrd_vec3 point_with(const point_run *run, int axis, float value)
{
	for (size_t i = 0; i + 1 < run->count; i++)
	{
		lrd_vec3 p = point_at(run, i);
		if (axis_of(p, axis) == value)
		{
			return p;
		}
	}
	return point_at(run, run->count - 1);
}

// The box, and for each axis a point at its lower and one at its upper end.
static void find_extremes(const point_run *run, float low[3], float high[3], lrd_vec3 lowest[3], lrd_vec3 highest[3])
{
	size_t low_run[3] = { 0 };
	size_t high_run[3] = { 0 };
	for (int a = 0; a < 3; a++)
	{
		low[a] = INFINITY;
		high[a] = -INFINITY;
	}
	for (size_t first = 0; first < run->count; first += RUN_POINTS)
	{
		point_run part = part_of(run, first);
		float part_low[3], part_high[3];
		box_of(&part, part_low, part_high);
		for (int a = 0; a < 3; a++)
		{
			low_run[a] = part_low[a] < low[a] ? first : low_run[a];
			low[a] = part_low[a] < low[a] ? part_low[a] : low[a];
			high_run[a] = part_high[a] > high[a] ? first : high_run[a];
			high[a] = part_high[a] > high[a] ? part_high[a] : high[a];
		}
	}
	for (int a = 0; a < 3; a++)
	{
		point_run low_part = part_of(run, low_run[a]);
		point_run high_part = part_of(run, high_run[a]);
		lowest[a] = point_with(&low_part, a, low[a]);
		highest[a] = point_with(&high_part, a, high[a]);
	}
}

static float distance_squared(lrd_vec3 a, lrd_vec3 b)
{
	lrd_vec3 d = lrd_vec3_sub(a, b);
	return lrd_vec3_dot(d, d);
}

static inline f32x4 four_distances_squared(const four_points *p, lrd_vec3 centre)
{
	f32x4 x = p->axis[0] - centre.x;
	f32x4 y = p->axis[1] - centre.y;
	f32x4 z = p->axis[2] - centre.z;
	return x * x + y * y + z * z;
}

static float farthest_squared(const point_run *run, lrd_vec3 centre)
{
	f32x4 farthest = { 0.0f, 0.0f, 0.0f, 0.0f };
	for (size_t i = 0; i < run->count; i += 4)
	{
		four_points p = load_four(run, i);
		farthest = larger(four_distances_squared(&p, centre), farthest);
	}
	return largest_of(farthest);
}

// Ritter, "An efficient bounding sphere", Graphics Gems, 1990: a sphere over the two extremes farthest apart, grown
// towards each point that lies outside. Runs of points that lie inside, which is nearly all, are passed over at full
// speed.
static lrd_vec3 ritter_centre(const point_run *run, const lrd_vec3 lowest[3], const lrd_vec3 highest[3])
{
	int widest = 0;
	for (int a = 1; a < 3; a++)
	{
		bool wider = distance_squared(lowest[a], highest[a]) > distance_squared(lowest[widest], highest[widest]);
		widest = wider ? a : widest;
	}
	lrd_vec3 centre = lrd_vec3_scale(lrd_vec3_add(lowest[widest], highest[widest]), 0.5f);
	float radius = 0.5f * sqrtf(distance_squared(lowest[widest], highest[widest]));
	for (size_t first = 0; first < run->count; first += RUN_POINTS)
	{
		point_run part = part_of(run, first);
		if (farthest_squared(&part, centre) <= radius * radius)
		{
			continue;
		}
		for (size_t i = 0; i < part.count; i++)
		{
			lrd_vec3 to = lrd_vec3_sub(point_at(&part, i), centre);
			float distance = lrd_vec3_length(to);
			if (distance > radius)
			{
				float grown = 0.5f * (radius + distance);
				centre = lrd_vec3_add(centre, lrd_vec3_scale(to, (grown - radius) / distance));
				radius = grown;
			}
		}
	}
	return centre;
}

// Where squares overflow a float: the sphere around the box, worked out in double.
static void set_sphere_of_box(lrd_bounds *bounds)
{
	double x = 0.5 * ((double)bounds->max.x - (double)bounds->min.x);
	double y = 0.5 * ((double)bounds->max.y - (double)bounds->min.y);
	double z = 0.5 * ((double)bounds->max.z - (double)bounds->min.z);
	bounds->centre = lrd_vec3_add(lrd_vec3_scale(bounds->min, 0.5f), lrd_vec3_scale(bounds->max, 0.5f));
	double radius = sqrt(x * x + y * y + z * z) * (1.0 + (double)FLT_EPSILON);
	bounds->radius = radius < (double)FLT_MAX ? (float)radius : FLT_MAX;
}

// Of two centres, takes the one with the smaller sphere: round shapes favour Ritter's, boxy ones that of the box.
static void set_smaller_sphere(lrd_bounds *bounds, const point_run *run, lrd_vec3 first, lrd_vec3 second)
{
	f32x4 from_first = { 0.0f, 0.0f, 0.0f, 0.0f };
	f32x4 from_second = { 0.0f, 0.0f, 0.0f, 0.0f };
	for (size_t i = 0; i < run->count; i += 4)
	{
		four_points p = load_four(run, i);
		from_first = larger(four_distances_squared(&p, first), from_first);
		from_second = larger(four_distances_squared(&p, second), from_second);
	}
	float first_squared = largest_of(from_first);
	float second_squared = largest_of(from_second);
	bool take_first = first_squared <= second_squared;
	bounds->centre = take_first ? first : second;
	bounds->radius = sqrtf(take_first ? first_squared : second_squared);
}

lrd_bounds lrd_bounds_of(const float *points, size_t count, size_t stride)
{
	lrd_bounds bounds = { 0 };
	if (count == 0)
	{
		return bounds;
	}
	point_run run = { (const unsigned char *)points, count, stride };
	float low[3], high[3];
	lrd_vec3 lowest[3], highest[3];
	find_extremes(&run, low, high, lowest, highest);
	if (!(low[0] <= high[0] && low[1] <= high[1] && low[2] <= high[2]))
	{
		return bounds; // no numbers among the points
	}
	bounds.min = (lrd_vec3){ low[0], low[1], low[2] };
	bounds.max = (lrd_vec3){ high[0], high[1], high[2] };
	lrd_vec3 middle = lrd_vec3_add(lrd_vec3_scale(bounds.min, 0.5f), lrd_vec3_scale(bounds.max, 0.5f));
	set_smaller_sphere(&bounds, &run, ritter_centre(&run, lowest, highest), middle);
	const float sphere[4] = { bounds.centre.x, bounds.centre.y, bounds.centre.z, bounds.radius };
	if (!lrd_all_finite(sphere, 4))
	{
		set_sphere_of_box(&bounds);
	}
	return bounds;
}
