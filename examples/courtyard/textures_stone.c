// Surfaces that repeat: paving, wall, stone, wood, hammered metal, weave, water.
// Each is a height first; normals, occlusion and colour follow from it, so that the maps agree.

#include "textures.h"

#include <stdbool.h>

enum
{
	PAVING_ROWS = 5,
	PAVING_STONES = 4, ///< in a row
};

/// What is known about one texel before it gets a colour.
typedef struct spot
{
	float height;  ///< 0 at the joint's bottom, about 1 on top
	float solid;   ///< 0 in a joint, 1 on a stone
	float variety; ///< a random number of the stone
	float shade;   ///< another one
	float wear;    ///< noise
} spot;

typedef spot (*spot_function)(float u, float v);

/// The edges of a row of pieces that fill [0, 1): where piece `i` starts.
static float cut(int row, int i, int count, float unevenness, uint32_t seed)
{
	float jitter = (lattice(row, (i + count) % count, 7, seed) - 0.5f) * unevenness;
	return ((float)i + jitter) / (float)count;
}

/// Which piece a coordinate falls on, and how far it is from that piece's two edges.
static int find_piece(float at, int row, int count, float unevenness, uint32_t seed, float *inside)
{
	for (int i = -1; i <= count; i++)
	{
		float low = cut(row, i, count, unevenness, seed);
		float high = cut(row, i + 1, count, unevenness, seed);
		if (at >= low && at < high)
		{
			*inside = fminf(at - low, high - at);
			return (i + count) % count;
		}
	}
	*inside = 0.0f;
	return 0;
}

/// The distance to a rectangle's edge from the distances to its two nearest sides, with rounded corners.
static float rounded(float dx, float dy, float radius)
{
	float x = fmaxf(radius - dx, 0.0f);
	float y = fmaxf(radius - dy, 0.0f);
	return x > 0.0f && y > 0.0f ? radius - sqrtf(x * x + y * y) : fminf(dx, dy);
}

static spot paving_spot(float u, float v)
{
	float wobble = 0.010f;
	float wu = wrap(u + (cloud2(u, v, 8, 3, 11) - 0.5f) * wobble * 2.0f);
	float wv = wrap(v + (cloud2(u, v, 8, 3, 12) - 0.5f) * wobble * 2.0f);
	float dy = 0.0f;
	int row = find_piece(wv, 0, PAVING_ROWS, 0.36f, 21, &dy);
	float dx = 0.0f;
	float shifted = wrap(wu + lattice(row, 3, 0, 22));
	int stone = find_piece(shifted, row + 1, PAVING_STONES, 0.55f, 23, &dx);
	float d = rounded(dx, dy, 0.018f);
	spot s = { .variety = lattice(row, stone, 1, 24), .shade = lattice(row, stone, 2, 25) };
	s.wear = cloud2(u, v, 6, 5, 13);
	float chips = smooth(0.58f, 0.75f, cloud2(u, v, 20, 3, 14)) * smooth(0.03f, 0.0f, d);
	s.solid = smooth(0.004f, 0.011f, d - chips * 0.006f);
	float crown = smooth(0.004f, 0.034f, d);
	float tilt = (lattice(row, stone, 4, 26) - 0.5f) * (wu - 0.5f) + (lattice(row, stone, 5, 27) - 0.5f) * (wv - 0.5f);
	float pits = smooth(0.62f, 0.78f, cloud2(u, v, 48, 2, 15)) * 0.10f;
	s.height = s.solid * (0.55f + 0.22f * crown + 0.10f * s.variety + 0.06f * tilt + 0.16f * (s.wear - 0.5f) - pits);
	s.height += (1.0f - s.solid) * 0.12f * cloud2(u, v, 64, 2, 16);
	return s;
}

static vec3 paving_color(const spot *s, float u, float v)
{
	vec3 warm = { 0.74f, 0.64f, 0.52f };
	vec3 pale = { 0.79f, 0.74f, 0.66f };
	vec3 grey = { 0.60f, 0.57f, 0.54f };
	vec3 c = s->variety < 0.55f ? mix3(warm, pale, s->shade) : mix3(pale, grey, s->shade);
	c = scale3(c, 0.80f + 0.16f * s->shade + 0.34f * (s->wear - 0.5f));
	float grain = cloud2(u, v, 96, 2, 17) - 0.5f;
	c = scale3(c, 1.0f + 0.22f * grain);
	float stain = smooth(0.55f, 0.75f, cloud2(u, v, 4, 4, 18));
	c = mix3(c, (vec3){ 0.47f, 0.42f, 0.35f }, stain * 0.35f);
	float moss = smooth(0.45f, 0.65f, cloud2(u, v, 5, 4, 19));
	vec3 joint = mix3((vec3){ 0.30f, 0.25f, 0.20f }, (vec3){ 0.29f, 0.33f, 0.16f }, moss);
	return mix3(joint, c, s->solid);
}

