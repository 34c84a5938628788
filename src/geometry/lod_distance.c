// geometry/lod_distance.c: how far a trial of a level lies from the finest surface.
//
// Points that are gone lie as far from the new surface as their images. Between them the distance along a straight
// edge is the larger of its ends' unless it crosses an edge of the new surface: it is bounded by how far the planes at
// its ends part, and where that could be the largest of all, looked into. What lies on no edge lies between some. The
// new surface lies no farther from the old one than the other way about, since images cover it; but see lod_border.c.
// Errors add up from level to level point by point.

#include "geometry/lod.h"

// Bisections of an edge, and how much a bound may exceed what was measured.
#define MOST_BISECTIONS 5
#define TOLERANCE 1.02f
// Points at one place that are looked at.
#define MOST_TWINS 16u
// Images that are this near to the largest distance are looked at again.
#define WORTH_SETTLING 0.7f

// One point in so many may move farther than the rest before the level's error is theirs; where the farthest moved more
// than OUTLIER times as far as the rest, the level does better to keep it.
#define FEW 200u
#define OUTLIER 2.0f
#define SPREAD_STEPS 4096u
// An edge that lies farther off than its ends may raise the level's error by so much; past that its ends are kept.
#define EDGE_EXCESS 1.2f

static bool at_one_place(const lrd_lod_mesh *mesh, uint32_t a, uint32_t b)
{
	const float *positions = mesh->positions;
	return memcmp(positions + 3 * (size_t)a, positions + 3 * (size_t)b, 3 * sizeof *positions) == 0;
}

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
				if (at_one_place(trial->mesh, fans->wings[wing].next, corners[c]) ||
					at_one_place(trial->mesh, fans->wings[wing].prev, corners[c]) ||
					at_one_place(trial->mesh, point, corners[c]))
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
		if (at_one_place(trial->mesh, trial->images[a].corners[c / 3], trial->images[b].corners[c % 3]))
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
	bool apart; // nothing is to be told by the plane of its image
} edge_end;

