// geometry/tangents_kernel.c: what a corner's triangle says about its tangent. Arithmetic is done in the precision and
// order of MikkTSpace's reference implementation, since where directions cancel only that leaves the same one.

#include "geometry/tangents_kernel.h"

#include "base/lanes.h"
#include "geometry/angle.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static_assert(LRD_TANGENT_BATCH % LRD_LANES_MAX == 0, "corners are measured in whole vectors");
static_assert(LRD_TANGENT_PADDING >= LRD_LANES_MAX, "a vector can be read from every corner on");

typedef struct vec3s
{
	lrd_f32s x, y, z;
} vec3s;

// Four floats: a vector and what follows it in memory.
typedef float four __attribute__((vector_size(16)));
typedef uint64_t two_pairs __attribute__((vector_size(16)));

typedef struct four_vectors
{
	four x, y, z;
} four_vectors;

#define QUARTERS (LRD_LANES / 4)

// By shuffles: a vector that is read from memory where its parts have just been written has to wait for them.
static inline lrd_f32s join(const four quarters[QUARTERS])
{
#if LRD_LANES == 4
	return quarters[0];
#else
	typedef float eight __attribute__((vector_size(32)));
	eight low = __builtin_shufflevector(quarters[0], quarters[1], 0, 1, 2, 3, 4, 5, 6, 7);
#if LRD_LANES == 8
	return low;
#else
	eight high = __builtin_shufflevector(quarters[2], quarters[3], 0, 1, 2, 3, 4, 5, 6, 7);
	return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
#endif
}

static inline four load_four(const float *values, const float *last, uint32_t last_vertex, uint32_t vertex)
{
	four vector;
	memcpy(&vector, vertex == last_vertex ? last : values + 3 * (size_t)vertex, sizeof vector);
	return vector;
}

// A vector for each of four vertices.
static inline four_vectors load_vectors(
	const float *values, const float *last, uint32_t last_vertex, const uint32_t *vertices)
{
	four a = load_four(values, last, last_vertex, vertices[0]);
	four b = load_four(values, last, last_vertex, vertices[1]);
	four c = load_four(values, last, last_vertex, vertices[2]);
	four d = load_four(values, last, last_vertex, vertices[3]);
	four xy_of_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
	four xy_of_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
	four z_of_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
	four z_of_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
	return (four_vectors){ .x = __builtin_shufflevector(xy_of_ab, xy_of_cd, 0, 1, 4, 5),
		.y = __builtin_shufflevector(xy_of_ab, xy_of_cd, 2, 3, 6, 7),
		.z = __builtin_shufflevector(z_of_ab, z_of_cd, 0, 1, 4, 5) };
}

static inline vec3s gather(const float *values, const float *last, uint32_t last_vertex, const uint32_t *vertices)
{
	four x[QUARTERS], y[QUARTERS], z[QUARTERS];
	for (int i = 0; i < QUARTERS; i++)
	{
		four_vectors vectors = load_vectors(values, last, last_vertex, vertices + 4 * i);
		x[i] = vectors.x;
		y[i] = vectors.y;
		z[i] = vectors.z;
	}
	return (vec3s){ join(x), join(y), join(z) };
}

static inline uint64_t load_pair(const float *uv, uint32_t vertex)
{
	uint64_t pair;
	memcpy(&pair, uv + 2 * (size_t)vertex, sizeof pair);
	return pair;
}

static inline void gather_uv(const float *uv, const uint32_t *vertices, lrd_f32s *u, lrd_f32s *v)
{
	four us[QUARTERS], vs[QUARTERS];
	for (int i = 0; i < QUARTERS; i++)
	{
		const uint32_t *of = vertices + 4 * i;
		four ab = (four)(two_pairs){ load_pair(uv, of[0]), load_pair(uv, of[1]) };
		four cd = (four)(two_pairs){ load_pair(uv, of[2]), load_pair(uv, of[3]) };
		us[i] = __builtin_shufflevector(ab, cd, 0, 2, 4, 6);
		vs[i] = __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
	}
	*u = join(us);
	*v = join(vs);
}