enum
{
	BRICK_ROWS = 36,
	BRICKS = 14, ///< in a row
};

static float plaster_mask(float u, float v)
{
	float broad = cloud2(u, v, 3, 3, 31);
	float ragged = cloud2(u, v, 14, 4, 32);
	return smooth(0.405f, 0.425f, broad + (ragged - 0.5f) * 0.22f);
}

static spot brick_spot(float u, float v)
{
	float wv = wrap(v + (cloud2(u, v, 10, 2, 33) - 0.5f) * 0.006f);
	float wu = wrap(u + (cloud2(u, v, 10, 2, 34) - 0.5f) * 0.006f);
	int row = (int)(wv * BRICK_ROWS) % BRICK_ROWS;
	float in_row = wrap(wv * BRICK_ROWS);
	float dy = fminf(in_row, 1.0f - in_row) / BRICK_ROWS;
	float dx = 0.0f;
	int brick = find_piece(wrap(wu + (row % 2 == 0 ? 0.0f : 0.5f / BRICKS)), row + 1, BRICKS, 0.12f, 35, &dx);
	float d = rounded(dx, dy, 0.004f);
	spot s = { .variety = lattice(row, brick, 1, 36), .shade = lattice(row, brick, 2, 37) };
	s.wear = cloud2(u, v, 24, 4, 38);
	s.solid = smooth(0.0012f, 0.0030f, d + (s.wear - 0.5f) * 0.002f);
	s.height =
		0.20f + s.solid * (0.24f + 0.10f * s.variety + 0.16f * (s.wear - 0.5f)) + 0.05f * cloud2(u, v, 64, 2, 39);
	return s;
}

static spot wall_spot(float u, float v)
{
	float plaster = plaster_mask(u, v);
	spot s = brick_spot(u, v);
	float trowel = cloud2(u, v, 9, 4, 40);
	float fine = cloud2(u, v, 70, 2, 41);
	float shell = 0.74f + 0.16f * (trowel - 0.5f) + 0.04f * (fine - 0.5f);
	// Hairline cracks: where a noise passes its mean.
	float crack = 1.0f - smooth(0.0f, 0.012f, fabsf(cloud2(u, v, 5, 4, 42) - 0.5f));
	crack *= smooth(0.52f, 0.6f, cloud2(u, v, 4, 2, 43));
	shell -= crack * 0.12f;
	s.height = mix(s.height, shell, plaster);
	s.solid = mix(s.solid, 1.0f - crack * 0.7f, plaster);
	return s;
}

static vec3 wall_color(const spot *s, float u, float v)
{
	vec3 brick = mix3((vec3){ 0.62f, 0.33f, 0.23f }, (vec3){ 0.74f, 0.47f, 0.33f }, s->variety);
	brick = mix3(brick, (vec3){ 0.47f, 0.27f, 0.22f }, smooth(0.75f, 0.9f, s->shade));
	brick = scale3(brick, 0.82f + 0.4f * (s->wear - 0.3f));
	vec3 c = mix3((vec3){ 0.68f, 0.62f, 0.54f }, brick, s->solid);
	float patch = cloud2(u, v, 4, 5, 44);
	vec3 plaster = mix3((vec3){ 0.86f, 0.70f, 0.47f }, (vec3){ 0.93f, 0.83f, 0.66f }, smooth(0.3f, 0.7f, patch));
	float streak = smooth(0.5f, 0.72f, noise2(u * 40.0f, v * 5.0f, 40, 5, 45) * 0.5f + cloud2(u, v, 6, 3, 46) * 0.5f);
	plaster = mix3(plaster, (vec3){ 0.70f, 0.57f, 0.42f }, streak * 0.35f);
	plaster = scale3(plaster, 0.96f + 0.16f * (cloud2(u, v, 60, 2, 47) - 0.5f));
	plaster = scale3(plaster, mix(0.55f, 1.0f, s->solid));
	float mask = plaster_mask(u, v);
	// The broken rim of the plaster shows its pale core.
	float rim = smooth(0.0f, 0.5f, mask) * smooth(1.0f, 0.6f, mask);
	c = mix3(c, plaster, mask);
	return mix3(c, (vec3){ 0.88f, 0.82f, 0.73f }, rim * 0.7f);
}