static edge_end end_at(const lrd_lod_trial *trial, uint32_t point, bool joined)
{
	bool kept = trial->states[point] == LRD_LOD_KEPT;
	edge_end end = { .apart = kept || !joined };
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

// Between images in two planes that meet, the surface is no farther from the straight line than either image from the
// other's plane. And no distance changes faster than one goes along.
static float bound_between(const edge_end *a, const edge_end *b)
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
	return larger + bend < along ? larger + bend : along;
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
	float bound = bound_between(a, b);
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

static float moved_by(const lrd_lod_trial *trial, uint32_t point)
{
	float distance = trial->states[point] >= LRD_LOD_FOUND ? trial->images[point].distance : 0.0f;
	return trial->mesh->errors[point] + distance;
}

static void need_at_least(lrd_lod_trial *trial, uint32_t point, float moved)
{
	if (trial->states[point] != LRD_LOD_KEPT && moved > trial->needs[point])
	{
		trial->needs[point] = moved;
	}
}

// The first of the two bounds alone, which is enough for nearly all edges.
static bool is_within(const lrd_lod_trial *trial, uint32_t a, uint32_t b, float reach)
{
	const lrd_lod_image *from = &trial->images[a];
	const lrd_lod_image *to = &trial->images[b];
	if (trial->states[a] == LRD_LOD_KEPT)
	{
		return to->distance + out_of_plane(to, trial->mesh->positions + 3 * (size_t)a) <= reach;
	}
	if (trial->states[b] == LRD_LOD_KEPT)
	{
		return from->distance + out_of_plane(from, trial->mesh->positions + 3 * (size_t)b) <= reach;
	}
	float distance = from->distance > to->distance ? from->distance : to->distance;
	return distance + out_of_plane(from, to->at) <= reach || distance + out_of_plane(to, from->at) <= reach;
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

static void measure_edge(lrd_lod_trial *trial, uint32_t a, uint32_t b, float most)
{
	float before = trial->mesh->errors[a] > trial->mesh->errors[b] ? trial->mesh->errors[a] : trial->mesh->errors[b];
	// Both kept: nothing is known in between.
	bool joined = (trial->states[a] != LRD_LOD_KEPT || trial->states[b] != LRD_LOD_KEPT) && is_joined(trial, a, b);
	if (joined && is_within(trial, a, b, trial->error * TOLERANCE - before))
	{
		return;
	}
	lrd_lod_settle(trial, a);
	lrd_lod_settle(trial, b);
	edge_end from = end_at(trial, a, joined);
	edge_end to = end_at(trial, b, joined);
	float least = trial->error > before ? trial->error - before : 0.0f;
	float moved = before + look_into(trial, &from, &to, joined, least, MOST_BISECTIONS);
	if (moved <= most)
	{
		trial->error = moved > trial->error ? moved : trial->error;
		return;
	}
	miss(trial, a);
	miss(trial, b);
}

static void measure_corner(lrd_lod_trial *trial, const uint32_t *corners, uint32_t c, float most)
{
	const uint8_t *states = trial->states;
	const uint8_t *fresh = trial->fresh;
	const uint8_t *open = trial->mesh->open;
	uint32_t point = corners[c];
	uint32_t next = corners[c == 2 ? 0 : c + 1];
	uint32_t prev = corners[c == 0 ? 2 : c - 1];
	if (states[point] == LRD_LOD_KEPT && states[next] == LRD_LOD_KEPT)
	{
		// What the simplifier keeps, it keeps with the edges between. But who is put back has others.
		if ((is_returned(trial, point) || is_returned(trial, next)) && !lrd_lod_has_edge(&trial->now, point, next))
		{
			measure_edge(trial, point, next, most);
		}
		return;
	}
	if (states[point] < LRD_LOD_FOUND)
	{
		return;
	}
	if (states[next] != LRD_LOD_LOST && (fresh[point] | fresh[next]) != 0)
	{
		measure_edge(trial, point, next, most);
	}
	// An open edge has no triangle on the other side.
	if (open != NULL && open[point] && states[prev] != LRD_LOD_LOST && (fresh[point] | fresh[prev]) != 0)
	{
		measure_edge(trial, point, prev, most);
	}
}

void lrd_lod_measure_edges(lrd_lod_trial *trial)
{
	float most = trial->error * EDGE_EXCESS < trial->limit ? trial->error * EDGE_EXCESS : trial->limit;
	if (trial->error < trial->edge_error)
	{
		memset(trial->fresh, 1, trial->mesh->point_count);
	}
	for (uint32_t i = 0; i < trial->from_count; i += 3)
	{
		for (uint32_t c = 0; c < 3; c++)
		{
			measure_corner(trial, trial->from + i, c, most);
		}
	}
	trial->edge_error = trial->error;
	memset(trial->fresh, 0, trial->mesh->point_count);
}

// What all but a few of the points moved by or less, and what any did. Positive floats are in the order of their bits.
static void find_spread(const lrd_lod_trial *trial, float *most, float *all)
{
	uint32_t counts[SPREAD_STEPS] = { 0 };
	*all = 0.0f;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		float moved = moved_by(trial, trial->gone[g]);
		uint32_t bits = 0;
		memcpy(&bits, &moved, sizeof bits);
		counts[bits / (UINT32_C(0x80000000) / SPREAD_STEPS)]++;
		*all = moved > *all ? moved : *all;
	}
	uint32_t few = trial->gone_count / FEW;
	uint32_t step = SPREAD_STEPS - 1;
	for (uint32_t above = counts[step]; above <= few && step > 0; above += counts[step])
	{
		step--;
	}
	uint32_t bits = (step + 1) * (UINT32_C(0x80000000) / SPREAD_STEPS) - 1;
	memcpy(most, &bits, sizeof bits);
	*most = *most < *all ? *most : *all;
}

// As a search finds it rather than a walk.
void lrd_lod_settle(lrd_lod_trial *trial, uint32_t point)
{
	const float *position = trial->mesh->positions + 3 * (size_t)point;
	if (trial->states[point] != LRD_LOD_FOUND)
	{
		return;
	}
	trial->states[point] = LRD_LOD_EXACT;
	lrd_lod_nearest nearest = lrd_lod_walk_own_side(trial, point);
	lrd_lod_search(&trial->now, position, false, &nearest);
	trial->needs[point] = lrd_lod_need(trial, point, &nearest);
	if (trial->mesh->has_twins)
	{
		lrd_lod_nearest across = { .host = trial->images[point].corners[0] };
		lrd_lod_walk(&trial->now, position, true, &across);
		lrd_lod_search(&trial->now, position, true, &across);
		nearest = across.squared < nearest.squared ? across : nearest;
	}
	trial->images[point] = lrd_lod_image_of(&trial->now, &nearest);
	need_at_least(trial, point, moved_by(trial, point));
}

// What all but a few moved by, when those that moved about as far or farther are known exactly.
static void settle_largest(lrd_lod_trial *trial, float *most, float *all)
{
	float before = INFINITY;
	find_spread(trial, most, all);
	while (*most < before * WORTH_SETTLING)
	{
		before = *most;
		for (uint32_t g = 0; g < trial->gone_count; g++)
		{
			if (moved_by(trial, trial->gone[g]) > WORTH_SETTLING * before)
			{
				lrd_lod_settle(trial, trial->gone[g]);
			}
		}
		find_spread(trial, most, all);
	}
}

void lrd_lod_measure(lrd_lod_trial *trial)
{
	float most = 0.0f;
	float all = 0.0f;
	settle_largest(trial, &most, &all);
	float error = all < OUTLIER * most ? all : OUTLIER * most;
	error = error < trial->limit ? error : trial->limit;
	error = error > trial->mesh->error ? error : trial->mesh->error;
	float rounding = LRD_LOD_ROUNDING * trial->mesh->side;
	trial->error = error > rounding ? error : rounding;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		need_at_least(trial, trial->gone[g], moved_by(trial, trial->gone[g]));
	}
}

void lrd_lod_pass_errors(const lrd_lod_trial *trial)
{
	float *errors = trial->mesh->errors;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		const uint32_t *corners = trial->images[point].corners;
		float moved = errors[point] + trial->images[point].distance;
		for (uint32_t c = 0; c < 3; c++)
		{
			errors[corners[c]] = moved > errors[corners[c]] ? moved : errors[corners[c]];
		}
	}
}
