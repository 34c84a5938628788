// geometry/lod_folds.c: places of a trial that no image tells of. Images cover the new surface where it lies below the
// old one like a sheet; but where the old one is rough, or the new one folded, a triangle may lie deep below others, and
// what was above it is nearer to those. Normals tell where that may be.

#include "geometry/lod.h"

// Where a surface is round, it lies a quarter as far from the middle of an edge as the edge's ends from each other's
// tangent planes. Past BULGE times the error, that is looked into; and earlier where the edge is so short that the
// surface may be too rough for normals to tell much.
#define BULGE 3.0f
#define SHORT_BULGE 1.5f
#define SHORT 6.0f
// Folds may raise the level's error by so much; past that what lay there is kept.
#define EXCESS 1.2f

// Measure a place on the new surface from the old one, which is walked over from the host.
static void measure_place(lrd_lod_trial *trial, lrd_vec3 place, uint32_t host, float most)
{
	const lrd_lod_mesh *mesh = trial->mesh;
	float at[3];
	lrd_store3(at, 0, place);
	lrd_lod_nearest nearest = { .host = host };
	lrd_lod_walk(&trial->before, at, mesh->has_twins, &nearest);
	if (sqrtf(nearest.squared) + mesh->errors[nearest.host] <= trial->error)
	{
		return;
	}
	lrd_lod_search(&trial->before, at, mesh->has_twins, &nearest);
	const lrd_lod_wing *wing = &trial->before.fans.wings[nearest.wing];
	const uint32_t corners[3] = { nearest.host, wing->next, wing->prev };
	float moved = sqrtf(nearest.squared) + mesh->errors[nearest.host];
	bool missed = false;
	for (uint32_t c = 0; c < 3 && moved > most; c++)
	{
		bool gone = trial->states[corners[c]] != LRD_LOD_KEPT;
		trial->missed_count += gone && !trial->missed[corners[c]];
		trial->missed[corners[c]] |= gone;
		missed = missed || gone;
	}
	trial->error = moved > trial->error && !missed ? moved : trial->error;
}

// A triangle of the new surface.
typedef struct face
{
	uint32_t points[3];
	lrd_vec3 places[3];
	lrd_vec3 normals[3];
} face;

static face face_at(const lrd_lod_trial *trial, uint32_t first)
{
	const lrd_lod_mesh *mesh = trial->mesh;
	const float *normals = mesh->geometry->normals;
	face result;
	for (uint32_t c = 0; c < 3; c++)
	{
		uint32_t point = trial->to[first + c];
		uint32_t vertex = trial->to_vertices != NULL ? trial->to_vertices[first + c] : mesh->vertices[point];
		result.points[c] = point;
		result.places[c] = lrd_load3(mesh->positions, point);
		result.normals[c] = normals != NULL ? lrd_load3(normals, vertex) : lrd_lod_normal_at(trial, point);
	}
	return result;
}

// Whether the surface may have been farther from the middle of an edge than the error.
static bool may_bulge(const face *self, float error)
{
	bool any = false;
	for (uint32_t c = 0; c < 3; c++)
	{
		uint32_t d = c == 2 ? 0 : c + 1;
		lrd_vec3 arm = lrd_vec3_sub(self->places[d], self->places[c]);
		float squared = lrd_vec3_dot(arm, arm);
		float reach = squared < SHORT * SHORT * error * error ? SHORT_BULGE * error : BULGE * error;
		float rise = fabsf(lrd_vec3_dot(arm, self->normals[c]));
		float other = fabsf(lrd_vec3_dot(arm, self->normals[d]));
		rise = other > rise ? other : rise;
		any |= (rise > reach) & (squared > 4.0f * error * error); // half of that has an end that is nearer
	}
	return any;
}

static void measure_face(lrd_lod_trial *trial, const face *self, float most)
{
	bool is_new = false;
	for (uint32_t c = 0; c < 3; c++)
	{
		uint32_t d = c == 2 ? 0 : c + 1;
		if (!lrd_lod_has_edge(&trial->before, self->points[c], self->points[d]))
		{
			is_new = true;
			lrd_vec3 middle = lrd_vec3_scale(lrd_vec3_add(self->places[c], self->places[d]), 0.5f);
			measure_place(trial, middle, self->points[c], most);
		}
	}
	if (is_new)
	{
		lrd_vec3 sum = lrd_vec3_add(lrd_vec3_add(self->places[0], self->places[1]), self->places[2]);
		measure_place(trial, lrd_vec3_scale(sum, 1.0f / 3.0f), self->points[0], most);
	}
}

void lrd_lod_measure_folds(lrd_lod_trial *trial)
{
	float most = trial->error * EXCESS < trial->limit ? trial->error * EXCESS : trial->limit;
	for (uint32_t i = 0; i < trial->to_count; i += 3)
	{
		face self = face_at(trial, i);
		if (trial->turned[i / 3] > 0.0f || may_bulge(&self, trial->error))
		{
			measure_face(trial, &self, most);
		}
	}
	trial->missed_count += trial->error > trial->limit; // and nobody knows which
}