static field heights_of(spot_function at, int size)
{
	field f = field_new(size, size);
	for (int y = 0; y < size; y++)
	{
		for (int x = 0; x < size; x++)
		{
			float u = ((float)x + 0.5f) / (float)size;
			float v = ((float)y + 0.5f) / (float)size;
			f.values[(size_t)y * (size_t)size + (size_t)x] = at(u, v).height;
		}
	}
	return f;
}

/// How far a texel lies below its surroundings: 1 in the open, less in a groove.
static float openness(const field *f, int x, int y, int reach, float strength)
{
	float here = f->values[(size_t)y * (size_t)f->width + (size_t)x];
	float above = 0.0f;
	for (int k = 0; k < 16; k++)
	{
		float turn = 2.0f * PI * (float)k / 8.0f;
		float r = (float)reach * (k < 8 ? 0.5f : 1.0f);
		int nx = (x + (int)lrintf(cosf(turn) * r) + f->width) % f->width;
		int ny = (y + (int)lrintf(sinf(turn) * r) + f->height) % f->height;
		above += fmaxf(f->values[(size_t)ny * (size_t)f->width + (size_t)nx] - here, 0.0f);
	}
	return clamp(1.0f - strength * above / 16.0f, 0.0f, 1.0f);
}

/// Roughness is quantised to 32 steps: it compresses better and no eye sees it.
static float stepped(float v)
{
	return roundf(v * 32.0f) / 32.0f;
}

static surface_maps paint_surface(
	spot_function at, vec3 (*color)(const spot *, float, float), float depth, float roughness)
{
	const int size = 1024;
	const int small = 512;
	surface_maps maps = { picture_new(size, size, 3), { 0 }, picture_new(small, small, 3) };
	for (int y = 0; y < size; y++)
	{
		for (int x = 0; x < size; x++)
		{
			float u = ((float)x + 0.5f) / (float)size;
			float v = ((float)y + 0.5f) / (float)size;
			spot s = at(u, v);
			vec3 c = color(&s, u, v);
			picture_set(&maps.albedo, x, y, (vec4){ c.x, c.y, c.z, 1.0f });
		}
	}
	field heights = heights_of(at, small);
	maps.normal = normals_from(&heights, depth);
	for (int y = 0; y < small; y++)
	{
		for (int x = 0; x < small; x++)
		{
			float open = openness(&heights, x, y, 7, 2.2f);
			float high = heights.values[(size_t)y * (size_t)small + (size_t)x];
			float rough = clamp(roughness + 0.35f * (0.55f - high), 0.4f, 1.0f);
			picture_set(&maps.orm, x, y, (vec4){ stepped(open), stepped(rough), 0.0f, 1.0f });
		}
	}
	field_free(&heights);
	return maps;
}

surface_maps paint_paving(void)
{
	return paint_surface(paving_spot, paving_color, 0.012f, 0.72f);
}

surface_maps paint_wall(void)
{
	return paint_surface(wall_spot, wall_color, 0.011f, 0.88f);
}

static spot stone_spot(float u, float v)
{
	spot s = { .solid = 1.0f, .wear = cloud2(u, v, 5, 5, 51) };
	float pits = smooth(0.60f, 0.90f, cloud2(u, v, 30, 3, 52));
	float layers = cloud2(u, wrap(v + 0.03f * cloud2(u, v, 4, 2, 53)), 12, 2, 54);
	s.shade = pits;
	s.height = 0.5f + 0.5f * (s.wear - 0.5f) + 0.15f * (layers - 0.5f) - 0.22f * pits;
	return s;
}

picture paint_stone(void)
{
	const int size = 256;
	picture p = picture_new(size, size, 3);
	for (int y = 0; y < size; y++)
	{
		for (int x = 0; x < size; x++)
		{
			float u = ((float)x + 0.5f) / (float)size;
			float v = ((float)y + 0.5f) / (float)size;
			spot s = stone_spot(u, v);
			float light = 0.82f + 0.26f * (s.wear - 0.5f) - 0.13f * s.shade;
			float warmth = (cloud2(u, v, 3, 3, 55) - 0.5f) * 0.10f;
			picture_set(&p, x, y, (vec4){ light + warmth, light, light - warmth, 1.0f });
		}
	}
	return p;
}

