// geometry/lod_edges.c: how far what lies between points is from a trial of a level.
//
// A straight edge lies no farther off than its ends where these have their images in one triangle. Where the triangles
// of the two images meet, at an edge or in a corner, the edge passes that somewhere, and from there to either end it is
// as before: three distances bound it. Where they don't meet, the edge is bounded by how far the planes at its ends part,
// and where that could be the largest of all, looked into.

#include "geometry/lod.h"

// Bisections of an edge, and how much a bound may exceed what was measured.
#define MOST_BISECTIONS 5
#define TOLERANCE 1.02f
// Points at one place that are looked at.
#define MOST_TWINS 16u
// An edge that lies farther off than its ends may raise the level's error by so much; past that its ends are kept.
#define EDGE_EXCESS 1.2f
// A bound that is so little more than what was measured is as good as what it bounds.
#define GOOD_BOUND 1.05f

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
	bool apart; // nothing is to be told by the plane of its image
} edge_end;

static edge_end end_at(const lrd_lod_trial *trial, uint32_t point, bool joined)
{
	bool kept = trial->states[point] == LRD_LOD_KEPT;
	edge_end end = { .kept = kept, .apart = kept || !joined };
	memcpy(end.position, trial->mesh->positions + 3 * (size_t)point, sizeof end.position);
	memcpy(end.image.at, end.position, sizeof end.position);
	end.image.corners[0] = point;
	if (!kept)
	{
		end.image = trial->images[point];
	}
	return end;
}

static float out_of_plane(const lrd_lod_image *plane, const float at[3])
{
	return fabsf(plane->normal[0] * (at[0] - plane->at[0]) + plane->normal[1] * (at[1] - plane->at[1]) +
				 plane->normal[2] * (at[2] - plane->at[2]));
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

// Corners that two triangles share.
static uint32_t find_shared(const lrd_lod_mesh *mesh, const uint32_t a[3], const uint32_t b[3], uint32_t shared[3])
{
	uint32_t count = 0;
	for (uint32_t c = 0; c < 3; c++)
	{
		if (is_corner(mesh, a[c], b))
		{
			shared[count++] = a[c];
		}
	}
	return count;
}

// Of a kept point: corners of the other triangle that one of its own shares with it, as many as there are.
static uint32_t find_shared_around(
	const lrd_lod_trial *trial, uint32_t point, const uint32_t corners[3], uint32_t shared[3])
{
	const lrd_lod_fans *fans = &trial->now.fans;
	uint32_t count = is_corner(trial->mesh, point, corners) ? 3 : 0;
	for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1] && count < 2; wing++)
	{
		uint32_t found = count;
		bool next = is_corner(trial->mesh, fans->wings[wing].next, corners);
		if (next && is_corner(trial->mesh, fans->wings[wing].prev, corners))
		{
			shared[0] = fans->wings[wing].next;
			shared[1] = fans->wings[wing].prev;
			return 2;
		}
		shared[0] = next && count == 0 ? fans->wings[wing].next : shared[0];
		count = next && found == 0 ? 1 : count;
	}
	return count;
}

static float clamped(float value, float least)
{
	return value > least ? value < 1.0f ? value : 1.0f : least; // which it is where it is not a number
}

typedef struct line
{
	lrd_vec3 start, along;
} line;

static line line_between(const float *start, const float *end)
{
	lrd_vec3 from = lrd_load3(start, 0);
	return (line){ from, lrd_vec3_sub(lrd_load3(end, 0), from) };
}

// About the distance between two lines, and not less. `passed`: where the first of them passes the other, not before
// what that is when called.
static float distance_between(const line *a, const line *b, float *passed)
{
	lrd_vec3 arm = lrd_vec3_sub(a->start, b->start);
	float aa = lrd_vec3_dot(a->along, a->along);
	float ab = lrd_vec3_dot(a->along, b->along);
	float bb = lrd_vec3_dot(b->along, b->along);
	float a_arm = lrd_vec3_dot(a->along, arm);
	float b_arm = lrd_vec3_dot(b->along, arm);
	float s = clamped((ab * b_arm - bb * a_arm) / (aa * bb - ab * ab), *passed);
	float t = clamped((ab * s + b_arm) / bb, 0.0f);
	s = clamped((ab * t - a_arm) / aa, *passed);
	*passed = s;
	lrd_vec3 off = lrd_vec3_sub(lrd_vec3_scale(a->along, s), lrd_vec3_scale(b->along, t));
	return lrd_vec3_length(lrd_vec3_add(arm, off));
}

