// Pictures that are drawn rather than grown: leaves with soft edges, the banner, the clock, the lantern's glow, the
// sign.

#include "textures.h"

#include <stdbool.h>

/// Which outline a leaf has.
typedef enum leaf_shape
{
	LEAF_POINTED,
	LEAF_LOBED,
	LEAF_PETALS,
	LEAF_BLADE,
} leaf_shape;

/// One leaf in a quarter of the foliage picture; units are widths of the quarter, v down.
typedef struct leaf
{
	leaf_shape shape;
	vec2 base;       ///< where the stalk meets it
	float direction; ///< radians, 0 is right, counter-clockwise
	float length, width;
	vec3 color;
} leaf;

/// How far a point is inside a leaf, in quarter widths; `vein` gets 0..1 near a vein.
static float leaf_depth(const leaf *l, vec2 p, float *vein)
{
	float dx = p.x - l->base.x;
	float dy = -(p.y - l->base.y);
	float c = cosf(l->direction);
	float s = sinf(l->direction);
	float x = (dx * c + dy * s) / l->length;
	float y = (dy * c - dx * s) / l->width;
	*vein = 0.0f;
	if (l->shape == LEAF_POINTED || l->shape == LEAF_BLADE)
	{
		float power = l->shape == LEAF_POINTED ? 0.8f : 0.35f;
		if (x <= 0.0f || x >= 1.0f)
		{
			return -0.1f;
		}
		float half = powf(sinf(PI * powf(x, power)), 0.9f) * 0.5f;
		float side = wrap(x * 7.0f - fabsf(y) * 2.2f);
		*vein = fmaxf(smooth(0.06f, 0.015f, fabsf(y)), 0.45f * smooth(0.16f, 0.04f, fabsf(side - 0.5f)));
		return (half - fabsf(y)) * l->width;
	}
	// Round shapes are measured from their middle.
	float mx = x - 0.45f;
	float angle = atan2f(y, mx);
	float r = hypotf(mx, y);
	float edge = 0.0f;
	if (l->shape == LEAF_LOBED)
	{
		edge = 0.38f + 0.085f * cosf(5.0f * angle) + 0.09f * cosf(angle);
		*vein = smooth(0.10f, 0.02f, fabsf(sinf(2.5f * angle)) * r * 1.6f);
	}
	else
	{
		edge = 0.30f + 0.14f * cosf(5.0f * angle);
		*vein = -smooth(0.12f, 0.05f, r);
	}
	return (edge - r) * fminf(l->length, l->width);
}

static void draw_leaf(picture *p, int left, int top, int size, const leaf *l)
{
	float reach = l->length * 1.2f;
	for (int y = 2; y < size - 2; y++)
	{
		for (int x = 2; x < size - 2; x++)
		{
			vec2 at = { ((float)x + 0.5f) / (float)size, ((float)y + 0.5f) / (float)size };
			if (fabsf(at.x - l->base.x) > reach || fabsf(at.y - l->base.y) > reach)
			{
				continue;
			}
			float vein = 0.0f;
			float depth = leaf_depth(l, at, &vein) * (float)size;
			float cover = smooth(-1.1f, 1.1f, depth);
			if (cover <= 0.0f)
			{
				continue;
			}
			float rim = smooth(7.0f, 0.0f, depth);
			vec3 c = scale3(l->color, 1.0f - 0.22f * rim);
			c = vein >= 0.0f ? mix3(c, mix3(l->color, (vec3){ 0.75f, 0.80f, 0.45f }, 0.6f), vein * 0.6f)
							 : mix3(c, (vec3){ 0.95f, 0.75f, 0.25f }, -vein);
			vec4 old = picture_get(p, left + x, top + y);
			vec3 mixed = mix3((vec3){ old.x, old.y, old.z }, c, cover);
			picture_set(p, left + x, top + y, (vec4){ mixed.x, mixed.y, mixed.z, fmaxf(old.w, cover) });
		}
	}
}

static vec3 leaf_green(dice *d, vec3 dark, vec3 light)
{
	return mix3(dark, light, dice_unit(d));
}

