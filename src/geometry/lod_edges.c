// geometry/lod_edges.c: how far what lies between points is from a trial of a level.
//
// A straight edge lies no farther off than its ends where these have their images in one triangle. Where the triangles
// of the two images meet, at an edge or in a corner, the edge passes that somewhere, and from there to either end it is
// as before: three distances bound it. Where they don't meet, the edge is bounded by how far the planes at its ends part,
// and where that could be the largest of all, looked into.

#include "geometry/lod.h"

// Bisections of an edge, and how much a bound may exceed what was measured.
#define MOST_BISECTIONS 5
// Bisections that are left when planes are trusted: three places are looked at first.
#define TRUSTED 3
#define TOLERANCE 1.02f
// Points at one place that are looked at.
#define MOST_TWINS 16u
// An edge that lies farther off than its ends may raise the level's error by so much; past that its ends are kept.
#define EDGE_EXCESS 1.2f
// A bound that is so little more than what was measured is as good as what it bounds.
#define GOOD_BOUND 1.05f
// The cosine of normals that count as much alike where triangles meet in a corner alone.
#define ALIKE 0.5f
// Sides of triangles that are followed along an edge.
#define MOST_PASSED 12u

// Whether a triangle has the point and one of the corners.
static bool meets(const lrd_lod_trial *trial, uint32_t point, const uint32_t corners[3])
{
	const lrd_lod_fans *fans = &trial->now.fans;
	uint32_t twin = point;
	for (uint32_t i = 0; i < MOST_TWINS && (i == 0 || twin != point); i++, twin = trial->mesh->twins[twin])
	{
		for (uint32_t wing = fans->starts[twin]; wing < fans->starts[twin + 1]; wing++)
		{
			for (uint32_t c = 0; c < 3; c++)
			{
				if (lrd_lod_at_one_place(trial->mesh, fans->wings[wing].next, corners[c]) ||
					lrd_lod_at_one_place(trial->mesh, fans->wings[wing].prev, corners[c]) ||
					lrd_lod_at_one_place(trial->mesh, point, corners[c]))
				{
					return true;
				}
			}
		}
	}
	return false;
}

// Whether the surface between the images of two points may be taken to be there: that is in doubt at open edges only,
// where a narrow strip may go without its ends.
static bool is_joined(const lrd_lod_trial *trial, uint32_t a, uint32_t b)
{
	const uint8_t *open = trial->mesh->open;
	if (open == NULL || (open[a] | open[b]) == 0)
	{
		return true;
	}
	if (trial->states[a] == LRD_LOD_KEPT || trial->states[b] == LRD_LOD_KEPT)
	{
		bool a_kept = trial->states[a] == LRD_LOD_KEPT;
		return meets(trial, a_kept ? a : b, trial->images[a_kept ? b : a].corners);
	}
	for (uint32_t c = 0; c < 9; c++)
	{
		if (lrd_lod_at_one_place(trial->mesh, trial->images[a].corners[c / 3], trial->images[b].corners[c % 3]))
		{
			return true;
		}
	}
	return false;
}

// An end of a piece of an edge: where it is, and its image. A point that was kept is its own.
typedef struct edge_end
{
	float position[3];
	lrd_lod_image image;
	bool kept;
} edge_end;

static edge_end end_at(const lrd_lod_trial *trial, uint32_t point)
{
	bool kept = trial->states[point] == LRD_LOD_KEPT;
	edge_end end = { .kept = kept };
	memcpy(end.position, trial->mesh->positions + 3 * (size_t)point, sizeof end.position);
	memcpy(end.image.at, end.position, sizeof end.position);
	end.image.corners[0] = point;
	if (!kept)
	{
		end.image = trial->images[point];
	}
	return end;
}

static bool is_corner(const lrd_lod_mesh *mesh, uint32_t point, const uint32_t corners[3])
{
	for (uint32_t c = 0; c < 3; c++)
	{
		if (point == corners[c] || (mesh->has_twins && lrd_lod_at_one_place(mesh, point, corners[c])))
		{
			return true;
		}
	}
	return false;
}

// A triangle on the way along an edge, as wing of one of its corners.
typedef struct passage
{
	uint32_t host, wing;
} passage;

