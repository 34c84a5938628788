// Small vectors, quaternions, a random generator and tileable noise for the courtyard's generator.
// Only what the shapes and textures here use; nothing comes from the clock or from rand(), so each run gives the same
// bytes.

#ifndef COURTYARD_MATHS_H
#define COURTYARD_MATHS_H

#include <math.h>
#include <stdint.h>

#define PI 3.14159265f

typedef struct vec2
{
	float x, y;
} vec2;

typedef struct vec3
{
	float x, y, z;
} vec3;

typedef struct vec4
{
	float x, y, z, w;
} vec4;

/// A place with three unit axes: where a shape is built.
typedef struct frame
{
	vec3 origin, x, y, z;
} frame;

/// One throw an expression: C leaves the order of arguments and initialisers to the compiler.
/// PCG-XSH-RR state (O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms", 2014).
typedef struct dice
{
	uint64_t state;
} dice;

static inline vec3 add3(vec3 a, vec3 b)
{
	return (vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline vec3 sub3(vec3 a, vec3 b)
{
	return (vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline vec3 scale3(vec3 a, float s)
{
	return (vec3){ a.x * s, a.y * s, a.z * s };
}

/// a + b * s
static inline vec3 toward3(vec3 a, vec3 b, float s)
{
	return (vec3){ a.x + b.x * s, a.y + b.y * s, a.z + b.z * s };
}

static inline float dot3(vec3 a, vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 cross3(vec3 a, vec3 b)
{
	return (vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline float length3(vec3 a)
{
	return sqrtf(dot3(a, a));
}

/// The unit vector along `a`; +Y when `a` has no length.
static inline vec3 unit3(vec3 a)
{
	float length = length3(a);
	return length > 1e-12f ? scale3(a, 1.0f / length) : (vec3){ 0.0f, 1.0f, 0.0f };
}

static inline float mix(float a, float b, float t)
{
	return a + (b - a) * t;
}

static inline vec3 mix3(vec3 a, vec3 b, float t)
{
	return (vec3){ mix(a.x, b.x, t), mix(a.y, b.y, t), mix(a.z, b.z, t) };
}

static inline float clamp(float v, float low, float high)
{
	return v < low ? low : v > high ? high : v;
}

static inline float smooth(float low, float high, float v)
{
	float t = clamp((v - low) / (high - low), 0.0f, 1.0f);
	return t * t * (3.0f - 2.0f * t);
}

static inline float wrap(float v)
{
	return v - floorf(v);
}

static inline frame frame_at(float x, float y, float z)
{
	return (frame){ { x, y, z }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f } };
}

static inline vec3 frame_vector(const frame *f, vec3 v)
{
	return add3(add3(scale3(f->x, v.x), scale3(f->y, v.y)), scale3(f->z, v.z));
}

static inline vec3 frame_point(const frame *f, vec3 p)
{
	return add3(f->origin, frame_vector(f, p));
}

/// A frame turned about the world's Y axis, counter-clockwise seen from above.
frame frame_turned(vec3 origin, float radians);

/// A frame whose Y axis points along `up`; the other two are any that fit.
frame frame_along(vec3 origin, vec3 up);

/// A quaternion (x, y, z, w) for a turn about a unit axis.
vec4 quat_turn(vec3 axis, float radians);
vec4 quat_product(vec4 a, vec4 b);

dice dice_new(uint64_t seed);
uint32_t dice_bits(dice *d);
/// In [0, 1).
float dice_unit(dice *d);
float dice_between(dice *d, float low, float high);
/// Evenly spread on the unit sphere.
vec3 dice_direction(dice *d);

/// A hash of a lattice point in [0, 1).
float lattice(int x, int y, int z, uint32_t seed);

/// Value noise in [0, 1] that repeats every `period_x` and `period_y` units.
float noise2(float x, float y, int period_x, int period_y, uint32_t seed);

/// Octaves of noise2 over the unit square, tileable; about [0, 1], mean 0.5. `period` is the first octave's.
float cloud2(float u, float v, int period, int octaves, uint32_t seed);

/// Value noise in space, in [0, 1].
float noise3(vec3 p, uint32_t seed);

#endif