static void draw_twig(picture *p, int left, int top, int size)
{
	dice d = dice_new(301);
	leaf stem = { LEAF_BLADE, { 0.5f, 1.0f }, PI * 0.5f, 0.9f, 0.035f, { 0.34f, 0.27f, 0.14f } };
	draw_leaf(p, left, top, size, &stem);
	for (int i = 0; i < 15; i++)
	{
		float up = 0.97f - 0.052f * (float)i;
		float side = i % 2 == 0 ? 1.0f : -1.0f;
		leaf l = { .shape = LEAF_POINTED, .base = { 0.5f + side * 0.012f, up } };
		l.direction = PI * 0.5f - side * dice_between(&d, 0.5f, 1.15f);
		l.length = dice_between(&d, 0.30f, 0.42f) * (1.0f - 0.02f * (float)i);
		l.width = l.length * dice_between(&d, 0.38f, 0.46f);
		l.color = leaf_green(&d, (vec3){ 0.20f, 0.33f, 0.11f }, (vec3){ 0.44f, 0.56f, 0.20f });
		draw_leaf(p, left, top, size, &l);
	}
	leaf tip = { LEAF_POINTED, { 0.5f, 0.28f }, PI * 0.5f, 0.26f, 0.11f, { 0.52f, 0.62f, 0.24f } };
	draw_leaf(p, left, top, size, &tip);
}

static void draw_ivy(picture *p, int left, int top, int size)
{
	dice d = dice_new(302);
	for (int i = 0; i < 11; i++)
	{
		float turn = 2.4f * (float)i;
		float r = 0.30f * sqrtf((float)i / 11.0f);
		leaf l = { .shape = LEAF_LOBED, .direction = -PI * 0.5f + dice_between(&d, -0.7f, 0.7f) };
		l.length = dice_between(&d, 0.30f, 0.40f);
		l.width = l.length * 0.95f;
		l.base = (vec2){ 0.5f + r * cosf(turn), 0.36f + r * sinf(turn) };
		l.color = leaf_green(&d, (vec3){ 0.14f, 0.27f, 0.11f }, (vec3){ 0.36f, 0.48f, 0.19f });
		draw_leaf(p, left, top, size, &l);
	}
}

static void draw_blossoms(picture *p, int left, int top, int size)
{
	dice d = dice_new(303);
	for (int i = 0; i < 7; i++)
	{
		leaf l = { .shape = LEAF_POINTED, .base = { 0.5f, 0.62f }, .direction = 0.9f * (float)i };
		l.length = dice_between(&d, 0.34f, 0.44f);
		l.width = 0.15f;
		l.color = leaf_green(&d, (vec3){ 0.22f, 0.36f, 0.14f }, (vec3){ 0.40f, 0.52f, 0.22f });
		draw_leaf(p, left, top, size, &l);
	}
	for (int i = 0; i < 9; i++)
	{
		float turn = 2.4f * (float)i;
		float r = 0.28f * sqrtf((float)i / 9.0f);
		leaf l = { .shape = LEAF_PETALS, .direction = dice_between(&d, 0.0f, 6.0f) };
		l.length = dice_between(&d, 0.24f, 0.32f);
		l.width = l.length;
		vec2 middle = { 0.5f + r * cosf(turn), 0.45f + r * sinf(turn) };
		l.base =
			(vec2){ middle.x - 0.45f * l.length * cosf(l.direction), middle.y + 0.45f * l.length * sinf(l.direction) };
		l.color = mix3((vec3){ 0.86f, 0.22f, 0.45f }, (vec3){ 0.98f, 0.52f, 0.66f }, dice_unit(&d));
		draw_leaf(p, left, top, size, &l);
	}
}

static void draw_grass(picture *p, int left, int top, int size)
{
	dice d = dice_new(304);
	for (int i = 0; i < 26; i++)
	{
		leaf l = { .shape = LEAF_BLADE, .base = { dice_between(&d, 0.3f, 0.7f), 1.0f } };
		l.direction = PI * 0.5f + (0.5f - l.base.x) * 1.6f + dice_between(&d, -0.3f, 0.3f);
		l.length = dice_between(&d, 0.55f, 0.92f);
		l.width = dice_between(&d, 0.045f, 0.075f);
		l.color = leaf_green(&d, (vec3){ 0.28f, 0.38f, 0.14f }, (vec3){ 0.58f, 0.64f, 0.30f });
		draw_leaf(p, left, top, size, &l);
	}
}