static bool has_arrived(const lrd_lod_trial *trial, const uint32_t corners[3], const edge_end *end)
{
	if (end->kept)
	{
		return is_corner(trial->mesh, end->image.corners[0], corners);
	}
	const uint32_t *there = end->image.corners;
	return (corners[0] == there[0] && corners[1] == there[1] && corners[2] == there[2]) ||
		   (corners[1] == there[0] && corners[2] == there[1] && corners[0] == there[2]) ||
		   (corners[2] == there[0] && corners[0] == there[1] && corners[1] == there[2]);
}

// The triangle on the other side, over seams as well.
static bool pass(const lrd_lod_surface *surface, uint32_t from, uint32_t to, passage *at)
{
	const lrd_lod_mesh *mesh = surface->mesh;
	*at = (passage){ to, lrd_lod_find_wing(surface, to, from) };
	uint32_t twin = mesh->has_twins ? mesh->twins[to] : to;
	for (uint32_t i = 0; twin != to && at->wing == LRD_NO_VERTEX && i < MOST_TWINS; i++, twin = mesh->twins[twin])
	{
		for (uint32_t wing = surface->fans.starts[twin]; wing < surface->fans.starts[twin + 1]; wing++)
		{
			bool same = lrd_lod_at_one_place(mesh, surface->fans.wings[wing].next, from);
			*at = same ? (passage){ twin, wing } : *at;
		}
	}
	return at->wing != LRD_NO_VERTEX;
}

// An edge, and how far one has gone along it.
typedef struct track
{
	lrd_vec3 start, along;
	float per_length; // 1 by the squared length
	float passed;     // of the edge
	float squared;    // the largest distance from it so far
} track;

// Pass from one triangle to the next between two corners, which lie so far on either side of the edge.
static void pass_between(track *self, lrd_vec3 right, lrd_vec3 left, float right_off, float left_off)
{
	float share = right_off / (right_off - left_off);
	share = share > 0.0f ? share < 1.0f ? share : 1.0f : 0.0f;
	lrd_vec3 place = lrd_vec3_add(right, lrd_vec3_scale(lrd_vec3_sub(left, right), share));
	lrd_vec3 arm = lrd_vec3_sub(place, self->start);
	float passed = lrd_vec3_dot(arm, self->along) * self->per_length;
	passed = passed > self->passed ? passed : self->passed;
	self->passed = passed < 1.0f ? passed : 1.0f;
	lrd_vec3 off = lrd_vec3_sub(arm, lrd_vec3_scale(self->along, self->passed));
	float squared = lrd_vec3_dot(off, off);
	self->squared = squared > self->squared ? squared : self->squared;
}

// How far an edge is from places on the sides that it passes between triangles on the way from one of its ends to the
// other, which begins on the triangle of an image; INFINITY where there is no way.
static float distance_along(const lrd_lod_trial *trial, const edge_end *start, const edge_end *end)
{
	const float *positions = trial->mesh->positions;
	track edge = { .start = lrd_load3(start->position, 0) };
	edge.along = lrd_vec3_sub(lrd_load3(end->position, 0), edge.start);
	edge.per_length = 1.0f / lrd_vec3_dot(edge.along, edge.along);
	passage at = { start->image.corners[0],
		lrd_lod_find_wing(&trial->now, start->image.corners[0], start->image.corners[1]) };
	for (uint32_t step = 0; step < MOST_PASSED; step++)
	{
		const lrd_lod_wing *wing = &trial->now.fans.wings[at.wing];
		const uint32_t corners[3] = { at.host, wing->next, wing->prev };
		if (has_arrived(trial, corners, end))
		{
			return sqrtf(edge.squared);
		}
		lrd_vec3 places[3];
		for (uint32_t c = 0; c < 3; c++)
		{
			places[c] = lrd_load3(positions, corners[c]);
		}
		lrd_vec3 normal = lrd_vec3_cross(lrd_vec3_sub(places[1], places[0]), lrd_vec3_sub(places[2], places[0]));
		lrd_vec3 to_left = lrd_vec3_cross(normal, edge.along);
		float left[3];
		for (uint32_t c = 0; c < 3; c++)
		{
			left[c] = lrd_vec3_dot(lrd_vec3_sub(places[c], edge.start), to_left);
		}
		// It is left between a corner on the edge's right and the next, on its left. It came in between the first two.
		uint32_t c = left[2] > 0.0f ? 1 : 2;
		if (step == 0 && left[1] > 0.0f)
		{
			c = left[0] <= 0.0f ? 0 : 2;
		}
		uint32_t d = c == 2 ? 0 : c + 1;
		pass_between(&edge, places[c], places[d], left[c], left[d]);
		if (!pass(&trial->now, corners[c], corners[d], &at))
		{
			return INFINITY;
		}
	}
	return INFINITY;
}

