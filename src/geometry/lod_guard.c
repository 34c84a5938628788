// geometry/lod_guard.c: what a level may do to attributes.
//
// A level is drawn where its error covers about a pixel. So attributes may be off by as much as can't be seen then:
// each deviation is turned into the error that a level must have before it may do so, in the same units, and a point
// whose removal needs more than the level has is kept. Deviations that are small at any distance need none.

#include "geometry/lod.h"

#include <float.h>

// Texture coordinates off by this are the next texel of a texture of 1024, which filtering mixes with this one anyway.
#define UV_FREE (1.0f / 1024.0f)
// A texture may slide over the surface by so many times what the surface itself may be off: the eye follows outlines.
#define UV_SLIDE 2.0f

// Normals, as the distance between the tips of two unit vectors: 0.35 is 20 degrees, which changes diffuse light by a
// third at most. Past that what is wrongly lit must be small: at right angles, two pixels across.
#define NORMAL_FREE 0.35f
// Colours, in the channel that is farthest off.
#define COLOR_FREE 0.1f
// How many times its error wide a patch may be that is lit or coloured wrongly by one whole unit.
#define PATCH 2.0f

// Weights, as the share of a vertex that follows the wrong joint. Joints that bend by a right angle move a vertex by
// about its distance from them, which is within an eighth of a body's largest side: where 0.05 of that is wrong, it is
// a hundredth of the side at the worst.
#define WEIGHT_FREE 0.05f
#define REACH 0.125f

// A morph target's offsets, of the largest side: the finest that anyone sees of a whole model on a screen.
#define MORPH_FREE (1.0f / 2048.0f)

// A new triangle faces away where the cosines to what was at its three corners sum to less: at the rim of a thin plate
// those are about zero.
#define BACKWARDS (-0.3f)

typedef struct blend
{
	uint32_t vertices[3];
	float weights[3];
} blend;

static void mix(const float *values, uint32_t components, const blend *at, float *result)
{
	for (uint32_t c = 0; c < components; c++)
	{
		result[c] = at->weights[0] * values[components * (size_t)at->vertices[0] + c] +
					at->weights[1] * values[components * (size_t)at->vertices[1] + c] +
					at->weights[2] * values[components * (size_t)at->vertices[2] + c];
	}
}

// By the nearest of the normals that the point has.
static float normal_deviation(const lrd_lod_trial *trial, uint32_t point, const blend *at)
{
	const lrd_lod_mesh *mesh = trial->mesh;
	const float *normals = mesh->geometry->normals;
	float mixed[3];
	mix(normals, 3, at, mixed);
	float squared = mixed[0] * mixed[0] + mixed[1] * mixed[1] + mixed[2] * mixed[2];
	float largest = -INFINITY; // cosine, times the length of what was mixed
	uint32_t vertex = mesh->vertices[point];
	do
	{
		const float *normal = normals + 3 * (size_t)vertex;
		float cosine = normal[0] * mixed[0] + normal[1] * mixed[1] + normal[2] * mixed[2];
		largest = cosine > largest ? cosine : largest;
		vertex = mesh->wedges != NULL ? mesh->wedges[vertex] : mesh->vertices[point];
	} while (vertex != mesh->vertices[point]);
	const float free = 1.0f - 0.5f * NORMAL_FREE * NORMAL_FREE;
	if (largest > 0.0f && largest * largest >= free * free * squared)
	{
		return 0.0f; // most are: no root for those
	}
	float cosine = squared > 0.0f ? largest / sqrtf(squared) : -1.0f;
	return cosine < 1.0f ? sqrtf(2.0f - 2.0f * cosine) : 0.0f;
}

static float squared_length(const float *a, const float *b, uint32_t components)
{
	float sum = 0.0f;
	for (uint32_t c = 0; c < components; c++)
	{
		sum += (a[c] - b[c]) * (a[c] - b[c]);
	}
	return sum;
}

// How far the texture slides: the coordinates' change by the texels that the triangle there has for each length.
static float uv_need(
	const lrd_lod_trial *trial, const float *uv, uint32_t point, const uint32_t corners[3], const blend *at)
{
	float mixed[2];
	mix(uv, 2, at, mixed);
	float off = squared_length(mixed, uv + 2 * (size_t)trial->mesh->vertices[point], 2);
	if (!(off > UV_FREE * UV_FREE))
	{
		return 0.0f;
	}
	float lengths = 0.0f;
	float texels = 0.0f;
	for (uint32_t c = 0; c < 3; c++)
	{
		uint32_t d = (c + 1) % 3;
		lengths += squared_length(
			trial->mesh->positions + 3 * (size_t)corners[c], trial->mesh->positions + 3 * (size_t)corners[d], 3);
		texels += squared_length(uv + 2 * (size_t)at->vertices[c], uv + 2 * (size_t)at->vertices[d], 2);
	}
	return texels > 0.0f ? sqrtf(off * lengths / texels) * (1.0f / UV_SLIDE) : INFINITY;
}