picture paint_foliage(void)
{
	const int quarter = 256;
	picture p = picture_new(quarter * 2, quarter * 2, 4);
	static const vec3 grounds[4] = { { 0.32f, 0.45f, 0.16f }, { 0.25f, 0.38f, 0.15f }, { 0.60f, 0.42f, 0.38f },
		{ 0.42f, 0.50f, 0.21f } };
	// Transparent texels carry the leaves' mean colour: mips and bilinear edges then show no halo.
	for (int y = 0; y < p.height; y++)
	{
		for (int x = 0; x < p.width; x++)
		{
			vec3 c = grounds[(x >= quarter ? 1 : 0) + (y >= quarter ? 2 : 0)];
			picture_set(&p, x, y, (vec4){ c.x, c.y, c.z, 0.0f });
		}
	}
	draw_twig(&p, 0, 0, quarter);
	draw_ivy(&p, quarter, 0, quarter);
	draw_blossoms(&p, 0, quarter, quarter);
	draw_grass(&p, quarter, quarter, quarter);
	return p;
}

/// 1 inside a shape given by a signed distance in texels, softened over one texel.
static float inside(float distance)
{
	return smooth(0.8f, -0.8f, distance);
}

/// A sun with wavy rays round (x, y), as coverage.
static float sun_cover(float x, float y, float radius)
{
	float r = hypotf(x, y);
	float angle = atan2f(y, x);
	float disc = inside(r - radius);
	float face = inside(fabsf(r - radius * 0.78f) - radius * 0.05f);
	float ray = fabsf(wrap(angle / (2.0f * PI) * 16.0f + 0.06f * sinf(r * 0.18f)) - 0.5f) * 2.0f;
	float along = (r - radius * 1.15f) / (radius * 0.85f);
	float width = along > 0.0f && along < 1.0f ? 0.75f * (1.0f - along) : 0.0f;
	float rays = width > 0.0f ? smooth(width, width - 0.12f, ray) : 0.0f;
	return fmaxf(disc * (1.0f - face), rays);
}

picture paint_banner(void)
{
	const int width = 256;
	const int height = 512;
	picture p = picture_new(width, height, 3);
	for (int y = 0; y < height; y++)
	{
		for (int x = 0; x < width; x++)
		{
			float fx = (float)x + 0.5f;
			float fy = (float)y + 0.5f;
			float gold = sun_cover(fx - 128.0f, fy - 170.0f, 44.0f);
			for (int wave = 0; wave < 3; wave++)
			{
				float middle = 330.0f + 34.0f * (float)wave + 9.0f * sinf(fx * 2.0f * PI / 64.0f + (float)wave * 1.3f);
				gold = fmaxf(gold, inside(fabsf(fy - middle) - 5.5f));
			}
			float frame_distance = fminf(fminf(fx, 256.0f - fx), fminf(fy, 512.0f - fy));
			gold = fmaxf(gold, inside(fabsf(frame_distance - 16.0f) - 4.5f));
			float fade = 0.9f + 0.2f * (cloud2(fx / 256.0f, fy / 512.0f, 5, 4, 91) - 0.5f);
			float thread = 1.0f + 0.08f * (lattice(x, y / 3, 0, 92) - 0.5f) + 0.05f * (lattice(x / 3, y, 1, 93) - 0.5f);
			vec3 red = { 0.64f, 0.11f, 0.12f };
			vec3 c = scale3(mix3(red, (vec3){ 0.93f, 0.72f, 0.28f }, gold), fade * thread);
			picture_set(&p, x, y, (vec4){ c.x, c.y, c.z, 1.0f });
		}
	}
	return p;
}

static float clock_ink(float x, float y)
{
	float r = hypotf(x, y);
	float ink = inside(fabsf(r - 112.0f) - 3.0f);
	ink = fmaxf(ink, inside(fabsf(r - 72.0f) - 1.2f));
	float hour = wrap(atan2f(y, x) / (2.0f * PI) * 12.0f + 0.5f) - 0.5f;
	float sideways = fabsf(hour) * 2.0f * PI / 12.0f * r;
	if (r > 78.0f && r < 104.0f)
	{
		ink = fmaxf(ink, inside(sideways - 4.0f));
	}
	ink = fmaxf(ink, 0.8f * sun_cover(x, y, 18.0f));
	return ink;
}