static float out_of_plane(const edge_end *plane, const float at[3])
{
	lrd_vec3 arm = lrd_vec3_sub(lrd_load3(at, 0), lrd_load3(plane->image.at, 0));
	return plane->kept ? INFINITY : fabsf(lrd_vec3_dot(arm, lrd_load3(plane->image.normal, 0)));
}

// What an edge lies off at most. No distance changes faster than one goes along. `trusted`: the surface between two
// planes may be taken to be there.
static float bound_between(const lrd_lod_trial *trial, const edge_end *a, const edge_end *b, bool trusted)
{
	float larger = a->image.distance > b->image.distance ? a->image.distance : b->image.distance;
	float along = 0.5f * (a->image.distance + b->image.distance);
	along += 0.5f * lrd_vec3_length(lrd_vec3_sub(lrd_load3(a->position, 0), lrd_load3(b->position, 0)));
	float passing = INFINITY;
	if (!a->kept || !b->kept)
	{
		passing = a->kept ? distance_along(trial, b, a) : distance_along(trial, a, b);
	}
	if (trusted)
	{
		float from_a = out_of_plane(a, b->image.at);
		float from_b = out_of_plane(b, a->image.at);
		float bend = larger + (from_a < from_b ? from_a : from_b);
		passing = bend < passing ? bend : passing;
	}
	passing = passing > larger ? passing : larger;
	return passing < along ? passing : along;
}

static edge_end end_between(const lrd_lod_trial *trial, const edge_end *a, const edge_end *b, bool joined)
{
	edge_end middle = { .kept = false };
	for (int axis = 0; axis < 3; axis++)
	{
		middle.position[axis] = 0.5f * (a->position[axis] + b->position[axis]);
	}
	lrd_lod_nearest nearest = { .squared = INFINITY };
	for (int end = 0; end < (joined ? 1 : 2); end++)
	{
		lrd_lod_nearest found = { .host = end == 0 ? a->image.corners[0] : b->image.corners[0] };
		lrd_lod_walk(&trial->now, middle.position, trial->mesh->has_twins, &found);
		lrd_lod_search(&trial->now, middle.position, trial->mesh->has_twins, &found);
		nearest = found.squared < nearest.squared ? found : nearest;
	}
	middle.image = lrd_lod_image_of(&trial->now, &nearest);
	return middle;
}

// The largest distance along an edge, where it may exceed `least`.
static float look_into(
	const lrd_lod_trial *trial, const edge_end *a, const edge_end *b, bool joined, float least, int depth)
{
	float bound = bound_between(trial, a, b, joined && depth <= TRUSTED);
	if (bound <= least * TOLERANCE)
	{
		return least;
	}
	if (depth == 0)
	{
		return bound;
	}
	edge_end middle = end_between(trial, a, b, joined);
	least = middle.image.distance > least ? middle.image.distance : least;
	least = look_into(trial, a, &middle, joined, least, depth - 1);
	return look_into(trial, &middle, b, joined, least, depth - 1);
}

static bool is_returned(const lrd_lod_trial *trial, uint32_t point)
{
	return trial->returned != NULL && trial->returned[point];
}

static void miss(lrd_lod_trial *trial, uint32_t point)
{
	if ((trial->states[point] != LRD_LOD_KEPT || is_returned(trial, point)) && !trial->missed[point])
	{
		trial->missed[point] = 1;
		trial->missed_count++;
	}
}

// What the pass over the edges may make of the level's error.
typedef struct limits
{
	float good, most;
} limits;

static float error_before(const lrd_lod_trial *trial, uint32_t a, uint32_t b)
{
	const float *errors = trial->mesh->errors;
	return errors[a] > errors[b] ? errors[a] : errors[b];
}