static float color_deviation(const lrd_lod_trial *trial, uint32_t point, const blend *at)
{
	float mixed[4];
	mix(trial->mesh->geometry->colors, 4, at, mixed);
	const float *color = trial->mesh->geometry->colors + 4 * (size_t)trial->mesh->vertices[point];
	float largest = 0.0f;
	for (int c = 0; c < 4; c++)
	{
		float off = fabsf(mixed[c] - color[c]);
		largest = off > largest ? off : largest;
	}
	return largest;
}

// Half of what the weights of all joints differ by: the share that follows another joint.
static float weight_deviation(const lrd_lod_trial *trial, uint32_t point, const blend *at)
{
	const lrd_geometry *geometry = trial->mesh->geometry;
	uint16_t joints[16];
	float shares[16]; // what the point has, less what it gets
	uint32_t count = 0;
	for (uint32_t source = 0; source < 4; source++)
	{
		size_t vertex = source == 0 ? trial->mesh->vertices[point] : at->vertices[source - 1];
		float factor = source == 0 ? 1.0f : -at->weights[source - 1];
		for (size_t k = 4 * vertex; k < 4 * vertex + 4; k++)
		{
			uint32_t j = 0;
			while (j < count && joints[j] != geometry->joints[k])
			{
				j++;
			}
			if (j == count)
			{
				joints[count] = geometry->joints[k];
				shares[count++] = 0.0f;
			}
			shares[j] += factor * geometry->weights[k];
		}
	}
	float sum = 0.0f;
	for (uint32_t j = 0; j < count; j++)
	{
		sum += fabsf(shares[j]);
	}
	return 0.5f * sum;
}

static float morph_need(const lrd_lod_trial *trial, uint32_t point, const blend *at)
{
	const lrd_geometry *geometry = trial->mesh->geometry;
	float largest = 0.0f;
	for (uint32_t m = 0; m < geometry->morph_count; m++)
	{
		const float *offsets = geometry->morphs[m].positions;
		if (offsets != NULL)
		{
			float mixed[3];
			mix(offsets, 3, at, mixed);
			float off = squared_length(mixed, offsets + 3 * (size_t)trial->mesh->vertices[point], 3);
			largest = off > largest ? off : largest;
		}
	}
	float need = (float)((double)sqrtf(largest) * ldexp(1.0, -trial->mesh->exponent));
	return need > MORPH_FREE * trial->mesh->side ? need : 0.0f;
}

static float larger(float a, float b)
{
	return b > a ? b : a; // a where b is not a number
}

static lrd_vec3 doubled_area_of(const float *positions, const uint32_t *corners)
{
	lrd_vec3 a = lrd_load3(positions, corners[0]);
	lrd_vec3 b = lrd_vec3_sub(lrd_load3(positions, corners[1]), a);
	lrd_vec3 c = lrd_vec3_sub(lrd_load3(positions, corners[2]), a);
	return lrd_vec3_cross(b, c);
}

// Of what a point and its removal change: about two of the coarser level's triangles, taken for a disc.
static float patch_radius(const float *positions, const uint32_t corners[3])
{
	return sqrtf(lrd_vec3_length(doubled_area_of(positions, corners)) * (float)(1.0 / LRD_PI));
}

float lrd_lod_need(const lrd_lod_trial *trial, uint32_t point, const lrd_lod_nearest *nearest)
{
	const lrd_geometry *geometry = trial->mesh->geometry;
	const lrd_lod_wing *wing = &trial->now.fans.wings[nearest->wing];
	const uint32_t corners[3] = { nearest->host, wing->next, wing->prev };
	blend at = { .weights = { 1.0f - nearest->next - nearest->prev, nearest->next, nearest->prev } };
	lrd_lod_wing_vertices(trial, nearest->host, nearest->wing, at.vertices);
	float need = 0.0f;
	float off = geometry->normals != NULL ? normal_deviation(trial, point, &at) - NORMAL_FREE : 0.0f;
	if (geometry->colors != NULL)
	{
		off = larger(off, color_deviation(trial, point, &at) - COLOR_FREE);
	}
	if (off > 0.0f)
	{
		need = off * patch_radius(trial->mesh->positions, corners) * (1.0f / PATCH);
	}
	for (int set = 0; set < 2; set++)
	{
		if (geometry->uv[set] != NULL)
		{
			need = larger(need, uv_need(trial, geometry->uv[set], point, corners, &at));
		}
	}
	if (geometry->joints != NULL && geometry->weights != NULL)
	{
		need = larger(need, (weight_deviation(trial, point, &at) - WEIGHT_FREE) * REACH * trial->mesh->side);
	}
	return geometry->morph_count != 0 ? larger(need, morph_need(trial, point, &at)) : need;
}

lrd_vec3 lrd_lod_normal_at(const lrd_lod_trial *trial, uint32_t point)
{
	const lrd_lod_fans *fans = &trial->before.fans;
	const float *positions = trial->mesh->positions;
	lrd_vec3 sum = { 0.0f, 0.0f, 0.0f };
	for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1]; wing++)
	{
		const uint32_t corners[3] = { point, fans->wings[wing].next, fans->wings[wing].prev };
		sum = lrd_vec3_add(sum, doubled_area_of(positions, corners));
	}
	return lrd_vec3_normalize_or(sum, (lrd_vec3){ 0.0f, 0.0f, 0.0f });
}

