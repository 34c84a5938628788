// geometry/lod_border.c: open edges of a trial. Elsewhere images cover the new surface, so that it lies no farther from
// the old one than that lies from it; an open edge may have moved out over nothing.

#include "geometry/lod.h"

#define MOST_TWINS 16u
#define MOST_ALONG 64u
#define MOST_BISECTIONS 5
// Bisections that are left when planes are trusted: three places are looked at first.
#define TRUSTED 3
#define TOLERANCE 1.02f
// An open edge may raise the level's error by so much; past that what it replaced is kept.
#define EXCESS 1.2f

static bool has_edge(const lrd_lod_surface *surface, uint32_t from, uint32_t to)
{
	const lrd_lod_mesh *mesh = surface->mesh;
	const float *place = mesh->positions + 3 * (size_t)to;
	uint32_t twin = from;
	for (uint32_t i = 0; i < MOST_TWINS && (i == 0 || twin != from); i++, twin = mesh->twins[twin])
	{
		for (uint32_t wing = surface->fans.starts[twin]; wing < surface->fans.starts[twin + 1]; wing++)
		{
			const float *next = mesh->positions + 3 * (size_t)surface->fans.wings[wing].next;
			if (memcmp(next, place, 3 * sizeof *place) == 0)
			{
				return true;
			}
		}
	}
	return false;
}

// A piece of an edge: an end and how it lies to the finer level.
typedef struct edge_end
{
	float position[3];
	lrd_lod_image image; // with its host in corners[0]
	bool known;          // whether the image tells of a plane
} edge_end;

static float out_of_plane(const edge_end *plane, const edge_end *other)
{
	lrd_vec3 arm = lrd_vec3_sub(lrd_load3(other->image.at, 0), lrd_load3(plane->image.at, 0));
	return plane->known ? fabsf(lrd_vec3_dot(arm, lrd_load3(plane->image.normal, 0))) : INFINITY;
}

static edge_end end_between(const lrd_lod_trial *trial, const edge_end *a, const edge_end *b)
{
	edge_end middle = { .known = true };
	for (int axis = 0; axis < 3; axis++)
	{
		middle.position[axis] = 0.5f * (a->position[axis] + b->position[axis]);
	}
	lrd_lod_nearest nearest = { .host = a->image.corners[0] };
	lrd_lod_walk(&trial->before, middle.position, trial->mesh->has_twins, &nearest);
	lrd_lod_search(&trial->before, middle.position, trial->mesh->has_twins, &nearest);
	middle.image = lrd_lod_image_of(&trial->before, &nearest);
	return middle;
}

// The largest distance of a piece of an edge from the finer level where it may exceed `least`: no distance changes
// faster than one goes along, and between two planes it is about that of their ends or less.
static float look_into(const lrd_lod_trial *trial, const edge_end *a, const edge_end *b, float least, int depth)
{
	float along = lrd_vec3_length(lrd_vec3_sub(lrd_load3(a->position, 0), lrd_load3(b->position, 0)));
	float bound = 0.5f * (a->image.distance + b->image.distance + along);
	float bend = out_of_plane(a, b) < out_of_plane(b, a) ? out_of_plane(a, b) : out_of_plane(b, a);
	float larger = a->image.distance > b->image.distance ? a->image.distance : b->image.distance;
	bound = depth <= TRUSTED && larger + bend < bound ? larger + bend : bound;
	if (bound <= least * TOLERANCE)
	{
		return least;
	}
	if (depth == 0)
	{
		return bound;
	}
	edge_end middle = end_between(trial, a, b);
	least = middle.image.distance > least ? middle.image.distance : least;
	least = look_into(trial, a, &middle, least, depth - 1);
	return look_into(trial, &middle, b, least, depth - 1);
}

static edge_end end_at(const lrd_lod_mesh *mesh, uint32_t point)
{
	edge_end end = { .known = false };
	memcpy(end.position, mesh->positions + 3 * (size_t)point, sizeof end.position);
	memcpy(end.image.at, end.position, sizeof end.position);
	end.image.corners[0] = point;
	return end;
}

// The next point along an open edge of the finer level, or LRD_NO_VERTEX.
static uint32_t next_along(const lrd_lod_surface *surface, uint32_t point)
{
	for (uint32_t wing = surface->fans.starts[point]; wing < surface->fans.starts[point + 1]; wing++)
	{
		uint32_t next = surface->fans.wings[wing].next;
		if (!has_edge(surface, next, point))
		{
			return next;
		}
	}
	return LRD_NO_VERTEX;
}

// What lay along the finer level's open edge from a point to the next that was kept is missed. False where that is
// nothing.
static bool miss_along(lrd_lod_trial *trial, uint32_t from)
{
	bool any = false;
	uint32_t point = next_along(&trial->before, from);
	for (uint32_t i = 0; i < MOST_ALONG && point != LRD_NO_VERTEX && trial->states[point] != LRD_LOD_KEPT; i++)
	{
		trial->missed_count += !trial->missed[point];
		trial->missed[point] = 1;
		any = true;
		point = next_along(&trial->before, point);
	}
	return any;
}

static void measure_edge(lrd_lod_trial *trial, uint32_t from, uint32_t to, float most)
{
	const lrd_lod_mesh *mesh = trial->mesh;
	if (has_edge(&trial->before, from, to) || has_edge(&trial->before, to, from))
	{
		return; // not new
	}
	edge_end a = end_at(mesh, from);
	edge_end b = end_at(mesh, to);
	float before = mesh->errors[from] > mesh->errors[to] ? mesh->errors[from] : mesh->errors[to];
	float least = trial->error > before ? trial->error - before : 0.0f;
	float moved = before + look_into(trial, &a, &b, least, MOST_BISECTIONS);
	if (moved <= most || !miss_along(trial, from))
	{
		trial->error = moved > trial->error ? moved : trial->error;
	}
}

void lrd_lod_measure_border(lrd_lod_trial *trial)
{
	const uint8_t *open = trial->mesh->open;
	if (open == NULL)
	{
		return;
	}
	float most = trial->error * EXCESS < trial->limit ? trial->error * EXCESS : trial->limit;
	for (uint32_t point = 0; point < trial->mesh->point_count; point++)
	{
		uint32_t end = open[point] && trial->states[point] == LRD_LOD_KEPT ? trial->now.fans.starts[point + 1] : 0;
		for (uint32_t wing = trial->now.fans.starts[point]; wing < end; wing++)
		{
			if (open[trial->now.fans.wings[wing].next])
			{
				measure_edge(trial, point, trial->now.fans.wings[wing].next, most);
			}
		}
	}
	trial->missed_count += trial->error > trial->limit; // and nobody knows which
}