static void measure_edge(lrd_lod_trial *trial, uint32_t a, uint32_t b, limits bounds)
{
	float before = error_before(trial, a, b);
	// Both kept: nothing is known in between.
	bool joined = (trial->states[a] != LRD_LOD_KEPT || trial->states[b] != LRD_LOD_KEPT) && is_joined(trial, a, b);
	edge_end from = end_at(trial, a);
	edge_end to = end_at(trial, b);
	float bound = before + bound_between(trial, &from, &to, false);
	if (bound <= bounds.good)
	{
		trial->error = bound > trial->error * TOLERANCE ? bound : trial->error;
		return;
	}
	lrd_lod_settle(trial, a);
	lrd_lod_settle(trial, b);
	from = end_at(trial, a);
	to = end_at(trial, b);
	float least = trial->error > before ? trial->error - before : 0.0f;
	float moved = before + look_into(trial, &from, &to, joined, least, MOST_BISECTIONS);
	if (moved <= bounds.most)
	{
		trial->error = moved > trial->error ? moved : trial->error;
		return;
	}
	miss(trial, a);
	miss(trial, b);
}

// Edges are gathered by kind before they are looked at: no two of them in a row go the same way, which costs more than
// the looking.
#define MOST_GATHERED 512u

typedef struct gathered
{
	uint32_t count;
	uint32_t points[MOST_GATHERED][2];
} gathered;

static bool has_any(const uint32_t corners[3], uint32_t point)
{
	return (corners[0] == point) | (corners[1] == point) | (corners[2] == point);
}

// Whether a triangle of a kept point meets the one of an image: at a side, or in a corner and facing about the same way.
static bool is_met(const lrd_lod_trial *trial, uint32_t kept, const lrd_lod_image *image)
{
	const lrd_lod_fans *fans = &trial->now.fans;
	const float *positions = trial->mesh->positions;
	bool met = has_any(image->corners, kept);
	for (uint32_t wing = fans->starts[kept]; wing < fans->starts[kept + 1] && !met; wing++)
	{
		uint32_t next = fans->wings[wing].next;
		uint32_t prev = fans->wings[wing].prev;
		int shared = has_any(image->corners, next) + has_any(image->corners, prev);
		met = shared == 2;
		if (shared == 1)
		{
			lrd_vec3 place = lrd_load3(positions, kept);
			lrd_vec3 normal = lrd_vec3_cross(
				lrd_vec3_sub(lrd_load3(positions, next), place), lrd_vec3_sub(lrd_load3(positions, prev), place));
			float facing = lrd_vec3_dot(normal, lrd_load3(image->normal, 0));
			met = facing > 0.0f && facing * facing > ALIKE * ALIKE * lrd_vec3_dot(normal, normal);
		}
	}
	return met;
}

// Whether an edge lies within reach for a reason that is quick to tell, which nearly all have: between images in two
// planes, of triangles that meet, the surface is no farther from the straight line than either image from the other's
// plane. Here both ends are gone.
static bool is_within(const lrd_lod_image *from, const lrd_lod_image *to, float reach)
{
	lrd_vec3 arm = lrd_vec3_sub(lrd_load3(to->at, 0), lrd_load3(from->at, 0));
	float larger = from->distance > to->distance ? from->distance : to->distance;
	float bend = fabsf(lrd_vec3_dot(arm, lrd_load3(from->normal, 0)));
	float other = fabsf(lrd_vec3_dot(arm, lrd_load3(to->normal, 0)));
	bend = other < bend ? other : bend;
	int shared = has_any(to->corners, from->corners[0]) + has_any(to->corners, from->corners[1]) +
				 has_any(to->corners, from->corners[2]);
	bool alike = lrd_vec3_dot(lrd_load3(from->normal, 0), lrd_load3(to->normal, 0)) > ALIKE;
	return (larger + bend <= reach) & (shared + alike >= 2);
}

// The same where the second end was kept.
static bool is_half_within(const lrd_lod_trial *trial, const lrd_lod_image *from, uint32_t kept, float reach)
{
	lrd_vec3 arm = lrd_vec3_sub(lrd_load3(trial->mesh->positions, kept), lrd_load3(from->at, 0));
	float bend = fabsf(lrd_vec3_dot(arm, lrd_load3(from->normal, 0)));
	return from->distance + bend <= reach && is_met(trial, kept, from);
}

