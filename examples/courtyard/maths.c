// The parts of maths.h that are more than a line: frames, quaternions, the random generator, noise.

#include "maths.h"

frame frame_turned(vec3 origin, float radians)
{
	float c = cosf(radians);
	float s = sinf(radians);
	return (frame){ origin, { c, 0.0f, -s }, { 0.0f, 1.0f, 0.0f }, { s, 0.0f, c } };
}

frame frame_along(vec3 origin, vec3 up)
{
	vec3 y = unit3(up);
	vec3 helper = fabsf(y.y) < 0.9f ? (vec3){ 0.0f, 1.0f, 0.0f } : (vec3){ 1.0f, 0.0f, 0.0f };
	vec3 x = unit3(cross3(helper, y));
	return (frame){ origin, x, y, cross3(x, y) };
}

vec4 quat_turn(vec3 axis, float radians)
{
	float s = sinf(radians * 0.5f);
	return (vec4){ axis.x * s, axis.y * s, axis.z * s, cosf(radians * 0.5f) };
}

vec4 quat_product(vec4 a, vec4 b)
{
	return (vec4){
		a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
		a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
		a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
		a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
	};
}

dice dice_new(uint64_t seed)
{
	dice d = { seed * 6364136223846793005ull + 1442695040888963407ull };
	(void)dice_bits(&d);
	return d;
}

uint32_t dice_bits(dice *d)
{
	uint64_t old = d->state;
	d->state = old * 6364136223846793005ull + 1442695040888963407ull;
	uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
	uint32_t turn = (uint32_t)(old >> 59);
	return (mixed >> turn) | (mixed << ((32u - turn) & 31u));
}

float dice_unit(dice *d)
{
	return (float)(dice_bits(d) >> 8) * (1.0f / 16777216.0f);
}

float dice_between(dice *d, float low, float high)
{
	return mix(low, high, dice_unit(d));
}

vec3 dice_direction(dice *d)
{
	float y = dice_between(d, -1.0f, 1.0f);
	float turn = dice_between(d, 0.0f, 2.0f * PI);
	float r = sqrtf(1.0f - y * y);
	return (vec3){ r * cosf(turn), y, r * sinf(turn) };
}

float lattice(int x, int y, int z, uint32_t seed)
{
	uint32_t h = seed * 0x9E3779B9u + (uint32_t)x * 0x85EBCA6Bu + (uint32_t)y * 0xC2B2AE35u + (uint32_t)z * 0x27D4EB2Fu;
	h ^= h >> 15;
	h *= 0x2C1B3C6Du;
	h ^= h >> 12;
	h *= 0x297A2D39u;
	h ^= h >> 15;
	return (float)(h >> 8) * (1.0f / 16777216.0f);
}

static float ease(float t)
{
	return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static int wrapped(int v, int period)
{
	int r = v % period;
	return r < 0 ? r + period : r;
}

float noise2(float x, float y, int period_x, int period_y, uint32_t seed)
{
	float fx = floorf(x);
	float fy = floorf(y);
	int left = wrapped((int)fx, period_x);
	int top = wrapped((int)fy, period_y);
	int right = wrapped(left + 1, period_x);
	int bottom = wrapped(top + 1, period_y);
	float tx = ease(x - fx);
	float ty = ease(y - fy);
	float above = mix(lattice(left, top, 0, seed), lattice(right, top, 0, seed), tx);
	float below = mix(lattice(left, bottom, 0, seed), lattice(right, bottom, 0, seed), tx);
	return mix(above, below, ty);
}

float cloud2(float u, float v, int period, int octaves, uint32_t seed)
{
	float sum = 0.0f;
	float weight = 0.5f;
	float total = 0.0f;
	for (int octave = 0; octave < octaves; octave++)
	{
		sum += weight * noise2(u * (float)period, v * (float)period, period, period, seed + (uint32_t)octave * 101u);
		total += weight;
		weight *= 0.5f;
		period *= 2;
	}
	return sum / total;
}

float noise3(vec3 p, uint32_t seed)
{
	vec3 f = { floorf(p.x), floorf(p.y), floorf(p.z) };
	int x = (int)f.x;
	int y = (int)f.y;
	int z = (int)f.z;
	vec3 t = { ease(p.x - f.x), ease(p.y - f.y), ease(p.z - f.z) };
	float layer[2];
	for (int k = 0; k < 2; k++)
	{
		float above = mix(lattice(x, y, z + k, seed), lattice(x + 1, y, z + k, seed), t.x);
		float below = mix(lattice(x, y + 1, z + k, seed), lattice(x + 1, y + 1, z + k, seed), t.x);
		layer[k] = mix(above, below, t.y);
	}
	return mix(layer[0], layer[1], t.z);
}