picture paint_clock(void)
{
	const int size = 256;
	picture p = picture_new(size, size, 3);
	for (int y = 0; y < size; y++)
	{
		for (int x = 0; x < size; x++)
		{
			float fx = (float)x + 0.5f - 128.0f;
			float fy = (float)y + 0.5f - 128.0f;
			vec3 c = scale3(
				(vec3){ 0.93f, 0.89f, 0.78f }, 0.92f + 0.16f * (cloud2(fx / 256.0f, fy / 256.0f, 4, 4, 94) - 0.5f));
			c = mix3(c, (vec3){ 0.10f, 0.14f, 0.26f }, clock_ink(fx, fy));
			picture_set(&p, x, y, (vec4){ c.x, c.y, c.z, 1.0f });
		}
	}
	return p;
}

picture paint_glow(void)
{
	const int size = 128;
	picture p = picture_new(size, size, 3);
	for (int y = 0; y < size; y++)
	{
		for (int x = 0; x < size; x++)
		{
			float u = ((float)x + 0.5f) / (float)size;
			float v = ((float)y + 0.5f) / (float)size;
			float flame = expf(-14.0f * ((u - 0.5f) * (u - 0.5f) + 0.55f * (v - 0.55f) * (v - 0.55f)));
			float level = 0.22f + 0.78f * flame;
			picture_set(
				&p, x, y, (vec4){ level, level * (0.55f + 0.30f * flame), level * (0.18f + 0.38f * flame), 1.0f });
		}
	}
	return p;
}

/// The sign's emblem: a fish inside a ring, as coverage; texels from the middle of a 256 x 192 picture.
static float sign_cover(float x, float y)
{
	float ring = inside(fabsf(hypotf(x, y * 1.05f) - 80.0f) - 5.0f);
	float bx = (x + 8.0f) / 46.0f;
	float half = bx > -1.0f && bx < 1.0f ? 22.0f * (1.0f - bx * bx) : -4.0f;
	float body = inside(fabsf(y) - half);
	float tx = x - 34.0f;
	float tail = tx > -4.0f && tx < 22.0f ? inside(fabsf(y) - (6.0f + tx * 0.8f)) : 0.0f;
	float eye = inside(hypotf(x + 32.0f, y + 4.0f) - 3.5f);
	float gill = inside(fabsf(hypotf(x + 44.0f, y) - 24.0f) - 1.5f);
	return fmaxf(ring, fmaxf(body, tail) * (1.0f - fmaxf(eye, gill)));
}

picture paint_sign(void)
{
	picture p = picture_new(256, 192, 3);
	for (int y = 0; y < p.height; y++)
	{
		for (int x = 0; x < p.width; x++)
		{
			float fx = (float)x + 0.5f - 128.0f;
			float fy = (float)y + 0.5f - 96.0f;
			float worn = cloud2(fx / 256.0f, fy / 256.0f, 6, 4, 95);
			vec3 blue = scale3((vec3){ 0.13f, 0.30f, 0.38f }, 0.8f + 0.4f * worn);
			vec3 c = mix3(blue, (vec3){ 0.90f, 0.80f, 0.55f }, sign_cover(fx, fy) * smooth(0.25f, 0.4f, worn));
			picture_set(&p, x, y, (vec4){ c.x, c.y, c.z, 1.0f });
		}
	}
	return p;
}

picture sign_normals(void)
{
	field f = field_new(256, 192);
	for (int y = 0; y < f.height; y++)
	{
		for (int x = 0; x < f.width; x++)
		{
			float fx = (float)x + 0.5f - 128.0f;
			float fy = (float)y + 0.5f - 96.0f;
			float grain = noise2(fx * 0.03f, fy * 0.4f, 4096, 4096, 96);
			f.values[(size_t)y * (size_t)f.width + (size_t)x] = sign_cover(fx, fy) + 0.25f * grain;
		}
	}
	picture p = normals_from(&f, 0.010f);
	field_free(&f);
	return p;
}