static void measure_gathered(lrd_lod_trial *trial, gathered *edges, bool half_gone, limits bounds)
{
	for (uint32_t i = 0; i < edges->count; i++)
	{
		uint32_t a = edges->points[i][0];
		uint32_t b = edges->points[i][1];
		const lrd_lod_image *from = &trial->images[a];
		float reach = trial->error * TOLERANCE - error_before(trial, a, b);
		bool within = half_gone ? is_half_within(trial, from, b, reach) : is_within(from, &trial->images[b], reach);
		if (!within || !is_joined(trial, a, b))
		{
			measure_edge(trial, a, b, bounds);
		}
	}
	edges->count = 0;
}

// What the simplifier keeps, it keeps with the edges between. But who is put back has others.
static void measure_returned(lrd_lod_trial *trial, uint32_t point, limits bounds)
{
	const lrd_lod_fans *fans = &trial->before.fans;
	for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1]; wing++)
	{
		const uint32_t ends[2] = { fans->wings[wing].next, fans->wings[wing].prev };
		for (uint32_t end = 0; end < 2; end++)
		{
			if (trial->states[ends[end]] == LRD_LOD_KEPT && !lrd_lod_has_edge(&trial->now, point, ends[end]))
			{
				measure_edge(trial, point, ends[end], bounds);
			}
		}
	}
}

// An open edge has no triangle on the other side.
static void measure_open(lrd_lod_trial *trial, uint32_t point, limits bounds)
{
	const lrd_lod_fans *fans = &trial->before.fans;
	for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1]; wing++)
	{
		uint32_t prev = fans->wings[wing].prev;
		if (trial->states[prev] != LRD_LOD_LOST && (trial->fresh[point] | trial->fresh[prev]) != 0)
		{
			measure_edge(trial, point, prev, bounds);
		}
	}
}

static void measure_around(lrd_lod_trial *trial, limits bounds)
{
	const lrd_lod_fans *fans = &trial->before.fans;
	const lrd_lod_mesh *mesh = trial->mesh;
	gathered gone = { .count = 0 };
	gathered half_gone = { .count = 0 };
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		if (trial->states[point] == LRD_LOD_LOST)
		{
			continue;
		}
		bool open = mesh->open != NULL && mesh->open[point];
		// Each edge is in one triangle this way and in another the other way, which was or will be looked at.
		uint32_t most = mesh->twins[point] == point && !open ? point : LRD_NO_VERTEX;
		for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1]; wing++)
		{
			uint32_t next = fans->wings[wing].next;
			uint8_t state = trial->states[next];
			bool fresh = (trial->fresh[point] | trial->fresh[next]) != 0;
			// Stored first and counted afterwards: nobody could guess the branches.
			gone.points[gone.count][0] = half_gone.points[half_gone.count][0] = point;
			gone.points[gone.count][1] = half_gone.points[half_gone.count][1] = next;
			gone.count += fresh & (state >= LRD_LOD_FOUND) & (next < most);
			half_gone.count += fresh & (state == LRD_LOD_KEPT);
			if (gone.count == MOST_GATHERED)
			{
				measure_gathered(trial, &gone, false, bounds);
			}
			if (half_gone.count == MOST_GATHERED)
			{
				measure_gathered(trial, &half_gone, true, bounds);
			}
		}
		if (open)
		{
			measure_open(trial, point, bounds);
		}
	}
	measure_gathered(trial, &gone, false, bounds);
	measure_gathered(trial, &half_gone, true, bounds);
}

void lrd_lod_measure_edges(lrd_lod_trial *trial)
{
	size_t points = trial->mesh->point_count;
	limits bounds = { .most = trial->error * EDGE_EXCESS };
	bounds.most = bounds.most < trial->limit ? bounds.most : trial->limit;
	bounds.good = trial->error * GOOD_BOUND < bounds.most ? trial->error * GOOD_BOUND : bounds.most;
	if (trial->error < trial->edge_error)
	{
		memset(trial->fresh, 1, points);
	}
	measure_around(trial, bounds);
	for (uint32_t point = 0; point < points && trial->returned != NULL; point++)
	{
		if (trial->returned[point])
		{
			measure_returned(trial, point, bounds);
		}
	}
	trial->edge_error = trial->error;
	memset(trial->fresh, 0, points);
}