// Normals that a mesh comes with tell nearly always, and cheaply, that a triangle faces the way it should.
static bool is_beyond_doubt(const lrd_lod_trial *trial, uint32_t first, lrd_vec3 normal)
{
	const lrd_lod_mesh *mesh = trial->mesh;
	const float *normals = mesh->geometry->normals;
	bool beyond = normals != NULL;
	for (uint32_t c = 0; c < 3 && beyond; c++)
	{
		uint32_t vertex =
			trial->to_vertices != NULL ? trial->to_vertices[first + c] : mesh->vertices[trial->to[first + c]];
		beyond = lrd_vec3_dot(normal, lrd_load3(normals, vertex)) > 0.0f;
	}
	return beyond;
}

// The error that a level must have before it may show the back of a triangle: half the width of what is seen of it.
// 0 where the triangle faces the way that the surface at its corners did.
static float turned_need(const lrd_lod_trial *trial, const uint32_t *corners, lrd_vec3 normal)
{
	float doubled_area = lrd_vec3_length(normal);
	float facing = 0.0f;
	for (uint32_t i = 0; i < 3; i++)
	{
		facing += lrd_vec3_dot(normal, lrd_lod_normal_at(trial, corners[i]));
	}
	if (facing >= BACKWARDS * doubled_area)
	{
		return 0.0f;
	}
	float longest = 0.0f;
	for (uint32_t c = 0; c < 3; c++)
	{
		lrd_vec3 side = lrd_vec3_sub(
			lrd_load3(trial->mesh->positions, corners[c]), lrd_load3(trial->mesh->positions, corners[(c + 1) % 3]));
		longest = larger(longest, lrd_vec3_dot(side, side));
	}
	return doubled_area / (sqrtf(longest) * PATCH);
}

static void find_turned(lrd_lod_trial *trial)
{
	for (uint32_t i = 0; i < trial->to_count; i += 3)
	{
		if (trial->turned[i / 3] >= 0.0f)
		{
			continue;
		}
		const uint32_t *corners = trial->to + i;
		lrd_vec3 normal = doubled_area_of(trial->mesh->positions, corners);
		trial->turned[i / 3] = 0.0f;
		if (is_beyond_doubt(trial, i, normal))
		{
			continue;
		}
		trial->turned[i / 3] = larger(FLT_MIN, turned_need(trial, corners, normal));
	}
}

static void settle_needy(lrd_lod_trial *trial)
{
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		if (trial->needs[trial->gone[g]] > trial->error)
		{
			lrd_lod_settle(trial, trial->gone[g]);
		}
	}
}

// Where points need little more than what was measured, the level may have that.
static void raise_error(lrd_lod_trial *trial, float patience)
{
	float most = trial->error * patience < trial->limit ? trial->error * patience : trial->limit;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		float need = trial->needs[trial->gone[g]];
		trial->error = need > trial->error && need <= most ? need : trial->error;
	}
	for (uint32_t t = 0; t < trial->to_count / 3; t++)
	{
		float need = trial->turned[t];
		trial->error = need > trial->error && need <= most ? need : trial->error;
	}
}

void lrd_lod_judge(lrd_lod_trial *trial, float patience)
{
	settle_needy(trial);
	find_turned(trial);
	raise_error(trial, patience);
	memset(trial->missed, 0, trial->mesh->point_count);
	trial->missed_count = 0;
	trial->turned_count = 0;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		trial->missed[point] = trial->states[point] == LRD_LOD_LOST || !(trial->needs[point] <= trial->error);
		trial->missed_count += trial->missed[point];
	}
	for (uint32_t t = 0; t < trial->to_count / 3; t++)
	{
		trial->turned_count += trial->turned[t] > trial->error;
	}
}

void lrd_lod_miss_turned(lrd_lod_trial *trial)
{
	enum
	{
		TURNED = 2
	};
	uint8_t *missed = trial->missed;
	for (uint32_t i = 0; i < trial->to_count; i++)
	{
		missed[trial->to[i]] |= trial->turned[i / 3] > trial->error ? TURNED : 0;
	}
	for (uint32_t i = 0; i < trial->from_count; i += 3)
	{
		// Those that stood on corners of such triangles alone.
		const uint32_t *corners = trial->from + i;
		uint32_t kept = 0;
		uint32_t turned = 0;
		for (uint32_t c = 0; c < 3; c++)
		{
			kept += trial->states[corners[c]] == LRD_LOD_KEPT;
			turned += trial->states[corners[c]] == LRD_LOD_KEPT && (missed[corners[c]] & TURNED) != 0;
		}
		for (uint32_t c = 0; c < 3 && kept == turned && turned != 0; c++)
		{
			missed[corners[c]] |= trial->states[corners[c]] != LRD_LOD_KEPT ? 1 : 0;
		}
	}
	for (uint32_t point = 0; point < trial->mesh->point_count; point++)
	{
		missed[point] &= 1;
	}
}