// What an end has around a corner that it shares with the other's triangle: corners of its own triangle; or of those of a
// kept point that have the shared corner, too.
static uint32_t find_sides(const lrd_lod_trial *trial, const edge_end *end, uint32_t shared, uint32_t sides[2])
{
	uint32_t count = 0;
	if (!end->kept)
	{
		for (uint32_t c = 0; c < 3 && count < 2; c++)
		{
			sides[count] = end->image.corners[c];
			count += sides[count] != shared;
		}
		return count;
	}
	const lrd_lod_fans *fans = &trial->now.fans;
	uint32_t point = end->image.corners[0];
	for (uint32_t wing = fans->starts[point]; wing < fans->starts[point + 1] && count < 2; wing++)
	{
		const lrd_lod_wing *corners = &fans->wings[wing];
		if (corners->next == shared || corners->prev == shared)
		{
			sides[count++] = corners->next == shared ? corners->prev : corners->next;
		}
	}
	return count;
}

// Where the triangles at the ends share a corner alone, and another triangle is between them there: how far the edge is
// from the two sides of that.
static float distance_to_fan(const lrd_lod_trial *trial, const line *edge, const edge_end ends[2], uint32_t shared)
{
	const lrd_lod_fans *fans = &trial->now.fans;
	const float *positions = trial->mesh->positions;
	uint32_t sides[2][2];
	uint32_t counts[2];
	for (int end = 0; end < 2; end++)
	{
		counts[end] = find_sides(trial, &ends[end], shared, sides[end]);
	}
	float best = INFINITY;
	for (uint32_t wing = fans->starts[shared]; wing < fans->starts[shared + 1]; wing++)
	{
		const uint32_t corners[2] = { fans->wings[wing].next, fans->wings[wing].prev };
		for (uint32_t pair = 0; pair < counts[0] * counts[1]; pair++)
		{
			uint32_t from = sides[0][pair % counts[0]];
			uint32_t to = sides[1][pair / counts[0]];
			if ((from == corners[0] && to == corners[1]) || (from == corners[1] && to == corners[0]))
			{
				const float *middle = positions + 3 * (size_t)shared;
				line first = line_between(middle, positions + 3 * (size_t)from);
				line second = line_between(middle, positions + 3 * (size_t)to);
				float passed = 0.0f;
				float off = distance_between(edge, &first, &passed);
				float off_second = distance_between(edge, &second, &passed);
				off = off > off_second ? off : off_second;
				best = off < best ? off : best;
			}
		}
	}
	return best;
}

// How far an edge is from what the triangles at its ends share, or INFINITY.
static float distance_to_shared(const lrd_lod_trial *trial, const edge_end ends[2])
{
	uint32_t shared[3];
	uint32_t count = 0;
	if (ends[0].kept == ends[1].kept)
	{
		count = ends[0].kept ? 0 : find_shared(trial->mesh, ends[0].image.corners, ends[1].image.corners, shared);
	}
	else
	{
		int kept = ends[0].kept ? 0 : 1;
		count = find_shared_around(trial, ends[kept].image.corners[0], ends[1 - kept].image.corners, shared);
	}
	if (count == 0 || count == 3)
	{
		return count == 0 ? INFINITY : 0.0f;
	}
	const float *positions = trial->mesh->positions;
	line edge = line_between(ends[0].position, ends[1].position);
	line passing = line_between(positions + 3 * (size_t)shared[0], positions + 3 * (size_t)shared[count - 1]);
	float passed = 0.0f;
	float distance = distance_between(&edge, &passing, &passed);
	float around = count == 1 ? distance_to_fan(trial, &edge, ends, shared[0]) : INFINITY;
	return around < distance ? around : distance;
}