static picture normals_of(spot_function at, int size, float depth)
{
	field heights = heights_of(at, size);
	picture p = normals_from(&heights, depth);
	field_free(&heights);
	return p;
}

picture stone_normals(void)
{
	return normals_of(stone_spot, 256, 0.030f);
}

enum
{
	PLANKS = 4, ///< across the picture
};

static spot wood_spot(float u, float v)
{
	int plank = (int)(u * PLANKS) % PLANKS;
	float inside = wrap(u * PLANKS);
	float edge = fminf(inside, 1.0f - inside);
	spot s = { .variety = lattice(plank, 0, 1, 61), .solid = smooth(0.012f, 0.04f, edge) };
	float bend = (cloud2(u, v, 2, 3, 62) - 0.5f) * 0.5f;
	float rings = noise2((u + bend * 0.06f) * 48.0f, v * 2.0f + s.variety * 9.0f, 48, 2, 63);
	float fibres = noise2(u * 128.0f, v * 6.0f, 128, 6, 64);
	s.wear = 0.62f * rings + 0.38f * fibres;
	s.shade = smooth(0.75f, 0.9f, noise2(u * 64.0f, v * 4.0f, 64, 4, 65));
	s.height = s.solid * (0.6f + 0.4f * (s.wear - 0.5f) - 0.25f * s.shade);
	return s;
}

picture paint_wood(void)
{
	const int size = 256;
	picture p = picture_new(size, size, 3);
	for (int y = 0; y < size; y++)
	{
		for (int x = 0; x < size; x++)
		{
			float u = ((float)x + 0.5f) / (float)size;
			float v = ((float)y + 0.5f) / (float)size;
			spot s = wood_spot(u, v);
			vec3 c = mix3((vec3){ 0.42f, 0.29f, 0.19f }, (vec3){ 0.66f, 0.50f, 0.35f }, s.wear);
			c = scale3(c, (0.85f + 0.25f * s.variety) * (1.0f - 0.35f * s.shade) * mix(0.35f, 1.0f, s.solid));
			picture_set(&p, x, y, (vec4){ c.x, c.y, c.z, 1.0f });
		}
	}
	return p;
}

picture wood_normals(void)
{
	return normals_of(wood_spot, 256, 0.012f);
}

/// Distance to the nearest of one random point a cell, tileable.
static float nearest_point(float u, float v, int period, uint32_t seed)
{
	float x = u * (float)period;
	float y = v * (float)period;
	float best = 9.0f;
	for (int j = -1; j <= 1; j++)
	{
		for (int i = -1; i <= 1; i++)
		{
			int cx = (int)floorf(x) + i;
			int cy = (int)floorf(y) + j;
			int hx = (cx + period) % period;
			int hy = (cy + period) % period;
			float px = (float)cx + 0.15f + 0.7f * lattice(hx, hy, 1, seed);
			float py = (float)cy + 0.15f + 0.7f * lattice(hx, hy, 2, seed);
			best = fminf(best, hypotf(x - px, y - py));
		}
	}
	return best;
}

static spot hammered_spot(float u, float v)
{
	float d = nearest_point(u, v, 10, 71);
	return (spot){ .height = fminf(d * d, 0.8f), .solid = 1.0f };
}

picture hammered_normals(void)
{
	return normals_of(hammered_spot, 256, 0.018f);
}

static spot weave_spot(float u, float v)
{
	float x = u * 16.0f;
	float y = v * 16.0f;
	bool over = ((int)x + (int)y) % 2 == 0;
	float across = over ? wrap(x) - 0.5f : wrap(y) - 0.5f;
	float along = over ? wrap(y) - 0.5f : wrap(x) - 0.5f;
	float thread = sqrtf(fmaxf(0.0f, 1.0f - 3.6f * across * across));
	return (spot){ .height = thread * (0.55f + 0.45f * cosf(along * PI)), .solid = 1.0f };
}

picture weave_normals(void)
{
	return normals_of(weave_spot, 128, 0.020f);
}

static spot ripple_spot(float u, float v)
{
	// Ridged noise bent by itself: short crests, as a falling trickle makes them.
	float bend = 0.06f * cloud2(u, v, 4, 2, 81);
	float crest = 1.0f - fabsf(2.0f * cloud2(wrap(u + bend), wrap(v - bend), 7, 2, 82) - 1.0f);
	return (spot){ .height = crest * crest + 0.3f * cloud2(u, v, 16, 2, 83) };
}

picture ripple_normals(void)
{
	return normals_of(ripple_spot, 256, 0.020f);
}