// `row` is the first of three.
static inline vec3s load(const float *row, size_t stride, size_t at)
{
	return (vec3s){ lrd_f32s_load(row + at), lrd_f32s_load(row + stride + at), lrd_f32s_load(row + 2 * stride + at) };
}

static inline void store(float *row, size_t stride, size_t at, vec3s v)
{
	lrd_f32s_store(row + at, v.x);
	lrd_f32s_store(row + stride + at, v.y);
	lrd_f32s_store(row + 2 * stride + at, v.z);
}

// One lane's for all.
static inline vec3s load_one(const float *row, size_t stride, size_t at)
{
	return (vec3s){ lrd_f32s_of(row[at]), lrd_f32s_of(row[stride + at]), lrd_f32s_of(row[2 * stride + at]) };
}

static inline vec3s add(vec3s a, vec3s b)
{
	return (vec3s){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline vec3s sub(vec3s a, vec3s b)
{
	return (vec3s){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline vec3s scale(vec3s a, lrd_f32s s)
{
	return (vec3s){ a.x * s, a.y * s, a.z * s };
}

static inline lrd_f32s dot(vec3s a, vec3s b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3s select3(lrd_mask mask, vec3s yes, vec3s no)
{
	return (vec3s){ lrd_select(mask, yes.x, no.x), lrd_select(mask, yes.y, no.y), lrd_select(mask, yes.z, no.z) };
}

static inline lrd_mask equal3(vec3s a, vec3s b)
{
	return lrd_mask_and(lrd_mask_and(lrd_equal(a.x, b.x), lrd_equal(a.y, b.y)), lrd_equal(a.z, b.z));
}

static inline lrd_mask not_zero(lrd_f32s value)
{
	return lrd_less(lrd_f32s_of(FLT_MIN), lrd_abs(value));
}

/// The part of a vector perpendicular to the normal, at unit length unless it vanishes.
static inline vec3s project(vec3s normal, vec3s v)
{
	vec3s flat = sub(v, scale(normal, dot(normal, v)));
	lrd_mask some = lrd_mask_or(lrd_mask_or(not_zero(flat.x), not_zero(flat.y)), not_zero(flat.z));
	return select3(some, scale(flat, 1.0f / lrd_sqrt(dot(flat, flat))), flat);
}

static inline lrd_i32s flag_where(lrd_mask mask, int32_t flag)
{
	return lrd_select_i(mask, lrd_i32s_of(flag), (lrd_i32s){ 0 });
}

typedef struct triangle_directions
{
	vec3s s, t;
	lrd_mask preserving, any;
} triangle_directions;

/// The triangle's own directions: Mikkelsen's equations 18 and 19.
static inline triangle_directions measure_triangle(
	const lrd_tangent_source *source, const lrd_tangent_rows *rows, uint32_t at, const vec3s p[3])
{
	lrd_f32s u[3], v[3];
	for (int i = 0; i < 3; i++)
	{
		gather_uv(source->uv, rows->vertices[i] + at, &u[i], &v[i]);
	}
	lrd_f32s u1 = u[1] - u[0];
	lrd_f32s v1 = v[1] - v[0];
	lrd_f32s u2 = u[2] - u[0];
	lrd_f32s v2 = v[2] - v[0];
	vec3s d1 = sub(p[1], p[0]);
	vec3s d2 = sub(p[2], p[0]);
	lrd_f32s doubled_area = u1 * v2 - v1 * u2;
	vec3s s = sub(scale(d1, v2), scale(d2, v1));
	vec3s t = add(scale(d1, -u2), scale(d2, u1));
	lrd_mask preserving = lrd_less((lrd_f32s){ 0 }, doubled_area);
	lrd_f32s sign = lrd_select(preserving, lrd_f32s_of(1.0f), lrd_f32s_of(-1.0f));
	lrd_f32s length_s = lrd_sqrt(dot(s, s));
	lrd_f32s length_t = lrd_sqrt(dot(t, t));
	lrd_f32s area = lrd_abs(doubled_area);
	lrd_mask sound = lrd_mask_and(not_zero(length_s / area), not_zero(length_t / area));
	return (triangle_directions){ .s = select3(not_zero(length_s), scale(s, sign / length_s), s),
		.t = select3(not_zero(length_t), scale(t, sign / length_t), t),
		.preserving = preserving,
		.any = lrd_mask_not(lrd_mask_and(not_zero(doubled_area), sound)) };
}

static inline lrd_i32s flags_along(lrd_f32s value, int axis)
{
	// The largest component of a unit vector is at least 0.577.
	const lrd_f32s half = lrd_f32s_of(0.5f);
	return flag_where(lrd_less(half, value), LRD_TANGENT_ALONG << axis) |
		   flag_where(lrd_less(value, -half), LRD_TANGENT_ALONG << (axis + LRD_TANGENT_AXES));
}

static inline lrd_i32s flags_of_directions(vec3s s, vec3s t)
{
	lrd_i32s along = flags_along(s.x, 0) | flags_along(s.y, 1) | flags_along(s.z, 2) | flags_along(t.x, 3) |
					 flags_along(t.y, 4) | flags_along(t.z, 5);
	lrd_mask numbers = lrd_less(dot(s, s) + dot(t, t), lrd_f32s_of(4.0f));
	return along | flag_where(lrd_mask_not(numbers), LRD_TANGENT_ALONG * ((1 << (2 * LRD_TANGENT_AXES)) - 1));
}

static inline void measure(const lrd_tangent_source *source, lrd_tangent_rows *rows, uint32_t at)
{
	vec3s p[3];
	for (int i = 0; i < 3; i++)
	{
		p[i] = gather(source->positions, source->last_position, source->last_vertex, rows->vertices[i] + at);
	}
	vec3s normal = gather(source->normals, source->last_normal, source->last_vertex, rows->normals + at);
	lrd_i32s slot = lrd_i32s_load(rows->slot + at);
	lrd_mask is_first = lrd_equal_i(slot, lrd_i32s_of(0));
	lrd_mask is_last = lrd_equal_i(slot, lrd_i32s_of(2));
	vec3s corner = select3(is_first, p[0], select3(is_last, p[2], p[1]));
	vec3s to_one = project(normal, sub(select3(is_first, p[1], p[0]), corner));
	vec3s to_other = project(normal, sub(select3(is_last, p[1], p[2]), corner));
	lrd_f32s cosine = dot(to_one, to_other);
	cosine = lrd_select(lrd_less(lrd_f32s_of(1.0f), cosine), lrd_f32s_of(1.0f), cosine);
	cosine = lrd_select(lrd_less(cosine, lrd_f32s_of(-1.0f)), lrd_f32s_of(-1.0f), cosine);
	lrd_f32s angle = lrd_acos(cosine);
	triangle_directions triangle = measure_triangle(source, rows, at, p);
	vec3s s = project(normal, triangle.s);
	vec3s t = project(normal, triangle.t);
	lrd_mask degenerate = lrd_mask_or(lrd_mask_or(equal3(p[0], p[1]), equal3(p[0], p[2])), equal3(p[1], p[2]));
	lrd_mask any = triangle.any;
	lrd_i32s flags = flag_where(triangle.preserving, LRD_TANGENT_PRESERVING) |
					 flag_where(degenerate, LRD_TANGENT_DEGENERATE) |
					 lrd_select_i(any, lrd_i32s_of(LRD_TANGENT_ANY), flags_of_directions(s, t));
	lrd_i32s_store(rows->flags + at, flags);
	const vec3s nothing = { 0 };
	store(rows->directions[0], LRD_TANGENT_BATCH, at, select3(any, nothing, s));
	store(rows->directions[3], LRD_TANGENT_BATCH, at, select3(any, nothing, t));
	store(rows->directions[LRD_TANGENT_WEIGHTED], LRD_TANGENT_BATCH, at, select3(any, nothing, scale(s, angle)));
}

void LRD_KERNEL(lrd_tangents_measure)(const lrd_tangent_source *source, lrd_tangent_rows *rows, uint32_t count)
{
	for (uint32_t at = 0; at < count; at += LRD_LANES)
	{
		measure(source, rows, at);
	}
}

// Bit i: number i of `numbers` is `wanted`.
static inline uint32_t find_equal(const int32_t *numbers, int32_t wanted)
{
	lrd_i32s all = lrd_i32s_of(wanted);
#if LRD_LANES < LRD_TANGENT_GLANCE
	return lrd_mask_bits(lrd_equal_i(lrd_i32s_load(numbers), all)) |
		   lrd_mask_bits(lrd_equal_i(lrd_i32s_load(numbers + LRD_LANES), all)) << LRD_LANES;
#else
	return lrd_mask_bits(lrd_equal_i(lrd_i32s_load(numbers), all));
#endif
}

// All corners of a ring are linked, and each edge has one that it could meet at most. Then they are seen one after the
// other by going from edge to edge.
static inline bool is_one_fan(const lrd_tangent_rows *rows, uint32_t start, uint32_t count)
{
	uint32_t links[LRD_TANGENT_GLANCE]; // bit j of links[i]: the edge after corner i could meet the one before corner j
	uint32_t all = (1u << count) - 1;
	uint32_t linked = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		links[i] = find_equal(rows->previous + start, rows->next[start + i]) & all;
		linked |= links[i];
	}
	uint32_t first = linked != all ? all & ~linked : 1; // the end of an open fan
	uint32_t step = first;
	uint32_t seen = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		if (step == 0 || (step & (step - 1)) != 0 || (step & seen) != 0)
		{
			return false;
		}
		seen |= step;
		step = links[__builtin_ctz(step)];
	}
	return step == (linked != all ? 0 : first);
}

void LRD_KERNEL(lrd_tangents_glance)(
	const lrd_tangent_rows *rows, const uint32_t *starts, uint32_t ring_count, lrd_tangent_sum *sums)
{
	const float(*weighted)[LRD_TANGENT_BATCH] = rows->directions + LRD_TANGENT_WEIGHTED;
	for (uint32_t ring = 0; ring < ring_count; ring++)
	{
		uint32_t start = starts[ring];
		uint32_t count = starts[ring + 1] - start;
		sums[ring].whole = false;
		if (count > LRD_TANGENT_GLANCE)
		{
			continue;
		}
		float x = 0.0f, y = 0.0f, z = 0.0f;
		int32_t flags = 0;
		int32_t different = 0;
		for (uint32_t i = start; i < start + count; i++)
		{
			flags |= rows->flags[i];
			different |= rows->flags[i] ^ rows->flags[start];
			x += weighted[0][i];
			y += weighted[1][i];
			z += weighted[2][i];
		}
		bool alike =
			(flags & (LRD_TANGENT_ANY | LRD_TANGENT_DEGENERATE)) == 0 && (different & LRD_TANGENT_PRESERVING) == 0;
		sums[ring] = (lrd_tangent_sum){ { x, y, z }, flags, alike && is_one_fan(rows, start, count) };
	}
}

void LRD_KERNEL(lrd_tangents_see)(const float *directions, size_t stride, uint32_t count, float *sums)
{
	const float *s_rows = directions;
	const float *t_rows = directions + 3 * stride;
	const float *weighted_rows = directions + LRD_TANGENT_WEIGHTED * stride;
	const lrd_f32s opposite = lrd_f32s_of(-1.0f);
	for (uint32_t at = 0; at < count; at += LRD_LANES)
	{
		vec3s s = load(s_rows, stride, at);
		vec3s t = load(t_rows, stride, at);
		lrd_i32s numbers = lrd_lane_numbers() + (int32_t)at;
		vec3s sum = { 0 };
		for (uint32_t i = 0; i < count; i++)
		{
			lrd_mask seen = lrd_mask_and(lrd_less(opposite, dot(s, load_one(s_rows, stride, i))),
				lrd_less(opposite, dot(t, load_one(t_rows, stride, i))));
			// Whatever is not a number sees itself alone.
			seen = lrd_mask_or(seen, lrd_equal_i(numbers, lrd_i32s_of((int32_t)i)));
			sum = select3(seen, add(sum, load_one(weighted_rows, stride, i)), sum);
		}
		store(sums, stride, at, sum);
	}
}