// Between images in two planes that meet, the surface is no farther from the straight line than either image from the
// other's plane. And no distance changes faster than one goes along.
static float bound_between(const lrd_lod_trial *trial, const edge_end *a, const edge_end *b)
{
	float from_a = a->apart ? INFINITY : out_of_plane(&a->image, b->image.at);
	float from_b = b->apart ? INFINITY : out_of_plane(&b->image, a->image.at);
	float bend = from_a < from_b ? from_a : from_b;
	float larger = a->image.distance > b->image.distance ? a->image.distance : b->image.distance;
	float squared = 0.0f;
	for (int axis = 0; axis < 3; axis++)
	{
		squared += (a->position[axis] - b->position[axis]) * (a->position[axis] - b->position[axis]);
	}
	float along = 0.5f * (a->image.distance + b->image.distance + sqrtf(squared));
	float bound = larger + bend < along ? larger + bend : along;
	float passing = distance_to_shared(trial, (const edge_end[2]){ *a, *b });
	passing = passing > larger ? passing : larger;
	return passing < bound ? passing : bound;
}

static edge_end end_between(const lrd_lod_trial *trial, const edge_end *a, const edge_end *b, bool joined)
{
	edge_end middle = { .apart = !joined };
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
	float bound = bound_between(trial, a, b);
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
	edge_end from = end_at(trial, a, joined);
	edge_end to = end_at(trial, b, joined);
	float bound = before + bound_between(trial, &from, &to);
	if (bound <= bounds.good)
	{
		trial->error = bound > trial->error * TOLERANCE ? bound : trial->error;
		return;
	}
	lrd_lod_settle(trial, a);
	lrd_lod_settle(trial, b);
	from = end_at(trial, a, joined);
	to = end_at(trial, b, joined);
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
	uint32_t points[MOST_GATHERED + 9][2];
} gathered;

// The first of the bounds alone, which is enough for nearly all edges: both ends gone.
static void measure_gone(lrd_lod_trial *trial, gathered *edges, limits bounds)
{
	for (uint32_t i = 0; i < edges->count; i++)
	{
		uint32_t a = edges->points[i][0];
		uint32_t b = edges->points[i][1];
		const lrd_lod_image *from = &trial->images[a];
		const lrd_lod_image *to = &trial->images[b];
		float reach = trial->error * TOLERANCE - error_before(trial, a, b);
		reach -= from->distance > to->distance ? from->distance : to->distance;
		bool within = out_of_plane(from, to->at) <= reach || out_of_plane(to, from->at) <= reach;
		if (!within || !is_joined(trial, a, b))
		{
			measure_edge(trial, a, b, bounds);
		}
	}
	edges->count = 0;
}

// The same where the second end was kept.
static void measure_half_gone(lrd_lod_trial *trial, gathered *edges, limits bounds)
{
	for (uint32_t i = 0; i < edges->count; i++)
	{
		uint32_t a = edges->points[i][0];
		uint32_t b = edges->points[i][1];
		const lrd_lod_image *from = &trial->images[a];
		float reach = trial->error * TOLERANCE - error_before(trial, a, b);
		bool within = from->distance + out_of_plane(from, trial->mesh->positions + 3 * (size_t)b) <= reach;
		if (!within || !is_joined(trial, a, b))
		{
			measure_edge(trial, a, b, bounds);
		}
	}
	edges->count = 0;
}

// What the simplifier keeps, it keeps with the edges between. But who is put back has others.
static void measure_kept(lrd_lod_trial *trial, limits bounds)
{
	for (uint32_t i = 0; i < trial->from_count && trial->returned != NULL; i++)
	{
		uint32_t point = trial->from[i];
		uint32_t next = trial->from[i % 3 == 2 ? i - 2 : i + 1];
		if (trial->states[point] == LRD_LOD_KEPT && trial->states[next] == LRD_LOD_KEPT &&
			(trial->returned[point] | trial->returned[next]) != 0 && !lrd_lod_has_edge(&trial->now, point, next))
		{
			measure_edge(trial, point, next, bounds);
		}
	}
}

// An open edge has no triangle on the other side.
static void measure_open(lrd_lod_trial *trial, limits bounds)
{
	const uint8_t *states = trial->states;
	const uint8_t *open = trial->mesh->open;
	for (uint32_t i = 0; i < trial->from_count && open != NULL; i++)
	{
		uint32_t point = trial->from[i];
		uint32_t prev = trial->from[i % 3 == 0 ? i + 2 : i - 1];
		if (open[point] && states[point] >= LRD_LOD_FOUND && states[prev] != LRD_LOD_LOST &&
			(trial->fresh[point] | trial->fresh[prev]) != 0)
		{
			measure_edge(trial, point, prev, bounds);
		}
	}
}

enum
{
	GONE = 1,
	KEPT = 2,
	FRESH = 4,
	SINGLE = 8 // each of the point's edges is in one triangle this way and in another the other way
};

static void mark_points(const lrd_lod_trial *trial, uint8_t *marks)
{
	const lrd_lod_mesh *mesh = trial->mesh;
	for (uint32_t point = 0; point < mesh->point_count; point++)
	{
		bool single = mesh->twins[point] == point && (mesh->open == NULL || !mesh->open[point]);
		uint8_t state = trial->states[point];
		marks[point] = (uint8_t)((state >= LRD_LOD_FOUND ? GONE : 0) | (state == LRD_LOD_KEPT ? KEPT : 0) |
								 (trial->fresh[point] != 0 ? FRESH : 0) | (single ? SINGLE : 0));
	}
}

static void measure_corners(lrd_lod_trial *trial, const uint8_t *marks, limits bounds)
{
	gathered gone = { .count = 0 };
	gathered half_gone = { .count = 0 };
	for (uint32_t i = 0; i < trial->from_count; i += 3)
	{
		for (uint32_t c = 0; c < 3; c++)
		{
			uint32_t point = trial->from[i + c];
			uint32_t next = trial->from[i + (c + 1) % 3];
			uint32_t here = marks[point];
			uint32_t there = marks[next];
			// Stored first and counted afterwards: nobody could guess the branches.
			uint32_t any = here & ((here | there) >> 2) & GONE; // gone, and one of them is fresh
			uint32_t twice = (here >> 3) & (next < point);
			gone.points[gone.count][0] = half_gone.points[half_gone.count][0] = point;
			gone.points[gone.count][1] = half_gone.points[half_gone.count][1] = next;
			gone.count += any & there & ~twice & GONE;
			half_gone.count += any & (there >> 1) & GONE;
		}
		if (gone.count > MOST_GATHERED)
		{
			measure_gone(trial, &gone, bounds);
		}
		if (half_gone.count > MOST_GATHERED)
		{
			measure_half_gone(trial, &half_gone, bounds);
		}
	}
	measure_gone(trial, &gone, bounds);
	measure_half_gone(trial, &half_gone, bounds);
}

bool lrd_lod_measure_edges(lrd_lod_trial *trial, lrd_error *error)
{
	size_t points = trial->mesh->point_count;
	uint8_t *marks = lrd_arena_alloc(trial->scratch, points);
	if (marks == NULL)
	{
		return lrd_fail_memory(error, "edges of a LOD", points);
	}
	limits bounds = { .most = trial->error * EDGE_EXCESS };
	bounds.most = bounds.most < trial->limit ? bounds.most : trial->limit;
	bounds.good = trial->error * GOOD_BOUND < bounds.most ? trial->error * GOOD_BOUND : bounds.most;
	if (trial->error < trial->edge_error)
	{
		memset(trial->fresh, 1, points);
	}
	mark_points(trial, marks);
	measure_corners(trial, marks, bounds);
	measure_open(trial, bounds);
	measure_kept(trial, bounds);
	trial->edge_error = trial->error;
	memset(trial->fresh, 0, points);
	return true;
}
